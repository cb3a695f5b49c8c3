#!/usr/bin/python3
# test_r.py - the tests of the R package (bindings/R/tests) on the package made from this build; then every other piece of R a reader
# sees: examples of the help pages, programs of the gallery, blocks of both README.md and of the site. Exit 77 without R, Matrix or testthat.
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from cli_support import COMMAND, for_interpreters, sanitized

BUILD = os.path.dirname(COMMAND)
TREE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ROOT = os.path.join(TREE, "bindings", "R")
TESTS = """
.libPaths(c("{library}", .libPaths()))
library(testthat)
library(spdhg)
done <- as.data.frame(test_dir("{tests}", package = "spdhg", load_package = "none", stop_on_failure = FALSE, reporter = "check"))
cat(sprintf("\\nresult: %d passed, %d failed\\n", sum(done$passed), sum(done$failed) + sum(done$error)))
"""
EXAMPLE = """
.libPaths(c("{library}", .libPaths()))
{code}
"""


def pieces(folder):
    """(where it is, R code) of what readers see."""
    for page in sorted(glob.glob(os.path.join(BUILD, "R", "spdhg", "man", "*.Rd"))):
        out = os.path.join(folder, "example.R")
        subprocess.run(["Rscript", "-e", f"tools::Rd2ex('{page}', '{out}')"], check=True, capture_output=True)
        if os.path.exists(out):
            with open(out) as file:
                yield os.path.basename(page), "library(spdhg)\n" + file.read()
            os.remove(out)
    for program in sorted(glob.glob(os.path.join(TREE, "docs", "site", "gallery", "*.R"))):
        with open(program) as file:
            yield os.path.basename(program), file.read()
    for page in [os.path.join(TREE, "README.md"), os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(TREE, "docs", "**", "*.md"), recursive=True))]:
        with open(page) as file:
            for code in re.findall(r"(?ms)^```r\n(.*?)^```$", file.read()):
                yield os.path.relpath(page, TREE), code


def run_pieces(library, environment):
    """(passed, failed); a figure of the site is drawn where nobody looks."""
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for where, code in pieces(folder):
            program = EXAMPLE.format(library=library, code=code)
            done = subprocess.run(["Rscript", "-"], input=program, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
            passed, failed = passed + (done.returncode == 0), failed + (done.returncode != 0)
            if done.returncode != 0:
                print("FAILED", where, done.stderr[-800:])
    return passed, failed


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
    seen, broken = run_pieces(os.path.join(BUILD, "R-library"), environment)
    print(f"{passed} passed, {failed} failed; of {seen + broken} programs of help, gallery and pages {broken} failed")
    sys.exit(failed > 0 or broken > 0 or passed < 100 or seen < 16 or done.returncode != 0)


main()
