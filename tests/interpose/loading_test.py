#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Early start-up, constructors and destructors, libraries that come and go."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import Alloc, InterposeTest  # noqa: E402


class Loading(InterposeTest):
    def plugin(self, name, size, padding, *options):
        return self.compile("plugin.cpp", "-shared", "-fPIC", f"-DSIZE={size}", f"-DPADDING={padding}", *options,
                            output=f"lib{name}.so")

    def test_allocations_of_constructors_and_destructors(self):
        library = self.compile("early_library.c", "-shared", "-fPIC", output="libearly.so")
        program = self.compile("early.c", str(library), f"-Wl,-rpath,{self.folder}")
        self.record([program], environment={"LD_PRELOAD_BEHIND": str(library)})
        recording = self.recording()
        sizes = [e.size for e in recording.events if isinstance(e, Alloc) and 31000 < e.size < 32000]
        self.assertEqual(sorted(sizes), [31001, 31002, 31003, 31004, 31005])
        self.assert_nothing_lost(recording)
        self.assertEqual(recording.counters["failed_walks"], 0, "nobody called the loader")

    def test_the_recorder_asks_the_loader_for_nothing(self):
        """No call of dlsym, and no error message of the loader among what was allocated."""
        library = self.compile("early_library.c", "-shared", "-fPIC", output="libearly.so")
        self.record([self.compile("early.c", str(library), f"-Wl,-rpath,{self.folder}")])
        allocs = [e for e in self.recording().events if isinstance(e, Alloc)]
        # The library's constructor runs before the recorder's, so the look-up is in the middle of its malloc.
        self.assertEqual([e.size for e in allocs[:2]], [31001, 31002])

    def test_an_allocator_with_the_older_table_of_symbols(self):
        safe = self.compile("signal_safe_allocator.c", "-shared", "-fPIC", "-Wl,--hash-style=sysv", output="libsafe.so")
        self.record([self.compile("storm.c"), "400"], environment={"LD_PRELOAD_BEHIND": str(safe)})
        addresses = [e.address for e in self.recording().events if isinstance(e, Alloc)]
        self.assertGreater(len(addresses), 300)
        self.assertEqual(len(addresses), len(set(addresses)), "it never gives a block twice: this was the C library's malloc")

    def test_a_library_instead_of_another(self):
        first, second = self.plugin("first", 111, 7), self.plugin("second", 222, 300)
        ran = self.record([self.compile("loader.c"), first, second, first, second])
        places = [int(line, 16) >> 12 for line in ran.stdout.split()]
        self.assertLess(len(set(places)), 4, "none took the place of another: this shows nothing")
        recording = self.recording()
        allocs = [e for e in recording.events if isinstance(e, Alloc) and e.size in (111, 222) and e.word == "new"]
        self.assertEqual([e.size for e in allocs], ([111] * 3 + [222] * 3) * 2)
        for event in allocs:
            leaf = recording.traces[event.trace]
            self.assertEqual(recording.modules[leaf.module].path, str(first if event.size == 111 else second))
            # main is known whatever is loaded
            self.assertEqual(recording.modules[recording.traces[leaf.caller].module].path, "")
        self.assert_nothing_lost(recording)

    def test_a_plugin_in_cxx_of_a_program_in_c(self):
        """Its run-time library is nobody else's (RTLD_LOCAL), and its operator new is found all the same."""
        self.record([self.compile("loader.c"), self.plugin("plugin", 333, 9)])
        sizes = [(e.word, e.size) for e in self.recording().events if isinstance(e, Alloc) and e.size == 333]
        self.assertEqual(sizes, [("new", 333)] * 3)

    def test_a_plugin_in_cxx_without_its_run_time_library(self):
        """Nobody has an operator new but the recorder: it is one event all the same."""
        self.record([self.compile("loader.c"), self.plugin("bare", 777, 9, "-nodefaultlibs", "-lc")])
        events = [e.word for e in self.recording().events if isinstance(e, Alloc) and e.size == 777]
        self.assertEqual(events, ["new"] * 3)
        self.assert_nothing_lost(self.recording())

    def test_deep_binding_is_removed_and_counted(self):
        self.record([self.compile("loader.c"), "deep", self.plugin("plugin", 444, 9)])
        recording = self.recording()
        sizes = [(e.word, e.size) for e in recording.events if isinstance(e, Alloc) and e.size == 444]
        self.assertEqual(sizes, [("new", 444)] * 3)
        self.assertEqual(recording.counters["deep_binds"], 1)

    def test_libraries_are_searched_where_the_caller_says(self):
        (self.folder / "sub").mkdir()
        self.plugin("hidden", 555, 9).rename(self.folder / "sub" / "libhidden.so")
        program = self.compile("loader.c", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/sub")
        self.record([program, "libhidden.so"])


if __name__ == "__main__":
    unittest.main()
