/* sparse.c - the system of a step as a sparse matrix and its LDL' factor (interior.h), made of the weighted rows of stack.c. */
#include "interior/interior.h"

enum { CG_MOST = 30, CG_USUAL = 8 };
static const double LITTLE = 1e-14; /* added to the diagonal, relative to it; */
static const double SINGULAR =
    1e-8; /* the same where the matrix may be singular: without its long rows, or in a redundant intercept */
static const double MUCH = 1e8; /* the largest multiple of these that is tried */

/* The normal of a block in terms of the columns: F_b'normal. fix: zeros, restored afterwards. */
static void fill_block(spd_interior *a, const spd_part *B) {
    for (int64_t i = 0; i < B->size; i++) {
        spd_csr_row row;
        spd_csr_take(&B->t->F->F, spd_term_block_row(B->t, B->b, i / B->K), &row);
        const double normal = a->normal[spd_part_at(B, i)];
        for (int64_t q = 0; q < row.n; q++) a->fix[row.idx[q] * B->K + i % B->K] += row.val[q] * normal;
    }
}

/* The rows of the blocks, term by term; those of a term with lambda = 0 have weight 0. */
static void fill_blocks(spd_interior *a, int64_t row) {
    spd_sparse_system *s = &a->system;
    const spd_sparse_pattern *q = s->pattern;
    memset(a->fix, 0, (size_t)a->n * sizeof *a->fix);
    for (int64_t t = 0; t < a->p->terms; t++) {
        const spd_term *term = &a->p->term[t];
        for (int64_t b = 0; b < term->blocks && !term->penalty->sum_of_sizes; b++, row++) {
            const spd_part B = spd_part_of(a, term, b);
            s->weight[row] = term->lambda > 0 ? -1 : 0;
            if (term->lambda > 0) fill_block(a, &B);
            for (int64_t l = q->ptr[row]; l < q->ptr[row + 1]; l++) {
                s->value[l] = a->fix[q->idx[l]];
                a->fix[q->idx[l]] = 0;
            }
        }
    }
}

static bool has_long_rows(const spd_sparse_pattern *q) { return q->nodes > q->n; }

/* C of the rows of the loss: phi'' or, of softmax, q_k q_l for each pair of classes, with
 *     diag(q) - q q' = sum over l < k of q_k q_l (e_k - e_l)(e_k - e_l)'
 * where no digits cancel. fix: scratch. */
static void fill_losses(spd_interior *a) {
    const spdhg_problem *p = a->p;
    double *weight = a->system.weight, *q = a->fix;
    for (int64_t i = 0; i < p->n; i++) {
        const double share = spd_problem_share(p, i);
        for (int64_t k = 0; k < p->K && p->loss->value; k++) *weight++ = a->curve[i * p->K + k] * share;
        if (p->loss->value) continue;
        p->loss->chance_k(a->curve + i * p->K, p->K, q);
        for (int64_t k = 0; k < p->K; k++)
            for (int64_t l = 0; l < k; l++) *weight++ = q[k] * q[l] * share;
    }
}

/* What is the same in all classes. The right side is 0 along the common intercept: with any weight it does not move. */
static void fill_common(spd_interior *a, int64_t first, int64_t end) {
    for (int64_t r = first; r < end; r++) a->system.weight[r] = a->prox;
    if (end > first && a->p->intercept) a->system.weight[end - 1] = 1;
}

/* A redundant intercept may have any diagonal: it does not move, because the right side is 0 along (1, -1). */
static bool factor(spd_interior *a) {
    const spdhg_problem *p = a->p;
    const int64_t losses = spd_interior_loss_rows(p), mK = p->m * p->K;
    spd_sparse_system *s = &a->system;
    memcpy(s->value, a->stack->value, (size_t)a->stack->fixed * sizeof *s->value);
    fill_losses(a);
    memcpy(s->weight + losses, a->weight, (size_t)mK * sizeof *s->weight);
    fill_common(a, losses + mK, s->pattern->rows - a->stack->blocks);
    fill_blocks(a, s->pattern->rows - a->stack->blocks);
    const double prox = p->loss->value ? a->prox : 0; /* a loss that couples its outputs has it in the rows of fill_common */
    for (int64_t j = 0; j < a->n; j++) s->diagonal[j] = (j < p->dK ? p->gamma : a->stack->spare ? 1 : 0) + prox;
    spd_interior_set_matrix(a, s->diagonal, 1);
    const bool singular = has_long_rows(s->pattern);
    for (int64_t j = 0; j < a->n; j++) s->shift[j] = j >= p->dK || singular ? SINGULAR : LITTLE;
    if (a->fine) return spd_fine_factor(s, a->stop);
    for (double times = 1; times <= MUCH && !spd_stop_now(a->stop); times *= 10)
        if (spd_sparse_factor(s, times, a->stop)) return true;
    return false;
}

/* Many iterations mean that the factor has lost digits that matter. A band has more of them from here on. */
static void solve(spd_interior *a, const double *b, double *out) {
    if (!a->fine && spd_sparse_solve(&a->system, b, out, a->residual, CG_MOST, a->stop) <= CG_USUAL) return;
    if (!a->fine && (!spd_interior_can_refine(a) || !spd_fine_factor(&a->system, a->stop))) return;
    a->fine = true;
    spd_fine_solve(&a->system, b, out);
}

static void apply(spd_interior *a, const double *x, double *out) { spd_sparse_apply(&a->system, x, out); }

const spd_interior_algebra spd_interior_sparse = {.factor = factor, .solve = solve, .apply = apply};
