/* sample.h - the rows that iteration k uses, a pure function of (seed, k). */
#ifndef SPD_SAMPLE_H
#define SPD_SAMPLE_H
#include "problem/problem.h"

typedef struct spd_sampler {
    const spdhg_problem *problem;
    spdhg_sampling sampling;
    uint64_t seed;
    int64_t batch;
    double *alias_keep; /* Walker's alias table over the probabilities; NULL where all are equal */
    int64_t *alias_other;
    double *factor; /* norm: p_i/q_i of every row; NULL: 1 */
} spd_sampler;
spdhg_status spd_sampler_new(spd_sampler *sampler, const spdhg_problem *p, spdhg_sampling sampling, uint64_t seed, int64_t batch,
                             spdhg_error *err);
void spd_sampler_draw(const spd_sampler *sampler, int64_t k, spd_row *row); /* fills `batch` rows */
void spd_sampler_free(spd_sampler *sampler);
/* --batch auto: the number of rows for which the sample half and the dual half of an iteration touch about as many numbers. */
int64_t spd_batch_auto(const spdhg_problem *p, int64_t dual_cost);
#endif
