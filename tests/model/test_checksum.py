# test_checksum.py - a model whose values are not those that were written is refused; another layout of the same values, and a model without
# the key, are read. Bytes changed at random never change a prediction without a word.
import json
import os
import random
import unittest

from cli_support import CommandTest, rows, svm

TRIES = 3000 if os.environ.get("SPDHG_TEST_ALL") else 60


class Checksum(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("a.svm", svm(rows(60)))
        self.spdhg("fit", "a.svm", "--lambda", "1e-2", "-q", "-o", "m.json")
        self.model = json.loads(self.read("m.json"))
        self.good = self.predict().out

    def predict(self, status=0):
        return self.spdhg("predict", "m.json", "a.svm", status=status)

    def test_same_fit_same_sum(self):
        self.spdhg("fit", "a.svm", "--lambda", "1e-2", "-q", "-o", "n.json")
        self.assertEqual(json.loads(self.read("n.json"))["checksum"], self.model["checksum"])
        self.spdhg("fit", "a.svm", "--lambda", "2e-2", "-q", "-o", "n.json")
        self.assertNotEqual(json.loads(self.read("n.json"))["checksum"], self.model["checksum"])

    def test_layout_does_not_matter(self):
        self.write("m.json", json.dumps(dict(sorted(self.model.items(), reverse=True)), indent=3))
        self.assertEqual(self.predict().out, self.good)

    def test_edited_models(self):
        changes = {"lambda": 0.5, "constants": [1.0], "class_value": [-1.0, 2.0], "features": 7, "loss": "squared", "coefficients":
                   {**self.model["coefficients"], "value": [2 * v for v in self.model["coefficients"]["value"]]}}
        for key, value in changes.items():
            self.write("m.json", json.dumps({**self.model, key: value}))
            message = self.predict(status=3).err
            self.assertIn("m.json: model: its contents do not agree with its checksum", message, key)
            self.assertIn('delete its key "checksum"', message)
        edited = {**self.model, "constants": [1.0]}
        del edited["checksum"]
        self.write("m.json", json.dumps(edited))
        self.assertNotEqual(self.predict().out, self.good)

    def test_damage_is_never_silent(self):
        draw, text = random.Random(2), self.read("m.json")
        refused = 0
        for _ in range(TRIES):
            bytes_now = bytearray(text)
            bytes_now[draw.randrange(len(text))] ^= 1 << draw.randrange(8)
            self.write("m.json", bytes(bytes_now))
            try:
                same = self.predict(status=0).out == self.good  # what does not matter, as in `seconds`
            except AssertionError:
                refused += 1
                self.assertNotIn("Sanitizer", self.predict(status=3).err)
                continue
            self.assertTrue(same, bytes_now)
        self.assertGreater(refused, TRIES // 2)


unittest.main()
