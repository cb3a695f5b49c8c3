"""exact_proof.py - does a certificate prove its statement about these data? For bench/check-certificate, which tells more."""
from gmpy2 import mpfr, mpq
from exact_numbers import Rejected, h_star, in_set, norm
from exact_problem import Problem, sum_of
from exact_repair import balance, into_ball, normalised, repair


def radius_support(P, R, u):
    """At least the maximum of u'x over x in X, ||x|| <= R."""
    side = [P.high if t > 0 else P.low for t in u]
    free = R * norm([t for t, s in zip(u, side) if s is None]) + sum(t * s for t, s in zip(u, side) if s is not None)
    return min(free, R * norm(u))


def bound_of(P, alpha, y, radius):
    """D, or why it is none."""
    v, v0 = P.residual(alpha, y)
    if P.intercept and any(v0):
        raise Rejected("the alphas do not balance")
    u = [-t for t in v]
    return P.bound_of_losses(alpha) - (radius_support(P, radius, u) if radius is not None else h_star(P.set, P.set_arg, P.gamma, u))


def lower_bound(P, x, alpha, y, radius, wanted):
    """The first bound that reaches what is wanted, or the best; any repair will do."""
    if radius is not None or not P.exact:
        even = normalised(P, alpha)
        return bound_of(P, *into_ball(P, balance(P, even) if P.intercept else even, y), radius)
    sign = 1 if P.low is not None else -1 if P.high is not None else 0
    # What of v is rounding, beside a bound, is for us to guess, and whether rows of F can take it up.
    parts = ((0, 1e-6), (1e-10, 1e-6), (1e-7, 1e-4), (1e-13, 1e-11)) if sign else ((0, 0),)
    best, why = None, None
    for trial in [(*part, along_F, at) for at in ((x, None) if sign else (None,)) for along_F in (True, False) for part in parts]:
        try:
            found = bound_of(P, *into_ball(P, *repair(P, alpha, y, sign, *trial)), radius)
            best = found if best is None else max(best, found)
        except Rejected as reason:
            why = why or reason
        if best is not None and best >= wanted:
            break
    if best is None:
        raise why
    return best


def prove(certificate, file_rows):
    """Sentences of what was verified; raises Rejected."""
    said = certificate["statement"]
    if certificate["format"] != "spdhg certificate" or certificate["version"] != 2 or said["kind"] not in ("certified", "within_radius"):
        raise Rejected("this is no certificate of a kind known here")
    P = Problem(certificate, file_rows)
    x, c, alpha, y = ([mpq(t) for t in certificate[key]] for key in ("x", "constants", "alpha", "y"))
    low = certificate["alpha_low"] or [0.0] * len(alpha)  # the dual point is alpha + low, for twice the digits
    if len(low) != len(alpha):
        raise Rejected("the parts of the certificate do not fit together")
    alpha = [a + mpq(b) for a, b in zip(alpha, low)]
    if [len(x), len(c), len(alpha), len(y)] != [P.d * P.K, P.K, P.n * P.K, len(P.F) * P.K] or len(P.w) != P.n or min(P.w) < 0:
        raise Rejected("the parts of the certificate do not fit together")
    if min([P.gamma, P.arg] + P.lam) < 0 or any(sorted(e for block in blocks for e in block) != list(range(m)) for _, _, _, m, blocks in P.term):
        raise Rejected("a weight is negative, or the blocks of a penalty are not its rows")
    x = [t * P.scale[q // P.K] for q, t in enumerate(x)]  # as penalised
    if not in_set(P.set, P.set_arg, x) or (not P.intercept and any(c)):
        raise Rejected("x is not in X, or there is a constant where there is no intercept")
    objective, gap = mpq(said["objective"]), mpq(said["gap"])
    radius = mpq(said["radius"]) if said["kind"] == "within_radius" else None
    f = P.value(x, c)
    D = lower_bound(P, x, alpha, y, radius, max(f, objective) - gap)
    about = "all x in X" if radius is None else f"x in X with ||x|| <= {float(radius):.6g}"
    tiny = mpfr(2) ** -220 * max(abs(f), abs(D))
    if not (f - D <= gap + tiny and objective - D <= gap + tiny and abs(objective - f) <= gap + tiny):
        raise Rejected(f"f(x, c) = {float(f):.17g} and the bound {float(D):.17g}: their difference is {float(f - D):.3g}, the certificate says {float(gap):.3g}")
    yield f"f(x, c) is {float(f):.17g}; the certificate says {float(objective):.17g}"
    yield f"f is at least {float(D):.17g} for {about}: f(x, c) is within {float(f - D):.3g} of the best possible; the certificate says {float(gap):.3g}"
    if P.sum != certificate["data"]["checksum"]:
        raise Rejected("CHECKSUM: the data has other numbers than what the certificate was made of, though the statement holds")
    yield f"the data are those of the certificate: {P.n} rows, {P.d} features"
    rest = {key: value for key, value in certificate.items() if key != "checksum"}
    if sum_of(rest) != certificate["checksum"]:
        raise Rejected("CHECKSUM: a number of the certificate was changed, though the statement holds")
    yield "no number of the certificate was changed"
