#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What only references lead to that V8's own tools leave out has paths, and says so: in `paths`, in `show`, and in what an object weakly held has not."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
UBIHEAP = os.environ.get("UBIHEAP", "")
sys.path.insert(0, str(SOURCE_DIR / "tests" / "v8"))
import v8_files as v8  # noqa: E402

# Ids of what server_heap makes.
KEPT, CACHE, WEAK, GLOBAL = 9, 11, 13, 3


def server_heap():
    """A scope that a stack holds, and a shortcut of the page makes the page's: DevTools follow neither into it."""
    heap = v8.Snapshot("node20")
    root, page = heap.node("synthetic", "", size=0), heap.node("object", "global")
    roots, scope = heap.node("synthetic", "(GC roots)", size=0), heap.node("object", "system / Context")
    kept, cache, weak = heap.node("object", "Session"), heap.node("object", "Array"), heap.node("object", "Gone")
    for source, kind, name, target in ((root, "shortcut", "global", page), (root, "element", 1, roots), (roots, "element", 1, scope),
                                       (page, "shortcut", "scope", scope), (scope, "context", "session", kept), (kept, "property", "cache", cache),
                                       (scope, "weak", "gone", weak)):
        heap.nodes[source]["edges"].append((kind, name, target))
    return heap


class Outside(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "server.heapsnapshot")
        text = v8.write(server_heap().tree())
        with open(self.path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def ask(self, question, *words):
        return subprocess.run([UBIHEAP, question, self.path, *map(str, words)], capture_output=True, check=True, text=True).stdout

    def test_paths(self):
        targets = json.loads(self.ask("paths", GLOBAL, CACHE, WEAK, KEPT, "--json"))["targets"]
        self.assertEqual([target.get("outside") for target in targets], [None, True, None, True])
        self.assertEqual([len(target["paths"]) for target in targets], [1, 1, 0, 1])
        self.assertEqual([step["edge"] for step in targets[1]["paths"][0]][-2:], ["session", "cache"])
        page = self.ask("paths", GLOBAL, CACHE, WEAK)
        self.assertEqual(page.count("by references that the engine's own tools leave out"), 1)
        self.assertEqual(page.count("nothing in the file keeps it alive"), 1)

    def test_show(self):
        self.assertIn("session", self.ask("show", CACHE))
        self.assertIn("it cannot be reached from the root", self.ask("show", WEAK))
        self.assertGreater(len(json.loads(self.ask("show", CACHE, "--json"))["path"]), 1)
        self.assertIsNone(json.loads(self.ask("show", WEAK, "--json"))["path"])


if __name__ == "__main__":
    unittest.main()
