/* problem.c - combines data, loss, terms and set and checks that they fit. The first use freezes the problem.
 *     f(x,c) = (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + sum_t lambda_t r_t(F_t x),  x in X */
#include "problem/problem.h"
#include "problem/prepare.h"

static spdhg_status check_open(const spdhg_problem *p, spdhg_error *err) {
    if (p->frozen) return spd_fail(err, SPDHG_USAGE, "the problem is frozen: a solver or an evaluation already uses it");
    return SPDHG_OK;
}

spdhg_status spdhg_problem_new(spdhg_problem **out, const spdhg_data *data, const char *loss, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    const spdhg_loss *found;
    double arg;
    SPD_TRY(spd_loss_find(loss, &found, &arg, err));
    if (data->rows == 0) return spd_fail(err, SPDHG_DATA, "%s has no rows", data->source ? data->source : "the data");
    spdhg_problem *p = SPD_NEW(spdhg_problem, 1);
    if (!p) return spd_fail_memory(err, sizeof *p);
    p->data = data;
    p->n = data->rows;
    p->d = data->features;
    p->loss = found;
    p->loss_arg = arg;
    p->set = spd_set_whole();
    *out = p;
    return SPDHG_OK;
}

spdhg_status spdhg_problem_loss(spdhg_problem *p, const spdhg_loss *loss, double arg, spdhg_error *err) {
    SPD_TRY(check_open(p, err));
    const bool takes = loss->arg_max >= loss->arg_min;
    if (takes && !(arg >= loss->arg_min && arg <= loss->arg_max))
        return spd_fail(err, SPDHG_USAGE, "loss %s: argument %g is outside %g..%g", loss->name, arg, loss->arg_min,
                        loss->arg_max);
    p->loss = loss;
    p->loss_arg = takes ? arg : 0;
    return SPDHG_OK;
}

spdhg_status spdhg_problem_rows(spdhg_problem *p, const int64_t *row, int64_t rows, spdhg_error *err) {
    SPD_TRY(check_open(p, err));
    if (rows <= 0) return spd_fail(err, SPDHG_USAGE, "a problem needs at least one row");
    for (int64_t i = 0; i < rows; i++)
        if (row[i] < 0 || row[i] >= p->data->rows)
            return spd_fail(err, SPDHG_USAGE, "row %lld is not one of the %lld rows of the data", (long long)row[i],
                            (long long)p->data->rows);
    int64_t *copy = spd_copy(row, rows, sizeof *row);
    if (!copy) return spd_fail_memory(err, 8.0 * (double)rows);
    spd_free(p->row);
    p->row = copy;
    p->n = rows;
    return SPDHG_OK;
}

spdhg_status spdhg_problem_ridge(spdhg_problem *p, double gamma, spdhg_error *err) {
    SPD_TRY(check_open(p, err));
    if (!(gamma >= 0) || !isfinite(gamma)) return spd_fail(err, SPDHG_USAGE, "gamma must be a number >= 0, not %g", gamma);
    p->gamma = p->gamma_given = gamma;
    return SPDHG_OK;
}

spdhg_status spdhg_problem_ridge_follows(spdhg_problem *p, bool on, spdhg_error *err) {
    SPD_TRY(check_open(p, err));
    p->ridge_follows = on;
    return SPDHG_OK;
}

spdhg_status spdhg_problem_intercept(spdhg_problem *p, bool on, spdhg_error *err) {
    SPD_TRY(check_open(p, err));
    p->intercept = on;
    return SPDHG_OK;
}

spdhg_status spdhg_problem_standardize(spdhg_problem *p, bool on, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    SPD_TRY(check_open(p, err));
    p->standardize = on;
    return SPDHG_OK;
}

spdhg_status spdhg_problem_allow_one_class(spdhg_problem *p, bool on, spdhg_error *err) {
    SPD_TRY(check_open(p, err));
    p->one_class_ok = on;
    return SPDHG_OK;
}

spdhg_status spdhg_problem_set(spdhg_problem *p, const char *set, spdhg_error *err) {
    SPD_TRY(check_open(p, err));
    return spd_set_find(set, &p->set, err);
}

spdhg_status spdhg_problem_class_weight(spdhg_problem *p, const char *spec, spdhg_error *err) {
    SPD_TRY(check_open(p, err));
    char *copy = spd_strdup(spec);
    if (!copy) return spd_fail_memory(err, (double)strlen(spec));
    spd_free(p->class_weight);
    p->class_weight = copy;
    return SPDHG_OK;
}

/* Back to what the caller asked for: drops everything that a freeze has made, also one that failed midway. */
static void thaw_term(spd_term *t) {
    spd_free(t->block_ptr);
    spd_free(t->block_row);
    spd_free(t->placed.idx);
    t->block_ptr = t->block_row = NULL;
    t->blocks = t->largest = 0;
    t->placed = (spd_csr){0};
}

static void thaw(spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++) thaw_term(&p->term[t]);
    spd_free(p->own);
    spd_centre_free(&p->centre);
    spd_free(p->scale);
    spd_free(p->b_made);
    spd_free(p->weight);
    spd_free(p->constant);
    spd_free(p->class_value);
    spd_free(p->place);
    p->b = NULL;
    p->own = p->scale = p->b_made = p->weight = p->constant = p->class_value = NULL;
    p->place = NULL;
    p->classes = p->nnz = 0;
    p->full = false;
    p->row_norm2_max = p->weight_factor_max = p->row_norm2_mean = p->row_norm_mean = 0;
}

static void free_term(spd_term *t) {
    thaw_term(t);
    spdhg_structure_free(t->owned);
    spd_free(t->group_asked);
}

/* Takes the groups as given, one number per row of the unweighted F. */
static spdhg_status take_groups(spd_term *t, const spdhg_structure *F, const spdhg_term_options *o, spdhg_error *err) {
    if (!o->groups && !o->group) return SPDHG_OK;
    if (!t->penalty->groups_ok)
        return spd_fail(err, SPDHG_USAGE, "penalty %s takes no groups; --penalty group does", t->penalty->name);
    if (o->groups) return spd_structure_groups(F, o->groups, &t->group_asked, err);
    if (o->group_rows != F->F.m)
        return spd_fail(err, SPDHG_USAGE, "%lld group numbers for the %lld rows of F", (long long)o->group_rows,
                        (long long)F->F.m);
    t->group_asked = spd_copy(o->group, F->F.m, sizeof *o->group);
    return t->group_asked ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)F->F.m);
}

/* Row weights are part of F: its rows are scaled, rows of weight 0 are dropped, and the groups are adapted. */
static spdhg_status take_weights(spd_term *t, const spdhg_structure *F, const spdhg_term_options *o, spdhg_error *err) {
    t->F = F;
    if (!o->row_weight) return SPDHG_OK;
    if (o->row_weights != F->F.m)
        return spd_fail(err, SPDHG_DATA, "%lld penalty weights for the %lld rows of F", (long long)o->row_weights,
                        (long long)F->F.m);
    int64_t *kept = NULL;
    SPD_TRY(spd_structure_weighted(&t->owned, F, o->row_weight, &kept, err));
    t->F = t->owned;
    for (int64_t e = 0; t->group_asked && e < t->F->F.m; e++) t->group_asked[e] = t->group_asked[kept[e]];
    spd_free(kept);
    return SPDHG_OK;
}

spdhg_status spdhg_problem_term(spdhg_problem *p, const char *penalty, const spdhg_structure *F, double lambda,
                                const spdhg_term_options *options, spdhg_error *err) {
    const spd_penalty *r;
    SPD_TRY(spd_penalty_find(penalty, &r, err));
    return spdhg_problem_own_term(p, r, F, lambda, options, err);
}

spdhg_status spdhg_problem_own_term(spdhg_problem *p, const spdhg_penalty *penalty, const spdhg_structure *F, double lambda,
                                    const spdhg_term_options *options, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    SPD_TRY(check_open(p, err));
    SPD_TRY(spd_penalty_check(penalty, err));
    spdhg_term_options o = SPDHG_TERM_OPTIONS;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_term_options, &o, options, err));
    spd_term t = {.penalty = penalty, .lambda = lambda, .lambda_given = lambda};
    if (!(lambda >= 0) || !isfinite(lambda)) return spd_fail(err, SPDHG_USAGE, "lambda must be a number >= 0, not %g", lambda);
    if (F->F.n != p->d)
        return spd_fail(err, SPDHG_DATA, "the structure %s is for %lld features, the data has %lld", F->spec, (long long)F->F.n,
                        (long long)p->d);
    spdhg_status status = take_groups(&t, F, &o, err);
    if (status == SPDHG_OK) status = take_weights(&t, F, &o, err);
    spd_term *grown = status == SPDHG_OK ? spd_grow(p->term, p->terms, p->terms + 1, sizeof t) : NULL;
    if (status == SPDHG_OK && !grown) status = spd_fail_memory(err, sizeof t);
    if (status != SPDHG_OK) {
        free_term(&t);
        return status;
    }
    t.m = t.F->F.m;
    p->term = grown;
    p->term[p->terms++] = t;
    return SPDHG_OK;
}

static spdhg_status prepare(spdhg_problem *p, spdhg_error *err) {
    SPD_TRY(spd_problem_map_labels(p, err));
    if (__builtin_mul_overflow(p->d, p->K, &p->dK)) return spd_fail(err, SPDHG_DATA, "features times outputs overflows");
    const spdhg_data *data = p->data;
    if (data->offset && data->offsets != p->K)
        return spd_fail(err, SPDHG_DATA, "the offsets have %lld columns, the model has %lld outputs", (long long)data->offsets,
                        (long long)p->K);
    SPD_TRY(spd_prepare_weights(p, err));
    SPD_TRY(spd_problem_check_falling(p, err));
    SPD_TRY(spd_problem_find_curvature(p, err));
    SPD_TRY(spd_prepare_values(p, NULL, err));
    SPD_TRY(spd_measure_rows(p, err));
    return spd_prepare_terms(p, err);
}

spdhg_status spd_problem_freeze(spdhg_problem *p, spdhg_error *err) {
    if (p->frozen) return SPDHG_OK;
    spdhg_status status = prepare(p, err);
    if (status == SPDHG_OK) status = spd_data_good(p->data, err);
    p->frozen = status == SPDHG_OK;
    if (!p->frozen) thaw(p);
    return status;
}

/* One factor for all lambda_t, along a path, and for gamma where it follows them. */
spdhg_status spdhg_problem_scale_lambda(spdhg_problem *p, double factor, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    if (!(factor >= 0) || !isfinite(factor))
        return spd_fail(err, SPDHG_USAGE, "the factor of lambda must be a number >= 0, not %g", factor);
    for (int64_t t = 0; t < p->terms; t++) p->term[t].lambda = factor * p->term[t].lambda_given;
    if (p->ridge_follows) p->gamma = factor * p->gamma_given;
    return SPDHG_OK;
}

void spdhg_problem_free(spdhg_problem *p) {
    if (!p) return;
    thaw(p);
    for (int64_t t = 0; t < p->terms; t++) free_term(&p->term[t]);
    spd_free(p->term);
    spd_free(p->row);
    spd_free(p->class_weight);
    spd_free(p);
}
