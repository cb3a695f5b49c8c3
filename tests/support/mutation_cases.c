/* mutation_cases.c - loaded in front of a cmocka program by mutation.py: instead of running its cases once, judges mutants by
 * each of them.
 *
 * Every case first runs by itself, unchanged: what it takes, and which mutants it reaches. Then, cheapest case first, it runs
 * once for each mutant it reaches and that no case has caught. All runs are children of one process that has nothing else to
 * do: starting the program, the expensive part of a short test, happens once. A line for each verdict goes to the file of
 * SPDHG_MUTANT_VERDICTS: the number, and the case that failed or "-" where none did. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SHARE = 5, FLOOR = 500000, PATIENCE = 1200, MEMORY = 3 }; /* times the CPU time, microseconds more, seconds at most, GB */

typedef int group_runner(const char *, const struct CMUnitTest *, size_t, CMFixtureFunction, CMFixtureFunction);

typedef struct {
    const struct CMUnitTest *test;
    unsigned char *hit;
    long cpu; /* microseconds */
} unit;

typedef struct {
    group_runner *run;
    CMFixtureFunction setup, teardown;
    struct {
        int active;
        unsigned char hit[];
    } * shared; /* as in mutants.py */
    long mutants;
    FILE *verdicts;
} judge;

static int by_cost(const void *a, const void *b) {
    const long x = ((const unit *)a)->cpu, y = ((const unit *)b)->cpu;
    return (x > y) - (x < y);
}

/* Whether the case fails in a child with this mutant (-1: none, then its CPU time is measured); 2 if it takes too long. */
static int fails(const judge *j, unit *u, int mutant) {
    j->shared->active = mutant;
    const pid_t child = fork();
    if (child == 0) {
        if (mutant >= 0) {
            const long cpu = SHARE * u->cpu + FLOOR;
            const struct rlimit memory = {(rlim_t)MEMORY << 30, (rlim_t)MEMORY << 30};
            setrlimit(RLIMIT_AS, &memory);
            setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {cpu / 1000000, cpu % 1000000}}, NULL);
            setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {PATIENCE, 0}}, NULL);
        }
        _exit(j->run("case", u->test, 1, j->setup, j->teardown) != 0);
    }
    int status = 1;
    struct rusage used;
    wait4(child, &status, 0, &used);
    j->shared->active = -1;
    if (mutant < 0)
        u->cpu = 1000000 * (used.ru_utime.tv_sec + used.ru_stime.tv_sec) + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? 2 : status != 0;
}

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *const tests, const size_t count, CMFixtureFunction setup,
                            CMFixtureFunction teardown) {
    (void)name;
    judge j = {.setup = setup, .teardown = teardown, .verdicts = fopen(getenv("SPDHG_MUTANT_VERDICTS"), "a")};
    *(void **)&j.run = dlsym(RTLD_NEXT, "_cmocka_run_group_tests");
    const int file = open(getenv("SPDHG_MUTANTS"), O_RDWR);
    struct stat size;
    if (!j.verdicts || !j.run || file < 0 || fstat(file, &size) != 0) return 2;
    j.shared = mmap(NULL, (size_t)size.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    j.mutants = size.st_size - (long)sizeof(int);
    /* hit is 2 for a mutant that is to be judged, 1 once it has been reached as well */
    unsigned char *todo = malloc((size_t)j.mutants), *seen = calloc((size_t)j.mutants, 1);
    for (long n = 0; n < j.mutants; n++) todo[n] = j.shared->hit[n] == 2;
    unit *units = calloc(count, sizeof *units);
    for (size_t i = 0; i < count; i++) {
        units[i] = (unit){.test = &tests[i], .hit = malloc((size_t)j.mutants)};
        for (long n = 0; n < j.mutants; n++) j.shared->hit[n] = 0;
        if (fails(&j, &units[i], -1)) return 3; /* without any mutant */
        for (long n = 0; n < j.mutants; n++) seen[n] |= units[i].hit[n] = j.shared->hit[n];
    }
    qsort(units, count, sizeof *units, by_cost);
    for (size_t i = 0; i < count; i++)
        for (long n = 0; n < j.mutants; n++) {
            const int failed = todo[n] && units[i].hit[n] ? fails(&j, &units[i], (int)n) : 0;
            if (!failed) continue;
            todo[n] = 0;
            fprintf(j.verdicts, "%ld %s%s\n", n, units[i].test->name, failed == 2 ? " (time)" : "");
            fflush(j.verdicts);
        }
    for (long n = 0; n < j.mutants; n++)
        if (todo[n] && seen[n]) fprintf(j.verdicts, "%ld -\n", n);
    fclose(j.verdicts);
    return 0;
}
