/* test_ranks.c - processes that share out sums, here threads with a transport of their own: the same bits as one process, for any
 * number of them, and failures and wishes to stop that all learn of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ranks/ranks.h"

enum { MOST = 19, WIDTH = 9001, STRIDE = WIDTH + 2, ROWS = 40 * SPD_ROWS_PER_BLOCK + 17, BLOCKS = 41 };

/* ---- a transport of threads: everybody meets at a barrier before and after something is copied. */
typedef struct place {
    pthread_barrier_t all;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    const double *letter[MOST][MOST]; /* from, to; NULL: none */
    int64_t largest[MOST][8];
    void *block;
    int size;
} place;
typedef struct seat {
    place *at;
    int rank;
} seat;

static void largest(void *self, int64_t *number, int count) {
    seat *s = self;
    memcpy(s->at->largest[s->rank], number, (size_t)count * sizeof *number);
    pthread_barrier_wait(&s->at->all);
    for (int k = 0; k < s->at->size; k++)
        for (int q = 0; q < count; q++)
            if (s->at->largest[k][q] > number[q]) number[q] = s->at->largest[k][q];
    pthread_barrier_wait(&s->at->all);
}

static void send(void *self, int to, const double *number, int64_t count) {
    (void)count;
    seat *s = self;
    pthread_mutex_lock(&s->at->lock);
    s->at->letter[s->rank][to] = number;
    pthread_cond_broadcast(&s->at->moved);
    while (s->at->letter[s->rank][to]) pthread_cond_wait(&s->at->moved, &s->at->lock);
    pthread_mutex_unlock(&s->at->lock);
}

static void receive(void *self, int from, double *number, int64_t count) {
    seat *s = self;
    pthread_mutex_lock(&s->at->lock);
    while (!s->at->letter[from][s->rank]) pthread_cond_wait(&s->at->moved, &s->at->lock);
    memcpy(number, s->at->letter[from][s->rank], (size_t)count * sizeof *number);
    s->at->letter[from][s->rank] = NULL;
    pthread_cond_broadcast(&s->at->moved);
    pthread_mutex_unlock(&s->at->lock);
}

static void broadcast(void *self, int from, void *block, int64_t bytes) {
    seat *s = self;
    if (s->rank == from) s->at->block = block;
    pthread_barrier_wait(&s->at->all);
    if (s->rank != from) memcpy(block, s->at->block, (size_t)bytes);
    pthread_barrier_wait(&s->at->all);
}

static void end(void *self) { (void)self; }

/* Runs body(ranks, result of this one) in `size` threads. */
typedef struct job {
    seat seat;
    void (*body)(spdhg_ranks *ranks, void *result);
    void *result;
} job;

static void *one(void *argument) {
    job *j = argument;
    const spd_transport via = {.version = SPD_TRANSPORT_VERSION,
                               .rank = j->seat.rank,
                               .size = j->seat.at->size,
                               .context = &j->seat,
                               .largest = largest,
                               .send = send,
                               .receive = receive,
                               .broadcast = broadcast,
                               .end = end};
    spdhg_ranks *ranks = NULL;
    spdhg_error err;
    if (spd_ranks_over(&ranks, &via, &err) != SPDHG_OK) abort();
    j->body(ranks, j->result);
    return NULL;
}

static void together(int size, void (*body)(spdhg_ranks *, void *), void *result, size_t bytes) {
    place at = {.size = size, .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    pthread_t thread[MOST];
    job j[MOST];
    pthread_barrier_init(&at.all, NULL, (unsigned)size);
    for (int k = 0; k < size; k++) {
        j[k] = (job){.seat = {&at, k}, .body = body, .result = (char *)result + (size_t)k * bytes};
        assert_int_equal(pthread_create(&thread[k], NULL, one, &j[k]), 0);
    }
    for (int k = 0; k < size; k++) pthread_join(thread[k], NULL);
    pthread_barrier_destroy(&at.all);
}

/* ---- sums */
static double number(int64_t row, int64_t q) {
    uint64_t bits[2];
    spd_random(7, SPD_STREAM_TEST, (uint64_t)(row * WIDTH + q), bits);
    return ldexp(spd_uniform(bits[0]) - 0.5, (int)(bits[1] % 40)); /* of very different sizes: every order of addition differs */
}

static void add(void *context, int64_t first, int64_t end_, double *partial) {
    (void)context;
    partial[WIDTH] = 5; /* scratch */
    for (int64_t i = first; i < end_; i++)
        for (int64_t q = 0; q < WIDTH && i % 997 == 0; q++) partial[q] += number(i, q);
}

static double add_block(void *context, int64_t first, int64_t end_) {
    (void)context;
    double sum = 0;
    for (int64_t i = first; i < end_; i++) sum += number(i, 3);
    return sum;
}

typedef struct sums {
    double in_turn[WIDTH], on_threads[WIDTH], few[WIDTH], blocks;
    double row[2 * ROWS];
    bool good, whole;
} sums;

static void fill_block(void *row, int64_t b) {
    double *at = row;
    for (int64_t i = b * SPD_ROWS_PER_BLOCK; i < (b + 1) * SPD_ROWS_PER_BLOCK && i < ROWS; i++)
        for (int k = 0; k < 2; k++) at[2 * i + k] = number(i, k);
}

static void sum_all(spdhg_ranks *ranks, void *result) {
    sums *out = result;
    const int64_t shards = spd_shards(ROWS, 100);
    spd_row_sum s = {.ranks = ranks, .rows = ROWS, .shards = shards, .width = WIDTH, .stride = STRIDE, .add = add};
    const int64_t numbers = spd_row_sum_work(ranks, shards, STRIDE, false);
    double *work = malloc((size_t)numbers * sizeof *work), partial[BLOCKS];
    spd_row_sum_run(&s, 2, work);
    memcpy(out->on_threads, work, sizeof out->on_threads);
    s.shards = 4;
    spd_row_sum_run(&s, 1, work);
    memcpy(out->few, work, sizeof out->few);
    free(work);
    s.shards = shards;
    s.in_turn = true;
    work = malloc((size_t)spd_row_sum_work(ranks, shards, STRIDE, true) * sizeof *work);
    spd_row_sum_run(&s, 1, work);
    memcpy(out->in_turn, work, sizeof out->in_turn);
    free(work);
    out->blocks = spd_block_sum(ranks, ROWS, 2, add_block, NULL, partial);
    const spd_row_arrays written = {.rows = ROWS, .width = 2, .count = 2, .array = {out->row, NULL}};
    spd_row_blocks_sum(ranks, 1, fill_block, out->row, &written, NULL);
    out->good = spd_ranks_good(ranks, NULL) == SPDHG_OK;
    out->whole = spdhg_ranks_close(ranks, SPDHG_OK, NULL) == SPDHG_OK;
}

static void sums_do_not_depend_on_who_adds(void **unused) {
    (void)unused;
    sums *expected = calloc(1, sizeof *expected), *got = malloc(MOST * sizeof *got);
    assert_non_null(expected);
    assert_non_null(got);
    sum_all(NULL, expected);
    for (int size = 1; size <= MOST; size += size < 9 ? 1 : 5) {
        memset(got, 0, MOST * sizeof *got);
        together(size, sum_all, got, sizeof *got);
        for (int k = 0; k < size; k++) {
            assert_true(got[k].good && got[k].whole);
            assert_memory_equal(got[k].in_turn, expected->in_turn, sizeof expected->in_turn);
            assert_memory_equal(got[k].on_threads, expected->in_turn, sizeof expected->in_turn);
            assert_memory_equal(got[k].few, expected->few, sizeof expected->few);
            assert_memory_equal(got[k].row, expected->row, sizeof expected->row);
            assert_true(got[k].blocks == expected->blocks);
        }
    }
    free(expected);
    free(got);
}

/* ---- wishes and failures */
typedef struct heard {
    spd_why why, agreed, after;
    spdhg_status status, closed;
    spdhg_error err;
    double sum;
} heard;

static bool never(void *context) {
    (void)context;
    return false;
}

/* Process 1 is late: nobody stops before the next meeting, everybody after it. */
static void one_is_late(spdhg_ranks *ranks, void *result) {
    heard *out = result;
    double partial[BLOCKS];
    spd_stop stop;
    spd_stop_start(&stop, spdhg_ranks_rank(ranks) == 1 ? 0 : INFINITY, never, NULL);
    spd_ranks_watch(ranks, &stop);
    out->why = spd_stop_now(&stop) ? SPD_LATE : SPD_GO_ON;
    out->agreed = spd_ranks_agree(ranks, spd_stop_wish(&stop));
    spd_block_sum(ranks, ROWS, 1, add_block, NULL, partial);
    out->after = spd_stop_why(&stop);
    out->closed = spdhg_ranks_close(ranks, SPDHG_OK, NULL);
}

static void all_stop_when_one_is_late(void **unused) {
    (void)unused;
    heard got[4];
    together(4, one_is_late, got, sizeof *got);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(got[k].why, SPD_GO_ON);
        assert_int_equal(got[k].agreed, SPD_LATE);
        assert_int_equal(got[k].after, SPD_LATE);
        assert_int_equal(got[k].closed, SPDHG_OK);
    }
}

/* Process 2 fails while the others add: they learn it there, and add no more. */
static void one_fails(spdhg_ranks *ranks, void *result) {
    heard *out = result;
    double partial[BLOCKS];
    if (spdhg_ranks_rank(ranks) == 2) {
        out->status = spd_fail(&out->err, SPDHG_DATA, "part-2.svm:17: not a number");
        out->closed = spdhg_ranks_close(ranks, out->status, &out->err);
        return;
    }
    for (int round = 0; round < 3; round++) out->sum = spd_block_sum(ranks, ROWS, 1, add_block, NULL, partial);
    out->status = spd_ranks_good(ranks, &out->err);
    out->closed = spdhg_ranks_close(ranks, out->status, &out->err);
}

static void a_failure_is_everybodys(void **unused) {
    (void)unused;
    heard got[4];
    memset(got, 0, sizeof got);
    together(4, one_fails, got, sizeof *got);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(got[k].status, SPDHG_DATA);
        assert_int_equal(got[k].closed, SPDHG_DATA);
        assert_non_null(strstr(got[k].err.message, "part-2.svm:17: not a number"));
        assert_non_null(strstr(got[k].err.message, "process 2 of 4"));
    }
}

/* The same failure everywhere is no process's own. */
static void all_fail(spdhg_ranks *ranks, void *result) {
    heard *out = result;
    out->status = spd_ranks_settle(ranks, spd_fail(&out->err, SPDHG_USAGE, "no such solver"), &out->err);
    out->closed = spdhg_ranks_close(ranks, out->status, &out->err);
}

/* A process that goes another way is found out. */
static void one_strays(spdhg_ranks *ranks, void *result) {
    heard *out = result;
    double partial[BLOCKS];
    if (spdhg_ranks_rank(ranks) == 0)
        spd_block_sum(ranks, ROWS, 1, add_block, NULL, partial);
    else
        spd_ranks_agree(ranks, SPD_GO_ON);
    out->status = spd_ranks_good(ranks, NULL);
    out->closed = spdhg_ranks_close(ranks, out->status, &out->err);
}

static void ways_that_differ(void **unused) {
    (void)unused;
    heard got[3];
    together(3, all_fail, got, sizeof *got);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(got[k].closed, SPDHG_USAGE);
        assert_string_equal(got[k].err.message, "no such solver");
    }
    together(3, one_strays, got, sizeof *got);
    for (int k = 0; k < 3; k++) assert_int_equal(got[k].closed, SPDHG_INTERNAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_do_not_depend_on_who_adds),
                                       cmocka_unit_test(all_stop_when_one_is_late), cmocka_unit_test(a_failure_is_everybodys),
                                       cmocka_unit_test(ways_that_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
