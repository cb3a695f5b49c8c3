/* test_corpus.c - feeds every file of fuzz/corpus to its target: inputs that once caused a crash no longer do, with any compiler.
 * A violated property aborts (fuzz/targets.h). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "targets.h"

static void feed_file(const fuzz_target *target, const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size ? size : 1); /* exactly this size, so that the sanitizer detects an overrun */
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    target->feed(bytes, size);
    free(bytes);
}

static void every_target_has_a_corpus(void **unused) {
    (void)unused;
    int entries;
    const fuzz_target *table = fuzz_table(&entries);
    for (int i = 0; i < entries; i++) {
        char path[2000];
        snprintf(path, sizeof path, "%s/%s", SPDHG_CORPUS, table[i].name);
        DIR *folder = opendir(path);
        if (!folder) fail_msg("no folder %s", path);
        int files = 0;
        for (struct dirent *entry; (entry = readdir(folder));) {
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s/%s", SPDHG_CORPUS, table[i].name, entry->d_name);
            feed_file(&table[i], path);
            files++;
        }
        closedir(folder);
        assert_true(files > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_target_has_a_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
