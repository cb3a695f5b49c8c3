# test_mpi.py - one fit by several processes, with every implementation of MPI that is installed: the same bits as by one process, one
# message where one of them fails, and nobody left behind.
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from cli_support import COMMAND, CommandTest

START = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n"], "mpich": ["mpirun.mpich", "-n"]}
BESIDE = os.path.dirname(os.path.realpath(COMMAND))
KINDS = [kind for kind, start in START.items() if shutil.which(start[0]) and os.path.exists(f"{BESIDE}/libspdhg_{kind}.so")]

PROBLEMS = [
    ["--structure", "grid:8x8", "--lambda", "1e-3"],
    ["--loss", "huber:0.1", "--lambda", "0.01", "--gamma", "0.01"],
    ["--structure", "chain", "--lambda", "1e-3", "--set", "nonneg"],
    ["--structure", "chain", "--lambda", "1e-3", "--also-sparse", "0.5", "--solver", "alm-ssn", "--epochs", "30"],
    ["--solver", "cd-newton", "--lambda", "0.01", "--no-intercept"],
    ["--solver", "pd3o", "--structure", "grid:8x8", "--lambda", "1e-3", "--epochs", "12"],
    ["--loss", "poisson", "--solver", "ws-newton", "--structure", "chain", "--lambda", "0.01"],
]


def started(kind, processes, *words):
    own = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # under a sanitizer: what MPI leaks is not what is tested
    return subprocess.Popen([*START[kind], str(processes), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, text=True, start_new_session=True, env=own)


def fitting_below(starter):
    """The processes of the command that the starter, or what it started, has started."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,comm="], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split()[:3] for line in listed.split("\n") if line]
    family = {str(starter)}
    for _ in range(3):
        family |= {pid for pid, parent, _ in rows if parent in family}
    return [pid for pid, _, name in rows if pid in family and name == "spdhg"]


class Mpi(CommandTest):
    @classmethod
    def setUpClass(cls):
        if not KINDS:
            raise unittest.SkipTest("no implementation of MPI")

    def setUp(self):
        super().setUp()
        os.chdir(self.folder)
        self.spdhg("generate", "image", "--height", 8, "--width", 8, "--rows", 9000, "-o", "d.spd")
        draw = random.Random(3)
        rows = [(draw.randrange(4), " ".join(f"{j}:{draw.gauss(0, 0.3):.4f}" for j in range(1, 13))) for _ in range(5000)]
        self.write("counts.svm", "".join(f"{count} {entries}\n" for count, entries in rows))
        self.spdhg("convert", "counts.svm", "-o", "counts.spd")

    def together(self, kind, processes, *words, expect=0):
        process = started(kind, processes, COMMAND, *words)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, expect, err)
        return out, err

    def model(self, path):
        model = json.loads(self.read(path))
        return {key: model[key] for key in model if key not in ("seconds", "checksum", "command")}

    def points(self, path):
        return [{key: row[key] for key in row if key != "seconds"} for row in csv.DictReader(self.read(path).decode().splitlines())]

    def test_the_same_bits(self):
        for number, problem in enumerate(PROBLEMS):
            data = "counts.spd" if "poisson" in problem else "d.spd"
            self.spdhg("fit", data, *problem, "--on-disk", "-o", "one.json", "--trace", "one.csv")
            for kind in KINDS if number < 2 else KINDS[:1]:
                processes = 2 + number % 3 if kind == "openmpi" else 2  # mpich's processes never yield to each other
                out, _ = self.together(kind, processes, "fit", data, *problem, "-o", "all.json", "--trace", "all.csv", "--force")
                self.assertEqual(out.count("model written"), 1)  # one speaks
                self.assertEqual(self.model("all.json"), self.model("one.json"), (kind, processes, problem))
                self.assertEqual(self.points("all.csv"), self.points("one.csv"))

    def test_resumed_by_another_number(self):
        words = ["fit", "d.spd", "--structure", "grid:8x8", "--lambda", "1e-3", "--solver", "pd3o", "--tol", "1e-6"]
        self.spdhg(*words, "--on-disk", "-o", "one.json")
        self.together(KINDS[0], 2, *words, "--epochs", "20", "--checkpoint", "cp", "-o", "part.json", expect=4)
        self.together(KINDS[0], 3, *words, "--resume", "cp", "-o", "all.json")
        self.assertEqual(self.model("all.json")["coefficients"], self.model("one.json")["coefficients"])

    def test_one_failure(self):
        """One process reads a damaged copy: all end, with one message that says which and where, and no model."""
        with open("d.spd", "rb") as good, open("bad.spd", "wb") as bad:
            content = bytearray(good.read())
            content[len(content) * 3 // 4] ^= 1  # among the values of later rows
            bad.write(content)
        with open("one", "w") as script:
            script.write('#!/bin/sh\nfile=d.spd\n[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" != 1 ] || file=bad.spd\n'
                         'exec "$@" fit $file --structure grid:8x8 --lambda 1e-3 -o m.json\n')
        for kind in KINDS:
            process = started(kind, 2, "sh", "one", COMMAND)
            _, err = process.communicate(timeout=300)
            self.assertNotEqual(process.returncode, 0)
            self.assertEqual(err.count("process 1 of 2"), 1, err)
            self.assertIn("bad.spd: corrupt", err)
            self.assertFalse(os.path.exists("m.json"))

    def kill_one(self, kind, draw, words):
        """One of two processes is killed at a random moment; the seconds until nobody is left."""
        process = started(kind, 2, COMMAND, *words, "--checkpoint", "cp", "--checkpoint-every", "0.05", "-o", "part.json")
        line = ""
        while "epoch" not in line:  # the head of the table: the run begins
            line = process.stdout.readline()
            self.assertTrue(line)
        children = fitting_below(process.pid)
        self.assertEqual(len(children), 2)
        time.sleep(0.3 * draw.random())
        began = time.monotonic()
        try:
            os.kill(int(draw.choice(children)), signal.SIGKILL)
        except ProcessLookupError:  # it has ended
            pass
        process.communicate(timeout=120)
        while any(os.path.exists(f"/proc/{pid}") for pid in children):
            self.assertLess(time.monotonic() - began, 120)
            time.sleep(0.05)
        return time.monotonic() - began

    def test_one_dies(self):
        """Nobody is left behind, there is no model, and any number of processes goes on from the checkpoint, to the same bits."""
        words = ["fit", "d.spd", "--structure", "grid:8x8", "--lambda", "1e-3", "--solver", "pd3o", "--epochs", "1000", "--tol", "0"]
        self.spdhg(*words, "--on-disk", "-o", "one.json")
        draw = random.Random(5)
        for kind in KINDS:
            taken = []
            for turn in range(20 if os.environ.get("SPDHG_TEST_ALL") else 1):
                for left in ("cp", "part.json"):
                    if os.path.exists(left):
                        os.remove(left)
                taken.append(self.kill_one(kind, draw, words))
                self.assertFalse(os.path.exists("part.json"))
                if os.path.exists("cp"):
                    self.together(kind, 1 + turn % 3, *words, "--resume", "cp", "-o", "all.json", "--force")
                    self.assertEqual(self.model("all.json")["coefficients"], self.model("one.json")["coefficients"])
            print(f"{kind}: all ended within {max(taken):.1f} s after one was killed, {len(taken)} times", file=sys.stderr)

    def test_folds_are_dealt_out(self):
        """The path, its cross-validation and the model have the bits of one process; one process prints and writes."""
        self.spdhg("generate", "chain", "--rows", 400, "--features", 40, "-o", "path.svm")
        for number, problem in enumerate((["--structure", "chain", "--gammas", "0,0.01"],
                                          ["--structure", "chain", "--repeats", "2", "--folds", "3", "--rule", "1se", "--standardize"],
                                          ["--folds", "0", "--choose", "bic"])):
            words = ["path", "path.svm", "--loss", "squared", "--lambdas", "8", *problem]
            self.spdhg(*words, "-o", "one.json", "--path", "one.csv", "--force")
            for kind in KINDS if number == 0 else KINDS[:1]:
                processes = 3 if kind == "openmpi" else 2
                out, _ = self.together(kind, processes, *words, "-o", "all.json", "--path", "all.csv", "--force")
                self.assertEqual(out.count("model written"), 1)
                self.assertEqual(self.model("all.json"), self.model("one.json"), (kind, problem))
                self.assertEqual(self.points("all.csv"), self.points("one.csv"), (kind, problem))

    def test_a_path_that_fails(self):
        """A lambda_max that is not known, a file that cannot be written: one message, and all end."""
        self.write("separable.svm", "".join(f"{1 if i % 2 else -1} 1:{2 * (i % 2) - 1} 2:{i}\n" for i in range(40)))
        for kind in KINDS:
            _, err = self.together(kind, 2, "path", "separable.svm", "--structure", "trend:1", "--lambda-max", "-1", expect=2)
            self.assertEqual(err.count("spdhg path:"), 1, err)
            _, err = self.together(kind, 2, "path", "separable.svm", "--gamma", "0.1", "--lambdas", "4", "-o", "/nowhere/m.json", expect=5)
            self.assertEqual(err.count("/nowhere"), 1, err)

    def test_a_path_is_interrupted(self):
        """Ctrl-C while folds run: the model so far, written once."""
        self.spdhg("generate", "chain", "--rows", 3000, "--features", 300, "-o", "long.svm")
        start = [*START[KINDS[0]][:1], *(["--mca", "odls_base_sigkill_timeout", "8"] if KINDS[0] == "openmpi" else []), *START[KINDS[0]][1:]]
        process = subprocess.Popen([*start, "2", COMMAND, "path", "long.svm", "--loss", "squared", "--structure", "chain", "--lambdas", "100",
                                    "--repeats", "20", "--tol", "1e-9", "-o", "part.json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.assertIn("at most", process.stdout.readline())
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(self.model("part.json")["outcome"], "stopped by the caller")

    def test_limits_and_refusals(self):
        kind = KINDS[0]
        _, err = self.together(kind, 2, "fit", "d.spd", "--solver", "pd3o", "--tol", "1e-14", "--time", "1", "-o", "m.json", expect=4)
        self.assertIn("--time 1 was reached first", err)
        self.assertTrue(os.path.exists("m.json"))
        _, err = self.together(kind, 2, "graph", "d.spd", "-o", "edges", expect=2)
        self.assertEqual(err.count("only fit and path share their work"), 1)
        _, err = self.together(kind, 2, "fit", "d.spd", "--solver", "sps", expect=2)
        self.assertEqual(err.count("sps"), 1)
        _, err = self.together(kind, 2, "fit", "missing.spd", expect=5)
        self.assertEqual(err.count("missing.spd: cannot open"), 1)
        _, err = self.together(kind, 2, "fit", "d.spd", "-o", "/nowhere/m.json", expect=5)
        self.assertEqual(err.count("/nowhere"), 1)


if __name__ == "__main__":
    unittest.main()
