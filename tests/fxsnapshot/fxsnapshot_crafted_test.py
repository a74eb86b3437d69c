# SPDX-License-Identifier: MIT
"""Every file of tests/data/fx/crafted is taken as Firefox takes it, and its censuses are Firefox's."""
import json

import harness
import reference_reader
from case_choice import some_of
from harness import DATA, FIREFOX, run

EXPECTED = json.loads((DATA / "crafted" / "expected.json").read_text())
FILES = {name: DATA / "crafted" / f"{name}.fxsnapshot" for name in EXPECTED if name != "missing-file"}

BREAKDOWNS = {
    "count": {"by": "count"},
    "internalType": {"by": "internalType"},
    "objectClass": {"by": "objectClass"},
    "coarseType": {"by": "coarseType", "domNode": {"by": "descriptiveType"}},
    "allocationStack": {"by": "allocationStack"},
    "filename": {"by": "filename"},
    "bucket": {"by": "bucket"},
}

ACCEPTED_BY_DEFAULT = {"not-gzip-raw-stream"}


def accepted(name):
    return "readError" not in EXPECTED[name]


def as_double(value):
    """Numbers as JavaScript has them; key order kept."""
    if isinstance(value, dict):
        return {key: as_double(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_double(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def with_plain_stacks(report):
    """Our Map of stacks in the words of expected.json."""
    def key(stack):
        return stack if stack == "noStack" else [
            f"{f['source']}:{f['line']}:{f['column']}:{f['functionDisplayName'] or ''}" for f in stack]
    return {"$map": [[key(entry["stack"]), entry["report"]] for entry in report]}


def census_by_text(name, kind):
    """The right sums: nodes of one text belong together, whatever table entries they use. `other` groups come last."""
    key_of = {"internalType": lambda n: n.type, "objectClass": lambda n: n.class_name,
              "filename": lambda n: n.file and n.file.decode()}[kind]
    rest = {"objectClass": "other", "filename": "noFilename"}.get(kind)
    groups = {}
    snapshot = reference_reader.read(FILES[name].read_bytes(), False)
    for id in reference_reader.reachable(snapshot):
        node = snapshot.nodes[id]
        key = rest if key_of(node) is None else key_of(node)
        count, bytes, least = groups.get(key, (0, 0, id))
        groups[key] = (count + 1, (bytes + node.size) % 2**64, min(least, id))
    if rest:
        groups[rest] = (*groups.get(rest, (0, 0))[:2], -1)
    return {key: {"count": count, "bytes": bytes}
            for key, (count, bytes, least) in sorted(groups.items(), key=lambda item: -item[1][2])}


class Crafted(harness.TestCase):
    def test_reference_reader_agrees_with_firefox(self):
        for name, path in FILES.items():
            want = EXPECTED[name]
            with self.subTest(name):
                try:
                    snapshot = reference_reader.read(path.read_bytes())
                except reference_reader.Rejected as fault:
                    self.assertFalse(accepted(name), fault)
                    continue
                self.assertTrue(accepted(name))
                order = reference_reader.reachable(snapshot)
                self.assertEqual(want["creationTime"], snapshot.creation_time)
                self.assertEqual((want["root"], want["bucket"]), (snapshot.root, order))
                self.assertEqual(as_double(want["count"]), as_double(
                    {"count": len(order), "bytes": sum(snapshot.nodes[i].size for i in order) % 2**64}))
                for id, probe in want["probe"].items():
                    node = snapshot.nodes.get(int(id))
                    self.assertEqual(node is None, "$error" in probe["describe"])
                    if node:
                        self.assertEqual({node.type: {"count": 1.0, "bytes": float(node.size)}},
                                         as_double(probe["describe"]))

    def test_library_agrees_with_the_reference_reader_in_both_modes(self):
        cases = [(name, path.read_bytes()) for name, path in FILES.items()]
        for compat in ("firefox", "none"):
            self.assert_same_as_reference(cases, compat, variants=True)

    def test_compat_firefox_accepts_exactly_what_firefox_does(self):
        for name, path in some_of(FILES.items(), 8):
            with self.subTest(name):
                done = run("info", path, "--json", *FIREFOX)
                if accepted(name):
                    self.assertEqual((harness.EXIT_OK, ""), (done.exit, done.err))
                    self.assertEqual("fxsnapshot", json.loads(done.out)["format"])
                else:
                    self.assertEqual(harness.EXIT_BAD_INPUT, done.exit)
                    self.assert_one_line(done, path)

    def test_default_differs_only_by_the_uncompressed_file(self):
        for name, path in some_of(FILES.items(), 8, first=1):
            with self.subTest(name):
                good = accepted(name) or name in ACCEPTED_BY_DEFAULT
                self.assertEqual(harness.EXIT_OK if good else harness.EXIT_BAD_INPUT, run("info", path).exit)

    def test_missing_file_is_an_input_error(self):
        path = DATA / "crafted" / "missing-file.fxsnapshot"
        done = run("info", path)
        self.assertEqual(harness.EXIT_SYSTEM, done.exit)
        self.assert_one_line(done, path)

    def compare_census(self, name, kind, want, *options):
        if "$error" in want:
            done = run("census", FILES[name], "--json", "--breakdown", json.dumps(BREAKDOWNS[kind]), *options)
            self.assertEqual(harness.EXIT_USAGE, done.exit, done)
            self.assert_one_line(done)
            return
        got = self.census(FILES[name], BREAKDOWNS[kind], *options)
        if kind == "allocationStack":
            got = with_plain_stacks(got)
        self.assertEqual(json.dumps(as_double(want)), json.dumps(as_double(got)))  # as text: key order counts

    def test_censuses_are_those_of_firefox(self):
        for number, name in enumerate(filter(accepted, FILES)):
            for kind in some_of(BREAKDOWNS, 1, first=number):
                with self.subTest(f"{name} {kind}"):
                    self.compare_census(name, kind, EXPECTED[name][kind], *FIREFOX)

    def test_default_censuses_have_the_right_sums(self):
        for name in some_of(filter(accepted, FILES), 8):
            for kind in ("internalType", "objectClass", "filename"):
                with self.subTest(f"{name} {kind}"):
                    self.compare_census(name, kind, census_by_text(name, kind))
            for kind in ("count", "coarseType", "bucket"):
                if "$error" in EXPECTED[name][kind]:
                    continue  # Firefox refuses a DOM node without descriptive name; see the next test
                with self.subTest(f"{name} {kind}"):
                    self.compare_census(name, kind, EXPECTED[name][kind])

    def test_a_dom_node_without_descriptive_name_counts_under_its_type(self):
        self.assertIn("$error", EXPECTED["domnode-without-desc"]["coarseType"])
        report = self.census(FILES["domnode-without-desc"], BREAKDOWNS["coarseType"])
        self.assertEqual({"T": {"count": 1, "bytes": 10}}, report["domNode"])

    def test_real_snapshots_have_the_known_counts(self):
        known = {"tiny-before": (7199, 20360), "tiny-after": (7299, 20144), "unreachable": (1867, 3398)}
        for name, (nodes, edges) in known.items():
            data = (DATA / f"{name}.fxsnapshot").read_bytes()
            want = harness.expect(data)
            self.assertEqual((harness.OK, nodes, edges), want[:3])
            self.assert_same_as_reference([(name, data)], variants=True)
            info = json.loads(run("info", DATA / f"{name}.fxsnapshot", "--json").out)
            self.assertEqual((nodes, edges), (info["nodeCount"], info["edgeCount"]))


if __name__ == "__main__":
    harness.main(needs=[harness.UBIHEAP, harness.DRIVER])
