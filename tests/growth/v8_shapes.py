# SPDX-License-Identifier: MIT
"""Snapshots of V8 that are made to hurt: each function takes a heap and a size n, and hangs O(n) nodes and edges into it."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "v8"))
import v8_files  # noqa: E402

NODE = {name: i for i, name in enumerate(v8_files.NODE_TYPES)}
EDGE = {name: i for i, name in enumerate(v8_files.EDGE_TYPES)}
STRIDE = 7


class Heap:
    """A snapshot in the making, of Node.js 20: a root, the engine's roots, and a global object."""

    def __init__(self):
        self.texts, self.names = [], {}
        self.string("<dummy>")
        self.nodes, self.edges, self.sections = [], [], {}
        self.n_globals = 0
        root = self.node("synthetic", "", 0)
        self.engine = self.node("synthetic", "(GC roots)", 0)
        self.globals = self.node("object", "global")
        self.link(root, "element", 1, self.engine)
        self.link(root, "shortcut", "global", self.globals)

    def string(self, text):
        at = self.names.get(text)
        if at is None:
            at = self.names[text] = len(self.texts)
            self.texts.append(text)
        return at

    def node(self, type, name, size=16, id=None, trace=0, detached=0):
        self.nodes.append([NODE[type], self.string(name), 2 * len(self.nodes) + 1 if id is None else id, size, 0, trace,
                           detached])
        self.edges.append([])
        return len(self.nodes) - 1

    def link(self, source, kind, name, target):
        self.edges[source].append((EDGE[kind], name if kind in ("element", "hidden") else self.string(name), target))
        return target

    def hang(self, target):
        """Makes it a global variable."""
        self.n_globals += 1
        return self.link(self.globals, "property", f"g{self.n_globals}", target)

    def field(self, source, name, target):
        return self.link(source, "internal", name, target)

    def write(self, path, n_nodes=None):
        """All of it, or as it was when it had so many nodes."""
        n_nodes = len(self.nodes) if n_nodes is None else n_nodes
        nodes, edges = [], []
        for row, own in zip(self.nodes[:n_nodes], self.edges):
            own = [edge for edge in own if edge[2] < n_nodes]
            row[4] = len(own)
            nodes += row
            for kind, name, target in own:
                edges += [kind, name, target * STRIDE]
        tree = {"snapshot": {"meta": v8_files.meta("node20"), "node_count": n_nodes, "edge_count": len(edges) // 3,
                             "trace_function_count": len(self.sections.get("trace_function_infos", [])) // 6},
                "nodes": nodes, "edges": edges, "trace_function_infos": [], "trace_tree": [], "samples": [],
                "locations": []}
        if n_nodes == len(self.nodes):
            tree.update(self.sections)
        tree["strings"] = self.texts
        with open(path, "w", encoding="ascii") as file:
            file.write(to_json(tree))


def to_json(tree):
    """The trace tree may be deeper than the interpreter's stack is."""
    trace, text = tree["trace_tree"], []
    rest = json.dumps({**tree, "trace_tree": None}, separators=(",", ":"))
    stack = [(trace, 0)]
    while stack:
        row, at = stack.pop()
        text.append("[" if at == 0 else "")
        while at < len(row):
            text.append("," if at else "")
            at += 1
            if isinstance(row[at - 1], list):
                stack += [(row, at), (row[at - 1], 0)]
                break
            text.append(str(row[at - 1]))
        else:
            text.append("]")
    return rest.replace('"trace_tree":null', '"trace_tree":' + "".join(text), 1)


# ---- functions ---------------------------------------------------------------------------------------------------------

def closure(heap, name, context, shared=None, script=None):
    """A function of the program."""
    made = heap.node("closure", name, 64)
    if shared is None:
        shared = heap.node("code", name, 16)
        heap.field(shared, "script", heap.node("code", "/app/app.js", 16) if script is None else script)
    heap.field(made, "shared", shared)
    heap.field(made, "context", context)
    return made


def scopes(heap, n):
    """Functions of one scope, and of scopes within it, that has as many variables."""
    outer = heap.node("object", "system / Context", 40)
    for i in range(n):
        heap.link(outer, "context", f"v{i}", heap.node("object", "Thing", 64))
    big = heap.link(outer, "context", "big", heap.node("object", "Thing", 1 << 30))
    heap.field(outer, "previous", heap.node("object", "system / Context", 40))
    heap.field(outer, "scope_info", heap.node("code", "system / ScopeInfo", 16))
    for i in range(n):
        heap.hang(closure(heap, f"f{i}", outer))
        inner = heap.node("object", "system / Context", 40)
        heap.field(inner, "previous", outer)
        heap.hang(closure(heap, "inner", inner))
    return big


def one_code(heap, n):
    """Functions that are all made by one expression, whose code has many fields."""
    script = heap.node("code", "/app/app.js", 16)
    shared = heap.node("code", "made", 16)
    for i in range(n):
        heap.field(shared, f"field{i}", script)
    heap.field(shared, "script", script)
    context = heap.node("object", "system / Context", 40)
    heap.link(context, "context", "big", heap.node("object", "Thing", 1 << 30))
    for _ in range(n):
        heap.hang(closure(heap, "made", context, shared))


def nested_scopes(heap, n):
    """A scope within a scope within a scope."""
    context = heap.node("object", "system / Context", 40)
    heap.link(context, "context", "big", heap.node("object", "Thing", 1 << 20))
    for i in range(n):
        inner = heap.node("object", "system / Context", 40)
        heap.field(inner, "previous", context)
        heap.link(inner, "context", "big", heap.node("object", "Thing", 1 << 20))
        heap.hang(closure(heap, "inner", inner))
        context = inner


def packages(heap, n):
    """As many packages, each with a cache, and functions of two that share a scope; one package of as many files."""
    def script(path):
        return heap.node("code", path, 16)
    common = heap.node("object", "system / Context", 40)
    for i in range(n):
        context = heap.node("object", "system / Context", 40)
        heap.link(context, "context", "cache", heap.node("object", "Thing", 1 << 21))
        heap.hang(closure(heap, "f", context, script=script(f"/app/node_modules/p{i}/x.js")))
        heap.hang(closure(heap, "g", common, script=script(f"/app/node_modules/p{i}/y.js")))
        heap.hang(closure(heap, "h", common, script=script(f"/app/node_modules/one/{i}.js")))


# ---- shapes of graphs --------------------------------------------------------------------------------------------------

def wide(heap, n):
    """One array of everything, to which everything leads."""
    array = heap.hang(heap.node("object", "Array", 32))
    for i in range(n):
        entry = heap.link(array, "element", i, heap.node("object", "Entry", 400))
        heap.link(entry, "property", "list", array)
    return array


def deep(heap, n):
    """One list."""
    node = heap.hang(heap.node("object", "List", 32))
    for _ in range(n):
        node = heap.link(node, "property", "next", heap.node("object", "List", 32))
    return node


def comb(heap, n):
    """One list, each member of which has something large and leads to one thing."""
    shared = heap.node("object", "Shared", 64)
    node = heap.hang(heap.node("object", "List", 32))
    for i in range(n):
        node = heap.link(node, "property", "next", heap.node("object", f"List{i % 3}", 32))
        heap.link(node, "property", "load", heap.node("object", "Load", 5000))
        heap.link(node, "property", "shared", shared)
    return shared


def ladder(heap, n):
    """Two ways at every step."""
    left = right = heap.hang(heap.node("object", "Step", 32))
    for _ in range(n):
        below = [heap.node("object", "Step", 32) for _ in range(2)]
        for above in {left, right}:
            heap.link(above, "property", "a", below[0])
            heap.link(above, "property", "b", below[1])
        left, right = below
    return left


def circles(heap, n):
    """Everything in one list, both ways, and from its end to its beginning."""
    first = node = heap.hang(heap.node("object", "Link", 32))
    for _ in range(n):
        other = heap.link(node, "property", "next", heap.node("object", "Link", 32))
        heap.link(other, "property", "previous", node)
        node = other
    heap.link(node, "property", "next", first)
    return node


def tree(heap, n):
    """Each node has eight below it."""
    made = [heap.hang(heap.node("object", "Branch", 128))]
    for i in range(1, n):
        made.append(heap.link(made[(i - 1) // 8], "property", f"b{i % 8}", heap.node("object", f"Branch{i % 5}", 512)))
    return made[-1]


def parallel(heap, n):
    """Many edges from one node to another."""
    source = heap.hang(heap.node("object", "Source", 32))
    target = heap.node("object", "Target", 32)
    for i in range(n):
        heap.link(source, "property", f"p{i}", target)
    return target


# ---- names -------------------------------------------------------------------------------------------------------------

def equal_names(heap, n):
    """Objects of one class, each a global variable, with strings of one text."""
    for _ in range(n):
        node = heap.hang(heap.node("object", "Same", 96))
        heap.link(node, "property", "text", heap.node("string", "the very same text " * 4, 100))
    return node


def different_names(heap, n):
    """Objects whose classes, variables and texts are all different."""
    for i in range(n):
        node = heap.hang(heap.node("object", f"Class{i}", 96 + i))
        heap.link(node, "property", f"text{i}", heap.node("string", f"text number {i}", 40))
        heap.field(node, "map", heap.node("object shape", "system / Map", 80))
    return node


def shapes(heap, n):
    """Plain objects, no two with the same properties."""
    one = heap.node("number", "smi number", 0)
    for i in range(n):
        node = heap.hang(heap.node("object", "Object", 48))
        for k in range(4):
            heap.link(node, "property", f"p{i * 7 % n}x{k}", one)
    return node


def broad_shape(heap, n):
    """Plain objects of a class with as many properties as there are objects; each has a few of them."""
    one = heap.node("number", "smi number", 0)
    prototype = heap.hang(heap.node("object", "Object", 48))
    for i in range(n):
        heap.link(prototype, "property", f"p{i}", one)
    for i in range(n):
        node = heap.hang(heap.node("object", "Object", 48))
        for k in range(3):
            heap.link(node, "property", f"p{(i + k) % n}", one)
    return node


# ---- what rules look for -----------------------------------------------------------------------------------------------

def map_of_many(heap, n):
    owner = heap.hang(heap.node("object", "Map", 32))
    table = heap.field(owner, "table", heap.node("array", "", 8 * (3 * n + n // 2 + 5)))
    for i in range(n):
        at = 3 + n // 2 + 3 * i
        heap.field(table, str(at), heap.node("string", f"key {i}", 24))
        heap.field(table, str(at + 1), heap.node("object", "Session", 400))
    return table


def small_maps(heap, n):
    holder = heap.hang(heap.node("object", "Holder", 32))
    for i in range(n):
        owner = heap.link(holder, "element", i, heap.node("object", "Map", 32))
        table = heap.field(owner, "table", heap.node("array", "", 200))
        heap.field(table, "elements", heap.node("array", "(object elements)", 200))
    return holder


def one_table(heap, n):
    """Maps that share a table."""
    table = heap.node("array", "", 8 * n)
    for i in range(n):
        heap.field(table, str(i), heap.node("object", "Session", 100))
        heap.field(heap.hang(heap.node("object", "Map", 32)), "table", table)


def one_prototype(heap, n):
    """Empty objects that share a prototype with many methods."""
    prototype = heap.node("object", "Thing", 64)
    for i in range(n):
        heap.link(prototype, "property", f"method{i}", heap.node("closure", f"method{i}", 64))
    heap.link(prototype, "property", "constructor", heap.node("closure", "Thing", 64))
    for _ in range(n):
        for name in ("Array", "Map", "Set"):
            node = heap.hang(heap.node("object", name, 32))
            heap.link(node, "property", "__proto__", prototype)


def one_events(heap, n):
    """Emitters that share a table of many events, of which many share a list."""
    events = heap.node("object", "Object", 40)
    array = heap.node("object", "Array", 40)
    for i in range(n):
        heap.link(array, "element", i, heap.node("closure", "onMessage", 100))
    for i in range(n):
        heap.link(events, "property", f"event{i}", array)
        heap.link(heap.hang(heap.node("object", "EventEmitter", 40)), "property", "_events", events)
    return array


def wide_callback(heap, n):
    """Timers of one function that has many properties."""
    callback = heap.node("closure", "poll", 64)
    for i in range(n):
        heap.link(callback, "property", f"option{i}", heap.node("object", "Option", 16))
        heap.link(heap.hang(heap.node("object", "Timeout", 100)), "property", "_onTimeout", callback)
    heap.field(callback, "shared", heap.node("code", "poll", 16))
    return callback


def timers(heap, n):
    callback = closure(heap, "poll", heap.node("object", "system / Context", 40))
    for i in range(n):
        timer = heap.hang(heap.node("object", "Timeout", 100))
        heap.link(timer, "property", "_onTimeout", callback)
        own = heap.hang(heap.node("object", "Timeout", 100))
        heap.link(own, "property", "_onTimeout", closure(heap, f"poll{i}", heap.node("object", "system / Context", 40)))
    return callback


def listeners(heap, n):
    emitter = heap.hang(heap.node("object", "EventEmitter", 40))
    events = heap.link(emitter, "property", "_events", heap.node("object", "Object", 40))
    array = heap.link(events, "property", "message", heap.node("object", "Array", 40))
    for i in range(n):
        heap.link(array, "element", i, heap.node("closure", "onMessage", 100))
        listener = heap.hang(heap.node("native", "V8EventListener", 40, id=1000002 + 2 * i))
        heap.link(listener, "element", 1, heap.node("closure", "onClick", 64))
        heap.link(events, "property", f"event{i}", heap.node("closure", f"on{i}", 64))
    return array


def emitters(heap, n):
    """Many of them, each with an event and its listeners."""
    for i in range(n):
        emitter = heap.hang(heap.node("object", "EventEmitter", 40))
        events = heap.link(emitter, "property", "_events", heap.node("object", "Object", 40))
        array = heap.link(events, "property", f"event{i}", heap.node("object", "Array", 40))
        for k in range(3):
            heap.link(array, "element", k, heap.node("closure", "onMessage", 100))
    return array


def detached(heap, n):
    """Detached elements of one tree, below each other and beside each other, each held by a variable."""
    top = above = heap.node("native", "<div>", 100, id=2000000, detached=2)
    for i in range(n):
        deeper = heap.node("native", "<p>", 100, id=2000002 + 4 * i, detached=2)
        heap.link(above, "element", 1, deeper)
        heap.link(deeper, "element", 2, above)
        beside = heap.link(top, "element", 2 + i, heap.node("native", "<b>", 100, id=2000004 + 4 * i, detached=2))
        heap.link(heap.hang(heap.node("object", "HTMLElement", 50)), "property", "node", beside)
        above = deeper
    return above


def buffers(heap, n):
    for i in range(n):
        buffer = heap.hang(heap.node("object", "ArrayBuffer", 100))
        heap.field(buffer, "backing_store", heap.node("native", "system / JSArrayBufferData", 1 << 21,
                                                      id=1000002 + 2 * i))
    return buffer


def weak_maps(heap, n):
    """A weak map of many keys, whose values lead to the next key."""
    table = heap.hang(heap.node("object", "WeakMap", 32))
    store = heap.field(table, "table", heap.node("array", "", 16 * n))
    key = heap.hang(heap.node("object", "Key", 32))
    for i in range(n):
        value = heap.node("object", "Value", 32)
        pair = f"{i} / part of key (Key @{2 * key + 1}) -> value (Value @{2 * value + 1}) pair in WeakMap (table @{2 * store + 1})"
        heap.field(store, pair, value)
        heap.field(key, pair, value)
        key = heap.link(value, "property", "key", heap.node("object", "Key", 32))
    return key


def joined_texts(heap, n):
    """Concatenated strings: one long chain, on whose parts variables stand, and many of two parts."""
    part = heap.node("string", "part ", 24)
    text = part
    for i in range(n):
        longer = heap.node("concatenated string", "(concatenated string)", 32)
        heap.field(longer, "first", text)
        heap.field(longer, "second", part)
        text = longer
        heap.hang(text)
    return text


def doubled_texts(heap, n):
    """Concatenated strings, each of which has the one before twice: the last would have 2^n parts."""
    text = heap.node("string", "part ", 24)
    for i in range(n):
        longer = heap.node("concatenated string", "(concatenated string)", 32)
        heap.field(longer, "first", text)
        heap.field(longer, "second", text)
        text = heap.hang(longer)
    return text


def pages(heap, n):
    """Native contexts, each of which has something of its own, and all the same."""
    shared = heap.node("object", "Shared", 100)
    for i in range(n):
        page = heap.link(heap.engine, "element", 2 + i, heap.node("hidden", f"system / NativeContext / page{i}", 200))
        own = heap.field(page, "global_object", heap.node("object", f"Window / page{i}", 100))
        heap.link(own, "property", "shared", shared)
        heap.link(own, "property", "own", heap.node("object", "Own", 100))
    return shared


def scripts(heap, n):
    """Functions, each of a file of its own, with places in it."""
    context = heap.node("object", "system / Context", 40)
    rows = []
    for i in range(n):
        made = heap.hang(closure(heap, f"f{i}", context, script=heap.node("code", f"/app/f{i}.js", 16)))
        rows += [made * STRIDE, i + 1, i, 1]
        made = heap.hang(heap.node("object", f"Class{i % 10}", 48))
        rows += [made * STRIDE, 1, i, 1]
    heap.sections["locations"] = rows


def traces(heap, n):
    """Stacks of allocations: one as deep as there are nodes, and as many beside each other."""
    infos, samples = [], []
    for i in range(2 * n + 1):
        infos += [i + 1, heap.string(f"function{i % (n + 1)}"), heap.string("app.js"), 1, i % 1000, 1]
    below = []
    for i in range(n, 0, -1):
        below = [i + 1, i, 1, 16, below]
    beside = []
    for i in range(n):
        beside += [n + 2 + i, n + 1 + i, 1, 16, []]
    heap.sections["trace_function_infos"] = infos
    heap.sections["trace_tree"] = [1, 0, 0, 0, below + beside]
    for i in range(n):
        heap.hang(heap.node("object", "Traced", 16, trace=i + 2))
        heap.hang(heap.node("object", "Traced", 16, trace=n + 2 + i))
        samples += [1000 * i, 4 * i + 1]
    heap.sections["samples"] = samples


def unreached(heap, n):
    """Nodes that nothing leads to, each alone, and a list of them."""
    above = heap.node("object", "Lost", 64)
    for i in range(n):
        heap.node("object", f"Alone{i % 100}", 64)
        above = heap.link(above, "property", "next", heap.node("object", "Lost", 64))
    return above
