# test_iterates.py - the averaged iterates of lpdhg, spdhg and its strongly convex rules, against the paper's Algorithm 1.
# Rows that are all the same make sampling certain, and lpdhg draws nothing; so a plain transcription must agree to rounding.
import itertools

from reference_cases import norm_bound
from reference_run import ALL, Checks, Fitted, asked, write_matrix, write_svm, write_table

import numpy as np
import reference
import smoothness

STEPS = itertools.cycle([(1, 7), (2, 7), (3, 7)])  # iterations of the two runs of a comparison, in turn
# Table 1: step sizes beta^{k+1}, then weights alpha^{k+1} but for their normalisation.
RULES = {
    "lpdhg": (lambda k, L, mu: 1 / (np.sqrt(k + 1) + L), lambda k: 1),
    "spdhg": (lambda k, L, mu: 1 / (np.sqrt(k + 1) + L), lambda k: 1),
    "spdhg-sc1": (lambda k, L, mu: 1 / (mu * (k + 1) + L), lambda k: 1),
    "spdhg-sc2": (lambda k, L, mu: 2 / (mu * (k + 2) + 2 * L), lambda k: k + 1),
    "spdhg-sc1h": (lambda k, L, mu: 1 / (mu / 2 * (k + 1) + L), lambda k: 1),
    "spdhg-sc2h": (lambda k, L, mu: 4 / (mu * (k + 2) + 4 * L), lambda k: k + 1),
}
LAMBDA = 0.3  # large: projections of y must happen within a few steps


def algorithm_1(p, solver, steps, s, L, scale=1):
    """Averages (xbar, ybar) after `steps` iterations from x = Pi_X(0), y = 0; the gradient is that of all rows."""
    rule, weight = RULES[solver]
    beta = lambda k, L, mu: scale * rule(k, L, mu)
    x, c = p.project(np.zeros((p.d, p.K))), np.zeros(p.K)
    y = [np.zeros((len(t.F), p.K)) for t in p.terms]
    x_sum, y_sum, total = 0, [0] * len(y), 0
    for k in range(steps):
        y = [t.project(u + s * t.F @ x) for t, u in zip(p.terms, y)]
        loss_x, loss_c = p.gradient(x, c)
        x = p.project(x - beta(k, L, p.gamma) * (loss_x + p.gamma * x + sum(t.F.T @ u for t, u in zip(p.terms, y))))
        c = c - p.intercept * beta(k, L, p.gamma) * loss_c
        x_sum, y_sum, total = x_sum + weight(k) * x, [a + weight(k) * u for a, u in zip(y_sum, y)], total + weight(k)
    return x_sum / total, [a / total for a in y_sum]


def default_s(p):
    """max ||y|| over the product of the balls / bound of the norm of the stacked F."""
    return np.sqrt(sum(t.radius(p.K) ** 2 for t in p.terms)) / np.sqrt(sum(norm_bound(t.F) ** 2 for t in p.terms))


# ---- structures: fused loops for identity, rows and blocks, lazy ones where F leaves features out


def structures(d, rng):
    chain, part = reference.differences(d), reference.edges([(0, 1, 1.0), (1, 3, -0.5), (5, 3, 2.0)], d)
    F = rng.normal(size=(4, d))
    edges = write_table("edges.txt", [(1, 2, 1.0), (2, 4, -0.5), (6, 4, 2.0)])
    groups = np.array([0, 1, 0] + [1] * (d - 4))
    return {
        "identity": (["--structure", "identity"], [("l1", np.eye(d), LAMBDA)]),
        "chain": (["--structure", "chain"], [("l1", chain, LAMBDA)]),
        "chain and sparse": (["--structure", "chain", "--also-sparse", 0.5],
                             [("l1", chain, LAMBDA), ("l1", np.eye(d), LAMBDA / 2)]),
        "edges leaving features out": (["--structure", "edges:" + edges], [("l1", part, LAMBDA)]),
        "groups of a chain": (["--structure", "chain", "--penalty", "group", "--groups", write_table("groups.txt", groups)],
                              [("group", chain, LAMBDA, groups)]),
        "largest of a matrix": (["--structure", "matrix:" + write_matrix("F.mtx", F), "--penalty", "linf"],
                                [("linf", F, LAMBDA)]),
        "singular values of a chain": (["--structure", "chain", "--penalty", "nuclear"], [("nuclear", chain, LAMBDA)]),
    }


def compare(checks, p, words, solver, per_epoch, name, more=(), s=None, L=None, scale=1):
    """x after a few iterations, and ||ybar|| at every one of them, as transcribed. per_epoch: iterations in an epoch."""
    L = smoothness.constant(p, L) if isinstance(L, str) else L
    s, L = default_s(p) if s is None else s, smoothness.by_rule(p, solver) if L is None else L
    words = [*words, "--intercept" if p.intercept else "--no-intercept", "--solver", solver, "--lambda", LAMBDA, "--gamma",
             p.gamma, *more]
    for steps in next(STEPS):
        fit = Fitted(*words, "--epochs", f"{(steps - 0.001) / per_epoch:.6f}", "--every", f"{0.999 / per_epoch:.6f}")
        checks.check(fit.report["iterations"] == steps, f"{name}: {fit.report['iterations']} iterations, asked for {steps}")
        checks.near(fit.x, algorithm_1(p, solver, steps, s, L, scale)[0], 1e-12, f"{name}: x after {steps}")
    for point in fit.trace[1:]:
        y = algorithm_1(p, solver, int(point["iteration"]), s, L, scale)[1]
        checks.near(float(point["dual_norm"]), np.sqrt(sum((u**2).sum() for u in y)), 1e-12,
                    f"{name}: ||y|| after {point['iteration']}")


def variants(solver):
    """Words and what they mean for the transcription: s and L by rule or given, the plain and the fast form."""
    yield (), {}
    yield ("--param", "s=2.5"), {"s": 2.5}
    yield ("--param", "L=9", "--param", "s=0.125"), {"L": 9, "s": 0.125}
    for word in ("max", "mean", "expected"):
        yield ("--param", "L=" + word), {"L": word}
    yield ("--param", "scale=1.75", "--param", "s=0.5"), {"scale": 1.75, "s": 0.5}
    if solver != "lpdhg":
        yield ("--param", "plain=1"), {}
    if solver == "spdhg-sc1":  # the first step is 1/gamma: the ridge takes all of x away
        yield ("--param", "L=0", "--param", "s=0.125"), {"L": 0, "s": 0.125}


def check_same_rows(checks):
    """One row, or the same row several times, whatever their weights."""
    rng = np.random.default_rng(3)
    d, count = 8, 0
    for loss, set_words, bound in (("squared", "all", ("all",)), ("logistic", "all", ("all",)),
                                   ("squared", "ball:0.1", ("ball", 0.1)),
                                   ("logistic", "ball:0.1", ("ball", 0.1)), ("huber:0.5", "nonneg", ("nonneg",))):
        for copies in (1, 3):
            a, w = rng.normal(size=d) * (rng.random(d) < 0.8), rng.random(copies) + 0.1
            A, b = np.tile(a, (copies, 1)), np.ones(copies) if loss == "logistic" else np.full(copies, 2.5)
            offset = np.full(copies, 0.3)
            data = [write_svm("data.svm", A, b), "--features", d, "--loss", loss, "--allow-one-class", "--set", set_words,
                    "--offset", write_table("offset.txt", offset), "--weights", write_table("weights.txt", w)]
            for at, (structure, (words, terms)) in enumerate(structures(d, rng).items()):
                if not ALL and at % 2 == (copies == 3):  # every structure, with one number of copies
                    continue
                for solver in filter(asked, RULES):
                    gamma = 0.7 if solver.startswith("spdhg-") else rng.choice([0, 0.7])
                    p = reference.Problem(A, b, loss.split(":")[0], terms, 0.5 if "huber" in loss else None, gamma, bound,
                                          weights=w, offset=offset)
                    # squared loss with steps so long rises a thousandfold in each of them, which is called a divergence
                    choices = [v for v in variants(solver) if v[1].get("L") != 0 or loss != "squared" or set_words != "all"]
                    every = structure.startswith(("chain and", "edges")) and copies == 1
                    for more, known in choices if every else [choices[count % len(choices)]]:
                        count += 1
                        compare(checks, p, data + words, solver, 1 if solver == "lpdhg" else copies,
                                f"{solver} {loss} {set_words} {structure} x{copies} gamma {gamma} {' '.join(more)}", more,
                                **known)
    print(f"{count} comparisons on equal rows: 3 losses; all, ball, nonneg; 7 structures; s, L by rule or given; plain, fast")


def check_softmax(checks):
    """Three classes, two of them with class weight 0: only the third one's row is ever drawn. Several outputs: fused K loops."""
    rng = np.random.default_rng(4)
    d, K, count = 8, 3, 0
    A = rng.normal(size=(K, d))
    for bound in (("all",), ("ball", 0.1)):
        data = [write_svm("data.svm", A, [1, 2, 3]), "--loss", "softmax", "--class-weight", "1=0,2=1.7,3=0", "--set",
                ":".join(map(str, bound))]
        for at, (structure, (words, terms)) in enumerate(structures(d, rng).items()):
            if not ALL and at % 2 == (bound[0] == "all"):
                continue
            for solver in filter(asked, RULES):
                for more in ((), ("--param", "plain=1")) if solver != "lpdhg" else ((),):
                    p = reference.Problem(A, [0, 1, 2], "softmax", terms, None, 0.4, bound, weights=[0, 1, 0], K=K)
                    compare(checks, p, data + words, solver, 1 if solver == "lpdhg" else K,
                            f"{solver} softmax {bound} {structure} {more}", more)
                    count += 1
    print(f"{count} comparisons with softmax: one class drawn, weight 0 for the others")


def check_many_rows(checks):
    """lpdhg on rows that differ, with weights and several targets; spdhg with a batch of all rows, in shuffled order."""
    rng = np.random.default_rng(6)
    N, d, count = 12, 8, 0
    A, w = rng.normal(size=(N, d)), rng.random(N)
    for loss, K in (("logistic", 1), ("squared", 3), ("smooth-hinge", 1)):
        b = np.where(rng.random((N, K)) < 0.5, -1.0, 1.0) if K == 1 else rng.normal(size=(N, K))
        targets = ["--targets", write_table("targets.txt", b)] if K > 1 else []
        data = [write_svm("data.svm", A, b[:, 0]), *targets, "--loss", loss, "--weights", write_table("weights.txt", w)]
        for structure, (words, terms) in structures(d, rng).items():
            p = reference.Problem(A, b, loss, terms, None, 0.2, weights=w, K=K)
            if not asked("lpdhg") and not asked("spdhg"):
                continue
            compare(checks, p, data + words, "lpdhg", 1, f"lpdhg {loss} {structure}")
            free = reference.Problem(A, b, loss, terms, None, 0.2, weights=w, K=K, intercept=True)
            compare(checks, free, data + words, "lpdhg", 1, f"lpdhg {loss} {structure} intercept")
            shuffled = p.kappa * (N * p.w * (A**2).sum(1)).max() + p.gamma
            for solver in ("spdhg", "spdhg-sc2"):
                compare(checks, p, data + words, solver, 1, f"{solver} whole batch {loss} {structure}",
                        ("--sampling", "shuffle", "--batch", N, "--param", "L=max"), L=shuffled)
            count += 4
    print(f"{count} comparisons on different rows: full gradients with and without intercept (x; c is minimised when reported), "
          "shuffled batches of all rows with factors N w_i / W")


def check_fast_forms(checks):
    """Random draws: the fast forms take the plain one's steps, also thousands of them, when lazy scalars were written out."""
    rng = np.random.default_rng(7)
    N, d, count = 30, 8, 0
    A, w = rng.normal(size=(N, d)) * (rng.random((N, d)) < 0.5), rng.random(N) * (rng.random(N) < 0.8)
    words = [write_svm("data.svm", A, np.where(rng.random(N) < 0.5, -1, 1)), "--features", d, "--weights",
             write_table("weights.txt", w)]
    for structure, set_words in itertools.product(structures(d, rng).values(),
                                                  ("all", "ball:0.3", "nonneg", "box:-0.1,0.2", "l1ball:0.5")):
        solver = [name for name in RULES if name != "lpdhg"][(count + count // 5) % 5]
        if not asked(solver):
            count += 1
            continue
        more = [*structure[0], "--set", set_words, "--solver", solver, "--gamma", 0.5, "--lambda", 0.02, "--epochs", 100,
                "--batch", 1 + count % 2]
        fast, plain = Fitted(*words, *more), Fitted(*words, *more, "--param", "plain=1")
        checks.near(fast.x, plain.x, 1e-10, f"fast form {more}: x")
        checks.near(float(fast.trace[-1]["dual_norm"]), float(plain.trace[-1]["dual_norm"]), 1e-10, f"fast form {more}: ||y||")
        count += 1
    print(f"{count} comparisons of fast and plain forms over 100 epochs: 7 structures, 5 sets")


def check_dual_moves(checks):
    """By default y does its work within an epoch; s = 5e-5 lambda^2, as in published scripts, leaves the regulariser off."""
    rng = np.random.default_rng(8)
    N, d, lam = 200, 10, 0.05
    A = rng.normal(size=(N, d))
    b = np.where(A @ np.repeat([1.0, -1.0], 5) + rng.normal(size=N) > 0, 1, -1)
    edges = [(i, j) for i in range(1, d + 1) for j in range(i + 1, d + 1) if rng.random() < 0.4]
    words = [write_svm("data.svm", A, b), "--structure", "edges:" + write_table("edges.txt", edges), "--lambda", lam, "--solver",
             "spdhg", "--epochs", 1]
    radius = lam * np.sqrt(len(edges))
    moved = float(Fitted(*words).trace[-1]["dual_norm"]) / radius
    still = float(Fitted(*words, "--param", f"s={5e-5 * lam**2}").trace[-1]["dual_norm"]) / radius
    checks.check(moved > 0.1, f"default s: ||y|| is {moved:.3g} of its radius after an epoch")
    checks.check(still < 1e-3, f"s = 5e-5 lambda^2: ||y|| is {still:.3g} of its radius after an epoch")
    print(f"||y|| after an epoch on {len(edges)} edges: {moved:.3g} of its radius by rule, {still:.3g} with s = 5e-5 lambda^2")


if __name__ == "__main__":
    tally = Checks()
    check_same_rows(tally)
    check_softmax(tally)
    check_many_rows(tally)
    check_fast_forms(tally)
    if asked("spdhg"):
        check_dual_moves(tally)
    tally.end()
