/* race_summary.c - queries of a race's summary: statistics over the repeats of a solver, the best solver.
 * The file is not trusted: an unexpected type counts as unknown. */
#include "model/json_file.h"
#include "report/race.h"

const char *spd_json_text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double spd_json_number_of(const json_t *object, const char *key) { return spd_json_double(json_object_get(object, key)); }

const json_t *spd_json_list(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_array(value) ? value : NULL;
}

int spd_raced_solver(const spd_raced *race, const char *name) {
    for (int s = 0; s < race->solvers; s++)
        if (strcmp(race->solver[s], name) == 0) return s;
    return -1;
}

const json_t *spd_raced_problems(const spd_raced *race) { return spd_json_list(race->summary, "problems"); }

spd_spread spd_raced_spread(const json_t *solver, const char *key, int level) {
    const json_t *runs = spd_json_list(solver, "runs");
    spd_spread out = {NAN, NAN, NAN, 0, (int64_t)json_array_size(runs)};
    double sum = 0;
    for (size_t r = 0; r < json_array_size(runs); r++) {
        const json_t *run = json_array_get(runs, r), *value = json_object_get(run, key);
        if (strcmp(spd_json_text_of(run, "status"), "diverged") == 0) continue; /* it would dominate the mean */
        if (level >= 0) value = json_array_get(value, (size_t)level);
        if (!json_is_number(value)) continue;
        const double number = json_number_value(value);
        sum += number;
        out.low = fmin(out.low, number); /* fmin ignores NAN */
        out.high = fmax(out.high, number);
        out.known++;
    }
    if (out.known > 0) out.mean = sum / (double)out.known;
    return out;
}

int spd_raced_best(const json_t *problem, const char *key, int level, int sense) {
    const json_t *solvers = spd_json_list(problem, "solvers");
    int best = -1;
    double value = NAN;
    for (size_t s = 0; s < json_array_size(solvers); s++) {
        const spd_spread spread = spd_raced_spread(json_array_get(solvers, s), key, level);
        if (spread.known < spread.all || spread.known == 0) continue;
        if (best >= 0 && sense * (spread.mean - value) <= 0) continue;
        best = (int)s;
        value = spread.mean;
    }
    return best;
}

int64_t spd_raced_count(const json_t *problem, const char *status) {
    const json_t *solvers = spd_json_list(problem, "solvers");
    int64_t count = 0;
    for (size_t s = 0; s < json_array_size(solvers); s++) {
        const json_t *runs = spd_json_list(json_array_get(solvers, s), "runs");
        for (size_t r = 0; r < json_array_size(runs); r++)
            count += !status || strcmp(spd_json_text_of(json_array_get(runs, r), "status"), status) == 0;
    }
    return count;
}
