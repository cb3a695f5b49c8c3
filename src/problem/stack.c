/* stack.c - the terms of a problem as one: F = [F_1; F_2; ...], r(z) = sum_t lambda_t r_t(z_t), y in the product of the balls. */
#include "problem/rows.h"

void spd_problem_apply(const spdhg_problem *p, const double *x, double *z) {
    for (int64_t t = 0; t < p->terms; t++) spd_term_apply(&p->term[t], p->K, x, z + p->term[t].first);
}

void spd_problem_add_transposed(const spdhg_problem *p, const double *y, double *g) {
    for (int64_t t = 0; t < p->terms; t++) spd_term_add_transposed(&p->term[t], p->K, y + p->term[t].first, g);
}

void spd_problem_project_dual(const spdhg_problem *p, double *y, double *work) {
    for (int64_t t = 0; t < p->terms; t++) spd_term_project(&p->term[t], p->K, y + p->term[t].first, work);
}

bool spd_problem_can_differentiate(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (!p->term[t].penalty->project_derivative) return false;
    return true;
}

void spd_problem_project_derivative(const spdhg_problem *p, const double *v, double *dir, double *work) {
    for (int64_t t = 0; t < p->terms; t++)
        spd_term_project_derivative(&p->term[t], p->K, v + p->term[t].first, dir + p->term[t].first, work);
}

double spd_problem_penalty(const spdhg_problem *p, const double *z, double *work) {
    double sum = 0;
    for (int64_t t = 0; t < p->terms; t++) sum += spd_term_value(&p->term[t], p->K, z + p->term[t].first, work);
    return sum;
}

void spd_problem_add_gram(const spdhg_problem *p, double (*weight)(const spd_term *), int64_t n, double *M) {
    for (int64_t t = 0; t < p->terms; t++) spd_csr_add_gram(&p->term[t].F->F, p->K, weight(&p->term[t]), n, M);
}

void spd_problem_gram_diagonal(const spdhg_problem *p, double *diagonal) {
    memset(diagonal, 0, (size_t)p->d * sizeof *diagonal);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t q = 0; q < r.row.n; q++) diagonal[r.row.idx[q]] += r.row.val[q] * r.row.val[q];
}

int64_t spd_problem_term_work(const spdhg_problem *p) {
    int64_t most = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const int64_t size = spd_term_work(&p->term[t], p->K);
        if (size > most) most = size;
    }
    return most;
}

/* ---- accelerated projected gradient for a smooth convex function of y in lambda Y (Beck and Teboulle 2009):
 *     y+ = Pi_{lambda Y}(u - s gradient(u))
 *     u+ = y+ + (t - 1)/t+ (y+ - y)
 *     t+ = (1 + sqrt(1 + 4 t^2))/2
 * The caller, who knows the gradient, makes the step in u. */
void spd_accelerated_start(spd_accelerated *a, const spdhg_problem *p) {
    memcpy(a->u, a->y, (size_t)(p->m * p->K) * sizeof *a->u);
    a->t = 1;
}

void spd_accelerated_project(spd_accelerated *a, const spdhg_problem *p, double *work) {
    const size_t bytes = (size_t)(p->m * p->K) * sizeof *a->y;
    memcpy(a->previous, a->y, bytes);
    memcpy(a->y, a->u, bytes);
    spd_problem_project_dual(p, a->y, work);
}

void spd_accelerated_extrapolate(spd_accelerated *a, const spdhg_problem *p) {
    const double next = 0.5 * (1 + sqrt(1 + 4 * a->t * a->t)), momentum = (a->t - 1) / next;
    for (int64_t i = 0; i < p->m * p->K; i++) a->u[i] = a->y[i] + momentum * (a->y[i] - a->previous[i]);
    a->t = next;
}
