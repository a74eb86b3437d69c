#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sampling: what is recorded stands for what was allocated, and of what was recorded every end is."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import TRUTH_BEGIN, TRUTH_END, Alloc, InterposeTest  # noqa: E402

PERIODS = (500, 4096, 65536, 524288)


class Sampled(InterposeTest):
    def estimate(self, recording, period):
        """-> estimated bytes allocated, and the standard error."""
        total = variance = 0.0
        for event in recording.told():
            if isinstance(event, Alloc):
                if period == 65536:  # whole periods, one per sample
                    weight, own = event.met * period, event.met * period * period
                else:
                    p = -math.expm1(event.size * math.log1p(-1 / period))
                    weight = event.size / p
                    own = weight * (weight - event.size)
                total += weight
                variance += own
        return total, math.sqrt(variance)

    def test_weights_and_frees(self):
        program = self.compile("sampled.c")
        self.record([program], name="exact")
        exact = sum(e.size for e in self.recording().told() if isinstance(e, Alloc))
        for period in PERIODS:
            for seed in (1, 2, 3):
                with self.subTest(period=period, seed=seed):
                    self.record([program], [f"period={period}", f"seed={seed}"], name=f"p{period}.{seed}")
                    recording = self.recording_of_sampled()
                    total, error = self.estimate(recording, period)
                    self.assertLess(abs(total - exact), 4 * error + 0.001 * exact)
                    self.check_what_lives(recording)

    def recording_of_sampled(self):
        recording = self.recording()
        recording.told = lambda: [e for e in recording.events if getattr(e, "size", 0) not in (TRUTH_BEGIN, TRUTH_END)]
        return recording

    def check_what_lives(self, recording):
        kept = set()
        for line in self.truth_path.read_text().splitlines():
            if line.startswith("K "):
                kept.add(int(line.split(" ")[2], 16))
        # Live blocks that were sampled are blocks that were kept, and what the C library keeps: a few.
        strange = set(recording.live.values()) - kept
        self.assertLess(len(strange), 10)
        for name in ("lost_events", "lost_bytes", "dropped", "unknown_frees", "reused_addresses"):
            self.assertEqual(recording.counters[name], 0, name)

    def test_a_seed_gives_the_same_samples_again(self):
        program = self.compile("sampled.c")
        sizes = []
        for name in ("one", "two"):
            self.record([program], ["period=4096", "seed=7"], name=name)
            sizes.append([e.size for e in self.recording().events if isinstance(e, Alloc)])
        self.assertGreater(len(sizes[0]), 1000)
        self.assertEqual(sizes[0], sizes[1])


if __name__ == "__main__":
    unittest.main()
