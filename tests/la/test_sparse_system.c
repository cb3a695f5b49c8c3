/* test_sparse_system.c - M = diag + G'WG by a sparse factor against the same dense matrix factored by LAPACK: short rows, long
 * rows kept out of M, weights of both signs, an elimination order that differs from the given one, a singular M. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "la/sparse_system.h"

enum { N = 40, ROWS = 70, LONG = 9 };

static double random_number(uint64_t at) {
    uint64_t bits[2];
    spd_random(7, SPD_STREAM_TEST, at, bits);
    return spd_uniform(bits[0]);
}

/* Rows of one to three entries, and every tenth one long. */
static int64_t size_of(int64_t r) { return r % 10 == 9 ? 20 + r / 10 : 1 + r % 3; }

static void make(spd_sparse_pattern *q, int64_t most) {
    int64_t entries = 0;
    for (int64_t r = 0; r < ROWS; r++) entries += size_of(r);
    assert_int_equal(spd_sparse_pattern_new(q, N, ROWS, entries, NULL), SPDHG_OK);
    for (int64_t r = 0; r < ROWS; r++) {
        q->ptr[r + 1] = q->ptr[r] + size_of(r);
        for (int64_t a = 0; a < size_of(r); a++)
            q->idx[q->ptr[r] + a] = (int32_t)spd_permute(3, SPD_STREAM_TEST, (uint64_t)r, N, a);
    }
    assert_int_equal(spd_sparse_analyse(q, most, NULL, NULL), SPDHG_OK);
}

/* The dense matrix, row-major, lower triangle. */
static void write_out(const spd_sparse_system *s, double *M) {
    const spd_sparse_pattern *q = s->pattern;
    memset(M, 0, N * N * sizeof *M);
    for (int64_t j = 0; j < N; j++) M[j * N + j] = s->diagonal[j];
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t a = q->ptr[r]; a < q->ptr[r + 1]; a++)
            for (int64_t b = q->ptr[r]; b < q->ptr[r + 1]; b++)
                if (q->idx[b] <= q->idx[a]) M[q->idx[a] * N + q->idx[b]] += s->weight[r] * s->value[a] * s->value[b];
}

static void solves_like_lapack(int64_t most, int64_t beside) {
    static double M[N * N];
    double b[N], x[N], wanted[N], product[N];
    spd_sparse_pattern q;
    spd_sparse_system s;
    spd_arena arena = {0};
    make(&q, most);
    assert_int_equal(q.nodes - q.n, beside);
    spd_sparse_layout(&s, &q, &arena);
    arena.base = SPD_NEW(double, arena.used);
    arena.used = 0;
    spd_sparse_layout(&s, &q, &arena);
    for (int64_t j = 0; j < N; j++)
        s.shift[j] = 1, s.diagonal[j] = 0.5 + random_number((uint64_t)j), b[j] = random_number((uint64_t)(j + 100)) - 0.5;
    for (int64_t l = 0; l < q.ptr[ROWS]; l++) s.value[l] = random_number((uint64_t)(l + 1000)) - 0.5;
    for (int64_t r = 0; r < ROWS; r++)
        s.weight[r] = r == 19 ? -0.01 : r == 29 ? 0 : exp(10 * random_number((uint64_t)(r + 500)) - 5);
    write_out(&s, M);
    spd_symmetric_apply(N, M, b, product);
    assert_true(spd_sparse_factor(&s, 0, NULL));
    spd_sparse_apply(&s, b, x);
    for (int64_t j = 0; j < N; j++) assert_true(fabs(product[j] - x[j]) <= 1e-12 * spd_max_abs(N, product));
    assert_true(spd_cholesky(N, M));
    memcpy(wanted, b, sizeof wanted);
    spd_cholesky_solve(N, M, wanted);
    assert_true(spd_sparse_factor(&s, 0, NULL));
    assert_int_equal(spd_sparse_solve(&s, b, x, 1e-14, 1, NULL), 1);
    for (int64_t j = 0; j < N; j++) assert_true(fabs(wanted[j] - x[j]) <= 1e-11 * spd_max_abs(N, wanted));
    assert_true(spd_sparse_factor(&s, 1e-2, NULL)); /* factor of another matrix: conjugate gradients correct the difference */
    assert_true(spd_sparse_solve(&s, b, x, 1e-14, 40, NULL) > 2);
    for (int64_t j = 0; j < N; j++) assert_true(fabs(wanted[j] - x[j]) <= 1e-11 * spd_max_abs(N, wanted));
    s.weight[0] = -1e6; /* indefinite */
    assert_false(spd_sparse_factor(&s, 0, NULL));
    spd_free(arena.base);
    spd_sparse_pattern_free(&q);
}

static void short_rows(void **state) {
    (void)state;
    solves_like_lapack(N, 0);
}

static void long_rows_beside(void **state) {
    (void)state;
    solves_like_lapack(LONG, 7);
}

/* A chain of n: a band matrix has no fill in whatever order results. */
static void a_chain_does_not_fill(void **state) {
    (void)state;
    enum { LINKS = 1000 };
    spd_sparse_pattern q;
    assert_int_equal(spd_sparse_pattern_new(&q, LINKS + 1, LINKS, 2 * LINKS, NULL), SPDHG_OK);
    for (int64_t r = 0; r < LINKS; r++) {
        q.ptr[r + 1] = 2 * (r + 1);
        q.idx[2 * r] = (int32_t)r;
        q.idx[2 * r + 1] = (int32_t)(r + 1);
    }
    assert_int_equal(spd_sparse_analyse(&q, 2, NULL, NULL), SPDHG_OK);
    assert_int_equal(q.fill, LINKS);
    spd_sparse_pattern_free(&q);
}

/* M = I + 1e18 F'F with third differences F. A parabola p has F p = 0 exactly, so that M p = p: the solution of M x = p is p
 * itself. A factor in double precision cannot find it, as 1e18 * 20 swallows the I. The rows of F
 * at x are then 0, those of I p. */
static void a_band_with_twice_the_digits(void **state) {
    (void)state;
    enum { POINTS = 200, DIFFERENCES = POINTS - 3 };
    const double third[] = {-1, 3, -3, 1};
    spd_sparse_pattern q;
    spd_sparse_system s;
    spd_arena arena = {0};
    double p[POINTS], x[POINTS];
    assert_int_equal(spd_sparse_pattern_new(&q, POINTS, POINTS + DIFFERENCES, POINTS + 4 * DIFFERENCES, NULL), SPDHG_OK);
    for (int64_t j = 0; j < POINTS; j++) q.ptr[j + 1] = j + 1, q.idx[j] = (int32_t)j;
    for (int64_t e = 0; e < DIFFERENCES; e++) {
        q.ptr[POINTS + e + 1] = POINTS + 4 * (e + 1);
        for (int64_t l = 0; l < 4; l++) q.idx[POINTS + 4 * e + l] = (int32_t)(e + l);
    }
    assert_int_equal(spd_sparse_analyse(&q, 16, NULL, NULL), SPDHG_OK);
    assert_true(q.band);
    spd_sparse_layout(&s, &q, &arena);
    arena.base = SPD_NEW(double, arena.used);
    arena.used = 0;
    spd_sparse_layout(&s, &q, &arena);
    for (int64_t j = 0; j < POINTS; j++)
        s.diagonal[j] = 0.25, s.weight[j] = 0.75, s.value[j] = 1, p[j] = (double)(j * j - 90 * j);
    for (int64_t l = 0; l < 4 * DIFFERENCES; l++) s.value[POINTS + l] = third[l % 4];
    for (int64_t e = 0; e < DIFFERENCES; e++) s.weight[POINTS + e] = 1e18;
    assert_true(spd_fine_factor(&s, NULL));
    spd_fine_solve(&s, p, x);
    for (int64_t j = 0; j < POINTS; j++) assert_true(fabs(x[j] - p[j]) <= 1e-10 * spd_max_abs(POINTS, p));
    for (int64_t j = 0; j < POINTS; j++) assert_true(fabs(spd_fine_row(&s, j) - p[j]) <= 1e-10 * spd_max_abs(POINTS, p));
    for (int64_t e = 0; e < DIFFERENCES; e++) assert_true(fabs(spd_fine_row(&s, POINTS + e)) <= 1e-18);
    s.diagonal[POINTS - 1] = -1e20; /* indefinite */
    assert_false(spd_fine_factor(&s, NULL));
    spd_free(arena.base);
    spd_sparse_pattern_free(&q);
}

/* One row of all columns makes a full matrix, whose factor takes 2e7 multiplications: it ends when the run is called off. */
static void a_factor_can_be_stopped(void **state) {
    (void)state;
    enum { WIDE = 500 };
    spd_sparse_pattern q;
    spd_sparse_system s;
    spd_arena arena = {0};
    spd_stop stop;
    spd_stop_start(&stop, INFINITY, NULL, NULL);
    assert_int_equal(spd_sparse_pattern_new(&q, WIDE, 1, WIDE, NULL), SPDHG_OK);
    q.ptr[1] = WIDE;
    for (int32_t j = 0; j < WIDE; j++) q.idx[j] = j;
    assert_int_equal(spd_sparse_analyse(&q, WIDE, NULL, NULL), SPDHG_OK);
    spd_sparse_layout(&s, &q, &arena);
    arena.base = SPD_NEW(double, arena.used);
    arena.used = 0;
    spd_sparse_layout(&s, &q, &arena);
    for (int64_t j = 0; j < WIDE; j++) s.diagonal[j] = s.value[j] = 1, s.shift[j] = 0;
    s.weight[0] = 1;
    assert_true(spd_sparse_factor(&s, 0, &stop));
    spd_stop_call_off(&stop);
    assert_false(spd_sparse_factor(&s, 0, &stop));
    spd_free(arena.base);
    spd_sparse_pattern_free(&q);
}

/* An order that takes long is left at once when the caller wants no more, and is otherwise the same as without anybody asking. */
static void an_order_can_be_left(void **state) {
    (void)state;
    enum { NODES = 30000, EACH = 6 };
    int32_t *first = SPD_NEW(int32_t, NODES + 1), *other = SPD_NEW(int32_t, NODES * EACH), *plain = SPD_NEW(int32_t, NODES),
            *order = SPD_NEW(int32_t, NODES);
    for (int32_t j = 0; j < NODES; j++) {
        first[j + 1] = first[j];
        for (uint32_t q = 0; q < EACH && j > EACH; q++)
            other[first[j + 1]++] = (int32_t)(((uint32_t)j * 2654435761u + q * 40503u * (uint32_t)j) % (uint32_t)j);
    }
    assert_int_equal(spd_sparse_order(NODES, first, other, plain, NULL), SPD_ORDERED);
    spd_stop stop;
    spd_stop_start(&stop, INFINITY, NULL, NULL);
    assert_int_equal(spd_sparse_order(NODES, first, other, order, &stop), SPD_ORDERED);
    assert_memory_equal(plain, order, NODES * sizeof *order);
    spd_stop_call_off(&stop);
    const double from = spd_thread_seconds();
    assert_int_equal(spd_sparse_order(NODES, first, other, order, &stop), SPD_ORDER_LEFT);
    assert_true(spd_thread_seconds() - from < 0.1); /* of this thread, which only waits */
    spd_free(first);
    spd_free(other);
    spd_free(plain);
    spd_free(order);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_rows),
                                       cmocka_unit_test(long_rows_beside),
                                       cmocka_unit_test(a_chain_does_not_fill),
                                       cmocka_unit_test(a_band_with_twice_the_digits),
                                       cmocka_unit_test(a_factor_can_be_stopped),
                                       cmocka_unit_test(an_order_can_be_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
