# adversary_walk.py - the same referee for `path`: every line of it says how far its objective can be from the best at that lambda.
# A line does not say of what kind its gap is, so only problems are walked where nothing but a certified one is possible.
import csv
import os
import subprocess
from dataclasses import replace

from gmpy2 import mpfr, mpq

from adversary import PATIENCE, only_certified
from adversary_path import path
from adversary_problem import Exact

WORDS = ["--lambda-max", "1", "--lambda-ratio", "1e-3", "--lambdas", "4", "--saturation", "0", "--folds", "0", "--choose", "bic", "--rule", "min"]


def lines(command, p, folder, more):
    """(lambda, objective, gap_relative) of every line."""
    p.write(folder)
    words = p.words()
    at = words.index("--lambda")
    words = [command, "path", "data.svm", *words[:at], *words[at + 2:], *WORDS, "--threads", "1", "-q", "--path", "path.csv", *more]
    with open(os.path.join(folder, "command"), "w") as file:
        file.write(" ".join(words) + "\n")
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode not in (0, 4):
        return []
    with open(os.path.join(folder, "path.csv")) as file:
        return [(float(row["lambda"]), float(row["objective"]), float(row["gap_relative"])) for row in csv.DictReader(file) if row["gap_relative"]]


def walk(command, p, folder, more=()):
    """(statements, those that are false in words)."""
    if not only_certified(p) or p.standardize:
        return 0, []
    false, told = [], lines(command, replace(p, solver=()), folder, more)
    for lam, objective, gap in told:
        e = Exact(replace(p, lam=lam))
        zero = e.value([0] * (e.d * e.K), [0] * e.K)
        lower = mpq(objective) - mpfr(gap) * max(abs(mpfr(objective)), mpfr("1e-10") * zero) * (1 + mpfr(2) ** -50)
        for x, _, f, slack in path(e):
            if e.outside(x) == 0 and f < lower - abs(mpfr(objective)) * mpfr(2) ** -52:
                false.append(f"lambda {lam!r}: f(u) = {float(f):.17g} is {float(lower - f):.3g} below what {objective!r} within {gap!r} of it says")
                break
            if slack is not None and f - slack >= lower:
                break
    return len(told), false
