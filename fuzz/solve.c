/* solve.c - bytes as a tiny problem and a solver for it. Whatever they are: the result keeps its promises (tiny.h), and no
 * solver's objective is below the bound that another one proved. */
#include "tiny.h"

typedef struct result {
    double objective, lower;
} result;

/* False if the solver does not take this problem. */
static bool solve(const tiny *t, const char *name, uint64_t seed, double start, result *out) {
    const spdhg_options o = tiny_options(seed);
    spdhg_solver *solver = NULL;
    spdhg_error err = {0};
    spdhg_outcome outcome = SPDHG_OUTCOME_DONE;
    const spdhg_status status = spdhg_solver_new(&solver, name, t->problem, &o, &err);
    if (status != SPDHG_OK) {
        FUZZ_MUST(status == SPDHG_USAGE && err.message[0]);
        FUZZ_MUST(strcmp(name, "auto") != 0 || spd_problem_has_corners(t->problem)); /* auto takes every smooth problem */
        return false;
    }
    FUZZ_MUST(spdhg_solver_run(solver, &outcome, &err) == SPDHG_OK);
    const spdhg_solution *s = spdhg_solver_solution(solver);
    *out = (result){.objective = s->objective, .lower = tiny_promises(s, outcome, start, o.tol)};
    spdhg_solver_free(solver);
    return true;
}

void fuzz_solve(const uint8_t *bytes, size_t size) {
    tiny_source s = {bytes, bytes + size};
    tiny t = {0};
    int entries;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    const char *name = table[tiny_choice(&s, entries)]->name;
    const uint64_t seed = (uint64_t)tiny_byte(&s);
    if (tiny_make(&s, &t)) {
        const double start = tiny_start_value(&t), rounding = 1e-7 * (1 + fabs(start));
        result one, other;
        const bool taken = solve(&t, "auto", seed, start, &one);
        if (solve(&t, name, seed, start, &other) && taken)
            FUZZ_MUST(other.objective >= one.lower - rounding && one.objective >= other.lower - rounding);
    }
    tiny_free(&t);
}
