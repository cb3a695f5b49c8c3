# test_denoise.py - spdhg.denoise: the same numbers as the command, the shapes it takes, and what it refuses.
import json

import numpy as np
import pytest

import spdhg


def steps(n=60, seed=0):
    return np.repeat([0.0, 2.0, 1.0], n // 3) + 0.3 * np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize("params, options", [
    (dict(), []), (dict(choose="bic"), ["--choose", "bic"]), (dict(noise=0.3), ["--noise", "0.3"]),
    (dict(structure="trend:1", alpha=0.5), ["--structure", "trend:1", "--lambda", "0.5"]),
    (dict(loss="huber", folds=4, rule="1se", n_alphas=10, alpha_ratio=0.01), ["--loss", "huber", "--folds", "4", "--rule", "1se", "--lambdas", "10", "--lambda-ratio", "0.01"])])
def test_same_as_the_command(command, tmp_path, params, options):
    y = steps()
    y[[5, 30]] = np.nan
    t = np.cumsum(np.random.default_rng(1).uniform(0.5, 2, len(y)))
    np.savetxt(tmp_path / "t.csv", np.column_stack([t, y]), delimiter=",", header="t,y", comments="", fmt="%.17g")
    words = ["denoise", tmp_path / "t.csv", "--positions", "t", "-o", tmp_path / "o.csv", "--json", "-q", *options]
    report = json.loads(command(*words))["signals"][0]
    answer = spdhg.denoise(y, positions=t, **params)
    only = answer.signals[0]
    np.testing.assert_array_equal(answer.x, np.loadtxt(tmp_path / "o.csv", delimiter=",", skiprows=1)[:, 1])
    assert (only.alpha, only.alpha_sum, only.objective) == (report["lambda"], report["lambda_sum"], report["objective"])
    assert len(only.knots) == report["knots"] and len(only.segments) == report["segments"]
    assert bool(only.table) == ("alpha" not in params)


def test_shapes():
    y = steps()
    columns = np.column_stack([y, -y, y[::-1]])
    answer = spdhg.denoise(columns, alpha=0.01)
    assert answer.x.shape == (60, 3) and len(answer.signals) == 3
    for k in range(3):
        np.testing.assert_allclose(answer.x[:, k], spdhg.denoise(columns[:, k], alpha=0.01).x, atol=1e-9)
    image = columns[:20]
    whole = spdhg.denoise(image, "grid", alpha=0.01)
    assert whole.x.shape == image.shape and len(whole.signals) == 1
    np.testing.assert_array_equal(whole.x, spdhg.denoise(image, structure=(20, 3), alpha=0.01).x)
    colours = np.stack([image, 2 * image], axis=-1)
    np.testing.assert_array_equal(spdhg.denoise(colours, structure=(20, 3), alpha=0.01).x[..., 0], whole.x)
    masked = np.ma.masked_array(y, mask=np.arange(60) == 3)
    np.testing.assert_array_equal(spdhg.denoise(masked, alpha=0.01).x, spdhg.denoise(np.where(np.arange(60) == 3, np.nan, y), alpha=0.01).x)
    np.testing.assert_array_equal(np.asarray(answer), answer.x)


def test_graphs():
    y = steps()
    edges = [(i, i + 1) for i in range(59)]
    np.testing.assert_allclose(spdhg.denoise(y, structure=edges, alpha=0.02).x, spdhg.denoise(y, structure="chain", alpha=0.02).x, atol=1e-7)


def test_refused():
    y = steps()
    for params, says in [(dict(structure="grid"), "give the sides"), (dict(choose="luck"), "cv, cp"), (dict(alpha=-1), "alpha"),
                         (dict(choose="cp"), "noise"), (dict(positions=[1, 2]), "positions"), (dict(loss="logistic"), "numbers"), (dict(folds=1), "folds")]:
        with pytest.raises(ValueError, match=says):
            spdhg.denoise(y, **params)
    with pytest.raises(ValueError, match="axes"):
        spdhg.denoise(np.zeros((2, 2, 2, 2)))
