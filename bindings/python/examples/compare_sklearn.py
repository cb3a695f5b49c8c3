# compare_sklearn.py - the same problems as scikit-learn's LogisticRegression, and a proof of how close each answer is to the best.
# LogisticRegression minimises C sum_i loss + (1/2)||w||^2 or + ||w||_1; divided by C n that is gamma or alpha = 1 / (C n).
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import spdhg


def measure(name, X, y, ours, other):
    start = time.perf_counter()
    ours.fit(X, y)
    middle = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other.fit(X, y)
    end = time.perf_counter()
    gap = spdhg.duality_gap(ours, X, y)
    coef = other.coef_ - other.coef_.mean(axis=0) if len(other.coef_) > 1 else other.coef_
    theirs = spdhg.duality_gap(ours, X, y, coef=coef, intercept=other.intercept_, dual=ours.dual_)
    same = np.mean(ours.predict(X) == other.predict(X))
    print(f"{name:22s} spdhg {gap.objective:.8f} (gap {gap.gap:.1e}, {middle - start:.2f} s)   "
          f"scikit-learn {theirs.objective:.8f} (gap {theirs.gap:.1e}, {end - middle:.2f} s)   {100 * same:.1f} % of labels the same")
    return gap, theirs, same


def main():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    C, n = 0.5, len(y)
    results = [measure("breast cancer, ridge", X, y, spdhg.StructuredClassifier(alpha=0, gamma=1 / (C * n)), LogisticRegression(C=C, tol=1e-8)),
               measure("breast cancer, lasso", X, y, spdhg.StructuredClassifier(alpha=1 / (C * n)),
                       LogisticRegression(C=C, penalty="l1", solver="saga", max_iter=5000, tol=1e-6))]
    X, y = load_digits(return_X_y=True)
    X = X / 16
    C, n = 0.1, len(y)
    results.append(measure("digits, ridge", X, y, spdhg.StructuredClassifier(alpha=0, gamma=1 / (C * n)),
                           LogisticRegression(C=C, max_iter=5000, tol=1e-8)))
    for ours, theirs, same in results:
        assert ours.kind == "certified" and ours.relative <= 1e-6
        assert ours.objective <= theirs.objective + 1e-6 * abs(theirs.objective) and same > 0.99
    return results


if __name__ == "__main__":
    main()
