#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of the documents are small, and each view of the web page has one. `make pictures-web` takes them again."""
import re
import struct
import sys
import unittest
import xml.etree.ElementTree as tree
import zlib
from pathlib import Path

from docs_test import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import palette_picture  # noqa: E402  (a script of the project, not of the tests)

IMAGES = ROOT / "docs/images"
MOST_BYTES = 60 << 10  # of a picture of the page


def png(lines, step, colour_type, kind):
    """A picture as browsers write it, each line with a filter of this kind."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    raw, above = b"", bytes(len(lines[0]) * step)
    for line in lines:
        now = b"".join(colour + b"\xff" * (step - 3) for colour in line)
        left = bytes(step) + now[:-step]
        corner = bytes(step) + above[:-step]
        guess = [bytes(len(now)), left, above, bytes((a + b) // 2 for a, b in zip(left, above)),
                 bytes(palette_picture.paeth(*three) for three in zip(left, above, corner))][kind]
        raw += bytes([kind]) + bytes((a - b) & 255 for a, b in zip(now, guess))
        above = now
    header = struct.pack(">IIBBBBB", len(lines[0]), len(lines), 8, colour_type, 0, 0, 0)
    return palette_picture.SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


class Pictures(unittest.TestCase):
    maxDiff = None

    def test_the_readme_begins_with_a_picture_of_the_page(self):
        before = (ROOT / "README.md").read_text().partition("## ")[0]
        self.assertEqual(re.findall(r"!\[.*?\]\((.*?)\)", before), ["docs/images/page-start.png"])

    def test_the_readme_shows_a_flame_graph_that_the_tool_draws(self):
        self.assertIn("(docs/images/flamegraph.svg)", (ROOT / "README.md").read_text())
        picture = (IMAGES / "flamegraph.svg").read_bytes()
        self.assertLessEqual(len(picture), MOST_BYTES)
        names = [title.text.split("\n")[0] for title in tree.fromstring(picture).iterfind(".//{*}g/{*}title")]
        self.assertTrue({"all", "main", "ubi__inquiry_compute"} <= set(names), names)

    def test_each_view_has_a_page_with_a_small_picture(self):
        pages = ROOT / "docs/reference/page"
        index = (pages / "README.md").read_text()
        shown = []
        for page in sorted(pages.glob("[a-z]*.md")):
            self.assertIn(f"({page.name})", index)
            shown += re.findall(r"!\[.+?\]\(../../images/(.*?)\)", page.read_text())
            self.assertRegex(page.read_text(), r"`(?:ubiheap |--)|```sh\nubiheap ", page)
        self.assertEqual(sorted(shown), sorted(path.name for path in IMAGES.glob("page-*.png")))
        for name in shown:
            picture = (IMAGES / name).read_bytes()
            self.assertLessEqual(len(picture), MOST_BYTES, name)
            kind, header = next(palette_picture.chunks(picture))
            self.assertEqual((kind, header[8:10]), (b"IHDR", b"\x08\x03"), f"{name} has no palette: make pictures-web")

    def test_a_palette_keeps_common_colours_exactly_and_others_nearly(self):
        background, text = b"\xf0\xf4\xf8", b"\x10\x20\x30"
        lines = [[background] * 60 + [text] * 4 for _ in range(64)]
        for i in range(600):  # more colours than there is room for
            lines[i % 60][i // 60] = bytes((100 + i % 50, 40 + i % 7, 90 + i // 50))
        for step, colour_type in ((3, 2), (4, 6)):
            for kind in range(5):
                made = png(lines, step, colour_type, kind)
                self.assertEqual(palette_picture.read(made), (64, lines), (step, kind))
        small = palette_picture.small(png(lines, 3, 2, 0))
        parts = dict(palette_picture.chunks(small))
        palette = [parts[b"PLTE"][i:i + 3] for i in range(0, len(parts[b"PLTE"]), 3)]
        self.assertLessEqual(len(palette), 256)
        rows = zlib.decompress(parts[b"IDAT"])
        for y, line in enumerate(lines):
            row = rows[y * 65 + 1:(y + 1) * 65]
            for wanted, number in zip(line, row):
                most = 0 if wanted in (background, text) else 30
                self.assertLessEqual(max(abs(a - b) for a, b in zip(wanted, palette[number])), most)
        for wrong in (b"", b"GIF89a", small):
            with self.assertRaises(ValueError):
                palette_picture.read(wrong)

    def test_the_readme_fits_on_two_screens(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 100)


if __name__ == "__main__":
    unittest.main()
