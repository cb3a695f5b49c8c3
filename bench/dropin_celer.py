# dropin_celer.py - celer's models and paths as this package computes them, with celer's names and parameters. bench/dropin --celer puts them
# into a package of that name and runs celer's tests on it.
import numpy as np
import scipy.sparse as sp
from dropin_estimators import TIGHTER, Dropin, Numbers
from sklearn.base import ClassifierMixin
from sklearn.model_selection import KFold

from spdhg import StructuredClassifier, StructuredRegressor, StructuredRegressorCV

LEAST = 1e-12  # a relative gap that rounding leaves provable


def of_rows(size, weights):
    """A weight for each group of this size as one for each coefficient."""
    return None if weights is None else np.repeat(weights, size)


class Parameters:
    """The arguments of __init__ become attributes."""

    def _keep(self, given):
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)


class Linear(Parameters, Numbers):
    weights = groups = None
    positive = warm_start = False
    l1_ratio = None

    def _made(self, rows, y, weight):
        wishes = dict(l1_ratio=self.l1_ratio)
        if self.groups is not None:
            wishes.update(penalty="group", groups=self.groups)
        weights = self.weights if self.groups is None else of_rows(self.groups, self.weights)
        return StructuredRegressor(alpha=self.alpha, penalty_weights=weights, warm_start=self.warm_start, **{**self._wishes(), **wishes})


class Lasso(Linear):
    def __init__(self, alpha=1., max_iter=100, max_epochs=50000, p0=10, verbose=0, tol=1e-4, prune=True, fit_intercept=True, weights=None,
                 warm_start=False, positive=False):
        self._keep(locals())


class ElasticNet(Linear):
    def __init__(self, alpha=1., l1_ratio=1., max_iter=100, max_epochs=50000, p0=10, verbose=0, tol=1e-4, prune=True, fit_intercept=True,
                 weights=None, warm_start=False, positive=False):
        self._keep(locals())


class GroupLasso(Linear):
    def __init__(self, groups=1, alpha=1., max_iter=100, max_epochs=50000, p0=10, verbose=0, tol=1e-4, prune=True, fit_intercept=True,
                 weights=None, warm_start=False):
        self._keep(locals())


class MultiTaskLasso(Linear):
    def __init__(self, alpha=1., max_iter=100, max_epochs=50000, p0=10, verbose=0, tol=1e-4, prune=True, fit_intercept=True, warm_start=False):
        self._keep(locals())

    def _made(self, rows, y, weight):
        return StructuredRegressor(penalty="group", alpha=self.alpha, **self._wishes())


class Chosen(Parameters, Numbers):
    groups, positive, several = None, False, False

    def _made(self, rows, y, weight):
        wishes = dict(penalty="group", groups=self.groups) if self.groups is not None else dict(penalty="group") if self.several else {}
        if hasattr(self, "l1_ratio"):
            wishes["l1_ratio"] = self.l1_ratio
        cv = KFold(self.cv or 5) if self.cv is None or isinstance(self.cv, int) else self.cv
        return StructuredRegressorCV(alphas=self.alphas, n_alphas=self.n_alphas, alpha_ratio=self.eps, cv=cv, rule="min", saturation=0,
                                     **{**self._wishes(), **wishes})


class LassoCV(Chosen):
    def __init__(self, eps=1e-3, n_alphas=100, alphas=None, fit_intercept=True, max_iter=100, tol=1e-4, cv=None, verbose=0, max_epochs=50000,
                 p0=10, prune=True, precompute="auto", positive=False, n_jobs=None):
        self._keep(locals())


class ElasticNetCV(Chosen):
    def __init__(self, l1_ratio=1., eps=1e-3, n_alphas=100, alphas=None, fit_intercept=True, max_iter=100, tol=1e-4, cv=None, verbose=0,
                 max_epochs=50000, p0=10, prune=True, precompute="auto", positive=False, n_jobs=None):
        self._keep(locals())


class GroupLassoCV(Chosen):
    def __init__(self, groups=None, eps=1e-3, n_alphas=100, alphas=None, fit_intercept=True, max_iter=100, tol=1e-4, cv=None, verbose=0,
                 max_epochs=50000, p0=10, prune=True, precompute="auto", positive=False, n_jobs=None):
        self._keep(locals())


class MultiTaskLassoCV(Chosen):
    several = True

    def __init__(self, eps=1e-3, n_alphas=100, alphas=None, fit_intercept=True, max_iter=100, tol=1e-4, cv=None, verbose=0, max_epochs=50000,
                 p0=10, prune=True, precompute="auto", n_jobs=1):
        self._keep(locals())


class LogisticRegression(Parameters, ClassifierMixin, Dropin):
    def __init__(self, C=1., penalty="l1", solver="celer-pn", tol=1e-4, fit_intercept=False, max_iter=50, verbose=False, max_epochs=50000, p0=10,
                 warm_start=False):
        self._keep(locals())

    def _made(self, rows, y, weight):
        total = max(rows, 1) if weight is None else np.sum(np.asarray(weight))
        return StructuredClassifier(alpha=1 / (self.C * total), fit_intercept=self.fit_intercept, tol=max(LEAST, TIGHTER * self.tol))

    def decision_function(self, X):
        return self._fresh().decision_function(X)

    def predict_proba(self, X):
        return self._fresh().predict_proba(X)


def largest(X, y, pb, groups, weights, ratio):
    """Where the path begins."""
    slope = np.abs(X.T @ y)
    if groups is not None:
        slope = np.sqrt(np.add.reduceat(np.square(slope), np.arange(0, X.shape[1], groups)))
    return np.max(slope / (1 if weights is None else weights)) / (2 if pb == "logreg" else len(y)) / ratio


def celer_path(X, y, pb, eps=1e-3, n_alphas=100, alphas=None, l1_ratio=1.0, coef_init=None, max_iter=20, max_epochs=50000, p0=10, verbose=0,
               tol=1e-6, prune=0, weights=None, groups=None, return_thetas=False, use_PN=False, X_offset=None, X_scale=None,
               return_n_iter=False, positive=False):
    if pb == "logreg" and l1_ratio != 1:
        raise NotImplementedError
    X = X.tocsr() if sp.issparse(X) else X
    n = len(y)
    if alphas is None:
        alphas = largest(X, y, pb, groups, weights, l1_ratio) * np.geomspace(1, eps, n_alphas)
    wishes = dict(fit_intercept=False, tol=max(LEAST, 0.1 * tol), penalty_weights=of_rows(groups, weights) if groups else weights)
    if groups is not None:
        wishes.update(penalty="group", groups=groups)
    if l1_ratio != 1:
        wishes["l1_ratio"] = l1_ratio
    if positive:
        wishes["constraint"] = "nonneg"
    fits = [(StructuredClassifier(alpha=alpha / n, **wishes) if pb == "logreg" else StructuredRegressor(alpha=alpha, **wishes)).fit(X, y)
            for alpha in alphas]
    coefs = np.column_stack([np.ravel(fit.coef_) for fit in fits])
    answer = [np.asarray(alphas), coefs, np.array([fit.gap_ * (n if pb == "logreg" else 1) for fit in fits])]
    if return_thetas:
        answer.append(np.column_stack([y - X @ coef for coef in coefs.T]))
    return tuple(answer + ([[fit.n_iter_ for fit in fits]] if return_n_iter else []))


def mtl_path(X, Y, eps=1e-2, n_alphas=100, alphas=None, max_iter=100, max_epochs=50000, p0=10, verbose=0, tol=1e-6, prune=True,
             return_thetas=False, coef_init=None):
    if alphas is None:
        alphas = np.linalg.norm(X.T @ Y, axis=1).max() / len(Y) * np.geomspace(1, eps, n_alphas)
    fits = [StructuredRegressor(penalty="group", alpha=alpha, fit_intercept=False, tol=max(LEAST, 0.1 * tol)).fit(X, Y) for alpha in alphas]
    return np.asarray(alphas), np.stack([fit.coef_ for fit in fits], axis=-1), np.array([fit.gap_ for fit in fits])


def dnorm_grp(*_):
    raise NotImplementedError("an inner function of celer's solver")


_grp_converter = dnorm_grp
