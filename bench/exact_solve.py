"""exact_solve.py - S X = R in rationals by p-adic lifting (Dixon, Exact solution of linear equations using p-adic expansions, 1982), for exact_repair.py.
Rows are made whole numbers. With C the inverse of S modulo a prime p, digits of X to base p are
    x = C r mod p,   r becomes (r - S x)/p,   r = R at first
and after enough of them X is the only fraction that small with that residue (Wang 1981). S X = R is then verified by multiplication: a wrong step cannot
lead to a wrong answer. n^2 operations for each digit in place of n^3 on growing fractions. Few unknowns are eliminated: their fractions may be long,
of the scales of all columns that a chain joins."""
import math

import gmpy2
import numpy as np
from gmpy2 import mpq, mpz

from exact_numbers import Rejected

PRIMES, FIRST, FEW, BLOCK = 5, 32, 24, 32  # primes tried before S counts as singular; digits before the first reading; unknowns that are eliminated


def bits_of(n):
    """Bits of a number such that n + 1 products of two of them add up to less than 2^53, and a double has the sum exactly."""
    return (53 - (n + 1).bit_length()) // 2


def whole(S, right):
    """S and R with whole numbers: every row times a number of its own."""
    out = []
    for s, r in zip(S, right):
        times = mpz(1)
        for t in [*s, *r]:
            times = gmpy2.lcm(times, mpq(t).denominator)
        out.append(([mpz(t * times) for t in s], [mpz(t * times) for t in r]))
    return [s for s, _ in out], [r for _, r in out]


def modulo(x, p):
    """Of whole numbers below 2^53 in doubles: the quotient is rounded, so that it may be one off."""
    x = x - p * np.floor(x / p)
    return np.where(x < 0, x + p, np.where(x >= p, x - p, x))


def by_pivots(T, p):
    """(an order of the rows of the tall T such that its top is regular modulo p, the inverse of that top); None: it has not full rank there."""
    T, order, width = T.copy(), np.arange(len(T)), T.shape[1]
    for q in range(width):
        found = np.flatnonzero(T[q:, q])
        if not len(found):
            return None
        for part in (T, order):
            part[[q, q + found[0]]] = part[[q + found[0], q]]
        factor = modulo(T[q + 1 :, q] * pow(int(T[q, q]), -1, p), p)
        T[q + 1 :, q + 1 :] = modulo(T[q + 1 :, q + 1 :] - np.outer(factor, T[q, q + 1 :]), p)
        T[q + 1 :, q] = factor
    C = np.eye(width)
    for q in range(width):
        C[q + 1 :] = modulo(C[q + 1 :] - np.outer(T[q + 1 : width, q], C[q]), p)
    for q in reversed(range(width)):
        C[q] = modulo(C[q] * pow(int(T[q, q]), -1, p), p)
        C[:q] = modulo(C[:q] - np.outer(T[:q, q], C[q]), p)
    return order, C


def inverse(M, p):
    """Of M modulo the prime p by Gauss and Jordan, some columns at a time; None: it is singular there."""
    A, rows = np.array([[float(t % p) for t in row] for row in M]), np.arange(len(M))
    for k in range(0, len(M), BLOCK):
        J = slice(k, min(k + BLOCK, len(M)))
        found = by_pivots(A[k:, J], p)
        if found is None:
            return None
        order, C = found
        A[k:], rows[k:] = A[k:][order], rows[k:][order]
        top, left = modulo(C @ A[J], p), A[:, J].copy()
        top[:, J], left[J], A[:, J] = C, 0, 0
        A = modulo(A - left @ top, p)
        A[J] = top
    out = np.empty_like(A)
    out[:, rows] = A
    return out


def limbs(M, bits):
    """Matrices of doubles below 2^bits in size that add up to M, with the weights 1, 2^bits, ..."""
    count = max(max(abs(t).bit_length() for row in M for t in row), 1) // bits + 1
    out, mask = np.empty((count, len(M), len(M))), (1 << bits) - 1
    for i, row in enumerate(M):
        for j, t in enumerate(row):
            size, sign = abs(t), -1.0 if t < 0 else 1.0
            for part in range(count):
                out[part, i, j] = sign * float((size >> (part * bits)) & mask)
    return out.reshape(-1, len(M))


def sum_of_parts(made, bits):
    """made[0] + 2^bits made[1] + ..., in whole numbers, by halves."""
    made = [[[mpz(int(t)) for t in line] for line in part] for part in made]
    while len(made) > 1:
        pairs = [[[s + (t << bits) for s, t in zip(*lines)] for lines in zip(low, high)] for low, high in zip(made[::2], made[1::2])]
        made, bits = pairs + made[2 * len(pairs) :], 2 * bits
    return made[0]


class Lifting:
    """The digits of X to base p, so far."""

    def __init__(self, M, right):
        n, self.bits = len(M), bits_of(len(M))
        p = 3 << (self.bits - 2)
        for _ in range(PRIMES):
            p = int(gmpy2.next_prime(p))
            self.C = inverse(M, p)
            if self.C is not None:
                break
        else:
            raise Rejected("no exact repair was found: singular")
        self.p, self.n, self.K = mpz(p), n, len(right[0])
        self.parts, self.r, self.digits = limbs(M, self.bits), [list(r) for r in right], []

    def digit(self):
        low = np.array([[float(t % self.p) for t in row] for row in self.r])
        x = modulo(self.C @ low, float(self.p))
        made = (self.parts @ x).reshape(-1, self.n, self.K)
        self.digits.append(x.astype(np.int64))
        total = sum_of_parts(made, self.bits)
        self.r = [[(r - t) // self.p for r, t in zip(row, line)] for row, line in zip(self.r, total)]

    def residue(self, q, k):
        """(X_qk modulo p^digits, p^digits)"""
        level, power = [mpz(int(x[q, k])) for x in self.digits], self.p
        while len(level) > 1:
            level = [a + power * b for a, b in zip(level[::2], level[1::2])] + level[len(level) - len(level) % 2 :]
            power *= power
        return level[0], self.p ** len(self.digits)


def fraction(t, m):
    """(a, b) with a = b t modulo m, both below sqrt(m/2); None: there is no such fraction."""
    most = gmpy2.isqrt(m // 2)
    r, s = (m, t % m), (mpz(0), mpz(1))
    while r[1] > most:
        q = r[0] // r[1]
        r, s = (r[1], r[0] - q * r[1]), (s[1], s[0] - q * s[1])
    if s[1] == 0 or abs(s[1]) > most:
        return None
    return (r[1], s[1]) if s[1] > 0 else (-r[1], -s[1])


def read(lifting):
    """(numerators, their common denominator), None: too few digits. Most X have the determinant below, so that one division finds it for all."""
    below, above = mpz(1), []
    for q in range(lifting.n):
        for k in range(lifting.K):
            t, m = lifting.residue(q, k)
            found = fraction(t * below % m, m)
            if found is None:
                return None
            top, more = found
            above = [a * more for a in above] + [top] if more != 1 else above + [top]
            below *= more
    return above, below


def holds(M, right, above, below):
    K = len(right[0])
    return all(sum(a * above[q * K + k] for q, a in enumerate(row) if a) == r * below for row, rs in zip(M, right) for k, r in enumerate(rs))


def digits_most(M, right, p):
    """Cramer's rule and Hadamard's bound of determinants: numerators and the denominator are below the product of the rows' lengths."""
    length = 1
    for row, rs in zip(M, right):
        length *= gmpy2.isqrt(sum(t * t for t in row) + max(t * t for t in rs)) + 1
    return int(math.ceil((2 * length.bit_length() + 2) / (p.bit_length() - 1))) + 1


def lift(S, right):
    M, R = whole(S, right)
    lifting = Lifting(M, R)
    most, goal = digits_most(M, R, lifting.p), FIRST
    while True:
        goal = min(goal, most)
        while len(lifting.digits) < goal:
            lifting.digit()
        found = read(lifting)
        if found and holds(M, R, *found):
            above, below = found
            return [[mpq(above[q * lifting.K + k], below) for k in range(lifting.K)] for q in range(lifting.n)]
        if goal == most:
            raise Rejected("no exact repair was found: the digits of a solution do not fit")
        goal *= 2


def eliminate(S, right):
    """By Gauss and Jordan: n^3 operations on fractions that grow with n."""
    n, M = len(S), [list(s) + list(r) for s, r in zip(S, right)]
    for q in range(n):
        best = max(range(q, n), key=lambda i: abs(M[i][q]))
        M[q], M[best] = M[best], M[q]
        if M[q][q] == 0:
            raise Rejected("no exact repair was found: singular")
        for i in range(n):
            if i != q and M[i][q] != 0:
                f = M[i][q] / M[q][q]
                M[i] = [s if t == 0 else s - f * t for s, t in zip(M[i], M[q])]
    return [[t / M[q][q] for t in M[q][n:]] for q in range(n)]


def solve(S, right):
    """X, or Rejected if S is singular."""
    return eliminate(S, right) if len(S) <= FEW else lift(S, right)
