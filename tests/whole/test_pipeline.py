# test_pipeline.py - a table with categories, gaps and shuffled columns: predictions are those of a scikit-learn pipeline, to 1e-8.
import sys
import unittest

try:
    import numpy as np
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import Lasso
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
except ImportError:
    print("skipped: scikit-learn or pandas is not installed")
    sys.exit(77)

from cli_support import CommandTest

NUMBERS, WORDS = ["size", "age"], ["city", "heating"]


def houses(count, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"key": [f"h{i}" for i in range(count)], "size": rng.uniform(20, 150, count).round(2), "age": rng.integers(0, 90, count).astype(float),
                          "city": rng.choice(["Berlin", "Munich", "Bonn", "Ulm"], count), "heating": rng.choice(["gas", "oil", "pump"], count)})
    table["price"] = (8 * table["size"] - 2 * table["age"] + 90 * (table["city"] == "Munich") - 40 * (table["heating"] == "oil") + rng.normal(0, 20, count)).round(2)
    for name, share in (("size", 0.1), ("age", 0.05)):
        table.loc[rng.random(count) < share, name] = np.nan
    return table


class Pipeline(CommandTest):
    def test_predictions_are_the_same(self):
        train, new = houses(300, 1), houses(80, 2)
        for strategy in ("mean", "median"):
            for drop in (None, "first"):
                columns = ColumnTransformer([("numbers", SimpleImputer(strategy=strategy, add_indicator=True), NUMBERS),
                                             ("words", OneHotEncoder(drop=drop), WORDS)], sparse_threshold=0)
                peer = make_pipeline(columns, Lasso(alpha=0.5, tol=1e-14, max_iter=10**6)).fit(train[NUMBERS + WORDS], train["price"])
                train.to_csv(self.path("train.csv"), index=False)
                new.drop(columns="price")[["heating", "size", "key", "age", "city"]].to_csv(self.path("new.csv"), index=False)
                self.spdhg("fit", "train.csv", "--loss", "squared", "--lambda", 0.5, "--id", "key", "--missing", strategy, "--tol", 1e-12, "-q",
                           "-o", "m.json", *(["--reference", "first"] if drop else []))
                self.spdhg("predict", "m.json", "new.csv", "-o", "p.csv")
                found = pd.read_csv(self.path("p.csv"))
                self.assertEqual(found["key"].tolist(), new["key"].tolist())
                want = peer.predict(new[NUMBERS + WORDS])
                np.testing.assert_allclose(found["prediction"], want, rtol=1e-8, atol=1e-8 * np.abs(want).max())


if __name__ == "__main__":
    unittest.main()
