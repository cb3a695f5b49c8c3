/* test_anchors.c - signals of thousands of points (A with one entry in each row) with structures whose rows have three or more
 * entries: without ridge, the rows of A absorb the certificate's v. The optimum is known by construction: take any x, any y in
 * the ball with y_e = lambda sign((F x)_e) where (F x)_e is nonzero, and loss (z - b)^2/2. Then x is optimal for
 *     b = x + W F'y / w. */
#include "small.h"

typedef struct signal {
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *problem;
    spd_evaluator evaluator;
    double *x, *y;
} signal;

enum { POINTS = 2500, KNOT_EVERY = 100 };
static const double LAMBDA = 0.02;

/* Column j of A has a single entry a_j, in row j. outlying: Huber loss, with b moved further away where |alpha| is largest. */
static signal signal_make(const char *structure, const double *a, bool intercept, const double *w, double outlying) {
    signal s = {.x = SPD_NEW(double, POINTS), .y = SPD_NEW(double, POINTS)};
    int64_t *ptr = SPD_NEW(int64_t, POINTS + 1);
    int32_t *idx = SPD_NEW(int32_t, POINTS);
    double *b = SPD_NEW(double, POINTS), *Fy = SPD_NEW(double, POINTS), *Fx = SPD_NEW(double, POINTS), W = 0, top = 0;
    GOOD(spdhg_structure_new(&s.F, structure, POINTS, &good_err));
    const spd_csr *F = &s.F->F;
    for (int64_t j = 0, knots = 0; j < POINTS; j++) { /* linear between knots, with exactly representable values */
        knots += j % KNOT_EVERY == 0;
        s.x[j] = ldexp((double)(knots * (j - KNOT_EVERY * (knots / 2))), -8);
        W += w ? w[j] : 1;
        ptr[j + 1] = j + 1;
        idx[j] = (int32_t)j;
    }
    spd_csr_apply(F, 1, s.x, Fx);
    for (int64_t e = 0; e < F->m; e++) {
        const double free = 0.3 * sin((double)e) + 0.3 * small_normal(5, e);
        s.y[e] = LAMBDA * (Fx[e] > 1e-9 ? 1 : Fx[e] < -1e-9 ? -1 : fmax(-0.99, fmin(0.99, free)));
    }
    spd_csr_apply_transposed(F, 1, s.y, Fy);
    for (int64_t j = 0; j < POINTS; j++) top = fmax(top, fabs(W * Fy[j] / (w ? w[j] : 1)));
    for (int64_t j = 0; j < POINTS; j++) { /* alpha = -W F'y / (w a) = a x - b */
        const double alpha = -W * Fy[j] / ((w ? w[j] : 1) * a[j]);
        b[j] = a[j] * s.x[j] - alpha * (outlying > 0 && fabs(alpha) == top ? 1 + outlying : 1);
    }
    char spec[64] = "squared";
    if (outlying > 0) snprintf(spec, sizeof spec, "huber:%.17g", top);
    GOOD(spdhg_data_from_csr(&s.data, POINTS, POINTS, ptr, idx, a, b, 1, SPDHG_COPY, &good_err));
    if (w) GOOD(spdhg_data_set_weights(s.data, w, &good_err));
    GOOD(spdhg_problem_new(&s.problem, s.data, spec, &good_err));
    GOOD(spdhg_problem_term(s.problem, "l1", s.F, LAMBDA, NULL, &good_err));
    GOOD(spdhg_problem_intercept(s.problem, intercept, &good_err));
    GOOD(spd_problem_freeze(s.problem, &good_err));
    GOOD(spd_evaluator_new(&s.evaluator, s.problem, NULL, 1, &good_err));
    void *const arrays[] = {ptr, idx, b, Fy, Fx};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) spd_free(arrays[i]);
    return s;
}

static void signal_free(signal *s) {
    spd_evaluator_free(&s->evaluator);
    spdhg_problem_free(s->problem);
    spdhg_structure_free(s->F);
    spdhg_data_free(s->data);
    spd_free(s->x);
    spd_free(s->y);
}

/* The optimum is certified; at a point moved away from it, the gap is at least the increase of the objective. */
static void proves(signal *s) {
    double c = 0;
    spdhg_point best = {0}, moved = {0};
    spd_evaluate(&s->evaluator, s->x, &c, s->y, &best);
    assert_int_equal(s->evaluator.gap.kind, SPD_GAP_CERTIFIED);
    if (!(best.gap <= 1e-7 * best.objective)) fail_msg("gap %g of %g", best.gap, best.objective);
    for (int64_t j = 0; j < POINTS; j++) s->x[j] += 0.1 * small_normal(9, j);
    spd_evaluate(&s->evaluator, s->x, &c, s->y, &moved);
    assert_true(moved.gap >= moved.objective - best.objective - 1e-12 * fabs(best.objective));
}

static void test_signals(void **state) {
    (void)state;
    static const char *const structure[] = {"trend:1", "trend:2", "chain"};
    double one[POINTS], any[POINTS], w[POINTS];
    for (int64_t j = 0; j < POINTS; j++) {
        one[j] = 1;
        any[j] = small_normal(1, j) > 0 ? 0.5 + fabs(small_normal(2, j)) : -2 - fabs(small_normal(3, j));
        w[j] = exp(small_normal(4, j));
    }
    for (int which = 0; which < 12; which++) {
        signal s = signal_make(structure[which % 3], which < 6 ? one : any, which >= 3 && which < 6, which >= 9 ? w : NULL, 0);
        proves(&s);
        signal_free(&s);
    }
}

/* alpha is at the boundary of its domain in some rows: everything must be scaled down slightly. */
static void test_outliers(void **state) {
    (void)state;
    double one[POINTS];
    for (int64_t j = 0; j < POINTS; j++) one[j] = 1;
    for (int intercept = 0; intercept < 2; intercept++) {
        signal s = signal_make("trend:1", one, intercept, NULL, 3);
        proves(&s);
        signal_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signals), cmocka_unit_test(test_outliers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
