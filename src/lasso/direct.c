/* direct.c - the minimiser of the model over the set, by the factor of the face: one Newton step where the signs are guessed
 * right.
 *
 *   s_j = A_j'r for the columns of the set; zero columns with |s_j| > lambda are entered one after the other by their coordinate
 *   steps, so that of similar ones some stay out; those that stay have the sign of that step
 *   then  d = -M^-1 (s + lambda sign)  on the face E, all by the factor, without a pass over the data:
 *   a column that would get the other sign stops at 0, one that would leave X at its side; both leave E. If the model does not
 *   fall then, all stop where the first one does; and once more on the smaller face. A column at a side whose slope points into
 *   X enters
 *
 * Whether a zero column is in the wrong place is seen by the proof, which looks at all of them anyway. */
#include "lasso/sides.h"

enum { REPEATS_MOST = 12, SWEEPS_FEW = 2, SWEEPS_MANY = 6, FEW_LEAST = 12 };
static const double FEW = 0.25;  /* entering columns for each active one: with more, sweeps over both come first */
static const double ROUGH = 0.3; /* slopes of these sweeps, relative to lambda */

/* The vectors of a step by unknowns of the factor. */
typedef struct step {
    spd_lasso *a;
    spd_factor *f;
    double *x, *g, *d, *sign; /* values; slopes with lambda sign, over the factor's scale; direction */
    double *work;             /* three more */
} step;

static double slope_of_ones(const spd_lasso *a) { return a->gram.size > 0 ? a->gram.s[a->p->d] : spd_sum_lanes(a->p->n, a->r); }

/* s of these columns, and where they are. */
static void find_slopes(spd_lasso *a, const int32_t *list, int64_t count) {
    for (int64_t q = 0; q < count; q++) a->at[list[q]] = a->now.x[list[q]];
    if (a->gram.size > 0)
        for (int64_t q = 0; q < count; q++) a->s[list[q]] = a->gram.s[list[q]];
    else
        spd_matrix_dots(&a->A, a->threads, list, count, a->r, a->s);
    for (int64_t q = 0; q < count && a->gram.size == 0; q++) a->touched += (double)spd_matrix_count(&a->A, list[q]);
}

/* The columns at 0 or at a side that have to move. */
static int64_t find_entering(const spd_lasso *a, int32_t *list) {
    const double lambda = spd_lasso_lambda(a);
    int64_t count = 0;
    for (int64_t q = 0; q < a->size; q++) {
        const int32_t j = a->set[q];
        const bool at_side = spd_lasso_at_side(a, a->now.x[j]);
        const double pull = at_side ? spd_lasso_slope_off(a, a->now.x[j], a->s[j]) : spd_lasso_pull(a, a->s[j]) - lambda;
        if ((at_side || !a->is_active[j]) && pull > 0) list[count++] = j;
    }
    return count;
}

/* Whether column j is in E: between 0 and its side, or on the way since its slope was found. */
static bool is_free(const spd_lasso *a, int32_t j) {
    return a->is_active[j] && (!spd_lasso_at_side(a, a->now.x[j]) || a->at[j] != a->now.x[j]);
}

/* Takes E as the factor's columns. */
static bool follow(spd_lasso *a, double *work) {
    spd_factor *f = &a->factor;
    int32_t *fresh = a->fresh;
    int64_t count = 0;
    const bool whole = !a->ready;
    if (whole) spd_factor_drop(f);
    for (int64_t u = f->n - 1; u >= a->p->intercept && !whole; u--)
        if (!is_free(a, f->column[u])) {
            a->touched += 0.5 * (double)(f->n * f->n);
            spd_factor_remove(f, u);
        }
    for (int64_t q = 0; q < a->now.count; q++)
        if (f->place[a->now.list[q]] < 0 && is_free(a, a->now.list[q])) fresh[count++] = a->now.list[q];
    a->ready = true;
    return whole ? spd_factor_make(a, fresh, count, work) : spd_factor_enter(a, fresh, count, work);
}

/* Where unknown u would leave its part of X on the way to x + d; NAN: nowhere. */
static double end_of(const step *t, int64_t u) {
    const double to = (t->x[u] + t->d[u]) * t->sign[u], reach = spd_lasso_reach(t->a, t->sign[u]);
    return t->sign[u] == 0 ? NAN : to <= 0 ? 0 : to > reach ? t->sign[u] * reach : NAN;
}

/* x += d for those that stay between 0 and their side, and as far as there for the others, if the model falls; otherwise as far
 * as the first one gets. If an entering column has the wrong sign, none moves. d becomes what is
 * added, g follows; out: those that leave. */
static void cut(const step *t) {
    const int64_t n = t->f->n;
    double first = 1, *v = t->work, *out = v + 2 * t->f->most;
    for (int64_t u = 0; u < n; u++) {
        const double end = end_of(t, u);
        out[u] = !isnan(end);
        v[u] = out[u] != 0 ? end - t->x[u] : t->d[u];
        if (out[u] != 0) first = fmin(first, v[u] != 0 ? v[u] / t->d[u] : 0);
    }
    const double slope = spd_dot(n, t->g, v);
    memcpy(v + t->f->most, v, (size_t)n * sizeof *v);
    const double square = spd_factor_multiply(t->f, v); /* v = M d / scale */
    if (slope + 0.5 * square < 0) {
        for (int64_t u = 0; u < n; u++) {
            t->d[u] = v[t->f->most + u];
            t->g[u] += v[u];
        }
        return;
    }
    for (int64_t u = 0; u < n; u++) { /* M d = -g */
        const double end = end_of(t, u);
        out[u] = out[u] != 0 && (end == t->x[u] || (end - t->x[u]) / t->d[u] <= first);
        t->d[u] = out[u] != 0 ? end - t->x[u] : first * t->d[u];
        t->g[u] *= 1 - first;
    }
}

/* Takes unknown u, which is at 0 or at a side, from the vectors and the factor. */
static void leave(const step *t, int64_t u) {
    t->a->at[t->f->column[u]] =
        2 * fabs(t->x[u]) > spd_lasso_reach(t->a, t->sign[u]) ? t->sign[u] * spd_lasso_reach(t->a, t->sign[u]) : 0;
    double *const of[] = {t->x, t->g, t->sign};
    const size_t after = (size_t)(t->f->n - u - 1) * sizeof(double);
    for (int i = 0; i < 3; i++) memmove(of[i] + u, of[i] + u + 1, after);
    spd_factor_remove(t->f, u);
    t->a->touched += 0.5 * (double)(t->f->n * t->f->n);
}

/* False: numbers that are no numbers. */
static bool minimise(const step *t) {
    bool whole = false;
    for (int repeat = 0; repeat < REPEATS_MOST && !whole; repeat++) {
        const int64_t n = t->f->n;
        for (int64_t u = 0; u < n; u++) t->d[u] = -t->g[u];
        spd_factor_solve(t->f, t->d);
        t->a->touched += 0.4 * (double)(n * n);
        if (!spd_all_finite(n, t->d)) return false;
        whole = true;
        for (int64_t u = 0; u < n && whole; u++) whole = isnan(end_of(t, u));
        if (!whole) cut(t);
        spd_axpy(n, 1, t->d, t->x);
        for (int64_t u = n - 1; u >= 0 && !whole; u--)
            if (t->work[2 * t->f->most + u] != 0) leave(t, u);
    }
    return true;
}

/* Minimises the model on the face of the active columns. s are slopes where x is `at`, `ones` is that of the intercept. False:
 * it has no factor; nothing has moved. */
static bool find(const step *t, double ones) {
    spd_lasso *a = t->a;
    const double lambda = spd_lasso_lambda(a);
    bool good = follow(a, t->work);
    for (int64_t u = 0; u < t->f->n && good; u++) {
        const int32_t j = t->f->column[u];
        t->x[u] = j < 0 ? 0 : a->at[j];
        t->sign[u] = j < 0 ? 0 : copysign(1, a->now.x[j]);
        t->g[u] = (j < 0 ? ones : a->s[j] + a->p->gamma * t->x[u] + lambda * t->sign[u]) / t->f->scale;
    }
    good = good && minimise(t);
    if (!good) {
        spd_factor_drop(t->f);
        a->ready = false;
    }
    return good;
}

/* Where column j goes to. */
static double found(const step *t, int32_t j) { return t->f->place[j] < 0 ? t->a->at[j] : t->x[t->f->place[j]]; }

static step begin(spd_lasso *a) {
    const int64_t most = a->factor.most;
    double *at = a->face;
    return (step){a, &a->factor, at, at + most, at + 2 * most, at + 3 * most, at + 4 * most};
}

int64_t spd_lasso_direct_work(int64_t d, int64_t most) { return 8 * most + d; }

bool spd_lasso_face_by_factor(spd_lasso *a) {
    const step t = begin(a);
    if (a->now.count + a->p->intercept > t.f->most) return false;
    find_slopes(a, a->now.list, a->now.count);
    if (!find(&t, slope_of_ones(a))) return false;
    const double c = a->p->intercept ? t.x[0] : 0;
    for (int64_t q = 0; q < a->now.count; q++) spd_lasso_move(a, a->now.list[q], found(&t, a->now.list[q]));
    if (c != 0) spd_lasso_shift(a, c);
    return true;
}

bool spd_lasso_direct(spd_lasso *a) {
    const step t = begin(a);
    const int64_t active = a->now.count;
    find_slopes(a, a->set, a->size);
    double ones = slope_of_ones(a);
    const int64_t entering = find_entering(a, a->fresh);
    bool few = (double)entering <= fmax(FEW * (double)active, FEW_LEAST);
    if (active + entering + a->p->intercept > t.f->most) return false;
    if (few) spd_lasso_sweeps(a, a->fresh, entering, SWEEPS_FEW, ROUGH);
    for (int64_t q = 0; q < entering && few; q++)
        few = a->is_active[a->fresh[q]] || a->at[a->fresh[q]] == 0; /* from a side to 0 */
    if (!few) {
        spd_lasso_sweeps(a, a->set, a->size, 1, ROUGH);
        spd_lasso_sweeps(a, a->now.list, a->now.count, SWEEPS_MANY, ROUGH);
        find_slopes(a, a->now.list, a->now.count);
        ones = slope_of_ones(a);
    }
    if (!find(&t, ones)) return false;
    for (int64_t q = 0; q < a->now.count; q++) a->now.x[a->now.list[q]] = found(&t, a->now.list[q]);
    if (a->p->intercept) a->now.c += t.x[0];
    spd_lasso_tidy(a);
    return true;
}
