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


def all_cases():
    """(command, its cases) of all tables."""
    return [row for table in commands.TESTS for row in table.items()]


class Registry(unittest.TestCase):
    def test_every_command_has_a_shape_in_one_of_the_tests(self):
        listed = subprocess.run([os.environ["UBIHEAP"], "help", "--commands"], capture_output=True, check=True, text=True)
        self.assertEqual(sorted(listed.stdout.split()), sorted(name for name, _ in all_cases()))
        for name, cases in all_cases():
            self.assertTrue(cases, name)
            for template, _ in cases:
                self.assertEqual(template.split()[0], name)

    def test_every_table_has_a_test(self):
        run = [re.search(r"growth\.main\(commands\.(\w+)\)", file.read_text()) for file in HERE.glob("growth_*_test.py")]
        tables = [getattr(commands, found[1]) for found in run if found]
        self.assertCountEqual([id(table) for table in tables], [id(table) for table in commands.TESTS])

    def test_every_shape_is_used(self):
        used = {shape.name for _, cases in all_cases() for _, shape in cases}
        self.assertEqual({f"timeline_{shape.__name__}" for shape in timeline_shapes.SHAPES} - used, set())
        self.assertEqual({shape.name for shape in [*commands.fx.values(), *commands.recordings.values()]} - used, set())


if __name__ == "__main__":
    unittest.main()
