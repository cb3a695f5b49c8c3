#!/usr/bin/python3
"""Fits and learned graphs of rows enough for several shards have the same bits on one, two and three threads: model, objective, gap. Solvers of every kind of
sum: written-out Hessians, tied coordinates, gradients, certificates without ridge, softmax, weights by class, standardised columns."""
import json, os, subprocess, sys, tempfile

COMMAND = sys.argv[1]
CASES = [
    ("chain --features 40 --density 0.3", "--loss squared --structure chain --lambda 0.01"),
    ("chain --features 900 --density 0.01", "--loss squared --structure chain --lambda 0.01 --epochs 40"),
    ("sparse --features 60 --density 0.1", "--loss logistic --lambda 0.003 --standardize --class-weight balanced"),
    ("sparse --features 60 --density 0.1", "--loss logistic --structure chain --lambda 0.003"),
    ("multiclass --features 12 --outputs 3", "--loss softmax --structure chain --lambda 0.01"),
    ("lasso --features 30", "--loss huber:0.5 --structure chain --lambda 0.02 --solver pd3o --epochs 20"),
]
GRAPHS = [("chain --features 40 --density 0.2", "--edges 60"), ("chain --features 40", "--edges 60 --cov")]


def fit(folder, data, options, threads):
    model = os.path.join(folder, f"model{threads}.json")
    done = subprocess.run([COMMAND, "fit", data, *options.split(), "--threads", str(threads), "-o", model, "--force", "--quiet"],
                          capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    with open(model) as f:
        found = json.load(f)
    for key in ("seconds", "checksum", "command", "created"):
        found.pop(key, None)
    return json.dumps(found, sort_keys=True)


def learn(folder, data, options, threads):
    edges = os.path.join(folder, f"edges{threads}.csv")
    done = subprocess.run([COMMAND, "graph", data, *options.split(), "--threads", str(threads), "-o", edges, "--json", "--force"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(edges) as f:
        return f.readlines(), {key: value for key, value in json.loads(done.stdout).items() if key in ("rho", "objective", "gap")}


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (kind, options) in enumerate(CASES + GRAPHS):
            data = os.path.join(folder, f"data{number}.spd")
            subprocess.run([COMMAND, "generate", *kind.split(), "--rows", "9000", "--seed", str(number), "-o", data, "--force"],
                           check=True, capture_output=True)
            task = fit if number < len(CASES) else learn
            models = [task(folder, data, options, threads) for threads in (1, 2, 3)]
            same = models[0] == models[1] == models[2]
            failed += not same
            if not same:
                print(f"FAILED {kind}, {options}: the bits depend on the threads")
    print(f"{len(CASES) + len(GRAPHS) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
