/* test_structure_files.c - edge and group files: their meaning, and every error with its position. */
#include "structures.h"

#define FILE_NAME "test_structure_files.tmp"

static void edge_files(void **unused) {
    (void)unused;
    const double wanted[4][4] = {{1, -1, 0, 0}, {0, -2, 2, 0}, {0.5, 0, 0, 0.5}, {0, 0, 1, -1}};
    static const char *const same[] = {
        "1 2\n3 2 2\n4 1 -0.5\n3,4\n",
        "\xef\xbb\xbf# from 0\r\n\r\n  0\t1 \r\n2, 1, 2e0 % two\r\n3 0 -.5#c\r\n2,3",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        law_file(FILE_NAME, same[i]);
        spdhg_structure *F = make("edges:" FILE_NAME, 4);
        assert_rows(F, 4, 4, &wanted[0][0]);
        spdhg_structure_free(F);
    }
    static const struct {
        const char *content, *message;
    } fault[] = {
        {"1 2\n2 5\n", ":2:3: feature 5 is out of range, expected 1 to 4"},
        {"1 2\n-1 2\n", ":2:1: feature -1 is out of range, expected 1 to 4"},
        {"1 2\n\n# c\n 0 1\n3 4\n", ":5:3: feature 4 is out of range, expected 0 to 3, counted from 0 as in line 4"},
        {"1 2\n 3  3\n", ":2:5: an edge from a feature to itself"},
        {"1 2\n3 4\n1 3\n2 1 7\n4 3\n", ":4:1: the edge between features 2 and 1 was given before, in line 1"},
        {"1 2 0\n", ":1:5: expected a weight: a finite number other than 0"},
        {"1 2 nan\n", ":1:5: expected a weight: a finite number other than 0"},
        {"1 2 -inf\n", ":1:5: expected a weight: a finite number other than 0"},
        {"1 2 1e999\n", ":1:5: expected a weight: a finite number other than 0"},
        {"1 2 3x\n", ":1:5: expected a weight: a finite number other than 0"},
        {"1 2 3 4\n", ":1:7: expected the end of the line after 'i j weight'"},
        {"1 2\n1\n", ":2:2: expected the number of a feature: 'i j [weight]'"},
        {"1 2\na 1\n", ":2:1: expected the number of a feature: 'i j [weight]'"},
        {"1 2.5\n", ":1:3: expected the number of a feature: 'i j [weight]'"},
        {"1 99999999999999999999\n", ":1:3: expected the number of a feature: 'i j [weight]'"},
        {"# nothing\n", ": no edge in this file, expected lines 'i j [weight]'"},
        {"", ": no edge in this file, expected lines 'i j [weight]'"},
    };
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        char message[300];
        snprintf(message, sizeof message, "%s%s", FILE_NAME, fault[i].message);
        law_file(FILE_NAME, fault[i].content);
        assert_fault("edges:" FILE_NAME, 4, SPDHG_DATA, message);
    }
    unlink(FILE_NAME);
    spdhg_structure *F;
    assert_int_equal(spdhg_structure_new(&F, "edges:" FILE_NAME, 4, NULL), SPDHG_IO);
    assert_fault("edges:", 4, SPDHG_USAGE, "structure 'edges:': expected a file name after 'edges:'");
}

/* A hub with a million neighbours: longer than any buffer. The norm bound must find that the norm is sqrt(degree + 1). */
static void star(void **unused) {
    (void)unused;
    const int degree = 1000000;
    FILE *file = fopen(FILE_NAME, "w");
    assert_non_null(file);
    for (int j = 2; j <= degree + 1; j++) fprintf(file, j % 2 ? "1 %d\n" : "%d 1\n", j);
    assert_int_equal(fclose(file), 0);
    spdhg_structure *F = make("edges:" FILE_NAME, degree + 5); /* four features without an edge */
    assert_int_equal(spdhg_structure_rows(F), degree);
    assert_true(F->F.idx[2 * degree - 1] == degree && F->F.idx[2 * degree - 2] == 0);
    assert_near("bound", spdhg_structure_norm_bound(F), sqrt(degree + 1.0), 1e-9);
    spdhg_structure_free(F);
    unlink(FILE_NAME);
    char *line = SPD_NEW(char, 70001);
    memset(line, ' ', 70000);
    law_file(FILE_NAME, line);
    assert_fault("edges:" FILE_NAME, 4, SPDHG_DATA, FILE_NAME ":1:1: a line of more than 65536 bytes; expected 'i j [weight]'");
    unlink(FILE_NAME);
    spd_free(line);
}

static void groups(void **unused) {
    (void)unused;
    spdhg_structure *F = make("identity", 6);
    spdhg_error err;
    int64_t *group;
    const int64_t pairs[6] = {0, 0, 1, 1, 2, 2}, numbered[6] = {2, 1, 2, 0, 1, 1};
    assert_int_equal(spd_structure_groups(F, "size:2", &group, &err), SPDHG_OK);
    assert_memory_equal(group, pairs, sizeof pairs);
    spd_free(group);
    law_file(FILE_NAME, "10\n7\n10\n-3\n7\n7\n");
    if (spd_structure_groups(F, FILE_NAME, &group, &err) != SPDHG_OK) fail_msg("%s", err.message);
    assert_memory_equal(group, numbered, sizeof numbered);
    spd_free(group);
    static const struct {
        const char *spec, *content;
        spdhg_status status;
        const char *message;
    } wrong[] = {
        {"size:4", "", SPDHG_USAGE, "groups 'size:4': the structure has 6 rows, not a multiple of 4"},
        {"size:0", "", SPDHG_USAGE, "groups 'size:0': expected a whole number above 0 after 'size:'"},
        {"size", "", SPDHG_USAGE, "groups 'size:': expected a whole number above 0 after 'size:'"},
        {"grid", "", SPDHG_USAGE, "groups 'grid' need the structure 'grid:HxW', not 'identity'"},
        {FILE_NAME, "1\n2\n", SPDHG_DATA, FILE_NAME ": 2 group numbers, the structure has 6 rows"},
        {FILE_NAME, "1\n2\n3\n4.5\n5\n6\n", SPDHG_DATA, FILE_NAME ": group of row 4 is 4.5; expected a whole number"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        law_file(FILE_NAME, wrong[i].content);
        assert_int_equal(spd_structure_groups(F, wrong[i].spec, &group, &err), wrong[i].status);
        assert_null(group);
        assert_string_equal(err.message, wrong[i].message);
    }
    unlink(FILE_NAME);
    spdhg_structure_free(F);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(edge_files), cmocka_unit_test(star), cmocka_unit_test(groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
