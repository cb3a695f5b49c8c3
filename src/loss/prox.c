/* prox.c - the proximal step of a loss and of its conjugate: the z that solves z + q phi'(z) = u, and alpha = phi'(z).
 *     z     = argmin q phi(z) + ||z - u||^2/2
 *     alpha = argmin phi*(alpha) - <u, alpha> + (q/2)||alpha||^2     by Moreau; always in the domain of phi*
 * Scalar losses: Newton safeguarded by a bracket of the increasing left side; a loss with a corner: (u - b)/q, cut off at its
 * two slopes. Coupled losses: Newton by conjugate gradients in
 * R^K. */
#include <float.h>

#include "la/la.h"
#include "loss/loss.h"

enum { ROUNDS_MAX = 100 };

/* Without a curvature bound phi'(u) may be arbitrarily large: tries the intervals [0, 1], [1, 2], [2, 4], ... or their
 * negatives. */
static void find_bracket(const spdhg_loss *loss, double arg, double q, double u, double b, double *low, double *high) {
    const double side = q * loss->slope(0, b, arg) > u ? -1 : 1;
    double near = 0, far = side;
    for (int round = 0; round < DBL_MAX_EXP && side * (far - u + q * loss->slope(far, b, arg)) < 0; round++) {
        near = far;
        far *= 2;
    }
    *low = fmin(near, far);
    *high = fmax(near, far);
}

/* phi' increases, so the solution lies between u and u - q phi'(u). Linear pieces reach the far end, which is therefore moved out
 * by the rounding error. Newton's point is taken if it lies inside the bracket and its step is at most half the previous one,
 * which prevents cycling; otherwise the middle is taken. */
static double scalar_prox(const spdhg_loss *loss, double arg, double q, double u, double b) {
    if (spd_loss_has_corner(loss, arg))
        return q > 0 ? fmin(fmax((u - b) / q, loss->slope(-INFINITY, b, arg)), loss->slope(INFINITY, b, arg))
                     : loss->slope(u, b, arg);
    double z = u, slope = loss->slope(u, b, arg);
    const double far = u - q * slope, past = 4e-16 * (fabs(u) + fabs(q * slope));
    double low = fmin(u, far - past), high = fmax(u, far + past), moved = INFINITY;
    if (!isfinite(loss->curvature(arg))) {
        find_bracket(loss, arg, q, u, b, &low, &high);
        z = 0.5 * (low + high);
        slope = loss->slope(z, b, arg);
    }
    for (int round = 0; round < ROUNDS_MAX; round++) {
        const double excess = z - u + q * slope;
        if (fabs(excess) <= 2e-16 * (fabs(z) + fabs(u) + fabs(q * slope))) break; /* only rounding is left */
        if (excess > 0)
            high = z;
        else
            low = z;
        double next = z - excess / (1 + q * loss->second(z, b, arg));
        if (!(next > low && next < high) || fabs(next - z) > 0.5 * moved) next = 0.5 * (low + high);
        moved = fabs(next - z);
        z = next;
        slope = loss->slope(z, b, arg);
    }
    return slope;
}

typedef struct coupled {
    const spdhg_loss *loss;
    int64_t K;
    double q, b;
    const double *u, *z;
} coupled;

/* Hp = p + q phi''(z) p */
static void apply_hessian(const void *context, const double *p, double *Hp) {
    const coupled *a = context;
    a->loss->second_k(a->z, a->K, a->b, p, Hp);
    for (int64_t k = 0; k < a->K; k++) Hp[k] = p[k] + a->q * Hp[k];
}

/* Returns q phi + ||z - u||^2/2 at z; its negative gradient in descent. */
static double merit(const coupled *a, const double *z, double *slope, double *descent) {
    double square = 0;
    a->loss->slope_k(z, a->K, a->b, slope);
    for (int64_t k = 0; k < a->K; k++) {
        const double off = z[k] - a->u[k];
        square += off * off;
        descent[k] = -(off + a->q * slope[k]);
    }
    return a->q * a->loss->value_k(z, a->K, a->b) + 0.5 * square;
}

/* Newton from z, halved until the merit falls. work: 7K. */
static void newton(coupled *a, double *z, double *slope, double *work) {
    const int64_t K = a->K;
    double *trial = work, *descent = trial + K, *direction = descent + K, *cg_work = direction + K;
    const spd_cg cg = {.apply = apply_hessian, .context = a, .tolerance = 1e-15, .most = (int)(2 * K + 10)};
    a->z = z;
    double value = merit(a, z, slope, descent);
    for (int round = 0; round < ROUNDS_MAX && spd_max_abs(K, descent) > 0; round++) {
        memset(direction, 0, (size_t)K * sizeof *direction);
        spd_cg_solve(&cg, K, descent, direction, cg_work);
        if (spd_max_abs(K, direction) <= 1e-16 * spd_max_abs(K, z)) break;
        const double fall = spd_dot(K, descent, direction);
        const bool near = fall <= 1e-12 * value; /* values are too coarse to judge the rest, but Newton converges */
        for (double t = 1; t > 1e-12; t *= 0.5) {
            for (int64_t k = 0; k < K; k++) trial[k] = z[k] + t * direction[k];
            const double next = merit(a, trial, slope, descent);
            if (!near && next > value - 1e-4 * t * fall) continue;
            value = next;
            break;
        }
        memcpy(z, trial, (size_t)K * sizeof *z);
    }
}

/* With a large q the kinks of the loss look sharp, and Newton converges slowly. In T phi(z/T) they are smoother: with w = z/T
 *     w + (q/T) phi'(w) = u/T
 * which is the same equation with a smaller q. T falls from q to 1, and every solution is the start for the next. */
static void coupled_prox(coupled *a, double q, const double *u, double *slope, double *work) {
    const int64_t K = a->K;
    double *w = work, *scaled = w + K, T = fmax(1, q);
    for (int64_t k = 0; k < K; k++) w[k] = u[k] / T;
    for (;;) {
        a->q = q / T;
        a->u = scaled;
        for (int64_t k = 0; k < K; k++) scaled[k] = u[k] / T;
        newton(a, w, slope, scaled + K);
        if (T == 1) return;
        const double next = fmax(1, T / 4);
        spd_scale(K, T / next, w);
        T = next;
    }
}

void spd_loss_prox(const spdhg_loss *loss, double arg, int64_t K, double q, const double *u, const double *b, double *slope,
                   double *work) {
    if (loss->slope_k) {
        coupled a = {.loss = loss, .K = K, .b = b[0]};
        coupled_prox(&a, q, u, slope, work);
        return;
    }
    for (int64_t k = 0; k < K; k++) slope[k] = scalar_prox(loss, arg, q, u[k], b[k]);
}

int64_t spd_loss_prox_work(int64_t K) { return 9 * K; }
