/* race_data.c - the data that the page's script draws: the traces of every problem, as a block of JSON without any '<' that could
 * end the element. Relative suboptimality is computed here, from all digits, with f* the certified objective of that repeat:
 *     (f - f*) / (f(0) - f*) */
#include "report/race.h"

enum { MOST_POINTS = 1000 };

typedef struct optimum {
    double objective, span; /* f*, f(0) - f* */
} optimum;

static optimum optimum_of(const json_t *problem, const spd_traced *run) {
    const json_t *optima = spd_json_list(problem, "optima");
    double start = spd_json_number_of(problem, "start_objective");
    if (isnan(start) && run->trace.points > 0 && run->trace.point[0].epoch == 0) start = run->trace.point[0].objective;
    for (size_t o = 0; o < json_array_size(optima); o++) {
        const json_t *entry = json_array_get(optima, o);
        const double best = spd_json_number_of(entry, "objective");
        if (spd_json_number_of(entry, "repeat") == (double)run->repeat && start > best) return (optimum){best, start - best};
    }
    return (optimum){NAN, NAN};
}

/* The level below which the certificates cannot distinguish values: the largest relative gap of the optima. */
static double resolution(const json_t *problem) {
    const json_t *optima = spd_json_list(problem, "optima");
    const double start = spd_json_number_of(problem, "start_objective");
    double worst = NAN;
    for (size_t o = 0; o < json_array_size(optima); o++) {
        const json_t *entry = json_array_get(optima, o);
        worst = fmax(worst, spd_json_number_of(entry, "gap") / (start - spd_json_number_of(entry, "objective")));
    }
    return worst;
}

static double value_of(const spd_traced *run, int64_t i, size_t member, optimum zero) {
    return (*(const double *)(const void *)((const char *)&run->trace.point[i] + member) - zero.objective) / zero.span;
}

/* One column of a trace; omitted if nothing is known. At most MOST_POINTS points, including the first and the last. */
static void put_column(FILE *out, const char *name, const spd_traced *run, size_t member, optimum zero, int digits) {
    const int64_t points = run->trace.points, shown = points < MOST_POINTS ? points : MOST_POINTS;
    bool known = false;
    for (int64_t i = 0; i < points && !known; i++) known = isfinite(value_of(run, i, member, zero));
    if (!known) return;
    fprintf(out, ",\"%s\":[", name);
    for (int64_t k = 0; k < shown; k++) {
        if (k > 0) fputc(',', out);
        spd_put_json_number(out, value_of(run, shown > 1 ? k * (points - 1) / (shown - 1) : 0, member, zero), digits);
    }
    fputc(']', out);
}
#define COLUMN(name, digits) put_column(out, #name, run, offsetof(spdhg_point, name), (optimum){0, 1}, digits)

static const char *status_of(const json_t *problem, const spd_traced *run) {
    const json_t *solvers = spd_json_list(problem, "solvers");
    for (size_t s = 0; s < json_array_size(solvers); s++) {
        const json_t *solver = json_array_get(solvers, s), *runs = spd_json_list(solver, "runs");
        if (strcmp(spd_json_text_of(solver, "solver"), run->solver) != 0) continue;
        for (size_t r = 0; r < json_array_size(runs); r++)
            if (spd_json_number_of(json_array_get(runs, r), "repeat") == (double)run->repeat)
                return spd_json_text_of(json_array_get(runs, r), "status");
    }
    return "";
}

static void put_run(FILE *out, const spd_raced *race, const json_t *problem, const spd_traced *run) {
    fprintf(out, "{\"solver\":%d,\"repeat\":%lld,\"status\":", spd_raced_solver(race, run->solver), (long long)run->repeat);
    spd_put_json_text(out, status_of(problem, run));
    COLUMN(epoch, 7);
    COLUMN(seconds, 6);
    COLUMN(objective, 9);
    put_column(out, "suboptimality", run, offsetof(spdhg_point, objective), optimum_of(problem, run), 5);
    COLUMN(test_loss, 7);
    COLUMN(test_score, 6);
    COLUMN(gap, 5);
    fputs("}", out);
}

void spd_raced_data(FILE *out, const spd_raced *race) {
    const json_t *problems = spd_raced_problems(race);
    fputs("<script type='application/json' id='race'>{\"solvers\":[", out);
    for (int s = 0; s < race->solvers; s++) {
        if (s > 0) fputc(',', out);
        spd_put_json_text(out, race->solver[s]);
    }
    fputs("],\"problems\":[", out);
    for (size_t p = 0; p < json_array_size(problems); p++) {
        const json_t *problem = json_array_get(problems, p);
        fprintf(out, "%s\n{\"data\":", p > 0 ? "," : "");
        spd_put_json_text(out, spd_json_text_of(problem, "data"));
        fputs(",\"task\":", out);
        spd_put_json_text(out, spd_json_text_of(problem, "task"));
        fputs(",\"resolution\":", out);
        spd_put_json_number(out, resolution(problem), 3);
        fputs(",\"runs\":[", out);
        const spd_traces *runs = &race->runs[p];
        bool first = true;
        for (int64_t r = 0; r < runs->count; r++) {
            if (spd_raced_solver(race, runs->run[r].solver) < 0) continue;
            fputs(first ? "\n" : ",\n", out);
            first = false;
            put_run(out, race, problem, &runs->run[r]);
        }
        fputs("]}", out);
    }
    fputs("]}</script>\n", out);
}
