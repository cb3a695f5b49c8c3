# test_iterates_spdc.py - SPDC, its adaptive form and RPDG: iterates against dense matrices and proximal steps by bracketing, optima, refusals.
from dual_cases import Checks, chain, check_optimum, check_refusal, compare, graph, prox, row_slope, softmax, weighted

import numpy as np
import reference


def transcription(tau=None, sigma=None, theta=None):
    def run(p, batches):
        """Algorithm 2 of Zhang and Xiao with u = (1/N) A'alpha computed afresh, the proximal step of g by Moreau."""
        term, (N, d), B = p.terms[0], p.A.shape, len(batches[0])
        A = np.hstack([p.A, np.ones((N, int(p.intercept)))])
        R, M = np.sqrt((A**2).sum(1).max()), N / B
        t = np.sqrt(1 / (p.kappa * p.gamma * M)) / (2 * R) if tau is None else tau
        s = np.sqrt(p.kappa * p.gamma * M) / (2 * R) if sigma is None else sigma
        extra = 1 - 1 / (M + R * np.sqrt(p.kappa * M / p.gamma)) if theta is None else theta
        x = np.zeros((A.shape[1], p.K))
        bar, alpha = x, np.array([row_slope(p, i, A[i] @ x) for i in range(N)])
        for batch in batches:
            u, new = A.T @ alpha / N, {i: prox(p, i, A[i] @ bar + alpha[i] / s, 1 / s) for i in batch}
            g = u + sum(np.outer(A[i], new[i] - alpha[i]) for i in batch) / B
            for i, value in new.items():
                alpha[i] = value
            old, x = x, x - t * g
            v = x[:d] / (1 + t * p.gamma)
            y = term.project(v * (1 + t * p.gamma) / t)
            x = np.vstack([v - t / (1 + t * p.gamma) * y, x[d:]])
            bar = x + extra * (x - old)
        return x[:d], y

    return run


def primal(p, x, g, t):
    """argmin of the ridge, the penalty (not of the intercept), <g, .> and a square of weight 1/t; and the dual of the penalty."""
    v, d = x - t * g, p.d
    y = p.terms[0].project(v[:d] / t)
    return np.vstack([(v[:d] - t * y) / (1 + t * p.gamma), v[d:]]), y


def adaptive(p, batches):
    """Zhu and Storkey: 1/(2 R) with the row's own R in the dual step, with the largest R of the batch in tau and theta."""
    (N, d), B = p.A.shape, len(batches[0])
    A = np.hstack([p.A, np.ones((N, int(p.intercept)))])
    R, M = np.linalg.norm(A, axis=1), N / B
    x = np.zeros((A.shape[1], p.K))
    bar, alpha = x, np.array([row_slope(p, i, A[i] @ x) for i in range(N)])
    for batch in batches:
        most = max(R[i] for i in batch)
        tau, theta = 1 / (2 * most * np.sqrt(p.kappa * p.gamma * M)), 1 - 1 / (M + most * np.sqrt(p.kappa * M / p.gamma))
        sigma = {i: np.sqrt(p.kappa * p.gamma * M) / 2 / R[i] for i in batch}
        new = {i: prox(p, i, A[i] @ bar + alpha[i] / sigma[i], 1 / sigma[i]) for i in batch}
        g = A.T @ alpha / N + sum(np.outer(A[i], new[i] - alpha[i]) for i in batch) / B
        for i, value in new.items():
            alpha[i] = value
        old = x
        x, y = primal(p, x, g, tau)
        bar = x + theta * (x - old)
    return x[:d], y


def rpdg(p, batches):
    """Algorithm 3 of Lan and Zhou, with the points themselves in place of their scores."""
    (N, d), B = p.A.shape, len(batches[0])
    A = np.hstack([p.A, np.ones((N, int(p.intercept)))])
    M, C = N / B, 4 * p.kappa * (A**2).sum(1).max() / p.gamma
    root = np.sqrt((M - 1) ** 2 + 4 * M * C)
    tau, eta, theta = (root - (M - 1)) / (2 * M), (root + (M - 1)) / 2, 1 - 1 / (M + 1 + root)
    assert abs(tau * eta - C) < 1e-9 * C  # mu tau eta = 4 L_i/p_i, the condition of their theorem
    x = before = np.zeros((A.shape[1], p.K))
    points = [x] * N
    slopes = np.array([row_slope(p, i, A[i] @ x) for i in range(N)])
    for batch in batches:
        bar, g, new = x + theta * (x - before), A.T @ slopes / N, slopes.copy()
        for i in batch:
            points[i] = (bar + tau * points[i]) / (1 + tau)
            new[i] = row_slope(p, i, A[i] @ points[i])
            g = g + np.outer(A[i], new[i] - slopes[i]) / B
        slopes, before = new, x
        x, y = primal(p, x, g, 1 / (p.gamma * eta))
    return x[:d], y


def identity(lam, gamma, intercept=False, **more):
    words, p = graph(lam, gamma, intercept=intercept, **more)
    again = reference.Problem(p.A, p.b, p.loss, [("l1", np.eye(p.d), lam)], gamma=gamma, intercept=intercept)
    at = words.index("--structure")
    return words[:at] + ["--structure", "identity"] + words[at + 2 :], again


if __name__ == "__main__":
    tally, name = Checks(), "spdc"
    for case, (words, p) in {"logistic": identity(0.05, 0.1), "with intercept": identity(0.05, 0.1, True),
                             "squared": chain(0.1, 0.2, "identity"), "softmax group": softmax(0.05, 0.1, "identity")}.items():
        for batch, tau, sigma, theta in ((1, None, None, None), (4, None, None, None), (4, 0.3, 0.2, 0.7), (12, 0.1, 2, 1)):
            more = [w for k, v in (("tau", tau), ("sigma", sigma), ("theta", theta)) if v for w in ("--param", f"{k}={v}")]
            compare(tally, case, words, p, name, transcription(tau, sigma, theta), batch, 3, more, passes=1)
        compare(tally, case, words, p, name, transcription(), 1, 15, passes=1)
        for other, equations in (("spdc-adaptive", adaptive), ("rpdg", rpdg)):
            for batch, steps in ((1, 3), (4, 3), (12, 3), (1, 15)):
                compare(tally, case, words, p, other, equations, batch, steps, passes=1)
    big = {"count": 60}
    for other in "spdc-adaptive", "rpdg":
        check_optimum(tally, "logistic", *identity(0.02, 0.1, **big), other, 150, 1e-9)
        check_optimum(tally, "logistic, intercept", *identity(0.02, 0.1, True, **big), other, 150, 1e-9)
        check_optimum(tally, "the same, weights and offsets", *weighted(identity(0.02, 0.1, True, **big)), other, 3000, 1e-9)
        check_optimum(tally, "the same, shuffled", *weighted(identity(0.02, 0.1, True, **big)), other, 400, 1e-9, ("--sampling", "shuffle"))
        check_optimum(tally, "squared", *chain(0.05, 0.05, "identity", **big), other, 400, 1e-9)
        check_optimum(tally, "squared in batches", *chain(0.05, 0.05, "identity", **big), other, 400, 1e-9, ("--batch", 7))
        check_optimum(tally, "softmax group", *softmax(0.02, 0.1, "identity", **big), other, 150, 1e-9)
        check_refusal(tally, chain(0.1, 0.1)[0], other, "no closed form unless F is the identity")
        check_refusal(tally, identity(0.1, 0)[0], other, "--gamma above 0")
    check_optimum(tally, "logistic", *identity(0.02, 0.1, **big), name, 100, 1e-9)
    check_optimum(tally, "logistic, intercept", *identity(0.02, 0.1, True, **big), name, 100, 1e-9)
    check_optimum(tally, "the same, weights and offsets", *weighted(identity(0.02, 0.1, True, **big)), name, 2000, 1e-9)
    check_optimum(tally, "the same, shuffled", *weighted(identity(0.02, 0.1, True, **big)), name, 200, 1e-9, ("--sampling", "shuffle"))
    check_optimum(tally, "squared", *chain(0.05, 0.05, "identity", **big), name, 200, 1e-9)
    check_optimum(tally, "squared in batches", *chain(0.05, 0.05, "identity", **big), name, 200, 1e-9, ("--batch", 7))
    check_optimum(tally, "softmax group", *softmax(0.02, 0.1, "identity", **big), name, 100, 1e-9)
    check_refusal(tally, chain(0.1, 0.1)[0], name, "no closed form unless F is the identity")
    check_refusal(tally, identity(0.1, 0.1)[0] + ["--also-sparse", 1], name, "no closed form unless F is the identity")
    check_refusal(tally, identity(0.1, 0)[0], name, "--gamma above 0")
    check_refusal(tally, identity(0.1, 0.1)[0] + ["--set", "box:-1,1"], name, "use --set all")
    tally.end()
