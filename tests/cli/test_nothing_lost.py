# test_nothing_lost.py - what must not destroy or mislead: races beside their data, checkpoints that are shared or damaged, signals, limits
# of memory with many features.
import fcntl
import json
import os
import signal
import subprocess
import time
import unittest

from cli_support import COMMAND, CommandTest, rows, svm


class NothingLost(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("a.svm", svm(rows(100)))

    def begin(self, *words):
        process = subprocess.Popen([COMMAND, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def await_file(self, name):
        for _ in range(600):
            if os.path.exists(self.path(name)):
                return
            time.sleep(0.05)
        self.fail(f"{name} did not appear")

    def test_race_beside_its_data(self):
        os.mkdir(self.path("race"))
        self.write("race/summary.json", svm(rows(50)))
        before = self.read("race/summary.json")
        words = ("--solvers", "pd3o", "--epochs", 1, "--repeats", 1, "-q")
        message = self.spdhg("race", "race/summary.json", *words, "-o", "race", status=2).err
        self.assertIn("race/summary.json is in the folder race, into which this race would write", message)
        self.assertEqual(self.read("race/summary.json"), before)
        self.spdhg("race", "a.svm", *words, "-o", "elsewhere")

    def test_outputs_to_one_file(self):
        for words in (("--trace", "o"), ("--report", "o"), ("--certificate", "o"), ("--checkpoint", "o"), ("--coefficients", "o")):
            message = self.spdhg("fit", "a.svm", "-o", "o", *words, status=2).err
            self.assertIn("would write the same file, o", message)
        self.assertLeft("a.svm")

    def test_memory_with_many_features(self):
        self.write("wide.svm", "1 20000000:1\n-1 1:1\n1 5:2\n")
        for words in (("inspect", "wide.svm"), ("bound", "wide.svm", "--no-intercept", "--set", "ball:3"), ("graph", "wide.svm", "-o", "g.mtx"),
                      ("race", "wide.svm", "--solvers", "pd3o", "-o", "r"), ("fit", "wide.svm", "-o", "m.json")):
            message = self.spdhg(*words, "--max-memory", "300M", status=6).err
            self.assertIn("of 3 rows and 20000000 features needs more than", message)

    def test_rows_without_features(self):
        """A model is its intercept; a path has one, too."""
        self.write("empty.svm", "1\n2\n4\n1\n")
        self.write("zero.svm", "1 1:0\n2 1:0\n4 2:0\n1 2:0\n")
        for data in ("empty.svm", "zero.svm"):
            for words in ((), ("--no-intercept", "--standardize"), ("--gamma", "1e-3")):
                for loss in ("squared", "poisson"):
                    self.spdhg("path", data, "--loss", loss, *words, "--lambdas", 3, "--folds", 2, "-q", "-o", "m.json")
                    for solver in ("auto", "lasso", "cd-newton", *(["fista"] if loss == "squared" else [])):
                        self.spdhg("fit", data, "--loss", loss, *words, "--solver", solver, "--lambda", "0.1", "-q", "-o", "m.json")

    def test_a_signal_while_the_output_is_written(self):
        """Nobody reads yet, so that the signal comes between the first row and the last: all rows come, then a word and the status."""
        self.write("long.svm", svm(rows(40000)))
        self.spdhg("fit", "a.svm", "-q", "-o", "m.json")
        running = self.begin("predict", "m.json", "long.svm")
        self.assertEqual(running.stdout.readline(), "prediction\n")
        running.send_signal(signal.SIGINT)
        lines, err = len(running.stdout.readlines()), running.stderr.read()
        self.assertEqual((running.wait(timeout=60), lines), (130, 40000), err)
        self.assertIn("the output is complete", err)

    def test_a_checkpoint_has_one_writer(self):
        words = ("fit", "a.svm", "--solver", "spdhg", "--epochs", 1000, "-q", "--checkpoint", "c")
        with open(self.path("c.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            message = self.spdhg(*words, status=2).err
            self.assertIn("c: another run is writing this checkpoint", message)
            self.assertFalse(os.path.exists(self.path("c")))
        self.spdhg(*words)  # a lock that is left over does not matter
        self.assertLeft("a.svm", "c")

    def test_a_damaged_checkpoint(self):
        words = ("fit", "a.svm", "--solver", "spdhg", "-q")
        self.spdhg(*words, "--epochs", 2, "--checkpoint", "c")
        self.spdhg(*words, "--epochs", 4, "--resume", "c", "--checkpoint", "c", "-o", "whole.json")
        whole = json.loads(self.read("whole.json"))
        content = bytearray(self.read("c"))
        content[len(content) // 2] ^= 1
        self.write("c", bytes(content))
        done = self.spdhg(*words, "--epochs", 4, "--resume", "c", "-o", "again.json")
        self.assertIn("c is damaged: continuing from the checkpoint before it, c.previous", done.err)
        self.assertEqual(json.loads(self.read("again.json"))["checksum"], whole["checksum"])

    def test_signals_in_verbs_without_a_result_yet(self):
        os.mkfifo(self.path("slow.svm"))
        for verb in (("graph", "slow.svm", "-o", "g.mtx"), ("inspect", "slow.svm"), ("convert", "slow.svm", "-o", "o.spd"),
                     ("fit", "slow.svm", "-o", "m.json")):
            for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                process = self.begin(*verb)
                with open(self.path("slow.svm"), "w") as pipe:  # it waits for the data now
                    pipe.write("1 1:1\n")
                    pipe.flush()
                    process.send_signal(number)
                    _, errors = process.communicate(timeout=60)
                self.assertEqual((process.returncode, errors), (status, "spdhg: interrupted; files that were not complete are as before\n"), verb)
        self.assertLeft("a.svm", "slow.svm")

    def test_an_interrupted_path_says_so(self):
        self.write("b.svm", svm(rows(3000, 60)))
        process = self.begin("path", "b.svm", "--structure", "chain", "--solver", "pd3o", "--tol", "1e-9", "--lambdas", 50, "--folds", 5,
                             "--repeats", 20, "-v", "-o", "p.json", "--path", "p.csv")
        while " lambda" not in (line := process.stderr.readline()) and line:
            pass
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130)
        if os.path.exists(self.path("p.json")):
            self.assertNotIn("best loss", out)
            self.assertEqual(json.loads(self.read("p.json"))["outcome"], "stopped by the caller")


unittest.main()
