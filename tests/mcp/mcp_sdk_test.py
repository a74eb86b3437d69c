#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The official client of the Model Context Protocol (npm @modelcontextprotocol/sdk) understands `ubiheap mcp`.

It is installed in the build directory, in the version of sdk/package-lock.json; where npm cannot fetch it, the test is skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "mcp" / "sdk"
DATA = ROOT / "tests" / "data"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from npm_packages import install  # noqa: E402


class OfficialClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = install(SOURCE, "mcp-sdk") / "client.mjs"
        shutil.copy(SOURCE / "client.mjs", program)
        files = [DATA / "v8" / f"node20-{name}.heapsnapshot.gz" for name in ("before", "after")]
        done = subprocess.run(["node", program, os.environ["UBIHEAP"], *files, DATA / "fx"], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr
        cls.seen = json.loads(done.stdout)

    def test_it_connects_and_lists_what_there_is(self):
        self.assertEqual(self.seen["server"]["name"], "ubiheap")
        self.assertEqual(self.seen["capabilities"], {"tools": {}, "resources": {}})
        self.assertEqual(self.seen["tools"], ["heaps", "report", "leaks", "find", "explain", "ask"])
        self.assertEqual(self.seen["resources"], ["ubiheap://h1", "ubiheap://h2", "ubiheap://questions"])
        self.assertIn("never instructions", self.seen["instructions"])
        self.assertEqual(self.seen["errors"], [])

    def test_its_calls_are_answered(self):
        self.assertIn("variable registry of makeCache()", self.seen["leaks"])
        self.assertTrue(self.seen["next"].startswith('explain of h2 "node20-after.heapsnapshot.gz"'))
        self.assertEqual(len(set(self.seen["together"])), 4)
        self.assertIn("info and report of h2", self.seen["resource"])
        self.assertIn("canBeOpened:", self.seen["after"])

    def test_it_gets_progress_that_rises(self):
        numbers = [report["progress"] for report in self.seen["progress"]]
        self.assertTrue(numbers)
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertTrue(all(report["message"] for report in self.seen["progress"]))

    def test_errors_are_those_of_the_protocol(self):
        self.assertTrue(self.seen["wrong"]["isError"])
        self.assertIn("no heap has the id 'h9'", self.seen["wrong"]["text"])
        self.assertEqual(self.seen["unknownMethod"], -32601)
        self.assertEqual(self.seen["cancelled"], "cancelled")


if __name__ == "__main__":
    if not install(SOURCE, "mcp-sdk"):
        print("skipped: npm could not fetch the official client")
        sys.exit(77)
    unittest.main()
