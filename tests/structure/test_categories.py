# test_categories.py - `--structure categories` with weights as smurf's users have them (standardisation weights times adaptive ones): rows of
# F and their order, objective and optimality, all computed again here. An independent bounded least-squares problem finds the
# subgradient that proves the answer optimal.
import csv
import json
import random
import unittest

import numpy as np
from scipy.optimize import lsq_linear

from cli_support import CommandTest

ORDER = {"floor": ["low", "middle", "high", "top"], "rooms": [str(k) for k in range(1, 7)]}
AREA = ["east", "north", "park", "south", "west"]


class Categories(CommandTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(8)
        effect = {"east": 0, "north": 0, "park": 1.5, "south": .7, "west": .7, "low": 0, "middle": 0, "high": .8, "top": .8}
        self.rows = []
        for _ in range(260):
            r = {"area": draw.choice(AREA), "floor": draw.choice(ORDER["floor"]), "rooms": draw.choice(ORDER["rooms"]), "size": round(draw.uniform(20, 90), 1)}
            r["rent"] = round(5 + effect[r["area"]] + effect[r["floor"]] - .5 * (r["rooms"] > "3") + .02 * r["size"] + draw.gauss(0, 1), 4)
            self.rows.append(r)
        self.write("rent.csv", "area,floor,rooms,size,rent\n" + "".join(",".join(str(v) for v in r.values()) + "\n" for r in self.rows))

    def structure(self):
        """Names of the features, the rows of F in their order, and for each the two levels it compares (None: the reference)."""
        names, rows = [], []
        for column, levels, every in (("area", AREA, True), ("floor", ORDER["floor"], False), ("rooms", ORDER["rooms"], False)):
            at = [None] + list(range(len(names), len(names) + len(levels) - 1))  # the first level is the reference
            names += [f"{column}={level}" for level in levels[1:]]
            rows += [(column, levels, at, i, j) for j in range(1, len(levels)) for i in (range(j) if every else [j - 1])]
        return [*names, "size"], rows

    def test_weighted_fusion_is_optimal(self):
        names, rows = self.structure()
        F = np.zeros((len(rows) + 1, len(names)))
        for e, (_, _, at, i, j) in enumerate(rows):
            F[e, at[j]] = 1
            if at[i] is not None:
                F[e, at[i]] = -1
        F[-1, -1] = 1
        X = np.array([[float(r.get(n.split("=")[0]) == n.split("=")[1]) if "=" in n else r["size"] for n in names] for r in self.rows])
        y, n = np.array([r["rent"] for r in self.rows]), len(self.rows)
        ols = np.linalg.lstsq(np.column_stack([np.ones(n), X]), y, rcond=None)[0][1:]
        weight = 1 / np.abs(F @ ols)
        for e, (column, levels, _, i, j) in enumerate(rows):
            share = np.mean([r[column] in (levels[i], levels[j]) for r in self.rows])
            pairs = sum(c == column for c, *_ in rows)
            weight[e] *= np.sqrt(share) * (len(levels) - 1) / pairs  # of a chain the last factor is 1
        weight *= len(weight) / weight.sum()
        self.write("w.txt", "".join(f"{w!r}\n" for w in weight.tolist()))
        lam = .04
        self.spdhg("fit", "rent.csv", "--loss", "squared", "--ordered", "floor=low<middle<high<top,rooms", "--structure", "categories",
                   "--penalty-weights", "w.txt", "--lambda", lam, "--tol", "1e-10", "-o", "m.json", "-q")
        model = json.loads(self.read("m.json"))
        self.assertEqual(model["names"], names)
        b = np.zeros(len(names))
        b[model["coefficients"]["index"]] = model["coefficients"]["value"]
        left = X @ b + model["constants"][0] - y
        self.assertAlmostEqual(model["objective"], left @ left / (2 * n) + lam * weight @ np.abs(F @ b), delta=1e-9)
        joined = np.abs(F @ b) < 1e-9
        self.assertTrue(3 < joined.sum() < len(joined), joined)
        u = np.where(joined, 0, np.sign(F @ b)) * weight
        rest = -(X.T @ left / n + lam * F.T @ u)
        found = lsq_linear(lam * (F[joined] * weight[joined, None]).T, rest, (-1, 1), tol=1e-14)
        self.assertLess(np.abs(found.fun).max(), 1e-6)  # 0 is a subgradient
        self.assertLess(abs(left.mean()), 1e-8)

    def test_equal_levels_are_one_group(self):
        self.spdhg("fit", "rent.csv", "--loss", "squared", "--ordered", "floor=low<middle<high<top,rooms", "--structure", "categories", "--lambda", .05,
                   "--coefficients", "c.csv", "-q")
        with open(self.path("c.csv")) as file:
            found = {(r["feature"], r["level"]): (r["value"], r["group"]) for r in csv.DictReader(file)}
        for (column, level), (value, group) in found.items():
            for (other, next_level), (same, number) in found.items():
                if group and (column, level) != (other, next_level) and group == number:
                    self.assertEqual((value, column), (same, other))


if __name__ == "__main__":
    unittest.main()
