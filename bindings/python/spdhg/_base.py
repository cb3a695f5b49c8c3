# _base.py - what the estimators share: rows and labels in, a solved problem out, predictions through the library's model.
from __future__ import annotations

import copy
import html
import os
import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import validation
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ._call import Watch, call, doubles, run, text
from ._catalog import classifies, stochastic
from ._check import bound, flag, number
from ._data import check_compressed, data_handle, is_small
from ._model import Model
from ._native import ffi, lib
from ._plot import plot_coef, plot_history
from ._problem import Problem, class_weight_spec, set_params, solve_options
from ._progress import printer
from ._structure import LEARNED, structure_matrix
from ._table import Table, Tabular, is_frame, origins, without_gaps

OUTCOMES = {code: name[len("SPDHG_OUTCOME_"):].lower() for code, name in ffi.typeof("spdhg_outcome").elements.items()}
CODES = {name: code for code, name in OUTCOMES.items()}
POINT = np.dtype([(name, "i8" if name == "iteration" else "f8") for name, _ in ffi.typeof("spdhg_point").fields])
KINDS = np.array(["certified", "none"])  # of the gaps in history_: what is not proven for all x is NaN there
DTYPES = [np.float64, np.float32]


def is_plain(estimator: Any, X: Any, reset: bool) -> bool:
    """X needs no conversion and says nothing of names: a C-ordered float64 array, or CSR, of the expected width."""
    if type(X) is np.ndarray:
        plain = X.dtype == np.float64 and X.ndim == 2 and X.flags.c_contiguous and X.size > 0
    else:
        plain = type(X) is sp.csr_matrix and X.data.dtype == np.float64 and X.indices.dtype == np.int32 and X.shape[0] > 0 and X.shape[1] > 0
    return plain and (reset or X.shape[1] == getattr(estimator, "n_features_in_", -1)) and not hasattr(estimator, "feature_names_in_")


def is_plain_target(y: Any, rows: int) -> bool:
    """y is an array of finite numbers, one for each row."""
    return type(y) is np.ndarray and y.shape == (rows,) and (y.dtype.kind in "iub" or (y.dtype == np.float64 and bool(np.isfinite(y).all())))


def validate(estimator: Any, *data: Any, **wishes: Any) -> Any:
    """scikit-learn's own check of X and y, which moved in 1.6; the library checks that X is finite, in a pass it makes anyway. What it
    would return as it came is returned at once: the check takes as long as a small fit."""
    X, reset = data[0], wishes.get("reset", True)
    if is_plain(estimator, X, reset) and (len(data) == 1 or is_plain_target(data[1], X.shape[0])):
        estimator.n_features_in_ = X.shape[1]
        return X if len(data) == 1 else data
    if sp.issparse(X):
        check_compressed(data[0])
    wishes = dict(accept_sparse="csr", dtype=DTYPES, order="C", **wishes)
    if hasattr(validation, "validate_data"):
        return validation.validate_data(estimator, *data, ensure_all_finite=False, **wishes)
    return estimator._validate_data(*data, force_all_finite=False, **wishes)


def row_weights(weight: Any, rows: int) -> Optional[np.ndarray]:
    """A finite weight of at least 0 for each row."""
    if weight is None:
        return None
    if isinstance(weight, str):
        raise ValueError(f"sample_weight={weight!r}: expected a number for each row (class_weight='balanced' balances classes)")
    weight = np.asarray(weight, np.float64)
    if weight.ndim == 0:
        return np.full(rows, float(weight))
    weight = np.ascontiguousarray(weight)
    if weight.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weight.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(rows,)}!")
    if not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if weight.size and weight.min() < 0:
        row = int(np.flatnonzero(weight < 0)[0])
        raise ValueError(f"sample_weight: row {row} (counted from 0) has the weight {weight[row]:g}: expected at least 0")
    return weight


def _check_labels(y: np.ndarray) -> None:
    try:
        check_classification_targets(y)
    except ValueError as error:
        if "continuous" in str(error):
            raise ValueError(f"{error}: these are numbers, not labels; for them there is StructuredRegressor, or loss='squared'") from None
        kinds = sorted({type(label).__name__ for label in y.ravel()})
        raise ValueError(f"{error}: labels are of one kind, texts or numbers; here there are {' and '.join(kinds)}") from None


def _target(y: Any) -> Any:
    """pandas' arrays of numbers that may be missing, as numpy's; a value that is missing is named."""
    kind: Any = getattr(y, "dtype", None)
    if hasattr(kind, "numpy_dtype") and hasattr(y, "isna"):  # Int64, boolean
        missing = np.flatnonzero(np.asarray(y.isna()))
        y = np.asarray(y, object) if len(missing) else y.to_numpy(kind.numpy_dtype)
    elif getattr(kind, "kind", "") == "O" and getattr(y, "ndim", 0) == 1 and not hasattr(y, "isna"):
        missing = np.flatnonzero([value is None for value in y])
    else:
        return y
    if len(missing):
        raise ValueError(f"Input y contains NaN: row {missing[0]} (counted from 0) has no value")
    return y


class Labels:
    """Labels as the library needs them: numbers unchanged, anything else as positions in a list of texts."""

    def __init__(self, y: np.ndarray) -> None:
        if y.dtype.kind not in "biu":
            _check_labels(y)
        self.classes, self.at = np.unique(y, return_inverse=True)
        self.texts: Optional[List[str]] = None
        kind = self.classes.dtype.kind
        as_numbers = kind in "bf" or (kind in "iu" and max(abs(int(self.classes[0])), abs(int(self.classes[-1]))) < 2**53)
        if as_numbers:
            self.b = np.ascontiguousarray(y, np.float64)
        else:
            self.texts = [str(c) for c in self.classes]
            self.b = self.at.astype(np.float64)

    def seen(self, weight: Optional[np.ndarray]) -> np.ndarray:
        """Positions of the classes that rows with nonzero weight have: the others cannot be learned."""
        return np.arange(len(self.classes)) if weight is None else np.unique(self.at[weight > 0])

    def weight_spec(self, weights: Any, sample_weight: Optional[np.ndarray]) -> Optional[bytes]:
        """'balanced' counts rows, as in scikit-learn, whatever their weights; the library's own counts weights."""
        if isinstance(weights, str) and weights == "balanced" and sample_weight is not None:
            count = np.bincount(self.at)
            weights = {c.item() if hasattr(c, "item") else c: len(self.at) / (len(count) * n) for c, n in zip(self.classes, count)}
        return class_weight_spec(weights, self.classes, self.texts is not None)


def _pair(eval_set: Any) -> tuple:
    """(X, y), also as the only one of a list, as other packages want it."""
    if isinstance(eval_set, list) and len(eval_set) == 1:
        eval_set = eval_set[0]
    if not isinstance(eval_set, (tuple, list)) or len(eval_set) != 2 or isinstance(eval_set[1], tuple):
        raise ValueError("eval_set: expected one pair (X, y)")
    return tuple(eval_set)


def points_of(solver: Any) -> np.ndarray:
    count = ffi.new("int64_t *")
    points = lib.spdhg_solver_trace(solver, count)
    return np.frombuffer(ffi.buffer(points, int(count[0]) * POINT.itemsize), POINT).copy() if count[0] else np.empty(0, POINT)


class Structured(Tabular, BaseEstimator):
    _classify: bool
    coef_: Any  # an array, or a CSR matrix after sparsify()
    intercept_: Any
    dual_: np.ndarray
    gap_: float
    gap_relative_: float
    gap_kind_: str
    _history: Any  # the points of the solve, or columns
    n_iter_: int
    objective_: float
    outcome_: str
    solver_: str
    _names: Tuple[str, ...]

    # ---- rows and labels

    def _check_loss(self) -> None:
        if classifies(self.loss) != self._classify:
            other = "StructuredRegressor" if self._classify else "StructuredClassifier"
            raise ValueError(f"loss={self.loss!r} is for {'numbers' if self._classify else 'labels'}: use {other}")

    def _given(self) -> Dict[str, Any]:
        """The parameters by name, without the introspection of get_params."""
        return {name: getattr(self, name) for name in self._names}

    def _take(self, X: Any, y: Any, reset: bool = True) -> tuple:
        """X as float64, and y as Labels or as float64. float32 comes back as float32, see _cast."""
        table = self._table_of(X, reset)
        if reset:
            self._tabular, self._target = table is not None, getattr(y, "name", None)
        y = _target(y)
        if self.loss == "poisson" and getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:  # one count for each row, as in PoissonRegressor
            y = column_or_1d(np.asarray(y), warn=True)
        wishes = {"multi_output": not self._classify, "y_numeric": not self._classify}
        X, y = validate(self, X, y, reset=reset, **wishes) if table is None else self._validate_table(X, table, y, reset, wishes)
        self._table = table
        if reset:
            self._dtype = X.dtype
            self._column = not self._classify and y.ndim == 2 and y.shape[1] == 1  # targets of shape (n, 1) are answered in kind
        if X.dtype != np.float64:
            X = X.astype(np.float64)
        return X, Labels(y) if self._classify else np.ascontiguousarray(y, np.float64)

    def _validate_table(self, X: Any, table: Table, y: Any, reset: bool, wishes: Dict[str, Any]) -> tuple:
        """scikit-learn's checks of y and of the sizes; the number and the names of the features that go in are those of the columns."""
        before = {name: self.__dict__.pop(name, None) for name in ("n_features_in_", "feature_names_in_")}
        inner = X is table.X
        table.X, y = validate(self, table.X, y, **wishes)
        if reset and not inner:
            before = {"n_features_in_": len(X.columns) if is_frame(X) else X.shape[1],
                      "feature_names_in_": np.array([str(name) for name in X.columns], dtype=object) if is_frame(X) else None}
        for name, value in before.items():
            if value is not None:
                setattr(self, name, value)
        return table.X, y

    def _offset(self, X: Any, offset: Any) -> Optional[np.ndarray]:
        if offset is None:
            return None
        offset = np.ascontiguousarray(offset, np.float64)
        if offset.ndim not in (1, 2) or offset.shape[0] != X.shape[0]:
            raise ValueError(f"offset has shape {offset.shape}: expected {X.shape[0]} rows")
        return offset

    def _handle(self, X: Any, y: Any, weight: Optional[np.ndarray], offset: Optional[np.ndarray]) -> Any:
        b, labels = (y.b, y.texts) if self._classify else (y, None)
        columns = self._columns()
        data = data_handle(X, b, weight, offset, labels, None if columns is not None else getattr(self, "feature_names_in_", None))
        if columns is not None:
            target = ffi.NULL if self.__dict__.get("_target") is None else str(self._target).encode()
            call(lib.spdhg_data_set_columns, data, columns, target)
        return data

    def _problem(self, X: Any, y: Any, sample_weight: Any, offset: Any, alpha: float, p: Dict[str, Any]) -> Problem:
        weight = row_weights(sample_weight, X.shape[0])
        data = self._handle(X, y, weight, self._offset(X, offset))
        loss, classes = self.loss, None
        if self._classify:
            self._seen = y.seen(weight)
            loss = "softmax" if loss == "logistic" and len(y.classes) > 2 and len(self._seen) > 1 else loss
            classes = y.weight_spec(p["class_weight"], weight)
        slope = 1.0
        if p["penalty_weights"] is not None and np.isinf(np.asarray(p["penalty_weights"], np.float64)).any():
            squares = X.multiply(X) if sp.issparse(X) else np.square(X)
            slope = float(np.sqrt(squares.mean(axis=0)).sum() * (1 if self._classify else 1 + np.abs(y).max()))
        names = getattr(self, "feature_names_in_", None) if self._table is None else self._table.names
        return Problem(p, data, X.shape[1], loss, alpha, classes, names, slope)

    # ---- the solve

    def _fit(self, X: Any, y: Any, sample_weight: Any, offset: Any, eval_set: Any) -> "Structured":
        try:
            X, y, sample_weight, offset = without_gaps(self.missing, X, y, sample_weight, offset)
            return self._fit_rows(X, y, sample_weight, offset, eval_set)
        finally:
            self._table = None

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any, offset: Any, eval_set: Any) -> "Structured":
        p = self._given()
        self._check_loss()
        X, y = self._take(X, y)
        if self._one_against_rest(y):
            return self._fit_each(X, y, sample_weight, offset, eval_set)
        problem, tol = self._solve(X, y, sample_weight, offset, eval_set, p, flag("warm_start", self.warm_start))
        if flag("adaptive", self.adaptive):
            weights = problem.adapted(self._model.coef)
            if weights is not None:
                _, tol = self._solve(X, y, sample_weight, offset, eval_set, {**p, "penalty_weights": weights}, False)
                self.penalty_weights_ = weights
        self._warn(tol)
        return self

    def _solve(self, X: Any, y: Any, sample_weight: Any, offset: Any, eval_set: Any, p: Dict[str, Any], warm: bool,
               certificate: Any = None) -> tuple:
        problem = self._problem(X, y, sample_weight, offset, self._alpha(), p)
        options, keep = solve_options(p, self.random_state)
        watch = Watch(printer(self.verbose, type(self).__name__))
        watch.attach(options, keep)
        out = ffi.new("spdhg_solver **")
        small = is_small(X)
        interrupt = run(watch, lib.spdhg_solver_new, out, str(p["solver"]).encode(), problem.handle, options, small=small,
                        free=lib.spdhg_solver_free, patience=0.0)
        solver = ffi.gc(out[0], lambda pointer, _=(problem, watch): lib.spdhg_solver_free(pointer))
        if interrupt:
            raise interrupt
        set_params(solver, self.solver_params)
        if warm and hasattr(self, "coef_"):
            self._start(solver, problem)
        test = self._test(solver, eval_set)
        outcome = ffi.new("spdhg_outcome *")
        interrupt = run(watch, lib.spdhg_solver_run, solver, outcome, small=small)
        watch.close()
        self._keep(solver, problem, y, OUTCOMES[outcome[0]])
        del test
        if interrupt:
            raise interrupt
        if certificate is not None:
            call(lib.spdhg_solver_certificate, solver, os.fsencode(certificate))
        problem.check_forbidden(self._model)
        return problem, options.tol

    def _one_against_rest(self, y: Any) -> bool:
        return False

    def _fit_each(self, X: Any, y: Any, sample_weight: Any, offset: Any, eval_set: Any) -> "Structured":
        raise NotImplementedError

    def _alpha(self) -> float:
        return number("alpha", self.alpha)

    def _start(self, solver: Any, problem: Problem) -> None:
        """Where the last fit ended, if the sizes still match."""
        v = problem.view
        if self._model.view.features != v.features or self._model.view.outputs != v.outputs:
            return
        self._refresh()
        x, c = problem.penalised(self._model.coef), self._model.intercept
        y = np.ascontiguousarray(self.dual_.ravel()) if self.dual_.size == v.dual else None
        call(lib.spdhg_solver_start, solver, doubles(x), doubles(c), doubles(y))

    def _test(self, solver: Any, eval_set: Any) -> Any:
        """Held-out rows for the columns test_loss and test_score of history_."""
        if eval_set is None:
            return None
        X, y = _pair(eval_set)
        X, y = self._take(X, y, reset=False)
        handle = self._handle(X, y, None, None)
        call(lib.spdhg_solver_test, solver, handle)
        return handle

    def _keep(self, solver: Any, problem: Problem, y: Any, outcome: str) -> None:
        s = lib.spdhg_solver_solution(solver)
        self._model = Model.of_solver(solver)
        if self._classify:
            self.classes_ = y.classes
        self._set_coefficients()
        rows = s.dual // s.outputs
        dual = np.frombuffer(ffi.buffer(s.y, 8 * s.dual), np.float64).copy() if s.dual else np.empty(0)
        self.dual_ = dual if s.outputs == 1 else dual.reshape(rows, s.outputs)
        self.gap_, self.gap_relative_, self.gap_kind_ = s.gap, s.gap_relative, text(s.gap_kind) or "none"
        self.objective_, self.train_loss_, self.penalty_ = s.objective, s.train_loss, s.penalty
        self.n_iter_ = max(1, int(np.ceil(s.epochs)))
        self.seconds_, self.solver_, self.outcome_ = s.seconds, text(s.solver) or "", outcome
        self._history = points_of(solver)
        if isinstance(self.structure, str) and self.structure == LEARNED:
            self.structure_ = structure_matrix(problem.F)

    @property
    def history_(self) -> Dict[str, np.ndarray]:
        """The columns of the measured points; a gap that is not proven for all x is NaN."""
        if isinstance(self._history, np.ndarray):
            columns = {name: self._history[name].copy() for name in POINT.names or ()}
            columns["gap_kind"] = KINDS[np.isnan(columns["gap"]).astype(np.intp)]
            self._history = columns
        return self._history

    def _set_coefficients(self) -> None:
        raise NotImplementedError

    def _warn(self, tol: float) -> None:
        short = self.outcome_ == "done" and self.solver == "auto" and not self.gap_relative_ <= 1e-6  # by name: as many passes as asked
        if self.outcome_ in ("converged", "done", "interrupted") and not short:
            return
        said = f"max_iter={self.max_iter}, time={self.time}: too small" if short else text(lib.spdhg_outcome_text(CODES[self.outcome_]))
        proven = f"proven within {bound(self.gap_)} of the best possible (relative gap {bound(self.gap_relative_)})"
        if self.gap_kind_ != "certified":
            proven = "nothing is proven" if self.gap_kind_ == "none" else f"gap {bound(self.gap_)} only within a radius"
        hint = "; perhaps there is no finite optimum: try gamma > 0" if self.gamma == 0 and self.gap_kind_ != "certified" else ""
        warnings.warn(f"{said}: objective {self.objective_:.6g}, {proven}, requested {tol if tol > 0 else 1e-6:g}{hint}", ConvergenceWarning, stacklevel=5)

    # ---- predictions

    def _cast(self, values: np.ndarray) -> np.ndarray:
        """float32 for float32."""
        return values.astype(self._dtype, copy=False) if values.dtype.kind == "f" else values

    def _refresh(self) -> None:
        """Tells the model what coef_ and intercept_ are now: a user may have changed them."""
        coef = self.coef_.toarray() if sp.issparse(self.coef_) else np.asarray(self.coef_)
        self._model.change(*self._of_model(coef, np.ravel(self.intercept_)))

    def _of_model(self, coef: np.ndarray, intercept: np.ndarray) -> tuple:
        """What _set_coefficients made of the model's, back."""
        return coef, intercept

    def _rows(self, X: Any) -> Any:
        """The features of rows to be predicted."""
        check_is_fitted(self)
        table = self._table_of(X, False)
        return validate(self, X, reset=False) if table is None else table.X

    def _scores(self, X: Any, offset: Any) -> np.ndarray:
        X = self._rows(X)
        self._refresh()
        names = getattr(self, "feature_names_in_", None)
        return self._model.scores(X if X.dtype == np.float64 else X.astype(np.float64), self._offset(X, offset), names)

    def sparsify(self) -> Any:
        """Turn coef_ into a scipy CSR matrix, which saves memory if most coefficients are 0. Predictions stay the same."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Any:
        """Turn coef_ back into an array."""
        check_is_fitted(self)
        if sp.issparse(self.coef_):
            flat = not self._classify and np.ndim(self.intercept_) == 0
            self.coef_ = self.coef_.toarray()[0] if flat else self.coef_.toarray()
        return self

    @property
    def sparse_coef_(self) -> sp.csr_matrix:
        """coef_ as a scipy CSR matrix."""
        return sp.csr_matrix(self.coef_)

    @property
    def coefficients_(self) -> Any:
        """coef_ as a pandas DataFrame: a line for each feature by its name (and level, if the model is about a table), a column for each
        output."""
        import pandas

        check_is_fitted(self)
        coef = np.atleast_2d(self.coef_.toarray() if sp.issparse(self.coef_) else self.coef_)
        names, columns = getattr(self, "feature_names_in_", None), self._columns()
        index = pandas.Index(range(coef.shape[1]) if names is None else names, name="feature")
        if columns is not None:
            index = pandas.MultiIndex.from_tuples(list(origins(columns)), names=["feature", "level"])
        one = coef.shape[0] == 1
        outputs = ["coefficient"] if one else list(self.classes_) if self._classify else [f"output {k}" for k in range(len(coef))]
        return pandas.DataFrame(coef.T, index=index, columns=outputs)

    # ---- scikit-learn's tags and pages

    def _more_tags(self) -> dict:  # before scikit-learn 1.6
        return {"multioutput": not self._classify and self.loss != "poisson", "binary_only": self._two_classes(), "preserves_dtype": DTYPES,
                "poor_score": self.constraint != "all", "requires_positive_y": self.loss == "poisson", "_xfail_checks": self._not_checked()}

    def _two_classes(self) -> bool:
        """A solver that does not take softmax, which logistic means for more classes."""
        return self._classify and self.loss == "logistic" and self.solver in ("ipm", "lasso")

    def _not_checked(self) -> Dict[str, str]:
        """Checks of scikit-learn that such an estimator cannot pass, and why."""
        found: Dict[str, str] = {}
        if self.solver == "lasso":
            found["check_regressor_multioutput"] = "solver='lasso' works for one output only"
        if self._classify and str(self.constraint).startswith("simplex"):
            found["check_classifiers_classes"] = "coefficients of at least 0 with a given sum: there may be a class that no row gets"
            if str(self.loss).startswith("smooth-hinge"):
                found["check_sample_weights_invariance"] = "a loss with straight pieces on a simplex: several intercepts may be optimal"
        if stochastic(self.solver):
            found["check_sample_weights_invariance"] = (
                f"solver={self.solver!r} draws rows, and which ones depends on how many there are: a row of weight 0 changes the draws, so that "
                "answers are alike to the accuracy that the passes allow, not to the last digits")
        if hasattr(self, "cv"):  # as LassoCV says of itself
            found["check_sample_weights_invariance"] = "folds are made of all rows, also of those of weight 0, and are others without them"
        return found

    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6 on
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = not self._classify
        if self._two_classes():
            tags.classifier_tags.multi_class = False
        tags.target_tags.positive_only = self.loss == "poisson"
        if self.constraint != "all":  # what a set leaves of the model need not fit well
            (tags.classifier_tags if self._classify else tags.regressor_tags).poor_score = True
        return tags

    def _certificate_html(self) -> str:
        if not hasattr(self, "objective_"):
            return ""
        gap = getattr(self, "gap_", np.nan)
        kinds = {"certified": f"proven within {bound(gap)} of the best possible (relative {bound(getattr(self, 'gap_relative_', np.nan), 2)})",
                 "within_radius": f"gap {bound(gap)} within a radius only: not proven for all coefficients"}
        says = kinds.get(getattr(self, "gap_kind_", "none"), "nothing is proven")
        return (f"<div style='font-family:sans-serif;font-size:small;margin:4px 0'>objective {self.objective_:.6g}, {html.escape(says)}; "
                f"{html.escape(str(self.outcome_))}, {html.escape(str(self.solver_))}</div>")

    def _repr_html_(self) -> str:
        """The page a notebook shows: scikit-learn's, and below it what is proven."""
        from sklearn.utils import estimator_html_repr

        return estimator_html_repr(self) + self._certificate_html()

    def _repr_mimebundle_(self, **_: Any) -> Dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def save(self, path: Any) -> None:
        """Write the model file that `spdhg predict` and `load_model` read."""
        check_is_fitted(self)
        self._refresh()
        self._model.write(path)

    def certificate(self, path: Any, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> None:
        """Write a proof of how far the answer can be from the best possible one, which `bench/check-certificate` checks against the data in
        exact arithmetic (docs/certificate.md). X, y and the rest are those of the fit, which is repeated from where it ended. Of a path:
        `path_.estimator().certificate(...)`."""
        check_is_fitted(self)
        if hasattr(self, "estimators_"):
            raise ValueError("each class has its own problem here: write the certificates of estimators_[k], with y == classes_[k]")
        if not hasattr(self, "alpha"):
            raise ValueError("a certificate is of one alpha: path_.estimator().certificate(...)")
        again = copy.copy(self)
        again._model = self._model.copy()
        X, y, sample_weight, offset = without_gaps(self.missing, X, y, sample_weight, offset)
        X, y = again._take(X, y, reset=False)
        p = self._given()
        if flag("adaptive", self.adaptive) and hasattr(self, "penalty_weights_"):
            p["penalty_weights"] = self.penalty_weights_
        again._solve(X, y, sample_weight, offset, None, p, True, path)

    def plot(self, kind: str = "coef", ax: Any = None, output: int = 0) -> Any:
        """'coef': the coefficients, as an image where the structure is a grid; 'history': objective and gap by epoch."""
        check_is_fitted(self)
        if kind == "history":
            return plot_history(self.history_, ax)
        if kind != "coef":
            raise ValueError(f"kind={kind!r} is not one of coef, history")
        return plot_coef(self, ax, output)

