/* weighted.c - diag(weight) F: row weights are part of F for every penalty. */
#include "structure/structure.h"

static spdhg_status check(int64_t m, const double *weight, spdhg_error *err) {
    for (int64_t e = 0; e < m; e++)
        if (!(weight[e] >= 0 && isfinite(weight[e])))
            return spd_fail(err, SPDHG_DATA, "row weight %lld is %g; expected a finite number of at least 0", (long long)e + 1,
                            weight[e]);
    return SPDHG_OK;
}

static spdhg_status fill(spd_csr *out, const spd_csr *A, const double *weight, int64_t *kept, spdhg_error *err) {
    spd_csr_row from;
    int64_t m = 0, nnz = 0;
    for (int64_t e = 0; e < A->m; e++)
        if (weight[e] > 0) {
            spd_csr_take(A, e, &from);
            m++;
            nnz += from.n;
        }
    SPD_TRY(spd_csr_new(out, m, A->n, nnz, err));
    int64_t row = 0, place = 0;
    for (int64_t e = 0; e < A->m; e++) {
        if (weight[e] == 0) continue;
        spd_csr_take(A, e, &from);
        for (int64_t q = 0; q < from.n; q++, place++) {
            out->idx[place] = from.idx[q];
            out->val[place] = weight[e] * from.val[q];
        }
        if (kept) kept[row] = e;
        out->ptr[++row] = place;
    }
    return SPDHG_OK;
}

spdhg_status spd_structure_weighted(spdhg_structure **out, const spdhg_structure *F, const double *weight, int64_t **kept,
                                    spdhg_error *err) {
    *out = NULL;
    if (kept) *kept = NULL;
    SPD_TRY(check(F->F.m, weight, err));
    int64_t *rows = kept ? SPD_NEW(int64_t, F->F.m) : NULL;
    if (kept && !rows) return spd_fail_memory(err, 8.0 * (double)F->F.m);
    spdhg_status status = spd_structure_begin(out, F->spec, F->F.n, err);
    if (status == SPDHG_OK) {
        memcpy((*out)->side, F->side, sizeof F->side);
        status = spd_structure_finish(out, fill(&(*out)->F, &F->F, weight, rows, err), err);
    }
    if (status != SPDHG_OK)
        spd_free(rows);
    else if (kept)
        *kept = rows;
    return status;
}
