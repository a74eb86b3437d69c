# SPDX-License-Identifier: MIT
"""How the work of a command grows when its input doubles, in instructions: no clock, so a busy machine changes nothing.

A case is a command line and a shape: a maker of inputs of a size n. Instructions are counted (counting.py) for n, for 2 n, and for
hardly anything, which is what starting the tool costs; without that, twice the input may take at most LIMIT times as many.
A term of n^2 shows at these sizes when it is more than about two instructions for each pair of things, with UBI_DEEP one.
"""
import math
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import counting

LIMIT = 2.3
# Of the sizes that shapes name.
SCALE = 1 if os.environ.get("UBI_DEEP") else 0.6
# Waiting takes instructions too, and a recorder of many threads waits by luck. What grows too fast does so every time.
TRIES = 5


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


class Ground:
    """Inputs and counts that cases share."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="growth-")

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def line(self, template, shape, n):
        return arguments_for(template, shape.input(self.folder, n), self.folder)

    def counts(self, cases):
        """{case: instructions for hardly anything, for n, for 2 n}, a case being a template and a shape."""
        lines = [[self.line(*case, n) for n in (4, case[1].n, 2 * case[1].n)] for case in cases]
        preload = cases[0][1].input(self.folder, 4).preload
        if preload:  # a recorder: its threads do not outlive a fork
            counted = [counting.instructions(self.folder, [line], preload=preload)[0] for three in lines for line in three]
        else:
            counted = counting.instructions(self.folder, sum(lines, []), warm=[three[0] for three in lines])
        return {case: counted[3 * i:3 * i + 3] for i, case in enumerate(cases)}

    def growth(self, cases):
        """{case: (ratio, instructions for n, for 2 n)}: the best of several tries."""
        best, left = {}, cases
        for _ in range(TRIES):
            for case, (start, once, twice) in self.counts(left).items():
                ratio = (twice - start) / max(once - start, 1)
                best[case] = min(best.get(case, (math.inf,)), (ratio, once - start, twice - start))
            left = [case for case in left if best[case][0] > LIMIT]
            if not left:
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
        for (template, shape), (ratio, once, twice) in self.ground.growth(cases).items():
            with self.subTest(command=template, shape=shape.name):
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
