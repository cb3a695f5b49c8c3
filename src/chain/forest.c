/* forest.c - the rows of F as a forest: rows with two entries (a, -a) join columns, rows with one entry belong to a column.
 * Roots are columns with at most one neighbour, so that a path is numbered from one of its ends: every parent is then the
 * previous node, and a chain keeps the order of its columns. A sum of two columns becomes a difference if the sign of one of them
 * is flipped. On a tree all signs can be chosen so. |x_k| does not depend on the sign, but bounds do. */
#include "chain/chain.h"
#include "problem/rows.h"

static bool is_pair(const spd_rows *r) {
    return r->row.n == 2 && r->row.val[0] != 0 && fabs(r->row.val[0]) == fabs(r->row.val[1]);
}

static bool is_sum(const spd_rows *r) { return r->row.val[0] == r->row.val[1]; }

/* ordered: all of them join neighbouring columns. */
static int64_t count_pairs(const spdhg_problem *p, bool *ordered) {
    int64_t count = 0;
    *ordered = true;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (!is_pair(&r)) continue;
        *ordered = *ordered && r.row.idx[1] == r.row.idx[0] + 1;
        count++;
    }
    return count;
}

/* True if each row joins a column to the next one, and no two rows join the same columns: a chain, or pieces of one. */
static bool is_chain(const spdhg_problem *p) {
    int64_t last = -1;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (!is_pair(&r)) continue;
        if (r.row.idx[1] != r.row.idx[0] + 1 || r.row.idx[0] <= last) return false;
        last = r.row.idx[0];
    }
    return true;
}

/* True if rows with two entries form a cycle, or two rows join the same pair. */
static bool has_cycle(const spdhg_problem *p) {
    spd_joins joins;
    double ratio;
    bool found = false;
    if (spd_joins_new(&joins, p->d, NULL) != SPDHG_OK) return true;
    for (spd_rows r = spd_rows_of(p); !found && spd_rows_next(&r);) {
        if (!is_pair(&r)) continue;
        found = spd_joins_find(&joins, r.row.idx[0], &ratio) == spd_joins_find(&joins, r.row.idx[1], &ratio);
        spd_joins_add(&joins, r.row.idx[0], r.row.idx[1], 1, -1);
    }
    spd_joins_free(&joins);
    return found;
}

const char *spd_forest_refuses(const spdhg_problem *p) {
    int64_t joined = 0;
    for (int64_t t = 0; t < p->terms; t++)
        if (!p->term[t].penalty->sum_of_sizes) return "it works for the l1 penalty only";
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        joined += is_pair(&r);
        if (!is_pair(&r) && r.row.n != 1)
            return "every row of F has to be a multiple of a difference or sum of two coefficients, or of one";
        if (is_pair(&r) && is_sum(&r) && !p->set.kind->whole) return "with a set X it does not work for sums of two coefficients";
    }
    if (joined >= p->d || (joined > 0 && !is_chain(p) && has_cycle(p)))
        return "the rows of F form a cycle; it works on lines and trees";
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
                      .edge = spd_arena_int64(work, 2 * joined),
                      .far = spd_arena_take(work, 2 * joined)};
}

/* near: the neighbours of each column. edge: the index in y of the joining row, ~index if it is a sum. far: the row's entry at
 * the neighbour. */
static void find_neighbours(spd_forest *f, const spdhg_problem *p) {
    memset(f->start, 0, (size_t)(f->d + 1) * sizeof *f->start);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int side = 0; side < 2 && is_pair(&r); side++) f->start[r.row.idx[side]]++;
    for (int64_t j = 0, total = 0; j <= f->d; j++) {
        total += j < f->d ? f->start[j] : 0;
        f->start[j] = (int32_t)total;
    }
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int side = 0; side < 2 && is_pair(&r); side++) {
            const int32_t place = --f->start[r.row.idx[side]];
            f->near[place] = r.row.idx[1 - side];
            f->edge[place] = is_sum(&r) ? ~r.at : r.at;
            f->far[place] = r.row.val[1 - side];
        }
}

static double lambda_at(const spdhg_problem *p, int64_t at) {
    int64_t t = p->terms - 1;
    while (p->term[t].first > at || p->term[t].m == 0) t--;
    return p->term[t].lambda;
}

/* Column j becomes node `count`. parent < 0: a root. edge and far: of the row through which it was reached. */
static void add_node(spd_forest *f, const spdhg_problem *p, int64_t count, int32_t j, int32_t parent, int64_t edge, double far) {
    const bool root = parent < 0, sum = !root && edge < 0;
    f->column[count] = j;
    f->parent[count] = parent;
    f->line = f->line && (root || parent == count - 1);
    f->flip[count] = root ? 1 : (signed char)(sum ? -f->flip[parent] : f->flip[parent]);
    f->at[count] = root ? -1 : sum ? ~edge : edge;
    f->entry[count] = root ? 0 : f->flip[count] * far;
    f->weight[count] = root ? 0 : lambda_at(p, f->at[count]) * fabs(far);
}

/* Breadth first. Until mu is filled in, it marks the columns that have been reached. */
static void number_nodes(spd_forest *f, const spdhg_problem *p) {
    int64_t count = 0;
    f->line = true;
    memset(f->mu, 0, (size_t)f->d * sizeof *f->mu);
    for (int32_t root = 0; root < f->d; root++) {
        if (f->mu[root] != 0 || f->start[root + 1] - f->start[root] > 1) continue;
        int64_t from = count;
        f->mu[root] = 1;
        add_node(f, p, count++, root, -1, 0, 0);
        for (; from < count; from++) {
            const int32_t j = f->column[from];
            for (int32_t q = f->start[j]; q < f->start[j + 1]; q++) {
                if (f->mu[f->near[q]] != 0) continue;
                f->mu[f->near[q]] = 1;
                add_node(f, p, count++, f->near[q], (int32_t)from, f->edge[q], f->far[q]);
            }
        }
    }
}

/* A chain, or pieces of one: node j is column j, and no lists of neighbours are needed. */
static void number_chain(spd_forest *f, const spdhg_problem *p) {
    f->line = true;
    for (int32_t j = 0; j < f->d; j++) add_node(f, p, j, j, -1, 0, 0);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        if (is_pair(&r)) add_node(f, p, r.row.idx[1], r.row.idx[1], r.row.idx[0], is_sum(&r) ? ~r.at : r.at, r.row.val[1]);
}

void spd_forest_fill(spd_forest *f, const spdhg_problem *p) {
    if (is_chain(p))
        number_chain(f, p);
    else {
        find_neighbours(f, p);
        number_nodes(f, p);
    }
    int32_t *node = f->start; /* the node of each column; start is no longer needed */
    for (int64_t k = 0; k < f->d; k++) node[f->column[k]] = (int32_t)k;
    memset(f->mu, 0, (size_t)f->d * sizeof *f->mu);
    f->sparse = false;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (r.row.n != 1) continue;
        const double size = r.term->lambda * fabs(r.row.val[0]);
        f->mu[node[r.row.idx[0]]] += size;
        f->sparse = f->sparse || size > 0;
    }
}

void spd_forest_write_dual(const spd_forest *f, const spdhg_problem *p, int64_t k, double *t, const double *s, double *y) {
    for (int64_t i = 0; i < f->d; i++)
        if (f->parent[i] >= 0) y[f->at[i] + k] = t[i] / f->entry[i];
    for (int64_t i = 0; i < f->d && f->sparse; i++) t[f->column[i]] = f->mu[i] > 0 ? f->flip[i] * s[i] / f->mu[i] : 0;
    for (spd_rows r = spd_rows_of(p); f->sparse && spd_rows_next(&r);)
        if (r.row.n == 1) y[r.at + k] = (r.row.val[0] < 0 ? -1 : 1) * t[r.row.idx[0]] * r.term->lambda;
}
