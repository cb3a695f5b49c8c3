"""Summaries of races for bench/reproduction: reading them, medians over repeats, tables of data sets against solvers."""
import json, lzma, math, os, statistics, textwrap

import numpy as np
import scipy.stats

from reproduction_sets import ADMM, GIVEN, LEARNED, OURS, PAPER


def ended(run):
    return run["status"] == "done" and run["suboptimality"] is not None


def median(runs, value):
    numbers = [value(r) if ended(r) and value(r) is not None else math.inf for r in runs]
    return statistics.median(numbers) if numbers else math.inf


def suboptimality(solver):
    return median(solver["runs"], lambda r: r["suboptimality"])


def to_level(solver, level, unit):
    return median(solver["runs"], lambda r: r[unit + "_to"][level])


def spread(solver, repeats=None):
    """Largest over smallest suboptimality of the (first) repeats, as a number of factors of ten."""
    values = [r["suboptimality"] if ended(r) else math.inf for r in solver["runs"][:repeats]]
    return math.log10(max(values) / max(min(values), 1e-16)) if max(values) > 0 else 0


def said(value):
    return "-" if math.isinf(value) else f"{value:.2g}"


def problems(summaries, task):
    for summary in summaries:
        for problem in summary["problems"]:
            if problem["task"] == task:
                yield problem, {s["solver"]: s for s in problem["solvers"]}


def table(summaries, task, title, value):
    """A row per data set, a column per solver; the best of the paper's methods in bold."""
    names = list({n: None for _, solvers in problems(summaries, task) for n in solvers})
    print(f"\n{title}\n\n| data set | " + " | ".join(names) + " |\n|" + "---|" * (1 + len(names)))
    for problem, solvers in problems(summaries, task):
        values = {n: value(solvers[n]) if n in solvers else math.inf for n in names}
        best = min((v for n, v in values.items() if n in OURS[task] + ADMM + ("lpdhg",)), default=math.inf)
        print(f"| {problem['data']} | " + " | ".join(f"**{said(v)}**" if v == best and not math.isinf(v) else said(v) for v in values.values()) + " |")


def ours(solvers, task):
    return [solvers[n] for n in OURS[task] if n in solvers]


def rivals(solvers, lpdhg=True):
    return [solvers[n] for n in ADMM + (("lpdhg",) if lpdhg else ()) if n in solvers]


def fewest(solvers, task):
    """Repeats that all of the paper's methods have: the spread of more repeats is larger."""
    return min(len(s["runs"]) for s in ours(solvers, task) + rivals(solvers))


def say(sentence):
    print(textwrap.fill(sentence, 118, break_long_words=False, break_on_hyphens=False))


def ranks(summaries, task):
    """Mean ranks of the suboptimality over all data sets, those that did not end last; Friedman's test, Nemenyi's critical difference."""
    found = [solvers for _, solvers in problems(summaries, task)]
    end = lambda solvers, name: suboptimality(solvers[name]) if name in solvers else math.inf
    names = [n for n in found[0] if (n in PAPER or all(n in s for s in found)) and any(not math.isinf(end(s, n)) for s in found)]
    values = np.array([[end(s, n) for n in names] for s in found])
    N, k = values.shape
    mean = scipy.stats.rankdata(values, axis=1).mean(axis=0)
    chi2, p = scipy.stats.friedmanchisquare(*values.T)
    apart = scipy.stats.studentized_range.ppf(0.95, k, np.inf) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * N))
    print()
    say(f"{task}: mean ranks over {N} data sets: " + ", ".join(f"{names[i]} {mean[i]:.1f}" for i in np.argsort(mean, kind="stable"))
        + f". Friedman chi2 {chi2:.3g}, p {p:.2g}; ranks further apart than {apart:.2g} differ (Nemenyi, 5 %).")


def read_summary(folder):
    """summary.json, or the compressed one of bench/results"""
    path = os.path.join(folder, "summary.json")
    with open(path) if os.path.exists(path) else lzma.open(path + ".xz", "rt") as file:
        return json.load(file)


def with_theory(paper, theory, raced, free):
    """Protocol theory: SPDHG's own runs; the others from races of protocol theory that have them (`raced`: all methods, the wide grid), else from
    protocol paper, which tunes them in the same way; spdhg-free from races of its own. Sets that have both."""
    first = {(p["data"], p["task"]): (s, p) for s in paper for p in s["problems"]}
    wide, more = ({(p["data"], p["task"]): (s, p) for s in races for p in s["problems"]} for races in (raced, free))
    out = []
    for summary in theory:
        for p in summary["problems"]:
            key = p["data"], p["task"]
            parts = [places[key][1] for places in (wide, first, more) if key in places]
            if key in wide or key in first:
                solvers = {}
                for part in [p] + parts:
                    for s in part["solvers"]:
                        solvers.setdefault(s["solver"], s)
                apart = [abs(a["objective"] - b["objective"]) / p["start_objective"] for a, b in zip(p["optima"], first[key][1]["optima"])] if key in first else []
                out.append({**p, "solvers": list(solvers.values()), "others": "raced" if key in wide else "paper", "apart": max(apart, default=None),
                            "missing": [n for n in ADMM if n not in solvers]})
    order = {name: i for i, name in enumerate(GIVEN + LEARNED)}
    return [{**(theory or paper)[0], "protocol": "theory", "problems": sorted(out, key=lambda p: order[p["data"]])}]


def folders(results, beginning):
    return [read_summary(os.path.join(results, name)) for name in sorted(os.listdir(results)) if name.startswith(beginning)]


def kept(results, form):
    """protocol -> summaries of bench/results: quick-PROTOCOL, or full-PROTOCOL-*; full-raced-*: all methods by protocol theory, full-free-*: spdhg-free"""
    if form == "quick":
        return {p: folders(results, f"quick-{p}") for p in ("paper", "theory", "fair")}
    paper = folders(results, "full-paper")
    return {"paper": paper, "theory": with_theory(paper, *(folders(results, "full-" + kind) for kind in ("theory", "raced", "free"))), "fair": folders(results, "full-fair")}
