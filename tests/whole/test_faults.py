# test_faults.py - one call after another fails: memory, threads, and, through strace, the system calls for files. A verb then ends
# with its exit status and a message, and each of its outputs is the old one or the new one, complete; or the fault did not matter, and
# all outputs are as without it. Clocks stand still (support/faults.c), so outputs are compared byte by byte.
# With SPDHG_TEST_ALL every call fails in its turn, otherwise a part of them. Prints the numbers by verb and call.
import collections
import gzip
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

COMMAND = os.path.abspath(sys.argv[1])
SHIM = os.path.join(os.path.dirname(COMMAND), "libspdhg_faults.so")
ONLY = sys.argv[2] if len(sys.argv) > 2 else None
ALL = bool(os.environ.get("SPDHG_TEST_ALL"))
MEMORY, IO = 6, 5
# What a failing call may lead to. A thread that cannot be started is done without.
PRELOADED = {"malloc": {MEMORY}, "mmap": {MEMORY}, "thread": set()}
# fcntl asks which descriptors are open, close is called when all is written.
TRACED = {"openat": ("EMFILE", {IO}), "read": ("EIO", {IO}), "write": ("ENOSPC", {IO}), "fsync": ("EIO", {IO}), "rename": ("EACCES", {IO}),
          "linkat": ("EACCES", {IO}), "fcntl": ("EINVAL", {IO}), "lseek": ("EINVAL", {IO}), "newfstatat": ("EACCES", {IO})}
VERBS = {
    "fit": "fit a.svm --structure grid:4x4 --lambda 1e-2 --trace o.csv --report o.html --certificate o.cert --json -o o.json",
    "checkpoint": "fit a.svm --structure chain --lambda 1e-2 --epochs 20 --solver pd3o --checkpoint o.cp -q",
    "fit csv": "fit t.csv --label y --lambda 1e-2 --coefficients o.csv -o o.json",
    "path": "path a.svm --structure chain --folds 3 --lambdas 4 --report o.html --path o.csv --json -o o.json",
    "denoise": "denoise s.txt --lambda 0.5 --json -o o.txt",
    "race": "race a.svm --solvers spdhg,pd3o --repeats 2 --epochs 2 --jobs 1 -q -o o",
    "predict": "predict m.json a.svm --json -o o.csv",
    "graph": "graph a.svm --rho 0.1 --json --report o.html -o o.mtx",
    "show": "show m.json",
    "inspect": "inspect a.svm --json --threads 2",
    "convert": "convert a.svm.gz -o o.spd",
    "generate": "generate image --height 3 --width 3 --rows 20 --truth o.truth -o o.svm",
    "bound": "bound a.svm --no-intercept --set ball:3 --t 1000 --json",
    "report": "report trace.csv -o o.html",
}
failures = []


def inputs(folder):
    draw = random.Random(1)
    table = [[round(draw.gauss(0, 1), 3) for _ in range(16)] for _ in range(40)]
    label = [1 if a[0] + a[1] + draw.gauss(0, 1) > 0 else -1 for a in table]
    svm = "".join(f"{b} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(a)) + "\n" for a, b in zip(table, label))
    files = {"a.svm": svm, "s.txt": "".join(f"{a[2] + (i > 20)}\n" for i, a in enumerate(table)),
             "t.csv": "y,colour,u,v\n" + "".join(f"{b},{'red green blue'.split()[i % 3]},{a[0]},{a[1]}\n" for i, (a, b) in enumerate(zip(table, label)))}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    with gzip.open(os.path.join(folder, "a.svm.gz"), "wt") as file:
        file.write(svm)
    subprocess.run([COMMAND, "fit", "a.svm", "--lambda", "1e-2", "-q", "--trace", "trace.csv", "-o", "m.json"], cwd=folder, check=True)


def tree(folder):
    out = {}
    for at, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                out[os.path.relpath(os.path.join(at, name), folder)] = file.read()
    return out


class Verb:
    """A verb with inputs and the outputs of an earlier run beside it, whose bytes must stay or become the new ones."""

    def __init__(self, name, given):
        self.name, self.words, self.given = name, VERBS[name].split(), given
        self.new = self.old = {}
        fresh = self.run({}, [])
        if fresh[0] != 0:
            sys.exit(f"test_faults.py: {name}: {fresh}")
        self.new, self.out = fresh[3], fresh[1]
        # The old outputs: of the same kind, but not the same bytes.
        self.old = {n: b[:-1] + b"  \n" if n.startswith("o") and not n.startswith("o.cp") else b for n, b in self.new.items()}
        if name == "race":
            self.old = {n: b for n, b in self.new.items() if not n.startswith("o")}
        self.new = self.run({}, [])[3]
        self.good = {name: {self.old.get(name), self.new.get(name)} for name in self.new}
        self.good["o.cp"] = self.good["o.cp.previous"] = {files.get(n) for files in (self.old, self.new) for n in ("o.cp", "o.cp.previous")}

    def run(self, environment, before):
        with tempfile.TemporaryDirectory(prefix="spdhg-faults-") as folder:
            for name in os.listdir(self.given):
                os.symlink(os.path.join(self.given, name), os.path.join(folder, name))
            for name, content in self.old.items():
                if name.startswith("o"):
                    with open(os.path.join(folder, name), "wb") as file:
                        file.write(content)
            count = os.path.join(self.given, "..", "count")
            shim = {"LD_PRELOAD": SHIM, "SPDHG_FAULT_STILL": "1", "SPDHG_FAULT_COUNT": count, "OPENBLAS_NUM_THREADS": "1", **environment}
            before = [*before, "-E", "LD_PRELOAD=" + SHIM, "-E", "SPDHG_FAULT_STILL=1"] if before else []
            own = {**os.environ, **(shim if not before else {})}
            own.pop("SPDHG_TEST_ALL", None)
            done = subprocess.run([*before, COMMAND, *self.words], cwd=folder, capture_output=True, timeout=120, env=own)
            return done.returncode, done.stdout, done.stderr.decode(errors="replace"), {n: b for n, b in tree(folder).items()}

    def check(self, what, allowed, result):
        """What is wrong with it, or None."""
        code, out, err, files = result
        if code < 0 or "Sanitizer" in err:
            return f"died of signal {-code}"
        made = {n: b for n, b in files.items() if n.startswith("o") and not n.endswith(".lock")}  # a process holds a lock, not its file
        for name, content in made.items():
            if content not in self.good.get(name, ()):
                if self.name != "race":  # a race keeps what it has measured, to continue
                    return f"{name} is neither the old file nor the new one"
        if code == 0:
            wanted = {n: b for n, b in self.new.items() if n.startswith("o")}
            if self.name == "race" and sorted(made) == sorted(wanted):  # its summary and page may lack the machine's name
                made, wanted = ({n: b for n, b in files.items() if n.endswith((".csv", "model.json"))} for files in (made, wanted))
            if out != self.out or made != wanted:
                return "exit 0, but the outputs are not complete"
            return None
        if code not in allowed:
            return f"exit {code}: {err.strip()[-200:]}"
        return None if err.strip() else f"exit {code} without a message"


def part(count, most):
    """Numbers from 1 to count: all, or the first ones and then some, at most about `most`."""
    if ALL or count <= most:
        return range(1, count + 1)
    return sorted(set(range(1, most // 3)) | {round(1 + k * (count - 1) / (most - 1)) for k in range(most)})


def preloaded(verb, tally):
    count = {}
    verb.run({}, [])
    with open(os.path.join(verb.given, "..", "count")) as file:
        for line in file:
            kind, number = line.split()
            count[kind] = int(number)
    for kind, allowed in PRELOADED.items():
        for n in part(count[kind], 30):
            for more in ("", "+") if kind == "malloc" else ("",):
                what = f"{kind}:{n}{more}"
                judge(verb, what, kind, verb.check(what, allowed, verb.run({"SPDHG_FAULT": what}, [])), tally)


def traced(verb, tally):
    log = os.path.join(verb.given, "..", "strace")

    def counts(words):
        subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(TRACED), "-E", "LD_PRELOAD=" + SHIM, "-E", "SPDHG_FAULT_STILL=1",
                        COMMAND, *words], cwd=verb.given, capture_output=True, check=True)
        with open(log) as file:
            return collections.Counter(m.group(1) for m in (re.match(r"\d+ +(\w+)\(", line) for line in file) if m)

    loader = counts(["--version"])
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(verb.given):
            shutil.copy(os.path.join(verb.given, name), folder)
        keep, verb.given = verb.given, folder
        log = os.path.join(keep, "..", "strace")
        total = counts(verb.words)
        verb.given = keep
    for call, (error, allowed) in TRACED.items():
        first = loader[call] if call != "write" else 0
        for n in part(max(0, total[call] - first), 8):
            what = f"{call}:error={error}:when={first + n}"
            result = verb.run({}, ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=" + what])
            judge(verb, what, call, verb.check(what, allowed, result), tally)


def judge(verb, what, kind, wrong, tally):
    tally[verb.name, kind] += 1
    if wrong:
        failures.append((verb.name, kind))
        print(f"{verb.name}: {what}: {wrong}", flush=True)


def main():
    if not os.path.exists(SHIM):
        print("the library of faults was not built")
        return 77
    strace = shutil.which("strace") and subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0
    tally = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="spdhg-faults-") as root:
        given = os.path.join(root, "given")
        os.mkdir(given)
        inputs(given)
        for name in VERBS:
            if ONLY is None or name == ONLY:
                verb = Verb(name, given)
                preloaded(verb, tally)
                if strace:
                    traced(verb, tally)
    kinds = [*PRELOADED, *TRACED]
    bad = collections.Counter(failures)
    print(f"{'faults survived':16}" + "".join(f"{k:>12}" for k in kinds))
    for name in dict.fromkeys(v for v, _ in tally):
        print(f"{name:16}" + "".join(f"{str(tally[name, k] - bad[name, k]) + '/' + str(tally[name, k]):>12}" for k in kinds))
    print(f"{sum(tally.values()) - len(failures)} of {sum(tally.values())}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
