/* test_evaluate.c - what an evaluation says of a point, against the definitions of docs/problem.md written out here: objective,
 * its parts, loss and score of held-out rows (weights, offsets, several outputs, scaled columns,
 * columns far from 0), and the gap. */
#include "small.h"

enum { N = 17, HELD = 30, D = 5, WIDE = 3 };

typedef struct setting {
    const char *loss;
    int64_t classes, targets;
    bool weights, offset, standardize, far;
    double lambda, gamma;
} setting;

static const setting all[] = {
    {"squared", 0, 1, false, false, false, false, 0.1, 0.2}, {"squared", 0, 2, true, true, false, false, 0.1, 0.2},
    {"logistic", 2, 1, true, true, true, false, 0.1, 0.2},   {"logistic", 2, 1, false, true, false, true, 0.1, 0.2},
    {"softmax", 3, 1, true, true, false, false, 0.05, 0.1},  {"poisson", 0, 1, true, false, false, false, 0.05, 0.1}};
enum { SETTINGS = sizeof all / sizeof *all };

static int64_t outputs_of(const setting *o) { return o->classes > 2 ? o->classes : o->targets; }

/* Data of n rows; the numbers depend on the seed. */
typedef struct sample {
    double a[HELD * D], b[HELD * 2], w[HELD], off[HELD * WIDE];
    spdhg_data *data;
} sample;

static void draw(sample *s, const setting *o, int64_t n, uint64_t seed) {
    const int64_t K = outputs_of(o);
    for (int64_t q = 0; q < n * D; q++) s->a[q] = small_normal(seed, q) + (o->far && q % D == 1 ? 1e5 : 0);
    for (int64_t i = 0; i < n; i++) {
        s->w[i] = 0.5 + (double)((i + (int64_t)seed) % 4);
        for (int64_t t = 0; t < o->targets; t++) {
            const double noise = small_normal(seed + 1, i * 2 + t);
            s->b[i * o->targets + t] = o->classes == 2                   ? noise > 0.2
                                       : o->classes > 2                  ? (double)((i + (noise > 0)) % o->classes)
                                       : strcmp(o->loss, "poisson") == 0 ? floor(fabs(3 * noise))
                                                                         : noise + 0.7 * (double)t;
        }
        for (int64_t k = 0; k < K; k++) s->off[i * K + k] = 0.3 * small_normal(seed + 2, i * K + k);
    }
    GOOD(spdhg_data_from_csr(&s->data, n, D, NULL, NULL, s->a, s->b, o->targets, SPDHG_COPY, &good_err));
    if (o->weights) GOOD(spdhg_data_set_weights(s->data, s->w, &good_err));
    if (o->offset) GOOD(spdhg_data_set_offsets(s->data, s->off, K, &good_err));
}

/* phi(z, b), b as in the data. */
static long double phi(const setting *o, int64_t K, const long double *z, const double *b) {
    long double sum = 0;
    if (o->classes == 2) return log1pl(expl(-(b[0] > 0 ? 1 : -1) * z[0]));
    if (o->classes > 2) {
        for (int64_t k = 0; k < K; k++) sum += expl(z[k]);
        return logl(sum) - z[(int64_t)b[0]];
    }
    if (strcmp(o->loss, "poisson") == 0) return expl(z[0]) - b[0] * z[0] + (b[0] > 0 ? b[0] * logl(b[0]) : 0) - b[0];
    for (int64_t k = 0; k < K; k++) sum += (z[k] - b[k]) * (z[k] - b[k]) / 2;
    return sum;
}

/* Mean loss of the rows, and the score: weighted accuracy, or R^2 about the weighted mean of each target. */
static long double judge(const setting *o, const sample *s, int64_t n, const double *x, const double *c, double *score) {
    const int64_t K = outputs_of(o);
    long double loss = 0, total = 0, right = 0, left = 0, spread = 0, mean[2] = {0};
    for (int64_t i = 0; i < n; i++) total += o->weights ? s->w[i] : 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < o->targets; t++) mean[t] += (o->weights ? s->w[i] : 1) * s->b[i * o->targets + t] / total;
    for (int64_t i = 0; i < n; i++) {
        const double w = o->weights ? s->w[i] : 1, *b = s->b + i * o->targets;
        long double z[WIDE];
        int64_t best = 0;
        for (int64_t k = 0; k < K; k++) {
            z[k] = c[k] + (long double)(o->offset ? s->off[i * K + k] : 0);
            for (int64_t j = 0; j < D; j++) z[k] += (long double)s->a[i * D + j] * x[j * K + k];
            if (z[k] > z[best]) best = k;
        }
        loss += w * phi(o, K, z, b);
        right += w * (o->classes == 2 ? (z[0] > 0) == (b[0] > 0) : (double)best == b[0]);
        for (int64_t t = 0; t < o->targets; t++) {
            const long double expected = strcmp(o->loss, "poisson") == 0 ? expl(z[t]) : z[t];
            left += w * (b[t] - expected) * (b[t] - expected);
            spread += w * (b[t] - mean[t]) * (b[t] - mean[t]);
        }
    }
    *score = (double)(o->classes ? right / total : 1 - left / spread);
    return loss / total;
}

/* Column j of the data is divided by this where it is scaled: the weighted standard deviation, divisor W. */
static double spread_of(const sample *s, bool weights, int64_t j) {
    long double total = 0, mean = 0, square = 0;
    for (int64_t i = 0; i < N; i++) total += weights ? s->w[i] : 1;
    for (int64_t i = 0; i < N; i++) mean += (weights ? s->w[i] : 1) * s->a[i * D + j] / total;
    for (int64_t i = 0; i < N; i++) square += (weights ? s->w[i] : 1) * powl(s->a[i * D + j] - mean, 2) / total;
    return (double)sqrtl(square);
}

static void near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance * (1 + fabs(expected)))) fail_msg("found %.17g, expected %.17g", found, expected);
}

static void test_point(void **state) {
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        const setting *o = &all[i];
        const int64_t K = outputs_of(o);
        sample train, held;
        draw(&train, o, N, 10 + (uint64_t)i);
        draw(&held, o, HELD, 50 + (uint64_t)i);
        spdhg_structure *F;
        spdhg_problem *p;
        GOOD(spdhg_structure_new(&F, "chain", D, &good_err));
        GOOD(spdhg_problem_new(&p, train.data, o->loss, &good_err));
        GOOD(spdhg_problem_term(p, "l1", F, o->lambda, NULL, &good_err));
        GOOD(spdhg_problem_ridge(p, o->gamma, &good_err));
        GOOD(spdhg_problem_intercept(p, true, &good_err));
        GOOD(spdhg_problem_standardize(p, o->standardize, &good_err));
        GOOD(spd_problem_freeze(p, &good_err));
        assert_int_equal(p->centre.count > 0, o->far);
        spd_evaluator e;
        GOOD(spd_evaluator_new(&e, p, held.data, 1, &good_err));

        double x[D * WIDE], y[D * WIDE], c[WIDE] = {0}, plain[D * WIDE], score, work[64];
        for (int64_t q = 0; q < D * K; q++) x[q] = 0.3 * small_normal(90, q), y[q] = small_normal(91, q);
        if (o->far) x[K] = 1e-4; /* the column far from 0 has a modest effect */
        assert_true(spd_problem_term_work(p) <= 64);
        spd_problem_project_dual(p, y, work);
        spdhg_point point = {0};
        spd_evaluate(&e, x, c, y, &point);

        double constants[WIDE], ridge = 0, penalty = 0, square = 0;
        memcpy(constants, c, sizeof constants);
        spd_problem_c_outward(p, x, constants);
        for (int64_t q = 0; q < D * K; q++) {
            plain[q] = x[q] / (o->standardize ? spread_of(&train, o->weights, q / K) : 1);
            ridge += o->gamma / 2 * x[q] * x[q];
            if (q >= K) penalty += o->lambda * fabs(x[q] - x[q - K]);
        }
        for (int64_t q = 0; q < (D - 1) * K; q++) square += y[q] * y[q];
        const double tolerance = o->far ? 1e-9 : 1e-13;
        const long double loss = judge(o, &train, N, plain, constants, &score);
        near(point.train_loss, (double)loss, tolerance);
        near(point.penalty, penalty, 1e-13);
        near(point.objective, (double)loss + ridge + penalty, tolerance);
        near(point.dual_norm, sqrt(square), 1e-13);
        near(point.test_loss, (double)judge(o, &held, HELD, plain, constants, &score), tolerance);
        near(point.test_score, score, tolerance);
        assert_null(e.evaluation.z); /* the scores of the training rows are overwritten by those of the held-out ones */
        assert_ptr_equal(e.evaluation.c, c);
        near(e.evaluation.loss, (double)loss, tolerance);
        /* c is the best: no other is better */
        for (int64_t k = 0; k < K; k++)
            for (int side = -1; side <= 1; side += 2) {
                double other[WIDE];
                memcpy(other, constants, sizeof other);
                other[k] += side * 1e-3;
                assert_true(judge(o, &train, N, plain, other, &score) >= loss - 1e-12L);
            }
        spd_evaluator_free(&e);
        spdhg_problem_free(p);
        spdhg_structure_free(F);
        spdhg_data_free(train.data);
        spdhg_data_free(held.data);
    }
}

/* Offsets of the held-out rows for another number of outputs are refused. */
static void test_wrong_offsets(void **state) {
    (void)state;
    const setting one = {"squared", 0, 1, false, false, false, false, 0.1, 0},
                  two = {"squared", 0, 2, false, true, false, false, 0, 0};
    sample train, held;
    draw(&train, &one, N, 1);
    draw(&held, &one, HELD, 2);
    double offsets[2 * HELD] = {0};
    GOOD(spdhg_data_set_offsets(held.data, offsets, outputs_of(&two), &good_err));
    spdhg_problem *p;
    GOOD(spdhg_problem_new(&p, train.data, "squared", &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    spd_evaluator e;
    spdhg_error err;
    assert_int_equal(spd_evaluator_new(&e, p, held.data, 1, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "the held-out offsets have 2 columns, the model has 1 outputs"));
    spdhg_problem_free(p);
    spdhg_data_free(train.data);
    spdhg_data_free(held.data);
}

/* Squared loss, rows = columns, no penalty, b = A x: f is 0 at x. The gap there is relative to 2^-53/1e-6 times f(0) (or more, if
 * the scores are large), not to 0. The evaluation hands on scores, slopes and curvatures: z, z - b and 1. */
static void test_relative_to_zero(void **state) {
    (void)state;
    enum { n = 6 };
    double a[n * n], b[n] = {0}, x[n], zero[n] = {0}, c = 0, square = 0;
    for (int q = 0; q < n * n; q++) a[q] = small_normal(5, q);
    for (int j = 0; j < n; j++) x[j] = small_normal(6, j);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) b[i] += a[i * n + j] * x[j];
        square += b[i] * b[i] / (2 * n);
    }
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    GOOD(spdhg_data_from_csr(&data, n, n, NULL, NULL, a, b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_new(&F, "identity", n, &good_err));
    GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
    GOOD(spdhg_problem_term(p, "l1", F, 1e-9, NULL, &good_err));
    GOOD(spdhg_problem_ridge(p, 1e-3, &good_err));
    GOOD(spdhg_problem_intercept(p, false, &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    spd_evaluator e;
    GOOD(spd_evaluator_new(&e, p, NULL, 1, &good_err));
    spdhg_point point = {0};
    spd_evaluate(&e, x, &c, zero, &point);
    for (int i = 0; i < n; i++) {
        near(e.evaluation.z[i], b[i], 1e-14);
        near(e.evaluation.slope[i], 0, 1e-14);
        near(e.evaluation.curve[i], 1, 0);
    }
    for (int j = 0; j < n; j++) x[j] = 0;
    spd_evaluate(&e, x, &c, zero, &point);
    near(point.objective, square, 1e-14);
    assert_true(point.gap > 0 && e.certifier.reference >= 0.999 * 0x1p-53 / 1e-6 * square);
    assert_true(spd_evaluate_relative(&e, &(spdhg_point){.objective = 0}) <= 1.001 * point.gap / (0x1p-53 / 1e-6 * square));
    spd_evaluator_free(&e);
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

/* The three rows of docs/certificate.md: what is proven holds within a radius only, and a trace does not show it. Entries of F x
 * are counted by hand: of (1, 1, 3, 3 + 1e-20, 0) two differences are not 0, and one is larger than 2.5 times sqrt 2. */
static void test_kinds_and_counts(void **state) {
    (void)state;
    const double a[] = {1, 1.0000000000001, -2, 1.9999999999998, 1, 3.0000000000001}, b[] = {1, 1, 1};
    const double x[] = {0, 0}, y[] = {0};
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    GOOD(spdhg_data_from_csr(&data, 3, 2, NULL, NULL, a, b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_new(&F, "chain", 2, &good_err));
    GOOD(spdhg_problem_new(&p, data, "huber:1e-3", &good_err));
    GOOD(spdhg_problem_term(p, "l1", F, 0, NULL, &good_err));
    GOOD(spdhg_problem_intercept(p, false, &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    spd_evaluator e;
    GOOD(spd_evaluator_new(&e, p, NULL, 1, &good_err));
    spdhg_point point = {0};
    double c = 0;
    spd_evaluate(&e, x, &c, y, &point);
    assert_int_equal(isnan(point.gap), e.gap.kind != SPD_GAP_CERTIFIED);
    spd_evaluator_free(&e);
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);

    const small_spec chain = SMALL(20, 5, 1, "squared", "l1", "chain", 0.1, .gamma = 1);
    small s = small_make(&chain, 3);
    const double steps[] = {1, 1, 3, 3 + 1e-20, -0.7};
    GOOD(spd_evaluator_new(&e, s.problem, NULL, 1, &good_err));
    assert_int_equal(spd_evaluate_structure_nonzeros(&e, steps), 2);
    assert_int_equal(spd_evaluate_signs(&e, steps, 2.5), 1);
    assert_int_equal(spd_evaluate_signs(&e, steps, 1.4), 2);
    spd_evaluator_free(&e);
    small_free(&s);
}

/* Scores that cancel: a_i'x of two columns near 1e8, at the minimiser, so that all that is left of the gap is rounding.
 * Ordinary sums are off by 1e-9 there; what is reported has the digits of twice the precision. b = A x + r + s, where r is
 * orthogonal to both columns and A's/3 = gamma x. */
static void test_cancelled_scores(void **state) {
    (void)state;
    const double w[] = {0.25, -1.5, 0.75}, r[] = {2.25, -0.5, -1.75}, gamma = 1e-3, x[] = {1.0 / 3, -1.0 / 3}, y[] = {0};
    const long double mean = (w[0] + w[1] + w[2]) / 3, k = 2e-3L / (2.875L - 3 * mean * mean);
    double a[6], b[3], c = 0;
    long double loss = 0;
    for (int i = 0; i < 3; i++) {
        a[2 * i] = 1e8 + w[i];
        a[2 * i + 1] = 1e8;
        const long double z = (long double)w[i] * x[0]; /* the 1e8 cancel */
        b[i] = (double)(z + r[i] + k * (w[i] - mean) - 1e-11L / 3);
        loss += (z - b[i]) * (z - b[i]) / 6;
    }
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    GOOD(spdhg_data_from_csr(&data, 3, 2, NULL, NULL, a, b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_new(&F, "chain", 2, &good_err));
    GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
    GOOD(spdhg_problem_term(p, "l1", F, 0, NULL, &good_err));
    GOOD(spdhg_problem_ridge(p, gamma, &good_err));
    GOOD(spdhg_problem_intercept(p, false, &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    spd_evaluator e;
    GOOD(spd_evaluator_new(&e, p, NULL, 1, &good_err));
    e.certifier.refines = true; /* as at the end of a run */
    spdhg_point point = {0};
    spd_evaluate(&e, x, &c, y, &point);
    assert_true(point.gap < 1e-10);
    near(point.train_loss, (double)loss, 1e-14);
    near(point.objective, (double)(loss + gamma * (1.0L / 9)), 1e-14);
    spd_evaluator_free(&e);
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_point), cmocka_unit_test(test_wrong_offsets),
                                       cmocka_unit_test(test_relative_to_zero), cmocka_unit_test(test_kinds_and_counts),
                                       cmocka_unit_test(test_cancelled_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
