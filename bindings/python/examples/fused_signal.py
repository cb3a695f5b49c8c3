# fused_signal.py - a signal that jumps a few times, from noisy samples: the fused lasso, its strength chosen by bic along a path.
import numpy as np

import spdhg


def main():
    rng = np.random.default_rng(0)
    signal = np.repeat([0.0, 3.0, 1.0, -1.0, 0.5], [30, 20, 40, 25, 35])
    noisy = signal + 0.5 * rng.normal(size=signal.size)
    model = spdhg.StructuredRegressorCV(structure="chain", choose="bic", n_alphas=40, fit_intercept=False).fit(np.eye(signal.size), noisy)
    jumps = np.flatnonzero(np.abs(np.diff(model.coef_)) > 1e-9) + 1
    before, after = np.sqrt(np.mean((noisy - signal) ** 2)), np.sqrt(np.mean((model.coef_ - signal) ** 2))
    print(f"jumps at {jumps.tolist()} (true: [30, 50, 90, 115])")
    print(f"error {before:.2f} before, {after:.2f} after; alpha {model.alpha_:.3g} of {len(model.alphas_)} tried, gap {model.gap_relative_:.1e}")
    assert after < 0.5 * before
    assert all(np.abs(jumps - true).min() <= 3 for true in (30, 50, 90, 115))
    return model


if __name__ == "__main__":
    main()
