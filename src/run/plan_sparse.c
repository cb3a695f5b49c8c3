/* plan_sparse.c - whether `auto` uses the interior-point method with a sparse factor. The decision counts the entries and
 * multiplications of the factor in advance. */
#include "interior/interior.h"
#include "run/run.h"

enum {
    COEFFICIENTS_LEAST = 300, /* with fewer, a dense factor costs next to nothing */
    WIDE = 4,                 /* coefficients per row of A, without ridge: long rows may be kept beside the sparse matrix */
    SPARSER = 30,             /* times fewer multiplications than a dense factor, otherwise methods without a factor are better */
    ITERATIONS = 25,
    DUAL_STEPS = 2500 /* of fgp to 1e-6 on an image (bench/signals) */
};
/* Nanoseconds beyond which other methods may be as good. Few of them make progress on a large grid, more do on long rows. */
static const double MOST = 1e12, MOST_BESIDE = 3e10;

/* Rows of F with more than two entries (trends): ADMM, which solves proximal Newton's models, converges slowly on them at any
 * size. */
static bool has_wide_rows(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (spd_csr_nnz(&p->term[t].F->F) > 2 * p->term[t].m) return true;
    return false;
}

static bool is_sparse(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (spd_csr_nnz(&p->term[t].F->F) > SPD_SHORT_ROW * p->term[t].m) return false;
    return (p->dK >= COEFFICIENTS_LEAST || has_wide_rows(p)) &&
           (p->loss->value || has_wide_rows(p)) && /* softmax has a row for each pair of classes: other methods cost less */
           (p->nnz <= SPD_SHORT_ROW * p->n || (WIDE * p->n <= p->d && p->gamma == 0)) && !spd_plan_is_separable(p);
}

static double entries_of_structure(const spdhg_problem *p) {
    double entries = 0;
    for (int64_t t = 0; t < p->terms; t++) entries += (double)spd_csr_nnz(&p->term[t].F->F);
    return entries;
}

/* In nanoseconds, as measured on one core: passes over the entries of the rows; below, the factor and the products of the
 * entries. */
static double cost_of_passes(const spdhg_problem *p) {
    return ITERATIONS * 60 * (double)p->K * ((double)p->nnz + entries_of_structure(p));
}

double spd_plan_dual_cost(const spdhg_problem *p) { return DUAL_STEPS * 8 * (double)p->K * entries_of_structure(p); }

static double cost_of(const spd_sparse_pattern *q) { return ITERATIONS * (1.5 * q->work + 4 * (double)q->slot_ptr[q->rows]); }

/* Rows kept beside the sparse matrix meet each other through it: they alone have a dense factor. This many are never worth the
 * ordering, which itself takes long. */
static bool too_many_beside(const spdhg_problem *p) {
    const double n = (double)spd_interior_loss_rows(p);
    return p->nnz > SPD_SHORT_ROW * p->n && ITERATIONS * 1.5 * n * n * n / 6 > MOST_BESIDE;
}

bool spd_plan_sparse_pays(const spdhg_problem *p, double other) {
    spd_interior_stack *stack;
    const double passes = cost_of_passes(p);
    if (!is_sparse(p) || too_many_beside(p) || passes >= other || spd_interior_stack_new(&stack, p, NULL, NULL) != SPDHG_OK)
        return false;
    const double n = (double)stack->pattern.n;
    const bool beside = stack->pattern.nodes > stack->pattern.n,
               thin = SPARSER * stack->pattern.work < n * n * n / 3 || isfinite(other);
    const bool pays = thin && passes + cost_of(&stack->pattern) < fmin(other, beside ? MOST_BESIDE : MOST);
    spd_interior_stack_free(stack);
    return pays;
}

double spd_plan_row_cost(const spdhg_problem *p) {
    double cost = 100 + 4 * (double)p->nnz / (double)p->n;
    for (int64_t t = 0; t < p->terms; t++) cost += 2 * (double)(spd_csr_nnz(&p->term[t].F->F) + p->term[t].m);
    return cost;
}
