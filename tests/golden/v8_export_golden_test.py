#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Snapshots of V8 that are converted for Firefox have DevTools' sizes, dominators and retained sizes for every node.

The converted file is read again as what it is, a file of Firefox, by whose plain rules its dominators are computed. Their
digests must be those that Chrome's DevTools gave for the original.
"""
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
UBIHEAP = os.environ.get("UBIHEAP", "ubiheap")
DATA = SOURCE_DIR / "tests" / "data" / "v8"
FIXTURES = ("node20-before", "node20-after", "chromium-alloc", "chromium-detached")


def run(*arguments):
    return subprocess.run([UBIHEAP, *map(str, arguments)], check=True, capture_output=True).stdout


def column(path, name):
    return run("nodes", "--format", "tsv", "--columns", name, path).decode().split("\n")[1:-1]


def digest(values):
    return hashlib.sha256("".join(value + "\n" for value in values).encode()).hexdigest()


class ExportGolden(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.output = pathlib.Path(folder.name) / "out.fxsnapshot"

    def convert(self, fixture, *options):
        document = run("convert", "--json", *options, DATA / f"{fixture}.heapsnapshot.gz", self.output)
        return json.loads(document)

    def golden(self, fixture):
        return json.loads((DATA / f"{fixture}.golden.json").read_text())

    def original(self, fixture):
        return json.loads(gzip.decompress((DATA / f"{fixture}.heapsnapshot.gz").read_bytes()))

    def test_every_node_has_the_numbers_of_devtools(self):
        for fixture in FIXTURES:
            with self.subTest(fixture):
                golden = self.golden(fixture)
                written = self.convert(fixture)
                self.assertEqual(written["nodeCount"], golden["nodeCount"])
                self.assertGreater(written["leftOutEdges"], 0)
                orphans = written["edgeCount"] - (golden["edgeCount"] - written["leftOutEdges"])
                self.assertEqual(orphans, 80 if fixture.startswith("chromium") else 0)
                for name in ("selfSize", "retainedSize", "dominatorOrdinal"):
                    self.assertEqual(digest(column(self.output, name)), golden["digests"][name], name)

    def test_raw_sizes_are_those_of_the_file(self):
        for fixture in ("node20-before", "chromium-detached"):
            with self.subTest(fixture):
                original = self.original(fixture)
                stride = len(original["snapshot"]["meta"]["node_fields"])
                self.convert(fixture, "--raw-sizes")
                self.assertEqual(column(self.output, "selfSize"), [str(size) for size in original["nodes"][3::stride]])

    def test_all_edges_are_all_edges_and_numbers_are_text(self):
        original = self.original("chromium-detached")
        written = self.convert("chromium-detached", "--all-edges")
        self.assertEqual(written["edgeCount"], original["snapshot"]["edge_count"])
        self.assertEqual(written["leftOutEdges"], 0)
        lines = [json.loads(line) for line in run("convert", "-f", "jsonl", self.output, "-").splitlines()]
        names = [edge.get("name") for line in lines if line["record"] == "node" for edge in line["edges"]]
        kinds = original["snapshot"]["meta"]["edge_types"][0]
        strings = original["strings"]
        want = [str(label) if kinds[kind] in ("element", "hidden") else strings[label]
                for kind, label in zip(original["edges"][0::3], original["edges"][1::3], strict=True)]
        self.assertEqual(names, want)

    def test_code_has_files_and_elements_say_whether_they_are_in_a_document(self):
        self.convert("chromium-detached")
        lines = [json.loads(line) for line in run("convert", "-f", "jsonl", self.output, "-").splitlines()]
        code = [line for line in lines if line.get("coarseType") == "Script"]
        files = {line.get("scriptFilename") for line in code}
        self.assertIn("file:///srv/app/page.html", files)
        self.assertGreater(sum("scriptFilename" in line for line in code), 20)
        elements = {line["descriptiveTypeName"] for line in lines if line.get("coarseType") == "DOMNode"}
        self.assertLessEqual({"<section>", "Detached <section>", "Text", "Detached Text"}, elements)

    def test_a_snapshot_of_firefox_is_not_changed_by_the_way(self):
        source = SOURCE_DIR / "tests" / "data" / "fx" / "tiny-before.fxsnapshot"
        written = json.loads(run("convert", "--json", source, self.output))
        self.assertEqual(written["leftOutEdges"], 0)
        self.assertEqual(run("convert", "-f", "jsonl", source, "-"), run("convert", "-f", "jsonl", self.output, "-"))


if __name__ == "__main__":
    unittest.main()
