# test_iterates_free.py - the averages of spdhg-free against a transcription of its box: distance over gradients, weights r_k.
# The draws are computed a second time (sampling.py); x, c and x^0 are one long vector here.
from reference_run import Checks, Fitted, asked, write_svm, write_table

import numpy as np
import reference
import sampling
from reference_cases import norm_bound

N, D, SEED = 12, 5, 4


def free(p, steps, batch, s, reach):
    """xbar, ||ybar|| and r after `steps` iterations."""
    z0 = np.concatenate([p.project(np.zeros((p.d, p.K))), np.zeros((1, p.K))])
    z, y = z0.copy(), [np.zeros((len(t.F), p.K)) for t in p.terms]
    r, G, past = reach if reach else 1e-6 * (1 + np.linalg.norm(z0[:-1])), 0, []
    for k in range(steps):
        x, c = z[:-1], z[-1]
        y = [t.project(u + s * t.F @ x) for t, u in zip(p.terms, y)]
        rows = sampling.rows(SEED, k, batch, N)
        slope = p.phi(p.scores(x, c))[1][rows] / batch
        h = np.vstack([p.A[rows].T @ slope + p.gamma * x + sum(t.F.T @ u for t, u in zip(p.terms, y)), p.intercept * slope.sum(0)[None]])
        past.append((r, z, y))
        G += (h**2).sum()
        z = z - r / np.sqrt(G) * h
        z = np.vstack([p.project(z[:-1]), z[-1:]])
        r = max(r, np.linalg.norm(z - z0))
    total = sum(w for w, _, _ in past)
    ybar = [sum(w * y[i] for w, _, y in past) / total for i in range(len(p.terms))]
    return sum(w * z[:-1] for w, z, _ in past) / total, np.sqrt(sum((u**2).sum() for u in ybar))


def cases():
    rng = np.random.default_rng(8)
    A = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.8)
    sign, real, three = np.where(rng.random(N) < 0.5, -1.0, 1.0), rng.normal(size=N), np.arange(N) % 3
    chain, eye = reference.differences(D), np.eye(D)
    two, many, classes = write_svm("two.svm", A, sign), write_svm("real.svm", A, real), write_svm("three.svm", A, three)
    offset = rng.normal(size=N)
    P = reference.Problem
    yield [two, "--structure", "chain", "--lambda", 0.1, "--no-intercept"], P(A, sign, "logistic", [("l1", chain, 0.1)])
    yield ([two, "--structure", "chain", "--also-sparse", 0.5, "--lambda", 0.1, "--gamma", 0.3],
           P(A, sign, "logistic", [("l1", chain, 0.1), ("l1", eye, 0.05)], gamma=0.3, intercept=True))
    yield ([many, "--loss", "squared", "--structure", "chain", "--lambda", 0.1, "--set", "ball:0.2", "--offset", write_table("o.txt", offset)],
           P(A, real, "squared", [("l1", chain, 0.1)], set=("ball", 0.2), intercept=True, offset=offset))
    yield ([classes, "--loss", "softmax", "--penalty", "group", "--lambda", 0.05, "--structure", "identity", "--no-intercept"],
           P(A, three, "softmax", [("group", eye, 0.05)], K=3))


def check(checks):
    for words, p in cases():
        s = np.sqrt(sum(t.radius(p.K) ** 2 for t in p.terms)) / np.sqrt(sum(norm_bound(t.F) ** 2 for t in p.terms))
        for batch, given in ((1, {}), (3, {"reach": 0.25}), (1, {"reach": 0.5, "s": 0.3})):
            params = [w for name, value in given.items() for w in ("--param", f"{name}={value}")]
            for steps in (1, 2, 9, 40):
                fit = Fitted(*words, "--features", D, "--solver", "spdhg-free", "--seed", SEED, "--batch", batch, "--epochs",
                             f"{(steps - 0.5) * batch / N:.6f}", *params)
                x, y = free(p, steps, batch, given.get("s", s), given.get("reach"))
                name = f"{p.loss} {p.set} batch {batch} {given} after {steps}"
                checks.check(fit.report["iterations"] == steps, f"{name}: {fit.report['iterations']} iterations")
                checks.near(fit.x, x, 1e-12, name + ": x")
                checks.near(float(fit.trace[-1]["dual_norm"]), y, 1e-12, name + ": ||y||")


if __name__ == "__main__":
    tally = Checks()
    if asked("spdhg-free"):
        check(tally)
    tally.end()
