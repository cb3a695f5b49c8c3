/* clock.c - seconds since some fixed moment, which never jump with the wall clock, and those a thread has worked. */
#include <time.h>

#include "core/core.h"

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double spd_now(void) { return read_clock(CLOCK_MONOTONIC); }

double spd_worked(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
