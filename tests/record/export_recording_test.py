#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap export` and `ubiheap flamegraph`: what other programs read out of what is written has the sums of the report. Readers: Go's pprof, protoc,
heaptrack_print, an XML parser and a browser. Those of npm: export_npm_test.py."""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path[:0] = [str(SOURCE_DIR / "tests" / "cli"), str(SOURCE_DIR / "tests" / "support")]
import workspace  # noqa: E402
from address_limit import lift_limit  # noqa: E402
from case_choice import every_case_is_tried, some_of  # noqa: E402

FILES = some_of(("server", "growing", "sampled", "stripped", "hostile", "few", "crashed"), 3)
EMPTY = "idle"
PPROF = next(iter(sorted(pathlib.Path("/usr/lib").glob("go-*/pkg/tool/*/pprof"))), None)
SVG = "{http://www.w3.org/2000/svg}"
MEASURES = {"alloc_space": ("total", "bytes"), "inuse_space": ("leaked", "bytes"), "peak_space": ("peak", "bytes"),
            "alloc_objects": ("total", "count"), "inuse_objects": ("leaked", "count"), "peak_objects": ("peak", "count")}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """(number, value) of a message of protobuf: numbers and bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def numbers(packed):
    at, out = 0, []
    while at < len(packed):
        value, at = varint(packed, at)
        out.append(value)
    return out


class Profile:
    """A profile of pprof, read by the description of its format."""

    def __init__(self, data):
        all_fields = collections.defaultdict(list)
        for number, value in fields(gzip.decompress(data)):
            all_fields[number].append(value)
        self.strings = [text.decode() for text in all_fields[6]]
        self.types = [self.strings[dict(fields(value))[1]] for value in all_fields[1]]
        self.functions = {function[1]: self.strings[function[2]] for function in map(dict, map(fields, all_fields[5]))}
        self.mappings = [dict(fields(value)) for value in all_fields[3]]
        self.locations = {}
        for value in all_fields[4]:
            parts = list(fields(value))
            lines = [dict(fields(line)) for number, line in parts if number == 4]
            self.locations[dict(parts)[1]] = (dict(parts), [(self.functions[line[1]], line.get(2, 0)) for line in lines])
        self.samples = []
        for value in all_fields[2]:
            parts = list(fields(value))
            labels = [dict(fields(label)) for number, label in parts if number == 3]
            self.samples.append((numbers(dict(parts)[1]), numbers(dict(parts)[2]),
                                 {self.strings[label[1]]: label.get(3, self.strings[label.get(2, 0)]) for label in labels}))
        self.period, self.default = all_fields[12][0], self.strings[all_fields[14][0]]

    def sums(self):
        return {kind: sum(values[i] for _, values, _ in self.samples) for i, kind in enumerate(self.types)}


class Exports(unittest.TestCase):
    maxDiff = 4000
    place = workspace.Workspace()

    def export(self, name, *arguments):
        done = self.place.ubiheap("export", *arguments, f"{name}.ubirec")
        self.assertIn(done.returncode, (0, 3) if name == "crashed" else (0,), done.stderr)
        return done.stdout

    def document(self, command, name, *arguments):
        return json.loads(self.place.ubiheap(command, "--json", *arguments, f"{name}.ubirec").stdout)

    def heap(self, name):
        """Sums of the report, of the class that has any."""
        report = self.document("report", name)
        return next((report[kind] for kind in ("heap", "mapping", "object") if report[kind]["total"]["samples"]), report["heap"])

    def of_report(self, name):
        heap = self.heap(name)
        return {kind: int(heap[measure][unit] + 0.5) for kind, (measure, unit) in MEASURES.items()}

    def profile(self, name, *arguments):
        return Profile(self.export(name, "-f", "pprof", *arguments))

    # ---- pprof ---------------------------------------------------------------------------------------------------------

    def test_sums_of_pprof_are_those_of_the_report(self):
        for name in (*FILES, EMPTY):
            with self.subTest(name):
                profile = self.profile(name)
                self.assertEqual(profile.sums(), self.of_report(name))
                self.assertEqual(profile.sums(), self.profile(name, "--allocators").sums())
                self.assertEqual(profile.strings[0], "")
                self.assertEqual(profile.default, "inuse_space")
                self.assertEqual(profile.period, self.document("report", name)["periodBytes"])

    def test_samples_have_places_sizes_and_kinds(self):
        profile = self.profile("server")
        leaked = collections.Counter()
        for locations, values, labels in profile.samples:
            self.assertEqual(set(labels), {"bytes", "kind"})
            self.assertEqual(values[1], values[0] * labels["bytes"])
            leaked[profile.locations[locations[0]][1][0][0]] += values[3]
        sites = self.document("report", "server", "--by", "leaked", "--top", "0")["sites"]
        self.assertEqual(leaked, collections.Counter({}) + leaked)
        for site in sites:
            if site["class"] == "heap":
                self.assertGreaterEqual(leaked[site["stack"][0]["function"]], site["leaked"]["bytes"])
        self.assertEqual(leaked["Session::Session(Request const&)"], 800 * 1024)
        for location, lines in profile.locations.values():
            mapping = next((m for m in profile.mappings if m[1] == location.get(2)), None)
            if mapping:
                self.assertTrue(mapping[2] <= location[3] < mapping[3], (mapping, location))
            self.assertTrue(lines)

    def test_inlined_functions_are_lines_of_a_location(self):
        lines = [lines for _, lines in self.profile("server", "--allocators").locations.values()]
        self.assertTrue(any(len(each) > 1 for each in lines))
        self.assertIn("main", [each[-1][0] for each in lines])

    @unittest.skipUnless(PPROF and every_case_is_tried(), "golang-1.19-go is not installed, or reads in the release build")
    def test_go_reads_it(self):
        for name in FILES:
            path = self.place.folder / f"{name}.pb.gz"
            self.export(name, "-o", str(path))
            wanted = self.of_report(name)
            for kind, unit in ((kind, "bytes" if kind.endswith("space") else "count") for kind in MEASURES):
                with self.subTest(name=name, kind=kind):
                    done = subprocess.run([PPROF, "-top", "-nodecount=100000", "-nodefraction=0", f"-sample_index={kind}",
                                           "-unit=" + ("B" if unit == "bytes" else "auto"), path], capture_output=True, text=True,
                                          check=True, env={**os.environ, "HOME": str(self.place.folder)})
                    shown = re.search(r"Showing nodes accounting for (\d+)B?, (?:100%|0%) of (\d+)B? total", done.stdout)
                    self.assertEqual(shown and {int(shown[1]), int(shown[2])}, {wanted[kind]}, done.stdout[:2000])
                    self.assertIn(f"Type: {kind}", done.stdout)
                    self.assertNotIn("rror", done.stderr)

    @unittest.skipUnless(shutil.which("protoc"), "protoc is not installed")
    def test_protoc_reads_it(self):
        data = gzip.decompress(self.export("server", "-f", "pprof"))
        done = subprocess.run(["protoc", "--decode_raw"], input=data, capture_output=True, check=True)
        self.assertEqual(done.stdout.count(b"\n2 {"), len(self.profile("server").samples))

    # ---- collapsed stacks ----------------------------------------------------------------------------------------------

    def stacks(self, name, *arguments):
        lines = self.export(name, "-f", "collapsed", *arguments).decode().splitlines()
        return [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in lines]

    def test_collapsed_stacks(self):
        for name in FILES:
            sums = self.of_report(name)
            for by, kind in (("leaked", "inuse_space"), ("peak", "peak_space"), ("total", "alloc_space"), ("count", "alloc_objects")):
                with self.subTest(name=name, by=by):
                    for more in ([], ["--inverted"], ["--allocators"]):
                        self.assertEqual(sum(n for _, n in self.stacks(name, "--by", by, *more)), sums[kind])
        self.assertEqual(dict((";".join(stack), n) for stack, n in self.stacks("server", "--by", "leaked"))
                         ["main;serve(int);Session::Session(Request const&)"], 800 * 1024)
        inverted = self.stacks("server", "--by", "leaked", "--inverted")
        self.assertIn((["Session::Session(Request const&)", "serve(int)", "main"], 800 * 1024), inverted)
        for stack, _ in self.stacks("hostile", "--by", "total"):
            self.assertFalse([name for name in stack if "\n" in name])

    # ---- events --------------------------------------------------------------------------------------------------------

    def test_tables(self):
        for name in FILES:
            with self.subTest(name):
                tables = json.loads(self.export(name, "-f", "tables"))
                self.assertEqual(list(tables), ["names", "traces", "events"])
                self.assertEqual({**self.document("export", name), "schema": 0, "file": 0}, {**tables, "schema": 0, "file": 0})
                self.assertEqual((tables["names"][0], tables["traces"][0]), ("(unknown)", {"nameIdx": 0, "parentIdx": 0}))
                self.assertTrue(all(trace["parentIdx"] < max(i, 1) for i, trace in enumerate(tables["traces"])))
                times = [event["timestamp"] for event in tables["events"]]
                self.assertEqual(times, sorted(times))
                report = self.document("report", name)
                for measure, size in (("leaked", lambda size: size), ("total", lambda size: max(size, 0))):
                    wanted = report["heap"][measure]["bytes"] + report["object"][measure]["bytes"]
                    self.assertEqual(float(sum(size(event["size"]) for event in tables["events"])), float(wanted))
                sums = collections.Counter()
                for event in tables["events"]:
                    sums[event["traceIdx"]] += event["size"]
                self.assertGreaterEqual(min(sums.values(), default=0), 0)

    def test_extended_tables(self):
        tables = json.loads(self.export("server", "-f", "tables", "--extended"))
        made = {event["allocation"]: event for event in tables["events"] if event["size"] > 0}
        for event in tables["events"]:
            self.assertEqual(list(event), ["size", "traceIdx", "timestamp", "allocation", "bytes", "kind", "thread"])
            origin = made[event["allocation"]]
            self.assertEqual((abs(event["size"]), event["traceIdx"], event["kind"]), (origin["size"], origin["traceIdx"], origin["kind"]))
        kinds = collections.Counter(event["kind"] for event in made.values())
        self.assertEqual(kinds, {row["kind"]: row["total"]["count"] for row in self.document("report", "server")["kinds"]
                                 if row["class"] != "mapping"})

    @unittest.skipUnless(shutil.which("heaptrack_print") and every_case_is_tried(), "heaptrack is not installed, or reads in the release build")
    def test_heaptrack_reads_it(self):
        for name in FILES:
            with self.subTest(name):
                path = self.place.folder / f"{name}.heaptrack.gz"
                self.export(name, "-o", str(path))
                done = subprocess.run(["heaptrack_print", "-F", str(self.place.folder / "flames"), path], capture_output=True,
                                      text=True, check=True)
                self.assertNotIn("failed", done.stderr)
                flames = (self.place.folder / "flames").read_text().splitlines()
                samples = self.heap(name)["total"]["samples"]
                self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in flames), samples)
                self.assertIn(f"calls to allocation functions: {samples} ", done.stdout)

    @unittest.skipUnless(shutil.which("heaptrack_print") and every_case_is_tried(), "heaptrack is not installed, or reads in the release build")
    def test_what_heaptrack_finds_leaked(self):
        path = self.place.folder / "server.heaptrack"
        self.export("server", "-o", str(path))
        done = subprocess.run(["heaptrack_print", "--flamegraph-cost-type", "leaked", "-F", str(self.place.folder / "flames"), path],
                              capture_output=True, text=True, check=True)
        flames = [line for line in (self.place.folder / "flames").read_text().splitlines() if "Session::Session" in line]
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in flames), 800 * 1024, done.stdout[-500:])

    def test_standard_input_has_no_events(self):
        for form, status in (("tables", 2), ("heaptrack", 2), ("firefox", 2), ("pprof", 0), ("collapsed", 0), ("svg", 0), ("chrome", 0)):
            with open(self.place.folder / "few.ubirec", "rb") as file:
                done = subprocess.run([workspace.UBIHEAP, "export", "-f", form, "-"], stdin=file, capture_output=True, check=False)
            self.assertEqual(done.returncode, status, (form, done.stderr))
            if status:
                self.assertEqual((done.stdout, b"name a file" in done.stderr), (b"", True), done.stderr)

    def test_counters(self):
        events = json.loads(self.export("server", "-f", "chrome"))["traceEvents"]
        alive = [event["args"]["bytes"] for event in events if event["name"] == "heap alive"]
        curve = self.document("report", "server")["curve"]
        self.assertEqual(max(alive), self.of_report("server")["peak_space"])
        self.assertTrue(curve and all(event["ph"] in "MC" for event in events))

    # ---- what is asked for ---------------------------------------------------------------------------------------------

    def test_mistakes(self):
        for arguments, words in (([], "--format is missing: it is one of tables, pprof"), (["-o", "x.bin"], "the name of OUT does not say it"),
                                 (["-f", "pprof", "--by", "peak"], "--by is for --format collapsed"),
                                 (["-f", "collapsed", "--extended"], "--extended is for --format tables"),
                                 (["--json", "-f", "pprof"], "--json does not go with --format pprof"),
                                 (["-f", "collapsed", "--by", "temporary", "--process", "99"], "")):
            done = self.place.ubiheap("export", *arguments, "sampled.ubirec")
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertIn(words, done.stderr.decode())
        done = self.place.ubiheap("export", "-f", "collapsed", "--by", "temporary", "sampled.ubirec")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"of a sampled recording, that is unknown", done.stderr)

    def test_the_name_of_the_file_says_the_format(self):
        for name, magic in (("a.pb.gz", b"\x1f\x8b"), ("a.folded", b"main"), ("a.heaptrack", b"v 10400 3\n"),
                            ("a.heaptrack.gz", b"\x1f\x8b"), ("a.profile.json.gz", b"\x1f\x8b"), ("a.svg", b"<svg"),
                            ("a.trace.json", b'{"displayTimeUnit"'), ("a.tables.json", b'{"names"')):
            self.export("server", "-o", name)
            self.assertTrue((self.place.folder / name).read_bytes().startswith(magic), name)
        whole = self.export("server", "-f", "firefox")
        self.assertEqual(gzip.decompress((self.place.folder / "a.profile.json.gz").read_bytes()), whole)

    def test_damage_anywhere(self):
        data = (self.place.folder / "few.ubirec").read_bytes()
        for n in range(0, len(data), max(1, len(data) // 40)):
            cut = self.place.folder / "cut.ubirec"
            cut.write_bytes(data[:n])
            for form in some_of(("tables", "pprof", "collapsed", "heaptrack", "firefox", "chrome", "svg"), 1, first=n):
                done = self.place.ubiheap("export", "-f", form, "cut.ubirec")
                self.assertIn(done.returncode, (0, 3), (n, form, done.stderr))
                self.assertLessEqual(done.stderr.count(b"\n"), 1)

    def test_what_is_missing_is_said(self):
        data = (self.place.folder / "server.ubirec").read_bytes()
        (self.place.folder / "short.ubirec").write_bytes(data[:len(data) // 2])
        for command in (["export", "-f", "collapsed"], ["flamegraph"], ["export", "-f", "pprof"]):
            done = self.place.ubiheap(*command, "short.ubirec")
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"the end of this recording is not in the file", done.stderr)
            self.assertEqual(self.place.ubiheap(*command, "server.ubirec").stderr, b"")

    def test_the_program_is_the_first_mapping(self):
        profile = self.profile("server")
        program = self.document("report", "server")["program"]
        self.assertIn(program, [profile.strings[mapping[5]] for mapping in profile.mappings])
        self.assertEqual(profile.strings[profile.mappings[0][5]], program)

    # ---- flame graphs --------------------------------------------------------------------------------------------------

    def boxes(self, svg):
        root = xml.etree.ElementTree.fromstring(svg)
        groups = next(group for group in root.iter(f"{SVG}g") if group.get("id") == "boxes")
        for group in groups:
            rect = group.find(f"{SVG}rect")
            yield group.find(f"{SVG}title").text.split("\n"), float(rect.get("x")), float(rect.get("y")), float(rect.get("width"))

    def test_pictures(self):
        for name in (*FILES, EMPTY):
            for more in ([], ["--inverted"], ["--allocators", "--by", "total"]):
                with self.subTest(name=name, more=more):
                    done = self.place.ubiheap("flamegraph", *more, f"{name}.ubirec")
                    boxes = list(self.boxes(done.stdout))
                    whole = [box for box in boxes if box[2] == 0]
                    self.assertLessEqual(len(whole), 1)
                    for _, x, y, width in boxes[1:]:
                        above = [b for b in boxes if b[2] == y - 17 and b[1] - 0.02 <= x and x + width <= b[1] + b[3] + 0.02]
                        self.assertTrue(above, (x, y, width))
        boxes = {title[0]: (title[1], width) for title, _, _, width in
                 self.boxes(self.place.ubiheap("flamegraph", "--by", "leaked", "server.ubirec").stdout)}
        self.assertEqual(boxes["Session::Session(Request const&)"][0], "800 KiB, 61.0%")
        self.assertAlmostEqual(boxes["Session::Session(Request const&)"][1], 0.61 * 1200, delta=1)
        self.assertEqual(self.place.ubiheap("export", "-f", "svg", "--by", "leaked", "server.ubirec").stdout.count(b"<rect"),
                         self.place.ubiheap("flamegraph", "--by", "leaked", "server.ubirec").stdout.count(b"<rect"))

    def in_browser(self, svg, script):
        """The text that a script makes of the picture, in a browser."""
        page = self.place.folder / "page.svg"
        page.write_bytes(svg.rpartition(b"</svg>")[0] + b"<script><![CDATA[" + script.encode() + b"]]></script></svg>")
        done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.place.folder}/browser",
                               "--virtual-time-budget=1000", "--dump-dom", page.as_uri()], capture_output=True, text=True, check=True,
                              preexec_fn=lift_limit, env={**os.environ, "HOME": str(self.place.folder)})
        return done.stdout

    @unittest.skipUnless(shutil.which("chromium") and every_case_is_tried(), "chromium is not installed, or shows in the release build")
    def test_zoom_and_search_in_a_browser(self):
        svg = self.place.ubiheap("flamegraph", "--by", "leaked", "server.ubirec").stdout
        shown = self.in_browser(svg, "const box = boxes.find((each) => each.name.startsWith('Session::'));"
                                     "box.rect.dispatchEvent(new MouseEvent('click', { bubbles: true })); mark(/^Session/);"
                                     "document.documentElement.setAttribute('data-result', [box.rect.getAttribute('width'),"
                                     "all.rect.getAttribute('width'), boxes.filter((each) => each.group.classList.contains('out'))"
                                     ".length, byId('found').textContent, byId('whole').classList.contains('out')].join('|'));")
        width, of_all, n_hidden, found, is_whole = re.search(r'data-result="([^"]*)"', shown)[1].split("|")
        self.assertEqual((float(width), float(of_all), is_whole), (1200.0, 1200.0, "false"))
        self.assertGreater(int(n_hidden), 0)
        self.assertEqual(found, "1 found, 61.0%")

    @unittest.skipUnless(shutil.which("chromium") and every_case_is_tried(), "chromium is not installed, or shows in the release build")
    def test_labels_stay_in_their_boxes_whatever_the_font(self):
        svg = self.place.ubiheap("flamegraph", "--by", "leaked", "server.ubirec").stdout
        wide = svg.replace(b"font-family:Helvetica,Arial,", b"letter-spacing:0;font-family:monospace,")
        self.assertNotEqual(wide, svg)
        measure = ("const labels = boxes.filter((box) => box.label && !box.group.classList.contains('out'));"
                   "const text = (box) => box.label.firstElementChild;"
                   "const wide = labels.filter((box) => text(box).getComputedTextLength() > Number(box.rect.getAttribute('width')) - 2);"
                   "const free = labels.filter((box) => ['x', 'y', 'width', 'height'].some((edge) =>"
                   "box.label.getAttribute(edge) !== box.rect.getAttribute(edge)) || getComputedStyle(box.label).overflow !== 'hidden');"
                   "results.push(labels.filter((box) => text(box).textContent).length, wide.length, free.length);")
        shown = self.in_browser(wide, f"const results = [], look = () => {{ {measure} }}; look(); show(boxes.find((each) =>"
                                      "each.name.startsWith('Session::'))); look();"
                                      "document.documentElement.setAttribute('data-result', results.join('|'));")
        n_first, *first, n_second, wide_second, free_second = map(int, re.search(r'data-result="([^"]*)"', shown)[1].split("|"))
        self.assertTrue(n_first > 3 and n_second > 3, (n_first, n_second))
        self.assertEqual((first, wide_second, free_second), ([0, 0], 0, 0))

    def test_text(self):
        for columns in (40, 100, 200):
            done = self.place.ubiheap("flamegraph", "-f", "text", "--by", "total", "server.ubirec", env={"COLUMNS": str(columns)})
            lines = done.stdout.decode().splitlines()
            self.assertEqual(max(map(len, lines[1:])), columns)
            self.assertTrue(lines[1].startswith("▌all 100.0%"), lines[1])
            self.assertTrue(any("serve" in line for line in lines))
        hostile = self.place.ubiheap("flamegraph", "-f", "text", "hostile.ubirec").stdout
        self.assertNotIn(b"\x1b", hostile)
        self.assertIn("100.0%", self.place.ubiheap("flamegraph", "-f", "text", "--rows", "1", "server.ubirec").stdout.decode())
        self.assertIn("--rows 0", self.place.ubiheap("flamegraph", "-f", "text", "--rows", "2", "server.ubirec").stdout.decode())

    def test_the_document_is_the_tree(self):
        document = self.document("flamegraph", "server", "--by", "leaked", "--limit", "0")
        functions = document["functions"]
        self.assertEqual((len(functions), functions[0]["all"]), (document["functionCount"], document["total"]))
        for i, function in enumerate(functions):
            children = [each for each in functions if each["parent"] == i]
            self.assertEqual(function["all"], function["self"] + sum(child["all"] for child in children))
        few = self.document("flamegraph", "server", "--by", "leaked", "--limit", "3")
        self.assertEqual(few["functions"], functions[:3])


if __name__ == "__main__":
    unittest.main()
