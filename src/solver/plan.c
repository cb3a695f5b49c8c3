/* plan.c - from a name to the list of stages that run.c executes. A solver's name is a plan of one stage; "auto" decides by counts. */
#include "solver/solver.h"

enum { ROWS_PER_UNKNOWN = 20, STEPS_SAVED = 4 }; /* what a stochastic pass over tall data saves, in Newton steps (bench/scaling) */

static void add_stage(spd_plan *plan, const char *name, double epochs) {
    plan->stage[plan->stages++] = (spd_stage){.kind = spd_solver_find(name), .epochs = epochs};
}

/* A stochastic pass is worth it if the steps it saves cost more: rows with many entries, a structure that is cheap to apply once per row. */
static bool worth_a_pass(const spdhg_problem *p) {
    double pass = 100 + 4 * (double)p->nnz / (double)p->n;
    for (int64_t t = 0; t < p->terms; t++) pass += 2 * (double)(spd_csr_nnz(&p->term[t].F->F) + p->term[t].m);
    return p->n >= ROWS_PER_UNKNOWN * spd_problem_normal_size(p) && STEPS_SAVED * spd_problem_normal_cost(p) >= pass;
}

/* Small: proximal Newton with a dense factor. Many coefficients: semismooth Newton with conjugate gradients. A set X, or the nuclear norm
 * of a large matrix: variance-reduced PD3O. Tall data with full rows start with one stochastic pass. */
static void automatic(spd_plan *plan, const spdhg_problem *p) {
    const int64_t unknowns = spd_problem_normal_size(p);
    const char *const exact[] = {"prox-newton", "alm-ssn", "saga-pd3o"};
    const char *const because[] = {"X is all of R^d and the coefficients are few enough for a dense factor", "X is all of R^d and the coefficients are many",
                                   "a set X or a large nuclear norm needs a first-order method"};
    int choice = 0;
    while (choice < 2 && spd_solver_find(exact[choice])->refuses(p)) choice++;
    const bool tall = choice < 2 && worth_a_pass(p);
    if (tall) add_stage(plan, p->gamma > 0 ? "spdhg-sc2" : "spdhg", 1);
    add_stage(plan, exact[choice], 0);
    snprintf(plan->why, sizeof plan->why, "auto: %s%s, because %s (%lld)", tall ? "one pass of spdhg, then " : "", exact[choice], because[choice],
             (long long)unknowns);
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
        plan->stage[0].kind = kind;
    }
    for (int i = 0; i < plan->stages; i++) {
        const char *why = plan->stage[i].kind->refuses(p);
        if (why) return spd_fail(err, SPDHG_USAGE, "solver %s: %s", plan->stage[i].kind->name, why);
    }
    return SPDHG_OK;
}
