/* choose.c - chooses rho when it is not given: by the largest component allowed, by a number of edges, or by the extended
 * Bayesian information criterion (Foygel & Drton 2010)
 *     EBIC = N (<S, Theta> - log det Theta) + E log N + 4 E kappa log d,  kappa = 1/2. */
#include "graph/graph.h"

#define KAPPA 0.5
#define GRID_RATIO 0.05 /* smallest rho of a grid divided by the largest */
enum { ALM_COMPONENT = 500, BISECTIONS = 24 };

/* At least the noise level of independent columns. For methods that solve components, also large enough to keep those small. */
static spdhg_status choose_auto(const spd_graph_request *r, double floor, double *rho, spdhg_error *err) {
    *rho = floor;
    if (r->method == &spd_method_neighbourhood) return SPDHG_OK;
    int64_t most = r->o->max_component;
    if (r->method == &spd_method_alm && most > ALM_COMPONENT) most = ALM_COMPONENT;
    return spd_screen_rho(r->c, spd_threads(r->o->threads), floor, most, rho, err);
}

static spdhg_status count_edges(const spd_graph_request *r, double rho, int64_t *edges, spdhg_error *err) {
    spd_graph graph = {0};
    const spdhg_status status = r->method->learn(r->c, rho, r->o, &graph, err);
    *edges = graph.edge.count;
    spd_graph_free(&graph);
    return status;
}

/* The number of edges need not decrease monotonically in rho, so several rho may qualify. This finds one of them, with the
 * requested number of edges or slightly fewer. */
static spdhg_status choose_edges(const spd_graph_request *r, double *rho, spdhg_error *err) {
    double low, high;
    int64_t edges;
    const int threads = spd_threads(r->o->threads);
    if (r->method == &spd_method_correlation) return spd_nth_largest(r->c, threads, r->o->edges + 1, rho, &high, err);
    SPD_TRY(spd_nth_largest(r->c, threads, 1, &low, &high, err));
    SPD_TRY(choose_auto(r, GRID_RATIO / 10 * high, &low, err));
    SPD_TRY(count_edges(r, low, &edges, err));
    if (edges <= r->o->edges) high = low;
    for (int k = 0; k < BISECTIONS && high > 1.0001 * low && edges != r->o->edges; k++) {
        const double middle = sqrt(low * high);
        SPD_TRY(count_edges(r, middle, &edges, err));
        if (edges <= r->o->edges)
            high = middle;
        else
            low = middle;
    }
    *rho = high;
    return SPDHG_OK;
}

/* Descends from the rho at which the first edge appears, as long as the components remain solvable. */
static spdhg_status make_grid(const spd_graph_request *r, double grid[SPD_RHO_GRID], spdhg_error *err) {
    double low, high;
    SPD_TRY(spd_nth_largest(r->c, spd_threads(r->o->threads), 1, &low, &high, err));
    SPD_TRY(choose_auto(r, GRID_RATIO * high, &low, err));
    low = fmin(low, high);
    for (int k = 0; k < SPD_RHO_GRID; k++) grid[k] = high > 0 ? high * pow(low / high, (double)k / (SPD_RHO_GRID - 1)) : 0;
    return SPDHG_OK;
}

static spdhg_status choose_ebic(const spd_graph_request *r, const double grid[SPD_RHO_GRID], double *rho, spdhg_error *err) {
    const double N = (double)r->c->rows, d = (double)r->c->features;
    double best = INFINITY;
    for (int k = 0; k < SPD_RHO_GRID; k++) {
        spd_graph graph = {0};
        const spdhg_status status = r->method->learn(r->c, grid[k], r->o, &graph, err);
        const double edges = (double)graph.edge.count;
        const double score = N * (graph.trace - graph.logdet) + edges * (log(N) + 4 * KAPPA * log(d));
        spd_graph_free(&graph);
        SPD_TRY(status);
        if (score < best) {
            best = score;
            *rho = grid[k];
        }
    }
    return SPDHG_OK;
}

spdhg_status spd_choose_rho(const spd_graph_request *r, double *rho, spdhg_error *err) {
    const char *how = r->o->choose;
    *rho = r->o->rho;
    if (r->o->rho > 0 || !r->method->uses_rho) return SPDHG_OK;
    if (strcmp(how, "auto") == 0) return choose_auto(r, spd_noise_level(r->c), rho, err);
    if (strcmp(how, "edges") == 0) return choose_edges(r, rho, err);
    double grid[SPD_RHO_GRID];
    SPD_TRY(make_grid(r, grid, err));
    return strcmp(how, "ebic") == 0 ? choose_ebic(r, grid, rho, err) : spd_choose_stars(r, grid, rho, err);
}
