# test_fit_page.py - the pages about a fit, a path and a graph in headless Chromium: what they say is what the command computes, their
# plots have the points they should, the slider and the zoom do what they say. Skipped where there is no Chromium.
import csv
import json
import math
import random
import re
import xml.etree.ElementTree as xml

from page_support import SAVED, PageTest, main


def table(count=240, seed=4):
    """Rows (age, income, city, size, bought, spent, visits): a score of the first four, and three targets made of it."""
    draw, out = random.Random(seed), []
    for _ in range(count):
        age, income = draw.randint(18, 80), round(draw.gauss(40, 12), 1)
        city, size = draw.choice(["Berlin", "<b>Ulm", "Mainz"]), draw.choice("sml")
        z = .05 * (age - 50) + .04 * (income - 40) + {"Berlin": 1, "<b>Ulm": -.5, "Mainz": -.5}[city] + {"s": -1, "m": 0, "l": .3}[size] + draw.gauss(0, 1)
        out.append((age, income, city, size, "yes" if z > 0 else "no", round(10 + 2 * z, 3), int(math.exp(.3 * z + .5) + draw.random())))
    return out


class TablePage(PageTest):
    def setUp(self):
        super().setUp()
        self.rows = table()
        for name, at in (("bought", 4), ("spent", 5), ("visits", 6)):
            self.write(name + ".csv", f"age,income,city,size,{name}\n" + "".join(",".join(map(str, (*r[:4], r[at]))) + "\n" for r in self.rows))

    def judged(self):
        """The paragraph under the heading, and the numbers it gives by name."""
        text = self.ask("""[...document.querySelectorAll('h2')].find(h => h.textContent === 'How well it predicts').nextElementSibling.textContent""")
        return text, {name: float(value) for name, value in re.findall(r"(Loss|accuracy|ROC curve|error|R²|deviance) (-?[\d.e+-]*\d)", text)}


class Judged(TablePage):
    def test_cross_validation_of_labels(self):
        done = self.spdhg("path", "bought.csv", "--report", "p.html", "--path", "p.csv", "--json", "--lambdas", 20)
        self.show(self.path("p.html"))
        text, number = self.judged()
        self.assertIn("Judged by 240 rows each predicted by the fit that left it out (cross-validation at the chosen lambda)", text)
        with open(self.path("p.csv")) as file:
            point = min(csv.DictReader(file), key=lambda r: abs(float(r["cv_loss"]) - json.loads(done.out)["cv_loss"]))
        self.assertAlmostEqual(number["accuracy"], 100 * float(point["cv_accuracy"]), delta=.01)  # folds of equal size
        self.assertAlmostEqual(number["Loss"], float(point["cv_loss"]), delta=1e-3)
        cells = [int(c) for c in self.texts(".confusion td:not(:last-child)")]
        self.assertEqual(sum(cells), 240)
        self.assertAlmostEqual(100 * (cells[0] + cells[3]) / 240, number["accuracy"], delta=.01)
        self.assertEqual(cells[2] + cells[3], sum(r[4] == "yes" for r in self.rows))  # a row for each true label
        # The area under the curve as it is drawn, in the pixels of the plot, whose diagonal is the dashed line.
        line = self.ask("document.querySelector('path.curve.c0').getAttribute('d')")
        frame = self.ask("document.querySelector('path.curve.chance').getAttribute('d')")
        at = [tuple(map(float, p.split())) for p in re.findall(r"[ML]([\d. -]+)", line)]
        (x0, y0), (x1, y1) = [tuple(map(float, p.split())) for p in re.findall(r"[ML]([\d. -]+)", frame)]
        area = sum((b[0] - a[0]) * ((a[1] + b[1]) / 2 - y0) for a, b in zip(at, at[1:])) / ((x1 - x0) * (y1 - y0))
        self.assertAlmostEqual(area, number["ROC curve"], delta=.005)
        self.assertIn("calibration", " ".join(self.texts("svg.plot text.title")))

    def test_numbers_of_a_test_file(self):
        self.write("test.csv", self.read("spent.csv"))
        self.spdhg("fit", "spent.csv", "--loss", "squared", "--lambda", .1, "--test", "test.csv", "--report", "p.html", "-o", "m.json", "-q")
        done = self.spdhg("predict", "m.json", "test.csv", "-o", "out.csv", "--json")
        self.show(self.path("p.html"))
        text, number = self.judged()
        self.assertIn("Judged by 240 rows of test.csv.", text)
        self.assertAlmostEqual(number["error"] / json.loads(done.out)["rmse"], 1, delta=1e-3)
        self.assertAlmostEqual(number["R²"], json.loads(done.out)["r2"], delta=1e-3)
        dots = self.ask("""[...document.querySelectorAll('svg.plot')].filter(s => s.querySelector('.seen')).map(s =>
                        [s.querySelector('.title').textContent, [...s.querySelectorAll('.seen')].map(c => [+c.getAttribute('cx'), -c.getAttribute('cy')])])""")
        self.assertEqual([title for title, _ in dots], ["Residuals, against predictions", "Residuals, against normal quantiles (Q-Q)"])
        with open(self.path("out.csv")) as file:
            predicted = [float(r["prediction"]) for r in csv.DictReader(file)]
        residual = [row[5] - p for row, p in zip(self.rows, predicted)]
        self.assertEqual(len(dots[0][1]), 240)
        self.alike([y for _, y in dots[0][1]], residual)   # in pixels: up to a scale and a shift
        self.alike([x for x, _ in dots[0][1]], predicted)
        self.alike([y for _, y in dots[1][1]], sorted(residual))
        from statistics import NormalDist
        self.alike([x for x, _ in dots[1][1]], [NormalDist().inv_cdf((i + .5) / 240) for i in range(240)])

    def alike(self, seen, expected):
        span = lambda v: [(x - min(v)) / (max(v) - min(v)) for x in v]
        self.assertEqual(len(seen), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(span(seen), span(expected))), 2e-3)

    def test_counts_have_deviance_residuals(self):
        self.spdhg("fit", "visits.csv", "--loss", "poisson", "--lambda", .02, "--test-fraction", .25, "--report", "p.html", "-q")
        self.show(self.path("p.html"))
        self.assertIn("Judged by 60 rows that were held out (--test-fraction)", self.judged()[0])
        self.assertIn("Deviance residuals, against predictions", self.texts("svg.plot text.title"))

    def test_rows_of_the_fit_are_said_to_be_that(self):
        self.spdhg("fit", "spent.csv", "--loss", "squared", "--lambda", .1, "--report", "p.html", "-q")
        self.show(self.path("p.html"))
        self.assertIn("rows it was fitted to; new rows will be predicted less well", self.judged()[0])

    def test_several_classes(self):
        kinds = ["<b>setosa", "versicolor", "virginica"]
        draw = random.Random(1)
        self.write("iris.csv", "a,b,kind\n" + "".join(f"{draw.gauss(i % 3, 1):.3f},{draw.gauss(-(i % 3), 1):.3f},{kinds[i % 3]}\n" for i in range(150)))
        self.spdhg("path", "iris.csv", "--loss", "softmax", "--lambdas", 10, "--report", "p.html", "-q")
        self.show(self.path("p.html"))
        self.assertEqual(self.texts(".confusion tbody th"), kinds)
        self.assertEqual(len(self.texts("path.curve.c0 title, path.curve.c1 title, path.curve.c2 title")), 3)
        self.assertEqual(self.ask("document.querySelectorAll('b > b, h2 b').length"), 0)


class Slider(TablePage):
    def setUp(self):
        super().setUp()
        self.spdhg("path", "spent.csv", "--loss", "squared", "--lambdas", 15, "-q", "--report", "p.html", "--coefficients", "c.csv", "--path", "p.csv")
        self.show(self.path("p.html"))
        with open(self.path("p.csv")) as file:
            self.points = list(csv.DictReader(file))

    def slide(self, i):
        self.ask(f"""(() => {{ const r = document.querySelector('#slider input'); r.value = r.max - {i}; r.dispatchEvent(new Event('input')); }})()""")

    def test_coefficients_at_every_lambda(self):
        with open(self.path("c.csv")) as file:
            rows = list(csv.DictReader(file))
        for i in (0, 5, len(self.points) - 1):
            self.slide(i)
            at = [r for r in rows if abs(float(r["lambda"]) / float(self.points[i]["lambda"]) - 1) < 1e-12 and r["feature"] != "(intercept)"]
            expected = {r["feature"] + ("=" + r["level"] if r["level"] else ""): float(r["value"]) for r in at}
            shown = dict(t.rsplit(": ", 1) for t in self.texts("#slider rect title"))
            self.assertEqual(set(shown), set(expected))
            for name, value in shown.items():
                self.assertAlmostEqual(float(value), expected[name], delta=2e-3 * abs(expected[name]))
            self.assertIn(f"number {i + 1} of {len(self.points)}", self.texts("#slider output")[0])

    def test_line_moves_and_a_click_moves_the_slider(self):
        lines = lambda: self.ask("[...document.querySelectorAll('.cursor')].map(l => +l.getAttribute('x1'))")
        self.slide(2)
        before = lines()
        self.assertEqual(len(before), 4)
        self.slide(10)
        self.assertTrue(all(b < a for a, b in zip(before, lines())), (before, lines()))  # lambda falls
        x, y, width, height = self.ask("""(() => { const s = document.querySelector('svg[data-axis]'); s.scrollIntoView({block: 'center'});
                                       const r = s.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()""")
        self.ask(f"document.querySelector('svg[data-axis]').dispatchEvent(new MouseEvent('click', {{clientX: {x + .97 * width}, clientY: {y + .5 * height}}}))")
        self.assertIn("number 1 of", self.texts("#slider output")[0])

    def test_bars_of_the_error(self):
        bars = self.ask("document.querySelector('path.bars').getAttribute('d').match(/M/g).length")
        self.assertEqual(bars, len(self.points))

    def test_without_script_the_plots_are_there(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.open("file://" + self.path("p.html"))
            titles = self.texts("svg.plot text.title")
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        self.assertIn("Coefficients along the path", titles)
        self.assertIn("Largest coefficients, standardized", titles)


class Groups(TablePage):
    def test_equal_coefficients_are_listed(self):
        self.spdhg("fit", "spent.csv", "--loss", "squared", "--structure", "categories", "--reference", "city=Berlin", "--lambda", .2, "-q",
                   "--report", "p.html", "-o", "m.json")
        self.show(self.path("p.html"))
        with open(self.path("m.json")) as file:
            model = json.load(file)
        groups = {}
        for i, g in zip(model["coefficients"]["index"], model["coefficients"]["group"]):
            groups.setdefault(g, []).append(model["names"][i])
        groups.pop(0, None)
        self.assertTrue(groups)
        self.assertEqual(self.texts("[data-name=groups] .members"), [", ".join(groups[g]) for g in sorted(groups)])


class Graphs(PageTest):
    def graph(self, features, clusters):
        draw = random.Random(2)
        lines = []
        for _ in range(80):
            factor = [draw.gauss(0, 1) for _ in range(clusters)]
            lines.append(",".join(f"{factor[j % clusters] + .7 * draw.gauss(0, 1):.3f}" for j in range(features)))
        self.write("g.csv", ",".join(f"gene{j}" for j in range(features)) + "\n" + "\n".join(lines) + "\n")
        self.spdhg("graph", "g.csv", "--no-label", "--rho", .5, "--report", "g.html", "-o", "g.mtx", "-q")
        self.show(self.path("g.html"))

    def box(self):
        return self.ask("""(() => { const v = document.querySelector('.network-view'); v.scrollIntoView({block: 'center'});
                        const r = v.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()""")

    def test_small_graph_is_moved_and_magnified(self):
        self.graph(24, 3)
        view = lambda: [float(v) for v in self.ask("document.querySelector('svg.network').getAttribute('viewBox')").split()]
        whole = view()
        self.press(".zoom button", "+")
        near = view()
        self.assertAlmostEqual(whole[2] / near[2], 1.6, delta=1e-6)
        self.assertAlmostEqual(near[0] + near[2] / 2, whole[0] + whole[2] / 2, delta=1e-6)  # the middle stays
        x, y, width, height = self.box()
        self.browser.mouse("mousePressed", x + .5 * width, y + .5 * height, button="left", buttons=1, clickCount=1)
        self.browser.mouse("mouseMoved", x + .4 * width, y + .5 * height, button="left", buttons=1)
        self.browser.mouse("mouseReleased", x + .4 * width, y + .5 * height, button="left", clickCount=1)
        self.assertAlmostEqual(view()[0] - near[0], .1 * near[2], delta=.02 * near[2])
        self.press(".zoom button", "whole")
        self.assertEqual(view(), whole)
        colours = self.ask("new Set([...document.querySelectorAll('svg.network circle')].map(c => getComputedStyle(c).fill)).size")
        self.assertEqual(colours, 3)

    def test_large_graph_is_drawn_on_a_canvas(self):
        self.graph(330, 11)
        self.assertEqual(self.ask("document.querySelectorAll('.network-view canvas').length"), 1)
        self.assertEqual(self.ask("getComputedStyle(document.querySelector('.network-still')).display"), "none")
        ink = """(() => { const c = document.querySelector('.network-view canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
              let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()"""
        before = self.ask(ink)
        self.assertGreater(before, 5000)
        x, y, width, height = self.box()
        data = self.ask("(() => { const v = document.querySelector('.network-view'); return [v.clientWidth]; })()")
        self.assertGreater(data[0], 500)
        seen = set()
        for k in range(12):  # over the first row of clusters
            self.browser.mouse("mouseMoved", x + width * (k + .5) / 12, y + .15 * height)
            if not self.ask("document.querySelector('.network-view .hover').hidden"):
                seen.add(self.texts(".network-view .hover")[0])
        for k in range(30):
            self.browser.mouse("mouseMoved", x + width * (.03 + .008 * k), y + .15 * height)
            if not self.ask("document.querySelector('.network-view .hover').hidden"):
                seen.add(self.texts(".network-view .hover")[0])
        self.assertTrue(seen and all(re.fullmatch(r"gene\d+", name) for name in seen), seen)
        self.press(".zoom button", "+")
        self.assertNotEqual(self.ask(ink), before)
        self.press(".zoom button", "whole")
        self.assertEqual(self.ask(ink), before)

    def test_phone_and_paper(self):
        self.graph(330, 11)
        for width in (400, 1400):
            for dark in (False, True):
                self.browser.screen(width, 900, dark=dark)
                self.pause()
                self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)
        self.browser.print(self.path("g.pdf"))
        self.assertTrue(self.read("g.pdf").startswith(b"%PDF"))


class Stills(PageTest):
    def test_figures_of_a_fit_are_saved_as_on_paper(self):
        self.spdhg("generate", "image", "--height", 5, "--width", 6, "--rows", 200, "--truth", "truth.txt", "-o", "d.svm")
        self.spdhg("fit", "d.svm", "--structure", "grid:5x6", "--truth", "truth.txt", "--test-fraction", .2, "-q", "--report", "fit.html")
        self.show(self.path("fit.html"))
        self.browser.screen(1300, 900, dark=True)
        self.assertEqual(self.browser.requests(), ["file://" + self.path("fit.html")])
        count = self.ask("document.querySelectorAll('svg.image, svg.plot').length")
        self.assertEqual(self.ask("document.querySelectorAll('.still > svg + .save').length"), count)
        self.ask("document.querySelector('svg[aria-label=Objective] + .save button').click()")
        figure = xml.fromstring(self.ask(SAVED)["text"])
        node = lambda name: figure.find("{http://www.w3.org/2000/svg}" + name)
        self.assertEqual((node("rect").get("fill"), node("path").get("stroke"), node("text").get("fill")),
                         ("#fff", "rgb(33, 102, 172)", "rgb(28, 33, 40)"))
        self.assertIsNone(re.search("class=|style=|rgba|var", xml.tostring(figure, "unicode")))
        self.ask("document.querySelectorAll('svg.image + .save button')[1].click()")
        picture = self.ask(SAVED)
        self.assertEqual((picture["name"], picture["type"]), ("d.svm-truth.png", "image/png"))
        self.assertIn(b"<title>0: ", self.read("fit.html"))  # values of the dots


class Coefficients(PageTest):
    def setUp(self):
        super().setUp()
        rows = [(i % 5, i * i % 7, "north" if i % 3 else "south", 3 * (i % 5) - 2 * (i % 3 > 0)) for i in range(90)]
        self.write("h.csv", "rooms,age,side,price\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))
        self.spdhg("path", "h.csv", "--loss", "squared", "--lambdas", 15, "-q", "--report", "h.html", "-o", "h.json")
        self.show(self.path("h.html"))

    def cells(self, column):
        return self.ask(f"[...document.querySelectorAll('.sortable tbody tr')].filter(r => !r.hidden).map(r => r.cells[{column}].textContent)")

    def test_first_sentence_says_what_was_chosen_and_what_matters(self):
        first = self.ask("document.querySelector('header p').textContent")
        self.assertRegex(first, r"^Of \d+ values of lambda, \S+ was chosen\. Its loss in cross-validation is .* What matters most: rooms")
        self.assertIn("Fitted to 90 rows.", first)

    def test_table_sorts_searches_and_is_saved(self):
        with open(self.path("h.json")) as file:
            model = json.load(file)
        names = [model["names"][i] for i in model["coefficients"]["index"]]
        self.assertEqual(set(self.cells(0)), {"(intercept)", *names})
        click = "[...document.querySelectorAll('.sortable thead th')].find(h => h.textContent === 'value').click()"
        self.ask(click)
        falling = [float(v) for v in self.cells(1)]
        self.assertEqual(falling, sorted(falling, reverse=True))
        self.ask(click)
        self.assertEqual([float(v) for v in self.cells(1)], falling[::-1])
        self.ask("(() => { const s = document.querySelector('.tools input'); s.value = 'ROOM'; s.dispatchEvent(new Event('input')); })()")
        self.assertEqual(self.cells(0), ["rooms"])
        self.ask("document.querySelector('.tools button').click()")
        saved = self.ask(SAVED)
        self.assertEqual((saved["name"], saved["text"].splitlines()[0].split(",")[:2]), ("h.csv-coefficients.csv", ["feature", "value"]))
        self.assertEqual(len(saved["text"].splitlines()), 2)

    def test_names_at_the_pointer(self):
        titles = self.texts(".bar-list g title")
        self.assertTrue(any(t.startswith("rooms: ") for t in titles), titles)
        self.assertIn("rooms", self.texts("path.curve title"))
        self.assertIn("rooms", self.texts(".bar-list text.name"))
        self.assertIn("rooms", self.texts("svg[data-axis] text.name"))

    def test_phone_and_dark(self):
        for width in (400, 1400):
            for dark in (False, True):
                self.browser.screen(width, 900, dark=dark)
                self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)


if __name__ == "__main__":
    main()
