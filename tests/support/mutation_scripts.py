"""Judges mutants by a test script, for mutation.py: one walk through the script serves all of them.

The script runs twice in processes that have the large modules loaded. The first run, unchanged, keeps what every call of the command
takes, reaches and leaves behind. The second walks along: it makes no call but plays back what is known of it, and where a call
reaches mutants that are to be judged, forks for each: the child makes this call with the mutant, and goes on as the script does. So a
mutant costs what lies between the first call that reaches it and the check that fails. What a child asks of the command is played
back too if the words, the files they name and the environment are those of the first run and the call does not reach the mutant.
"""
import hashlib
import itertools
import json  # noqa: F401 - here and below: loaded once, for all children
import mmap
import os
import random  # noqa: F401
import resource
import runpy
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import scipy.optimize  # noqa: F401
import scipy.sparse.linalg  # noqa: F401

SHARE, FLOOR, PATIENCE, MEMORY = 5, 0.5, 1200, 3 << 30  # of CPU time: times and seconds more; seconds at most, so that a busy machine kills none; bytes
ENDLESS = 99  # exit status of a child whose command took more CPU time than it may
PLAYED = {"capture_output", "text", "timeout", "cwd", "check", "stdout", "stderr", "env", "input"}  # options of a call that can be played back
WRITES = {"-o", "--trace", "--path", "--report"}  # options of fit, path and denoise that name what is written


class Shared:
    """The file of mutants.py: which mutant is active, which are reached."""

    def __init__(self, path, size, count):
        with open(path, "wb") as file:
            file.write(struct.pack("i", -1).ljust(size, b"\0"))
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), size)
        self.path, self.count = path, count

    def activate(self, number):
        struct.pack_into("i", self.map, 0, number)

    def mark(self, numbers, value):
        for number in numbers:
            self.map[4 + number] = value

    def take(self):
        """The reached ones, as a set; they are forgotten."""
        hits = np.flatnonzero(np.frombuffer(self.map, np.uint8, self.count, 4))
        self.map[4 : 4 + self.count] = bytes(self.count)
        return frozenset(hits.tolist())


class Call:
    """What a call of the command took, reached and left behind."""

    def __init__(self, key):
        self.key, self.hits, self.cpu, self.files, self.gone = key, frozenset(), None, {}, []


def listing(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            state = os.lstat(path)
            found[path] = (state.st_mtime_ns, state.st_size, state.st_ino)
    return found


def content(path):
    with open(path, "rb") as file:
        return file.read()


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


class Script:
    """One run of a script: mode is "record", "walk", or in a child the number of its mutant."""

    def __init__(self, words, command, folder, shared, environment):
        self.words, self.command, self.folder, self.shared, self.environment = words, command, folder, shared, environment
        self.calls, self.at, self.mode, self.same = [], 0, "record", True
        self.outside = frozenset()  # reached by what is not a call that can be played back
        self.todo, self.tell = set(), None

    # ---- calls of the command

    def key(self, words, options):
        read = list(words)
        if len(words) > 1 and words[1] in ("fit", "path", "denoise"):
            read = [w for before, w in zip([""] + words, words) if before not in WRITES]
        text, parts = "\0".join(read), [repr(words), repr({k: v for k, v in sorted(options.items()) if k not in ("env", "timeout")})]
        env = options.get("env") or os.environ
        parts.append(repr(sorted((k, v) for k, v in env.items() if not k.startswith("SPDHG_MUTANT"))))
        digest = hashlib.sha256("\0".join(parts).encode())
        for path in sorted(listing(self.folder)):
            names = os.path.relpath(path, self.folder).split("/")[1:]  # without the script's own folder
            if any(name in text for name in names):
                digest.update(path.encode() + b"\0" + content(path))
        return digest.hexdigest()

    def run(self, real, words, options):
        """In place of subprocess.run."""
        words = [str(w) for w in words] if isinstance(words, (list, tuple)) else [words]
        if words[0] != self.command or not set(options) <= PLAYED or any(hasattr(options.get(o), "write") for o in ("stdout", "stderr")):
            return real(words if len(words) > 1 else words[0], **options)
        key = self.key(words, options)
        known = self.calls[self.at] if self.same and self.at < len(self.calls) else None
        self.at += 1
        if known is None or known.key != key:
            self.same = self.same and self.mode == "record"
            known = None
        if self.mode == "walk":
            known = known or self.make(real, words, options, key)
            self.fork(known)
        if known and (self.mode == "walk" or self.mode not in known.hits):
            return self.play(known, words, options)
        call = self.make(real, words, options, key, known)
        if self.mode == "record":
            self.calls.append(call)
        return self.finished(call, words, options)

    def make(self, real, words, options, key, known=None):
        call, before = Call(key), listing(self.folder)
        if isinstance(self.mode, int):
            limit = SHARE * (known.cpu if known else self.dearest()) + FLOOR
            env = {**(options.get("env") or os.environ), "SPDHG_MUTANT_CPU": str(int(1e6 * limit))}
            call.done = real(words, **{**options, "env": env, "check": False})
            if call.done.returncode == -signal.SIGPROF:
                os._exit(ENDLESS)
            return call
        self.outside |= self.shared.take()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        call.done = real(words, **{**options, "check": False})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        call.cpu, call.hits = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime, self.shared.take()
        now = listing(self.folder)
        call.files = {path: content(path) for path in now if now[path] != before.get(path)}
        call.gone = [path for path in before if path not in now]
        return call

    def play(self, call, words, options):
        for path, data in call.files.items():
            put(path, data)
        for path in call.gone:
            if os.path.exists(path):
                os.remove(path)
        return self.finished(call, words, options)

    def finished(self, call, words, options):
        done = subprocess.CompletedProcess(words, call.done.returncode, call.done.stdout, call.done.stderr)
        if options.get("check"):
            done.check_returncode()
        return done

    # ---- children

    def fork(self, call):
        numbers = sorted(self.todo & (call.hits if call else self.outside))
        if not numbers:
            return
        self.todo -= set(numbers)
        before = listing(self.folder)
        kept = {path: content(path) for path in before}
        for number in numbers:
            child = os.fork()
            if child == 0:  # goes on with the script; a call that led here is made next, by run
                os.setpgid(0, 0)
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                self.mode = number
                self.shared.activate(number)
                os.environ["SPDHG_MUTANT_CPU"] = str(int(1e6 * (SHARE * self.dearest() + 10 * FLOOR)))  # for what is started otherwise
                return
            status = self.wait(child)
            self.shared.activate(-1)
            self.shared.take()
            now = listing(self.folder)
            for path in now:
                if path not in before:
                    os.remove(path)
            for path, state in before.items():
                if now.get(path) != state:
                    put(path, kept[path])
            before = listing(self.folder)
            self.tell(number, status != 0, os.waitstatus_to_exitcode(status) == ENDLESS)

    def dearest(self):
        return max((call.cpu for call in self.calls), default=1)

    def wait(self, child):
        def late(*_):
            os.killpg(child, signal.SIGKILL)

        signal.signal(signal.SIGALRM, late)
        signal.alarm(PATIENCE)
        _, status = os.waitpid(child, 0)
        signal.alarm(0)
        try:
            os.killpg(child, signal.SIGKILL)  # with all that it has started
        except ProcessLookupError:
            pass
        return status

    # ---- a run

    def execute(self, output):
        """In a child of its own; returns what the run left in the file `output`, or its status where that is not 0."""
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            return status
        status = 1
        try:
            self.prepare()
            try:
                runpy.run_path(self.words[0], run_name="__main__")
                status = 0
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 1 if end.code else 0
            if self.mode == "record":
                self.outside |= self.shared.take()
                output(self.calls, self.outside)
        except BaseException:  # a test that fails
            status = 1
        os._exit(status)

    def prepare(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.environment)
        null = os.open(os.devnull, os.O_RDWR)
        for to in (0, 1, 2):
            os.dup2(null, to)
        tempfile.tempdir, tempfile._name_sequence = self.folder, (f"{n:08d}" for n in itertools.count())
        sys.argv[:] = self.words
        sys.path[:0] = [os.path.dirname(self.words[0]), self.environment["PYTHONPATH"]]
        real, main = subprocess.run, unittest.main
        subprocess.run = lambda words, **options: self.run(real, words, options)
        unittest.main = lambda *words, **options: main(*words, **{**options, "failfast": True})
        self.shared.activate(-1)
        self.shared.take()
        if self.mode == "walk":
            self.fork(None)
