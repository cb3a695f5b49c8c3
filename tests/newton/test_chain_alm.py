# test_chain_alm.py - the semismooth Newton augmented Lagrangian method by dynamic programming (chain-alm) against reference.py: general A, dense and sparse,
# wide and tall, with every loss, lines and trees, sets, ridge, intercept, weights, offsets, several outputs, l1 beside the differences, weights of the rows of F;
# each of the three ways to solve its Newton systems; columns that no row has; a chain + sparse as one matrix; the choice of auto.
import random
import subprocess

from reference_run import COMMAND, Checks, Fitted, path, write_matrix, write_svm, write_table

import numpy as np
import reference

SETS = {"all": ("all",), "nonneg": ("nonneg",), "box:-0.3,0.4": ("box", -0.3, 0.4)}
REAL = ("squared", "huber")


def structure(draw, rng, d, sums):
    """(words, F): a chain; a tree (a part of its rows sums) with weights, in pieces; the same with multiples of single coefficients."""
    kind = draw.choice(["chain", "tree", "matrix"])
    if kind == "chain":
        return "chain", reference.differences(d)
    lines = [(draw.randrange(j), j, draw.choice([1.0, 0.5, 2.0])) for j in range(1, d) if draw.random() < 0.85] or [(0, 1, 1.0)]
    F = np.zeros((len(lines), d))
    for e, (i, j, v) in enumerate(lines):
        F[e, i], F[e, j] = v, -v if sums == 0 or draw.random() > sums else v
    if kind == "matrix":
        F = np.vstack([F, np.diag(rng.choice([0.5, -1.0, 2.0], d))[:: draw.choice([1, 2])]])
    return "matrix:" + write_matrix("F.mtx", F), F


def targets(draw, rng, loss, K, signal):
    n = len(signal)
    if loss in REAL:
        return signal + rng.normal(size=(n, K))
    if loss == "softmax":
        b = np.argmax(signal + rng.normal(size=(n, 3)), axis=1)
        b[:3] = 0, 1, 2
        return b[:, None].astype(float)
    if loss == "poisson":
        return rng.poisson(np.exp(np.clip(0.3 * signal, -3, 3))).astype(float)
    b = np.where(signal + rng.normal(size=(n, K)) > 0.2, 1.0, -1.0)
    b[:2, 0] = 1, -1
    return b


def random_case(seed):
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    loss = draw.choice(list(reference.LOSS))
    K = 3 if loss == "softmax" else 2 if loss == "squared" and draw.random() < 0.4 else 1
    n, d = draw.choice([(12, 9), (30, 9), (8, 14)])
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < draw.choice([1, 0.3]))
    A[:, 1] *= draw.choice([1, 20])  # columns of different size
    truth = np.where(np.arange(d) < 4, 1.0, -0.5)[:, None] * rng.choice([1.0, -1.0, 0.5], K)
    b = targets(draw, rng, loss, K, A @ truth)
    set_name = draw.choice(list(SETS))
    name, F = structure(draw, rng, d, 0.3 if set_name == "all" else 0)
    lam, gamma, free = draw.choice([0.01, 0.05, 0.3]), draw.choice([0.0, 0.1]) if loss in REAL else 0.1, draw.random() < 0.5
    terms = [("l1", F, lam)]
    words = [write_svm("general.svm", A, b[:, 0]), "--features", d, "--loss", loss, "--structure", name, "--lambda", lam, "--gamma", gamma,
             "--set", set_name, "--intercept" if free else "--no-intercept"]
    if K > 1 and loss != "softmax":
        words += ["--targets", write_table("targets.txt", b)]
    if draw.random() < 0.4:
        words += ["--also-sparse", 0.5]
        terms.append(("l1", np.eye(d), 0.5 * lam))
    w = rng.integers(0, 4, n) + (0.0 if loss in REAL else 1.0) if draw.random() < 0.4 else None
    offset = rng.normal(size=(n, 1)) if K == 1 and draw.random() < 0.3 else None
    words += ["--weights", write_table("w.txt", w)] if w is not None else []
    words += ["--offset", write_table("offset.txt", offset)] if offset is not None else []
    b = b[:, 0] if loss == "softmax" else b
    return words, reference.Problem(A, b, loss, terms, gamma=gamma, set=SETS[set_name], intercept=free, weights=w, offset=offset, K=K)


def check_against(checks, p, words, done, *more):
    _, _, _, best, error = p.solve(1e-10)
    try:
        fit = Fitted(*words, "--solver", "chain-alm", "--tol", 1e-9, *more)
    except RuntimeError as reason:
        checks.check(False, f"{done}: {reason}")
        return None
    value = p.value(fit.x, fit.c)
    checks.check(fit.report["status"] == "converged", f"{done}: {fit.report['status']}")
    checks.near(value, fit.report["objective"], 1e-11, f"{done}: objective")
    checks.check(-error - 1e-12 <= value - best <= 1e-9 * best + error, f"{done}: {value - best:.3g} above the optimum {best}")
    return fit


def check_random(checks):
    for seed in range(20):
        words, p = random_case(seed)
        check_against(checks, p, words, f"seed {seed}: {words[3:]}")


def check_systems(checks):
    """More groups than rows: one unknown for each row, dense and sparse A."""
    rng = np.random.default_rng(3)
    n, d = 6, 30
    for loss, share in (("squared", 1), ("squared", 0.4), ("logistic", 1), ("logistic", 0.4)):
        A = rng.normal(size=(n, d)) * (rng.random((n, d)) < share)
        b = A @ np.repeat(rng.normal(size=d // 3), 3) + rng.normal(size=n)
        y = b if loss == "squared" else np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        p = reference.Problem(A, y, loss, [("l1", reference.differences(d), 1e-3), ("l1", np.eye(d), 1e-3)], gamma=1e-3, intercept=True)
        check_against(checks, p, [write_svm("wide.svm", A, y), "--features", d, "--loss", loss, "--structure", "chain", "--also-sparse", 1, "--lambda", 1e-3,
                                  "--gamma", 1e-3, "--intercept"], f"{loss}, {n} x {d}, share {share}")


class Sparse:
    """Rows of equally many entries, and b = A x + noise for an x of ten equal neighbours each."""

    def __init__(self, rng, n, d, entries):
        self.n, self.d = n, d
        self.at = np.sort(np.array([rng.choice(d, entries, replace=False) for _ in range(n)]), axis=1)
        self.value = rng.normal(size=(n, entries))
        self.b = self.scores(np.repeat(rng.normal(size=d // 10), 10)) + 0.1 * rng.normal(size=n)

    def scores(self, x):
        return (self.value * x[self.at]).sum(axis=1)

    def write(self, name):
        with open(path(name), "w") as out:
            for b, at, value in zip(self.b.tolist(), self.at.tolist(), self.value.tolist()):
                out.write(f"{b!r} " + " ".join(f"{j + 1}:{v!r}" for j, v in zip(at, value)) + "\n")
        return path(name)


def optimality(A, x, lam):
    """What is left of the conditions of squared loss + lam |x_j - x_{j+1}| + lam |x_j|, by the flow that x forces along the chain: relative to lam."""
    gradient = np.bincount(A.at.ravel(), (A.value * (A.scores(x) - A.b)[:, None]).ravel(), A.d) / A.n
    low = high = worst = 0.0  # range of the force that comes from the left
    for j in range(A.d):
        side = (lam * np.sign(x[j]),) * 2 if x[j] != 0 else (-lam, lam)
        low, high = low - gradient[j] - side[1], high - gradient[j] - side[0]
        jump = np.sign(x[j] - x[j + 1]) if j + 1 < A.d else 0
        wanted = (lam * jump,) * 2 if jump != 0 or j + 1 == A.d else (-lam, lam)
        worst = max(worst, (low - wanted[1]) / lam, (wanted[0] - high) / lam)
        low, high = (min(max(v, wanted[0]), wanted[1]) for v in (low, high))
    return worst


def check_many(checks):
    """2,050 rows and 5,000 coefficients: the Newton systems are solved by conjugate gradients. The answer meets the conditions of optimality, which numpy computes.
    The same with the two structures as one matrix."""
    lam = 1e-3
    A = Sparse(np.random.default_rng(4), 2050, 5000, 20)
    with open(path("both.mtx"), "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate real general\n{2 * A.d - 1} {A.d} {3 * A.d - 2}\n")
        out.writelines(f"{j + 1} {j + 1} 1\n{j + 1} {j + 2} -1\n" for j in range(A.d - 1))
        out.writelines(f"{A.d + j} {j + 1} 1\n" for j in range(A.d))
    words = [A.write("many.svm"), "--features", A.d, "--loss", "squared", "--lambda", lam, "--tol", 1e-7, "--no-intercept", "--structure"]
    fits = [Fitted(*words, *more) for more in (("chain", "--also-sparse", 1), ("matrix:" + path("both.mtx"),))]
    for fit in fits:
        checks.check((fit.report["status"], fit.report["solver"]) == ("converged", "chain-alm"), f"{fit.report}")
        checks.near(fit.report["objective"], fits[0].report["objective"], 1e-7, "one problem, asked for in two ways")
        left = optimality(A, fit.x[:, 0], lam)
        checks.check(left <= 1e-3, f"optimality conditions: {left}")
    groups = np.count_nonzero(np.diff(fits[0].x[:, 0])) + 1
    checks.check(groups > 1500, f"{groups} groups are too few for a test of many")


def unseen_case(draw, rng, seed):
    """(words, problem, columns that can differ): columns that no row has, in runs. The weights along a run are equal (seed % 3 == 0), rise towards its middle, or
    fall there, so that its columns may differ. Some rows of F are sums."""
    n, d, K = 9, 24, 2 if draw.random() < 0.3 else 1
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    runs = [(2, 5), (8, 9), (11, 16), (19 + seed % 2, d)]
    weight = np.ones(d - 1)
    for first, end in runs:
        A[:, first:end] = 0
        weight[first:end - 1] = (1, 1.5, 0.7)[seed % 3]
    b = rng.normal(size=(n, K)) + 2 * A[:, [0, 6]].sum(axis=1, keepdims=True)
    set_name = draw.choice(["all", "nonneg", "box:-0.3,0.4", "box:0.1,0.9"])
    F = weight[:, None] * reference.differences(d)
    for e in range(d - 1):
        if set_name == "all" and draw.random() < 0.3:
            F[e] = abs(F[e])
    lam, gamma, sparse = 0.05, draw.choice([0, 0.1]), draw.choice([0, 0.2, 1])
    words = [write_svm("unseen.svm", A, b[:, 0]), "--features", d, "--loss", "squared", "--targets", write_table("unseen.txt", b), "--structure",
             "matrix:" + write_matrix("unseen.mtx", F), "--lambda", lam, "--gamma", gamma, "--set", set_name, "--intercept"]
    words += ["--also-sparse", sparse] if sparse else []
    terms = [("l1", F, lam)] + ([("l1", np.eye(d), lam * sparse)] if sparse else [])
    sets = {**SETS, "box:0.1,0.9": ("box", 0.1, 0.9)}
    p = reference.Problem(A, b, "squared", terms, gamma=gamma, set=sets[set_name], intercept=True, K=K)
    return words, p, d - sum(end - first - 1 for first, end in runs if seed % 3 < 2)


def check_unseen(checks):
    for seed in range(18):
        draw, rng = random.Random(seed), np.random.default_rng(seed)
        words, p, differ = unseen_case(draw, rng, seed)
        fit = check_against(checks, p, words, f"unseen, seed {seed}: {words[9:]}", "-v")
        if fit is not None:
            checks.check(f"of which {differ * p.K} can differ" in fit.said, f"unseen, seed {seed}: {differ * p.K}: {fit.said[:300]}")


def check_words(checks):
    """auto says what it counts; what has cycles is refused."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(10, 2000))
    data = write_svm("words.svm", A, rng.normal(size=10))
    done = subprocess.run([COMMAND, "fit", data, "--loss", "squared", "--structure", "chain", "--lambda", "0.01", "-v"], capture_output=True, text=True, timeout=60)
    checks.check("auto: chain-alm" in done.stderr and "a proximal point takes 1.2e+05 multiplications" in done.stderr, done.stderr)
    with open(path("cycle.txt"), "w") as out:
        out.write("1 2\n2 3\n1 3\n")
    done = subprocess.run([COMMAND, "fit", data, "--loss", "squared", "--structure", f"edges:{path('cycle.txt')}", "--lambda", "0.01", "--solver", "chain-alm"],
                          capture_output=True, text=True, timeout=60)
    checks.check(done.returncode == 2 and "cycle" in done.stderr, f"{done.returncode} {done.stderr}")


if __name__ == "__main__":
    tally = Checks()
    check_random(tally)
    check_systems(tally)
    check_many(tally)
    check_unseen(tally)
    check_words(tally)
    tally.end()
