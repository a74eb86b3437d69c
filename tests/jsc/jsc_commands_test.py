# SPDX-License-Identifier: MIT
"""Every command on real heap snapshots of JavaScriptCore."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsc_files as jsc


def find(name, condition):
    """The id of the first node for which this holds."""
    rows = jsc.run("nodes", "-c", "id", "-w", condition, jsc.path_of(name)).splitlines()
    return rows[1]


class Commands(unittest.TestCase):
    def test_the_page_says_who_made_the_file(self):
        self.assertRegex(jsc.run("report", jsc.path_of("bun-inspector")), r"\A\S+  Bun \(JavaScriptCore\)\n")
        self.assertRegex(jsc.run("info", jsc.path_of("inspector-after")), r"\nProducer +JavaScriptCore\n")
        carried = json.loads(jsc.run("info", "--json", jsc.path_of("gcdebugging-after")))
        self.assertEqual(carried["producer"], "JavaScriptCore")

    def test_every_command_takes_both_types(self):
        for name in ("bun-inspector", "gcdebugging-after"):
            point = find(name, 'className == "Point"')
            for command in ("report", "info", "summary", "statistics", "census", "dominators", "strings", "nodes", "treemap",
                            "containment", "allocations", "search"):
                options = {"treemap": ["-f", "json"], "search": ["Point"]}.get(command, [])
                self.assertTrue(jsc.run(command, jsc.path_of(name), *options), command)
                if command not in ("nodes", "treemap"):
                    json.loads(jsc.run(command, "--json", jsc.path_of(name), *[o for o in options if o == "Point"]))
            for command in ("show", "paths", "retainers", "containment"):
                self.assertIn("Point", jsc.run(command, jsc.path_of(name), point))
                json.loads(jsc.run(command, "--json", jsc.path_of(name), point))

    def test_a_path_speaks_as_scripts_do(self):
        point = find("bun-inspector", 'className == "Point"')
        self.assertIn("global.program.points[0] → Point", jsc.run("paths", jsc.path_of("bun-inspector"), point))

    def test_a_captured_variable_is_called_so(self):
        reader = jsc.run("search", jsc.path_of("bun-gcdebugging"), "readSecret").split()
        self.assertIn("readSecret()", reader)
        secret = find("bun-inspector", 'className == "Object" and retainedSize > 100 and edgeCount == 2')
        self.assertTrue(jsc.run("paths", jsc.path_of("bun-inspector"), secret))

    def test_leaks_says_that_bun_gives_new_ids(self):
        pair = [jsc.DATA / f"{name}.heapsnapshot.gz" for name in ("bun-v8", "bun-v8-after")]
        done = subprocess.run([jsc.UBIHEAP, "leaks", *pair], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("may be of the process of the newest file", done.stdout)
        self.assertIn("gives new ids in each snapshot: use 'ubiheap diff --by class'", done.stderr)
        self.assertIn("Point", jsc.run("diff", "--by", "class", *pair))

    def test_report_finds_what_is_in_files(self):
        for name, rows_bytes, functions in (("findings", "71.6", "2 other functions share"), ("bun-findings", "75.3", "1 other function shares")):
            document = json.loads(jsc.run("report", "--json", "--detail", jsc.path_of(name)))
            told = {(row["rule"], row.get("heldBy", "")): row for row in document["findings"]}
            rules = {}
            for row in document["findings"]:
                rules.setdefault(row["rule"], []).append(row)
            self.assertEqual(set(rules), {"arrayBuffers", "pendingPromises", "closureContext", "growingCollection", "dominatingKind", "crowd"}, told)
            self.assertEqual(rules["arrayBuffers"][0]["count"], 1)  # not their prototypes
            self.assertRegex(rules["pendingPromises"][0]["text"], r"\A120 promises that waitForReply\(\) waits for are pending and keep "
                             r"[78]\d\.\d KiB alive. Does anything ever settle them\? Other functions wait for 20 more.\Z")
            self.assertEqual(rules["closureContext"][0]["text"],
                             f"Variable rows of neighbour() alone keeps {rows_bytes} KiB alive; {functions} its scope.")
            self.assertEqual([row["count"] for row in rules["growingCollection"]], [240, 240])
            self.assertEqual({row["pathText"] for row in rules["growingCollection"]},
                             {"global.program.table → Object", "global.program.list → Array"})

    def test_strings_say_that_there_are_no_texts(self):
        for name in jsc.FILES:
            self.assertIn("The file holds no texts of strings", jsc.run("strings", jsc.path_of(name)))

    def test_roots_of_debugging_files_have_their_reasons(self):
        text = jsc.run("paths", jsc.path_of("bun-gcdebugging"), find("bun-gcdebugging", 'className == "GlobalObject"'))
        self.assertRegex(text, "StrongHandles|StrongReferences|ProtectedValues")

    def test_a_card_shows_what_only_such_files_know(self):
        heap = jsc.load("bun-gcdebugging")["nodes"]
        wrapped = {str(int(heap[i + 5], 16)): heap[i + 6] for i in range(0, len(heap), 7) if heap[i + 6] != "0x0"}
        self.assertTrue(wrapped)
        for node, address in wrapped.items():
            self.assertRegex(jsc.run("show", jsc.path_of("bun-gcdebugging"), node), rf"\nWraps +{address}\n")
            card = json.loads(jsc.run("show", "--json", jsc.path_of("bun-gcdebugging"), node))
            self.assertEqual(card["further"]["wrappedAddress"], address)
        node = find("bun-gcdebugging", 'className == "GlobalObject"')
        self.assertRegex(jsc.run("show", jsc.path_of("bun-gcdebugging"), node), r"\nRoot reason +\w+\n")

    def test_leaks_are_found_by_addresses(self):
        text = jsc.run("leaks", jsc.path_of("gcdebugging-before"), jsc.path_of("gcdebugging-after"))
        self.assertIn("Point: +20 objects", text)
        self.assertIn("Ids in these files are addresses", text)

    def test_a_gate_that_passes_says_what_has_no_size(self):
        done = subprocess.run([jsc.UBIHEAP, "leaks", "--fail-on", "leaked > 100000", jsc.path_of("gcdebugging-before"),
                               jsc.path_of("gcdebugging-after")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("elements of arrays and most properties of large objects have no size in these files\n", done.stderr)

    def test_allocated_since_goes_by_ids_that_are_counted(self):
        text = jsc.run("summary", "--since", jsc.path_of("inspector-before"), jsc.path_of("inspector-after"))
        self.assertRegex(text, r"\b20 +\S+ +Point\n")

    def test_other_formats_keep_what_they_can(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bun-inspector", "gcdebugging-after"):
                heap = jsc.Heap(jsc.load(name))
                for ending in ("fxsnapshot", "heapsnapshot"):
                    out = pathlib.Path(folder, f"{name}.{ending}")
                    jsc.run("convert", jsc.path_of(name), out)
                    info = json.loads(jsc.run("info", "--json", out))
                    self.assertIn(info["nodeCount"] - len(heap.ids), (0, 1)) # a root of V8's has no incoming edges
                    self.assertRegex(jsc.run("summary", "--limit", "0", out), r"\n[^\n]* Point\n")
                    self.assertNotIn("sliced string", jsc.run("summary", "--limit", "0", out))

    def test_anonymized_files_have_no_names_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out.jsonl")
            jsc.run("convert", "--anonymize", jsc.path_of("gcdebugging-after"), out)
            text = out.read_text()
            for word in ("Point", "readSecret", "makeReader", "byName"):
                self.assertFalse(f'"{word}"' in text, word)
            self.assertTrue('"Structure"' in text and '"FunctionExecutable"' in text)

    def test_bun_writes_its_heap_in_the_form_of_v8_too(self):
        for name in ("bun-v8", "bun-v8-after"):
            path = jsc.DATA / f"{name}.heapsnapshot.gz"
            self.assertRegex(jsc.run("summary", "--limit", "0", path), r"\n[^\n]* Point\n")
            self.assertIn("Bun (JavaScriptCore), in V8's form", jsc.run("report", path))
            points = json.loads(jsc.run("summary", "--json", "--limit", "0", path))["classes"]
            self.assertEqual([row["count"] for row in points if row["name"] == "Point"], [3 if name == "bun-v8" else 23])

    def test_a_cut_file_says_so(self):
        text = jsc.gzip.decompress(jsc.path_of("bun-gcdebugging").read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "cut.json")
            for n in (5000, len(text) // 2, len(text) - 1000, len(text) - 1):
                path.write_bytes(text[:n])
                self.assertRegex(jsc.run("info", path, status=3),
                                 rf"\Aubiheap: \S+: the file ends (too early|in the middle of \"\w+\"), at byte {n}: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
