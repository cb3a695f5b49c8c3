# test_table.py - the table people have: columns by name in any order, categories, gaps, one rule for the label, files that are never
# overwritten. Scores are computed again here from the model file and the table.
import json
import math
import os
import random
import unittest

from cli_support import CommandTest

CITIES = {"Berlin": 0.0, "Munich": 3.0, "Köln": 1.0}


def houses(count=120, seed=3):
    draw = random.Random(seed)
    out = []
    for i in range(count):
        size, city, floor = round(draw.uniform(2, 15), 2), draw.choice(sorted(CITIES)), draw.choice([1, 2, 3, 10])
        price = round(size + CITIES[city] + 0.5 * floor + draw.gauss(0, 0.2), 3)
        out.append({"key": f"h{i}", "size": size, "city": city, "floor": floor, "price": price})
    return out


def table(rows, names, separator=",", end="\n"):
    return end.join([separator.join(names)] + [separator.join("" if r[n] is None else str(r[n]) for n in names) for r in rows]) + end


class Table(CommandTest):
    NAMES = ["key", "size", "city", "floor", "price"]

    def setUp(self):
        super().setUp()
        self.rows = houses()
        self.write("a.csv", table(self.rows, self.NAMES))

    def fit(self, *words, data="a.csv"):
        self.spdhg("fit", data, "--loss", "squared", "--lambda", 0.001, "-o", "m.json", "--force", *words)
        return json.loads(self.read("m.json"))

    def predictions(self, data, *words):
        head, *lines = self.spdhg("predict", "m.json", data, *words).out.splitlines()
        return head, [line.split(",") for line in lines]

    def score(self, model, row):
        """By the keys of docs/model.md."""
        value = {}
        for column in model["columns"] or model["names"]:
            name = column if isinstance(column, str) else column["name"]
            if isinstance(column, str):
                value[name] = float(row[name])
            elif "levels" in column:
                for level in column["levels"]:
                    value[f"{name}={level}"] = float(str(row[name]) == level)
            else:
                value[name] = column["gap"] if row[name] is None else float(row[name])
                value[f"{name} (missing)"] = float(row[name] is None)
        total = model["constants"][0]
        for i, x in zip(model["coefficients"]["index"], model["coefficients"]["value"]):
            total += x * value[model["names"][i]]
        return total

    def test_shuffled_columns_give_the_same_predictions(self):
        model = self.fit("--id", "key")
        self.assertEqual((model["target"], model["id"], model["version"]), (["price"], "key", 2))
        self.assertEqual(model["columns"], ["size", {"name": "city", "levels": ["Berlin", "Köln", "Munich"], "reference": None, "ordered": False}, "floor"])
        for names in (["price", "floor", "city", "size", "key"], ["city", "junk", "size", "floor"], ["key", "floor", "more", "size", "city"]):
            self.write("b.csv", table([{**r, "junk": 7, "more": "text"} for r in self.rows], names))
            done = self.spdhg("predict", "m.json", "b.csv")
            head, *lines = done.out.splitlines()
            self.assertEqual(head, "key,prediction" if "key" in names else "prediction")
            for line, row in zip(lines, self.rows):
                self.assertAlmostEqual(float(line.split(",")[-1]), self.score(model, row), delta=1e-12)
                if "key" in names:
                    self.assertEqual(line.split(",")[0], row["key"])
            extra = set(names) & {"junk", "more"}
            self.assertEqual("ignored: 1 column that the model does not use" in done.err, bool(extra), done.err)
            self.assertEqual("no metrics: the data has no column 'price'" in done.err, "price" not in names, done.err)

    def test_missing_columns_are_refused_all_of_them(self):
        self.fit("--drop", "key")
        self.write("b.csv", table(self.rows, ["key", "city", "price"]))
        err = self.spdhg("predict", "m.json", "b.csv", "-o", "p", status=3).err
        self.assertIn("2 of the model's 3 columns are missing: 'size', 'floor'", err)
        self.write("c.csv", table([{**r, "Size": r["size"]} for r in self.rows], ["Size", "city", "floor"]))
        self.assertIn("'size'; did you mean 'Size'?", self.spdhg("predict", "m.json", "c.csv", status=3).err)
        self.assertFalse(os.path.exists(self.path("p")))

    def test_test_sets_match_by_name(self):
        self.write("t.csv", table(self.rows, ["price", "floor", "size", "city"]))
        words = ("fit", "a.csv", "--drop", "key", "--loss", "squared", "--json", "-q")
        same = json.loads(self.spdhg(*words, "--test", "a.csv").out)
        other = json.loads(self.spdhg(*words, "--test", "t.csv").out)
        self.assertEqual(same["test_r2"], other["test_r2"])
        self.write("n.csv", table(self.rows, ["floor", "size", "city"]))
        self.assertIn("'price', is missing", self.spdhg(*words, "--test", "n.csv", status=3).err)

    def test_one_label_rule_for_all_verbs(self):
        labelled = [{**r, "dear": "yes" if r["price"] > 10 else "no"} for r in self.rows]
        self.write("l.csv", table(labelled, ["size", "floor", "dear"]))
        self.assertIn("labels: 2 different values: no", self.spdhg("inspect", "l.csv").out)
        self.assertIn("target: 'dear', the last column", self.spdhg("graph", "l.csv", "-o", "g.mtx", "--method", "knn").out)
        self.assertIn("2 2", self.read("g.mtx").decode().splitlines()[1] + " 2 2")
        self.spdhg("convert", "l.csv", "-o", "l2.csv")
        self.assertTrue(self.read("l2.csv").decode().startswith("size,floor,dear\n"))
        self.spdhg("fit", "l.csv", "-q", "-o", "l.json")
        self.assertIn("accuracy", self.spdhg("predict", "l.json", "l.csv").err)
        self.assertIn("accuracy", self.spdhg("predict", "l.json", "l2.csv").err)
        found = json.loads(self.spdhg("inspect", "l.csv", "--json", "--no-label", "--drop", "dear").out)
        self.assertEqual((found["targets"], found["features"]), (0, 2))

    def test_inputs_and_foreign_files_are_never_overwritten(self):
        before = self.read("a.csv")
        self.fit("--drop", "key")
        model = self.read("m.json")
        self.write("notes.txt", "my notes\n")
        for words in (["fit", "a.csv", "--loss", "squared", "--drop", "key", "-o", "a.csv"],
                      ["fit", "a.csv", "--loss", "squared", "--drop", "key", "--coefficients", "./a.csv"],
                      ["path", "a.csv", "--loss", "squared", "--drop", "key", "--path", "a.csv"],
                      ["predict", "m.json", "a.csv", "-o", "a.csv"], ["predict", "m.json", "a.csv", "-o", "m.json"],
                      ["predict", "m.json", "a.csv", "-o", "notes.txt"], ["convert", "a.csv", "--drop", "key", "-o", "a.csv"],
                      ["graph", "a.csv", "--drop", "key", "-o", "a.csv"], ["show", "m.json", "--coefficients", "m.json"],
                      ["fit", "a.csv", "--loss", "squared", "--drop", "key", "--report", "notes.txt"]):
            err = self.spdhg(*words, status=2).err
            self.assertIn("nothing was written", err)
            self.assertIn("--force", err)
        err = self.spdhg("fit", "a.csv", "--drop", "key", "--loss", "squared", "-o", "x", "--trace", "./x", status=2).err
        self.assertIn("--output and --trace would write the same file", err)
        self.assertEqual((self.read("a.csv"), self.read("m.json"), self.read("notes.txt")), (before, model, b"my notes\n"))
        self.spdhg("predict", "m.json", "a.csv", "-o", "notes.txt", "--force")
        self.spdhg("predict", "m.json", "a.csv", "-o", "notes.txt")  # now it holds predictions
        self.assertLeft("a.csv", "m.json", "notes.txt")

    def test_categories_with_order_and_reference(self):
        model = self.fit("--id", "key", "--ordered", "floor", "--reference", "city=Munich")
        city, floor = model["columns"][1:]
        self.assertEqual((city["reference"], city["ordered"], floor["levels"], floor["ordered"]), ("Munich", False, ["1", "2", "3", "10"], True))
        self.assertEqual(model["names"], ["size", "city=Berlin", "city=Köln", "floor=1", "floor=2", "floor=3", "floor=10"])
        words = [{**r, "floor": {1: "low", 2: "mid", 3: "high", 10: "top"}[r["floor"]]} for r in self.rows]
        self.write("w.csv", table(words, self.NAMES))
        self.assertIn("--ordered 'floor=LOWEST<...<HIGHEST'",
                      self.spdhg("fit", "w.csv", "--loss", "squared", "--id", "key", "--ordered", "floor", status=2).err)
        model = self.fit("--id", "key", "--ordered", "floor=low<mid<high<top", data="w.csv")
        self.assertEqual(model["columns"][2]["levels"], ["low", "mid", "high", "top"])
        self.write("u.csv", table([{**words[0], "city": "Paris"}], self.NAMES))
        self.assertIn("'Paris' is not one of the 3 levels of column 'city'", self.spdhg("predict", "m.json", "u.csv", status=3).err)
        _, ((_, value),) = self.predictions("u.csv", "--unseen", "other")
        self.assertAlmostEqual(float(value), self.score(model, {**words[0], "city": "Paris"}), delta=1e-12)

    def test_gaps_in_ordered_levels_and_in_the_first(self):
        """An order that was given has no place for gaps: they are a level of their own, and never what others are compared with."""
        words = [{**r, "floor": "" if i % 11 == 3 else {1: "low", 2: "mid", 3: "high", 10: "top"}[r["floor"]], "city": "" if i % 7 == 2 else r["city"]}
                 for i, r in enumerate(self.rows)]
        self.write("w.csv", table(words, self.NAMES))
        model = self.fit("--id", "key", "--ordered", "floor=low<mid<high<top", "--missing", "mean", "--structure", "categories", data="w.csv")
        city, floor = model["columns"][1:]
        self.assertEqual((city["levels"], city["reference"]), (["(missing)", "Berlin", "Köln", "Munich"], "Berlin"))
        self.assertEqual((floor["levels"], floor["reference"]), (["low", "mid", "high", "top", "(missing)"], "low"))

    def test_gaps(self):
        gaps = [{**r, "size": None if i % 9 == 0 else r["size"], "city": "NA" if i % 13 == 5 else r["city"]} for i, r in enumerate(self.rows)]
        self.write("g.csv", table(gaps, self.NAMES))
        err = self.spdhg("fit", "g.csv", "--id", "key", "--loss", "squared", status=3).err
        self.assertIn("g.csv:2:4: expected a number, found nothing: column 'size' has no value here; --missing drop", err)
        complete = [r for r in gaps if r["size"] is not None and r["city"] != "NA"]
        done = self.spdhg("fit", "g.csv", "--id", "key", "--loss", "squared", "--missing", "drop")
        self.assertIn(f"{len(gaps) - len(complete)} rows with a missing value were left out", done.out)
        self.assertIn(f"data: {len(complete)} rows", done.out)
        sizes = sorted(r["size"] for r in gaps if r["size"] is not None)
        for how, middle in (("mean", math.fsum(sizes) / len(sizes)), ("median", (sizes[(len(sizes) - 1) // 2] + sizes[len(sizes) // 2]) / 2)):
            model = self.fit("--id", "key", "--missing", how, data="g.csv")
            self.assertAlmostEqual(model["columns"][0]["gap"], middle, delta=1e-12)
            self.assertEqual(model["columns"][1]["levels"], ["(missing)", "Berlin", "Köln", "Munich"])
            for row, (key, value) in zip(gaps, self.predictions("g.csv")[1]):
                row = {**row, "city": "(missing)" if row["city"] == "NA" else row["city"]}
                self.assertAlmostEqual(float(value), self.score(model, row), delta=1e-12, msg=key)

    def test_weights_and_offsets_are_columns(self):
        rows = [{**r, "w": 1 + i % 3, "known": round(0.1 * (i % 7), 3)} for i, r in enumerate(self.rows)]
        names = ["size", "w", "floor", "known", "price"]
        self.write("w.csv", table(rows, names))
        self.write("w.txt", "\n".join(str(r["w"]) for r in rows))
        self.write("o.txt", "\n".join(str(r["known"]) for r in rows))
        model = self.fit("--weights", "w", "--offset", "known", data="w.csv")
        self.assertEqual((model["names"], model["offset"]), (["size", "floor"], "known"))
        by_name = self.predictions("w.csv")[1]
        self.write("plain.csv", table(rows, ["floor", "size"]))
        self.assertIn("offset, column 'known', is missing", self.spdhg("predict", "m.json", "plain.csv", status=3).err)
        files = self.fit("--weights", "w.txt", "--offset", "o.txt", "--drop", "w,known", data="w.csv")
        self.assertEqual(files["coefficients"], model["coefficients"])
        for (a,), (b,) in zip(by_name, self.predictions("plain.csv", "--offset", "o.txt")[1]):
            self.assertAlmostEqual(float(a), float(b), delta=1e-12)

    def test_files_as_programs_write_them(self):
        want = self.fit("--drop", "key,city")["coefficients"]["value"]
        names = ["size", "floor", "price"]
        text = table(self.rows, names)
        comma = table([{n: str(r[n]).replace(".", ",") for n in names} for r in self.rows], names, ";")
        variants = {"semicolon": table(self.rows, names, ";"), "tab": table(self.rows, names, "\t"), "bar": table(self.rows, names, "|"),
                    "blank": table(self.rows, names, "  "), "crlf": table(self.rows, names, end="\r\n"), "bom": "\ufeff" + text,
                    "comment": "# made by a program\n" + text, "decimal comma": comma,
                    "comments": "# made, in 2024,\n# by a program\n\n# in Ulm\n" + text, "comment, blanks": "# made by us all\n" + table(self.rows, names, " "),
                    "numpy": "# " + text, "numpy, blanks": "# " + table(self.rows, names, " "),
                    "r": "".join(f'"{i}",' * (i > 0) + line + "\n" for i, line in enumerate(text.splitlines())),
                    "pandas": "".join(("" if i == 0 else str(i - 1)) + "," + line + "\n" for i, line in enumerate(text.splitlines())),
                    "utf-16": text.encode("utf-16"), "utf-16be": b"\xfe\xff" + text.encode("utf-16-be"), "cr": table(self.rows, names, end="\r"),
                    "excel": text.replace("\n", ",,\n"), "excel, separator named": "sep=;\r\n" + table(self.rows, names, ";", end="\r\n"),
                    "mixed ends": text.replace("\n", "\r\n", 50)}
        for name, content in variants.items():
            self.write("v.csv", content)
            self.assertEqual(self.fit(data="v.csv")["coefficients"]["value"], want, name)

    def test_latin_1(self):
        """Names, levels, labels and ids of a file that is not UTF-8 are written as UTF-8."""
        names = ["key", "größe", "city", "dear"]
        rows = [{"key": f"ü{i}", "größe": r["size"], "city": r["city"], "dear": "très" if r["price"] > 10 else "peu"} for i, r in enumerate(self.rows)]
        for encoding in ("latin-1", "utf-8"):
            self.write("l.csv", table(rows, names).encode(encoding))
            self.spdhg("fit", "l.csv", "--id", "key", "-q", "-o", encoding + ".json")
            self.spdhg("predict", "utf-8.json" if encoding == "utf-8" else "latin-1.json", "l.csv", "-o", encoding + ".txt")
        self.assertEqual(self.read("latin-1.txt"), self.read("utf-8.txt"))
        self.assertTrue(self.read("utf-8.txt").decode().startswith("key,prediction\nü0,"))
        models = [json.loads(self.read(name + ".json")) for name in ("latin-1", "utf-8")]
        self.assertEqual(models[0]["names"], models[1]["names"])

    def test_tables_by_their_content(self):
        """The ending .txt says nothing: R's write.table, bars, a comment above."""
        want = self.fit("--drop", "key,city")["coefficients"]["value"]
        names = ["size", "floor", "price"]
        lines = table(self.rows, names, " ").splitlines()
        of_r = " ".join(f'"{n}"' for n in names) + "\n" + "".join(f'"{i + 1}" {line}\n' for i, line in enumerate(lines[1:]))
        for text in (of_r, "\n".join(lines) + "\n", table(self.rows, names, "|"), "# ours\n" + table(self.rows, names, ";")):
            self.write("v.txt", text)
            self.assertEqual(self.fit(data="v.txt")["coefficients"]["value"], want, text[:40])

    def test_a_column_that_counts_the_rows_is_told(self):
        self.write("n.csv", table([{**r, "nr": i + 1} for i, r in enumerate(self.rows)], ["nr", "size", "floor", "price"]))
        told = "column 'nr' counts the rows: if it is their number, leave it out: --drop 'nr', or --id 'nr'"
        self.assertIn("warning: " + told, self.spdhg("inspect", "n.csv").out)
        for words in (("fit", "n.csv", "--loss", "squared"), ("path", "n.csv", "--loss", "squared", "--lambdas", 5), ("graph", "n.csv", "-o", "g.mtx", "--method", "knn")):
            self.assertIn(told, self.spdhg(*words).err)
            self.assertNotIn("counts the rows", self.spdhg(*words, "--id", "nr").err)

    def test_repeated_ids_are_told(self):
        self.write("i.csv", table([{**r, "key": "a\tb" if i in (4, 7, 9) else r["key"]} for i, r in enumerate(self.rows)], ["key", "size", "floor", "price"]))
        told = "2 rows have the id of an earlier row: rows 5 and 8 are both 'a\\tb'"
        self.assertIn("warning: " + told, self.spdhg("inspect", "i.csv", "--id", "key").out)
        self.assertIn("spdhg fit: " + told, self.spdhg("fit", "i.csv", "--id", "key", "--loss", "squared", "-o", "i.json").err)
        self.assertIn("spdhg predict: " + told, self.spdhg("predict", "i.json", "i.csv").err)
        err = self.spdhg("path", "i.csv", "--id", "key", "--loss", "squared", "--lambdas", 3).err
        self.assertIn(told, err)
        self.assertIn("--fold-groups FILE keeps them there", err)
        self.assertNotIn("earlier", self.spdhg("fit", "i.csv", "--id", "key", "--loss", "squared", "-q").err)
        self.assertNotIn("earlier", self.spdhg("inspect", "a.csv", "--id", "key").out)

    def test_inspect_counts_gaps(self):
        self.write("g.csv", table([{**r, "size": "" if i < 3 else r["size"], "city": "NA" if i == 5 else r["city"]} for i, r in enumerate(self.rows)],
                                  ["size", "city", "price"]))
        told = "warning: 4 values are missing, in 2 of 2 columns: a fit needs --missing mean or median"
        self.assertIn(told, self.spdhg("inspect", "g.csv").out)
        self.assertIn("3 missing values replaced by", self.spdhg("inspect", "g.csv").out)
        self.assertNotIn("a fit needs", self.spdhg("inspect", "g.csv", "--missing", "median").out)
        self.spdhg("inspect", "g.csv", "--missing", "error", status=3)

    def test_words_become_codes_aloud(self):
        self.write("l.csv", table([{**r, "dear": "yes" if r["price"] > 10 else "no"} for r in self.rows], ["size", "floor", "dear"]))
        for name in ("l.svm", "l.mtx"):
            self.assertIn("labels are words, and", out := self.spdhg("convert", "l.csv", "-o", name).out)
            self.assertIn("no -> 0, yes -> 1", out)
        self.assertNotIn("->", self.spdhg("convert", "l.csv", "-o", "l.spd").out)

    def test_header_or_not(self):
        labelled = [{**r, "dear": "yes" if r["price"] > 10 else "no"} for r in self.rows]
        bare = table(labelled, ["size", "floor", "dear"]).split("\n", 1)[1]
        self.write("bare.csv", bare)
        self.assertIn("--no-header", self.spdhg("fit", "bare.csv", status=3).err)
        self.assertIn("data: 120 rows, 2 features", self.spdhg("fit", "bare.csv", "--no-header", "-o", "bare.json").out)
        self.assertIn("accuracy", self.spdhg("predict", "bare.json", "bare.csv", "--no-header").err)
        self.write("two.csv", "".join(",".join(line.split(",")[:2]) + "\n" for line in bare.splitlines()))
        self.assertEqual(len(self.spdhg("predict", "bare.json", "two.csv").out.splitlines()), 121)
        self.write("years.csv", "2019,2020,kind\n" + "".join(f"{r['size']},{r['floor']},{r['dear']}\n" for r in labelled))
        self.assertIn("--header", self.spdhg("fit", "years.csv", status=3).err)
        self.spdhg("fit", "years.csv", "--header", "-q")
        self.write("twice.csv", "a,b,a,y\n1,2,3,4\n")
        self.assertIn("two columns have the same name: 'a' (columns 1 and 3)", self.spdhg("fit", "twice.csv", status=3).err)

    def test_columns_by_number(self):
        """Without a header column N is xN, for the model too: a target in front, columns left out and ids do not shift the others."""
        self.write("bare.csv", table(self.rows, ["price", "key", "size", "floor"]).split("\n", 1)[1])
        self.write("features.csv", table(self.rows, ["size", "floor"]).split("\n", 1)[1])
        self.write("end.csv", table(self.rows, ["size", "key", "floor", "price"]).split("\n", 1)[1])
        want = self.fit("--columns", "size,floor")["coefficients"]["value"]
        expected = self.predictions("a.csv")[1]
        for name, use in (("bare.csv", ("--label", "x1", "--id", "x2")), ("bare.csv", ("--label", "x1", "--drop", "x2")), ("end.csv", ("--drop", "x2"))):
            model = self.fit(*use, "--no-header", data=name)
            self.assertEqual((model["coefficients"]["value"], model["table_columns"]), (want, 4))
            names = ["x3", "x4"] if name == "bare.csv" else ["x1", "x3"]
            self.assertEqual(model["names"], names)
            for of in (name, "features.csv"):
                done = self.spdhg("predict", "m.json", of, "--no-header", "-o", "p.csv", "--force")
                self.assertEqual([line.split(",")[-1] for line in self.read("p.csv").decode().splitlines()[1:]], [row[-1] for row in expected])
                self.assertEqual("R^2" in done.out + done.err, of == name)
            self.assertRegex(self.spdhg("show", "m.json").out, rf"\n{names[0]} +-?\d")
            tested = json.loads(self.spdhg("fit", name, *use, "--no-header", "--loss", "squared", "--test", name, "--json").out)
            self.assertAlmostEqual(tested["test_loss"], tested["train_loss"], delta=1e-12)
        self.write("short.csv", table(self.rows, ["size", "key", "floor"]).split("\n", 1)[1])  # as end.csv without the target at its end
        self.assertIn("no column 'x4'", self.spdhg("predict", "m.json", "short.csv", "--no-header").err)
        self.write("other.csv", table(self.rows, ["size"]).split("\n", 1)[1])
        self.assertIn("fitted to a table of 4 and uses 2 of them", self.spdhg("predict", "m.json", "other.csv", "--no-header", status=3).err)

    def test_a_table_for_features_by_number(self):
        """A model of LIBSVM data has no names: a table with a column too many is refused, not shifted; sparse rows may be wider, aloud."""
        self.spdhg("convert", "a.csv", "--columns", "size,floor", "-o", "a.svm")
        self.spdhg("fit", "a.svm", "--loss", "squared", "-q", "-o", "s.json")
        err = self.spdhg("predict", "s.json", "a.csv", "--id", "key", status=3).err
        self.assertRegex(err, r"\d+ features, but the model has 2, by their number: leave out what is no feature \(--drop NAME")
        self.assertIn("R^2", self.spdhg("predict", "s.json", "a.csv", "--columns", "size,floor").err)
        self.assertIn("by their number", self.spdhg("fit", "a.svm", "--loss", "squared", "--test", "a.csv", "--drop", "key", status=3).err)
        self.write("wide.svm", "3 1:2 2:5\n4 1:1 7:2\n")
        told = "ignored: features that the model does not have, with indices from 3 to 7"
        self.assertIn(told, self.spdhg("predict", "s.json", "wide.svm").err)
        self.assertIn(told, self.spdhg("fit", "a.svm", "--loss", "squared", "--test", "wide.svm").err)

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
