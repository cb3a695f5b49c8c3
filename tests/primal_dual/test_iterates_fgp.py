# test_iterates_fgp.py - fgp's iterates against plain dense numpy, box by box, and its optimum against reference.py: isotropic total variation of a small picture,
# groups beside l1, bounds, ridge, weights, several rows for one pixel, several targets.
from reference_run import Checks, Fitted, asked, write_matrix, write_svm, write_table

import numpy as np
import reference

HEIGHT, WIDTH, STEPS = 4, 5, 120
SETS = {"all": ("all",), "nonneg": ("nonneg",), "box:-0.3,0.4": ("box", -0.3, 0.4)}


def grid():
    """F of grid:4x5, all differences down a column before those along a row as the library has them, and the pixel of each."""
    rows, pixel = [], []
    for step, last in ((WIDTH, lambda i, j: i == HEIGHT - 1), (1, lambda i, j: j == WIDTH - 1)):
        for i in range(HEIGHT):
            for j in range(WIDTH):
                if not last(i, j):
                    row = np.zeros(HEIGHT * WIDTH)
                    row[i * WIDTH + j], row[i * WIDTH + j + step] = -1, 1
                    rows.append(row)
                    pixel.append(i * WIDTH + j)
    return np.array(rows), np.array(pixel)


def onto_set(p, x):
    return x if p.set == "all" else np.maximum(x, 0) if p.set == "nonneg" else np.clip(x, *p.bound)


def iterate(p):
    """x(y), y after each step, and the restarts so far."""
    F = np.vstack([t.F for t in p.terms])
    q = (p.w[:, None] * p.A * p.A).sum(0)[:, None] + p.gamma
    m = (p.A.T @ (p.w[:, None] * (p.b - p.offset))) / q
    size = np.abs(F)
    s, at = 1 / (size @ (size.sum(0) / q[:, 0])), 0
    for t in p.terms:
        for rows in t.blocks:
            s[at + rows] = s[at + rows].min()
        at += len(t.F)
    s = s[:, None]
    cut = np.cumsum([len(t.F) for t in p.terms])[:-1]
    y, t, restarts = np.zeros((len(F), p.K)), 1.0, 0
    u = y
    while True:
        x = onto_set(p, m - F.T @ u / q)
        now = np.vstack([term.project(part) for term, part in zip(p.terms, np.split(u + s * (F @ x), cut))])
        following = (1 + np.sqrt(1 + 4 * t * t)) / 2
        uphill = ((u - now) / s * (now - y)).sum() > 0
        u = now if uphill else now + (t - 1) / following * (now - y)
        y, t, restarts = now, 1.0 if uphill else following, restarts + uphill
        yield onto_set(p, m - F.T @ y / q), y, restarts


def cases():
    rng = np.random.default_rng(7)
    F, pixel = grid()
    d = HEIGHT * WIDTH
    column = np.concatenate([np.arange(d), rng.integers(0, d, 7)])
    A = np.zeros((len(column), d))
    A[np.arange(len(column)), column] = rng.choice([1.0, -0.5, 2.0], len(column))
    b, w, two = rng.normal(size=len(column)), rng.integers(1, 4, len(column)), rng.normal(size=(d, 2))
    flat = rng.normal(size=d) + (np.arange(d) % WIDTH > 2)
    plain, mixed, many = write_svm("plain.svm", np.eye(d), flat), write_svm("mixed.svm", A, b), write_svm("many.svm", np.eye(d), np.zeros(d))
    group = ["--structure", f"grid:{HEIGHT}x{WIDTH}", "--penalty", "group", "--groups", "grid"]
    P, T = reference.Problem, reference.Term
    yield "isotropic", [plain, *group, "--lambda", 0.02], P(np.eye(d), flat, "squared", [T("group", F, 0.02, pixel)])
    yield "isotropic, strong", [plain, *group, "--lambda", 0.2], P(np.eye(d), flat, "squared", [T("group", F, 0.2, pixel)])
    for name, kind in SETS.items():
        yield (f"weights, ridge, several rows, l1 beside, {name}",
               [mixed, *group, "--lambda", 0.01, "--gamma", 0.05, "--weights", write_table("w.txt", w), "--set", name, "--also-sparse", 0.5],
               P(A, b, "squared", [T("group", F, 0.01, pixel), ("l1", np.eye(d), 0.005)], gamma=0.05, weights=w, set=kind))
    yield ("anisotropic", [plain, "--structure", "matrix:" + write_matrix("F.mtx", 1.5 * F), "--lambda", 0.02],
           P(np.eye(d), flat, "squared", [("l1", 1.5 * F, 0.02)]))
    yield ("two targets", [many, *group, "--lambda", 0.02, "--targets", write_table("two.txt", two)],
           P(np.eye(d), two, "squared", [T("group", F, 0.02, pixel)], K=2))


def check_iterates(checks):
    restarted = equal = 0
    for name, words, p in cases():
        words = [*words, "--loss", "squared", "--no-intercept", "--solver", "fgp"]
        for k, (x, y, restarts) in zip(range(1, STEPS + 1), iterate(p)):
            if k not in (1, 2, 3, 11, STEPS):
                continue
            fit = Fitted(*words, "--tol", 0, "--epochs", k, "--every", k)
            checks.check(fit.report["iterations"] == k, f"{name}, iterate {k}: {fit.report['iterations']} iterations")
            same = np.allclose(fit.x, x, rtol=0, atol=1e-10)  # else the zeros that y predicts were kept, because that is better
            checks.check(same or p.value(fit.x, np.zeros(p.K)) < p.value(x, np.zeros(p.K)), f"{name}, iterate {k}: x {fit.x - x}")
            equal += same
            checks.near(float(fit.trace[-1]["dual_norm"]), np.linalg.norm(y), 1e-10, f"{name}, iterate {k}: dual")
        restarted += restarts
        best, error = p.solve(1e-10)[3:]
        fit = Fitted(*words, "--tol", 1e-8)
        value = p.value(fit.x, np.zeros(p.K))
        checks.check(-error - 1e-12 <= value - best <= 1e-8 * best + error, f"{name}: {value - best:.3g} above the optimum {best}")
    checks.check(equal >= 15, f"only {equal} iterates were those of numpy")
    checks.check(restarted > 0, "no case restarts: that line is not tested")


if __name__ == "__main__":
    tally = Checks()
    if asked("fgp"):
        check_iterates(tally)
    tally.end()
