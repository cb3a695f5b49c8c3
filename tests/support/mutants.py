"""What mutation.py deletes, and the source with every deletion built in.

A mutant is the program without one statement (all its lines), with one condition `if (...)` that always holds, or without the body
below such a header. All mutants of a file are compiled at once: a statement becomes `{ if (SPD_KEEP(n)) ... }`, a condition
`if (SPD_SURE(n) || (...))`. The variable SPDHG_MUTANTS of the environment names a file, which all processes of a test share: the n that is
active (an int, -1 for none), and for each n a byte, which is set when its place is reached. Without it the program is unchanged.
SPDHG_MUTANT_CPU says how many microseconds of CPU time a process may take before SIGPROF ends it.
"""
import os
import re
import subprocess

# Once per file, in front of its text; the weak symbols of all files become one. The shared file takes the place of the memory of the same
# name, so that nothing is looked up on the way. No header is included, whose names could be those of the file.
PAGE = 4096
PRELUDE = """extern char *spd_mutant_getenv(const char *) __asm__("getenv");
extern long spd_mutant_atol(const char *) __asm__("atol");
extern int spd_mutant_open(const char *, int, ...) __asm__("open"), spd_mutant_close(int) __asm__("close");
extern void *spd_mutant_map(void *, unsigned long, int, int, int, long) __asm__("mmap");
extern int spd_mutant_timer(int, const long *, void *) __asm__("setitimer");
__attribute__((weak, visibility("hidden"), aligned(%(page)d))) struct { int active; unsigned char hit[%(size)d - sizeof(int)]; } spd_mutants = {-1, {0}};
__attribute__((weak, visibility("hidden"))) int spd_mutants_started = 0;
__attribute__((constructor)) static void spd_mutant_start(void) {
    const char *file = spd_mutant_getenv("SPDHG_MUTANTS"), *cpu = spd_mutant_getenv("SPDHG_MUTANT_CPU");
    if (!file || spd_mutants_started++) return;
    const long limit = cpu ? spd_mutant_atol(cpu) : 0, timer[4] = {0, 0, limit / 1000000, limit %% 1000000};
    const int opened = spd_mutant_open(file, 2); /* to read and write */
    spd_mutant_map(&spd_mutants, sizeof spd_mutants, 3, 0x11, opened, 0); /* shared, in this place */
    spd_mutant_close(opened);
    if (limit) spd_mutant_timer(2, timer, (void *)0); /* ITIMER_PROF */
}
#define SPD_KEEP(n) (spd_mutants.hit[n] = 1, spd_mutants.active != (n))
#define SPD_SURE(n) (spd_mutants.hit[n] = 1, spd_mutants.active == (n))
#line 1
"""
WORD = r"[A-Za-z_]\w*"
DECLARATION = re.compile(rf"^(?!return\b|goto\b|else\b|case\b|break\b|continue\b)(?:(?:const|static|volatile|unsigned|struct|enum)\s+)*{WORD}(?:\s+|\s*\*+\s*)"
                         rf"(?:(?:const|restrict)\s+)*\**{WORD}\s*(?:=|;|,|\[|\()")


def size_of_shared(count):
    """Bytes of the shared file, whole pages."""
    return -(-(4 + count) // PAGE) * PAGE


def bare(text):
    """The text without comments and strings, in the same places."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    return re.sub(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", blank, text, flags=re.S)


def functions(text):
    """(name, first, last) of every function's body, as numbers of lines; the body is between its braces."""
    lines, found, head = text.split("\n"), [], None
    for i, line in enumerate(lines):
        if head is None and re.match(r"^[A-Za-z_].*\(", line) and not line.startswith(("#", "typedef", "enum", "extern")):
            head = i
        if head is not None and line.rstrip().endswith("{"):
            words = " ".join(lines[head : i + 1]).rstrip()
            name = re.search(r"(\w+)\((?:[^()]|\([^()]*\))*\)\s*\{$", words)
            if name and "=" not in words.split("(")[0]:
                found.append((name.group(1), i + 1, next(k for k in range(i, len(lines)) if lines[k].rstrip() == "}")))
            head = None
        elif head is not None and re.search(r"[;}]\s*$", line):
            one = re.match(r"^[\w* ]+?(\w+)\(.*\)\s*\{(.*)\}\s*$", line)
            if one and head == i:
                found.append((one.group(1), i, i))
            head = None
    return found


def reached(sources, whole):
    """For every file the functions that steps reach, from `.step =` or a function `step` on; all of them where whole(file) says so."""
    bodies, local = {}, {}
    for file, text in sources.items():
        lines = bare(text).split("\n")
        for name, first, last in functions(bare(text)):
            bodies[file, name] = "\n".join(lines[first : max(last, first + 1)])
            local.setdefault(name, []).append(file)
    seen, todo = set(), []
    for file, text in sources.items():
        roots = [*re.findall(r"\.step\s*=\s*(\w+)", bare(text)), "step"]  # a macro may make the line of the table
        todo += [(f, name) for name in roots for f in (local.get(name, []) if name.startswith("spd_") else [file]) if (f, name) in bodies]
        todo += [(f, name) for f, name in bodies if f == file and whole(file)]
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
    """Lines first to last of a file: kind "statement" deletes them, "condition" lets the `if` there always hold."""

    def __init__(self, file, first, last, lines, kind):
        self.file, self.first, self.last, self.kind = file, first, last, kind
        self.key = " ".join(line.strip() for line in lines[first : last + 1])
        self.number = self.fate = self.by = None
        self.seconds = 0


def mutants(file, text, names):
    lines, clean, out = text.split("\n"), bare(text).split("\n"), []
    for name, first, last in functions(bare(text)):
        if name not in names or first == last:
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
                start = None  # a header with a block
            elif depth == 0 and code.endswith((";", "}")):
                head = clean[start].strip()
                final = all(clean[k].strip() in ("", "}") for k in range(i + 1, last))
                follows = next((clean[k].strip() for k in range(i + 1, last) if clean[k].strip()), "")
                # an `if` that has an `else` goes with it only: its body and its condition are mutated alone
                own = [Mutant(file, start, i, lines, "statement")] if not re.match(r"else\b", follows) else []
                if re.match(r"(if|for|while|else)\b", head) and i > start and head.endswith((")", "else")):
                    own += [Mutant(file, start + 1, i, lines, "statement")] if head != "else" else []
                    own += [Mutant(file, start, start, lines, "condition")] if re.match(r"(else )?if\b", head) else []
                for m in own:  # a declaration is needed below, a last `return` is demanded
                    said = clean[m.first].strip()
                    if DECLARATION.match(said) or final and said.startswith("return"):
                        m.fate = "does not compile"
                out += [m for m in own if not re.match(r"\(void\)", clean[m.first].strip())]
                start = None
    return out


def _place(code):
    """Where in a line the statement begins: behind indentation, `} else`, and a label of a switch."""
    return re.match(r"\s*(?:\}\s*)?(?:else\b\s*)?(?:(?:case\b[^:?]*|default\s*):\s*)?", code).end()


def _condition(clean, first, last):
    """Places (line, column) behind the opening parenthesis of the `if` and at its closing one."""
    depth, begun = 0, None
    for i in range(first, last + 1):
        for k, c in enumerate(clean[i]):
            if begun is None and not re.search(r"\bif\s*\($", clean[i][: k + 1]):
                continue
            depth += {"(": 1, ")": -1}.get(c, 0)
            if begun is None:
                begun = (i, k + 1)
            if depth == 0:
                return begun, (i, k)
    return None


def instrument(text, own, count):
    """The source with all mutants of `own` (none of which has a fate), and on the same lines."""
    lines, clean, put = text.split("\n"), bare(text).split("\n"), []
    for m in own:
        if m.kind == "statement":
            put += [(m.first, _place(clean[m.first]), 1, f"{{ if (SPD_KEEP({m.number})) "), (m.last, len(clean[m.last].rstrip()), 2, " }")]
        else:
            begin, end = _condition(clean, m.first, m.last)
            put += [(*begin, 0, f"SPD_SURE({m.number}) || ("), (*end, 2, ")")]
    for line, column, _, words in sorted(put, key=lambda p: (p[0], p[1], p[2]), reverse=True):
        lines[line] = lines[line][:column] + words + lines[line][column:]
    return PRELUDE % {"page": PAGE, "size": size_of_shared(count)} + "\n".join(lines)


def compiling(text, own, path, flags, count):
    """Writes the instrumented file; those of `own` that do not compile get that fate."""
    name = os.path.basename(path)
    while True:
        with open(path, "w") as out:
            out.write(instrument(text, [m for m in own if not m.fate], count))
        done = subprocess.run(["cc", *flags, "-w", "-fsyntax-only", path], capture_output=True, text=True)
        if done.returncode == 0:
            return
        at = [int(line) - 1 for line in re.findall(re.escape(name) + r":(\d+):\d+: (?:error|note: in expansion)", done.stderr)]
        bad = [m for m in own if not m.fate and any(m.first <= line <= m.last for line in at)]
        if not bad:  # an `else` that has lost its `if`, a label: what stands before
            bad = sorted((m for m in own if not m.fate and m.first <= at[0]), key=lambda m: -m.first)[:2] if at else []
        if not bad:
            raise SystemExit(f"mutation.py: {path} does not compile:\n{done.stderr}")
        for m in bad:
            m.fate = "does not compile"
