# adversary_walk.py - the same referee for `path`: every lambda has its own statement, about its own coefficients, and each is judged like that of a fit.
# The dual point that settles it is another run's, `fit` at that lambda to a smaller gap: who found it does not matter.
import csv
import json
import os
import subprocess
from collections import defaultdict
from dataclasses import replace

from gmpy2 import mpq

from adversary import PATIENCE, judge

WORDS = ["--lambda-ratio", "1e-3", "--lambdas", "5", "--saturation", "0", "--folds", "0", "--choose", "bic", "--rule", "min"]
FINER = ["--tol", "1e-11", "--time", "0.5"]


def by_columns(p):
    """The problem with the penalty lambda ||x||_1 and X = R^d, for which paths have an engine and a proof of their own (src/lasso)."""
    return replace(p, structure="identity", F=[{j: 1.0} for j in range(p.d)], penalty="l1", groups=None, also=0.0, set="all", bounds=())


def by_blocks(p, seed):
    """The same with groups of features or, for several outputs, rows of coefficients, for which there is another engine (src/blocks). It takes l1 of several
    outputs too."""
    p = by_columns(p)
    return p if p.K > 1 and seed % 2 else replace(p, penalty="group", groups=None if p.K > 1 else [1 + j * seed % 7 % 3 for j in range(p.d)])


def nowhere_near_zero(p, seed):
    """The set of the problem, or one that 0 is not in: what is known of one lambda must not be used for another."""
    if p.set == "all" and p.gamma == 0:
        return replace(p, set="box" if seed % 2 else "simplex", bounds=(0.1, 0.5) if seed % 2 else (1.0,))
    return p


def walked(p, seed):
    """Of three seeds two become problems for the engines by columns, every other time with blocks, with the largest lambda found or given."""
    if seed % 3 == 2:
        return nowhere_near_zero(p, seed), ["--lambda-max", "1"]
    return by_blocks(p, seed // 6) if seed // 3 % 2 else by_columns(p), ["--lambda-max", "1"] * (seed % 3 == 1)


def run(words, folder):
    try:
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE).returncode
    except subprocess.TimeoutExpired:
        return None


def coefficients(p, folder):
    """{lambda as written: (x, c)}; c is None where it is not written exactly: beside columns that are centred."""
    with open(os.path.join(folder, "model.json")) as file:
        model = json.load(file)
    found = defaultdict(lambda: ([0.0] * (p.d * p.K), [mpq(0)] * p.K))
    place = {name: j for j, name in enumerate([f"f{j}" for j in range(p.d)] if p.csv else [str(j + 1) for j in range(p.d)])}
    seen = defaultdict(int)
    labels = sorted({str(int(b)) for b in p.b}) if p.loss == "softmax" else [str(k + 1) for k in range(p.K)]
    with open(os.path.join(folder, "coefficients.csv")) as file:
        for row in csv.DictReader(file):
            x, c = found[row["lambda"]]
            if row["feature"] == "(intercept)":
                c[seen[row["lambda"]]] = mpq(float(row["value"]))
                seen[row["lambda"]] += 1
            else:
                x[place[row["feature"]] * p.K + (labels.index(row["class"]) if p.K > 1 else 0)] = float(row["value"])
    return found, bool(model.get("centred"))


def lines(command, p, folder, more):
    """The statements: (report, x, c) and lambda; None for c: not told exactly."""
    words = p.words()
    at = words.index("--lambda")
    words = [command, "path", "data.svm", *words[:at], *words[at + 2:], *WORDS, "--threads", "1", "-q", "--path", "path.csv",
             "--coefficients", "coefficients.csv", "-o", "model.json", *more]
    with open(os.path.join(folder, "command"), "w") as file:
        file.write(" ".join(words) + "\n")
    if run(words, folder) not in (0, 4):
        return []
    points, centred = coefficients(p, folder)
    told = []
    with open(os.path.join(folder, "path.csv")) as file:
        for row in csv.DictReader(file):
            if row["gap_kind"] == "none":
                continue
            assert (row["gap_kind"] == "within_radius") == (row["gap_radius"] != ""), row
            report = {"status": row["status"], "objective": float(row["objective"]), "gap": float(row["gap"]), "gap_relative": float(row["gap_relative"]),
                      "gap_kind": row["gap_kind"], "gap_radius": float(row["gap_radius"]) if row["gap_radius"] else None}
            x, c = points[row["lambda"]]
            told.append((float(row["lambda"]), report, x, c, p.intercept and centred))
    return told


def walk(command, p, seed, folder, more=()):
    """(statements, those that are false in words, those that are undecided)."""
    p, top = walked(replace(p, solver=()), seed)
    p.write(folder)
    count, false, unknown = 0, [], 0
    for lam, report, x, c, hidden in lines(command, p, folder, [*top, *more]):
        here, proof = replace(p, lam=lam), os.path.join(folder, "proof.json")
        if os.path.exists(proof):
            os.remove(proof)
        run([command, "fit", "data.svm", *here.words(), "--threads", "1", "-q", "--certificate", "proof.json", *FINER], folder)
        v = judge(here, report, x, c, [], folder, lower_only=hidden)
        count, unknown = count + v.statements, unknown + v.open
        false += [f"lambda {lam!r}: {text}" for text in v.false]
    return count, false, unknown
