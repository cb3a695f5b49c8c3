# test_cli_data.py - the command's contract for what is wrong with a file: status 3 with the place, nothing left behind.
# The odd inputs are those at which the common readers of the LIBSVM format stop, hang or answer nonsense.
import bz2
import gzip
import json
import lzma
import os
import re
import resource
import subprocess
import unittest

from cli_support import COMMAND, CommandTest, csv, rows, sanitized, svm

GOOD = svm(rows())


class BadData(CommandTest):
    def refused(self, name, content, *says, status=3, verb=("fit",), options=()):
        self.write(name, content)
        done = self.spdhg(*verb, name, *options, "-o", "out.spd", status=status)
        self.assertEqual(done.out, "")
        self.assertEqual(done.err.count("\n"), 1, done.err)
        for text in says:
            self.assertIn(text, done.err)
        self.assertLeft(name)
        os.unlink(self.path(name))
        return done

    def test_numbers_that_are_not_finite(self):
        for word in ["nan", "inf", "-inf", "1e999", "NaN"]:
            self.refused("d.svm", f"{GOOD}1 1:0.5 2:{word}\n", "d.svm:201:9")
            self.refused("d.csv", csv(rows(3)) + f"1,2,3,{word},5,6,-1\n", "d.csv:5:7")

    def test_malformed_libsvm(self):
        self.refused("d.svm", GOOD + "1 1:0,5\n", "d.svm:201:")
        self.refused("d.svm", GOOD + "1 1:0x1p3\n", "d.svm:201:")
        self.refused("d.svm", GOOD + "1 1\n", "d.svm:201:")
        self.refused("d.svm", GOOD + "1:0.5 2:0.5\n", "d.svm:201:")
        self.refused("d.svm", GOOD + "1 3:1 3:2\n", "d.svm:201:")
        self.refused("d.svm", GOOD + "1 2147483648:1\n", "d.svm:201:")
        self.refused("d.svm", GOOD + "1 99999999999999999999:1\n", "d.svm:201:")
        self.refused("d.svm", GOOD + "1 -3:1\n", "d.svm:201:")
        self.refused("d.svm", GOOD.encode() + b"1 1:\x000\n", "d.svm:201:")

    def test_empty_files(self):
        for content in ["", "\n\n", "# only a comment\n"]:
            for verb in [("fit",), ("convert",)]:
                self.refused("d.svm", content, "d.svm", verb=verb, options=("--format", "libsvm"))
        self.refused("d.csv", "a,b,label\n", "d.csv")

    def test_classes(self):
        one = svm(rows(labels=("1", "1")))
        self.refused("d.svm", one, "one class", "--allow-one-class")
        three = svm([(str(i % 3), a) for i, (_, a) in enumerate(rows())])
        self.refused("d.svm", three, "softmax", "0 (67 rows), 1 (67 rows), 2 (66 rows)")
        self.write("one.svm", one)
        self.spdhg("fit", "one.svm", "--allow-one-class", "--solver", "spdhg", "-q")

    def test_truncated_and_corrupt_archives(self):
        for ending, pack in [(".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)]:
            packed = pack(GOOD.encode())
            self.write("good" + ending, packed)
            self.spdhg("inspect", "good" + ending)
            os.unlink(self.path("good" + ending))
            for cut in [len(packed) - 1, len(packed) - 9, len(packed) // 2, 12]:
                self.refused("d.svm" + ending, packed[:cut], "d.svm" + ending)
            for at in range(20, len(packed), len(packed) // 15):
                flipped = bytearray(packed)
                flipped[at] ^= 0x10
                self.refused("d.svm" + ending, bytes(flipped), "d.svm" + ending)

    def test_zstd(self):
        self.write("d.svm", GOOD)
        if subprocess.run(["sh", "-c", "command -v zstd >/dev/null && zstd -q d.svm"], cwd=self.folder).returncode != 0:
            self.skipTest("no zstd command")
        packed = self.read("d.svm.zst")
        self.spdhg("inspect", "d.svm.zst")
        os.unlink(self.path("d.svm"))
        os.unlink(self.path("d.svm.zst"))
        self.refused("d.svm.zst", packed[:-3], "d.svm.zst")

    def test_corrupt_cache(self):
        self.write("d.svm", GOOD)
        self.spdhg("convert", "d.svm", "-o", "d.spd")
        cache = self.read("d.spd")
        os.unlink(self.path("d.svm"))
        os.unlink(self.path("d.spd"))
        for at in range(8, len(cache), len(cache) // 40):
            flipped = bytearray(cache)
            flipped[at] ^= 0x01
            self.refused("d.spd", bytes(flipped), "d.spd")
        self.refused("d.spd", cache[: len(cache) // 2], "d.spd")

    def test_groups_are_refused_not_dropped(self):
        self.write("q.svm", "1 qid:3 1:0.5 2:1\n-1 qid:4 2:0.25\n1 1:2\n")
        for name in ("q.csv", "q.mtx", "q.mat"):
            done = self.spdhg("convert", "q.svm", "-o", name, status=2)
            self.assertIn("cannot hold groups (qid)", done.err)
        self.assertLeft("q.svm")
        self.spdhg("convert", "q.svm", "-o", "q.spd")
        self.spdhg("convert", "q.spd", "-o", "again.svm")
        self.assertEqual(self.read("again.svm"), self.read("q.svm"))

    def test_a_line_of_100_megabytes_is_not_held(self):
        # Blanks, then one entry: a reader that keeps the line needs 100 MB, one that does not a few.
        with open(self.path("long.svm"), "wb") as file:
            file.write(GOOD.encode() + b"1 1:0.5")
            for _ in range(12):
                file.write(b" " * (1 << 23))
            file.write(b"2:0.5\n")
        running = subprocess.Popen([COMMAND, "inspect", "--threads", "1", "long.svm"], cwd=self.folder, stdout=subprocess.PIPE)
        self.assertIn(b"201 rows", running.stdout.read())
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        running.stdout.close()
        self.assertEqual(running.returncode, 0)
        if not sanitized():
            self.assertLess(usage.ru_maxrss, 60000)

    def test_memory_limit_is_refused_early(self):
        self.write("d.svm", GOOD)
        done = self.spdhg("fit", "d.svm", "--max-memory", "1k", "-o", "m.json", status=6)
        self.assertIn("limit", done.err)
        self.write("wide.svm", "1 1:1\n-1 2000000000:1\n")
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        done = self.spdhg("fit", "wide.svm", "-o", "m.json", "--max-memory", "200M", status=6,
                          preexec_fn=None if sanitized() else limit)
        self.assertIn("96 GB of memory, the limit is 200 MB", done.err)  # six vectors of 2e9 doubles
        self.assertLeft("d.svm", "wide.svm")

    def test_what_unpacks_to_more_than_is_free_is_refused(self):
        with open("/proc/meminfo") as real:
            text = re.sub(r"(?m)^MemAvailable:.*", "MemAvailable: 100000 kB", real.read())
        self.write("meminfo", text)
        script = f'mount --bind "$0" /proc/meminfo && exec "{COMMAND}" inspect "$1"'
        if subprocess.run(["unshare", "-m", "mount", "--bind", self.path("meminfo"), "/proc/meminfo"], capture_output=True).returncode:
            self.skipTest("needs to be root, to show another /proc/meminfo")
        for name, row in ("bomb.svm.gz", b"1 1:1 2:1 3:1 4:1\n"), ("bomb.csv.gz", b"1,1,1,1,1,1\n"):
            with gzip.open(self.path(name), "wb", 6) as file:
                for _ in range(60):
                    file.write(row * 100000)
            done = subprocess.run(["unshare", "-m", "sh", "-c", script, self.path("meminfo"), self.path(name)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertRegex(done.stderr, r"needs at least [0-9.]+ MB; [0-9.]+ MB of memory is free")
            self.assertEqual(self.spdhg("inspect", name, "--max-memory", "2G", status=0).err, "")

    def test_wrong_companions_of_the_data(self):
        self.write("d.svm", GOOD)
        self.write("short.txt", "1\n2\n")
        self.write("nan.txt", "1\nnan\n" + "1\n" * 198)
        self.write("negative.txt", "-1\n" + "1\n" * 199)
        for option, name in [("--weights", "short.txt"), ("--weights", "nan.txt"), ("--weights", "negative.txt"),
                             ("--offset", "short.txt"), ("--offset", "nan.txt"), ("--penalty-weights", "short.txt"),
                             ("--targets", "short.txt")]:
            done = self.spdhg("fit", "d.svm", option, name, status=3)
            self.assertEqual(done.err.count("\n"), 1, done.err)
        self.spdhg("fit", "d.svm", "--report", "r.html", "--truth", "short.txt", status=3)
        self.spdhg("fit", "d.svm", "--weights", "none.txt", status=5)
        self.spdhg("fit", "d.svm", "--structure", "edges:none.txt", status=5)

    def test_hostile_models(self):
        self.write("d.svm", GOOD)
        for content in ["", "{}", "[1,2", '{"features": 99999999999}', "\x00" * 50]:
            self.write("m.json", content)
            self.assertIn("m.json", self.spdhg("predict", "m.json", "d.svm", status=3).err)


class OddButGood(CommandTest):
    def rows_of(self, name, *options, **more):
        return json.loads(self.spdhg("inspect", "--json", *options, name, **more).out)

    def test_repaired_inputs(self):
        self.write("d.svm", "\ufeff# comment\r\n\r\n+1 qid:3 2:1 1:2 # tail\r\n-1 qid:3 1:1 3:0   \r\n1 3:1")
        found = self.rows_of("d.svm")
        self.assertEqual((found["rows"], found["features"], found["index_base"]), (3, 3, 1))
        self.assertTrue(found["byte_order_mark"])
        self.assertEqual(found["unsorted_rows"], 1)

    def test_index_zero_makes_the_file_zero_based(self):
        self.write("d.svm", "1 0:1 2:1\n-1 1:1\n")
        found = self.rows_of("d.svm")
        self.assertEqual((found["features"], found["index_base"]), (3, 0))

    def test_duplicates_on_request(self):
        self.write("d.svm", "1 1:1 1:2\n-1 1:1\n")
        for how in ["sum", "last"]:
            self.assertEqual(self.rows_of("d.svm", "--duplicates", how)["nonzeros"], 2)

    def test_names_of_features(self):
        self.write("d.svm", svm(rows(features=3)))
        self.write("names.txt", "age \r\n  height\nweight\nlast\n\n")  # a name more than the rows have features: the last one is in none of them
        self.spdhg("fit", "d.svm", "--names", "names.txt", "-q", "-o", "m.json")
        self.assertEqual(json.loads(self.read("m.json"))["names"], ["age", "height", "weight", "last"])
        for text, says in [("a\nb\n", "2 names"), ("a\n\nb\n", "names.txt:2"), ("x" * 70000 + "\n", "names.txt:1"), ("", "0 names")]:
            self.write("names.txt", text)
            self.assertIn(says, self.spdhg("fit", "d.svm", "--names", "names.txt", "-q", status=3).err)
        self.spdhg("fit", "d.svm", "--names", "nothing", "-q", status=5)

    def test_standard_input(self):
        for content in [GOOD.encode(), gzip.compress(GOOD.encode())]:
            self.assertEqual(self.rows_of("-", input=content)["rows"], 200)

    def test_hostile_file_names(self):
        for name in ["with space.svm", "-dash.svm", "new\nline.svm", "a'b\"c.svm", "ünïcode.svm", "$(x).svm", "%s%n.svm"]:
            self.write(name, GOOD)
            self.spdhg("fit", "-q", "-o", name + ".json", "--report", name + ".html", "--trace", name + ".csv", "--", name)
            self.spdhg("predict", "-o", "labels", "--", name + ".json", name)
            self.write(name, "1 1:nan\n")
            done = self.spdhg("fit", "--", name, status=3)
            self.assertEqual(done.err.count("\n"), 1)
            self.assertIn(name.replace("\n", "\\n"), done.err)


if __name__ == "__main__":
    unittest.main()
