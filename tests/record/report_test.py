#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a report and `info` say of programs that were really recorded: pools, cut stacks, mappings, and the index of the file."""
import json
import subprocess
import time
import unittest

import record_place

RESERVE = "libstdc++'s reserve for exceptions"


class Reports(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)
        self.program = self.place.compile("pools", source=record_place.HERE / "programs" / "pools.cpp", compiler="g++")

    def record(self, depth=3, mebibytes=0, options=("--exact",)):
        done = self.place.record(self.program, depth, mebibytes, options=options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def hold(self, mebibytes, options=("--exact",)):
        """Until the recorder has seen it."""
        running = self.place.start(self.program, 3, mebibytes, "wait", options=options, stdin=subprocess.PIPE)
        while max(self.place.recording().resident, default=0) <= mebibytes << 20:
            time.sleep(0.1)
        running.communicate()
        self.assertEqual(running.returncode, 0)

    def tell(self, *arguments):
        done = subprocess.run([record_place.UBIHEAP, *arguments], cwd=self.place.folder, capture_output=True, text=True,
                              env=self.place.environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def document(self, *arguments):
        return json.loads(self.tell("report", "--json", *arguments, "out.ubirec"))

    MAPS = """
#include <stdlib.h>
#include <sys/mman.h>
static void *take(void) { return mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
int main(int argc, char **argv) {
    void *volatile kept = take();
    (void)argv;
    munmap(take(), 1 << 20);
    if (argc > 1)
        kept = malloc(50000);
    return kept == 0;
}
"""

    def maps(self, *arguments):
        source = self.place.folder / "maps.c"
        source.write_text(self.MAPS)
        program = self.place.compile("maps", source=source)
        done = self.place.record(program, *arguments, options=("--exact", "--mappings"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_mappings_alone_are_not_taken_for_the_heap(self):
        self.maps()
        for options in ((), ("--by", "peak"), ("--detail",)):
            page = self.tell("report", *options, "out.ubirec")
            self.assertIn("\nMappings of memory; of the heap, nothing was recorded\n", page)
            self.assertRegex(page, r"\nNot freed +1\.00 MiB in 1 mapping\n")
            self.assertNotRegex(page, r"\d allocation")
        self.assertRegex(self.tell("allocations", "out.ubirec"), r"\A2\.00 MiB in 2 mappings; ")
        self.assertEqual({site["class"] for site in self.document()["sites"]}, {"mapping"})

    def test_mappings_beside_the_heap_have_places_of_their_own(self):
        self.maps("malloc")
        for options in ((), ("--by", "peak"), ("--detail",)):
            heap, mappings = self.tell("report", *options, "out.ubirec").split("\nMappings (parts of the heap may be inside them)\n")
            self.assertRegex(heap, r"\nMappings +2\.00 MiB in 2 mappings; at the peak ")
            self.assertRegex(heap.split("Place, and who called it")[1], r"\A\n +48\.8 KiB .* main")
            self.assertRegex(mappings.split("Place, and who called it")[1], r"\A\n +\S+ MiB .* take")
        self.assertIn("in 1 allocation; ", self.tell("allocations", "out.ubirec"))
        self.assertIn("\nOf the heap alone: 'ubiheap report' has the places that asked for mappings.\n", self.tell("allocations", "out.ubirec"))
        self.assertEqual({site["class"] for site in self.document()["sites"]}, {"heap", "mapping"})

    def test_what_the_library_keeps_on_purpose_is_no_leak(self):
        self.record()
        page = self.tell("report", "--by", "leaked", "out.ubirec")
        self.assertRegex(page, r"\n  kept on purpose: " + RESERVE.replace("+", r"\+") + r", 7[12]\.0 KiB\n")
        self.assertNotIn("libstdc++.so", page.split("kept on purpose")[0].split("Place, and who called it")[-1])
        found = [site for site in self.document()["sites"] if site["pool"] == RESERVE]
        self.assertEqual([site["leaked"]["count"] for site in found], [1])
        rows = [line.split("\t") for line in self.tell("report", "-c", "leaked,pool", "out.ubirec").splitlines()]
        self.assertIn(RESERVE, [row[1] for row in rows])

    def test_what_the_library_keeps_on_purpose_fails_no_condition(self):
        self.record()
        heap = self.document()["heap"]
        self.assertEqual(heap["pools"]["count"], 1)
        self.assertIn(heap["pools"]["bytes"], (72704, 73728))
        self.assertEqual(heap["leaked"], heap["pools"])
        self.tell("report", "--fail-on", "leaked > 0 or leakedCount > 0", "out.ubirec")
        done = subprocess.run([record_place.UBIHEAP, "report", "--fail-on", "pools > 64KiB", "out.ubirec"],
                              cwd=self.place.folder, capture_output=True, text=True, env=self.place.environment)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"condition holds: pools > 64KiB; pools is 7[12]\.0 KiB")

    def test_what_the_library_keeps_on_purpose_is_named_in_all_lists(self):
        self.record()
        page = " ".join(self.tell("report", "--by", "peak", "out.ubirec").split())
        self.assertIn("kept on purpose: " + RESERVE, page)
        self.assertIn("kept on purpose: " + RESERVE, self.tell("allocations", "--by", "peak", "out.ubirec"))
        functions = json.loads(self.tell("allocations", "--json", "--limit", "0", "out.ubirec"))["functions"]
        self.assertEqual([f["own"]["total"]["count"] for f in functions if f["pool"] == RESERVE], [1])

    def test_cut_stacks_are_counted(self):
        self.record(depth=20)
        self.assertEqual(self.document()["counters"]["truncatedStacks"], 0)
        self.record(depth=1000)
        self.assertEqual(self.document()["counters"]["truncatedStacks"], 50)
        self.assertIn("50 allocations with a stack that is deeper than the limit and was cut there",
                      self.tell("report", "out.ubirec").replace("\n    ", " "))

    def test_places_without_leaks_have_stacks(self):
        self.record()
        site = next(site for site in self.document()["sites"] if site["stack"] and site["stack"][0]["function"].startswith("deep"))
        self.assertEqual((site["leaked"]["count"], site["stackCount"]), (0, 1))

    def test_mappings_are_named_where_the_heap_explains_little(self):
        hint = "'record --mappings' also shows who asks the system for memory"
        self.hold(200)
        self.assertIn(hint, self.tell("report", "out.ubirec").replace("\n    ", " "))
        self.assertIn(hint, self.document()["hints"][-1])
        self.hold(200, options=("--exact", "--mappings"))
        self.assertNotIn(hint, self.tell("report", "out.ubirec").replace("\n    ", " "))
        self.record()
        self.assertNotIn(hint, self.tell("report", "out.ubirec").replace("\n    ", " "))

    def test_info_says_with_the_index_what_it_says_without(self):
        self.record(depth=200)
        path = self.place.folder / "out.ubirec"
        data = path.read_bytes()
        self.assertEqual(data[-8:], b"\x89UBIEND\n")
        index_bytes = int.from_bytes(data[-16:-8], "little") + 16
        said = json.loads(self.tell("info", "--json", "out.ubirec"))
        path.write_bytes(data[:-index_bytes])
        read = json.loads(self.tell("info", "--json", "out.ubirec"))
        self.assertEqual(said.pop("inputBytes") - read.pop("inputBytes"), index_bytes)
        self.assertEqual(said, read)
        # What it says without reading: events that nobody looked at may be anything.
        middle = len(data) - index_bytes - 100
        path.write_bytes(data[:middle] + b"X" * 50 + data[middle + 50:])
        self.assertEqual(json.loads(self.tell("info", "--json", "out.ubirec"))["allocationCount"], said["allocationCount"])


if __name__ == "__main__":
    unittest.main()
