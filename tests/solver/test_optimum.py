# test_optimum.py - every definition of the problem, and the optimum the solvers move to, against reference.py.
# Reported values are those of the model's own coefficients; no run is below the optimum; all come as near as the theorems say.
from reference_cases import FEATURES, ROWS, covering_array, make_case
from reference_run import ALL, Checks, Fitted, write_svm, write_table

import numpy as np
import reference

EPOCHS = {"spdhg": 1500, "spdhg --sampling shuffle --batch 2": 3000, "spdhg-sc1": 1500, "spdhg-sc2": 1500, "lpdhg": 6000}
MORE = 22 if ALL else 0  # random cases beyond the covering array


def check_report(checks, p, fit, scale, name):
    """The report gives the value of the model's own coefficients; the intercept minimises; x is in X. Returns the objective."""
    x, report = fit.x * scale[:, None], fit.report
    checks.near(report["train_loss"], p.train_loss(x, fit.c), 1e-10, f"{name}: train_loss")
    checks.near(report["penalty_value"], p.penalty(x), 1e-10, f"{name}: penalty_value")
    checks.near(report["objective"], p.value(x, fit.c), 1e-10, f"{name}: objective")
    checks.near(p.project(x), x, 1e-12, f"{name}: x in X")
    slope = p.w[:, None] * p.phi(p.scores(x, fit.c))[1]
    if p.intercept:
        checks.check(np.all(np.abs(slope.sum(0)) <= 1e-9 * np.abs(slope).sum(0)),
                     f"{name}: intercept {fit.c} has slope {slope.sum(0)}")
        checks.check(p.loss != "softmax" or abs(fit.c.sum()) < 1e-12, f"{name}: sum of the intercepts {fit.c}")
    else:
        checks.check(np.all(fit.c == 0), f"{name}: intercept {fit.c}")
    return report["objective"]


def allowance(p, x, c, f_start, f_ref, solver):
    """What may be left of f - f* after T steps: 5 % of the way from the start, because the average remembers it as 1/T, and a
    quarter of what the theorems cannot avoid: with sigma^2 the variance of gradients at the optimum and M = max ||F'(y - y')||,
    2 (M^2 + sigma^2)/sqrt(T) for general convex steps, (M^2 + sigma^2)/(gamma T) times 1 + log T for SC1, times 4 for SC2."""
    T = {"lpdhg": EPOCHS[solver]}.get(solver, 1500 * ROWS)
    slope = p.phi(p.scores(x, c))[1]
    square = (slope**2).sum(1) * ((p.A**2).sum(1) + p.intercept)
    mean, mean_c = p.gradient(x, c)
    noise = 0 if solver == "lpdhg" else p.w @ square - (mean**2).sum() - p.intercept * (mean_c**2).sum()
    noise += 4 * np.linalg.norm(np.vstack([t.F for t in p.terms]), 2) ** 2 * sum(t.radius(p.K) ** 2 for t in p.terms)
    mu = max(p.gamma, 1e-9)
    rate = {"spdhg-sc1": (1 + np.log(T)) / (mu * T), "spdhg-sc2": 4 / (mu * T)}.get(solver, 2 / np.sqrt(T))
    return 0.05 * (f_start - f_ref) + 0.25 * noise * rate


def check_gap(checks, report, x, f_ref, error, name):
    """The duality gap is an upper bound on f - f*: always if certified, within_radius if the optimum x is not farther out."""
    holds = {"certified": True, "within_radius": np.linalg.norm(x) <= (report["gap_radius"] or 0)}.get(report["gap_kind"], False)
    if holds:
        off = report["objective"] - f_ref
        checks.check(report["gap"] >= off - error - 1e-12,
                     f"{name}: {report['gap_kind']} gap {report['gap']:.9g}, but f - f* is {off:.9g}")
        checks.near(report["gap_relative"], report["gap"] / abs(report["objective"]), 1e-9, f"{name}: gap_relative")
    return holds


def check_optima(checks):
    cases, worst, reach, runs, gaps = covering_array(1, MORE), {}, 0.0, 0, 0
    for seed, v in enumerate(cases):
        words, p, scale = make_case(v, seed)
        x, c, _, f_ref, error = p.solve()
        reach = max(reach, error / max(1, f_ref))
        start = p.project(np.zeros((FEATURES, p.K)))
        f_start = p.value(start, p.best_intercept(start))
        for at, solver in enumerate(EPOCHS):
            if not ALL and (seed + at) % 2:  # every case, every solver, half of the pairs
                continue
            if solver.startswith("spdhg-") and v["gamma"] == 0 or "shuffle" in solver and not v["weights"]:
                continue
            name = f"case {seed} {solver} {v}"
            fit = Fitted(*words, "--solver", *solver.split(), "--epochs", EPOCHS[solver])
            f = check_report(checks, p, fit, scale, name)
            early = Fitted(*words, "--solver", *solver.split(), "--epochs", 2)
            gaps += sum(check_gap(checks, one.report, x, f_ref, error, name) for one in (early, fit))
            room = allowance(p, x, c, f_start, f_ref, solver)
            runs, worst[solver] = runs + 1, max(worst.get(solver, 0), (f - f_ref) / room)
            checks.check(f >= f_ref - error - 1e-12, f"{name}: {f:.12g} is below the optimum {f_ref:.12g} - {error:.3g}")
            checks.check(f <= f_ref + error + room,
                         f"{name}: {f:.9g} came from {f_start:.9g}, should be within {room:.3g} of {f_ref:.9g}")
    print(f"{len(cases)} cases, {runs} runs, {gaps} gaps; optima known to {reach:.1e}: values, intercept, x in X")
    print("largest part of the allowed error:", ", ".join(f"{k} {v:.2g} after {EPOCHS[k]} epochs" for k, v in worst.items()))


def check_reference(checks):
    """The reference against what is known in closed form and against its neighbourhood."""
    rng = np.random.default_rng(5)
    A = np.linalg.qr(rng.normal(size=(ROWS, FEATURES)))[0] * np.sqrt(ROWS)
    b = rng.normal(size=ROWS)
    p = reference.Problem(A, b, "squared", [("l1", np.eye(FEATURES), 0.1)])
    u = A.T @ b / ROWS
    checks.near(p.solve(1e-14)[0][:, 0], np.sign(u) * np.maximum(np.abs(u) - 0.1, 0), 1e-6,
                "orthogonal lasso is soft thresholding")
    for seed, v in enumerate(covering_array(2)[:12]):
        p = make_case(v, 100 + seed)[1]
        x, c, y, f, error = p.solve()
        for _ in range(20):
            near = p.project(x + 10 ** rng.uniform(-4, 0) * rng.normal(size=x.shape))
            checks.check(p.value(near, c) >= f - error, f"reference: a point next to its optimum is better: {v}")
            checks.check(p.gap(near, p.best_intercept(near), y)[0] >= p.value(near, p.best_intercept(near)) - f - 1e-12,
                         f"reference gap: {v}")


def check_same_problem(checks):
    """Ways to write the same problem down. lpdhg draws nothing, so its iterates may only differ by rounding."""
    rng = np.random.default_rng(9)
    A = rng.normal(size=(ROWS, FEATURES))
    number = rng.integers(0, 3, ROWS)
    for loss, classes in (("logistic", 2), ("squared-hinge", 2), ("softmax", 3)):
        k = number % classes
        labels, w = np.array([-1.0, 1.0, 4.0])[k], rng.random(ROWS) + 0.1
        turn = rng.permutation(ROWS)
        junk = 100 * rng.normal(size=(5, FEATURES))
        versions = {
            "as it is": (A, labels, w),
            "rows in another order": (A[turn], labels[turn], w[turn]),
            "every row twice with half the weight": (np.vstack([A, A]), np.tile(labels, 2), np.tile(w / 2, 2)),
            "weights times 1000": (A, labels, 1000 * w),
            "classes with other names": (A, np.array([2.5, 10.0, 11.0])[k], w),
            "rows of weight 0 with labels nobody else has": (np.vstack([A, junk]), np.append(labels, [77.0] * 5),
                                                             np.append(w, [0] * 5)),
        }
        for solved in ("--no-intercept", "--intercept"):
            first = None
            for what, (rows, b, weights) in versions.items():
                fit = Fitted(write_svm("data.svm", rows, b), "--weights", write_table("w.txt", weights), "--loss", loss, solved,
                             "--standardize",
                             "--structure", "chain", "--lambda", 0.01, "--solver", "lpdhg", "--epochs", 40)
                first = first or fit
                checks.near(fit.x, first.x, 1e-11, f"{loss} {solved}: {what}: x")
                half = 1e-7 if loss == "softmax" else 1e-12  # Newton in K dimensions compares values: half the digits of c
                checks.near(fit.c, first.c, half, f"{loss} {solved}: {what}: intercept")
                checks.near(fit.report["objective"], first.report["objective"], 1e-11, f"{loss} {solved}: {what}: objective")
    print("the same problem written in other ways: order, doubled rows, scaled weights, names of classes, rows of weight 0")


if __name__ == "__main__":
    tally = Checks()
    check_reference(tally)
    check_same_problem(tally)
    check_optima(tally)
    tally.end()
