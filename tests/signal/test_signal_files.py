# test_signal_files.py - the files of `spdhg denoise`: with --lambda 0 every kind comes back as it was; what is hostile or does not fit is
# refused with a message and the right status, and nothing is written.
from cli_support import COMMAND, CommandTest

import base64
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import unittest
import zlib

try:
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def rounded(text):
    """The fit at lambda 0 is the data but for rounding."""
    return re.sub(r"-?\d+\.\d{9,}", lambda number: f"{float(number.group()):.10g}", text)


class Files(CommandTest):
    def same(self, name, *words):
        out = "out_" + name
        self.spdhg("denoise", name, "--lambda", 0, "-o", out, "-q", *words)
        return out

    def test_tables_keep_their_other_cells(self):
        text = 'id;"a ""b""";v\n"x; y";1.5;7\n"";2;-1e3\n'
        self.write("t.csv", "\ufeff" + text.replace("\n", "\r\n") + "\r\n")
        self.assertEqual(rounded(self.read(self.same("t.csv")).decode()), text.replace("-1e3", "-1000"))

    def test_text_columns(self):
        for content in ["1\n2.5\n\n-3\n", "value\n1\n2.5\n-3\n", "1\n2.5\n-3"]:
            self.write("c.txt", content)
            lines = [line for line in content.split("\n") if line]
            self.assertEqual(rounded(self.read(self.same("c.txt")).decode()).split(), lines)

    def test_standard_streams(self):
        done = self.spdhg("denoise", "-", "--lambda", 0, "-o", "-", input=b"1\n5\n2\n")
        self.assertEqual(rounded(done.out), "1\n5\n2\n")
        self.assertIn("lambda 0", done.err)

    def test_chosen_columns(self):
        self.write("t.csv", "a,b,c\n1,5,x\n2,1,y\n3,7,z\n")
        self.spdhg("denoise", "t.csv", "--column", "b", "--lambda", 100, "-o", "o.csv", "-q")
        rows = [line.split(",") for line in self.read("o.csv").decode().splitlines()]
        self.assertEqual([row[0] + row[2] for row in rows], ["ac", "1x", "2y", "3z"])
        np.testing.assert_allclose([float(row[1]) for row in rows[1:]], [13 / 3] * 3, rtol=1e-9)

    def test_arrays(self):
        rng = np.random.default_rng(0)
        for dtype in ("f8", ">f8", "f4", "i2", ">i4", "u1", "i8", "?"):
            for shape in ((5,), (4, 3), (3, 2, 2)):
                for order in "CF":
                    a = np.asarray(rng.integers(0, 2 if dtype == "?" else 90, shape), dtype=dtype, order=order)
                    np.save(self.path("a.npy"), a)
                    out = np.load(self.path(self.same("a.npy")))
                    self.assertEqual((out.shape, out.dtype), (a.shape, np.dtype("f4" if dtype == "f4" else "f8")))
                    np.testing.assert_allclose(out, a, rtol=1e-6 if dtype == "f4" else 1e-12, atol=1e-12)

    def test_axes_of_an_array(self):
        """The columns of an array are signals; with a grid it is one."""
        a = np.random.default_rng(1).normal(size=(12, 2))
        np.save(self.path("a.npy"), a)
        for words, signals in [([], 2), (["--structure", "grid"], 1), (["--structure", "grid:3x4"], 2)]:
            done = self.spdhg("denoise", "a.npy", "--lambda", 1e3, "-o", "o.npy", "--json", "-q", *words)
            self.assertEqual(len(json.loads(done.out)["signals"]), signals)
            flat = a.mean(axis=0) if signals == 2 else a.mean()
            np.testing.assert_allclose(np.load(self.path("o.npy")), np.broadcast_to(flat, a.shape), atol=1e-6)

    def test_images(self):
        rng = np.random.default_rng(2)
        for mode, shape, dtype in [("L", (5, 7), "u1"), ("LA", (5, 7, 2), "u1"), ("RGB", (4, 3, 3), "u1"), ("RGBA", (3, 4, 4), "u1"), ("I;16", (4, 5), "u2")]:
            pixels = rng.integers(0, np.iinfo(dtype).max + 1, shape).astype(dtype)
            image = Image.fromarray(pixels) if mode in ("L", "I;16") else Image.fromarray(pixels, mode)
            image.save(self.path("i.png"))
            out = Image.open(self.path(self.same("i.png")))
            self.assertEqual((out.mode, out.size), (Image.open(self.path("i.png")).mode, image.size))
            np.testing.assert_array_equal(np.asarray(out), pixels)

    def test_palettes_and_few_bits(self):
        grey = Image.fromarray((np.arange(48, dtype="u1") * 5).reshape(6, 8))
        for image in (grey.convert("P"), grey.convert("1")):
            image.save(self.path("i.png"))
            out = Image.open(self.path(self.same("i.png")))
            np.testing.assert_array_equal(np.asarray(out.convert("RGB")), np.asarray(image.convert("RGB")))

    def test_alpha_stays_and_values_are_cut_off(self):
        pixels = np.random.default_rng(3).integers(0, 256, (6, 6, 4)).astype("u1")
        Image.fromarray(pixels, "RGBA").save(self.path("i.png"))
        self.spdhg("denoise", "i.png", "--lambda", 1, "-o", "o.png", "-q")
        out = np.asarray(Image.open(self.path("o.png")))
        np.testing.assert_array_equal(out[..., 3], pixels[..., 3])
        np.testing.assert_array_equal(out[..., :3], np.broadcast_to(np.rint(pixels[..., :3].astype(float).mean((0, 1))), (6, 6, 3)))

    def test_netpbm(self):
        wide = struct.pack(">6H", 0, 1, 255, 256, 699, 700)
        for content in [b"P2\n# grey\n3 2\n9\n0 1 2\n3 4 9\n", b"P5 3 2 255\n" + bytes([0, 128, 255, 1, 2, 3]), b"P5 3 2 700\n" + wide,
                        b"P3\n1 2\n255\n1 2 3 4 5 6\n", b"P6\n2 1\n255\n\x01\x02\x03\xff\xfe\xfd"]:
            self.write("i.pnm", content)
            self.assertEqual(self.pnm(self.read(self.same("i.pnm"))), self.pnm(content))

    @staticmethod
    def pnm(content):
        """Format, header and values."""
        words, at = [], 0
        while len(words) < 4:
            end = at
            while content[end:end + 1].strip():
                end += 1
            if content[at:at + 1] == b"#":
                end = content.index(b"\n", at)
            elif end > at:
                words.append(content[at:end])
            at = end + (len(words) < 4 or content[:2] in (b"P5", b"P6"))
        if content[:2] in (b"P2", b"P3"):
            return words, [int(v) for v in content[at:].split()]
        return words, list(content[at:])


class Refused(CommandTest):
    def refused(self, status, *words, says):
        self.write("before", "1\n2\n")
        done = self.spdhg("denoise", *words, "-o", "before", status=status)
        self.assertIn(says, done.err)
        self.assertEqual(self.read("before"), b"1\n2\n")
        self.assertEqual(done.err.count("\n"), 1)

    def test_text(self):
        for content, says in [("1\n2x\n", "t:2:1: expected a finite number, found '2x'"), ("a,b\n1,2\n3\n", "t:3:1: 1 cells in this row so far, expected 2"),
                              ("1\ninf\n", "t:2:1: expected a finite number"), ("", "t: no rows"), ("NA\nNA\n", "no column of numbers"),
                              ('"a\n1', "a quote that is never closed"), ("a\nb\n", "no column of numbers")]:
            self.write("t", content)
            self.refused(3, "t", "--lambda", 1, says=says)

    def test_hostile_arrays(self):
        def npy(header, body=b"0" * 16, version=1):
            header = header.encode()
            return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + body

        good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
        for content, says in [(npy(good.replace("2,", "3,")), "not as many as its header says"), (npy(good, b"0" * 17), "not as many"),
                              (npy(good.replace("2,", "4611686018427387904, 2")), "not as many"), (npy(good.replace("<f8", "<c16")), "of a type"),
                              (npy(good.replace("<f8", "|O")), "of a type"), (npy(good.replace("(2,)", "()")), "one to 3 axes"),
                              (npy(good.replace("(2,)", "(0,)")), "one to 3 axes"), (npy(good.replace("(2,)", "(-2,)")), "one to 3 axes"),
                              (npy(good, version=9), "version 1 to 3"), (b"\x93NUMPY\x01\x00\xff\xff{}", "no complete header"),
                              (npy("{}"), "of a type"), (b"\x93NUMPY", "no complete header")]:
            self.write("a.npy", content)
            self.refused(3, "a.npy", says=says)

    def test_hostile_images(self):
        out = io.BytesIO()
        Image.fromarray(np.arange(64, dtype="u1").reshape(8, 8)).save(out, "PNG")
        png = out.getvalue()
        huge = bytearray(png)
        huge[16:24] = struct.pack(">II", 60000, 60000)
        huge[29:33] = struct.pack(">I", zlib.crc32(bytes(huge[12:29])))
        broken = bytearray(png)
        broken[45] ^= 255
        for content, says in [(bytes(huge), "more pixels than its bytes can hold"), (png[:50], "ends too early"), (bytes(broken), "i.png: ")]:
            self.write("i.png", content)
            self.refused(3, "i.png", says=says)
        for content, says in [(b"P5\n2147483647 2147483647\n255\n0", "more than the file has"), (b"P5\n2 2\n255\n000", "more than the file has"),
                              (b"P2\n2 x\n", "i.png:2: expected the height"), (b"P5\n1 1\n70000\n00", "the largest value"), (b"P5 1 1 7 \x09", "pixel value 9")]:
            self.write("i.png", content)
            self.refused(3, "i.png", says=says)

    def test_usage(self):
        self.write("c.txt", "1\n2\n3\n4\n5\n6\n7\n8\n")
        self.write("p.txt", "1\n1\n3\n4\n5\n6\n7\n8\n")
        Image.new("L", (4, 4)).save(self.path("i.png"))
        for words, says in [(["c.txt", "--structure", "grid"], "grid:HxW"), (["i.png", "--structure", "chain"], "an image has a grid"),
                            (["c.txt", "--noise", "1", "--lambda", "1"], "give only one of them"), (["c.txt", "--choose", "cp"], "--noise"),
                            (["c.txt", "--loss", "logistic"], "needs one for numbers"), (["c.txt", "--structure", "trend:1", "--segments", "s.csv"], "chain"),
                            (["c.txt", "--positions", "nowhere"], "no such file"), (["i.png", "--column", "a"], "tables"),
                            (["c.txt", "--folds", "7"], "7 folds of 6"), (["c.txt", "--isotropic"], "grid"), (["c.txt", "--structure", "sphere"], "sphere")]:
            self.refused(2, *words, says=says)
        self.refused(3, "c.txt", "--structure", "trend:1", "--positions", "p.txt", says="values 1 and 2 have the same position 1")
        self.refused(5, "missing.csv", says="No such file")

    def test_the_input_is_never_overwritten(self):
        self.write("c.txt", "1\n2\n9\n")
        os.link(self.path("c.txt"), self.path("link.txt"))
        for name in ("c.txt", "./c.txt", "link.txt"):
            done = self.spdhg("denoise", "c.txt", "-o", name, "--lambda", 1, status=2)
            self.assertIn("is read by this command: nothing was written", done.err)
        done = self.spdhg("denoise", "c.txt", "-o", "c.png", "--lambda", 1, status=2)
        self.assertIn("ends like a PNG image", done.err)
        self.assertEqual(self.read("c.txt"), b"1\n2\n9\n")
        self.write("e.txt", "1 2\n2 3\n")
        for words, name in ((["--positions", "link.txt"], "link.txt"), (["--weights", "link.txt"], "link.txt"), (["--structure", "edges:e.txt"], "e.txt")):
            self.write("d.txt", "4\n5\n6\n")
            done = self.spdhg("denoise", "d.txt", "-o", name, "--lambda", 1, *words, status=2)
            self.assertIn("is read by this command: nothing was written", done.err)
        done = self.spdhg("denoise", "d.txt", "-o", "o.txt", "--segments", "o.txt", "--lambda", 1, status=2)
        self.assertIn("--output and --segments would write the same file", done.err)

    def test_files_of_another_kind_are_not_replaced(self):
        self.write("c.txt", "1\n2\n9\n")
        self.write("t.csv", "day,level\n2026-01-01,1\n2026-01-02,4\n")
        self.write("notes.txt", "my notes\n")
        for option in ("-o", "--segments", "--report"):
            done = self.spdhg("denoise", "c.txt", option, "notes.txt", "--lambda", 1, status=2)
            self.assertIn("nothing was written", done.err)
            self.assertIn("--force", done.err)
        self.assertEqual(self.read("notes.txt"), b"my notes\n")
        for data, out in (("c.txt", "o.txt"), ("t.csv", "o.csv")):
            for _ in range(2):  # the second time over what the first wrote
                self.spdhg("denoise", data, "-o", out, "--segments", "s.csv", "--report", "r.html", "--lambda", .1,
                           *(["--column", "level"] if data == "t.csv" else []))
        self.spdhg("denoise", "c.txt", "-o", "notes.txt", "--lambda", 1, "--force")
        self.assertNotEqual(self.read("notes.txt"), b"my notes\n")

    def test_numbers_of_any_size(self):
        """Values whose squares are no numbers any more are an error, not a crash; a large mean is none."""
        self.write("huge.txt", "1e160\n-1e160\n1e160\n")
        self.spdhg("denoise", "huge.txt", "--lambda", 0.01, "-o", "o.txt", status=7)
        y = 1e6 + np.random.default_rng(1).normal(size=30).cumsum()
        self.write("far.txt", "".join(f"{v!r}\n" for v in y.tolist()))
        self.write("near.txt", "".join(f"{v!r}\n" for v in (y - 1e6).tolist()))
        for name in ("far", "near"):
            self.spdhg("denoise", f"{name}.txt", "--structure", "trend:1", "--choose", "bic", "-o", f"{name}.out", "-q")
        far, near = (np.array(self.read(f"{name}.out").split(), float) for name in ("far", "near"))
        np.testing.assert_allclose(far - 1e6, near, atol=1e-5)

    def test_interrupted(self):
        """What was reached is written."""
        y = np.cumsum(np.random.default_rng(0).normal(size=1200))
        self.write("c.txt", "".join(f"{v!r}\n" for v in y.tolist()))
        run = subprocess.Popen([COMMAND, "denoise", "c.txt", "--structure", "trend:2", "--tol", "1e-12", "-o", "o.txt", "-q"], cwd=self.folder,
                               stderr=subprocess.PIPE)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=120)
        run.stderr.close()
        if run.returncode != 0:  # it may have been done before
            self.assertEqual(run.returncode, 130)
        self.assertEqual(len(self.read("o.txt").split()), 1200)


class Report(CommandTest):
    def test_page(self):
        self.write("t.csv", "a<b,c\n" + "".join(f"{i % 7},{i // 20}\n" for i in range(60)))
        self.spdhg("denoise", "t.csv", "--lambda", 0.01, "--report", "r.html", "-q")
        page = self.read("r.html").decode()
        self.assertIn("a&lt;b", page)
        self.assertEqual(page.count("Data and fit"), 4)  # title and label of two plots
        Image.fromarray(np.arange(60, dtype="u1").reshape(6, 10)).save(self.path("i.png"))
        self.spdhg("denoise", "i.png", "--lambda", 0, "--report", "r.html", "-q")
        page = self.read("r.html").decode()
        for data in re.findall(r"base64,([^']*)", page):
            shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
            np.testing.assert_array_equal(shown, np.rint(np.arange(60).reshape(6, 10) / 59 * 255))


unittest.main()
