#!/usr/bin/python3
# test_race.py - `spdhg race`: what it leaves is recomputed from the traces and by scipy, a run is that of `spdhg fit`, a race killed twice ends
# like one undisturbed, results do not depend on --jobs, other settings are refused.
from cli_support import COMMAND, CommandTest

import csv
import itertools
import json
import os
import random
import signal
import subprocess
import time
import unittest

import numpy as np
import scipy.stats

SOLVERS = "spdhg,spdhg-sc2,lpdhg,opg-admm,saga-pd3o,auto"
FAST = ["--repeats", "2", "--epochs", "2", "--tune-fraction", "0.5", "--solvers", SOLVERS, "--jobs", "2"]
LEVELS = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]


def data(rows, features, seed):
    draw = random.Random(seed)
    truth = [draw.gauss(0, 1) for _ in range(features)]
    out = []
    for _ in range(rows):
        common = draw.gauss(0, 1)
        a = [round(common + draw.gauss(0, 1), 4) for _ in range(features)]
        b = sum(x * y for x, y in zip(a, truth)) + 2 * draw.gauss(0, 1) > 0
        out.append(f"{'+1' if b else '-1'} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(a)) + "\n")
    return "".join(out)


def without_times(value):
    """The summary but for what no two runs share: times, and where exact solvers stood at some time."""
    if isinstance(value, dict):
        ends = ("epochs", "objective", "suboptimality", "test_loss", "test_score", "budget") if value.get("budget") else ()
        return {k: without_times(v) for k, v in value.items() if "seconds" not in k and k != "command" and k not in ends}
    if isinstance(value, list):
        return [without_times(v) for v in value if not (isinstance(v, dict) and "measure" in v and not v["measure"].startswith("epochs"))]
    return value


class Race(CommandTest):
    def setUp(self):
        super().setUp()
        for k, (rows, features) in enumerate([(120, 5), (150, 6), (100, 4)]):
            self.write(f"set{k}.svm", data(rows, features, k + 1))
        self.sets = [f"set{k}.svm" for k in range(3)]

    def summary(self, folder):
        return json.loads(self.read(os.path.join(folder, "summary.json")))

    def table(self, *name):
        with open(self.path(os.path.join(*name))) as file:
            return list(csv.DictReader(file))

    def test_what_it_leaves(self):
        out = self.spdhg("race", *self.sets, "-o", "out", *FAST).out
        self.assertIn("Friedman", out)
        summary = self.summary("out")
        self.assertEqual(summary["format"], "spdhg race 1")
        self.assertEqual([(p["data"], p["task"]) for p in summary["problems"]],
                         [(f"set{k}", t) for k in range(3) for t in ("gglr", "ggrlr")])
        lines = {(r["data"], r["task"], r["solver"], int(r["repeat"])): r for r in self.table("out", "summary.csv")}
        for p in summary["problems"]:
            trace = self.table("out", p["traces"])
            self.assertTrue(os.path.exists(self.path("out/" + p["model"])) and os.path.exists(self.path("out/" + p["structure_file"])))
            self.assertEqual(p["gamma"], 0 if p["task"] == "gglr" else 1e-2)
            self.assertTrue(all(o["certified"] and o["objective"] - o["lower"] <= 1e-8 for o in p["optima"]))
            for s in p["solvers"]:
                for r in s["runs"]:
                    points = [q for q in trace if q["solver"] == s["solver"] and int(q["repeat"]) == r["repeat"]]
                    self.check_run(p, s, r, points, lines[p["data"], p["task"], s["solver"], r["repeat"]])
        self.check_statistics(summary)

    def check_run(self, p, s, r, points, line):
        refused = p["task"] == "gglr" and s["solver"] == "spdhg-sc2"
        self.assertEqual(r["status"], "refused" if refused else "done")
        self.assertEqual(line["status"], r["status"])
        self.assertEqual(s["tuned"], {"spdhg": "theory", "spdhg-sc2": "theory", "auto": "default"}.get(s["solver"], "grid"))
        if refused:
            self.assertIn("--gamma above 0", r["message"])
            return self.assertEqual((points, r["objective"], line["objective"]), ([], None, ""))
        best = p["optima"][r["repeat"]]["objective"]
        start = float(points[0]["objective"])
        epoch, value, seconds = (np.array([float(q[k]) for q in points]) for k in ("epoch", "objective", "seconds"))
        self.assertEqual(epoch[0], 0)
        self.assertAlmostEqual(start, np.log(2), places=12)
        relative = (value - best) / (start - best)
        exact = s["solver"] == "auto"
        self.assertEqual(s["compared_by"], "seconds" if exact else "epochs")
        if exact:  # where it stood after the median time of the others
            others = [o["runs"][r["repeat"]]["seconds"] for o in p["solvers"] if o["solver"] != "auto"]
            self.assertEqual(r["budget"], np.median([t for t in others if t is not None]))
            self.assertLess(relative[-1], 1e-6)  # and it ran to its end
        end = max(np.count_nonzero(seconds <= r["budget"]) - 1, 0) if exact else -1  # its start, if even that took longer
        self.assertEqual((r["epochs"], r["objective"]), (epoch[end], value[end]))
        self.assertAlmostEqual(r["suboptimality"], relative[end], delta=1e-14)
        self.assertTrue(-1e-8 < relative.min())
        for level, at, when in zip(LEVELS, r["epochs_to"], r["seconds_to"]):
            reached = np.flatnonzero(relative <= level)
            self.assertEqual(at, epoch[reached[0]] if len(reached) and not exact else None)
            self.assertEqual(when, seconds[reached[0]] if len(reached) else None)
            name = f"epochs_to_1e{round(np.log10(level))}"
            self.assertEqual(line[name] and float(line[name]), at if at is not None else "")

    def value(self, p, solver, measure):
        runs = next(s["runs"] for s in p["solvers"] if s["solver"] == solver)
        if measure.startswith("suboptimality"):
            floor = [o["gap"] / (p["start_objective"] - o["objective"]) for o in p["optima"]]
            return np.mean([max(r["suboptimality"], f) for r, f in zip(runs, floor)])
        if measure.startswith("test loss"):
            return np.mean([r["test_loss"] for r in runs])
        what, level = measure.split(" to ")
        return np.mean([v if v is not None else np.inf for v in (r[what + "_to"][LEVELS.index(float(level))] for r in runs)])

    def check_statistics(self, summary):
        self.assertEqual({s["task"] for s in summary["statistics"]}, {"gglr", "ggrlr"})
        for s in summary["statistics"]:
            names = [e["solver"] for e in s["solvers"]]
            out = ("saga-pd3o", "auto") if s["among"] == "paper" else ("auto",) if s["measure"].startswith("epochs") else ()
            self.assertEqual(names, [n for n in SOLVERS.split(",") if (s["task"] == "ggrlr" or n != "spdhg-sc2") and n not in out])
            value = np.array([[self.value(p, n, s["measure"]) for n in names] for p in summary["problems"] if p["task"] == s["task"]])
            rank = np.array([scipy.stats.rankdata(row) for row in value])
            np.testing.assert_allclose([e["mean_rank"] for e in s["solvers"]], rank.mean(axis=0), rtol=1e-12)
            self.assertEqual([e["wins"] for e in s["solvers"]], list(((value == value.min(axis=1)[:, None]) & np.isfinite(value)).sum(axis=0)))
            if len(np.unique(rank)) > 1:
                test = scipy.stats.friedmanchisquare(*rank.T)
                np.testing.assert_allclose([s["friedman"]["chi2"], s["friedman"]["p"]], [test.statistic, test.pvalue], rtol=1e-9)
            k, n = len(names), len(value)
            q = scipy.stats.studentized_range.ppf(0.95, k, np.inf)
            self.assertAlmostEqual(s["nemenyi"]["critical_difference"], q / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n)), places=6)
            self.check_pairs(s["pairs"], names, value)

    def check_pairs(self, pairs, names, value):
        raw = []
        for pair, (i, j) in zip(pairs, itertools.combinations(range(len(names)), 2), strict=True):
            a, b = value[:, i], value[:, j]
            self.assertEqual((pair["a"], pair["b"]), (names[i], names[j]))
            self.assertEqual((pair["wins_a"], pair["wins_b"], pair["ties"]), ((a < b).sum(), (a > b).sum(), (a == b).sum()))
            d = [x - y for x, y in zip(a, b) if x != y]
            raw.append(exact_wilcoxon(d))
            self.assertAlmostEqual(pair["p"], raw[-1], places=12)
        order = np.argsort(raw, kind="stable")
        holm = np.minimum(1, np.maximum.accumulate((len(raw) - np.arange(len(raw))) * np.array(raw)[order]))
        np.testing.assert_allclose(np.array([p["p_holm"] for p in pairs])[order], holm, rtol=1e-12)

    def test_a_run_is_that_of_fit(self):
        self.spdhg("race", "set0.svm", "-o", "out", *FAST, "--seed", 5)
        for solver in ["spdhg", "opg-admm", "auto"]:
            entry = next(s for s in self.summary("out")["problems"][1]["solvers"] if s["solver"] == solver)
            params = [w for name, value in entry["params"].items() for w in ("--param", f"{name}={value}")]
            self.spdhg("fit", "set0.svm", "--no-intercept", "--structure", "learned", "--also-sparse", 0, "--lambda", 1e-5, "--gamma", 1e-2, "--seed", 6,
                       "--test-fraction", 0.2, "--solver", solver, "--every", 0.25, "--trace", "fit.csv", *params,
                       *(["--tol", 1e-9] if solver == "auto" else ["--epochs", 2, "--tol", 0]))
            mine = [r for r in self.table("out", "set0.ggrlr.csv") if r["solver"] == solver and r["repeat"] == "1"]
            fit = self.table("fit.csv")
            self.assertEqual(float(fit[-1]["epoch"]) > 2.25, solver == "auto")
            self.assertEqual(*([{k: v for k, v in r.items() if k not in ("seconds", "repeat", "solver")} for r in rows] for rows in (mine, fit)))
        name = "out/runs/set0.ggrlr.opg-admm.r1.json"  # a point behind the epochs does not count
        run = json.loads(self.read(name))
        self.write(name, json.dumps({**run, "trace": [*run["trace"], [2.5, *run["trace"][-1][1:]]]}))
        before = self.summary("out")
        self.spdhg("race", "set0.svm", "-o", "out", *FAST, "--seed", 5)
        self.assertEqual(self.summary("out"), before)

    def test_killed_twice_it_ends_like_one_undisturbed(self):
        words = ["race", *self.sets, *FAST]
        self.spdhg(*words, "-o", "whole")
        for kill in range(2):
            racing = subprocess.Popen([COMMAND, *words, "-o", "killed", "-q", "--jobs", "1"], cwd=self.folder)
            before = self.pieces("killed")
            while racing.poll() is None and self.pieces("killed") < before + 30:
                time.sleep(0.002)
            racing.send_signal(signal.SIGKILL)
            self.assertEqual(racing.wait(), -signal.SIGKILL, "the race had ended before it was killed")
        self.write("killed/runs/set0.gglr.spdhg.r0.json.tmp.00c0ffee00c0ffee", "half of")
        self.write("killed/runs/set0.gglr.spdhg.r1.json", b'{"mark": "0"')
        self.spdhg(*words, "-o", "killed")
        self.assertEqual(without_times(self.summary("killed")), without_times(self.summary("whole")))
        self.assertEqual([n for n in os.listdir(self.path("killed/runs")) if ".tmp." in n], [])
        for p in self.summary("whole")["problems"]:
            a, b = (self.table(folder, p["traces"]) for folder in ("whole", "killed"))
            self.assertEqual([{**r, "seconds": 0} for r in a], [{**r, "seconds": 0} for r in b])

    def pieces(self, folder):
        try:
            return sum(n.endswith(".json") for n in os.listdir(self.path(folder + "/runs")))
        except FileNotFoundError:
            return 0

    def test_other_settings_are_refused_and_more_data_are_not(self):
        self.spdhg("race", "set0.svm", "-o", "out", *FAST)
        for more, says in [(["--lambda", "1e-4"], "lambda was"), (["--seed", "3"], "seed was 0 and is now 3"), (["--protocol", "fair"], "protocol")]:
            err = self.spdhg("race", "set0.svm", "-o", "out", *FAST, *more, status=2).err
            self.assertIn("out holds a race with other settings", err)
            self.assertIn(says, err)
        before = {n: os.stat(self.path("out/runs/" + n)).st_mtime_ns for n in os.listdir(self.path("out/runs")) if n.startswith("set0")}
        self.spdhg("race", "set0.svm", "set1.svm", "-o", "out", *FAST)
        self.assertEqual(len(self.summary("out")["problems"]), 4)
        self.assertEqual(before, {n: os.stat(self.path("out/runs/" + n)).st_mtime_ns for n in before})
        self.write("set0.svm", data(120, 5, 77))
        self.assertIn("another set0", self.spdhg("race", "set0.svm", "-o", "out", *FAST, status=2).err)

    def grids_go_on_beyond_their_edge(self, summary):
        """18 points; then, while the longest or the shortest step is the best, one beyond it, until that gains less than a thousandth."""
        grew = 0
        for s in summary["problems"][0]["solvers"]:
            if s["grid_points"] < 18:
                continue
            grid = [json.loads(self.read(f"out/runs/set0.ggrlr.{s['solver']}.tune{g}.json")) for g in range(s["grid_points"])]
            score = [g["score"] if g["score"] is not None else np.inf for g in grid]
            step = "scale" if "scale" in grid[0]["params"] else "L"
            length = [(g["params"][step] / grid[0]["params"][step]) ** (1 if step == "scale" else -1) for g in grid]
            for k in range(18, len(grid)):
                best = int(np.argmin(score[:k]))
                self.assertIn(length[best], (min(length[:k]), max(length[:k])))
                np.testing.assert_allclose(length[k], length[best] * (10 if length[best] == max(length[:k]) else 0.1), rtol=1e-12)
                self.assertTrue(k == 18 or min(score[:k - 1]) - score[k - 1] > 1e-3 * min(score[:k - 1]), s["solver"])
                grew += 1
            best, last = int(np.argmin(score)), len(grid) - 1
            if length[best] in (min(length), max(length)):  # it ends at an edge only where that is no gain
                self.assertTrue(last == 23 or (last >= 18 and min(score[:last]) - score[last] <= 1e-3 * min(score[:last])), s["solver"])
        self.assertGreater(grew, 0)

    def test_fair_tunes_everybody_and_quick_is_what_it_says(self):
        self.spdhg("race", "set0.svm", "-o", "out", "--protocol", "fair", "--quick", "--task", "ggrlr", "--solvers", SOLVERS)
        summary = self.summary("out")
        self.assertEqual([summary[k] for k in ("repeats", "epochs", "run_time", "tune_fraction", "quick", "tune_by")], [3, 3, 10, 0.2, True, "objective"])
        tuned = {s["solver"]: s["tuned"] for s in summary["problems"][0]["solvers"]}
        self.assertEqual(tuned, {"spdhg": "grid", "spdhg-sc2": "grid", "lpdhg": "grid", "opg-admm": "grid", "saga-pd3o": "grid", "auto": "default"})
        self.assertEqual([s["grid_points"] for s in summary["problems"][0]["solvers"] if s["solver"] in ("saga-pd3o", "auto")], [6, 0])
        self.grids_go_on_beyond_their_edge(summary)
        for s in summary["problems"][0]["solvers"][:-1]:
            grid = [json.loads(self.read(f"out/runs/set0.ggrlr.{s['solver']}.tune{g}.json")) for g in range(s["grid_points"])]
            score = [g["score"] if g["score"] is not None else np.inf for g in grid]
            self.assertEqual(s["params"], grid[int(np.argmin(score))]["params"])
            self.assertEqual(len({tuple(g["params"].values()) for g in grid}), len(grid))
            self.assertGreater(len(set(score)), 1)
        base, longer = (json.loads(self.read(f"out/runs/set0.ggrlr.opg-admm.tune{g}.json"))["params"] for g in (0, 5))
        np.testing.assert_allclose([longer[k] / base[k] for k in ("L", "eta0", "rho")], [0.1, 10, 100], rtol=1e-12)
        self.assertEqual(base["eta0"], 100)

    def test_runs_of_another_race_are_reused(self):
        words = ["race", "set0.svm", *FAST]
        fair = [*words, "--protocol", "fair"]
        self.spdhg(*words, "-o", "paper")
        self.spdhg(*fair, "-o", "alone")
        self.spdhg(*fair, "-o", "reusing", "--reuse", "paper")
        self.assertEqual(without_times(self.summary("reusing")), without_times(self.summary("alone")))
        same = set()
        for p, q in zip(self.summary("paper")["problems"], self.summary("reusing")["problems"]):
            for a, b in zip(p["solvers"], q["solvers"]):
                same.add(a["params"] == b["params"])
                if b["runs"][0]["seconds"] is not None and b["compared_by"] == "epochs":
                    self.assertEqual([r["seconds"] for r in a["runs"]] == [r["seconds"] for r in b["runs"]], a["params"] == b["params"], a["solver"])
        self.assertEqual(same, {True, False})
        before = self.summary("reusing")
        self.spdhg(*fair, "-o", "reusing")  # the folder stands for itself
        self.assertEqual(self.summary("reusing"), {**before, "command": self.summary("reusing")["command"]})
        err = self.spdhg(*fair, "-o", "other", "--reuse", "paper", "--seed", 3, status=2).err
        self.assertIn("paper holds a race with other settings: seed was 0 and is now 3; only runs of the same settings, tuning aside, can be reused", err)
        self.assertIn("nothing: no race was run in this folder", self.spdhg(*fair, "-o", "other", "--reuse", "nothing", status=3).err)

    def test_runs_of_another_problem_are_not_mixed_in(self):
        """A build that learns another F: what it did before is not reused, nor measured against its own optimum."""
        words = ["race", "set0.svm", *FAST, "--task", "ggrlr"]
        self.spdhg(*words, "-o", "before")
        runs = [f"before/runs/set0.ggrlr.auto.r{r}.json" for r in range(2)]
        first = json.loads(self.read(runs[0]))
        self.write(runs[0], json.dumps({**first, "problem": "0123456789abcdef"}))
        self.spdhg(*words, "-o", "after", "--reuse", "before", "--protocol", "fair")
        times = [[json.loads(self.read(name.replace("before", folder)))["trace"][-1][2] for name in runs] for folder in ("before", "after")]
        self.assertNotEqual(times[0][0], times[1][0])
        self.assertEqual(times[0][1], times[1][1])
        optimum = json.loads(self.read("before/runs/set0.ggrlr.r1.optimum.json"))
        self.write("before/runs/set0.ggrlr.r1.optimum.json", json.dumps({**optimum, "problem": "0123456789abcdef"}))
        err = self.spdhg(*words, "-o", "before", status=3).err
        self.assertIn("set0.svm: its problem is no longer the one whose optimum is in before, which another build computed; use another folder", err)

    def test_preset_is_that_of_the_scripts(self):
        os.rename(self.path("set0.svm"), self.path("la12.svm"))
        os.rename(self.path("set1.svm"), self.path("20news_100word.svm"))
        self.spdhg("race", "la12.svm", "20news_100word.svm", "set2.svm", "-o", "out", "--preset", "matlab", "--solvers", "spdhg,spdhg-sc2,lpdhg,opg-admm", "--task",
                   "ggrlr", "--lambda", 1e-3)
        summary = self.summary("out")
        self.assertEqual([summary[k] for k in ("preset", "repeats", "sampling")], ["matlab", 1, "shuffle"])
        for p, scales in zip(summary["problems"], [(22, 22, 1), (0.2499, 0.125, 1), (1, 1, 1)], strict=True):
            for s, scale in zip(p["solvers"], scales):
                self.assertEqual(s["tuned"], "preset")
                self.assertEqual(s["params"]["scale"], scale)
                self.assertAlmostEqual(s["params"]["s"], 5e-11, delta=1e-24)
            self.assertEqual(p["solvers"][3]["tuned"], "grid")

    def test_time_outs_are_recorded(self):
        self.write("long.svm", data(4000, 12, 9))
        self.spdhg("race", "long.svm", "-o", "out", "--task", "gglr", "--solvers", "ada-sadmm-full,lpdhg", "--repeats", 1, "--run-time", 0.02, "--tune-fraction", 0.1)
        slow, quick = (s["runs"][0] for s in self.summary("out")["problems"][0]["solvers"])
        self.assertEqual((slow["status"], quick["status"]), ("time-out", "done"))
        self.assertLess(slow["epochs"], 10)

    def test_time_outs_end_the_attempts_if_asked(self):
        self.write("long.svm", data(4000, 12, 9))
        words = ["race", "long.svm", "-o", "out", "--task", "gglr", "--solvers", "ada-sadmm-full,lpdhg", "--repeats", 4, "--run-time", 0.02, "--tune-fraction", 0.1]
        self.spdhg(*words, "--time-outs", 2)
        slow, quick = (s["runs"] for s in self.summary("out")["problems"][0]["solvers"])
        self.assertEqual([r["status"] for r in slow], ["time-out"] * 4)
        self.assertEqual([r["epochs"] is not None for r in slow], [True, True, False, False])
        self.assertEqual([r["message"] for r in slow], [None, None] + ["not started: the first 2 repeats were time-outs"] * 2)
        self.assertEqual([r["status"] for r in quick], ["done"] * 4)
        tuned = [json.loads(self.read(f"out/runs/long.gglr.ada-sadmm-full.tune{g}.json")) for g in range(9)]
        self.assertEqual([(t["late"], t["score"] is not None) for t in tuned], [(True, True)] * 2 + [(True, False)] * 7)
        self.assertFalse(any(json.loads(self.read(f"out/runs/long.gglr.lpdhg.tune{g}.json"))["late"] for g in range(9)))
        before = self.summary("out")
        self.spdhg(*words, "--time-outs", 2)
        self.assertEqual(self.summary("out"), before)
        self.assertIn("time_outs was 2", self.spdhg(*words, status=2).err)
        first, last = (f"out/runs/long.gglr.ada-sadmm-full.r{r}.json" for r in (0, 3))
        found = {**json.loads(self.read(first)), "mark": json.loads(self.read(last))["mark"], "problem": "0123456789abcdef"}
        self.write(last, json.dumps(found))  # a run of another problem: nothing of it is left in the one that is not started
        self.spdhg(*words, "--time-outs", 2)
        self.assertEqual(self.summary("out"), before)

    def test_structure_by_the_name_of_the_data(self):
        for i, (rows, features) in enumerate(((2, 5), (3, 6), (1, 4))):
            entries = [f"{r + 1} {c} {v}" for r in range(rows) for c, v in ((r + 1, 1), (r + 2, -1))]
            self.write(f"F_set{i}.mtx", "\n".join(["%%MatrixMarket matrix coordinate real general", f"{rows} {features} {len(entries)}", *entries]) + "\n")
        self.spdhg("race", *self.sets, "-o", "out", *FAST, "--structure", "matrix:F_{}.mtx")
        self.assertEqual([p["structure_rows"] for p in self.summary("out")["problems"][::2]], [2, 3, 1])

    def test_interrupt_stops_and_goes_on(self):
        words = ["race", *self.sets, "-o", "out", *FAST]
        racing = subprocess.Popen([COMMAND, *words, "--jobs", "1"], cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        while self.pieces("out") < 5:
            time.sleep(0.002)
        racing.send_signal(signal.SIGINT)
        _, err = racing.communicate()
        self.assertEqual(racing.returncode, 130)
        self.assertIn(b"the same command continues", err)
        self.spdhg(*words)

    def test_wrong_words(self):
        self.write("three.svm", "1 1:1\n2 1:2\n3 1:3\n" * 9)
        for words, status, says in [(["set0.svm"], 2, "--output is missing"), (["-o", "out"], 2, "DATA is missing"),
                                    (["set0.svm", "-o", "out", "--solvers", "spdgh"], 2, "spdgh"), (["set0.svm", "-o", "out", "--task", "x"], 2, "gglr, ggrlr"),
                                    (["set0.svm", "./set0.svm", "-o", "out"], 2, "both be called set0"), (["-", "-o", "out"], 2, "standard input"),
                                    (["none.svm", "-o", "out"], 5, "none.svm"), (["three.svm", "-o", "out"], 3, "--loss softmax"),
                                    (["set0.svm", "-o", "no/such/out"], 5, "no/such/out")]:
            self.assertIn(says, self.spdhg("race", *words, status=status).err)

    def test_a_folder_with_other_files_is_left_alone(self):
        os.mkdir(self.path("mine"))
        self.write("mine/report.html", "my report")
        before = sorted(os.listdir(self.folder))
        err = self.spdhg("race", "set0.svm", "-o", "mine", *FAST, status=2).err
        self.assertIn("is not the folder of a race: nothing was written", err)
        self.assertIn("--force", err)
        self.assertIn("nothing was written", self.spdhg("race", "set0.svm", "-o", ".", *FAST, status=2).err)
        self.assertEqual((os.listdir(self.path("mine")), sorted(os.listdir(self.folder))), (["report.html"], before))
        self.spdhg("race", "set0.svm", "-o", "mine", *FAST, "--force", "-q")
        self.assertNotEqual(self.read("mine/report.html"), b"my report")
        self.spdhg("race", "set0.svm", "-o", "mine", *FAST, "-q")  # now it is one

    def test_names_are_text(self):
        name = '<b>a,"b"</b>.svm'.replace("/", "")
        self.write(name, data(60, 3, 4))
        self.spdhg("race", name, "-o", "out", "--task", "gglr", "--solvers", "spdhg,lpdhg", "--repeats", 1, "--epochs", 1)
        self.assertEqual(self.summary("out")["problems"][0]["data"], name[:-4])
        self.assertEqual(self.table("out", "summary.csv")[0]["data"], name[:-4])


def exact_wilcoxon(d):
    """Two-sided, by all 2^n signs of the ranks; equal to scipy's exact one where there are no ties."""
    if not d:
        return 1
    rank = scipy.stats.rankdata(np.abs(d))
    seen = rank[np.array(d) > 0].sum()
    sums = [sum(r for r, up in zip(rank, signs) if up) for signs in itertools.product([0, 1], repeat=len(d))]
    p = min(1, 2 * min(np.mean([s <= seen for s in sums]), np.mean([s >= seen for s in sums])))
    if len(set(rank)) == len(rank):
        assert abs(p - scipy.stats.wilcoxon(np.sign(d) * rank, mode="exact").pvalue) < 1e-12
    return p


if __name__ == "__main__":
    unittest.main()
