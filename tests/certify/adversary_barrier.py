# adversary_barrier.py - a small problem as one smooth function of a few hundred bits: a logarithmic barrier.
# Independent of the command: no dual point, no active set, no number of its answer. A barrier of parameter nu at mu is within nu mu of the best
# (Nesterov and Nemirovskii). |s| <= t is -log(t^2 - |s|^2), with t minimised in closed form: t = (mu + sqrt(mu^2 + lam^2 |s|^2)) / lam.
import gmpy2
import numpy as np
from gmpy2 import mpfr, mpq

from adversary_losses import LOSSES, fraction, softmax

INF = float("inf")


def reals(rows):
    out = np.empty((len(rows), len(rows[0]) if rows else 0), object)
    for i, row in enumerate(rows):
        for j, v in enumerate(row):
            out[i, j] = mpfr(v)
    return out


class Unknowns:
    """x = x0 + E xi with rational x0 and E; xi starts inside X. inside: affine forms of xi that must stay above 0."""

    def __init__(self, e, radius):
        n, name = e.d * e.K, e.p.set
        one = lambda j, q, v=1: [mpq(v if k == j else 0) for k in range(q)]
        self.x0, self.E, self.start, self.inside = [mpq(0)] * n, [one(j, n) for j in range(n)], [mpq(0)] * n, []
        self.ball = [r for r in (e.bounds[0] if name == "ball" else None, radius) if r]
        size = [max((abs(a[j // e.K]) for a in e.A), default=0) for j in range(n)]
        near = [min(1 / s if s else mpq(1), radius / (4 * n) if radius else 1 / s if s else mpq(1)) for s in size]
        if name in ("box", "nonneg"):
            low, high = e.bounds if name == "box" else (mpq(0), INF)
            if low == high:
                self.x0, self.E, self.start = [low] * n, [[] for _ in range(n)], []
                return
            self.inside = [(one(j, n), -low) for j in range(n) if low != -INF] + [(one(j, n, -1), high) for j in range(n) if high != INF]
            self.start = [(low + high) / 2 if -INF < low and high < INF else low + s if low > -INF else high - s if high < INF else mpq(0) for s in near]
        elif name == "l1ball":
            self.E = [[mpq((k == j) - (k == j + n)) for k in range(2 * n)] for j in range(n)]
            self.inside = [(one(j, 2 * n), mpq(0)) for j in range(2 * n)] + [([mpq(-1)] * 2 * n, e.bounds[0])]
            self.start = [e.bounds[0] / (4 * n)] * 2 * n
        elif name == "simplex":
            R, q = e.bounds[0], n - 1
            self.x0, self.E = [mpq(0)] * q + [R], [one(j, q) for j in range(q)] + [[mpq(-1)] * q]
            self.inside = [(row, x0) for row, x0 in zip(self.E, self.x0)] if q else []
            self.start = [R / n] * q

    def x(self, xi):
        return [x0 + sum((v * t for v, t in zip(row, xi) if v), mpq(0)) for x0, row in zip(self.x0, self.E)]


class Barrier:
    """Phi(theta, mu) and its derivatives; theta = (xi, c, a t for every linf block, M for every nuclear one)."""

    def __init__(self, exact, radius=None):
        self.e = e = exact
        self.u = Unknowns(e, mpq(radius) if radius else None)
        self.q, K = len(self.u.start), e.K
        self.extra = [(kind, lam, block) for kind, lam, blocks in e.terms if kind in ("linf", "nuclear") for block in blocks if block]
        self.c0 = self.q
        self.first = []
        self.D = self.q + (K if e.p.intercept else 0)
        for kind, _, _ in self.extra:
            self.first.append(self.D)
            self.D += 1 if kind == "linf" else K * (K + 1) // 2
        rows = [self.form({j: v for j, v in enumerate(a) if v}, k, self.c0 + k if e.p.intercept else None) for a in e.A for k in range(K)]
        self.loss_J, off = self.stack(rows)
        self.loss_off = off + np.array([mpfr(o) for o in e.o for _ in range(K)], object)
        self.loss_w = np.array([mpfr(w) for w in e.w for _ in range(1 if e.loss == "softmax" else K)], object)
        self.width = mpfr(e.arg)
        self.kinds()
        self.nu = 2 * len(self.l1_lam) + 2 * len(self.groups) + len(self.log_off) + 2 * len(self.u.ball) + \
            sum(K for kind, _, _ in self.extra if kind == "nuclear")

    def form(self, row, k, constant=None):
        """The affine form sum_j row_j x_jk (+ theta_constant) as (row over theta, offset)."""
        out, off = [mpq(0)] * self.D, mpq(0)
        for j, v in row.items():
            at = j * self.e.K + k
            off += v * self.u.x0[at]
            for i, t in enumerate(self.u.E[at]):
                if t:
                    out[i] += v * t
        if constant is not None:
            out[constant] += 1
        return out, off

    def stack(self, forms):
        J = reals([f[0] for f in forms]) if forms else np.empty((0, self.D), object)
        return J, np.array([mpfr(f[1]) for f in forms], object)

    def kinds(self):
        e, K = self.e, self.e.K
        l1, groups, logs = [], [], [(row + [mpq(0)] * (self.D - self.q), off) for row, off in self.u.inside]
        self.l1_lam, self.nuclear = [], []
        for kind, lam, blocks in e.terms:
            for block in blocks:
                forms = [self.form(row, k) for row in block for k in range(K)]
                if kind == "l1":
                    l1 += forms
                    self.l1_lam += [mpfr(lam)] * len(forms)
                elif kind == "group":
                    groups.append((mpfr(lam), *self.stack(forms)))
        for (kind, lam, block), at in zip(self.extra, self.first):
            forms = [self.form(row, k) for row in block for k in range(K)]
            if kind == "linf":
                for row, off in forms:
                    for sign in (1, -1):
                        logs.append(([sign * v + (i == at) for i, v in enumerate(row)], sign * off))
            else:
                self.nuclear.append((mpfr(lam), at, *self.stack(forms)))
        self.l1_J, self.l1_off = self.stack(l1)
        self.l1_lam = np.array(self.l1_lam, object)
        self.log_J, self.log_off = self.stack(logs)
        self.groups = groups
        self.x_J, self.x_off = self.stack([self.form({j: mpq(1)}, k) for j in range(e.d) for k in range(K)])

    def start(self):
        theta = np.array([mpfr(v) for v in self.u.start] + [mpfr(0)] * (self.D - self.q), object)
        x = self.u.x(self.u.start)
        f0 = self.e.value(x, [0] * self.e.K) or mpfr(2) ** -200
        for (kind, lam, block), at in zip(self.extra, self.first):
            size = 2 * self.e.norm("linf", block, x) + f0 / mpfr(lam)
            if kind == "linf":
                theta[at] = size
            else:
                for i in range(self.e.K):
                    theta[at + i * (i + 1) // 2 + i] = size
        return theta, f0

    def point(self, theta):
        """(x, c) in rationals."""
        c = [mpq(v) for v in theta[self.c0:self.c0 + self.e.K]] if self.e.p.intercept else [mpq(0)] * self.e.K
        return self.u.x([mpq(v) for v in theta[:self.q]]), c

    def losses(self, z, derivatives):
        if self.e.loss == "softmax":
            return softmax(z.reshape(-1, self.e.K), self.e.b, self.loss_w, derivatives)
        b = [t for row in self.e.b for t in (row if isinstance(row, list) else [row])]
        return LOSSES[self.e.loss](z, b, mpfr(self.e.arg), self.width, self.loss_w, derivatives)

    def value(self, theta, mu):
        """Phi, or infinity outside its domain."""
        z = self.log_J @ theta + self.log_off if len(self.log_off) else ()
        if any(v <= 0 for v in z):
            return mpfr(INF)
        total = self.losses(self.loss_J @ theta + self.loss_off, False)[0] - mu * sum((gmpy2.log(v) for v in z), mpfr(0))
        x = self.x_J @ theta + self.x_off
        square = sum((v * v for v in x), mpfr(0))
        total += mpfr(self.e.gamma) / 2 * square
        for R in self.u.ball:
            if square >= R * R:
                return mpfr(INF)
            total -= mu * gmpy2.log(R * R - square)
        if len(self.l1_off):
            for lam, s in zip(self.l1_lam, self.l1_J @ theta + self.l1_off):
                t = (mu + gmpy2.sqrt(mu * mu + (lam * s) ** 2)) / lam
                total += lam * t - mu * gmpy2.log(2 * mu * t / lam)
        for lam, J, off in self.groups:
            s = J @ theta + off
            t = (mu + gmpy2.sqrt(mu * mu + lam * lam * (s @ s))) / lam
            total += lam * t - mu * gmpy2.log(2 * mu * t / lam)
        for (kind, lam, _), at in zip(self.extra, self.first):
            total += mpfr(lam) * theta[at] if kind == "linf" else 0
        for atom in self.nuclear:
            total += fraction(theta, mu, self.e.K, *atom, False)[0]
        return total

    def derivatives(self, theta, mu, flat):
        """Gradient and Hessian; rows of no curvature get `flat` times that of a quadratic above the loss."""
        e, D = self.e, self.D
        _, slope, second, above = self.losses(self.loss_J @ theta + self.loss_off, True)
        g = self.loss_J.T @ slope.ravel()
        if e.loss == "softmax":
            H = np.full((D, D), mpfr(0))
            for i, C in enumerate(second):
                J = self.loss_J[i * e.K:(i + 1) * e.K]
                H = H + J.T @ (C @ J)
        else:
            curve = np.array([s if s > 0 else flat * a for s, a in zip(second, above)], object)
            H = self.loss_J.T @ (curve[:, None] * self.loss_J)
        x, gamma = self.x_J @ theta + self.x_off, mpfr(e.gamma)
        total, square = gamma, x @ x if len(x) else mpfr(0)
        for R in self.u.ball:
            room = R * R - square
            total += 2 * mu / room
            w = self.x_J.T @ x
            H = H + (4 * mu / room ** 2) * np.outer(w, w)
        if total > 0 and self.q:
            g = g + total * (self.x_J.T @ x)
            H = H + total * (self.x_J.T @ self.x_J)
        if len(self.log_off):
            inverse = np.array([1 / v for v in self.log_J @ theta + self.log_off], object)
            g = g - mu * (self.log_J.T @ inverse)
            H = H + mu * (self.log_J.T @ ((inverse * inverse)[:, None] * self.log_J))
        if len(self.l1_off):
            s = self.l1_J @ theta + self.l1_off
            root = np.array([gmpy2.sqrt(mu * mu + (lam * v) ** 2) for lam, v in zip(self.l1_lam, s)], object)
            t = (mu + root) / self.l1_lam
            g = g + self.l1_J.T @ (self.l1_lam * s / t)
            H = H + self.l1_J.T @ ((self.l1_lam / t * mu / root)[:, None] * self.l1_J)
        for lam, J, off in self.groups:
            s = J @ theta + off
            root = gmpy2.sqrt(mu * mu + lam * lam * (s @ s))
            t, w = (mu + root) / lam, J.T @ s
            g = g + lam / t * w
            H = H + lam / t * (J.T @ J) - (lam * lam / (t * t * root)) * np.outer(w, w)
        for (kind, lam, _), at in zip(self.extra, self.first):
            if kind == "linf":
                g[at] += mpfr(lam)
        for atom in self.nuclear:
            _, gn, Hn = fraction(theta, mu, self.e.K, *atom, True)
            g, H = g + gn, H + Hn
        return g, H
