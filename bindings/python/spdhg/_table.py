# _table.py - tables on their way into the library: categories, words and gaps become features there, as those of a CSV file do.
from __future__ import annotations

import itertools
import numbers
import warnings
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
import scipy.sparse as sp

from ._call import doubles, longs, make, text
from ._check import choice
from ._data import Data
from ._native import ffi, lib
from ._structure import CATEGORIES

MISSING = {name: k for k, name in enumerate(("error", "drop", "mean", "median"))}
GAP = "(missing)"  # what the library calls the level of cells without a value
UNSEEN = {"error": 0, "other": 1}


class Cells(NamedTuple):
    """A column: numbers, or codes of levels (negative: no value)."""

    name: str
    number: Optional[np.ndarray] = None
    code: Optional[np.ndarray] = None
    level: Tuple[str, ...] = ()
    ordered: bool = False
    text: bool = False

    @property
    def gaps(self) -> np.ndarray:
        return np.isnan(self.number) if self.number is not None else self.code < 0  # type: ignore[operator]


def is_frame(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns") and hasattr(X, "dtypes")


def _is_category(dtype: Any) -> bool:
    return hasattr(dtype, "categories") and hasattr(dtype, "ordered")


def _of_objects(name: str, values: np.ndarray, empty: np.ndarray) -> Cells:
    """A column of Python objects: numbers or words, as its first value says."""
    there = np.flatnonzero(~empty)
    words = len(there) > 0 and isinstance(values[there[0]], str)
    for i in there:
        value = values[i]
        if isinstance(value, str) != words or not isinstance(value, (str, numbers.Real, np.bool_)):
            what = "has both words and numbers" if isinstance(value, (str, numbers.Real, np.bool_)) else f"holds a {type(value).__name__}"
            raise ValueError(f"column {name!r} {what}: {value!r} in row {i}, counted from 0; turn it into numbers, or into categories with "
                             f".astype(str).astype('category')")
    if not words:
        number = np.full(len(values), np.nan)
        number[there] = [float(values[i]) for i in there]
        return Cells(name, number=number)
    level, at = np.unique(values[there].astype(str), return_inverse=True)
    code = np.full(len(values), -1, np.int64)
    code[there] = at
    return Cells(name, code=code, level=tuple(level.tolist()), text=True)


def _of_series(name: str, column: Any) -> Cells:
    dtype = column.dtype
    if _is_category(dtype):
        levels = [str(level) for level in dtype.categories]
        return Cells(name, code=np.ascontiguousarray(column.cat.codes, np.int64), level=tuple(levels), ordered=bool(dtype.ordered))
    if getattr(dtype, "kind", "O") in "mM":
        raise ValueError(f"column {name!r} holds dates or times: turn it into numbers (days since a start, month, hour), or leave it out")
    if getattr(dtype, "kind", "O") in "biuf":
        return Cells(name, number=np.ascontiguousarray(column.to_numpy(np.float64, na_value=np.nan)))
    return _of_objects(name, column.to_numpy(object), np.asarray(column.isna()))


def cells_of(X: Any, names: Optional[Any] = None) -> List[Cells]:
    """The columns of a DataFrame, or of an array, whose columns have these names or x1, x2, ..."""
    if is_frame(X):
        return [_of_series(str(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
    if sp.issparse(X):
        X = X.toarray()
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
    names = [f"x{j + 1}" for j in range(X.shape[1])] if names is None else list(names)
    if len(names) != X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features, but {len(names)} are expected: {', '.join(names[:20])}")
    if X.dtype.kind in "biuf":
        return [Cells(name, number=np.ascontiguousarray(X[:, j], np.float64)) for j, name in enumerate(names)]
    objects = X.astype(object)
    return [_of_objects(name, objects[:, j], np.array([v is None or v != v for v in objects[:, j]], bool)) for j, name in enumerate(names)]


def has_gaps(X: Any) -> bool:
    if is_frame(X):
        return bool(X.isna().to_numpy().any())
    return isinstance(X, np.ndarray) and X.dtype.kind == "f" and bool(np.isnan(X).any())


def is_table(X: Any, missing: Any) -> bool:
    """Whether X is more than numbers: a DataFrame with categories, words or dates, or gaps that are to be filled."""
    choice("missing", missing, MISSING)
    if is_frame(X) and any(getattr(dtype, "kind", "O") not in "biufc" for dtype in X.dtypes):
        return any(_is_category(d) or d.kind in "mM" or _words(X.iloc[:, j]) for j, d in enumerate(X.dtypes)) or (missing != "error" and has_gaps(X))
    return missing not in ("error", "drop") and has_gaps(X)


def _words(column: Any) -> bool:
    if getattr(column.dtype, "kind", "O") in "biufc":
        return False
    return any(isinstance(value, str) for value in column.dropna())


class Table:
    """Features `X` (an array, or CSR where that takes less memory) with their `names`, and the `columns` of the library that they came from."""

    def __init__(self, columns: List[Cells], missing: str = "error", unseen: str = "error", reference: Any = None, like: Any = None) -> None:
        choice("unseen", unseen, UNSEEN)
        if isinstance(reference, dict):
            reference = ",".join(f"{name}={level}" for name, level in reference.items())
        cells, keep = ffi.new("spdhg_column[]", len(columns)), []  # type: Any, list
        for c, column in zip(cells, columns):
            keep.append(ffi.new("char[]", column.name.encode()))
            c.name = keep[-1]
            if column.number is not None:
                keep.append(doubles(column.number))
                c.number = keep[-1]
                continue
            levels = [ffi.new("char[]", level.encode()) for level in column.level]
            keep += [levels, ffi.new("char *[]", levels), longs(column.code)]
            c.level, c.code, c.levels, c.ordered, c.text = keep[-2], keep[-1], len(levels), column.ordered, column.text
            if like is None and column.text and len(levels) > 10 and 2 * len(levels) > len(column.code):  # type: ignore[arg-type]
                raise ValueError(f"column {column.name!r} is text with {len(levels)} different values in {len(column.gaps)} rows, such as "
                                 f"{column.level[0]!r}: leave it out, or say that it is a category: .astype('category')")
        options = ffi.new("spdhg_read_options *")
        options[0] = lib.spdhg_default_read_options()
        words = {"missing": "error" if missing == "drop" else missing, "unseen": None if unseen == "error" else unseen, "reference": reference}
        for name, word in words.items():
            if word is not None:
                keep.append(ffi.new("char[]", str(word).encode()))
                setattr(options, name, keep[-1])
        options.like = ffi.NULL if like is None else like
        rows = len(columns[0].gaps) if columns else 0
        self.handle = make("data", lib.spdhg_data_from_table, rows, cells, len(columns), options, free=lib.spdhg_data_free)
        data = Data(self.handle)
        self.X, self.names = data.X, data.feature_names
        self.columns = lib.spdhg_data_columns(self.handle)


def column_names(columns: Any) -> List[str]:
    return [text(lib.spdhg_columns_name(columns, k)) or "" for k in range(lib.spdhg_columns_count(columns))]


def column_numbers(columns: Any) -> List[int]:
    """For each feature the number of the column it comes from."""
    of = (int(lib.spdhg_columns_of(columns, feature, ffi.NULL)) for feature in itertools.count())
    return list(itertools.takewhile(lambda column: column >= 0, of))


def origins(columns: Any) -> Iterator[Tuple[str, str]]:
    """For each feature the name of its column and its level: '' for numbers, GAP for what marks the gaps in them."""
    level, names, before = ffi.new("const char **"), column_names(columns), -1
    for feature, at in enumerate(column_numbers(columns)):
        lib.spdhg_columns_of(columns, feature, level)
        yield names[at], text(level[0]) or (GAP if at == before else "")
        before = at


def matched(X: Any, columns: Any) -> List[Cells]:
    """The cells of the model's columns, by name where X has names. All that is missing is named; what is more is ignored, and said."""
    names = column_names(columns)
    if not is_frame(X):
        return cells_of(X, names)
    have = [str(name) for name in X.columns]
    lacks = [name for name in names if name not in have]
    if lacks:
        raise ValueError(f"X lacks {len(lacks)} of the {len(names)} columns that the model was fitted to: {', '.join(map(repr, lacks[:20]))}"
                         f"{', ...' if len(lacks) > 20 else ''}")
    extra = [name for name in have if name not in names]
    if extra:
        warnings.warn(f"not in the model and ignored: {', '.join(map(repr, extra[:10]))}{', ...' if len(extra) > 10 else ''}", stacklevel=6)
    return cells_of(X.iloc[:, [have.index(name) for name in names]])


def without_gaps(missing: Any, X: Any, y: Any, *more: Any) -> tuple:
    """missing='drop': the rows of X and y that have every value, and those of `more`."""
    if missing != "drop" or sp.issparse(X):
        return (X, y, *more)
    gaps = np.zeros(len(X), bool)
    if is_frame(X):
        gaps |= X.isna().to_numpy().any(axis=1)
    else:
        X = np.asarray(X)
        gaps |= np.isnan(X).any(axis=1) if X.dtype.kind == "f" and X.ndim == 2 else False
    target = np.asarray(y)
    if target.dtype.kind == "f" and len(target) == len(gaps):
        gaps |= np.isnan(target.reshape(len(target), -1)).any(axis=1)
    elif target.dtype.kind == "O" and target.shape == gaps.shape:
        gaps |= np.array([v is None or v != v for v in target], bool)
    if not gaps.any():
        return (X, y, *more)
    if gaps.all():
        raise ValueError("every row has a missing value: missing='drop' leaves none")
    kept = np.flatnonzero(~gaps)
    part = [a if a is None or np.ndim(a) == 0 else a.iloc[kept] if hasattr(a, "iloc") else np.asarray(a)[kept] for a in (y, *more)]
    return (X.iloc[kept] if is_frame(X) else X[kept], *part)


class Tabular:
    """What the estimators know of tables. `_tabular`: the model is about one; `_table`: the one of the fit that is under way."""

    _table: Any

    def _table_of(self: Any, X: Any, reset: bool) -> Optional[Table]:
        """The features of a table; None: X is numbers alone."""
        table = self.__dict__.get("_table")
        if table is not None and X is table.X:  # of the fit that this one is a part of
            return table
        columns = None if reset else self._columns()
        if columns is not None:
            return Table(matched(X, columns), unseen=self.unseen, like=columns)
        if not reset or not is_table(X, self.missing):
            return None
        levels = isinstance(self.structure, str) and self.structure == CATEGORIES  # compared with the first, as the command does
        return Table(cells_of(X), self.missing, self.unseen, "first" if levels and self.reference is None else self.reference)

    def _columns(self: Any) -> Any:
        """The columns of the table that the model is about; None: it is about numbers."""
        if not getattr(self, "_tabular", False):
            return None
        table = self.__dict__.get("_table")
        return table.columns if table is not None else lib.spdhg_model_columns(self._model.handle)
