#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/explanation/what-report-looks-for.md says which rules hold for the files of which producer: each that it promises for
Node.js, QuickJS and JavaScriptCore is found in a heap that the real engine wrote, and none that it says is not in the file.

The programs make every mistake that a script can make there: report_rules.js in Node.js and in `ubiheap run`; tests/data/jsc has the files of
JavaScriptCore, whose program has no long string.
"""
import json
import shutil
import subprocess
import sys
import unittest

import workspace

PAGE = workspace.SOURCE_DIR / "docs" / "explanation" / "what-report-looks-for.md"
PROGRAM = workspace.SOURCE_DIR / "tests" / "cli" / "report_rules.js"
# Of a document, or as in Chromium: its files are in tests/data/v8. Fibers are React's; outside memory is that of a program with much of it.
NOT_OF_A_SCRIPT = {"detachedDom", "eventListeners", "unmountedFibers", "unreadVariable", "outsideMemory"}


def promised():
    """Rule -> cell by producer, from the table."""
    rows = PAGE.read_text().split("## Which rules hold for which files")[1].split("\n## ")[0].splitlines()
    names, _, *rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row.startswith("|")]
    return {rule.strip("` "): dict(zip(names[1:], cells[1:])) for cells in rows for rule in cells[0].split(",")}


class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = workspace.Workspace()
        cls.table = promised()
        package = cls.place.folder / "node_modules" / "filler" / "index.mjs"
        package.parent.mkdir(parents=True)
        package.write_text("const kept = [];\nexport const fill = () => { for (let i = 0; i < 30000; i++) kept.push({i, a: [i], b: {c: i}}); "
                           "return () => kept; };\n")
        shutil.copy(PROGRAM, cls.place.folder / "program.mjs")

    @classmethod
    def tearDownClass(cls):
        cls.place.temporary.cleanup()

    def found(self, file):
        done = self.place.ubiheap("report", "--json", "--detail", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {finding["rule"] for finding in json.loads(done.stdout)["findings"]} & set(self.table)

    def check(self, producer, found, exempt=frozenset()):
        cells = {rule: of[producer] for rule, of in self.table.items()}
        missing = {rule for rule, cell in cells.items() if cell.startswith(("yes", "Node.js", "arrays")) and rule not in NOT_OF_A_SCRIPT}
        denied = {rule for rule, cell in cells.items() if cell.startswith(("not in", "there", "cannot", "no", "part of"))}
        denied -= {rule for rule in cells if cells[rule].startswith("Node")}
        self.assertEqual(missing - found - exempt, set(), producer)
        self.assertEqual(found & denied, set(), producer)

    def test_node(self):
        if shutil.which("node") is None:
            self.skipTest("node is not installed (Debian package nodejs)")
        subprocess.run(["node", "program.mjs"], cwd=self.place.folder, check=True, stdin=subprocess.DEVNULL)
        self.check("V8", self.found("program.heapsnapshot"))

    def test_quickjs(self):
        done = self.place.ubiheap("run", "--snapshot-at", "exit", "--snapshot-output", "program.fxsnapshot", "program.mjs")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check("QuickJS", self.found("program.fxsnapshot"))

    def test_javascriptcore(self):
        for name in ("findings.json.gz", "bun-findings.json.gz"):
            self.check("JavaScriptCore", self.found(workspace.SOURCE_DIR / "tests" / "data" / "jsc" / name), {"longStrings"})


if __name__ == "__main__":
    unittest.main()
