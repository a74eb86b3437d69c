# SPDX-License-Identifier: MIT
"""Making .heapsnapshot files for tests, and reading many of them with v8_driver."""

import copy
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["UBI_SOURCE_DIR"], "tests", "support"))

EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]
NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
              "concatenated string", "sliced string", "symbol", "bigint", "object shape"]
NODE_FIELDS = {
    "node12": ["type", "name", "id", "self_size", "edge_count", "trace_node_id"],
    "node20": ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"],
    "node24": ["type", "name", "id", "self_size", "edge_count", "detachedness"],
}
ORDER = ["snapshot", "nodes", "edges", "trace_function_infos", "trace_tree", "samples", "locations", "scopes",
         "scope_context_vars", "scope_uses", "strings"]


def meta(version="node20", node_types=None):
    fields = NODE_FIELDS[version]
    result = {
        "node_fields": list(fields),
        "node_types": [list(node_types or NODE_TYPES), "string", "number", "number", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [list(EDGE_TYPES), "string_or_number", "node"],
        "trace_function_info_fields": ["function_id", "name", "script_name", "script_id", "line", "column"],
        "trace_node_fields": ["id", "function_info_index", "count", "size", "children"],
        "sample_fields": ["timestamp_us", "last_assigned_id"],
        "location_fields": ["object_index", "script_id", "line", "column"],
    }
    if version == "node24":
        result["location_fields"].insert(2, "script_object_index")
        result["scope_fields"] = ["script_node_index", "scope_id", "depth", "scope_context_vars_count",
                                  "scope_uses_count"]
        result["scope_context_var_fields"] = ["name"]
        result["scope_use_fields"] = ["declaring_scope_id", "slot_index"]
    return result


class Snapshot:
    """A snapshot as lists, with names instead of numbers where that is shorter."""

    def __init__(self, version="node20", node_types=None):
        self.version = version
        self.meta = meta(version, node_types)
        self.strings = ["<dummy>"]
        self.nodes = []  # dicts
        self.sections = {}
        self.header = {}

    def string(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def node(self, type, name, id=None, size=16, edges=(), **more):
        """edges: (type, name or number, target ordinal). Returns the ordinal."""
        row = {"type": self.meta["node_types"][0].index(type), "name": self.string(name),
               "id": 2 * len(self.nodes) + 1 if id is None else id, "self_size": size, "trace_node_id": 0,
               "detachedness": 0}
        row.update(more)
        row["edges"] = list(edges)
        self.nodes.append(row)
        return len(self.nodes) - 1

    @property
    def stride(self):
        return len(self.meta["node_fields"])

    def edge_row(self, edge):
        kind, name, to = edge
        value = name if kind in ("element", "hidden") else self.string(name)
        row = {"type": EDGE_TYPES.index(kind), "name_or_index": value, "to_node": to * self.stride}
        return [row.get(f, 7) for f in self.meta["edge_fields"]]

    def tree(self):
        nodes, edges = [], []
        for row in self.nodes:
            nodes += [row.get(f, 3) if f != "edge_count" else len(row["edges"]) for f in self.meta["node_fields"]]
            for edge in row["edges"]:
                edges += self.edge_row(edge)
        header = {"meta": copy.deepcopy(self.meta), "node_count": len(self.nodes),
                  "edge_count": sum(len(n["edges"]) for n in self.nodes), "trace_function_count": 0}
        header.update(self.header)
        result = {"snapshot": header, "nodes": nodes, "edges": edges, "trace_function_infos": [], "trace_tree": [],
                  "samples": [], "locations": []}
        result.update(copy.deepcopy(self.sections))
        result["strings"] = list(self.strings)
        return result

    def bytes(self, **options):
        return write(self.tree(), **options)


def dumps(value, rng=None):
    """JSON, with white space of all kinds where `rng` likes."""
    if rng is None:
        return json.dumps(value, separators=(",", ":"))

    def gap():
        n = rng.choice([0, 0, 0, 1, 2, 70]) if rng.random() < 0.2 else 0
        return "".join(rng.choice(" \n\r\t") for _ in range(n))
    if isinstance(value, dict):
        items = [gap() + json.dumps(k) + gap() + ":" + gap() + dumps(v, rng) + gap() for k, v in value.items()]
        return "{" + (",".join(items) if items else gap()) + "}"
    if isinstance(value, list):
        return "[" + (",".join(gap() + dumps(v, rng) + gap() for v in value) if value else gap()) + "]"
    return json.dumps(value)


def write(tree, order=None, rng=None, newlines=False, ascii=True, indent=None):
    """`newlines`: as V8 wrote until Node 22."""
    keys = [k for k in (order or tree) if k in tree]
    if indent is not None:
        return json.dumps({k: tree[k] for k in keys}, indent=indent).encode()
    if not newlines:
        return dumps({k: tree[k] for k in keys}, rng).encode()
    strides = {"nodes": len(tree["snapshot"]["meta"]["node_fields"]), "edges": 3, "locations": 4}
    parts = []
    for key in keys:
        value = tree[key]
        if key in strides:
            s = strides[key]
            rows = [",".join(map(str, value[i:i + s])) for i in range(0, len(value), s)]
            parts.append('"%s":[%s]' % (key, "\n,".join(rows) + ("\n" if rows else "")))
        elif key == "strings":
            parts.append('"strings":[%s]' % ",\n".join(map(json.dumps, value)))
        else:
            parts.append('"%s":%s' % (key, json.dumps(value, separators=(",", ":"))))
    return ("{" + ",\n".join(parts) + "}").encode()


def small(version="node20"):
    """A few nodes with all that a version of V8 writes."""
    s = Snapshot(version)
    s.node("synthetic", "", edges=[("element", 1, 1), ("shortcut", "global", 2)])
    s.node("synthetic", "(GC roots)", size=0, edges=[("element", 1, 2), ("hidden", 7, 3)])
    s.node("object", "global / ", size=40, edges=[("property", "fn", 4), ("property", "text", 5), ("weak", "w", 7)])
    s.node("hidden", "system / Map", size=72, edges=[("internal", "374", 1)])
    s.node("closure", "fn", size=64, edges=[("context", "captured", 7), ("internal", "shared", 6)])
    s.node("string", "a \"text\"\n\u00e9\u4e2d\U0001f600", size=32)
    s.node("code", "fn", size=56, edges=[("internal", "script_or_debug_info" if version != "node24" else "script", 8)])
    s.node("native", "<div id=\"a\">", id=2048, size=1 << 33, detachedness=2)
    s.node("code", "file:///app.js" if version != "node24" else "system / Script / file:///app.js", size=100)
    stride = s.stride
    if version == "node24":
        s.sections["locations"] = [4 * stride, 55, 8 * stride, 1, 2, 2 * stride, 55, 8 * stride, 3, 4]
        s.sections["scopes"] = [8 * stride, -2, 0, 1, 2, 8 * stride, 17, 1, 1, 0]
        s.sections["scope_context_vars"] = [s.string("captured"), s.string("fn")]
        s.sections["scope_uses"] = [-2, 0, 17, 3]
        s.header["extra_native_bytes"] = 1 << 35
    else:
        s.sections["locations"] = [4 * stride, 55, 1, 2, 2 * stride, 55, 3, 4]
        s.sections["trace_function_infos"] = [0, s.string("(root)"), s.string(""), 0, 0, 0,
                                              77, s.string("fn"), s.string("file:///app.js"), 55, 10, 4]
        s.sections["trace_tree"] = [1, 0, 0, 0, [2, 1, 3, 96, [3, 1, 1, 1, []], 4, 1, 0, 0, []]]
        s.sections["samples"] = [1000, 7, 1 << 40, 99]
        s.nodes[5]["trace_node_id"] = 3
        s.nodes[7]["trace_node_id"] = 2
        s.header["trace_function_count"] = 2
    return s


def random_snapshot(rng):
    """Any graph: names, types, weird sizes, sections there or not."""
    s = Snapshot(rng.choice(list(NODE_FIELDS)), NODE_TYPES + rng.choice([[], ["wasm object"], ["of tomorrow"]]))
    names = ["", "Object", "Array", "system / Map", "system / Script / a.js", "system / Script", "a.js", "<div x>",
             "Detached <p y>", "Text", "HTMLDivElement", "Detached Window", "(code)", "\u00fc", "x" * 300, "\0nul",
             "shared", "script"] + ["n%d" % i for i in range(8)]
    count = rng.choice([1, 2, 5, 30, 120])
    ids = rng.sample(range(1, 10 ** rng.choice([4, 9, 12, 18])), count)
    types = s.meta["node_types"][0]
    for i in range(count):
        edges = []
        for _ in range(rng.choice([0, 1, 2, 3, 9])):
            kind = rng.choice(EDGE_TYPES)
            label = rng.choice([0, 1, 10 ** 9, 2 ** 32 - 1, rng.randrange(10 ** 6)]) \
                if kind in ("element", "hidden") else rng.choice(names)
            edges.append((kind, label, rng.randrange(count)))
        s.node(rng.choice(types), rng.choice(names), id=ids[i], edges=edges,
               size=rng.choice([0, 16, 99999999, 100000000, 999999999, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 2 ** 63 - 1]),
               detachedness=rng.choice([0, 0, 0, 1, 2, 3]), trace_node_id=rng.choice([0, 0, 1, 2, 9]))
    if rng.random() < 0.3:  # fields in another order, and some that nobody knows
        s.meta["node_fields"].insert(rng.randrange(7), "new_field")
        rng.shuffle(s.meta["node_fields"])
        s.meta["node_types"][0], at = s.meta["node_types"][0], s.meta["node_fields"].index("type")
        enum = s.meta["node_types"][0]
        s.meta["node_types"] = ["number"] * 8
        s.meta["node_types"][at] = enum
    if rng.random() < 0.2:
        s.meta["edge_fields"] = rng.choice([["to_node", "type", "name_or_index"],
                                            ["name_or_index", "x", "to_node", "type"]])
        enum = s.meta["edge_types"][0]
        s.meta["edge_types"] = ["x"] * 4
        s.meta["edge_types"][s.meta["edge_fields"].index("type")] = enum
    add_random_sections(s, rng, count)
    return s


def add_random_sections(s, rng, count):
    some = rng.random() < 0.7
    fields = s.meta["location_fields"]
    locations = []
    for _ in range(rng.choice([0, 1, 40]) if some else 0):
        row = {"object_index": rng.randrange(count) * s.stride, "script_id": rng.choice([0, 1, 2, 2 ** 32 - 1]),
               "script_object_index": rng.randrange(count) * s.stride, "line": rng.randrange(9),
               "column": rng.randrange(9)}
        locations += [row[f] for f in fields]
    s.sections["locations"] = locations
    functions = rng.choice([0, 1, 3])
    s.sections["trace_function_infos"] = [v for i in range(functions) for v in
                                          (i * 3, rng.randrange(len(s.strings)), rng.randrange(len(s.strings)), 1, i, 2)]
    ids = iter(range(1, 30))

    def children(depth):
        result = []
        for _ in range(rng.choice([0, 1, 2]) if depth < 4 and functions else 0):
            result += [next(ids), rng.randrange(functions), rng.randrange(100), 2 ** 40, children(depth + 1)]
        return result
    s.sections["trace_tree"] = children(0)
    s.sections["samples"] = [rng.randrange(2 ** 50) for _ in range(rng.choice([0, 2, 6]))]
    if "scope_fields" in s.meta and some:
        scopes, variables, uses = [], 0, 0
        for _ in range(rng.choice([1, 4])):
            v, u = rng.randrange(3), rng.randrange(3)
            scopes += [rng.randrange(count) * s.stride, rng.choice([-2, -2 ** 40, 5]), 1, v, u]
            variables, uses = variables + v, uses + u
        s.sections["scopes"] = scopes
        s.sections["scope_context_vars"] = [rng.randrange(len(s.strings)) for _ in range(variables)]
        s.sections["scope_uses"] = [v for _ in range(uses) for v in (rng.choice([-2, 7]), rng.randrange(9))]
    for key in list(s.sections):
        if not s.sections[key] and rng.random() < 0.5 and key.startswith(("samples", "loc", "scope")):
            del s.sections[key]
    if rng.random() < 0.3:
        s.header["extra_native_bytes"] = rng.choice([0, 2 ** 40])
    if rng.random() < 0.2:
        s.header["root_index"] = rng.randrange(count) * s.stride


class Result:
    def __init__(self, line):
        status, nodes, edges, reachable, self.text = line.split(" ", 4)
        self.status, self.nodes, self.edges, self.reachable = int(status), int(nodes), int(edges), int(reachable)


def read_all(cases, *options):
    """Results of all cases; fails when the driver found a difference."""
    with tempfile.NamedTemporaryFile() as batch:
        for case in cases:
            batch.write(struct.pack("<I", len(case)) + case)
        batch.flush()
        driver = os.path.join(os.environ["UBI_BUILD_DIR"], "tests", "v8_driver")
        done = subprocess.run([driver, *options, batch.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise AssertionError("v8_driver: %d\n%s" % (done.returncode, done.stderr.decode(errors="replace")[:4000]))
    lines = done.stdout.decode(errors="replace").split("\n")[:-1]
    if len(lines) != len(cases):
        raise AssertionError("%d results of %d cases" % (len(lines), len(cases)))
    return [Result(line) for line in lines]


def fixture(name):
    import gzip
    path = os.path.join(os.environ["UBI_SOURCE_DIR"], "tests/data/v8", name + ".heapsnapshot.gz")
    with gzip.open(path) as file:
        return file.read()


FIXTURES = ["node20-before", "node20-after", "chromium-alloc", "chromium-detached"]


def seeds(n):
    return [random.Random(i) for i in range(n)]
