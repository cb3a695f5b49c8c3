/* convert.c - from text of any length to a cache file in constant memory, for formats whose reader can pour its rows out. The
 * bytes are those that reading everything and writing it would give. */
#include "reader/reader.h"

static bool go_on(void *context, double part) {
    const spdhg_read_options *o = context;
    const spdhg_event event = {.kind = SPDHG_EVENT_POLL, .stage = "writing", .part = part};
    return !o->callback || o->callback(o->user, &event) == 0;
}

static spdhg_status pour(spd_reading *r, spd_spill *spill, const char *path, spdhg_error *err) {
    spdhg_data *about;
    SPD_TRY(spd_data_new(&about, err));
    spdhg_status status = r->reader->pour(spill, about, r->stream, &r->inner, err);
    r->o.max_memory = 0;              /* the rows are not in memory */
    about->idx = SPD_NEW(int32_t, 1); /* sparse rows, somewhere else */
    if (status == SPDHG_OK && !about->idx) status = spd_fail_memory(err, sizeof *about->idx);
    if (status == SPDHG_OK) status = spd_reading_finish(r, about, path, err);
    if (status == SPDHG_OK) status = spd_spill_commit(spill, about, about->index_base == 0, go_on, &r->o, err);
    spdhg_data_free(about);
    return status;
}

spdhg_status spd_read_or_pour(spdhg_data **out, const char *path, const char *to, const spdhg_read_options *options,
                              spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    spd_reading r;
    spd_spill *spill = NULL;
    spdhg_status status = spd_reading_open(&r, path, options, err);
    const bool can = status == SPDHG_OK && r.reader->pour && !r.o.targets; /* other targets are for all rows at once */
    if (status == SPDHG_OK && !can) status = spd_reading_all(&r, out, path, err);
    if (can) status = spd_spill_open(&spill, to, err);
    if (can && status == SPDHG_OK) status = pour(&r, spill, path, err);
    spd_spill_free(spill);
    spd_reading_close(&r);
    return status;
}
