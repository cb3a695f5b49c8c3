# test_single_pass.py - `fit --single-pass`: the iterates against a transcription in numpy, pipes, checkpoints, hashed words, bad rows.
import gzip
import json
import os
import signal
import subprocess
import time
import unittest

import numpy as np

from cli_support import COMMAND, CommandTest

PART_LEAST, BLOCK = 128, 8192


def problem(n=700, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, d)), 3) * (rng.random((n, d)) < 0.8)
    y = (X @ np.array([1.0, 1, 1, -1, -1, 0]) + 0.5 + rng.logistic(size=n) > 0).astype(int)
    return X, y


def text(X, y):
    return "".join(f"{b} " + " ".join(f"{j + 1}:{a!r}" for j, a in enumerate(map(float, row)) if a != 0) + "\n" for row, b in zip(X, y))


def reference(X, y, lam, batch):
    """spdhg-free by its box: logistic loss, chain, intercept; the average, and the mean loss of rows scored before they are learned."""
    n, d = X.shape
    F = np.diff(np.eye(d), axis=0)
    b = 2.0 * y - 1
    x, c, u = np.zeros(d), 0.0, np.zeros(d - 1)
    radius, bound = lam * np.sqrt(d - 1), norm_bound(F)
    s = radius / bound
    G, r, total = 0.0, 1e-6, 0.0
    X_sum, c_sum = np.zeros(d), 0.0
    loss, done = 0.0, 0
    while done < n:
        part = -(-max(done, PART_LEAST) // batch) * batch
        end = n if n - done <= part else done + part
        xbar, cbar = (X_sum / total, c_sum / total) if total > 0 else (x, c)
        loss += np.logaddexp(0, -b[done:end] * (X[done:end] @ xbar + cbar)).sum()
        for at in range(done, end, batch):
            A, t = X[at : min(at + batch, end)], b[at : min(at + batch, end)]
            slope = -t / (1 + np.exp(t * (A @ x + c))) / len(t)
            u = np.clip(u + s * (F @ x), -lam, lam)
            h, hc = A.T @ slope + F.T @ u, slope.sum()
            G += h @ h + hc * hc
            eta = r / np.sqrt(G) if G > 0 else 0
            X_sum, c_sum, total = X_sum + r * x, c_sum + r * c, total + r
            x, c = x - eta * h, c - eta * hc
            r = max(r, np.sqrt(x @ x + c * c))
        done = end
    return X_sum / total, c_sum / total, loss / n


def norm_bound(F):
    """What structure.c bounds ||F|| by: sqrt(||F||_1 ||F||_inf)."""
    return np.sqrt(np.abs(F).sum(axis=0).max() * np.abs(F).sum(axis=1).max())


def coefficients(model):
    x = np.zeros(model["features"] * model["outputs"])
    x[model["coefficients"]["index"]] = model["coefficients"]["value"]
    return x


class SinglePass(CommandTest):
    def fit(self, data, *words, status=0, name="m.json"):
        done = subprocess.run([COMMAND, "fit", "-", "--single-pass", "-o", name, *words], cwd=self.folder, input=data, capture_output=True)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return json.loads(self.read(name)) if status == 0 else done.stderr.decode()

    def test_iterates(self):
        X, y = problem()
        for batch in (1, 3, 50):
            model = self.fit(text(X, y).encode(), "--features", "6", "--structure", "chain", "--lambda", "0.01", "--batch", str(batch))
            x, c, loss = reference(X, y, 0.01, batch)
            np.testing.assert_allclose(coefficients(model), x, rtol=0, atol=1e-12)
            np.testing.assert_allclose(model["constants"], [c], rtol=0, atol=1e-12)
            self.assertAlmostEqual(model["train_loss"], loss, delta=1e-12)
            self.assertEqual(model["rows"], len(y))

    def test_any_pipe_same_bits(self):
        X, y = problem(2 * BLOCK + 500)
        data, words = text(X, y).encode(), ("--features", "6", "--lambda", "0.01", "--structure", "chain")
        one = coefficients(self.fit(data, *words))
        self.assertTrue((one == coefficients(self.fit(gzip.compress(data), *words, "--threads", "1"))).all())
        running = subprocess.Popen([COMMAND, "fit", "-", "--single-pass", "-q", "-o", "slow.json", *words], cwd=self.folder, stdin=subprocess.PIPE)
        for at in range(0, len(data), 77777):
            running.stdin.write(data[at : at + 77777])
            running.stdin.flush()
        running.stdin.close()
        self.assertEqual(running.wait(timeout=60), 0)
        self.assertTrue((one == coefficients(json.loads(self.read("slow.json")))).all())

    def test_resume_with_more_rows(self):
        X, y = problem(3000)
        lines, words = text(X, y).splitlines(True), ("--features", "6", "--lambda", "0.01", "--structure", "chain", "--batch", "4")
        one = self.fit("".join(lines).encode(), *words)
        self.fit("".join(lines[:1000]).encode(), *words, "--checkpoint", "cp")
        two = self.fit("".join(lines[1000:]).encode(), *words[:-2], "--resume", "cp", name="two.json")
        self.assertTrue((coefficients(one) == coefficients(two)).all())
        self.assertEqual((two["rows"], two["constants"]), (3000, one["constants"]))
        refused = self.fit("".join(lines).encode(), "--features", "6", "--lambda", "0.02", "--structure", "chain", "--resume", "cp", status=2)
        self.assertIn("the problem", refused)
        refused = self.fit("".join(lines).encode(), "--features", "7", "--lambda", "0.01", "--structure", "chain", "--resume", "cp", status=2)
        self.assertIn("features", refused)

    def test_near_the_optimum(self):
        X, y = problem(40000, seed=3)
        self.write("d.svm", text(X, y))
        exact = json.loads(self.spdhg("fit", "d.svm", "--structure", "chain", "--lambda", "0.001", "--json").out)
        model = self.fit(text(X, y).encode(), "--features", "6", "--structure", "chain", "--lambda", "0.001")
        b, z = 2.0 * y - 1, X @ coefficients(model) + model["constants"][0]
        value = np.logaddexp(0, -b * z).mean() + 0.001 * np.abs(np.diff(coefficients(model))).sum()
        self.assertLess(value - exact["objective"], 2e-3)

    def test_losses_and_sets(self):
        X, y = problem(2000)
        for loss, target in (("squared", X @ np.ones(6)), ("poisson", np.round(np.exp(0.3 * X[:, 0]))), ("softmax", y + (X[:, 0] > 1)), ("hinge", y)):
            model = self.fit(text(X, target).encode(), "--features", "6", "--loss", loss, "--lambda", "0.001", "--set", "box:-0.4,0.4")
            self.assertTrue((np.abs(coefficients(model)) <= 0.4).all(), loss)
            self.assertGreater(np.abs(coefficients(model)).max(), 0.05, loss)

    def test_bad_rows(self):
        X, y = problem(300)
        lines = text(X, y).splitlines(True)
        for row, said in (("1 3:x\n", "-:301:3: expected index:number"), ("1 7:1\n", "-:301:3: index 7, but there are 6 features"),
                          ("5 1:1\n", "-:301 has label 5"), ("1 0:1 2:1\n", "-: index 6, but there are 6 features, the first of which is 0")):
            self.assertIn(said, self.fit("".join([*lines, row]).encode(), "--features", "6", "--classes", "0,1", status=3))
        self.assertLeft()
        self.assertIn("only one label, 1, among the first 1 rows; name all of them with --classes", self.fit(b"1 1:1\n", "--features", "6", status=3))
        self.fit(b"1 1:1\n", "--features", "6", "--classes", "0,1")
        self.assertIn("has no rows", self.fit(b"", "--features", "6", status=3))
        late = [*lines * 60, "1 3:x\n"]
        said = self.fit("".join(late).encode(), "--features", "6", "--checkpoint", "cp", status=3)
        self.assertIn("cp holds what was learned from the 16384 rows before it", said)

    def test_options_that_do_not_fit(self):
        for words, said in ((["--report", "r.html"], "--report"), (["--solver", "spdhg"], "spdhg-free"), (["--epochs", "3"], "--epochs")):
            self.assertIn(said, self.fit(b"1 1:1\n", "--features", "6", *words, status=2))
        for words in (["--standardize"], ["--class-weight", "balanced"], ["--structure", "learned"]):
            self.assertIn("needs all rows at once", self.fit(b"1 1:1\n0 2:1\n", "--features", "6", *words, status=2))
        self.assertIn("--features D, or --hash BITS", self.fit(b"1 1:1\n", status=2))

    def test_words(self):
        rng = np.random.default_rng(5)
        words = [f"word{i}" for i in range(40)]
        lines = []
        for i in range(4000):
            chosen = rng.choice(40, 6, replace=False)
            lines.append(f"{int(chosen.min() < 4)} " + " ".join(words[k] + (":2" if k % 2 else "") for k in chosen) + "\n")
        model = self.fit("".join(lines).encode(), "--hash", "12", "--lambda", "1e-4", "--batch", "8")
        self.assertEqual((model["hash"], model["features"]), (12, 4096))
        self.write("words.txt", "".join(lines))
        metrics = json.loads(self.spdhg("predict", "m.json", "words.txt", "--json").out)
        self.assertGreater(metrics["accuracy"], 0.8)  # half of the rows have either label
        self.spdhg("fit", "words.txt", "--hash", "12", "--lambda", "1e-3", "-o", "whole.json")
        self.assertGreater(json.loads(self.spdhg("predict", "whole.json", "words.txt", "--json").out)["accuracy"], 0.9)
        self.write("one.txt", "1 a:2 a:3 b\n0 b:1 a:-1\n")  # words add up; b is b:1
        self.spdhg("convert", "one.txt", "--hash", "10", "-o", "one.svm")
        first, second = (dict(pair.split(":") for pair in line.split()[1:]) for line in self.read("one.svm").decode().splitlines())
        a = next(k for k in first if abs(float(first[k])) == 5)
        other = next(k for k in first if k != a)
        self.assertEqual(float(first[a]), -5 * float(second[a]))
        self.assertEqual((float(first[other]), abs(float(first[other]))), (float(second[other]), 1))
        self.assertIn("1:3: expected NAME or NAME:NUMBER, found 'a:x'", self.fit(b"1 a:x\n", "--hash", "4", status=3))

    def test_interrupted_while_it_waits(self):
        X, y = problem(BLOCK + 3)
        running = subprocess.Popen([COMMAND, "fit", "-", "--single-pass", "--features", "6", "-o", "m.json"], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.addCleanup(running.kill)
        running.stdin.write(text(X, y).encode() + b" " * (1 << 20))  # more than the reader holds back; the last rows stay incomplete
        running.stdin.flush()
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(timeout=60), 130)
        running.stdin.close()
        self.assertEqual(json.loads(self.read("m.json"))["rows"], BLOCK)
        self.assertIn(b"interrupted", running.stdout.read())
        running.stdout.close()


if __name__ == "__main__":
    unittest.main()
