#!/usr/bin/python3
"""Certificates of small problems over losses, penalties, sets, weights and scales: the independent checker of bench/ accepts each one, and rejects
it with any one number changed. Prints what mathematics rejected and what only a checksum, then 'N passed, N failed'."""
import copy
import importlib.machinery
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from checks import Checks

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COMMAND = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "spdhg"
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
try:
    from exact_problem import read_rows, sum_of
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)
bench = importlib.machinery.SourceFileLoader("certificates", os.path.join(ROOT, "bench", "certificates")).load_module()
tally, rejected_by = Checks(), {"mathematics": 0, "checksum": 0}
check = tally.check


def write_data(folder):
    draw = random.Random(5)
    rows = [[round(draw.gauss(0, 1), 4) for _ in range(6)] for _ in range(36)]
    side = [1 if a[0] - a[2] + draw.gauss(0, 1) > 0 else -1 for a in rows]
    third = [max(range(3), key=lambda k: a[k] + draw.gauss(0, 1)) + 1 for a in rows]
    pairs = lambda a: " ".join(f"{j + 1}:{v}" for j, v in enumerate(a) if v)
    tables = {
        "two.svm": [f"{s} {pairs(a)}" for s, a in zip(side, rows)],
        "three.svm": [f"{t} {pairs(a)}" for t, a in zip(third, rows)],
        "clock.svm": [f"{round(a[0] + a[5], 3)} 1:{1700000000 + int(1e5 * draw.random())} {' '.join(f'{j}:{a[j]}' for j in range(2, 5))}" for a in rows],
        "words.csv": ["kind,a,b,c"] + [f"{'left' if s < 0 else 'right'},{a[0]},{a[1]},{a[2]}" for s, a in zip(side, rows)],
        "parted.svm": [f"{1 if a[0] > 0 else -1} {pairs(a)}" for a in rows],
        "twins.svm": [f"{s} {pairs(a + [a[0] + 1e-13 * a[1]])}" for s, a in zip(side, rows)],
        "apart.svm": [f"{3 if a[5] > 0.6 else t if t < 3 else 1} {pairs(a)}" for t, a in zip(third, rows)],
        "many.svm": [f"{abs(round(3e9 * a[0] + 1e9 * a[1]))} {pairs(a[:3])}" for a in rows],
        "counts.svm": [f"{abs(round(3 * a[0] + a[1]))} {pairs(a)}" for a in rows],
        "weights": [str(round(draw.random() * 3, 3)) for _ in rows],
        "offset": [str(round(draw.gauss(0, 0.3), 3)) for _ in rows]}
    for name, lines in tables.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write("\n".join(lines) + "\n")


# data, options, exit status of fit, kind of the gap
CASES = [
    ("two.svm", "--lambda 0.02", 0, "certified"),
    ("two.svm", "--lambda 0.02 --structure chain", 0, "certified"),
    ("two.svm", "--lambda 0.02 --structure trend:1 --loss squared", 0, "certified"),
    ("two.svm", "--lambda 0 --loss squared --no-intercept", 0, "certified"),
    ("two.svm", "--lambda 0.03 --loss squared-hinge --gamma 0.1 --structure chain", 0, "certified"),
    ("two.svm", "--lambda 0.03 --loss smooth-hinge:0.7 --set box:-0.3,0.4 --structure chain", 0, "certified"),
    ("two.svm", "--lambda 0.01 --loss huber:0.6 --set nonneg --structure chain", 0, "certified"),
    ("two.svm", "--lambda 0.05 --penalty group --groups size:2", 0, "certified"),
    ("two.svm", "--lambda 0.05 --penalty linf --set ball:0.4", 0, "certified"),
    ("two.svm", "--lambda 0.01 --set l1ball:0.5 --gamma 0.1", 0, "certified"),
    ("two.svm", "--lambda 0.01 --set simplex:1 --loss squared", 0, "certified"),
    ("two.svm", "--lambda 0.02 --structure chain --standardize --weights weights --offset offset", 0, "certified"),
    ("two.svm", "--lambda 0.02 --structure chain --also-sparse 0.5 --class-weight balanced --test-fraction 0.25", 0, "certified"),
    ("two.svm", "--lambda 0.01 --structure chain --solver spdhg --epochs 20", 0, "certified"),
    ("twins.svm", "--lambda 0 --loss squared --solver prox-newton", 0, "within_radius"),  # auto may find a lower f far away: x of 1e13
    ("three.svm", "--lambda 0.02 --loss softmax --structure chain", 0, "certified"),
    ("three.svm", "--lambda 0.02 --loss softmax --penalty group --gamma 0.05 --weights weights", 0, "certified"),
    ("counts.svm", "--lambda 0.05 --loss poisson --structure chain", 0, "certified"),
    ("counts.svm", "--lambda 0.02 --loss poisson --set nonneg --gamma 0.1 --offset offset --weights weights", 0, "certified"),
    ("two.svm", "--lambda 0.02 --loss hinge --structure chain", 0, "certified"),
    ("two.svm", "--lambda 0.02 --loss quantile:0.3 --set nonneg --weights weights --offset offset", 0, "certified"),
    ("counts.svm", "--lambda 0 --loss poisson --set nonneg", 0, "certified"),
    ("many.svm", "--lambda 1e-9 --loss poisson", 0, "certified"),
    ("many.svm", "--lambda 1e-9 --loss poisson --structure chain --also-sparse 1", 0, "certified"),
    ("apart.svm", "--lambda 0 --loss softmax", 0, "certified"),
    ("apart.svm", "--lambda 0 --loss softmax --set nonneg", 0, "certified"),
    ("clock.svm", "--lambda 0.01 --loss squared --structure chain", 0, "certified"),
    ("clock.svm", "--lambda 0.01 --loss huber --structure chain --standardize", 0, "certified"),
    ("words.csv", "--label kind --lambda 0.02 --structure chain", 0, "certified"),
    ("parted.svm", "--lambda 0 --no-intercept", 4, "certified"),
]


def certify(folder, data, words, status):
    done = subprocess.run([COMMAND, "fit", data, *words.split(), "-q", "--certificate", "proof.json"], cwd=folder, capture_output=True, text=True)
    check(done.returncode == status, f"{data} {words}: exit status {done.returncode}: {done.stderr}")
    with open(os.path.join(folder, "proof.json")) as file:
        certificate = json.load(file)
    os.remove(os.path.join(folder, "proof.json"))
    return certificate, read_rows(os.path.join(folder, data), certificate["data"])


def check_changes(name, certificate, rows, draw):
    for kind in bench.KINDS:
        if kind == "y" and not certificate["y"]:
            continue
        found = bench.verdict(*bench.changed(certificate, rows, kind, draw))
        check(found != "accepted", f"{name}: a changed {kind} is accepted")
        rejected_by["checksum" if found == "checksum" else "mathematics"] += 1


def check_forgery(name, certificate, rows):
    """A statement that is too good is refused by mathematics, also with a checksum that fits."""
    forged = copy.deepcopy(certificate)
    forged["statement"]["objective"] -= 2 * forged["statement"]["gap"] + 1e-9
    del forged["checksum"]
    forged["checksum"] = sum_of(forged)
    check(bench.verdict(forged, rows) not in ("accepted", "checksum"), f"{name}: a forged objective is accepted")


def check_command(folder):
    """The program itself: exit status 0, and 1 for other data."""
    subprocess.run([COMMAND, "fit", "two.svm", "-q", "--certificate", "proof.json"], cwd=folder, check=True)
    for data, status, word in (("two.svm", 0, "accepted"), ("parted.svm", 1, "REJECTED")):
        done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "bench", "check-certificate"), "proof.json", data], cwd=folder, capture_output=True, text=True)
        check(done.returncode == status and word in done.stdout, f"check-certificate {data}: {done.stdout}{done.stderr}")


def check_sentences(folder):
    """What is printed claims no more than what is proven: `show` too, which knows the model only."""
    for data, words, kind in (("twins.svm", "--lambda 0 --loss squared --solver prox-newton", "within_radius"), ("two.svm", "--lambda 0.02 --structure chain", "certified")):
        fit = [COMMAND, "fit", data, *words.split(), "-o", "model.json"]
        done = subprocess.run(fit, cwd=folder, capture_output=True, text=True)
        summary = json.loads(subprocess.run([*fit, "--json"], cwd=folder, capture_output=True, text=True).stdout)
        shown = subprocess.run([COMMAND, "show", "model.json"], cwd=folder, capture_output=True, text=True).stdout
        said = re.search(r"proven within (\S+) of the best", done.stdout)
        check(summary["gap_kind"] == kind and said and float(said[1]) >= summary["gap"], f"{data} {words}: {done.stdout} {done.stderr}")
        if kind == "certified":
            said = re.search(r"proven within (\S+) of the best possible", shown)
            check(said and float(said[1]) >= summary["gap"], shown)
        else:
            radius = re.search(r"\|\|x\|\| <= (\S+), not of all x", done.stdout)
            check(radius and float(radius[1]) <= summary["gap_radius"] and "proven" not in shown, f"{done.stdout} {shown}")


def check_small(folder):
    """bench/check-in-60-lines agrees, and sends away what it does not know."""
    checker, path = os.path.join(ROOT, "bench", "check-in-60-lines"), os.path.join(folder, "small.json")
    answer = lambda: subprocess.run([sys.executable, checker, path, os.path.join(folder, "two.svm")], capture_output=True, text=True)
    for words in ("--lambda 0.02", "--lambda 0.02 --loss squared --no-intercept", "--lambda 0.02 --structure chain --gamma 0.1 --weights weights --offset offset"):
        subprocess.run([COMMAND, "fit", "two.svm", *words.split(), "-q", "--certificate", path], cwd=folder, check=True)
        check(answer().returncode == 0, f"60 lines, {words}: {answer().stderr}")
        with open(path) as file:
            proof = json.load(file)
        places = [(proof["statement"], "objective"), (proof["alpha"], 3), (proof["x"], proof["x"].index(max(proof["x"]))), (proof["problem"]["terms"][0], "lambda")]
        for place, key in places:
            right, place[key] = place[key], place[key] * 1.01
            with open(path, "w") as file:
                json.dump(proof, file)
            place[key] = right
            check(answer().returncode == 1, f"60 lines, {words}: accepted with another {key}")
    subprocess.run([COMMAND, "fit", "two.svm", "--lambda", "0.02", "--structure", "chain", "-q", "--certificate", path], cwd=folder, check=True)
    check("bench/check-certificate" in answer().stderr, "60 lines: a chain without ridge")


def check_again(folder):
    """The same solve gives the same bytes."""
    texts = []
    for _ in range(2):
        subprocess.run([COMMAND, "fit", "two.svm", "-q", "--certificate", "again.json"], cwd=folder, check=True)
        with open(os.path.join(folder, "again.json")) as file:
            texts.append(file.read())
    check(texts[0] == texts[1], "two certificates of one solve differ")


def main():
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        write_data(folder)
        for data, words, status, kind in CASES:
            name = f"{data} {words}"
            certificate, rows = certify(folder, data, words, status)
            check(certificate["statement"]["kind"] == kind, f"{name}: {certificate['statement']['kind']}")
            found = bench.verdict(certificate, rows)
            check(found == "accepted", f"{name}: {found}")
            check_changes(name, certificate, rows, draw)
            check_forgery(name, certificate, rows)
        check_command(folder)
        check_sentences(folder)
        check_small(folder)
        check_again(folder)
    print(f"changed numbers rejected: {rejected_by['mathematics']} by mathematics, {rejected_by['checksum']} only by a checksum")
    tally.end(196)


main()
