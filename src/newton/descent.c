/* descent.c - block coordinate descent, one column at a time, on
 *   g'dx + dx'H dx/2 + lambda r(x + dx),   H = A'CA/W + gamma I + damp D
 * (newGLMNET: Yuan, Ho, Lin, JMLR 2012; grouped: Simon, Friedman, Hastie 2013). With the slope
 *   s = g + A'push + ridge dx
 * and a bound h on the curvature in the block, u = x + dx moves to the minimiser v of
 *   s'(v - u) + h||v - u||^2/2 + lambda r(v)
 * which is
 *   l1:     v_k = shrink(u_k - s_k/h_k, lambda/h_k)
 *   group:  v = w max(0, 1 - lambda/||w||)/h,   w = h u - s,   h = max_k h_k
 * For coupled losses
 *   C_i = diag(p) - pp' <= 2 diag(p(1 - p))
 * because the difference is diagonally dominant. */
#include "newton/descent.h"
#include "problem/rows.h"

enum { ROUNDS_MOST = 20, SWEEPS_MOST = 5, GROWTH_LEAST = 200, TRIALS = 40 };
static const double FINE = 0.05, FLAT = 1e-12; /* FLAT: relative to the largest possible phi'' */

void spd_descent_layout(spd_run *run, spd_descent *a, spd_newton *b) {
    const spdhg_problem *p = run->problem;
    const bool given = spd_problem_columns_given(p);
    const int64_t nK = p->n * p->K, all = p->dK + p->K;
    a->b = b;
    a->made_ptr = spd_arena_int64(&run->work, given ? 0 : p->d + 1);
    a->made_row = spd_arena_int32(&run->work, given ? 0 : p->nnz);
    a->made_val = spd_arena_take(&run->work, given ? 0 : p->nnz);
    a->share = spd_arena_take(&run->work, p->n);
    a->C = spd_arena_take(&run->work, nK);
    a->along = spd_arena_take(&run->work, p->loss->value ? 0 : nK);
    a->push = spd_arena_take(&run->work, nK);
    a->h = spd_arena_take(&run->work, all);
    a->ridge = spd_arena_take(&run->work, p->d + 1);
    a->dx = spd_arena_take(&run->work, all);
    a->slope = spd_arena_take(&run->work, 3 * p->K);
    a->face = spd_arena_take(&run->work, 8 * all);
    a->dense = spd_arena_take(&run->work, 2 * spd_descent_dense(p) * spd_descent_dense(p));
    a->ray = spd_arena_take(&run->work, nK);
    a->thrust = spd_arena_take(&run->work, nK);
    a->place = spd_arena_int64(&run->work, all);
    a->set = spd_arena_int32(&run->work, p->d + 1);
}

/* Stores A by columns. */
static void transpose(spd_descent *a, const spdhg_problem *p) {
    int64_t *ptr = a->made_ptr;
    spd_row row;
    memset(ptr, 0, (size_t)(p->d + 1) * sizeof *ptr);
    for (int64_t i = 0; i < p->n; i++) {
        spd_problem_row(p, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) ptr[(row.idx ? row.idx[q] : q) + 1]++;
    }
    for (int64_t j = 0; j < p->d; j++) ptr[j + 1] += ptr[j];
    for (int64_t i = 0; i < p->n; i++) {
        spd_problem_row(p, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) {
            const int64_t at = ptr[row.idx ? row.idx[q] : q]++;
            a->made_row[at] = (int32_t)i;
            a->made_val[at] = row.val[q];
        }
    }
    memmove(ptr + 1, ptr, (size_t)p->d * sizeof *ptr); /* each position has advanced to the end of its column */
    ptr[0] = 0;
}

/* A by columns: as it was given, the same numbers in the same order, or made of the rows, because scratch is not kept between
 * steps. */
static void find_columns(spd_descent *a, const spdhg_problem *p) {
    const spd_columns_given *given = spd_problem_columns_given(p);
    if (!given) transpose(a, p);
    a->ptr = given ? given->ptr : a->made_ptr;
    a->row = given ? given->row : a->made_row;
    a->val = given ? given->val : a->made_val;
    for (int64_t i = 0; i < p->n; i++) a->share[i] = spd_problem_share(p, i);
}

spd_column spd_descent_column(const spd_descent *a, const spdhg_problem *p, int64_t j) {
    if (j == p->d) return (spd_column){.count = p->n};
    return (spd_column){.count = a->ptr[j + 1] - a->ptr[j], .row = a->row + a->ptr[j], .val = a->val + a->ptr[j]};
}

/* How far the gradient of a column is outside lambda Y. */
static double pull(const spd_descent *a, const spdhg_problem *p, int64_t j) {
    const double *g = a->b->g + j * p->K;
    return (spd_descent_l1(p) ? spd_max_abs(p->K, g) : spd_norm2(p->K, g)) - p->term[0].lambda;
}

/* Selects the nonzero columns and the zero columns with a pull above `beyond`. False if the latter are more than `most`. */
static bool choose(spd_descent *a, const spdhg_problem *p, double beyond, int64_t most) {
    int64_t opened = 0;
    a->size = 0;
    for (int64_t j = 0; j < p->d; j++) {
        const bool zero = spd_max_abs(p->K, a->b->x + j * p->K) == 0;
        if (zero && !(pull(a, p, j) > beyond)) continue;
        if (zero && ++opened > most) return false;
        a->set[a->size++] = (int32_t)j;
    }
    if (p->intercept) a->set[a->size++] = (int32_t)p->d;
    return true;
}

static void choose_columns(spd_descent *a, const spdhg_problem *p) {
    double low = 0, high = 0;
    int64_t nonzero = 0;
    for (int64_t j = 0; j < p->d; j++) {
        nonzero += spd_max_abs(p->K, a->b->x + j * p->K) > 0;
        high = fmax(high, pull(a, p, j));
    }
    const int64_t most = nonzero + GROWTH_LEAST;
    if (choose(a, p, 0, most)) return;
    for (int i = 0; i < TRIALS && high - low > 0.01 * high; i++) { /* finds the smallest pull that leaves few enough columns */
        const double middle = 0.5 * (low + high);
        if (choose(a, p, middle, most))
            high = middle;
        else
            low = middle;
    }
    choose(a, p, high, p->d);
}

static void curvatures(spd_descent *a, const spdhg_problem *p) {
    const int64_t nK = p->n * p->K;
    if (p->loss->value) {
        for (int64_t i = 0; i < nK; i++) a->C[i] = fmax(a->b->curve[i], FLAT * p->kappa_usual);
        return;
    }
    memset(a->along, 0, (size_t)nK * sizeof *a->along);
    for (int64_t i = 0; i < p->n; i++) { /* probabilities: phi' is p minus the unit vector of the class */
        double *C = a->C + i * p->K;
        p->loss->slope_k(a->b->score + i * p->K, p->K, p->b[i], C);
        C[(int64_t)p->b[i]] += 1;
    }
}

/* h and ridge of a column. */
static void bounds(spd_descent *a, const spdhg_problem *p, int64_t j, double damp) {
    const int64_t K = p->K;
    const spd_column c = spd_descent_column(a, p, j);
    double *h = a->h + j * K, most = 0, square = 0;
    memset(h, 0, (size_t)K * sizeof *h);
    for (int64_t q = 0; q < c.count; q++) {
        const int64_t i = c.row ? c.row[q] : q;
        const double *C = a->C + i * K, w = a->share[i] * (c.val ? c.val[q] * c.val[q] : 1);
        square += w;
        for (int64_t k = 0; k < K; k++) h[k] += w * (p->loss->value ? C[k] : 2 * C[k] * (1 - C[k]));
    }
    a->ridge[j] = (j < p->d ? p->gamma : 0) + damp * p->kappa_usual * square;
    for (int64_t k = 0; k < K; k++) most = fmax(most, h[k] += a->ridge[j]);
    for (int64_t k = 0; k < K && !spd_descent_l1(p); k++) h[k] = most;
    a->touched += (double)c.count;
}

void spd_descent_model(spd_descent *a, const spdhg_problem *p, double damp) {
    find_columns(a, p);
    a->touched = (double)p->nnz;
    choose_columns(a, p);
    curvatures(a, p);
    for (int64_t i = 0; i < a->size; i++) bounds(a, p, a->set[i], damp);
    memset(a->dx, 0, (size_t)(p->dK + p->K) * sizeof *a->dx);
    memset(a->push, 0, (size_t)(p->n * p->K) * sizeof *a->push);
}

/* slope += A_j'push */
static void add_slope(spd_descent *a, const spdhg_problem *p, spd_column c) {
    const int64_t K = p->K;
    if (K == 1 && c.row)
        a->slope[0] += spd_gather_dot(c.count, c.row, c.val, a->push);
    else
        for (int64_t q = 0; q < c.count; q++) {
            const double v = c.val ? c.val[q] : 1, *push = a->push + (c.row ? c.row[q] : q) * K;
            for (int64_t k = 0; k < K; k++) a->slope[k] += v * push[k];
        }
    a->touched += 0.5 * (double)c.count;
}

/* Updates push after a column has moved by `step`. */
static void follow(spd_descent *a, const spdhg_problem *p, spd_column c, const double *step) {
    const int64_t K = p->K;
    for (int64_t q = 0; q < c.count; q++) {
        const int64_t i = c.row ? c.row[q] : q;
        const double v = c.val ? c.val[q] : 1, *C = a->C + i * K;
        double *push = a->push + i * K;
        if (p->loss->value) {
            for (int64_t k = 0; k < K; k++) push[k] += a->share[i] * C[k] * v * step[k];
            continue;
        }
        double *along = a->along + i * K, mean = 0;
        for (int64_t k = 0; k < K; k++) mean += C[k] * (along[k] += v * step[k]);
        for (int64_t k = 0; k < K; k++) push[k] = a->share[i] * C[k] * (along[k] - mean);
    }
    a->touched += 0.5 * (double)c.count;
}

/* Writes the minimiser of the block to v. */
static void minimise(const spd_descent *a, const spdhg_problem *p, int64_t j, const double *u, double *v) {
    const int64_t K = p->K;
    const double *h = a->h + j * K, lambda = spd_descent_lambda(p, j);
    for (int64_t k = 0; k < K; k++) v[k] = h[k] * u[k] - a->slope[k];
    const double norm = spd_descent_l1(p) ? 0 : spd_norm2(K, v);
    for (int64_t k = 0; k < K; k++) {
        const double size = spd_descent_l1(p) ? fabs(v[k]) : norm;
        v[k] = h[k] > 0 ? (size > lambda ? v[k] * (1 - lambda / size) / h[k] : 0) : u[k];
    }
}

/* Moves one column; returns h ||step||^2. */
static double move(spd_descent *a, const spdhg_problem *p, int64_t j) {
    const int64_t K = p->K;
    const spd_column c = spd_descent_column(a, p, j);
    double *u = a->slope + K, *v = u + K, gain = 0;
    for (int64_t k = 0; k < K; k++) a->slope[k] = a->b->g[j * K + k] + a->ridge[j] * a->dx[j * K + k];
    add_slope(a, p, c);
    for (int64_t k = 0; k < K; k++) u[k] = a->b->x[j * K + k] + a->dx[j * K + k];
    minimise(a, p, j, u, v);
    for (int64_t k = 0; k < K; k++) {
        v[k] -= u[k];
        gain += a->h[j * K + k] * v[k] * v[k];
        a->dx[j * K + k] = v[k] == -u[k] ? -a->b->x[j * K + k] : a->dx[j * K + k] + v[k];
    }
    if (gain > 0) follow(a, p, c, v);
    return gain;
}

/* Sweeps over all columns of the set, or over the nonzero ones only. */
static double sweep(spd_descent *a, const spdhg_problem *p, bool all) {
    double gain = 0;
    for (int64_t i = 0; i < a->size; i++) {
        const int64_t j = a->set[i];
        bool zero = true;
        for (int64_t k = 0; k < p->K && zero && !all; k++) zero = a->b->x[j * p->K + k] + a->dx[j * p->K + k] == 0;
        if (all || !zero) gain += move(a, p, j);
    }
    return gain;
}

void spd_descent_solve(spd_descent *a, const spdhg_problem *p, double rest) {
    double total = 0;
    for (int i = 0; i < ROUNDS_MOST; i++) {
        const double gain = sweep(a, p, true);
        double more = gain;
        total += gain;
        if (gain <= rest * total) return;
        for (int inner = 0; inner < SWEEPS_MOST && more > 0.1 * gain && !spd_stop_now(a->b->stop); inner++)
            total += more = sweep(a, p, false);
        if (more > 0.1 * gain && rest <= FINE) total += spd_descent_face(a, p);
        if (spd_stop_now(a->b->stop)) return;
    }
}
