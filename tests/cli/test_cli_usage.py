# test_cli_usage.py - the command's contract for what is typed wrong, asked for, or cannot be written.
# Exit statuses 0, 2 and 5; every message is one line that names the option and lists what would be right.
import json
import os
import re
import subprocess
import unittest

from cli_support import COMMAND, CommandTest, rows, svm

VERBS = ["fit", "path", "denoise", "race", "predict", "graph", "show", "inspect", "convert", "generate", "bound", "report", "list"]
TOPICS = {"losses": "logistic", "penalties": "nuclear", "structures": "grid", "sets": "simplex", "solvers": "spdhg-sc2",
          "formats": "matrix-market", "kinds": "image", "methods": "quic"}


class Usage(CommandTest):
    def refused(self, *words, says):
        done = self.spdhg(*words, status=2)
        self.assertEqual(done.out, "")
        for text in says:
            self.assertIn(text, done.err)
        self.assertEqual(done.err.count("\n"), 1, done.err)
        return done

    def test_no_verb_and_wrong_verb(self):
        self.assertIn("Verbs:", self.spdhg(status=2).err)
        self.refused("fti", says=["fti", "did you mean 'fit'?", "fit, path, denoise, race, predict, graph, show, inspect"])

    def test_help_names_every_verb_and_version(self):
        text = self.spdhg("--help").out
        for verb in VERBS:
            self.assertRegex(text, rf"\n  {verb} ")
            self.assertEqual(self.spdhg("help", verb).out, self.spdhg(verb, "--help").out)
        for words in (["help"], ["help", "help"], ["help", "--help"], ["-?"]):
            self.assertEqual(self.spdhg(*words).out, text)
        self.assertRegex(self.spdhg("--version").out, r"^spdhg \d+\.\d+\.\d+\n$")

    def test_unknown_option(self):
        done = self.spdhg("fit", "--nonsense", "data", status=2)
        self.assertIn("spdhg fit: unknown option '--nonsense'", done.err)
        for wrong, right in [("--lamda", "--lambda"), ("--penality", "--penalty"), ("--lable", "--label"), ("--reprot=x", "--report")]:
            self.assertIn(f"did you mean {right}?", self.spdhg("fit", wrong, "data", status=2).err)

    def test_numbers_are_checked(self):
        for option in ["--lambda", "--gamma", "--epochs", "--time", "--tol", "--every", "--test-fraction", "--also-sparse"]:
            for value in ["nan", "inf", "1e999", "-1", "1,5", "0x10", "", "3 "]:
                self.refused("fit", "data", option, value, says=[f"spdhg fit: {option}: '{value}'"])
        for option in ["--batch", "--seed", "--threads", "--features"]:
            for value in ["1.5", "-1", "99999999999999999999", "x"]:
                self.refused("fit", "data", option, value, says=[f"{option}: '{value}'", "whole number"])
        self.refused("fit", "data", "--max-memory", "2X", says=["--max-memory", "500M"])
        self.refused("fit", "data", "--test-fraction", "1", says=["--test-fraction"])
        self.refused("fit", "data", "--param", "s", says=["NAME=VALUE"])

    def test_unknown_names_list_the_valid_ones(self):
        self.refused("fit", "data", "--loss", "logit",
                     says=["logit", "logistic, squared, squared-hinge, "])
        self.refused("fit", "data", "--penalty", "l2", says=["l2", "l1, group, linf, nuclear"])
        self.refused("fit", "data", "--structure", "ring", says=["ring", "identity, chain, trend, grid, edges, matrix"])
        self.refused("fit", "data", "--set", "cube", says=["cube", "all, ball, box, nonneg, l1ball, simplex"])
        self.refused("fit", "data", "--solver", "sgd", says=["sgd", "auto, spdhg, spdhg-sc1, spdhg-sc2, lpdhg"])
        self.refused("fit", "data", "--format", "arff", says=["arff", "auto, libsvm"])
        self.refused("fit", "data", "--duplicates", "mean", says=["error, sum, last"])
        self.refused("fit", "data", "--sampling", "cyclic", says=["iid, shuffle"])
        self.refused("list", "loss", says=["losses, penalties"])
        self.refused("generate", "blob", "-o", "x.svm", says=["blob", "image"])

    def test_arguments_are_counted(self):
        self.refused("fit", says=["DATA"])
        self.refused("fit", "a", "b", says=["'b'"])
        self.refused("predict", "model", says=["DATA"])
        self.refused("convert", "data", says=["-o OUT"])
        self.refused("generate", "image", says=["-o OUT"])
        self.refused("fit", "a", "--json", "-o", "-", says=["standard output"])
        self.refused("fit", "a", "--test", "b", "--test-fraction", "0.2", says=["--test-fraction"])

    def test_formats_that_cannot_be_written(self):
        self.refused("convert", "d", "-o", "x", says=["'x'", "--to", "libsvm"])
        self.refused("convert", "d", "-o", "-", says=["'-'", "--to", "libsvm"])
        self.refused("generate", "lasso", "-o", "x.svm", "--to", "arff", says=["--to", "arff", "libsvm"])

    def test_solver_parameter_errors_list_the_valid_ones(self):
        self.write("d.svm", svm(rows()))
        self.refused("fit", "d.svm", "--solver", "spdhg", "--param", "nope=1", says=["nope", "s"])

    def test_lists_show_the_tables(self):
        for topic, member in TOPICS.items():
            self.assertRegex(self.spdhg("list", topic).out, rf"(?m)^  {member}\b")

    def test_manual_and_help_have_the_same_options(self):
        manual = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "spdhg.1")
        with open(manual) as file:
            text = file.read().replace("\\-", "-")
        sections = dict(re.findall(r"(?ms)^\.SH (\w[\w ]*)\n(.*?)(?=^\.SH |\Z)", text))
        shared = set(re.findall(r"--[a-z][a-z0-9-]*", sections["DATA OPTIONS"]))
        problem = set(re.findall(r"--[a-z][a-z0-9-]*", sections["PROBLEM OPTIONS"]))
        for verb in VERBS:
            help_text = self.spdhg(verb, "--help").out
            offered = set(re.findall(r"(?m)^ {2}(?:-\w, |    )(--[A-Za-z][a-z0-9-]*)", help_text)) - {"--help", "--usage", "--version"}
            section = sections[verb.upper()]
            said = set(re.findall(r"(?m)^\.B[RI]? .*?(--[A-Za-z][a-z0-9-]*)", section))
            if verb not in ("denoise", "generate", "report", "list", "show"):
                said |= shared
            if verb in ("fit", "path", "race", "bound"):
                said |= problem
            if verb in ("fit", "path"):
                said |= set(re.findall(r"(?m)^\.B[RI]? .*?(--[a-z][a-z0-9-]*)", sections["SOLVE OPTIONS"]))
            self.assertEqual(offered, said, verb)


class Output(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("d.svm", svm(rows()))

    def test_missing_file(self):
        for words in [("fit", "none.svm"), ("inspect", "none.svm"), ("predict", "none.json", "d.svm"),
                      ("convert", "none", "-o", "x.svm")]:
            done = self.spdhg(*words, status=5)
            self.assertIn("none", done.err)
            self.assertIn("No such file", done.err)
        self.assertLeft("d.svm")

    def test_unwritable_output_is_refused_before_anything_is_read(self):
        for option in ["-o", "--trace", "--report"]:
            done = self.spdhg("fit", "missing.svm", option, "no/such/folder/out", status=5)
            self.assertIn("no/such/folder/out", done.err)
        os.mkdir(self.path("folder"))
        self.assertIn("folder", self.spdhg("fit", "d.svm", "-o", "folder", status=5).err)
        self.assertLeft("d.svm", "folder")

    def test_old_file_survives_a_failure(self):
        old = b'{"format": "spdhg-model", "this": "is old"}'
        self.write("model.json", old)
        self.write("bad.svm", "1 1:nan\n")
        self.spdhg("fit", "bad.svm", "-o", "model.json", status=3)
        self.spdhg("convert", "bad.svm", "-o", "model.json", "--to", "libsvm", "--force", status=3)
        self.assertEqual(self.read("model.json"), old)
        self.assertLeft("d.svm", "bad.svm", "model.json")

    def test_standard_output_full_or_closed(self):
        self.spdhg("fit", "d.svm", "-q", "-o", "m.json")
        for words in [("fit", "d.svm"), ("fit", "d.svm", "--json"), ("predict", "m.json", "d.svm"), ("inspect", "d.svm"),
                      ("list", "losses"), ("--help",), ("fit", "--help"), ("--version",)]:
            with open("/dev/full", "wb") as full:
                done = self.spdhg(*words, status=5, stdout=full)
            self.assertEqual(done.err.count("cannot write"), 1, done.err)
            closed = f'exec "$0" "$@" >&-'
            done = subprocess.run(["sh", "-c", closed, COMMAND, *words], cwd=self.folder, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(done.returncode, 5, done.stderr)
        self.assertLeft("d.svm", "m.json")

    def test_closed_standard_output_does_not_end_up_in_the_model(self):
        subprocess.run(["sh", "-c", 'exec "$0" fit d.svm -o m.json >&-', COMMAND], cwd=self.folder, timeout=60,
                       stderr=subprocess.DEVNULL)
        json.loads(self.read("m.json"))

    def test_reader_of_the_pipe_goes_away(self):
        self.write("big.svm", svm(rows(20000)))
        self.spdhg("fit", "d.svm", "-q", "-o", "m.json")
        for words, status in [("predict --probability m.json big.svm", b"0\n"),
                              ("predict --probability m.json big.svm -o /dev/stdout", b"5\n")]:
            line = f"{{ '{COMMAND}' {words} 2>err; echo $? >status; }} | head -n 1 >/dev/null"
            subprocess.run(["sh", "-c", line], cwd=self.folder, timeout=60)
            self.assertEqual(self.read("status"), status)
            self.assertEqual(b"cannot write" in self.read("err"), status != b"0\n")

    def test_outputs_on_a_full_device(self):
        for option in ["-o", "--trace", "--report"]:
            done = self.spdhg("fit", "d.svm", "-q", option, "/dev/full", status=5)
            self.assertIn("/dev/full", done.err)


if __name__ == "__main__":
    unittest.main()
