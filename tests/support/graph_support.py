"""Shared by the tests of graphs: data, graphs computed a second time, and the certificate as the reference:
|S - Theta^-1| <= rho, with equality and the right sign where Theta_ij != 0."""
import json
import sys

try:
    import numpy as np
    from scipy.io import mmread
except ImportError:
    sys.exit(77)

from cli_support import CommandTest


def gauss(n, p, seed, density=1.0):
    draw = np.random.default_rng(seed)
    mix = np.eye(p) + 0.6 * draw.normal(size=(p, p)) * (draw.random((p, p)) < 2.5 / p)
    X = draw.normal(size=(n, p)) @ mix
    if density < 1:
        X = np.round(np.abs(X), 3) * (draw.random((n, p)) < density)
    return X


def svm(X, sparse=True):
    return "".join("0" + "".join(f" {j + 1}:{v!r}" for j, v in enumerate(row) if v != 0 or not sparse) + "\n" for row in X.tolist())


def correlations(X):
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.corrcoef(X, rowvar=False).reshape(X.shape[1], X.shape[1]))


def components(adjacent):
    """Sizes of the components, by breadth first search."""
    left, sizes = set(range(len(adjacent))), []
    while left:
        queue, size = [left.pop()], 0
        while queue:
            size += 1
            new = [k for k in np.flatnonzero(adjacent[queue.pop()]) if k in left]
            left.difference_update(new)
            queue += new
        sizes.append(size)
    return sizes


def pairs(F):
    """{(i, j): sign} of the rows x_i - sign x_j."""
    out = {}
    for row in F:
        i, j = np.flatnonzero(row)
        assert row[i] == 1 and abs(row[j]) == 1
        out[i, j] = -row[j]
    return out


class GraphTest(CommandTest):
    def graph(self, X, *options, name="d.svm", sparse=True):
        self.write(name, svm(X, sparse))
        done = self.spdhg("graph", name, "--features", X.shape[1], *options, "-o", "F.mtx", "--json")
        return np.atleast_2d(mmread(self.path("F.mtx")).toarray()), json.loads(done.out)

    def certify(self, S, Theta, rho, diagonal, gap, tol=1e-8):
        p = len(S)
        self.assertTrue((Theta == Theta.T).all())
        W = np.linalg.inv(Theta)
        U = W - S
        # f is 1-strongly convex in its own Hessian to first order: |W - W*| <= max W_ii sqrt(2 gap)
        slack = 1.1 * np.sqrt(2 * tol * p) * np.diag(W).max()
        off = ~np.eye(p, dtype=bool)
        self.assertLessEqual(np.abs(U[off]).max(initial=0), rho + slack)
        on = off & (Theta != 0)
        self.assertLessEqual(np.abs(U[on] - rho * np.sign(Theta[on])).max(initial=0), slack)
        self.assertLessEqual(np.abs(np.diag(U) - diagonal).max(), slack)
        f = -np.linalg.slogdet(Theta)[1] + (S * Theta).sum() + rho * np.abs(Theta[off]).sum() + diagonal * np.abs(np.diag(Theta)).sum()
        clipped = np.clip(U, -rho, rho)
        gaps = []
        for dual in (clipped, np.where(Theta != 0, rho * np.sign(Theta), clipped)):  # both are feasible, so both gaps are proofs
            M = S + dual
            np.fill_diagonal(M, np.diag(S) + diagonal)
            np.linalg.cholesky(M)
            gaps.append(f - np.linalg.slogdet(M)[1] - p)
        self.assertLessEqual(min(gaps), tol * p + 1e-9)
        self.assertLess(min(abs(own - gap["gap"]) - 1e-3 * own for own in gaps), 1e-9 * p)
        self.assertLess(abs(f - gap["objective"]), 1e-9 * p)
