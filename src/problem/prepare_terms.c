/* prepare_terms.c - cuts the rows of each F_t into the blocks its penalty acts on, places the duals in y, and finds the features
 * that F touches. */
#include "problem/prepare.h"
#include "problem/rows.h"

/* Blocks from a group number per row. Rows of a group keep their order, groups are sorted by number; numbers may have gaps. */
static spdhg_status cut_groups(spd_term *t, spdhg_error *err) {
    int64_t groups = 0;
    for (int64_t e = 0; e < t->m; e++) {
        if (t->group_asked[e] < 0 || t->group_asked[e] >= t->m + ((int64_t)1 << 31))
            return spd_fail(err, SPDHG_DATA, "group %lld of row %lld of F is out of range", (long long)t->group_asked[e],
                            (long long)e + 1);
        if (t->group_asked[e] >= groups) groups = t->group_asked[e] + 1;
    }
    int64_t *first = SPD_NEW(int64_t, groups + 1);
    t->block_row = SPD_NEW(int64_t, t->m);
    if (!first || !t->block_row) {
        spd_free(first);
        return spd_fail_memory(err, 8.0 * (double)(groups + t->m));
    }
    for (int64_t e = 0; e < t->m; e++) first[t->group_asked[e] + 1]++;
    int64_t blocks = 0;
    for (int64_t g = 0; g < groups; g++) blocks += first[g + 1] > 0;
    t->block_ptr = SPD_NEW(int64_t, blocks + 1);
    if (!t->block_ptr) {
        spd_free(first);
        return spd_fail_memory(err, 8.0 * (double)blocks);
    }
    t->blocks = 0;
    for (int64_t g = 0; g < groups; g++) { /* empty groups are dropped */
        const int64_t rows = first[g + 1];
        first[g + 1] += first[g];
        if (rows > 0) t->block_ptr[++t->blocks] = first[g + 1];
        if (rows > t->largest) t->largest = rows;
    }
    for (int64_t e = 0; e < t->m; e++) t->block_row[first[t->group_asked[e]]++] = e;
    spd_free(first);
    return SPDHG_OK;
}

static spdhg_status cut_blocks(spd_term *t, int64_t K, spdhg_error *err) {
    if (t->group_asked) return cut_groups(t, err);
    if (t->penalty->block == SPDHG_BLOCK_GROUP && K == 1)
        return spd_fail(err, SPDHG_USAGE, "penalty %s needs groups for a model with one output (--groups FILE, size:G or grid)",
                        t->penalty->name);
    const bool whole = t->penalty->block == SPDHG_BLOCK_WHOLE;
    t->blocks = whole && t->m > 0 ? 1 : t->m;
    t->largest = whole ? t->m : t->m > 0;
    return SPDHG_OK;
}

/* r(z) <= steepest sum |z_i| and polar(y) <= sum |y_i| / flattest on every block: 1 for the forms of the table; otherwise
 * r(z) <= radius ||z||_2 and polar(y) <= ||y||_2 / inner. Values and polar norms are accurate to `units` of 2^-53. */
static void find_sizes(spd_term *t, int64_t K) {
    const spd_penalty *r = t->penalty;
    const bool known = r->sum_of_sizes || r->length || r->largest_size || r->singular_values;
    t->steepest = t->flattest = 1;
    for (int64_t b = 0; b < t->blocks && !known; b++) {
        const int64_t rows = spd_term_block_rows(t, b);
        t->steepest = fmax(t->steepest, r->radius(r, rows, K));
        t->flattest = fmin(t->flattest, r->inner(r, rows, K));
    }
    t->units = fmax((double)(t->largest * K) + 32, r->units);
}

/* The rows of F with the columns renumbered by the problem's `place`. */
static spdhg_status place_columns(spd_term *t, const int32_t *place, spdhg_error *err) {
    const spd_csr *F = &t->F->F;
    const int64_t nnz = F->ptr[F->m];
    int32_t *idx = SPD_NEW(int32_t, nnz);
    if (!idx) return spd_fail_memory(err, 4.0 * (double)nnz);
    for (int64_t q = 0; q < nnz; q++) idx[q] = place[F->idx[q]];
    t->placed = (spd_csr){.m = F->m, .n = F->n, .ptr = F->ptr, .idx = idx, .val = F->val};
    return SPDHG_OK;
}

/* Features with an entry in some F_t: only these change in every step. They get the first places, so that a step reads contiguous
 * memory however scattered they are. */
static spdhg_status find_support(spdhg_problem *p, spdhg_error *err) {
    p->supports = p->d;
    p->place = SPD_NEW(int32_t, p->d);
    if (!p->place) return spd_fail_memory(err, 4.0 * (double)p->d);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t q = 0; q < r.row.n; q++) p->place[r.row.idx[q]] = 1;
    p->supports = 0;
    for (int64_t j = 0; j < p->d; j++) p->supports += p->place[j];
    if (p->supports == p->d) {
        spd_free(p->place);
        p->place = NULL;
        return SPDHG_OK;
    }
    int64_t first = 0, idle = p->supports;
    for (int64_t j = 0; j < p->d; j++) p->place[j] = (int32_t)(p->place[j] ? first++ : idle++);
    for (int64_t t = 0; t < p->terms; t++) SPD_TRY(place_columns(&p->term[t], p->place, err));
    return SPDHG_OK;
}

static bool all_pairs(const spd_csr *F) {
    spd_csr_row row;
    for (int64_t e = 0; e < F->m; e++) {
        spd_csr_take(F, e, &row);
        if (row.n != 2) return false;
    }
    return true;
}

spdhg_status spd_prepare_terms(spdhg_problem *p, spdhg_error *err) {
    p->m = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        spd_term *term = &p->term[t];
        SPD_TRY(cut_blocks(term, p->K, err));
        find_sizes(term, p->K);
        term->pairs = all_pairs(&term->F->F);
        term->first = p->m * p->K;
        p->m += term->m;
    }
    return find_support(p, err);
}
