/* read.c - from a path to a checked data set: detects the format, calls its reader, gets the targets; and writes data sets.
 * The format is decided by, in this order: the format asked for, the content, the file name's extension. If none of them decides,
 * it is LIBSVM, whose reader reports what is wrong. */
#include <strings.h>

#include "reader/reader.h"

static bool ends_with(const char *path, size_t length, const char *ending) {
    const size_t tail = strlen(ending);
    return length > tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

/* Length of the path without a final .gz, .bz2, .xz or .zst. */
static size_t stem_length(const char *path) {
    static const char *const compressed[] = {".gz", ".bz2", ".xz", ".zst"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (ends_with(path, length, compressed[i])) return length - strlen(compressed[i]);
    return length;
}

static const spd_reader *by_ending(const char *path) {
    int entries;
    const spd_reader *table = spd_reader_table(&entries);
    for (int i = 0; i < entries; i++)
        for (const char *const *ending = table[i].ending; *ending; ending++)
            if (ends_with(path, stem_length(path), *ending)) return &table[i];
    return NULL;
}

static spdhg_status by_name(const char *format, const spd_reader **out, spdhg_error *err) {
    int entries;
    const spd_reader *table = spd_reader_table(&entries);
    for (int i = 0; i < entries; i++)
        if (strcmp(table[i].name, format) == 0) {
            *out = &table[i];
            return SPDHG_OK;
        }
    return spd_unknown(err, "format", format, table, entries, sizeof *table);
}

static spdhg_status choose(spd_stream *stream, const spdhg_read_options *o, const spd_reader **out, spdhg_error *err) {
    const char *format = o->hash ? "libsvm" : o->format;
    if (format && strcmp(format, "auto") != 0) return by_name(format, out, err);
    const char *head;
    size_t size;
    SPD_TRY(spd_stream_peek(stream, &head, &size, err));
    SPD_TRY(spd_foreign_check(head, size, spd_stream_path(stream), err));
    int entries;
    const spd_reader *table = spd_reader_table(&entries);
    for (int i = 0; i < entries; i++)
        if (table[i].recognise(head, size)) {
            *out = &table[i]; /* a column of numbers may be labels, or have a header if an option says so */
            return o->header >= 0 && strcmp(table[i].name, "libsvm") == 0 ? by_name("csv", out, err) : SPDHG_OK;
        }
    *out = by_ending(spd_stream_path(stream));
    if (!*out) *out = &table[0];
    return SPDHG_OK;
}

/* Reads rows x columns numbers from a Matrix Market file, a CSV with a header, or plain lines of numbers. */
static spdhg_status read_targets(const char *path, double **out, int64_t *rows, int64_t *columns, spdhg_error *err) {
    spd_stream *stream;
    SPD_TRY(spd_stream_open(&stream, path, err));
    const char *head;
    size_t size;
    spdhg_read_options all_columns = SPDHG_READ_OPTIONS;
    all_columns.unlabelled_ok = all_columns.no_label = true;
    spdhg_data *data = NULL;
    spdhg_status status = spd_stream_peek(stream, &head, &size, err);
    const spd_reader *reader = status == SPDHG_OK ? spd_table_of_numbers(head, size) : NULL;
    if (reader) status = reader->read(&data, stream, &all_columns, err);
    spd_stream_close(stream);
    if (status != SPDHG_OK) return status;
    if (!reader) return spd_numbers_read(path, out, rows, columns, err);
    *rows = data->rows;
    *columns = data->features;
    *out = data->val;
    if (data->idx)
        status = spd_fail(err, SPDHG_DATA, "%s: targets must be a dense table", path);
    else
        data->val = NULL;
    spdhg_data_free(data);
    return status;
}

static spdhg_status replace_targets(spdhg_data *data, const char *path, spdhg_error *err) {
    double *b = NULL;
    int64_t rows, columns;
    SPD_TRY(read_targets(path, &b, &rows, &columns, err));
    if (rows != data->rows && columns == data->rows && rows == 1) { /* one line of N numbers */
        rows = columns;
        columns = 1;
    }
    if (rows != data->rows) {
        spd_free(b);
        return spd_fail(err, SPDHG_DATA, "%s: %lld rows of targets for %lld rows of data", path, (long long)rows,
                        (long long)data->rows);
    }
    spd_free(data->b);
    data->b = b;
    data->targets = columns;
    data->first_line = 0; /* the targets are on lines of another file */
    for (int64_t i = 0; i < data->labels; i++) spd_free(data->label[i]);
    spd_free(data->label);
    data->label = NULL;
    data->labels = 0;
    return SPDHG_OK;
}

/* Steps common to all formats. */
static spdhg_status finish(spdhg_data *data, const char *path, const spdhg_read_options *o, spdhg_error *err) {
    if (data->rows == 0)
        return spd_fail(err, SPDHG_DATA, "%s: has no rows%s", path, data->columns ? " below its line of names" : "");
    if (o->targets) SPD_TRY(replace_targets(data, o->targets, err));
    if (data->targets == 0 && !o->unlabelled_ok && o->like && o->like->targets > 0)
        return spd_fail(err, SPDHG_DATA, "%s: the target, column '%.60s', is missing", path, o->like->target[0]);
    if (data->targets == 0 && !o->unlabelled_ok)
        return spd_fail(err, SPDHG_DATA, "%s: no labels in it, and no file of targets was given", path);
    if (o->features > INT32_MAX) return spd_fail(err, SPDHG_USAGE, "features: at most %d are possible", INT32_MAX);
    if (o->features > data->features) {
        if (!data->idx)
            return spd_fail(err, SPDHG_DATA, "%s: has %lld features, %lld are needed (by the model, or by --features)", path,
                            (long long)data->features, (long long)o->features);
        if (data->name) {
            char **name = spd_grow(data->name, data->features, o->features, sizeof *name);
            if (!name) return spd_fail_memory(err, 8 * (double)o->features);
            data->name = name;
            for (int64_t j = data->features; j < o->features; j++)
                if (!(name[j] = spd_strdup(""))) return spd_fail_memory(err, 1);
        }
        data->features = o->features;
    }
    if (o->max_memory && spd_data_bytes(data) > (double)o->max_memory)
        return spd_fail(err, SPDHG_MEMORY, "%s: needs %.4g MB, the limit is %.4g MB (--max-memory)", path,
                        spd_data_bytes(data) / 1e6, (double)o->max_memory / 1e6);
    data->source = spd_strdup(path);
    return data->source ? SPDHG_OK : spd_fail_memory(err, (double)strlen(path));
}

/* Replaces the reader's names by those of a file. */
static spdhg_status take_names(spdhg_data *data, spd_name_list *names, const char *path, const char *names_path,
                               spdhg_error *err) {
    if (names->count != data->features)
        return spd_fail(err, SPDHG_DATA, "%s: %lld names, but %s has %lld features: a line for each is expected", names_path,
                        (long long)names->count, path, (long long)data->features);
    for (int64_t k = 0; data->columns && k < data->columns->count; k++)
        if (data->columns->column[k].features != 1 || data->columns->column[k].category)
            return spd_fail(err, SPDHG_USAGE,
                            "--names: column '%.60s' of %s has several features; give the table a header instead",
                            data->columns->column[k].name, path);
    spd_texts_free(data->name, data->features);
    data->name = names->name;
    *names = (spd_name_list){0};
    spdhg_columns *columns = spd_schema_numbers(data->name, data->features);
    if (!columns) return spd_fail_memory(err, 8.0 * (double)data->features);
    spd_schema_free(data->columns);
    data->columns = columns;
    return SPDHG_OK;
}

/* Formats without columns have features by index, as a model knows them. Names, if both have them, must agree. */
static spdhg_status check_names(const spdhg_data *data, const char *path, const spdhg_columns *like, spdhg_error *err) {
    if (!data->name || !like->named || data->features < like->features) return SPDHG_OK;
    char **expected = spd_schema_names(like);
    if (!expected) return spd_fail_memory(err, 8.0 * (double)like->features);
    spdhg_status status = SPDHG_OK;
    for (int64_t j = 0; status == SPDHG_OK && j < like->features; j++)
        if (data->name[j][0] && strcmp(data->name[j], expected[j]) != 0)
            status = spd_fail(err, SPDHG_DATA, "%s: feature %lld is called '%.60s', but '%.60s' in the model", path,
                              (long long)j + data->index_base, data->name[j], expected[j]);
    spd_texts_free(expected, like->features);
    return status;
}

static void tell(void *options, double part) {
    const spdhg_read_options *o = options;
    o->callback(o->user, &(spdhg_event){.kind = SPDHG_EVENT_POLL, .stage = "reading", .part = part});
}

spdhg_status spd_reading_open(spd_reading *r, const char *path, const spdhg_read_options *options, spdhg_error *err) {
    *r = (spd_reading){.o = SPDHG_READ_OPTIONS};
    spdhg_read_options *o = &r->o;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_read_options, o, options, err));
    if (o->index_base < -1 || o->index_base > 1)
        return spd_fail(err, SPDHG_USAGE, "index base %d, expected 0, 1 or -1", o->index_base);
    SPD_TRY(spd_hash_check(o, err));
    if (o->names) SPD_TRY(spd_names_read(&r->names, o->names, err));
    r->inner = *o; /* with a file of targets, the rows need no labels */
    r->inner.unlabelled_ok = o->unlabelled_ok || o->targets;
    SPD_TRY(spd_stream_open(&r->stream, path, err));
    if (o->callback) spd_stream_follow(r->stream, tell, o);
    return choose(r->stream, o, &r->reader, err);
}

void spd_reading_close(spd_reading *r) {
    spd_stream_close(r->stream);
    spd_names_free(&r->names);
}

spdhg_status spd_reading_finish(spd_reading *r, spdhg_data *data, const char *path, spdhg_error *err) {
    if (data->idx && r->names.count > r->o.features) r->o.features = r->names.count; /* rows may lack the last ones */
    SPD_TRY(finish(data, path, &r->o, err));
    if (r->o.names) SPD_TRY(take_names(data, &r->names, path, r->o.names, err));
    if (r->o.like && !data->columns) SPD_TRY(check_names(data, path, r->o.like, err));
    data->format = r->reader->name;
    return SPDHG_OK;
}

spdhg_status spd_reading_all(spd_reading *r, spdhg_data **out, const char *path, spdhg_error *err) {
    const double began = spd_now();
    spdhg_status status = r->reader->read(out, r->stream, &r->inner, err);
    if (status == SPDHG_OK) status = spd_reading_finish(r, *out, path, err);
    if (status == SPDHG_OK) {
        (*out)->read_seconds = spd_now() - began;
        return SPDHG_OK;
    }
    spdhg_data_free(*out);
    *out = NULL;
    return status;
}

spdhg_status spdhg_data_read(spdhg_data **out, const char *path, const spdhg_read_options *options, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    spd_reading r;
    spdhg_status status = spd_reading_open(&r, path, options, err);
    if (status == SPDHG_OK) status = spd_reading_all(&r, out, path, err);
    spd_reading_close(&r);
    return status;
}

spdhg_status spdhg_data_write(const spdhg_data *data, const char *path, const char *format, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    spd_data_whole(data);
    const spd_reader *writer = NULL;
    if (format && strcmp(format, "auto") != 0)
        SPD_TRY(by_name(format, &writer, err));
    else
        writer = by_ending(path);
    if (!writer) return spd_fail(err, SPDHG_USAGE, "%s: the ending does not determine a format: give one", path);
    if (stem_length(path) != strlen(path))
        return spd_fail(err, SPDHG_USAGE,
                        "%s: files are written uncompressed; compress the result: readers accept compressed files", path);
    return writer->write(data, path, err);
}
