"""
A path over the penalty, and the model it chooses
=================================================

Sixty neighbouring wavelengths, some bands of which decide. ``fit_path`` computes the models of all penalties, each with
its proof, and cross-validates them. On the command line: ``spdhg path spectra.csv --loss squared --structure chain``.
"""
import matplotlib.pyplot as plt
import numpy as np

import spdhg

rng = np.random.default_rng(7)
truth = np.repeat([0.0, 0.5, 0.0, -0.4, 0.0], [10, 12, 14, 8, 16])
X = rng.standard_normal((300, 60))
y = X @ truth + rng.standard_normal(300)

model = spdhg.StructuredRegressorCV(structure="chain", cv=5, n_alphas=30).fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
left.errorbar(model.alphas_, model.cv_results_["mean_test_score"], model.cv_results_["std_test_score"] / np.sqrt(5), fmt=".", capsize=2)
left.axvline(model.alpha_, color="0.5", lw=1)
left.set(xscale="log", xlabel="alpha", ylabel="score on rows held out")
right.step(range(60), truth, color="0.5", where="mid", label="truth")
right.step(range(60), model.coef_, where="mid", label="chosen")
right.set_xlabel("wavelength")
right.legend(frameon=False)
plt.tight_layout()
