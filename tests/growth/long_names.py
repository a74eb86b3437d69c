# SPDX-License-Identifier: MIT
"""A name is read once, however often it is shown, and no further than it is shown: in instructions, so that a busy machine changes
nothing. One long name, of letters or of combining marks, stands on one of fifty nodes and edges of each kind, or on all."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import counting

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "v8"))
import v8_files  # noqa: E402

UBIHEAP = os.environ.get("UBIHEAP", "")
NODE = {name: i for i, name in enumerate(v8_files.NODE_TYPES)}
EDGE = {name: i for i, name in enumerate(v8_files.EDGE_TYPES)}
STRIDE = 7
N_EACH = 50
SHORT, LETTERS = 5000, 1 << 20  # of a name that is cut everywhere, and of the long one
HELD = ("object", "closure", "string", "regexp", "native", "code", "hidden")
# Twice the name may cost twice as much, and all nodes hardly more than one; a row may cost its width.
MOST_GROWTH, MOST_SHARED, ROW_INSTRUCTIONS = 2.3, 1.3, 20000
# What a terminal gets of one name: a line and its marks, and no more.
MOST_LINE_BYTES = 6000
ALPHABETS = {"letters": "abcdefghij", "marks": "\u0301", "words": "ab cd \u00e9f", "controls": "\u0001\u202e",
             "digits": "1234567890"}


class Heap:
    """Fifty nodes of each kind below a global object, each held by a property and in a row of their own."""

    def __init__(self, name, n_named):
        self.texts, self.at = ["<dummy>"], {}
        self.nodes, self.edges = [], []
        root, self.globals = self.node("synthetic", ""), self.node("object", "global")
        self.edges[root].append((EDGE["element"], 1, self.globals))
        self.edges[root].append((EDGE["shortcut"], self.string("global"), self.globals))
        infos, tree = [], []
        for i in range(N_EACH):
            own = name if i < n_named else f"n{i}"
            above = self.globals
            for kind in HELD:
                made = self.node(kind, own, trace=i + 2)
                self.link(self.globals, "property", own if kind == "object" else f"{kind}{i}", made)
                self.link(above, "property" if kind != "hidden" else "internal", own, made)
                above = made
            infos += [i + 1, self.string(own), self.string(own), 1, i, 1]
            tree += [i + 2, i, 1, 64, []]
        self.infos, self.tree = infos, [1, 0, 0, 0, tree]

    def string(self, text):
        if text not in self.at:
            self.at[text] = len(self.texts)
            self.texts.append(text)
        return self.at[text]

    def node(self, kind, name, trace=0):
        self.nodes.append([NODE[kind], self.string(name), 2 * len(self.nodes) + 1, 64, 0, trace, 0])
        self.edges.append([])
        return len(self.nodes) - 1

    def link(self, source, kind, name, target):
        self.edges[source].append((EDGE[kind], self.string(name), target))

    def write(self, path, n_nodes):
        nodes, edges = [], []
        for row, own in zip(self.nodes[:n_nodes], self.edges):
            own = [edge for edge in own if edge[2] < n_nodes]
            row[4] = len(own)
            nodes += row
            for kind, name, target in own:
                edges += [kind, name, target * STRIDE]
        tree = {"snapshot": {"meta": v8_files.meta("node20"), "node_count": n_nodes, "edge_count": len(edges) // 3,
                             "trace_function_count": N_EACH},
                "nodes": nodes, "edges": edges, "trace_function_infos": self.infos, "trace_tree": self.tree,
                "samples": [], "locations": [], "strings": self.texts}
        path.write_text(json.dumps(tree, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")


class LongNames(unittest.TestCase):
    """main() says of which commands."""
    commands, with_marks = (), ()

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="long-names-"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def made(self, alphabet, length, n_named):
        """The folder of a file and of one with half of its nodes; the node to ask about."""
        folder = self.folder / f"{alphabet}-{length}-{n_named}"
        letters = ALPHABETS[alphabet]
        heap = Heap("N" + letters * (length // len(letters)), n_named)
        if not folder.exists():
            folder.mkdir()
            heap.write(folder / "heap.heapsnapshot", len(heap.nodes))
            heap.write(folder / "old.heapsnapshot", len(heap.nodes) // 2)
        return folder, heap.nodes[2][2] + 2 * (len(HELD) - 1)

    def words(self, command, alphabet, length, n_named):
        folder, node = self.made(alphabet, length, n_named)
        words = {"FILE": folder / "heap.heapsnapshot", "OLD": folder / "old.heapsnapshot", "ID": node}
        name, *rest = [str(words.get(word, word)).replace("OUT", str(folder / "out")) for word in command.split()]
        return [name, "--threads", "1", *rest]

    def check_growth(self, alphabet, commands):
        sizes = [(SHORT, N_EACH), (SHORT, 1), (LETTERS, N_EACH), (2 * LETTERS, N_EACH), (LETTERS, 1)]
        lines = [[self.words(command, alphabet, *size) for size in sizes] for command in commands]
        counts = counting.instructions(self.folder, sum(lines, []), warm=[line for own in lines for line in own[:2]],
                                       LC_ALL="C.UTF-8")
        for i, command in enumerate(commands):
            with self.subTest(command=command, alphabet=alphabet):
                start, start_single, once, twice, single = counts[len(sizes) * i:len(sizes) * (i + 1)]
                once, twice, single = once - start, twice - start, single - start_single
                if os.environ.get("GROWTH_SHOW"):
                    print(f"{twice / once:5.2f} {once / single:5.2f} {once:14,} {start:12,}  {alphabet:8} {command}",
                          file=sys.stderr, flush=True)
                self.assertLessEqual(twice, MOST_GROWTH * once)
                self.assertLessEqual(once, MOST_SHARED * single + N_EACH * ROW_INSTRUCTIONS)

    def test_a_name_of_letters_is_read_once(self):
        self.check_growth("letters", self.commands)

    def test_a_name_of_marks_is_read_once(self):
        self.check_growth("marks", self.with_marks)

    def test_lines_are_as_long_as_a_terminal_is_wide(self):
        for alphabet in ALPHABETS:
            for command in self.commands:
                if "OUT" in command:
                    continue
                with self.subTest(command=command, alphabet=alphabet):
                    done = subprocess.run([UBIHEAP, *self.words(command, alphabet, 100000, N_EACH)], capture_output=True,
                                          check=False, stdin=subprocess.DEVNULL,
                                          env={**os.environ, "COLUMNS": "100", "LC_ALL": "C.UTF-8"})
                    self.assertIn(done.returncode, (0, 1), done.stderr[:500])
                    self.assertLessEqual(max(map(len, done.stdout.split(b"\n"))), MOST_LINE_BYTES)


def main(commands, with_marks):
    """Runs the tests for these command lines; with_marks: those of them whose names may be of marks."""
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    LongNames.commands, LongNames.with_marks = commands, with_marks
    unittest.main(module=sys.modules[__name__])
