# test_cli_fit.py - fit and predict from the command line: what is printed, written, reproduced, and that the numbers are true.
# The objective and the accuracy are computed again here, from the data and the coefficients in the model file.
import json
import math
import os
import re
import subprocess
import unittest

from cli_support import CommandTest, csv, rows, svm

KEYS = """status solver loss penalty structure lambda gamma samples features outputs structure_rows objective train_loss
penalty_value gap gap_relative gap_kind gap_radius x_radius test_loss test_accuracy epochs iterations seconds read_seconds nonzeros
structure_nonzeros seed version""".split()
TRACE = "solver,repeat,epoch,iteration,seconds,objective,train_loss,test_loss,test_score,gap,dual_norm"


def coefficients(model):
    x = model["coefficients"]
    dense = [0.0] * (model["features"] * model["outputs"])
    for index, value in zip(x["index"], x["value"]):
        dense[index] = value
    return dense


def untimed(content):
    return re.sub(rb'"seconds":[^,}]*', b"", content)


class Fit(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = rows()
        self.write("d.svm", svm(self.table))

    def predict(self, data, model="m.json"):
        head, *lines = self.spdhg("predict", model, data).out.splitlines()
        self.assertEqual(head, "prediction")
        return lines

    def fit(self, *words, data="d.svm"):
        return json.loads(self.spdhg("fit", data, "--json", "-q", *words).out)

    def test_json_is_one_object_with_the_keys(self):
        done = self.spdhg("fit", "d.svm", "--json", "--test-fraction", "0.25", "--solver", "spdhg")
        out = json.loads(done.out)
        self.assertEqual(sorted(out), sorted(KEYS))
        self.assertEqual((out["samples"], out["features"], out["outputs"], out["structure_rows"]), (150, 6, 1, 6))
        self.assertEqual((out["status"], out["gap_kind"], out["epochs"]), ("done", "certified", 10))
        self.assertTrue(out["gap"] > 0 and out["gap_radius"] is None)
        self.assertTrue(0 <= out["test_accuracy"] <= 1)
        self.assertIsNone(self.fit()["test_accuracy"])
        regression = self.fit("--loss", "squared", "--test-fraction", "0.25")
        self.assertEqual(sorted(regression), sorted(set(KEYS) - {"test_accuracy"} | {"test_rmse", "test_r2"}))
        self.assertAlmostEqual(regression["test_rmse"] ** 2 / 2, regression["test_loss"], places=9)

    def test_objective_is_what_the_model_file_gives(self):
        out = self.fit("--structure", "chain", "--lambda", "0.01", "--also-sparse", "2", "--gamma", "0.1", "-o", "m.json")
        model = json.loads(self.read("m.json"))
        x, c = coefficients(model), model["constants"][0]
        loss = 0.0
        for label, a in self.table:
            z = c + sum(u * v for u, v in zip(a, x))
            loss += math.log1p(math.exp(-float(label) * z)) / len(self.table)
        chain = sum(abs(v - u) for u, v in zip(x, x[1:]))
        penalty = 0.01 * chain + 0.02 * sum(map(abs, x))
        self.assertAlmostEqual(out["train_loss"], loss, places=10)
        self.assertAlmostEqual(out["penalty_value"], penalty, places=10)
        self.assertAlmostEqual(out["objective"], loss + penalty + 0.05 * sum(v * v for v in x), places=10)
        self.assertEqual(out["nonzeros"], sum(v != 0 for v in x))

    def test_no_terminal_no_progress_characters(self):
        done = self.spdhg("fit", "d.svm", "-v", "--solver", "spdhg", "--epochs", "30")
        for text in (done.out, done.err):
            self.assertNotRegex(text, r"[\r\x1b\x08]")
        self.assertRegex(done.out, r"epoch +seconds +objective +train loss +\|\|y\|\|")
        self.assertEqual(len(re.findall(r"(?m)^ +\d", done.out)), 31)
        self.assertIn("no model written", done.out.splitlines()[-1])

    def test_quiet_prints_nothing(self):
        done = self.spdhg("fit", "d.svm", "-q", "-o", "m.json")
        self.assertEqual((done.out, done.err), ("", ""))

    def test_label_maps(self):
        for low, high in [("0", "1"), ("1", "2"), ("-1", "+1"), ("2", "10")]:
            self.write("l.svm", svm(rows(labels=(low, high))))
            done = self.spdhg("fit", "l.svm", "-o", "m.json")
            self.assertIn(f"labels: {low} -> -1, {high.lstrip('+')} -> +1\n", done.out)
            predicted = set(self.predict("l.svm"))
            self.assertEqual(predicted, {low, high.lstrip("+")})

    def test_text_labels_of_csv(self):
        table = rows(labels=("no", "yes"))
        self.write("d.csv", csv(table))
        self.assertIn("labels: no -> -1, yes -> +1\n", self.spdhg("fit", "d.csv", "-o", "m.json").out)
        predicted = self.predict("d.csv")
        right = sum(p == label for p, (label, _) in zip(predicted, table)) / len(table)
        self.assertGreater(right, 0.8)

    def test_predict_round_trip(self):
        out = self.fit("-o", "m.json", "--test", "d.svm")
        done = self.spdhg("predict", "m.json", "d.svm", "-o", "labels")
        head, *predicted = self.read("labels").decode().split()
        self.assertEqual(head, "prediction")
        right = sum(float(p) == float(label) for p, (label, _) in zip(predicted, self.table)) / len(self.table)
        self.assertAlmostEqual(out["test_accuracy"], right, places=12)
        self.assertIn(f"accuracy {right:.4f}", done.out)
        metrics = json.loads(self.spdhg("predict", "m.json", "d.svm", "--json").out)
        self.assertAlmostEqual(metrics["accuracy"], right, places=12)
        self.assertEqual(sum(map(sum, metrics["confusion"])), len(self.table))
        self.assertAlmostEqual(metrics["loss"], out["train_loss"], places=10)

    def test_predict_probabilities(self):
        self.spdhg("fit", "d.svm", "-q", "-o", "m.json")
        lines = self.spdhg("predict", "m.json", "d.svm", "--probability").out.splitlines()
        self.assertEqual(lines[0], "prediction,P(-1),P(1)")
        self.assertEqual(len(lines), 201)
        for line in lines[1:]:
            label, low, high = line.split(",")
            self.assertAlmostEqual(float(low) + float(high), 1)
            self.assertEqual(label, "1" if float(high) > 0.5 else "-1")
        self.spdhg("fit", "d.svm", "-q", "--loss", "squared-hinge", "-o", "h.json")
        self.assertIn("logistic", self.spdhg("predict", "h.json", "d.svm", "--probability", "-o", "p", status=2).err)
        self.assertFalse(os.path.exists(self.path("p")))

    def test_predict_without_labels_and_with_fewer_columns(self):
        self.spdhg("fit", "d.svm", "-q", "-o", "m.json")
        self.write("new.svm", "1 1:1\n-1 2:1\n")
        self.assertEqual(self.predict("new.svm"), ["1", "-1"])
        self.write("bare.svm", "1:1\n2:1\n")
        done = self.spdhg("predict", "m.json", "bare.svm")
        self.assertEqual(done.out.split()[1:], ["1", "-1"])
        self.assertIn("no metrics: the data has no targets", done.err)

    def test_several_targets(self):
        self.write("t.txt", "".join(f"{a[0]} {a[1] - a[2]}\n" for _, a in self.table))
        self.fit("--loss", "squared", "--targets", "t.txt", "--lambda", "0", "--epochs", "50", "-o", "m.json")
        done = self.spdhg("predict", "m.json", "d.svm")  # its labels are no targets of this model: numbers, but no metrics
        self.assertIn("no metrics", done.err)
        head, *lines = done.out.splitlines()
        self.assertEqual(head, "prediction_1,prediction_2")
        for line, (_, a) in zip(lines, self.table):
            first, second = map(float, line.split(","))
            self.assertLess(abs(first - a[0]) + abs(second - (a[1] - a[2])), 1)
        self.assertRegex(self.spdhg("predict", "m.json", "d.svm", "--targets", "t.txt").err, r"RMSE \d")

    def test_index_base_is_the_models(self):
        self.write("zero.svm", svm(self.table, base=0))
        self.spdhg("fit", "zero.svm", "-q", "-o", "m.json")
        self.write("part.svm", "1 1:9\n")  # column 1 of a 0-based file is a_2, which speaks against the label +1
        self.assertEqual(self.predict("part.svm"), ["-1"])
        self.write("low.svm", "-1 1:9\n-1 1:5\n")
        self.assertEqual(self.fit("--test", "low.svm", data="zero.svm")["test_accuracy"], 1)

    def test_seed_and_threads_reproduce_the_bits(self):
        def model(*words):
            self.spdhg("fit", "d.svm", "-q", "-o", "m.json", "--structure", "chain", "--epochs", "3", *words)
            return untimed(self.read("m.json"))
        first = model("--seed", "5")
        self.assertEqual(first, model("--seed", "5"))
        self.assertNotEqual(first, model("--seed", "6"))
        for solver in ["spdhg", "lpdhg"]:
            self.assertEqual(model("--solver", solver, "--threads", "1"), model("--solver", solver, "--threads", "2"))

    def test_locale_with_decimal_comma_changes_nothing(self):
        listed = subprocess.run(["locale", "-a"], stdout=subprocess.PIPE).stdout.decode().split()
        comma = [name for name in listed if name.lower().replace("-", "") in ("de_de.utf8", "fr_fr.utf8")]
        outputs = []
        for name in ["C"] + comma:
            environment = dict(os.environ, LC_ALL=name, LANG=name)
            self.spdhg("fit", "d.svm", "--lambda", "0.5", "-q", "-o", "m.json", "--trace", "t.csv", env=environment)
            outputs.append(untimed(self.read("m.json")))
            self.assertEqual(self.read("t.csv").decode().splitlines()[0], TRACE)
            self.assertTrue(all(line.count(",") == 10 for line in self.read("t.csv").decode().splitlines()))
        self.assertEqual(len(set(outputs)), 1)

    def test_tolerance_that_is_not_proven(self):
        done = self.spdhg("fit", "d.svm", "--solver", "spdhg", "--tol", "1e-9", "--epochs", "1", "-o", "m.json", status=4)
        self.assertRegex(done.err, r"(?m)^spdhg fit: .*1e-09.*not proven")
        self.assertTrue(os.path.exists(self.path("m.json")))

    def test_trace_and_report_and_truth(self):
        self.spdhg("generate", "image", "--height", 6, "--width", 5, "--rows", 80, "-o", "g.svm", "--truth", "truth.txt")
        self.assertEqual(len(self.read("truth.txt").split()), 30)
        self.spdhg("fit", "g.svm", "--solver", "spdhg", "--structure", "grid:6x5", "--trace", "t.csv", "--report", "r.html",
                   "--truth", "truth.txt")
        lines = self.read("t.csv").decode().splitlines()
        self.assertEqual(lines[0], TRACE)
        self.assertEqual(float(lines[1].split(",")[2]), 0)
        self.assertGreater(float(lines[-1].split(",")[2]), 0)
        self.assertIn(b"<html", self.read("r.html").lower())

    def test_softmax_weights_offsets_and_conversions(self):
        self.write("3.svm", svm([("abc"[i % 3].replace("a", "1").replace("b", "2").replace("c", "3"), a)
                                 for i, (_, a) in enumerate(self.table)]))
        out = self.fit("--loss", "softmax", data="3.svm")
        self.assertEqual((out["outputs"], out["structure_rows"]), (3, 6))
        self.write("w.txt", "1\n" * 200)
        self.write("o.txt", "0\n" * 200)
        plain, weighted = self.fit(), self.fit("--weights", "w.txt", "--offset", "o.txt")
        self.assertAlmostEqual(plain["objective"], weighted["objective"], delta=0.05)
        for name in ["d.csv", "d.spd", "d.mtx"]:
            self.spdhg("convert", "d.svm", "-o", name)
        self.assertEqual(self.fit(data="d.spd")["objective"], plain["objective"])
        self.assertAlmostEqual(self.fit(data="d.csv")["objective"], plain["objective"], places=12)  # dense: another order


if __name__ == "__main__":
    unittest.main()
