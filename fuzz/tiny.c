/* tiny.c - a problem made of bytes, and what must be true of its solution. */
#include "tiny.h"

int tiny_byte(tiny_source *s) { return s->at < s->end ? *s->at++ : 0; }
int tiny_choice(tiny_source *s, int n) { return tiny_byte(s) % n; }
double tiny_number(tiny_source *s) {
    const int b = tiny_byte(s);
    return ldexp((double)(b % 16 - 8), b / 16 == 15 ? 12 : b / 16 == 14 ? -12 : 0);
}

/* A loss and the targets it takes: numbers (0), counts (1) or so many classes. */
typedef struct tiny_loss {
    const char *name;
    int targets;
} tiny_loss;
static const tiny_loss losses[] = {
    {"logistic", 2},         {"squared", 0},      {"squared-hinge", 2},
    {"smooth-hinge:0.5", 2}, {"huber:1", 0},      {"softmax", TINY_CLASSES},
    {"huber:1e-6", 0},       {"poisson", 1},      {"hinge", 2},
    {"absolute", 0},         {"quantile:0.3", 0},
};

enum { WEIGHTS = 1, ALSO_SPARSE = 2, INTERCEPT = 4, STANDARDIZE = 8, ONE_CLASS = 16, NEARLY_EQUAL = 32 };

static double target(tiny_source *s, int targets) {
    if (targets == 0) return tiny_number(s);
    return (double)tiny_choice(s, targets == 1 ? 5 : targets);
}

static spdhg_status terms(tiny *t, const char *penalty, double lambda, int switches, spdhg_error *err) {
    const spdhg_term_options grouped = {.size = sizeof grouped, .groups = "size:1"};
    SPD_TRY(spdhg_problem_term(t->problem, penalty, t->F, lambda, strcmp(penalty, "group") == 0 ? &grouped : NULL, err));
    return switches & ALSO_SPARSE ? spdhg_problem_term(t->problem, "l1", t->I, 0.1, NULL, err) : SPDHG_OK;
}

static spdhg_status compose(tiny *t, const char *set, double gamma, int switches, spdhg_error *err) {
    SPD_TRY(spdhg_problem_ridge(t->problem, gamma, err));
    SPD_TRY(spdhg_problem_intercept(t->problem, switches & INTERCEPT, err));
    SPD_TRY(spdhg_problem_standardize(t->problem, switches & STANDARDIZE, err));
    SPD_TRY(spdhg_problem_allow_one_class(t->problem, switches & ONE_CLASS, err));
    SPD_TRY(spdhg_problem_set(t->problem, set, err));
    return spd_problem_freeze(t->problem, err);
}

bool tiny_make(tiny_source *s, tiny *t) {
    static const char *const penalties[] = {"l1", "group", "linf", "nuclear"};
    static const char *const structures[] = {"identity", "chain", "trend:1", "trend:2", "grid:2x2"};
    static const char *const sets[] = {"all", "all", "ball:1", "box:-1,2", "nonneg", "l1ball:1", "simplex:1", "box:1,2"};
    static const double lambdas[] = {0, 1e-3, 0.1, 1, 100};
    const int64_t n = 1 + tiny_choice(s, TINY_ROWS), d = TINY_FEATURES;
    const tiny_loss loss = TINY_PICK(s, losses);
    const char *penalty = TINY_PICK(s, penalties), *structure = TINY_PICK(s, structures), *set = TINY_PICK(s, sets);
    const double lambda = TINY_PICK(s, lambdas), gamma = TINY_PICK(s, lambdas);
    const int switches = tiny_byte(s);
    double val[TINY_ROWS * TINY_FEATURES], b[TINY_ROWS], w[TINY_ROWS];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) val[i * d + j] = tiny_number(s);
        if (switches & NEARLY_EQUAL) val[i * d + 1] = val[i * d] + ldexp(val[i * d + 1], -44);
        b[i] = target(s, loss.targets);
        w[i] = switches & WEIGHTS ? tiny_choice(s, 4) : 1;
    }
    spdhg_error err = {0};
    spdhg_status status = spdhg_data_from_csr(&t->data, n, d, NULL, NULL, val, b, 1, SPDHG_COPY, &err);
    if (status == SPDHG_OK) status = spdhg_data_set_weights(t->data, w, &err);
    if (status == SPDHG_OK) status = spdhg_structure_new(&t->F, structure, d, &err);
    if (status == SPDHG_OK) status = spdhg_structure_new(&t->I, "identity", d, &err);
    if (status == SPDHG_OK) status = spdhg_problem_new(&t->problem, t->data, loss.name, &err);
    if (status == SPDHG_OK) status = terms(t, penalty, lambda, switches, &err);
    if (status == SPDHG_OK) status = compose(t, set, gamma, switches, &err);
    FUZZ_MUST(status == SPDHG_OK || (err.status == status && err.message[0] && status != SPDHG_INTERNAL));
    return status == SPDHG_OK;
}

void tiny_free(tiny *t) {
    spdhg_problem_free(t->problem);
    spdhg_structure_free(t->F);
    spdhg_structure_free(t->I);
    spdhg_data_free(t->data);
}

double tiny_start_value(const tiny *t) {
    const spdhg_problem *p = t->problem;
    double x[TINY_FEATURES * TINY_CLASSES] = {0}, work[TINY_FEATURES * TINY_CLASSES], f;
    p->set.kind->project(p->dK, p->set.arg, x, work);
    FUZZ_MUST(spdhg_problem_evaluate(t->problem, x, NULL, &f, NULL, NULL, NULL) == SPDHG_OK);
    return f;
}

spdhg_options tiny_options(uint64_t seed) {
    spdhg_options o = SPDHG_OPTIONS;
    o.epochs = 20, o.threads = 1, o.tol = 1e-8, o.seed = seed, o.seconds = 0.01;
    return o;
}

double tiny_promises(const spdhg_solution *s, spdhg_outcome outcome, double start, double tol) {
    const double rounding = 1e-8 * (1 + fabs(start));
    FUZZ_MUST(isfinite(s->objective));
    for (int64_t j = 0; j < s->features * s->outputs; j++) FUZZ_MUST(isfinite(s->x[j]));
    const bool certified = strcmp(s->gap_kind, "certified") == 0;
    if (certified) FUZZ_MUST(s->gap >= -rounding);
    if (certified) FUZZ_MUST(s->objective - s->gap <= start + rounding);
    if (outcome == SPDHG_OUTCOME_CONVERGED)
        FUZZ_MUST(s->objective <= start + 1e-7 * (1 + fabs(start))); /* before that it may rise */
    if (outcome == SPDHG_OUTCOME_CONVERGED && certified) FUZZ_MUST(s->gap_relative <= tol);
    return certified ? s->objective - s->gap : -INFINITY;
}
