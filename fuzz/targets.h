/* targets.h - what is fed with arbitrary bytes. Each target is built as a program for libFuzzer (entry.c, cmake/fuzz.cmake) and
 * replays its folder of corpus/ in tests/reader/test_corpus.c. A target is a function, a line in the table of targets.c, a
 * folder of a few small files and, where its format has words, a file of them in words/. */
#ifndef FUZZ_TARGETS_H
#define FUZZ_TARGETS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_target {
    const char *name;
    void (*feed)(const uint8_t *bytes, size_t size);
    bool text; /* tokens and lines, or JSON: mutate.c changes those */
} fuzz_target;

const fuzz_target *fuzz_find(const char *name); /* NULL if there is none */
const fuzz_target *fuzz_table(int *entries);

/* A file in memory that has a path; closed by fuzz_file_close. */
typedef struct fuzz_file {
    int descriptor;
    char path[40];
} fuzz_file;
fuzz_file fuzz_file_of(const void *bytes, size_t size);
void fuzz_file_close(fuzz_file *file);
/* A property that must hold whatever the bytes are: says which does not, and aborts. */
#define FUZZ_MUST(condition)                                                                                                     \
    do {                                                                                                                         \
        if (!(condition)) fuzz_broken(__FILE__, __LINE__, #condition);                                                           \
    } while (0)
void fuzz_broken(const char *file, int line, const char *property) __attribute__((noreturn));

/* ---- files.c */
void fuzz_libsvm(const uint8_t *bytes, size_t size);
void fuzz_csv(const uint8_t *bytes, size_t size);
void fuzz_matrix_market(const uint8_t *bytes, size_t size);
void fuzz_cluto(const uint8_t *bytes, size_t size);
void fuzz_any(const uint8_t *bytes, size_t size);
void fuzz_cache(const uint8_t *bytes, size_t size);
void fuzz_numbers(const uint8_t *bytes, size_t size);
void fuzz_edges(const uint8_t *bytes, size_t size);
void fuzz_matrix(const uint8_t *bytes, size_t size);
void fuzz_model(const uint8_t *bytes, size_t size);
void fuzz_trace(const uint8_t *bytes, size_t size);
void fuzz_race(const uint8_t *bytes, size_t size);
void fuzz_checkpoint(const uint8_t *bytes, size_t size);
void fuzz_specs(const uint8_t *bytes, size_t size);
/* ---- signals.c */
void fuzz_signal_table(const uint8_t *bytes, size_t size);
void fuzz_npy(const uint8_t *bytes, size_t size);
void fuzz_pnm(const uint8_t *bytes, size_t size);
void fuzz_png(const uint8_t *bytes, size_t size);
/* ---- solve.c */
void fuzz_solve(const uint8_t *bytes, size_t size);
/* ---- resume.c */
void fuzz_resume(const uint8_t *bytes, size_t size);
#endif
