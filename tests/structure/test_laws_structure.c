/* test_laws_structure.c - the laws every structure obeys, and matrices written out by hand.
 * <Fx,y> = <x,F'y>; columns ascend; norm bound >= power method. */
#include "structures.h"

#define FILE_NAME "test_laws_structure.tmp"

static void laws_of(const char *spec, int64_t d) {
    spdhg_structure *F = make(spec, d);
    const int64_t m = spdhg_structure_rows(F);
    double *work = SPD_NEW(double, d + m);
    for (int64_t K = 1; K <= 3; K += 2) {
        double *x = SPD_NEW(double, d *K), *y = SPD_NEW(double, m *K), *Fx = SPD_NEW(double, m *K), *Fty = SPD_NEW(double, d *K);
        law_normals(1, d * K, 1, x);
        law_normals(2, m * K, 1, y);
        spd_csr_apply(&F->F, K, x, Fx);
        spd_csr_apply_transposed(&F->F, K, y, Fty);
        assert_near(spec, law_dot(m * K, Fx, y), law_dot(d * K, x, Fty), 1e-11);
        spd_free(x), spd_free(y), spd_free(Fx), spd_free(Fty);
    }
    assert_at_most(spec, spd_csr_power(&F->F, 300, work), spdhg_structure_norm_bound(F) * (1 + 1e-12));
    if (!spd_csr_is_identity(&F->F))
        for (int64_t e = 0; e < m; e++)
            for (int64_t p = F->F.ptr[e]; p < F->F.ptr[e + 1]; p++) {
                assert_true(F->F.idx[p] >= 0 && F->F.idx[p] < d);
                assert_true(p == F->F.ptr[e] || F->F.idx[p] > F->F.idx[p - 1]);
            }
    spd_free(work);
    spdhg_structure_free(F);
}

static void every_structure(void **unused) {
    (void)unused;
    law_file(FILE_NAME, "1 2\n3 2 0.5\n24 7 -2\n");
    law_file(FILE_NAME ".mtx", "%%MatrixMarket matrix coordinate real general\n4 24 5\n1 1 2\n1 3 -1\n3 24 4\n3 2 1\n4 4 0\n");
    static const char *const spec[] = {"identity", "chain",     "trend:0",    "trend:1",          "trend:5",
                                       "grid:4x6", "grid:1x24", "grid:2x3x4", "edges:" FILE_NAME, "matrix:" FILE_NAME ".mtx"};
    int entries;
    const spd_structure_kind *const *table = spd_structure_table(&entries);
    for (int i = 0; i < entries; i++) { /* a new entry needs test data */
        bool there = false;
        for (size_t j = 0; j < sizeof spec / sizeof *spec; j++) there = there || spd_spec_is(spec[j], table[i]->name);
        if (!there) fail_msg("no test datum for structure '%s'", table[i]->name);
    }
    for (size_t j = 0; j < sizeof spec / sizeof *spec; j++) laws_of(spec[j], 24);
    unlink(FILE_NAME);
    unlink(FILE_NAME ".mtx");
}

static void chain_and_trend(void **unused) {
    (void)unused;
    const double chain[] = {-1, 1, 0, 0, 0, -1, 1, 0, 0, 0, -1, 1};
    const double second[] = {1, -2, 1, 0, 0, 1, -2, 1};
    const double third[] = {-1, 3, -3, 1};
    spdhg_structure *F = make("chain", 4);
    assert_rows(F, 3, 4, chain);
    assert_near("bound", spdhg_structure_norm_bound(F), 2, 1e-15);
    spdhg_structure_free(F);
    F = make("trend:0", 4);
    assert_rows(F, 3, 4, chain);
    spdhg_structure_free(F);
    F = make("trend:1", 4);
    assert_rows(F, 2, 4, second);
    spdhg_structure_free(F);
    F = make("trend:2", 4);
    assert_rows(F, 1, 4, third);
    spdhg_structure_free(F);
    F = make("trend:10", 12); /* the alternating row of Pascal's triangle */
    assert_true(F->F.val[0] == -1 && F->F.val[1] == 11 && F->F.val[5] == 462 && F->F.val[6] == -462 && F->F.val[11] == 1);
    spdhg_structure_free(F);
    F = make("chain", 1);
    assert_true(spdhg_structure_rows(F) == 0 && spdhg_structure_norm_bound(F) == 0);
    spdhg_structure_free(F);
    spdhg_structure_free(NULL);
    assert_fault("trend:2", 3, SPDHG_USAGE, "structure 'trend:2': needs more than 3 features, the data have 3");
    assert_fault("trend", 9, SPDHG_USAGE, "structure 'trend': expected a whole number from 0 to 10 after 'trend:'");
    assert_fault("trend:11", 99, SPDHG_USAGE, "structure 'trend:11': expected a whole number from 0 to 10 after 'trend:'");
    assert_fault("chain:1", 9, SPDHG_USAGE, "structure 'chain:1': chain takes no argument");
    assert_fault("identity:", 9, SPDHG_USAGE, "structure 'identity:': identity takes no argument");
    assert_fault("tree", 9, SPDHG_USAGE,
                 "unknown structure 'tree'; did you mean 'trend'? Expected one of: identity, chain, trend, grid, edges, matrix");
    assert_fault("chain", -1, SPDHG_USAGE, "a structure over -1 features; expected 0 to 2147483646");
}

static void grids(void **unused) {
    (void)unused;
    /* pixels 0 1 2 / 3 4 5: for each pixel first down, then right */
    const double wanted[7][6] = {{-1, 0, 0, 1, 0, 0}, {-1, 1, 0, 0, 0, 0}, {0, -1, 0, 0, 1, 0}, {0, -1, 1, 0, 0, 0},
                                 {0, 0, -1, 0, 0, 1}, {0, 0, 0, -1, 1, 0}, {0, 0, 0, 0, -1, 1}};
    spdhg_structure *F = make("grid:2x3", 6);
    assert_rows(F, 7, 6, &wanted[0][0]);
    assert_true(F->side[0] == 2 && F->side[1] == 3 && F->side[2] == 1);
    int64_t *group;
    const int64_t pixel[7] = {0, 0, 1, 1, 2, 3, 4};
    assert_int_equal(spd_structure_groups(F, "grid", &group, NULL), SPDHG_OK);
    assert_memory_equal(group, pixel, sizeof pixel);
    spd_free(group);
    spdhg_structure_free(F);
    F = make("grid:2x1x2", 4); /* pixel (h,w,l) is feature (h*1 + w)*2 + l */
    const double volume[4][4] = {{-1, 0, 1, 0}, {-1, 1, 0, 0}, {0, -1, 0, 1}, {0, 0, -1, 1}};
    assert_rows(F, 4, 4, &volume[0][0]);
    spdhg_structure_free(F);
    assert_fault("grid:2x3", 7, SPDHG_USAGE, "structure 'grid:2x3': the grid has 6 pixels, the data have 7 features");
    static const char *const wrong[] = {"grid",      "grid:",        "grid:6",     "grid:2x", "grid:0x6",
                                        "grid:2x3x", "grid:2x3x1x1", "grid:-2x-3", "grid:2,3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char message[200];
        snprintf(message, sizeof message, "structure '%s': expected 'grid:HxW' or 'grid:HxWxD', whole numbers above 0", wrong[i]);
        assert_fault(wrong[i], 6, SPDHG_USAGE, message);
    }
    assert_fault("grid:4294967296x4294967296", 0, SPDHG_USAGE,
                 "structure 'grid:4294967296x4294967296': too many pixels for 0 features");
}

static void matrix_files(void **unused) {
    (void)unused;
    law_file(FILE_NAME, "%%MatrixMarket matrix coordinate real general\n4 3 4\n1 1 2\n1 3 -1\n3 2 0\n4 2 5\n");
    const double wanted[2][3] = {{2, 0, -1}, {0, 5, 0}}; /* row 2 is empty, row 3 is 0 */
    spdhg_structure *F = make("matrix:" FILE_NAME, 3);
    assert_rows(F, 2, 3, &wanted[0][0]);
    spdhg_structure_free(F);
    assert_fault("matrix:" FILE_NAME, 5, SPDHG_DATA, FILE_NAME ": the matrix has 3 columns, the data have 5 features");
    law_file(FILE_NAME, "%%MatrixMarket matrix coordinate real general\n2 3 0\n");
    assert_fault("matrix:" FILE_NAME, 3, SPDHG_DATA, FILE_NAME ": no row has a number other than 0, nothing to penalise");
    unlink(FILE_NAME);
}

static void rows_of_the_caller(void **unused) {
    (void)unused;
    const int64_t ptr[] = {0, 2, 2, 3};
    const int32_t idx[] = {0, 2, 1}, backwards[] = {2, 0, 1}, outside[] = {0, 3, 1};
    const double val[] = {1, -3, 2}, odd[] = {1, NAN, 2}, wanted[3][3] = {{1, 0, -3}, {0, 0, 0}, {0, 2, 0}},
                 huge[] = {1e300, 1e300, 1e308};
    spdhg_structure *F;
    spdhg_error err;
    assert_int_equal(spdhg_structure_from_csr(&F, 3, 3, ptr, idx, val, &err), SPDHG_OK);
    assert_rows(F, 3, 3, &wanted[0][0]); /* empty rows stay: the caller relies on the row numbers */
    const double weight[3] = {2, 0, 0.5}, scaled[2][3] = {{2, 0, -6}, {0, 1, 0}}, wrong[3] = {1, -1, 1};
    spdhg_structure *G;
    int64_t *kept;
    assert_int_equal(spd_structure_weighted(&G, F, weight, &kept, &err), SPDHG_OK);
    assert_rows(G, 2, 3, &scaled[0][0]);
    assert_true(kept[0] == 0 && kept[1] == 2);
    assert_near("bound", spdhg_structure_norm_bound(G), sqrt(40), 1e-14);
    spd_free(kept);
    spdhg_structure_free(G);
    assert_int_equal(spd_structure_weighted(&G, F, wrong, &kept, &err), SPDHG_DATA);
    assert_string_equal(err.message, "row weight 2 is -1; expected a finite number of at least 0");
    assert_true(!G && !kept);
    spdhg_structure_free(F);
    assert_int_equal(spdhg_structure_from_csr(&F, 3, 3, ptr, backwards, val, &err), SPDHG_DATA);
    assert_int_equal(spdhg_structure_from_csr(&F, 3, 3, ptr, outside, val, &err), SPDHG_DATA);
    assert_string_equal(err.message, "structure: column 3 in row 0; expected ascending columns from 0 to 2");
    assert_int_equal(spdhg_structure_from_csr(&F, 3, 3, ptr, idx, odd, &err), SPDHG_DATA);
    assert_int_equal(spdhg_structure_from_csr(&F, 3, 3, ptr, idx, huge, &err), SPDHG_OK);
    assert_at_most("norm", 1e308, spdhg_structure_norm_bound(F));
    spdhg_structure_free(F);
    F = make("identity", 3);
    const double diagonal[2][3] = {{2, 0, 0}, {0, 0, 0.5}};
    assert_int_equal(spd_structure_weighted(&G, F, weight, NULL, &err), SPDHG_OK);
    assert_rows(G, 2, 3, &diagonal[0][0]);
    spdhg_structure_free(G);
    spdhg_structure_free(F);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_structure), cmocka_unit_test(chain_and_trend),
                                       cmocka_unit_test(grids), cmocka_unit_test(matrix_files),
                                       cmocka_unit_test(rows_of_the_caller)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
