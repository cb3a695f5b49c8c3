/* plan.c - from a name to the list of stages that solve.c runs. The name of a solver is a plan with one stage; "auto" decides by
 * counts. */
#include "interior/interior.h"
#include "lasso/lasso.h"
#include "newton/newton_model.h"
#include "run/run.h"

enum {
    ROWS_PER_UNKNOWN = 20,
    STEPS_SAVED = 4, /* Newton steps that a stochastic pass over tall data saves (bench/scaling) */
    THIN_STEPS = 4,
    PASSES_PER_STEP = 4,
    PASSES = 15, /* passes of saga-pd3o to reach 1e-6 where ridge makes it easy */
    PASSES_MOST = 60,
    STRUCTURE_MOST = 3, /* rows of F per feature: beyond this, more rows make saga-pd3o slower */
    RESCUE = 10000      /* passes of another method if proximal Newton gives up: both fail if there is no minimiser */
};

static bool takes(const char *name, const spdhg_problem *p) { return !spd_solver_refuses(spd_solver_find(name), p); }

/* A stochastic pass pays if the Newton steps it saves cost more: rows with many entries, and a structure that is cheap to apply
 * once per row. */
static bool worth_a_pass(const spdhg_problem *p) {
    return p->n >= ROWS_PER_UNKNOWN * spd_problem_normal_size(p) &&
           STEPS_SAVED * spd_problem_normal_cost(p) >= spd_plan_row_cost(p);
}

/* Passes of saga-pd3o to try before Newton's method, 0 for none. With ridge and L <= N gamma it needs about PASSES passes to
 * reach 1e-6 for any number of coefficients, while the cost of Newton's factors is cubic in that number. If it needs more, at
 * most half the cost of Newton's method is lost. */
static double passes_first(const spdhg_problem *p) {
    const double L = spd_problem_lipschitz(p, SPDHG_SAMPLING_IID), affordable = spd_plan_newton_cost(p) / spd_plan_pass_cost(p);
    const bool easy = p->gamma > 0 && L <= (double)p->n * p->gamma && p->m <= STRUCTURE_MOST * p->d;
    if (!easy || !p->set.kind->whole || !takes("saga-pd3o", p)) return 0;
    return affordable > PASSES ? fmin(fmax(affordable / 2, 2 * PASSES), PASSES_MOST) : 0;
}

/* Passes of saga-pd3o before the interior-point method: about a quarter of the cost of its factors, if it may suffice. */
static double passes_before_interior(const spdhg_problem *p) {
    const double n = (double)spd_problem_normal_size(p), affordable = 1.5 * n * n * n / spd_plan_pass_cost(p);
    return affordable > PASSES && takes("saga-pd3o", p) ? fmin(affordable, PASSES_MOST) : 0;
}

static const char *first_pass(const spdhg_problem *p) { return p->gamma > 0 ? "spdhg-sc2" : "spdhg"; }

/* Passes of fista before Newton's method if the projection of the penalty has no derivative (nuclear norm): half the cost of the
 * factors of proximal Newton, if it may suffice; unlimited if Newton's method refuses the problem. */
static double passes_of_fista(const spdhg_problem *p, bool few) {
    if (spd_problem_can_differentiate(p) || !takes("fista", p)) return 0;
    const double affordable = few ? spd_plan_newton_cost(p) / spd_plan_pass_cost(p) : INFINITY;
    return affordable > PASSES ? affordable / 2 : 0;
}

/* The facts that determine the plan. */
typedef struct facts {
    bool corners;   /* the loss has corners */
    bool line;      /* a signal on lines or trees: dynamic programming */
    bool forest;    /* lines or trees and any A: semismooth Newton by dynamic programming */
    bool wide;      /* the same, at once: many more coefficients than rows, or a set X */
    bool cuts;      /* a signal on a graph: maximum flows */
    bool dual;      /* a signal with groups of differences, and the factor would cost more: gradients on the dual */
    bool factor;    /* each coefficient interacts with few others: a sparse factor */
    bool few;       /* few coefficients: a dense factor of all */
    bool newton;    /* some second-order method accepts the problem */
    bool lasso;     /* l1 of the coefficients: by columns, as along a path; what is below waits behind it */
    bool columns;   /* many coefficients, F = identity: coordinate descent */
    bool tied;      /* few, but enough that a smaller set made by the zeros of Fx pays */
    bool sparse;    /* on a working set */
    bool interior;  /* X is neither R^d nor separable: the interior-point method at once */
    bool relieved;  /* the interior-point method waits behind proximal Newton */
    bool cheap;     /* each method waits for the one before it to stall */
    bool pass;      /* one stochastic pass first */
    double passes;  /* passes of saga-pd3o first */
    double fista;   /* passes of fista first; INFINITY: fista alone */
    int64_t stride; /* stride of a sample to start on */
} facts;

/* A working set is used if zeros of Fx make one, provided that no ridge keeps x dense or F is a chain or a graph. No sample is
 * used with --standardize, because its standard deviations would differ. */
static facts look_at(const spdhg_problem *p) {
    if (spd_problem_has_corners(p)) return (facts){.corners = true, .factor = true, .stride = 1};
    facts f = {.line = takes("chain-newton", p), .few = takes("prox-newton", p), .stride = 1};
    f.cheap = RESCUE * spd_plan_row_cost(p) * (double)(p->n * p->K) <= 1e9; /* all passes of a rescue take a second */
    f.newton = takes("alm-ssn", p);
    if (f.line) return (facts){.line = true, .relieved = takes("interior", p), .cheap = f.cheap, .newton = f.newton, .stride = 1};
    f.cuts = takes("cut-newton", p);
    if (f.cuts) return (facts){.cuts = true, .factor = takes("ipm", p), .cheap = f.cheap, .newton = f.newton, .stride = 1};
    f.forest = !spd_plan_is_separable(p) && takes("chain-alm", p);
    f.wide = f.forest && spd_plan_is_wide(p, f.few);
    if (f.wide) return (facts){.forest = true, .wide = true, .newton = f.newton, .stride = 1};
    const bool groups = spd_plan_has_groups_of_pairs(p);
    f.dual = groups && takes("fgp", p);
    f.factor = takes("ipm", p) && spd_plan_sparse_pays(p, fmin(f.few ? spd_plan_newton_cost(p) : INFINITY,
                                                               f.dual ? spd_plan_dual_cost(p) : INFINITY));
    if (f.factor)
        return (facts){.factor = true,
                       .forest = f.forest,
                       .relieved = f.cheap && takes("interior", p),
                       .cheap = f.cheap,
                       .newton = f.newton,
                       .stride = 1};
    if (f.dual) return (facts){.dual = true, .stride = 1};
    f.newton = f.newton || f.few;
    f.lasso = takes("lasso", p) && spd_plan_by_columns(p, f.few);
    f.columns = !f.few && takes("cd-newton", p);
    f.tied = f.few && spd_newton_model_ties(p) && !groups;
    f.sparse = f.tied ||
               (!f.few && !f.columns && f.newton && (p->gamma == 0 || spd_plan_has_pairs(p)) && !groups && takes("ws-newton", p));
    f.interior = !f.few && takes("interior", p) && !p->set.kind->whole;
    f.relieved = f.few && takes("interior", p) && spd_interior_rescues(p);
    f.passes = f.few || f.sparse ? passes_first(p) : f.interior ? passes_before_interior(p) : 0;
    f.fista = passes_of_fista(p, f.few);
    if (f.fista > 0 || f.lasso) f.passes = 0;
    if (f.few && !f.tied && !p->standardize && f.passes == 0 && !f.lasso) f.stride = p->data->disk ? 1 : spd_plan_thin_stride(p);
    f.pass = f.newton && !f.few && !f.columns && !f.lasso && f.passes == 0 && worth_a_pass(p) && takes(first_pass(p), p);
    return f;
}

/* A method that follows itself on the same rows starts anew: an interior-point method may fail only because of where it began. */
static bool follows_itself(const spd_plan *plan, const char *solver) {
    const spd_stage *before = plan->stages > 0 ? &plan->stage[plan->stages - 1] : NULL;
    return before && before->kind == spd_solver_find(solver) && before->stride == 1;
}

/* The stages in order; the last column says whether a stage is used.
 * l1 of the coefficients: by columns; the methods below follow if that proves too little.
 * Lines and trees: dynamic programming, inside of chain-newton for signals, of chain-alm for any other A; where the coefficients
 * are not many more than the rows, chain-alm waits behind the methods below.
 * Few coefficients: proximal Newton with a dense factor. If it gives up, semismooth Newton follows or, with a set X or a loss
 * with linear pieces, an interior-point method. On small problems every method that takes the problem follows if the one before
 * has stalled: what one of them cannot finish another often can, since each loses its digits elsewhere. A second ipm starts anew.
 * Many coefficients: by columns, on a working set, or semismooth Newton, which also follows if these stall (too many nonzeros).
 * A set X, or the nuclear norm of a large matrix: variance-reduced PD3O.
 * Many rows per coefficient: proximal Newton first makes a few steps on a sample of the rows, which leads to within d/rows of the
 * optimum for a fraction of the cost; alm-ssn starts with one stochastic pass. Ridge that makes variance-reduced PD3O converge
 * quickly: it goes before either (passes_first). */
static void add_stages(spd_plan *plan, const spdhg_problem *p, const facts *f) {
    const bool rescue = f->line || f->cuts || f->wide || f->factor || f->few || f->interior;
    const char *last = f->forest && !f->wide                        ? "chain-alm"
                       : (rescue ? takes("alm-ssn", p) : f->newton) ? "alm-ssn"
                       : isinf(f->fista)                            ? "fista"
                       : f->dual                                    ? "fgp"
                                                                    : "saga-pd3o";
    const spd_rescue waits = f->cheap ? SPD_RELIEVED : SPD_RESCUED;
    const double sample = (double)(THIN_STEPS * PASSES_PER_STEP) / (double)f->stride;
    const struct {
        const char *solver;
        double epochs;
        int64_t stride;
        spd_rescue rescue;
        bool wanted;
    } stage[] = {
        {"lasso", 0, 1, SPD_ALONE, f->lasso},
        {"saga-pd3o", f->passes, 1, SPD_ALONE, f->passes > 0},
        {"fista", f->fista, 1, SPD_ALONE, f->fista > 0 && isfinite(f->fista)},
        {"prox-newton", sample, f->stride, SPD_ALONE, f->stride > 1},
        {first_pass(p), 1, 1, SPD_ALONE, f->pass},
        {"chain-newton", 0, 1, waits, f->line},
        {"cut-newton", 0, 1, SPD_RESCUED, f->cuts},
        {"chain-alm", 0, 1, SPD_RESCUED, f->wide},
        {"ipm", 0, 1, waits, f->factor},
        {"cd-newton", 0, 1, SPD_RESCUED, f->columns},
        {"ws-newton", 2000, 1, SPD_ALONE, f->sparse},
        {"prox-newton", 0, 1, f->relieved ? SPD_RELIEVED : SPD_RESCUED, f->few},
        {"interior", 0, 1, waits, f->interior || f->relieved},
        {"ipm", 0, 1, waits, rescue && !f->factor && f->cheap && takes("ipm", p)},
        {"ipm", 0, 1, waits, rescue && !f->factor && f->cheap && takes("ipm", p)},
        {last, rescue ? RESCUE : 0, 1, SPD_ALONE, !rescue || takes(last, p)},
    };
    for (size_t i = 0; i < sizeof stage / sizeof *stage && plan->stages < SPD_STAGES_MAX; i++)
        if (stage[i].wanted)
            plan->stage[plan->stages++] = (spd_stage){.kind = spd_solver_find(stage[i].solver),
                                                      .epochs = stage[i].epochs,
                                                      .stride = stage[i].stride,
                                                      .rescue = stage[i].rescue,
                                                      .cold = follows_itself(plan, stage[i].solver)};
}

static const char *reason(const facts *f) {
    const struct {
        bool holds;
        const char *why;
    } all[] = {
        {f->corners, "the loss has corners, which an interior-point method handles exactly"},
        {f->wide, "F joins the coefficients to lines or trees, and they far outnumber the rows"},
        {f->line, "each row has one entry and F joins the coefficients to lines or trees"},
        {f->cuts, "each row has one entry and F joins the coefficients to a graph"},
        {f->dual, "each row has one entry, and a sparse factor would cost more"},
        {f->factor, "each coefficient interacts with few others, so that the factor is sparse"},
        {f->lasso, "the penalty is on each coefficient, so that columns are taken one by one"},
        {f->passes > 0 && !f->interior,
         "with this ridge stochastic steps converge before a dense factorisation would be worth its cost"},
        {(f->few && !f->tied) || f->interior, "the coefficients are few enough for a dense factor"},
        {f->columns, "the coefficients are many and the penalty is on each feature"},
        {f->sparse, "the coefficients are many and most will be zero or tied"},
        {f->newton, "the coefficients are many"},
        {true, "the set X, a large nuclear norm or a penalty of your own needs a first-order method"},
    };
    int i = 0;
    while (!all[i].holds) i++;
    return all[i].why;
}

static void automatic(spd_plan *plan, const spdhg_problem *p) {
    const facts f = look_at(p);
    add_stages(plan, p, &f);
    size_t used = (size_t)snprintf(plan->why, sizeof plan->why, "auto: ");
    for (int i = 0; i < plan->stages && used < sizeof plan->why; i++)
        used += (size_t)snprintf(plan->why + used, sizeof plan->why - used, "%s%s%s", i ? ", then " : "",
                                 plan->stage[i].kind->name, plan->stage[i].stride > 1 ? " on a sample of the rows" : "");
    if (used < sizeof plan->why)
        snprintf(plan->why + used, sizeof plan->why - used, ", because %s (%lld)", reason(&f),
                 (long long)spd_problem_normal_size(p));
}

static spdhg_status unknown(const char *name, spdhg_error *err) {
    int entries;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    char names[600] = "auto";
    for (int i = 0; i < entries; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", table[i]->name);
    }
    return spd_fail(err, SPDHG_USAGE, "unknown solver '%s'; expected one of: %s", name, names);
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
        const char *why = spd_solver_refuses(plan->stage[i].kind, p);
        if (!why) continue;
        const char *auto_only = strcmp(name, "auto") == 0 ? "no solver takes this problem; the nearest is " : "";
        return spd_fail(err, SPDHG_USAGE, "%ssolver %s: %s", auto_only, plan->stage[i].kind->name, why);
    }
    return SPDHG_OK;
}
