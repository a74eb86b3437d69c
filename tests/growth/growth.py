# SPDX-License-Identifier: MIT
"""How the work of a command grows when its input doubles, in instructions: no clock, so a busy machine changes nothing.

A case is a command line and a shape: a maker of inputs of a size n. Instructions are counted (by valgrind) for n, for 2 n, and for
hardly anything, which is what starting the tool costs; without that, twice the input may take at most LIMIT times as many.
A term of n^2 shows at these sizes when it is more than about two instructions for each pair of things, with UBI_DEEP one.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMIT = 2.3
# Of the sizes that shapes name.
SCALE = 1 if os.environ.get("UBI_DEEP") else 0.6
# Waiting takes instructions too, and a recorder of many threads waits by luck. What grows too fast does so every time.
TRIES = 5
UBIHEAP = os.environ.get("UBIHEAP", "")
BUILD = pathlib.Path(os.environ.get("UBI_BUILD_DIR", "build/release"))


class Input:
    """What a maker made: a file, perhaps what it was before (twice), a node to ask about, and a library to preload."""

    def __init__(self, path, old=None, node=None, middle=None, preload=None):
        self.path, self.old, self.node, self.middle, self.preload = path, old, node, middle, preload


class Shape:
    """make(folder, n) -> Input; `n`: the smaller of the two sizes."""

    def __init__(self, name, make, n):
        self.name, self.make, self.n, self.made = name, make, max(1, int(n * SCALE)), {}

    def input(self, folder, n):
        if n not in self.made:
            own = pathlib.Path(folder) / f"{self.name}-{n}"
            own.mkdir()
            self.made[n] = self.make(own, n)
        return self.made[n]


def arguments_for(template, given, folder):
    """FILE may be several words. After the command come options that make counts repeatable."""
    words = {"FILE": given.path, "OLD": given.old, "MIDDLE": given.middle, "ID": given.node, "OUT": pathlib.Path(folder) / "out"}
    command, *rest = re.sub(r"\{(\w+)\}", lambda m: str(words[m[1]]), template).split()
    return [command, "--threads", "1", *rest]


def instructions(arguments, folder, preload=None):
    environment = {**os.environ, "COLUMNS": "100"}
    if preload:
        environment["LD_PRELOAD"] = str(preload)
    log = pathlib.Path(folder) / "valgrind.log"
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                           f"--log-file={log}", UBIHEAP, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{' '.join(arguments)}: {done.returncode}, {done.stderr.decode('utf-8', 'replace')[:500]}")
    return int(re.search(r"I +refs: +([\d,]+)", log.read_text())[1].replace(",", ""))


class Ground:
    """Inputs and counts that cases share."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="growth-")
        self.start = {}

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def count(self, template, shape, n):
        given = shape.input(self.folder, n)
        return instructions(arguments_for(template, given, self.folder), self.folder, given.preload)

    def starting(self, template, shape):
        """What a command takes with next to no input. It is the same for all shapes of one kind of file."""
        key = template, shape.name.split("_")[0]
        if key not in self.start:
            self.start[key] = self.count(template, shape, 4)
        return self.start[key]

    def growth(self, template, shape):
        start = self.starting(template, shape)
        best = None
        for _ in range(TRIES):
            once, twice = (self.count(template, shape, n) - start for n in (shape.n, 2 * shape.n))
            ratio = twice / max(once, 1)
            best = min(best or (ratio, once, twice), (ratio, once, twice))
            if ratio <= LIMIT:
                break
        return best


class Growth(unittest.TestCase):
    """main() adds a test for each command."""

    @classmethod
    def setUpClass(cls):
        cls.ground = Ground()

    @classmethod
    def tearDownClass(cls):
        cls.ground.clear()

    def check(self, cases):
        for template, shape in cases:
            with self.subTest(command=template, shape=shape.name):
                ratio, once, twice = self.ground.growth(template, shape)
                if os.environ.get("GROWTH_SHOW"):
                    print(f"{ratio:5.2f} {once / shape.n:12,.0f} each  {shape.name:18} {template}", file=sys.stderr,
                          flush=True)
                self.assertLessEqual(ratio, LIMIT, f"{once:,} instructions for {shape.n}, {twice:,} for {2 * shape.n}")


def main(commands):
    """Runs the tests of these commands."""
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    for name, cases in commands.items():
        setattr(Growth, f"test_twice_the_input_is_about_twice_the_work_for_{name}",
                lambda self, cases=cases: self.check(cases))
    unittest.main(module=sys.modules[__name__])
