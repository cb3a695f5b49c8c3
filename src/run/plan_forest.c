/* plan_forest.c - whether `auto` begins with chain-alm, where dynamic programming makes proximal steps exact in linear time. */
#include "run/run.h"

enum { WIDE = 4 }; /* coefficients per row of A */

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
