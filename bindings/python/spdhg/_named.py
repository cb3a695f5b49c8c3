# _named.py - what people search for by name, as thin forms of the general estimators and of denoise.
from __future__ import annotations

import textwrap
from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import validation
from sklearn.utils.validation import check_is_fitted

from ._base import DTYPES
from ._check import flag, whole
from ._denoise import Denoised
from ._estimators import StructuredClassifier, StructuredRegressor, documented
from ._parameters import (DenoiserParameters, FusedLassoParameters, GraphGuidedParameters, SparseGroupLassoParameters, TrendFilterParameters,
                          denoise)


@documented
class FusedLasso(FusedLassoParameters, StructuredRegressor):
    """The fused lasso (Tibshirani, Saunders, Rosset, Zhu and Knight 2005): regression whose neighbouring coefficients share a value and
    most of whose coefficients are 0. Minimises

        mean_i loss(a_i'x + c, b_i) + alpha (sum_j |x_{j+1} - x_j| + also_sparse ||x||_1)

    A StructuredRegressor with structure='chain' and also_sparse=1; `structure` may also be a grid or the edges of a graph, and
    also_sparse=0 leaves the differences alone.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> X = np.random.default_rng(0).normal(size=(100, 12))
    >>> y = X[:, 4:8].sum(axis=1)
    >>> spdhg.FusedLasso(alpha=0.02).fit(X, y).coef_.round(1).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """


@documented
class TrendFilter(TrendFilterParameters, StructuredRegressor):
    """Regression whose coefficients follow a piecewise polynomial: l1 trend filtering (Kim, Koh, Boyd and Gorinevsky 2009). A
    StructuredRegressor with structure='trend:1'; 'trend:2' has quadratic pieces. `trend_filter(y)` does the same for a signal alone.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> rng = np.random.default_rng(0)
    >>> true = np.abs(np.arange(20) - 10.0)
    >>> X = rng.normal(size=(200, 20))
    >>> model = spdhg.TrendFilter(alpha=0.05).fit(X, X @ true + rng.normal(size=200))
    >>> bool(np.abs(model.coef_ - true).max() < 0.5)
    True
    """


@documented
class GraphGuidedClassifier(GraphGuidedParameters, StructuredClassifier):
    """Graph-guided sparse classification (the generalised graph-guided logistic regression of the SPDHG paper): coefficients of features
    that an edge connects are alike, and most are 0. A StructuredClassifier with structure='learned': the graph is learned from X. Give
    `structure` edges, a networkx graph or a scipy sparse matrix if you have it.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat(rng.normal(size=(200, 3)), 4, axis=1) + 0.3 * rng.normal(size=(200, 12))
    >>> model = spdhg.GraphGuidedClassifier(alpha=0.01).fit(X, X[:, :4].sum(axis=1) > 0)
    >>> model.structure_.shape[1], model.score(X, X[:, :4].sum(axis=1) > 0) > 0.9
    (12, True)
    """


@documented
class SparseGroupLasso(SparseGroupLassoParameters, StructuredRegressor):
    """The sparse group lasso (Simon, Friedman, Hastie and Tibshirani 2013): groups of coefficients vanish together, and single ones in the
    groups that stay. Minimises

        mean_i loss(a_i'x + c, b_i) + alpha (sum_g ||x_g||_2 + also_sparse ||x||_1)

    A StructuredRegressor with penalty='group' and also_sparse=1. `groups` is needed; also_sparse=0 is the group lasso.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> model = spdhg.SparseGroupLasso(groups=[[0, 1, 2], [3, 4, 5]], alpha=0.05).fit(X, X[:, 0] - X[:, 2])
    >>> model.coef_[3:].tolist()
    [0.0, 0.0, 0.0]
    """


class TotalVariationDenoiser(DenoiserParameters, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Removes the noise from images, or from other signals, as a step of a scikit-learn pipeline: each row of X is one, and is denoised by
    itself (`tv_denoise` is the same for one image).

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    n_features_in_, feature_names_in_ : values of a row, and their names. denoised_ : the `Denoised` of the rows of fit_transform, with
        alpha and proof of each

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> rng = np.random.default_rng(0)
    >>> clean = np.kron(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones((6, 6)))
    >>> X = np.stack([clean.ravel() + 0.1 * rng.normal(size=144) for _ in range(2)])
    >>> tv = spdhg.TotalVariationDenoiser(structure=(12, 12), alpha=5e-4)
    >>> bool(np.abs(tv.fit_transform(X) - clean.ravel()).mean() < np.abs(X - clean.ravel()).mean())
    True
    """

    denoised_: Denoised

    def fit(self, X: Any, y: Any = None) -> "TotalVariationDenoiser":
        """Only looks at the sizes: every row is denoised by itself."""
        self._rows(X, True)
        return self

    def _rows(self, X: Any, reset: bool) -> np.ndarray:
        """scikit-learn's check, which moved in 1.6; NaN is a pixel that is missing."""
        if hasattr(validation, "validate_data"):
            return validation.validate_data(self, X, reset=reset, dtype=DTYPES, ensure_all_finite="allow-nan")
        return self._validate_data(X, reset=reset, dtype=DTYPES, force_all_finite="allow-nan")

    def transform(self, X: Any) -> np.ndarray:
        """The rows without their noise; float32 for float32."""
        check_is_fitted(self, "n_features_in_")
        X = self._rows(X, False)
        return self._as_rows(self._denoised(X), X)

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> np.ndarray:
        """fit and transform; the proofs stay in denoised_."""
        X = self._rows(X, True)
        self.denoised_ = self._denoised(X)
        return self._as_rows(self.denoised_, X)

    def _as_rows(self, denoised: Denoised, X: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(denoised.x.reshape(X.T.shape).T, X.dtype)

    def _denoised(self, X: np.ndarray) -> Denoised:
        structure = self.structure
        if structure in (None, "grid"):
            side = int(round(np.sqrt(X.shape[1])))
            if side * side != X.shape[1]:
                raise ValueError(f"{X.shape[1]} values are not a square image; give its sides, as in structure=(height, width)")
            structure = (side, side)
        p = {name: getattr(self, name) for name in self._names}
        return denoise(np.ascontiguousarray(X.T), **{**p, "structure": structure})

    def _more_tags(self) -> dict:  # before scikit-learn 1.6
        return {"allow_nan": True, "preserves_dtype": DTYPES}

    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6 on
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


TotalVariationDenoiser.__doc__ = (TotalVariationDenoiser.__doc__ or "").replace(
    "PARAMETERS", textwrap.indent(TotalVariationDenoiser._parameters, "    ").strip())


def fused_lasso(y: Any, alpha: Optional[float] = None, *, weights: Any = None, **options: Any) -> Denoised:
    """A signal as constant pieces: the one-dimensional fused lasso, or total variation. `alpha` None: chosen by points held out;
    `options` are those of `denoise`.

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> y = np.repeat([0.0, 2.0, 1.0], 30) + 0.1 * np.random.default_rng(0).normal(size=90)
    >>> [s.points for s in spdhg.fused_lasso(y, 0.05).signals[0].segments]
    [30, 30, 30]
    """
    return denoise(y, weights=weights, structure="chain", alpha=alpha, **options)


def trend_filter(y: Any, alpha: Optional[float] = None, *, order: int = 1, positions: Any = None, weights: Any = None, **options: Any) -> Denoised:
    """A signal as pieces of polynomials of degree `order` (1: l1 trend filtering), at any `positions`. `alpha` None: chosen by points held
    out; `options` are those of `denoise`.

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> t = np.arange(60.0)
    >>> true = np.minimum(t, 60 - t)
    >>> fit = spdhg.trend_filter(true + np.random.default_rng(0).normal(size=60), alpha=1.0)
    >>> bool(np.abs(fit.x - true).mean() < 0.5)
    True
    """
    order = whole("order", order)
    return denoise(y, positions=positions, weights=weights, structure="chain" if order == 0 else f"trend:{order}", alpha=alpha, **options)


def tv_denoise(image: Any, alpha: Optional[float] = None, *, isotropic: bool = False, channel_axis: Optional[int] = None, weights: Any = None,
               **options: Any) -> Denoised:
    """An image (or a volume) as flat regions: total variation (Rudin, Osher and Fatemi 1992). `channel_axis`: the axis of the colours,
    which are denoised one by one. `isotropic`: the length of the gradient at a pixel, not its entries. scikit-image's
    denoise_tv_chambolle(weight) minimises the same, isotropic, with alpha = weight / pixels. `alpha` None: chosen by pixels held
    out; `options` are those of `denoise`.

    Examples
    --------
    >>> import numpy as np, spdhg
    >>> clean = np.kron(np.eye(2), np.ones((6, 6)))
    >>> noisy = clean + 0.1 * np.random.default_rng(0).normal(size=clean.shape)
    >>> fit = spdhg.tv_denoise(noisy, 5e-4)
    >>> fit.x.shape, bool(np.abs(fit.x - clean).mean() < np.abs(noisy - clean).mean())
    ((12, 12), True)
    """
    if channel_axis is None:
        return denoise(image, weights=weights, structure="grid", isotropic=flag("isotropic", isotropic), alpha=alpha, **options)
    colours = np.moveaxis(np.asarray(image, np.float64), channel_axis, -1)
    answer = denoise(np.ascontiguousarray(colours), weights=weights, structure=colours.shape[:-1], isotropic=flag("isotropic", isotropic), alpha=alpha,
                     **options)
    return Denoised(np.moveaxis(answer.x, -1, channel_axis), answer.signals)
