#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ubiheap convert --anonymize on recordings and timelines: the copy gives the numbers of the original, in every analysis, and
has none of its words; a copy that cannot be made leaves everything as it was."""
import gzip
import json
import os
import re
import subprocess
import unittest

import workspace

REPLACED = re.compile(r"x_[0-9a-hjkmnp-tv-z]{10}(_[0-9]+)?")
KEY = b"sixteen bytes of key A"
# What of a document is about the file and not about what is in it, or depends on what this machine has.
NOT_COMPARED = {"file", "output", "hints", "hintsLeftOut", "startTime", "inputBytes", "blockCount", "creationTime",
                "tornBytes"}
WORDS = ["Session", "session.cc", "grow_table", "serve", "demo", "8080", "parse_document", "new_node", "shop.js",
         "loadUser", "4711000"]


class Recordings(unittest.TestCase):
    def setUp(self):
        self.place = workspace.Workspace()
        self.addCleanup(getattr(self.place, "close", lambda: None))
        (self.place.folder / "a.key").write_bytes(KEY)

    def path(self, name):
        return self.place.folder / name

    def run_tool(self, *arguments, status=0, **options):
        done = self.place.ubiheap(*arguments, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def document(self, *arguments, status=0):
        return json.loads(self.run_tool(*arguments, status=status).stdout)

    def copy(self, source, target, *options, status=0):
        return self.run_tool("convert", "--anonymize", *options, source, target, status=status)

    def assert_equal_except_names(self, before, after, names, where="$"):
        """Numbers, structure and order are equal; a text became one other text, which no other text became."""
        if isinstance(before, dict):
            self.assertEqual(len(before), len(after), where)
            for (key, x), (other, y) in zip(before.items(), after.items()):
                if not where.endswith((".details", ".bytes")):  # whose keys are the program's words, too
                    self.assertEqual(key, other, where)
                if key not in NOT_COMPARED:
                    self.assert_equal_except_names(x, y, names, f"{where}.{key}")
        elif isinstance(before, list):
            self.assertEqual(len(before), len(after), where)
            for i, (x, y) in enumerate(zip(before, after)):
                self.assert_equal_except_names(x, y, names, f"{where}[{i}]")
        elif isinstance(before, str):
            self.assertIsInstance(after, str, where)
            role = re.sub(r"\[\d+\]", "", where)
            self.assertEqual(names.setdefault((role, before), after), after, where)
            self.assertEqual(names.setdefault((role, "from", after), before), before, where)
        elif ".details." in where and not isinstance(before, bool) and isinstance(after, str):
            self.assertRegex(after, REPLACED, where)  # a number of the program's own
        elif where.endswith(".address") and (before or 0) >= 2**32:
            self.assertLess(after, 1000, where)  # of code that no module has
        else:
            self.assertEqual(before, after, where)

    def test_every_analysis_of_a_recording_gives_the_same_numbers(self):
        for name in workspace.RECORDINGS:
            source = workspace.DATA_UBIREC / f"{name}.ubirec"
            self.copy(source, "copy.ubirec")
            for command in (["report", "--json"], ["report", "--json", "--detail", "--top", "0"], ["info", "--json"],
                            ["report", "--format", "json", "-c", "class,leaked,peak,total,count,temporary,function,file,line,"
                             "module,stackCount,pool,stack,through"], ["timeline", "--json"], ["allocations", "--json", "--limit", "0"]):
                with self.subTest(name=name, command=command):
                    before, after = (self.document(*command, file) for file in (source, "copy.ubirec"))
                    self.assert_equal_except_names(before, after, {})

    def test_every_analysis_of_a_timeline_gives_the_same_numbers(self):
        for name in workspace.TIMELINES:
            source = workspace.DATA_TIMELINE / f"{name}.timeline"
            is_cut = name == "killed"
            self.copy(source, "copy.timeline", status=3 if is_cut else 0)
            for command in (["timeline", "--json"], ["info", "--json"], ["timeline", "--json", "--each"]):
                with self.subTest(name=name, command=command):
                    before = self.document(*command, source, status=3 if is_cut else 0)
                    after = self.document(*command, "copy.timeline")
                    if is_cut:
                        before["fault"] = after["fault"] = None
                    self.assert_equal_except_names(before, after, {})

    def test_no_word_of_the_program_is_left(self):
        for folder, names, end in ((workspace.DATA_UBIREC, workspace.RECORDINGS, "ubirec"),
                                   (workspace.DATA_TIMELINE, workspace.TIMELINES, "timeline")):
            for name in names:
                source = folder / f"{name}.{end}"
                self.copy(source, f"copy.{end}", status=3 if name == "killed" else 0)
                command = ["timeline", "--json"] if end == "timeline" else ["report", "--json", "--detail", "--top", "0"]
                text = self.run_tool(*command, f"copy.{end}").stdout.decode()
                left = [word for word in WORDS if re.search(rf"\b{re.escape(word)}\b", text)]
                self.assertEqual(left, [], name)

    def test_what_a_copy_lacks_is_not_blamed_on_the_files_at_hand(self):
        self.copy(workspace.DATA_UBIREC / "crashed.ubirec", "copy.ubirec")
        text = " ".join(self.run_tool("report", "--detail", "copy.ubirec").stdout.decode().split())
        found = re.findall(r"\d+ address(?:es)? of \S+ ha(?:s|ve) no line: (.{52})", text)
        self.assertEqual(found, ["this is an anonymized copy, for which none can be fo"] * 3)

    def test_what_is_in_every_program_stays(self):
        self.copy(workspace.DATA_UBIREC / "server.ubirec", "copy.ubirec")
        text = self.run_tool("report", "copy.ubirec").stdout.decode()
        self.assertRegex(text, r"main x_\w+\.cc:88")
        self.assertRegex(text, REPLACED)
        self.copy(workspace.DATA_TIMELINE / "small.timeline", "copy.timeline")
        text = self.run_tool("timeline", "copy.timeline").stdout.decode()
        self.assertIn("Promise Callback", text)

    def test_the_start_is_cut_to_its_day(self):
        self.copy(workspace.DATA_UBIREC / "server.ubirec", "copy.ubirec")
        self.assertEqual(self.document("info", "--json", "copy.ubirec")["startTime"][:19], "2023-11-14T00:00:00")
        self.copy(workspace.DATA_TIMELINE / "small.timeline", "copy.timeline")
        self.assertEqual(self.document("info", "--json", "copy.timeline")["startTime"][:19], "2023-11-14T00:00:00")

    def test_with_a_key_copies_can_be_compared(self):
        source = workspace.DATA_UBIREC / "server.ubirec"
        names = []
        for options in (["--anonymize-key", "a.key"], ["--anonymize-key", "a.key"], []):
            self.copy(source, "copy.ubirec", *options)
            rows = self.document("report", "--format", "json", "-c", "function,file,module", "copy.ubirec")["sites"]
            names.append(rows)
        self.assertEqual(names[0], names[1])
        self.assertNotEqual(names[0], names[2])

    def test_a_copy_of_a_copy_has_the_same_numbers(self):
        self.copy(workspace.DATA_UBIREC / "server.ubirec", "copy.ubirec")
        self.copy("copy.ubirec", "again.ubirec")
        self.assert_equal_except_names(self.document("report", "--json", "copy.ubirec"),
                                        self.document("report", "--json", "again.ubirec"), {})

    def test_an_original_is_not_written_over(self):
        whole = (workspace.DATA_UBIREC / "server.ubirec").read_bytes()
        for name, data in (("whole.ubirec", whole), ("torn.ubirec", whole[:-1000]),
                           ("killed.timeline", (workspace.DATA_TIMELINE / "killed.timeline").read_bytes())):
            with self.subTest(name=name):
                self.path(name).write_bytes(data)
                done = self.copy(name, name, status=2)
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
                self.assertIn(b"an anonymized copy needs another name", done.stderr)
                self.assertEqual(self.path(name).read_bytes(), data)

    def test_what_precedes_a_fault_is_copied(self):
        damaged = bytearray((workspace.DATA_UBIREC / "server.ubirec").read_bytes())
        damaged[-20000] ^= 1
        self.path("damaged.ubirec").write_bytes(damaged)
        done = self.copy("damaged.ubirec", "copy.ubirec", status=3)
        self.assertRegex(done.stderr.decode(), r"\Aubiheap: damaged.ubirec: block at byte \d+ is damaged: .*; what comes before "
                                               r"it was copied\n\Z")
        before = self.document("report", "--json", "damaged.ubirec", status=3)
        after = self.document("report", "--json", "copy.ubirec")
        self.assertEqual(before["heap"], after["heap"])

    def test_standard_output_and_standard_input(self):
        source = (workspace.DATA_UBIREC / "server.ubirec").read_bytes()
        done = self.run_tool("convert", "--anonymize-key", "a.key", workspace.DATA_UBIREC / "server.ubirec", "-")
        self.copy(workspace.DATA_UBIREC / "server.ubirec", "copy.ubirec", "--anonymize-key", "a.key")
        self.path("piped.ubirec").write_bytes(done.stdout)
        piped, copied = (self.document("report", "--json", name) for name in ("piped.ubirec", "copy.ubirec"))
        self.assertEqual(piped | {"file": ""}, copied | {"file": ""})
        self.assertTrue(done.stdout.startswith(source[:8]))
        with open(workspace.DATA_UBIREC / "server.ubirec", "rb") as file:
            done = subprocess.run([workspace.UBIHEAP, "convert", "--anonymize-key", "a.key", "-", "redirected.ubirec"],
                                  cwd=self.place.folder, stdin=file, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        redirected = self.document("report", "--json", "redirected.ubirec")
        self.assertEqual(redirected | {"file": ""}, copied | {"file": ""})

    def test_a_timeline_is_packed_when_its_name_says_so(self):
        source = workspace.DATA_TIMELINE / "small.timeline"
        self.copy(source, "plain.timeline", "--anonymize-key", "a.key")
        self.copy(source, "packed.timeline.gz", "--anonymize-key", "a.key")
        self.assertEqual(gzip.decompress(self.path("packed.timeline.gz").read_bytes()),
                         self.path("plain.timeline").read_bytes())
        self.copy("packed.timeline.gz", "again.timeline", "--anonymize-key", "a.key")

    def test_wrong_wishes_are_refused_in_a_line_and_nothing_is_written(self):
        source = workspace.DATA_UBIREC / "server.ubirec"
        for options, target, words in ((["-f", "jsonl"], "a.ubirec", "--format is for snapshots"),
                                       (["--compression", "none"], "a.ubirec", "--compression is for"),
                                       (["--all-edges"], "a.ubirec", "--all-edges is for snapshots"),
                                       ([], "a.fxsnapshot", "has the name of a snapshot"),
                                       (["--json"], "-", "both want standard output"),
                                       (["--anonymize-key", "a.key"], "a.key", "is the file that is read")):
            with self.subTest(options=options):
                done = self.copy(source, target, *options, status=2)
                self.assertIn(words, done.stderr.decode())
                self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertFalse(self.path("a.ubirec").exists())
        self.assertEqual(self.path("a.key").read_bytes(), KEY)
        self.copy(source, "no-such-folder/a.ubirec", status=4)


class Elements(unittest.TestCase):
    """Numbers of elements in heaps: small ones are positions, others may be somebody's."""

    def setUp(self):
        self.place = workspace.Workspace()
        (self.place.folder / "a.key").write_bytes(KEY)

    def heap(self):
        """An object with elements 0 to 1,500, of which one is a number of a customer."""
        numbers = [*range(1500), 4711000, 2**32 - 2]
        fields = ["type", "name", "id", "self_size", "edge_count"]
        nodes = [9, 1, 1, 0, 1, 3, 2, 3, 16, len(numbers)]
        edges = [1, 0, 5]
        for i, number in enumerate(numbers):
            nodes += [3, 2, 5 + 2 * i, 8, 0]
            edges += [1, number, 10 + 5 * i]
        meta = {"node_fields": fields,
                "node_types": [["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native",
                                "synthetic"], "string", "number", "number", "number"],
                "edge_fields": ["type", "name_or_index", "to_node"],
                "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"],
                               "string_or_number", "node"]}
        return json.dumps({"snapshot": {"meta": meta, "node_count": len(nodes) // 5, "edge_count": len(edges) // 3},
                           "nodes": nodes, "edges": edges, "strings": ["", "(root)", "Array"]}).encode()

    def indices(self, *options):
        done = self.place.ubiheap("convert", *options, "-f", "jsonl", "heap.heapsnapshot", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        return [edge["index"] for record in records if record["record"] == "node" for edge in record["edges"]
                if edge.get("kind") == "element"]

    def test_large_ones_are_replaced_each_by_its_own_in_every_format(self):
        (self.place.folder / "heap.heapsnapshot").write_bytes(self.heap())
        before, after = self.indices(), self.indices("--anonymize-key", "a.key")
        self.assertIn(4711000, before)
        self.assertEqual([i for i in before if i < 1000], [i for i in after if i < 1000])
        self.assertFalse({i for i in before if i >= 1000} & set(after))
        self.assertEqual(len(before), len(after))
        self.assertEqual(len(set(before)), len(set(after)))
        done = self.place.ubiheap("convert", "--anonymize-key", "a.key", "heap.heapsnapshot", "shared.heapsnapshot")
        self.assertEqual(done.returncode, 0, done.stderr)
        shared = json.loads((self.place.folder / "shared.heapsnapshot").read_bytes())
        self.assertEqual([shared["edges"][i + 1] for i in range(0, len(shared["edges"]), 3)
                          if shared["edges"][i] == 1], after)

    def test_analyses_give_the_same_numbers(self):
        (self.place.folder / "heap.heapsnapshot").write_bytes(self.heap())
        self.place.ubiheap("convert", "--anonymize", "heap.heapsnapshot", "shared.heapsnapshot")
        for command in (["summary", "--json"], ["dominators", "--json"], ["statistics", "--json"], ["report", "--json"],
                        ["nodes", "-c", "id,selfSize,retainedSize,distance,edgeCount,className"]):
            before, after = (self.place.ubiheap(*command, f"{name}.heapsnapshot").stdout.decode()
                             for name in ("heap", "shared"))
            self.assertEqual(re.sub(r'"inputBytes":\d+', "", before.replace("heap.heapsnapshot", "FILE")),
                             re.sub(r'"inputBytes":\d+', "", after.replace("shared.heapsnapshot", "FILE")), command)


if __name__ == "__main__":
    unittest.main()
