# test_iterates_vr.py - pd3o, condat-vu, saga-pd3o and lsvrg-pd3o: iterates, steps and optima against plain dense numpy.
# The equations of Yan 2018, Condat 2013, SAGA and loopless SVRG as printed, with the steps' formulas written down a second time; the rows
# of every iteration and the coin of L-SVRG come from sampling.py, so real runs are followed exactly.
import re
import subprocess

from reference_cases import FEATURES, covering_array, make_case
from reference_run import ALL, COMMAND, Checks, Fitted, asked, write_matrix, write_svm, write_table

import numpy as np
import reference
import sampling

N, D, BATCH, STREAM_COIN = 12, 5, 4, 6
SEEDS = [0, 3, 5, 8] if ALL else [0, 3]  # two without and two with the preconditioner
THETA = {"pd3o": 1.5, "saga-pd3o": 0.25, "lsvrg-pd3o": 0.25}


class Method:
    """One algorithm on a reference.Problem, dense; L and floor as given to the command."""

    def __init__(self, p, name, L, precondition, floor, seed):
        self.p, self.name, self.seed, self.k = p, name, seed, 0
        self.A = np.hstack([p.A, np.ones((len(p.A), 1))]) if p.intercept else p.A
        d, n = p.d, self.A.shape[1]
        self.F = np.hstack([np.vstack([t.F for t in p.terms]), np.zeros((sum(len(t.F) for t in p.terms), n - d))])
        self.cut = np.cumsum([len(t.F) for t in p.terms])[:-1]
        self.ridge = np.append(np.full(d, p.gamma), np.zeros(n - d))[:, None]
        self.tau, self.s = self.steps(L, precondition, floor)
        self.q, self.y = np.zeros((n, p.K)), np.zeros((len(self.F), p.K))
        self.q[:d] = p.project(self.q[:d])
        self.rows = 0
        self.alpha = None

    def steps(self, L, precondition, floor):
        p, F, absolute = self.p, self.F, np.abs(self.F)
        h = np.ones(self.A.shape[1])
        if precondition and p.set in ("all", "box", "nonneg"):
            h = p.kappa * (p.w[:, None] * self.A**2).sum(0) + self.ridge[:, 0]
            h = np.maximum(h, floor * h.max())
        h = L * h
        norm2 = sum(min((t.F**2).sum(), (np.abs(t.F) @ np.abs(t.F).T).sum(1).max()) for t in p.terms)
        tau = THETA.get(self.name, 1) / h
        s = 1 / (absolute @ (tau * absolute.sum(0))) if precondition else np.full(len(F), 1 / (tau[0] * norm2))
        if precondition:
            s = np.concatenate([self.smallest(t, part) for t, part in zip(p.terms, np.split(s, self.cut))])
        if self.name == "condat-vu":
            share = absolute.T @ (s * absolute.sum(1)) if precondition else np.append(np.full(p.d, s[0] * norm2), np.zeros(len(h) - p.d))
            if p.set not in ("all", "box", "nonneg"):
                share[: p.d] = share[: p.d].max()
            tau = 1 / (h / 2 + share)
        return tau[:, None], s[:, None]

    @staticmethod
    def smallest(t, s):
        out = s.copy()
        for rows in t.blocks:
            out[rows] = s[rows].min()
        return out

    def project(self, q):
        return np.vstack([self.p.project(q[: self.p.d]), q[self.p.d :]])

    def project_dual(self, y):
        return np.vstack([t.project(u) for t, u in zip(self.p.terms, np.split(y, self.cut))])

    def slopes(self, x):
        return self.p.phi(self.A @ x + self.p.offset)[1]

    def gradient(self, x):
        """The full gradient, or the estimate of SAGA and L-SVRG; returns it and what happens to the table after the step."""
        p, n = self.p, self.slopes(x)
        if self.name in ("pd3o", "condat-vu"):
            self.rows += N
            return self.A.T @ (p.w[:, None] * n) + self.ridge * x
        if self.alpha is None:
            self.alpha, self.rows = n.copy(), N
        batch = sampling.rows(self.seed, self.k, BATCH, N)
        G = self.A.T @ (p.w[:, None] * self.alpha) + self.ridge * x
        for i in batch:
            G = G + np.outer(self.A[i], n[i] - self.alpha[i]) / BATCH
        self.rows += BATCH
        coin = (sampling.bits(self.seed, STREAM_COIN, self.k)[0] >> 11) * 2.0**-53
        if self.name == "saga-pd3o":
            self.alpha[batch] = n[batch]
        elif coin < BATCH / N:
            self.alpha, self.rows = n.copy(), self.rows + N
        return G

    def step(self):
        F, y = self.F, self.y
        if self.name == "condat-vu":
            x = self.q
            self.q = self.project(x - self.tau * (self.gradient(x) + F.T @ y))
            self.y = self.project_dual(y + self.s * (F @ (2 * self.q - x)))
        else:
            x = self.project(self.q)
            G = self.gradient(x)
            self.y = self.project_dual(y + self.s * (F @ (2 * x - self.q - self.tau * (G + F.T @ y))))
            self.q = x - self.tau * (G + F.T @ self.y)
        self.k += 1


def cases():
    """(name, words for the command, the problem); weights only where the draws do not depend on them."""
    rng = np.random.default_rng(4)
    A = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.8) * np.array([1, 0.2, 3, 1, 0.05])
    z = A @ rng.normal(size=(D, 3)) + 0.3 * rng.normal(size=(N, 3))
    sign, number, real, w = np.where(z[:, 0] > 0, 1, -1), np.argmax(z, 1), z[:, 0] + 1, rng.random(N) + 0.2
    sign[:2], number[:3] = [1, -1], [0, 1, 2]
    F = np.array([[1, -1, 0, 0, 0], [0, 2, 1, 0, 0], [0, 0, 1, 0.5, 0], [1, 0, 0, 0, -1.0]])
    matrix, chain, eye, pairs = "matrix:" + write_matrix("graph.mtx", F), reference.differences(D), np.eye(D), [0, 0, 1, 1]
    def P(*a, **k): return reference.Problem(A, *a, **k)
    two, three, many = write_svm("two.svm", A, sign), write_svm("three.svm", A, number), write_svm("many.svm", A, np.zeros(N))
    regression, targets, weights = write_svm("real.svm", A, real), write_table("targets.txt", z), write_table("w.txt", w)
    offset, off = 0.3 * z[:, 1:2], write_table("offset.txt", 0.3 * z[:, 1])
    yield ("logistic graph ridge", [two, "--structure", matrix, "--lambda", 0.05, "--gamma", 0.1, "--no-intercept"],
           P(sign, "logistic", [("l1", F, 0.05)], gamma=0.1))
    yield ("squared chain intercept offset", [regression, "--loss", "squared", "--structure", "chain", "--lambda", 0.2, "--offset", off],
           P(real, "squared", [("l1", chain, 0.2)], intercept=True, offset=offset))
    yield ("softmax groups box", [three, "--loss", "softmax", "--penalty", "group", "--groups", "size:2", "--structure", matrix, "--lambda", 0.03,
                                  "--set", "box:-0.1,0.2", "--gamma", 0.02],
           P(number, "softmax", [reference.Term("group", F, 0.03, pairs)], gamma=0.02, set=("box", -0.1, 0.2), intercept=True, K=3))
    yield ("linf ball", [regression, "--loss", "squared", "--penalty", "linf", "--structure", "chain", "--lambda", 0.3, "--set", "ball:0.4",
                         "--no-intercept"], P(real, "squared", [("linf", chain, 0.3)], set=("ball", 0.4)))
    yield ("nuclear and l1, three targets", [many, "--loss", "squared", "--targets", targets, "--penalty", "nuclear", "--structure", "identity",
                                             "--lambda", 0.1, "--also-sparse", 0.5, "--no-intercept"],
           P(z, "squared", [("nuclear", eye, 0.1), ("l1", eye, 0.05)], K=3))
    yield ("weights l1 and identity", [two, "--weights", weights, "--structure", matrix, "--also-sparse", 0.4, "--lambda", 0.05],
           P(sign, "logistic", [("l1", F, 0.05), ("l1", eye, 0.02)], weights=w, intercept=True))


def check_iterates(checks):
    for name, words, p in cases():
        for solver in ("pd3o", "condat-vu", "saga-pd3o", "lsvrg-pd3o"):
            if not asked(solver) or name.startswith("weights") and solver not in ("pd3o", "condat-vu"):
                continue
            for precondition, seed in zip((0, 1, 0, 1), SEEDS):
                m = Method(p, solver, 20.0, precondition, 0.03, seed)
                for k in range(5):
                    before = m.rows
                    m.step()
                    fit = Fitted(*words, "--solver", solver, "--epochs", (before + 0.5) / N, "--seed", seed, "--batch", BATCH, "--param", "L=20",
                                 "--param", f"precondition={precondition}", "--param", "floor=0.03")
                    what = f"{name}, {solver}, precondition {precondition}, iterate {k + 1}"
                    checks.check(fit.report["iterations"] == k + 1, f"{what}: {fit.report['iterations']} iterations")
                    checks.near(fit.x, m.project(m.q)[:D], 1e-12, what + ": x")
                    checks.near(float(fit.trace[-1]["dual_norm"]), np.linalg.norm(m.y), 1e-12, what + ": dual")
                    checks.near(fit.report["epochs"], m.rows / N, 1e-12, what + ": epochs")


def said(words, what):
    out = subprocess.run([COMMAND, "fit", *map(str, words), "-v"], capture_output=True, text=True)
    return float(re.search(what + r" = ([-+.e\d]+)", out.stderr).group(1)), out.stderr


def check_steps(checks):
    """L against eigenvalues; the floor is the smallest that the rule allows; the batch of its own choice."""
    for name, words, p in cases():
        A = np.hstack([p.A, np.ones((N, 1))]) if p.intercept else p.A
        for precondition in (0, 1):
            separable = p.set in ("all", "box")
            columns = p.kappa * (p.w[:, None] * A**2).sum(0)
            columns[:D] += p.gamma
            for solver, B in (("pd3o", np.inf), ("condat-vu", np.inf), ("saga-pd3o", 3), ("lsvrg-pd3o", 12)):
                def parts(floor):
                    h = np.maximum(columns, floor * columns.max()) if precondition and separable else np.ones(A.shape[1])
                    S = np.sqrt(p.w)[:, None] * A / np.sqrt(h)
                    return (1 - 1 / B) * p.kappa * np.linalg.norm(S, 2) ** 2, p.kappa * (A**2 / h).sum(1).max() / B, (p.gamma / h[:D]).max()
                L, log = said([*words, "--solver", solver, "--epochs", 1, "--batch", min(B, N), "--param", f"precondition={precondition}"], "L")
                floor = float(re.search(r"floor ([-+.e\d]+)", log).group(1))
                full, row, ridge = parts(floor)
                what = f"{name}, {solver}, precondition {precondition}: L = {L}, eigenvalues say {full:g} + {row:g} + {ridge:g}"
                checks.check(0.97 * 1.05 * full <= L - row - ridge <= 1.0501 * full + 1e-5 * L, what)
                if precondition and separable:
                    checks.check(floor == 1 or row <= 3 * 1.06 * full, f"{what}: floor {floor} is too low")
                    lower = parts(floor / 10)
                    checks.check(floor < 2e-4 or lower[1] > 3 * 0.9 * lower[0], f"{what}: floor {floor} is too high")
    two = next(cases())[1]
    F = next(cases())[2].terms[0].F
    words = [two[0], "--structure", "matrix:" + write_matrix("empty.mtx", np.vstack([F, 0 * F[:1]])), *two[3:]]
    same = [Fitted(*case, "--solver", "pd3o", "--epochs", 5, "--param", "precondition=1").x for case in (two, words)]
    checks.near(same[0], same[1], 1e-14, "a row of zeros in F changes nothing")
    flat = [Fitted(*two, "--solver", "pd3o", "--epochs", 3, "--param", f"L={L}").x for L in (0, 1)]
    checks.near(flat[0], flat[1], 0, "no curvature at all: every step is right, 1 is taken")
    checks.check("batch 1\n" in said([*two, "--solver", "spdhg", "--epochs", 1], "L")[1], "spdhg's own batch is 1")
    checks.check("batch 1\n" in said([*two, "--solver", "saga-pd3o", "--epochs", 1, "--batch", 1], "L")[1], "--batch 1 is 1")
    for batch in ((), ("--batch", "auto")):  # d + nnz(F) = 13 numbers cost less than a row
        checks.check("batch 1\n" in said([*two, "--solver", "saga-pd3o", "--epochs", 1, *batch], "L")[1], "small dual half, small batch")
    big = np.random.default_rng(1).normal(size=(100, 40)) * (np.random.default_rng(2).random((100, 40)) < 0.1)
    wide = write_svm("wide.svm", big, np.sign(big[:, 0] + 0.1))
    F = write_matrix("dense.mtx", np.random.default_rng(3).normal(size=(30, 40)))
    row = 2 * np.count_nonzero(big) / 100 + 20
    for solver, batch in (("saga-pd3o", round((40 + 1200) / row)), ("lsvrg-pd3o", round((40 + 1200) / row)), ("spdhg", 1)):
        log = said([wide, "--structure", "matrix:" + F, "--features", 40, "--solver", solver, "--epochs", 1], "L")[1]
        checks.check(f"batch {batch}\n" in log, f"{solver}: its own batch should be {batch}: {log}")


def check_optima(checks):
    """Every pair of options; constant steps converge to the optimum itself, so little is allowed to be left."""
    worst, runs = {}, 0
    for seed, v in enumerate(covering_array(3)):
        if not ALL and seed % 3:
            continue
        words, p, scale = make_case(v, seed)
        _, _, _, f_ref, error = p.solve()
        start = p.project(np.zeros((FEATURES, p.K)))
        way = p.value(start, p.best_intercept(start)) - f_ref
        for solver, epochs in (("pd3o", 10000), ("condat-vu", 3000), ("saga-pd3o", 2000), ("lsvrg-pd3o", 2000)):
            for precondition in (0, 1) if asked(solver) else ():
                name = f"case {seed} {solver} precondition {precondition} {v}"
                fit = Fitted(*words, "--solver", solver, "--epochs", epochs, "--every", epochs, "--param", f"precondition={precondition}")
                f, x = fit.report["objective"], fit.x * scale[:, None]
                checks.near(f, p.value(x, fit.c), 1e-10, name + ": objective")
                checks.near(p.project(x), x, 1e-12, name + ": x in X")
                left = (f - f_ref) / (way + 1e-3)
                runs, worst[solver] = runs + 1, max(worst.get(solver, 0), left)
                checks.check(f >= f_ref - error - 1e-12, f"{name}: {f:.12g} is below the optimum {f_ref:.12g} - {error:.3g}")
                checks.check(left <= 1e-5, f"{name}: {left:.3g} of the way is left")
    print(f"{runs} runs to the optimum; largest part of the way left:", ", ".join(f"{k} {v:.1g}" for k, v in worst.items()))


def check_long_run(checks):
    """SAGA sums its table afresh every 50 epochs, which is one more pass, and L-SVRG refreshes at its rate."""
    _, words, _ = next(cases())
    fit = Fitted(*words, "--solver", "saga-pd3o", "--epochs", 120, "--batch", BATCH)
    checks.near(fit.report["epochs"] * N, fit.report["iterations"] * BATCH + 3 * N, 1e-12, "first pass, two fresh sums")
    fit = Fitted(*words, "--solver", "lsvrg-pd3o", "--epochs", 2000, "--batch", BATCH)
    share = fit.report["iterations"] * BATCH / N / fit.report["epochs"]
    checks.check(0.47 <= share <= 0.53, f"half of L-SVRG's passes are refreshes, not {1 - share:.3f}")
    _, words, p = list(cases())[1]  # with an intercept; steps so short that its mean slope is far from 0 when the table is summed afresh
    m = Method(p, "saga-pd3o", 2000.0, 0, 1, 7)
    while m.k < 50 * N // BATCH + 6:
        m.rows += N * (m.k == 50 * N // BATCH + 1)
        before = m.rows
        m.step()
    fit = Fitted(*words, "--solver", "saga-pd3o", "--epochs", (before + 0.5) / N, "--seed", 7, "--batch", BATCH, "--param", "L=2000")
    checks.check(fit.report["iterations"] == m.k, f"SAGA beyond a fresh sum: {fit.report['iterations']} iterations, not {m.k}")
    checks.near(fit.x, m.q[:D], 1e-12, "SAGA beyond a fresh sum")
    _, words, p = list(cases())[-1]
    f_ref = p.solve(1e-12)[3]
    for solver in ("saga-pd3o", "lsvrg-pd3o"):  # with weights: drawn by them, or shuffled and multiplied by them
        for how in ("iid", "shuffle"):
            fit = Fitted(*words, "--solver", solver, "--epochs", 20000, "--every", 20000, "--sampling", how, "--batch", 2)
            checks.near(fit.report["objective"], f_ref, 1e-9, f"{solver}, weights, {how}")


if __name__ == "__main__":
    tally = Checks()
    check_iterates(tally)
    check_steps(tally)
    check_long_run(tally)
    check_optima(tally)
    tally.end()
