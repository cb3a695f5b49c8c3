# test_descriptors.py - outputs that cannot be written: closed descriptors, a reader that has gone, a file system of a few kilobytes. The status
# says so, no file is half, and what is printed never ends up in a file.
import os
import shutil
import signal
import subprocess
import unittest

from cli_support import COMMAND, CommandTest, rows, svm

USES = {
    "fit": "fit d.svm --solver spdhg --epochs 3 -o m.json --trace t.csv",
    "path": "path d.svm --lambdas 3 -o m.json",
    "graph": "graph d.svm --rho 0.01 -o F.mtx",
    "convert": "convert d.svm -o c.csv",
    "predict": "predict model.json d.svm -o p.csv",
    "inspect": "inspect d.svm",
    "show": "show model.json",
}


class Descriptors(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("d.svm", svm(rows(300)))
        self.spdhg("fit", "d.svm", "--epochs", "1", "-q", "-o", "model.json")

    def made(self):
        """Names and lines of the files that a use has made, which go away."""
        found = {}
        for name in sorted(set(os.listdir(self.folder)) - {"d.svm", "model.json", "small"}):
            found[name] = len(self.read(name).splitlines()), self.read(name)[:20]
            os.unlink(self.path(name))
        return found

    def test_closed(self):
        for use, line in USES.items():
            self.spdhg(*line.split())
            whole = self.made()
            for closed in ((0,), (1,), (2,), (1, 2), (0, 1, 2)):
                script = f"exec '{COMMAND}' {line} " + " ".join(f"{d}{'<' if d == 0 else '>'}&-" for d in closed)
                done = subprocess.run(["sh", "-c", script], cwd=self.folder, capture_output=True, timeout=60)
                self.assertIn(done.returncode, (0, 5), (use, closed, done.stderr))
                if 1 not in closed:
                    self.assertEqual(done.returncode, 0, (use, closed, done.stderr))
                self.assertEqual(self.made(), whole, (use, closed))

    def test_a_reader_that_has_gone(self):
        """As `| head` does: the end is quiet, and of SIGPIPE or status 5, as the shell expects."""
        for use in ("predict", "inspect", "show"):
            line = USES[use].replace(" -o p.csv", "")
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([COMMAND, *line.split()], cwd=self.folder, stdout=write, stderr=subprocess.PIPE, timeout=60,
                                  preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
            os.close(write)
            self.assertIn(done.returncode, (-signal.SIGPIPE, 128 + signal.SIGPIPE, 0, 5), (use, done.stderr))
            self.assertNotIn(b"Traceback", done.stderr)

    def test_a_file_system_of_a_few_kilobytes(self):
        os.mkdir(self.path("small"))
        probe = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=4k none small"]
        if not shutil.which("unshare") or subprocess.run(probe, cwd=self.folder, capture_output=True).returncode != 0:
            self.skipTest("no file system of one's own here")
        for pages in (0, 1, 2, 4, 60):
            for use in ("fit", "path", "convert", "predict"):
                line = USES[use].replace("-o ", "-o small/").replace("--trace ", "--trace small/")
                mount = f"mount -t tmpfs -o size={4 * (pages + 1)}k none small && head -c 4096 /dev/zero > small/taken"
                script = f"{mount}; '{COMMAND}' {line} >out 2>err; echo $? $(ls small | grep -v taken)"
                done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=60)
                status, *left = done.stdout.split()
                message = self.read("err").decode()
                self.assertIn(status, "05", (use, pages, message))
                if status == "5":
                    self.assertRegex(message, "No space left", (use, pages))
                    self.assertEqual([name for name in left if "tmp" in name], [])
                self.assertTrue(status == "5" or left, (use, pages))
                self.assertTrue(pages < 60 or status == "0", (use, pages, message))


if __name__ == "__main__":
    unittest.main()
