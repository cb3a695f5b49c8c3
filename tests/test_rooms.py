#!/usr/bin/python3
"""The rooms of docs/architecture.md call only rooms below them: every #include in src/ is checked. Prints 'N passed, N failed'."""
import glob, os, re, sys

ORDER = ["core", "la", "data", "trace", "loss penalty structure set", "model", "problem", "graph", "certify", "solver", "tune", "catalog", "report"]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms.split()}
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "*", "*.[ch]"))):
        room = os.path.basename(os.path.dirname(path))
        with open(path) as f:
            called = set(re.findall(r'^#include "(\w+)/', f.read(), re.M))
        above = [c for c in called if LEVEL[c] > LEVEL[room]]
        passed, failed = passed + (not above), failed + bool(above)
        if above:
            print(f"{os.path.relpath(path, ROOT)} calls rooms above it: {', '.join(above)}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 50)


main()
