/* test_laws_loss.c - the laws every loss obeys, for every entry of the table and several arguments:
 *     phi' and phi'' agree with difference quotients
 *     phi is convex and phi'' <= kappa
 *     phi(z) + phi*(alpha) >= alpha z, with equality at alpha = phi'(z)
 *     the proximal step inverts z -> z + q phi'(z)
 * A loss with a corner is linear on either side of it: where the corner is between two points, phi' may jump by high - low. */
#include <float.h>

#include "laws.h"

#include "loss/loss.h"

enum { K_MAX = 4 };

/* One loss as a function of K numbers; K = 1 for scalar losses. */
typedef struct subject {
    const spdhg_loss *loss;
    double arg, b;
    int64_t K;
} subject;

static double value(const subject *s, const double *z) { return spd_loss_value(s->loss, s->arg, s->K, z, &s->b); }
static void slope(const subject *s, const double *z, double *out) { spd_loss_slope(s->loss, s->arg, s->K, z, &s->b, out); }
static double conjugate(const subject *s, const double *alpha) {
    return s->loss->conjugate_k ? s->loss->conjugate_k(alpha, s->K, s->b) : s->loss->conjugate(alpha[0], s->b, s->arg);
}
static void second(const subject *s, const double *z, const double *p, double *hp) {
    if (s->loss->second_k)
        s->loss->second_k(z, s->K, s->b, p, hp);
    else
        hp[0] = s->loss->second(z[0], s->b, s->arg) * p[0];
}

/* kappa or, if it is infinite, the largest phi'' between z and w and slightly beyond. With a corner between them: the jump of
 * phi' over their distance; else 0. */
static double bound_between(const subject *s, const double *z, const double *w) {
    const double kappa = s->loss->curvature(s->arg);
    if (isfinite(kappa)) return kappa;
    if (spd_loss_has_corner(s->loss, s->arg)) {
        const bool across = (z[0] - s->b) * (w[0] - s->b) <= 0;
        return across ? 2 * spd_loss_jump(s->loss, s->arg, s->b) / fmax(fabs(z[0] - w[0]), 1e-300) : 0;
    }
    assert_true(s->K == 1 && s->loss->steady);
    return fmax(s->loss->second(z[0], s->b, s->arg), s->loss->second(w[0], s->b, s->arg)) * exp(1e-5);
}

/* Everything that must hold at z, and between z and w. */
static void laws_at(const subject *s, const double *z, const double *w) {
    const char *name = s->loss->name;
    const double kappa = bound_between(s, z, w), h = 1e-6 * fmin(1, s->arg > 0 ? s->arg : 1);
    double g[K_MAX], gw[K_MAX], up[K_MAX], down[K_MAX], gu[K_MAX], gd[K_MAX], p[K_MAX], hp[K_MAX];
    slope(s, z, g);
    slope(s, w, gw);
    const double f = value(s, z), scale = 1 + fabs(f);
    assert_true(isfinite(f) && f >= 0);
    for (int64_t k = 0; k < s->K; k++) {
        memcpy(up, z, sizeof up);
        memcpy(down, z, sizeof down);
        up[k] += h, down[k] -= h;
        assert_near(name, (value(s, up) - value(s, down)) / (up[k] - down[k]), g[k], 4 * kappa * h + 1e-15 * scale / h);
        for (int64_t j = 0; j < s->K; j++) p[j] = j == k;
        second(s, z, p, hp);
        assert_true(hp[k] >= 0 && hp[k] <= kappa * (1 + 1e-15));
        slope(s, up, gu);
        slope(s, down, gd);
        double above[K_MAX], below[K_MAX];
        second(s, up, p, above);
        second(s, down, p, below);
        for (int64_t j = 0; j < s->K; j++) {
            if (fabs(above[j] - below[j]) > 1e-3 * kappa) continue; /* a kink of phi' in between */
            assert_near(name, (gu[j] - gd[j]) / (up[k] - down[k]), hp[j], 1e-7 * kappa + 1e-15 * (1 + fabs(g[j])) / h);
        }
    }
    double monotone = 0, distance = 0, ahead = value(s, w) - f;
    for (int64_t k = 0; k < s->K; k++) {
        monotone += (gw[k] - g[k]) * (w[k] - z[k]);
        distance += (w[k] - z[k]) * (w[k] - z[k]);
        ahead -= g[k] * (w[k] - z[k]);
    }
    const double error = 1e-12 * (scale + fabs(value(s, w)) + distance);
    assert_at_most(name, -error, ahead);                         /* convex: above its tangent */
    assert_at_most(name, ahead, 0.5 * kappa * distance + error); /* and below the parabola of curvature kappa */
    assert_at_most(name, -error, monotone);
    const double at_slope = conjugate(s, g), product = law_dot(s->K, g, z);
    assert_near(name, f + at_slope, product, 1e-12 * (1 + fabs(f) + fabs(at_slope) + fabs(product)));
    const double elsewhere = conjugate(s, gw), other = law_dot(s->K, gw, z);
    assert_at_most(name, other - 1e-12 * (1 + fabs(other) + fabs(elsewhere)), f + elsewhere);
}

/* |phi'''| <= phi'' by differences of phi''. Probabilities satisfy phi' = probability - 1 (for the label's own class) and sum
 * to 1. */
static void properties_at(const subject *s, const double *z) {
    const spdhg_loss *loss = s->loss;
    if (loss->steady)
        for (double t = -1; t <= 1; t += 0.25)
            assert_at_most(loss->name, loss->second(z[0] + t, s->b, s->arg),
                           loss->second(z[0], s->b, s->arg) * exp(fabs(t)) * (1 + 1e-13));
    if (spd_loss_is_square(loss)) assert_near(loss->name, loss->second(z[0], s->b, s->arg), loss->curvature(s->arg), 0);
    double chance[K_MAX] = {0}, g[K_MAX], sum = 0;
    slope(s, z, g);
    if (loss->chance) {
        assert_near(loss->name, loss->chance(z[0], s->b, s->arg) - 1, s->b * g[0], 1e-15);
        assert_near(loss->name, loss->chance(z[0], -s->b, s->arg), -s->b * g[0], 1e-15 * fabs(g[0]));
    }
    if (!loss->chance_k) return;
    loss->chance_k(z, s->K, chance);
    for (int64_t k = 0; k < s->K; k++) {
        sum += chance[k];
        assert_near(loss->name, chance[k] - (k == (int64_t)s->b), g[k], 1e-15);
    }
    assert_near(loss->name, sum, 1, 1e-15);
}

static void laws_of(const subject *s, uint64_t sequence) {
    for (int64_t i = 0; i < 400; i++) {
        double z[K_MAX], w[K_MAX];
        const double scale = i % 4 == 0 ? 0.1 : i % 4 == 1 ? 1 : i % 4 == 2 ? 5 : 100;
        for (int64_t k = 0; k < s->K; k++) {
            z[k] = scale * law_normal(sequence, 8 * i + k);
            w[k] = scale * law_normal(sequence, 8 * i + 4 + k);
        }
        laws_at(s, z, w);
        properties_at(s, z);
    }
}

/* The proximal step at u = z + q phi'(z) is phi'(z), for any step length. */
static void prox_undoes_its_own_equation(const subject *s, uint64_t sequence) {
    const double q[] = {0, 1e-3, 1, 30, 1e5};
    double z[K_MAX], u[K_MAX], g[K_MAX], got[K_MAX], work[9 * K_MAX];
    assert_true(spd_loss_prox_work(K_MAX) <= 9 * K_MAX);
    for (int64_t i = 0; i < 200; i++) {
        const double step = q[i % 5], scale = i % 3 == 0 ? 0.3 : i % 3 == 1 ? 3 : 50;
        double b[K_MAX] = {s->b, s->b, s->b, s->b};
        for (int64_t k = 0; k < s->K; k++) z[k] = scale * law_normal(sequence, 8 * i + k);
        slope(s, z, g);
        for (int64_t k = 0; k < s->K; k++) u[k] = z[k] + step * g[k];
        memset(work, i % 2 ? 0xff : 0, sizeof work);
        spd_loss_prox(s->loss, s->arg, s->K, step, u, b, got, work);
        const double kappa =
            bound_between(s, z, z); /* u is rounded: alpha can only be known to its rounding times kappa/(1 + q kappa) */
        for (int64_t k = 0; k < s->K; k++)
            assert_near(s->loss->name, got[k], g[k],
                        1e-13 * (1 + fabs(g[k])) + 1e-14 * fabs(u[k]) * kappa / (1 + step * kappa) + 1e-15 * kappa * fabs(z[k]));
    }
}

/* On a fine grid, on which plain Newton would sometimes oscillate forever: alpha = phi'(u - q alpha). */
static void prox_on_a_grid(const subject *s) {
    double alpha, work[9];
    for (double q = 0.1; s->K == 1 && q < 1000; q *= 1.7)
        for (double u = -60; u < 60; u += 0.37) {
            spd_loss_prox(s->loss, s->arg, 1, q, &u, &s->b, &alpha, work);
            const double z = u - q * alpha, kappa = bound_between(s, &z, &z);
            double g;
            slope(s, &z, &g);
            if (spd_loss_has_corner(s->loss, s->arg)) /* any alpha between the two slopes will do at the corner */
                assert_near(s->loss->name, s->loss->bracket(z, s->b, alpha, s->arg), 0, 1e-13 * (1 + fabs(u)));
            else
                assert_near(s->loss->name, g, alpha, 1e-14 * (1 + kappa) * (1 + q) * (1 + fabs(u)) * (1 + fabs(alpha)));
        }
}

/* If phi never increases with z (phi* ends at 0 on that side), it becomes constant eventually or decreases forever. */
static void falls_as_it_says(const subject *s) {
    for (int side = -1; side <= 1 && s->loss->value; side += 2) {
        if (isfinite(s->loss->conjugate(side * 1e-300, s->b, s->arg))) continue;
        const double far = s->loss->value(side * 600, s->b, s->arg), farther = s->loss->value(side * 700, s->b, s->arg);
        assert_true(s->loss->falls_for_ever ? farther < far : farther == far);
    }
}

static void every_loss(void **unused) {
    (void)unused;
    int entries;
    const spdhg_loss *const *table = spd_loss_table(&entries);
    assert_true(entries >= 6);
    for (int i = 0; i < entries; i++) {
        const bool takes_arg = table[i]->arg_min <= table[i]->arg_max;
        const double args[3] = {table[i]->arg, 0.25, 3};
        for (int a = 0; a < (takes_arg ? 3 : 1); a++)
            for (int b = 0; b < 3 && (!takes_arg || args[a] <= table[i]->arg_max); b++) {
                subject s = {.loss = table[i], .arg = args[a], .K = table[i]->value_k ? K_MAX : 1};
                s.b = s.K > 1 ? b : table[i]->classify ? (b % 2 ? 1 : -1) : table[i]->wrong_target ? 2.5 * b : b - 1.3;
                laws_of(&s, (uint64_t)(100 * i + 10 * a + b));
                falls_as_it_says(&s);
                prox_on_a_grid(&s);
                prox_undoes_its_own_equation(&s, (uint64_t)(100 * i + 10 * a + b));
            }
    }
}

/* Far out, nothing overflows or becomes NaN. A loss with unbounded curvature may be infinite, but not NaN. */
static void far_out(void **unused) {
    (void)unused;
    int entries;
    const spdhg_loss *const *table = spd_loss_table(&entries);
    for (int i = 0; i < entries; i++)
        for (int c = 0; c < 16; c++) {
            subject s = {.loss = table[i],
                         .arg = table[i]->arg,
                         .K = table[i]->value_k ? K_MAX : 1,
                         .b = table[i]->value_k ? c % 4
                              : c & 4           ? 1
                                                : -1};
            double z[K_MAX], g[K_MAX], hp[K_MAX];
            const double p[K_MAX] = {1, -1, 1, 1};
            for (int k = 0; k < K_MAX; k++) z[k] = c >> k & 1 ? 1e4 : -1e4;
            slope(&s, z, g);
            second(&s, z, p, hp);
            if (isinf(s.loss->curvature(s.arg))) {
                assert_true(value(&s, z) >= 0 && !isnan(g[0]) && hp[0] >= 0);
                continue;
            }
            assert_true(isfinite(value(&s, z)) && value(&s, z) >= 0);
            for (int64_t k = 0; k < s.K; k++) assert_true(isfinite(g[k]) && isfinite(hp[k]));
            assert_near(s.loss->name, value(&s, z) + conjugate(&s, g), law_dot(s.K, g, z), 1e-12 * (1 + fabs(value(&s, z))));
        }
}

static void known_values(void **unused) {
    (void)unused;
    const double z2[2] = {0, 0}, far[2] = {0, 1e4};
    assert_near("logistic", spd_loss_logistic.value(0, 1, 0), M_LN2, 1e-16);
    assert_near("logistic", spd_loss_logistic.value(1e4, -1, 0), 1e4, 0);
    assert_true(spd_loss_logistic.slope(-40, -1, 0) > 0); /* exp(-40) is not lost next to 1 */
    assert_near("logistic", spd_loss_logistic.slope(-40, -1, 0) / exp(-40), 1, 1e-14);
    assert_near("squared-hinge", spd_loss_squared_hinge.value(-1, 1, 0), 4, 0);
    assert_near("smooth-hinge", spd_loss_smooth_hinge.value(0.75, 1, 0.5), 0.0625, 1e-16);
    assert_near("smooth-hinge", spd_loss_smooth_hinge.value(-1, 1, 0.5), 1.75, 0);
    assert_near("huber", spd_loss_huber.value(5, 1, 1.5), 4.875, 0);
    assert_near("hinge", spd_loss_hinge.value(0.25, 1, 0) + spd_loss_hinge.value(-2, -1, 0), 0.75, 0);
    assert_near("absolute", spd_loss_absolute.value(-2, 1.5, 0), 3.5, 0);
    assert_near("quantile", spd_loss_quantile.value(1, 3, 0.25) + spd_loss_quantile.value(5, 3, 0.25), 0.5 + 1.5, 0);
    assert_true(spd_loss_hinge.slope(1, 1, 0) == 0 && spd_loss_quantile.conjugate(-0.25, 2, 0.25) == -0.5);
    assert_true(isinf(spd_loss_quantile.conjugate(-0.2500001, 2, 0.25)) && isinf(spd_loss_hinge.conjugate(1e-300, 1, 0)));
    assert_near("softmax", spd_loss_softmax.value_k(z2, 2, 1), M_LN2, 1e-16);
    assert_near("softmax", spd_loss_softmax.value_k(far, 2, 0), 1e4, 0);
}

/* One class of probability 1 but for 1e-17 or less: its variance q(1 - q) is that of the others. */
static void softmax_curvature_keeps_its_digits(void **unused) {
    (void)unused;
    const double z[3] = {-50, 0, -40}, q[3] = {exp(-50), 1, exp(-40)};
    for (int64_t k = 0; k < 3; k++) {
        double unit[3] = {0}, column[3];
        unit[k] = 1;
        spd_loss_softmax.second_k(z, 3, 2, unit, column);
        for (int64_t l = 0; l < 3; l++) {
            const double rest = k == 1 ? q[0] + q[2] : 1;
            assert_near("softmax", column[l] / (l == k ? q[k] * rest : -q[k] * q[l]), 1, 1e-14);
        }
    }
}

static void infinite_outside_the_domain(void **unused) {
    (void)unused;
    for (int b = -1; b <= 1; b += 2) {
        assert_true(spd_loss_logistic.conjugate(b * 1e-300, b, 0) == INFINITY);
        assert_true(spd_loss_logistic.conjugate(-b * (1 + 1e-15), b, 0) == INFINITY);
        assert_true(spd_loss_logistic.conjugate(0, b, 0) == 0 && spd_loss_logistic.conjugate(-b, b, 0) == 0);
        assert_true(spd_loss_squared_hinge.conjugate(b * 1e-300, b, 0) == INFINITY);
        assert_true(spd_loss_squared_hinge.conjugate(0, b, 0) == 0);
        assert_true(spd_loss_smooth_hinge.conjugate(b * 1e-300, b, 1) == INFINITY);
        assert_true(spd_loss_smooth_hinge.conjugate(-b * (1 + 1e-15), b, 1) == INFINITY);
        assert_true(spd_loss_smooth_hinge.conjugate(-b, b, 0.5) == -0.75);
        assert_true(spd_loss_huber.conjugate(b * 1.5000001, 2, 1.5) == INFINITY &&
                    isfinite(spd_loss_huber.conjugate(b * 1.5, 2, 1.5)));
        assert_true(spd_loss_logistic.conjugate(NAN, b, 0) == INFINITY);
    }
    const double inside[3] = {0.25, -0.5, 0.25}, corner[3] = {0, 0, 0}, sum[3] = {0.25, -0.5, 0.3},
                 sign[3] = {-1e-300, -0.5, 0.5};
    assert_near("softmax", spd_loss_softmax.conjugate_k(inside, 3, 1), 0.5 * log(0.25) + 0.5 * log(0.5), 1e-15);
    assert_true(spd_loss_softmax.conjugate_k(corner, 3, 1) == 0);
    assert_true(spd_loss_softmax.conjugate_k(sum, 3, 1) == INFINITY && spd_loss_softmax.conjugate_k(sign, 3, 1) == INFINITY);
}

static void found_by_name(void **unused) {
    (void)unused;
    const spdhg_loss *loss;
    double arg;
    spdhg_error err;
    assert_int_equal(spd_loss_find("huber:2.5", &loss, &arg, &err), SPDHG_OK);
    assert_true(loss == &spd_loss_huber && arg == 2.5);
    assert_int_equal(spd_loss_find("huber", &loss, &arg, &err), SPDHG_OK);
    assert_true(arg == 1.345);
    static const char *const wrong[] = {"huber:", "huber:0", "huber:x",          "huber:-1", "logistic:1",
                                        "hub",    "",        "smooth-hinge:1e7", "huber:nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(spd_loss_find(wrong[i], &loss, &arg, &err), SPDHG_USAGE);
        assert_null(loss);
    }
    spd_loss_find("parabola", &loss, &arg, &err);
    assert_non_null(strstr(err.message, "unknown loss 'parabola'; expected one of: logistic, squared, squared-hinge, "));
    const double z[2] = {1, 3}, b[2] = {0, 1}; /* a scalar loss adds up over the outputs */
    double g[2];
    assert_true(spd_loss_value(&spd_loss_squared, 0, 2, z, b) == 2.5);
    spd_loss_slope(&spd_loss_squared, 0, 2, z, b, g);
    assert_true(g[0] == 1 && g[1] == 2);
}

/* Counts: phi and its bracket against long doubles, where their terms cancel and where they do not. */
static void poisson_keeps_its_digits(void **unused) {
    (void)unused;
    const spdhg_loss *phi = &spd_loss_poisson;
    static const double counts[] = {0, 1e-3, 0.5, 1, 7, 1e4, 1e9}, off[] = {0, 1e-9, 1e-4, 0.1, 0.9, 1.9, 2.1, 20, 300};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < 2 * sizeof off / sizeof *off; j++) {
            const double b = counts[i], t = j % 2 ? off[j / 2] : -off[j / 2], z = (b > 0 ? log(b) : 0) + t;
            const long double at = (long double)z - (b > 0 ? logl(b) : 0), exact = b > 0 ? b * (expl(at) - 1 - at) : expl(z);
            const long double series = b * at * at / 2 * (1 + at / 3 + at * at / 12);
            const double want = (double)(b > 0 && fabsl(at) < 1e-3L ? series : exact);
            const double unit = 2.3e-16 * (1 + fabs(z)) * fabs(phi->slope(z, b, 0));
            assert_near("poisson", phi->value(z, b, 0), want, 1e-14 * want + unit + 1e-31 * b * (1 + z * z));
            for (double part = 0; part <= 2; part += 0.25) { /* alpha from the end of its domain, -b, on */
                const double alpha = part * phi->slope(z, b, 0);
                if (alpha < -b) continue;
                const long double q = (long double)alpha + b, s = q > 0 ? (long double)z - logl(q) : 0;
                const long double bracket = q > 0 ? q * (expl(s) - 1 - s) : expl(z),
                                  few = q * s * s / 2 * (1 + s / 3 + s * s / 12);
                const double right = (double)(q > 0 && fabsl(s) < 1e-3L ? few : bracket);
                double got;
                spd_loss_brackets(phi, 0, 1, &z, &b, &alpha, &got);
                assert_near("poisson", got, right,
                            1e-14 * right + 2.3e-16 * (1 + fabs(z)) * fabs((double)(expl(z) - q)) + 1e-31 * exp(z) * (1 + z * z));
            }
        }
    assert_true(fabs(phi->conjugate(-2, 2, 0) - (2 - 2 * log(2))) < 1e-15 && phi->conjugate(-2.0000000001, 2, 0) == INFINITY);
    assert_true(phi->conjugate(0, 0, 0) == 0 && phi->conjugate(-1e-300, 0, 0) == INFINITY && phi->slack(-2, 2, 0) == 0);
    assert_true(phi->conjugate(0, 3, 0) == 0 && phi->bracket(1, 2, -3, 0) == INFINITY && phi->conjugate(NAN, 2, 0) == INFINITY);
    assert_near("poisson", phi->value(1.25, 2, 0), exp(1.25) - 2.5 + 2 * log(2) - 2, 1e-15);
    assert_true(phi->wrong_target(-1) && phi->wrong_target(NAN) && phi->wrong_target(INFINITY) && !phi->wrong_target(0.5));
}

/* The loops over many rows against the losses' own functions, one row at a time, for tiny to very large values. */
static void rows_at_once(void **unused) {
    (void)unused;
    enum { ROWS = 1001 };
    static double z[ROWS], b[ROWS], alpha[ROWS], value[ROWS], slope[ROWS], second[ROWS], bracket[ROWS], alone[ROWS];
    static const double size[] = {1e-12, 1e-3, 1, 40, 650, 760, 1e9}, shrink[] = {1, 1 - 1e-9, 0.5, 0};
    for (size_t k = 0; k < sizeof size / sizeof *size * 4; k++) {
        for (int i = 0; i < ROWS; i++) {
            z[i] = size[k / 4] * ((i * 37 % ROWS) / (0.5 * ROWS) - 1);
            b[i] = i % 2 ? 1 : -1;
            alpha[i] = shrink[k % 4] * spd_loss_logistic.slope(z[i], b[i], 0);
        }
        spd_loss_rows(&spd_loss_logistic, 0, ROWS, z, b, value, slope, second);
        spd_loss_slopes(&spd_loss_logistic, 0, ROWS, z, b, alone);
        assert_memory_equal(alone, slope, sizeof slope);
        spd_loss_brackets(&spd_loss_logistic, 0, ROWS, z, b, alpha, bracket);
        for (int i = 0; i < ROWS; i++) {
            const double phi = spd_loss_logistic.value(z[i], b[i], 0), dual = spd_loss_logistic.conjugate(alpha[i], b[i], 0);
            assert_true(fabs(value[i] - phi) <= 2e-15 * phi + DBL_MIN);
            assert_true(fabs(slope[i] - spd_loss_logistic.slope(z[i], b[i], 0)) <= 2e-15 * fabs(slope[i]) + DBL_MIN);
            assert_true(fabs(second[i] - spd_loss_logistic.second(z[i], b[i], 0)) <= 2e-15 * second[i] + DBL_MIN);
            assert_true(fabs(bracket[i] - (phi + dual - alpha[i] * z[i])) <=
                        2e-15 * (phi + fabs(dual) + fabs(alpha[i] * z[i])) + DBL_MIN);
        }
    }
    alpha[0] = 2;
    spd_loss_brackets(&spd_loss_logistic, 0, 1, z, b, alpha, bracket);
    assert_true(isinf(bracket[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_loss),
                                       cmocka_unit_test(rows_at_once),
                                       cmocka_unit_test(far_out),
                                       cmocka_unit_test(poisson_keeps_its_digits),
                                       cmocka_unit_test(known_values),
                                       cmocka_unit_test(softmax_curvature_keeps_its_digits),
                                       cmocka_unit_test(infinite_outside_the_domain),
                                       cmocka_unit_test(found_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
