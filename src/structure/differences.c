/* differences.c - F x = differences of neighbouring coefficients, once (chain) or repeatedly (trend).
 * Row e of the q-th difference has (-1)^(q-i) binomial(q,i) at column e+i, i = 0..q (Kim et al. 2009; Tibshirani 2014). */
#include "structure/structure.h"

enum { ORDER_MAX = 10 };

static spdhg_status differences(spdhg_structure *F, int64_t q, int64_t features, spdhg_error *err) {
    const int64_t m = features > q ? features - q : 0;
    SPD_TRY(spd_csr_new(&F->F, m, features, m * (q + 1), err));
    double coefficient[ORDER_MAX + 2] = {0}; /* of (s - 1)^q, s the shift by one */
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
