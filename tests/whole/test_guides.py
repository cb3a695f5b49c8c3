# test_guides.py - every block of code of the site's pages runs: commands and Python of docs/site (guides, front page) and of docs/, and the
# programs of the gallery (those in R are run by test_r.py, those of tutorial.md and denoise.md by test_tutorial.py). The site itself is built by ./run docs; with SPDHG_TEST_ALL it is built here, without a warning, and must ask for nothing
# outside.
import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile

from checks import Checks
from cli_support import COMMAND, for_interpreters

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SITE = os.path.join(ROOT, "docs", "site")
BUILD = os.path.dirname(COMMAND)
ENVIRONMENT = {**os.environ, "PATH": BUILD + os.pathsep + os.environ["PATH"], "PYTHONPATH": os.path.join(BUILD, "python"), "MPLBACKEND": "Agg",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", **for_interpreters()}
tally = Checks()
check = tally.check


def run(words, folder, what, text=None):
    done = subprocess.run(words, cwd=folder, env=ENVIRONMENT, input=text, capture_output=True, text=True, timeout=300)
    check(done.returncode == 0, f"{what}: {done.stderr[-800:]}")


def blocks():
    """(page, language, code) of every block that is a program. Of docs/, blocks name their language if and only if they are."""
    pages = glob.glob(os.path.join(SITE, "**", "*.md"), recursive=True) + glob.glob(os.path.join(ROOT, "docs", "*.md"))
    for path in sorted(path for path in pages if os.path.basename(path) not in ("tutorial.md", "denoise.md")):
        with open(path) as file:
            for language, code in re.findall(r"(?ms)^```([a-z]*)\n(.*?)^```$", file.read()):
                if language in ("sh", "python"):
                    yield os.path.relpath(path, SITE), language, code
                check(language or not code.startswith("spdhg "), f"{path}: a block of commands is not marked as such: {code[:60]}")


def prepare(folder):
    """The files that the reader of docs/ is expected to have."""
    rows = "".join(f"{1 if i % 3 else -1} {i % 50 + 1}:{i % 7 - 3}.5 {i % 40 + 60}:1\n" for i in range(400))
    os.mkdir(os.path.join(folder, "logs"))
    for day in ("1", "2"):
        with gzip.open(os.path.join(folder, "logs", day + ".gz"), "wt") as file:
            file.write(rows)
    with open(os.path.join(folder, "text.svm"), "w") as file:
        file.write(rows)
    run(["zstd", "-q", "text.svm"], folder, "zstd")


def check_links():
    """Pages link to pages that exist: those of docs/ are beside those of docs/site when the site is built."""
    for path in glob.glob(os.path.join(SITE, "**", "*.md"), recursive=True):
        with open(path) as file:
            targets = re.findall(r"\]\(([^)#:]+)[^)]*\)", file.read())
        for target in targets:
            full = os.path.normpath(os.path.join(os.path.dirname(path), target))
            here = os.path.relpath(full, SITE)
            exists = os.path.exists(full) or os.path.exists(os.path.join(ROOT, here)) or here.startswith("auto_gallery")
            check(exists, f"{os.path.relpath(path, SITE)} links to {target}, which does not exist")


def check_built(folder):
    """A page that is opened loads nothing from elsewhere."""
    words = ["/usr/bin/python3", "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", os.path.join(folder, "source"), os.path.join(folder, "html")]
    subprocess.run(["cp", "-r", SITE, os.path.join(folder, "source")], check=True)
    environment = {**ENVIRONMENT, "SPDHG_BUILD": BUILD, "SPDHG_ROOT": ROOT}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    check(done.returncode == 0, f"sphinx: {done.stderr[-2000:]}")
    for path in glob.glob(os.path.join(folder, "html", "**", "*.html"), recursive=True):
        with open(path) as file:
            text = file.read()
        outside = re.findall(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*\"", text)
        check(not outside, f"{path} loads {outside}")
        raw = re.findall(r"``[^<`]*|hide-toc", re.sub(r"(?s)<pre.*?</pre>|<code.*?</code>", "", text))
        check(not raw, f"{path} shows markup: {raw[:3]}")
    with open(os.path.join(folder, "html", "_static", "styles", "furo.css")) as file:
        check("prefers-color-scheme" in (css := file.read()) and "url(/" not in css, "the theme has no dark colours, or loads from the root of a server")
    with open(os.path.join(folder, "html", "_static", "scripts", "furo.js")) as file:
        check(not re.search(r"^import ", file.read(), re.M), "the theme's script is a module, which a file must not load")


def main():
    with tempfile.TemporaryDirectory() as folder:
        count = 0
        prepare(folder)
        for page, language, code in blocks():
            count += 1
            run(["sh", "-eu"] if language == "sh" else ["/usr/bin/python3", "-"], folder, page, code)
        check(count >= 15, f"only {count} blocks were found")
        programs = sorted(glob.glob(os.path.join(SITE, "gallery", "plot_*.py")))
        check(len(programs) >= 6, "the gallery is small")
        for program in programs:
            run(["/usr/bin/python3", program], folder, program)
            beside = program.replace("plot_", "")[: -len(".py")]
            check(os.path.exists(beside + ".R"), f"{program} has no program in R beside it")
            run(["sh", "-eu", beside + ".sh"], folder, beside + ".sh")
        check_links()
        if os.environ.get("SPDHG_TEST_ALL"):
            check_built(folder)
    tally.end()


main()
