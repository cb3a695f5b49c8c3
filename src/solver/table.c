/* table.c - every algorithm, one line each (and one declaration). */
#include "solver/solver.h"

extern const spd_solver_kind spd_solver_spdhg;
extern const spd_solver_kind spd_solver_spdhg_sc1;
extern const spd_solver_kind spd_solver_spdhg_sc2;
extern const spd_solver_kind spd_solver_lpdhg;
extern const spd_solver_kind spd_solver_sadmm;
extern const spd_solver_kind spd_solver_prox_newton;
extern const spd_solver_kind spd_solver_alm_ssn;
extern const spd_solver_kind spd_solver_spdhg_sc1h;
extern const spd_solver_kind spd_solver_spdhg_sc2h;

static const spd_solver_kind *const table[] = {
    &spd_solver_spdhg,
    &spd_solver_spdhg_sc1,
    &spd_solver_spdhg_sc2,
    &spd_solver_lpdhg,
    &spd_solver_sadmm,
    &spd_solver_prox_newton,
    &spd_solver_alm_ssn,
    &spd_solver_spdhg_sc1h,
    &spd_solver_spdhg_sc2h,
};

const spd_solver_kind *const *spd_solver_table(int *entries) {
    *entries = (int)(sizeof table / sizeof *table);
    return table;
}

const spd_solver_kind *spd_solver_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}
