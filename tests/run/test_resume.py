#!/usr/bin/python3
"""A fit killed with SIGKILL at random moments and resumed each time ends with the bits of the undisturbed one, for every solver.

    test_resume.py COMMAND        3 kills a solver; with SPDHG_TEST_ALL set 50. Prints 'N passed, N failed'.

A fit that ends before it has been killed so often is compared and begun again.
"""
import json, os, random, re, signal, subprocess, sys, tempfile, time

COMMAND = os.path.abspath(sys.argv[1])
KILLS = 50 if os.environ.get("SPDHG_TEST_ALL") else 3
random.seed(1)


def run(*words, **options):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, **options)


def solvers():
    return re.findall(r"^  (\S+) ", run("list", "solvers").stdout, re.M)


def model(path):
    with open(path) as f:
        m = json.load(f)
    for key in ("seconds", "outcome"):
        m.pop(key, None)
    return m


def base(solver):
    structure = "identity" if solver in ("spdc", "spdc-adaptive", "rpdg", "cd-newton", "lasso", "blocks", "fista") else "edges:edges.txt"  # it refuses everything else
    data = "signal.svm" if solver in ("chain-newton", "cut-newton", "fgp") else "train.svm"
    own = {"fgp": ["--loss", "squared"], "blocks": ["--penalty", "group", "--groups", "size:3"]}  # what these ask for
    return ["fit", data, "--structure", structure, "--lambda", "1e-3", "--gamma", "0.01", "--solver", solver, "--no-intercept", "-q"] + own.get(solver, [])


def long_enough(solver):
    """Epochs for which the fit takes a good part of a second, if it does not end by itself before, and the seconds."""
    epochs, seconds = 4 / 3, 0
    while seconds < 0.3 and epochs < 4000:
        epochs, start = round(3 * epochs), time.monotonic()
        done = run(*base(solver), "--epochs", str(epochs), "--every", str(epochs), "-o", "whole.json")
        seconds = time.monotonic() - start
        assert done.returncode == 0, (solver, done.returncode, done.stderr)
    return epochs, seconds


def killed_and_resumed(solver, epochs, seconds, kills):
    """The number of kills so far and the model of a fit that was killed, resumed, killed, ... until KILLS of them have happened."""
    for name in ("c", "c.previous", "part.json"):
        if os.path.exists(name):
            os.unlink(name)
    words = base(solver) + ["--epochs", str(epochs), "--every", str(epochs), "--checkpoint", "c", "--checkpoint-every", "0.01", "-o", "part.json"]
    while True:
        resume = ["--resume", "c"] if os.path.exists("c") else []
        process = subprocess.Popen([COMMAND, *words, *resume], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if kills < KILLS:
            time.sleep(random.uniform(0.3, 1) * min(seconds, 0.15))
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
            if process.returncode == -signal.SIGKILL:
                continue
        _, errors = process.communicate()
        assert process.returncode == 0, (solver, process.returncode, errors)
        return kills, model("part.json")


def refusals():
    """What determines the iterates may not change; what does not, may."""
    words = base("spdhg")
    run(*words, "--epochs", "2", "--checkpoint", "k", check=True)
    for change, part in ((["--lambda", "2e-3"], "problem"), (["--seed", "5"], "seed"), (["--param", "s=1"], "parameters"), (["--batch", "2"], "batch"),
                         (["--solver", "spdhg-sc1"], "solver"), (["--test-fraction", "0.1"], "data")):
        done = run(*words, "--epochs", "3", "--resume", "k", *change)
        assert done.returncode == 2 and part in done.stderr, (change, done.returncode, done.stderr)
    for change in (["--threads", "1"], ["--tol", "1e-12"], ["--every", "0.5"], ["--time", "100"]):
        done = run(*words, "--epochs", "3", "--resume", "k", *change)
        assert done.returncode in (0, 4), (change, done.returncode, done.stderr)
    assert run(*words, "--resume", "missing").returncode == 5
    with open("k", "r+b") as f:
        f.write(b"garbage")
    assert run(*words, "--epochs", "3", "--resume", "k").returncode == 3


def ended():
    """Resumed after its last step a run goes no further: also where the solver ended it, before the epochs asked for."""
    words = base("prox-newton") + ["--epochs", "9000"]
    run(*words, "--checkpoint", "e", "-o", "whole.json", check=True)
    run(*words, "--resume", "e", "-o", "part.json", check=True)
    assert model("whole.json") == model("part.json") and model("whole.json")["epochs"] < 9000, model("part.json")


def stopped():
    """A run to a tolerance that was stopped by --epochs, or ended, and is resumed without that limit, goes on as if it had never
    stopped: points are evaluated when they would have been, so that it also ends where it would have. The gap may differ by what a
    matrix does that the proof keeps from an earlier point."""
    run("generate", "sparse", "-o", "more.svm", "--rows", "600", "--features", "120", "--density", "0.05", "--seed", "3", check=True)
    count = 0
    for number, (lam, structure, more) in enumerate((l, s, m) for l in ("1e-2", "1e-3", "1e-4") for s in ("chain", "identity")
                                                    for m in ([], ["--loss", "smooth-hinge"], ["--gamma", "1e-3"], ["--loss", "squared"])):
        words = ["fit", "more.svm", "--structure", structure, "--lambda", lam, "--tol", "1e-9", "-q", *more]
        run(*words, "-o", "whole.json", check=True)
        whole = model("whole.json")
        for share in (0.3, 0.6, 0.9, 1.2) if os.environ.get("SPDHG_TEST_ALL") else ((0.3, 0.9) if number % 2 else (0.6, 1.2)):
            for name in ("s", "s.previous"):
                if os.path.exists(name):
                    os.unlink(name)
            run(*words, "--epochs", str(max(1, round(share * whole["epochs"]))), "--checkpoint", "s")
            run(*words, "--resume", "s", "-o", "part.json", check=True)
            part, count = model("part.json"), count + 1
            assert abs(part.pop("gap") - whole["gap"]) <= 1e-3 * whole["gap"], (words, share)
            different = [k for k in whole if k not in ("gap", "checksum") and part[k] != whole[k]]  # the sum covers the gap
            assert not different, (words, share, different)
    print(f"stopped and resumed {count} times: same bits")


def sampled():
    """Newton's first steps on a sample of the rows: a checkpoint is about all rows all the same. Nothing but the file is added."""
    draw = random.Random(4)
    with open("tall.svm", "w") as f:
        for _ in range(3000):
            a = [draw.gauss(0, 1) for _ in range(3)]
            f.write(f"{1 if a[0] + draw.gauss(0, 1) > 0 else -1} " + " ".join(f"{j + 1}:{v:.5g}" for j, v in enumerate(a)) + "\n")
    words = ["fit", "tall.svm", "--loss", "squared-hinge", "--gamma", "0.01", "--structure", "chain", "--lambda", "1e-4"]
    said = run(*words, "-v", "-o", "whole.json", check=True).stderr
    assert "on a sample of the rows" in said, said
    run(*words, "--checkpoint", "t", "-o", "part.json", check=True)
    assert model("part.json") == model("whole.json")
    run(*words, "--epochs", "3", "--checkpoint", "u", "-o", "part.json")
    run(*words, "--resume", "u", "-o", "part.json", check=True)
    part, whole = model("part.json"), model("whole.json")
    assert part["coefficients"] == whole["coefficients"], (part, whole)


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        run("generate", "sparse", "-o", "train.svm", "--rows", "400", "--features", "60", "--density", "0.1", check=True)
        with open("signal.svm", "w") as f:
            f.writelines(f"{random.choice([-1, 1])} {j + 1}:1\n" for j in range(20000))
        with open("edges.txt", "w") as f:
            f.writelines(f"{i} {i + 1}\n" for i in range(1, 40))
        for solver in solvers():
            if solver == "auto":
                continue
            epochs, seconds = long_enough(solver)
            whole, kills, rounds, good = model("whole.json"), 0, 0, True
            while kills < KILLS and good:
                kills, part = killed_and_resumed(solver, epochs, seconds, kills)
                good, rounds = whole == part, rounds + 1
            passed, failed = passed + good, failed + (not good)
            print(f"{solver}: {epochs} epochs, killed {kills} times in {rounds} fits: {'same bits' if good else 'DIFFERENT'}", flush=True)
        refusals()
        ended()
        stopped()
        sampled()
        passed += 4
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 6)


main()
