# test_package.py - docstrings and examples are true.
import ast
import doctest
import importlib
import inspect
import json
import os
import re
import runpy
import shutil
import subprocess

import numpy
import pytest

import spdhg

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "examples")


@pytest.mark.parametrize("name", ["spdhg", "spdhg._estimators", "spdhg._named", "spdhg._parameters", "spdhg._gap", "spdhg._load", "spdhg._catalog"])
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0 and result.attempted > 0


@pytest.mark.parametrize("name", sorted(os.listdir(EXAMPLES)))
def test_examples(name, tmp_path):
    if name.endswith(".py"):
        module = runpy.run_path(os.path.join(EXAMPLES, name))
        picture = tmp_path / "picture.png"
        module["main"](*([str(picture)] if name == "image_grid.py" else []))
        assert name != "image_grid.py" or picture.stat().st_size > 5000


USER = """import numpy as np
import spdhg

X = np.random.default_rng(0).normal(size=(50, 5))
model = spdhg.StructuredClassifier(structure="chain", alpha=0.01, penalty="elasticnet", l1_ratio=0.5).fit(X, X[:, 0] > 0)
proof: float = model.gap_relative_
chosen = spdhg.StructuredRegressorCV(cv=3, rule="min", alphas=[0.1, 0.2]).fit(X, X[:, 0])
alpha: float = chosen.alpha_
smooth = spdhg.trend_filter(X[:, 0], order=2).x
lasso: spdhg.FusedLasso = spdhg.FusedLasso(groups=[[0, 1], [2]]).set_params(alpha=0.1)
lasso.fit(X, X[:, 0]).predict(X)
"""
WRONG = ['spdhg.StructuredRegressorCV(rule="best")', 'spdhg.StructuredClassifier(penalty="l3")', 'spdhg.StructuredRegressor(class_weight={})',
         'spdhg.denoise([1.0], choose="loss")', 'spdhg.StructuredClassifier(solver="sgd")']


def package():
    return os.path.dirname(spdhg.__file__)


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_types(tmp_path):
    """Strict for users: what is right passes, and every wrong choice is found. The package itself in the usual mode."""
    def mypy(*words):
        there = dict(os.environ, MYPYPATH=os.path.dirname(package()))
        return subprocess.run(["mypy", "--cache-dir", str(tmp_path / "cache"), *words], capture_output=True, text=True, cwd=tmp_path, env=there).stdout

    (tmp_path / "user.py").write_text(USER + "\n".join(WRONG) + "\n")
    found = {int(line) for line in re.findall(r"^user.py:(\d+): error", mypy("--strict", "user.py"), re.M)}
    first = USER.count("\n") + 1
    assert found == set(range(first, first + len(WRONG)))
    assert "Success" in mypy("--strict", os.path.join(package(), "__init__.pyi"))
    copy = tmp_path / "whole" / "spdhg"
    shutil.copytree(package(), copy, ignore=shutil.ignore_patterns("__pycache__", "__init__.pyi"))
    said = subprocess.run(["mypy", "--ignore-missing-imports", "-p", "spdhg"], capture_output=True, text=True, cwd=tmp_path / "whole").stdout
    assert "Success" in said, said


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed (npm install pyright)")
def test_types_by_pyright(tmp_path):
    """The same lines, and nothing in the stub."""
    (tmp_path / "user.py").write_text(USER + "\n".join(WRONG) + "\n")
    shutil.copy(os.path.join(package(), "__init__.pyi"), tmp_path / "stub.pyi")
    places = [os.path.dirname(package()), os.path.dirname(os.path.dirname(numpy.__file__))]
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"include": ["user.py", "stub.pyi"], "extraPaths": places}))
    said = subprocess.run(["pyright", "-p", str(tmp_path), "--outputjson"], capture_output=True, text=True).stdout
    found = {(os.path.basename(d["file"]), d["range"]["start"]["line"] + 1) for d in json.loads(said)["generalDiagnostics"]}
    first = USER.count("\n") + 1
    assert found == {("user.py", line) for line in range(first, first + len(WRONG))}


def test_the_stub_is_the_package():
    """Every public name, its methods and their parameters, in the same order."""
    with open(os.path.join(package(), "__init__.pyi")) as file:
        stub = {node.name: node for node in ast.parse(file.read()).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}

    def parameters(node):
        a = node.args
        return [p.arg for p in a.posonlyargs + a.args + ([a.vararg] if a.vararg else []) + a.kwonlyargs + ([a.kwarg] if a.kwarg else [])]

    def methods(node):
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and not item.decorator_list:
                yield item

    assert set(spdhg.__all__) <= set(stub)
    for name in spdhg.__all__:
        thing = getattr(spdhg, name)
        if isinstance(stub[name], ast.FunctionDef):
            assert parameters(stub[name]) == list(inspect.signature(thing).parameters), name
            continue
        for method in methods(stub[name]):
            assert parameters(method) == list(inspect.signature(getattr(thing, method.name)).parameters), (name, method.name)
