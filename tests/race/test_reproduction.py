# test_reproduction.py - every table of docs/reproduction.md and README.md that a command of bench/ makes is what it makes of bench/results.
# And the verdict itself: counted a second time from the summaries, by hand.
import json
import lzma
import os
import re
import statistics
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MARKED = re.compile(r"<!-- (bench/[^>]*) -->\n(.*?)\n<!-- end -->", re.DOTALL)


def read(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def printed(line):
    done = subprocess.run(["/usr/bin/python3"] + line.split(), cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def results(name):
    with lzma.open(os.path.join(ROOT, "bench/results", name, "summary.json.xz"), "rt") as file:
        return json.load(file)["problems"]


class Reproduction(unittest.TestCase):
    def test_pages_say_what_the_commands_print(self):
        found = 0
        for page in ("docs/reproduction.md", "README.md"):
            for line, text in MARKED.findall(read(page)):
                found += 1
                if "tables" in line and "full" in line and not os.environ.get("SPDHG_TEST_ALL"):
                    continue  # the same code as for the quick study, on more numbers
                self.assertEqual(text, printed(line), f"{page}: {line}; bench/reproduction update {page}")
        self.assertGreaterEqual(found, 14)

    def test_the_first_line_of_the_verdict(self):
        """gglr, protocol paper: data sets where spdhg's median suboptimality is the least of the paper's methods."""
        paper = ("lpdhg", "sadmm", "opg-admm", "rda-admm", "fsadmm", "ada-sadmm-diag", "ada-sadmm-full")
        wins = sets = 0
        for p in results("full-paper-given") + results("full-paper-learned"):
            if p["task"] != "gglr":
                continue
            ends = {s["solver"]: statistics.median(r["suboptimality"] if r["status"] == "done" and r["suboptimality"] is not None else float("inf")
                                                   for r in s["runs"]) for s in p["solvers"]}
            sets += 1
            wins += ends["spdhg"] <= min(ends[n] for n in paper)
        line = next(line for line in printed("bench/reproduction verdict bench/results").splitlines() if line.startswith("| gglr: SPDHG ends"))
        self.assertIn(f"{wins} of {sets} |", line.split(" | ")[1] + " |")


    def test_theory_is_put_together_rightly(self):
        """gglr, protocol theory: spdhg of full-theory-*, the others of full-raced-* or else of full-paper-*."""
        def gglr(beginning):
            names = [name for name in os.listdir(os.path.join(ROOT, "bench/results")) if name.startswith(beginning)]
            return {p["data"]: {s["solver"]: statistics.median(r["suboptimality"] if r["status"] == "done" and r["suboptimality"] is not None else float("inf")
                                                               for r in s["runs"]) for s in p["solvers"]} for name in names for p in results(name) if p["task"] == "gglr"}
        own, raced, paper = gglr("full-theory"), gglr("full-raced"), gglr("full-paper")
        others = "lpdhg", "sadmm", "opg-admm", "rda-admm", "fsadmm", "ada-sadmm-diag", "ada-sadmm-full"
        sets = [name for name in own if name in raced or name in paper]
        wins = sum(own[name]["spdhg"] <= min(raced.get(name, {}).get(n, paper.get(name, {}).get(n, float("inf"))) for n in others) for name in sets)
        line = next(line for line in printed("bench/reproduction verdict bench/results").splitlines() if line.startswith("| gglr: SPDHG ends"))
        self.assertIn(f"{wins} of {len(sets)}", line.split(" | ")[2])
        self.assertGreaterEqual(len(sets), 17)


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
