/* forced.c - rows whose alpha must be 0. Without a ridge, and for a u with F u = 0, a dual point requires
 *     sum_i w_i alpha_i a_i'u = 0
 * Suppose that each loss never increases in one direction s_i of its score (logistic, hinges: s_i = b_i; a count of 0: s_i = -1).
 * Then s_i alpha_i <= 0. If all s_i a_i'u have the same sign, so have all summands, and alpha_i = 0 wherever a_i'u is not 0. An
 * intercept does not matter, since it is 0 along u.
 * If such a loss decreases forever, f decreases strictly along the first u found, from every x: there is no minimiser, only an
 * infimum (unattained). This does not apply to a hinge, which is 0 beyond a finite margin.
 * The search is repeated: once the rows found are left out, other directions may have only one sign left. `push` moves along
 * these directions until the losses of the rows nearly vanish. An exact solver starts there, which saves it many steps.
 * One u is tried for each connected component of the columns of F, tied by rows with two entries (this includes every graph, and
 * columns without entries in F). F u and a_i'u count as 0 if they are within rounding of 0. Apart from `unattained`, the result
 * only guides the choice of alpha; the gap is computed and checked at the chosen point.
 * If X has a side (nonneg, a half-bounded box), v_j >= 0 or <= 0 takes the place of v_j = 0, and the argument holds for every u
 * along which X is unbounded. */
#include <float.h>

#include "problem/rows.h"
#include "recession/recession.h"

static bool counts(const spdhg_problem *p, int64_t i) { return spd_problem_weight(p, i) > 0; }

/* The direction of row i's score in which its loss never increases; 0: none. */
static double side(const spdhg_problem *p, int64_t i) { return spd_loss_never_rises(p->loss, p->loss_arg, p->b[i]); }

static bool never_rises(const spdhg_problem *p) {
    for (int64_t i = 0; i < p->n && p->K == 1 && p->loss->value && p->loss->slack; i++)
        if (counts(p, i) && side(p, i) != 0) return true;
    return false;
}

typedef struct components {
    int32_t *of; /* column -> component, named by one of its columns */
    double *u;   /* column -> entry of its component's direction; 0 everywhere if the component has none */
    double *low, *high;
    double *sum, *size;  /* for one row: s_i a_i'u, and the sum of its terms' absolute values; 0 between rows */
    int64_t open;        /* components with a direction for which only one sign has occurred so far */
    double b[2], way[2]; /* the last two targets, and the sides of their losses */
} components;

/* Rows with two entries tie their columns; longer rows exclude their columns from all directions. F u = 0 either way. */
static void tie_columns(spd_joins *ties, const spdhg_problem *p) {
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        if (r.term->lambda > 0 && !spd_joins_row(ties, &r.row, 1, 0))
            for (int64_t q = 0; q < r.row.n; q++) spd_joins_zero(ties, r.row.idx[q]);
}

static spdhg_status find_components(components *s, const spdhg_problem *p, spdhg_error *err) {
    spd_joins ties;
    SPD_TRY(spd_joins_new(&ties, p->d, err));
    tie_columns(&ties, p);
    for (int64_t q = 0; q < p->d; q++) {
        double ratio;
        s->of[q] = (int32_t)spd_joins_find(&ties, q, &ratio);
        s->u[q] = spd_joins_is_zero(&ties, s->of[q]) ? 0 : ratio;
    }
    spd_joins_free(&ties);
    return SPDHG_OK;
}

/* side(p, i), which takes four conjugates, once for each label. */
static double side_again(components *s, const spdhg_problem *p, int64_t i) {
    const double b = p->b[i];
    if (b == s->b[0]) return s->way[0];
    if (b != s->b[1]) {
        s->b[1] = b;
        s->way[1] = side(p, i);
    }
    const double kept = s->way[1];
    s->b[1] = s->b[0], s->way[1] = s->way[0];
    s->b[0] = b, s->way[0] = kept;
    return kept;
}

/* Sums s_i a_i'u for every component in which row i has entries. With `widen`, extends low..high by it; else returns whether some
 * component forces the row. A row whose loss increases in both directions extends both ends. */
static bool visit(components *s, const spdhg_problem *p, int64_t i, bool widen) {
    spd_row row;
    spd_problem_row(p, i, &row);
    const double s_i = side_again(s, p, i);
    bool forced = false;
    for (int64_t q = 0; q < row.nnz; q++) {
        const int64_t j = row.idx ? row.idx[q] : q;
        const double part = (s_i != 0 ? s_i : 1) * row.val[q] * s->u[j];
        s->sum[s->of[j]] += part;
        s->size[s->of[j]] += fabs(part);
    }
    const double rounding = (double)(row.nnz + 4) * DBL_EPSILON;
    for (int64_t q = 0; q < row.nnz; q++) {
        const int32_t k = s->of[row.idx ? row.idx[q] : q];
        const double sum = fabs(s->sum[k]) > rounding * s->size[k] ? s->sum[k] : 0;
        const double down = s_i == 0 ? -fabs(sum) : sum, up = s_i == 0 ? fabs(sum) : sum;
        if (widen && (down < s->low[k] || up > s->high[k])) {
            const bool was_open = s->low[k] == 0 || s->high[k] == 0;
            s->low[k] = fmin(s->low[k], down);
            s->high[k] = fmax(s->high[k], up);
            s->open -= was_open && s->low[k] < 0 && s->high[k] > 0;
        } else if (!widen)
            forced |= sum != 0 && (s->low[k] >= 0 || s->high[k] <= 0);
        s->sum[k] = s->size[k] = 0;
    }
    return forced;
}

/* Discards a component if X is bounded along its direction: both signs then count as seen. */
static void stay_in_set(components *s, const spdhg_problem *p) {
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t q = 0; q < p->d; q++) {
        const int32_t k = s->of[q];
        const bool margins_grow = s->low[k] >= 0 && s->high[k] > 0; /* along u; else along -u */
        const double way = margins_grow ? s->u[q] : -s->u[q];
        if ((way > 0 && isfinite(high)) || (way < 0 && isfinite(low))) s->low[k] = -(s->high[k] = INFINITY);
    }
}

/* Sets forced[i] to the number of the sweep that found row i, and along to the sum of the directions found, signed so that
 * margins grow. Stops as soon as both signs have occurred in every component, for most data after a few rows. */
static int64_t sweep(components *s, const spdhg_problem *p, uint8_t number, uint8_t *forced, double *along) {
    int64_t more = 0;
    memset(s->low, 0, (size_t)p->d * sizeof *s->low);
    memset(s->high, 0, (size_t)p->d * sizeof *s->high);
    s->open = 0;
    for (int64_t q = 0; q < p->d; q++) s->open += s->of[q] == q && s->u[q] != 0;
    for (int64_t i = 0; i < p->n && s->open > 0; i++)
        if (counts(p, i) && !forced[i]) visit(s, p, i, true);
    bool found = false;
    stay_in_set(s, p);
    for (int64_t q = 0; q < p->d; q++) {
        const double low = s->low[s->of[q]], high = s->high[s->of[q]];
        along[q] = low >= 0 && high > 0 ? s->u[q] : high <= 0 && low < 0 ? -s->u[q] : 0;
        found |= along[q] != 0;
    }
    for (int64_t i = 0; i < p->n && found; i++)
        if (counts(p, i) && !forced[i] && visit(s, p, i, false)) {
            forced[i] = number;
            more++;
        }
    return more;
}

/* Called for the last sweep first, so that earlier directions can restore the margins that later ones reduced in their rows. */
static void push_along(const spdhg_problem *p, const uint8_t *forced, int number, const double *along, double margin,
                       double *push) {
    double most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (forced[i] != number) continue;
        spd_row row;
        double now, slope;
        spd_problem_row(p, i, &row);
        spd_row_score(p, &row, push, &now);
        row.offset = NULL;
        spd_row_score(p, &row, along, &slope);
        most = fmax(most, (margin - side(p, i) * now) / (side(p, i) * slope));
    }
    if (isfinite(most) && spd_all_finite(p->d, along)) spd_axpy(p->d, most, along, push);
}

/* With F = identity, F u = 0 only for u = 0. */
static bool may_have_directions(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (spd_csr_is_identity(&p->term[t].F->F) && p->term[t].lambda > 0) return false;
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    const bool bounded = !p->set.kind->whole && (!p->set.kind->separable || (isfinite(low) && isfinite(high)));
    return p->gamma == 0 && !bounded && never_rises(p);
}

spdhg_status spd_recession_find(spd_recession *r, const spdhg_problem *p, spdhg_error *err) {
    enum { SWEEPS_MOST = 8 };
    *r = (spd_recession){0};
    if (!may_have_directions(p)) return SPDHG_OK;
    double *along = SPD_NEW(double, SWEEPS_MOST * p->d);
    components s = {.b = {NAN, NAN},
                    .of = SPD_NEW(int32_t, p->d),
                    .u = SPD_NEW(double, p->d),
                    .low = SPD_NEW(double, p->d),
                    .high = SPD_NEW(double, p->d),
                    .sum = SPD_NEW(double, p->d),
                    .size = SPD_NEW(double, p->d)};
    r->forced = SPD_NEW(uint8_t, p->n);
    r->push = SPD_NEW(double, p->d);
    const bool good = along && s.of && s.u && s.low && s.high && s.sum && s.size && r->forced && r->push;
    int sweeps = 0;
    const spdhg_status status =
        good ? find_components(&s, p, err) : spd_fail_memory(err, 8.0 * (double)((7 + SWEEPS_MOST) * p->d + p->n));
    if (status == SPDHG_OK) {
        while (sweeps < SWEEPS_MOST && sweep(&s, p, (uint8_t)(sweeps + 1), r->forced, along + sweeps * p->d) > 0) sweeps++;
        r->unattained = sweeps > 0 && p->loss->falls_for_ever;
        const double margin = r->unattained ? 50 : 2; /* exp(-50) is small even against 1e-10 f(0); a hinge is 0 from 1 on */
        for (int number = sweeps; number > 0; number--)
            push_along(p, r->forced, number, along + (number - 1) * p->d, margin, r->push);
    }
    SPD_FREE_ALL(along, s.of, s.u, s.low, s.high, s.sum, s.size);
    if (sweeps == 0) spd_recession_free(r);
    return status;
}

void spd_recession_free(spd_recession *r) {
    spd_free(r->forced);
    spd_free(r->push);
    *r = (spd_recession){0};
}
