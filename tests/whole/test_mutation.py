# test_mutation.py - the tool that tests the tests (tests/mutation.py): in a program of a few lines it finds every statement and
# condition, the program without a mutant is unchanged, and with one it does what the mutated source would.
import os
import struct
import subprocess
import tempfile

from mutants import compiling, mutants, size_of_shared

SOURCE = """#include <stdio.h>
static int grow(int x) {
    int y = x;
    y += 2;
    if (x > 100)
        y = 0;
    else
        y *= 3;
    y += 0;
    for (int i = 0; i < 2; i++)
        y++;
    if (x < 0) {
        y = -1;
    }
    return y;
}
int main(void) { return printf("%d\\n", grow(1)) < 0; }
"""
EXPECTED = {  # what is deleted, or the condition that always holds: what the program prints
    ("statement", "y += 2;"): "5",
    ("statement", "if (x > 100) y = 0;"): None,  # its else would be left alone
    ("statement", "y = 0;"): "11",  # not reached
    ("statement", "else y *= 3;"): "5",
    ("condition", "if (x > 100)"): "2",
    ("statement", "y += 0;"): "11",  # survives
    ("statement", "for (int i = 0; i < 2; i++) y++;"): "9",
    ("statement", "y++;"): "9",
    ("statement", "y = -1;"): "11",  # not reached
}


def main():
    found = mutants("grow.c", SOURCE, ["grow"])
    for number, m in enumerate(found):
        m.number = number
    with tempfile.TemporaryDirectory(prefix="spdhg-test-") as folder:
        source, program, shared = (os.path.join(folder, name) for name in ("grow.c", "grow", "shared"))
        compiling(SOURCE, found, source, [], len(found))
        subprocess.run(["cc", "-w", source, "-o", program], check=True)

        def run(active=None):
            """What the program prints, and which mutants it reaches."""
            with open(shared, "wb") as file:
                file.write(struct.pack("i", -1 if active is None else active).ljust(size_of_shared(len(found)), b"\0"))
            done = subprocess.run([program], env={**os.environ, "SPDHG_MUTANTS": shared}, capture_output=True, text=True, check=True)
            with open(shared, "rb") as file:
                return done.stdout.strip(), file.read()[4:]

        assert subprocess.run([program], capture_output=True, text=True, check=True).stdout.strip() == run()[0] == "11"
        reached = run()[1]
        printed = {(m.kind, m.key): run(m.number)[0] for m in found if not m.fate}
        for key, expected in EXPECTED.items():
            assert printed.get(key) == expected, (key, expected, printed.get(key), printed)
        assert {m.key for m in found if not m.fate and not reached[m.number]} >= {"y = -1;"}
        assert [m.key for m in found if m.fate] == ["int y = x;", "return y;"], [m.key for m in found if m.fate]


main()
