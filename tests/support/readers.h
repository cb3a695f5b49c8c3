/* readers.h - shared by the tests of the readers: files in a temporary folder, bitwise comparison of data sets, expected
 * refusals. */
#ifndef TEST_READERS_H
#define TEST_READERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/read.h"

static char folder[] = "/tmp/spdhg_readers_XXXXXX";

static int make_folder(void **unused) {
    (void)unused;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused) {
    (void)unused;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static inline char *in_folder(const char *name) { /* valid for the next 63 calls */
    static char path[64][160];
    static int next = 0;
    next = (next + 1) % 64;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static inline const char *put_bytes(const char *name, const void *bytes, size_t size) {
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *put_text(const char *name, const char *text) { return put_bytes(name, text, strlen(text)); }

static inline char *get_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void run(const char *command, const char *path) {
    char line[400];
    snprintf(line, sizeof line, command, path);
    assert_int_equal(system(line), 0);
}

static inline spdhg_data *must_read(const char *path, const spdhg_read_options *o) {
    spdhg_data *data = NULL;
    spdhg_error err = {0};
    const spdhg_status status = spdhg_data_read(&data, path, o, &err);
    if (status != SPDHG_OK) fail_msg("%s", err.message);
    assert_int_equal(spd_data_validate(data, &err), SPDHG_OK);
    return data;
}

/* Expects this status, and a message that starts with "FILE" + place and contains `what`. */
static inline void must_refuse(const char *path, const spdhg_read_options *o, spdhg_status status, const char *place,
                               const char *what) {
    spdhg_data *data = (spdhg_data *)1;
    spdhg_error err = {0};
    const spdhg_status got = spdhg_data_read(&data, path, o, &err);
    char start[300];
    snprintf(start, sizeof start, "%s%s", path, place);
    if (got != status || strncmp(err.message, start, strlen(start)) != 0 || !strstr(err.message, what))
        fail_msg("status %d '%s', expected status %d '%s' with '%s'", (int)got, err.message, (int)status, start, what);
    assert_null(data);
}

static inline bool same_bytes(const void *a, const void *b, int64_t count, size_t size) {
    return (a == NULL) == (b == NULL) && (!a || memcmp(a, b, (size_t)count * size) == 0);
}

static inline bool same_texts(char **a, char **b, int64_t count) {
    if ((a == NULL) != (b == NULL)) return false;
    for (int64_t i = 0; a && i < count; i++)
        if (strcmp(a[i], b[i]) != 0) return false;
    return true;
}

static inline bool same_data(const spdhg_data *a, const spdhg_data *b) {
    return a->rows == b->rows && a->features == b->features && a->nnz == b->nnz && a->targets == b->targets &&
           a->labels == b->labels && a->offsets == b->offsets && a->index_base == b->index_base &&
           same_bytes(a->ptr, b->ptr, a->rows + 1, 8) && same_bytes(a->idx, b->idx, a->nnz, 4) &&
           same_bytes(a->val, b->val, a->nnz, 8) && same_bytes(a->b, b->b, a->rows * a->targets, 8) &&
           same_bytes(a->weight, b->weight, a->rows, 8) && same_bytes(a->offset, b->offset, a->rows * a->offsets, 8) &&
           same_bytes(a->group, b->group, a->rows, 8) && same_texts(a->label, b->label, a->labels) &&
           same_texts(a->name, b->name, a->features);
}

static inline double random_value(uint64_t *counter) { /* occasionally any finite double, otherwise a short decimal */
    uint64_t bits[2];
    spd_random(11, SPD_STREAM_TEST, (*counter)++, bits);
    double value;
    memcpy(&value, bits, sizeof value);
    if (bits[1] % 4 == 0 && isfinite(value) && value != 0) return value;
    return (double)((int64_t)(bits[1] % 20001) - 10000) / 1000 + 0.0005;
}

/* Random rows, some empty; the first has index 0 and the last the highest index, so that text formats keep base and width. */
static inline spdhg_data *random_data(int64_t rows, int64_t features, bool dense, bool labelled) {
    int64_t *ptr = calloc((size_t)rows + 1, sizeof *ptr), nnz = 0;
    int32_t *idx = calloc((size_t)(rows * features), sizeof *idx);
    double *val = calloc((size_t)(rows * features), sizeof *val), *b = calloc((size_t)rows, sizeof *b);
    uint64_t counter = 1;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < features; j++) {
            uint64_t bits[2];
            spd_random(12, SPD_STREAM_TEST, (uint64_t)(i * features + j), bits);
            const bool corner = (i == 0 && j == 0) || (i == rows - 1 && j == features - 1);
            if (!dense && bits[0] % 10 >= 2 && !corner) continue;
            idx[nnz] = (int32_t)j;
            val[nnz++] = random_value(&counter);
        }
        ptr[i + 1] = nnz;
        b[i] = random_value(&counter);
    }
    spdhg_data *data = NULL;
    spdhg_error err;
    assert_int_equal(
        spdhg_data_from_csr(&data, rows, features, ptr, dense ? NULL : idx, val, labelled ? b : NULL, labelled, SPDHG_COPY, &err),
        SPDHG_OK);
    free(ptr);
    free(idx);
    free(val);
    free(b);
    return data;
}

#endif
