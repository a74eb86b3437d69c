#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Signal handlers that allocate in the middle of a hook: every event is recorded, or counted as dropped."""
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import Alloc, InterposeTest  # noqa: E402


class SignalHandlers(InterposeTest):
    def run_program(self, how):
        safe = self.compile("signal_safe_allocator.c", "-shared", "-fPIC", output="libsafe.so")
        ran = self.record([self.compile("interrupted.c"), how], environment={"LD_PRELOAD_BEHIND": str(safe)})
        handled, program = map(int, ran.stdout.split())
        recording = self.recording()
        sizes = Counter(e.size for e in recording.events if isinstance(e, Alloc))
        return handled, program, recording, sizes

    def test_what_is_not_recorded_is_counted(self):
        handled, program, recording, sizes = self.run_program("stay")
        self.assertEqual(sizes[555], program)
        self.assertEqual(sizes[888], 1000)
        dropped = recording.counters["dropped_reentrant"]
        # an allocation and its free happen at the same point, so they are dropped together
        self.assertEqual(dropped % 2, 0)
        self.assertEqual(sizes[777], handled - dropped // 2)
        for name in ("lost_events", "lost_bytes", "dropped", "unknown_frees"):
            self.assertEqual(recording.counters[name], 0, name)

    def test_handlers_that_jump_out_of_the_recorder(self):
        handled, program, recording, sizes = self.run_program("jump")
        self.assertEqual(sizes[888], 1000)
        self.assertLessEqual(sizes[777], handled)
        self.assertGreaterEqual(sizes[777] + recording.counters["dropped_reentrant"], handled)
        # What was interrupted in the middle of being recorded is lost, at most one event for each jump.
        self.assertGreaterEqual(sizes[555], program - handled)
        self.assertEqual(recording.counters["lost_bytes"], 0)


if __name__ == "__main__":
    unittest.main()
