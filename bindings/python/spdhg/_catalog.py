# _catalog.py - what there is: losses, penalties, structures, sets, solvers, graph methods, as the library's tables say.
from __future__ import annotations

import math
from typing import Any, Dict, Iterator, NamedTuple

from ._call import text
from ._native import ffi, lib


def topics() -> list:
    found: list = []
    while (name := text(lib.spdhg_topic(len(found)))) is not None:
        found.append(name)
    return found


def entries(topic: str) -> Iterator[Any]:
    at = 0
    entry = ffi.new("spdhg_entry *")
    while lib.spdhg_list(topic.encode(), at, entry):
        yield entry
        at += 1


def catalog(topic: str) -> Dict[str, str]:
    """Names and their meaning, for 'losses', 'penalties', 'structures', 'sets', 'solvers', 'formats', 'kinds' or 'methods'.

    Examples
    --------
    >>> import spdhg
    >>> list(spdhg.catalog("penalties"))
    ['l1', 'group', 'linf', 'nuclear']
    """
    if topic not in topics():
        raise ValueError(f"unknown topic {topic!r}; expected one of: {', '.join(topics())}")
    found = {}
    for entry in entries(topic):
        about = text(entry.help) or ""
        if entry.argument != ffi.NULL:
            about += f"; NAME:ARG, ARG from {entry.min:g} to {entry.max:g}, default {entry.value:g}"
        for i in range(entry.params):
            p = entry.param[i]
            default = "by rule" if math.isnan(p.value) else f"{p.value:g}"
            about += f"\n  solver_params {text(p.name)}: from {p.min:g} to {p.max:g}, default {default}: {text(p.help)}"
        found[text(entry.name) or ""] = about
    return found


class LossEntry(NamedTuple):
    classify: bool
    probabilities: bool


_losses: Dict[str, LossEntry] = {}


def loss_entry(loss: str) -> LossEntry:
    """What the library's table says about a loss. ValueError if there is no such loss."""
    if not _losses:
        _losses.update((text(e.name) or "", LossEntry(bool(e.classify), bool(e.probabilities))) for e in entries("losses"))
    found = _losses.get(loss.split(":")[0]) if isinstance(loss, str) else None
    if found is None:
        of = {kind: ", ".join(name for name, entry in _losses.items() if entry.classify == kind) for kind in (True, False)}
        raise ValueError(f"loss={loss!r} is not one of {of[True]} (for labels), {of[False]} (for numbers)")
    return found


def classifies(loss: str) -> bool:
    """Is this a loss for labels?"""
    return loss_entry(loss).classify


_stochastic: set = set()


def stochastic(solver: str) -> bool:
    """Does this solver draw rows?"""
    if not _stochastic:
        _stochastic.update(text(e.name) for e in entries("solvers") if e.stochastic)
    return solver in _stochastic
