#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/run.py with programs that only say what they were asked: what is run, what is not run again, and what is said."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
PROGRAMS = ("load_bench", "census_bench", "dominators_bench", "paths_bench", "save_bench")
# Notes what it was called with, and fails when the file `fail` names it.
PROGRAM = """#!/bin/sh
here=${0%/*}
for last; do :; done
echo "${0##*/} ${last##*/}" >>"$here/called"
[ ! -f "$here/fail" ] || [ "$(cat "$here/fail")" != "${0##*/} ${last##*/}" ] || exit 5
row=${0##*/}
echo "{\\"file\\":\\"${last##*/}\\",\\"row\\":\\"${row%_bench}\\",\\"threads\\":1,\\"wallNs\\":7,\\"nodes\\":9,\\"edges\\":9," \\
    "\\"temporaryBytes\\":1,\\"resultBytes\\":1,\\"nodesBytes\\":1,\\"edgesBytes\\":1,\\"indexBytes\\":1,\\"stringsBytes\\":1," \\
    "\\"stacksBytes\\":1,\\"inflatedBytes\\":1}"
"""
GENERATE = """#!/bin/sh
for last; do :; done
echo made >"$last"
"""


class BenchRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ubiheap-bench-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs = self.folder / "build" / "bench"
        self.programs.mkdir(parents=True)
        for name in (*PROGRAMS, "generate"):
            path = self.programs / name
            path.write_text(GENERATE if name == "generate" else PROGRAM)
            path.chmod(0o755)

    def run_bench(self, *arguments, **variables):
        environment = {**os.environ, "BENCH_PARTS": "heaps", "BENCH_TRY": "1", "BENCH_FIREFOX": "no",
                       "BENCH_BUILD": str(self.folder / "build"), "BENCH_DATA": str(self.folder / "data"),
                       "BENCH_RESULTS": str(self.folder / "results"), **variables}
        return subprocess.run([sys.executable, str(SOURCE_DIR / "bench" / "run.py"), *arguments], env=environment,
                              cwd=self.folder, capture_output=True, text=True, check=False)

    def calls(self):
        path = self.programs / "called"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def test_files_are_made_all_programs_run_on_them_and_the_page_is_written(self):
        done = self.run_bench("mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        for program in PROGRAMS:
            self.assertIn(f"{program} browser-10k.fxsnapshot", calls)
        document = json.loads((self.folder / "results" / "mine.json").read_text())
        self.assertEqual(len(document["runs"]), len(calls))
        self.assertEqual(document["madeBy"], "BENCH_PARTS=heaps BENCH_TRY=1 make bench")
        self.assertIsNone(document["firefox"])
        self.assertIn("Numbers of the run `mine`", (self.folder / "data" / "performance.md").read_text())

    def test_how_long_it_takes_is_said_before_anything_is_run(self):
        (self.programs / "fail").write_text("load_bench tiny-before.fxsnapshot")
        done = self.run_bench()
        first = done.stderr.split("[1/")[0]
        self.assertRegex(first, r"heaps +about +\d+ (s|min), \d+ steps")
        self.assertRegex(first, r"together +about +\d+ (s|min)")

    def test_a_run_that_was_interrupted_continues_and_repeats_nothing(self):
        (self.programs / "fail").write_text("census_bench list-10k.fxsnapshot")
        done = self.run_bench()
        self.assertEqual(done.returncode, 1)
        self.assertIn("BENCH_RESUME=1 goes on from here", done.stderr)
        before = self.calls()
        (self.programs / "fail").unlink()
        done = self.run_bench(BENCH_RESUME="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        after = self.calls()
        self.assertEqual(set(before) & set(after), {"load_bench list-10k.fxsnapshot", "census_bench list-10k.fxsnapshot"})
        runs = json.loads((self.folder / "results" / "latest.json").read_text())["runs"]
        said = sorted(f"{run['row']}_bench {run['file']}" for run in runs)
        self.assertEqual(said, sorted(set(before) | set(after)))

    def test_a_part_that_there_is_not_and_a_program_that_is_missing_are_reported(self):
        done = self.run_bench(BENCH_PARTS="heaps moon")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no part is called moon; there are heaps, quickjs", done.stderr)
        (self.programs / "save_bench").unlink()
        self.assertIn("save_bench is missing; `make bench` builds it", self.run_bench().stderr)


if __name__ == "__main__":
    unittest.main()
