# _structure.py - the matrix F from what a user may give: a name, sides of a grid, edges, a graph, a matrix; or learned from the rows.
from __future__ import annotations

import math
import re
import warnings
from typing import Any, Optional

import numpy as np
import scipy.sparse as sp

from ._call import borrowed, doubles, longs, make, text
from ._native import ffi, lib

LEARNED, CATEGORIES = "learned", "categories"


def _from_edges(ends: np.ndarray, weight: Optional[np.ndarray], features: int) -> Any:
    ends = np.ascontiguousarray(ends, np.int64)
    if weight is not None:
        weight = np.ascontiguousarray(weight, np.float64)
    return make("structure", lib.spdhg_structure_from_edges, features, len(ends), longs(ends), doubles(weight),
                free=lib.spdhg_structure_free)


def _from_matrix(F: Any, features: int) -> Any:
    F = sp.csr_matrix(F, dtype=np.float64, copy=True)
    F.sum_duplicates()
    F.eliminate_zeros()
    if F.shape[1] != features:
        raise ValueError(f"structure: the matrix has {F.shape[1]} columns, the data have {features} features")
    if F.shape[0] == F.shape[1] and F.nnz and not F.diagonal().any() and (F != F.T).nnz == 0:
        edges = sp.triu(F).tocoo()  # a graph's adjacency
        return _from_edges(np.column_stack([edges.row, edges.col]), edges.data, features)
    ptr, idx = F.indptr.astype(np.int64), F.indices.astype(np.int32)
    return make("structure", lib.spdhg_structure_from_csr, F.shape[0], features, longs(ptr), ffi.from_buffer("int32_t[]", idx),
                doubles(F.data), free=lib.spdhg_structure_free)


def _from_networkx(graph: Any, features: int, names: Optional[Any]) -> Any:
    nodes = list(graph.nodes)
    if names is not None and set(nodes) <= set(names):
        place = {name: j for j, name in enumerate(names)}
    elif all(isinstance(node, (int, np.integer)) and 0 <= node < features for node in nodes):
        place = {node: int(node) for node in nodes}
    elif len(nodes) == features:
        place = {node: j for j, node in enumerate(nodes)}
    else:
        raise ValueError(f"structure: the nodes of the graph are neither the names of the features nor their numbers from 0, and it "
                         f"has {len(nodes)} nodes for {features} features")
    ends = np.array([[place[i], place[j]] for i, j in graph.edges() if i != j], np.int64).reshape(-1, 2)
    weight = np.array([w.get("weight", 1.0) for i, j, w in graph.edges(data=True) if i != j], np.float64)
    return _from_edges(ends, weight, features)


def _from_igraph(graph: Any, features: int, names: Optional[Any]) -> Any:
    """igraph's graphs: vertices by their names, if they have some, and edges by their weights."""
    weighted = "weight" in graph.es.attributes()
    edges = [(*ends, graph.es[k]["weight"]) if weighted else ends for k, ends in enumerate(graph.get_edgelist())]
    if "name" in graph.vs.attributes():
        return _from_list(_numbered([(graph.vs[i]["name"], graph.vs[j]["name"], *w) for i, j, *w in edges], names), features)
    return _from_list(edges, features)


def _numbered(edges: Any, names: Optional[Any]) -> Any:
    """Edges between features by name, by their numbers."""
    if isinstance(edges, np.ndarray) and edges.dtype.kind in "OU":
        edges = edges.tolist()
    if not isinstance(edges, (list, tuple)) or not any(isinstance(end, str) for edge in edges if np.size(edge) > 1 for end in edge[:2]):
        return edges
    place = {} if names is None else {str(name): j for j, name in enumerate(names)}
    unknown = next((end for edge in edges for end in edge[:2] if str(end) not in place), None)
    if unknown is not None:
        raise ValueError(f"structure: an edge ends at {unknown!r}, " + ("which is no feature" if place else "but the features of X have no names"))
    return [(place[str(edge[0])], place[str(edge[1])], *edge[2:]) for edge in edges]


def _from_list(edges: Any, features: int) -> Any:
    if edges is None or np.isscalar(edges):
        raise ValueError(f"structure={edges!r}: expected a name such as 'identity', 'chain' or 'learned', the sides of a grid, edges, a graph or a matrix")
    if isinstance(edges, (list, tuple)) and len({np.size(edge) for edge in edges} & {2, 3}) == 2:  # some with a weight, the others with 1
        edges = [(*edge, 1.0) if np.size(edge) == 2 else edge for edge in edges]
    try:
        edges = np.asarray(edges, np.float64)
    except (TypeError, ValueError):
        edges = np.empty(0)
    if edges.ndim != 2 or edges.shape[1] not in (2, 3):
        raise ValueError("structure: an edge list has two columns (i, j) or three (i, j, weight); "
                         f"a matrix F has a column for each of the {features} features")
    if (edges[:, :2] != np.floor(edges[:, :2])).any():
        raise ValueError("structure: the ends of an edge are whole numbers, features counted from 0")
    return _from_edges(edges[:, :2], edges[:, 2] if edges.shape[1] == 3 else None, features)


def _grid(structure: str, features: int) -> str:
    if structure != "grid":
        return structure
    side = math.isqrt(features)
    if side * side != features:
        raise ValueError(f"structure='grid': {features} features are not a square; give the sides, as in structure=(height, width)")
    return f"grid:{side}x{side}"


def _without_trend(structure: str, features: int) -> bool:
    """Whether a polynomial of the trend's degree goes through all coefficients: there is nothing to penalise."""
    match = re.fullmatch(r"trend:([0-9]+)", structure)
    if match is None or features > int(match.group(1)) + 1:
        return False
    warnings.warn(f"structure={structure!r}: {features} feature(s) follow one polynomial of this degree, so that nothing is penalised", stacklevel=8)
    return True


def structure_handle(structure: Any, features: int, names: Optional[Any] = None, columns: Any = ffi.NULL) -> Any:
    """columns: those of the data, for the levels of its categories."""
    if isinstance(structure, str) and structure == CATEGORIES:
        return make("structure", lib.spdhg_structure_categories, columns, free=lib.spdhg_structure_free)
    if hasattr(structure, "F") and sp.issparse(structure.F):  # a Graph
        structure = structure.F
    if isinstance(structure, str) and _without_trend(structure, features):
        structure = sp.csr_matrix((0, features))
    if isinstance(structure, str):
        return make("structure", lib.spdhg_structure_new, _grid(structure, features).encode(), features, free=lib.spdhg_structure_free)
    if isinstance(structure, (tuple, list)) and len(structure) in (2, 3) and all(isinstance(s, (int, np.integer)) for s in structure):
        return structure_handle("grid:" + "x".join(str(s) for s in structure), features)
    if hasattr(structure, "columns") and hasattr(structure, "to_numpy"):  # a table of edges, or a matrix
        structure = structure.to_numpy()
    dense = isinstance(structure, np.ndarray) and structure.ndim == 2 and structure.shape[1] == features > 3  # else it may be edges
    if sp.issparse(structure) or dense:
        return _from_matrix(structure, features)
    if hasattr(structure, "nodes") and hasattr(structure, "edges"):
        return _from_networkx(structure, features, names)
    if hasattr(structure, "get_edgelist"):
        return _from_igraph(structure, features, names)
    return _from_list(_numbered(structure, names), features)


def structure_matrix(handle: Any) -> sp.csr_matrix:
    """A copy of F."""
    v = ffi.new("spdhg_structure_view *")
    lib.spdhg_structure_get_view(handle, v)
    if v.ptr == ffi.NULL:
        return sp.identity(v.features, format="csr")
    ptr = borrowed(v.ptr, (v.rows + 1,), np.int64, handle).copy()
    nonzeros = int(ptr[-1])
    return sp.csr_matrix((borrowed(v.val, (nonzeros,), np.float64, handle).copy(),
                          borrowed(v.idx, (nonzeros,), np.int32, handle).copy(), ptr), shape=(v.rows, v.features))


def structure_name(handle: Any) -> str:
    v = ffi.new("spdhg_structure_view *")
    lib.spdhg_structure_get_view(handle, v)
    return text(v.spec) or ""
