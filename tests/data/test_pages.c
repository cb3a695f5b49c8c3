/* test_pages.c - data whose rows have addresses without contents, by columns or on disk, give their addresses back: mapped
 * memory that is lost is no leak that a sanitizer sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/core.h"
#include "spdhg.h"

enum { ROWS = 1000, FEATURES = 500, ENTRIES = ROWS * FEATURES, TIMES = 30 };

/* Bytes of the process's address space. */
static double mapped(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) skip();
    assert_int_equal(fscanf(file, "%ld", &pages), 1);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

typedef struct matrix {
    int64_t ptr[FEATURES + 1];
    int32_t row[ENTRIES];
    double val[ENTRIES], b[ROWS];
} matrix;

static matrix *make(void) {
    matrix *m = SPD_NEW(matrix, 1);
    for (int64_t j = 0; j <= FEATURES; j++) m->ptr[j] = j * ROWS;
    for (int64_t e = 0; e < ENTRIES; e++) m->row[e] = (int32_t)(e % ROWS), m->val[e] = 1 + (double)(e % 7);
    return m;
}

static void by_columns(const matrix *m, const char *path) {
    (void)path;
    spdhg_data *data;
    spdhg_error err;
    assert_int_equal(spdhg_data_from_csc(&data, ROWS, FEATURES, m->ptr, m->row, m->val, m->b, 1, SPDHG_BORROW, &err), SPDHG_OK);
    spdhg_data_free(data);
}

static void on_disk(const matrix *m, const char *path) {
    (void)m;
    spdhg_data *data;
    spdhg_error err;
    spdhg_read_options options = SPDHG_READ_OPTIONS;
    options.on_disk = 2;
    assert_int_equal(spdhg_data_read(&data, path, &options, &err), SPDHG_OK);
    spdhg_data_free(data);
}

/* Each array alone has at least 4 bytes for an entry. */
static void keeps_nothing(void (*open)(const matrix *m, const char *path), const char *path) {
    matrix *m = make();
    open(m, path);
    const double before = mapped();
    for (int i = 0; i < TIMES; i++) open(m, path);
    assert_true(mapped() - before < 2.0 * TIMES * ENTRIES);
    spd_free(m);
}

static void test_by_columns(void **state) {
    (void)state;
    keeps_nothing(by_columns, NULL);
}

static void test_on_disk(void **state) {
    (void)state;
    char path[] = "/tmp/spdhg-pages-XXXXXX";
    const int file = mkstemp(path);
    matrix *m = make();
    spdhg_data *data;
    spdhg_error err;
    assert_true(file >= 0);
    close(file);
    assert_int_equal(spdhg_data_from_csc(&data, ROWS, FEATURES, m->ptr, m->row, m->val, m->b, 1, SPDHG_BORROW, &err), SPDHG_OK);
    assert_int_equal(spdhg_data_write(data, path, "cache", &err), SPDHG_OK);
    spdhg_data_free(data);
    spd_free(m);
    keeps_nothing(on_disk, path);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_columns), cmocka_unit_test(test_on_disk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
