#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The view of a program that is recorded: what its screen shows, that it fits, and that the terminal is given back whatever happens."""
import os
import re
import subprocess
import termios
import unittest

import record_place
from small_terminal import SmallTerminal

SOURCE = record_place.HERE / "programs" / "live.c"


class RecordLive(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)
        self.program = self.place.compile("live", source=SOURCE)
        self.orders = -1

    def start(self, *arguments, columns=80, rows=24, options=("--exact",), environment=None, before_exec=None):
        """A program whose standard input is a pipe of ours: it does what the letters say that it reads there."""
        reads, self.orders = os.pipe()
        self.addCleanup(self.finish)

        def prepare():
            os.dup2(reads, 0)
            os.close(self.orders)
            if before_exec:
                before_exec()
        terminal = SmallTerminal([str(part) for part in self.place.command(self.program, *arguments, options=("--live", *options))],
                                 columns, rows, {**self.place.environment, "TERM": "xterm", **(environment or {})}, self.place.folder,
                                 prepare)
        os.close(reads)
        return terminal

    def order(self, letters):
        os.write(self.orders, letters)

    def finish(self):
        if self.orders >= 0:
            os.close(self.orders)
        self.orders = -1

    def check_given_back(self, terminal):
        self.assertTrue(terminal.was_alternate)
        self.assertTrue(terminal.has_cursor and not terminal.is_alternate, terminal.text())

    # ---- what is shown

    def test_totals_places_and_the_curve(self):
        terminal = self.start()
        self.order(b"aaa")  # a MiB each
        terminal.wait_for_text(r"\n *3\.00 MiB +\d\S*% +3\.00 MiB  keep_megabyte  live\.c:\d+\n")
        text = terminal.text()
        self.assertRegex(text, r"\Alive \d+, [\d.]+ (m?s|us)\n")
        for pattern in (r"\nLive +3\.0\d MiB in \d+ blocks\n", r"\nPeak +3\.0\d MiB, at ", r"\nAllocated +3\.0\d MiB in \d+ allocations\n",
                        r"\nResident +\d", r"\n +[\d.]+ MiB ┤ *[▁▂▃▄▅▆▇█]", r"\n      0 B ┴─+\n +0 us +[\d.]+ (s|ms)\n"):
            self.assertRegex(text, pattern)
        self.order(b"fff")
        terminal.wait_for_text(r"\nLive +\d+(\.\d+)? (B|KiB) in")
        self.assertRegex(terminal.text(), r"\nPeak +3\.0\d MiB, at ")
        self.finish()
        self.assertEqual(terminal.end(), 0)
        self.check_given_back(terminal)
        self.assertRegex(terminal.text(), r"ubiheap: recorded \d+ allocations? in out\.ubirec")
        self.assertEqual(sum(event.size == 1 << 20 for event in self.place.recording().allocations), 3)

    def test_sampled_sums_are_estimates(self):
        terminal = self.start(options=("--period", "64KiB"))
        self.order(b"aaa")
        terminal.wait_for_text(r"\nLive +~[\d.]+ MiB in ")
        self.finish()
        self.assertEqual(terminal.end(), 0)

    def test_forty_columns_without_colours_and_more_than_ascii(self):
        terminal = self.start(columns=40, rows=16, environment={"NO_COLOR": "1", "LC_ALL": "C"})
        self.order(b"a")
        terminal.wait_for_text(r"1\.00 MiB +\d\S*% +keep_megabyte")  # the terminal refuses lines that are too long
        self.assertLessEqual(max(map(len, terminal.screen)), 40)
        self.assertFalse(terminal.has_colour)
        self.assertTrue(terminal.text().isascii())
        self.assertIn("|", terminal.text())
        self.finish()
        self.assertEqual(terminal.end(), 0)
        self.check_given_back(terminal)

    def test_colours(self):
        terminal = self.start()
        terminal.wait_for(lambda t: t.has_colour)
        self.finish()
        self.assertEqual(terminal.end(), 0)

    def test_another_size(self):
        terminal = self.start(columns=120, rows=40)
        self.order(b"a")
        terminal.wait_for_text(r"┴─{100,}")
        terminal.resize(50, 12)
        # From the first screen on that was drawn for the new size, all lines fit it.
        terminal.screen[:] = []
        terminal.wait_for(lambda t: t.screen and len(t.screen) <= 12 and all(len(line.rstrip()) <= 50 for line in t.screen)
                          and re.search("q: close", t.text()) and "keep_megabyte" in t.text())
        self.finish()
        self.assertEqual(terminal.end(), 0)

    def test_other_processes(self):
        terminal = self.start(options=("--exact", "--follow-children"))
        self.order(b"ac")  # the child has two of its own, which are more
        terminal.wait_for_text(r"\Alive \d+, .*, the largest of 2 ")
        terminal.wait_for_text(r"\nLive +2\.0\d MiB")
        largest = terminal.text().split(",")[0]
        terminal.wait_for_text("n: next process; q: close")
        terminal.press(b"n")
        terminal.wait_for_text(r"\Alive \d+, .*, one of 2 ")
        terminal.press(b"nn")
        terminal.wait_for_text(rf"\A{largest}, .*, the largest of 2 ")
        self.finish()
        self.assertEqual(terminal.end(), 0)

    # ---- how it ends

    def test_q_closes_the_view_and_the_recording_continues(self):
        terminal = self.start()
        self.order(b"p")
        terminal.wait_for_text("q: close; then 8 B of output follow")
        terminal.press(b"xq")
        terminal.wait_for(lambda t: not t.is_alternate)
        terminal.wait_for_text("printed")
        self.check_given_back(terminal)
        self.assertTrue(termios.tcgetattr(terminal.fd)[3] & termios.ECHO)
        self.order(b"pa")
        terminal.wait_for_text("printed\n+printed")
        self.finish()
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(sum(event.size == 1 << 20 for event in self.place.recording().allocations), 1)

    def check_ended_in(self, terminal, code):
        self.assertEqual(terminal.end(), code)
        self.check_given_back(terminal)
        self.assertRegex(terminal.text(), r"ubiheap: recorded \d+ allocations? in out\.ubirec")

    def test_control_c(self):
        terminal = self.start()
        self.order(b"a")
        terminal.wait_for_text("keep_megabyte")
        terminal.press(b"\x03")
        self.check_ended_in(terminal, -2)

    def test_a_program_that_crashes(self):
        terminal = self.start()
        self.order(b"ap")
        terminal.wait_for_text("keep_megabyte")
        self.order(b"x")
        self.check_ended_in(terminal, -6)
        self.assertIn("printed", terminal.text())

    def test_a_program_that_ends_at_once_and_one_that_is_not_there(self):
        terminal = self.start()
        self.finish()
        self.assertEqual(terminal.end(), 0)
        self.assertTrue(terminal.has_cursor and not terminal.is_alternate)
        self.program = "/nowhere/at/all"
        terminal = self.start()
        self.assertEqual(terminal.end(), 127)
        self.assertTrue(terminal.has_cursor and not terminal.is_alternate)
        self.assertIn("/nowhere/at/all", terminal.text())

    def test_keys_are_no_input_of_the_program(self):
        terminal = SmallTerminal(list(map(str, self.place.command("cat", options=("--live",)))), 80, 24,
                                 {**self.place.environment, "TERM": "xterm"}, self.place.folder)
        self.assertEqual(terminal.end(), 0)  # it reads the end of /dev/null

    def test_a_terminal_that_is_gone(self):
        terminal = self.start()
        self.order(b"a")
        terminal.wait_for_text("keep_megabyte")
        os.close(terminal.fd)
        self.finish()
        status = os.waitpid(terminal.pid, 0)[1]
        self.assertTrue(os.WIFSIGNALED(status) or os.WIFEXITED(status))
        self.assertEqual(sum(event.size == 1 << 20 for event in self.place.recording().allocations), 1)

    # ---- where there is none

    def test_without_a_terminal_one_line_says_so(self):
        done = subprocess.run(self.place.command(self.program, options=("--live",)), cwd=self.place.folder, capture_output=True, text=True,
                              env=self.place.environment, start_new_session=True, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertEqual(done.stderr, "ubiheap: record: --live draws on the terminal, and there is none\n")

    def test_a_terminal_that_cannot_be_drawn_on(self):
        terminal = self.start(environment={"TERM": "dumb"})
        self.assertEqual(terminal.end(), 4)
        self.assertEqual(terminal.text(), "ubiheap: record: --live: this terminal cannot be drawn on (TERM is 'dumb')")


if __name__ == "__main__":
    unittest.main()
