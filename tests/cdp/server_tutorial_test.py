#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tutorial about a server that runs works as it is written: its commands, on its express server under its load, find the leak, and pass the fix.

Express is installed in the build directory, in the version of express/package-lock.json; where npm cannot fetch it, the test is skipped.
"""
import os
import re
import signal
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE_DIR = Path(os.environ.get("UBI_SOURCE_DIR") or Path(__file__).resolve().parents[2])
sys.path[:0] = [str(SOURCE_DIR / "tests" / "cli"), str(SOURCE_DIR / "tests" / "support")]
import workspace  # noqa: E402
from address_limit import lift_limit  # noqa: E402
from npm_packages import install  # noqa: E402

PAGE = SOURCE_DIR / "docs" / "tutorial" / "find-the-leak-of-a-server-that-runs.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"\A// ([\w-]+\.js)\b")


class Tutorial(unittest.TestCase):
    place = workspace.Workspace()

    def run_block(self, commands):
        folder = self.place.folder
        environment = {**os.environ, "PATH": f"{Path(workspace.UBIHEAP).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["sh", "-c", commands], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, preexec_fn=lift_limit)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def tearDown(self):
        pid = self.place.folder / "pid"
        if pid.exists():
            try:
                os.kill(int(pid.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def test_as_written(self):
        express = install(SOURCE_DIR / "tests" / "cdp" / "express", "express")
        if not express:
            self.skipTest("needs express, which npm fetches")
        (self.place.folder / "node_modules").symlink_to(express / "node_modules")
        said = []
        for language, text in BLOCK.findall(PAGE.read_text()):
            name = FILE_NAME.match(text)
            if language == "js" and name:
                (self.place.folder / name[1]).write_text(text)
            elif language == "sh" and not text.startswith("npm install"):
                said.append(self.run_block(text))
        _, leaks, profile, fixed = said
        self.assertIn("snapshot 4 of 4", leaks)
        for words in ("Visit: +", "variable inFlight of shop.js"):
            self.assertIn(words, leaks)
        self.assertIn("what was alive, sampled by V8", profile)
        self.assertIn("status 0", fixed)


if __name__ == "__main__":
    unittest.main()
