/* test_rows.c - iterating over the rows of F: their products with x give F x, whether F is stored or not, term by term; what
 * precedes and follows a term; which rows are zero in the sense of docs/problem.md. */
#include "problem/rows.h"
#include "small.h"

static const small_spec spec[] = {
    SMALL(5, 12, 1, "squared", "l1", "identity", 0.1, .targets = 3),
    SMALL(5, 12, 1, "squared", "l1", "trend:2", 0.1, .also_sparse = true),
    SMALL(5, 12, 1, "squared", "l1", "grid:3x4", 0.1, .also_sparse = true, .targets = 2),
};

static void rows_make_the_product(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        small s = small_make(&spec[i], 7);
        const spdhg_problem *p = s.problem;
        double *x = SPD_NEW(double, p->dK), *Fx = SPD_NEW(double, p->m * p->K);
        for (int64_t q = 0; q < p->dK; q++) x[q] = small_normal(3, q);
        spd_problem_apply(p, x, Fx);
        int64_t seen = 0;
        for (spd_rows r = spd_rows_of(p); spd_rows_next(&r); seen++) {
            assert_true(r.number == seen && r.at == r.term->first + r.e * p->K && r.at == seen * p->K);
            for (int64_t k = 0; k < p->K; k++) {
                double sum = 0;
                for (int64_t q = 0; q < r.row.n; q++) sum += r.row.val[q] * x[r.row.idx[q] * p->K + k];
                assert_true(fabs(sum - Fx[r.at + k]) <= 1e-14);
            }
        }
        assert_true(seen == p->m);
        const spd_term *last = &p->term[p->terms - 1];
        seen = 0;
        for (spd_rows r = spd_rows_of_term(p, last); spd_rows_next(&r); seen++)
            assert_true(r.term == last && r.e == seen && r.at == last->first + seen * p->K && r.number == r.at / p->K);
        assert_true(seen == last->m);
        spd_free(x);
        spd_free(Fx);
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_make_the_product)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
