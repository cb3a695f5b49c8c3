# _base.py - what the four estimators share: rows and labels in, a solved problem out, predictions through the library's model.
from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, Optional

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils import validation
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._call import Watch, call, doubles, run, text
from ._catalog import classifies
from ._data import data_handle
from ._model import Model
from ._native import ffi, lib
from ._plot import plot_coef, plot_history
from ._problem import Problem, class_weight_spec, number, set_params, solve_options
from ._structure import LEARNED, structure_matrix

OUTCOMES = {code: name[len("SPDHG_OUTCOME_"):].lower() for code, name in ffi.typeof("spdhg_outcome").elements.items()}
POINT = np.dtype([(name, "i8" if name == "iteration" else "f8") for name, _ in ffi.typeof("spdhg_point").fields])


def validate(estimator: Any, *data: Any, **wishes: Any) -> Any:
    """scikit-learn's own check of X and y, which moved in 1.6; the library checks that X is finite, in a pass it makes anyway."""
    wishes = dict(accept_sparse="csr", dtype=np.float64, order="C", **wishes)
    if hasattr(validation, "validate_data"):
        return validation.validate_data(estimator, *data, ensure_all_finite=False, **wishes)
    return estimator._validate_data(*data, force_all_finite=False, **wishes)


class Labels:
    """Labels as the library needs them: numbers unchanged, anything else as positions in a list of texts."""

    def __init__(self, y: np.ndarray) -> None:
        check_classification_targets(y)
        self.classes = np.unique(y)
        self.texts: Optional[List[str]] = None
        as_numbers = self.classes.dtype.kind in "biuf" and len(np.unique(self.classes.astype(np.float64))) == len(self.classes)
        if as_numbers:
            self.b = np.ascontiguousarray(y, np.float64)
        else:
            self.texts = [str(c) for c in self.classes]
            self.b = np.searchsorted(self.classes, y).astype(np.float64)

    def number(self, weight: Optional[np.ndarray]) -> int:
        """Classes among the rows with nonzero weight."""
        return len(self.classes) if weight is None else len(np.unique(self.b[weight > 0]))

    def of_model(self, model: Model) -> np.ndarray:
        at = model.class_values if self.texts is not None else np.searchsorted(self.classes.astype(np.float64), model.class_values)
        return self.classes[np.asarray(at, np.int64)]


def history_of(solver: Any) -> Dict[str, np.ndarray]:
    count = ffi.new("int64_t *")
    points = lib.spdhg_solver_trace(solver, count)
    table = np.frombuffer(ffi.buffer(points, int(count[0]) * POINT.itemsize), POINT) if count[0] else np.empty(0, POINT)
    return {name: table[name].copy() for name in POINT.names or ()}


def printer(verbose: int, name: str) -> Optional[Callable]:
    if not verbose:
        return None

    def listen(event: Any) -> None:
        if event.kind == lib.SPDHG_EVENT_POINT:
            p = event.point
            print(f"[{name}] epoch {p.epoch:8.4g}  objective {p.objective:.8g}  gap {p.gap:.3g}  {p.seconds:.2f} s")
        elif verbose > 1:
            print(f"[{name}] {text(event.message)}")

    return listen


class Structured(BaseEstimator):
    _classify: bool
    coef_: np.ndarray
    dual_: np.ndarray
    gap_: float
    gap_relative_: float
    gap_kind_: str
    history_: Dict[str, np.ndarray]
    n_iter_: int
    objective_: float
    outcome_: str
    solver_: str

    # ---- rows and labels

    def _check_loss(self) -> None:
        if classifies(self.loss) != self._classify:
            other = "StructuredRegressor" if self._classify else "StructuredClassifier"
            raise ValueError(f"loss={self.loss!r} is for {'numbers' if self._classify else 'labels'}: use {other}")

    def _take(self, X: Any, y: Any, reset: bool = True) -> tuple:
        """X, and y as Labels or as float64."""
        X, y = validate(self, X, y, reset=reset, multi_output=not self._classify, y_numeric=not self._classify)
        return X, Labels(y) if self._classify else np.ascontiguousarray(y, np.float64)

    def _offset(self, X: Any, offset: Any) -> Optional[np.ndarray]:
        if offset is None:
            return None
        offset = np.ascontiguousarray(offset, np.float64)
        if offset.ndim not in (1, 2) or offset.shape[0] != X.shape[0]:
            raise ValueError(f"offset has shape {offset.shape}: expected {X.shape[0]} rows")
        return offset

    def _handle(self, X: Any, y: Any, weight: Optional[np.ndarray], offset: Optional[np.ndarray]) -> Any:
        b, labels = (y.b, y.texts) if self._classify else (y, None)
        return data_handle(X, b, weight, offset, labels, getattr(self, "feature_names_in_", None))

    def _problem(self, X: Any, y: Any, sample_weight: Any, offset: Any, alpha: float, p: Dict[str, Any]) -> Problem:
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        data = self._handle(X, y, weight, self._offset(X, offset))
        loss, classes = self.loss, None
        if self._classify:
            loss = "softmax" if loss == "logistic" and y.number(weight) > 2 else loss
            classes = class_weight_spec(p["class_weight"], y.classes, y.texts is not None)
        return Problem(p, data, X.shape[1], loss, alpha, classes, getattr(self, "feature_names_in_", None))

    # ---- the solve

    def _fit(self, X: Any, y: Any, sample_weight: Any, offset: Any, eval_set: Any) -> "Structured":
        p = self.get_params(deep=False)
        self._check_loss()
        X, y = self._take(X, y)
        problem = self._problem(X, y, sample_weight, offset, self._alpha(), p)
        options, keep = solve_options(p, self.random_state)
        watch = Watch(printer(self.verbose, type(self).__name__))
        watch.attach(options, keep)
        out = ffi.new("spdhg_solver **")
        interrupt = run(watch, lib.spdhg_solver_new, out, str(self.solver).encode(), problem.handle, options)
        solver = ffi.gc(out[0], lambda pointer, _=(problem, watch): lib.spdhg_solver_free(pointer))
        if interrupt:
            raise interrupt
        set_params(solver, self.solver_params)
        if self.warm_start and hasattr(self, "coef_"):
            self._start(solver, problem)
        test = self._test(solver, eval_set)
        outcome = ffi.new("spdhg_outcome *")
        interrupt = run(watch, lib.spdhg_solver_run, solver, outcome)
        self._keep(solver, problem, y, OUTCOMES[outcome[0]])
        del test
        if interrupt:
            raise interrupt
        self._warn(options.tol)
        return self

    def _alpha(self) -> float:
        return number("alpha", self.alpha)

    def _start(self, solver: Any, problem: Problem) -> None:
        """Where the last fit ended, if the sizes still match."""
        v = problem.view
        coef = np.atleast_2d(self.coef_)
        if coef.shape != (v.outputs, v.features):
            return
        x = problem.penalised(coef)
        c = np.array(np.broadcast_to(np.ravel(self.intercept_), (v.outputs,)), np.float64)
        y = np.ascontiguousarray(self.dual_.ravel()) if self.dual_.size == v.dual else None
        call(lib.spdhg_solver_start, solver, doubles(x), doubles(c), doubles(y))

    def _test(self, solver: Any, eval_set: Any) -> Any:
        """Held-out rows for the columns test_loss and test_score of history_."""
        if eval_set is None:
            return None
        X, y = self._take(eval_set[0], eval_set[1], reset=False)
        handle = self._handle(X, y, None, None)
        call(lib.spdhg_solver_test, solver, handle)
        return handle

    def _keep(self, solver: Any, problem: Problem, y: Any, outcome: str) -> None:
        s = lib.spdhg_solver_solution(solver)
        self._model = Model.of_solver(solver)
        if self._classify:
            self.classes_ = y.of_model(self._model)
        self._set_coefficients()
        rows = s.dual // s.outputs
        dual = np.frombuffer(ffi.buffer(s.y, 8 * s.dual), np.float64).copy() if s.dual else np.empty(0)
        self.dual_ = dual if s.outputs == 1 else dual.reshape(rows, s.outputs)
        self.gap_, self.gap_relative_, self.gap_kind_ = s.gap, s.gap_relative, text(s.gap_kind) or "none"
        self.objective_, self.train_loss_, self.penalty_ = s.objective, s.train_loss, s.penalty
        self.n_iter_ = max(1, int(np.ceil(s.epochs)))
        self.seconds_, self.solver_, self.outcome_ = s.seconds, text(s.solver) or "", outcome
        self.history_ = history_of(solver)
        if isinstance(self.structure, str) and self.structure == LEARNED:
            self.structure_ = structure_matrix(problem.F)

    def _set_coefficients(self) -> None:
        raise NotImplementedError

    def _warn(self, tol: float) -> None:
        if self.outcome_ in ("converged", "done", "interrupted"):
            return
        (said,) = (text(lib.spdhg_outcome_text(code)) for code, name in OUTCOMES.items() if name == self.outcome_)
        proven = f"proven within {self.gap_:.3g} of the best possible (relative gap {self.gap_relative_:.3g})"
        if self.gap_kind_ != "certified":
            proven = "nothing is proven" if self.gap_kind_ == "none" else f"gap {self.gap_:.3g} only within a radius"
        hint = "; perhaps there is no finite optimum: try gamma > 0" if self.gamma == 0 and self.gap_kind_ != "certified" else ""
        warnings.warn(f"{said}: objective {self.objective_:.6g}, {proven}, requested {tol if tol > 0 else 1e-6:g}{hint}", ConvergenceWarning, stacklevel=4)

    # ---- predictions

    def _scores(self, X: Any, offset: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate(self, X, reset=False)
        self._model.change(self.coef_, self.intercept_)
        return self._model.scores(X, self._offset(X, offset))

    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6 on
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = not self._classify
        return tags

    def save(self, path: Any) -> None:
        """Write the model file that `spdhg predict` and `load_model` read."""
        check_is_fitted(self)
        self._model.change(self.coef_, self.intercept_)
        self._model.write(path)

    def plot(self, kind: str = "coef", ax: Any = None, output: int = 0) -> Any:
        """'coef': the coefficients, as an image where the structure is a grid; 'history': objective and gap by epoch."""
        check_is_fitted(self)
        if kind == "history":
            return plot_history(self.history_, ax)
        if kind != "coef":
            raise ValueError(f"kind={kind!r} is not one of coef, history")
        return plot_coef(self, ax, output)

