# _plot.py - small pictures of fits, where matplotlib is installed.
from __future__ import annotations

from typing import Any

import numpy as np


def axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot() needs matplotlib (Debian: python3-matplotlib)") from None
    return plt.subplots()[1]


def plot_coef(estimator: Any, ax: Any, output: int) -> Any:
    """An image if the structure is a grid in two dimensions, otherwise a line."""
    ax = axes(ax)
    coef = np.atleast_2d(estimator.coef_)[output]
    side = [int(s) for s in estimator._model.view.side if s > 1] if getattr(estimator, "_model", None) else []
    if len(side) == 2 and side[0] * side[1] == coef.size:
        most = np.abs(coef).max() or 1.0
        image = ax.imshow(coef.reshape(side), cmap="RdBu_r", vmin=-most, vmax=most)
        ax.figure.colorbar(image, ax=ax)
    else:
        ax.axhline(0, color="0.8", linewidth=0.8)
        ax.plot(coef, ".-" if coef.size < 200 else "-", linewidth=0.8)
        ax.set_xlabel("feature")
        ax.set_ylabel("coefficient")
    return ax


def plot_history(history: Any, ax: Any) -> Any:
    """Objective less its lowest value, and the duality gap, by epoch."""
    ax = axes(ax)
    above = history["objective"] - np.nanmin(history["objective"])
    gap = np.where(history["gap"] >= above, history["gap"], np.nan)  # a smaller one holds only within a radius: no bound on the rest
    for name, values in (("objective - best", above), ("duality gap", gap)):
        shown = np.isfinite(values) & (values > 0)
        if shown.any():
            ax.semilogy(history["epoch"][shown], values[shown], ".-", label=name)
    ax.set_xlabel("epoch")
    ax.legend()
    return ax


def plot_path(path: Any, ax: Any, kind: str) -> Any:
    ax = axes(ax)
    if kind == "cv":
        name = path.choose if path.choose in path.table else "loss"
        mean, error = path.table[name], path.table.get(name + "_error", np.zeros(len(path.alphas)))
        ax.errorbar(path.alphas, mean, np.nan_to_num(error), fmt=".-", linewidth=0.8)
        ax.set_ylabel(f"{name} of the cross-validation" if name in ("loss", "accuracy", "auc") else name)
    else:
        coefs = path.coefs.reshape(len(path.alphas), -1)
        ax.plot(path.alphas, coefs[:, np.abs(coefs).max(axis=0) > 0], linewidth=0.7)
        ax.set_ylabel("coefficients")
    ax.axvline(path.alpha, color="0.5", linestyle=":")
    ax.set_xscale("log")
    ax.set_xlabel("alpha")
    return ax
