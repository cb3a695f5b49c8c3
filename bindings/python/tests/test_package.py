# test_package.py - docstrings and examples are true.
import doctest
import importlib
import os
import runpy

import pytest

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "examples")


@pytest.mark.parametrize("name", ["spdhg", "spdhg._estimators", "spdhg._parameters", "spdhg._gap", "spdhg._load", "spdhg._catalog"])
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
