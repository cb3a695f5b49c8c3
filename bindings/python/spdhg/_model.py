# _model.py - the library's model: what predicts, what is written to and read from the command's JSON files, what is pickled.
from __future__ import annotations

import copy
import os
from typing import Any, Optional

import numpy as np

from ._call import borrowed, call, doubles, make, text
from ._data import data_handle
from ._native import ffi, lib


class Model:
    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.view = ffi.new("spdhg_model_view *")
        lib.spdhg_model_get_view(handle, self.view)

    @classmethod
    def of_solver(cls, solver: Any) -> "Model":
        return cls(make("model", lib.spdhg_model_from_solver, solver, free=lib.spdhg_model_free))

    def copy(self) -> "Model":
        return copy.deepcopy(self)

    @classmethod
    def read(cls, path: Any) -> "Model":
        return cls(make("model", lib.spdhg_model_read, os.fsencode(path), free=lib.spdhg_model_free))

    def write(self, path: Any) -> None:
        call(lib.spdhg_model_write, self.handle, os.fsencode(path))

    def __getstate__(self) -> bytes:
        out = ffi.new("char **")
        call(lib.spdhg_model_to_text, self.handle, out)
        try:
            return ffi.string(out[0])
        finally:
            lib.spdhg_text_free(out[0])

    def __setstate__(self, state: bytes) -> None:
        self.__init__(make("model", lib.spdhg_model_from_text, state, len(state), free=lib.spdhg_model_free))  # type: ignore[misc]

    @property
    def coef(self) -> np.ndarray:
        """outputs x features: a view of the library's order turned around."""
        v = self.view
        return borrowed(v.x, (v.features, v.outputs), np.float64, self.handle).copy().T

    @property
    def intercept(self) -> np.ndarray:
        return borrowed(self.view.c, (self.view.outputs,), np.float64, self.handle).copy()

    @property
    def class_values(self) -> np.ndarray:
        return borrowed(self.view.class_value, (self.view.classes,), np.float64, self.handle).copy()

    @property
    def class_texts(self) -> Optional[list]:
        v = self.view
        return None if v.class_text == ffi.NULL else [text(v.class_text[k]) for k in range(v.classes)]

    @property
    def names(self) -> Optional[list]:
        v = self.view
        return None if v.name == ffi.NULL else [text(v.name[j]) for j in range(v.features)]

    def change(self, coef: Any, intercept: Any) -> None:
        """What the estimator's coef_ and intercept_ are now: a user may have changed them."""
        v = self.view
        x = np.ascontiguousarray(np.asarray(coef, np.float64).reshape(v.outputs, v.features).T)
        c = np.array(np.broadcast_to(np.ravel(intercept), (v.outputs,)), np.float64)
        call(lib.spdhg_model_change, self.handle, doubles(x), doubles(c))

    def scores(self, X: Any, offset: Optional[np.ndarray] = None, names: Optional[Any] = None) -> np.ndarray:
        """names: those of the features, for a message about them."""
        data = data_handle(X, offset=offset, said=names)
        scores = np.empty((X.shape[0], self.view.outputs))
        call(lib.spdhg_model_scores, self.handle, data, doubles(scores))
        return scores

    def means(self, scores: np.ndarray) -> np.ndarray:
        out = np.empty_like(scores)
        call(lib.spdhg_model_means, self.handle, len(scores), doubles(np.ascontiguousarray(scores)), doubles(out))
        return out

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        out = np.empty((len(scores), self.view.classes))
        call(lib.spdhg_model_probabilities, self.handle, len(scores), doubles(np.ascontiguousarray(scores)), doubles(out))
        return out

