# _estimators.py - the four estimators. Their parameters come from the library's tables, see _parameters.py.
from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if

from ._base import Labels, Structured, _pair, row_weights
from ._catalog import loss_entry
from ._parameters import ClassifierCVParameters, ClassifierParameters, RegressorCVParameters, RegressorParameters
from ._path import fit_cv
from ._table import without_gaps

ATTRIBUTES = """COEF
    dual_ : the dual variable y, one entry for each row of F (and output). objective_ : its value
    gap_, gap_relative_, gap_kind_ : the objective is proven to be within `gap_` of the best possible if the kind is 'certified'
    n_iter_ : passes over the data. outcome_ : 'converged', 'done', 'limit', 'stalled', 'infimum', 'interrupted' or 'diverged'
    history_ : dict of columns (epoch, seconds, objective, gap, ...), for pandas.DataFrame(history_)
    structure_ : the learned F, with structure='learned'. penalty_weights_ : the weights of the second fit, with adaptive=True
    coefficients_ : coef_ as a pandas DataFrame with the names of the features. sparse_coef_ : coef_ as a scipy CSR matrix"""
COEF = {True: """coef_ : array 1 x features for two classes, else classes x features. intercept_ : array, the unpenalised constants
    estimators_ : with a loss for two classes and more of them: the fits of each class against the rest""",
        False: """coef_ : array of length features, or targets x features if y has two axes. intercept_ : the unpenalised constant, or an array"""}

CHOSEN = """alpha_, gamma_, also_sparse_, l1_ratio_ : the chosen values
    alphas_ : all alphas, decreasing. path_ : the whole `Path`, with coefficients and scores of each alpha
    cv_results_ : dict of columns as in GridSearchCV: params, split0_test_score, ..., mean_test_score, std_test_score, rank_test_score
    mse_path_ : squared loss: mean squared error of the held-out rows (and targets), alphas x folds, as in LassoCV"""


def documented(cls: Any) -> Any:
    words = {"PARAMETERS": textwrap.indent(cls._parameters, "    ").strip(), "ATTRIBUTES": ATTRIBUTES, "COEF": COEF[cls._classify], "CHOSEN": CHOSEN}
    for word, meaning in words.items():
        cls.__doc__ = cls.__doc__.replace(word, meaning)
    return cls


STREAMED = ("logistic", "softmax", "squared", "squared-hinge", "smooth-hinge", "huber")  # curvature is bounded: steps have a length


def _takes_parts(self: Any) -> bool:
    return self.solver != "auto" or str(self.loss).split(":")[0] in STREAMED


def _has_probabilities(self: Any) -> bool:
    return loss_entry(self.loss).probabilities


class Classifier(ClassifierMixin, Structured):
    _classify = True
    classes_: np.ndarray

    def _set_coefficients(self) -> None:
        """A class that no row with weight has keeps its place: coefficients 0 and the intercept -inf."""
        coef, intercept = self._model.coef, self._model.intercept
        if 1 < len(coef) < len(self.classes_):
            whole, constants = np.zeros((len(self.classes_), coef.shape[1])), np.full(len(self.classes_), -np.inf)
            whole[self._seen], constants[self._seen] = coef, intercept
            coef, intercept = whole, constants
        self.coef_, self.intercept_ = self._cast(coef), self._cast(intercept)

    def _of_model(self, coef: np.ndarray, intercept: np.ndarray) -> tuple:
        outputs = self._model.view.outputs
        return (coef[self._seen], intercept[self._seen]) if 1 < outputs < len(coef) else (coef, intercept)

    def _wide(self, values: np.ndarray, missing: float) -> np.ndarray:
        """A column for every class."""
        if values.shape[1] in (1, len(self.classes_)):
            return values
        whole = np.full((len(values), len(self.classes_)), missing)
        whole[:, self._seen] = values
        return whole

    def _scores(self, X: Any, offset: Any) -> np.ndarray:
        if not hasattr(self, "estimators_"):
            return super()._scores(X, offset)
        coef = self.coef_.toarray() if sp.issparse(self.coef_) else self.coef_
        for k, one in enumerate(self.estimators_):
            one.coef_, one.intercept_ = coef[k:k + 1], self.intercept_[k:k + 1]
        X, names = self._rows(X).astype(np.float64, copy=False), getattr(self, "feature_names_in_", None)
        plain = [one._model.change(one.coef_, one.intercept_) or one._model.scores(X, names=names) for one in self.estimators_]
        scores = np.hstack(plain)
        return scores if offset is None else scores + np.asarray(offset, np.float64).reshape(len(scores), -1)

    def decision_function(self, X: Any, offset: Any = None) -> np.ndarray:
        """Scores: one for each row if there are two classes (positive: the second), otherwise one for each class."""
        scores = self._wide(self._scores(X, offset), -np.inf)
        if scores.shape[1] == 1:
            return self._cast(scores[:, 0])
        return self._cast(scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores)

    def predict(self, X: Any, offset: Any = None) -> np.ndarray:
        """The most likely label of each row."""
        scores = self._wide(self._scores(X, offset), -np.inf)
        if scores.shape[1] > 1:
            return self.classes_[scores.argmax(axis=1)]
        return self.classes_[self._seen[np.minimum(scores[:, 0] > 0, len(self._seen) - 1)]]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any, offset: Any = None) -> np.ndarray:
        """Class probabilities, for the losses logistic and softmax."""
        scores = self._scores(X, offset)
        if len(self._seen) > 1:
            return self._cast(self._wide(self._model.probabilities(scores), 0.0))
        only = np.zeros((len(scores), len(self.classes_)), self._dtype)
        only[:, self._seen] = 1
        return only

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any, offset: Any = None) -> np.ndarray:
        """Logarithms of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, offset))

    # ---- losses of two classes: each against the rest

    def _one_against_rest(self, y: Any) -> bool:
        self.__dict__.pop("estimators_", None)
        loss = loss_entry(self.loss)
        return len(y.classes) > 2 and not loss.probabilities

    def _fit_each(self, X: Any, y: Any, sample_weight: Any, offset: Any, eval_set: Any = None, **more: Any) -> Any:
        """A problem for each class, each with its own proof."""
        if offset is not None:
            raise ValueError("offset: each class is fitted against the rest, and has no offset of its own; use loss='softmax'")
        weight = row_weights(sample_weight, len(y.at))
        if self.class_weight is not None:
            own = compute_sample_weight(self.class_weight, y.classes[y.at])
            weight = own if weight is None else weight * own
        rows, labels = (None, None) if eval_set is None else _pair(eval_set)
        self._seen, self.classes_ = np.arange(len(y.classes)), y.classes
        each = []
        for k in range(len(y.classes)):
            one = clone(self).set_params(class_weight=None)
            one._table = self._table
            if eval_set is not None:
                more["eval_set"] = (rows, np.asarray(labels) == y.classes[k])
            each.append(one.fit(X, y.at == k, sample_weight=weight, **more))
        return self._gather(each)

    def _gather(self, each: list) -> Any:
        """What the fits of all classes have found, as one."""
        self.estimators_ = each
        self._model = each[0]._model
        self.coef_, self.intercept_ = self._cast(np.vstack([m.coef_ for m in each])), self._cast(np.concatenate([m.intercept_ for m in each]))
        self.objective_, self.train_loss_, self.penalty_, self.gap_, self.seconds_ = (
            float(sum(getattr(m, name) for m in each)) for name in ("objective_", "train_loss_", "penalty_", "gap_", "seconds_"))
        self.gap_relative_, self.n_iter_ = max(m.gap_relative_ for m in each), max(m.n_iter_ for m in each)
        kinds = [m.gap_kind_ for m in each]
        self.gap_kind_ = next(kind for kind in ("none", "within_radius", "certified") if kind in kinds)
        self.outcome_ = next((m.outcome_ for m in each if m.outcome_ not in ("converged", "done")), each[0].outcome_)
        self.dual_, self.solver_ = np.stack([m.dual_ for m in each], axis=-1), each[0].solver_
        self._history = {name: np.concatenate([m.history_[name] for m in each]) for name in each[0].history_}
        self._history["output"] = np.repeat(np.arange(len(each)), [len(m.history_["epoch"]) for m in each])
        return self

    def save(self, path: Any) -> None:
        """Write the model file that `spdhg predict` and `load_model` read."""
        if hasattr(self, "estimators_"):
            raise ValueError("a model file holds one problem, and here each class has its own: save estimators_[k], or use loss='softmax'")
        super().save(path)


class Regressor(RegressorMixin, Structured):
    _classify = False

    def _set_coefficients(self) -> None:
        coef, intercept = self._cast(self._model.coef), self._cast(self._model.intercept)
        one = coef.shape[0] == 1 and not getattr(self, "_column", False)
        self.coef_, self.intercept_ = (coef[0], intercept[0]) if one else (coef, intercept)

    def predict(self, X: Any, offset: Any = None) -> np.ndarray:
        """The expected target of each row."""
        scores = self._scores(X, offset)
        means = self._cast(self._model.means(scores))
        return means[:, 0] if means.shape[1] == 1 and not getattr(self, "_column", False) else means


class Partial:
    """Rows that come in parts."""

    _table: Any

    def _partial(self: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> Any:
        try:
            return self._partial_rows(*without_gaps(self.missing, X, y, sample_weight), classes)
        finally:
            self._table = None

    def _partial_rows(self: Any, X: Any, y: Any, sample_weight: Any, classes: Any) -> Any:
        p = self._given()
        self._check_loss()
        known = hasattr(self, "coef_")
        X, target = self._take(X, y, reset=not known)
        weight = row_weights(sample_weight, X.shape[0])
        if self._classify:
            every = np.unique(classes) if classes is not None else getattr(self, "classes_", None)
            if every is None:
                raise ValueError("partial_fit: the first call needs `classes`, all labels that will come")
            if known and not np.array_equal(every, self.classes_):
                raise ValueError(f"partial_fit: classes={list(every)!r} are not those of the first call, {list(self.classes_)!r}")
            strange = np.setdiff1d(target.classes, every)
            if len(strange):
                raise ValueError(f"partial_fit: the label {strange[0]!r} is not one of `classes`")
            before = getattr(self, "estimators_", None)
            if len(every) > 2 and not loss_entry(self.loss).probabilities:
                return self._partial_each(X, target, every, weight, before)
            X, target, weight = _with_every_class(X, target, every, weight)
        solver = "spdhg" if self.solver == "auto" else self.solver
        wishes = {**p, "solver": solver, "max_iter": 1.0, "tol": None, "checkpoint": None, "resume": None}
        self._solve(X, target, weight, None, None, wishes, known)
        self.gap_, self.gap_relative_, self.gap_kind_ = np.nan, np.nan, "none"  # the proof is about these rows only
        return self


    def _partial_each(self: Any, X: Any, y: Labels, every: np.ndarray, weight: Any, before: Any) -> Any:
        """Each class against the rest."""
        if self.class_weight is not None:
            raise ValueError("partial_fit: class_weight with a loss for two classes and more of them: give sample_weight")
        self._seen, self.classes_ = np.arange(len(every)), every
        each = before or [clone(self) for _ in every]
        labels = y.classes[y.at]
        for k, one in enumerate(each):
            one._table = self._table
            one.partial_fit(X, labels == every[k], classes=[False, True], sample_weight=weight)
        return self._gather(each)


def _with_every_class(X: Any, y: Labels, every: np.ndarray, weight: Any) -> tuple:
    """Rows of zeros with next to no weight for the classes that these rows lack: the library needs to know how many there are."""
    missing = np.setdiff1d(every, y.classes)
    if not len(missing):
        return X, y, weight
    rows = np.zeros((len(missing), X.shape[1]))
    whole = sp.vstack([X, sp.csr_matrix(rows)], format="csr") if sp.issparse(X) else np.vstack([X, rows])
    weight = np.ones(X.shape[0]) if weight is None else weight
    return whole, Labels(np.concatenate([y.classes[y.at], missing])), np.concatenate([weight, np.full(len(missing), 1e-9 * weight.mean())])


class OneFit(Partial):
    """fit and partial_fit of the estimators with a given alpha."""

    def fit(self: Any, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, eval_set: Any = None) -> Any:
        """Fit. `offset`: a known part of the scores; `eval_set`: (X, y) to evaluate in history_. Ctrl-C stops within a step and keeps
        what has been reached."""
        return self._fit(X, y, sample_weight, offset, eval_set)


class PartsOfClasses(OneFit):
    @available_if(_takes_parts)
    def partial_fit(self: Any, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """One pass over these rows (by `spdhg` if solver is auto) from where the last call ended. `classes`: all labels, at the first
        call. Nothing is proven: the rows seen before are gone."""
        return self._partial(X, y, classes, sample_weight)


class PartsOfNumbers(OneFit):
    @available_if(_takes_parts)
    def partial_fit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """One pass over these rows (by `spdhg` if solver is auto) from where the last call ended. Nothing is proven: the rows seen
        before are gone."""
        return self._partial(X, y, None, sample_weight)


@documented
class StructuredClassifier(ClassifierParameters, PartsOfClasses, Classifier):
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



@documented
class StructuredRegressor(RegressorParameters, PartsOfNumbers, Regressor):
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



class AlongPath(Structured):
    """Common to the estimators that choose alpha along a path."""

    path_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, fold_groups: Any = None) -> Any:
        """Fit. `fold_groups`: rows with the same number stay in one fold; a scikit-learn splitter gets them as its groups."""
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
