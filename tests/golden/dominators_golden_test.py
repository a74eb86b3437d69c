# SPDX-License-Identifier: MIT
"""Dominators and retained sizes against the answers that Firefox ESR 153.7 gave for the same files.

Files and answers: tests/data/fx/README.md. Among dominated nodes of equal retained size Firefox's order is that of an
unstable sort; up to 16 entries it is stable, and then ours must be the same.
"""
import gzip
import hashlib
import itertools
import json
import os
import pathlib
import subprocess
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "fx"
DRIVER = pathlib.Path(os.environ.get("UBI_BUILD_DIR", "build/release")) / "tests" / "dominators_driver"
STABLE_ENTRIES = 16
SNAPSHOTS = ("tiny-before", "tiny-after", "unreachable")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Tree:
    """Our dominator tree of a file: rows by id."""

    def __init__(self, file, *ids):
        done = subprocess.run([DRIVER, file, *map(str, ids)], capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        self.found = {int(line.split()[0]): line.endswith(" found") and "not" not in line for line in lines[len(lines) - len(ids):]}
        self.rows = {}
        for line in lines[:len(lines) - len(ids)]:
            node, idom, retained, shallow, n_children, *children = line.split()
            self.rows[int(node)] = {
                "id": int(node), "idom": None if idom == "-" else int(idom), "retained": int(retained),
                "shallow": int(shallow), "childCount": int(n_children), "children": list(map(int, children)),
            }
        self.root = next(iter(self.rows))

    def in_tree(self):
        return [row for row in self.rows.values() if row["idom"] is not None or row["id"] == self.root]

    def listing(self):
        """As tests/data/fx/golden/*.domlines.txt.gz."""
        return "".join(f'{row["id"]} {"-" if row["idom"] is None else row["idom"]} {row["retained"]}\n'
                       for row in sorted(self.in_tree(), key=lambda row: row["id"]))


class Golden(unittest.TestCase):
    maxDiff = 2000

    def check_children(self, tree, ours, children, retained):
        """The same sequence of sizes, and within equal sizes the same nodes: some of them where the list was cut."""
        n_entries = ours["childCount"] + (ours["id"] == tree.root)
        self.assertEqual([tree.rows[child]["retained"] for child in ours["children"]], retained)
        if n_entries <= STABLE_ENTRIES:
            self.assertEqual(ours["children"], children)
            return
        self.assertTrue(all(tree.rows[child]["idom"] == ours["id"] for child in children))
        cut = retained[-1] if ours["childCount"] > len(children) else None
        for size, group in itertools.groupby(zip(retained, children, ours["children"]), key=lambda entry: entry[0]):
            entries = list(group)
            if size != cut:
                self.assertEqual({entry[1] for entry in entries}, {entry[2] for entry in entries})

    def check_details(self, name):
        golden = load(DATA / "golden" / f"{name}.dominators.json")
        tree = Tree(DATA / f"{name}.fxsnapshot")
        self.assertEqual(tree.root, golden["root"])
        self.assertEqual(tree.rows[tree.root]["retained"], golden["rootRetained"])
        self.assertIsNone(golden["rootIdom"])
        self.assertEqual(len(tree.in_tree()), golden["nodeCount"])
        for wanted in golden["top"]:
            ours = tree.rows[wanted["id"]]
            with self.subTest(name, id=wanted["id"]):
                for key in ("shallow", "retained", "idom", "childCount"):
                    self.assertEqual(ours[key], wanted[key], key)
                self.check_children(tree, ours, wanted["children"], wanted["childRetained"])
        largest = sorted((row["retained"] for row in tree.in_tree()), reverse=True)
        self.assertEqual(largest[:len(golden["top"])], [wanted["retained"] for wanted in golden["top"]])

    def test_the_largest_nodes_and_what_they_dominate_are_firefoxs(self):
        for name in SNAPSHOTS:
            self.check_details(name)

    def test_every_node_has_firefoxs_dominator_and_retained_size(self):
        for name in SNAPSHOTS:
            with self.subTest(name):
                listing = Tree(DATA / f"{name}.fxsnapshot").listing()
                with gzip.open(DATA / "golden" / f"{name}.domlines.txt.gz", "rt", encoding="ascii") as file:
                    self.assertEqual(listing, file.read())
                wanted = load(DATA / "golden" / f"{name}.dominators.json")["fullTreeSha256"]
                self.assertEqual(hashlib.sha256(listing.encode()).hexdigest(), wanted)

    def test_an_id_that_firefox_does_not_know_is_not_found(self):
        for name in SNAPSHOTS:
            golden = load(DATA / "golden" / f"{name}.dominators.json")
            self.assertEqual(golden["unknownId"]["getRetainedSize"], {"ok": None})
            tree = Tree(DATA / f"{name}.fxsnapshot", 12345, golden["root"])
            self.assertEqual(tree.found, {12345: False, golden["root"]: True})

    def test_unreachable_nodes_of_a_real_file_retain_nothing(self):
        tree = Tree(DATA / "unreachable.fxsnapshot")
        outside = [row for row in tree.rows.values() if row["idom"] is None and row["id"] != tree.root]
        self.assertEqual(len(outside), 852)
        self.assertTrue(all(row["retained"] == 0 and row["children"] == [] for row in outside))


def answers(rows):
    """By id; sizes as JavaScript numbers, since that is what Firefox answers."""
    return {row["id"]: (row["idom"], float(row["retained"]), row["children"]) for row in rows}


class Crafted(unittest.TestCase):
    def check_probe(self, tree, node, wanted):
        ours = tree.rows.get(node)
        if ours is None:
            self.assertEqual((wanted["retained"], wanted["idom"], wanted["dominated"]), (None, None, None))
            return
        self.assertEqual((float(ours["retained"]), ours["idom"]), (float(wanted["retained"]), wanted["idom"]))
        if isinstance(wanted["dominated"], list):  # else it was not asked, because that crashes Firefox
            self.assertEqual(ours["children"], wanted["dominated"])

    def test_every_crafted_file_has_firefoxs_dominators(self):
        n_files = 0
        for name, wanted in load(DATA / "crafted" / "expected.json").items():
            if "dominators" not in wanted or not (DATA / "crafted" / f"{name}.fxsnapshot").exists():
                continue
            with self.subTest(name):
                tree = Tree(DATA / "crafted" / f"{name}.fxsnapshot")
                n_files += 1
                self.assertEqual(tree.root, wanted["root"])
                self.assertEqual(answers(tree.in_tree()), answers(wanted["dominators"]))
                for node, probe in wanted.get("probe", {}).items():
                    self.check_probe(tree, int(node), probe)
        self.assertGreater(n_files, 20)


if __name__ == "__main__":
    unittest.main()
