# test_table.py - DataFrames with categories, words and gaps: the features, coefficients and files of the command.
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import spdhg
from spdhg import StructuredClassifier, StructuredClassifierCV, StructuredRegressor, StructuredRegressorCV


def table(rows=150, gaps=True):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"area": rng.normal(size=rows), "town": rng.choice(["Bonn", "Ulm", "Trier"], rows),
                          "size": pd.Categorical(rng.choice(["s", "m", "l"], rows), ["s", "m", "l"], ordered=True),
                          "rooms": pd.Categorical(rng.integers(1, 4, rows)), "new": rng.random(rows) < 0.4})
    rent = pd.Series(frame["area"] + 2 * (frame["town"] == "Ulm") + (frame["size"] == "l") + 0.1 * rng.normal(size=rows), name="rent")
    if gaps:
        frame.loc[[3, 50], "area"] = np.nan
        frame.loc[5, "town"] = None
    return frame, rent


CASES = {"mean": ({"missing": "mean"}, []),
         "categories": ({"missing": "median", "structure": "categories"}, ["--structure", "categories"]),
         "drop": ({"missing": "drop", "structure": "categories"}, ["--structure", "categories"]),
         "groups": ({"missing": "mean", "penalty": "group", "groups": "columns", "reference": {"town": "Ulm", "size": "m"}},
                    ["--penalty", "group", "--groups", "columns", "--reference", "town=Ulm,size=m"])}


@pytest.mark.parametrize("name", CASES)
def test_as_the_command_has_it(command, name, tmp_path):
    """The same table as CSV: coefficients to 1e-12, and each reads the other's model."""
    given, words = CASES[name]
    frame, rent = table()
    file, theirs, ours = tmp_path / "t.csv", tmp_path / "theirs.json", tmp_path / "ours.json"
    frame.assign(new=frame["new"].astype(int), rent=rent).to_csv(file, index=False)
    command("fit", file, "--loss", "squared", "--lambda", 0.01, "--tol", 1e-12, "--categorical", "rooms", "--ordered", "size=s<m<l",
            "--missing", given["missing"], *words, "-o", theirs)
    model = StructuredRegressor(alpha=0.01, tol=1e-12, **given).fit(frame, rent)
    loaded = spdhg.load_model(theirs)
    assert np.abs(loaded.coef_ - model.coef_).max() <= 1e-12 and abs(loaded.intercept_ - model.intercept_) <= 1e-12
    assert loaded.coefficients_.index.equals(model.coefficients_.index)
    assert loaded.n_features_in_ == model.n_features_in_ == 5 and list(loaded.feature_names_in_) == list(model.feature_names_in_) == list(frame)
    other = (frame.dropna() if given["missing"] == "drop" else frame).iloc[::-1, ::-1]  # rows and columns in another order
    assert np.array_equal(loaded.predict(other), model.predict(other))
    model.save(ours)
    said = command("predict", ours, file, "-o", tmp_path / "p.csv", *(["--missing", "drop"] if given["missing"] == "drop" else []))
    assert "R^2" in said  # the target has its name, so that the command knows which column it is
    values = pd.read_csv(tmp_path / "p.csv").iloc[:, -1].to_numpy()
    assert np.allclose(values, model.predict(frame.dropna() if given["missing"] == "drop" else frame), atol=1e-12)


def test_dummies_by_hand():
    """Levels as features, against pandas: sorted, and all of them; those of a reference without its own."""
    frame, rent = table(gaps=False)
    plain = pd.concat([frame[["area"]], pd.get_dummies(frame["town"]), pd.get_dummies(frame["size"]), pd.get_dummies(frame["rooms"]), frame[["new"]]],
                      axis=1).astype(float)
    model, by_hand = (StructuredRegressor(alpha=0.01, tol=1e-12) for _ in range(2))
    model.fit(frame, rent)
    by_hand.fit(plain.to_numpy(), rent)
    assert np.allclose(model.coef_, by_hand.coef_, atol=1e-9)
    assert model.coefficients_.loc[("town", "Ulm"), "coefficient"] == pytest.approx(by_hand.coef_[3], abs=1e-9)
    assert model.coefficients_.index.to_list()[:4] == [("area", ""), ("town", "Bonn"), ("town", "Trier"), ("town", "Ulm")]
    fewer = StructuredRegressor(alpha=0.01, tol=1e-12, reference="first").fit(frame, rent)
    assert len(fewer.coef_) == len(model.coef_) - 3


def test_gaps_are_filled_as_in_fitting():
    frame, rent = table()
    model = StructuredRegressor(alpha=1e-3, missing="mean").fit(frame, rent)
    filled = frame.copy()
    filled["area"] = filled["area"].fillna(frame["area"].mean())
    marked = model.coefficients_.loc[("area", "(missing)"), "coefficient"]
    assert np.allclose(model.predict(frame) - model.predict(filled), np.where(frame["area"].isna(), marked, 0), atol=1e-12)
    X = np.where(np.random.default_rng(0).random((60, 3)) < 0.1, np.nan, np.random.default_rng(1).normal(size=(60, 3)))  # arrays as well
    model = StructuredRegressor(alpha=1e-3, missing="median").fit(X, np.arange(60.0))
    assert model.n_features_in_ == 3 and model.coef_.shape == (6,) and model.predict(X).shape == (60,)


def test_unknown_levels_and_columns():
    frame, rent = table(gaps=False)
    model = StructuredRegressor(alpha=0.01).fit(frame, rent)
    with pytest.raises(ValueError, match=r"'Ulmm' is not one of the 3 levels of column 'town'; did you mean 'Ulm'"):
        model.predict(frame.assign(town="Ulmm"))
    with pytest.raises(ValueError, match="lacks 2 of the 5 columns.*'town', 'new'"):
        model.predict(frame.drop(columns=["town", "new"]))
    with pytest.raises(ValueError, match="column 'area': there is no value"):
        model.predict(frame.assign(area=np.nan))
    with pytest.warns(UserWarning, match="ignored: 'note'"):
        assert np.array_equal(model.predict(frame.assign(note="x")), model.predict(frame))
    model.set_params(unseen="other")
    without = frame.assign(town="Rome")
    coefficient = model.coefficients_["coefficient"]
    town = np.array([coefficient[("town", name)] for name in frame["town"]])
    assert np.allclose(model.predict(without), model.predict(frame) - town, atol=1e-12)


MISTAKES = {"dates": (lambda f: f.assign(day=pd.Timestamp("2020-01-01")), {}, "'day' holds dates or times"),
            "names": (lambda f: f.assign(key=[f"k{i}" for i in range(len(f))]), {}, "'key' is text with 150 different values"),
            "both": (lambda f: f.assign(key=[1, "one"] * 75), {}, "'key' has both words and numbers: 'one' in row 1"),
            "gap": (lambda f: f.assign(town=[None] + list(f["town"][1:])), {}, "row 0 .*column 'town': there is no value; missing='drop'"),
            "reference": (lambda f: f, {"reference": "town=Ulmm"}, "has no level 'Ulmm'; did you mean 'Ulm'"),
            "twice": (lambda f: pd.concat([f, f[["town"]]], axis=1), {}, "two columns of the table are called 'town'"),
            "missing": (lambda f: f, {"missing": "means"}, "missing='means' is not one of error, drop, mean, median"),
            "no category": (lambda f: f[["area", "new"]], {"structure": "categories"}, "has no categories")}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    change, given, message = MISTAKES[name]
    frame, rent = table(gaps=False)
    with pytest.raises(ValueError, match=message):
        StructuredRegressor(**given).fit(change(frame), rent)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_classes_paths_folds_and_copies(loss):
    """Three classes (each against the rest for the hinge), cross-validation, pickles, clones, later parts."""
    frame, rent = table()
    label = np.where(rent > 1.5, "dear", np.where(rent > 0.3, "fair", "cheap"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = StructuredClassifier(loss=loss, alpha=0.01, missing="mean").fit(frame, label)
        cv = StructuredClassifierCV(loss=loss, n_alphas=5, cv=3, missing="mean").fit(frame, label)
        assert cross_val_score(clone(model).set_params(unseen="other"), frame, label, cv=3).min() > 0.6
    for fitted in (model, cv):
        assert (fitted.predict(frame) == label).mean() > 0.8
        assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict(frame[::-1]), fitted.predict(frame)[::-1])
        assert fitted.coefficients_.shape == (len(fitted.coef_[0]), 3)
    part = StructuredClassifier(loss=loss, alpha=0.01, missing="mean")
    part.partial_fit(frame, label, classes=np.unique(label)).partial_fit(frame[["new", "town", "rooms", "size", "area"]], label)
    assert part.coef_.shape == model.coef_.shape and part.n_features_in_ == 5
    numbers = model.fit(frame[["area"]].fillna(0).to_numpy(), label)  # and back to numbers
    assert numbers.n_features_in_ == 1 and not hasattr(numbers, "feature_names_in_")


def test_a_path_and_its_estimators():
    frame, rent = table(gaps=False)
    cv = StructuredRegressorCV(structure="categories", n_alphas=6, cv=3, scoring="r2").fit(frame, rent)
    assert cv.path_.coefs.shape == (6, 8) and cv.score(frame, rent) > 0.9
    assert np.allclose(cv.path_.estimator().predict(frame), cv.predict(frame), atol=1e-12)
    held_out = StructuredRegressor(structure="categories", alpha=0.01).fit(frame[:100], rent[:100], eval_set=(frame[100:], rent[100:]))
    assert np.isfinite(held_out.history_["test_loss"][-1])
    weights = np.where(np.arange(150) < 100, 1.0, 0.0)
    weighted = StructuredRegressor(missing="drop", alpha=0.01, tol=1e-10).fit(frame.mask(frame["area"] > 1.5), rent, sample_weight=weights)
    keep = ~(frame["area"] > 1.5) & (weights > 0)
    assert np.allclose(weighted.coef_, StructuredRegressor(alpha=0.01, tol=1e-10).fit(frame[keep], rent[keep]).coef_, atol=1e-6)
