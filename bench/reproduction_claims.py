"""The claims of Section 5 of the paper, counted on the summaries of races: what bench/reproduction prints."""
import math, os, re, statistics

import numpy as np
import scipy.stats

from reproduction_sets import ADMM, GIVEN, OURS, WORDS
from reproduction_summaries import ended, fewest, folders, kept, median, ours, problems, ranks, read_summary, rivals, said, say, spread, suboptimality, table, to_level


def count(summaries, task, good, asked=lambda solvers: True):
    results = [bool(good(solvers)) for _, solvers in problems(summaries, task) if asked(solvers)]
    return f"{sum(results)} of {len(results)}"


def questions(summaries):
    """title, function of the task"""
    def best(task, value, asked=lambda solvers: True):
        return count(summaries, task, lambda s: math.inf > min(map(value, ours(s, task))) <= min(map(value, rivals(s))), asked)

    def first(task, value):
        """Of the data sets where any of the paper's methods got there."""
        return best(task, value, lambda s: min(map(value, ours(s, task) + rivals(s))) < math.inf) + " reached"

    def seconds(level):
        return lambda solver: to_level(solver, level, "seconds")

    def epochs(level):
        return lambda solver: to_level(solver, level, "epochs")
    def steady(task):
        return count(summaries, task, lambda s: lead(s, task, lambda x: spread(x, fewest(s, task))))
    rows = [("data sets where SPDHG ends with the smallest suboptimality", lambda t: best(t, suboptimality)),
            ("... the smallest test loss", lambda t: best(t, lambda s: median(s["runs"], lambda r: r["test_loss"]))),
            ("... reaches 1e-1 in the fewest epochs (ties count)", lambda t: first(t, epochs(0))),
            ("... reaches 1e-2 in the fewest epochs", lambda t: first(t, epochs(1))),
            ("... reaches 1e-1 in the least time", lambda t: first(t, seconds(0))),
            ("... reaches 1e-2 in the least time", lambda t: first(t, seconds(1))),
            ("... has the smallest spread over the repeats", steady),
            ("data sets where all six ADMMs end below LPDHG", lambda t: count(summaries, t, lambda s: max(map(suboptimality, rivals(s, False))) < suboptimality(s["lpdhg"]))),
            ("data sets where FSADMM ends below SPDHG", lambda t: count(summaries, t, lambda s: suboptimality(s["fsadmm"]) < min(map(suboptimality, ours(s, t))))),
            ("time of a run of FSADMM over one of SPDHG, median over data sets", lambda t: said(statistics.median(
                median(s["fsadmm"]["runs"], lambda r: r["seconds"]) / median(ours(s, t)[0]["runs"], lambda r: r["seconds"]) for _, s in problems(summaries, t)))),
            ("data sets where SPDHG is below 1e-2 within two epochs", lambda t: count(summaries, t, lambda s: min(map(epochs(1), ours(s, t))) <= 2)),
            ("... below 1e-1 within two epochs", lambda t: count(summaries, t, lambda s: min(map(epochs(0), ours(s, t))) <= 2))]
    return rows + [("suboptimality of SC1 over that of SC2, median over data sets", lambda t: "" if t == "gglr" else said(statistics.median(
        suboptimality(s["spdhg-sc1"]) / suboptimality(s["spdhg-sc2"]) for _, s in problems(summaries, "ggrlr"))))]


def claims(summaries):
    print("\n| question | gglr | ggrlr |\n|---|---|---|")
    for title, value in questions(summaries):
        print(f"| {title} | {value('gglr')} | {value('ggrlr')} |".replace("|  |", "| |"))


def all_claims(o):
    found = {protocol: questions(summaries) for protocol, summaries in kept(o.out, o.form).items()}
    print("| question | " + " | ".join(f"{task}: {protocol}" for task in OURS for protocol in found) + " |\n|" + "---|" * (1 + len(OURS) * len(found)))
    for i, (title, _) in enumerate(next(iter(found.values()))):
        print((f"| {title} | " + " | ".join(rows[i][1](task) for task in OURS for rows in found.values()) + " |").replace("|  |", "| |").replace("|  |", "| |"))


def troubles(summaries):
    """What did not end, the same for several data sets in one row; a method that has no theory for a task is refused it and not listed."""
    found = {}
    for task in OURS:
        for problem, solvers in problems(summaries, task):
            for name, solver in solvers.items():
                bad = [r for r in solver["runs"] if not ended(r)]
                if bad and not (name in OURS["ggrlr"] and task == "gglr"):
                    found.setdefault((task, name, f"{len(bad)} of {len(solver['runs'])} runs: {bad[0]['status']}"), []).append(problem["data"])
    print("\n| task | solver | what happened | data sets |\n|---|---|---|---|")
    for (task, name, what), sets in found.items():
        print(f"| {task} | {name} | {what} | {', '.join(sets)} |")


def tables(o):
    results = not any(os.path.exists(os.path.join(o.out[0], "summary.json" + end)) for end in ("", ".xz"))
    summaries = kept(o.out[0], "full")["theory"] if results else [read_summary(folder) for folder in o.out]
    first = summaries[0]
    command = "bench/reproduction sources" if results else re.sub(" --solvers [^ ]*", "", first["command"])
    say(f"Protocol {first['protocol']}" + (f", preset {first['preset']}" if first["preset"] else "") + f", {first['repeats']} repeats of "
        f"{first['epochs']:g} epochs, runs stopped after {first['run_time']:g} s; {first['clock']}. `{command}`")
    claims(summaries)
    for task in OURS:
        table(summaries, task, f"{task}: relative suboptimality at the end, median over repeats", suboptimality)
        table(summaries, task, f"{task}: seconds to 1e-1", lambda s: to_level(s, 0, "seconds"))
        table(summaries, task, f"{task}: seconds to 1e-2", lambda s: to_level(s, 1, "seconds"))
    for task in OURS:
        ranks(summaries, task)
    troubles(summaries)


CLAIMS = (("gglr: SPDHG ends with the smallest objective of the paper's methods", "gglr", "sets",
           lambda s, t: lead(s, t, suboptimality)),
          ("ggrlr: SPDHG-SC1 or -SC2 does", "ggrlr", "sets", lambda s, t: lead(s, t, suboptimality)),
          ("gglr: SPDHG takes the least time to 1e-1", "gglr", "sets that get there", lambda s, t: lead(s, t, lambda x: to_level(x, 0, "seconds"))),
          ("ggrlr: it takes the least time to 1e-2", "ggrlr", "sets that get there", lambda s, t: lead(s, t, lambda x: to_level(x, 1, "seconds"))),
          ("gglr: all six ADMMs end below LPDHG", "gglr", "sets", lambda s, t: max(map(suboptimality, rivals(s, False))) < suboptimality(s["lpdhg"])),
          ("gglr: FSADMM sometimes ends below SPDHG", "gglr", "sets", lambda s, t: suboptimality(s["fsadmm"]) < suboptimality(s["spdhg"])),
          ("gglr: SPDHG varies least over the repeats", "gglr", "sets", lambda s, t: lead(s, t, lambda x: spread(x, fewest(s, t)))),
          ("ggrlr: it is below 1e-2 within two epochs", "ggrlr", "sets", lambda s, t: min(to_level(x, 1, "epochs") for x in ours(s, t)) <= 2))


def lead(solvers, task, value):
    """True: ours is best; None: none of the paper's methods has a value."""
    mine, theirs = min(map(value, ours(solvers, task))), min(map(value, rivals(solvers)))
    return None if math.isinf(min(mine, theirs)) else mine <= theirs


def word(good, of):
    """holds: on all sets but a tenth; no: on fewer than a third."""
    return "holds" if 10 * good >= 9 * of else "no" if 3 * good < of else "partly"


def sources(o):
    """Protocol theory: repeats, and whose runs the others are."""
    print("| data set | repeats of SPDHG | the others | their repeats | optima of the two builds differ by, of f(0) |\n|---|---|---|---|---|")
    for p, s in problems(kept(o.out, "full")["theory"], "gglr"):
        others = "the same build, steps of 0.1 to 10,000 times the rule" if p["others"] == "raced" else "protocol paper, steps of 1 to 100 times the rule"
        lacks = f"; not run: {', '.join(p['missing'])}" if p["missing"] else ""
        apart = "-" if p["apart"] is None else "0" if p["apart"] < 1e-12 else f"{p['apart']:.1g}"
        print(f"| {p['data']} | {len(s['spdhg']['runs'])} | {others}{lacks} | {len(s['sadmm']['runs'])} | {apart} |")
    counted = {p["data"] for p, _ in problems(kept(o.out, "full")["theory"], "gglr")}
    for p, s in problems(folders(o.out, "full-theory"), "gglr"):
        if p["data"] not in counted:
            print(f"| {p['data']} | {len(s['spdhg']['runs'])} | only in the quick study; not counted in the verdict | - | - |")


def verdict(o):
    found = kept(o.out, o.form)
    print("| claim | paper | theory | fair |\n|---|---|---|---|")
    for title, task, unit, good in CLAIMS:
        cells = []
        for summaries in found.values():
            results = [good(s, task) for _, s in problems(summaries, task)]
            results = [bool(r) for r in results if r is not None]
            cells.append(f"{word(sum(results), len(results))}, {sum(results)} of {len(results)}" if results else "not run")
        print(f"| {title} | " + " | ".join(cells) + " |")


def standing(o):
    """Mean ranks among the paper's methods, and what L does to SPDHG, set by set."""
    found = kept(o.out, o.form)
    for task in OURS:
        for protocol, summaries in found.items():
            values = {}
            for _, solvers in problems(summaries, task):
                for name in OURS[task] + ADMM + ("lpdhg",):
                    values.setdefault(name, []).append(suboptimality(solvers[name]) if name in solvers else math.inf)
            names = list(values)
            if names:
                mean = scipy.stats.rankdata(np.array(list(values.values())).T, axis=1).mean(axis=0)
                say(f"{task}, {protocol}: mean ranks of the paper's methods over {len(values[names[0]])} sets: "
                    + ", ".join(f"{names[i]} {mean[i]:.1f}" for i in np.argsort(mean, kind="stable")) + ".")
                print()
    print("| gglr, relative suboptimality at the end | spdhg, L max | spdhg, L of Assumption 1 | spdhg-free | spdhg, tuned | best ADMM |\n|---|---|---|---|---|---|")
    fair = {p["data"]: s for p, s in problems(found["fair"], "gglr")}
    before = {p["data"]: s for p, s in problems(found["paper"], "gglr")}
    for p, s in problems(found["theory"], "gglr"):
        name = p["data"]
        cells = [suboptimality(before[name]["spdhg"]) if name in before else math.inf, suboptimality(s["spdhg"]), suboptimality(s["spdhg-free"]) if "spdhg-free" in s else math.inf,
                 suboptimality(fair[name]["spdhg"]) if name in fair else math.inf, min(map(suboptimality, rivals(s, False)))]
        print(f"| {name} | " + " | ".join(map(said, cells)) + " |")
    ratio = {L: [suboptimality(own[p["data"]]["spdhg"]) / min(map(suboptimality, rivals(s, False))) for p, s in problems(found["theory"], "gglr") if p["data"] in GIVEN]
             for L, own in (("of Assumption 1", {p["data"]: s for p, s in problems(found["theory"], "gglr")}), ("max", before))}
    if not ratio["max"]:
        return  # the quick form has no such sets
    print()
    say(f"On the {len(ratio['max'])} document sets with the authors' graphs SPDHG without ridge and without tuning ends at {said(min(ratio['of Assumption 1']))} to "
        f"{said(max(ratio['of Assumption 1']))} times the error of the best tuned ADMM (median {said(statistics.median(ratio['of Assumption 1']))}); with the L of the paper's "
        f"experiments at {said(min(ratio['max']))} to {said(max(ratio['max']))} times (median {said(statistics.median(ratio['max']))}).")


def span(values):
    return f"{said(min(values))} to {said(max(values))}"


def detail(o):
    """Documents and the other sets apart; then what is not in the paper."""
    found = kept(o.out, o.form)
    print("| sets | task | protocol | SPDHG ends at | the best ADMM ends at | SPDHG is lower | first in seconds to |\n|" + "---|" * 7)
    apart = {"word counts": lambda name: name in WORDS, "the other sets": lambda name: name not in WORDS}
    for kind, inside in apart.items():
        for task in OURS:
            for protocol in ("paper", "theory", "fair"):
                sets = [s for p, s in problems(found[protocol], task) if inside(p["data"])]
                mine = [min(map(suboptimality, ours(s, task))) for s in sets]
                theirs = [min(map(suboptimality, rivals(s, False))) for s in sets]
                level = 0 if task == "gglr" else 1
                first = [lead(s, task, lambda x: to_level(x, level, "seconds")) for s in sets]
                first = [f for f in first if f is not None]
                print(f"| {kind} | {task} | {protocol} | {span(mine)} | {span(theirs)} | {sum(m <= t for m, t in zip(mine, theirs))} of {len(sets)} | "
                      f"1e-{level + 1}: {sum(first)} of {len(first)} |")
    print()
    by_passes = [s for task in OURS for _, s in problems(found["paper"], task)]
    def earliest(level):
        there = [s for s in by_passes if min(to_level(x, level, "seconds") for x in s.values()) < math.inf]
        return f"{sum(to_level(s['auto'], level, 'seconds') <= min(to_level(x, level, 'seconds') for x in s.values()) for s in there)} of {len(there)}"
    say(f"auto, protocol paper: the first of all to 1e-1 in seconds on {earliest(0)} problems, to 1e-4 on {earliest(3)}.")
    far = [min(map(suboptimality, ours(s, "ggrlr") + rivals(s))) for p, s in problems(found["paper"], "ggrlr") if p["data"] not in WORDS]
    saga = [suboptimality(s["saga-pd3o"]) for p, s in problems(found["paper"], "ggrlr") if p["data"] not in WORDS]
    print()
    say(f"saga-pd3o, ggrlr, the other sets: ends at {span(saga)} (median {said(statistics.median(saga))}), the best of the paper's methods at {span(far)}.")


def cost(o):
    """The introduction's claim: an iteration of the ADMMs, which have one vector more, costs more than one of SPDHG."""
    found = kept(o.out, o.form)["paper"]
    print("| processor time of a run over that of SPDHG | gglr | ggrlr |\n|---|---|---|")
    for name in ADMM:
        cells = []
        for task in OURS:
            ratios = [median(s[name]["runs"], lambda r: r["seconds"]) / median(ours(s, task)[0]["runs"], lambda r: r["seconds"]) for _, s in problems(found, task)]
            ratios = [r for r in ratios if not math.isinf(r)]
            cells.append(f"{said(statistics.median(ratios))} ({said(min(ratios))} to {said(max(ratios))}, {len(ratios)} sets)")
        print(f"| {name} | " + " | ".join(cells) + " |")


def ends(o):
    """Suboptimality at the end and seconds to 1e-2, for a race whose solvers are not those of the claims."""
    summaries = [read_summary(folder) for folder in o.out]
    for task in OURS:
        if any(True for _ in problems(summaries, task)):
            table(summaries, task, f"{task}: relative suboptimality at the end, median over repeats", suboptimality)
            table(summaries, task, f"{task}: seconds to 1e-2", lambda s: to_level(s, 1, "seconds"))
