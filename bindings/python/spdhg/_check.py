# _check.py - values of parameters on their way into the library: what is wrong is said in the words of Python.
from __future__ import annotations

import numbers
import re
from decimal import ROUND_CEILING, Context
from typing import Any, Dict, Optional

import numpy as np
from joblib import effective_n_jobs

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


def number(name: str, value: Any, least: float = 0.0) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r} is not a number") from None
    if not np.isfinite(number) or number < least:
        raise ValueError(f"{name}={value!r} is not a finite number of at least {least:g}")
    return number


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number, also as numpy's or as 3.0."""
    if number(name, value, least) != int(float(value)):
        raise ValueError(f"{name}={value!r} is not a whole number")
    return int(float(value))


def flag(name: str, value: Any) -> bool:
    """True or False, also as numpy's or as 1 and 0; a word is neither."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, numbers.Integral) and value in (0, 1)):
        return bool(value)
    raise ValueError(f"{name}={value!r} is neither True nor False")


def choice(name: str, value: Any, table: Dict[str, int]) -> int:
    if value not in table:
        raise ValueError(f"{name}={value!r} is not one of {', '.join(table)}")
    return table[value]


def bound(value: float, digits: int = 3) -> str:
    """A gap as text, rounded up: a bound that is printed must not claim more than is proven."""
    near = f"{value:.{digits}g}"
    if not float(near) < value:
        return near
    return f"{float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(float(value))):.{digits}g}"


def memory(value: Any) -> int:
    """Bytes, as a number or as the command has them: 500M, 2G. None: 0, the library's own limit."""
    if value is None:
        return 0
    if isinstance(value, str):
        match = re.fullmatch(r"\s*([0-9.]+(?:[eE][0-9]+)?)\s*([KMGT]?I?)B?\s*", value.upper())
        if not match or match.group(2) not in UNITS:
            raise ValueError(f"max_memory={value!r} is not a number of bytes, such as 2000000, '500M' or '2G'")
        return int(number("max_memory", match.group(1)) * UNITS[match.group(2)])
    return int(number("max_memory", value))


def threads(n_jobs: Optional[int]) -> int:
    """As in scikit-learn: None is 1 (or what joblib.parallel_backend says), -1 all cores, -2 all but one."""
    if n_jobs is None:
        return int(effective_n_jobs(None))
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs={n_jobs!r} is not a whole number other than 0")
    return 0 if n_jobs == -1 else int(effective_n_jobs(int(n_jobs))) if n_jobs < 0 else int(n_jobs)


def seed(random_state: Any) -> int:
    """A whole number is itself; a numpy Generator or RandomState, or None, draws one."""
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state!r} is negative")
        return int(random_state)
    most = np.iinfo(np.int32).max
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(most))
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(most))


def group_numbers(groups: Any, rows: Optional[int] = None) -> np.ndarray:
    """A number for each row of F, from such numbers or from lists of the rows of each group."""
    items: Any = groups if isinstance(groups, np.ndarray) else list(groups.values() if isinstance(groups, dict) else groups)
    nested = items.ndim == 2 and items.shape[1] != 1 if isinstance(items, np.ndarray) else any(np.ndim(item) > 0 for item in items)
    if not nested:
        numbers_ = np.ravel(np.asarray(items))
        if numbers_.dtype.kind == "U" or (numbers_.dtype.kind == "O" and all(isinstance(item, str) for item in numbers_)):  # a name for each
            numbers_ = np.unique(numbers_, return_inverse=True)[1]
        if numbers_.dtype.kind not in "iub" and not (numbers_.dtype.kind == "f" and (numbers_ == np.floor(numbers_)).all()):
            raise ValueError("groups: expected a whole number for each row of F, or a list of lists of rows")
        return np.ascontiguousarray(numbers_, np.int64)
    members = [np.atleast_1d(np.asarray(item)) for item in items]
    if any(m.dtype.kind not in "iu" for m in members if m.size):
        raise ValueError("groups: a list of lists holds rows of F as whole numbers, counted from 0")
    every = np.concatenate([m.ravel() for m in members]) if members else np.empty(0, np.int64)
    count = int(every.max()) + 1 if rows is None and every.size else rows or 0
    if every.size and (every.min() < 0 or every.max() >= count):
        raise ValueError(f"groups: row {int(every.max() if every.max() >= count else every.min())} is not one of 0 to {count - 1}")
    times = np.bincount(every.astype(np.int64), minlength=count)
    if (times != 1).any():
        at = int(np.flatnonzero(times != 1)[0])
        what = "in no group" if times[at] == 0 else f"in {times[at]} groups; for groups that overlap repeat the row in `structure`"
        raise ValueError(f"groups: row {at} of F is {what}")
    out = np.empty(count, np.int64)
    for g, m in enumerate(members):
        out[m.ravel()] = g
    return out
