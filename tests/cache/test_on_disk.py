#!/usr/bin/python3
"""A cache whose entries stay in its file: every solver that works by passes gives the bits it gives in memory, for any number of threads;
others are refused in a sentence; damage, truncation and change while it is used end the run, and write nothing."""
import json
import os
import random
import signal
import subprocess
import time
import unittest

from cli_support import COMMAND, CommandTest

DISK = ("--on-disk", "--block", "1")  # blocks as small as the file's checksums allow: 65,536 entries


def text(rows, features, entries, seed=1):
    draw = random.Random(seed)
    x = [draw.gauss(0, 1) if j % 5 == 0 else 0 for j in range(features)]
    out = []
    for i in range(rows):
        js = sorted(draw.sample(range(features), entries))
        a = [draw.randrange(-99, 99) / 64 for _ in js]
        s = sum(v * x[j] for v, j in zip(a, js)) + draw.gauss(0, 1)
        out.append(f"{1 if s > 0 else -1}" + "".join(f" {j + 1}:{v}" for j, v in zip(js, a)) + "\n")
    return "".join(out)


SPARSE, FULL = text(21000, 40, 25), text(10500, 50, 50)  # nine blocks each, of which seven are in memory with two threads


class OnDisk(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("s.svm", SPARSE)
        self.write("f.svm", FULL)
        names = "".join(f"x{j}," for j in range(50)) + "label\n"
        self.write("d.csv", names + "".join(",".join(p.split(":")[1] for p in line.split()[1:]) + "," + line.split()[0] + "\n"
                                            for line in FULL.splitlines()))
        for name, source in (("s", "s.svm"), ("f", "f.svm"), ("d", "d.csv")):
            self.spdhg("convert", source, "-o", name + ".spd")

    def fitted(self, *words):
        self.spdhg("fit", *words, "-o", "m.json", "--force", "-q")
        model = json.loads(self.read("m.json"))
        return {k: v for k, v in model.items() if k not in ("seconds", "checksum", "created")}

    def same(self, *words):
        before = self.fitted(*words)
        for threads in (1, 2):
            after = self.fitted(*words, "--threads", threads, *DISK)
            self.assertEqual(json.dumps(before, sort_keys=True), json.dumps(after, sort_keys=True), " ".join(map(str, words)))

    def test_same_bits(self):
        chain, l1 = ("--structure", "chain", "--lambda", "1e-3"), ("--structure", "identity", "--lambda", "1e-3")
        for solver in ("fista", "cd-newton", "prox-newton"):
            self.same("s.spd", "--solver", solver, "--epochs", "3", *l1)
        for solver in ("pd3o", "condat-vu", "lpdhg", "alm-ssn", "ws-newton", "gadm", "pdhg-adaptive"):
            self.same("s.spd", "--solver", solver, "--epochs", "3", *chain)
        for data in ("s.spd", "f.spd", "d.spd"):
            self.same(data, "--loss", "squared", "--intercept", *chain, "--solver", "prox-newton")
            self.same(data, "--solver", "pd3o", "--epochs", "3", "--test-fraction", "0.2", *chain)

    def test_auto_proves_the_optimum(self):
        for data in ("s.spd", "d.spd"):
            self.spdhg("fit", data, "--structure", "chain", "--lambda", "1e-3", "-o", "m.json", "--force", "-q")
            memory = json.loads(self.read("m.json"))
            self.spdhg("fit", data, "--structure", "chain", "--lambda", "1e-3", *DISK, "-o", "m.json", "--force", "-q")
            disk = json.loads(self.read("m.json"))
            self.assertAlmostEqual(memory["objective"], disk["objective"], delta=2e-5 * memory["objective"])

    def test_limit_decides(self):
        done = self.spdhg("fit", "s.spd", "--max-memory", "6M", "--block", "1", "--threads", "1", "--lambda", "1e-3", "--epochs", "2",
                          "--solver", "lpdhg", "-o", "m.json")
        self.assertIn("objective", done.out)
        self.spdhg("fit", "s.spd", "--max-memory", "2M", "--lambda", "1e-3", "-o", "m.json", "--force", status=6)
        done = self.spdhg("path", "s.spd", "--on-disk", "-o", "m.json", "--force", status=2)
        self.assertIn("fit, predict and inspect", done.err)

    def test_refused(self):
        for solver in ("spdhg", "saga-pd3o", "lasso", "interior", "ipm"):
            done = self.spdhg("fit", "s.spd", "--solver", solver, "--lambda", "1e-3", *DISK, status=2)
            self.assertIn("stay on disk", done.err)
            self.assertIn("fista", done.err)
        self.assertIn("--standardize", self.spdhg("fit", "s.spd", "--standardize", *DISK, status=2).err)

    def test_predict_and_inspect(self):
        self.spdhg("fit", "s.spd", "--lambda", "1e-3", "-o", "m.json", "-q")
        for verb in (("predict", "m.json", "s.spd"), ("inspect", "s.spd")):
            memory, disk = self.spdhg(*verb).out, self.spdhg(*verb, *DISK).out
            if verb[0] == "predict":
                self.assertEqual(memory, disk)
            else:
                told = lambda out: [line for line in out.splitlines() if "read in" not in line and " MB" not in line]
                self.assertEqual(told(memory), told(disk))

    def test_bit_flips(self):
        good = self.read("s.spd")
        for at in range(len(good) // 5, len(good), len(good) // 7):
            bad = bytearray(good)
            bad[at] ^= 1 << at % 8
            self.write("bad.spd", bytes(bad))
            done = self.spdhg("fit", "bad.spd", "--lambda", "1e-3", "-o", "bad.json", *DISK, status=3)
            self.assertIn("corrupt", done.err)
            self.assertFalse(os.path.exists(self.path("bad.json")))

    def start(self, *words):
        run = subprocess.Popen([COMMAND, "fit", "s.spd", "--solver", "lpdhg", "--lambda", "1e-3", *DISK, *words], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while b"epoch" not in run.stdout.readline():
            self.assertIsNone(run.poll())
        return run

    def test_the_file_changes(self):
        for change, status, word in ((lambda file: file.truncate(2000000), 5, b"became shorter"), (self.scribble, 3, b"corrupt")):
            run = self.start("--epochs", "1e9", "-o", "changed.json")
            with open(self.path("s.spd"), "r+b") as file:
                change(file)
            _, err = run.communicate(timeout=120)
            self.assertEqual(run.returncode, status, err)
            self.assertIn(word, err)
            self.assertFalse(os.path.exists(self.path("changed.json")))
            self.spdhg("convert", "s.svm", "-o", "s.spd", "--force")

    @staticmethod
    def scribble(file):
        file.seek(1000000)
        file.write(b"\0" * 1000)

    def test_killed_and_resumed(self):
        words = ("--epochs", "60", "--seed", "3", "--every", "20", "-o", "m.json", "--force")
        whole = self.fitted("s.spd", "--solver", "lpdhg", "--lambda", "1e-3", *words)
        run = self.start(*words, "--checkpoint", "c.ckpt", "--checkpoint-every", "0.01")
        while not os.path.exists(self.path("c.ckpt")) and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        after = self.fitted("s.spd", "--solver", "lpdhg", "--lambda", "1e-3", *words, *DISK, "--resume", "c.ckpt")
        for key in ("objective", "x", "c", "coefficients", "intercept"):
            self.assertEqual(whole.get(key), after.get(key), key)


if __name__ == "__main__":
    unittest.main()
