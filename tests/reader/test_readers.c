/* test_readers.c - the other formats, compression, the cache, and data from memory: round trips to the bit, damage of every
 * kind. */
#include "readers.h"

static void write_to(const spdhg_data *data, const char *path) {
    spdhg_error err = {0};
    if (spdhg_data_write(data, path, NULL, &err) != SPDHG_OK) fail_msg("%s", err.message);
}

static void round_trip(spdhg_data *data, const char *name, const spdhg_read_options *o) {
    const char *path = in_folder(name);
    write_to(data, path);
    spdhg_data *back = must_read(path, o);
    assert_true(same_data(data, back));
    spdhg_data_free(back);
}

static void round_trips(void **unused) {
    (void)unused;
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    spdhg_data *sparse = random_data(60, 40, false, true), *dense = random_data(30, 7, true, true),
               *bare = random_data(20, 9, false, false);
    round_trip(sparse, "r.svm", NULL);
    round_trip(sparse, "r.mat", NULL);
    round_trip(sparse, "r.spd", NULL);
    round_trip(dense, "d.spd", NULL);
    round_trip(dense, "d.mat", NULL);
    o.targets = in_folder("r.mtx.targets");
    round_trip(sparse, "r.mtx", &o);
    o.targets = in_folder("d.mtx.targets");
    round_trip(dense, "d.mtx", &o);
    o = (spdhg_read_options)SPDHG_READ_OPTIONS;
    o.unlabelled_ok = true;
    round_trip(bare, "b.spd", &o);
    round_trip(bare, "b.mtx", &o);
    sparse->index_base = 0;
    round_trip(sparse, "zero.svm", NULL);
    write_to(dense, in_folder("d.csv"));
    spdhg_data *back = must_read(in_folder("d.csv"), NULL);
    assert_true(back->name && strcmp(back->name[6], "x7") == 0);
    write_to(back, in_folder("e.csv"));
    spdhg_data *again = must_read(in_folder("e.csv"), NULL);
    assert_true(same_data(back, again));
    assert_true(same_bytes(dense->val, back->val, dense->nnz, 8) && same_bytes(dense->b, back->b, dense->rows, 8));
    spdhg_data_free(sparse);
    spdhg_data_free(dense);
    spdhg_data_free(bare);
    spdhg_data_free(back);
    spdhg_data_free(again);
}

/* Everything a data set can hold goes through the cache. */
static spdhg_data *full_data(void) {
    spdhg_data *d = must_read(put_text("full.csv", "a,\"b,c\",class\n1,2,dog\n3,4,\"cat \"\"x\"\"\"\n-1,0.25,dog\n"), NULL);
    const double weight[] = {1, 0, 2.5}, offset[] = {1, 2, 3, 4, 5, 6};
    assert_int_equal(spdhg_data_set_weights(d, weight, NULL), SPDHG_OK);
    assert_int_equal(spdhg_data_set_offsets(d, offset, 2, NULL), SPDHG_OK);
    d->group = spd_copy((const int64_t[]){4, -1, 9}, 3, sizeof(int64_t));
    d->notes.unsorted_rows = 17;
    return d;
}

static void cache_is_whole_or_refused(void **unused) {
    (void)unused;
    spdhg_data *d = full_data();
    assert_true(d->labels == 2 && strcmp(d->label[0], "cat \"x\"") == 0 && d->b[0] == 1 && d->b[1] == 0 &&
                strcmp(d->name[1], "b,c") == 0);
    round_trip(d, "full.spd", NULL);
    spdhg_data *back = must_read(in_folder("full.spd"), NULL);
    assert_true(back->notes.unsorted_rows == 17 && back->notes.lines == 3);
    spdhg_data_free(back);
    size_t size;
    char *bytes = get_bytes(in_folder("full.spd"), &size);
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.format = "cache";
    for (size_t i = 0; i < size; i++) { /* every byte damaged once, every length cut once */
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
        must_refuse(put_bytes("bad.spd", bytes, size), &o, SPDHG_DATA, ":", "");
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
        must_refuse(put_bytes("bad.spd", bytes, i), &o, SPDHG_DATA, ":", "");
    }
    must_refuse(put_bytes("bad.spd", bytes, size + 1), &o, SPDHG_DATA, ":", "");
    free(bytes);
    spdhg_data_free(d);
}

/* Large enough for several blocks. Checksums are right but the content is wrong: the writer does not check, the reader must. */
static void cache_content_is_checked(void **unused) {
    (void)unused;
    const int64_t rows = 4000, features = 100;
    spdhg_data *d = random_data(rows, features, false, true);
    for (int i = 0; i < 4; i++) {
        spdhg_read_options o = SPDHG_READ_OPTIONS;
        o.threads = i + 1;
        round_trip(d, "big.spd", &o);
    }
    spdhg_data *good = must_read(in_folder("big.spd"), NULL);
    run("xz -k %s", in_folder("big.spd"));
    run("zstd -q %s", in_folder("big.spd"));
    spdhg_data *packed = must_read(in_folder("big.spd.xz"), NULL), *packed2 = must_read(in_folder("big.spd.zst"), NULL);
    assert_true(same_data(good, packed) && same_data(good, packed2));
    spdhg_data_free(packed);
    spdhg_data_free(packed2);
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.max_memory = 1000;
    must_refuse(in_folder("big.spd"), &o, SPDHG_MEMORY, ":", "limit");
    o.max_memory = 0;
    const int64_t seam = (1 << 18) / 4; /* the first entry of the second block of indices */
    int64_t row = 0;
    while (d->ptr[row + 1] <= seam) row++;
    struct {
        void *place;
        size_t size;
        char bad[8];
    } fault[] = {
        {&d->idx[5], 4, {(char)0xff, (char)0xff, (char)0xff, (char)0xff}},  /* -1 */
        {&d->idx[7], 4, {100, 0, 0, 0}},                                    /* = features */
        {&d->idx[d->ptr[9] + 1], 4, {0, 0, 0, 0}},                          /* does not ascend */
        {&d->val[70000 % d->nnz], 8, {0, 0, 0, 0, 0, 0, (char)0xf0, 0x7f}}, /* infinite */
        {&d->b[3], 8, {1, 0, 0, 0, 0, 0, (char)0xf0, 0x7f}},                /* nan */
        {&d->ptr[8], 8, {(char)0xff, (char)0xff, (char)0xff, 0x7f}},        /* beyond the next row */
        {&d->ptr[0], 8, {1}},
    };
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
        char old[8];
        memcpy(old, fault[i].place, fault[i].size);
        memcpy(fault[i].place, fault[i].bad, fault[i].size);
        write_to(d, in_folder("bad.spd"));
        must_refuse(in_folder("bad.spd"), &o, SPDHG_DATA, ": corrupt", "");
        memcpy(fault[i].place, old, fault[i].size);
    }
    assert_true(d->nnz > seam + 1 && d->ptr[row] < seam); /* equal on both sides of a seam: each block ascends by itself */
    d->idx[seam] = d->idx[seam - 1];
    write_to(d, in_folder("bad.spd"));
    must_refuse(in_folder("bad.spd"), &o, SPDHG_DATA, ": corrupt: indices", "");
    spdhg_data_free(d);
    spdhg_data_free(good);
}

static void compressed_damage(void **unused) {
    (void)unused;
    spdhg_data *d = random_data(40, 12, false, true);
    static const char *const command[] = {"gzip -k %s", "bzip2 -k %s", "xz -k %s", "zstd -q %s"};
    static const char *const name[] = {"z.svm.gz", "z.svm.bz2", "z.svm.xz", "z.svm.zst"};
    write_to(d, in_folder("z.svm"));
    for (int c = 0; c < 4; c++) {
        run(command[c], in_folder("z.svm"));
        size_t size;
        char *bytes = get_bytes(in_folder(name[c]), &size), *twice = malloc(2 * size);
        spdhg_data *back = must_read(in_folder(name[c]), NULL);
        assert_true(same_data(d, back));
        spdhg_data_free(back);
        memcpy(twice, bytes, size);
        memcpy(twice + size, bytes, size);
        back = must_read(put_bytes("twice", twice, 2 * size), NULL); /* several members, streams, frames */
        assert_true(back->rows == 2 * d->rows && back->nnz == 2 * d->nnz);
        spdhg_data_free(back);
        free(twice);
        for (size_t cut = 20; cut < size; cut += 1 + size / 150)
            must_refuse(put_bytes("cut", bytes, cut), NULL, SPDHG_DATA, ":", "compressed");
        for (size_t at = 0; at < size; at++) {
            bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
            spdhg_data *other = NULL;
            spdhg_error err = {0};
            const spdhg_status status = spdhg_data_read(&other, put_bytes("flip", bytes, size), NULL, &err);
            if (status == SPDHG_OK ? !same_data(d, other) : status != SPDHG_DATA && status != SPDHG_MEMORY)
                fail_msg("%s: bit flipped in byte %zu: status %d %s", name[c], at, (int)status, err.message);
            spdhg_data_free(other);
            bytes[at] = (char)(bytes[at] ^ (1 << at % 8));
        }
        free(bytes);
    }
    spdhg_data_free(d);
}

static void csv(void **unused) {
    (void)unused;
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    spdhg_data *d = must_read(put_text("a.csv", "Y;\"x\n1\";x2\r\n1;2;3\r\n\r\n-1;\"4\";5"), NULL);
    const double val[] = {2, 3, 4, 5}, b[] = {1, -1};
    assert_true(d->rows == 2 && d->features == 2 && !d->idx && d->notes.blank_lines == 1);
    assert_memory_equal(d->val, val, sizeof val);
    assert_memory_equal(d->b, b, sizeof b);
    assert_string_equal(d->name[0], "x\n1");
    spdhg_data_free(d);
    o.label = "c,a";
    d = must_read(put_text("b.csv", "a\tb\tc\n1\t2\t3\n4\t5\t6\n"), &o);
    const double several[] = {3, 1, 6, 4};
    assert_true(d->targets == 2 && d->features == 1 && d->val[1] == 5);
    assert_memory_equal(d->b, several, sizeof several);
    spdhg_data_free(d);
    d = must_read(put_text("c.csv", "1,2,3\n4,5,6\n"), NULL); /* no header: the last column is the target */
    assert_true(d->rows == 2 && d->b[1] == 6 && d->features == 2);
    assert_string_equal(d->name[1], "x2");
    spdhg_data_free(d);
    d = must_read(put_text("m.csv", "x,label\n1,2\n2,b\n3,2.0\n4,a\n"), NULL); /* words and numbers: words, 2 and 2.0 are one */
    assert_true(d->labels == 3 && strcmp(d->label[0], "2") == 0 && d->b[0] == 0 && d->b[1] == 2 && d->b[2] == 0 && d->b[3] == 1);
    spdhg_data_free(d);
    o = (spdhg_read_options)SPDHG_READ_OPTIONS;
    o.unlabelled_ok = true;
    d = must_read(put_text("u.csv", "p,q\n1,2\n"), &o); /* one rule for all: the last column is the target */
    assert_true(d->targets == 1 && d->features == 1);
    spdhg_data_free(d);
    o.no_label = true;
    d = must_read(put_text("u.csv", "p,q\n1,2\n"), &o);
    assert_true(d->targets == 0 && d->features == 2);
    spdhg_data_free(d);
    static const struct {
        const char *text, *place, *what;
    } bad[] = {
        {"a,b,y\n1,,2\n", ":2:3:", "expected a number"},
        {"a,b,y\n1,NA,2\n", ":2:3:", "NA"},
        {"a,b,y\n1,nan,2\n", ":2:3:", "nan"},
        {"a,b,y\n1,2,3\n1,2\n", ":3:3:", "2 cells"},
        {"a,b,y\n1,2,3,4\n", ":2:7:", "4 cells"},
        {"a,b,y\n\"1,2,3\n", ":2:1:", "never closed"},
        {"a,b,y\n1,2,\n", ":2:5:", "label"},
        {"a,b,y\n1,\"1,000\",2\n", ":2:3:", "1,000"},
        {"a,b,y\n1,1e999,2\n", ":2:3:", "range"},
        {"a,b,y\n1,\"2\"x,2\n", ":2:3:", "closing quote"},
        {"a,b,y\n", ":", "no rows"},
        {"a,b,y\n1,2,nan\n", ":2:5:", "label"},
    };
    o = (spdhg_read_options)SPDHG_READ_OPTIONS;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        must_refuse(put_text("bad.csv", bad[i].text), &o, SPDHG_DATA, bad[i].place, bad[i].what);
    o.label = "nothing";
    must_refuse(put_text("a.csv", "a,b\n1,2\n"), &o, SPDHG_DATA, ":1:1:", "nothing");
}

static void targets(void **unused) {
    (void)unused;
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    const char *path = put_text("t.svm", "1:1\n2:2\n1:3\n");
    must_refuse(path, NULL, SPDHG_DATA, ":1:1:", "label");
    const double expected[] = {1, 2, 3, 4, 5, 6};
    static const char *const text[] = {"1 2\n3,4 # c\n\n5 6\n", "p,q\n1,2\n3,4\n5,6\n",
                                       "%%MatrixMarket matrix array real general\n3 2\n1\n3\n5\n2\n4\n6\n"};
    for (int i = 0; i < 3; i++) {
        o.targets = put_text("targets", text[i]);
        spdhg_data *d = must_read(path, &o);
        assert_int_equal(d->targets, 2);
        assert_memory_equal(d->b, expected, sizeof expected);
        spdhg_data_free(d);
    }
    spdhg_data *none;
    spdhg_error err;
    o.targets = put_text("targets", "1\n2\n");
    assert_int_equal(spdhg_data_read(&none, path, &o, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "2 rows of targets for 3 rows"));
    double *out;
    int64_t rows, columns;
    static const struct {
        const char *text, *place;
    } bad[] = {
        {"1 2\n3\n", ":2:2:"}, {"1\n2 3\n", ":2:3:"}, {"1\nx\n", ":2:1:"}, {"1\ninf\n", ":2:1:"}, {"# c\n", ": no numbers"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(spd_numbers_read(put_text("n", bad[i].text), &out, &rows, &columns, &err), SPDHG_DATA);
        if (!strstr(err.message, bad[i].place)) fail_msg("%s: %s", bad[i].place, err.message);
    }
}

static void from_memory(void **unused) {
    (void)unused;
    const int64_t ptr[] = {0, 2, 3};
    const int32_t idx[] = {0, 2, 1}, twice[] = {1, 1, 0}, wide[] = {0, 3, 1};
    const double val[] = {1, 2, 3}, b[] = {1, -1}, bad[] = {1, NAN, 3}, none[] = {0, 0}, minus[] = {1, -1};
    spdhg_data *d;
    spdhg_error err;
    assert_int_equal(spdhg_data_from_csr(&d, 2, 3, ptr, idx, val, b, 1, SPDHG_BORROW, &err), SPDHG_OK);
    assert_ptr_equal(d->val, val);
    assert_true(spdhg_data_rows(d) == 2 && spdhg_data_features(d) == 3 && spdhg_data_nonzeros(d) == 3);
    assert_int_equal(spdhg_data_set_weights(d, none, &err), SPDHG_DATA);
    assert_int_equal(spdhg_data_set_weights(d, minus, &err), SPDHG_DATA);
    assert_int_equal(spdhg_data_set_weights(d, b + 0, &err), SPDHG_DATA);
    assert_int_equal(spdhg_data_set_offsets(d, bad, 1, &err), SPDHG_DATA);
    spdhg_data_free(d);
    assert_int_equal(spdhg_data_from_csr(&d, 2, 3, ptr, twice, val, b, 1, SPDHG_COPY, &err), SPDHG_DATA);
    assert_int_equal(spdhg_data_from_csr(&d, 2, 3, ptr, wide, val, b, 1, SPDHG_COPY, &err), SPDHG_DATA);
    assert_int_equal(spdhg_data_from_csr(&d, 2, 3, ptr, idx, bad, b, 1, SPDHG_COPY, &err), SPDHG_DATA);
    assert_int_equal(spdhg_data_from_csr(&d, 1, 3, NULL, NULL, bad, b, 1, SPDHG_COPY, &err), SPDHG_DATA);
    assert_int_equal(spdhg_data_from_csr(&d, 1, 3, NULL, idx, val, b, 1, SPDHG_COPY, &err), SPDHG_USAGE);
    assert_null(d);
    spdhg_data_free(NULL);
    d = random_data(3, 3, false, true);
    assert_int_equal(spdhg_data_write(d, in_folder("x.svm.gz"), NULL, &err), SPDHG_USAGE);
    assert_int_equal(spdhg_data_write(d, in_folder("x.unknown"), NULL, &err), SPDHG_USAGE);
    assert_int_equal(spdhg_data_write(d, "/nonexistent/x.svm", NULL, &err), SPDHG_IO);
    spdhg_data_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(cache_is_whole_or_refused),
        cmocka_unit_test(cache_content_is_checked),
        cmocka_unit_test(compressed_damage),
        cmocka_unit_test(csv),
        cmocka_unit_test(targets),
        cmocka_unit_test(from_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
