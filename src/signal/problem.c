/* problem.c - from points to a problem: rows of the identity for the observed values, and F.
 * On a line F has divided differences at the scaled positions t = p/h, where h is the mean spacing, so that its entries are near
 * 1 whatever the unit of p:
 *     D(p) = h^-order D(t)
 * The term's own lambda is therefore h^-order. */
#include <stdlib.h>

#include "signal/signal.h"

bool spd_signal_observed(const spd_signal *s, int64_t point) {
    return !isnan(s->given.value[point]) && spd_signal_weight(s, point) > 0;
}

double spd_signal_position(const spd_signal *s, int64_t point) {
    return s->given.position ? s->given.position[point] : (double)(point + 1);
}

typedef struct ranked {
    double position;
    int64_t point;
} ranked;

static int rising(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->position != b->position) return (a->position > b->position) - (a->position < b->position);
    return (a->point > b->point) - (a->point < b->point);
}

/* order -1: not a line. */
static spdhg_status find_order(const char *structure, int64_t *order, spdhg_error *err) {
    *order = strcmp(structure, "chain") == 0 ? 0 : -1;
    if (!spd_spec_is(structure, "trend")) return SPDHG_OK;
    const char *arg = spd_spec_arg(structure);
    if (arg && spd_to_int(arg, order) && *order >= 0) return SPDHG_OK;
    return spd_fail(err, SPDHG_USAGE, "structure '%s': expected a whole number of at least 0 after 'trend:'", structure);
}

static spdhg_status check(const spd_signal *s, spdhg_error *err) {
    const spdhg_signal *g = &s->given;
    for (int64_t i = 0; i < g->points; i++) {
        if (isinf(g->value[i])) return spd_fail(err, SPDHG_DATA, "value %lld is infinite", (long long)i + 1);
        if (g->weight && (!(g->weight[i] >= 0) || isinf(g->weight[i])))
            return spd_fail(err, SPDHG_DATA, "weight %lld is %g; expected a finite number of at least 0", (long long)i + 1,
                            g->weight[i]);
        if (g->position && !isfinite(g->position[i]))
            return spd_fail(err, SPDHG_DATA, "position %lld is not finite", (long long)i + 1);
    }
    for (int64_t i = 1; s->order > 0 && i < g->points; i++) {
        const int64_t a = s->place[i - 1], b = s->place[i];
        if (spd_signal_position(s, a) == spd_signal_position(s, b))
            return spd_fail(err, SPDHG_DATA, "values %lld and %lld have the same position %g; a trend needs different ones",
                            (long long)a + 1, (long long)b + 1, spd_signal_position(s, a));
    }
    return SPDHG_OK;
}

static spdhg_status sort_places(spd_signal *s, spdhg_error *err) {
    const int64_t n = s->given.points;
    s->place = SPD_NEW(int64_t, n);
    ranked *rank = SPD_NEW(ranked, n);
    const bool good = s->place && rank;
    for (int64_t i = 0; good && i < n; i++) rank[i] = (ranked){s->order >= 0 ? spd_signal_position(s, i) : (double)i, i};
    if (good) qsort(rank, (size_t)n, sizeof *rank, rising);
    for (int64_t i = 0; good && i < n; i++) s->place[i] = rank[i].point;
    spd_free(rank);
    return good ? SPDHG_OK : spd_fail_memory(err, 24.0 * (double)n);
}

spdhg_status spd_signal_open(spd_signal *s, const spdhg_signal *given, const spdhg_denoise_options *options, spdhg_error *err) {
    *s = (spd_signal){.given = *given, .options = *options, .order = -1};
    if (given->points < 1) return spd_fail(err, SPDHG_DATA, "a signal without values");
    if (!given->F) SPD_TRY(find_order(options->structure, &s->order, err));
    if (given->position && s->order < 0)
        return spd_fail(err, SPDHG_USAGE, "positions belong to a line (chain or trend), not to structure '%s'",
                        options->structure);
    spdhg_status status = sort_places(s, err);
    if (status == SPDHG_OK) status = check(s, err);
    if (status == SPDHG_OK && s->order < 0 && !given->F)
        status = spdhg_structure_new(&s->made, options->structure, given->points, err);
    s->F = given->F ? given->F : s->made;
    if (status == SPDHG_OK && s->F && s->F->F.n != given->points)
        status = spd_fail(err, SPDHG_USAGE, "the structure has %lld columns for %lld values", (long long)s->F->F.n,
                          (long long)given->points);
    if (status != SPDHG_OK) spd_signal_close(s);
    return status;
}

void spd_signal_close(spd_signal *s) {
    spdhg_structure_free(s->made);
    spd_free(s->place);
    *s = (spd_signal){0};
}

/* F of a line over the observed points, and h^-order. */
static spdhg_status make_line(spd_signal_problem *p, const spd_signal *s, double *unit, spdhg_error *err) {
    const int64_t n = p->count;
    *unit = 1;
    if (!s->given.position && n == s->given.points) return spdhg_structure_trend(&p->F, s->order, n, NULL, err);
    double *t = SPD_NEW(double, n);
    if (!t) return spd_fail_memory(err, 8.0 * (double)n);
    const double first = spd_signal_position(s, p->point[0]), last = spd_signal_position(s, p->point[n - 1]);
    const double h = n > 1 && last > first ? (last - first) / (double)(n - 1) : 1;
    for (int64_t i = 0; i < n; i++) t[i] = (spd_signal_position(s, p->point[i]) - first) / h;
    *unit = pow(h, (double)-s->order);
    const spdhg_status status = spdhg_structure_trend(&p->F, s->order, n, t, err);
    spd_free(t);
    return status;
}

static spdhg_status make_data(spd_signal_problem *p, const spd_signal *s, spdhg_error *err) {
    const int64_t n = p->count, d = s->order >= 0 ? n : s->given.points;
    int64_t *ptr = SPD_NEW(int64_t, n + 1);
    int32_t *idx = SPD_NEW(int32_t, n);
    double *one = SPD_NEW(double, n), *b = SPD_NEW(double, n), *weight = SPD_NEW(double, n);
    spdhg_status status = ptr && idx && one && b && weight ? SPDHG_OK : spd_fail_memory(err, 40.0 * (double)n);
    for (int64_t i = 0; status == SPDHG_OK && i < n; i++) {
        ptr[i + 1] = i + 1;
        idx[i] = (int32_t)(s->order >= 0 ? i : p->point[i]);
        one[i] = 1;
        b[i] = s->given.value[p->point[i]];
        weight[i] = spd_signal_weight(s, p->point[i]);
        p->W += weight[i];
    }
    if (status == SPDHG_OK) status = spdhg_data_from_csr(&p->data, n, d, ptr, idx, one, b, 1, SPDHG_COPY, err);
    if (status == SPDHG_OK && s->given.weight) status = spdhg_data_set_weights(p->data, weight, err);
    void *const block[] = {ptr, idx, one, b, weight};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) spd_free(block[i]);
    return status;
}

static spdhg_status make(spd_signal_problem *p, const spd_signal *s, const int32_t *fold, int32_t without, spdhg_error *err) {
    p->point = SPD_NEW(int64_t, s->given.points);
    if (!p->point) return spd_fail_memory(err, 8.0 * (double)s->given.points);
    for (int64_t i = 0; i < s->given.points; i++) {
        const int64_t at = s->place[i];
        if (spd_signal_observed(s, at) && !(fold && fold[at] == without)) p->point[p->count++] = at;
    }
    if (p->count == 0) return spd_fail(err, SPDHG_DATA, "there are no values: all are missing");
    double unit = 1;
    if (s->order >= 0) SPD_TRY(make_line(p, s, &unit, err));
    SPD_TRY(make_data(p, s, err));
    SPD_TRY(spdhg_problem_new(&p->problem, p->data, s->options.loss, err));
    if (p->problem->loss->classify)
        return spd_fail(err, SPDHG_USAGE, "loss %s is for labels; a signal needs one for numbers, such as squared or huber",
                        p->problem->loss->name);
    const spdhg_term_options groups = {sizeof groups, NULL, 0, "grid", NULL, 0};
    return spdhg_problem_term(p->problem, s->options.isotropic ? "group" : "l1", s->order >= 0 ? p->F : s->F, unit,
                              s->options.isotropic ? &groups : NULL, err);
}

spdhg_status spd_signal_problem_new(spd_signal_problem *out, const spd_signal *s, const int32_t *fold, int32_t without,
                                    spdhg_error *err) {
    *out = (spd_signal_problem){0};
    const spdhg_status status = make(out, s, fold, without, err);
    if (status != SPDHG_OK) spd_signal_problem_free(out);
    return status;
}

void spd_signal_problem_free(spd_signal_problem *p) {
    spdhg_problem_free(p->problem); /* before the data it points to */
    spdhg_structure_free(p->F);
    spdhg_data_free(p->data);
    spd_free(p->point);
    *p = (spd_signal_problem){0};
}
