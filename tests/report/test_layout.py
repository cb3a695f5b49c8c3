# test_layout.py - pages in headless Chromium on a phone, on a large screen and on paper: no text of a picture is cut or too small to
# read, names and marks do not cover each other, and paper is not wasted.
import random

from cli_support import rows, svm
from page_support import PageTest, main

TEXTS = """[...document.querySelectorAll('svg text')].filter(t => t.getBoundingClientRect().width > 0).map(t => {
  const svg = t.ownerSVGElement, r = t.getBoundingClientRect(), s = svg.getBoundingClientRect(), loose = getComputedStyle(svg).overflow === 'visible';
  return {text: t.textContent, of: svg.getAttribute('aria-label'), kind: t.getAttribute('class'), left: r.left, right: r.right, top: r.top, bottom: r.bottom,
          from: loose ? 0 : s.left, to: loose ? innerWidth : s.right, size: parseFloat(getComputedStyle(t).fontSize) * svg.getScreenCTM().a};
})"""


def people(count=400):
    draw, lines = random.Random(4), ["age,income,residence,size,children,bought,spent"]
    for _ in range(count):
        age, income, size = draw.randint(18, 80), round(draw.gauss(40, 12), 1), draw.choice(["small", "medium", "large"])
        residence = draw.choice("Berlin Ulm Mainz Bremen Köln".split())
        z = .05 * (age - 50) + .04 * (income - 40) + {"Berlin": 1, "Bremen": 0, "Köln": .2}.get(residence, -.5) + {"small": -1, "large": .3}.get(size, 0)
        z += draw.gauss(0, 1)
        lines.append(f"{age},{income},{residence},{size},{draw.randint(0, 5)},{'yes' if z > 0 else 'no'},{10 + 2 * z:.3f}")
    return "\n".join(lines) + "\n"


class Layout(PageTest):
    def setUp(self):
        super().setUp()
        self.write("d.csv", people())

    def pages(self):
        words = ("--structure", "categories", "--ordered", "size=small<medium<large", "-q", "--report")
        self.spdhg("fit", "d.csv", "--label", "bought", "--drop", "spent", "--lambda", .01, "--test-fraction", .3, *words, "fit.html")
        self.spdhg("path", "d.csv", "--label", "spent", "--drop", "bought", "--loss", "squared", "--lambdas", 40, *words, "path.html")
        for page in ("fit.html", "path.html"):
            self.show(self.path(page))
            yield page

    def test_texts_of_pictures(self):
        for page in self.pages():
            for width in (400, 700, 1400):
                self.browser.screen(width, 900)
                self.pause()
                texts = self.ask(TEXTS)
                self.assertGreater(len(texts), 60)
                cut = [t for t in texts if t["left"] < t["from"] - 1 or t["right"] > t["to"] + 1]
                self.assertEqual(cut, [], (page, width))
                self.assertGreaterEqual(min((t["size"], t["text"]) for t in texts)[0], 7, (page, width))
                words = [t for t in texts if t["kind"] == "name" or t["text"] in ("best", "chosen")]
                over = [(a["text"], b["text"]) for i, a in enumerate(words) for b in words[:i] if a["of"] == b["of"] and a["left"] < b["right"] - 1 and
                        b["left"] < a["right"] - 1 and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > .4 * (a["bottom"] - a["top"])]
                self.assertEqual(over, [], (page, width))

    def test_bars_take_the_rows_they_need(self):
        for page in self.pages():
            if page == "path.html":
                box = "document.querySelector('#slider svg').viewBox.baseVal.height"
                self.assertLess(self.ask(box), 12 * 21 + 60)  # nine features

    def test_levels_that_nobody_reached(self):
        """No tables of solvers without a column; small ticks are powers of ten, which fit beside an axis."""
        self.write("d.svm", svm(rows(100)))
        self.spdhg("race", "d.svm", "--solvers", "lpdhg", "--repeats", 1, "--epochs", 1, "-q", "-o", "slow")
        self.show(self.path("slow/report.html"))
        said = self.texts(".problem p.faint")
        self.assertIn("No solver reached a relative suboptimality of 1e-1.", said)
        self.assertEqual([t for t in self.texts("h3") if t.startswith("Seconds to")], [])
        ticks = self.texts(".dygraph-axis-label")
        self.assertTrue(any("·10⁻" in t for t in ticks), ticks)
        self.assertEqual([t for t in ticks if t.startswith("0.000")], [])

    def test_paper(self):
        for _ in self.pages():
            self.browser.call("Emulation.setEmulatedMedia", media="print")
            self.browser.call("Emulation.setDeviceMetricsOverride", width=760, height=1000, deviceScaleFactor=1, mobile=False)
            beside = self.ask("""[...document.querySelectorAll('.row')].map(r => [...r.children].filter(c => c.tagName !== 'SCRIPT'))
                              .filter(c => c.length > 1).map(c => c[0].getBoundingClientRect().right <= c[1].getBoundingClientRect().left + 1)""")
            self.assertTrue(beside and all(beside), beside)
            self.assertEqual(self.ask("[...document.querySelectorAll('.save, .tools, .zoom')].filter(n => n.offsetHeight > 0).length"), 0)
            self.assertGreaterEqual(min(t["size"] for t in self.ask(TEXTS)), 7)
            self.browser.call("Emulation.setEmulatedMedia", media="")


main()
