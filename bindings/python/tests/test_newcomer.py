# test_newcomer.py - what a user of scikit-learn tries first: answers name the column, count from 0, and say what would be right; steps of a
# pipeline keep names and precision.
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Lasso
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import spdhg
from spdhg import StructuredClassifier, StructuredRegressor, StructuredRegressorCV

X = np.random.default_rng(0).normal(size=(60, 4))
Y = X[:, 0] > 0
FRAME = pd.DataFrame(X, columns=["age", "rent", "rooms", "year"])
GAP = FRAME.copy()
GAP.iloc[7, 2] = np.nan


def test_a_missing_value_is_named_by_its_column_in_every_call():
    says = "NaN.*row 7, column 'rooms'"
    for fit in (lambda: StructuredClassifier().fit(GAP, Y), lambda: StructuredClassifier().fit(FRAME, Y).predict(GAP),
                lambda: StructuredClassifier(loss="hinge").fit(FRAME, np.digitize(X[:, 0], [-0.5, 0.5])).predict(GAP),
                lambda: spdhg.learn_graph(GAP)):
        with pytest.raises(ValueError, match=says):
            fit()
    with pytest.raises(ValueError, match="infinity.*row 7, column 2"):
        spdhg.learn_graph(sp.csr_matrix(np.where(GAP.isna(), np.inf, X)))


SIGNAL = np.arange(12.0)
COUNTED = [
    (lambda: StructuredClassifier().fit(X, Y, sample_weight=np.where(np.arange(60) == 3, -2, 1)), "sample_weight: row 3 .counted from 0. has the weight -2"),
    (lambda: StructuredClassifier(penalty_weights=[1, 1, -1, 1]).fit(X, Y), "penalty_weights: number 2 .counted from 0"),
    (lambda: StructuredClassifier().fit(X, Y, eval_set=(X[:2], [1, 7])), "eval_set: row 1 .counted from 0. has the label 7"),
    (lambda: spdhg.denoise(np.where(SIGNAL == 5, np.inf, SIGNAL), alpha=0.1), "y: value 5 .counted from 0. is infinite"),
    (lambda: spdhg.denoise(SIGNAL, weights=SIGNAL - 1, alpha=0.1), "weights: number 0 .counted from 0"),
    (lambda: spdhg.trend_filter(SIGNAL, 0.1, positions=np.zeros(12)), "positions: values 0 and 1 .counted from 0"),
]


@pytest.mark.parametrize("call, says", COUNTED)
def test_positions_are_counted_from_0(call, says):
    with pytest.raises(ValueError, match=says):
        call()


WRONG = [
    (lambda: StructuredClassifier(loss="log_loss").fit(X, Y), ValueError, "logistic, .*hinge .for labels., squared, .* .for numbers"),
    (lambda: StructuredClassifier(structure=None).fit(X, Y), ValueError, "structure=None.*identity"),
    (lambda: StructuredClassifier(structure=3).fit(X, Y), ValueError, "structure=3.*chain"),
    (lambda: StructuredClassifier(solver="spdhg", solver_params="L=max").fit(X, Y), ValueError, "solver_params.*dict"),
    (lambda: StructuredClassifier(class_weight={5: 1}).fit(X, Y), ValueError, "label 5; the labels are False, True"),
    (lambda: StructuredClassifier().fit(X, np.zeros(60)), ValueError, "allow_one_class=True"),
    (lambda: StructuredClassifier().fit(X, X[:, 0]), ValueError, "Unknown label type.*StructuredRegressor"),
    (lambda: spdhg.fit_path(X, X[:, 0]), ValueError, "loss='squared'"),
    (lambda: StructuredClassifier().fit(X, Y, eval_set=[(X, Y), (X, Y)]), ValueError, "one pair"),
    (lambda: StructuredRegressorCV(n_alphas=2.5).fit(X, X[:, 0]), ValueError, "n_alphas=2.5 is not a whole"),
    (lambda: StructuredClassifier(solver="spdhg", batch=1.5).fit(X, Y), ValueError, "batch=1.5"),
    (lambda: StructuredRegressor(groups=[0, 0, 1, 1]).fit(X, X[:, 0]), ValueError, "penalty='group'"),
    (lambda: spdhg.trend_filter(SIGNAL, 0.1, order=1.5), ValueError, "order=1.5"),
    (lambda: spdhg.denoise(SIGNAL + 1j, alpha=0.1), ValueError, "Complex data not supported"),
    (lambda: spdhg.duality_gap(StructuredRegressor(), X, X[:, 0]), NotFittedError, "not fitted"),
    (lambda: spdhg.duality_gap(Lasso().fit(X, X[:, 0]), X, X[:, 0]), TypeError, "Lasso.*coef="),
    (lambda: spdhg.load_model("nowhere.json"), FileNotFoundError, "nowhere"),
    (lambda: spdhg.load_model("/"), IsADirectoryError, "directory"),
]


@pytest.mark.parametrize("call, kind, says", WRONG)
def test_the_answer_says_what_would_be_right(call, kind, says):
    with pytest.raises(kind, match=says):
        call()


def test_a_list_of_one_pair_is_an_eval_set():
    """As other packages want it; also for the fits of classes against the rest."""
    a, b = (StructuredClassifier(solver="spdhg", max_iter=2, random_state=0).fit(X, Y, eval_set=e).history_["test_loss"] for e in ((X, Y), [(X, Y)]))
    assert (a == b).all() and np.isfinite(a[-1])
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    assert np.isfinite(StructuredClassifier(loss="squared-hinge").fit(X, three, eval_set=[(X, three)]).history_["test_loss"]).any()


def test_groups_by_name():
    lists = StructuredRegressor(penalty="group", groups=[[0, 1], [2, 3]], alpha=0.1).fit(X, X[:, 0])
    named = StructuredRegressor(penalty="group", groups={"first": [0, 1], "second": [2, 3]}, alpha=0.1).fit(X, X[:, 0])
    assert (lists.coef_ == named.coef_).all() and (lists.coef_[2:] == 0).all()


def test_the_denoiser_is_a_step_like_others():
    step = spdhg.TotalVariationDenoiser(structure="chain", alpha=1e-3)
    made = make_pipeline(StandardScaler(), step).set_output(transform="pandas").fit_transform(FRAME)
    assert list(made.columns) == list(FRAME.columns) and list(step.get_feature_names_out()) == list(FRAME.columns)
    step = spdhg.TotalVariationDenoiser(structure="chain", alpha=1e-3)
    assert step.fit(FRAME).transform(FRAME.astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match="feature names"):
        step.transform(FRAME[FRAME.columns[::-1]])
    with pytest.raises(ValueError, match="2 features.*expecting 4"):
        step.transform(X[:, :2])
    step.fit_transform(X[:9])
    step.transform(X)
    assert len(step.denoised_.signals) == 9  # transform keeps nothing
    assert len(spdhg.TotalVariationDenoiser(structure=(2, 2), alpha=1e-3).fit(X).transform(GAP)) == 60  # NaN is a missing pixel
