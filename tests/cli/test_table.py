# test_table.py - tables by the names of their columns: in any order, missing, without a header, one rule for the label, files that are
# never overwritten.
import json
import os
import unittest

from table_support import TableTest, table


class Table(TableTest):
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


if __name__ == "__main__":
    unittest.main()
