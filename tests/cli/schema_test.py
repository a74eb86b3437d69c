#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command's --json output against its schema in docs/reference/schema, on real and hostile files.

Needs python3-jsonschema. A few spoilt documents show that the schemas refuse something.
"""
import copy
import json
import os
import re
import sys
import unittest

import workspace

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

SCHEMAS = workspace.SOURCE_DIR / "docs" / "reference" / "schema"
FILES = ["tiny-before", "unreachable", "hostile", "big-ids", "two"]
ALL_COLUMNS = ("id,ordinal,typeName,coarseType,className,name,displayName,rawSize,selfSize,retainedSize,dominator,"
               "dominatorOrdinal,distance,detachedness,edgeCount,retainerCount,scriptFilename,descriptiveTypeName")
CENSUSES = [
    [],
    ["-b", '{"by":"bucket"}'],
    ["-b", '{"by":"count","label":"x","bytes":false}'],
    ["-b", '[{"by":"objectClass"},{"by":"internalType"},[]]'],
    ["-b", "objectClassAllocationStack"],
    ["-b", '{"by":"filename","then":{"by":"bucket"}}'],
    ["--tree"],
    ["--inverted", "-b", '{"by":"objectClass","then":{"by":"internalType"},"other":{"by":"internalType"}}'],
    ["--tree", "-b", "allocationStack"],
    ["--filter", "a"],
    ["-b", "objectClass", "--individuals", "1,1"],
]

DIFFS = [
    [],
    ["-b", '{"by":"objectClass","then":{"by":"bucket"},"other":{"by":"count","label":"x"}}'],
    ["-b", '[{"by":"objectClass"},{"by":"allocationStack"},[]]'],
    ["-b", "allocationStack"],
    ["--tree"],
    ["--inverted", "-b", "allocationStack"],
    ["--by", "class"],
    ["--by", "class", "--sort", "growth"],
    ["--by", "breakdown"],
]


MARKS = """
setTimeout(function later() { console.timeStamp("now"); }, 1);
console.time("all"); Promise.resolve().then(function reaction() { console.timeEnd("all"); });
"""

CUT = "the end of this recording is not in the file: the program may have allocated more"

# A validator calls itself a dozen times per level of a document, and a dominator tree has as many as the longest list.
sys.setrecursionlimit(20000)


def one_of_each(lines):
    """A line of every set of keys, and few edges: validating is slow."""
    chosen = {frozenset(line): {**line, **({"edges": line["edges"][:20]} if "edges" in line else {})} for line in lines}
    return list(chosen.values())


class Schemas(unittest.TestCase):
    place = workspace.Workspace()

    def validator(self, command):
        schema = json.loads((SCHEMAS / f"ubiheap.{command}-1.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    def document(self, command, *arguments, warning=None):
        done = self.place.ubiheap(command, "--json", *arguments)
        said = f"ubiheap: {arguments[-1]}: {warning}\n".encode() if warning else b""
        self.assertEqual((done.returncode, done.stderr), (0, said), arguments)
        self.assertTrue(done.stdout.endswith(b"}\n") and done.stdout.count(b"\n") == 1, "one line")
        return json.loads(done.stdout)

    def check(self, command, *arguments):
        validator = self.validator(command)
        for file in FILES:
            with self.subTest(file=file, arguments=arguments):
                validator.validate(self.document(command, *arguments, f"{file}.fxsnapshot"))

    def test_every_command_of_one_file(self):
        for command in self.place.commands_of_one_file():
            if command not in ("timeline", "flamegraph", "export"):  # read no heaps
                self.check(command)
                self.validator(command).validate(self.document(command, "leak-1.heapsnapshot"))

    def check_v8(self, command, *arguments):
        validator = self.validator(command)
        for file in ("node20-before", "chromium-detached", "chromium-alloc"):
            with self.subTest(file=file, arguments=arguments):
                validator.validate(self.document(command, *arguments, f"{file}.heapsnapshot.gz"))

    NEEDS_TIMES = {"live", "lifetime", "--timeline", "--at", "--from", "--to"}

    def test_recordings(self):
        columns = "leaked,leakedError,peakCount,total,count,temporary,class,function,file,line,module,address,stack"
        for file in [f"{name}.ubirec" for name in workspace.RECORDINGS] + ["sessions-3000.heapprofile"]:
            for schema, arguments in (("recording", ["report"]), ("recording", ["report", "--by", "count", "--top", "1"]),
                                      ("recording", ["report", "--at", "2ms"]),
                                      ("recording", ["report", "--from", "1ms", "--to", "0.2s"]),
                                      ("recording-sites", ["report", "--format", "json", "--from", "1ms"]),
                                      ("recording-allocations", ["allocations", "--at", "1s", "--by", "live"]),
                                      ("flamegraph", ["flamegraph", "--by", "total", "--from", "1ms", "--to", "1s"]),
                                      ("recording-sites", ["report", "--format", "json"]),
                                      ("recording-sites", ["report", "--format", "json", "-c", columns]),
                                      ("recording-allocations", ["allocations", "--callers", "2"]),
                                      *(("recording-groups", ["allocations", "--group", group]) for group in
                                        ("file", "module", "thread", "kind", "size", "lifetime")),
                                      ("recording-groups", ["allocations", "--group", "file", "--at", "1ms"]),
                                      ("recording-curve", ["allocations", "--timeline"]),
                                      ("recording-curve", ["allocations", "--timeline", "--from", "1ms", "--to", "1s"]),
                                      ("recording-tables", ["export"]), ("recording-tables", ["export", "--extended"]),
                                      ("flamegraph", ["flamegraph", "--by", "total"]),
                                      ("flamegraph", ["flamegraph", "--by", "count", "--inverted", "--limit", "5"]),
                                      ("recording-info", ["info"])):
                if file.endswith(".heapprofile") and self.NEEDS_TIMES & set(arguments):
                    continue  # what it says of no time is refused
                with self.subTest(file=file, arguments=arguments):
                    command, *rest = arguments
                    is_cut = command in ("export", "flamegraph") and file == "crashed.ubirec"
                    document = self.document(command, *rest, file, warning=CUT if is_cut else None)
                    self.validator(schema).validate(document)

    def test_differences_of_recordings(self):
        for old, new in (("server", "growing"), ("sampled", "server"), ("hostile", "lost-markers"), ("idle", "few")):
            for arguments in ([], ["--by", "total", "--sort", "change"], ["--by", "count"]):
                with self.subTest(old=old, new=new, arguments=arguments):
                    self.validator("recording-diff").validate(self.document("diff", *arguments, f"{old}.ubirec", f"{new}.ubirec"))
        self.validator("flamegraph").validate(self.document("flamegraph", "--by", "total", "server.ubirec", "growing.ubirec"))
        self.validator("recording-diff").validate(self.document("diff", "sessions-3000.heapprofile", "sessions-6000.heapprofile"))
        document = self.document("diff", "--per", "second", "server.ubirec", "growing.ubirec")
        self.validator("recording-diff").validate(document)
        for change in ({"per": "minute"}, {"places": [{**document["places"][0], "growth": None}]}, {"old": {}}):
            self.assertFalse(self.validator("recording-diff").is_valid({**document, **change}), change)

    def test_timelines(self):
        for file in ("small", "hostile"):
            for arguments in ([], ["--compat", "firefox"], ["-m", "Javascript"], ["--from", "1", "--to", "2"]):
                self.validator("timeline").validate(self.document("timeline", *arguments, f"{file}.timeline"))
            self.validator("timeline-info").validate(self.document("info", f"{file}.timeline"))
        document = self.document("timeline", "small.timeline")
        for change in ({"schema": "ubiheap.timeline/2"}, {"lostMarkers": -1}, {"frames": [{"line": 1}]},
                       {"markers": [{**document["markers"][0], "end": "soon"}]}):
            self.assertFalse(self.validator("timeline").is_valid({**document, **change}), change)

    def test_lines_of_timelines(self):
        path = workspace.SOURCE_DIR / "docs" / "formats" / "timeline-log-1.schema.json"
        validator = jsonschema.Draft202012Validator(json.loads(path.read_text()))
        (self.place.folder / "marks.js").write_text(MARKS)
        done = self.place.ubiheap("run", "--timeline", "marks.timeline", "marks.js")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in (self.place.folder / "marks.timeline").read_text().splitlines()]
        records = {line["record"] for line in lines}
        self.assertEqual(records - {"lost"}, {"header", "thread", "marker", "frame", "memory", "end"})
        for line in lines:
            validator.validate(line)
        for change in ({"record": "marker", "name": "x"}, {"record": "other"}, {"record": "frame", "frame": 0}):
            self.assertFalse(validator.is_valid(change), change)

    def test_report(self):
        self.check("report", "--detail")
        for arguments in ([], ["--detail"]):
            self.check_v8("report", *arguments)

    def test_strings(self):
        self.check("strings", "--duplicates")
        self.check_v8("strings", "--limit", "0")

    def test_summary(self):
        for arguments in ([], ["--limit", "0", "--sort", "name"], ["--where", "rawSize > 16"]):
            self.check("summary", *arguments)
            self.check_v8("summary", *arguments)
        for arguments in (["--filter", "detached-dom"], ["--context", "none"], ["--class", "Object"]):
            self.check_v8("summary", *arguments)
        self.validator("summary").validate(self.document("summary", "--since", "node20-before.heapsnapshot.gz",
                                                         "node20-after.heapsnapshot.gz"))

    def test_statistics(self):
        self.check_v8("statistics")

    def test_allocations(self):
        self.check_v8("allocations", "--callers", "5")

    def test_nodes(self):
        self.check("nodes", "-c", ALL_COLUMNS, "-s", "distance")
        self.check("nodes", "-c", ALL_COLUMNS, "-w", "retainedSize > 1 and className != null or id == 1")

    def test_census(self):
        for arguments in CENSUSES:
            self.check("census", *arguments)

    def test_diff(self):
        validator = self.validator("diff")
        node = ("node20-before.heapsnapshot.gz", "node20-after.heapsnapshot.gz")
        validator.validate(self.document("diff", "--by", "class", *node))
        pairs = [("tiny-before", "tiny-after"), ("hostile", "big-ids"), ("big-ids", "hostile"), ("two", "two")]
        for arguments in DIFFS:
            for pair in pairs:
                with self.subTest(pair=pair, arguments=arguments):
                    validator.validate(self.document("diff", *arguments, *(f"{name}.fxsnapshot" for name in pair)))

    def test_leaks(self):
        validator = self.validator("leaks")
        pair = ["tiny-before.fxsnapshot", "tiny-after.fxsnapshot"]
        node = ["node20-before.heapsnapshot.gz", "node20-after.heapsnapshot.gz"]
        series = [f"leak-{i}.heapsnapshot" for i in range(1, 7)]
        anyhow = "--allow-other-process"
        for arguments in (pair, [anyhow, "two.fxsnapshot", "hostile.fxsnapshot"], series[:3], series,
                          [anyhow, "two.fxsnapshot", "big-ids.fxsnapshot"],
                          [anyhow, "big-ids.fxsnapshot", "two.fxsnapshot"],
                          [anyhow, "other-1.heapsnapshot", *series], ["--verdict", "steady", *series],
                          ["--engine", "-n", "0", *pair], ["--control", ",".join(pair), *pair], node,
                          ["--where", 'className == "LeakedThing"', *node]):
            with self.subTest(arguments=arguments):
                validator.validate(self.document("leaks", *arguments))
        for arguments in ([*pair, pair[1]], ["other-1.heapsnapshot", *series]):  # these cannot be compared
            done = self.place.ubiheap("leaks", "--json", *arguments)
            self.assertEqual(done.returncode, 3)
            document = json.loads(done.stdout)
            validator.validate(document)
            self.assertFalse(document["comparable"])

    def test_dominators(self):
        for arguments in ([], ["--top", "20"], ["-d", "0", "-s", "0"], ["-b", "stack"], ["-b", "count"], ["-b", '{"by":"bucket"}']):
            self.check("dominators", *arguments)

    def test_node(self):
        validator = self.validator("node")
        for file in FILES:
            # As text: JSON rounds large ids as JavaScript does.
            table = self.place.ubiheap("nodes", "-f", "tsv", "-c", "id,edgeCount,distance", f"{file}.fxsnapshot").stdout
            rows = [line.split("\t") for line in table.decode().splitlines()[1:]]
            most_edges = max(rows, key=lambda row: int(row[1]))[0]
            unreachable = [row[0] for row in rows if row[2] == "-"]
            for node in {rows[0][0], rows[-1][0], most_edges, *unreachable[:3]}:
                for arguments in ([], ["--limit", "0"], ["-b", "default"]):
                    with self.subTest(file=file, node=node, arguments=arguments):
                        validator.validate(self.document("node", *arguments, f"{file}.fxsnapshot", node))

    def test_paths(self):
        validator = self.validator("paths")
        targets = {"tiny-before": [1810879579408, 45135006097600], "unreachable": [62041634150816], "hostile": [10, 20],
                   "big-ids": [2**53, 2**63], "two": [2, 1]}
        for file, ids in targets.items():
            for arguments in ([], ["--max-paths", "1"], ["--from", ids[0]]):
                with self.subTest(file=file, arguments=arguments):
                    validator.validate(self.document("paths", *arguments, f"{file}.fxsnapshot", *ids))

    def test_nodes_of_v8(self):
        self.check_v8("info")
        self.check_v8("nodes", "-c", ALL_COLUMNS, "--limit", "2000")
        self.check_v8("dominators")
        validators = {command: self.validator(command) for command in ("node", "paths")}
        for file, ids in (("node20-after", (1, 3, 79447, 50603)), ("chromium-alloc", (1, 3, 33989))):
            for node in ids:
                for command, validator in validators.items():
                    with self.subTest(command=command, file=file, node=node):
                        validator.validate(self.document(command, f"{file}.heapsnapshot.gz", str(node)))

    def test_retainers(self):
        validator = self.validator("retainers")
        targets = {"tiny-before.fxsnapshot": (1810879579408, 45135006097600), "unreachable.fxsnapshot": (62041634150816,),
                   "hostile.fxsnapshot": (10, 20), "big-ids.fxsnapshot": (2**53, 2**63), "two.fxsnapshot": (2, 1),
                   "node20-after.heapsnapshot.gz": (1, 79447), "chromium-detached.heapsnapshot.gz": (3, 55267)}
        for file, ids in targets.items():
            for node in ids:
                for arguments in ([], ["--all", "--depth", "4"], ["--ignore", str(node)], ["--limit", "0", "--depth", "0"]):
                    with self.subTest(file=file, node=node, arguments=arguments):
                        validator.validate(self.document("retainers", *arguments, file, str(node)))

    def test_containment(self):
        for arguments in ([], ["--depth", "4", "--limit", "5"], ["--depth", "0", "--limit", "1"]):
            self.check("containment", *arguments)
            self.check_v8("containment", *arguments)

    def test_search(self):
        for arguments in (["--where", "rawSize > 16"], ["--where", "rawSize < 0"]):
            self.check("search", *arguments)
            self.check_v8("search", *arguments)

    def test_audits(self):
        for file in ("server.ubirec", "hostile.ubirec", "small.timeline", "tiny-before.fxsnapshot", "hostile.fxsnapshot"):
            for options in ([], ["--all", "--limit", "0"]):
                self.validator("strings-audit").validate(self.document("strings", "--audit", *options, file))

    def test_convert_of_recordings(self):
        for file in ("server.ubirec", "crashed.ubirec", "small.timeline"):
            (self.place.folder / "converted.copy").unlink(missing_ok=True)
            document = self.document("convert", "--anonymize", file, "converted.copy")
            self.validator("convert-recording").validate(document)

    def test_convert(self):
        for options in ([], ["-f", "jsonl"], ["-c", "small"], ["--anonymize"]):
            (self.place.folder / "converted.fxsnapshot").unlink(missing_ok=True)
            for file in FILES:
                document = self.document("convert", *options, f"{file}.fxsnapshot", "converted.fxsnapshot")
                self.validator("convert").validate(document)

    def test_json_lines(self):
        schema = json.loads((workspace.SOURCE_DIR / "docs" / "formats" / "jsonl-1.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        v8 = workspace.SOURCE_DIR / "tests" / "data" / "v8" / "chromium-alloc.heapsnapshot.gz"
        for file in (v8, "unreachable.fxsnapshot", "hostile.fxsnapshot", "big-ids.fxsnapshot", "two.fxsnapshot"):
            text = self.place.ubiheap("convert", "-f", "jsonl", str(file), "-").stdout
            lines = [json.loads(line) for line in text.splitlines()]
            for line in lines if len(lines) < 1000 else one_of_each(lines):
                validator.validate(line)
        changes = [{"record": "other"}, {"id": -1}, {"size": "1"}, {"coarseType": "Thing"}, {"edges": [{"name": "x"}]}]
        for change in changes:
            self.assertFalse(validator.is_valid({**lines[-1], **change}), change)

    def test_treemap(self):
        self.check("treemap", "--by", "retained")
        self.check("treemap", "--by", "count", "-b", "allocationStack", "--depth", "3")
        self.check("treemap", "-b", "invertedAllocationStack", "--filter", "a", "--width", "1", "--height", "1")

    def test_cache(self):
        self.document("statistics", "--cache", "--cache-dir", "kept", "tiny-before.fxsnapshot")
        for arguments in ([], ["list", "--older-than", "1h"], ["clear"], ["list"]):
            self.validator("cache").validate(self.document("cache", "--cache-dir", "kept", *arguments))

    def test_rss(self):
        self.validator("rss").validate(self.document("rss", str(os.getpid())))

    def test_control(self):
        self.validator("control").validate(self.document("control"))  # tests/record/control_test.py has processes
        for change in ({"processes": [{}]}, {"processes": None}):
            self.assertFalse(self.validator("control").is_valid({"schema": "ubiheap.control/1", **change}), change)

    def test_every_command_with_json_output_has_a_schema(self):
        commands = self.place.ubiheap("help", "--commands").stdout.decode().split()
        named = {path.name for path in SCHEMAS.glob("*.json")}
        of_commands = set(commands) - {"help", "record", "watch", "mcp", "export"}  # the output of the others is a program's, or messages
        of_commands = of_commands - {"show"} | {"node"}  # what `show` was called when its document got a name
        of_recordings = {"recording", "recording-groups", "recording-curve", "recording-info", "recording-sites", "recording-allocations", "recording-tables", "recording-diff",
                         "convert-recording"}
        of_audits = {"strings-audit"}
        of_timelines = {"timeline-info"}
        of_the_library = {"questions"}  # tests/api/ask_door_test.py
        of_the_server = {"routes", "heaps", "heap", "files", "jobs", "job", "targets", "target", "measure", "error"}  # tests/http
        self.assertEqual(named, {f"ubiheap.{name}-1.schema.json"
                                 for name in of_commands | of_recordings | of_timelines | of_audits | of_the_library |
                                 of_the_server})

    def test_the_columns_of_the_schema_are_those_of_the_help(self):
        shown = self.place.ubiheap("help", "nodes").stdout.decode().split("Columns:\n")[1].split("\n\n")[0]
        words = {line.split()[0] for line in shown.splitlines() if line.startswith("  ") and line[2] != " "}
        schema = self.validator("nodes").schema
        self.assertEqual(set(schema["properties"]["columns"]["items"]["enum"]), words)

    def test_the_rules_of_the_schema_are_those_of_the_sources_and_are_documented(self):
        sources = "".join(path.read_text() for path in (workspace.SOURCE_DIR / "src" / "lenses").rglob("*.c")
                          if not path.stem.endswith("_test"))
        rules = set(re.findall(r'\{ "(\w+)", ubi__finding_', sources) + re.findall(r'rule = (?:\w+ \? )?"(\w+)"', sources))
        of_schema = self.validator("report").schema["properties"]["findings"]["items"]["properties"]["rule"]["enum"]
        self.assertEqual(set(of_schema), rules)
        page = (workspace.SOURCE_DIR / "docs" / "explanation" / "what-report-looks-for.md").read_text()
        self.assertEqual({rule for rule in rules if f"`{rule}`" not in page}, set())

    def test_what_formats_carry_is_on_their_pages(self):
        data = workspace.SOURCE_DIR / "tests" / "data"
        pages = "".join(page.read_text() for page in (workspace.SOURCE_DIR / "docs" / "formats").glob("*.md"))
        required = self.validator("info").schema["properties"]["carries"]["required"]
        seen = set()
        for sample in (data / "v8" / "node20-after.heapsnapshot.gz", data / "jsc" / "gcdebugging-after.json.gz"):
            document = self.document("info", str(sample))
            self.validator("info").validate(document)
            seen |= set(document["carries"]) - set(required)
        self.assertGreater(len(seen), 8)
        self.assertEqual({key for key in seen if f"`{key}`" not in pages}, set())

    def test_spoilt_documents_are_refused(self):
        def refuses(command, document, change):
            spoilt = copy.deepcopy(document)
            change(spoilt)
            self.assertFalse(self.validator(command).is_valid(spoilt))

        info = self.document("info", "two.fxsnapshot")
        refuses("info", info, lambda d: d.update(schema="ubiheap.info/2"))
        refuses("info", info, lambda d: d.update(nodeCount="2"))
        refuses("info", info, lambda d: d.pop("reachable"))
        census = self.document("census", "two.fxsnapshot")
        refuses("census", census, lambda d: d.pop("report"))
        refuses("census", census, lambda d: d.update(tree={}))
        refuses("census", census, lambda d: d["report"]["scripts"].update(count="many"))
        tree = self.document("census", "--tree", "two.fxsnapshot")
        refuses("census", tree, lambda d: d["tree"]["children"][0].pop("totalBytes"))
        nodes = self.document("nodes", "two.fxsnapshot")
        refuses("nodes", nodes, lambda d: d["columns"].append("retained"))
        refuses("nodes", nodes, lambda d: d["rows"].append([True]))
        diff = self.document("diff", "-b", "count", "two.fxsnapshot", "two.fxsnapshot")
        refuses("diff", diff, lambda d: d.pop("basisTotalBytes"))
        refuses("diff", diff, lambda d: d.update(tree={}))
        refuses("diff", diff, lambda d: d["delta"].update(count="0"))
        refuses("diff", diff, lambda d: d["old"].pop("file"))
        classes = self.document("diff", "--by", "class", "tiny-before.fxsnapshot", "tiny-after.fxsnapshot")
        refuses("diff", classes, lambda d: d.update(breakdown={}))
        refuses("diff", classes, lambda d: d["byClass"][0].pop("deleted"))
        paths = self.document("paths", "two.fxsnapshot", 2)
        refuses("paths", paths, lambda d: d.pop("start"))
        refuses("paths", paths, lambda d: d["targets"][0]["paths"][0][0].pop("edge"))
        refuses("paths", paths, lambda d: d["targets"][0]["deduplicated"]["edges"][0].update(name=1))
        converted = self.document("convert", "two.fxsnapshot", "converted.fxsnapshot")
        refuses("convert", converted, lambda d: d.update(format="xml"))
        refuses("convert", converted, lambda d: d.pop("replacedWords"))
        report = self.document("report", "tiny-before.fxsnapshot")
        refuses("report", report, lambda d: d["findings"][0].update(rule="other"))
        refuses("report", report, lambda d: d["keepers"][0].pop("held"))
        tree = self.document("dominators", "tiny-before.fxsnapshot")
        refuses("dominators", tree, lambda d: d.update(top=[]))
        refuses("dominators", tree, lambda d: d["tree"]["children"][0].update(label="Array"))
        node = self.document("node", "tiny-before.fxsnapshot", str(tree["rootId"]))
        refuses("node", node, lambda d: d.update(dominator=5))


if __name__ == "__main__":
    unittest.main()
