/* models.h - a hand-made model and files in a temporary place, for the tests of model and report. */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/model.h"

/* features x outputs coefficients copied from x; strings are set, the rest is zero. The loss determines the kind of labels. */
static inline spdhg_model *model_of(const char *loss, int64_t features, int64_t outputs, const double *x, int64_t classes) {
    spdhg_model *m = SPD_NEW(spdhg_model, 1);
    m->features = features, m->outputs = outputs, m->classes = classes, m->classify = classes > 0;
    m->x = spd_copy(x, features * outputs, sizeof(double));
    m->c = SPD_NEW(double, outputs);
    m->class_value = SPD_NEW(double, classes);
    for (int64_t k = 0; k < classes; k++) m->class_value[k] = (double)k + 1;
    snprintf(m->loss, sizeof m->loss, "%s", loss);
    snprintf(m->version, sizeof m->version, "%s", "0.1.0");
    m->penalty = spd_strdup("l1"), m->structure = spd_strdup("identity"), m->set = spd_strdup("all");
    m->solver = spd_strdup("spdhg"), m->outcome = spd_strdup("ran the epochs or the time asked for");
    m->index_base = 1;
    return m;
}

static inline void temporary(char path[64]) {
    snprintf(path, 64, "%s", "/tmp/spdhg_test_XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
}

static inline char *file_text(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = SPD_NEW(char, 4 << 20);
    const size_t got = fread(text, 1, (4 << 20) - 1, file);
    assert_true(got < (4 << 20) - 1);
    fclose(file);
    if (size) *size = got;
    return text;
}

static inline void write_text(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}
#endif
