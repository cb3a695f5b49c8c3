/* params.c - the parameters of a solver's stages: numbers within the ranges of their tables, and for L also words. */
#include "run/loop.h"

/* The parameter of that name in some stage of the plan, or NULL. */
static const spd_param *find_param(const spdhg_solver *s, const char *name) {
    for (int i = 0; i < s->plan.stages; i++) {
        const spd_solver_kind *kind = s->plan.stage[i].kind;
        for (int j = 0; j < kind->params; j++)
            if (strcmp(kind->param[j].name, name) == 0) return &kind->param[j];
    }
    return NULL;
}

static spdhg_status no_such_param(const spdhg_solver *s, const char *name, spdhg_error *err) {
    const spd_solver_kind *kind = s->plan.stage[s->plan.stages - 1].kind;
    char names[300], meant[SPD_DID_YOU_MEAN_CHARS];
    spd_names(names, sizeof names, kind->param, kind->params, sizeof *kind->param);
    spd_did_you_mean(meant, sizeof meant, name, kind->param, kind->params, sizeof *kind->param);
    return spd_fail(err, SPDHG_USAGE, "solver %s has no parameter '%s'; it has %s%s", kind->name, name, kind->params ? names : "none",
                    meant);
}

static spdhg_status store(spdhg_solver *s, const char *name, double value, spdhg_error *err) {
    if (s->has_run) return spd_fail(err, SPDHG_USAGE, "parameters are set before the first run");
    int at = 0;
    while (at < s->settings && strcmp(s->setting[at].name, name) != 0) at++;
    if (at == SPD_SETTINGS_MAX) return spd_fail(err, SPDHG_USAGE, "too many parameters");
    snprintf(s->setting[at].name, sizeof s->setting[at].name, "%s", name);
    s->setting[at].value = value;
    if (at == s->settings) s->settings++;
    return SPDHG_OK;
}

spdhg_status spdhg_solver_set(spdhg_solver *s, const char *name, double value, spdhg_error *err) {
    const spd_param *found = find_param(s, name);
    if (!found) return no_such_param(s, name, err);
    if (!(value >= found->min && value <= found->max))
        return spd_fail(err, SPDHG_USAGE, "parameter %s = %g is outside %g..%g (%s)", name, value, found->min, found->max,
                        found->help);
    return store(s, name, value, err);
}

/* Only the smoothness constant has words. */
static bool takes_words(const spdhg_solver *s, const char *name) {
    for (int i = 0; i < s->plan.stages; i++)
        if (s->plan.stage[i].kind->smoothness != SPD_L_NUMBER && strcmp(name, "L") == 0) return true;
    return false;
}

spdhg_status spdhg_solver_choose(spdhg_solver *s, const char *name, const char *word, spdhg_error *err) {
    if (!find_param(s, name)) return no_such_param(s, name, err);
    const spd_smoothness code = takes_words(s, name) ? spd_smoothness_find(word) : SPD_L_NUMBER;
    if (code == SPD_L_NUMBER)
        return spd_fail(err, SPDHG_USAGE, "parameter %s = '%s' is not a finite number%s", name, word,
                        takes_words(s, name) ? ", nor one of expected, mean, max" : "");
    return store(s, name, code, err);
}

void spd_solver_params(const spdhg_solver *s, const spd_solver_kind *kind, double *param) {
    for (int j = 0; j < kind->params; j++) {
        param[j] = kind->param[j].value;
        for (int i = 0; i < s->settings; i++)
            if (strcmp(s->setting[i].name, kind->param[j].name) == 0) param[j] = s->setting[i].value;
    }
}
