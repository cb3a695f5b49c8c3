/* failing.h - counts every kind of allocation by the library, and refuses one of them. The linker redirects the calls of the test
 * executable to this file (-Wl,--wrap in cmake/tests.cmake); jansson has its own hooks. */
#ifndef FAILING_H
#define FAILING_H
#include <bzlib.h>
#include <errno.h>
#include <jansson.h>
#include <lzma.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/core.h"

static struct {
    atomic_llong asked, refuse, held; /* requests so far; the one to refuse (0: none); blocks not yet freed */
    bool json_refused;                /* it was jansson's, whose parser drops characters then: bad syntax, or a wrong checksum */
} memory;

static inline bool refused(void) {
    if (atomic_fetch_add(&memory.asked, 1) + 1 != memory.refuse) return false;
    errno = ENOMEM;
    return true;
}

static inline void *counted(void *block) {
    if (block) atomic_fetch_add(&memory.held, 1);
    return block;
}

/* The names are prescribed by the linker. Each calls the real function unless its request is to be refused. */
#define WRAPPED(type, name, parameters, arguments, refusal)                                                                      \
    type __real_##name parameters;                                                                                               \
    type __wrap_##name parameters;                                                                                               \
    type __wrap_##name parameters { return refused() ? (refusal) : __real_##name arguments; }

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return refused() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size) {
    if (refused()) return NULL;
    void *block = __real_realloc(old, size);
    return old ? block : counted(block);
}

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block) {
    if (block) atomic_fetch_sub(&memory.held, 1);
    __real_free(block);
}

WRAPPED(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAPPED(FILE *, fdopen, (int descriptor, const char *mode), (descriptor, mode), NULL)
WRAPPED(int, pthread_create, (pthread_t * thread, const pthread_attr_t *a, void *(*task)(void *), void *context),
        (thread, a, task, context), EAGAIN)
WRAPPED(XXH3_state_t *, XXH3_createState, (void), (), NULL)
WRAPPED(int, inflateInit2_, (z_streamp z, int bits, const char *version, int size), (z, bits, version, size), Z_MEM_ERROR)
WRAPPED(int, BZ2_bzDecompressInit, (bz_stream * z, int verbosity, int small), (z, verbosity, small), BZ_MEM_ERROR)
WRAPPED(lzma_ret, lzma_stream_decoder, (lzma_stream * z, uint64_t limit, uint32_t flags), (z, limit, flags), LZMA_MEM_ERROR)
WRAPPED(ZSTD_DStream *, ZSTD_createDStream, (void), (), NULL)

int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor) { /* these thousands of files need not survive a power failure */
    (void)descriptor;
    return 0;
}

static inline void *json_block(size_t size) {
    if (refused()) memory.json_refused = true;
    return memory.json_refused && memory.asked == memory.refuse ? NULL : counted(malloc(size));
}

static inline void *json_given(size_t size) { return counted(malloc(size)); }

typedef enum mode { GIVE_UP, TRY_AGAIN } mode; /* what the caller does after a refusal */

typedef struct story {
    mode mode;
    bool refused, comparable; /* comparable: the numbers must equal those without a refusal */
    const char *solver;       /* or the path of a data file */
    double number[8];         /* the results */
    spdhg_error err;
    spdhg_status status;
} story;

/* Makes the call, whose error is s->err. After SPDHG_MEMORY it is repeated if the mode says so; otherwise the story ends. */
#define CALL(call)                                                                                                               \
    do {                                                                                                                         \
        const spdhg_status said_ = (call);                                                                                       \
        if (said_ == SPDHG_OK) break;                                                                                            \
        if (!(said_ == SPDHG_MEMORY || memory.json_refused) || s->err.status != said_ || s->refused)                             \
            fail_msg("%s: status %d, '%s', request %lld", #call, (int)said_, s->err.message, (long long)memory.refuse);          \
        s->refused = true;                                                                                                       \
        if (s->mode == GIVE_UP) goto end;                                                                                        \
        if ((call) != SPDHG_OK) fail_msg("%s, again: '%s', request %lld", #call, s->err.message, (long long)memory.refuse);      \
    } while (0)

/* For a call that creates something: after a failure there must be nothing. */
static spdhg_status nothing_or_made(spdhg_status status, const void *out, const char *call) {
    if (status != SPDHG_OK && out) fail_msg("%s: not NULL after a failure, request %lld", call, (long long)memory.refuse);
    return status;
}
#define MAKE(out, call) CALL(((out) = (void *)1, s->status = (call), nothing_or_made(s->status, (out), #call)))
#endif
