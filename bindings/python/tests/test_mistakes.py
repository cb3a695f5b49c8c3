# test_mistakes.py - what a newcomer does wrong is answered with a sentence that says what would be right.
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import spdhg
from spdhg import StructuredClassifier, StructuredClassifierCV, StructuredRegressor

X = np.random.default_rng(0).normal(size=(40, 6))
Y = (X[:, 0] > 0).astype(int)
CASES = [
    (dict(loss="logit"), "logit.*logistic"),
    (dict(loss="squared"), "StructuredRegressor"),
    (dict(penalty="l3"), "l3.*l1, group"),
    (dict(penalty="group"), "group"),
    (dict(structure="ring"), "ring.*chain.*learned"),
    (dict(structure="grid"), "6 features.*height, width"),
    (dict(structure=(2, 2)), "4|2x2"),
    (dict(structure=[(0, 9)]), "0 and 9.*0 to 5"),
    (dict(structure=[(0, 0)]), "two different"),
    (dict(structure=[(0, 1), (1, 0)]), "given before"),
    (dict(structure=[(0.5, 1)]), "whole numbers"),
    (dict(structure=np.eye(5)), "edge list.*a column for each of the 6 features"),
    (dict(alpha=-1), "alpha=-1"),
    (dict(alpha="much"), "alpha='much'"),
    (dict(alpha=np.nan), "alpha=nan"),
    (dict(gamma=-0.1), "gamma"),
    (dict(constraint="cube"), "cube.*ball"),
    (dict(solver="sgd"), "sgd.*spdhg"),
    (dict(solver="spdhg", solver_params={"nonsense": 1}), "nonsense"),
    (dict(solver="ipm", solver_params={"nonsense": 1}), "nonsense.*it has none"),
    (dict(sampling="cyclic"), "cyclic.*iid, shuffle"),
    (dict(batch=0), "batch=0"),
    (dict(batch=100), "100"),
    (dict(n_jobs=0), "n_jobs"),
    (dict(tol=-1), "tol"),
    (dict(class_weight="equal"), "balanced"),
    (dict(class_weight={7: 1}), "7"),
    (dict(penalty_weights=[1, 2]), "2 penalty weights for the 6 rows"),
    (dict(groups=[0, 0]), "groups"),
    (dict(random_state=-1), "random_state"),
    (dict(max_memory=1000), "MB|memory"),
]


@pytest.mark.parametrize("params, says", CASES)
def test_wrong_parameters(params, says):
    with pytest.raises((ValueError, MemoryError), match=says) as caught:
        StructuredClassifier(**params).fit(X, Y)
    assert "--" not in str(caught.value)


def test_wrong_data():
    bad = X.copy()
    bad[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        StructuredClassifier().fit(bad, Y)
    with pytest.raises(ValueError, match="inconsistent"):
        StructuredClassifier().fit(X, Y[:-1])
    with pytest.raises(ValueError, match="only one class"):
        StructuredClassifier().fit(X, np.zeros(40))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no optimum exists
        assert StructuredClassifier(allow_one_class=True).fit(X, np.zeros(40)).predict(X).tolist() == [0] * 40
    with pytest.raises(ValueError, match="Unknown label type"):
        StructuredClassifier().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="offset has shape"):
        StructuredRegressor().fit(X, Y, offset=np.zeros(3))
    with pytest.raises(ValueError, match="weight"):
        StructuredRegressor().fit(X, Y, sample_weight=-np.ones(40))
    with pytest.raises(ValueError, match="features"):
        StructuredRegressor().fit(X, Y).predict(X[:, :3])
    with pytest.raises(ValueError, match="StructuredClassifier"):
        StructuredRegressor(loss="logistic").fit(X, Y)


def test_wrong_paths():
    for params, says in [(dict(cv=1), "at least 2"), (dict(cv=50), "n_samples=40"), (dict(choose="best"), "best.*loss"), (dict(rule="max"), "1se"),
                         (dict(n_alphas=0), "n_alphas"), (dict(alpha_ratio=2), "ratio"), (dict(choose="auc", cv=0), "folds|at least 2")]:
        with pytest.raises(ValueError, match=says):
            StructuredClassifierCV(**params).fit(X, Y)
    with pytest.raises(ValueError, match="method|expected one of"):
        spdhg.learn_graph(X, method="magic")
    with pytest.raises(ValueError, match="rho"):
        spdhg.learn_graph(X, rho="much")
    with pytest.raises(OSError, match="nowhere"):
        spdhg.load_model("nowhere.json")
    with pytest.raises(TypeError, match="lambda_"):
        StructuredClassifier(lambda_=1)
    with pytest.raises(ValueError, match="kind"):
        StructuredClassifier().fit(X, Y).plot("pie")
    with pytest.raises(ValueError, match="losses"):
        spdhg.catalog("loss")


def test_targets_that_are_missing_or_mixed():
    for y in (pd.array([1, None] * 20, dtype="Int64"), pd.Series([None, True] * 20, dtype="boolean"), np.array(["a", None] * 20)):
        row = next(k for k, value in enumerate(y) if value is None or value is pd.NA)
        with pytest.raises(ValueError, match=rf"row {row} \(counted from 0\) has no value"):
            StructuredClassifier().fit(X, y)
    with pytest.raises(ValueError, match="here there are int and str"):
        StructuredClassifier().fit(X, np.array([1, "a"] * 20, dtype=object))
    assert StructuredClassifier(alpha=0.1).fit(X, pd.array([True, False] * 20, dtype="boolean")).classes_.dtype == bool
    numbers = pd.array(range(40), dtype="Int64")
    assert (StructuredRegressor(alpha=0.1).fit(X, numbers).coef_ == StructuredRegressor(alpha=0.1).fit(X, np.arange(40)).coef_).all()


def test_rows_are_counted_from_0():
    broken = sp.csr_matrix(X)
    broken.indices = broken.indices.copy()
    broken.indices[7] = 100
    with pytest.raises(ValueError, match=r"row 1 \(counted from 0\): column 100 is not in 0..5"):
        StructuredRegressor().fit(broken, Y)
    with pytest.raises(ValueError, match=r"row 2 \(counted from 0\): its squared norm overflows"):
        StructuredRegressor().fit(np.where(np.arange(40)[:, None] == 2, 1e200, X), Y)


def test_progress_says_nothing_of_a_gap_that_is_not_proven(capsys):
    StructuredClassifier(alpha=1e-4, structure="chain", verbose=1).fit(X, Y)
    StructuredClassifier(alpha=1e-4, structure="chain", verbose="bar").fit(X, Y)
    said = "".join(capsys.readouterr())
    assert "gap -" in said and "nan" not in said
