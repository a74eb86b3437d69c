# SPDX-License-Identifier: MIT
"""`info` does not look through the lens, and says the same totals as commands that do."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import v8_files as v8

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data"
UBIHEAP = os.environ.get("UBIHEAP", "")


def ask(command, path):
    done = subprocess.run([UBIHEAP, command, "--json", path], capture_output=True, check=True)
    return json.loads(done.stdout)


class Info(unittest.TestCase):
    def test_the_totals_of_info_are_those_of_report(self):
        paths = [*sorted(DATA.glob("v8/*.heapsnapshot.gz")), *sorted(DATA.glob("fx/*.fxsnapshot"))]
        self.assertGreater(len(paths), 5)
        for path in paths:
            with self.subTest(path.name):
                info, report = ask("info", path), ask("report", path)
                self.assertEqual(info["reachable"], report["reachable"])
                self.assertEqual(info["reachable"]["count"] + info["unreachable"]["count"], info["nodeCount"])

    def test_of_v8_nodes_that_nothing_leads_to_count_as_reachable_too(self):
        heap = v8.Snapshot()
        heap.node("synthetic", "", size=0, edges=[("shortcut", "global", 1)])
        heap.node("object", "global", size=16)
        heap.node("array", "nobody's", size=1000, edges=[("element", 0, 3)])
        heap.node("string", "nor this", size=24)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "orphans.heapsnapshot")
            path.write_bytes(heap.bytes())
            info, report = ask("info", path), ask("report", path)
        self.assertEqual(info["reachable"], {"count": 4, "bytes": 1040})
        self.assertEqual(info["unreachable"], {"count": 0, "bytes": 0})
        self.assertEqual(info["reachable"], report["reachable"])


if __name__ == "__main__":
    unittest.main()
