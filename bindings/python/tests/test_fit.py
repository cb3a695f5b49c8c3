# test_fit.py - what is given reaches the problem: structures, weights, offsets, classes, starts; checked against numpy and each other.
import os
import signal
import threading
import time
import tracemalloc
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import PoissonRegressor, QuantileRegressor, Ridge
from sklearn.metrics import mean_pinball_loss
from sklearn.svm import LinearSVC

import spdhg
from conftest import sparse_rows
from spdhg import StructuredClassifier, StructuredClassifierCV, StructuredRegressor


def chain(features, F=None):
    return sp.diags([1.0, -1.0], [0, 1], shape=(features - 1, features)).tocsr()


def names_of_a_chain(d):
    letters = [chr(97 + j) for j in range(d)]
    return nx.relabel_nodes(nx.path_graph(d), dict(enumerate(letters)))


STRUCTURES = {
    "edges": lambda d: [(j, j + 1) for j in range(d - 1)],
    "array": lambda d: np.column_stack([np.arange(d - 1), np.arange(1, d)]),
    "reversed, weighted": lambda d: [(j + 1, j, 1.0) for j in range(d - 1)],
    "matrix": chain,
    "adjacency": lambda d: (abs(chain(d)).T @ abs(chain(d)) - sp.diags((abs(chain(d)).T @ abs(chain(d))).diagonal())).tocsr(),
    "networkx": nx.path_graph,
    "networkx by order": names_of_a_chain,
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_chain_by_any_name(name):
    X, z = sparse_rows()
    expected = StructuredRegressor(structure="chain", alpha=0.01, tol=1e-10).fit(X, z)
    model = StructuredRegressor(structure=STRUCTURES[name](X.shape[1]), alpha=0.01, tol=1e-10).fit(X, z)
    assert np.allclose(model.coef_, expected.coef_, atol=1e-6) and np.isclose(model.objective_, expected.objective_, rtol=1e-9)


def test_the_objective_is_what_it_says():
    """f by numpy, and no better point found by another optimiser."""
    X, z = sparse_rows(80, 6)
    X, F, rng = X.toarray(), np.array([[1, -1, 0, 0, 0, 0], [0, 0, 2.0, 1, 0, 0]]), np.random.default_rng(0)
    w, o = rng.uniform(size=80), rng.normal(size=80)
    model = StructuredRegressor(structure=sp.csr_matrix(F), alpha=0.3, gamma=0.2, also_sparse=0.5, penalty_weights=[1, 3], tol=1e-10)
    model.fit(X, z, sample_weight=w, offset=o)

    def f(v):
        r = X @ v[:6] + v[6] + o - z
        return w @ r ** 2 / 2 / w.sum() + 0.1 * v[:6] @ v[:6] + 0.3 * (np.array([1, 3]) @ abs(F @ v[:6]) + 0.5 * abs(v[:6]).sum())

    at = np.append(model.coef_, model.intercept_)
    assert np.isclose(f(at), model.objective_, rtol=1e-12)
    assert scipy.optimize.minimize(f, at + 0.01 * rng.normal(size=7), method="Powell", options={"xtol": 1e-10, "ftol": 1e-14}).fun >= model.objective_ - 1e-9
    assert np.allclose(model.predict(X, offset=o), X @ model.coef_ + model.intercept_ + o)


def test_weights_are_repetitions():
    X, z = sparse_rows(60, 8)
    y, times = z > 0, np.arange(60) % 3
    a = StructuredClassifier(alpha=0.01, tol=1e-10).fit(X, y, sample_weight=times)
    b = StructuredClassifier(alpha=0.01, tol=1e-10).fit(sp.vstack([X[i] for i in np.repeat(np.arange(60), times)]), np.repeat(y, times))
    assert np.allclose(a.coef_, b.coef_, atol=1e-6)
    c = StructuredClassifier(alpha=0.01, tol=1e-10, class_weight={True: 3, False: 0.5}).fit(X, y)
    d = StructuredClassifier(alpha=0.01, tol=1e-10).fit(X, y, sample_weight=np.where(y, 3, 0.5))
    assert np.allclose(c.coef_, d.coef_, atol=1e-6)


def test_ridge_is_ridge_and_dual_has_its_size():
    X, z = sparse_rows()
    model = StructuredRegressor(alpha=0, gamma=0.3, tol=1e-12).fit(X, z)
    assert np.allclose(model.coef_, Ridge(alpha=0.3 * 300, tol=1e-12, solver="lsqr").fit(X, z).coef_, atol=1e-6)
    fused = StructuredRegressor(structure="chain", alpha=0.02, also_sparse=1).fit(X, z)
    assert fused.dual_.shape == (23 + 24,) and np.abs(fused.dual_).max() <= 0.02 * (1 + 1e-9)
    gradient = X.T @ (X @ fused.coef_ + fused.intercept_ - z) / 300
    assert np.allclose(gradient - chain(24).T @ fused.dual_[:23] + fused.dual_[23:], 0, atol=1e-4)


def test_warm_start_goes_on():
    X, z = sparse_rows()
    model = StructuredClassifier(structure="chain", alpha=0.01, warm_start=True, standardize=True).fit(X, z > 0)
    first, coef = model.n_iter_, model.coef_.copy()
    model.fit(X, z > 0)
    assert model.history_["objective"][0] < model.history_["objective"][-1] * (1 + 1e-5) and model.n_iter_ <= first
    assert np.allclose(model.coef_, coef, atol=1e-3)
    model.fit(X[:, :5], z > 0)  # other features: starts anew
    assert model.coef_.shape == (1, 5)


def test_held_out_rows_are_measured():
    X, z = sparse_rows()
    model = StructuredClassifier(alpha=0.01).fit(X[:200], z[:200] > 0, eval_set=(X[200:], z[200:] > 0))
    assert np.isclose(model.history_["test_score"][-1], model.score(X[200:], z[200:] > 0), atol=0.011)
    assert np.isnan(StructuredClassifier().fit(X, z > 0).history_["test_loss"]).all()


def test_softmax_and_texts():
    X, z = sparse_rows()
    y = np.array(["low", "mid", "höch"])[np.digitize(z, [-0.5, 0.5])]
    model = StructuredClassifier(alpha=0.003).fit(X, y)
    assert model.classes_.tolist() == ["höch", "low", "mid"] and model.coef_.shape == (3, 24)
    chance = model.predict_proba(X)
    scores = X @ model.coef_.T + model.intercept_
    assert np.allclose(chance, np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)) and model.score(X, y) > 0.7
    assert (model.predict(X) == model.classes_[scores.argmax(axis=1)]).all()
    two = StructuredClassifier(loss="softmax", gamma=0.1, tol=1e-9).fit(X, z > 0)
    assert two.decision_function(X).shape == (300,) and ((two.decision_function(X) > 0) == two.predict(X)).all()
    assert not hasattr(StructuredClassifier(loss="squared-hinge"), "predict_proba")


def test_changed_coefficients_count():
    X, z = sparse_rows()
    model = StructuredRegressor().fit(X, z)
    model.coef_ = np.zeros(24)
    assert np.allclose(model.predict(X), model.intercept_)


def test_learned_structure_is_kept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).repeat(3, axis=1) + 0.3 * rng.normal(size=(300, 12))
    y = X[:, :3].sum(axis=1) > 0
    model = StructuredClassifier(structure="learned", alpha=0.01).fit(X, y)
    graph = spdhg.learn_graph(X)
    assert (model.structure_ != graph.F).nnz == 0 and len(graph.edges) == 12 and (graph.weights > 0).all()
    assert set(map(tuple, graph.edges.tolist())) == set(graph.to_networkx().edges)
    assert np.allclose(StructuredClassifier(structure=graph, also_sparse=1, alpha=0.01).fit(X, y).coef_, model.coef_)
    X[:, 1] *= -1
    assert (spdhg.learn_graph(X).weights < 0).sum() == 2
    precision = spdhg.learn_graph(X, precision=True)
    assert precision.F.shape == (12, 12) and len(precision.edges) == 12


def test_convergence_warning_has_the_gap():
    X, z = sparse_rows()
    model = StructuredClassifier(solver="spdhg", max_iter=1, tol=1e-8)
    with pytest.warns(ConvergenceWarning, match=r"limit.*gap.*1e-08"):
        model.fit(X, z > 0)
    assert model.outcome_ == "limit"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert StructuredClassifier(solver="spdhg", max_iter=1).fit(X, z > 0).outcome_ == "done"
        assert StructuredClassifier().fit(X, z > 0).outcome_ == "converged"
    with pytest.warns(ConvergenceWarning, match="2 of 3 alphas"):
        StructuredClassifierCV(solver="pd3o", max_iter=1, n_alphas=3, cv=2).fit(X, z > 0)


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.parametrize("solver", ["spdhg", "pd3o"])
def test_ctrl_c_leaves_what_was_reached(solver):
    X, z = sparse_rows(2000, 50)
    model = StructuredClassifier(solver=solver, max_iter=1e9, structure="chain")
    timer = interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, z > 0)
    timer.join()
    assert model.outcome_ == "interrupted" and model.n_iter_ > 1
    assert np.isfinite(model.coef_).all() and model.objective_ < model.history_["objective"][0] and model.score(X, z > 0) > 0.6


def test_ctrl_c_during_a_path():
    X, z = sparse_rows(3000, 60)
    model = StructuredClassifierCV(tol=1e-13, n_alphas=2000, saturation=0, cv=20, structure="chain", solver="pd3o")
    timer = interrupt_after(0.6)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, z > 0)
    timer.join()
    assert model.path_.outcome == "interrupted" and 0 < len(model.alphas_) < 2000 and np.isfinite(model.coef_).all()


def test_other_threads_run_meanwhile():
    """Another thread ends a fit that never ends by itself; it could not if the fit let no other thread run."""
    X, z = sparse_rows(2000, 50)
    counted = [0]

    def count():
        while counted[0] < 300:
            counted[0] += 1
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=count)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        StructuredClassifier(solver="pd3o", max_iter=1e12).fit(X, z > 0)
    thread.join()
    assert counted[0] == 300


@pytest.mark.parametrize("dense", [True, False])
def test_values_are_not_copied(dense):
    X = np.random.default_rng(0).normal(size=(4000, 500))
    y = X[:, 0] > 0
    if not dense:
        X = sp.csr_matrix(X)
    model = StructuredClassifier(solver="spdhg", max_iter=0.01)
    tracemalloc.start()
    model.fit(X, y)
    model.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3e6, peak  # the values are 16 MB; labels, weights and row pointers may be made anew
    before = X.copy()
    model.fit(X, y)
    assert (before != X).sum() == 0


def test_any_layout_is_taken():
    X, z = sparse_rows()
    expected = StructuredRegressor().fit(X, z).coef_
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    unsorted = sp.csr_matrix((X.data[::-1].copy(), X.indices[::-1].copy(), (X.nnz - X.indptr)[::-1].copy()), shape=X.shape)[::-1]
    doubled = sp.coo_matrix((np.concatenate([X.tocoo().data, X.tocoo().data]) / 2, (np.tile(X.tocoo().row, 2), np.tile(X.tocoo().col, 2))), shape=X.shape)
    for other in (wide, unsorted, X.tocsc(), doubled):
        assert np.allclose(StructuredRegressor().fit(other, z).coef_, expected, rtol=1e-12)
    assert np.allclose(StructuredRegressor().fit(np.asfortranarray(X.toarray()), z).coef_, expected, atol=1e-5)


def test_duality_gap_of_anybody():
    X, z = sparse_rows()
    problem = StructuredRegressor(structure="chain", alpha=0.02, standardize=True, tol=1e-9)
    model = problem.fit(X, z)
    gap = spdhg.duality_gap(model, X, z)
    assert gap.kind == "certified" and 0 <= gap.gap <= 1e-8 * gap.objective and np.isclose(gap.objective, model.objective_, rtol=1e-12)
    away = spdhg.duality_gap(model, X, z, coef=model.coef_ + 0.01)
    assert away.objective - model.objective_ <= away.gap + 1e-12 and away.objective > model.objective_
    with pytest.raises(ValueError, match="shape"):
        spdhg.duality_gap(model, X, z, coef=np.zeros(3))


def test_pictures():
    X, z = sparse_rows()
    model = StructuredClassifierCV(structure=(4, 6), n_alphas=5, cv=2).fit(X, z > 0)
    assert model.plot().get_xlabel() == "alpha" and model.plot("path").get_ylabel() == "coefficients"
    assert len(model.plot("coef").images) == 1 and model.plot("history").get_xlabel() == "epoch"
    assert len(StructuredRegressor().fit(X, z).plot().lines) == 2
    assert spdhg.learn_graph(np.repeat(X.toarray(), 2, axis=1) + 0.1).plot() is not None


def test_verbose_says_something(capfd):
    X, z = sparse_rows()
    StructuredClassifier(verbose=2).fit(X, z > 0)
    said = capfd.readouterr().out
    assert "objective" in said and "epoch" in said and said.count("\n") > 2


def counts(rows=150, features=5):
    draw = np.random.default_rng(11)
    X = draw.normal(size=(rows, features))
    exposure = draw.uniform(0.5, 10, size=rows)
    return X, draw.poisson(exposure * np.exp(0.3 + X @ [0.5, -0.2, 0.0, 0.1, 0.0])).astype(float), exposure


def test_poisson_against_scikit_learn():
    """Half the deviance and ridge are PoissonRegressor's objective; an exposure is the same as weights of rates."""
    X, y, exposure = counts()
    ours = StructuredRegressor(loss="poisson", alpha=0, gamma=0.05, tol=1e-12).fit(X, y)
    theirs = PoissonRegressor(alpha=0.05, tol=1e-10, max_iter=10000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    offset = np.log(exposure)
    ours.fit(X, y, offset=offset)
    theirs.set_params(alpha=0.05 * len(y) / exposure.sum()).fit(X, y / exposure, sample_weight=exposure)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    np.testing.assert_allclose(ours.predict(X, offset=offset), exposure * theirs.predict(X), rtol=1e-6)


def test_quantiles_against_scikit_learn():
    X, y, _ = counts()
    for tau in (0.2, 0.5):
        ours = StructuredRegressor(loss=f"quantile:{tau}", alpha=0.02, tol=1e-10).fit(X, y)
        theirs = QuantileRegressor(quantile=tau, alpha=0.02, solver="highs").fit(X, y)
        value = lambda m: mean_pinball_loss(y, m.predict(X), alpha=tau) + 0.02 * np.abs(m.coef_).sum()
        assert abs(value(ours) - value(theirs)) <= 1e-12 and ours.gap_relative_ <= 1e-10
    wide = StructuredRegressor(loss="absolute", alpha=1e6).fit(X, y)  # only the constant is left: a median, any between the middle values
    assert np.all(wide.coef_ == 0)
    assert np.abs(y - wide.predict(X[:1])[0]).mean() <= np.abs(y - np.median(y)).mean() * (1 + 1e-12)
    chosen = spdhg.StructuredRegressorCV(loss="absolute", n_alphas=8, cv=3).fit(X, y)
    assert chosen.gap_relative_ <= 1e-6


def test_hinge_against_liblinear():
    X, y, _ = counts()
    label, gamma = y > 3, 0.05
    ours = StructuredClassifier(loss="hinge", alpha=0, gamma=gamma, fit_intercept=False, tol=1e-10).fit(X, label)
    theirs = LinearSVC(loss="hinge", C=1 / (len(y) * gamma), fit_intercept=False, tol=1e-11, max_iter=1000000).fit(X, label)
    np.testing.assert_allclose(ours.coef_.ravel(), theirs.coef_.ravel(), atol=1e-6)
    assert (ours.predict(X) == theirs.predict(X)).all()
    with pytest.raises(ValueError, match="corner"):
        StructuredClassifier(loss="hinge", solver="spdhg").fit(X, label)


def test_poisson_is_for_counts():
    X, y, _ = counts()
    with pytest.raises(ValueError, match="expects a count"):
        StructuredRegressor(loss="poisson").fit(X, -y - 1)
    with pytest.raises(ValueError, match="use StructuredRegressor"):
        StructuredClassifier(loss="poisson").fit(X, y)
    model = spdhg.StructuredRegressorCV(loss="poisson", structure="chain", n_alphas=10, cv=3).fit(X, y)
    assert model.predict(X).min() > 0 and model.gap_relative_ <= 1e-6


def test_a_trend_through_all_coefficients_is_no_penalty():
    """Two coefficients are on a line: the fit is least squares, and a warning says so."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = X @ [1.0, -3.0] + np.random.default_rng(1).normal(size=40)
    with pytest.warns(UserWarning, match="nothing is penalised"):
        model = spdhg.TrendFilter(alpha=10.0, fit_intercept=False, tol=1e-10).fit(X, y)
    assert np.allclose(model.coef_, np.linalg.lstsq(X, y, rcond=None)[0], atol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        three = spdhg.TrendFilter(alpha=10.0).fit(np.column_stack([X, X[:, 0] ** 2]), y)
    assert abs(three.coef_[0] - 2 * three.coef_[1] + three.coef_[2]) < 1e-8


@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_loose_tolerance_leaves_no_digits_out(loss, intercept):
    """The lasso's solver goes on to the optimum once it has proven what was asked, which costs it little."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 25)) + rng.normal(size=(60, 1))
        y = X[:, :5].sum(axis=1) + rng.normal(size=60)
        loose, tight = (StructuredRegressor(loss=loss, alpha=0.02, fit_intercept=intercept, tol=tol).fit(X, y) for tol in (0.05, 1e-12))
        assert loose.solver_ == "lasso" and loose.coef_ == pytest.approx(tight.coef_, abs=1e-9)


def test_edges_with_and_without_a_weight():
    X = np.random.default_rng(0).normal(size=(50, 5))
    y = X @ [1.0, 2, 3, 0, 0]
    mixed, whole = (StructuredRegressor(structure=edges, alpha=0.1, tol=1e-10).fit(X, y).coef_
                    for edges in ([(0, 1), (1, 2, 0.5)], [(0, 1, 1.0), (1, 2, 0.5)]))
    assert (mixed == whole).all()
    for wrong in ([(0, 1), (1,)], [(0, 1), "12"], [(0, 1), None]):
        with pytest.raises(ValueError, match="an edge list has two columns"):
            StructuredRegressor(structure=wrong).fit(X, y)


def test_gaps_are_printed_rounded_up():
    from spdhg._check import bound
    assert (bound(4.1174e-7, 2), bound(1e-10), bound(0.0), bound(9.999, 2), bound(float("inf"))) == ("4.2e-07", "1e-10", "0", "10", "inf")
    for gap in np.exp(np.random.default_rng(0).uniform(-300, 300, 1000)):
        assert gap <= float(bound(gap)) <= 1.011 * gap


class Igraph:
    """What the package uses of a graph of python-igraph."""

    class Sequence(list):
        def attributes(self):
            return sorted({name for item in self for name in item})

    def __init__(self, nodes, edges):
        self.vs, self.es = self.Sequence(nodes), self.Sequence({"weight": w} for *_, w in edges)
        self.ends = [(i, j) for i, j, _ in edges]

    def get_edgelist(self):
        return self.ends


def test_edges_between_names():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 5)), columns=list("abcde"))
    y = X.to_numpy() @ [1.0, 2, 3, 0, 0]
    graphs = [[(0, 1), (1, 2, 0.5)], [("a", "b"), ("b", "c", 0.5)], pd.DataFrame([("a", "b", 1.0), ("b", "c", 0.5)]),
              Igraph([{}] * 5, [(0, 1, 1.0), (1, 2, 0.5)]), Igraph([{"name": name} for name in "cba"], [(2, 1, 1.0), (1, 0, 0.5)])]
    coef = [StructuredRegressor(structure=graph, alpha=0.1, tol=1e-10).fit(X, y).coef_ for graph in graphs]
    assert all((other == coef[0]).all() for other in coef)
    with pytest.raises(ValueError, match="ends at 'z', which is no feature"):
        StructuredRegressor(structure=[("a", "z")]).fit(X, y)
    with pytest.raises(ValueError, match="ends at 'a', but the features of X have no names"):
        StructuredRegressor(structure=[("a", "b")]).fit(X.to_numpy(), y)


def test_sides_and_groups_as_people_write_them():
    X = np.random.default_rng(0).normal(size=(50, 6))
    y = X[:, :3].sum(axis=1)
    for wishes in ([dict(structure=(2, 3)), dict(structure=[2, 3])],
                   [dict(penalty="group", groups=[[0, 1, 2], [3, 4, 5]]), dict(penalty="group", groups=list("bbbaaa"))],
                   [dict(structure=chain(6).toarray()), dict(structure=pd.DataFrame(chain(6).toarray()))]):
        one, other = (StructuredRegressor(alpha=0.1, tol=1e-10, **wish).fit(X, y).coef_ for wish in wishes)
        assert np.allclose(one, other, rtol=0, atol=1e-8)
