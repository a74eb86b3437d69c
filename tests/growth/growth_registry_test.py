#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command of the registry has shapes that its growth is tested on, and every shape that is there is used."""
import os
import pathlib
import re
import subprocess
import unittest

import commands
import timeline_shapes

HERE = pathlib.Path(__file__).parent


class Registry(unittest.TestCase):
    def test_every_command_has_a_shape(self):
        listed = subprocess.run([os.environ["UBIHEAP"], "help", "--commands"], capture_output=True, check=True, text=True)
        self.assertEqual(sorted(listed.stdout.split()), sorted(commands.COMMANDS))
        for name, cases in commands.COMMANDS.items():
            self.assertTrue(cases, name)
            for template, _ in cases:
                self.assertEqual(template.split()[0], name)

    def test_every_command_stands_in_one_of_the_tests(self):
        tested = []
        for file in HERE.glob("growth_*_test.py"):
            found = re.search(r"growth\.main\(commands\.COMMANDS, \[(.*)\]\)", file.read_text())
            tested += re.findall(r'"(\w+)"', found[1]) if found else []
        self.assertEqual(sorted(tested), sorted(commands.COMMANDS))

    def test_every_shape_is_used(self):
        used = {shape.name for cases in commands.COMMANDS.values() for _, shape in cases}
        self.assertEqual({f"timeline_{shape.__name__}" for shape in timeline_shapes.SHAPES} - used, set())
        self.assertEqual({shape.name for shape in [*commands.fx.values(), *commands.recordings.values()]} - used, set())


if __name__ == "__main__":
    unittest.main()
