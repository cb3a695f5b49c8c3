/* write.c - F as a Matrix Market coordinate file, which `matrix:FILE.mtx` reads back; numbers are written without loss. */
#include "structure/structure.h"

static void put_entry(FILE *stream, int64_t row, int64_t column, double value) {
    char number[SPD_NUMBER_CHARS];
    spd_print_double(number, value);
    fprintf(stream, "%lld %lld %s\n", (long long)row + 1, (long long)column + 1, number);
}

spdhg_status spdhg_structure_write(const spdhg_structure *F, const char *path, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    const spd_csr *A = &F->F;
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    fprintf(file.stream, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n", (long long)A->m, (long long)A->n,
            (long long)spd_csr_nnz(A));
    for (int64_t e = 0; e < A->m && !ferror(file.stream); e++) {
        spd_csr_row row;
        spd_csr_take(A, e, &row);
        for (int64_t q = 0; q < row.n; q++) put_entry(file.stream, e, row.idx[q], row.val[q]);
    }
    return spd_file_commit(&file, err);
}
