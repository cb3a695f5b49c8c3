/* faults.c - a library to preload (LD_PRELOAD) that lets one call of the process fail, for test_faults.py.
 * SPDHG_FAULT=KIND:N lets the N-th call of KIND fail, SPDHG_FAULT=KIND:N+ that one and all later ones. KIND is
 *     malloc   malloc, calloc, realloc, aligned_alloc, posix_memalign: ENOMEM
 *     mmap     ENOMEM
 *     thread   pthread_create: EAGAIN
 * With SPDHG_FAULT_STILL=1 all clocks stand still, so that two runs write the same bytes.
 * SPDHG_FAULT_COUNT=FILE writes the number of calls of each kind when the process ends. Calls of the C library to itself are
 * not seen; faults of system calls are injected by strace instead.
 * A process that hosts the library, such as an interpreter, calls spdhg_faults_of(PART, KIND, N) instead: then calls count
 * only if they come from the code of a shared object whose path contains PART, and the N-th of them fails. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MALLOC, MMAP, THREAD, KINDS };
static const char *const name[KINDS] = {"malloc", "mmap", "thread"};
static atomic_llong calls[KINDS];
static long long fail_at = -1;
static int fail_kind = -1, fail_on;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

__attribute__((constructor)) static void start(void) {
    const char *fault = getenv("SPDHG_FAULT");
    for (int k = 0; k < KINDS; k++) {
        const size_t length = strlen(name[k]);
        atomic_store(&calls[k], 0); /* what the loader asked for before does not count */
        if (fault && strncmp(fault, name[k], length) == 0 && fault[length] == ':') {
            fail_kind = k;
            fail_at = atoll(fault + length + 1);
            fail_on = strchr(fault, '+') != NULL;
        }
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("SPDHG_FAULT_COUNT");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    char line[80];
    for (int k = 0; k < KINDS; k++) {
        const int size = snprintf(line, sizeof line, "%s %lld\n", name[k], (long long)calls[k]);
        if (write(file, line, (size_t)size) != size) break;
    }
    close(file);
}

/* Where the code of the objects lies whose calls count; none: all calls do. */
enum { OBJECTS = 8 };
static struct {
    const char *part;
    size_t count;
    uintptr_t from[OBJECTS], to[OBJECTS];
} only;

static int find(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!object->dlpi_name || !strstr(object->dlpi_name, only.part)) return 0;
    for (int k = 0; k < object->dlpi_phnum && only.count < OBJECTS; k++) {
        const ElfW(Phdr) *part = object->dlpi_phdr + k;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        only.from[only.count] = object->dlpi_addr + part->p_vaddr;
        only.to[only.count] = only.from[only.count] + part->p_memsz;
        only.count++;
    }
    return 0;
}

/* The number of objects found. n = 0: nothing fails, calls are counted. */
size_t spdhg_faults_of(const char *part, const char *kind, long long n);
long long spdhg_faults_calls(void);

size_t spdhg_faults_of(const char *part, const char *kind, long long n) {
    only.part = part;
    only.count = 0;
    dl_iterate_phdr(find, NULL);
    for (int k = 0; k < KINDS; k++) {
        atomic_store(&calls[k], 0);
        if (strcmp(kind, name[k]) == 0) fail_kind = k;
    }
    fail_at = n;
    fail_on = 0;
    return only.count;
}

long long spdhg_faults_calls(void) { return atomic_load(&calls[fail_kind]); }

static int counts(const void *caller) {
    for (size_t k = 0; k < only.count; k++)
        if ((uintptr_t)caller >= only.from[k] && (uintptr_t)caller < only.to[k]) return 1;
    return only.count == 0;
}

#define fails(kind) fails_for(kind, __builtin_return_address(0))

static int fails_for(int kind, const void *caller) {
    if (!counts(caller)) return 0;
    const long long now = atomic_fetch_add(&calls[kind], 1) + 1;
    return kind == fail_kind && (now == fail_at || (fail_on && now > fail_at));
}

static void *none(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) { return fails(MALLOC) ? none() : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(MALLOC) ? none() : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails(MALLOC) ? none() : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails(MALLOC) ? none() : __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { return fails(MALLOC) ? none() : __libc_memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *block = fails(MALLOC) ? NULL : __libc_memalign(alignment, size);
    if (block) *out = block;
    return block ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "mmap");
    if (!fails(MMAP)) return real(at, size, protection, flags, file, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*task)(void *), void *context) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return fails(THREAD) ? EAGAIN : real(thread, attributes, task, context);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    if (!getenv("SPDHG_FAULT_STILL")) return real(clock, now);
    *now = (struct timespec){.tv_sec = 1000000000};
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
