# SPDX-License-Identifier: MIT
"""Censuses, census trees and individuals against the answers that Firefox ESR 153.7 gave for the same files.

Files and answers: tests/data/fx/README.md. A Map of ours is a list of {stack, report}; Firefox's answers write it
{"$map": [[key, value], ...]} with stacks as indexes into a table of frames. After that change of shape the JSON texts must
be equal byte for byte. The last case says where the default differs from `--compat firefox`, and nowhere else.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "fx"
UBIHEAP = os.environ.get("UBIHEAP", "")

COUNT = {"by": "count", "count": True, "bytes": True}
STACK = {"by": "allocationStack", "then": COUNT, "noStack": COUNT}
# What tests/data/fx/crafted/expected.json was asked, by the name of the answer.
CRAFTED = {
    "count": {"by": "count"},
    "internalType": {"by": "internalType"},
    "objectClass": {"by": "objectClass"},
    "coarseType": {"by": "coarseType", "domNode": {"by": "descriptiveType"}},
    "allocationStack": {"by": "allocationStack"},
    "filename": {"by": "filename"},
    "bucket": {"by": "bucket"},
}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def text_of(value):
    """As JSON.stringify writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Answer:
    """What the tool said: a value, or the message of its error."""

    def __init__(self, file, breakdown, *options, compat=True):
        command = [UBIHEAP, "census", "--json", *(["--compat", "firefox"] if compat else []), *options]
        if breakdown is not None:
            command += ["--breakdown", text_of(breakdown)]
        done = subprocess.run([*command, str(file)], capture_output=True)
        self.exit, self.out = done.returncode, done.stdout
        self.message = done.stderr.decode("utf-8", "surrogateescape").rstrip("\n")
        self.document = json.loads(done.stdout) if done.returncode == 0 else {}


def frame_text(frame):
    return f'{frame["source"]}:{frame["line"]}:{frame["column"]}:{frame["functionDisplayName"] or ""}'


def is_map(value):
    return isinstance(value, list) and value != [] and isinstance(value[0], dict) and set(value[0]) == {"stack", "report"}


def map_keys(stack, frame_key):
    return [frame_key(frame) for frame in stack] if isinstance(stack, list) else stack


def reshaped(report, breakdown, frame_key):
    """A report of ours in the shape of the answers. Only the breakdown tells an empty Map from an empty bucket."""
    breakdown = breakdown or {"by": "count"}
    if is_map(report) or (breakdown.get("by") == "allocationStack" and report == []):
        return {"$map": [[map_keys(entry["stack"], frame_key), reshaped(entry["report"], None, frame_key)]
                         for entry in report]}
    if isinstance(report, dict):
        return {key: reshaped(value, None, frame_key) for key, value in report.items()}
    return report


def tree_reshaped(node, frame_key):
    out = {}
    for key, value in node.items():
        if key == "name" and isinstance(value, dict):
            value = {"frame": frame_key(value)}
        elif key == "children":
            value = [tree_reshaped(child, frame_key) for child in value]
        out[key] = value
    return out


def frame_indexes(golden):
    table = {text: index for index, text in enumerate(golden["frames"])}
    return lambda frame: table[frame_text(frame)]


def snapshot(name):
    return DATA / f"{name}.fxsnapshot"


def asked(golden_breakdown):
    """The breakdown of an answer; two of them are said in words."""
    if golden_breakdown == "(absent)":
        return None
    if isinstance(golden_breakdown, str) and "toString() gives" in golden_breakdown:
        return {"by": ["count"]}
    return golden_breakdown


class Censuses(unittest.TestCase):
    maxDiff = 2000

    def test_by_default_nothing_that_firefox_refuses_for_a_missing_name_is_refused(self):
        for name in ("tiny-before", "tiny-after"):
            answer = Answer(snapshot(name), {"by": "descriptiveType"}, compat=False)
            self.assertEqual(answer.exit, 0, answer.message)
            report = answer.document["report"]
            count = Answer(snapshot(name), {"by": "count"}, compat=False).document["report"]["count"]
            self.assertEqual(sum(part["count"] for part in report.values()), count)
            self.assertIn("JSObject", report)

    def check_error(self, answer, error):
        self.assertEqual(answer.exit, 2, answer.message)
        if error["name"] == "TypeError":
            self.assertTrue(answer.message.endswith(": " + error["message"]), answer.message)
        else:  # Firefox has no words for this one, we do
            self.assertIn("descriptiveType needs a descriptive name", answer.message)

    def check_census(self, name):
        golden = load(DATA / "golden" / f"{name}.census.json")
        for case, wanted in golden["census"].items():
            with self.subTest(case):
                breakdown = asked(wanted["breakdown"])
                if wanted["breakdown"] is None:  # JSON null, not "absent"
                    answer = Answer(snapshot(name), None, "--breakdown", "null")
                else:
                    answer = Answer(snapshot(name), breakdown)
                if "error" in wanted:
                    self.check_error(answer, wanted["error"])
                    continue
                self.assertEqual(answer.exit, 0, answer.message)
                ours = reshaped(answer.document["report"], breakdown, frame_indexes(golden))
                self.assertEqual(text_of(ours), text_of(wanted["report"]))
                if "$map" not in text_of(wanted["report"]):
                    self.assertIn(b'"report":' + text_of(wanted["report"]).encode(), answer.out)

    def test_every_census_of_tiny_before_is_firefoxs(self):
        self.check_census("tiny-before")

    def test_every_census_of_tiny_after_is_firefoxs(self):
        self.check_census("tiny-after")

    def test_every_census_of_a_scoped_file_counts_only_what_is_reachable(self):
        self.check_census("unreachable")

    def test_every_census_of_every_crafted_file_is_firefoxs(self):
        for name, wanted in load(DATA / "crafted" / "expected.json").items():
            file = DATA / "crafted" / f"{name}.fxsnapshot"
            if "readError" in wanted or not file.exists():
                continue
            for case, breakdown in CRAFTED.items():
                with self.subTest(name, case=case):
                    answer = Answer(file, breakdown)
                    if "$error" in wanted[case]:
                        self.assertEqual(answer.exit, 2, answer.message)
                        message = wanted[case]["$message"] or "descriptiveType needs a descriptive name"
                        self.assertIn(message, answer.message)
                        continue
                    self.assertEqual(answer.exit, 0, answer.message)
                    ours = reshaped(answer.document["report"], breakdown, frame_text)
                    self.assertEqual(text_of(ours), text_of(wanted[case]))


def rows_below(node, depth=0):
    yield node, depth
    for child in node.get("children", []):
        yield from rows_below(child, depth + 1)


def sums(rows, *keys):
    return [sum(row[key] for row in rows) for key in keys]


class Trees(unittest.TestCase):
    maxDiff = 2000
    OPTIONS = {
        "coarse": (),
        "coarseInverted": ("--inverted",),
        "coarseFilterArray": ("--filter", "Array"),
        "coarseInvertedFilterArray": ("--inverted", "--filter", "Array"),
        "stack": (),
        "stackInverted": ("--inverted",),
        "stackFilterMake": ("--filter", "makePoints"),
    }
    # Firefox's inversion leaves out what rows with children hold themselves, and does not add up totals.
    DIFFERENT_BY_DEFAULT = {"coarseInverted", "coarseInvertedFilterArray", "stackInverted"}

    @classmethod
    def setUpClass(cls):
        cls.golden = load(DATA / "golden" / "tiny-before.censustree.json")
        cls.coarse = load(DATA / "golden" / "tiny-before.diff.json")["diffs"]["coarse"]["breakdown"]

    def tree(self, case, *options, compat):
        breakdown = self.coarse if case.startswith("coarse") else STACK
        answer = Answer(snapshot("tiny-before"), breakdown, "--tree", *self.OPTIONS[case], *options, compat=compat)
        self.assertEqual(answer.exit, 0, answer.message)
        return answer.document["tree"]

    def test_every_census_tree_is_firefoxs(self):
        self.assertEqual(set(self.golden["trees"]), set(self.OPTIONS))
        for case, wanted in self.golden["trees"].items():
            with self.subTest(case):
                ours = tree_reshaped(self.tree(case, compat=True), frame_indexes(self.golden))
                self.assertEqual(text_of(ours), text_of(wanted))

    def test_census_trees_are_the_same_by_default_unless_they_are_inverted(self):
        different = {case for case in self.OPTIONS if self.tree(case, compat=False) != self.tree(case, compat=True)}
        self.assertEqual(different, self.DIFFERENT_BY_DEFAULT)

    def test_each_row_of_an_inverted_tree_adds_up_by_default(self):
        for case in ("coarseInverted", "stackInverted"):
            for options in ((), ("--filter", "")):
                root = self.tree(case, *options, compat=False)
                self.assertEqual(sums(root["children"], "bytes", "count"), [root["totalBytes"], root["totalCount"]])
                for row, depth in rows_below(root):
                    below = row.get("children", [])
                    with self.subTest(case, options=options, id=row["id"]):
                        self.assertEqual(row["name"] is None, depth == 0 or not below)
                        self.assertEqual("reportLeafIndex" in row, depth == 1)
                        if below:
                            self.assertEqual(sums(below, "totalBytes", "totalCount"), [row["totalBytes"], row["totalCount"]])

    def test_inverted_trees_have_the_numbers_of_the_report_at_the_top_by_default(self):
        """A function allocates in several places and calls from others: every key of the report is a row."""
        report = Answer(snapshot("tiny-before"), STACK).document["report"]
        wanted = {}
        for entry in report:
            key = entry["stack"] if entry["stack"] == "noStack" else frame_text(entry["stack"][0])
            bytes_before, count_before = wanted.get(key, (0, 0))
            wanted[key] = (bytes_before + entry["report"]["bytes"], count_before + entry["report"]["count"])
        rows = self.tree("stackInverted", compat=False)["children"]
        found = {row["name"] if isinstance(row["name"], str) else frame_text(row["name"]): (row["bytes"], row["count"])
                 for row in rows}
        self.assertEqual(len(found), len(rows))
        self.assertEqual(found, wanted)

    def test_filters_change_no_number_by_default(self):
        for case, filtered in (("coarseInverted", "Array"), ("stackInverted", "makePoints"), ("stack", "populate")):
            whole, part = (self.tree(case, *options, compat=False) for options in ((), ("--filter", filtered)))
            numbers = [[(text_of(row["name"]), *(row[key] for key in ("bytes", "totalBytes", "count", "totalCount")))
                        for row, _ in rows_below(tree)] for tree in (whole, part)]
            self.assertLess(1, len(numbers[1]))
            self.assertLessEqual(set(numbers[1]), set(numbers[0]))

    def test_a_part_that_was_not_written_out_has_no_tree_under_compat_firefox(self):
        answer = Answer(snapshot("tiny-before"), {"by": "objectClass"}, "--tree")
        self.assertEqual(answer.exit, 2)
        self.assertTrue(answer.message.endswith("can't access property \"by\", breakdown is undefined"), answer.message)
        self.assertEqual(Answer(snapshot("tiny-before"), {"by": "objectClass"}, "--tree", compat=False).exit, 0)


class Individuals(unittest.TestCase):
    def test_the_nodes_of_each_leaf_are_firefoxs_in_its_order(self):
        golden = load(DATA / "golden" / "tiny-before.individuals.json")
        wanted = [{"index": leaf["index"], "ids": leaf["ids"]} for leaf in golden["individuals"]]
        indexes = ",".join(str(leaf["index"]) for leaf in wanted)
        answer = Answer(snapshot("tiny-before"), golden["breakdown"], "--individuals", indexes)
        self.assertEqual(answer.exit, 0, answer.message)
        self.assertEqual(text_of(answer.document["individuals"]), text_of(wanted))


class Defaults(unittest.TestCase):
    """Where the default and `--compat firefox` differ, over all of the above, with what the default says."""

    LOST_BY_FIREFOX = {
        # one type name that the file holds twice
        ("ok-diamond-ties", "internalType"): '{"B":{"count":1,"bytes":10},"A":{"count":2,"bytes":20}}',
        ("ok-out-of-bfs-order", "internalType"): '{"B":{"count":1,"bytes":5},"A":{"count":2,"bytes":30}}',
        ("ok-zero-size", "internalType"): '{"A":{"count":2,"bytes":0}}',
        ("ok-size-over-2p53", "internalType"): '{"A":{"count":2,"bytes":1152921504606847000}}',
        ("ok-edge-no-name", "internalType"): '{"A":{"count":2,"bytes":7}}',
        ("domnode-with-desc", "internalType"): '{"T":{"count":2,"bytes":20}}',
        ("script-with-file", "internalType"): '{"T":{"count":2,"bytes":20}}',
        ("class-named-other", "internalType"): '{"T":{"count":2,"bytes":20}}',
        ("string-duplicate-inline", "internalType"): '{"A":{"count":2,"bytes":3}}',
        ("frame-ok", "internalType"): '{"T":{"count":2,"bytes":20}}',
        # one DOM node without a descriptive name, which Firefox refuses to count
        ("domnode-without-desc", "coarseType"):
            '{"objects":{"count":0,"bytes":0},"scripts":{"count":0,"bytes":0},"strings":{"count":0,"bytes":0},'
            '"other":{"count":0,"bytes":0},"domNode":{"T":{"count":1,"bytes":10}}}',
        # a class that is really called "other"
        ("class-named-other", "objectClass"): '{"other":{"count":2,"bytes":20}}',
        # a column whose top bit is set, which Firefox takes for a WebAssembly function
        ("frame-column-max", "allocationStack"):
            '[{"stack":[{"source":"u.js","line":4294967295,"column":4294967295,"functionDisplayName":"f"}],'
            '"report":{"count":1,"bytes":10}}]',
    }
    # arrays, and nodes without a descriptive name, which only the default counts
    REFUSED_BY_FIREFOX = {"array", "arrayNested", "arrayEmpty", "descriptiveTypeBare", "descriptiveTypeNested"}

    def test_only_what_firefox_loses_or_refuses_differs(self):
        found = {}
        for name, wanted in load(DATA / "crafted" / "expected.json").items():
            file = DATA / "crafted" / f"{name}.fxsnapshot"
            if "readError" in wanted or not file.exists():
                continue
            for case, breakdown in CRAFTED.items():
                default, firefox = (Answer(file, breakdown, compat=compat) for compat in (False, True))
                if default.document.get("report") != firefox.document.get("report"):
                    found[name, case] = text_of(default.document.get("report"))
        self.assertEqual(found, self.LOST_BY_FIREFOX)

    def test_real_files_differ_only_where_firefox_refuses(self):
        for name in ("tiny-before", "unreachable"):
            for case, wanted in load(DATA / "golden" / f"{name}.census.json")["census"].items():
                if wanted["breakdown"] is None:
                    continue
                breakdown = asked(wanted["breakdown"])
                default, firefox = (Answer(snapshot(name), breakdown, compat=compat) for compat in (False, True))
                same = text_of(default.document.get("report")) == text_of(firefox.document.get("report"))
                with self.subTest(name, case=case):
                    refused = case in self.REFUSED_BY_FIREFOX and firefox.exit == 2
                    self.assertEqual(same, not refused)
                    self.assertEqual(default.exit, 0 if refused else firefox.exit)


if __name__ == "__main__":
    if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
        print(f"skipped: no {UBIHEAP or 'ubiheap'}")
        sys.exit(77)
    unittest.main(verbosity=1)
