#!/usr/bin/python3
"""Runs the commands of docs/tutorial.md and draws its figures from what they wrote.

    docs/figures/draw.py [--command build/spdhg]
"""
import argparse
import csv
import json
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WIDE, HIGH, LEFT, RIGHT, TOP, BOTTOM = 640, 240, 52, 12, 26, 34
BLUE, RED, GREY = "#2a6f97", "#b5413b", "#9aa0a6"


def commands(page=os.path.join(HERE, "..", "tutorial.md")):
    """The lines of every block of shell commands, in their order."""
    with open(page) as file:
        return [line for block in re.findall(r"(?s)```sh\n(.*?)```", file.read()) for line in block.splitlines() if line]


def run_tutorial(command, folder):
    """Runs them with the command in front of the PATH; returns (line, what it printed)."""
    place = os.path.join(folder, "bin")
    os.mkdir(place)
    os.symlink(os.path.abspath(command), os.path.join(place, "spdhg"))
    environment = dict(os.environ, PATH=place + os.pathsep + os.environ["PATH"])
    out = []
    for line in commands():
        done = subprocess.run(["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode} of {line}\n{done.stdout}{done.stderr}")
        out.append((line, done.stdout + done.stderr))
    return out


def coefficients(name):
    with open(name) as file:
        model = json.load(file)
    x = model["coefficients"]
    if isinstance(x, dict):
        x, stored = [0.0] * model["features"], x
        for j, v in zip(stored["index"], stored["value"]):
            x[j] = v
    return x


def numbers(name):
    with open(name) as file:
        return [float(line) for line in file]


class Plot:
    """A few lines of SVG over linear axes."""

    def __init__(self, title, x, y, x_label, wide=WIDE, high=HIGH):
        self.x, self.y, self.wide, self.high = x, y, wide, high
        self.parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide} {high}' font-family='sans-serif' font-size='11'>",
                      f"<rect width='{wide}' height='{high}' fill='white'/>", f"<text x='{LEFT}' y='16' font-weight='bold'>{title}</text>",
                      f"<text x='{wide - RIGHT}' y='{high - 6}' text-anchor='end' fill='#555'>{x_label}</text>"]

    def at(self, x, y):
        (x0, x1), (y0, y1) = self.x, self.y
        return (LEFT + (x - x0) / (x1 - x0) * (self.wide - LEFT - RIGHT), self.high - BOTTOM - (y - y0) / (y1 - y0) * (self.high - TOP - BOTTOM))

    def path(self, points, style, close=False):
        text = " L".join("%.1f %.1f" % self.at(*p) for p in points)
        self.parts.append(f"<path d='M{text}{' Z' if close else ''}' {style}/>")

    def ticks(self, xs, ys):
        for value, text in xs:
            x, y = self.at(value, self.y[0])
            self.parts.append(f"<text x='{x:.1f}' y='{y + 14:.1f}' text-anchor='middle' fill='#555'>{text}</text>")
        for value, text in ys:
            x, y = self.at(self.x[0], value)
            self.parts.append(f"<path d='M{x:.1f} {y:.1f} H{self.wide - RIGHT}' stroke='#e3e3e3'/><text x='{x - 6:.1f}' y='{y + 4:.1f}' text-anchor='end' fill='#555'>{text}</text>")

    def mark(self, x, text, anchor="start"):
        px, py = self.at(x, self.y[1])
        self.parts.append(f"<path d='M{px:.1f} {py:.1f} V{self.high - BOTTOM}' stroke='#555' stroke-dasharray='4 3'/>"
                          f"<text x='{px + (4 if anchor == 'start' else -4):.1f}' y='{py + 10:.1f}' text-anchor='{anchor}'>{text}</text>")

    def steps(self, values, style):
        self.path([p for j, v in enumerate(values) for p in ((j + 0.5, v), (j + 1.5, v))], f"fill='none' {style}")

    def write(self, name):
        with open(os.path.join(HERE, name), "w") as out:
            out.write("\n".join(self.parts) + "\n</svg>\n")


def draw_loss(folder):
    import math
    with open(os.path.join(folder, "spectra-path.csv")) as file:
        points = [{k: float(v) for k, v in p.items() if k in ("lambda", "cv_loss", "cv_loss_error")} for p in csv.DictReader(file)]
    x, y, e = [-math.log10(p["lambda"]) for p in points], [p["cv_loss"] for p in points], [p["cv_loss_error"] for p in points]
    best = min(range(len(y)), key=lambda i: y[i])
    one = next(i for i in range(len(y)) if y[i] <= y[best] + e[best])
    plot = Plot("Loss on held-out rows, with one standard error", (min(x), max(x)), (0.4, 1.05), "lambda, from strict to lenient")
    plot.ticks([(-k, f"1e{k}" if k else "1") for k in (0, -1, -2, -3)], [(v / 10, v / 10) for v in (4, 6, 8, 10)])
    plot.path([(a, b + c) for a, b, c in zip(x, y, e)] + [(a, b - c) for a, b, c in reversed(list(zip(x, y, e)))], f"fill='{BLUE}' fill-opacity='0.15'", True)
    plot.path(list(zip(x, y)), f"fill='none' stroke='{BLUE}' stroke-width='2'")
    plot.mark(x[one], "chosen", "end")
    plot.mark(x[best], "best")
    plot.write("spectra-loss.svg")


def draw_spectra(folder):
    x, truth = coefficients(os.path.join(folder, "spectra.json")), numbers(os.path.join(folder, "truth.txt"))
    plot = Plot("Coefficients: chosen (blue), truth (grey)", (0.5, len(x) + 0.5), (-0.22, 0.36), "wavelength")
    plot.ticks([(k, k) for k in range(10, 61, 10)], [(v / 10, v / 10) for v in (-2, -1, 0, 1, 2, 3)])
    plot.steps(truth, f"stroke='{GREY}' stroke-width='4'")
    plot.steps(x, f"stroke='{BLUE}' stroke-width='2'")
    plot.write("spectra-coefficients.svg")


def draw_genes(folder):
    """Two plots, one above the other."""
    truth = numbers(os.path.join(folder, "genes-truth.txt"))
    both = Plot("", (0, 1), (0, 1), "", high=2 * HIGH)
    for k, (name, title) in enumerate([("genes-plain.json", "An ordinary lasso"), ("genes.json", "Structure learned")]):
        x = coefficients(os.path.join(folder, name))
        plot = Plot(f"{title}: coefficients (bars), truth (grey)", (0.5, len(x) + 0.5), (-0.6, 0.6), "gene")
        plot.ticks([(v, v) for v in range(10, 81, 10)], [(v / 10, v / 10) for v in (-4, -2, 0, 2, 4)])
        plot.steps(truth, f"stroke='{GREY}' stroke-width='3'")
        for j, v in enumerate(x):
            if v != 0:
                plot.path([(j + 1, 0), (j + 1, v)], f"stroke='{BLUE if v > 0 else RED}' stroke-width='4'")
        both.parts += [f"<g transform='translate(0 {k * HIGH})'>", *plot.parts[2:], "</g>"]
    both.write("genes-coefficients.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="build/spdhg")
    with tempfile.TemporaryDirectory() as folder:
        run_tutorial(parser.parse_args().command, folder)
        draw_loss(folder)
        draw_spectra(folder)
        draw_genes(folder)


if __name__ == "__main__":
    main()
