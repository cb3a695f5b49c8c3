#!/usr/bin/python3
"""Deletes the statements of the solver rooms and of those that prove, read and write, one at a time, and expects a test to fail each time.

    tests/mutation.py [--room NAME]... [--file src/ROOM/NAME.c]... [--list] [--again] [--sample N]

Mutated are all functions of the rooms WHOLE, and of the rooms STEPS the functions that a step reaches (support/mutants.py). All mutants of
the files asked for are compiled into one program, in build/mutation. A test judges all mutants of its files (support/mutation_tests.py) in
one go: programs case by case (support/mutation_cases.c), scripts by calls of the command (support/mutation_scripts.py); a mutant that
one test has caught meets no other. A process that takes five times the CPU time of the unchanged one, and half a second, has failed.
Results are kept in build/mutation/results.jsonl: a run that was interrupted goes on where it was; a file that changes is done anew, and
--again tries survivors again. A mutant that survives must be in mutation_allowed.txt: file, a tab, the lines joined by one space, a tab,
the reason; * stands for any characters. Exit status 1 if another one survives, or if a line of that file excuses nothing.
"""
import argparse
import collections
import fnmatch
import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is loaded: its threads do not survive a fork

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from mutants import mutants, reached, size_of_shared
from mutation_build import BUILD, CASES, MADE, TREE, build
from mutation_scripts import Script, Shared
from mutation_tests import tests_of

ALLOWED = os.path.join(ROOT, "tests", "mutation_allowed.txt")
RESULTS = os.path.join(BUILD, "results.jsonl")
STEPS = ("solver", "primal_dual", "admm", "newton")
WHOLE = ("chain", "face", "lasso", "interior", "run", "certify", "bound", "data", "model")
ALL = ("step_rule.c", "primal_dual_steps.c", "metric.c")  # all functions: reached through pointers, or from start
WORKERS = 2


def read_sources():
    sources = {}
    for room in STEPS + WHOLE:
        for name in sorted(os.listdir(os.path.join(ROOT, "src", room))):
            if name.endswith(".c"):
                with open(os.path.join(ROOT, "src", room, name)) as file:
                    sources[f"src/{room}/{name}"] = file.read()
    return sources


def all_mutants(sources, chosen):
    names = reached(sources, lambda file: file.split("/")[1] in WHOLE or os.path.basename(file) in ALL)
    work = [m for file in chosen for m in mutants(file, sources[file], names[file])]
    for number, m in enumerate(work):
        m.number, m.passed, m.missed = number, set(), set()
        digest = hashlib.sha256(sources[m.file].encode()).hexdigest()[:16]
        m.identity = f"{m.file} {digest} {m.first} {m.last} {m.kind}"
    return work


def note(m, fate, by, seconds):
    """A line of the results, written at once: two processes write, and each may be stopped."""
    line = json.dumps({"identity": m.identity, "fate": fate, "by": by, "seconds": round(seconds, 3), "key": m.key}) + "\n"
    with open(RESULTS, "a") as results:
        results.write(line)


def forget(work):
    """Which tests the survivors have met: they are tried again."""
    mine = {m.identity for m in work}
    with open(RESULTS) as file:
        kept = [line for line in file if line.endswith("\n") and not (json.loads(line)["fate"] != "killed" and json.loads(line)["identity"] in mine)]
    with open(RESULTS, "w") as file:
        file.writelines(kept)


def recall(work):
    """Fates of earlier runs, for files that have not changed since; a test has "passed" a mutant that it reached in vain."""
    known = {m.identity: m for m in work}
    if not os.path.exists(RESULTS):
        return
    with open(RESULTS) as file:
        for line in file:
            entry = json.loads(line) if line.endswith("\n") else {}  # the last one may be half
            m = known.get(entry.get("identity"))
            if m and entry["fate"] == "killed":
                m.fate, m.by, m.seconds = "killed", entry["by"], entry["seconds"]
            elif m:
                (m.passed if entry["fate"] == "passed" else m.missed).add(entry["by"])


def script_of(name):
    found = [os.path.join(at, name) for at, _, names in os.walk(os.path.join(TREE, "tests")) if name in names]
    return found[0]


def environment(shared):
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "SPDHG_TEST_FIRST": "1", "OPENBLAS_NUM_THREADS": "1", "CMOCKA_TEST_ABORT": "1", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.path.join(TREE, "tests", "support"), "SPDHG_MUTANTS": shared.path}


def by_program(test, todo, work, shared, folder):
    """Judges them by the cases of a cmocka program."""
    verdicts = os.path.join(folder, "verdicts")
    open(verdicts, "w").close()
    shared.take()
    shared.mark([m.number for m in todo], 2)
    name, *only = test.split()
    more = {"LD_PRELOAD": CASES, "SPDHG_MUTANT_VERDICTS": verdicts, **{"SPDHG_TEST_ONLY": names for names in only}}
    began, quiet = time.monotonic(), {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    done = subprocess.run([os.path.join(MADE, name)], env={**environment(shared), **more}, cwd=folder, **quiet)
    if done.returncode:
        sys.exit(f"mutation.py: {test} fails, or is skipped, without any mutant ({done.returncode})")
    with open(verdicts) as file:
        found = [line.split() for line in file]
    each = (time.monotonic() - began) / max(1, len(found))
    for number, case, *late in found:
        note(work[int(number)], "passed" if case == "-" else "killed", test if case == "-" else " ".join([test, case, *late]), each)


def by_script(test, todo, work, shared, folder):
    """Judges them by a walk through a script."""
    name, *only = test.split()
    kept = os.path.join(folder, "calls")
    script = Script([script_of(name), os.path.join(MADE, "spdhg"), *only], os.path.join(MADE, "spdhg"), os.path.join(folder, "home"), shared,
                    environment(shared))

    def keep(calls, outside):
        with open(kept, "wb") as file:
            pickle.dump((calls, outside), file)

    if script.execute(keep):
        sys.exit(f"mutation.py: {test} fails, or is skipped, without any mutant")
    with open(kept, "rb") as file:
        script.calls, script.outside = pickle.load(file)
    clock = [time.monotonic()]

    told = os.path.join(folder, "told")
    open(told, "w").close()

    def tell(number, failed, late):
        began, clock[0] = clock[0], time.monotonic()
        with open(told, "a") as file:
            print(number, int(failed), int(late), clock[0] - began, file=file)

    script.mode, script.todo, script.tell = "walk", {m.number for m in todo}, tell
    fails = script.execute(None)
    if fails:
        print(f"mutation.py: the walk through {test} failed without any mutant: what it says counts for nothing", flush=True)
    with open(told) as file:
        for line in file:
            number, failed, late, seconds = line.split()
            fate = "missed" if fails else "killed" if failed == "1" else "passed"
            note(work[int(number)], fate, test + " (time)" * (late == "1"), float(seconds))


def worker(which, mine, work):
    """All tests of these mutants, those first that their files name first."""
    folder = os.path.join(BUILD, f"worker{which}")
    os.makedirs(folder, exist_ok=True)
    shared = Shared(os.path.join(folder, "shared"), size_of_shared(len(work)), len(work))
    places = collections.defaultdict(list)
    for m in mine:
        for place, test in enumerate(tests_of(m.file)):
            places[test].append(place)
    for test in sorted(places, key=lambda t: sum(places[t]) / len(places[t])):
        recall(mine)
        todo = [m for m in mine if not m.fate and test in tests_of(m.file) and test not in m.passed | m.missed]
        if todo:
            began = time.monotonic()
            (by_script if test.split()[0].endswith(".py") else by_program)(test, todo, work, shared, folder)
            recall(mine)
            for m in todo:
                if not m.fate and test not in m.passed:
                    note(m, "missed", test, 0)
            count = collections.Counter("killed" if m.fate else "passed" if test in m.passed else "unreached" for m in todo)
            print(f"{time.monotonic() - began:8.1f} s  {test}: " + ", ".join(f"{n} {fate}" for fate, n in count.items()), flush=True)


def judge(mine, work):
    """Mutants with the same tests go to the same worker, the most first to the one that has fewer."""
    groups, shares = collections.defaultdict(list), [[] for _ in range(WORKERS)]
    for m in mine:
        groups[tuple(tests_of(m.file))] += [] if m.fate else [m]
    for group in sorted(groups.values(), key=len, reverse=True):
        min(shares, key=len).extend(group)
    children = []
    for which in range(WORKERS):
        child = os.fork()
        if child == 0:
            worker(which, shares[which], work)
            os._exit(0)
        children.append(child)
    if any([os.waitpid(child, 0)[1] for child in children]):
        sys.exit("mutation.py: stopped before the end")
    recall(mine)
    for m in mine:
        m.fate = m.fate or ("survived" if m.passed else "unreached")


def allowances():
    out = []
    with open(ALLOWED) as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                out.append((number, *line.rstrip("\n").split("\t")))
    return out


def like(text, pattern):
    return text == pattern or "*" in pattern and fnmatch.fnmatchcase(text, pattern.replace("[", "[[]").replace("?", "[?]"))


def report(work, part, sample):
    """A table by room; survivors without an excuse, and, unless this is a sample, excuses without a survivor."""
    allowed, used = allowances(), set()
    table, bad = collections.defaultdict(collections.Counter), []
    for m in work:
        count = table[m.file.split("/")[1]]
        count["mutants"] += 1
        if m.fate not in ("survived", "unreached"):
            count[m.fate or "not run"] += 1
            count["by time"] += m.fate == "killed" and m.by.endswith("(time)")
            continue
        excuses = [a[0] for a in allowed if like(m.file, a[1]) and like(m.key, a[2])]
        used |= set(excuses)
        count["excused" if excuses else m.fate] += 1
        bad += [] if excuses else [m]
    for m in bad:
        print(f"{m.fate} {m.file}:{m.first + 1}: {m.kind}: {m.key}")
    columns = ("mutants", "killed", "by time", "does not compile", "excused", "survived", "unreached", "not run")
    print(f"{'room':14}" + "".join(f"{c:>18}" for c in columns))
    for room, count in [*table.items(), ("all", sum(table.values(), collections.Counter()))]:
        print(f"{room:14}" + "".join(f"{count[c]:18}" for c in columns))
    files = {m.file for m in work}
    finished = not any(m.fate is None for m in work)
    idle = [a for a in allowed if a[0] not in used and finished and not sample and any(like(f, a[1]) for f in files) and (not part or "*" not in a[1])]
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
    parser.add_argument("--sample", type=int, help="only so many of each room, drawn with seed 0")
    options = parser.parse_args()
    sources = read_sources()
    chosen = {os.path.relpath(os.path.abspath(f), ROOT) for f in options.file or []}
    chosen |= {f for f in sources if f.split("/")[1] in (options.room or []) or not (options.file or options.room)}
    work = all_mutants(sources, [file for file in sources if file in chosen])
    mine = work
    if options.sample:
        rooms, draw = collections.defaultdict(list), random.Random(0)
        for m in work:
            rooms[m.file.split("/")[1]].append(m)
        mine = [m for room in rooms.values() for m in draw.sample(room, min(options.sample, len(room)))]
    if options.list:
        for m in mine:
            print(f"{m.file}:{m.first + 1}: {m.kind}: {m.key}")
        print(len(mine), "mutants")
        return 0
    build({file: sources[file] for file in chosen}, work, sorted({t for m in work for t in tests_of(m.file)}))
    if options.again and os.path.exists(RESULTS):
        forget(mine)
    recall(mine)
    judge(mine, work)
    return report(mine, len(chosen) < len(sources), bool(options.sample))


if __name__ == "__main__":
    sys.exit(main())
