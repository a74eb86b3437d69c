#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Objects of a live program are called by their constructor wherever people read names, and by the engine's class where
Firefox would count them."""
import json
import unittest

import run_place

SERVER = """
import { saveHeapSnapshot } from "ubiheap";
class Courier { constructor(peer) { this.peer = peer; this.buffer = new Uint8Array(256); } }
class Pool extends Map {}
class Server { constructor() { this.pool = new Pool(); } }
globalThis.server = new Server();
for (let round = 1; round <= 3; round++) {
    for (let i = 0; i < 100; i++) server.pool.set(`10.${round}.0.${i}`, new Courier(`10.${round}.0.${i}`));
    saveHeapSnapshot({ runtime: true }, `${round}.fxsnapshot`);
}
"""


class Constructors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = run_place.Place()
        cls.addClassCleanup(cls.place.temporary.cleanup)
        done = cls.place.script(SERVER, options=["--heap-module", "--module"])
        if done.returncode:
            raise AssertionError(done.stderr)

    def text(self, *arguments):
        done = self.place.ubiheap(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def json(self, *arguments):
        return json.loads(self.text(*arguments))

    def test_a_leak_is_called_by_its_constructor_and_so_is_who_holds_it(self):
        snapshots = ["1.fxsnapshot", "2.fxsnapshot", "3.fxsnapshot"]
        leak = self.json("leaks", "--json", *snapshots)["clusters"][0]
        self.assertEqual((leak["className"], leak["count"], leak["verdict"]), ("Courier", 100, "steady"))
        self.assertEqual(leak["holder"]["className"], "Pool")
        page = self.text("leaks", *snapshots)
        self.assertIn("Courier: +100 objects", page)
        self.assertIn("held by Pool", page)
        self.assertEqual(self.place.ubiheap("leaks", "--fail-on", "count(Courier) > 50", *snapshots).returncode, 1)

    def test_a_summary_has_a_row_for_each_constructor(self):
        rows = self.text("summary", "--limit", "0", "3.fxsnapshot").splitlines()
        count = {words[-1]: words[-3] for words in (row.split() for row in rows) if len(words) > 4}
        self.assertEqual([count[name] for name in ("Courier", "Server", "Pool")], ["300", "1", "1"])

    def test_a_census_goes_by_the_engines_class(self):
        classes = self.place.classes("3.fxsnapshot")
        self.assertGreater(classes["Object"], 300)
        self.assertEqual(classes["Map"], 1)
        self.assertNotIn("Courier", classes)

    def test_a_node_has_both_names(self):
        nodes = self.text("nodes", "--where", 'name == "Pool"', "-c", "className,descriptiveTypeName,displayName", "-f", "csv",
                          "3.fxsnapshot").splitlines()
        self.assertEqual(nodes[1:], ["Map,Pool,Pool"])

    def test_v8s_format_gets_the_constructor_as_the_name(self):
        self.text("convert", "3.fxsnapshot", "3.heapsnapshot")
        self.assertIn("Courier", self.text("summary", "--limit", "0", "3.heapsnapshot"))

    def test_no_constructor_is_left_in_an_anonymous_copy(self):
        self.text("convert", "--anonymize", "3.fxsnapshot", "3.jsonl")
        text = (self.place.folder / "3.jsonl").read_text()
        self.assertIn('"descriptiveTypeName"', text)
        self.assertNotIn("Courier", text)
        self.assertNotIn("10.3.0.", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
