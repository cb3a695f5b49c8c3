#!/usr/bin/python3
"""Properties, not identities: outside of their own rooms the library and the command ask a loss, a penalty or a set what it is by the members of
its table entry, never which one it is, neither by address nor by name. Prints 'N passed, N failed'."""
import glob, os, re, sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# "FILE: LINE" -> why it may name an entry. For loops that are only faster for one entry, and agree with the general one.
SPEED_ONLY = {}


def names(room):
    """The entries of a table, by their .name."""
    found = []
    for path in glob.glob(os.path.join(ROOT, "src", room, "*.c")):
        with open(path) as f:
            found += re.findall(r'\.name = "([\w-]+)"', f.read())
    return found


def main():
    rooms = ("loss", "penalty", "set")
    entries = {room: names(room) for room in rooms}
    table = "|".join(name for room in rooms for name in entries[room])
    identity = re.compile(r"&\s*spd_(loss|penalty|set)_(%s)\b" % table.replace("-", "_"))
    by_name = re.compile(r'\b(strcmp|strncmp|spd_spec_is)\([^;]*"(%s)[:"]' % table)
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "*", "*.[ch]")) + glob.glob(os.path.join(ROOT, "cli", "*.[ch]"))):
        if os.path.basename(os.path.dirname(path)) in rooms:
            continue
        with open(path) as f:
            lines = [line.strip() for line in f]
        place = os.path.relpath(path, ROOT)
        asked = [line for line in lines if (identity.search(line) or by_name.search(line)) and f"{place}: {line}" not in SPEED_ONLY]
        passed, failed = passed + (not asked), failed + bool(asked)
        for line in asked:
            print(f"{place} asks which entry it is, not what it is: {line}")
    for few in (room for room in rooms if len(entries[room]) < 4):
        print(f"src/{few} has only the entries {entries[few]}: this test does not see them")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 50)


main()
