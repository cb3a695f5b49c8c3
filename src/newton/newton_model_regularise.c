/* newton_model_regularise.c - adds curvature for the unknowns of a model that have none:
 *   H += gamma B'B on the features
 *   H += del D,  D the diagonal of H without gamma
 *   del = max(1e-10, 1e-3 ||B'(g + F'y)||_{D^-1}),  0 if gamma > 0 and there is no intercept
 * D makes this independent of the scales of the columns. */
#include <float.h>

#include "newton/newton_model.h"

static const double LEAST_CURVED = 1e-14; /* relative to the mean curvature: anything smaller counts as none */

/* small: the largest curvature of the loss along each unknown in small units, 0 for the others. */
static void gather_small(const spd_tied *B, const spdhg_problem *p, const double *unit, double *small) {
    memset(small, 0, (size_t)B->size * sizeof *small);
    for (int64_t q = 0; q < p->dK; q++)
        if (B->label[q] >= 0) small[B->label[q]] += B->coef[q] * B->coef[q] * unit[q / p->K];
    for (int64_t k = 0; k < p->K && p->intercept; k++) small[B->size - p->K + k] = unit[p->d];
}

/* The curvature of an unknown, or the mean where it has none. A column in small units gets a tiny curvature instead. */
static double curved(const spd_newton_model *a, int64_t q, double small, double mean) {
    const double own = a->H[q * a->B.size + q];
    if (own > LEAST_CURVED * mean) return own;
    return small > 0 ? fmax(own, LEAST_CURVED * small) : mean * a->B.weight[q];
}

bool spd_newton_model_regularise(spd_newton_model *a, const spdhg_problem *p, const double *bound, double *units) {
    double *small = a->solved;
    const int64_t n = a->B.size, features = n - (p->intercept ? p->K : 0);
    double trace = 0, square = 0;
    spd_newton_model_transposed(a, p, a->b->y, a->e);
    spd_axpy(n, 1, a->tg, a->e);
    spd_newton_stiffen(p, a->b->value[0], n, a->e, a->H, a->LM);
    for (int64_t q = 0; q < n; q++) trace += a->H[q * n + q];
    /* Losses with linear pieces may have no curvature here: a small fraction of their largest curvature keeps steps bounded. */
    const double least = 1e-4 * p->kappa_usual * p->row_norm2_max;
    const bool strong = p->gamma > 0 && !p->intercept, flat = trace < 1e-4 * least;
    const double mean = fmax(trace, least) / (double)n;
    spd_metric_small_units(p, bound, a->b->value[0], units);
    gather_small(&a->B, p, units, small);
    for (int64_t q = 0; q < n; q++) square += a->e[q] * a->e[q] / curved(a, q, small[q], mean);
    if (!isfinite(p->kappa)) square /= fmax(a->b->value[0], DBL_MIN); /* makes it independent of the size of f */
    const double del = strong ? 0 : flat ? 1 : fmax(1e-10, 1e-3 * sqrt(square));
    for (int64_t q = 0; q < n; q++)
        a->H[q * n + q] += del * curved(a, q, small[q], mean) + (q < features ? p->gamma : 0) * a->B.weight[q];
    return !flat;
}
