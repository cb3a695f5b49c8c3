/* precision.c - Theta of all features: screening splits them into components; QUIC or ALM solves each on its own, largest first.
 * Components are independent, so the result is the same for any number of threads. */
#include <stdlib.h>

#include "graph/graph.h"

enum { QUIC_MOST = 500, ALM_MOST = 20000, LARGEST_QUIC = 5000, LARGEST_ALM = 2000 };

typedef struct component {
    spd_pair_list edge; /* s is Theta_ij */
    double logdet, trace, penalty, gap, seconds;
    int iterations;
    spdhg_status status; /* OK, or out of memory */
} component;

typedef struct job {
    const spd_columns *c;
    const spd_components *parts;
    double rho, diagonal, tol, threshold;
    const spdhg_graph_options *o;
    bool alm;
    component *result;
    double *Theta_ii;
    double work;                /* of all components: the sum of their p^3 */
    atomic_int_fast64_t solved; /* of those that are solved, in millionths of it */
} job;

static double work_of(const spd_components *parts, int64_t t) {
    const double p = (double)(parts->first[t + 1] - parts->first[t]);
    return p * p * p;
}

/* A feature on its own: Theta_ii = 1/(S_ii + diagonal). For a constant feature this is defined only if the diagonal is
 * penalised. */
static void solve_single(const job *w, int64_t t) {
    const int32_t i = w->parts->list[w->parts->first[t]];
    const double S = w->c->variance[i], denominator = S + w->diagonal;
    if (!(denominator > 0)) return;
    w->Theta_ii[i] = 1 / denominator;
    w->result[t].logdet = -log(denominator);
    w->result[t].trace = S / denominator;
    w->result[t].penalty = w->diagonal / denominator;
}

static spdhg_status keep(const job *w, int64_t t, const spd_glasso_point *x, spdhg_error *err) {
    const int64_t first = w->parts->first[t], p = w->parts->first[t + 1] - first;
    const int32_t *list = w->parts->list + first;
    component *r = &w->result[t];
    r->logdet = x->logdet;
    r->trace = x->trace;
    r->penalty = x->penalty;
    r->gap = x->gap;
    r->iterations = x->iterations;
    for (int64_t a = 0; a < p; a++) {
        w->Theta_ii[list[a]] = x->Theta[a * p + a];
        for (int64_t b = a + 1; b < p; b++)
            if (fabs(x->Theta[a * p + b]) > w->threshold)
                SPD_TRY(spd_pair_add(&r->edge, list[a], list[b], x->Theta[a * p + b], err));
    }
    return SPDHG_OK;
}

static spdhg_status solve_one(job *w, int64_t t, spdhg_error *err) {
    const int64_t first = w->parts->first[t], p = w->parts->first[t + 1] - first;
    double *S = spd_alloc_raw(p * p, sizeof *S);
    spd_glasso_point x = {.Theta = spd_alloc_raw(p * p, sizeof *S), .W = spd_alloc_raw(p * p, sizeof *S)};
    spdhg_status status = S && x.Theta && x.W ? SPDHG_OK : spd_fail_memory(err, 24.0 * (double)p * (double)p);
    if (status == SPDHG_OK)
        status = spd_covariance_block(w->c, w->parts->list + first, p, w->parts->home, w->parts->place, S, err);
    if (status == SPDHG_OK) {
        const double own = work_of(w->parts, t) / w->work, before = 1e-6 * (double)atomic_load(&w->solved);
        const spd_glasso g = {p, S, w->rho, w->diagonal, w->tol, w->alm ? ALM_MOST : QUIC_MOST, w->o, before, own};
        const double begun = spd_thread_seconds();
        if (!(w->alm ? spd_alm : spd_quic)(&g, &x)) status = spd_fail_memory(err, 48.0 * (double)p * (double)p);
        w->result[t].seconds = spd_thread_seconds() - begun;
    }
    if (status == SPDHG_OK) status = keep(w, t, &x, err);
    spd_free(S);
    spd_free(x.Theta);
    spd_free(x.W);
    return status;
}

static void solve(void *context, int64_t t) {
    job *w = context;
    if (w->parts->first[t + 1] - w->parts->first[t] == 1)
        solve_single(w, t);
    else
        w->result[t].status = solve_one(w, t, NULL);
    atomic_fetch_add(&w->solved, (int64_t)(1e6 * work_of(w->parts, t) / w->work));
}

/* Gathers the results of the components, in their order, into one graph. */
static spdhg_status gather(const job *w, spd_graph *out, spdhg_error *err) {
    out->converged = true;
    for (int64_t t = 0; t < w->parts->count; t++) {
        const component *r = &w->result[t];
        const double p = (double)(w->parts->first[t + 1] - w->parts->first[t]);
        if (r->status != SPDHG_OK) return spd_fail_memory(err, 88 * p * p);
        out->logdet += r->logdet;
        out->trace += r->trace;
        out->objective += -r->logdet + r->trace + r->penalty;
        out->gap += r->gap;
        out->seconds += r->seconds;
        if (r->iterations > out->iterations) out->iterations = r->iterations;
        if (!(r->gap <= w->tol * p)) out->converged = false;
        for (int64_t e = 0; e < r->edge.count; e++)
            SPD_TRY(spd_pair_add(&out->edge, r->edge.pair[e].i, r->edge.pair[e].j, r->edge.pair[e].s, err));
    }
    if (out->edge.count > 0) qsort(out->edge.pair, (size_t)out->edge.count, sizeof *out->edge.pair, spd_pair_by_place);
    if (!(out->theta = SPD_NEW(double, out->edge.count))) return spd_fail_memory(err, 8.0 * (double)out->edge.count);
    for (int64_t e = 0; e < out->edge.count; e++) {
        spd_pair *pair = &out->edge.pair[e];
        out->theta[e] = pair->s;
        pair->s = -pair->s / sqrt(w->Theta_ii[pair->i] * w->Theta_ii[pair->j]);
    }
    return SPDHG_OK;
}

static spdhg_status check_size(const job *w, const spdhg_graph_options *o, spdhg_error *err) {
    const int64_t p = w->parts->count ? w->parts->first[1] : 0, most = w->alm ? LARGEST_ALM : LARGEST_QUIC;
    const double bytes = (w->alm ? 64.0 : 88.0) * (double)p * (double)p;
    if (p > most)
        return spd_fail(err, SPDHG_USAGE,
                        "at rho = %g a component has %lld features, %s solves at most %lld: raise --rho (auto finds one), or use "
                        "--method neighbourhood",
                        w->rho, (long long)p, w->alm ? "alm" : "quic", (long long)most);
    if (o->max_memory && bytes > (double)o->max_memory)
        return spd_fail(err, SPDHG_MEMORY,
                        "at rho = %g a component has %lld features and needs %.3g bytes, more than the %.3g allowed", w->rho,
                        (long long)p, bytes, (double)o->max_memory);
    return SPDHG_OK;
}

static spdhg_status learn(const spd_columns *c, double rho, const spdhg_graph_options *o, bool alm, spd_graph *out,
                          spdhg_error *err) {
    const int threads = spd_threads(o->threads);
    spd_components parts;
    SPD_TRY(spd_screen(c, threads, rho, &parts, err));
    job w = {c,
             &parts,
             rho,
             o->penalize_diagonal ? rho : 0,
             o->tol,
             o->threshold,
             o,
             alm,
             SPD_NEW(component, parts.count),
             out->diagonal = SPD_NEW(double, c->features),
             0,
             0};
    for (int64_t t = 0; t < parts.count; t++) w.work += work_of(&parts, t);
    spdhg_status status = w.result && w.Theta_ii ? check_size(&w, o, err) : spd_fail_memory(err, 80.0 * (double)parts.count);
    if (status == SPDHG_OK) {
        spd_parallel(threads, parts.count, solve, &w);
        status = gather(&w, out, err);
    }
    for (int64_t t = 0; w.result && t < parts.count; t++) spd_free(w.result[t].edge.pair);
    spd_free(w.result);
    spd_components_free(&parts);
    return status;
}

static spdhg_status learn_quic(const spd_columns *c, double rho, const spdhg_graph_options *o, spd_graph *out, spdhg_error *err) {
    return learn(c, rho, o, false, out, err);
}

static spdhg_status learn_alm(const spd_columns *c, double rho, const spdhg_graph_options *o, spd_graph *out, spdhg_error *err) {
    return learn(c, rho, o, true, out, err);
}

const spd_graph_method spd_method_quic = {.name = "quic",
                                          .help =
                                              "sparse inverse covariance, proximal Newton on each component (Hsieh et al. 2014)",
                                          .precision = true,
                                          .uses_rho = true,
                                          .learn = learn_quic};
const spd_graph_method spd_method_alm = {
    .name = "alm",
    .help = "the same by alternating linearisation, the paper's method; slower (Scheinberg et al. 2010)",
    .precision = true,
    .uses_rho = true,
    .learn = learn_alm};
