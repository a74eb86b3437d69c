# SPDX-License-Identifier: MIT
"""The fast reader against the plain one: real files, random ones, and the same written in other ways."""

import json
import os
import random
import unittest

import v8_files as v8

DEEP = bool(os.environ.get("UBI_DEEP"))


class Differential(unittest.TestCase):
    def test_real_files_give_the_plain_readers_graph_on_one_and_two_threads_and_in_pieces(self):
        for name in v8.FIXTURES:
            with self.subTest(name):
                [result] = v8.read_all([v8.fixture(name)], "--plain", "--variants")
                self.assertEqual(result.status, 0)

    def test_small_files_of_each_version(self):
        cases = [v8.small(version).bytes(newlines=newlines) for version in v8.NODE_FIELDS for newlines in (False, True)]
        for result in v8.read_all(cases, "--plain", "--variants"):
            self.assertEqual((result.status, result.nodes, result.edges), (0, 9, 11), result.text)

    def test_random_snapshots(self):
        cases = [v8.random_snapshot(rng).bytes() for rng in v8.seeds(3000 if DEEP else 400)]
        for result in v8.read_all(cases, "--plain", "--variants"):
            self.assertEqual(result.status, 0, result.text)

    def test_random_white_space_and_order_of_sections(self):
        cases = []
        for rng in v8.seeds(2000 if DEEP else 300):
            tree = v8.random_snapshot(rng).tree()
            order = list(tree)
            rng.shuffle(order)
            cases.append(v8.write(tree, order=order, rng=rng))
        for result in v8.read_all(cases, "--plain", "--variants"):
            self.assertEqual(result.status, 0, result.text)

    def test_a_real_file_in_another_order_and_pretty_printed(self):
        tree = json.loads(v8.fixture("node20-after"))
        alloc = json.loads(v8.fixture("chromium-alloc"))
        cases = [v8.write(tree, order=["strings", "locations", "edges", "nodes", "snapshot"]),
                 v8.write(tree, order=["strings", "snapshot", "edges", "nodes", "locations"]),
                 v8.write(alloc, indent=1),
                 v8.write(alloc, order=reversed(list(alloc)), rng=random.Random(1))]
        for result in v8.read_all(cases, "--plain"):
            self.assertEqual(result.status, 0, result.text)

    def test_random_numbers_are_judged_alike(self):
        """One number or character of a small file is replaced: the verdict is the plain reader's."""
        cases = []
        for rng in v8.seeds(4000 if DEEP else 800):
            tree = v8.random_snapshot(rng).tree()
            for _ in range(rng.choice([1, 1, 2])):
                key = rng.choice([k for k in tree if k not in ("snapshot", "strings", "trace_tree") and tree[k]])
                tree[key][rng.randrange(len(tree[key]))] = rng.choice(
                    [0, 1, 6, 7, 14, 255, 10 ** 8, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, 2 ** 62, -1, 1.5, 1e300, "x", None,
                     []])
            cases.append(v8.write(tree))
        cases = [c for c in cases if unique_ids(c)]
        results = v8.read_all(cases, "--plain")
        self.assertGreater(sum(r.status != 0 for r in results), len(cases) // 3)


def unique_ids(case):
    tree = json.loads(case)
    fields = tree["snapshot"]["meta"]["node_fields"]
    ids = tree["nodes"][fields.index("id")::len(fields)]
    return len(set(map(str, ids))) == len(ids)


if __name__ == "__main__":
    unittest.main()
