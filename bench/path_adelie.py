#!/usr/bin/python3
"""One path by adelie, for bench/path and bench/path_blocks with --adelie DIR, the folder that holds an importable package adelie:

    path_adelie.py DIR WORK ROWS FEATURES KIND OUTPUTS GROUP REPEATS SPARSE TOL...

WORK has the matrix by columns, the targets and the lambdas as these scripts write them for glmnet. For each tolerance a line: the median CPU seconds of the
call, and our objective (the mean loss + lambda times the penalty) at each lambda. The call is grpnet with its own settings but for tolerances, lambdas, the
limit of its iterations and the early exit; groups have weight 1. adelie's losses of several outputs are divided by their number, hence lambda too.
"""
import os, sys, time

os.environ["OMP_NUM_THREADS"] = "1"
folder, work, n, p, kind, K, group, repeats, sparse = sys.argv[1:10]
sys.path.insert(0, folder)
import adelie
import numpy as np
import scipy.sparse

n, p, K, group, repeats = int(n), int(p), int(K), int(group), int(repeats)
read = lambda name, what: np.fromfile(os.path.join(work, name), what)
lambdas, b = read("lambda", float), read("b", float)
if sparse == "1":
    A = scipy.sparse.csc_matrix((read("x", float), read("i", np.int32), read("ptr", np.int32)), shape=(n, p))
    X = adelie.matrix.sparse(A, method="naive")
else:
    A = read("x", float).reshape(p, n).T
    X = adelie.matrix.dense(A, method="naive")
several = kind in ("mtask", "classes", "rows")
more = {"groups": "ungrouped" if kind == "classes" else None} if several else {}
groups = np.arange(0, p, group) if group > 0 else np.arange(p)
if kind == "mtask":
    glm = lambda: adelie.glm.multigaussian(np.ascontiguousarray(b.reshape(n, K)))
elif several:
    glm = lambda: adelie.glm.multinomial(np.ascontiguousarray(np.eye(K)[b.astype(int)]))
else:
    glm = lambda: adelie.glm.binomial((b > 0).astype(float)) if kind == "binomial" else adelie.glm.gaussian(b)
    more = {"groups": groups}
if kind == "classes":  # adelie penalises the rows of coefficients, or groups of them, not each number of a row
    sys.exit(0)
pieces = len(groups) if not several else p


def objective(state):
    found = []
    for l, lam in enumerate(lambdas):
        x = np.asarray(state.betas[l].todense()).ravel()
        c = np.asarray(state.intercepts[l] if not scipy.sparse.issparse(state.intercepts) else state.intercepts[l].todense()).ravel()
        x = x.reshape(p, K) if several else x
        z = np.asarray(A @ x) + c
        size = np.sqrt((x**2).sum(1)).sum() if several else np.sqrt(np.add.reduceat(x**2, groups)).sum()
        if kind == "mtask":
            loss = ((z - b.reshape(n, K)) ** 2).sum(1).mean() / 2
        elif several:
            top = z.max(1)
            loss = (top + np.log(np.exp(z - top[:, None]).sum(1)) - z[np.arange(n), b.astype(int)]).mean()
        else:
            loss = np.logaddexp(0, -b * z).mean() if kind == "binomial" else ((z - b) ** 2).mean() / 2
        found.append(loss + lam * size)
    return found


for tol in map(float, sys.argv[10:]):
    taken = []
    for _ in range(repeats):
        started = time.process_time()
        state = adelie.grpnet(X, glm(), lmda_path=lambdas / (K if several else 1), penalty=np.ones(pieces), tol=tol, irls_tol=tol, max_iters=int(1e8),
                              early_exit=False, progress_bar=False, n_threads=1, **({} if several else more))
        taken.append(time.process_time() - started)
    values = objective(state) if len(state.lmdas) == len(lambdas) else []
    print(np.median(taken), *(repr(float(v)) for v in values), flush=True)
