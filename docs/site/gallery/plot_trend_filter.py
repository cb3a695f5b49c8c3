"""
Trend filtering: a line that bends
==================================

``trend:1`` makes straight pieces and finds where they bend; ``trend:2`` and ``trend:3`` make pieces of parabolas and
cubics. On the command line: ``spdhg denoise bent.csv --structure trend:1 --positions time``. ``TrendFilter`` is a
regression whose coefficients follow such pieces.
"""
import matplotlib.pyplot as plt
import numpy as np

import spdhg

rng = np.random.default_rng(3)
t = np.linspace(0, 1, 200)
truth = np.interp(t, [0, 0.3, 0.65, 1], [0, 3, 1, 3.5])
noisy = truth + 0.4 * rng.standard_normal(len(t))

X = rng.standard_normal((150, len(t)))  # the line as coefficients of a regression
model = spdhg.TrendFilter(alpha=0.05).fit(X, X @ truth + rng.standard_normal(150))

plt.figure(figsize=(7, 3.2))
plt.plot(t, noisy, ".", color="0.7", label="data")
for order, color in ((1, "C0"), (2, "C1")):
    answer = spdhg.trend_filter(noisy, order=order)
    plt.plot(t, answer.x, color=color, label=f"order {order}")
plt.plot(t, model.coef_, color="C2", label="coefficients")
plt.plot(t, truth, color="0.2", lw=1, ls="--", label="truth")
plt.legend(frameon=False)
plt.tight_layout()
