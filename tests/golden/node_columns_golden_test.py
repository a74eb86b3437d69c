#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The columns dominator and retainedSize of `nodes` against the answers that Firefox ESR 153.7 gave for every node.

Files and answers: tests/data/fx/README.md. A line of domlines is `id dominator retained`, `-` for no dominator; it lists the
nodes that can be reached.
"""
import gzip
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "fx"
UBIHEAP = os.environ.get("UBIHEAP", "")


def rows(name, *options):
    """Rows as lists of texts, without the header."""
    command = [UBIHEAP, "nodes", "--format", "tsv", *options, str(DATA / f"{name}.fxsnapshot")]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split("\t") for line in lines[1:]]


def golden(name):
    with gzip.open(DATA / "golden" / f"{name}.domlines.txt.gz", "rt") as file:
        return {line.split()[0]: line.split()[1:] for line in file}


class NodeColumns(unittest.TestCase):
    def check(self, name):
        expected = golden(name)
        found = {node: cells for node, *cells in rows(name, "-c", "id,dominator,retainedSize,distance")}
        reached = {node: cells[:2] for node, cells in found.items() if cells[2] != "-"}
        self.assertGreater(len(expected), 100)
        self.assertEqual(reached, {node: [dominator if dominator != "null" else "-", retained]
                                   for node, (dominator, retained) in expected.items()})
        for node, cells in found.items():
            if node not in expected:
                self.assertEqual(cells, ["-", "0", "-"], node)

    def test_before(self):
        self.check("tiny-before")

    def test_after(self):
        self.check("tiny-after")

    def test_unreachable(self):
        self.check("unreachable")

    def test_choosing_by_a_computed_column_gives_the_same_nodes(self):
        for name in ("tiny-before", "unreachable"):
            expected = {node for node, (_, retained) in golden(name).items() if int(retained) > 1024}
            found = rows(name, "-c", "id", "--where", "retainedSize > 1KiB")
            self.assertEqual({node for node, in found}, expected)

    def test_the_ordinal_of_the_dominator_is_that_of_its_id(self):
        listed = rows("tiny-before", "-c", "id,ordinal,dominator,dominatorOrdinal")
        ordinal = {node: place for node, place, _, _ in listed}
        for node, _, dominator, dominator_ordinal in listed:
            self.assertEqual(dominator_ordinal, ordinal[dominator] if dominator != "-" else "0", node)


if __name__ == "__main__":
    if not os.access(UBIHEAP, os.X_OK):
        print("skipped: UBIHEAP does not name the tool")
        sys.exit(77)
    unittest.main()
