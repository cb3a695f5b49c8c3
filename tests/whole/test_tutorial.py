# test_tutorial.py - docs/tutorial.md is true: every command of it runs, what it says it prints is printed, and the models that cross-validation chooses there recover
# the planted groups: the bands of a chain, the clusters of a graph that was learned.
import os
import re
import sys
import tempfile

from checks import Checks

import numpy as np

COMMAND = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "spdhg"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "docs", "figures"))
sys.dont_write_bytecode = True
import draw

tally = Checks()
check = tally.check


def words(text):
    """Without the numbers, which another machine may round differently."""
    return re.sub(r"[-+]?\d[\d.]*(e[-+]\d+)?", "#", " ".join(text.split()))


def check_page(printed, name, least):
    with open(os.path.join(ROOT, "docs", name)) as file:
        page = file.read()
    said = words("\n".join(out for _, out in printed))
    for block in re.findall(r"(?s)```text\n(.*?)```", page):
        for line in block.splitlines():
            check(line.strip() == "..." or words(line) in said, f"the page shows '{line.strip()}', which no command prints")
    for figure in re.findall(r"\]\((figures/[^)]*)\)", page):
        check(os.path.exists(os.path.join(ROOT, "docs", figure)), f"{figure} is missing")
    check(len(printed) >= least, f"only {len(printed)} commands of {name} were found")


def numbers_near(printed):
    """The numbers that sentences of the page rest on: what predict prints, in the order of the page."""
    rmse = [float(v) for _, out in printed for v in re.findall(r"RMSE ([\d.]+)", out)]
    check(len(rmse) == 3 and np.allclose(rmse, [1.013, 1.059, 1.002], rtol=0, atol=2e-3), f"RMSE with, without structure, with bands: {rmse}, the page says 1.013, 1.059, 1.002")


def check_chain(folder):
    x, truth = (np.array(v) for v in (draw.coefficients(os.path.join(folder, "spectra.json")), draw.numbers(os.path.join(folder, "truth.txt"))))
    breaks, jumps = np.flatnonzero(np.diff(x)), np.flatnonzero(np.diff(truth))
    for j in jumps:
        large = abs(truth[j + 1] - truth[j]) > 0.1
        check(np.abs(breaks - j).min() <= (0 if large else 2), f"the {'large ' if large else ''}jump after column {j + 1} is not found; breaks {breaks + 1}")
        check(np.sign(truth[j + 1] - truth[j]) == np.sign(x[min(j + 3, len(x) - 1)] - x[j - 2]), f"the jump after column {j + 1} goes the other way")
    check(len(breaks) <= 2 * len(jumps), f"{len(breaks)} breaks for {len(jumps)} jumps")


def check_bands(folder):
    """The second path has as many bands as the truth, its large steps in their places, the small ones at most four columns off."""
    x, truth = (np.array(v) for v in (draw.coefficients(os.path.join(folder, "bands.json")), draw.numbers(os.path.join(folder, "truth.txt"))))
    breaks, jumps = np.flatnonzero(np.diff(x)), np.flatnonzero(np.diff(truth))
    check(len(breaks) == len(jumps) == 7, f"{len(breaks) + 1} bands, {len(jumps) + 1} in truth")
    for j in jumps:
        check(np.abs(breaks - j).min() <= (0 if abs(truth[j + 1] - truth[j]) > 0.1 else 4), f"the jump after column {j + 1} is not found; breaks {breaks + 1}")


def check_clusters(folder):
    """Exactly one value in each of the eight clusters, of the right sign, and next to nothing where the truth is 0."""
    x, truth = (np.array(v).reshape(8, 10) for v in (draw.coefficients(os.path.join(folder, "genes.json")), draw.numbers(os.path.join(folder, "genes-truth.txt"))))
    for k in range(8):
        check(len(set(x[k])) == 1, f"cluster {k + 1} is not fused: {x[k]}")
        check(abs(x[k, 0]) < 0.02 if truth[k, 0] == 0 else x[k, 0] * truth[k, 0] > 0.03, f"cluster {k + 1}: {x[k, 0]}, the truth is {truth[k, 0]}")


def check_denoised(folder):
    """The bends, the levels and the image of docs/denoise.md, as far as any awk's random numbers show them."""
    bent, smooth = (draw.columns(os.path.join(folder, name)) for name in ("bent.csv", "smooth.csv"))
    truth = np.interp(smooth["time"], [0, 60, 130, 1000], [0, 3, 1, 1 + 870 / 25])
    check(None in bent["value"] and np.abs(np.array(smooth["value"]) - truth).max() < 0.8, "the bent line is not found")
    levels = np.array(draw.columns(os.path.join(folder, "levels.csv"))["log2ratio"])
    check(levels[60:110].mean() > 0.4 and levels[170:190].mean() < -0.7 and np.abs(levels[:50]).max() < 0.3, "the levels are not found")
    with open(os.path.join(folder, "segments.csv")) as file:
        check(3 < len(file.readlines()) <= 25, "the segments are too many or too few")
    for name in ("clean.pgm", "round.pgm"):
        with open(os.path.join(folder, name)) as file:
            pixels = np.array(file.read().split()[4:], float).reshape(30, 40)
        check(pixels.shape == (30, 40) and pixels[15, 14] > 165 and pixels[25, 35] < 145 and pixels[2, 2] < 85, f"the disc is not found in {name}")


def main():
    with tempfile.TemporaryDirectory(prefix="spdhg-test-") as folder:
        printed = draw.run_page(COMMAND, folder)
        check_page(printed, "tutorial.md", 14)
        numbers_near(printed)
        check_chain(folder)
        check_bands(folder)
        check_clusters(folder)
        check_page(draw.run_page(COMMAND, folder, "denoise.md"), "denoise.md", 7)
        check_denoised(folder)
        for name in ("spectra.html", "genes.html", "genes-graph.html", "predictions.csv", "chances.csv", "bent.html"):
            check(os.path.getsize(os.path.join(folder, name)) > 1000, f"{name} is empty")
    tally.end()


main()
