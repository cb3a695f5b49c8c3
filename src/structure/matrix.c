/* matrix.c - F from a Matrix Market file, one row per penalised combination of features.
 * Rows without a nonzero entry penalise nothing and are dropped. */
#include "reader/read.h"
#include "structure/structure.h"

/* Moves the rows that have a nonzero entry to the front, in place. */
static void drop_empty_rows(spd_csr *A) {
    int64_t rows = 0, place = 0;
    for (int64_t e = 0; e < A->m; e++) {
        const int64_t from = A->ptr[e], count = A->ptr[e + 1] - from;
        if (spd_count_nonzero(count, A->val + from) == 0) continue;
        memmove(A->idx + place, A->idx + from, (size_t)count * sizeof *A->idx);
        memmove(A->val + place, A->val + from, (size_t)count * sizeof *A->val);
        place += count;
        A->ptr[++rows] = place;
    }
    A->m = rows;
}

static spdhg_status build(spdhg_structure *F, const char *arg, int64_t features, spdhg_error *err) {
    if (!arg || !*arg) return spd_fail(err, SPDHG_USAGE, "structure '%s': expected a file name after 'matrix:'", F->spec);
    SPD_TRY(spd_matrix_market_read(arg, &F->F, err));
    if (F->F.n != features)
        return spd_fail(err, SPDHG_DATA, "%s: the matrix has %lld columns, the data have %lld features", arg, (long long)F->F.n,
                        (long long)features);
    drop_empty_rows(&F->F);
    return F->F.m > 0 ? SPDHG_OK : spd_fail(err, SPDHG_DATA, "%s: no row has a number other than 0, nothing to penalise", arg);
}

const spd_structure_kind spd_structure_matrix = {
    .name = "matrix", .help = "any F from a Matrix Market file, a column per feature; matrix:FILE.mtx", .build = build};
