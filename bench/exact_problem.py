"""exact_problem.py - the problem of a certificate, from its JSON and the data file, in rationals; for bench/check-certificate."""
import bz2, csv, gzip, io, lzma, struct, zlib

from gmpy2 import mpfr, mpq
from exact_numbers import Rejected, conjugate, loss, norm, sides



# ---- data and checksums


def read_rows(path, data):
    """[(texts of the targets, [(column, value)])] of the file's rows."""
    opened = {"xz": lzma.open, "gz": gzip.open, "bz2": bz2.open}.get(path.rsplit(".", 1)[-1], open)
    with opened(path, "rt") as file:
        text = file.read()
    if ".csv" in path:
        lines = [line for line in csv.reader(io.StringIO(text)) if line]
        head = lines.pop(0) if data["names"] else None
        feature = [head.index(n) for n in data["names"]] if head else range(data["features"])
        target = [q for q in range(len(lines[0])) if q not in set(feature)]
        return [([line[q] for q in target], [(j, float(line[q])) for j, q in enumerate(feature)]) for line in lines]
    rows = []
    for words in (line.split("#")[0].split() for line in text.splitlines()):
        if words:
            pairs = [w.split(":") for w in words[1:] if not w.startswith("qid:")]
            rows.append(([words[0]], [(int(j) - data["index_base"], float(a)) for j, a in pairs]))
    return rows


def targets_of(texts, labels, softmax):
    if labels is None:
        return [float(t) for t in texts]
    k = next((k for k, label in enumerate(labels) if texts[0] == label or (not isinstance(label, str) and float(texts[0]) == label)), 0)
    return [float(k) if softmax else 1.0 if k == 1 or len(labels) == 1 else -1.0]


def sum_of(value, crc=0):
    """CRC-32 of all numbers (8 bytes each, lowest first) and texts."""
    if isinstance(value, (int, float)):
        return zlib.crc32(struct.pack("<d", value), crc)
    if isinstance(value, str):
        return zlib.crc32(value.encode(), crc)
    for part in value.values() if isinstance(value, dict) else value or []:
        crc = sum_of(part, crc)
    return crc


# ---- the problem, in rationals


class Problem:
    def __init__(self, certificate, file_rows):
        data, p = certificate["data"], certificate["problem"]
        rows = file_rows if data["row"] is None else [file_rows[i] for i in data["row"]]
        if len(rows) != data["rows"] or max((j for _, row in rows for j, a in row), default=0) >= data["features"]:
            raise Rejected("the data has other rows or features than the certificate")
        targets = [targets_of(texts, data["labels"], p["loss"] == "softmax") for texts, _ in rows]
        self.sum = 0
        for b, (_, row) in zip(targets, rows):
            flat = [t for pair in row if pair[1] != 0 for t in pair]
            self.sum = zlib.crc32(struct.pack(f"<{len(b) + len(flat)}d", *b, *flat), self.sum)
        self.n, self.d, self.K, self.intercept = len(rows), data["features"], p["outputs"], p["intercept"]
        self.loss, self.arg, self.gamma = p["loss"], mpq(p["loss_argument"]), mpq(p["gamma"])
        self.set, self.set_arg = p["set"], p["set_arguments"]
        self.b = [[mpq(t) for t in b] for b in targets]
        self.w = [mpq(t) for t in p["weights"] or [1] * self.n]
        self.W = sum(self.w)
        self.offset = [mpq(t) for t in p["offsets"] or [0] * (self.n * self.K)]
        self.scale = [mpq(t) for t in p["scale"] or [1] * self.d]
        centre = dict(zip(p["centre"]["column"], map(mpq, p["centre"]["value"]))) if p["centre"] else {}
        self.A = [[(j, mpq(a) - centre.get(j, 0)) for j, a in row if a != 0] for _, row in rows]  # not yet divided by the scale
        self.F, self.term = [], []
        for t in p["terms"]:
            first, start = len(self.F), t["start"]
            self.F += [[(j, mpq(a)) for j, a in zip(t["column"][s:e], t["value"][s:e])] for s, e in zip(start, start[1:])]
            m = len(start) - 1
            self.term.append((t["penalty"], mpq(t["lambda"]), first, m, t["blocks"] or [[e] for e in range(m)]))
            if t["penalty"] not in ("l1", "group", "linf"):
                raise Rejected(f"the penalty {t['penalty']} is not supported: only l1, group and linf have exact balls here")
        self.lam = [lam for _, lam, _, m, _ in self.term for _ in range(m)]
        self.low, self.high = sides(self.set, self.set_arg)
        one_sided = self.set in ("all", "nonneg") or (self.set == "box" and (self.low is None or self.high is None))
        self.exact = self.gamma == 0 and one_sided

    def each_block(self, numbers):
        """(penalty, lambda, the numbers of a block) of F x or y."""
        for penalty, lam, first, _, blocks in self.term:
            for block in blocks:
                yield penalty, lam, [numbers[(first + e) * self.K + k] for e in block for k in range(self.K)]

    def value(self, x, c):
        K, own = self.K, [x[q] / self.scale[q // self.K] for q in range(len(x))]
        total = mpfr(0)
        for i, row in enumerate(self.A):
            z = [mpfr(sum((a * own[j * K + k] for j, a in row), c[k] + self.offset[i * K + k])) for k in range(K)]
            total += self.w[i] * loss(self.loss, self.arg, z, self.b[i])
        Fx = [sum((a * x[j * K + k] for j, a in row), mpq(0)) for row in self.F for k in range(K)]
        size = {"l1": lambda z: sum(map(abs, z)), "group": norm, "linf": lambda z: max(map(abs, z))}
        return total / self.W + self.gamma / 2 * sum(t * t for t in x) + sum(lam * size[r](z) for r, lam, z in self.each_block(Fx))

    def residual(self, alpha, y):
        """v, and the same of the intercept."""
        K, v, v0 = self.K, [mpq(0)] * (self.d * self.K), [mpq(0)] * self.K
        for i, row in enumerate(self.A):
            for k in range(K):
                wa = self.w[i] * alpha[i * K + k]
                v0[k] += wa / self.W
                if wa != 0:
                    for j, a in row:
                        v[j * K + k] += wa * a
        v = [t / (self.W * self.scale[q // K]) for q, t in enumerate(v)]
        for e, row in enumerate(self.F):
            for k in range(K):
                if y[e * K + k] != 0:
                    for j, a in row:
                        v[j * K + k] += a * y[e * K + k]
        return v, v0

    def bound_of_losses(self, alpha):
        K = self.K
        part = [alpha[i * K : i * K + K] for i in range(self.n)]
        gain = sum(self.w[i] * sum(a * o for a, o in zip(part[i], self.offset[i * K : i * K + K])) for i in range(self.n))
        return (gain - sum((self.w[i] * conjugate(self.loss, self.arg, part[i], self.b[i]) for i in range(self.n)), mpfr(0))) / self.W
