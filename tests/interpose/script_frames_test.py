#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Frames of scripts in recorded stacks, from an interpreter of our own (programs/interpreter_of_nothing.c): in their places, on their threads, never
in a handler that interrupted the interpreter."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import FOLLOW_CHILDREN, SOURCE, Alloc, InterposeTest  # noqa: E402


class ScriptFrames(InterposeTest):
    def run_program(self, how, *options):
        self.record([self.compile("interpreter_of_nothing.c", f"-I{SOURCE / 'src'}"), how], options)
        recording = self.recording()
        self.assert_nothing_lost(recording)
        return recording

    def scripts(self, recording, event):
        return [(n.function, n.file, n.line, n.column) for n in recording.stack(event.trace) if n.kind == "script"]

    def allocations(self, recording):
        return [e for e in recording.told() if isinstance(e, Alloc) and e.size > 50]

    def check_sizes(self, recording):
        """Of blocks whose size says who asked for them. -> how many there were."""
        n = 0
        for event in self.allocations(recording):
            function, line = divmod(event.size, 100000)
            if 1 <= function <= 3:
                self.assertEqual(self.scripts(recording, event)[:1], [(f"f{function}", "script.x", line, 7)])
                n += 1
        return n

    def test_each_stands_where_the_interpreter_would(self):
        recording = self.run_program("plain")
        events = [e for e in self.allocations(recording) if e.size // 100000]
        self.assertEqual(len(events), 50 * 3 * 4 + 4)
        self.assertEqual(self.check_sizes(recording), len(events))
        deep = [e for e in events if e.size == 100002][0]
        kinds = [node.kind for node in recording.stack(deep.trace)]
        self.assertEqual(kinds[1:4], ["script"] * 3)  # helper, three of them, plain, main, start
        self.assertNotIn("script", kinds[4:])
        self.assertEqual(self.scripts(recording, deep),
                         [("f1", "script.x", 2, 7), ("f2", "script.x", 4, 7), ("f3", "script.x", 4, 7)])
        for event in self.allocations(recording):
            if event.size in (77, 78):
                self.assertEqual(self.scripts(recording, event), [])

    def test_a_runtime_inside_of_another(self):
        recording = self.run_program("plain")
        last = [e for e in self.allocations(recording) if e.size == 100009][-1]
        self.assertEqual(self.scripts(recording, last), [("f1", "script.x", 9, 7), ("f8", "script.x", 42, 7)])

    def test_runtimes_come_and_continue_many_threads(self):
        recording = self.run_program("threads")
        self.assertEqual(self.check_sizes(recording), 4 * 300 * (8 + 4))

    def test_an_interrupted_interpreter_is_not_asked(self):
        recording = self.run_program("signals")
        handled = [e for e in self.allocations(recording) if e.size == 555]
        self.assertEqual(len(handled), 100)
        self.assertEqual([self.scripts(recording, e) for e in handled], [[]] * 100)
        self.assertEqual(self.check_sizes(recording), 4)

    def test_a_child_has_them_too(self):
        self.run_program("fork", f"flags={FOLLOW_CHILDREN}")
        child = self.recording(1)
        sizes = [e.size for e in child.events if isinstance(e, Alloc) and e.size // 100000]
        self.assertEqual(len(sizes), 8)
        for event in child.events:
            if isinstance(event, Alloc) and event.size // 100000:
                self.assertEqual(self.scripts(child, event)[0][:1], (f"f{event.size // 100000}",))

    def test_stacks_are_cut_at_the_greatest_depth(self):
        recording = self.run_program("plain", "depth=3")
        deep = [e for e in self.allocations(recording) if e.size == 100002][0]
        stack = recording.stack(deep.trace)
        self.assertEqual([node.kind for node in stack], [0, "script", "script", 1])

    def test_what_only_looks_like_an_interpreter_is_read_with_care(self):
        program = self.compile("no_python.c", "-rdynamic")
        for how, trouble in ("nothing", 0), ("unmapped", 0), ("circle", 2), ("random", 2), ("version", 1):
            with self.subTest(how):
                self.record([program, how], name=f"out.{how}")
                recording = self.recording()
                self.assert_nothing_lost(recording)
                events = [e for e in self.allocations(recording) if e.size >= 5000]
                self.assertEqual(len(events), 300)
                self.assertEqual([self.scripts(recording, e) for e in events], [[]] * 300)
                self.assertEqual(recording.counters["scripts"], trouble)


if __name__ == "__main__":
    unittest.main()
