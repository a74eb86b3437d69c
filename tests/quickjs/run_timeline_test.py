#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `ubiheap run --timeline` writes: what the host and its scripts did, in the facts that Firefox's own tests assert."""
import json
import signal
import unittest

import run_place

PATIENT = run_place.READY + "const wait = ms => new Promise(done => setTimeout(done, ms));\n"


class Timeline:
    """A file, read strictly: frames, threads and markers in the order that the format promises."""

    def __init__(self, path):
        # A program that was killed may have written a part of its last line.
        lines = [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
        self.header, self.frames, self.threads, self.markers, self.memory = lines[0], [None], {}, [], []
        self.ended = lines[-1].get("record") == "end"
        # The frames of a pull follow its markers.
        for line in sorted(lines[1:], key=lambda line: line["record"] != "frame"):
            getattr(self, "take_" + line["record"])(line)

    def take_frame(self, line):
        assert line["frame"] == len(self.frames)
        for key in ("parent", "asyncParent"):
            line[key] = self.frames[line.get(key) or 0]
        self.frames.append(line)

    def take_thread(self, line):
        self.threads[line["thread"]] = line.get("name")

    def take_marker(self, line):
        marker = {**line, **line.get("details", {})}
        for key in ("stack", "endStack"):
            marker[key] = self.frames[line.get(key) or 0]
        marker["on"] = self.threads.get(line.get("thread"))
        self.markers.append(marker)

    def take_memory(self, line):
        self.memory.append(line)

    def take_end(self, line):
        pass

    def named(self, name):
        return [marker for marker in self.markers if marker["name"] == name]

    def runs(self, cause):
        return [marker for marker in self.named("Javascript") if marker["causeName"] == cause]


def functions(frame):
    """Functions of a stack from the innermost out; "(cause)" before those that one hangs on."""
    names = []
    while frame:
        names.append(frame.get("functionDisplayName") or "")
        after = frame["parent"] or frame["asyncParent"]
        if after and not frame["parent"]:
            names.append(f"({after['asyncCause']})")
        frame = after
    return names


class RunTimeline(unittest.TestCase):
    def setUp(self):
        self.place = run_place.Place()
        self.addCleanup(self.place.temporary.cleanup)

    def read(self):
        return Timeline(self.place.folder / "t")

    def timeline(self, text, *options, code=0, **more):
        done = self.place.script(text, options=("--timeline", "t", *options), **more)
        self.assertEqual(done.returncode, code, done.stderr)
        self.said = done.stderr.decode()
        self.printed = done.stdout.decode()
        return self.read()


class WhatIsWritten(RunTimeline):
    def test_the_script_is_a_run_that_holds_what_it_did(self):
        t = self.timeline("function f() { gc() }\nconsole.log('printed');\nf();")
        self.assertEqual(self.printed, "printed\n")
        [run] = t.named("Javascript")
        [collection] = t.named("GarbageCollection")
        self.assertEqual((run["causeName"], run["stack"]["source"], run["on"]), ("script evaluation", "s.js", "main"))
        self.assertEqual((collection["causeName"], collection["nonincrementalReason"]), ("API", "GC mode"))
        self.assertLessEqual(run["start"], collection["start"])
        self.assertLessEqual(collection["end"], run["end"])
        [parse] = t.named("Parse JS")
        self.assertEqual(parse["causeName"], "s.js")
        self.assertLessEqual(parse["end"], run["start"])
        self.assertTrue(t.ended)
        self.assertRegex(self.said, r"^ubiheap: t: timeline: \d+ markers\n$")

    def test_a_module_and_what_it_imports(self):
        self.place.write("lib.js", "export const x = 1;")
        t = self.timeline("import { x } from './lib.js'; x;", name="m.mjs")
        self.assertEqual([run["stack"]["source"] for run in t.runs("module evaluation")], ["m.mjs"])
        self.assertEqual([parse["causeName"] for parse in t.named("Parse JS")], ["m.mjs", "lib.js"])

    def test_console_time_has_the_stacks_of_both_ends(self):
        """browser_timelineMarkers-frame-03: the first function on top of one, the second of the other."""
        t = self.timeline("function testConsoleTime() { console.time('FOO'); console.time('FOO') }\n"
                          "function testConsoleTimeEnd() { console.timeEnd('FOO'); console.timeEnd('FOO') }\n"
                          "testConsoleTime(); testConsoleTimeEnd(); console.timeStamp('paf'); console.timeStamp();")
        [time] = t.named("ConsoleTime")
        self.assertEqual(time["causeName"], "FOO")
        self.assertEqual(functions(time["stack"]), ["testConsoleTime", ""])
        self.assertEqual(functions(time["endStack"]), ["testConsoleTimeEnd", ""])
        labelled, bare = t.named("TimeStamp")
        self.assertEqual((labelled["causeName"], labelled["start"]), ("paf", labelled["end"]))
        self.assertNotIn("causeName", bare)
        self.assertNotIn("processType", labelled)

    def test_a_timer_that_ends_in_a_reaction_knows_who_waited(self):
        """browser_timelineMarkers-frame-05: the parent of the end's stack hangs on the creating function."""
        t = self.timeline("function testConsoleTime() { console.time('Bob') }\n"
                          "function testConsoleTimeEnd() { console.timeEnd('Bob') }\n"
                          "function makePromise() {\n  let resolver;\n"
                          "  new Promise(resolve => { testConsoleTime(); resolver = resolve })"
                          ".then(function(val) { testConsoleTimeEnd() });\n  return resolver\n}\n"
                          "function resolvePromise(resolver) { resolver(23) }\n"
                          "let resolver = makePromise();\nsetTimeout(() => resolvePromise(resolver), 1);")
        [time] = t.named("ConsoleTime")
        end = time["endStack"]
        self.assertEqual(end["functionDisplayName"], "testConsoleTimeEnd")
        self.assertEqual(end["parent"]["asyncParent"]["functionDisplayName"], "makePromise")
        self.assertEqual(end["parent"]["asyncParent"]["asyncCause"], "Promise")
        [callback] = t.runs("promise callback")
        self.assertEqual(callback["stack"]["asyncParent"]["asyncCause"], "promise callback")
        self.assertEqual(callback["stack"]["asyncParent"]["functionDisplayName"], "makePromise")

    def test_each_way_into_scripts_says_why(self):
        t = self.timeline(
            "import * as os from 'os'; import * as std from 'std';\n"
            "function sets() { setTimeout(function once() { gc() }, 1) }\nsets();\n"
            "let n = 0; const interval = setInterval(function often() { if (++n == 2) clearInterval(interval) }, 1);\n"
            "function queues() { queueMicrotask(function micro() { gc() }) }\nqueues();\n"
            "function setsInOs() { os.setTimeout(function libc() {}, 1) }\nsetsInOs();\n"
            "const [end, other] = os.pipe(); std.fdopen(other, 'w').close();\n"
            "os.setReadHandler(end, function reads() { os.setReadHandler(end, null) });")
        runs = {run["stack"].get("functionDisplayName"): run for run in t.named("Javascript")}
        causes = {name: run["causeName"] for name, run in runs.items() if name}
        self.assertEqual(causes, {"once": "setTimeout handler", "often": "setInterval handler", "libc": "setTimeout handler",
                                  "micro": "queueMicrotask callback", "reads": "descriptor handler"})
        self.assertEqual(functions(runs["once"]["stack"])[:3], ["once", "(setTimeout handler)", "sets"])
        self.assertEqual(functions(runs["libc"]["stack"])[:3], ["libc", "(setTimeout handler)", "setsInOs"])
        self.assertEqual(functions(runs["reads"]["stack"]), ["reads", "(descriptor handler)", ""])
        self.assertEqual(functions(runs["micro"]["stack"])[:3], ["micro", "(queueMicrotask callback)", "queues"])
        self.assertEqual(len(t.runs("setInterval handler")), 2)

    def test_signal_handlers_say_why(self):
        running = self.place.start(PATIENT + "os.signal(os.SIGUSR1, function signalled() { std.exit(0) });\n"
                                             "os.setTimeout(() => {}, 100000); ready();",
                                   options=("--timeline", "t"), name="s.mjs")
        self.addCleanup(running.abandon)
        running.send(signal.SIGUSR1)
        self.assertEqual(running.end()[0], 0)
        [run] = self.read().runs("signal handler")
        self.assertEqual(run["stack"]["functionDisplayName"], "signalled")

    def test_workers_are_on_it_with_their_messages(self):
        self.place.write("w.js", "import * as os from 'os';\n"
                                 "os.Worker.parent.onmessage = function asked(e) {\n"
                                 "  console.time('work'); gc(); console.timeEnd('work');\n"
                                 "  os.Worker.parent.postMessage(e.data + 1); os.Worker.parent.onmessage = null };")
        t = self.timeline("import * as os from 'os';\nconst w = new os.Worker('./w.js');\n"
                          "w.onmessage = function answered(e) { console.log(e.data); w.onmessage = null };\nw.postMessage(1);",
                          name="m.mjs")
        self.assertEqual(self.printed.splitlines()[-1], "2")
        operations = {(m["on"], m["workerOperation"]) for m in t.named("Worker")}
        self.assertEqual(operations, {("main", "serializeDataOnMainThread"), ("main", "deserializeDataOnMainThread"),
                                      ("worker 1", "serializeDataOffMainThread"), ("worker 1", "deserializeDataOffMainThread")})
        handlers = {(m["on"], m["stack"]["functionDisplayName"]) for m in t.runs("message handler")}
        self.assertEqual(handlers, {("main", "answered"), ("worker 1", "asked")})
        [work] = t.named("ConsoleTime")
        self.assertEqual((work["on"], work["isOffMainThread"]), ("worker 1", True))
        [module] = [m for m in t.runs("module evaluation") if m["on"] == "worker 1"]
        self.assertEqual(module["stack"]["source"], "w.js")

    def test_runs_of_threads_pair_with_their_own_ends(self):
        """Many short runs in a worker within a long one of the main program."""
        self.place.write("w.js", "import * as os from 'os';\nlet n = 0;\n"
                                 "const i = setInterval(function tick() { if (++n < 20) return; clearInterval(i);"
                                 " os.Worker.parent.postMessage('done') }, 1);")
        t = self.timeline("import * as os from 'os';\nconst w = new os.Worker('./w.js');\n"
                          "w.onmessage = () => { w.onmessage = null };\n"
                          "setTimeout(function long() { os.sleep(300) }, 0);", name="m.mjs")
        [long] = [m for m in t.runs("setTimeout handler") if m["on"] == "main"]
        self.assertGreaterEqual(long["end"] - long["start"], 299)
        ticks = [m for m in t.runs("setInterval handler") if m["on"] == "worker 1"]
        self.assertEqual(len(ticks), 20)
        for tick, after in zip(ticks, ticks[1:]):
            self.assertLessEqual(tick["end"], after["start"])

    def test_snapshots_of_the_tool_are_on_it(self):
        t = self.timeline("1", "--snapshot-at", "exit")
        [saved] = t.named("ubiheap::SaveSnapshot")
        self.assertGreater(saved["end"], saved["start"])

    def test_memory_is_measured_with_each_pull(self):
        t = self.timeline("const lines = () => std.loadFile('t').split('heapLive').length - 1;\n"
                          "const untilPulled = n => { while (lines() < n) for (let i = 0; i < 20000; i++); };\n"
                          "untilPulled(1); globalThis.kept = [];\n"
                          "for (let i = 0; i < 50000; i++) kept.push({ i });\nuntilPulled(3);", "--std")
        heap, resident = ([sample[name] for sample in t.memory if name in sample] for name in ("heapLive", "resident"))
        self.assertGreaterEqual(len(heap), 3)
        self.assertEqual(len(heap), len(resident))
        self.assertGreater(heap[-1], 50000 * 72)
        self.assertGreater(resident[-1], heap[-1])
        self.assertLess(heap[0], heap[-1])
        self.assertGreaterEqual(len(t.named("ubiheap::Timeline")), 2)
        times = [sample["time"] for sample in t.memory]
        self.assertEqual(times, sorted(times))

    def test_the_document_names_the_file(self):
        self.timeline("gc(); gc();", "--json", "--output", "doc")
        document = json.loads((self.place.folder / "doc").read_text())
        self.assertEqual((document["timeline"]["file"], document["timeline"]["lost"]), ("t", 0))
        self.assertEqual(document["timeline"]["markers"], len(self.read().markers))


class HowItEnds(RunTimeline):
    def test_every_way_to_end_leaves_a_whole_file(self):
        ends = {"": 0, "throw 1": 1, "Promise.reject(1)": 1, "std.exit(7)": 7, "(async () => { await null; std.exit(8) })()": 8,
                "setTimeout(() => std.exit(9), 1)": 9, "setTimeout(() => { throw 1 }, 1)": 1}
        for text, code in ends.items():
            with self.subTest(text):
                t = self.timeline("import * as std from 'std'; gc();" + text, code=code, name="m.mjs")
                self.assertTrue(t.ended)
                self.assertGreaterEqual(len(t.named("Javascript")), 1)

    def test_the_run_that_ends_the_process_is_there(self):
        t = self.timeline("function leaves() { std.exit(0) }\nsetTimeout(leaves, 1);", "--std")
        [run] = t.runs("setTimeout handler")
        self.assertEqual(run["stack"]["functionDisplayName"], "leaves")

    def test_an_endless_loop_is_there_after_an_interrupt(self):
        running = self.place.start(PATIENT + "setTimeout(function loops() { ready(); for (;;); }, 0);",
                                   options=("--timeline", "t"), name="s.mjs")
        self.addCleanup(running.abandon)
        running.send(signal.SIGINT)
        self.assertEqual(running.end()[0], 130)
        t = self.read()
        self.assertEqual([run["stack"]["functionDisplayName"] for run in t.runs("setTimeout handler")], ["loops"])
        self.assertTrue(t.ended)

    def test_a_program_that_is_terminated_ends_by_that_signal_with_a_whole_file(self):
        for body in ("for (;;);", "os.sleep(1000000);", ""):
            with self.subTest(body):
                running = self.place.start(PATIENT + "setTimeout(function works() { ready(); %s }, 0);\n"
                                                     "setInterval(() => {}, 10);" % body,
                                           options=("--timeline", "t"), name="s.mjs")
                self.addCleanup(running.abandon)
                running.send(signal.SIGTERM)
                self.assertEqual(running.end()[0], -signal.SIGTERM)
                t = self.read()
                self.assertTrue(t.ended)
                self.assertEqual([run["stack"]["functionDisplayName"] for run in t.runs("setTimeout handler")], ["works"])

    def test_a_program_that_is_killed_leaves_what_was_pulled(self):
        running = self.place.start(run_place.READY + "gc(); let is_listed = false; setInterval(() => {\n"
                                   "  if (is_listed || std.loadFile('t').split('setInterval handler').length < 20) return;\n"
                                   "  is_listed = true; ready() }, 1);",
                                   options=("--timeline", "t"), name="s.mjs")
        self.addCleanup(running.abandon)
        running.send(signal.SIGKILL)
        self.assertEqual(running.end()[0], -signal.SIGKILL)
        t = self.read()
        self.assertFalse(t.ended)
        self.assertEqual(len(t.named("GarbageCollection")), 1)
        self.assertGreater(len(t.runs("setInterval handler")), 10)

    def test_files_that_cannot_be_written(self):
        done = self.place.script("print('ran')", options=("--timeline", "no/such"))
        self.assertEqual((done.returncode, done.stdout), (4, b""))
        self.assertIn(b"no/such", done.stderr)
        done = self.place.script("print('ran')", options=("--timeline", "-"))
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        done = self.place.script("print('ran')", options=("--timeline", "/dev/full"))
        self.assertEqual((done.returncode, done.stdout), (4, b""))

    def test_a_script_may_look_at_the_same_time(self):
        t = self.timeline("import { timeline } from 'ubiheap';\ntimeline.recordProfileTimelineMarkers = true;\ngc();\n"
                          "print(timeline.popProfileTimelineMarkers().filter(m => m.name == 'GarbageCollection').length);\n"
                          "timeline.recordProfileTimelineMarkers = false;\ngc();", "--heap-module", name="m.mjs")
        self.assertEqual(self.printed, "1\n")
        self.assertEqual(len(t.named("GarbageCollection")), 2)


if __name__ == "__main__":
    unittest.main()
