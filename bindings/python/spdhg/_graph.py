# _graph.py - structures learned from data: spdhg_structure_learn and what it says.
from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ._call import Watch, make_long
from ._check import memory, seed, threads
from ._data import data_handle, not_finite
from ._native import ffi, lib
from ._plot import axes
from ._structure import structure_matrix

CHOICES = ("auto", "ebic", "stars")


class Graph:
    """A learned graph: `edges` (pairs of features), `weights` (negative: opposite signs belong together), the matrix `F`, and a
    `report` as `spdhg graph` prints it."""

    def __init__(self, F: sp.csr_matrix, report: Dict[str, Any], names: Optional[Any] = None, rows_are_edges: bool = True) -> None:
        self.F, self.report, self.feature_names = F, report, names
        if rows_are_edges:  # w (x_i - x_j), or |w| (x_i + x_j)
            first = F.indptr[:-1][np.diff(F.indptr) == 2]
            ends, value = (F.indices[first], F.indices[first + 1]), -np.sign(F.data[first] * F.data[first + 1]) * np.abs(F.data[first])
        else:
            upper = sp.triu(F, 1).tocoo()
            ends, value = (upper.row, upper.col), -upper.data
        self.edges = np.column_stack(ends).astype(np.int64).reshape(-1, 2)
        self.weights = value

    def to_networkx(self) -> Any:
        """As a networkx graph with weights; nodes are feature names, if the data have them."""
        import networkx

        graph = networkx.Graph()
        names = list(range(self.F.shape[1])) if self.feature_names is None else list(self.feature_names)
        graph.add_nodes_from(names)
        graph.add_weighted_edges_from((names[i], names[j], float(w)) for (i, j), w in zip(self.edges, self.weights))
        return graph

    def plot(self, ax: Any = None) -> Any:
        """Draw the nodes that have an edge on a circle, and edges by sign."""
        ax = axes(ax)
        nodes = np.unique(self.edges)
        angle = 2 * np.pi * np.arange(len(nodes)) / max(1, len(nodes))
        at = {int(n): (np.cos(a), np.sin(a)) for n, a in zip(nodes, angle)}
        for (i, j), w in zip(self.edges, self.weights):
            ax.plot(*zip(at[int(i)], at[int(j)]), color="C0" if w > 0 else "C3", linewidth=0.7)
        for n, (x, y) in at.items():
            ax.text(1.08 * x, 1.08 * y, str(n if self.feature_names is None else self.feature_names[n]), ha="center", va="center")
        ax.set_axis_off()
        ax.set_aspect("equal")
        return ax

    def __repr__(self) -> str:
        return f"Graph: {self.F.shape[1]} features, {len(self.edges)} edges"


def graph_options(p: Dict[str, Any]) -> tuple:
    """spdhg_graph_options, and what must live as long. Parameters that are not given keep the library's defaults."""
    o = ffi.new("spdhg_graph_options *")
    o[0] = lib.spdhg_default_graph_options()
    keep = []
    words = {"method": p.get("method"), "form": "precision" if p.get("precision") else p.get("form")}
    rho, edges = p.get("rho"), p.get("edges")
    if isinstance(rho, str):
        if rho not in CHOICES:
            raise ValueError(f"rho={rho!r} is neither a number nor one of {', '.join(CHOICES)}")
        words["choose"] = rho
    elif rho is not None:
        o.rho = float(rho)
    if edges is not None:
        words["choose"], o.edges = "edges", int(edges)
    for name, word in words.items():
        if word is not None:
            keep.append(ffi.new("char[]", str(word).encode()))
            setattr(o, name, keep[-1])
    for name, field in (("neighbours", "neighbours"), ("max_component", "max_component"), ("tol", "tol"), ("threshold", "threshold"),
                        ("cov", "covariance"), ("penalize_diagonal", "penalize_diagonal"), ("both", "both")):
        if p.get(name) is not None:
            setattr(o, field, p[name])
    o.seed, o.max_memory, o.threads = seed(p.get("random_state", 0)), memory(p.get("max_memory")), threads(p.get("n_jobs"))
    return o, keep


def learn_handle(data: Any, p: Dict[str, Any]) -> tuple:
    """Handle of F, the report, and an interrupt to be raised: quic and alm keep what they have reached."""
    o, keep = graph_options(p)
    report, watch = ffi.new("spdhg_graph_report *"), Watch()
    watch.attach(o, keep)
    F, interrupt = make_long("structure", lib.spdhg_structure_learn, data, ffi.NULL, 0, o, report, free=lib.spdhg_structure_free, watch=watch, patience=2.0)
    said = {name: getattr(report, name) for name, _ in ffi.typeof("spdhg_graph_report").fields if not name.startswith("hub")}
    said["hubs"] = {int(report.hub[i]): int(report.hub_degree[i]) for i in range(report.hubs)}
    return F, said, interrupt


def learn_graph(X: Any, p: Dict[str, Any]) -> Graph:
    names = list(X.columns) if hasattr(X, "columns") else None
    try:
        X = check_array(X, accept_sparse="csr", dtype=np.float64, order="C", ensure_min_samples=2)
    except ValueError as error:
        if "NaN" in str(error) or "infinity" in str(error):
            raise ValueError(not_finite(X.tocsr() if sp.issparse(X) else np.asarray(X, np.float64), names)) from None
        raise
    F, report, interrupt = learn_handle(data_handle(X), p)
    graph = Graph(structure_matrix(F), report, names, not p["precision"] and p["form"].startswith("edge"))
    if interrupt is not None:
        interrupt.graph = graph  # sys.last_value.graph in a session
        raise interrupt
    return graph
