#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""However a program ends, goes on as another, or loses its recorder: what it did is recorded, and it does its work."""
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import DRIVER, FOLLOW_CHILDREN, LIBRARY, Alloc, InterposeTest  # noqa: E402


class ProcessLife(InterposeTest):
    def blocks(self, recording):
        """Blocks of program endings.c, which nobody frees."""
        wanted = {(kind, size, address) for kind, word, size, address, _ in self.truth()}
        self.assertGreaterEqual(len(wanted), 300)
        return wanted, {("A", e.size, e.address) for e in recording.events if isinstance(e, Alloc)}

    def test_nothing_is_lost_however_it_ends(self):
        program = self.compile("endings.c")
        for how, code in (("return", 0), ("_exit", 3), ("quick_exit", 4), ("abort", 134), ("segv", 139), ("kill", 137)):
            with self.subTest(how):
                self.record([program, how], check=code, name=how)
                recording = self.recording()
                wanted, got = self.blocks(recording)
                self.assertEqual(wanted - got, set())
                self.assert_nothing_lost(recording)

    def test_exec_without_following(self):
        self.record([self.compile("endings.c"), "exec"])
        recording = self.recording()
        self.assertFalse(Path(f"{self.output}.1").exists())
        first_half = [t for t in self.truth()][:300]
        got = {(e.size, e.address) for e in recording.events if isinstance(e, Alloc)}
        self.assertEqual({(t[2], t[3]) for t in first_half} - got, set())
        self.assert_nothing_lost(recording)

    def test_exec_with_following(self):
        self.record([self.compile("endings.c"), "exec"], [f"flags={FOLLOW_CHILDREN}"])
        truth = self.truth()
        for process, part in ((0, truth[:300]), (1, truth[300:])):
            recording = self.recording(process)
            self.assertFalse(recording.is_forked)
            got = {(e.size, e.address) for e in recording.events if isinstance(e, Alloc)}
            self.assertEqual({(t[2], t[3]) for t in part} - got, set())
            self.assert_nothing_lost(recording)

    def test_spawned_children(self):
        program = self.compile("endings.c")
        for flags, processes in ((0, 1), (FOLLOW_CHILDREN, 3)):
            with self.subTest(flags=flags):
                self.record([program, "spawn"], [f"flags={flags}"], name=f"spawn{flags}")
                wanted, got = self.blocks(self.recording())
                self.assertEqual(wanted - got, set())
                found = [p for p in self.folder.glob(f"spawn{flags}*") if p.suffix not in (".truth", ".socket")]
                self.assertEqual(len(found), processes)

    def test_the_environment_is_the_users(self):
        other = self.compile("empty_library.c", "-shared", "-fPIC", output="libother.so")
        plain_environment = subprocess.run(["env", "-0"], stdout=subprocess.PIPE, check=True,
                                           env={"PATH": os.environ["PATH"], "A": "b"}).stdout.split(b"\0")
        for behind in ({}, {"LD_PRELOAD_BEHIND": str(other)}):
            ran = subprocess.run([str(DRIVER), f"library={LIBRARY}", str(self.folder / "out"), "env", "-0"],
                                 stdout=subprocess.PIPE, env={"PATH": os.environ["PATH"], "A": "b", **behind},
                                 check=True)
            wanted = set(plain_environment) | ({b"LD_PRELOAD=" + bytes(other)} if behind else set())
            self.assertEqual(set(ran.stdout.split(b"\0")), wanted)

    def test_without_a_recorder_it_is_just_a_program(self):
        program = self.compile("endings.c")
        for socket in ("/nonexistent/socket", "", "x" * 300):
            env = {**os.environ, "LD_PRELOAD": str(LIBRARY), "UBIHEAP_PRELOAD_SOCKET": socket, "TRUTH": "/dev/null"}
            ran = subprocess.run([program, "_exit"], env=env, check=False)
            self.assertEqual(ran.returncode, 3)

    def test_a_program_waits_for_a_slow_reader_and_loses_nothing(self):
        self.record([self.compile("storm.c"), "8000000"], ["quiet=1", "hold=1"])
        recording = self.recording()
        self.assertGreaterEqual(recording.counters["allocations"], 8000000)
        self.assertGreater(recording.counters["waits"], 0)
        self.assert_nothing_lost(recording)

    def test_a_program_continues_when_the_reader_is_gone(self):
        sign = self.folder / "done"
        self.record([self.compile("storm.c"), "20000000", sign], ["quiet=1", "leave=150"], check=124)
        while not sign.exists():
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
