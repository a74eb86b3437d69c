#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recording a program that recurses far beyond the depth that stacks are cut at, counted in instructions."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interpose"))
from interpose_harness import InterposeTest  # noqa: E402

LEVELS = 40000


class Recursion(InterposeTest):
    def instructions(self, program, depth, levels, recorded):
        argv = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), str(depth - 1), str(levels // depth)]
        if recorded:
            environment = {k: v for k, v in os.environ.items() if not k.startswith("LD_")}
            ran = self.record(argv, ["period=1", "quiet=1", "flags=1"], environment=environment)
        else:
            ran = subprocess.run(argv, stderr=subprocess.PIPE, check=True)
        return int(re.search(rb"Collected : (\d+)", ran.stderr)[1])

    def added(self, program, depth):
        """To a pair of malloc and free, once the program runs."""
        more, less = ({recorded: self.instructions(program, depth, levels, recorded) for recorded in (False, True)}
                      for levels in (2 * LEVELS, LEVELS))
        return (more[True] - less[True] - more[False] + less[False]) / LEVELS

    def test_a_deep_level_costs_little_more_than_one_that_is_not_cut(self):
        program = self.compile("recursion.c")
        whole, cut = self.added(program, 100), self.added(program, 4000)
        self.assertGreater(whole, 50, "was not recorded at all")
        self.assertLess(cut, 3 * whole)


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    unittest.main()
