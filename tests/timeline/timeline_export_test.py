#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `ubiheap timeline` exports is what the file says, and in a shape that viewers take.

Random timelines, with markers that overlap without nesting, and the files of tests/data/timeline. Each marker must be in the
export once, with its time, name, details and stack. Trace events: boxes of a thread never stick out of each other, which is what
Perfetto and chrome://tracing cannot draw. Gecko profiles: every tuple has the columns of its schema, every index is valid.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

UBIHEAP = os.environ.get("UBIHEAP", "")
if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
    print("skipped: UBIHEAP does not name the tool")
    sys.exit(77)
DATA = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2]) / "tests/data/timeline"

HEADER = {"schema": "ubiheap.timeline-log/1", "record": "header", "program": "random.js", "pid": 99,
          "startTimeUs": 1700000000123456}


def random_timeline(seed):
    """Lines of a file: frames in a tree, markers of three threads that overlap as they like, memory that goes up and down."""
    rng = random.Random(seed)
    lines = [HEADER]
    for number in range(1, 31):
        frame = {"record": "frame", "frame": number, "functionDisplayName": f"f{number}", "source": "a (1).js",
                 "line": number, "column": 2}
        if number > 1:
            frame[rng.choice(["parent", "parent", "asyncParent"])] = rng.randrange(1, number)
        if rng.random() < 0.3:
            frame["asyncCause"] = "setTimeout handler"
        lines.append(frame)
    for _ in range(300):
        start = rng.randrange(0, 10**9)
        marker = {"record": "marker", "name": rng.choice(["Javascript", "A", "GarbageCollection", "ConsoleTime", "TimeStamp"]),
                  "start": start / 10**6, "thread": rng.choice([99, 100, 101]), "details": {"number": rng.random()}}
        if rng.random() < 0.95:
            marker["end"] = (start + rng.choice([0, 1, 1000, 10**6, 10**8])) / 10**6
        if rng.random() < 0.7:
            marker["stack"] = rng.randrange(1, 31)
        if rng.random() < 0.3:
            marker["endStack"] = rng.randrange(1, 31)
        lines.append(marker)
    for time in range(0, 1000, 100):
        lines.append({"record": "memory", "time": time, "total": rng.randrange(10**6), "jsObjectsSize": 5})
    return lines


def frame_name(frame):
    """As a profile and a trace call it."""
    place = ":".join(str(part) for part in (frame.get("source"), frame.get("line"), frame.get("column")) if part)
    function = frame.get("functionDisplayName")
    return f"{function} ({place})" if function and place else function or place or "(anonymous)"


class Source:
    """A file of a timeline, taken at its word."""

    def __init__(self, lines):
        of = lambda record: [line for line in lines if line.get("record") == record]
        self.markers, self.memory = of("marker"), of("memory")
        self.frames = {frame["frame"]: frame for frame in of("frame")}

    def stack(self, number):
        """Names from the youngest on; what led to a frame asynchronously stands below a label."""
        names = []
        while number in self.frames:
            frame = self.frames[number]
            names.append(frame_name(frame))
            number = frame.get("parent")
            if not number and frame.get("asyncParent"):
                number = frame["asyncParent"]
                names.append(f"(async: {self.frames[number].get('asyncCause', '')})")
        return names

    def key(self, marker):
        return (round(marker["start"] * 10**6), marker["name"])


class Exports(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ubiheap-timeline-")
        self.addCleanup(self.folder.cleanup)

    def sources(self):
        for name in ("small", "hostile"):
            text = (DATA / f"{name}.timeline").read_text()
            yield name, Source([json.loads(line) for line in text.splitlines()]), DATA / f"{name}.timeline"
        for seed in range(8):
            lines = random_timeline(seed)
            path = pathlib.Path(self.folder.name) / f"{seed}.timeline"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            yield f"random {seed}", Source(lines), path

    def exported(self, form, path):
        done = subprocess.run([UBIHEAP, "timeline", "--format", form, path], capture_output=True, check=True)
        return json.loads(done.stdout)

    # ---- trace events -------------------------------------------------------------------------------------------------

    def test_trace_events_have_each_marker_once(self):
        for name, source, path in self.sources():
            with self.subTest(name):
                events = [e for e in self.exported("chrome", path)["traceEvents"] if e["ph"] in "XiBb"]
                self.assertEqual(sorted(round(e["ts"] * 1000) for e in events),
                                 sorted(self.trace_start(m) for m in source.markers))
                self.assertEqual(sum(e["ph"] == "i" for e in events),
                                 sum(m.get("end") == m["start"] for m in source.markers))
                open_ones = sum("end" not in m and m["name"] != "ConsoleTime" for m in source.markers)
                self.assertLessEqual(sum(e["ph"] == "B" for e in events), open_ones)

    def trace_start(self, marker):
        return round(round(marker["start"] * 10**6) / 1000 * 1000)

    def test_boxes_of_a_thread_never_stick_out(self):
        for name, _, path in self.sources():
            with self.subTest(name):
                by_thread = {}
                for event in self.exported("chrome", path)["traceEvents"]:
                    if event["ph"] == "X":
                        start = round(event["ts"] * 1000)
                        by_thread.setdefault(event["tid"], []).append((start, start + round(event["dur"] * 1000)))
                for boxes in by_thread.values():
                    ends = []
                    for start, end in boxes:
                        while ends and ends[-1] <= start:
                            ends.pop()
                        self.assertTrue(not ends or end <= ends[-1], (start, end))
                        ends.append(end)

    def test_asynchronous_events_come_in_pairs(self):
        for name, source, path in self.sources():
            with self.subTest(name):
                events = self.exported("chrome", path)["traceEvents"]
                begins = {(e["id"], e["cat"], e["name"], e["tid"]): e["ts"] for e in events if e["ph"] == "b"}
                ends = {(e["id"], e["cat"], e["name"], e["tid"]): e["ts"] for e in events if e["ph"] == "e"}
                self.assertEqual(begins.keys(), ends.keys())
                self.assertTrue(all(begins[key] <= ends[key] for key in begins))
                timers = [m for m in source.markers if m["name"] == "ConsoleTime" and m.get("end") != m["start"]]
                self.assertGreaterEqual(len(begins), len(timers))

    def test_trace_events_have_their_stacks(self):
        for name, source, path in self.sources():
            with self.subTest(name):
                trace = self.exported("chrome", path)
                frames = trace["stackFrames"]
                self.assertTrue(all(f.get("parent", "0") in frames for f in frames.values()))
                shown = sorted(tuple(e["args"]["stack"]) for e in trace["traceEvents"] if "stack" in e.get("args", {}))
                stacks = [source.stack(m["stack"]) for m in source.markers if m.get("stack") in source.frames]
                self.assertEqual(shown, sorted(tuple(stack[:16]) for stack in stacks))
                linked = []
                for event in trace["traceEvents"]:
                    names, at = [], event.get("sf")
                    while at:
                        names.append(frames[at]["name"])
                        at = frames[at].get("parent")
                    linked += [tuple(names)] if names else []
                self.assertEqual(sorted(linked), sorted(map(tuple, stacks)))

    def test_memory_is_counted(self):
        for name, source, path in self.sources():
            with self.subTest(name):
                counted = [(e["ts"], e["args"]["bytes"]) for e in self.exported("chrome", path)["traceEvents"]
                           if e["ph"] == "C" and e["name"] == "total"]
                self.assertEqual(counted, [(m["time"] * 1000, m["total"]) for m in source.memory])

    # ---- Gecko profiles -----------------------------------------------------------------------------------------------

    def rows(self, table):
        columns = sorted(table["schema"], key=table["schema"].get)
        for row in table["data"]:
            self.assertEqual(len(row), len(columns))
            yield dict(zip(columns, row))

    def stack_names(self, thread, stack):
        stacks, frames = list(self.rows(thread["stackTable"])), list(self.rows(thread["frameTable"]))
        names = []
        while stack is not None:
            prefix = stacks[stack]["prefix"]
            self.assertTrue(prefix is None or prefix < stack)
            names.append(thread["stringTable"][frames[stacks[stack]["frame"]]["location"]])
            stack = prefix
        return names

    def test_profiles_have_each_marker_once_with_its_stack(self):
        for name, source, path in self.sources():
            with self.subTest(name):
                profile = self.exported("firefox", path)
                self.assertEqual(profile["threads"][0]["name"], "GeckoMain")
                found = []
                for thread in profile["threads"]:
                    for row in self.rows(thread["markers"]):
                        self.assertIn(row["category"], range(len(profile["meta"]["categories"])))
                        stack = row["data"].get("stack")
                        names = []
                        if stack:
                            self.assertEqual(stack["tid"], thread["tid"])
                            (sample,) = self.rows(stack["samples"])
                            names = self.stack_names(thread, sample["stack"])
                        found.append((float(thread["tid"]), thread["stringTable"][row["name"]], row["startTime"],
                                      row["endTime"] if row["phase"] == 1 else None, row["phase"], names))
                wanted = [(float(m["thread"]), m["name"], m["start"], m["end"] if m.get("end", m["start"]) != m["start"] else None,
                           0 if m.get("end") == m["start"] else 1 if "end" in m else 2,
                           source.stack(m.get("stack"))) for m in source.markers]
                order = lambda row: json.dumps(row[:3])
                self.assertEqual(sorted(map(str, found)), sorted(map(str, wanted)))
                self.assertEqual(sorted(map(order, found)), sorted(map(order, wanted)))

    def test_details_are_fields_that_the_schema_names(self):
        for name, source, path in self.sources():
            with self.subTest(name):
                profile = self.exported("firefox", path)
                (schema,) = profile["meta"]["markerSchema"]
                fields = {field["key"] for field in schema["data"]}
                details = {f"detail:{key}" for m in source.markers for key in m.get("details", {})}
                self.assertEqual(fields, details | {"endedIn"})
                for thread in profile["threads"]:
                    for row in self.rows(thread["markers"]):
                        own = {key for key in row["data"] if key.startswith("detail:")}
                        self.assertLessEqual(own, fields)
                        self.assertLessEqual(row["data"].keys() - own, {"type", "label", "stack", "endedIn"})
                ended = [row["data"]["endedIn"] for thread in profile["threads"] for row in self.rows(thread["markers"])
                         if "endedIn" in row["data"]]
                self.assertEqual(sorted(ended), sorted(source.stack(m["endStack"])[0] for m in source.markers
                                                       if m.get("endStack") in source.frames))

    def test_counters_add_up_to_the_memory(self):
        for name, source, path in self.sources():
            with self.subTest(name):
                (counter,) = [c for c in self.exported("firefox", path)["counters"] if c["name"] == "total"]
                rows, sums, total = list(self.rows(counter["samples"]))[1:], [], 0
                for row in rows:
                    total += row["count"]
                    sums.append((row["time"], total))
                self.assertEqual(sums, [(m["time"], m["total"]) for m in source.memory])


if __name__ == "__main__":
    unittest.main()
