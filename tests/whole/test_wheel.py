#!/usr/bin/python3
# test_wheel.py - what is given to others: the wheel's libraries have names of their own, so that no import order mixes them up with the
# system's, and it needs no newer C library than 2.34; the source distribution holds everything CMake needs. The wheel takes some
# seconds to pack: only with SPDHG_TEST_ALL. Exit 77 without patchelf, setuptools or wheel.
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

BUILD = os.path.dirname(os.path.abspath(sys.argv[1]))
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PACKAGE = os.path.join(ROOT, "bindings", "python")
USE = """
import sys
if sys.argv[1] == "ours": import spdhg
import bz2, lzma, zlib, numpy, scipy.linalg, sklearn.linear_model
if sys.argv[1] != "ours": import spdhg
model = spdhg.StructuredRegressor(structure="chain", alpha=0.01).fit(numpy.eye(6), numpy.arange(6.0))
assert model.gap_relative_ <= 1e-6 and lzma.decompress(lzma.compress(b"x" * 50)) == bz2.decompress(bz2.compress(b"x" * 50))
files = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
print("\\n".join(sorted(files)))
"""
failed = 0


def check(right, what):
    global failed
    if not right:
        failed += 1
        print("FAILED", what)


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=True, **more).stdout


def check_source(folder):
    run(sys.executable, "setup.py", "-q", "sdist", "-d", folder, cwd=PACKAGE)
    (archive,) = glob.glob(os.path.join(folder, "*.tar.gz"))
    with tarfile.open(archive) as tar:
        names = {name.split("/", 1)[1] for name in tar.getnames() if "/" in name}
    for top in ("src", "cli", "cmake", "include", "bindings/python/spdhg", "bindings/python/tools"):
        for name in run("git", "ls-files", top, cwd=ROOT).split() if os.path.exists(os.path.join(ROOT, ".git")) else []:
            check(f"source/{name}" in names, f"the source distribution lacks {name}")
    check({"setup.py", "pyproject.toml", "README.md", "source/CMakeLists.txt"} <= names, "the source distribution lacks its own files")


def check_wheel(folder):
    plain, out, root = (os.path.join(folder, name) for name in ("plain", "out", "root"))
    run(sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", plain, PACKAGE, env=dict(os.environ, SPDHG_BUILD=BUILD))
    os.mkdir(out)
    run(sys.executable, os.path.join(PACKAGE, "tools", "bundle.py"), *glob.glob(os.path.join(plain, "*.whl")), out)
    (wheel,) = glob.glob(os.path.join(out, "*.whl"))
    newest = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)", wheel).groups()))
    check(newest <= (2, 34), f"the wheel needs glibc {newest}")
    zipfile.ZipFile(wheel).extractall(root)
    check(os.path.exists(os.path.join(root, "spdhg", "__init__.pyi")), "the wheel has no stub")
    for first in ("ours", "others"):
        files = run(sys.executable, "-c", USE, first, env=dict(os.environ, PYTHONPATH=root), cwd=folder).split()
        ours = [os.path.basename(f) for f in files if "spdhg.libs" in f]
        check(len(ours) > 8 and all(re.search(r"-[0-9a-f]{8}\.so", name) for name in ours), f"names without a hash: {ours}")
        for module in ("libbz2.so", "liblzma.so"):
            check(any(os.path.basename(f).startswith(module) for f in files), f"{first} first: Python's own {module} is not the system's")


def main():
    if not shutil.which("patchelf") or subprocess.run([sys.executable, "-c", "import setuptools, wheel, cffi"], capture_output=True).returncode:
        sys.exit(77)
    with open(sys.argv[1], "rb") as file:
        if b"libasan" in file.read():
            sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        check_source(folder)
        if os.environ.get("SPDHG_TEST_ALL"):
            check_wheel(folder)
    print(f"{failed} failed")
    sys.exit(failed > 0)


main()
