# test_table_results.py - what comes of the columns of a table: coefficients as CSV, groups of levels, edges and groups by name, models
# of version 1.
import json
import math
import random
import unittest

from table_support import TableTest


class Results(TableTest):
    def test_coefficients_and_show(self):
        self.fit("--id", "key", "--coefficients", "c.csv")
        head, first, *lines = self.read("c.csv").decode().splitlines()
        self.assertEqual(head, "feature,level,class,value,standardized,group")
        model = json.loads(self.read("m.json"))
        self.assertEqual(first.split(",")[:4], ["(intercept)", "", "", repr(model["constants"][0])])
        self.assertEqual([float(line.split(",")[3]) for line in lines], model["coefficients"]["value"])
        sizes = [r["size"] for r in self.rows]
        mean = sum(sizes) / len(sizes)
        deviation = math.sqrt(sum((s - mean) ** 2 for s in sizes) / len(sizes))
        feature, level, _, value, standardized, _ = lines[0].split(",")
        self.assertEqual((feature, level, lines[-1].split(",")[0]), ("size", "", "floor"))
        self.assertAlmostEqual(float(standardized), float(value) * deviation, delta=1e-10)
        self.assertIn("city,Munich,", lines[-2])
        shown = self.spdhg("show", "m.json", "--coefficients", "s.csv").out
        self.assertEqual(self.read("s.csv"), self.read("c.csv"))
        self.write("k.csv", "a,b,kind\n" + "".join(f"{i % 5},{i % 3},{'pqr'[i % 5 // 2]}\n" for i in range(60)))
        self.spdhg("fit", "k.csv", "--loss", "softmax", "-q", "-o", "k.json")
        self.assertRegex(self.spdhg("show", "k.json").out, r"\(intercept\) +p .*\n\(intercept\) +q .*\n\(intercept\) +r ")
        for text in ("regression of 'price', fitted to 120 rows", "rows are named by column 'key'", "city=Munich", "(intercept)"):
            self.assertIn(text, shown)

    def test_path_coefficients(self):
        self.write("s.csv", "a,b,c,d,class\n" + "".join(f"{i % 2},{i % 3},{i * i % 7},{i % 5},{'no' if (i % 2) + (i % 3) < 1.5 else 'yes'}\n" for i in range(60)))
        self.spdhg("path", "s.csv", "--structure", "chain", "--lambdas", 6, "-q", "-o", "p.json", "--coefficients", "pc.csv", "--rule", "min")
        head, *lines = self.read("pc.csv").decode().splitlines()
        self.assertEqual(head, "lambda,feature,level,class,value,standardized,group")
        self.assertEqual(sum("(intercept)" in line for line in lines), len({line.split(",")[0] for line in lines}))
        model = json.loads(self.read("p.json"))
        here = [line.split(",") for line in lines if float(line.split(",")[0]) == model["lambda"]]
        self.assertEqual({line[3] for line in here}, {"yes"})
        for line, value in zip(here[1:], model["coefficients"]["value"]):
            self.assertAlmostEqual(float(line[4]), value, delta=1e-9 * abs(value))
        self.assertEqual([int(line[6] or 0) for line in here[1:]], model["coefficients"]["group"])
        widest = [line.split(",") for line in lines if line.startswith(lines[0].split(",")[0] + ",")]  # lambda_max: all equal
        self.assertEqual(len({line[6] for line in widest[1:]}), 1)

    def test_levels_fuse_along_their_structure(self):
        """Rows of F by their definition: the objective is recomputed from the model, and no small step makes it smaller."""
        words = ("--id", "key", "--ordered", "floor", "--structure", "categories", "--lambda", 0.3, "--tol", 1e-11)
        model = self.fit(*words)
        city, floor = model["columns"][1:]
        self.assertEqual((city["reference"], floor["reference"]), ("Berlin", "1"))
        x = dict.fromkeys(model["names"], 0.0)
        for i, v in zip(model["coefficients"]["index"], model["coefficients"]["value"]):
            x[model["names"][i]] = v

        def objective(x, c):
            level = lambda name, l: x.get(f"{name}={l}", 0.0)  # the reference is 0
            penalty = abs(x["size"]) + sum(abs(level("city", a) - level("city", b)) for a, b in [("Berlin", "Köln"), ("Berlin", "Munich"), ("Köln", "Munich")])
            penalty += sum(abs(level("floor", a) - level("floor", b)) for a, b in [("1", "2"), ("2", "3"), ("3", "10")])
            loss = sum((x["size"] * r["size"] + level("city", r["city"]) + level("floor", r["floor"]) + c - r["price"]) ** 2 for r in self.rows)
            return loss / 2 / len(self.rows) + 0.3 * penalty

        best, c = objective(x, model["constants"][0]), model["constants"][0]
        self.assertAlmostEqual(best, model["objective"], delta=1e-9)
        draw = random.Random(5)
        for _ in range(300):
            step = 10 ** draw.uniform(-5, -1)
            other = {k: v + step * draw.choice([-1, 0, 0, 1]) for k, v in x.items()}
            self.assertGreater(objective(other, c + step * draw.choice([-1, 0, 1])), best - 1e-9)

    def test_edges_and_groups_by_name(self):
        self.write("e.csv", "from,to,weight\ncity=Berlin,city=Munich,2\nsize,floor\n")
        self.write("e.txt", "2 4 2\n1 5\n")
        named = self.fit("--drop", "key", "--structure", "edges:e.csv", "--also-sparse", 0.1)
        numbered = self.fit("--drop", "key", "--structure", "edges:e.txt", "--also-sparse", 0.1)
        self.assertEqual(named["names"], ["size", "city=Berlin", "city=Köln", "city=Munich", "floor"])
        self.assertEqual(named["coefficients"]["value"], numbered["coefficients"]["value"])
        self.write("bad.csv", "from,to\ncity=Berlin,city=Munch\n")
        self.assertIn("bad.csv:2:13: no feature is called 'city=Munch'; did you mean 'city=Munich'?",
                      self.spdhg("fit", "a.csv", "--drop", "key", "--loss", "squared", "--structure", "edges:bad.csv", status=3).err)
        self.write("g.csv", "feature,group\nsize,s\ncity=Berlin,c\ncity=Köln,c\ncity=Munich,c\nfloor,f\n")
        groups = ("--drop", "key", "--penalty", "group", "--lambda", 0.1)
        self.assertEqual(self.fit(*groups, "--groups", "g.csv")["coefficients"], self.fit(*groups, "--groups", "columns")["coefficients"])
        self.write("few.csv", "feature,group\nsize,s\n")
        self.assertIn("features without a group: 'city=Berlin'", self.spdhg("fit", "a.csv", "--loss", "squared", *groups, "--groups", "few.csv", status=3).err)
        self.spdhg("graph", "a.csv", "--drop", "key", "--method", "correlation", "--rho", 0.2, "-o", "learned.csv", "-q")
        self.assertTrue(self.read("learned.csv").decode().startswith("from,to,weight\ncity=Berlin,city=K"))
        self.fit("--drop", "key", "--structure", "edges:learned.csv")

    def test_version_1_is_read(self):
        model = self.fit("--drop", "key,city")
        dense = [0.0] * model["features"]
        for i, v in zip(model["coefficients"]["index"], model["coefficients"]["value"]):
            dense[i] = v
        new = self.predictions("a.csv")
        for form in (dense, {"index": model["coefficients"]["index"], "value": model["coefficients"]["value"]}):
            old = {k: v for k, v in model.items() if k not in ("rows", "target", "id", "offset", "header", "columns", "checksum")}
            self.write("m.json", json.dumps({**old, "version": 1, "coefficients": form}))
            self.assertEqual(self.predictions("a.csv"), new)


if __name__ == "__main__":
    unittest.main()
