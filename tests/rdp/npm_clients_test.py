#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two more clients of npm with programs under `ubiheap run --listen`: firefox-debugadapter, which speaks as today's Firefox does, and
firefox-client, which is as old as the protocol.

They are installed in the build directory, in the versions of npm_clients/package-lock.json; where npm cannot fetch them, the test is skipped.
"""
import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from debug_adapter import Adapter
from rdp_client import running
from witness import Witness, check_driven

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "rdp" / "npm_clients"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from npm_packages import install  # noqa: E402

CODE = """
globalThis.kept = [];
console.log("before");
let n = 0;
setInterval(() => { kept.push({ n }); console.log("tick", n++); }, 50);
"""


class DebugAdapter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = install(SOURCE, "npm-clients") / "node_modules" / "firefox-debugadapter" / "adapter.bundle.js"
        cls.program = cls.enterClassContext(running(code=CODE))
        cls.witness = cls.enterClassContext(Witness(cls.program[0]))
        cls.adapter = cls.enterClassContext(Adapter("node", str(program)))
        cls.adapter.request("initialize", adapterID="firefox", pathFormat="path")
        cls.adapter.request("attach", type="firefox", request="attach", host="127.0.0.1", port=cls.witness.port)
        cls.started = cls.adapter.event(lambda name, _: name == "threadStarted")

    def output(self, text):
        return self.adapter.event(lambda name, body: name == "output" and body["output"] == text)

    def test_1_it_finds_the_target_of_the_tab(self):
        self.assertEqual(self.started, {"name": "Tab -e", "id": 1})
        self.assertEqual(self.adapter.request("threads"), {"threads": [{"id": 1, "name": "Tab -e"}]})

    def test_2_it_shows_what_the_program_says_and_has_said(self):
        self.assertEqual(self.output("before\n")["category"], "stdout")
        self.output("tick 0\n")
        self.output("tick 30\n")

    def test_3_it_evaluates(self):
        self.assertEqual(self.adapter.request("evaluate", expression="6 * 7", context="repl")["result"], "42")
        array = self.adapter.request("evaluate", expression="['first', 2]", context="repl")
        found = self.adapter.request("variables", variablesReference=array["variablesReference"])["variables"]
        self.assertEqual([(one["name"], one["value"]) for one in found if one["name"] in "01"], [("0", '"first"'), ("1", "2")])

    def test_4_the_reference_names_what_it_asked_for(self):
        check_driven(self, "firefox-debugadapter", self.witness.asked)


class FirefoxClient(unittest.TestCase):
    def test_it_measures(self):
        place = install(SOURCE, "npm-clients")
        program = place / "firefox_client_drive.cjs"
        shutil.copy(SOURCE / program.name, program)
        with running(code=CODE) as (port, _), Witness(port) as witness:
            done = subprocess.run(["node", "--no-deprecation", program, str(witness.port)], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            check_driven(self, "firefox-client", witness.asked)
        seen = json.loads(done.stdout)
        self.assertEqual((seen["url"], seen["title"]), ("qjs://-e", "-e"))
        self.assertGreater(seen["sizes"]["total"], seen["sizes"]["jsObjectsSize"])


if __name__ == "__main__":
    if not install(SOURCE, "npm-clients"):
        print("skipped: npm could not fetch the clients")
        sys.exit(77)
    unittest.main()
