# adversary_losses.py - losses with derivatives in gmpy2's numbers, for Newton's method; and the nuclear norm as a smooth function.
# Losses with kinks take the width of their quadratic part apart from their argument: a wide one first leads to a narrow one.
# A loss returns (sum of w phi, w phi', w phi'', w times a curvature that a quadratic above phi has); the last three only if asked for.
import gmpy2
import numpy as np
from gmpy2 import mpfr


def array(values):
    out = np.empty(len(values), object)
    out[:] = values
    return out


def scalar(phi):
    """phi(z, b, arg, width) -> value, slope, second, above; of all rows."""
    def all_rows(z, b, arg, width, w, derivatives):
        each = [phi(v, t, arg, width) for v, t in zip(z, b)]
        total = sum((v * e[0] for v, e in zip(w, each)), mpfr(0))
        return (total, *(array([v * e[k] for v, e in zip(w, each)]) for k in (1, 2, 3))) if derivatives else (total,)
    return all_rows


def logistic(z, b, *_):
    t = -b * z
    small = gmpy2.exp(-abs(t))
    s = 1 / (1 + small) if t > 0 else small / (1 + small)
    return gmpy2.log1p(small) + max(t, mpfr(0)), -b * s, small / (1 + small) ** 2, mpfr(1) / 4


def squared(z, b, *_):
    return (z - b) ** 2 / 2, z - b, mpfr(1), mpfr(1)


def poisson(z, b, *_):
    mean = gmpy2.exp(z)
    return mean - b * z + (b * gmpy2.log(b) - b if b > 0 else 0), mean - b, mean, mean


def huber(z, b, delta, width):
    e = z - b
    if abs(e) <= width:
        return delta * e * e / (2 * width), delta * e / width, delta / width, delta / width
    return delta * (abs(e) - width / 2), delta if e > 0 else -delta, mpfr(0), delta / abs(e)


def squared_hinge(z, b, *_):
    m = 1 - b * z
    return (m * m, -2 * b * m, mpfr(2), mpfr(2)) if m > 0 else (mpfr(0), mpfr(0), mpfr(0), mpfr(2))


def smooth_hinge(z, b, _, h):
    m = 1 - b * z
    if m <= 0:
        return mpfr(0), mpfr(0), mpfr(0), 1 / h
    return (m - h / 2, mpfr(-b), mpfr(0), 1 / m) if m >= h else (m * m / (2 * h), -b * m / h, 1 / h, 1 / h)


def corner(low, high):
    """Two half-lines that meet at z = b, with the corner rounded over `width` on either side."""
    def phi(z, b, arg, width):
        l, h, e = low(b, arg), high(b, arg), z - b
        m, j = (h + l) / 2, (h - l) / 2
        if abs(e) <= width:
            return m * e + j * (e * e / width + width) / 2, m + j * e / width, j / width, j / width
        return m * e + j * abs(e), m + (j if e > 0 else -j), mpfr(0), j / abs(e)
    return phi


hinge = corner(lambda b, _: mpfr(-1 if b > 0 else 0), lambda b, _: mpfr(0 if b > 0 else 1))
absolute = corner(lambda *_: mpfr(-1), lambda *_: mpfr(1))
quantile = corner(lambda _, tau: -tau, lambda _, tau: mpfr(1.0 - float(tau)))


LOSSES = {"hinge": scalar(hinge), "absolute": scalar(absolute), "quantile": scalar(quantile), "logistic": scalar(logistic), "squared": scalar(squared), "huber": scalar(huber), "poisson": scalar(poisson), "squared-hinge": scalar(squared_hinge),
          "smooth-hinge": scalar(smooth_hinge)}


def softmax(z, b, w, derivatives):
    total, slopes, seconds = mpfr(0), [], []
    for row, label, weight in zip(z, b, w):
        top = max(row)
        part = array([gmpy2.exp(v - top) for v in row])
        mass = sum(part)
        total += weight * (top - row[label] + gmpy2.log(mass))
        if derivatives:
            p = part / mass
            slope = weight * p
            seconds.append(np.diag(slope) - np.outer(slope, p))
            slope[label] -= weight
            slopes.append(slope)
    return (total, np.array(slopes, object), seconds, None) if derivatives else (total,)


def inverse(M):
    """Inverse and log-determinant of a symmetric positive definite matrix; (None, None) for others."""
    K, L, log = len(M), M.copy(), mpfr(0)
    L = np.concatenate([L, np.array([[mpfr(i == j) for j in range(K)] for i in range(K)], object)], axis=1)
    for k in range(K):
        if not L[k, k] > 0:
            return None, None
        log += gmpy2.log(L[k, k])
        L[k] = L[k] / L[k, k]
        for i in range(K):
            if i != k:
                L[i] = L[i] - L[i, k] * L[k]
    return L[:, K:], log


def fraction(theta, mu, K, lam, at, J, off, derivatives):
    """lam (tr Z M^-1 Z' + tr M)/2 - mu log det M, whose least value over M > 0 tends to lam times the nuclear norm of Z."""
    place = [(i, j) for i in range(K) for j in range(i + 1)]
    M = np.empty((K, K), object)
    for n, (i, j) in enumerate(place):
        M[i, j] = M[j, i] = theta[at + n]
    N, log = inverse(M)
    if N is None:
        return mpfr("inf"), None, None
    Z = (J @ theta + off).reshape(-1, K)
    B = Z @ N
    value = lam * ((B * Z).sum() + np.trace(M)) / 2 - mu * log
    if not derivatives:
        return value, None, None
    D, entries = len(theta), Z.size
    eye = np.array([[mpfr(i == j) for j in range(K)] for i in range(K)], object)
    G = lam / 2 * (eye - B.T @ B) - mu * N

    def to_theta(dZ, dM):
        out = J.T @ dZ.ravel()
        for n, (i, j) in enumerate(place):
            out[at + n] += dM[i, j] if i == j else dM[i, j] + dM[j, i]
        return out

    H = np.full((D, D), mpfr(0))
    for col in range(D):
        dZ = J[:, col].reshape(-1, K) if entries else Z
        dM = np.full((K, K), mpfr(0))
        if at <= col < at + len(place):
            i, j = place[col - at]
            dM[i, j] = dM[j, i] = mpfr(1)
        dB = dZ @ N - B @ dM @ N
        H[:, col] = to_theta(lam * dB, -lam / 2 * (dB.T @ B + B.T @ dB) + mu * N @ dM @ N)
    return value, to_theta(lam * B, G), H
