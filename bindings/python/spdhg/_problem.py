# _problem.py - an estimator's parameters as a problem and as options of the library.
#     mean_i loss(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + alpha r(F x) [+ also_sparse alpha ||x||_1]   over x in the constraint
from __future__ import annotations

import numbers
import os
from typing import Any, Dict, Mapping, NamedTuple, Optional

import numpy as np

from ._call import call, make, run
from ._check import choice, flag, group_numbers, memory, number, seed, threads, whole
from ._graph import learn_handle
from ._native import ffi, lib
from ._structure import LEARNED, structure_handle, structure_matrix
from ._table import column_numbers

SMALLEST_STEP = 1e-4  # of the largest: what is smaller counts as this in adaptive weights
SAMPLING = {"iid": lib.SPDHG_SAMPLING_IID, "shuffle": lib.SPDHG_SAMPLING_SHUFFLE, "norm": lib.SPDHG_SAMPLING_NORM}


def also_sparse(p: Dict[str, Any]) -> float:
    if p["also_sparse"] is None:
        return 1.0 if isinstance(p["structure"], str) and p["structure"] == LEARNED else 0.0
    return number("also_sparse", p["also_sparse"])


def class_weight_spec(weights: Any, classes: np.ndarray, as_texts: bool) -> Optional[bytes]:
    if weights is None:
        return None
    if isinstance(weights, str):
        if weights != "balanced":
            raise ValueError(f"class_weight={weights!r} is neither 'balanced' nor a dict")
        return b"balanced"
    if not isinstance(weights, dict):
        raise ValueError("class_weight is neither 'balanced' nor a dict {label: weight}")
    given = []
    for k, label in enumerate(classes):
        plain = label.item() if hasattr(label, "item") else label
        if plain in weights:
            name = str(label) if as_texts else repr(float(label))
            if "," in name or "=" in name:
                raise ValueError(f"class_weight: the label {name!r} has a comma or an equals sign; give sample_weight instead")
            given.append(f"{name}={number('class_weight', weights[plain])!r}")
    unknown = [label for label in weights if label not in {c.item() if hasattr(c, "item") else c for c in classes}]
    if unknown:
        have = [c.item() if hasattr(c, "item") else c for c in classes[:10]]
        raise ValueError(f"class_weight: no row has the label {unknown[0]!r}; the labels are {', '.join(map(repr, have))}{', ...' if len(classes) > 10 else ''}")
    return ",".join(given).encode() if given else None


class Weights(NamedTuple):
    """The norm r and what it and the ridge weigh at `alpha`; `follows`: the ridge is scaled with alpha along a path."""

    penalty: str
    alpha: float
    gamma: float
    follows: bool


def weights_of(p: Dict[str, Any], alpha: float) -> Weights:
    """penalty None: none; 'l2': the ridge alone; 'elasticnet': l1 with l1_ratio. l1_ratio divides alpha as in scikit-learn and glmnet."""
    penalty, ratio, gamma = p["penalty"], p["l1_ratio"], number("gamma", p["gamma"])
    if penalty is None or penalty == "none":
        return Weights("l1", 0.0, gamma, False)
    if penalty == "elasticnet":
        penalty, ratio = "l1", 0.5 if ratio is None else ratio
    if penalty == "l2":
        penalty, ratio = "l1", 0.0
    if ratio is None:
        return Weights(str(penalty), alpha, gamma, False)
    if number("l1_ratio", ratio) > 1:
        raise ValueError(f"l1_ratio={ratio!r} is not between 0 and 1")
    if gamma > 0:
        raise ValueError(f"gamma={gamma:g}: alpha and l1_ratio (or penalty={p['penalty']!r}) say already what the ridge is")
    return Weights(str(penalty), float(ratio) * alpha, (1 - float(ratio)) * alpha, True)


FORBIDS = 1e3  # times the largest slope of the loss: far above what any row of F can pull


class Problem:
    """Handles of data, structures and problem. `alpha`: 1 for a path, which then scales it."""

    def __init__(self, p: Dict[str, Any], data: Any, features: int, loss: str, alpha: float, class_weight: Optional[bytes] = None,
                 names: Optional[Any] = None, slope: float = 1.0) -> None:
        columns = lib.spdhg_data_columns(data)
        if isinstance(p["groups"], str) and p["groups"] == "columns":
            if columns == ffi.NULL:
                raise ValueError("groups='columns': X is not a table with categories or gaps, each of its columns is one feature")
            p = {**p, "groups": np.array(column_numbers(columns), np.int64)}
        self.data, self.p = data, p
        if isinstance(p["structure"], str) and p["structure"] == LEARNED:
            self.F, self.graph_report, interrupt = learn_handle(data, {"n_jobs": p["n_jobs"], "max_memory": memory(p["max_memory"]) or None})
            if interrupt is not None:
                raise interrupt
        else:
            self.F, self.graph_report = structure_handle(p["structure"], features, names, columns), None
        w, sparse = weights_of(p, alpha), also_sparse(p)
        self.identity = structure_handle("identity", features) if sparse > 0 else None
        self.handle = h = make("problem", lib.spdhg_problem_new, data, str(loss).encode(), free=lib.spdhg_problem_free,
                               keep=(data, self.F, self.identity))
        options, _keep = self._term_options(w.alpha, slope)
        call(lib.spdhg_problem_term, h, w.penalty.encode(), self.F, w.alpha, options)
        if sparse > 0:
            call(lib.spdhg_problem_term, h, b"l1", self.identity, sparse * w.alpha, ffi.NULL)
        if w.gamma > 0 or w.follows:
            call(lib.spdhg_problem_ridge, h, w.gamma)
            call(lib.spdhg_problem_ridge_follows, h, w.follows)
        if p["constraint"] != "all":
            call(lib.spdhg_problem_set, h, str(p["constraint"]).encode())
        call(lib.spdhg_problem_intercept, h, flag("fit_intercept", p["fit_intercept"]))
        call(lib.spdhg_problem_standardize, h, flag("standardize", p["standardize"]))
        if class_weight is not None:
            call(lib.spdhg_problem_class_weight, h, class_weight)
        call(lib.spdhg_problem_allow_one_class, h, flag("allow_one_class", p.get("allow_one_class", False)))
        self._view = None

    def _term_options(self, alpha: float, slope: float) -> tuple:
        p, keep = self.p, []  # type: Dict[str, Any], list
        self.forbidden: Optional[np.ndarray] = None
        if p["penalty_weights"] is None and p["groups"] is None:
            return ffi.NULL, keep
        rows = int(lib.spdhg_structure_rows(self.F))
        options = ffi.new("spdhg_term_options *", {"size": ffi.sizeof("spdhg_term_options")})
        if p["penalty_weights"] is not None:
            weight = np.array(np.ravel(p["penalty_weights"]), np.float64)
            infinite = np.isposinf(weight)
            if infinite.any():
                if alpha == 0:
                    raise ValueError("penalty_weights: an infinite weight needs alpha above 0")
                weight[infinite] = FORBIDS * max(1.0, slope) / alpha
                self.forbidden = infinite
            keep.append(ffi.from_buffer("double[]", weight))
            options.row_weight, options.row_weights = keep[-1], len(weight)
        if isinstance(p["groups"], str):
            keep.append(ffi.new("char[]", p["groups"].encode()))
            options.groups = keep[-1]
        elif isinstance(p["groups"], numbers.Integral):
            keep.append(ffi.new("char[]", f"size:{p['groups']}".encode()))
            options.groups = keep[-1]
        elif p["groups"] is not None:
            group = group_numbers(p["groups"], rows)
            keep.append(ffi.from_buffer("int64_t[]", group))
            options.group, options.group_rows = keep[-1], len(group)
        return options, keep

    def check_forbidden(self, model: Any) -> None:
        """ArithmeticError if a row of F that an infinite weight forbids is not 0."""
        if self.forbidden is None:
            return
        x = self.penalised(model.coef)
        left = np.abs(structure_matrix(self.F)[np.flatnonzero(self.forbidden)] @ x)
        if left.size and left.max() > 1e-7 * max(np.abs(x).max(), 1e-300):
            raise ArithmeticError(f"a row of F x that penalty_weights=inf forbids is {left.max():.3g}, not 0; give a smaller tol or a larger alpha")

    def adapted(self, coef: Any) -> Optional[np.ndarray]:
        """Weights 1/|F x| of an adaptive penalty, by rows or by groups; None: F x is 0, and there is nothing to learn from it."""
        p, F = self.p, structure_matrix(self.F)
        size = np.sqrt(np.square(F @ self.penalised(coef)).sum(axis=1))
        groups = p["groups"]
        if isinstance(groups, str) and groups.startswith("size:"):
            groups = np.arange(len(size)) // int(groups[5:])
        if isinstance(groups, str):
            raise ValueError(f"adaptive=True: give groups={groups!r} as numbers or lists")
        if groups is not None:
            groups = np.arange(len(size)) // int(groups) if isinstance(groups, numbers.Integral) else group_numbers(groups, len(size))
            size = np.sqrt(np.bincount(groups, size**2))[groups]
        if not size.size or size.max() == 0:
            return None
        before = 1.0 if p["penalty_weights"] is None else np.asarray(np.ravel(p["penalty_weights"]), np.float64)
        return before / np.maximum(size, SMALLEST_STEP * size.max())

    @property
    def view(self) -> Any:
        if self._view is None:
            self._view = ffi.new("spdhg_problem_view *")
            run(None, lib.spdhg_problem_get_view, self.handle, self._view)
        return self._view

    @property
    def scale(self) -> Optional[np.ndarray]:
        """What the columns were divided by; None: nothing."""
        v = self.view
        return None if v.scale == ffi.NULL else np.frombuffer(ffi.buffer(v.scale, 8 * v.features), np.float64).copy()

    def penalised(self, coef: Any) -> np.ndarray:
        """coef_ (K x d or d) as the library's x: features x outputs, on the scale that is penalised."""
        v = self.view
        x = np.asarray(coef, np.float64)
        if x.shape not in ((v.features,), (v.outputs, v.features)) or (x.ndim == 1 and v.outputs > 1):
            raise ValueError(f"coefficients of shape {x.shape}: expected {(v.outputs, v.features)}")
        x = np.ascontiguousarray(x.reshape(v.outputs, v.features).T)
        return x if self.scale is None else x * self.scale[:, None]


def solve_options(p: Dict[str, Any], random_state: Any) -> tuple:
    """spdhg_options, and what must live as long."""
    o = ffi.new("spdhg_options *")
    o[0] = lib.spdhg_default_options()
    o.epochs = 0 if p["max_iter"] is None else number("max_iter", p["max_iter"])
    o.seconds = 0 if p["time"] is None else number("time", p["time"])
    if p["tol"] is not None:
        o.tol = number("tol", p["tol"])
    o.every = 0 if p["every"] is None else number("every", p["every"])
    if p["batch"] is not None:
        o.batch = lib.SPDHG_BATCH_AUTO if p["batch"] == "auto" else whole("batch", p["batch"], 1)
    o.sampling = choice("sampling", p["sampling"], SAMPLING)
    o.seed = seed(random_state)
    o.threads = threads(p["n_jobs"])
    o.max_memory = memory(p["max_memory"])
    keep = []
    for name in ("checkpoint", "resume"):
        if p.get(name) is not None:
            keep.append(ffi.new("char[]", os.fsencode(p[name])))
            setattr(o, name, keep[-1])
    if p.get("checkpoint_every") is not None:
        o.checkpoint_every = number("checkpoint_every", p["checkpoint_every"])
    return o, keep


def set_params(solver: Any, params: Optional[Any]) -> None:
    if params is not None and not isinstance(params, Mapping):
        raise ValueError(f"solver_params={params!r} is not a dict of names and values, such as {{'L': 'max'}}")
    for name, value in (params or {}).items():
        if isinstance(value, str):  # such as L="max"
            call(lib.spdhg_solver_choose, solver, str(name).encode(), value.encode())
        else:
            call(lib.spdhg_solver_set, solver, str(name).encode(), float(value))

