# test_poisson.py - counts: the command against Newton's method in numpy on the face of its answer, whose optimality conditions are checked for
# all of F x. Where they hold the face is the right one, and the numbers come from numpy alone.
from cli_support import CommandTest

import csv
import json
import unittest

import numpy as np

NEWTON = ("auto", "prox-newton", "ws-newton", "cd-newton", "lasso", "alm-ssn", "interior")


def chain(d):
    return np.eye(d)[:-1] - np.eye(d)[1:]


def optimum(A, b, F, lam, gamma, offset, weight, intercept, near):
    """x, c and f of min (1/W) sum w (exp(z) - b z + b log b - b) + gamma/2 ||x||^2 + lam ||F x||_1, with the zeros and signs of F `near`; the largest violation of the
    conditions of optimality, of slopes of size 1."""
    d, Fx = A.shape[1], F @ near[0]
    zero = np.abs(Fx) < 1e-7 * max(1, np.abs(Fx).max())
    sign = np.where(zero, 0, np.sign(Fx))
    _, s, V = np.linalg.svd(F[zero]) if zero.any() else (0, np.zeros(0), np.eye(d))
    N = V[int((s > 1e-9).sum()):].T                       # F x = 0 where it is to be 0: x = N t
    M = np.hstack([A @ N, np.ones((len(A), int(intercept)))])
    ridge = np.zeros((M.shape[1],) * 2)
    ridge[:N.shape[1], :N.shape[1]] = gamma * N.T @ N
    push = np.concatenate([lam * N.T @ F.T @ sign, np.zeros(int(intercept))])
    t = np.concatenate([N.T @ near[0], near[1][:int(intercept)]])
    w = weight / weight.sum()
    for _ in range(30):
        mean = np.exp(M @ t + offset)
        t = t - np.linalg.solve(M.T @ (M * (w * mean)[:, None]) + ridge, M.T @ (w * (mean - b)) + ridge @ t + push)
    x, c = N @ t[:N.shape[1]], t[N.shape[1]:].sum()
    z = A @ x + c + offset
    rest = A.T @ (w * (np.exp(z) - b)) + gamma * x + lam * F.T @ sign
    y = np.linalg.lstsq(F[zero].T, -rest, rcond=None)[0] if zero.any() else np.zeros(0)
    wrong = max(np.abs(F[zero].T @ y + rest).max() if zero.any() else np.abs(rest).max(), np.abs(y).max(initial=0) - lam,
                np.abs(sign - np.sign(F @ x) * ~zero).max(initial=0))
    deviance = np.exp(z) - b * z + np.where(b > 0, b * np.log(np.where(b > 0, b, 1)), 0) - b
    return x, c, w @ deviance + gamma / 2 * x @ x + lam * np.abs(F @ x).sum(), wrong


class Poisson(CommandTest):
    def setUp(self):
        super().setUp()
        draw = np.random.default_rng(4)
        self.A = np.round(draw.standard_normal((160, 12)), 3)
        truth = np.repeat([0.4, 0.0, -0.3, 0.2], 3)
        self.offset = np.round(np.log(draw.uniform(0.5, 20, 160)), 6)  # logarithms of exposures
        self.weight = np.round(draw.uniform(0.2, 3, 160), 3)
        self.b = draw.poisson(np.exp(0.5 + self.A @ truth + self.offset)).astype(float)
        self.write("offset", "\n".join(map(repr, self.offset.tolist())) + "\n")
        self.write("weights", "\n".join(map(repr, self.weight.tolist())) + "\n")
        self.data("counts.svm", self.b)

    def data(self, name, b):
        line = lambda a, t: f"{t!r} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(a) if v)
        self.write(name, "\n".join(line(a, t) for a, t in zip(self.A.tolist(), np.asarray(b).tolist())) + "\n")

    def fitted(self, *words):
        """x, c and the report of a fit."""
        report = json.loads(self.spdhg("fit", *words, "--loss", "poisson", "--threads", 1, "--json", "-q", "-o", "model.json").out)
        model = json.loads(self.read("model.json"))
        x = model["coefficients"]
        if isinstance(x, dict):
            x = [dict(zip(x["index"], x["value"])).get(j, 0.0) for j in range(model["features"])]
        return np.array(x), np.array(model["constants"]), report

    def compare(self, *words, F, lam, gamma=0.0, offset=0.0, weight=None, intercept=True, b=None, digits=1e-8):
        x, c, report = self.fitted(*words, "--lambda", lam, "--gamma", gamma, *([] if intercept else ["--no-intercept"]))
        b = self.b if b is None else b
        best, constant, f, wrong = optimum(self.A, b, F, lam, gamma, offset + np.zeros(len(b)), np.ones(len(b)) if weight is None else weight, intercept, (x, c))
        self.assertLess(wrong, 1e-10 * (1 + b.max()), words)
        self.assertLess(np.abs(x - best).max() + abs((c[0] if intercept else 0) - constant), digits, words)
        self.assertLess(abs(report["objective"] - f), 1e-10 * f, words)
        self.assertEqual(report["gap_kind"], "certified", words)
        self.assertLess(report["gap_relative"], 1e-6, words)

    def test_optimum_by_every_newton_method(self):
        eye, line = np.eye(12), chain(12)
        for solver in NEWTON:
            words = ["counts.svm", "--solver", solver, "--tol", 1e-9]
            self.compare(*words, "--offset", "offset", F=eye, lam=0.3, offset=self.offset, digits=1e-7)
            if solver not in ("cd-newton", "lasso"):
                self.compare(*words, "--structure", "chain", "--offset", "offset", "--weights", "weights", F=line, lam=0.2, offset=self.offset,
                             weight=self.weight, digits=1e-7)

    def test_offsets_weights_ridge_chain_and_all_digits(self):
        eye, line = np.eye(12), chain(12)
        for words, more in (([], {}), (["--offset", "offset"], {"offset": self.offset}), (["--weights", "weights"], {"weight": self.weight})):
            for structure, F in (("identity", eye), ("chain", line)):
                for gamma in (0.0, 0.1):
                    self.compare("counts.svm", "--structure", structure, *words, F=F, lam=0.25, gamma=gamma, **more)

    def test_far_from_the_start(self):
        """Counts of 1e9 and no intercept: from x = 0 Newton's step is 1e9 long, and exp overflows at 710."""
        many = np.round(1e9 * np.exp(self.A @ np.full(12, 0.1)))
        self.data("many.svm", many)
        self.compare("many.svm", "--tol", 1e-10, F=np.eye(12), lam=1e6, intercept=False, b=many, digits=1e-6)
        for solver in NEWTON[1:]:
            _, _, report = self.fitted("many.svm", "--solver", solver, "--lambda", 1e6, "--no-intercept", "--tol", 1e-6)
            self.assertLess(report["gap_relative"], 1e-6, solver)
        _, _, report = self.fitted("many.svm", "--solver", "prox-newton", "--lambda", 1e6, "--no-intercept", "--tol", 1e-6, "--epochs", 150)
        self.assertLess(report["gap_relative"], 1e-6)  # with f of 1e10 the damping of the model counts in parts of f
        self.A, b = np.round(self.A[:9, :2], 2), np.round(1e9 * np.exp(self.A[:9, 0]))
        self.data("few.svm", b)
        for solver in ("auto", "interior"):
            x, _, report = self.fitted("few.svm", "--set", "nonneg", "--lambda", 0, "--no-intercept", "--solver", solver, "--tol", 1e-6)
            slope = self.A.T @ (np.exp(self.A @ x) - b) / 9
            self.assertTrue((x >= 0).all() and np.abs(slope[x > 0]).max(initial=0) < 1e3 and slope[x == 0].min(initial=0) > -1e3)
            self.assertLess(report["gap_relative"], 1e-6, solver)

    def test_scores_that_overflow(self):
        self.write("high", "\n".join(["800"] * 160) + "\n")  # exp(800) is no double
        self.compare("counts.svm", "--offset", "high", F=np.eye(12), lam=0.5, offset=800.0, digits=1e-7)

    def test_parts_of_counts_are_taken_and_zero_counts_too(self):
        half = self.b / 2 * (self.A[:, 0] > 0)
        self.data("half.svm", half)
        self.compare("half.svm", F=np.eye(12), lam=0.1, b=half)

    def test_sets(self):
        x, c, report = self.fitted("counts.svm", "--offset", "offset", "--set", "nonneg", "--lambda", 0)
        z = self.A @ x + c + self.offset
        g = self.A.T @ (np.exp(z) - self.b) / len(z)
        self.assertTrue((x >= 0).all() and abs(np.mean(np.exp(z) - self.b)) < 1e-6)
        self.assertLess(max(np.abs(g[x > 0]).max(initial=0), -g[x == 0].min(initial=0)), 1e-4)
        self.assertLess(report["gap_relative"], 1e-6)

    def test_no_minimiser(self):
        self.data("zeros.svm", 0 * self.b)
        done = self.spdhg("fit", "zeros.svm", "--loss", "poisson", "--lambda", 0.1, status=3)
        self.assertIn("there is no minimiser; use --no-intercept", done.err)
        self.compare("zeros.svm", F=np.eye(12), lam=0.1, intercept=False, b=0 * self.b)
        rare = np.where(self.A[:, 0] > 0.5, 0, self.b)  # a column of its own for rows without any count
        table = np.hstack([self.A, (self.A[:, :1] > 0.5)])
        self.A = table
        self.data("rare.svm", rare)
        done = self.spdhg("fit", "rare.svm", "--loss", "poisson", "--lambda", 0, "--json", "-q", status=4)
        report = json.loads(done.out)
        rows = table[:, -1] == 0  # at the infimum the others cost nothing
        _, _, f, _ = optimum(table[rows, :-1], rare[rows], np.zeros((1, 12)), 0.0, 1e-12, np.zeros(rows.sum()), np.ones(rows.sum()), True,
                                       (np.zeros(12), np.full(1, np.log(rare[rows].mean()))))
        self.assertEqual(report["status"], "infimum")
        self.assertLess(abs(report["objective"] - f * rows.mean()), 1e-8)

    def test_a_row_that_rises_either_way_forces_nothing(self):
        self.A = np.where(self.b > 10, -1.0, 1.0)[:, None] * (1 + np.arange(160) % 3)[:, None]
        rare = np.where(self.b > 10, self.b, 0.0)  # counts where the column is negative, none where it is positive
        self.data("rare.svm", rare)
        self.compare("rare.svm", F=np.eye(1), lam=0.0, intercept=False, b=rare)

    def test_first_order_methods_refuse(self):
        for solver in ("spdhg", "lpdhg", "sadmm", "pd3o", "saga-pd3o", "sdca-admm", "online-admm"):
            done = self.spdhg("fit", "counts.svm", "--loss", "poisson", "--solver", solver, "--lambda", 0.1, status=2)
            self.assertIn(f"solver {solver}: its steps need a bound on the curvature of the loss", done.err)

    def test_targets_that_are_no_counts(self):
        self.write("minus.svm", "1 1:1\n2 1:2\n-3 1:1\n")
        self.assertIn("minus.svm:3: the target is -3; loss poisson expects a count", self.spdhg("fit", "minus.svm", "--loss", "poisson", "--lambda", 1, status=3).err)
        self.write("minus.csv", "a,y\n1,2\n2,-0.5\n")
        self.assertIn("minus.csv:3: the target is -0.5", self.spdhg("fit", "minus.csv", "--loss", "poisson", "--lambda", 1, status=3).err)
        self.write("gap.svm", "1 1:1\n\n-3 1:1\n")  # lines are not rows
        self.assertIn("gap.svm: row 2: the target is -3", self.spdhg("fit", "gap.svm", "--loss", "poisson", "--lambda", 1, status=3).err)
        self.spdhg("fit", "minus.svm", "--loss", "squared", "--lambda", 1)

    def test_predictions_are_means(self):
        x, c, _ = self.fitted("counts.svm", "--offset", "offset", "--lambda", 0.3)
        done = self.spdhg("predict", "model.json", "counts.svm", "--offset", "offset", "-o", "means", "--json")
        means, said = np.loadtxt(self.path("means"), skiprows=1), json.loads(done.out)
        z = self.A @ x + c + self.offset
        self.assertLess(np.abs(means / np.exp(z) - 1).max(), 1e-12)
        deviance = 2 * np.mean(np.where(self.b > 0, self.b * (np.log(np.maximum(self.b, 1)) - z), 0) - self.b + np.exp(z))
        self.assertAlmostEqual(said["deviance"], deviance, delta=1e-10 * deviance)
        self.assertAlmostEqual(said["loss"], deviance / 2, delta=1e-10 * deviance)
        self.assertAlmostEqual(said["rmse"], np.sqrt(np.mean((np.exp(z) - self.b) ** 2)), delta=1e-9)
        self.assertAlmostEqual(said["r2"], 1 - np.sum((np.exp(z) - self.b) ** 2) / np.sum((self.b - self.b.mean()) ** 2), delta=1e-9)
        self.data("unknown.svm", np.where(np.arange(160) < 10, -1, self.b))
        said = json.loads(self.spdhg("predict", "model.json", "unknown.svm", "-o", "means", "--json").out)
        self.assertEqual((said["unknown_labels"], said["labelled_rows"]), (10, 150))
        b, z = self.b[10:], self.A[10:] @ x + c
        half = np.mean(np.where(b > 0, b * (np.log(np.maximum(b, 1)) - z), 0) - b + np.exp(z))
        self.assertAlmostEqual(said["loss"], half, delta=1e-10 * half)
        self.assertAlmostEqual(said["r2"], 1 - np.sum((np.exp(z) - b) ** 2) / np.sum((b - b.mean()) ** 2), delta=1e-9)

    def test_path_and_cross_validation(self):
        fold = np.arange(160) % 4
        self.write("folds", "\n".join(map(str, fold)) + "\n")
        self.spdhg("path", "counts.svm", "--loss", "poisson", "--offset", "offset", "--lambdas", 6, "--lambda-ratio", 0.05, "--fold-file", "folds", "--folds", 4,
                   "--path", "path.csv", "-q", "-o", "model.json", "--report", "page.html", "--saturation", 0, "--tol", 1e-9)
        with open(self.path("path.csv")) as file:
            lines = list(csv.DictReader(file))
        c = np.log(self.b.sum() / np.exp(self.offset).sum())
        slope = self.A.T @ (np.exp(c + self.offset) - self.b) / 160
        self.assertAlmostEqual(float(lines[0]["lambda"]) / np.abs(slope).max(), 1, delta=2e-6)  # a little above
        half = lambda z, b: np.mean(np.where(b > 0, b * (np.log(np.maximum(b, 1)) - z), 0) - b + np.exp(z))
        null = half(c + self.offset, self.b)
        for at in (2, 5):
            lam, held, train = float(lines[at]["lambda"]), [], float(lines[at]["train_loss"])
            self.assertAlmostEqual(float(lines[at]["explained"]), 1 - train / null, delta=1e-8)
            for k in range(4):
                out, rest = fold == k, fold != k
                self.write("part.svm", "\n".join(f"{t!r} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(a)) for a, t in
                                                 zip(self.A[rest].tolist(), self.b[rest].tolist())) + "\n")
                self.write("part.offset", "\n".join(map(repr, self.offset[rest].tolist())) + "\n")
                x, c_k, _ = self.fitted("part.svm", "--offset", "part.offset", "--lambda", repr(lam), "--tol", 1e-10)
                held.append(half(self.A[out] @ x + c_k + self.offset[out], self.b[out]))
            self.assertAlmostEqual(float(lines[at]["cv_loss"]), np.mean(held), delta=1e-5 * np.mean(held))
        self.assertIn(b"poisson", self.read("page.html"))

    def test_sets_away_from_0(self):
        """At the point of X nearest to 0 the means are exp(300) or more: the fit starts at another corner, or says what is wrong."""
        A, b = np.array([[2, 0.01], [-1, 0.02], [1, -0.01]]), np.array([3.0, 1, 0])
        self.write("far.svm", "".join(f"{int(t)} 1:{a[0]} 2:{a[1]}\n" for t, a in zip(b, A)))
        words = ["--loss", "poisson", "--lambda", "0.01", "--no-intercept", "--json", "-q"]
        for R in (300.0, 900.0):
            answer = json.loads(self.spdhg("fit", "far.svm", "--set", f"simplex:{R}", *words).out)
            t = np.linspace(0, 12, 1_000_001)
            z = np.outer(t, A[:, 0]) + np.outer(R - t, A[:, 1])
            f = (np.exp(z) - b * z + np.where(b > 0, b * np.log(np.maximum(b, 1)) - b, 0)).mean(axis=1) + 0.01 * R
            self.assertEqual(answer["gap_kind"], "certified")
            self.assertLessEqual(answer["gap_relative"], 1e-6)
            self.assertAlmostEqual(answer["objective"] / f.min(), 1, 5)
        said = self.spdhg("fit", "far.svm", "--set", "box:400,900", *words, status=3).err
        self.assertIn("too large for the loss", said)


unittest.main()
