#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hooks that run in the middle of the C library or of an allocator: nothing waits for what its own thread holds."""
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import FOLLOW_CHILDREN, MAPPINGS, Alloc, InterposeTest  # noqa: E402

JEMALLOC = Path("/usr/lib/x86_64-linux-gnu/libjemalloc.a")
WAYS = [("exact", []), ("sampled", ["period=524288"]), ("all", [f"flags={FOLLOW_CHILDREN | MAPPINGS}"])]


class Reentrance(InterposeTest):
    def each_way(self, argv, **how):
        for name, options in WAYS:
            with self.subTest(name):
                ran = self.record(argv, options, name=name, **how)
                self.assertEqual(ran.stdout, b"done\n")
                yield name

    def test_a_thread_that_allocates_first_inside_of_a_locked_function(self):
        program = self.compile("inside_getattr.c")
        for name in self.each_way([program]):
            if name != "sampled":
                sizes = [e.size for e in self.recording().events if isinstance(e, Alloc)]
                self.assertIn(4321, sizes)
                self.assertEqual(self.recording().counters["failed_walks"], 0)

    def test_a_program_with_an_allocator_of_its_own(self):
        program = self.compile("own_allocator.c")
        text = self.folder / "text"
        text.write_text("a line\n")
        for name, options in WAYS:
            with self.subTest(name), text.open() as stdin:
                ran = self.record([program], options, stdin=stdin, name=name)
                self.assertEqual(ran.stdout, b"done\n")

    def test_a_program_that_is_linked_with_jemalloc(self):
        program = self.compile("allocates.c", str(JEMALLOC), "-lm")
        used = subprocess.run(["nm", str(program)], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn(" T malloc\n", used)
        for _ in self.each_way([program]):
            pass


if __name__ == "__main__":
    if not JEMALLOC.exists():
        print(f"skipped: no {JEMALLOC} (packaging/debian-packages.txt)")
        sys.exit(77)
    unittest.main()
