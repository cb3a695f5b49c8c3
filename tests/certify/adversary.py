# adversary.py - a hostile referee of `fit`: what it says to be proven is compared with the minimum, in rational numbers.
# A statement is false if a point u of X refutes it: exact f(u) < objective - gap, or exact f(x, c) - f(u) > gap. No tolerance.
import csv
import json
import os
import re
import subprocess
from dataclasses import dataclass, field

import gmpy2
from gmpy2 import mpfr, mpq

from adversary_path import path
from adversary_problem import Exact
from adversary_proof import bound

PATIENCE = 60
INF = float("inf")


@dataclass
class Verdict:
    status: str = ""                            # of the fit
    kind: str = "none"                          # of its gap
    relative: float = INF
    objective: float = INF
    statements: int = 0
    false: list = field(default_factory=list)   # what is refuted, in words
    open: int = 0                               # statements neither refuted nor seen to be true
    note: str = ""


def fit(command, p, folder, more=()):
    """The report, x and c of the model, the trace; the files are left in the folder. None with the reason if the command refused."""
    p.write(folder)
    words = [command, "fit", "data.svm", *p.words(), "--threads", "1", "--json", "-q", "-o", "model.json", "--trace", "trace.csv", "--certificate", "proof.json", *more]
    with open(os.path.join(folder, "command"), "w") as file:
        file.write(" ".join(words) + "\n")
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None, f"no end after {PATIENCE} s"
    if done.returncode not in (0, 4):
        return None, f"exit {done.returncode}: {done.stderr.strip()[-150:]}"
    report, (x, c) = json.loads(done.stdout), coefficients(folder, "model.json")
    if x is None:
        return None, "exit 0, and x is not finite"
    with open(os.path.join(folder, "trace.csv")) as file:
        return (report, x, c, list(csv.DictReader(file))), ""


def said_apart(folder, x):
    """R of "coefficients within R of the optimal ones", the largest number that is written so with its two digits; None if it is another x's."""
    with open(os.path.join(folder, "command")) as file:
        words = file.read().split()
    words = ["second.json" if w == "model.json" else w for w in words if w not in ("--json", "-q", "--trace", "trace.csv", "--certificate", "proof.json")]
    said = re.search(r"coefficients within (\S+) of the optimal", subprocess.run(words, cwd=folder, capture_output=True, text=True).stdout)
    return float(said[1]) * 1.05 if said and coefficients(folder, "second.json")[0] == x else None


def coefficients(folder, name):
    with open(os.path.join(folder, name)) as file:
        model = json.load(file)
    x = model["coefficients"]
    if isinstance(x, dict):
        flat = [0.0] * (model["features"] * model["outputs"])
        for at, v in zip(x["index"], x["value"]):
            flat[at] = v
        x = flat
    if None in x + model["constants"]:
        return None, None
    c, K = [mpq(v) for v in model["constants"]], model["outputs"]
    if model.get("centred"):  # a'x + c = (a - s)'x + c': c itself need not be a double
        centre = model["centred"]
        c = [mpq(v) - sum((mpq(s) * mpq(x[j * K + k]) for j, s in zip(centre["index"], centre["value"])), mpq(0)) for k, v in enumerate(centre["constants"])]
    return x, c


def only_certified(p):
    """Who does not say of what kind a gap is (a trace, a path) has certified ones only where there are no others."""
    return p.gamma > 0 or p.set in ("ball", "l1ball", "simplex") or p.set == "box" and INF not in map(abs, p.bounds)


class Claims:
    """lower: f is nowhere below these. above: f(x, c) is at most so much above f anywhere. apart: ||x - x*|| is at most that."""

    def __init__(self, e, report, x, c, trace):
        self.x = [mpq(v) * e.scale[i // e.K] for i, v in enumerate(x)]
        self.f = e.value(self.x, c)
        self.radius = report["gap_radius"]
        self.above = mpq(report["gap"])
        self.apart, self.gamma = report.get("x_radius"), mpfr(e.gamma)
        if self.apart is not None and e.p.standardize:
            self.apart += float(4 * e.doubt * gmpy2.sqrt(mpfr(sum(v * v for v in self.x))))
        only = only_certified(e.p)
        points = [mpq(float(row["objective"])) - mpq(float(row["gap"])) for row in trace
                  if row["gap"] not in ("", "nan", "inf") and (row["gap_kind"] == "certified" if "gap_kind" in row else only)]
        self.lower = {"objective - gap": mpq(report["objective"]) - self.above} if self.radius is None else {}
        if points and self.radius is None:
            self.lower["objective - gap of the trace"] = max(points)
        self.count = 1 + len(self.lower) + max(len(points) - 1, 0) * (self.radius is None) + (self.apart is not None)
        # The deviations are known to so many digits; else what our own exp and log round.
        size = self.f + e.lam * sum((abs(v) * sum(abs(row.get(i // e.K, 0.0)) for row in e.p.F) for i, v in enumerate(self.x)), mpq(0))
        self.margin = max(4 * e.doubt, mpfr(2) ** (40 - gmpy2.get_context().precision)) * size

    def distance(self, x, slack):
        """(least, largest) of ||x - x*||, by strong convexity, from a point whose f is within slack of the best."""
        away = gmpy2.sqrt(mpfr(sum((a - b) ** 2 for a, b in zip(self.x, x))))
        off = gmpy2.sqrt(2 * slack / self.gamma)
        return away - off, away + off

    def refuted(self, f, x, slack):
        out = []
        for name, lower in self.lower.items():
            if f < lower - self.margin:
                out.append(f"f(u) = {float(f):.17g} is {float(lower - f):.3g} below {name} = {float(lower):.17g}")
        if self.f - f > self.above + self.margin:
            out.append(f"f(x, c) = {float(self.f):.17g} is {float(self.f - f):.3g} above f(u), said to be at most {float(self.above):.3g}")
        bounded = slack is not None and f - slack <= self.f  # else the oracle's bound is none: the minimum is far out, or nowhere
        if self.apart is not None and bounded and self.distance(x, slack)[0] > self.apart:
            out.append(f"||x - x*|| is at least {float(self.distance(x, slack)[0]):.3g}, said to be at most {self.apart:.3g}")
        return out

    def seen_true(self, f, x, slack):
        """As far as the oracle's own bound goes."""
        lower = max(self.lower.values(), default=None)
        if lower is not None and lower <= 0 and self.f <= self.above and self.apart is None:
            return True
        return slack is not None and f - slack <= self.f and (lower is None or f - slack >= lower) and self.f - f + slack <= self.above and (
            self.apart is None or self.distance(x, slack)[1] <= self.apart)


    def follow(self, e, folder, w, c):
        """From the certificate in the folder, exactly."""
        lower = max(self.lower.values(), default=None)
        radius = mpq(self.radius) if self.radius is not None else None
        found = bound(e, folder, w, c, radius, lambda f: f - self.above if lower is None else max(f - self.above, lower)) if folder else None
        if found is None:
            return False
        f, D = found
        tiny = mpfr(2) ** -180 * max(abs(f), abs(D))
        return (lower is None or D >= lower - tiny) and f - D <= self.above + tiny and (
            self.apart is None or 2 * (f - D) <= self.gamma * mpfr(self.apart) ** 2)


def judge(p, report, x, c, trace, folder=None, lower_only=False):
    """folder: where the certificate is, if there is one. lower_only: c is not the one that the statement is about."""
    e, v = Exact(p), stated(report)
    if v.kind == "none":
        return v
    claims = Claims(e, report, x, c, trace)
    if lower_only:
        claims.above, claims.count = mpfr("inf"), claims.count - 1
    v.statements = claims.count
    away, rounded = e.outside(claims.x), p.standardize or p.set in ("ball", "l1ball", "simplex")
    doubt = mpfr(2) ** -45 + 4 * e.doubt * max(map(abs, claims.x)) if rounded else 0
    v.note = "x is out of X" if away > doubt else ""
    if away > 1000 * doubt + mpfr(2) ** -40:  # f(x, c) is infinite, and no gap is
        v.false = [f"x is {float(away):.3g} out of X"]
        return v
    true = claims.seen_true(claims.f, claims.x, None) or away <= doubt and claims.follow(e, folder, x, c)
    if away == 0:
        v.false = claims.refuted(claims.f, claims.x, None)
    for ux, _, f, slack in () if true else path(e, claims.radius):
        f = max(f, 0)  # no loss is negative: what is below 0 has been rounded, where counts of 1e9 cancel
        if e.outside(ux) > 0 or claims.radius is not None and sum(t * t for t in ux) > mpq(claims.radius) ** 2:
            continue
        v.false = claims.refuted(f, ux, slack) or v.false
        true = claims.seen_true(f, ux, slack)
        if v.false or true:
            break
    v.open = 0 if v.false or true else 1
    return v


def stated(report):
    relative = report["gap_relative"]
    return Verdict(report["status"], report["gap_kind"], INF if relative is None else relative, report["objective"])


def examine(command, p, folder, more=(), judged=True):
    """Fit and judge; a refusal of the command is a verdict without statements."""
    answer, why = fit(command, p, folder, more)
    if answer is None:
        return Verdict(status=why)
    report, x = answer[:2]
    if judged and p.gamma > 0 and "x_radius" not in report:
        report["x_radius"] = said_apart(folder, x)
    return judge(p, *answer, folder) if judged else stated(report)
