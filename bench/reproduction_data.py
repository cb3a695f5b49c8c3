"""The data sets of bench/reproduction in numbers, and which steps of the grids were chosen on them."""
import csv, hashlib, lzma, math, os

from reproduction_sets import GIVEN, LEARNED, MADE_BINARY
from reproduction_summaries import ended, folders

DATA_COLUMNS = "data", "rows", "features", "entries", "positive", "labels", "checksum", "longest"  # longest: max ||a_i||^2


def measure_data(folder):
    for name in sorted(GIVEN + LEARNED):
        path = os.path.join(folder, name + ".svm.xz")
        labels, entries, width, longest = [], 0, 0, 0
        with lzma.open(path, "rt") as file:
            for line in file:
                parts = line.split("#")[0].split()
                if parts:
                    labels.append(float(parts[0]))
                    entries += len(parts) - 1
                    width = max([width] + [int(t.split(":")[0]) for t in parts[-1:] if ":" in t])
                    longest = max(longest, sum(float(t.split(":")[1]) ** 2 for t in parts[1:]))
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        positive = sum(b > 0 for b in labels) / len(labels)
        yield name, len(labels), width, entries, f"{100 * positive:.0f} %", MADE_BINARY.get(name, "two classes, as published"), digest[:16], f"{longest:.4g}"


def data(o):
    path = os.path.join(o.out, "data.csv")
    if o.folder:
        with open(path, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([DATA_COLUMNS, *measure_data(o.folder)])
    m = {p["data"]: p["structure_rows"] for s in folders(o.out, "full-paper") + folders(o.out, "full-theory") for p in s["problems"]}
    print("| data set | rows N | features d | rows of F m | entries | positive | labels | SHA-256 of the file |\n|---|---|---|---|---|---|---|---|")
    with open(path) as file:
        for row in csv.DictReader(file):
            cells = [row[c] for c in DATA_COLUMNS[:-1]]
            print("| " + " | ".join(cells[:3] + [str(m.get(row["data"], "-"))] + cells[3:]) + " |")


def factor_of(params, gamma, longest):
    """The power of ten by which the chosen step is longer than the rule's; the rule's L is max ||a_i||^2/4 of the rows at hand, about that of all."""
    if "scale" in params or "eta" in params:
        return round(math.log10(params.get("scale", params.get("eta"))))
    return round(math.log10(longest / 4 / params["L"])) if "L" in params else round(math.log10(params["eta0"] * (gamma or 1)))


def edges(o):
    """How long the chosen steps are, and how often an edge of the grid is chosen."""
    with open(os.path.join(o.out, "data.csv")) as file:
        longest = {row["data"]: float(row["longest"]) for row in csv.DictReader(file)}
    chosen = {}
    for summary in folders(o.out, "quick-theory") + folders(o.out, "quick-fair") + folders(o.out, "full-raced"):
        for p in summary["problems"]:
            for s in p["solvers"]:
                if s["tuned"] == "grid" and {"scale", "eta", "eta0", "L"} & set(s["params"] or {}) and any(map(ended, s["runs"])):
                    chosen.setdefault(s["solver"], []).append(factor_of(s["params"], p["gamma"], longest[p["data"]]))
    powers = range(min(map(min, chosen.values())), max(map(max, chosen.values())) + 1)
    print("| chosen steps, times the rule | " + " | ".join(f"{10.0 ** k:g}" for k in powers) + " |\n|" + "---|" * (1 + len(powers)))
    for name, values in chosen.items():
        print(f"| {name} | " + " | ".join(str(sum(v == k for v in values)) for k in powers) + " |")
