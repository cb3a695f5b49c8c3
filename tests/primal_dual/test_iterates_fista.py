# test_iterates_fista.py - fista's iterates against plain dense numpy: Beck and Teboulle's equations with O'Donoghue and Candes's restart.
# The Gram form is the same iteration with the intercept minimised over, which numpy does by centring the data.
from reference_run import Checks, Fitted, asked, write_svm, write_table

import numpy as np
import reference

N, D, K, STEPS = 40, 5, 3, 30


def iterate(p, L, steps, centred):
    """x and y after each step; centred: over x alone, the intercept minimised (squared loss)."""
    mean = p.w @ p.A if centred and p.intercept else np.zeros(p.d)
    x, c, t, restarts = np.zeros((p.d, p.K)), np.zeros(p.K), 1.0, 0
    x_before, c_before = x, c
    for _ in range(steps):
        following = (1 + np.sqrt(1 + 4 * t * t)) / 2
        v, cv = x + (t - 1) / following * (x - x_before), c + (t - 1) / following * (c - c_before)
        if centred:
            cv = p.w @ (p.b.reshape(len(p.A), -1) - p.offset - p.A @ v) if p.intercept else cv
        g, gc = p.gradient(v, cv)
        u = v - (g + p.gamma * v) / L
        y = p.terms[0].project(L * u)
        x_before, x = x, u - y / L
        c_before, c = c, cv - p.intercept * (0 if centred else gc / L)
        uphill = ((v - x) * (x - x_before)).sum() + (0 if centred else ((cv - c) * (c - c_before)).sum())
        t, restarts = (1.0, restarts + 1) if uphill > 0 else (following, restarts)
        yield x, y, restarts


def cases():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(N, D)) * np.array([1, 0.3, 2, 1, 0.1]) + 0.5
    z = A @ rng.normal(size=(D, K)) + rng.normal(size=(N, K))
    sign, number, w = np.where(z[:, 0] > z[:, 0].mean(), 1, -1), z.argmax(1), rng.random(N) + 0.2
    eye, targets, weights = np.eye(D), write_table("targets.txt", z), write_table("w.txt", w)
    two, many, three = write_svm("two.svm", A, sign), write_svm("many.svm", A, np.zeros(N)), write_svm("three.svm", A, number)
    offset, off = 0.3 * z[:, 1:2], write_table("offset.txt", 0.3 * z[:, 1])
    real = write_svm("real.svm", A, z[:, 0])
    def P(*a, **k): return reference.Problem(A, *a, **k)
    yield "logistic l1 ridge", [two, "--lambda", 0.05, "--gamma", 0.1], P(sign, "logistic", [("l1", eye, 0.05)], gamma=0.1, intercept=True), False
    yield ("softmax group", [three, "--loss", "softmax", "--penalty", "group", "--lambda", 0.03, "--no-intercept"],
           P(number, "softmax", [("group", eye, 0.03)], K=K), False)
    yield ("nuclear, three targets", [many, "--loss", "squared", "--targets", targets, "--penalty", "nuclear", "--lambda", 0.3],
           P(z, "squared", [("nuclear", eye, 0.3)], intercept=True, K=K), True)
    yield ("squared linf offset weights", [real, "--loss", "squared", "--penalty", "linf", "--lambda", 0.2, "--offset", off, "--weights", weights,
                                           "--gamma", 0.01], P(z[:, 0], "squared", [("linf", eye, 0.2)], intercept=True, offset=offset, weights=w,
                                                               gamma=0.01), True)
    yield ("squared l1 no intercept", [real, "--loss", "squared", "--lambda", 0.1, "--no-intercept"],
           P(z[:, 0], "squared", [("l1", eye, 0.1)]), True)


def check_iterates(checks):
    restarted = 0
    for name, words, p, centred in cases():
        L = 1.05 * p.kappa * np.linalg.norm(np.sqrt(p.w)[:, None] * np.hstack([p.A, np.ones((N, 1))]), 2) ** 2 + p.gamma
        cost = 1 + N * D * D // (N * D) if centred else N
        for k, (x, y, restarts) in enumerate(iterate(p, L, STEPS, centred), 1):
            if k not in (1, 2, 3, 7, STEPS):
                continue
            fit = Fitted(*words, "--structure", "identity", "--solver", "fista", "--tol", 0, "--epochs", (k * cost - 0.5) / N, "--param", f"L={L!r}")
            what = f"{name}, iterate {k}"
            checks.check(fit.report["iterations"] == k, f"{what}: {fit.report['iterations']} iterations")
            checks.near(fit.x, x, 1e-11, what + ": x")
            checks.near(float(fit.trace[-1]["dual_norm"]), np.linalg.norm(y), 1e-11, what + ": dual")
        restarted += restarts
    checks.check(restarted > 0, "no case restarts: that line is not tested")


if __name__ == "__main__":
    tally = Checks()
    if asked("fista"):
        check_iterates(tally)
    tally.end()
