# test_sklearn.py - the estimators are scikit-learn's kind: its own checks, and the tools that people use them with.
import os
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import shuffle
from sklearn.utils.estimator_checks import parametrize_with_checks

from conftest import sparse_rows
from spdhg import StructuredClassifier, StructuredClassifierCV, StructuredRegressor, StructuredRegressorCV, TotalVariationDenoiser

# The checks fit the CV estimators some hundred times: short paths unless everything is asked for.
SHORT = {} if os.environ.get("SPDHG_TEST_ALL") else {"n_alphas": 8, "cv": 3}


@parametrize_with_checks([StructuredClassifier(), StructuredRegressor(), StructuredClassifierCV(**SHORT), StructuredRegressorCV(**SHORT),
                          TotalVariationDenoiser(structure="chain", alpha=1e-3)])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def labelled():
    X, z = sparse_rows()
    return X.toarray(), np.where(z > 0, "b", "a")


def test_pipeline_grid_search_and_cross_validation():
    X, y = labelled()
    pipe = make_pipeline(StandardScaler(), StructuredClassifier(structure="chain"))
    search = GridSearchCV(pipe, {"structuredclassifier__alpha": [1e-3, 1e-2, 1e3]}, cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_["structuredclassifier__alpha"] < 1 and search.best_score_ > 0.8
    assert cross_val_score(StructuredClassifier(alpha=0.01), X, y, cv=3).min() > 0.8


def test_clone_pickle_joblib():
    X, y = labelled()
    model = StructuredClassifier(structure=[(0, 1), (1, 2)], alpha=0.01, gamma=0.1, loss="logistic").fit(X, y)
    again = clone(model)
    assert again.get_params() == model.get_params() and not hasattr(again, "coef_")
    back = pickle.loads(pickle.dumps(model))
    assert (back.predict_proba(X) == model.predict_proba(X)).all() and (back.coef_ == model.coef_).all()
    fits = joblib.Parallel(n_jobs=2)(joblib.delayed(StructuredClassifier(alpha=a).fit)(X, y) for a in (0.01, 0.02))
    assert (fits[0].coef_ == StructuredClassifier(alpha=0.01).fit(X, y).coef_).all()
    threads = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(StructuredClassifier(alpha=a).fit)(X, y) for a in (0.01, 0.02))
    assert (threads[1].coef_ == fits[1].coef_).all()


def test_frames_keep_their_names():
    X, y = labelled()
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(X.shape[1])])
    model = StructuredClassifier().fit(frame, pd.Series(y))
    assert list(model.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])
    history = pd.DataFrame(model.history_)
    assert {"epoch", "iteration", "seconds", "objective", "gap"} <= set(history) and len(history) > 1
    assert history["objective"].iloc[-1] <= history["objective"].iloc[0]


def test_cross_validation_with_splitters_and_groups():
    X, y = labelled()
    given = StratifiedKFold(3, shuffle=True, random_state=0)
    a = StructuredClassifierCV(n_alphas=8, cv=given).fit(X, y)
    b = StructuredClassifierCV(n_alphas=8, cv=list(given.split(X, y))).fit(X, y)
    assert a.alpha_ == b.alpha_ and (a.path_.table["loss"] == b.path_.table["loss"]).all()
    groups = np.arange(len(y)) // 10
    by_group = StructuredClassifierCV(n_alphas=8, cv=3).fit(X, y, fold_groups=groups.astype(str))
    split = list(GroupKFold(3).split(X, y, groups))
    assert by_group.path_.table["loss"].shape == StructuredClassifierCV(n_alphas=8, cv=split).fit(X, y).path_.table["loss"].shape


def test_the_score_of_a_fold_is_what_scikit_learn_says():
    """Mean held-out loss of a path, against a fit of every fold by hand and numpy's logarithms."""
    X, y = labelled()
    splits = list(StratifiedKFold(3).split(X, y))
    path = StructuredClassifierCV(n_alphas=6, cv=splits, tol=1e-9).fit(X, y).path_
    at, total = 4, 0.0
    for train, test in splits:
        model = StructuredClassifier(alpha=path.alphas[at], tol=1e-9).fit(X[train], y[train])
        sign = np.where(y[test] == "b", 1, -1)
        total += np.logaddexp(0, -sign * model.decision_function(X[test])).sum()
    assert np.isclose(path.table["loss"][at], total / len(y), rtol=1e-5)


def test_regression_of_several_targets():
    X, z = sparse_rows()
    Y = np.column_stack([z, -2 * z])
    model = StructuredRegressor(alpha=1e-3).fit(X, Y)
    assert model.coef_.shape == (2, X.shape[1]) and model.intercept_.shape == (2,) and model.predict(X).shape == Y.shape
    alone = StructuredRegressor(alpha=1e-3, tol=1e-9).fit(X, z)
    assert np.allclose(StructuredRegressor(alpha=1e-3, tol=1e-9).fit(X, Y).coef_[0], alone.coef_, atol=1e-4)


def test_checks_that_cannot_pass_have_a_reason():
    """And exact solvers excuse themselves from nothing."""
    assert StructuredRegressor()._get_tags()["_xfail_checks"] == {} == StructuredClassifier(solver="prox-newton")._get_tags()["_xfail_checks"]
    assert "draws rows" in StructuredRegressor(solver="spdhg")._get_tags()["_xfail_checks"]["check_sample_weights_invariance"]
    assert StructuredClassifier(solver="lasso")._get_tags()["binary_only"] and not StructuredClassifier()._get_tags()["binary_only"]
    with pytest.raises(ValueError, match="one output|couples"):
        StructuredClassifier(solver="lasso").fit(np.eye(6), [0, 0, 1, 1, 2, 2])


def test_a_simplex_may_leave_several_intercepts():
    """Why check_sample_weights_invariance is excused there: two answers, one objective."""
    X = np.repeat([[1.0, 3], [2, 1], [3, 3], [4, 1]], 4, axis=0)
    y = np.repeat([1, 2, 1, 2], 4)
    model = StructuredClassifier(loss="smooth-hinge", constraint="simplex:1", alpha=0.01)
    first = model.fit(X, y).intercept_[0], model.objective_
    mixed = shuffle(np.vstack([X, X + 1]), np.hstack([y, 3 - y]), np.repeat([1.0, 0], 16), random_state=0)
    again = model.fit(*mixed).intercept_[0], model.objective_
    assert first[0] != pytest.approx(again[0], abs=1e-3) and first[1] == pytest.approx(again[1], abs=1e-10) and model.gap_kind_ == "certified"
    assert "check_sample_weights_invariance" in model._get_tags()["_xfail_checks"]
