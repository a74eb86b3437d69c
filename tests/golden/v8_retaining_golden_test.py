# SPDX-License-Identifier: MIT
"""Who retains the leaked objects of V8's snapshots, and the columns of `nodes`, against the answers of Chrome's DevTools.

Files and answers: tests/data/v8/README.md.
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
DRIVER = pathlib.Path(os.environ.get("UBI_BUILD_DIR", "build/release")) / "tests" / "v8_retaining_driver"
UBIHEAP = os.environ.get("UBIHEAP", "")
SNAPSHOTS = ("node20-before", "node20-after", "chromium-detached", "chromium-alloc")


@functools.lru_cache(maxsize=None)
def golden(name):
    return json.loads((DATA / f"{name}.golden.json").read_text(encoding="utf-8"))


def file_of(name):
    return str(DATA / f"{name}.heapsnapshot.gz")


def tool(*arguments):
    return subprocess.run([UBIHEAP, *arguments], check=True, capture_output=True).stdout.decode("utf-8")


def rows(name, columns, *options):
    """Rows of `nodes` as dictionaries."""
    document = json.loads(tool("nodes", "--json", "-c", columns, *options, file_of(name)))
    return [dict(zip(document["columns"], row)) for row in document["rows"]]


def javascript_string(value):
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", quoted)


class Library(unittest.TestCase):
    def test_paths_retainers_and_dominators_are_those_of_devtools(self):
        for name in SNAPSHOTS:
            examples = golden(name)["leakedExamples"]
            self.assertGreater(len(examples), 0)
            ids = [str(example["node"]["id"]) for example in examples]
            found = json.loads(subprocess.run([DRIVER, file_of(name), *ids], check=True, capture_output=True).stdout)
            for example, answer in zip(examples, found, strict=True):
                with self.subTest(snapshot=name, node=example["node"]["id"]):
                    self.assertEqual(answer, {key: example[key] for key in ("shortestPath", "retainers", "dominators")})


class Tool(unittest.TestCase):
    def test_retainers_lists_them_in_the_order_of_devtools(self):
        for name in SNAPSHOTS:
            for example in golden(name)["leakedExamples"]:
                node = example["node"]
                found = json.loads(tool("retainers", "--json", "--limit", "20", file_of(name), str(node["id"])))
                self.assertEqual([found[key] for key in ("nodeId", "displayName", "className", "shallowSize",
                                                         "retainedSize", "distance", "detachedness")],
                                 [node[key] for key in ("id", "name", "className", "selfSize", "retainedSize",
                                                        "distance", "detachedness")])
                self.assertEqual(found["retainerCount"], example["retainers"]["total"])
                self.assertEqual(
                    [(row["edgeKind"], row["edge"], row["nodeId"], row["displayName"], row["distance"])
                     for row in found["retainers"]],
                    [(edge["edgeType"], edge["edgeName"], edge["retainerId"], edge["retainerName"], edge["distance"])
                     for edge in example["retainers"]["first"]])
                self.assertEqual([(row["nodeId"], row["retainedSize"]) for row in found["dominators"]],
                                 [(row["id"], row["retainedSize"]) for row in example["dominators"][1:]])

    def test_the_first_of_each_level_is_opened_up_to_where_distances_begin(self):
        example = golden("node20-after")["leakedExamples"][0]
        row = json.loads(tool("retainers", "--json", file_of("node20-after"), str(example["node"]["id"])))
        ids = []
        while row.get("retainers"):
            row = row["retainers"][0]
            ids.append(row["nodeId"])
        self.assertEqual(ids, [step["retainerId"] for step in example["shortestPath"]])
        self.assertEqual(row["distance"], 1)

    def test_columns_of_nodes_have_devtools_digests(self):
        for name in SNAPSHOTS:
            digests = golden(name)["digests"]
            listed = rows(name, ",".join(digests))
            for column, digest in digests.items():
                show = javascript_string if column == "className" else str
                text = "".join(f"{show(row[column])}\n" for row in listed)
                with self.subTest(snapshot=name, column=column):
                    self.assertEqual(hashlib.sha256(text.encode("utf-8")).hexdigest(), digest)

    def test_sorting_by_retained_size_gives_the_top_list(self):
        same = {"id": "id", "ordinal": "ordinal", "displayName": "name", "name": "rawName", "className": "className",
                "selfSize": "selfSize", "retainedSize": "retainedSize", "distance": "distance",
                "detachedness": "detachedness", "edgeCount": "edgeCount", "retainerCount": "retainerCount"}
        for name in SNAPSHOTS:
            expected = golden(name)["topRetained"]
            found = rows(name, ",".join(same), "--sort", "retainedSize", "--limit", str(len(expected)))
            self.assertEqual(found, [{column: node[key] for column, key in same.items()} for node in expected])

    def test_columns_of_names_can_be_chosen_and_sorted_by(self):
        nodes = rows("node20-after", "id,className,displayName")
        plain = [node for node in nodes if node["className"].startswith("{")]
        self.assertGreater(len(plain), 100)
        found = rows("node20-after", "id,className,displayName", "--where", 'className startswith "{"')
        self.assertEqual(found, plain)
        by_name = sorted(plain, key=lambda node: node["displayName"].encode("utf-8"))
        self.assertEqual(rows("node20-after", "id,className,displayName", "--where", 'className startswith "{"',
                              "--sort", "displayName"), by_name)
        self.assertEqual(rows("node20-after", "id", "--where", "displayName != name and className == displayName"),
                         [{"id": node["id"]} for node in plain if node["className"] == node["displayName"]])

    def test_search_finds_names_in_any_case_of_nodes_with_a_size(self):
        nodes = [node for node in rows("node20-after", "id,displayName,selfSize") if node["selfSize"]]
        for query, options, wanted in (
                ("leakedthing", [], lambda text: "leakedthing" in text.lower()),
                ("LeakedThing", ["--case"], lambda text: "LeakedThing" in text),
                ("/^(Leaked|Innocent)\\w*$/", [], lambda text: re.search(r"^(Leaked|Innocent)\w*\Z", text)),
                ("/^$/", [], lambda text: text == "")):
            found = json.loads(tool("search", "--json", "--limit", "0", *options, file_of("node20-after"), query))
            expected = [node["id"] for node in nodes if wanted(node["displayName"])]
            self.assertEqual([node["nodeId"] for node in found["nodes"]], expected, query)
            self.assertEqual(found["count"], len(expected))
            self.assertGreater(len(expected), 0)

    def test_search_among_chosen_nodes(self):
        where = 'className == "LeakedThing" and distance > 5'
        chosen = rows("node20-after", "id", "--where", where)
        found = json.loads(tool("search", "--json", "--where", where, file_of("node20-after"), "leaked"))
        self.assertEqual(found["count"], len(chosen))
        self.assertEqual([node["nodeId"] for node in found["nodes"]], [node["id"] for node in chosen[:100]])

    def test_ignoring_all_that_holds_an_object_leaves_nothing(self):
        example = golden("node20-after")["leakedExamples"][0]
        node = str(example["node"]["id"])
        maps = [str(row["retainerId"]) for row in example["retainers"]["first"]]
        one = json.loads(tool("retainers", "--json", "--ignore", maps[0], file_of("node20-after"), node))
        self.assertEqual((one["keptAlive"], one["ignored"]), (True, [int(maps[0])]))
        self.assertEqual([row["distance"] for row in one["retainers"]], [example["retainers"]["first"][1]["distance"], None])
        both = json.loads(tool("retainers", "--json", "--ignore", ",".join(maps), file_of("node20-after"), node))
        self.assertFalse(both["keptAlive"])
        self.assertTrue(all(row["ignored"] for row in both["retainers"]))


if __name__ == "__main__":
    unittest.main()
