# test_graph_promises.py - `spdhg graph` with odd data, on any number of threads, in a report, and as --structure learned of a fit.
import json
import unittest

from graph_support import GraphTest, gauss, pairs, svm  # skips the test where numpy or scipy is missing

import numpy as np
from scipy.io import mmread


class OddData(GraphTest):
    def test_constant_zero_and_duplicate_columns(self):
        X = gauss(50, 6, 2)
        X = np.column_stack([X, np.zeros(50), np.full(50, 3.5), X[:, 0], 1e9 + X[:, 1]])
        for method in ["quic", "alm", "neighbourhood", "correlation"]:
            F, report = self.graph(X, "--rho", 0.3, "--method", method)
            self.assertEqual(report["constant"], 2)
            self.assertFalse(F[:, [6, 7]].any())
            self.assertEqual(pairs(F)[0, 8], 1)
            if method == "correlation":
                self.assertEqual(pairs(F)[1, 9], 1)
        F, _ = self.graph(X, "--method", "knn", "--neighbours", 1)
        self.assertEqual(pairs(F)[0, 8], 1)
        Theta, _ = self.graph(X, "--rho", 0.3, "--precision")
        self.assertFalse(Theta[[6, 7]].any())
        Theta, _ = self.graph(X, "--rho", 0.3, "--precision", "--cov", "--penalize-diagonal")
        self.assertAlmostEqual(Theta[6, 6], 1 / 0.3)

    def test_many_duplicates_with_auto(self):
        X = np.repeat(gauss(30, 1, 2), 12, axis=1)
        F, report = self.graph(X, "--max-component", 5)
        self.assertEqual((report["edges"], report["rho"]), (0, 1))

    def test_one_feature_and_no_edge(self):
        X = gauss(20, 1, 2)
        for method in ["quic", "alm", "neighbourhood", "correlation", "knn"]:
            _, report = self.graph(X, "--method", method)
            self.assertEqual((report["nodes"], report["edges"], report["components"], report["structure_rows"]), (1, 0, 0, 0))
        F, report = self.graph(X, "--form", "edge+I")
        self.assertEqual(F.tolist(), [[1]])
        _, report = self.graph(gauss(50, 4, 2), "--rho", 0.99)
        self.assertEqual(report["edges"], 0)

    def test_refused(self):
        self.write("one.svm", "0 1:1 2:3\n")
        self.assertIn("at least 2", self.spdhg("graph", "one.svm", "-o", "F.mtx", status=3).err)
        self.write("same.svm", "0 1:1\n0 1:1\n")
        self.assertIn("every feature is constant", self.spdhg("graph", "same.svm", "-o", "F.mtx", status=3).err)
        self.write("wide.svm", svm(gauss(20, 30, 1)))
        self.write("d.svm", svm(gauss(20, 4, 1)))
        for words, says in [(("--rho", "0"), "--rho"), (("--rho", "-1"), "--rho"), (("--rho", "many"), "auto, ebic or stars"),
                            (("--method", "magic"), "quic"), (("--form", "no"), "edge+I"), (("--edges", "0"), "--edges"),
                            (("--method", "knn", "--rho", "ebic"), "no rho"), (("--method", "knn", "--precision"), "precision"),
                            (("--method", "correlation", "--rho", "ebic"), "likelihood"), (("--rho", "0.1", "--edges", "3"), "one of the two")]:
            done = self.spdhg("graph", "d.svm", *words, "-o", "F.mtx", status=2)
            self.assertIn(says, done.err)
            self.assertEqual(done.err.count("\n"), 1)
        self.assertIn("-o F.mtx", self.spdhg("graph", "d.svm", status=2).err)
        self.assertIn("features and needs", self.spdhg("graph", "wide.svm", "--rho", "0.01", "--max-memory", "30k", "-o", "F.mtx", status=6).err)
        self.assertLeft("one.svm", "same.svm", "wide.svm", "d.svm")

    def test_large_values(self):
        X = gauss(30, 3, 1) * np.array([1e-150, 1, 1e150])
        F, _ = self.graph(X, "--method", "correlation", "--rho", 0.01)
        self.assertEqual(set(pairs(F)), {(0, 1), (0, 2), (1, 2)})
        self.write("d.svm", svm(gauss(30, 3, 1) * 1e200))
        self.assertIn("too large", self.spdhg("graph", "d.svm", "-o", "F.mtx", status=3).err)


class Promises(GraphTest):
    def test_any_number_of_threads(self):
        X = gauss(60, 120, 9, 0.1)
        for method in ["quic", "neighbourhood", "correlation", "knn"]:
            for options in [(), ("--rho", "0.2")]:
                if method == "knn" and options:
                    continue
                kept = set()
                for threads in [1, 2, 5]:
                    self.graph(X, "--method", method, "--threads", threads, *options)
                    kept.add(self.read("F.mtx"))
                self.assertEqual(len(kept), 1)
        kept = set()
        for threads in [1, 3]:
            self.graph(X, "--precision", "--rho", 0.15, "--threads", threads)
            kept.add(self.read("F.mtx"))
        self.assertEqual(len(kept), 1)

    def test_sparse_and_dense_agree(self):
        X = gauss(60, 20, 9, 0.29)
        csv = ",".join(f"x{j}" for j in range(20)) + ",label\n" + "".join(",".join(map(repr, row)) + ",0\n" for row in X.tolist())
        A, _ = self.graph(X, "--precision", "--rho", 0.1, "--tol", 1e-10)
        self.write("d.csv", csv)
        self.spdhg("graph", "d.csv", "--precision", "--rho", 0.1, "--tol", 1e-10, "-o", "G.mtx")
        self.assertLess(np.abs(A - mmread(self.path("G.mtx")).toarray()).max(), 1e-9)

    def test_report(self):
        X = gauss(60, 10, 9)
        names = [f"x{j}" for j in range(9)] + ["<b>&"]
        self.write("d.csv", ",".join(names) + ",label\n" + "".join(",".join(map(repr, row)) + ",0\n" for row in X.tolist()))
        done = self.spdhg("graph", "d.csv", "--rho", 0.05, "-o", "F.mtx", "--report", "r.html")
        page = self.read("r.html").decode()
        edges = mmread(self.path("F.mtx")).shape[0]
        self.assertEqual(page.count("<line class='curve"), edges)
        self.assertEqual(page.count("<circle"), 10)
        self.assertNotIn("<b>&", page)
        self.assertEqual(page.count("<script"), 1)  # its own, the only one that the security policy admits
        self.assertIn(f"edges: {edges};", done.out)
        first = self.read("r.html")
        self.spdhg("graph", "d.csv", "--rho", 0.05, "-o", "F.mtx", "--report", "r.html", "-q")
        drawing = page[page.index("<svg"):page.index("</svg>")]
        self.assertIn(drawing, self.read("r.html").decode())
        self.assertTrue(first)

    def test_fit_learns_from_training_rows_only(self):
        """A held-out row may be anything: the model stays the same. A training row may not."""
        X = gauss(40, 5, 3)
        y = np.sign(X[:, 0] + 0.3 * X[:, 1])

        def model(rows):
            self.write("d.svm", "".join(f"{int(b):+d}" + line[1:] + "\n" for b, line in zip(y, svm(rows).split("\n"))))
            done = self.spdhg("fit", "d.svm", "--structure", "learned", "--test-fraction", 0.25, "--solver", "spdhg", "--epochs", 1, "-o", "m.json")
            kept = json.loads(self.read("m.json"))
            return done.out.split("\n")[0].rsplit(",", 1)[0], json.dumps([kept[k] for k in sorted(kept) if "seconds" not in k and "train" not in k])

        said, plain = model(X)
        self.assertIn("learned from 30 training rows", said)
        same = 0
        for i in range(40):
            changed = X.copy()
            changed[i] = 50 * (np.arange(5) - 2)
            same += model(changed) == (said, plain)
        self.assertEqual(same, 10)

    def test_fit_equals_graph_then_fit(self):
        X = gauss(60, 6, 3)
        y = np.sign(X[:, 0] + 0.3 * X[:, 1])
        self.write("d.svm", "".join(f"{int(b):+d}" + line[1:] + "\n" for b, line in zip(y, svm(X).split("\n"))))
        common = ("--solver", "spdhg", "--epochs", 2, "--json")
        learned = json.loads(self.spdhg("fit", "d.svm", "--structure", "learned", *common).out)
        self.spdhg("graph", "d.svm", "-o", "F.mtx", "-q")
        given = json.loads(self.spdhg("fit", "d.svm", "--structure", "matrix:F.mtx", "--also-sparse", 1, *common).out)
        self.assertEqual(learned["objective"], given["objective"])
        self.assertGreater(learned["structure_rows"], 6)
        without = json.loads(self.spdhg("fit", "d.svm", "--structure", "learned", "--also-sparse", 0, *common).out)
        self.assertEqual(without["structure_rows"], learned["structure_rows"] - 6)

    def test_fit_refuses_early_what_needs_too_much_memory(self):
        """Thirty columns that are nearly one: a single component, which needs more than the data do."""
        draw = np.random.default_rng(2)
        X = draw.normal(size=(20, 1)) + 0.05 * draw.normal(size=(20, 30))
        self.write("d.svm", "".join(("+1" if i % 2 else "-1") + line[1:] + "\n" for i, line in enumerate(svm(X).split("\n")) if line))
        for verb in ("fit", "path"):
            words = (verb, "d.svm", "--structure", "learned", "--solver", "spdhg", "--epochs", 1, "-o", "m.json")
            self.assertIn("30 features and needs", self.spdhg(*words, "--max-memory", "40k", status=6).err)
            self.assertLeft("d.svm")
        self.spdhg("fit", *words[1:], "--max-memory", "10M")
        self.assertLeft("d.svm", "m.json")

    def test_fit_without_an_edge(self):
        X = np.random.default_rng(0).normal(size=(40, 2))
        self.write("d.svm", "".join(f"{1 if a > 0 else -1} 1:{a!r} 2:{b!r}\n" for a, b in X.tolist()))
        done = json.loads(self.spdhg("fit", "d.svm", "--structure", "learned", "--solver", "spdhg", "--epochs", 2, "--json").out)
        self.assertEqual(done["structure_rows"], 2)


if __name__ == "__main__":
    unittest.main()
