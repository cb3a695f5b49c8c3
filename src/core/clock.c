/* clock.c - seconds on a monotonic clock, and seconds of processor time. */
#include <time.h>

#include "core/core.h"

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double spd_now(void) { return seconds_of(CLOCK_MONOTONIC); }
double spd_thread_seconds(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
