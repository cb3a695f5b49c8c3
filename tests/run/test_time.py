# test_time.py - --time in seconds, where one step or one proof takes far longer (softmax, many classes). Only with SPDHG_TEST_ALL: it waits, and a busy machine
# makes it wait longer; so the processor's time counts, and the allowance is generous.
from reference_run import ALL, COMMAND, Checks, write_svm

import resource
import subprocess
import sys
import numpy as np

LIMIT, ALLOWED = 2, 12  # seconds; without limits inside of steps and proofs the runs take more than a minute


def used(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([COMMAND, "fit", *map(str, words), "--time", str(LIMIT), "--threads", "1", "-q"], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if not ALL:
        print("skipped: SPDHG_TEST_ALL is not set")
        sys.exit(77)
    checks = Checks()
    rng = np.random.default_rng(0)
    for n, d, density in ((20000, 70, 1), (3000, 3000, 0.3)):
        X = np.cumsum(rng.standard_normal((d, 20)) * (rng.random((d, 20)) < 0.05), 0)
        A = rng.standard_normal((n, d)).round(2) * (rng.random((n, d)) < density)
        data = write_svm("classes.svm", A, (A @ X + rng.gumbel(size=(n, 20))).argmax(1))
        for gamma in (0, 1e-3):
            status, seconds = used(data, "--loss", "softmax", "--structure", "chain", "--lambda", 1e-3, "--gamma", gamma)
            checks.check(status == 0 and seconds < ALLOWED, f"{n} x {d}, gamma {gamma}: {seconds:.1f} s, exit status {status}")
    checks.end()


main()
