# test_centre.py - columns far from 0 for their width (time stamps) beside a free intercept. With s amid such a column
#     a'x + c = sum_j (a_j - s_j) x_j + c~,   c~ = c + s'x
# so the optimum is that of the columns that were centred by hand, in integers, and scaled; reference.py finds that one.
import json
import subprocess
from fractions import Fraction

from reference_run import ALL, COMMAND, Checks, Fitted, path, write_svm, write_table

import numpy as np
import reference

ROWS, LAMBDA, SPARSE = 60, 0.002, 0.5
CLOCKS = {  # where it starts, its width and its step: every value is a double
    "offset 1e8": (1e8, 2.0, 2.0**-20), "offset -1e8": (-1e8, 2.0, 2.0**-20), "Unix seconds": (1.7e9, 259200.0, 1.0),
    "nanoseconds": (1.7e18, 1e6, 256.0), "a small unit": (3e-9, 3e-14, 2.0**-75), "constant": (1e9, 0.0, 1.0)}


class Data:
    """A clock and three features, the last two sparse; `own`: the clock from its own start in units of its width."""

    def __init__(self, clock, loss, seed, far=1):
        rng = np.random.default_rng([seed, ROWS])
        start, width, step = CLOCKS[clock]
        self.unit, self.far = width / 4 if width not in (0, 2) else 1.0, far
        start = step * np.round(start / step)
        ticks = step * np.round(rng.random((ROWS, far)) * width / step)
        self.shift = step * np.round(ticks.mean(0) / step)
        rest = rng.normal(size=(ROWS, 3)) * (rng.random((ROWS, 3)) < [1, 0.6, 0.6])
        self.A, self.own = np.hstack([start + ticks, rest]), np.hstack([(ticks - self.shift) / self.unit, rest])
        assert np.all(self.A[:, :far] - start == ticks)
        z = self.own @ np.append(np.full(far, 1.0), [1, -1, 0.5])
        self.b = {"softmax": np.clip(np.round(z + rng.normal(size=ROWS)), -1, 1) + 1, "squared": z + rng.normal(size=ROWS),
                  "huber": z + rng.standard_cauchy(ROWS)}.get(loss, np.where(z + rng.normal(size=ROWS) > 0, 1.0, -1.0))
        self.K = 3 if loss == "softmax" else 1

    def problem(self, loss, gamma, weights):
        """In x times the unit for the clocks: F has columns divided by it instead."""
        d = self.A.shape[1]
        size = np.append(np.full(self.far, self.unit), np.ones(d - self.far))
        terms = [("l1", reference.differences(d) / size, LAMBDA), ("l1", np.eye(d) / size, SPARSE * LAMBDA)]
        return reference.Problem(self.own, self.b, loss, terms, None, gamma, ("all",), True, weights, None, self.K)


def exact_scores(model, A):
    """Of the model's own numbers, in rationals: what scores are without rounding."""
    K = model["outputs"]
    x = np.reshape(model["coefficients"], (-1, K)) if isinstance(model["coefficients"], list) else None
    if x is None:
        x = np.zeros((model["features"], K))
        x.flat[model["coefficients"]["index"]] = model["coefficients"]["value"]
    centre = model["centred"]
    c = [Fraction(v) for v in centre["constants"]]
    for j, s in zip(centre["index"], centre["value"]):
        c = [c[k] - Fraction(s) * Fraction(x[j, k]) for k in range(K)]
    rows = [[c[k] + sum(Fraction(a) * Fraction(v) for a, v in zip(row, x[:, k])) for k in range(K)] for row in A]
    return np.array([[float(z) for z in row] for row in rows]), [float(v) for v in c]


def write_csv(name, A, labels):
    with open(path(name), "w") as out:
        out.write(",".join(f"f{j}" for j in range(A.shape[1])) + ",label\n")
        out.writelines(",".join(f"{v:.17g}" for v in np.append(row, label)) + "\n" for row, label in zip(A, labels))
    return path(name)


def predict(file, *words):
    done = subprocess.run([COMMAND, "predict", path("model.json"), file, *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout) if "--json" in words else np.array(done.stdout.split()[1:], float)


def check_optimum(checks, clock, loss, gamma, weighted, dense, seed, far=1, solver="auto"):
    name = f"{clock}, {loss}, gamma {gamma}, {'weights, ' * weighted}{'dense' if dense else 'sparse'}, {far} of them, {solver}"
    data, rng, words = Data(clock, loss, seed, far), np.random.default_rng(seed), []
    w = np.where(rng.random(ROWS) < 0.2, 0, rng.random(ROWS)) if weighted else None
    if weighted:  # a row that does not count may lack the entry, or have another
        data.A[np.flatnonzero(w == 0)[0], 0] = 0
        data.A[np.flatnonzero(w == 0)[1], 0] = 5.5
        words = ["--weights", write_table("weights.txt", w)]
    file = (write_csv if dense else write_svm)("data.csv" if dense else "data.svm", data.A, data.b)
    fit = Fitted(file, "--loss", loss, "--structure", "chain", "--lambda", LAMBDA, "--also-sparse", SPARSE, "--gamma", gamma,
                 "--tol", 1e-8 if gamma > 0 else 1e-7, "--solver", solver, "--epochs", 20000, "--test", file, *words)
    p = data.problem(loss, gamma, w)
    _, _, _, best, error = p.solve(1e-7)
    f, gap = fit.report["objective"], fit.report["gap"]
    checks.check(fit.report["status"] == "converged" and fit.report["gap_kind"] == "certified",
                 f"{name}: {fit.report['status']}, {fit.report['gap_kind']} gap {gap:.3g}")
    checks.check(best - error - 1e-7 * best <= f <= best + 1e-7 * best, f"{name}: objective {f:.12g}, optimum {best:.12g}")
    with open(path("model.json")) as stored:
        model = json.load(stored)
    count = np.ones(ROWS) / ROWS if w is None else w / w.sum()
    z, c = exact_scores(model, data.A)
    checks.near(p.phi(z)[0] @ count, fit.report["train_loss"], 1e-9, f"{name}: loss of the exact scores")
    checks.near(p.phi(z)[0].mean(), fit.report["test_loss"], 1e-9, f"{name}: the same rows held out")
    checks.near(predict(file, "--json", "-o", path("out.txt"))["loss"], p.phi(z)[0].mean(), 1e-9, f"{name}: loss of predict")
    if loss in ("squared", "huber"):
        checks.near(predict(file), z[:, 0], 1e-11, f"{name}: predictions")
    checks.near(fit.c, c, 1e-14, f"{name}: the intercept")
    checks.check(model["centred"]["index"] == list(range(far)), f"{name}: centred {model['centred']}")


def check_stated(checks):
    """400 rows, a clock and one feature, nearly separable: where the uncentred problem ended at 0.457 and more."""
    rng = np.random.default_rng(0)
    feature = rng.normal(size=400)
    for start, step, most in ((1.7e9, 1, 259200), (1.7e18, 256, 3900)):
        ticks = step * rng.integers(0, most, 400).astype(float)
        own = np.column_stack([(ticks - ticks.mean()) / ticks.std(), feature])
        b = np.where(own @ [3, 1] + 0.1 * rng.normal(size=400) > 0, 1, -1)
        file = write_svm("data.svm", np.column_stack([start + ticks, feature]), b)
        for penalty in (1e-6, 1e-9):
            fit = Fitted(file, "--loss", "logistic", "--structure", "chain", "--lambda", penalty)
            F = reference.differences(2) / [ticks.std(), 1]

            def value(v):
                z = b * (own @ v[:2] + v[2])
                e = F @ v[:2]
                return np.logaddexp(0, -z).mean() + penalty * np.sqrt(e @ e + 1e-18)

            best = min((reference.scipy.optimize.minimize(value, at, method=how, options={"maxiter": 4000}).fun
                        for at in ([1, 1, 0], [100, 30, 0]) for how in ("BFGS", "Nelder-Mead")))
            checks.check(fit.report["status"] == "converged" and fit.report["gap_kind"] == "certified",
                         f"clock {start:g}, lambda {penalty}: {fit.report['status']}")
            checks.near(fit.report["objective"], best, 1e-5, f"clock {start:g}, lambda {penalty}: objective")


def check_absent(checks):
    """A held-out row without the entry has the value 0 there: predicted as such."""
    data = Data("Unix seconds", "squared", 5)
    held = np.vstack([data.A[:3] * [0, 1, 1, 1], data.A[:2] * [1, 1, 0, 0], 0 * data.A[:1]])
    fit = Fitted(write_svm("data.svm", data.A, data.b), "--loss", "squared", "--lambda", LAMBDA, "--test",
                 write_svm("test.svm", held, data.b[:6]))
    with open(path("model.json")) as stored:
        z = exact_scores(json.load(stored), held)[0][:, 0]
    checks.near(predict(path("test.svm")), z, 1e-12, "rows without the clock")
    checks.near(fit.report["test_loss"], ((z - data.b[:6]) ** 2 / 2).mean(), 1e-12, "loss of rows without the clock")


def check_path(checks, standardize):
    """A path with cross-validation is that of the columns centred by hand."""
    data, reports = Data("nanoseconds", "logistic", 3), []
    own = data.own * np.append(data.unit, np.ones(3))
    for A in (data.A, own):
        words = [COMMAND, "path", write_svm("data.svm", A, data.b), "--loss", "logistic", "--structure", "chain", "--lambdas", "12",
                 "--folds", "4", "--tol", "1e-9", "--json", "-q", "-o", path("model.json"), *["--standardize"] * standardize]
        done = subprocess.run(words, capture_output=True, text=True)
        checks.check(done.returncode == 0, f"path: status {done.returncode}, {done.stderr}")
        reports.append(json.loads(done.stdout))
    for key in ("lambdas", "cv_loss", "objective", "lambda_1se"):
        checks.near(reports[0][key], reports[1][key], 1e-5, f"path, standardize {standardize}: {key}")


def check_plain(checks):
    """What is near 0, has a zero, or meets no intercept, is left alone: the model has no such key."""
    data = Data("Unix seconds", "squared", 1)
    holes = data.A.copy()
    holes[7, 0] = 0
    ones = data.A.copy()
    ones[:, 0] = 1
    for name, A, words in (("no intercept", data.A, ["--no-intercept"]), ("an implicit zero", holes, []), ("ones", ones, []),
                           ("near 0", data.own, [])):
        Fitted(write_svm("data.svm", A, data.b), "--loss", "squared", "--lambda", 1, "--epochs", 1, "--solver", "pd3o", *words)
        with open(path("model.json")) as stored:
            checks.check("centred" not in json.load(stored), f"{name}: nothing is centred")


def check_resume(checks):
    """A checkpoint goes on bit for bit."""
    file = write_svm("data.svm", Data("Unix seconds", "logistic", 2).A, Data("Unix seconds", "logistic", 2).b)
    words = [file, "--loss", "logistic", "--lambda", LAMBDA, "--solver", "saga-pd3o"]
    whole = Fitted(*words, "--epochs", 20)
    Fitted(*words, "--epochs", 8, "--checkpoint", path("state"))
    rest = Fitted(*words, "--epochs", 20, "--resume", path("state"))
    checks.check(np.array_equal(whole.x, rest.x) and np.array_equal(whole.c, rest.c), "resumed run")


if __name__ == "__main__":
    tally = Checks()
    for number, clock in enumerate(CLOCKS):
        for other, loss in enumerate(reference.LOSS):
            if ALL or (number + other) % 3 == 0:
                check_optimum(tally, clock, loss, 0, (number + other) % 2 == 0, number // 2 % 2 == 0, 10 * number + other)
    for number, loss in enumerate(reference.LOSS):
        check_optimum(tally, "constant" if number % 3 == 0 else "offset 1e8", loss, 0.05, number % 2 == 1, number % 3 == 0, number)
        if ALL or number % 3 == 0:
            check_optimum(tally, "offset 1e8", loss, 0, False, number % 2 == 1, 20 + number, 2)
    for solver in ("prox-newton", "alm-ssn", "pd3o"):
        check_optimum(tally, "offset 1e8", "logistic", 0, False, True, 3, 1, solver)
    check_stated(tally)
    check_absent(tally)
    for scaled in (False, True):
        check_path(tally, scaled)
    check_plain(tally)
    check_resume(tally)
    print("clocks beside an intercept: optimum, exact scores, predictions, path, checkpoint")
    tally.end()
