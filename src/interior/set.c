/* set.c - the set X (interior.h).
 *   box, nonneg, simplex   Distances x - low and high - x. The sum of the simplex is an equation of the system.
 *   ball                   Distance g = R^2 - ||x||^2, with residual r = R^2 - ||x||^2 - g. Added to the system and to its right
 *                          side:
 *                              2 s I + (4 s/g) xx'
 *                              -2 x (k - s r/g)
 *   l1ball                 |x_j| <= t_j, sum t <= R: distances t - x, t + x, R - sum t. D = s/g for the first two, kap = s/g for
 *                          the third:
 *                              E = D_- + D_+
 *                              V = D_+ - D_-
 *                          Eliminating dt adds to the system
 *                              E - V^2/E
 *                              kap/(1 + kap sum 1/E) (V/E)(V/E)' */
#include "interior/interior.h"

static int64_t first(const spd_interior *a) { return spd_pairs_set(a); }
static int64_t last(const spd_interior *a) { return spd_pairs_set(a) + 2 * a->p->dK; }
static const spd_set_kind *kind(const spd_interior *a) { return a->p->set.kind; }
static double radius(const spd_interior *a) { return a->p->set.arg[0]; }

double spd_interior_set_sum(const spd_interior *a) { return kind(a)->sum ? radius(a) : NAN; }

/* A distance from the sides that costs about mu, judged by curvature and penalty. The penalty counts a loss with corners, whose
 * only curvature is the ridge. */
static double off_side(const spd_interior *a, int64_t j) {
    const double bend = a->corners && a->pull[j] > 0 ? a->p->gamma : a->bend[j];
    return 1 / sqrt(bend / a->mu + a->pull[j] / (a->mu * a->mu));
}

static void enter_box(spd_interior *a) {
    double low, high, sum = 0;
    spd_set_sides(&a->p->set, &low, &high);
    const int64_t d = a->p->dK;
    const double most = kind(a)->sum ? 0.5 * radius(a) / (double)d : 0.25 * (high - low);
    for (int64_t j = 0; j < d; j++) {
        const double off = fmin(off_side(a, j), most);
        a->u[j] = fmax(fmin(a->u[j], high - off), low + off);
        sum += a->u[j];
    }
    if (kind(a)->sum) spd_scale(d, radius(a) / sum, a->u);
    for (int64_t j = 0; j < d; j++) {
        spd_pair_centre(a, first(a) + 2 * j, a->u[j] - low);
        spd_pair_centre(a, first(a) + 2 * j + 1, high - a->u[j]);
    }
}

static void enter_l1ball(spd_interior *a) {
    const int64_t d = a->p->dK;
    const double inside = 0.9 * radius(a), size = spd_sum_abs(d, a->u);
    if (size > inside) spd_scale(d, inside / size, a->u);
    const double left = radius(a) - spd_sum_abs(d, a->u), each = 0.5 * left / (double)d;
    for (int64_t j = 0; j < d; j++) {
        spd_pair_centre(a, first(a) + 2 * j, each + (fabs(a->u[j]) - a->u[j]));
        spd_pair_centre(a, first(a) + 2 * j + 1, each + (fabs(a->u[j]) + a->u[j]));
    }
    spd_pair_centre(a, last(a), 0.5 * left);
}

static void enter_ball(spd_interior *a) {
    const int64_t d = a->p->dK;
    const double inside = 0.9 * radius(a), size = spd_norm2(d, a->u);
    if (size > inside) spd_scale(d, inside / size, a->u);
    const double now = fmin(size, inside);
    spd_pair_centre(a, last(a), (radius(a) - now) * (radius(a) + now));
}

void spd_interior_set_enter(spd_interior *a) {
    if (spd_interior_is_free(a)) return;
    for (int64_t i = first(a); i < last(a) + 2; i++) spd_pair_centre(a, i, INFINITY);
    if (kind(a)->length)
        enter_ball(a);
    else if (kind(a)->sum_of_sizes)
        enter_l1ball(a);
    else
        enter_box(a);
}

static double kappa(const spd_interior *a) { return spd_pair_ratio(a, last(a)); }
static double below(const spd_interior *a, int64_t j) { return spd_pair_ratio(a, first(a) + 2 * j); }
static double above(const spd_interior *a, int64_t j) { return spd_pair_ratio(a, first(a) + 2 * j + 1); }
static double tilt(const spd_interior *a, int64_t j) { return (above(a, j) - below(a, j)) / (above(a, j) + below(a, j)); }

/* 1 + kap sum 1/E */
static double shared(const spd_interior *a) {
    double sum = 0;
    for (int64_t j = 0; j < a->p->dK; j++) sum += 1 / (above(a, j) + below(a, j));
    return 1 + kappa(a) * sum;
}

void spd_interior_set_matrix(spd_interior *a, double *diagonal, int64_t stride) {
    const bool ball = kind(a)->length, l1ball = kind(a)->sum_of_sizes;
    for (int64_t j = 0; j < a->p->dK && !spd_interior_is_free(a); j++) {
        const double own = below(a, j) + above(a, j);
        diagonal[j * stride] += ball ? 2 * a->s[last(a)] : l1ball ? 4 * below(a, j) * (above(a, j) / own) : own;
    }
}

double spd_interior_set_column(spd_interior *a) {
    const bool ball = kind(a)->length, l1ball = kind(a)->sum_of_sizes;
    for (int64_t j = 0; j < a->p->dK && (ball || l1ball); j++) a->column[j] = ball ? a->u[j] : tilt(a, j);
    return ball ? 4 * kappa(a) : l1ball ? kappa(a) / shared(a) : 0;
}

static double left_out(const spd_interior *a) {
    const double R = radius(a), x = spd_norm2(a->p->dK, a->u);
    return (R - x) * (R + x) - a->g[last(a)];
}

/* k_- + k_+ - k of the sum constraint: the right side for t_j. */
static double drive(const spd_interior *a, int64_t j) {
    return a->k[first(a) + 2 * j] + a->k[first(a) + 2 * j + 1] - a->k[last(a)];
}

void spd_interior_set_prepare(spd_interior *a) {
    const int64_t d = a->p->dK;
    const double *k = a->k + first(a);
    if (spd_interior_is_free(a)) return;
    if (kind(a)->length) {
        spd_axpy(d, -2 * (a->k[last(a)] - kappa(a) * left_out(a)), a->u, a->rhs);
        return;
    }
    double sum = 0;
    for (int64_t j = 0; j < d && kind(a)->sum_of_sizes; j++) sum += drive(a, j) / (below(a, j) + above(a, j));
    const double share = kind(a)->sum_of_sizes ? sum * kappa(a) / shared(a) : 0;
    for (int64_t j = 0; j < d; j++)
        a->rhs[j] +=
            kind(a)->sum_of_sizes ? k[2 * j + 1] - k[2 * j] + tilt(a, j) * (share - drive(a, j)) : k[2 * j] - k[2 * j + 1];
}

static void follow_l1ball(spd_interior *a) {
    const int64_t d = a->p->dK;
    double all = 0;
    for (int64_t j = 0; j < d; j++) all += drive(a, j) / (below(a, j) + above(a, j)) - tilt(a, j) * a->du[j];
    all /= shared(a);
    for (int64_t j = 0; j < d; j++) {
        const double dt = (drive(a, j) - kappa(a) * all) / (below(a, j) + above(a, j)) - tilt(a, j) * a->du[j];
        a->dg[first(a) + 2 * j] = dt - a->du[j];
        a->dg[first(a) + 2 * j + 1] = dt + a->du[j];
    }
    a->dg[last(a)] = -all;
}

void spd_interior_set_follow(spd_interior *a) {
    const int64_t d = a->p->dK;
    if (spd_interior_is_free(a)) return;
    if (kind(a)->length) {
        a->dg[last(a)] = left_out(a) - 2 * spd_dot(d, a->u, a->du);
        return;
    }
    if (kind(a)->sum_of_sizes) {
        follow_l1ball(a);
        return;
    }
    for (int64_t j = 0; j < d; j++) {
        a->dg[first(a) + 2 * j] = a->du[j];
        a->dg[first(a) + 2 * j + 1] = -a->du[j];
    }
}

/* At the centre of a ball its side is not seen, g being flat there. A step may leave the ball, from where the next one leads
 * back, but not beyond twice its radius. */
double spd_interior_set_trust(const spd_interior *a, double step) {
    if (!kind(a)->length) return step;
    const int64_t d = a->p->dK;
    const double most = 2 * radius(a), du2 = spd_dot(d, a->du, a->du), along = spd_dot(d, a->u, a->du),
                 left = (most - spd_norm2(d, a->u)) * (most + spd_norm2(d, a->u));
    if (!(left > 0) || !(du2 > 0)) return step;
    const double root = sqrt(along * along + du2 * left); /* |u + t du| = 2 R */
    return fmin(step, along > 0 ? left / (root + along) : (root - along) / du2);
}

/* Of |x_j| <= t_j and the multipliers of its sides, which add up to that of the sum of t, one tends to 0: t_j/R or the lesser
 * multiplier's part of their sum. */
static bool ends_at_zero(const spd_interior *a, int64_t j) {
    const double *s = a->s + first(a) + 2 * j, *g = a->g + first(a) + 2 * j;
    return fmin(s[0], s[1]) * radius(a) > (g[0] + g[1]) * (s[0] + s[1]);
}

/* The distance g to a side that holds x_j decreases with the products; to others it stays. At a corner of the loss this is all
 * there is to tell them apart: it has no curvature. On a simplex what is taken from x_j goes to the others, whose loss may be far
 * steeper: x_j must really be near its side. */
static bool nears(const spd_interior *a, int64_t i) {
    if (!a->corners && !kind(a)->sum) return true;
    return a->g[i] * sqrt(a->before) < sqrt(a->sum) * (a->g[i] - a->step * a->dg[i]);
}

/* A side holds x_j if its stiffness s/g exceeds the curvature of f; in the limit s/g is either infinite or 0. */
void spd_interior_set_settle(spd_interior *a) {
    double low, high;
    spd_set_sides(&a->p->set, &low, &high);
    for (int64_t j = 0; j < a->p->dK && !kind(a)->length && !spd_interior_is_free(a); j++) {
        const bool down = below(a, j) > a->bend[j], up = above(a, j) > a->bend[j];
        const int64_t i = first(a) + 2 * j + (below(a, j) > above(a, j) ? 0 : 1);
        if (kind(a)->sum_of_sizes)
            a->best_u[j] = down && up && ends_at_zero(a, j) ? 0 : a->best_u[j];
        else if ((down || up) && nears(a, i))
            a->best_u[j] = below(a, j) > above(a, j) ? low : high;
    }
}
