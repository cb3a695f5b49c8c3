# race_support.py - a plausible race directory, made up: what `spdhg race` leaves behind, with time-outs, a divergence, a refusal and a
# data set whose name is markup. Everything is a function of the numbers below, so tests can compute what the page must show.
import csv
import json
import math
import os
import random

HOSTILE = "<img src=x onerror=alert(1)></script><b>&amp;\"'"
LEVELS = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]
COLUMNS = "solver repeat epoch iteration seconds objective train_loss test_loss test_score gap dual_norm".split()
# speed: decades of suboptimality in an epoch; seconds of an epoch; floor of the curve; how many repeats time out, diverge.
SOLVERS = {"spdhg": (1.1, .04, 1e-4), "spdhg-sc1": (1.4, .04, 1e-5), "spdhg-sc2": (1.5, .05, 1e-6), "lpdhg": (.5, .3, 1e-3),
           "sadmm": (.7, .08, 2e-3), "opg-admm": (.8, .09, 1e-3), "rda-admm": (.4, .07, 1e-2), "fsadmm": (.9, .1, 5e-4),
           "ada-sadmm-diag": (1.0, .06, 3e-4), "ada-sadmm-full": (1.2, 1.4, 2e-4), "saga-pd3o": (1.8, .07, 1e-9), "auto": (4, .2, 1e-12)}
START = math.log(2)


def first_below(points, level, column):
    for p in points:
        if p["sub"] <= level:
            return p[column]
    return None


def run_points(name, best, repeat, epochs, draw, fate):
    speed, cost, floor = SOLVERS[name]
    shift, points, seconds = draw.gauss(0, .12), [], 0
    step = 0.25 if name != "auto" else 0.37 + 0.02 * repeat
    for k in range(round(epochs / step) + 1):
        epoch = k * step
        sub = max(10 ** (-speed * epoch * (1 + shift)), floor * (1 + .3 * draw.random())) if epoch else 1.0
        if fate == "diverged" and epoch > 0:
            sub = 10 ** (8 * epoch)
        if fate == "time-out" and epoch > 1.6:
            break
        if fate == "diverged" and epoch > 2:
            break
        points.append({"epoch": epoch, "iteration": int(1000 * epoch), "seconds": seconds, "sub": sub, "objective": best + sub * (START - best),
                       "test_loss": best + .05 + .6 * min(sub, 30) * (START - best), "test_score": .86 - .3 * min(1, sub)})
        seconds += step * cost * (1 + .1 * draw.random())
    return points


def make_problem(folder, data, task, number, solvers, repeats, epochs):
    draw = random.Random(number)
    optima = [{"repeat": r, "objective": .2 + .03 * number + .002 * r, "lower": .2, "gap": 1e-11, "certified": True} for r in range(repeats)]
    file, entries = f"set{number}.{task}.csv", []
    with open(os.path.join(folder, file), "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(COLUMNS)
        for s, name in enumerate(solvers):
            runs = []
            for r in range(repeats):
                fate = ("diverged" if name == "fsadmm" and number % 2 == 0 and r == 1 else "time-out" if name == "ada-sadmm-full" and r > 0 else
                        "refused" if name == "lpdhg" and number == 1 else "done")
                points = [] if fate == "refused" else run_points(name, optima[r]["objective"], r, epochs, draw, fate)
                for p in points:
                    table.writerow([name, r, p["epoch"], p["iteration"], p["seconds"], repr(p["objective"]), p["objective"], p["test_loss"],
                                    p["test_score"], "", 1])
                last = points[-1] if points else None
                runs.append({"repeat": r, "status": fate, "message": "it needs <smooth> data" if fate == "refused" else None,
                             "epochs": last and last["epoch"], "seconds": last and last["seconds"], "objective": last and last["objective"],
                             "suboptimality": last and last["sub"], "test_loss": last and last["test_loss"],
                             "test_score": last and last["test_score"],
                             "epochs_to": [first_below(points, l, "epoch") for l in LEVELS],
                             "seconds_to": [first_below(points, l, "seconds") for l in LEVELS]})
            entries.append({"solver": name, "params": {"s": .1 * (s + 1), "rho": 1.0}, "batch": 1, "tuned": "theory" if "spdhg" in name else "grid",
                            "grid_points": 0 if "spdhg" in name else 9, "runs": runs})
    return {"data": data, "task": task, "traces": file, "model": None, "structure_file": None, "samples": 24000 + number, "features": 123,
            "test_samples": 6000, "lambda": 1e-5, "gamma": 0 if task == "gglr" else 1e-2, "structure": "learned", "structure_rows": 230,
            "structure_nonzeros": 460, "start_objective": START, "optima": optima, "solvers": entries}


def make_statistics(task, solvers, measure, sets):
    ranks = sorted(solvers, key=lambda s: -SOLVERS[s][0])
    return {"task": task, "protocol": "paper", "measure": measure, "data_sets": sets,
            "solvers": [{"solver": s, "mean_rank": 1 + .92 * ranks.index(s) + .2, "wins": max(0, sets - 2 * ranks.index(s))} for s in solvers],
            "friedman": {"chi2": 41.5, "degrees": len(solvers) - 1, "p": 2e-5}, "nemenyi": {"alpha": .05, "critical_difference": 4.8},
            "pairs": [{"a": ranks[0], "b": b, "wins_a": sets, "wins_b": 0, "ties": 0, "p": .03, "p_holm": .04 if i > 3 else .3}
                      for i, b in enumerate(ranks[1:])]}


def make_race(folder, data=("a9a", HOSTILE), tasks=("gglr", "ggrlr"), solvers=tuple(SOLVERS), repeats=3, epochs=3):
    """Fills the folder; returns the summary."""
    os.makedirs(folder, exist_ok=True)
    problems = [make_problem(folder, name, task, 2 * i + t, solvers, repeats, epochs) for i, name in enumerate(data) for t, task in enumerate(tasks)]
    measures = ["suboptimality at the last epoch", "seconds to 1e-3", "epochs to 1e-3"]
    summary = {"format": "spdhg race 1", "version": "0.1.0", "command": f"spdhg race a9a '{HOSTILE}' -o race --quick",
               "machine": {"cpu": "Some Processor 9000", "cores": 2, "memory": 8 << 30, "system": "Linux 6.1"}, "seed": 0, "protocol": "paper",
               "preset": None, "quick": True, "repeats": repeats, "epochs": epochs, "run_time": 10, "test_fraction": .2, "levels": LEVELS,
               "problems": problems, "statistics": [make_statistics(t, solvers, m, len(data)) for t in tasks for m in measures]}
    with open(os.path.join(folder, "summary.json"), "w") as out:
        json.dump(summary, out)
    return summary
