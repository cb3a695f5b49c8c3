# _denoise.py - signals, images and functions on graphs without their noise: spdhg_denoise on arrays.
from __future__ import annotations

import re
import warnings
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._base import OUTCOMES
from ._call import Watch, doubles, make_long, text
from ._native import ffi, lib
from ._check import bound, flag, number, whole
from ._problem import solve_options
from ._progress import printer
from ._structure import structure_handle

NOT_ASKED = {"max_iter": None, "every": None, "batch": None, "sampling": "iid"}


class Segment(NamedTuple):
    """A constant piece of a chain: numbers of its ends in the signal, their positions, its level, and how many values it has."""

    first: int
    last: int
    start: float
    end: float
    level: float
    points: int


class Signal(NamedTuple):
    """One signal: `x` fitted or filled in; `alpha` beside the mean loss and `alpha_sum` beside the sum of losses; `degrees` of freedom
    (NaN: not known); `settled`: the zeros of F x are those of the optimum; `knots`: where a line bends or jumps; `segments` of a chain;
    `table`: a dict of columns with a line for each alpha that was tried, empty if it was given."""

    x: np.ndarray
    alpha: float
    alpha_sum: float
    objective: float
    gap_relative: float
    outcome: str
    solver: str
    degrees: float
    differences: int
    settled: bool
    knots: np.ndarray
    segments: List[Segment]
    table: Dict[str, np.ndarray]


class Denoised:
    """`x`: the fit, of the same shape as y, which is also what numpy makes of this; `signals`: a `Signal` for each, in order."""

    def __init__(self, x: np.ndarray, signals: List[Signal]) -> None:
        self.x, self.signals = x, signals

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.x, dtype) if dtype is not None or copy else self.x

    def __repr__(self) -> str:
        alphas = ", ".join(f"{s.alpha:.3g}" for s in self.signals[:4]) + (", ..." if len(self.signals) > 4 else "")
        return f"Denoised: {' x '.join(map(str, self.x.shape))} values, alpha {alphas}"


def _table(path: Any) -> Dict[str, np.ndarray]:
    if path == ffi.NULL:
        return {}
    count = ffi.new("int64_t *")
    points = lib.spdhg_path_points(path, count)
    table = {name: np.array([getattr(points[i], name) for i in range(count[0])]) for name, _ in ffi.typeof("spdhg_path_point").fields}
    table["alpha"] = table.pop("lambda")
    table["outcome"] = np.array([OUTCOMES[o] for o in table["outcome"]])
    return table


def _signal(handle: Any) -> Signal:
    v = ffi.new("spdhg_denoised_view *")
    lib.spdhg_denoised_get_view(handle, v)
    knots = np.array([v.knot[i] for i in range(v.knots)], np.int64)
    pieces = [Segment(s.first, s.last, s.start, s.end, s.level, s.points) for s in (v.segment[i] for i in range(v.segments))]
    proven = text(v.gap_kind) == "certified"
    return Signal(np.frombuffer(ffi.buffer(v.x, 8 * v.points)).copy(), getattr(v, "lambda"), v.lambda_sum, v.objective,
                  v.gap_relative if proven else np.nan, OUTCOMES[v.outcome], text(v.solver) or "", v.degrees, v.differences, v.settled,
                  knots, pieces, _table(v.path))


def _values(y: Any) -> np.ndarray:
    if np.iscomplexobj(y):
        raise ValueError("Complex data not supported: denoise the real and the imaginary part one by one")
    y = np.ma.filled(y.astype(np.float64), np.nan) if isinstance(y, np.ma.MaskedArray) else np.asarray(y, np.float64)
    if y.ndim not in (1, 2, 3) or y.size == 0:
        raise ValueError(f"y of shape {y.shape}: expected one to three axes, none of them empty")
    return y


def _layout(y: np.ndarray, structure: Any) -> tuple:
    """The structure with its sides, and y as signals x points."""
    if isinstance(structure, str) and structure == "grid":
        if y.ndim == 1:
            raise ValueError("structure='grid': y has one axis; give the sides, as in structure=(height, width), or use fused_lasso(y) for a line")
        structure = y.shape
    whole = y.ndim == 1
    if isinstance(structure, tuple):
        whole = int(np.prod(structure)) == y.size
        structure = "grid:" + "x".join(str(int(s)) for s in structure)
    elif isinstance(structure, str) and re.fullmatch(r"grid:\d+(x\d+)+", structure):
        whole = int(np.prod([int(s) for s in structure[5:].split("x")])) == y.size
    return structure, y.reshape(1, -1) if whole else np.ascontiguousarray(y.reshape(-1, y.shape[-1]).T)


def _line(name: str, values: Any, points: int) -> Optional[np.ndarray]:
    if values is None:
        return None
    try:
        values = np.ascontiguousarray(np.ravel(values), np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={values!r}: expected a number for each value") from None
    if len(values) != points:
        raise ValueError(f"{name} has {len(values)} entries for {points} values")
    return values


def _options(p: Dict[str, Any], structure: Any, points: int) -> tuple:
    o = ffi.new("spdhg_denoise_options *")
    o[0] = lib.spdhg_default_denoise_options()
    F = None if isinstance(structure, str) else structure_handle(structure, points)
    words = {"structure": structure if F is None else "matrix", "loss": p["loss"], "choose": p["choose"], "rule": p["rule"],
             "solver": p["solver"]}
    if p["noise"] is not None:
        if p["alpha"] is not None or p["choose"] not in ("cv", "cp"):
            raise ValueError("noise is for choose='cp', without alpha")
        o.noise, words["choose"] = number("noise", p["noise"]), "cp"
    keep = [ffi.new("char[]", str(word).encode()) for word in words.values()]
    for name, word in zip(words, keep):
        setattr(o, name, word)
    if p["alpha"] is not None:
        setattr(o, "lambda", number("alpha", p["alpha"]))
    o.isotropic = flag("isotropic", p["isotropic"])
    o.folds, o.lambdas = whole("folds", p["folds"], 2), whole("n_alphas", p["n_alphas"], 1)
    o.ratio = number("alpha_ratio", p["alpha_ratio"])
    return o, F, keep


def denoise(y: Any, positions: Any, weights: Any, p: Dict[str, Any]) -> Denoised:
    y = _values(y)
    structure, rows = _layout(y, p["structure"] or "chain")
    points = rows.shape[1]
    options, F, keep = _options(p, structure, points)
    position, weight = _line("positions", positions, points), _line("weights", weights, points)
    signals: List[Signal] = []
    interrupt: Optional[BaseException] = None
    for row in rows:
        value = np.ascontiguousarray(row)
        arrays = {"value": doubles(value), "position": doubles(position), "weight": doubles(weight)}
        signal = ffi.new("spdhg_signal *", {"points": points, "F": ffi.NULL if F is None else F, **arrays})
        solve, also = solve_options({**NOT_ASKED, **p}, 0)
        watch = Watch(printer(p["verbose"], "denoise"))
        watch.attach(solve, keep, also)
        handle, interrupt = make_long("denoised", lib.spdhg_denoise, signal, options, solve, free=lib.spdhg_denoised_free,
                                      keep=(F, watch, arrays), watch=watch)
        watch.close()
        signals.append(_signal(handle))
        if interrupt:
            raise interrupt
    missed = [s for s in signals if s.outcome in ("limit", "stalled")]
    if missed:
        worst = max(s.gap_relative for s in missed)
        warnings.warn(f"the relative gap of {len(missed)} of {len(signals)} signals was not proven to tol; the largest is {bound(worst)}",
                      ConvergenceWarning, stacklevel=3)
    fit = np.stack([s.x for s in signals])
    return Denoised(fit.reshape(y.shape) if len(fit) == 1 else np.ascontiguousarray(fit.T).reshape(y.shape), signals)
