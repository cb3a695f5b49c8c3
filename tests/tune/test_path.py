# test_path.py - `spdhg path` against independent computations: lambda_max against the linear program, lasso and
# logistic paths against scikit-learn and reference.py, cross-validation and the choice against a recomputation in numpy.
from reference import Problem, differences, edges, grid
from reference_run import COMMAND, Checks, Fitted, Path, path, write_matrix, write_svm, write_table

import csv
import re
import xml.etree.ElementTree
import numpy as np
import scipy.optimize


def linear_program(F, g):
    """min ||y||_inf subject to F'y = -g."""
    m, d = F.shape
    bound = np.hstack([np.vstack([np.eye(m), -np.eye(m)]), -np.ones((2 * m, 1))])
    done = scipy.optimize.linprog(np.r_[np.zeros(m), 1], A_ub=bound, b_ub=np.zeros(2 * m), A_eq=np.hstack([F.T, np.zeros((d, 1))]), b_eq=-g,
                                  bounds=[(None, None)] * m + [(0, None)], method="highs")
    return done.fun


def check_lambda_max(checks):
    rng = np.random.default_rng(5)
    d = 12
    A = rng.normal(size=(80, d))
    b = A @ np.repeat([1.0, -1, 0.5], 4) + rng.normal(size=80)
    lines = [(0, 1, 1), (1, 2, 2), (2, 0, 1), (3, 4, -1), (4, 5, 1), (7, 8, 1), (8, 9, 0.5), (9, 7, 1), (10, 11, 3)]
    M = rng.normal(size=(15, 8)) @ rng.normal(size=(8, d))
    listed = write_table("edges.txt", [(i + 1, j + 1, w) for i, j, w in lines])
    data = write_svm("max.svm", A, b)
    for name, F in [("identity", np.eye(d)), ("chain", differences(d)), ("trend:1", differences(d, 2)), ("grid:3x4", grid(3, 4)[0]),
                    (f"edges:{listed}", edges(lines, d)), (f"matrix:{write_matrix('F.mtx', M)}", M)]:
        words = [data, "--loss", "squared", "--structure", name, "--no-intercept"]
        singular = np.linalg.svd(F)
        N = singular[2][np.sum(singular[1] > 1e-10):].T
        x0 = N @ np.linalg.lstsq(A @ N, b, None)[0] if N.size else np.zeros(d)
        expected = linear_program(F, A.T @ (A @ x0 - b) / len(b))
        found = Path(*words, "--lambdas", 1, "--folds", 0, "--choose", "bic").report["lambdas"][0] / (1 + 1e-6)
        checks.near(found, expected, 1e-6, f"lambda_max of {name}")
        for factor in (1.001, 0.999):
            left = Fitted(*words, "--lambda", found * factor, "--solver", "alm-ssn", "--tol", 1e-9).report["structure_nonzeros"]
            checks.check((left == 0) == (factor > 1), f"{name}: at {factor} lambda_max {left} rows of F x are not 0")


def check_against_sklearn(checks):
    try:
        from sklearn.linear_model import Lasso, LogisticRegression
    except ImportError:
        print("scikit-learn is not there: its part is skipped")
        return
    rng = np.random.default_rng(8)
    A = rng.normal(size=(100, 8)) * rng.uniform(0.5, 2, 8)
    b = A @ np.array([2, -1, 0, 0, 0.5, 0, 0, 0]) + 1 + rng.normal(size=100)
    got = Path(write_svm("lasso.svm", A, b), "--loss", "squared", "--lambdas", 12, "--folds", 0, "--choose", "aic", "--tol", 1e-11)
    for lam, f, nonzeros in zip(got.column("lambda"), got.column("objective"), got.column("nonzeros")):
        other = Lasso(alpha=lam, tol=1e-14, max_iter=100000).fit(A, b)
        value = ((A @ other.coef_ + other.intercept_ - b) ** 2).mean() / 2 + lam * np.abs(other.coef_).sum()
        checks.near(f, value, 1e-9, f"lasso at {lam}")
        checks.check(nonzeros == np.count_nonzero(other.coef_), f"lasso at {lam}: {nonzeros} nonzeros, {np.count_nonzero(other.coef_)} expected")
    label = np.where(b > 1, 1, -1)
    got = Path(write_svm("logistic.svm", A, label), "--lambdas", 8, "--folds", 0, "--choose", "bic", "--tol", 1e-10, "--no-intercept", "--saturation", 0)
    for lam, f in zip(got.column("lambda"), got.column("objective")):
        other = LogisticRegression(penalty="l1", C=1 / (100 * lam), solver="liblinear", fit_intercept=False, tol=1e-10, max_iter=100000).fit(A, label)
        value = np.logaddexp(0, -label * (A @ other.coef_[0])).mean() + lam * np.abs(other.coef_).sum()
        checks.check(f <= value * (1 + 1e-9) and f >= value * (1 - 1e-6), f"logistic at {lam}: {f}, scikit-learn {value}")


def check_active_sets(checks):
    """Columns of one-hot codes beside an intercept, and a column twice: minimisers are not unique and sets may differ from another program's, but every lambda
    meets the optimality conditions: g_j = -lambda sign x_j where x_j is not 0, |g_j| <= lambda elsewhere, and the slopes sum to 0."""
    rng = np.random.default_rng(31)
    n = 300
    codes = [rng.integers(0, k, n) for k in (2, 2, 3, 5)]
    A = np.hstack([np.eye(c.max() + 1)[c] for c in codes])
    A = np.hstack([A, A[:, 3:4]])
    b = np.where(A[:, 0] - A[:, 2] + A[:, 5] + 0.7 * rng.normal(size=n) > 0.2, 1, -1)
    got = Path(write_svm("codes.svm", A, b), "--lambdas", 20, "--folds", 0, "--choose", "bic", "--tol", 1e-11, "--saturation", 0, "--coefficients", path("c.csv"))
    x = {p["lambda"]: np.zeros(A.shape[1]) for p in got.points}
    with open(path("c.csv")) as file:
        for line in csv.DictReader(file):
            if line["feature"] != "(intercept)":
                x[line["lambda"]][int(line["feature"]) - 1] = float(line["value"])
    for p in got.points:
        lam, at = float(p["lambda"]), x[p["lambda"]]
        c = scipy.optimize.brentq(lambda c: (b / (1 + np.exp(b * (A @ at + c)))).sum(), -50, 50, xtol=1e-14)
        g = A.T @ (-b / (1 + np.exp(b * (A @ at + c)))) / n
        off = np.where(at != 0, np.abs(g + lam * np.sign(at)), np.maximum(np.abs(g) - lam, 0)).max() / lam
        checks.check(off < 1e-5, f"codes at {lam}: optimality conditions off by {off:.2g} of lambda")
        checks.check(np.count_nonzero(at) == int(p["nonzeros"]), f"codes at {lam}: nonzeros")


def check_gaps(checks):
    """A path proves its gaps by duals of its own, and stops as soon as they do: no objective is farther from the best, found by another solver, than its gap says."""
    rng = np.random.default_rng(12)
    n = 7000  # of few rows the last digits come for free afterwards
    A = rng.normal(size=(n, 9)) + rng.normal(size=(n, 1))
    b = np.where(A @ np.repeat([1.0, 0, -1], 3) + rng.normal(size=n) > 0.5, 1, -1)
    data = write_svm("gaps.svm", A, b)
    with open(path("gaps.edges"), "w") as file:
        file.writelines(f"{i} {j}\n" for i, j in [(1, 2), (2, 3), (1, 3), (4, 7), (5, 9)])
    for structure, extra in [("identity", ()), ("chain", ()), ("identity", ("--gamma", 0.01)), (f"edges:{path('gaps.edges')}", ("--no-intercept",))]:
        words = [data, "--structure", structure, *extra]
        got = Path(*words, "--lambdas", 8, "--folds", 2, "--tol", 1e-4, "--saturation", 0)
        early = 0
        for lam, f, gap in zip(got.column("lambda"), got.column("objective"), got.column("gap_relative")):
            best = Fitted(*words, "--lambda", lam, "--solver", "alm-ssn", "--tol", 1e-11, "--epochs", 20000).report["objective"]
            checks.check(-1e-10 * best <= f - best <= (gap + 1e-10) * f and gap <= 1e-4, f"{structure} at {lam}: {f - best:.2g} above the best, gap {gap * f:.2g}")
            early += gap > 1e-9
        checks.check(early > 0, f"{structure}: no lambda ended early, nothing was tested")


def check_set_away_from_zero(checks):
    """X does not have 0: what was proven at one lambda says nothing of the next. Every bound is below what a fit of its own reaches."""
    rng = np.random.default_rng(15)
    A = rng.normal(size=(60, 3))
    data = write_svm("away.svm", A, A @ [0.5, 1.0, 0.1] + rng.normal(size=60))
    for limit in ("box:0.1,inf", "box:0.2,0.5", "simplex:1"):
        words = [data, "--loss", "squared", "--gamma", 0.1, "--set", limit]
        got = Path(*words, "--lambda-max", 1, "--lambdas", 6, "--folds", 0, "--choose", "bic", "--saturation", 0, "--tol", 1e-3, "--solver", "pd3o")
        for lam, f, gap in zip(got.column("lambda"), got.column("objective"), got.column("gap_relative")):
            best = Fitted(*words, "--lambda", lam, "--tol", 1e-9).report["objective"]
            checks.check(f - gap * f <= best * (1 + 1e-12), f"{limit} at {lam}: {f} less {gap * f:.2g} is above {best}")


def check_validation(checks):
    """Every fold solved by reference.py at every lambda: means, standard errors, and what the rule makes of them; weights count."""
    rng = np.random.default_rng(13)
    n, d, folds = 90, 6, 3
    A, w = rng.normal(size=(n, d)), rng.integers(0, 4, n).astype(float)
    b = A @ np.array([1.5, 1.5, 1.5, 0, 0, 0]) + rng.normal(size=n)
    fold = rng.integers(0, folds, n)
    words = [write_svm("cv.svm", A, b), "--loss", "squared", "--structure", "chain", "--weights", write_table("w.txt", w), "--fold-file",
             write_table("fold.txt", fold), "--lambdas", 7, "--lambda-ratio", 1e-3, "--saturation", 0, "--tol", 1e-10]
    got = Path(*words)
    values, weights = [], []
    for f in range(folds):
        train, test = (fold != f) & (w > 0), (fold == f) & (w > 0)
        weights.append(w[test].sum())
        line = []
        for lam in got.column("lambda"):
            x, c, _, _, _ = Problem(A[train], b[train], "squared", [("l1", differences(d), lam)], intercept=True, weights=w[train]).solve(1e-11)
            line.append(w[test] @ (A[test] @ x[:, 0] + c[0] - b[test]) ** 2 / 2 / w[test].sum())
        values.append(line)
    values, weights = np.array(values), np.array(weights)
    mean = weights @ values / weights.sum()
    error = np.sqrt(weights @ (values - mean) ** 2 / weights.sum() / (folds - 1))
    checks.near(got.column("cv_loss"), mean, 1e-5, "CV loss")
    checks.near(got.column("cv_loss_error"), error, 1e-4, "its standard error")
    best = int(np.argmin(mean))
    one = int(np.flatnonzero(mean <= mean[best] + error[best])[0])
    lambdas = got.column("lambda")
    checks.near([got.report["lambda_min"], got.report["lambda_1se"], got.report["lambda"]], [lambdas[best], lambdas[one], lambdas[one]], 1e-12, "choice")
    least = Path(*words, "--rule", "min")
    checks.near(least.report["lambda"], lambdas[best], 1e-12, "rule min")
    checks.check(got.report["cv_unconverged"] == 0, "every fold converges")


def check_what_folds_learn(checks):
    """The scale of --standardize and the F of --structure learned come from the rows that a fold trains with, not from the rows it is judged on."""
    rng = np.random.default_rng(17)
    n, d, folds = 80, 6, 2
    cause, fold = rng.normal(size=(n, 3)), (np.arange(n) >= n // 2).astype(int)
    A = np.where(fold[:, None] == 0, cause[:, [0, 0, 0, 1, 1, 1]], cause[:, [0, 1, 2, 0, 1, 2]]) + 0.4 * rng.normal(size=(n, d))  # other edges in other folds
    A *= np.where(fold[:, None] == 0, 1, rng.uniform(0.3, 2, d))  # and other scales
    b = A @ np.array([1.0, 1, 1, 0, 0, 0]) + rng.normal(size=n)
    words = [write_svm("learn.svm", A, b), "--loss", "squared", "--fold-file", write_table("fold.txt", fold), "--lambdas", 4, "--lambda-ratio", 0.02,
             "--saturation", 0, "--tol", 1e-10]
    scaled, learned = Path(*words, "--structure", "chain", "--standardize"), Path(*words, "--structure", "learned")
    values = np.zeros((2, 4))
    for f in range(folds):
        train, test = fold != f, fold == f
        part = write_svm("train.svm", A[train], b[train])
        for i in range(4):
            sd = A[train].std(0)
            x, c, _, _, _ = Problem(A[train] / sd, b[train], "squared", [("l1", differences(d), scaled.column("lambda")[i])], intercept=True).solve(1e-11)
            values[0, i] += ((A[test] @ (x[:, 0] / sd) + c[0] - b[test]) ** 2).sum() / 2 / n
            fit = Fitted(part, "--loss", "squared", "--structure", "learned", "--lambda", learned.column("lambda")[i], "--tol", 1e-10)
            values[1, i] += ((A[test] @ fit.x[:, 0] + fit.c[0] - b[test]) ** 2).sum() / 2 / n
    checks.near(scaled.column("cv_loss"), values[0], 1e-5, "CV loss of --standardize")
    checks.near(learned.column("cv_loss"), values[1], 1e-8, "CV loss of --structure learned")
    Path(*words, "--structure", "learned", "--penalty-weights", write_table("pw.txt", np.ones(3)), status=3)


def check_criteria(checks):
    """Degrees of freedom of a fused lasso are the fused groups (that are not 0, with --also-sparse); bic by its formula."""
    rng = np.random.default_rng(3)
    n = 30
    y = np.repeat([0.0, 3, -1], 10) + 0.2 * rng.normal(size=n)
    data = write_svm("steps.svm", np.eye(n), y)
    words = [data, "--loss", "squared", "--no-intercept", "--structure", "chain", "--lambda-ratio", 1e-3, "--lambdas", 30, "--choose", "bic", "--tol", 1e-9]
    got = Path(*words)
    D = n * np.log(2 * got.column("train_loss"))
    checks.near(got.column("degrees"), got.column("structure_nonzeros") + 1, 0, "degrees of a chain")
    checks.near(got.column("bic"), D + np.log(n) * got.column("degrees"), 1e-12, "bic")
    checks.near(got.column("aic"), D + 2 * got.column("degrees"), 1e-12, "aic")
    best = int(np.argmin(got.column("bic")))
    checks.near(got.report["lambda"], got.column("lambda")[best], 1e-12, "choice by bic")
    sparse = Path(*words, "--also-sparse", 0.5)
    x = Fitted(data, "--loss", "squared", "--no-intercept", "--structure", "chain", "--also-sparse", 0.5, "--lambda", sparse.column("lambda")[12], "--tol",
               1e-9).x[:, 0]
    groups = sum(v != 0 and (j == 0 or v != x[j - 1]) for j, v in enumerate(x))
    checks.check(sparse.column("degrees")[12] == groups, f"also-sparse: {sparse.column('degrees')[12]} degrees, {groups} groups that are not 0")
    pair = Path(*words, "--sparsities", "0,0.5", "--gammas", "0,1")
    checks.near(pair.column("bic").min(), min(got.column("bic").min(), sparse.column("bic").min()), 1e-6, "the best of a grid")


def check_threads_and_refusals(checks):
    rng = np.random.default_rng(21)
    A = rng.normal(size=(120, 6))
    label = np.where(A[:, 0] + rng.normal(size=120) > 0, 1, -1)
    data = write_svm("threads.svm", A, label)
    words = [data, "--structure", "chain", "--lambdas", 6, "--repeats", 2, "--folds", 4, "--choose", "auc"]
    one, two = Path(*words, "--threads", 1), Path(*words, "--threads", 3)
    seconds = [k for k in one.points[0] if k != "seconds"]
    same = all(p[k] == q[k] for p, q in zip(one.points, two.points) for k in seconds)
    checks.check(same, "the path depends on the number of threads")
    checks.check(np.all(np.diff(one.column("lambda")) < 0) and len(one.points) == 6, "lambdas fall")
    side = np.where(np.arange(40) % 2 == 0, -1.0, 1.0)
    separable = write_svm("apart.svm", side[:, None] * (0.5 + rng.random((40, 3))), side)
    for words, says in [([separable, "--structure", "chain"], "no minimiser"),
                        ([data, "--lambda", 1], "--lambda-max"), ([data, "--choose", "loss", "--folds", 0], "--folds")]:
        checks.check(says in Path(*words, status=2).err, f"path {words}: does not say {says}")
    given = Path(separable, "--structure", "chain", "--lambda-max", 1, "--gamma", 0.1, "--lambdas", 3)
    checks.near(given.column("lambda")[0], 1, 1e-12, "--lambda-max")


def check_elastic_net(checks):
    """--l1-ratio: the optimality conditions of alpha (rho ||x||_1 + (1 - rho)/2 ||x||^2) at every alpha, and where the path begins."""
    rng = np.random.default_rng(14)
    A = rng.normal(size=(70, 6))
    b = A @ [2.0, 0, 0, -1, 0, 0.5] + rng.normal(size=70)
    data, rho = write_svm("net.svm", A, b), 0.3
    words = [data, "--loss", "squared", "--no-intercept", "--l1-ratio", rho, "--tol", 1e-12, "--lambdas", 8, "--saturation", 0]
    got = Path(*words, "--coefficients", path("net.csv"))
    alphas = got.column("lambda")
    checks.near(alphas[0], np.abs(A.T @ b).max() / 70 / rho, 2e-6, "where an elastic net begins")
    x = np.zeros((8, 6))
    with open(path("net.csv")) as file:
        for line in csv.DictReader(file):
            if line["feature"] != "(intercept)":
                x[np.argmin(np.abs(alphas - float(line["lambda"]))), int(line["feature"]) - 1] = float(line["value"])
    for alpha, at in zip(alphas, x):
        g = A.T @ (A @ at - b) / 70 + alpha * (1 - rho) * at
        on = at != 0
        checks.check(np.abs(g + alpha * rho * np.sign(at))[on].max(initial=0) < 1e-6 * alpha and np.abs(g).max() <= alpha * rho * (1 + 1e-6),
                     f"elastic net at {alpha}: not optimal")
    one = Fitted(data, "--loss", "squared", "--no-intercept", "--l1-ratio", rho, "--lambda", alphas[5], "--tol", 1e-12)
    checks.near(one.report["objective"], got.column("objective")[5], 1e-9, "fit --l1-ratio")
    checks.near(one.report["gamma"], (1 - rho) * alphas[5], 1e-12, "gamma of fit --l1-ratio")
    chosen = Path(*words, "--structure", "chain")
    checks.check(chosen.column("structure_nonzeros")[0] == 0 and chosen.column("structure_nonzeros")[1] > 0, "chain with --l1-ratio")
    for more, says in [(["--gamma", 1], "--gamma"), (["--gammas", 1], "--gammas")]:
        checks.check(says in Path(*words, *more, status=2).err, f"--l1-ratio with {more}")
    checks.check("no penalty" in Path(data, "--loss", "squared", "--l1-ratio", 0, status=2).err, "--l1-ratio 0")


def check_every_set_and_constant_targets(checks):
    rng = np.random.default_rng(15)
    A = rng.normal(size=(60, 5))
    data = write_svm("set.svm", A, A @ [1.0, 0, 0, -1, 0])
    free = Path(data, "--loss", "squared", "--lambdas", 4).column("lambda")[0]
    for name in ("nonneg", "box:-1,0.5", "ball:1", "simplex:1"):
        got = Path(data, "--loss", "squared", "--lambdas", 4, "--set", name)
        checks.near(got.column("lambda")[0], free, 1e-9, f"where the path of {name} begins")
    # The best of all x is in this X as well: the path begins there, proven far beyond the tolerance, instead of looking for it.
    signs = write_svm("signs.svm", A, np.where(A @ [1.0, 0, 0, -1, 0] + rng.normal(size=60) > 0, 1.0, -1.0))
    wide = Path(signs, "--lambdas", 4, "--set", "box:-2,2", "--folds", 0, "--choose", "bic")
    checks.check(wide.column("gap_relative")[0] <= 1e-10, f"a box that has the first answer begins at {wide.column('gap_relative')[0]:.2g}")
    same = Path(write_svm("same.svm", A, np.full(60, 3.0)), "--loss", "squared", "--lambdas", 4)
    checks.check(len(same.points) == 1 and same.column("nonzeros")[0] == 0, "a target that never varies: one lambda stands for all")


def check_rescue(checks):
    """Where the method of a path gives up, as prox-newton does beside a box, the next one of auto's plan takes over: all solves reach the tolerance."""
    rng = np.random.default_rng(12)
    A = rng.normal(size=(60, 40)) * (rng.uniform(size=(60, 40)) < 0.7)
    words = [write_svm("boxed.svm", A, np.where(rng.normal(size=60) > 0, 1, -1)), "--structure", "trend:1", "--gamma", 1, "--no-intercept", "--standardize",
             "--set", "box:-1,1", "--lambdas", 4, "--folds", 3, "--time", 4]
    got = Path(*words)
    checks.check(got.report["status"] == "converged" and got.report["cv_unconverged"] == 0, f"a path beside a box: {got.report}")
    checks.check(max(got.column("gap")) < 1e-6, f"a path beside a box: gaps {got.column('gap')}")


def check_page(checks):
    """The page of a path is well-formed and has the bars, the marks and a line for each coefficient that is ever not 0."""
    rng = np.random.default_rng(4)
    A = rng.normal(size=(60, 5))
    data = write_svm("page.svm", A, A @ [1.0, 0, -2, 0, 0.5] + rng.normal(size=60))
    got = Path(data, "--loss", "squared", "--lambdas", 12, "--report", path("page.html"))
    with open(path("page.html")) as file:
        page = file.read()
    part = page[page.index("<h2>The path</h2>"):page.index("<h2>Settings</h2>")]
    plots = [xml.etree.ElementTree.fromstring(svg) for svg in re.findall(r"(?s)<svg.*?</svg>", part)]
    checks.check(len(plots) == 4, f"{len(plots)} plots of a path, 4 expected: held-out loss, explained, nonzeros, coefficients")
    bars = plots[0].find("path[@class='bars']")
    checks.check(bars is not None and bars.get("d").count("M") == len(got.points), "the error has a bar at each lambda")
    checks.check(all(len(plot.findall("line[@class='mark']")) >= 1 for plot in plots), "the chosen lambda is marked")
    lines = [c for c in plots[3].findall("path") if c.get("class") in ("curve p", "curve n")]
    checks.check(len(lines) == got.column("nonzeros").max(), f"{len(lines)} coefficient lines")


def main():
    checks = Checks()
    check_lambda_max(checks)
    check_against_sklearn(checks)
    check_active_sets(checks)
    check_gaps(checks)
    check_set_away_from_zero(checks)
    check_validation(checks)
    check_what_folds_learn(checks)
    check_criteria(checks)
    check_threads_and_refusals(checks)
    check_elastic_net(checks)
    check_every_set_and_constant_targets(checks)
    check_rescue(checks)
    check_page(checks)
    checks.end()


main()
