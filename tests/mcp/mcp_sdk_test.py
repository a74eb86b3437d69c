#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The official client of the Model Context Protocol (npm @modelcontextprotocol/sdk) understands `ubiheap mcp`.

It is installed in the build directory, in the version of sdk/package-lock.json; where npm cannot fetch it, the test is skipped.
"""
import filecmp
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
# One for all presets.
INSTALLED = ROOT / "build" / "mcp-sdk"


def is_installed():
    lock = INSTALLED / "package-lock.json"
    return (INSTALLED / "installed").exists() and filecmp.cmp(SOURCE / "package-lock.json", lock, shallow=False)


def install():
    """False: it cannot be fetched."""
    if is_installed():
        return True
    place = INSTALLED.with_name(f"mcp-sdk.{os.getpid()}")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(SOURCE / name, place)
    done = subprocess.run(["npm", "ci", "--silent"], cwd=place, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        shutil.rmtree(place)
        return False
    (place / "installed").touch()
    shutil.rmtree(INSTALLED, ignore_errors=True)
    place.rename(INSTALLED)
    return True


class OfficialClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = INSTALLED / "client.mjs"
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
        self.assertIn("variable registry of add()", self.seen["leaks"])
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
    if not shutil.which("npm") or not shutil.which("node") or not install():
        print("skipped: npm could not fetch the official client")
        sys.exit(77)
    unittest.main()
