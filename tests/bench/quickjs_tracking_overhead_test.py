#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the tools cost a QuickJS program, in instructions: compiled in but unused, sampling one object of twenty, tracking and
logging all of them, and the memory profiler of objects."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["UBI_SOURCE_DIR"], "bench"))
import quickjs_tracking as bench  # noqa: E402

BUILD = os.environ["UBI_BUILD_DIR"]
# Less than what is published is made of: ratios differ by a hundredth, and the limits leave more.
PART = 0.03
LIMITS = {"off": 1.03, "0.05": 1.10, "1": 1.35, "objects": 1.05}


class Overhead(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """What a program needs that does next to nothing: most of the time of a run under valgrind, so it is counted once for each mode."""
        cls.start = {mode: bench.count([*bench.command(BUILD, "calls", mode), "1"]) for mode in (bench.PLAIN, *LIMITS)}

    def check(self, name):
        size = bench.sizes(name, bench.workloads(BUILD)[name], (PART, PART))[1]
        counts = {mode: bench.count([*bench.command(BUILD, name, mode), str(size)]) - start for mode, start in self.start.items()}
        ratios = bench.ratios_to_plain(counts)
        for mode, limit in LIMITS.items():
            self.assertLess(ratios[mode], limit, f"{name}, {mode}: {ratios[mode]:.3f} of the unmodified engine")

    def test_objects_and_nothing_else(self):
        self.check("allocation")

    def test_objects_below_many_calls(self):
        self.check("deep")

    def test_a_tree_with_payload(self):
        self.check("splay")

    def test_json(self):
        self.check("json")

    def test_calls_without_objects(self):
        self.check("calls")


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    unittest.main()
