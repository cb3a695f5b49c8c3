# __init__.pyi - the package as type checkers see it; made by tools/parameters.py from tools/stub.pyi and the tables of the library.
from os import PathLike
from typing import Any, Dict, Iterator, List, Literal, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
__all__: List[str]
_Name = Union[str, bytes, PathLike[str]]
_Reals = NDArray[np.float64]
_Self = TypeVar("_Self", bound="_Structured")

class Data:
    X: Any
    y: Optional[NDArray[Any]]
    feature_names: Optional[List[str]]
    fold_groups: Optional[NDArray[np.int64]]
    sample_weight: Optional[_Reals]
    def __init__(self, handle: Any) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...

class _Segment(NamedTuple):
    first: int
    last: int
    start: float
    end: float
    level: float
    points: int

class _Signal(NamedTuple):
    x: _Reals
    alpha: float
    alpha_sum: float
    objective: float
    gap_relative: float
    outcome: str
    solver: str
    degrees: float
    differences: int
    settled: bool
    knots: NDArray[np.int64]
    segments: List[_Segment]
    table: Dict[str, NDArray[Any]]

class Denoised:
    x: _Reals
    signals: List[_Signal]
    def __init__(self, x: _Reals, signals: List[Any]) -> None: ...
    def __array__(self, dtype: Any = ..., copy: Any = ...) -> NDArray[Any]: ...

class Gap(NamedTuple):
    gap: float
    relative: float
    kind: str
    radius: float
    objective: float
    train_loss: float
    penalty: float

class Graph:
    F: Any
    report: Dict[str, Any]
    feature_names: Optional[List[Any]]
    edges: NDArray[np.int64]
    weights: _Reals
    def __init__(self, F: Any, report: Dict[str, Any], names: Optional[Any] = ..., rows_are_edges: bool = ...) -> None: ...
    def to_networkx(self) -> Any: ...
    def plot(self, ax: Any = ...) -> Any: ...

class Path:
    alphas: _Reals
    coefs: _Reals
    intercepts: _Reals
    table: Dict[str, NDArray[Any]]
    fold_losses: Optional[_Reals]
    fold_scores: Optional[_Reals]
    scale: Optional[_Reals]
    best: int
    one_se: int
    chosen: int
    alpha: float
    value: float
    outcome: str
    choose: str
    def __init__(self, handle: Any, problem: Any, choose: str) -> None: ...
    def estimator(self, position: Optional[int] = ...) -> Union[StructuredClassifier, StructuredRegressor]: ...
    def plot(self, kind: str = ..., ax: Any = ...) -> Any: ...

class Race:
    folder: str
    summary: Dict[str, Any]
    table: Dict[str, NDArray[Any]]
    def __init__(self, folder: Any) -> None: ...
    def traces(self, data: str, task: str) -> Dict[str, NDArray[Any]]: ...
    def plot(self, data: str, task: str, by: str = ..., ax: Any = ...) -> Any: ...

class _Structured:
    coef_: Any
    intercept_: Any
    dual_: _Reals
    gap_: float
    gap_relative_: float
    gap_kind_: str
    history_: Dict[str, NDArray[Any]]
    n_iter_: int
    n_features_in_: int
    objective_: float
    outcome_: str
    penalty_: float
    seconds_: float
    solver_: str
    train_loss_: float
    def get_params(self, deep: bool = ...) -> Dict[str, Any]: ...
    def set_params(self: _Self, **params: Any) -> _Self: ...
    def save(self, path: Any) -> None: ...
    def certificate(self, path: Any, X: Any, y: Any, sample_weight: Any = ..., offset: Any = ...) -> None: ...
    def plot(self, kind: str = ..., ax: Any = ..., output: int = ...) -> Any: ...
    def sparsify(self) -> Any: ...
    def densify(self) -> Any: ...
    @property
    def sparse_coef_(self) -> Any: ...
    @property
    def coefficients_(self) -> Any: ...

class _Classifier(_Structured):
    classes_: NDArray[Any]
    estimators_: List[Any]
    def decision_function(self, X: Any, offset: Any = ...) -> NDArray[Any]: ...
    def predict(self, X: Any, offset: Any = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Any, offset: Any = ...) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any, offset: Any = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: Any = ...) -> float: ...

class _Regressor(_Structured):
    def predict(self, X: Any, offset: Any = ...) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: Any = ...) -> float: ...

class StructuredClassifier(_Classifier):
    def __init__(self, *, {ClassifierParameters}) -> None: ...
    def fit(self: _Self, X: Any, y: Any, sample_weight: Any = ..., offset: Any = ..., eval_set: Any = ...) -> _Self: ...
    def partial_fit(self: _Self, X: Any, y: Any, classes: Any = ..., sample_weight: Any = ...) -> _Self: ...

class StructuredRegressor(_Regressor):
    def __init__(self, *, {RegressorParameters}) -> None: ...
    def fit(self: _Self, X: Any, y: Any, sample_weight: Any = ..., offset: Any = ..., eval_set: Any = ...) -> _Self: ...
    def partial_fit(self: _Self, X: Any, y: Any, sample_weight: Any = ...) -> _Self: ...

class StructuredClassifierCV(_Classifier):
    alpha_: Any
    gamma_: Any
    also_sparse_: Any
    l1_ratio_: Any
    alphas_: Any
    path_: Any
    cv_results_: Any
    def __init__(self, *, {ClassifierCVParameters}) -> None: ...
    def fit(self: _Self, X: Any, y: Any, sample_weight: Any = ..., offset: Any = ..., fold_groups: Any = ...) -> _Self: ...

class StructuredRegressorCV(_Regressor):
    alpha_: float
    gamma_: float
    also_sparse_: float
    l1_ratio_: Optional[float]
    alphas_: _Reals
    path_: Path
    cv_results_: Dict[str, Any]
    mse_path_: _Reals
    def __init__(self, *, {RegressorCVParameters}) -> None: ...
    def fit(self: _Self, X: Any, y: Any, sample_weight: Any = ..., offset: Any = ..., fold_groups: Any = ...) -> _Self: ...

class FusedLasso(StructuredRegressor):
    def __init__(self, *, {FusedLassoParameters}) -> None: ...

class TrendFilter(StructuredRegressor):
    def __init__(self, *, {TrendFilterParameters}) -> None: ...

class SparseGroupLasso(StructuredRegressor):
    def __init__(self, *, {SparseGroupLassoParameters}) -> None: ...

class GraphGuidedClassifier(StructuredClassifier):
    def __init__(self, *, {GraphGuidedParameters}) -> None: ...

class TotalVariationDenoiser:
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    denoised_: Denoised
    def __init__(self, *, {DenoiserParameters}) -> None: ...
    def fit(self, X: Any, y: Any = ...) -> TotalVariationDenoiser: ...
    def transform(self, X: Any) -> NDArray[Any]: ...
    def fit_transform(self, X: Any, y: Any = ..., **_: Any) -> NDArray[Any]: ...
    def get_params(self, deep: bool = ...) -> Dict[str, Any]: ...
    def set_params(self, **params: Any) -> TotalVariationDenoiser: ...

def catalog(topic: str) -> Dict[str, str]: ...
def duality_gap(estimator: _Structured, X: Any, y: Any, *, coef: Any = ..., intercept: Any = ..., dual: Any = ..., sample_weight: Any = ...,
                offset: Any = ...) -> Gap: ...
def load_model(path: Any) -> Union[StructuredClassifier, StructuredRegressor]: ...
def fused_lasso(y: Any, alpha: Optional[float] = ..., *, weights: Any = ..., **options: Any) -> Denoised: ...
def trend_filter(y: Any, alpha: Optional[float] = ..., *, order: int = ..., positions: Any = ..., weights: Any = ..., **options: Any) -> Denoised: ...
def tv_denoise(image: Any, alpha: Optional[float] = ..., *, isotropic: bool = ..., channel_axis: Optional[int] = ..., weights: Any = ...,
               **options: Any) -> Denoised: ...
def learn_graph(X: Any, *, {learn_graph}) -> Graph: ...
def fit_path(X: Any, y: Any, sample_weight: Any = ..., offset: Any = ..., fold_groups: Any = ..., *, {fit_path}) -> Path: ...
def denoise(y: Any, structure: Any = ..., positions: Any = ..., weights: Any = ..., *, {denoise}) -> Denoised: ...
def race(data: Any, folder: Any, *, {race}) -> Race: ...
def read(path: Any, *, {read}) -> Data: ...
