#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What --cache, --index and `ubiheap cache` keep: the same answers from it, messages when it is not used, and what becomes of the folder."""
import json
import os
import shutil
import unittest

import workspace
from case_choice import some_of

QUESTIONS = ["statistics FILE", "dominators FILE", "nodes --where selfSize>100 --limit 5 FILE", "census FILE",
             "search FILE Map", "containment FILE", "report FILE", "summary FILE", "treemap --json FILE"]
RECORDING_QUESTIONS = ["report FILE", "report --detail --by total FILE", "report --json FILE", "report --no-wrappers FILE",
                       "allocations FILE", "allocations --json --by peak FILE", "info FILE", "info --json FILE"]
OLDER = "node20-before.heapsnapshot.gz"
FILES = ["node20-after.heapsnapshot.gz", "tiny-before.fxsnapshot"]


class Index(unittest.TestCase):
    def setUp(self):
        self.place = workspace.Workspace()
        self.folder = self.place.folder

    def run_tool(self, *arguments, expected=0):
        done = self.place.ubiheap(*arguments)
        self.assertEqual(done.returncode, expected, done.stderr.decode())
        return done

    def ask(self, question, file, *options):
        return self.run_tool(*[file if word == "FILE" else word for word in question.split()], *options)

    def answer(self, question, file, *options):
        """What is said, whatever it is: a file that ends early fails its command."""
        done = self.place.ubiheap(*[file if word == "FILE" else word for word in question.split()], *options)
        return done.returncode, done.stdout, done.stderr

    def damage_unseen(self, path):
        """In the middle, behind the back of what looks at size, time and ends alone."""
        about, content = os.stat(path), bytearray(path.read_bytes())
        middle = len(content) // 2
        content[middle:middle + 64] = bytes(64)
        path.write_bytes(content)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))

    def listed(self, *options):
        return json.loads(self.run_tool("cache", "--json", "--cache-dir", "kept", *options).stdout)

    def test_answers_are_the_same_with_and_without(self):
        for file in FILES:
            questions = some_of(QUESTIONS, 3, first=len(file))
            plain = [self.ask(question, file, "--no-cache").stdout for question in questions]
            for options in (["--cache", "--cache-dir", "kept"], ["--cache-dir", "kept"], ["--index"], ["--index"]):
                for question, answer in zip(questions, plain):
                    done = self.ask(question, file, *options)
                    self.assertEqual((done.stdout, done.stderr), (answer, b""), f"{question} {options}")
            self.assertTrue((self.folder / f"{file}.ubindex").exists())
        self.assertEqual(len(self.listed()["indexes"]), 2)

    def test_recordings_are_answered_as_without(self):
        for number, name in enumerate(workspace.RECORDINGS):
            file = f"{name}.ubirec"
            questions = some_of(RECORDING_QUESTIONS, 2, first=number)
            plain = [self.answer(question, file, "--no-cache") for question in questions]
            for options in (["--cache", "--cache-dir", "kept"], ["--cache-dir", "kept"], ["--index"], ["--index"]):
                for question, answer in zip(questions, plain):
                    self.assertEqual(self.answer(question, file, *options), answer, f"{question} {file} {options}")
        listed = self.listed()["indexes"]
        self.assertEqual(len(listed), len(workspace.RECORDINGS))
        self.assertTrue(all(row["isCurrent"] for row in listed))

    def test_an_answer_about_two_heaps_is_of_both(self):
        shutil.copy(self.folder / FILES[0], self.folder / "second.gz")
        for question in some_of(("diff", "diff --json", "leaks", "leaks --json"), 2):
            command = [*question.split(), OLDER, "second.gz"]
            plain = self.run_tool(*command, "--no-cache").stdout
            self.assertEqual(self.run_tool(*command, "--cache", "--cache-dir", "kept").stdout, plain)
            self.assertEqual(self.run_tool(*command, "--cache-dir", "kept").stdout, plain)
        self.damage_unseen(self.folder / "second.gz")
        self.assertEqual(self.run_tool(*command, "--cache-dir", "kept").stdout, plain)  # nothing is read
        self.run_tool(*command, "--no-cache", expected=3)
        command = ["diff", OLDER, "second.gz"]
        shutil.copy(self.folder / "chromium-alloc.heapsnapshot.gz", self.folder / "second.gz")  # another one
        self.assertEqual(self.run_tool(*command, "--cache-dir", "kept").stdout, self.run_tool(*command, "--no-cache").stdout)

    def test_nothing_is_kept_unasked(self):
        self.ask("statistics FILE", FILES[1], "--cache-dir", "kept")
        self.ask("statistics FILE", FILES[1], "--no-cache", "--cache-dir", "kept")
        self.assertFalse((self.folder / "kept").exists())
        self.assertEqual(self.listed()["indexes"], [])

    def test_a_heap_and_its_index_are_carried(self):
        self.ask("statistics FILE", FILES[0], "--index")
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for name in (FILES[0], FILES[0] + ".ubindex"):
            shutil.copy(self.folder / name, elsewhere / name)
        done = self.ask("statistics FILE", f"elsewhere/{FILES[0]}", "--index")
        self.assertEqual(done.stderr, b"")
        shutil.copy(self.folder / FILES[1], elsewhere / FILES[0])
        text = self.ask("statistics FILE", f"elsewhere/{FILES[0]}", "--index").stderr.decode()
        self.assertRegex(text, r"\Aubiheap: the index is not used: elsewhere/\S+ is the index of another file[^\n]*\n\Z")
        self.assertEqual(self.ask("statistics FILE", f"elsewhere/{FILES[0]}", "--index").stderr, b"")  # it was made again

    def test_damage_is_reported_and_changes_no_answer(self):
        self.ask("statistics FILE", FILES[1], "--index")
        index = self.folder / f"{FILES[1]}.ubindex"
        sound, plain = index.read_bytes(), self.ask("nodes FILE", FILES[1], "--no-cache").stdout
        for at in (10, 5000, len(sound) // 2, len(sound) - 5):
            index.write_bytes(sound[:at] + bytes([sound[at] ^ 4]) + sound[at + 1:])
            done = self.ask("nodes FILE", FILES[1], "--index")
            self.assertEqual(done.stdout, plain)
            self.assertLessEqual(done.stderr.count(b"\n"), 1)
            self.assertEqual(self.ask("nodes FILE", FILES[1], "--index").stderr, b"")
        for n in (0, 7, 5000, len(sound) - 1):
            index.write_bytes(sound[:n])
            done = self.ask("nodes FILE", FILES[1], "--index")
            self.assertEqual(done.stdout, plain)
            self.assertRegex(done.stderr.decode(), r"\Aubiheap: the index is not used: [^\n]+\n\Z")

    def test_a_folder_that_others_may_write_is_not_used(self):
        (self.folder / "kept").mkdir()
        os.chmod(self.folder / "kept", 0o777)
        done = self.ask("statistics FILE", FILES[1], "--cache", "--cache-dir", "kept")
        self.assertRegex(done.stderr.decode(), r"\Aubiheap: no index was kept: others may write in the cache folder kept[^\n]*\n\Z")
        self.assertEqual(done.stdout, self.ask("statistics FILE", FILES[1], "--no-cache").stdout)
        self.run_tool("cache", "--cache-dir", "kept", expected=2)

    def test_an_answer_that_needs_another_file_is_not_kept(self):
        command = ["summary", "--since", "older.gz", "--cache-dir", "kept", FILES[0]]
        shutil.copy(self.folder / OLDER, self.folder / "older.gz")
        new = self.run_tool(*command, "--cache").stdout
        self.assertIn(b"LeakedThing", new)
        self.assertEqual(self.run_tool(*command).stdout, new)
        shutil.copy(self.folder / FILES[0], self.folder / "older.gz")  # nothing is newer than itself
        self.assertNotIn(b"LeakedThing", self.run_tool(*command).stdout)
        os.remove(self.folder / "older.gz")
        self.assertIn(b"older.gz", self.run_tool(*command, expected=4).stderr)

    def test_an_answer_with_the_time_that_it_took_is_not_kept(self):
        self.ask("info FILE", FILES[0], "--cache", "--cache-dir", "kept")
        self.ask("info FILE", FILES[0], "--cache", "--cache-dir", "kept")
        self.assertEqual([name for name in os.listdir(self.folder / "kept") if name.endswith(".ubanswers")], [])

    def test_the_same_question_again_is_answered_from_what_was_kept(self):
        for question in ("report FILE", "report --json FILE", "report --detail FILE", "census -b objectClass FILE"):
            plain = self.ask(question, FILES[0], "--no-cache").stdout
            self.assertEqual(self.ask(question, FILES[0], "--cache", "--cache-dir", "kept").stdout, plain)
            self.assertEqual(self.ask(question, FILES[0], "--cache-dir", "kept").stdout, plain)
        answers = [name for name in os.listdir(self.folder / "kept") if name.endswith(".ubanswers")]
        self.assertEqual(len(answers), 1)
        kept = self.folder / "kept" / answers[0]
        narrow = self.ask("report FILE", FILES[0], "--cache-dir", "kept", "--color", "always").stdout
        self.assertEqual(narrow, self.ask("report FILE", FILES[0], "--no-cache", "--color", "always").stdout)
        failing = self.place.ubiheap("report", "--fail-on", "bytes > 1", "--cache-dir", "kept", FILES[0])
        self.assertEqual(failing.returncode, 1)
        kept.write_bytes(kept.read_bytes()[:-1])  # damaged
        self.assertEqual(self.ask("report FILE", FILES[0], "--cache-dir", "kept").stdout,
                         self.ask("report FILE", FILES[0], "--no-cache").stdout)
        self.listed("clear")
        self.assertEqual(os.listdir(self.folder / "kept"), [])

    def test_standard_input_has_no_index(self):
        with open(self.folder / FILES[1], "rb") as file:
            done = self.place.ubiheap("statistics", "--cache", "--cache-dir", "kept", "-", stdin=file.read())
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.listed()["indexes"], [])

    def test_the_folder_is_listed_and_cleared(self):
        for file in FILES:
            self.ask("statistics FILE", file, "--cache", "--cache-dir", "kept")
        (self.folder / "kept" / "notes.txt").write_text("the user's own")
        listed = self.listed()
        self.assertEqual({os.path.basename(row["heap"]) for row in listed["indexes"]}, set(FILES))
        self.assertTrue(all(row["isCurrent"] for row in listed["indexes"]))
        old = self.folder / "kept" / listed["indexes"][0]["name"]
        os.utime(old, (1, 1))
        self.assertEqual(self.listed()["indexes"][-1]["name"], old.name)  # the one used last comes first
        os.utime(self.folder / FILES[0])
        self.assertEqual(sorted(row["isCurrent"] for row in self.listed()["indexes"]), [False, True])
        self.assertEqual([row["name"] for row in self.listed("clear", "--older-than", "1h")["indexes"]], [old.name])
        self.assertFalse(old.exists())
        self.assertEqual(len(self.listed("clear")["indexes"]), 1)
        self.assertEqual(os.listdir(self.folder / "kept"), ["notes.txt"])
        self.run_tool("cache", "wipe", expected=2)


if __name__ == "__main__":
    unittest.main()
