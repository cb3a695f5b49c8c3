# test_adversary.py - "proven" is never false: hundreds of small problems made to provoke it, each statement checked in rational numbers.
# With SPDHG_TEST_ALL: thousands, drawn anew; a false one is printed with its family and seed, which make the same problem again.
import os
import random
import sys
import tempfile

try:
    import gmpy2  # noqa: F401
    import numpy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from adversary import examine, judge
from adversary_families import FAMILIES, posed, problem
from adversary_known import KNOWN, ONCE_FALSE, PROVABLE, SAID
from adversary_walk import walk

COMMAND = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "spdhg"
ALL = bool(os.environ.get("SPDHG_TEST_ALL"))
SEEDS = 200 if ALL else 5  # of each family
WALKED = 40 if ALL else 3  # of these seeds also some paths
MORE = ("--tol", "1e-6", "--time", "1")


def problems():
    yield from ((f"known: {name}", p) for name, p in KNOWN.items())
    yield from ((f"{family}, seed {seed}", problem(family, seed)) for family, seed in ONCE_FALSE)
    first = random.SystemRandom().randrange(10 ** 9) if ALL else 0
    for seed in range(first, first + SEEDS):
        yield from ((f"{family}, seed {seed}", problem(family, seed)) for family in FAMILIES)


def refutes(name):
    """The referee finds out a false proof of long ago."""
    objective, gap, x, c = SAID[name]
    report = {"status": "", "objective": objective, "gap": gap, "gap_relative": gap / objective, "gap_kind": "certified", "gap_radius": None}
    return bool(judge(KNOWN[name], report, x, [c], []).false)


def tell(name, folder, false):
    if false:
        with open(os.path.join(folder, "command")) as file:
            print("FALSE", name, *false, file.read(), sep="\n    ")
    return len(false) > 0


def unproven():
    """Of the problems that can be certified to 1e-6 those that are not, or falsely."""
    left = []
    for family, seed, *loss in PROVABLE:
        with tempfile.TemporaryDirectory(prefix="spdhg-test-") as folder:
            v = examine(COMMAND, problem(family, seed, *loss), folder, ("--tol", "1e-6"))
            if v.kind != "certified" or v.relative > 1e-6 or v.false:
                left.append((family, seed, v.kind, v.relative, *v.false))
    return left


def walks():
    """How many statements of paths were checked, how many paths have a false one, and what could not be decided."""
    checked = wrong = unknown = 0
    for seed in range(WALKED):
        for family in FAMILIES[seed % 4::4]:
            with tempfile.TemporaryDirectory(prefix="spdhg-test-") as folder:
                count, false, left = walk(COMMAND, problem(family, seed), seed, folder, MORE)
                checked, unknown = checked + count, unknown + left
                wrong += tell(f"path: {family}, seed {seed}", folder, false)
    return checked, wrong, unknown


def main():
    asleep = [name for name in SAID if not refutes(name)]
    if asleep:
        sys.exit(f"not refuted: {asleep}")
    count = statements = false = unknown = easy = proven = 0
    for name, p in problems():
        with tempfile.TemporaryDirectory(prefix="spdhg-test-") as folder:
            v = examine(COMMAND, p, folder, MORE)
            count, statements, unknown = count + 1, statements + v.statements, unknown + v.open
            false += tell(name, folder, v.false)
            if posed(p) == "well":
                easy, proven = easy + 1, proven + (v.kind == "certified" and v.relative <= 1e-6)
    print(f"{count} problems, {statements} statements, {false} problems with a false one, {unknown} neither refuted nor seen to be true; "
          f"{proven} of {easy} well-posed ones certified to 1e-6")
    lines, wrong, unsure = walks()
    print(f"{lines} statements of paths, {wrong} paths with a false one, {unsure} neither refuted nor seen to be true")
    left = unproven()
    print(f"{len(PROVABLE) - len(left)} of {len(PROVABLE)} chosen problems certified to 1e-6", *left, sep="\n    ")
    sys.exit(len(left) > 0 or false > 0 or wrong > 0 or statements < count or lines == 0)


main()
