"""exact_repair.py - from a dual point that is feasible but for rounding to one that is feasible exactly; for bench/check-certificate.
v = (1/W) sum_i w_i alpha_i a_i + F'y has to vanish where neither ridge nor bound is, and sum_i w_i alpha_i beside an intercept. What is left of v
travels along rows of F with one or two entries, which take it up; where they end, alphas of a few rows do, found by an exact linear system. Where that
would be too large, rows of A with one entry take part in the routes: their alpha takes v_j, or hands it on to the intercept."""
import numpy as np
import scipy.linalg
from gmpy2 import mpq
from exact_numbers import Rejected, norm, slack
from exact_solve import solve


# ---- repairs: from a dual point that is nearly feasible to one that is


def into_ball(P, alpha, y):
    """(alpha, y) times the largest factor <= 1 with y in lambda Y; the bound is concave and (0, 0) is feasible."""
    factor = mpq(1)
    for penalty, lam, part in P.each_block(y):
        polar = {"l1": lambda: max(map(abs, part)), "linf": lambda: sum(map(abs, part)), "group": lambda: mpq(norm(part)) * (1 + mpq(1, 2**200))}[penalty]()
        square = penalty == "group" and sum(t * t for t in part) <= lam * lam
        if polar > lam and not square:
            factor = min(factor, lam / polar)
    return ([t * factor for t in alpha], [t * factor for t in y]) if factor < 1 else (alpha, y)


def normalised(P, alpha):
    """softmax: the probabilities alpha_i + e_b add up to 1; what is short of that is the largest one's. A quotient would have other digits in each row."""
    out = list(alpha)
    for at in range(0, P.n * P.K if P.loss == "softmax" else 0, P.K):
        top = max(range(P.K), key=lambda k: alpha[at + k] + int(P.b[at // P.K][0] == k))
        out[at + top] -= sum(alpha[at : at + P.K])
    return out


def balance(P, alpha):
    """sum_i w_i alpha_i = 0: alphas of the heavier sign shrink; softmax: probabilities alpha_i + e_b are mixed with one distribution."""
    K, out = P.K, list(alpha)
    if P.loss != "softmax":
        for k in range(K):
            up, down = (sum(P.w[i] * max(s * alpha[i * K + k], 0) for i in range(P.n)) for s in (1, -1))
            for i in range(P.n if up != down else 0):
                a = alpha[i * K + k]
                out[i * K + k] = a * min(1, down / up) if a > 0 else a * min(1, up / down) if a < 0 else a
        return out
    more = [sum(P.w[i] * alpha[i * K + k] for i in range(P.n)) for k in range(K)]
    mass = [sum((P.w[i] for i in range(P.n) if P.b[i][0] == k), mpq(0)) for k in range(K)]
    t = max([mpq(0)] + [s / (s + m) for s, m in zip(more, mass) if s > 0])
    for i in range(P.n if t > 0 else 0):
        for k in range(K):
            e = int(P.b[i][0] == k)
            out[i * K + k] = (1 - t) * (alpha[i * K + k] + e) + (t * (more[k] + mass[k]) - more[k]) / P.W - e
    return out


UNKNOWNS_MOST = 400


def find_anchors(P, alpha):
    """{j: row}: of the rows of A whose one entry is in column j, that with the most slack for what it does."""
    anchor, most = {}, {}
    for i, row in enumerate(P.A if P.loss != "softmax" else []):
        if len(row) == 1 and row[0][1] != 0 and P.w[i] > 0:
            j, a = row[0]
            reach = slack(P.loss, P.arg, alpha[i * P.K : i * P.K + P.K], P.b[i]) * abs(float(P.w[i] * a))
            if reach > most.get(j, 0):
                anchor[j], most[j] = i, reach
    return anchor


def find_routes(P, sinks, anchor, along_F=True):
    """Rows of F with one or two entries make a forest along which v_j travels, to a row with one entry, a sink or a root: order,
    {j: (row, F_ej, next, F_e next)}, u and root of each column. Row -1 - i of A, where it is column j's anchor, takes v_j or sends it to the
    intercept, which is number d."""
    edges, send, order = {}, {}, list(sinks)
    of_row = {j: P.w[i] * P.A[i][0][1] / (P.W * P.scale[j]) for j, i in anchor.items()}
    for e, row in enumerate(P.F if along_F else []):
        if P.lam[e] > 0 and len(row) == 1 and row[0][1] != 0 and row[0][0] not in send and row[0][0] not in sinks:
            send[row[0][0]] = (e, row[0][1], None, None)
            order.append(row[0][0])
        elif P.lam[e] > 0 and len(row) == 2 and row[0][1] != 0 and row[1][1] != 0:
            for (j, f), (o, g) in (row, row[::-1]):
                edges.setdefault(o, []).append((j, f, g, e))
    for j, i in anchor.items():
        if P.intercept:
            edges.setdefault(P.d, []).append((j, of_row[j], P.w[i] / P.W, -1 - i))
        elif j not in send and j not in sinks:
            send[j] = (-1 - i, of_row[j], None, None)
            order.append(j)
    u, root, seen = [mpq(0)] * (P.d + 1), [None] * (P.d + 1), set(order)

    def spread(at):
        while at < len(order):
            o = order[at]
            at += 1
            for j, f, g, e in edges.get(o, []):
                if j not in seen:
                    seen.add(j)
                    order.append(j)
                    send[j], u[j], root[j] = (e, f, o, g), -g / f * u[o], root[o]

    spread(0)
    for j in [P.d] * (P.intercept and len(anchor) > 0) + list(range(P.d)):
        if j not in seen:
            seen.add(j)
            order.append(j)
            u[j], root[j] = mpq(1), j
            spread(len(order) - 1)
    return order, send, u, root


def carry(P, order, send, r, alpha, y):
    """Sends the excess r (that of the intercept last) along; y and alpha take it up, but for what is left at the roots: r then."""
    r = list(r)
    for j in reversed(order):
        if j in send:
            e, f, o, g = send[j]
            for k in range(P.K):
                step = -r[j * P.K + k] / f
                if e >= 0:
                    y[e * P.K + k] += step
                else:
                    alpha[(-1 - e) * P.K + k] += step
                r[j * P.K + k] = mpq(0)
                if o is not None:
                    r[o * P.K + k] += g * step
    return r


def steps(left, columns, make):
    """[(column, change)]: a few columns, changed by so much for each output, that make up for left exactly. make(column): what a change by 1 does."""
    columns = [c for c in columns if c[2] > 0]
    if not columns:
        raise Rejected("no exact repair was found: no alpha has slack")
    made = [make(c) for c in columns]
    most = [max(max(abs(E[q]) for E in made), mpq(1, 2**1060)) for q in range(len(left))]  # columns of any size
    H = np.array([[float(t / m) * c[2] for t, m in zip(E, most)] for E, c in zip(made, columns)]).T
    H /= np.maximum(np.linalg.norm(H, axis=1), 1e-300)[:, None]
    R, pick = scipy.linalg.qr(H, mode="r", pivoting=True)
    rank = int((np.abs(np.diag(R)) > 1e-11 * abs(R[0, 0])).sum())
    chosen = [columns[q] for q in pick[:rank]]
    lines = scipy.linalg.qr(H[:, pick[:rank]].T, mode="r", pivoting=True)[1][:rank]
    effects = [made[q] for q in pick[:rank]]
    return list(zip(chosen, solve([[E[q] for E in effects] for q in lines], [[-t for t in left[q]] for q in lines])))


def column_sizes(P, alpha):
    """sum_i w_i |alpha_i| |a_ij|"""
    sizes = [mpq(0)] * P.d
    for i, row in enumerate(P.A):
        most = P.w[i] * max(map(abs, alpha[i * P.K : i * P.K + P.K]))
        for j, a in row:
            sizes[j] += most * abs(a)
    return sizes


def open_outputs(P, alpha, i):
    """softmax: the outputs of row i whose probability is not 0, the likeliest first."""
    q = [alpha[i * P.K + k] + int(P.b[i][0] == k) for k in range(P.K)]
    return sorted((k for k in range(P.K) if q[k] > 0), key=lambda k: -q[k])


def steps_of_outputs(P, left, alpha, y, alphas, ys, make):
    """softmax, output by output: what leaves one output of a row goes to its likeliest one, and a probability of 0 stays so."""
    K, columns = P.K, []
    for kind, i, _ in alphas:
        first, *others = open_outputs(P, alpha, i) or [None]
        columns += [(kind, i, float(P.w[i] * (alpha[i * K + k] + int(P.b[i][0] == k))), k, first) for k in others]
    columns += [(*c, k, None) for c in ys for k in range(K)]

    def spread_out(c):
        out = [mpq(0)] * (len(left) * K)
        for q, t in enumerate(make(c)):
            out[q * K + c[3]] += t
            if c[4] is not None:
                out[q * K + c[4]] -= t
        return out

    for (kind, at, _, k, first), (delta,) in steps([[t] for line in left for t in line], columns, spread_out):
        if kind == "alpha":
            alpha[at * K + k] += delta * P.W / P.w[at]
            alpha[at * K + first] -= delta * P.W / P.w[at]
        else:
            y[at * K + k] += delta


def column_squares(P):
    """(1/W) sum_i w_i a_ij^2 of the columns as scaled."""
    out = [mpq(0)] * P.d
    for i, row in enumerate(P.A):
        for j, a in row:
            out[j] += P.w[i] * (a / P.scale[j]) ** 2 / P.W
    return out


def repair(P, alpha, y, sign, cut, sink, along_F=True, x=None):
    """(alpha, y) changed such that v = 0, and the intercept's part, exactly. With a bounded side (sign 1: below, -1: above) sign v may be positive:
    what is more than cut (of what v_j is a sum of) stays, and a column where all is more than sink can take up anything. along_F: rows of F may take
    v up; not where their lambda is too small for that. x: of x_j away from the side and v_j >= 0 the one that is smaller in its unit is to be 0."""
    K, alpha, y = P.K, normalised(P, alpha), list(y)
    v, v0 = P.residual(alpha, y)
    size = [t / (P.W * s) for t, s in zip(column_sizes(P, alpha), P.scale)] if sign else [mpq(0)] * P.d
    wanted = [t if sign * t > mpq(cut) * size[q // K] else mpq(0) for q, t in enumerate(v)]
    if x is not None and sign:
        square, side = column_squares(P), P.low if sign > 0 else P.high
        wanted = [t if abs(v[q]) >= abs(x[q] - side) * square[q // K] else mpq(0) for q, t in enumerate(wanted)]
    sinks = {j for j in range(P.d) if all(sign * t > mpq(sink) * size[j] and s != 0 for t, s in zip(v[j * K : j * K + K], wanted[j * K : j * K + K]))}
    order, send, u, root = find_routes(P, sinks, {}, along_F)
    if len(set(root)) > UNKNOWNS_MOST:
        order, send, u, root = find_routes(P, sinks, find_anchors(P, alpha))
    roots = sorted({j for j in root if j is not None and j < P.d})
    left = carry(P, order, send, [s - t for s, t in zip(v, wanted)] + v0, list(alpha), list(y))
    left = [[left[j * K + k] for k in range(K)] for j in roots + ([P.d] if P.intercept else [])]
    if any(t != 0 for line in left for t in line):
        place = {j: q for q, j in enumerate(roots + [P.d])}
        if len(left) > UNKNOWNS_MOST:
            raise Rejected(f"an exact system of {len(left)} unknowns is not supported")

        def effect(row, scale, more):  # on the roots, of a change by 1
            out = [mpq(0)] * len(left)
            for j, a in row:
                if root[j] is not None:
                    out[place[root[j]]] += a * u[j] / scale[j]
            if P.intercept:
                out[-1] += more
            return out

        tree = {s[0] for s in send.values()}
        alphas = [("alpha", i, slack(P.loss, P.arg, alpha[i * K : i * K + K], P.b[i]) * float(P.w[i])) for i in range(P.n)]
        ys = [("y", e, float(P.lam[e])) for e in range(len(P.F)) if e not in tree and (len(P.F[e]) > 1 or not along_F)]
        make = lambda c: effect(P.A[c[1]], P.scale, mpq(1)) if c[0] == "alpha" else effect(P.F[c[1]], [1] * P.d, mpq(0))
        closed = P.loss == "softmax" and any(len(open_outputs(P, alpha, i)) < K for i in range(P.n))
        if closed:
            steps_of_outputs(P, left, alpha, y, alphas, ys, make)
            left = []
        elif P.loss == "softmax" and any(sum(line) for line in left):  # the alphas of a row add up to 0: the mean over outputs is left to y
            mean = [sum(line) / K for line in left]
            for (_, e, _), (delta,) in steps([[t] for t in mean], ys, make):
                y[e * K : e * K + K] = [t + delta for t in y[e * K : e * K + K]]
            left = [[t - m for t in line] for line, m in zip(left, mean)]
        for (kind, at, _), delta in steps(left, alphas + ys, make) if left else ():
            for k in range(K):
                if kind == "alpha":
                    alpha[at * K + k] += delta[k] * P.W / P.w[at]
                else:
                    y[at * K + k] += delta[k]
    v, v0 = P.residual(alpha, y)
    carry(P, order, send, [s - t for s, t in zip(v, wanted)] + v0, alpha, y)
    v, v0 = P.residual(alpha, y)
    if any(s != t for q, (s, t) in enumerate(zip(v, wanted)) if q // K not in sinks) or (P.intercept and any(v0)):
        raise Rejected("no exact repair was found: v is not what it has to be")
    return alpha, y
