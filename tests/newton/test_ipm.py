# test_ipm.py - the sparse interior-point method against the optimum that reference.py finds by another method: every loss, penalty and set it
# takes, several terms and targets, weights, offsets, an intercept; rows of A that are short, and long ones that stay beside the matrix. And a
# trend of a signal against a quadratic program solved by scipy, its knots, and the plan of auto.
from reference_run import COMMAND, Checks, Fitted, asked, path, write_matrix, write_svm, write_table

import subprocess
from fractions import Fraction
from itertools import accumulate

import numpy as np
import reference
from scipy.optimize import lsq_linear, minimize

LEFT = 1e-9  # of the way from f(0) to the optimum


def band(draw, n, d, width):
    """Rows of `width` neighbours each."""
    A = np.zeros((n, d))
    for i in range(n):
        first = draw.integers(0, d - width + 1)
        A[i, first:first + width] = draw.standard_normal(width)
    return A


def signs(z):
    return np.where(z > 0, 1.0, -1.0)


def cases():
    """Name, words, A, what reference.Problem takes."""
    draw = np.random.default_rng(5)
    n, d = 40, 30
    for kind, A in (("short rows", band(draw, n, d, 3)), ("long rows", draw.standard_normal((n, d))), ("few long rows", draw.standard_normal((8, d)))):
        z = A @ np.repeat(draw.standard_normal(d // 5), 5) + 0.5 * draw.standard_normal(len(A))
        chain, trend, eye = reference.differences(d), np.diff(np.eye(d), 2, axis=0), np.eye(d)
        w, o = np.arange(len(A)) % 4 + 0.0, 0.3 * draw.standard_normal(len(A))
        F, flat = write_matrix(f"{len(A)}.mtx", np.vstack([chain, 0.5 * trend])), np.vstack([chain, 0.5 * trend])
        yield f"{kind}, squared", ["--loss", "squared", "--structure", "trend:1", "--lambda", 0.05, "--intercept"], A, z, dict(
            loss="squared", terms=[("l1", trend, 0.05)], intercept=True)
        yield f"{kind}, logistic", ["--structure", f"matrix:{F}", "--lambda", 0.02, "--intercept", "--weights", write_table("w.txt", w), "--offset",
                                    write_table("o.txt", o)], A, signs(z), dict(
            loss="logistic", terms=[("l1", flat, 0.02)], intercept=True, weights=w, offset=o)
        for loss, arg in (("huber:0.5", 0.5), ("smooth-hinge:0.3", 0.3), ("squared-hinge", None)):
            name = loss.split(":")[0]
            yield f"{kind}, {loss}", ["--loss", loss, "--structure", "chain", "--also-sparse", 0.5, "--lambda", 0.03, "--gamma", 0.01, "--no-intercept"], A, (
                z if name == "huber" else signs(z)), dict(loss=name, arg=arg, gamma=0.01, terms=[("l1", chain, 0.03), ("l1", eye, 0.015)])
        yield f"{kind}, group", ["--structure", "chain", "--penalty", "group", "--groups", write_table("g.txt", np.arange(d - 1) // 3), "--lambda",
                                 0.05, "--gamma", 0.01, "--intercept"], A, signs(z), dict(
            loss="logistic", gamma=0.01, terms=[reference.Term("group", chain, 0.05, np.arange(d - 1) // 3)], intercept=True)
        yield f"{kind}, linf", ["--loss", "squared", "--structure", "chain", "--penalty", "linf", "--lambda", 0.3, "--gamma", 0.01, "--no-intercept"], A, z, dict(
            loss="squared", gamma=0.01, terms=[("linf", chain, 0.3)])
        for name, given in (("nonneg", ("nonneg",)), ("box:-0.2,0.4", ("box", -0.2, 0.4)), ("simplex:2", ("simplex", 2.0))):
            yield f"{kind}, {name}", ["--loss", "squared", "--structure", "chain", "--lambda", 0.05, "--set", name, "--gamma", 0.01, "--no-intercept"], A, z, dict(
                loss="squared", gamma=0.01, terms=[("l1", chain, 0.05)], set=given)
        classes = np.argmax(np.c_[z, -z, 0.5 * np.random.default_rng(9).standard_normal(len(A))], axis=1)
        classes[:3] = 0, 1, 2
        for free in (False, True):
            yield f"{kind}, softmax, {'' if free else 'no '}intercept", ["--loss", "softmax", "--structure", "trend:1", "--lambda", 0.05, "--gamma", 0.01, "--weights",
                                                                       write_table("w3.txt", w + 1), "--intercept" if free else "--no-intercept"], A, classes, dict(
                loss="softmax", gamma=0.01, terms=[("l1", trend, 0.05)], K=3, intercept=free, weights=w + 1)
        two = np.c_[z, draw.standard_normal(len(A))]
        for penalty, lam in (("l1", 0.05), ("group", 0.1)):
            yield f"{kind}, two targets, {penalty}", ["--loss", "squared", "--structure", "chain", "--penalty", penalty, "--lambda", lam, "--gamma", 0.01,
                                                      "--intercept", "--targets", write_table("t.txt", two)], A, two, dict(
                loss="squared", gamma=0.01, terms=[(penalty, chain, lam)], K=2, intercept=True)


def check_optima(checks):
    for name, words, A, b, given in cases():
        p = reference.Problem(A, b, **given)
        f_ref, error = p.solve(1e-8)[3:]
        zero = p.project(np.zeros((p.d, p.K)))
        way = p.value(zero, p.best_intercept(zero)) - f_ref
        svm = write_svm("a.svm", A, b if b.ndim == 1 else np.zeros(len(A)))
        fit = Fitted(svm, "--features", A.shape[1], *words, "--solver", "ipm", "--tol", 1e-9, "--epochs", 2000)
        left = (p.value(fit.x, fit.c) - f_ref) / way
        checks.check(left >= -error / way - LEFT, f"{name}: below the optimum by {-left:.3g} of the way")
        checks.check(left <= LEFT + error / way, f"{name}: {left:.3g} of the way are left")
        r = fit.report
        checks.check(r["gap_relative"] <= 1e-9, f"{name}: {r['status']}, {r['gap_kind']} gap {r['gap_relative']}")


def check_trend(checks):
    """min |b - x|^2/(2n) + lam |F x|_1: y minimises |b - n F'y|^2 over |y| <= lam, x = b - n F'y."""
    draw = np.random.default_rng(6)
    n, lam = 60, 0.05
    b = np.abs(np.arange(n) - 25) / 10 + 0.3 * draw.standard_normal(n)
    F = np.diff(np.eye(n), 2, axis=0)
    y = lsq_linear(n * F.T, b, (-lam, lam), method="bvls", tol=1e-15, max_iter=10000).x
    best = b - n * F.T @ y
    fit = Fitted(write_svm("signal.svm", np.eye(n), b), "--loss", "squared", "--structure", "trend:1", "--lambda", lam, "--no-intercept", "--solver",
                 "ipm", "--tol", 1e-11, "--epochs", 2000)
    off = np.abs(fit.x[:, 0] - best).max()
    checks.check(off <= 1e-6, f"trend of a signal: off by {off:.3g}")
    knots = np.count_nonzero(np.abs(F @ best) > 1e-6)
    plain = Fitted(path("signal.svm"), "--loss", "squared", "--structure", "trend:1", "--lambda", lam, "--no-intercept", "--solver", "ipm", "--epochs", 2000)
    found = np.count_nonzero(np.abs(F @ plain.x) > 1e-12)
    checks.check(found == knots == plain.report["structure_nonzeros"], f"trend of a signal: {found} knots, {plain.report['structure_nonzeros']} reported, not {knots}")


def check_faces(checks):
    """A signal too long for dense factors, at the default tolerance of `auto`: what is zero, and the sign of the rest, prove themselves. y follows from
    x - b = -n F'y, is at most lambda, up to what rounding of x does to sums of sums, and is lambda times the sign where F x is not 0."""
    draw = np.random.default_rng(7)
    n = 2000
    for order, lam in ((1, 0.2), (2, 2.0)):
        b = np.interp(np.arange(n), np.linspace(0, n, 9), draw.standard_normal(9)) + 0.2 * draw.standard_normal(n)
        F = np.diff(np.eye(n), order + 1, axis=0)
        fit = Fitted(write_svm("signal.svm", np.eye(n), b), "--loss", "squared", "--structure", f"trend:{order}", "--lambda", lam, "--no-intercept")
        z, y = F @ fit.x[:, 0], np.linalg.lstsq(F.T, (b - fit.x[:, 0]) / n, rcond=None)[0]
        on = np.abs(z) > 1e-11
        r = fit.report
        checks.check(r["solver"] == "ipm" and r["status"] == "converged" and r["gap_kind"] == "certified", f"trend:{order}: {r['solver']} {r['status']} {r['gap_kind']}")
        checks.check(0 < on.sum() < 100 and on.sum() == r["structure_nonzeros"], f"trend:{order}: {on.sum()} knots, {r['structure_nonzeros']} reported")
        checks.check(np.abs(y).max() <= lam * (1 + 1e-4), f"trend:{order}: y is outside by {np.abs(y).max() / lam - 1:.3g}")
        checks.check(np.abs(y[on] - lam * np.sign(z[on])).max() <= 1e-4 * lam, f"trend:{order}: a knot with the wrong y")


def check_smooth_trends(checks):
    """Long stretches between knots: F'F has eigenvalues of 1e-13 there. y follows from b - x = F'y by sums of sums, in exact numbers."""
    n = 3000
    draw = np.random.default_rng(5)
    t = np.linspace(0, 1, n)
    b = sum(s * np.maximum(t - at, 0) for s, at in zip(20 * draw.normal(size=20), draw.random(20))) + 0.3 * draw.normal(size=n)
    svm = write_svm("smooth.svm", np.eye(n), b)
    for order, lam in ((2, 1e4), (3, 1e4)):
        words = ("--loss", "squared", "--structure", f"trend:{order}", "--lambda", lam / n, "--no-intercept")
        fit, fine = Fitted(svm, *words), Fitted(svm, *words, "--tol", 1e-8)
        r = fit.report
        checks.check(r["solver"] == "ipm" and r["gap_kind"] == "certified" and r["gap_relative"] <= 1e-6, f"smooth trend:{order}: {r['solver']} {r['gap_relative']}")
        number = r["structure_nonzeros"]
        checks.check(0 < number < 60 and number == fine.report["structure_nonzeros"], f"smooth trend:{order}: {number} knots, {fine.report['structure_nonzeros']} at 1e-8")
        z = np.diff(fit.x[:, 0], order + 1)
        knots = np.argsort(-np.abs(z))[:number]
        sums = [Fraction(v) - Fraction(w) for v, w in zip(b.tolist(), fit.x[:, 0].tolist())]
        for _ in range(order + 1):
            sums = [-v for v in accumulate(sums)]
        y = np.array([float(v) for v in sums])
        checks.check(np.abs(y[n - order - 1 :]).max() <= 1e-3 * lam, f"smooth trend:{order}: b - x is not F'y")
        checks.check(np.abs(y).max() <= lam * (1 + 1e-3), f"smooth trend:{order}: y is outside by {np.abs(y).max() / lam - 1:.3g}")
        checks.check(np.abs(y[knots] - lam * np.sign(z[knots])).max() <= 1e-3 * lam, f"smooth trend:{order}: a knot with the wrong y")


def least_by_split(A, b, F, lam, K, constant):
    """min mean softmax loss + lam |F x|_1 by L-BFGS-B: x = B (s, p - q) with p, q >= 0, where B inverts F below rows that complete it."""
    m, d = F.shape
    B = np.linalg.inv(np.vstack([np.eye(d)[: d - m], F]))
    AB = A @ B
    scale = 1 / np.maximum(np.linalg.norm(AB, axis=0), 1e-3)  # so that its steps are of one size
    AB = AB * scale
    cost = np.tile(np.repeat(lam * scale[d - m :], K), 2)
    free, size = (d - m) * K, m * K

    def value(u):
        t = np.vstack([u[:free].reshape(-1, K), (u[free : free + size] - u[free + size : free + 2 * size]).reshape(-1, K)])
        z = AB @ t + (u[free + 2 * size :] if constant else 0)
        total = np.logaddexp.reduce(z, 1)
        slope = np.exp(z - total[:, None])
        slope[np.arange(len(b)), b] -= 1
        g = AB.T @ slope / len(b)
        end = slope.mean(0) if constant else []
        split = g[d - m :].ravel()
        return (total - z[np.arange(len(b)), b]).mean() + cost @ u[free : free + 2 * size], np.concatenate([g[: d - m].ravel(), np.r_[split, -split] + cost, end])

    sides = [(None, None)] * free + [(0, None)] * (2 * size) + [(None, None)] * (K if constant else 0)
    return minimize(value, np.zeros(len(sides)), jac=True, method="L-BFGS-B", bounds=sides, options=dict(maxiter=20000, maxfun=40000, ftol=1e-15, gtol=1e-10, maxcor=30)).fun


def check_classes(checks):
    """Softmax without ridge: along directions that are the same in all classes the system knows only the penalty, and nothing where that is 0 too."""
    for d, K, order, lam, rows, constant in ((100, 3, 1, 0.05, "short", True), (150, 5, 0, 0.005, "short", True), (100, 5, 1, 0.02, "one", True), (100, 5, 0, 0.005, "one", True)):
        draw = np.random.default_rng(0)
        A = band(draw, 2 * d, d, 3) if rows == "short" else np.eye(d)[np.arange(2 * d) % d]
        b = (A @ np.repeat(draw.standard_normal((d // 5, K)), 5, axis=0) + draw.gumbel(size=(2 * d, K))).argmax(1)
        b[:K] = np.arange(K)
        F = np.diff(np.eye(d), order + 1, axis=0)
        name = f"softmax, {K} classes, trend:{order}, {rows}"
        fit = Fitted(write_svm("classes.svm", A, b), "--features", d, "--loss", "softmax", "--structure", f"trend:{order}", "--lambda", lam, "--solver", "ipm",
                     "--intercept" if constant else "--no-intercept", "--epochs", 2000)
        r = fit.report
        checks.check(r["status"] == "converged" and r["gap_kind"] == "certified", f"{name}: {r['status']}, {r['gap_kind']} gap {r['gap_relative']}")
        least = least_by_split(A, b, F, lam, K, constant)
        checks.check(r["objective"] <= least * (1 + 1e-9), f"{name}: {r['objective']} above {least}")
        if order == 0:  # it is 1 % above the optimum of a trend
            checks.near(r["objective"], least, 1e-5, f"{name}: the optimum of L-BFGS-B")


def check_plan(checks):
    """What `auto` takes follows from counts; --max-memory refuses by them."""
    draw = np.random.default_rng(8)
    tall, wide = draw.standard_normal((900, 320)), draw.standard_normal((20, 400))
    for A, solver in ((tall, "prox-newton"), (wide, "ipm"), (np.eye(400), "ipm")):
        fit = Fitted(write_svm("plan.svm", A, draw.standard_normal(len(A))), "--loss", "squared", "--structure", "trend:1", "--lambda", 0.1)
        checks.check(fit.report["solver"] == solver, f"auto took {fit.report['solver']} for {A.shape}, not {solver}")
    for loss in ("squared", "huber"):  # an intercept that x can do without: the system is singular
        fit = Fitted(path("plan.svm"), "--loss", loss, "--structure", "trend:1", "--lambda", 0.01, "--intercept", "--solver", "ipm", "--epochs", 2000, "--tol", 1e-8)
        same = Fitted(path("plan.svm"), "--loss", loss, "--structure", "trend:1", "--lambda", 0.01, "--no-intercept", "--solver", "ipm", "--epochs", 2000, "--tol", 1e-8)
        checks.near(fit.report["objective"], same.report["objective"], 1e-7, f"{loss}: a spare intercept")
    done = subprocess.run([COMMAND, "fit", path("plan.svm"), "--loss", "squared", "--structure", "chain", "--solver", "ipm", "--max-memory", "200K"],
                          capture_output=True, text=True)
    checks.check(done.returncode == 6 and "solver ipm needs about" in done.stderr, f"--max-memory: {done.returncode}, {done.stderr}")


if __name__ == "__main__":
    tally = Checks()
    if asked("ipm"):
        check_optima(tally)
        check_trend(tally)
        check_faces(tally)
        check_smooth_trends(tally)
        check_classes(tally)
        check_plan(tally)
    tally.end()
