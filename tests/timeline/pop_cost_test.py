#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a pop costs depends on what is pending, not on what was popped before; counted in instructions."""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import timeline_instructions  # noqa: E402

DRIVER = Path(os.environ["UBI_BUILD_DIR"]).resolve() / "tests/pop_cost_driver"
SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"
POPS = 100
# Of the third chunk of a log, which has room for some 2,000 markers: the beginning, and the middle.
FEW, MANY = 640, 1700


class PopCost(unittest.TestCase):
    def cost_of_a_pop(self, n_before):
        """Instructions, on the average of a hundred."""
        once, twice = (timeline_instructions.count(DRIVER, n_before, n * POPS) for n in (1, 2))
        print(f"{n_before} before: {once} instructions with {POPS} pops, {twice} with {2 * POPS}")
        return (twice - once) / POPS

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_markers_that_were_popped_cost_nothing(self):
        if SANITIZED:  # the driver looks at what is popped; its instructions are those of the sanitizer
            subprocess.run([DRIVER, str(MANY), str(POPS)], check=True)
            return
        few, many = self.cost_of_a_pop(FEW), self.cost_of_a_pop(MANY)
        self.assertGreater(few, 100)
        self.assertLess(many, 1.1 * few)


if __name__ == "__main__":
    unittest.main()
