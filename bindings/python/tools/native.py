# native.py - C source of the extension module spdhg._native, made by cffi from include/spdhg.h: native.py HEADER COMPILER OUT.c
# The declarations are what the preprocessor leaves of the header, so that there is no second copy of them.
import os
import subprocess
import sys
import tempfile

import cffi

# What a header alone cannot give: defaults as values, a stop that a thread without the GIL can ask about, BLAS's threads.
EXTRA = """
#define SPDHG_BATCH_AUTO ...
#define SPDHG_BATCH_DEFAULT ...
typedef struct { int stop, listens; void *python; double next; } spdhg_watch;
int spdhg_watch_event(void *user, const spdhg_event *event);
extern "Python" int spdhg_python_event(void *user, const spdhg_event *event);
int spdhg_watch_race(void *user, const spdhg_race_event *event);
extern "Python" int spdhg_python_race(void *user, const spdhg_race_event *event);
spdhg_options spdhg_default_options(void);
spdhg_race_options spdhg_default_race_options(void);
spdhg_path_options spdhg_default_path_options(void);
spdhg_graph_options spdhg_default_graph_options(void);
spdhg_denoise_options spdhg_default_denoise_options(void);
spdhg_read_options spdhg_default_read_options(void);
int spdhg_blas_threads(int threads);
void free(void *block);
"""
SOURCE = """
#include <stdlib.h>
#include <time.h>
#include <spdhg.h>
typedef struct { int stop, listens; void *python; double next; } spdhg_watch;
static int spdhg_python_event(void *user, const spdhg_event *event);
/* Asked many times a second, from any thread: Python is entered only if somebody listens there, or (next > 0: the main thread does
   the work itself) twenty times a second, so that Ctrl-C is heard. */
static int spdhg_watch_due(spdhg_watch *watch) {
    struct timespec now;
    if (watch->next <= 0) return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (seconds < watch->next) return 0;
    watch->next = seconds + 0.05;
    return 1;
}
static int spdhg_watch_event(void *user, const spdhg_event *event) {
    spdhg_watch *watch = user;
    const int heard = watch->listens && event->kind != SPDHG_EVENT_POLL;
    if ((heard || spdhg_watch_due(watch)) && spdhg_python_event(watch->python, event))
        __atomic_store_n(&watch->stop, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&watch->stop, __ATOMIC_RELAXED);
}
static int spdhg_python_race(void *user, const spdhg_race_event *event);
static int spdhg_watch_race(void *user, const spdhg_race_event *event) {
    spdhg_watch *watch = user;
    if (watch->listens && event->what && spdhg_python_race(watch->python, event)) __atomic_store_n(&watch->stop, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&watch->stop, __ATOMIC_RELAXED);
}
/* glibc 2.35 has a second hypot, the same but for errno. The first one lets the wheel be installed where the C library is older; the
   linker's --wrap=hypot leads here (cmake/python.cmake). */
extern double spdhg_hypot(double x, double y);
#if defined(__GLIBC__) && defined(__x86_64__)
__asm__(".symver spdhg_hypot,hypot@GLIBC_2.2.5");
#elif defined(__GLIBC__) && defined(__aarch64__)
__asm__(".symver spdhg_hypot,hypot@GLIBC_2.17");
#else
extern double __real_hypot(double x, double y);
#define spdhg_hypot __real_hypot
#endif
double __wrap_hypot(double x, double y) { return spdhg_hypot(x, y); }
static spdhg_race_options spdhg_default_race_options(void) { return (spdhg_race_options)SPDHG_RACE_OPTIONS; }
static spdhg_options spdhg_default_options(void) { return (spdhg_options)SPDHG_OPTIONS; }
static spdhg_path_options spdhg_default_path_options(void) { return (spdhg_path_options)SPDHG_PATH_OPTIONS; }
static spdhg_denoise_options spdhg_default_denoise_options(void) { return (spdhg_denoise_options)SPDHG_DENOISE_OPTIONS; }
static spdhg_graph_options spdhg_default_graph_options(void) { return (spdhg_graph_options)SPDHG_GRAPH_OPTIONS; }
static spdhg_read_options spdhg_default_read_options(void) { return (spdhg_read_options)SPDHG_READ_OPTIONS; }
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
/* Sets BLAS's own threads and returns how many there were; 0: not OpenBLAS. */
static int spdhg_blas_threads(int threads) {
    if (!openblas_set_num_threads || !openblas_get_num_threads) return 0;
    const int before = openblas_get_num_threads();
    if (before != threads && threads > 0) openblas_set_num_threads(threads);
    return before;
}
"""


def declarations(header, compiler):
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            open(os.path.join(empty, name), "w").close()
        return subprocess.run([compiler, "-E", "-P", "-nostdinc", "-undef", "-I", empty, header], capture_output=True, text=True,
                              check=True).stdout


def main():
    header, compiler, out = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(header, compiler))
    ffi.cdef(EXTRA)
    ffi.set_source("spdhg._native", SOURCE, py_limited_api=True)
    ffi.emit_c_code(out)


main()
