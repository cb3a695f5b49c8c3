/* rounding_objective.c - how far the computed f, and the penalty's bracket, can be from what they stand for (rounding.c).
 *   losses          a score is off by gamma (|a_i|'|x| + |o_i| + |c|), its loss by |phi'| times that
 *   lambda r(F x)   a difference is off by gamma |F_e||x|
 * Elementary functions are taken to be right to 8 units of the last place. */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

static const double UNIT = 0.5 * DBL_EPSILON;
static const double FUNCTIONS = 16; /* units: a loss from its score, and its slope */

/* sum_j |a_ij||x_j| is at most both of these for every row. */
static double score_size(const spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->problem;
    double sum = 0;
    for (int64_t j = 0; j < p->d; j++) sum += c->top[j] * spd_max_abs(p->K, x + j * p->K);
    return fmin(sum, sqrt(p->row_norm2_max) * spd_norm2(p->dK, x)) * (1 + 1e-9);
}

/* phi(z + dz) differs from phi(z) by at most |phi'| dz + kappa dz^2 / 2, its bracket by |phi' - alpha| in place of |phi'|; slope
 * is at least the sum of the two. */
static double loss_error(double kappa, double slope, double dz) { return (slope + kappa * dz) * dz; }

/* What phi'' is at most within dz of z. No bound of its own, but |phi'''| <= phi'': exp(dz) times what it is at z. */
static double most_curved(const spdhg_problem *p, double z, double b, double dz) {
    if (isfinite(p->kappa)) return p->kappa;
    return p->loss->steady ? p->loss->second(z, b, p->loss_arg) * exp(dz) : INFINITY;
}

/* (1/W) sum_i w_i (that), each row with its own |a_i|'|x|. */
static double loss_error_by_rows(const spd_certifier *c, const double *x, const double *z) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        spd_row row;
        spd_problem_row(p, i, &row);
        spd_loss_slope(p->loss, p->loss_arg, K, z + i * K, row.b, c->slope);
        double own = 0;
        for (int64_t k = 0; k < K; k++) {
            double size = fabs(z[i * K + k]) + (row.offset ? fabs(row.offset[k]) : 0);
            for (int64_t q = 0; q < row.nnz; q++) size += fabs(row.val[q] * x[(row.idx ? row.idx[q] : q) * K + k]);
            const double dz = spd_rounding((double)row.nnz + 8) * 2 * size,
                         kappa = most_curved(p, z[i * K + k], row.b[p->loss->value ? k : 0], dz);
            double slope = fabs(c->slope[k]) + fabs(c->slope[k] - c->alpha[i * K + k]);
            if (isinf(p->kappa)) slope += 2 * FUNCTIONS * UNIT * kappa; /* where it cancels it is off by units of phi'' */
            own += loss_error(kappa, slope, dz);
        }
        sum += spd_problem_share(p, i) * own;
    }
    return sum;
}

/* A bound for all rows at once: the mean of |phi'| is at most sqrt(2 kappa (mean of phi less its least)), that of |phi' - alpha| at
 * most sqrt(2 kappa first), the mean of the brackets. */
static double loss_error_at_once(const spd_certifier *c, const double *x, const double *z, double loss, double first) {
    const spdhg_problem *p = c->problem;
    double offset = 0;
    for (int64_t i = 0; i < p->n && p->data->offset; i++) offset = fmax(offset, spd_max_abs(p->K, spd_problem_offset(p, i)));
    const double size = 2 * score_size(c, x) + 2 * offset + spd_max_abs(p->n * p->K, z);
    const double slope = (sqrt(2 * p->kappa * fmax(loss - c->least, 0)) + sqrt(2 * p->kappa * first)) * sqrt((double)p->K);
    return (double)p->K * loss_error(p->kappa, slope, spd_rounding((double)c->longest + 8) * 2 * size);
}

double spd_dual_error_of_loss(const spd_certifier *c, const double *x, const double *z, double loss, double first, bool by_rows) {
    const spdhg_problem *p = c->problem;
    double product = 0; /* mean of |alpha_i z_i|: what the brackets are differences of, beside the losses */
    for (int64_t i = 0; i < p->n && first > 0; i++) {
        double own = 0;
        for (int64_t k = 0; k < p->K; k++) own += fabs(c->alpha[i * p->K + k] * z[i * p->K + k]);
        product += spd_problem_share(p, i) * own;
    }
    return spd_rounding(SPD_ROWS_PER_BLOCK + 2 * FUNCTIONS) * (fabs(loss) + 2 * fabs(c->least) + first) +
           4 * FUNCTIONS * UNIT * product +
           1.01 * (by_rows || isinf(p->kappa) ? loss_error_by_rows(c, x, z) : loss_error_at_once(c, x, z, loss, first));
}

/* dFx_e = gamma |F_e||x|; a number as it is is exact, a difference of two such is off by u of itself. The penalty's part is lambda r(dFx), y'Fx's
 * no more than that: twice r. r <= sum of sizes, for each norm here. */
double spd_dual_error_of_structure(const spd_certifier *c, const double *x, const double *Fx) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double sum = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        double part = 0;
        for (spd_rows r = spd_rows_of_term(p, &p->term[t]); spd_rows_next(&r);) {
            const double *val = r.row.val;
            const bool units = r.row.n > 0 && r.row.n <= 2 && fabs(val[0]) == 1 && fabs(val[r.row.n - 1]) == 1;
            for (int64_t k = 0; k < K && !(units && r.row.n == 1); k++) {
                double size = 0;
                for (int64_t q = 0; q < r.row.n && !units; q++) size += fabs(val[q] * x[r.row.idx[q] * K + k]);
                part += units ? UNIT * fabs(Fx[r.at + k]) : spd_rounding((double)r.row.n + 2) * size;
            }
        }
        sum += 2.02 * p->term[t].lambda * part;
    }
    return sum;
}

/* lambda r(z) - y'z, z = F x: never negative but for rounding. With l1 each number has a bracket of its own, and nothing cancels. */
double spd_dual_penalty_bracket(spd_certifier *c, const double *Fx) {
    const spdhg_problem *p = c->problem;
    double sum = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const double *z = Fx + term->first, *y = c->y + term->first;
        const int64_t mK = term->m * p->K;
        const double value = term->penalty->sum_of_sizes ? 0 : spd_term_value(term, p->K, z, c->work);
        double part = 0;
        if (term->penalty->sum_of_sizes)
            for (int64_t q = 0; q < mK; q++)
                part += fmax(term->lambda * fabs(z[q]) - y[q] * z[q], 0) + 4 * UNIT * term->lambda * fabs(z[q]);
        else
            part = value - spd_dot(mK, y, z);
        sum += spd_bracket(part) * (1 + spd_rounding((double)mK + 8)) + spd_rounding((double)mK + 16) * 2 * value;
    }
    return sum;
}
