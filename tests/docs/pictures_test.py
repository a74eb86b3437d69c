#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of the documents show what the programs print; `pictures_test.py --update` draws them again."""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from docs_examples_test import Place, matches, plain
from docs_test import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import terminal_picture  # noqa: E402  (a script of the project, not of the tests)

PICTURE = ROOT / "docs/images/leaks.svg"
PROMPT = "ubiheap leaks *.heapsnapshot"
COMMAND = ("node examples/leaks/chat-server.js . > node.txt && "
           "ubiheap leaks --limit 1 --color always *.heapsnapshot")


def printed():
    place = Place()
    try:
        place.environment["COLUMNS"] = "100"
        place.new_page()
        return place.run(COMMAND)
    finally:
        shutil.rmtree(place.scratch)


class Pictures(unittest.TestCase):
    maxDiff = None

    def test_the_picture_of_the_readme_shows_what_leaks_prints(self):
        drawn = terminal_picture.lines_of(PICTURE.read_text())
        self.assertEqual(drawn[0], "$ " + PROMPT)
        now = plain(terminal_picture.ESCAPE.sub("", printed()))
        if not matches(drawn[1:], now, varies=True):
            self.assertEqual("\n".join(drawn[1:]), "\n".join(now))

    def test_a_picture_keeps_text_colours_and_columns(self):
        svg = terminal_picture.picture("x", "\x1b[1;31mred <b>\x1b[0m plain\n\nlast\n")
        self.assertEqual(terminal_picture.lines_of(svg), ["$ x", "red <b> plain", "", "last"])
        self.assertIn(f'fill="{terminal_picture.COLOURS[31]}" font-weight="bold">red &lt;b&gt;</tspan>', svg)

    def test_the_readme_fits_on_two_screens(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 100)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PICTURE.write_text(terminal_picture.picture(PROMPT, printed()))
    else:
        unittest.main()
