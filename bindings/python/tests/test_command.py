# test_command.py - the package and the command are the same program: same numbers for the same seed, to the bit; one kind of model file.
import csv
import io
import json
import os
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import spdhg
from conftest import sparse_rows, write_svm

CASES = [
    (dict(), []),
    (dict(structure="chain", alpha=0.02, also_sparse=0.5, random_state=7), ["--structure", "chain", "--lambda", "0.02", "--also-sparse", "0.5", "--seed", "7"]),
    (dict(solver="spdhg", max_iter=3, batch=4, random_state=11), ["--solver", "spdhg", "--epochs", "3", "--batch", "4", "--seed", "11"]),
    (dict(solver="spdhg-sc2", max_iter=3, gamma=0.1, sampling="shuffle", solver_params={"s": 0.2}),
     ["--solver", "spdhg-sc2", "--epochs", "3", "--gamma", "0.1", "--sampling", "shuffle", "--param", "s=0.2"]),
    (dict(solver="spdhg", max_iter=3, sampling="norm", random_state=5), ["--solver", "spdhg", "--epochs", "3", "--sampling", "norm", "--seed", "5"]),
    (dict(structure=(4, 6), penalty="group", groups="grid", standardize=True, fit_intercept=False),
     ["--structure", "grid:4x6", "--penalty", "group", "--groups", "grid", "--standardize", "--no-intercept"]),
    (dict(structure="learned", alpha=0.01, class_weight="balanced", constraint="box:-1,1"),
     ["--structure", "learned", "--lambda", "0.01", "--class-weight", "balanced", "--set", "box:-1,1"]),
    (dict(loss="smooth-hinge:0.5", class_weight={-1: 2.0}, max_iter=2, solver="saga-pd3o"),
     ["--loss", "smooth-hinge:0.5", "--class-weight", "-1=2", "--epochs", "2", "--solver", "saga-pd3o"]),
]


def coefficients(path):
    with open(path) as file:
        model = json.load(file)
    x = model["coefficients"]
    if isinstance(x, dict):
        dense = np.zeros(model["features"] * model["outputs"])
        dense[x["index"]] = x["value"]
        x = dense
    return np.array(x, float).reshape(model["features"], model["outputs"]).T, np.array(model["constants"], float)


@pytest.mark.parametrize("params, options", CASES)
def test_fit_gives_the_same_bits(command, tmp_path, params, options):
    X, z = sparse_rows()
    y = np.where(z > 0, 1, -1)
    write_svm(tmp_path / "d.svm", X, y)
    out = json.loads(command("fit", tmp_path / "d.svm", "--json", "-o", tmp_path / "m.json", *options))
    for n_jobs in (1, 3):
        model = spdhg.StructuredClassifier(n_jobs=n_jobs, **params).fit(X, y)
        x, c = coefficients(tmp_path / "m.json")
        assert (model.coef_ == x).all() and (model.intercept_ == c).all()
        assert model.objective_ == out["objective"] and model.outcome_ == out["status"] and model.solver_ == out["solver"]
        assert out["gap"] is None or model.gap_ == out["gap"]


def test_regression_and_softmax_give_the_same_bits(command, tmp_path):
    X, z = sparse_rows()
    write_svm(tmp_path / "r.svm", X, z)
    command("fit", tmp_path / "r.svm", "--loss", "huber:0.7", "--structure", "trend:1", "-o", tmp_path / "r.json")
    x, c = coefficients(tmp_path / "r.json")
    model = spdhg.StructuredRegressor(loss="huber:0.7", structure="trend:1").fit(X, z)
    assert (model.coef_ == x[0]).all() and model.intercept_ == c[0]
    y = np.digitize(z, [-0.5, 0.5]) * 10
    write_svm(tmp_path / "s.svm", X, y)
    command("fit", tmp_path / "s.svm", "--loss", "softmax", "--gamma", "0.01", "-o", tmp_path / "s.json")
    x, c = coefficients(tmp_path / "s.json")
    model = spdhg.StructuredClassifier(gamma=0.01).fit(X, y)
    assert (model.coef_ == x).all() and (model.intercept_ == c).all() and model.classes_.tolist() == [0, 10, 20]


def test_weights_and_offset_give_the_same_bits(command, tmp_path):
    X, z = sparse_rows()
    weight, offset = np.arange(300) % 3 + 0.5, np.linspace(-1, 1, 300)
    write_svm(tmp_path / "r.svm", X, z)
    np.savetxt(tmp_path / "w.txt", weight, "%r")
    np.savetxt(tmp_path / "o.txt", offset, "%r")
    command("fit", tmp_path / "r.svm", "--loss", "squared", "--weights", tmp_path / "w.txt", "--offset", tmp_path / "o.txt", "-o", tmp_path / "m.json")
    model = spdhg.StructuredRegressor().fit(X, z, sample_weight=weight, offset=offset)
    assert (model.coef_ == coefficients(tmp_path / "m.json")[0][0]).all()


def test_path_gives_the_same_bits(command, tmp_path):
    X, z = sparse_rows(120)
    y = np.where(z > 0, 1, -1)
    write_svm(tmp_path / "d.svm", X, y)
    command("path", tmp_path / "d.svm", "--lambdas", "10", "--folds", "3", "--structure", "chain", "--seed", "5", "-o", tmp_path / "m.json",
            "--path", tmp_path / "p.csv")
    model = spdhg.StructuredClassifierCV(n_alphas=10, cv=3, structure="chain", random_state=5).fit(X, y)
    x, c = coefficients(tmp_path / "m.json")
    assert (model.coef_ == x).all() and (model.intercept_ == c).all()
    with open(tmp_path / "p.csv") as file:
        table = list(csv.DictReader(file))
    assert [float(row["lambda"]) for row in table] == model.alphas_.tolist()
    assert (model.path_.estimator().coef_ == model.path_.coefs[model.path_.chosen]).all()
    assert np.isclose(float(json.load(open(tmp_path / "m.json"))["lambda"]), model.alpha_, rtol=1e-15)


def test_path_with_a_learned_structure_gives_the_same_bits(command, tmp_path):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(90, 4)).repeat(3, axis=1) + 0.4 * rng.normal(size=(90, 12))
    y = np.where(dense[:, :3].sum(axis=1) + rng.normal(size=90) > 0, 1, -1)
    X = sp.csr_matrix(dense)
    write_svm(tmp_path / "d.svm", X, y)
    command("path", tmp_path / "d.svm", "--lambdas", "6", "--folds", "3", "--structure", "learned", "-o", tmp_path / "m.json", "--path", tmp_path / "p.csv")
    model = spdhg.StructuredClassifierCV(n_alphas=6, cv=3, structure="learned").fit(X, y)
    assert (model.coef_ == coefficients(tmp_path / "m.json")[0]).all()
    with open(tmp_path / "p.csv") as file:
        assert [float(row["cv_loss"]) for row in csv.DictReader(file)] == model.path_.table["loss"].tolist()


def test_graph_gives_the_same_matrix(command, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).repeat(3, axis=1) + 0.5 * rng.normal(size=(200, 12))
    np.savetxt(tmp_path / "d.csv", np.column_stack([X, np.zeros(200)]), "%r", delimiter=",", comments="", header=",".join([f"f{j}" for j in range(12)] + ["y"]))
    command("graph", tmp_path / "d.csv", "-o", tmp_path / "F.mtx")
    graph = spdhg.learn_graph(X)
    assert (scipy.io.mmread(str(tmp_path / "F.mtx")).toarray() == graph.F.toarray()).all() and graph.report["edges"] == len(graph.edges)


@pytest.mark.parametrize("labels", [np.array([-1, 1]), np.array(["no", "yes"]), np.array([2.0, 7.0]), np.array([False, True])])
def test_model_files_go_both_ways(command, tmp_path, labels):
    X, z = sparse_rows()
    y = labels[(z > 0).astype(int)]
    model = spdhg.StructuredClassifier(structure="chain").fit(X, y)
    model.save(tmp_path / "m.json")
    write_svm(tmp_path / "d.svm", X, np.zeros(300))
    lines = command("predict", tmp_path / "m.json", tmp_path / "d.svm", "--probability").splitlines()[1:]
    rows = list(csv.reader(io.StringIO("\n".join(lines))))
    assert ([[float(v) for v in row[1:]] for row in rows] == model.predict_proba(X)).all()
    predicted = [row[0] for row in rows]
    expected = model.predict(X)
    assert predicted == expected.tolist() if labels.dtype.kind == "U" else [float(p) for p in predicted] == expected.astype(float).tolist()
    back = spdhg.load_model(tmp_path / "m.json")
    assert (back.predict(X).astype(labels.dtype) == expected).all() and (back.predict_proba(X) == model.predict_proba(X)).all()
    back.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def test_read_is_the_commands_reader(command, tmp_path):
    command("generate", "chain", "-o", tmp_path / "c.svm", "--rows", "50", "--features", "20")
    X, y = spdhg.read(tmp_path / "c.svm")
    assert X.shape == (50, 20) and y.shape == (50,)
    spd = tmp_path / "c.spd"
    command("convert", tmp_path / "c.svm", "-o", spd)
    assert (spdhg.read(spd).X != X).nnz == 0
    (tmp_path / "t.csv").write_text("age,size,label\n1,2,old\n3,4,new\n")
    data = spdhg.read(tmp_path / "t.csv")
    assert data.feature_names == ["age", "size"] and data.y.tolist() == ["old", "new"]
    assert np.asarray(data.X.todense() if hasattr(data.X, "todense") else data.X).tolist() == [[1, 2], [3, 4]]
    (tmp_path / "bad.svm").write_text("1 1:2\n1 1:x\n")
    with pytest.raises(ValueError, match=r"bad.svm:2:3"):
        spdhg.read(tmp_path / "bad.svm")
    with pytest.raises(OSError, match="nowhere"):
        spdhg.read(tmp_path / "nowhere")


def test_race_gives_the_same_numbers(command, tmp_path):
    X, z = sparse_rows(60, 8)
    y = np.where(z > 0, 1, -1)
    write_svm(tmp_path / "d.svm", X, y)
    words = ["--quick", "--repeats", "1", "--solvers", "spdhg,sadmm,auto", "--structure", "chain", "--seed", "3"]
    command("race", tmp_path / "d.svm", "-o", tmp_path / "a", *words)
    wishes = dict(quick=True, repeats=1, solvers=["spdhg", "sadmm", "auto"], structure="chain", random_state=3)
    race = spdhg.race(tmp_path / "d.svm", tmp_path / "b", **wishes)
    from spdhg._race import columns

    for name in ("d.gglr.csv", "d.ggrlr.csv"):
        a, b = columns(tmp_path / "a" / name), columns(tmp_path / "b" / name)
        for column in set(a) - {"seconds"}:
            assert (a[column] == b[column]).all() or np.array_equal(a[column], b[column], equal_nan=True)
    assert len(race.table["solver"]) == 6 and race.plot("d", "gglr").get_xlabel() == "epoch"
    from_memory = spdhg.race({"d": (X, y)}, tmp_path / "c", **wishes)
    same = from_memory.table["objective"] == race.table["objective"]
    assert same[race.table["solver"] != "auto"].all()  # auto is compared where it stands after some time
    with pytest.raises(ValueError, match="sgd"):
        spdhg.race(tmp_path / "d.svm", tmp_path / "e", solvers="sgd")


def test_every_option_of_the_command_has_its_parameter(command):
    import inspect
    import re

    from spdhg._parameters import NAMES

    elsewhere = {"no-intercept", "weights", "offset", "fold-groups", "fold-file", "format", "label", "targets", "names", "features", "duplicates", "output", "test",
                 "no-label", "columns", "drop", "id", "categorical", "ordered", "reference", "missing", "unseen", "header", "no-header", "force",
                 "test-fraction", "trace", "report", "certificate", "truth", "bound", "json", "quiet", "verbose", "path", "coefficients", "help", "usage", "version", "lambda",
                 "single-pass", "classes", "hash",  # partial_fit
                 "on-disk", "block"}  # files
    for verb, kind in (("fit", spdhg.StructuredClassifier), ("path", spdhg.StructuredClassifierCV)):
        known = set(inspect.signature(kind).parameters)
        options = set(re.findall(r"^ .*--([a-z][a-z0-9-]+)", command("help", verb), re.M)) - elsewhere
        if verb == "path":
            options -= {"checkpoint", "checkpoint-every", "resume"}
        assert len(options) > 15
        for option in options:
            assert NAMES.get(option, option).replace("-", "_") in known, option
    text = command("help", "fit")
    default = re.search(r"--lambda=NUMBER\s+weight of the penalty \(default ([^)]+)\)", text).group(1)
    assert float(default) == spdhg.StructuredClassifier().alpha


CHECKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bench", "check-certificate")


@pytest.mark.skipif(not os.path.exists(CHECKER), reason="not in the source tree")
@pytest.mark.parametrize("given", [{"loss": "squared", "structure": "chain", "alpha": 0.05}, {"loss": "logistic", "alpha": 0.02, "adaptive": True}])
def test_certificates_are_accepted(tmp_path, given):
    """By a program that has nothing of the library; and refused for other data."""
    X, y = sparse_rows(60, 8)
    y = y if given["loss"] == "squared" else np.where(y > 0, 1.0, -1.0)
    write_svm(tmp_path / "d.svm", X, y)
    write_svm(tmp_path / "other.svm", X * 1.001, y)
    kind = spdhg.StructuredRegressor if given["loss"] == "squared" else spdhg.StructuredClassifier
    model = kind(**given).fit(X, y)
    before = model.coef_.copy(), model.objective_
    model.certificate(tmp_path / "c.json", X, y)
    assert np.array_equal(model.coef_, before[0]) and model.objective_ == before[1]
    assert json.loads((tmp_path / "c.json").read_text())
    checked = [subprocess.run(["/usr/bin/python3", CHECKER, tmp_path / "c.json", tmp_path / name], capture_output=True, text=True)
               for name in ("d.svm", "other.svm")]
    assert checked[0].returncode == 0 and "accepted" in checked[0].stdout, checked[0].stdout
    assert checked[1].returncode == 1, checked[1].stdout
