#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The npm client foxdriver drives a program under `ubiheap run --listen`: each method of its memory and timeline actors.

It is installed in the build directory, in the version of foxdriver/package-lock.json, with the package that it forgets to ask for; where
npm cannot fetch it, the test is skipped.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from rdp_client import UBIHEAP, running
from witness import Witness, check_driven

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "rdp" / "foxdriver"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from npm_packages import install  # noqa: E402

CODE = "globalThis.kept = []; function make() { kept.push({}); } setInterval(() => { make(); make(); make(); }, 2);"


class Foxdriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = install(SOURCE, "foxdriver")
        program = place / "foxdriver_drive.cjs"
        shutil.copy(SOURCE / program.name, program)
        with running(code=CODE) as (port, _), Witness(port) as witness:
            done = subprocess.run(["node", program, str(witness.port)], capture_output=True, text=True, check=False)
        cls.asked = witness.asked
        assert done.returncode == 0, done.stderr
        cls.seen = json.loads(done.stdout)

    def test_fox_1_it_finds_one_tab_with_its_actors(self):
        self.assertEqual((self.seen["tabs"], self.seen["title"]), (1, "-e"))
        self.assertEqual(self.seen["domains"], ["memory", "console", "timeline"])
        self.assertEqual(self.seen["globals"], ["device", "preference", "heapSnapshotFile"])
        self.assertEqual(self.seen["description"]["brandName"], "ubiheap")

    def test_fox_2_collections_shift_no_replies(self):
        self.assertEqual(self.seen["stateAfterCollection"], "attached")
        self.assertEqual(self.seen["together"][1], "attached")
        self.assertNotIn("type", self.seen["collected"])
        self.assertNotIn("type", self.seen["together"][0])
        numbers = [event["data"]["gcCycleNumber"] for event in self.seen["events"]]
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_it_attaches_and_detaches(self):
        self.assertEqual([self.seen[name] for name in ("stateBefore", "state", "stateDetached")],
                         ["detached", "attached", "detached"])

    def test_it_counts_and_measures(self):
        self.assertEqual(set(self.seen["census"]) - {"from"}, {"objects", "scripts", "strings", "other", "domNode"})
        for name in ("measureDetached", "measure"):
            self.assertGreater(self.seen[name]["total"], self.seen[name]["jsObjectsSize"])
            self.assertRegex(self.seen[name]["jsMilliseconds"], r"^\d+\.\d$")

    def test_it_records_allocations(self):
        seen = self.seen
        self.assertEqual(seen["settings"], {"maxLogLength": 500, "probability": 1})
        self.assertLessEqual(seen["started"], seen["stopped"])
        self.assertIsNone(seen["allocations"]["frames"][0])
        names = {frame["functionDisplayName"] for frame in seen["allocations"]["frames"] if frame}
        self.assertIn("make", names)
        self.assertEqual(seen["notRecording"],
                         "Cannot call drainAllocationsLog without setting trackingAllocationSites to true (Error)")

    def test_it_uses_the_console(self):
        seen = self.seen
        self.assertEqual(seen["listening"]["startedListeners"], ["PageError", "ConsoleAPI"])
        self.assertEqual((seen["sum"], seen["thrown"], seen["messages"]), ("42object", "Error: bad", ["said"]))
        self.assertEqual(seen["cached"][0]["message"]["arguments"], ["said"])

    def test_the_reference_names_what_it_asked_for(self):
        check_driven(self, "foxdriver", self.asked)

    def test_it_records_what_the_program_does(self):
        seen, events = self.seen, self.seen["timeline"]
        self.assertEqual([seen[name] for name in ("wasRecording", "isRecording", "isRecordingStill")], [False, True, False])
        self.assertLess(seen["timelineStarted"], seen["timelineStopped"])
        frames = [frame for event in events["frames"] for frame in event["frames"]]
        runs = [m for event in events["markers"] for m in event["markers"] if m["name"] == "Javascript"]
        self.assertIsNone(frames[0])
        self.assertEqual({(run["causeName"], frames[run["stack"]]["source"]) for run in runs},
                         {("setInterval handler", "<cmdline>")})
        for name in ("ticks", "memory"):
            self.assertGreaterEqual(events[name][0]["delta"], seen["timelineStarted"])
        self.assertGreater(events["memory"][0]["measurement"]["total"], 0)

    def test_it_saves_a_snapshot(self):
        self.assertRegex(self.seen["snapshot"], r"^ubi-\d+$")


# A thread asks for a megabyte again and again.
NATIVE = """import ctypes, threading, time
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


class OfNativeProgram(unittest.TestCase):
    def test_its_allocations(self):
        place = install(SOURCE, "foxdriver")
        program = place / "foxdriver_native.cjs"
        shutil.copy(SOURCE / program.name, program)
        with tempfile.TemporaryDirectory() as folder:
            command = [UBIHEAP, "record", "--paused", "--exact", "--listen", "0", "--no-symbols", "-o", f"{folder}/it.ubirec", "--",
                       sys.executable, "-c", NATIVE]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as recorded:
                port = re.search(r":(\d+) for", recorded.stderr.readline())[1]
                self.assertEqual(recorded.stdout.readline(), "ready\n")
                done = subprocess.run(["node", program, port], capture_output=True, text=True, check=False)
                recorded.communicate("end\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual((seen["tabs"], seen["state"], seen["settings"]), (1, "attached", {"maxLogLength": 5000, "probability": 1}))
        self.assertLessEqual(seen["started"], seen["stopped"])
        self.assertEqual(max(seen["sizes"]), 1 << 20)
        self.assertIsNone(seen["functions"][0])
        self.assertGreater(len(set(seen["functions"])), 3)
        self.assertGreater(seen["measured"], 0)


if __name__ == "__main__":
    if not install(SOURCE, "foxdriver"):
        print("skipped: npm could not fetch foxdriver")
        sys.exit(77)
    unittest.main()
