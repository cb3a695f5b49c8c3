/* structures.h - shared by the tests of structures: F as a dense table, and an error with its exact message. */
#ifndef STRUCTURES_H
#define STRUCTURES_H
#include "laws.h"

#include "la/la.h"
#include "structure/structure.h"

static inline spdhg_structure *make(const char *spec, int64_t d) {
    spdhg_structure *F;
    spdhg_error err = {0};
    if (spdhg_structure_new(&F, spec, d, &err) != SPDHG_OK) fail_msg("%s: %s", spec, err.message);
    assert_string_equal(F->spec, spec);
    return F;
}

/* Asserts that F equals this m x d table. */
static inline void assert_rows(const spdhg_structure *F, int64_t m, int64_t d, const double *wanted) {
    assert_int_equal(spdhg_structure_rows(F), m);
    assert_int_equal(F->F.n, d);
    double *unit = SPD_NEW(double, d), *column = SPD_NEW(double, m);
    for (int64_t j = 0; j < d; j++) {
        unit[j] = 1;
        spd_csr_apply(&F->F, 1, unit, column);
        unit[j] = 0;
        for (int64_t e = 0; e < m; e++) assert_near(F->spec, column[e], wanted[e * d + j], 0);
    }
    spd_free(unit);
    spd_free(column);
}

static inline void assert_fault(const char *spec, int64_t d, spdhg_status status, const char *message) {
    spdhg_structure *F = (spdhg_structure *)1;
    spdhg_error err = {0};
    assert_int_equal(spdhg_structure_new(&F, spec, d, &err), status);
    assert_null(F);
    assert_string_equal(err.message, message);
    assert_int_equal(spdhg_structure_new(&F, spec, d, NULL), status);
}
#endif
