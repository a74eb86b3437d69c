#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example programs run, and print what the tool says of the same heap."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ["UBI_BUILD_DIR"]) / "examples"
DATA = ROOT / "tests" / "data" / "fx"


def run(name, *arguments):
    return subprocess.run([str(PROGRAMS / name), *map(str, arguments)], capture_output=True, text=True, check=False)


class Examples(unittest.TestCase):
    def test_every_example_is_built_and_has_a_test_here(self):
        sources = {path.stem for path in (ROOT / "examples").glob("*.c")}
        self.assertEqual(sources, {"census", "diff", "save_heap", "walk_heap"})
        for name in sources:
            self.assertTrue(os.access(PROGRAMS / name, os.X_OK), name)

    def test_census_prints_the_ten_classes_that_firefox_counts_as_the_biggest(self):
        golden = json.loads((DATA / "golden" / "tiny-before.census.json").read_text())["census"]
        report = next(case["report"] for case in golden.values() if case["breakdown"] == {"by": "objectClass"})
        classes = [(entry["bytes"], entry["count"], name) for name, entry in report.items() if name != "other"]
        biggest = sorted((entry[0] for entry in classes), reverse=True)[:10]
        done = run("census", DATA / "tiny-before.fxsnapshot")
        header, *lines = done.stdout.splitlines()
        rows = [line.split(maxsplit=2) for line in lines]
        printed = [(int(size), int(count), name) for size, count, name in rows]
        self.assertEqual((done.returncode, done.stderr, header.split()), (0, "", ["bytes", "count", "class"]))
        self.assertEqual([row[0] for row in printed], biggest)
        self.assertLessEqual(set(printed), set(classes))

    def test_census_of_a_heap_without_objects_prints_the_header_alone(self):
        done = run("census", DATA / "crafted" / "ok-minimal.fxsnapshot")
        self.assertEqual((done.returncode, done.stderr, len(done.stdout.splitlines())), (0, "", 1))

    def test_census_says_in_one_line_what_is_wrong_with_its_input(self):
        for file, words in (("crafted/no-root.fxsnapshot", "the file ends at byte 10, before message 1, the root node"),
                            ("no-such-file", "cannot open")):
            with self.subTest(file):
                done = run("census", DATA / file)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"\Acensus: .*{file}: {words}[^\n]*\n\Z")

    def test_census_without_a_file_says_how_to_call_it(self):
        done = run("census")
        self.assertEqual((done.returncode, done.stderr), (2, "usage: census FILE\n"))

    def test_diff_prints_the_classes_that_changed_as_firefox_has_them(self):
        golden = json.loads((DATA / "golden" / "tiny-before.diff.json").read_text())["diffs"]["objectClass"]["delta"]
        wanted = [f'{change["bytes"]:+10} {change["count"]:+8}  {name}' for name, change in golden.items()
                  if change["bytes"] or change["count"]]
        done = run("diff", DATA / "tiny-before.fxsnapshot", DATA / "tiny-after.fxsnapshot")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines()[1:], wanted)
        self.assertGreater(len(wanted), 3)

    def test_diff_says_what_is_wrong_with_either_file_and_how_to_call_it(self):
        good = DATA / "tiny-before.fxsnapshot"
        for files in ((good, DATA / "no-such-file"), (DATA / "no-such-file", good)):
            done = run("diff", *files)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Adiff: .*no-such-file: cannot open[^\n]*\n\Z")
        self.assertEqual(run("diff", good).returncode, 2)

    def test_save_heap_writes_a_snapshot_of_all_or_of_one_tab(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "heap.fxsnapshot"
            for tab, printed, ids in (((), "7 nodes, 10 edges, 3 stack frames\n", [1000, 1008, 1016, 1024, 1032, 1040, 1048]),
                                      (("1",), "5 nodes, 5 edges, 2 stack frames\n", [1000, 1008, 1024, 1032, 1048])):
                done = run("save_heap", file, *tab)
                self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", printed))
                rows = subprocess.run([os.environ["UBIHEAP"], "nodes", "--json", "--columns", "id", str(file)],
                                      capture_output=True, check=True).stdout
                self.assertEqual(sorted(row[0] for row in json.loads(rows)["rows"]), ids)
            done = run("save_heap", Path(folder) / "no" / "such" / "folder")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Asave_heap: .*folder: cannot create: [^\n]*\n\Z")
            self.assertEqual(run("save_heap").returncode, 2)

    def test_walk_heap_counts_what_its_roots_reach(self):
        done = run("walk_heap")
        report, summary = done.stdout.splitlines()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(report), {
            "objects": {
                "Menu": {"count": 1, "bytes": 48},
                "Dish": {"count": 2, "bytes": 80},
                "Ingredient": {"count": 1, "bytes": 16},
                "Card": {"count": 1, "bytes": 32},
                "other": {"count": 0, "bytes": 0},
            },
            "scripts": {"count": 0, "bytes": 0},
            "strings": {"count": 1, "bytes": 24},
            "other": {},
            "domNode": {},
        })
        self.assertEqual(summary, "7 nodes, 8 edges")

    def test_a_leaked_reference_is_reported_as_the_how_to_page_shows_it(self):
        page = (ROOT / "docs" / "how-to" / "find-a-leaked-reference.md").read_text()
        shown = re.findall(r"^```text\n(ubiheap: this QuickJS .*?)^```$", page, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(shown), 2)
        for wanted, arguments in zip(shown, ((), ("--stacks",)), strict=True):
            done = run("leaked_reference", *arguments)
            self.assertEqual(done.stdout, "hello?\n")
            # An engine that was compiled with its assertions says so after the report, and aborts.
            report = re.sub(r"^leaked_reference: .*: Assertion .* failed\.\n\Z", "", done.stderr, flags=re.MULTILINE)
            without_numbers = [re.sub(r" +\d+\b", " 0", re.sub(r"0x[0-9a-f]+", "0x0", text)) for text in (wanted, report)]
            pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n"
                              for line in without_numbers[0].splitlines())
            self.assertRegex(without_numbers[1], rf"\A{pattern}\Z")


if __name__ == "__main__":
    unittest.main()
