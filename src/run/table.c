/* table.c - every algorithm, one line each (and one declaration). */
#include "run/run.h"

extern const spd_solver_kind spd_solver_spdhg;
extern const spd_solver_kind spd_solver_spdhg_sc1;
extern const spd_solver_kind spd_solver_spdhg_sc2;
extern const spd_solver_kind spd_solver_lpdhg;
extern const spd_solver_kind spd_solver_sadmm;
extern const spd_solver_kind spd_solver_opg_admm;
extern const spd_solver_kind spd_solver_rda_admm;
extern const spd_solver_kind spd_solver_sgadm;
extern const spd_solver_kind spd_solver_gadm;
extern const spd_solver_kind spd_solver_lpdhg_const;
extern const spd_solver_kind spd_solver_fsadmm;
extern const spd_solver_kind spd_solver_fsadmm_lite;
extern const spd_solver_kind spd_solver_ada_sadmm_diag;
extern const spd_solver_kind spd_solver_ada_sadmm_full;
extern const spd_solver_kind spd_solver_online_admm;
extern const spd_solver_kind spd_solver_sdca_admm;
extern const spd_solver_kind spd_solver_spdc;
extern const spd_solver_kind spd_solver_pd3o;
extern const spd_solver_kind spd_solver_condat_vu;
extern const spd_solver_kind spd_solver_saga_pd3o;
extern const spd_solver_kind spd_solver_lsvrg_pd3o;
extern const spd_solver_kind spd_solver_prox_newton;
extern const spd_solver_kind spd_solver_alm_ssn;
extern const spd_solver_kind spd_solver_ws_newton;
extern const spd_solver_kind spd_solver_cd_newton;
extern const spd_solver_kind spd_solver_interior;
extern const spd_solver_kind spd_solver_fista;
extern const spd_solver_kind spd_solver_ipm;
extern const spd_solver_kind spd_solver_chain_newton;
extern const spd_solver_kind spd_solver_chain_alm;
extern const spd_solver_kind spd_solver_cut_newton;
extern const spd_solver_kind spd_solver_fgp;
extern const spd_solver_kind spd_solver_spdhg_sc1h;
extern const spd_solver_kind spd_solver_spdhg_sc2h;
extern const spd_solver_kind spd_solver_spdhg_free;
extern const spd_solver_kind spd_solver_sadmm_sc2;
extern const spd_solver_kind spd_solver_spdc_adaptive;
extern const spd_solver_kind spd_solver_rpdg;
extern const spd_solver_kind spd_solver_pdhg_adaptive;
extern const spd_solver_kind spd_solver_lasso;
extern const spd_solver_kind spd_solver_blocks;

static const spd_solver_kind *const table[] = {
    &spd_solver_spdhg,          &spd_solver_spdhg_sc1,      &spd_solver_spdhg_sc2,
    &spd_solver_lpdhg,          &spd_solver_sadmm,          &spd_solver_opg_admm,
    &spd_solver_rda_admm,       &spd_solver_sgadm,          &spd_solver_gadm,
    &spd_solver_lpdhg_const,    &spd_solver_fsadmm,         &spd_solver_fsadmm_lite,
    &spd_solver_ada_sadmm_diag, &spd_solver_ada_sadmm_full, &spd_solver_online_admm,
    &spd_solver_sdca_admm,      &spd_solver_spdc,           &spd_solver_pd3o,
    &spd_solver_condat_vu,      &spd_solver_saga_pd3o,      &spd_solver_lsvrg_pd3o,
    &spd_solver_prox_newton,    &spd_solver_alm_ssn,        &spd_solver_ws_newton,
    &spd_solver_cd_newton,      &spd_solver_spdhg_sc1h,     &spd_solver_spdhg_sc2h,
    &spd_solver_interior,       &spd_solver_chain_newton,   &spd_solver_ipm,
    &spd_solver_fista,          &spd_solver_cut_newton,     &spd_solver_fgp,
    &spd_solver_spdhg_free,     &spd_solver_sadmm_sc2,      &spd_solver_chain_alm,
    &spd_solver_spdc_adaptive,  &spd_solver_rpdg,           &spd_solver_pdhg_adaptive,
    &spd_solver_lasso,          &spd_solver_blocks,
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
