# test_signal_newton.py - Newton's method for signals, by dynamic programming (chain-newton) and by cuts (cut-newton), against reference.py: signals on lines,
# trees and graphs with every loss, sets, ridge, intercept, weights, offsets, several targets, l1 beside the differences, weights of the rows of F; columns that
# no row has, and that several have.
import random
import subprocess

from reference_run import COMMAND, Checks, Fitted, path, write_matrix, write_svm, write_table

import numpy as np
import reference

FEATURES = 9
SETS = {"all": ("all",), "nonneg": ("nonneg",), "box:-0.3,0.4": ("box", -0.3, 0.4), "box:-9,0.1": ("box", -9, 0.1)}


def structure(draw, rng, sums, cycles):
    """(words, F): a chain; a tree (a part of its rows sums) with weights, in pieces; the same with multiples of single coefficients; with cycles a graph instead."""
    kind = draw.choice(["chain", "tree", "matrix"])
    if kind == "chain":
        return "chain", reference.differences(FEATURES)
    lines = [(draw.randrange(j), j, draw.choice([1.0, 0.5, 2.0])) for j in range(1, FEATURES) if draw.random() < 0.85] or [(0, 1, 1.0)]
    if cycles:
        lines += [(*draw.sample(range(FEATURES), 2), draw.choice([1.0, 0.5, 2.0])) for _ in range(draw.randrange(1, 9))]
    F = np.zeros((len(lines), FEATURES))
    for e, (i, j, v) in enumerate(lines):
        F[e, i], F[e, j] = v, -v if sums == 0 or draw.random() > sums else v
    if kind == "matrix":
        F = np.vstack([F, np.diag(rng.choice([0.5, -1.0, 2.0], FEATURES))[:: draw.choice([1, 2])]])
    return "matrix:" + write_matrix("F.mtx", F), F


def random_case(seed, cycles):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    loss = draw.choice([name for name in reference.LOSS if name != "softmax"])
    K = 2 if loss == "squared" and draw.random() < 0.4 else 1
    column = rng.permutation(np.concatenate([np.arange(FEATURES), rng.integers(0, FEATURES, draw.choice([0, 12, 40]))]))
    if draw.random() < 0.3:
        column = column[column != 4]  # a coefficient without data
    ones, n = draw.random() < 0.5, len(column)
    A = np.zeros((n, FEATURES))
    A[np.arange(n), column] = 1 if ones else rng.choice([1.0, -1.0, 0.3, 2.0], n)
    truth = np.where(np.arange(FEATURES) < 4, 1.0, -0.5)[:, None] * np.ones(K) + 0.2 * rng.normal(size=(FEATURES, K))
    signal = A @ truth + rng.normal(size=(n, K))
    b = signal if loss in ("squared", "huber") else np.where(signal > 0.2, 1.0, -1.0)
    b[0, 0], b[1, 0] = (b[0, 0], b[1, 0]) if loss in ("squared", "huber") else (1.0, -1.0)
    set_name = draw.choice(list(SETS))
    name, F = structure(draw, rng, 0.3 if set_name == "all" and not cycles else 0, cycles)
    lam, gamma, free = draw.choice([0.01, 0.05, 0.3]), draw.choice([0.0, 0.0, 0.1]), draw.random() < 0.5
    terms = [("l1", F, lam)]
    words = [write_svm("signal.svm", A, b[:, 0]), "--features", FEATURES, "--loss", loss, "--structure", name, "--lambda", lam, "--gamma", gamma,
             "--set", set_name, "--intercept" if free else "--no-intercept"]
    if K > 1:
        words += ["--targets", write_table("targets.txt", b)]
    if draw.random() < 0.4:
        words += ["--also-sparse", 0.5]
        terms.append(("l1", np.eye(FEATURES), 0.5 * lam))
    w = rng.integers(0, 4, n) + (0.0 if loss in ("squared", "huber") else 1.0) if draw.random() < 0.4 else None
    offset = rng.normal(size=(n, 1)) if K == 1 and draw.random() < 0.3 else None
    words += ["--weights", write_table("w.txt", w)] if w is not None else []
    words += ["--offset", write_table("offset.txt", offset)] if offset is not None else []
    return words, reference.Problem(A, b, loss, terms, gamma=gamma, set=SETS[set_name], intercept=free, weights=w, offset=offset, K=K)


def check_random(checks, solver):
    for seed in range(36):
        words, p = random_case(seed, solver == "cut-newton")
        tolerance = 1e-7 if (solver, seed) == ("cut-newton", 9) else 1e-9  # that one has a certificate of 1e-8 with every solver
        _, _, _, best, error = p.solve(1e-10)
        if error > 1e-8 * best:
            continue  # no minimiser (classes that a plane separates): there is nothing to compare with
        done = f"{solver}, seed {seed}: {words[3:]}"
        try:
            fit = Fitted(*words, "--solver", solver, "--tol", tolerance)
        except RuntimeError as reason:
            checks.check(False, f"{done}: {reason}")
            continue
        value = p.value(fit.x, fit.c)
        checks.check(fit.report["status"] == "converged", f"{done}: {fit.report['status']}")
        checks.near(value, fit.report["objective"], 1e-12, f"{done}: objective")
        checks.check(-error - 1e-12 <= value - best <= tolerance * best + error, f"{done}: {value - best:.3g} above the optimum {best}")


def check_ties(checks):
    """Neighbours that the optimum joins are equal to the bit: as many pieces as the solution of the problem in whole numbers has."""
    b = [4, 4, 1, 1, 1, 9, 9, 0]  # lambda W = 1: 3.5 3.5 | 5/3 5/3 5/3 | 8 8 | 1
    A = np.eye(8)
    fit = Fitted(write_svm("ties.svm", A, b), "--loss", "squared", "--structure", "chain", "--lambda", 1 / 8, "--solver", "chain-newton", "--no-intercept")
    wanted = [3.5, 3.5, 5 / 3, 5 / 3, 5 / 3, 8, 8, 1]
    checks.check(np.allclose(fit.x[:, 0], wanted, rtol=0, atol=1e-14), f"{fit.x[:, 0]}")
    checks.check(np.count_nonzero(np.diff(fit.x[:, 0])) == 3, "ties are not exact")


def check_long(checks):
    """100,000 points: an intercept takes every bound's place, x >= 0 and x free have the same optimum. The second is known to 1e-9 by its own proof."""
    rng = np.random.default_rng(1)
    b = np.cumsum(3 * rng.normal(size=100000) * (rng.random(100000) < 1e-3)) + rng.normal(size=100000)
    with open(path("long.svm"), "w") as out:
        out.writelines(f"{v!r} {j}:1\n" for j, v in enumerate(b.tolist(), 1))
    words = [path("long.svm"), "--loss", "squared", "--structure", "chain", "--lambda", 1e-4, "--tol", 1e-8]
    free, bounded = Fitted(*words, "--no-intercept"), Fitted(*words, "--intercept", "--set", "nonneg")
    for fit in (free, bounded):
        checks.check((fit.report["status"], fit.report["solver"], fit.report["epochs"]) == ("converged", "chain-newton", 2), f"{fit.report}")
    checks.near(bounded.report["objective"], free.report["objective"], 1e-8, "x >= 0 with an intercept")
    x = free.x[:, 0]
    y = np.cumsum(b - x)[:-1] / len(b)  # the dual that x has to have: within lambda, and lambda where x jumps
    jump = np.sign(np.diff(x))
    checks.check(np.abs(y).max() <= 1e-4 * (1 + 1e-9), f"dual {np.abs(y).max()}")
    checks.check(np.abs(y + 1e-4 * jump)[jump != 0].max() <= 1e-12, f"dual at jumps {np.abs(y + 1e-4 * jump)[jump != 0].max()}")


def check_picture(checks):
    """A picture of 60 x 80 pixels: auto takes cut-newton, one step; pixels of equal value are equal to the bit; the path's dual points are where the next begin."""
    rng = np.random.default_rng(4)
    B = np.zeros((60, 80))
    B[10:40, 20:60] = 2
    B += 0.5 * rng.normal(size=B.shape)
    words = [write_svm_of(B.ravel()), "--loss", "squared", "--structure", "grid:60x80", "--no-intercept"]
    fit = Fitted(*words, "--lambda", 2 / B.size, "--tol", 1e-9)
    checks.check((fit.report["status"], fit.report["solver"], fit.report["epochs"]) == ("converged", "cut-newton", 2), f"{fit.report}")
    X = fit.x.reshape(B.shape)
    checks.check(X[20:30, 30:50].max() == X[20:30, 30:50].min(), "the patch is not flat")
    checks.check(fit.report["structure_nonzeros"] == np.count_nonzero(np.diff(X, axis=0)) + np.count_nonzero(np.diff(X, axis=1)), "zeros of F x")
    other = Fitted(*words, "--lambda", 2 / B.size, "--tol", 1e-9, "--solver", "ipm")
    checks.near(fit.report["objective"], other.report["objective"], 2e-9, "cut-newton and ipm")
    shifted = Fitted(write_svm_of(B.ravel() + 1e9), *words[1:], "--lambda", 2 / B.size, "--tol", 1e-9)
    checks.check(np.abs(shifted.x - 1e9 - fit.x).max() <= 1e-6, f"far from 0: {np.abs(shifted.x - 1e9 - fit.x).max()}")


def write_svm_of(b):
    with open(path("picture.svm"), "w") as out:
        out.writelines(f"{v!r} {j}:1\n" for j, v in enumerate(b.tolist(), 1))
    return path("picture.svm")


def check_interrupted(checks):
    """--time ends inside a step: no step is made, and the start is what is left."""
    rng = np.random.default_rng(5)
    done = Fitted(write_svm_of(rng.normal(size=90000)), "--loss", "squared", "--structure", "grid:300x300", "--lambda", 1e-3, "--no-intercept", "--time", 1e-3)
    checks.check(done.report["epochs"] == 0 and not done.x.any(), f"{done.report}")


def check_auto(checks):
    done = subprocess.run([COMMAND, "fit", write_svm("auto.svm", np.eye(8), range(8)), "--loss", "squared", "--structure", "chain", "--lambda", "0.1", "-v"],
                          capture_output=True, text=True, timeout=60)
    checks.check("auto: chain-newton" in done.stderr, done.stderr)


if __name__ == "__main__":
    tally = Checks()
    check_random(tally, "chain-newton")
    check_random(tally, "cut-newton")
    check_ties(tally)
    check_long(tally)
    check_picture(tally)
    check_interrupted(tally)
    check_auto(tally)
    tally.end()
