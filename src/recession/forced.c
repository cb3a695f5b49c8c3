/* forced.c - rows whose alpha must be 0. Without ridge, along u with F u = 0 a dual point needs sum_i w_i alpha_i a_i'u = 0;
 * where a loss never rises with the margin (logistic, hinges: b_i alpha_i <= 0) and all b_i a_i'u have one sign, each term has:
 * alpha_i = 0 wherever a_i'u is not 0. An intercept changes nothing: it is 0 along u. The logistic loss falls for ever, so along
 * the first u found f falls strictly from every x: no minimiser exists, only an infimum (unattained). A hinge is 0 from a
 * finite margin on and says nothing of the kind. Rows found take further directions' other sign away, so it repeats. push goes
 * so far along them that these rows lose next to nothing: where an exact solver starts instead of walking there step by step. The
 * u tried: one per connected component of the columns of F, where rows with two entries tie them together (every graph; also
 * columns F does not touch). F u and a_i'u within rounding of 0 count as 0. Apart from unattained, what is found only guides
 * the choice of alpha; the gap is computed, and checked, from the point chosen. */
#include <float.h>

#include "recession/recession.h"

static bool never_rises(const spdhg_problem *p) {
    return p->K == 1 && p->loss->classify && p->loss->value && isinf(p->loss->conjugate(1e-9, 1, p->loss_arg)) &&
           isinf(p->loss->conjugate(-1e-9, -1, p->loss_arg));
}

typedef struct components {
    int32_t *of; /* column -> component, named by one of its columns */
    double *u;   /* column -> entry of its component's direction; 0 everywhere if the component has none */
    double *low, *high;
    double *sum, *size; /* of b_i a_i'u for a row, and of its terms; 0 between rows */
    int64_t open;       /* components with a direction that have not shown both signs yet */
} components;

/* Rows with two entries tie their columns, any other row leaves no direction through its columns; F u = 0 either way. */
static void tie_columns(spd_joins *ties, const spdhg_problem *p) {
    double ratio;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        for (int64_t e = 0; e < F->m && p->term[t].lambda > 0; e++) { /* never the identity: its rows leave no direction */
            const int64_t first = F->ptr[e], entries = F->ptr[e + 1] - first;
            if (entries == 2 && F->val[first] != 0 && F->val[first + 1] != 0)
                spd_joins_add(ties, F->idx[first], F->idx[first + 1], F->val[first], F->val[first + 1]);
            else
                for (int64_t q = first; q < F->ptr[e + 1]; q++) ties->zero[spd_joins_find(ties, F->idx[q], &ratio)] = true;
        }
    }
}

static spdhg_status find_components(components *s, const spdhg_problem *p, spdhg_error *err) {
    spd_joins ties;
    SPD_TRY(spd_joins_new(&ties, p->d, err));
    tie_columns(&ties, p);
    for (int64_t q = 0; q < p->d; q++) {
        double ratio;
        s->of[q] = (int32_t)spd_joins_find(&ties, q, &ratio);
        s->u[q] = ties.zero[s->of[q]] ? 0 : ratio;
    }
    spd_joins_free(&ties);
    return SPDHG_OK;
}

/* Every component that row i touches, its part of b_i a_i'u summed: widens low..high by it, or says whether it forces the row. */
static bool visit(components *s, const spdhg_problem *p, int64_t i, bool widen) {
    spd_row row;
    spd_problem_row(p, i, &row);
    bool forced = false;
    for (int64_t q = 0; q < row.nnz; q++) {
        const int64_t j = row.idx ? row.idx[q] : q;
        const double part = p->b[i] * row.val[q] * s->u[j];
        s->sum[s->of[j]] += part;
        s->size[s->of[j]] += fabs(part);
    }
    const double rounding = (double)(row.nnz + 4) * DBL_EPSILON;
    for (int64_t q = 0; q < row.nnz; q++) {
        const int32_t k = s->of[row.idx ? row.idx[q] : q];
        const double sum = fabs(s->sum[k]) > rounding * s->size[k] ? s->sum[k] : 0;
        if (widen) {
            s->open -= (sum < 0 && s->low[k] == 0 && s->high[k] > 0) || (sum > 0 && s->high[k] == 0 && s->low[k] < 0);
            s->low[k] = sum < s->low[k] ? sum : s->low[k];
            s->high[k] = sum > s->high[k] ? sum : s->high[k];
        } else
            forced |= sum != 0 && (s->low[k] >= 0 || s->high[k] <= 0);
        s->sum[k] = s->size[k] = 0;
    }
    return forced;
}

static bool counts(const spdhg_problem *p, int64_t i) { return !p->weight || p->weight[i] > 0; }

/* forced[i] becomes the number of the sweep that found row i; along = the sum of the directions found, signed so that margins
 * grow. It ends as soon as every component has shown both signs: of most data that is after a few rows. */
static int64_t sweep(components *s, const spdhg_problem *p, uint8_t number, uint8_t *forced, double *along) {
    int64_t more = 0;
    memset(s->low, 0, (size_t)p->d * sizeof *s->low);
    memset(s->high, 0, (size_t)p->d * sizeof *s->high);
    s->open = 0;
    for (int64_t q = 0; q < p->d; q++) s->open += s->of[q] == q && s->u[q] != 0;
    for (int64_t i = 0; i < p->n && s->open > 0; i++)
        if (counts(p, i) && !forced[i]) visit(s, p, i, true);
    bool found = false;
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

/* The last sweep's rows first: earlier directions then make up for what later ones took from their own rows. */
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
        most = fmax(most, (margin - p->b[i] * now) / (p->b[i] * slope));
    }
    if (isfinite(most) && spd_all_finite(p->d, along)) spd_axpy(p->d, most, along, push);
}

spdhg_status spd_recession_forced(const spdhg_problem *p, uint8_t **forced, double **push, bool *unattained, spdhg_error *err) {
    enum { SWEEPS_MOST = 8 };
    if (!p->set.kind->whole || !never_rises(p)) return SPDHG_OK;
    double *along = SPD_NEW(double, SWEEPS_MOST * p->d);
    components s = {.of = SPD_NEW(int32_t, p->d),
                    .u = SPD_NEW(double, p->d),
                    .low = SPD_NEW(double, p->d),
                    .high = SPD_NEW(double, p->d),
                    .sum = SPD_NEW(double, p->d),
                    .size = SPD_NEW(double, p->d)};
    *forced = SPD_NEW(uint8_t, p->n);
    *push = SPD_NEW(double, p->d);
    const bool good = along && s.of && s.u && s.low && s.high && s.sum && s.size && *forced && *push;
    int sweeps = 0;
    const spdhg_status status =
        good ? find_components(&s, p, err) : spd_fail_memory(err, 8.0 * (double)((7 + SWEEPS_MOST) * p->d + p->n));
    if (status == SPDHG_OK) {
        while (sweeps < SWEEPS_MOST && sweep(&s, p, (uint8_t)(sweeps + 1), *forced, along + sweeps * p->d) > 0) sweeps++;
        *unattained = sweeps > 0 && p->loss->falls_for_ever;
        const double margin = *unattained ? 50 : 2; /* exp(-50), against f(0) 1e-10 as well; a hinge is 0 from 1 on */
        for (int number = sweeps; number > 0; number--)
            push_along(p, *forced, number, along + (number - 1) * p->d, margin, *push);
    }
    void *const arrays[] = {along, s.of, s.u, s.low, s.high, s.sum, s.size};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) spd_free(arrays[i]);
    if (sweeps == 0) {
        spd_free(*forced);
        spd_free(*push);
        *forced = NULL;
        *push = NULL;
    }
    return status;
}
