# test_table_cells.py - what cells hold: categories with their order, gaps, words, and the ways in which programs write tables.
import json
import math
import unittest

from table_support import TableTest, table


class Cells(TableTest):
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


if __name__ == "__main__":
    unittest.main()
