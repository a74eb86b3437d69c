# SPDX-License-Identifier: MIT
"""Everything that V8's lens computes against what Chrome's DevTools made of the same files.

Files and answers: tests/data/v8/README.md. The digests cover every node, so that equal ones mean equal results.
"""
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "v8"
DRIVER = pathlib.Path(os.environ.get("UBI_BUILD_DIR", "build/release")) / "tests" / "v8_lens_driver"
SNAPSHOTS = ("node20-before", "node20-after", "chromium-detached", "chromium-alloc")
SYSTEM_DISTANCE = 100_000_000
UNREACHABLE = -5


def text(word):
    return bytes.fromhex(word[1:]).decode("utf-8", "surrogatepass")


def javascript_string(value):
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", quoted)


class Look:
    """What the lens makes of a file."""

    def __init__(self, name, like=None):
        files = [DATA / f"{file}.heapsnapshot.gz" for file in (name, like) if file]
        done = subprocess.run([DRIVER, *files], capture_output=True, text=True, check=True)
        self.facts, self.interfaces, self.nodes = {}, [], []
        for line in done.stdout.splitlines():
            words = line.split(" ")
            if words[0] == "interface":
                self.interfaces.append({"name": text(words[2]), "count": int(words[1])})
            elif words[0].isdigit():
                self.nodes.append(self.node(len(self.nodes), words))
            else:
                self.facts[words[0]] = int(words[1])

    @staticmethod
    def node(ordinal, words):
        node_id, self_size, retained, distance, dominator, detachedness, edges, retainers, *names = words
        node_type, class_name, place, raw_name, name = map(text, names)
        return {
            "id": int(node_id), "ordinal": ordinal, "name": name, "rawName": raw_name, "type": node_type,
            "className": class_name, "place": place, "selfSize": int(self_size), "retainedSize": int(retained),
            "distance": UNREACHABLE if distance == "-" else int(distance), "detachedness": int(detachedness),
            "dominatorOrdinal": int(dominator), "edgeCount": int(edges), "retainerCount": int(retainers),
        }

    def digest(self, field):
        shown = javascript_string if field == "className" else str
        lines = "".join(shown(node[field]) + "\n" for node in self.nodes)
        return hashlib.sha256(lines.encode()).hexdigest()

    def as_golden(self, ordinal):
        node = dict(self.nodes[ordinal])
        node["dominatorId"] = self.nodes[node.pop("dominatorOrdinal")]["id"]
        del node["place"]
        return node


look = functools.lru_cache(None)(Look)


@functools.lru_cache(None)
def golden(name):
    with open(DATA / f"{name}.golden.json", encoding="utf-8") as file:
        return json.load(file)


def class_key(node):
    return f'{node["place"]},{node["className"]}'


class Golden(unittest.TestCase):
    maxDiff = 4000

    def test_every_node_has_what_devtools_say_of_it(self):
        for name in SNAPSHOTS:
            wanted = golden(name)["digests"]
            self.assertEqual(set(wanted), {"selfSize", "retainedSize", "distance", "dominatorOrdinal", "detachedness",
                                           "className"})
            for field, digest in wanted.items():
                with self.subTest(name, field=field):
                    self.assertEqual(look(name).digest(field), digest)

    def test_totals(self):
        for name in SNAPSHOTS:
            with self.subTest(name):
                ours, wanted = look(name), golden(name)
                self.assertEqual(len(ours.nodes), wanted["nodeCount"])
                self.assertEqual(ours.facts["total"], wanted["totalSize"])
                self.assertEqual(ours.facts["largest-id"], wanted["maxJSObjectId"])
                self.assertEqual(ours.facts["outside"], wanted["extraNativeBytes"] or 0)
                distances = [node["distance"] for node in ours.nodes]
                self.assertEqual({
                    "unreachable": distances.count(UNREACHABLE),
                    "system": sum(distance >= SYSTEM_DISTANCE for distance in distances),
                    "maxUser": max(distance for distance in distances if distance < SYSTEM_DISTANCE),
                }, wanted["distances"])

    def test_interfaces_are_devtools_in_their_order(self):
        for name in SNAPSHOTS:
            with self.subTest(name):
                self.assertEqual(look(name).interfaces, golden(name)["interfaceDefinitions"])

    def test_the_largest_nodes_field_by_field(self):
        for name in SNAPSHOTS:
            wanted = golden(name)["topRetained"]
            self.assertEqual(len(wanted), 200)
            largest = sorted(look(name).nodes, key=lambda node: (-node["retainedSize"], node["ordinal"]))
            for ours, theirs in zip(largest, wanted):
                with self.subTest(name, id=theirs["id"]):
                    self.assertEqual(look(name).as_golden(ours["ordinal"]), theirs)

    def test_leaked_objects_and_the_chains_of_their_dominators(self):
        n_examples = 0
        for name in SNAPSHOTS:
            by_id = {node["id"]: node for node in look(name).nodes}
            for example in golden(name)["leakedExamples"]:
                n_examples += 1
                with self.subTest(name, id=example["node"]["id"]):
                    self.assertEqual(look(name).as_golden(example["node"]["ordinal"]), example["node"])
                    for wanted in example["dominators"]:
                        ours = by_id[wanted["id"]]
                        self.assertEqual({key: ours[key] for key in wanted}, wanted)
        self.assertGreater(n_examples, 5)

    def test_classes_are_devtools_with_their_sums(self):
        for name in SNAPSHOTS:
            rows = {}
            for node in look(name).nodes:
                if node["selfSize"]:
                    row = rows.setdefault(class_key(node), [node["className"], 0, None, 0])
                    row[1] += 1
                    row[2] = node["distance"] if row[2] is None else min(row[2], node["distance"])
                    row[3] += node["selfSize"]
            wanted = {row["key"]: [row["name"], row["count"], row["distance"], row["selfSize"]]
                      for row in golden(name)["aggregates"]}
            with self.subTest(name):
                self.assertEqual(rows, wanted)

    def test_no_two_classes_are_one(self):
        for name in SNAPSHOTS:
            with self.subTest(name):
                self.assertEqual(len({class_key(node) for node in look(name).nodes}), look(name).facts["classes"])

    def test_like_another_snapshot_plain_objects_have_its_interfaces(self):
        like = look("node20-before", "node20-after")
        self.assertEqual(like.interfaces, golden("node20-after")["interfaceDefinitions"])
        changed = [class_key(node) for node, own in zip(like.nodes, look("node20-before").nodes) if node["className"] != own["className"]]
        self.assertTrue(all(key.endswith(",Object") or "{" in key for key in changed))
        before = {node["id"]: node for node in like.nodes}
        rows = {}
        for node in look("node20-after").nodes:
            if node["selfSize"] and (node["id"] not in before or class_key(before[node["id"]]) != class_key(node)):
                rows[class_key(node)] = rows.get(class_key(node), 0) + 1
        wanted = {row["key"]: row["added"] for row in golden("node20-diff")["classes"] if row["added"]}
        self.assertEqual(rows, wanted)


if __name__ == "__main__":
    unittest.main()
