# reference.py - an independent evaluator and solver for small problems, dense numpy: what the command must agree with.
#     f(x,c) = (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + sum_t lambda_t r_t(F_t x)   over x in X, c in R^K
# Written from the definitions (losses, penalties, sets, duality gap in brackets), not from the C code; nothing here is fast.
# x is d x K, c has K numbers, y is a list with an m_t x K array for every term.
import numpy as np
import scipy.optimize

# ---- losses: value and slope of every row for scores z (N x K); b is N x K, for softmax N class numbers


def _logistic(z, b, arg):
    return np.logaddexp(0, -b * z).sum(1), -b * np.exp(-np.logaddexp(0, b * z))


def _squared(z, b, arg):
    return ((z - b) ** 2 / 2).sum(1), z - b


def _squared_hinge(z, b, arg):
    short = np.maximum(0, 1 - b * z)
    return (short**2).sum(1), -2 * b * short


def _smooth_hinge(z, b, eps):
    short = 1 - b * z
    beta = np.clip(short / eps, 0, 1)
    return np.where(short <= 0, 0, np.where(short >= eps, short - eps / 2, short**2 / (2 * eps))).sum(1), -b * beta


def _huber(z, b, delta):
    e = np.abs(z - b)
    return np.where(e <= delta, e**2 / 2, delta * (e - delta / 2)).sum(1), np.clip(z - b, -delta, delta)


def _softmax(z, b, arg):
    total = np.logaddexp.reduce(z, 1)
    slope = np.exp(z - total[:, None])
    slope[np.arange(len(b)), b] -= 1
    return total - z[np.arange(len(b)), b], slope


LOSS = {"logistic": _logistic, "squared": _squared, "squared-hinge": _squared_hinge, "smooth-hinge": _smooth_hinge,
        "huber": _huber, "softmax": _softmax}
DEFAULT = {"smooth-hinge": 1.0, "huber": 1.345}
CURVATURE = {"logistic": lambda a: 0.25, "squared": lambda a: 1.0, "squared-hinge": lambda a: 2.0,
             "smooth-hinge": lambda a: 1 / a, "huber": lambda a: 1.0, "softmax": lambda a: 0.5}

# ---- projections, textbook versions


def project_simplex(v, radius):
    """Nearest point of { p >= 0, sum p = radius }: sort, find the threshold."""
    u = np.sort(v.ravel())[::-1]
    excess = (np.cumsum(u) - radius) / np.arange(1, u.size + 1)
    return np.maximum(v - excess[np.nonzero(u > excess)[0][-1]], 0)


def project_l1(v, radius):
    return v if np.abs(v).sum() <= radius else np.sign(v) * project_simplex(np.abs(v), radius)


SET = {"all": lambda x, a: x, "ball": lambda x, a: x * min(1, a[0] / max(np.linalg.norm(x), 1e-300)),
       "box": lambda x, a: np.clip(x, a[0], a[1]), "nonneg": lambda x, a: np.maximum(x, 0),
       "l1ball": lambda x, a: project_l1(x, a[0]), "simplex": lambda x, a: project_simplex(x, a[0])}
# Support functions max { u'x : x in X } of the bounded sets.
SUPPORT = {"ball": lambda u, a: a[0] * np.linalg.norm(u), "box": lambda u, a: np.maximum(a[0] * u, a[1] * u).sum(),
           "l1ball": lambda u, a: a[0] * np.abs(u).max(), "simplex": lambda u, a: a[0] * u.max()}


class Term:
    """lambda r(F x); groups: a number for every row of F. Without them group acts on rows, linf and nuclear on all of F x."""

    def __init__(self, penalty, F, weight, groups=None):
        self.penalty, self.F, self.weight = penalty, np.asarray(F, float), float(weight)
        m = len(self.F)
        if groups is None:
            groups = np.arange(m) if penalty in ("l1", "group") else np.zeros(m, int)
        self.blocks = [np.flatnonzero(np.asarray(groups) == g) for g in np.unique(groups)]

    def value(self, z):
        if self.penalty == "l1":
            return self.weight * np.abs(z).sum()
        one = {"group": np.linalg.norm, "linf": lambda v: np.abs(v).max(), "nuclear": lambda v: np.linalg.svd(v)[1].sum()}
        return self.weight * sum(one[self.penalty](z[rows]) for rows in self.blocks)

    def project(self, y):
        """Onto lambda Y, the ball whose support function is lambda r."""
        if self.penalty == "l1":
            return np.clip(y, -self.weight, self.weight)
        out = y.copy()
        for rows in self.blocks:
            if self.penalty == "nuclear":
                U, s, V = np.linalg.svd(y[rows], full_matrices=False)
                out[rows] = (U * np.minimum(s, self.weight)) @ V
            else:
                out[rows] = SET["ball" if self.penalty == "group" else "l1ball"](y[rows], [self.weight])
        return out

    def radius(self, K):
        """max ||y|| over lambda Y."""
        if self.penalty == "l1":
            return self.weight * np.sqrt(len(self.F) * K)
        rank = min(len(self.F), K) if self.penalty == "nuclear" else 1
        return self.weight * np.sqrt(rank * len(self.blocks))


class Problem:
    def __init__(self, A, b, loss, terms, arg=None, gamma=0.0, set=("all",), intercept=False, weights=None, offset=None, K=1):
        self.A, (N, self.d), self.K = np.asarray(A, float), np.shape(A), K
        self.loss, self.arg = loss, DEFAULT.get(loss) if arg is None else arg
        self.b = np.asarray(b, int) if loss == "softmax" else np.asarray(b, float).reshape(N, K)
        self.terms = [t if isinstance(t, Term) else Term(*t) for t in terms]
        self.gamma, self.set, self.bound, self.intercept = gamma, set[0], set[1:], intercept
        w = np.ones(N) if weights is None else np.asarray(weights, float)
        self.w = w / w.sum()
        self.offset = np.zeros((N, K)) if offset is None else np.asarray(offset, float).reshape(N, K)
        self.kappa = CURVATURE[loss](self.arg)

    # -- evaluation
    def scores(self, x, c=None):
        return self.A @ x + self.offset + (0 if c is None else c)

    def phi(self, z):
        return LOSS[self.loss](z, self.b, self.arg)

    def train_loss(self, x, c):
        return self.w @ self.phi(self.scores(x, c))[0]

    def penalty(self, x):
        return sum(t.value(t.F @ x) for t in self.terms)

    def value(self, x, c):
        return self.train_loss(x, c) + self.gamma / 2 * (x**2).sum() + self.penalty(x)

    def gradient(self, x, c):
        """Of the loss alone, by x and by c."""
        slope = self.w[:, None] * self.phi(self.scores(x, c))[1]
        return self.A.T @ slope, slope.sum(0)

    def project(self, x):
        return SET[self.set](x, self.bound)

    def best_intercept(self, x):
        z = self.scores(x)
        if not self.intercept:
            return np.zeros(self.K)
        if self.loss == "softmax":  # in coordinates of { sum c = 0 }
            basis = np.linalg.svd(np.ones((1, self.K)))[2][1:]

            def slope(r):
                return basis @ (self.w @ self.phi(z + r @ basis)[1])

            def hessian(r):
                q = np.exp(z + r @ basis - np.logaddexp.reduce(z + r @ basis, 1)[:, None])
                return basis @ (np.diag(self.w @ q) - (q * self.w[:, None]).T @ q) @ basis.T

            r = scipy.optimize.minimize(lambda r: self.w @ self.phi(z + r @ basis)[0], np.zeros(self.K - 1), method="trust-exact",
                                        jac=slope, hess=hessian).x
            for _ in range(3):  # the last digits, which a method that compares values cannot see
                r = min(r, r - np.linalg.lstsq(hessian(r), slope(r), None)[0], key=lambda v: np.linalg.norm(slope(v)))
            return r @ basis
        c = np.zeros(self.K)
        for k in range(self.K):
            far, slope = 1.0, lambda t: self.w @ self.phi(z + t)[1][:, k]
            while slope(-far) > 0 or slope(far) < 0:
                far *= 2
            c[k] = scipy.optimize.brentq(slope, -far, far, xtol=1e-15, rtol=1e-15)
        return c

    # -- duality
    def gap(self, x, c, y):
        """(upper bound on f(x,c) - f*, how it is known) for x in X and y in the lambda Y: three brackets, none negative. The
        first, Fenchel-Young of the losses, is 0 because alpha_i = phi'(z_i). "certified" holds for every x*, c*; "within_radius"
        only for those no farther than 10 (1 + norm) out: without ridge or bound v must be 0 and is only nearly so."""
        v, vc = self.gradient(x, c)
        v = v + sum(t.F.T @ u for t, u in zip(self.terms, y))
        far, kind = 10 * (1 + np.linalg.norm(x)), "certified"
        if self.gamma > 0:
            P = self.project(-v / self.gamma)
            primal = self.gamma / 2 * ((x**2).sum() - (P**2).sum()) + (v * (x - P)).sum()
        elif self.set in SUPPORT:
            primal = SUPPORT[self.set](-v, self.bound) + (v * x).sum()
        else:
            primal, kind = far * np.linalg.norm(np.minimum(v, 0) if self.set == "nonneg" else v) + (v * x).sum(), "within_radius"
        if self.intercept:
            primal, kind = primal + vc @ c + 10 * (1 + np.linalg.norm(c)) * np.linalg.norm(vc), "within_radius"
        dual = sum(t.value(t.F @ x) - (u * (t.F @ x)).sum() for t, u in zip(self.terms, y))
        return max(primal, 0) + max(dual, 0), kind

    def solve(self, tol=1e-9, most=40000):
        """The optimum by PD3O with exact norms; the intercept is a free coordinate with a column of ones. Returns x, c, y,
        f(x,c) and a bound on f(x,c) - f*, at most tol max(1, f) unless `most` iterations were not enough."""
        d, K, m = self.d, self.K, [len(t.F) for t in self.terms]
        A = np.hstack([self.A, np.ones((len(self.A), 1))]) if self.intercept else self.A
        F = np.hstack([np.vstack([t.F for t in self.terms]), np.zeros((sum(m), A.shape[1] - d))])
        L = self.kappa * np.linalg.norm(np.sqrt(self.w)[:, None] * A, 2) ** 2 + self.gamma
        tau = 1.8 / L
        s = 1 / (tau * max(np.linalg.norm(F, 2), 1e-12) ** 2)
        cut = np.cumsum(m)[:-1]
        q, y = np.zeros((A.shape[1], K)), np.zeros((sum(m), K))
        for k in range(most + 1):
            x = np.vstack([self.project(q[:d]), q[d:]])
            if k % 100 == 0:
                c = self.best_intercept(x[:d])
                f, (error, _) = self.value(x[:d], c), self.gap(x[:d], c, np.split(y, cut))
                if error <= tol * max(1, f):
                    break
            slope = self.w[:, None] * self.phi(A @ x + self.offset)[1]
            G = A.T @ slope
            G[:d] += self.gamma * x[:d]
            y = y + s * (F @ (2 * x - q - tau * (G + F.T @ y)))
            y = np.vstack([t.project(u) for t, u in zip(self.terms, np.split(y, cut))])
            q = x - tau * (G + F.T @ y)
        return x[:d], c, np.split(y, cut), f, error


# ---- structures and scales as dense matrices


def differences(d, order=1):
    """chain: order 1; trend:q: order q + 1."""
    return np.diff(np.eye(d), order, axis=0)


def grid(height, width):
    """Differences of an image towards the next row and the next column, and the pixel each belongs to."""
    rows, pixel = [], []
    for j in range(height * width):
        for step, inside in ((width, j // width < height - 1), (1, j % width < width - 1)):
            if inside:
                rows.append(np.eye(height * width)[j + step] - np.eye(height * width)[j])
                pixel.append(j)
    return np.array(rows), np.array(pixel)


def edges(lines, d):
    """w (x_i - x_j), or |w| (x_i + x_j) for w < 0; i and j count from 0."""
    F = np.zeros((len(lines), d))
    for row, (i, j, w) in zip(F, lines):
        row[i], row[j] = abs(w), -w
    return F


def deviations(A, weights=None):
    """Weighted population standard deviation of the columns; 1 for constant ones."""
    w = np.ones(len(A)) if weights is None else np.asarray(weights, float)
    A, w = A[w > 0], w[w > 0] / w.sum()
    return np.where(np.ptp(A, 0) == 0, 1, np.sqrt(w @ (A - w @ A) ** 2))
