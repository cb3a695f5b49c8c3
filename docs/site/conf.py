# conf.py - the site: Sphinx reads this. `./run docs` builds it into build/site. The pages of docs/ are copied beside those of docs/site,
# so that both are sources; help of the command comes from the command itself, signatures from the Python package as built, help of R from
# the R package that is installed beside them.
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import r_pages
import theme
ROOT = os.environ.get("SPDHG_ROOT", os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("SPDHG_BUILD", os.path.join(ROOT, "build"))
sys.path.insert(0, os.path.join(BUILD, "python"))
os.environ["PATH"] = BUILD + os.pathsep + os.environ["PATH"]

project = "spdhg"
with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
    version = release = re.search(r"VERSION ([\d.]+)", file.read()).group(1)
extensions = ["myst_parser", "sphinx_inline_tabs", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_gallery.gen_gallery", "sphinx_copybutton",
              "matplotlib.sphinxext.mathmpl"]
html_theme = "furo"
html_title = "spdhg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = html_show_copyright = False
html_copy_source = False
exclude_patterns = ["gallery", "static", "beside"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
mathmpl_fontsize = 11.0
suppress_warnings = ["myst.header"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["auto_gallery"],
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 10**9,
    "remove_config_comments": True,
}

VERBS = ["fit", "path", "denoise", "race", "predict", "show", "graph", "inspect", "convert", "generate", "bound", "report", "list"]
PAGES = ["tutorial", "problem", "algorithms", "denoise", "certificate", "model", "graph", "theory", "reproduction", "performance",
         "architecture", "streams", "disk", "cluster", "reliability", "packages"]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or open(path).read() != text:
        with open(path, "w") as file:
            file.write(text)


def help_of(verb):
    return subprocess.run(["spdhg", "help", verb], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "100"}).stdout


def for_the_site(text):
    """A page of docs/ as the site needs it: formulas as pictures, files outside of docs/ named instead of linked. A block without a
    language is no program; Sphinx would take it for one in Python."""
    text = re.sub(r"(?ms)^```([^\n]*)\n(.*?)^```$", lambda m: f"```{m[1] or 'text'}\n{m[2]}```", text)
    text = re.sub(r"```math\n", "```{mathmpl}\n", text)
    return re.sub(r"\[([^\]]*)\]\((?:\.\./([^)]*)|(\w+\.1))\)", lambda m: f"{m[1]} (`{m[2] or m[3]}`)", text)


def collect(app):
    """Copies what is elsewhere in the tree to the source folder, which `./run docs` has made for this build."""
    source = app.srcdir
    for name in PAGES:
        path = os.path.join(ROOT, "docs", name + ".md")
        if os.path.exists(path):
            with open(path) as file:
                write(os.path.join(source, "docs", name + ".md"), for_the_site(file.read()))
    shutil.copytree(os.path.join(ROOT, "docs", "figures"), os.path.join(source, "docs", "figures"), dirs_exist_ok=True)
    for name in ("coverage.svg", "demo.png"):
        shutil.copy(os.path.join(ROOT, "docs", name), os.path.join(source, "docs", name))
    shutil.copy(os.path.join(ROOT, "include", "spdhg.h"), os.path.join(source, "api", "spdhg.h"))
    shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(source, "api", "examples"), dirs_exist_ok=True)
    verbs = "".join(f"## spdhg {verb}\n\n```text\n{help_of(verb)}```\n\n" for verb in VERBS)
    write(os.path.join(source, "api", "command.md"), "# The command\n\nWhat `spdhg help VERB` prints.\n\n" + verbs)
    collect_r(source)


def collect_r(source):
    """The R package of this build: its help pages, and its programs in the gallery."""
    subprocess.run([os.path.join(ROOT, "bindings", "R", "tools", "install.sh"), BUILD], check=True, capture_output=True)
    library = os.path.join(BUILD, "R-library")
    for name, page in r_pages.help_pages(os.path.join(BUILD, "R", "spdhg", "man")).items():
        write(os.path.join(source, "api", "r", name + ".md"), page)
    r_pages.run_beside(source, {**os.environ, "R_LIBS": library})


def place_beside(app, docname, text):
    """Python's programs in the gallery get those in R and for the command beside them. The gallery's first page has no sections to list."""
    if docname == "auto_gallery/index":
        text[0] = ":hide-toc:\n" + text[0].lstrip()
    if docname.startswith("auto_gallery/plot_"):
        text[0] = r_pages.beside(text[0], docname.removeprefix("auto_gallery/plot_"))


def plain_names(app, what, name, obj, options, lines):
    """Docstrings name attributes as coef_, which would be a link in reStructuredText."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "..")):
            lines[i] = re.sub(r"(?<![`\w])(\w*[a-z]_)(?![\w`{])", r"``\1``", line).replace("|", "\\|")


def setup(app):
    app.connect("autodoc-process-docstring", plain_names, priority=900)
    app.connect("builder-inited", collect, priority=1)
    app.connect("source-read", place_beside)
    app.connect("build-finished", theme.complete)
