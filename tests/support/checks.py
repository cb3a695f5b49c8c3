# checks.py - counts what held and prints what did not, for test scripts that are no unittest.
import os
import sys


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED", what)
            if os.environ.get("SPDHG_TEST_FIRST"):  # one is enough
                sys.exit(1)

    def end(self, least=0):
        """Ends the script; it has failed too if fewer than `least` checks were made."""
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed > 0 or self.passed < least)
