/* to_model.c - the model of a finished solve: coefficients on the original scale, label map, names, how it was made.
 * Standardisation divided column j by scale_j, so the coefficient of the original column is x_j / scale_j. */
#include "model/model.h"
#include "run/run.h"

/* "first + second + ..." over the terms. */
static char *join_terms(const spdhg_problem *p, const char *(*text)(const spd_term *)) {
    size_t size = 1;
    for (int64_t t = 0; t < p->terms; t++) size += strlen(text(&p->term[t])) + 3;
    char *joined = spd_alloc((int64_t)size, 1);
    for (int64_t t = 0; joined && t < p->terms; t++) {
        const size_t used = strlen(joined);
        snprintf(joined + used, size - used, "%s%s", t ? " + " : "", text(&p->term[t]));
    }
    return joined;
}
static const char *term_penalty(const spd_term *t) { return t->penalty->name; }
static const char *term_structure(const spd_term *t) { return t->F->spec ? t->F->spec : "matrix"; }

/* NAME[:ARG,...] as the user would write it. */
static void spell(char *text, size_t size, const char *name, const double *arg, int args) {
    size_t used = (size_t)snprintf(text, size, "%s", name);
    for (int i = 0; i < args && used < size; i++) {
        char number[SPD_NUMBER_CHARS];
        spd_print_double(number, arg[i]);
        used += (size_t)snprintf(text + used, size - used, "%c%s", i ? ',' : ':', number);
    }
}

static bool copy_coefficients(spdhg_model *m, const spdhg_problem *p, const spdhg_solution *s, const double *c) {
    m->features = s->features;
    m->outputs = s->outputs;
    m->x = spd_copy(s->x, s->features * s->outputs, sizeof *m->x);
    m->c = s->c ? spd_copy(s->c, s->outputs, sizeof *m->c) : SPD_NEW(double, s->outputs);
    if (p->centre.count > 0 && !(m->centred_c = spd_copy(c, s->outputs, sizeof *m->c))) return false;
    for (int64_t j = 0; m->x && p->scale && j < m->features; j++)
        for (int64_t k = 0; k < m->outputs; k++) m->x[j * m->outputs + k] /= p->scale[j];
    return m->x && m->c && spd_centre_copy(&m->centre, &p->centre, NULL) == SPDHG_OK;
}

/* What is needed to read other data in the same way as the training data: label map, index base, names. */
static bool copy_meaning(spdhg_model *m, const spdhg_problem *p) {
    const spdhg_data *data = p->data;
    m->classify = p->loss->classify;
    m->index_base = data->index_base;
    m->hash = data->hash;
    if (p->classes > 0) {
        if (!(m->class_value = spd_copy(p->class_value, p->classes, sizeof *m->class_value))) return false;
        if (data->label && !(m->class_text = SPD_NEW(char *, p->classes))) return false;
        m->classes = p->classes;
        for (int64_t k = 0; data->label && k < m->classes; k++)
            if (!(m->class_text[k] = spd_to_utf8(data->label[(int64_t)m->class_value[k]]))) return false;
    }
    if (data->name) {
        if (!(m->name = SPD_NEW(char *, m->features))) return false;
        for (int64_t j = 0; j < m->features; j++)
            if (!(m->name[j] = spd_to_utf8(data->name[j]))) return false;
    }
    if (data->columns) return (m->columns = spd_schema_copy(data->columns));
    return !m->name || (m->columns = spd_schema_numbers(m->name, m->features));
}

static bool copy_history(spdhg_model *m, const spdhg_problem *p, const spdhg_solution *s) {
    char text[80];
    spell(m->loss, sizeof m->loss, p->loss->name, &p->loss_arg, p->loss->arg_max >= p->loss->arg_min);
    spell(text, sizeof text, p->set.kind ? p->set.kind->name : "all", p->set.arg, p->set.kind ? p->set.kind->args : 0);
    m->set = spd_strdup(text);
    m->penalty = join_terms(p, term_penalty);
    m->structure = join_terms(p, term_structure);
    m->solver = spd_strdup(s->solver ? s->solver : "");
    if (p->terms > 0) {
        m->lambda = p->term[0].lambda;
        memcpy(m->side, p->term[0].F->side, sizeof m->side);
    }
    m->gamma = p->gamma;
    m->objective = s->objective;
    m->train_loss = s->train_loss;
    m->penalty_value = s->penalty;
    m->gap = strcmp(s->gap_kind, "certified") == 0 ? s->gap : NAN; /* a model has no place for the radius of another one */
    m->epochs = s->epochs;
    m->seconds = s->seconds;
    m->intercept = p->intercept;
    m->standardized = p->standardize;
    snprintf(m->version, sizeof m->version, "%s", spdhg_version());
    return m->set && m->penalty && m->structure && m->solver;
}

spdhg_status spd_model_make(spdhg_model **out, const spdhg_problem *p, const spdhg_solution *s, const double *c,
                            spdhg_outcome outcome, uint64_t seed, int threads, spdhg_error *err) {
    spdhg_model *m = SPD_NEW(spdhg_model, 1);
    if (m) {
        m->outcome = spd_strdup(spdhg_outcome_text(outcome));
        m->seed = seed;
    }
    if (!m || !m->outcome || !copy_coefficients(m, p, s, c) || !copy_meaning(m, p) || !spd_model_describe(m, p, threads, s->x) ||
        !copy_history(m, p, s)) {
        spdhg_model_free(m);
        return spd_fail_memory(err, 8.0 * (double)s->features * (double)s->outputs);
    }
    *out = m;
    return SPDHG_OK;
}

spdhg_status spdhg_model_from_solver(spdhg_model **out, const spdhg_solver *solver, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    const spdhg_problem *p = spd_solver_problem(solver);
    const spdhg_solution *s = spdhg_solver_solution(solver);
    if ((!s || !s->x) && spd_solver_outcome(solver) == SPDHG_OUTCOME_DIVERGED)
        return spd_fail(err, SPDHG_DATA,
                        "f is infinite, or too large for a double, at every point tried: the scores are too large for the loss; "
                        "scale the columns, or choose a set X nearer to 0");
    if (!s || !s->x)
        return spd_fail(err, SPDHG_USAGE, "a model needs a solver that has run, and a point at which the objective is finite");
    SPD_TRY(spd_model_make(out, p, s, spd_solver_intercept(solver), spd_solver_outcome(solver), spd_solver_options(solver)->seed,
                           spd_threads(spd_solver_options(solver)->threads), err));
    const spdhg_status status = spd_data_good(p->data, err);
    if (status == SPDHG_OK) return SPDHG_OK;
    spdhg_model_free(*out);
    *out = NULL;
    return status;
}
