#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A real Firefox opens its toolbox on a native process under `ubiheap record --listen`: its sizes and allocations are there, and nothing
hangs."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "rdp"))
import firefox  # noqa: E402
from rdp_client import UBIHEAP  # noqa: E402

HERE = SOURCE_DIR / "tests" / "oracle"
# A thread asks for a megabyte again and again.
PROGRAM = """import ctypes, sys, threading, time
kept = bytearray(b'x') * (48 << 20)
library = ctypes.CDLL(None)
library.malloc.argtypes, library.malloc.restype, library.free.argtypes = [ctypes.c_size_t], ctypes.c_void_p, [ctypes.c_void_p]
def churn():
    while True:
        library.free(library.malloc(1 << 20))
        time.sleep(.005)
threading.Thread(target=churn, daemon=True).start()
print('ready', flush=True)
input()
"""
REFUSED = "a target of kind native cannot "


class Native(unittest.TestCase):
    def test_its_toolbox_opens(self):
        script = "".join((HERE / name).read_text() for name in ("attach_toolbox.js", "attach_native.js"))
        with tempfile.TemporaryDirectory() as folder, firefox.Firefox() as browser:
            command = [UBIHEAP, "record", "--listen", "0", "--no-symbols", "-o", f"{folder}/it.ubirec", "--", sys.executable, "-c",
                       PROGRAM]
            program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                port = int(re.search(r":(\d+) for", program.stderr.readline())[1])
                self.assertEqual(program.stdout.readline(), "ready\n")
                seen = browser.run(script, port)
            finally:
                program.communicate("end\n")
        self.assertNotIn("error", seen)
        self.assertIn("native://", seen["item"])
        self.assertEqual((seen["warnings"], seen["memory"], seen["webconsole"]), ([], "works", "works"))
        self.assertEqual(seen["attach"], "works")
        for name in ("takeCensus", "saveHeapSnapshot", "forceGarbageCollection"):
            self.assertIn(REFUSED, seen[name])
        self.assertGreaterEqual(max(seen["allocations"]["sizes"]), 1 << 20)
        self.assertIsNone(seen["allocations"]["functions"][0])
        self.assertGreater(len(seen["allocations"]["functions"]), 3)
        self.assertEqual((seen["profile"]["running"], seen["profile"]["tables"], seen["profile"]["reset"]),
                         (None, ["names", "traces", "events"], None))
        self.assertGreater(seen["profile"]["events"], 0)
        self.assertGreater(seen["measure"]["otherSize"], 48 << 20)
        self.assertGreater(seen["residentUnique"], 48 << 20)
        self.assertEqual(program.returncode, 0)


if __name__ == "__main__":
    if not firefox.find_firefox():
        print("skipped: Firefox is not installed")
        sys.exit(77)
    unittest.main()
