/* groups.c - which rows of F form a group: "size:G" (G consecutive rows), "grid" (the differences at one pixel) or a file of
 * numbers. A file may contain any whole numbers; they are renumbered 0..groups-1 in ascending order. */
#include <stdlib.h>

#include "reader/read.h"
#include "structure/structure.h"

static spdhg_status by_size(const spd_csr *A, const char *arg, int64_t *group, spdhg_error *err) {
    int64_t size;
    if (!arg || !spd_to_int(arg, &size) || size < 1)
        return spd_fail(err, SPDHG_USAGE, "groups 'size:%s': expected a whole number above 0 after 'size:'", arg ? arg : "");
    if (A->m % size != 0)
        return spd_fail(err, SPDHG_USAGE, "groups 'size:%s': the structure has %lld rows, not a multiple of %lld", arg,
                        (long long)A->m, (long long)size);
    for (int64_t e = 0; e < A->m; e++) group[e] = e / size;
    return SPDHG_OK;
}

static spdhg_status by_pixel(const spdhg_structure *F, int64_t *group, spdhg_error *err) {
    if (F->side[0] == 0) return spd_fail(err, SPDHG_USAGE, "groups 'grid' need the structure 'grid:HxW', not '%s'", F->spec);
    for (int64_t e = 1; e < F->F.m; e++) /* the first column of a row is its pixel, and rows are ordered by pixel */
        group[e] = group[e - 1] + (F->F.idx[F->F.ptr[e]] != F->F.idx[F->F.ptr[e - 1]]);
    return SPDHG_OK;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static spdhg_status by_number(const char *path, int64_t m, const double *number, int64_t *group, spdhg_error *err) {
    for (int64_t e = 0; e < m; e++)
        if (floor(number[e]) != number[e] || fabs(number[e]) > 0x1p53)
            return spd_fail(err, SPDHG_DATA, "%s: group of row %lld is %g; expected a whole number", path, (long long)e + 1,
                            number[e]);
    double *sorted = spd_copy(number, m, sizeof *number);
    if (!sorted) return spd_fail_memory(err, 8.0 * (double)m);
    qsort(sorted, (size_t)m, sizeof *sorted, compare);
    int64_t distinct = 0;
    for (int64_t e = 0; e < m; e++)
        if (e == 0 || sorted[e] != sorted[distinct - 1]) sorted[distinct++] = sorted[e];
    for (int64_t e = 0; e < m; e++)
        group[e] = (double *)bsearch(&number[e], sorted, (size_t)distinct, sizeof *sorted, compare) - sorted;
    spd_free(sorted);
    return SPDHG_OK;
}

static spdhg_status by_file(const spd_csr *A, const char *path, int64_t *group, spdhg_error *err) {
    double *number;
    int64_t rows, columns;
    SPD_TRY(spd_numbers_read(path, &number, &rows, &columns, err));
    const spdhg_status status = rows * columns == A->m
                                    ? by_number(path, A->m, number, group, err)
                                    : spd_fail(err, SPDHG_DATA, "%s: %lld group numbers, the structure has %lld rows", path,
                                               (long long)(rows * columns), (long long)A->m);
    spd_free(number);
    return status;
}

spdhg_status spd_structure_groups(const spdhg_structure *F, const char *spec, int64_t **group, spdhg_error *err) {
    *group = SPD_NEW(int64_t, F->F.m);
    if (!*group) return spd_fail_memory(err, 8.0 * (double)F->F.m);
    const spdhg_status status = spd_spec_is(spec, "size")   ? by_size(&F->F, spd_spec_arg(spec), *group, err)
                                : strcmp(spec, "grid") == 0 ? by_pixel(F, *group, err)
                                                            : by_file(&F->F, spec, *group, err);
    if (status == SPDHG_OK) return SPDHG_OK;
    spd_free(*group);
    *group = NULL;
    return status;
}
