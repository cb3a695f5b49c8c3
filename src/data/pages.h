/* pages.h - arrays that have addresses, and contents in part only. Private to the room. */
#ifndef SPD_PAGES_H
#define SPD_PAGES_H

#include "core/core.h"

typedef struct spd_pages {
    char *block;
    size_t bytes, page, size; /* size: of an element */
} spd_pages;
bool spd_pages_reserve(spd_pages *pages, int64_t count, size_t size);
void spd_pages_unmap(spd_pages *pages);
/* open: elements first..end-1 may be used. Otherwise the pages that no other element has lose their contents; those at the ends
 * of an open stretch are shared, and stay. */
void spd_pages_turn(const spd_pages *pages, int64_t first, int64_t end, bool open);

#endif
