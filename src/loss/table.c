/* table.c - every loss, and how NAME[:ARG] is looked up. */
#include <float.h>

#include "loss/loss.h"

static const spdhg_loss *const table[] = {&spd_loss_logistic, &spd_loss_squared, &spd_loss_squared_hinge, &spd_loss_smooth_hinge,
                                          &spd_loss_huber,    &spd_loss_softmax, &spd_loss_poisson,       &spd_loss_hinge,
                                          &spd_loss_absolute, &spd_loss_quantile};
enum { ENTRIES = sizeof table / sizeof *table };

const spdhg_loss *const *spd_loss_table(int *entries) {
    *entries = ENTRIES;
    return table;
}

static spdhg_status argument(const spdhg_loss *loss, const char *text, double *arg, spdhg_error *err) {
    *arg = loss->arg;
    if (!text) return SPDHG_OK;
    if (loss->arg_max < loss->arg_min)
        return spd_fail(err, SPDHG_USAGE, "loss '%s' takes no argument, got ':%s'", loss->name, text);
    if (!spd_to_double(text, arg) || *arg < loss->arg_min || *arg > loss->arg_max)
        return spd_fail(err, SPDHG_USAGE, "loss '%s:%s': expected a number between %g and %g after ':'", loss->name, text,
                        loss->arg_min, loss->arg_max);
    return SPDHG_OK;
}

spdhg_status spd_loss_find(const char *spec, const spdhg_loss **loss, double *arg, spdhg_error *err) {
    *loss = NULL;
    const char *name[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
        name[i] = table[i]->name;
        if (!spd_spec_is(spec, name[i])) continue;
        SPD_TRY(argument(table[i], spd_spec_arg(spec), arg, err));
        *loss = table[i];
        return SPDHG_OK;
    }
    return spd_unknown(err, "loss", spec, name, ENTRIES, sizeof *name);
}

double spd_loss_never_rises(const spdhg_loss *loss, double arg, double b) {
    const bool up = isinf(loss->conjugate(DBL_TRUE_MIN, b, arg)), down = isinf(loss->conjugate(-DBL_TRUE_MIN, b, arg));
    return up == down ? 0 : up ? 1 : -1;
}

double spd_loss_value(const spdhg_loss *loss, double arg, int64_t K, const double *z, const double *b) {
    if (loss->value_k) return loss->value_k(z, K, b[0]);
    double sum = 0;
    for (int64_t k = 0; k < K; k++) sum += loss->value(z[k], b[k], arg);
    return sum;
}

void spd_loss_slope(const spdhg_loss *loss, double arg, int64_t K, const double *z, const double *b, double *slope) {
    if (loss->slope_k) {
        loss->slope_k(z, K, b[0], slope);
        return;
    }
    for (int64_t k = 0; k < K; k++) slope[k] = loss->slope(z[k], b[k], arg);
}
