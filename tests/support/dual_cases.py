# dual_cases.py - what the tests of the methods with proximal steps of the loss share: small problems, both as words and for reference.py,
# proximal steps by bracketing and by a dense Newton, and the comparison of a run with a transcription.
from reference_cases import norm_bound  # noqa: F401
from reference_run import Checks, Fitted, COMMAND, write_svm, write_table

import subprocess

import numpy as np
import reference
import scipy.optimize
from sampling import rows

N, D = 12, 6
EDGES = [(0, 1, 1.0), (1, 3, -0.5), (2, 3, 2.0), (5, 4, 1.0)]


def numbers(seed, count=N, d=D, classes=2):
    """Rows, their real targets, and those cut into classes; every class occurs."""
    rng = np.random.default_rng(seed)
    A = np.round(rng.normal(size=(count, d)), 3) * (rng.random((count, d)) < 0.8)
    score = A @ np.linspace(1, -1, d) + 0.3 * rng.normal(size=count)
    order = np.argsort(np.argsort(score))
    return A, np.round(score, 3), order * classes // count


def graph(lam, gamma, loss="logistic", intercept=False, **more):
    A, _, label = numbers(1, **more)
    words = [write_svm(f"graph{len(A)}.svm", A, 2 * label - 1), "--features", A.shape[1], "--loss", loss, "--structure",
             "edges:" + write_table("edges.txt", [(i + 1, j + 1, w) for i, j, w in EDGES]), "--lambda", lam, "--gamma", gamma]
    return words + ["--no-intercept"] * (not intercept), reference.Problem(
        A, 2 * label - 1, loss, [("l1", reference.edges(EDGES, A.shape[1]), lam)], gamma=gamma, intercept=intercept)


def chain(lam, gamma=0, structure="chain", **more):
    A, b, _ = numbers(2, **more)
    F = reference.differences(A.shape[1]) if structure == "chain" else np.eye(A.shape[1])
    words = [write_svm(f"chain{len(A)}.svm", A, b), "--features", A.shape[1], "--loss", "squared", "--structure", structure, "--lambda", lam,
             "--gamma", gamma, "--no-intercept"]
    return words, reference.Problem(A, b, "squared", [("l1", F, lam)], gamma=gamma)


def softmax(lam, gamma, structure="chain", **more):
    A, _, label = numbers(3, classes=3, **more)
    F = reference.differences(A.shape[1]) if structure == "chain" else np.eye(A.shape[1])
    words = [write_svm(f"softmax{len(A)}.svm", A, label), "--features", A.shape[1], "--loss", "softmax", "--structure", structure, "--penalty",
             "group", "--lambda", lam, "--gamma", gamma, "--no-intercept"]
    return words, reference.Problem(A, label, "softmax", [("group", F, lam)], gamma=gamma, K=3)


def weighted(case, seed=4):
    """The same with weights, one of them 0, and offsets."""
    words, p = case
    rng = np.random.default_rng(seed)
    w, offset = np.round(rng.random(len(p.A)) * 3, 2), np.round(rng.normal(size=(len(p.A), p.K)), 2)
    w[3] = 0
    again = reference.Problem(p.A, p.b, p.loss, p.terms, p.arg, p.gamma, intercept=p.intercept, weights=w, offset=offset, K=p.K)
    return words + ["--weights", write_table(f"weights{len(w)}.txt", w), "--offset", write_table(f"offset{len(w)}.txt", offset)], again


def row_slope(p, i, z):
    return reference.LOSS[p.loss](z[None], p.b[i : i + 1], p.arg)[1][0]


def row_curvature(p, i, z):
    """phi'' of row i, K x K."""
    if p.loss == "softmax":
        q = np.exp(z - np.logaddexp.reduce(z))
        return np.diag(q) - np.outer(q, q)
    return np.diag({"squared": np.ones_like(z), "logistic": 1 / (2 + 2 * np.cosh(z))}[p.loss])


def prox(p, i, u, q):
    """alpha = phi'(z) with z + q phi'(z) = u: outputs by themselves between u and u - q phi'(u), softmax by Newton."""
    if p.loss != "softmax":
        far = u - q * row_slope(p, i, u)
        z = [scipy.optimize.brentq(lambda t: t + q * row_slope(p, i, np.array([t]))[0] - u[k], min(u[k], far[k]) - 1e-9, max(u[k], far[k]) + 1e-9,
                                   xtol=1e-16, rtol=1e-15) for k in range(p.K)]
        return row_slope(p, i, np.array(z))
    z = newton(lambda z: z - u + q * row_slope(p, i, z), lambda z: np.eye(p.K) + q * row_curvature(p, i, z), u.copy())
    return row_slope(p, i, z)


def newton(slope, curvature, z):
    """The zero of the gradient of a strongly convex function, by halved Newton steps."""
    for _ in range(60):
        direction, size, t = -np.linalg.solve(curvature(z), slope(z)), np.linalg.norm(slope(z)), 1.0
        while t > 1e-3 and np.linalg.norm(slope(z + t * direction)) > (1 - t / 4) * size:
            t /= 2
        z = z + t * direction
        if np.abs(direction).max() < 1e-15:
            break
    return z


def compare(checks, name, words, p, solver, transcription, batch, steps, more=(), seed=5, passes=0):
    """x after `steps` iterations and ||y|| at every one of them; transcription(p, batches) gives (x, y). passes: over the data at the start."""
    batches = [rows(seed, k, batch, len(p.A)) for k in range(steps)]
    epoch = len(p.A) / batch
    fit = Fitted(*words, "--solver", solver, "--batch", batch, "--seed", seed, "--epochs", f"{passes + (steps - 0.01) / epoch:.9f}", "--every",
                 f"{0.99 / epoch:.9f}", *more)
    checks.check(fit.report["iterations"] == steps, f"{solver} {name}: {fit.report['iterations']} iterations, asked for {steps}")
    x, y = transcription(p, batches)
    checks.near(fit.x, x, 1e-12, f"{solver} {name} batch {batch}: x after {steps}")
    checks.check(np.abs(x).max() > 1e-3, f"{solver} {name}: x moved")
    for point in (point for point in fit.trace if int(point["iteration"]) > 0):
        y = transcription(p, batches[: int(point["iteration"])])[1]
        checks.near(float(point["dual_norm"]), np.linalg.norm(y), 1e-12, f"{solver} {name} batch {batch}: ||y|| after {point['iteration']}")


def check_optimum(checks, name, words, p, solver, epochs, tolerance, more=()):
    """f comes within `tolerance` of the way from the start to the optimum, which is known to 1e-9."""
    _, _, _, best, error = p.solve(1e-9)
    zero = np.zeros((p.d, p.K))
    start = p.value(zero, p.best_intercept(zero))
    f = Fitted(*words, "--solver", solver, "--epochs", epochs, *more).report["objective"]
    checks.check(f >= best - error - 1e-12, f"{solver} {name}: {f:.12g} is below the optimum {best:.12g} - {error:.3g}")
    checks.check(f <= best + error + tolerance * (start - best), f"{solver} {name}: {f:.9g} from {start:.9g}; the optimum is {best:.9g}")
    print(f"{solver} {name}: {(f - best) / (start - best):.2g} of the way left after {epochs} epochs, allowed {tolerance:.2g}")


def check_refusal(checks, words, solver, sentence):
    done = subprocess.run([COMMAND, "fit", *map(str, words), "--solver", solver, "-q"], capture_output=True, text=True, timeout=60)
    checks.check(done.returncode == 2 and sentence in done.stderr, f"{solver} should refuse with '{sentence}': {done.returncode} {done.stderr}")
