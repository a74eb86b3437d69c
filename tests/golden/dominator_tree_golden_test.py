#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Partial dominator trees and descriptions of nodes against the answers that Firefox ESR 153.7 gave for the same files.

Files and answers: tests/data/fx/README.md. The order among equal retained sizes is not defined, so the trees are compared
level by level: the sequence of retained sizes exactly; rows with the same size among their siblings as a set, as far as the
cut after the last sibling does not go through them.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "fx"
UBIHEAP = os.environ.get("UBIHEAP", "")


def load(name):
    with open(DATA / "golden" / f"{name}.json", encoding="utf-8") as file:
        return json.load(file)


def text_of(value):
    """As JSON.stringify writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def ubiheap(*arguments):
    done = subprocess.run([UBIHEAP, *map(str, arguments)], capture_output=True)
    if done.returncode:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def snapshot(name):
    return DATA / f"{name}.fxsnapshot"


def frame_text(frame):
    return f'{frame["source"]}:{frame["line"]}:{frame["column"]}:{frame["functionDisplayName"] or ""}'


def stack_indexes(stack, frames):
    return [frames[frame_text(frame)] for frame in stack]


def reshaped_label(label, frames):
    return [stack_indexes(part, frames) if isinstance(part, list) else part for part in label]


def row_of(node, frames):
    """Everything of a row but its children and the number of the node, which ties make any."""
    row = {key: node[key] for key in ("label", "shallowSize", "retainedSize", "moreChildrenAvailable")}
    row["label"] = reshaped_label(row["label"], frames) if frames else row["label"]
    return row


class PartialTrees(unittest.TestCase):
    def compare_levels(self, ours, wanted, frames):
        """The children of two rows that are the same node."""
        ours, wanted = ours.get("children"), wanted.get("children")
        self.assertEqual(ours is None, wanted is None)
        if ours is None:
            return
        self.assertEqual([c["retainedSize"] for c in ours], [c["retainedSize"] for c in wanted])
        last = ours[-1]["retainedSize"]
        by_id = {c["nodeId"]: c for c in ours}
        compared = collections.Counter()
        for child in wanted:
            if child["nodeId"] not in by_id:  # the cut may go through equal ones only
                self.assertEqual(child["retainedSize"], last)
                continue
            mine = by_id[child["nodeId"]]
            self.assertEqual(row_of(mine, frames), row_of(child, None))
            self.assertEqual(mine["parentId"], child["parentId"])
            self.compare_levels(mine, child, frames)
            compared[child["retainedSize"]] += 1
        for size, n in collections.Counter(c["retainedSize"] for c in wanted).items():
            if size != last:
                self.assertEqual(compared[size], n, "rows of one size are the same set")

    def check(self, golden_name, *options):
        golden = load("tiny-before.domtree")
        frames = {text: index for index, text in enumerate(golden["frames"])}
        for compat in ([], ["--compat", "firefox"]):
            with self.subTest(compat=compat):
                ours = ubiheap("dominators", "--json", *options, *compat, snapshot("tiny-before"))["tree"]
                wanted = golden[golden_name]
                self.assertEqual(ours["nodeId"], wanted["nodeId"])
                self.assertNotIn("parentId", ours)
                self.assertEqual(row_of(ours, frames), row_of(wanted, None))
                self.compare_levels(ours, wanted, frames)

    def test_four_levels_of_fifteen_with_labels_by_type(self):
        self.check("partialTraversal")

    def test_the_breakdown_of_labels_is_that_of_the_memory_panel(self):
        golden = load("tiny-before.domtree")
        self.assertEqual(ubiheap("dominators", "--json", snapshot("tiny-before"))["breakdown"], golden["label"])
        self.check("partialTraversal", "--breakdown", text_of(golden["label"]))

    def test_three_levels_of_five_with_labels_by_stack(self):
        self.check("partialTraversalStackLabels", "--breakdown", "stack", "--depth", 3, "--siblings", 5)

    def test_the_largest_nodes_are_firefoxs(self):
        for name in ("tiny-before", "tiny-after", "unreachable"):
            golden = load(f"{name}.dominators")
            answer = ubiheap("dominators", "--json", "--top", len(golden["top"]), snapshot(name))
            self.assertEqual(answer["rootId"], golden["root"])
            self.assertEqual(answer["nodeCount"], golden["nodeCount"])
            ours = [(row["nodeId"], row["shallowSize"], row["retainedSize"], row.get("parentId")) for row in answer["top"]]
            self.assertEqual(ours, [(n["id"], n["shallow"], n["retained"], n["idom"]) for n in golden["top"]])


LABEL = load("tiny-before.domtree")["label"]
COUNT = {"by": "count", "count": True, "bytes": True}
DESCRIBED_BY = {
    "coarse": LABEL,
    "stack": {"by": "allocationStack", "then": COUNT, "noStack": COUNT},
    "bucket": {"by": "bucket"},
}


class Descriptions(unittest.TestCase):
    maxDiff = 2000

    def reshaped(self, report, name, frames):
        if name != "stack":
            return report
        return {"$map": [[stack_indexes(entry["stack"], frames) if isinstance(entry["stack"], list) else entry["stack"],
                          entry["report"]] for entry in report]}

    def check(self, file):
        golden = load(f"{file}.describe")
        frames = {text: index for index, text in enumerate(golden["frames"])}
        for node in golden["nodes"]:
            if "error" in node["coarse"]:
                self.check_unknown(file, node["id"])
                continue
            for name, breakdown in DESCRIBED_BY.items():
                with self.subTest(node=node["id"], by=name):
                    answer = ubiheap("node", "--json", "--breakdown", text_of(breakdown), snapshot(file), node["id"])
                    ours = self.reshaped(answer["report"], name, frames)
                    self.assertEqual(text_of({"ok": ours}), text_of(node[name]))

    def check_unknown(self, file, node_id):
        command = [UBIHEAP, "node", "--json", str(snapshot(file)), str(node_id)]
        done = subprocess.run(command, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(f"no node has the id {node_id}".encode(), done.stderr)

    def test_nodes_of_tiny_before(self):
        self.check("tiny-before")

    def test_nodes_of_tiny_after(self):
        self.check("tiny-after")

    def test_nodes_of_a_scoped_file(self):
        self.check("unreachable")


if __name__ == "__main__":
    if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
        print("skipped: UBIHEAP does not name the tool")
        sys.exit(77)
    unittest.main()
