#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Large programs do under `ubiheap record` what they do alone: those of bench/real_programs.py that the tests' packages have."""
import sys
import unittest

import record_place

sys.path.insert(0, str(record_place.HERE.parents[1] / "bench"))
import real_programs  # noqa: E402

real_programs.TIMEOUT_SECONDS = None  # benches are alone on the machine, tests are not: only their runner has a limit
PROGRAMS = ["node", "python3", "python3, killed", "perl", "g++", "jemalloc linked in"]


class LargePrograms(unittest.TestCase):
    def test_output_status_and_signal_are_the_same_in_all_modes(self):
        for name in PROGRAMS:
            what, how, refused = real_programs.PROGRAMS[name]
            self.assertTrue(real_programs.is_installed(what), what)
            alone = real_programs.run_alone(how)
            for mode, options in real_programs.MODES.items():
                with self.subTest(name, mode=mode):
                    result = real_programs.run_recorded(how, record_place.UBIHEAP, options)
                    self.assertEqual((result["status"], result["output"]), alone)
                    self.assertTrue(real_programs.judge(result, alone, refused))
                    if name == "jemalloc linked in":
                        self.assertIn("has a malloc of its own built in", " ".join(result["words"]))
                    elif "exact" in mode:
                        self.assertGreater(result["allocations"], 100)


if __name__ == "__main__":
    unittest.main()
