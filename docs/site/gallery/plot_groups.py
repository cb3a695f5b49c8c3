"""
Sparse groups: topics, and items within them
============================================

Items of a questionnaire belong to topics. Few topics matter, and not all of their items: ``SparseGroupLasso`` drops
whole groups, and single coefficients of those that stay. On the command line:
``spdhg fit items.csv --loss squared --penalty group --groups topics.txt --also-sparse 1``.
"""
import matplotlib.pyplot as plt
import numpy as np

import spdhg

rng = np.random.default_rng(3)
topics = [list(range(5 * g, 5 * g + 5)) for g in range(12)]
truth = np.zeros(60)
truth[[0, 1, 10, 12]] = 1.5, -1.0, 1.0, 0.8
X = rng.standard_normal((100, 60))
y = X @ truth + rng.standard_normal(100)

model = spdhg.SparseGroupLasso(groups=topics, alpha=0.18).fit(X, y)

figure, place = plt.subplots(2, 1, figsize=(7, 3.4), sharex=True)
for axes, values, title in zip(place, (truth, model.coef_), ("truth", "sparse groups")):
    axes.bar(np.arange(60), values, color=np.where(values > 0, "C0", "C3"))
    axes.vlines(np.arange(4.5, 59, 5), -1, 1.5, color="0.85", lw=1)
    axes.set_ylabel(title)
plt.xlabel("item; lines between topics")
plt.tight_layout()
