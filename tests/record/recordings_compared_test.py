#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`diff` of recordings of programs that were rebuilt, are loaded elsewhere, are optimized otherwise: what changed, and what did not; and
conditions on both, which do not pass where a recording cannot tell."""
import json
import subprocess
import unittest

import record_place

# The new version has functions in another order, so that addresses and lines are others; frame layouts and inlining are of the compiler.
OLD = """
#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) void index_words(int n) { for (int i = 0; i < n; i++) kept = malloc(100); }
static void load(void) { kept = malloc(5000); }
__attribute__((noinline)) void gone(void) { kept = malloc(700); }
__attribute__((noinline)) void freed(int n) { for (int i = 0; i < n; i++) { kept = malloc(64); free(kept); } }
int main(void) { load(); index_words(10); gone(); freed(50); return 0; }
"""
NEW = """
#include <stdlib.h>
/* More code in front of all. */
static void *volatile kept;
__attribute__((noinline)) int padding(int x) { for (int i = 0; i < x; i++) x ^= i * 31; return x; }
__attribute__((noinline)) void freed(int n) { for (int i = 0; i < n; i++) { kept = malloc(64); free(kept); } }
__attribute__((noinline)) void came(void) { kept = malloc(33); }
static void load(void) { kept = malloc(5000); }
__attribute__((noinline)) void index_words(int n) { for (int i = 0; i < n; i++) kept = malloc(100); }
int main(int argc, char **argv) { (void)argv; padding(argc); load(); index_words(17); came(); freed(100); return 0; }
"""


class Compared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = record_place.Place(cls)
        cls.programs = {}
        for name, text in (("old", OLD), ("new", NEW)):
            source = cls.place.folder / f"{name}.c"
            source.write_text(text)
            options = ("-O0",) if name == "old" else ("-O2", "-fno-inline-small-functions")
            cls.programs[name] = cls.place.compile(name, *options, source=source)
            cls.record(name, f"{name}.ubirec")
        cls.record("old", "again.ubirec")

    @classmethod
    def record(cls, name, output, options=("--exact",)):
        done = cls.place.record(cls.programs[name], output=output, options=options)
        assert done.returncode == 0, done.stderr

    @classmethod
    def addCleanup(cls, function, *arguments, **named):  # as record_place.Place asks a test
        cls.addClassCleanup(function, *arguments, **named)

    def ask(self, *arguments):
        return subprocess.run([record_place.UBIHEAP, *arguments], cwd=self.place.folder, capture_output=True, text=True,
                              env=self.place.environment)

    def changes(self, *arguments):
        done = self.ask("diff", "--json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(done.stdout)
        return document, {place["function"]: (place["old"]["bytes"], place["new"]["bytes"]) for place in document["places"]
                          if place["growth"]}

    def test_another_run_of_the_same_program_changes_nothing(self):
        for by in ("leaked", "peak", "total", "count", "temporary"):
            document, changes = self.changes("--by", by, "old.ubirec", "again.ubirec")
            self.assertEqual(changes, {}, by)
            self.assertGreaterEqual(document["placeCount"], 4)

    def test_a_rebuilt_program_is_compared_by_names(self):
        document, changes = self.changes("--by", "leaked", "old.ubirec", "new.ubirec")
        self.assertEqual(changes, {"index_words": (1000, 1700), "gone": (700, 0), "came": (0, 33)})
        self.assertEqual([place["function"] for place in document["places"]][:2], ["index_words", "came"])
        self.assertEqual(document["places"][-1]["function"], "gone")
        first = document["places"][0]
        self.assertEqual(first["stacks"][0]["functions"][:2], ["index_words", "main"])
        self.assertEqual((first["stacks"][0]["old"], first["stacks"][0]["new"], first["stackCount"]), (1000, 1700, 1))
        self.assertTrue(first["file"].endswith("new.c") and first["line"] == 9 and first["certain"])
        load = [place for place in document["places"] if place["function"] == "load"]
        self.assertEqual([(place["old"]["bytes"], place["new"]["bytes"]) for place in load], [(5000, 5000)])  # inlined or not
        _, changes = self.changes("--by", "temporary", "old.ubirec", "new.ubirec")
        self.assertEqual(changes, {"freed": (3200, 6400)})

    def test_numbers_per_allocation(self):
        document, _ = self.changes("--by", "total", "--per", "allocation", "old.ubirec", "new.ubirec")
        old, new = (document[side]["total"]["count"] for side in ("old", "new"))
        words = [place for place in document["places"] if place["function"] == "index_words"][0]
        self.assertAlmostEqual(words["growth"], 1700 / new - 1000 / old)
        document, _ = self.changes("--by", "total", "--per", "second", "old.ubirec", "new.ubirec")
        seconds = [document[side]["durationMs"] / 1000 for side in ("old", "new")]
        words = [place for place in document["places"] if place["function"] == "index_words"][0]
        self.assertAlmostEqual(words["growth"], 1700 / seconds[1] - 1000 / seconds[0], delta=1e-3 / min(seconds))

    def test_pages(self):
        page = self.ask("diff", "old.ubirec", "new.ubirec").stdout
        self.assertRegex(page, r"What grew, by bytes not freed\n +Change +Old +New  Place, and who called it\n +\+700 B +1000 B +1\.66 KiB  index_words\n    new\.c:9 ← main\n")
        self.assertRegex(page, r"What shrank\n.*\n +-700 B +700 B +-  gone\n    old\.c:6 ← main\n")
        narrow = subprocess.run([record_place.UBIHEAP, "diff", "old.ubirec", "new.ubirec"], cwd=self.place.folder, capture_output=True, text=True,
                                env={**self.place.environment, "COLUMNS": "40"}).stdout
        self.assertLessEqual(max(map(len, narrow.partition("\nNext")[0].splitlines())), 40)

    def judge(self, condition, *files):
        done = self.ask("diff", "--fail-on", condition, *files)
        return done.returncode, done.stderr

    def test_conditions_judge_both(self):
        both = ("old.ubirec", "new.ubirec")
        for condition, status in (("leakedGrowth > 32", 1), ("leakedGrowth > 33", 0), ("leakedGrowth > 0.4%", 1), ("leakedGrowth > 0.6%", 0),
                                  ("newPlaces > 0", 1), ("newPlaces > 1", 0), ("leaked > 6732", 1), ("leaked > 6733", 0),
                                  ("countGrowth > 50", 1), ("temporaryGrowth >= 100%", 1), ("temporaryGrowth > 100%", 0)):
            with self.subTest(condition=condition):
                self.assertEqual(self.judge(condition, *both)[0], status)
        self.assertEqual(self.judge("leakedGrowth < 0", "new.ubirec", "old.ubirec")[0], 1)
        self.assertEqual(self.judge("leakedGrowth != 0 or countGrowth != 0 or newPlaces > 0", "old.ubirec", "again.ubirec")[0], 0)
        _, said = self.judge("leakedGrowth > 0.4% and newPlaces > 0", *both)
        self.assertEqual(said, "ubiheap: diff: condition holds: leakedGrowth > 0.4% and newPlaces > 0; leakedGrowth is 33 B (0.5% of 6.54 KiB), "
                               "newPlaces is 1\n")

    def test_what_cannot_be_judged_does_not_pass(self):
        data = (self.place.folder / "new.ubirec").read_bytes()
        (self.place.folder / "cut.ubirec").write_bytes(data[:len(data) // 2])
        for files in (("old.ubirec", "cut.ubirec"), ("cut.ubirec", "new.ubirec")):
            for condition in ("leakedGrowth > 1GiB", "peakGrowth > 1GiB", "newPlaces > 1000"):
                status, said = self.judge(condition, *files)
                self.assertEqual(status, 3, said)
                self.assertRegex(said, "cannot tell whether the condition holds: .* is unknown, because the recording has no end")
        self.record("new", "sampled.ubirec", options=("--period", "64KiB"))
        for condition, why in (("leakedGrowth > 1KiB", "because the recordings are samples"), ("newPlaces > 0", "because sampling may have missed what there was")):
            status, said = self.judge(condition, "old.ubirec", "sampled.ubirec")
            self.assertEqual(status, 3, said)
            self.assertIn(why, said)
        self.assertEqual(self.judge("leakedGrowth > 1GiB", "old.ubirec", "sampled.ubirec")[0], 0)

    def test_suppressions_count_for_both(self):
        (self.place.folder / "known.supp").write_text("leak:came\n")
        done = self.ask("diff", "--suppress", "known.supp", "--fail-on", "newPlaces > 0", "old.ubirec", "new.ubirec")
        self.assertEqual(done.returncode, 0)
        self.assertIn("NEW: suppressed 33 B in 1 allocation, by 1 of 1 suppression", done.stdout.replace("suppressions", "suppression"))

    def test_mistakes(self):
        for arguments, message in ((["--by", "class"], "--by class is for heaps"), (["--tree"], "--tree is for heaps"),
                                   (["-b", "count"], "--breakdown is for heaps"), (["--fail-on", "growth > 1"], "unknown name 'growth'")):
            done = self.ask("diff", *arguments, "old.ubirec", "new.ubirec")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
