#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The transport of Mozilla's web-ext connects to a program under `ubiheap run --listen`, and reads what it needs to say that there are no add-ons.

web-ext has 270 packages, so this is for `make check-deep`. They are installed in the build directory, in the versions of
web_ext/package-lock.json; where npm cannot fetch them, the test is skipped.
"""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from rdp_client import running
from witness import Witness, check_driven

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "rdp" / "web_ext"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from npm_packages import install  # noqa: E402


class WebExt(unittest.TestCase):
    def test_it_connects_and_asks_for_add_ons(self):
        with running(code="setInterval(() => {}, 1000);") as (port, _), Witness(port) as witness:
            done = subprocess.run(["node", SOURCE / "web_ext_drive.mjs", str(witness.port)], cwd=install(SOURCE, "web-ext"),
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            check_driven(self, "web-ext", witness.asked)
        seen = json.loads(done.stdout)
        self.assertEqual((seen["titles"], seen["unknown"]), (["-e"], "unrecognizedPacketType"))
        self.assertIn("does not provide an add-ons actor", seen["noAddons"])
        self.assertIn("does not have your extension installed", seen["notInstalled"])


if __name__ == "__main__":
    if not os.environ.get("UBI_DEEP"):
        print("skipped: UBI_DEEP (make check-deep) installs web-ext")
        sys.exit(77)
    if not install(SOURCE, "web-ext"):
        print("skipped: npm could not fetch web-ext")
        sys.exit(77)
    unittest.main()
