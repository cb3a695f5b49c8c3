/* plan_counts.c - what `auto` counts: rows of F that join coefficients, the cost of a dense factor, and whether to begin with
 * chain-alm, whose proximal steps are exact in linear time by dynamic programming. */
#include "newton/newton_model.h"
#include "problem/rows.h"
#include "run/run.h"

enum {
    WIDE = 4,             /* coefficients per row of A */
    ROWS_PER_COLUMN = 16, /* with more, passes over columns cost more than a Hessian, unless there are few nonzeros */
    SMALL = 1 << 15,
    CACHED = 1 << 20,
    ROWS_PER_UNKNOWN = 20,
    THIN_SHARE = 5 /* a sample has 20 rows per coefficient, or a fifth of all rows if that leaves 10 per coefficient */
};

int64_t spd_plan_thin_stride(const spdhg_problem *p) {
    const int64_t plenty = p->n / (ROWS_PER_UNKNOWN * spd_problem_normal_size(p) + 1),
                  least = 2 * p->n / (ROWS_PER_UNKNOWN * spd_problem_normal_size(p) + 1);
    return plenty >= THIN_SHARE ? plenty : least >= THIN_SHARE ? THIN_SHARE : 1;
}

/* By columns from a cold start, beside a Hessian of few coefficients: for each pass over the rows it takes the square of their
 * number once. Small data are passed over faster than anything else is set up; beside other methods of many coefficients, data
 * that fit into a cache are; so is any with a quadratic loss, whose model needs to be made once. With other losses and many
 * nonzeros the models cost more than they gain (up to 15 times, measured). */
bool spd_plan_by_columns(const spdhg_problem *p, bool few) {
    if (p->term[0].lambda == 0) return false;
    return few ? p->n <= ROWS_PER_COLUMN * p->d || p->nnz <= SMALL : p->nnz <= CACHED || p->loss->quadratic;
}

bool spd_plan_is_separable(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (spd_csr_nnz(&p->term[t].F->F) > p->term[t].m) return false;
    return true;
}

/* chain-alm's systems have as many unknowns as rows of A or as groups of equal coefficients, whatever the number of coefficients.
 * A dense factor of few coefficients, and a working set of them where the rows outnumber them, need fewer passes; with a set X
 * there is no working set. Short rows have sparse factors. */
bool spd_plan_is_wide(const spdhg_problem *p, bool few) {
    if (p->nnz <= SPD_SHORT_ROW * p->n) return false;
    return p->n * (few ? WIDE : 1) <= p->d || (!few && !p->set.kind->whole);
}

bool spd_plan_has_pairs(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].pairs) return true;
    return false;
}

bool spd_plan_has_groups_of_pairs(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].pairs && p->term[t].penalty->zeros != SPDHG_ZEROS_NUMBER && p->term[t].largest > 1) return true;
    return false;
}

double spd_plan_newton_cost(const spdhg_problem *p) {
    const int64_t all = spd_problem_normal_size(p);
    const double n = (double)(all < SPD_WORKING_MOST ? all : SPD_WORKING_MOST);
    return 3 * (double)p->n * spd_problem_normal_cost(p) + 200 * n * n + n * n * n / 12;
}

double spd_plan_pass_cost(const spdhg_problem *p) { return (double)p->K * (12 * (double)p->nnz + 200 * (double)p->n); }
