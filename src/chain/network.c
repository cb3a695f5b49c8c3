/* network.c - the rows of F as a network: a row with entries (a, -a) is a pair of arcs between two columns, each of capacity
 * lambda |a|. What flows from the column of the first entry is F_ek y_e. */
#include "chain/network.h"
#include "problem/rows.h"

static bool joins(const spd_rows *r) {
    return r->row.n == 2 && r->row.val[0] != 0 && r->row.val[0] == -r->row.val[1] && r->row.idx[0] != r->row.idx[1];
}

const char *spd_network_refuses(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (!p->term[t].penalty->sum_of_sizes) return "it works for the l1 penalty only";
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        if (!joins(&r) && r.row.n != 1)
            return "every row of F has to be a multiple of a difference of two coefficients, or of one";
    return p->m < INT32_MAX / 2 ? NULL : "it works for up to 2^30 rows of F";
}

static int64_t count_joins(const spdhg_problem *p) {
    int64_t count = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) count += joins(&r);
    return count;
}

void spd_network_layout(spd_network *n, const spdhg_problem *p, spd_arena *work) {
    const int64_t rows = count_joins(p);
    *n = (spd_network){.d = p->d,
                       .rows = rows,
                       .mu = spd_arena_take(work, p->d),
                       .start = spd_arena_int32(work, p->d + 1),
                       .to = spd_arena_int32(work, 2 * rows),
                       .back = spd_arena_int32(work, 2 * rows),
                       .residual = spd_arena_take(work, 2 * rows),
                       .arc = spd_arena_int32(work, rows)};
}

/* The arcs of each node, in the order of the rows. */
static void make_arcs(spd_network *n, const spdhg_problem *p) {
    memset(n->start, 0, (size_t)(n->d + 1) * sizeof *n->start);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int side = 0; side < 2 && joins(&r); side++) n->start[r.row.idx[side]]++;
    for (int64_t j = 0, total = 0; j <= n->d; j++) {
        const int64_t next = total + n->start[j];
        n->start[j] = (int32_t)total;
        total = next;
    }
    int64_t e = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (!joins(&r)) continue;
        const int32_t i = r.row.idx[0], j = r.row.idx[1], out = n->start[i]++, in = n->start[j]++;
        n->to[out] = j;
        n->to[in] = i;
        n->back[out] = in;
        n->back[in] = out;
        n->arc[e++] = out;
    }
    memmove(n->start + 1, n->start, (size_t)n->d * sizeof *n->start);
    n->start[0] = 0;
}

void spd_network_fill(spd_network *n, const spdhg_problem *p) {
    make_arcs(n, p);
    memset(n->mu, 0, (size_t)n->d * sizeof *n->mu);
    n->sparse = false;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (r.row.n != 1) continue;
        const double size = r.term->lambda * fabs(r.row.val[0]);
        n->mu[r.row.idx[0]] += size;
        n->sparse = n->sparse || size > 0;
    }
}

void spd_network_begin(spd_network *n, const spdhg_problem *p, int64_t k, const double *y) {
    int64_t e = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (!joins(&r)) continue;
        const int32_t out = n->arc[e++], in = n->back[out];
        const double w = r.term->lambda * fabs(r.row.val[0]), flow = fmax(-w, fmin(w, r.row.val[0] * y[r.at + k]));
        n->residual[out] = w - flow;
        n->residual[in] = w + flow;
    }
}

void spd_network_dual(const spd_network *n, const spdhg_problem *p, int64_t k, const double *s, double *y) {
    int64_t e = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (joins(&r)) {
            const int32_t out = n->arc[e++], in = n->back[out];
            const double w = r.term->lambda * fabs(r.row.val[0]);
            const double flow =
                n->residual[out] < n->residual[in] ? w - n->residual[out] : n->residual[in] - w; /* exact where an arc is full */
            y[r.at + k] = flow / r.row.val[0];
        } else {
            const int32_t j = r.row.idx[0];
            y[r.at + k] = n->mu[j] > 0 ? (r.row.val[0] < 0 ? -1 : 1) * s[j] / n->mu[j] * r.term->lambda : 0;
        }
    }
}
