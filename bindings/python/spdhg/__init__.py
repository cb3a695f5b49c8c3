"""Structured-sparse linear models: lasso, fused lasso, trend filtering, total variation, graph-guided and group penalties, with a
duality gap that proves how close each answer is to the best possible.

>>> import numpy as np, spdhg
>>> X = np.random.default_rng(0).normal(size=(200, 20))
>>> y = X[:, 3:8].sum(axis=1) > 0
>>> spdhg.StructuredClassifier(structure="chain", alpha=0.01).fit(X, y).score(X, y) > 0.9
True

Estimators: StructuredClassifier, StructuredRegressor, and with alpha chosen along a path StructuredClassifierCV, StructuredRegressorCV.
By name: FusedLasso, TrendFilter, SparseGroupLasso, GraphGuidedClassifier, TotalVariationDenoiser; for a signal or an image alone
fused_lasso, trend_filter, tv_denoise, denoise.
Functions: fit_path, learn_graph, duality_gap, race, read, load_model, catalog.
"""
from . import _native
from ._call import text as _text
from ._catalog import catalog
from ._data import Data
from ._denoise import Denoised
from ._estimators import StructuredClassifier, StructuredClassifierCV, StructuredRegressor, StructuredRegressorCV
from ._gap import Gap, duality_gap
from ._graph import Graph
from ._load import load_model
from ._named import (FusedLasso, GraphGuidedClassifier, SparseGroupLasso, TotalVariationDenoiser, TrendFilter, fused_lasso, trend_filter,
                     tv_denoise)
from ._parameters import denoise, fit_path, learn_graph, race, read
from ._path import Path
from ._race import Race

__version__ = _text(_native.lib.spdhg_version())
__all__ = ["Data", "Denoised", "FusedLasso", "Gap", "Graph", "GraphGuidedClassifier", "Path", "Race", "SparseGroupLasso", "StructuredClassifier",
           "StructuredClassifierCV", "StructuredRegressor", "StructuredRegressorCV", "TotalVariationDenoiser", "TrendFilter", "catalog",
           "denoise", "duality_gap", "fit_path", "fused_lasso", "learn_graph", "load_model", "race", "read", "trend_filter", "tv_denoise"]
