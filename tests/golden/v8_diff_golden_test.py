# SPDX-License-Identifier: MIT
"""Comparison of two V8 snapshots by class, and what leaked between them, against what Chrome's DevTools gave for the same files.

tests/data/v8/README.md says how node20-diff.golden.json was made. Every row, all totals and the order must be equal.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "v8"
UBIHEAP = os.environ.get("UBIHEAP", "")
BEFORE, AFTER = (str(DATA / f"node20-{name}.heapsnapshot.gz") for name in ("before", "after"))


def run(*arguments):
    return subprocess.run([UBIHEAP, *arguments], capture_output=True)


def ask(*arguments):
    done = run(*arguments)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode("utf-8", "replace"))
    return json.loads(done.stdout)


def as_golden(row):
    """A row of ours in the shape of the golden file."""
    created, deleted = row["created"], row["deleted"]
    return {
        "key": f'{row.get("place", "")},{row["name"]}',
        "name": row["name"],
        "added": created["count"],
        "removed": deleted["count"],
        "delta": created["count"] - deleted["count"],
        "addedSize": created["bytes"],
        "removedSize": deleted["bytes"],
        "sizeDelta": created["bytes"] - deleted["bytes"],
    }


class ByClass(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.golden = json.loads((DATA / "node20-diff.golden.json").read_text())
        cls.document = ask("diff", "--json", "--by", "class", "--sort", "growth", BEFORE, AFTER)
        cls.rows = [as_golden(row) for row in cls.document["byClass"]]
        cls.changed = [row for row in cls.rows if row["added"] or row["removed"]]

    def test_every_row_in_order(self):
        self.assertEqual(self.changed, self.golden["classes"])

    def test_totals(self):
        for key, total in self.golden["totals"].items():
            self.assertEqual(sum(row[key] for row in self.rows), total, key)

    def test_the_leak_stands_out(self):
        [leak] = [row for row in self.rows if row["name"] == "LeakedThing"]
        self.assertEqual((leak["delta"], leak["sizeDelta"]), (300, 14400))

    def test_the_usual_order_is_by_what_changed_most(self):
        rows = [as_golden(row) for row in ask("diff", "--json", "--by", "class", BEFORE, AFTER)["byClass"]]
        self.assertEqual(sorted(map(str, rows)), sorted(map(str, self.rows)))
        changes = [abs(row["sizeDelta"]) for row in rows]
        self.assertEqual(changes, sorted(changes, reverse=True))

    def test_the_way_back_has_the_opposite_numbers(self):
        """Apart from the shapes of plain objects, which are those of the newer file."""
        back = {row["key"]: row for row in map(as_golden, ask("diff", "--json", "--by", "class", AFTER, BEFORE)["byClass"])}
        there = {row["key"]: row for row in self.rows}
        for key in back.keys() & there.keys():
            if "{" not in key and not key.endswith(",Object"):
                self.assertEqual(back[key]["delta"], -there[key]["delta"], key)

    def test_a_heap_does_not_differ_from_itself(self):
        for row in map(as_golden, ask("diff", "--json", "--by", "class", AFTER, AFTER)["byClass"]):
            self.assertEqual((row["added"], row["removed"]), (0, 0))


class Leaks(unittest.TestCase):
    """What leaked is what tests/data/v8/README.md says was added; the numbers of the class are DevTools'."""

    @classmethod
    def setUpClass(cls):
        cls.document = ask("leaks", "--json", BEFORE, AFTER)
        cls.after = json.loads((DATA / "node20-after.golden.json").read_text())
        cls.leak = cls.document["clusters"][0]

    def test_the_leaked_class_comes_first(self):
        self.assertEqual((self.leak["className"], self.leak["count"], self.leak["bytes"]), ("LeakedThing", 300, 14400))
        self.assertEqual({part["className"]: part["count"] for part in self.leak["keeps"]},
                         {"Array": 300, "Object": 300, "(string)": 300})
        self.assertTrue(self.document["sameRun"])

    def test_it_keeps_what_devtools_say(self):
        """All of the class but the one that was there before: the first in the file."""
        [row] = [row for row in self.after["aggregates"] if row["name"] == "LeakedThing"]
        older = self.after["leakedExamples"][0]["dominators"][0]
        self.assertEqual(self.leak["older"], row["count"] - self.leak["count"])
        self.assertEqual(self.leak["retainedSize"], row["maxRetained"] - older["retainedSize"])

    def test_its_holder_is_the_map_that_the_closure_captured(self):
        self.assertEqual(self.leak["holder"]["words"], "Map, variable registry of makeCache() (gen-leak.cjs:7)")
        self.assertFalse(self.leak["holder"]["isNew"])
        names = [step["retainerName"] for step in self.after["leakedExamples"][0]["shortestPath"]]
        self.assertIn("Map", names)
        self.assertIn("global.keepCacheAlive", self.leak["path"])

    def test_the_condition_of_a_job(self):
        done = run("leaks", "--fail-on", "count(LeakedThing) >= 300 and retained > 50KiB", BEFORE, AFTER)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"count(LeakedThing) is 300", done.stderr)
        self.assertEqual(run("leaks", "--fail-on", "count(LeakedThing) > 300", BEFORE, AFTER).returncode, 0)

    def test_a_heap_and_itself_cannot_be_judged(self):
        done = run("leaks", "--json", AFTER, AFTER, AFTER)
        document = json.loads(done.stdout)
        self.assertEqual((done.returncode, document["comparable"]), (3, False))
        self.assertEqual((document["clusters"], document["leaked"]["count"]), ([], 0))


if __name__ == "__main__":
    if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
        print(f"skipped: no {UBIHEAP or 'ubiheap'}")
        sys.exit(77)
    unittest.main(verbosity=1)
