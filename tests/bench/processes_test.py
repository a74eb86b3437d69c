#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/processes.py says what the program needed, and not what started it."""
import os
import pathlib
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "bench"))
import processes  # noqa: E402


def own_peak_bytes():
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


class Processes(unittest.TestCase):
    def test_the_peak_of_a_small_program_is_small(self):
        ballast = bytearray(os.urandom(64 << 20))
        _, usage = processes.run(["true"])
        self.assertGreater(own_peak_bytes(), len(ballast))
        self.assertTrue(0 < usage["peakRssBytes"] < 8 << 20, usage)

    def test_the_peak_of_a_large_program_is_its_own(self):
        said, usage = processes.run([sys.executable, "-c", "x = b'x' * (200 << 20); print('made')"])
        self.assertEqual(said, b"made\n")
        self.assertGreater(usage["peakRssBytes"], 200 << 20)
        self.assertGreater(usage["wallNs"], 0)

    def test_a_program_that_fails_or_is_not_there_ends_it(self):
        for command in (["false"], ["/nowhere/program"]):
            with self.assertRaises(SystemExit):
                processes.run(command)


if __name__ == "__main__":
    unittest.main(verbosity=1)
