#!/usr/bin/python3
"""Deletes every single statement of the solvers' steps, one at a time, and expects a test to fail each time.

    tests/mutation.py [--file src/ROOM/NAME.c]... [--jobs N] [--list] [--log FILE]

Mutated are the functions that a step reaches: from the functions named in `.step =` on, every function of the rooms ROOMS that a reached body
mentions; of step_rule.c and primal_dual_steps.c, which are reached through pointers and from start, all functions. A mutant is the program
without one statement (all its lines), without one header such as `if (...)`, or without the body below such a header. It is compiled by
itself and linked with the objects of build/mutation; the tests of TESTS run in turn until one fails. A mutant that survives must be in
mutation_allowed.txt: file, a tab, the lines joined by one space, a tab, the reason. Exit status 1 if another one survives, or if a line of
that file is about nothing that survives.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "mutation")
PYTHON = "/usr/bin/python3"  # the one that has numpy
ALLOWED = os.path.join(ROOT, "tests", "mutation_allowed.txt")
PATIENCE = 200  # seconds after which a test that does not end has failed
ADMMS = "sadmm,opg-admm,sgadm,fsadmm"

ROOMS = ("solver", "chain", "face", "primal_dual", "admm", "newton")

# Tests of each file, fastest first; behind a script the solvers that it should be about.
LAWS = ["test_solver"]
def admm(names): return [f"test_iterates_admms.py {names}", "test_solver_admms", f"test_optimum_solvers.py {names}", *LAWS]
def dual(script, names): return [f"{script}.py", "test_warm_start", f"test_optimum_solvers.py {names}", *LAWS]
def split(names): return [f"test_iterates_vr.py {names}", "test_primal_dual", f"test_optimum_solvers.py {names}", *LAWS]
def newton(names): return [f"test_iterates_newton.py {names}", f"test_optimum_solvers.py {names}", "test_limits", *LAWS]
def columns(): return ["test_columns.py", "test_limits", "test_optimum_solvers.py cd-newton", *LAWS]
SPDHG = ["test_iterates.py spdhg,spdhg-sc1,spdhg-sc2,lpdhg", *LAWS]
TESTS = {
    "row_prox.c": ["test_iterates_spdc.py", "test_iterates_sdca_admm.py", *LAWS],
    "step_rule.c": SPDHG + ["test_iterates_admms.py lpdhg-const", "test_optimum_solvers.py lpdhg-const"],
    "batch.c": ["test_iterates_admms.py sadmm,opg-admm", *SPDHG, "test_optimum_solvers.py spdhg,saga-pd3o"],
    "sadmm.c": admm("sadmm,sadmm-sc2"),
    "opg_admm.c": admm("opg-admm"),
    "rda_admm.c": admm("rda-admm"),
    "sgadm.c": admm("sgadm,gadm"),
    "gadm.c": admm("gadm"),
    "fsadmm.c": admm("fsadmm,fsadmm-lite"),
    "ada_sadmm.c": admm("ada-sadmm-diag"),
    "ada_sadmm_full.c": admm("ada-sadmm-full"),
    "admm.c": admm(ADMMS),
    "admm_system.c": admm(ADMMS),
    "lpdhg.c": ["test_iterates_admms.py lpdhg-const", "test_iterates.py lpdhg", *LAWS],
    "spdhg.c": SPDHG,
    "spdhg_fast.c": SPDHG[::-1],
    "spdhg_lazy.c": SPDHG[::-1],
    "spdhg_free.c": ["test_iterates_free.py", "test_optimum_solvers.py spdhg-free", *LAWS],
    "online_admm.c": dual("test_iterates_online_admm", "online-admm"),
    "sdca_admm.c": dual("test_iterates_sdca_admm", "sdca-admm"),
    "spdc.c": dual("test_iterates_spdc", "spdc,spdc-adaptive"),
    "rpdg.c": dual("test_iterates_spdc", "rpdg"),
    "pdhg_adaptive.c": dual("test_iterates_pdhg", "pdhg-adaptive"),
    "pd3o.c": split("pd3o"),
    "condat_vu.c": split("condat-vu"),
    "fista.c": ["test_iterates_fista.py fista", "test_optimum_solvers.py fista", *LAWS],
    "fgp.c": ["test_iterates_fgp.py fgp", *LAWS],
    "vr_pd3o.c": split("saga-pd3o,lsvrg-pd3o"),
    "primal_dual.c": split("pd3o,condat-vu,saga-pd3o"),
    "primal_dual_steps.c": split("pd3o,condat-vu,saga-pd3o"),
    "newton.c": newton("prox-newton,alm-ssn"),
    "prox_newton.c": newton("prox-newton"),
    "newton_model.c": newton("prox-newton"),
    "newton_model_ssn.c": newton("prox-newton"),
    "newton_model_regularise.c": newton("prox-newton"),
    "interior_newton.c": ["test_sets.py", "test_optimum_solvers.py interior", *LAWS],
    "ipm.c": ["test_ipm.py", "test_optimum_solvers.py ipm", *LAWS],
    "cd_newton.c": columns(),
    "solver.c": ["test_columns.py", "test_optimum_solvers.py lasso", *LAWS],
    "chain_alm.c": ["test_chain_alm.py", "test_optimum_solvers.py chain-alm", *LAWS],
    "chain_alm_point.c": ["test_chain_alm.py", "test_optimum_solvers.py chain-alm", *LAWS],
    "chain_alm_system.c": ["test_chain_alm.py", "test_optimum_solvers.py chain-alm", *LAWS],
    "chain_newton.c": ["test_signal_newton.py", "test_optimum_solvers.py chain-newton", *LAWS],
    "cut_newton.c": ["test_signal_newton.py", "test_optimum_solvers.py cut-newton", *LAWS],
    "signal_newton.c": ["test_signal_newton.py", "test_optimum_solvers.py chain-newton", *LAWS],
    "network.c": ["test_cuts", "test_signal_newton.py"],
    "push.c": ["test_cuts", "test_signal_newton.py"],
    "cuts.c": ["test_cuts", "test_signal_newton.py"],
    "variation.c": ["test_variation"],
    "knots.c": ["test_variation"],
    "prox.c": ["test_variation", "test_signal_newton.py"],
    "dual.c": ["test_variation", "test_signal_newton.py"],
    "forest.c": ["test_forest", "test_variation", "test_signal_newton.py"],
    "descent.c": columns(),
    "descent_face.c": columns(),
    "alm_ssn.c": newton("alm-ssn"),
    "alm_ssn_search.c": newton("alm-ssn"),
    "metric.c": newton("alm-ssn"),
}
WHOLE = ("step_rule.c", "rpdg.c", "primal_dual_steps.c", "metric.c", "variation.c", "knots.c", "prox.c", "dual.c", "forest.c", "network.c", "push.c", "cuts.c")  # all functions: reached through pointers, or from start
NO_STEP = ("evaluate.c", "instance.c", "face.c", "face_dense.c", "face_newton.c", "null_basis.c", "null_rows.c", "nullspace.c", "exact_zeros.c", "settled.c")  # what is around a step

# ws-newton: compared as a whole with prox-newton in test_working_set.py, the systems of star_system.c with a dense factor in test_la.c; their own
# lines are not deleted one by one yet. Nor are those of the room interior, which test_sets.py compares with other methods.
NOT_YET = ("zeros.c", "tied_coordinates.c", "tied_hessian.c", "working_set.c", "tree_flow.c", "slack_flow.c", "star_system.c", "star_system_start.c")

# ---- what to delete


def bare(text):
    """The text without comments and strings, in the same places."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', blank, text, flags=re.S)


def functions(text):
    """(name, first, last) of every function's body, as numbers of lines; the body is between its braces."""
    lines, found, head = text.split("\n"), [], None
    for i, line in enumerate(lines):
        if head is None and re.match(r"^[A-Za-z_].*\(", line) and not line.startswith(("#", "typedef", "enum", "extern")):
            head = i
        if head is not None and line.endswith("{"):
            words = " ".join(lines[head : i + 1])
            name = re.search(r"(\w+)\((?:[^()]|\([^()]*\))*\)\s*\{$", words)
            if name and "=" not in words.split("(")[0]:
                found.append((name.group(1), i + 1, next(k for k in range(i, len(lines)) if lines[k] == "}")))
            head = None
        elif head is not None and re.search(r"[;}]\s*$", line):
            one = re.match(r"^[\w* ]+?(\w+)\(.*\)\s*\{(.*)\}\s*$", line)
            if one and head == i:
                found.append((one.group(1), i, i))
            head = None
    return found


def reached(sources):
    """For every file the functions that steps reach."""
    bodies, local = {}, {}
    for file, text in sources.items():
        lines = bare(text).split("\n")
        for name, first, last in functions(bare(text)):
            bodies[file, name] = "\n".join(lines[first : max(last, first + 1)])
            local.setdefault(name, []).append(file)
    seen, todo = set(), []
    for file, text in sources.items():
        todo += [(file, name) for name in re.findall(r"\.step\s*=\s*(\w+)", bare(text)) if (file, name) in bodies]
        todo += [(file, name) for f, name in bodies if f == file and os.path.basename(file) in WHOLE]
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        for word in set(re.findall(r"\w+", bodies[at])):
            if (at[0], word) in bodies:
                todo.append((at[0], word))
            elif word.startswith("spd_"):
                todo += [(file, word) for file in local.get(word, [])]
    return {file: sorted(name for f, name in seen if f == file) for file in sources}


class Mutant:
    def __init__(self, file, first, last, lines, replacement):
        self.file, self.first, self.last, self.replacement = file, first, last, replacement
        self.key = " ".join(line.strip() for line in lines[first : last + 1])
        self.fate = self.by = None
        self.seconds = 0

    def text(self, source):
        lines = source.split("\n")
        return "\n".join(lines[: self.first] + [self.replacement] + [""] * (self.last - self.first) + lines[self.last + 1 :])


def mutants(file, text, names):
    lines, clean, out = text.split("\n"), bare(text).split("\n"), []
    for name, first, last in functions(bare(text)):
        if name not in names:
            continue
        if first == last:  # all in one line: without its body
            out.append(Mutant(file, first, first, lines, lines[first][: lines[first].index("{")] + "{}"))
            continue
        start = depth = None
        for i in range(first, last):
            code = clean[i].strip()
            if not code or code in ("{", "}") or code.startswith(("}", "case", "default", "#")) and code.endswith("{"):
                start = None
                continue
            if start is None:
                start, depth = i, 0
            depth += code.count("(") - code.count(")")
            if depth == 0 and code.endswith("{") or depth < 0:
                start = None  # a header with a block: without it the braces do not match
            elif depth == 0 and code.endswith((";", "}")):
                if not re.match(r"\(void\)", clean[start].strip()):
                    header = re.match(r"(if|for|while|else)\b", clean[start].strip()) and i > start
                    out.append(Mutant(file, start, i, lines, ";"))
                    if header and clean[start].strip().endswith((")", "else")):
                        out.append(Mutant(file, start, start, lines, ""))
                        out.append(Mutant(file, start + 1, i, lines, ";"))
                start = None
    return out


# ---- one mutant: compile, link, test


def script(name):
    """The path of a test script, whichever room's folder it is in."""
    [path] = glob.glob(os.path.join(ROOT, "tests", "*", name))
    return path


def make_build():
    make = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-O1"]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
    programs = {test for tests in TESTS.values() for test in tests if not test.split()[0].endswith(".py")}
    subprocess.run(["cmake", "--build", BUILD, "-j", "2", "--target", "spdhg_command", *sorted(programs)], check=True, stdout=subprocess.DEVNULL)


def settings():
    """Compiler and flags of the library's objects, and the words that link a target."""
    made = {}
    with open(os.path.join(BUILD, "CMakeFiles", "spdhg_objects.dir", "flags.make")) as file:
        for line in file:
            name, _, value = line.partition(" = ")
            made[name] = shlex.split(value)
    flags = [w for w in made["C_DEFINES"] + made["C_INCLUDES"] + made["C_FLAGS"] if not w.startswith(("-W", "-O"))]
    return flags + ["-O1", "-Werror=return-type", "-Werror=implicit-function-declaration"]


def link_words(target):
    with open(os.path.join(BUILD, "CMakeFiles", target + ".dir", "link.txt")) as file:
        return shlex.split(file.read())


class Bench:
    """A folder in which one mutant at a time is built and tested."""

    def __init__(self, flags):
        self.folder, self.flags = tempfile.TemporaryDirectory(prefix="spdhg-mutant-"), flags

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def compile(self, mutant, source):
        with open(self.path("mutant.c"), "w") as out:
            out.write(mutant.text(source))
        done = subprocess.run(["cc", *self.flags, "-c", self.path("mutant.c"), "-o", self.path("mutant.o")], capture_output=True)
        return done.returncode == 0

    def link(self, mutant, target):
        """A test program contains the mutant; the command finds it in a library in this folder."""
        words = link_words(target)
        at = words.index("-o") + 1
        words[at] = self.path("libspdhg.so.0.1" if target == "spdhg" else target)
        words = [self.path("mutant.o") if w.endswith("/" + mutant.file + ".o") else w for w in words]
        assert self.path("mutant.o") in words, (target, mutant.file)
        subprocess.run(words, check=True, cwd=BUILD)

    def fails(self, test):
        """Whether the test fails with this mutant; its output does not matter."""
        name, *only = test.split()
        if name.endswith(".py"):
            words = [PYTHON, script(name), os.path.join(BUILD, "spdhg"), *only]
        else:
            words = [self.path(name)]
        environment = {**os.environ, "SPDHG_TEST_FIRST": "1", "SPDHG_TEST_PATIENCE": "20", "OPENBLAS_NUM_THREADS": "1", "CMOCKA_TEST_ABORT": "1",
                       "PYTHONPATH": os.path.join(ROOT, "tests", "support")}
        environment["LD_LIBRARY_PATH"] = self.folder.name
        environment.pop("SPDHG_TEST_ALL", None)
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, cwd=self.folder.name,
                                   start_new_session=True)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
        if code == 77:
            sys.exit(f"mutation.py: {name} was skipped: it needs numpy and scipy")
        return code != 0

    def run(self, mutant, source, tests):
        began = time.monotonic()
        if not self.compile(mutant, source):
            mutant.fate = "does not compile"
        else:
            linked = set()
            mutant.fate = "survived"
            for test in tests:
                target = "spdhg" if test.split()[0].endswith(".py") else test
                if target not in linked:
                    self.link(mutant, target)
                    linked.add(target)
                if self.fails(test):
                    mutant.fate, mutant.by = "killed", test
                    break
        mutant.seconds = time.monotonic() - began


# ---- all of them


def allowances():
    out = {}
    with open(ALLOWED) as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                file_name, key, reason = line.rstrip("\n").split("\t")
                out[file_name, key] = (number, reason)
    return out


def check_table(sources):
    known = set(TESTS) | set(NO_STEP) | set(NOT_YET)
    unknown = {os.path.basename(f) for f in sources} ^ known
    if unknown:
        sys.exit(f"mutation.py: TESTS and NO_STEP do not agree with the files of {', '.join(ROOMS)}: {', '.join(sorted(unknown))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", action="append", help="only this one (may be repeated)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the mutants, build nothing")
    parser.add_argument("--log", help="write the fate of every mutant here")
    options = parser.parse_args()
    sources = {}
    for room in ROOMS:
        for name in sorted(os.listdir(os.path.join(ROOT, "src", room))):
            if name.endswith(".c"):
                with open(os.path.join(ROOT, "src", room, name)) as file:
                    sources[f"src/{room}/{name}"] = file.read()
    check_table(sources)
    names = reached({f: t for f, t in sources.items() if os.path.basename(f) in TESTS})
    wanted = [os.path.relpath(os.path.abspath(f), ROOT) for f in options.file] if options.file else list(names)
    work = [m for f in wanted for m in mutants(f, sources[f], names[f])]
    if options.list:
        for m in work:
            print(f"{m.file}:{m.first + 1}: {m.key}")
        print(len(work), "mutants;", "; ".join(f"{os.path.basename(f)}: {', '.join(names[f])}" for f in wanted))
        return 0
    make_build()
    flags, benches, lock = settings(), threading.local(), threading.Lock()
    log = open(options.log, "w") if options.log else None

    def one(m):
        if not hasattr(benches, "own"):
            benches.own = Bench(flags)
        benches.own.run(m, sources[m.file], TESTS[os.path.basename(m.file)])
        with lock:
            line = f"{m.fate:16} {m.seconds:6.1f} s  {m.file}:{m.first + 1}: {m.key}{'  by ' + m.by if m.by else ''}"
            if log:
                print(line, file=log, flush=True)
            if m.fate == "survived":
                print(line, flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(one, m) for m in work]:
            done.result()
    return report(work, wanted)


def report(work, wanted):
    allowed, used, bad = allowances(), set(), 0
    print(f"{'file':36}{'mutants':>9}{'killed':>9}{'survived':>10}{'allowed':>9}{'no build':>10}{'seconds':>9}")
    for file in wanted:
        own = [m for m in work if m.file == file]
        count = {fate: sum(m.fate == fate for m in own) for fate in ("killed", "survived", "does not compile")}
        excused = [m for m in own if m.fate == "survived" and (m.file, m.key) in allowed]
        used |= {(m.file, m.key) for m in excused}
        bad += count["survived"] - len(excused)
        print(f"{file:36}{len(own):9}{count['killed']:9}{count['survived']:10}{len(excused):9}{count['does not compile']:10}"
              f"{sum(m.seconds for m in own):9.0f}")
    idle = [at for at in allowed if at[0] in wanted and at not in used]
    for file, key in idle:
        print(f"{ALLOWED}:{allowed[file, key][0]}: no such mutant survives: {key}")
    print(f"{len(work)} mutants, {bad} survived without an excuse, {len(idle)} excuses for nothing")
    return bad > 0 or len(idle) > 0


if __name__ == "__main__":
    sys.exit(main())
