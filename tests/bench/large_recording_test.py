#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A report on a recording as large as that of a C++ compiler takes at most 430 MB."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

MOST_BYTES = 430 * 1000 * 1000
UBIHEAP = os.environ.get("UBIHEAP", "")


def run_measured(*arguments):
    """Standard output, and the most memory that was resident."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(arguments, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return child.returncode, out.read(), usage.ru_maxrss * 1024


class Large(unittest.TestCase):
    def test_memory_grows_with_tables_and_what_lives_and_not_with_events(self):
        driver = pathlib.Path(os.environ["UBI_BUILD_DIR"]) / "tests" / "large_recording_driver"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "large.ubirec"
            subprocess.run([driver, file], check=True)
            status, out, resident_bytes = run_measured(UBIHEAP, "report", "--json", file)
        self.assertEqual(status, 0)
        document = json.loads(out)
        self.assertEqual(document["heap"]["total"]["samples"], 3_700_000)
        self.assertGreater(document["heap"]["leaked"]["samples"], 490_000)
        self.assertLess(resident_bytes, MOST_BYTES)


if __name__ == "__main__":
    unittest.main()
