# fused_lasso.py - FusedLasso: a spectrum in which neighbouring wavelengths act together; fused_lasso: a signal by itself.
import numpy as np

import spdhg


def main():
    rng = np.random.default_rng(1)
    true = np.zeros(80)
    true[20:35], true[50:60] = 1.0, -0.7
    X = rng.normal(size=(120, 80))
    y = X @ true + 2 * rng.normal(size=120)
    fused, plain = spdhg.FusedLasso(alpha=0.15).fit(X, y), spdhg.StructuredRegressor(alpha=0.15).fit(X, y)
    error = [np.abs(model.coef_ - true).mean() for model in (fused, plain)]
    print(f"mean error of a coefficient: {error[0]:.3f} fused, {error[1]:.3f} lasso; proven within {fused.gap_relative_:.0e}")
    assert error[0] < 0.6 * error[1]

    signal = np.repeat([0.0, 2.0, -1.0], 40)
    answer = spdhg.fused_lasso(signal + 0.4 * rng.normal(size=120))
    print(f"alpha {answer.signals[0].alpha:.3g} by points held out, error {np.abs(answer.x - signal).mean():.3f}")
    assert np.abs(answer.x - signal).mean() < 0.15
    return fused


if __name__ == "__main__":
    main()
