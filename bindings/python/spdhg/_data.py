# _data.py - rows and labels on their way into the library, without copies where the layout allows it, and files on their way out.
from __future__ import annotations

import os
from typing import Any, Dict, Iterator, Optional

import numpy as np
import scipy.sparse as sp

from ._call import SMALL, borrowed, call, doubles, longs, make, text
from ._check import choice, memory, threads
from ._native import ffi, lib


def _csr_parts(X: sp.csr_matrix) -> tuple:
    """ptr (int64), idx (int32), values: the matrix's own arrays where they fit, never written to."""
    if X.indices.dtype != np.int32 and X.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(f"{X.shape[1]} features: the library takes at most {np.iinfo(np.int32).max}")
    values = np.ascontiguousarray(X.data, np.float64)
    return np.ascontiguousarray(X.indptr, np.int64), np.ascontiguousarray(X.indices, np.int32), values


def check_compressed(X: Any) -> None:
    """ValueError if the row pointers of a CSR or CSC matrix are not those of its arrays: whoever follows them leaves the memory."""
    indptr, lines = getattr(X, "indptr", None), X.shape[1 if X.format == "csc" else 0]
    if indptr is None or X.format not in ("csr", "csc"):
        return
    stored = min(len(X.indices), len(X.data))
    if len(indptr) != lines + 1 or indptr[0] != 0 or indptr[-1] > stored or (np.diff(indptr) < 0).any():
        raise ValueError(f"X is broken: indptr of a {X.format.upper()} matrix rises from 0 to the number of its entries, {stored}, in {lines + 1} steps")
    if X.format == "csc":  # which is converted before the library looks at it
        X.check_format(full_check=True)


def is_small(X: Any) -> bool:
    """Few numbers: not worth a thread."""
    return (X.nnz if sp.issparse(X) else X.size) + X.shape[1] <= SMALL


def not_finite(X: Any, names: Optional[Any]) -> str:
    """Where the first NaN or infinity is."""
    if sp.issparse(X):
        at = int(np.flatnonzero(~np.isfinite(X.data))[0])
        row, column, value = int(np.searchsorted(X.indptr, at, "right")) - 1, int(X.indices[at]), X.data[at]
    else:
        row, column = (int(k) for k in np.argwhere(~np.isfinite(X))[0])
        value = X[row, column]
    name = f"{column}" if names is None else f"{names[column]!r}"
    return f"X contains {'NaN' if np.isnan(value) else 'infinity'} (not finite): row {row}, column {name}, counted from 0"


def texts(words) -> tuple:
    """char ** of some words, and what must live as long."""
    keep = [ffi.new("char[]", str(word).encode()) for word in words]
    return ffi.new("char *[]", keep), keep


def data_handle(X: Any, b: Optional[np.ndarray] = None, weight: Optional[np.ndarray] = None, offset: Optional[np.ndarray] = None,
                labels: Optional[list] = None, names: Optional[Any] = None, said: Optional[Any] = None) -> Any:
    """The library's data set over these arrays, which it borrows. X: C-ordered float64, or CSR. said: names for messages alone."""
    targets = 0 if b is None else 1 if b.ndim == 1 else b.shape[1]
    if sp.issparse(X):
        check_compressed(X)
    try:
        data = _borrow(X, b, targets)
    except ValueError as error:
        if "is not finite" in str(error) and not np.isfinite(X.data if sp.issparse(X) else X).all():
            raise ValueError(not_finite(X, said if names is None else names)) from None
        if "does not ascend" not in str(error):
            raise
        X.check_format(full_check=True)  # scipy sorts without looking where the columns are
        X = X.copy()  # columns in disorder, or twice in a row: found by the library's own check
        X.sum_duplicates()
        return data_handle(X, b, weight, offset, labels, names, said)
    if weight is not None:
        call(lib.spdhg_data_set_weights, data, doubles(weight))
    if offset is not None:
        call(lib.spdhg_data_set_offsets, data, doubles(offset), 1 if offset.ndim == 1 else offset.shape[1])
    if labels is not None:
        pointer, _keep = texts(labels)
        call(lib.spdhg_data_set_labels, data, pointer, len(labels))
    if names is not None:
        pointer, _keep = texts(names)
        call(lib.spdhg_data_set_names, data, pointer)
    return data


def _borrow(X: Any, b: Optional[np.ndarray], targets: int) -> Any:
    if sp.issparse(X):
        ptr, idx, val = _csr_parts(X)
        parts = longs(ptr), ffi.from_buffer("int32_t[]", idx), doubles(val)
    else:
        ptr = idx = None
        val = np.ascontiguousarray(X, np.float64)
        parts = ffi.NULL, ffi.NULL, doubles(val)
    return make("data", lib.spdhg_data_from_csr, X.shape[0], X.shape[1], *parts, doubles(b), targets, lib.SPDHG_BORROW,
                free=lib.spdhg_data_free, keep=(ptr, idx, val, b))


class Data:
    """The contents of a file: `X`, `y` and what came with them. Unpacks to (X, y)."""

    X: Any
    y: Optional[np.ndarray]
    feature_names: Optional[list]
    fold_groups: Optional[np.ndarray]
    sample_weight: Optional[np.ndarray]

    def __init__(self, handle: Any) -> None:
        v = ffi.new("spdhg_data_view *")
        lib.spdhg_data_get_view(handle, v)
        if v.ptr == ffi.NULL:
            self.X = borrowed(v.val, (v.rows, v.features), np.float64, handle)
        else:
            self.X = sp.csr_matrix((v.rows, v.features))
            self.X.data = borrowed(v.val, (v.nonzeros,), np.float64, handle)
            self.X.indices = borrowed(v.idx, (v.nonzeros,), np.int32, handle)
            narrow = np.int32 if v.nonzeros <= np.iinfo(np.int32).max else np.int64
            self.X.indptr = borrowed(v.ptr, (v.rows + 1,), np.int64, handle).astype(narrow)
            self.X.has_sorted_indices = self.X.has_canonical_format = True
        self.y = None
        if v.targets > 0:
            b = borrowed(v.b, (v.rows,) if v.targets == 1 else (v.rows, v.targets), np.float64, handle)
            names = None if v.label == ffi.NULL else np.array([text(v.label[k]) for k in range(v.labels)])
            self.y = b if names is None else names[b.astype(np.int64)]
        self.feature_names = None if v.name == ffi.NULL else [text(v.name[j]) for j in range(v.features)]
        self.fold_groups = None if v.group == ffi.NULL else borrowed(v.group, (v.rows,), np.int64, handle)
        self.sample_weight = None if v.weight == ffi.NULL else borrowed(v.weight, (v.rows,), np.float64, handle)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    def __repr__(self) -> str:
        return f"Data: {self.X.shape[0]} rows, {self.X.shape[1]} features, {'labelled' if self.y is not None else 'no labels'}"


DUPLICATES = {"error": lib.SPDHG_DUPLICATES_ERROR, "sum": lib.SPDHG_DUPLICATES_SUM, "last": lib.SPDHG_DUPLICATES_LAST}


def read(path: Any, p: Dict[str, Any]) -> Data:
    options = ffi.new("spdhg_read_options *")
    options[0] = lib.spdhg_default_read_options()
    keep = []
    for name in ("format", "label", "targets", "names", "columns", "drop", "id", "categorical", "ordered", "reference", "missing", "unseen"):
        if p[name] is not None:
            keep.append(ffi.new("char[]", os.fsencode(p[name])))
            setattr(options, name, keep[-1])
    options.features = p["features"] or 0
    options.duplicates = choice("duplicates", p["duplicates"], DUPLICATES)
    options.unlabelled_ok = True
    options.no_label = bool(p["no_label"])
    options.header = 1 if p["header"] else 0 if p["no_header"] else -1
    options.threads = threads(p["n_jobs"])
    options.max_memory = memory(p["max_memory"])
    return Data(make("data", lib.spdhg_data_read, os.fsencode(path), options, free=lib.spdhg_data_free))
