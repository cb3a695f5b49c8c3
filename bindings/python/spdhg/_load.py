# _load.py - a model file of the command as a fitted estimator.
from __future__ import annotations

import json
from typing import Any, Union

import numpy as np

from ._call import text
from ._estimators import StructuredClassifier, StructuredRegressor
from ._model import Model
from ._table import column_names


def load_model(path: Any) -> Union[StructuredClassifier, StructuredRegressor]:
    """A model that `spdhg fit`, `spdhg path` or `save()` wrote, ready to predict.

    Examples
    --------
    >>> import numpy as np, spdhg, tempfile, os
    >>> X, y = np.eye(4), np.array([0, 0, 1, 1])
    >>> name = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> fitted = spdhg.StructuredClassifier().fit(X, y)
    >>> fitted.save(name)
    >>> bool((spdhg.load_model(name).predict(X) == fitted.predict(X)).all())
    True
    """
    model = Model.read(path)
    v = model.view
    kind = StructuredClassifier if v.classify else StructuredRegressor
    first = {"penalty": text(v.penalty), "structure": text(v.structure)}
    estimator = kind(loss=text(v.loss), alpha=getattr(v, "lambda"), gamma=v.gamma,
                     constraint=text(v.set), fit_intercept=bool(v.intercept), standardize=bool(v.standardized), random_state=int(v.seed),
                     **{name: (value or "").split(" + ")[0] for name, value in first.items()})
    estimator._model, estimator._dtype, estimator._column = model, np.dtype(np.float64), False
    if v.classify:
        texts, values = model.class_texts, model.class_values
        whole = texts is None and bool((values == np.floor(values)).all())
        estimator.classes_ = np.array(texts) if texts is not None else values.astype(np.int64) if whole else values
        estimator._seen = np.arange(len(estimator.classes_))
    estimator._set_coefficients()
    estimator.n_features_in_ = int(v.features)
    if model.names is not None:
        estimator.feature_names_in_ = np.array(model.names, dtype=object)
    estimator._tabular = bool(json.loads(model.__getstate__()).get("columns"))  # null unless there are categories or gaps
    if estimator._tabular:
        names = column_names(estimator._columns())
        estimator.n_features_in_, estimator.feature_names_in_ = len(names), np.array(names, dtype=object)
    estimator.gap_, estimator.objective_, estimator.outcome_, estimator.solver_ = v.gap, v.objective, text(v.outcome), text(v.solver)
    estimator.gap_kind_ = "certified" if np.isfinite(v.gap) else "none"
    estimator.dual_ = np.empty(0)
    return estimator
