/* routes.c - how the residual of v travels along rows of F to a place that can absorb it, exactly.
 * Without ridge and bounds a dual point requires
 *   v = A'alpha/W + F'y = 0
 * exactly, which rounded alpha and y do not satisfy. A row of F with one entry absorbs v_j completely:
 *   y_e -= v_j / F_ej
 * A row with two entries of equal size passes v_j on to its other column. Rows of these two kinds form a forest: each column
 * sends its residual to the next, and the last one to a row with one entry or, if its component has none, to the root. The roots
 * are the bases, where only alpha can help (base_system.c). Along a component without a one-entry row, F u = 0 for a u that is +1
 * or -1 in each of its columns.
 * Rows of A with one entry can also absorb v_j, by moving their alpha (anchors.c). With a free intercept they pass it on to the
 * intercept, which is then the root of all their columns.
 * The search is breadth first from the one-entry rows, so that few columns add up at any row. */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

typedef struct network {
    int64_t *start; /* d + 1 */
    int64_t *link;  /* of each column, the numbers of its rows that are links, in the stack of all rows of F */
} network;

bool spd_routes_is_link(const spd_csr_row *row) {
    return row->n == 2 && row->val[0] != 0 && fabs(row->val[0]) == fabs(row->val[1]);
}

/* Advances to the next row that is a link of a term with lambda > 0. */
static bool next_link(spd_rows *r) {
    while (spd_rows_next(r))
        if (r->term->lambda > 0 && spd_routes_is_link(&r->row)) return true;
    return false;
}

static void count_links(network *g, const spdhg_problem *p) {
    for (spd_rows r = spd_rows_of(p); next_link(&r);)
        for (int side = 0; side < 2; side++) g->start[r.row.idx[side]]++;
}

/* start[j] begins just after the last edge of j and moves down to the first. */
static void fill_links(network *g, const spdhg_problem *p) {
    for (spd_rows r = spd_rows_of(p); next_link(&r);)
        for (int side = 0; side < 2; side++) g->link[--g->start[r.row.idx[side]]] = r.number;
}

/* The columns that a row with one entry absorbs; returns how many. */
static int64_t ground(spd_routes *r, const spdhg_problem *p) {
    int64_t reached = 0;
    for (spd_rows f = spd_rows_of(p); spd_rows_next(&f);) {
        if (!(f.term->lambda > 0) || f.row.n != 1 || f.row.val[0] == 0) continue;
        const int32_t j = f.row.idx[0];
        if (r->base[j] != SPD_UNREACHED) continue;
        r->base[j] = SPD_GROUNDED;
        r->to[j] = -1;
        r->at[j] = f.at;
        r->size[j] = fabs(f.row.val[0]);
        r->order[reached++] = j;
    }
    return reached;
}

/* Gives all unreached columns that have an anchor the same base. */
static int64_t moor(spd_routes *r, const spdhg_problem *p, const int64_t *anchor, const double *weight, int32_t base,
                    int64_t reached) {
    for (int64_t j = 0; j < p->d; j++) {
        if (r->base[j] != SPD_UNREACHED || anchor[j] < 0) continue;
        r->base[j] = base;
        r->sign[j] = weight[j] > 0 ? -1 : 1; /* a u_j + 1 = 0 where a is 1 or -1 */
        r->to[j] = -1;
        r->at[j] = -1;
        r->row[j] = anchor[j];
        r->size[j] = fabs(weight[j]);
        r->order[reached++] = (int32_t)j;
    }
    return reached;
}

/* Row `number` of the stack; returns the position in y of its first entry. */
static int64_t take(const spdhg_problem *p, int64_t number, spd_csr_row *row) {
    const spd_term *t = p->term;
    for (; number >= t->m; t++) number -= t->m;
    spd_csr_take(&t->F->F, number, row);
    return t->first + number * p->K;
}

/* Reaches every column that links lead to from order[from..]. */
static int64_t spread(spd_routes *r, const spdhg_problem *p, const network *g, int64_t from, int64_t reached) {
    for (; from < reached; from++) {
        const int32_t j = r->order[from];
        for (int64_t q = g->start[j]; q < g->start[j + 1]; q++) {
            spd_csr_row row;
            const int64_t at = take(p, g->link[q], &row);
            const int32_t other = row.idx[row.idx[0] == j];
            if (r->base[other] != SPD_UNREACHED) continue;
            const bool same = (row.val[0] > 0) == (row.val[1] > 0); /* then u_other = -u_j keeps the row at 0 */
            r->base[other] = r->base[j];
            r->sign[other] = (signed char)(same ? -r->sign[j] : r->sign[j]);
            r->to[other] = j;
            r->at[other] = at;
            r->size[other] = fabs(row.val[0]);
            r->order[reached++] = other;
        }
    }
    return reached;
}

static void find_routes(spd_routes *r, const spdhg_problem *p, const network *g, const int64_t *anchor, const double *weight) {
    for (int64_t j = 0; j < p->d; j++) {
        r->base[j] = SPD_UNREACHED;
        r->sign[j] = 1;
        if (anchor) r->row[j] = -1;
    }
    int64_t reached = ground(r, p);
    if (anchor && !p->intercept) reached = moor(r, p, anchor, weight, SPD_GROUNDED, reached);
    reached = spread(r, p, g, 0, reached);
    const int64_t before = reached;
    if (anchor && p->intercept) reached = spread(r, p, g, before, moor(r, p, anchor, weight, SPD_BY_INTERCEPT, reached));
    r->joined = reached > before;
    for (int64_t j = 0; j < p->d; j++) {
        if (r->base[j] != SPD_UNREACHED) continue;
        r->base[j] = (int32_t)r->bases++;
        r->to[j] = -1;
        r->at[j] = -1;
        r->order[reached] = (int32_t)j;
        const int64_t from = reached++;
        reached = spread(r, p, g, from, reached);
        if (reached > from + 1) r->joined = true;
    }
    for (int64_t j = 0; j < p->d; j++)
        if (r->base[j] == SPD_BY_INTERCEPT) r->base[j] = (int32_t)r->bases;
}

static bool allocate(spd_routes *r, const spdhg_problem *p, bool anchored) {
    *r = (spd_routes){.order = SPD_NEW(int32_t, p->d),
                      .to = SPD_NEW(int32_t, p->d),
                      .base = SPD_NEW(int32_t, p->d),
                      .at = SPD_NEW(int64_t, p->d),
                      .row = anchored ? SPD_NEW(int64_t, p->d) : NULL,
                      .size = SPD_NEW(double, p->d),
                      .sign = SPD_NEW(signed char, p->d)};
    return r->order && r->to && r->base && r->at && (r->row || !anchored) && r->size && r->sign;
}

bool spd_routes_end_at_once(const spd_routes *r, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (r->base[j] != SPD_GROUNDED || r->at[j] < 0 || r->to[j] >= 0 || r->size[j] != r->size[0]) return false;
    return true;
}

void spd_routes_absorb(const spd_routes *r, const spdhg_problem *p, const double *v, double *y) {
    for (spd_rows f = spd_rows_of(p); spd_rows_next(&f);) {
        if (f.row.n != 1 || r->at[f.row.idx[0]] != f.at) continue;
        for (int64_t k = 0; k < p->K; k++) y[f.at + k] += v[f.row.idx[0] * p->K + k] / f.row.val[0];
    }
}

bool spd_routes_none(spd_routes *r, const spdhg_problem *p) {
    if (!allocate(r, p, false)) return false;
    for (int64_t j = 0; j < p->d; j++) {
        r->order[j] = r->base[j] = (int32_t)j;
        r->to[j] = -1;
        r->at[j] = -1;
        r->sign[j] = 1;
    }
    r->bases = p->d;
    return true;
}

bool spd_routes_new(spd_routes *r, const spdhg_problem *p, const int64_t *anchor, const double *weight) {
    network g = {.start = SPD_NEW(int64_t, p->d + 1)};
    bool good = allocate(r, p, anchor != NULL) && g.start;
    if (good) {
        count_links(&g, p);
        int64_t total = 0;
        for (int64_t j = 0; j <= p->d; j++) g.start[j] = total += j < p->d ? g.start[j] : 0;
        g.link = SPD_NEW(int64_t, total);
        good = g.link != NULL;
    }
    if (good) {
        fill_links(&g, p);
        find_routes(r, p, &g, anchor, weight);
    }
    spd_free(g.start);
    spd_free(g.link);
    return good;
}

void spd_routes_free(spd_routes *r) {
    SPD_FREE_ALL(r->order, r->to, r->base, r->at, r->row, r->size, r->sign);
    *r = (spd_routes){0};
}

void spd_routes_carry(const spd_routes *r, int64_t d, int64_t K, double *excess, double *doubt, double *dy) {
    for (int64_t q = d - 1; q >= 0; q--) {
        const int64_t j = r->order[q], to = r->to[j];
        if (r->at[j] < 0) continue;
        for (int64_t k = 0; k < K; k++) {
            const double here = excess[j * K + k], unsure = doubt[j * K + k] + 2 * DBL_EPSILON * fabs(here);
            dy[r->at[j] + k] = (fabs(here) + unsure) / r->size[j];
            if (to < 0) continue;
            excess[to * K + k] += r->sign[j] * r->sign[to] * here;
            doubt[to * K + k] += unsure;
        }
    }
}
