# test_sets.py - sets X and narrow kinks, where columns are of very different size: the default solver proves its answer to 1e-6, and it is the optimum
# of an independent computation: a linear program (scipy), coordinate descent, a secular equation, nested sections. SPDHG_TEST_ALL: 300 of each, new seeds.
from reference_run import ALL, Checks, Fitted, write_svm

import time
import numpy as np
from scipy.optimize import brentq, linprog

COUNT = 300 if ALL else 12
FIRST = int(time.time()) if ALL else 0
PROVEN = 1e-6


def scaled(draw, n, d, decades=4):
    return draw.standard_normal((n, d)) * 10.0 ** draw.uniform(-decades, decades, d)


def fit(checks, name, A, b, *words, solver=None):
    done = Fitted(write_svm("sets.svm", A, b), "--features", A.shape[1], "--no-intercept", *words)
    r = done.report
    checks.check(r["gap_kind"] == "certified" and r["gap_relative"] <= PROVEN, f"{name}: {r['status']} {r['solver']} {r['gap_relative']} {r['gap_kind']}")
    checks.check(solver is None or r["solver"] == solver, f"{name}: {r['solver']}, not {solver}")
    return done


def hinge_program(A, b, lam, F, kind, X):
    """min mean max(0, 1 - b a'x) + lam ||F x||_1 (or max |F x|) over x in X: x, hinges, |F x|, |x| (l1ball), columns of A scaled to 1."""
    n, d = A.shape
    s = np.abs(A).max(0)
    m = len(F) if kind == "l1" else 1
    cost = np.r_[np.zeros(d), np.full(n, 1 / n), np.full(m, lam), np.zeros(d)]
    each, G = np.eye(m) if kind == "l1" else np.ones((len(F), 1)), F / s
    none = np.zeros
    rows = [np.c_[-b[:, None] * A / s, -np.eye(n), none((n, m + d))],
            np.c_[G, none((len(F), n)), -each, none((len(F), d))], np.c_[-G, none((len(F), n)), -each, none((len(F), d))],
            np.c_[np.diag(1 / s), none((d, n + m)), -np.eye(d)], np.c_[-np.diag(1 / s), none((d, n + m)), -np.eye(d)]]
    right = [np.full(n, -1.0), none(2 * len(F) + 2 * d)]
    low, high, total = -np.inf, np.inf, None
    if X[0] == "box":
        low, high = X[1], X[2]
    if X[0] in ("nonneg", "simplex"):
        low = 0
    if X[0] == "l1ball":
        rows.append(np.r_[none(d + n + m), np.ones(d)][None]), right.append([X[1]])
    if X[0] == "simplex":
        total = (np.r_[1 / s, none(n + m + d)][None], [X[1]])
    bounds = [(low * s[j], high * s[j]) for j in range(d)] + [(0, None)] * (n + m + d)
    found = linprog(cost, np.vstack(rows), np.concatenate(right), *(total or (None, None)), bounds=bounds, method="highs")
    return found.fun if found.status == 0 else None


def check_hinges(checks):
    """A hinge rounded over 1e-6 is at most 5e-7 below the hinge, whose optimum a linear program finds."""
    for seed in range(FIRST, FIRST + COUNT):
        draw = np.random.default_rng(seed)
        n, d = int(draw.integers(8, 40)), int(draw.integers(3, 8))
        A = scaled(draw, n, d, draw.choice([0, 2, 4]))
        b = np.where(A @ (draw.standard_normal(d) / np.abs(A).max(0)) + 0.5 * draw.standard_normal(n) > 0, 1.0, -1.0)
        b[:2] = -1, 1
        structure, F = [("identity", np.eye(d)), ("chain", np.diff(np.eye(d), axis=0)), ("trend:1", np.diff(np.eye(d), 2, axis=0))][draw.integers(3)]
        X = [("box", -0.3, 0.5), ("box", -np.inf, 0.2), ("nonneg",), ("simplex", 1.0), ("l1ball", 0.1), ("all",)][draw.integers(6)]
        kind, lam = draw.choice(["l1", "linf"]), 10.0 ** draw.uniform(-3, -0.5)
        name = f"hinge {seed} {n}x{d} {structure} {kind} {X} {lam:.3g}"
        word = X[0] + (":" if X[1:] else "") + ",".join(str(v) for v in X[1:])
        f = hinge_program(A, b, lam, F, kind, X)
        r = fit(checks, name, A, b, "--loss", "smooth-hinge:1e-6", "--set", word, "--structure", structure, "--penalty", kind, "--lambda", f"{lam:.17g}").report
        if f is not None:
            checks.check(f - 5e-7 - 1e-6 * f <= r["objective"] <= f + 1e-6 * f + 1e-9, f"{name}: {r['objective']}, the linear program has {f}")


def descent(A, b, lam, gamma, low, high):
    """min mean (a'x - b)^2/2 + lam ||x||_1 + gamma/2 ||x||^2, low <= x <= high, by coordinates: the scale of a column is no matter."""
    n, d = A.shape
    x, r, L = np.clip(np.zeros(d), low, high), None, (A * A).sum(0) / n + gamma
    r = A @ x - b
    for _ in range(100000):
        before = x.copy()
        for j in range(d):
            u = x[j] - (A[:, j] @ r / n + gamma * x[j]) / L[j]
            v = np.clip(np.sign(u) * max(abs(u) - lam / L[j], 0), low, high)
            if v != x[j]:
                r += (v - x[j]) * A[:, j]
                x[j] = v
        if np.max(np.sqrt(L) * np.abs(x - before)) <= 1e-13 * np.linalg.norm(b):
            break
    return x, r @ r / (2 * n) + lam * np.abs(x).sum() + gamma / 2 * x @ x


def check_squares(checks):
    for seed in range(FIRST, FIRST + COUNT):
        draw = np.random.default_rng(seed)
        n, d = int(draw.integers(10, 40)), int(draw.integers(2, 8))
        A = scaled(draw, n, d)
        b = A @ (draw.standard_normal(d) / np.abs(A).max(0)) + 0.3 * draw.standard_normal(n)
        low, high = [(0, np.inf), (-0.3, 0.5), (-np.inf, 0.2), (-1, 1)][seed % 4]
        lam, gamma = 10.0 ** draw.uniform(-4, -1), draw.choice([0, 10.0 ** draw.uniform(-5, 0)])
        word = "nonneg" if low == 0 else f"box:{low},{high}"
        name = f"squares {seed} {n}x{d} {word} {lam:.3g} {gamma:.3g}"
        x, f = descent(A, b, lam, gamma, low, high)
        got = fit(checks, name, A, b, "--loss", "squared", "--set", word, "--lambda", f"{lam:.17g}", "--gamma", f"{gamma:.17g}")
        checks.near(got.report["objective"], f, 1e-6, name)
        checks.check(np.all(got.x >= low) and np.all(got.x <= high), f"{name}: x is not in X")


def check_zeros(checks):
    """As many features as rows and hardly any ridge; more features than rows and l1: the zeros are those of coordinate descent."""
    draw = np.random.default_rng(42)
    A = draw.standard_normal((80, 80))
    b = 100 * A[:, :10] @ draw.random(10)
    x, f = descent(A, b, 0, 0.1 / 80, 0, np.inf)
    got = fit(checks, "ridge", A, b, "--loss", "squared", "--lambda", 0, "--gamma", 0.1 / 80, "--set", "nonneg", solver="interior")
    checks.near(got.report["objective"], f, 1e-6, "ridge, nonneg: objective")
    checks.check(got.report["nonzeros"] == np.count_nonzero(x), f"ridge, nonneg: {got.report['nonzeros']} not zero, of coordinate descent {np.count_nonzero(x)}")
    A = draw.standard_normal((60, 200))
    b = A[:, :5] @ draw.uniform(1, 3, 5) + 0.5 * draw.standard_normal(60)
    lam = 0.1 * np.max(A.T @ b) / 60
    x, f = descent(A, b, lam, 0, 0, np.inf)
    got = fit(checks, "lasso", A, b, "--loss", "squared", "--lambda", f"{lam:.17g}", "--set", "nonneg")
    checks.near(got.report["objective"], f, 1e-6, "lasso, nonneg: objective")
    checks.check(got.report["nonzeros"] == np.count_nonzero(x), f"lasso, nonneg: {got.report['nonzeros']} not zero, of coordinate descent {np.count_nonzero(x)}")


def check_ball(checks):
    """min mean (a'x - b)^2/2 over ||x|| <= R: (A'A/n + nu) x = A'b/n with the nu that makes ||x|| = R."""
    for seed in range(4):
        draw = np.random.default_rng(seed)
        A = scaled(draw, 30, 5, 2)
        b = A @ (draw.standard_normal(5) / np.abs(A).max(0)) + 0.3 * draw.standard_normal(30)
        H, g = A.T @ A / 30, A.T @ b / 30
        at = lambda nu: np.linalg.solve(H + nu * np.eye(5), g)
        R = 0.3 * np.linalg.norm(at(0))
        x = at(np.exp(brentq(lambda t: np.linalg.norm(at(np.exp(t))) - R, -40, 40, xtol=1e-14)))
        f = np.mean((A @ x - b) ** 2) / 2
        r = fit(checks, f"ball {seed}", A, b, "--loss", "squared", "--lambda", 0, "--set", f"ball:{R:.17g}", solver="interior").report
        checks.near(r["objective"], f, 1e-6, f"ball {seed}: objective")


def section(f, low, high):
    """The minimum of a convex f between low and high."""
    for _ in range(90):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if f(a) < f(b):
            high = b
        else:
            low = a
    return f(0.5 * (low + high))


def check_two(checks):
    """Two coefficients in a box, chain and l1, columns far apart in size: section within section."""
    for seed in range(3):
        draw = np.random.default_rng(seed)
        A = draw.standard_normal((10, 2)) * [1e-2, 1e2]
        b = np.where(A @ [50, 0.005] + draw.standard_normal(10) > 0, 1.0, -1.0)
        b[:2] = -1, 1
        f = lambda u, v: np.mean(np.logaddexp(0, -b * (A @ [u, v]))) + 0.05 * abs(u - v) + 0.025 * (abs(u) + abs(v))
        best = section(lambda u: section(lambda v: f(u, v), -0.3, 0.5), -0.3, 0.5)
        r = fit(checks, f"two {seed}", A, b, "--set", "box:-0.3,0.5", "--lambda", 0.05, "--structure", "chain", "--also-sparse", 0.5).report
        checks.near(r["objective"], best, 1e-6, f"two {seed}: objective")


def check_widths(checks):
    """The narrower the kink, the nearer to the hinge, and always proven; with an intercept, whose best value is one of the kinks."""
    draw = np.random.default_rng(3)
    A = draw.standard_normal((200, 10))
    b = np.where(A @ draw.standard_normal(10) + 2 * draw.standard_normal(200) > 0, 1.0, -1.0)
    f = hinge_program(np.c_[A, np.ones(200)], b, 0.001, np.eye(10, 11), "l1", ("all",))
    data = write_svm("width.svm", A, b)
    for width in (1e-2, 1e-3, 1e-4, 1e-6):
        for gamma in (0, 1e-3):
            r = Fitted(data, "--loss", f"smooth-hinge:{width}", "--lambda", 0.001, "--gamma", gamma).report
            checks.check(r["gap_kind"] == "certified" and r["gap_relative"] <= PROVEN, f"width {width} {gamma}: {r['status']} {r['gap_relative']}")
            checks.check(gamma > 0 or f - width / 2 - 1e-6 <= r["objective"] <= f + 1e-6, f"width {width}: {r['objective']}, hinge {f}")


def main():
    checks = Checks()
    for check in (check_hinges, check_squares, check_zeros, check_ball, check_two, check_widths):
        check(checks)
    checks.end()


main()
