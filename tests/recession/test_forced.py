#!/usr/bin/python3
"""Without ridge some problems have no minimiser: coefficients the penalty does not see grow for ever. The gap must still be proven, against the
infimum, which is that of the problem without the rows that go to 0 (computed here with scipy, by its own formula)."""
import json, os, subprocess, sys, tempfile

import numpy as np
import scipy.optimize

COMMAND = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "spdhg"


def write(path, A, b):
    with open(path, "w") as f:
        for row, label in zip(A, b):
            f.write(f"{int(label):+d} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row.tolist()) if v) + "\n")


def infimum(A, b, keep, lam, F, n, intercept):
    """(1/n) sum over the kept rows + lam 1't over -t <= Fx <= t: smooth, with linear constraints."""
    if intercept:  # a column that neither F nor the penalty sees
        A, F = np.column_stack([A, np.ones(len(A))]), np.column_stack([F, np.zeros(len(F))])
    m, d = F.shape

    def f(v):
        x = v[:d]
        z = b[keep] * (A[keep] @ x)
        g = np.concatenate([A[keep].T @ (-b[keep] / (1 + np.exp(z)) / n), np.full(m, lam)])
        return np.logaddexp(0, -z).sum() / n + lam * v[d:].sum(), g
    rows = [{"type": "ineq", "fun": lambda v, s=s: v[d:] - s * (F @ v[:d]), "jac": lambda v, s=s: np.hstack([-s * F, np.eye(m)])} for s in (1, -1)]
    r = scipy.optimize.minimize(f, np.zeros(d + m), jac=True, method="SLSQP", constraints=rows, options=dict(ftol=1e-15, maxiter=2000))
    assert r.success, r.message
    return r.fun


def fit(work, A, b, F, *words):
    data, graph = os.path.join(work, "rows.svm"), os.path.join(work, "F.mtx")
    write(data, A, b)
    with open(graph, "w") as f:
        f.write(f"%%MatrixMarket matrix coordinate real general\n{len(F)} {F.shape[1]} {(F != 0).sum()}\n")
        f.write("".join(f"{i + 1} {j + 1} {F[i, j]}\n" for i, j in zip(*F.nonzero())))
    return subprocess.run([COMMAND, "fit", data, "--features", str(F.shape[1]), "--structure", "matrix:" + graph, "--lambda", "1e-2", "--tol", "1e-8",
                           "--json", "-q", *words], capture_output=True, text=True)


def check(work, seed, intercept):
    draw = np.random.default_rng(seed)
    n, d = 120, 7
    A = (draw.random((n, d)) < 0.5) * draw.integers(1, 4, (n, d)).astype(float)
    b = np.where(draw.random(n) < 1 / (1 + np.exp(-(A @ [1, -1, 0.5, -0.5, 0, 0, 0]))), 1.0, -1.0)
    A[:, 4] *= b > 0                  # feature 5: only in rows of one label, and F does not touch it
    A[:, 5] *= (b < 0) | (A[:, 4] > 0)  # feature 6, tied to 7: of one label once the rows of feature 5 are gone
    A[:, 6] = A[:, 5] * (draw.random(n) < 0.7)
    F = np.zeros((3, d))
    F[0, :2], F[1, 1:3], F[2, 5:7] = (1, -1), (1, 1), (1, -1)
    keep = (A[:, 4] == 0) & (A[:, 5] + A[:, 6] == 0)
    out = fit(work, A, b, F, "--intercept" if intercept else "--no-intercept")
    assert out.returncode == 4 and "no minimiser exists" in out.stderr and "--gamma" in out.stderr, (out.returncode, out.stderr)
    answer, best = json.loads(out.stdout), infimum(A, b, keep, 1e-2, F, n, intercept)
    assert 0 < keep.sum() < n
    assert answer["gap_kind"] == "certified" and answer["gap_relative"] <= 1e-8, answer
    assert -1e-8 <= answer["objective"] - best <= answer["gap"] + 1e-8, (answer["objective"], best)


def check_minimiser_exists(work):
    """What looks like a direction without end and is none: the fit converges, to the optimum of the problem without that feature."""
    draw = np.random.default_rng(3)
    n = 60
    A = draw.integers(-8, 9, (n, 3)) / 4
    b = np.where(draw.random(n) < 1 / (1 + np.exp(-A[:, 0])), 1.0, -1.0)
    F = np.array([[1.0, -1, 0], [0, 1, -1]])
    one_label = np.column_stack([A, (b > 0) & (draw.random(n) < 0.4)])
    never_drawn = np.column_stack([A, np.arange(n) == 7])
    weights = os.path.join(work, "weights")
    with open(weights, "w") as f:
        f.write("".join(f"{int(i != 7)}\n" for i in range(n)))
    sums_to_0 = np.column_stack([A[:, :2], -A[:, 0] - A[:, 1]])
    sums_to_0[7] = 0.1, 0.2, -0.3  # 5.6e-17 in this arithmetic
    wide = np.column_stack([F, [0, 0]])
    for name, rows, tie, words in [("a hinge is 0 from a margin of 1 on", one_label, wide, ["--loss", "squared-hinge"]),
                                   ("a hinge is 0 from a margin of 1 on", one_label, wide, ["--loss", "smooth-hinge:0.5"]),
                                   ("a row of weight 0 loses nothing", never_drawn, wide, ["--weights", weights])]:
        out = fit(work, rows, b, tie, "--no-intercept", *words)
        assert out.returncode == 0, (name, words, out.returncode, out.stderr)
        answer = json.loads(out.stdout)
        assert answer["status"] == "converged" and answer["gap_kind"] == "certified" and answer["gap_relative"] <= 1e-8, (name, answer)
    # 0.1 + 0.2 - 0.3 is 2.8e-17 for the numbers as they are stored: far out along (1, 1, 1) row 7 loses nothing, and the infimum is lower. Nobody
    # means that, so the fit converges; but it must not say more than that no x within a radius is better.
    answer = json.loads(fit(work, sums_to_0, b, F, "--no-intercept").stdout)
    assert answer["status"] == "converged" and answer["gap_kind"] == "within_radius" and answer["gap_relative"] <= 1e-8, answer


def check_separated(work, seed, intercept):
    """More features than rows: a plane with F u = 0 separates them, unless F leaves too little room; then there is a minimiser, and it is reached."""
    draw = np.random.default_rng(seed)
    n, d = 40, 70
    A = draw.standard_normal((n, d)).round(3)
    b = np.where(draw.random(n) < 0.5, 1.0, -1.0)
    star = np.vstack([np.eye(d)[:1], np.where(np.arange(d) < 20, draw.uniform(0.5, 2, d), 0)])  # one coefficient, and a sum of twenty
    chain = np.eye(d)[:-1] - np.eye(d)[1:]
    file = os.path.join(work, "model.json")
    out = fit(work, A, b, star, "--intercept" if intercept else "--no-intercept", "-o", file)
    answer, model = json.loads(out.stdout), json.load(open(file))
    assert out.returncode == 4 and answer["status"] == "infimum" and "no minimiser exists" in out.stderr, (out.returncode, answer)
    assert answer["gap_kind"] == "certified" and answer["objective"] <= 1e-15 and answer["epochs"] < 200, answer
    x = np.zeros(model["features"] * model["outputs"])
    x[model["coefficients"]["index"]] = model["coefficients"]["value"]
    margins = b * (A @ x + model["constants"][0])
    assert margins.min() > 30 and np.abs(star @ x).max() <= 1e-12 * np.abs(x).max(), (margins.min(), np.abs(star @ x).max())
    out = fit(work, A, b, chain, "--intercept" if intercept else "--no-intercept")
    answer = json.loads(out.stdout)
    assert out.returncode == 0 and answer["status"] == "converged" and answer["gap_kind"] == "certified" and answer["objective"] > 1e-4, answer


def check_sides(work, seed):
    """X = x >= 0 or x <= 0: a feature of one label grows without end on one side of X and is held at 0 on the other."""
    draw = np.random.default_rng(seed)
    n, sign = 80, 1.0 if seed % 2 == 0 else -1.0
    A = np.column_stack([draw.integers(-8, 9, n) / 4, np.zeros((n, 2))])
    b = np.where(draw.random(n) < 1 / (1 + np.exp(-sign * A[:, 0])), 1.0, -1.0)
    A[:, 1] = (b > 0) * (draw.random(n) < 0.3) * sign       # outwards: its rows go to 0
    A[:, 2] = (b < 0) * draw.integers(1, 4, n) * sign       # outwards f would rise: stays at the side
    keep = A[:, 1] == 0
    words = ["--no-intercept", "--set", "nonneg" if sign > 0 else "box:-inf,0"]
    loss = lambda t: np.logaddexp(0, -b[keep] * A[keep, 0] * sign * t).sum() / n + 1e-2 * t
    best = scipy.optimize.minimize_scalar(loss, bounds=(0, 20), method="bounded", options=dict(xatol=1e-10)).fun
    out = fit(work, A, b, np.array([[1.0, 0, 0]]), *words)
    answer = json.loads(out.stdout)
    assert 0 < keep.sum() < n and out.returncode == 4 and answer["status"] == "infimum", (out.returncode, answer)
    assert answer["gap_kind"] == "certified" and answer["gap_relative"] <= 1e-8, answer
    assert -1e-10 <= answer["objective"] - best <= answer["gap"] + 1e-10, (answer, best)


with tempfile.TemporaryDirectory() as work:
    for seed in range(6):
        check_sides(work, seed)
    for seed in range(10):
        check(work, seed, intercept=seed % 2 == 1)
    check_minimiser_exists(work)
    for seed in range(6):
        check_separated(work, seed, intercept=seed % 2 == 1)
print("ok")
