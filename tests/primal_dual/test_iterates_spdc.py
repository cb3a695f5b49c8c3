# test_iterates_spdc.py - SPDC: its iterates against dense matrices and proximal steps by bracketing, its optima, its refusals.
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
    big = {"count": 60}
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
