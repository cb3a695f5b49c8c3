/* forest.c - the rows of F as a forest: those with two entries (a, -a) join columns, those with one stand by themselves.
 * Roots are columns with at most one neighbour, so that a path is numbered from one of its ends: then every parent is the node
 * before, and a chain keeps the order of its columns. A sum of two columns is a difference once one of them changes its sign: a
 * tree can have all signs right, and |x_k| does not notice; bounds do. */
#include "chain/chain.h"

static bool is_pair(const spd_csr *F, int64_t e) {
    const int64_t q = F->ptr[e];
    return F->ptr[e + 1] - q == 2 && F->val[q] != 0 && fabs(F->val[q]) == fabs(F->val[q + 1]);
}

static bool is_sum(const spd_csr *F, int64_t e) { return F->val[F->ptr[e]] == F->val[F->ptr[e] + 1]; }

static bool is_single(const spd_csr *F, int64_t e) { return F->ptr[e + 1] - F->ptr[e] == 1; }

/* ordered: all of them are of neighbouring columns. */
static int64_t count_pairs(const spdhg_problem *p, bool *ordered) {
    int64_t count = 0;
    *ordered = true;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        for (int64_t e = 0; e < F->m && !spd_csr_is_identity(F); e++) {
            if (!is_pair(F, e)) continue;
            *ordered = *ordered && F->idx[F->ptr[e] + 1] == F->idx[F->ptr[e]] + 1;
            count++;
        }
    }
    return count;
}

/* Each row joins a column to the next, and no two rows the same: a chain, or what is left of one. */
static bool is_chain(const spdhg_problem *p) {
    int64_t last = -1;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        for (int64_t e = 0; e < F->m && !spd_csr_is_identity(F); e++) {
            if (!is_pair(F, e)) continue;
            const int64_t i = F->idx[F->ptr[e]];
            if (F->idx[F->ptr[e] + 1] != i + 1 || i <= last) return false;
            last = i;
        }
    }
    return true;
}

/* A circle of rows with two entries, also two rows for one pair. */
static bool has_circle(const spdhg_problem *p) {
    spd_joins joins;
    double ratio;
    bool found = false;
    if (spd_joins_new(&joins, p->d, NULL) != SPDHG_OK) return true;
    for (int64_t t = 0; t < p->terms && !found; t++) {
        const spd_csr *F = &p->term[t].F->F;
        for (int64_t e = 0; e < F->m && !spd_csr_is_identity(F) && !found; e++) {
            if (!is_pair(F, e)) continue;
            const int64_t i = F->idx[F->ptr[e]], j = F->idx[F->ptr[e] + 1];
            found = spd_joins_find(&joins, i, &ratio) == spd_joins_find(&joins, j, &ratio);
            spd_joins_add(&joins, i, j, 1, -1);
        }
    }
    spd_joins_free(&joins);
    return found;
}

const char *spd_forest_refuses(const spdhg_problem *p) {
    int64_t joined = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        if (!p->term[t].penalty->sum_of_sizes) return "it works for the l1 penalty only";
        for (int64_t e = 0; e < F->m && !spd_csr_is_identity(F); e++) {
            joined += is_pair(F, e);
            if (!is_pair(F, e) && !is_single(F, e))
                return "every row of F has to be a multiple of a difference or sum of two coefficients, or of one";
            if (is_pair(F, e) && is_sum(F, e) && !p->set.kind->whole)
                return "with a set X it does not work for sums of two coefficients";
        }
    }
    if (joined >= p->d || (joined > 0 && !is_chain(p) && has_circle(p)))
        return "the rows of F form a circle; it works on lines and trees";
    return NULL;
}

void spd_forest_layout(spd_forest *f, const spdhg_problem *p, spd_arena *work) {
    bool ordered;
    const int64_t d = p->d, joined = count_pairs(p, &ordered);
    *f = (spd_forest){.d = d,
                      .ordered = ordered,
                      .column = spd_arena_int32(work, d),
                      .parent = spd_arena_int32(work, d),
                      .weight = spd_arena_take(work, d),
                      .entry = spd_arena_take(work, d),
                      .flip = (signed char *)spd_arena_take(work, d / 8 + 1),
                      .at = spd_arena_int64(work, d),
                      .mu = spd_arena_take(work, d),
                      .start = spd_arena_int32(work, d + 1),
                      .near = spd_arena_int32(work, 2 * joined),
                      .edge = spd_arena_int64(work, 2 * joined)};
}

/* near, edge: the neighbours of each column and the row to them, as term number * 2^40 + row. */
static const int64_t TERM = (int64_t)1 << 40;

static void find_neighbours(spd_forest *f, const spdhg_problem *p) {
    memset(f->start, 0, (size_t)(f->d + 1) * sizeof *f->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t t = 0; t < p->terms; t++) {
            const spd_csr *F = &p->term[t].F->F;
            for (int64_t e = F->m - 1; e >= 0 && !spd_csr_is_identity(F); e--) {
                if (!is_pair(F, e)) continue;
                for (int side = 0; side < 2; side++) {
                    const int32_t i = F->idx[F->ptr[e] + side];
                    if (pass == 0) {
                        f->start[i]++;
                        continue;
                    }
                    f->near[--f->start[i]] = F->idx[F->ptr[e] + 1 - side];
                    f->edge[f->start[i]] = t * TERM + e;
                }
            }
        }
        for (int64_t j = 0, total = 0; j <= f->d && pass == 0; j++) {
            total += j < f->d ? f->start[j] : 0;
            f->start[j] = (int32_t)total;
        }
    }
}

/* Node `count` becomes column j; by: the edge it was reached by. */
static void add_node(spd_forest *f, const spdhg_problem *p, int64_t count, int32_t j, int32_t parent, int64_t by) {
    f->column[count] = j;
    f->parent[count] = parent;
    f->weight[count] = f->entry[count] = 0;
    f->flip[count] = 1;
    f->at[count] = -1;
    f->line = f->line && (parent < 0 || parent == count - 1);
    if (parent < 0) return;
    const spd_term *t = &p->term[by / TERM];
    const spd_csr *F = &t->F->F;
    const int64_t e = by % TERM, q = F->ptr[e];
    f->flip[count] = is_sum(F, e) ? (signed char)-f->flip[parent] : f->flip[parent];
    f->entry[count] = f->flip[count] * (F->idx[q] == j ? F->val[q] : F->val[q + 1]);
    f->weight[count] = t->lambda * fabs(f->entry[count]);
    f->at[count] = t->first + e * p->K;
}

/* Breadth first; mu is the mark of columns that have been reached, before it is what it is. */
static void number_nodes(spd_forest *f, const spdhg_problem *p) {
    int64_t count = 0;
    f->line = true;
    memset(f->mu, 0, (size_t)f->d * sizeof *f->mu);
    for (int32_t root = 0; root < f->d; root++) {
        if (f->mu[root] != 0 || f->start[root + 1] - f->start[root] > 1) continue;
        int64_t from = count;
        f->mu[root] = 1;
        add_node(f, p, count++, root, -1, 0);
        for (; from < count; from++) {
            const int32_t j = f->column[from];
            for (int32_t q = f->start[j]; q < f->start[j + 1]; q++) {
                if (f->mu[f->near[q]] != 0) continue;
                f->mu[f->near[q]] = 1;
                add_node(f, p, count++, f->near[q], (int32_t)from, f->edge[q]);
            }
        }
    }
}

void spd_forest_fill(spd_forest *f, const spdhg_problem *p) {
    find_neighbours(f, p);
    number_nodes(f, p);
    int32_t *node = f->start; /* of each column, from here on */
    for (int64_t k = 0; k < f->d; k++) node[f->column[k]] = (int32_t)k;
    memset(f->mu, 0, (size_t)f->d * sizeof *f->mu);
    f->sparse = false;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        const bool identity = spd_csr_is_identity(F);
        for (int64_t e = 0; e < F->m; e++) {
            if (!identity && !is_single(F, e)) continue;
            const double size = p->term[t].lambda * (identity ? 1 : fabs(F->val[F->ptr[e]]));
            f->mu[node[identity ? e : F->idx[F->ptr[e]]]] += size;
            f->sparse = f->sparse || size > 0;
        }
    }
}
