#!/usr/bin/python3
# test_r.py - the tests of the R package (bindings/R/tests) on the package made from this build. Exit 77 without R, Matrix or testthat.
import os
import re
import shutil
import subprocess
import sys

from cli_support import COMMAND, for_interpreters, sanitized

BUILD = os.path.dirname(COMMAND)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bindings", "R")
TESTS = """
.libPaths(c("{library}", .libPaths()))
library(testthat)
library(spdhg)
done <- as.data.frame(test_dir("{tests}", package = "spdhg", load_package = "none", stop_on_failure = FALSE, reporter = "check"))
cat(sprintf("\\nresult: %d passed, %d failed\\n", sum(done$passed), sum(done$failed) + sum(done$error)))
"""


def main():
    needed = "quit(status = !all(c('Matrix', 'testthat') %in% rownames(installed.packages())))"
    if not shutil.which("R") or subprocess.run(["Rscript", "-e", needed]).returncode != 0:
        print("skipped: no r-base-core, r-cran-matrix or r-cran-testthat")
        sys.exit(77)
    environment = dict(os.environ, SPDHG_COMMAND=COMMAND, NOT_CRAN="true", R_TESTS="")
    if sanitized():
        environment.update(for_interpreters(), SPDHG_FLAGS="-fsanitize=address,undefined")
    made = subprocess.run([os.path.join(ROOT, "tools", "install.sh"), BUILD], env=environment, capture_output=True, text=True)
    if made.returncode != 0:
        print(made.stdout[-4000:] + made.stderr[-8000:])
        sys.exit(1)
    program = TESTS.format(library=os.path.join(BUILD, "R-library"), tests=os.path.join(ROOT, "tests", "testthat"))
    done = subprocess.run(["Rscript", "-e", program], env=environment, capture_output=True, text=True)
    print(done.stdout[-8000:] + done.stderr[-4000:])
    counts = re.search(r"result: (\d+) passed, (\d+) failed", done.stdout)
    passed, failed = (int(count) for count in counts.groups()) if counts else (0, 1)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 100 or done.returncode != 0)


main()
