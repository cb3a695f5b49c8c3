/* test_lasso.c - the path by columns against coordinate descent that bisects the derivative of f itself, one coordinate after the
 * other: same minima, no false proof, the zeros of the optimum; also for points and dual points that are far from it. */
#include "lasso/lasso.h"
#include "small.h"

static const small_spec spec[] = {
    SMALL(40, 8, 1, "squared", "l1", "identity", 1, .intercept = true),
    SMALL(15, 40, 1, "squared", "l1", "identity", 1, .intercept = true, .weights = true, .offset = true),
    SMALL(15, 40, 0.4, "squared", "l1", "identity", 1, .gamma = 0.05),
    SMALL(50, 10, 0.6, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true),
    SMALL(16, 48, 1, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true, .offset = true),
    SMALL(20, 48, 0.3, "logistic", "l1", "identity", 1, .classes = 2, .gamma = 0.02, .weights = true),
    SMALL(24, 30, 0.5, "huber", "l1", "identity", 1, .intercept = true),
    SMALL(40, 12, 1, "poisson", "l1", "identity", 1, .classes = 5, .intercept = true, .scale = 0.3),
    SMALL(24, 30, 1, "smooth-hinge", "l1", "identity", 1, .classes = 2, .gamma = 0.1, .intercept = true),
    SMALL(24, 30, 1, "squared-hinge", "l1", "identity", 1, .classes = 2, .intercept = true),
    SMALL(40, 20, 0.3, "squared", "l1", "identity", 1, .intercept = true, .weights = true, .offset = true),
    SMALL(30, 40, 1, "squared", "l1", "identity", 1, .intercept = true, .set = "nonneg"),
    SMALL(20, 40, 0.5, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true, .set = "nonneg", .weights = true),
    SMALL(30, 20, 0.6, "squared", "l1", "identity", 1, .gamma = 0.05, .set = "box:-0.05,0.1", .offset = true),
    SMALL(30, 20, 1, "squared", "l1", "identity", 1, .intercept = true, .set = "box:-0.04,0.06"),
    SMALL(24, 30, 1, "logistic", "l1", "identity", 1, .classes = 2, .set = "box:-0.2,0.1", .intercept = true),
    SMALL(24, 30, 0.5, "huber", "l1", "identity", 1, .intercept = true, .gamma = 0.02, .set = "box:-inf,0.02"),
    SMALL(40, 12, 1, "poisson", "l1", "identity", 1, .classes = 5, .intercept = true, .scale = 0.3, .set = "box:-0.1,inf"),
    SMALL(24, 30, 0.5, "huber", "l1", "identity", 1, .intercept = true), /* slow for descent by coordinates */
};
enum { SPECS = sizeof spec / sizeof *spec, SWEEPS = 4000, LAMBDAS = 8 };

/* ---- the reference */
typedef struct reference {
    const spdhg_problem *p;
    double *x, *z; /* x: d, then c */
    int sweeps;    /* at most */
} reference;

static double entry(const spdhg_problem *p, int64_t i, int64_t j) {
    spd_row row;
    spd_problem_row(p, i, &row);
    if (j == p->d) return 1;
    if (!row.idx) return row.val[j];
    for (int64_t q = 0; q < row.nnz; q++)
        if (row.idx[q] == j) return row.val[q];
    return 0;
}

static double smooth_slope(const reference *r, int64_t j, double by, const double *column) {
    const spdhg_problem *p = r->p;
    double sum = j < p->d ? p->gamma * (r->x[j] + by) : 0;
    for (int64_t i = 0; i < p->n; i++)
        if (column[i] != 0)
            sum += spd_problem_weight(p, i) / p->W * column[i] * p->loss->slope(r->z[i] + by * column[i], p->b[i], p->loss_arg);
    return sum;
}

/* The minimiser over one coordinate: where the derivative changes its sign. */
static double move(reference *r, int64_t j, double lambda, const double *column) {
    const double x = r->x[j], at_zero = smooth_slope(r, j, -x, column);
    double to = 0;
    if (fabs(at_zero) > lambda) {
        const double side = at_zero > 0 ? -1 : 1, aim = -side * lambda;
        double low = 0, high = 1;
        while (high < 1e6 && side * (smooth_slope(r, j, side * high - x, column) - aim) < 0) high *= 2;
        for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
            const double middle = 0.5 * (low + high);
            if (side * (smooth_slope(r, j, side * middle - x, column) - aim) < 0)
                low = middle;
            else
                high = middle;
        }
        to = side * low;
    }
    if (j < r->p->d) r->p->set.kind->project(1, r->p->set.arg, &to, NULL);
    for (int64_t i = 0; i < r->p->n; i++) r->z[i] += (to - x) * column[i];
    r->x[j] = to;
    return fabs(to - x);
}

static double value(const spdhg_problem *p, const double *x, const double *c, double lambda) {
    double sum = 0, size = 0, square = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double z = c[0] + (p->data->offset ? spd_problem_offset(p, i)[0] : 0);
        for (int64_t j = 0; j < p->d; j++) z += entry(p, i, j) * x[j];
        sum += spd_problem_weight(p, i) / p->W * p->loss->value(z, p->b[i], p->loss_arg);
    }
    for (int64_t j = 0; j < p->d; j++) {
        size += fabs(x[j]);
        square += x[j] * x[j];
    }
    return sum + 0.5 * p->gamma * square + lambda * size;
}

/* From the last minimiser; returns the minimum. */
static double descend(reference *r, double lambda) {
    const spdhg_problem *p = r->p;
    double *column = SPD_NEW(double, (p->d + 1) * p->n);
    for (int64_t j = 0; j <= p->d; j++)
        for (int64_t i = 0; i < p->n; i++) column[j * p->n + i] = entry(p, i, j);
    double before = INFINITY;
    for (int s = 0; s < r->sweeps; s++) {
        double most = 0;
        for (int64_t j = 0; j < p->d + p->intercept; j++) most = fmax(most, move(r, j, j < p->d ? lambda : 0, column + j * p->n));
        if (most < 1e-14) break;
        if (s % 50 == 49) {
            const double now = value(p, r->x, r->x + p->d, lambda);
            if (now >= before) break;
            before = now;
        }
    }
    spd_free(column);
    return value(p, r->x, r->x + p->d, lambda);
}

static reference reference_new(const spdhg_problem *p) {
    reference r = {.p = p, .x = SPD_NEW(double, p->d + 1), .z = SPD_NEW(double, p->n), .sweeps = SWEEPS};
    for (int64_t i = 0; i < p->n; i++) r.z[i] = p->data->offset ? spd_problem_offset(p, i)[0] : 0;
    return r;
}

static void reference_free(reference *r) {
    spd_free(r->x);
    spd_free(r->z);
}

/* Goes on from a point that is better than where it stopped after so many sweeps: if that is no
 * minimiser, it descends from there. */
static double descend_from(reference *r, const spd_lasso *a, double lambda) {
    const spdhg_problem *p = r->p;
    for (int64_t j = 0; j <= p->d; j++) {
        const double to = j < p->d ? a->now.x[j] : p->intercept ? a->now.c : 0;
        for (int64_t i = 0; i < p->n; i++) r->z[i] += (to - r->x[j]) * entry(p, i, j);
        r->x[j] = to;
    }
    return descend(r, lambda);
}

/* ---- the tests */
static double largest_lambda(spdhg_problem *p, const reference *r) {
    double most = 0, *column = SPD_NEW(double, p->n);
    for (int64_t j = 0; j < p->d; j++) {
        for (int64_t i = 0; i < p->n; i++) column[i] = entry(p, i, j);
        most = fmax(most, fabs(smooth_slope(r, j, 0, column)));
    }
    spd_free(column);
    return most;
}

/* Evaluates with the best intercept: otherwise the sum of alpha is not 0, and nothing is proven. */
static void evaluate(spd_lasso *a) {
    spd_lasso_evaluate(a);
    for (int i = 0; i < 100 && a->p->intercept; i++) {
        const double slope = spd_dot(a->p->n, a->share, a->slope), curve = spd_dot(a->p->n, a->share, a->curve);
        if (!(curve > 0)) return;
        a->now.c -= slope / curve;
        spd_lasso_evaluate(a);
    }
}

/* Points around the solution and dual points that are not optimal, one of them far inside its box:
 * what they prove must be true. */
static void check_rough(spd_lasso *a, double minimum, double lambda, int number) {
    const spdhg_problem *p = a->p;
    for (int k = 0; k < 6; k++) {
        spd_lasso_answer out;
        const double far = pow(10, -k);
        for (int64_t q = 0; q < a->now.count; q++)
            a->now.x[a->now.list[q]] *= 1 + far * small_normal(77, number * 100 + k * 10 + q % 7);
        p->set.kind->project(p->d, p->set.arg, a->now.x, NULL);
        spd_lasso_tidy(a);
        evaluate(a);
        const double inside = k == 3 ? 0.2 : 1;
        for (int64_t i = 0; i < p->n; i++)
            a->alpha[i] = inside * a->slope[i] * (1 - (k % 2 ? 0.3 * far * fabs(small_normal(78, i)) : 0));
        spd_lasso_prove(a, 0.9 * lambda, &out);
        const double f = value(p, a->now.x, &a->now.c, lambda);
        if (isfinite(out.gap) && f - out.gap > minimum * (1 + 1e-11))
            fail_msg("case %d: f - gap %.17g > %.17g", number, f - out.gap, minimum);
    }
}

static void check_true(spd_lasso *a, double minimum, double lambda, int number, const char *what) {
    spd_lasso_answer out;
    evaluate(a);
    memcpy(a->alpha, a->slope, (size_t)a->p->n * sizeof *a->alpha);
    spd_lasso_prove(a, 0.9 * lambda, &out);
    const double f = value(a->p, a->now.x, &a->now.c, lambda);
    if (isfinite(out.gap) && f - out.gap > minimum * (1 + 1e-11))
        fail_msg("case %d, %s: f - gap %.17g > %.17g", number, what, f - out.gap, minimum);
}

/* The solution of another lambda, whose alpha is too long here; and the same with a column that does not belong to it. */
static void check_wrong(spd_lasso *a, double minimum, double lambda, int number) {
    check_true(a, minimum, lambda, number, "twice lambda");
    for (int64_t j = 0; j < a->p->d; j++) {
        if (a->now.x[j] != 0) continue;
        spd_lasso_move(a, j, a->high > 0 ? fmin(a->high, 0.3) : a->low);
        for (int64_t q = 0; q < a->p->d; q++) a->g[q] = -copysign(lambda, a->now.x[q]); /* as if every column fitted */
        check_true(a, minimum, lambda, number, "another column");
        spd_lasso_move(a, j, 0);
        spd_lasso_tidy(a);
    }
}

static void minima_and_proofs(void **unused) {
    (void)unused;
    for (int c = 0; c < SPECS; c++) {
        small s = small_make(&spec[c], c == SPECS - 1 ? 407 : 400 + (uint64_t)c);
        spdhg_problem *p = s.problem;
        spd_lasso *a;
        assert_null(spd_lasso_refuses(p));
        GOOD(spd_lasso_new(&a, p, true, 1, &good_err));
        reference r = reference_new(p);
        if (c == SPECS - 1) r.sweeps = SWEEPS / 16; /* as far from the minimum as 4,000 are: it ends at our point, or below it */
        descend(&r, 1e9);
        double lambda = largest_lambda(p, &r);
        GOOD(spdhg_problem_scale_lambda(p, lambda, &good_err));
        spd_lasso_start(a, r.x, r.x[p->d], INFINITY);
        for (int i = 0; i < LAMBDAS; i++) {
            spd_lasso_answer out;
            lambda *= 0.6;
            GOOD(spdhg_problem_scale_lambda(p, lambda, &good_err));
            const double tol = i % 2 ? 1e-6 : 1e-10;
            double minimum = descend(&r, lambda);
            spd_lasso_solve(a, tol, i % 3 == 2, NULL, &out);
            const double f = value(p, a->now.x, &a->now.c, lambda), scale = fmax(fabs(f), a->reference);
            if (f < minimum) minimum = descend_from(&r, a, lambda);
            if (!out.proven || out.relative > tol) fail_msg("case %d, lambda %d: gap %.3g", c, i, out.relative);
            if (fabs(f - out.objective) > 1e-12 * scale)
                fail_msg("case %d, lambda %d: f %.17g, not %.17g", c, i, out.objective, f);
            if (f - out.gap > minimum + 1e-11 * scale)
                fail_msg("case %d, lambda %d: false proof, %.3g below", c, i, f - out.gap - minimum);
            if (f > minimum + tol * scale) fail_msg("case %d, lambda %d: %.3g above the minimum", c, i, f - minimum);
            for (int64_t j = 0; j < p->d && out.settled && tol < 1e-6; j++)
                if ((a->now.x[j] != 0) != (fabs(r.x[j]) > 1e-7))
                    fail_msg("case %d, lambda %d: x_%d %g, not %g", c, i, (int)j, a->now.x[j], r.x[j]);
            if (i == LAMBDAS - 1) check_rough(a, minimum, lambda, c);
        }
        GOOD(spdhg_problem_scale_lambda(p, 0.5 * lambda, &good_err));
        check_wrong(a, descend(&r, 0.5 * lambda), 0.5 * lambda, c);
        reference_free(&r);
        spd_lasso_free(a);
        small_free(&s);
    }
}

/* A slope that is no number: nothing is known of its column, so nothing is proven. (No finite problem seems to lead there, as
 * |g_j| is at most a norm of the column times one of alpha; the column is spoilt here.) */
static void no_number_is_no_proof(void **unused) {
    (void)unused;
    for (int ridge = 0; ridge < 2; ridge++) {
        small s = small_make(&(small_spec)SMALL(16, 6, 1, "squared", "l1", "identity", 1e3, .gamma = ridge), 3);
        spd_lasso *a;
        spd_lasso_answer out;
        double x[6] = {0};
        GOOD(spd_lasso_new(&a, s.problem, true, 1, &good_err));
        spd_lasso_start(a, x, 0, INFINITY);
        for (int spoilt = 0; spoilt < 2; spoilt++) {
            if (spoilt) ((double *)a->A.val)[4 * 16 + 3] = NAN;
            spd_lasso_evaluate(a);
            memcpy(a->alpha, a->slope, 16 * sizeof *a->alpha);
            memset(a->known, 0, 6 * sizeof *a->known); /* of another alpha: column 4 has to be looked at */
            spd_lasso_prove(a, 0, &out);
            assert_true(spoilt ? isinf(out.gap) : isfinite(out.gap));
        }
        spd_lasso_free(a);
        small_free(&s);
    }
}

/* A column that is active although its |G_j| is far below lambda: known_j alone would excuse it from being looked at, but its
 * bracket needs g_j itself, and what is left in g is of another alpha. */
static void active_columns_are_looked_at(void **unused) {
    (void)unused;
    const small_spec many[] = {SMALL(30, 60, 1, "squared", "l1", "identity", 1, .intercept = true),
                               SMALL(40, 60, 0.5, "logistic", "l1", "identity", 1, .classes = 2, .gamma = 0.01)};
    for (int c = 0; c < 2; c++) {
        small s = small_make(&many[c], 21 + (uint64_t)c);
        spdhg_problem *p = s.problem;
        double lower, upper;
        int64_t tried = 0;
        spd_lasso *a;
        spd_lasso_answer out;
        GOOD(spd_lasso_new(&a, p, true, 1, &good_err));
        GOOD(spdhg_lambda_max(p, 1, &lower, &upper, NULL, NULL, &good_err));
        const double lambda = 0.5 * upper;
        GOOD(spdhg_problem_scale_lambda(p, lambda, &good_err));
        reference r = reference_new(p);
        const double minimum = descend(&r, lambda);
        spd_lasso_start(a, r.x, r.x[p->d], INFINITY);
        spd_lasso_solve(a, 1e-10, true, NULL, &out);
        assert_true(out.proven);
        for (int64_t j = 0; j < p->d; j++) {
            a->examined_entries = INFINITY; /* all columns are looked at: this alpha is the known one */
            spd_lasso_prove(a, 0.9 * lambda, &out);
            if (a->now.x[j] != 0 || fabs(a->known[j]) > 0.5 * lambda || 2 * a->examined_count > p->d) continue;
            spd_lasso_move(a, j, 0.3);
            spd_lasso_evaluate(a);
            a->g[j] = -lambda;
            spd_lasso_prove(a, 0.9 * lambda, &out);
            const double f = value(p, a->now.x, &a->now.c, lambda);
            if (f - out.gap > minimum * (1 + 1e-11))
                fail_msg("case %d, column %d: f - gap %.17g > %.17g", c, (int)j, f - out.gap, minimum);
            spd_lasso_move(a, j, 0);
            spd_lasso_tidy(a);
            spd_lasso_evaluate(a);
            tried++;
        }
        assert_true(tried > 0);
        reference_free(&r);
        spd_lasso_free(a);
        small_free(&s);
    }
}

/* The same bits for any number of threads, on enough columns for several blocks. */
static void threads_do_not_matter(void **unused) {
    (void)unused;
    const small_spec wide[] = {SMALL(100, 3000, 1, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true),
                               SMALL(100, 6000, 0.3, "squared", "l1", "identity", 1, .intercept = true)};
    for (int c = 0; c < 2; c++) {
        small s = small_make(&wide[c], 5);
        double *x[2], lower, upper;
        GOOD(spdhg_lambda_max(s.problem, 1, &lower, &upper, NULL, NULL, &good_err));
        for (int t = 0; t < 2; t++) {
            spd_lasso *a;
            spd_lasso_answer out;
            GOOD(spd_lasso_new(&a, s.problem, true, 1 + 2 * t, &good_err));
            x[t] = SPD_NEW(double, s.problem->d);
            spd_lasso_start(a, x[t], 0, INFINITY);
            for (int i = 1; i < 6; i++) {
                GOOD(spdhg_problem_scale_lambda(s.problem, upper * pow(0.7, i), &good_err));
                spd_lasso_solve(a, 1e-8, false, NULL, &out);
                assert_true(out.proven);
            }
            memcpy(x[t], a->now.x, (size_t)s.problem->d * sizeof **x);
            spd_lasso_free(a);
        }
        assert_memory_equal(x[0], x[1], (size_t)s.problem->d * sizeof **x);
        spd_free(x[0]);
        spd_free(x[1]);
        small_free(&s);
    }
}

static void refuses_what_it_cannot(void **unused) {
    (void)unused;
    const small_spec other[] = {SMALL(20, 6, 1, "squared", "l1", "chain", 1, .offset = false),
                                SMALL(20, 6, 1, "squared", "group", "identity", 1, .group_count = 2),
                                SMALL(20, 6, 1, "squared", "l1", "identity", 1, .set = "ball:1"),
                                SMALL(20, 6, 1, "squared", "l1", "identity", 1, .set = "simplex:1"),
                                SMALL(20, 6, 1, "squared", "l1", "identity", 1, .set = "box:0.1,1"),
                                SMALL(20, 6, 1, "squared", "l1", "identity", 1, .targets = 2),
                                SMALL(20, 6, 1, "softmax", "l1", "identity", 1, .classes = 3),
                                SMALL(20, 6, 1, "squared", "l1", "identity", 1, .also_sparse = true)};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        small s = small_make(&other[i], 9);
        assert_non_null(spd_lasso_refuses(s.problem));
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(minima_and_proofs), cmocka_unit_test(no_number_is_no_proof),
                                       cmocka_unit_test(active_columns_are_looked_at), cmocka_unit_test(threads_do_not_matter),
                                       cmocka_unit_test(refuses_what_it_cannot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
