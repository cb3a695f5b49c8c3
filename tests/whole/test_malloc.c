/* test_malloc.c - failing memory: every allocation of a complete scenario, from files to a report, is refused once, the n-th for
 * n = 1, 2, ... The call must return SPDHG_MEMORY, free what it allocated, leave no file behind, and be repeatable: the result is
 * then the same to the bit. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "failing.h"
#include "model/checkpoint.h"
#include "model/model.h"
#include "readers.h"
#include "report/report.h"
#include "run/run.h"
#include "trace/trace.h"

static double sum(const double *value, int64_t count) {
    double total = 0;
    for (int64_t i = 0; value && i < count; i++) total += value[i] * (double)(i % 7 + 1);
    return total;
}

static double size_of_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? (double)info.st_size : NAN;
}

static void read_and_write(story *s) {
    static const char *const copies[] = {"copy.svm", "copy.csv", "copy.mtx", "copy.cluto", "copy.spd"};
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    o.threads = 2, o.unlabelled_ok = true;
    spdhg_data *data = NULL;
    spd_inspection seen;
    MAKE(data, spdhg_data_read(&data, s->solver, &o, &s->err));
    CALL(spd_data_inspect(data, &seen, &s->err));
    s->number[0] = sum(data->val, data->nnz) + (double)seen.label_runs;
    s->number[1] =
        sum(data->b, data->rows) + (data->label ? (double)data->label[0][0] : 0) + (data->name ? (double)data->name[0][0] : 0);
    for (size_t i = 0; i < 5; i++) {
        CALL(spdhg_data_write(data, in_folder(copies[i]), i == 3 ? "cluto" : NULL, &s->err));
        s->number[2 + i] = size_of_file(in_folder(copies[i]));
    }
end:
    spdhg_data_free(data);
}

static bool takes_sets(const char *solver) {
    return strcmp(solver, "sadmm") != 0 && strcmp(solver, "alm-ssn") != 0 && strcmp(solver, "ipm") != 0;
}

/* Without memory for sums of twice the digits f is an ordinary sum: all digits but the last ones are the same. */
static double twelve_digits(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.12g", value);
    return strtod(text, NULL);
}

/* Three terms, groups, weights, offsets, standardised, centred, fitted, saved, read, used, reported. */
static void fit(story *s) {
    spdhg_data *data = NULL, *part = NULL;
    spdhg_structure *chain = NULL, *edges = NULL, *matrix = NULL;
    spdhg_problem *problem = NULL;
    spdhg_solver *solver = NULL;
    spdhg_model *model = NULL, *again = NULL;
    spd_metrics metrics = {0};
    double weight[40], offset[40], row_weight[5], scores[40];
    int64_t row[40], points;
    for (int i = 0; i < 40; i++) weight[i] = 1 + i % 3, offset[i] = 0.1 * (i % 4), row[i] = 39 - i;
    for (int i = 0; i < 5; i++) row_weight[i] = i;
    spdhg_options o = SPDHG_OPTIONS;
    o.epochs = 4, o.threads = 2, o.checkpoint = in_folder("state"), o.checkpoint_every = 1e-9;
    MAKE(data, spdhg_data_read(&data, in_folder("words.csv"), NULL, &s->err));
    MAKE(part, spd_data_subset(&part, data, row, 12, &s->err));
    CALL(spdhg_data_set_weights(data, weight, &s->err));
    CALL(spdhg_data_set_offsets(data, offset, 1, &s->err));
    MAKE(chain, spdhg_structure_new(&chain, "chain", 6, &s->err));
    char spec[200];
    snprintf(spec, sizeof spec, "edges:%s", in_folder("graph.txt"));
    MAKE(edges, spdhg_structure_new(&edges, spec, 6, &s->err));
    snprintf(spec, sizeof spec, "matrix:%s", in_folder("F.mtx"));
    MAKE(matrix, spdhg_structure_new(&matrix, spec, 6, &s->err));
    MAKE(problem, spdhg_problem_new(&problem, data, "logistic", &s->err));
    CALL(spdhg_problem_rows(problem, row, 36, &s->err));
    const spdhg_term_options weighted = {.size = sizeof weighted, .row_weight = row_weight, .row_weights = 5};
    const spdhg_term_options grouped = {.size = sizeof grouped, .groups = "size:2"};
    CALL(spdhg_problem_term(problem, "l1", chain, 0.01, &weighted, &s->err));
    CALL(spdhg_problem_term(problem, "group", matrix, 0.02, &grouped, &s->err));
    CALL(spdhg_problem_term(problem, "l1", edges, 0.005, NULL, &s->err));
    CALL(spdhg_problem_ridge(problem, 0.01, &s->err));
    CALL(spdhg_problem_standardize(problem, true, &s->err));
    CALL(spdhg_problem_intercept(problem, true, &s->err)); /* with a column far from 0, which is centred */
    CALL(spdhg_problem_class_weight(problem, "balanced", &s->err));
    CALL(spdhg_problem_set(problem, takes_sets(s->solver) ? "ball:5" : "all", &s->err));
    MAKE(solver, spdhg_solver_new(&solver, s->solver, problem, &o, &s->err));
    CALL(spdhg_solver_test(solver, part, &s->err));
    const bool before = s->refused;
    CALL(spdhg_solver_run(solver, NULL, &s->err));
    if (s->refused != before) s->comparable = false; /* a second run starts where the first one ended */
    s->number[0] = twelve_digits(spdhg_solver_solution(solver)->objective);
    MAKE(model, spdhg_model_from_solver(&model, solver, &s->err));
    const spdhg_point *trace = spdhg_solver_trace(solver, &points);
    CALL(spd_trace_write_csv(in_folder("trace.csv"), "x", 0, trace, points, &s->err));
    CALL(spdhg_model_write(model, in_folder("model.json"), &s->err));
    MAKE(again, spdhg_model_read(&again, in_folder("model.json"), &s->err));
    CALL(spdhg_model_scores(again, part, scores, &s->err));
    s->number[1] = sum(scores, 12);
    CALL(spd_model_metrics(again, part, scores, &metrics, &s->err));
    s->number[2] = metrics.accuracy;
    const spd_report report = {.title = "t",
                               .command = "c",
                               .model = again,
                               .point = trace,
                               .points = points,
                               .solution = spdhg_solver_solution(solver),
                               .structure = edges};
    CALL(spd_report_write(&report, in_folder("report.html"), &s->err));
end:
    free(metrics.confusion);
    spdhg_model_free(again);
    spdhg_model_free(model);
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_structure_free(chain);
    spdhg_structure_free(edges);
    spdhg_structure_free(matrix);
    spdhg_data_free(part);
    spdhg_data_free(data);
}

/* The calls of a binding: arrays and texts from memory, a gap at a point, a model as text and back. */
static void bind(story *s) {
    const double val[] = {1, 2, 0, 1, 3, 1}, b[] = {0, 1, 1}, x[] = {0.1, -0.2};
    const char *const labels[] = {"no", "yes"}, *const names[] = {"age", "size"};
    const int64_t end[] = {1, 0};
    spdhg_data *data = NULL;
    spdhg_structure *F = NULL;
    spdhg_problem *problem = NULL;
    spdhg_solver *solver = NULL;
    spdhg_model *model = NULL, *back = NULL;
    char *text = NULL;
    spdhg_gap gap;
    MAKE(data, spdhg_data_from_csr(&data, 3, 2, NULL, NULL, val, b, 1, SPDHG_BORROW, &s->err));
    CALL(spdhg_data_set_labels(data, labels, 2, &s->err));
    CALL(spdhg_data_set_names(data, names, &s->err));
    MAKE(F, spdhg_structure_from_edges(&F, 2, 1, end, NULL, &s->err));
    MAKE(problem, spdhg_problem_new(&problem, data, s->solver, &s->err));
    CALL(spdhg_problem_term(problem, "l1", F, 0.1, NULL, &s->err));
    CALL(spdhg_duality_gap(problem, 1, x, NULL, NULL, &gap, &s->err));
    s->number[0] = gap.objective;
    MAKE(solver, spdhg_solver_new(&solver, "spdhg", problem, NULL, &s->err));
    CALL(spdhg_solver_run(solver, NULL, &s->err));
    MAKE(model, spdhg_model_from_solver(&model, solver, &s->err));
    MAKE(text, spdhg_model_to_text(model, &text, &s->err));
    MAKE(back, spdhg_model_from_text(&back, text, strlen(text), &s->err));
    s->number[1] = sum(back->x, 2);
end:
    spdhg_text_free(text);
    spdhg_model_free(back);
    spdhg_model_free(model);
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

/* A line with gaps at uneven positions, or an image; lambda is chosen as s->solver says. Then a page about it. */
static void denoise(story *s) {
    double value[24], position[24], weight[24];
    for (int i = 0; i < 24; i++) {
        value[i] = i == 5 ? NAN : (i > 11) + 0.3 * ((i * i) % 5);
        position[i] = i + 0.1 * ((i * 7) % 5);
        weight[i] = 1 + i % 2;
    }
    const bool image = strcmp(s->solver, "image") == 0;
    spdhg_denoised *denoised = NULL;
    spdhg_denoise_options o = SPDHG_DENOISE_OPTIONS;
    spdhg_options solve = SPDHG_OPTIONS;
    o.structure = image ? "grid:4x6" : "trend:1", o.choose = image ? "bic" : s->solver;
    o.lambdas = 3, o.ratio = 0.1, o.folds = 2, o.isotropic = false, solve.threads = 1;
    const spdhg_signal signal = {24, value, image ? NULL : position, weight, NULL};
    MAKE(denoised, spdhg_denoise(&denoised, &signal, &o, &solve, &s->err));
    spdhg_denoised_view view;
    spdhg_denoised_get_view(denoised, &view);
    s->number[0] = sum(view.x, 24) + view.lambda;
    s->number[1] = (double)view.knots;
    const spd_signal_report report = {.title = "t",
                                      .command = "c",
                                      .structure = o.structure,
                                      .loss = o.loss,
                                      .choose = o.choose,
                                      .signals = 1,
                                      .value = value,
                                      .position = signal.position,
                                      .side = {image ? 4 : 0, image ? 6 : 0, 1},
                                      .view = &view};
    CALL(spd_report_signals(&report, in_folder("signal.html"), &s->err));
end:
    spdhg_denoised_free(denoised);
}

/* Resumes from the checkpoint of the last fit. */
static void resume(story *s) {
    spdhg_data *data = NULL;
    spdhg_structure *F = NULL;
    spdhg_problem *problem = NULL;
    spdhg_solver *solver = NULL;
    spdhg_options o = SPDHG_OPTIONS;
    o.epochs = 3, o.checkpoint = in_folder("half");
    MAKE(data, spdhg_data_read(&data, in_folder("words.csv"), NULL, &s->err));
    MAKE(F, spdhg_structure_new(&F, "trend:1", 6, &s->err));
    MAKE(problem, spdhg_problem_new(&problem, data, "logistic", &s->err));
    CALL(spdhg_problem_term(problem, "l1", F, 0.01, NULL, &s->err));
    for (int half = 0; half < 2; half++) {
        MAKE(solver, spdhg_solver_new(&solver, s->solver, problem, &o, &s->err));
        const bool before = s->refused;
        CALL(spdhg_solver_run(solver, NULL, &s->err));
        if (s->refused != before && half == 0) s->comparable = false;
        s->number[half] = spdhg_solver_solution(solver)->objective;
        spdhg_solver_free(solver);
        solver = NULL;
        o.epochs = 6, o.resume = o.checkpoint;
    }
end:
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

/* Makes a page from traces. */
static void trace_page(story *s) {
    char trace[2][100];
    const spdhg_point point[] = {{0, 0, 0, 1, 1, 0, 1, 0.5, NAN, 0}, {1, 10, 0.1, 0.5, 0.5, 0, 0.6, 0.7, 0.1, 1}};
    for (int i = 0; i < 2; i++) {
        snprintf(trace[i], sizeof trace[i], "%s", in_folder(i == 0 ? "race.csv" : "other.csv"));
        CALL(spd_trace_write_csv(trace[i], "spdhg", i, point, 2, &s->err));
    }
    CALL(spd_report_traces((const char *const[]){trace[0], trace[1]}, 2, "caf\xE9", in_folder("traces.html"), &s->err));
    s->number[0] = size_of_file(in_folder("traces.html"));
end:
    return;
}

/* Makes a page from a race. */
static void race_page(story *s) {
    CALL(spd_report_race(folder, in_folder("race.html"), &s->err));
    s->number[0] = size_of_file(in_folder("race.html"));
end:
    return;
}

static void forget_race(void) {
    char path[600];
    const char *const folders[] = {"race/runs", "race"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        DIR *entries = opendir(in_folder(folders[i]));
        for (struct dirent *entry; entries && (entry = readdir(entries));) {
            snprintf(path, sizeof path, "%s/%s", in_folder(folders[i]), entry->d_name);
            if (entry->d_name[0] != '.') remove(path);
        }
        if (entries) closedir(entries);
        rmdir(in_folder(folders[i]));
    }
}

/* Two solvers, one tuned; after a refusal the same call continues in the same folder. */
static void race(story *s) {
    forget_race();
    char data[100], out[100], line[400];
    snprintf(data, sizeof data, "%s", in_folder("words.csv"));
    snprintf(out, sizeof out, "%s", in_folder("race"));
    const char *const sets[] = {data};
    spdhg_race_options o = SPDHG_RACE_OPTIONS;
    o.solvers = s->solver, o.tasks = "ggrlr", o.repeats = 1, o.epochs = 1, o.jobs = 1;
    CALL(spdhg_race(sets, 1, out, &o, NULL, &s->err));
    FILE *file = __real_fopen(in_folder("race/words.ggrlr.csv"), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        double epoch, objective;
        if (sscanf(line, "%*[^,],%*d,%lf,%*d,%*f,%lf", &epoch, &objective) == 2) s->number[0] += objective, s->number[1] += epoch;
    }
    fclose(file);
end:
    return;
}

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
