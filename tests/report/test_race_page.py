# test_race_page.py - `spdhg report`: what stands in the page before any script runs (tables, statistics, data for the curves), against
# numbers computed here from the race's files; and what is said when those files are missing, cut off or nonsense.
import base64
import hashlib
import html.parser
import json
import lzma
import os
import re
import subprocess
import sys
import unittest

from cli_support import CommandTest
import race_support as race

VOID = {"meta", "br", "link", "img", "input"}


class Page(html.parser.HTMLParser):
    """Text of every table as rows of cells, ids, the scripts and styles; complains about elements that do not match."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tables, self.ids, self.raw, self.policy, self.tags = [], [], [], {"script": [], "style": []}, "", []
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        if tag == "meta" and given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag not in VOID:
            self.open.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]][-1] += data
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data


class RacePage(CommandTest):
    def page(self, *words):
        self.spdhg("report", *words, "-o", "page.html")
        self.text = self.read("page.html").decode()
        return Page(self.text)

    def make(self, **more):
        return race.make_race(self.path("race"), **more)

    def rewrite(self, change):
        with open(self.path("race/summary.json")) as file:
            summary = json.load(file)
        change(summary)
        self.write("race/summary.json", json.dumps(summary))

    def test_policy_admits_exactly_what_is_in_the_page(self):
        self.make()
        page = self.page("race")
        digest = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
        rules = dict(rule.strip().split(" ", 1) for rule in page.policy.split(";"))
        self.assertEqual(rules["default-src"], "'none'")
        self.assertEqual(set(rules["style-src"].split()), set(map(digest, page.raw["style"])))
        self.assertEqual(set(rules["script-src"].split()), set(map(digest, page.raw["script"][1:])))
        self.assertEqual(rules["img-src"], "data:")
        self.assertIn("Dygraph", page.raw["script"][1])
        self.assertNotIn("sourceMappingURL", self.text)
        for tag, given in page.tags:
            for name in given:
                self.assertFalse(name.startswith("on") or name in ("style", "src"), (tag, given))
            self.assertTrue(given.get("href", "#").startswith("#"), given)

    def test_hostile_names_and_json(self):
        summary = self.make()
        page = self.page("race")
        data = json.loads(page.raw["script"][0])
        self.assertEqual([p["data"] for p in data["problems"]], [p["data"] for p in summary["problems"]])
        self.assertNotIn("<", page.raw["script"][0])
        self.assertEqual(len(page.raw["script"]), 3)
        self.assertNotIn("img", [tag for tag, _ in page.tags])
        self.assertEqual(len(set(page.ids)), len(page.ids))

    def test_data_of_the_curves(self):
        summary = self.make(data=("a9a",))
        data = json.loads(self.page("race").raw["script"][0])
        self.assertEqual(data["solvers"], list(race.SOLVERS))
        problem, told = data["problems"][0], summary["problems"][0]
        self.assertAlmostEqual(problem["resolution"] / (1e-11 / (race.START - told["optima"][2]["objective"])), 1, delta=0.01)
        self.assertEqual(len(problem["runs"]), 3 * len(race.SOLVERS))
        for run in problem["runs"]:
            runs = told["solvers"][run["solver"]]["runs"]
            end = [r for r in runs if r["repeat"] == run["repeat"]][0]
            self.assertEqual(run["status"], end["status"])
            for name, key in (("epoch", "epochs"), ("seconds", "seconds"), ("suboptimality", "suboptimality"), ("test_loss", "test_loss")):
                self.assertAlmostEqual(run[name][-1], end[key], delta=1e-4 * abs(end[key]) + 1e-15)
        refused = [r for r in data["problems"][1]["runs"] if r["solver"] == 3]
        self.assertEqual(refused, [])

    def test_winners_and_results(self):
        summary = self.make()
        page = self.page("race")
        end, seconds, epochs = page.tables[:3]
        self.assertEqual(seconds[0], ["data set", "task", "1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6"])
        for row, problem in zip(seconds[1:], summary["problems"]):
            self.assertEqual(row[:2], [problem["data"], problem["task"]])
            for level in range(6):
                best = None
                for solver in problem["solvers"]:
                    times = [r["seconds_to"][level] for r in solver["runs"]]
                    if None not in times and "diverged" not in [r["status"] for r in solver["runs"]]:
                        best = min(best or (9e9, ""), (sum(times) / len(times), solver["solver"]))
                self.assertEqual(row[2 + level].split(" ")[0], best[1] if best else "–")
        self.assertEqual(len(epochs), 1 + len(summary["problems"]))
        self.assertEqual({row[2].split(" ")[0] for row in end[1:]}, {"auto"})
        results = [t for t in page.tables if t[0][:3] == ["solver", "runs", "epochs"]]
        self.assertEqual(len(results), 4)
        rows = {row[0]: row for row in results[0][1:]}
        self.assertEqual(rows["fsadmm"][1], "2 done, 1 diverged")
        self.assertEqual(rows["ada-sadmm-full"][1], "1 done, 2 time-out")
        self.assertTrue(rows["fsadmm"][2].endswith(" 2/3"))
        self.assertEqual({row[0]: row for row in results[1][1:]}["lpdhg"][1], "3 refused")
        self.assertIn("it needs &lt;smooth&gt; data", self.text)
        tiles = dict(re.findall(r"<b>([\d,]+)</b><span>runs ([^<]+)</span>", self.text)[i][::-1] for i in range(4))
        count = lambda status: str(sum(r["status"] == status for p in summary["problems"] for s in p["solvers"] for r in s["runs"]))
        self.assertEqual(tiles, {"done": count("done"), "ended by the time limit": count("time-out"), "diverged": count("diverged"),
                                 "refused": count("refused")})

    def test_equal_winners_are_told(self):
        self.make(data=("a9a",), tasks=("gglr",))

        def change(summary):
            for solver in summary["problems"][0]["solvers"][:3]:
                for run in solver["runs"]:
                    run["test_score"] = 0.99
        self.rewrite(change)
        self.assertEqual(self.page("race").tables[0][1][-1], "spdhg 0.99, and 2 alike")

    def test_statistics_and_settings(self):
        self.make()
        page = self.page("race")
        ranks = [t for t in page.tables if t[0][0] == "mean rank, wins"]
        self.assertEqual(len(ranks), 2)
        self.assertEqual([row[1] for row in ranks[0][1:] if row[0] == "auto"], ["1.2 2"])
        self.assertIn("chi-squared 41.5 on 11 degrees of freedom, p = 2e-5", self.text)
        self.assertIn("critical difference 4.8", self.text)
        pairs = [t for t in page.tables if t[0][0] == "A"]
        self.assertEqual(pairs[0][1], ["auto", "saga-pd3o", "2", "0", "0", "0.03", "0.3"])
        # ranks 1.2, 2.12, ... 11.32, .92 apart: bars of 4.8 hold 6 solvers; 12 - 6 + 1 of them, and one in each legend, 6 diagrams, each in two layouts
        self.assertEqual(self.text.count("<line class='clique'"), 2 * 6 * (7 + 1))
        settings = {row[0]: row[1] for t in page.tables for row in t if len(row) == 2}
        self.assertEqual((settings["protocol"], settings["seed"], settings["processor"], settings["cores"], settings["spdhg"]),
                         ("paper", "0", "Some Processor 9000", "2", "0.1.0"))
        self.assertIn("spdhg race a9a &#39;&lt;img", self.text)
        parameters = [t for t in page.tables if t[0][1] == "chosen by"][0]
        self.assertEqual(parameters[1], ["spdhg", "theory", "0", "1", "s = 0.1, rho = 1"])

    def test_coefficients_and_graph(self):
        self.make(data=("a9a",), tasks=("gglr",))
        self.spdhg("generate", "image", "--height", 4, "--width", 5, "--rows", 200, "-o", "d.svm")
        self.spdhg("fit", "d.svm", "--structure", "grid:4x5", "--epochs", 2, "--solver", "spdhg", "-q", "-o", "race/m.json")
        self.write("race/F.mtx", "%%MatrixMarket matrix coordinate real general\n3 20 5\n1 1 1\n1 2 -1\n2 2 1\n2 7 1\n3 4 1\n")
        self.rewrite(lambda s: s["problems"][0].update(model="m.json", structure_file="F.mtx"))
        self.page("race")
        self.assertEqual(self.text.count("<svg class='image'"), 1)
        self.assertIn("The graph of the first repeat: 2 edges", self.text)
        network = self.text[self.text.index("<svg class='network'"):]
        self.assertEqual((network.count("class='curve a'"), network.count("class='curve b'")), (1, 1))

    def test_what_is_not_known_is_a_dash(self):
        self.make(data=("a9a",), tasks=("gglr",), solvers=("spdhg", "auto"))

        def change(summary):
            del summary["statistics"], summary["machine"], summary["levels"]
            problem = summary["problems"][0]
            problem.update(optima=[], start_objective=None, samples="many", structure=None)
            problem["solvers"][0]["runs"][0] = 7
            problem["solvers"][1]["params"] = []
        self.rewrite(change)
        page = self.page("race")
        self.assertNotIn("suboptimality", json.loads(page.raw["script"][0])["problems"][0]["runs"][0])
        self.assertIn("No optimum is known", self.text)

    def test_a_summary_alone_makes_the_tables(self):
        self.make(data=("a9a",), tasks=("gglr",))
        os.remove(self.path("race/set0.gglr.csv"))
        self.rewrite(lambda s: s["problems"][0].update(model="gone.json", structure_file="gone.mtx"))
        page = self.page("race")
        self.assertIn("There are no traces, so no curves are drawn.", self.text)
        self.assertEqual(len([t for t in page.tables if t[0][:3] == ["solver", "runs", "epochs"]]), 1)

    def test_traces(self):
        self.make(data=("a9a",), tasks=("gglr",), solvers=("spdhg", "auto"))
        os.rename(self.path("race/set0.gglr.csv"), self.path("t.csv"))
        page = self.page("t.csv")
        self.assertEqual([row[0] for row in page.tables[0]], ["solver", "spdhg", "auto"])
        self.assertEqual(len(json.loads(page.raw["script"][0])["problems"][0]["runs"]), 6)

    def test_compressed_summary(self):
        """summary.json.xz makes the same page, also those of bench/results; the tables of bench/reproduction read them too."""
        self.make(data=("a9a",), tasks=("gglr",), solvers=("spdhg",))
        self.page("race")
        plain = self.text
        with lzma.open(self.path("race/summary.json.xz"), "wb") as file:
            file.write(self.read("race/summary.json"))
        os.remove(self.path("race/summary.json"))
        self.page("race")
        self.assertEqual(self.text, plain)
        self.write("race/summary.json.xz", self.read("race/summary.json.xz")[:-20])
        self.assertIn("race/summary.json.xz: truncated xz data", self.spdhg("report", "race", "-o", "p.html", status=3).err)
        kept = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
        page = self.page(os.path.join(kept, "results", "quick-paper"))
        self.assertIn("svmguide3", self.text)
        self.assertGreater(len(page.tables), 12)
        tables = subprocess.run([sys.executable, os.path.join(kept, "reproduction"), "tables", os.path.join(kept, "results", "quick-paper")],
                                capture_output=True, text=True, check=True).stdout
        self.assertIn(self.first_ranks(os.path.join(kept, "results", "quick-paper", "summary.json.xz")), tables.replace("\n", " "))

    def first_ranks(self, summary):
        """The mean ranks of ggrlr, by a count of who ends lower, in the words of bench/reproduction; the first two."""
        with lzma.open(summary, "rt") as file:
            problems = [p for p in json.load(file)["problems"] if p["task"] == "ggrlr"]
        names = [s["solver"] for s in problems[0]["solvers"]]
        total = dict.fromkeys(names, 0)
        for p in problems:
            end = {}
            for s in p["solvers"]:
                values = sorted(r["suboptimality"] if r["status"] == "done" and r["suboptimality"] is not None else float("inf") for r in s["runs"])
                end[s["solver"]] = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
            for a in names:
                total[a] += 0.5 + sum(1 if end[b] < end[a] else 0.5 if end[b] == end[a] else 0 for b in names)
        order = sorted(names, key=lambda n: total[n])
        return f"ggrlr: mean ranks over {len(problems)} data sets: " + ", ".join(f"{n} {total[n] / len(problems):.1f}" for n in order[:2])

    def test_wrong_files(self):
        self.make(data=("a9a",), tasks=("gglr",), solvers=("spdhg",))
        say = lambda status, *words: self.spdhg("report", *words, "-o", "p.html", status=status).err
        os.mkdir(self.path("empty"))
        self.assertIn("empty/summary.json", say(5, "empty"))
        self.assertIn("none.csv", say(5, "none.csv"))
        self.assertIn("race is a directory", say(2, "race", "race/set0.gglr.csv"))
        self.write("x.csv", "a,b\n1,2\n")
        self.assertIn("x.csv:1:1: not a trace", say(3, "x.csv"))
        self.write("x.csv", "solver,epoch,objective\n")
        self.assertIn("without points", say(3, "x.csv"))
        self.write("x.csv", "solver,epoch,objective\na,0,1\na,one,1\n")
        self.assertIn("x.csv:3:3", say(3, "x.csv"))
        self.write("x.csv", "solver,epoch,objective\na,0\n")
        self.assertIn("x.csv:2:3: expected 3 cells", say(3, "x.csv"))
        self.write("x.csv", "solver,repeat,epoch,objective\na,-1,0,1\n")
        self.assertIn("x.csv:2:3: expected the number of a repeat", say(3, "x.csv"))
        self.rewrite(lambda s: s["problems"][0].update(traces="../x.csv"))
        self.assertIn("race/summary.json: '../x.csv': expected the name of a file", say(3, "race"))
        self.rewrite(lambda s: s.update(problems=[]))
        self.assertIn("problems", say(3, "race"))
        self.rewrite(lambda s: s.update(format="spdhg race 2"))
        self.assertIn('"spdhg race 1"', say(3, "race"))
        self.write("race/summary.json", '{"format": ')
        self.assertIn("summary.json:1:", say(3, "race"))
        self.assertFalse(os.path.exists(self.path("p.html")))
        for words in (["report"], ["report", "race"], ["report", "-o", "p.html"]):
            self.assertIn("spdhg report DIR|TRACE... -o HTML", self.spdhg(*words, status=2).err)


if __name__ == "__main__":
    unittest.main()
