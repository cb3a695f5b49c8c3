/* ahead.c - where sweeps converge slowly, their points x_0, ..., x_M on one face lead to
 *     sum_i c_i x_{i+1},   c = argmin || sum_i c_i (x_{i+1} - x_i) ||  with sum_i c_i = 1
 * (Anderson's extrapolation; Bertrand and Massias, AISTATS 2021). It is taken where the model is lower there. Numbers
 * that would change their sign become 0. */
#include "blocks/blocks.h"

static const double RIDGE = 1e-12; /* relative to the trace */

void spd_blocks_ahead_forget(spd_blocks *a) { a->past_count = 0; }

/* The weights c of the last points; false: they are all the same. */
static bool combine(const spd_blocks *a, int64_t numbers, double c[SPD_BLOCK_HISTORY]) {
    enum { M = SPD_BLOCK_HISTORY };
    double U[M * M], trace = 0, sum = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j <= i; j++) {
            const double *u = a->past + i * a->past_size, *v = a->past + j * a->past_size;
            double product = 0;
            for (int64_t q = 0; q < numbers; q++) product += (u[a->past_size + q] - u[q]) * (v[a->past_size + q] - v[q]);
            U[i * M + j] = U[j * M + i] = product;
        }
    for (int i = 0; i < M; i++) trace += U[i * M + i];
    if (!(trace > 0) || !isfinite(trace)) return false;
    for (int i = 0; i < M; i++) {
        U[i * M + i] += RIDGE * trace;
        c[i] = 1;
    }
    if (!spd_cholesky(M, U)) return false;
    spd_cholesky_solve(M, U, c);
    for (int i = 0; i < M; i++) sum += c[i];
    for (int i = 0; i < M; i++) c[i] /= sum;
    return isfinite(sum) && sum != 0;
}

bool spd_blocks_ahead(spd_blocks *a) {
    const int64_t K = a->p->K;
    int64_t numbers = K;
    double c[SPD_BLOCK_HISTORY];
    for (int64_t q = 0; q < a->now.count; q++) numbers += spd_blocks_numbers(a, a->now.list[q]);
    if (numbers > a->past_size || numbers == K) return false;
    if (a->past_count > 0 && a->past_of != a->version) a->past_count = 0;
    a->past_of = a->version;
    spd_blocks_pack(a, a->past + a->past_count++ * a->past_size);
    if (a->past_count <= SPD_BLOCK_HISTORY) return false;
    a->past_count = 0;
    if (!combine(a, numbers, c)) return false;
    double *to = a->past, *x = a->past + SPD_BLOCK_HISTORY * a->past_size;
    for (int64_t q = 0; q < numbers; q++) {
        double sum = 0;
        for (int i = 0; i < SPD_BLOCK_HISTORY; i++) sum += c[i] * a->past[(i + 1) * a->past_size + q];
        to[q] = a->single && q < numbers - K && sum * x[q] <= 0 ? 0 : sum;
    }
    return spd_blocks_try(a, x, to);
}
