#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap record --every`: profiles in place of a recording, the newest of which stay."""
import re
import signal
import subprocess
import unittest

import record_place
from export_recording_test import Profile

PROGRAMS = record_place.HERE / "programs"
NAME = re.compile(r"out\.\d{8}T\d{6}Z\.pb\.gz")


class Ring(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)
        self.program = self.place.compile("attached", "-O2", source=PROGRAMS / "attached.c")

    def files(self):
        return sorted(path.name for path in self.place.folder.glob("out.*.pb.gz"))

    def profile(self, name):
        return Profile((self.place.folder / name).read_bytes())

    def start(self, *options, kinds=()):
        running = subprocess.Popen([record_place.UBIHEAP, "record", *options, "--output", str(self.place.folder / "out"), "--",
                                    str(self.program), *kinds],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for stream in (running.stdin, running.stdout, running.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        self.assertEqual(running.stdout.readline(), "ready\n")
        return running

    def ask(self, running, letter):
        running.stdin.write(letter)
        running.stdin.flush()
        self.assertEqual(running.stdout.readline()[0], letter)

    def kept(self, profile):
        """-> objects and bytes that live, of blocks of 1000 bytes."""
        alive = [values[2:4] for _, values, labels in profile.samples if labels["bytes"] == 1000]
        return sum(row[0] for row in alive), sum(row[1] for row in alive)

    def test_profiles_have_what_lives_and_the_oldest_go(self):
        for old in ("20200101T000000Z", "20210101T000000Z"):
            (self.place.folder / f"out.{old}.pb.gz").write_bytes(b"old")
        (self.place.folder / "out.other.pb.gz").write_bytes(b"not ours")
        running = self.start("--exact", "--every", "1s", "--keep", "3")
        seen = set()
        for letter in "kkf":
            self.ask(running, letter)
            before = self.files()
            while self.files() == before:
                self.assertIsNone(running.poll())
            seen.update(self.files())
        told, error = running.communicate()
        self.assertEqual(running.returncode, 0, error)
        self.assertRegex(error, r"wrote \d+ profiles, the last one .*out\.\d+T\d+Z\.pb\.gz")
        ours = [name for name in self.files() if NAME.fullmatch(name)]
        self.assertEqual(len(ours), 3)
        self.assertNotIn("out.20200101T000000Z.pb.gz", ours)
        self.assertTrue((self.place.folder / "out.other.pb.gz").exists())
        last = self.profile(ours[-1])
        self.assertEqual(self.kept(last), (100, 100000))
        self.assertIn("keep_some", last.strings)
        self.assertFalse((self.place.folder / "out").exists())

    def test_sums_are_those_of_a_recording_of_the_same(self):
        def run(*options):
            running = self.start("--exact", *options)
            for letter in "kfkk":
                self.ask(running, letter)
            _, error = running.communicate()
            self.assertEqual(running.returncode, 0, error)

        run("--every", "100s")
        ring = self.profile(self.files()[0])
        run()
        out = self.place.folder / "whole.pb.gz"
        subprocess.run([record_place.UBIHEAP, "export", "--format", "pprof", "-o", out, self.place.folder / "out"], check=True,
                       stderr=subprocess.DEVNULL)
        self.assertEqual(ring.sums(), self.profile(out.name).sums())

    def test_of_a_process_that_runs(self):
        program = subprocess.Popen([self.program, "busy"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.stdin.close)
        self.assertEqual(program.stdout.readline(), "ready\n")
        running = subprocess.Popen([record_place.UBIHEAP, "record", "--pid", str(program.pid), "--every", "1s", "--output",
                                    str(self.place.folder / "out")], stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        while not self.files():
            self.assertIsNone(running.poll())
        running.send_signal(signal.SIGINT)
        error = running.stderr.read()
        self.assertEqual(running.wait(), 0, error)
        self.assertIn("block_make", self.profile(self.files()[-1]).strings)

    def test_where_nothing_can_be_written(self):
        done = subprocess.run([record_place.UBIHEAP, "record", "--every", "1s", "--output", "/proc/none", "--", "true"],
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("the profiles end early", done.stderr)

    def test_command_lines(self):
        for options, word in ((("--keep", "3"), "--keep"), (("--every", "10ms"), "a second or more"),
                              (("--every", "1s", "--keep", "0"), "--keep"), (("--every", "1s", "--follow-children"), "one process")):
            done = subprocess.run([record_place.UBIHEAP, "record", *options, "--", "true"], stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
