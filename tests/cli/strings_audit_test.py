#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ubiheap strings --audit: every word that a file still has, none of an anonymized one, and what cannot be told."""
import collections
import json
import unittest

import leak_program
import workspace
from case_choice import some_of

SOURCES = ([workspace.DATA_UBIREC / f"{name}.ubirec" for name in workspace.RECORDINGS]
           + [workspace.DATA_TIMELINE / f"{name}.timeline" for name in workspace.TIMELINES if name != "killed"]
           + [workspace.DATA / f"{name}.fxsnapshot" for name in workspace.REAL]
           + [workspace.DATA_V8 / f"{name}.heapsnapshot.gz" for name in workspace.REAL_V8])


class Audits(unittest.TestCase):
    def setUp(self):
        self.place = workspace.Workspace()

    def run_tool(self, *arguments, status=0):
        done = self.place.ubiheap(*arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def audit(self, file, *options, status=0):
        return json.loads(self.run_tool("strings", "--audit", "--json", "--limit", "0", *options, file, status=status).stdout)

    def test_an_anonymized_file_has_no_words_but_replacements(self):
        for source in some_of(SOURCES, 6):
            with self.subTest(source=source.name):
                copy = "copy" + source.name.replace(".gz", "")[source.name.index("."):]
                self.run_tool("convert", "--anonymize", source, copy)
                before, after = self.audit(source), self.audit(copy)
                self.assertGreater(before["wordCount"], 0)
                self.assertEqual((before["replacedCount"], after["words"]), (0, []))
                self.assertEqual(after["wordCount"], 0)
                self.assertGreater(after["replacedCount"], 0)
                text = self.run_tool("strings", "--audit", copy).stdout.decode()
                self.assertRegex(text, r"\ANothing but words of the engine and [0-9,]+ replaced names?\.\n")
                self.run_tool("strings", "--audit", "--fail-on", "words > 0", copy)
                self.run_tool("strings", "--audit", "--fail-on", "words > 0", source, status=1)

    def test_words_come_with_a_count_and_a_place(self):
        words = {row["word"]: row for row in self.audit(workspace.DATA_UBIREC / "server.ubirec")["words"]}
        self.assertEqual(words["serve"], {"word": "serve", "group": "functions", "looksLike": "word", "texts": 1, "public": False,
                                          "kind": "function", "example": "serve(int)"})
        self.assertEqual(words["demo"]["example"], "/opt/demo/server")
        self.assertGreater(words["demo"]["texts"], 3)
        for word in ("main", "std", "malloc", "libstdc++", "usr"):
            self.assertNotIn(word, words)

    def test_all_shows_words_of_engines_and_libraries_too(self):
        document = self.audit(workspace.DATA_UBIREC / "server.ubirec", "--all")
        public = {row["word"] for row in document["words"] if row["public"]}
        self.assertLessEqual({"main", "std", "malloc"}, public)
        self.assertEqual(len(public), document["publicWordCount"])
        self.assertEqual(document["found"], document["wordCount"] + document["publicWordCount"])

    def test_nodes_own_names_are_no_words_of_the_program(self):
        words = {row["word"] for row in self.audit(workspace.DATA_V8 / "node20-after.heapsnapshot.gz")["words"]}
        for word in ("Readable", "Writable", "Socket", "EventEmitter", "Timeout", "_onTimeout", "_events", "global"):
            self.assertNotIn(word, words)

    def test_what_gives_most_away_comes_first_in_each_group(self):
        looks = ["address", "number", "token", "path", "text", "word"]
        shown = ["program", "places", "strings", "properties", "classes", "functions", "sources"]
        for source in some_of(SOURCES, 6, first=1):
            with self.subTest(source=source.name):
                done = self.place.ubiheap("strings", "--audit", "--json", "--limit", "0", "--all", source)
                document = json.loads(done.stdout)
                order = [(shown.index(row["group"]), row["public"], looks.index(row["looksLike"]), -row["texts"])
                         for row in document["words"]]
                self.assertEqual(order, sorted(order))
                counts = {group["group"]: group["found"] for group in document["groups"]}
                self.assertEqual(counts, dict(collections.Counter(row["group"] for row in document["words"])))
                self.assertEqual(list(counts), [group for group in shown if group in counts])

    def test_words_look_like_what_they_are(self):
        strings = {"eve@mail.example": "address", "https://shop.example/a?u=7": "address", "10.77.88.99": "address",
                   "4111111111111111": "number", "+49 171 5550173": "number", "1985-03-17": "number", "7f3a9c5e77d14b2e": "token",
                   "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0Mg": "token", "/home/eve/tax": "path", "C:\\eve": "path", "Dear Eve": "text", "Eve": "word",
                   "1.34.6": "word"}
        program = leak_program.Program()
        program.strings = [(text, program.new_id()) for text in strings]
        program.save(self.place.folder / "looks.heapsnapshot")
        found = {row["word"]: row["looksLike"] for row in self.audit("looks.heapsnapshot")["words"]}
        self.assertEqual({text: found.get(text) for text in strings}, strings)

    def test_the_limit_is_one_for_each_group(self):
        source = workspace.DATA_V8 / "node20-after.heapsnapshot.gz"
        document = json.loads(self.run_tool("strings", "--audit", "--json", "--limit", "2", source).stdout)
        counts = collections.Counter(row["group"] for row in document["words"])
        self.assertGreater(len(document["groups"]), 2)
        for group in document["groups"]:
            self.assertEqual(counts[group["group"]], min(2, group["found"]))
        self.assertEqual(sum(group["found"] for group in document["groups"]), document["found"])
        text = self.run_tool("strings", "--audit", "--limit", "2", source).stdout.decode()
        for group in document["groups"]:
            self.assertIn(f"\n{group['title']}: {group['found']:,}\n", text)

    def test_numbers_of_elements_are_distinguished(self):
        document = self.audit(workspace.DATA_V8 / "node20-after.heapsnapshot.gz")
        self.assertGreater(document["largeIndexCount"], 0)
        text = self.run_tool("strings", "--audit", workspace.DATA_V8 / "node20-after.heapsnapshot.gz").stdout.decode()
        self.assertIn("above 999: whether they were replaced cannot be seen.", text)

    def test_what_precedes_a_fault_is_read(self):
        document = self.audit(workspace.DATA_TIMELINE / "killed.timeline", status=3)
        self.assertIsNotNone(document["fault"])
        self.assertIn("shop", {row["word"] for row in document["words"]})

    def test_options_that_do_not_go_together_are_refused(self):
        file = workspace.DATA_UBIREC / "few.ubirec"
        for options in (["--all"], ["--fail-on", "words > 0"], ["--audit", "--duplicates"], ["--audit", "--sort", "size"],
                        ["--audit", "--fail-on", "nonsense > 0"]):
            done = self.run_tool("strings", *options, file, status=2)
            self.assertEqual(done.stderr.count(b"\n"), 1)


if __name__ == "__main__":
    unittest.main()
