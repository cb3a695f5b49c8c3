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
from adversary_known import KNOWN, SAID

COMMAND = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "spdhg"
ALL = bool(os.environ.get("SPDHG_TEST_ALL"))
SEEDS = 200 if ALL else 6  # of each family
MORE = ("--tol", "1e-6", "--time", "1")


def problems():
    yield from ((f"known: {name}", p) for name, p in KNOWN.items())
    first = random.SystemRandom().randrange(10 ** 9) if ALL else 0
    for seed in range(first, first + SEEDS):
        yield from ((f"{family}, seed {seed}", problem(family, seed)) for family in FAMILIES)


def refutes(name):
    """The referee finds out a false proof of long ago."""
    objective, gap, x, c = SAID[name]
    report = {"status": "", "objective": objective, "gap": gap, "gap_relative": gap / objective, "gap_kind": "certified", "gap_radius": None}
    return bool(judge(KNOWN[name], report, x, [c], []).false)


def main():
    asleep = [name for name in SAID if not refutes(name)]
    if asleep:
        sys.exit(f"not refuted: {asleep}")
    count = statements = false = unknown = easy = proven = 0
    for name, p in problems():
        with tempfile.TemporaryDirectory(prefix="spdhg-test-") as folder:
            v = examine(COMMAND, p, folder, MORE)
            count, statements, unknown = count + 1, statements + v.statements, unknown + v.open
            if v.false:
                false += 1
                with open(os.path.join(folder, "command")) as file:
                    print("FALSE", name, *v.false, file.read(), sep="\n    ")
            if posed(p) == "well":
                easy, proven = easy + 1, proven + (v.kind == "certified" and v.relative <= 1e-6)
    print(f"{count} problems, {statements} statements, {false} problems with a false one, {unknown} neither refuted nor seen to be true; "
          f"{proven} of {easy} well-posed ones certified to 1e-6")
    sys.exit(false > 0 or statements < count)


main()
