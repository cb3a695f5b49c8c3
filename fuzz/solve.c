/* solve.c - bytes as a tiny problem and a solver for it. Whatever they are: the result is finite, a certified gap is not negative
 * and a lower bound that no other solver's objective goes below, and what has converged is no higher than where it began, the
 * projection of 0. */
#include "run/run.h"
#include "targets.h"

enum { ROWS = 8, FEATURES = 6 };

typedef struct source {
    const uint8_t *at, *end;
} source;

static int byte(source *s) { return s->at < s->end ? *s->at++ : 0; }
static int choice(source *s, int n) { return byte(s) % n; }
/* Mostly small whole numbers, sometimes large, tiny or equal ones. */
static double number(source *s) {
    const int b = byte(s);
    return ldexp((double)(b % 16 - 8), b / 16 == 15 ? 12 : b / 16 == 14 ? -12 : 0);
}

typedef struct tiny {
    spdhg_data *data;
    spdhg_structure *F, *I;
    spdhg_problem *problem;
} tiny;

#define PICK(s, list) (list)[choice(s, (int)(sizeof(list) / sizeof *(list)))]

/* False: the bytes describe a problem that the library refuses; it must say so. */
static bool make(source *s, tiny *t) {
    static const char *const losses[] = {"logistic", "squared", "squared-hinge", "smooth-hinge:0.5", "huber:1", "softmax"};
    static const char *const penalties[] = {"l1", "group", "linf", "nuclear"};
    static const char *const structures[] = {"identity", "chain", "trend:1", "trend:2", "grid:2x3"};
    static const char *const sets[] = {"all", "all", "ball:1", "box:-1,2", "nonneg", "l1ball:1", "simplex:1", "box:1,2"};
    static const double lambdas[] = {0, 1e-3, 0.1, 1, 100};
    const int64_t n = 1 + choice(s, ROWS), d = 6;
    const char *loss = PICK(s, losses), *penalty = PICK(s, penalties), *structure = PICK(s, structures), *set = PICK(s, sets);
    const double lambda = PICK(s, lambdas), gamma = PICK(s, lambdas);
    const int switches = byte(s), classes = strcmp(loss, "softmax") == 0 ? 3 : 2;
    const bool regression = strcmp(loss, "squared") == 0 || strncmp(loss, "huber", 5) == 0;
    double val[ROWS * FEATURES], b[ROWS], w[ROWS];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) val[i * d + j] = number(s);
        b[i] = regression ? number(s) : (double)choice(s, classes);
        w[i] = switches & 1 ? choice(s, 4) : 1;
    }
    spdhg_error err = {0};
    const spdhg_term_options grouped = {.size = sizeof grouped, .groups = "size:1"};
    spdhg_status status = spdhg_data_from_csr(&t->data, n, d, NULL, NULL, val, b, 1, SPDHG_COPY, &err);
    if (status == SPDHG_OK) status = spdhg_data_set_weights(t->data, w, &err);
    if (status == SPDHG_OK) status = spdhg_structure_new(&t->F, structure, d, &err);
    if (status == SPDHG_OK) status = spdhg_structure_new(&t->I, "identity", d, &err);
    if (status == SPDHG_OK) status = spdhg_problem_new(&t->problem, t->data, loss, &err);
    if (status == SPDHG_OK)
        status = spdhg_problem_term(t->problem, penalty, t->F, lambda, strcmp(penalty, "group") == 0 ? &grouped : NULL, &err);
    if (status == SPDHG_OK && switches & 2) status = spdhg_problem_term(t->problem, "l1", t->I, 0.1, NULL, &err);
    if (status == SPDHG_OK) status = spdhg_problem_ridge(t->problem, gamma, &err);
    if (status == SPDHG_OK) status = spdhg_problem_intercept(t->problem, switches & 4, &err);
    if (status == SPDHG_OK) status = spdhg_problem_standardize(t->problem, switches & 8, &err);
    if (status == SPDHG_OK) status = spdhg_problem_allow_one_class(t->problem, switches & 16, &err);
    if (status == SPDHG_OK) status = spdhg_problem_set(t->problem, set, &err);
    if (status == SPDHG_OK) status = spd_problem_freeze(t->problem, &err);
    FUZZ_MUST(status == SPDHG_OK || (err.status == status && err.message[0] && status != SPDHG_INTERNAL));
    return status == SPDHG_OK;
}

/* f where every solver starts. */
static double start_value(const tiny *t) {
    const spdhg_problem *p = t->problem;
    double x[FEATURES * 3] = {0}, work[FEATURES * 3], f;
    p->set.kind->project(p->dK, p->set.arg, x, work);
    FUZZ_MUST(spdhg_problem_evaluate(t->problem, x, NULL, &f, NULL, NULL, NULL) == SPDHG_OK);
    return f;
}

typedef struct result {
    double objective, lower; /* lower: proven bound of f, or -INFINITY */
} result;

/* False if the solver does not take this problem. */
static bool solve(const tiny *t, const char *name, uint64_t seed, double start, result *out) {
    spdhg_options o = SPDHG_OPTIONS;
    o.epochs = 30, o.threads = 1, o.tol = 1e-8, o.seed = seed;
    spdhg_solver *solver = NULL;
    spdhg_error err = {0};
    spdhg_outcome outcome = SPDHG_OUTCOME_DONE;
    const spdhg_status status = spdhg_solver_new(&solver, name, t->problem, &o, &err);
    if (status != SPDHG_OK) {
        FUZZ_MUST(status == SPDHG_USAGE && err.message[0] && strcmp(name, "auto") != 0);
        return false;
    }
    FUZZ_MUST(spdhg_solver_run(solver, &outcome, &err) == SPDHG_OK);
    const spdhg_solution *s = spdhg_solver_solution(solver);
    const double rounding = 1e-8 * (1 + fabs(start));
    FUZZ_MUST(isfinite(s->objective));
    for (int64_t j = 0; j < s->features * s->outputs; j++) FUZZ_MUST(isfinite(s->x[j]));
    const bool certified = strcmp(s->gap_kind, "certified") == 0;
    if (certified) FUZZ_MUST(s->gap >= -rounding);
    if (outcome == SPDHG_OUTCOME_CONVERGED)
        FUZZ_MUST(s->objective <= start + 1e-7 * (1 + fabs(start))); /* before that it may rise */
    if (certified) FUZZ_MUST(s->objective - s->gap <= start + rounding);
    if (outcome == SPDHG_OUTCOME_CONVERGED && certified) FUZZ_MUST(s->gap_relative <= o.tol);
    *out = (result){.objective = s->objective, .lower = certified ? s->objective - s->gap : -INFINITY};
    spdhg_solver_free(solver);
    return true;
}

void fuzz_solve(const uint8_t *bytes, size_t size) {
    source s = {bytes, bytes + size};
    tiny t = {0};
    int entries;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    const char *name = table[choice(&s, entries)]->name;
    const uint64_t seed = (uint64_t)byte(&s);
    if (make(&s, &t)) {
        const double start = start_value(&t), rounding = 1e-7 * (1 + fabs(start));
        result one, other;
        FUZZ_MUST(solve(&t, "auto", seed, start, &one));
        if (solve(&t, name, seed, start, &other))
            FUZZ_MUST(other.objective >= one.lower - rounding && one.objective >= other.lower - rounding);
    }
    spdhg_problem_free(t.problem);
    spdhg_structure_free(t.F);
    spdhg_structure_free(t.I);
    spdhg_data_free(t.data);
}
