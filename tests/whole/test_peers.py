# test_peers.py - README's table "Coming from another package" is true: with the translated lambda and gamma the command finds the
# coefficients of scikit-learn (and liblinear through it) and, where R has glmnet, of glmnet. genlasso: its optimality conditions hold.
import json
import shutil
import subprocess
import sys
import unittest

import numpy as np

try:
    from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression, Ridge
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC
except ImportError:
    print("skipped: no python3-sklearn")
    sys.exit(77)

from cli_support import CommandTest

N, D = 80, 6
DRAW = np.random.default_rng(5)
A = DRAW.standard_normal((N, D)) * [1, 2, 0.5, 1, 3, 1] + [0, 1, -0.3, 0, 2, 0.1]
SIGNAL = A @ [1.5, -0.4, 0, 0.8, 0, 0] + 0.5
NUMBERS = SIGNAL + DRAW.standard_normal(N)
LABELS = np.where(SIGNAL - np.median(SIGNAL) + 2 * DRAW.standard_normal(N) > 0, 1, -1)
TIGHT = {"tol": 1e-13, "max_iter": 1000000}

HAS_GLMNET = bool(shutil.which("Rscript")) and subprocess.run(["Rscript", "-e", "library(glmnet)"], capture_output=True).returncode == 0


class Peers(CommandTest):
    def ours(self, targets, *words):
        text = "".join(f"{b!r} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row)) + "\n" for row, b in zip(A.tolist(), targets.tolist()))
        self.write("data.svm", text)
        self.spdhg("fit", "data.svm", *words, "--tol", 1e-12, "-q", "-o", "model.json")
        model = json.loads(self.read("model.json"))
        x = model["coefficients"]
        if isinstance(x, dict):  # only the nonzero ones are written
            full = np.zeros(D)
            full[x["index"]], x = x["value"], full
        return np.array(x), model["constants"]

    def same(self, found, coefficients, intercept=None, tolerance=1e-5):
        np.testing.assert_allclose(found[0], np.ravel(coefficients), rtol=0, atol=tolerance)
        if intercept is not None:
            np.testing.assert_allclose(np.ravel(found[1]), np.ravel(intercept), rtol=0, atol=tolerance)

    def test_lasso(self):
        peer = Lasso(alpha=0.3, **TIGHT).fit(A, NUMBERS)
        self.same(self.ours(NUMBERS, "--loss", "squared", "--lambda", 0.3), peer.coef_, peer.intercept_)

    def test_elastic_net(self):
        peer = ElasticNet(alpha=0.4, l1_ratio=0.3, **TIGHT).fit(A, NUMBERS)
        found = self.ours(NUMBERS, "--loss", "squared", "--lambda", 0.4 * 0.3, "--gamma", 0.4 * 0.7)
        self.same(found, peer.coef_, peer.intercept_)

    def test_ridge(self):
        peer = Ridge(alpha=7).fit(A, NUMBERS)
        self.same(self.ours(NUMBERS, "--loss", "squared", "--lambda", 0, "--gamma", 7 / N), peer.coef_, peer.intercept_)

    def test_logistic(self):
        for penalty, translated in (("l1", ("--lambda", 1 / (N * 0.5))), ("l2", ("--lambda", 0, "--gamma", 1 / (N * 0.5)))):
            peer = LogisticRegression(penalty=penalty, C=0.5, solver="saga", **TIGHT).fit(A, LABELS)
            self.same(self.ours(LABELS, *translated), peer.coef_, peer.intercept_)
            peer = LogisticRegression(penalty=penalty, C=0.5, solver="liblinear", fit_intercept=False, tol=1e-10, max_iter=100000).fit(A, LABELS)
            self.same(self.ours(LABELS, "--no-intercept", *translated), peer.coef_)

    def test_logistic_elastic_net(self):
        peer = LogisticRegression(penalty="elasticnet", l1_ratio=0.4, C=0.5, solver="saga", **TIGHT).fit(A, LABELS)
        self.same(self.ours(LABELS, "--lambda", 0.4 / (N * 0.5), "--gamma", 0.6 / (N * 0.5)), peer.coef_, peer.intercept_)

    def test_liblinear_svm(self):
        for penalty, translated in (("l1", ("--lambda", 1 / (N * 0.02))), ("l2", ("--lambda", 0, "--gamma", 1 / (N * 0.02)))):
            peer = LinearSVC(penalty=penalty, C=0.02, dual=False, fit_intercept=False, tol=1e-10, max_iter=100000).fit(A, LABELS)
            self.same(self.ours(LABELS, "--loss", "squared-hinge", "--no-intercept", *translated), peer.coef_)

    def test_standard_scaler(self):
        scaler = StandardScaler().fit(A)
        peer = Lasso(alpha=0.2, **TIGHT).fit(scaler.transform(A), NUMBERS)
        self.same(self.ours(NUMBERS, "--loss", "squared", "--lambda", 0.2, "--standardize"), peer.coef_ / scaler.scale_)

    def test_genlasso(self):
        """It minimises ||b - Ax||^2/2 + lambda ||Dx||_1: at our x some u in [-lambda, lambda] has A'(b - Ax) = D'u, u = lambda sign(Dx)."""
        theirs = 60.0
        x, _ = self.ours(NUMBERS, "--loss", "squared", "--structure", "chain", "--no-intercept", "--lambda", theirs / N)
        slope = A.T @ (NUMBERS - A @ x)
        u = -np.cumsum(slope)[:-1]  # D'u = slope, the differences being x_{j+1} - x_j
        self.assertAlmostEqual(slope.sum(), 0, delta=1e-4)
        self.assertLessEqual(np.abs(u).max(), theirs + 1e-4)
        steps = np.diff(x)
        self.assertTrue((steps == 0).any() and (steps != 0).any())
        np.testing.assert_allclose(u[steps != 0], theirs * np.sign(steps[steps != 0]), rtol=0, atol=1e-4)

    @unittest.skipUnless(HAS_GLMNET, "R has no glmnet here")
    def test_glmnet(self):
        for name, array in (("A", A), ("gaussian", NUMBERS), ("binomial", LABELS)):
            np.savetxt(self.path(name), array)
        cases = [(family, alpha, scaled) for family in ("gaussian", "binomial") for alpha in (1, 0.4) for scaled in (False, True)]
        script = 'library(glmnet); A <- as.matrix(read.table("A"))\n' + "".join(
            f"""m <- glmnet(A, scan("{family}", quiet = TRUE), family = "{family}", lambda = 0.1, alpha = {alpha},
                standardize = {str(scaled).upper()}, thresh = 1e-16, maxit = 1e7)
                cat(sprintf("%.15g", as.vector(coef(m))), "\\n")\n""" for family, alpha, scaled in cases)
        out = subprocess.run(["Rscript", "-e", script], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        for (family, alpha, scaled), line in zip(cases, out.splitlines(), strict=True):
            intercept, *coefficients = map(float, line.split())
            targets, loss, spread = (NUMBERS, "squared", NUMBERS.std()) if family == "gaussian" else (LABELS, "logistic", 1)
            words = ["--loss", loss, "--lambda", 0.1 * alpha, "--gamma", 0.1 * (1 - alpha) / spread] + ["--standardize"] * scaled
            with self.subTest(family=family, alpha=alpha, scaled=scaled):
                self.same(self.ours(targets, *words), coefficients, intercept)


if __name__ == "__main__":
    unittest.main()
