# test_iterates_admms.py - the first 3 iterates of the ADMMs and lpdhg-const against dense transcriptions of their equations.
# Written with the multiplier w and the proximal map of the penalty (the command has y = -w and projections), and explicit means.
from reference_run import Checks, Fitted, asked, write_matrix, write_svm

import numpy as np
import reference
import sampling
import smoothness

ROWS, FEATURES, STEPS = 16, 5, 3
SEED = 2


class Following:
    """One problem and one run: the constants as the help texts define the defaults, the draws, and what the methods share."""

    def __init__(self, p, batch, given):
        self.p, self.batch, self.given = p, batch, given
        self.F = np.vstack([t.F for t in p.terms])
        self.cut = np.cumsum([len(t.F) for t in p.terms])[:-1]
        self.bound = p.kappa * ((p.A**2).sum(1).max() + p.intercept)  # of the loss alone
        self.norm2 = sum(min((t.F**2).sum(), (np.abs(t.F) @ np.abs(t.F).T).sum(1).max()) for t in p.terms)
        self.x, self.c = np.zeros((p.d, p.K)), np.zeros(p.K)
        self.z = self.w = np.zeros((len(self.F), p.K))

    def get(self, name, default):
        return self.given.get(name, default)

    def rows(self, k):
        return sampling.rows(SEED, k, self.batch, ROWS)

    def slopes(self):
        return self.p.phi(self.p.scores(self.x, self.c))[1]

    def gradient(self, rows, ridge):
        s = self.slopes()[rows] / len(rows)
        return self.p.A[rows].T @ s + ridge * self.x, s.sum(0)

    def move(self, c):
        self.c = c if self.p.intercept else self.c

    def each(self, method, v):
        return np.vstack([method(t, u) for t, u in zip(self.p.terms, np.split(v, self.cut))])

    def prox(self, v, rho):
        """argmin_z lambda r(z) + (rho/2)||z - v||^2: soft thresholding of numbers (l1) or of rows (group)."""
        def shrink(t, u):
            size = np.abs(u) if t.penalty == "l1" else np.linalg.norm(u, axis=1, keepdims=True)
            return u * np.maximum(1 - t.weight / rho / np.maximum(size, 1e-300), 0)
        return self.each(shrink, v)

    def tail(self, rho):
        self.z = self.prox(self.F @ self.x - self.w / rho, rho)
        self.w = self.w - rho * (self.F @ self.x - self.z)
        return self.x, -self.w

    def solve(self, H, right):
        """(H + rho F'F) x = right for x as one vector of d K numbers, H a matrix."""
        M = H + self.rho * np.kron(self.F.T @ self.F, np.eye(self.p.K))
        return np.linalg.solve(M, right.ravel()).reshape(self.x.shape)


def sadmm(f):
    p, L, f.rho = f.p, f.get("L", smoothness.by_rule(f.p, "sadmm")), f.get("rho", 1)
    for t in range(1, STEPS + 1):
        g, gc = f.gradient(f.rows(t - 1), p.gamma)
        eta = 1 / (L + (p.gamma * t if p.gamma else f.get("theta", 1) * np.sqrt(t)))
        f.move(f.c - eta * gc)
        f.x = f.solve(np.eye(f.x.size) / eta, f.x / eta - g + f.F.T @ (f.rho * f.z + f.w))
        yield f.tail(f.rho)


def sadmm_sc2(f):
    """Azadi and Sra: the averages themselves, weights t = 1, 2, ... of x_t (before the step) and of the multiplier behind it."""
    p, L, f.rho = f.p, f.get("L", smoothness.by_rule(f.p, "sadmm")), f.get("rho", 1)
    past = []
    for t in range(1, STEPS + 1):
        before, eta = f.x, 2 / (p.gamma * (t + 1) + 2 * L)
        g, gc = f.gradient(f.rows(t - 1), p.gamma)
        f.move(f.c - eta * gc)
        f.x = f.solve(np.eye(f.x.size) / eta, f.x / eta - g + f.F.T @ (f.rho * f.z + f.w))
        past.append((t, before, f.tail(f.rho)[1]))
        total = sum(w for w, _, _ in past)
        yield sum(w * x for w, x, _ in past) / total, sum(w * y for w, _, y in past) / total


def opg_admm(f):
    p, L = f.p, f.get("L", f.bound + f.p.gamma)
    rho, eta0 = f.get("rho", (f.bound + p.gamma) / f.norm2), f.get("eta0", 1 / p.gamma if p.gamma else 1)
    for t in range(1, STEPS + 1):
        g, gc = f.gradient(f.rows(t - 1), p.gamma)
        eta = 1 / (L + (t if p.gamma else np.sqrt(t)) / eta0)
        gam = 1 + rho * eta * f.norm2
        f.x = p.project(f.x - eta / gam * (g - f.F.T @ (f.w - rho * (f.F @ f.x - f.z))))
        f.move(f.c - eta * gc)
        yield f.tail(rho)


def rda_admm(f):
    p, L = f.p, f.get("L", f.bound + f.p.gamma)
    rho, eta0 = f.get("rho", (f.bound + p.gamma) / f.norm2), f.get("eta0", 1 / p.gamma if p.gamma else 1)
    past = []
    for t in range(1, STEPS + 1):
        past.append((*f.gradient(f.rows(t - 1), 0), f.w, f.x, f.z))
        g, gc, w, x, z = (sum(v) / t for v in zip(*past))
        eta = t / (L + ((1 + np.log(t)) if p.gamma else np.sqrt(t)) / eta0)
        gam = 1 + rho * eta / t * f.norm2
        f.x = p.project(-(g - f.F.T @ (w - rho * (f.F @ x - z))) / (p.gamma + gam / eta))
        f.move(-gc * t / (L + np.sqrt(t) / f.get("eta0", 1)))
        yield f.tail(rho)


def sgadm(f, full=False):
    p, L = f.p, f.get("L", smoothness.by_rule(f.p, "gadm" if full else "sgadm"))
    rho = f.get("rho", L / f.norm2)
    C = L + rho * f.norm2
    y = -f.w
    for t in range(1, STEPS + 1):
        g, gc = f.gradient(list(range(ROWS)) if full else f.rows(t - 1), p.gamma)
        eta = 1 / (C + (0 if full else p.gamma * t if p.gamma else np.sqrt(t)))
        z = f.prox(f.F @ f.x + y / rho, rho)
        in_ball = y + rho * (f.F @ f.x - z)
        f.x = p.project(f.x - eta * (g + f.F.T @ y + rho * f.F.T @ (f.F @ f.x - z)))
        f.move(f.c - eta * gc)
        y = y + rho * (f.F @ f.x - z)
        yield f.x, in_ball


def gadm(f):
    return sgadm(f, full=True)


def lpdhg_const(f):
    p, y = f.p, -f.w
    L = f.get("L", smoothness.by_rule(p, "lpdhg-const"))
    s = f.get("s", L / f.norm2)
    for _ in range(STEPS):
        g, gc = f.gradient(list(range(ROWS)), p.gamma)
        y = f.each(lambda t, u: t.project(u), y + s * f.F @ f.x)
        f.x = p.project(f.x - (g + f.F.T @ y) / L)
        f.move(f.c - gc / L)
        yield f.x, y


def fsadmm(f, lite=False):
    p, L = f.p, f.get("L", f.bound)
    f.rho = f.get("rho", f.bound / f.norm2)
    alpha = {} if lite else dict(enumerate(f.slopes()))
    X, C = [f.x] * ROWS, [f.c] * ROWS
    for t in range(STEPS):
        for i in f.rows(t):
            alpha[i], X[i], C[i] = f.slopes()[i], f.x, f.c
        gbar = sum(np.outer(p.A[i], a) for i, a in alpha.items()) / len(alpha)
        xc, cc = (f.x, f.c) if lite else (sum(X) / ROWS, sum(C) / ROWS)
        f.move(cc - sum(alpha.values()) / len(alpha) / L)
        f.x = f.solve((L + p.gamma) * np.eye(f.x.size), L * xc - gbar + f.F.T @ (f.rho * f.z + f.w))
        yield f.tail(f.rho)


def fsadmm_lite(f):
    return fsadmm(f, lite=True)


def ada(f, metric):
    p, eta = f.p, f.get("eta", 1)
    a, f.rho = f.get("a", eta * f.bound), f.get("rho", f.bound / f.norm2)
    past, past_c = [], []
    for t in range(STEPS):
        g, gc = f.gradient(f.rows(t), 0)
        past.append(g.ravel())
        past_c.append(gc)
        H = (a * np.eye(g.size) + metric(np.array(past).T)) / eta
        right = H @ f.x.ravel() - g.ravel() + (f.F.T @ (f.rho * f.z + f.w)).ravel()
        f.move(f.c - eta / (a + np.sqrt((np.array(past_c) ** 2).sum(0))) * gc)
        f.x = f.solve(H + p.gamma * np.eye(g.size), right)
        yield f.tail(f.rho)


def ada_sadmm_diag(f):
    return ada(f, lambda M: np.diag(np.sqrt((M**2).sum(1))))


def ada_sadmm_full(f):
    def root(M):  # (M M')^(1/2)
        U, s, _ = np.linalg.svd(M, full_matrices=False)
        return (U * s) @ U.T
    return ada(f, root)


# name: method, its parameters away from the defaults, takes sets, last iterate instead of the average
METHODS = {"sadmm": (sadmm, {"rho": 0.3, "L": 2.0, "theta": 1.7}, False, False),
           "sadmm-sc2": (sadmm_sc2, {"rho": 0.3, "L": 2.0}, False, True),
           "opg-admm": (opg_admm, {"eta0": 0.7, "rho": 0.3, "L": 2.0}, True, False),
           "rda-admm": (rda_admm, {"eta0": 0.7, "rho": 0.3, "L": 2.0}, True, False),
           "sgadm": (sgadm, {"rho": 0.3, "L": 2.0}, True, False),
           "gadm": (gadm, {"rho": 0.3, "L": 2.0}, True, False),
           "lpdhg-const": (lpdhg_const, {"s": 0.2, "L": 2.0}, True, True),
           "fsadmm": (fsadmm, {"rho": 0.3, "L": 2.0}, False, False),
           "fsadmm-lite": (fsadmm_lite, {"rho": 0.3, "L": 2.0}, False, True),
           "ada-sadmm-diag": (ada_sadmm_diag, {"eta": 0.6, "a": 0.4, "rho": 0.3}, False, False),
           "ada-sadmm-full": (ada_sadmm_full, {"eta": 0.6, "a": 0.4, "rho": 0.3}, False, False)}


SYSTEMS = "sadmm", "sadmm-sc2", "fsadmm", "fsadmm-lite", "ada-sadmm-diag", "ada-sadmm-full"  # whose x-step is a linear system


def make_cases():
    """Words for the command, the problem, rows in a batch, and whether there is a set."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(ROWS, FEATURES)) * (rng.random((ROWS, FEATURES)) < 0.8)
    two, three, real = np.arange(ROWS) % 2, rng.permutation(np.arange(ROWS) % 3), rng.normal(size=ROWS)
    chain, eye = reference.differences(FEATURES), np.eye(FEATURES)
    names = [write_svm(f"{k}.svm", A, b) for k, b in enumerate((two, three, real))]
    lam = 0.02
    words = ["--structure", "chain", "--lambda", lam]
    yield ([names[0], *words, "--also-sparse", 0.5, "--gamma", 0.1, "--no-intercept"],
           reference.Problem(A, 2.0 * two - 1, "logistic", [("l1", chain, lam), ("l1", eye, lam / 2)], gamma=0.1), 1, False)
    yield ([names[0], *words, "--intercept"],
           reference.Problem(A, 2.0 * two - 1, "logistic", [("l1", chain, lam)], intercept=True), 3, False)
    yield ([names[1], *words, "--loss", "softmax", "--penalty", "group", "--gamma", 0.1, "--intercept"],
           reference.Problem(A, three, "softmax", [("group", chain, lam)], gamma=0.1, intercept=True, K=3), 2, False)
    yield ([names[2], *words, "--loss", "squared", "--set", "box:-0.02,0.03", "--gamma", 0.1, "--no-intercept"],
           reference.Problem(A, real, "squared", [("l1", chain, lam)], gamma=0.1, set=("box", -0.02, 0.03)), 2, True)
    mixed = np.array([[0.0, 0, 0, 0, 0], [0, -1.5, 0, 0, 0], [1, 0, 2, 0, -1], [0, 0, 0.5, 0, 0], [0.3, 0, 0, 0, 1]])  # rows of 0, 1 and more entries
    yield ([names[0], "--structure", "matrix:" + write_matrix("mixed.mtx", mixed), "--lambda", lam, "--gamma", 0.1, "--no-intercept"],
           reference.Problem(A, 2.0 * two - 1, "logistic", [("l1", mixed, lam)], gamma=0.1), 2, False)
    wide = rng.normal(size=(ROWS, 101))  # more coefficients than it pays to write F'F out for
    broad = write_svm("wide.svm", wide, two)
    yield ([broad, *words, "--no-intercept"],
           reference.Problem(wide, 2.0 * two - 1, "logistic", [("l1", reference.differences(101), lam)]), 1, False)
    heavy = np.vstack([reference.differences(101), rng.normal(size=(2, 101))])  # and rows that spoil the diagonal as a preconditioner
    yield ([broad, "--structure", "matrix:" + write_matrix("heavy.mtx", heavy), "--lambda", lam, "--gamma", 0.1, "--no-intercept"],
           reference.Problem(wide, 2.0 * two - 1, "logistic", [("l1", heavy, lam)], gamma=0.1), 1, False)
    stars = np.zeros((80, 101))  # two hubs: their own rows, and theirs in the rows of others; a feature alone, a row of three that are in no other
    stars[0, :60], stars[1, 40:95] = rng.normal(size=60), rng.normal(size=55)
    for i in range(2, 78):
        stars[i, [i + 10, 0 if i < 50 else 1]] = 1, -0.5
    stars[20, 1], stars[30, 100] = 0.7, 1.5
    stars[78, [97, 98, 99]], stars[79, 96] = (1, 2, 3), 2
    yield ([broad, "--structure", "matrix:" + write_matrix("stars.mtx", stars), "--lambda", lam, "--gamma", 0.1, "--no-intercept"],
           reference.Problem(wide, 2.0 * two - 1, "logistic", [("l1", stars, lam)], gamma=0.1), 1, False)
    yield ([names[2], *words, "--loss", "squared", "--no-intercept"],
           reference.Problem(A, real, "squared", [("l1", chain, lam)]), 4, False)


def check_run(checks, name, words, p, batch, given):
    method, last = METHODS[name][0], METHODS[name][3]
    xs, ys = [], []
    more = [w for k, v in given.items() for w in ("--param", f"{k}={v}")]
    exact = ["--param", "cg_tol=1e-16"] if name.startswith(("sadmm", "fsadmm", "ada-sadmm-diag")) else []
    for k, (x, y) in enumerate(method(Following(p, batch, given)), 1):
        xs.append(x)
        ys.append(y)
        epochs = k if name in ("gadm", "lpdhg-const") else k * batch / ROWS + (name == "fsadmm")
        fit = Fitted(*words, "--solver", name, "--seed", SEED, "--batch", batch, "--epochs", epochs, *more, *exact)
        what = f"{name}, iterate {k}, batch {batch}, {given}, {words[1:]}"
        checks.check(fit.report["iterations"] == k, f"{what}: {fit.report['iterations']} iterations")
        checks.near(fit.x, x if last else sum(xs) / k, 1e-12, f"{what}: x")
        checks.near(float(fit.trace[-1]["dual_norm"]), np.linalg.norm(y if last else sum(ys) / k), 1e-12, f"{what}: ||y||")


if __name__ == "__main__":
    tally = Checks()
    distinct = [len(set(sampling.rows(SEED, k, 4, ROWS))) for k in range(STEPS)]
    tally.check(min(distinct) < 4, f"some batch of 4 has a row twice: {distinct}")
    for command, problem, size, bounded in make_cases():
        for solver, (_, parameters, takes_sets, _) in METHODS.items():
            if not asked(solver) or (bounded and not takes_sets) or (solver in ("lpdhg-const", "sadmm-sc2") and problem.gamma == 0):
                continue
            if problem.d > FEATURES and solver not in SYSTEMS:
                continue
            check_run(tally, solver, command, problem, size, {})
            if problem.d == FEATURES:
                check_run(tally, solver, command, problem, size, parameters)
    tally.end()
