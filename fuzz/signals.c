/* signals.c - bytes as each kind of file that `spdhg denoise` reads: refused with a message, or values that are written again and
 * then read the same. */
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "../cli/signal_file.h"
#include "targets.h"

/* What was written is read as the same kind, of the same size. */
static void write_and_read(const signal_file *before) {
    fuzz_file copy = fuzz_file_of("", 0);
    FILE *out = fdopen(dup(copy.descriptor), "wb");
    spdhg_error err = {0};
    FUZZ_MUST(out && before->kind->write(before, out, &err) == SPDHG_OK && fclose(out) == 0);
    signal_file after = {.path = copy.path, .grid = before->grid};
    const spdhg_status status = signal_file_read(&after, &err);
    FUZZ_MUST(status == SPDHG_OK && after.kind == before->kind);
    FUZZ_MUST(after.points == before->points && after.signals == before->signals);
    signal_file_close(&after);
    fuzz_file_close(&copy);
}

static void read_as(const signal_kind *kind, bool grid, const uint8_t *bytes, size_t size) {
    fuzz_file file = fuzz_file_of(bytes, size);
    signal_file f = {.path = file.path, .grid = grid};
    spdhg_error err = {0};
    const spdhg_status status = signal_file_read(&f, &err);
    if (status == SPDHG_OK) {
        FUZZ_MUST(f.points > 0 && f.signals > 0 && f.scale >= 1);
        for (int64_t i = 0; i < f.points * f.signals; i++) /* a gap of a table becomes a number before it is written */
            f.value[i] = isfinite(f.value[i]) ? f.value[i] : 0;
        if (f.kind == kind) write_and_read(&f);
    } else
        FUZZ_MUST(err.status == status && err.message[0] && !f.value && !f.rest);
    signal_file_close(&f);
    fuzz_file_close(&file);
}

/* Wrong checksums would end most readings at once: those of the chunks are made right. */
static void seal_png(uint8_t *bytes, size_t size) {
    for (size_t at = 8; at + 12 <= size;) {
        const size_t length =
            (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | (size_t)bytes[at + 3];
        if (length > size - at - 12) return;
        const uLong sum = crc32_z(0, bytes + at + 4, length + 4);
        for (int i = 0; i < 4; i++) bytes[at + 8 + length + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += 12 + length;
    }
}

void fuzz_signal_table(const uint8_t *bytes, size_t size) {
    if (size > 0) read_as(NULL, bytes[0] & 1, bytes + 1, size - 1); /* what is written may look like another kind */
}
void fuzz_npy(const uint8_t *bytes, size_t size) { read_as(&signal_kind_npy, size % 2, bytes, size); }
void fuzz_pnm(const uint8_t *bytes, size_t size) { read_as(&signal_kind_pnm, false, bytes, size); }
void fuzz_png(const uint8_t *bytes, size_t size) {
    uint8_t *sealed = malloc(size + 1);
    FUZZ_MUST(sealed);
    memcpy(sealed, bytes, size);
    seal_png(sealed, size);
    read_as(&signal_kind_png, false, sealed, size);
    free(sealed);
}
