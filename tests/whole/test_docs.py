# test_docs.py - the pages are true: every name `spdhg list` prints is explained, every solver has its reference and its parameters
# with their defaults, every file.c:function mentioned exists, every link leads somewhere. And they can be read: prose has lines of at
# most 120 characters, and words that were too odd to keep do not come back.
import os
import re
import subprocess
import sys

from checks import Checks

COMMAND = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "spdhg"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
tally = Checks()
check = tally.check


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
        stated = dict(re.findall(r"`(\w+)` \(default (by rule|[^\s:;),]+)", " ".join(body.split())))
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


PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/README.md", "bench/README.md", "bindings/python/README.md", "bindings/R/README.md"]
PAGES += ["docs/" + name for name in sorted(os.listdir(os.path.join(ROOT, "docs"))) if name.endswith(".md")]


def text_of(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def anchors(text):
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"(?m)^#+ (.*)$", text)}


def check_links():
    for name in PAGES:
        for link in re.findall(r"\]\(([^)\s]+)\)", text_of(name)):
            if link.startswith(("http:", "https:")):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            there = os.path.exists(os.path.join(ROOT, target))
            check(there, f"{name}: there is no {path}")
            check(not anchor or not there or anchor in anchors(text_of(target)), f"{name}: no heading for {link}")


def check_width():
    """Tables, code and images are as wide as they are."""
    for name in PAGES:
        prose = re.sub(r"(?ms)^```.*?^```$", lambda code: "\n" * code.group().count("\n"), text_of(name))
        for at, line in enumerate(prose.split("\n"), 1):
            check(line.startswith(("|", "    ", "![")) or len(line) <= 120, f"{name}:{at}: {len(line)} characters in a line, expected at most 120")


def check_words():
    odd = re.compile(r"\b(foretell\w*|beware|as it were|mended|numbers of F\b|Chosen is)", re.I)
    said = {name: text_of(name) for name in PAGES + ["docs/spdhg.1", "run", "include/spdhg.h", "src/catalog/options.c"]}
    for verb in ("fit", "path", "race", "predict", "graph", "inspect", "convert", "generate", "bound", "report", "list"):
        said[f"spdhg {verb} --help"] = subprocess.run([COMMAND, verb, "--help"], capture_output=True, text=True, check=True).stdout
    for name, text in said.items():
        check(not odd.search(text), f"{name}: '{odd.search(text) and odd.search(text).group()}'")


check_names()
check_solvers()
check_places()
check_links()
check_width()
check_words()
tally.end()
