# _race.py - solvers compared on data sets: spdhg_race and what it wrote.
from __future__ import annotations

import csv
import json
import os
from typing import Any, Dict, List

import numpy as np
from sklearn.utils import check_X_y

from ._base import Labels
from ._call import Watch, call, run, text
from ._catalog import classifies
from ._check import choice, flag, memory, number, seed, threads
from ._data import data_handle
from ._native import ffi, lib
from ._plot import axes
from ._problem import SAMPLING


def columns(path: str) -> Dict[str, np.ndarray]:
    """A CSV file as columns: numbers (empty cells are NaN) if all cells are numbers, otherwise texts."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    found = {}
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        try:
            found[name] = np.array([float(v) if v else np.nan for v in values])
        except ValueError:
            found[name] = np.array(values)
    return found


class Race:
    """The results in a folder: `summary` (dict), `table` (columns, a line for each run)."""

    def __init__(self, folder: Any) -> None:
        self.folder = os.fspath(folder)
        with open(os.path.join(self.folder, "summary.json")) as file:
            self.summary: Dict[str, Any] = json.load(file)
        self.table = columns(os.path.join(self.folder, "summary.csv"))

    def traces(self, data: str, task: str) -> Dict[str, np.ndarray]:
        """Measured points of all solvers and repeats, as columns."""
        return columns(os.path.join(self.folder, f"{data}.{task}.csv"))

    def plot(self, data: str, task: str, by: str = "epoch", ax: Any = None) -> Any:
        """Objective minus the certified lower bound, relative to it, by 'epoch' or 'seconds'; repeats as thin lines."""
        ax = axes(ax)
        traces = self.traces(data, task)
        (problem,) = [p for p in self.summary["problems"] if p["data"] == data and p["task"] == task]
        best = {o["repeat"]: o["objective"] for o in problem["optima"]}
        for k, solver in enumerate(dict.fromkeys(traces["solver"])):
            for repeat in np.unique(traces["repeat"]):
                of = (traces["solver"] == solver) & (traces["repeat"] == repeat)
                above = (traces["objective"][of] - best[int(repeat)]) / abs(best[int(repeat)])
                ax.semilogy(traces[by][of], np.maximum(above, 1e-16), color=f"C{k}", linewidth=0.8, label=solver if repeat == 0 else None)
        ax.set_xlabel(by)
        ax.set_ylabel("relative suboptimality")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return f"Race: {len(self.table['solver'])} runs in {self.folder}"


def _files(data: Any, folder: str, classify: bool) -> List[str]:
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if not isinstance(data, dict):
        return [os.fspath(name) for name in data]
    names = []
    for name, (X, y) in data.items():
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64, order="C", y_numeric=not classify)
        labels = Labels(y) if classify else None
        handle = data_handle(X, labels.b if labels else np.ascontiguousarray(y, np.float64), labels=labels.texts if labels else None)
        names.append(os.path.join(folder, "data", f"{name}.spd"))  # a race does not write where its data are
        call(lib.spdhg_data_write, handle, os.fsencode(names[-1]), ffi.NULL)
    return names


def race(data: Any, folder: Any, p: Dict[str, Any]) -> Race:
    folder = os.fspath(folder)
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    names = [ffi.new("char[]", os.fsencode(name)) for name in _files(data, folder, classifies(p["loss"]))]
    o = ffi.new("spdhg_race_options *")
    o[0] = lib.spdhg_default_race_options()
    keep = []
    solvers = p["solvers"] if isinstance(p["solvers"], str) else ",".join(p["solvers"])
    if p["reuse"] is not None:
        keep.append(ffi.new("char[]", os.fsencode(p["reuse"])))
        o.reuse = keep[-1]
    for field, value in (("tasks", p["task"]), ("solvers", solvers), ("protocol", p["protocol"]), ("preset", p["preset"]), ("tune_by", p["tune_by"]),
                         ("loss", p["loss"]), ("penalty", p["penalty"]), ("groups", p["groups"]), ("structure", p["structure"]),
                         ("set", p["constraint"]), ("class_weight", p["class_weight"])):
        if value is not None:
            if not isinstance(value, str):
                raise ValueError(f"{field}={value!r}: a race takes names only, as the command does")
            keep.append(ffi.new("char[]", value.encode()))
            setattr(o, field, keep[-1])
    for field, name in (("repeats", "repeats"), ("tune_folds", "tune_folds"), ("time_outs", "time_outs")):
        setattr(o, field, int(number(name, p[name] or 0)))
    for field, name in (("epochs", "max_iter"), ("every", "every"), ("run_time", "run_time"), ("test_fraction", "test_fraction"),
                        ("tune_fraction", "tune_fraction"), ("lambda", "alpha"), ("gamma", "gamma"), ("also_sparse", "also_sparse")):
        setattr(o, field, number(name, p[name] or 0))
    o.intercept, o.standardize, o.allow_one_class = (flag(name, p[name]) for name in ("fit_intercept", "standardize", "allow_one_class"))
    o.quick, o.sampling, o.seed, o.jobs = bool(p["quick"]), choice("sampling", p["sampling"], SAMPLING), seed(p["random_state"]), threads(p["n_jobs"])
    if p["batch"] is not None:
        o.batch = lib.SPDHG_BATCH_AUTO if p["batch"] == "auto" else int(number("batch", p["batch"], 1))
    o.max_memory = memory(p["max_memory"])

    def listen(event: Any) -> None:
        print(f"[race] {100 * event.part:3.0f} %: {text(event.data)} {text(event.task)} {text(event.solver)} {event.repeat}: {text(event.what)}")

    watch = Watch(listen if p["verbose"] else None)
    watch.keep = (keep, names)
    o.callback, o.user = ffi.addressof(lib, "spdhg_watch_race"), watch.c
    outcome = ffi.new("spdhg_outcome *")
    interrupt = run(watch, lib.spdhg_race, ffi.new("char *[]", names), len(names), os.fsencode(folder), o, outcome)
    if interrupt:
        raise interrupt
    return Race(folder)
