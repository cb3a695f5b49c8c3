# test_page.py - the page about a race as a person meets it, in headless Chromium: it loads from a file without a complaint and without
# asking anybody for anything, draws the curves it should, and every switch does what it says. Skipped where there is no Chromium.
import csv
import io
import json
import math
import os
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as xml

from cli_support import COMMAND
from page_support import SAVED, PageTest, main
import race_support as race


class CurvesTest(PageTest):
    """One race for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="spdhg-test-")
        cls.race, cls.page = os.path.join(cls.shared, "race"), os.path.join(cls.shared, "page.html")
        cls.summary = race.make_race(cls.race, data=("a9a", race.HOSTILE), tasks=("gglr",))
        subprocess.run([COMMAND, "report", cls.race, "-q", "-o", cls.page], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def choose(self, name, value):
        self.ask(f"""(() => {{ const s = document.querySelector('select[name={name}]'); s.value = {json.dumps(value)};
                 s.dispatchEvent(new Event('change')); }})()""")

    def coloured(self, solver):
        """Pixels in a solver's colour in each panel of the page (solvers 8 apart share a colour)."""
        return self.ask(f"""(() => {{
          const hex = getComputedStyle(document.documentElement).getPropertyValue('--c{solver % 8}').trim();
          const want = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
          return [...document.querySelectorAll('.chart:not([hidden]) .canvas')].map(panel => {{
            const canvas = panel.querySelector('canvas'), d = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let i = 0; i < d.length; i += 4)
              count += d[i + 3] > 250 && [0, 1, 2].every(k => Math.abs(d[i + k] - want[k]) < 3);
            return count;
          }});
        }})()""")

    def labels(self, panel, axis):
        return self.ask(f"[...document.querySelectorAll('.canvas')[{panel}].querySelectorAll('.dygraph-axis-label-{axis}')].map(n => n.textContent)")

    def box(self, panel):
        return self.ask(f"""(() => {{ const c = document.querySelectorAll('.canvas')[{panel}]; c.scrollIntoView({{block: 'center'}});
                        const r = c.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }})()""")

    def table_of(self, panel, heading="CSV"):
        self.ask(f"""[...document.querySelectorAll('.chart')[{panel}].querySelectorAll('button')].find(b => b.textContent === '{heading}').click()""")
        return self.ask(SAVED)


class Race(CurvesTest):
    def setUp(self):
        super().setUp()
        self.show(self.page)

    def test_loads_without_asking_anybody(self):
        self.assertEqual(self.browser.requests(), ["file://" + self.page])
        self.assertEqual(self.ask("document.querySelectorAll('.chart').length"), 3 * len(self.summary["problems"]))

    def test_policy_refuses_what_is_not_of_the_page(self):
        refused = self.ask("""new Promise(done => {
          document.addEventListener('securitypolicyviolation', event => done(event.effectiveDirective), {once: true});
          const script = document.createElement('script'); script.textContent = 'window.obeyed = true'; document.body.append(script);
        })""")
        self.assertTrue(refused.startswith("script-src"), refused)
        self.assertIsNone(self.ask("window.obeyed || null"))
        self.browser.events.clear()  # that complaint was asked for

    def test_curves_are_drawn(self):
        for solver in (0, 3, 6):
            for pixels in self.coloured(solver):
                self.assertGreater(pixels, 40)

    def test_hostile_name_is_text(self):
        names = self.ask("[...document.querySelectorAll('.problem h2 bdi:first-child')].map(n => n.textContent)")
        self.assertEqual(names, ["a9a", race.HOSTILE])
        self.assertEqual(self.ask("document.querySelectorAll('img, b > b, iframe').length"), 0)
        self.assertEqual(self.ask("document.querySelectorAll('script').length"), 3)
        figure = self.table_of(3, "SVG")
        self.assertEqual(figure["name"], "_img_src_x_onerror_alert_1_script_b_amp_-gglr-suboptimality.svg")
        title = xml.fromstring(figure["text"]).find("{http://www.w3.org/2000/svg}text").text
        self.assertEqual(title, f"Relative suboptimality ({race.HOSTILE}, gglr)")

    def test_solvers_are_switched_in_all_panels_at_once(self):
        before = self.coloured(6)
        self.press(".chip", "rda-admm")
        self.assertEqual(self.coloured(6), [0] * 6)
        self.assertGreater(min(self.coloured(2)), 0)
        self.assertEqual(self.ask("document.querySelectorAll('.chip[aria-pressed=false]').length"), 1)
        self.press(".chip", "rda-admm")
        self.assertEqual(self.coloured(6), before)
        self.press(".chips button", "none")
        self.assertEqual(max(max(self.coloured(s)) for s in range(8)), 0)
        self.press(".chips button", "all")
        self.assertEqual(self.coloured(6), before)

    def test_axes_are_switched(self):
        self.assertIn("10⁻⁶", self.labels(0, "y"))
        self.press(".chart button", "log")
        self.assertNotIn("10⁻⁶", self.labels(0, "y"))
        self.assertIn("0.5", self.labels(0, "y"))
        self.assertGreater(self.coloured(6)[0], 100)
        self.choose("measure", "objective")
        self.assertEqual(self.ask("document.querySelector('.chart b').textContent"), "Objective")
        before = self.labels(0, "x")
        self.choose("x", "seconds")
        self.assertEqual(self.ask("document.querySelectorAll('.chart b')[2].textContent"), "Epochs")
        self.assertNotEqual(self.labels(0, "x"), before)
        self.choose("scale", "log")
        self.assertIn("0.05", self.labels(0, "x"))
        self.assertGreater(self.coloured(6)[0], 100)
        self.choose("test", "test_score")
        self.assertGreater(self.coloured(6)[1], 100)

    def end_of_curve(self, panel, solver, logs):
        """Where its last pixel lies (rightmost, there the lowest), read off the ticks of the axes; logs: which of x, y are logarithmic."""
        place, ticks = self.ask(f"""(() => {{
          const panel = document.querySelectorAll('.canvas')[{panel}], c = panel.querySelector('canvas');
          const hex = getComputedStyle(document.documentElement).getPropertyValue('--c{solver % 8}').trim();
          const want = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)), at = [0, 0];
          const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
          for (let i = 0; i < d.length; i += 4) {{
            if (d[i + 3] < 250 || ![0, 1, 2].every(k => Math.abs(d[i + k] - want[k]) < 3)) continue;
            const x = i / 4 % c.width, y = Math.floor(i / 4 / c.width);
            if (x >= at[0]) [at[0], at[1]] = [x, y];
          }}
          const labels = axis => [...panel.querySelectorAll('.dygraph-axis-label-' + axis)];
          const xs = labels('x').map(n => [Number(n.textContent), n.parentNode.offsetLeft + n.parentNode.offsetWidth / 2]);
          const ys = labels('y').map(n => [Number(n.textContent), n.parentNode.offsetTop + 6]);
          return [[at[0] * c.clientWidth / c.width, at[1] * c.clientHeight / c.height], [xs, ys]];
        }})()""")
        out = []
        for at, marks, log in zip(place, ticks, logs):
            to, back = (math.log, math.exp) if log else (float, float)
            (v0, p0), (v1, p1) = [m for m in marks if m[0] > 0][0], marks[-1]
            out.append(back(to(v0) + (at - p0) / (p1 - p0) * (to(v1) - to(v0))))
        return out

    def test_a_curve_goes_where_its_values_are(self):
        runs = [s for s in self.summary["problems"][0]["solvers"] if s["solver"] == "rda-admm"][0]["runs"]
        ends, loss = [r["seconds"] for r in runs], sum(r["test_loss"] for r in runs) / len(runs)
        x, y = self.end_of_curve(1, 6, (False, False))
        self.assertAlmostEqual(x, 3, delta=0.05)
        self.assertAlmostEqual(y, loss, delta=0.01)
        self.choose("x", "seconds")
        self.choose("scale", "log")
        x, y = self.end_of_curve(1, 6, (True, False))
        self.assertTrue(.9 * min(ends) < x < 1.1 * max(ends), (x, ends))
        self.assertAlmostEqual(y, loss, delta=0.02)
        self.ask("document.querySelectorAll('.chart')[1].querySelectorAll('header button')[1].click()")
        self.assertAlmostEqual(self.end_of_curve(1, 6, (True, True))[1], loss, delta=0.02)

    def test_numbers_are_the_means_over_the_repeats(self):
        points = {}
        with open(os.path.join(self.race, "set0.gglr.csv"), newline="") as file:
            for row in csv.DictReader(file):
                best = self.summary["problems"][0]["optima"][int(row["repeat"])]["objective"]
                sub = (float(row["objective"]) - best) / (race.START - best)
                points.setdefault((row["solver"], float(row["epoch"])), []).append(sub)
        saved = self.table_of(0)
        self.assertEqual(saved["name"], "a9a-gglr-suboptimality.csv")
        rows = list(csv.reader(io.StringIO(saved["text"])))
        self.assertEqual(rows[0][3:], ["lowest", "highest", "repeats"])
        seen = 0
        for solver, epoch, mean, low, high, count in rows[1:]:
            if solver not in ("spdhg", "saga-pd3o", "ada-sadmm-full"):
                continue
            values = points[solver, float(epoch)]
            self.assertEqual(int(count), len(values))
            for shown, expected in ((mean, math.fsum(values) / len(values)), (low, min(values)), (high, max(values))):
                self.assertAlmostEqual(float(shown) / expected, 1, delta=1e-4)
            seen += 1
        self.assertEqual(seen, 3 * 13)

    def test_time_outs_and_divergence_are_marked(self):
        """fsadmm diverges once: its mean is over the two others, the diverged repeat is a line and a cross of its own in the figure."""
        rows = list(csv.reader(io.StringIO(self.table_of(0)["text"])))
        self.assertEqual({r[5] for r in rows if r[0] == "fsadmm"}, {"2"})
        self.assertEqual({r[5] for r in rows if r[0] == "ada-sadmm-full"}, {"3", "1"})
        self.press(".chips button", "none")
        self.press(".chip", "fsadmm")
        paths = [p.get("d") for p in xml.fromstring(self.table_of(0, "SVG")["text"]).iter("{http://www.w3.org/2000/svg}path")]
        self.assertEqual(len(paths), 4)  # band, mean, the diverged repeat, its cross
        self.assertRegex(paths[-1], r"^M[\d. ]+l8 8M[\d. ]+l8 -8$")
        self.press(".chip", "fsadmm")
        self.press(".chip", "ada-sadmm-full")
        paths = [p.get("d") for p in xml.fromstring(self.table_of(0, "SVG")["text"]).iter("{http://www.w3.org/2000/svg}path")]
        self.assertEqual(len([p for p in paths if p.endswith("h8v8h-8z")]), 2)

    def test_zoom_is_shared_and_undone(self):
        before = self.labels(0, "x"), self.labels(1, "x")
        x, y, width, height = self.box(0)
        self.browser.mouse("mousePressed", x + .4 * width, y + .5 * height, button="left", buttons=1, clickCount=1)
        for step in (.5, .6):
            self.browser.mouse("mouseMoved", x + step * width, y + .5 * height, button="left", buttons=1)
        self.browser.mouse("mouseReleased", x + .6 * width, y + .5 * height, button="left", clickCount=1)
        self.ask("new Promise(done => setTimeout(done, 100))")
        self.assertNotEqual(self.labels(0, "x"), before[0])
        self.assertEqual(self.labels(0, "x"), self.labels(1, "x"))
        self.assertEqual(self.labels(3, "x"), before[0])  # another problem
        self.press(".chart button", "whole")
        self.assertEqual((self.labels(0, "x"), self.labels(1, "x")), before)

    def test_pointing_shows_values(self):
        x, y, width, height = self.box(0)
        self.browser.mouse("mouseMoved", x + .5 * width, y + .5 * height)
        self.ask("new Promise(done => setTimeout(done, 100))")
        lines = self.ask("[...document.querySelector('.chart .hover').querySelectorAll('tr')].map(n => n.textContent)")
        self.assertEqual(len(lines), len(race.SOLVERS))
        self.assertTrue(lines[0].startswith("auto") and lines[-1].startswith("rda-admm"), lines)
        self.assertFalse(self.ask("document.querySelector('.chart .hover').hidden"))

    def test_png_and_paper(self):
        png = self.table_of(0, "PNG")
        self.assertEqual((png["name"], png["type"]), ("a9a-gglr-suboptimality.png", "image/png"))
        self.assertGreater(png["size"], 10000)
        self.ask("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.ask("document.querySelectorAll('.paper-figure svg').length"), 6)
        self.ask("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.ask("document.querySelectorAll('.paper-figure svg').length"), 0)
        self.browser.print(self.path("page.pdf"))
        self.assertTrue(self.read("page.pdf").startswith(b"%PDF"))

    def test_tables_need_no_script(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.open("file://" + self.page)
            text = self.ask("document.body.innerText")
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        for shown in ("The curves need JavaScript", "First in seconds to a relative suboptimality of", "2 done, 1 diverged", "mean rank, wins"):
            self.assertIn(shown, text)

    def test_dark_and_phone(self):
        light = self.ask("getComputedStyle(document.body).backgroundColor")
        self.browser.screen(390, 844, dark=True)
        self.ask("new Promise(done => setTimeout(done, 200))")
        self.assertNotEqual(self.ask("getComputedStyle(document.body).backgroundColor"), light)
        self.assertEqual(self.ask("document.documentElement.scrollWidth"), 390)
        self.assertGreater(min(self.coloured(6)), 50)  # in the dark colours

    def test_tables_are_not_cut_on_a_phone(self):
        self.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        for width, stacked in ((400, True), (1400, False)):
            self.browser.screen(width, 900)
            self.pause()
            wide = self.ask("""[...document.querySelectorAll('.scroll > table')].filter(t => t.scrollWidth > t.parentNode.clientWidth + 1)
                            .map(t => t.textContent.slice(0, 60))""")
            self.assertEqual(wide, [])
            self.assertEqual(self.ask("document.querySelectorAll('.stacked').length > 0"), stacked)
            shown = self.ask("[...document.querySelectorAll('.ranks')].map(s => s.getBoundingClientRect().width).filter(w => w > 0)")
            self.assertTrue(shown and max(shown) < width, shown)  # one layout of each diagram of critical differences, which does not scroll
            self.assertEqual(len(shown) * 2, self.ask("document.querySelectorAll('.ranks').length"))
        self.browser.screen(400, 900)
        self.pause()
        cell = self.ask("""(() => { const c = document.querySelector('.stacked td');
                        return [c.dataset.column, getComputedStyle(c, '::before').content]; })()""")
        self.assertEqual(cell, ["task", '"task"'])


class Traces(CurvesTest):
    def test_traces_of_fit(self):
        self.spdhg("generate", "lasso", "--rows", 300, "-o", "d.svm")
        for name, solver in (("<b>1.csv", "spdhg"), ("2.csv", "spdhg"), ("3.csv", "sadmm")):
            self.spdhg("fit", "d.svm", "--loss", "squared", "--solver", solver, "--test-fraction", .2, "--trace", name, "-q")
        self.spdhg("report", "<b>1.csv", "2.csv", "3.csv", "-o", "traces.html")
        self.show(self.path("traces.html"))
        self.assertEqual(self.ask("[...document.querySelectorAll('.chip')].map(n => n.textContent)"), ["spdhg, <b>1.csv", "spdhg, 2.csv", "sadmm"])
        self.assertEqual(self.ask("document.querySelectorAll('.chart:not([hidden])').length"), 3)
        for pixels in self.coloured(2):
            self.assertGreater(pixels, 40)
        self.spdhg("fit", "d.svm", "--loss", "squared", "--solver", "spdhg", "--trace", "4.csv", "-q")
        self.spdhg("report", "4.csv", "-o", "traces.html")
        self.show(self.path("traces.html"))
        self.assertEqual(self.ask("document.querySelectorAll('.chart:not([hidden])').length"), 2)  # no test rows
        self.assertGreater(self.coloured(0)[0], 100)


if __name__ == "__main__":
    main()
