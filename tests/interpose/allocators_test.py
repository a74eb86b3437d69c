#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Above jemalloc, tcmalloc and mimalloc: theirs is the memory, ours the record, of every form."""
import sys
import unittest
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import InterposeTest, plain  # noqa: E402

FOLDER = Path("/usr/lib/x86_64-linux-gnu")
ALLOCATORS = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "mimalloc": "libmimalloc.so.2.0"}


def by_thread(events):
    out = defaultdict(list)
    for *what, tid in events:
        out[tid].append(tuple(what))
    return out


class Allocators(InterposeTest):
    def each(self, check, *argv):
        """Runs a program above each of them."""
        for name, file in ALLOCATORS.items():
            with self.subTest(name):
                ran = self.record(argv, environment={"LD_PRELOAD_BEHIND": str(FOLDER / file)}, name=name)
                recording = self.recording()
                check(ran, recording)
                self.assert_nothing_lost(recording)

    def test_they_are_the_allocator(self):
        def check(ran, recording):
            self.assertTrue(any(file.encode() in ran.stdout for file in ALLOCATORS.values()))
            self.assertGreater(recording.counters["allocations"], 5)

        self.each(check, "cat", "/proc/self/maps")

    def test_c_functions(self):
        def check(_, recording):
            self.assertEqual(plain(recording.told()), self.truth())

        self.each(check, self.compile("every_form.c"), "another allocator")

    def test_cxx_operators(self):
        def check(_, recording):
            self.assertEqual(plain(recording.told()), self.truth())
            self.assertEqual(recording.counters["mismatched_frees"], 0)

        self.each(check, self.compile("every_operator.cpp"), "another allocator")

    def test_threads(self):
        def check(_, recording):
            self.assertEqual(by_thread(plain(recording.told())), by_thread(self.truth()))

        self.each(check, self.compile("threads.c"))


if __name__ == "__main__":
    missing = [file for file in ALLOCATORS.values() if not (FOLDER / file).exists()]
    if missing:
        print(f"skipped: not in {FOLDER}: {', '.join(missing)} (packaging/debian-packages.txt)")
        sys.exit(77)
    unittest.main()
