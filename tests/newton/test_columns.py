# test_columns.py - proximal Newton by coordinate descent (cd-newton): against reference.py on small problems, and by conditions of optimality written
# out here on problems that are too large for it: softmax with more nonzeros than a dense matrix may have, columns of any scale, columns that are alike.
import itertools
import subprocess

from reference_run import COMMAND, Checks, Fitted, write_svm, write_table

import numpy as np
import reference


def small_cases():
    """Every loss, both penalties, ridge or not, intercept or not, weights with zeros among them; the last column is the sum of two others."""
    rng = np.random.default_rng(3)
    A = np.where(rng.random((60, 12)) < 0.7, rng.normal(size=(60, 12)), 0)
    A[:, 11] = A[:, 0] + A[:, 1]
    A[:, 10] = 0
    signal = A @ rng.normal(size=12) + rng.normal(size=60)
    two, three = np.where(signal > 0, 1.0, -1.0), np.digitize(signal, [-2, 2])
    w = np.arange(60) % 3 + 0.0
    number = 0
    for loss in reference.LOSS:
        K = 3 if loss == "softmax" else 1
        b = three if K > 1 else signal if loss in ("squared", "huber") else two
        for penalty in ("l1", "group") if K > 1 else ("l1",):
            for gamma in (0, 0.05):
                number += 1
                free, weighted, lam = number % 2 == 0, number % 3 == 0, 0.02
                words = [write_svm("small.svm", A, b), "--features", 12, "--loss", loss, "--penalty", penalty, "--lambda", lam, "--gamma", gamma,
                         "--intercept" if free else "--no-intercept"]
                words += ["--weights", write_table("w.txt", w)] if weighted else []
                yield words, reference.Problem(A, b, loss, [(penalty, np.eye(12), lam)], gamma=gamma, intercept=free,
                                               weights=w if weighted else None, K=K)


def check_small(checks):
    for words, p in small_cases():
        _, _, _, best, error = p.solve(1e-10)
        fit = Fitted(*words, "--solver", "cd-newton", "--tol", 1e-9)
        value = p.value(fit.x, fit.c)
        checks.check(fit.report["status"] == "converged", f"{words[1:]}: {fit.report['status']}")
        checks.near(value, fit.report["objective"], 1e-12, f"{words[1:]}: objective")
        checks.check(-error <= value - best <= 1e-9 * best + error, f"{words[1:]}: {value - best:.3g} above the optimum")


def violation(A, slope, x, lam, gamma, group):
    """How far A'slope + gamma x is from -lambda times a subgradient, in parts of lambda."""
    g = A.T @ slope + gamma * x
    norm = np.linalg.norm(g, axis=1) if group else np.abs(g)
    zero = np.abs(x).sum(1) == 0 if group else x == 0
    unit = x / np.maximum(np.linalg.norm(x, axis=1), 1e-300)[:, None] if group else np.sign(x)
    return max(norm[zero].max() / lam - 1, np.abs(g + lam * unit)[~zero].max() / lam)


def check_softmax(checks):
    """3,000 features in five classes with more nonzeros than ws-newton may hold; without ridge alm-ssn does not get there in thousands of passes."""
    rng = np.random.default_rng(1)
    rows, features, classes = 500, 3000, 5
    A = np.where(rng.random((rows, features)) < 0.03 / (1 + np.arange(features) / 200), rng.integers(1, 4, (rows, features)), 0.0)
    A[0, -1] = 1
    b = (A[:, :300] @ rng.normal(size=(300, classes)) + rng.gumbel(size=(rows, classes))).argmax(1)
    data = write_svm("wide.svm", A, b)
    for penalty, lam in (("group", 2e-4), ("l1", 2e-4)):
        for gamma in (0, 1e-3):
            fit = Fitted(data, "--loss", "softmax", "--penalty", penalty, "--lambda", lam, "--gamma", gamma, "--no-intercept", "--tol", 1e-7, "--epochs", 1500)
            name = f"softmax {penalty} gamma {gamma}"
            checks.check((fit.report["status"], fit.report["solver"]) == ("converged", "cd-newton"), f"{name}: {fit.report['status']}")
            z = A @ fit.x
            p = np.exp(z - np.logaddexp.reduce(z, 1)[:, None])
            p[np.arange(rows), b] -= 1
            left = violation(A, p / rows, fit.x, lam, gamma, penalty == "group")
            checks.check(left < 1e-3, f"{name}: conditions of optimality violated by {left:.3g} of lambda")
            print(f"{name}: {fit.report['nonzeros']} nonzeros, {fit.report['epochs']:.0f} passes, conditions to {left:.1e}")


def check_few_columns(checks):
    """The same with 20 features and proximal Newton: thousands of steps when the damping was the same for every column."""
    rng = np.random.default_rng(4)
    A = rng.normal(size=(200, 20)) * 10.0 ** np.linspace(-3, 3, 20)
    b = np.sign(A[:, :10] / np.abs(A[:, :10]).max(0) @ rng.normal(size=10) + 0.3 * rng.normal(size=200))
    data = write_svm("few.svm", A, b)
    for loss, slope in ("logistic", lambda z: -b / (1 + np.exp(b * z))), ("squared", lambda z: z - b):
        for structure in ("identity", "chain"):
            fit = Fitted(data, "--loss", loss, "--structure", structure, "--lambda", 1e-4, "--intercept", "--tol", 1e-9, "--epochs", 400)
            name, report = f"20 columns {loss} {structure}", fit.report
            checks.check((report["status"], report["gap_kind"]) == ("converged", "certified"), f"{name}: {report['status']}, {report['gap_relative']}")
            z = A @ fit.x[:, 0] + fit.c[0]
            g = A.T @ slope(z) / 200
            y = -g if structure == "identity" else -np.cumsum(g)[:-1]  # the only dual that balances g
            left = max(np.abs(y).max() / 1e-4 - 1, abs(np.sum(slope(z))) / 200, 0 if structure == "identity" else abs(g.sum()) / np.abs(g).max())
            checks.check(left < 1e-4, f"{name}: no dual point within {left:.3g}")


def check_units(checks):
    """Five columns, the largest in units 1e11 times smaller than the least, against L-BFGS-B on x = p - n in units in which all are alike.
    Proximal Newton took the least ones for columns without curvature and crept along them."""
    rng = np.random.default_rng(6)
    unit, rows, lam = 10.0 ** np.array([-5, 6, 0, 3, -3]), 120, 1e-7
    own = rng.normal(size=(rows, 5))
    score = own @ [1, -1, 0.5, 1, 1] + rng.normal(size=rows)
    for loss in ("logistic", "squared", "huber", "squared-hinge"):
        b = score if loss in ("squared", "huber") else np.sign(score)
        p = reference.Problem(own, b, loss, [("l1", np.eye(5) / unit, lam)], intercept=True)

        def value(v):
            x, c = (v[:5] - v[5:10])[:, None], v[10:]
            g, gc = p.gradient(x, c)
            return (p.train_loss(x, c) + lam * (v[:5] + v[5:10]) @ (1 / unit),
                    np.concatenate([g[:, 0] + lam / unit, lam / unit - g[:, 0], gc]))

        best = reference.scipy.optimize.minimize(value, np.zeros(11), jac=True, method="L-BFGS-B", bounds=[(0, None)] * 10 + [(None, None)],
                                                 options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10}).fun
        fit = Fitted(write_svm("units.svm", own * unit, b), "--loss", loss, "--lambda", lam, "--intercept", "--epochs", 1000)
        checks.near(fit.report["objective"], best, 1e-7, f"units, {loss}")


def check_scales(checks):
    """Columns whose sizes differ by a million, some twice."""
    rng = np.random.default_rng(2)
    A = np.where(rng.random((300, 2000)) < 0.05, rng.normal(size=(300, 2000)), 0)
    A[:, 50:60] = A[:, 60:70]
    A[0, -1] = 1
    A *= 10.0 ** rng.uniform(-3, 3, 2000)
    b = np.sign(A[:, :10] / np.abs(A[:, :10]).max(0) @ rng.normal(size=10) + 0.3 * rng.normal(size=300))
    data = write_svm("scales.svm", A, b)
    for loss, slope in ("logistic", lambda z: -b / (1 + np.exp(b * z))), ("squared", lambda z: z - b):
        for gamma, solver in itertools.product((0, 1e-3), ("lasso", "cd-newton")):
            fit = Fitted(data, "--loss", loss, "--lambda", 1e-2, "--gamma", gamma, "--no-intercept", "--tol", 1e-8, "--epochs", 40000,
                         "--solver", solver)
            name = f"scales {loss} gamma {gamma} {solver}"
            checks.check((fit.report["status"], fit.report["solver"]) == ("converged", solver), f"{name}: {fit.report}")
            x = fit.x[:, 0]
            left = violation(A, slope(A @ x)[:, None] / 300, fit.x, 1e-2, gamma, False)
            checks.check(left < 1e-3, f"{name}: conditions of optimality violated by {left:.3g} of lambda")
            print(f"{name}: {np.count_nonzero(x)} nonzeros, {fit.report['epochs']:.0f} passes, conditions to {left:.1e}")
    done = subprocess.run([COMMAND, "fit", data, "--epochs", "1", "-v"], capture_output=True, text=True)
    checks.check("auto: lasso, then cd-newton, then alm-ssn, because the penalty is on each coefficient" in done.stderr, done.stderr)


tally = Checks()
check_small(tally)
check_softmax(tally)
check_scales(tally)
check_few_columns(tally)
check_units(tally)
tally.end()
