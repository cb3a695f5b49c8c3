"""
Fused lasso: levels of a noisy signal
=====================================

Copy numbers along a chromosome, counts over time: values that stay at one level and then jump. The fused lasso
penalises every jump; how strongly, cross-validation decides. On the command line this is
``spdhg denoise probes.csv --choose bic``. ``FusedLasso`` has the same penalty for the coefficients of a regression.
"""
import matplotlib.pyplot as plt
import numpy as np

import spdhg

rng = np.random.default_rng(1)
truth = np.repeat([0.0, 0.6, 0.0, -1.0, 0.0], [60, 50, 60, 20, 50])
noisy = truth + 0.25 * rng.standard_normal(len(truth))

answer = spdhg.fused_lasso(noisy)           # lambda by cross-validation
levels = answer.x
signal = answer.signals[0]

X = rng.standard_normal((200, len(truth)))  # the levels as coefficients of a regression
model = spdhg.FusedLasso(alpha=0.05).fit(X, X @ truth + rng.standard_normal(200))

plt.figure(figsize=(7, 5))
plt.subplot(2, 1, 1)
plt.plot(noisy, ".", color="0.6", label="data")
plt.plot(truth, color="0.3", lw=1, label="truth")
plt.plot(levels, color="C0", lw=2, label="fused lasso")
plt.title(f"{np.count_nonzero(np.diff(levels)) + 1} levels, proven within {signal.gap_relative:.0e}")
plt.legend(frameon=False)
plt.subplot(2, 1, 2)
plt.plot(truth, color="0.3", lw=1)
plt.plot(model.coef_, color="C0", lw=2)
plt.title(f"coefficients of 200 rows, proven within {model.gap_relative_:.0e}")
plt.tight_layout()
