#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an audit says of heaps of the Node.js at hand: next to nothing of a program that does nothing, and each word of one with secrets."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
UBIHEAP = os.environ.get("UBIHEAP", "ubiheap")
SECRET = re.compile(r"zq[a-z]{3,}")
NUMBERS = ("4111111111114242", "4111111111114243", "4711421147", "10.77.88.99", "5550173")  # a card, an index, an address, a telephone
REPLACEMENT = re.compile(r"x_[0-9a-hjkmnp-tv-z]{10}(?:_[0-9]+)?")
WELL_KNOWN = {  # of the places that node_secrets.js has, these must be there, whatever the version
    "zqclass", "zqsubclass", "zqprivate", "zqstatic", "zqmethod", "zqgetter", "zqproperty", "zqvalue", "zqblank", "zqsymbol",
    "zqregistered", "zqsymbolkey", "zqmapkey", "zqmapvalue", "zqsetmember", "zqregexp", "zqnewregexp", "zqfunction", "zqasync",
    "zqgenerator", "zqevaluated", "zqlocal", "zqargument", "zqtemplate", "zqraw", "zqmessage", "zqbody", "zqsliced", "zqhost",
    "zqpassword", "zqjsonvalue", "zqenvironment", "zqoperand", "zqoption", "zqproxied", "zqtrap", "zqsparse", "zqfalsemodule",
    "zqdeep", "zqfile", "zqplain", "zqscript", "zqsearch", "zqweak", "zqhandler", "zqevent", "zqlistener", "zqtimer", "zqprogram"}


class Words(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="zqfolder-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def node(self, *arguments):
        environment = {**os.environ, "ZQ_SECRET": "zqenvironment"}
        subprocess.run(["node", *arguments], cwd=self.folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        return self.folder / "app.heapsnapshot"

    def nothing(self):
        return self.node("-e", 'require("v8").writeHeapSnapshot("app.heapsnapshot")')

    def secrets(self):
        program = self.folder / "zqprogram.js"
        program.write_text((HERE / "node_secrets.js").read_text(encoding="utf-8"), encoding="utf-8")
        return self.node(program, "app.heapsnapshot", "--zqoption=1", "zqoperand")

    def audit(self, file):
        done = subprocess.run([UBIHEAP, "strings", "--audit", "--json", "--limit", "0", file], check=True, capture_output=True)
        return json.loads(done.stdout)

    def anonymized(self, source, name):
        copy = self.folder / name
        subprocess.run([UBIHEAP, "convert", "--anonymize", "--compression", "none", source, copy], check=True, capture_output=True)
        return copy

    def test_a_copy_of_a_program_that_does_nothing_has_no_words(self):
        copy = self.audit(self.anonymized(self.nothing(), "copy.heapsnapshot"))
        self.assertEqual((copy["wordCount"], copy["words"]), (0, []))

    def test_a_copy_of_a_program_with_secrets_has_no_words(self):
        source = self.secrets()
        for name in ("copy.heapsnapshot", "copy.jsonl"):
            with self.subTest(name):
                copy = self.anonymized(source, name)
                text = REPLACEMENT.sub("", json.dumps(json.loads(copy.read_bytes())["strings"]) if name.endswith("shot")
                                       else copy.read_text(encoding="utf-8", errors="surrogateescape")).lower()
                self.assertEqual(set(SECRET.findall(text)), set())
                for number in (number for number in NUMBERS if name.endswith("shot")):  # elsewhere sizes and ids may have its digits
                    self.assertNotIn(number, text)
        copy = self.audit(self.folder / "copy.heapsnapshot")
        self.assertEqual((copy["wordCount"], copy["words"]), (0, []))

    def test_every_secret_is_listed(self):
        source = self.secrets()
        held = set(SECRET.findall("\n".join(json.loads(source.read_bytes())["strings"]).lower()))
        self.assertEqual(WELL_KNOWN - held, set())
        words = [row["word"] for row in self.audit(source)["words"] if not row["public"]]
        listed = "\n".join(words).lower()
        for secret in sorted(held) + list(NUMBERS):
            self.assertIn(secret, listed)

    def test_what_an_audit_lists_of_nothing_are_strings_of_node_itself(self):
        document = self.audit(self.nothing())
        counts = {group["group"]: group["found"] for group in document["groups"]}
        names = {row["word"] for row in document["words"] if row["group"] not in ("strings", "sources")}
        self.assertLessEqual(len(names), 60, names)  # a newer Node.js has names that the list does not
        self.assertEqual(sum(counts.values()), document["wordCount"])
        self.assertIn(os.path.realpath(self.folder), {row["word"] for row in document["words"]})


if __name__ == "__main__":
    unittest.main()
