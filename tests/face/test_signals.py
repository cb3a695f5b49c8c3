# test_signals.py - the digits of x, not only of the objective: fused lasso signals against the exact dynamic program (1,000 with `./run test all`), trend
# filtering and a picture against an interior-point method of its own, and the optimality conditions on the face of the solution for other losses and penalties.
from reference import differences, grid
from reference_run import Checks, Fitted, Path, write_svm, write_table

import os
import numpy as np

SIGNALS = 1000 if os.environ.get("SPDHG_TEST_ALL") else 60


def tv_signal(y, lam):
    """argmin ||x - y||^2/2 + lam sum |x_{i+1} - x_i|, exactly: Johnson's dynamic program over the derivative of the messages (JCGS 2013)."""
    n = len(y)
    x, a, b, tm, tp = np.zeros(2 * n), np.zeros(2 * n), np.zeros(2 * n), np.zeros(n - 1), np.zeros(n - 1)
    left, right = n - 1, n
    x[left], x[right] = tm[0], tp[0] = y[0] - lam, y[0] + lam
    a[left], b[left], a[right], b[right] = 1, -y[0] + lam, -1, y[0] + lam
    for k in range(1, n):
        level = lam if k < n - 1 else 0
        alo, blo, lo = 1, -lam - y[k], left
        while lo <= right and alo * x[lo] + blo <= -level:
            alo, blo, lo = alo + a[lo], blo + b[lo], lo + 1
        if k == n - 1:
            break
        ahi, bhi, hi = -1, -lam + y[k], right
        while hi >= lo and -ahi * x[hi] - bhi >= lam:
            ahi, bhi, hi = ahi + a[hi], bhi + b[hi], hi - 1
        tm[k], tp[k] = (-lam - blo) / alo, (lam + bhi) / -ahi
        left, right = lo - 1, hi + 1
        x[left], a[left], b[left], x[right], a[right], b[right] = tm[k], alo, blo + lam, tp[k], ahi, bhi + lam
    out = np.zeros(n)
    out[-1] = -blo / alo
    for k in range(n - 2, -1, -1):
        out[k] = min(max(out[k + 1], tm[k]), tp[k])
    return out


def check_signals(checks):
    rng = np.random.default_rng(2)
    for number in range(SIGNALS):
        n = int(rng.integers(2, 40))
        y = np.repeat(rng.normal(size=n), rng.integers(1, 5, n))[:n] + 0.3 * rng.normal(size=n)
        lam = float(rng.choice([0.01, 0.1, 0.5, 2]))
        x = tv_signal(y, lam)
        fit = Fitted(write_svm("signal.svm", np.eye(n), y), "--loss", "squared", "--structure", "chain", "--lambda", lam / n, "--no-intercept",
                     "--features", n, "--tol", 1e-10)
        value = ((x - y) ** 2).sum() / 2 / n + lam / n * np.abs(np.diff(x)).sum()
        checks.near(fit.report["objective"], value, 1e-13, f"signal {number}: objective")
        checks.near(fit.x[:, 0], x, 1e-8, f"signal {number}, {n} points, lambda {lam}")
        groups = 1 + np.count_nonzero(np.abs(np.diff(x)) > 1e-9)
        checks.check(fit.report["structure_nonzeros"] == groups - 1, f"signal {number}: {fit.report['structure_nonzeros']} jumps, expected {groups - 1}")


def interior_point(y, D, lam):
    """argmin ||x - y||^2/2 + lam ||D x||_1 by its dual, min ||y - D'u||^2/2 over |u| <= lam: primal-dual steps with a barrier, centred by 1/t."""
    m, t = len(D), 1e-10
    G, Dy, u, up, down = D @ D.T, D @ y, np.zeros(m), np.ones(m), np.ones(m)

    def residual(u, up, down):
        return np.linalg.norm(np.r_[G @ u - Dy + up - down, up * (lam - u) - 1 / t, down * (lam + u) - 1 / t])

    for _ in range(200):
        gap = up @ (lam - u) + down @ (lam + u)
        if gap < 1e-16 * (1 + y @ y):
            break
        t = max(2.4 * m / gap, t)
        left, right = lam - u, lam + u
        du = np.linalg.solve(G + np.diag(up / left + down / right), Dy - G @ u - 1 / t / left + 1 / t / right)
        dup, ddown = -up + (1 / t + du * up) / left, -down + (1 / t - du * down) / right
        step = min([1.0] + [0.99 * np.min(-v[d < 0] / d[d < 0]) for v, d in ((up, dup), (down, ddown)) if (d < 0).any()])
        before = residual(u, up, down)
        while step > 1e-12 and (np.abs(u + step * du).max() >= lam or residual(u + step * du, up + step * dup, down + step * ddown) > (1 - 0.01 * step) * before):
            step /= 2
        u, up, down = u + step * du, up + step * dup, down + step * ddown
    return y - D.T @ u


def check_trends(checks):
    rng = np.random.default_rng(1)
    for order in (1, 2, 3):
        for n, lam in [(20, 0.1), (30, 5), (80, 1), (80, 50)]:
            t = np.linspace(0, 1, n)
            y = 3 * np.sin(6 * t) + 5 * np.abs(t - 0.4) + 0.2 * rng.normal(size=n)
            D = differences(n, order + 1)
            x = interior_point(y, D, lam)
            fit = Fitted(write_svm("trend.svm", np.eye(n), y), "--loss", "squared", "--structure", f"trend:{order}", "--lambda", lam / n, "--no-intercept",
                         "--features", n)
            name = f"trend {order}, {n} points, lambda {lam}"
            checks.near(fit.report["objective"], ((x - y) ** 2).sum() / 2 / n + lam / n * np.abs(D @ x).sum(), 1e-9, f"{name}: objective")
            checks.near(fit.x[:, 0], x, 1e-8, name)
            kinks = np.count_nonzero(np.abs(D @ x) > 1e-7)
            checks.check(fit.report["structure_nonzeros"] == kinks, f"{name}: {fit.report['structure_nonzeros']} kinks, {kinks} expected")


def bent_line(n, rng):
    """Seven straight pieces under noise."""
    slope = np.repeat(rng.normal(size=7), np.diff(np.r_[0, np.sort(rng.choice(np.arange(5, n - 5), 6, replace=False)), n]))
    return np.cumsum(slope) / n * 30 + 0.5 * rng.normal(size=n)


def check_patterns(checks):
    """At the default tolerance the knots are those of the optimum: the dual u of x, n lam F'u = y - x, which is unique, is lam at every knot and at most lam
    elsewhere. The knots of 300 points were once 190 to 298 of 298, and bic chose a straight line."""
    rng = np.random.default_rng(8)
    n = 300
    for order in (1, 2):
        y, D = bent_line(n, rng), differences(n, order + 1)
        t = np.arange(n) / n
        most = np.abs(np.linalg.lstsq(D.T, y - np.polyval(np.polyfit(t, y, order), t), rcond=None)[0]).max() / n
        data = write_svm("knots.svm", np.eye(n), y)
        for part in (0.03, 1e-3):
            lam = most * part
            fit = Fitted(data, "--loss", "squared", "--structure", f"trend:{order}", "--lambda", lam, "--no-intercept", "--features", n)
            x = fit.x[:, 0]
            u, bend = np.linalg.lstsq(D.T, y - x, rcond=None)[0] / n / lam, np.abs(D @ x)
            knot = bend > 1e-9 * bend.max()
            name = f"knots of order {order} at {part} of lambda_max"
            checks.check(fit.report["structure_nonzeros"] == knot.sum(), f"{name}: {fit.report['structure_nonzeros']} reported, {knot.sum()} there")
            checks.near(u[knot], np.sign(D @ x)[knot], 1e-4, f"{name}: the dual at the knots")
            checks.check(np.abs(u).max() < 1 + 1e-4, f"{name}: the dual elsewhere, {np.abs(u).max():.6f}")
    rows = Path(data, "--loss", "squared", "--structure", "trend:1", "--no-intercept", "--choose", "bic", "--lambdas", 25, "--lambda-ratio", 1e-4)
    known = [(df, knots) for df, knots in zip(rows.column("degrees"), rows.column("structure_nonzeros")) if df == df]
    checks.check(len(known) >= 20, f"degrees of freedom are known at {len(known)} of 25 lambdas")
    checks.check(all(df == knots + 2 for df, knots in known), "degrees of freedom: two, and one for each knot")
    checks.check(3 <= rows.report["structure_nonzeros"] <= 30, f"bic chooses {rows.report['structure_nonzeros']} knots")


def check_images(checks):
    """Total variation of a picture of two shapes under noise, along rows and columns."""
    height, width = 9, 11
    picture = np.zeros((height, width))
    picture[2:6, 2:7], picture[5:8, 6:10] = 1, 2
    y = picture.ravel() + 0.3 * np.random.default_rng(3).normal(size=height * width)
    D, _ = grid(height, width)
    for lam in (0.2, 1):
        x = interior_point(y, D, lam)
        fit = Fitted(write_svm("image.svm", np.eye(len(y)), y), "--loss", "squared", "--structure", f"grid:{height}x{width}", "--lambda", lam / len(y),
                     "--no-intercept")
        checks.near(fit.x[:, 0], x, 1e-7, f"image, lambda {lam}")
        jumps = np.count_nonzero(np.abs(D @ x) > 1e-6)
        checks.check(fit.report["structure_nonzeros"] == jumps, f"image: {fit.report['structure_nonzeros']} differences, {jumps} expected")


SLOPES = {"logistic": lambda z, b: -b / (1 + np.exp(b * z)), "squared": lambda z, b: z - b, "huber": lambda z, b: np.clip(z - b, -1.345, 1.345),
          "squared-hinge": lambda z, b: -2 * b * np.maximum(1 - b * z, 0)}


def check_faces(checks):
    """At --tol 1e-6 the gradient along the face, N'(A'phi' / n + F'lambda r'(F x)), is already rounding: N from a singular value decomposition of the rows of F
    with F x = 0, r' = sign (l1) or the unit vector of a group."""
    rng = np.random.default_rng(6)
    n, d = 60, 12
    A = rng.normal(size=(n, d)) + 0.5
    score = A @ np.repeat([1.0, 0, -0.5], 4) + rng.normal(size=n)
    F, place = grid(3, 4)
    M = rng.normal(size=(9, d))
    sizes = [("identity", np.eye(d), []), ("chain", differences(d), []), ("trend:1", differences(d, 2), []), ("grid:3x4", F, []),
             ("grid:3x4", F, ["--penalty", "group", "--groups", "grid"]), ("identity", np.eye(d), ["--penalty", "group", "--groups", "size:3"])]
    for loss, slope in SLOPES.items():
        b = score if loss in ("squared", "huber") else np.where(score > 0, 1.0, -1.0)
        data = write_svm("face.svm", A, b)
        for structure, F, more in sizes:
            lam = 0.03
            fit = Fitted(data, "--loss", loss, "--structure", structure, "--lambda", lam, *more)
            x, Fx = fit.x[:, 0], F @ fit.x[:, 0]
            zero = np.abs(Fx) <= 8 * np.finfo(float).eps * np.linalg.norm(F, axis=1) * np.linalg.norm(x)
            if "size:3" in more:
                groups = np.arange(len(F)) // 3
            elif "grid" in more:
                groups = np.array(place)
            else:
                groups = np.arange(len(F))
            length = np.sqrt(np.bincount(groups, Fx ** 2))[groups]
            direction = np.where(zero, 0, Fx) / np.where(zero, 1, length)
            singular = np.linalg.svd(F[zero]) if zero.any() else (None, np.zeros(0), np.eye(d))
            N = singular[2][np.sum(singular[1] > 1e-10):].T
            u = slope(A @ x + fit.c[0], b) / n
            gradient = np.r_[N.T @ (A.T @ u + lam * F.T @ direction), u.sum()]
            name = f"{loss}, {structure} {' '.join(more)}"
            checks.check(np.abs(gradient).max() < 1e-13, f"{name}: gradient on the face {np.abs(gradient).max():.2g}, {zero.sum()} of {len(F)} rows are 0")
            checks.check(0 < N.shape[1] <= d, f"{name}: no face")


def main():
    checks = Checks()
    check_signals(checks)
    check_trends(checks)
    check_patterns(checks)
    check_images(checks)
    check_faces(checks)
    checks.end()


main()
