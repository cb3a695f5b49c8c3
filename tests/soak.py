#!/usr/bin/python3
"""Random verbs with random options on random data, some of them ended by a signal at a random moment, for a given time.

    tests/soak.py COMMAND [SECONDS [SEED]]        an hour by default

A command ends with one of its exit statuses and, unless that is 0, with a word about it; it dies of no signal but SIGKILL, or one that came
before it had begun; it takes no more than a minute and leaves only files that it was asked for, each of them whole. Prints the number of
commands by verb and the longest; exit status 1 if one of them broke these rules.
"""
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

COMMAND = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 3600
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
STATUSES = {0, 2, 3, 4, 5, 6, 7}
draw = random.Random(SEED)


def data(path):
    """LIBSVM rows, sometimes with labels of one class, huge numbers or an empty row."""
    rows, features, large = draw.choice((1, 5, 60, 300)), draw.choice((1, 6, 40)), draw.choice((1, 1, 1, 1e-9, 1e9))
    labels = draw.choice(((-1, 1), (-1, 1), (0, 1, 2), (1,)))
    with open(path, "w") as file:
        for _ in range(rows):
            entries = " ".join(f"{j + 1}:{large * draw.gauss(0, 1):.4g}" for j in range(features) if draw.random() < 0.7)
            file.write(f"{draw.choice(labels)} {entries}\n")


def words():
    some = lambda *options: draw.sample(options, draw.randrange(len(options) + 1))
    flat = lambda lists: [w for words in lists for w in words]
    problem = flat(some(["--loss", draw.choice(("logistic", "squared", "squared-hinge", "huber:1", "softmax", "poisson", "hinge"))],
                        ["--penalty", draw.choice(("l1", "linf", "nuclear"))], ["--structure", draw.choice(("identity", "chain", "trend:1"))],
                        ["--lambda", draw.choice(("0", "1e-6", "1e-2", "10"))], ["--gamma", draw.choice(("0", "1e-3", "1"))], ["--no-intercept"],
                        ["--standardize"], ["--set", draw.choice(("ball:1", "nonneg", "box:-1,1"))]))
    solver = draw.choice(("auto", "auto", "spdhg", "pd3o", "prox-newton", "saga-pd3o", "sadmm", "interior"))
    verb = draw.choice(("fit", "fit", "fit", "path", "predict", "graph", "inspect", "convert", "show", "bound", "denoise", "race"))
    return verb, {
        "fit": ["fit", "a.svm", *problem, "--solver", solver, "--time", "2", "-o", "m.json", *flat(some(["--trace", "t.csv"], ["--report", "r.html"],
                ["--checkpoint", "c", "--checkpoint-every", "0.05"], ["--certificate", "p.json"], ["--resume", "c"], ["--json"]))],
        "path": ["path", "a.svm", *problem, "--time", "3", "--lambdas", "5", "-o", "m.json", *flat(some(["--folds", "3"], ["--path", "p.csv"]))],
        "predict": ["predict", "m.json", "a.svm", "-o", "y.csv"], "graph": ["graph", "a.svm", "--rho", "0.3", "-o", "F.mtx"],
        "inspect": ["inspect", "a.svm", "--json"], "convert": ["convert", "a.svm", "-o", draw.choice(("b.spd", "b.csv", "b.mtx"))],
        "show": ["show", "m.json"], "bound": ["bound", "a.svm", "--set", "ball:2", "--no-intercept"],
        "denoise": ["denoise", "s.txt", "--lambda", "0.3", "-o", "s2.txt"],
        "race": ["race", "a.svm", "--solvers", "pd3o,spdhg", "--epochs", "2", "--repeats", "1", "-q", "-o", "race"]}[verb]


def whole(folder):
    """The first file that is not what its name says, or is temporary."""
    for name in os.listdir(folder):
        if ".tmp." in name:
            return name
        if name in ("m.json", "p.json"):
            try:
                with open(os.path.join(folder, name)) as file:
                    json.load(file)
            except ValueError:
                return name
    return None


def main():
    tally, signalled, bad, longest, until = collections.Counter(), 0, 0, (0, ""), time.monotonic() + SECONDS
    with tempfile.TemporaryDirectory(prefix="spdhg-soak-") as folder:
        with open(os.path.join(folder, "s.txt"), "w") as file:
            file.writelines(f"{draw.gauss(i > 50, 1)}\n" for i in range(100))
        data(os.path.join(folder, "a.svm"))
        while time.monotonic() < until:
            if draw.random() < 0.1:
                data(os.path.join(folder, "a.svm"))
            verb, line = words()
            process = subprocess.Popen([COMMAND, *line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            began = time.monotonic()
            sent = draw.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL)) if draw.random() < 0.2 else None
            if sent:
                time.sleep(draw.uniform(0, 0.1))
                process.send_signal(sent)
            try:
                said, _ = process.communicate(timeout=60)
                code = process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                said, _ = process.communicate()
                code = "no end"
            longest = max(longest, (time.monotonic() - began, " ".join(line)))
            allowed = STATUSES | ({-sent, 128 + sent} if sent else set())
            silent = code != 0 and not said.strip() and code != -signal.SIGKILL and not (sent and code == -sent)  # it had not begun
            broken = whole(folder)
            tally[verb] += 1
            signalled += sent is not None
            if code not in allowed or silent or broken:
                bad += 1
                print(f"seed {SEED}: spdhg {' '.join(line)}: {code}, signal {sent}, {broken}: {said.strip()[-300:]}", flush=True)
    print(", ".join(f"{verb} {count}" for verb, count in sorted(tally.items())))
    print(f"{sum(tally.values())} commands, {signalled} of them with a signal, {bad} bad, seed {SEED}; the longest, {longest[0]:.1f} s: {longest[1]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
