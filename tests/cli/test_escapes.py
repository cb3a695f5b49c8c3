# test_escapes.py - names come from strangers: what a file, a column, a label or an option is called never reaches the terminal as
# a control character, neither in what is printed nor in a message.
import subprocess
import unittest

from cli_support import COMMAND, CommandTest

NAME, COLUMN, LABELS = "b\033[31m\r\007.csv", "a\033]0;title\007", ("no\033[2J", "yes")
VERBS = ("fit", "path", "inspect", "convert", "graph", "bound", "denoise", "predict", "show", "report", "race")


class Escapes(CommandTest):
    def setUp(self):
        super().setUp()
        rows = "".join(f"{i % 7},{i * i % 5},{LABELS[i % 3 == 0]}\n" for i in range(40))
        self.write(NAME, f"{COLUMN},b,y\n{rows}")
        self.write("bad" + NAME, "1,2\n3\n")

    def printed(self, *words):
        done = subprocess.run([COMMAND, *words], cwd=self.folder, capture_output=True, timeout=60)
        for text in (done.stdout, done.stderr):
            control = [c for c in text if c < 32 and c not in b"\n\t" or c == 127]
            self.assertEqual(control, [], (words, text))
        return done.stdout + done.stderr

    def test_files(self):
        said = b""
        for verb in VERBS:
            said += self.printed(verb, "missing" + NAME, *(["x.csv"] if verb == "predict" else []))
            said += self.printed(verb, "bad" + NAME, *(["x.csv"] if verb == "predict" else []))
        self.assertGreater(said.count(b"[31m"), len(VERBS))  # the names were printed, without what commands a terminal

    def test_columns_and_labels(self):
        said = self.printed("fit", NAME, "--label", "y", "-o", "m\033[1m.json") + self.printed("show", "m\033[1m.json")
        said += self.printed("inspect", NAME) + self.printed("path", NAME, "--label", "y", "--lambdas", "3")
        self.assertIn(b"]0;title", said)

    def test_words_of_the_command_line(self):
        for words in (["x\033[1m"], ["fit", "--x\033[1m"], ["fit", NAME, "--loss", "x\033[1m"], ["fit", NAME, "--structure", "x\033[1m"],
                      ["fit", NAME, "--solver", "x\033[1m"], ["fit", NAME, "--set", "x\033[1m"], ["fit", NAME, "--label", "x\033[1m"]):
            self.assertIn(b"x", self.printed(*words))


if __name__ == "__main__":
    unittest.main()
