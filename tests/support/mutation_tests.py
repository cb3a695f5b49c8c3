"""Which tests guard which file, for mutation.py. A test is a program or a script, and behind it the solvers that it should be about. They
are tried in this order: the cheapest and closest first."""
ADMMS = "sadmm,opg-admm,sgadm,fsadmm,ada-sadmm-diag"
SOME = "spdhg,spdc,pd3o,sadmm,prox-newton"  # one of each family
def laws(names): return [f"test_solver {names}"]
def admm(names): return [f"test_iterates_admms.py {names}", *laws(names), "test_solver_admms", f"test_optimum_solvers.py {names}"]
def dual(script, names): return [f"{script}.py", *laws(names), f"test_warm_start {names}", f"test_optimum_solvers.py {names}"]
def split(names): return [f"test_iterates_vr.py {names}", *laws(names), "test_primal_dual", f"test_optimum_solvers.py {names}"]
def newton(names): return ["test_newton_steps", *laws(names), f"test_iterates_newton.py {names}", f"test_optimum_solvers.py {names}", "test_limits"]
def columns(): return ["test_newton_steps", *laws("cd-newton"), "test_columns.py", "test_optimum_solvers.py cd-newton", "test_limits"]
def chain(names): return ["test_signal_newton.py", *laws(names), f"test_optimum_solvers.py {names}"]
def chain_alm(): return ["test_newton_steps", "test_chain_alm.py", *laws("chain-alm"), "test_optimum_solvers.py chain-alm", "test_limits"]
SPDHG = [*laws("spdhg,spdhg-sc1,spdhg-sc2,lpdhg"), "test_iterates.py spdhg,spdhg-sc1,spdhg-sc2,lpdhg"]
TESTS = {
    "row_prox.c": ["test_iterates_spdc.py", "test_iterates_sdca_admm.py", *laws("spdc,sdca-admm")],
    "step_rule.c": SPDHG + ["test_iterates_admms.py lpdhg-const", "test_optimum_solvers.py lpdhg-const"],
    "batch.c": ["test_iterates_admms.py sadmm,opg-admm", *SPDHG, "test_optimum_solvers.py spdhg,saga-pd3o"],
    "sadmm.c": admm("sadmm,sadmm-sc2"),
    "opg_admm.c": admm("opg-admm"),
    "rda_admm.c": admm("rda-admm"),
    "sgadm.c": admm("sgadm,gadm"),
    "gadm.c": admm("gadm"),
    "fsadmm.c": admm("fsadmm,fsadmm-lite"),
    "ada_sadmm.c": admm("ada-sadmm-diag"),
    "ada_sadmm_full.c": admm("ada-sadmm-full"),
    "admm.c": admm(ADMMS),
    "admm_system.c": ["test_admm_system", *admm(ADMMS)],
    "lpdhg.c": ["test_iterates_admms.py lpdhg-const", "test_iterates.py lpdhg", *laws("lpdhg,lpdhg-const")],
    "spdhg.c": SPDHG,
    "spdhg_fast.c": SPDHG,
    "spdhg_lazy.c": SPDHG,
    "spdhg_free.c": ["test_iterates_free.py", "test_optimum_solvers.py spdhg-free", *laws("spdhg-free")],
    "online_admm.c": dual("test_iterates_online_admm", "online-admm"),
    "sdca_admm.c": dual("test_iterates_sdca_admm", "sdca-admm"),
    "spdc.c": dual("test_iterates_spdc", "spdc,spdc-adaptive"),
    "rpdg.c": dual("test_iterates_spdc", "rpdg"),
    "pdhg_adaptive.c": dual("test_iterates_pdhg", "pdhg-adaptive"),
    "pd3o.c": split("pd3o"),
    "condat_vu.c": split("condat-vu"),
    "fista.c": ["test_iterates_fista.py fista", *laws("fista"), "test_optimum_solvers.py fista"],
    "fgp.c": ["test_iterates_fgp.py fgp", *laws("fgp")],
    "vr_pd3o.c": split("saga-pd3o,lsvrg-pd3o"),
    "primal_dual.c": split("pd3o,condat-vu,saga-pd3o"),
    "primal_dual_steps.c": split("pd3o,condat-vu,saga-pd3o"),
    "newton.c": [*newton("prox-newton,alm-ssn"), "test_poisson.py"],
    "prox_newton.c": [*newton("prox-newton"), "test_columns.py", "test_poisson.py", "test_auto.py"],
    "newton_model.c": [*newton("prox-newton"), "test_auto.py"],
    "newton_model_ssn.c": newton("prox-newton"),
    "newton_model_regularise.c": newton("prox-newton"),
    "interior_newton.c": [*laws("interior"), "test_sets.py", "test_optimum_solvers.py interior", "test_poisson.py", "test_auto.py"],
    "ipm.c": [*laws("ipm"), "test_ipm.py", "test_optimum_solvers.py ipm", "test_corners.py"],
    "cd_newton.c": columns(),
    "chain_alm.c": chain_alm(),
    "chain_alm_point.c": chain_alm(),
    "chain_alm_system.c": chain_alm(),
    "chain_newton.c": chain("chain-newton"),
    "cut_newton.c": chain("cut-newton"),
    "signal_newton.c": chain("chain-newton"),
    "network.c": ["test_cuts", "test_signal_newton.py"],
    "maximum_flow.c": ["test_cuts", "test_signal_newton.py"],
    "cuts.c": ["test_cuts", "test_signal_newton.py"],
    "variation.c": ["test_variation"],
    "knots.c": ["test_variation"],
    "prox.c": ["test_variation", "test_signal_newton.py"],
    "dual.c": ["test_variation", "test_signal_newton.py"],
    "forest.c": ["test_forest", "test_variation", "test_signal_newton.py"],
    "descent.c": columns(),
    "descent_face.c": columns(),
    "alm_ssn.c": newton("alm-ssn"),
    "alm_ssn_search.c": newton("alm-ssn"),
    "metric.c": newton("alm-ssn"),
    "by_columns.c": ["test_pages", "test_by_columns"],
    "on_disk.c": ["test_pages", "test_on_disk.py"],
    "pages.c": ["test_pages", "test_on_disk.py", "test_by_columns"],
}
# Tests of the files that TESTS does not name, by room.
ROOM = {
    "solver": ["test_evaluate", "test_instance", *laws(SOME), "test_optimum_solvers.py spdhg,spdc,pd3o", "test_outcome.py", "test_limits",
               "test_cli_fit.py", "test_resume.py", "test_forced.py", "test_on_disk.py"],
    "admm": ["test_star_system", "test_dense", "test_solver_admms", f"test_iterates_admms.py {ADMMS}", f"test_optimum_solvers.py {ADMMS}", *laws(ADMMS)],
    "chain": ["test_variation", "test_forest", "test_cuts", "test_signal_newton.py", "test_chain_alm.py"],
    "face": ["test_answers", "test_finish", "test_zeros", "test_slack_flow", "test_tree_flow", "test_working_set", "test_certify", "test_limits",
             "test_signals.py", "test_working_set.py", "test_dependent.py", "test_ipm.py", "test_iterates_newton.py prox-newton,ws-newton",
             "test_optimum_solvers.py prox-newton,ws-newton,alm-ssn", "test_forced.py", "test_auto.py", *laws("prox-newton,ws-newton,alm-ssn")],
    "interior": ["test_sets.py", "test_ipm.py", "test_corners.py", "test_optimum_solvers.py interior,ipm", "test_signals.py", *laws("interior,ipm")],
    "blocks": ["test_blocks", "test_blocks_path.py"],
    "lasso": ["test_lasso", "test_folds", "test_path.py"],
    "bound": ["test_bound.py"],
    "certify": ["test_certify", "test_gap_without_ridge", "test_anchors", "test_limits", "test_x_radius.py", "test_certificate.py", "test_outcome.py",
                "test_dependent.py", "test_forced.py", "test_corners.py", "test_optimum_solvers.py auto", "test_adversary.py", *laws(SOME)],
    "data": ["test_view", "test_pages", "test_inspect", "test_synthetic", "test_readers", "test_readers_libsvm", "test_problem", "test_centre.py",
             "test_table.py", "test_table_cells.py", "test_cli_data.py"],
    "model": ["test_model", "test_metrics", "test_model_hostile", "test_checksum.py", "test_table.py", "test_table_results.py", "test_cli_fit.py", "test_resume.py",
              "test_nothing_lost.py"],
    "run": ["test_finish", "test_limits", "test_warm_start", "test_options", "test_floats", "test_model", "test_outcome.py", "test_resume.py",
            "test_auto.py", "test_certificate.py", "test_cli_fit.py", "test_cli_usage.py", "test_poisson.py", "test_intercept.py",
            "test_centre.py", "test_signals.py", "test_optimum_solvers.py auto", *laws(SOME)],
}


def tests_of(file):
    """The tests of src/ROOM/NAME.c."""
    _, room, name = file.split("/")
    return TESTS.get(name) or ROOM[room]
