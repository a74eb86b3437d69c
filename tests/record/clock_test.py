#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of allocations, frees and markers lie between the program's own readings of the clock, whoever gets the processor."""
import os
import signal
import subprocess
import sys
import time
import unittest

import record_place

sys.path.insert(0, str(record_place.HERE.parent / "recording"))
import ubirec_decoder  # noqa: E402

INCLUDE = record_place.HERE.parents[1] / "include"
TOLERANCE_NS = 1_000_000
ROUNDS, THREADS = 100, 4


class Clock(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)
        self.program = self.place.compile("clocked", f"-I{INCLUDE}", source=record_place.HERE / "programs" / "clocked.c")

    def start(self, *arguments, options=("--exact",)):
        return self.place.start(self.program, *arguments, options=options, stdin=subprocess.PIPE)

    def end(self, running):
        """-> what the program says, by size: before and after the allocation, the marker, the free."""
        told, error = running.communicate("\n" if not running.stdin.closed else None)
        self.assertEqual(running.returncode, 0, error)
        rows = [list(map(int, line.split())) for line in told.splitlines()]
        return {row[0]: row[1:] for row in rows}

    def marker_times(self):
        lines = ubirec_decoder.decode((self.place.folder / "out.ubirec").read_bytes()).splitlines()
        return sorted(int(line.split()[2]) for line in lines if line.startswith("marker turn "))

    def check(self, truth, share=1):
        """@param share  of the blocks that are recorded, at least."""
        self.assertEqual(len(truth), ROUNDS * THREADS)
        markers = self.marker_times()
        self.assertEqual(len(markers), len(truth))
        # Times of the file count from the program's beginning, which is one number for all. Markers have the clock itself, so
        # theirs says which: in the order of time, each lies between two readings.
        said = sorted(row[2:4] for row in truth.values())
        low, high = (max(before - marker for (before, _), marker in zip(said, markers)),
                     min(after - marker for after, marker in zip(sorted(row[3] for row in truth.values()), markers)))
        self.assertLessEqual(low, high, "markers lie between readings")
        recording = self.place.recording()
        allocations = {event.number: event for event in recording.allocations if event.size in truth}
        frees = {event.number: event.time for event in recording.frees}
        self.assertGreaterEqual(len(allocations), share * len(truth))
        for event in allocations.values():
            row = truth[event.size]
            for what, at, before, after in (("allocation", event.time, *row[0:2]), ("free", frees[event.number], *row[4:6])):
                self.assertGreaterEqual(at + high, before - TOLERANCE_NS, f"{what} of {event.size}")
                self.assertLessEqual(at + low, after + TOLERANCE_NS, f"{what} of {event.size}")

    def test_while_the_recorder_stands_still(self):
        running = self.start()
        os.kill(running.pid, signal.SIGSTOP)
        try:
            running.stdin.write("\n")
            running.stdin.flush()
            time.sleep(0.3)  # half of what the program does, about; whatever it is, the times must hold
        finally:
            os.kill(running.pid, signal.SIGCONT)
        self.check(self.end(running))

    def test_on_a_busy_machine(self):
        running = self.start("crowd")
        self.check(self.end(running))

    def test_when_sampling(self):
        running = self.start(options=("--period", "32KiB"))
        self.check(self.end(running), 0.75)


if __name__ == "__main__":
    unittest.main()
