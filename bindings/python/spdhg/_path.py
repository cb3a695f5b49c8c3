# _path.py - a path over alpha and the choice along it: spdhg_path_new, and a grid over gamma and also_sparse around it.
from __future__ import annotations

import itertools
import warnings
from typing import Any, Dict, Optional

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv

from ._base import OUTCOMES, printer
from ._call import Watch, make_long
from ._catalog import classifies
from ._graph import graph_options
from ._native import ffi, lib
from ._plot import plot_path
from ._problem import also_sparse, number, solve_options
from ._structure import LEARNED

INFORMATION = ("aic", "bic", "ebic")
KEPT = ("classes_", "n_features_in_", "feature_names_in_", "structure_")
CRITERIA = ("loss", "accuracy", "auc") + INFORMATION


class Path:
    """A path over alpha: `alphas` (decreasing), `coefs` (alphas x [outputs x] features), `intercepts`, `table` (a dict of columns, for
    pandas.DataFrame), the positions `best`, `one_se` and `chosen`, and `alpha`, the chosen one."""

    def __init__(self, handle: Any, problem: Any, choose: str) -> None:
        count = ffi.new("int64_t *")
        points = lib.spdhg_path_points(handle, count)
        names = [name for name, _ in ffi.typeof("spdhg_path_point").fields]
        rows = range(count[0])
        self.table: Dict[str, np.ndarray] = {name: np.array([getattr(points[i], name) for i in rows]) for name in names}
        self.table["alpha"] = self.alphas = self.table.pop("lambda")
        self.table["outcome"] = np.array([OUTCOMES[o] for o in self.table["outcome"]])
        v, scale = problem.view, problem.scale
        x, c = np.empty((len(rows), v.features, v.outputs)), np.empty((len(rows), v.outputs))
        intercept = ffi.new("const double **")
        for i in rows:
            at = lib.spdhg_path_coefficients(handle, i, intercept)
            x[i] = np.frombuffer(ffi.buffer(at, 8 * v.features * v.outputs)).reshape(v.features, v.outputs)
            c[i] = np.frombuffer(ffi.buffer(intercept[0], 8 * v.outputs))
        if scale is not None:
            x /= scale[None, :, None]
        one = v.outputs == 1
        self.coefs = x[:, :, 0] if one else x.transpose(0, 2, 1)
        self.intercepts = c[:, 0] if one else c
        self.best, self.one_se = int(lib.spdhg_path_best(handle)), int(lib.spdhg_path_one_se(handle))
        self.chosen = int(lib.spdhg_path_chosen(handle))
        self.outcome, self.choose = OUTCOMES[lib.spdhg_path_outcome(handle)], choose
        self.alpha = float(self.alphas[self.chosen])
        self.value = float(lib.spdhg_path_value(handle, self.best))
        self._fitted: Any = None

    def estimator(self, position: Optional[int] = None) -> Any:
        """The fitted estimator at a position of the path; None: at the chosen one."""
        return at_position(self._fitted, self.chosen if position is None else range(len(self.alphas))[position])

    def plot(self, kind: str = "path", ax: Any = None) -> Any:
        """'path': the coefficients by alpha; 'cv': the criterion by alpha."""
        if kind not in ("path", "cv"):
            raise ValueError(f"kind={kind!r} is not one of path, cv")
        return plot_path(self, ax, kind)

    def __repr__(self) -> str:
        return f"Path: {len(self.alphas)} alphas from {self.alphas[0]:.3g} to {self.alphas[-1]:.3g}, chosen {self.alpha:.3g}"


def at_position(cv: Any, position: int) -> Any:
    from . import StructuredClassifier, StructuredRegressor

    kind = StructuredClassifier if cv._classify else StructuredRegressor
    given = cv.get_params(deep=False)
    fitted = kind(**{name: given[name] for name in kind().get_params() if name in given}, alpha=float(cv.path_.alphas[position]))
    fitted.set_params(gamma=cv.gamma_, also_sparse=cv.also_sparse_)
    whole = position == cv.path_.chosen  # of the others only coefficients and a line of the table were kept
    for name, value in vars(cv).items():
        if name in KEPT or (whole and name.endswith("_") and name not in ("path_", "alphas_", "alpha_")):
            setattr(fitted, name, value)
    fitted._model = cv._model.copy()
    fitted._model.change(cv.path_.coefs[position], cv.path_.intercepts[position])
    fitted._set_coefficients()
    if not whole:
        line = {name: column[position] for name, column in cv.path_.table.items()}
        fitted.objective_, fitted.gap_relative_, fitted.outcome_ = line["objective"], line["gap_relative"], str(line["outcome"])
        fitted.dual_ = np.empty(0)
    return fitted


def _folds(cv: Any, X: Any, y: Any, choose: str, classify: bool, options: Any) -> Optional[np.ndarray]:
    """Sets the number of folds; the array of given ones, or None."""
    rows = X.shape[0]
    if choose in INFORMATION:
        options.folds = 0
        return None
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv={cv}: expected at least 2 folds, or a choose of {', '.join(INFORMATION)}")
        if rows < cv:
            raise ValueError(f"cv={cv} folds of n_samples={rows}: every fold needs a row")
        options.folds = int(cv)
        return None
    labels = y.b if classify else y
    fold = np.full(rows, -1, np.int64)
    splits = list(check_cv(cv, labels, classifier=classify).split(np.zeros((rows, 1)), labels))
    for k, (_, test) in enumerate(splits):
        if (fold[test] >= 0).any():
            raise ValueError("cv: a row is in two test parts; repeated splits are not supported, see `repeats`")
        fold[test] = k
    if (fold < 0).any():
        raise ValueError("cv: a row is in no test part")
    options.folds, options.repeats = len(splits), 1
    return fold


def _path_options(p: Dict[str, Any], X: Any, y: Any, fold_groups: Any, classify: bool) -> tuple:
    o = ffi.new("spdhg_path_options *")
    o[0] = lib.spdhg_default_path_options()
    if p["choose"] not in CRITERIA:
        raise ValueError(f"choose={p['choose']!r} is not one of {', '.join(CRITERIA)}")
    if p["rule"] not in ("1se", "min"):
        raise ValueError(f"rule={p['rule']!r} is not one of 1se, min")
    o.lambdas, o.repeats = int(number("n_alphas", p["n_alphas"], 1)), int(number("repeats", p["repeats"], 1))
    o.ratio = 0 if p["alpha_ratio"] is None else number("alpha_ratio", p["alpha_ratio"])
    o.lambda_max = 0 if p["alpha_max"] is None else number("alpha_max", p["alpha_max"])
    o.saturation = number("saturation", p["saturation"])
    fold = _folds(p["cv"], X, y, p["choose"], classify, o)
    keep = [ffi.new("char[]", str(p[name]).encode()) for name in ("choose", "rule", "solver")]
    o.choose, o.rule, o.solver = keep
    for name, values in (("fold", fold), ("group", fold_groups)):
        if values is None:
            continue
        if len(values) != X.shape[0]:
            raise ValueError(f"fold_groups has {len(values)} entries for {X.shape[0]} rows")
        numbers = np.ascontiguousarray(values if name == "fold" else np.unique(values, return_inverse=True)[1], np.int64)
        keep.append(ffi.from_buffer("int64_t[]", numbers))
        setattr(o, name, keep[-1])
    return o, keep


def fit_cv(cv: Any, X: Any, y: Any, sample_weight: Any, offset: Any, fold_groups: Any) -> Any:
    p = cv.get_params(deep=False)
    cv._check_loss()
    X, y = cv._take(X, y)
    options, keep = _path_options(p, X, y, fold_groups, cv._classify)
    solve, also = solve_options(p, cv.random_state)
    if p["solver_params"]:
        raise ValueError("solver_params are for a single fit; a path has none")
    if isinstance(cv.structure, str) and cv.structure == LEARNED:
        keep.append(graph_options({"n_jobs": p["n_jobs"]})[0])
        options.learn = keep[-1]  # again in every fold, from its training rows
    watch = Watch(printer(cv.verbose, type(cv).__name__))
    watch.attach(solve, keep, also)
    gammas = [p["gamma"]] if p["gammas"] is None else list(p["gammas"])
    sparsities = [also_sparse(p)] if p["sparsities"] is None else list(p["sparsities"])
    best, interrupt = None, None
    for gamma, sparse in itertools.product(gammas, sparsities):
        problem = cv._problem(X, y, sample_weight, offset, 1.0, {**p, "gamma": gamma, "also_sparse": sparse})
        handle, interrupt = make_long("path", lib.spdhg_path_new, problem.handle, options, solve, free=lib.spdhg_path_free,
                                      keep=(problem, watch), watch=watch)
        path = Path(handle, problem, p["choose"])
        if best is None or path.value < best[0].value:
            best = path, handle, problem, gamma, sparse
        if interrupt:
            break
    assert best is not None
    path, handle, problem, gamma, sparse = best
    cv._keep(lib.spdhg_path_solver(handle), problem, y, path.outcome)
    cv.path_, cv.alphas_, cv.alpha_ = path, path.alphas, path.alpha
    cv.gamma_, cv.also_sparse_ = float(gamma), float(sparse)
    path._fitted = cv
    if interrupt:
        raise interrupt
    if path.outcome == "limit":
        open_points = int((path.table["outcome"] != "converged").sum())
        worst = np.nanmax(path.table["gap_relative"])
        warnings.warn(f"at {open_points} of {len(path.alphas)} alphas the relative gap was not proven to tol; the largest is {worst:.3g}",
                      ConvergenceWarning, stacklevel=3)
    return cv


def fit_path(X: Any, y: Any, sample_weight: Any, offset: Any, fold_groups: Any, p: Dict[str, Any]) -> Path:
    from . import StructuredClassifierCV, StructuredRegressorCV

    kind = StructuredClassifierCV if classifies(p["loss"]) else StructuredRegressorCV
    known = kind().get_params()
    return kind(**{name: value for name, value in p.items() if name in known}).fit(X, y, sample_weight, offset, fold_groups).path_
