# SPDX-License-Identifier: MIT
"""`ubiheap paths` on heaps that are built to hurt, with little stack: a long list, a star, and long ways to one node.

The C test runs its graphs of a million nodes here once more, with a stack of 256 KiB.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
BUILD_DIR = pathlib.Path(os.environ.get("UBI_BUILD_DIR", ""))
UBIHEAP = os.environ.get("UBIHEAP", "")
PLAIN = os.environ.get("UBI_PRESET_KIND", "plain") == "plain"

sys.path.insert(0, str(SOURCE_DIR / "tests" / "fxsnapshot"))
import encoder  # noqa: E402

SMALL_STACK = 256 << 10
N = 100_000


def little_stack():
    if PLAIN:  # sanitizers need more for themselves
        resource.setrlimit(resource.RLIMIT_STACK, (SMALL_STACK, SMALL_STACK))


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, preexec_fn=little_stack,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})


def chain(extra=()):
    """Nodes 2 to N in a list behind the root; each has the edges `extra`, too."""
    yield encoder.root(2)
    for i in range(2, N + 1):
        edges = [encoder.edge(i + 1, name="next")] if i < N else []
        yield encoder.node(i, edges=[*edges, *(encoder.edge(to, name="last") for to in extra)], class_name="Object", coarse=1)


def star():
    yield encoder.root(*range(2, N + 1))
    for i in range(2, N + 1):
        yield encoder.node(i)


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="ubiheap-paths-")
        cls.file = pathlib.Path(cls.temporary.name) / "x.fxsnapshot"

    def write(self, messages):
        self.file.write_bytes(encoder.snapshot(*messages))

    def paths(self, *arguments):
        done = run(UBIHEAP, "paths", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def test_a_long_list_is_one_path(self):
        self.write(chain())
        text = self.paths("--limit", 10, self.file, N)
        self.assertIn("root → Object.next ×99,998 → Object\n", text)
        self.assertIn("… 99,990 more …\n", text)
        self.assertLess(len(text.splitlines()), 20)
        self.assertEqual(len(self.paths("--limit", 0, self.file, N).splitlines()), N + 4)
        [target] = json.loads(self.paths("--json", self.file, N))["targets"]
        self.assertEqual([step["predecessor"] for step in target["paths"][0]], list(range(1, N)))
        self.assertEqual(len(target["deduplicated"]["edges"]), N - 1)

    def test_the_leaves_of_a_star_are_found_in_one_walk(self):
        self.write(star())
        leaves = range(2, N + 1, 50)
        targets = json.loads(self.paths("--json", self.file, *leaves))["targets"]
        self.assertEqual([(target["target"], len(target["paths"])) for target in targets], [(i, 1) for i in leaves])

    def test_many_long_paths_to_one_node_are_reported_in_a_few_lines_each(self):
        self.write(chain(extra=[N]))
        text = self.paths("--limit", 4, "--max-paths", 50, self.file, N)
        self.assertIn("steps 1 to 48 as in path 49", text)
        self.assertLess(len(text.splitlines()), 50 * 8)

    def test_a_million_nodes_need_no_stack(self):
        program = BUILD_DIR / "tests" / "paths_test"
        done = run(program)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])


if __name__ == "__main__":
    if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
        print(f"skipped: no {UBIHEAP or 'ubiheap'}")
        sys.exit(77)
    unittest.main(verbosity=1)
