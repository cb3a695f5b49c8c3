# test_hardening.py - the command and the library as they are built: position-independent, relocations read-only and all at start, stack
# protector, checked string functions, no executable stack. Builds with a sanitizer or without optimisation are not for users.
import glob
import os
import re
import shutil
import subprocess
import sys

COMMAND = os.path.abspath(sys.argv[1])


def readelf(*words):
    return subprocess.run(["readelf", "-W", *words], check=True, capture_output=True, text=True).stdout


def missing(path):
    header, segments, dynamic, symbols = (readelf(word, path) for word in ("-h", "-l", "-d", "--dyn-syms"))
    out = []
    if not re.search(r"Type:\s+DYN", header):
        out.append("position-independent code")
    if "GNU_RELRO" not in segments or not re.search(r"BIND_NOW|FLAGS.*NOW", dynamic):
        out.append("read-only relocations")
    if not re.search(r"GNU_STACK.* RW ", segments):
        out.append("a stack that is not executable")
    if "__stack_chk_fail" not in symbols:
        out.append("stack protector")
    if not re.search(r"__(?:sprintf|snprintf|memcpy|fprintf|printf)_chk", symbols):
        out.append("checked string functions")
    if re.search(r"\(R(?:UN)?PATH\).*\[(?!\$ORIGIN)[^/]", dynamic):
        out.append("a path to libraries that depends on the current folder")
    return out


def main():
    library = [os.path.realpath(p) for p in glob.glob(os.path.join(os.path.dirname(COMMAND), "libspdhg.so"))]
    with open(os.path.join(os.path.dirname(COMMAND), "CMakeCache.txt")) as file:
        cache = file.read()
    plain = "SPDHG_SANITIZE:BOOL=ON" in cache or not re.search(r"CMAKE_BUILD_TYPE:STRING=Rel", cache)
    if plain or not shutil.which("readelf"):
        print("not a release build, or no readelf")
        return 77
    bad = 0
    for path in [COMMAND, *library]:
        lacks = missing(path)
        bad += len(lacks)
        print(f"{os.path.basename(path)}: {'lacks ' + ', '.join(lacks) if lacks else 'hardened'}")
    return 1 if bad or len(library) != 1 else 0


if __name__ == "__main__":
    sys.exit(main())
