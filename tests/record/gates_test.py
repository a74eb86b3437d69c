#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conditions on recordings that are no full account of their program: what is missing never lets a job pass."""
import json
import subprocess
import time
import unittest

import control_test
from record_place import HERE, UBIHEAP

STOPPED = r"recording was stopped at [0-9.]+ m?s, before the program ended"
PAUSED = r"recording was paused for [0-9.]+ m?s"
EARLIER = r"what the program had allocated in its first [0-9.]+ m?s is unknown"
MS = 1_000_000  # ns
BLOCKS = 100  # of 1,000 bytes each


class Gates(control_test.ControlTest):
    def ask(self, *arguments):
        return subprocess.run([UBIHEAP, *map(str, arguments)], cwd=self.place.folder, env=self.place.environment,
                              capture_output=True, text=True, check=False)

    def assert_judged(self, status, condition, *options, file="out.ubirec", words=None):
        done = self.ask("report", "--fail-on", condition, *options, file)
        self.assertEqual(done.returncode, status, (condition, done.stderr))
        if words:
            self.assertRegex(done.stderr, words)
        return done.stderr

    def gaps(self, file="out.ubirec"):
        return [gap["kind"] for gap in json.loads(self.ask("report", "--json", file).stdout)["gaps"]]

    def record(self, *arguments, options=("--exact",), output="out.ubirec"):
        done = self.place.record(*arguments, options=options, output=output)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def record_blocks(self, output="whole.ubirec"):
        do = control_test.Program(self, self.place, "--exact", name=output)
        do("alloc", BLOCKS)
        do.end()


class Incomplete(Gates):
    def test_a_file_with_a_space_is_quoted_for_a_shell(self):
        self.assertIn("to read it: ubiheap report 'my run.ubirec'\n", self.record("true", output="my run.ubirec"))

    def test_a_whole_recording_is_judged(self):
        self.record_blocks("out.ubirec")
        self.assertEqual(self.gaps(), [])
        self.assert_judged(1, f"leaked >= {BLOCKS * 1000}")
        self.assertEqual(self.assert_judged(0, "leaked > 1GiB or peak > 1GiB or total > 1GiB"), "")

    def test_a_recording_that_was_never_started_passes_nothing(self):
        do = control_test.Program(self, self.place, "--exact", "--paused")
        do("alloc", BLOCKS)
        do.end()
        self.assertEqual(self.gaps(), ["pausedThroughout"])
        for fact in ("leaked", "leakedCount", "pools", "peak", "total", "count", "temporary"):
            self.assert_judged(3, f"{fact} > 1GiB" if fact in ("leaked", "pools", "peak", "total") else f"{fact} > 1000000",
                               words=f"{fact} is unknown, because nothing was recorded: {PAUSED}")
        self.assert_judged(0, "rss > 1TiB or dropped > 0")

    def test_after_a_pause_more_may_have_leaked(self):
        do = control_test.Program(self, self.place, "--exact")
        do("alloc", BLOCKS)
        self.control(do.pid, "stop")
        do("alloc", BLOCKS)
        do.end()
        self.assertEqual(self.gaps(), ["paused"])
        for fact in ("leaked", "peak", "total"):
            self.assert_judged(1, f"{fact} >= {BLOCKS * 1000}")
            self.assert_judged(3, f"{fact} > 1GiB", words=rf"{fact} is at least [0-9. KiB]+, because {PAUSED}")
        self.assert_judged(3, "temporary > 1000", words="temporary is unknown")

    def actions(self):
        """Times of stops and starts in ns, in order."""
        return [int(line.split()[2]) for line in self.place.recording().lines if line.startswith("action ")]

    def window(self, option, time_ns):
        return [option, f"{time_ns // 1000}us"]

    def test_a_time_outside_of_all_pauses_is_judged(self):
        do = control_test.Program(self, self.place, "--exact")
        do("alloc", BLOCKS)
        time.sleep(0.01)
        self.control(do.pid, "stop")
        do("alloc", 2 * BLOCKS)
        self.control(do.pid, "start")
        time.sleep(0.01)
        do("alloc", 3 * BLOCKS)
        do.end()
        stop, start = self.actions()
        before, after = self.window("--to", stop - MS), self.window("--from", start + MS)
        for window, blocks in ((before, BLOCKS), (after, 3 * BLOCKS)):
            self.assert_judged(1, f"leaked >= {blocks * 1000} and total >= {blocks * 1000}", *window)
            self.assert_judged(0, "leaked > 1GiB or total > 1GiB or temporary > 100000", *window)
            self.assertNotIn("paused", self.ask("report", *window, "out.ubirec").stderr)
        self.assert_judged(0, "peak > 1GiB", *before)
        self.assert_judged(3, "peak > 1GiB", *after, words="peak is at least .*, because recording was paused before that")
        for window in (self.window("--to", start + MS), self.window("--from", stop - MS), self.window("--at", stop + MS)):
            self.assert_judged(3, "leaked > 1GiB", *window, words=f"leaked is at least .*, because {PAUSED}")
        self.assert_judged(0, "leaked > 1GiB", *self.window("--at", stop - MS))

    def test_before_the_end_what_leaks_is_unknown(self):
        do = control_test.Program(self, self.place, "--exact")
        do("alloc", BLOCKS)
        self.control(do.pid, "stop")
        self.control(do.pid, "results", "--output", "results.ubirec")
        do.end()
        self.assertIn("stopped", self.gaps("results.ubirec"))
        for condition in ("leaked > 1GiB", "leaked > 0"):
            self.assert_judged(3, condition, file="results.ubirec", words=f"leaked is unknown, because {STOPPED}")
        self.assert_judged(3, "peak > 1GiB", file="results.ubirec", words=f"peak is at least .*, because {STOPPED}")
        self.assert_judged(1, f"peak >= {BLOCKS * 1000} and total > 0", file="results.ubirec")

    def test_before_an_attachment_more_may_have_been_allocated(self):
        do = control_test.Program(self, self.place, is_recorded=False)
        recorder = subprocess.Popen([UBIHEAP, "record", "--exact", "--output", "out.ubirec", "--pid", str(do.pid)],
                                    cwd=self.place.folder, env=self.place.environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(recorder.stderr.close)
        self.addCleanup(recorder.wait)
        self.assertIn("from now on", recorder.stderr.readline())
        do("alloc", BLOCKS)
        do.end()
        recorder.stderr.read()
        self.assertEqual(self.gaps(), ["attached"])
        self.assert_judged(1, f"leaked >= {BLOCKS * 1000}")
        self.assert_judged(3, "leaked > 1GiB", words=f"leaked is at least .*, because {EARLIER}")
        start = json.loads(self.ask("report", "--json", "out.ubirec").stdout)["durationMs"] - 1
        self.assert_judged(0, "leaked > 1GiB", "--from", f"{start}ms")
        self.assert_judged(3, "peak > 1GiB", "--from", f"{start}ms", words=EARLIER)


    def test_a_child_that_outlives_the_recording_is_missed(self):
        command = f"exec 3<&0; {self.program} <&3 >/dev/null & exit 0"
        recorder = subprocess.Popen(self.place.command("sh", "-c", command,
                                                       options=("--exact", "--follow-children", "--duration", "2s")),
                                    cwd=self.place.folder, env=self.place.environment, stdin=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        self.addCleanup(recorder.stderr.close)
        self.addCleanup(recorder.stdin.close)
        recorder.wait()
        self.assertIn("stopped", self.gaps())
        self.assert_judged(3, "peak > 1GiB", words=STOPPED)


class Replaced(Gates):
    """The program is not the one that was asked about."""

    def test_a_program_that_becomes_another_is_not_judged(self):
        for command in (("sh", "-c", f"exec {self.program}"), ("env", "-i", str(self.program))):
            with self.subTest(command):
                self.assertRegex(self.record(*command), "it became [^ ]*controlled, which was not recorded; --follow-children does that")
                self.assertEqual(self.gaps(), ["replaced"])
                self.assert_judged(3, "leaked > 1GiB", words="because the program became 'controlled', which was not recorded")
                page = " ".join(self.ask("report", "out.ubirec").stdout.split())
                self.assertIn("it became controlled, which was not recorded: record --follow-children does that", page)

    def test_one_that_is_followed_is(self):
        self.record("sh", "-c", f"exec {self.program}", options=("--exact", "--follow-children"))
        self.assertEqual(self.gaps(), [])
        self.assert_judged(0, "leaked > 1GiB")

    def test_an_exec_that_fails_replaces_nothing(self):
        self.record("sh", "-c", "(exec /nowhere/at/all) 2>&-; exit 0")
        self.assertEqual(self.gaps(), [])
        self.record("perl", "-e", "no warnings; exec '/nowhere/at/all'; exit 0")
        self.assertEqual(self.gaps(), [])

    def test_children_that_were_not_recorded_are_named(self):
        self.record("sh", "-c", f"{self.program}; exit 0")
        self.assertEqual(self.gaps(), [])
        self.assert_judged(0, "leaked > 1GiB", words="passed, for what was recorded; 1 program that it started was not")


class Compared(Gates):
    def test_of_two_either_may_lack_something(self):
        self.record_blocks("whole.ubirec")
        do = control_test.Program(self, self.place, "--exact", name="paused.ubirec")
        do("alloc", BLOCKS)
        self.control(do.pid, "stop")
        do.end()
        for files, condition, status, words in (
                (("whole", "whole"), "leakedGrowth > 1MiB", 0, "^$"),
                (("whole", "paused"), "leakedGrowth > 1MiB", 3, "leakedGrowth is at least 0 B, because"),
                (("paused", "whole"), "leakedGrowth > 1MiB", 0, "^$"),
                (("paused", "whole"), "leakedGrowth < -1MiB", 3, f"leakedGrowth is at most 0 B, because {PAUSED}"),
                (("paused", "paused"), "leakedGrowth > 1MiB", 3, "leakedGrowth is unknown, because"),
                (("whole", "paused"), "newPlaces > 0", 3, "newPlaces is at least 0, because"),
                (("paused", "whole"), "newPlaces > 0", 0, "^$")):
            with self.subTest(files=files, condition=condition):
                done = self.ask("diff", "--fail-on", condition, *(name + ".ubirec" for name in files))
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertRegex(done.stderr, words)


class Sizeless(Gates):
    SOURCE = "#include <stdlib.h>\nint main(void) { for (int i = 0; i < 1000; i++) if (!malloc(0)) return 1; return 0; }\n"

    def test_blocks_of_no_bytes_are_counted(self):
        source = self.place.folder / "sizeless.c"
        source.write_text(self.SOURCE)
        self.record(self.place.compile("sizeless", "-O0", "-fno-builtin", source=source))
        self.assert_judged(1, "leakedCount >= 1000")
        page = " ".join(self.ask("report", "out.ubirec").stdout.split())
        self.assertIn("not freed: 1,000 allocations of 0 bytes, 100.0% by main", page)
        self.assertIn("Peak 0 B alive at any time: no allocation asked for more", page)


class Asked(Gates):
    """Questions that a recording has no answer to."""

    def setUp(self):
        super().setUp()
        self.record_blocks("out.ubirec")

    def test_a_time_after_the_end_is_not_judged(self):
        for window in (("--from", "1h"), ("--from", "1h", "--to", "2h"), ("--at", "1h")):
            self.assert_judged(3, "leaked > 1GiB", *window, words=r"leaked is unknown, because the recording ends at [0-9.]+ m?s")
        self.assert_judged(0, "leaked > 1GiB", "--to", "1h")

    def test_a_page_about_that_time_is_of_the_end(self):
        document = json.loads(self.ask("report", "--json", "--from", "1h", "out.ubirec").stdout)
        self.assertLessEqual(document["heap"]["peakTimeMs"], document["durationMs"])
        self.assertNotIn("3,600", self.ask("report", "--from", "1h", "out.ubirec").stdout.split("Peak")[1].split("\n")[0])

    def test_some_places_are_not_judged(self):
        done = self.ask("report", "--site", "nothing", "--fail-on", "leaked > 0", "out.ubirec")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "ubiheap: report: --fail-on is about all places: it does not go with --site\n"))
        self.assertIn("report --format tsv out.ubirec --site 'main'", self.ask("report", "--site", "main", "out.ubirec").stdout)

    def test_samples_do_not_show_how_many_small_blocks_there_are(self):
        do = control_test.Program(self, self.place, name="sampled.ubirec")
        do("alloc", BLOCKS)
        do.end()
        for fact in ("leakedCount", "count"):
            self.assert_judged(3, f"{fact} > 100000000", file="sampled.ubirec",
                               words=f"{fact} is at least [0-9,]+, because samples miss any number of small blocks; 'record --exact' would decide")
        self.assert_judged(0, "leaked > 1GiB", file="sampled.ubirec")

    def test_one_condition_at_a_time(self):
        for command, files in (("report", ["out.ubirec"]), ("diff", ["out.ubirec", "out.ubirec"]), ("census", ["no"]),
                               ("leaks", ["no", "no"]), ("timeline", ["no"])):
            done = self.ask(command, "--fail-on", "leaked > 1", "--fail-on", "peak > 1GiB", *files)
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"ubiheap: {command}: --fail-on is given twice: join conditions with 'or'\n"))


if __name__ == "__main__":
    unittest.main()
