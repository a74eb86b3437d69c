#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that forbid themselves system calls: the recorder makes none of those, records on, and counts what it cannot have."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import MAPPINGS, Alloc, InterposeTest  # noqa: E402

BLOCKS = 100000
PERIODS = (1, 512, 65536)


class Seccomp(InterposeTest):
    def run_program(self, how, period, blocks=BLOCKS, options=()):
        program = self.folder / "seals"
        ran = self.record([program if program.exists() else self.compile("seals.c"), how, str(blocks)], [f"period={period}", *options])
        self.assertEqual(ran.stdout, b"done\n")
        return self.recording()

    def test_it_lives_and_is_recorded(self):
        for how in ("strict", "prctl", "seccomp", "tight"):
            for period in PERIODS:
                with self.subTest(how=how, period=period):
                    recording = self.run_program(how, period)
                    counters = recording.counters
                    self.assertEqual(counters["is_trampled"], 0)
                    self.assertEqual(counters["state"], 1)
                    expected = BLOCKS // 2
                    if period == 1:
                        # An allocation that is dropped and its free, which is then unknown or dropped as well.
                        told = counters["allocations"] + counters["dropped"] + counters["lost_events"]
                        self.assertGreaterEqual(told, expected)
                    self.assertGreater(counters["allocations"], expected // 3 if period == 1 else 20)

    def test_stacks_are_there_too(self):
        recording = self.run_program("strict", 1, blocks=2000)
        blocks = [e for e in recording.events if isinstance(e, Alloc) and 1000 <= e.size < 1064]
        self.assertEqual(len(blocks), 1000)
        self.assertTrue(all(e.trace for e in blocks))
        self.assertEqual(recording.counters["dropped"], 0)

    def test_who_may_not_wait_drops_and_counts(self):
        recording = self.run_program("strict", 1, blocks=4000000, options=["quiet=1", "hold=1"])
        counters = recording.counters
        self.assertGreater(counters["dropped"], 0)
        self.assertGreaterEqual(counters["allocations"] + counters["dropped"] + counters["lost_events"], 2000000)

    def test_mappings_may_be_wanted(self):
        self.run_program("tight", 1, options=[f"flags={MAPPINGS}"])

    def test_a_filter_that_forbids_nothing_of_ours_changes_nothing(self):
        for how in ("harmless", "refused"):
            with self.subTest(how):
                recording = self.run_program(how, 1, blocks=4000000, options=["quiet=1", "hold=1"])
                self.assert_nothing_lost(recording)
                self.assertGreater(recording.counters["waits"], 0)


if __name__ == "__main__":
    unittest.main()
