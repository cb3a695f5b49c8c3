# test_optimum_solvers.py - every solver of `list solvers` on every problem below: as near to the optimum as its rate allows, or refused.
# The optima are reference.py's. Tolerances are parts of f(start) - f*: O(1/sqrt T) noise for stochastic steps, O(1/T) for averages that
# remember the start, and little for last iterates of methods with a table or a full gradient, and for second-order methods.
import re
import subprocess

from reference_run import COMMAND, Checks, Fitted, asked, path, write_svm, write_table

import numpy as np
import reference

ROWS, FEATURES = 40, 8
STOCHASTIC, MEAN, EXACT = 2e-2, 1e-3, 1e-9
SETS = ("quadratic program; use --set all", ["--set", "ball:1"])
RIDGE = ("--gamma above 0", ["--gamma", 0])
ONLY_IDENTITY = ("no closed form unless F is the identity", ["--structure", "chain"])
ONLY_COEFFICIENTS = ("l1 of the coefficients only", ["--structure", "chain"])
ONE_ENTRY = ("data with one entry in each row", [])
# name: epochs, tolerance, parameters, refusals (a part of the sentence; words that bring it about, after --gamma 0.1 --structure identity)
SOLVERS = {
    "auto": (200, EXACT, [], []),
    "spdhg": (1000, STOCHASTIC, [], []),
    "spdhg-sc1": (1000, STOCHASTIC, [], [RIDGE]),
    "spdhg-sc2": (1000, STOCHASTIC, [], [RIDGE]),
    "spdhg-sc1h": (1000, STOCHASTIC, [], [RIDGE]),
    "spdhg-sc2h": (1000, STOCHASTIC, [], [RIDGE]),
    "spdhg-free": (1000, STOCHASTIC, [], []),
    "lpdhg": (5000, STOCHASTIC, [], []),
    "sadmm": (1000, STOCHASTIC, [], [SETS]),
    "sadmm-sc2": (1000, STOCHASTIC, [], [SETS, RIDGE]),
    "opg-admm": (1000, STOCHASTIC, [], []),
    "rda-admm": (1000, STOCHASTIC, [], []),
    "sgadm": (1000, STOCHASTIC, [], []),
    "gadm": (20000, MEAN, [], []),
    "lpdhg-const": (5000, EXACT, [], [("can cycle forever when --gamma is 0", ["--gamma", 0])]),
    "fsadmm": (10000, MEAN, [], [SETS, ("(4 rows x 4 coefficients) takes 0.000128 MB", ["--param", "max_table_mb=0.0001"])]),
    "fsadmm-lite": (3000, EXACT, [], [SETS, ("has no parameter 'max_table_mb'", ["--param", "max_table_mb=1"])]),
    "ada-sadmm-diag": (1000, STOCHASTIC, ["eta=0.2"], [SETS]),
    "ada-sadmm-full": (500, STOCHASTIC, ["eta=0.2"], [SETS, ("at most 2000 coefficients", ["--features", 2001])]),
    "online-admm": (1000, STOCHASTIC, [], [("use --set all", ["--set", "ball:1"])]),
    "sdca-admm": (2000, EXACT, [], [("cannot be kept in a set X; use --set all", ["--set", "ball:1"])]),
    "spdc": (3000, EXACT, [], [RIDGE, ONLY_IDENTITY, ("use --set all", ["--set", "ball:1"]),
                               ("no closed form unless F is the identity", ["--also-sparse", 1])]),
    "spdc-adaptive": (3000, EXACT, [], [RIDGE, ONLY_IDENTITY, ("use --set all", ["--set", "ball:1"])]),
    "rpdg": (3000, EXACT, [], [RIDGE, ONLY_IDENTITY, ("use --set all", ["--set", "ball:1"])]),
    "pdhg-adaptive": (20000, EXACT, [], []),
    "pd3o": (5000, EXACT, [], []),
    "condat-vu": (5000, EXACT, [], []),
    "fista": (2000, EXACT, [], [ONLY_IDENTITY, ("X = R^d only; use --set all", ["--set", "ball:1"]), ("and the only term", ["--also-sparse", 1])]),
    "saga-pd3o": (2000, EXACT, [], []),
    "lsvrg-pd3o": (4000, EXACT, [], []),
    "prox-newton": (200, EXACT, [], [("--set all, box and nonneg only", ["--set", "ball:1"]), ("at most 1500 coefficients", ["--features", 1501])]),
    "ws-newton": (200, EXACT, [], [("X = R^d only; use --set all", ["--set", "ball:1"]), ("beyond 1500 coefficients", ["--features", 1501, "--penalty", "linf"])]),
    "interior": (200, EXACT, [], [("the set X has no interior", ["--set", "box:1,1"]),
                                  ("at most 1500 coefficients", ["--features", 1501])]),
    "ipm": (1000, EXACT, [], [("supports the penalties l1, group and linf only", ["--penalty", "nuclear"]), ("the set X has no interior", ["--set", "box:1,1"]),
                             ("all, box, nonneg and simplex", ["--set", "ball:1"])]),
    "cd-newton": (1000, EXACT, [], [ONLY_IDENTITY, ("X = R^d only; use --set all", ["--set", "ball:1"]), ("and the only term", ["--also-sparse", 1]),
                                    ("it works for l1, and for groups", ["--penalty", "linf"])]),
    "lasso": (1000, EXACT, [], [ONLY_COEFFICIENTS, ("a set X that bounds each coefficient", ["--set", "ball:1"]), ("with 0 inside", ["--set", "box:1,2"]), ("l1 of the coefficients only", ["--also-sparse", 1]),
                                ("l1 of the coefficients only", ["--penalty", "linf"]), ("one output only", ["--loss", "softmax"])]),
    "blocks": (1000, EXACT, [], [("F = identity", ["--structure", "chain"]), ("X = R^d only", ["--set", "ball:1"]),
                                 ("solver lasso works better", []), ("the penalty l1 or group", ["--penalty", "linf"])]),
    "chain-newton": (200, EXACT, [], [ONE_ENTRY, ("the sets all, box and nonneg", ["--set", "ball:1"])]),
    "chain-alm": (2000, EXACT, [], [("the sets all, box and nonneg", ["--set", "ball:1"]), ("the l1 penalty only", ["--penalty", "linf"])]),
    "cut-newton": (200, EXACT, [], [ONE_ENTRY, ("the sets all, box and nonneg", ["--set", "ball:1"])]),
    "fgp": (2000, EXACT, [], [("the squared loss only", []), ("without an intercept", ["--loss", "squared"]),
                              ("data with one entry in each row", ["--loss", "squared", "--no-intercept"])]),
    "alm-ssn": (1000, EXACT, [], [("X = R^d only; use --set all", ["--set", "ball:1"]), ("projection of the penalty has no derivative", ["--penalty", "nuclear"])]),
}
MORE = {"fsadmm-lite": ([], ["--batch", 4], ["--sampling", "shuffle"])}


def refused(solver, p):
    """Whether its refusals above concern this problem."""
    sentences = dict(SOLVERS[solver][3])
    without = p.gamma == 0 and (RIDGE[0] in sentences or "can cycle forever when --gamma is 0" in sentences)
    coupled = p.loss == "softmax" and ("couples its outputs" in sentences or solver == "lasso")
    grouped = ("the l1 penalty only" in sentences or solver == "lasso") and any(term.penalty != "l1" for term in p.terms)
    if solver == "blocks":
        return not np.array_equal(p.terms[0].F, np.eye(p.d)) or p.K == 1 and p.terms[0].penalty == "l1"
    sums = solver == "cut-newton" and any((term.F.sum(axis=1) != 0).any() for term in p.terms)  # it takes differences
    return without or coupled or grouped or sums or ONE_ENTRY[0] in sentences and np.count_nonzero(p.A, axis=1).max() > 1 or (ONLY_IDENTITY[0] in sentences or solver == "lasso") and not np.array_equal(p.terms[0].F, np.eye(p.d))


def make_cases():
    """Words for the command and the problem: logistic with graph and ridge, squared with chain and no ridge, softmax with groups; the first
    two once more with an intercept, and with weights (0 among them) that tables must carry; and the like with F the identity."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(ROWS, FEATURES))
    signal = A @ rng.normal(size=FEATURES) + rng.normal(size=ROWS)
    two, three = np.where(signal > 0, 1.0, -1.0), np.digitize(signal, [-1.5, 1.5])
    w = np.arange(ROWS) % 4 + 0.0
    lines = [(0, 1, 1.0), (1, 2, -0.5), (0, 4, 2.0), (5, 6, 1.0), (3, 7, -1.0)]
    graph, chain, eye = reference.edges(lines, FEATURES), reference.differences(FEATURES), np.eye(FEATURES)
    with open(path("graph.txt"), "w") as out:
        out.writelines(f"{i + 1} {j + 1} {v}\n" for i, j, v in lines)
    names = [write_svm(f"{k}.svm", A, b) for k, b in enumerate((two, three, signal))]
    weights = ["--weights", write_table("w.txt", w)]
    logistic = [names[0], "--lambda", 0.05, "--gamma", 0.1]
    squared = [names[2], "--loss", "squared", "--lambda", 0.1]
    soft = [names[1], "--loss", "softmax", "--penalty", "group", "--lambda", 0.05]
    graphed, chained, plain = ["--structure", f"edges:{path('graph.txt')}"], ["--structure", "chain"], ["--structure", "identity"]
    yield "graph", [*logistic, *graphed, "--no-intercept"], reference.Problem(A, two, "logistic", [("l1", graph, 0.05)], gamma=0.1)
    yield "chain", [*squared, *chained, "--no-intercept"], reference.Problem(A, signal, "squared", [("l1", chain, 0.1)])
    yield ("softmax", [*soft, *chained, "--gamma", 0.02, "--intercept"],
           reference.Problem(A, three, "softmax", [("group", chain, 0.05)], gamma=0.02, intercept=True, K=3))
    yield ("graph, weights", [*logistic, *graphed, "--intercept", *weights],
           reference.Problem(A, two, "logistic", [("l1", graph, 0.05)], gamma=0.1, intercept=True, weights=w))
    yield ("chain, weights", [*squared, *chained, "--intercept", *weights],
           reference.Problem(A, signal, "squared", [("l1", chain, 0.1)], intercept=True, weights=w))
    yield ("identity", [*logistic, *plain, "--intercept"],
           reference.Problem(A, two, "logistic", [("l1", eye, 0.05)], gamma=0.1, intercept=True))
    yield "squared identity", [*squared, *plain, "--gamma", 0.05, "--no-intercept"], reference.Problem(A, signal, "squared", [("l1", eye, 0.1)], gamma=0.05)
    yield ("softmax identity", [*soft, *plain, "--gamma", 0.1, "--intercept"],
           reference.Problem(A, three, "softmax", [("group", eye, 0.05)], gamma=0.1, intercept=True, K=3))
    for case, column, more in (("signal", np.arange(ROWS) % FEATURES, {}), ("signal, ridge", rng.permutation(ROWS) % FEATURES, {"gamma": 0.1})):
        S = np.zeros((ROWS, FEATURES))
        S[np.arange(ROWS), column] = 1 + column % 3
        ridge = [w for name, v in more.items() for w in (f"--{name}", v)]
        data = [write_svm(f"{case.replace(', ', '_')}{k}.svm", S, b) for k, b in enumerate((signal, two))]
        yield (case, [data[0], "--loss", "squared", "--lambda", 0.1, *ridge, *chained, "--intercept", *weights],
               reference.Problem(S, signal, "squared", [("l1", chain, 0.1)], intercept=True, weights=w, **more))
        yield (f"{case} of classes", [data[1], "--lambda", 0.05, *ridge, *graphed, "--no-intercept"],
               reference.Problem(S, two, "logistic", [("l1", graph, 0.05)], **more))
        yield (f"{case} of classes in a row", [data[1], "--lambda", 0.05, *ridge, *chained, "--no-intercept"],
               reference.Problem(S, two, "logistic", [("l1", chain, 0.05)], **more))


SIGNALS = ("auto", "prox-newton", "alm-ssn", "chain-newton", "cut-newton")  # the others need not show twice what they can


def check_optima(checks):
    table, cases = {}, list(make_cases())
    for case, words, p in cases:
        f_ref, error = p.solve(1e-10)[3:]
        zero = np.zeros((FEATURES, p.K))
        way = p.value(zero, p.best_intercept(zero)) - f_ref
        for solver, (epochs, tolerance, given, _) in SOLVERS.items():
            if not asked(solver):
                continue
            if case.startswith("signal") and solver not in SIGNALS:
                table.setdefault(solver, []).append("-")
                continue
            if refused(solver, p):
                done = subprocess.run([COMMAND, "fit", *map(str, words), "--solver", solver], capture_output=True, text=True, timeout=60)
                checks.check(done.returncode == 2, f"{case} {solver}: should be refused, not {done.returncode}")
                table.setdefault(solver, []).append("refused")
                continue
            worst = 0
            for more in MORE.get(solver, ([],)):
                fit = Fitted(*words, "--solver", solver, "--epochs", epochs, "--every", epochs, *(w for v in given for w in ("--param", v)), *more)
                left = (p.value(fit.x, fit.c) - f_ref) / way
                checks.check(left >= -error / way - 1e-12, f"{case} {solver} {more}: below the optimum by {-left:.3g}")
                checks.check(left <= tolerance, f"{case} {solver} {more}: {left:.3g} of the way are left, should be {tolerance}")
                worst = max(worst, abs(left))
            table.setdefault(solver, []).append(f"{worst:.1e}")
    print(f"{'part of the way left':16}", *(f"{case:>16}" for case, _, _ in cases))
    for solver, row in table.items():
        print(f"{solver:16}", *(f"{cell:>16}" for cell in row), f"  after {SOLVERS[solver][0]} epochs, allowed {SOLVERS[solver][1]:g}")
        shown = sum(cell not in ("refused", "-") for cell in row)
        checks.check(shown >= 3 or solver in ("fgp", "lasso", "blocks"), f"{solver}: three problems at least")  # test_iterates_fgp.py, test_columns.py, test_blocks have more


def check_refusals(checks):
    A = np.random.default_rng(2).normal(size=(4, 3))
    words = [write_svm("small.svm", A, [1, -1, 1, -1]), "--gamma", 0.1, "--structure", "identity"]
    for solver, (_, _, _, refusals) in SOLVERS.items():
        for sentence, change in refusals if asked(solver) else ():
            done = subprocess.run([COMMAND, "fit", *map(str, [*words, *change]), "--solver", solver], capture_output=True, text=True, timeout=60)
            checks.check(done.returncode == 2 and sentence in done.stderr, f"{solver} {change}: {done.returncode}, {done.stderr}")
    if asked("fsadmm"):
        Fitted(*words, "--solver", "fsadmm", "--param", "max_table_mb=0.00013", "--epochs", 2)  # fits, so it runs


if __name__ == "__main__":
    tally = Checks()
    listed = re.findall(r"^  (\S+) ", subprocess.run([COMMAND, "list", "solvers"], capture_output=True, text=True).stdout, re.M)
    tally.check(set(listed) == set(SOLVERS), f"the table above and `list solvers` differ in {set(listed) ^ set(SOLVERS)}")
    check_refusals(tally)
    check_optima(tally)
    tally.end()
