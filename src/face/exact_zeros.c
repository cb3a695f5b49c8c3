/* exact_zeros.c - exact zeros (PROBLEM: Exact zeros). Where the dual block lies strictly inside its ball, the optimum has (F x)_e
 * = 0; an iterate that is optimal to 1e-8 has about 1e-8 there. This sets such rows to exactly 0: identity rows by x_j = 0, rows
 * of two entries a x_i + b x_j = 0 by joining i and j (union-find with the ratio to the root), every joined set at the
 * least-squares value. With a set X, coefficients that are nearly at one of its sides are put there: of an l1 ball, at 0. */
#include "face/answer.h"

static const double SIDE_MOST = 1e-2; /* of the largest coefficient: no dual tells which side holds it */

/* Rows of a term whose dual block is inside by a margin and whose F x is small against the largest. */
static void join_term(spd_joins *g, const spdhg_problem *p, const spd_term *t, const double *y, const double *Fx, double small,
                      double *work) {
    const spd_csr *F = &t->F->F;
    const int64_t K = p->K;
    const double largest = spd_max_abs(t->m * K, Fx);
    for (int64_t b = 0; b < t->blocks; b++) {
        if (!(spd_term_block_polar(t, K, b, y, work) < (1 - 1e-7) * t->lambda)) continue;
        const int64_t rows = spd_term_block_rows(t, b);
        for (int64_t r = 0; r < rows; r++) {
            const int64_t e = spd_term_block_row(t, b, r);
            if (spd_max_abs(K, Fx + e * K) > small * largest) continue;
            if (spd_csr_is_identity(F))
                g->zero[spd_joins_find(g, e, &work[0])] = true;
            else if (F->ptr[e + 1] - F->ptr[e] == 1) /* the identity with row weights */
                g->zero[spd_joins_find(g, F->idx[F->ptr[e]], &work[0])] = true;
            else if (F->ptr[e + 1] - F->ptr[e] == 2)
                spd_joins_add(g, F->idx[F->ptr[e]], F->idx[F->ptr[e] + 1], F->val[F->ptr[e]], F->val[F->ptr[e] + 1]);
        }
    }
}

/* Every set at the value of its root that changes x least: sum r_j x_j / sum r_j^2. A set that is tied to the bit stays as it is;
 * bottom < 0 marks the others. */
static void settle(spd_joins *g, const spdhg_problem *p, const double *x, double *out, double *top, double *bottom) {
    const int64_t K = p->K;
    memset(top, 0, (size_t)p->dK * sizeof *top);
    memset(bottom, 0, (size_t)p->d * sizeof *bottom);
    for (int64_t j = 0; j < p->d; j++) {
        double ratio;
        const int64_t r = spd_joins_find(g, j, &ratio);
        spd_axpy(K, ratio, x + j * K, top + r * K);
        bottom[r] += ratio * ratio;
    }
    for (int64_t j = 0; j < p->d; j++) {
        double ratio;
        const int64_t r = spd_joins_find(g, j, &ratio);
        for (int64_t k = 0; k < K; k++)
            if (x[j * K + k] != ratio * x[r * K + k]) bottom[r] = -fabs(bottom[r]);
    }
    for (int64_t j = 0; j < p->d; j++) {
        double ratio;
        const int64_t r = spd_joins_find(g, j, &ratio);
        for (int64_t k = 0; k < K; k++)
            out[j * K + k] = g->zero[r] ? 0 : bottom[r] > 0 ? x[j * K + k] : ratio * (top[r * K + k] / -bottom[r]);
    }
}

/* What is within `near` of a side of X onto it, and all of it into X. */
static void onto_sides(const spdhg_problem *p, double near, double *x, double *work) {
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    if (p->set.kind == &spd_set_l1ball) low = high = 0;
    for (int64_t q = 0; q < p->dK; q++) x[q] = fabs(x[q] - low) <= near ? low : fabs(x[q] - high) <= near ? high : x[q];
    spd_set_round(&p->set, p->dK, x, work);
}

/* x with the zeros of this margin into out. */
static void with_exact_zeros(const spdhg_problem *p, spd_joins *g, const double *x, const double *y, const double *Fx,
                             double small, double *out, double *work) {
    spd_joins_clear(g);
    for (int64_t t = 0; t < p->terms; t++) join_term(g, p, &p->term[t], y + p->term[t].first, Fx + p->term[t].first, small, work);
    settle(g, p, x, out, work, work + p->dK);
    if (p->set.kind != &spd_set_all) onto_sides(p, fmin(small, SIDE_MOST) * spd_max_abs(p->dK, x), out, work);
}

static spdhg_status try_margins(const spd_answer *a, spd_joins *g, double *out, double *Fx, double *c, double *work,
                                spdhg_error *err) {
    static const double margin[] = {INFINITY, 1e-2, 1e-4, 1e-6,
                                    1e-9}; /* the first: wherever the dual says so, F x may be 0 altogether */
    const spdhg_problem *p = a->p;
    bool kept = false, offered = false;
    spd_problem_apply(p, a->x, Fx);
    for (size_t i = 0; i < sizeof margin / sizeof *margin && !kept && !spd_stop_now(a->stop); i++) {
        with_exact_zeros(p, g, a->x, a->y, Fx, margin[i], out, work);
        if (memcmp(out, a->x, (size_t)p->dK * sizeof *out) == 0) break; /* nothing to do, nor with a smaller margin */
        offered = true;
        memcpy(c, a->c, (size_t)p->K * sizeof *c);
        SPD_TRY(a->offer(a->context, out, c, &kept, err));
    }
    if (offered && !kept) a->keep_old(a->context, c);
    return SPDHG_OK;
}

spdhg_status spd_answer_exact_zeros(const spd_answer *a, spdhg_error *err) {
    const spdhg_problem *p = a->p;
    if (p->set.kind == &spd_set_all && p->m == 0) return SPDHG_OK;
    spd_joins g;
    SPD_TRY(spd_joins_new(&g, p->d, err));
    double *out = SPD_NEW(double, p->dK), *Fx = SPD_NEW(double, p->m * p->K), *c = SPD_NEW(double, p->K);
    double *work = SPD_NEW(double, p->dK + p->d + spd_problem_term_work(p));
    const bool good = out && Fx && c && work;
    const spdhg_status status = good ? try_margins(a, &g, out, Fx, c, work, err) : spd_fail_memory(err, 40.0 * (double)p->dK);
    void *const block[] = {out, Fx, c, work};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) spd_free(block[i]);
    spd_joins_free(&g);
    return status;
}
