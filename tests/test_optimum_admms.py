# test_optimum_admms.py - the ADMMs and lpdhg-const come as near to the optimum as their rates allow; refusals.
# Tolerances are parts of f(start) - f*: O(1/sqrt T) noise for stochastic steps, O(1/T) for averages that remember the start, and
# little for last iterates of methods with a table or a full gradient.
import subprocess

from reference_run import COMMAND, Checks, Fitted, path, write_svm, write_table

import numpy as np
import reference

ROWS, FEATURES = 40, 8
STOCHASTIC, MEAN = 1e-2, 1e-3
# name: epochs, tolerance, parameters
SOLVERS = {"opg-admm": (1000, STOCHASTIC), "rda-admm": (1000, STOCHASTIC), "sgadm": (1000, STOCHASTIC),
           "ada-sadmm-diag": (1000, STOCHASTIC, "--param", "eta=0.2"), "ada-sadmm-full": (500, STOCHASTIC, "--param", "eta=0.2"),
           "gadm": (20000, MEAN), "fsadmm": (10000, MEAN), "fsadmm-lite": (3000, 1e-9), "lpdhg-const": (5000, 1e-9)}


def make_cases():
    """Words for the command and the problem: logistic with graph and ridge, squared with chain and no ridge, softmax with groups;
    the first two once more with an intercept, and with weights (0 among them) that the tables of fsadmm must carry."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(ROWS, FEATURES))
    signal = A @ rng.normal(size=FEATURES) + rng.normal(size=ROWS)
    two, three = np.where(signal > 0, 1.0, -1.0), np.digitize(signal, [-1.5, 1.5])
    w = np.arange(ROWS) % 4 + 0.0
    lines = [(0, 1, 1.0), (1, 2, -0.5), (0, 4, 2.0), (5, 6, 1.0), (3, 7, -1.0)]
    graph, chain = reference.edges(lines, FEATURES), reference.differences(FEATURES)
    with open(path("graph.txt"), "w") as out:
        out.writelines(f"{i + 1} {j + 1} {v}\n" for i, j, v in lines)
    names = [write_svm(f"{k}.svm", A, b) for k, b in enumerate((two, three, signal))]
    weights = ["--weights", write_table("w.txt", w)]
    graphed = [names[0], "--structure", f"edges:{path('graph.txt')}", "--lambda", 0.05, "--gamma", 0.1]
    chained = [names[2], "--loss", "squared", "--structure", "chain", "--lambda", 0.1]
    soft = [names[1], "--loss", "softmax", "--structure", "chain", "--penalty", "group", "--lambda", 0.05]
    yield "graph", graphed + ["--no-intercept"], reference.Problem(A, two, "logistic", [("l1", graph, 0.05)], gamma=0.1)
    yield "chain", chained + ["--no-intercept"], reference.Problem(A, signal, "squared", [("l1", chain, 0.1)])
    yield ("softmax", soft + ["--gamma", 0.02, "--intercept"],
           reference.Problem(A, three, "softmax", [("group", chain, 0.05)], gamma=0.02, intercept=True, K=3))
    yield ("graph, weights", graphed + ["--intercept", *weights],
           reference.Problem(A, two, "logistic", [("l1", graph, 0.05)], gamma=0.1, intercept=True, weights=w))
    yield ("chain, weights", chained + ["--intercept", *weights],
           reference.Problem(A, signal, "squared", [("l1", chain, 0.1)], intercept=True, weights=w))


def check_optima(checks):
    worst = {}
    for case, words, p in make_cases():
        f_ref, error = p.solve(1e-10)[3:]
        zero = np.zeros((FEATURES, p.K))
        way = p.value(zero, p.best_intercept(zero)) - f_ref
        for solver, (epochs, tolerance, *given) in SOLVERS.items():
            if solver == "lpdhg-const" and p.gamma == 0:
                continue
            for more in ([], ["--batch", 4], ["--sampling", "shuffle"]) if solver == "fsadmm-lite" else ([],):
                fit = Fitted(*words, "--solver", solver, "--epochs", epochs, *given, *more)
                left = (p.value(fit.x, fit.c) - f_ref) / way
                worst[solver] = max(worst.get(solver, 0), left)
                checks.check(left >= -error / way - 1e-12, f"{case} {solver} {more}: below the optimum by {-left:.3g}")
                checks.check(left <= tolerance, f"{case} {solver} {more}: {left:.3g} of the way are left, should be {tolerance}")
    print("largest part of the way left:", ", ".join(f"{k} {v:.2g} after {SOLVERS[k][0]}" for k, v in worst.items()))


def check_refusals(checks):
    A = np.random.default_rng(2).normal(size=(4, 3))
    small = write_svm("small.svm", A, [1, -1, 1, -1])
    wide = write_svm("wide.svm", np.eye(4, 2001, 1997), [1, -1, 1, -1])
    cases = [(solver, [small, "--set", "ball:1"], "quadratic program; use --set all")
             for solver in ("sadmm", "fsadmm", "fsadmm-lite", "ada-sadmm-diag", "ada-sadmm-full")]
    cases += [("lpdhg-const", [small], "can cycle for ever when --gamma is 0"),
              ("ada-sadmm-full", [wide], "at most 2000 coefficients"),
              ("fsadmm", [wide, "--param", "max_table_mb=0.06"], "4 rows x 2002 coefficients, takes 0.06406 MB"),
              ("fsadmm-lite", [small, "--param", "max_table_mb=1"], "has no parameter 'max_table_mb'")]
    for solver, words, sentence in cases:
        done = subprocess.run([COMMAND, "fit", *words, "--solver", solver], capture_output=True, text=True, timeout=60)
        checks.check(done.returncode == 2 and sentence in done.stderr, f"{solver} {words}: {done.returncode}, {done.stderr}")
    Fitted(wide, "--solver", "fsadmm", "--param", "max_table_mb=0.065", "--epochs", 2)  # fits, so it runs


if __name__ == "__main__":
    tally = Checks()
    check_refusals(tally)
    check_optima(tally)
    tally.end()
