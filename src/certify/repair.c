/* repair.c - a dual point that is exactly feasible is near; what it costs to go there.
 * alpha and y are rounded numbers, so sum_i w_i alpha_i = 0 (free intercept) and v = 0 (no ridge, no bound) hold only nearly, and a
 * bound that took them to hold could be false: along an x that A and F hardly see, a v of 1e-16 is worth as much as one likes.
 * Nobody needs the exact point itself. It is enough that one exists, and by how much the bound at it can be lower:
 *   intercept alone   alpha of the heavier sign times 1 - tau. The bracket of each loss is convex in alpha: the first bracket grows
 *                     by at most tau (loss - least loss); v moves by tau size_k norm_j. Coupled losses: mixed, by tau, with the one
 *                     distribution that balances.
 *   all of v          what is left of v travels along rows of F (routes.c) and, where they end, into alpha (base_system.c), as
 *                     Delta alpha_i = D_i s_i, sum_i (w_i D_i / W) s_i^2 <= E^2. If |s_i| <= 1 alpha stays in its domain and, by
 *                     convexity again, the first bracket grows by at most
 *                         (1/W) sum_i w_i |s_i| M_i <= E sqrt( (1/W) sum_i w_i M_i^2 / D_i ),   M_i = its larger end at alpha +- D_i
 *                     y may leave its ball by a factor 1 + t; (alpha, y)/(1 + t) is inside, and since alpha = 0, y = 0 has the
 *                     bound `least`, concavity makes the loss of bound at most t (f - least). */
#include <float.h>

#include "certify/certify.h"

enum { AT_ONCE = 256 };
static const double SHRUNK = 1e-8;   /* small against any tolerance that is asked for, and large against rounding */
static const double GENEROUS = 1.01; /* covers the rounding in these few sums of positive numbers */

/* How far alpha_i may go either way: half the distance to the boundary of its domain; the same for all its outputs. Where there is
 * no boundary, as far as alphas are large. (1 - shrunk) alpha_i has shrunk |alpha_i| at the least, for 0 is in the domain. */
static void find_rooms(const spd_certifier *c, double shrunk, double *room) {
    const spdhg_problem *p = c->problem;
    const double usual = spd_max_abs(p->K, c->alpha_size);
    for (int64_t i = 0; i < p->n; i++) {
        double least = usual;
        for (int64_t k = 0; k < p->K; k++) {
            const double a = c->alpha[i * p->K + k];
            if (!p->loss->value)
                least = fmin(least, 0.5 * fmin(a + ((double)k == p->b[i]), 1));
            else if (p->loss->room)
                least = fmin(least, 0.5 * fmax(p->loss->room(a, p->b[i * p->K + k], p->loss_arg), shrunk * fabs(a)));
        }
        room[i] = least > 0 && spd_problem_share(p, i) > 0 && !(c->forced && c->forced[i]) ? least : 0;
    }
}

/* sum_i w_i M_i^2 / D_i / W for a scalar loss. */
static double spread_scalar(const spd_certifier *c, double shrunk, const double *z) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K, nK = p->n * K;
    double sum = 0, at[AT_ONCE], bracket[AT_ONCE], most[AT_ONCE];
    for (int64_t from = 0, count; from < nK; from += count) {
        count = from + AT_ONCE < nK ? AT_ONCE : nK - from;
        memset(most, 0, sizeof most);
        for (int side = -1; side <= 1; side += 2) {
            for (int64_t q = 0; q < count; q++) at[q] = (1 - shrunk) * c->alpha[from + q] + side * c->base.D[(from + q) / K];
            spd_loss_brackets(p->loss, p->loss_arg, count, z + from, p->b + from, at, bracket);
            for (int64_t q = 0; q < count; q++) most[q] = fmax(most[q], bracket[q]);
        }
        for (int64_t q = 0; q < count; q++) {
            const double D = c->base.D[(from + q) / K];
            if (D > 0) sum += spd_problem_share(p, (from + q) / K) * most[q] * (most[q] / D);
        }
    }
    return sum;
}

/* The same for a coupled one: q + D s is at most q + D, its divergence from exp(z)/sum exp(z) at most the positive part of that. */
static double spread_coupled(const spd_certifier *c, const double *z) {
    const spdhg_problem *p = c->problem;
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double D = c->base.D[i], *at = z + i * p->K;
        if (!(D > 0)) continue;
        const double all = at[(int64_t)p->b[i]] + p->loss->value_k(at, p->K, p->b[i]); /* log sum exp */
        double most = 0;
        for (int64_t k = 0; k < p->K; k++) {
            const double q = c->alpha[i * p->K + k] + ((double)k == p->b[i]) + D;
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

/* What has to leave v_j, and how much more or less that may be: all of it, or the part on the side where X has no bound. Columns of a null vector N: all of it,
 * for N'v = 0 has to stay so. With a coupled loss the same direction in all outputs is null unless rows of F see it. */
static void find_excess(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const bool rest = has_rest(&c->base);
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t q = 0; q < p->dK; q++) {
        const double v = c->v[q], e = c->e[q];
        const int32_t base = c->routes.base[q / p->K];
        const bool coupled = !p->loss->value && (!rest || (base >= 0 && spd_base_in_null(&c->mean, base)));
        const bool null = base >= 0 && (coupled || spd_base_in_null(&c->base, base));
        const bool whole = null || (!isfinite(low) && !isfinite(high));
        const bool stays = !whole && (isfinite(low) ? v >= e : v <= -e); /* on the right side, for sure */
        c->excess[q] = whole ? v : stays ? 0 : isfinite(low) ? fmin(v, 0) : fmax(v, 0);
        c->doubt[q] = stays ? 0 : e;
    }
}

static bool find_energy(spd_certifier *c, double shrunk, double *E) {
    const spdhg_problem *p = c->problem;
    spd_base_system *s = &c->base;
    double *residual = c->residual, *doubt = residual + s->n * p->K, most = 0;
    memset(residual, 0, 2 * (size_t)(s->n * p->K) * sizeof *residual);
    for (int64_t k = 0; k < p->K && p->intercept; k++) {
        residual[(s->n - 1) * p->K + k] = c->v0[k];
        doubt[(s->n - 1) * p->K + k] = c->e[p->dK + k];
    }
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < p->K && c->routes.base[j] >= 0; k++) {
            const int64_t at = c->routes.base[j] * p->K + k, q = j * p->K + k;
            residual[at] += c->routes.sign[j] * c->excess[q];
            doubt[at] += GENEROUS * c->doubt[q] + 2 * DBL_EPSILON * (fabs(residual[at]) + fabs(c->excess[q]));
        }
    for (int64_t q = 0; q < s->n * p->K; q++) residual[q] = fabs(residual[q]) + GENEROUS * doubt[q];
    for (int64_t q = 0; q < s->n * p->K; q++) most = fmax(most, residual[q]);
    *E = 0;
    if (most == 0) return true;
    if (!s->G) return false;
    find_rooms(c, shrunk, c->room);
    s->stop = c->mean.stop = c->stop;
    if (!spd_base_holds(s, c->room) && !spd_base_prove(s, &c->routes, c->room, 0, c->threads)) return false;
    *E = spd_base_energy(s, p->K, residual);
    if (*E * *E > s->least && isfinite(*E)) { /* rows with less room than it takes are left as they are */
        if (!spd_base_prove(s, &c->routes, c->room, 16 * *E * *E / s->top, c->threads)) return false;
        *E = spd_base_energy(s, p->K, residual);
    }
    return *E * *E <= s->least;
}

/* The alphas of a coupled loss add up to 0 over the outputs, whatever is done to them: the mean of the residual over the outputs is
 * a product F U with the mean of y, and y has to take it up. */
static bool find_mean_energy(spd_certifier *c, double *mean) {
    const spdhg_problem *p = c->problem;
    spd_base_system *s = &c->mean;
    *mean = 0;
    if (p->loss->value || !has_rest(&c->base)) return true;
    if (!s->G || (!spd_base_holds(s, NULL) && !spd_base_prove(s, &c->routes, NULL, 0, c->threads))) return false;
    *mean = spd_base_energy(s, p->K, c->residual);
    return isfinite(*mean);
}

/* t of the comment above: y is in (1 + t) lambda Y. Each norm of a block is at most the sum of its sizes. */
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
            if (sum > 0) stretch = fmax(stretch, sum / term->lambda); /* infinite where lambda has become 0 */
        }
    }
    return GENEROUS * stretch;
}

static bool try_repair(spd_certifier *c, double shrunk, spd_repair *out) {
    double E = 0, mean = 0;
    bool good = false, known = false;
    *out = (spd_repair){.shrunk = shrunk, .anchored = c->routes.row};
    if (out->anchored) find_rooms(c, shrunk, c->room);
    if (out->anchored && !spd_anchors_follow(c)) return false;
    for (int round = 0; round < 2 && !known; round++) { /* null vectors and rows that are no route's may be found on the way */
        const int64_t nulls = c->base.nulls + c->mean.nulls;
        const bool rest = has_rest(&c->base);
        find_excess(c);
        good = find_energy(c, shrunk, &E) & find_mean_energy(c, &mean);
        known = nulls == c->base.nulls + c->mean.nulls && rest == has_rest(&c->base);
    }
    if (!good || !known) return false;
    out->energy = E;
    out->stretch = find_stretch(c, E, mean) + spd_dual_outside(c) + GENEROUS * shrunk;
    return isfinite(out->stretch) && (!out->anchored || spd_anchors_reach(c));
}

/* Every column has a row of F that takes it: alpha is only wanted for the intercept, and then the way without a system is cheaper. */
static bool repair_by_rows(spd_certifier *c, spd_repair *out) {
    spd_dual_repair_intercept(c, out);
    find_excess(c);
    out->stretch += find_stretch(c, 0, 0);
    return isfinite(out->stretch) && isfinite(out->mixed);
}

/* Where no alpha has room, as with the Huber loss and nothing but outliers, all of (alpha, y) is made a little smaller first. */
bool spd_dual_repair_all(spd_certifier *c, spd_repair *out) {
    if (c->routes.bases == 0 && !c->routes.row) return repair_by_rows(c, out);
    return try_repair(c, 0, out) || (c->problem->loss->room && try_repair(c, SHRUNK, out));
}

/* The bracket of a coupled loss at any distribution is at most log K + 2 max |z|. */
static double coupled_most(const spdhg_problem *p, const double *z) {
    return log((double)p->K) + 2 * spd_max_abs(p->n * p->K, z);
}

double spd_dual_repair_cost(const spd_certifier *c, const spd_repair *r, const double *z, double loss, double objective) {
    const spdhg_problem *p = c->problem;
    double cost = 0;
    if (r->mixed > 0) cost += r->mixed * (p->loss->value ? fmax(loss - c->least, 0) : coupled_most(p, z));
    if (r->energy > 0) cost += r->energy * sqrt(p->loss->value ? spread_scalar(c, r->shrunk, z) : spread_coupled(c, z));
    if (r->anchored) cost += spd_anchors_cost(c, r->shrunk, z);
    if (r->stretch > 0) cost += r->stretch * fmax(objective - c->least, 0);
    return GENEROUS * cost;
}
