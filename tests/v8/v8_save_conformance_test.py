#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `convert` writes as heapsnapshot, looked at by another reader: Python's.

A real snapshot comes out as it went in, section by section: every number of every node and edge, every string under its
number. Only locations are in the order of their nodes, and node types that no node has may be missing.
"""
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
UBIHEAP = os.environ.get("UBIHEAP", "ubiheap")
DATA = SOURCE_DIR / "tests" / "data"
FIXTURES = ("node20-before", "node20-after", "chromium-alloc", "chromium-detached")


def rows(document):
    """The locations, as records in the order of their nodes."""
    n = len(document["snapshot"]["meta"]["location_fields"])
    flat = document["locations"]
    return sorted(flat[i:i + n] for i in range(0, len(flat), n))


class Conformance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def convert(self, source, name="out.heapsnapshot", *options):
        output = self.folder / name
        subprocess.run([UBIHEAP, "convert", *options, source, output], check=True, capture_output=True)
        return output

    def test_a_real_snapshot_comes_out_as_it_went_in(self):
        for fixture in FIXTURES:
            with self.subTest(fixture):
                before = json.loads(gzip.decompress((DATA / "v8" / f"{fixture}.heapsnapshot.gz").read_bytes()))
                text = self.convert(DATA / "v8" / f"{fixture}.heapsnapshot.gz").read_bytes()
                after = json.loads(text)
                self.assertEqual(list(before), list(after))
                for section in before:
                    if section not in ("snapshot", "locations"):
                        self.assertEqual(before[section], after[section], section)
                self.assertEqual(rows(before), rows(after))
                self.check_header(before["snapshot"], after["snapshot"])
                self.assertLess(max(text), 128)
                self.assertEqual(text.count(b"\n"), len(before) - 1)

    def check_header(self, before, after):
        types = before["meta"]["node_types"][0], after["meta"]["node_types"][0]
        before["meta"]["node_types"][0] = after["meta"]["node_types"][0] = None
        self.assertEqual(before, after)
        self.assertEqual(types[0][:len(types[1])], types[1])

    def test_a_packed_file_is_the_same_inside(self):
        source = DATA / "v8" / "chromium-alloc.heapsnapshot.gz"
        self.assertEqual(gzip.decompress(self.convert(source, "a.heapsnapshot.gz").read_bytes()),
                         self.convert(source, "a.heapsnapshot").read_bytes())

    def test_a_snapshot_of_firefox_is_one_of_v8_below_a_new_root(self):
        document = json.loads(self.convert(DATA / "fx" / "tiny-before.fxsnapshot").read_bytes())
        lines = [json.loads(line) for line in subprocess.run(
            [UBIHEAP, "convert", "-f", "jsonl", DATA / "fx" / "tiny-before.fxsnapshot", "-"], check=True,
            capture_output=True).stdout.splitlines()]
        nodes = [line for line in lines if line["record"] == "node"]
        meta, flat = document["snapshot"]["meta"], document["nodes"]
        stride = len(meta["node_fields"])
        self.assertEqual(document["snapshot"]["node_count"], len(nodes) + 1)
        self.assertEqual(flat[stride + 2::stride], [node["id"] for node in nodes])
        self.assertEqual(flat[stride + 3::stride], [node["size"] for node in nodes])
        self.assertEqual(flat[stride + 4::stride], [len(node["edges"]) for node in nodes])
        self.assertEqual([flat[to + 2] for to in document["edges"][2::3]][1:],
                         [edge["to"] for node in nodes for edge in node["edges"]])
        types = [meta["node_types"][0][kind] for kind in flat[stride::stride]]
        for kind, node in zip(types, nodes, strict=True):
            if node["coarseType"] != "Other":
                self.assertEqual(kind, {"Object": "object", "Script": "code", "String": "string",
                                        "DOMNode": "native"}[node["coarseType"]])
        live = sum(1 for node in nodes if "stack" in node)
        self.assertEqual(sum(1 for id in flat[5::stride] if id), live)
        self.check_traces(document, live)

    def check_traces(self, document, live):
        """A tree of five values each, whose functions exist and whose counts are those of the nodes."""
        functions = len(document["trace_function_infos"]) // 6
        total, ids, open_lists = 0, set(), [document["trace_tree"]]
        while open_lists:
            flat = open_lists.pop()
            self.assertEqual(len(flat) % 5, 0)
            for id, function, count, _, children in (flat[i:i + 5] for i in range(0, len(flat), 5)):
                self.assertNotIn(id, ids)
                self.assertLess(function, functions)
                ids.add(id)
                total += count
                open_lists.append(children)
        self.assertEqual(total, live)
        self.assertEqual(document["snapshot"]["trace_function_count"], functions)


if __name__ == "__main__":
    unittest.main()
