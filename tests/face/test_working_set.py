# test_working_set.py - proximal Newton beyond 1500 coefficients (on a working set) against the same problem with all coefficients at once.
# Empty columns change no optimum: 450 features and 450 of 1700 are the same problem, solved in two ways that must agree.
import json
import unittest

import numpy as np
from cli_support import CommandTest

FEW, MANY = 450, 1700


def make(seed, classes):
    draw = np.random.default_rng(seed)
    A = np.where(draw.random((300, FEW)) < 0.05, draw.standard_normal((300, FEW)), 0).round(4)
    A[:, FEW - 1] = draw.standard_normal(300).round(4)  # the last feature occurs
    X = np.zeros((FEW, classes))
    X[100:160] = draw.standard_normal(classes) * 2
    X[300:320] = -draw.standard_normal(classes) * 2
    score = A @ X + draw.gumbel(size=(300, classes))
    return A, score.argmax(1)


class WorkingSet(CommandTest):
    def fit(self, *words):
        report = json.loads(self.spdhg("fit", "data.svm", "--solver", "ws-newton", "--tol", "1e-10", "--epochs", "2000",
                                       "--json", "-o", "model.json", *words).out)
        return report, json.loads(self.read("model.json"))

    def both(self, classes, lam, *words, gammas=("0", "0.001")):
        A, labels = make(classes, classes)
        self.write("data.svm", "".join(f"{l} " + " ".join(f"{j + 1}:{a[j]}" for j in np.flatnonzero(a)) + "\n" for a, l in zip(A, labels)))
        for gamma in gammas:
            small, _ = self.fit("--features", str(FEW), "--lambda", lam, "--gamma", gamma, *words)
            large, model = self.fit("--features", str(MANY), "--lambda", lam, "--gamma", gamma, *words)
            for report in (small, large):
                self.assertEqual((report["status"], report["gap_kind"]), ("converged", "certified"), words)
            self.assertLess(abs(small["objective"] - large["objective"]), 1e-9 * small["objective"], (gamma, words))
            self.assertGreater(large["structure_nonzeros"], 0, (gamma, words))
            self.assertLess(large["structure_nonzeros"], 400 * classes, (gamma, words))
            yield gamma, A, labels, large, model

    def test_the_plan(self):
        """Circles go to the working set with ridge too, chains to dynamic programming, a penalty on single coefficients to the columns; a full set hands over."""
        draw = np.random.default_rng(3)
        A = draw.standard_normal((60, 2600)).round(3)
        self.write("data.svm", "".join(f"{1 if a[:40].sum() > 0 else -1} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(a)) + "\n" for a in A))
        self.write("circle.txt", "".join(f"{j} {j % 2600 + 1}\n" for j in range(1, 2601)))
        for words, plan, last in ((["--structure", "edges:circle.txt", "--lambda", "0.01"], "auto: ws-newton, then alm-ssn", "ws-newton"),
                                  (["--structure", "edges:circle.txt", "--lambda", "1e-7"], "auto: ws-newton, then alm-ssn", "alm-ssn"),
                                  (["--structure", "chain", "--lambda", "0.01"], "auto: chain-alm, then alm-ssn", "chain-alm"),
                                  (["--structure", "identity", "--lambda", "0.01"], "auto: lasso, then cd-newton, then alm-ssn", "lasso")):
            done = self.spdhg("fit", "data.svm", "--gamma", "0.01", "--no-intercept", "--json", "-v", *words)
            report = json.loads(done.out)
            self.assertIn(plan, done.err)
            self.assertEqual((report["solver"], report["status"], report["gap_kind"]), (last, "converged", "certified"), words)

    def test_the_switches(self):
        """From 800 coefficients on a working set; stochastic steps first where L <= N gamma, and then zeros all the same."""
        draw = np.random.default_rng(5)
        def data(d):
            rows = [(draw.choice(d, 20, replace=False), draw.uniform(0.05, 0.2, 20).round(3)) for _ in range(300)]
            self.write("data.svm", "".join(f"{1 if v[j < d // 3].sum() > v.sum() / 3 else -1} " + " ".join(
                f"{a + 1}:{b}" for a, b in sorted(zip(j, v))) + "\n" for j, v in rows))
        for d, gamma, structure, plan, last in ((900, "0.1", "chain", "auto: saga-pd3o, then ws-newton, then prox-newton", "ws-newton"),
                                                (900, "1e-5", "chain", "auto: ws-newton, then prox-newton", "ws-newton"),
                                                (900, "0", "identity", "auto: lasso, then ws-newton, then prox-newton", "lasso"),
                                                (700, "0", "identity", "auto: lasso, then prox-newton", "lasso")):
            data(d)
            done = self.spdhg("fit", "data.svm", "--features", str(d), "--gamma", gamma, "--structure", structure, "--lambda", "0.002", "--no-intercept",
                              "--tol", "1e-6", "--json", "-v")
            report = json.loads(done.out)
            self.assertIn(plan, done.err)
            self.assertEqual((report["solver"], report["status"], report["gap_kind"]), (last, "converged", "certified"), (d, gamma))
            self.assertLess(report["structure_nonzeros"], d // 3, (d, gamma))

    def test_a_start_without_zeros(self):
        """What saga-pd3o leaves has no zero in F x, but its y says where they are: the working set starts from there and does not hand over."""
        self.spdhg("generate", "sparse", "--rows", "3000", "--features", "2600", "--density", "0.005", "--seed", "3", "-o", "data.spd")
        words = ["fit", "data.spd", "--structure", "chain", "--lambda", "1e-3", "--gamma", "1e-3", "--no-intercept", "--tol", "1e-8", "--json"]
        report = json.loads(self.spdhg(*words).out)
        other = json.loads(self.spdhg(*words, "--solver", "ws-newton").out)  # from 0
        self.assertEqual((report["solver"], report["status"], report["gap_kind"]), ("ws-newton", "converged", "certified"))
        self.assertLess(report["structure_nonzeros"], 200)
        self.assertLess(abs(report["objective"] - other["objective"]), 2e-8 * other["objective"])

    def test_a_solution_without_room(self):
        """3,000 single entries, all of them large at the optimum, where 2,000 have room: the optimum of a full set is left, not polished."""
        draw = np.random.default_rng(1)
        self.write("data.svm", "".join(f"{draw.choice((-1, 1))} {j}:{1 + draw.random():.3f}\n" for j in range(1, 3001)))
        report = json.loads(self.spdhg("fit", "data.svm", "--solver", "ws-newton", "--lambda", "1e-6", "--no-intercept", "--tol", "1e-6", "--epochs",
                                       "120", "--json", status=4).out)
        self.assertEqual(report["status"], "stalled")
        self.assertLess(report["epochs"], 80)
        self.assertLess(report["structure_nonzeros"], 2001)

    def test_identity(self):
        for _ in self.both(2, "0.005"):
            pass
        for _ in self.both(2, "0.005", "--no-intercept", "--loss", "squared-hinge"):
            pass

    def test_optimality_by_hand(self):
        """|A'phi'/N + gamma x| is lambda where x is not zero and no more elsewhere."""
        for gamma, A, labels, report, model in self.both(2, "0.005", "--no-intercept"):
            x = np.zeros(MANY)
            x[model["coefficients"]["index"]] = model["coefficients"]["value"]
            x = x[:FEW]
            b = np.where(labels == 1, 1, -1)
            z = b * (A @ x)
            value = np.logaddexp(0, -z).mean() + 0.5 * float(gamma) * x @ x + 0.005 * np.abs(x).sum()
            self.assertAlmostEqual(value, report["objective"], 12)
            g = -A.T @ (b / (1 + np.exp(z))) / len(b) + float(gamma) * x
            self.assertLess(np.abs(g[x == 0]).max(), 0.005 * (1 + 1e-6))
            self.assertLess(np.abs(g[x != 0] + 0.005 * np.sign(x[x != 0])).max(), 0.005 * 1e-4)

    def test_chain(self):
        """A ridge would also pull at the empty columns, which the chain ties to the others: gamma 0 only."""
        for _ in self.both(2, "0.003", "--structure", "chain", gammas=("0",)):
            pass

    def test_graph_and_sparse(self):
        draw = np.random.default_rng(5)
        edges = {tuple(sorted(e)) for e in draw.integers(1, FEW + 1, (600, 2)).tolist() if e[0] != e[1]}
        self.write("edges", "".join(f"{i} {j}\n" for i, j in sorted(edges)))
        for _ in self.both(2, "0.002", "--structure", "edges:edges", "--also-sparse", "1"):
            pass

    def test_softmax_group(self):
        for _ in self.both(3, "0.02", "--loss", "softmax", "--penalty", "group"):
            pass


if __name__ == "__main__":
    unittest.main()
