/* hash.h - a hash of a frozen problem, in two parts, mixed into an XXH3 state. */
#ifndef SPD_HASH_H
#define SPD_HASH_H
#include <xxhash.h>

#include "problem/problem.h"

void spd_mix(XXH3_state_t *h, const void *block, int64_t count, size_t size); /* mixes in the count and the block */
void spd_mix_text(XXH3_state_t *h, const char *text);
void spd_hash_data(XXH3_state_t *h, const spdhg_problem *p);    /* rows, targets, weights, offsets, scale */
void spd_hash_problem(XXH3_state_t *h, const spdhg_problem *p); /* loss, ridge, set, intercept, terms */
#endif
