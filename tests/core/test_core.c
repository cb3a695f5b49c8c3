/* test_core.c - numbers, random numbers, permutation, threads, files: against libc and against their own definitions. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/core.h"

static void check_number(const char *text) {
    double ours = 0;
    const char *end = text + strlen(text);
    assert_ptr_equal(spd_parse_double(text, end, &ours), end);
    const double theirs = strtod(text, NULL);
    assert_memory_equal(&ours, &theirs, sizeof ours);
}

static void numbers_equal_strtod(void **unused) {
    (void)unused;
    static const char *const text[] = {"0",
                                       "-0",
                                       "1",
                                       "+1",
                                       ".5",
                                       "5.",
                                       "1e5",
                                       "1E-5",
                                       "123456789012345678901234567890",
                                       "1e308",
                                       "1e-320",
                                       "0.1",
                                       "2.2250738585072011e-308",
                                       "9007199254740993",
                                       "0.000000000000000000000000000001234",
                                       "1e22",
                                       "1e23",
                                       "179769313486231580793e289",
                                       "3.14159265358979323846264338327950288",
                                       "1e999",
                                       "00000000000000000000000001.5",
                                       "1e-999",
                                       "9223372036854775807.5e-10"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) check_number(text[i]);
    for (uint64_t i = 0; i < 200000; i++) { /* random bit patterns printed in three ways */
        uint64_t bits[2];
        spd_random(7, SPD_STREAM_TEST, i, bits);
        double value;
        memcpy(&value, bits, sizeof value);
        if (!isfinite(value)) continue;
        char line[64];
        snprintf(line, sizeof line, i % 3 == 0 ? "%.17g" : i % 3 == 1 ? "%.6g" : "%.25e", value);
        check_number(line);
        char ours[SPD_NUMBER_CHARS];
        spd_print_double(ours, value);
        const double back = strtod(ours, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

/* Of the two neighbours with so many digits, the one on the right side; a number with few digits stays. */
static void bounds_are_rounded_to_their_safe_side(void **unused) {
    (void)unused;
    assert_true(spd_round_towards(INFINITY, 4.1174e-7, 2) == 4.2e-7 && spd_round_towards(0, 4.1974e-7, 2) == 4.1e-7);
    assert_true(spd_round_towards(INFINITY, 9.96, 2) == 10 && spd_round_towards(0, 1.0004e5, 3) == 1e5);
    assert_true(spd_round_towards(INFINITY, 0.25, 2) == 0.25 && spd_round_towards(0, 0.25, 2) == 0.25);
    assert_true(spd_round_towards(INFINITY, 0, 2) == 0 && isnan(spd_round_towards(INFINITY, NAN, 2)));
    assert_true(isinf(spd_round_towards(INFINITY, INFINITY, 2)));
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits[2];
        spd_random(8, SPD_STREAM_TEST, i, bits);
        const double value = exp(600 * spd_uniform(bits[0]) - 300), up = spd_round_towards(INFINITY, value, 2);
        const double down = spd_round_towards(0, value, 3);
        assert_true(up >= value && up <= 1.1001 * value && down <= value && down >= 0.9899 * value);
        char text[64];
        snprintf(text, sizeof text, "%.2g", up);
        assert_true(strtod(text, NULL) >= value); /* as it is printed */
        snprintf(text, sizeof text, "%.3g", down);
        assert_true(strtod(text, NULL) <= value);
    }
}

static void not_numbers(void **unused) {
    (void)unused;
    double value;
    static const char *const text[] = {"", "-", ".", "nan", "inf", "e5", "-.e1", "x"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        assert_null(spd_parse_double(text[i], text[i] + strlen(text[i]), &value));
    assert_false(spd_to_double("0x1p3", &value));
    assert_false(spd_to_double("1,5", &value));
    assert_false(spd_to_double("1e999", &value));
    int64_t whole;
    assert_false(spd_to_int("9223372036854775808", &whole));
    assert_true(spd_to_int("9223372036854775807", &whole) && whole == INT64_MAX);
}

static void random_is_known_and_uniform(void **unused) {
    (void)unused;
    uint64_t out[2];
    spd_random(0, 0, 0, out); /* the known answer of Philox4x32-10 for counter 0, key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8 */
    assert_true(out[0] == 0xe169c58d6627e8d5u && out[1] == 0x9b00dbd8bc57ac4cu);
    double sum = 0, square = 0;
    const int n = 100000;
    for (int i = 0; i < n; i++) {
        spd_random(3, SPD_STREAM_TEST, (uint64_t)i, out);
        double normal[2];
        spd_normal(out, normal);
        sum += normal[0] + normal[1];
        square += normal[0] * normal[0] + normal[1] * normal[1];
        assert_true(spd_below(out[0], 7) >= 0 && spd_below(out[0], 7) < 7);
    }
    assert_true(fabs(sum / (2 * n)) < 0.01 && fabs(square / (2 * n) - 1) < 0.02);
}

static void permutation_is_one(void **unused) {
    (void)unused;
    static const int64_t size[] = {1, 2, 3, 7, 64, 1000, 4097};
    for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
        const int64_t n = size[s];
        char *seen = SPD_NEW(char, n);
        int64_t fixed = 0;
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = spd_permute(5, SPD_STREAM_SHUFFLE, 2, n, i);
            assert_true(at >= 0 && at < n && !seen[at]);
            seen[at] = 1;
            fixed += at == i;
        }
        if (n >= 1000) assert_true(fixed < 10);
        spd_free(seen);
    }
}

static void add_block(void *context, int64_t block) { ((int64_t *)context)[block] += block * block; }

static void every_block_runs_once(void **unused) {
    (void)unused;
    int64_t done[1000] = {0};
    spd_parallel(4, 1000, add_block, done);
    for (int64_t i = 0; i < 1000; i++) assert_int_equal(done[i], i * i);
}

static void files_appear_whole(void **unused) {
    (void)unused;
    char path[] = "/tmp/spdhg_test_XXXXXX";
    close(mkstemp(path));
    spd_file file;
    spdhg_error err;
    assert_int_equal(spd_file_create(&file, path, &err), SPDHG_OK);
    fputs("half", file.stream);
    spd_file_abort(&file);
    FILE *old = fopen(path, "r");
    assert_int_equal(fgetc(old), EOF); /* untouched */
    fclose(old);
    assert_int_equal(spd_file_create(&file, path, &err), SPDHG_OK);
    fputs("whole", file.stream);
    assert_int_equal(spd_file_commit(&file, &err), SPDHG_OK);
    char text[8] = {0};
    FILE *new = fopen(path, "r");
    assert_non_null(fgets(text, sizeof text, new));
    fclose(new);
    assert_string_equal(text, "whole");
    unlink(path);
    assert_int_equal(spd_file_create(&file, "/nonexistent/folder/x", &err), SPDHG_IO);
    assert_non_null(strstr(err.message, "/nonexistent/folder/x"));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(spd_file_create(&file, "/dev/full", &err), SPDHG_OK);
        fputs("x", file.stream);
        assert_int_equal(spd_file_commit(&file, &err), SPDHG_IO);
    }
}

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 0777;
}

/* As of files made by fopen; a file that is replaced passes its mode on. The umask is not touched, not even for a moment. */
static void files_get_the_usual_mode(void **unused) {
    (void)unused;
    char folder[] = "/tmp/spdhg_test_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x", folder);
    spd_file file;
    const mode_t mask = umask(027);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(spd_file_create(&file, path, &(spdhg_error){0}), SPDHG_OK);
        assert_int_equal(spd_file_commit(&file, &(spdhg_error){0}), SPDHG_OK);
        assert_int_equal(mode_of(path), again ? 0604 : 0640);
        assert_int_equal(chmod(path, 0604), 0);
    }
    assert_int_equal(umask(mask), 027);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else is in it */
}

/* However a process ends, its half-written file goes with it, where the file system has files without a name. */
static void half_a_file_dies_with_its_process(void **unused) {
    (void)unused;
    char folder[] = "/tmp/spdhg_test_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    const int probe = open(folder, O_TMPFILE | O_WRONLY, 0600);
    snprintf(path, sizeof path, "%s/x", folder);
    const pid_t child = probe >= 0 ? fork() : -1;
    if (child == 0) {
        spd_file file;
        if (spd_file_create(&file, path, &(spdhg_error){0}) == SPDHG_OK && fputs("half", file.stream) >= 0) fflush(file.stream);
        raise(SIGKILL);
    }
    if (child > 0) waitpid(child, NULL, 0);
    if (probe >= 0) close(probe);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
}

static void utf8_is_told_from_other_bytes(void **unused) {
    (void)unused;
    static const char *const good[] = {"",
                                       "plain",
                                       "caf\xC3\xA9",
                                       "\xC2\x80",
                                       "\xE0\xA0\x80",
                                       "\xED\x9F\xBF",
                                       "\xEF\xBF\xBF",
                                       "\xF0\x90\x80\x80",
                                       "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"caf\xE9",
                                      "\x80",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "a\xC3",
                                      "\xE2\x82",
                                      "\xF0\x90\x80",
                                      "\xFF"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(spd_is_utf8(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(spd_is_utf8(bad[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_equal_strtod),
        cmocka_unit_test(bounds_are_rounded_to_their_safe_side),
        cmocka_unit_test(not_numbers),
        cmocka_unit_test(random_is_known_and_uniform),
        cmocka_unit_test(permutation_is_one),
        cmocka_unit_test(utf8_is_told_from_other_bytes),
        cmocka_unit_test(every_block_runs_once),
        cmocka_unit_test(files_appear_whole),
        cmocka_unit_test(files_get_the_usual_mode),
        cmocka_unit_test(half_a_file_dies_with_its_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
