# dropin_plugin.py - pytest's side of bench/dropin: scikit-learn's names lead to our estimators before its test modules are imported, and
# no test takes more than SECONDS of processor time, or ten times as long.
import importlib
import json
import os
import signal
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dropin_estimators import REPLACED  # noqa: E402

SECONDS = 60


KEPT = []  # what stood where ours stand while the test modules are imported


def pytest_configure(config):
    if os.environ.get("DROPIN_CELER"):
        return  # those tests compare with scikit-learn's own
    for place in ("sklearn.linear_model", "sklearn.linear_model._coordinate_descent", "sklearn.linear_model._logistic", "sklearn.linear_model._ridge"):
        module = importlib.import_module(place)
        for name, cls in REPLACED.items():
            if hasattr(module, name):
                KEPT.append((module, name, getattr(module, name)))
                setattr(module, name, cls)


def pytest_collection_finish(session):
    """scikit-learn's other classes use their own again: LogisticRegressionCV needs the inside of LogisticRegression."""
    for module, name, original in KEPT:
        setattr(module, name, original)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    def late(*_):
        raise TimeoutError(f"HANG: more than {SECONDS} s of processor time, or {10 * SECONDS} s")

    before = [signal.signal(which, late) for which in (signal.SIGALRM, signal.SIGPROF)]
    signal.alarm(10 * SECONDS)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        for which, handler in zip((signal.SIGALRM, signal.SIGPROF), before):
            signal.signal(which, handler)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" or report.failed:
        last = str(call.excinfo.value).strip().splitlines()[:12] if call.excinfo else []
        kind = call.excinfo.type.__name__ if call.excinfo else ""
        with open(os.environ["DROPIN_OUT"], "a") as file:
            file.write(json.dumps({"test": item.nodeid.split("/")[-1], "outcome": report.outcome, "kind": kind, "says": last}) + "\n")
