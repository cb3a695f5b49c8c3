# test_iterates_sdca_admm.py - SDCA-ADMM: its iterates against dense matrices and proximal steps by bracketing, its optima, its refusal.
from dual_cases import Checks, chain, check_optimum, check_refusal, compare, graph, norm_bound, prox, softmax, weighted

import numpy as np


def transcription(c=0.25, rho=None):
    def run(p, batches):
        """Dual blocks y, s, alpha with the residual R = (1/N) A'alpha + F'y + s computed afresh every time it is looked at."""
        term, (N, d), B = p.terms[0], p.A.shape, len(batches[0])
        A = np.hstack([p.A, np.ones((N, int(p.intercept)))])
        E, longest = A.shape[1], (A**2).sum(1).max()
        F = np.hstack([term.F, np.zeros((len(term.F), E - d))])
        step = 4 * np.sqrt(N) / (p.kappa * longest) if rho is None else rho
        eta_y, eta_a = norm_bound(term.F) ** 2 + (p.gamma > 0), (1 + 2 * c) * B * longest
        x, y, s = np.zeros((E, p.K)), np.zeros((len(F), p.K)), np.zeros((E, p.K))
        alpha = np.zeros((N, p.K))

        def residual():
            return A.T @ alpha / N + F.T @ y + s

        for batch in batches:
            before = residual()
            q = x - step * before
            y = term.project(y + F @ q / (step * eta_y))
            if p.gamma > 0:
                s[:d] = ((step * eta_y * s + q) / (step * eta_y + 1 / p.gamma))[:d]
            q = x - step * residual()
            new = {i: prox(p, i, A[i] @ q + step * eta_a / N * alpha[i], step * eta_a / N) for i in batch}
            for i, value in new.items():
                alpha[i] = value
            x = x - c / N * step * (N * residual() - (N - B) * before)
        return x[:d], y

    return run


if __name__ == "__main__":
    tally, name = Checks(), "sdca-admm"
    for case, (words, p) in {"logistic graph": graph(0.05, 0.1), "with intercept": graph(0.05, 0.1, intercept=True),
                             "convex": graph(0.05, 0), "squared chain": chain(0.1), "softmax": softmax(0.05, 0.1)}.items():
        for batch, c, rho in ((1, 0.25, None), (4, 1, None), (4, 0.5, 0.8), (12, 0.25, 2)):
            more = ["--param", f"c={c}"] + (["--param", f"rho={rho}"] if rho else [])
            compare(tally, case, words, p, name, transcription(c, rho), batch, 3, more)
        compare(tally, case + " by default", words, p, name, transcription(), 1, 15)
    big = {"count": 60}
    check_optimum(tally, "logistic graph", *graph(0.02, 0.1, **big), name, 200, 1e-9)
    check_optimum(tally, "logistic graph, intercept", *graph(0.02, 0.1, intercept=True, **big), name, 200, 1e-9)
    check_optimum(tally, "the same, weights and offsets", *weighted(graph(0.02, 0.1, intercept=True, **big)), name, 400, 1e-9)
    check_optimum(tally, "the same, shuffled", *weighted(graph(0.02, 0.1, intercept=True, **big)), name, 400, 1e-9, ("--sampling", "shuffle"))
    check_optimum(tally, "squared chain", *chain(0.05, **big), name, 200, 1e-9)
    check_optimum(tally, "squared chain in batches", *chain(0.05, **big), name, 400, 1e-9, ("--batch", 7))
    check_optimum(tally, "softmax group", *softmax(0.02, 0.1, **big), name, 200, 1e-9)
    for loss in ("squared-hinge", "smooth-hinge"):
        check_optimum(tally, loss, *graph(0.02, 0.1, loss, **big), name, 200, 1e-9)
    check_refusal(tally, chain(0.1)[0] + ["--set", "nonneg"], name, "use --set all")
    tally.end()
