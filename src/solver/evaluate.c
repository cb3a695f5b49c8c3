/* evaluate.c - evaluates an iterate: objective on the training rows, loss and score on held-out rows. Outside the timed
 * region. */
#include "problem/rows.h"
#include "solver/solver.h"

/* Held-out rows as a problem of their own: same loss and label map, no terms. */
static spdhg_status make_test(spd_evaluator *e, const spdhg_data *data, spdhg_error *err) {
    const spdhg_problem *p = e->problem;
    spdhg_problem *t = SPD_NEW(spdhg_problem, 1);
    if (!t) return spd_fail_memory(err, sizeof *t);
    e->test = t;
    spd_data_whole(data);
    t->data = data;
    t->n = data->rows;
    t->d = data->features;
    t->K = p->K;
    t->loss = p->loss;
    t->loss_arg = p->loss_arg;
    t->targets = p->targets;
    t->val = data->val;
    t->W = (double)t->n;
    if (data->offset && data->offsets != p->K)
        return spd_fail(err, SPDHG_DATA, "the held-out offsets have %lld columns, the model has %lld outputs",
                        (long long)data->offsets, (long long)p->K);
    SPD_TRY(spd_map_targets(p, data, &t->b_made, err));
    t->b = t->b_made;
    if (data->weight) {
        t->weight = spd_copy(data->weight, t->n, sizeof(double));
        if (!t->weight) return spd_fail_memory(err, 8.0 * (double)t->n);
        t->W = spd_sum(t->n, t->weight);
    }
    const int64_t features = t->d > p->d ? t->d : p->d;
    e->test_x = SPD_NEW(double, features * t->K);
    return e->test_x ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)features * (double)t->K);
}

spdhg_status spd_evaluator_new(spd_evaluator *e, const spdhg_problem *p, const spdhg_data *test, int threads, spdhg_error *err) {
    *e = (spd_evaluator){.problem = p, .threads = threads};
    spdhg_status status = test ? make_test(e, test, err) : SPDHG_OK;
    int64_t size = spd_problem_value_work(p);
    if (status == SPDHG_OK && e->test && spd_problem_value_work(e->test) > size) size = spd_problem_value_work(e->test);
    e->scratch = SPD_NEW(double, size);
    e->slope = SPD_NEW(double, p->n * p->K);
    e->curve = SPD_NEW(double, p->n * p->K);
    if (status == SPDHG_OK && (!e->scratch || !e->slope || !e->curve)) status = spd_fail_memory(err, 8.0 * (double)size);
    if (status == SPDHG_OK) status = spd_recession_find(&e->recession, p, err);
    if (status == SPDHG_OK) status = spd_certifier_new(&e->certifier, p, threads, e->recession.forced, false, err);
    if (status != SPDHG_OK) spd_evaluator_free(e);
    return status;
}

/* Weighted accuracy (classification) or R^2 (regression) of scores z + c. */
static double score(const spdhg_problem *t, const double *z) {
    double right = 0, residual = 0, total = 0;
    for (int64_t k = 0; k < t->targets && !t->loss->classify; k++) {
        double mean = 0;
        for (int64_t i = 0; i < t->n; i++) mean += (t->weight ? t->weight[i] : 1) * t->b[i * t->targets + k] / t->W;
        for (int64_t i = 0; i < t->n; i++) {
            const double w = t->weight ? t->weight[i] : 1, b = t->b[i * t->targets + k];
            const double mean_b = spd_loss_mean(t->loss, t->loss_arg, z[i * t->K + k]);
            residual += w * (b - mean_b) * (b - mean_b);
            total += w * (b - mean) * (b - mean);
        }
    }
    if (!t->loss->classify) return total > 0 ? 1 - residual / total : NAN;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t best = 0;
        for (int64_t k = 1; k < t->K; k++)
            if (z[i * t->K + k] > z[i * t->K + best]) best = k;
        const bool good = t->loss->value ? (z[i] > 0) == (t->b[i] > 0) : (double)best == t->b[i];
        right += good ? (t->weight ? t->weight[i] : 1) : 0;
    }
    return right / t->W;
}

static void evaluate_test(spd_evaluator *e, const double *x, const double *c, spdhg_point *point) {
    const spdhg_problem *p = e->problem;
    spdhg_problem *t = e->test;
    const int64_t K = p->K;
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < K; k++) e->test_x[j * K + k] = x[j * K + k] / (p->scale ? p->scale[j] : 1);
    double *z = e->scratch;
    if (p->centre.count == 0)
        spd_problem_scores(t, e->threads, e->test_x, z);
    else
        for (int64_t i = 0; i < t->n; i++) {
            for (int64_t k = 0; k < K; k++) z[i * K + k] = t->data->offset ? t->data->offset[i * K + k] : 0;
            spd_centre_score(&p->centre, t->data, i, 0, p->d, K, e->test_x, z + i * K);
        }
    double loss = 0;
    for (int64_t i = 0; i < t->n; i++) {
        for (int64_t k = 0; k < K; k++) z[i * K + k] += c[k];
        loss += (t->weight ? t->weight[i] : 1) * spd_loss_value(t->loss, t->loss_arg, K, z + i * K, t->b + i * t->targets);
    }
    point->test_loss = loss / t->W;
    point->test_score = score(t, z);
}

/* Whether the alpha offered by a solver proves a gap that ends the run; its first bracket alone shows whether it is worth a try.
 * At a corner of the loss phi'(z) says nothing, and own_alpha is taken as it is. */
static bool own_alpha_will_do(spd_evaluator *e, const spd_trial *at, const double *y) {
    const spdhg_problem *p = e->problem;
    spd_certifier *c = &e->certifier;
    const double goal = c->enough * spd_gap_scale(c, at->objective);
    const bool corners = spd_problem_has_corners(p);
    if (!e->own_alpha || (goal == 0 && !corners)) return false;
    memcpy(c->alpha, e->own_alpha, (size_t)(p->n * p->K) * sizeof *c->alpha);
    c->low = NULL; /* it belongs to another alpha */
    if (!corners && !(spd_dual_fenchel(c, at->z) <= goal)) return false;
    c->slopes = false;
    spd_certify(c, at, y, &e->gap);
    return corners || (e->gap.kind == SPD_GAP_CERTIFIED && e->gap.gap <= goal);
}

/* The gap at (x, c, y), with the scores that spd_problem_value left. */
static void prove(spd_evaluator *e, const double *x, const double *c, const double *y, spdhg_point *point) {
    const spdhg_problem *p = e->problem;
    double *z = spd_problem_value_scores(p, e->scratch);
    if (p->intercept) spd_problem_shift(p, c, z);
    const spd_trial at = {.x = x,
                          .constants = c,
                          .z = z,
                          .Fx = e->scratch,
                          .loss = point->train_loss,
                          .penalty = point->penalty,
                          .objective = point->objective};
    spd_gap_refer(&e->certifier, x, z);
    if (!own_alpha_will_do(e, &at, y)) {
        memcpy(e->certifier.alpha, e->slope, (size_t)(p->n * p->K) * sizeof *e->slope);
        e->certifier.slopes = true;
        spd_certify(&e->certifier, &at, y, &e->gap);
    }
    point->objective = e->gap.objective;
    point->train_loss = e->gap.loss;
    point->penalty = e->gap.penalty;
    point->gap = e->gap.kind == SPD_GAP_CERTIFIED ? e->gap.gap : NAN; /* a trace does not name the kind: only this one counts */
}

void spd_evaluate(spd_evaluator *e, const double *x, double *c, const double *y, spdhg_point *point) {
    spd_value value;
    spd_problem_value(e->problem, e->threads, x, c, e->slope, e->curve, e->scratch, &value, e->certifier.stop);
    point->objective = value.objective;
    point->train_loss = value.loss;
    point->penalty = value.penalty;
    prove(e, x, c, y, point);
    const bool known = e->certifier.gradient;
    e->evaluation = (spd_evaluation){.z = e->test ? NULL : spd_problem_value_scores(e->problem, e->scratch),
                                     .curve = e->curve,
                                     .slope = e->slope,
                                     .g = known ? e->certifier.g : NULL,
                                     .gc = known ? e->certifier.gc : NULL,
                                     .c = c,
                                     .loss = value.loss};
    point->dual_norm = spd_norm2(e->problem->m * e->problem->K, y);
    point->test_loss = point->test_score = NAN;
    if (e->test) evaluate_test(e, x, c, point);
}

const char *spd_gap_kind_name(spd_gap_kind kind) {
    static const char *const name[] = {
        [SPD_GAP_NONE] = "none", [SPD_GAP_CERTIFIED] = "certified", [SPD_GAP_WITHIN_RADIUS] = "within_radius"};
    return name[kind];
}

static const double LEAST_GAP = 1e-300; /* the bound on rounding cannot be smaller: numbers this small may lose as much */

double spd_evaluate_gap(const spd_evaluator *e) { return e->gap.kind == SPD_GAP_NONE ? NAN : e->gap.gap; }

double spd_evaluate_relative(const spd_evaluator *e, const spdhg_point *point) {
    const double gap = spd_evaluate_gap(e);
    const double scale = spd_gap_scale(&e->certifier, point->objective);
    if (scale == 0 && gap <= LEAST_GAP) return 0; /* f(0) is the optimum, and 0 */
    return gap / scale;
}

spdhg_status spdhg_duality_gap(spdhg_problem *p, int threads, const double *x, double *c, const double *y, spdhg_gap *out,
                               spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    SPD_TRY(spd_problem_freeze(p, err));
    if (!spd_all_finite(p->dK, x) || (c && !spd_all_finite(p->K, c)) || (y && !spd_all_finite(p->m * p->K, y)))
        return spd_fail(err, SPDHG_DATA, "the point is not finite");
    double *none = SPD_NEW(double, p->m * p->K + p->K), *best = none ? none + p->m * p->K : NULL;
    if (!none) return spd_fail_memory(err, 8.0 * (double)(p->m * p->K));
    spd_evaluator e;
    spdhg_point point = {0};
    const spdhg_status status = spd_evaluator_new(&e, p, NULL, spd_threads(threads), err);
    if (status == SPDHG_OK) {
        if (c) memcpy(best, c, (size_t)p->K * sizeof *c);
        spd_problem_c_inward(p, x, best);
        e.certifier.worth = INFINITY;
        spd_evaluate(&e, x, best, y ? y : none, &point);
        spd_problem_c_outward(p, x, best);
        if (c) memcpy(c, best, (size_t)p->K * sizeof *c);
        *out = (spdhg_gap){.gap = spd_evaluate_gap(&e),
                           .relative = spd_evaluate_relative(&e, &point),
                           .radius = e.gap.kind == SPD_GAP_WITHIN_RADIUS ? e.gap.radius : NAN,
                           .kind = spd_gap_kind_name(e.gap.kind),
                           .objective = point.objective,
                           .train_loss = point.train_loss,
                           .penalty = point.penalty};
        spd_evaluator_free(&e);
    }
    spd_free(none);
    return status;
}

/* Number of entries of Fx with |F_e x| > factor |F_e|, where |F_e| is the norm of the row. */
static int64_t count_larger(const spdhg_problem *p, const double *x, double factor) {
    int64_t count = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        const double norm = spd_norm2(r.row.n, r.row.val);
        for (int64_t k = 0; k < p->K; k++) {
            double sum = 0;
            for (int64_t q = 0; q < r.row.n; q++) sum += r.row.val[q] * x[r.row.idx[q] * p->K + k];
            count += fabs(sum) > factor * norm;
        }
    }
    return count;
}

int64_t spd_evaluate_structure_nonzeros(const spd_evaluator *e, const double *x) {
    return count_larger(e->problem, x, spd_zero_within(spd_norm2(e->problem->dK, x)));
}

/* f(x) - f* >= (gamma/2)||x - x*||^2 for x in X, hence the radius
 *     sqrt(2 gap/gamma)
 * where the gap includes rounding. A projection may have left x outside X by its own rounding. */
double spd_evaluate_radius(const spd_evaluator *e, const double *x) {
    return sqrt(2 * e->gap.gap / e->problem->gamma) * (1 + 4 * DBL_EPSILON) + 4 * DBL_EPSILON * spd_norm2(e->problem->dK, x);
}

int64_t spd_evaluate_signs(const spd_evaluator *e, const double *x, double radius) { return count_larger(e->problem, x, radius); }

void spd_evaluator_free(spd_evaluator *e) {
    spdhg_problem_free(e->test);
    spd_certifier_free(&e->certifier);
    spd_recession_free(&e->recession);
    SPD_FREE_ALL(e->test_x, e->scratch, e->slope, e->curve);
    *e = (spd_evaluator){0};
}
