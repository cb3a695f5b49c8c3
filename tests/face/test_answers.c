/* test_answers.c - what the zeros of F x are taken to be: the points that are proposed, null
 * spaces, whether zeros are settled. */
#include "small.h"

#include "face/answer.h"
#include "face/face.h"
#include "face/nullspace.h"
#include "face/tied_coordinates.h"

enum { MOST = 12 };

typedef struct proposals {
    int count, returns, keep_at; /* keep_at: which one is kept; 0: none */
    double x[MOST][MOST];
    int64_t d;
} proposals;

static spdhg_status take(void *context, const double *x, double *c, bool *kept, spdhg_error *err) {
    proposals *a = context;
    (void)c, (void)err;
    memcpy(a->x[a->count++], x, (size_t)a->d * sizeof *x);
    *kept = a->count == a->keep_at;
    return SPDHG_OK;
}

static void put_back(void *context, double *c) {
    (void)c;
    ((proposals *)context)->returns++;
}

static proposals propose(const spdhg_problem *p, const double *x, const double *y, int keep_at) {
    proposals a = {.keep_at = keep_at, .d = p->dK};
    const double c[4] = {0};
    const spd_answer answer = {
        .p = p, .threads = 1, .x = x, .c = c, .y = y, .propose = take, .keep_old = put_back, .context = &a};
    GOOD(spd_answer_exact_zeros(&answer, &good_err));
    return a;
}

static void same(int64_t n, const double *found, const double *expected) {
    for (int64_t j = 0; j < n; j++)
        if (fabs(found[j] - expected[j]) > 1e-15) fail_msg("entry %d is %.17g, expected %.17g", (int)j, found[j], expected[j]);
}

/* A chain of six with lambda 1. y is inside its ball but for the third row; the first proposal closes the others whatever their
 * size and so takes means, the next ones close differences of at most 1e-2 and 1e-4 of the largest
 * (2.004). The last one changes nothing. */
static void test_margins(void **state) {
    (void)state;
    const small_spec spec = SMALL(8, 6, 1, "squared", "l1", "chain", 1, .gamma = 1);
    const double x[] = {1, 1.001, 0.999, 3.003, 3.002, 3.302}, y[] = {0.2, -0.3, 1, 0.1, 0};
    const double bold[] = {1, 1, 1, 9.307 / 3, 9.307 / 3, 9.307 / 3}, timid[] = {1, 1, 1, 3.0025, 3.0025, 3.302};
    small s = small_make(&spec, 1);
    proposals a = propose(s.problem, x, y, 0);
    assert_true(a.count == 2 && a.returns == 1);
    same(6, a.x[0], bold);
    same(6, a.x[1], timid);
    a = propose(s.problem, x, y, 1);
    assert_true(a.count == 1 && a.returns == 0);
    small_free(&s);
}

/* Coefficients within a hundredth of the largest of a side of X move onto it; inside an l1 ball,
 * to 0. y at its bound: F x stays. */
static void test_sides(void **state) {
    (void)state;
    static const struct {
        const char *set;
        double x[3], expected[3];
    } all[] = {{"box:-1,2", {1.99, -0.995, 0.5}, {2, -1, 0.5}},
               {"nonneg", {0.001, 2, 0.3}, {0, 2, 0.3}},
               {"l1ball:9", {0.001, 2, -0.0004}, {0, 2, 0}}};
    const double y[] = {1, -1, 1};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const small_spec spec = SMALL(8, 3, 1, "squared", "l1", "identity", 1, .gamma = 1, .set = all[i].set);
        small s = small_make(&spec, 1);
        const proposals a = propose(s.problem, all[i].x, y, 1);
        assert_int_equal(a.count, 1);
        same(3, a.x[0], all[i].expected);
        small_free(&s);
    }
}

/* F N = 0 in the rows that count, N'N = I, and d - k is the rank of these rows (of chains and trends: their number). */
static void check_null(const spdhg_problem *p, const bool *counts, const spd_nullspace *null) {
    const int64_t d = p->d, k = null->k;
    double *V = SPD_NEW(double, d *k);
    int64_t rank = 0;
    for (int64_t j = 0; j < d; j++)
        for (int64_t q = null->N.ptr[j]; q < null->N.ptr[j + 1]; q++) V[j * k + null->N.idx[q]] = null->N.val[q];
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (counts && !counts[r.number]) continue;
        rank++;
        for (int64_t a = 0; a < k; a++) {
            double sum = 0;
            for (int64_t q = 0; q < r.row.n; q++) sum += r.row.val[q] * V[r.row.idx[q] * k + a];
            assert_true(fabs(sum) < 1e-9);
        }
    }
    assert_int_equal(k, d - rank);
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b <= a; b++) {
            double sum = 0;
            for (int64_t j = 0; j < d; j++) sum += V[j * k + a] * V[j * k + b];
            assert_true(fabs(sum - (a == b)) < 1e-9);
        }
    spd_free(V);
}

static void test_null_spaces(void **state) {
    (void)state;
    static const char *const structure[] = {"chain", "trend:1", "trend:2"};
    const spd_null_method method[] = {SPD_NULL_COMPONENTS, SPD_NULL_ELIMINATION, SPD_NULL_ELIMINATION};
    for (int i = 0; i < 3; i++)
        for (int part = 0; part < 3; part++) {
            const small_spec spec = SMALL(4, 24, 1, "squared", "l1", structure[i], 0.1);
            small s = small_make(&spec, 2);
            const spdhg_problem *p = s.problem;
            bool counts[24];
            int64_t pivot[24], k;
            spd_nullspace null;
            for (int64_t e = 0; e < p->m; e++) counts[e] = part == 1 ? e % 5 != 2 : e % 2 == 0;
            const bool *which = part == 0 ? NULL : counts;
            memset(pivot, 0x55, sizeof pivot); /* whatever stood there before */
            assert_int_equal(spd_null_choose(p, which, pivot), method[i]);
            for (int64_t j = 0; j < 24; j++) {
                const int64_t e = j - (24 - p->m); /* the row whose last column is j */
                assert_int_equal(pivot[j], e >= 0 && (!which || counts[e]) ? e + 1 : 0);
            }
            GOOD(spd_nullspace_dimension(p, which, &k, &good_err));
            GOOD(spd_nullspace_new(&null, p, which, INFINITY, &good_err));
            assert_int_equal(k, null.k);
            check_null(p, which, &null);
            spd_nullspace_free(&null);
            if (method[i] == SPD_NULL_ELIMINATION) {
                null = (spd_nullspace){0};
                GOOD(spd_null_eliminated(&null, p, pivot, &good_err));
                check_null(p, which, &null);
                spd_nullspace_free(&null);
            }
            small_free(&s);
        }
}

/* A stored zero beside an entry: the row is no pair, though it has two entries. */
static void test_stored_zero(void **state) {
    (void)state;
    const int64_t ptr[] = {0, 2, 4};
    const int32_t idx[] = {0, 1, 1, 2};
    const double val[] = {1, -1, 3, 0}, a[] = {1, 2, 3}, b[] = {1};
    int64_t pivot[3];
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    GOOD(spdhg_data_from_csr(&data, 1, 3, NULL, NULL, a, b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_from_csr(&F, 2, 3, ptr, idx, val, &good_err));
    GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
    GOOD(spdhg_problem_term(p, "l1", F, 1, NULL, &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    assert_int_equal(spd_null_choose(p, NULL, pivot), SPD_NULL_DENSE);
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

/* Rows = columns, A = I, squared loss: b is chosen so that the gradient is what the case needs. */
static bool settled(const char *penalty, const char *structure, int64_t K, int64_t d, const double *x, const double *y,
                    const double *gradient) {
    double a[MOST * MOST] = {0}, b[MOST * 2];
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    bool good, by_slopes;
    double slope[MOST * 2];
    const double c[2] = {0};
    for (int64_t j = 0; j < d; j++) a[j * d + j] = 1;
    for (int64_t q = 0; q < d * K; q++) b[q] = x[q] - (double)d * gradient[q];
    GOOD(spdhg_data_from_csr(&data, d, d, NULL, NULL, a, b, K, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_new(&F, structure, d, &good_err));
    GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
    GOOD(spdhg_problem_term(p, penalty, F, 1, NULL, &good_err));
    GOOD(spdhg_problem_intercept(p, false, &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    GOOD(spd_answer_settled(p, 1, x, c, NULL, y, &good, &good_err));
    for (int64_t q = 0; q < d * K; q++) slope[q] = x[q] - b[q];
    GOOD(spd_answer_settled(p, 1, x, c, slope, y, &by_slopes, &good_err));
    assert_int_equal(good, by_slopes);
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);
    return good;
}

static void test_settled(void **state) {
    (void)state;
    /* groups of two outputs: row 0 is not 0, and y = x/||x|| there, which is not a sign; -y is the gradient */
    const double x[] = {3, 4, 0, 0}, y[] = {0.6, 0.8, 0.1, 0.2}, g[] = {-0.6, -0.8, -0.1, -0.2}, inside[] = {0.1, 0.2, 0.1, 0.2};
    assert_true(settled("group", "identity", 2, 2, x, y, g));
    assert_false(settled("group", "identity", 2, 2, x, inside, g)); /* not 0, but y says it is */
    /* a chain whose gradient -F'u has u = (0.3, 1): the second difference is positive, the first is 0 */
    const double steps[] = {1, 1, 2}, u[] = {0.3, 1}, fits[] = {0.3, 0.7, -1}, apart[] = {0.3, 1.2, -1},
                 other[] = {1.4, -0.4, -1};
    assert_true(settled("l1", "chain", 1, 3, steps, u, fits));
    assert_false(settled("l1", "chain", 1, 3, steps, u, apart)); /* does not sum to 0: no u cancels it */
    assert_false(settled("l1", "chain", 1, 3, steps, u, other)); /* u_1 = 1.4: the first difference should not be 0 */
}

/* Rows of three entries beside rows of one: a dense null space, of 300 coefficients, costs more than may be spent on last digits.
 * That is no error: the answer stays as it is. */
static void test_too_costly(void **state) {
    (void)state;
    const small_spec spec = SMALL(8, 300, 0.1, "squared", "l1", "trend:1", 1, .also_sparse = true);
    small s = small_make(&spec, 1);
    const spdhg_problem *p = s.problem;
    double *x = SPD_NEW(double, p->dK), *y = SPD_NEW(double, p->m), c[1] = {0};
    proposals a = {.d = p->dK};
    const spd_answer answer = {
        .p = p, .threads = 1, .x = x, .c = c, .y = y, .propose = take, .keep_old = put_back, .context = &a};
    GOOD(spd_answer_last_digits(&answer, 1e-6, &good_err));
    assert_int_equal(a.count, 0);
    spd_free(x);
    spd_free(y);
    small_free(&s);
}

/* M -= factor h h', h = F_b'normal, of the whole x: written out for the second of three pairs of rows of a chain of seven. */
static void test_block(void **state) {
    (void)state;
    const small_spec spec = SMALL(8, 7, 1, "squared", "group", "chain", 1, .gamma = 1, .groups = "size:2");
    small s = small_make(&spec, 1);
    const spdhg_problem *p = s.problem;
    const double normal[] = {9, 9, 0.5, -2, 9, 9}, h[] = {0, 0, -0.5, 2.5, -2, 0, 0};
    double M[64] = {0}, sum[8] = {0};
    int32_t list[8];
    spd_tied whole;
    spd_arena arena = {0};
    spd_tied_layout(p, &arena, &whole, 8);
    arena = (spd_arena){.base = SPD_NEW(double, arena.used), .size = arena.used};
    spd_tied_layout(p, &arena, &whole, 8);
    spd_tied_whole(&whole, p);
    spd_tied_take_block(&whole, p, &p->term[0], 1, normal, 3, M, sum, list);
    for (int64_t i = 0; i < 7; i++)
        for (int64_t j = 0; j < 7; j++) assert_true(M[i * whole.size + j] == (j <= i && h[i] * h[j] != 0 ? -3 * h[i] * h[j] : 0));
    for (int64_t i = 0; i < whole.size; i++) assert_true(sum[i] == 0);
    spd_free(arena.base);
    small_free(&s);
}

/* The factor of N'(A'CA + gamma I)N for a chain of six of which three differences are 0, and an intercept: it solves the matrix
 * that is multiplied out here. */
static void test_dense_factor(void **state) {
    (void)state;
    enum { d = 6, n = 9, N = d + 1 };
    const small_spec spec = SMALL(n, d, 1, "squared", "l1", "chain", 0.1, .gamma = 0.3, .intercept = true);
    small s = small_make(&spec, 4);
    const spdhg_problem *p = s.problem;
    bool zero[] = {true, false, true, true, false};
    double curve[n], H[2 * N * N], M[N * N], exact[N][N] = {{0}}, one[N];
    spd_nullspace null;
    int passes = 100;
    GOOD(spd_nullspace_new(&null, p, zero, INFINITY, &good_err));
    assert_int_equal(null.k, 3);
    for (int i = 0; i < n; i++) curve[i] = 0.5 + 0.1 * i;
    for (int q = 0; q < N * N; q++) M[q] = 7; /* whatever stood there before */
    double *normal = SPD_NEW(double, spd_problem_normal_work(p, 1));
    spd_face f = {.p = p,
                  .threads = 1,
                  .passes = &passes,
                  .pass = 1e9,
                  .zero = zero,
                  .null = &null,
                  .unknowns = 4,
                  .curve = curve,
                  .H = H,
                  .M = M,
                  .normal = normal,
                  .dense = true};
    assert_true(spd_face_factor(&f));
    for (int i = 0; i < n; i++) { /* rows of [A N, 1] */
        double row[4] = {0, 0, 0, 1};
        for (int j = 0; j < d; j++)
            for (int64_t q = null.N.ptr[j]; q < null.N.ptr[j + 1]; q++) row[null.N.idx[q]] += p->val[i * d + j] * null.N.val[q];
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) exact[a][b] += curve[i] * row[a] * row[b] / n;
    }
    for (int a = 0; a < 3; a++) exact[a][a] += 0.3; /* N'N = I */
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) one[b] = exact[b][a];
        spd_cholesky_solve(4, M, one);
        for (int b = 0; b < 4; b++) assert_true(fabs(one[b] - (a == b)) < 1e-12);
    }
    spd_free(normal);
    spd_nullspace_free(&null);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_margins),      cmocka_unit_test(test_sides),
                                       cmocka_unit_test(test_null_spaces),  cmocka_unit_test(test_stored_zero),
                                       cmocka_unit_test(test_settled),      cmocka_unit_test(test_block),
                                       cmocka_unit_test(test_dense_factor), cmocka_unit_test(test_too_costly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
