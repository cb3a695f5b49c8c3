# test_readme.py - README.md is true: the demo prints what is shown, the commands run, the C program is compiled and run, the Python
# program too. Only those of the demo's figures are compared that do not depend on the machine.
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from cli_support import COMMAND, CommandTest, sanitized

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.dirname(COMMAND)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")
COLUMNS = "epoch", "seconds", "objective", "train loss", "test loss", "accuracy", "||y||"


def text_of(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def block(language, after=""):
    """The first fenced block of that language behind a text of README."""
    page = text_of("README.md")
    return re.search(rf"(?ms)^```{language}\n(.*?)^```$", page[page.index(after):]).group(1)


def words(line):
    return NUMBER.sub("#", " ".join(line.split()))


def figures(line):
    return [float(v) for v in NUMBER.findall(line)]


class Readme(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("build"))
        os.symlink(COMMAND, self.path("build/spdhg"))

    def shell(self, script, **more):
        done = subprocess.run(["sh", "-euc", script], cwd=self.folder, capture_output=True, text=True, timeout=600, **more)
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout

    def near(self, shown, printed, relative, what):
        self.assertLessEqual(abs(shown - printed), relative * max(abs(shown), abs(printed)), f"{what}: README shows {shown:g}, the demo prints {printed:g}")

    def test_demo(self):
        demo = re.search(r"(?ms)^demo\(\) \{\n(.*?)^\}$", text_of("run")).group(1)
        shown = block("", "docs/demo.png").splitlines()
        self.assertEqual(shown.pop(0), "$ ./run demo")
        printed = self.shell(demo).splitlines()[:len(shown)]
        update = "replace the block in README.md by what ./run demo prints"
        self.assertEqual([words(line) for line in shown], [words(line) for line in printed], update)
        for ours, theirs in zip(shown, printed):
            a, b = figures(ours), figures(theirs)
            self.assertEqual(len(a), len(b), update)
            if re.match(r" +\d", ours):
                for name, x, y in zip(COLUMNS, a, b):
                    if name != "seconds":
                        self.near(x, y, 0 if name == "epoch" else 0.01, f"{name} at epoch {a[0]:g}")
            elif ours.startswith("converged"):
                epochs, _, *values = zip(a, b)
                for x, y in (epochs, *values):
                    self.near(x, y, 1e-5, "the last line of the solve")
            elif "proven within" in ours:
                self.near(a[0], b[0], 1e-5, "objective")
                for x, y in zip(a[1:], b[1:]):
                    self.assertTrue(x / 10 < y < 10 * x, f"gap: README shows {x:g}, the demo prints {y:g}; {update}")
            elif ours.startswith("nonzero"):
                for x, y in zip(a, b):
                    self.near(x, y, 0.01, "nonzero entries")
            else:
                self.assertEqual(a, b, update)
        self.assertTrue(self.read("demo/report.html").startswith(b"<!DOCTYPE html"))

    def test_commands_and_c_program(self):
        commands = block("sh", "## On the command line").replace("./run build\n", "")
        self.shell(commands)
        objective = json.loads(self.read("model.json"))["objective"]
        self.assertEqual(len(self.read("predictions.csv").split()), 1 + len(self.read("chain.svm").splitlines()))
        self.write("fit.c", block("c", "## In C"))
        flags = ["-fsanitize=address,undefined"] if sanitized() else []
        subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, "fit.c", "-o", "fit", "-I", os.path.join(ROOT, "include"),
                        "-L", BUILD, "-lspdhg", f"-Wl,-rpath,{BUILD}"], cwd=self.folder, check=True)
        printed = self.shell("./fit")
        found = re.fullmatch(r"objective (\S+), relative gap (\S+)\n", printed)
        self.assertIsNotNone(found, printed)
        self.assertAlmostEqual(float(found.group(1)) / objective, 1, delta=1e-5)
        self.assertLessEqual(float(found.group(2)), 1e-6)
        os.remove(self.path("chain.svm"))
        refused = subprocess.run(["./fit"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(refused.returncode, 5)
        self.assertIn("chain.svm", refused.stderr)

    def test_from_a_table_to_a_report(self):
        """The table of a newcomer: another separator, decimal commas, text, columns of new rows in another order. Five commands at most."""
        commands = block("sh", "## Your own table").splitlines()
        self.assertLessEqual(len(commands), 5)
        self.assertEqual(commands.pop(0), "./run build")
        rows = [(40 + 7 * i % 90, "old town" if i % 3 else "harbour", i % 5, i % 11 / 4) for i in range(80)]
        price = [2 * a + 30 * (b == "harbour") - 5 * c + d for a, b, c, d in rows]
        comma = lambda v: str(v).replace(".", ",")
        self.write("houses.csv", "\ufeffarea;place;floor;noise;price\r\n" +
                   "".join(";".join(map(comma, (*r, p))) + "\r\n" for r, p in zip(rows, price)))
        self.write("new.csv", "place,street,noise,area,floor\n" + "".join(f"{b},x {i},{d},{a},{c}\n" for i, (a, b, c, d) in enumerate(rows[:9])))
        self.shell("\n".join(commands))
        self.assertIn(b"How well it predicts", self.read("houses.html"))
        predicted = [float(line) for line in self.read("predictions.csv").decode().split()[1:]]
        for p, expected in zip(predicted, price):
            self.near(expected, p, .1, "price")
        self.assertEqual(len(predicted), 9)

    def test_python_program(self):
        package = os.path.join(BUILD, "python")
        if sanitized() or not os.path.exists(os.path.join(package, "spdhg", "_parameters.py")) or not shutil.which("python3"):
            self.skipTest("no Python package here, or one with sanitizers")
        self.write("program.py", block("python", "## Python"))
        printed = subprocess.run([sys.executable, "program.py"], cwd=self.folder, env=dict(os.environ, PYTHONPATH=package), capture_output=True,
                                 text=True, timeout=300)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.assertGreater(float(printed.stdout.split()[-1]), 0)


if __name__ == "__main__":
    unittest.main()
