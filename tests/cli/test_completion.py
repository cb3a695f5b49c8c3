# test_completion.py - completion: every verb, every option of a verb, the names of a table, files. In bash, and in fish where it is
# installed.
import os
import re
import shutil
import subprocess
import unittest

from cli_support import COMMAND, CommandTest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "completion", "spdhg.bash")


class Completion(CommandTest):
    def complete(self, *words):
        """What bash offers for the last word."""
        line = f'source "{SCRIPT}"; COMP_WORDS=({" ".join(repr(w) for w in ("spdhg", *words))}); COMP_CWORD={len(words)}; _spdhg; printf "%s\\n" "${{COMPREPLY[@]}}"'
        path = os.path.dirname(COMMAND) + ":" + os.environ["PATH"]
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, stdout=subprocess.PIPE, env={**os.environ, "PATH": path}, timeout=60)
        return done.stdout.decode().split()

    def test_verbs(self):
        self.assertEqual(set(self.complete("")) - {"help"}, set(re.findall(r"(?m)^  ([a-z]+) ", self.spdhg("--help").out)) - {"help"})
        self.assertEqual(self.complete("pre"), ["predict"])

    def test_options_are_those_of_the_help(self):
        for verb in ("fit", "path", "predict", "show", "graph", "convert"):
            offered = set(self.complete(verb, "--"))
            self.assertLessEqual(set(re.findall(r"(?m)^ {2}(?:-\w, |    )(--[a-z][a-z-]*)", self.spdhg(verb, "--help").out)), offered, verb)
        self.assertEqual(self.complete("fit", "--lamb"), ["--lambda"])

    def test_names(self):
        self.assertEqual(set(self.complete("fit", "d", "--penalty", "")), {"l1", "group", "linf", "nuclear"})
        self.assertIn("logistic", self.complete("fit", "d", "--loss", ""))
        self.assertIn("categories", self.complete("fit", "d", "--structure", ""))
        self.assertEqual(self.complete("list", "kin"), ["kinds"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        script = os.path.splitext(SCRIPT)[0] + ".fish"
        env = {**os.environ, "PATH": os.path.dirname(COMMAND) + ":" + os.environ["PATH"], "HOME": self.folder}
        for line, offered in (("spdhg pre", ["predict"]), ("spdhg fit --lamb", ["--lambda"]), ("spdhg list kin", ["kinds"]),
                              ("spdhg fit d --penalty nu", ["nuclear"]), ("spdhg generate cha", ["chain"]), ("spdhg help fi", ["fit"])):
            done = subprocess.run(["fish", "--no-config", "-c", f"source '{script}'; complete -C '{line}'"], cwd=self.folder, stdout=subprocess.PIPE, env=env, timeout=60)
            self.assertEqual(done.stdout.decode().split(), offered, line)

    def test_files(self):
        self.write("houses.csv", "")
        self.assertEqual(self.complete("fit", "hou"), ["houses.csv"])


if __name__ == "__main__":
    unittest.main()
