# test_dependent.py - F whose rows depend on each other: many duals are optimal, and the models of proximal Newton are hard for ADMM; and losses with
# straight pieces at points without curvature. Semismooth Newton is what the default solver goes on with where proximal Newton gives up.
from reference_run import Checks, Fitted, write_matrix, write_svm

import numpy as np
import reference


def check_dependent(checks):
    """Dense F of 32 and 40 rows for 8 and 20 features, hinge without ridge."""
    for seed, N, d, m in ((0, 24, 8, 32), (1, 24, 8, 32), (2, 60, 20, 40)):
        rng = np.random.default_rng(seed)
        A, F = rng.normal(size=(N, d)), rng.normal(size=(m, d // 2)) @ rng.normal(size=(d // 2, d))
        b = np.sign(A @ rng.normal(size=d) + 2 * rng.normal(size=N))
        for groups, lam in ((1, 2e-5), (4, 1e-4)):
            words = [write_svm("data.svm", A, b), "--loss", "squared-hinge", "--structure", "matrix:" + write_matrix("F.mtx", F), "--penalty", "linf",
                     "--groups", f"size:{groups}", "--lambda", lam, "--intercept", "--tol", 1e-8, "--epochs", 12000]
            p = reference.Problem(A, b, "squared-hinge", [reference.Term("linf", F, lam, np.arange(m) // groups)], intercept=True)
            try:
                fit = Fitted(*words, "--time", 5)
            except RuntimeError as failed:
                checks.check(False, f"seed {seed}, groups of {groups}: {failed}")
                continue
            checks.near(p.value(fit.x, fit.c), fit.report["objective"], 1e-10, f"seed {seed}: objective")
            checks.check(fit.report["gap_relative"] <= 1e-8, f"seed {seed}: {fit.report['status']}")
            print(f"seed {seed}, groups of {groups}: {fit.report['solver']}, {fit.report['epochs']:.0f} passes")


def check_flat(checks):
    """Rows that a direction without penalty separates: the loss is 0 on the way to F x = 0, the optimum is 0, and steps used to stay as short as the
    damping of a model without curvature made them."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        A, F = rng.normal(size=(10, 8)), rng.normal(size=(4, 1)) @ rng.normal(size=(1, 8))
        b = np.where(np.arange(10) % 3 == 0, -1.0, 1.0)
        A += 2 * b[:, None] * np.linalg.svd(F)[2][-1]  # along the null space of F
        fit = Fitted(write_svm("flat.svm", A, b), "--loss", "smooth-hinge", "--structure", "matrix:" + write_matrix("F.mtx", F), "--lambda", 3e-5,
                     "--epochs", 3000)
        checks.check(fit.report["objective"] < 1e-9, f"flat, seed {seed}: {fit.report['objective']:.3g} should be 0")


tally = Checks()
check_dependent(tally)
check_flat(tally)
tally.end()
