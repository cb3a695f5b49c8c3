#!/usr/bin/python3
"""The rooms of docs/architecture.md call only rooms below them, not those beside them, and none has more than 25 files: every #include in
src/ is checked. No file of src/ and cli/ has more than 250 lines. Who asks whether F is the identity says why. Prints 'N passed, N failed'."""
import glob, os, re, sys

ORDER = ["core", "la text", "ranks", "data", "table cache", "reader", "trace", "loss penalty structure", "set", "model", "problem", "graph", "chain", "face", "interior", "recession bound", "certify",
         "solver", "lasso", "blocks", "primal_dual admm newton", "run", "tune", "race signal online", "catalog", "report"]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms.split()}
FILES_MOST = 25
LINES_MOST = 250
# Rows of F are the same to all, stored or not (src/problem/rows.h). Who asks all the same:
IDENTITY = {
    "la/la.h": "the function itself",
    "la/csr.c": "products: speed",
    "problem/term.c": "the fused dual step: speed",
    "primal_dual/primal_dual.c": "the same for steps by rows: speed",
    "problem/hash.c": "hashes what is stored",
    "primal_dual/spdhg_fast.c": "a form of the step for F = identity: speed",
    "primal_dual/fista.c": "solves F = identity only",
    "primal_dual/spdc.c": "solves F = identity only",
    "newton/cd_newton.c": "the same",
    "lasso/lasso.c": "the same",
    "blocks/blocks.c": "leaves l1 of one output to lasso",
    "newton/prox_newton.c": "its zeros of F x are zeros of x",
    "face/nullspace.c": "its null space is 0: no search",
    "face/working_set.c": "one step prices it exactly",
    "recession/forced.c": "leaves no direction: no search",
    "certify/certifier.c": "takes any v: no system is solved",
    "interior/sparse.c": "its part of the matrix is diagonal",
    "interior/stack.c": "entries of a row by their number: speed",
    "run/plan_sparse.c": "leaves the pattern of the matrix as it is: no count",
}
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
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "*", "*.[ch]")) + glob.glob(os.path.join(ROOT, "cli", "*.[ch]"))):
        with open(path) as f:
            text = f.read()
        lines, name = text.count("\n"), os.path.relpath(path, os.path.join(ROOT, "src"))
        asks = "csr_is_identity" in text and name not in IDENTITY
        passed, failed = passed + (lines <= LINES_MOST and not asks), failed + (lines > LINES_MOST or asks)
        if lines > LINES_MOST:
            print(f"{os.path.relpath(path, ROOT)} has {lines} lines, more than {LINES_MOST}")
        if asks:
            print(f"{os.path.relpath(path, ROOT)} asks whether F is the identity: walk along its rows (problem/rows.h), or say why in {__file__}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 50)


main()
