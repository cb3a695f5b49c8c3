# reference_cases.py - random small problems over all options of the problem, as words for the command and as a reference.Problem.
# A covering array: every pair of values of two options that may occur together occurs in some case.
import itertools
import random

from reference_run import write_matrix, write_svm, write_table

import numpy as np
import reference

ROWS, FEATURES = 40, 9
SETS = {"all": ("all",), "ball": ("ball", 0.8), "box": ("box", -0.3, 0.4), "nonneg": ("nonneg",), "l1ball": ("l1ball", 1.0),
        "simplex": ("simplex", 1.0)}
LAMBDA = {"l1": 0.02, "group": 0.03, "linf": 0.1, "nuclear": 0.05}
REGRESSION = ("squared", "huber")
FACTORS = {
    "loss": ["logistic", "squared", "squared-hinge", "smooth-hinge", "huber", "softmax"],
    "penalty": list(LAMBDA),
    "structure": ["identity", "chain", "trend", "grid", "edges", "matrix"],
    "set": list(SETS),
    "gamma": [0.0, 0.1],
    "intercept": [False, True],
    "weights": [False, True],
    "offset": [False, True],
    "class_weight": [None, "balanced", "list"],
    "standardize": [False, True],
    "penalty_weights": [False, True],
    "groups": [None, "size", "file", "grid"],
    "also_sparse": [0, 0.5],
    "outputs": [1, 3],
}


def allowed(v):
    """What the command accepts: classes and outputs go with the loss, groups with penalty and structure."""
    if v["class_weight"] and v["loss"] in REGRESSION:
        return False
    if (v["outputs"] == 3) != (v["loss"] == "softmax") and v["loss"] not in REGRESSION:
        return False
    if v["groups"] and v["penalty"] not in ("group", "linf") or v["groups"] == "grid" and v["structure"] != "grid":
        return False
    return v["penalty"] != "group" or v["groups"] is not None or v["outputs"] > 1


def covering_array(seed, more=0):
    """Greedy: of many random cases that with most new pairs, until none is left that random cases ever show; and some more."""
    draw = random.Random(seed)

    def case():
        while True:
            v = {name: draw.choice(values) for name, values in FACTORS.items()}
            if allowed(v):
                return v

    def pairs(v):
        return set(itertools.combinations(v.items(), 2))

    pool = [case() for _ in range(6000)]
    left = set().union(*map(pairs, pool))
    print(f"{len(left)} pairs of option values")
    cases = []
    while left:
        missing = next(iter(sorted(left, key=str)))
        best = max((v for v in draw.sample(pool, 300) + [v for v in pool if missing in pairs(v)][:1]),
                   key=lambda v: len(pairs(v) & left))
        cases.append(best)
        left -= pairs(best)
    return cases + draw.sample(pool, more)


def make_structure(kind, rng):
    """(words for --structure, F, number of the pixel of each row or None)"""
    if kind == "identity":
        return kind, np.eye(FEATURES), None
    if kind == "chain":
        return kind, reference.differences(FEATURES), None
    if kind == "trend":
        return "trend:1", reference.differences(FEATURES, 2), None
    if kind == "grid":
        return "grid:3x3", *reference.grid(3, 3)
    if kind == "edges":  # feature 8 has no edge: solvers may treat it apart
        lines = [(0, 1, 1.0), (1, 2, -0.5), (0, 2, 2.0), (5, 3, 1.5), (3, 4, 1.0), (6, 7, -1.0), (7, 2, 0.7), (4, 6, 1.0)]
        file = write_table("edges.txt", [(i + 1, j + 1, w) for i, j, w in lines])
        return "edges:" + file, reference.edges(lines, FEATURES), None
    F = rng.normal(size=(6, FEATURES)) * (rng.random((6, FEATURES)) < 0.4)
    F[np.arange(6), np.arange(6)] = 1
    return "matrix:" + write_matrix("F.mtx", F), F, None


def make_targets(v, A, rng):
    """(labels as written, b as the loss wants it, class number of each row or None)"""
    noisy = A @ rng.normal(size=(FEATURES, 3)) + rng.normal(size=(ROWS, 3))
    if v["loss"] in REGRESSION:
        b = noisy[:, : v["outputs"]] + 1
        return b, b, None
    if v["loss"] == "softmax":
        number = np.argmax(noisy, 1)
        return np.array([1.0, 2.0, 5.0])[number], number, number
    number = (noisy[:, 0] > 0.3).astype(int)
    return np.array([-1.0, 1.0] if rng.random() < 0.5 else [2.0, 7.0])[number], 2 * number - 1, number


def make_groups(v, m, pixel, rng):
    if v["groups"] == "size":
        size = next(k for k in range(2, m + 1) if m % k == 0)
        return f"size:{size}", np.arange(m) // size
    if v["groups"] == "grid":
        return "grid", pixel
    groups = rng.integers(0, 4, m) * 3 - 1
    return write_table("groups.txt", groups), groups


def make_case(v, seed):
    """(words for the command, the same problem for the reference, scale of the columns)"""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(ROWS, FEATURES)) * (rng.random((ROWS, FEATURES)) < 0.8)
    A *= np.linspace(0.6, 1.6, FEATURES)
    A[:, 4] += 0.5
    labels, b, number = make_targets(v, A, rng)
    K = v["outputs"]
    words = ["--lambda", LAMBDA[v["penalty"]], "--gamma", v["gamma"], "--penalty", v["penalty"],
             "--intercept" if v["intercept"] else "--no-intercept"]
    loss, arg = {"smooth-hinge": ("smooth-hinge:0.5", 0.5), "huber": ("huber:1", 1.0)}.get(v["loss"], (v["loss"], None))
    spec, F, pixel = make_structure(v["structure"], rng)
    words += ["--loss", loss, "--structure", spec, "--set",
              v["set"] + ":" * (len(SETS[v["set"]]) > 1) + ",".join(map(str, SETS[v["set"]][1:]))]
    if K > 1 and v["loss"] in REGRESSION:
        words += [write_svm("data.svm", A, np.zeros(ROWS)), "--targets", write_table("targets.txt", labels)]
    else:
        words += [write_svm("data.svm", A, labels.ravel())]
    w, offset, groups = np.ones(ROWS), None, None
    if v["weights"]:
        w = rng.random(ROWS) * (rng.random(ROWS) < 0.9)
        words += ["--weights", write_table("weights.txt", w)]
    if v["class_weight"] == "balanced":  # every class weighs the same
        w = w / np.bincount(number, w)[number]
        words += ["--class-weight", "balanced"]
    elif v["class_weight"]:
        factor = np.array([0.5, 2.0, 1.0])
        w = w * factor[number]
        words += ["--class-weight", ",".join(f"{label:g}={factor[k]:g}" for k, label in enumerate(np.unique(labels)) if k < 2)]
    if v["offset"]:
        offset = 0.5 * rng.normal(size=(ROWS, K))
        words += ["--offset", write_table("offset.txt", offset)]
    if v["groups"]:
        spec, groups = make_groups(v, len(F), pixel, rng)
        words += ["--groups", spec]
    if v["penalty_weights"]:
        row_weight = rng.uniform(0.5, 1.5, len(F))
        row_weight[1] = 0  # frees the row
        words += ["--penalty-weights", write_table("rows.txt", row_weight)]
        kept = row_weight > 0
        F, groups = (row_weight[:, None] * F)[kept], None if groups is None else groups[kept]
    scale = reference.deviations(A, w) if v["standardize"] else np.ones(FEATURES)
    if v["standardize"]:
        words += ["--standardize"]
    terms = [(v["penalty"], F, LAMBDA[v["penalty"]], groups)]
    if v["also_sparse"]:
        words += ["--also-sparse", v["also_sparse"]]
        terms.append(("l1", np.eye(FEATURES), v["also_sparse"] * LAMBDA[v["penalty"]]))
    problem = reference.Problem(A / scale, b, v["loss"], terms, arg, v["gamma"], SETS[v["set"]], v["intercept"], w, offset, K)
    return words, problem, scale


def norm_bound(F):
    """The bound on ||F|| that the default step uses: Frobenius norm, or the root of the largest row sum of |F||F|'."""
    bound = min(np.linalg.norm(F), np.sqrt((np.abs(F) @ np.abs(F).T).sum(1).max()))
    assert bound >= np.linalg.norm(F, 2) * (1 - 1e-12)
    return bound
