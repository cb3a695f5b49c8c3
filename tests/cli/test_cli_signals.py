# test_cli_signals.py - Ctrl-C, SIGTERM and the like leave a whole model and their exit status; limits of the system are survived.
# On a terminal a line is rewritten while a run lasts, and goes away again.
import json
import os
import pty
import resource
import select
import signal
import subprocess
import time
import unittest

from cli_support import COMMAND, CommandTest, rows, sanitized, svm


class Signals(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("d.svm", svm(rows(2000)))

    def start(self, *words, **more):
        return subprocess.Popen([COMMAND, "fit", "d.svm", "--solver", "spdhg", "--epochs", "1e9", *words], cwd=self.folder, **more)

    def await_table(self, running):
        """Reads up to the header of the table: the run has begun."""
        for line in running.stdout:
            if b"epoch" in line:
                return
        self.fail(f"the run ended: {running.stderr.read()}")

    def stopped_by(self, number, status, *words):
        running = self.start("-o", "m.json", *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(running.kill)
        self.await_table(running)
        running.stdout.readline()
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, status, err)
        model = json.loads(self.read("m.json"))
        self.assertEqual(model["features"], 6)
        self.assertLeft("d.svm", "m.json")
        return out.decode()

    def test_interrupt_leaves_a_model(self):
        self.assertIn("interrupted", self.stopped_by(signal.SIGINT, 130))

    def test_terminate_leaves_a_model(self):
        self.stopped_by(signal.SIGTERM, 143)

    def test_hang_up_and_the_limit_of_processor_time_leave_a_model(self):
        self.stopped_by(signal.SIGHUP, 128 + signal.SIGHUP)
        self.stopped_by(signal.SIGXCPU, 128 + signal.SIGXCPU)

    def test_a_second_signal_ends_at_once(self):
        """Stopped, the process notices both when it goes on: the first sets a flag, the second ends it before a model is written."""
        for number in (signal.SIGINT, signal.SIGTERM):
            running = self.start("-o", "m.json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(running.kill)
            self.await_table(running)
            for each in (signal.SIGSTOP, signal.SIGHUP, number, signal.SIGCONT):
                running.send_signal(each)
            running.communicate(timeout=60)
            self.assertIn(running.returncode, (128 + number, 128 + signal.SIGHUP))  # of two that wait the lower number comes first
            self.assertLeft("d.svm")

    def test_interrupt_replaces_an_old_model_by_a_whole_one(self):
        self.spdhg("fit", "d.svm", "--epochs", "1", "-q", "-o", "m.json")
        old = self.read("m.json")
        self.stopped_by(signal.SIGINT, 130)
        self.assertNotEqual(self.read("m.json"), old)

    def test_ignored_interrupts_stay_ignored(self):
        line = f"trap '' INT; exec '{COMMAND}' fit d.svm --solver spdhg --time 1 -q -o m.json"
        running = subprocess.Popen(["sh", "-c", line], cwd=self.folder)
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(timeout=60), 0)

    def test_time_limit(self):
        out = json.loads(self.spdhg("fit", "d.svm", "--solver", "spdhg", "--time", "0.3", "--json", "-q").out)
        self.assertEqual(out["status"], "done")
        self.assertGreater(out["epochs"], 0)


class Limits(CommandTest):
    def limited(self, what, amount, *words):
        self.write("d.svm", svm(rows(2000)))
        return subprocess.run([COMMAND, "fit", "d.svm", *words], cwd=self.folder, capture_output=True, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(what, (amount, amount)))

    @unittest.skipIf(sanitized(), "with sanitizers the program does not load below such a limit")
    def test_no_address_space_is_no_endless_loop(self):
        seen = set()
        for megabytes in (80, 100, 130, 160, 190, 220, 250, 300, 400):
            done = self.limited(resource.RLIMIT_AS, megabytes << 20, "--structure", "chain", "--lambda", "1e-3", "-q")
            self.assertIn(done.returncode, (0, 6), done.stderr)
            if done.returncode:
                self.assertRegex(done.stderr, b"memory|address space")
            seen.add(done.returncode)
        self.assertEqual(seen, {0, 6})

    def test_a_limit_of_file_size_is_an_error_of_writing(self):
        done = self.limited(resource.RLIMIT_FSIZE, 100, "-q", "-o", "m.json")
        self.assertEqual(done.returncode, 5)
        self.assertIn(b"m.json", done.stderr)
        self.assertLeft("d.svm")


class Terminal(CommandTest):
    def seen(self, *words, both):
        """Everything a terminal gets from standard error, and from standard output too if both."""
        self.write("d.svm", svm(rows(2000)))
        master, slave = pty.openpty()
        running = subprocess.Popen([COMMAND, "fit", "d.svm", "--solver", "spdhg", "--time", "1", *words], cwd=self.folder, stderr=slave,
                                   stdout=slave if both else subprocess.PIPE)
        os.close(slave)
        seen = b""
        while running.poll() is None or select.select([master], [], [], 0)[0]:
            if select.select([master], [], [], 0.2)[0]:
                try:
                    seen += os.read(master, 10000)
                except OSError:  # the other end is closed
                    break
        out = running.communicate()[0]
        os.close(master)
        self.assertEqual(running.returncode, 0)
        return seen, out

    def test_progress_line_is_drawn_and_erased(self):
        seen, out = self.seen("--every", "1e9", both=False)
        self.assertIn(b"\repoch ", seen)
        self.assertTrue(seen.endswith(b" \r"), seen[-80:])
        self.assertNotIn(b"\r", out)

    def test_progress_line_is_erased_before_a_row_of_the_table(self):
        seen, _ = self.seen("--every", "200", both=True)
        pieces = seen.replace(b"\r\n", b"\n").split(b"\r")
        drawn = [i for i, piece in enumerate(pieces) if piece.startswith(b"epoch ")]
        self.assertGreater(len(drawn), 0)
        for i in drawn:
            self.assertNotIn(b"\n", pieces[i])
            self.assertTrue(pieces[i + 1].startswith(b"epoch ") or pieces[i + 1].isspace(), pieces[i : i + 2])

    def test_quiet_draws_nothing(self):
        self.assertEqual(self.seen("-q", both=True)[0], b"")


if __name__ == "__main__":
    unittest.main()
