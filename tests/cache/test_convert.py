#!/usr/bin/python3
"""`spdhg convert` of LIBSVM text into the cache, in constant memory: bytes, bound, mistakes, signals, a full disk, a reader that leaves."""
import os
import resource
import signal
import subprocess
import unittest

from cli_support import COMMAND, CommandTest, sanitized

PIECE = "".join(f"{1 if i % 3 else -1} " + " ".join(f"{j}:{(i * j % 997) / 64}" for j in range(1 + i % 5, 400, 9)) + "\n" for i in range(10000))


class Convert(CommandTest):
    def pieces(self, count, last=""):
        with open(self.path("d.svm"), "w") as file:  # not all of it at once: what Python holds would count as the command's
            for _ in range(count):
                file.write(PIECE)
            file.write(last)

    def test_bound_and_bytes(self):
        """The memory needed is less than the cache is large, and does not depend on that."""
        self.pieces(16)
        run = subprocess.Popen([COMMAND, "convert", self.path("d.svm"), "-o", self.path("d.spd")])
        _, status, used = os.wait4(run.pid, 0)
        self.assertEqual(status, 0)
        size = os.path.getsize(self.path("d.spd"))
        self.assertGreater(size, 80e6)
        if not sanitized():
            self.assertLess(used.ru_maxrss * 1024, 60e6)
        with open(self.path("d.svm"), "rb") as text:
            self.spdhg("convert", "-", "-o", "pipe.spd", stdin=text)
        with open(self.path("out.spd"), "wb") as out:
            self.spdhg("convert", "d.svm", "-o", "-", "--to", "cache", stdout=out)
        self.assertEqual(subprocess.run(["cmp", "d.spd", "pipe.spd"], cwd=self.folder).returncode, 0)
        self.assertEqual(subprocess.run(["cmp", "d.spd", "out.spd"], cwd=self.folder).returncode, 0)
        self.assertIn("160000", self.spdhg("inspect", "d.spd").out.replace(",", ""))

    def test_a_bad_row_near_the_end(self):
        self.pieces(6, "1 1:1 2:x\n")
        self.write("d.spd", "as before")
        done = self.spdhg("convert", "d.svm", "-o", "d.spd", "--force", status=3)
        self.assertIn("d.svm:60001:7: ", done.err)
        self.assertEqual(self.read("d.spd"), b"as before")
        self.assertLeft("d.svm", "d.spd")

    def test_disk_full(self):
        """A limit on the size of files: it is reached by a section while it grows, or by the file as it is put together."""
        self.pieces(4)
        for most in (1 << 20, 15 << 20):
            limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
            done = self.spdhg("convert", "d.svm", "-o", "d.spd", status=5, preexec_fn=limit)
            self.assertIn("d.spd", done.err)
            self.assertLeft("d.svm")
        self.spdhg("convert", "d.svm", "-o", "/dev/full", "--to", "cache", status=5)

    def test_signals(self):
        self.write("d.svm", PIECE)
        for number in (signal.SIGINT, signal.SIGTERM):
            run = subprocess.Popen([COMMAND, "convert", "-", "-o", self.path("d.spd")], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            run.stdin.write(PIECE.encode())
            run.stdin.flush()
            run.send_signal(number)
            _, err = run.communicate()
            self.assertEqual(run.returncode, 128 + number)
            self.assertIn(b"as before", err)
            self.assertLeft("d.svm")

    def test_a_reader_that_leaves(self):
        self.pieces(4)
        run = subprocess.run(["bash", "-c", f"{COMMAND} convert d.svm -o - --to cache | head -c 1000 > /dev/null; echo ${{PIPESTATUS[0]}}"],
                             cwd=self.folder, capture_output=True, text=True)
        self.assertIn(run.stdout.strip(), ("5", "141"))
        self.assertLeft("d.svm")


if __name__ == "__main__":
    unittest.main()
