/* repair.c - proves that an exactly feasible dual point is near, and bounds the cost of moving there.
 * alpha and y are rounded, so these conditions hold only approximately:
 *   sum_i w_i alpha_i = 0   (free intercept)
 *   v = 0                   (no ridge, no bound)
 * A bound that assumed them could be false: along an x that A and F nearly map to 0, a v of 1e-16 can change f by any amount.
 * The exact point itself is not needed, only its existence and by how much its bound can be lower.
 *   intercept alone   The alphas of the heavier sign are multiplied by 1 - tau. Each loss's bracket is convex in alpha, so the
 *                     first bracket grows by at most tau (loss - least loss), and v changes by at most tau size_k norm_j.
 *                     Coupled losses are mixed, by tau, with the one distribution that balances.
 *   all of v          The residual of v travels along rows of F (routes.c) and, where these end, into alpha (base_system.c):
 *                         Delta alpha_i = D_i s_i
 *                         sum_i (w_i D_i / W) s_i^2 <= E^2
 *                     If |s_i| <= 1, alpha stays in its domain and, by convexity again, the first bracket grows by at most
 *                         (1/W) sum_i w_i |s_i| M_i <= E sqrt( (1/W) sum_i w_i M_i^2 / D_i )
 *                         M_i = the larger of the brackets at alpha_i +- D_i
 *                     y may leave its ball by a factor 1 + t, and (alpha, y)/(1 + t) is inside. Since alpha = 0, y = 0 has the
 *                     bound `least`, concavity limits the loss of the bound to t (f - least). */
#include <float.h>

#include "certify/certify.h"

enum { AT_ONCE = 256 };
/* Large compared with rounding, and what suffices: each costs that part of f. */
static const double SHRUNK[] = {0, 1e-11, 1e-8};
static const double GENEROUS = 1.01; /* covers the rounding in these few sums of positive numbers */

/* What a sum over blocks of rows needs. */
typedef struct pass {
    const spd_certifier *c;
    double shrunk;
    const double *z;
} pass;

/* sum_i w_i M_i^2 / D_i / W for a scalar loss. */
static double spread_scalar(void *context, int64_t first, int64_t last) {
    const pass *a = context;
    const spd_certifier *c = a->c;
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K, end = last * K;
    double sum = 0, at[AT_ONCE], bracket[AT_ONCE], most[AT_ONCE];
    for (int64_t from = first * K, count; from < end; from += count) {
        count = from + AT_ONCE < end ? AT_ONCE : end - from;
        memset(most, 0, sizeof most);
        for (int side = -1; side <= 1; side += 2) {
            for (int64_t q = 0; q < count; q++) {
                const double D = c->base.D[(from + q) / K], low = c->low ? fabs(c->low[from + q]) : 0;
                at[q] = (1 - a->shrunk) * c->alpha[from + q] + side * (D + low);
            }
            spd_loss_brackets(p->loss, p->loss_arg, count, a->z + from, p->b + from, at, bracket);
            for (int64_t q = 0; q < count; q++) most[q] = fmax(most[q], spd_bracket(bracket[q]));
        }
        for (int64_t q = 0; q < count; q++) {
            const double D = c->base.D[(from + q) / K];
            if (D > 0) sum += spd_problem_share(p, (from + q) / K) * most[q] * (most[q] / D);
        }
    }
    return sum;
}

/* The same for a coupled loss: q + D s <= q + D, and its divergence from exp(z)/sum exp(z) is at most the sum of the positive
 * parts at q + D. */
static double spread_coupled(void *context, int64_t first, int64_t end) {
    const pass *a = context;
    const spd_certifier *c = a->c;
    const spdhg_problem *p = c->problem;
    double sum = 0;
    for (int64_t i = first; i < end; i++) {
        const double D = c->base.D[i], *at = a->z + i * p->K;
        if (!(D > 0)) continue;
        const double all = at[(int64_t)p->b[i]] + p->loss->value_k(at, p->K, p->b[i]); /* log sum exp */
        double most = 0;
        for (int64_t k = 0; k < p->K; k++) {
            const double low = c->low ? fabs(c->low[i * p->K + k]) : 0;
            if (!spd_base_is_open(&c->base, i, k)) continue;
            const double q = c->alpha[i * p->K + k] + ((double)k == p->b[i]) + D + low;
            most += q * fmax(log(q) - (at[k] - all), 0);
        }
        sum += spd_problem_share(p, i) * most * (most / D);
    }
    return sum;
}

static bool has_rest(const spd_base_system *s) {
    for (int64_t t = 0; t < s->problem->terms && s->G; t++)
        if (s->rest[t]) return true;
    return false;
}

/* Of x_j >= 0, v_j >= 0, x_j v_j = 0, v_j is taken to be the zero factor: |v_j| in units of alpha is less than the distance of
 * x_j to the side in units of z. */
static bool is_inside(const spd_certifier *c, int64_t q, double way) {
    const double norm = c->norm[q / c->problem->K];
    return fabs(c->v[q]) / norm < way * norm;
}

/* The excess that must be removed from v_j, and its uncertainty: all of v_j, or its part on the side where X has no bound. In the
 * columns of a null vector N all of v_j, to preserve N'v = 0. With a coupled loss a direction that is equal in all outputs is
 * null unless its product with some row of F is not 0. */
static void find_excess(spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->problem;
    const bool rest = has_rest(&c->base);
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t q = 0; q < p->dK; q++) {
        const double v = c->v[q], e = c->e[q];
        const int32_t base = c->routes.base[q / p->K];
        const bool each = c->base.outputs > 1;
        const bool coupled = !p->loss->value && !each && (!rest || (base >= 0 && spd_base_in_null(&c->mean, base)));
        const bool null = base >= 0 && (coupled || spd_base_in_null(&c->base, each ? base * p->K + q % p->K : base));
        const bool whole =
            null || (!isfinite(low) && !isfinite(high)) || is_inside(c, q, isfinite(low) ? x[q] - low : high - x[q]);
        c->whole[q] = whole;
        const bool stays = !whole && (isfinite(low) ? v >= e : v <= -e); /* certainly on the allowed side */
        c->excess[q] = whole ? v : stays ? 0 : isfinite(low) ? fmin(v, 0) : fmax(v, 0);
        c->doubt[q] = stays ? 0 : e;
    }
}

static bool find_energy(spd_certifier *c, double shrunk, double *E) {
    const spdhg_problem *p = c->problem;
    spd_base_system *s = &c->base;
    const int64_t numbers = s->blocks * p->K, columns = p->K / s->outputs;
    double *residual = c->residual, *doubt = residual + numbers, most = 0;
    memset(residual, 0, 2 * (size_t)numbers * sizeof *residual);
    for (int64_t k = 0; k < p->K && p->intercept; k++) {
        residual[numbers - p->K + k] = c->v0[k];
        doubt[numbers - p->K + k] = c->e[p->dK + k];
    }
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < p->K && c->routes.base[j] >= 0; k++) {
            const int64_t at = c->routes.base[j] * p->K + k, q = j * p->K + k;
            residual[at] += c->routes.sign[j] * c->excess[q];
            doubt[at] += GENEROUS * c->doubt[q] + 2 * DBL_EPSILON * (fabs(residual[at]) + fabs(c->excess[q]));
        }
    for (int64_t q = 0; q < numbers; q++) residual[q] = fabs(residual[q]) + GENEROUS * doubt[q];
    for (int64_t q = 0; q < numbers; q++) most = fmax(most, residual[q]);
    *E = 0;
    if (most == 0) return true;
    if (!s->G) return false;
    spd_dual_find_slacks(c, shrunk, c->slack);
    s->stop = c->mean.stop = c->stop;
    if (!spd_base_holds(s, c->slack) && !spd_base_prove(s, &c->routes, c->slack, 0, c->threads)) return false;
    *E = spd_base_energy(s, columns, residual);
    if (*E * *E > s->least && isfinite(*E)) { /* rows with too little slack keep their alpha */
        if (!spd_base_prove(s, &c->routes, c->slack, 16 * *E * *E / s->top, c->threads)) return false;
        *E = spd_base_energy(s, columns, residual);
    }
    return *E * *E <= s->least;
}

/* The alphas of a coupled loss always sum to 0 over the outputs, so they cannot change the mean of the residual over the outputs.
 * y has to absorb it, through F U. */
static bool find_mean_energy(spd_certifier *c, double *mean) {
    const spdhg_problem *p = c->problem;
    spd_base_system *s = &c->mean;
    *mean = 0;
    if (p->loss->value || c->base.outputs > 1 || !has_rest(&c->base)) return true;
    if (!s->G || (!spd_base_holds(s, NULL) && !spd_base_prove(s, &c->routes, NULL, 0, c->threads))) return false;
    *mean = spd_base_energy(s, p->K, c->residual);
    return isfinite(*mean);
}

/* The t of the head comment: y is in (1 + t) lambda Y. The polar norm of a block is at most the
 * sum of absolute values, divided by `flattest`. */
static double find_stretch(spd_certifier *c, double E, double mean) {
    const spdhg_problem *p = c->problem;
    double *dy = c->Fq, stretch = 0, largest = 0;
    for (int64_t i = 0; i < p->n && E > 0; i++) largest = fmax(largest, c->base.D[i]);
    for (int64_t j = 0; j < p->d && E > 0; j++) {
        double more = E * sqrt(largest) * c->norm[j];
        for (int64_t t = 0; t < p->terms; t++)
            if (c->base.rest[t]) more += (E + mean) * sqrt(spd_dual_nu(&p->term[t])) * c->F_norm[j];
        for (int64_t k = 0; k < p->K; k++) c->doubt[j * p->K + k] += more;
    }
    memset(dy, 0, (size_t)(p->m * p->K) * sizeof *dy);
    spd_routes_carry(&c->routes, p->d, p->K, c->excess, c->doubt, dy);
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const double rest =
            E > 0 && c->base.rest[t] ? sqrt((double)(term->largest * p->K)) * sqrt(spd_dual_nu(term)) * (E + mean) : 0;
        for (int64_t b = 0; b < term->blocks; b++) {
            double sum = rest;
            for (int64_t r = 0; r < spd_term_block_rows(term, b); r++)
                sum += spd_sum_abs(p->K, dy + term->first + spd_term_block_row(term, b, r) * p->K);
            if (sum > 0) stretch = fmax(stretch, sum / term->flattest / term->lambda); /* infinite if one of them is 0 */
        }
    }
    return GENEROUS * stretch;
}

static bool try_repair(spd_certifier *c, const double *x, double shrunk, spd_repair *out) {
    double E = 0, mean = 0;
    bool good = false, known = false;
    *out = (spd_repair){.shrunk = shrunk, .anchored = c->routes.row};
    if (out->anchored) spd_dual_find_slacks(c, shrunk, c->slack);
    if (out->anchored && !spd_anchors_follow(c)) return false;
    for (int round = 0; round < 2 && !known; round++) { /* the first round may find null vectors and rows outside all routes */
        const int64_t nulls = c->base.nulls + c->mean.nulls;
        const bool rest = has_rest(&c->base);
        find_excess(c, x);
        const bool found =
            find_energy(c, shrunk, &E); /* the second is wanted even if the first fails: it may find null vectors */
        good = find_mean_energy(c, &mean) && found;
        known = nulls == c->base.nulls + c->mean.nulls && rest == has_rest(&c->base);
    }
    if (!good || !known) return false;
    out->energy = E;
    out->stretch = find_stretch(c, E, mean) + spd_dual_outside(c) + GENEROUS * shrunk;
    return isfinite(out->stretch) && (!out->anchored || spd_anchors_reach(c));
}

/* Rows of F absorb every column: alpha is needed for the intercept only, and the repair without a system is cheaper. */
static bool repair_by_rows(spd_certifier *c, const double *x, spd_repair *out) {
    spd_dual_repair_intercept(c, out);
    find_excess(c, x);
    out->stretch += find_stretch(c, 0, 0);
    return isfinite(out->stretch) && isfinite(out->mixed);
}

/* If no alpha has slack, as with the Huber loss when all rows are outliers, (alpha, y) is first shrunk a little. */
bool spd_dual_repair_all(spd_certifier *c, const double *x, spd_repair *out) {
    if (c->routes.bases == 0 && !c->routes.row) return repair_by_rows(c, x, out);
    const size_t tries = c->problem->loss->slack ? sizeof SHRUNK / sizeof *SHRUNK : 1;
    for (size_t i = 0; i < tries; i++)
        if (try_repair(c, x, SHRUNK[i], out)) return true;
    return false;
}

/* The bracket of a coupled loss at any distribution is at most log K + 2 max |z|. */
static double coupled_most(const spdhg_problem *p, const double *z) {
    return log((double)p->K) + 2 * spd_max_abs(p->n * p->K, z);
}

double spd_dual_repair_cost(const spd_certifier *c, const spd_repair *r, const double *z, double loss, double objective) {
    const spdhg_problem *p = c->problem;
    double cost = 0;
    if (r->mixed > 0) cost += r->mixed * (p->loss->value ? fmax(loss - c->least, 0) : coupled_most(p, z));
    pass a = {c, r->shrunk, z};
    if (r->energy > 0)
        cost += r->energy *
                sqrt(spd_block_sum(p->ranks, p->n, c->threads, p->loss->value ? spread_scalar : spread_coupled, &a, c->work));
    if (r->anchored) cost += spd_anchors_cost(c, r->shrunk, z);
    if (r->stretch > 0) cost += r->stretch * fmax(objective - c->least, 0);
    return GENEROUS * cost;
}
