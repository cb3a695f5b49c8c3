# adversary_path.py - along the barrier's path: points u whose f(u) falls to the minimum, each with a bound of how far it still is.
# Newton's method with a step length; Levenberg's term keeps directions that change nothing (exact collinearity) at rest.
import gmpy2
import numpy as np
from gmpy2 import mpfr

from adversary_barrier import Barrier

CORNERS = ("hinge", "absolute", "quantile")

FLAT = [mpfr(2) ** -120, mpfr(2) ** -24, mpfr(2) ** -8, mpfr(1)]  # how much curvature rows without any get, should less not do
STEPS, SHRINK = 400, 40  # Newton steps in all; how small mu becomes beside f, in digits


def solve(H, g):
    """-(H + a little)^-1 g by Cholesky, after scaling H to a unit diagonal."""
    D = len(g)
    scale = np.array([1 / gmpy2.sqrt(H[j, j]) if H[j, j] > 0 else mpfr(1) for j in range(D)], object)
    L = H * scale[:, None] * scale[None, :]
    little = mpfr(2) ** (-int(0.6 * gmpy2.get_context().precision))
    b = -g * scale
    for j in range(D):
        if j:
            L[j:, j] = L[j:, j] - L[j:, :j] @ L[j, :j]
        L[j, j] = gmpy2.sqrt(max(L[j, j], mpfr(0)) + little)
        L[j + 1:, j] = L[j + 1:, j] / L[j, j]
    for j in range(D):
        b[j] = (b[j] - (L[j, :j] @ b[:j] if j else 0)) / L[j, j]
    for j in reversed(range(D)):
        b[j] = (b[j] - (L[j + 1:, j] @ b[j + 1:] if j + 1 < D else 0)) / L[j, j]
    return b * scale


def longest(barrier, theta, step):
    """The largest length at most 1 that keeps all affine forms above 0."""
    t = mpfr(1)
    if len(barrier.log_off):
        for v, s in zip(barrier.log_J @ theta + barrier.log_off, barrier.log_J @ step):
            if s < 0 and -v / s * mpfr("0.99") < t:
                t = -v / s * mpfr("0.99")
    return t


def search(barrier, theta, mu, step, fall, value, halvings):
    t = longest(barrier, theta, step)
    for _ in range(halvings):
        trial = theta + t * step
        reached = barrier.value(trial, mu)
        if reached <= value - t * fall / 10000:
            return trial, reached, t
        t /= 2
    return None, value, t


def newton(barrier, theta, mu, enough, budget):
    """Yields (theta, decrement squared, whether it bounds what is left); ends once that is at most `enough`, or when nothing lowers Phi."""
    value, level = barrier.value(theta, mu), 0
    nothing = mpfr(2) ** (64 - gmpy2.get_context().precision)
    while budget[0] > 0:
        found = None
        while found is None and level < len(FLAT) and budget[0] > 0:
            budget[0] -= 1
            g, H = barrier.derivatives(theta, mu, FLAT[level])
            step = solve(H, g)
            fall = -(g @ step)
            if level == 0 and fall <= nothing * abs(value):
                yield theta, abs(fall), True
                return
            last = level + 1 == len(FLAT)
            found, reached, t = search(barrier, theta, mu, step, fall, value, 80 if last else 8) if fall > 0 else (None, value, 0)
            if found is None:
                level += 1
        if found is None:
            return
        theta, value = found, reached
        yield theta, fall, t == 1 and level == 0
        if fall <= enough and t == 1:
            return
        level = max(level - 1, 0)


CORNER = mpfr("1e-30")  # of its targets: a corner rounded over this width


def widths(exact):
    """Of the quadratic part of a loss with kinks: from wide to its own. A corner has none, and gets a tiny one."""
    corners = exact.loss in CORNERS
    numbers = exact.loss in ("huber", "absolute", "quantile")
    wide = (max((abs(mpfr(v)) for b in exact.b for v in b), default=1) or mpfr(1)) if numbers else mpfr(1)
    out = [CORNER * wide if corners else mpfr(exact.arg)]
    if corners or exact.loss in ("huber", "smooth-hinge"):
        while out[0] < wide / 10:
            out.insert(0, out[0] * (1000 if corners else 10))
    return out[-40:]


def path(exact, radius=None):
    """Yields (x, c, f(x, c), slack): points with f(x, c) - min f at most about slack (None: not yet known)."""
    barrier, budget = Barrier(exact, radius), [STEPS]
    theta, f0 = barrier.start()

    def told(slack):
        x, c = barrier.point(theta)
        return x, c, exact.value(x, c), slack

    if barrier.D == 0:
        yield told(mpfr(0))
        return
    mu = f0 / 10 if barrier.nu else mpfr(1)
    for barrier.width in widths(exact)[:-1]:
        for theta, fall, _ in newton(barrier, theta, mu, f0 / 1000, budget):
            pass
    barrier.width = widths(exact)[-1]
    if barrier.nu == 0:
        for theta, fall, full in newton(barrier, theta, mu, f0 * mpfr(2) ** -330, budget):
            yield told(4 * fall if full else None)
        return
    f = f0
    while mu > min(f, f0) * mpfr(10) ** -SHRINK and budget[0] > 0:
        fall, full = mpfr(0), True
        for theta, fall, full in newton(barrier, theta, mu, mu / 100, budget):
            pass
        centred = full and fall <= mu / 100
        out = told((barrier.nu + gmpy2.sqrt(mpfr(barrier.nu))) * mu + 2 * fall if centred else None)
        yield out
        f = out[2]
        mu /= 40
