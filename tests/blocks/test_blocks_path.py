# test_blocks_path.py - paths with groups of features, several targets and classes (src/blocks): every lambda meets the optimality
# conditions as numpy computes them from the coefficients, its objective is numpy's, is proven, and is that of another solver.
from reference import Problem
from reference_run import Checks, Fitted, Path, path, write_svm, write_table

import csv
import numpy as np

ROWS, LAMBDAS = 36, 8


def slopes_off(p, lam, weight, groups, x, c):
    """How far the optimality conditions are off, relative to lambda w: of a block ||g_b + gamma x_b + lambda w x_b/||x_b|| ||, or what ||g_b||
    exceeds lambda w by. groups None: every number is a block."""
    g, gc = p.gradient(x, c)
    g = g + p.gamma * x
    parts = [(np.array([j]), np.array([k])) for j in range(len(x)) for k in range(p.K)] if groups is None else \
            [(np.nonzero(groups == b)[0], np.arange(p.K)) for b in np.unique(groups)]
    off = np.abs(gc).max() / lam if p.intercept else 0
    for rows, outputs in parts:
        w, at, slope = lam * weight[rows[0]], x[np.ix_(rows, outputs)], g[np.ix_(rows, outputs)]
        size = np.linalg.norm(at)
        off = max(off, np.linalg.norm(slope + w * at / size) / w if size > 0 else np.linalg.norm(slope) / w - 1)
    return off


def read(got, d, K, first):
    """x and c at every lambda."""
    found = {point["lambda"]: (np.zeros((d, K)), np.zeros(K)) for point in got.points}
    with open(path("c.csv")) as file:
        for line in csv.DictReader(file):
            k = int(line["class"]) - first if K > 1 else 0
            x, c = found[line["lambda"]]
            if line["feature"] == "(intercept)":
                c[k] = float(line["value"])
            else:
                x[int(line["feature"]) - 1, k] = float(line["value"])
    return found


def check(checks, name, loss, penalty, size=0, K=1, gamma=0.0, intercept=True, weights=False, offset=False, factors=False, density=1.0, seed=1, d=48):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(ROWS, d)) * (rng.random((ROWS, d)) < density) + (0.5 if density == 1 else 0) * rng.normal(size=(ROWS, 1))
    B = np.zeros((d, K))
    B[:6] = rng.normal(size=(6, K))
    Z = A @ B
    Z = Z / Z.std()
    words = ["--loss", "huber:1" if loss == "huber" else loss, "--penalty", penalty, "--gamma", gamma, "--intercept" if intercept else "--no-intercept"]
    if loss == "softmax":
        b = (2 * Z + rng.gumbel(size=Z.shape)).argmax(1)
        data = write_svm("data.svm", A, b)
    else:
        b = Z + 0.3 * rng.normal(size=Z.shape)
        b = np.where(b > 0, 1.0, -1.0) if loss == "logistic" else b
        data = write_svm("data.svm", A, b[:, 0])
        words += ["--targets", write_table("b.txt", b)] if K > 1 else []
    w, o, factor = (np.arange(ROWS) % 3 + 0.5) if weights else None, 0.3 * rng.normal(size=(ROWS, K)) if offset else None, np.ones(d)
    words += ["--weights", write_table("w.txt", w)] if weights else []
    words += ["--offset", write_table("o.txt", o)] if offset else []
    groups = np.arange(d) // max(size, 1) if penalty == "group" else None
    words += ["--groups", f"size:{size}"] if size else []
    if factors:
        factor = 0.5 + (np.arange(d) // max(size, 1)) % 3
        words += ["--penalty-weights", write_table("f.txt", factor)]
    arg = 1.0 if loss == "huber" else None
    got = Path(data, *words, "--lambdas", LAMBDAS, "--lambda-ratio", 0.03, "--folds", 0, "--choose", "bic", "--tol", 1e-10, "--saturation", 0, "--coefficients", path("c.csv"))
    checks.check(len(got.points) == LAMBDAS, f"{name}: {len(got.points)} lambdas")
    for at, (key, (x, c)) in enumerate(read(got, d, K, loss != "softmax").items()):
        point, lam = got.points[at], float(key)
        p = Problem(A, b, loss, [(penalty, np.diag(factor), lam, groups)] if penalty == "group" and size else [(penalty, np.diag(factor), lam)], arg=arg,
                    gamma=gamma, intercept=intercept, weights=w, offset=o, K=K)
        f, gap = p.value(x, c), float(point["gap"])
        checks.near(float(point["objective"]), f, 1e-11, f"{name} at {lam}: objective")
        checks.check(gap <= 1e-10 * abs(f) * 1.001, f"{name} at {lam}: gap {gap:.2g}")
        checks.check(point["status"] == "converged", f"{name} at {lam}: {point['status']}")
        off = slopes_off(p, lam, factor, groups, x, c)
        checks.check(off <= 2e-4, f"{name} at {lam}: optimality conditions off by {off:.2g} of lambda")
        if at == LAMBDAS // 2:
            other = Fitted(data, *words, "--lambda", key, "--solver", "alm-ssn", "--tol", 1e-9)
            best = p.value(other.x, other.c)
            checks.check(best - 1e-9 * best - 1e-12 <= f <= best + gap + 1e-13, f"{name} at {lam}: {f!r}, alm-ssn {best!r}, gap {gap:.2g}")


def main():
    checks = Checks()
    check(checks, "several targets, rows", "squared", "group", K=3)
    check(checks, "the same, ridge, weights and offsets", "squared", "group", K=3, gamma=0.05, weights=True, offset=True, seed=2)
    check(checks, "several targets, l1", "squared", "l1", K=3, seed=3)
    check(checks, "several targets, l1, sparse", "squared", "l1", K=5, gamma=0.02, density=0.2, intercept=False, seed=4)
    check(checks, "groups", "squared", "group", size=4, seed=5)
    check(checks, "groups, weighted penalty", "squared", "group", size=3, factors=True, density=0.3, seed=6)
    check(checks, "l1, weighted penalty", "logistic", "l1", factors=True, seed=7)
    check(checks, "groups, logistic", "logistic", "group", size=4, weights=True, seed=8)
    check(checks, "groups, logistic, ridge", "logistic", "group", size=4, gamma=0.02, offset=True, seed=9)
    check(checks, "groups, huber", "huber", "group", size=2, seed=10)
    check(checks, "groups of several targets", "squared", "group", size=4, K=2, seed=11)
    check(checks, "large groups", "squared", "group", size=70, K=2, seed=12, d=140)
    check(checks, "classes, l1", "softmax", "l1", K=3, seed=13)
    check(checks, "classes, l1, ridge, sparse", "softmax", "l1", K=4, gamma=0.02, density=0.3, weights=True, seed=14)
    check(checks, "classes, rows", "softmax", "group", K=3, seed=15)
    check(checks, "classes, rows, ridge, offsets", "softmax", "group", K=4, gamma=0.02, offset=True, seed=16)
    check(checks, "classes, groups, no intercept", "softmax", "group", size=3, K=3, intercept=False, seed=17)
    check(checks, "classes, large groups", "softmax", "group", size=24, K=3, seed=18)
    checks.end(600)


main()
