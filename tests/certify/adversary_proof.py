# adversary_proof.py - the short way to "true": the dual point of `fit --certificate`, repaired and bounded in rationals by the independent checker.
# Only alpha and y are taken from the library: rows and targets are the problem's own, and f must be the referee's at three points.
import json
import os
import sys

from gmpy2 import mpfr, mpq

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
from exact_numbers import Rejected  # noqa: E402
from exact_problem import Problem  # noqa: E402
from exact_proof import lower_bound  # noqa: E402


def rows_of(p):
    """As the checker reads them from a file."""
    return [([repr(float(t)) for t in (b if isinstance(b, list) else [b])], [(j, a) for j, a in enumerate(row) if a]) for row, b in zip(p.A, p.b)]


def same_problem(P, e, x, c):
    """f of the checker is that of the referee; the scales of the latter are known to so many digits."""
    top = [max((abs(a[j]) for a in e.A), default=mpq(0)) or mpq(1) for j in range(e.d)]
    near = [(-1) ** (q // 2) * (1 + q % 3) / (2 * e.d * top[q // e.K]) for q in range(e.d * e.K)]
    for at, const in ((x, c), (near, [mpq(0)] * e.K), ([2 * t + s for t, s in zip(near, x)], c)):
        ours, theirs = e.value(at, const), P.value(at, const)
        size = e.lam * sum((abs(v) * sum(abs(row.get(q // e.K, 0.0)) for row in e.p.F) for q, v in enumerate(at)), mpq(0))
        if ours != theirs and not abs(ours - theirs) <= (mpfr(2) ** -180 + 64 * e.doubt) * (abs(ours) + size):
            return False
    return True


def bound(e, folder, w, c, radius, claimed):
    """(f at the coefficients w as written, a lower bound of f), both of the numbers as stored; None: no certificate, or none that the checker can use.
    claimed: f to the bound that is wanted."""
    try:
        with open(os.path.join(folder, "proof.json")) as file:
            certificate = json.load(file)
        P = Problem(certificate, rows_of(e.p))
        x = [mpq(v) * P.scale[q // P.K] for q, v in enumerate(w)]
        alpha, y = ([mpq(t) for t in certificate[key]] for key in ("alpha", "y"))
        low = certificate["alpha_low"]
        alpha = [a + mpq(t) for a, t in zip(alpha, low)] if low else alpha
        if not same_problem(P, e, x, c):
            return None
        f = P.value(x, c)
        return f, lower_bound(P, x, alpha, y, radius, claimed(f))
    except (OSError, ValueError, ArithmeticError, Rejected):
        return None
