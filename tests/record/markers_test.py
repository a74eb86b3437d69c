#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Markers of native programs (ubiheap/core/marker.h) under `ubiheap record`: all are in the file, each with its time, thread, stack
and details, in their place among the allocations; what the program says that it marked is the truth."""
import collections
import json
import pathlib
import re
import signal
import subprocess
import sys
import unittest
import urllib.parse

try:
    import jsonschema
except ImportError:
    jsonschema = None

import record_place

sys.path.insert(0, str(record_place.HERE.parent / "recording"))
import built_programs  # noqa: E402
import ubirec_decoder  # noqa: E402

SOURCE = record_place.HERE.parents[1]
INCLUDE = SOURCE / "include"
PROGRAMS = record_place.HERE / "programs"
START, END, STAMP, HELPER = range(4)
LOST_MARKERS = 8

Marker = collections.namedtuple("Marker", "name time type off_main tid details stack")
Truth = collections.namedtuple("Truth", "type name label before after tid function line")


class Marked(record_place.Recording):
    """A recording, and in `events` its markers and allocations in their order."""

    def __init__(self, path):
        super().__init__(path)
        decoder = ubirec_decoder.Decoder()
        decoder.decode(pathlib.Path(path).read_bytes())
        self.counters = dict(map(int, line.split()[1:]) for line in self.lines if line.startswith("counted "))
        self.events = []
        for line in self.lines:
            words = line.split(" ")
            if words[0] == "marker":
                name, details = (urllib.parse.unquote_to_bytes("" if text == "%" else text) for text in (words[1], words[7]))
                time, kind, _, off_main, thread = map(int, words[2:7])
                self.events.append(Marker(name.decode(errors="replace"), time, kind, off_main, decoder.threads[thread][0],
                                          json.loads(details) if details else {}, words[8].split("<")[1:]))
            elif words[0] == "alloc":
                self.events.append(self.allocations[int(words[1])])
        self.markers = [event for event in self.events if isinstance(event, Marker)]

    def named(self, name):
        return [marker for marker in self.markers if marker.name == name]

    def places(self, marker):
        """(function, line) of a stack, innermost first, without what the header has inlined there."""
        found = []
        for frame in marker.stack:
            for function, _, line, _ in self.symbols.get(frame, [["?", "", "0", "0"]]):
                if not function.startswith(("ubi_marker_", "ubi__marker_")):
                    found.append((re.sub(r"\(.*", "", urllib.parse.unquote(function)), int(line)))
        return found


class Markers(unittest.TestCase):
    def setUp(self):
        self.place = record_place.Place(self)

    def compile(self, name, source, *options, compiler="gcc"):
        return built_programs.build([compiler, "-g", "-O1", "-Wall", "-Werror", f"-I{INCLUDE}", PROGRAMS / source, "-pthread", *options],
                                    self.place.folder / name)

    def marks(self):
        return self.compile("marks", "marks.c")

    def record(self, program, *arguments, **more):
        """What it printed, and the recording."""
        done = self.place.record(program, *arguments, **more)
        self.assertRegex(done.stderr, r"\Aubiheap: recorded .*\n\Z")
        return done, Marked(self.place.folder / "out.ubirec")

    def truths(self, done):
        """What it says that it has marked."""
        rows = [line.split("|") for line in done.stdout.splitlines() if line.count("|") == 7]
        return [Truth({"start": START, "end": END, "stamp": STAMP}[row[0]], row[1], None if row[2] == "-" else row[2],
                      *map(int, row[3:6]), row[6], int(row[7])) for row in rows]

    def check(self, truths, recording):
        """Marker by marker, thread by thread."""
        by_thread = collections.defaultdict(list)
        for marker in recording.markers:
            if marker.name not in ("constructor", "values"):
                by_thread[marker.tid].append(marker)
        wanted = collections.defaultdict(list)
        for truth in truths:
            wanted[truth.tid].append(truth)
        self.assertEqual({tid: len(rows) for tid, rows in by_thread.items()}, {tid: len(rows) for tid, rows in wanted.items()})
        for tid, rows in wanted.items():
            for truth, marker in zip(rows, by_thread[tid]):
                self.check_one(truth, marker, recording)

    def check_one(self, truth, marker, recording):
        self.assertEqual((marker.name, marker.type), (truth.name, truth.type))
        self.assertEqual(marker.details, {} if truth.label is None else {"causeName": truth.label})
        if truth.line:
            self.assertEqual(recording.places(marker)[0], (truth.function, truth.line))
            self.assertEqual([name for name, _ in recording.places(marker) if name == "main"], ["main"])
        else:
            self.assertEqual(marker.stack, [])


class EveryMarker(Markers):
    def test_all_of_them_are_there_and_say_what_they_should(self):
        for name, options, compiler in (("plain", (), "gcc"), ("unoptimized", ("-O0",), "gcc"), ("fast", ("-O3",), "gcc"),
                                        ("static-place", ("-no-pie", "-fno-pie"), "gcc"), ("clang", (), "clang")):
            with self.subTest(name):
                done, recording = self.record(self.compile(name, "marks.c", *options, compiler=compiler))
                truths = self.truths(done)
                self.assertGreater(len(truths), 15)
                self.check(truths, recording)
                self.assertEqual(recording.counters[LOST_MARKERS], 0)

    def test_times_are_those_of_the_program_and_never_go_back_in_a_thread(self):
        done, recording = self.record(self.marks())
        markers = [marker for marker in recording.markers if marker.name not in ("constructor", "values")]
        truths = self.truths(done)
        # Both clocks are one: they differ by when the process began, which is one number.
        first = truths[0].before - markers[0].time
        for truth, marker in zip(truths, markers):
            if truth.name not in ("nested", "labelled", "no stack") or truth.type == START: # their ENDs come after the clock
                self.assertLessEqual(truth.before, marker.time + first + (truths[0].after - truths[0].before))
                self.assertLessEqual(marker.time + first, truth.after + (truths[0].after - truths[0].before))
        times = [marker.time for marker in markers]
        self.assertEqual(times, sorted(times))
        given = int(re.search(r"values at (\d+)", done.stdout)[1])
        value = recording.named("values")[0]
        self.assertLess(abs(given - first - value.time), truths[0].after - truths[0].before + 1)
        self.assertEqual(value.details, {"text": "\u00e4 \"quoted\"\n", "number": 1.5, "yes": True})

    def test_allocations_stand_where_they_happened_among_the_markers(self):
        _, recording = self.record(self.marks())
        seen = []
        for event in recording.events:
            if isinstance(event, Marker):
                if event.name in ("nested", "split"):
                    seen.append("+-"[event.type == END] + event.name[0])
            elif event.size in (11, 12, *range(100, 104), *range(200, 204)):
                seen.append(event.size)
        self.assertEqual(seen, ["+n", 103, "+n", 102, "+n", 101, "+n", 100, 200, "-n", 201, "-n", 202, "-n", 203, "-n",
                                "+s", 11, "-s", 12])

    def test_sampled_recordings_have_all_markers_too(self):
        done, recording = self.record(self.marks(), options=())
        self.check(self.truths(done), recording)

    def test_constructors_may_mark(self):
        _, recording = self.record(self.marks(), "observed")
        self.assertEqual([marker.name for marker in recording.markers], ["constructor"])

    def test_names_and_texts_of_any_kind(self):
        _, recording = self.record(self.marks(), "names")
        empty, long, odd, texts, many = [marker for marker in recording.markers if marker.name != "constructor"]
        self.assertEqual((empty.name, long.name, odd.name), ("", "n" * 1024, "bytes \ufffd\x01"))
        self.assertEqual(texts.details, {"long": "n" * 4096, "after": False})
        self.assertEqual(list(many.details), ["long"])

    def test_cplusplus_marks_end_when_exceptions_leave_their_blocks(self):
        for compiler in ("g++", "clang++"):
            _, recording = self.record(self.compile("throws", "throws.cpp", compiler=compiler))
            said = [("+-.?"[marker.type] + marker.name) for marker in recording.markers]
            one = ["+round", "+parse", "+parse", "+parse", "-parse", "-parse", "-parse", ".caught", "-round"]
            self.assertEqual(said, 3 * one + ["+fill", "-fill"])
            self.assertEqual(recording.named("fill")[0].details, {"causeName": "with a label"})
            names = [name for name, _ in recording.places(recording.named("parse")[2])]
            self.assertEqual(names[:3], 3 * ["Parser::parse"])
            self.assertEqual(names[3], "main")

    def test_the_same_file_as_cplusplus(self):
        done, recording = self.record(self.compile("marks", "marks.c", compiler="g++"))
        self.check(self.truths(done), recording)


class Threads(Markers):
    def test_threads_that_mark_at_once_lose_nothing_and_mix_nothing(self):
        _, recording = self.record(self.marks(), "threads", 8, options=("--exact", "--no-symbols"))
        markers = recording.named("in thread")
        self.assertEqual(len(markers), 8 * 2 * 3000)
        self.assertEqual(recording.counters[LOST_MARKERS], 0)
        by_tid = collections.defaultdict(list)
        for marker in markers:
            by_tid[marker.tid].append(marker)
        self.assertEqual(len(by_tid), 8)
        owner = {}
        for tid, own in by_tid.items():
            number = own[0].details["causeName"].split(":")[0]
            owner[str(tid)] = int(number)
            self.assertEqual([marker.details.get("causeName") for marker in own[::2]], [f"{number}:{i}" for i in range(3000)])
            self.assertEqual({marker.type for marker in own[1::2]}, {END})
            self.assertTrue(all(marker.off_main and (marker.type == END or marker.stack) for marker in own))
            self.assertEqual([marker.time for marker in own], sorted(marker.time for marker in own))
        # An allocation in a marker is the thread's own, and stands between its START and its END.
        is_open = dict.fromkeys(owner, False)
        for event in recording.events:
            if isinstance(event, Marker):
                if event.name == "in thread":
                    is_open[str(event.tid)] = event.type == START
            elif 1000 <= event.size < 1008:
                tid = event.thread.split(":")[1]
                self.assertTrue(is_open[tid] and event.size == 1000 + owner[tid])

    def test_a_thread_that_exits_leaves_its_markers(self):
        _, recording = self.record(self.marks(), "thread-exit")
        self.assertEqual([marker.type for marker in recording.named("open at exit")], [START])
        self.assertEqual(len(recording.named("destructor")), 1)
        self.assertNotEqual(recording.named("destructor")[0].tid, recording.named("constructor")[0].tid)


class Interrupted(Markers):
    def test_handlers_that_mark_in_the_middle_of_everything(self):
        done, recording = self.record(self.marks(), "handlers")
        n_handled, n_rounds = map(int, done.stdout.split())
        lost = recording.counters[LOST_MARKERS]
        self.assertLessEqual(n_handled, len(recording.named("in handler")) + lost)
        self.assertGreater(len(recording.named("in handler")), 0)
        self.assertEqual(len(recording.named("interrupted")), 2 * n_rounds)
        self.assertEqual([marker.type for marker in recording.named("interrupted")[:4]], [START, END, START, END])
        for marker in recording.named("in handler"):
            self.assertEqual(recording.places(marker)[0][0], "on_signal")

    def test_handlers_that_jump_out(self):
        done, recording = self.record(self.marks(), "jumps", options=("--exact", "--no-symbols"))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(recording.named("after")), 1)
        self.assertGreater(len(recording.named("jumps")) + recording.counters[LOST_MARKERS], 10)

    def test_whatever_was_marked_before_sigkill_is_there(self):
        done, recording = self.record(self.marks(), "kill")
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual(len(recording.named("before the end")), 10000)
        self.assertEqual(recording.end, (1, signal.SIGKILL))


class Modules(Markers):
    def test_modules_come_and_go(self):
        plugin = self.compile("plugin.so", "marking_plugin.c", "-shared", "-fPIC")
        _, recording = self.record(self.marks(), "plugins", plugin)
        said = ["+-.?"[marker.type] + marker.name for marker in recording.markers]
        turns = [[".plugin opened", "+plugin runs", f".turn {i}", "-plugin runs", ".plugin closed", ".closed"] for i in range(3)]
        self.assertEqual(said, [".constructor"] + sum(turns, []))
        for i in range(3):
            self.assertEqual([name for name, _ in recording.places(recording.named(f"turn {i}")[0])][:3],
                             ["run", "plugins", "main"])

    def test_libraries_that_the_program_is_linked_with_mark_too(self):
        library = self.compile("libmarking.so", "marking_plugin.c", "-shared", "-fPIC")
        caller = self.place.folder / "caller.c"
        caller.write_text("void run(int); int main(void) { run(7); }\n")
        program = self.place.folder / "caller"
        subprocess.run(["gcc", caller, library, f"-Wl,-rpath,{self.place.folder}", "-o", program], check=True)
        _, recording = self.record(program)
        self.assertEqual([marker.name for marker in recording.markers],
                         ["plugin opened", "plugin runs", "turn 7", "plugin runs", "plugin closed"])


class Processes(Markers):
    def test_a_child_marks_in_its_own_file_or_nowhere(self):
        done = self.place.record(self.marks(), "fork")
        self.assertRegex(done.stderr, r"\Aubiheap: out.ubirec: it started marks, not recorded; .*\nubiheap: recorded .*\n\Z")
        recording = Marked(self.place.folder / "out.ubirec")
        self.assertEqual((done.stdout, recording.named("child")), ("child 0\n", []))
        self.assertEqual([marker.type for marker in recording.named("before")], [START, END])
        for path in self.place.folder.glob("*.ubirec*"):
            path.unlink()
        done = self.place.record(self.marks(), "fork", options=("--exact", "--follow-children"))
        self.assertEqual(done.stdout, "child 1\n")
        parent, child = [Marked(self.place.folder / name) for name in self.place.recordings()]
        self.assertEqual((len(parent.named("before")), len(parent.named("child"))), (2, 0))
        self.assertEqual([marker.name for marker in child.markers], ["child"])
        self.assertEqual([marker.off_main for marker in child.markers], [0])


class WithTheLibrary(Markers):
    @unittest.skipIf(record_place.SANITIZED, "the program is not sanitized, and the library is")
    def test_a_program_may_look_at_its_markers_while_it_is_recorded(self):
        library = record_place.LIBRARY.parents[1] / "libubiheap.so"
        program = self.compile("twice", "marks_twice.c", library, f"-Wl,-rpath,{library.parent}")
        done, recording = self.record(program)
        self.assertEqual(done.stdout, "10\n")
        self.assertEqual(len(recording.named("work")), 2 * 111)
        self.assertEqual(subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout, b"10\n")


class Reports(Markers):
    """What `report` and `timeline` make of it: of the example, whose allocations are known."""

    def setUp(self):
        super().setUp()
        program = self.place.folder / "page-server"
        subprocess.run(["gcc", "-g", "-O1", f"-I{INCLUDE}", SOURCE / "examples" / "native" / "page-server.c", "-o", program,
                        "-pthread"], check=True)
        requests = self.place.folder / "requests"
        requests.write_text("".join(f"page-{i * i % 23}\n" for i in range(1, 201)))
        self.program, self.requests = program, requests

    def serve(self, options=("--exact",)):
        with open(self.requests, "rb") as stdin:
            self.place.record(self.program, options=options, stdin=stdin)

    def tell(self, *words):
        return subprocess.run([record_place.UBIHEAP, *words], cwd=self.place.folder, stdout=subprocess.PIPE, check=True).stdout.decode()

    def test_allocations_are_reported_by_the_innermost_open_marker(self):
        self.serve()
        markers = json.loads(self.tell("report", "--json", "out.ubirec"))["markers"]
        told = {row["name"]: (row["count"], row["endedCount"], row["allocated"]["count"]) for row in markers["byName"]}
        self.assertEqual(markers["count"], 1 + 12 + 200 + 2)
        self.assertEqual(told["load settings"], (1, 1, 500))
        self.assertEqual(told["render"], (12, 12, 12 * 500))
        self.assertEqual(told["request"][:2], (200, 200))
        self.assertIn(told["request"][2], (200, 201)) # and what the first output of all allocates
        by_name = {row["name"]: row for row in markers["byName"]}
        self.assertEqual(by_name["load settings"]["leaked"]["bytes"], 500 * 64)
        self.assertEqual(by_name["render"]["leaked"]["count"], 12)
        self.assertEqual(by_name["write statistics"]["leaked"]["count"], 0)
        self.assertEqual(by_name["write statistics"]["allocated"]["bytes"], 2 * 64 * 48)
        self.assertGreater(by_name["request"]["totalMs"], by_name["render"]["totalMs"])
        self.assertEqual([row["name"] for row in markers["byName"]][0], "render")
        whole = json.loads(self.tell("report", "--json", "out.ubirec"))["heap"]["total"]
        self.assertEqual(sum(row["allocated"]["bytes"] for row in markers["byName"]) + markers["none"]["allocated"]["bytes"],
                         whole["bytes"])

    def test_the_page_has_them_and_says_what_shows_them_in_time(self):
        self.serve()
        page = self.tell("report", "out.ubirec")
        rows = page.split("By the marker that was open")[1].split("\n\n")[0].splitlines()[1:]
        self.assertEqual([re.split(" {2,}", row.strip())[4] for row in rows],
                         ["render", "load settings", "request", "write statistics", "(no marker was open)"])
        self.assertRegex(rows[0], r"\A +49\.5 MiB +99\.\d% +6,000 +20\d KiB  render  12 times, \S+ \w+\Z")
        self.assertIn("(no marker was open)", rows[-1])
        self.assertIn("ubiheap timeline out.ubirec  # its 215 markers in time", page)

    def test_a_recording_of_markers_alone_has_a_page_too(self):
        self.serve(("--period", "1TiB"))
        page = self.tell("report", "out.ubirec")
        self.assertIn("Nothing was sampled: less than 3.00 TiB was allocated.", page)
        self.assertRegex(page, r"\nNext\n  ubiheap timeline out\.ubirec  # its 215 markers in time\n\Z")

    def test_the_most_are_shown_first_and_a_site_is_of_no_marker(self):
        source = self.place.folder / "many.c"
        source.write_text('''
            #include <ubiheap/core/marker.h>
            #include <stdio.h>
            #include <stdlib.h>
            void *volatile kept;
            int main(void) {
                char name[8];
                for (int i = 0; i < 15; i++) {
                    snprintf(name, sizeof name, "m%d", i);
                    ubi_marker_emit(name, UBI_MARKER_FLAGS(UBI_MARKER_START, UBI_MARKER_NO_STACK), 0);
                    kept = malloc(1000 * (size_t)(i + 1));
                    ubi_marker_emit(name, UBI_MARKER_FLAGS(UBI_MARKER_END, UBI_MARKER_NO_STACK), 0);
                }
            }
            ''')
        self.place.record(self.compile("many", source))
        page = self.tell("report", "--detail", "out.ubirec").split("By the marker that was open")[1]
        self.assertEqual(re.findall(r"(?m)  (m\d+)  ", page), [f"m{i}" for i in range(14, 4, -1)])
        self.assertIn("  5 more markers; --limit 15 shows all\n", page)
        self.assertEqual(len(re.findall(r"(?m)  (m\d+)  ", self.tell("report", "--limit", "15", "out.ubirec"))), 15)
        self.assertNotIn("By the marker", self.tell("report", "--site", "main", "out.ubirec"))

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_the_document_is_as_its_schema_says(self):
        schema = json.loads((SOURCE / "docs" / "reference" / "schema" / "ubiheap.recording-1.schema.json").read_text())
        for options in (("--exact",), ("--period", "4KiB")):
            self.serve(options)
            document = json.loads(self.tell("report", "--json", "out.ubirec"))
            jsonschema.Draft202012Validator(schema).validate(document)
            self.assertGreater(len(document["markers"]["byName"]), 3)

    def test_in_sampled_recordings_they_are_estimates(self):
        self.serve(("--period", "64KiB"))
        markers = json.loads(self.tell("report", "--json", "out.ubirec"))["markers"]
        render = {row["name"]: row for row in markers["byName"]}["render"]["allocated"]
        truth = sum(len(f"<p>page-{name}: setting-{i} = {i * i}</p>\n") * (500 - i) + 1
                    for name in {i * i % 23 for i in range(1, 201)} for i in range(500))
        self.assertGreater(render["bytesError"], 0)
        self.assertLess(abs(render["bytes"] - truth), 5 * render["bytesError"])

    def test_without_markers_nothing_is_said_of_them(self):
        self.serve(("--exact", "--no-markers"))
        self.assertNotIn("marker", self.tell("report", "out.ubirec"))
        self.assertEqual(json.loads(self.tell("report", "--json", "out.ubirec"))["markers"]["count"], 0)

    def test_the_timeline_names_frames_that_the_recording_has_no_names_of(self):
        self.serve(("--exact", "--no-symbols"))
        self.assertRegex(self.tell("timeline", "out.ubirec"), r"(load_settings|answer|render) \(\S*page-server\.c:\d+")

    def test_the_timeline_has_a_row_for_each(self):
        self.serve()
        told = self.tell("timeline", "out.ubirec")
        for name, count in (("load settings", 1), ("render", 12), ("request", 200), ("write statistics", 2)):
            self.assertRegex(told, rf"(?m)^{name} .* {count} ")


class AllAtOnce(Markers):
    def test_threads_modules_and_children_at_once(self):
        plugin = self.compile("plugin.so", "marking_plugin.c", "-shared", "-fPIC")
        for follow, n_children in ((), 100), (("--follow-children",), 10):
            done = self.place.record(self.marks(), "storm", plugin, n_children, options=("--exact", "--no-symbols", *follow))
            self.assertEqual(done.returncode, 0, done.stderr)
            recording = Marked(self.place.folder / "out.ubirec")
            self.assertEqual(len(recording.named("in thread")), 4 * 2 * 3000)
            self.assertEqual([len(recording.named(name)) for name in ("plugin opened", "plugin runs", "turn 7", "plugin closed")],
                             [50, 100, 1, 50])
            self.assertEqual((recording.named("child"), recording.counters[LOST_MARKERS]), ([], 0))
            children = [Marked(path) for path in self.place.folder.glob("out.ubirec.*")]
            self.assertEqual(len(children), n_children if follow else 0)
            self.assertTrue(all([marker.name for marker in child.markers] == ["child"] for child in children))


class NobodyLooks(Markers):
    def test_without_record_nothing_is_marked(self):
        done = subprocess.run([self.marks(), "observed"], stdout=subprocess.PIPE, check=True, text=True)
        self.assertEqual(done.stdout, "0\n")

    def test_recorded_and_not_wanted(self):
        done, recording = self.record(self.marks(), "observed", options=("--exact", "--no-markers"))
        self.assertEqual((done.stdout, recording.markers), ("0\n", []))
        done, _ = self.record(self.marks(), "observed")
        self.assertEqual(done.stdout, "1\n")

    def test_when_recording_ends_nothing_looks_any_longer(self):
        """The program ends when that is so, and would not otherwise."""
        program = self.marks()
        for duration in ("300ms", "5s", "60s"):  # it counts from before the program's start, which may be slow
            done, recording = self.record(program, "until-unobserved", options=("--exact", "--duration", duration))
            self.assertEqual(done.returncode, 0)
            if len(recording.named("still")) > 1:
                break
        self.assertGreater(len(recording.named("still")), 1)


if __name__ == "__main__":
    unittest.main()
