#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sampling profiles that Node.js writes: what report, flamegraph, export, allocations and diff say has the sums of the JSON, function by function."""
import collections
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "support"))
from address_limit import lift_limit  # noqa: E402

UBIHEAP = os.environ["UBIHEAP"]
DATA = SOURCE_DIR / "tests" / "data" / "heapprofile"


def nodes(profile):
    """Each function with its callers' names, without recursion."""
    waiting = [(child, ()) for child in profile["head"]["children"]]
    while waiting:
        node, callers = waiting.pop()
        yield node, callers
        waiting += [(child, callers + (node["callFrame"]["functionName"],)) for child in node["children"]]


def total(profile):
    return profile["head"]["selfSize"] + sum(node["selfSize"] for node, _ in nodes(profile))


class Profiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="ubiheap-heapprofile-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.files = {path.stem: path for path in DATA.glob("sessions-*.heapprofile")}
        node = shutil.which("node")
        for interval in (1024, 65536) if node else ():
            name = f"here-{interval}"
            subprocess.run([node, "--heap-prof", f"--heap-prof-name={name}.heapprofile", f"--heap-prof-interval={interval}", DATA / "grow.js", "500"],
                           cwd=cls.folder, check=True, preexec_fn=lift_limit)
            cls.files[name] = cls.folder / f"{name}.heapprofile"
        cls.profiles = {name: json.loads(path.read_text()) for name, path in cls.files.items()}

    def ask(self, *arguments, status=0):
        done = subprocess.run([UBIHEAP, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_there_are_real_ones(self):
        self.assertGreaterEqual(len(self.files), 3)
        self.assertGreater(total(self.profiles["sessions-3000"]), 1 << 20)

    def test_reports_have_the_sums_of_the_json(self):
        for name, path in self.files.items():
            with self.subTest(name=name):
                document = json.loads(self.ask("report", "--json", path).stdout)
                self.assertEqual(document["heap"]["total"]["bytes"], total(self.profiles[name]))
                self.assertEqual((document["heap"]["leaked"], document["exact"], document["counters"]["withoutFrees"]), (None, False, 2))

    def test_each_function_has_what_it_has_in_the_json(self):
        for name, path in self.files.items():
            with self.subTest(name=name):
                expected = collections.Counter()
                for node, _ in nodes(self.profiles[name]):
                    frame = node["callFrame"]
                    key = frame["functionName"], frame["url"], str(frame["lineNumber"] + 1)
                    expected[key] += node["selfSize"]
                found = collections.Counter()
                for row in self.ask("report", "--no-wrappers", "-c", "total,function,file,line", path).stdout.splitlines()[1:]:
                    size, function, file, line = row.split("\t")
                    found[tuple("" if word == "-" else word for word in (function, file)) + ("0" if line == "-" else line,)] += int(size)
                clean = lambda counts: {key: size for key, size in counts.items() if size and key[0] and not key[0].startswith("(")}
                self.assertEqual(clean(found), clean(expected))

    def test_stacks_have_what_they_have_in_the_json(self):
        for name, path in self.files.items():
            with self.subTest(name=name):
                expected = collections.Counter()
                for node, callers in nodes(self.profiles[name]):
                    expected[callers + (node["callFrame"]["functionName"],)] += node["selfSize"]
                found = collections.Counter()
                for line in self.ask("export", "-f", "collapsed", "--allocators", path).stdout.splitlines():
                    stack, size = line.rsplit(" ", 1)
                    found[tuple("" if word.startswith("(anonymous") else word for word in stack.split(";"))] += int(size)
                self.assertEqual(sum(found.values()), total(self.profiles[name]) )
                self.assertEqual(+found, +expected)

    def test_other_forms(self):
        for name, path in self.files.items():
            whole = total(self.profiles[name])
            self.assertEqual(json.loads(self.ask("flamegraph", "--json", path).stdout)["total"], whole)
            events = json.loads(self.ask("export", "--json", path).stdout)["events"]
            self.assertEqual(sum(event["size"] for event in events), whole)
            rows = json.loads(self.ask("allocations", "--json", "--with-callees", "--limit", "0", path).stdout)["functions"]
            self.assertEqual(sum(row["own"]["total"]["bytes"] for row in rows), whole - self.profiles[name]["head"]["selfSize"])
            self.ask("export", "-o", "out.pb.gz", path)
            strings = gzip.decompress((self.folder / "out.pb.gz").read_bytes())
            self.assertTrue(b"inuse_space" in strings and b"alloc_space" not in strings)
            self.assertIn("sampling heap profile of V8", self.ask("info", path).stdout)
            self.ask("convert", "--anonymize", path, "copy.ubirec")
            self.assertEqual(json.loads(self.ask("report", "--json", "copy.ubirec").stdout)["heap"]["total"]["bytes"], whole)

    def test_two_are_compared(self):
        old, new = (self.profiles[f"sessions-{n}"] for n in (3000, 6000))
        document = json.loads(self.ask("diff", "--json", *(self.files[f"sessions-{n}"] for n in (3000, 6000))).stdout)
        self.assertEqual((document["by"], document["old"]["total"]["bytes"], document["new"]["total"]["bytes"]), ("total", total(old), total(new)))
        self.assertEqual(document["places"][0]["function"], "makeSessions")
        self.assertFalse(any(place["certain"] for place in document["places"]))
        sizes = [sum(node["selfSize"] for node, _ in nodes(profile) if node["callFrame"]["functionName"] == "makeSessions") for profile in (old, new)]
        self.assertEqual(document["places"][0]["growth"], sizes[1] - sizes[0])
        self.assertEqual(document["places"][0]["file"], "/opt/demo/grow.js")

    def test_conditions_do_not_pass(self):
        for arguments in (("report", "--fail-on", "total > 1GiB"), ("report", "--fail-on", "leaked > 1GiB")):
            said = self.ask(*arguments, self.files["sessions-3000"], status=3).stderr
            self.assertIn("is unknown, because a sampling profile of V8 does not say how exact it is", said)
        self.ask("diff", "--fail-on", "totalGrowth > 1TiB or newPlaces > 1000", self.files["sessions-3000"], self.files["sessions-6000"], status=3)

    def test_indexes_are_the_same(self):
        path = shutil.copy(self.files["sessions-3000"], self.folder / "indexed.heapprofile")
        first, second = (self.ask("report", "--index", path).stdout for _ in range(2))
        self.assertEqual(first, second)
        self.assertTrue((self.folder / "indexed.heapprofile.ubindex").exists())

    def test_damaged_files_are_refused(self):
        text = self.files["sessions-3000"].read_bytes()
        for name, data, words in (("cut", text[:5000], "the profile ends too early, at byte 5000: was it written, and downloaded, to its end?"),
                                  ("damaged", text.replace(b'"children":[', b'"children":{', 1), "this profile of V8 is damaged at byte")):
            path = self.folder / f"{name}.heapprofile"
            path.write_bytes(data)
            for command in ("report", "info", "flamegraph", "allocations", "timeline"):
                done = self.ask(command, path, status=3)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr.startswith(f"ubiheap: {path}: {words}") and done.stderr.count("\n") == 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
