#!/usr/bin/python3
# test_faults_python.py - the library's allocations fail, one after another, while Python calls it; a model is saved where no file may grow.
# Then a MemoryError or OSError is raised, or the fault did not matter and the result is the same as without it; the estimator is usable
# afterwards, and the file is the old one. Each fault is tried in a process of its own (fork). With SPDHG_TEST_ALL all of them.
# Exit 77 where the build has no Python package, or is instrumented by a sanitizer, which has its own malloc.
import ctypes
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile

COMMAND = os.path.abspath(sys.argv[1])
BUILD = os.path.dirname(COMMAND)
LIBRARY = b"spdhg/_native"  # the extension, which contains the library
ALL = bool(os.environ.get("SPDHG_TEST_ALL"))


def uses():
    """{name: a call whose result is bytes}. Data and what is imported at the first call are there before the fault."""
    import numpy as np
    import scipy.sparse as sp
    import spdhg

    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 8))
    y = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=60)
    labels, S = y > 0, sp.random(60, 12, 0.3, format="csr", random_state=2)
    classifier = spdhg.StructuredClassifier(structure="chain", alpha=1e-2, n_jobs=1)
    regressor = spdhg.StructuredRegressor(alpha=1e-2, n_jobs=1)
    cv = spdhg.StructuredRegressorCV(cv=3, n_alphas=5, n_jobs=1)
    fitted = spdhg.StructuredClassifier(alpha=1e-2, n_jobs=1).fit(X, labels)
    place = tempfile.mkdtemp()
    name = os.path.join(place, "model.json")
    fitted.save(name)
    return {
        "fit": lambda: classifier.fit(X, labels).coef_.tobytes(),
        "fit sparse": lambda: regressor.fit(S, y).coef_.tobytes(),
        "fit_path": lambda: spdhg.fit_path(X, y, loss="squared", structure="chain", n_alphas=4, cv=3, n_jobs=1).coefs.tobytes(),
        "cross-validation": lambda: cv.fit(X, y).coef_.tobytes(),
        "predict": lambda: fitted.predict_proba(X).tobytes(),
        "load": lambda: spdhg.load_model(name).coef_.tobytes(),
        "learn_graph": lambda: np.asarray(spdhg.learn_graph(X, rho=0.1, n_jobs=1).weights).tobytes(),
        "denoise": lambda: np.asarray(spdhg.denoise(y, structure="chain", alpha=0.1, n_jobs=1).x).tobytes(),
    }


def child(call, kind, n, shim):
    """What a fresh process with the fault says: ["same", hash, calls], ["error", kind, message] or ["signal", number]."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            shim.spdhg_faults_of(LIBRARY, kind, n)
            try:
                result = call()
                calls = shim.spdhg_faults_calls()
                shim.spdhg_faults_of(LIBRARY, kind, 0)
                said = ["done", hashlib.sha256(result).hexdigest(), calls]
            except Exception as error:
                shim.spdhg_faults_of(LIBRARY, kind, 0)
                said = ["error", type(error).__name__, str(error), hashlib.sha256(call()).hexdigest()]
            os.write(writer, json.dumps(said).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        text = file.read()
    status = os.waitpid(pid, 0)[1]
    return json.loads(text) if text and not os.WIFSIGNALED(status) else ["died", os.WTERMSIG(status)]


def part(count, most):
    return range(1, count + 1) if ALL or count <= most else sorted({1 + k * (count - 1) // (most - 1) for k in range(most)})


def allocations():
    shim = ctypes.CDLL(os.path.join(BUILD, "libspdhg_faults.so"))
    shim.spdhg_faults_calls.restype = ctypes.c_longlong
    shim.spdhg_faults_of.restype = ctypes.c_size_t
    shim.spdhg_faults_of.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_longlong]
    tried = bad = 0
    calls = uses()
    if shim.spdhg_faults_of(LIBRARY, b"malloc", 0) != 1:
        sys.exit("test_faults_python.py: the library is not where it is expected")
    for name, call in calls.items():
        call()
        for kind in (b"malloc", b"mmap", b"thread"):
            plain = child(call, kind, 0, shim)
            if plain[0] != "done" or (kind == b"malloc" and not plain[2]):
                bad += 1
                print(f"FAILED {name}: without a fault: {plain}")
                continue
            for n in part(plain[2], 25):
                said = child(call, kind, n, shim)
                good = said[:2] == plain[:2] or (kind != b"thread" and said[:2] == ["error", "MemoryError"] and said[3] == plain[1])
                tried, bad = tried + 1, bad + (not good)
                if not good:
                    print(f"FAILED {name}: {kind.decode()} {n} of {plain[2]}: {said}")
    return tried, bad


def save_where_no_file_may_grow():
    """The file there was stays, no other is left, and the error is an OSError."""
    import numpy as np
    import spdhg

    with tempfile.TemporaryDirectory() as place:
        name = os.path.join(place, "model.json")
        model = spdhg.StructuredRegressor(alpha=0.1).fit(np.eye(4), np.arange(4.0))
        model.save(name)
        with open(name, "rb") as file:
            before = file.read()
        model.set_params(alpha=0.01).fit(np.eye(4), np.arange(4.0))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, limit[1]))
        try:
            model.save(name)
            said = "saved"
        except OSError:
            said = None
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        with open(name, "rb") as file:
            after = file.read()
        left = os.listdir(place)
    if said or after != before or left != ["model.json"]:
        print(f"FAILED save: {said}, file {'kept' if after == before else 'changed'}, {left}")
        return 1
    return 0


def main():
    for name in ("python/spdhg/_native.abi3.so", "libspdhg_faults.so"):
        if not os.path.exists(os.path.join(BUILD, name)):
            print(f"skipped: this build has no {name}")
            sys.exit(77)
    if "libspdhg_faults" not in os.environ.get("LD_PRELOAD", ""):
        own = dict(os.environ, LD_PRELOAD=os.path.join(BUILD, "libspdhg_faults.so"), PYTHONPATH=os.path.join(BUILD, "python"), OPENBLAS_NUM_THREADS="1",
                   PYTHONDONTWRITEBYTECODE="1")
        sys.exit(subprocess.run([sys.executable, __file__, COMMAND], env=own).returncode)
    tried, bad = allocations()
    bad += save_where_no_file_may_grow()
    print(f"{tried + 1 - bad} passed, {bad} failed")
    sys.exit(bad > 0)


main()
