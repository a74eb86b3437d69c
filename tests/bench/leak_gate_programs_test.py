#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The gate that docs/how-to/find-a-node-leak-in-ci.md recommends, on programs that keep one sort of memory each (gate_programs.js):
bigints, code, buffers, tables of numbers and so on. It fails on all that leak, passes on healthy ones, and ends with status 3 where three
files cannot tell. Node.js takes a second and a half for each program: every second one is tried, with UBI_DEEP all.
"""
import concurrent.futures
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "rivals"))
import scenarios  # noqa: E402

PROGRAMS = ROOT / "tests" / "bench" / "gate_programs.js"
STEP = 1 if os.environ.get("UBI_DEEP") else 2


def judge(name):
    """Status and standard error of the gate."""
    with tempfile.TemporaryDirectory(prefix="ubiheap-gate-") as folder:
        subprocess.run(["node", PROGRAMS, name, folder], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        done = subprocess.run([os.environ["UBIHEAP"], "leaks", "--limit", "1", "--fail-on", scenarios.STEADY,
                               *(f"{folder}/{i}.heapsnapshot" for i in (1, 2, 3))], capture_output=True, check=False)
        return done.returncode, done.stderr.decode()


class Gate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))  # a WebAssembly memory reserves gigabytes of addresses
        said = subprocess.run(["node", PROGRAMS, "--list"], check=True, capture_output=True)
        cls.names = {group: names[::STEP] for group, names in json.loads(said.stdout).items()}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            asked = {name: pool.submit(judge, name) for names in cls.names.values() for name in names}
            cls.answers = {name: answer.result() for name, answer in asked.items()}

    def wrong(self, group, status, words):
        return {name: self.answers[name] for name in self.names[group]
                if self.answers[name][0] != status or words not in self.answers[name][1]}

    def test_what_leaks_fails(self):
        self.assertGreater(len(self.names["leaks"]) * STEP, 50)
        self.assertEqual(self.wrong("leaks", 1, "condition holds"), {})

    def test_what_three_files_cannot_show_does_not_pass(self):
        self.assertEqual(self.wrong("doubtful", 3, "cannot tell whether the condition holds"), {})

    def test_what_is_healthy_passes(self):
        self.assertGreater(len(self.names["healthy"]) * STEP, 15)
        self.assertEqual(self.wrong("healthy", 0, ""), {})


if __name__ == "__main__":
    if shutil.which("node") is None:
        print("skipped: node is not installed (Debian package nodejs)")
        sys.exit(77)
    unittest.main()
