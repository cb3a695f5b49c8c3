#!/usr/bin/python3
"""Lines and branches that the tests reach, by room, from what gcovr read.

    tests/coverage.py branches.json LIST

Prints a table; writes to LIST each branch that was never taken, FILE:LINE with the source line. Functions that exist once for
each kind of processor count once: a line or branch is reached if it is in one of them.
"""
import collections, json, os, sys


def reached(lines):
    """{line: taken} and {(line, number of the branch): taken} of a file, whose functions may have several copies."""
    taken, branches = collections.Counter(), collections.Counter()
    for line in lines:
        if line.get("gcovr/noncode"):
            continue
        number = line["line_number"]
        taken[number] += line["count"]
        for k, branch in enumerate(line["branches"]):
            branches[number, k] += branch["count"]
    return taken, branches


def room(path):
    return os.path.dirname(path)


def main(report, listed):
    with open(report) as file:
        files = json.load(file)["files"]
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    with open(listed, "w") as out:
        for path, lines in sorted((f["file"], f["lines"]) for f in files):
            taken, branches = reached(lines)
            for name in (room(path), "all"):
                for k, n in enumerate((len(taken), sum(map(bool, taken.values())), len(branches), sum(map(bool, branches.values())))):
                    rooms[name][k] += n
            with open(path) as source:
                text = source.read().split("\n")
            for (number, k), n in sorted(branches.items()):
                if not n:
                    out.write(f"{path}:{number} ({k}): {text[number - 1].strip()}\n")
    print(f"{'room':22} {'lines':>7} {'%':>6} {'branches':>9} {'%':>6}")
    for name, (lines, hit, branches, took) in sorted(rooms.items(), key=lambda item: item[1][3] / max(item[1][2], 1)):
        print(f"{name:22} {lines:7} {100 * hit / lines:6.1f} {branches:9} {100 * took / max(branches, 1):6.1f}")


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
