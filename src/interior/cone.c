/* cone.c - groups lambda ||z|| as second-order cones (interior.h):
 *     s = (t, z) and v = (lambda, -y) in { |rest| <= first }
 *     s o v = (s'v, s_0 v_1 + v_0 s_1) = mu e
 * With the scaling of Nesterov and Todd:
 *     W v = W^{-1} s =: l
 *     W = eta (w_0, w_1'; w_1, I + w_1 w_1'/(1 + w_0))
 *     l o (W dv + W^{-1} ds) = mu e - l o l - second-order term of the trial step
 * With dt from v_0 + dv_0 = lambda this gives
 *     q = W^{-1} (l \ (mu e - ...))
 *     y at dz = -q_1 - 2 w_0 w_1 (q_0 - lambda)/(2 w_0^2 - 1) + ( I - 2 w_1 w_1'/(2 w_0^2 - 1) )/eta^2 dz */
#include "interior/interior.h"

static const double ROUNDING = 1e-16; /* relative to lambda t: smaller products are rounding errors */

typedef struct cone {
    const spd_interior *a;
    const spd_part *B;
    double t, zz, yy, zy, lambda; /* s and v */
    double w0, eta, ws, wv;       /* w_1 = ws z + wv y */
} cone;

static double inner(const spd_part *B, const double *u, const double *v) {
    double sum = 0;
    for (int64_t i = 0; i < B->size; i++) sum += u[spd_part_at(B, i)] * v[spd_part_at(B, i)];
    return sum;
}

static cone cone_of(const spd_interior *a, const spd_part *B) {
    cone c = {.a = a, .B = B, .t = a->t[spd_part_at(B, 0)], .lambda = B->t->lambda};
    c.zz = inner(B, a->z, a->z), c.yy = inner(B, a->y, a->y), c.zy = inner(B, a->z, a->y);
    const double z = sqrt(c.zz), y = sqrt(c.yy);
    const double s = sqrt(fmax((c.t - z) * (c.t + z), 1e-300)), v = sqrt(fmax((c.lambda - y) * (c.lambda + y), 1e-300));
    const double both = fmax((c.t * c.lambda - c.zy) / (s * v), 1), twice = 2 * sqrt(0.5 * (1 + both));
    c.w0 = (c.t / s + c.lambda / v) / twice;
    c.ws = 1 / (s * twice), c.wv = 1 / (v * twice);
    c.eta = sqrt(s / v);
    return c;
}

static double w1(const cone *c, int64_t e) { return c->ws * c->a->z[e] + c->wv * c->a->y[e]; }

/* out = W^{-1} (first, rest) for sign -1, W (first, rest) for sign 1; rest and out are arrays of m x K. */
static double scaled(const cone *c, double sign, double first, const double *rest, double *out) {
    const spd_part *B = c->B;
    double along = 0;
    for (int64_t i = 0; i < B->size; i++) along += w1(c, spd_part_at(B, i)) * rest[spd_part_at(B, i)];
    const double eta = sign > 0 ? c->eta : 1 / c->eta, part = sign * first + along / (1 + c->w0);
    for (int64_t i = 0; i < B->size; i++) {
        const int64_t e = spd_part_at(B, i);
        out[e] = eta * (rest[e] + part * w1(c, e));
    }
    return eta * (c->w0 * first + sign * along);
}

void spd_cone_centre(spd_interior *a, const spd_part *B) {
    const double half = 0.5 * a->mu / B->t->lambda, zz = inner(B, a->z, a->z), t = half + sqrt(half * half + zz);
    for (int64_t i = 0; i < B->size; i++) a->y[spd_part_at(B, i)] = B->t->lambda * (a->z[spd_part_at(B, i)] / t);
    a->t[spd_part_at(B, 0)] = t;
}

/* The target of l o (...): mu e - (W^{-1} ds) o (W dv), with ds and dv of the step to mu = 0. */
void spd_cone_aim(spd_interior *a, const spd_part *B, double mu, bool corrected) {
    const int64_t at = spd_part_at(B, 0);
    a->goal0[at] = mu;
    for (int64_t i = 0; i < B->size; i++) a->goal[spd_part_at(B, i)] = 0;
    if (!corrected) return;
    const cone c = cone_of(a, B);
    double *ds = a->work, *dv = a->normal; /* the normal is recomputed after this */
    const double ds0 = scaled(&c, -1, a->dt[at], a->dz, ds), dv0 = -scaled(&c, 1, 0, a->next_y, dv);
    a->goal0[at] -= ds0 * dv0 - inner(B, ds, dv);
    for (int64_t i = 0; i < B->size; i++) {
        const int64_t e = spd_part_at(B, i);
        a->goal[e] -= dv0 * ds[e] - ds0 * dv[e];
    }
}

void spd_cone_prepare(spd_interior *a, const spd_part *B) {
    const cone c = cone_of(a, B);
    const int64_t at = spd_part_at(B, 0);
    double *l = a->work, *x = a->normal;
    const double l0 = scaled(&c, -1, c.t, a->z, l), size = sqrt(inner(B, l, l));
    const double x0 = (l0 * a->goal0[at] - inner(B, l, a->goal)) / fmax((l0 - size) * (l0 + size), 1e-300);
    for (int64_t i = 0; i < B->size; i++) {
        const int64_t e = spd_part_at(B, i);
        x[e] = (a->goal[e] - x0 * l[e]) / l0;
    }
    double *q = a->work;
    const double q0 = scaled(&c, -1, x0, x, q), below = 2 * c.w0 * c.w0 - 1, weight = 1 / (c.eta * c.eta);
    for (int64_t i = 0; i < B->size; i++) {
        const int64_t e = spd_part_at(B, i);
        a->next_y[e] = -q[e] - 2 * c.w0 * w1(&c, e) * ((q0 - c.lambda) / below);
        a->weight[e] = weight;
    }
    for (int64_t i = 0; i < B->size; i++) a->normal[spd_part_at(B, i)] = w1(&c, spd_part_at(B, i)) * sqrt(2 * weight / below);
    a->dt[at] = (q0 - c.lambda) / (weight * below);
}

/* dt = (q_0 - lambda - B_0z dz)/B_00; next_y already holds the change of y. */
void spd_cone_follow(spd_interior *a, const spd_part *B) {
    const cone c = cone_of(a, B);
    double along = 0;
    for (int64_t i = 0; i < B->size; i++) along += w1(&c, spd_part_at(B, i)) * a->dz[spd_part_at(B, i)];
    a->dt[spd_part_at(B, 0)] += 2 * c.w0 * along / (2 * c.w0 * c.w0 - 1);
}

void spd_cone_move(spd_interior *a, const spd_part *B) { a->t[spd_part_at(B, 0)] += a->step * a->dt[spd_part_at(B, 0)]; }

/* The largest x <= most with (first, rest) + x (d_first, d_rest) in the cone; the rests enter by their squares and products. */
static double reach(double first, double dfirst, double rr, double rd, double dd, double most) {
    const double r = sqrt(rr), c = fmax((first - r) * (first + r), 0), b = first * dfirst - rd, a = dfirst * dfirst - dd;
    const double root = b * b - a * c;
    double x = most;
    if (a < 0 || (b < 0 && root >= 0)) x = fmin(x, b < 0 ? c / (-b + sqrt(fmax(root, 0))) : (b + sqrt(fmax(root, 0))) / -a);
    return dfirst < 0 ? fmin(x, -first / dfirst) : x;
}

double spd_cone_reach(const spd_interior *a, const spd_part *B, double most) {
    const int64_t at = spd_part_at(B, 0);
    const double step = reach(a->t[at], a->dt[at], inner(B, a->z, a->z), inner(B, a->z, a->dz), inner(B, a->dz, a->dz), most);
    return reach(B->t->lambda, 0, inner(B, a->y, a->y), inner(B, a->y, a->next_y), inner(B, a->next_y, a->next_y), step);
}

double spd_cone_product(const spd_interior *a, const spd_part *B, double step) {
    const int64_t at = spd_part_at(B, 0);
    double sum = B->t->lambda * (a->t[at] + step * a->dt[at]);
    for (int64_t i = 0; i < B->size; i++) {
        const int64_t e = spd_part_at(B, i);
        sum -= (a->z[e] + step * a->dz[e]) * (a->y[e] + step * a->next_y[e]);
    }
    return fmax(sum, ROUNDING * B->t->lambda * a->t[at]);
}
