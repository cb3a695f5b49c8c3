#!/usr/bin/python3
# parameters.py - makes the R package ready to build: parameters.py LIBRARY.so SOURCE DESTINATION. Copies the package, and writes
# R/parameters.R (signatures and defaults) and the arguments in man/*.Rd from the tables inside the library (spdhg_option, spdhg_list).
# What R names otherwise or adds is here.
import ctypes
import math
import os
import re
import shutil
import sys
import textwrap

# The command's names in the habits of glmnet; the others keep theirs, with . for -.
NAMES = {"loss": "family", "lambdas": "nlambda", "lambda-ratio": "lambda.min.ratio", "l1-ratio": "alpha", "folds": "nfolds", "fold-file": "foldid"}
# Where R takes more than the command, or says it otherwise.
MORE = {
    "family": "Or by glmnet's names: \"gaussian\" (squared), \"binomial\" (logistic), \"multinomial\" (softmax), \"poisson\", \"mgaussian\" "
              "(squared, y a matrix); or a family object of R with its usual link.",
    "structure": "Also a vector of two or three sides of a grid, c(height, width), when the features are the pixels as R stores a matrix; "
                 "an edge list (a matrix or data frame with two columns, and a third of weights; features by number from 1 or by name); a symmetric "
                 "matrix with an empty diagonal (a graph's adjacency); any other sparse matrix, which is F itself; an igraph graph; "
                 "the answer of \\code{learn_graph}. \"grid\" alone is a square. With a formula the default is \"categories\" if there are factors.",
    "groups": "Or a number or a name for each row of F, a factor, or a list of the rows (columns of x, without a structure) of each group.",
    "lambda": "NULL: a path of them. One number: a single solve, as the command's fit. Several: the path at these.",
    "alpha": "As in glmnet; see the vignette for what glmnet does to the ridge of family gaussian.",
    "penalty.weights": "Here a vector.",
    "class.weight": "\"balanced\", or a vector with the labels as names.",
    "param": "A named list. Only for a single lambda.",
    "seed": "NULL: drawn from R's own random numbers, which are otherwise never touched.",
    "batch": "A number or \"auto\".", "threads": "", "max.memory": "A number of bytes, or \"500M\", \"2G\".",
    "choose": "Here aic, bic, ebic or cp, without folds; cv.spdhg does it by cross-validation. NULL: nothing is chosen.",
    "foldid": "Here a vector with the fold of each row, from 1, as in glmnet.", "fold.groups": "Here a vector.",
    "gammas": "The one with the best cvm is kept.", "sparsities": "The one with the best cvm is kept.",
    "checkpoint": "Only for a single lambda.", "resume": "Only for a single lambda.",
    "rho": "A number, or \"auto\", \"ebic\", \"stars\".",
}
DEFAULTS = {"family": '"gaussian"', "lambda": "NULL", "choose": "NULL"}
WORDS = [("; exit status 4 if it is not proven", ""), ("; see spdhg list solvers", ""), ("; may be repeated", ""), ("--", ""),
         (", or a file with a group number for each row of F, or lines feature,group", ""), ("file with a factor", "a factor"),
         ("file with a whole number", "a whole number"), ("file with the fold of each row, from 0", "the fold of each row"),
         ("column of a CSV file, or file, of row weights", "row weights"),
         ("column of a CSV file, or file, with a known part", "a known part"),
         (", edges:FILE (a graph), matrix:FILE.mtx (default: grid for images and with --isotropic, else chain)", ""), ("save the running solve to FILE", "save the running solve to this file")]
OWN = {"verbose": ("0", "1: a line for each measured point; 2: also decisions; \"bar\": one line that is written over."),
       "keep.data": ("TRUE", "keep x and y in the answer (R does not copy them): \\code{residuals}, \\code{duality_gap}, \\code{certificate} and "
                             "\\code{write_model} need them."),
       "type.measure": ('"default"', "as in glmnet: \"deviance\" (the default; the loss where a family has no deviance), \"mse\", \"mae\", \"class\" or \"auc\"."),
       "grouped": ("TRUE", "as in glmnet: standard errors over folds, not over rows."),
       "keep": ("FALSE", "keep the predictions of held-out rows, as \\code{fit.preval}.")}
FIRST = ["family", "structure", "lambda", "weights", "offset"]
NOT_HERE = {"no-intercept"}
CV_ONLY = {"gammas", "sparsities", "folds", "repeats", "fold-groups", "fold-file", "rule"}


class Entry(ctypes.Structure):  # spdhg_entry
    _fields_ = [("name", ctypes.c_char_p), ("help", ctypes.c_char_p), ("reference", ctypes.c_char_p), ("kind", ctypes.c_int),
                ("classify", ctypes.c_bool), ("probabilities", ctypes.c_bool), ("argument", ctypes.c_char_p), ("topic", ctypes.c_char_p),
                ("text", ctypes.c_char_p), ("value", ctypes.c_double), ("min", ctypes.c_double), ("max", ctypes.c_double),
                ("param", ctypes.c_void_p), ("params", ctypes.c_int64), ("stochastic", ctypes.c_bool)]


FLAG = 0


class Tables:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for function in (self.library.spdhg_list, self.library.spdhg_option):
            function.restype, function.argtypes = ctypes.c_bool, [ctypes.c_char_p, ctypes.c_int64, ctypes.POINTER(Entry)]

    def entries(self, function, group):
        at, entry = 0, Entry()
        while function(group.encode(), at, ctypes.byref(entry)):
            yield entry
            at += 1
            entry = Entry()

    def options(self, group, without=()):
        """{R's name: (default, help)} in the table's order"""
        found = {}
        for entry in self.entries(self.library.spdhg_option, group):
            name = entry.name.decode()
            if name not in NOT_HERE and name not in without:
                found[r_name(name)] = (self.default(entry), self.help(entry))
        return found

    def default(self, entry):
        name = r_name(entry.name.decode())
        if name in DEFAULTS:
            return DEFAULTS[name]
        if entry.text is not None:
            return '"' + entry.text.decode() + '"'
        if math.isnan(entry.value):
            return "NULL"
        return ("TRUE" if entry.value else "FALSE") if entry.kind == FLAG else repr(entry.value).removesuffix(".0")

    def help(self, entry):
        name, text = r_name(entry.name.decode()), entry.help.decode()
        for old, new in WORDS:
            text = text.replace(old, new)
        if entry.topic is not None:
            text += ": " + ", ".join(e.name.decode() for e in self.entries(self.library.spdhg_list, entry.topic.decode()))
        return text.strip().removesuffix(".") + ". " + MORE.get(name, "")


def r_name(name):
    return NAMES.get(name, name).replace("-", ".")


def escape(text):
    return text.replace("%", "\\%").replace("{", "\\{").replace("}", "\\}") if "\\code" not in text else text.replace("%", "\\%")


def signature(parameters):
    return ",\n    ".join(f"{name} = {default}" for name, (default, _) in parameters.items())


def function(name, before, parameters, body, more=""):
    listed = ",\n        ".join(f"{p} = {p}" for p in parameters)
    first = f"{before},\n    " if before else ""
    return f"{name} <- function({first}{signature(parameters)}{more}) {{\n{body.format(p=f'list({listed})')}\n}}\n"


def made_of(tables):
    """{function of R: (what comes first, parameters, body)}"""
    threads = {n: v for n, v in tables.options("data").items() if n in ("threads", "max.memory")}
    fit = {**tables.options("problem"), **tables.options("solve"), **tables.options("path", CV_ONLY), **threads}
    fit = {**{n: fit[n] for n in FIRST}, **{n: v for n, v in fit.items() if n not in FIRST},
           "verbose": OWN["verbose"], "keep.data": OWN["keep.data"]}
    path = tables.options("path")
    single = ("param", "checkpoint", "checkpoint.every", "resume", "choose", "noise")
    folds = {n: path[n] for n in path if n in {r_name(option) for option in CV_ONLY - {"rule"}}}
    cv = {**{n: v for n, v in fit.items() if n not in single}, **folds, **{n: OWN[n] for n in ("type.measure", "grouped", "keep")}}
    early = FIRST + ["nfolds", "foldid", "type.measure"]
    cv = {**{n: cv[n] for n in early}, **{n: v for n, v in cv.items() if n not in early}}
    graph = {**tables.options("graph"), **threads}
    solve = tables.options("solve")
    denoise = {**tables.options("denoise", ("positions", "weights", "column")), "solver": solve["solver"], "tol": solve["tol"], "time": solve["time"],
               **threads, "verbose": OWN["verbose"]}
    denoise["structure"] = (denoise["structure"][0], denoise["structure"][1] + MORE["structure"].split(" With a formula")[0])
    denoise["loss"] = denoise.pop("family")
    denoise["loss"] = ('"squared"', denoise["loss"][1].split(" Or by glmnet")[0])
    denoise["choose"] = ('"cv"', denoise["choose"][1].split(" Here aic")[0])
    denoise["lambda"] = ("NULL", denoise["lambda"][1].split(" NULL: a path")[0])
    refuse = "    refuse(...)\n"
    return {"spdhg.default": ("x, y", fit, refuse + "    fit_model(x, y, {p}, match.call())", ",\n    ..."),
            "cv.spdhg.default": ("x, y", cv, refuse + "    cross_validate(x, y, {p}, match.call())", ",\n    ..."),
            "learn_graph": ("x", graph, "    learn_from(x, {p})", ""),
            "denoise": ("y, positions = NULL, weights = NULL", denoise, "    denoise_signals(y, positions, weights, {p}, match.call())", "")}


def items(parameters):
    lines = []
    for name, (_, about) in parameters.items():
        about = escape(about[0].upper() + about[1:]).strip()
        lines.append("\\item{%s}{%s}" % (name, "\n".join(textwrap.wrap(about, 100))))
    return "\n".join(lines)


def usage(name, before, parameters, more):
    generic = re.match(r"(cv\.spdhg|spdhg)\.default$", name)
    shown = "\\method{%s}{default}" % generic.group(1) if generic else name
    return f"{shown}({before},\n    {signature(parameters)}{more})".replace("%", "\\%")


def main():
    library, source, destination = map(os.path.abspath, sys.argv[1:])
    tables = Tables(library)
    made = made_of(tables)
    shutil.rmtree(destination, ignore_errors=True)
    shutil.copytree(source, destination, ignore=shutil.ignore_patterns("tools", "README.md", "*.o", "*.so", "Makevars"))
    words = {option: r_name(option) for group in ("problem", "solve", "path", "graph", "denoise", "data") for option in
             (e.name.decode() for e in tables.entries(tables.library.spdhg_option, group))}
    with open(os.path.join(destination, "R", "parameters.R"), "w") as out:
        out.write("# Made from the library's tables by tools/parameters.py.\n")
        out.write("option_names <- c(%s)\n" % ",\n    ".join(f'"{a}" = "{b}"' for a, b in words.items()))
        for name, (before, parameters, body, more) in made.items():
            out.write(function(name, before, parameters, body, more))
    for page in sorted(os.listdir(os.path.join(destination, "man"))):
        path = os.path.join(destination, "man", page)
        with open(path) as file:
            text = file.read()
        for name, (before, parameters, _, more) in made.items():
            text = text.replace(f"%USAGE {name}%", usage(name, before, parameters, more)).replace(f"%ARGUMENTS {name}%", items(parameters))
        with open(path, "w") as file:
            file.write(text)


main()
