"""The program with all mutants, and one test with one mutant, for mutation.py."""
import glob
import hashlib
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import mutants as the

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "mutation")
TREE, MADE, HITS, COMPILED = (os.path.join(BUILD, name) for name in ("tree", "made", "hits", "compiled.json"))
PYTHON = "/usr/bin/python3"  # the one that has numpy


def write_if_new(path, content):
    """Files that are the same keep their time, so that little is compiled again."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == content:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def copy_tree(mutated):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in listed.split("\n"):
        path = os.path.join(ROOT, name)
        if not os.path.isfile(path) or name in mutated and os.path.exists(os.path.join(TREE, name)):
            continue
        with open(path, "rb") as file:
            write_if_new(os.path.join(TREE, name), file.read())
        if os.access(path, os.X_OK):
            os.chmod(os.path.join(TREE, name), 0o755)


def quietly(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"mutation.py: {' '.join(words)}\n{done.stdout[-4000:]}")


def compiler_words():
    made = {}
    with open(os.path.join(MADE, "CMakeFiles", "spdhg_objects.dir", "flags.make")) as file:
        for line in file:
            name, _, value = line.partition(" = ")
            made[name] = shlex.split(value)
    return [w for w in made["C_DEFINES"] + made["C_INCLUDES"] + made["C_FLAGS"] if not w.startswith(("-W", "-O"))]


def instrument(sources, work):
    """Which mutants compile is asked once for the same sources."""
    with open(the.__file__, "rb") as tool:
        digest = hashlib.sha256(repr(sorted(sources.items())).encode() + tool.read()).hexdigest()
    if os.path.exists(COMPILED):
        with open(COMPILED) as file:
            known = json.load(file)
        if known["digest"] == digest:
            for number in known["broken"]:
                work[number].fate = "does not compile"
            return
    words = compiler_words()
    for file, text in sources.items():
        path = os.path.join(BUILD, os.path.basename(file))
        the.compiling(text, [m for m in work if m.file == file], path, words, len(work))
        with open(path, "rb") as made:
            write_if_new(os.path.join(TREE, file), made.read())
        os.remove(path)
    with open(COMPILED, "w") as file:
        json.dump({"digest": digest, "broken": [m.number for m in work if m.fate]}, file)


def build(sources, work, tests):
    """Mutants that do not compile get their fate; the others are in the command and the programs among tests."""
    copy_tree(sources)
    quietly(["cmake", "-S", TREE, "-B", MADE, "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release", "-DSPDHG_BINDINGS=OFF", "-DCMAKE_C_FLAGS=-w"])
    instrument(sources, work)
    programs = sorted({t for t in tests if not t.split()[0].endswith(".py")})
    quietly(["cmake", "--build", MADE, "-j", "2", "--target", "spdhg_command", *programs])


class Test:
    """A test of the table; what it reaches and what it takes is measured when it first runs, unchanged."""

    def __init__(self, words):
        name, *only = words.split()
        self.name = words
        if name.endswith(".py"):
            [path] = glob.glob(os.path.join(TREE, "tests", "*", name))
            self.words = [PYTHON, path, os.path.join(MADE, "spdhg"), *only]
        else:
            self.words = [os.path.join(MADE, name)]
        self.cpu = self.wall = None
        self.hits = b""

    def measure(self, count):
        with open(HITS, "wb") as file:
            file.write(bytes(count))
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        failed = self.fails(None)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.wall, self.cpu = time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if failed:
            sys.exit(f"mutation.py: {self.name} fails, or is skipped, without any mutant")
        with open(HITS, "rb") as file:
            self.hits = file.read()

    def fails(self, number):
        """Whether the test fails with this mutant; a process that computes five times as long as without it has failed."""
        environment = {**os.environ, "SPDHG_TEST_FIRST": "1", "OPENBLAS_NUM_THREADS": "1", "CMOCKA_TEST_ABORT": "1",
                       "PYTHONPATH": os.path.join(TREE, "tests", "support"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("SPDHG_TEST_ALL", None)
        environment |= {"SPDHG_MUTANT_HITS": HITS} if number is None else {"SPDHG_MUTANT": str(number)}
        most = int(5 * self.cpu + 5) if self.cpu is not None else None
        limit = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most))) if most else None
        with tempfile.TemporaryDirectory(prefix="spdhg-mutant-") as folder:
            process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, cwd=folder,
                                       start_new_session=True, preexec_fn=limit)
            try:
                return process.wait(60 + 20 * self.wall if self.wall else None) != 0
            except subprocess.TimeoutExpired:
                return True
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
                except ProcessLookupError:
                    pass
                process.wait()
