/* test_gram.c - slopes by A'SA against sums of long doubles, within the error that they state; what they prove against what
 * columns prove; the factor's A_E'Q A_E and the rows of a face against plain sums. */
#include "lasso/lasso.h"
#include "small.h"

static const small_spec spec[] = {
    SMALL(40, 8, 1, "squared", "l1", "identity", 1, .intercept = true, .weights = true, .offset = true),
    SMALL(700, 12, 1, "squared", "l1", "identity", 1, .gamma = 0.1, .scale = 1e5),
    SMALL(60, 20, 0.3, "squared", "l1", "identity", 1, .intercept = true, .weights = true, .offset = true),
    SMALL(50, 30, 0.2, "squared", "l1", "identity", 1, .intercept = true),
};
enum { SPECS = sizeof spec / sizeof *spec };

static double entry(const spd_matrix *A, int64_t i, int64_t j) {
    if (!A->row) return A->val[A->ptr[j] + i];
    for (int64_t q = A->ptr[j]; q < A->ptr[j + 1]; q++)
        if (A->row[q] == i) return A->val[q];
    return 0;
}

/* A point with every third column, of very different sizes. */
static void start(spd_lasso *a, int number) {
    double *x = SPD_NEW(double, a->p->d);
    for (int64_t j = 0; j < a->p->d; j += 3) x[j] = small_normal(31, number * 100 + j) * pow(10, (double)(j % 5) - 2);
    spd_lasso_start(a, x, a->p->intercept ? 0.7 : 0, INFINITY);
    spd_free(x);
}

static void slopes_are_as_right_as_stated(void **unused) {
    (void)unused;
    for (int c = 0; c < SPECS; c++) {
        small s = small_make(&spec[c], 60 + (uint64_t)c);
        const spdhg_problem *p = s.problem;
        spd_lasso *a;
        GOOD(spd_lasso_new(&a, p, true, 1, &good_err));
        assert_true(a->gram.size == p->d + p->intercept);
        start(a, c);
        double size, slope[64];
        spd_gram_slopes(a, slope);
        const double error = spd_gram_error(a, &size) * 0x1p-53;
        for (int64_t j = 0; j < a->gram.size; j++) {
            long double sum = 0;
            for (int64_t i = 0; i < p->n; i++) {
                const double *offset = spd_problem_offset(p, i);
                long double z = (long double)(p->intercept ? a->now.c : 0) + (offset ? offset[0] : 0) - p->b[i];
                for (int64_t k = 0; k < p->d; k++) z += (long double)entry(&a->A, i, k) * a->now.x[k];
                sum += (long double)a->share[i] * (j < p->d ? entry(&a->A, i, j) : 1) * z;
            }
            const double norm = j < p->d ? a->A.norm[j] : 1;
            if (!(fabsl(sum - (long double)slope[j]) <= (long double)(error * norm)))
                fail_msg("case %d, column %d: %.17g, not %.17Lg, error %.3g", c, (int)j, slope[j], sum, error * norm);
            assert_true(error <= 1e-12 * (fabs(a->gram.target) + a->A.norm[0] * 1e9)); /* and the statement is of use */
        }
        spd_lasso_free(a);
        small_free(&s);
    }
}

/* At points around the solution: the same gap as by columns, but for rounding. */
static void proofs_agree(void **unused) {
    (void)unused;
    for (int c = 0; c < SPECS; c++) {
        small s = small_make(&spec[c], 60 + (uint64_t)c);
        spd_lasso *a;
        spd_lasso_answer out, other;
        double lower, upper;
        GOOD(spdhg_lambda_max(s.problem, 1, &lower, &upper, NULL, NULL, &good_err));
        GOOD(spd_lasso_new(&a, s.problem, true, 1, &good_err));
        start(a, c);
        GOOD(spdhg_problem_scale_lambda(s.problem, 0.1 * upper, &good_err));
        spd_lasso_solve(a, 1e-9, false, NULL, &out);
        assert_true(out.proven);
        const double best = out.objective;
        for (int k = 0; k < 6; k++) {
            for (int64_t q = 0; q < a->now.count; q++) a->now.x[a->now.list[q]] *= 1 + pow(10, -k) * small_normal(32, k * 50 + q);
            for (int i = 0; i < 3; i++) { /* with the best intercept, without which alpha proves nothing */
                spd_lasso_evaluate(a);
                if (s.problem->intercept) a->now.c -= spd_dot(s.problem->n, a->share, a->slope);
            }
            spd_lasso_evaluate(a);
            memcpy(a->alpha, a->slope, (size_t)s.problem->n * sizeof *a->alpha);
            spd_lasso_prove_by_gram(a, 0.05 * upper, &out);
            spd_lasso_prove(a, 0.05 * upper, &other);
            if (!(fabs(out.gap - other.gap) <= 1e-8 * other.objective + 1e-6 * other.gap))
                fail_msg("case %d, %d: gap %.9g, by columns %.9g", c, k, out.gap, other.gap);
            if (other.objective - out.gap > best * (1 + 1e-10)) fail_msg("case %d, %d: a false proof", c, k);
        }
        spd_lasso_free(a);
        small_free(&s);
    }
}

/* One lambda goes by columns first: wherever it changes to H, the answer is that of columns alone, and a new start forgets H. */
static void one_lambda_changes_over(void **unused) {
    (void)unused;
    for (int c = 0; c < SPECS; c++) {
        small s = small_make(&spec[c], 60 + (uint64_t)c);
        spd_lasso *a;
        spd_lasso_answer out;
        double lower, upper, x[64], last = 0;
        GOOD(spdhg_lambda_max(s.problem, 1, &lower, &upper, NULL, NULL, &good_err));
        GOOD(spdhg_problem_scale_lambda(s.problem, 1e-3 * upper, &good_err));
        GOOD(spd_lasso_new(&a, s.problem, false, 1, &good_err));
        const double costs[] = {INFINITY, 0, 1 * (double)s.problem->nnz, 3 * (double)s.problem->nnz};
        int changed = 0;
        assert_true(a->gram.size == 0 && a->gram_cost > 3 * (double)s.problem->nnz);
        for (int k = 0; k < 4; k++) {
            spd_lasso_forget(a);
            assert_true(a->gram.size == 0);
            a->gram_cost = costs[k];
            start(a, c);
            spd_lasso_solve(a, 1e-10, true, NULL, &out);
            assert_true(out.proven);
            changed += a->gram.size > 0;
            if (k == 0) memcpy(x, a->now.x, (size_t)s.problem->d * sizeof *x);
            for (int64_t j = 0; j < s.problem->d; j++) last = fmax(last, fabs(a->now.x[j] - x[j]));
        }
        if (!(last <= 1e-6 * (1 + spd_max_abs(s.problem->d, x)))) fail_msg("case %d: answers differ by %.3g", c, last);
        assert_in_range(changed, 1, 3);
        spd_lasso_free(a);
        small_free(&s);
    }
}

static void products_of_a_face(void **unused) {
    (void)unused;
    const small_spec both[] = {
        SMALL(600, 9, 1, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true, .weights = true),
        SMALL(90, 9, 0.3, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true)};
    for (int c = 0; c < 2; c++) {
        small s = small_make(&both[c], 3);
        spd_lasso *a;
        const int32_t list[] = {7, 2, 5};
        const double d[] = {0.5, -1, 2, 0.3}; /* the last one for the intercept */
        double H[16], out[4] = {0}, *work = SPD_NEW(double, spd_gram_work(4));
        GOOD(spd_lasso_new(&a, s.problem, true, 1, &good_err));
        start(a, 0);
        spd_lasso_model(a);
        if (a->A.row) {
            spd_packed_fill(&a->packed, &a->A, list, 3);
            out[3] = spd_packed_apply(&a->packed, a->Q, 3, d, d[3], out);
            spd_packed_gram(&a->packed, a->Q, 3, true, H);
        } else
            spd_gram_dense(&a->A, a->Q, list, 3, true, work, H);
        for (int i = 0; i < 4; i++) {
            double applied = 0;
            for (int k = 0; k < 4; k++) {
                double sum = 0;
                for (int64_t r = 0; r < s.problem->n; r++)
                    sum += a->Q[r] * (i < 3 ? entry(&a->A, r, list[i]) : 1) * (k < 3 ? entry(&a->A, r, list[k]) : 1);
                applied += sum * d[k];
                if (k <= i) assert_true(fabs(H[4 * i + k] - sum) <= 1e-13 * (1 + fabs(sum)));
            }
            if (a->A.row) assert_true(fabs(out[i] - applied) <= 1e-13 * (1 + fabs(applied)));
        }
        spd_free(work);
        spd_lasso_free(a);
        small_free(&s);
    }
}

/* M b = M v for the unknowns of the factor, M from the entries of A: the factor has to give v back, and M v from v. */
static void check_factor(const spd_lasso *a) {
    const spd_factor *f = &a->factor;
    double v[16], b[16], back[16];
    for (int64_t u = 0; u < f->n; u++) back[u] = v[u] = 1 + 0.3 * (double)(u % 4);
    for (int64_t u = 0; u < f->n; u++) {
        b[u] = 0;
        for (int64_t w = 0; w < f->n; w++) {
            const int32_t i = f->column[u], k = f->column[w];
            double sum = u == w && i >= 0 ? a->p->gamma : 0;
            for (int64_t r = 0; r < a->p->n; r++)
                sum += a->Q[r] * (i < 0 ? 1 : entry(&a->A, r, i)) * (k < 0 ? 1 : entry(&a->A, r, k));
            b[u] += sum * v[w];
        }
        if (f->column[u] >= 0) assert_int_equal(f->place[f->column[u]], u);
    }
    spd_factor_multiply(f, back);
    for (int64_t u = 0; u < f->n; u++) assert_true(fabs(back[u] - b[u]) <= 1e-12 * (1 + fabs(b[u])));
    spd_factor_solve(f, b);
    for (int64_t u = 0; u < f->n; u++) assert_true(fabs(b[u] - v[u]) <= 1e-9);
}

/* Made, then columns out of its middle and its end, then others in: dense, sparse, by gram.c; with and without intercept. */
static void factor_follows(void **unused) {
    (void)unused;
    const small_spec kinds[] = {SMALL(60, 9, 1, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true),
                                SMALL(90, 9, 0.5, "logistic", "l1", "identity", 1, .classes = 2, .gamma = 0.1),
                                SMALL(90, 9, 0.5, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true),
                                SMALL(90, 9, 1, "squared", "l1", "identity", 1, .intercept = true)};
    for (int c = 0; c < 4; c++) {
        small s = small_make(&kinds[c], 4);
        spd_lasso *a;
        const int32_t first[] = {7, 2, 5, 0, 8}, more[] = {3, 2, 6};
        double work[64];
        GOOD(spd_lasso_new(&a, s.problem, true, 1, &good_err));
        start(a, 0);
        spd_lasso_model(a);
        assert_true(spd_factor_make(a, first, 5, work));
        check_factor(a);
        spd_factor_remove(&a->factor, a->factor.place[2]);
        spd_factor_remove(&a->factor, a->factor.place[8]);
        assert_true(a->factor.place[2] < 0 && a->factor.n == 3 + a->p->intercept);
        check_factor(a);
        assert_true(spd_factor_enter(a, more, 3, work));
        assert_int_equal(a->factor.n, 6 + a->p->intercept);
        check_factor(a);
        spd_lasso_free(a);
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slopes_are_as_right_as_stated), cmocka_unit_test(proofs_agree),
                                       cmocka_unit_test(one_lambda_changes_over), cmocka_unit_test(products_of_a_face),
                                       cmocka_unit_test(factor_follows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
