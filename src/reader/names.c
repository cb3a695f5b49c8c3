/* names.c - reads feature names from a separate file, for formats that have none: one line for each feature, in order. Blanks
 * around a name and empty lines at the end are ignored. The file may be compressed. */
#include "reader/reader.h"

enum { NAME_BYTES_MOST = 1 << 16 };

static void trim(const char **from, const char **to) {
    while (*from < *to && (spd_is_blank(**from) || **from == '\r')) ++*from;
    while (*to > *from && (spd_is_blank((*to)[-1]) || (*to)[-1] == '\r')) --*to;
}

void spd_names_free(spd_name_list *names) {
    for (int64_t j = 0; j < names->count; j++) spd_free(names->name[j]);
    spd_free(names->name);
    *names = (spd_name_list){0};
}

static spdhg_status add(spd_name_list *names, int64_t *capacity, const char *from, const char *to, spdhg_error *err) {
    trim(&from, &to);
    if (names->count == *capacity) {
        const int64_t more = 2 * *capacity + 64;
        char **grown = spd_grow(names->name, *capacity, more, sizeof *grown);
        if (!grown) return spd_fail_memory(err, 8.0 * (double)more);
        names->name = grown;
        *capacity = more;
    }
    char *name = SPD_NEW(char, to - from + 1);
    if (!name) return spd_fail_memory(err, (double)(to - from));
    memcpy(name, from, (size_t)(to - from));
    names->name[names->count++] = name;
    return SPDHG_OK;
}

static spdhg_status read_lines(spd_name_list *names, spd_stream *stream, const char *path, char *line, spdhg_error *err) {
    int64_t capacity = 0;
    size_t held = 0, got = 1;
    while (got > 0) {
        SPD_TRY(spd_stream_read(stream, line + held, NAME_BYTES_MOST - held, &got, err));
        held += got;
        char *at = line, *newline;
        while ((newline = memchr(at, '\n', held - (size_t)(at - line)))) {
            SPD_TRY(add(names, &capacity, at, newline, err));
            at = newline + 1;
        }
        held -= (size_t)(at - line);
        memmove(line, at, held);
        if (held == NAME_BYTES_MOST)
            return spd_fail(err, SPDHG_DATA, "%s:%lld: a name of more than %d bytes", path, (long long)names->count + 1,
                            NAME_BYTES_MOST);
    }
    if (held > 0) SPD_TRY(add(names, &capacity, line, line + held, err));
    while (names->count > 0 && names->name[names->count - 1][0] == '\0') spd_free(names->name[--names->count]);
    return SPDHG_OK;
}

spdhg_status spd_names_read(spd_name_list *names, const char *path, spdhg_error *err) {
    *names = (spd_name_list){0};
    spd_stream *stream;
    SPD_TRY(spd_stream_open(&stream, path, err));
    char *line = SPD_NEW(char, NAME_BYTES_MOST);
    spdhg_status status = line ? read_lines(names, stream, path, line, err) : spd_fail_memory(err, NAME_BYTES_MOST);
    for (int64_t j = 0; status == SPDHG_OK && j < names->count; j++)
        if (names->name[j][0] == '\0')
            status = spd_fail(err, SPDHG_DATA, "%s:%lld: no name on this line", path, (long long)j + 1);
    spd_free(line);
    spd_stream_close(stream);
    if (status != SPDHG_OK) spd_names_free(names);
    return status;
}
