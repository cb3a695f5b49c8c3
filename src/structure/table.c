/* table.c - every structure; F by specification NAME[:ARG] or from the caller's rows. */
#include "structure/structure.h"

static const spd_structure_kind *const table[] = {&spd_structure_identity, &spd_structure_chain, &spd_structure_trend,
                                                  &spd_structure_grid,     &spd_structure_edges, &spd_structure_matrix};
enum { ENTRIES = sizeof table / sizeof *table };

const spd_structure_kind *const *spd_structure_table(int *entries) {
    *entries = ENTRIES;
    return table;
}

static spdhg_status by_name(spdhg_structure *F, const char *spec, int64_t features, spdhg_error *err) {
    const char *name[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
        name[i] = table[i]->name;
        if (spd_spec_is(spec, name[i])) return table[i]->build(F, spd_spec_arg(spec), features, err);
    }
    return spd_unknown(err, "structure", spec, name, ENTRIES, sizeof *name);
}

spdhg_status spd_structure_begin(spdhg_structure **out, const char *spec, int64_t features, spdhg_error *err) {
    *out = NULL;
    if (features < 0 || features >= INT32_MAX)
        return spd_fail(err, SPDHG_USAGE, "a structure over %lld features; expected 0 to %d", (long long)features, INT32_MAX - 1);
    spdhg_structure *F = SPD_NEW(spdhg_structure, 1);
    if (F) F->spec = spd_strdup(spec);
    if (!F || !F->spec) {
        spdhg_structure_free(F);
        return spd_fail_memory(err, sizeof *F);
    }
    *out = F;
    return SPDHG_OK;
}

spdhg_status spd_structure_finish(spdhg_structure **out, spdhg_status status, spdhg_error *err) {
    spdhg_structure *F = *out;
    double *work = status == SPDHG_OK ? SPD_NEW(double, F->F.n) : NULL;
    if (work) {
        F->norm_bound = spd_csr_norm_bound(&F->F, work);
        if (!isfinite(F->norm_bound))
            status = spd_fail(err, SPDHG_DATA, "structure '%s': its numbers are too large, their norm overflows", F->spec);
    } else if (status == SPDHG_OK)
        status = spd_fail_memory(err, 8.0 * (double)F->F.n);
    spd_free(work);
    if (status == SPDHG_OK) return SPDHG_OK;
    spdhg_structure_free(F);
    *out = NULL;
    return status;
}

spdhg_status spdhg_structure_new(spdhg_structure **out, const char *spec, int64_t features, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    SPD_TRY(spd_structure_begin(out, spec, features, err));
    return spd_structure_finish(out, by_name(*out, spec, features, err), err);
}

static spdhg_status copy_rows(spd_csr *A, int64_t rows, int64_t features, const int64_t *ptr, const int32_t *idx,
                              const double *val, spdhg_error *err) {
    if (rows < 0 || !ptr || ptr[0] != 0) return spd_fail(err, SPDHG_DATA, "structure: expected rows >= 0 and ptr[0] == 0");
    for (int64_t e = 0; e < rows; e++) {
        if (ptr[e + 1] < ptr[e]) return spd_fail(err, SPDHG_DATA, "structure: ptr decreases after row %lld", (long long)e);
        for (int64_t p = ptr[e]; p < ptr[e + 1]; p++) {
            if (idx[p] < 0 || idx[p] >= features || (p > ptr[e] && idx[p] <= idx[p - 1]))
                return spd_fail(err, SPDHG_DATA, "structure: column %d in row %lld; expected ascending columns from 0 to %lld",
                                idx[p], (long long)e, (long long)features - 1);
            if (!isfinite(val[p]))
                return spd_fail(err, SPDHG_DATA, "structure: row %lld, column %d is not finite", (long long)e, idx[p]);
        }
    }
    SPD_TRY(spd_csr_new(A, rows, features, ptr[rows], err));
    memcpy(A->ptr, ptr, (size_t)(rows + 1) * sizeof *ptr);
    if (ptr[rows] == 0) return SPDHG_OK;
    memcpy(A->idx, idx, (size_t)ptr[rows] * sizeof *idx);
    memcpy(A->val, val, (size_t)ptr[rows] * sizeof *val);
    return SPDHG_OK;
}

spdhg_status spdhg_structure_from_csr(spdhg_structure **out, int64_t rows, int64_t features, const int64_t *ptr,
                                      const int32_t *idx, const double *val, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    SPD_TRY(spd_structure_begin(out, "rows", features, err));
    return spd_structure_finish(out, copy_rows(&(*out)->F, rows, features, ptr, idx, val, err), err);
}

void spdhg_structure_get_view(const spdhg_structure *F, spdhg_structure_view *out) {
    *out = (spdhg_structure_view){
        .rows = F->F.m, .features = F->F.n, .ptr = F->F.ptr, .idx = F->F.idx, .val = F->F.val, .spec = F->spec};
}

int64_t spdhg_structure_rows(const spdhg_structure *F) { return F->F.m; }

double spdhg_structure_norm_bound(const spdhg_structure *F) { return F->norm_bound; }

void spdhg_structure_free(spdhg_structure *F) {
    if (!F) return;
    spd_csr_free(&F->F);
    spd_free(F->spec);
    spd_free(F);
}
