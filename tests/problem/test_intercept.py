# test_intercept.py - the intercept on its own: c = argmin (1/W) sum_i w_i phi(z_i + c, b_i) for given scores z, against scipy.
# X = {0} keeps x at 0, so that offsets are the scores; sizes from nearly equal to far apart, weights over decades, rare classes.
from reference_run import Checks, Fitted, write_svm, write_table

import numpy as np
import reference

ROWS = 30
SCALES = (0.1, 3.0, 30.0, 300.0, 3000.0)  # of the scores


def make_targets(loss, scale, rare, K, rng):
    if loss == "softmax":
        return np.append(np.arange(3), rng.choice(3, ROWS - 3, p=[0.02, 0.08, 0.9] if rare else None))
    if loss in ("squared", "huber"):
        return 1e4 * rare + scale * rng.normal(size=(ROWS, K))
    return np.append([1.0, -1.0], np.where(rng.random(ROWS - 2) < (0.05 if rare else 0.5), 1, -1))


def check(checks, loss, scale, repeat):
    rng = np.random.default_rng([repeat, int(10 * scale)])
    K = 3 if loss == "softmax" or loss == "squared" and repeat % 3 == 0 else 1
    b = make_targets(loss, scale, repeat % 2 == 1, K, rng)
    offset, w, A = scale * rng.normal(size=(ROWS, K)), rng.random(ROWS) ** (1 + 7 * (repeat % 4 > 1)), np.ones((ROWS, 1))
    p = reference.Problem(A, b, loss, [("l1", np.eye(1), 0.1)], None, 0, ("box", 0, 0), True, w, offset, K)
    labels = b[:, 0] if np.ndim(b) == 2 else b
    targets = ["--targets", write_table("targets.txt", b)] if loss != "softmax" and K > 1 else []
    fit = Fitted(write_svm("data.svm", A, labels), *targets, "--loss", loss, "--set", "box:0,0", "--solver", "lpdhg", "--epochs",
                 1,
                 "--offset", write_table("offset.txt", offset), "--weights", write_table("weights.txt", w))
    name, x = f"{loss}, scores of size {scale}, repeat {repeat}", np.zeros((1, K))
    best = p.value(x, p.best_intercept(x))
    checks.check(np.all(fit.x == 0), f"{name}: x is {fit.x}")
    rounded = 4e-16 * np.abs(p.scores(x, fit.c)).max() * np.abs(p.w[:, None] * p.phi(p.scores(x, fit.c))[1]).sum()  # of our own sums
    checks.check(fit.report["objective"] <= best + 1e-12 * max(best, 1e-3) + rounded,
                 f"{name}: objective {fit.report['objective']:.15g}, best {best:.15g}")
    slope = p.w[:, None] * p.phi(p.scores(x, fit.c))[1]  # as far as the last digit of a large c allows
    room = 1e-9 * np.abs(slope).sum() + 4e-16 * p.kappa * np.abs(p.scores(x, fit.c)).max()
    checks.check(np.all(np.abs(slope.sum(0)) <= room), f"{name}: intercept {fit.c} has slope {slope.sum(0)}")


if __name__ == "__main__":
    tally = Checks()
    for loss in reference.LOSS:
        for scale in SCALES:
            for repeat in range(12):
                check(tally, loss, scale, repeat)
    print(f"intercepts of {len(reference.LOSS)} losses, scores of size {SCALES}: objective, slope")
    tally.end()
