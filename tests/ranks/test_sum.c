/* test_sum.c - sums over rows have the same bits in turn and on any number of threads: those of the tree, written out here by
 * recursion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ranks/ranks.h"

enum { WIDTH = 5000, STRIDE = WIDTH + 3, SIDE = 70 };

static double number(int64_t row, int64_t q) {
    uint64_t bits[2];
    spd_random(7, SPD_STREAM_TEST, (uint64_t)(row * WIDTH + q), bits);
    return ldexp(spd_uniform(bits[0]) - 0.5, (int)(bits[1] % 40)); /* of very different sizes: every order of addition differs */
}

/* Every 997th row, so that there are many shards and little work. */
static void add(void *context, int64_t first, int64_t end, double *partial) {
    (void)context;
    partial[WIDTH] = 5; /* scratch */
    for (int64_t i = first; i < end; i++)
        for (int64_t q = 0; q < WIDTH && i % 997 == 0; q++) partial[q] += number(i, q);
}

/* The sum of shards first..first+count-1, count a power of two. */
static double tree(int64_t rows, int64_t shards, int64_t first, int64_t count, int64_t q) {
    if (count > 1) return tree(rows, shards, first, count / 2, q) + tree(rows, shards, first + count / 2, count / 2, q);
    double sum = 0;
    for (int64_t i = spd_shard_first(rows, shards, first); i < spd_shard_first(rows, shards, first + 1); i++)
        if (i % 997 == 0) sum += number(i, q);
    return sum;
}

static void sums_are_those_of_the_tree(void **unused) {
    (void)unused;
    const int64_t rows[] = {1, 2048, 2049, 3 * 2048 + 1, 9 * 2048, 60 * 2048 + 17};
    double *work = malloc(SPD_SHARDS_MOST * STRIDE * sizeof *work);
    assert_non_null(work);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const int64_t shards = spd_shards(rows[r], 100);
        for (int threads = 0; threads < 4; threads++) {
            for (int64_t q = 0; q < SPD_SHARDS_MOST * STRIDE; q++) work[q] = NAN;
            assert_true(spd_row_sum_work(NULL, shards, STRIDE, threads == 0) <= SPD_SHARDS_MOST * STRIDE);
            spd_row_sum_run(&(spd_row_sum){.rows = rows[r],
                                           .shards = shards,
                                           .width = WIDTH,
                                           .stride = STRIDE,
                                           .add = add,
                                           .lower = threads == 3 ? SIDE : 0,
                                           .in_turn = threads == 0},
                            threads, work);
            for (int64_t q = 0; q < WIDTH; q += 13)
                if (threads < 3 || (q < SIDE * SIDE && q % SIDE <= q / SIDE))
                    assert_true(work[q] == tree(rows[r], shards, 0, shards, q));
        }
    }
    free(work);
}

static void shards_are_whole_blocks(void **unused) {
    (void)unused;
    for (int64_t rows = 1; rows < 100 * 2048; rows += 777) {
        const int64_t shards = spd_shards(rows, SPD_SHARDS_MOST);
        assert_true(spd_shard_first(rows, shards, 0) == 0 && spd_shard_first(rows, shards, shards) == rows);
        for (int64_t s = 0; s < shards; s++) {
            const int64_t first = spd_shard_first(rows, shards, s), end = spd_shard_first(rows, shards, s + 1);
            assert_true(first < end && first % SPD_ROWS_PER_BLOCK == 0);
            if (shards > 1 && s % 2 == 0) assert_true(spd_shard_first(rows, shards / 2, s / 2) == first);
        }
    }
}

static double ones(void *context, int64_t first, int64_t end) {
    (void)context;
    return (double)(end - first);
}

static void blocks_cover_the_rows(void **unused) {
    (void)unused;
    double partial[8];
    for (int64_t rows = 1; rows < 8 * 2048; rows += 511)
        assert_true(spd_block_sum(NULL, rows, 2, ones, NULL, partial) == (double)rows);
}

static void pairs_keep_twice_the_digits(void **unused) {
    (void)unused;
    double into[4] = {1, 1e-20, 1e17, 0};
    spd_join_twofold(NULL, 0, 4, (const double[]){1e-17, 1e-36, 1, -1e-3}, into);
    assert_true(into[0] == 1 && fabs(into[1] - 1.001e-17) < 1e-32);
    assert_true(into[0 + 2] + into[3] == 1e17 && into[3] == 1 - 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_the_tree), cmocka_unit_test(shards_are_whole_blocks),
                                       cmocka_unit_test(blocks_cover_the_rows), cmocka_unit_test(pairs_keep_twice_the_digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
