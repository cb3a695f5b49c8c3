/* address_space.c - a limited address space (ulimit -v). OpenBLAS maps a buffer of 128 MB for each thread that computes and, if
 * it cannot, tries again forever: when it is loaded for its own threads, later in the first product of the main thread. So the
 * space is tried before any library starts, and the main thread's buffer is made at once, before data can take its place. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli.h"

enum { BUFFER = 128 << 20, STACK = 8 << 20, REST = 32 << 20 }; /* bytes: of a buffer, of a thread, of everything else at start */

/* Weak: undefined if another BLAS is linked. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void cblas_dtrsv(int order, int triangle, int transposed, int unit, int n, const double *A, int stride, double *x,
                        int step) __attribute__((weak));

static bool is_limited(void) {
    struct rlimit space;
    return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

static long threads_of_blas(char **environment) {
    static const char name[] = "OPENBLAS_NUM_THREADS=";
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, sizeof name - 1) == 0 && atol(*environment + sizeof name - 1) > 0)
            return atol(*environment + sizeof name - 1);
    return sysconf(_SC_NPROCESSORS_ONLN);
}

/* Called before the libraries are initialised: neither stdio nor the environment of libc can be used. */
static void try_space(int argc, char **argv, char **environment) {
    (void)argc;
    (void)argv;
    if (!is_limited()) return;
    const long threads = threads_of_blas(environment);
    const size_t bytes = (size_t)(threads > 1 ? threads : 1) * (BUFFER + STACK) + REST;
    void *space = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space != MAP_FAILED) {
        munmap(space, bytes);
        return;
    }
    static const char sentence[] = "spdhg: not enough address space: BLAS needs about 140 MB for each of its threads; raise the "
                                   "limit (ulimit -v), or set OPENBLAS_NUM_THREADS=1\n";
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(SPDHG_MEMORY);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **, char **) = try_space;

void cli_reserve_buffer(void) {
    const double one = 1;
    double x = 1;
    if (is_limited() && openblas_get_num_threads && cblas_dtrsv) cblas_dtrsv(101, 122, 111, 131, 1, &one, 1, &x, 1);
}
