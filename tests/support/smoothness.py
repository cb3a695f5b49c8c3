"""L of Assumption 1 a second time, from dense matrices: bounds of lmax(H), H = kappa sum_i w_i a_i a_i', w summing to 1.

constant(p, which) for a reference.Problem p; by_rule(p, solver) is what a solver takes where no L is given.
"""
import numpy as np

BOUNDED = "logistic", "smooth-hinge", "smooth_hinge", "huber", "softmax"  # losses with bounded slopes
FULL = "lpdhg", "lpdhg-const", "gadm"  # no sampling, no noise


def rows_of(p):
    return np.hstack([p.A, np.ones((len(p.A), 1))]) if p.intercept else p.A


def constant(p, which):
    A, drawn = rows_of(p), p.w > 0
    squares = (A**2).sum(1)
    largest, mean = p.kappa * squares[drawn].max(), p.kappa * p.w @ squares
    if which == "max":
        return largest + p.gamma
    bound = min(mean, largest)
    if which == "expected":  # Collatz and Wielandt on the nonnegative Gram matrix
        B, w = np.abs(A[drawn]), p.w[drawn]
        G = p.kappa * np.sqrt(np.outer(w, w)) * (B @ B.T)
        u = np.sqrt(w * squares[drawn])
        for _ in range(2):
            bound, u = min(bound, (G @ u / np.where(u > 0, u, 1)).max()), G @ u
    return bound + p.gamma


def by_rule(p, solver):
    if solver in FULL:
        return constant(p, "expected")
    if p.loss.split(":")[0] not in BOUNDED:
        return constant(p, "max")
    mean = solver.startswith("spdhg-sc") or p.gamma > 0 and solver in ("sadmm", "sgadm")
    return constant(p, "mean" if mean else "expected")
