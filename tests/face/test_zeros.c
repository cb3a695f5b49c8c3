/* test_zeros.c - what counts as a zero of F x, determined from F x and from y. Lengths are recomputed here, entry by entry. */
#include "face/zeros.h"
#include "small.h"

static const double MARGIN = 0.3;

/* The length that decides about entry i of a term: its own for l1, otherwise that of its group; for y always the polar norm. */
static double length(const spd_term *t, int64_t K, const double *v, int64_t i, bool polar) {
    if (t->penalty == &spd_penalty_l1) return fabs(v[i]);
    double square = 0, sum = 0;
    for (int64_t b = 0; b < t->blocks; b++) {
        bool mine = false;
        for (int64_t r = 0; r < spd_term_block_rows(t, b); r++) mine = mine || spd_term_block_row(t, b, r) == i / K;
        for (int64_t r = 0; mine && r < spd_term_block_rows(t, b); r++)
            for (int64_t k = 0; k < K; k++) {
                const double here = v[spd_term_block_row(t, b, r) * K + k];
                square += here * here;
                sum += fabs(here);
            }
    }
    return t->penalty == &spd_penalty_group ? sqrt(square) : polar ? sum : INFINITY; /* linf: the polar norm is the sum */
}

static void check(const small_spec *o) {
    small s = small_make(o, 5);
    const spdhg_problem *p = s.problem;
    const int64_t mK = p->m * p->K;
    double *v = SPD_NEW(double, mK), *open = SPD_NEW(double, mK), *work = SPD_NEW(double, spd_problem_term_work(p));
    for (int64_t i = 0; i < mK; i++) v[i] = 0.1 * small_normal(9, i) * (i % 3 == 0 ? 1e-3 : 1);
    for (int how = 0; how < 3; how++) {
        memset(open, 0, (size_t)mK * sizeof *open);
        if (how == 0) spd_zeros_of_dual(p, v, MARGIN, open, work);
        if (how == 1) spd_zeros_of_primal(p, v, (spd_small){.absolute = 0.05}, open, work);
        if (how == 2) spd_zeros_of_primal(p, v, (spd_small){.relative = 0.3}, open, work);
        int64_t zeros = 0;
        for (int64_t t = 0; t < p->terms; t++) {
            const spd_term *term = &p->term[t];
            const double *part = v + term->first, most = spd_max_abs(term->m * p->K, part);
            const double limit = how == 0 ? (1 - MARGIN) * term->lambda : how == 1 ? 0.05 : 0.3 * most;
            for (int64_t i = 0; i < term->m * p->K; i++) {
                assert_true((open[term->first + i] != 0) == (length(term, p->K, part, i, how == 0) > limit));
                zeros += open[term->first + i] == 0;
            }
        }
        assert_true(zeros < mK && (zeros > 0 || (how > 0 && strcmp(o->penalty, "linf") == 0)));
    }
    spd_free(v);
    spd_free(open);
    spd_free(work);
    small_free(&s);
}

static void lengths_decide(void **unused) {
    (void)unused;
    const small_spec spec[] = {
        SMALL(5, 20, 1, "squared", "l1", "chain", 0.1, .targets = 3),
        SMALL(5, 20, 1, "squared", "group", "chain", 0.1, .group_count = 8),
        SMALL(5, 20, 1, "squared", "group", "identity", 0.15, .targets = 3, .also_sparse = true),
        SMALL(5, 20, 1, "squared", "linf", "chain", 0.2, .group_count = 8),
    };
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) check(&spec[i]);
}

/* With lambda 0 nothing forces F x to be 0. */
static void without_lambda(void **unused) {
    (void)unused;
    const small_spec o = SMALL(5, 6, 1, "squared", "l1", "chain", 0, .gamma = 0);
    small s = small_make(&o, 5);
    double y[5] = {0}, open[5] = {0}, work[16];
    assert_true(s.problem->m == 5 && spd_problem_term_work(s.problem) <= 16);
    spd_zeros_of_dual(s.problem, y, SPD_STRICTLY, open, work);
    for (int i = 0; i < 5; i++) assert_true(open[i] == 1);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lengths_decide), cmocka_unit_test(without_lambda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
