#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program under `ubiheap run --listen` does, and what it allocates, as clients of the remote protocol see it: the timeline and memprof
actors. Cases that the protocol's description lists row by row are in src/rdp/timeline_actor_test.c; here is what takes a real program."""
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from rdp_client import UBIHEAP, Client, running

# Works each time a timer fires: a label on the console, garbage in a cycle, and something that stays.
TURNS = """
globalThis.kept = [];
function waste() { const a = {}; a.self = a; }
function turn() { console.time("turn"); for (let i = 0; i < 100; i++) waste(); kept.push(new Array(50)); console.timeEnd("turn"); }
setInterval(turn, 2);
"""


class Program(unittest.TestCase):
    """One program for all tests of a class, a connection for each."""
    CODE = TURNS

    @classmethod
    def setUpClass(cls):
        cls.program = running(code=cls.CODE)
        cls.port, cls.process = cls.program.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.program.__exit__(None, None, None)

    def setUp(self):
        self.client = Client(self.port)
        self.addCleanup(self.client.close)
        self.form = self.client.targets()[0]

    def ask(self, actor, type_, **members):
        return self.client.request(self.form[actor], type_, **members)


class Timeline(Program):
    def setUp(self):
        super().setUp()
        self.last = []  # markers that were not looked at

    def start(self, **members):
        return self.ask("timelineActor", "start", **members)["value"]

    def stop(self):
        return self.ask("timelineActor", "stop")["value"]

    def markers_until(self, is_wanted):
        """The first marker that is wanted."""
        while True:
            for i, marker in enumerate(self.last):
                if is_wanted(marker):
                    del self.last[:i + 1]
                    return marker
            self.last = self.client.event("markers")["markers"]

    def test_times_are_those_of_the_process(self):
        started = self.start(withMarkers=True)
        marker = self.markers_until(lambda m: m["name"] == "ConsoleTime")
        stopped = self.stop()
        self.assertLess(0, started)
        self.assertTrue(started <= marker["start"] <= marker["end"] <= stopped, (started, marker, stopped))

    def test_markers_say_where_and_why(self):
        self.start(withMarkers=True)
        marker = self.markers_until(lambda m: m["name"] == "ConsoleTime")
        self.assertEqual((marker["causeName"], marker["stack"]["functionDisplayName"], marker["stack"]["source"]),
                         ("turn", "turn", "<cmdline>"))
        self.assertGreater(marker["endStack"]["column"], marker["stack"]["column"])
        run = self.markers_until(lambda m: m["name"] == "Javascript")
        self.assertEqual((run["causeName"], run["isOffMainThread"], run["processType"]), ("setInterval handler", False, 0))

    def test_stacks_are_indices_of_the_frames_that_were_sent(self):
        self.start(withMarkers=True, withFrames=True)
        marker = self.markers_until(lambda m: m["name"] == "ConsoleTime")
        frames = self.client.event("frames")["frames"]
        self.assertIsNone(frames[0])
        frame = frames[marker["stack"]]
        self.assertEqual((frame["functionDisplayName"], frame["source"]), ("turn", "<cmdline>"))
        for i, frame in enumerate(frames[1:], 1):
            self.assertTrue(frame["parent"] < i and frame["asyncParent"] < i)
        self.markers_until(lambda m: m["start"] > marker["end"])
        self.stop()
        self.client.request("root", "getRoot")
        tables = [event["frames"] for event in self.client.events if event["type"] == "frames"]
        self.assertTrue(all(None not in table for table in tables))

    def test_each_collection_is_a_marker(self):
        self.start(withGCEvents=True)
        numbers = []
        for _ in range(3):
            self.ask("memoryActor", "forceGarbageCollection")
            marker = self.markers_until(lambda m: m["causeName"] == "API")
            self.assertEqual((marker["name"], marker["nonincrementalReason"]), ("GarbageCollection", "GC mode"))
            self.assertLessEqual(marker["start"], marker["end"])
            numbers.append(marker["cycle"])
        self.assertEqual(numbers, sorted(set(numbers)))
        self.stop()
        self.client.request("root", "getRoot")
        self.client.events.clear()
        self.ask("memoryActor", "forceGarbageCollection")
        self.client.request("root", "getRoot")
        self.assertEqual([event["type"] for event in self.client.events], [])

    def test_collections_are_in_the_markers_once(self):
        self.start(withMarkers=True, withGCEvents=True)
        self.ask("memoryActor", "forceGarbageCollection")
        found = self.markers_until(lambda m: m["name"] == "GarbageCollection")
        self.stop()
        self.client.request("root", "getRoot")
        again = [m for event in self.client.events if event["type"] == "markers" for m in event["markers"]
                 if m["name"] == "GarbageCollection" and m["cycle"] == found["cycle"]]
        self.assertEqual(again, [])

    def test_memory_and_ticks_come_with_each_pull(self):
        self.start(withTicks=True, withMemory=True)
        ticks, numbers = [], []
        while len(numbers) < 2:
            ticks.append(self.client.event("ticks"))
            numbers += [float(text) for text in ticks[-1]["timestamps"].split(",") if text]
        memory = [self.client.event("memory") for _ in ticks]
        measured = self.ask("memoryActor", "measure")
        for event in memory:
            self.assertEqual(set(event["measurement"]), set(measured) - {"from"})
            self.assertGreater(event["measurement"]["total"], 0)
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual([event["delta"] for event in ticks], [event["delta"] for event in memory])
        self.assertEqual([e for e in self.client.events if e["type"] == "markers"], [])

    def test_what_the_program_waits_for_is_a_pause(self):
        self.start(withMarkers=True)
        self.ask("memoryActor", "attach")
        self.ask("memoryActor", "takeCensus")
        saved = self.ask("memoryActor", "saveHeapSnapshot")
        self.client.evaluate("1 + 1")
        for label, within in (("memory.attach", None), ("memory.takeCensus", "ubiheap::Census"),
                              ("memory.saveHeapSnapshot", "ubiheap::SaveSnapshot"), ("console.evaluateJSAsync", "Javascript")):
            pause = self.markers_until(lambda m, label=label: m["name"] == "ubiheap::Pause" and m["causeName"] == label)
            self.assertFalse(pause["isOffMainThread"])
            if label == "memory.saveHeapSnapshot":
                self.assertTrue(0 < saved["pauseMilliseconds"] <= pause["end"] - pause["start"])
            if within:
                inner = self.within(pause, within)
                self.assertTrue(pause["start"] <= inner["start"] <= inner["end"] <= pause["end"])

    def within(self, outer, name):
        """The first of a name that begins after another marker: in the same event, which markers_until has put aside."""
        return next(m for m in self.last if m["name"] == name and m["start"] >= outer["start"])

    def test_pulls_are_no_pauses_but_sizes_are(self):
        self.start(withMarkers=True, withMemory=True)
        seen = set()
        for _ in range(3):
            self.client.event("memory")
            seen |= {m["causeName"] for m in self.client.event("markers")["markers"] if m["name"] == "ubiheap::Pause"}
        self.assertEqual(seen, {"timeline.memory"})

    def test_two_clients_have_timelines_of_their_own(self):
        other = Client(self.port)
        self.addCleanup(other.close)
        of_other = other.targets()[0]["timelineActor"]
        self.start(withMarkers=True)
        self.assertFalse(other.request(of_other, "isRecording")["value"])
        other.request(of_other, "start", withMarkers=True)
        self.stop()
        self.assertTrue(other.request(of_other, "isRecording")["value"])
        self.assertTrue(other.event("markers")["markers"])

    def test_a_client_that_leaves_while_it_records_leaves_nothing(self):
        for _ in range(3):
            other = Client(self.port)
            form = other.targets()[0]
            other.request(form["timelineActor"], "start", withMarkers=True, withGCEvents=True, withMemory=True)
            other.request(form["memprofActor"], "startProfiler")
            other.close()
        self.assertFalse(self.ask("timelineActor", "isRecording")["value"])
        while self.ask("memprofActor", "getResults")["ret"] is None:  # it records until those who began are gone
            pass


class File(unittest.TestCase):
    def test_pauses_are_in_the_file_of_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.jsonl"
            with running(code="globalThis.timer = setInterval(() => {}, 2)", extra=("--timeline", str(file))) as (port, process):
                client = Client(port)
                client.request(client.memory(), "measure")
                client.evaluate("clearInterval(timer)")
                client.close()
                process.wait()
            shown = json.loads(subprocess.run([UBIHEAP, "timeline", "--json", file], capture_output=True, check=True).stdout)
            page = subprocess.run([UBIHEAP, "timeline", file], capture_output=True, text=True, check=True).stdout
        pauses = [row for row in shown["byMarker"] if row["label"] == "ubiheap::Pause"]
        self.assertEqual([row["count"] for row in pauses], [2])
        self.assertRegex(page, r"ubiheap::Pause memory\.measure\s")  # in the tree or, where that is deep, in the list below it


class Memprof(Program):
    def test_what_was_allocated_and_where(self):
        # What the program keeps: 50 slots of 16 bytes in each turn.
        self.assertNotIn("ret", self.ask("memprofActor", "startProfiler"))
        before = self.client.evaluate("kept.length")["result"]
        while self.client.evaluate("kept.length")["result"] < before + 300:
            pass
        self.assertIsNone(self.ask("memprofActor", "getResults")["ret"])
        self.ask("memprofActor", "stopProfiler")
        first = self.ask("memprofActor", "getResults")["ret"]
        self.assertEqual(list(first), ["names", "traces", "events"])
        self.assertEqual(first, self.ask("memprofActor", "getResults")["ret"])
        names, traces, events = first["names"], first["traces"], first["events"]
        self.assertEqual((names[0], traces[0]), ("(unknown)", {"nameIdx": 0, "parentIdx": 0}))
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(all(trace["parentIdx"] < i for i, trace in enumerate(traces) if i))
        self.assertTrue(all(list(event) == ["size", "traceIdx", "timestamp"] and event["size"] % 65536 == 0 and event["size"]
                            for event in events))
        times = [event["timestamp"] for event in events]
        self.assertEqual(times, sorted(times))
        stacks = set()
        for event in events:
            at, stack = event["traceIdx"], []
            while at:
                stack.append(names[traces[at]["nameIdx"]])
                at = traces[at]["parentIdx"]
            stacks.add(" < ".join(name.split()[0] for name in stack if "<cmdline>" in name))
        self.assertIn("turn", stacks | {stack.split(" < ")[-1] for stack in stacks}, json.dumps(sorted(stacks)))
        self.ask("memprofActor", "resetProfiler")
        self.assertIsNone(self.ask("memprofActor", "getResults")["ret"])

    def test_results_that_are_longer_than_any_request_arrive_whole(self):
        self.ask("memprofActor", "startProfiler")
        self.client.evaluate("for (let i = 0; i < 30000; i++) new ArrayBuffer(1 << 20)")
        self.ask("memprofActor", "stopProfiler")
        results = self.ask("memprofActor", "getResults")["ret"]
        self.assertGreater(len(json.dumps(results)), 1 << 20)
        allocated = sum(event["size"] for event in results["events"] if event["size"] > 0)
        self.assertAlmostEqual(allocated / (30000 << 20), 1, delta=0.05)
        self.assertLess(abs(sum(event["size"] for event in results["events"])), 64 << 20)  # what the program keeps

    def test_one_stop_ends_what_was_started_twice(self):
        self.ask("memprofActor", "startProfiler")
        self.ask("memprofActor", "startProfiler")
        self.ask("memprofActor", "stopProfiler")
        self.assertIsNotNone(self.ask("memprofActor", "getResults")["ret"])
        self.ask("memprofActor", "startProfiler")
        self.ask("memprofActor", "resetProfiler")  # is ignored
        self.ask("memprofActor", "stopProfiler")
        self.assertIsNotNone(self.ask("memprofActor", "getResults")["ret"])


if __name__ == "__main__":
    unittest.main()
