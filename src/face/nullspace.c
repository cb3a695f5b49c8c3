/* nullspace.c - the null space of the stacked F = [F_1; F_2; ...], or its dimension alone, by whichever of the
 * three methods fits the rows that count. */
#include "face/nullspace.h"

static const double REFLECTIONS_MOST = 2e8;

/* Multiplications to compute a basis; those that BLAS does in blocks count less. */
static double cost_of_reflections(double d, double k) { return d * d * (d - k) / 2; }

static double cost(const spdhg_problem *p, spd_null_method how, int64_t free_columns) {
    const double d = (double)p->d, k = (double)free_columns, reflections = cost_of_reflections(d, k);
    if (how == SPD_NULL_COMPONENTS) return d;
    if (how == SPD_NULL_DENSE) return 10 * d * d * d;
    return reflections <= REFLECTIONS_MOST ? reflections : 4 * d * k * k;
}

static spdhg_status make(spd_nullspace *null, const spdhg_problem *p, const bool *counts, double most, int64_t *pivot,
                         spdhg_error *err) {
    const spd_null_method how = spd_null_choose(p, counts, pivot);
    const int64_t k = spd_null_free_columns(p, pivot);
    if (cost(p, how, k) > most) return spd_fail(err, SPDHG_USAGE, "the null space of the structure is too costly to find");
    if (how == SPD_NULL_COMPONENTS) return spd_null_components(null, p, counts, err);
    if (how == SPD_NULL_DENSE) return spd_null_eigen(null, p, counts, err);
    return cost_of_reflections((double)p->d, (double)k) <= REFLECTIONS_MOST ? spd_null_complement(null, p, counts, k, err)
                                                                            : spd_null_eliminated(null, p, pivot, err);
}

spdhg_status spd_nullspace_new(spd_nullspace *null, const spdhg_problem *p, const bool *counts, double most, spdhg_error *err) {
    *null = (spd_nullspace){0};
    for (int64_t t = 0; !counts && t < p->terms; t++)
        if (p->term[t].lambda_given > 0 && spd_csr_is_identity(&p->term[t].F->F)) return spd_csr_new(&null->N, p->d, 0, 0, err);
    int64_t *pivot = SPD_NEW(int64_t, p->d);
    if (!pivot) return spd_fail_memory(err, 8.0 * (double)p->d);
    const spdhg_status status = make(null, p, counts, most, pivot, err);
    spd_free(pivot);
    if (status != SPDHG_OK) spd_nullspace_free(null);
    return status;
}

spdhg_status spd_nullspace_dimension(const spdhg_problem *p, const bool *counts, int64_t *k, spdhg_error *err) {
    int64_t *pivot = SPD_NEW(int64_t, p->d);
    if (!pivot) return spd_fail_memory(err, 8.0 * (double)p->d);
    const spd_null_method how = spd_null_choose(p, counts, pivot);
    spdhg_status status = SPDHG_OK;
    *k = 0;
    if (how == SPD_NULL_COMPONENTS) {
        spd_joins g;
        status = spd_null_join(&g, p, counts, err);
        for (int64_t j = 0; status == SPDHG_OK && j < p->d; j++) *k += g.root[j] == j && !spd_joins_is_zero(&g, j);
        if (status == SPDHG_OK) spd_joins_free(&g);
    } else if (how == SPD_NULL_ELIMINATION)
        *k = spd_null_free_columns(p, pivot);
    else {
        double *V;
        status = spd_null_eigenvectors(p, counts, &V, k, err);
        spd_free(V);
    }
    spd_free(pivot);
    return status;
}

void spd_nullspace_free(spd_nullspace *null) {
    spd_csr_free(&null->N);
    *null = (spd_nullspace){0};
}
