#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A hundred thousand threads in turn: all of their blocks are recorded, and they share a few contexts."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import InterposeTest  # noqa: E402

THREADS = 100000


class ManyInTurn(InterposeTest):
    def test_a_hundred_thousand_threads(self):
        self.record([self.compile("thread_churn.c"), str(THREADS)], ["quiet=1"])
        recording = self.recording()
        self.assertGreaterEqual(recording.counters["allocations"], 2 * THREADS)
        self.assertLess(recording.counters["live"], 1000)
        self.assertLess(recording.counters["contexts"], 12)
        self.assert_nothing_lost(recording)


if __name__ == "__main__":
    unittest.main()
