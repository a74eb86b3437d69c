# SPDX-License-Identifier: MIT
"""Heap snapshots of JavaScriptCore, read and judged by a few lines of Python that share nothing with the tool."""
import gzip
import json
import os
import pathlib
import subprocess
import sys

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "jsc"
UBIHEAP = os.environ.get("UBIHEAP", "")

if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
    print("skipped: UBIHEAP does not name the tool")
    sys.exit(77)

FILES = ["inspector-before", "inspector-after", "gcdebugging-before", "gcdebugging-after", "bun-inspector", "bun-gcdebugging"]


def path_of(name):
    return DATA / f"{name}.json.gz"


def run(*arguments, status=0):
    """Standard output; fails when the status is another or something is on standard error although all went well."""
    done = subprocess.run([UBIHEAP, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{arguments}: status {done.returncode}: {done.stderr}"
    return done.stdout if status == 0 else done.stderr


def load(name):
    return json.loads(gzip.decompress(path_of(name).read_bytes()))


class Heap:
    """A snapshot as lists by the order of its nodes."""

    def __init__(self, tree):
        debugging = tree["type"] == "GCDebugging"
        stride = 7 if debugging else 4
        nodes = tree["nodes"]
        rows = [nodes[i:i + stride] for i in range(0, len(nodes), stride)]
        self.ids = [int(row[5], 16) if debugging else row[0] for row in rows]
        self.sizes = [row[1] for row in rows]
        self.classes = [tree["nodeClassNames"][row[2]] for row in rows]
        self.flags = [row[3] for row in rows]
        self.labels = [tree["labels"][row[4]] if debugging else "" for row in rows]
        place = {row[0]: i for i, row in enumerate(rows)}
        edges = tree["edges"]
        self.edges = []  # (from, to, type, name or index)
        for i in range(0, len(edges), 4):
            source, target, kind, data = edges[i:i + 4]
            kind = tree["edgeTypes"][kind]
            name = tree["edgeNames"][data] if kind in ("Property", "Variable") else data if kind == "Index" else None
            self.edges.append((place[source], place[target], kind, name))
        self.out = [[] for _ in rows]
        for source, target, _, _ in self.edges:
            self.out[source].append(target)
        self.root = place[0]

    def reach(self, start, seen):
        todo = [start]
        seen.add(start)
        while todo:
            for target in self.out[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)

    def orphans(self):
        """Nodes that count as children of the root although no edge leads there from it: those to which no edge of another
        node leads, with what they reach, then each that is left."""
        seen, heads = set(), []
        self.reach(self.root, seen)
        has_edge = {target for source, target, _, _ in self.edges if source != target}
        for node in range(len(self.ids)):
            if node not in seen and node not in has_edge:
                heads.append(node)
                self.reach(node, seen)
        return heads + [node for node in range(len(self.ids)) if node not in seen]

    def retained(self):
        """Retained size of each node: what the root, and the orphans below it, no longer reach without it."""
        children = [list(targets) for targets in self.out]
        children[self.root] += self.orphans()
        n = len(self.ids)
        order, number, parents = [], [None] * n, [[] for _ in range(n)]
        stack = [(self.root, iter(children[self.root]))]
        seen = {self.root}
        while stack:  # postorder
            node, rest = stack[-1]
            target = next(rest, None)
            if target is None:
                stack.pop()
                number[node] = len(order)
                order.append(node)
            elif target not in seen:
                seen.add(target)
                stack.append((target, iter(children[target])))
        for source in range(n):
            for target in children[source]:
                parents[target].append(source)
        dominator = {self.root: self.root}
        changed = True
        while changed:
            changed = False
            for node in reversed(order[:-1]):
                best = None
                for parent in parents[node]:
                    if parent not in dominator:
                        continue
                    if best is None:
                        best = parent
                    while parent != best:
                        while number[parent] < number[best]:
                            parent = dominator[parent]
                        while number[best] < number[parent]:
                            best = dominator[best]
                if dominator.get(node) != best:
                    dominator[node] = best
                    changed = True
        sizes = list(self.sizes)
        for node in order[:-1]:
            sizes[dominator[node]] += sizes[node]
        return sizes, dominator
