# SPDX-License-Identifier: MIT
"""Diffs of two snapshots and their trees against the answers that Firefox ESR 153.7 gave for the same files.

Files and answers: tests/data/fx/README.md; how a Map is compared: census_golden_test.py. After that change of shape the
JSON texts must be equal byte for byte. The last case says where the default differs from `--compat firefox`.
"""
import json
import os
import subprocess
import sys
import unittest

from census_golden_test import DATA, UBIHEAP, frame_indexes, load, map_keys, rows_below, snapshot, text_of, tree_reshaped


def ask(*options, compat=True, files=("tiny-before", "tiny-after")):
    """The document for a pair of files."""
    command = [UBIHEAP, "diff", "--json", *(["--compat", "firefox"] if compat else []), *options]
    done = subprocess.run([*command, *(str(snapshot(name)) for name in files)], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode("utf-8", "replace"))
    return json.loads(done.stdout)


def reshaped(delta, frame_key):
    """A delta of ours in the shape of the answers. No empty Map and no list of ids is among them."""
    if isinstance(delta, list):
        return {"$map": [[map_keys(entry["stack"], frame_key), reshaped(entry["report"], frame_key)]
                         for entry in delta]}
    if isinstance(delta, dict):
        return {key: reshaped(value, frame_key) for key, value in delta.items()}
    return delta


class Diffs(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.golden = load(DATA / "golden" / "tiny-before.diff.json")
        cls.diffs = {name: diff for name, diff in cls.golden["diffs"].items() if "delta" in diff}
        cls.trees = {name: tree for name, tree in cls.golden["diffs"].items() if "delta" not in tree}
        cls.frame_key = staticmethod(frame_indexes(cls.golden))

    def delta(self, name, compat=True, **options):
        return ask("-b", text_of(self.diffs[name]["breakdown"]), compat=compat, **options)

    def test_every_delta_is_firefoxs(self):
        self.assertEqual(set(self.diffs),
                         {"count", "coarse", "objectClass", "internalType", "allocationStack", "filename", "stackClass"})
        for name, wanted in self.diffs.items():
            with self.subTest(name):
                document = self.delta(name)
                self.assertEqual(text_of(reshaped(document["delta"], self.frame_key)), text_of(wanted["delta"]))
                for key in ("basisTotalBytes", "basisTotalCount"):
                    self.assertEqual(document[key], wanted[key])

    def tree(self, name, compat=True):
        options = {"coarseTree": ["--tree"], "coarseTreeInverted": ["--inverted"]}[name]
        return ask("-b", text_of(self.diffs["coarse"]["breakdown"]), *options, compat=compat)["tree"]

    def test_every_tree_of_a_delta_is_firefoxs(self):
        self.assertEqual(set(self.trees), {"coarseTree", "coarseTreeInverted"})
        for name, wanted in self.trees.items():
            with self.subTest(name):
                self.assertEqual(text_of(tree_reshaped(self.tree(name), self.frame_key)), text_of(wanted))

    def test_only_inverted_trees_differ_by_default(self):
        for name in self.diffs:
            with self.subTest(name):
                self.assertEqual(text_of(self.delta(name, compat=False)), text_of(self.delta(name)))
        self.assertEqual(self.tree("coarseTree", compat=False), self.tree("coarseTree"))
        self.assertNotEqual(self.tree("coarseTreeInverted", compat=False), self.tree("coarseTreeInverted"))

    def test_the_way_back_has_the_opposite_numbers(self):
        def leaves(delta, path=()):
            if isinstance(delta, dict) and set(delta) == {"count", "bytes"}:
                yield path, (delta["count"], delta["bytes"])
                return
            pairs = delta.items() if isinstance(delta, dict) else [(text_of(e["stack"]), e["report"]) for e in delta]
            for key, part in pairs:
                yield from leaves(part, (*path, key))

        for name in self.diffs:
            there, back = (dict(leaves(self.delta(name, files=files)["delta"]))
                           for files in (("tiny-before", "tiny-after"), ("tiny-after", "tiny-before")))
            with self.subTest(name):
                self.assertEqual({path: (-count, -size) for path, (count, size) in there.items()}, back)

    def test_both_views_have_the_same_totals(self):
        by_class = ask("--by", "class", compat=False)
        document = self.delta("count")
        for side in ("old", "new"):
            self.assertEqual(by_class[side], document[side])
            for key in ("count", "bytes"):
                self.assertEqual(sum(row[side][key] for row in by_class["byClass"]), document[side][key])
        self.assertEqual(document["delta"], {key: document["new"][key] - document["old"][key] for key in ("count", "bytes")})

    def test_the_burst_between_the_two_snapshots_is_found(self):
        """tests/data/fx/README.md: 50 LegacyCtor, 50 Point, 50 plain objects, 20 strings, 64 KiB; 60 list nodes gone."""
        tree = ask("-b", "invertedAllocationStack", "--tree", "--inverted", compat=False)["tree"]
        sites = {}
        for row, depth in rows_below(tree):
            if depth == 1 and isinstance(row["name"], dict):
                name = row["name"]["functionDisplayName"]
                sites.setdefault(name, []).append((row["totalCount"], row["totalBytes"]))
        self.assertEqual(sorted(count for count, _ in sites["allocateBurst"]), [1, 50, 50, 50])
        self.assertEqual([count for count, _ in sites["makeList"]], [-60, -60])
        self.assertIn((-60, -3360), sites["makePoints"])
        self.assertTrue(any(size > 64 * 1024 for _, size in sites["burst"]))


if __name__ == "__main__":
    if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
        print(f"skipped: no {UBIHEAP or 'ubiheap'}")
        sys.exit(77)
    unittest.main(verbosity=1)
