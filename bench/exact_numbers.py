"""exact_numbers.py - losses phi with their conjugates, and sets X with h*, for bench/check-certificate: rationals (mpq) in, rationals out, or
floating-point numbers of 256 bits (mpfr) where a logarithm, exponential or root is needed. docs/problem.md has the definitions."""
import gmpy2
from gmpy2 import mpfr, mpq

gmpy2.get_context().precision = 256


class Rejected(Exception):
    """The certificate does not prove what it says, or not by means known here."""


# ---- losses: phi, phi*, and how far alpha is from the end of its domain (0: outside or at it); b of one row, k an output


def xlogx(p):
    return p * gmpy2.log(p) if p > 0 else mpfr(0)


def loss(name, arg, z, b):
    if name == "softmax":
        top = max(z)
        return gmpy2.log(sum(gmpy2.exp(t - top) for t in z)) + top - z[int(b[0])]
    return sum(scalar_loss(name, arg, z[k], b[k]) for k in range(len(z)))


def slopes(name, arg, b):
    """The two slopes of a loss with a corner at z = b, or None. 1 - TAU is the double that the library uses."""
    if name == "hinge":
        return (mpq(-1), mpq(0)) if b > 0 else (mpq(0), mpq(1))
    return {"absolute": (mpq(-1), mpq(1)), "quantile": (-mpq(arg), mpq(1.0 - float(arg)))}.get(name)


def scalar_loss(name, arg, z, b):
    corner = slopes(name, arg, b)
    if corner:
        return max(corner[0] * (z - b), corner[1] * (z - b))
    if name == "logistic":
        return gmpy2.log1p(gmpy2.exp(-abs(b * z))) + max(-b * z, 0)
    if name == "squared":
        return (z - b) ** 2 / 2
    if name == "poisson":
        return gmpy2.exp(z) - b * z + xlogx(mpfr(b)) - b
    if name == "huber":
        return (z - b) ** 2 / 2 if abs(z - b) <= arg else arg * (abs(z - b) - arg / 2)
    m = max(1 - b * z, 0)
    return m**2 if name == "squared-hinge" else m**2 / (2 * arg) if m < arg else m - arg / 2


def conjugate(name, arg, alpha, b):
    if name == "softmax":
        q = [a + (k == int(b[0])) for k, a in enumerate(alpha)]
        if sum(alpha) != 0 or min(q) < 0:
            raise Rejected("alpha is outside of the domain")
        return sum(xlogx(mpfr(p)) for p in q)
    return sum(scalar_conjugate(name, arg, alpha[k], b[k]) for k in range(len(alpha)))


def scalar_conjugate(name, arg, alpha, b):
    corner = slopes(name, arg, b)
    if corner:
        if not corner[0] <= alpha <= corner[1]:
            raise Rejected("alpha is outside of the domain")
        return b * alpha
    p = -b * alpha
    inside = {"logistic": 0 <= p <= 1, "smooth-hinge": 0 <= p <= 1, "squared-hinge": p >= 0, "huber": abs(alpha) <= arg, "squared": True, "poisson": alpha + b >= 0}
    if not inside[name]:
        raise Rejected("alpha is outside of the domain")
    if name == "logistic":
        return xlogx(mpfr(p)) + xlogx(mpfr(1 - p))
    if name == "poisson":
        return xlogx(mpfr(alpha + b)) - xlogx(mpfr(b)) - alpha
    return {"squared": alpha**2 / 2 + b * alpha, "huber": alpha**2 / 2 + b * alpha, "squared-hinge": alpha**2 / 4 - p, "smooth-hinge": p * (arg * p / 2 - 1)}[name]


def slack(name, arg, alpha, b):
    if name == "softmax":
        return min(min(float(a) + (k == int(b[0])), 1 - float(a) - (k == int(b[0]))) for k, a in enumerate(alpha))
    if name == "poisson":
        return min(float(a + b[k]) for k, a in enumerate(alpha))
    if slopes(name, arg, b[0]):
        ends = [slopes(name, arg, t) for t in b]
        return min(float(min(a - low, high - a)) for a, (low, high) in zip(alpha, ends))
    p = [float(-b[k] * a) for k, a in enumerate(alpha)]
    far = {"squared": lambda t: 1.0, "huber": lambda t: float(arg) - abs(t), "squared-hinge": lambda t: t}.get(name, lambda t: min(t, 1 - t))
    return min(map(far, p))


# ---- the set X: is x in it, and h*(u) = max over X of u'x - (gamma/2)||x||^2


def norm(u):
    return gmpy2.sqrt(mpfr(sum(t * t for t in u)))


def on_simplex(u, R):
    """The point of { x >= 0, sum x = R } nearest to u."""
    total, cut = mpq(0), mpq(0)
    for count, t in enumerate(sorted(u, reverse=True), 1):
        total += t
        if t <= (total - R) / count:
            break
        cut = (total - R) / count
    return [max(t - cut, mpq(0)) for t in u]


def sides(kind, arg):
    low, high = (arg if kind == "box" else [0, None] if kind == "nonneg" else [None, None])
    return (None if low is None else mpq(low)), (None if high is None else mpq(high))


def in_set(kind, arg, x):
    low, high = sides(kind, arg)
    size = {"ball": lambda: norm(x), "l1ball": lambda: sum(map(abs, x)), "simplex": lambda: sum(x)}.get(kind)
    inside = all((low is None or t >= low) and (high is None or t <= high) and (kind != "simplex" or t >= 0) for t in x)
    near = mpq(1, 10**12)
    return inside and (size is None or size() <= mpq(arg[0]) * (1 + near)) and (kind != "simplex" or size() >= mpq(arg[0]) * (1 - near))


def h_star(kind, arg, gamma, u):
    R = mpq(arg[0]) if kind in ("ball", "l1ball", "simplex") else None
    if kind in ("all", "box", "nonneg"):
        low, high = sides(kind, arg)
        if gamma == 0 and any((t > 0 and high is None) or (t < 0 and low is None) for t in u):
            raise Rejected("-v is outside of the domain of h*")
        if gamma == 0:
            return sum((t * (high if t > 0 else low) for t in u if t != 0), mpq(0))
        P = [t / gamma if low is None else max(t / gamma, low) for t in u]
        P = [t if high is None else min(t, high) for t in P]
    elif kind == "ball":
        size = norm(u)
        return R * size - gamma * R * R / 2 if size >= gamma * R else size * size / (2 * gamma)
    elif gamma == 0:
        return R * (max(map(abs, u)) if kind == "l1ball" else max(u))
    else:
        P = [t / gamma for t in u]
        if kind == "simplex":
            P = on_simplex(P, R)
        elif sum(map(abs, P)) > R:
            P = [gmpy2.sign(t) * s for t, s in zip(P, on_simplex([abs(t) for t in P], R))]
    return sum((t * s - gamma / 2 * s * s for t, s in zip(u, P)), mpq(0))
