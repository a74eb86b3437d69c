#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every way to allocate and to free is recorded as what it is, once, in order."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import Alloc, InterposeTest, plain  # noqa: E402


class EveryForm(InterposeTest):
    def assert_reported(self, recording, without=()):
        told = [e for e in recording.told() if e.number not in without]
        self.assertEqual(plain(told), self.truth())
        self.assert_nothing_lost(recording)

    def test_c_functions(self):
        self.record([self.compile("every_form.c")])
        recording = self.recording()
        self.assert_reported(recording)
        self.assertEqual(recording.counters["mismatched_frees"], 0)

    def test_cxx_operators(self):
        self.record([self.compile("every_operator.cpp")])
        recording = self.recording()
        # The run-time library takes memory for each exception that is thrown: three std::bad_alloc, one of them inside.
        exceptions = {e.number for e in recording.told()
                      if isinstance(e, Alloc) and (e.word, e.size) == ("malloc", 136)}
        self.assertEqual(len(exceptions), 3)
        self.assert_reported(recording, exceptions)
        self.assertEqual(recording.counters["mismatched_frees"], 0)
        self.assertEqual(recording.counters["wrong_sizes"], 0)

    def test_frees_of_another_family_and_wrong_sizes(self):
        self.record([self.compile("mismatched.cpp")])
        recording = self.recording()
        self.assert_reported(recording)
        frees = [(e.mismatched, e.wrong_size) for e in recording.told() if not isinstance(e, Alloc)]
        self.assertEqual(frees, [(True, False), (True, False), (True, False), (False, True), (False, False)])


if __name__ == "__main__":
    unittest.main()
