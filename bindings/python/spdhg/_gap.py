# _gap.py - how far any coefficients can be from the best possible, proven by duality.
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._base import Structured
from ._call import doubles, run, text
from ._check import number, threads
from ._native import ffi, lib
from ._problem import weights_of


class Gap(NamedTuple):
    """f(x) - min f <= gap if kind is 'certified'; `relative` is gap / objective."""

    gap: float
    relative: float
    kind: str
    radius: float
    objective: float
    train_loss: float
    penalty: float


def duality_gap(estimator: Any, X: Any, y: Any, *, coef: Any = None, intercept: Any = None, dual: Any = None,
                sample_weight: Any = None, offset: Any = None) -> Gap:
    """Prove how far coefficients can be from the best possible.

    Parameters
    ----------
    estimator : StructuredClassifier or StructuredRegressor
        defines what is minimised; need not be fitted if `coef` is given.
    X, y : the data
    coef, intercept, dual : the point; by default the estimator's own. The best intercept for `coef` is computed in any case.
    sample_weight, offset : as for fit

    Examples
    --------
    The answer of another program, measured by the same objective:

    >>> import numpy as np, spdhg
    >>> from sklearn.linear_model import Lasso
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> y = X[:, 0] + 0.1 * X[:, 1]
    >>> other = Lasso(alpha=0.05, tol=1e-10).fit(X, y)
    >>> gap = spdhg.duality_gap(spdhg.StructuredRegressor(alpha=0.05), X, y, coef=other.coef_)
    >>> gap.kind, gap.relative < 1e-4
    ('certified', True)
    """
    if not isinstance(estimator, Structured):
        raise TypeError(f"estimator is a {type(estimator).__name__}: expected one of this package, such as StructuredRegressor(alpha=...), and "
                        "another program's answer as coef=")
    if coef is None:
        check_is_fitted(estimator)
    estimator._check_loss()
    fresh = type(estimator)(**estimator.get_params(deep=False))
    X, target = fresh._take(X, y)
    p = fresh.get_params(deep=False)
    if hasattr(estimator, "alpha_"):
        p.update(also_sparse=estimator.also_sparse_, l1_ratio=estimator.l1_ratio_)
        if not weights_of(p, 1.0).follows:
            p["gamma"] = estimator.gamma_
    alpha = number("alpha", getattr(estimator, "alpha_", getattr(estimator, "alpha", None)))
    problem = fresh._problem(X, target, sample_weight, offset, alpha, p)
    if coef is None:
        coef, dual = estimator.coef_, estimator.dual_ if dual is None else dual
        intercept = estimator.intercept_ if intercept is None else intercept
    x, outputs = problem.penalised(coef), problem.view.outputs
    c = np.array(np.broadcast_to(0.0 if intercept is None else np.ravel(intercept), (outputs,)), np.float64)
    d = None if dual is None else np.ascontiguousarray(np.ravel(dual), np.float64)
    if d is not None and d.size != problem.view.dual:
        raise ValueError(f"dual has {d.size} numbers, the problem {problem.view.dual}")
    out = ffi.new("spdhg_gap *")
    run(None, lib.spdhg_duality_gap, problem.handle, threads(p["n_jobs"]), doubles(x), doubles(c), doubles(d), out)
    return Gap(out.gap, out.relative, text(out.kind) or "none", out.radius, out.objective, out.train_loss, out.penalty)
