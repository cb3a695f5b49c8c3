/* test_spill.c - a cache file written from text in constant memory has the bytes of one that was read and then written; what
 * cannot be read is refused in the same words. */
#include "readers.h"

static void same_file(const char *text, const spdhg_read_options *o) {
    spdhg_data *data = NULL, *poured = NULL;
    spdhg_error err = {0}, err2 = {0};
    unlink(in_folder("whole.spd"));
    unlink(in_folder("poured.spd"));
    spdhg_status status = spdhg_data_read(&data, text, o, &err);
    if (status == SPDHG_OK) status = spdhg_data_write(data, in_folder("whole.spd"), NULL, &err);
    assert_int_equal(spd_read_or_pour(&poured, text, in_folder("poured.spd"), o, &err2), status);
    assert_string_equal(err.message, err2.message);
    assert_null(poured);
    spdhg_data_free(data);
    if (status != SPDHG_OK) {
        assert_int_equal(access(in_folder("poured.spd"), F_OK), -1);
        return;
    }
    size_t size, size2;
    char *bytes = get_bytes(in_folder("whole.spd"), &size), *bytes2 = get_bytes(in_folder("poured.spd"), &size2);
    assert_int_equal(size, size2);
    assert_memory_equal(bytes, bytes2, size);
    free(bytes);
    free(bytes2);
}

/* As a plain file and compressed, which takes the other way. */
static void both_ways(const char *name, const char *text, const spdhg_read_options *o) {
    char command[400];
    const char *path = put_text(name, text);
    same_file(path, o);
    snprintf(command, sizeof command, "gzip -kf %s", path);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s.gz", path);
    same_file(command, o);
}

static void oddities(void **unused) {
    (void)unused;
    spdhg_read_options o = SPDHG_READ_OPTIONS, many = o, names = o, hash = o, sum = o, unlabelled = o;
    many.features = 40;
    names.names = put_text("names.txt", "one\ntwo\nthree\nfour\nfive\n");
    hash.hash = 12;
    sum.duplicates = SPDHG_DUPLICATES_SUM;
    unlabelled.unlabelled_ok = true;
    const char *plain = "1 1:2 3:4\n# a comment\n\n-1 2:0.5\n1\n";
    both_ways("plain.svm", plain, &o);
    both_ways("plain.svm", plain, &many);
    both_ways("plain.svm", plain, &names);
    both_ways("zero.svm", "1 1:2 3:4\n-1 0:0.5\n", &o);
    both_ways("mark.svm",
              "\xef\xbb\xbf"
              "1 1:2 3:4 # end\r\n-1 5:0.5",
              &o);
    both_ways("late.svm", "1 1:2\n1 2:2\n-1 qid:7 1:3\n1 4:1\n", &o);
    both_ways("mess.svm", "1 3:1 1:2\n-1 2:2 2:3\n", &sum);
    both_ways("words.svm", "1 some words:2 here\n-1 words\n", &hash);
    both_ways("bare.svm", "1:2 3:4\n2:1\n", &unlabelled);
    for (const char *const *bad =
             (const char *const[]){"1 1:2\n1 1:x\n", "1 1:2\n2:1\n", "", "1 1:2\n1 2:1 2:2\n", "1:2 3:4\n", NULL};
         *bad; bad++)
        both_ways("bad.svm", *bad, &o);
    both_ways("bad.svm", "1 1:2\n2:1\n", &unlabelled);
}

/* Several chunks and blocks; a line longer than a chunk of text; index 0 and groups only near the end; a mistake there. */
static void long_texts(void **unused) {
    (void)unused;
    const char *path = in_folder("long.svm");
    for (int kind = 0; kind < 3; kind++) {
        FILE *file = fopen(path, "w");
        for (int i = 0; i < 200000; i++)
            fprintf(file, "%d%s %d:%d.5 %d:1e-%d 1000:%d 2000:1 2001:1 2002:1 2003:1 2004:1 2005:1 2006:1\n%s", i % 7,
                    i > 190000 && i % 2 ? " qid:3" : "", i > 199000 ? 0 : 1, i, 2 + i % 90, i % 30, i,
                    i % 50 == 1 ? "# a comment\n" : "");
        for (int j = 0; kind == 1 && j < 2500000; j++) fprintf(file, "%s%d:3.25", j ? " " : "5 ", j + 1);
        if (kind == 1) fputc('\n', file);
        fprintf(file, "%s\n", kind == 2 ? "3 1:2 x" : "3 1:2");
        fclose(file);
        spdhg_read_options o = SPDHG_READ_OPTIONS;
        for (o.threads = 1; o.threads <= 3; o.threads += 2) same_file(path, &o);
        char command[200];
        snprintf(command, sizeof command, "gzip -1f %s", path);
        assert_int_equal(system(command), 0);
        snprintf(command, sizeof command, "%s.gz", path);
        same_file(command, &o);
    }
}

static void others_are_read(void **unused) {
    (void)unused;
    spdhg_data *data = NULL;
    spdhg_error err = {0};
    const char *path = put_text("table.csv", "a,b,y\n1,2,0\n3,4,1\n");
    assert_int_equal(spd_read_or_pour(&data, path, in_folder("table.spd"), NULL, &err), SPDHG_OK);
    assert_non_null(data);
    assert_int_equal(data->rows, 2);
    assert_int_equal(access(in_folder("table.spd"), F_OK), -1);
    spdhg_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(oddities), cmocka_unit_test(long_texts),
                                       cmocka_unit_test(others_are_read)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
