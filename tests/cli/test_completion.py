# test_completion.py - completion in bash: every verb, every option of a verb, the names of a table, files.
import os
import re
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

    def test_files(self):
        self.write("houses.csv", "")
        self.assertEqual(self.complete("fit", "hou"), ["houses.csv"])


if __name__ == "__main__":
    unittest.main()
