# _estimators.py - the four estimators. Their parameters come from the library's tables, see _parameters.py.
from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from ._base import Structured
from ._catalog import loss_entry
from ._parameters import ClassifierCVParameters, ClassifierParameters, RegressorCVParameters, RegressorParameters
from ._path import fit_cv

ATTRIBUTES = """coef_ : array of length features, or outputs x features. intercept_ : the unpenalised constant
    dual_ : the dual variable y, one entry for each row of F (and output). objective_ : its value
    gap_, gap_relative_, gap_kind_ : the objective is proven to be within `gap_` of the best possible if the kind is 'certified'
    n_iter_ : passes over the data. outcome_ : 'converged', 'done', 'limit', 'stalled', 'infimum', 'interrupted' or 'diverged'
    history_ : dict of columns (epoch, seconds, objective, gap, ...), for pandas.DataFrame(history_)
    structure_ : the learned F, with structure='learned'"""

CHOSEN = """alpha_, gamma_, also_sparse_ : the chosen values
    alphas_ : all alphas, decreasing. path_ : the whole `Path`, with coefficients and scores of each alpha"""


def documented(cls: Any) -> Any:
    cls.__doc__ = cls.__doc__.replace("PARAMETERS", textwrap.indent(cls._parameters, "    ").strip()).replace("ATTRIBUTES", ATTRIBUTES).replace("CHOSEN", CHOSEN)
    return cls


def _has_probabilities(self: Any) -> bool:
    return bool(loss_entry(self.loss).probabilities)


class Classifier(ClassifierMixin, Structured):
    _classify = True

    def _set_coefficients(self) -> None:
        self.coef_, self.intercept_ = self._model.coef, self._model.intercept

    def decision_function(self, X: Any, offset: Any = None) -> np.ndarray:
        """Scores: one for each row if there are two classes (positive: the second), otherwise one for each class."""
        scores = self._scores(X, offset)
        if scores.shape[1] == 1:
            return scores[:, 0]
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any, offset: Any = None) -> np.ndarray:
        """The most likely label of each row."""
        scores = self._scores(X, offset)
        best = (scores[:, 0] > 0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return self.classes_[np.minimum(best, len(self.classes_) - 1)]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any, offset: Any = None) -> np.ndarray:
        """Class probabilities, for the losses logistic and softmax."""
        scores = self._scores(X, offset)
        return np.ones_like(scores) if len(self.classes_) == 1 else self._model.probabilities(scores)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any, offset: Any = None) -> np.ndarray:
        """Logarithms of predict_proba."""
        return np.log(self.predict_proba(X, offset))


class Regressor(RegressorMixin, Structured):
    _classify = False

    def _set_coefficients(self) -> None:
        coef, intercept = self._model.coef, self._model.intercept
        one = coef.shape[0] == 1
        self.coef_, self.intercept_ = (coef[0], float(intercept[0])) if one else (coef, intercept)

    def predict(self, X: Any, offset: Any = None) -> np.ndarray:
        """The expected target of each row."""
        scores = self._scores(X, offset)
        means = self._model.means(scores)
        return means[:, 0] if means.shape[1] == 1 else means

    def _more_tags(self) -> dict:
        return {"multioutput": True}


@documented
class StructuredClassifier(ClassifierParameters, Classifier):
    """Linear classifier with structured coefficients. Minimises

        mean_i loss(a_i'x + c + o_i, b_i) + (gamma/2) ||x||^2 + alpha r(F x) [+ also_sparse alpha ||x||_1]

    where F says which coefficients belong together (neighbours, pixels, nodes of a graph) and r is a norm. The answer comes with a
    duality gap, which proves how far it can be from the best possible.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    classes_ : the labels
    ATTRIBUTES

    Examples
    --------
    Coefficients on a line, whose neighbours are alike:

    >>> import numpy as np
    >>> from spdhg import StructuredClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 30))
    >>> y = np.where(X[:, :10].sum(axis=1) + rng.normal(size=400) > 0, "yes", "no")
    >>> model = StructuredClassifier(structure="chain", alpha=0.02).fit(X, y)
    >>> model.classes_.tolist(), model.gap_relative_ <= 1e-6
    (['no', 'yes'], True)
    >>> len(np.unique(model.coef_.round(9))) < 15  # few different values: the coefficients are fused
    True
    >>> model.predict_proba(X[:2]).shape
    (2, 2)

    A graph, as edges between features:

    >>> edges = [(0, 1), (1, 2), (2, 3)]
    >>> StructuredClassifier(structure=edges, also_sparse=1).fit(X, y).score(X, y) > 0.8
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, eval_set: Any = None) -> "StructuredClassifier":
        """Fit. `offset`: a known part of the scores; `eval_set`: (X, y) to evaluate in history_. Ctrl-C stops within a step and keeps
        what has been reached."""
        return self._fit(X, y, sample_weight, offset, eval_set)


@documented
class StructuredRegressor(RegressorParameters, Regressor):
    """Linear regression with structured coefficients. Minimises

        mean_i loss(a_i'x + c + o_i, b_i) + (gamma/2) ||x||^2 + alpha r(F x) [+ also_sparse alpha ||x||_1]

    where F says which coefficients belong together and r is a norm: fused lasso, trend filtering, total variation, graphs, groups.
    Several targets are fitted at once. The answer comes with a duality gap.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np
    >>> from spdhg import StructuredRegressor
    >>> signal = np.repeat([0.0, 2.0, 1.0], 20)
    >>> noisy = signal + 0.1 * np.random.default_rng(0).normal(size=60)
    >>> model = StructuredRegressor(structure="chain", alpha=0.05, fit_intercept=False).fit(np.eye(60), noisy)
    >>> len(np.unique(model.coef_.round(9)))
    3
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, eval_set: Any = None) -> "StructuredRegressor":
        """Fit. `offset`: a known part of the scores; `eval_set`: (X, y) to evaluate in history_. Ctrl-C stops within a step and keeps
        what has been reached."""
        return self._fit(X, y, sample_weight, offset, eval_set)


class AlongPath:
    """Common to the estimators that choose alpha along a path."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, fold_groups: Any = None) -> Any:
        """Fit. `fold_groups`: rows with the same number stay in one fold."""
        return fit_cv(self, X, y, sample_weight, offset, fold_groups)

    def plot(self, kind: str = "cv", ax: Any = None, output: int = 0) -> Any:
        """'cv': the criterion by alpha; 'path': the coefficients by alpha; or 'coef', 'history'."""
        return self.path_.plot(kind, ax) if kind in ("cv", "path") else super().plot(kind, ax, output)


@documented
class StructuredClassifierCV(ClassifierCVParameters, AlongPath, Classifier):
    """StructuredClassifier with alpha chosen along a path, by cross-validation (loss, accuracy, auc) or aic, bic, ebic.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    CHOSEN
    classes_ : the labels
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np
    >>> from spdhg import StructuredClassifierCV
    >>> X = np.random.default_rng(0).normal(size=(200, 12))
    >>> y = X[:, :4].sum(axis=1) > 0
    >>> model = StructuredClassifierCV(structure="chain", n_alphas=20, cv=3).fit(X, y)
    >>> bool(model.alphas_[-1] <= model.alpha_ <= model.alphas_[0]), model.score(X, y) > 0.9
    (True, True)
    """


@documented
class StructuredRegressorCV(RegressorCVParameters, AlongPath, Regressor):
    """StructuredRegressor with alpha chosen along a path, by cross-validation (loss) or aic, bic, ebic.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    CHOSEN
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np
    >>> from spdhg import StructuredRegressorCV
    >>> X = np.random.default_rng(0).normal(size=(100, 12))
    >>> y = X[:, 0] + X[:, 1]
    >>> model = StructuredRegressorCV(n_alphas=20, cv=3, rule="min").fit(X, y)
    >>> model.coef_.round(1).tolist()[:3]
    [1.0, 1.0, 0.0]
    """
