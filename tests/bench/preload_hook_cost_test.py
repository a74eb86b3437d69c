#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a malloc and a free cost more that are not sampled, counted in instructions."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interpose"))
from interpose_harness import InterposeTest  # noqa: E402

PAIR_LIMIT = 12
NEVER = 1 << 47  # a period that nothing of this reaches


class HookCost(InterposeTest):
    def instructions(self, program, n, recorded):
        """Of the whole run, counted by callgrind."""
        argv = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), str(n)]
        if recorded:
            environment = {k: v for k, v in os.environ.items() if not k.startswith("LD_")}
            ran = self.record(argv, [f"period={NEVER}", "quiet=1", "flags=1"], environment=environment)
        else:
            ran = subprocess.run(argv, stderr=subprocess.PIPE, check=True)
        return int(re.search(rb"Collected : (\d+)", ran.stderr)[1])

    def test_a_pair_that_is_not_sampled(self):
        program = self.compile("pairs.c")
        n = 100000
        cost = {recorded: self.instructions(program, 2 * n, recorded) - self.instructions(program, n, recorded)
                for recorded in (False, True)}
        self.assertGreater(self.recording(0).counters["state"], 0)
        added = (cost[True] - cost[False]) / n
        self.assertLessEqual(added, PAIR_LIMIT + 0.1)
        self.assertGreater(added, 5, "was not recorded at all")


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    unittest.main()
