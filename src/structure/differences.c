/* differences.c - Fx = differences of neighbouring coefficients, once (chain) or repeatedly (trend).
 * Row e of the q-th difference has (-1)^(q-i) binomial(q,i) at column e+i, i = 0..q (Kim et al. 2009; Tibshirani 2014).
 * For coefficients at positions t_1 < t_2 < ..., D^(1) are the differences of neighbours, and then
 *     D^(q+1) = D^(1) diag( q / (t_{e+q} - t_e) ) D^(q)           (Tibshirani 2014, eq. 27; genlasso)
 * which for t_e = e is the q+1-th difference and vanishes on polynomials of degree q in t. */
#include "structure/structure.h"

enum { ORDER_MAX = 10 };

static spdhg_status differences(spdhg_structure *F, int64_t q, int64_t features, spdhg_error *err) {
    const int64_t m = features > q ? features - q : 0;
    SPD_TRY(spd_csr_new(&F->F, m, features, m * (q + 1), err));
    double coefficient[ORDER_MAX + 2] = {0}; /* coefficients of (s - 1)^q, s the shift by one */
    coefficient[0] = 1;
    for (int64_t power = 0; power < q; power++) {
        for (int64_t i = power + 1; i > 0; i--) coefficient[i] = coefficient[i - 1] - coefficient[i];
        coefficient[0] = -coefficient[0];
    }
    for (int64_t e = 0; e < m; e++) {
        F->F.ptr[e + 1] = (e + 1) * (q + 1);
        for (int64_t i = 0; i <= q; i++) {
            F->F.idx[e * (q + 1) + i] = (int32_t)(e + i);
            F->F.val[e * (q + 1) + i] = coefficient[i];
        }
    }
    return SPDHG_OK;
}

/* Replaces row e of D^(q), which has q+1 entries from column e on, by row e of D^(q+1); rows are order+2 apart. */
static void divide(double *row, int64_t m, int64_t stride, int64_t q, const double *position) {
    for (int64_t e = 0; e < m; e++, row += stride) {
        const double left = (double)q / (position[e + q] - position[e]),
                     right = (double)q / (position[e + 1 + q] - position[e + 1]);
        for (int64_t i = q + 1; i >= 0; i--) row[i] = (i > 0 ? right * row[stride + i - 1] : 0) - (i <= q ? left * row[i] : 0);
    }
}

static spdhg_status divided(spdhg_structure *F, int64_t order, int64_t features, const double *position, spdhg_error *err) {
    const int64_t width = order + 2;
    for (int64_t j = 1; j < features; j++)
        if (!(position[j] > position[j - 1]) || !isfinite(position[j]))
            return spd_fail(err, SPDHG_DATA, "position %lld is %g, after %g: expected finite positions that increase",
                            (long long)j + 1, position[j], position[j - 1]);
    double *row = SPD_NEW(double, features *width);
    if (!row) return spd_fail_memory(err, 8.0 * (double)features * (double)width);
    for (int64_t e = 0; e < features; e++) {
        row[e * width] = -1;
        row[e * width + 1] = 1;
    }
    for (int64_t q = 1; q <= order; q++) divide(row, features - q - 1, width, q, position);
    const spdhg_status status = differences(F, order + 1, features, err);
    if (status == SPDHG_OK) memcpy(F->F.val, row, (size_t)F->F.ptr[F->F.m] * sizeof *row);
    spd_free(row);
    return status;
}

spdhg_status spdhg_structure_trend(spdhg_structure **out, int64_t order, int64_t features, const double *position,
                                   spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    char spec[SPD_NUMBER_CHARS];
    snprintf(spec, sizeof spec, order == 0 ? "chain" : "trend:%lld", (long long)order);
    if (!position || order == 0) return spdhg_structure_new(out, spec, features, err);
    if (order < 0 || order > ORDER_MAX || features <= order + 1)
        return spd_fail(err, SPDHG_USAGE, "structure '%s': expected an order from 0 to %d and more than %lld values, not %lld",
                        spec, ORDER_MAX, (long long)order + 1, (long long)features);
    SPD_TRY(spd_structure_begin(out, spec, features, err));
    return spd_structure_finish(out, divided(*out, order, features, position, err), err);
}

static spdhg_status build_chain(spdhg_structure *F, const char *arg, int64_t features, spdhg_error *err) {
    if (arg) return spd_fail(err, SPDHG_USAGE, "structure '%s': chain takes no argument", F->spec);
    return differences(F, 1, features, err);
}

static spdhg_status build_trend(spdhg_structure *F, const char *arg, int64_t features, spdhg_error *err) {
    int64_t order;
    if (!arg || !spd_to_int(arg, &order) || order < 0 || order > ORDER_MAX)
        return spd_fail(err, SPDHG_USAGE, "structure '%s': expected a whole number from 0 to %d after 'trend:'", F->spec,
                        ORDER_MAX);
    if (features <= order + 1)
        return spd_fail(err, SPDHG_USAGE, "structure '%s': needs more than %lld features, the data have %lld", F->spec,
                        (long long)order + 1, (long long)features);
    return differences(F, order + 1, features, err);
}

const spd_structure_kind spd_structure_chain = {
    .name = "chain", .help = "differences of neighbours x[j+1] - x[j]: piecewise constant coefficients", .build = build_chain};
const spd_structure_kind spd_structure_trend = {
    .name = "trend",
    .help = "differences of order ORDER+1, ORDER 0 to 10: piecewise polynomials of degree ORDER (trend:0 is chain); trend:ORDER",
    .build = build_trend};
