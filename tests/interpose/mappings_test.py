#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Anonymous mappings are recorded when asked for: whole, cut, moved, replaced; and never mixed with the heap."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import MAPPINGS, Alloc, InterposeTest  # noqa: E402

WORDS = ("mmap", "mremap", "brk")


class Mappings(InterposeTest):
    def mappings_alive(self, options):
        self.record([self.compile("mappings.c")], options)
        recording = self.recording()
        told = recording.told()
        live = {e.number: (e.size, e.address) for e in told if isinstance(e, Alloc) and e.word in WORDS}
        for event in told:
            if not isinstance(event, Alloc):
                live.pop(event.number, None)
        wanted = set()
        for line in self.truth_path.read_text().splitlines():
            if line.startswith("L "):
                size, address = line[2:].split(" ")
                wanted.add((int(size), int(address, 16)))
        self.assertEqual(len(wanted), 9)
        return wanted, live

    def test_exact(self):
        wanted, live = self.mappings_alive([f"flags={MAPPINGS}"])
        self.assertEqual(set(live.values()), wanted)
        self.assertEqual(len(live), len(wanted))

    def test_all_of_them_when_the_heap_is_sampled(self):
        self.record([self.compile("mappings.c")], [f"flags={MAPPINGS}", "period=100000000000"])
        recording = self.recording()
        mapped = [e for e in recording.events if isinstance(e, Alloc) and e.word in WORDS]
        self.assertIn(10 * 4096, [e.size for e in mapped])
        self.assertIn(400 * 4096, [e.size for e in mapped])
        self.assertTrue(all(e.met == 0 for e in mapped))

    def test_not_unless_asked_for(self):
        _, live = self.mappings_alive([])
        self.assertEqual(live, {})


if __name__ == "__main__":
    unittest.main()
