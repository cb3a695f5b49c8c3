# test_iterates_online_admm.py - online ADMM: its iterates against the argmin of the box by a dense Newton, its optima, its refusal.
from dual_cases import Checks, Fitted, chain, check_optimum, check_refusal, compare, graph, newton, norm_bound, row_curvature, row_slope, softmax

import numpy as np


def transcription(eta0, given):
    def run(p, batches):
        """x+ = argmin f_t + (gamma/2)||x||^2 + <y, F x> + (rho/2)||F x - z||^2 + ||x - x_t||_H^2/2 + |c - c_t|^2/(2 eta), all in one Newton."""
        term, F, K, d = p.terms[0], p.terms[0].F, p.K, p.d
        norm2, E = norm_bound(F) ** 2, d + p.intercept
        rho = given if given else (p.kappa * ((p.A**2).sum(1).max() + p.intercept) + p.gamma) / norm2
        x, y, z = np.zeros((E, K)), np.zeros((len(F), K)), np.zeros((len(F), K))
        A, F = np.hstack([p.A, np.ones((len(p.A), E - d))]), np.hstack([F, np.zeros((len(F), E - d))])
        x_sum, y_sum = 0, 0
        for t, batch in enumerate(batches, 1):
            eta = 1 / (1 / eta0 + p.gamma * t) if p.gamma > 0 else eta0 / np.sqrt(t)
            ridge = np.diag([p.gamma] * d + [0.0] * (E - d))
            H = np.diag([1 / eta + rho * norm2] * d + [1 / eta] * (E - d)) - rho * F.T @ F
            Q = ridge + rho * F.T @ F + H

            def slope(v, x=x, y=y, z=z):
                v = v.reshape(E, K)
                out = ridge @ v + F.T @ (y + rho * (F @ v - z)) + H @ (v - x)
                for i in batch:
                    out = out + np.outer(A[i], row_slope(p, i, A[i] @ v)) / len(batch)
                return out.ravel()

            def curvature(v):
                out = np.kron(Q, np.eye(K))
                for i in batch:
                    out = out + np.kron(np.outer(A[i], A[i]), row_curvature(p, i, A[i] @ v.reshape(E, K))) / len(batch)
                return out

            x = newton(slope, curvature, x.ravel()).reshape(E, K)
            old, y = y, term.project(y + rho * F @ x)
            z = F @ x - (y - old) / rho
            x_sum, y_sum = x_sum + x, y_sum + y
        return x_sum[:d] / len(batches), y_sum / len(batches)

    return run


def check_batch_tol(checks, words, p):
    """A loose tolerance ends the sweeps over a batch early: another x, though one nearby."""
    words = [*words, "--solver", "online-admm", "--batch", 12, "--epochs", 1, "--param", "eta0=5", "--param"]
    x, loose = Fitted(*words, "batch_tol=1e-16").x, Fitted(*words, "batch_tol=0.1").x
    off = np.abs(x - loose).max() / np.abs(x).max()
    checks.check(1e-6 < off < 0.5, f"online-admm: batch_tol = 0.1 changes x by {off:.3g}")


if __name__ == "__main__":
    tally = Checks()
    for name, (words, p) in {"logistic graph": graph(0.05, 0.1), "with intercept": graph(0.05, 0.1, intercept=True),
                             "convex": graph(0.05, 0), "squared chain": chain(0.1), "softmax": softmax(0.05, 0.1)}.items():
        for batch, eta0, rho in ((1, 1, 1), (1, 0.5, 3), (4, 2, 0.7), (12, 5, 0.2)):
            words_rho = ["--param", f"eta0={eta0}", "--param", f"rho={rho}", "--param", "batch_tol=1e-16"]
            compare(tally, name, words, p, "online-admm", transcription(eta0, rho), batch, 3, words_rho)
        compare(tally, name + " by default", words, p, "online-admm", transcription(1, None), 1, 5)
    check_batch_tol(tally, *graph(0.05, 0.1))
    big = {"count": 60}
    check_optimum(tally, "logistic graph", *graph(0.02, 0.1, **big), "online-admm", 600, 0.002)
    check_optimum(tally, "logistic graph, intercept", *graph(0.02, 0.1, intercept=True, **big), "online-admm", 600, 0.002)
    check_optimum(tally, "squared chain", *chain(0.05, **big), "online-admm", 600, 0.002)
    check_optimum(tally, "squared chain in batches", *chain(0.05, **big), "online-admm", 600, 0.002, ("--batch", 7))
    check_optimum(tally, "softmax group", *softmax(0.02, 0.1, **big), "online-admm", 600, 0.002)
    check_refusal(tally, chain(0.1)[0] + ["--set", "ball:1"], "online-admm", "use --set all")
    tally.end()
