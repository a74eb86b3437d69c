#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One journey with a real Firefox.

Firefox runs a small program, saves its heap twice, and is then asked about files: what it wrote itself, what `ubiheap
convert` made of that, of the stored snapshots and of V8's, heaps that were saved while they were walked, of QuickJS too, and
random graphs.
Every answer (census, difference, dominator tree, partial tree with labels, shortest paths) must be what `ubiheap --compat
firefox` says about the same file; and of V8's snapshots, what Chrome's DevTools say about the original.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "fxsnapshot"))
import encoder  # noqa: E402
import firefox  # noqa: E402

HERE = SOURCE_DIR / "tests" / "oracle"
DATA = SOURCE_DIR / "tests" / "data" / "fx"
UBIHEAP = os.environ.get("UBIHEAP", "")
BUILD = pathlib.Path(os.environ.get("UBI_BUILD_DIR") or SOURCE_DIR / "build" / "release")
STORED = ["tiny-before", "tiny-after", "unreachable"]
V8_DATA = SOURCE_DIR / "tests" / "data" / "v8"
V8_STORED = ["node20-before", "node20-after", "chromium-alloc", "chromium-detached"]

COUNT = {"by": "count", "count": True, "bytes": True}
TYPE = {"by": "internalType", "then": COUNT}
DESCRIPTIVE = {"by": "descriptiveType", "then": COUNT}
CLASS = {"by": "objectClass", "then": COUNT, "other": COUNT}
FILE = {"by": "filename", "then": COUNT, "noFilename": COUNT}
BREAKDOWNS = {
    "count": COUNT,
    "coarse": {"by": "coarseType", "objects": CLASS, "strings": COUNT, "other": TYPE, "domNode": DESCRIPTIVE,
               "scripts": {"by": "filename", "then": TYPE, "noFilename": TYPE}},
    "class": CLASS,
    "type": TYPE,
    "stack": {"by": "allocationStack", "then": COUNT, "noStack": COUNT},
    "classStack": {"by": "objectClass", "then": {"by": "allocationStack", "then": COUNT, "noStack": COUNT}, "other": TYPE},
}
LABEL = {"by": "coarseType", "objects": CLASS, "strings": TYPE, "other": TYPE, "domNode": DESCRIPTIVE,
         "scripts": {"by": "internalType", "then": FILE}}

# Classes, closures, names of all kinds, and allocation stacks.
QUICKJS_PROGRAM = r"""
import { saveHeapSnapshot } from "ubiheap";
const g = newGlobal(), dbg = new Debugger(g);
dbg.memory.trackingAllocationSites = true;
g.eval(`class Session { constructor(n) { this.n = n; this.data = new Uint8Array(100 * n); this.get = () => n; } }
function make(n) { return new Session(n); }
var sessions = new Map(), names = { 'h\u00e4 \u20ac': {}, 7: {}, [Symbol('s')]: {} }, big = 2n ** 100n, re = /x/;
for (let i = 0; i < 20; i++) sessions.set('user ' + i, make(i));
function* numbers() { yield 1; } var running = numbers(); running.next();`);
saveHeapSnapshot(scriptArgs[1] === "runtime" ? { runtime: true } : { debugger: dbg }, scriptArgs[2]);
"""


def ubiheap(command, *arguments):
    """The JSON document of a command, as Firefox would answer."""
    done = subprocess.run([UBIHEAP, command, "--json", "--compat", "firefox", *map(str, arguments)],
                          capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(f"ubiheap {command}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))



def dominator_lines(path):
    """`id dominator retained-size` of every node that the root reaches, ascending by id."""
    rows = ubiheap("nodes", path, "-c", "id,dominator,retainedSize,distance")["rows"]
    lines = sorted((int(id), "-" if dominator is None else dominator, retained)
                   for id, dominator, retained, distance in rows if distance is not None)
    return "".join(f"{id} {dominator} {retained}\n" for id, dominator, retained in lines)


def random_snapshot(dice):
    """A graph of some nodes with parallel and self edges, nodes that nothing reaches, classes and stacks."""
    n = dice.randint(1, 24)
    ids = dice.sample(range(1, 400), n)
    messages = []
    for i, id in enumerate(ids):
        targets = dice.choices(ids, k=dice.choice([0, 1, 1, 2, 3, 6]))
        edges = [encoder.edge(t, dice.choice([None, "x", "y", f"e{i}"])) for t in targets]
        coarse = dice.choice([0, 1, 1, 2, 3])
        messages.append(encoder.node(id, dice.choice(["T", "U", "JSObject"]), dice.choice([0, 1, 8, 1 << 40]), edges,
                                     class_name=dice.choice(["Array", "Map", "Session"]) if coarse == 1 else None,
                                     coarse=coarse, stack=encoder.frame(id=1000 + i, line=dice.randint(1, 3))
                                     if dice.random() < 0.3 else None))
    return encoder.snapshot(*messages)


class FirefoxJourney(unittest.TestCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ubiheap-oracle-")
        cls.firefox = firefox.Firefox()
        paths = cls.firefox.run((HERE / "take_snapshots.js").read_text())
        cls.before, cls.after = map(pathlib.Path, paths)
        cls.question = (HERE / "ask_firefox.js").read_text()

    @classmethod
    def tearDownClass(cls):
        cls.firefox.close()
        cls.folder.cleanup()

    def scratch(self, name, data=None):
        path = pathlib.Path(self.folder.name) / name
        if data is not None:
            path.write_bytes(data)
        return path

    def convert(self, path, *options):
        out = self.scratch(f"converted-{pathlib.Path(path).name}")
        subprocess.run([UBIHEAP, "convert", *options, str(path), str(out)], check=True, capture_output=True)
        return out

    def ask(self, path, newer=None):
        """What Firefox says about a file, and about the difference to a newer one."""
        answer = self.scratch("answer.json")
        error = self.firefox.run(self.question, str(path), newer and str(newer), BREAKDOWNS, LABEL, str(answer))
        self.assertIsNone(error)
        return json.loads(answer.read_text(encoding="utf-8", errors="surrogatepass"))

    def same(self, want, got, what):
        """Like assertEqual for long texts; shows where they part instead of searching for the smallest difference."""
        if want != got:
            at = len(os.path.commonprefix([want, got]))
            self.fail(f"{what}: differs at character {at}:\nFirefox {want[max(0, at - 100):at + 200]}\n"
                      f"ubiheap {got[max(0, at - 100):at + 200]}")

    def check(self, path, newer=None):
        """Compares all answers about one file."""
        want = self.ask(path, newer)
        self.assertNotIn("error", want, path)
        for name, breakdown in BREAKDOWNS.items():
            report = ubiheap("census", path, "--breakdown", text(breakdown))["report"]
            self.same(text(want["census"][name]), text(report), f"{path}: census by {name}")
            if newer:
                got = ubiheap("diff", path, newer, "--by", "breakdown", "--breakdown", text(breakdown))
                self.same(text(want["diff"][name]), text({k: got[k] for k in want["diff"][name]}),
                          f"{path}: difference by {name}")
        self.same(want["lines"], dominator_lines(path), f"{path}: dominators")
        got_tree = ubiheap("dominators", path, "--breakdown", text(LABEL))["tree"]
        self.check_tree(want["dominatorTree"], got_tree, path)
        self.check_paths(path, want["paths"])
        return want

    def check_tree(self, want, got, path):
        """Partial dominator trees. Which of equally large children come first, and so which are cut off, is open."""
        open_pairs = [(want, got)]
        while open_pairs:
            theirs, ours = open_pairs.pop()
            children = [row.pop("children", None) or [] for row in (theirs, ours)]
            self.assertEqual(theirs, ours, path)
            self.assertEqual(*[[child["retainedSize"] for child in row] for row in children], path)
            least = min((c["retainedSize"] for c in children[0]), default=0) if theirs["moreChildrenAvailable"] else -1
            by_id = [{child["nodeId"]: child for child in row} for row in children]
            self.assertEqual(*[{id for id in row if row[id]["retainedSize"] > least} for row in by_id], path)
            open_pairs.extend((child, by_id[1][id]) for id, child in by_id[0].items() if id in by_id[1])

    def check_paths(self, path, want):
        if want:
            got = ubiheap("paths", path, "--max-paths", 4, *[w["target"] for w in want])["targets"]
            for ours, theirs in zip(got, want, strict=True):
                for part in ("paths", "deduplicated"):
                    self.same(text(theirs[part]), text(ours[part]), f"{path}: {part} of node {theirs['target']}")

    def test_what_firefox_writes_is_read_with_its_own_answers(self):
        self.check(self.before, self.after)
        self.check(self.after)

    def test_what_we_write_of_a_fresh_snapshot_gives_the_same_answers_in_firefox(self):
        self.check(self.convert(self.before), self.convert(self.after))
        self.same(self.ask(self.before)["lines"], self.ask(self.convert(self.before))["lines"], "dominators")

    def test_what_we_write_of_stored_snapshots_gives_the_same_answers_in_firefox(self):
        for name in STORED:
            with self.subTest(name):
                path = DATA / f"{name}.fxsnapshot"
                converted = self.check(self.convert(path))
                original = self.ask(path)
                self.same(original["lines"], converted["lines"], "dominators")
                self.assertEqual(original["creationTime"], converted["creationTime"])
                self.assertEqual(original["census"]["count"], converted["census"]["count"])

    def test_a_heap_that_is_saved_while_it_is_walked_gives_the_same_answers_in_firefox(self):
        for options in ([], ["1"]):  # all of it, and with boundaries
            with self.subTest(options):
                path = self.scratch("walked.fxsnapshot")
                subprocess.run([BUILD / "examples" / "save_heap", path, *options], check=True, capture_output=True)
                self.check(path)
        original, path = DATA / "tiny-before.fxsnapshot", self.scratch("walked.fxsnapshot")
        subprocess.run([BUILD / "tests" / "save_driver", "--walk", original, path], check=True)
        self.same(self.ask(original)["lines"], self.check(path)["lines"], "dominators")

    def test_a_quickjs_program_that_saves_itself_gives_the_same_answers_in_firefox(self):
        script = self.scratch("quickjs.js", QUICKJS_PROGRAM.encode())
        for scope in ("runtime", "debugger"):
            with self.subTest(scope):
                path = self.scratch(f"quickjs-{scope}.fxsnapshot")
                subprocess.run([UBIHEAP, "run", "--debugger", "--module", script, scope, path], check=True, capture_output=True)
                answer = self.check(path)
                self.assertGreaterEqual(answer["census"]["class"]["Uint8Array"]["count"], 20)

    def test_an_anonymized_snapshot_has_the_same_shape_in_firefox(self):
        original, hidden = self.ask(self.after), self.check(self.convert(self.after, "--anonymize"))
        self.same(original["lines"], hidden["lines"], "dominators")
        self.assertNotIn("program.js", text(hidden))

    def test_snapshots_of_v8_made_for_firefox_give_the_numbers_of_devtools_there(self):
        for name in V8_STORED:
            with self.subTest(name):
                path = self.scratch(f"{name}.fxsnapshot")
                subprocess.run([UBIHEAP, "convert", V8_DATA / f"{name}.heapsnapshot.gz", path], check=True, capture_output=True)
                answer = self.check(path)
                self.check_devtools(answer, json.loads((V8_DATA / f"{name}.golden.json").read_text()))
                # without a creation time it would be "Processing..." for ever
                self.assertEqual(answer["title"], name)
                self.assertEqual(answer["creationTime"] // 10**6, int((V8_DATA / f"{name}.heapsnapshot.gz").stat().st_mtime))

    def check_devtools(self, answer, golden):
        """What DevTools say of the file, in Firefox's answers about what was made of it. The root counts for itself there."""
        count = answer["census"]["count"]
        self.assertEqual(count["count"], golden["nodeCount"] - 1)
        self.assertEqual(count["bytes"], golden["totalSize"] - (golden["extraNativeBytes"] or 0))
        rows = {int(id): (dominator, int(retained))
                for id, dominator, retained in (line.split() for line in answer["lines"].splitlines())}
        self.assertEqual(len(rows), golden["nodeCount"])
        for node in golden["topRetained"]:
            dominator = "-" if node["dominatorId"] == node["id"] else str(node["dominatorId"])
            self.assertEqual(rows[node["id"]], (dominator, node["retainedSize"]), node["name"])
        self.check_coarse_types(answer["census"]["coarse"], golden)

    def check_coarse_types(self, coarse, golden):
        def total(report, key):
            if "count" in report and isinstance(report["count"], (int, float)):
                return report[key]
            return sum(total(part, key) for part in report.values())
        statistics = golden["statistics"]["v8heap"]
        self.assertEqual(total(coarse["strings"], "bytes"), statistics["strings"])
        self.assertEqual(total(coarse["scripts"], "bytes"), statistics["code"])
        leak = [row for row in golden["aggregates"] if row["name"] == golden["leakClass"]]
        self.assertEqual(coarse["objects"][golden["leakClass"]], {"count": sum(row["count"] for row in leak),
                                                                 "bytes": sum(row["selfSize"] for row in leak)})
        elements = [row for row in golden["aggregates"] if row["name"].startswith(("<", "Detached <"))]
        self.assertEqual({name: report["count"] for name, report in coarse["domNode"].items() if "<" in name},
                         {row["name"]: row["count"] for row in elements})
        files = {name for name in coarse["scripts"] if name != "noFilename"}
        self.assertTrue(files)

    def test_random_graphs_have_the_same_answers_before_and_after_conversion(self):
        dice = random.Random(20261120)
        for i in range(60):
            path = self.scratch(f"random-{i}.fxsnapshot", random_snapshot(dice))
            with self.subTest(i):
                before, after = self.check(path), self.check(self.convert(path))
                self.same(before["lines"], after["lines"], "dominators")
                self.assertEqual(before["paths"], after["paths"])


if __name__ == "__main__":
    if not UBIHEAP or not firefox.find_firefox():
        print("skipped: needs the tool and a Firefox")
        sys.exit(77)
    unittest.main(verbosity=1)
