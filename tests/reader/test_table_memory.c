/* test_table_memory.c - a table with categories and gaps is read in little more memory than what it is stored in: its cells are
 * not held beside the features made of them. */
#include <sys/resource.h>

#include "readers.h"

#if defined(__SANITIZE_ADDRESS__) /* memory that is freed stays resident there */
enum { MEASURES = 0 };
#else
enum { MEASURES = 1 };
#endif
enum { ROWS = 300000, NUMBERS = 12 };

static double resident(void) { /* the most so far, in bytes */
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    return 1024.0 * (double)used.ru_maxrss;
}

static const char *make_table(void) {
    const char *path = in_folder("t.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int j = 0; j < NUMBERS; j++) fprintf(file, "x%d,", j);
    fprintf(file, "city,size,y\n");
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < NUMBERS; j++) fprintf(file, (i + j) % 50 ? "%d," : "NA,", 1 + (i * (j + 3)) % 97);
        fprintf(file, "c%d,s%d,%d\n", i % 9, i % 4, i % 13);
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static void one_copy(void **unused) {
    (void)unused;
    const char *path = make_table();
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.threads = 1;
    o.missing = "mean";
    spdhg_data *d;
    spdhg_error err;
    const double before = resident();
    assert_int_equal(spdhg_data_read(&d, path, &o, &err), SPDHG_OK);
    const double grown = resident() - before, stored = spd_data_bytes(d), cells = 8.0 * ROWS * (NUMBERS + 2);
    assert_true(d->idx && d->rows == ROWS && d->nnz > (int64_t)ROWS * NUMBERS && cells > stored / 2);
    spdhg_data_free(d);
    if (MEASURES && grown > 1.1 * stored + 8e6) fail_msg("%.1f MB for what is stored in %.1f MB", grown / 1e6, stored / 1e6);
    o.max_memory = (uint64_t)(1.1 * stored + 8e6); /* the budget knows that */
    assert_int_equal(spdhg_data_read(&d, path, &o, &err), SPDHG_OK);
    spdhg_data_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_copy)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
