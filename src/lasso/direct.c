/* direct.c - the minimiser of the model over the set, by the factor of the face: one Newton step where the signs are guessed right.
 *
 *   s_j = A_j'r for the columns of the set; zero columns with |s_j| > lambda are entered one after the other by their coordinate
 *   steps, so that of similar ones some stay out; those that stay have the sign of that step
 *   then  d = -M^-1 (s + lambda sign)  on the face E, all by the factor, without a pass over the data:
 *   a column that would get the other sign stops at 0 and leaves E; if the model does not fall then, all stop where the first one
 *   reaches 0; and once more on the smaller face
 *
 * Whether a zero column is in the wrong place is seen by the proof, which looks at all of them anyway. */
#include "lasso/lasso.h"

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

/* s of these columns. */
static void find_slopes(spd_lasso *a, const int32_t *list, int64_t count) {
    if (a->gram.size > 0)
        for (int64_t q = 0; q < count; q++) a->s[list[q]] = a->gram.s[list[q]];
    else
        spd_matrix_dots(&a->A, a->threads, list, count, a->r, a->s);
    for (int64_t q = 0; q < count && a->gram.size == 0; q++) a->touched += (double)spd_matrix_count(&a->A, list[q]);
}

/* The zero columns that have to enter. */
static int64_t find_entering(const spd_lasso *a, int32_t *list) {
    const double lambda = spd_lasso_lambda(a);
    int64_t count = 0;
    for (int64_t q = 0; q < a->size; q++) {
        const int32_t j = a->set[q];
        if (!a->is_active[j] && fabs(a->s[j]) > lambda) list[count++] = j;
    }
    return count;
}

/* Takes E as the factor's columns. */
static bool follow(spd_lasso *a, double *work) {
    spd_factor *f = &a->factor;
    int32_t *fresh = a->fresh;
    int64_t count = 0;
    if (!a->ready) {
        a->ready = true;
        return spd_factor_make(a, a->now.list, a->now.count, work);
    }
    for (int64_t u = f->n - 1; u >= a->p->intercept; u--)
        if (!a->is_active[f->column[u]]) {
            a->touched += 0.5 * (double)(f->n * f->n);
            spd_factor_remove(f, u);
        }
    for (int64_t q = 0; q < a->now.count; q++)
        if (f->place[a->now.list[q]] < 0) fresh[count++] = a->now.list[q];
    return spd_factor_enter(a, fresh, count, work);
}

/* x += d for those that keep their sign and x = 0 for the others, if the model falls; otherwise as far as the first one reaches 0.
 * If an entering column has the wrong sign, none moves. d becomes what is added, g follows; out: those that leave. */
static void cut(const step *t) {
    const int64_t n = t->f->n;
    double first = 1, *v = t->work, *out = v + 2 * t->f->most;
    for (int64_t u = 0; u < n; u++) {
        out[u] = t->sign[u] != 0 && (t->x[u] + t->d[u]) * t->sign[u] <= 0;
        v[u] = out[u] != 0 ? -t->x[u] : t->d[u];
        if (out[u] != 0) first = fmin(first, t->x[u] != 0 ? -t->x[u] / t->d[u] : 0);
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
        out[u] = out[u] != 0 && (t->x[u] == 0 || -t->x[u] / t->d[u] <= first);
        t->d[u] = out[u] != 0 ? -t->x[u] : first * t->d[u];
        t->g[u] *= 1 - first;
    }
}

/* Takes unknown u from the vectors and the factor. */
static void leave(const step *t, int64_t u) {
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
        for (int64_t u = 0; u < n && whole; u++) whole = t->sign[u] == 0 || (t->x[u] + t->d[u]) * t->sign[u] > 0;
        if (!whole) cut(t);
        spd_axpy(n, 1, t->d, t->x);
        for (int64_t u = n - 1; u >= 0 && !whole; u--)
            if (t->work[2 * t->f->most + u] != 0) leave(t, u);
    }
    return true;
}

/* Minimises the model on the face of the active columns. s and `ones` are slopes where those from `entered` on were 0. False: it has no
 * factor; nothing has moved. */
static bool find(const step *t, int64_t entered, double ones) {
    spd_lasso *a = t->a;
    const double lambda = spd_lasso_lambda(a);
    bool good = follow(a, t->work);
    for (int64_t u = 0; u < t->f->n && good; u++) {
        const int32_t j = t->f->column[u];
        t->x[u] = j < 0 ? 0 : a->now.x[j];
        t->sign[u] = j < 0 ? 0 : copysign(1, t->x[u]);
    }
    for (int64_t q = entered; q < a->now.count && good; q++) t->x[t->f->place[a->now.list[q]]] = 0;
    for (int64_t u = 0; u < t->f->n && good; u++) {
        const int32_t j = t->f->column[u];
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
static double found(const step *t, int32_t j) { return t->f->place[j] < 0 ? 0 : t->x[t->f->place[j]]; }

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
    if (!find(&t, a->now.count, slope_of_ones(a))) return false;
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
    const bool few = (double)entering <= fmax(FEW * (double)active, FEW_LEAST);
    if (active + entering + a->p->intercept > t.f->most) return false;
    if (few)
        spd_lasso_sweeps(a, a->fresh, entering, SWEEPS_FEW, ROUGH);
    else {
        spd_lasso_sweeps(a, a->set, a->size, 1, ROUGH);
        spd_lasso_sweeps(a, a->now.list, a->now.count, SWEEPS_MANY, ROUGH);
        find_slopes(a, a->now.list, a->now.count);
        ones = slope_of_ones(a);
    }
    if (!find(&t, few ? active : a->now.count, ones)) return false;
    for (int64_t q = 0; q < a->now.count; q++) a->now.x[a->now.list[q]] = found(&t, a->now.list[q]);
    if (a->p->intercept) a->now.c += t.x[0];
    spd_lasso_tidy(a);
    return true;
}
