/* race_measure.c - measures the runs of a race, and tests which differences between solvers are significant.
 * Relative suboptimality (f - f*) / (f(0) - f*), raw, at the last point of a run, and when it first was at or below a level. */
#include <stdlib.h>

#include "race/race.h"
#include "race/statistics.h"

/* A step may end beyond the requested epochs; such points are not compared, except of solvers compared by seconds. Since a batch
 * cannot be split, points before the next evaluation are accepted. */
spdhg_status spd_race_add_point(const spd_race *race, spd_race_run *run, const spdhg_point *point, spdhg_error *err) {
    return run->by_seconds || point->epoch < race->o.epochs + race->o.every ? spd_trace_add(&run->trace, point, err) : SPDHG_OK;
}

const spdhg_point *spd_race_last(const spd_race_run *run) {
    return run->trace.points > 0 ? &run->trace.point[run->trace.points - 1] : NULL;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double spd_race_budget(const spd_race *race, const spd_race_problem *p, int64_t repeat) {
    double seconds[SPD_RACE_SOLVERS_MAX];
    size_t count = 0;
    for (int s = 0; s < race->solvers; s++) {
        const spd_race_run *run = &p->entry[s].run[repeat];
        if (!run->by_seconds && run->status == SPD_RACE_DONE && run->trace.points > 0)
            seconds[count++] = spd_race_last(run)->seconds;
    }
    qsort(seconds, count, sizeof *seconds, ascending);
    return count ? (seconds[(count - 1) / 2] + seconds[count / 2]) / 2 : INFINITY;
}

const spdhg_point *spd_race_end(const spd_race *race, const spd_race_problem *p, int solver, int64_t repeat) {
    const spd_race_run *run = &p->entry[solver].run[repeat];
    if (!run->by_seconds || run->trace.points == 0) return spd_race_last(run);
    const double budget = spd_race_budget(race, p, repeat);
    int64_t at = 0;
    while (at + 1 < run->trace.points && run->trace.point[at + 1].seconds <= budget) at++;
    return &run->trace.point[at];
}

double spd_race_best(const spd_race *race, const spd_race_problem *p, int64_t repeat) {
    const spd_race_optimum *optimum = &p->optimum[repeat];
    double best = optimum->objective;
    for (int s = 0; s < race->solvers && !optimum->certified; s++) {
        const spd_trace *trace = &p->entry[s].run[repeat].trace;
        for (int64_t i = 0; i < trace->points; i++)
            if (trace->point[i].objective < best) best = trace->point[i].objective;
    }
    return best;
}

double spd_race_suboptimality(const spd_race *race, const spd_race_problem *p, int64_t repeat, double objective) {
    const double best = spd_race_best(race, p, repeat);
    return (objective - best) / (p->optimum[repeat].start - best);
}

const spdhg_point *spd_race_reached(const spd_race *race, const spd_race_problem *p, int solver, int64_t repeat, double level) {
    const spd_trace *trace = &p->entry[solver].run[repeat].trace;
    const double best = spd_race_best(race, p, repeat), limit = best + level * (p->optimum[repeat].start - best);
    for (int64_t i = 0; i < trace->points; i++)
        if (trace->point[i].objective <= limit) return &trace->point[i];
    return NULL;
}

/* ---- one number per data set and solver: the mean over the repeats; +INFINITY if never reached or not known. */

typedef enum measure_kind { SUBOPTIMALITY, TEST_LOSS, SECONDS, EPOCHS } measure_kind;
typedef struct measure {
    measure_kind kind;
    double level;
} measure;

/* Runs that the certificate cannot distinguish from the optimum are equal. */
static double resolution(const spd_race *race, const spd_race_problem *p, int64_t repeat) {
    const spd_race_optimum *optimum = &p->optimum[repeat];
    return optimum->certified ? fmax(optimum->gap, 0) / (optimum->start - spd_race_best(race, p, repeat)) : 0;
}

static double value_of(const spd_race *race, const spd_race_problem *p, int solver, int64_t repeat, measure m) {
    const spdhg_point *last = spd_race_end(race, p, solver, repeat), *at;
    if (!last) return INFINITY;
    if (m.kind == SUBOPTIMALITY)
        return fmax(spd_race_suboptimality(race, p, repeat, last->objective), resolution(race, p, repeat));
    if (m.kind == TEST_LOSS) return last->test_loss;
    at = spd_race_reached(race, p, solver, repeat, m.level);
    return !at ? INFINITY : m.kind == SECONDS ? at->seconds : at->epoch;
}

static double mean_of(const spd_race *race, const spd_race_problem *p, int solver, measure m) {
    double sum = 0;
    for (int64_t r = 0; r < race->o.repeats; r++) {
        const double value = value_of(race, p, solver, r, m);
        sum += isnan(value) ? INFINITY : value;
    }
    return sum / (double)race->o.repeats;
}

/* ---- tests over the data sets of a task */

/* Which solvers are compared: all, or the methods of the paper alone. Solvers compared by seconds have no rank in epochs. */
typedef struct group {
    const char *name;
    bool paper, in_epochs;
} group;

typedef struct table {
    int64_t N, k;
    int solver[SPD_RACE_SOLVERS_MAX];
    double *value;        /* N x k */
    double *a, *b;        /* N each */
    double *p, *adjusted; /* k(k-1)/2 each */
    double *mean_rank;    /* k */
    int64_t *order;       /* k(k-1)/2 */
} table;

static bool took_part(const spd_race *race, int task, int solver, group g) {
    if (g.paper && !spd_race_of_paper(race->solver[solver])) return false;
    if (g.in_epochs && spd_race_by_seconds(race->solver[solver])) return false;
    for (int64_t i = 0; i < race->problems; i++)
        for (int64_t r = 0; race->problem[i].task == task && r < race->o.repeats; r++)
            if (race->problem[i].entry[solver].run[r].trace.points > 0) return true;
    return false;
}

static bool table_new(table *t, const spd_race *race, int task, group g) {
    *t = (table){0};
    for (int64_t i = 0; i < race->problems; i++) t->N += race->problem[i].task == task;
    for (int s = 0; s < race->solvers; s++)
        if (took_part(race, task, s, g)) t->solver[t->k++] = s;
    const int64_t pairs = t->k * (t->k - 1) / 2;
    t->value = SPD_NEW(double, t->N * t->k);
    t->a = SPD_NEW(double, t->N);
    t->b = SPD_NEW(double, t->N);
    t->p = SPD_NEW(double, pairs);
    t->adjusted = SPD_NEW(double, pairs);
    t->mean_rank = SPD_NEW(double, t->k);
    t->order = SPD_NEW(int64_t, pairs);
    return t->value && t->a && t->b && t->p && t->adjusted && t->mean_rank && t->order;
}

static void table_free(table *t) { SPD_FREE_ALL(t->value, t->a, t->b, t->p, t->adjusted, t->mean_rank, t->order); }

/* False if no solver reached anything. */
static bool fill(table *t, const spd_race *race, int task, measure m) {
    int64_t row = 0;
    bool any = false;
    for (int64_t i = 0; i < race->problems; i++) {
        if (race->problem[i].task != task) continue;
        for (int64_t j = 0; j < t->k; j++) {
            t->value[row * t->k + j] = mean_of(race, &race->problem[i], t->solver[j], m);
            any = any || isfinite(t->value[row * t->k + j]);
        }
        row++;
    }
    return any;
}

static json_t *solvers_json(const table *t, const spd_race *race) {
    json_t *out = json_array();
    for (int64_t j = 0; j < t->k; j++) {
        int64_t wins = 0;
        for (int64_t i = 0; i < t->N; i++) {
            double best = INFINITY;
            for (int64_t l = 0; l < t->k; l++) best = fmin(best, t->value[i * t->k + l]);
            wins += isfinite(best) && t->value[i * t->k + j] == best;
        }
        spd_json_append(&out, json_pack("{s:s, s:o, s:I}", "solver", race->solver[t->solver[j]], "mean_rank",
                                        spd_json_number(t->mean_rank[j]), "wins", (json_int_t)wins));
    }
    return out;
}

static spdhg_status test_pairs(table *t, spdhg_error *err) {
    int64_t pair = 0;
    for (int64_t j = 0; j < t->k; j++)
        for (int64_t l = j + 1; l < t->k; l++) {
            for (int64_t i = 0; i < t->N; i++) t->a[i] = t->value[i * t->k + j], t->b[i] = t->value[i * t->k + l];
            SPD_TRY(spd_wilcoxon(t->a, t->b, t->N, &t->p[pair++], err));
        }
    spd_holm(t->p, pair, t->adjusted, t->order);
    return SPDHG_OK;
}

static json_t *pairs_json(const table *t, const spd_race *race) {
    json_t *out = json_array();
    int64_t pair = 0;
    for (int64_t j = 0; j < t->k; j++)
        for (int64_t l = j + 1; l < t->k; l++, pair++) {
            json_int_t first = 0, second = 0;
            for (int64_t i = 0; i < t->N; i++) {
                first += t->value[i * t->k + j] < t->value[i * t->k + l];
                second += t->value[i * t->k + j] > t->value[i * t->k + l];
            }
            spd_json_append(&out, json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:f}", "a", race->solver[t->solver[j]], "b",
                                            race->solver[t->solver[l]], "wins_a", first, "wins_b", second, "ties",
                                            (json_int_t)t->N - first - second, "p", t->p[pair], "p_holm", t->adjusted[pair]));
        }
    return out;
}

static spdhg_status judge(table *t, const spd_race *race, int task, group g, measure m, json_t **out, spdhg_error *err) {
    static const char *const text[] = {"suboptimality at the last epoch", "test loss at the last epoch", "seconds to",
                                       "epochs to"};
    if (!fill(t, race, task, m)) return SPDHG_OK;
    double chi2, p;
    char name[64];
    SPD_TRY(spd_friedman(t->value, t->N, t->k, t->mean_rank, &chi2, &p, err));
    SPD_TRY(test_pairs(t, err));
    if (m.kind < SECONDS)
        snprintf(name, sizeof name, "%s", text[m.kind]);
    else
        snprintf(name, sizeof name, "%s 1e%d", text[m.kind], (int)lround(log10(m.level)));
    json_t *entry = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:o, s:{s:o, s:I, s:o}, s:{s:f, s:o}, s:o}", "task", spd_race_task_name[task], "protocol",
        race->o.protocol, "among", g.name, "measure", name, "data_sets", (json_int_t)t->N, "solvers", solvers_json(t, race),
        "friedman", "chi2", spd_json_number(chi2), "degrees", (json_int_t)t->k - 1, "p", spd_json_number(p), "nemenyi", "alpha",
        0.05, "critical_difference", spd_json_number(spd_nemenyi(t->N, t->k, 0.05)), "pairs", pairs_json(t, race));
    spd_json_append(out, entry);
    return *out ? SPDHG_OK : spd_fail_memory(err, 1000);
}

/* The tests of one task among a group, for every measure. */
static spdhg_status judge_group(const spd_race *race, int task, group g, json_t **out, spdhg_error *err) {
    table t;
    spdhg_status status = table_new(&t, race, task, g) ? SPDHG_OK : spd_fail_memory(err, 1000);
    const int first = g.in_epochs ? EPOCHS : SUBOPTIMALITY, last = g.in_epochs ? EPOCHS : SECONDS;
    for (int kind = first; kind <= last && t.k > 1 && status == SPDHG_OK; kind++)
        for (int level = 0; level < (kind < SECONDS ? 1 : SPD_RACE_LEVELS) && status == SPDHG_OK; level++)
            status = judge(&t, race, task, g, (measure){(measure_kind)kind, spd_race_level[level]}, out, err);
    table_free(&t);
    return status;
}

json_t *spd_race_statistics(const spd_race *race, spdhg_error *err) {
    static const group all[] = {{"all", false, false}, {"all", false, true}, {"paper", true, false}, {"paper", true, true}};
    bool others = false;
    for (int s = 0; s < race->solvers; s++) others = others || !spd_race_of_paper(race->solver[s]);
    json_t *out = json_array();
    spdhg_status status = out ? SPDHG_OK : spd_fail_memory(err, 1000);
    for (int i = 0; i < race->tasks; i++)
        for (size_t g = 0; g < sizeof all / sizeof *all && status == SPDHG_OK; g++)
            if (!all[g].paper || others) status = judge_group(race, race->task[i], all[g], &out, err);
    if (status == SPDHG_OK) return out;
    json_decref(out);
    return NULL;
}
