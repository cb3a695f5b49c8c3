# test_corners.py - losses with corners (hinge, absolute, quantile): the command against scipy's linear and quadratic programmes, with weights, offsets,
# intercept, ridge, structures and sets; paths, lambda_max, predictions, refusals, memory, certificates.
from cli_support import CommandTest

import json
import os
import subprocess
import unittest

import numpy as np
from scipy.optimize import linprog, minimize

CHECKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "check-certificate")
LOSSES = {"hinge": lambda b: (np.where(b > 0, -1.0, 0.0), np.where(b > 0, 0.0, 1.0)), "absolute": lambda b: (-np.ones_like(b), np.ones_like(b)),
          "quantile:0.3": lambda b: (np.full_like(b, -0.3), np.full_like(b, 0.7))}


def chain(d):
    return np.eye(d)[:-1] - np.eye(d)[1:]


def value(loss, A, b, x, c, F, lam, gamma, offset, w):
    low, high = LOSSES[loss](b)
    off = A @ x + c + offset - b
    return w / w.sum() @ np.maximum(low * off, high * off) + gamma / 2 * x @ x + lam * np.abs(F @ x).sum()


def programme(loss, A, b, F, lam, offset, w, intercept, bounds, total):
    """The optimum for gamma = 0, by a linear programme in x, c, the distances of the scores to their targets, and F x by parts."""
    (n, d), m = A.shape, len(F)
    low, high = LOSSES[loss](b)
    w = w / w.sum()
    cost = np.r_[np.zeros(d + 1), w * high, -w * low, lam * np.ones(2 * m)]
    I, J = np.eye(n), np.eye(m)
    rows = np.vstack([np.hstack([A, np.full((n, 1), float(intercept)), -I, I, np.zeros((n, 2 * m))]), np.hstack([F, np.zeros((m, 1 + 2 * n)), -J, J])])
    right = np.r_[b - offset, np.zeros(m)]
    if total:
        rows, right = np.vstack([rows, np.r_[np.ones(d), np.zeros(1 + 2 * n + 2 * m)]]), np.r_[right, total]
    return linprog(cost, A_eq=rows, b_eq=right, bounds=[bounds] * d + [(None, None)] + [(0, None)] * (2 * n + 2 * m), method="highs").fun


class Corners(CommandTest):
    def setUp(self):
        super().setUp()
        draw = np.random.default_rng(8)
        self.A = np.round(draw.standard_normal((60, 6)), 3)
        truth = np.array([1.0, 1.0, -0.5, -0.5, 0.0, 0.0])
        self.number = np.round(self.A @ truth + 0.4 + 0.6 * draw.standard_t(2, 60), 4)
        self.label = np.where(self.A @ truth + 0.8 * draw.standard_normal(60) > 0.2, 1.0, -1.0)
        self.offset = np.round(0.3 * draw.standard_normal(60), 3)
        self.weight = np.round(draw.uniform(0.2, 3, 60), 3)
        self.weight[5] = 0
        for name, numbers in (("offset", self.offset), ("weights", self.weight)):
            self.write(name, "\n".join(map(repr, numbers.tolist())) + "\n")
        for name, b in (("hinge", self.label), ("absolute", self.number), ("quantile:0.3", self.number)):
            line = lambda a, t: f"{t!r} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(a) if v)
            self.write(name.partition(":")[0] + ".svm", "\n".join(line(a, t) for a, t in zip(self.A.tolist(), b.tolist())) + "\n")

    def targets(self, loss):
        return self.label if loss == "hinge" else self.number

    def file(self, loss):
        return loss.partition(":")[0] + ".svm"

    def fit(self, loss, *words):
        return json.loads(self.spdhg("fit", self.file(loss), "--loss", loss, "--tol", "1e-9", "--threads", 1, "--json", "-q", "-o", "m.json", *words).out)

    def test_linear_programmes(self):
        for loss in LOSSES:
            for structure, F in (("identity", np.eye(6)), ("chain", chain(6)), ("trend:1", chain(5) @ chain(6))):
                for set_, bounds, total in (("all", (None, None), None), ("nonneg", (0, None), None), ("box:-0.3,0.4", (-0.3, 0.4), None), ("simplex:1", (0, None), 1.0)):
                    for lam, intercept, extra in ((0.0, True, False), (0.03, False, False), (0.03, True, True)):
                        words = ["--structure", structure, "--set", set_, "--lambda", repr(lam), "--intercept" if intercept else "--no-intercept"]
                        words += ["--offset", "offset", "--weights", "weights"] if extra else []
                        o, w = (self.offset, self.weight) if extra else (np.zeros(60), np.ones(60))
                        model = self.fit(loss, *words)
                        best = programme(loss, self.A, self.targets(loss), F, lam, o, w, intercept, bounds, total)
                        self.assertAlmostEqual(model["objective"], best, delta=2e-9 * max(best, 1e-3), msg=f"{loss} {words}")

    def test_several_targets(self):
        """l1 and sets that act on each output: the optimum is the sum of linear programmes. Groups couple the outputs: certificates."""
        draw, K, n = np.random.default_rng(3), 3, 60
        many = np.round(self.A @ np.repeat(draw.standard_normal((3, K)), 2, axis=0) + draw.standard_normal((n, K)), 3)
        self.write("many", "\n".join(" ".join(map(repr, row)) for row in many.tolist()) + "\n")
        self.write("many.csv", "a,b,c,d,e,f,p,q,r\n" + "".join(",".join(map(repr, row)) + "\n" for row in np.hstack([self.A, many]).tolist()))
        for loss in ("absolute", "quantile:0.3"):
            for structure, F in (("identity", np.eye(6)), ("chain", chain(6)), ("trend:1", chain(5) @ chain(6))):
                for set_, bounds in (("all", (None, None)), ("nonneg", (0, None)), ("box:-0.3,0.4", (-0.3, 0.4))):
                    model = self.fit(loss, "--targets", "many", "--structure", structure, "--set", set_, "--lambda", "0.03", "--weights", "weights")
                    best = sum(programme(loss, self.A, b, F, 0.03, np.zeros(n), self.weight, True, bounds, None) for b in many.T)
                    self.assertAlmostEqual(model["objective"], best, delta=2e-9 * best, msg=f"{loss} {structure} {set_}")
            for words in ("--penalty group --lambda 0.05", "--penalty group --structure chain --lambda 0.05 --gamma 0.01", "--penalty linf --lambda 0.05"):
                self.spdhg("fit", "many.csv", "--label", "p,q,r", "--loss", loss, *words.split(), "--tol", "1e-6", "--certificate", "proof.json", "-q")
                done = subprocess.run([CHECKER, "proof.json", "many.csv"], cwd=self.folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{loss} {words}: {done.stdout}{done.stderr}")
        self.assertIn("one label per row", self.spdhg("fit", "hinge.svm", "--loss", "hinge", "--targets", "many", status=3).err)

    def test_ridge_against_another_dual(self):
        """min over alpha in its box of |A'alpha w|^2/(2 gamma) + ..., by L-BFGS-B with numpy's numbers: a lower bound from outside."""
        for loss in LOSSES:
            b, w, gamma = self.targets(loss), np.ones(60) / 60, 0.05
            low, high = LOSSES[loss](b)
            dual = lambda a: (((self.A.T @ (w * a)) ** 2).sum() / (2 * gamma) + w @ (b * a), w * (self.A @ (self.A.T @ (w * a)) / gamma + b))
            best = -minimize(dual, np.zeros(60), jac=True, bounds=list(zip(low, high)), method="L-BFGS-B", options={"maxiter": 20000, "ftol": 1e-16, "gtol": 1e-12, "maxfun": 10**6}).fun
            model = self.fit(loss, "--lambda", "0", "--gamma", repr(gamma), "--no-intercept")
            self.assertAlmostEqual(model["objective"], best, delta=1e-8, msg=loss)

    def test_median_and_its_corners(self):
        """An odd number of values: the median is one of them, exactly; an exact fit of d rows out of n is a vertex."""
        self.write("m.csv", "a,y\n" + "".join(f"0,{v}\n" for v in (3.7, -1.1, 0.4, 9.9, 0.6)))
        self.spdhg("fit", "m.csv", "--loss", "absolute", "--lambda", "1", "-o", "m.json")
        self.assertAlmostEqual(json.loads(self.read("m.json"))["constants"][0], 0.6, delta=1e-14)
        model = self.fit("absolute", "--lambda", "0")
        done = self.spdhg("predict", "m.json", "absolute.svm")
        score = np.array([float(line.split(",")[-1]) for line in done.out.split()[-60:]])
        self.assertEqual((np.abs(score - self.number) < 1e-12).sum(), 7)  # six coefficients and the constant
        self.assertLess(model["gap"], 1e-10)

    def test_vertices(self):
        """A generic answer is a vertex: as many rows at their corner and zeros of the terms as there are unknowns, each to rounding."""
        rng = np.random.default_rng(4)
        A = rng.standard_normal((80, 4))
        z = A @ [1, -2, 0.5, 0] + rng.standard_normal(80)
        for loss in ("quantile:0.3", "absolute", "hinge"):
            b = np.where(z > 0, 1, -1) if loss == "hinge" else z
            self.write("v.csv", "a,b,c,d,y\n" + "".join(",".join(f"{v:.17g}" for v in (*a, t)) + "\n" for a, t in zip(A, b)))
            for words, terms in ((("--lambda", "0"), []), (("--lambda", "0.02"), [np.eye(4)]),
                                 (("--lambda", "0.03", "--structure", "chain", "--also-sparse", "0.5"), [np.eye(4), chain(4)])):
                self.spdhg("fit", "v.csv", "--loss", loss, "--solver", "ipm", "--tol", "1e-9", *words, "-q", "-o", "v.json")
                model = json.loads(self.read("v.json"))
                x, c = np.zeros(4), model["constants"][0]
                x[model["coefficients"]["index"]] = model["coefficients"]["value"]
                left = np.abs(1 - b * (A @ x + c)) if loss == "hinge" else np.abs(A @ x + c - b)
                zeros = sum((F @ x == 0).sum() for F in terms)
                self.assertEqual((left < 1e-12).sum() + zeros, 5, (loss, words, np.sort(left)[:7], x))

    def test_path_starts_at_lambda_max(self):
        for loss in LOSSES:
            for structure, F in (("identity", np.eye(6)), ("chain", chain(6))):
                words = ("--structure", structure, "--intercept", "--lambdas", "6", "--folds", "3")
                text = self.spdhg("path", self.file(loss), "--loss", loss, *words, "-v").err
                low, high = (float(t) for t in text.split("lambda_max is between ")[1].split("\n")[0].split(" and "))
                at = lambda lam: programme(loss, self.A, self.targets(loss), F, lam, np.zeros(60), np.ones(60), True, (None, None), None)
                flat = at(10 * high)
                self.assertAlmostEqual(at(high * 1.00001), flat, delta=1e-9)
                self.assertLess(at(low * 0.999), flat - 1e-7)

    def test_certificates_are_accepted(self):
        for words in ("--lambda 0.02 --structure chain", "--lambda 0 --gamma 0.1", "--lambda 0.01 --set nonneg --weights weights --offset offset"):
            for loss in LOSSES:
                self.spdhg("fit", self.file(loss), "--loss", loss, *words.split(), "--certificate", "proof.json", "-q")
                done = subprocess.run([CHECKER, "proof.json", self.file(loss)], cwd=self.folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{loss} {words}: {done.stdout}{done.stderr}")

    def test_refusals(self):
        for solver in ("spdhg", "saga-pd3o", "prox-newton", "cd-newton", "ws-newton", "alm-ssn", "interior", "chain-newton", "fista", "sadmm", "sdca-admm"):
            text = self.spdhg("fit", "hinge.svm", "--loss", "hinge", "--solver", solver, status=2).err
            self.assertIn("this loss has a corner, where it has no slope", text)
        self.assertIn("between 1e-06 and 0.999999", self.spdhg("fit", "absolute.svm", "--loss", "quantile:1", status=2).err)
        self.assertIn("box, nonneg and simplex", self.spdhg("fit", "hinge.svm", "--loss", "hinge", "--set", "ball:1", status=2).err)
        self.assertIn("the limit is", self.spdhg("fit", "hinge.svm", "--loss", "hinge", "--max-memory", "20K", status=6).err)


if __name__ == "__main__":
    unittest.main()
