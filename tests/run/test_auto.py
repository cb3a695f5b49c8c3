# test_auto.py - the default solver reaches the gap asked for on every kind of problem, and its gap is a bound: against reference.py.
# 60 random problems of the covering array (500 with SPDHG_TEST_ALL): relative gap 1e-8, and 1e-6 for the nuclear norm and for sets with gamma 0.
from reference_cases import covering_array, make_case
from reference_run import COMMAND, Checks, Fitted, write_svm

import json
import os
import subprocess
import numpy as np

# Models of the smooth hinge that proximal Newton does not solve: its step gets nowhere, and another method has to go on.
GIVES_UP = {"loss": "smooth-hinge", "penalty": "group", "structure": "edges", "set": "nonneg", "gamma": 0.0, "intercept": False, "weights": True, "offset": False,
            "class_weight": "list", "standardize": False, "penalty_weights": True, "groups": "size", "also_sparse": 0, "outputs": 1}
COUNT = 500 if os.environ.get("SPDHG_TEST_ALL") else 60


def wanted(v):
    return 1e-6 if v["penalty"] == "nuclear" or (v["set"] != "all" and v["gamma"] == 0) else 1e-8


def check_case(checks, v, seed, solvers):
    words, p, scale = make_case(v, seed)
    x, c, _, f_ref, error = p.solve()
    tol, name = wanted(v), f"case {seed} {v}"
    try:
        fit = Fitted(*words, "--solver", "auto", "--tol", tol)
    except RuntimeError as failed:
        checks.check(False, f"{name}: {failed}")
        return
    report = fit.report
    solvers[report["solver"]] = solvers.get(report["solver"], 0) + 1
    off = report["objective"] - f_ref
    checks.check(report["status"] == "converged" and report["gap_kind"] == "certified" and report["gap_relative"] <= tol,
                 f"{name}: {report['solver']}: {report['status']}, gap {report['gap_relative']} ({report['gap_kind']}), wanted {tol}")
    checks.check(report["gap"] >= off - error - 1e-13, f"{name}: gap {report['gap']:.3g}, but f - f* is {off:.3g}")
    checks.near(report["objective"], p.value(fit.x * scale[:, None], fit.c), 1e-10, f"{name}: objective")
    checks.near(p.project(fit.x * scale[:, None]), fit.x * scale[:, None], 1e-12, f"{name}: x in X")


def check_no_minimiser(checks):
    """Classes that every feature separates, no ridge: f falls to 0 and no model attains it; said, and the exit status is 4."""
    side = np.where(np.arange(40) % 2 == 0, -1.0, 1.0)
    A = side[:, None] * (0.5 + np.random.default_rng(1).random((40, 3)))
    data = write_svm("separable.svm", A, side)
    for words in (["--structure", "chain", "--lambda", "1e-3"], ["--lambda", "0"], ["--lambda", "0", "--no-intercept"]):
        done = subprocess.run([COMMAND, "fit", data, *words, "-q"], capture_output=True, text=True)
        checks.check(done.returncode == 4 and "no minimiser exists" in done.stderr, f"separable {words}: {done.returncode}, {done.stderr}")
    A = np.random.default_rng(2).normal(size=(40, 3))  # only together
    data = write_svm("oblique.svm", A, np.sign(A @ [1, -1, 0.5]))
    done = subprocess.run([COMMAND, "fit", data, "--lambda", "0", "-q"], capture_output=True, text=True)
    checks.check(done.returncode == 4 and "no minimiser exists" in done.stderr, f"separable by a combination: {done.returncode}, {done.stderr}")


def check_epochs(checks):
    """A plan of several stages keeps to --epochs: no stage begins when the ones before have used them up."""
    draw = np.random.default_rng(5)
    A = draw.standard_normal((4000, 4))
    data = write_svm("tall.svm", A, np.where(A @ [1.0, -1, 0.5, 0] + draw.standard_normal(4000) > 0, 1.0, -1.0))
    for epochs in (0.1, 1, 3, 20):
        for more, status in ([], 0), (["--tol", "1e-15"], 4):
            done = subprocess.run([COMMAND, "fit", data, "--epochs", str(epochs), "--json", "-q", *more], capture_output=True, text=True)
            made = json.loads(done.stdout)["epochs"]
            checks.check(made < epochs + 4.01 and done.returncode in (0, status), f"--epochs {epochs} {more}: {made} made, {done.returncode}")


def main():
    checks, solvers, cases = Checks(), {}, []
    seed = 7
    while len(cases) < COUNT:
        cases += covering_array(seed, 0)
        seed += 1
    for number, v in enumerate(cases[:COUNT]):
        check_case(checks, v, 1000 + number, solvers)
    check_case(checks, GIVES_UP, 1261, solvers)
    check_no_minimiser(checks)
    check_epochs(checks)
    print(f"{COUNT} problems; the last stage was", ", ".join(f"{k} {n} times" for k, n in sorted(solvers.items())))
    checks.end()


main()
