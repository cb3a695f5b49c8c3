# _path.py - a path over alpha and the choice along it: spdhg_path_new, and a grid over gamma and also_sparse around it.
from __future__ import annotations

import itertools
import numbers
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import GroupKFold, check_cv

from ._base import OUTCOMES
from ._call import Watch, call, make_long, text
from ._catalog import classifies
from ._check import bound, flag, number, whole
from ._data import is_small
from ._graph import graph_options
from ._model import Model
from ._native import ffi, lib
from ._plot import plot_path
from ._problem import also_sparse, solve_options, weights_of
from ._progress import printer
from ._structure import LEARNED
from ._table import without_gaps

INFORMATION = ("aic", "bic", "ebic", "cp")
KEPT = ("classes_", "n_features_in_", "feature_names_in_", "structure_", "penalty_weights_", "_seen", "_dtype", "_column", "_tabular", "_target")
FOLD_SCORES = ("loss", "accuracy", "auc")
CRITERIA = ("loss", "accuracy", "auc") + INFORMATION


class Path:
    """A path over alpha: `alphas` (decreasing), `coefs` (alphas x [outputs x] features), `intercepts`, `table` (a dict of columns, for
    pandas.DataFrame), the positions `best`, `one_se` and `chosen`, and `alpha`, the chosen one. `fold_scores`: for each fold and alpha
    the score by which alpha was chosen, larger is better (None: no folds); `fold_losses` the mean loss of its held-out rows."""

    def __init__(self, handle: Any, problem: Any, choose: str) -> None:
        count = ffi.new("int64_t *")
        points = lib.spdhg_path_points(handle, count)
        names = [name for name, _ in ffi.typeof("spdhg_path_point").fields]
        rows = range(count[0])
        self.table: Dict[str, np.ndarray] = {name: np.array([getattr(points[i], name) for i in rows]) for name in names}
        self.table["alpha"] = self.alphas = self.table.pop("lambda")
        self.table["outcome"] = np.array([OUTCOMES[o] for o in self.table["outcome"]])
        self.table["gap_kind"] = np.array([text(points[i].gap_kind) for i in rows])
        v, scale = problem.view, problem.scale
        self.scale = scale
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
        weight = ffi.new("double *")
        of_folds: List[np.ndarray] = []
        while (at := lib.spdhg_path_fold_scores(handle, len(of_folds), weight)) != ffi.NULL:
            of_folds.append(np.frombuffer(ffi.buffer(at, 24 * len(rows))).reshape(len(rows), 3).copy())
        self.fold_losses: Optional[np.ndarray] = np.stack(of_folds)[:, :, 0] if of_folds else None
        self.fold_scores: Optional[np.ndarray] = None
        if of_folds and choose in FOLD_SCORES:
            self.fold_scores = np.stack(of_folds)[:, :, FOLD_SCORES.index(choose)] * (-1 if choose == "loss" else 1)

    def _choose(self, handle: Any, scores: np.ndarray, rule: str) -> None:
        """The choice by a scorer's values, folds x alphas, larger is better: among equal ones the largest alpha."""
        mean = scores.mean(axis=0)
        error = scores.std(axis=0, ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else np.zeros(len(mean))
        self.best = int(np.nanargmax(mean))
        self.one_se = int(np.flatnonzero(mean >= mean[self.best] - error[self.best])[0])
        self.chosen = self.one_se if rule == "1se" else self.best
        self.alpha, self.value, self.fold_scores = float(self.alphas[self.chosen]), -float(mean[self.best]), scores
        self.table["score"], self.table["score_error"] = mean, error
        self.choose = "score"
        call(lib.spdhg_path_choose, handle, self.chosen)

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
    fitted.set_params(also_sparse=cv.also_sparse_, l1_ratio=cv.l1_ratio_)
    if not weights_of({**given, "l1_ratio": cv.l1_ratio_}, 1.0).follows:
        fitted.set_params(gamma=cv.gamma_)
    whole = position == cv.path_.chosen  # of the others only coefficients and a line of the table were kept
    for name, value in vars(cv).items():
        if name in KEPT or (whole and (name == "_history" or name.endswith("_")) and name not in ("path_", "alphas_", "alpha_")):
            setattr(fitted, name, value)
    fitted._model = cv._model.copy()
    fitted._model.change(cv.path_.coefs[position], cv.path_.intercepts[position])
    fitted._set_coefficients()
    if not whole:
        line = {name: column[position] for name, column in cv.path_.table.items()}
        fitted.objective_, fitted.gap_relative_, fitted.outcome_ = line["objective"], line["gap_relative"], str(line["outcome"])
        fitted.gap_, fitted.gap_kind_ = line["gap"], str(line["gap_kind"])
        fitted.dual_ = np.empty(0)
    return fitted


class Splits(NamedTuple):
    """How rows are held out: by folds that the library makes, or by `parts`, splits x rows (0 train, 1 test, -1 neither), of which
    `fold` is the short form if every row is in one test part and trained on in all others."""

    folds: int
    fold: Optional[np.ndarray] = None
    parts: Optional[np.ndarray] = None


def _parts(splitter: Any, X: Any, labels: Any, groups: Optional[np.ndarray]) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
    try:
        yield from splitter.split(X, labels, groups)
    except ValueError as error:
        if groups is None and "groups" in str(error):
            raise ValueError(f"cv={splitter!r} needs the group of each row: fit(X, y, fold_groups=...)") from error
        raise


def _splits(p: Dict[str, Any], X: Any, y: Any, groups: Optional[np.ndarray], classify: bool) -> Splits:
    cv, rows = p["cv"], X.shape[0]
    if p["choose"] in INFORMATION and p["scoring"] is None:
        return Splits(0)
    whole = isinstance(cv, numbers.Integral) and not isinstance(cv, bool)
    if whole:
        if cv < 2:
            raise ValueError(f"cv={cv}: expected at least 2 folds, or choose= one of {', '.join(INFORMATION)}")
        if rows < cv:
            raise ValueError(f"cv={cv} folds of n_samples={rows}: every fold needs a row")
        if p["scoring"] is None:
            return Splits(int(cv))
    labels = y.classes[y.at] if classify else y
    splitter = GroupKFold(int(cv)) if whole and groups is not None else check_cv(cv, labels, classifier=classify)
    made: List[np.ndarray] = []
    for train, test in _parts(splitter, X, labels, groups):
        part = np.full(rows, -1, np.int8)
        part[train] = 0
        part[test] = 1
        if not len(test) or not (part == 0).any():
            raise ValueError(f"cv: split {len(made)} has no rows to {'hold out' if not len(test) else 'train on'}")
        made.append(part)
    parts = np.ascontiguousarray(made, np.int8)
    if len(parts) == 0:
        raise ValueError("cv: there are no splits")
    if len(parts) > 1 and ((parts == 1).sum(axis=0) == 1).all() and (parts >= 0).all():
        return Splits(len(parts), parts.argmax(axis=0).astype(np.int64), parts)
    return Splits(len(parts), None, parts)


def _ratios(p: Dict[str, Any]) -> list:
    """l1_ratio, one or several."""
    return [p["l1_ratio"]] if np.ndim(p["l1_ratio"]) == 0 else list(np.ravel(p["l1_ratio"]))


def _alphas(values: Any) -> Optional[np.ndarray]:
    if values is None:
        return None
    alphas = np.unique(np.asarray(values, np.float64).ravel())[::-1]
    if alphas.size == 0 or not np.isfinite(alphas).all() or alphas[-1] < 0:
        raise ValueError(f"alphas={values!r} are not finite numbers of at least 0")
    return np.ascontiguousarray(alphas)


def _path_options(p: Dict[str, Any], X: Any, fold_groups: Optional[np.ndarray], splits: Splits) -> tuple:
    o = ffi.new("spdhg_path_options *")
    o[0] = lib.spdhg_default_path_options()
    if p["choose"] not in CRITERIA:
        raise ValueError(f"choose={p['choose']!r} is not one of {', '.join(CRITERIA)}")
    if p["rule"] not in ("1se", "min"):
        raise ValueError(f"rule={p['rule']!r} is not one of 1se, min")
    alphas = _alphas(p["alphas"])
    o.lambdas, o.repeats = whole("n_alphas", p["n_alphas"], 1), whole("repeats", p["repeats"], 1)
    o.ratio = 0 if p["alpha_ratio"] is None else number("alpha_ratio", p["alpha_ratio"])
    o.lambda_max = 0 if p["alpha_max"] is None else number("alpha_max", p["alpha_max"])
    o.saturation = number("saturation", p["saturation"])
    o.noise = 0 if p["noise"] is None else number("noise", p["noise"])
    o.folds, o.keep_folds = splits.folds, p["scoring"] is not None
    keep = [ffi.new("char[]", str(p[name]).encode()) for name in ("choose", "rule", "solver")]
    o.choose, o.rule, o.solver = keep
    if p["scoring"] is not None:
        keep.append(ffi.new("char[]", b"loss"))
        o.choose = keep[-1]
    if alphas is not None:
        keep.append(ffi.from_buffer("double[]", alphas))
        o.lambdas = len(alphas)
        setattr(o, "lambda", keep[-1])
    if splits.parts is not None:
        o.repeats = 1
        short = splits.fold is not None
        keep.append(ffi.from_buffer("int64_t[]", splits.fold) if short else ffi.from_buffer("signed char[]", splits.parts))
        setattr(o, "fold" if short else "part", keep[-1])
    elif fold_groups is not None:
        keep.append(ffi.from_buffer("int64_t[]", np.ascontiguousarray(np.unique(fold_groups, return_inverse=True)[1], np.int64)))
        o.group = keep[-1]
    return o, keep


def _scores_of(cv: Any, path: Path, handle: Any, X: Any, y: Any, splits: Splits) -> np.ndarray:
    """folds x alphas: what `scoring` says of each fold's model about the rows it has not seen."""
    from . import StructuredClassifier, StructuredRegressor

    kind = StructuredClassifier if cv._classify else StructuredRegressor
    shell = kind(loss=cv.loss)
    shell.n_features_in_ = X.shape[1]
    for name in ("_seen", "_dtype", "_column"):
        if hasattr(cv, name):
            setattr(shell, name, getattr(cv, name))
    shell._model = Model.of_solver(lib.spdhg_path_solver(handle))
    if cv._classify:
        shell.classes_ = y.classes
    labels = y.classes[y.at] if cv._classify else y
    v = shell._model.view
    scorer, intercept = check_scoring(shell, cv.scoring), ffi.new("const double **")
    assert splits.parts is not None
    scores = np.empty((splits.folds, len(path.alphas)))
    for f in range(splits.folds):
        test = np.flatnonzero(splits.parts[f] == 1)
        for i in range(len(path.alphas)):
            at = lib.spdhg_path_fold_coefficients(handle, f, i, intercept)
            x = np.frombuffer(ffi.buffer(at, 8 * v.features * v.outputs)).reshape(v.features, v.outputs)
            if path.scale is not None:
                x = x / path.scale[:, None]
            shell._model.change(x.T, np.frombuffer(ffi.buffer(intercept[0], 8 * v.outputs)))
            shell._set_coefficients()
            scores[f, i] = scorer(shell, X[test], labels[test])
    return scores


class Candidate(NamedTuple):
    path: Path
    handle: Any
    problem: Any
    p: Dict[str, Any]  # with this path's gamma, also_sparse and l1_ratio


def _results(tried: List[Candidate], p: Dict[str, Any]) -> Dict[str, Any]:
    """The columns of GridSearchCV's cv_results_: a line for each alpha of each path."""
    lines = [{"alpha": float(alpha), "gamma": weights_of(c.p, alpha).gamma, "also_sparse": also_sparse(c.p), "l1_ratio": c.p["l1_ratio"]}
             for c in tried for alpha in c.path.alphas]
    found: Dict[str, Any] = {"params": lines, **{f"param_{name}": np.array([line[name] for line in lines]) for name in lines[0]}}
    if all(c.path.fold_scores is not None for c in tried):
        scores = np.hstack([c.path.fold_scores for c in tried if c.path.fold_scores is not None])
        for f, values in enumerate(scores):
            found[f"split{f}_test_score"] = values
        found["mean_test_score"], found["std_test_score"] = scores.mean(axis=0), scores.std(axis=0)
    else:
        found["mean_test_score"] = np.concatenate([-c.path.table[p["choose"]] for c in tried])
    order = np.argsort(-np.nan_to_num(found["mean_test_score"], nan=-np.inf), kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(1, len(order) + 1)
    found["rank_test_score"] = rank
    return found


def fit_cv(cv: Any, X: Any, y: Any, sample_weight: Any, offset: Any, fold_groups: Any) -> Any:
    try:
        return _fit_cv(cv, *without_gaps(cv.missing, X, y, sample_weight, offset, fold_groups))
    finally:
        cv._table = None


def _fit_cv(cv: Any, X: Any, y: Any, sample_weight: Any, offset: Any, fold_groups: Any) -> Any:
    p = cv._given()
    cv._check_loss()
    X, y = cv._take(X, y)
    groups = None if fold_groups is None else np.asarray(fold_groups)
    if groups is not None and len(groups) != X.shape[0]:
        raise ValueError(f"fold_groups has {len(groups)} entries for {X.shape[0]} rows")
    if cv._one_against_rest(y):
        return _each_class(cv, X, y, sample_weight, offset, groups)
    if p["penalty"] is None or p["penalty"] == "none":
        raise ValueError("penalty=None: there is no alpha to choose")
    if p["alphas"] is None and any(weights_of({**p, "l1_ratio": ratio}, 1.0).alpha == 0 for ratio in _ratios(p)):
        raise ValueError("a path of ridge penalties alone has no largest alpha: give alphas")
    splits = _splits(p, X, y, groups, cv._classify)
    interrupt = _search(cv, X, y, sample_weight, offset, p, groups, splits)
    if interrupt is None and flag("adaptive", cv.adaptive):
        weights = cv._adapted
        if weights is not None:
            interrupt = _search(cv, X, y, sample_weight, offset, {**p, "penalty_weights": weights}, groups, splits)
            cv.penalty_weights_ = weights
    cv.__dict__.pop("_adapted", None)
    if interrupt:
        raise interrupt
    path = cv.path_
    if path.outcome == "limit":
        open_points = int((path.table["outcome"] != "converged").sum())
        gaps = path.table["gap_relative"]
        worst = f"the largest is {bound(np.nanmax(gaps))}" if np.isfinite(gaps).any() else "no gap is known"
        warnings.warn(f"at {open_points} of {len(path.alphas)} alphas the relative gap was not proven to tol; {worst}",
                      ConvergenceWarning, stacklevel=4)
    return cv


def _search(cv: Any, X: Any, y: Any, sample_weight: Any, offset: Any, p: Dict[str, Any], groups: Optional[np.ndarray],
            splits: Splits) -> Optional[BaseException]:
    """A path for each of gammas and sparsities; the best is what the estimator keeps. Returns an interrupt, to be raised."""
    options, keep = _path_options(p, X, groups, splits)
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
    tried: List[Candidate] = []
    interrupt = None
    for gamma, sparse, ratio in itertools.product(gammas, sparsities, _ratios(p)):
        own = {**p, "gamma": gamma, "also_sparse": sparse, "l1_ratio": ratio}
        problem = cv._problem(X, y, sample_weight, offset, 1.0, own)
        handle, interrupt = make_long("path", lib.spdhg_path_new, problem.handle, options, solve, free=lib.spdhg_path_free,
                                      keep=(problem, watch), watch=watch, small=is_small(X))
        path = Path(handle, problem, p["choose"])
        if p["scoring"] is not None and interrupt is None and path.outcome != "interrupted":
            path._choose(handle, _scores_of(cv, path, handle, X, y, splits), p["rule"])
        tried.append(Candidate(path, handle, problem, own))
        if interrupt:
            break
    watch.close()
    best = min(tried, key=lambda c: c.path.value if not np.isnan(c.path.value) else np.inf)
    path = best.path
    cv._keep(lib.spdhg_path_solver(best.handle), best.problem, y, path.outcome)
    best.problem.check_forbidden(cv._model)
    cv.path_, cv.alphas_, cv.alpha_ = path, path.alphas, path.alpha
    cv.gamma_, cv.also_sparse_, cv.l1_ratio_ = weights_of(best.p, path.alpha).gamma, also_sparse(best.p), best.p["l1_ratio"]
    cv.cv_results_ = _results(tried, p)
    if path.fold_losses is not None and cv.loss == "squared":
        cv.mse_path_ = 2 * path.fold_losses.T / (y.shape[1] if y.ndim == 2 else 1)
    path._fitted = cv
    if flag("adaptive", cv.adaptive):
        cv._adapted = best.problem.adapted(cv._model.coef)
    return interrupt


def _each_class(cv: Any, X: Any, y: Any, sample_weight: Any, offset: Any, groups: Optional[np.ndarray]) -> Any:
    """Losses for two classes: alpha is chosen for each class against the rest."""
    cv._fit_each(X, y, sample_weight, offset, fold_groups=groups)
    for name in ("alpha_", "gamma_", "also_sparse_", "l1_ratio_"):
        setattr(cv, name, np.array([getattr(one, name) for one in cv.estimators_]))
    for name in ("alphas_", "path_", "cv_results_"):
        setattr(cv, name, [getattr(one, name) for one in cv.estimators_])
    return cv


def fit_path(X: Any, y: Any, sample_weight: Any, offset: Any, fold_groups: Any, p: Dict[str, Any]) -> Path:
    from . import StructuredClassifierCV, StructuredRegressorCV

    kind = StructuredClassifierCV if classifies(p["loss"]) else StructuredRegressorCV
    known = kind().get_params()
    return kind(**{name: value for name, value in p.items() if name in known}).fit(X, y, sample_weight, offset, fold_groups).path_
