# test_iterates_pdhg.py - adaptive PDHG: its iterates and steps against one dense matrix [sqrt(p) A; F], its optima, its adaptation.
from dual_cases import Checks, Fitted, chain, check_optimum, graph, prox, row_slope, softmax, weighted

import numpy as np
import reference


def transcription(p, tries, tau=None, sigma=None, a=0.5, decay=0.95, delta=1.5, s=1.0, c=0.75, shrink=0.95):
    """Goldstein et al. with d = (sqrt(p_i) alpha_i, y) as one vector and K as one matrix; a try that is refused counts. Returns x, y, and
    how often the steps were shortened and adapted."""
    share, free = p.w, int(p.intercept)  # p.w adds up to 1
    A = np.hstack([p.A, np.ones((len(p.A), free))])
    F = np.vstack([np.hstack([term.F, np.zeros((len(term.F), free))]) for term in p.terms])
    K = np.vstack([np.sqrt(share)[:, None] * A, F])
    n, d = A.shape
    ridge = np.r_[np.full(d - free, p.gamma), np.zeros(free)][:, None]
    product = min(d, n + len(F)) / np.sum(K**2)
    tau = tau if tau else np.sqrt(product) if not sigma else product / sigma
    sigma = sigma if sigma else product / tau
    x = np.zeros((d, p.K))
    shift = p.offset
    alpha = np.array([row_slope(p, i, A[i] @ x + shift[i]) for i in range(n)])
    dual, short, adapted = np.vstack([np.sqrt(share)[:, None] * alpha, np.zeros((len(F), p.K))]), 0, 0
    for _ in range(tries):
        nx = (x - tau * K.T @ dual) / (1 + tau * ridge)
        nx[: p.d] = p.project(nx[: p.d])
        bar, new = 2 * nx - x, dual.copy()
        for i in range(n):
            if share[i] > 0:
                root = np.sqrt(share[i])
                new[i] = root * prox(p, i, A[i] @ bar + shift[i] + dual[i] / root / sigma, 1 / sigma)
        at = n
        for term in p.terms:
            part = slice(at, at + len(term.F))
            new[part] = term.project(dual[part] + sigma * K[part] @ bar)
            at += len(term.F)
        dx, dd = nx - x, new - dual
        b = 2 * tau * sigma * np.sum(dd * (K @ dx)) / (c * (sigma * np.sum(dx**2) + tau * np.sum(dd**2)))
        if b > 1:
            tau, sigma, short = tau * shrink / b, sigma * shrink / b, short + 1
            continue
        P, D = np.linalg.norm(-dx / tau + K.T @ dd), s * np.linalg.norm(-dd / sigma + K @ dx)
        if P > D * delta:
            tau, sigma, a, adapted = tau / (1 - a), sigma * (1 - a), a * decay, adapted + 1
        elif P < D / delta:
            tau, sigma, a, adapted = tau * (1 - a), sigma / (1 - a), a * decay, adapted + 1
        x, dual = nx, new
    return x[: p.d], dual[n:], short, adapted


def compare(checks, name, words, p, tries, **given):
    more = [w for k, v in given.items() for w in ("--param", f"{k}={v}")]
    fit = Fitted(*words, "--solver", "pdhg-adaptive", "--epochs", f"{tries + 0.5}", "--every", "1", *more)
    checks.check(fit.report["iterations"] == tries, f"{name}: {fit.report['iterations']} tries, asked for {tries}")
    x, y, short, adapted = transcription(p, tries, **given)
    checks.near(fit.x, x, 1e-12, f"{name} {given}: x after {tries}")
    checks.near(float(fit.trace[-1]["dual_norm"]), np.linalg.norm(y), 1e-12, f"{name} {given}: ||y|| after {tries}")
    return short, adapted


def within(case, low, high):
    """The same problem with every coefficient between two bounds."""
    words, p = case
    p.set, p.bound = "box", (low, high)
    return [*words, "--set", f"box:{low},{high}"], p


if __name__ == "__main__":
    tally = Checks()
    shortened = adaptations = 0
    for case, (words, p) in {"logistic graph": graph(0.05, 0), "with intercept and ridge": graph(0.05, 0.1, intercept=True), "squared chain": chain(0.1),
                             "softmax group": softmax(0.05, 0.1), "weights": weighted(graph(0.05, 0.1, intercept=True)),
                             "box": within(chain(0.1), -0.1, 0.2), "box and intercept": within(graph(0.05, 0.1, intercept=True), -0.05, 0.1)}.items():
        for tries in 1, 2, 5, 20:
            short, adapted = compare(tally, case, words, p, tries)
            shortened, adaptations = shortened + short, adaptations + adapted
        compare(tally, case, words, p, 6, tau=0.2, sigma=0.3)
        compare(tally, case, words, p, 6, tau=50, sigma=2, shrink=0.7, c=0.5)
        compare(tally, case, words, p, 12, a=0.9, decay=0.5, delta=1.01, s=3)
    tally.check(shortened > 5 and adaptations > 5, f"{shortened} tries refused, {adaptations} adaptations: both lines are tested")
    big = {"count": 60}
    check_optimum(tally, "logistic", *graph(0.02, 0, **big), "pdhg-adaptive", 3000, 1e-9)
    check_optimum(tally, "logistic, intercept", *graph(0.02, 0.1, intercept=True, **big), "pdhg-adaptive", 2000, 1e-9)
    check_optimum(tally, "weights and offsets", *weighted(graph(0.02, 0.1, intercept=True, **big)), "pdhg-adaptive", 2000, 1e-9)
    check_optimum(tally, "squared", *chain(0.05, **big), "pdhg-adaptive", 3000, 1e-9)
    check_optimum(tally, "softmax", *softmax(0.02, 0.1, **big), "pdhg-adaptive", 3000, 1e-9)
    tally.end()
