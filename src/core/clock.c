/* clock.c - seconds since some fixed moment; never jumps with the wall clock. */
#include <time.h>

#include "core/core.h"

double spd_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
