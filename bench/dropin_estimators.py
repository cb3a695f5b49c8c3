# dropin_estimators.py - scikit-learn's linear models as this package computes them: the same constructors, and inside the structured
# estimators. bench/dropin puts them in the place of scikit-learn's own and runs scikit-learn's tests.
import inspect
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn import linear_model
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from spdhg import StructuredClassifier, StructuredClassifierCV, StructuredRegressor, StructuredRegressorCV

TIGHTER = 1e-6  # ours bounds the objective, theirs a step: for the same digits of the coefficients
FITTED = ("coef_", "intercept_", "n_iter_", "classes_", "n_features_in_", "feature_names_in_", "alpha_", "alphas_", "mse_path_", "l1_ratio_")


def constructor(original):
    """A mixin with scikit-learn's own signature, so that get_params, clone and set_params are those of the original."""
    signature = inspect.signature(original.__init__)
    names = [name for name in signature.parameters if name != "self"]
    space = {}
    head = ", ".join(str(p) if p.default is inspect.Parameter.empty else f"{p.name}=DEFAULTS[{p.name!r}]" for p in signature.parameters.values()
                     if p.kind is p.POSITIONAL_OR_KEYWORD)
    only = ", ".join(f"{p.name}=DEFAULTS[{p.name!r}]" for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY)
    body = "\n".join(f"    self.{name} = {name}" for name in names)
    exec(f"def __init__({head}{', *, ' + only if only else ''}):\n{body}\n",
         {"DEFAULTS": {name: p.default for name, p in signature.parameters.items()}}, space)
    return type("Constructor", (), {"__init__": space["__init__"]})


class Dropin(BaseEstimator):
    """fit makes the structured estimator, and takes over what it found."""

    def _made(self, X, y, weight):
        raise NotImplementedError

    def fit(self, X, y, sample_weight=None, check_input=True):
        rows = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
        made = self._made(rows, y, sample_weight)
        before = getattr(self, "_inner", None)
        if getattr(self, "warm_start", False) and before is not None:
            made = before.set_params(**made.get_params())
        made.fit(X, y, sample_weight=sample_weight)
        self._inner = made
        for name in FITTED:
            if hasattr(made, name):
                setattr(self, name, getattr(made, name))
        self.dual_gap_ = made.gap_
        return self

    def _fresh(self):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "coef_")
        if hasattr(self, "coef_"):
            self._inner.coef_, self._inner.intercept_ = self.coef_, self.intercept_
        return self._inner

    def predict(self, X):
        return self._fresh().predict(X)

    def sparsify(self):
        self.coef_ = self._fresh().sparsify().coef_
        return self

    def densify(self):
        self.coef_ = self._fresh().densify().coef_
        return self

    @property
    def sparse_coef_(self):
        return sp.csr_matrix(self.coef_)

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}


class Numbers(RegressorMixin, MultiOutputMixin, Dropin):
    def _wishes(self):
        return dict(fit_intercept=self.fit_intercept, constraint="nonneg" if getattr(self, "positive", False) else "all", random_state=0,
                    tol=max(1e-12, TIGHTER * self.tol))


class ElasticNet(constructor(linear_model.ElasticNet), Numbers):
    def _made(self, rows, y, weight):
        return StructuredRegressor(alpha=self.alpha, l1_ratio=self.l1_ratio, warm_start=self.warm_start, **self._wishes())


class Lasso(constructor(linear_model.Lasso), Numbers):
    def _made(self, rows, y, weight):
        return StructuredRegressor(alpha=self.alpha, warm_start=self.warm_start, **self._wishes())


class Ridge(constructor(linear_model.Ridge), Numbers):
    def _made(self, rows, y, weight):
        total = rows if weight is None else np.sum(weight) * (rows if np.ndim(weight) == 0 else 1)
        return StructuredRegressor(penalty="l2", alpha=self.alpha / total, **self._wishes())


class PathOfNumbers(Numbers):
    def _made(self, rows, y, weight):
        wishes = dict(l1_ratio=self.l1_ratio) if hasattr(self, "l1_ratio") else {}
        cv = KFold(self.cv) if isinstance(self.cv, int) else self.cv  # ours shuffles
        return StructuredRegressorCV(alphas=self.alphas, n_alphas=self.n_alphas, alpha_ratio=self.eps, cv=cv, rule="min", saturation=0,
                                     n_jobs=self.n_jobs, **wishes, **self._wishes())


class LassoCV(constructor(linear_model.LassoCV), PathOfNumbers):
    pass


class ElasticNetCV(constructor(linear_model.ElasticNetCV), PathOfNumbers):
    pass


class LogisticRegression(constructor(linear_model.LogisticRegression), ClassifierMixin, Dropin):
    def _made(self, rows, y, weight):
        total = rows if weight is None else np.sum(weight)
        if self.class_weight is not None:
            from sklearn.utils.class_weight import compute_sample_weight

            total = np.sum(compute_sample_weight(self.class_weight, y) * (1 if weight is None else weight))
        return StructuredClassifier(penalty=self.penalty, alpha=1 / (self.C * total), l1_ratio=self.l1_ratio if self.penalty == "elasticnet" else None,
                                    fit_intercept=self.fit_intercept, class_weight=self.class_weight, warm_start=self.warm_start, random_state=0,
                                    tol=max(1e-12, TIGHTER * self.tol))

    def decision_function(self, X):
        return self._fresh().decision_function(X)

    def predict_proba(self, X):
        return self._fresh().predict_proba(X)

    def predict_log_proba(self, X):
        return self._fresh().predict_log_proba(X)


REPLACED = {cls.__name__: cls for cls in (ElasticNet, Lasso, Ridge, LassoCV, ElasticNetCV, LogisticRegression)}
warnings.simplefilter("ignore", ConvergenceWarning)
