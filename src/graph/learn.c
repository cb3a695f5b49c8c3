/* learn.c - every step from rows to F: checks the options, then columns, rho, graph, structure, report. */
#include "graph/graph.h"
#include "structure/structure.h"

enum { NORM_ROUNDS = 100 };

static const spd_graph_method *const table[] = {&spd_method_quic, &spd_method_alm, &spd_method_neighbourhood,
                                                &spd_method_correlation, &spd_method_knn};
enum { ENTRIES = sizeof table / sizeof *table };

const spd_graph_method *const *spd_graph_method_table(int *entries) {
    *entries = ENTRIES;
    return table;
}

void spd_graph_free(spd_graph *graph) {
    spd_free(graph->edge.pair);
    spd_free(graph->diagonal);
    spd_free(graph->theta);
    *graph = (spd_graph){0};
}

static spdhg_status one_of(const char *what, const char *asked, const char *const *name, int names, int *found,
                           spdhg_error *err) {
    for (*found = 0; *found < names; ++*found)
        if (asked && strcmp(name[*found], asked) == 0) return SPDHG_OK;
    char list[200];
    spd_names(list, sizeof list, name, names, sizeof *name);
    return spd_fail(err, SPDHG_USAGE, "unknown %s '%s'; expected one of: %s", what, asked ? asked : "", list);
}

static spdhg_status check_choice(const spdhg_graph_options *o, const spd_graph_method *method, spdhg_error *err) {
    static const char *const choices[] = {"auto", "edges", "ebic", "stars"}, *const forms[] = {"edge", "edge+I", "skew",
                                                                                               "precision"};
    int which;
    SPD_TRY(one_of("form", o->form, forms, 4, &which, err));
    if (which == 3 && !method->precision)
        return spd_fail(err, SPDHG_USAGE, "method %s computes no precision matrix; quic and alm do", method->name);
    SPD_TRY(one_of("choice of rho", o->choose, choices, 4, &which, err));
    if (which == 0) return SPDHG_OK;
    if (!method->uses_rho)
        return spd_fail(err, SPDHG_USAGE, "method %s has no rho, so '%s' cannot choose it", method->name, o->choose);
    if (o->rho > 0)
        return spd_fail(err, SPDHG_USAGE, "rho is given as %g and also to be chosen by '%s'; use one of the two", o->rho,
                        o->choose);
    if (which == 1 && o->edges < 1) return spd_fail(err, SPDHG_USAGE, "%lld edges: expected at least 1", (long long)o->edges);
    if (which == 2 && !method->precision)
        return spd_fail(err, SPDHG_USAGE, "method %s has no likelihood for ebic; quic and alm do", method->name);
    return SPDHG_OK;
}

static spdhg_status check(const spdhg_graph_options *o, const spd_graph_method **method, spdhg_error *err) {
    const char *name[ENTRIES];
    int which;
    for (int k = 0; k < ENTRIES; k++) name[k] = table[k]->name;
    SPD_TRY(one_of("method", o->method, name, ENTRIES, &which, err));
    *method = table[which];
    if (!(o->rho >= 0) || !isfinite(o->rho))
        return spd_fail(err, SPDHG_USAGE, "rho is %g; expected a number of at least 0", o->rho);
    if (!(o->tol > 0)) return spd_fail(err, SPDHG_USAGE, "tol is %g; expected a number above 0", o->tol);
    if (!(o->threshold >= 0)) return spd_fail(err, SPDHG_USAGE, "threshold is %g; expected a number of at least 0", o->threshold);
    if (o->neighbours < 1) return spd_fail(err, SPDHG_USAGE, "%lld neighbours: expected at least 1", (long long)o->neighbours);
    if (o->max_component < 1)
        return spd_fail(err, SPDHG_USAGE, "components of at most %lld features: expected at least 1",
                        (long long)o->max_component);
    return check_choice(o, *method, err);
}

static void find_hubs(const int64_t *degree, int64_t d, spdhg_graph_report *out) {
    for (int64_t j = 0; j < d; j++) {
        int64_t at = out->hubs;
        while (at > 0 && degree[j] > out->hub_degree[at - 1]) at--;
        if (degree[j] == 0 || at == SPDHG_HUBS) continue;
        if (out->hubs < SPDHG_HUBS) out->hubs++;
        for (int64_t k = out->hubs - 1; k > at; k--) {
            out->hub[k] = out->hub[k - 1];
            out->hub_degree[k] = out->hub_degree[k - 1];
        }
        out->hub[at] = j;
        out->hub_degree[at] = degree[j];
    }
}

static spdhg_status describe(const spd_graph *graph, const spdhg_structure *F, spdhg_graph_report *out, spdhg_error *err) {
    const int64_t d = graph->nodes;
    spd_components parts = {0};
    int64_t *degree = SPD_NEW(int64_t, d);
    double *work = SPD_NEW(double, F->F.n + F->F.m);
    spdhg_status status = degree && work ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)(2 * d + F->F.m));
    if (status == SPDHG_OK) status = spd_components_of(d, graph->edge.pair, graph->edge.count, &parts, err);
    if (status == SPDHG_OK) {
        for (int64_t e = 0; e < graph->edge.count; e++) {
            degree[graph->edge.pair[e].i]++;
            degree[graph->edge.pair[e].j]++;
        }
        find_hubs(degree, d, out);
        for (int64_t j = 0; j < d; j++) out->isolated += degree[j] == 0;
        out->edges = graph->edge.count;
        out->mean_degree = d > out->isolated ? 2 * (double)out->edges / (double)(d - out->isolated) : 0;
        out->components = parts.count - out->isolated;
        out->largest = parts.count > 0 ? parts.first[1] : 0;
        out->norm = spd_csr_power(&F->F, NORM_ROUNDS, work);
        out->norm_bound = F->norm_bound;
    }
    spd_components_free(&parts);
    spd_free(degree);
    spd_free(work);
    return status;
}

static spdhg_status learn(spdhg_structure **out, const spd_graph_request *r, spd_graph *graph, spdhg_graph_report *report,
                          spdhg_error *err) {
    double rho;
    SPD_TRY(spd_choose_rho(r, &rho, err));
    graph->nodes = r->c->features;
    SPD_TRY(r->method->learn(r->c, rho, r->o, graph, err));
    report->solve_seconds = graph->seconds;
    SPD_TRY(spd_structure_from_graph(out, graph, r->o->form, "learned", err));
    report->rows = r->c->rows;
    report->nodes = graph->nodes;
    report->constant = r->c->constants;
    report->rho = r->method->uses_rho ? rho : NAN;
    report->objective = r->method->precision ? graph->objective : NAN;
    report->gap = r->method->precision ? graph->gap : NAN;
    report->iterations = graph->iterations;
    report->converged = graph->converged;
    return describe(graph, *out, report, err);
}

spdhg_status spd_graph_learn(spdhg_structure **out, spd_graph *graph, const spdhg_data *data, const int64_t *row, int64_t rows,
                             const spdhg_graph_options *options, spdhg_graph_report *report, spdhg_error *err) {
    spdhg_graph_options o = SPDHG_GRAPH_OPTIONS;
    const double begun = spd_now();
    spd_graph_request r = {.data = data, .row = row, .rows = rows, .o = &o};
    *report = (spdhg_graph_report){0};
    *graph = (spd_graph){0};
    *out = NULL;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_graph_options, &o, options, err));
    SPD_TRY(check(&o, &r.method, err));
    spd_columns *c;
    SPD_TRY(spd_columns_new(&c, data, row, rows, r.o->covariance, spd_threads(r.o->threads), err));
    r.c = c;
    const spdhg_status status = learn(out, &r, graph, report, err);
    report->seconds = spd_now() - begun;
    spd_columns_free(c);
    if (status == SPDHG_OK) return SPDHG_OK;
    spd_graph_free(graph);
    spdhg_structure_free(*out);
    *out = NULL;
    return status;
}

spdhg_status spdhg_structure_learn(spdhg_structure **out, const spdhg_data *data, const int64_t *row, int64_t rows,
                                   const spdhg_graph_options *options, spdhg_graph_report *report, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    spdhg_graph_report own;
    spd_graph graph;
    const spdhg_status status = spd_graph_learn(out, &graph, data, row, rows, options, report ? report : &own, err);
    spd_graph_free(&graph);
    return status;
}
