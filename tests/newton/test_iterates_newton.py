# test_iterates_newton.py - prox-newton and alm-ssn, step by step, against dense numpy transcriptions of their head comments.
# Inner iterations, conjugate gradients and line searches are followed too, and so are the passes over the data that are counted. The last x
# is compared where rows of F have three entries: elsewhere exact zeros are set in the solution after the last step.
from reference_run import Checks, Fitted, asked, write_svm, write_table

import numpy as np
import reference
import scipy.linalg

ROWS, FEATURES = 24, 6


class Newton:
    """One vector (x, c) of n numbers, as both methods have it: F, the gram of the data and the values with one column per number."""

    def __init__(self, p):
        self.p, K = p, p.K
        self.dK, self.n = p.d * K, (p.d + p.intercept) * K
        A = np.hstack([p.A, np.ones((len(p.A), int(p.intercept)))])
        self.rows = [np.kron(a, np.eye(K)) for a in A]  # K x n: scores of a row
        F = np.kron(np.vstack([t.F for t in p.terms]), np.eye(K))
        self.F = np.hstack([F, np.zeros((len(F), self.n - self.dK))])
        self.cut = np.cumsum([len(t.F) for t in p.terms])[:-1]
        self.ridge = np.where(np.arange(self.n) < self.dK, p.gamma, 0)
        self.x, self.y = np.zeros(self.n), np.zeros(len(F))
        self.k = self.passes = self.ended = self.reused = 0

    def scores(self, x):
        return np.array([R @ x for R in self.rows]) + self.p.offset

    def loss(self, x):
        return self.p.w @ self.p.phi(self.scores(x))[0]

    def smooth(self, x):
        return self.loss(x) + 0.5 * self.ridge @ x**2

    def gradient(self):
        slope = self.p.phi(self.scores(self.x))[1]
        return sum(w * R.T @ s for w, R, s in zip(self.p.w, self.rows, slope)) + self.ridge * self.x

    def curvatures(self):
        """phi'' of every row: K numbers, softmax K x K."""
        z = self.scores(self.x)
        if self.p.loss == "softmax":
            q = np.exp(z - np.logaddexp.reduce(z, 1)[:, None])
            return np.array([np.diag(r) - np.outer(r, r) for r in q])
        if self.p.loss == "logistic":
            return 1 / (2 + 2 * np.cosh(z))
        if self.p.loss == "huber":
            return 1.0 * (np.abs(z - np.reshape(self.p.b, z.shape)) <= self.p.arg)
        return np.ones_like(z)

    def hessian(self):
        """Of the loss alone."""
        return sum(w * R.T @ (C if C.ndim == 2 else np.diag(C)) @ R for w, R, C in zip(self.p.w, self.rows, self.curvatures()))

    def parts(self, v):
        return [(t, u) for t, u in zip(self.p.terms, np.split(v.reshape(-1, self.p.K), self.cut))]

    def project(self, v):
        return np.concatenate([t.project(u).ravel() for t, u in self.parts(v)])

    def penalty(self, Fx):
        return sum(t.value(u) for t, u in self.parts(Fx))

    def derivative(self, v):
        """Of the projection, and the fraction of every number that it lets through, which is all the preconditioner knows."""
        D, share = np.zeros((len(v), len(v))), np.zeros(len(v))
        at = 0
        for t, u in self.parts(v):
            for rows in t.blocks:
                where = at + (rows[:, None] * self.p.K + np.arange(self.p.K)).ravel()
                w, size = v[where], np.linalg.norm(v[where])
                if t.penalty == "l1":
                    D[where, where] = share[where] = np.abs(w) <= t.weight
                else:
                    part = np.eye(len(w)) if size <= t.weight else t.weight / size * (np.eye(len(w)) - np.outer(w, w) / size**2)
                    D[np.ix_(where, where)], share[where] = part, min(1, t.weight / size) if size > 0 else 1
            at += u.size
        return D, share


class ProxNewton(Newton):
    def __init__(self, p):
        super().__init__(p)
        self.z, self.rho = np.zeros(len(self.F)), 0
        self.looks = []  # whether rho was changed, each time
        self.kept = None

    def curvatures(self):
        """As H has them: within a twentieth of what they are, anew where more than three quarters are not."""
        now = super().curvatures()
        if self.kept is not None and self.p.loss != "softmax":
            far = np.abs(now - self.kept) > 0.05 * now
            few = far.sum() <= 0.75 * far.size
            self.reused += few
            now = np.where(far, now, self.kept) if few else now
        self.kept = now
        return now

    def step(self):
        if self.p.intercept:
            self.x = np.concatenate([self.x[: self.dK], self.p.best_intercept(self.x[: self.dK].reshape(-1, self.p.K))])
        x, F, n = self.x, self.F, self.n
        g, H, before = self.gradient(), self.hessian(), self.penalty(self.F @ self.x)
        f, trace = self.smooth(x) + before, np.trace(H)
        strong = self.p.gamma > 0 and not self.p.intercept
        curved, e = np.where(np.diag(H) > 1e-14 * trace / n, np.diag(H), trace / n), g + F.T @ self.y
        H = H + np.diag(self.ridge) + (0 if strong else max(1e-10, 1e-3 * np.sqrt((e**2 / curved).sum()))) * np.diag(curved)
        self.weigh(H)
        self.rho = self.rho or np.trace(H) / np.trace(self.M)
        u = self.snap(self.inner(g, H, f, before), g, f, before)
        Fu, dx = F @ u, u - x
        delta, t = g @ dx + self.penalty(Fu) - before, 1.0
        while self.smooth(x + t * dx) + self.penalty(F @ x + t * (Fu - F @ x)) > f + 1e-4 * t * delta + 1e-15 * abs(f):
            t /= 2
        self.x = x + t * dx
        self.passes += 4  # value and slopes, gradient, Hessian, scores of the direction
        return self.y

    def weigh(self, H):
        """S, one number for each row of F (l1), or the geometric mean of a term's rows, and M = F'SF."""
        S = 1 / ((self.F**2) @ (1 / np.diag(H)))
        S = [np.where(t.penalty == "l1", s, np.exp(np.log(s).mean())).ravel() for t, s in self.parts(S)]
        self.S = np.concatenate(S)
        self.M = self.F.T @ (self.S[:, None] * self.F)

    def snap(self, u, g, f, before):
        """The nearest point where F u is zero wherever z is, rows of three entries left out, if half of what was promised remains."""
        v, promise = self.nearest(u), lambda v: g @ (v - self.x) + self.penalty(self.F @ v) - before
        return v if promise(v) <= 0.5 * promise(u) + 1e-15 * abs(f) else u

    def nearest(self, u):
        rows = []
        for t, zero, F in zip(self.p.terms, self.parts(self.z == 0), np.split(self.F, self.cut * self.p.K)):
            zero = zero[1].copy()
            for block in t.blocks if t.penalty != "l1" else ():
                zero[block] = zero[block].all()
            rows += [r for r, z in zip(F, zero.ravel()) if z and np.count_nonzero(r) <= 2]
        closed = np.array(rows).reshape(-1, self.n)
        return u - np.linalg.pinv(closed) @ (closed @ u) if rows else u

    def inner(self, g, H, f, before):
        F, x = self.F, self.x
        newton = 50
        for it in range(1, 2001):
            weight = self.rho * self.S
            u = scipy.linalg.solve(H + self.rho * self.M, H @ x - g + F.T @ (weight * self.z - self.y), assume_a="pos")
            Fu, old = F @ u, self.z
            v = self.y + weight * (1.6 * Fu - 0.6 * old)
            self.y = self.project(v)
            self.z = (v - self.y) / weight
            if it > 2 and it % 10 != 0:
                continue
            gap, decrease = self.gap(u, g, H, before)
            if gap <= max(0.01 * decrease, 1e-13 * abs(f)):
                return u
            if it % 10 == 0:
                primal = np.linalg.norm(Fu - self.z) / max(np.linalg.norm(Fu), np.linalg.norm(self.z))
                dual = self.rho * np.linalg.norm(F.T @ (self.S * (self.z - old))) / np.linalg.norm(F.T @ self.y)
                self.looks.append(primal > 10 * dual or dual > 10 * primal)
                if self.looks[-1]:
                    self.rho *= min(10, max(0.1, np.sqrt(primal / dual)))
            if it == newton:
                newton *= 4
                v, gap, decrease = self.newton(u, g, H, before, gap, decrease)
                if gap <= max(0.01 * decrease, 1e-13 * abs(f)):
                    return v

    def gap(self, u, g, H, before):
        """Of the model at u and y, and the decrease it promises."""
        e, Fu, d = g + H @ (u - self.x) + self.F.T @ self.y, self.F @ u, u - self.x
        return e @ np.linalg.solve(H, e) / 2 + self.penalty(Fu) - self.y @ Fu, -(g @ d + d @ H @ d / 2 + self.penalty(Fu) - before)

    def newton(self, u, g, H, before, gap, decrease):
        """Semismooth Newton steps on the augmented Lagrangian of the model, from the zeros of z; y and z follow if the gap falls."""
        weight, rhs, y, first, t = 1e5 * self.rho * self.S, H @ self.x - g, self.y, (self.y, gap, decrease), self.nearest(u)

        def at(t):
            v = y + weight * (self.F @ t)
            self.y = self.project(v)
            return v, t @ H @ t / 2 - t @ rhs + (((v - self.y / 2) * self.y - y**2 / 2) / weight).sum()

        for _ in range(15):
            v, now = at(t)
            e = H @ t + self.F.T @ self.y - rhs
            dt = -np.linalg.solve(H + self.F.T @ (weight[:, None] * self.derivative(v)[0]) @ self.F, e)
            step = next((s for s in 0.5 ** np.arange(20) if at(t + s * dt)[1] <= now + 1e-4 * s * (e @ dt) + 1e-15 * abs(now)), None)
            if step is None:
                break
            t = t + step * dt
            v = at(t)[0]
            y = self.y if step == 1 else y
            gap, decrease = self.gap(t, g, H, before)
            self.ended += gap <= 0.01 * decrease
            if gap <= 0.01 * decrease:
                break
        if gap < first[1]:
            self.z = (v - self.y) / weight
            return t, gap, decrease
        self.y = first[0]
        return u, *first[1:]


class AlmSsn(Newton):
    def __init__(self, p):
        super().__init__(p)
        self.centre, self.rho, self.damp, self.inner = self.x, 0, 0, 0
        self.looks = []  # lengths of the steps

    def envelope(self, x):
        v = self.y + self.rho * self.S * (self.F @ x)
        pi = self.project(v)
        return ((v - pi / 2) * pi / self.S).sum() / self.rho

    def psi(self, x):
        return self.smooth(x) + self.sig / 2 * (self.D * (x - self.centre) ** 2).sum() + self.envelope(x)

    def grad_psi(self):
        return self.gradient() + self.sig * self.D * (self.x - self.centre) + self.F.T @ self.project(self.ahead())

    def ahead(self):
        return self.y + self.rho * self.S * (self.F @ self.x)

    def size(self, g):
        return np.sqrt((g * g / self.D).sum())

    def first(self):
        self.recent = np.diag(self.hessian())
        most = self.p.kappa * np.repeat(np.append(self.p.w @ self.p.A**2, 1), self.p.K)[: len(self.recent)]
        self.D = np.maximum(np.maximum(self.recent, 1e-2 * most) + self.ridge, 1e-6 * (self.recent.mean() + self.p.gamma))
        self.S = 1 / (self.F**2 @ (1 / self.D))
        at = 0
        for t in self.p.terms:
            rows = slice(at, at + t.F.shape[0] * self.p.K)
            for block in t.blocks if t.penalty != "l1" else []:
                where = at + (block[:, None] * self.p.K + np.arange(self.p.K)).ravel()
                self.S[where] = np.exp(np.log(self.S[where]).mean())
            at = rows.stop
        self.rho = 1 / ((np.abs(self.F).T @ (self.S[:, None] * np.abs(self.F))).sum(1) / self.D).max()
        self.sig = 1
        self.first_size = self.size(self.grad_psi())
        self.goal = 0.1 * self.first_size
        self.passes += 2

    def next_outer(self, solved):
        self.y, self.centre = self.project(self.ahead()) if solved else self.y, self.x
        self.rho *= 0.25 if not solved else 3 if self.inner <= 2 else 1.5 if self.inner <= 6 else 0.7
        self.sig = min(1, max(1e-10, self.sig * (3 if not solved else 0.1 if self.inner <= 3 else 1 / 3)))
        self.goal /= 3 if solved else 1
        self.inner, self.recent = 0, np.diag(self.hessian())
        self.passes += 1

    def step(self):
        if self.k == 0:
            self.first()
        g = self.grad_psi()
        solved = self.size(g) <= self.goal
        if solved or self.inner >= 12:
            self.next_outer(solved)
            g = self.grad_psi()
        derivative, share = self.derivative(self.ahead())
        plain = self.ridge + (self.sig + self.damp) * self.D
        weight = self.rho * self.S
        H = self.hessian() + np.diag(plain) + self.F.T @ derivative @ (weight[:, None] * self.F)
        diagonal = self.recent + plain + 1e-14 * self.D + (self.F**2).T @ (weight * share)
        dx = self.conjugate_gradients(H, -g, diagonal, min(0.05, np.sqrt(self.size(g) / self.first_size)))
        self.inner += 1
        self.passes += 3  # value and slopes, gradient, scores of the direction
        now, t = self.psi(self.x), 1.0
        while self.psi(self.x + t * dx) > now + 1e-4 * t * (g @ dx) + 1e-15 * abs(now):
            t /= 2
        while self.psi(self.x + t / 2 * dx) < self.psi(self.x + t * dx) - 1e-15 * abs(now):
            t /= 2
        self.x = self.x + t * dx
        self.damp = min(1, max(4 * self.damp, 1e-2)) if t < 0.25 else self.damp / 4 if t == 1 else self.damp
        self.looks.append(t)
        return self.project(self.ahead())

    def conjugate_gradients(self, H, b, diagonal, tolerance):
        x, r = np.zeros_like(b), b.copy()
        direction = z = r / diagonal
        while np.linalg.norm(r) > tolerance * np.linalg.norm(b):
            a = r @ z / (direction @ H @ direction)
            x, new = x + a * direction, r - a * H @ direction
            direction = new / diagonal + (new @ (new / diagonal)) / (r @ z) * direction
            r, z = new, new / diagonal
            self.passes += 1
        return x


def cases():
    """Name, words, problem, iterates to follow, and whether the last x is as the method left it."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(ROWS, FEATURES)) * (rng.random((ROWS, FEATURES)) < 0.8)
    z = A @ rng.normal(size=(FEATURES, 3)) + 0.5 * rng.normal(size=(ROWS, 3))
    two, three, real = np.where(z[:, 0] > 0, 1, -1), np.argmax(z, 1), z[:, 0] + 1
    w, offset = np.arange(ROWS) % 3 + 0.5, 0.3 * z[:, 1:2]
    trend, chain, eye = reference.differences(FEATURES, 2), reference.differences(FEATURES), np.eye(FEATURES)
    name = [write_svm(f"{k}.svm", A, b) for k, b in enumerate((two, three, real, 0 * real))]
    bent = ["--structure", "trend:1"]
    weights = ["--weights", write_table("w.txt", w), "--offset", write_table("o.txt", offset)]
    targets = ["--targets", write_table("targets.txt", z)]
    def P(b, *a, **k): return reference.Problem(A, b, *a, **k)
    yield ("logistic", [name[0], *bent, "--lambda", 0.02, "--gamma", 0.1, "--no-intercept"], P(two, "logistic", [("l1", trend, 0.02)], gamma=0.1), True)
    yield ("weights", [name[0], *bent, *weights, "--lambda", 0.01, "--intercept"],
           P(two, "logistic", [("l1", trend, 0.01)], intercept=True, weights=w, offset=offset), True)
    yield ("squared", [name[2], *bent, "--loss", "squared", "--lambda", 0.1, "--no-intercept"], P(real, "squared", [("l1", trend, 0.1)]), True)
    yield ("softmax", [name[1], *bent, "--loss", "softmax", "--penalty", "group", "--lambda", 0.03, "--gamma", 0.02, "--intercept"],
           P(three, "softmax", [("group", trend, 0.03)], gamma=0.02, intercept=True, K=3), True)
    yield ("targets", [name[3], *bent, *targets, "--loss", "huber:0.7", "--penalty", "group", "--lambda", 0.05, "--also-sparse", 0.4, "--no-intercept"],
           P(z, "huber", [("group", trend, 0.05), ("l1", eye, 0.02)], 0.7, K=3), False)
    yield ("heavy penalty", [name[3], *bent, *targets, "--loss", "huber:0.7", "--penalty", "group", "--lambda", 0.5, "--also-sparse", 0.4, "--no-intercept"],
           P(z, "huber", [("group", trend, 0.5), ("l1", eye, 0.2)], 0.7, K=3), False)
    yield ("chain", [name[0], "--structure", "chain", "--lambda", 0.05, "--gamma", 0.01, "--intercept"],
           P(two, "logistic", [("l1", chain, 0.05)], gamma=0.01, intercept=True), False)


def follow(checks, solver, method, steps):
    seen, ended, reused = [], 0, 0
    for name, words, p, untouched in cases():
        m, known = method(p), []
        for k in range(steps):
            before = m.passes
            y = m.step()
            m.k += 1
            x = m.x[: m.dK].reshape(p.d, p.K)
            known.append((m.passes, p.value(x, p.best_intercept(x)), np.linalg.norm(y)))
        seen += m.looks
        ended += m.ended
        reused += m.reused
        fit = Fitted(*words, "--solver", solver, "--epochs", before + 0.5, "--tol", 0, "--every", 0.001)
        checks.check(fit.report["iterations"] == steps, f"{solver} {name}: {fit.report['iterations']} iterations, not {steps}")
        for point, (passes, value, size) in zip(fit.trace[1:], known):
            what = f"{solver} {name} after {point['iteration']}"
            checks.near(float(point["epoch"]), passes, 1e-12, what + ": passes")
            checks.near(float(point["objective"]), value, 1e-12, what + ": f")
            checks.near(float(point["dual_norm"]), size, 1e-12, what + ": ||y||")
        if untouched:
            checks.near(fit.x, x, 1e-12, f"{solver} {name}: x after {steps}")
            checks.check(np.abs(x).max() > 0.01, f"{solver} {name}: x moved")
    return seen, ended, reused


def check_end(checks, solver, passes):
    """Far beyond convergence: still at the optimum, and for most problems ended by itself where rounding allows no more progress."""
    ended = 0
    for name, words, p, _ in cases():
        fit = Fitted(*words, "--solver", solver, "--epochs", passes, "--tol", 0, "--every", passes)
        best, error = p.solve(1e-10)[3:]
        checks.check(abs(fit.report["objective"] - best) <= error + 1e-12, f"{solver} {name}: {fit.report['objective']} in the end, not {best}")
        ended += fit.report["epochs"] < passes
    checks.check(ended >= 4, f"{solver}: ended by itself for {ended} problems")


if __name__ == "__main__":
    tally = Checks()
    if asked("prox-newton"):
        looks, _, reused = follow(tally, "prox-newton", ProxNewton, 4)
        check_end(tally, "prox-newton", 10000)
        tally.check(reused > 0, "no Hessian was used twice")
        tally.check(set(looks) == {False, True}, f"rho changed {sum(looks)} times of {len(looks)}: both happen")
    if asked("alm-ssn"):
        lengths, _, _ = follow(tally, "alm-ssn", AlmSsn, 8)
        check_end(tally, "alm-ssn", 200000)
        print("steps shorter than 1:", sum(t < 1 for t in lengths), "shorter than 1/4:", sum(t < 0.25 for t in lengths), "of", len(lengths))
    tally.end()
