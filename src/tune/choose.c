/* choose.c - chooses one lambda of a path: by cross-validated loss, accuracy or area under the curve with the one-standard-error
 * rule, or by an information criterion with the degrees of freedom of the generalised lasso (Tibshirani and Taylor, Ann. Statist.
 * 2012): the dimension of { x : F x has these zeros }. For F = identity this is the number of nonzeros, for a graph the number of
 * nonzero fused groups.
 *     aic  = D + 2 df
 *     bic  = D + log(n) df
 *     ebic = bic + 2 log binomial(dK, df)              (Chen and Chen 2008, gamma = 1)
 *     cp   = 2 loss + sigma^2 (2 df - nK) / W          (Mallows 1973, Stein 1981)
 * D = 2 n loss is twice the negative log-likelihood; for squared loss with unknown variance, D = n log(2 loss).
 * sigma^2/w_i is the known variance of b_i; cp then has the same mean as the squared error
 *     (1/W) sum_i w_i (z_i - E b_i)^2 */
#include "tune/tune.h"

typedef struct criterion {
    const char *name;
    size_t value, error; /* members of spdhg_path_point; error 0: none */
    double sign;         /* +1: smaller is better */
    bool validated;      /* needs folds */
} criterion;
#define MEMBER(name) offsetof(spdhg_path_point, name)
static const criterion criteria[] = {
    {"loss", MEMBER(loss), MEMBER(loss_error), 1, true},
    {"accuracy", MEMBER(accuracy), MEMBER(accuracy_error), -1, true},
    {"auc", MEMBER(auc), MEMBER(auc_error), -1, true},
    {"aic", MEMBER(aic), 0, 1, false},
    {"bic", MEMBER(bic), 0, 1, false},
    {"ebic", MEMBER(ebic), 0, 1, false},
    {"cp", MEMBER(cp), 0, 1, false},
    {"none", MEMBER(lambda), 0, 1, false}, /* the last point, which is not solved again */
};
enum { CRITERIA = sizeof criteria / sizeof *criteria };

static const criterion *find(const char *name) {
    for (int i = 0; i < CRITERIA; i++)
        if (strcmp(criteria[i].name, name) == 0) return &criteria[i];
    return NULL;
}

spdhg_status spd_path_degrees(const spdhg_problem *p, const double *x, double *degrees, spdhg_error *err) {
    *degrees = NAN;
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].penalty->zeros == SPDHG_ZEROS_NONE) return SPDHG_OK;
    double *Fx = SPD_NEW(double, p->m * p->K), sum = 0;
    bool *zero = SPD_NEW(bool, p->m);
    spdhg_status status = Fx && zero ? SPDHG_OK : spd_fail_memory(err, 9.0 * (double)(p->m * p->K));
    if (status == SPDHG_OK) spd_problem_apply(p, x, Fx);
    for (int64_t k = 0; k < p->K && status == SPDHG_OK; k++) {
        int64_t dimension;
        spd_zero_rows(p, x, Fx, k, zero);
        status = spd_nullspace_dimension(p, zero, &dimension, err);
        if (status == SPDHG_OK) sum += (double)dimension;
    }
    spd_free(Fx);
    spd_free(zero);
    if (status == SPDHG_OK) *degrees = sum;
    return status == SPDHG_USAGE ? SPDHG_OK : status; /* the structure is too large for it: df stays unknown */
}

void spd_path_criteria(const spdhg_problem *p, double noise, spdhg_path_point *point) {
    const double n = (double)p->n, all = (double)p->dK, df = point->degrees;
    const bool gaussian = spd_loss_is_square(p->loss);
    const double D = gaussian ? n * (double)p->K * log(2 * point->train_loss / (double)p->K) : 2 * n * point->train_loss;
    point->aic = D + 2 * df;
    point->bic = D + log(n) * df;
    point->ebic = point->bic + 2 * (lgamma(all + 1) - lgamma(df + 1) - lgamma(all - df + 1));
    point->cp = gaussian && noise > 0 ? 2 * point->train_loss + noise * noise * (2 * df - n * (double)p->K) / p->W : NAN;
}

spdhg_status spd_path_check(const spdhg_path *path, spdhg_error *err) {
    const spdhg_path_options *o = &path->options;
    const spdhg_problem *p = path->problem;
    char names[120];
    spd_names(names, sizeof names, criteria, CRITERIA, sizeof *criteria);
    const criterion *c = find(o->choose);
    if (!c) return spd_fail(err, SPDHG_USAGE, "unknown criterion '%s'; expected one of: %s", o->choose, names);
    if (strcmp(o->rule, "1se") != 0 && strcmp(o->rule, "min") != 0)
        return spd_fail(err, SPDHG_USAGE, "the rule '%s' is not one of 1se, min", o->rule);
    if (c->validated && o->folds == 0) return spd_fail(err, SPDHG_USAGE, "choosing by %s needs cross-validation folds", c->name);
    if (c->value == MEMBER(accuracy) && !p->loss->classify)
        return spd_fail(err, SPDHG_USAGE, "choosing by accuracy needs a classification loss");
    if (c->value == MEMBER(auc) && (!p->loss->classify || p->K > 1))
        return spd_fail(err, SPDHG_USAGE, "choosing by auc needs a loss for two classes");
    if (c->value == MEMBER(cp) && (!spd_loss_is_square(p->loss) || !(o->noise > 0) || !isfinite(o->noise)))
        return spd_fail(err, SPDHG_USAGE,
                        "choosing by cp needs the squared loss and the standard deviation of the noise (--noise)");
    for (int64_t t = 0; t < p->terms && spd_path_counts_degrees(path); t++)
        if (p->term[t].penalty->zeros == SPDHG_ZEROS_NONE)
            return spd_fail(err, SPDHG_USAGE,
                            "choosing by %s needs degrees of freedom, which are known for l1 and group but not for %s", c->name,
                            p->term[t].penalty->name);
    return SPDHG_OK;
}

bool spd_path_chooses(const spdhg_path *path) { return find(path->options.choose)->value != MEMBER(lambda); }
bool spd_path_counts_degrees(const spdhg_path *path) { return spd_path_chooses(path) && !find(path->options.choose)->validated; }

static double member(const spdhg_path_point *point, size_t offset) {
    return *(const double *)(const void *)((const char *)point + offset);
}

double spdhg_path_value(const spdhg_path *path, int64_t point) {
    SPD_DEFAULT_FLOATS;
    const criterion *c = find(path->options.choose);
    return c->sign * member(&path->point[point], c->value);
}

void spd_path_choose(spdhg_path *path) {
    const criterion *c = find(path->options.choose);
    bool any = false;
    path->best = path->points - 1;
    for (int64_t i = 0; i < path->points; i++) { /* among equal values the largest lambda */
        const double value = spdhg_path_value(path, i);
        if (isnan(value) || (any && value >= spdhg_path_value(path, path->best))) continue;
        path->best = i;
        any = true;
    }
    for (int64_t i = 0; !any && i < path->points; i++) /* nothing was validated: bic is a better guess than the smallest lambda */
        if (path->point[i].bic < path->point[path->best].bic || isnan(path->point[path->best].bic)) path->best = i;
    path->one_se = path->best;
    if (!any || c->error == 0) return;
    const double enough = spdhg_path_value(path, path->best) + member(&path->point[path->best], c->error);
    for (int64_t i = path->best; i >= 0; i--)
        if (spdhg_path_value(path, i) <= enough) path->one_se = i;
}
