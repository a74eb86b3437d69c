# SPDX-License-Identifier: MIT
"""Summary, its filters, Statistics and native contexts against what Chrome's DevTools made of the same files.

Files and answers: tests/data/v8/README.md. Every row of every list must be equal.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "v8"
UBIHEAP = os.environ.get("UBIHEAP", "")
SNAPSHOTS = ("node20-before", "node20-after", "chromium-detached", "chromium-alloc")

if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
    print("skipped: UBIHEAP does not name the tool")
    sys.exit(77)

FILTERS = {
    "objectsRetainedByDetachedDomNodes": "detached-dom",
    "objectsRetainedByConsole": "console",
    "objectsRetainedByEventHandlers": "event-handlers",
    "objectsRetainedByContexts": "contexts",
    "duplicatedStrings": "duplicate-strings",
}


def path_of(name):
    return DATA / f"{name}.heapsnapshot.gz"


def ask(*arguments):
    done = subprocess.run([UBIHEAP, arguments[0], "--json", *map(str, arguments[1:])], capture_output=True, check=True)
    return json.loads(done.stdout)


def summary(*arguments):
    return ask("summary", "--limit", 0, *arguments)


class Golden(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.goldens = {name: json.loads((DATA / f"{name}.golden.json").read_text(encoding="utf-8")) for name in SNAPSHOTS}

    def test_every_class_in_the_same_order(self):
        for name, golden in self.goldens.items():
            with self.subTest(snapshot=name):
                ours = summary(path_of(name))
                self.assertEqual(ours["totalSize"], golden["totalSize"])
                self.assertEqual(ours["classCount"], len(golden["aggregates"]))
                self.assertEqual(
                    [(f'{row["place"]},{row["name"]}', row["name"], row["count"], row["distance"], row["selfSize"],
                      row["retainedSize"]) for row in ours["classes"]],
                    [(row["key"], row["name"], row["count"], row["distance"], row["selfSize"], row["maxRetained"])
                     for row in golden["aggregates"]])

    def test_one_thread_gives_the_same(self):
        for name in SNAPSHOTS:
            with self.subTest(snapshot=name):
                self.assertEqual(summary("--threads", 1, path_of(name)), summary("--threads", 2, path_of(name)))

    def test_every_filter(self):
        for name, golden in self.goldens.items():
            with self.subTest(snapshot=name):
                self.assertEqual(set(golden["filters"]), set(FILTERS))
                for theirs, expected in golden["filters"].items():
                    ours = summary("--filter", FILTERS[theirs], path_of(name))
                    self.assertEqual({"classes": ours["classCount"], "objects": ours["nodeCount"], "selfSize": ours["selfSize"]},
                                     expected, theirs)

    def test_a_class_lists_its_nodes(self):
        """DevTools' two hundred nodes that retain most, each in the list of its class."""
        for name, golden in self.goldens.items():
            with self.subTest(snapshot=name):
                for class_name in {node["className"] for node in golden["topRetained"] if node["selfSize"]}:
                    expected = [node for node in golden["topRetained"] if node["className"] == class_name and node["selfSize"]]
                    rows = summary("--class", class_name, path_of(name))["classes"]
                    ours = {node["id"]: node for row in rows for node in row["nodes"]}
                    for node in expected:
                        seen = ours[node["id"]]
                        self.assertEqual([seen[key] for key in ("name", "distance", "selfSize", "retainedSize")],
                                         [node[key] for key in ("name", "distance", "selfSize", "retainedSize")])
                    for row in rows:
                        self.assertEqual(len(row["nodes"]), row["count"])
                        self.assertEqual(row["nodes"], sorted(row["nodes"], key=lambda n: (-n["retainedSize"], n["id"])))

    def test_statistics(self):
        for name, golden in self.goldens.items():
            with self.subTest(snapshot=name):
                ours, expected = ask("statistics", path_of(name)), golden["statistics"]
                parts = {part["name"]: part["size"] for part in ours["parts"]}
                self.assertEqual(ours["totalSize"], expected["total"])
                self.assertEqual(ours["nativeSize"], expected["native"]["total"])
                self.assertEqual(ours["totalSize"] - ours["nativeSize"], expected["v8heap"]["total"])
                self.assertEqual(parts["typedArrays"], expected["native"]["typedArrays"])
                for part in ("code", "jsArrays", "strings", "system"):
                    self.assertEqual(parts[part], expected["v8heap"][part], part)
                self.assertEqual(sum(parts.values()), ours["totalSize"])

    def test_native_contexts(self):
        for name, golden in self.goldens.items():
            with self.subTest(snapshot=name):
                ours, expected = ask("statistics", path_of(name)), golden["nativeContexts"]
                self.assertEqual(
                    [(row["id"], row["name"], row["attributedSize"], row["retainedSize"], row["selfSize"])
                     for row in ours["nativeContexts"]],
                    [(row["nodeId"], row["nodeName"], row["attributedSize"], row["retainedSize"], row["selfSize"])
                     for row in expected["nativeContexts"]])
                self.assertEqual(ours["sharedSize"], expected["sharedSize"])
                self.assertEqual(ours["noAttributionSize"], expected["noAttributionSize"])

    def test_summaries_of_all_contexts_are_the_whole(self):
        for name, golden in self.goldens.items():
            with self.subTest(snapshot=name):
                contexts = [(row["nodeId"], row["attributedSize"]) for row in golden["nativeContexts"]["nativeContexts"]]
                contexts += [("shared", golden["nativeContexts"]["sharedSize"]),
                             ("none", golden["nativeContexts"]["noAttributionSize"])]
                for context, size in contexts:
                    self.assertEqual(summary("--context", context, path_of(name))["selfSize"], size)

    def test_what_was_allocated_between_two_snapshots(self):
        """Everything is from before the first, from between, or from outside of the JavaScript heap with later ids."""
        before, after = path_of("node20-before"), path_of("node20-after")
        since = summary("--since", before, after)
        older = summary("--until", before, after)
        rows = {row["name"]: row["count"] for row in since["classes"]}
        self.assertEqual(rows["LeakedThing"], 300)
        self.assertEqual({row["name"]: row["count"] for row in older["classes"]}["LeakedThing"], 1)
        both = summary("--until", after, after)
        self.assertEqual(since["nodeCount"] + older["nodeCount"], both["nodeCount"])
        self.assertEqual(since["selfSize"] + older["selfSize"], both["selfSize"])


TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"]


def snapshot_of(nodes):
    """A file with a root that has these nodes (type, name, size) as globals."""
    meta = {"node_fields": ["type", "name", "id", "self_size", "edge_count"],
            "node_types": [TYPES, "string", "number", "number", "number"],
            "edge_fields": ["type", "name_or_index", "to_node"],
            "edge_types": [["context", "element", "property", "internal", "hidden", "shortcut", "weak"],
                           "string_or_number", "node"]}
    strings = ["<dummy>", ""]
    rows, edges = [TYPES.index("synthetic"), 1, 1, 0, len(nodes)], []
    for i, (node_type, name, size) in enumerate(nodes):
        if name not in strings:
            strings.append(name)
        rows += [TYPES.index(node_type), strings.index(name), 2 * i + 3, size, 0]
        edges += [1, i, 5 * (i + 1)]
    return {"snapshot": {"meta": meta, "node_count": len(nodes) + 1, "edge_count": len(nodes)},
            "nodes": rows, "edges": edges, "strings": strings}


class ClassesOfOneName(unittest.TestCase):
    """Where two classes share a name DevTools lose the one whose first node comes earlier: here both are in the row."""

    NODES = [("object", "global", 100), ("closure", "foo", 64), ("closure", "bar", 64), ("object", "Function", 56),
             ("object", "Function", 56), ("object", "RegExp", 8), ("regexp", "x", 9)]
    # what the code of chrome-devtools-frontend 1.0.1705227 gives for it: name, count, selfSize
    DEVTOOLS = [("Function", 2, 112), ("global", 1, 100), ("RegExp", 1, 9)]

    def test_a_class_that_devtools_lose_is_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "functions.heapsnapshot"
            file.write_text(json.dumps(snapshot_of(self.NODES)), encoding="utf-8")
            ours = summary(file)
        self.assertEqual([(row["name"], row["count"], row["selfSize"]) for row in ours["classes"]],
                         [("Function", 4, 240), ("global", 1, 100), ("RegExp", 2, 17)])
        self.assertEqual(sum(row["selfSize"] for row in ours["classes"]), ours["totalSize"])
        self.assertEqual(ours["totalSize"] - sum(size for _, _, size in self.DEVTOOLS), 64 + 64 + 8)


if __name__ == "__main__":
    unittest.main()
