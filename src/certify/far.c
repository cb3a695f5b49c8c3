/* far.c - a point so far from the optimum that no proof there is worth its cost. If F u = 0, a step along u leaves the penalty as
 * it is, and with g = A'alpha/W, alpha = phi'(z),
 *   f(x + t u, c) <= f(x, c) + t g'u + (t^2/2) kappa (1/W) sum_i w_i (a_i'u)^2
 * Without ridge or bounds, f(x, c) is therefore above the optimum, and every gap above 0, by at least
 *   (g'u)^2 / (2 kappa (1/W) sum_i w_i (a_i'u)^2)
 * u is the residual of v at the bases (routes.c), which no row of F can absorb, times the directions of the bases: at the start
 * of a fit on a chain, the part of the gradient that all coefficients share. This takes one pass over the rows. */
#include "certify/certify.h"
#include "problem/rows.h"

/* c->P = u; returns g'u. */
static double find_direction(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const spd_routes *r = &c->routes;
    const int64_t K = p->K, numbers = r->bases * K;
    double *residual = c->residual;
    memset(residual, 0, (size_t)numbers * sizeof *residual);
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < K && r->base[j] >= 0 && r->base[j] < r->bases; k++)
            residual[r->base[j] * K + k] += r->sign[j] * c->g[j * K + k];
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < K; k++)
            c->P[j * K + k] = r->base[j] >= 0 && r->base[j] < r->bases ? r->sign[j] * residual[r->base[j] * K + k] : 0;
    return spd_dot(numbers, residual, residual);
}

static bool is_unpenalised(const spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t k = 0; k < p->K && r.term->lambda > 0; k++) {
            double sum = 0;
            for (int64_t q = 0; q < r.row.n; q++) sum += r.row.val[q] * c->P[r.row.idx[q] * p->K + k];
            if (sum != 0) return false;
        }
    return true;
}

static void squares_of_rows(void *context, int64_t first, int64_t end, double *sum) {
    const spd_certifier *c = context;
    const spdhg_problem *p = c->problem;
    for (int64_t i = first; i < end; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        spd_row row;
        spd_pass_row(p, c->open, i, &row);
        for (int64_t k = 0; k < p->K; k++) {
            double score = 0;
            for (int64_t q = 0; q < row.nnz; q++) score += row.val[q] * c->P[(row.idx ? row.idx[q] : q) * p->K + k];
            *sum += spd_problem_share(p, i) * score * score;
        }
    }
}

bool spd_dual_is_far(spd_certifier *c, const spd_trial *at) {
    const spdhg_problem *p = c->problem;
    const bool usable = c->exact && c->slopes && !c->forced && p->set.kind->whole && p->loss->value && isfinite(p->kappa);
    if (!usable || !isfinite(c->worth) || c->routes.bases == 0 || !c->residual) return false;
    const double along = find_direction(c);
    if (!(along > 0) || !is_unpenalised(c)) return false;
    spd_dual_sum_rows(c, 1, squares_of_rows, NULL);
    return along * along / (2 * p->kappa * c->Mwork[0]) > fmax(c->worth, c->enough) * spd_gap_scale(c, at->objective);
}
