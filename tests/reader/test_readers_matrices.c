/* test_readers_matrices.c - all variants of Matrix Market, and CLUTO: expected matrices by hand, wrong headers refused. */
#include "la/la.h"
#include "readers.h"

static void expect(const char *text, int64_t m, int64_t n, const double *dense) {
    spd_csr A;
    spdhg_error err = {0};
    if (spd_matrix_market_read(put_text("m.mtx", text), &A, &err) != SPDHG_OK) fail_msg("%s", err.message);
    assert_true(A.m == m && A.n == n);
    double *full = calloc((size_t)(m * n), sizeof *full);
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
            assert_true(k == A.ptr[i] || A.idx[k] > A.idx[k - 1]);
            full[i * n + A.idx[k]] = A.val[k];
        }
    assert_memory_equal(full, dense, (size_t)(m * n) * sizeof *full);
    free(full);
    spd_free(A.ptr);
    spd_free(A.idx);
    spd_free(A.val);
}

static void variants(void **unused) {
    (void)unused;
    expect("%%MatrixMarket matrix coordinate real general\n% note\n\n2 3 3\n2 3 1.5\n1 2 -1\n2 1 4 % end\n", 2, 3,
           (double[]){0, -1, 0, 4, 0, 1.5});
    expect("%%matrixmarket MATRIX Coordinate Integer Symmetric\n2 2 2\n1 1 7\n2 1 3\n", 2, 2, (double[]){7, 3, 3, 0});
    expect("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n", 2, 2, (double[]){0, -3, 3, 0});
    expect("%%MatrixMarket matrix coordinate pattern general\r\n2 2 2\r\n1 1\r\n2 2\r\n", 2, 2, (double[]){1, 0, 0, 1});
    expect("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6", 2, 3, (double[]){1, 3, 5, 2, 4, 6});
    expect("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n", 2, 2, (double[]){1, 2, 2, 3});
    expect("%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n", 2, 2, (double[]){0, -5, 5, 0});
    expect("%%MatrixMarket matrix coordinate real general\n3 1 0\n", 3, 1, (double[]){0, 0, 0});
}

static void wrong_markets(void **unused) {
    (void)unused;
#define BANNER "%%MatrixMarket matrix coordinate real general\n"
    static const struct {
        const char *text, *place, *what;
    } bad[] = {
        {BANNER "2 2 2\n1 1 1\n", ":4:1:", "ends after 1 entries"},
        {BANNER "2 2 1\n1 1 1\n2 2 1\n", ":4:1:", "more entries than the 1"},
        {BANNER "2 2 1\n3 1 1\n", ":3:1:", "a row"},
        {BANNER "2 2 1\n1 0 1\n", ":3:3:", "a column"},
        {BANNER "2 2 1\n1 1\n", ":3:4:", "value"},
        {BANNER "2 2 1\n1 1 nan\n", ":3:5:", "nan"},
        {BANNER "2 2 1\n1 1 1e999\n", ":3:5:", "range"},
        {BANNER "2 2 1\n1 1 1 1\n", ":3:7:", "end of the line"},
        {BANNER "2 2 2\n1 1 1\n1 1 2\n", ":", "(1, 1) occurs twice"},
        {BANNER "2 -2 2\n", ":2:3:", "columns"},
        {BANNER "99999999999999999999 2 2\n", ":2:1:", "rows"},
        {BANNER "2 2147483648 2\n", ":2:3:", "columns"},
        {BANNER "2 2 9223372036854775807\n", ":2:5:", "entries"},
        {BANNER "500000000000000000 2 1\n1 1 1\n", ":", "claims"},
        {BANNER "", ":2:1:", "rows"},
        {"%%MatrixMarket matrix array real general\n4000000000000000 2000000000\n", ":2:1", ""},
        {"%%MatrixMarket matrix array real general\n500000000000000000 2000000000\n", ":2:20:", "too many"},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 0\n", ":1:34:", "real, integer or pattern"},
        {"%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", ":1:39:", "symmetric"},
        {"%%MatrixMarket matrix array pattern general\n1 1\n", ":1:29:", "pattern"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", ":2:3:", "square"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", ":3:3:", "diagonal"},
        {"%%MatrixMarket tensor\n", ":1:16:", "matrix"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        spd_csr A;
        spdhg_error err = {0};
        const char *path = put_text("bad.mtx", bad[i].text);
        const spdhg_status status = spd_matrix_market_read(path, &A, &err);
        if (status != SPDHG_DATA && !(i == 15 && status == SPDHG_MEMORY))
            fail_msg("%zu: status %d %s", i, (int)status, err.message);
        char start[200];
        snprintf(start, sizeof start, "%s%s", path, bad[i].place);
        if (i != 15 && (strncmp(err.message, start, strlen(start)) != 0 || !strstr(err.message, bad[i].what)))
            fail_msg("'%s', expected '%s' with '%s'", err.message, start, bad[i].what);
        assert_null(A.ptr);
    }
}

static void market_as_data(void **unused) {
    (void)unused;
    const char *path = put_text("d.mtx", BANNER "2 2 3\n2 2 5\n2 2 6\n1 1 1\n");
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.duplicates = SPDHG_DUPLICATES_SUM;
    must_refuse(path, &o, SPDHG_DATA, ":", "no labels");
    o.unlabelled_ok = true;
    spdhg_data *d = must_read(path, &o);
    assert_true(d->nnz == 2 && d->val[1] == 11 && d->targets == 0);
    spdhg_data_free(d);
}

static void cluto(void **unused) {
    (void)unused;
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.unlabelled_ok = true;
    const char *path = put_text("c.mat", "3 4 3\n4 2.5 1 1\n\n2 -1\n");
    spdhg_data *d = must_read(path, &o);
    assert_string_equal(d->format, "cluto");
    const int64_t ptr[] = {0, 2, 2, 3};
    const int32_t idx[] = {0, 3, 1};
    const double val[] = {1, 2.5, -1};
    assert_memory_equal(d->ptr, ptr, sizeof ptr);
    assert_memory_equal(d->idx, idx, sizeof idx);
    assert_memory_equal(d->val, val, sizeof val);
    assert_true(d->targets == 0 && d->features == 4 && d->notes.unsorted_rows == 1);
    spdhg_data_free(d);
    must_refuse(path, NULL, SPDHG_DATA, ":", "no labels");
    put_text("c.mat.rclass", "sun\nair\nsun\n");
    d = must_read(path, NULL);
    assert_true(d->labels == 2 && strcmp(d->label[0], "air") == 0 && d->b[0] == 1 && d->b[1] == 0);
    spdhg_data_free(d);
    put_text("c.mat.rclass", "2\n-1\n2.0\n");
    d = must_read(path, NULL);
    assert_true(d->labels == 0 && d->b[0] == 2 && d->b[1] == -1 && d->b[2] == 2);
    spdhg_data_free(d);
    spdhg_data *none;
    put_text("c.mat.rclass", "2\n-1\n");
    assert_int_equal(spdhg_data_read(&none, path, NULL, NULL), SPDHG_DATA);
    static const struct {
        const char *text, *place, *what;
    } bad[] = {
        {"2 2 2\n1 1\n", ":3:1:", "ends after 1 rows"},
        {"1 2 2\n1 1\n", ":3:1:", "1 entries"},
        {"1 2 1\n3 1\n", ":2:1:", "a column"},
        {"1 2 1\n1\n", ":2:2:", "value"},
        {"1 2 1\n1 1\n1 1\n", ":3:1:", "more rows"},
        {"1 2\n1 2 3\n", ":2:5:", "more numbers"},
        {"1 2\n1\n", ":2:2:", "1 numbers"},
        {"1 2 2\n1 1 1 2\n", ":2:8:", "twice"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        must_refuse(put_text("bad.mat", bad[i].text), &o, SPDHG_DATA, bad[i].place, bad[i].what);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants),
        cmocka_unit_test(wrong_markets),
        cmocka_unit_test(market_as_data),
        cmocka_unit_test(cluto),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
