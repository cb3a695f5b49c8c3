/* proof.c - the duality gap for F = identity, l1 and X = { low <= x_j <= high }, one output (certify.h has the general one,
 * docs/certificate.md the mathematics). With G = A'(share alpha) and any alpha_i in dom phi_i* whose weighted sum is 0 if there
 * is an intercept,
 *
 *   GAP = sum_i share_i [ phi_i(z_i) + phi_i*(alpha_i) - alpha_i z_i ]  +  sum_j [ psi(x_j) + psi*(-G_j) + G_j x_j ]
 *   psi(x) = (gamma/2) x^2 + lambda |x| in X,   psi*(-G) = max { m t - (gamma/2) t^2 : 0 <= t <= r },   m = |G| - lambda
 *   r: how far X goes on the side that -G points to; without ridge m <= 0 is needed where r is infinite
 *
 * Both brackets are never negative, and that of a zero column with |G_j| <= lambda is 0: only max |G_j| over these matters. A
 * column is not looked at if earlier alphas show that it is one of them (known.c).
 * All that rounding may change is in the gap: of G (E_j = q norm_j, by Cauchy-Schwarz), of the sum of alpha (the alphas of the
 * heavier sign are multiplied by 1 - tau, repair_intercept.c), of the scores, of f. Without ridge alpha is shrunk until
 * |G_j| + E_j <= lambda, where r is infinite. */
#include <float.h>

#include "certify/certify.h"
#include "lasso/sides.h"

enum { AT_ONCE = 256 };
static const double UNIT = 0.5 * DBL_EPSILON;
static const double FUNCTIONS = 16; /* units in the last place: error of a loss and of its slope for a given score */
static const double GENEROUS = 1.01;
static const double TINY = 1e-150; /* the square of a smaller number may underflow */

static double rounding(double k) { return k * UNIT / (1 - k * UNIT); } /* gamma_k of Higham; k is far below 1/UNIT */

typedef struct dual {
    double size;  /* root mean square of alpha */
    double tau;   /* part of the heavier sign that is taken away */
    double q;     /* E_j = q norm_j + lost */
    double lost;  /* underflow */
    double most;  /* max_j |g_j| + E_j over the columns looked at, on the sides that X has */
    double open;  /* the same on the sides where X is infinite */
    double scale; /* alpha is multiplied by this */
} dual;

/* An entry of r that has underflowed is off by DBL_TRUE_MIN, whatever a_ij multiplies it with;
 * norm_j is at least TINY max_i |a_ij|. */
double spd_lasso_off(const spd_lasso *a, const double *alpha) {
    const double vanished = (double)a->p->n * 8 * DBL_TRUE_MIN * (1 + spd_max_abs(a->p->n, alpha)) / TINY;
    return GENEROUS * (rounding((double)a->A.longest / 4 + 24) * spd_lasso_distance(a, alpha, a->nothing) + vanished);
}

/* What can be said of alpha before any column is looked at; r = share alpha. Sums run in four lanes or more. */
static dual measure(spd_lasso *a) {
    const spdhg_problem *p = a->p;
    const double n = (double)p->n;
    dual u = {.size = spd_lasso_distance(a, a->alpha, a->nothing), .lost = 2 * n * DBL_MIN, .scale = 1};
    for (int64_t i = 0; i < p->n; i++) a->r[i] = a->share[i] * a->alpha[i];
    if (p->intercept) {
        const double sum = spd_sum_lanes(p->n, a->r), sizes = spd_sum_abs(p->n, a->r);
        const double miss = fabs(sum) + 2 * rounding(n / 4 + 16) * sizes + u.lost,
                     side = 0.5 * (sizes + fabs(sum)) * (1 - 4 * rounding(n / 4 + 16)) - miss;
        u.tau = side > 0 && sizes > fabs(sum) + miss ? GENEROUS * miss / side : INFINITY;
        if (!(u.tau < 0.5)) u.tau = INFINITY;
    }
    u.q = spd_lasso_off(a, a->alpha) + GENEROUS * u.tau * u.size;
    return u;
}

/* The largest |g_j| + E_j, infinite if one of them overflowed; columns outside the set that are
 * pulled by more than lambda join it. */
static bool judge(spd_lasso *a, dual *u) {
    const double lambda = spd_lasso_lambda(a);
    const int64_t before = a->size;
    for (int64_t q = 0; q < a->examined_count; q++) {
        const int32_t j = a->examined[q];
        const double size = spd_lasso_pull(a, a->g[j]), E = u->q * a->A.norm[j] + u->lost, most = size + E;
        u->most = most <= u->most ? u->most : isnan(most) ? INFINITY : most;
        if (isinf(a->high)) u->open = fmax(u->open, -a->g[j] + E);
        if (isinf(a->low)) u->open = fmax(u->open, a->g[j] + E);
        if (size > lambda && !a->in_set[j]) {
            a->in_set[j] = true;
            a->set[a->size++] = j;
        }
    }
    return a->size > before;
}

double spd_lasso_first_bracket(const spd_lasso *a, double scale) {
    const spdhg_problem *p = a->p;
    double sum = 0, alpha[AT_ONCE], bracket[AT_ONCE];
    for (int64_t from = 0, count; from < p->n; from += count) {
        count = from + AT_ONCE < p->n ? AT_ONCE : p->n - from;
        for (int64_t i = 0; i < count; i++) alpha[i] = scale * a->alpha[from + i];
        spd_loss_brackets(p->loss, p->loss_arg, count, a->z + from, p->b + from, alpha, bracket);
        for (int64_t i = 0; i < count; i++) bracket[i] = a->share[from + i] > 0 && !(bracket[i] < 0) ? bracket[i] : 0;
        sum += spd_dot(count, a->share + from, bracket);
    }
    return isnan(sum) ? INFINITY : sum * (1 + rounding((double)p->n + 4));
}

/* max { m t - (gamma/2) t^2 : 0 <= t <= reach }; without ridge, alpha has been shrunk until m <= 0 where reach is infinite. */
static double conjugate(double gamma, double m, double reach) {
    if (!(m > 0)) return 0;
    if (gamma > 0 && m < gamma * reach) return m * m / (2 * gamma);
    return isfinite(reach) ? reach * (m - 0.5 * gamma * reach) : gamma > 0 ? INFINITY : 0;
}

/* psi(x) + psi*(-G) + G x, where w = -sign(x) G; 0 <= x <= reach; `other` is the reach of -x. */
static double bracket(double gamma, double lambda, double x, double w, double reach, double other) {
    const double m = w - lambda;
    if (!(m > 0)) return 0.5 * gamma * x * x - x * m + conjugate(gamma, -w - lambda, other);
    if (gamma > 0 && m < gamma * reach) return (gamma * x - m) * (gamma * x - m) / (2 * gamma);
    return isfinite(reach) ? fmax((reach - x) * (m - 0.5 * gamma * (reach + x)), 0) : gamma > 0 ? INFINITY : 0;
}

/* That of a zero column, or more, if G may be off by E. */
static double zero_bracket(const spd_lasso *a, double lambda, double G, double E) {
    return conjugate(a->p->gamma, E - G - lambda, a->high) + conjugate(a->p->gamma, E + G - lambda, -a->low);
}

/* The second sum. It is convex in G, so that an interval is worst at one of its ends. */
static double second_bracket(const spd_lasso *a, const dual *u) {
    const double lambda = spd_lasso_lambda(a), gamma = a->p->gamma;
    double sum = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int64_t j = a->now.list[q];
        const double sign = a->now.x[j] > 0 ? 1 : -1, x = fabs(a->now.x[j]), w = -sign * u->scale * a->g[j],
                     reach = spd_lasso_reach(a, sign), other = spd_lasso_reach(a, -sign), far = isinf(reach) ? x : reach;
        const double E = u->q * a->A.norm[j] + u->lost + 8 * UNIT * (lambda + fabs(w) + gamma * far);
        sum += fmax(bracket(gamma, lambda, x, w - E, reach, other), bracket(gamma, lambda, x, w + E, reach, other));
    }
    for (int64_t q = 0; q < a->examined_count && u->scale * u->most > lambda; q++) {
        const int32_t j = a->examined[q];
        const double G = u->scale * a->g[j], E = u->q * a->A.norm[j] + u->lost + 8 * UNIT * (lambda + fabs(G));
        if (!a->is_active[j]) sum += zero_bracket(a, lambda, G, E);
    }
    return sum * (1 + rounding((double)(a->now.count + a->A.d) + 32));
}

/* How far a computed score may be from a_i'x + c + o_i, also with x as it is written. */
static double error_of_scores(const spd_lasso *a) {
    double size = fabs(a->now.c) + a->offset + spd_max_abs(a->p->n, a->z);
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t j = a->now.list[q];
        size += a->A.top[j] * (fabs(a->now.x[j]) + spd_written_loss(a->p, j));
    }
    return rounding((double)a->now.count + 16) * 2 * size;
}

/* What the rounding of the scores, of f and of its brackets may amount to, as rounding_objective.c bounds it. */
static double error_of_objective(const spd_lasso *a, const dual *u, double first) {
    const spdhg_problem *p = a->p;
    const double f = a->loss + a->ridge + a->penalty;
    const double dz = error_of_scores(a);
    double product = 0, scores = 0, writing = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const double x = fabs(a->now.x[a->now.list[q]]), lost = spd_written_loss(p, a->now.list[q]);
        writing += (spd_lasso_lambda(a) + p->gamma * (x + lost)) * lost;
    }
    if (isfinite(p->kappa)) {
        scores = dz * spd_lasso_slopes(a, u->scale, p->kappa * dz, &product);
    } else
        for (int64_t i = 0; i < p->n; i++) {
            if (!(a->share[i] > 0)) continue;
            const double alpha = u->scale * a->alpha[i], kappa = p->loss->steady ? a->curve[i] * exp(dz) : INFINITY;
            product += a->share[i] * fabs(alpha * a->z[i]);
            scores +=
                a->share[i] * (fabs(a->slope[i]) + fabs(a->slope[i] - alpha) + 2 * FUNCTIONS * UNIT * kappa + kappa * dz) * dz;
        }
    return rounding(SPD_ROWS_PER_BLOCK + 2 * FUNCTIONS) * (fabs(a->loss) + 2 * fabs(a->least) + first) +
           4 * FUNCTIONS * UNIT * product + GENEROUS * scores + rounding((double)(2 * a->now.count) + 32) * fabs(f - a->loss) +
           4 * DBL_EPSILON * fabs(f) + 2 * UNIT * writing + (double)(p->n + 2 * p->d) * DBL_MIN;
}

/* The gap if alpha is multiplied by u->scale. */
static double add_up(const spd_lasso *a, const dual *u) {
    const double first = spd_lasso_first_bracket(a, u->scale), second = second_bracket(a, u);
    const double repair = GENEROUS * (u->tau > 0 ? u->tau * fmax(a->loss - a->least, 0) : 0);
    const double gap = (first + second + repair + error_of_objective(a, u, first)) * (1 + 1e-14);
    return isfinite(gap) ? gap : INFINITY;
}

/* The gap, once the columns have been looked at. */
static bool conclude(spd_lasso *a, dual u, spd_lasso_answer *out) {
    const double lambda = spd_lasso_lambda(a), f = a->loss + a->ridge + a->penalty, scale = fmax(fabs(f), a->reference);
    const bool added = judge(a, &u);
    double gap = isfinite(u.most) && (a->p->gamma > 0 || u.open <= lambda) ? add_up(a, &u) : INFINITY;
    if (u.open > lambda && isfinite(u.most)) {
        u.scale = lambda / u.open * (1 - 8 * UNIT);
        gap = fmin(gap, add_up(a, &u));
    }
    *out = (spd_lasso_answer){.objective = f, .loss = a->loss, .penalty = a->penalty, .gap = gap, .relative = gap / scale};
    return added;
}

bool spd_lasso_prove(spd_lasso *a, double rest, spd_lasso_answer *out) {
    dual u = measure(a);
    spd_lasso_examine(a, u.q, u.lost, fmin(rest, spd_lasso_lambda(a)));
    return conclude(a, u, out);
}

/* alpha_i is fl(z_i - b_i), and z_i is off by at most dz: alpha differs from A x + c + o - b by at most dz + UNIT |alpha_i| in
 * every row, and A_j'S of the difference by norm_j times that (the shares sum to 1), besides what gram.c says of its slopes. A
 * factor of a product in H or q that underflows is off by DBL_TRUE_MIN, whatever the other multiplies it with: as in
 * spd_lasso_off, for either column. Slopes that overflow prove nothing. */
bool spd_lasso_prove_by_gram(spd_lasso *a, double rest, spd_lasso_answer *out) {
    double size;
    dual u = measure(a);
    const double error = spd_gram_error(a, &size), vanished = 8 * (double)a->p->n * DBL_TRUE_MIN / TINY;
    u.q += GENEROUS * (error * UNIT + error_of_scores(a) + UNIT * u.size + vanished * size);
    u.lost += 4 * (double)(a->p->n + a->p->d) * size * DBL_MIN + vanished * error;
    spd_gram_slopes(a, a->gram.s);
    if (!spd_all_finite(a->p->d, a->gram.s)) return spd_lasso_prove(a, rest, out);
    memcpy(a->g, a->gram.s, (size_t)a->p->d * sizeof *a->g);
    spd_lasso_list(a, a->g, u.q, u.lost, fmin(rest, spd_lasso_lambda(a)));
    return conclude(a, u, out);
}
