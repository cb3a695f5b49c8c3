/* polish.c - a better y for the same alpha. The gap depends on y only through
 *   h*(-g - F'y),   g = A'alpha/W
 * With gamma > 0 this function is smooth, its gradient has the Lipschitz constant ||F||^2/gamma, and
 *   gradient = -F P,   P = Pi_X(-(g + F'y)/gamma)
 * With gamma = 0 and X unbounded, half the squared distance of v to what X allows is minimised instead. With gamma = 0 and X
 * bounded the solver's y is kept. The method is accelerated projected gradient from the solver's y; the best point is kept. On
 * graphs with cycles what is then left of v moves by a maximum flow (chain/balance.c) or, if F is more than a graph, along rows
 * with slack (face/slack_flow.c). */
#include "certify/certify.h"

enum { PUSHES_MOST = 5, STEPS_LEAST = 10, STEPS_MOST = 100, LOOK_EVERY = 5, IDLE_MOST = 2 };
static const double GAIN_LEAST = 0.01; /* relative decrease between two evaluations, else idle */
static const double SETTLED = 1e-12;   /* relative to g: F'y cancels it up to rounding */

/* As many steps as cost about two passes over the data, so that polishing never dominates an evaluation. */
static int steps_of(const spdhg_problem *p) {
    int64_t dual = p->d;
    for (int64_t t = 0; t < p->terms; t++) dual += 2 * spd_csr_nnz(&p->term[t].F->F) + 4 * p->term[t].m;
    const int64_t steps = (4 * p->nnz + 20 * p->n) / (dual + 1);
    return steps < STEPS_LEAST ? STEPS_LEAST : steps > STEPS_MOST ? STEPS_MOST : (int)steps;
}

/* v = g + F'y; returns the function's value and leaves in P the vector with gradient = -F P. */
static double value_at(spd_certifier *c, const double *y) {
    const spdhg_problem *p = c->problem;
    memcpy(c->v, c->g, (size_t)p->dK * sizeof *c->v);
    spd_problem_add_transposed(p, y, c->v);
    if (p->gamma == 0) {
        double low, high;
        spd_set_sides(&p->set, &low, &high);
        for (int64_t q = 0; q < p->dK; q++) c->P[q] = -spd_dual_excess(c->v[q], low, high);
        return 0.5 * spd_dot(p->dK, c->P, c->P);
    }
    for (int64_t q = 0; q < p->dK; q++) c->P[q] = -c->v[q] / p->gamma;
    p->set.kind->project(p->dK, p->set.arg, c->P, c->work);
    return -spd_dot(p->dK, c->v, c->P) - 0.5 * p->gamma * spd_dot(p->dK, c->P, c->P);
}

/* The maximum flow leaves no more of v, summed over the columns, than it must. */
static void flow(spd_certifier *c, double *best_value, double *best) {
    const spdhg_problem *p = c->problem;
    const size_t bytes = (size_t)(p->m * p->K) * sizeof *best;
    if (!c->balance.arena.base && !spd_balance_new(&c->balance, p)) return;
    value_at(c, best);
    memcpy(c->y, best, bytes);
    if (!spd_balance_move(&c->balance, p, c->P, c->y, c->stop)) return;
    const double value = value_at(c, c->y);
    if (!(value < *best_value)) return;
    *best_value = value;
    memcpy(best, c->y, bytes);
}

/* On trees the repair has no choice of rows, and rows with one entry absorb v. best: the y so far, of that value. */
static void push(spd_certifier *c, double best_value, double goal, double *best) {
    const spdhg_problem *p = c->problem;
    const size_t bytes = (size_t)(p->m * p->K) * sizeof *best;
    if (best_value <= goal || p->gamma > 0 || c->absorbs || p->m < p->d) return;
    if (!c->slack_flow.open && !spd_slack_flow_new(&c->slack_flow, p)) return;
    flow(c, &best_value, best);
    for (int round = 0; round < PUSHES_MOST && best_value > goal; round++) {
        value_at(c, best);
        for (int64_t q = 0; q < p->dK; q++) c->P[q] = -c->v[q];
        memcpy(c->y, best, bytes);
        spd_slack_flow_balance(&c->slack_flow, p, c->P, c->y);
        spd_problem_project_dual(p, c->y, c->work);
        const double value = value_at(c, c->y);
        if (!(value < best_value)) return;
        best_value = value;
        memcpy(best, c->y, bytes);
    }
}

void spd_dual_polish(spd_certifier *c, double rest, double objective) {
    const spdhg_problem *p = c->problem;
    const int64_t mK = p->m * p->K;
    const double norm = spd_problem_structure_norm(p);
    const bool absorbed = c->exact && c->absorbs && p->m == p->d; /* dual_without_ridge.c finds this y in one step */
    if (mK == 0 || norm == 0 || (p->gamma == 0 && !c->exact) || absorbed) return;
    const double step = (p->gamma > 0 ? p->gamma : 1) / (norm * norm);
    spd_accelerated a = {.y = c->y, .u = c->Fq + mK, .previous = c->Fq + 2 * mK};
    double *y = c->y, *best = c->best_y, best_value = value_at(c, y);
    const double goal = p->gamma > 0 ? 0.5 * c->enough * objective - rest : 0.5 * SETTLED * SETTLED * spd_dot(p->dK, c->g, c->g);
    if (best_value <= goal || (p->gamma > 0 && c->enough > 0 && best_value + rest > c->worth * objective)) return;
    memcpy(best, y, (size_t)mK * sizeof *y);
    spd_accelerated_start(&a, p);
    const int steps = steps_of(p);
    int idle = 0;
    for (int it = 0; it < steps && idle < IDLE_MOST; it++) {
        value_at(c, a.u);
        spd_problem_apply(p, c->P, c->Fq);
        spd_axpy(mK, step, c->Fq, a.u);
        spd_accelerated_project(&a, p, c->work);
        spd_accelerated_extrapolate(&a, p);
        if (it % LOOK_EVERY != LOOK_EVERY - 1 && it != steps - 1) continue;
        const double value = value_at(c, y), left = p->gamma > 0 ? best_value + rest : best_value;
        idle = value < best_value - GAIN_LEAST * left ? 0 : idle + 1;
        if (value < best_value) {
            best_value = value;
            memcpy(best, y, (size_t)mK * sizeof *y);
        }
        if (best_value <= goal) break;
    }
    push(c, best_value, goal, best);
    memcpy(y, best, (size_t)mK * sizeof *y);
}
