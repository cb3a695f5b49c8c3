/* intercept.c - the best intercept for given scores:
 *     c = argmin over c in R^K of (1/W) sum_i w_i phi(z_i + c, b_i)
 * Scalar losses: K separate one-dimensional problems, Newton safeguarded by a bracket of the increasing derivative.
 * Coupled losses (softmax): Newton by conjugate gradients in R^K, the step halved until the loss falls; sum c = 0. */
#include "problem/problem.h"

enum { NEWTON_MAX = 200, AT_ONCE = 256 };

/* The result of one pass over the scores for a block: up to two numbers per output. */
typedef struct sums {
    const spdhg_problem *p;
    const double *z, *c, *direction;
    spd_stop *stop;
    double *partial; /* blocks x (1 + 3K): the result (coupled: 1 + K; scalar: 3K), then scratch */
} sums;

static int64_t stride(const spdhg_problem *p) { return 1 + 3 * p->K; }

/* Adds the results of the blocks in order into out[0..count). */
static void reduce(const spdhg_problem *p, const double *partial, int64_t count, double *out) {
    memset(out, 0, (size_t)count * sizeof *out);
    for (int64_t b = 0; b < spd_problem_blocks(p); b++) spd_axpy(count, 1 / p->W, partial + b * stride(p), out);
}

/* slope, |slope| and curvature of every output: partial[0..3K). */
static void scalar_block(void *context, int64_t b) {
    const sums *a = context;
    const spdhg_problem *p = a->p;
    const int64_t K = p->K, first = b * SPD_ROWS_PER_BLOCK,
                  end = first + SPD_ROWS_PER_BLOCK < p->n ? first + SPD_ROWS_PER_BLOCK : p->n;
    double *out = a->partial + b * stride(p);
    double z[AT_ONCE], value[AT_ONCE], slope[AT_ONCE], second[AT_ONCE], one[AT_ONCE];
    for (int q = 0; q < AT_ONCE; q++) one[q] = 1;
    memset(out, 0, (size_t)(3 * K) * sizeof *out);
    for (int64_t at = first * K, count; at < end * K; at += count) { /* scores and targets are both n x K */
        count = at + AT_ONCE < end * K ? AT_ONCE : end * K - at;
        if (K == 1)
            for (int64_t q = 0; q < count; q++) z[q] = a->z[at + q] + a->c[0];
        else
            for (int64_t q = 0; q < count; q++) z[q] = a->z[at + q] + a->c[(at + q) % K];
        spd_loss_rows(p->loss, p->loss_arg, count, z, p->b + at, value, slope, second);
        if (K == 1 && !p->weight) {
            out[0] += spd_dot(count, slope, one);
            out[1] += spd_sum_abs(count, slope);
            out[2] += spd_sum_abs(count, second);
            continue;
        }
        for (int64_t q = 0; q < count; q++) {
            const int64_t k = (at + q) % K;
            const double w = spd_problem_weight(p, (at + q) / K);
            if (w == 0) continue;
            out[k] += w * slope[q];
            out[K + k] += w * fabs(slope[q]);
            out[2 * K + k] += w * second[q];
        }
    }
}

/* The derivative increases in c, so that every evaluation narrows the bracket. Newton's point is taken if it lies inside,
 * otherwise the middle (or a doubled step while one side is still open). newton has 8K entries: 3K sums, bracket low and high,
 * step. */
static void scalar_newton(const spdhg_problem *p, int threads, sums *a, double *c, double *newton) {
    const int64_t K = p->K;
    double *sum = newton, *low = newton + 3 * K, *high = low + K, *step = high + K;
    for (int64_t k = 0; k < K; k++) {
        low[k] = -INFINITY;
        high[k] = INFINITY;
        step[k] = 1;
    }
    for (int round = 0; round < NEWTON_MAX && !spd_stop_now(a->stop); round++) {
        spd_parallel(threads, spd_problem_blocks(p), scalar_block, a);
        reduce(p, a->partial, 3 * K, sum);
        bool moving = false;
        for (int64_t k = 0; k < K; k++) {
            const double slope = sum[k], size = sum[K + k], curve = sum[2 * K + k];
            if ((fabs(slope) <= 4e-16 * size && isfinite(size)) || size < 1e-300) continue;
            if (slope > 0)
                high[k] = c[k];
            else
                low[k] = c[k];
            double next = c[k] - slope / curve;
            const bool closed = isfinite(low[k]) && isfinite(high[k]);
            /* Where the losses are nearly linear Newton's point is meaningless, and an open bracket would not reject it. */
            bool wild = !closed && curve < 1e-3 * p->kappa && fabs(next - c[k]) > step[k];
            /* Without a curvature bound Newton may also advance by 1 a step for very long: exp(c) from a c that is too large. If
             * |phi'''| <= phi'', steps below 1/2 are in the region of fast convergence. */
            wild = wild || (!closed && isinf(p->kappa) && fabs(next - c[k]) >= 0.5);
            if (wild || !(next > low[k] && next < high[k])) /* also when the curvature is 0 */
                next = closed ? 0.5 * (low[k] + high[k]) : c[k] - copysign(step[k] *= 2, slope);
            /* |phi'''| <= phi'': Newton squares the error, so that after a step this small only rounding is left. */
            const bool last = p->loss->steady && next == c[k] - slope / curve && fabs(next - c[k]) < 1e-9;
            moving = moving || (!last && fabs(next - c[k]) > 1e-15 * (1 + fabs(c[k])));
            c[k] = next;
        }
        if (!moving) return;
    }
}

/* value in partial[0], slope in partial[1..K]. */
static void coupled_block(void *context, int64_t b) {
    const sums *a = context;
    const spdhg_problem *p = a->p;
    const int64_t K = p->K, first = b * SPD_ROWS_PER_BLOCK,
                  end = first + SPD_ROWS_PER_BLOCK < p->n ? first + SPD_ROWS_PER_BLOCK : p->n;
    double *out = a->partial + b * stride(p), *z = out + 1 + K, *one = z + K;
    memset(out, 0, (size_t)(1 + K) * sizeof *out);
    for (int64_t i = first; i < end; i++) {
        const double w = spd_problem_weight(p, i);
        if (w == 0) continue;
        for (int64_t k = 0; k < K; k++) z[k] = a->z[i * K + k] + a->c[k];
        if (a->direction)
            p->loss->second_k(z, K, p->b[i], a->direction, one);
        else {
            out[0] += w * p->loss->value_k(z, K, p->b[i]);
            p->loss->slope_k(z, K, p->b[i], one);
        }
        spd_axpy(K, w, one, out + 1);
    }
}

static double coupled_pass(const spdhg_problem *p, int threads, sums *a, double *out) {
    double value = 0;
    spd_parallel(threads, spd_problem_blocks(p), coupled_block, a);
    for (int64_t b = 0; b < spd_problem_blocks(p); b++) value += a->partial[b * stride(p)] / p->W;
    memset(out, 0, (size_t)p->K * sizeof *out);
    for (int64_t b = 0; b < spd_problem_blocks(p); b++) spd_axpy(p->K, 1 / p->W, a->partial + b * stride(p) + 1, out);
    return value;
}

static void centre(int64_t K, double *c) {
    double mean = 0;
    for (int64_t k = 0; k < K; k++) mean += c[k] / (double)K;
    for (int64_t k = 0; k < K; k++) c[k] -= mean;
}

/* (H + damping I) p = -g by conjugate gradients from 0. H is singular along (1,...,1), to which g is orthogonal up to rounding.
 * The component of the direction along (1,...,1) can therefore be huge and is removed before the direction is used. */
static void newton_direction(const spdhg_problem *p, int threads, sums *a, double damping, const double *g, double *dir,
                             double *r, double *q, double *Hq) {
    const int64_t K = p->K;
    memset(dir, 0, (size_t)K * sizeof *dir);
    for (int64_t k = 0; k < K; k++) q[k] = r[k] = -g[k];
    double rr = spd_dot(K, r, r);
    const double goal = 1e-12 * rr;
    for (int64_t it = 0; it < K + 5 && rr > goal && !spd_stop_now(a->stop); it++) {
        a->direction = q;
        coupled_pass(p, threads, a, Hq);
        spd_axpy(K, damping, q, Hq);
        const double curve = spd_dot(K, q, Hq);
        if (!(curve > 1e-300)) break;
        spd_axpy(K, rr / curve, q, dir);
        spd_axpy(K, -rr / curve, Hq, r);
        const double next = spd_dot(K, r, r);
        for (int64_t k = 0; k < K; k++) q[k] = r[k] + next / rr * q[k];
        rr = next;
    }
    a->direction = NULL;
    centre(K, dir);
}

/* Levenberg-Marquardt damping: where scores are large H nearly vanishes, and an undamped Newton step makes no progress however
 * often it is halved. A step whose change of value is below rounding still counts if it lowers the slope: it improves the last
 * digits of c. */
static void coupled_newton(const spdhg_problem *p, int threads, sums *a, double *c, double *newton) {
    const int64_t K = p->K;
    double *g = newton, *dir = g + K, *r = dir + K, *q = r + K, *Hq = q + K, *trial = Hq + K, *trial_g = trial + K;
    centre(K, c);
    double value = coupled_pass(p, threads, a, g), damping = 1e-14;
    for (int round = 0; round < NEWTON_MAX && spd_norm2(K, g) > 1e-15 && !spd_stop_now(a->stop); round++) {
        newton_direction(p, threads, a, damping, g, dir, r, q, Hq);
        const double descent = spd_dot(K, g, dir);
        for (int64_t k = 0; k < K; k++) trial[k] = c[k] + dir[k];
        centre(K, trial);
        a->c = trial;
        const double next = coupled_pass(p, threads, a, trial_g);
        a->c = c;
        const bool level = fabs(next - value) <= 1e-15 * fabs(value);
        if (level && !(spd_norm2(K, trial_g) < spd_norm2(K, g))) break;
        if (level || next <= value + 1e-4 * descent) {
            memcpy(c, trial, (size_t)K * sizeof *c);
            memcpy(g, trial_g, (size_t)K * sizeof *g);
            value = next;
            damping = fmax(0.1 * damping, 1e-14);
        } else
            damping = fmax(10 * damping, 1e-3 * spd_norm2(K, g));
    }
}

void spd_problem_best_intercept(const spdhg_problem *p, int threads, const double *z, double *c, double *partial, double *newton,
                                spd_stop *stop) {
    sums a = {.p = p, .z = z, .c = c, .stop = stop, .partial = partial};
    if (p->loss->value)
        scalar_newton(p, threads, &a, c, newton);
    else
        coupled_newton(p, threads, &a, c, newton);
}
