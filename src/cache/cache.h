/* cache.h - the binary cache of a data set: read whole, written whole, or written from rows that come a chunk at a time. */
#ifndef SPD_CACHE_H
#define SPD_CACHE_H

#include "data/data.h"
#include "text/text.h"

#define SPD_CACHE_MAGIC "\x89SPDHG\r\n"

spdhg_status spd_cache_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_cache_write(const spdhg_data *data, const char *path, spdhg_error *err);

/* ---- spill.c: a cache file from chunks of sparse rows, in constant memory; the same bytes as spd_cache_write gives. */
typedef struct spd_spill spd_spill;
spdhg_status spd_spill_open(spd_spill **out, const char *path, spdhg_error *err); /* path: of the cache file */
/* ptr, idx, val, b and group of the next rows; ptr starts at 0. */
spdhg_status spd_spill_add(spd_spill *spill, const spdhg_data *rows, spdhg_error *err);
/* about: everything that does not belong to a row, such as features, targets and names. shift is added to every index. ask is
 * called with the part that is written; it says whether to go on. */
spdhg_status spd_spill_commit(spd_spill *spill, spdhg_data *about, int32_t shift, bool (*ask)(void *context, double part),
                              void *context, spdhg_error *err);
void spd_spill_free(spd_spill *spill);

#endif
