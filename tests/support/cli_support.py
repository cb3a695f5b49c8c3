# cli_support.py - what the tests of the command share: a folder of their own, running the command, data made here.
# The path of the command is the first argument of every test script.
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

COMMAND = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "spdhg"


def sanitized():
    """Whether the command is built with a sanitizer, whose shadow memory neither counts as ours nor fits into a limit of address space."""
    return b"__asan_init" in subprocess.run(["nm", "-D", COMMAND], stdout=subprocess.PIPE, check=True).stdout


def for_interpreters():
    """Added to the environment of a program without sanitizers, Python or R, that loads the library: theirs is loaded first, and what the
    others' C code leaks is not what is tested."""
    if not sanitized():
        return {}
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    return {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0"}


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="spdhg-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def spdhg(self, *words, status=0, **more):
        """Run the command in the test's folder; its exit status must be `status`."""
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        done = subprocess.run([COMMAND, *map(str, words)], cwd=self.folder, timeout=300, **more)
        done.out = (done.stdout or b"").decode()
        done.err = (done.stderr or b"").decode()
        self.assertEqual(done.returncode, status, f"spdhg {' '.join(map(str, words))}\nstdout: {done.out}\nstderr: {done.err}")
        return done

    def assertLeft(self, *names):
        """Nothing but these files is in the folder: no temporary and no half-written one."""
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))


def rows(count=200, features=6, labels=("-1", "+1"), seed=1):
    """Separable-ish rows: the label is the sign of a_1 - a_2 with a tenth of the labels turned. Lists of (label, values)."""
    draw = random.Random(seed)
    out = []
    for _ in range(count):
        a = [round(draw.gauss(0, 1), 6) for _ in range(features)]
        positive = (a[0] - a[1] > 0) != (draw.random() < 0.1)
        out.append((labels[1] if positive else labels[0], a))
    return out


def svm(table, base=1):
    return "".join(label + "".join(f" {j + base}:{v}" for j, v in enumerate(a)) + "\n" for label, a in table)


def csv(table):
    head = ",".join(f"f{j}" for j in range(len(table[0][1]))) + ",label\n"
    return head + "".join(",".join(map(str, a)) + f",{label}\n" for label, a in table)
