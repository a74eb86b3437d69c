#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every wait of a program for its recorder ends, whatever the program wrote into what they share, and however the recorder ends."""
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import DRIVER, LIBRARY, MARKERS, SOURCE, InterposeTest  # noqa: E402


class Waits(InterposeTest):
    def test_a_program_that_writes_over_what_it_shares(self):
        """It lives, recording ends on both sides, and nobody believes what stands there then."""
        program = self.compile("scribbles.c", f"-I{SOURCE / 'include'}")
        for byte in ("0", "255", "1"):
            for again in ((), ("again",)):
                for period in ("1", "524288"):
                    with self.subTest(byte=byte, again=again, period=period):
                        ran = self.record([program, byte, *again], [f"period={period}", "quiet=1", f"flags={MARKERS}"], check=6)
                        self.assertEqual(ran.stdout, b"1 0\n", "one mapping, and no longer recorded")
                        counters = self.recording().counters
                        self.assertEqual(counters["is_trampled"], 1)
                        for name in ("lost_events", "dropped", "dropped_reentrant", "waits"):
                            self.assertLess(counters[name], 10000000, name)

    def test_one_that_does_so_before_its_recorder_looks_does_not_search_for_room_for_ever(self):
        program = self.compile("scribbles.c", f"-I{SOURCE / 'include'}")
        for again in ((), ("again",)):
            with self.subTest(again=again):
                ran = self.record([program, "1", *again], ["quiet=1", f"flags={MARKERS}", "pause=1000"], check=6)
                self.assertEqual(ran.stdout, b"1 0\n", "one mapping, and no longer recorded")

    def wait_until(self, condition):
        while not condition():
            time.sleep(0.05)

    def test_a_recorder_that_is_killed_while_a_program_waits_for_it(self):
        sign = self.folder / "done"
        driver = subprocess.Popen([str(DRIVER), f"library={LIBRARY}", "quiet=1", "pause=1000000000", str(self.folder / "out"),
                                   str(self.compile("storm.c")), "20000000", str(sign)])
        self.addCleanup(driver.wait)
        self.addCleanup(driver.kill)
        children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children")
        self.wait_until(lambda: children.read_text().split())
        pid = int(children.read_text().split()[0])

        def waits():
            try:  # futex, with a time for its end
                return Path(f"/proc/{pid}/syscall").read_text().split()[0] == "202"
            except (FileNotFoundError, IndexError):
                return False

        self.wait_until(waits)
        os.kill(driver.pid, signal.SIGKILL)
        self.wait_until(sign.exists)


if __name__ == "__main__":
    unittest.main()
