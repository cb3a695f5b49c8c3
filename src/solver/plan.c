/* plan.c - from a name to the list of stages that run.c executes. A solver's name is a plan of one stage; "auto" decides by counts. */
#include "solver/solver.h"

static void automatic(spd_plan *plan, const spdhg_problem *p) {
    const bool strong = p->gamma > 0;
    plan->stages = 1;
    plan->stage[0] = (spd_stage){.kind = spd_solver_find(strong ? "spdhg-sc2" : "spdhg")};
    snprintf(plan->why, sizeof plan->why, "auto: %s, because gamma %s 0", plan->stage[0].kind->name, strong ? "is above" : "is");
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
