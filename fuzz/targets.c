/* targets.c - the table of targets, and the files and properties they share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "targets.h"

static const fuzz_target table[] = {
    {"libsvm", fuzz_libsvm, true},
    {"csv", fuzz_csv, true},
    {"matrix-market", fuzz_matrix_market, true},
    {"cluto", fuzz_cluto, true},
    {"any", fuzz_any, true},
    {"cache", fuzz_cache, false},
    {"numbers", fuzz_numbers, true},
    {"edges", fuzz_edges, true},
    {"matrix", fuzz_matrix, true},
    {"model", fuzz_model, true},
    {"trace", fuzz_trace, true},
    {"race", fuzz_race, true},
    {"checkpoint", fuzz_checkpoint, false},
    {"specs", fuzz_specs, true},
    {"solve", fuzz_solve, false},
    {"resume", fuzz_resume, false},
    {"table", fuzz_signal_table, true},
    {"npy", fuzz_npy, false},
    {"pnm", fuzz_pnm, false},
    {"png", fuzz_png, false},
};
enum { ENTRIES = sizeof table / sizeof *table };

const fuzz_target *fuzz_table(int *entries) {
    *entries = ENTRIES;
    return table;
}

const fuzz_target *fuzz_find(const char *name) {
    for (int i = 0; i < ENTRIES; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}

void fuzz_broken(const char *file, int line, const char *property) {
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
    abort();
}

fuzz_file fuzz_file_of(const void *bytes, size_t size) {
    fuzz_file file = {.descriptor = memfd_create("fuzz", MFD_CLOEXEC)};
    FUZZ_MUST(file.descriptor >= 0);
    FUZZ_MUST(write(file.descriptor, bytes, size) == (ssize_t)size);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

void fuzz_file_close(fuzz_file *file) { close(file->descriptor); }
