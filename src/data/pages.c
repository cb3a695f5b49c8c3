/* pages.c - arrays that have addresses, and contents in part only. Pages without contents cannot be read, so that no reader can
 * take them for zeros. */
#include <sys/mman.h>
#include <unistd.h>

#include "data/pages.h"

bool spd_pages_reserve(spd_pages *p, int64_t count, size_t size) {
    p->page = (size_t)sysconf(_SC_PAGESIZE);
    p->size = size;
    p->bytes = ((size_t)count * size / p->page + 1) * p->page;
    p->block = mmap(NULL, p->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p->block == MAP_FAILED) p->block = NULL;
    return p->block;
}

void spd_pages_unmap(spd_pages *p) {
    if (p->block) munmap(p->block, p->bytes);
    p->block = NULL;
}

void spd_pages_turn(const spd_pages *p, int64_t first, int64_t end, bool open) {
    if (!p->block) return;
    const size_t low = (size_t)first * p->size, high = (size_t)end * p->size, page = p->page;
    const size_t a = (open ? low : low + page - 1) / page * page, b = (open ? high + page - 1 : high) / page * page;
    if (a >= b) return;
    if (!open) madvise(p->block + a, b - a, MADV_DONTNEED);
    mprotect(p->block + a, b - a, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}
