/* prepare_terms.c - cuts the rows of each F_t into the blocks its penalty acts on, places the duals in y, and finds the features F touches. */
#include "problem/prepare.h"

/* Blocks from a group number per row: rows of a group in their order, groups by number; numbers need not be contiguous. */
static spdhg_status cut_groups(spd_term *t, spdhg_error *err) {
    int64_t groups = 0;
    for (int64_t e = 0; e < t->m; e++) {
        if (t->group_asked[e] < 0 || t->group_asked[e] >= t->m + ((int64_t)1 << 31))
            return spd_fail(err, SPDHG_DATA, "group %lld of row %lld of F is out of range", (long long)t->group_asked[e], (long long)e + 1);
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
    for (int64_t g = 0; g < groups; g++) { /* empty groups vanish */
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
    if (t->penalty->block == SPD_BLOCK_GROUP && K == 1)
        return spd_fail(err, SPDHG_USAGE, "penalty %s needs groups for a model with one output (--groups FILE, size:G or grid)",
                        t->penalty->name);
    const bool whole = t->penalty->block == SPD_BLOCK_WHOLE;
    t->blocks = whole && t->m > 0 ? 1 : t->m;
    t->largest = whole ? t->m : t->m > 0;
    return SPDHG_OK;
}

/* Features with an entry in some F_t: only these change in every step. */
static spdhg_status find_support(spdhg_problem *p, spdhg_error *err) {
    p->supports = p->d;
    for (int64_t t = 0; t < p->terms; t++)
        if (spd_csr_is_identity(&p->term[t].F->F)) return SPDHG_OK;
    p->in_support = SPD_NEW(bool, p->d);
    p->support = SPD_NEW(int32_t, p->d);
    if (!p->in_support || !p->support) return spd_fail_memory(err, 5.0 * (double)p->d);
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        for (int64_t q = 0; q < F->ptr[F->m]; q++) p->in_support[F->idx[q]] = true;
    }
    p->supports = 0;
    for (int64_t j = 0; j < p->d; j++)
        if (p->in_support[j]) p->support[p->supports++] = (int32_t)j;
    if (p->supports == p->d) {
        spd_free(p->in_support);
        spd_free(p->support);
        p->in_support = NULL;
        p->support = NULL;
    }
    return SPDHG_OK;
}

spdhg_status spd_prepare_terms(spdhg_problem *p, spdhg_error *err) {
    p->m = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        spd_term *term = &p->term[t];
        SPD_TRY(cut_blocks(term, p->K, err));
        term->first = p->m * p->K;
        p->m += term->m;
    }
    return find_support(p, err);
}
