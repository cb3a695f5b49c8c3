# test_graph.py - `spdhg graph` against numpy: the optimality conditions of Theta, graphs computed a second time, the choice of rho.
import unittest
from statistics import NormalDist

from graph_support import GraphTest, components, correlations, gauss, pairs  # skips the test where numpy or scipy is missing

import numpy as np


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


if __name__ == "__main__":
    unittest.main()
