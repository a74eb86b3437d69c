# SPDX-License-Identifier: MIT
"""What became larger, in pages, documents and conditions of `ubiheap leaks`: snapshots as V8 would write them."""
import json
import pathlib
import sys
import unittest

import workspace

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "v8"))
import v8_files  # noqa: E402


class Heap:
    """global, and what a test puts into it."""

    def __init__(self, last_id):
        self.s = v8_files.Snapshot()
        root = self.s.node("synthetic", "", id=1, size=0)
        self.window = self.s.node("object", "global", id=3, size=16)
        self.edge(root, "shortcut", "global", self.window)
        self.edge(root, "hidden", 1, self.s.node("object", "Made last", id=last_id, size=16))
        for i in range(80):
            self.edge(self.window, "property", f"text{i}", self.s.node("string", f"text {i}", id=5 + 2 * i, size=24))

    def edge(self, source, kind, name, target):
        self.s.nodes[source]["edges"].append((kind, name, target))

    def log(self, n_lines):
        """A Logger whose text got so many lines, each a string of its own."""
        logger = self.s.node("object", "Logger", id=1001, size=24)
        text = self.s.node("string", "start", id=1003, size=24)
        for i in range(n_lines):
            longer = self.s.node("concatenated string", "(concatenated string)", id=2001 + 4 * i, size=32)
            self.edge(longer, "internal", "first", text)
            self.edge(longer, "internal", "second", self.s.node("string", f"line {i}", id=2003 + 4 * i, size=48))
            text = longer
        self.edge(self.window, "property", "logger", logger)
        self.edge(logger, "property", "text", text)


class Grown(unittest.TestCase):
    def setUp(self):
        self.place = workspace.Workspace()
        self.addCleanup(self.place.temporary.cleanup)

    def save(self, heaps):
        files = []
        for i, heap in enumerate(heaps):
            files.append(f"heap{i}.heapsnapshot")
            (self.place.folder / files[-1]).write_bytes(heap.s.bytes())
        return files

    def leaks(self, *arguments):
        done = self.place.ubiheap("leaks", *arguments)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def logs(self, *counts):
        heaps = [Heap(100001 + 2 * i) for i in range(len(counts))]
        for heap, count in zip(heaps, counts):
            heap.log(count)
        return self.save(heaps)

    def test_a_log_is_one_string_that_grows(self):
        files = self.logs(100, 200, 300)
        status, out, err = self.leaks(*files)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("No new object leaks.", out)
        self.assertRegex(out, r"\n\(concatenated string.* text of Logger: 7.84 KiB → 15.6 KiB → 23.5 KiB\n"
                              r"    one string that is added to; grows steadily\n"
                              r"    sizes with all parts; its own, as 'show' has it: 32 B\n")
        answer = json.loads(self.leaks("--json", *files)[1])
        self.assertEqual((answer["leaked"]["count"], answer["clusters"]), (0, []))
        self.assertEqual([(g["className"], g["verdict"], g["isRope"], g["bytes"]) for g in answer["grown"]],
                         [("(concatenated string)", "steady", True, [8024, 16024, 24024])])
        self.assertEqual(answer["grown"][0]["ownSize"], 32)
        self.assertEqual(answer["grown"][0]["words"], "(concatenated string), property text of Logger")

    def test_a_log_that_holds_what_leaks_is_shown_too(self):
        """Its latest lines are far from the root where they are in another list, too."""
        heaps = [Heap(100001 + 2 * i) for i in range(3)]
        for heap, count in zip(heaps, (100, 200, 300)):
            heap.log(count)
            lines = [row["edges"][1][2] for row in heap.s.nodes if len(row["edges"]) == 2]
            at = heap.window
            for i in range(300):
                after = heap.s.node("object", "Ring", id=9001 + 2 * i, size=16)
                heap.edge(at, "property", "after", after)
                at = after
            for i, line in enumerate(lines[1:]):
                heap.edge(at, "element", i, line)
        files = self.save(heaps)
        self.assertTrue(json.loads(self.leaks("--json", *files)[1])["grown"][0]["holdsLeaked"])
        self.assertRegex(self.leaks(*files)[1], r"\n\(concatenated string.* text of Logger: ")

    def lists(self, *counts):
        """A list with so many objects of a class."""
        heaps = [Heap(100001 + 2 * i) for i in range(len(counts))]
        for heap, count in zip(heaps, counts):
            of = heap.s.node("object", "Array", id=9001, size=16)
            heap.edge(heap.window, "property", "list", of)
            for i in range(count):
                heap.edge(of, "element", i, heap.s.node("object", "Session", id=9003 + 2 * i, size=500))
        return self.leaks(*self.save(heaps))[1]

    def test_a_healthy_program_is_said_to_be_one(self):
        out = self.lists(1, 20, 20, 20, 20)
        self.assertRegex(out, r"\nNothing grows steadily\.\n19 objects .* in 1 cluster\.\n\n"
                              r"Came and stayed\n  Session: \+19 objects, .* KiB; grew once, with step 1 of 4, .*\n$")

    def test_a_short_series_and_one_that_grows_are_not(self):
        for counts in (1, 20, 20), (1, 20, 40, 60, 80), (1, 20, 20, 20, 20, 20, 400, 400):
            self.assertNotIn("Nothing grows", self.lists(*counts), counts)

    def test_two_snapshots_show_it_too(self):
        self.assertIn("    one string that is added to\n", self.leaks(*self.logs(100, 200))[1])

    def test_a_gate_can_ask_for_it(self):
        files = self.logs(100, 200, 300)
        self.assertEqual(self.leaks("--fail-on", "grown(steady) > 10KiB", *files)[0], 1)
        self.assertEqual(self.leaks("--fail-on", "leaked > 0", *files)[0], 0)

    def series(self, *lengths):
        """200 arrays in a Map, each with its numbers behind it."""
        heaps = [Heap(100001 + 2 * i) for i in range(len(lengths))]
        for heap, length in zip(heaps, lengths):
            table = heap.s.node("array", "(object elements)", id=1003, size=2000)
            of = heap.s.node("object", "Map", id=1001, size=32)
            heap.edge(heap.window, "property", "series", of)
            heap.edge(of, "internal", "table", table)
            for i in range(200):
                array = heap.s.node("object", "Array", id=2001 + 4 * i, size=32)
                heap.edge(table, "element", i, array)
                heap.edge(array, "internal", "elements",
                          heap.s.node("array", "(object elements)", id=3003 + 4 * (len(heap.s.nodes)), size=8 * length))
        return self.save(heaps)

    def test_many_that_grow_a_little_each_are_reported_with_their_holder(self):
        files = self.series(60, 120, 180)
        out = self.leaks(*files)[1]
        self.assertRegex(out, r"\nArray.*Map.*, and 199 others: 100 KiB → 194 KiB → 288 KiB\n    grows steadily\n    global")
        self.assertNotIn("sizes with", out)
        grown, = json.loads(self.leaks("--json", *files)[1])["grown"]
        self.assertEqual((grown["className"], grown["count"], grown["bytes"], grown["verdict"]),
                         ("Array", 200, [200 * (32 + 8 * n) for n in (60, 120, 180)], "steady"))
        self.assertEqual(self.leaks("--fail-on", "grown(steady) > 150KiB", *files)[0], 1)


if __name__ == "__main__":
    unittest.main()
