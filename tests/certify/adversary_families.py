# adversary_families.py - small problems made to break a proof: data of many families, crossed with losses, penalties, structures and sets.
# The same family and seed give the same problem.
import math
import random

import numpy as np

from adversary_problem import Problem

INF = float("inf")


def gauss(draw, n, d):
    digits = draw.choice([None, None, 1, 3])
    return [[draw.gauss(0, 1) if digits is None else round(draw.gauss(0, 1), digits) for _ in range(d)] for _ in range(n)]


def ordinary(draw, n, d):
    return gauss(draw, n, d)


def collinear(draw, n, d):
    """The last column is nearly a combination of others."""
    A, e, mix = gauss(draw, n, max(d, 2)), 10.0 ** -draw.uniform(9, 15), [draw.choice([-1, 0, 1, 2]) for _ in range(max(d, 2) - 1)]
    return [row[:-1] + [sum(m * v for m, v in zip(mix, row)) + e * draw.gauss(0, 1)] for row in A]


def rounded(draw, n, d):
    """Columns in ratio 1, off by a few last digits: the null direction of the doubles is not that of the real numbers meant."""
    scale = [1.0] + [draw.choice([1.0, -1.0, 1 / 3, 0.1]) for _ in range(max(d, 2) - 1)]
    base = [draw.choice([draw.gauss(0, 1), float(draw.randint(1, 9))]) for _ in range(n)]
    return [[v * s * (1 + draw.choice([0, 0, 1e-13, -1e-13, 2.0 ** -52])) for s in scale] for v in base]


def scaled(low, high):
    def make(draw, n, d):
        scale = [10.0 ** draw.uniform(low, high) for _ in range(d)]
        return [[v * s for v, s in zip(row, scale)] for row in gauss(draw, n, d)]
    return make


def stamps(draw, n, d):
    base, wide = draw.choice([(1.7e9, 1e5), (1.7e9, 1e8), (1.7e12, 1e6), (1.7e18, 1e6), (1.7e18, 1e12)])
    return [[float(int(base + draw.uniform(0, wide)))] + row[1:] for row in gauss(draw, n, d)]


def offsets(draw, n, d):
    shift = [draw.choice([0.0, 1e3, 1e8, -1e8, 1e12]) for _ in range(d)]
    return [[v + s for v, s in zip(row, shift)] for row in gauss(draw, n, d)]


def zero_sums(draw, n, d):
    """Rows whose entries nearly cancel: a constant x far out costs a chain nothing."""
    e = 10.0 ** -draw.uniform(9, 14)
    return [row[:-1] + [-math.fsum(row[:-1]) + e * draw.uniform(-1, 1)] for row in gauss(draw, n, max(d, 2))]


def one_hot(draw, n, d):
    return [[float(j == k) for j in range(max(d, 2))] for k in (draw.randrange(max(d, 2)) for _ in range(n))]


def duplicates(draw, n, d):
    factor = draw.choice([1.0, -1.0, 0.5, 3.0])
    return [row[:-1] + [factor * row[0]] for row in gauss(draw, n, max(d, 2))]


def cancelling(draw, n, d):
    """|a||x| far above |a'x|: large entries, and targets that only their small differences explain."""
    size = 10.0 ** draw.uniform(4, 9)
    return [[size + row[0]] + [size + row[0] + v * 10.0 ** -draw.uniform(0, 6) for v in row[1:]] for row in gauss(draw, n, d)]


def empty_columns(draw, n, d):
    gone = {draw.randrange(max(d, 2)) for _ in range(2)}
    return [[0.0 if j in gone else v for j, v in enumerate(row)] for row in gauss(draw, n, max(d, 2))]


def sparse(draw, n, d):
    return [[v if draw.random() < 0.4 else 0.0 for v in row] for row in gauss(draw, n, d)]


def tall(draw, n, d):
    return gauss(draw, draw.choice([60, 300]), min(d, 2))


def wide(draw, n, d):
    return gauss(draw, min(n, 4), draw.choice([12, 20]))


def signal(entries):
    def make(draw, n, d):
        """A row with one entry for each coefficient; now and then none, two, or a row with entries everywhere."""
        d, rows, usual = draw.choice([4, 7, 12]), [], draw.random() < 0.5
        for j in range(d):
            for _ in range(1 if usual else draw.choice([0, 1, 1, 1, 1, 2])):
                rows.append([entries(draw) if k == j else 0.0 for k in range(d)])
        return rows + gauss(draw, 1, d) * (draw.random() < 0.1 or len(rows) < 3)
    return make


DATA = {"ordinary": ordinary, "sparse": sparse, "collinear": collinear, "rounded": rounded, "scales 1e3": scaled(-1.5, 1.5), "scales 1e12": scaled(-6, 6),
        "scales 1e300": scaled(-150, 150), "time stamps": stamps, "offsets": offsets, "rows of sum 0": zero_sums, "one-hot": one_hot,
        "duplicates": duplicates, "cancelling": cancelling, "zero columns": empty_columns, "weights": ordinary, "separable": ordinary,
        "one row": ordinary, "one column": ordinary, "width 0": ordinary, "interpolation": ordinary, "tiny ridge": collinear,
        "tall": tall, "wide": wide, "targets 1e150": ordinary, "lambda 1e200": ordinary, "F 1e100": ordinary, "stopped early": ordinary,
        "signal": signal(lambda draw: 1.0), "signal of any size": signal(lambda draw: draw.choice([1.0, -1.0, 10.0 ** draw.uniform(-8, 8)])),
        "underflow": scaled(-300, -100), "overflow": scaled(0, 150), "counts": ordinary, "counts collinear": collinear, "counts one-hot": one_hot,
        "counts 1e3": scaled(-1.5, 1.5), "counts weights": sparse, "corners": ordinary, "corners collinear": collinear, "corners one-hot": one_hot,
        "corners 1e3": scaled(-1.5, 1.5), "corners weights": sparse, "corners tall": tall, "corners signal": signal(lambda draw: 1.0),
        "corners offsets": offsets, "corners duplicates": duplicates}
CORNERS = ("hinge", "absolute", "quantile:0.3", "quantile:0.01")
FAMILIES = list(DATA)


def trend(d, order):
    return [{j + i: float((-1) ** (order + 1 - i) * math.comb(order + 1, i)) for i in range(order + 2)} for j in range(d - order - 1)]


def structure(draw, d):
    """(specification, rows of F)."""
    kind = draw.choice(["identity", "identity", "chain", "chain", "trend", "grid", "edges", "matrix"])
    if kind == "grid" and d % 2 == 0 and d > 2:
        wide = d // 2
        return f"grid:2x{wide}", [{j: -1.0, other: 1.0} for j in range(d) for other, near in ((j + wide, j < wide), (j + 1, j % wide < wide - 1)) if near]
    if kind == "trend" and d > 2:
        return "trend:1", trend(d, 1)
    if kind == "edges" and d > 1:
        pairs = {tuple(sorted(draw.sample(range(d), 2))) for _ in range(d)}
        return "edges:edges.txt", [{i: w, j: -w} for i, j in sorted(pairs) for w in [draw.choice([1.0, 0.5, 3.0])]]
    if kind == "matrix":
        columns = [sorted(draw.sample(range(d), draw.randint(1, min(d, 3)))) for _ in range(draw.randint(1, d + 1))]
        return "matrix:F.mtx", [{j: round(draw.gauss(0, 1), 2) or 1.0 for j in row} for row in columns]
    return ("chain", trend(d, 0)) if kind == "chain" and d > 1 else ("identity", [{j: 1.0} for j in range(d)])


def restriction(draw):
    kind = draw.choice(["all"] * 6 + ["box", "half", "nonneg", "ball", "l1ball", "simplex"])
    R = draw.choice([1.0, 0.3, 10.0 ** draw.uniform(-3, 3)])
    if kind == "box":
        return "box", draw.choice([(-0.3, 0.5), (-R, R), (0.0, R), (0.25 * R, 0.5 * R)])
    if kind == "half":
        return "box", draw.choice([(-INF, R), (0.1, INF), (-INF, 0.0), (-INF, INF)])
    return kind, () if kind in ("all", "nonneg") else (R,)


def targets(draw, family, loss, A, K):
    n, d = len(A), len(A[0])
    if loss.partition(":")[0] in ("squared", "huber", "absolute", "quantile"):
        scale = [max(abs(row[j]) for row in A) or 1.0 for j in range(d)]
        truth = [draw.gauss(0, 1) / s for s in scale]
        noise = draw.choice([0.0, 1e-12, 1e-6]) if family in ("interpolation", "cancelling") else draw.choice([0.0, 1e-3, 1.0, 1.0])
        signal = [math.fsum(v * t for v, t in zip(row, truth)) + noise * draw.gauss(0, 1) for row in A]
        return signal if K == 1 else [[s * draw.choice([1, -0.5]) + noise * draw.gauss(0, 1) for _ in range(K)] for s in signal]
    if loss == "poisson":
        size = draw.choice([0.0, 0.3, 1.0, 5.0, 1e3, 1e9])
        small = min(max(abs(v) for row in A for v in row) or 1.0, 1e3)
        mean = [size * math.exp(max(min(math.fsum(row) / small, 3.0), -3.0)) for row in A]
        counts = [max(round(m + math.sqrt(m) * draw.gauss(0, 1)), 0) for m in mean]
        return [float(t) if draw.random() < 0.9 else t + draw.choice([0.0, 0.5, 1e-9]) for t in counts]
    if loss == "softmax":
        return [float(i) if i < K else float(draw.randrange(K)) for i in range(n)]
    if family == "separable":
        return [1.0 if row[0] > 0 else -1.0 for row in A]
    return [1.0 if draw.random() < 0.5 + 0.3 * (row[0] > 0) else -1.0 for row in A]


def problem(family, seed, other=None):
    """other: its loss in place of the one drawn."""
    draw = random.Random(f"{family} {seed}")
    loss = draw.choice(["logistic"] * 3 + ["squared"] * 4 + ["squared-hinge", "smooth-hinge", "smooth-hinge:0.01", "smooth-hinge:1e-06",
                                                             "huber", "huber:0.1", "huber:1e-09", "softmax"])
    if family in ("interpolation", "cancelling") and draw.random() < 0.7:
        loss = "squared"
    if family.startswith("corners"):
        loss = draw.choice(CORNERS)
    loss = other or ("poisson" if family.startswith("counts") else loss)
    K = 3 if loss == "softmax" else 2 if loss == "squared" and draw.random() < 0.12 else 1
    n, d = draw.choice([2, 3, 4, 6, 9, 14]), draw.choice([1, 2, 2, 3, 4, 6])
    if K > 1:
        n, d = max(n, 4), min(d, 3)
    if family in ("tall", "wide"):
        loss, K = other or draw.choice(["logistic", "squared", "huber", "squared-hinge"]), 1
    n, d = (1, d) if family == "one row" and loss != "softmax" else (n, 1) if family == "one column" else (n, d)
    A = DATA[family](draw, n, d)
    n, d = len(A), len(A[0])
    p = Problem(family, loss, A, targets(draw, family, loss, A, K), K=K, intercept=draw.random() < 0.5, standardize=draw.random() < 0.12)
    p.structure, p.F = structure(draw, d)
    p.lam = 0.0 if draw.random() < 0.3 else draw.choice([0.1, 0.01, 1.0, 10.0 ** draw.uniform(-9, 0)])
    p.penalty = draw.choice(["l1"] * 4 + ["group", "linf"] + (["group", "nuclear", "nuclear"] if K > 1 else []))
    if K == 1 and p.penalty != "l1" and (p.penalty == "group" or draw.random() < 0.5):
        p.groups = [draw.randint(1, 2) for _ in p.F]
    p.also = draw.choice([0.0, 0.0, 0.0, 0.5, 1.0, 2.0])
    p.gamma = draw.choice([0.0] * 4 + [0.1, 1.0, 10.0 ** draw.uniform(-12, 0)])
    p.set, p.bounds = restriction(draw)
    if loss in CORNERS and p.set in ("ball", "l1ball"):  # which no solver takes
        p.set, p.bounds = "all", ()
    if family == "tiny ridge":
        p.gamma = 10.0 ** draw.uniform(-12, -4)
    if family == "width 0":
        p.set, p.bounds = "box", (draw.choice([0.0, 0.7, -1e-3]),) * 2
    if family in ("weights", "underflow", "overflow", "counts weights", "corners weights"):
        p.weights = [10.0 ** draw.uniform(-300, 300) if draw.random() < 0.6 else draw.choice([1.0, 0.0 if K == 1 else 2.0, 3.0]) for _ in A]
        p.weights[draw.randrange(n)] = 1.0
    elif draw.random() < 0.15:
        p.weights = [10.0 ** draw.uniform(-3, 3) for _ in A]
    extremes(draw, p)
    p.csv = not isinstance(p.b[0], list) and draw.random() < 0.3
    if K == 1 and draw.random() < 0.1:
        p.offset = [draw.gauss(0, 1) for _ in A]
    return p


def extremes(draw, p):
    """What a family changes besides the rows and their weights."""
    if p.family in ("targets 1e150", "underflow", "overflow") and p.loss in ("squared", "huber"):
        size = 10.0 ** draw.choice([-170, -158, -150, -100, -30, 0, 30, 100, 140])
        p.b = [[v * size for v in b] if isinstance(b, list) else b * size for b in p.b]
    if p.family == "lambda 1e200":
        p.lam = 10.0 ** draw.choice([-300, -200, -100, -30, 20, 100, 200])
        p.gamma = draw.choice([0.0, 10.0 ** draw.choice([-300, -150, -30, 20, 100, 200])])
    if p.family == "F 1e100":
        p.structure, p.F = "matrix:F.mtx", [{j: v * 10.0 ** draw.choice([-100, -12, 0, 12, 100]) for j, v in row.items()} for row in p.F]
    if p.family == "stopped early" or draw.random() < 0.08:
        solver = draw.choice(["pd3o", "saga-pd3o", "spdhg", "lpdhg", "condat-vu", "auto"] + ["sadmm", "prox-newton", "alm-ssn", "sdca-admm"] * (p.set == "all"))
        if p.loss == "poisson":  # of no bounded curvature
            solver = draw.choice(["auto", "interior"] + ["prox-newton", "alm-ssn", "ws-newton"] * (p.set == "all"))
        if p.loss in CORNERS:
            solver = "ipm"
        p.solver = ("--solver", solver, "--epochs", str(draw.choice([3, 10, 60])))


BEYOND = ("targets 1e150", "lambda 1e200", "F 1e100", "underflow", "overflow", "weights", "counts weights", "corners weights")


def posed(p):
    """'well', 'badly scaled', 'extreme' or 'singular': by the condition of [sqrt(w) A 1; F; sqrt(gamma) I] with its columns scaled. 'stopped': a solver chosen
    and given few epochs."""
    if p.solver:
        return "stopped"
    if p.family in BEYOND:
        return "extreme"
    w = np.array(p.weights or [1.0] * len(p.A))
    A = np.array(p.A)
    M = np.vstack([np.sqrt(w / w.max())[:, None] * np.hstack([A, np.ones((len(A), 1))] if p.intercept else [A])])
    if p.lam > 0:
        rows = p.F + ([{j: 1.0} for j in range(p.d)] if p.also else [])
        M = np.vstack([M, [[row.get(j, 0.0) for j in range(M.shape[1])] for row in rows]]) if rows else M
    if p.gamma > 0:
        M = np.vstack([M, math.sqrt(p.gamma) * np.eye(p.d, M.shape[1])])
    size = np.abs(M).max(axis=0)
    if np.any(size == 0):
        return "singular"
    M = M / size
    norms = np.sqrt((M * M).sum(axis=0))
    s = np.linalg.svd(M / norms, compute_uv=False)
    if len(s) < M.shape[1] or s[-1] < 1e-14:
        return "singular"
    lengths = list(size * norms / math.sqrt(len(A))) + [1.0] * (p.lam > 0 or p.gamma > 0)  # penalties measure x in units of 1
    spread = 1.0 if p.standardize else max(lengths) / min(lengths)
    return "extreme" if s[0] / s[-1] > 1e6 or spread > 1e12 else "badly scaled" if spread > 1e3 else "well"
