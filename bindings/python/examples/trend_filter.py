# trend_filter.py - TrendFilter: an effect that changes slowly with the position; trend_filter: a series with gaps, at uneven times.
import numpy as np

import spdhg


def main():
    rng = np.random.default_rng(2)
    at = np.linspace(0, 1, 50)
    true = np.where(at < 0.4, at, 0.4 - 2 * (at - 0.4))
    X = rng.normal(size=(90, 50))
    model = spdhg.TrendFilter(alpha=0.02).fit(X, X @ true + 0.5 * rng.normal(size=90))
    print(f"error of the coefficients {np.abs(model.coef_ - true).mean():.3f}, gap {model.gap_relative_:.0e}")
    assert np.abs(model.coef_ - true).mean() < 0.08

    time = np.sort(rng.uniform(0, 10, 200))
    clean = np.abs(time - 4)
    series = clean + 0.3 * rng.normal(size=200)
    series[60:70] = np.nan  # filled in
    answer = spdhg.trend_filter(series, positions=time)
    print(f"bends at {time[answer.signals[0].knots].round(1).tolist()} (true: 4), error {np.abs(answer.x - clean).mean():.3f}")
    assert np.isfinite(answer.x).all() and np.abs(answer.x - clean).mean() < 0.12
    return model


if __name__ == "__main__":
    main()
