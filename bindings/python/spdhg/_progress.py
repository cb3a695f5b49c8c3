# _progress.py - what a running solve says: lines, or a bar that also works in a notebook.
from __future__ import annotations

import sys
from typing import Any, Callable, Optional

from ._call import text
from ._check import bound
from ._native import lib


def gap(value: float, digits: int = 2) -> str:
    """A gap; '-' where none is proven."""
    return "-" if value != value else bound(value, digits)


def bar(name: str) -> Callable:
    """tqdm's bar where it is installed (its own in a notebook), otherwise a line that is written over."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        tqdm = None
    state: dict = {}

    def listen(event: Any) -> None:
        if event.kind != lib.SPDHG_EVENT_POINT:
            return
        p, asked = event.point, event.epochs_asked
        says = f"objective {p.objective:.6g}, gap {gap(p.gap)}"
        if tqdm is not None:
            if "bar" not in state:
                state["bar"] = tqdm(total=asked or None, desc=name, unit="epoch")
            state["bar"].set_postfix_str(says, refresh=False)
            state["bar"].update(p.epoch - state["bar"].n)
        else:
            share = f" [{'#' * int(20 * min(1, p.epoch / asked)):20}]" if asked else ""
            sys.stderr.write(f"\r{name}:{share} epoch {p.epoch:.4g}, {says}, {p.seconds:.1f} s   ")
            sys.stderr.flush()

    def close() -> None:
        if "bar" in state:
            state["bar"].close()
        elif tqdm is None:
            sys.stderr.write("\n")

    listen.close = close  # type: ignore[attr-defined]
    return listen


def printer(verbose: Any, name: str) -> Optional[Callable]:
    """verbose 0: silent; 1: a line for each measured point; 2: also decisions; 'bar': a progress bar."""
    if verbose == "bar":
        return bar(name)
    if isinstance(verbose, str):
        raise ValueError(f"verbose={verbose!r} is not 0, 1, 2 or 'bar'")
    if not verbose:
        return None

    def listen(event: Any) -> None:
        if event.kind == lib.SPDHG_EVENT_POINT:
            p = event.point
            print(f"[{name}] epoch {p.epoch:8.4g}  objective {p.objective:.8g}  gap {gap(p.gap, 3)}  {p.seconds:.2f} s")
        elif verbose > 1:
            print(f"[{name}] {text(event.message)}")

    return listen
