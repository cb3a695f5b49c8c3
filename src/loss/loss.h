/* loss.h - the table of losses phi(z,b). The struct is public (spdhg_loss in spdhg.h): a user can define a loss in the same
 * way. */
#ifndef SPD_LOSS_H
#define SPD_LOSS_H
#include "core/core.h"

extern const spdhg_loss spd_loss_logistic, spd_loss_squared, spd_loss_squared_hinge, spd_loss_smooth_hinge, spd_loss_huber,
    spd_loss_softmax, spd_loss_poisson, spd_loss_hinge, spd_loss_absolute, spd_loss_quantile;

const spdhg_loss *const *spd_loss_table(int *entries);
/* Parses "NAME[:ARG]" into entry and arg, range checked; SPDHG_USAGE lists the valid names. */
spdhg_status spd_loss_find(const char *spec, const spdhg_loss **loss, double *arg, spdhg_error *err);
/* Whether phi is a parabola: quadratic, and phi* is finite everywhere. */
static inline bool spd_loss_is_square(const spdhg_loss *loss) { return loss->quadratic && !loss->slack; }
/* Whether phi has a corner at z = b: phi* is linear where it is finite, phi is linear on either side, and phi'(b) is an
 * interval. */
static inline bool spd_loss_has_corner(const spdhg_loss *loss, double arg) {
    return loss->quadratic && isinf(loss->curvature(arg));
}
/* How much the slope of such a loss rises at its corner. */
static inline double spd_loss_jump(const spdhg_loss *loss, double arg, double b) {
    return loss->slope(INFINITY, b, arg) - loss->slope(-INFINITY, b, arg);
}
/* The direction of z, +1 or -1, in which a scalar phi(z, b) never rises: phi* is infinite on that whole side of 0. 0: there is
 * none. */
double spd_loss_never_rises(const spdhg_loss *loss, double arg, double b);
/* The expected target at a score. */
static inline double spd_loss_mean(const spdhg_loss *loss, double arg, double z) { return loss->mean ? loss->mean(z, arg) : z; }
/* A scalar loss is summed over the outputs; b points to K targets (scalar) or to one class number (coupled). */
double spd_loss_value(const spdhg_loss *loss, double arg, int64_t K, const double *z, const double *b);
void spd_loss_slope(const spdhg_loss *loss, double arg, int64_t K, const double *z, const double *b, double *slope);
/* ---- rows.c: phi, phi' and phi'' at n scores of a scalar loss. */
void spd_loss_rows(const spdhg_loss *loss, double arg, int64_t n, const double *z, const double *b, double *value, double *slope,
                   double *second);
/* phi' alone. */
void spd_loss_slopes(const spdhg_loss *loss, double arg, int64_t n, const double *z, const double *b, double *slope);
/* phi(z) + phi*(alpha) - alpha z for each; INFINITY where alpha is outside the domain. */
void spd_loss_brackets(const spdhg_loss *loss, double arg, int64_t n, const double *z, const double *b, const double *alpha,
                       double *out);
/* ---- prox.c: slope = phi'(z) at the z with
 *     z + q phi'(z) = u,   q >= 0
 * all of length K. That is the proximal step of phi (z = u - q slope) and, by Moreau, of phi*. work: spd_loss_prox_work
 * doubles. */
void spd_loss_prox(const spdhg_loss *loss, double arg, int64_t K, double q, const double *u, const double *b, double *slope,
                   double *work);
int64_t spd_loss_prox_work(int64_t K);
#endif
