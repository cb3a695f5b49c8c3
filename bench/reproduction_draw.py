"""The figures of docs/reproduction.md: the paper's three panels for each data set."""
import csv, math, os, statistics

import numpy as np

from reproduction_sets import OURS, PAPER
from reproduction_summaries import median, read_summary

COLOURS = {"spdhg": "#d62728", "spdhg-sc1": "#e377c2", "spdhg-sc2": "#8c1a1a", "lpdhg": "#7f7f7f", "sadmm": "#1f77b4", "opg-admm": "#17becf", "rda-admm": "#2ca02c",
           "fsadmm": "#bcbd22", "ada-sadmm-diag": "#9467bd", "ada-sadmm-full": "#c5a3e0", "saga-pd3o": "#ff7f0e", "auto": "#000000", "spdhg-free": "#ff9896",
           "fsadmm-lite": "#7a7a00", "online-admm": "#98df8a", "sdca-admm": "#9edae5", "sgadm": "#aec7e8", "spdc": "#c49c94", "spdc-adaptive": "#8c564b", "rpdg": "#f7b6d2", "pdhg-adaptive": "#c7c7c7"}
WIDE, HIGH, LOWEST = 290, 150, -6  # a panel; the lowest power of ten drawn
# The paper's three panels: column, its axis, value of a point of a trace, title.
PANELS = (("objective", "epoch", lambda row, start, best: (float(row["objective"] or "nan") - best) / (start - best)),
          ("test loss", "epoch", lambda row, start, best: float(row["test_loss"] or "nan")),
          ("time", "seconds", lambda row, start, best: (float(row["objective"] or "nan") - best) / (start - best)))


def curves(folder, problem, along, value, end):
    """solver -> [(place, median, least, most)] over the repeats, on a grid of the axis; where more than half of the repeats got there"""
    best = {o["repeat"]: o["objective"] for o in problem["optima"]}
    found = {}
    with open(os.path.join(folder, problem["traces"])) as file:
        for row in csv.DictReader(file):
            number = value(row, problem["start_objective"], best[int(row["repeat"])])
            found.setdefault(row["solver"], {}).setdefault(int(row["repeat"]), []).append((float(row[along]), math.log10(max(number, 1e-16))))
    lines = {}
    for solver, repeats in found.items():
        grid = np.linspace(0, end, 41)
        logs = np.array([np.interp(grid, *zip(*points), right=math.nan) for points in repeats.values()])
        there = 2 * np.isfinite(logs).sum(axis=0) > len(best)
        parts = (np.nanmedian, np.nanmin, np.nanmax)
        lines[solver] = [(g, *values) for g, *values in zip(grid[there], *(part(logs[:, there], axis=0) for part in parts))]
    return {solver: points for solver, points in lines.items() if points}


def stroke(solver, width):
    return f'stroke="{COLOURS.get(solver, "#555")}" stroke-width="{width}"' + ('' if solver in PAPER else ' stroke-dasharray="4 2"')


def panel(left, top, title, lines, end):
    """Logarithmic; the band of SPDHG's rules is their spread over the repeats."""
    values = [v for points in lines.values() for _, *three in points for v in three[:1]]
    low, high = max(LOWEST, math.floor(min(values))), min(1, math.ceil(max(values)))
    X = lambda place: left + 34 + place / end * (WIDE - 46)
    Y = lambda log: top + 20 + (high - min(max(log, low), high)) / max(high - low, 1) * (HIGH - 44)
    yield f'<text x="{left + 34}" y="{top + 12}" font-weight="bold">{title}</text>'
    for power in range(low, high + 1):
        yield f'<line x1="{X(0):.0f}" x2="{X(end):.0f}" y1="{Y(power):.1f}" y2="{Y(power):.1f}" stroke="#ddd"/>'
        yield f'<text x="{X(0) - 3:.0f}" y="{Y(power) + 3:.1f}" text-anchor="end">1e{power}</text>'
    for place in (0, end / 2, end):
        yield f'<text x="{X(place):.0f}" y="{top + HIGH - 6}" text-anchor="middle">{place:.3g}</text>'
    for solver, points in lines.items():
        if solver in OURS["gglr"] + OURS["ggrlr"]:
            around = [(g, most) for g, _, _, most in points] + [(g, least) for g, _, least, _ in reversed(points)]
            yield f'<polygon fill="{COLOURS[solver]}" fill-opacity="0.18" points="' + " ".join(f"{X(g):.1f},{Y(v):.1f}" for g, v in around) + '"/>'
        yield f'<polyline fill="none" {stroke(solver, 1.2)} points="' + " ".join(f"{X(g):.1f},{Y(v):.1f}" for g, v, _, _ in points) + '"/>'


def draw(o):
    *folders, place = o.out
    summaries = [(folder, read_summary(folder)) for folder in folders]
    for task in OURS:
        rows = [(folder, s, p) for folder, s in summaries for p in s["problems"] if p["task"] == task]
        height = len(rows) * HIGH + 62
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * WIDE} {height}" font-family="sans-serif" font-size="9">',
               f'<rect width="{3 * WIDE}" height="{height}" fill="white"/>']
        solvers = []
        for i, (folder, s, p) in enumerate(rows):
            seconds = [median(x["runs"], lambda r: r["seconds"]) for x in p["solvers"] if x["solver"] in PAPER]
            ends = {"epoch": s["epochs"], "seconds": statistics.median([t for t in seconds if not math.isinf(t)])}
            for j, (title, along, value) in enumerate(PANELS):
                lines = curves(folder, p, along, value, ends[along])
                solvers += [n for n in lines if n not in solvers]
                out += panel(j * WIDE, i * HIGH, f"{p['data']}: {title}" + (", seconds" if along == "seconds" else ", epochs"), lines, ends[along])
        for i, name in enumerate(n for n in COLOURS if n in solvers):
            x, y = 30 + i % 7 * 120, len(rows) * HIGH + 16 + i // 7 * 16
            out.append(f'<line x1="{x}" x2="{x + 20}" y1="{y - 3}" y2="{y - 3}" {stroke(name, 2)}/><text x="{x + 25}" y="{y}" font-size="11">{name}</text>')
        form = "quick" if summaries[0][1]["quick"] else "full"
        with open(os.path.join(place, f"{form}_{summaries[0][1]['protocol']}_{task}.svg"), "w") as file:
            file.write("\n".join(out + ["</svg>", ""]))
