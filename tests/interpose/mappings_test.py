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
    def mappings_made(self, options):
        """(size, bytes that are left of it) of every call that made one."""
        self.record([self.compile("mappings.c")], options)
        recording = self.recording()
        told = recording.told()
        made = {e.number: (e.size, recording.left.get(e.number, e.size)) for e in told if isinstance(e, Alloc) and e.word in WORDS}
        for event in told:
            if not isinstance(event, Alloc) and event.number in made:
                made[event.number] = (made[event.number][0], 0)
        wanted = [tuple(map(int, line[2:].split(" "))) for line in self.truth_path.read_text().splitlines() if line.startswith("L ")]
        self.assertEqual(len(wanted), 20)
        return sorted(wanted), sorted(made.values())

    def test_each_call_is_one_mapping_whatever_becomes_of_it(self):
        wanted, made = self.mappings_made([f"flags={MAPPINGS}"])
        self.assertEqual(made, wanted)

    def test_all_of_them_when_the_heap_is_sampled(self):
        self.record([self.compile("mappings.c")], [f"flags={MAPPINGS}", "period=100000000000"])
        recording = self.recording()
        mapped = [e for e in recording.events if isinstance(e, Alloc) and e.word in WORDS]
        self.assertIn(10 * 4096, [e.size for e in mapped])
        self.assertIn(400 * 4096, [e.size for e in mapped])
        self.assertTrue(all(e.met == 0 for e in mapped))

    def test_not_unless_asked_for(self):
        _, made = self.mappings_made([])
        self.assertEqual(made, [])


if __name__ == "__main__":
    unittest.main()
