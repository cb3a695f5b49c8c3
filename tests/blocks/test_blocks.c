/* test_blocks.c - the engine of paths by blocks of columns: it proves every lambda itself; no proof, at a solution or at a
 * point and a dual point far from one, claims more than what some point attains, as problem/objective.c evaluates it. */
#include "blocks/blocks.h"
#include "small.h"

static const small_spec spec[] = {
    SMALL(30, 40, 1, "squared", "group", "identity", 1, .targets = 3, .intercept = true, .weights = true),
    SMALL(30, 40, 0.4, "squared", "group", "identity", 1, .targets = 2, .gamma = 0.05, .group_count = 10, .offset = true),
    SMALL(40, 20, 1, "squared", "l1", "identity", 1, .targets = 4, .intercept = true),
    SMALL(30, 40, 1, "squared", "group", "identity", 1, .group_count = 8, .intercept = true),
    SMALL(25, 210, 1, "squared", "group", "identity", 1, .group_count = 3,
          .intercept = true), /* blocks too large for a Hessian */
    SMALL(40, 30, 0.5, "logistic", "group", "identity", 1, .classes = 2, .group_count = 6, .intercept = true, .weights = true),
    SMALL(40, 30, 1, "huber", "group", "identity", 1, .group_count = 6, .gamma = 0.02, .intercept = true),
    SMALL(40, 12, 1, "poisson", "group", "identity", 1, .classes = 5, .group_count = 4, .intercept = true, .scale = 0.3),
    SMALL(40, 24, 1, "squared-hinge", "group", "identity", 1, .classes = 2, .group_count = 6, .intercept = true),
    SMALL(40, 30, 1, "softmax", "l1", "identity", 1, .classes = 3, .intercept = true),
    SMALL(40, 30, 0.4, "softmax", "l1", "identity", 1, .classes = 4, .gamma = 0.03, .weights = true),
    SMALL(40, 30, 1, "softmax", "group", "identity", 1, .classes = 3, .intercept = true, .offset = true),
    SMALL(40, 30, 1, "softmax", "group", "identity", 1, .classes = 3, .intercept = true, .group_count = 10, .gamma = 0.02),
    SMALL(40, 60, 1, "softmax", "group", "identity", 1, .classes = 4, .intercept = true, .group_count = 3),
};
enum { SPECS = sizeof spec / sizeof *spec, LAMBDAS = 6 };
static const double ENOUGH = 1e-10;

/* f at the engine's point, by other code; c becomes the best for x. */
static double value(const spd_blocks *a, double *c, double *scratch) {
    spd_value f;
    memcpy(c, a->now.c, (size_t)a->p->K * sizeof *c);
    spd_problem_value(a->p, 1, a->now.x, c, NULL, NULL, scratch, &f, NULL);
    return f.objective;
}

static void check_claim(const spd_lasso_answer *out, double attained, int number, const char *what) {
    if (isfinite(out->gap) && out->objective - out->gap > attained + 1e-12 * fabs(attained))
        fail_msg("case %d, %s: f - gap %.17g > %.17g, which is attained", number, what, out->objective - out->gap, attained);
}

/* Points around the solution, zeros included, with dual points that are not phi' there. */
static void check_rough(spd_blocks *a, double attained, double *scratch, int number) {
    const int64_t n = a->p->n, K = a->p->K;
    int proven = 0;
    for (int k = 0; k < 6; k++) {
        const double far = pow(10, -k);
        spd_lasso_answer out;
        for (int64_t q = 0; q < a->p->dK; q++)
            if (a->now.x[q] != 0) a->now.x[q] *= 1 + far * small_normal(77, number * 100 + k * 10 + q % 7);
        value(a, a->now.c, scratch);
        spd_blocks_evaluate(a);
        const double inside = k == 3 ? 0.2 : 1 - (k % 2 ? 0.1 * far : 0);
        for (int64_t i = 0; i < n * K; i++) a->alpha[i] = inside * a->slope[i];
        spd_blocks_prove(a, &out);
        proven += isfinite(out.gap);
        check_claim(&out, attained, number, "a point far off");
        if (a->coupled) continue;
        for (int64_t i = 0; i < n * K; i++) a->alpha[i] *= 1 - 0.3 * far * fabs(small_normal(78, i));
        spd_blocks_prove(a, &out);
        check_claim(&out, attained, number, "another dual point");
    }
    if (proven == 0) fail_msg("case %d: nothing is proven of points far off", number);
}

static void proofs(void **unused) {
    (void)unused;
    for (int s = 0; s < SPECS; s++) {
        small m = small_make(&spec[s], 500 + (uint64_t)s);
        spdhg_problem *p = m.problem;
        spd_blocks *a;
        double *scratch = SPD_NEW(double, spd_problem_value_work(p)), *c = SPD_NEW(double, p->K), *x = SPD_NEW(double, p->dK);
        assert_null(spd_blocks_refuses(p));
        GOOD(spd_blocks_new(&a, p, 1, &good_err));
        value(a, c, scratch);
        spd_blocks_start(a, x, c, INFINITY);
        double lambda = 0;
        for (int64_t b = 0; b < a->count; b++) lambda = fmax(lambda, a->score[b]);
        for (int i = 0; i < LAMBDAS; i++) {
            spd_lasso_answer out;
            lambda *= 0.6;
            GOOD(spdhg_problem_scale_lambda(p, lambda, &good_err));
            spd_blocks_solve(a, i % 2 ? ENOUGH : 1e-6, i % 3 == 2, NULL, &out);
            const double f = value(a, c, scratch);
            if (!out.proven) fail_msg("case %d, lambda %d: gap %.3g", s, i, out.relative);
            if (fabs(f - out.objective) > 1e-9 * fabs(f))
                fail_msg("case %d, lambda %d: f %.17g, not %.17g", s, i, out.objective, f);
            check_claim(&out, f, s, "a solution");
            if (i % 2 == 0) continue;
            check_rough(a, f, scratch, s);
            spd_blocks_start(a, x, c, i % 4 == 1 ? lambda : INFINITY); /* from far away, most blocks left out or none */
            spd_blocks_solve(a, ENOUGH, false, NULL, &out);
            if (!out.proven) fail_msg("case %d, lambda %d, from 0: gap %.3g", s, i, out.relative);
            check_claim(&out, f, s, "a solution from 0");
        }
        spd_blocks_free(a);
        spd_free(scratch);
        spd_free(c);
        spd_free(x);
        small_free(&m);
    }
}

/* The root of shrink.c: there the derivative of sum (D y^2/2 - u y) + lambda ||y|| vanishes; 0 if ||u|| <= lambda. */
static void shrinks(void **unused) {
    (void)unused;
    enum { N = 5 };
    for (int k = 0; k < 200; k++) {
        double D[N], u[N], y[N], length = 0;
        for (int q = 0; q < N; q++) {
            D[q] = k % 4 == 3 ? 2 : exp(3 * small_normal(81, k * N + q));
            u[q] = small_normal(82, k * N + q);
            length += u[q] * u[q];
        }
        const double lambda = sqrt(length) * (k % 10 == 9 ? 1.001 : pow(0.999, (k % 10 + 1) * (k % 10 + 1) * 10)),
                     gamma = k % 3 ? 0 : 0.1;
        spd_blocks_shrink(N, D, gamma, lambda, u, y);
        const double size = spd_norm2(N, y);
        if (k % 10 == 9) assert_true(size == 0);
        for (int q = 0; q < N && k % 10 != 9; q++)
            assert_true(fabs((D[q] + gamma) * y[q] - u[q] + lambda * y[q] / size) <= 1e-12 * lambda);
    }
}

/* (M p)_ak of face.c for a squared loss and rows of outputs: by the data, entry by entry; place K columns + k: the intercept. */
static double newton_row(const spd_blocks *a, int64_t columns, const double *x, const double *p, int64_t e, int64_t k) {
    const int64_t n = a->p->n, K = a->p->K;
    double sum = 0, column[40], other[40];
    assert_true(n <= 40);
    memset(column, 0, sizeof column);
    if (e < columns) spd_matrix_add(&a->A, a->columns[e], 1, column);
    for (int64_t l = 0; l <= columns; l++) {
        memset(other, 0, sizeof other);
        if (l < columns) spd_matrix_add(&a->A, a->columns[l], 1, other);
        for (int64_t i = 0; i < n; i++)
            sum += a->share[i] * (e < columns ? column[i] : 1) * (l < columns ? other[i] : 1) * p[l * K + k];
    }
    if (e == columns) return sum;
    const double length = spd_norm2(K, x + e * K), curve = spd_blocks_lambda(a) * a->weight[a->now.list[e]] / length;
    return sum + a->p->gamma * p[e * K + k] +
           curve * (p[e * K + k] - x[e * K + k] / length * spd_dot(K, x + e * K, p + e * K) / length);
}

/* The step by small matrices solves the equations of the large one, with columns that come and go. */
static void shared_step(void **unused) {
    (void)unused;
    const small_spec rows =
        SMALL(30, 12, 1, "squared", "group", "identity", 1, .targets = 3, .intercept = true, .weights = true, .gamma = 0.01);
    small m = small_make(&rows, 640);
    spdhg_problem *p = m.problem;
    spd_blocks *a;
    double x[36], c[3] = {0.1, -0.2, 0.3};
    GOOD(spd_blocks_new(&a, p, 1, &good_err));
    assert_true(spd_blocks_face_is_shared(a));
    for (int round = 0; round < 4; round++) {
        for (int64_t q = 0; q < 36; q++) x[q] = (q / 3 + round) % 4 < 2 ? small_normal((uint64_t)(90 + round), q) : 0;
        spd_blocks_start(a, x, c, 1);
        spd_blocks_model(a);
        const int64_t columns = spd_blocks_list(a), numbers = columns * 3 + 3;
        spd_block_face *f = &a->face;
        assert_int_equal(columns, 6);
        spd_blocks_pack(a, f->x);
        for (int64_t q = 0; q < numbers; q++) f->g[q] = small_normal((uint64_t)(95 + round), q);
        assert_true(spd_blocks_face_shared(a, columns));
        double step[21];
        for (int64_t q = 0; q < numbers; q++) step[q] = f->x[q] - f->to[q];
        for (int64_t q = 0; q < numbers; q++)
            assert_true(fabs(newton_row(a, columns, f->x, step, q / 3, q % 3) - f->g[q]) <= 1e-7);
    }
    spd_blocks_free(a);
    small_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(proofs), cmocka_unit_test(shrinks), cmocka_unit_test(shared_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
