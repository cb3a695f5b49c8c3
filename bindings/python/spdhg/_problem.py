# _problem.py - an estimator's parameters as a problem and as options of the library.
#     mean_i loss(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + alpha r(F x) [+ also_sparse alpha ||x||_1]   over x in the constraint
from __future__ import annotations

import os
from typing import Any, Dict, Optional

import numpy as np
from sklearn.utils import check_random_state

from ._call import call, make, run
from ._data import choice, threads
from ._graph import learn_handle
from ._native import ffi, lib
from ._structure import LEARNED, structure_handle

SAMPLING = {"iid": lib.SPDHG_SAMPLING_IID, "shuffle": lib.SPDHG_SAMPLING_SHUFFLE, "norm": lib.SPDHG_SAMPLING_NORM}


def number(name: str, value: Any, least: float = 0.0) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a number") from None
    if not np.isfinite(number) or number < least:
        raise ValueError(f"{name}={value!r} is not a finite number of at least {least:g}")
    return number


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
        raise ValueError(f"class_weight: no row has the label {unknown[0]!r}")
    return ",".join(given).encode() if given else None


def _term_options(p: Dict[str, Any]) -> tuple:
    options = ffi.new("spdhg_term_options *", {"size": ffi.sizeof("spdhg_term_options")})
    keep: list = []
    if p["penalty_weights"] is not None:
        weight = np.ascontiguousarray(np.ravel(p["penalty_weights"]), np.float64)
        keep.append(ffi.from_buffer("double[]", weight))
        options.row_weight, options.row_weights = keep[-1], len(weight)
    if isinstance(p["groups"], str):
        keep.append(ffi.new("char[]", p["groups"].encode()))
        options.groups = keep[-1]
    elif p["groups"] is not None:
        group = np.ascontiguousarray(np.ravel(p["groups"]), np.int64)
        keep.append(ffi.from_buffer("int64_t[]", group))
        options.group, options.group_rows = keep[-1], len(group)
    return options, keep


class Problem:
    """Handles of data, structures and problem. `alpha`: 1 for a path, which then scales it."""

    def __init__(self, p: Dict[str, Any], data: Any, features: int, loss: str, alpha: float, class_weight: Optional[bytes] = None,
                 names: Optional[Any] = None) -> None:
        self.data = data
        if isinstance(p["structure"], str) and p["structure"] == LEARNED:
            self.F, self.graph_report = learn_handle(data, {"n_jobs": p["n_jobs"], "max_memory": None})
        else:
            self.F, self.graph_report = structure_handle(p["structure"], features, names), None
        self.identity = structure_handle("identity", features)
        sparse = also_sparse(p)
        self.handle = h = make("problem", lib.spdhg_problem_new, data, str(loss).encode(), free=lib.spdhg_problem_free,
                               keep=(data, self.F, self.identity))
        options, _keep = _term_options(p)
        call(lib.spdhg_problem_term, h, str(p["penalty"]).encode(), self.F, alpha, options)
        if sparse > 0:
            call(lib.spdhg_problem_term, h, b"l1", self.identity, sparse * alpha, ffi.NULL)
        call(lib.spdhg_problem_ridge, h, number("gamma", p["gamma"]))
        call(lib.spdhg_problem_set, h, str(p["constraint"]).encode())
        call(lib.spdhg_problem_intercept, h, bool(p["fit_intercept"]))
        call(lib.spdhg_problem_standardize, h, bool(p["standardize"]))
        if class_weight is not None:
            call(lib.spdhg_problem_class_weight, h, class_weight)
        call(lib.spdhg_problem_allow_one_class, h, bool(p.get("allow_one_class")))
        self._view = None

    @property
    def view(self) -> Any:
        if self._view is None:
            self._view = ffi.new("spdhg_problem_view *")
            run(None, lib.spdhg_problem_look, self.handle, self._view)
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
        o.batch = lib.SPDHG_BATCH_AUTO if p["batch"] == "auto" else int(number("batch", p["batch"], 1))
    o.sampling = choice("sampling", p["sampling"], SAMPLING)
    o.seed = seed(random_state)
    o.threads = threads(p["n_jobs"])
    o.max_memory = int(number("max_memory", p["max_memory"])) if p["max_memory"] is not None else 0
    keep = []
    for name in ("checkpoint", "resume"):
        if p.get(name) is not None:
            keep.append(ffi.new("char[]", os.fsencode(p[name])))
            setattr(o, name, keep[-1])
    if p.get("checkpoint_every") is not None:
        o.checkpoint_every = number("checkpoint_every", p["checkpoint_every"])
    return o, keep


def seed(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state!r} is negative")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def set_params(solver: Any, params: Optional[Any]) -> None:
    for name, value in dict(params or {}).items():
        if isinstance(value, str):  # such as L="max"
            call(lib.spdhg_solver_choose, solver, str(name).encode(), value.encode())
        else:
            call(lib.spdhg_solver_set, solver, str(name).encode(), float(value))

