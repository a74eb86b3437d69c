#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs of examples/leaks leak under a real Node.js, and `ubiheap leaks` says what, how much, and what holds it."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "leaks"
SNAPSHOTS = ("1-before", "2-after", "3-later")

# Program: the class of what leaks, the function's name if it is one, how many leak in one action, classes that leak with it,
# the bytes that each keeps at least, and words of the path that holds them. Of outline.js 40 marked nodes leak, each with
# the 108 others of its outline.
PLANTED = {
    "chat-server": ("Function", "onMessage", 200, {"Session": 200, "ServerResponse": 200}, 2_000, ("room", "message")),
    "thumbnails": ("Timeout", None, 60, {"ThumbnailJob": 60}, 32 << 10, ("Node.js timers of 600,000 ms", "Timeout")),
    "outline": ("OutlineNode", None, 40 * 109, {}, 100, ("Editor.marks", "Map (entry)")),
}

# Where the function stands that leaks, or that a leaked timer calls.
PLACES = {"chat-server": " (chat-server.js:37)", "thumbnails": " (thumbnails.js:36)"}


def leaks(files, *options):
    return subprocess.run([os.environ["UBIHEAP"], "leaks", *options, *map(str, files)], capture_output=True, text=True,
                          check=False)


class LeakingPrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="ubiheap-leaks-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.files = {}
        for name in PLANTED:
            subprocess.run(["node", PROGRAMS / f"{name}.js", cls.folder / name], check=True, stdout=subprocess.DEVNULL)
            cls.files[name] = [cls.folder / name / f"{snapshot}.heapsnapshot" for snapshot in SNAPSHOTS]

    def documents(self):
        for name, files in self.files.items():
            done = leaks(files, "--json", "--limit", "0")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            yield name, PLANTED[name], json.loads(done.stdout)

    def test_every_program_has_what_it_leaks_in_the_list_above(self):
        programs = {path.stem for path in PROGRAMS.glob("*.js")} - {"three-snapshots"}
        self.assertEqual(programs, set(PLANTED))

    def test_the_largest_cluster_is_the_planted_one(self):
        for name, (class_name, function, count, _, bytes_each, _), document in self.documents():
            with self.subTest(name):
                first = document["clusters"][0]
                self.assertTrue(document["sameRun"])
                self.assertEqual((first["className"], first["count"]), (class_name, count))
                self.assertGreaterEqual(first["retainedSize"], count * bytes_each)
                # All else that is new, such as what V8 compiled meanwhile, is little beside it.
                self.assertGreater(first["retainedSize"], document["leaked"]["retainedSize"] * 9 // 10)
                if function:
                    self.assertEqual(first["name"], function)

    def test_the_heap_grew_by_what_leaked_and_again_by_as_much(self):
        for name, _, document in self.documents():
            with self.subTest(name):
                retained = document["clusters"][0]["retainedSize"]
                self.assertGreater(document["growth"]["bytes"], retained * 3 // 2)
                self.assertGreater(document["newer"]["bytes"] - document["new"]["bytes"], retained // 2)

    def test_the_path_leads_through_what_holds_it(self):
        for name, (*_, holder), document in self.documents():
            with self.subTest(name):
                for word in holder:
                    self.assertIn(word, document["clusters"][0]["path"])
                self.assertFalse(document["clusters"][0]["holder"]["isNew"])

    def test_a_job_can_fail_by_the_number_of_leaked_objects_of_a_class(self):
        for name, (class_name, function, count, others, *_) in PLANTED.items():
            classes = dict(others) if function else {class_name: count, **others}
            for leaked, number in classes.items():
                with self.subTest(name, leaked=leaked):
                    for condition, status in ((f"count({leaked}) >= {number}", 1), (f"count({leaked}) > {number}", 0)):
                        done = leaks(self.files[name], "--fail-on", condition)
                        self.assertEqual(done.returncode, status, done.stderr)
                        self.assertEqual("condition holds" in done.stderr, status == 1)

    def test_the_text_names_the_class_and_the_number(self):
        for name, (class_name, function, count, *_) in PLANTED.items():
            with self.subTest(name):
                done = leaks(self.files[name])
                wanted = f"{class_name}{f' {function}()' if function else ''}{PLACES.get(name, '')}: +{count:,} objects"
                self.assertIn(wanted, done.stdout)

    def test_functions_and_timers_are_reported_with_the_line_that_made_them(self):
        for name, _, document in self.documents():
            with self.subTest(name):
                self.assertEqual("code" in document["clusters"][0], name in PLACES)
                if name in PLACES:
                    code = document["clusters"][0]["code"]
                    line = (PROGRAMS / f"{name}.js").read_text().splitlines()[code["line"] - 1]
                    self.assertIn(code["function"] or "=>", line)
                    self.assertEqual((Path(code["file"]).name, code["elsewhere"]), (f"{name}.js", 0))


if __name__ == "__main__":
    if shutil.which("node") is None:
        print("skipped: node is not installed (Debian package nodejs)")
        sys.exit(77)
    unittest.main()
