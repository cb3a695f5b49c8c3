# r_pages.py - R on the site: help pages of the R package as Markdown, made of what R itself makes of them (tools::Rd2HTML), and the gallery's
# programs in R and for the command beside those in Python, with R's picture and the command's output.
import html.parser
import os
import re
import subprocess

MAN = "for (f in list.files('{man}', full.names = TRUE)) {{ cat('\\n@@@', basename(f), '\\n'); tools::Rd2HTML(f, stages = c('build', 'install', 'render')) }}"
PICTURE = "png('{name}.png', 1400, 640, res = 170); par(mar = c(4, 4, 2, 1)); source('{program}', echo = FALSE); invisible(dev.off())"
MARKS = {"em": "*", "i": "`", "b": "**", "strong": "**"}  # R has formulas in <i>


class Markdown(html.parser.HTMLParser):
    """One help page. Arguments are a table in R's page and a list here, which a phone can show."""

    def __init__(self):
        super().__init__()
        self.out, self.code, self.depth = [], False, 0

    def say(self, text):
        self.out.append(text)

    def handle_starttag(self, tag, attributes):
        plain = {"h2": "\n\n# ", "h3": "\n\n## ", "pre": "\n\n```r\n", "p": "\n\n" + "  " * self.depth, **MARKS}
        if tag == "pre":
            self.code = True
        elif tag == "code" and not self.code:
            self.say("`")
        elif tag in ("ul", "dl", "table"):
            self.depth += 1
        elif tag in ("li", "dt", "tr"):
            self.say("\n\n" + "  " * (self.depth - 1) + "- ")
        if tag in plain:
            self.say(plain[tag])

    def handle_endtag(self, tag):
        if tag == "pre":
            self.code = False
            self.say("\n```\n")
        elif tag == "code" and not self.code:
            self.say("`")
        elif tag in ("ul", "dl", "table"):
            self.depth -= 1
            self.say("\n")
        elif tag in MARKS:
            self.say(MARKS[tag])

    def handle_data(self, data):
        self.say(data if self.code else re.sub(r"\s+", " ", data))

    def page(self):
        text = "".join(self.out)
        text = re.sub(r"(?m)^( *- *)\n+ *(?=\S)", r"\1", text)               # an item whose text came as a paragraph
        text = re.sub(r"(?m)^( *- .*?`)\s*\n\s*\n +(?=\S)", r"\1: ", text)  # name and what it means in one line
        text = re.sub(r"(?m)^` ", "`", text)
        return re.sub(r"\n{3,}", "\n\n", re.sub(r"(?m)[ \t]+$", "", text)).strip() + "\n"


def help_pages(man):
    """{name: Markdown} of the folder man of a package that is ready to build."""
    environment = {**os.environ, "_R_HELP_ENABLE_ENHANCED_HTML_": "false"}  # formulas as text
    made = subprocess.run(["Rscript", "-e", MAN.format(man=man)], env=environment, capture_output=True, text=True, check=True).stdout
    parts = re.split(r"\n@@@ (\S+)\.Rd \n", made)[1:]
    found = {}
    for name, text in zip(parts[::2], parts[1::2]):
        reader = Markdown()
        reader.feed(text[text.index("<h2") : text.rindex("</body>")])
        found[name] = reader.page()
    return found


def run_beside(source, environment):
    """Runs gallery/NAME.R and gallery/NAME.sh; pictures and output are left in source/beside."""
    folder = os.path.join(source, "beside")
    os.makedirs(folder, exist_ok=True)
    for program in sorted(os.listdir(os.path.join(source, "gallery"))):
        path, name = os.path.join(source, "gallery", program), os.path.splitext(program)[0]
        if program.endswith(".R"):
            subprocess.run(["Rscript", "-e", PICTURE.format(name=name, program=path)], cwd=folder, env=environment, check=True, capture_output=True)
        elif program.endswith(".sh"):
            done = subprocess.run(["sh", "-eu", path], cwd=folder, env=environment, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            lines = done.stdout.splitlines()
            shown = lines if len(lines) <= 24 else lines[:8] + ["[...]"] + lines[-15:]
            with open(os.path.join(folder, name + ".out"), "w") as file:
                file.write("\n".join(shown) + "\n")


def beside(text, name):
    """The page that sphinx-gallery made of plot_NAME.py: both pictures, then the three programs to choose from."""
    code = re.search(r"(?ms)^\.\. code-block:: (?:default|Python)\n.*?(?=^\S)", text)
    picture = re.search(r"(?ms)^\.\. image-sg::.*?(?=^\S)", text)
    if not code or not picture:
        raise ValueError(f"plot_{name}.py: no program or no picture on its page")

    def tab(title, body):
        return f".. tab:: {title}\n\n" + re.sub(r"(?m)^(?=.)", "    ", body) + "\n\n"

    def program(path, language):
        return f".. literalinclude:: /gallery/{path}\n    :language: {language}\n"

    pictures = (".. container:: pictures\n\n" + re.sub(r"(?m)^(?=.)", "    ", picture.group()) +
                f"\n    .. image:: /beside/{name}.png\n        :alt: the same by the program in R\n\n")
    printed = f"\n.. literalinclude:: /beside/{name}.out\n    :language: text\n"
    tabs = tab("Python", code.group()) + tab("R", program(name + ".R", "r")) + tab("Command", program(name + ".sh", "sh") + printed)
    return text.replace(picture.group(), pictures).replace(code.group(), tabs)
