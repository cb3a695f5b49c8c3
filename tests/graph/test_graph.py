# test_graph.py - `spdhg graph` against numpy: optimality conditions of Theta, graphs computed a second time, odd data, same bits.
# The certificate itself is the reference: |S - Theta^-1| <= rho, with equality and the right sign where Theta_ij != 0.
import json
import sys
import unittest
from statistics import NormalDist

try:
    import numpy as np
    from scipy.io import mmread
except ImportError:
    sys.exit(77)

from cli_support import CommandTest


def gauss(n, p, seed, density=1.0):
    draw = np.random.default_rng(seed)
    mix = np.eye(p) + 0.6 * draw.normal(size=(p, p)) * (draw.random((p, p)) < 2.5 / p)
    X = draw.normal(size=(n, p)) @ mix
    if density < 1:
        X = np.round(np.abs(X), 3) * (draw.random((n, p)) < density)
    return X


def svm(X, sparse=True):
    return "".join("0" + "".join(f" {j + 1}:{v!r}" for j, v in enumerate(row) if v != 0 or not sparse) + "\n" for row in X.tolist())


def correlations(X):
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.corrcoef(X, rowvar=False).reshape(X.shape[1], X.shape[1]))


def components(adjacent):
    """Sizes of the components, by breadth first search."""
    left, sizes = set(range(len(adjacent))), []
    while left:
        queue, size = [left.pop()], 0
        while queue:
            size += 1
            new = [k for k in np.flatnonzero(adjacent[queue.pop()]) if k in left]
            left.difference_update(new)
            queue += new
        sizes.append(size)
    return sizes


def pairs(F):
    """{(i, j): sign} of the rows x_i - sign x_j."""
    out = {}
    for row in F:
        i, j = np.flatnonzero(row)
        assert row[i] == 1 and abs(row[j]) == 1
        out[i, j] = -row[j]
    return out


class GraphTest(CommandTest):
    def graph(self, X, *options, name="d.svm", sparse=True):
        self.write(name, svm(X, sparse))
        done = self.spdhg("graph", name, "--features", X.shape[1], *options, "-o", "F.mtx", "--json")
        return np.atleast_2d(mmread(self.path("F.mtx")).toarray()), json.loads(done.out)

    def certify(self, S, Theta, rho, diagonal, gap, tol=1e-8):
        p = len(S)
        self.assertTrue((Theta == Theta.T).all())
        W = np.linalg.inv(Theta)
        U = W - S
        # f is 1-strongly convex in its own Hessian to first order: |W - W*| <= max W_ii sqrt(2 gap)
        slack = 1.1 * np.sqrt(2 * tol * p) * np.diag(W).max()
        off = ~np.eye(p, dtype=bool)
        self.assertLessEqual(np.abs(U[off]).max(initial=0), rho + slack)
        on = off & (Theta != 0)
        self.assertLessEqual(np.abs(U[on] - rho * np.sign(Theta[on])).max(initial=0), slack)
        self.assertLessEqual(np.abs(np.diag(U) - diagonal).max(), slack)
        f = -np.linalg.slogdet(Theta)[1] + (S * Theta).sum() + rho * np.abs(Theta[off]).sum() + diagonal * np.abs(np.diag(Theta)).sum()
        clipped = np.clip(U, -rho, rho)
        gaps = []
        for dual in (clipped, np.where(Theta != 0, rho * np.sign(Theta), clipped)):  # both are feasible, so both gaps are proofs
            M = S + dual
            np.fill_diagonal(M, np.diag(S) + diagonal)
            np.linalg.cholesky(M)
            gaps.append(f - np.linalg.slogdet(M)[1] - p)
        self.assertLessEqual(min(gaps), tol * p + 1e-9)
        self.assertLess(min(abs(own - gap["gap"]) - 1e-3 * own for own in gaps), 1e-9 * p)
        self.assertLess(abs(f - gap["objective"]), 1e-9 * p)


class Precision(GraphTest):
    def test_certificate(self):
        for n, p, density, rho in [(100, 15, 1, 0.2), (100, 15, 1, 0.03), (12, 20, 1, 0.25), (150, 25, 0.3, 0.05), (60, 40, 0.2, 0.15)]:
            X = gauss(n, p, n + p, density)
            for options, covariance, diagonal in [((), False, 0), (("--penalize-diagonal",), False, rho), (("--cov",), True, 0)]:
                S = np.cov(X, rowvar=False) if covariance else np.corrcoef(X, rowvar=False)
                for method in ["quic", "alm"]:
                    Theta, report = self.graph(X, "--rho", rho, "--method", method, "--tol", 1e-8, "--precision", *options)
                    self.assertTrue(report["converged"])
                    self.certify(S, Theta, rho, diagonal, report)

    def test_near_duplicates(self):
        """Columns that are nearly or exactly the same: where coordinate descent crawls."""
        X = gauss(80, 10, 1)
        noise = np.random.default_rng(2).normal(size=X.shape)
        X = np.hstack([X, X + 1e-2 * noise, X[:, :5], -X[:, 5:7]])
        Theta, report = self.graph(X, "--rho", 0.02, "--tol", 1e-8, "--precision")
        self.assertTrue(report["converged"])
        self.certify(np.corrcoef(X, rowvar=False), Theta, 0.02, 0, report)

    def test_scikit_learn(self):
        try:
            from sklearn.covariance import graphical_lasso
        except ImportError:
            self.skipTest("no scikit-learn")
        for seed, n, rho in [(1, 100, 0.1), (2, 100, 0.05), (3, 15, 0.3)]:
            X = gauss(n, 20, seed)
            S = np.corrcoef(X, rowvar=False)
            Theta, _ = self.graph(X, "--rho", rho, "--tol", 1e-10, "--precision")
            _, other = graphical_lasso(S, rho, tol=1e-8, enet_tol=1e-8, max_iter=1000)
            self.assertLess(np.abs(Theta - other).max(), 1e-4)
            large = np.abs(other) > 1e-4
            self.assertTrue(((Theta != 0) >= large).all() and ((other != 0) >= (np.abs(Theta) > 1e-4)).all())

    def test_components_are_solved_apart(self):
        blocks = [gauss(400, 6, 10), gauss(400, 4, 11), gauss(400, 1, 12)]
        X = np.hstack(blocks)[:, np.random.default_rng(0).permutation(11)]
        S = np.corrcoef(X, rowvar=False)
        rho = 0.2
        Theta, report = self.graph(X, "--rho", rho, "--tol", 1e-9, "--precision")
        self.certify(S, Theta, rho, 0, report)
        sizes = components((np.abs(S) > rho) & ~np.eye(11, dtype=bool))
        self.assertEqual(report["components"], sum(size > 1 for size in sizes))
        self.assertEqual(report["largest"], max(sizes))


class Graphs(GraphTest):
    def test_correlation(self):
        for density in [1, 0.15]:
            X = gauss(70, 50, 5, density)
            S = correlations(X)
            F, report = self.graph(X, "--method", "correlation", "--rho", 0.2)
            wanted = {(i, j): np.sign(S[i, j]) for i in range(50) for j in range(i + 1, 50) if abs(S[i, j]) > 0.2}
            self.assertEqual(pairs(F), wanted)
            self.assertEqual(report["edges"], len(wanted))
            F, report = self.graph(X, "--method", "correlation", "--edges", 33)
            sizes = np.sort(np.abs(S[np.triu_indices(50, 1)]))[::-1]
            self.assertEqual(report["edges"], 33)
            self.assertAlmostEqual(report["rho"], sizes[33], places=12)

    def test_never_together(self):
        """Two frequent words that never meet: their correlation is negative, and no product shows it."""
        X = np.zeros((40, 5))
        X[:18, 0] = 1
        X[18:, 1] = np.arange(22) % 3 + 1
        X[::7, 2] = 1
        X[3, 3] = X[5, 4] = 1
        S = correlations(X)
        F, _ = self.graph(X, "--method", "correlation", "--rho", 0.05)
        self.assertEqual(pairs(F), {(i, j): np.sign(S[i, j]) for i in range(5) for j in range(i + 1, 5) if abs(S[i, j]) > 0.05})
        self.assertEqual(pairs(F)[0, 1], -1)

    def test_knn(self):
        for density in [1, 0.15]:
            X = gauss(60, 30, 6, density)
            S = correlations(X)
            np.fill_diagonal(S, 0)
            wanted = {}
            for i in range(30):
                for j in np.argsort(-np.abs(S[i]), kind="stable")[:3]:
                    wanted[min(i, j), max(i, j)] = np.sign(S[i, j])
            F, report = self.graph(X, "--method", "knn", "--neighbours", 3)
            self.assertEqual(pairs(F), wanted)
            self.assertIsNone(report["rho"])

    def lasso(self, S, j, rho):
        b = np.zeros(len(S))
        for _ in range(3000):
            for k in range(len(S)):
                if k != j:
                    g = S[j, k] - S[k] @ b + S[k, k] * b[k]
                    b[k] = np.sign(g) * max(abs(g) - rho, 0) / S[k, k]
        return b

    def test_neighbourhood(self):
        for density in [1, 0.3]:
            X = gauss(80, 18, 8, density)
            S = correlations(X)
            B = np.array([self.lasso(S, j, 0.15) for j in range(18)])
            for options, joined in [((), (B != 0) | (B.T != 0)), (("--both",), (B != 0) & (B.T != 0))]:
                F, _ = self.graph(X, "--method", "neighbourhood", "--rho", 0.15, "--tol", 1e-10, *options)
                sign = np.sign(B + B.T)
                self.assertEqual(pairs(F), {(i, j): sign[i, j] for i in range(18) for j in range(i + 1, 18) if joined[i, j]})

    def test_forms(self):
        X = gauss(90, 8, 3)
        Theta, report = self.graph(X, "--rho", 0.1, "--precision")
        wanted = {(i, j): -np.sign(Theta[i, j]) for i in range(8) for j in range(i + 1, 8) if Theta[i, j] != 0}
        F, report = self.graph(X, "--rho", 0.1)
        self.assertEqual(pairs(F), wanted)
        self.assertLess(abs(report["norm"] - np.linalg.norm(F, 2)), 1e-6 * report["norm"])
        self.assertGreaterEqual(report["norm_bound"], np.linalg.norm(F, 2) * (1 - 1e-12))
        degree = (Theta != 0).sum(axis=0) - 1
        self.assertEqual([h["degree"] for h in report["hubs"]], sorted(degree[degree > 0], reverse=True))
        both, _ = self.graph(X, "--rho", 0.1, "--form", "edge+I")
        self.assertTrue((both == np.vstack([F, np.eye(8)])).all())
        skew, _ = self.graph(X, "--rho", 0.1, "--form", "skew")
        pattern = Theta != 0
        self.assertTrue((skew == np.triu(pattern, 1).astype(float) - np.tril(pattern, -1)).all())
        few, _ = self.graph(X, "--rho", 0.1, "--threshold", 0.3)
        self.assertEqual(pairs(few), {k: v for k, v in wanted.items() if abs(Theta[k]) > 0.3})


class Rho(GraphTest):
    def test_auto_keeps_components_small(self):
        for density, most in [(1, 5), (1, 20), (0.1, 8), (0.1, 3)]:
            X = gauss(400, 60, 9, density)
            S = np.abs(correlations(X))
            np.fill_diagonal(S, 0)
            _, report = self.graph(X, "--method", "correlation", "--max-component", most)
            fits = min(t for t in np.unique(S) if max(components(S > t)) <= most)
            self.assertLess(abs(report["rho"] - max(fits, self.noise(400, 60))), 1e-9)
            self.assertLessEqual(report["largest"], most)
            if density == 1:
                self.assertGreater(fits, self.noise(400, 60))

    def noise(self, n, p):
        return NormalDist().inv_cdf(1 - 0.05 / (2 * p * p)) / n**0.5

    def test_auto_is_above_noise(self):
        _, report = self.graph(gauss(100, 30, 4))
        self.assertLess(abs(report["rho"] - self.noise(100, 30)), 1e-9)

    def test_edges(self):
        X = gauss(100, 30, 4)
        for method in ["quic", "neighbourhood"]:
            for edges in [10, 40]:
                _, report = self.graph(X, "--edges", edges, "--method", method)
                self.assertTrue(edges - 2 <= report["edges"] <= edges, report["edges"])

    def grid(self, X):
        high = np.abs(correlations(X) - np.eye(X.shape[1])).max()
        return high * 0.05 ** (np.arange(16) / 15)

    def test_ebic(self):
        X = gauss(150, 12, 7)
        S = correlations(X)
        score = []
        for rho in self.grid(X):
            Theta, report = self.graph(X, "--rho", repr(float(rho)), "--precision")
            edges = (np.triu(Theta, 1) != 0).sum()
            score.append(150 * ((S * Theta).sum() - np.linalg.slogdet(Theta)[1]) + edges * (np.log(150) + 2 * np.log(12)))
        _, report = self.graph(X, "--rho", "ebic")
        self.assertAlmostEqual(report["rho"], self.grid(X)[np.argmin(score)], places=9)

    def test_stars(self):
        X = gauss(400, 12, 7)
        _, report = self.graph(X, "--rho", "stars", "--method", "correlation")
        grid = self.grid(X)
        at = int(np.argmin(np.abs(grid - report["rho"])))
        self.assertLess(abs(grid[at] - report["rho"]), 1e-9)
        draw = np.random.default_rng(0)

        def instability(rho):
            found = np.zeros((12, 12))
            for _ in range(300):
                found += np.abs(correlations(X[draw.choice(400, 200, replace=False)])) > rho
            theta = found[np.triu_indices(12, 1)] / 300
            return (2 * theta * (1 - theta)).mean()

        self.assertLess(instability(grid[at]), 0.07)
        self.assertGreater(instability(grid[at + 1]), 0.03)


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
