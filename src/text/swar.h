/* swar.h - processes eight bytes of text at a time in a 64-bit word ("SIMD within a register"), for the loops that dominate the
 * cost of reading. */
#ifndef SPD_SWAR_H
#define SPD_SWAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 1 in each byte of x that equals the corresponding byte of pattern, otherwise 0. */
static inline uint64_t spd_equal_bytes(uint64_t x, uint64_t pattern) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu, y = x ^ pattern;
    const uint64_t zero = ~(((y & low) + low) | y | low);
    return zero >> 7;
}

/* Converts eight digits to a number at once (Lemire's SWAR); false if not all bytes are digits. */
static inline bool spd_eight_digits(const char *at, uint64_t *number) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t x;
    memcpy(&x, at, sizeof x);
    if (((x & 0xf0f0f0f0f0f0f0f0u) | (((x + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4)) != 0x3333333333333333u)
        return false;
    x -= 0x3030303030303030u;
    x = x * 10 + (x >> 8);
    *number =
        (((x & 0x000000ff000000ffu) * 0x000f424000000064u) + (((x >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >> 32;
    return true;
#else
    (void)at, (void)number;
    return false;
#endif
}

#endif
