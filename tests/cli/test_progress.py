# test_progress.py - what a command says while it works: a line with the time left on a terminal, nothing on a pipe unless -v, nothing
# with --quiet; and what is left of a path that is interrupted.
import json
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from cli_support import COMMAND, CommandTest


class Progress(CommandTest):
    def setUp(self):
        super().setUp()
        self.spdhg("generate", "lasso", "--rows", 3000, "--features", 120, "-o", "d.csv")
        self.long_words = ["path", "d.csv", "--loss", "huber", "--lambdas", "5000", "--tol", "1e-12", "--solver", "pd3o", "--threads", "1", "-v"]  # minutes
        self.path_words = ["path", "d.csv", "--loss", "huber", "--lambdas", "60", "--tol", "1e-8", "--threads", "1"]

    def on_a_terminal(self, *words, until=None, width=0):
        """What appears there, with standard output and standard error; Ctrl-C once the pattern has been seen. Width 0: not known."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if width else 0, width, 0, 0))
        process = subprocess.Popen([COMMAND, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        os.close(slave)
        seen, status, deadline = b"", 0, time.monotonic() + 120
        while time.monotonic() < deadline:
            ready, _, _ = select.select([master], [], [], 1)
            try:
                piece = os.read(master, 65536) if ready else b""
            except OSError:  # the other end is closed
                break
            if ready and not piece:
                break
            seen += piece
            if until and re.search(until, seen.decode(errors="replace")):
                process.send_signal(signal.SIGINT)
                until, status = None, 130
        os.close(master)
        self.assertEqual(process.wait(60), status, seen)
        return seen.decode()

    def test_line_on_a_terminal(self):
        drawn = r"\rpath, \d+ %, [\d.]+ s, [\d.]+ (s|min|h) left"  # in a run of minutes, which ends once this is there
        seen = self.on_a_terminal(*self.long_words[:-1], until=drawn)
        self.assertRegex(seen, r"\rreading, \d+ %")
        self.assertRegex(seen, drawn)
        parts = [int(p) for p in re.findall(r"path, (\d+) %", seen)]
        self.assertEqual(parts, sorted(parts))  # one figure for both
        shown = [line.rsplit("\r", 1)[-1] for line in seen.replace("\r\n", "\n").split("\n")]
        self.assertEqual([line for line in shown if re.match("(reading|path,|cross-validation)", line)], [])  # erased
        self.assertNotIn("left", self.on_a_terminal(*self.path_words, "-q"))

    def test_line_on_a_narrow_terminal(self):
        """It never wraps: the next one could not come back to where it began."""
        seen = self.on_a_terminal(*self.long_words[:-1], until=r"\rpath, \d+ %.*\rpath, \d+ %", width=16)
        drawn = re.findall(r"\r((?:reading|path),[^\r\n]*)", seen)
        self.assertGreater(len(drawn), 2)
        self.assertEqual({len(line.rstrip()) for line in drawn if len(line) > 15}, set())
        self.assertTrue(any(len(line) == 15 for line in drawn), drawn)

    def test_signal_while_reading(self):
        """The sentence stands on a line of its own, below the progress."""
        os.mkfifo(self.path("slow.csv"))
        master, slave = pty.openpty()
        process = subprocess.Popen([COMMAND, "fit", "slow.csv"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        with open(self.path("slow.csv"), "w") as pipe:  # it reads now
            pipe.write("a,b,y\n")
            pipe.flush()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)
        os.close(slave)
        self.assertIn("\r\nspdhg: interrupted; files that were not complete are as before\r\n", os.read(master, 65536).decode())
        os.close(master)

    def test_at_once(self):
        """The first line of a path comes before its work, also on a pipe."""
        process = subprocess.Popen([COMMAND, *self.long_words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = process.stdout.readline().decode()
        self.assertEqual(first, "path: at most 5000 values of lambda for 3000 rows and 120 features, each in 5 folds too\n")
        self.assertIsNone(process.poll())
        process.kill()
        process.communicate(timeout=120)

    def test_pipes_are_left_alone(self):
        done = self.spdhg(*self.path_words[:4], "--lambdas", 5)
        self.assertEqual(done.err, "")
        done = self.spdhg(*self.path_words[:4], "--lambdas", 5, "-q")
        self.assertEqual((done.out, done.err), ("", ""))

    def test_interrupted_path_compares_nothing(self):
        """Ctrl-C before cross-validation: the model is of a lambda that was reached, and none is called the best."""
        for more in ([], ["--json"]):
            process = subprocess.Popen([COMMAND, *self.long_words, "-o", "m.json", "--report", "p.html", *more], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            begun = 0
            while begun < 3:  # each lambda begins with this line: two are solved, and thousands are left
                line = process.stderr.readline()
                self.assertTrue(line)
                begun += b"pd3o: L =" in line
            process.send_signal(signal.SIGINT)
            out, err = (text.decode() for text in process.communicate(timeout=120))
            self.assertEqual(process.returncode, 130, err)
            self.assertNotIn("folds, 1 times", err)  # cross-validation had not begun
            page, model = self.read("p.html").decode(), json.loads(self.read("m.json"))
            self.assertIn("The path was interrupted before its", page)
            self.assertNotIn("was chosen", page)
            self.assertIn("rows it was fitted to", page)
            if more:
                got = json.loads(out)
                self.assertEqual((got["lambda_min"], got["lambda_1se"], got["cv_loss"]), (None, None, None))
                self.assertIn(model["lambda"], got["lambdas"])
            else:
                self.assertNotRegex(out, "best loss|within one standard error|chosen")
                self.assertIn("interrupted before lambdas were compared; the model is of: lambda", out)


if __name__ == "__main__":
    unittest.main()
