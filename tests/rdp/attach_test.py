#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap attach`, and addresses in place of files, against a scripted server: the forms of each age of Firefox, and servers that
break every rule. What a real Firefox says: attach_firefox_test.py."""
import json
import os
import pathlib
import pty
import signal
import socket
import struct
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "cli"))
import workspace  # noqa: E402
from case_choice import some_of  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

from listening_program import ListeningProgram  # noqa: E402
from scripted_server import ENDED, GREETING, Script, Server, bulk, packet  # noqa: E402
from server_ages import (AGES, ALLOCATIONS, CENSUS, FILES, HEAP, MEASURE, MEMORY, PROCESSES, ROOT, TABS, TARGET, descriptors,  # noqa: E402
                         memory_answers, old_tabs, resources)


class Attach(unittest.TestCase):
    maxDiff = 4000

    place = workspace.Workspace()

    def attach(self, script, *arguments, code=0, address="firefox://127.0.0.1:{}"):
        """What it writes on standard output. @ in the arguments is the address."""
        with Server(script) as server:
            target = address.format(server.port)
            words = [target if word == "@" else word for word in arguments]
            done = self.place.ubiheap(*words)
            self.requests = server.requests
        self.error = done.stderr.decode().replace(target, "@")
        self.assertEqual(done.returncode, code, self.error)
        return done.stdout.decode().replace(target, "@")

    def refused(self, script, *arguments, code):
        """The one line that says why."""
        self.assertEqual(self.attach(script, *arguments, code=code), "")
        self.assertRegex(self.error, r"\Aubiheap: @: [^\n]+\n\Z")
        return self.error.removeprefix("ubiheap: @: ").rstrip("\n")

    def test_an_answer_without_sizes_is_no_measurement(self):
        for more in ([], ["--json"]):
            words = self.refused(Script({**descriptors(), (MEMORY, "measure"): [{}]}), "attach", "@", "measure", *more, code=3)
            self.assertEqual(words, "the answer to measure has no size: this is not measured there")

    def test_a_snapshot_comes_from_a_server_of_any_age(self):
        for age, answers in AGES.items():
            for pieces in some_of((None, 7), 1, first=len(age)):
                with self.subTest(age=age, pieces=pieces):
                    out = self.place.folder / "out.fxsnapshot"
                    out.unlink(missing_ok=True)
                    self.attach(Script(answers(), pieces), "attach", "@", "snapshot", "-o", "out.fxsnapshot")
                    self.assertEqual(out.read_bytes(), HEAP)

    def test_of_a_process_the_whole_runtime_is_saved(self):
        for age, answers in PROCESSES.items():
            with self.subTest(age):
                self.attach(Script({**memory_answers(), **ROOT, **answers}), "attach", "@", "snapshot", "--process", "0", "-o",
                            "p.fxsnapshot")
                saved = [r for r in self.requests if r["type"] == "saveHeapSnapshot"]
                self.assertEqual([r["boundaries"] for r in saved], [{"runtime": True}])
                self.assertEqual((self.place.folder / "p.fxsnapshot").read_bytes(), HEAP)

    def test_any_question_takes_an_address(self):
        want = self.place.ubiheap("summary", "tiny-before.fxsnapshot", "--json").stdout.decode()
        for answers in (old_tabs(), resources()):
            got = self.attach(Script(answers), "summary", "@", "--json")
            self.assertEqual(json.loads(got), {**json.loads(want), "file": "@"})
        report = self.attach(Script(descriptors()), "@")
        self.assertTrue(report.startswith("@  "), report)
        self.attach(Script(descriptors()), "diff", "@", "@")
        self.assertEqual(len([r for r in self.requests if r["type"] == "transferHeapSnapshot"]), 2)

    def next_commands(self, script, *arguments, address):
        page = self.attach(script, *arguments, address=address)
        self.assertNotIn("FILE", page)
        return page, [line.split("  #")[0].strip() for line in page.splitlines() if line.startswith("  ") and " ubiheap " in line]

    def test_what_to_run_next_is_about_the_address(self):
        """As a shell takes it; Firefox moves objects, so that ids are of a saved snapshot."""
        stackless = bulk(FILES, (self.place.folder / "leak-1.heapsnapshot").read_bytes())
        answers = {**descriptors(), (FILES, "transferHeapSnapshot"): [stackless]}
        for address, name in (("ubi://127.0.0.1:{}/tab/2", "@"), ("ubi://[::ffff:127.0.0.1]:{}", "'@'")):
            page, commands = self.next_commands(Script(answers), "report", "@", address=address)
            self.assertEqual(commands[-2:], [f"ubiheap dominators {name}", f"ubiheap census {name}"])
            self.assertIn(f"  Not recorded: ubiheap attach {name} allocations shows which functions allocate.\n", page)
        page, commands = self.next_commands(Script(descriptors()), "report", "@", address="firefox://localhost:{}")
        self.assertIn("ubiheap attach @ snapshot -o heap.fxsnapshot", commands)
        self.assertIn("ubiheap dominators heap.fxsnapshot", commands)
        self.assertIn("Not recorded: ubiheap attach @ allocations shows", self.attach(Script(answers), "allocations", "@"))

    def test_the_temporary_file_leaves_nothing(self):
        folder = self.place.folder / "temporary"
        folder.mkdir()
        with Server(Script(descriptors())) as server:
            subprocess.run([workspace.UBIHEAP, "info", f"ubi://127.0.0.1:{server.port}"], check=True, capture_output=True,
                           env={**os.environ, "TMPDIR": str(folder)})
        self.assertEqual(list(folder.iterdir()), [])

    def test_an_address_chooses(self):
        answers = {**descriptors(), ("tab1", "getTarget"): [{"frame": TARGET}]}
        for address, arguments, asked in (("firefox://127.0.0.1:{}/tab/1", [], "tab1"), ("ubi://localhost:{}/", [], "tab2"),
                                          ("firefox://127.0.0.1:{}", ["--tab", "1"], "tab1")):
            self.attach(Script(answers), "attach", "@", "measure", *arguments, address=address)
            self.assertEqual([r["to"] for r in self.requests if r["type"] == "getTarget"], [asked], address)
        self.assertEqual(self.refused(Script(answers), "attach", "@", "gc", "--tab", "3", code=2), "has no tab 3: there are 2")
        refusing = {**answers, ("root", "getProcess"): [{"error": "noProcess", "message": "not now"}]}
        self.assertEqual(self.refused(Script(refusing), "attach", "@", "gc", "--process", "3", code=2), "has no process 3: there is 1")
        self.assertEqual(self.refused(Script(refusing), "attach", "@", "gc", "--process", "0", code=4),
                         "refuses getProcess: noProcess: not now")
        for wrong in ("firefox://", "firefox://h:0", "firefox://h:70000", "firefox://h:1/tab", "firefox://h/tab/0", "firefox://h/x/1",
                      "firefox://[::1", "firefox://h:1:2", "firefox://h/tab/1/2", "gopher://h"):
            done = self.place.ubiheap("attach", wrong)
            self.assertEqual((done.returncode, done.stdout), (2, b""), wrong)
            self.assertIn(b"is not SCHEME://HOST", done.stderr)
        for wrong, words in (("firefox://h:0", "a port is a number from 1 to 65535"), ("ubi://h:70000/tab/1", "a port is a number from 1 to"),
                             ("ubi://h/tab/0", "tabs are counted from 1"), ("ubi://::1", "an address of IPv6 needs brackets, as in [::1]:6000")):
            self.assertIn(f": {words}", self.place.ubiheap("attach", wrong).stderr.decode(), wrong)
        done = self.place.ubiheap("attach", "census", "ubi://h")
        self.assertEqual((done.returncode, done.stderr), (2, b"ubiheap: attach: the address comes first: ubiheap attach ubi://h census\n"))
        self.assertNotIn(b"a port is", self.place.ubiheap("attach", "ubi://h:1/x/1").stderr)

    def test_list(self):
        text = self.attach(Script(descriptors()), "attach", "@")
        self.assertEqual([line.split() for line in text.splitlines()], [
            ["Which", "Title"], ["tab", "1", "first", "http://first/"], ["tab", "2", "selected", "second", "http://second/"],
            ["process", "0", "parent", "process"]])
        rows = json.loads(self.attach(Script(old_tabs()), "attach", "@", "--json"))["heaps"]
        self.assertEqual([(row["kind"], row["number"], row["selected"]) for row in rows], [("tab", 1, False), ("tab", 2, True)])

    def test_list_shows_what_is_chosen(self):
        for words in (["@"], ["@", "list"]):
            rows = json.loads(self.attach(Script(descriptors()), "attach", *words, "--json", address="firefox://127.0.0.1:{}/tab/2"))["heaps"]
            self.assertEqual([(row["kind"], row["number"]) for row in rows], [("tab", 2)])
        text = self.attach(Script(descriptors()), "attach", "@", "--process", "0")
        self.assertEqual([line.split() for line in text.splitlines()[1:]], [["process", "0", "parent", "process"]])
        self.assertEqual(self.refused(Script(descriptors()), "attach", "@", "list", "--tab", "3", code=2), "has no tab 3: there are 2")
        self.assertEqual(self.refused(Script(descriptors()), "attach", "@", "--process", "7", code=2), "has no process 7: there is 1")

    def test_schemes(self):
        """In capitals, too; without one, what it may be is offered."""
        self.assertEqual(self.attach(Script(descriptors()), "attach", "@", "measure", "--json", address="UBI://127.0.0.1:{}")[0], "{")
        page = self.attach(Script(descriptors()), "report", "@", address="FireFox://127.0.0.1:{}")
        self.assertIn("  ubiheap attach @ snapshot -o heap.fxsnapshot", page)
        done = self.place.ubiheap("attach", "127.0.0.1:6080")
        self.assertEqual((done.returncode, done.stderr), (2, b"ubiheap: attach: '127.0.0.1:6080' is not SCHEME://HOST[:PORT] with one "
                                                          b"of these schemes: firefox, ubi, node, chrome, ws\n"))

    def test_an_output_of_another_kind_is_refused(self):
        for words, why in ((["snapshot", "-o", "x.heapsnapshot"], "snapshot saves a .fxsnapshot; another format: ubiheap convert ubi://h "
                                                                   "x.heapsnapshot"),
                           (["snapshot", "-o", "x.jsonl.gz"], "another format: ubiheap convert ubi://h x.jsonl.gz"),
                           (["allocations", "-o", "x.fxsnapshot"], "x.fxsnapshot has the name of a snapshot, and would be a recording")):
            done = self.place.ubiheap("attach", "ubi://h", *words)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(why, done.stderr.decode())
        out = self.place.folder / "x.heapsnapshot"
        self.attach(Script(descriptors()), "convert", "@", "x.heapsnapshot")
        self.assertEqual(out.read_bytes()[:1], b"{")

    def test_bytes_are_not_for_a_terminal(self):
        for verb, what in (("snapshot", "snapshot"), ("allocations", "recording")):
            pid, terminal = pty.fork()
            if pid == 0:
                os.execv(workspace.UBIHEAP, ["ubiheap", "attach", "ubi://h", verb, "-o", "-"])
            said = b""
            try:
                while piece := os.read(terminal, 4096):
                    said += piece
            except OSError:
                pass  # the end of a terminal
            os.close(terminal)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 2)
            self.assertIn(f"a {what} is not for a terminal: name a file, or pipe the output somewhere", said.decode())

    def test_how_long_it_paused(self):
        """As the other side says it, where it does."""
        said = {**descriptors(), (MEMORY, "saveHeapSnapshot"): [{"snapshotId": "1", "pauseMilliseconds": 0}],
                (MEMORY, "takeCensus"): [{**CENSUS, "pauseMilliseconds": 12.25}], (MEMORY, "measure"): [{**MEASURE, "pauseMilliseconds": 3}]}
        document = json.loads(self.attach(Script(said), "attach", "@", "snapshot", "-o", "paused.fxsnapshot", "--json"))
        self.assertEqual(document["pauseMs"], 0)
        self.assertRegex(self.error, r"paused\.fxsnapshot: \S+ KiB written, after a pause of 0 \S+ at most\n")
        for verb, pause in (("census", "12 ms"), ("measure", "3 ms")):
            self.assertTrue(self.attach(Script(said), "attach", "@", verb).endswith(f"\n\nThe program paused for {pause}.\n"))
            self.assertNotIn("paused", self.attach(Script(descriptors()), "attach", "@", verb))
        json.loads(self.attach(Script(descriptors()), "attach", "@", "snapshot", "-o", "paused.fxsnapshot", "--json"))

    def test_narrow_terminals(self):
        for words in (["attach", "@"], ["attach", "@", "census"], ["attach", "@", "measure"],
                      ["attach", "@", "allocations", "--seconds", "20ms"]):
            with Server(Script(descriptors())) as server:
                done = subprocess.run([workspace.UBIHEAP, *(f"ubi://127.0.0.1:{server.port}" if word == "@" else word for word in words)],
                                      check=True, capture_output=True, env={**os.environ, "COLUMNS": "40"})
            rows = [line for line in done.stdout.decode().splitlines() if "unknown" not in line]
            self.assertLessEqual(max(map(len, rows)), 40, rows)
            for name in ("objects / Map", "make") if "census" in words or "allocations" in words else ():
                self.assertEqual(any(name in row for row in rows), (name == "make") == ("allocations" in words), rows)

    def test_census_and_measure(self):
        text = self.attach(Script(resources()), "attach", "@", "census")
        self.assertEqual([line.split() for line in text.splitlines()[1:]], [
            ["500", "B", "45.9%", "1", "objects", "/", "Map"], ["300", "B", "27.5%", "3", "other", "/", "js::Shape"],
            ["200", "B", "18.3%", "2", "objects", "/", "Array"], ["90", "B", "8.3%", "9", "strings"]])
        self.assertEqual(json.loads(self.attach(Script(resources()), "attach", "@", "census", "--json"))["report"], CENSUS)
        self.assertEqual(json.loads(self.attach(Script(old_tabs()), "attach", "@", "measure", "--json"))["measure"], MEASURE)
        self.assertIn("     600 B  objects\n", self.attach(Script(old_tabs()), "attach", "@", "measure"))

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_documents_are_those_of_the_schema(self):
        schema = json.loads((SOURCE_DIR / "docs" / "reference" / "schema" / "ubiheap.attach-1.schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        for words in (["list"], ["census"], ["gc"], ["measure"], ["snapshot", "-o", "valid.fxsnapshot"]):
            for answers in (old_tabs(), resources()):
                document = json.loads(self.attach(Script(answers), "attach", "@", *words, "--json"))
                validator.validate(document)
                self.assertFalse(validator.is_valid({**document, "verb": "look"}), words)

    def test_gc(self):
        self.assertEqual(self.attach(Script(descriptors()), "attach", "@", "gc"),
                         "Garbage was collected: JavaScript took 900 B before, and takes 900 B now.\n")
        self.assertEqual([r["type"] for r in self.requests][-4:], ["measure", "forceGarbageCollection", "forceCycleCollection", "measure"])

    def test_of_a_process_runtimes_are_distinguished(self):
        def measured(missing, **sizes):
            rows = [{"browserId": number, "title": title, "jsSize": size, "total": size + 1} for title, (number, size) in sizes.items()]
            return {**MEASURE, "runtimes": len(rows), "missing": len(missing), "missingRuntimes": missing, "runtimeSizes": rows,
                    "resident": 3 << 20, "residentUnique": 1 << 20}
        before = measured(["slow"], app=(1, 1000), worker=(2, 500))
        answers = {**PROCESSES["descriptor of 137"], **memory_answers(), **ROOT, (MEMORY, "measure"): [before]}
        out = self.attach(Script(answers), "attach", "@", "measure", "--process", "0")
        self.assertEqual([line.split() for line in out.splitlines()[7:]], [
            ["1000", "B", "total"], "3.00 MiB in RAM, of the process".split(), "1.00 MiB in RAM, of no other process".split(), [],
            ["Size", "Runtime"], ["1001", "B", "app"], ["501", "B", "worker"]])
        self.assertEqual(self.error, "ubiheap: @: did not answer, and is not in this: slow\n")
        after = measured(["worker", "slow"], app=(1, 700), young=(4, 9000))
        answers[MEMORY, "measure"] = [lambda _, turns=iter((before, after)): next(turns)]
        answers[MEMORY, "forceGarbageCollection"] = [{"missing": 1, "missingRuntimes": ["slow"]}]
        self.assertEqual(self.attach(Script(answers), "attach", "@", "gc", "--process", "0"),
                         "Garbage was collected in 1 runtime: JavaScript took 1000 B before, and takes 700 B now.\n")
        self.assertEqual(self.error, "ubiheap: @: did not answer, and are not in this: slow; worker\n")
        answers[MEMORY, "measure"] = [lambda _, turns=iter((before, after)): next(turns)]
        document = json.loads(self.attach(Script(answers), "attach", "@", "gc", "--process", "0", "--json"))
        self.assertEqual([document[key] for key in ("sizeBefore", "sizeAfter", "runtimes", "missing")], [1000, 700, 1, ["slow", "worker"]])
        self.assertEqual(self.error, "")

    def test_a_blocked_worker_is_named(self):
        (self.place.folder / "blocked.js").write_text("import * as os from 'os'; setTimeout(() => os.sleep(1000000), 1);")
        (self.place.folder / "idle.js").write_text("setInterval(() => 0, 1);")
        source = "import * as os from 'os'; new os.Worker('./blocked.js'); new os.Worker('./idle.js'); setInterval(() => 0, 1);"
        with ListeningProgram(self.place.folder, source) as program:
            document = {"missing": [], "measure": {"runtimes": 0}}
            while len(document["missing"]) != 1 or document["measure"]["runtimes"] != 2:
                done = self.place.ubiheap("attach", f"{program.address}/process/0", "measure", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                document = json.loads(done.stdout)
            (missing,) = document["missing"]
            self.assertIn(missing, ("program.js, worker 1", "program.js, worker 2"))
            done = self.place.ubiheap("attach", program.address, "gc")
            self.assertEqual((done.returncode, done.stderr.decode()),
                             (0, f"ubiheap: {program.address}: did not answer, and is not in this: {missing}\n"))
            process = f"{program.address}/process/0"
            document = json.loads(self.place.ubiheap("attach", process, "census", "--json").stdout)
            self.assertEqual(document["missing"], [missing])
            self.assertEqual(list(document["report"]), ["objects", "scripts", "strings", "other", "domNode"])
            self.assertEqual(document["report"]["other"]["JSRuntime"]["count"], 2)
            done = self.place.ubiheap("attach", process, "snapshot", "-o", "process.fxsnapshot", "--json")
            self.assertEqual(json.loads(done.stdout)["missing"], [missing])
            counted = json.loads(self.place.ubiheap("census", "process.fxsnapshot", "--breakdown", "default", "--json").stdout)["report"]
            self.assertEqual(counted["other"]["JSRuntime"]["count"], 2)
            self.assertEqual(set(counted["other"]), {*document["report"]["other"], "JS::ubi::RootList"})
            done = self.place.ubiheap("report", process, "--json")
            self.assertEqual(done.stderr.decode(), f"ubiheap: {process}: did not answer, and is not in this: {missing}\n")
            roots = self.place.ubiheap("nodes", "process.fxsnapshot", "--columns", "displayName", "--where", 'typeName = "JS::ubi::RootList"')
            self.assertEqual(roots.stdout.decode().splitlines()[1:],
                             ["JS::ubi::RootList", "program.js", f"program.js, worker {3 - int(missing[-1])}"])

    def test_allocations(self):
        text = self.attach(Script(descriptors()), "attach", "@", "allocations", "--seconds", "1", "--json")
        rows = {row["function"]: row for row in json.loads(text)["functions"]}
        self.assertEqual([rows["make"]["own"]["total"][key] for key in ("bytes", "count")], [128, 2])
        self.assertIn("make", self.attach(Script(descriptors()), "attach", "@", "allocations", "--seconds", "1"))
        epoch = {**ALLOCATIONS, "allocationsTimestamps": [1.7e15, 1.7e15 + 1, 1.7e15 + 2.5e6]}
        answers = {**descriptors(), (MEMORY, "getAllocations"): [epoch]}
        self.attach(Script(answers), "attach", "@", "allocations", "--seconds", "1", "-o", "a.ubirec")
        self.assertIn("Ran           2.50 s", self.place.ubiheap("info", "a.ubirec").stdout.decode())

    def test_what_was_freed_is_unknown(self):
        """Of a program that leaks nothing, nothing is said to be not freed, alive or to grow."""
        want = ["Allocated", "Share", "Count", "With", "callees", "Function"]
        text = self.attach(Script(descriptors()), "attach", "@", "allocations", "--seconds", "20ms").splitlines()
        self.assertEqual(text[0], "160 B in 3 allocations; which of them were freed is unknown")
        self.assertEqual([line.split() for line in text[2:]], [want, ["128", "B", "80.0%", "2", "160", "B", "make", "app.js"],
                                                               ["32", "B", "20.0%", "1", "32", "B", "(anonymous)", "lib.js"]])
        self.attach(Script(descriptors()), "attach", "@", "allocations", "--seconds", "20ms", "-o", "first.ubirec")
        self.place.ubiheap("convert", "--anonymize", "first.ubirec", "copy.ubirec")
        for file in ("first.ubirec", "copy.ubirec"):
            for words in (["report"], ["report", "--detail"], ["report", "--by", "count"], ["info"]):
                with self.subTest(file=file, words=words):
                    done = self.place.ubiheap(*words, file)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertNotRegex(done.stdout.decode(), "Not freed|not freed|Peak|peak|Alive|Findings|leaked|growth")
                    self.assertRegex(done.stdout.decode(), r"frees were not recorded: which of|Frees +not recorded")
            table = self.place.ubiheap("report", "--format", "tsv", "--columns", "leaked,peak,temporary,leakedHigh,total", file).stdout
            self.assertEqual(table.decode().splitlines()[1:], ["\t\t\t\t128", "\t\t\t\t32"])

    def test_what_rests_on_frees_is_refused_without_them(self):
        self.attach(Script(descriptors()), "attach", "@", "allocations", "--seconds", "20ms", "-o", "b.ubirec")
        for words, code, error in (
                (["report", "--by", "leaked"], 2, "--by leaked: frees were not recorded; 'total' and 'count' are known"),
                (["allocations", "--by", "peak"], 2, "--by peak: frees were not recorded; 'total' and 'count' are known"),
                (["report", "--fail-on", "leaked > 1"], 3, "leaked is unknown, because frees were not recorded"),
                (["report", "--fail-on", "peak > 1"], 3, "peak is unknown, because frees were not recorded"),
                (["report", "--fail-on", "total > 1"], 1, "condition holds: total > 1; total is at least 160 B")):
            with self.subTest(words):
                done = self.place.ubiheap(*words, "b.ubirec")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(error, done.stderr.decode())

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def test_documents_without_frees_are_those_of_the_schema(self):
        self.attach(Script(descriptors()), "attach", "@", "allocations", "--seconds", "20ms", "-o", "c.ubirec")
        for schema, words in (("recording", ["report", "--json"]), ("recording-allocations", ["allocations", "--callers", "2", "--json"]),
                              ("recording-sites", ["report", "--format", "json"]), ("recording-info", ["info", "--json"])):
            with self.subTest(words):
                path = SOURCE_DIR / "docs" / "reference" / "schema" / f"ubiheap.{schema}-1.schema.json"
                document = json.loads(self.place.ubiheap(*words, "c.ubirec").stdout)
                jsonschema.Draft202012Validator(json.loads(path.read_text())).validate(document)
                if schema == "recording":
                    self.assertEqual([document[key] for key in ("findings", "curve", "lifetimes", "sortedBy")], [[], None, None, "total"])
                    self.assertEqual([document["heap"][key] for key in ("leaked", "peak", "temporary")], [None] * 3)
                    self.assertEqual(document["counters"]["withoutFrees"], 1)

    def test_seconds_are_a_time(self):
        for words in ("1.5", "20ms", "1s"):
            with self.subTest(words):
                self.assertIn("make", self.attach(Script(descriptors()), "attach", "@", "allocations", "--seconds", words))
        asked = [r["type"] for r in self.requests].count("getAllocations")
        self.assertEqual(asked, 1)
        for words in ("x", "-1", "1y", ""):
            self.assertIn("--seconds", self.refused(Script(descriptors()), "attach", "@", "allocations", "--seconds", words, code=2))

    def test_allocations_that_make_no_sense(self):
        frames = [None, {"line": 1, "column": 1, "source": "a", "functionDisplayName": "f", "parent": 7}]
        for change, words in (({"allocations": [9, 9, 9]}, "makes no sense"), ({"allocationSizes": [1]}, "fewer times or sizes"),
                              ({"frames": frames}, "caller comes after it"), ({"allocationSizes": [-1, 2, 3]}, "makes no sense"),
                              ({"frames": 7}, "without frames"), ({"allocationsTimestamps": ["a", 1, 1]}, "makes no sense")):
            answers = {**descriptors(), (MEMORY, "getAllocations"): [{**ALLOCATIONS, **change}]}
            with self.subTest(words):
                self.assertIn(words, self.refused(Script(answers), "attach", "@", "allocations", "--seconds", "1", code=3))

    def test_ctrl_c_ends_a_recording_and_shows_it(self):
        with Server(Script(descriptors())) as server:
            process = subprocess.Popen([workspace.UBIHEAP, "attach", f"ubi://127.0.0.1:{server.port}", "allocations", "--seconds", "0",
                                        "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not any(r["type"] == "getAllocations" for r in server.requests):
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            out, error = process.communicate()
        self.assertEqual((process.returncode, error), (0, b""))
        self.assertGreater(json.loads(out)["functionCount"], 0)

    def test_a_recording_that_ends_early_gives_what_was_taken(self):
        def hang_up(peer):
            peer.socket.shutdown(2)
            return b""
        gone = {"error": "noSuchActor", "message": "No such actor"}
        for name, end in (("program", hang_up), ("worker", lambda _: packet({"from": MEMORY, **gone}))):
            for n in (0, 1):
                def script(peer, end=end, n=n):
                    left = iter(range(n, -1, -1))
                    take = [lambda _: {**ALLOCATIONS} if next(left) > 0 else end(peer)]
                    Script({**descriptors(), (MEMORY, "getAllocations"): take})(peer)
                for words_of_command in (["--json"], ["-o", "early.ubirec"]):
                    with self.subTest(name, n=n, command=words_of_command):
                        (self.place.folder / "early.ubirec").unlink(missing_ok=True)
                        out = self.attach(script, "attach", "@", "allocations", "--seconds", "0", *words_of_command, code=4)
                        self.assertIn(f": {ENDED}\n", self.error)
                        self.assertEqual("ubiheap: @: the recording ends after 1 second: " in self.error, n == 1, self.error)
                        self.assertEqual((self.place.folder / "early.ubirec").exists(), n == 1 and "-o" in words_of_command)
                        if n and "-o" not in words_of_command:
                            rows = {row["function"]: row for row in json.loads(out)["functions"]}
                            self.assertEqual(rows["make"]["own"]["total"]["count"], 2)

    def test_what_has_ended_gets_one_sentence(self):
        """However it shows, and whatever was asked."""
        def reset(peer):
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.socket.close()
            return b""
        asked = [(["attach", "@"], "root", "listTabs"), (["attach", "@", "measure"], MEMORY, "measure"),
                 (["attach", "@", "gc"], MEMORY, "forceGarbageCollection"), (["attach", "@", "census", "--json"], MEMORY, "takeCensus"),
                 (["attach", "@", "snapshot", "-o", "ended.fxsnapshot"], MEMORY, "saveHeapSnapshot"), (["info", "@"], "tab2", "getTarget"),
                 (["attach", "@", "allocations"], MEMORY, "startRecordingAllocations"), (["report", "@"], FILES, "transferHeapSnapshot"),
                 (["leaks", "@", "--every", "1ms"], MEMORY, "attach"), (["convert", "@", "ended.fxsnapshot"], MEMORY, "saveHeapSnapshot")]
        ends = {"closed": lambda peer, _: peer.socket.shutdown(2) or b"", "reset": lambda peer, _: reset(peer),
                "half a packet": lambda peer, _: peer.send(b"99:{") or peer.socket.shutdown(2) or b"",
                "no actor": lambda _, request: packet({"from": request["to"], "error": "noSuchActor", "message": "No such actor"}),
                "no tab": lambda _, request: packet({"from": request["to"], "error": "tabDestroyed", "message": "Tab destroyed"}),
                "no process": lambda _, request: packet({"from": "root", "type": "forwardingCancelled", "prefix": request["to"][:3]})}
        for number, (name, end) in enumerate(ends.items()):
            for words, actor, kind in some_of(asked, 3, first=number):
                def script(peer, end=end, actor=actor, kind=kind):
                    Script({**descriptors(), (actor, kind): [lambda request: end(peer, request)]})(peer)
                with self.subTest(name, words=words):
                    self.assertEqual(self.refused(script, *words, code=4), ENDED)
        elsewhere = packet({"from": "root", "type": "forwardingCancelled", "prefix": "server1.conn0.child9/"})
        self.attach(Script({**descriptors(), (MEMORY, "measure"): [elsewhere, MEASURE]}), "attach", "@", "measure")

    def test_what_the_server_refuses_is_said_in_its_words(self):
        wrong = "Wrong state while taking census:Expected 'attached', but current state is 'detached'."
        answers = {**descriptors(), (MEMORY, "takeCensus"): [{"error": "Error", "message": wrong}],
                   (FILES, "transferHeapSnapshot"): [{"error": "NotFoundError"}]}
        self.assertEqual(self.refused(Script(answers), "attach", "@", "census", code=4), f"refuses takeCensus: Error: {wrong}")
        self.assertEqual(self.refused(Script(answers), "attach", "@", "snapshot", "-o", "no.fxsnapshot", code=4),
                         "refuses transferHeapSnapshot: NotFoundError")
        self.assertFalse((self.place.folder / "no.fxsnapshot").exists())

    def test_hostile_servers(self):
        def after_greeting(*values):
            def script(peer):
                peer.send(GREETING)
                peer.receive()
                peer.send(*values)
                peer.receive()
            return script

        def at_once(*values):
            return lambda peer: (peer.send(*values), peer.receive())
        tabs = {"from": "root", "tabs": TABS}
        for name, script, words in (
                ("endless header", at_once(b"1" * 100000), "header of a packet has more than 200"),
                ("no packets", at_once(b"SSH-2.0-OpenSSH: hello\r\n"), "not the header of a packet"),
                ("a page", at_once(b"HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n"), "not the header of a packet"),
                ("huge length", at_once(b"99999999999999999999:{}"), "more than"),
                ("a length above the limit", at_once(b"1000000000:{}"), "more than"),
                ("no JSON", at_once(b"5:{bad}"), "no JSON object"),
                ("an array", at_once(b"2:[]"), "no JSON object"),
                ("another greeting", at_once({"from": "root", "hello": 1}), "does not greet"),
                ("a file for nothing", after_greeting(bulk("root", b"x")), "not asked for"),
                ("no tabs", after_greeting({"from": "root", "tabs": 7}), "without a list of"),
                ("deep JSON", after_greeting(b"%d:%s" % (40000, b"[" * 40000)), "no JSON object"),
                ("a huge file", after_greeting(b"bulk root x 99999999999999999999:"), "more than 2^40")):
            with self.subTest(name):
                self.assertIn(words, self.refused(script, "attach", "@", code=3))
        for name, script, words in (
                ("early close", lambda peer: None, "without a greeting: the question on Firefox's screen may have been answered with no; "),
                ("no entry", lambda peer: peer.send({"from": "root", "error": "connectionRefused", "message": "not you"}),
                 "does not let this connection in: not you"),
                ("half a greeting", lambda peer: peer.send(b"500:{"), "without a greeting: "),
                ("close after the greeting", lambda peer: peer.send(GREETING), ENDED),
                ("half a packet", lambda peer: peer.send(GREETING, b"500:{"), ENDED),
                ("close before the answer", lambda peer: (peer.send(GREETING), peer.receive()), ENDED)):
            with self.subTest(name):
                self.assertIn(words, self.refused(script, "attach", "@", code=4))
        self.assertEqual(self.attach(after_greeting({**tabs, "from": "elsewhere"}, {**tabs, "processes": []}, tabs), "attach", "@"),
                         self.attach(after_greeting({**tabs, "processes": []}, tabs), "attach", "@"))

    def test_files_that_do_not_come_whole(self):
        for name, sent, code in (("cut", bulk(FILES, HEAP)[:-1000], 4), ("of another actor", bulk("x", HEAP), 3),
                                 ("JSON", packet({"from": FILES}), 3)):
            def script(peer, sent=sent):
                answers = {**descriptors(), (FILES, "transferHeapSnapshot"): []}
                Script({**answers, (FILES, "transferHeapSnapshot"): [sent, lambda _: peer.socket.shutdown(2) or b""]})(peer)
            with self.subTest(name):
                (self.place.folder / "out.fxsnapshot").unlink(missing_ok=True)
                self.refused(script, "attach", "@", "snapshot", "-o", "out.fxsnapshot", code=code)
                self.assertFalse((self.place.folder / "out.fxsnapshot").exists())
                self.refused(script, "info", "@", code=code)

    def test_ctrl_c_while_nothing_comes(self):
        for said in ([], [GREETING], [GREETING, b"100:{"]):
            def script(peer, said=said):
                peer.send(*said)
                while peer.receive() is not None:
                    pass
            for command in (["attach", "@", "snapshot", "-o", "silent.fxsnapshot"], ["info", "@"]):
                with self.subTest(said=said, command=command), Server(script) as server:
                    words = [f"firefox://127.0.0.1:{server.port}" if word == "@" else word for word in command]
                    process = subprocess.Popen([workspace.UBIHEAP, *words], cwd=self.place.folder, stdout=subprocess.PIPE,
                                               stderr=subprocess.PIPE)
                    server.connected.wait()
                    process.send_signal(signal.SIGINT)
                    out, _ = process.communicate()
                    self.assertEqual((process.returncode, out), (130, b""))
        self.assertFalse((self.place.folder / "silent.fxsnapshot").exists())

    def start(self, address, *words):
        return subprocess.Popen([workspace.UBIHEAP, *words[:1], address, *words[1:]], cwd=self.place.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def test_a_silence_is_spoken_of(self):
        """One line after a while, also where no progress is shown; what is sent to it meanwhile is no answer."""
        event = packet({"from": "root", "type": "tabListChanged"})

        def silent_at(*said):
            return lambda peer: (peer.send(*said), [peer.send(event) for _ in iter(peer.receive, None)])
        program = ListeningProgram(self.place.folder, "import * as os from 'os';\nos.sleep(100000000);\n", "--std")
        with Server(silent_at()) as asking, Server(silent_at(GREETING)) as busy, program:
            waits = [(f"firefox://127.0.0.1:{asking.port}", ["info"], "waiting for a greeting: no answer yet: Firefox may be asking on its "
                      "screen whether to allow the connection; with the preference devtools.debugger.prompt-connection set to false"),
                     (f"ubi://127.0.0.1:{asking.port}", ["attach", "snapshot", "-o", "s.fxsnapshot"], "waiting for a greeting: no answer "
                      "yet: the user at the program's terminal may be asked"),
                     (f"firefox://127.0.0.1:{busy.port}", ["attach", "census", "--json"], "waiting for an answer: no answer yet: Firefox "),
                     (program.address, ["leaks", "--every", "1s"], "collecting garbage: no answer yet: the program answers between its jobs; "
                      "it may be busy in code that is not JavaScript, sleep")]
            started = [(self.start(waits[0][0], "info", "--no-progress"), None)]
            started += [(self.start(address, *words), said) for address, words, said in waits]
            for process, said in reversed(started):
                if said:
                    self.assertTrue(process.stderr.readline().decode().startswith("ubiheap: " + said), said)
                process.send_signal(signal.SIGINT)
                self.assertEqual((*process.communicate(), process.returncode), (b"", b"", 130))

    def test_our_own_server(self):
        with ListeningProgram(self.place.folder, "class Session { constructor(n) { this.n = n; } }\nconst all = [];\n"
                              "for (let i = 0; i < 500; i++) all.push(new Session(i));\n"
                              "function tick() { for (let i = 0; i < 20; i++) new Session(i); setTimeout(tick, 5); }\ntick();\n") as program:
            self.check_our_own(program.address)

    def check_our_own(self, address):
        def document(*words):
            done = self.place.ubiheap(*[address if word == "@" else word for word in words], "--json")
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            return json.loads(done.stdout)
        self.assertEqual([row["kind"] for row in document("attach", "@")["heaps"]], ["tab", "process"])
        done = self.place.ubiheap("attach", f"{address}/process/77", "census")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"has no process 77: there is 1\n", done.stderr)
        self.assertGreater(document("attach", "@", "measure")["measure"]["jsObjectsSize"], 500)
        self.assertGreater(document("attach", "@", "gc", "--process", "0")["sizeAfter"], 500)
        self.assertIn("objects", document("attach", "@", "census")["report"])
        self.assertEqual(document("statistics", "@")["file"], address)
        rows = {row["function"]: row for row in document("attach", "@", "allocations", "--seconds", "1")["functions"]}
        self.assertGreaterEqual(rows["tick"]["own"]["total"]["count"], 1)
        for choice in (["--tab", "1"], ["--process", "0"]):
            document("attach", "@", "snapshot", *choice, "-o", "ours.fxsnapshot")
            self.assertEqual(document("info", "ours.fxsnapshot")["producer"], "QuickJS")

    def test_nothing_listens(self):
        with socket.socket() as held:  # so that no other test listens there
            held.bind(("127.0.0.1", 0))
            done = self.place.ubiheap("info", f"firefox://127.0.0.1:{held.getsockname()[1]}")
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"cannot connect: Connection refused; is it a Firefox that was started with --start-debugger-server PORT, and with the "
                      b"preferences devtools.debugger.remote-enabled and devtools.chrome.enabled set to true?\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
