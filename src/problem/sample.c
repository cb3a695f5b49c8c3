/* sample.c - the rows of iteration k: a pure function of (seed, k), independent of threads, restarts and ranks.
 * iid: row i with probability w_i/W (Walker's alias table when weights differ), so that the plain batch mean of phi'(z_i) a_i is
 * unbiased. norm: with p_i = w_i/W and m = sum_i p_i ||a_i||, row i has probability
 *     q_i = p_i (1 + ||a_i||/m)/2
 * and carries the factor p_i/q_i = 2m/(m + ||a_i||), at most 2. A row's gradient is then at most 2m sup|phi'| long, however long
 * the row (docs/theory.md, Importance sampling). shuffle: each epoch visits the rows in its own pseudo-random order; a row
 * carries the factor N w_i/W (docs/problem.md, Intercept, weights, scaling). */
#include "problem/sample.h"

#include "problem/lipschitz.h"

/* Vose's construction: cell i returns i with probability keep[i], otherwise other[i]. O(n). */
static void build_alias(int64_t n, const double *w, double W, double *keep, int64_t *other, int64_t *stack) {
    int64_t small = 0, large = n; /* two stacks that grow towards each other */
    for (int64_t i = 0; i < n; i++) {
        keep[i] = w[i] / W * (double)n;
        other[i] = i;
        if (keep[i] < 1)
            stack[small++] = i;
        else
            stack[--large] = i;
    }
    while (small > 0 && large < n) {
        const int64_t i = stack[--small], j = stack[large];
        other[i] = j;
        keep[j] -= 1 - keep[i];
        if (keep[j] < 1) {
            large++;
            stack[small++] = j;
        }
    }
    /* Left over by rounding: cells that should be exactly full. None has zero weight, because those were paired first. */
    while (large < n) keep[stack[large++]] = 1;
    while (small > 0) {
        const int64_t i = stack[--small];
        if (w[i] > 0) keep[i] = 1;
    }
}

void spd_problem_factors(const spdhg_problem *p, spdhg_sampling sampling, double *f) {
    const bool norm = sampling == SPDHG_SAMPLING_NORM;
    for (int64_t i = 0; i < p->n; i++) f[i] = norm ? spd_problem_norm_factor(p, spd_problem_row_norm(p, i)) : 1;
}

/* The factor and the probability of every row under norm sampling; returns the sum of the latter, 1 up to rounding. */
static double chances(const spdhg_problem *p, double *factor, double *chance) {
    double sum = 0;
    spd_problem_factors(p, SPDHG_SAMPLING_NORM, factor);
    for (int64_t i = 0; i < p->n; i++) sum += chance[i] = spd_problem_share(p, i) / factor[i];
    return sum;
}

spdhg_status spd_sampler_new(spd_sampler *sampler, const spdhg_problem *p, spdhg_sampling sampling, uint64_t seed, int64_t batch,
                             spdhg_error *err) {
    *sampler = (spd_sampler){.problem = p, .sampling = sampling, .seed = seed, .batch = batch};
    const bool norm = sampling == SPDHG_SAMPLING_NORM && p->row_norm_mean > 0;
    if ((!p->weight && !norm) || sampling == SPDHG_SAMPLING_SHUFFLE) return SPDHG_OK;
    sampler->alias_keep = SPD_NEW(double, p->n);
    sampler->alias_other = SPD_NEW(int64_t, p->n);
    sampler->factor = norm ? SPD_NEW(double, p->n) : NULL;
    int64_t *stack = SPD_NEW(int64_t, p->n);
    double *chance = norm ? SPD_NEW(double, p->n) : NULL;
    const bool good = sampler->alias_keep && sampler->alias_other && stack && (!norm || (sampler->factor && chance));
    if (good) {
        const double sum = norm ? chances(p, sampler->factor, chance) : p->W;
        build_alias(p->n, norm ? chance : p->weight, sum, sampler->alias_keep, sampler->alias_other, stack);
    }
    spd_free(stack);
    spd_free(chance);
    if (good) return SPDHG_OK;
    spd_sampler_free(sampler);
    return spd_fail_memory(err, 24.0 * (double)p->n);
}

static int64_t draw_iid(const spd_sampler *s, int64_t draw) {
    uint64_t bits[2];
    spd_random(s->seed, SPD_STREAM_SAMPLE, (uint64_t)draw, bits);
    const int64_t i = spd_below(bits[0], s->problem->n);
    if (!s->alias_keep || spd_uniform(bits[1]) < s->alias_keep[i]) return i;
    return s->alias_other[i];
}

void spd_sampler_draw(const spd_sampler *s, int64_t k, spd_row *row) {
    const spdhg_problem *p = s->problem;
    for (int64_t j = 0; j < s->batch; j++) {
        const int64_t draw = k * s->batch + j;
        if (s->sampling != SPDHG_SAMPLING_SHUFFLE) {
            const int64_t i = draw_iid(s, draw);
            spd_problem_row(p, i, &row[j]);
            if (s->factor) row[j].weight = s->factor[i];
        } else {
            const int64_t i = spd_permute(s->seed, SPD_STREAM_SHUFFLE, (uint64_t)(draw / p->n), p->n, draw % p->n);
            spd_problem_row(p, i, &row[j]);
            row[j].weight = p->weight ? (double)p->n * p->weight[i] / p->W : 1;
        }
    }
}

void spd_sampler_free(spd_sampler *sampler) {
    spd_free(sampler->alias_keep);
    spd_free(sampler->alias_other);
    spd_free(sampler->factor);
    *sampler = (spd_sampler){0};
}

int64_t spd_batch_auto(const spdhg_problem *p, int64_t dual_cost) {
    /* A row costs two passes over its entries (score, gradient) and a few dozen operations for the loss and the draw. */
    const double row_cost = (double)p->K * (2.0 * (double)p->nnz / (double)p->n + 20.0);
    const double batch = round((double)dual_cost / row_cost);
    if (batch < 1) return 1;
    return batch < (double)p->n ? (int64_t)batch : p->n;
}
