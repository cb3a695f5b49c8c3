# reference_run.py - what the tests against reference.py share: data into files, the command on them, model and trace back.
# The path of the command is the first argument of a test script; without numpy or scipy the script is skipped (exit status 77).
import csv
import json
import os
import subprocess
import sys
import tempfile

import checks

try:
    import numpy as np
    import scipy.optimize  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

COMMAND = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "spdhg"
ONLY = sys.argv[2].split(",") if len(sys.argv) > 2 else None  # names of solvers, for mutation.py: check only these
ALL = bool(os.environ.get("SPDHG_TEST_ALL"))  # everything, instead of a part that has some of everything
PATIENCE = float(os.environ.get("SPDHG_TEST_PATIENCE", 300))  # seconds for a fit; mutants that never end are many
FOLDER = tempfile.TemporaryDirectory(prefix="spdhg-test-")


def path(name):
    return os.path.join(FOLDER.name, name)


def write_table(name, rows):
    """Numbers, a line for each row; every digit that a double has."""
    with open(path(name), "w") as out:
        out.writelines(" ".join(f"{v:.17g}" for v in np.atleast_1d(row)) + "\n" for row in rows)
    return path(name)


def write_svm(name, A, labels):
    """LIBSVM lines without the zeros of A."""
    with open(path(name), "w") as out:
        for label, a in zip(labels, A):
            out.write(f"{label:.17g}" + "".join(f" {j + 1}:{v:.17g}" for j, v in enumerate(a) if v != 0) + "\n")
    return path(name)


def write_matrix(name, F):
    with open(path(name), "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate real general\n{F.shape[0]} {F.shape[1]} {np.count_nonzero(F)}\n")
        out.writelines(f"{i + 1} {j + 1} {F[i, j]:.17g}\n" for i, j in zip(*np.nonzero(F)))
    return path(name)


def asked(solver):
    return ONLY is None or solver in ONLY


class Fitted:
    """What `fit` reported: the JSON object, x (d x K, original scale), the intercept, the trace, and what it said on stderr."""

    def __init__(self, *words):
        model, trace = path("model.json"), path("trace.csv")
        words = [COMMAND, "fit", *map(str, words), "--json", "-q", "-o", model, "--trace", trace]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode} of {' '.join(words)}\n{done.stderr}")
        self.report, self.said = json.loads(done.stdout), done.stderr
        with open(model) as file:
            stored = json.load(file)
        x = stored["coefficients"]
        if isinstance(x, dict):
            flat = np.zeros(stored["features"] * stored["outputs"])
            flat[x["index"]] = x["value"]
            x = flat
        self.x = np.reshape(np.array(x, float), (stored["features"], stored["outputs"]))
        self.c = np.array(stored["constants"], float)
        with open(trace) as file:
            self.trace = list(csv.DictReader(file))


class Path:
    """What `path` reported: the JSON object, the lines of --path, the model's bytes."""

    def __init__(self, *words, status=0):
        words = [COMMAND, "path", *map(str, words), "--json", "-q", "--path", path("path.csv"), "-o", path("model.json")]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        self.err, self.report, self.points = done.stderr, None, []
        if done.returncode != status:
            raise RuntimeError(f"status {done.returncode} of {' '.join(words)}\n{done.stderr}")
        if done.returncode in (0, 4):
            self.report = json.loads(done.stdout)
            with open(path("path.csv")) as file:
                self.points = list(csv.DictReader(file))
            with open(path("model.json"), "rb") as file:
                self.model = file.read()

    def column(self, name):
        return np.array([float(p[name]) if p[name] else np.nan for p in self.points])


class Checks(checks.Checks):
    """Of arrays too."""

    def near(self, got, expected, tolerance, what):
        """Both as arrays, relative to the largest number of either (at least 1e-3)."""
        got, expected = np.asarray(got, float), np.asarray(expected, float)
        size = max(np.abs(got).max(initial=0), np.abs(expected).max(initial=0), 1e-3)
        off = np.abs(got - expected).max(initial=0) if got.shape == expected.shape else np.inf
        self.check(off <= tolerance * size,
                   f"{what}: off by {off:.3g} of {size:.3g}; got {got.ravel()[:4]}, expected {expected.ravel()[:4]}")
