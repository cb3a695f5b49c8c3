# gene_network.py - logistic regression guided by a network of genes, against a plain lasso: which genes matter, and how well it predicts.
# Synthetic: every regulator drives ten genes that rise and fall with it; four of the fifteen modules decide the disease. Of 150 patients
# and 165 genes a lasso can pick one gene of a module and predict just as well; the network says that they belong together.
import networkx as nx
import numpy as np

import spdhg

MODULES, SIZE, ACTIVE = 15, 10, 4


def patients(rows, rng):
    regulators = rng.normal(size=(rows, MODULES))
    genes = 0.7 * np.repeat(regulators, SIZE, axis=1) + np.sqrt(1 - 0.49) * rng.normal(size=(rows, MODULES * SIZE))
    X = np.hstack([regulators, genes])
    chance = 1 / (1 + np.exp(-X @ truth()))
    return X, np.where(rng.uniform(size=rows) < chance, "ill", "healthy")


def truth():
    x = np.zeros(MODULES * (1 + SIZE))
    for module in range(ACTIVE):
        x[module] = (-1) ** module
        x[MODULES + SIZE * module:MODULES + SIZE * (module + 1)] = (-1) ** module / np.sqrt(SIZE)
    return x


def main():
    rng = np.random.default_rng(1)
    X, y = patients(150, rng)
    X_test, y_test = patients(2000, rng)
    network = nx.Graph((module, MODULES + SIZE * module + k) for module in range(MODULES) for k in range(SIZE))
    common = dict(n_alphas=12, alpha_ratio=0.1, cv=3, rule="min")
    plain = spdhg.StructuredClassifierCV(**common).fit(X, y)
    guided = spdhg.StructuredClassifierCV(structure=network, sparsities=[0.2, 1], **common).fit(X, y)
    for name, model in (("lasso", plain), ("network", guided)):
        found = np.count_nonzero(model.coef_[0][truth() != 0])
        wrong = np.count_nonzero(model.coef_[0][truth() == 0])
        print(f"{name:8s} accuracy {model.score(X_test, y_test):.3f}  found {found} of {np.count_nonzero(truth())} genes that matter, "
              f"{wrong} others  alpha {model.alpha_:.3g}  gap {model.gap_relative_:.1e}")
    assert guided.score(X_test, y_test) > plain.score(X_test, y_test)
    assert np.count_nonzero(guided.coef_[0][truth() != 0]) > np.count_nonzero(plain.coef_[0][truth() != 0])
    return plain, guided


if __name__ == "__main__":
    main()
