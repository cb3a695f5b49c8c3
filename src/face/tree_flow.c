/* tree_flow.c - min over y of ||r - F'y|| where the rows a x_i + b x_j of F form trees, in one pass from the leaves inwards.
 * On a tree F u = 0 for one direction u, and F'y can be any vector orthogonal to u. So first
 *     r -= u (u'r) / (u'u)
 * and the rest can be matched exactly. A column i with a single row e determines its y_e:
 *     y_e = r_i / a
 *     r_j -= b y_e
 * Then j may become a leaf itself. A row on a cycle never becomes the single row of a column. Conjugate gradients would need as
 * many steps as the tree is deep, and would lose digits. */
#include "face/tree_flow.h"

void spd_tree_flow_layout(spd_tree_flow *f, const spdhg_problem *p, spd_arena *work) {
    f->rows = spd_arena_int32(work, p->dK);
    f->leaf = spd_arena_int32(work, p->dK);
    f->row = spd_arena_int64(work, p->dK);
    f->sum = spd_arena_take(work, spd_problem_normal_size(p));
}

typedef struct link {
    int64_t at[2]; /* coordinates */
    double size[2];
} link;

/* Row e of output k as a link between two coordinates; false: it is not one. */
static bool is_link(const spd_term *t, int64_t K, int64_t e, int64_t k, const spd_tied *B, link *l) {
    spd_csr_row row;
    spd_csr_take(&t->F->F, e, &row);
    if (!(t->lambda > 0) || row.n != 2) return false;
    for (int side = 0; side < 2; side++) {
        l->at[side] = row.idx[side] * K + k;
        l->size[side] = row.val[side];
        if (l->size[side] == 0 || B->label[l->at[side]] < 0) return false;
    }
    return true;
}

/* The link whose y has this index. */
static link find_link(const spdhg_problem *p, int64_t place, const spd_tied *B) {
    link l = {{0, 0}, {1, 1}};
    int64_t t = p->terms - 1;
    while (p->term[t].first > place) t--;
    const int64_t q = place - p->term[t].first;
    is_link(&p->term[t], p->K, q / p->K, q % p->K, B, &l);
    return l;
}

/* Counts the closed rows at each coordinate; returns how many are not links. */
static int64_t count_rows(const spd_tree_flow *f, const spdhg_problem *p, const spd_tied *B, const double *open, int64_t *links) {
    int64_t others = 0;
    memset(f->rows, 0, (size_t)p->dK * sizeof *f->rows);
    memset(f->row, 0, (size_t)p->dK * sizeof *f->row);
    *links = 0;
    for (int64_t t = 0; t < p->terms; t++)
        for (int64_t q = 0; q < p->term[t].m * p->K; q++) {
            link l;
            const int64_t place = p->term[t].first + q;
            if (open[place] != 0) continue;
            if (!is_link(&p->term[t], p->K, q / p->K, q % p->K, B, &l)) {
                others++;
                continue;
            }
            ++*links;
            for (int side = 0; side < 2; side++) {
                f->rows[l.at[side]]++;
                f->row[l.at[side]] ^= place;
            }
        }
    return others;
}

/* sum = (u'r)/(u'u) for every set of tied coordinates. */
static void measure(const spd_tree_flow *f, const spdhg_problem *p, const spd_tied *B, const double *r) {
    memset(f->sum, 0, (size_t)B->size * sizeof *f->sum);
    for (int64_t q = 0; q < p->dK; q++)
        if (B->label[q] >= 0) f->sum[B->label[q]] += B->coef[q] * r[q];
    for (int64_t i = 0; i < B->size; i++) f->sum[i] /= B->weight[i];
}

/* r += sign u sum. */
static void shift(const spd_tree_flow *f, const spdhg_problem *p, const spd_tied *B, double sign, double *r) {
    for (int64_t q = 0; q < p->dK; q++)
        if (B->label[q] >= 0) r[q] += sign * B->coef[q] * f->sum[B->label[q]];
}

int64_t spd_tree_flow_balance(const spd_tree_flow *f, const spdhg_problem *p, const spd_tied *B, const double *open, double *r,
                              double *y) {
    int64_t links, left = count_rows(f, p, B, open, &links), leaves = 0;
    measure(f, p, B, r);
    shift(f, p, B, -1, r);
    for (int64_t q = 0; q < p->dK; q++)
        if (f->rows[q] == 1) f->leaf[leaves++] = (int32_t)q;
    for (int64_t i = 0; i < leaves; i++) {
        const int64_t q = f->leaf[i], place = f->row[q];
        if (f->rows[q] != 1) continue; /* the last two nodes of a tree share their row, already processed */
        const link l = find_link(p, place, B);
        const int here = l.at[0] == q ? 0 : 1;
        const int64_t other = l.at[1 - here];
        const double flow = r[q] / l.size[here];
        y[place] += flow;
        r[q] = 0;
        r[other] -= l.size[1 - here] * flow;
        f->rows[q] = 0;
        f->row[other] ^= place;
        links--;
        if (--f->rows[other] == 1) f->leaf[leaves++] = (int32_t)other;
    }
    shift(f, p, B, 1, r); /* what no flow along these rows can balance */
    return left + links;
}
