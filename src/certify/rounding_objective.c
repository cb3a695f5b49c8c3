/* rounding_objective.c - bounds on the rounding errors of f and of the penalty's bracket (rounding.c).
 *   score           gamma (|a_i|'|x| + |o_i| + |c|)
 *   loss            |phi'| times the error of its score
 *   entry of F x    gamma |F_e||x|
 * Elementary functions are assumed to be accurate to 8 units in the last place. */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

static const double UNIT = 0.5 * DBL_EPSILON;
static const double FUNCTIONS = 16; /* units in the last place: error of a loss and of its slope for a given score */

/* Two upper bounds of sum_j |a_ij||x_j| for every row; the smaller is returned. */
static double score_size(const spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->problem;
    double sum = 0, scale = 0;
    for (int64_t j = 0; j < p->d; j++) sum += c->top[j] * (spd_max_abs(p->K, x + j * p->K) + spd_written_loss(p, j));
    for (int64_t j = 0; j < p->d && p->scale; j++) scale = fmax(scale, spd_written_loss(p, j));
    return fmin(sum, sqrt(p->row_norm2_max) * (spd_norm2(p->dK, x) + sqrt((double)p->dK) * scale)) *
           (1 + spd_rounding((double)p->dK + 32));
}

/* phi(z + dz) differs from phi(z) by at most
 *   (|phi'| + change) dz,   change: how much phi' changes within dz of z
 * and its bracket by the same with |phi' - alpha| in place of |phi'|. slope: at least |phi'| + |phi' - alpha|. */
static double loss_error(double change, double slope, double dz) { return (slope + change) * dz; }

/* Upper bound of phi'' within dz of z. If phi'' is unbounded but |phi'''| <= phi'', it is exp(dz) phi''(z). */
static double most_curved(const spdhg_problem *p, double z, double b, double dz) {
    if (isfinite(p->kappa)) return p->kappa;
    return p->loss->steady ? p->loss->second(z, b, p->loss_arg) * exp(dz) : INFINITY;
}

/* Upper bound of the change of phi' within dz of z. At a corner phi' jumps, elsewhere it is constant: z - b is computed up to a
 * unit in its last place, which 2 dz covers. */
static double slope_change(const spdhg_problem *p, double z, double b, double dz) {
    if (!spd_problem_has_corners(p)) return most_curved(p, z, b, dz) * dz;
    return fabs(z - b) <= 2 * dz ? spd_loss_jump(p->loss, p->loss_arg, b) : 0;
}

/* The error of a computed slope, relative to phi''. A slope with a curvature bound cancels nothing, that at a corner is exact. */
static double slope_unit(const spdhg_problem *p) {
    return isinf(p->kappa) && !spd_problem_has_corners(p) ? 2 * FUNCTIONS * UNIT : 0;
}

/* The error of phi and of its bracket, from the slopes at z - dz and z + dz, between which phi' lies: far out, where a loss is
 * flat, dz may be large. */
static double loss_error_by_slopes(const spdhg_problem *p, double z, double b, double alpha, double dz) {
    const double low = p->loss->slope(z - dz, b, p->loss_arg), high = p->loss->slope(z + dz, b, p->loss_arg);
    const double slope = fmax(fabs(low), fabs(high)) + fmax(fabs(low - alpha), fabs(high - alpha));
    const double all = (slope * (1 + 2 * FUNCTIONS * UNIT) + 2 * DBL_MIN) * dz; /* a slope may have underflowed */
    return isfinite(all) ? all : INFINITY;
}

/* What the sums over blocks of rows below need. */
typedef struct pass {
    const spd_certifier *c;
    const spd_trial *at;
    bool open; /* one block after the other, in a pass over rows that are made of columns */
} pass;

/* The sum over rows, in c->work; behind the sums of the blocks each has room for K slopes. */
static double sum_rows(const spd_certifier *c, const spd_trial *at, double (*add)(void *, int64_t, int64_t)) {
    pass a = {c, at, spd_pass_begin(c->problem)};
    const double sum = spd_block_sum(c->problem->ranks, c->problem->n, a.open ? 1 : c->threads, add, &a, c->work);
    spd_pass_end(c->problem, a.open);
    return sum;
}

static double *slopes_of(const spd_certifier *c, int64_t first) {
    return c->work + spd_problem_blocks(c->problem) + first / SPD_ROWS_PER_BLOCK * c->problem->K;
}

/* (1/W) sum_i w_i loss_error_i, each row with its own |a_i|'|x|. */
static double loss_error_by_rows(void *context, int64_t first, int64_t end) {
    const spd_certifier *c = ((const pass *)context)->c;
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    const bool open = ((const pass *)context)->open;
    const double *x = ((const pass *)context)->at->x, *z = ((const pass *)context)->at->z;
    double sum = 0, *phi = slopes_of(c, first);
    for (int64_t i = first; i < end; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        spd_row row;
        spd_pass_row(p, open, i, &row);
        spd_loss_slope(p->loss, p->loss_arg, K, z + i * K, row.b, phi);
        double own = 0;
        for (int64_t k = 0; k < K; k++) {
            double size = fabs(z[i * K + k]) + (row.offset ? fabs(row.offset[k]) : 0);
            for (int64_t q = 0; q < row.nnz; q++) {
                const int64_t j = row.idx ? row.idx[q] : q;
                size += fabs(row.val[q]) * (fabs(x[j * K + k]) + spd_written_loss(p, j));
            }
            const double dz = spd_rounding((double)row.nnz + 10) * 2 * size, at = z[i * K + k], b = row.b[p->loss->value ? k : 0];
            double slope = fabs(phi[k]) + fabs(phi[k] - c->alpha[i * K + k]);
            if (slope_unit(p) > 0) slope += slope_unit(p) * most_curved(p, at, b, dz);
            const double flat =
                p->loss->value && isfinite(p->kappa) ? loss_error_by_slopes(p, at, b, c->alpha[i * K + k], dz) : INFINITY;
            own += fmin(loss_error(slope_change(p, at, b, dz), slope, dz), flat);
        }
        sum += spd_problem_share(p, i) * own;
    }
    return sum;
}

/* A bound for all rows at once:
 *   mean |phi'| <= sqrt( 2 kappa (mean of phi - least) )
 *   mean |phi' - alpha| <= sqrt( 2 kappa first ),   first = the mean of the brackets */
static double loss_error_at_once(const spd_certifier *c, const double *x, const double *z, double loss, double first) {
    const spdhg_problem *p = c->problem;
    double offset = 0;
    for (int64_t i = 0; i < p->n && p->data->offset; i++) offset = fmax(offset, spd_max_abs(p->K, spd_problem_offset(p, i)));
    const double size = 2 * score_size(c, x) + 2 * offset + spd_max_abs(p->n * p->K, z);
    const double slope = (sqrt(2 * p->kappa * fmax(loss - c->least, 0)) + sqrt(2 * p->kappa * first)) * sqrt((double)p->K);
    const double dz = spd_rounding((double)c->longest + 10) * 2 * size;
    return (double)p->K * loss_error(p->kappa * dz, slope, dz);
}

/* The same for a fine trial. f already contains the term linear in `low`, so |phi'| is multiplied only by the error of low. A
 * smooth loss without a curvature bound compares z with a logarithm of the target or of alpha (poisson.c: t = z - log q). That
 * logarithm is accurate to FUNCTIONS units of z, which matters where phi itself cancels, and a cancelling slope has an error of
 * units of phi''. */
static double loss_error_finely(void *context, int64_t first, int64_t end) {
    const spd_certifier *c = ((const pass *)context)->c;
    const spd_trial *at = ((const pass *)context)->at;
    const spdhg_problem *p = c->problem;
    const double rounded = spd_rounding(SPD_ROWS_PER_BLOCK + 2 * FUNCTIONS), unit = slope_unit(p);
    double sum = 0, *phi = slopes_of(c, first);
    for (int64_t i = first; i < end; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        const double *b = p->b + i * p->targets;
        spd_loss_slope(p->loss, p->loss_arg, p->K, at->z + i * p->K, b, phi);
        double own = 0;
        for (int64_t k = 0; k < p->K; k++) {
            const int64_t q = i * p->K + k;
            const double log_off = unit * fabs(at->z[q]), low = fabs(at->fine->low[q]), off = at->fine->off[q] + log_off;
            const double away = low + off, target = b[p->loss->value ? k : 0], change = slope_change(p, at->z[q], target, away);
            const double slope = fabs(phi[k]), slope_off = unit > 0 ? unit * most_curved(p, at->z[q], target, away) : 0;
            own += slope * (off + rounded * low) + (fabs(phi[k] - c->alpha[q]) + 2 * slope_off + change) * away;
        }
        sum += spd_problem_share(p, i) * own;
    }
    return sum;
}

/* Mean of |alpha_i z_i|, which the brackets subtract from the losses. */
static double products_of_rows(void *context, int64_t first, int64_t end) {
    const spd_certifier *c = ((const pass *)context)->c;
    const double *z = ((const pass *)context)->at->z;
    const int64_t K = c->problem->K;
    double product = 0;
    for (int64_t i = first; i < end; i++) {
        double own = 0;
        for (int64_t k = 0; k < K; k++) own += fabs(c->alpha[i * K + k] * z[i * K + k]);
        product += spd_problem_share(c->problem, i) * own;
    }
    return product;
}

double spd_dual_error_of_loss(const spd_certifier *c, const spd_trial *at, bool moved, double first, bool by_rows) {
    const spdhg_problem *p = c->problem;
    const bool cancels = !(p->loss->bracket && spd_problem_has_corners(p)); /* at a corner it is a product of two numbers */
    const double product = moved && cancels ? sum_rows(c, at, products_of_rows) : 0;
    const double bracket = 4 * FUNCTIONS * UNIT * product;
    const double scores = at->fine                     ? sum_rows(c, at, loss_error_finely)
                          : by_rows || isinf(p->kappa) ? sum_rows(c, at, loss_error_by_rows)
                                                       : loss_error_at_once(c, at->x, at->z, at->loss, first + bracket);
    return spd_rounding(SPD_ROWS_PER_BLOCK + 2 * FUNCTIONS) * (fabs(at->loss) + 2 * fabs(c->least) + first) + bracket +
           1.01 * scores;
}

/* The error of (F x)_e is at most
 *   dFx_e = gamma |F_e||x|
 * A single entry +-x_j is exact, and a difference of two has a relative error of u. The penalty has an error of lambda r(dFx),
 * y'Fx no more than that: together twice that. r is at most the sum of absolute values, times `steepest`. Coefficients that
 * are divided by a scale and rounded leave no difference exact. */
double spd_dual_error_of_structure(const spd_certifier *c, const double *x, const double *Fx) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double sum = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        double part = 0;
        for (spd_rows r = spd_rows_of_term(p, &p->term[t]); spd_rows_next(&r);) {
            const double *val = r.row.val;
            const bool units = !p->scale && r.row.n > 0 && r.row.n <= 2 && fabs(val[0]) == 1 && fabs(val[r.row.n - 1]) == 1;
            for (int64_t k = 0; k < K && !(units && r.row.n == 1); k++) {
                double size = 0;
                for (int64_t q = 0; q < r.row.n && !units; q++)
                    size += fabs(val[q]) * (fabs(x[r.row.idx[q] * K + k]) + spd_written_loss(p, r.row.idx[q]));
                part += units ? UNIT * fabs(Fx[r.at + k]) : spd_rounding((double)r.row.n + 4) * size;
            }
        }
        sum += 2.02 * p->term[t].lambda * p->term[t].steepest * part;
    }
    return sum;
}

/* With --standardize the coefficients that are written, rounded x_j / scale_j, stand for another x_j, off by at most
 *   dx_j = u (|x_j| + scale_j DBL_MIN),   the second part where the quotient underflows
 * The ridge of that x is off by gamma (|x_j| + dx_j) dx_j in each entry, the second bracket by (|v_j + gamma x_j| + gamma dx_j)
 * dx_j. */
double spd_dual_error_of_writing(const spd_certifier *c, const double *x, bool bracket) {
    const spdhg_problem *p = c->problem;
    double sum = 0;
    for (int64_t q = 0; q < p->dK && p->scale; q++) {
        const double dx = UNIT * (fabs(x[q]) + spd_written_loss(p, q / p->K)) * (1 + 4 * UNIT);
        const double slope = bracket ? fabs(c->v[q] + p->gamma * x[q]) + c->e[q] : p->gamma * fabs(x[q]);
        sum += (slope + p->gamma * (dx + 4 * UNIT * fabs(x[q]))) * dx;
    }
    return 1.01 * sum;
}

/* lambda r(z) - y'z for z = F x, which is negative only by rounding. With l1 each entry has its own bracket, and nothing
 * cancels. */
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
        sum += spd_bracket(part) * (1 + spd_rounding((double)mK + 8)) + spd_rounding((double)mK + 16 + term->units) * 2 * value;
    }
    return sum;
}
