/* view.c - the resulting problem, for callers who hold only the handle: sizes, classes and scale; f at a point. */
#include "problem/problem.h"

spdhg_status spdhg_problem_get_view(spdhg_problem *p, spdhg_problem_view *out, spdhg_error *err) {
    SPD_TRY(spd_problem_freeze(p, err));
    *out = (spdhg_problem_view){.rows = p->n,
                                .features = p->d,
                                .outputs = p->K,
                                .dual = p->m * p->K,
                                .classes = p->classes,
                                .class_value = p->class_value,
                                .scale = p->scale};
    return SPDHG_OK;
}

spdhg_status spdhg_problem_evaluate(spdhg_problem *p, const double *x, double *c, double *objective, double *train_loss,
                                    double *penalty, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    SPD_TRY(spd_problem_freeze(p, err));
    const int64_t size = spd_problem_value_work(p);
    double *scratch = SPD_NEW(double, size + p->K);
    if (!scratch) return spd_fail_memory(err, 8.0 * (double)size);
    spd_value value;
    double *best = scratch + size;
    if (c) memcpy(best, c, (size_t)p->K * sizeof *c);
    spd_problem_c_inward(p, x, best);
    spd_problem_value(p, spd_threads(0), x, best, NULL, NULL, scratch, &value, NULL);
    spd_problem_c_outward(p, x, best);
    if (c) memcpy(c, best, (size_t)p->K * sizeof *c);
    spd_free(scratch);
    if (objective) *objective = value.objective;
    if (train_loss) *train_loss = value.loss;
    if (penalty) *penalty = value.penalty;
    return SPDHG_OK;
}
