"""
The proof: how far an answer can be from the best possible
==========================================================

A solver may stop at any time: the duality gap of its point is a proven bound, computed from the point alone. Here the
paper's stochastic method and the default one on the same problem.
"""
import matplotlib.pyplot as plt
import numpy as np

import spdhg

rng = np.random.default_rng(2)
X = rng.standard_normal((2000, 40))
y = X[:, 10:20].sum(axis=1) + rng.logistic(size=2000) > 0

plt.figure(figsize=(6, 3.2))
for solver in ("spdhg", "auto"):
    model = spdhg.StructuredClassifier(structure="chain", alpha=0.01, solver=solver, max_iter=20).fit(X, y)
    history = model.history_
    plt.semilogy(history["epoch"], history["gap"], ".-", label=solver)
plt.xlabel("passes over the data")
plt.ylabel("proven gap")
plt.legend(frameon=False)
plt.tight_layout()
