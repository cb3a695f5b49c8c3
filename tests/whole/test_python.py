#!/usr/bin/python3
# test_python.py - the tests of the Python package (bindings/python/tests) on the package that the build left beside the command.
# Exit 77 without python3-cffi and python3-dev: then there is none.
import os
import re
import subprocess
import sys

from cli_support import COMMAND, for_interpreters, sanitized

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PACKAGE = os.path.join(os.path.dirname(COMMAND), "python")


def main():
    if not os.path.exists(os.path.join(PACKAGE, "spdhg", "_native.abi3.so")):
        try:
            import cffi  # noqa: F401
        except ImportError:
            print("skipped: no python3-cffi")
            sys.exit(77)
    environment = dict(os.environ, PYTHONPATH=PACKAGE, SPDHG_COMMAND=COMMAND, PYTHONDONTWRITEBYTECODE="1")
    chosen = []
    if sanitized():  # what takes long, and what is about others' C code
        environment.update(for_interpreters())
        chosen = ["-k", "not checks_of and not examples and not grid_search and not clone_pickle"]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore::sklearn.exceptions.ConvergenceWarning",
                           os.path.join(ROOT, "bindings", "python", "tests"), *chosen], env=environment, capture_output=True, text=True)
    print(done.stdout[-8000:] + done.stderr[-2000:])
    counts = {what: int(number) for number, what in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    bad = max(counts.get("failed", 0) + counts.get("error", 0), done.returncode != 0)
    print(f"{counts.get('passed', 0)} passed, {bad:d} failed")
    sys.exit(bad > 0)


main()
