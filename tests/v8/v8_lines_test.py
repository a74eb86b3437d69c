# SPDX-License-Identifier: MIT
"""JSON lines of V8's snapshots have everything that the file says: compared with the file, read by Python."""
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "v8"
UBIHEAP = os.environ.get("UBIHEAP", "")
DETACHEDNESS = [None, "attached", "detached"]


def rows(values, fields):
    """A flat array as dicts."""
    return [dict(zip(fields, values[i:i + len(fields)])) for i in range(0, len(values), len(fields))]


def traces(tree):
    """((id, function, count, size), id of the parent or None) of each trace node."""
    result, waiting = [], [(tree, None)]
    while waiting:
        values, parent = waiting.pop()
        for i in range(0, len(values), 5):
            result.append((tuple(values[i:i + 4]), parent))
            waiting.append((values[i + 4], values[i]))
    return result


class File:
    """What is in a .heapsnapshot file."""

    def __init__(self, path):
        self.json = json.loads(gzip.decompress(path.read_bytes()))
        self.meta = self.json["snapshot"]["meta"]
        self.nodes = rows(self.json["nodes"], self.meta["node_fields"])

    def node_at(self, index):
        return self.nodes[index // len(self.meta["node_fields"])]

    def type_of(self, node):
        return self.meta["node_types"][0][node["type"]]

    def locations(self):
        """By id of the node."""
        result = {}
        for row in rows(self.json.get("locations", []), self.meta.get("location_fields", ["none"])):
            where = {"scriptId": row["script_id"], "line": row["line"], "column": row["column"]}
            if "script_object_index" in row:
                where["script"] = self.node_at(row["script_object_index"])["id"]
            result[self.node_at(row["object_index"])["id"]] = where
        return result

    def samples(self):
        values = self.json.get("samples", [])
        return [{"record": "sample", "timeUs": t, "lastId": i} for t, i in zip(values[::2], values[1::2])]

    def scopes(self):
        names, uses = iter(self.json.get("scope_context_vars", [])), iter(self.json.get("scope_uses", []))
        result = []
        for row in rows(self.json.get("scopes", []), self.meta.get("scope_fields", ["none"])):
            result.append({
                "record": "scope", "scopeId": row["scope_id"], "script": self.node_at(row["script_node_index"])["id"],
                "depth": row["depth"],
                "variables": [self.json["strings"][next(names)] for _ in range(row["scope_context_vars_count"])],
                "uses": [{"scopeId": next(uses), "slot": next(uses)} for _ in range(row["scope_uses_count"])]})
        return result


class Lines(unittest.TestCase):
    def setUp(self):
        self.seen = set()

    def check_header(self, file, header):
        self.assertEqual(header.get("extraNativeBytes"), file.json["snapshot"].get("extra_native_bytes"))
        self.assertEqual(header.get("sampleCount", 0), len(file.samples()))
        self.assertEqual(header.get("scopeCount", 0), len(file.scopes()))

    def check_frames(self, file, frames):
        functions = rows(file.json["trace_function_infos"], file.meta["trace_function_info_fields"])
        expected = {values[0]: (values, above) for values, above in traces(file.json["trace_tree"])}
        self.assertEqual(len(frames), len(expected))
        for frame in frames:
            (id, function, count, size), above = expected[frame["id"]]
            self.assertEqual((frame["allocationCount"], frame["allocationBytes"]), (count, size))
            self.assertEqual(frame["functionDisplayName"], file.json["strings"][functions[function]["name"]])
            self.assertEqual(frames[frame["parent"]]["id"] if "parent" in frame else None, above)

    def check_nodes(self, file, nodes):
        locations = file.locations()
        trace_of = [node.get("trace_node_id", 0) for node in file.nodes]
        for node, line, trace in zip(file.nodes, nodes, trace_of, strict=True):
            self.assertEqual(line["id"], node["id"])
            self.assertEqual(line.get("location"), locations.get(node["id"]))
            self.assertEqual(line.get("detachedness"), DETACHEDNESS[node.get("detachedness", 0)])
            self.assertEqual(line.get("v8Type", line["typeName"]), file.type_of(node))
            self.assertEqual("stack" in line, trace != 0)
            self.seen |= line.keys()

    def test_lines_say_all_that_the_file_says_beside_its_graph(self):
        records = set()
        for path in sorted(DATA.glob("*.heapsnapshot.gz")):
            with self.subTest(path.name):
                done = subprocess.run([UBIHEAP, "convert", "-f", "jsonl", path, "-"], capture_output=True, check=True)
                file, lines = File(path), [json.loads(line) for line in done.stdout.splitlines()]
                by = {name: [line for line in lines if line["record"] == name]
                      for name in ("header", "frame", "sample", "scope", "node")}
                self.assertEqual([line["record"] for line in lines], [name for name in by for _ in by[name]])
                self.check_header(file, by["header"][0])
                self.check_frames(file, by["frame"])
                self.assertEqual(by["sample"], file.samples())
                self.assertEqual(by["scope"], file.scopes())
                self.check_nodes(file, by["node"])
                records |= {name for name in by if by[name]}
        self.assertEqual(records, {"header", "frame", "sample", "scope", "node"})
        self.assertLessEqual({"location", "v8Type", "detachedness", "stack"}, self.seen)

    def test_names_of_captured_variables_are_anonymized_like_all_others(self):
        path = DATA / "chromium-alloc.heapsnapshot.gz"
        names = {name for scope in File(path).scopes() for name in scope["variables"]}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([UBIHEAP, "convert", "--anonymize", "-f", "jsonl", path, "-"], capture_output=True,
                                  check=True, cwd=folder)
        lines = [json.loads(line) for line in done.stdout.splitlines() if b'"record":"scope"' in line]
        left = {name for line in lines for name in line["variables"]}
        self.assertTrue(names)
        self.assertLess(len(left & names), len(names))


if __name__ == "__main__":
    unittest.main()
