# SPDX-License-Identifier: MIT
"""Real files against a plain reading of them: nodes, edges with their names, sizes, what is retained, ids that stay."""
import collections
import json
import unittest

import jsc_files as jsc

KINDS = {"Internal": "internal", "Property": "property", "Index": "element", "Variable": "context"}


class Plain(unittest.TestCase):
    def test_counts_and_sizes_are_those_of_the_file(self):
        for name in jsc.FILES:
            heap = jsc.Heap(jsc.load(name))
            info = json.loads(jsc.run("info", "--json", jsc.path_of(name)))
            self.assertEqual((info["nodeCount"], info["edgeCount"]), (len(heap.ids), len(heap.edges)), name)
            rows = [line.split("\t") for line in jsc.run("nodes", "-c", "id,rawSize,edgeCount", jsc.path_of(name)).splitlines()]
            self.assertEqual([[int(cell) for cell in row] for row in rows[1:]],
                             [[id, size, len(out)] for id, size, out in zip(heap.ids, heap.sizes, heap.out)], name)

    def test_edges_keep_their_ends_and_names(self):
        """As lines of JSON; of one node, edges with a name come first, and keep their order otherwise."""
        for name in jsc.FILES:
            heap = jsc.Heap(jsc.load(name))
            expected = [[] for _ in heap.ids]
            for with_name in (True, False):
                for source, target, kind, label in heap.edges:
                    if (kind != "Internal") == with_name:
                        expected[source].append((heap.ids[target], KINDS[kind], label))
            lines = [json.loads(line) for line in jsc.run("convert", "-f", "jsonl", jsc.path_of(name), "-").splitlines()]
            found = {line["id"]: [(edge["to"], edge["kind"], edge.get("name", edge.get("index"))) for edge in line["edges"]]
                     for line in lines if line["record"] == "node"}
            for node, edges in zip(heap.ids, expected):
                self.assertEqual(found[node], edges, f"{name}: {node}")

    def test_retained_sizes_are_those_of_the_plain_rule(self):
        for name in jsc.FILES:
            heap = jsc.Heap(jsc.load(name))
            sizes, dominator = heap.retained()
            rows = [line.split("\t") for line in
                    jsc.run("nodes", "-c", "id,retainedSize,dominator", jsc.path_of(name)).splitlines()[1:]]
            for node, (id, size, owner) in enumerate(rows):
                self.assertEqual((int(id), int(size)), (heap.ids[node], sizes[node]), f"{name}: node {node}")
                if node != heap.root:
                    self.assertEqual(int(owner), heap.ids[dominator[node]], f"{name}: node {node}")

    def test_classes_of_a_summary_add_up(self):
        for name in jsc.FILES:
            heap = jsc.Heap(jsc.load(name))
            counted = collections.Counter(name for name, size in zip(heap.classes, heap.sizes) if size)
            summary = json.loads(jsc.run("summary", "--json", "--limit", "0", jsc.path_of(name)))
            found = collections.Counter()
            for row in summary["classes"]:
                found[{"bigint": "BigInt"}.get(row["name"], row["name"])] += row["count"]
            self.assertEqual(found, counted, name)

    def test_ids_of_one_process_stay_and_addresses_do(self):
        for kind in ("inspector", "gcdebugging"):
            before, after = (jsc.Heap(jsc.load(f"{kind}-{when}")) for when in ("before", "after"))
            classes = dict(zip(after.ids, after.classes))
            for id, name in zip(before.ids, before.classes):
                self.assertEqual(classes[id], name)
            new = collections.Counter(name for id, name in zip(after.ids, after.classes) if id not in set(before.ids))
            self.assertEqual(new["Point"], 20)
            diff = jsc.run("diff", jsc.path_of(f"{kind}-before"), jsc.path_of(f"{kind}-after"))
            self.assertRegex(diff, r"\+20 +20 +Point \(object\)")


if __name__ == "__main__":
    unittest.main()
