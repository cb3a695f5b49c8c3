"""
A network of genes guides a classifier
======================================

Genes of one module rise and fall together, and a lasso picks one of them by chance. The network says which belong
together, and the model finds the whole module. On the command line:
``spdhg path patients.csv --structure edges:network.csv --also-sparse 1``. ``GraphGuidedClassifier`` learns the
network from the rows if there is none.
"""
import matplotlib.pyplot as plt
import numpy as np

import spdhg

rng = np.random.default_rng(1)
modules, size, rows = 8, 10, 160
truth = np.zeros(modules * size)
truth[:size], truth[size : 2 * size] = 0.4, -0.4
drivers = rng.standard_normal((rows, modules))
X = 0.7 * np.repeat(drivers, size, axis=1) + 0.7 * rng.standard_normal((rows, modules * size))
y = X @ truth + rng.logistic(size=rows) > 0
network = [(m * size, m * size + k) for m in range(modules) for k in range(1, size)]  # each module is a star

plain = spdhg.StructuredClassifierCV(cv=3, n_alphas=12, rule="min").fit(X, y)
guided = spdhg.StructuredClassifierCV(structure=network, sparsities=[0.2, 1], cv=3, n_alphas=12, rule="min").fit(X, y)
learned = spdhg.GraphGuidedClassifier(alpha=0.02).fit(X, y)

figure, place = plt.subplots(4, 1, figsize=(7, 5), sharex=True)
shown = {"truth": truth, "lasso": plain.coef_[0], "network": guided.coef_[0], "learned": learned.coef_[0]}
for axes, (title, values) in zip(place, shown.items()):
    axes.bar(np.arange(len(values)), values, color=np.where(values > 0, "C0", "C3"))
    axes.set_ylabel(title)
plt.xlabel("gene")
plt.tight_layout()
