/* test_forest.c - which terms are a forest of differences, and which are refused, and why. */
#include "small.h"

#include "chain/chain.h"

enum { D = 5 };

typedef struct rows_of_f {
    int64_t m;
    int32_t idx[3 * D];
    double val[3 * D];
    int64_t ptr[2 * D];
} rows_of_f;

/* Rows as text: "01 12" joins 0 to 1 and 1 to 2 by differences, "+01" by a sum, "2" is column 2
 * alone, "012" has three entries. */
static rows_of_f parse(const char *text) {
    rows_of_f f = {0};
    int64_t nnz = 0;
    double sign = -1;
    for (const char *at = text;; at++) {
        const int64_t first = f.ptr[f.m];
        if (*at == '+')
            sign = 1;
        else if (*at >= '0' && *at <= '9') {
            f.idx[nnz] = *at - '0';
            f.val[nnz] = nnz == first ? 2 : 2 * sign;
            nnz++;
        } else if (nnz > first) {
            f.ptr[++f.m] = nnz;
            sign = -1;
        }
        if (!*at) return f;
    }
}

/* The reason for refusing, or "" with the forest described: line? ordered? */
static const char *reason(const char *text, const char *penalty, bool nonneg, bool *line, bool *ordered) {
    const rows_of_f f = parse(text);
    const int64_t none[2] = {0, 0};
    const double zero = 0;
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    GOOD(spdhg_data_from_csr(&data, 1, D, none, f.idx, &zero, &zero, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_from_csr(&F, f.m, D, f.ptr, f.idx, f.val, &good_err));
    GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
    GOOD(spdhg_problem_term(p, penalty, F, 0.25, NULL, &good_err));
    if (nonneg) GOOD(spdhg_problem_set(p, "nonneg", &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    const char *why = spd_forest_refuses(p);
    if (!why) {
        spd_forest forest;
        spd_arena arena = {0};
        for (int pass = 0; pass < 2; pass++) {
            if (pass) arena.base = SPD_NEW(double, arena.used);
            arena.used = 0;
            spd_forest_layout(&forest, p, &arena);
        }
        memset(arena.base, 0x55, (size_t)arena.used * sizeof *arena.base); /* it is filled anew when lambda has changed */
        forest.sparse = true;
        spd_forest_fill(&forest, p);
        double singles = 0;
        for (int64_t k = 0; k < D; k++) singles += forest.mu[k];
        assert_true(forest.sparse == (singles > 0));
        *line = forest.line;
        *ordered = forest.ordered;
        spd_free(arena.base);
    }
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);
    return why ? why : "";
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *rows, *penalty, *word; /* a word of the reason; "": accepted */
        bool nonneg;
    } known[] = {{"01 12 23 34", "l1", "", false},
                 {"01 12 23 34", "linf", "l1", false},
                 {"01 12 02", "l1", "cycle", false},
                 {"01 12 23 34 04", "l1", "cycle", false},
                 {"01 01", "l1", "cycle", false},
                 {"12 01 12", "l1", "cycle", false},
                 {"01 12 01 34", "l1", "cycle", false},
                 {"012", "l1", "every row", false},
                 {"0 1 2 01 12", "l1", "", false},
                 {"01 0 12 1 23 2", "l1", "", false},
                 {"+01 12", "l1", "", false},
                 {"+01 12", "l1", "sums", true},
                 {"01 12", "l1", "", true},
                 {"13 24 02", "l1", "", false},
                 {"01 02 03 04", "l1", "", false},
                 {"12 34 14 23", "l1", "cycle", false}};
    bool line, ordered;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *why = reason(known[i].rows, known[i].penalty, known[i].nonneg, &line, &ordered);
        if (known[i].word[0] ? !strstr(why, known[i].word) : why[0] != 0)
            fail_msg("'%s' with %s: '%s'", known[i].rows, known[i].penalty, why);
    }
}

/* ordered: only neighbouring columns are joined; line: after numbering, every parent is the previous node. */
static void test_shapes(void **state) {
    (void)state;
    static const struct {
        const char *rows;
        bool line, ordered;
    } known[] = {{"01 12 23 34", true, true}, {"34 01", true, true},        {"0 1 2 3", true, true},
                 {"01 0 12 3", true, true},   {"04 14 13", true, false},    {"01 02 03", false, false},
                 {"01 12 13", false, false},  {"01 12 23 24", false, false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool line = false, ordered = false;
        assert_string_equal(reason(known[i].rows, "l1", false, &line, &ordered), "");
        if (line != known[i].line || ordered != known[i].ordered)
            fail_msg("'%s': line %d, ordered %d", known[i].rows, line, ordered);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusals), cmocka_unit_test(test_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
