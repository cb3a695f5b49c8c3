#!/usr/bin/python3
"""Deletes the statements of the solver rooms and of those that prove, read and write, one at a time, and expects a test to fail each time.

    tests/mutation.py [--room NAME]... [--file src/ROOM/NAME.c]... [--list] [--again] [--seconds S] [--every K]

Mutated are all functions of the rooms WHOLE, and of the rooms STEPS the functions that a step reaches (support/mutants.py). All mutants
are compiled into one program, in build/mutation. Each test first runs unchanged, which says how long it takes and which mutants it
reaches; then each mutant meets the tests of its file (support/mutation_tests.py) that reach it, cheapest first, until one fails. Results
are kept in build/mutation/results.jsonl: a run that was interrupted, or ended by --seconds, goes on where it was; a file that changes is
done anew, and --again tries survivors again. A mutant that survives must be in mutation_allowed.txt: file, a tab, the lines joined by one
space, a tab, the reason; * stands for any characters. Exit status 1 if another one survives, or if a line of that file excuses nothing.
"""
import argparse
import collections
import fnmatch
import hashlib
import json
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from mutants import mutants, reached
from mutation_build import BUILD, Test, build
from mutation_tests import tests_of

ALLOWED = os.path.join(ROOT, "tests", "mutation_allowed.txt")
RESULTS = os.path.join(BUILD, "results.jsonl")
STEPS = ("solver", "primal_dual", "admm", "newton")
WHOLE = ("chain", "face", "lasso", "interior", "run", "certify", "data", "model")
ALL = ("step_rule.c", "primal_dual_steps.c", "metric.c")  # all functions: reached through pointers, or from start
FATES = ("killed", "does not compile", "survived", "unreached")


def read_sources():
    sources = {}
    for room in STEPS + WHOLE:
        for name in sorted(os.listdir(os.path.join(ROOT, "src", room))):
            if name.endswith(".c"):
                with open(os.path.join(ROOT, "src", room, name)) as file:
                    sources[f"src/{room}/{name}"] = file.read()
    return sources


def all_mutants(sources):
    names = reached(sources, lambda file: file.split("/")[1] in WHOLE or os.path.basename(file) in ALL)
    work = [m for file in sources for m in mutants(file, sources[file], names[file])]
    for number, m in enumerate(work):
        m.number = number
        digest = hashlib.sha256(sources[m.file].encode()).hexdigest()[:16]
        m.identity = f"{m.file} {digest} {m.first} {m.last} {m.kind}"
    return work


def recall(work, again):
    """Fates of earlier runs, for files that have not changed since."""
    known = {}
    if os.path.exists(RESULTS):
        with open(RESULTS) as file:
            for line in file:
                if line.endswith("\n"):  # the last one may be half
                    entry = json.loads(line)
                    known[entry["identity"]] = entry
    for m in work:
        entry = known.get(m.identity)
        if entry and not m.fate and not (again and entry["fate"] in ("survived", "unreached")):
            m.fate, m.by, m.seconds = entry["fate"], entry["by"], entry["seconds"]


def try_one(m, tests, kills):
    """Cheapest first; among them those that have caught more in this file."""
    began = time.monotonic()
    own = [tests[t] for t in tests_of(m.file) if tests[t].hits[m.number]]
    m.fate = "survived" if own else "unreached"
    for test in sorted(own, key=lambda t: t.cpu / (1 + kills[m.file, t.name])):
        if test.fails(m.number):
            m.fate, m.by = "killed", test.name
            kills[m.file, test.name] += 1
            break
    m.seconds = round(time.monotonic() - began, 2)


def allowances():
    out = []
    with open(ALLOWED) as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                out.append((number, *line.rstrip("\n").split("\t")))
    return out


def like(text, pattern):
    return text == pattern or "*" in pattern and fnmatch.fnmatchcase(text, pattern.replace("[", "[[]").replace("?", "[?]"))


def report(work, chosen, sample):
    """A table by room; survivors without an excuse, and, unless this is a sample, excuses without a survivor."""
    allowed, used = allowances(), set()
    table, bad = collections.defaultdict(collections.Counter), []
    for m in work:
        count = table[m.file.split("/")[1]]
        count["mutants"] += 1
        if m.fate not in ("survived", "unreached"):
            count[m.fate or "not run"] += 1
            continue
        excuses = [a[0] for a in allowed if like(m.file, a[1]) and like(m.key, a[2])]
        used |= set(excuses)
        count["excused" if excuses else m.fate] += 1
        bad += [] if excuses else [m]
    for m in bad:
        print(f"{m.fate} {m.file}:{m.first + 1}: {m.kind}: {m.key}")
    columns = ("mutants", "killed", "does not compile", "excused", "survived", "unreached", "not run")
    print(f"{'room':14}" + "".join(f"{c:>18}" for c in columns))
    for room, count in [*table.items(), ("all", sum(table.values(), collections.Counter()))]:
        print(f"{room:14}" + "".join(f"{count[c]:18}" for c in columns))
    files = {m.file for m in work}
    finished = not any(m.fate is None for m in work)
    idle = [a for a in allowed if a[0] not in used and finished and not sample and any(like(f, a[1]) for f in files) and (chosen is None or "*" not in a[1])]
    for number, _, key, _ in idle:
        print(f"{ALLOWED}:{number}: no such mutant survives: {key}")
    print(f"{len(bad)} survived without an excuse, {len(idle)} excuses for nothing, {sum(m.fate is None for m in work)} not run")
    return len(bad) > 0 or len(idle) > 0 or not finished


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", action="append", help="only this one (may be repeated)")
    parser.add_argument("--room", action="append", help="only the files of this room (may be repeated)")
    parser.add_argument("--list", action="store_true", help="print the mutants, build nothing")
    parser.add_argument("--again", action="store_true", help="try those again that survived an earlier run")
    parser.add_argument("--every", type=int, default=1, help="a sample: each K-th mutant")
    parser.add_argument("--seconds", type=float, help="begin no further mutant after this time")
    options = parser.parse_args()
    sources = read_sources()
    work = all_mutants(sources)
    chosen = None
    if options.file or options.room:
        chosen = {os.path.relpath(os.path.abspath(f), ROOT) for f in options.file or []}
        chosen |= {f for f in sources if f.split("/")[1] in (options.room or [])}
    mine = [m for m in work if chosen is None or m.file in chosen][:: options.every]
    if options.list:
        for m in mine:
            print(f"{m.file}:{m.first + 1}: {m.kind}: {m.key}")
        print(len(mine), "mutants")
        return 0
    began = time.monotonic()
    names = sorted({t for m in mine for t in tests_of(m.file)})
    build(sources, work, names)
    recall(mine, options.again)
    tests, kills = {name: Test(name) for name in names}, collections.Counter()
    needed = {t for m in mine if not m.fate for t in tests_of(m.file)}
    for test in tests.values():
        if test.name in needed:
            test.measure(len(work))
            print(f"{test.cpu:8.1f} s  {sum(test.hits):6} mutants reached  {test.name}", flush=True)
    with open(RESULTS, "a") as results:
        for m in mine:
            if m.fate or options.seconds and time.monotonic() - began > options.seconds:
                continue
            try_one(m, tests, kills)
            print(json.dumps({"identity": m.identity, "fate": m.fate, "by": m.by, "seconds": m.seconds, "key": m.key}), file=results, flush=True)
    return report(mine, chosen, options.every > 1)


if __name__ == "__main__":
    sys.exit(main())
