"""Structured-sparse linear models: lasso, fused lasso, trend filtering, total variation, graph-guided and group penalties, with a
duality gap that proves how close each answer is to the best possible.

>>> import numpy as np, spdhg
>>> X = np.random.default_rng(0).normal(size=(200, 20))
>>> y = X[:, 3:8].sum(axis=1) > 0
>>> spdhg.StructuredClassifier(structure="chain", alpha=0.01).fit(X, y).score(X, y) > 0.9
True

Estimators: StructuredClassifier, StructuredRegressor, and with alpha chosen along a path StructuredClassifierCV, StructuredRegressorCV.
Functions: fit_path, learn_graph, duality_gap, race, read, load_model, catalog.
"""
from . import _native
from ._call import text as _text
from ._catalog import catalog
from ._data import Data
from ._estimators import StructuredClassifier, StructuredClassifierCV, StructuredRegressor, StructuredRegressorCV
from ._gap import Gap, duality_gap
from ._graph import Graph
from ._load import load_model
from ._parameters import fit_path, learn_graph, race, read
from ._path import Path
from ._race import Race

__version__ = _text(_native.lib.spdhg_version())
__all__ = ["Data", "Gap", "Graph", "Path", "Race", "StructuredClassifier", "StructuredClassifierCV", "StructuredRegressor",
           "StructuredRegressorCV", "catalog", "duality_gap", "fit_path", "learn_graph", "load_model", "race", "read"]
