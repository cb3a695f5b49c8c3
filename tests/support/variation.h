/* variation.h - shared by the tests of total variation on trees (test_variation.c) and on graphs (test_cuts.c). */
#ifndef VARIATION_H
#define VARIATION_H
#include "small.h"

static inline double uniform(uint64_t seed, int64_t at) {
    uint64_t bits[2];
    spd_random(seed, SPD_STREAM_TEST, (uint64_t)at, bits);
    return spd_uniform(bits[0]);
}

static inline double sign(double a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }

/* A problem with these m rows of F, followed by rows of one entry for about half of the d features if it is to be sparse. */
static inline spdhg_problem *variation_problem(uint64_t seed, int64_t d, bool sparse, int64_t m, int64_t *ptr, int32_t *idx,
                                               double *val, spdhg_data **data, spdhg_structure **F) {
    const double zero = 0;
    const int64_t empty[2] = {0, 0};
    int64_t nnz = ptr[m];
    for (int64_t k = 0; k < d && sparse; k++) {
        if (uniform(seed, 10 * k + 4) < 0.5) continue;
        idx[nnz] = (int32_t)k;
        val[nnz++] = uniform(seed, 10 * k + 5) < 0.5 ? 0.5 : -1;
        ptr[++m] = nnz;
    }
    spdhg_problem *p;
    GOOD(spdhg_data_from_csr(data, 1, d, empty, idx, val, &zero, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_from_csr(F, m, d, ptr, idx, val, &good_err));
    GOOD(spdhg_problem_new(&p, *data, "squared", &good_err));
    GOOD(spdhg_problem_term(p, "l1", *F, 0.25, NULL, &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    return p;
}

/* Curvatures q (some are 0), centres m with ties, slopes g. */
static inline void variation_unary(uint64_t seed, int64_t d, bool flat, double *q, double *m, double *g) {
    for (int64_t k = 0; k < d; k++) {
        q[k] = flat ? 1 : uniform(seed, 10 * k + 6) < 0.2 ? 0 : exp(3 * small_normal(seed, k));
        m[k] = rint(4 * small_normal(seed + 1, k)) / 2;
        g[k] = q[k] > 0 ? rint(2 * small_normal(seed + 2, k)) / 4 : 0;
    }
}

enum { VARIATION_MOST = 60 }; /* nodes */

/* Curvatures above 0 and centres m without ties, so that the solution has no kink here; moved: the same in variation_moves. */
static inline void variation_smooth(uint64_t seed, int64_t d, double little, double *q, double *m, double *moved) {
    for (int64_t k = 0; k < d; k++) {
        q[k] = 0.5 + uniform(seed, 10 * k + 7);
        m[k] = 2 * small_normal(seed + 1, k);
        moved[k] = m[k] + little * small_normal(seed + 3, k);
    }
}

/* The derivative of x with respect to m, the q-weighted mean over each group, against the difference of the solutions for the
 * two m of variation_smooth. */
static inline void variation_moves(uint64_t seed, int64_t d, double little, const int32_t *group, const double *q,
                                   const double *x, const double *moved) {
    double top[VARIATION_MOST] = {0}, bottom[VARIATION_MOST] = {0};
    for (int64_t k = 0; k < d; k++)
        if (group[k] >= 0) {
            top[group[k]] += q[k] * small_normal(seed + 3, k);
            bottom[group[k]] += q[k];
        }
    for (int64_t k = 0; k < d; k++) {
        const double wanted = group[k] < 0 ? 0 : top[group[k]] / bottom[group[k]], found = (moved[k] - x[k]) / little;
        if (fabs(found - wanted) > 1e-6)
            fail_msg("seed %d, node %d: derivative %g, should be %g", (int)seed, (int)k, found, wanted);
    }
}
#endif
