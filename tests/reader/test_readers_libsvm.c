/* test_readers_libsvm.c - LIBSVM text: every unusual input has a defined result, with its position in the file; the number of
 * threads changes nothing. */
#include "readers.h"

static void plain_rows(void **unused) {
    (void)unused;
    spdhg_data *d = must_read(put_text("a.svm", "+1 1:0.5 3:-2e-1\n-1 2:4 # note 9:9\n"), NULL);
    const int64_t ptr[] = {0, 2, 3};
    const int32_t idx[] = {0, 2, 1};
    const double val[] = {0.5, -0.2, 4}, b[] = {1, -1};
    assert_true(d->rows == 2 && d->features == 3 && d->nnz == 3 && d->targets == 1 && d->index_base == 1);
    assert_memory_equal(d->ptr, ptr, sizeof ptr);
    assert_memory_equal(d->idx, idx, sizeof idx);
    assert_memory_equal(d->val, val, sizeof val);
    assert_memory_equal(d->b, b, sizeof b);
    assert_string_equal(d->format, "libsvm");
    assert_true(d->source && d->read_seconds >= 0);
    spdhg_data_free(d);
}

static void accepted_oddities(void **unused) {
    (void)unused;
    spdhg_data *d = must_read(
        put_text("a.svm", "\xef\xbb\xbf# head\r\n\r\n1 qid:3 1:1 2:0 \t\r\n  \n2 qid:4 1:+2. 2:.5#end\r\n-.5 3:1e2"), NULL);
    assert_true(d->rows == 3 && d->features == 3 && d->nnz == 5);
    assert_true(d->notes.byte_order_mark && d->notes.blank_lines == 2 && d->notes.comment_lines == 1 &&
                d->notes.explicit_zeros == 1);
    assert_int_equal(d->notes.lines, 6);
    assert_true(d->group[0] == 3 && d->group[1] == 4 && d->group[2] == -1);
    assert_true(d->val[2] == 2 && d->val[3] == .5 && d->val[4] == 100 && d->b[2] == -.5);
    spdhg_data_free(d);
}

static void order_and_duplicates(void **unused) {
    (void)unused;
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    const char *path = put_text("a.svm", "1 5:5 2:2 9:9 1:1\n1 1:1 2:1\n");
    spdhg_data *d = must_read(path, &o);
    assert_int_equal(d->notes.unsorted_rows, 1);
    const int32_t idx[] = {0, 1, 4, 8};
    const double val[] = {1, 2, 5, 9};
    assert_memory_equal(d->idx, idx, sizeof idx);
    assert_memory_equal(d->val, val, sizeof val);
    spdhg_data_free(d);
    must_refuse(put_text("b.svm", "1 1:1\n1 2:1 2:3\n"), &o, SPDHG_DATA, ":2:7:", "index 2 occurs twice");
    const char *twice = put_text("c.svm", "1 1:1\n1 5:1 2:2 7:7 5:3 2:8\n");
    must_refuse(twice, &o, SPDHG_DATA, ":2:19:", "index 2 occurs twice");
    o.duplicates = SPDHG_DUPLICATES_SUM;
    d = must_read(twice, &o);
    assert_true(d->nnz == 4 && d->val[1] == 10 && d->val[2] == 4 && d->val[3] == 7 && d->notes.duplicate_entries == 2);
    spdhg_data_free(d);
    o.duplicates = SPDHG_DUPLICATES_LAST;
    d = must_read(twice, &o);
    assert_true(d->nnz == 4 && d->val[1] == 8 && d->val[2] == 3);
    spdhg_data_free(d);
}

static void index_base(void **unused) {
    (void)unused;
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    const char *zero = put_text("a.svm", "1 1:1 2:2\n1 0:5 3:1\n"), *one = put_text("b.svm", "1 1:1 2:2\n");
    spdhg_data *d = must_read(zero, &o);
    assert_true(d->index_base == 0 && d->features == 4 && d->idx[0] == 1 && d->idx[2] == 0);
    spdhg_data_free(d);
    o.index_base = 1;
    must_refuse(zero, &o, SPDHG_DATA, ":2:3:", "index 0");
    o.index_base = 0;
    d = must_read(one, &o);
    assert_true(d->index_base == 0 && d->features == 3 && d->idx[0] == 1);
    spdhg_data_free(d);
    o = (spdhg_read_options)SPDHG_READ_OPTIONS;
    o.features = 10;
    d = must_read(one, &o);
    assert_int_equal(d->features, 10);
    spdhg_data_free(d);
    d = must_read(put_text("c.svm", "1 2147483646:1\n"), NULL);
    assert_int_equal(d->features, 2147483646);
    spdhg_data_free(d);
}

static void refusals(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *place, *what;
    } bad[] = {
        {"1 1:1\n1 1:1 2:nan\n", ":2:7:", "2:nan"},
        {"1 1:inf\n", ":1:3:", "1:inf"},
        {"1 1:1e999\n", ":1:3:", "out of range"},
        {"1 1:0x1p3\n", ":1:3:", "0x1p3"},
        {"1 1:0,5\n", ":1:3:", "1:0,5"},
        {"1 2147483647:1\n", ":1:3:", "above 2147483646"},
        {"1 99999999999999999999:1\n", ":1:3:", "above"},
        {"1 -3:1\n", ":1:3:", "index:value"},
        {"1 1\n", ":1:3:", "index:value"},
        {"1 1:\n", ":1:3:", "1:"},
        {"1 1:2:3\n", ":1:3:", "1:2:3"},
        {"1 :2\n", ":1:3:", ":2"},
        {"1:0.5 2:1\n", ":1:1:", "expected a label"},
        {"nan 1:1\n", ":1:1:", "nan"},
        {"1,2 1:1\n", ":1:1:", "1,2"},
        {"1 1:1\n\n# c\n  x 1:1\n", ":4:3:", "'x'"},
        {"1 qid:x 1:1\n", ":1:3:", "qid:x"},
        {"", ":", "no rows"},
        {"\n\n# only\n", ":", "no rows"},
        {"1 1:1 \xff\xfe:2\n", ":1:7:", "??:2"},
        {"1e999 1:1\n", ":1:1:", "out of range"},
    };
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.format = "libsvm";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        must_refuse(put_text("bad.svm", bad[i].text), &o, SPDHG_DATA, bad[i].place, bad[i].what);
    must_refuse(put_bytes("bad.svm", "1 1:1 2:\0 3:1\n", 14), &o, SPDHG_DATA, ":1:7:", "2:?");
    must_refuse(put_bytes("bad.svm", "1 1:1 \0\n", 8), &o, SPDHG_DATA, ":1:7:", "?");
    must_refuse(in_folder("missing.svm"), &o, SPDHG_IO, ":", "No such file");
    must_refuse(folder, &o, SPDHG_IO, ":", "directory");
    o.format = "svmlight";
    spdhg_data *none;
    assert_int_equal(spdhg_data_read(&none, put_text("a.svm", "1 1:1\n"), &o, NULL), SPDHG_USAGE);
}

static void unlabelled(void **unused) {
    (void)unused;
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.unlabelled_ok = true;
    spdhg_data *d = must_read(put_text("a.svm", "1:1 2:2\n3:3\n"), &o);
    assert_true(d->targets == 0 && !d->b && d->rows == 2 && d->nnz == 3);
    spdhg_data_free(d);
    must_refuse(put_text("b.svm", "1 1:1\n2:2\n"), &o, SPDHG_DATA, ":2:1:", "no label");
}

/* About 30 MB with rows of very different lengths: several blocks, a long line across blocks, and errors late in the file. */
static void blocks_and_threads(void **unused) {
    (void)unused;
    const char *path = in_folder("long.svm");
    FILE *file = fopen(path, "w");
    int64_t lines = 0;
    for (int64_t i = 0; i < 200000; i++, lines++)
        fprintf(file, "%d 1:%lld.5 7:%lld # c:%lld\n\n", i % 2 ? 1 : -1, (long long)i, (long long)-i, (long long)i), lines++;
    fprintf(file, "1");
    for (int64_t j = 1; j <= 1500000; j++) fprintf(file, " %lld:0.%lld", (long long)j, (long long)j);
    fputc('\n', file);
    fclose(file);
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.threads = 1;
    spdhg_data *first = must_read(path, &o);
    assert_true(first->rows == 200001 && first->features == 1500000 && first->nnz == 400000 + 1500000);
    assert_true(first->notes.lines == lines + 1 && first->notes.blank_lines == 200000);
    for (int64_t i = 0; i < 200000; i++)
        assert_true(first->ptr[i] == 2 * i && first->val[2 * i] == (double)i + .5 && first->val[2 * i + 1] == (double)-i &&
                    first->idx[2 * i + 1] == 6);
    for (o.threads = 2; o.threads <= 4; o.threads++) {
        spdhg_data *other = must_read(path, &o);
        assert_true(same_data(first, other));
        spdhg_data_free(other);
    }
    spdhg_data *streamed;
    FILE *pipe_file = fopen(path, "r"); /* the same bytes through gzip, parsed sequentially */
    assert_non_null(pipe_file);
    fclose(pipe_file);
    run("gzip -1 -k %s", path);
    streamed = must_read(in_folder("long.svm.gz"), NULL);
    assert_true(same_data(first, streamed));
    spdhg_data_free(streamed);
    spdhg_data_free(first);
    o.max_memory = 1000000;
    must_refuse(path, &o, SPDHG_MEMORY, ":", "limit is 1 MB");
    must_refuse(in_folder("long.svm.gz"), &o, SPDHG_MEMORY, ":", "limit is 1 MB");
    o.max_memory = 0;
    file = fopen(path, "a");
    fprintf(file, "1 1:1\n1 4:oops\n1 5:oops\n");
    fclose(file);
    char place[40];
    snprintf(place, sizeof place, ":%lld:3:", (long long)lines + 3);
    for (o.threads = 1; o.threads <= 3; o.threads++) must_refuse(path, &o, SPDHG_DATA, place, "4:oops");
}

static void endless_tokens(void **unused) {
    (void)unused;
    const size_t size = 3000000;
    char *text = malloc(size);
    memset(text, '7', size);
    memcpy(text, "1 1:", 4);
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.format = "libsvm";
    must_refuse(put_bytes("digits.svm", text, size), &o, SPDHG_DATA, ":1:3:", "without a blank");
    memcpy(text, "1 1:1 #", 7);
    text[size - 1] = '\n';
    spdhg_data *d = must_read(put_bytes("comment.svm", text, size), &o);
    assert_true(d->rows == 1 && d->nnz == 1);
    spdhg_data_free(d);
    memset(text, ' ', size);
    memcpy(text + size - 7, "5 1:1\n#", 7);
    d = must_read(put_bytes("blanks.svm", text, size), &o);
    assert_true(d->rows == 1 && d->b[0] == 5);
    spdhg_data_free(d);
    memset(text, '\n', size);
    memcpy(text + size - 6, "5 1:x\n", 6);
    must_refuse(put_bytes("lines.svm", text, size), &o, SPDHG_DATA, ":2999995:3:", "1:x");
    free(text);
}

/* Rows without entries are still sparse rows, and an empty stream is not a data set. */
static void empty_rows_in_streams(void **unused) {
    (void)unused;
    put_text("labels.svm", "1\n-1\n");
    spdhg_data *plain = must_read(in_folder("labels.svm"), NULL);
    run("gzip %s", in_folder("labels.svm"));
    spdhg_data *streamed = must_read(in_folder("labels.svm.gz"), NULL);
    assert_true(plain->rows == 2 && plain->idx && streamed->idx && same_data(plain, streamed));
    spdhg_data_free(plain);
    spdhg_data_free(streamed);
    put_text("empty.svm", "");
    run("gzip %s", in_folder("empty.svm"));
    must_refuse(in_folder("empty.svm.gz"), NULL, SPDHG_DATA, ":", "no rows");
}

static void standard_input(void **unused) {
    (void)unused;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    static const char text[] = "1 1:1\n-1 2:x\n";
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    const int kept = dup(STDIN_FILENO);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    must_refuse("-", NULL, SPDHG_DATA, ":2:4:", "2:x");
    dup2(kept, STDIN_FILENO);
    close(kept);
    close(ends[0]);
}

/* Numbers of every shape equal strtod's. */
static void numbers(void **unused) {
    (void)unused;
    static const char *const format[] = {"%.6g", "%.17g", "%.3f", "%.10f", "%.20f", "%.0f", "%e", "%.16g"};
    FILE *file = fopen(in_folder("numbers.svm"), "w");
    double *expected = malloc(40000 * sizeof *expected);
    uint64_t counter = 5;
    for (int i = 0; i < 40000; i++) {
        double value = random_value(&counter);
        if (fabs(value) > 1e15 || fabs(value) < 1e-15) value = 1.0 / (1 + i);
        char text[400];
        snprintf(text, sizeof text, format[i % 8], value);
        expected[i] = strtod(text, NULL);
        fprintf(file, "1 %d:%s\n", i % 7 + 1, text);
    }
    fclose(file);
    spdhg_data *d = must_read(in_folder("numbers.svm"), NULL);
    assert_memory_equal(d->val, expected, 40000 * sizeof *expected);
    spdhg_data_free(d);
    free(expected);
    /* more digits than fit in 64 bits, some of which would wrap around to a small number */
    d = must_read(
        put_text("wrap.svm",
                 "1 1:18446744073709551616 2:18446744073709551617.5 3:0.18446744073709551617 4:-184467440737095516170\n"),
        NULL);
    assert_true(d->val[0] == 0x1p64 && d->val[1] == 0x1p64 && d->val[2] == strtod("0.18446744073709551617", NULL));
    assert_true(d->val[3] == strtod("-184467440737095516170", NULL));
    spdhg_data_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_rows),
        cmocka_unit_test(accepted_oddities),
        cmocka_unit_test(order_and_duplicates),
        cmocka_unit_test(index_base),
        cmocka_unit_test(refusals),
        cmocka_unit_test(unlabelled),
        cmocka_unit_test(blocks_and_threads),
        cmocka_unit_test(endless_tokens),
        cmocka_unit_test(standard_input),
        cmocka_unit_test(empty_rows_in_streams),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
