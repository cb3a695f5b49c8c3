"""Shared by the tests of tables: one of houses, and its scores by the keys of docs/model.md."""
import json
import random

from cli_support import CommandTest

CITIES = {"Berlin": 0.0, "Munich": 3.0, "Köln": 1.0}


def houses(count=120, seed=3):
    draw = random.Random(seed)
    out = []
    for i in range(count):
        size, city, floor = round(draw.uniform(2, 15), 2), draw.choice(sorted(CITIES)), draw.choice([1, 2, 3, 10])
        price = round(size + CITIES[city] + 0.5 * floor + draw.gauss(0, 0.2), 3)
        out.append({"key": f"h{i}", "size": size, "city": city, "floor": floor, "price": price})
    return out


def table(rows, names, separator=",", end="\n"):
    return end.join([separator.join(names)] + [separator.join("" if r[n] is None else str(r[n]) for n in names) for r in rows]) + end


class TableTest(CommandTest):
    NAMES = ["key", "size", "city", "floor", "price"]

    def setUp(self):
        super().setUp()
        self.rows = houses()
        self.write("a.csv", table(self.rows, self.NAMES))

    def fit(self, *words, data="a.csv"):
        self.spdhg("fit", data, "--loss", "squared", "--lambda", 0.001, "-o", "m.json", "--force", *words)
        return json.loads(self.read("m.json"))

    def predictions(self, data, *words):
        head, *lines = self.spdhg("predict", "m.json", data, *words).out.splitlines()
        return head, [line.split(",") for line in lines]

    def score(self, model, row):
        """By the keys of docs/model.md."""
        value = {}
        for column in model["columns"] or model["names"]:
            name = column if isinstance(column, str) else column["name"]
            if isinstance(column, str):
                value[name] = float(row[name])
            elif "levels" in column:
                for level in column["levels"]:
                    value[f"{name}={level}"] = float(str(row[name]) == level)
            else:
                value[name] = column["gap"] if row[name] is None else float(row[name])
                value[f"{name} (missing)"] = float(row[name] is None)
        total = model["constants"][0]
        for i, x in zip(model["coefficients"]["index"], model["coefficients"]["value"]):
            total += x * value[model["names"][i]]
        return total
