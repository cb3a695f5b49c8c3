# test_exact_solve.py - the linear systems of bench/check-certificate: lifting against elimination, and S X = R multiplied out, on random systems.
import os
import random
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
try:
    from gmpy2 import mpq
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)
from checks import Checks
from exact_numbers import Rejected
from exact_solve import BLOCK, FEW, eliminate, inverse, lift, solve


def system(draw, n, K, dense):
    """Doubles, divided by a scale for each row and each column, as those of repairs are."""
    scale = [mpq(draw.gauss(0, 1)) for _ in range(n)]
    S = [[mpq(draw.gauss(0, 1)) / scale[i] if i == j or draw.random() < dense else mpq(0) for j in range(n)] for i in range(n)]
    return S, [[mpq(draw.gauss(0, 1)) * mpq(10.0 ** -draw.randint(0, 20)) for _ in range(K)] for _ in range(n)]


def refused(solver, S, right):
    try:
        solver(S, right)
    except Rejected:
        return True
    return False


tally = Checks()
check = tally.check
draw = random.Random(16)
for n in (1, 2, 3, 5, 8, 13, FEW + 3):
    for K, dense in ((1, 1.0), (3, 0.4)):
        S, right = system(draw, n, K, dense)
        X = lift(S, right)
        check(X == eliminate(S, right) == solve(S, right), f"{n} unknowns, {K} right sides: lifting and elimination differ")
        check(all(sum(s * x[k] for s, x in zip(row, X)) == r[k] for row, r in zip(S, right) for k in range(K)), f"{n} unknowns: S X is not R")
        zero = lift(S, [[mpq(0)] * K for _ in range(n)])
        check(all(t == 0 for row in zero for t in row), f"{n} unknowns: R = 0")
        twin = [list(S[0]) if i == n - 1 else row for i, row in enumerate(S)]
        if n > 1:
            check(refused(lift, twin, right) and refused(eliminate, twin, right), f"{n} unknowns: a singular system was solved")
for n in (1, 7, BLOCK, 2 * BLOCK + 5):  # C M = 1 modulo a prime, though many leading minors are 0
    M = [[draw.choice([0, 0, draw.randint(-(10**30), 10**30)]) + 1009 * (i == n - 1 - j) for j in range(n)] for i in range(n)]
    C = inverse(M, 1048583)
    check(C is None or all(sum(int(C[i, q]) * M[q][j] for q in range(n)) % 1048583 == (i == j) for i in range(n) for j in range(n)), f"the inverse of {n} rows")
    check(C is not None, f"{n} rows count as singular")
whole = [[mpq(3), mpq(0)], [mpq(1), mpq(1 << 200)]]  # entries that no double holds, an answer of few digits
check(lift(whole, [[mpq(6)], [mpq(2)]]) == [[2], [0]], "long entries")
tally.end(30)
