#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What listening for Firefox costs a script while no client is connected, in instructions: at most a hundredth."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["UBI_SOURCE_DIR"], "bench"))
import rdp as bench  # noqa: E402

SCALE = 10
LIMIT = 1.01


class Listening(unittest.TestCase):
    def check(self, name):
        without, listening = (bench.workload_instructions(os.environ["UBIHEAP"], name, SCALE, is_listening) for is_listening in (False, True))
        self.assertLess(listening / without, LIMIT)

    def test_objects_that_are_kept_for_a_while(self):
        self.check("objects")

    def test_strings(self):
        self.check("strings")


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    unittest.main()
