/* test_model_hostile.c - malformed model files: each is refused with its status and the offending key; none causes a crash. */
#include "models.h"

/* Two classes, three features, sparse coefficients {1: 2.5}, constants [0.5]. */
static spdhg_model *small(void) {
    spdhg_model *m = model_of("logistic", 3, 1, (double[]){0, 2.5, 0}, 2);
    m->c[0] = 0.5, m->seed = 12, m->lambda = 0.25;
    m->side[0] = 3, m->side[1] = 1, m->side[2] = 1;
    return m;
}

static char *text_of(const spdhg_model *m, size_t *size) {
    char path[64];
    temporary(path);
    assert_int_equal(spdhg_model_write(m, path, NULL), SPDHG_OK);
    char *text = file_text(path, size);
    unlink(path);
    return text;
}

static spdhg_status read_text(const char *text, size_t size, spdhg_error *err) {
    char path[64];
    temporary(path);
    write_text(path, text, size);
    spdhg_model *m;
    const spdhg_status status = spdhg_model_read(&m, path, err);
    assert_true((status == SPDHG_OK) == (m != NULL));
    if (status != SPDHG_OK) assert_non_null(strstr(err->message, status == SPDHG_MEMORY ? "memory" : path));
    if (m) { /* what was accepted must be usable */
        double *z = SPD_NEW(double, m->outputs);
        spdhg_data *data;
        assert_int_equal(spdhg_data_from_csr(&data, 1, 3, NULL, NULL, (double[]){1, 1, 1}, (double[]){1}, 1, SPDHG_COPY, NULL),
                         SPDHG_OK);
        assert_int_equal(spdhg_model_scores(m, data, z, NULL), SPDHG_OK);
        spd_metrics metrics;
        if (spd_model_metrics(m, data, z, &metrics, NULL) == SPDHG_OK) spd_free(metrics.confusion);
        spdhg_data_free(data);
        spd_free(z);
    }
    spdhg_model_free(m);
    unlink(path);
    return status;
}

/* The text with `from` replaced by `to`. */
static char *replaced(const char *text, const char *from, const char *to) {
    const char *found = strstr(text, from);
    if (!found) fail_msg("no '%s' in %s", from, text);
    char *out = SPD_NEW(char, (int64_t)(strlen(text) + strlen(to) + 1));
    memcpy(out, text, (size_t)(found - text));
    strcat(strcat(out, to), found + strlen(from));
    return out;
}

/* As someone who edits a model does; it is the last key. */
static char *without_checksum(char *text) {
    char *at = strstr(text, ",\"checksum\"");
    assert_non_null(at);
    strcpy(at, "}");
    return text;
}

static void every_key_is_checked(void **unused) {
    (void)unused;
    static const struct {
        const char *from, *to;
        spdhg_status status;
        const char *says;
    } bad[] = {
        {"{", "[", SPDHG_DATA, "not JSON"},
        {"\"spdhg-model\"", "\"other\"", SPDHG_DATA, "model: format:"},
        {"\"format\":\"spdhg-model\",", "", SPDHG_DATA, "model: format:"},
        {"\"version\":2", "\"version\":3", SPDHG_DATA, "newer spdhg"},
        {"\"version\":2", "\"version\":0", SPDHG_DATA, "model: version:"},
        {"\"version\":2", "\"version\":\"1\"", SPDHG_DATA, "model: version: expected an integer"},
        {"\"made_by\":\"0.1.0\"", "\"made_by\":\"0.1.0000000000000000000000\"", SPDHG_DATA, "model: made_by:"},
        {"\"loss\":\"logistic\"", "\"loss\":\"nonsense\"", SPDHG_DATA, "model: loss:"},
        {"\"loss\":\"logistic\"", "\"loss\":7", SPDHG_DATA, "model: loss:"},
        {"\"loss\":\"logistic\"", "\"loss\":\"squared\"", SPDHG_DATA, "model: classify:"},
        {"\"loss\":\"logistic\"", "\"loss\":\"softmax\"", SPDHG_DATA, "model: class_value: expected one label for each output"},
        {"\"penalty\":\"l1\"", "\"penalty\":null", SPDHG_DATA, "model: penalty: expected a text"},
        {"\"set\":\"all\",", "", SPDHG_DATA, "model: set: expected a text"},
        {"\"lambda\":0.25", "\"lambda\":\"0.25\"", SPDHG_DATA, "model: lambda: expected a number"},
        {"\"lambda\":0.25", "\"lambda\":1e999", SPDHG_DATA, "not JSON: real number overflow"},
        {"\"lambda\":0.25", "\"lambda\":NaN", SPDHG_DATA, "not JSON"},
        {"\"intercept\":false", "\"intercept\":0", SPDHG_DATA, "model: intercept: expected true or false"},
        {"\"features\":3", "\"features\":0", SPDHG_DATA, "model: features: expected an integer from 1"},
        {"\"features\":3", "\"features\":-3", SPDHG_DATA, "model: features:"},
        {"\"features\":3", "\"features\":3.0", SPDHG_DATA, "model: features: expected an integer"},
        {"\"features\":3", "\"features\":4", SPDHG_DATA, "model: side:"},
        {"\"features\":3", "\"features\":99999999999999999999", SPDHG_DATA, "not JSON"},
        {"\"outputs\":1", "\"outputs\":2", SPDHG_DATA, "model: constants:"},
        {"\"outputs\":1", "\"outputs\":2147483646", SPDHG_DATA, "model: constants:"},
        {"\"index_base\":1", "\"index_base\":2", SPDHG_DATA, "model: index_base:"},
        {"\"side\":[3,1,1]", "\"side\":[3,1]", SPDHG_DATA, "model: side:"},
        {"\"side\":[3,1,1]", "\"side\":[3,1,-1]", SPDHG_DATA, "model: side:"},
        {"\"side\":[3,1,1]", "\"side\":[9223372036854775807,3,3]", SPDHG_DATA, "model: side:"},
        {"\"side\":[3,1,1]", "\"side\":[3,0,0]", SPDHG_DATA, "model: side:"},
        {"\"classify\":true", "\"classify\":false", SPDHG_DATA, "model: classify:"},
        {"\"class_value\":[1.0,2.0]", "\"class_value\":[2.0,1.0]", SPDHG_DATA, "model: class_value: expected ascending"},
        {"\"class_value\":[1.0,2.0]", "\"class_value\":[1.0,1.0]", SPDHG_DATA, "model: class_value: expected ascending"},
        {"\"class_value\":[1.0,2.0]", "\"class_value\":[1.0,null]", SPDHG_DATA, "model: class_value:"},
        {"\"class_value\":[1.0,2.0]", "\"class_value\":[1,2,3]", SPDHG_DATA, "model: class_value: expected one or two labels"},
        {"\"class_value\":[1.0,2.0]", "\"class_value\":[]", SPDHG_DATA, "model: class_value:"},
        {"\"class_text\":null", "\"class_text\":[\"a\"]", SPDHG_DATA, "model: class_text: expected null or an array of 2"},
        {"\"class_text\":null", "\"class_text\":[\"a\",5]", SPDHG_DATA, "model: class_text:"},
        {"\"seed\":\"12\"", "\"seed\":12", SPDHG_DATA, "model: seed:"},
        {"\"seed\":\"12\"", "\"seed\":\"\"", SPDHG_DATA, "model: seed:"},
        {"\"seed\":\"12\"", "\"seed\":\"18446744073709551616\"", SPDHG_DATA, "model: seed:"},
        {"\"constants\":[0.5]", "\"constants\":[]", SPDHG_DATA, "model: constants:"},
        {"\"constants\":[0.5]", "\"constants\":0.5", SPDHG_DATA, "model: constants:"},
        {"\"constants\":[0.5]", "\"constants\":[null]", SPDHG_DATA, "model: constants:"},
        {"\"names\"", "\"centred\":null,\"names\"", SPDHG_DATA, "model: centred:"},
        {"\"names\"", "\"centred\":{\"index\":[0,3],\"value\":[1,2],\"constants\":[3]},\"names\"", SPDHG_DATA,
         "model: centred.index: expected ascending"},
        {"\"names\"", "\"centred\":{\"index\":[2,0],\"value\":[1,2],\"constants\":[3]},\"names\"", SPDHG_DATA,
         "model: centred.index: expected ascending"},
        {"\"names\"", "\"centred\":{\"index\":[0],\"value\":[null],\"constants\":[3]},\"names\"", SPDHG_DATA,
         "model: centred.value:"},
        {"\"names\"", "\"centred\":{\"index\":[0],\"value\":[1]},\"names\"", SPDHG_DATA, "model: centred.constants:"},
        {"\"names\"", "\"centred\":{\"index\":[0],\"value\":[1],\"constants\":[3,4]},\"names\"", SPDHG_DATA,
         "model: centred.constants:"},
        {"\"names\":null", "\"names\":[\"a\",\"b\"]", SPDHG_DATA, "model: names: expected null or an array of 3"},
        {"\"names\":null", "\"names\":[\"a\",\"b\\u0000\",\"c\"]", SPDHG_DATA, "not JSON"},
        {"\"index\":[1]", "\"index\":[3]", SPDHG_DATA, "model: coefficients.index:"},
        {"\"index\":[1]", "\"index\":[-1]", SPDHG_DATA, "model: coefficients.index:"},
        {"\"index\":[1]", "\"index\":[1.0]", SPDHG_DATA, "model: coefficients.index:"},
        {"\"index\":[1]", "\"index\":[1,2]", SPDHG_DATA, "model: coefficients:"},
        {"\"index\":[1],\"value\":[2.5]", "\"index\":[1,1],\"value\":[2.5,3]", SPDHG_DATA,
         "model: coefficients.index: expected ascending"},
        {"\"value\":[2.5]", "\"value\":[null]", SPDHG_DATA, "model: coefficients.value:"},
        {"{\"index\":[1],\"value\":[2.5],\"spread\":null,\"group\":null}", "[1,2]", SPDHG_DATA, "model: coefficients:"},
        {"{\"index\":[1],\"value\":[2.5],\"spread\":null,\"group\":null}", "[1,2,\"3\"]", SPDHG_DATA, "model: coefficients:"},
        {"{\"index\":[1],\"value\":[2.5],\"spread\":null,\"group\":null}", "null", SPDHG_DATA, "model: coefficients:"},
        {"\"gamma\"", "\"lambda\"", SPDHG_DATA, "not JSON: duplicate object key"},
        {"\"spread\":null", "\"spread\":[1,2]", SPDHG_DATA, "spread and group of each coefficient"},
        {"\"group\":null", "\"group\":[]", SPDHG_DATA, "spread and group of each coefficient"},
        {"\"rows\":0", "\"rows\":-1", SPDHG_DATA, "model: rows:"},
        {"\"id\":null", "\"columns\":[\"a\",\"b\"],\"id\":null", SPDHG_DATA, "duplicate object key"},
        {"\"columns\":null", "\"columns\":[\"a\",\"b\"]", SPDHG_DATA, "as many features"},
        {"\"columns\":null", "\"columns\":[\"a\",\"b\",1]", SPDHG_DATA, "a name for every column"},
        {"\"columns\":null", "\"columns\":[\"a\",{\"name\":\"b\",\"levels\":[]}]", SPDHG_DATA, "at least one level"},
        {"\"columns\":null", "\"columns\":[\"a\",{\"name\":\"b\",\"levels\":[\"p\",2]}]", SPDHG_DATA, "levels that are texts"},
        {"\"columns\":null", "\"columns\":[\"a\",{\"name\":\"b\",\"levels\":[\"p\",\"q\"],\"reference\":\"r\"}]", SPDHG_DATA,
         "one of the levels"},
        {"\"columns\":null", "\"columns\":[\"a\",{\"name\":\"b\",\"gap\":null}]", SPDHG_DATA, "a number for gaps"},
        {"\"columns\":null", "\"columns\":7", SPDHG_DATA, "null or an array"},
    };
    spdhg_model *m = small();
    size_t size;
    char *good = text_of(m, &size);
    spdhg_error err;
    assert_int_equal(read_text(good, size, &err), SPDHG_OK);
    without_checksum(good);
    assert_int_equal(read_text(good, strlen(good), &err), SPDHG_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = replaced(good, bad[i].from, bad[i].to);
        if (read_text(text, strlen(text), &err) != bad[i].status) fail_msg("%s -> %s", bad[i].from, bad[i].to);
        if (!strstr(err.message, bad[i].says))
            fail_msg("%s -> %s: '%s' has no '%s'", bad[i].from, bad[i].to, err.message, bad[i].says);
        spd_free(text);
    }
    spd_free(good);
    spdhg_model_free(m);
}

static void files_that_are_no_models(void **unused) {
    (void)unused;
    spdhg_error err;
    spdhg_model *m;
    assert_int_equal(spdhg_model_read(&m, "/nonexistent/model.json", &err), SPDHG_IO);
    assert_null(m);
    assert_int_equal(spdhg_model_read(&m, "/tmp", &err), SPDHG_IO); /* a folder */
    assert_int_equal(read_text("", 0, &err), SPDHG_DATA);
    assert_int_equal(read_text("[]", 2, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "expected a JSON object"));
    char *deep = SPD_NEW(char, 200000);
    memset(deep, '[', 199999);
    assert_int_equal(read_text(deep, 199999, &err), SPDHG_DATA); /* nesting does not exhaust the stack */
    spd_free(deep);
    /* A short file that claims two billion coefficients for as many outputs: refused before anything is allocated. */
    spdhg_model *small_model = model_of("squared", 3, 2, (double[]){0, 2.5, 0, 0, 0, 0}, 0);
    char *good = without_checksum(text_of(small_model, NULL)),
         *text = replaced(good, "\"features\":3", "\"features\":2147483646");
    char *wide = SPD_NEW(char, 1 << 20);
    for (int i = 0; i < 99999; i++) strcpy(wide + 2 * i, "0,");
    strcpy(wide + 2 * 99999, "0]");
    char *many = replaced(text, "\"outputs\":2", "\"outputs\":100000"), *full = replaced(many, "0.0,0.0]", wide);
    assert_int_equal(read_text(full, strlen(full), &err), SPDHG_MEMORY);
    void *const used[] = {good, text, wide, many, full};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) spd_free(used[i]);
    spdhg_model_free(small_model);
}

static void flipped_and_cut_files_never_crash(void **unused) {
    (void)unused;
    spdhg_model *m = small();
    size_t size;
    char *text = text_of(m, &size);
    spdhg_error err;
    for (size_t cut = 0; cut + 2 < size; cut += 3) assert_int_equal(read_text(text, cut, &err), SPDHG_DATA);
    int64_t refused = 0;
    for (uint64_t i = 0; i < 1500; i++) {
        uint64_t bits[2];
        spd_random(21, SPD_STREAM_TEST, i, bits);
        const size_t at = (size_t)spd_below(bits[0], (int64_t)size);
        const char before = text[at];
        text[at] = (char)(i % 2 ? bits[1] & 0xff : (uint64_t)(unsigned char)before ^ 1u << (bits[1] & 7));
        const spdhg_status status = read_text(text, size, &err);
        assert_true(status == SPDHG_OK || status == SPDHG_DATA);
        refused += status != SPDHG_OK;
        text[at] = before;
    }
    assert_true(refused > 700); /* most bytes matter; those inside free texts and digits do not */
    spd_free(text);
    spdhg_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_checked),
        cmocka_unit_test(files_that_are_no_models),
        cmocka_unit_test(flipped_and_cut_files_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
