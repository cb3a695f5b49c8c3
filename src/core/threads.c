/* threads.c - blocks of work on a few threads. Threads live only during a call: nothing to configure, and fork is safe. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/core.h"

enum { MOST_THREADS = 256 };

/* CPUs granted by the control group ("max 100000" or "200000 100000" in cpu.max), rounded up; 0: no limit or no file. */
static int cgroup_cpus(void) {
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!file) return 0;
    char line[64];
    int cpus = 0;
    if (fgets(line, sizeof line, file)) {
        int64_t quota, period;
        const char *end = line + strlen(line);
        const char *rest = spd_parse_int(line, end, &quota);
        if (rest && *rest == ' ' && spd_parse_int(rest + 1, end, &period) && period > 0)
            cpus = (int)((quota + period - 1) / period);
    }
    fclose(file);
    return cpus;
}

int spd_threads(int asked) {
    if (asked > 0) return asked < MOST_THREADS ? asked : MOST_THREADS;
    int64_t wish;
    const char *variable = getenv("OMP_NUM_THREADS");
    if (variable && spd_to_int(variable, &wish) && wish > 0) return wish < MOST_THREADS ? (int)wish : MOST_THREADS;
    cpu_set_t set;
    int cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const int quota = cgroup_cpus();
    if (quota > 0 && quota < cpus) cpus = quota;
    return cpus < MOST_THREADS ? cpus : MOST_THREADS;
}

typedef struct work {
    void (*task)(void *, int64_t);
    void *context;
    int64_t blocks;
    _Atomic int64_t next;
} work;

static void *worker(void *argument) {
    work *w = argument;
    for (;;) {
        const int64_t block = atomic_fetch_add(&w->next, 1);
        if (block >= w->blocks) return NULL;
        w->task(w->context, block);
    }
}

void spd_parallel(int threads, int64_t blocks, void (*task)(void *context, int64_t block), void *context) {
    work w = {.task = task, .context = context, .blocks = blocks};
    atomic_init(&w.next, 0);
    pthread_t thread[MOST_THREADS];
    int started = 0;
    while (started < threads - 1 && started < blocks - 1 && started < MOST_THREADS &&
           pthread_create(&thread[started], NULL, worker, &w) == 0)
        started++;
    worker(&w);
    for (int t = 0; t < started; t++) pthread_join(thread[t], NULL);
}

enum { COPIED = 1 << 16 }; /* numbers of a task */

typedef struct copying {
    const double *from;
    double *into;
    int64_t count;
} copying;

static void copy_block(void *context, int64_t block) {
    const copying *a = context;
    const int64_t at = block * COPIED, left = a->count - at;
    memcpy(a->into + at, a->from + at, (size_t)(left < COPIED ? left : COPIED) * sizeof *a->into);
}

void spd_parallel_copy(int threads, int64_t count, const double *from, double *into) {
    spd_parallel(threads, (count + COPIED - 1) / COPIED, copy_block, &(copying){from, into, count});
}
