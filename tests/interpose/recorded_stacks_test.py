#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stack of every allocation is the one that glibc's backtrace() sees, frame by frame."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import Alloc, InterposeTest  # noqa: E402

FRAME, TRUNCATED, FAILED = range(3)


class Stacks(InterposeTest):
    def compare(self, recording, at_least):
        said, restorer = [], None
        for line in self.truth_path.read_text().splitlines():
            if line.startswith("R "):
                restorer = int(line[2:], 16)
            elif line.startswith("S "):
                address, size, *frames = line[2:].split(" ")
                said.append((int(address, 16), int(size), [int(f, 16) for f in frames]))
        self.assertGreater(len(said), at_least)
        allocs = [e for e in recording.told() if isinstance(e, Alloc)]
        known = {}
        for event in allocs:
            known.setdefault((event.address, event.size), []).append(event)
        for address, size, frames in said:
            event = known[(address, size)].pop(0)
            stack = recording.stack(event.trace)
            for i in range(1, len(frames)):
                # An address that was interrupted is recorded plus 1, so that all can be looked up minus 1.
                frames[i] += frames[i - 1] == restorer
            self.assertEqual([hex(node.address) for node in stack[1:] if node.kind == FRAME], [hex(f) for f in frames])
        return [e for e in allocs if recording.stack(e.trace)[-1].kind != FRAME]

    def test_recursion_callbacks_longjmp_coroutines_signals(self):
        self.record([self.compile("stacks.c")])
        recording = self.recording()
        self.compare(recording, 800)
        self.assert_nothing_lost(recording)

    def test_exceptions(self):
        self.record([self.compile("exceptions.cpp")])
        self.compare(self.recording(), 500)

    def test_deeper_stacks_are_cut_off_outside(self):
        self.record([self.compile("stacks.c")], ["depth=10"])
        recording = self.recording()
        deep = [recording.stack(e.trace) for e in recording.told() if isinstance(e, Alloc)]
        self.assertTrue(any(stack[-1].kind == TRUNCATED and len(stack) == 11 for stack in deep))
        self.assertTrue(all(len(stack) <= 11 for stack in deep))
        self.assertTrue(all(stack[-1].kind == TRUNCATED for stack in deep if len(stack) == 11))


if __name__ == "__main__":
    unittest.main()
