# test_docs.py - the pages in docs/ are true: every name `spdhg list` prints is explained, every solver has its reference and its parameters with
# their defaults, and every file.c:function mentioned exists.
import os
import re
import subprocess
import sys

COMMAND = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "spdhg"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
passed, failed = 0, 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED", what)


def page(name):
    with open(os.path.join(ROOT, "docs", name)) as file:
        return file.read()


def listed(topic):
    """{name: lines below it} of `spdhg list TOPIC`."""
    out, entries = subprocess.run([COMMAND, "list", topic], capture_output=True, text=True, check=True).stdout, {}
    for line in out.splitlines():
        entry = re.match(r"  ([a-z][a-z0-9-]*)", line)
        if entry:
            entries[entry.group(1)] = lines = []
        else:
            lines.append(line.strip())
    return entries


def source(name):
    """Text of the file of that name in src/, or None."""
    found = [os.path.join(folder, name) for folder, _, files in os.walk(os.path.join(ROOT, "src")) if name in files]
    return "\n".join(open(path).read() for path in found) if found else None


def has_word(text, word):
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def check_names():
    for topic in ("losses", "penalties", "structures", "sets"):
        names = listed(topic)
        check(len(names) >= 4, f"spdhg list {topic} prints only {list(names)}")
        for name in names:
            check(has_word(page("problem.md"), name), f"docs/problem.md does not mention '{name}' of spdhg list {topic}")


def check_solvers():
    """A section has the names of its solvers in its heading, their references and parameters below it."""
    text, sections = page("algorithms.md"), {}
    for heading, body in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.M):
        for name in re.findall(r"`([^`]+)`", heading):
            check(name not in sections, f"docs/algorithms.md has two sections for {name}")
            sections[name] = body
    solvers = listed("solvers")
    check(len(solvers) >= 5, f"spdhg list solvers prints only {list(solvers)}")
    for name in sections:
        check(name in solvers, f"docs/algorithms.md describes '{name}', which spdhg list solvers does not print")
    for name, lines in solvers.items():
        body = sections.get(name)
        check(body is not None, f"docs/algorithms.md has no section for '{name}'")
        if body is None or name == "auto":
            continue
        check(lines[0] in body.split("\n"), f"docs/algorithms.md, {name}: the reference '{lines[0]}' is missing")
        check("Output" in body and "Refuse" in body, f"docs/algorithms.md, {name}: output or refusals missing")
        stated = dict(re.findall(r"`(\w+)` \(default (by rule|[^\s:;),]+)", body))
        for line in lines[1:]:
            parameter, default = re.match(r"--param (\w+)=VALUE .*?, default (by rule|[^\s:]+): ", line).groups()
            check(stated.get(parameter) == default, f"docs/algorithms.md, {name}: {parameter} has default {default}, the page says {stated.get(parameter)}")


def check_places():
    places = 0
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if not name.endswith(".md"):
            continue
        for file, function in re.findall(r"`(\w+\.[ch]):(\w+)`", page(name)):
            places += 1
            text = source(file)
            check(text is not None, f"docs/{name}: there is no file {file} in src/")
            check(text is None or re.search(rf"^[a-z][^;\n]*\b{function}\([^;{{]*\)\s*\{{", text, re.M), f"docs/{name}: {file} has no function {function}")
    check(places >= 20, f"only {places} places are named in docs/")


check_names()
check_solvers()
check_places()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
