# test_outcome.py - what a run says of itself: the outcome follows the answer that is given, the tolerance is kept beside a limit, and where there is no penalty
# the answer of an exact solver has all its digits (least squares by numpy; the gradient for the other losses).
from reference_run import COMMAND, Checks, Fitted, write_svm

import json
import subprocess
import numpy as np


def fit(*words):
    done = subprocess.run([COMMAND, "fit", *map(str, words), "--json", "-q"], capture_output=True, text=True)
    assert done.stdout, f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stderr}"
    return done.returncode, json.loads(done.stdout)


def polished_is_converged(checks):
    """Exact zeros and last digits come after the steps; what they prove counts. A run may say that it fell short only if it did."""
    late = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(5, 40)), int(rng.integers(2, 9))
        A = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-2, 3, d)
        z = A @ (rng.standard_normal(d) / np.abs(A).max(0)) + rng.standard_normal(n)
        for loss, b in (("squared", z), ("logistic", np.where(z > 0, 1, -1))):
            data = write_svm("late.svm", A, b)
            for tol, words in ((1e-10, ()), (1e-14, ()), (1e-10, ("--solver", "alm-ssn", "--epochs", 40))):
                status, answer = fit(data, "--loss", loss, "--structure", "chain", "--lambda", 1e-3, "--tol", tol, *words)
                reached = answer["gap_relative"] is not None and answer["gap_relative"] <= tol
                late += reached
                name = f"seed {seed}, {loss}, tol {tol} {' '.join(map(str, words))}"
                checks.check((answer["status"] in ("converged", "infimum")) == reached, f"{name}: {answer['status']} at {answer['gap_relative']}")
                checks.check((status == 0) == (answer["status"] == "converged"), f"{name}: {answer['status']}, exit status {status}")
    checks.check(late > 20, f"only {late} runs reached their tolerance: this tests nothing")


def nothing_to_explain(checks):
    """All targets 0: f(0) = 0 is the optimum, and the gap is 0 of 0."""
    data = write_svm("zero.svm", np.array([[1.0, 2], [3, -1], [0.5, 4]]), np.zeros(3))
    for loss in ("squared", "huber"):
        for words in (("--lambda", 0), ("--lambda", 0.1), ("--lambda", 0, "--gamma", 0.1, "--no-intercept")):
            status, answer = fit(data, "--loss", loss, *words)
            checks.check((status, answer["status"], answer["gap_relative"], answer["objective"]) == (0, "converged", 0, 0), f"{loss} {words}: {answer}")


def limits_keep_the_tolerance(checks):
    """--epochs and --time are limits, not wishes to go on: auto and exact solvers stop at 1e-6 unless --tol 0; the stochastic ones run what is asked for."""
    rng = np.random.default_rng(5)
    A = rng.standard_normal((80, 6))
    data = write_svm("limit.svm", A, np.where(A[:, 0] + rng.standard_normal(80) > 0, 1, -1))
    for words in (("--epochs", 5000), ("--time", 600), ("--solver", "alm-ssn", "--epochs", 5000), ("--solver", "prox-newton", "--time", 600)):
        status, answer = fit(data, "--lambda", 0.01, *words)
        checks.check(status == 0 and answer["status"] == "converged" and answer["gap_relative"] <= 1e-6 and answer["epochs"] < 1000, f"{words}: {answer}")
    status, answer = fit(data, "--lambda", 0.01, "--solver", "alm-ssn", "--epochs", 4)
    checks.check(status == 0 and answer["status"] == "done" and answer["gap_relative"] > 1e-6, f"a limit that comes first is no failure: {answer}")
    status, answer = fit(data, "--lambda", 0.01, "--solver", "alm-ssn", "--epochs", 4, "--tol", 1e-6)
    checks.check(status == 4 and answer["status"] == "limit", f"where the tolerance was asked for it is: {answer}")
    status, answer = fit(data, "--lambda", 0.01, "--solver", "alm-ssn", "--epochs", 100, "--tol", 0)
    checks.check(status == 0 and answer["status"] == "done" and answer["epochs"] >= 100, f"--tol 0 never stops early: {answer}")
    for solver in ("spdhg", "saga-pd3o", "opg-admm"):
        status, answer = fit(data, "--lambda", 100, "--solver", solver, "--epochs", 7)  # x = 0 is optimal: proven from the start
        checks.check(status == 0 and answer["status"] == "done" and answer["epochs"] == 7, f"{solver}: {answer}")


def smooth_answers_are_exact(checks):
    rng = np.random.default_rng(8)
    for n, d, gamma in ((60, 5, 0), (60, 5, 0.3), (200, 120, 1e-3), (40, 400, 0.05), (300, 300, 0.1 / 300)):
        A = rng.standard_normal((n, d)) + 0.5
        z = A @ rng.standard_normal(d) + rng.standard_normal(n)
        wide = np.column_stack([A, np.ones(n)])
        x = np.linalg.solve(wide.T @ wide / n + np.diag([gamma] * d + [0]), wide.T @ z / n)
        data = write_svm("smooth.svm", A, z)
        for words in (("--lambda", 0), ("--lambda", 0, "--structure", "chain")):
            got = Fitted(data, "--loss", "squared", "--gamma", gamma, *words)
            checks.near(np.r_[got.x[:, 0], got.c[0]], x, 1e-10, f"least squares, {n} x {d}, gamma {gamma} {words}")
        if gamma == 0:
            continue
        b = np.where(z > 0, 1.0, -1.0)
        got = Fitted(write_svm("smooth.svm", A, b), "--loss", "logistic", "--gamma", gamma, "--lambda", 0)
        u = -b / (1 + np.exp(b * (A @ got.x[:, 0] + got.c[0]))) / n
        left = np.r_[A.T @ u + gamma * got.x[:, 0], u.sum()]
        checks.check(np.abs(left).max() < 1e-12, f"logistic, {n} x {d}, gamma {gamma}: gradient {np.abs(left).max():.2g}")


def a_step_too_far_leaves_the_answer(checks):
    """One class and hinge: the start is optimal, with f = 0, and a step that leaves it is no divergence. Values of 1e145 in a ball: the method that should
    rescue the first one overflows; the first one's answer stands, and so does what it says."""
    one = write_svm("one.svm", np.array([[0.182], [-1.283], [0.494], [-0.08], [-0.046], [-1.101]]), np.ones(6))
    status, answer = fit(one, "--loss", "hinge", "--lambda", 0, "--gamma", 1.5e-5, "--allow-one-class")
    checks.check((status, answer["status"], answer["objective"]) == (0, "converged", 0), f"an optimal start: {answer['status']}, exit status {status}")
    rng = np.random.default_rng(3)
    a = 1e145 * rng.standard_normal((14, 1))
    data = write_svm("huge.svm", a, (a[:, 0] / 1.4e145) * (1 + 1e-3 * rng.standard_normal(14)))
    status, answer = fit(data, "--loss", "squared", "--lambda", 0, "--set", "ball:0.3", "--no-intercept")
    checks.check(answer["status"] in ("converged", "stalled") and status in (0, 4), f"a rescue that diverges: {answer['status']}, exit status {status}")
    checks.check(answer["objective"] < 1e-4, f"a rescue that diverges: objective {answer['objective']}")


def main():
    checks = Checks()
    a_step_too_far_leaves_the_answer(checks)
    polished_is_converged(checks)
    nothing_to_explain(checks)
    limits_keep_the_tolerance(checks)
    smooth_answers_are_exact(checks)
    checks.end()


main()
