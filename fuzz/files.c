/* files.c - bytes as each kind of file the library reads: they are refused with a message, or what they became keeps its
 * promises. */
#include <stdlib.h>
#include <xxhash.h>

#include "cache/layout.h"
#include "la/la.h"
#include "loss/loss.h"
#include "model/checkpoint.h"
#include "model/model.h"
#include "penalty/penalty.h"
#include "reader/reader.h"
#include "set/set.h"
#include "structure/structure.h"
#include "targets.h"

enum { MOST_MEMORY = 1 << 26, MOST_BYTES = 1 << 16 };

static void refused_well(spdhg_status status, const spdhg_error *err) {
    FUZZ_MUST(status == SPDHG_DATA || status == SPDHG_USAGE || status == SPDHG_MEMORY || status == SPDHG_IO);
    FUZZ_MUST(err->status == status && err->message[0] && memchr(err->message, '\0', sizeof err->message));
}

static void use_data(const spdhg_data *data, const char *write_as) {
    spdhg_error err = {0};
    FUZZ_MUST(spd_data_validate(data, &err) == SPDHG_OK);
    if (write_as) FUZZ_MUST(spdhg_data_write(data, "/dev/null", write_as, &err) == SPDHG_OK);
    spd_inspection seen;
    FUZZ_MUST(spd_data_inspect(data, &seen, &err) == SPDHG_OK || err.status == SPDHG_MEMORY);
}

static void read_as(const char *format, const uint8_t *bytes, size_t size, const char *write_as) {
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.format = format, o.threads = 1, o.max_memory = MOST_MEMORY;
    if (size > 0) { /* the first byte chooses options, so that the bytes reach them all */
        o.unlabelled_ok = bytes[0] & 1, o.duplicates = bytes[0] & 2 ? SPDHG_DUPLICATES_SUM : SPDHG_DUPLICATES_ERROR;
        o.index_base = bytes[0] & 4 ? -1 : bytes[0] & 8 ? 1 : 0;
        bytes++, size--;
    }
    fuzz_file file = fuzz_file_of(bytes, size);
    spdhg_data *data = (void *)1;
    spdhg_error err = {0};
    const spdhg_status status = spdhg_data_read(&data, file.path, &o, &err);
    if (status == SPDHG_OK)
        use_data(data, write_as);
    else {
        refused_well(status, &err);
        FUZZ_MUST(data == NULL);
    }
    if (status == SPDHG_OK) spdhg_data_free(data);
    fuzz_file_close(&file);
}

void fuzz_libsvm(const uint8_t *bytes, size_t size) { read_as("libsvm", bytes, size, NULL); }
void fuzz_csv(const uint8_t *bytes, size_t size) { read_as("csv", bytes, size, "csv"); }
void fuzz_matrix_market(const uint8_t *bytes, size_t size) { read_as("matrix-market", bytes, size, "matrix-market"); }
void fuzz_cluto(const uint8_t *bytes, size_t size) { read_as("cluto", bytes, size, "cluto"); }
void fuzz_any(const uint8_t *bytes, size_t size) { read_as(NULL, bytes, size, "cache"); }

/* Wrong checksums would end most readings at once: they are made right, whatever the rest is. */
static void seal_cache(uint8_t *bytes, size_t size) {
    spd_cache_header h;
    spd_cache_layout layout;
    if (size < sizeof h) return;
    memcpy(&h, bytes, sizeof h);
    memcpy(h.magic, SPD_CACHE_MAGIC, sizeof h.magic);
    h.version = SPD_CACHE_VERSION;
    if (spd_cache_lay_out(&layout, &h)) {
        const size_t list = 8 * (size_t)layout.blocks, start = sizeof h + list;
        if (layout.blocks <= (int64_t)size / 8 && layout.bytes <= (int64_t)size && start + (size_t)layout.bytes <= size) {
            for (int64_t k = 0; k < layout.blocks; k++) {
                const spd_cache_block block = spd_cache_find(&layout, k);
                const uint64_t hash = XXH3_64bits(bytes + start + block.offset, (size_t)block.bytes);
                memcpy(bytes + sizeof h + 8 * k, &hash, sizeof hash);
            }
            h.list_hash = XXH3_64bits(bytes + sizeof h, list);
        }
    }
    h.hash = XXH3_64bits(&h, offsetof(spd_cache_header, hash));
    memcpy(bytes, &h, sizeof h);
}

void fuzz_cache(const uint8_t *bytes, size_t size) {
    uint8_t *sealed = malloc(size + 1);
    FUZZ_MUST(sealed);
    sealed[0] = 0;
    memcpy(sealed + 1, bytes, size);
    seal_cache(sealed + 1, size);
    read_as("cache", sealed, size + 1, "cache");
    free(sealed);
}

void fuzz_numbers(const uint8_t *bytes, size_t size) {
    fuzz_file file = fuzz_file_of(bytes, size);
    double *value = (void *)1;
    int64_t rows, columns;
    spdhg_error err = {0};
    const spdhg_status status = spd_numbers_read(file.path, &value, &rows, &columns, &err);
    if (status == SPDHG_OK) {
        FUZZ_MUST(rows > 0 && columns > 0);
        for (int64_t i = 0; i < rows * columns; i++) FUZZ_MUST(isfinite(value[i]));
        spd_free(value);
    } else
        refused_well(status, &err);
    fuzz_file_close(&file);
}

static void use_structure(const char *spec, int64_t features) {
    spdhg_structure *F = (void *)1;
    spdhg_error err = {0};
    const spdhg_status status = spdhg_structure_new(&F, spec, features, &err);
    if (status != SPDHG_OK) {
        refused_well(status, &err);
        FUZZ_MUST(F == NULL);
        return;
    }
    const spd_csr *A = &F->F;
    FUZZ_MUST(A->n == features && A->m >= 0 && isfinite(spdhg_structure_norm_bound(F)));
    for (int64_t e = 0; !spd_csr_is_identity(A) && e < A->m; e++)
        for (int64_t q = A->ptr[e]; q < A->ptr[e + 1]; q++)
            FUZZ_MUST(A->idx[q] >= 0 && A->idx[q] < features && isfinite(A->val[q]));
    spdhg_structure_free(F);
}

static void structure_file(const char *kind, const uint8_t *bytes, size_t size) {
    fuzz_file file = fuzz_file_of(bytes, size);
    char spec[80];
    snprintf(spec, sizeof spec, "%s:%s", kind, file.path);
    use_structure(spec, 10);
    fuzz_file_close(&file);
}

void fuzz_edges(const uint8_t *bytes, size_t size) { structure_file("edges", bytes, size); }
void fuzz_matrix(const uint8_t *bytes, size_t size) { structure_file("matrix", bytes, size); }

void fuzz_model(const uint8_t *bytes, size_t size) {
    fuzz_file file = fuzz_file_of(bytes, size);
    spdhg_model *model = (void *)1;
    spdhg_error err = {0};
    const spdhg_status status = spdhg_model_read(&model, file.path, &err);
    if (status == SPDHG_OK) {
        FUZZ_MUST(spdhg_model_write(model, "/dev/null", &err) == SPDHG_OK);
        const double one[] = {1, -2, 3};
        const int64_t ptr[] = {0, 2, 3};
        const int32_t idx[] = {0, 2, 1};
        spdhg_data *data = NULL;
        FUZZ_MUST(spdhg_data_from_csr(&data, 2, 3, ptr, idx, one, one, 1, SPDHG_COPY, &err) == SPDHG_OK);
        double *scores = spdhg_model_outputs(model) < MOST_BYTES ? SPD_NEW(double, 2 * spdhg_model_outputs(model)) : NULL;
        spd_metrics metrics = {0};
        if (scores && spdhg_model_scores(model, data, scores, &err) == SPDHG_OK && model->classes < 1000)
            (void)spd_model_metrics(model, data, scores, &metrics, &err);
        spd_free(metrics.confusion);
        spd_free(scores);
        spdhg_data_free(data);
        spdhg_model_free(model);
    } else {
        refused_well(status, &err);
        FUZZ_MUST(model == NULL);
    }
    fuzz_file_close(&file);
}

/* The checksum at the end is ours, so that what is before it is looked at. */
void fuzz_checkpoint(const uint8_t *bytes, size_t size) {
    uint8_t *sealed = malloc(size + 8);
    FUZZ_MUST(sealed);
    memcpy(sealed, bytes, size);
    const uint64_t hash = XXH3_64bits(bytes, size);
    memcpy(sealed + size, &hash, sizeof hash);
    fuzz_file file = fuzz_file_of(sealed, size + 8);
    spd_checkpoint c;
    bool previous;
    spdhg_error err = {0};
    const spdhg_status status = spd_checkpoint_read(&c, file.path, &previous, &err);
    if (status == SPDHG_OK)
        FUZZ_MUST(!previous && c.points >= 0 && c.numbers >= 0 && c.stage >= 0);
    else
        refused_well(status, &err);
    spd_checkpoint_free(&c);
    fuzz_file_close(&file);
    free(sealed);
}

/* One specification of anything, as text. Those that name a file are for the targets above. */
void fuzz_specs(const uint8_t *bytes, size_t size) {
    char spec[200];
    if (size >= sizeof spec) return;
    memcpy(spec, bytes, size);
    spec[size] = '\0';
    spdhg_error err = {0};
    spdhg_status status;
    if (!spd_spec_is(spec, "edges") && !spd_spec_is(spec, "matrix")) use_structure(spec, 24);
    const spd_penalty *penalty;
    if ((status = spd_penalty_find(spec, &penalty, &err)) != SPDHG_OK) refused_well(status, &err);
    spd_set set;
    if ((status = spd_set_find(spec, &set, &err)) == SPDHG_OK) {
        double u[4] = {-1, 0, 2, 1e300}, work[4];
        set.kind->project(4, set.arg, u, work);
        for (int i = 0; i < 4; i++) FUZZ_MUST(isfinite(u[i]));
    } else
        refused_well(status, &err);
    const double x[] = {1, -1}, two[] = {1, 2}, label[] = {0, 1};
    spdhg_data *data = NULL;
    spdhg_problem *problem = NULL;
    FUZZ_MUST(spdhg_data_from_csr(&data, 2, 1, NULL, NULL, two, label, 1, SPDHG_COPY, &err) == SPDHG_OK);
    if ((status = spdhg_problem_new(&problem, data, spec, &err)) != SPDHG_OK) {
        refused_well(status, &err);
        FUZZ_MUST(spdhg_problem_new(&problem, data, "logistic", &err) == SPDHG_OK);
    }
    double f = 0;
    status = spdhg_problem_class_weight(problem, spec, &err);
    if (status == SPDHG_OK) status = spdhg_problem_evaluate(problem, x, NULL, &f, NULL, NULL, &err);
    if (status == SPDHG_OK)
        FUZZ_MUST(!isnan(f));
    else
        refused_well(status, &err);
    spdhg_problem_free(problem);
    spdhg_data_free(data);
}
