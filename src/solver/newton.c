/* newton.c - one vector (x, c), its scores, slopes, curvatures, gradient and line search; shared by the second-order solvers. */
#include "solver/newton.h"

void spd_newton_layout(spd_run *run, spd_newton *b) {
    const spdhg_problem *p = run->problem;
    const int64_t n = p->dK + p->K, nK = p->n * p->K, mK = p->m * p->K;
    int64_t scratch = spd_problem_gradient_work(p);
    if (!run->kind->refuses(p) && spd_problem_normal_size(p) <= 1500 && spd_problem_normal_work(p) > scratch)
        scratch = spd_problem_normal_work(p);
    b->x = spd_arena_take(&run->state, n);
    b->y = spd_arena_take(&run->state, mK);
    b->value = spd_arena_take(&run->work, 1);
    b->penalty = spd_arena_take(&run->work, 1);
    b->g = spd_arena_take(&run->work, n);
    b->score = spd_arena_take(&run->work, nK);
    b->move = spd_arena_take(&run->work, nK);
    b->curve = spd_arena_take(&run->work, nK);
    b->alpha = spd_arena_take(&run->work, nK);
    b->Fx = spd_arena_take(&run->work, mK);
    b->Ftrial = spd_arena_take(&run->work, mK);
    b->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    b->scratch_n = spd_arena_take(&run->work, n);
    b->scratch = spd_arena_take(&run->work, scratch + spd_problem_blocks(p) * (1 + p->K));
}

void spd_newton_start(spd_run *run, spd_newton *b, const double *x0, const double *c0, const double *y0) {
    const spdhg_problem *p = run->problem;
    memset(run->state.base, 0, (size_t)run->state.size * sizeof(double));
    if (x0) memcpy(b->x, x0, (size_t)p->dK * sizeof *x0);
    if (c0 && p->intercept) memcpy(b->x + p->dK, c0, (size_t)p->K * sizeof *c0);
    if (y0) memcpy(b->y, y0, (size_t)(p->m * p->K) * sizeof *y0);
    spd_problem_project_dual(p, b->y, b->term);
}

void spd_newton_output(const spd_run *run, const spd_newton *b, double *x, double *c, double *y) {
    const spdhg_problem *p = run->problem;
    memcpy(x, b->x, (size_t)p->dK * sizeof *x);
    memcpy(c, b->x + p->dK, (size_t)p->K * sizeof *c);
    memcpy(y, b->y, (size_t)(p->m * p->K) * sizeof *y);
}

/* ---- blocks of rows */

typedef struct pass {
    const spdhg_problem *p;
    const spd_newton *b;
    double t;
} pass;

static void loss_block(void *context, int64_t block) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const int64_t K = p->K, first = block * SPD_ROWS_PER_BLOCK,
                  end = first + SPD_ROWS_PER_BLOCK < p->n ? first + SPD_ROWS_PER_BLOCK : p->n;
    double *sum = a->b->scratch + block, *z = a->b->scratch + spd_problem_blocks(p) + block * K;
    *sum = 0;
    for (int64_t i = first; i < end; i++) {
        const double w = p->weight ? p->weight[i] : 1;
        for (int64_t k = 0; k < K; k++) z[k] = a->b->score[i * K + k] + a->t * a->b->move[i * K + k];
        if (w > 0) *sum += w * spd_loss_value(p->loss, p->loss_arg, K, z, p->b + i * p->targets);
    }
}

double spd_newton_loss(spd_run *run, const spd_newton *b, double t) {
    pass a = {.p = run->problem, .b = b, .t = t};
    spd_parallel(run->threads, spd_problem_blocks(run->problem), loss_block, &a);
    return spd_sum(spd_problem_blocks(run->problem), b->scratch) / run->problem->W;
}

static void slope_block(void *context, int64_t block) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const int64_t K = p->K, first = block * SPD_ROWS_PER_BLOCK,
                  end = first + SPD_ROWS_PER_BLOCK < p->n ? first + SPD_ROWS_PER_BLOCK : p->n;
    for (int64_t i = first; i < end; i++) {
        const double *z = a->b->score + i * K, *target = p->b + i * p->targets;
        spd_loss_slope(p->loss, p->loss_arg, K, z, target, a->b->alpha + i * K);
        for (int64_t k = 0; k < K; k++)
            a->b->curve[i * K + k] = p->loss->value ? p->loss->second(z[k], target[k], p->loss_arg) : z[k];
    }
}

/* z = A x + c (+ o): rows x K. */
static void scores(spd_run *run, const double *x, double *z, bool offset) {
    const spdhg_problem *p = run->problem;
    spd_problem_scores(p, run->threads, x, z);
    if (!p->intercept && (offset || !p->data->offset)) return;
    for (int64_t i = 0; i < p->n; i++) {
        const double *o = p->data->offset ? p->data->offset + (p->row ? p->row[i] : i) * p->K : NULL;
        for (int64_t k = 0; k < p->K; k++) z[i * p->K + k] += (p->intercept ? x[p->dK + k] : 0) - (o && !offset ? o[k] : 0);
    }
}

void spd_newton_gradient(spd_run *run, spd_newton *b) {
    const spdhg_problem *p = run->problem;
    scores(run, b->x, b->score, true);
    memset(b->move, 0, (size_t)(p->n * p->K) * sizeof *b->move);
    const double loss = spd_newton_loss(run, b, 0);
    pass a = {.p = p, .b = b};
    spd_parallel(run->threads, spd_problem_blocks(p), slope_block, &a);
    spd_problem_adjoint(p, run->threads, b->alpha, b->g, b->g + p->dK, b->scratch);
    spd_axpy(p->dK, p->gamma, b->x, b->g);
    spd_problem_apply(p, b->x, b->Fx);
    *b->penalty = spd_problem_penalty(p, b->Fx, b->term);
    *b->value = loss + 0.5 * p->gamma * spd_dot(p->dK, b->x, b->x) + *b->penalty;
    run->rows_visited += 2 * p->n;
}

void spd_newton_direction_scores(spd_run *run, spd_newton *b, const double *dx) {
    scores(run, dx, b->move, false);
    run->rows_visited += run->problem->n;
}

bool spd_newton_line_search(spd_run *run, spd_newton *b, const double *dx, const double *Fu, double delta, int halvings) {
    const spdhg_problem *p = run->problem;
    const int64_t mK = p->m * p->K, n = p->dK + (p->intercept ? p->K : 0);
    spd_newton_direction_scores(run, b, dx);
    const double xx = spd_dot(p->dK, b->x, b->x), xd = spd_dot(p->dK, b->x, dx), dd = spd_dot(p->dK, dx, dx);
    double t = 1;
    for (int i = 0; i < halvings; i++, t *= 0.5) {
        for (int64_t e = 0; e < mK; e++) b->Ftrial[e] = b->Fx[e] + t * (Fu[e] - b->Fx[e]);
        const double trial = spd_newton_loss(run, b, t) + 0.5 * p->gamma * (xx + 2 * t * xd + t * t * dd) +
                             spd_problem_penalty(p, b->Ftrial, b->term);
        if (trial <= *b->value + 1e-4 * t * delta + 1e-15 * fabs(*b->value)) {
            spd_axpy(n, t, dx, b->x);
            return spd_norm2(n, dx) * t > 1e-16 * spd_norm2(n, b->x);
        }
    }
    return false;
}
