#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`containment` opens each node once, the nearest to the first row, so that a few nodes with many paths stay a few rows."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = os.environ.get("UBI_SOURCE_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "growth"))
import v8_shapes  # noqa: E402

UBIHEAP = os.environ.get("UBIHEAP", "")


def containment(heap, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.heapsnapshot")
        heap.write(path)
        done = subprocess.run([UBIHEAP, "containment", *arguments, path], capture_output=True,
                              env={**os.environ, "COLUMNS": "200", "LC_ALL": "C.UTF-8"}, check=True)
    return done.stdout.decode()


def rows_of(text):
    """Lines that are nodes."""
    return [line for line in text.splitlines()[2:] if "… " not in line]


def walk(row):
    stack = [row]
    while stack:
        row = stack.pop()
        yield row
        stack += row.get("children", [])


class Containment(unittest.TestCase):
    def ladder(self, n):
        heap = v8_shapes.Heap()
        v8_shapes.ladder(heap, n)
        return heap

    def test_a_ladder_with_a_million_million_paths_has_a_row_for_each_edge(self):
        heap = self.ladder(40)
        n_edges = sum(len(edges) for edges in heap.edges)
        self.assertEqual(len(rows_of(containment(heap, "-d", "0"))), n_edges)
        document = json.loads(containment(heap, "-d", "0", "--json"))
        self.assertEqual(sum(1 for _ in walk(document)), 1 + n_edges)
        self.assertFalse(document["rowsLeftOut"])
        opened = [row["nodeId"] for row in walk(document) if row.get("children")]
        self.assertEqual(len(opened), len(set(opened)))
        self.assertEqual(len(opened), sum(1 for edges in heap.edges if edges))

    def test_the_place_nearest_to_the_first_row_is_opened_and_others_say_where_it_is(self):
        heap = v8_shapes.Heap()
        near, far = heap.node("object", "Near", 10), heap.node("object", "Far", 5000)
        heap.link(near, "property", "leaf", heap.node("object", "Leaf", 10))
        heap.link(heap.hang(far), "property", "near", near)
        heap.hang(near)
        heap.link(near, "property", "back", far)
        lines = rows_of(containment(heap, "-d", "0", "--limit", "0"))
        marked = [(line[32:].split("  ")[-3].strip(), line.split("  ")[-1]) for line in lines if "  shown " in line]
        self.assertEqual(marked, [(".near: Near", "shown below"), (".back: Far", "shown above")])

    def test_a_leaf_has_no_note(self):
        heap = v8_shapes.Heap()
        leaf = heap.node("object", "Leaf", 10)
        for _ in range(3):
            heap.hang(leaf)
        self.assertNotIn("shown", containment(heap, "-d", "0"))

    def test_rows_are_those_nearest_to_the_first_one(self):
        heap = self.ladder(40)
        text = containment(heap, "-d", "0", "--rows", "20")
        self.assertLessEqual(len(rows_of(text)), 20)
        self.assertGreater(len(rows_of(text)), 14)
        self.assertTrue(text.endswith("… deeper rows are left out; --rows 0 shows all\n"))
        document = json.loads(containment(heap, "-d", "0", "--rows", "20", "--json"))
        self.assertTrue(document["rowsLeftOut"])
        self.assertEqual(sum(1 for _ in walk(document)), 1 + len(rows_of(text)))

    def test_all_edges_of_the_first_row_are_shown_whatever_the_limit_on_rows(self):
        heap = v8_shapes.Heap()
        for i in range(50):
            heap.hang(heap.node("object", "Thing", 10))
        text = containment(heap, "-d", "1", "-n", "0", "--rows", "5")
        self.assertEqual(len(rows_of(text)), 2)
        self.assertNotIn("left out", text)


if __name__ == "__main__":
    unittest.main()
