# sparse_group_lasso.py - SparseGroupLasso: questionnaires whose items belong to topics; few topics matter, and not all of their items.
import numpy as np

import spdhg


def main():
    rng = np.random.default_rng(3)
    groups = [list(range(5 * g, 5 * g + 5)) for g in range(12)]
    true = np.zeros(60)
    true[[0, 1, 10, 12]] = [1.5, -1.0, 1.0, 0.8]
    X = rng.normal(size=(100, 60))
    y = X @ true + rng.normal(size=100)
    model = spdhg.SparseGroupLasso(groups=groups, alpha=0.18).fit(X, y)
    alive = [g for g, members in enumerate(groups) if np.any(model.coef_[members])]
    print(f"groups that stay: {alive} (true: [0, 2]); {np.count_nonzero(model.coef_)} of 60 coefficients; gap {model.gap_relative_:.0e}")
    assert {0, 2} <= set(alive) and len(alive) < 7
    again = spdhg.SparseGroupLasso(groups=groups, alpha=0.1, adaptive=True).fit(X, y)
    print(f"adaptive: {np.flatnonzero(again.coef_).tolist()} (true: [0, 1, 10, 12])")
    assert {0, 1, 10, 12} <= set(np.flatnonzero(again.coef_))
    return model


if __name__ == "__main__":
    main()
