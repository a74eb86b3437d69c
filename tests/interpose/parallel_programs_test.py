#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads: what each does is recorded in its order; a block that one allocates and another frees is one block."""
import sys
import unittest
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import FOLLOW_CHILDREN, Alloc, InterposeTest, plain, read_truth  # noqa: E402


def by_thread(events):
    out = defaultdict(list)
    for *what, tid in events:
        out[tid].append(tuple(what))
    return out


class Threads(InterposeTest):
    def test_every_event_of_every_thread(self):
        self.record([self.compile("threads.c")])
        recording = self.recording()
        self.assertEqual(by_thread(plain(recording.told())), by_thread(self.truth()))
        self.assert_nothing_lost(recording)

    def test_ten_thousand_threads_in_turn(self):
        ran = self.record([self.compile("thread_churn.c"), "10000"])
        recording = self.recording()
        blocks = [e for e in recording.events if isinstance(e, Alloc) and 20000 <= e.size < 30000]
        self.assertEqual(sorted(e.size for e in blocks), list(range(20000, 30000)))
        self.assertGreater(len({e.tid for e in blocks}), 9000)  # the system may give a number again
        self.assertFalse({e.number for e in blocks} & set(recording.live), ran.stderr)
        tids = {e.tid for e in blocks}
        kept = [e for e in recording.events if isinstance(e, Alloc) and e.size == 48 and e.tid in tids]
        self.assertGreaterEqual(len(kept), 10000)  # freed by destructors of the threads
        self.assertFalse({e.number for e in kept} & set(recording.live))
        self.assertLess(recording.counters["contexts"], 12, "threads in turn share contexts")
        self.assert_nothing_lost(recording)

    def test_fork_in_a_process_with_threads(self):
        self.record([self.compile("fork_threads.c")])
        recording = self.recording()
        self.assertEqual(by_thread(plain(recording.told())), by_thread(self.truth()))
        self.assert_nothing_lost(recording)
        self.assertFalse(Path(f"{self.output}.1").exists(), "children are not followed")

    def test_forked_children_are_followed(self):
        self.record([self.compile("fork_threads.c")], [f"flags={FOLLOW_CHILDREN}"])
        self.assertEqual(by_thread(plain(self.recording().told())), by_thread(self.truth()))
        for i in range(1, 9):
            child = self.recording(i)
            self.assertTrue(child.is_forked)
            tid = {e.tid for e in child.events}
            self.assertEqual(len(tid), 1)
            truth = read_truth(Path(f"{self.truth_path}.{tid.pop()}"))
            self.assertEqual(plain(child.events), truth)
            self.assertEqual(child.counters["lost_events"], 0)


if __name__ == "__main__":
    unittest.main()
