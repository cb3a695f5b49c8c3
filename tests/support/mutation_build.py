"""The program with all mutants, for mutation.py."""
import hashlib
import json
import os
import shlex
import subprocess
import sys

import mutants as the

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "mutation")
TREE, COMPILED = os.path.join(BUILD, "tree"), os.path.join(BUILD, "compiled.json")
MADE = os.path.join(TREE, "build")  # as in the tree itself: what is not mutated comes out of a compiler's cache
CASES = os.path.join(BUILD, "cases.so")


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
    """Sources: those that are mutated. Which mutants compile is asked once for the same ones."""
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
    quietly(["cmake", "-S", TREE, "-B", MADE, "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release", "-DSPDHG_BINDINGS=OFF"])
    instrument(sources, work)
    programs = sorted({t.split()[0] for t in tests if not t.split()[0].endswith(".py")})
    quietly(["cmake", "--build", MADE, "-j", "2", "--target", "spdhg_command", *programs])
    quietly(["cc", "-O2", "-shared", "-fPIC", os.path.join(ROOT, "tests", "support", "mutation_cases.c"), "-o", CASES, "-ldl"])
