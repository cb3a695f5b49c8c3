/* test_malloc.c - failing memory: every allocation of a complete scenario, from files to a report, is refused once, the n-th for
 * n = 1, 2, ... The call must return SPDHG_MEMORY, free what it allocated, leave no file behind, and be repeatable: the result is
 * then the same to the bit. */
#include <dirent.h>
#include <fcntl.h>

#include "stories.h"

static void no_temporary_file(void) {
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (strstr(entry->d_name, ".tmp.")) fail_msg("%s was left behind, request %lld", entry->d_name, (long long)memory.refuse);
    closedir(entries);
}

static int next_descriptor(void) {
    const int descriptor = open("/dev/null", O_RDONLY);
    close(descriptor);
    return descriptor;
}

static void tell_once(story *s, void (*tell)(story *), long long refuse) {
    const long long held = memory.held;
    const int descriptor = next_descriptor();
    memory.asked = 0;
    memory.refuse = refuse;
    memory.json_refused = false;
    tell(s);
    memory.refuse = 0;
    if (memory.held != held) fail_msg("%lld blocks leaked, request %lld of %s", (long long)memory.held - held, refuse, s->solver);
    assert_int_equal(next_descriptor(), descriptor);
    no_temporary_file();
}

/* Refuses every request once. If there are very many, only a sample: the first ones, then with strides (all with
 * SPDHG_TEST_ALL). */
static void refuse_each(const char *what, void (*tell)(story *)) {
    story whole = {.solver = what, .comparable = true};
    tell_once(&whole, tell, 0);
    const long long requests = memory.asked, most = getenv("SPDHG_TEST_ALL") ? requests : 150;
    assert_true(requests > 10);
    long long said = 0;
    for (long long n = 1; n <= requests; n += 1 + (n > most / 2 ? 2 * requests / most : 0))
        for (mode m = GIVE_UP; m <= TRY_AGAIN; m++) {
            story s = {.mode = m, .solver = what, .comparable = true};
            tell_once(&s, tell, n);
            said += s.refused;
            const bool ended = m == TRY_AGAIN || !s.refused;
            if (ended && s.comparable && memcmp(s.number, whole.number, sizeof s.number) != 0)
                fail_msg("%s ended otherwise after request %lld was refused", what, n);
        }
    assert_true(said > 10);
}

static void every_format(void **unused) {
    (void)unused;
    static const char *const files[] = {"a.svm",    "words.csv", "a.mtx",    "a.cluto",  "words.spd",
                                        "a.svm.gz", "a.svm.bz2", "a.svm.xz", "a.svm.zst"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[100]; /* in_folder's own does not last */
        snprintf(path, sizeof path, "%s", in_folder(files[i]));
        refuse_each(path, read_and_write);
    }
}

static void every_solver_fits(void **unused) {
    (void)unused;
    static const char *const solvers[] = {"auto", "spdhg", "lpdhg", "saga-pd3o", "sadmm", "alm-ssn", "ipm"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) refuse_each(solvers[i], fit);
}

static void a_run_resumes(void **unused) {
    (void)unused;
    refuse_each("spdhg", resume);
    refuse_each("saga-pd3o", resume);
}

static void a_binding_binds(void **unused) {
    (void)unused;
    refuse_each("logistic", bind);
}

static void signals_are_denoised(void **unused) {
    (void)unused;
    refuse_each("cv", denoise);
    refuse_each("bic", denoise);
    refuse_each("image", denoise);
}

static void pages_are_made(void **unused) {
    (void)unused;
    put_text(
        "summary.json",
        "{\"format\": \"spdhg race 1\", \"levels\": [0.1], \"problems\": [{\"data\": \"d\", \"task\": \"gglr\", \"traces\": "
        "\"race.csv\", "
        "\"structure_file\": \"F.mtx\", \"start_objective\": 1, \"optima\": [{\"repeat\": 0, \"objective\": 0.4, \"gap\": 1e-9, "
        "\"certified\": true}], \"solvers\": [{\"solver\": \"spdhg\", \"params\": {\"s\": 1}, \"runs\": [{\"repeat\": 0, "
        "\"status\": "
        "\"done\", \"epochs\": 1, \"seconds_to\": [0.1], \"epochs_to\": [1]}]}]}]}");
    refuse_each("traces", trace_page);
    json_set_alloc_funcs(json_given,
                         free); /* jansson 2.14 frees a wrong address when it is refused memory for a list in a list */
    refuse_each("race", race_page);
    json_set_alloc_funcs(json_block, free);
}

static void a_race_goes_on(void **unused) {
    (void)unused;
    refuse_each("lpdhg,spdhg-sc2", race);
    forget_race();
}

static int prepare(void **unused) {
    if (make_folder(unused) != 0) return -1;
    json_set_alloc_funcs(json_block, free);
    FILE *rows = fopen(in_folder("words.csv"), "w");
    fputs("a,b,c,d,e,f,label\n", rows);
    for (int i = 0; i < 40; i++)
        fprintf(rows, "%d,%d,%d,%d,%d,%d,%s\n", i % 3, i % 5, i % 7, 1000 + (i * i) % 11, i % 2, (i * 5) % 13,
                (i * i) % 5 < 2 ? "yes" : "no");
    fclose(rows);
    put_text("graph.txt", "0 1\n1 4 0.5\n2 5\n");
    put_text("F.mtx", "%%MatrixMarket matrix coordinate real general\n4 6 5\n1 1 1\n1 2 -1\n2 3 1\n3 4 2\n4 6 1\n");
    spdhg_data *numbers = random_data(30, 8, false, true), *words = must_read(in_folder("words.csv"), NULL);
    spdhg_error err;
    assert_int_equal(spdhg_data_write(numbers, in_folder("a.svm"), NULL, &err), SPDHG_OK);
    assert_int_equal(spdhg_data_write(numbers, in_folder("a.mtx"), NULL, &err), SPDHG_OK);
    assert_int_equal(spdhg_data_write(numbers, in_folder("a.cluto"), "cluto", &err), SPDHG_OK);
    assert_int_equal(spdhg_data_write(words, in_folder("words.spd"), NULL, &err), SPDHG_OK);
    spdhg_data_free(numbers);
    spdhg_data_free(words);
    run("gzip -k %s", in_folder("a.svm"));
    run("bzip2 -k %s", in_folder("a.svm"));
    run("xz -k %s", in_folder("a.svm"));
    run("zstd -q -k %s", in_folder("a.svm"));
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_format),         cmocka_unit_test(every_solver_fits),
                                       cmocka_unit_test(a_run_resumes),        cmocka_unit_test(a_binding_binds),
                                       cmocka_unit_test(signals_are_denoised), cmocka_unit_test(pages_are_made),
                                       cmocka_unit_test(a_race_goes_on)};
    return cmocka_run_group_tests(tests, prepare, remove_folder);
}
