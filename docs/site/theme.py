# theme.py - what Debian's furo leaves undone, done in the site that was built: its style is compiled without the rules of a dark system,
# and asks for normalize.css at the root of a web server; its script imports another, which a page opened as a file must not.
import os
import re

NORMALIZE = "/usr/share/javascript/normalize.css/normalize.css"


def text_of(path):
    with open(path) as file:
        return file.read()


def once(pattern, replace, text):
    """The one place of a pattern replaced; it is an error if there is none, as in another release of the theme."""
    text, count = re.subn(pattern, replace, text, count=1, flags=re.S)
    if count == 0:
        raise RuntimeError(f"furo has no {pattern}: see docs/site/theme.py")
    return text


def style(text):
    """Colours of the dark theme also where the system is dark and the reader has not chosen light."""
    dark = re.search(r'@media not print \{\n(  body\[data-theme="dark"\] \{.*?\} \})\n', text, re.S)
    if "prefers-color-scheme" not in text and dark:
        system = dark.group(1).replace('[data-theme="dark"]', ':not([data-theme="light"])')
        text = text.replace(dark.group(0), dark.group(0) + "@media not print { @media (prefers-color-scheme: dark) {\n" + system + " }\n", 1)
    if "prefers-color-scheme" not in text:
        raise RuntimeError("furo has no dark theme: see docs/site/theme.py")
    normalize = text_of(NORMALIZE)
    return once(r"@import url\(/javascript/normalize\.css/normalize\.css\);", lambda _: normalize, text)


def complete(app, error):
    if error or app.builder.name != "html":
        return
    static = os.path.join(app.outdir, "_static")
    css, script = os.path.join(static, "styles", "furo.css"), os.path.join(static, "scripts", "furo.js")
    gumshoe = text_of(os.path.join(static, "scripts", "gumshoe-patched.js"))
    if "@import" in text_of(css):  # not yet: files that did not change are not copied again
        done = {css: style(text_of(css)), script: gumshoe + once(r'import Gumshoe from "[^"]*";\n', "", text_of(script))}
        for path, text in done.items():
            with open(path, "w") as file:
                file.write(text)
