/* stories.h - what test_malloc.c does again and again, each time with another allocation refused: from files to a model, a
 * binding, a signal, a run that resumes, pages, a race. What a story finds is in its numbers, so that they can be compared. */
#ifndef STORIES_H
#define STORIES_H
#include <sys/stat.h>

#include "failing.h"
#include "model/checkpoint.h"
#include "model/model.h"
#include "readers.h"
#include "report/report.h"
#include "run/run.h"
#include "trace/trace.h"

static inline double sum(const double *value, int64_t count) {
    double total = 0;
    for (int64_t i = 0; value && i < count; i++) total += value[i] * (double)(i % 7 + 1);
    return total;
}

static inline double size_of_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? (double)info.st_size : NAN;
}

static inline void read_and_write(story *s) {
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

static inline bool takes_sets(const char *solver) {
    return strcmp(solver, "sadmm") != 0 && strcmp(solver, "alm-ssn") != 0 && strcmp(solver, "ipm") != 0;
}

/* Without memory for sums of twice the digits f is an ordinary sum: all digits but the last ones are the same. */
static inline double twelve_digits(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.12g", value);
    return strtod(text, NULL);
}

/* Three terms, groups, weights, offsets, standardised, centred, fitted, saved, read, used, reported. */
static inline void fit(story *s) {
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
static inline void bind(story *s) {
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
static inline void denoise(story *s) {
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
static inline void resume(story *s) {
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
static inline void trace_page(story *s) {
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
static inline void race_page(story *s) {
    CALL(spd_report_race(folder, in_folder("race.html"), &s->err));
    s->number[0] = size_of_file(in_folder("race.html"));
end:
    return;
}

static inline void forget_race(void) {
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
static inline void race(story *s) {
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

#endif
