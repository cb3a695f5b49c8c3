# test_centre.py - a column of time stamps beside an intercept: it is centred inside, and nobody notices but by the answer.
import numpy as np
import pytest
import scipy.sparse as sp

import spdhg
from spdhg import StructuredClassifier, StructuredRegressor

START, ROWS = 1.7e9, 80


def rows():
    rng = np.random.default_rng(4)
    clock, rest = rng.integers(0, 200000, ROWS).astype(float), rng.normal(size=(ROWS, 2))
    own = np.column_stack([clock - 100000, rest])
    return np.column_stack([START + clock, rest]), own, own @ [2e-5, 1, -1] + 0.3 * rng.normal(size=ROWS)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_problem_is_that_of_centred_columns(kind):
    X, own, y = rows()
    near, far = (StructuredRegressor(structure="chain", alpha=1e-3, tol=1e-9).fit(kind(A), y) for A in (own, X))
    assert far.outcome_ == "converged" and far.gap_kind_ == "certified"
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-8)
    assert far.coef_ == pytest.approx(near.coef_, rel=1e-5)
    assert far.intercept_ == pytest.approx(near.intercept_ - (START + 100000) * far.coef_[0], abs=1e-4)
    assert far.predict(kind(X)) == pytest.approx(near.predict(kind(own)), abs=1e-6)
    assert X @ far.coef_ + far.intercept_ == pytest.approx(far.predict(kind(X)), abs=1e-9)


def test_scores_are_those_of_the_fit():
    X, _, y = rows()
    X[:, 0] = 1.7e18 + 256 * (X[:, 0] - START)
    model = StructuredRegressor(structure="identity", alpha=1e-4).fit(X, y)
    assert np.mean((model.predict(X) - y) ** 2) / 2 == pytest.approx(model.train_loss_, rel=1e-12)


def test_coefficients_of_others_and_changed_ones():
    X, _, y = rows()
    model = StructuredRegressor(structure="identity", alpha=1e-3, tol=1e-9).fit(X, y)
    gap = spdhg.duality_gap(model, X, y)
    assert gap.kind == "certified" and gap.objective == pytest.approx(model.objective_, rel=1e-12)
    other = spdhg.duality_gap(model, X, y, coef=1.01 * model.coef_, intercept=model.intercept_)
    assert other.gap >= other.objective - model.objective_ > 0
    before = model.predict(X)
    model.intercept_ = model.intercept_ + 1
    assert model.predict(X) == pytest.approx(before + 1, abs=1e-9)
    model.coef_ = 0 * model.coef_
    assert model.predict(X) == pytest.approx(np.full(ROWS, model.intercept_), abs=1e-9)


def test_a_warm_start_is_where_it_ended():
    X, _, y = rows()
    model = StructuredClassifier(structure="chain", alpha=1e-3, tol=1e-9, warm_start=True).fit(X, y > 0)
    first = model.objective_
    model.fit(X, y > 0)
    assert model.history_["objective"][0] == pytest.approx(first, rel=1e-9)


def test_a_path_has_the_intercepts_of_the_data():
    X, _, y = rows()
    path = spdhg.fit_path(X, y, loss="squared", structure="chain", n_alphas=6, cv=0, choose="bic")
    loss = [np.mean((X @ x + c - y) ** 2) / 2 for x, c in zip(path.coefs, path.intercepts)]
    assert loss == pytest.approx(path.table["train_loss"], rel=1e-6)
