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


def infimum(A, b, keep, lam, F, n):
    """(1/n) sum over the kept rows + lam 1't over -t <= Fx <= t: smooth, with linear constraints."""
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


def check(work, seed):
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
    data, graph = os.path.join(work, "rows.svm"), os.path.join(work, "F.mtx")
    write(data, A, b)
    with open(graph, "w") as f:
        f.write(f"%%MatrixMarket matrix coordinate real general\n3 {d} 6\n" + "".join(f"{i + 1} {j + 1} {F[i, j]}\n" for i, j in zip(*F.nonzero())))
    out = subprocess.run([COMMAND, "fit", data, "--features", str(d), "--structure", "matrix:" + graph, "--lambda", "1e-2", "--no-intercept", "--tol", "1e-8",
                          "--json", "-q"], capture_output=True, text=True)
    assert out.returncode == 4 and "no minimiser exists" in out.stderr and "--gamma" in out.stderr, (out.returncode, out.stderr)
    answer, best = json.loads(out.stdout), infimum(A, b, keep, 1e-2, F, n)
    assert 0 < keep.sum() < n
    assert answer["gap_kind"] == "certified" and answer["gap_relative"] <= 1e-8, answer
    assert -1e-8 <= answer["objective"] - best <= answer["gap"] + 1e-8, (answer["objective"], best)


with tempfile.TemporaryDirectory() as work:
    for seed in range(10):
        check(work, seed)
print("ok")
