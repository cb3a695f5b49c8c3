# graph_classifier.py - GraphGuidedClassifier: features that rise and fall together get alike coefficients; the graph is learned, or given.
import numpy as np

import spdhg


def main():
    rng = np.random.default_rng(4)
    factors = rng.normal(size=(300, 10))
    X = np.repeat(factors, 6, axis=1) + 0.5 * rng.normal(size=(300, 60))
    y = np.where(factors[:, 0] - factors[:, 3] + 0.5 * rng.normal(size=300) > 0, "ill", "well")
    train, test = slice(0, 150), slice(150, 300)
    learned = spdhg.GraphGuidedClassifier(alpha=0.01).fit(X[train], y[train])
    edges = [(i, i + 1) for i in range(59) if i % 6 < 5]
    given = spdhg.GraphGuidedClassifier(structure=edges, also_sparse=1, alpha=0.01).fit(X[train], y[train])
    print(f"{learned.structure_.shape[0]} edges learned; right on new rows: {learned.score(X[test], y[test]):.2f} learned, "
          f"{given.score(X[test], y[test]):.2f} given; proven within {learned.gap_relative_:.0e}")
    assert min(learned.score(X[test], y[test]), given.score(X[test], y[test])) > 0.8
    return learned


if __name__ == "__main__":
    main()
