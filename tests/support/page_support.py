# page_support.py - what tests of pages share: one browser, a page shown in it, questions to it, and what it offers to save.
import json
import sys
import unittest

from browser import Browser, find_chromium
from cli_support import CommandTest

# What the page offers to save is kept instead: SAVED then answers {name, text, size}.
KEEP_SAVED = """(() => {
  window.kept = [];
  URL.createObjectURL = blob => { kept.push({blob}); return '#'; };
  HTMLAnchorElement.prototype.click = function () { kept[kept.length - 1].name = this.download; };
})()"""
SAVED = """(async () => {
  for (let i = 0; i < 100 && !(kept.length && kept[kept.length - 1].name); i++) await new Promise(done => setTimeout(done, 20));
  const {name, blob} = kept.pop();
  return {name, type: blob.type, size: blob.size, text: await blob.text()};
})()"""


class PageTest(CommandTest):
    """One browser for all tests; every test loads a page anew, and must leave no complaint."""

    def show(self, path):
        self.browser.screen(1300, 900)
        self.browser.open("file://" + path)
        self.browser.run(KEEP_SAVED)

    def tearDown(self):
        self.assertEqual([c for c in self.browser.complaints() if "willReadFrequently" not in c], [])  # that is about reading pixels

    def ask(self, script):
        return self.browser.run(script)

    def texts(self, selector):
        return self.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map(n => n.textContent)")

    def press(self, selector, text):
        self.ask(f"[...document.querySelectorAll({json.dumps(selector)})].find(b => b.textContent === {json.dumps(text)}).click()")

    def pause(self):
        self.ask("new Promise(done => setTimeout(done, 100))")


def main():
    if not find_chromium():
        print("skipped: there is no Chromium here")
        sys.exit(77)
    PageTest.browser = Browser()
    try:
        unittest.main()
    finally:
        PageTest.browser.close()
