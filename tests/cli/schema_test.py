#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command's --json output against its schema in docs/reference/schema, on real and hostile files.

Needs python3-jsonschema. A few spoilt documents show that the schemas refuse something.
"""
import copy
import json
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
ALL_COLUMNS = ("id,ordinal,typeName,coarseType,className,name,displayName,rawSize,selfSize,distance,detachedness,"
               "edgeCount,retainerCount,scriptFilename,descriptiveTypeName")
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


class Schemas(unittest.TestCase):
    place = workspace.Workspace()

    def validator(self, command):
        schema = json.loads((SCHEMAS / f"ubiheap.{command}-1.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    def document(self, command, *arguments):
        done = self.place.ubiheap(command, "--json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        self.assertTrue(done.stdout.endswith(b"}\n") and done.stdout.count(b"\n") == 1, "one line")
        return json.loads(done.stdout)

    def check(self, command, *arguments):
        validator = self.validator(command)
        for file in FILES:
            with self.subTest(file=file, arguments=arguments):
                validator.validate(self.document(command, *arguments, f"{file}.fxsnapshot"))

    def test_info(self):
        self.check("info")

    def test_report(self):
        self.check("report")

    def test_nodes(self):
        self.check("nodes")
        self.check("nodes", "-c", ALL_COLUMNS, "-s", "distance")

    def test_census(self):
        for arguments in CENSUSES:
            self.check("census", *arguments)

    def test_every_command_with_json_output_has_a_schema(self):
        commands = self.place.ubiheap("help", "--commands").stdout.decode().split()
        named = {path.name for path in SCHEMAS.glob("*.json")}
        self.assertEqual(named, {f"ubiheap.{name}-1.schema.json" for name in commands if name != "help"})

    def test_the_columns_of_the_schema_are_those_of_the_help(self):
        shown = self.place.ubiheap("help", "nodes").stdout.decode().split("Columns:\n")[1].split("\n\n")[0]
        words = {line.split()[0] for line in shown.splitlines() if line.startswith("  ") and line[2] != " "}
        schema = self.validator("nodes").schema
        self.assertEqual(set(schema["properties"]["columns"]["items"]["enum"]), words)

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
        report = self.document("report", "tiny-before.fxsnapshot")
        refuses("report", report, lambda d: d["findings"][0].update(rule="other"))


if __name__ == "__main__":
    unittest.main()
