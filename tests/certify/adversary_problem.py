# adversary_problem.py - one small problem as the command reads it, and its objective in rational numbers.
# Every number of the files is a double, so a rational one. Scores are exact; exp, log and sqrt have as many bits as
# gmpy2's context says (precision()).
import os
from dataclasses import dataclass, field

import gmpy2
from gmpy2 import mpfr, mpq


@dataclass
class Problem:
    family: str
    loss: str                       # as --loss takes it
    A: list                         # n rows of d doubles
    b: list                         # n targets; rows of K numbers for several targets
    K: int = 1
    weights: list = None
    offset: list = None             # K = 1
    penalty: str = "l1"
    structure: str = "identity"     # as --structure takes it; F gives its rows
    F: list = field(default_factory=list)   # rows {column: double}
    groups: list = None             # a number for each row of F
    lam: float = 0.0
    also: float = 0.0               # a power of 2: its product with lambda is exact
    gamma: float = 0.0
    set: str = "all"
    bounds: tuple = ()              # the numbers of the set
    intercept: bool = True
    standardize: bool = False
    csv: bool = False               # the data as a table, without gaps; one target
    solver: tuple = ()              # words that choose another one than the default

    @property
    def d(self):
        return len(self.A[0])

    def words(self):
        """What follows `spdhg fit DATA`; the files are those of write()."""
        out = [*self.solver, *([] if self.csv else ["--features", self.d]), "--loss", self.loss, "--lambda", repr(self.lam), "--gamma", repr(self.gamma),
               "--structure", self.structure, "--penalty", self.penalty, "--set",
               self.set + (":" + ",".join(map(repr, self.bounds)) if self.bounds else ""), "--intercept" if self.intercept else "--no-intercept"]
        if self.also:
            out += ["--also-sparse", repr(self.also)]
        if self.standardize:
            out += ["--standardize"]
        if self.groups:
            out += ["--groups", "groups.txt"]
        if self.weights:
            out += ["--weights", "weights.txt"]
        if self.offset:
            out += ["--offset", "offset.txt"]
        if isinstance(self.b[0], list):
            out += ["--targets", "targets.txt"]
        elif self.loss.partition(":")[0] not in ("squared", "huber", "softmax", "absolute", "quantile"):
            out += ["--allow-one-class"]
        return [str(w) for w in out]

    def write(self, folder):
        def put(name, lines):
            with open(os.path.join(folder, name), "w") as file:
                file.writelines(line + "\n" for line in lines)
        several = isinstance(self.b[0], list)
        if several:
            put("targets.txt", [" ".join(map(repr, row)) for row in self.b])
        for name, column in (("weights", self.weights), ("offset", self.offset), ("groups", self.groups)):
            if column:
                put(name + ".txt", map(repr, column))
        if self.structure.startswith("matrix:"):
            entries = [f"{e + 1} {j + 1} {v!r}" for e, row in enumerate(self.F) for j, v in row.items()]
            put(self.structure[7:], ["%%MatrixMarket matrix coordinate real general", f"{len(self.F)} {self.d} {len(entries)}", *entries])
        elif self.structure.startswith("edges:"):
            put(self.structure[6:], [" ".join([*(str(j + 1) for j in sorted(row, key=lambda j: -row[j])), repr(max(map(abs, row.values())))])
                                     for row in self.F])
        if self.csv:
            put("data.svm", [",".join(f"f{j}" for j in range(self.d)) + ",label"] + [",".join(map(repr, [*a, b])) for a, b in zip(self.A, self.b)])
            return
        put("data.svm", [repr(0.0 if several else b) + "".join(f" {j + 1}:{v!r}" for j, v in enumerate(a) if v)
                         for a, b in zip(self.A, self.b)])


def precision(p):
    """Bits: weights that differ by 2^k make a Hessian of condition 2^2k; collinearity and offsets take up to 200 more."""
    weights = [w for w in p.weights or [1.0] if w > 0]
    return 400 + 3 * int(gmpy2.log2(mpfr(max(weights)) / mpfr(min(weights))))


def deviation(column, weights):
    """The weighted population standard deviation, 1 for a constant column; and how far in parts of it one in doubles may be: few digits far from 0."""
    pairs = [(mpq(a), mpq(w)) for a, w in zip(column, weights) if w > 0]
    W = sum(w for _, w in pairs)
    mean = sum(w * a for a, w in pairs) / W
    square = sum(w * (a - mean) ** 2 for a, w in pairs) / W
    if square == 0:
        return mpq(1), mpfr(0)
    value = gmpy2.sqrt(mpfr(square))
    if value < mpfr(2) ** -1074:  # no double: the column counts as constant
        return mpq(1), mpfr(0)
    return mpq(value), mpfr(2) ** -45 + mpfr(2) ** -48 * max(abs(a) for a, _ in pairs) / value


def log1pexp(t):
    return gmpy2.log1p(gmpy2.exp(t)) if t < 0 else t + gmpy2.log1p(gmpy2.exp(-t))


def singular_sum(Z):
    """Sum of the singular values of an m x K matrix with K <= 3: from the eigenvalues of Z'Z by Jacobi's rotations."""
    K = len(Z[0])
    G = [[sum(row[i] * row[j] for row in Z) for j in range(K)] for i in range(K)]
    for _ in range(60):
        size = sum(abs(G[i][i]) for i in range(K))
        off = [(abs(G[i][j]), i, j) for i in range(K) for j in range(i)]
        if not off or max(off)[0] <= size * mpfr(2) ** (-gmpy2.get_context().precision):
            break
        _, p, q = max(off)
        t = (G[q][q] - G[p][p]) / (2 * G[p][q])
        t = (1 if t >= 0 else -1) / (abs(t) + gmpy2.sqrt(t * t + 1))
        c = 1 / gmpy2.sqrt(t * t + 1)
        s = c * t
        for k in range(K):
            G[k][p], G[k][q] = c * G[k][p] - s * G[k][q], s * G[k][p] + c * G[k][q]
        for k in range(K):
            G[p][k], G[q][k] = c * G[p][k] - s * G[q][k], s * G[p][k] + c * G[q][k]
    return sum(gmpy2.sqrt(max(G[k][k], mpfr(0))) for k in range(K))


class Exact:
    """The problem in rationals. Losses and blocks are given to the oracle too: rows, targets, weights / W, terms."""

    def __init__(self, p):
        gmpy2.get_context().precision = precision(p)
        self.p, self.K, self.d = p, p.K, p.d
        self.loss, _, arg = p.loss.partition(":")
        self.arg = mpq(float(arg or {"huber": 1.345, "quantile": 0.5}.get(self.loss, 1.0)))
        weight = [mpq(w) for w in p.weights or [1.0] * len(p.A)]
        keep = [i for i, w in enumerate(weight) if w > 0]
        W = sum(weight)
        A = [[mpq(v) for v in a] for a in p.A]
        deviations = [deviation([a[j] for a in p.A], p.weights or [1.0] * len(A)) if p.standardize else (mpq(1), mpfr(0)) for j in range(self.d)]
        self.scale, self.doubt = [s for s, _ in deviations], max(d for _, d in deviations)
        self.A = [[v / s for v, s in zip(A[i], self.scale)] for i in keep]
        self.b = self.targets([p.b[i] for i in keep])
        self.o = [mpq(p.offset[i]) if p.offset else mpq(0) for i in keep]
        self.w = [weight[i] / W for i in keep]
        self.gamma, self.lam = mpq(p.gamma), mpq(p.lam)
        self.terms = [(p.penalty, self.lam, self.blocks())] if p.lam > 0 else []
        if p.also and p.lam > 0:
            self.terms.append(("l1", self.lam * mpq(p.also), [[{j: mpq(1)}] for j in range(self.d)]))
        self.bounds = [v if v in (float("inf"), -float("inf")) else mpq(v) for v in p.bounds]

    def targets(self, b):
        if self.loss in ("squared", "huber", "poisson", "absolute", "quantile"):
            return [[mpq(v) for v in row] if isinstance(row, list) else [mpq(row)] for row in b]
        labels = sorted(set(b))
        if self.loss == "softmax":
            return [labels.index(v) for v in b]
        return [mpq(1 if v == labels[-1] else -1) for v in b]

    def blocks(self):
        """Lists of rows of F that the penalty takes together."""
        rows = [{j: mpq(v) for j, v in row.items()} for row in self.p.F]
        if self.p.groups:
            return [[r for r, g in zip(rows, self.p.groups) if g == name] for name in sorted(set(self.p.groups))]
        return [rows] if self.p.penalty in ("linf", "nuclear") else [[r] for r in rows]

    def phi(self, z, i):
        """Loss of row i at the K scores z."""
        b, arg = self.b[i], self.arg
        if self.loss == "softmax":
            top = max(z)
            return mpfr(top - z[b]) + gmpy2.log(sum(gmpy2.exp(mpfr(v - top)) for v in z)) if len(z) > 1 else mpfr(0)
        if self.loss == "squared":
            return sum((v - t) ** 2 for v, t in zip(z, b)) / 2
        if self.loss == "huber":
            e = [abs(v - t) for v, t in zip(z, b)]
            return sum(v * v / 2 if v <= arg else arg * (v - arg / 2) for v in e)
        if self.loss == "poisson":
            return sum(gmpy2.exp(mpfr(v)) - v * t + (t * gmpy2.log(mpfr(t)) - t if t > 0 else 0) for v, t in zip(z, b))
        if self.loss in ("absolute", "quantile"):
            below, above = (1, 1) if self.loss == "absolute" else (arg, mpq(1.0 - float(arg)))
            return sum(max(below * (t - v), above * (v - t)) for v, t in zip(z, b))
        if self.loss == "logistic":
            return log1pexp(mpfr(-b * z[0]))
        m = 1 - b * z[0]
        if self.loss == "squared-hinge":
            return m * m if m > 0 else mpq(0)
        if self.loss == "hinge":
            return max(m, mpq(0))
        return mpq(0) if m <= 0 else m - arg / 2 if m >= arg else m * m / (2 * arg)

    def value(self, x, c):
        """f(x, c); x is d x K flat and on the scale that is penalised. Exact but for the last bits."""
        K = self.K
        x, c = [mpq(v) for v in x], [mpq(v) for v in c]
        total = mpfr(0)
        for i, a in enumerate(self.A):
            z = [sum((a[j] * x[j * K + k] for j in range(self.d) if a[j]), self.o[i]) + c[k] for k in range(K)]
            total += mpfr(self.w[i]) * mpfr(self.phi(z, i))
        total += mpfr(self.gamma / 2 * sum(v * v for v in x))
        for penalty, lam, blocks in self.terms:
            total += mpfr(lam) * sum((self.norm(penalty, block, x) for block in blocks), mpfr(0))
        return total

    def norm(self, penalty, block, x):
        K = self.K
        Z = [[sum((v * x[j * K + k] for j, v in row.items()), mpq(0)) for k in range(K)] for row in block]
        flat = [abs(v) for row in Z for v in row]
        if penalty == "l1":
            return mpfr(sum(flat))
        if penalty == "linf":
            return mpfr(max(flat, default=mpq(0)))
        if penalty == "group":
            return gmpy2.sqrt(mpfr(sum(v * v for v in flat)))
        size = max(flat, default=mpq(0))
        return mpfr(size) * singular_sum([[mpfr(v / size) for v in row] for row in Z]) if size else mpfr(0)

    def outside(self, x):
        """How far x is out of X, relative to X's own size."""
        x, name = [mpq(v) for v in x], self.p.set
        if name == "all":
            return mpq(0)
        if name in ("box", "nonneg"):
            low, high = self.bounds if name == "box" else (mpq(0), float("inf"))
            return max(max((low - v if low != -float("inf") else mpq(0)), (v - high if high != float("inf") else mpq(0)), mpq(0)) for v in x)
        R = self.bounds[0]
        if name == "ball":
            return max(gmpy2.sqrt(mpfr(sum(v * v for v in x))) / R - 1, mpfr(0))
        if name == "l1ball":
            return max(sum(map(abs, x)) / R - 1, mpq(0))
        return max(abs(sum(x) / R - 1), *(-v / R for v in x))
