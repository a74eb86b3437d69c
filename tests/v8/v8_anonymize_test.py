#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing of anybody is left in an anonymized V8 snapshot.

A file with secrets in every place that can hold text is anonymized into every format, and the output searched for them. Then
the real snapshots: whatever of their texts is left must be on a list of public names, and the shape must be untouched.
"""
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
UBIHEAP = os.environ.get("UBIHEAP", "ubiheap")
DATA = SOURCE_DIR / "tests" / "data" / "v8"
FIXTURES = ("node20-before", "node20-after", "chromium-alloc", "chromium-detached")

NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
              "concatenated string", "sliced string", "symbol", "bigint", "object shape", "wasm object",
              "secretLaterType"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]

# Every name holds "secret" in some spelling; what is around it is the grammar of V8, Node.js and Chromium.
NAMES = ["secret", "Secret", "SECRET words in a row", "https://secret.example:8080/Secret/app.js?secret#secret",
         "/home/secret/app.js", "C:\\secret\\app.js", "node:secret", "file:///secret", "data:text/plain,secret",
         "system / secret", "system / Secret / x", "system / Script / https://secret.example/a.js",
         "system / SharedFunctionInfo / secret", "system / Context / secret", "system / Context / scope @secret",
         "system / NativeContext / https://secret.example", "system / Code / secret (builtin)",
         "Node / secret", "Node / Secret / secret", "Window / https://secret.example", "secret / Window",
         "Secret (prototype) / https://secret.example", "Secret [JSGlobalObject]", "secret / DevTools console",
         "<div id=\"secret\" class=\"secret Secret\">", "<secret-card>", "<div secret=\"1\">", "<div secret>", "<secret",
         "<div class=\"a\" secret", "<div title=\"a\"secret\" b\">", "Detached <div id=\"secret\">", "Detached secret",
         "Detached Secret / https://secret.example", "(secret)", "(code for secret)", "(secret for a)",
         "(code for https://secret.example/a b)", "(secret builtin handle)", "blink::\"secret\"", "secret::Secret<secret>",
         "secret|length", "length secret", "get secret", "bound secret", "#secret", "secret.prototype.secret",
         "secret@https://a.example/", "{secret, Secret}", "\"secret\"", "secret\nsecret", "\u00e9secret\u4e2d", "s\u00a0secret",
         "1 / secret", "12 secret", "secret12", "secret_string", "secret_map", "x_secret",
         "2 / part of key (Secret @12) -> value (secret @14) pair in WeakMap (table @16)",
         "2 / part of key (a @12) -> value (b) secret @14) pair in WeakMap (table @16)",
         "2 / part of key (a @1) -> value (b @2) pair in WeakMap (table @secret)",
         "node:internal/secret", "node:fs/secret", "(secret builtin code)", "(secret builtin)", "(instruction stream for secret)",
         "<symbol secret>", "<symbol secret", "<symbol>secret>", "system / Script / secret.js", "secret.min.js",
         "secret / part of key (a @1) -> value (b @2) pair in WeakMap (table @3)"]


class Builder:
    """A file in which every type of node and every type of edge has every name."""

    def __init__(self):
        self.strings = ["<dummy>"]
        self.nodes, self.edges, self.locations = [], [], []

    def string(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def node(self, kind, name, n_edges, trace=0):
        number = len(self.nodes) // 7
        self.nodes += [NODE_TYPES.index(kind), self.string(name), 2 * number + 1, 16, n_edges, trace, number % 3]

    def edge(self, kind, label, to):
        self.edges += [EDGE_TYPES.index(kind), label, 7 * to]


def secret_file():
    b = Builder()
    kinds = [(kind, name) for kind in NODE_TYPES for name in NAMES]
    names = [(kind, name) for kind in EDGE_TYPES if kind not in ("element", "hidden") for name in NAMES]
    b.node("synthetic", "", len(kinds) + len(names))
    for number, (kind, name) in enumerate(kinds):
        b.node(kind, name, 0, trace=1 + number % len(NAMES))
        b.edge("element", number, number + 1)
        b.locations += [7 * (number + 1), 5, number, 0]
    for number, (kind, name) in enumerate(names):
        b.edge(kind, b.string(name), 1 + number % len(kinds))
    functions, tree = [], []
    for number, name in enumerate(NAMES):
        functions += [number, b.string(name), b.string(NAMES[-number]), 1, 2, 3]
        tree += [number + 1, number, 1, 16, []]
    meta = {
        "node_fields": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
        "node_types": [NODE_TYPES] + ["number"] * 6,
        "edge_fields": ["type", "name_or_index", "to_node"], "edge_types": [EDGE_TYPES, "string_or_number", "node"],
        "trace_function_info_fields": ["function_id", "name", "script_name", "script_id", "line", "column"],
        "trace_node_fields": ["id", "function_info_index", "count", "size", "children"],
        "sample_fields": ["timestamp_us", "last_assigned_id"],
        "location_fields": ["object_index", "script_id", "line", "column"],
        "scope_fields": ["script_node_index", "scope_id", "depth", "scope_context_vars_count", "scope_uses_count"],
        "scope_context_var_fields": ["name"], "scope_use_fields": ["declaring_scope_id", "slot_index"],
    }
    scope_vars = [b.string(name) for name in NAMES]
    return {"snapshot": {"meta": meta, "node_count": len(b.nodes) // 7, "edge_count": len(b.edges) // 3,
                         "trace_function_count": len(NAMES)},
            "nodes": b.nodes, "edges": b.edges, "trace_function_infos": functions, "trace_tree": tree, "samples": [],
            "locations": b.locations, "scopes": [0, -1, 0, len(scope_vars), 1], "scope_context_vars": scope_vars,
            "scope_uses": [-1, 0], "strings": b.strings}


class Anonymize(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def convert(self, source, name, *options):
        output = self.folder / name
        result = subprocess.run([UBIHEAP, "convert", *options, source, output], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        warnings = [line for line in result.stderr.splitlines() if "Firefox does not open it" not in line]
        self.assertEqual(warnings, [])
        return output

    def write(self, document):
        path = self.folder / "in.heapsnapshot"
        path.write_text(json.dumps(document, separators=(",", ":")))
        return path

    def test_no_secret_is_left_in_any_format(self):
        source = self.write(secret_file())
        for name in ("out.heapsnapshot", "out.jsonl", "out.fxsnapshot"):
            with self.subTest(name):
                plain = self.convert(source, name, "--compression", "none").read_bytes().lower()
                hidden = self.convert(source, name, "--compression", "none", "--anonymize").read_bytes().lower()
                for word in ("secret", "home", "\u4e2d"):
                    for encoding in ("utf-8", "utf-16-le"):
                        self.assertNotIn(word.encode(encoding), hidden)
                self.assertTrue(b"secret" in plain or "secret".encode("utf-16-le") in plain)

    def test_all_edges_and_raw_sizes_hide_as_much(self):
        source = self.write(secret_file())
        output = self.convert(source, "out.fxsnapshot", "-c", "none", "-a", "--all-edges", "--raw-sizes").read_bytes()
        self.assertNotIn("ecret".encode("utf-16-le"), output)
        self.assertNotIn(b"ecret", output)

    def test_real_snapshots_keep_their_numbers_and_lose_their_words(self):
        for fixture in FIXTURES:
            with self.subTest(fixture):
                before = json.loads(gzip.decompress((DATA / f"{fixture}.heapsnapshot.gz").read_bytes()))
                after = json.loads(self.convert(DATA / f"{fixture}.heapsnapshot.gz", "out.heapsnapshot", "-a").read_bytes())
                self.check_numbers(before, after)
                texts = "\n".join(text for text in after["strings"] if "::" not in text)  # Chromium's own classes
                for word in ("LeakedThing", "Innocent", "keepCacheAlive", "/srv/app", "__leakedWidgets", "Widget", "widget",
                             "callPuppeteer", "makeWidget"):
                    self.assertNotIn(word, texts)
                for word in ("(GC roots)", "map", "system / Map", "elements", "__proto__", "Array"):
                    self.assertIn(word, after["strings"])

    def check_numbers(self, before, after):
        stride = len(before["snapshot"]["meta"]["node_fields"])
        for column in range(stride):
            if column != 1:
                self.assertEqual(before["nodes"][column::stride], after["nodes"][column::stride])
        self.assertEqual(before["edges"][0::3], after["edges"][0::3])
        self.assertEqual(before["edges"][2::3], after["edges"][2::3])
        for section in ("trace_tree", "samples", "scopes", "scope_uses"):
            self.assertEqual(before.get(section), after.get(section))
        # Numbers of slots stay, and those of elements that can only be positions; each other one has its own in its place.
        pairs = [(EDGE_TYPES[kind], x, y) for kind, x, y in zip(before["edges"][0::3], before["edges"][1::3],
                                                                after["edges"][1::3]) if EDGE_TYPES[kind] in ("element", "hidden")]
        self.assertEqual([(x, y) for kind, x, y in pairs if x != y and (kind == "hidden" or x < 1000)], [])
        large = {(x, y) for kind, x, y in pairs if kind == "element" and x >= 1000}
        self.assertEqual(len(large), len({x for x, _ in large}))
        self.assertEqual(len(large), len({y for _, y in large}))
        self.assertTrue(all(y >= 1000 for _, y in large))

    def test_what_devtools_compute_stays_except_names(self):
        """Sizes, dominators, distances and classes by their sizes."""
        for fixture in FIXTURES:
            with self.subTest(fixture):
                output = self.convert(DATA / f"{fixture}.heapsnapshot.gz", "out.heapsnapshot", "-a")
                columns = "selfSize,retainedSize,dominatorOrdinal,distance,detachedness"
                self.assertEqual(self.nodes(DATA / f"{fixture}.heapsnapshot.gz", columns), self.nodes(output, columns))

    def nodes(self, path, columns):
        return subprocess.run([UBIHEAP, "nodes", "--format", "tsv", "--columns", columns, path], check=True,
                              capture_output=True).stdout


if __name__ == "__main__":
    unittest.main()
