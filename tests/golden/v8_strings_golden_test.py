# SPDX-License-Identifier: MIT
"""Duplicate strings, allocations and samples of V8 snapshots against what Chrome's DevTools gave for the same files.

tests/data/v8/README.md says how the golden files were made. Every number, text and the order must be equal.
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
FIXTURES = ["node20-before", "node20-after", "chromium-detached", "chromium-alloc"]


def ask(*arguments):
    done = subprocess.run([UBIHEAP, *arguments], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode("utf-8", "replace"))
    return json.loads(done.stdout)


def golden(name):
    return json.loads((DATA / f"{name}.golden.json").read_text())


def snapshot(name):
    return str(DATA / f"{name}.heapsnapshot.gz")


class Strings(unittest.TestCase):
    def test_duplicates_are_those_of_devtools_in_their_order(self):
        keys = ["value", "count", "totalSelfSize", "totalRetainedSize", "truncated"]
        for name in FIXTURES:
            with self.subTest(name):
                expected = golden(name)["duplicateStrings"]
                self.assertTrue(expected)
                ours = ask("strings", "--duplicates", "--sort", "retained", "--limit", "0", "--json", snapshot(name))
                self.assertEqual([{k: row[k] for k in keys} for row in ours["strings"][:50]], expected)
                if len(expected) < 50:
                    self.assertEqual(len(ours["strings"]), len(expected))

    def test_all_duplicates_together_are_what_devtools_filter_shows(self):
        for name in FIXTURES:
            with self.subTest(name):
                expected = golden(name)["filters"]["duplicatedStrings"]
                ours = ask("strings", "--json", snapshot(name))["duplicates"]
                self.assertEqual(ours, {"count": expected["objects"], "bytes": expected["selfSize"]})

    def test_totals_add_up(self):
        for name in FIXTURES:
            with self.subTest(name):
                ours = ask("strings", "--limit", "0", "--json", snapshot(name))
                rows = ours["strings"]
                self.assertEqual(len(rows), ours["textCount"])
                self.assertEqual(sum(row["count"] for row in rows), ours["withText"]["count"])
                self.assertEqual(sum(row["totalSelfSize"] for row in rows), ours["withText"]["bytes"])
                self.assertEqual(sum(row["wastedSize"] for row in rows), ours["wastedSize"])
                self.assertEqual(sum(one["count"] for one in ours["lengths"]), ours["withText"]["count"])
                self.assertEqual(len({row["value"] for row in rows}), len(rows))

    def test_conditions_choose_nodes_and_lengths_choose_texts(self):
        some = ask("strings", "--min-length", "100", "--limit", "0", "--json", snapshot("node20-before"))["strings"]
        self.assertTrue(some)
        self.assertTrue(all(row["length"] >= 100 for row in some))
        one = some[0]["exampleId"]
        rows = ask("strings", "--where", f"id == {one}", "--json", snapshot("node20-before"))["strings"]
        self.assertEqual([(row["exampleId"], row["count"]) for row in rows], [(one, 1)])


class Allocations(unittest.TestCase):
    def test_functions_are_those_of_devtools_in_their_order(self):
        ours = ask("allocations", "--limit", "0", "--json", snapshot("chromium-alloc"))
        self.assertEqual(ours["functions"], golden("chromium-alloc")["allocationTops"])
        self.assertTrue(ours["hasHistory"])

    def test_samples_are_those_of_devtools(self):
        samples = ask("allocations", "--json", snapshot("chromium-alloc"))["samples"]
        self.assertEqual({"timestamps": [one["timestamp"] for one in samples],
                          "lastAssignedIds": [one["lastAssignedId"] for one in samples],
                          "sizes": [one["size"] for one in samples]}, golden("chromium-alloc")["samples"])

    def test_callers_of_a_function_account_for_all_of_it(self):
        numbers = ["count", "size", "liveCount", "liveSize"]
        for function in ask("allocations", "--callers", "9", "--json", snapshot("chromium-alloc"))["functions"]:
            first = [row for row in function["callers"] if row["calls"] is None]
            if first:
                self.assertEqual([sum(row[n] for row in first) for n in numbers], [function[n] for n in numbers])
            for i, row in enumerate(function["callers"]):
                self.assertLess(-1 if row["calls"] is None else row["calls"], i)

    def test_a_file_without_stacks_has_none(self):
        ours = ask("allocations", "--json", snapshot("node20-before"))
        self.assertEqual((ours["hasHistory"], ours["functions"], ours["samples"]), (False, [], []))


if __name__ == "__main__":
    if not UBIHEAP:
        sys.exit("UBIHEAP is not set")
    unittest.main()
