# parameters.py - writes spdhg/_parameters.py: signatures, defaults, types and help of the estimators and functions, from the
# tables inside the library (spdhg_option, spdhg_list), and __init__.pyi beside it from stub.pyi: parameters.py EXTENSION OUT.py. What Python adds or names otherwise is here.
import importlib.util
import keyword
import math
import os
import re
import sys
import textwrap

# The command's names in scikit-learn's habits; the others keep theirs, with _ for -.
NAMES = {"lambda": "alpha", "set": "constraint", "intercept": "fit_intercept", "seed": "random_state", "epochs": "max_iter",
         "threads": "n_jobs", "param": "solver_params", "weights": "sample_weight", "lambdas": "n_alphas",
         "lambda-ratio": "alpha_ratio", "lambda-max": "alpha_max", "folds": "cv", "fold-file": "cv", "jobs": "n_jobs"}
# Where Python takes more than the kind of the command's value says.
TYPES = {"groups": "Union[str, int, ArrayLike, Sequence[Sequence[int]], None]", "structure": "Any", "penalty_weights": "Optional[ArrayLike]",
         "class_weight": "Union[Literal['balanced'], Mapping[Any, float], None]", "solver_params": "Optional[Mapping[str, float]]",
         "batch": "Union[int, Literal['auto'], None]", "random_state": "Any", "cv": "Any", "rho": "Union[float, Literal['auto', 'ebic', 'stars'], None]",
         "max_memory": "Union[int, str, None]", "sampling": "Literal['iid', 'norm', 'shuffle']", "rule": "Literal['1se', 'min']",
         "choose": "Literal['loss', 'accuracy', 'auc', 'aic', 'bic', 'ebic', 'cp']",
         "missing": "Literal['error', 'drop', 'mean', 'median']", "unseen": "Literal['error', 'other']",
         "solvers": "Union[str, Sequence[str]]", "gammas": "Optional[Sequence[float]]", "sparsities": "Optional[Sequence[float]]"}
MORE = {"loss": "`logistic` means softmax for more than two classes.",
        "structure": "Also a tuple of two or three sides of a grid; an edge list of (i, j) or (i, j, weight), features counted from 0 or by "
                     "their names, as a list, an array or a DataFrame; a graph of networkx or igraph; a scipy sparse matrix: square, symmetric and with an empty diagonal it is "
                     "a graph's adjacency, any other is F itself; a `Graph` of `learn_graph`. `grid` alone is a square.",
        "groups": "Or an array of these numbers or of names, a list of lists of rows (features, if F is the identity), or the size of a "
                  "group.",
        "penalty": "Also `elasticnet` (l1 with `l1_ratio`, by default 0.5), `l2` (alpha weighs the ridge alone) and None (nothing is "
                   "penalised).",
        "l1_ratio": "As in ElasticNet and glmnet: alpha * l1_ratio * r(F x) + alpha * (1 - l1_ratio) / 2 * ||x||^2.",
        "penalty_weights": "Here an array. inf forbids: F x is 0 in that row.",
        "class_weight": "`balanced`, or a dict {label: weight}.",
        "solver_params": "A dict {name: value}; `spdhg.catalog('solvers')` lists them.",
        "max_iter": "", "n_jobs": "None: 1, as in scikit-learn; -1: all cores.", "max_memory": "A number of bytes, or '500M', '2G'.",
        "random_state": "A whole number, a numpy Generator or RandomState; None: a new one each time.",
        "cv": "Or any scikit-learn splitter, or a list of (train, test).",
        "rule": "LassoCV takes the best, which is `min`.",
        "gammas": "", "sparsities": ""}
# What only Python has.
OWN = {"warm_start": ("bool", "False", "start where the last fit ended"),
       "adaptive": ("bool", "False", "fit twice, the second time with the weights 1/|F x| of the first answer: large entries are hardly "
                    "shrunk, small ones do not pay off"),
       "verbose": ("Union[int, Literal['bar']]", "0", "1: a line for each measured point; 2: also decisions; 'bar': a progress bar")}
SEVERAL = {"l1_ratio": ("Union[float, Sequence[float], None]", " Several of them: the best path, as in ElasticNetCV.")}
ALONG = {"alphas": ("Optional[ArrayLike]", "None", "these alphas; None: `n_alphas` of them, from the smallest at which F x = 0 down"),
         "scoring": ("Any", "None", "choose by this scorer of scikit-learn, a name or a function of (estimator, X, y); None: by `choose`"),
         "adaptive": OWN["adaptive"], "verbose": OWN["verbose"]}
WORDS = [("exit status 4", "ConvergenceWarning"), ("solve to FILE", "solve to this file"),
         ("; see spdhg list solvers", ""), ("; may be repeated", ""), (", or a file with a group", ", or a group"),
         ("lambdas", "alphas"), ("lambda", "alpha"), ("*alpha*", " alpha ")]
# What spdhg.denoise takes, and what is to be added to its help.
DENOISING = {"structure": " Also a tuple of sides, an edge list, a networkx graph or a scipy sparse matrix, as in the estimators; `grid` "
                          "alone has the sides of y.",
             **dict.fromkeys(["isotropic", "loss", "alpha", "choose", "noise", "cv", "rule", "n_alphas", "alpha_ratio", "solver", "tol", "time",
                              "n_jobs", "max_memory", "verbose"], "")}
# Of a DataFrame; which of its columns are categories, and in which order, is said by their types.
TABLE = {"missing": " In rows to predict, a gap counts as what fitting has put in such places.", "unseen": "",
         "reference": " Or a dict {name: level}."}
NOT_HERE = {"no-intercept", "weights", "offset", "fold-groups", "fold-file"}
CLASSES_ONLY = {"class-weight", "allow-one-class"}
ONE_SOLVE = {"lambda", "checkpoint", "checkpoint-every", "resume"}


def load(path):
    spec = importlib.util.spec_from_file_location("_native", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ffi, module.lib


def python_name(name):
    name = NAMES.get(name, name).replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


class Tables:
    def __init__(self, path):
        self.ffi, self.lib = load(path)

    def text(self, pointer):
        return None if pointer == self.ffi.NULL else self.ffi.string(pointer).decode()

    def entries(self, function, group):
        at, entry = 0, self.ffi.new("spdhg_entry *")
        while function(group.encode(), at, entry):
            yield entry
            at += 1

    def help(self, text):
        for old, new in WORDS:
            text = text.replace(old, new)
        return re.sub(r"--([a-z][a-z0-9-]*)", lambda match: "`" + python_name(match.group(1)) + "`", text)

    def parameter(self, entry):
        """name -> (type, default, help)"""
        name, kind = self.text(entry.name), entry.kind
        python = python_name(name)
        default = self.text(entry.text)
        if default is None and not math.isnan(entry.value):
            default = bool(entry.value) if kind == self.lib.SPDHG_KIND_FLAG else entry.value
            if kind == self.lib.SPDHG_KIND_WHOLE:
                default = int(default)
        plain = {self.lib.SPDHG_KIND_FLAG: "bool", self.lib.SPDHG_KIND_NUMBER: "float", self.lib.SPDHG_KIND_WHOLE: "int"}.get(kind, "str")
        about = re.sub(r" \(default\)$", "", self.help(self.text(entry.help)))
        if entry.topic:
            names = ", ".join(self.text(e.name) for e in self.entries(self.lib.spdhg_list, self.text(entry.topic)))
            about += ": " + names
        about = about[0].upper() + about[1:] + ". " + MORE.get(python, "")
        return python, (self.type_of(python, entry, plain, default), repr(default), about.strip())

    def type_of(self, python, entry, plain, default):
        """A Literal where the values are names without an argument."""
        if python in TYPES:
            return TYPES[python]
        if entry.topic and default is not None:
            names = [self.text(e.name) for e in self.entries(self.lib.spdhg_list, self.text(entry.topic))]
            if python == "penalty":
                return f"Optional[Literal[{', '.join(map(repr, names + ['elasticnet', 'l2', 'none']))}]]"
            if python in ("solver", "method", "format"):
                names = names if default in names else [default] + names
                return f"Literal[{', '.join(map(repr, names))}]"
        return plain if default is not None else f"Optional[{plain}]"

    def group(self, *groups, without=()):
        found = {}
        for group in groups:
            for entry in self.entries(self.lib.spdhg_option, group):
                if self.text(entry.name) not in NOT_HERE | set(without):
                    name, parameter = self.parameter(entry)
                    found[name] = parameter
        return found


def signature(parameters, before):
    lines = [f"    {name}: {kind} = {default}," for name, (kind, default, _) in parameters.items() if f" {name}:" not in before]
    return "\n".join([f"{before}, *,"] + lines)


def listing(parameters):
    return "\n".join(f"{name} : {re.sub('Optional.(.*).$', chr(92) + '1 or None', kind)}, default {default}\n" +
                     textwrap.indent("\n".join(textwrap.wrap(about, 100)), "    ")
                     for name, (kind, default, about) in parameters.items())


def mixin(name, parameters):
    return (f"class {name}:\n    def __init__(\n{textwrap.indent(signature(parameters, '    self'), '    ')}\n    ) -> None:\n" +
            "".join(f"        self.{p} = {p}\n" for p in parameters) +
            # a wrong keyword is told with the name of the estimator
            f'\n    __init__.__qualname__ = "Structured{name.replace("Parameters", "")}.__init__"\n' +
            f"\n    _names: Tuple[str, ...] = {tuple(parameters)!r}\n" +
            f'    _parameters = """{listing(parameters)}"""\n')


FUNCTION = '''def {name}(
{signature}
) -> {result}:
    """{doc}"""
    from .{module} import {name} as function

    given = {{{values}}}
    return function({passed}, given)
'''


def function(name, module, before, passed, result, doc, parameters):
    about = doc.format(parameters=textwrap.indent(listing(parameters), "    "))
    return FUNCTION.format(name=name, module=module, signature=signature(parameters, before), result=result, doc=about, passed=passed,
                           values=", ".join(f"{p!r}: {p}" for p in parameters))


LEARN = '''Learn which features belong together.

    Labels are not looked at. The answer can be given to `structure` of the estimators. At Ctrl-C the methods quic and alm end with what
    they have reached: it is the `graph` of the KeyboardInterrupt.

    Parameters
    ----------
    X : array or sparse matrix, rows x features
{parameters}

    Returns
    -------
    Graph
        with its `edges`, the matrix `F`, a `report`, `to_networkx()` and `plot()`.

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.normal(size=(500, 1))
    >>> X = np.hstack([hidden + 0.3 * rng.normal(size=(500, 3)), rng.normal(size=(500, 3))])
    >>> spdhg.learn_graph(X).edges.tolist()
    [[0, 1], [0, 2], [1, 2]]
    '''
PATH = '''Fit a path over alpha, from the smallest alpha with F x = 0 downwards, each point started at the last and proven to `tol`.

    What `spdhg path` does: with `cv` folds one alpha is chosen. Which estimator it is follows from `loss`.

    Parameters
    ----------
    X : array or sparse matrix, rows x features
    y : labels or targets
    sample_weight : weights of the rows
    offset : known part of the scores, rows or rows x outputs
    fold_groups : a whole number for each row; rows with the same one stay in one fold
{parameters}

    Returns
    -------
    Path
        with `alphas`, `coefs`, `intercepts`, a `table` with a line for each alpha, `chosen`, `estimator()` and `plot()`.

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> X = np.random.default_rng(0).normal(size=(60, 10))
    >>> path = spdhg.fit_path(X, X[:, 0] - X[:, 1], loss="squared", structure="chain", n_alphas=20, cv=0, choose="bic")
    >>> path.coefs.shape[1], int(path.table["nonzeros"][0])
    (10, 10)
    >>> bool(np.all(np.diff(path.alphas) < 0))
    True
    '''
DENOISE = '''Remove the noise from a signal, from several, from an image or from a function on a graph.

    What `spdhg denoise` does: with `alpha`, `noise` or neither, when points are held out to choose alpha. Minimises

        mean_i weights_i loss(x_i, y_i) + alpha r(F x)

    over the values that are there. Packages that take the sum of losses have an alpha that is larger by the number of values: it is the
    `alpha_sum` of the answer.

    Parameters
    ----------
    y : array of one to three axes; NaN, or masked: missing
        one axis: a signal; on a grid all axes are its sides; else the last axis counts signals, each denoised by itself
    positions : where the values of a line are, in any order; None: evenly spaced
    weights : a weight of at least 0 for each value
{parameters}

    Returns
    -------
    Denoised
        with `x`, of the shape of y, and `signals`: for each signal its alpha, gap, degrees of freedom, knots and segments.

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> y = np.repeat([0.0, 2.0, 1.0], 30) + 0.1 * np.random.default_rng(0).normal(size=90)
    >>> answer = spdhg.denoise(y, structure="chain", alpha=0.05)
    >>> [(s.first, s.last) for s in answer.signals[0].segments]
    [(0, 29), (30, 59), (60, 89)]
    '''
RACE = '''Compare solvers on data sets: same rows, start, sampling, clock and evaluation for all, against certified optima.

    What `spdhg race` does. A race that was stopped goes on where it was when called again.

    Parameters
    ----------
    data : name of a file, a list of names, or a dict {{name: (X, y)}}, which is written to the folder first
    folder : where the results are written: summary.json, summary.csv, a CSV of traces and a model for each data set and task
{parameters}

    Returns
    -------
    Race
        with `summary` (a dict), `table` (a dict of columns), `traces(data, task)` and `plot(data, task)`.

    Examples
    --------
    >>> import numpy as np, spdhg, tempfile
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> race = spdhg.race({{"small": (X, X[:, 0] > 0)}}, tempfile.mkdtemp(), solvers="spdhg,auto", structure="chain", quick=True, repeats=1)
    >>> sorted(set(race.table["solver"])), race.traces("small", "gglr")["epoch"][:3].tolist()
    (['auto', 'spdhg'], [0.0, 0.25, 0.5])
    '''
READ = '''Read a data file the way the command does: LIBSVM, CSV, Matrix Market, CLUTO or the binary cache, plain or compressed.

    Parameters
    ----------
    path : name of the file
{parameters}

    Returns
    -------
    Data
        which unpacks to `X` (scipy CSR, or a dense array for dense formats) and `y`; also has `feature_names`, `fold_groups` (qid)
        and `sample_weight`. The arrays are the library's own, nothing is copied.

    Examples
    --------
    >>> import spdhg, tempfile, os
    >>> name = os.path.join(tempfile.mkdtemp(), "small.svm")
    >>> _ = open(name, "w").write("+1 1:0.5 3:2\\\\n-1 2:1\\\\n")
    >>> X, y = spdhg.read(name)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    '''
HEAD = '''# _parameters.py - made by tools/parameters.py from the tables of the library; not to be edited.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Sequence, Tuple, Union

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._data import Data
    from ._denoise import Denoised
    from ._graph import Graph
    from ._path import Path
    from ._race import Race

NAMES = {names!r}
'''


def main():
    tables = Tables(sys.argv[1])
    of_data = tables.group("data")
    machine = {name: of_data[name] for name in ("n_jobs", "max_memory")}
    table = {name: (of_data[name][0], of_data[name][1], of_data[name][2] + more) for name, more in TABLE.items()}
    table["reference"] = ("Union[str, Mapping[str, Any], None]",) + table["reference"][1:]
    one = {**tables.group("problem", "solve"), **table, **machine, **OWN}
    along = {**tables.group("problem", "solve", without=ONE_SOLVE), **tables.group("path"), **table, **machine, **ALONG}
    for name, (kind, more) in SEVERAL.items():
        along[name] = (kind, along[name][1], along[name][2] + more)
    numbers = [python_name(name) for name in CLASSES_ONLY]

    def of_race(parameters):
        """The defaults of a race, where they are others."""
        standard = tables.lib.spdhg_default_race_options()
        for name, field in (("loss", "loss"), ("penalty", "penalty"), ("structure", "structure"), ("constraint", "set"), ("alpha", "lambda"),
                            ("gamma", "gamma"), ("also_sparse", "also_sparse"), ("fit_intercept", "intercept")):
            kind, _, about = parameters[name]
            value = getattr(standard, field)
            value = tables.text(value) if isinstance(value, tables.ffi.CData) else value
            parameters[name] = (re.sub("^Optional.(.*).$", r"\1", kind), repr(value), re.sub(r" \(default 0.*\)", "", about))
        return parameters

    def regression(parameters):
        kept = {name: parameter for name, parameter in parameters.items() if name not in numbers}
        kind, _, about = kept["loss"]
        return {**kept, "loss": (kind, repr("squared"), about.replace(MORE["loss"], "").strip())}

    def other(parameters, **standards):
        """The same with other defaults."""
        return {**parameters, **{name: (parameters[name][0], repr(value), parameters[name][2]) for name, value in standards.items()}}

    def of_denoise():
        found = {**tables.group("denoise", without={"positions", "column"}), **tables.group("solve"), **machine, "verbose": OWN["verbose"]}
        kept = {name: found[name] for name in found if name in DENOISING}
        for name, about in DENOISING.items():
            kind, default, old = kept[name]
            kept[name] = ({"cv": "int", "choose": "Literal['cv', 'cp', 'aic', 'bic', 'ebic']"}.get(name, kind), default, old.replace(MORE.get(name) or "", "").strip() + about)
        return {"folds" if name == "cv" else name: parameter for name, parameter in kept.items()}

    short = regression(one)
    classes = {"ClassifierParameters": one, "RegressorParameters": short, "ClassifierCVParameters": along,
               "RegressorCVParameters": regression(along), "FusedLassoParameters": other(short, structure="chain", also_sparse=1.0),
               "TrendFilterParameters": other(short, structure="trend:1"), "GraphGuidedParameters": other(one, structure="learned"),
               "SparseGroupLassoParameters": other(short, penalty="group", also_sparse=1.0), "DenoiserParameters": of_denoise()}
    functions = {"learn_graph": {**tables.group("graph"), **machine}, "fit_path": along, "denoise": of_denoise(),
                 "race": {**of_race(tables.group("problem", without={"penalty-weights", "l1-ratio"})), **tables.group("race"),
                          "max_memory": machine["max_memory"], "verbose": OWN["verbose"]}, "read": tables.group("data")}
    texts = {"learn_graph": ("_graph", "    X: Any", "X", "Graph", LEARN),
             "fit_path": ("_path", "    X: Any, y: Any, sample_weight: Any = None, offset: Any = None, fold_groups: Any = None",
                          "X, y, sample_weight, offset, fold_groups", "Path", PATH),
             "denoise": ("_denoise", "    y: Any, structure: Any = None, positions: Any = None, weights: Any = None", "y, positions, weights",
                         "Denoised", DENOISE),
             "race": ("_race", "    data: Any, folder: Any", "data, folder", "Race", RACE), "read": ("_data", "    path: Any", "path", "Data", READ)}
    with open(sys.argv[2], "w") as out:
        out.write(HEAD.format(names=NAMES) + "\n\n")
        out.write("\n\n".join([mixin(name, parameters) for name, parameters in classes.items()] +
                              [function(name, *texts[name], parameters) for name, parameters in functions.items()]))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "stub.pyi")) as file:
        stub = file.read()
    for name, parameters in {**classes, **functions}.items():
        before = texts[name][1] if name in texts else ""
        stub = stub.replace("{" + name + "}", ", ".join(f"{p}: {kind} = ..." for p, (kind, _, _) in parameters.items() if f" {p}:" not in before))
    with open(os.path.join(os.path.dirname(sys.argv[2]), "__init__.pyi"), "w") as out:
        out.write(stub)


main()
