/* chain_alm_point.c - the inner problem of chain_alm.c at scores z: alpha = phi'(z), the proximal point u(alpha) by dynamic
 * programming, the dual value Psi and the duality gap
 *     Psi = (1/W) sum_i w_i [ phi(z_i) + alpha_i'(zhat_i - z_i) ] + (gamma/2)||u||^2 + lambda r(F u) + (1/2)||u -
 *     x_j||^2_{D/sigma}
 *     gap = (1/W) sum_i w_i [ phi(zhat_i) - phi(z_i) - alpha_i'(zhat_i - z_i) ],    zhat = A u + c + o
 * or, where these differences cancel, (1/2W) sum_i w_i R_i'phi''(z_i)R_i with R = zhat - z. */
#include "newton/chain_alm.h"

static const double CANCELLED = 1e-9; /* relative to the loss */

void spd_chain_point_layout(const spdhg_problem *p, spd_chain_point *at, spd_arena *work) {
    double **const rows[] = {&at->z, &at->alpha, &at->curve, &at->score, &at->R, &at->CR};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = spd_arena_take(work, p->n * p->K);
    at->u = spd_arena_take(work, p->dK + p->K);
}

static double sigma_of(const spd_chain_alm *a) { return a->scalar[SPD_CHAIN_SIGMA]; }

static double columns_of(const spd_chain_alm *a, int64_t node) {
    return (double)(a->merged->first[node + 1] - a->merged->first[node]);
}

/* q and m of output k: the unary terms are q_j/2 (u_j - m_j)^2. Of the columns of a node only the first can have a g. */
static void fill_nodes(spd_chain_alm *a, int64_t k) {
    const spdhg_problem *p = a->p;
    const spd_forest *f = a->forest;
    for (int64_t i = 0; i < f->d; i++) {
        const int64_t at = f->column[i] * p->K + k;
        const double size = columns_of(a, i), pull = size * a->D[at] / sigma_of(a);
        a->q[i] = pull + size * p->gamma;
        a->m[i] = f->flip[i] * (pull * a->x[at] - a->g[at]) / a->q[i];
    }
}

/* Output k of u, by node. */
static void to_nodes(const spd_chain_alm *a, const double *u, int64_t k) {
    const spd_forest *f = a->forest;
    for (int64_t i = 0; i < f->d; i++) a->node[i] = f->flip[i] * u[f->column[i] * a->p->K + k];
}

static spd_unary unary(const spd_chain_alm *a) { return (spd_unary){.q = a->q, .m = a->m, .g = a->zero}; }

/* u(alpha) for the g that is set; (gamma/2)||u||^2 + lambda r(F u) and at->moved. */
static double proximal_point(spd_chain_alm *a, spd_chain_point *at) {
    const spdhg_problem *p = a->p;
    const spd_forest *f = a->forest;
    double low, high, rest = 0, moved = 0;
    spd_set_sides(&p->set, &low, &high);
    memset(a->zero, 0, (size_t)f->d * sizeof *a->zero);
    for (int64_t k = 0; k < p->K; k++) {
        const spd_unary unaries = unary(a);
        fill_nodes(a, k);
        spd_variation_prox(&a->variation, &unaries, low, high, a->node);
        for (int64_t i = 0; i < f->d; i++) {
            const int64_t q = f->column[i] * p->K + k, up = f->parent[i];
            const double u = a->node[i], e = f->flip[i] * u - a->x[q], size = columns_of(a, i);
            at->u[q] = f->flip[i] * u;
            moved += size * a->D[q] * e * e;
            rest += 0.5 * size * p->gamma * u * u + f->mu[i] * fabs(u) + (up >= 0 ? f->weight[i] * fabs(u - a->node[up]) : 0);
        }
        const int64_t q = p->dK + k;
        at->u[q] = p->intercept ? a->x[q] - sigma_of(a) * a->g[q] / a->D[q] : 0;
        moved += p->intercept ? a->D[q] * (at->u[q] - a->x[q]) * (at->u[q] - a->x[q]) : 0;
    }
    at->moved = 0.5 * moved / sigma_of(a);
    return rest;
}

static void find_residual(const spdhg_problem *p, spd_chain_point *at) {
    const int64_t K = p->K;
    for (int64_t q = 0; q < p->n * K; q++) at->R[q] = at->score[q] - at->z[q];
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        if (!p->loss->value) {
            spd_problem_row(p, i, &row);
            p->loss->second_k(at->curve + i * K, K, row.b[0], at->R + i * K, at->CR + i * K);
        } else
            for (int64_t q = i * K; q < (i + 1) * K; q++) at->CR[q] = at->curve[q] * at->R[q];
    }
}

void spd_chain_point_evaluate(spd_chain_alm *a, spd_chain_point *at) {
    const spdhg_problem *p = a->p;
    const double loss = spd_problem_losses(p, a->threads, &(spd_scores){.z = at->z}, at->alpha, at->curve, a->scratch);
    spd_problem_adjoint(p, a->threads, at->alpha, a->g, a->g + p->dK, a->scratch);
    const double rest = proximal_point(a, at);
    spd_problem_scores(p, a->threads, at->u, at->score);
    if (p->intercept) spd_problem_shift(p, at->u + p->dK, at->score);
    double along = 0, bent = 0;
    find_residual(p, at);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t q = i * p->K; q < (i + 1) * p->K; q++) {
            along += spd_problem_share(p, i) * at->alpha[q] * at->R[q];
            bent += spd_problem_share(p, i) * at->CR[q] * at->R[q];
        }
    const double there = spd_problem_losses(p, a->threads, &(spd_scores){.z = at->score}, NULL, NULL, a->scratch);
    at->psi = loss + along + rest + at->moved;
    at->gap = there - loss - along;
    if (at->gap < CANCELLED * there) at->gap = 0.5 * bent;
    at->f = there + rest;
}

void spd_chain_point_groups(spd_chain_alm *a, const spd_chain_point *at) {
    const spdhg_problem *p = a->p;
    const spd_forest *f = a->forest;
    double low, high;
    int32_t next = 0;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t k = 0; k < p->K; k++) {
        fill_nodes(a, k);
        to_nodes(a, at->u, k);
        spd_variation_groups(f, a->node, low, high, a->group);
        for (int64_t i = 0; i < f->d; i++) {
            const int64_t q = f->column[i] * p->K + k;
            const int32_t first = a->group[i];
            a->B.coef[q] = f->flip[i];
            a->B.label[q] = first < 0 ? -1 : first == i ? next : a->B.label[f->column[first] * p->K + k];
            if (first == i) a->Q[next++] = 0;
            if (first >= 0) a->Q[a->B.label[q]] += a->q[i];
        }
    }
    for (int64_t k = 0; k < p->K && p->intercept; k++) a->Q[next++] = a->D[p->dK + k] / sigma_of(a);
    a->B.size = next;
}

void spd_chain_point_dual(spd_chain_alm *a, const spd_chain_point *at, double *y) {
    const spdhg_problem *p = a->p;
    const spd_forest *f = a->forest;
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    memset(a->zero, 0, (size_t)f->d * sizeof *a->zero);
    for (int64_t k = 0; k < p->K; k++) {
        const spd_unary unaries = unary(a);
        fill_nodes(a, k);
        to_nodes(a, at->u, k);
        spd_variation_dual(f, &unaries, low, high, a->node, a->t, a->s, a->range);
        spd_merged_spread_dual(a->merged, a->whole, a->t, a->s);
        spd_forest_write_dual(a->whole, p, k, a->t, a->s, y);
    }
    spd_problem_project_dual(p, y, a->term);
}
