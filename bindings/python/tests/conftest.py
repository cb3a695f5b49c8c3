# conftest.py - data that several tests use, made by numpy; the command to compare with is SPDHG_COMMAND.
import os
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp


@pytest.fixture(autouse=True, scope="session")
def headless():
    os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture
def command():
    path = os.environ.get("SPDHG_COMMAND")
    if not path:
        pytest.skip("SPDHG_COMMAND is not set")

    def run(*words):
        return subprocess.run([path, *map(str, words)], check=True, capture_output=True, text=True).stdout

    return run


def sparse_rows(rows=300, features=24, seed=0, density=0.4):
    rng = np.random.default_rng(seed)
    X = sp.random(rows, features, density, format="csr", random_state=seed, data_rvs=rng.standard_normal)
    X.sort_indices()
    signal = X[:, :features // 2].sum(axis=1).A1 - 0.5 * X[:, features // 2:].sum(axis=1).A1
    return X, signal + 0.5 * rng.normal(size=rows)


def write_svm(path, X, y):
    """LIBSVM text whose numbers read back to the same bits."""
    X = X.tocsr()
    with open(path, "w") as file:
        for i in range(X.shape[0]):
            at = slice(X.indptr[i], X.indptr[i + 1])
            file.write(" ".join([repr(float(y[i]))] + [f"{j + 1}:{v!r}" for j, v in zip(X.indices[at], X.data[at].tolist())]) + "\n")
