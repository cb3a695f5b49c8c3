# test_dropin.py - what people who come from scikit-learn, glmnet, celer or skglm write without looking it up.
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV, LogisticRegression, MultiTaskLassoCV, Ridge
from sklearn.model_selection import (GridSearchCV, GroupKFold, GroupShuffleSplit, KFold, LeaveOneGroupOut, LeaveOneOut, LeavePOut, PredefinedSplit,
                                     RepeatedKFold, RepeatedStratifiedKFold, ShuffleSplit, StratifiedGroupKFold, StratifiedKFold,
                                     StratifiedShuffleSplit, TimeSeriesSplit)
from sklearn.svm import LinearSVC
from sklearn.utils import validation

import spdhg
from spdhg import StructuredClassifier, StructuredClassifierCV, StructuredRegressor, StructuredRegressorCV


def regression(rows=120, features=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    return X, X[:, 0] - 2 * X[:, 1] + 0.5 * X[:, 6] + 0.5 * rng.normal(size=rows)


def classes(number=3, rows=150, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 6))
    return X, (X[:, :number] + 0.5 * rng.normal(size=(rows, number))).argmax(axis=1)


# ---- groups

def test_groups_as_lists_of_features():
    """celer, skglm and group-lasso name the features of each group."""
    X, y = regression()
    numbers = StructuredRegressor(penalty="group", groups=np.arange(12) // 4, alpha=0.2, tol=1e-9).fit(X, y)
    lists = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    for groups in (lists, np.array(lists), [np.array(g) for g in lists], 4, [[8, 9, 10, 11], [3, 2, 1, 0], [4, 5, 6, 7]]):
        other = StructuredRegressor(penalty="group", groups=groups, alpha=0.2, tol=1e-9).fit(X, y)
        assert other.coef_ == pytest.approx(numbers.coef_, abs=1e-9)
    assert (numbers.coef_[8:] == 0).all() and (numbers.coef_[:4] != 0).all()
    ragged = StructuredRegressor(penalty="group", groups=[[0], [1, 2, 3], list(range(4, 12))], alpha=0.2).fit(X, y)
    assert ragged.coef_[0] != 0
    for wrong, says in [([[0, 1], [2]], "row 3 of F is in no group"), ([[0, 1, 2, 3], list(range(3, 12))], "row 3 of F is in 2 groups"),
                        ([[0.5, 1]], "whole numbers"), ([list(range(13))], "row 12 is not one of 0 to 11"), ([0.5] * 12, "whole number")]:
        with pytest.raises(ValueError, match=says):
            StructuredRegressor(penalty="group", groups=wrong).fit(X, y)


# ---- data

def test_a_broken_matrix_is_refused_before_it_is_followed():
    X, y = regression()
    for at, value in [(-1, 10**6), (50, 10**7), (3, 0), (0, 7), (7, -5)]:
        for kind in (sp.csr_matrix, sp.csc_matrix):
            broken = kind(X)
            broken.indptr = broken.indptr.copy()
            broken.indptr[at if kind is sp.csr_matrix or at != 50 else 5] = value
            if (np.diff(broken.indptr) >= 0).all() and broken.indptr[-1] <= broken.nnz and broken.indptr[0] == 0:
                continue
            with pytest.raises(ValueError, match="X is broken: indptr"):
                StructuredRegressor().fit(broken, y)
    for value in (99, -3):
        broken = sp.csr_matrix(X)
        broken.indices = broken.indices.copy()
        broken.indices[1], broken.indices[20] = 0, value  # the first makes the library ask for a sort
        with pytest.raises(ValueError):
            StructuredRegressor().fit(broken, y)


def test_the_message_names_the_column():
    X, y = regression()
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(12)])
    frame.iloc[7, 4] = np.nan
    with pytest.raises(ValueError, match="NaN.*row 7, column 'gene4'"):
        StructuredRegressor().fit(frame, y)
    X[7, 4] = np.inf
    for kind in (np.asarray, sp.csr_matrix):
        with pytest.raises(ValueError, match="infinity.*row 7, column 4"):
            StructuredRegressor().fit(kind(X), y)


# ---- parameters

def test_sizes_of_memory():
    X, y = regression()
    for size in ("2G", "500M", "1.5 GiB", "2000000000", 2 * 10**9, 2e9):
        StructuredRegressor(max_memory=size).fit(X, y)
    with pytest.raises(MemoryError):
        StructuredRegressor(max_memory="1K").fit(X, y)
    with pytest.raises(ValueError, match="'500M' or '2G'"):
        StructuredRegressor(max_memory="much").fit(X, y)


@pytest.mark.parametrize("name", ["fit_intercept", "standardize", "warm_start", "adaptive"])
def test_a_word_is_neither_true_nor_false(name):
    X, y = regression()
    with pytest.raises(ValueError, match=f"{name}='no' is neither True nor False"):
        StructuredRegressor(**{name: "no"}).fit(X, y)
    StructuredRegressor(**{name: np.bool_(False)}).fit(X, y)


def test_messages_speak_of_python():
    X, y = regression()
    with pytest.raises(ValueError, match="groups") as caught:
        StructuredRegressor(penalty="group").fit(X, y)
    assert "FILE" not in str(caught.value) and "list of lists" in str(caught.value)


def test_mistakes_are_told_in_the_words_of_the_caller():
    X, y = regression()
    with pytest.raises(TypeError, match=r"StructuredRegressor.__init__\(\) got an unexpected keyword argument 'alhpa'"):
        StructuredRegressor(alhpa=1)
    with pytest.raises(TypeError, match=r"StructuredClassifierCV.__init__"):
        StructuredClassifierCV(0.1)
    with pytest.raises(ValueError, match="unknown penalty 'l3'.*elasticnet, l2, None"):
        StructuredRegressor(penalty="l3").fit(X, y)
    with pytest.raises(ValueError, match="^y: row 2 .counted from 0.: the target is -3"):
        StructuredRegressor(loss="poisson").fit(X[:4], [1.0, 2, -3, 4])


def test_too_few_passes_are_told():
    """As scikit-learn does; a solver that is named makes the passes it is asked for."""
    X, y = regression()
    with pytest.warns(ConvergenceWarning, match="max_iter=1, time=None: too small: objective"):
        StructuredRegressor(max_iter=1, alpha=0.01, structure="chain").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StructuredRegressor(max_iter=1, alpha=0.01, solver="spdhg").fit(X, y)
        StructuredRegressor(max_iter=1000, alpha=0.01).fit(X, y)


def test_a_matrix_of_numpy_is_a_structure():
    X, y = regression()
    F = np.diff(np.eye(12), axis=0)
    chain = StructuredRegressor(structure="chain", alpha=0.1, tol=1e-9).fit(X, y).coef_
    assert StructuredRegressor(structure=F, alpha=0.1, tol=1e-9).fit(X, y).coef_ == pytest.approx(chain, abs=1e-7)
    near = np.abs(np.subtract.outer(np.arange(12), np.arange(12))) == 1  # who is next to whom
    assert StructuredRegressor(structure=near.astype(float), alpha=0.1, tol=1e-9).fit(X, y).coef_ == pytest.approx(chain, abs=1e-7)


def test_numpy_generators():
    X, y = regression()
    rng = np.random.default_rng(3)
    seeds = [np.random.default_rng(3), np.random.default_rng(3), np.random.default_rng(4), 4, rng, rng]  # the last draws anew
    a, b, other, number, first, second = (StructuredRegressor(solver="spdhg", max_iter=2, random_state=s).fit(X, y).coef_ for s in seeds)
    assert (a == b).all() and (a == first).all()
    assert all((a != c).any() for c in (other, number, second))


def test_one_core_unless_asked(monkeypatch):
    from spdhg._check import threads

    assert threads(None) == 1 and threads(-1) == 0 and threads(3) == 3
    for wrong in (0, 1.5, True):
        with pytest.raises(ValueError, match="n_jobs"):
            threads(wrong)


def test_the_history_says_what_its_gaps_are():
    X, y = regression()
    model = StructuredRegressor().fit(X, y)
    kinds, gaps = model.history_["gap_kind"], model.history_["gap"]
    assert (kinds[np.isnan(gaps)] == "none").all() and (kinds[~np.isnan(gaps)] == "certified").all() and kinds[-1] == "certified"


# ---- labels and targets

def test_a_class_without_weight_stays():
    X, y = classes(3)
    weight = (y != 1).astype(float)
    model = StructuredClassifier(alpha=0.01).fit(X, y, sample_weight=weight)
    assert model.classes_.tolist() == [0, 1, 2] and model.coef_.shape == (3, 6) and (model.coef_[1] == 0).all()
    chance = model.predict_proba(X)
    assert chance.shape == (150, 3) and (chance[:, 1] == 0).all() and chance.sum(axis=1) == pytest.approx(1)
    assert set(model.predict(X)) == {0, 2} and model.decision_function(X).shape == (150, 3)
    alone = StructuredClassifier(loss="softmax", alpha=0.01).fit(X[y != 1], y[y != 1])
    assert model.predict_proba(X)[:, [0, 2]] == pytest.approx(alone.predict_proba(X), abs=1e-6)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(X) == chance).all()


def test_balanced_counts_rows():
    X, y = classes(2)
    y[:50] = 0
    weight = np.random.default_rng(0).uniform(0.1, 3, 150)
    ours = StructuredClassifier(alpha=0, gamma=0.05, class_weight="balanced", tol=1e-10).fit(X, y, sample_weight=weight)
    count = np.bincount(y)
    W = (weight * (150 / (2 * count))[y]).sum()
    theirs = LogisticRegression(C=1 / (0.05 * W), class_weight="balanced", tol=1e-10, max_iter=10000).fit(X, y, sample_weight=weight)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-5)


def test_targets_with_one_column():
    X, y = regression()
    flat, column = StructuredRegressor(alpha=0.1).fit(X, y), StructuredRegressor(alpha=0.1).fit(X, y[:, None])
    ridge = Ridge().fit(X, y[:, None])
    assert column.coef_.shape == ridge.coef_.shape and column.predict(X).shape == ridge.predict(X).shape == (120, 1)
    assert (column.coef_[0] == flat.coef_).all() and flat.predict(X).shape == (120,) and column.score(X, y[:, None]) == flat.score(X, y)


def test_float32_comes_back():
    X, y = regression()
    single = StructuredRegressor(alpha=0.1).fit(X.astype(np.float32), y.astype(np.float32))
    assert single.coef_.dtype == np.float32 and single.predict(X.astype(np.float32)).dtype == np.float32
    assert single.coef_ == pytest.approx(StructuredRegressor(alpha=0.1).fit(X, y).coef_, abs=1e-5)
    model = StructuredClassifier(alpha=0.01).fit(sp.csr_matrix(X.astype(np.float32)), y > 0)
    assert model.coef_.dtype == model.intercept_.dtype == model.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert StructuredClassifier(alpha=0.01).fit(X, y > 0).coef_.dtype == np.float64


def test_sparse_coefficients():
    X, y = regression()
    for model, target in ((StructuredRegressor(alpha=0.2), y), (StructuredClassifier(alpha=0.05), y > 0), (StructuredClassifier(alpha=0.05), np.digitize(y, [-1, 1]))):
        model.fit(X, target)
        dense, before = model.coef_.copy(), model.predict(X)
        assert sp.issparse(model.sparse_coef_) and (model.sparse_coef_.toarray() == np.atleast_2d(dense)).all()
        assert sp.issparse(model.sparsify().coef_) and (model.predict(X) == before).all()
        assert (pickle.loads(pickle.dumps(model)).predict(X) == before).all()
        assert (model.densify().coef_ == dense).all() and model.coef_.shape == dense.shape


def test_coefficients_with_their_names():
    X, y = regression()
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(12)])
    table = StructuredRegressor(alpha=0.2).fit(frame, y).coefficients_
    assert table.index.tolist() == list(frame.columns) and table["coefficient"]["gene1"] < -1
    table = StructuredClassifier(alpha=0.02).fit(frame, np.array(["a", "b", "c"])[np.digitize(y, [-1, 1])]).coefficients_
    assert table.columns.tolist() == ["a", "b", "c"] and table.shape == (12, 3)


# ---- penalties

def test_elastic_net_ridge_and_none():
    X, y = regression()
    net = ElasticNet(alpha=0.3, l1_ratio=0.7, tol=1e-10, max_iter=10**6).fit(X, y)
    for given in (dict(l1_ratio=0.7), dict(penalty="elasticnet", l1_ratio=0.7)):
        assert StructuredRegressor(alpha=0.3, tol=1e-10, **given).fit(X, y).coef_ == pytest.approx(net.coef_, abs=1e-5)
    half = ElasticNet(alpha=0.3, tol=1e-10, max_iter=10**6).fit(X, y)
    assert StructuredRegressor(alpha=0.3, penalty="elasticnet", tol=1e-10).fit(X, y).coef_ == pytest.approx(half.coef_, abs=1e-5)
    assert StructuredRegressor(alpha=0.3, penalty="l2", tol=1e-10).fit(X, y).coef_ == pytest.approx(Ridge(alpha=0.3 * 120).fit(X, y).coef_, abs=1e-6)
    plain = np.linalg.lstsq(np.column_stack([X, np.ones(120)]), y, rcond=None)[0]
    assert StructuredRegressor(penalty=None, tol=1e-10).fit(X, y).coef_ == pytest.approx(plain[:-1], abs=1e-6)
    for wrong, says in ((dict(l1_ratio=1.5), "between 0 and 1"), (dict(l1_ratio=0.5, gamma=1), "gamma"), (dict(penalty="l2", gamma=1), "gamma")):
        with pytest.raises(ValueError, match=says):
            StructuredRegressor(**wrong).fit(X, y)


def test_weights_that_free_and_forbid():
    X, y = regression()
    weights = np.ones(12)
    weights[1], weights[3] = np.inf, 0
    model = StructuredRegressor(alpha=0.2, penalty_weights=weights, tol=1e-9).fit(X, y)
    kept = np.delete(np.arange(12), 1)
    alone = StructuredRegressor(alpha=0.2, penalty_weights=weights[kept], tol=1e-9).fit(X[:, kept], y)
    assert model.coef_[1] == 0 and model.coef_[3] != 0 and model.coef_[kept] == pytest.approx(alone.coef_, abs=1e-6)
    fused = StructuredRegressor(alpha=0.1, structure="chain", penalty_weights=[np.inf] * 5 + [1.0] * 6, tol=1e-9).fit(X, y)
    merged = np.column_stack([X[:, :6].sum(axis=1), X[:, 6:]])
    reduced = StructuredRegressor(alpha=0.1, structure="chain", tol=1e-9).fit(merged, y)
    assert fused.coef_[:6] == pytest.approx(np.full(6, reduced.coef_[0]), abs=1e-6) and fused.coef_[6:] == pytest.approx(reduced.coef_[1:], abs=1e-6)
    path = StructuredRegressorCV(penalty_weights=weights, n_alphas=8, cv=3).fit(X, y).path_
    assert np.abs(path.coefs[:, 1]).max() == 0


def test_adaptive_weights_are_one_over_the_first_answer():
    X, y = regression(300)
    model = StructuredRegressor(alpha=0.05, adaptive=True, tol=1e-10).fit(X, y)
    first = StructuredRegressor(alpha=0.05, tol=1e-10).fit(X, y).coef_
    weights = 1 / np.maximum(np.abs(first), 1e-4 * np.abs(first).max())
    assert model.penalty_weights_ == pytest.approx(weights, rel=1e-4)
    scaled = Lasso(alpha=0.05, tol=1e-12, max_iter=10**6).fit(X / weights, y).coef_ / weights  # the usual trick
    assert model.coef_ == pytest.approx(scaled, abs=1e-5)
    assert set(np.flatnonzero(model.coef_)) == {0, 1, 6}
    chosen = StructuredRegressorCV(adaptive=True, n_alphas=20, cv=3).fit(X, y)
    assert set(np.flatnonzero(chosen.coef_)) == {0, 1, 6}
    grouped = StructuredRegressor(penalty="group", groups=4, alpha=0.1, adaptive=True).fit(X, y)
    assert len(set(grouped.penalty_weights_[:4])) == 1 and (grouped.coef_[8:] == 0).all()


def test_hinges_of_several_classes():
    X, y = classes(4)
    ours = StructuredClassifier(loss="squared-hinge", alpha=0, gamma=2 / 150, fit_intercept=False, tol=1e-10).fit(X, np.array(list("abcd"))[y])
    theirs = LinearSVC(C=0.5, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(X, y)  # 1/(N C)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-4) and ours.gap_kind_ == "certified" and len(ours.estimators_) == 4
    assert (ours.predict(X) == np.array(list("abcd"))[theirs.predict(X)]).all() and ours.decision_function(X).shape == (150, 4)
    assert ours.gap_ == pytest.approx(sum(one.gap_ for one in ours.estimators_)) and set(ours.history_["output"]) == {0, 1, 2, 3}
    weighted = StructuredClassifier(loss="squared-hinge", class_weight="balanced").fit(X, y, eval_set=(X, y))
    assert np.isfinite(weighted.history_["test_loss"]).any()
    with pytest.raises(ValueError, match="estimators_"):
        ours.save("model.json")
    chosen = StructuredClassifierCV(loss="smooth-hinge", n_alphas=6, cv=3).fit(X, y)
    assert chosen.alpha_.shape == (4,) and chosen.score(X, y) > 0.7
    assert not hasattr(clone(ours).fit(X, y > 1), "estimators_")


# ---- paths

def test_given_alphas():
    X, y = regression()
    path = spdhg.fit_path(X, y, loss="squared", alphas=[0.01, 1.0, 0.1], cv=3, tol=1e-10)
    assert path.alphas.tolist() == [1.0, 0.1, 0.01]
    for alpha, coef in zip(path.alphas, path.coefs):
        assert coef == pytest.approx(Lasso(alpha=alpha, tol=1e-12).fit(X, y).coef_, abs=1e-5)
    one = StructuredRegressorCV(alphas=[0.1], cv=3).fit(X, y)
    assert one.alpha_ == 0.1
    with pytest.raises(ValueError, match="alphas"):
        StructuredRegressorCV(alphas=[-1]).fit(X, y)


@pytest.mark.parametrize("ratio", [0.2, 0.9])
def test_the_ratio_is_constant_along_a_path(ratio):
    X, y = regression()
    ours = StructuredRegressorCV(l1_ratio=ratio, n_alphas=12, cv=KFold(4), rule="min", tol=1e-10, saturation=0, alpha_ratio=1e-3).fit(X, y)
    theirs = ElasticNetCV(l1_ratio=ratio, n_alphas=12, cv=KFold(4), tol=1e-10, max_iter=10**6).fit(X, y)
    assert ours.alphas_ == pytest.approx(theirs.alphas_, rel=2e-6)
    assert ours.mse_path_ == pytest.approx(theirs.mse_path_, rel=1e-4) and ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-5)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-5) and ours.gamma_ == pytest.approx((1 - ratio) * ours.alpha_)
    again = ours.path_.estimator(5)
    assert clone(again).fit(X, y).coef_ == pytest.approx(again.coef_, abs=1e-4)
    chain = StructuredRegressorCV(l1_ratio=ratio, structure="chain", n_alphas=5, cv=3, saturation=0).fit(X, y).path_
    assert int(chain.table["structure_nonzeros"][0]) == 0 and int(chain.table["structure_nonzeros"][1]) > 0


def test_the_scores_of_several_targets_are_means_over_them():
    X, y = regression()
    Y = np.column_stack([y, X[:, 2] - y, X[:, 0]])
    alphas = [0.5, 0.1, 0.02]
    theirs = MultiTaskLassoCV(alphas=alphas, cv=KFold(3), tol=1e-10).fit(X, Y)
    ours = StructuredRegressorCV(penalty="group", alphas=alphas, cv=KFold(3), rule="min", tol=1e-10).fit(X, Y)
    assert ours.mse_path_ == pytest.approx(theirs.mse_path_, rel=1e-4) and ours.coef_ == pytest.approx(theirs.coef_, abs=1e-5)


def test_several_ratios():
    X, y = regression()
    ratios = [0.1, 0.5, 0.95]
    ours = StructuredRegressorCV(l1_ratio=ratios, n_alphas=10, cv=KFold(4), rule="min", tol=1e-10, saturation=0, alpha_ratio=1e-3).fit(X, y)
    theirs = ElasticNetCV(l1_ratio=ratios, n_alphas=10, cv=KFold(4), tol=1e-10, max_iter=10**6).fit(X, y)
    assert ours.l1_ratio_ == theirs.l1_ratio_ and ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-5)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-5) and len(ours.cv_results_["params"]) == 30
    assert spdhg.duality_gap(ours, X, y).relative < 1e-9


def test_a_weight_for_all_rows():
    X, y = regression()
    assert StructuredRegressor().fit(X, y, sample_weight=3.0).coef_ == pytest.approx(StructuredRegressor().fit(X, y).coef_, abs=1e-9)


def test_ridge_along_given_alphas():
    X, y = regression()
    path = StructuredRegressorCV(penalty="l2", alphas=[0.01, 0.1, 1], cv=3, rule="min", tol=1e-10).fit(X, y).path_
    assert path.coefs[0] == pytest.approx(Ridge(alpha=120).fit(X, y).coef_, abs=1e-6)
    with pytest.raises(ValueError, match="give alphas"):
        StructuredRegressorCV(penalty="l2").fit(X, y)


SPLITTERS = [KFold(3), KFold(4, shuffle=True, random_state=0), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), ShuffleSplit(4, random_state=0),
             TimeSeriesSplit(3), LeavePOut(2), PredefinedSplit(np.arange(120) % 4 - 1), LeaveOneOut()]
WITH_GROUPS = [GroupKFold(3), LeaveOneGroupOut(), GroupShuffleSplit(3, random_state=0)]
WITH_CLASSES = [StratifiedKFold(3), RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), StratifiedShuffleSplit(3, random_state=0)]


@pytest.mark.parametrize("cv", SPLITTERS + WITH_GROUPS, ids=lambda cv: type(cv).__name__)
def test_every_splitter(cv):
    """The mean squared error of every fold and alpha is LassoCV's."""
    X, y = regression()
    many = isinstance(cv, (LeavePOut, LeaveOneOut))
    X, y = (X[:10, :3], y[:10]) if many else (X, y)
    groups = np.arange(len(y)) // (len(y) // 5) if cv in WITH_GROUPS else None
    splits = list(cv.split(X, y, groups))
    theirs = LassoCV(alphas=[0.5, 0.1, 0.02], cv=splits, tol=1e-10).fit(X, y)
    ours = StructuredRegressorCV(alphas=[0.5, 0.1, 0.02], cv=cv, rule="min", tol=1e-10).fit(X, y, fold_groups=groups)
    assert ours.mse_path_ == pytest.approx(theirs.mse_path_, rel=1e-4, abs=1e-6)
    assert ours.cv_results_["split0_test_score"] == pytest.approx(-theirs.mse_path_[:, 0] / 2, rel=1e-4, abs=1e-6)
    if len({len(test) for _, test in splits}) == 1:  # LassoCV does not weigh folds by their rows
        assert ours.alpha_ == theirs.alpha_


@pytest.mark.parametrize("cv", WITH_GROUPS, ids=lambda cv: type(cv).__name__)
def test_a_splitter_by_groups_says_where_they_are_given(cv):
    with pytest.raises(ValueError, match="fold_groups"):
        StructuredRegressorCV(n_alphas=3, cv=cv).fit(*regression())


@pytest.mark.parametrize("cv", WITH_CLASSES + [StratifiedGroupKFold(3)], ids=lambda cv: type(cv).__name__)
def test_every_splitter_of_classes(cv):
    X, y = classes(2)
    groups = np.arange(150) // 10
    ours = StructuredClassifierCV(n_alphas=4, cv=cv).fit(X, y, fold_groups=groups)
    assert len([name for name in ours.cv_results_ if name.startswith("split")]) == cv.get_n_splits(X, y, groups)


def test_scoring_is_what_grid_search_says():
    X, y = classes(2)
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    alphas = [0.2, 0.05, 0.01]
    for scoring in ("balanced_accuracy", "neg_log_loss", "roc_auc"):
        ours = StructuredClassifierCV(alphas=alphas, cv=cv, scoring=scoring, rule="min", tol=1e-10).fit(X, y)
        theirs = GridSearchCV(StructuredClassifier(tol=1e-10), {"alpha": alphas}, cv=cv, scoring=scoring).fit(X, y)
        assert ours.alpha_ == theirs.best_params_["alpha"]
        for name in ("mean_test_score", "std_test_score", "split2_test_score", "rank_test_score"):
            assert ours.cv_results_[name] == pytest.approx(theirs.cv_results_[name], abs=1e-5), name
        assert ours.coef_ == pytest.approx(theirs.best_estimator_.coef_, abs=1e-6)
    own = StructuredRegressorCV(n_alphas=5, cv=3, standardize=True, scoring=lambda m, X, y: -np.abs(m.predict(X) - y).mean()).fit(*regression())
    assert own.cv_results_["mean_test_score"].shape == own.alphas_.shape and own.path_.table["score"].max() < 0
    with pytest.raises(ValueError, match="scoring|valid"):
        StructuredClassifierCV(scoring="magic").fit(X, y)


def test_a_target_that_never_varies():
    X, _ = regression()
    for value in (0.0, 5.0):
        model = StructuredRegressorCV(n_alphas=3, cv=3).fit(X, np.full(120, value))
        assert (model.predict(X) == value).all() and model.alpha_ > 0


@pytest.mark.parametrize("constraint", ["nonneg", "box:-0.5,0.5", "ball:1", "l1ball:1", "simplex:1"])
def test_a_path_over_a_set(constraint):
    X, y = regression()
    model = StructuredRegressorCV(constraint=constraint, n_alphas=5, cv=3).fit(X, y)
    assert (model.path_.table["outcome"] == "converged").all()
    if constraint == "nonneg":
        theirs = Lasso(alpha=model.alpha_, positive=True, tol=1e-10).fit(X, y)
        assert model.coef_ == pytest.approx(theirs.coef_, abs=1e-3) and (model.path_.coefs[0] == 0).all()


# ---- rows in parts, bars, pages, tags

def test_rows_in_parts():
    X, y = classes(3, 3000)
    model = StructuredClassifier(alpha=1e-3)
    with pytest.raises(ValueError, match="classes"):
        model.partial_fit(X[:10], y[:10])
    for start in range(0, 3000, 100):
        part = slice(start, start + 100)
        keep = y[part] != (1 if start < 300 else 9)  # a part may lack a class
        model.partial_fit(X[part][keep], y[part][keep], classes=[0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2] and model.score(X, y) > 0.65 and model.gap_kind_ == "none"
    X, y = regression(2000)
    number = StructuredRegressor(alpha=1e-3)
    for start in range(0, 2000, 100):
        number.partial_fit(X[start:start + 100], y[start:start + 100])
    assert number.score(X, y) > 0.8
    with pytest.raises(ValueError, match="not one of"):
        model.partial_fit(X[:5, :6], [0, 1, 2, 3, 3])


def test_rows_in_parts_of_a_hinge():
    X, y = classes(3, 2000)
    model = StructuredClassifier(loss="squared-hinge", alpha=1e-3)
    for start in range(0, 2000, 100):
        model.partial_fit(X[start:start + 100], y[start:start + 100], classes=[0, 1, 2])
    assert model.coef_.shape == (3, 6) and model.score(X, y) > 0.65 and len(model.estimators_) == 3 and model.gap_kind_ == "none"


def test_a_bar(capfd):
    X, y = regression()
    StructuredRegressor(verbose="bar", solver="spdhg", max_iter=5).fit(X, y)
    said = capfd.readouterr().err
    assert "epoch" in said and "objective" in said
    with pytest.raises(ValueError, match="verbose='loud'"):
        StructuredRegressor(verbose="loud").fit(X, y)


def test_notebooks_show_the_proof():
    X, y = regression()
    model = StructuredRegressor()
    assert "proven" not in model._repr_html_()
    model.fit(X, y)
    page = model._repr_mimebundle_()["text/html"]
    assert "StructuredRegressor" in page and "proven within" in page and "converged" in page


def test_newer_scikit_learn(monkeypatch):
    """The interface of 1.6: validate_data is a function, tags are an object."""
    asked = []

    def validate_data(estimator, *data, ensure_all_finite=True, reset=True, **wishes):
        asked.append(ensure_all_finite)
        return estimator._validate_data(*data, force_all_finite=False, reset=reset, **wishes)

    monkeypatch.setattr(validation, "validate_data", validate_data, raising=False)
    from sklearn.base import BaseEstimator

    monkeypatch.setattr(BaseEstimator, "__sklearn_tags__", lambda self: SimpleNamespace(input_tags=SimpleNamespace(sparse=False), target_tags=SimpleNamespace(
        multi_output=False)), raising=False)
    X, y = regression()
    model = StructuredRegressor().fit(X.tolist(), y)  # an array or CSR would need no check
    model.predict(sp.csc_matrix(X))
    assert asked == [False, False]
    assert model.__sklearn_tags__().input_tags.sparse and model.__sklearn_tags__().target_tags.multi_output
    assert not StructuredClassifier().__sklearn_tags__().target_tags.multi_output
    tags = StructuredRegressor(loss="poisson").__sklearn_tags__()
    assert tags.target_tags.positive_only and StructuredRegressor(loss="poisson")._get_tags()["requires_positive_y"]
    assert model.predict(X).shape == y.shape and model._get_tags()["multioutput"] and not StructuredClassifier()._get_tags()["multioutput"]


# ---- Ctrl-C where the library does not ask

def test_ctrl_c_while_a_graph_is_learned():
    """quic ends with what it has reached; other methods go on behind the scenes, but nobody waits for them."""
    X = np.random.default_rng(0).normal(size=(60, 700))
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        spdhg.learn_graph(X, rho=0.02, tol=1e-14)
    timer.join()
    graph = getattr(caught.value, "graph", None)  # None: the signal came before the first step
    assert graph is None or (not graph.report["converged"] and graph.F.shape[1] == 700)


def test_ctrl_c_in_a_small_fit_keeps_what_was_reached():
    X, y = regression()
    model = StructuredRegressor(solver="spdhg", max_iter=1e12)  # without the signal it never ends
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()
    assert model.outcome_ == "interrupted" and np.isfinite(model.coef_).all() and model.n_iter_ > 1


SETS_UP = """
import numpy as np, spdhg, sys, threading, time
X = np.random.default_rng(0).normal(size=(3000, 600)) @ np.random.default_rng(1).normal(size=(600, 600))
y = X[:, 0] > 0
print("begins", flush=True)
try:
    WORK
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.stdout.flush()
    import os; os._exit(0)  # whoever presses Ctrl-C at the prompt goes on at once; what is left ends with the process
print("ended")
"""


@pytest.mark.parametrize("work", ["spdhg.StructuredClassifier(structure='learned').fit(X, y)", "spdhg.learn_graph(X, method='neighbourhood')",
                                  "spdhg.StructuredClassifier(solver='spdhg', max_iter=1e9).fit(X, y)"])
def test_ctrl_c_from_outside(work):
    """A terminal's signal in the middle of a set-up, of a graph, of a solve: the prompt is back within seconds."""
    with subprocess.Popen([sys.executable, "-c", SETS_UP.replace("WORK", work)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "begins\n"
            time.sleep(0.4)
            process.send_signal(signal.SIGINT)
            start = time.monotonic()
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()  # which has no effect on what has ended
    assert out in ("interrupted\n", "ended\n") and process.returncode == 0, out + err
    assert out == "ended\n" or time.monotonic() - start < 15
