# test_denoise.py - `spdhg denoise` against quadratic programs in scipy: lines with uneven positions, missing values and weights, grids and
# graphs; the choice of lambda by held-out points, Cp and BIC against the same rules written in numpy.
from reference import edges, grid
from reference_run import COMMAND, Checks, path

import csv
import json
import subprocess
import numpy as np
import scipy.optimize

NAN = float("nan")


def genlasso_differences(position, order):
    """getDtfPosSparse of genlasso: D = D1 W D, W = i / (pos[j + i] - pos[j]), order times."""
    n = len(position)
    D1 = np.diff(np.eye(n), axis=0)
    D = D1
    for i in range(1, order + 1):
        D = np.diff(np.eye(n - i), axis=0) @ np.diag(i / (position[i:] - position[:-i])) @ D
    return D


def line(y, D, lam, weight=None):
    """argmin sum w (x - y)^2 / 2 + lam ||D x||_1 by its dual, a least-squares problem in a box; x and u."""
    w = np.ones(len(y)) if weight is None else weight
    done = scipy.optimize.lsq_linear(D.T / np.sqrt(w)[:, None], np.sqrt(w) * y, (-lam, lam), method="bvls", tol=1e-15, max_iter=5000)
    return y - D.T @ done.x / w, done.x


class Denoised:
    def __init__(self, name, content, *words, status=0):
        with open(path(name), "w") as out:
            out.write(content)
        words = [COMMAND, "denoise", path(name), "-o", path("out_" + name), *map(str, words), "--json", "-q"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        if done.returncode != status:
            raise RuntimeError(f"status {done.returncode} of {' '.join(words)}\n{done.stderr}")
        self.report = json.loads(done.stdout)
        self.signal = self.report["signals"][0]
        with open(path("out_" + name)) as file:
            self.lines = file.read().splitlines()

    def column(self, name):
        return np.array([float(row[name]) for row in csv.DictReader(self.lines)])


def table(**columns):
    rows = zip(*[["NA" if v != v else repr(float(v)) for v in column] for column in columns.values()])
    return ",".join(columns) + "\n" + "".join(",".join(row) + "\n" for row in rows)


def bent(n, rng, t):
    return np.interp(t, np.linspace(t.min(), t.max(), 5), [0, 3, 1, 4, 4]) + 0.3 * rng.normal(size=n)


def check_lines(checks):
    rng = np.random.default_rng(0)
    for order in (0, 1, 2):
        for uneven, gaps, weighted in [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 1), (1, 1, 1)]:
            n = 40
            t = np.cumsum(rng.uniform(0.2, 3, n)) if uneven else np.arange(1.0, n + 1)
            y, w = bent(n, rng, t), rng.uniform(0.5, 2, n) if weighted else np.ones(n)
            seen = np.ones(n, bool)
            if gaps:
                seen[[0, 7, 8, 20, n - 1]] = False
            lam_sum = 4.0 * (t[-1] - t[0]) ** order / n ** order  # in genlasso's units
            D = genlasso_differences(t[seen], order)
            x, _ = line(y[seen], D, lam_sum, w[seen])
            words = ["--structure", f"trend:{order}", "--column", "value", "--lambda", lam_sum / w[seen].sum()]
            words += ["--positions", "t"] if uneven else []
            words += ["--weights", "w"] if weighted else []
            mixed = rng.permutation(n) if uneven else np.arange(n)
            got = Denoised("line.csv", table(t=t[mixed], w=w[mixed], value=np.where(seen, y, NAN)[mixed]), *words)
            fit = np.empty(n)
            fit[mixed] = got.column("value")
            name = f"order {order}, uneven {uneven}, gaps {gaps}, weights {weighted}"
            checks.near(fit[seen], x, 1e-6, name)
            checks.near(got.column("t"), t[mixed], 0, f"{name}: the positions stay")
            checks.near(got.signal["lambda_sum"], lam_sum, 1e-12, f"{name}: lambda of the sum")
            f = ((w * (fit - y) ** 2)[seen].sum() / 2 + lam_sum * np.abs(D @ fit[seen]).sum()) / w[seen].sum()
            checks.near(got.signal["objective"], f, 1e-9, f"{name}: objective")
            if order == 1:
                filled = np.interp(t, t[seen], fit[seen])
                filled[0] = fit[1] - (fit[2] - fit[1]) / (t[2] - t[1]) * (t[1] - t[0])
                filled[-1] = fit[-2] + (fit[-2] - fit[-3]) / (t[-2] - t[-3]) * (t[-1] - t[-2])
                checks.near(fit, filled if gaps else fit, 1e-9, f"{name}: missing values lie on the lines")
            if order == 0 and gaps:
                nearest = [fit[seen][np.abs(t[seen] - s).argmin()] for s in t]
                checks.near(fit, nearest, 1e-12, f"{name}: missing values have the level of the nearest one")


def lambdas(y, D, count, ratio):
    """The path's: from lambda_max (times 1 + 1e-6) down, beside the sum of losses."""
    null = np.linalg.svd(D)[2][len(D):]
    u = np.linalg.lstsq(D.T, y - null.T @ (null @ y), rcond=None)[0]
    return np.abs(u).max() * (1 + 1e-6) * ratio ** (np.arange(count) / (count - 1))


def held_out_loss(y, t, order, lam, folds):
    """genlasso's cv.trendfilter: fold ids 0, 1, ..., k, 1, ..., 0; linear interpolation between the neighbours that are left; the mean and
    the standard error over folds."""
    n, losses = len(y), []
    fold = np.r_[0, 1 + np.arange(n - 2) % folds, 0]
    for k in range(1, folds + 1):
        rest = fold != k
        x, _ = line(y[rest], genlasso_differences(t[rest], order), lam)
        losses.append(np.mean((y - np.interp(t, t[rest], x))[~rest] ** 2) / 2)
    return np.mean(losses), np.std(losses, ddof=1) / np.sqrt(folds)


def check_choices(checks):
    rng = np.random.default_rng(5)
    n, count, ratio, noise = 50, 12, 1e-3, 0.3
    for order, folds in [(0, 5), (1, 4)]:
        t = np.cumsum(rng.uniform(0.5, 1.5, n))
        y = bent(n, rng, t) if order else np.repeat([0.0, 2, 1, 3, 0], 10) + noise * rng.normal(size=n)
        D = genlasso_differences(t, order)
        tried = lambdas(y, D, count, ratio)
        content = table(t=t, value=y)
        common = ["--structure", f"trend:{order}", "--positions", "t", "--lambdas", count, "--lambda-ratio", ratio]
        cv = np.array([held_out_loss(y, t, order, lam, folds) for lam in tried])
        best = cv[:, 0].argmin()
        got = Denoised("cv.csv", content, *common, "--folds", folds)
        checks.near(got.signal["lambda_sum"], tried[best], 1e-5, f"order {order}: lambda by held-out points")
        checks.near(got.signal["cv_loss"], cv[best, 0], 1e-5, f"order {order}: held-out loss")
        checks.near(got.signal["cv_loss_error"], cv[best, 1], 1e-4, f"order {order}: its standard error")
        one_se = np.flatnonzero(cv[:best + 1, 0] <= cv[best].sum())[0]
        got = Denoised("cv.csv", content, *common, "--folds", folds, "--rule", "1se")
        checks.near(got.signal["lambda_sum"], tried[one_se], 1e-5, f"order {order}: one standard error")
        fits = [line(y, D, lam)[0] for lam in tried]
        df = np.array([order + 1 + np.count_nonzero(np.abs(D @ x) > 1e-7) for x in fits])
        rss = np.array([((y - x) ** 2).sum() for x in fits])
        last = np.flatnonzero(df > n / 2)
        usable = slice(1, last[0] + 1 if len(last) else count)  # at lambda_max itself a knot is neither there nor not
        for criterion, value, words in [("bic", n * np.log(rss / n) + np.log(n) * df, ["--choose", "bic"]),
                                        ("cp", rss / n - noise ** 2 + 2 * noise ** 2 * df / n, ["--noise", noise])]:
            best = 1 + value[usable].argmin()
            got = Denoised("choice.csv", content, *common, *words)
            checks.near(got.signal["lambda_sum"], tried[best], 1e-5, f"order {order}: lambda by {criterion}")
            checks.check(got.signal["degrees"] == df[best], f"order {order}, {criterion}: {got.signal['degrees']} degrees, {df[best]} expected")
            checks.check(got.signal["knots"] == df[best] - order - 1, f"order {order}, {criterion}: knots")


def check_segments(checks):
    rng = np.random.default_rng(7)
    y = np.repeat([0.0, 2, 1], 12) + 0.1 * rng.normal(size=36)
    y[[3, 20]] = NAN
    t = np.cumsum(rng.uniform(1, 5, 36))
    got = Denoised("probes.csv", table(kb=t, ratio=y), "--positions", "kb", "--lambda", 0.02, "--segments", path("segments.csv"))
    x, seen = got.column("ratio"), ~np.isnan(y)
    with open(path("segments.csv")) as file:
        segments = list(csv.DictReader(file))
    starts = np.flatnonzero(np.r_[True, np.abs(np.diff(x[seen])) > 1e-9])
    ends = np.r_[starts[1:] - 1, seen.sum() - 1]
    checks.near([float(s["start"]) for s in segments], t[seen][starts], 1e-12, "segments start")
    checks.near([float(s["end"]) for s in segments], t[seen][ends], 1e-12, "segments end")
    checks.near([float(s["level"]) for s in segments], x[seen][starts], 1e-12, "levels")
    checks.check([int(s["points"]) for s in segments] == list(ends - starts + 1), "values of a segment")
    checks.check(all(s["signal"] == "ratio" for s in segments), "name of the signal")


def isotropic(y, D, place, lam):
    """argmin ||x - y||^2/2 + lam sum over pixels of the length of the gradient: accelerated projected gradient on the dual."""
    u = v = np.zeros(len(D))
    step, theta = 1 / np.linalg.norm(D, 2) ** 2, 1.0
    for _ in range(20000):
        z = v + step * D @ (y - D.T @ v)
        length = np.sqrt(np.bincount(place, z ** 2))[place]
        after, following = z / np.maximum(1, length / lam), (1 + np.sqrt(1 + 4 * theta ** 2)) / 2
        v, u, theta = after + (theta - 1) / following * (after - u), after, following
    return y - D.T @ u


def check_grids(checks):
    rng = np.random.default_rng(9)
    picture = np.zeros((6, 7))
    picture[1:4, 2:6] = 1
    y, lam = picture + 0.2 * rng.normal(size=picture.shape), 0.3
    D, place = grid(6, 7)
    content = "".join(",".join(map(repr, row)) + "\n" for row in y.tolist())
    got = Denoised("image.csv", content, "--structure", "grid", "--lambda", lam / y.size)
    fit = np.array([[float(v) for v in row.split(",")] for row in got.lines])
    checks.near(fit.ravel(), line(y.ravel(), D, lam)[0], 1e-6, "a table as an image")
    got = Denoised("image.csv", content, "--structure", "grid", "--isotropic", "--lambda", lam / y.size)
    fit = np.array([[float(v) for v in row.split(",")] for row in got.lines])
    checks.near(fit.ravel(), isotropic(y.ravel(), D, np.array(place), lam), 1e-4, "isotropic")
    same = Denoised("image.csv", content, "--isotropic", "--lambda", lam / y.size)
    checks.check(same.lines == got.lines, "isotropic means a grid")
    got = Denoised("image.csv", content, "--structure", "grid", "--folds", 5, "--lambdas", 8, "--lambda-ratio", 1e-2)
    hold = (np.arange(42) % 7 + 2 * (np.arange(42) // 7)) % 5
    losses = []
    for k in range(5):  # pixels held out hardly weigh: the others decide them
        w = np.where(hold == k, 1e-7, 1.0)
        x, _ = line(y.ravel(), D, got.signal["lambda_sum"], w)
        losses.append(((x - y.ravel())[hold == k] ** 2).mean() / 2)
    checks.check(0.5 * np.mean(losses) < got.signal["cv_loss"] < 2 * np.mean(losses), f"held-out pixels: {got.signal['cv_loss']}, about {np.mean(losses)}")


def check_graphs(checks):
    rng = np.random.default_rng(11)
    n = 15
    pairs = [(i, i + 1) for i in range(n - 1)] + [(0, 7), (3, 12), (5, 9)]
    y = np.where(np.arange(n) < 8, 0.0, 2.0) + 0.2 * rng.normal(size=n)
    with open(path("graph.edges"), "w") as file:
        file.writelines(f"{i + 1} {j + 1}\n" for i, j in pairs)
    D, lam = edges([(i, j, 1) for i, j in pairs], n), 0.4
    got = Denoised("nodes.txt", "".join(f"{v!r}\n" for v in y.tolist()), "--structure", f"edges:{path('graph.edges')}", "--lambda", lam / n)
    checks.near([float(v) for v in got.lines], line(y, D, lam)[0], 1e-6, "a graph")
    y[4] = NAN
    w = np.where(np.isnan(y), 1e-8, 1.0)
    x, _ = line(np.where(np.isnan(y), 0, y), D, lam, w)
    got = Denoised("nodes.txt", "".join(f"{v!r}\n" for v in y.tolist()), "--structure", f"edges:{path('graph.edges')}", "--lambda", lam / (n - 1))
    fit = np.array([float(v) for v in got.lines])
    f = [np.nansum((z - y) ** 2) / 2 + lam * np.abs(D @ z).sum() for z in (x, fit)]
    checks.near(f[1], f[0], 1e-5, "a graph with a node that is not observed")


def check_losses(checks):
    """huber: the dual of a chain is the running sum of the slopes; it is lam at every jump and nowhere more."""
    rng = np.random.default_rng(13)
    y = np.repeat([0.0, 3], 20) + 0.2 * rng.normal(size=40)
    y[10] = 30
    lam = 2.0
    got = Denoised("huber.txt", "".join(f"{v!r}\n" for v in y.tolist()), "--loss", "huber:0.5", "--lambda", lam / 40)
    x = np.array([float(v) for v in got.lines])
    u, jump = np.cumsum(np.clip(x - y, -0.5, 0.5))[:-1] / lam, np.diff(x)
    moved = np.abs(jump) > 1e-9
    checks.check(np.abs(u).max() < 1 + 1e-5 and 0 < moved.sum() < 10, f"huber: dual {np.abs(u).max():.7f}, {moved.sum()} jumps")
    checks.near(u[moved], np.sign(jump)[moved], 1e-5, "huber: dual at the jumps")
    # Outliers of any size: every lambda of the path is proven, which Denoised asks for, and the choice of bic is no worse than a straight line.
    t, noise = np.arange(200.0), np.random.default_rng(2).standard_t(1.5, size=200)
    content = "".join(f"{v!r}\n" for v in (np.abs(t - 80) / 20 + noise).tolist())
    for loss in ("huber:1", "absolute"):
        for structure in ("trend:1", "trend:2"):
            got = Denoised("heavy.txt", content, "--loss", loss, "--structure", structure, "--choose", "bic")
            checks.check(got.signal["lambdas_tried"] > 20 and got.signal["degrees"] >= 3, f"{loss}, {structure}: {got.signal}")
    same = Denoised("flat.csv", table(a=[2.0] * 8, b=[1.0, 2, 3, 4, 5, 6, 7, 8]), "--structure", "trend:1")
    checks.near(same.column("b"), np.arange(1.0, 9), 1e-12, "a straight line stays as it is")


def main():
    checks = Checks()
    for check in (check_lines, check_choices, check_segments, check_grids, check_graphs, check_losses):
        check(checks)
    checks.end()


main()
