#!/usr/bin/python3
"""The rooms of docs/architecture.md call only rooms below them, not those beside them, and none has more than 25 files: every #include in
src/ is checked. Prints 'N passed, N failed'."""
import glob, os, re, sys

ORDER = ["core", "la text", "data", "reader", "trace", "loss penalty structure", "set", "model", "problem", "graph", "chain", "face", "interior", "recession", "certify",
         "solver", "primal_dual admm newton", "run", "tune", "race", "catalog", "report"]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms.split()}
FILES_MOST = 25
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def main():
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "*", "*.[ch]"))):
        room = os.path.basename(os.path.dirname(path))
        with open(path) as f:
            called = set(re.findall(r'^#include "(\w+)/', f.read(), re.M))
        above = [c for c in called if LEVEL[c] >= LEVEL[room] and c != room]
        passed, failed = passed + (not above), failed + bool(above)
        if above:
            print(f"{os.path.relpath(path, ROOT)} calls rooms that are not below it: {', '.join(above)}")
    for room in LEVEL:
        files = len(os.listdir(os.path.join(ROOT, "src", room)))
        passed, failed = passed + (files <= FILES_MOST), failed + (files > FILES_MOST)
        if files > FILES_MOST:
            print(f"src/{room} has {files} files, more than {FILES_MOST}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 50)


main()
