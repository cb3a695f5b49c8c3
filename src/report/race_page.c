/* race_page.c - the page about a race (DIR/summary.json and the files it names) or about traces: a summary sentence, winners,
 * statistics, every problem with its panels, tables, coefficients and graph, settings, command. The script draws the curves. */
#include "reader/read.h"
#include "report/graph_page.h"
#include "report/race.h"
#include "structure/structure.h"

static void sentence(FILE *out, const spd_raced *race) {
    const json_t *problems = spd_raced_problems(race);
    static const char *const status[] = {"done", "time-out", "diverged", "refused", "failed"};
    int64_t runs = 0, count[5] = {0};
    for (size_t p = 0; p < json_array_size(problems); p++) {
        runs += spd_raced_count(json_array_get(problems, p), NULL);
        for (int k = 0; k < 5; k++) count[k] += spd_raced_count(json_array_get(problems, p), status[k]);
    }
    char text[SPD_SHORT], all[SPD_SHORT];
    spd_html(out, "<p>@ solvers on @ problems", spd_html_count(text, race->solvers),
             spd_html_count(all, (int64_t)json_array_size(problems)));
    spd_html(out,
             ", @ runs; protocol: <bdi>@</bdi>. All values are raw, never the best so far.</p></header>\n<section class='tiles'>",
             spd_html_count(text, runs), spd_json_text_of(race->summary, "protocol"));
    for (int k = 0; k < 5; k++)
        if (k < 3 || count[k] > 0)
            spd_html(out, "<div class='tile'><b>@</b><span>runs @</span></div>", spd_html_count(text, count[k]),
                     k == 1 ? "ended by the time limit" : status[k]);
    spd_html(out, "</section>\n");
}

static void contents(FILE *out, const spd_raced *race) {
    const json_t *problems = spd_raced_problems(race);
    char id[SPD_SHORT];
    spd_html(out, "<ul class='contents'><li><a href='#winners'>Winners</a></li>");
    if (json_array_size(spd_json_list(race->summary, "statistics")) > 0)
        spd_html(out, "<li><a href='#statistics'>Statistics</a></li>");
    for (size_t p = 0; p < json_array_size(problems); p++) {
        snprintf(id, sizeof id, "#p%zu", p);
        spd_html(out, "<li><a href='@'><bdi>@</bdi>, <bdi>@</bdi></a></li>", id,
                 spd_json_text_of(json_array_get(problems, p), "data"), spd_json_text_of(json_array_get(problems, p), "task"));
    }
    spd_html(out, "<li><a href='#settings'>Settings</a></li></ul>\n");
}

static void put_count(FILE *out, const char *before, double value, const char *after) {
    char text[SPD_SHORT];
    if (fabs(value) < 1e15) spd_html(out, "@@@", before, spd_html_count(text, (int64_t)value), after);
}

static void about(FILE *out, const json_t *p) {
    const json_t *optima = spd_json_list(p, "optima");
    char text[SPD_SHORT], gap[SPD_SHORT];
    double worst = NAN;
    bool certified = json_array_size(optima) > 0;
    for (size_t o = 0; o < json_array_size(optima); o++) {
        worst = fmax(worst, spd_json_number_of(json_array_get(optima, o), "gap"));
        certified &= json_is_true(json_object_get(json_array_get(optima, o), "certified"));
    }
    spd_html(out, "<p class='faint'>");
    put_count(out, "", spd_json_number_of(p, "samples"), " rows for training");
    put_count(out, ", ", spd_json_number_of(p, "test_samples"), " for testing");
    put_count(out, ", ", spd_json_number_of(p, "features"), " features; ");
    spd_html(out, "lambda @, ", spd_html_number(text, spd_json_number_of(p, "lambda"), 4));
    spd_html(out, "gamma @; structure <bdi>@</bdi>", spd_html_number(text, spd_json_number_of(p, "gamma"), 4),
             spd_json_text_of(p, "structure"));
    put_count(out, " of ", spd_json_number_of(p, "structure_rows"), " rows");
    put_count(out, " and ", spd_json_number_of(p, "structure_nonzeros"), " nonzeros");
    spd_html(out, ". ");
    if (json_array_size(optima) > 0)
        spd_html(out, "@ in every repeat, with a duality gap of at most @.",
                 certified ? "The optimum is certified" : "Optima are not certified",
                 spd_html_number(gap, spd_round_towards(INFINITY, worst, 2), 2));
    else
        spd_html(out, "<span class='warn'>No optimum is known, so no suboptimality is shown.</span>");
    spd_html(out, "</p>\n");
}

static spdhg_status put_graph(FILE *out, const spd_raced *race, const char *name, const spdhg_model *model, spdhg_error *err) {
    char *path;
    SPD_TRY(spd_raced_file(&path, race->directory, name, err));
    spd_csr F = {0};
    spd_graph graph = {0};
    const spd_node_names names = {model ? model->name : NULL, model ? model->index_base : 1};
    spdhg_status status = spd_raced_there(path) ? spd_matrix_market_read(path, &F, err) : SPDHG_OK;
    spd_free(path);
    if (status == SPDHG_OK) status = spd_graph_of_rows(&F, &graph, err);
    if (status == SPDHG_OK && graph.edge.count > 0) {
        char text[SPD_SHORT];
        spd_html(out, "<details><summary>The graph of the first repeat: @ edges</summary>\n",
                 spd_html_count(text, graph.edge.count));
        status = spd_graph_draw(out, &graph, &names, err);
        spd_html(out, "</details>\n");
    }
    spd_graph_free(&graph);
    spd_csr_free(&F);
    return status;
}

/* Coefficients and graph, if they exist. */
static spdhg_status pictures(FILE *out, const spd_raced *race, const json_t *problem, spdhg_error *err) {
    const char *name = spd_json_text_of(problem, "model"), *structure = spd_json_text_of(problem, "structure_file");
    spdhg_model *model = NULL;
    spdhg_status status = SPDHG_OK;
    if (*name) {
        char *path;
        SPD_TRY(spd_raced_file(&path, race->directory, name, err));
        if (spd_raced_there(path)) status = spdhg_model_read(&model, path, err);
        spd_free(path);
    }
    if (model) {
        spd_html(out, "<details><summary>The coefficients of <bdi>@</bdi> in the first repeat</summary>\n", model->solver);
        status = spd_page_coefficients(out, "h3", model, NULL, NULL, err);
        spd_html(out, "</details>\n");
    }
    if (status == SPDHG_OK && *structure) status = put_graph(out, race, structure, model, err);
    spdhg_model_free(model);
    return status;
}

static void panels(FILE *out, const spd_raced *race, size_t p) {
    char id[SPD_SHORT];
    if (race->runs[p].count == 0) {
        spd_html(out, "<p class='warn'>There are no traces, so no curves are drawn.</p>\n");
        return;
    }
    spd_html(
        out,
        "<div class='panels' data-problem='@'><noscript>The curves need JavaScript; the tables below do not.</noscript></div>\n",
        spd_html_count(id, (int64_t)p));
}

static spdhg_status problem_section(FILE *out, const spd_raced *race, size_t p, spdhg_error *err) {
    const json_t *problem = json_array_get(spd_raced_problems(race), p);
    char id[SPD_SHORT];
    snprintf(id, sizeof id, "p%zu", p);
    spd_html(out, "<section class='problem' id='@'>\n<h2><bdi>@</bdi>, task <bdi>@</bdi></h2>\n", id,
             spd_json_text_of(problem, "data"), spd_json_text_of(problem, "task"));
    about(out, problem);
    panels(out, race, p);
    spd_raced_results(out, race, problem);
    spd_raced_parameters(out, race, problem);
    const spdhg_status status = pictures(out, race, problem, err);
    spd_html(out, "</section>\n");
    return status;
}

static spdhg_status fill_race(FILE *out, const spd_raced *race, spdhg_error *err) {
    sentence(out, race);
    contents(out, race);
    spd_raced_winners(out, race);
    spd_raced_statistics(out, race);
    spd_html(
        out,
        "<section><h2>Curves</h2>\n<p class='faint'>A curve is the mean over the repeats, with a band from the lowest to the "
        "highest of "
        "them. A square: a repeat reached the time limit; from there on the mean of the others is dotted. A cross: "
        "a repeat diverged; it is drawn as a thin line and left out of the mean, which is dotted. Drag to zoom, double-click to "
        "see "
        "everything again, point at a curve to read it.</p>\n<div class='bar'></div>\n");
    for (size_t p = 0; p < json_array_size(spd_raced_problems(race)); p++) SPD_TRY(problem_section(out, race, p, err));
    spd_html(out, "</section>\n");
    spd_raced_settings(out, race);
    return SPDHG_OK;
}

static void fill_traces(FILE *out, const spd_raced *race) {
    char text[SPD_SHORT];
    spd_html(out, "<p>@ @. Values are raw, never the best so far.</p></header>\n<div class='bar'></div>\n<section>",
             spd_html_count(text, race->solvers), race->solvers == 1 ? "curve" : "curves");
    panels(out, race, 0);
    spd_raced_results(out, race, json_array_get(spd_raced_problems(race), 0));
    spd_html(out, "</section>\n");
    spd_raced_settings(out, race);
}

static spdhg_status write_page(const spd_raced *race, const char *title, const char *path, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    spdhg_status status = SPDHG_OK;
    spd_page_head(file.stream, title, SPD_PAGE_CURVES);
    if (race->directory)
        status = fill_race(file.stream, race, err);
    else
        fill_traces(file.stream, race);
    spd_raced_data(file.stream, race);
    spd_page_foot(file.stream, SPD_PAGE_CURVES);
    if (status == SPDHG_OK) return spd_file_commit(&file, err);
    spd_file_abort(&file);
    return status;
}

/* Counts distinct names: problems of one data set need not follow each other. */
static int data_sets(const json_t *problems) {
    int count = 0;
    for (size_t p = 0; p < json_array_size(problems); p++) {
        bool seen = false;
        for (size_t q = 0; q < p; q++)
            seen |= strcmp(spd_json_text_of(json_array_get(problems, q), "data"),
                           spd_json_text_of(json_array_get(problems, p), "data")) == 0;
        count += !seen;
    }
    return count;
}

spdhg_status spd_report_race(const char *directory, const char *path, spdhg_error *err) {
    spd_raced race;
    char title[120];
    spdhg_status status = spd_raced_read(&race, directory, err);
    if (status == SPDHG_OK) {
        const int sets = data_sets(spd_raced_problems(&race));
        snprintf(title, sizeof title, "Race of %d solvers on %d data set%s", race.solvers, sets, sets == 1 ? "" : "s");
        status = write_page(&race, title, path, err);
    }
    spd_raced_clear(&race);
    return status;
}

spdhg_status spd_report_traces(const char *const *trace, int traces, const char *command, const char *path, spdhg_error *err) {
    spd_raced race;
    spdhg_status status = spd_raced_of_traces(&race, trace, traces, command, err);
    if (status == SPDHG_OK) status = write_page(&race, traces == 1 ? trace[0] : "Traces", path, err);
    spd_raced_clear(&race);
    return status;
}
