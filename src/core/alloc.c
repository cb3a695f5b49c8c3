/* alloc.c - zeroed memory, aligned for vector loads, with sizes checked for overflow; and the arenas that solvers use. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/core.h"

enum { ALIGNMENT = 64, ARENA_DOUBLES = 8, HUGE_PAGE = 1 << 21, LARGE = HUGE_PAGE };

/* The number of bytes to allocate, or 0 if count * size overflows. Never 0 for count 0, which must give a valid pointer. */
static size_t bytes_of(int64_t count, size_t size) {
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes)) return 0;
    if (bytes > (size_t)PTRDIFF_MAX - ALIGNMENT) return 0;
    if (bytes == 0) bytes = 1;
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *spd_alloc_sparse(int64_t count, size_t size) {
    const size_t bytes = bytes_of(count, size);
    return bytes ? aligned_alloc(ALIGNMENT, bytes) : NULL;
}

/* Large blocks ask for huge pages: otherwise filling them is mostly page faults. */
void *spd_alloc_raw(int64_t count, size_t size) {
    const size_t bytes = bytes_of(count, size);
    if (bytes < LARGE) return bytes ? aligned_alloc(ALIGNMENT, bytes) : NULL;
    void *block = NULL;
    if (posix_memalign(&block, HUGE_PAGE, bytes) != 0) return NULL;
    madvise(block, bytes, MADV_HUGEPAGE); /* only a hint: failure changes nothing */
    return block;
}

/* Large blocks of nothing but zeros are not written: the kernel drops their pages, and gives others, which are 0, where they are
 * first touched. What is never touched costs nothing. */
static bool drop(char *block, size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = bytes / page * page; /* block begins with a page */
    if (madvise(block, whole, MADV_DONTNEED) != 0) return false;                    /* locked in memory */
    memset(block + whole, 0, bytes - whole);
    return true;
}

void *spd_alloc(int64_t count, size_t size) {
    const size_t bytes = bytes_of(count, size);
    void *block = spd_alloc_raw(count, size);
    if (block && !(bytes >= LARGE && drop(block, bytes))) memset(block, 0, bytes);
    return block;
}

void *spd_grow_raw(void *old, int64_t count, size_t size) {
    const size_t bytes = bytes_of(count, size);
    return bytes ? realloc(old, bytes) : NULL;
}

void *spd_grow(void *old, int64_t old_count, int64_t count, size_t size) {
    const size_t bytes = bytes_of(count, size);
    if (!bytes) return NULL;
    char *block = realloc(old, bytes);
    if (block && count > old_count) memset(block + (size_t)old_count * size, 0, bytes - (size_t)old_count * size);
    return block;
}

void *spd_copy(const void *source, int64_t count, size_t size) {
    void *block = spd_alloc_raw(count, size);
    if (block && count > 0) memcpy(block, source, (size_t)count * size);
    return block;
}

char *spd_strdup(const char *text) { return text ? spd_copy(text, (int64_t)strlen(text) + 1, 1) : NULL; }

void spd_free(void *block) { free(block); }

void spd_free_all(void *const *memory, size_t count) {
    for (size_t i = 0; i < count; i++) spd_free(memory[i]);
}

double *spd_arena_take(spd_arena *arena, int64_t count) {
    double *place = arena->base ? arena->base + arena->used : NULL;
    arena->used += (count + ARENA_DOUBLES - 1) / ARENA_DOUBLES * ARENA_DOUBLES;
    return place;
}

int32_t *spd_arena_int32(spd_arena *arena, int64_t count) { return (int32_t *)(void *)spd_arena_take(arena, (count + 1) / 2); }
int64_t *spd_arena_int64(spd_arena *arena, int64_t count) { return (int64_t *)(void *)spd_arena_take(arena, count); }
