/* plan.c - from a name to the list of stages that solve.c goes through. A solver's name is a plan of one stage; "auto" decides by
 * counts. */
#include "interior/interior.h"
#include "newton/newton_model.h"
#include "run/run.h"

enum {
    ROWS_PER_UNKNOWN = 20,
    STEPS_SAVED = 4, /* what a stochastic pass over tall data saves, in Newton steps (bench/scaling) */
    THIN_SHARE = 5,  /* of a sample: 20 rows for every coefficient, but at most a fifth of all where that leaves 10 */
    THIN_STEPS = 4,
    PASSES_PER_STEP = 4,
    PASSES = 15, /* of saga-pd3o to 1e-6 where ridge makes it easy */
    PASSES_MOST = 60,
    STRUCTURE_MOST = 3, /* rows of F for each feature: beyond it takes the longer the more there are */
    RESCUE = 10000      /* passes of another method where proximal Newton gives up: both fail where there is no minimiser */
};

static void add_stage(spd_plan *plan, const char *name, double epochs, int64_t stride) {
    plan->stage[plan->stages++] = (spd_stage){.kind = spd_solver_find(name), .epochs = epochs, .stride = stride};
}

static bool takes(const char *name, const spdhg_problem *p) { return !spd_solver_find(name)->refuses(p); }

/* A stochastic pass is worth it if the steps it saves cost more: rows with many entries, a structure that is cheap to apply once
 * per row. */
static bool worth_a_pass(const spdhg_problem *p) {
    double pass = 100 + 4 * (double)p->nnz / (double)p->n;
    for (int64_t t = 0; t < p->terms; t++) pass += 2 * (double)(spd_csr_nnz(&p->term[t].F->F) + p->term[t].m);
    return p->n >= ROWS_PER_UNKNOWN * spd_problem_normal_size(p) && STEPS_SAVED * spd_problem_normal_cost(p) >= pass;
}

/* Nanoseconds of Newton's method with a dense factor and of a pass of saga-pd3o, as bench/scaling measured them: writing H out
 * five times, inner iterations, factors; entries and rows. Only their ratio counts. */
static double newton_cost(const spdhg_problem *p) {
    const int64_t all = spd_problem_normal_size(p);
    const double n = (double)(all < SPD_WORKING_MOST ? all : SPD_WORKING_MOST);
    return 3 * (double)p->n * spd_problem_normal_cost(p) + 200 * n * n + n * n * n / 12;
}

static double pass_cost(const spdhg_problem *p) { return (double)p->K * (12 * (double)p->nnz + 200 * (double)p->n); }

/* Passes of saga-pd3o to try before Newton's method, 0 for none. With ridge and L <= N gamma it needs some PASSES to 1e-6,
 * however many coefficients there are, while Newton's factors grow with their cube. Should it need more, half of what Newton's
 * method costs is lost, not more. */
static double passes_first(const spdhg_problem *p) {
    const double L = spd_problem_lipschitz(p, SPDHG_SAMPLING_IID), affordable = newton_cost(p) / pass_cost(p);
    const bool easy = p->gamma > 0 && L <= (double)p->n * p->gamma && p->m <= STRUCTURE_MOST * p->d;
    if (!easy || p->set.kind != &spd_set_all || !takes("saga-pd3o", p)) return 0;
    return affordable > PASSES ? fmin(fmax(affordable / 2, 2 * PASSES), PASSES_MOST) : 0;
}

static int64_t thin_stride(const spdhg_problem *p) {
    const int64_t plenty = p->n / (ROWS_PER_UNKNOWN * spd_problem_normal_size(p) + 1),
                  least = 2 * p->n / (ROWS_PER_UNKNOWN * spd_problem_normal_size(p) + 1);
    return plenty >= THIN_SHARE ? plenty : least >= THIN_SHARE ? THIN_SHARE : 1;
}

/* Chains and graphs: the flow along many edges is what takes semismooth Newton long, ridge or not. */
static bool has_pairs(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].pairs) return true;
    return false;
}

/* Groups of several differences (isotropic total variation): few of them are zero, so that a working set fills up and costs much.
 */
static bool has_groups_of_pairs(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].pairs && p->term[t].penalty != &spd_penalty_l1 && p->term[t].largest > 1) return true;
    return false;
}

/* Of saga-pd3o before the interior-point method, whose factors grow with the cube of the coefficients: about a quarter of what these cost,
 * if that may suffice. */
static double passes_before_interior(const spdhg_problem *p) {
    const double n = (double)spd_problem_normal_size(p), affordable = 1.5 * n * n * n / pass_cost(p);
    return affordable > PASSES ? fmin(affordable, PASSES_MOST) : 0;
}

/* For a stage behind which another waits should it give up. */
static void add_sure_stage(spd_plan *plan, const char *name) {
    add_stage(plan, name, 0, 1);
    plan->stage[plan->stages - 1].sure = true;
}

/* What goes on where a stage gives up. */
static void add_rescue(spd_plan *plan, const spdhg_problem *p) {
    if (plan->stages < SPD_STAGES_MAX) add_stage(plan, takes("alm-ssn", p) ? "alm-ssn" : "saga-pd3o", RESCUE, 1);
}

static void add_interior(spd_plan *plan, const spdhg_problem *p) {
    add_sure_stage(plan, "interior");
    add_rescue(plan, p);
}

/* Each coefficient meets few others: plan_sparse.c. Few coefficients: proximal Newton with a dense factor, and semismooth Newton (with a set X, or a loss of straight pieces, an
 * interior-point method) should it give up; with a set X that is not separable the latter at once; from 800 on, where zeros of F x tie them, on a working set first. Many: by coordinate descent where F is the identity;
 * on a working set where zeros of F x make one and no ridge keeps x dense, or F is a chain or a graph, with semismooth Newton
 * behind both should they stall (the solution may be larger than the set may be); else semismooth Newton. With a set X, or the
 * nuclear norm of a large matrix: variance-reduced PD3O. Where there are many rows for every coefficient,
 * proximal Newton first makes a few steps on a sample of them, which leads to within d/rows of the optimum for a fraction of the
 * price; alm-ssn starts with one stochastic pass. Where ridge makes it converge at once, variance-reduced PD3O goes before
 * either: passes_first. */
static void automatic(spd_plan *plan, const spdhg_problem *p) {
    if (spd_plan_sparse(plan, p, takes("prox-newton", p) ? newton_cost(p) : INFINITY)) return;
    const int64_t unknowns = spd_problem_normal_size(p);
    const bool few = takes("prox-newton", p), newton = few || takes("alm-ssn", p), columns = !few && takes("cd-newton", p),
               tied = few && spd_newton_model_ties(p) && !has_groups_of_pairs(p),
               sparse = tied || (!few && !columns && newton && (p->gamma == 0 || has_pairs(p)) && !has_groups_of_pairs(p) &&
                                 takes("ws-newton", p));
    const bool interior = !few && takes("interior", p) && p->set.kind != &spd_set_all;
    const double passes = few || sparse ? passes_first(p) : interior ? passes_before_interior(p) : 0;
    const int64_t stride =
        few && !tied && !p->standardize && passes == 0 ? thin_stride(p) : 1; /* a sample's standard deviations are its own */
    if (passes > 0) add_stage(plan, "saga-pd3o", passes, 1);
    if (stride > 1) add_stage(plan, "prox-newton", (double)(THIN_STEPS * PASSES_PER_STEP) / (double)stride, stride);
    if (newton && !few && !columns && passes == 0 && worth_a_pass(p)) add_stage(plan, p->gamma > 0 ? "spdhg-sc2" : "spdhg", 1, 1);
    if (columns) add_sure_stage(plan, "cd-newton");
    if (sparse) add_stage(plan, "ws-newton", 2000, 1);
    if (few) add_sure_stage(plan, "prox-newton");
    if (interior || (few && spd_interior_rescues(p)))
        add_interior(plan, p);
    else if (few)
        add_rescue(plan, p);
    else
        add_stage(plan, newton ? "alm-ssn" : "saga-pd3o", 0, 1);
    const char *why = passes > 0 && !interior
                          ? "ridge makes stochastic steps converge before a factor of the coefficients is paid for"
                      : (few && !tied) || interior ? "the coefficients are few enough for a dense factor"
                      : columns                    ? "the coefficients are many and the penalty is on each feature"
                      : sparse                     ? "the coefficients are many and most will be zero or tied"
                      : newton                     ? "the coefficients are many"
                                                   : "the set X or a large nuclear norm needs a first-order method";
    size_t used = (size_t)snprintf(plan->why, sizeof plan->why, "auto: ");
    for (int i = 0; i < plan->stages && used < sizeof plan->why; i++)
        used += (size_t)snprintf(plan->why + used, sizeof plan->why - used, "%s%s%s", i ? ", then " : "",
                                 plan->stage[i].kind->name, plan->stage[i].stride > 1 ? " on a sample of the rows" : "");
    if (used < sizeof plan->why)
        snprintf(plan->why + used, sizeof plan->why - used, ", because %s (%lld)", why, (long long)unknowns);
}

static spdhg_status unknown(const char *name, spdhg_error *err) {
    int entries;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    char names[600] = "auto";
    for (int i = 0; i < entries; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", table[i]->name);
    }
    return spd_fail(err, SPDHG_USAGE, "unknown solver '%s'; there are %s", name, names);
}

spdhg_status spd_plan_make(spd_plan *plan, const char *name, const spdhg_problem *p, spdhg_error *err) {
    *plan = (spd_plan){0};
    if (strcmp(name, "auto") == 0)
        automatic(plan, p);
    else {
        const spd_solver_kind *kind = spd_solver_find(name);
        if (!kind) return unknown(name, err);
        plan->stages = 1;
        plan->stage[0] = (spd_stage){.kind = kind, .stride = 1};
    }
    for (int i = 0; i < plan->stages; i++) {
        const char *why = plan->stage[i].kind->refuses(p);
        if (why) return spd_fail(err, SPDHG_USAGE, "solver %s: %s", plan->stage[i].kind->name, why);
    }
    return SPDHG_OK;
}
