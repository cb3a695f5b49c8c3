/* rng.c - Philox4x32-10 (Salmon et al., SC'11) of Random123: every random number is a pure function of (seed, stream, counter).
 */
#include <Random123/philox.h>

#include "core/core.h"

void spd_random(uint64_t seed, uint64_t stream, uint64_t counter, uint64_t out[2]) {
    const philox4x32_ctr_t c = {{(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const philox4x32_key_t k = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t r = philox4x32(c, k);
    out[0] = (uint64_t)r.v[1] << 32 | r.v[0];
    out[1] = (uint64_t)r.v[3] << 32 | r.v[2];
}

double spd_uniform(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

int64_t spd_below(uint64_t bits, int64_t n) {
    __extension__ typedef unsigned __int128 wide;
    return (int64_t)((wide)bits * (uint64_t)n >> 64);
}

void spd_normal(const uint64_t bits[2], double out[2]) {
    const double u = 1.0 - spd_uniform(bits[0]); /* in (0,1]: the logarithm is finite */
    const double angle = 2.0 * M_PI * spd_uniform(bits[1]);
    const double radius = sqrt(-2.0 * log(u));
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
}

/* A balanced Feistel network on the smallest even number of bits that holds n, walked until it falls below n (at most 4 n values,
 * so under 4 walks on average). Rounds are keyed by (seed, stream, epoch); 6 rounds of Philox output are far from any pattern. */
int64_t spd_permute(uint64_t seed, uint64_t stream, uint64_t epoch, int64_t n, int64_t at) {
    if (n <= 1) return 0;
    int half = 1;
    while ((uint64_t)1 << (2 * half) < (uint64_t)n) half++;
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t value = (uint64_t)at;
    do {
        uint64_t left = value >> half, right = value & mask;
        for (uint64_t round = 0; round < 6; round++) {
            uint64_t mixed[2];
            spd_random(seed ^ (epoch * 0x9E3779B97F4A7C15u), stream << 8 | round, right, mixed);
            const uint64_t next = left ^ (mixed[0] & mask);
            left = right;
            right = next;
        }
        value = left << half | right;
    } while (value >= (uint64_t)n);
    return (int64_t)value;
}
