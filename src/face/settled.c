/* settled.c - which rows of F x are 0, and whether these zeros are those of the optimum. At the optimum some u satisfies
 *     grad l(x) + gamma x + F'u = 0
 *     u_e = lambda sign(F_e x)   where F_e x is not 0
 *     |u_e| <= lambda            where F_e x = 0
 * If the rows have different last columns (identity, chain, trend), u is unique and found by elimination, and these conditions
 * are checked directly. Otherwise, and where a loss with corners has no gradient, the answer's y replaces u: a nonzero row
 * whose block of y is strictly inside its ball is a missed zero. */
#include "face/answer.h"
#include "face/nullspace.h"
#include "problem/rows.h"

static const double CLOSE = 1e-6;  /* relative to lambda: how well u, accurate to rounding, has to fit */
static const double INSIDE = 0.05; /* relative to lambda: a u or y this close to lambda may be at lambda */

void spd_zero_rows(const spdhg_problem *p, const double *x, const double *Fx, int64_t k, bool *zero) {
    double size = 0;
    for (int64_t j = 0; j < p->d; j++) size += x[j * p->K + k] * x[j * p->K + k];
    size = sqrt(size);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        zero[r.number] = fabs(Fx[r.at + k]) <= spd_zero_within(size) * spd_norm2(r.row.n, r.row.val);
}

typedef struct workspace {
    double *Fx, *g, *u, *v, *scratch;
    bool *zero; /* m x K, like Fx */
} workspace;

static bool all_l1(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (!p->term[t].penalty->sum_of_sizes) return false;
    return true;
}

/* Checks the conditions with the unique u. Their violation where F x is not 0, and the gradient that u cannot cancel (v), show
 * how accurate u is: if F x = 0 but |u| is within this inaccuracy of lambda, the zero is not certain. */
static bool optimal(const spdhg_problem *p, const workspace *r) {
    double off = 0, most = 0; /* relative to lambda: the error of u, and the largest |u| where F x = 0 */
    const double left = spd_sum_abs(p->dK, r->v);
    for (int64_t t = 0; t < p->terms; t++)
        for (int64_t i = p->term[t].first; i < p->term[t].first + p->term[t].m * p->K; i++) {
            const double u = r->u[i] / p->term[t].lambda;
            off = fmax(off, left / p->term[t].lambda);
            if (r->zero[i])
                most = fmax(most, fabs(u));
            else
                off = fmax(off, fabs(u - (r->Fx[i] > 0 ? 1 : -1)));
        }
    return off <= CLOSE ? most <= 1 + CLOSE : off <= INSIDE && most <= 1 - 2 * off;
}

/* True if no nonzero block has its y strictly inside the ball. */
static bool none_missed(const spdhg_problem *p, const double *y, const workspace *r, double *work) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        for (int64_t b = 0; b < term->blocks && term->flattest > 0; b++) {
            bool zero = true;
            for (int64_t q = 0; q < spd_term_block_rows(term, b); q++)
                for (int64_t k = 0; k < p->K; k++)
                    zero = zero && r->zero[term->first + spd_term_block_row(term, b, q) * p->K + k];
            if (!zero && spd_term_block_polar(term, p->K, b, y + term->first, work) < (1 - INSIDE) * term->lambda) return false;
        }
    }
    return true;
}

static spdhg_status judge(const spdhg_problem *p, int threads, const double *x, const double *c, const double *slope,
                          const double *y, workspace *r, bool *column, bool *settled, spdhg_error *err) {
    bool unique = false;
    spd_problem_apply(p, x, r->Fx);
    for (int64_t k = 0; k < p->K; k++) {
        spd_zero_rows(p, x, r->Fx, k, column);
        for (int64_t t = 0, at = 0; t < p->terms; t++)
            for (int64_t e = 0; e < p->term[t].m; e++) r->zero[p->term[t].first + e * p->K + k] = column[at++];
    }
    if (all_l1(p) && !spd_problem_has_corners(p)) {
        if (slope)
            spd_problem_adjoint(p, threads, slope, r->g, NULL, r->scratch);
        else
            spd_problem_gradient(p, threads, x, c, r->g, NULL, NULL, r->scratch);
        spd_axpy(p->dK, p->gamma, x, r->g);
        SPD_TRY(spd_nullspace_eliminate(p, r->g, r->u, r->v, &unique, err));
    }
    *settled = unique ? optimal(p, r) : none_missed(p, y, r, r->scratch);
    return SPDHG_OK;
}

spdhg_status spd_answer_settled(const spdhg_problem *p, int threads, const double *x, const double *c, const double *slope,
                                const double *y, bool *settled, spdhg_error *err) {
    *settled = false;
    const int64_t mK = p->m * p->K, work = spd_problem_gradient_work(p) + spd_problem_term_work(p);
    workspace r = {SPD_NEW(double, mK),    SPD_NEW(double, p->dK), SPD_NEW(double, mK),
                   SPD_NEW(double, p->dK), SPD_NEW(double, work),  SPD_NEW(bool, mK)};
    bool *column = SPD_NEW(bool, p->m);
    const bool good = r.Fx && r.g && r.u && r.v && r.scratch && r.zero && column;
    const spdhg_status status =
        good ? judge(p, threads, x, c, slope, y, &r, column, settled, err) : spd_fail_memory(err, 16.0 * (double)(mK + p->dK));
    void *const block[] = {r.Fx, r.g, r.u, r.v, r.scratch, r.zero, column};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) spd_free(block[i]);
    return status;
}
