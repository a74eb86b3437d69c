#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures, terminal drawings and files of `ubiheap treemap`.

The SVG is read by an XML parser: hostile texts must neither break it nor reach the page, every box must have its
tooltip and lie on the canvas, and every label within its box. The layout under --compat firefox is compared with d3's.
"""
import contextlib
import json
import os
import pty
import re
import subprocess
import unicodedata
import unittest
import xml.etree.ElementTree as xml

import workspace
from workspace import encoder

SVG = "{http://www.w3.org/2000/svg}"
WAYS = [
    [],
    ["-b", "allocationStack"],
    ["-b", "invertedAllocationStack"],
    ["-b", "objectClass", "--by", "count"],
    ["--filter", "a"],
    ["--by", "retained"],
    ["--compat", "firefox"],
    ["--depth", "1", "--width", "200", "--height", "80"],
    ["--width", "1", "--height", "1"],
]
FILES = ["tiny-before", "unreachable", "hostile", "markup", "big-ids", "two"]
REFUSED_BY_FIREFOX = {"hostile"}
MARKUP = [
    "]]><script>alert(1)</script>",
    "<![CDATA[ &amp; &#0; \"'>",
    "\ufffe\uffff\ud800 \u202e\u2066\x1b[31m\x00after",
    "\U0001f600 \u65e5\u672c e\u0301 \ufeff",
    "long " + "x" * 100000,
    "stacked " + "\u0301" * 5000,
]


def markup_snapshot():
    """Class names, types, functions and files that mean something in XML, or nothing at all."""
    frames = [encoder.frame(id=500 + i, source=name[:200], name=name[:200]) for i, name in enumerate(MARKUP)]
    nodes = [encoder.node(10 + i, name, 1000 * (i + 1), coarse=4, descriptive=name, stack=frames[i])
             for i, name in enumerate(MARKUP)]
    return encoder.snapshot(encoder.root(*range(10, 10 + len(MARKUP))), *nodes)


def number(element, name):
    return float(element.get(name, "0"))


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = workspace.Workspace()
        (cls.place.folder / "markup.fxsnapshot").write_bytes(markup_snapshot())

    def output(self, *arguments):
        done = self.place.ubiheap("treemap", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def pictures(self):
        for file in FILES:
            for way in WAYS:
                if file in REFUSED_BY_FIREFOX and "firefox" in way:
                    continue
                with self.subTest(file=file, way=way):
                    yield xml.fromstring(self.output(*way, f"{file}.fxsnapshot"))

    def test_pictures_are_xml_without_scripts_and_without_anything_from_outside(self):
        for svg in self.pictures():
            self.assertEqual(svg.tag, SVG + "svg")
            names = {element.tag for element in svg.iter()}
            self.assertLessEqual(names, {SVG + name for name in ("svg", "title", "style", "rect", "text", "tspan", "g")})
            for element in svg.iter():
                for attribute, value in element.attrib.items():
                    self.assertNotRegex(attribute, r"href|^on|src")
                    self.assertNotRegex(value, r"url\(|javascript:")
            style = svg.find(SVG + "style").text
            self.assertNotRegex(style, r"url\(|@import")
            self.assertIn("prefers-color-scheme:dark", style)

    def test_pictures_say_what_they_are_to_those_who_do_not_see_them(self):
        for svg in self.pictures():
            self.assertEqual(svg.get("role"), "img")
            self.assertRegex(svg.get("aria-label"), r"^Tree map of \S+\.fxsnapshot: .* (B|[KMGTPE]iB)")
            self.assertEqual(svg.find(SVG + "title").text, svg.get("aria-label").split(":")[0])

    def test_nothing_hostile_is_in_any_text(self):
        for svg in self.pictures():
            for text in svg.itertext():
                for character in text:
                    kind = unicodedata.category(character)
                    self.assertTrue(kind not in ("Cc", "Cf", "Cs", "Cn") or character == "\n", repr(character))

    def test_boxes_lie_on_the_canvas_and_have_tooltips(self):
        for svg in self.pictures():
            boxes = svg.findall(SVG + "g")[1]
            width, height = (number(svg, name) for name in ("width", "height"))
            for rect in boxes.iter(SVG + "rect"):
                self.assertGreaterEqual(number(rect, "width"), 1)
                self.assertGreaterEqual(number(rect, "x"), 0)
                self.assertLessEqual(number(rect, "x") + number(rect, "width") + 24, width)
                self.assertLessEqual(number(rect, "y") + number(rect, "height"), height)
                title = rect.find(SVG + "title").text
                self.assertRegex(title, r"(?s)\n.*(nodes?|others?)\n[<0-9.]+% of everything$")
                self.assertLess(len(title), 4000, "a name of any length is cut")

    def test_labels_stay_within_their_boxes(self):
        for svg in self.pictures():
            box = None
            for element in svg.findall(SVG + "g")[1]:
                if element.tag == SVG + "rect":
                    box = element
                    continue
                turned = "transform" in element.attrib
                start = number(element, "x") - number(box, "y" if turned else "x")
                length = number(box, "height" if turned else "width")
                base = -number(element, "y") - number(box, "x") if turned else number(element, "y") - number(box, "y")
                depth = number(box, "width" if turned else "height")
                self.assertGreater(start, 0)
                self.assertLessEqual(start + number(element, "textLength"), length + 0.5)
                self.assertTrue(0 < base <= depth or turned, element.text)

    def test_the_same_heap_gives_the_same_bytes(self):
        for way in WAYS:
            first = self.output(*way, "tiny-before.fxsnapshot")
            self.assertEqual(first, self.output(*way, "--threads", "1", "tiny-before.fxsnapshot"))
            self.assertLess(len(first), 1 << 20, "small enough for a page")


class Layout(unittest.TestCase):
    place = workspace.Workspace()

    def d3_layouts(self):
        layout = None
        for line in (workspace.SOURCE_DIR / "tests/data/treemap/d3-layouts.txt").read_text().splitlines():
            words = line.split()
            if words[0] == "layout":
                layout = (words[1], words[2], words[3], words[4], [])
                yield layout
            else:
                layout[4].append([float(word) for word in words[3:]])

    def test_under_compat_firefox_boxes_are_where_d3_has_them(self):
        compared = 0
        for name, width, height, ratio, boxes in list(self.d3_layouts()):
            if name != "coarse" or ratio != "1":
                continue
            done = self.place.ubiheap("treemap", "--json", "--compat", "firefox", "--width", width, "--height", height,
                                      "tiny-before.fxsnapshot")
            got = [[b["x"] + 5, b["y"] + 15, b["width"], b["height"]] for b in json.loads(done.stdout)["boxes"]]
            self.assertEqual(got, boxes)
            compared += 1
        self.assertEqual(compared, 3)


class Text(unittest.TestCase):
    place = workspace.Workspace()

    def drawing(self, columns, *arguments, **environment):
        done = self.place.ubiheap("treemap", "--format", "text", *arguments,
                                  env={"COLUMNS": str(columns), **environment})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode().splitlines()

    def test_drawings_are_as_wide_as_the_terminal_whatever_its_width(self):
        for columns in [*range(40, 60), 80, 133, 250]:
            for way in WAYS[:7]:
                heading, *lines = self.drawing(columns, *way, "tiny-before.fxsnapshot")
                self.assertLessEqual(len(heading), columns)
                self.assertEqual({len(line) for line in lines}, {columns})

    def test_lines_meet_at_every_cell(self):
        up, down, left, right = "│┘┤└├┴┼", "│┐┤┌├┬┼", "─┘┐┤┴┬┼", "─└┌├┴┬┼"
        lines = self.drawing(120, "unreachable.fxsnapshot")[1:]
        for y in range(len(lines) - 1):
            for upper, lower in zip(lines[y], lines[y + 1]):
                if upper in down:
                    self.assertFalse(lower in left + right and lower not in up, (y, upper, lower))

    def test_without_unicode_drawings_are_ascii_and_without_color_plain(self):
        for file in ("tiny-before", "hostile"):
            text = "\n".join(self.drawing(80, f"{file}.fxsnapshot", LC_ALL="C"))
            self.assertRegex(text, r"\A[\x20-\x7e\n]+\Z")
        self.assertIn("\x1b[", "\n".join(self.drawing(80, "--color=always", "tiny-before.fxsnapshot")))

    def on_terminal(self, *arguments):
        """What a terminal gets on standard output."""
        master, slave = pty.openpty()
        with subprocess.Popen(["ubiheap", *arguments], cwd=self.place.folder, stdout=slave,
                              env=self.place.environment(NO_COLOR="1")) as process:
            os.close(slave)
            shown = b""
            with contextlib.suppress(OSError):  # Linux reports the other end closed as an input/output error
                while part := os.read(master, 65536):
                    shown += part
        os.close(master)
        self.assertEqual(process.returncode, 0)
        return shown.decode().replace("\r\n", "\n")

    def test_a_terminal_gets_a_drawing_and_never_control_characters(self):
        shown = self.on_terminal("treemap", "hostile.fxsnapshot")
        self.assertIn("┌", shown)
        self.assertNotRegex(shown, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertIn("<svg", self.on_terminal("treemap", "--format", "svg", "two.fxsnapshot"))


class Files(unittest.TestCase):
    def setUp(self):
        self.place = workspace.Workspace()
        self.before = set(os.listdir(self.place.folder))

    def test_the_name_says_what_is_written(self):
        for name, start in (("map.svg", b"<svg "), ("map.json", b'{"schema":"ubiheap.treemap/1"'), ("map", b"<svg ")):
            done = self.place.ubiheap("treemap", "-o", name, "tiny-before.fxsnapshot")
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            self.assertRegex(done.stderr, rb"\Aubiheap: %s: [0-9.]+ KiB written\n\Z" % re.escape(name.encode()))
            self.assertTrue((self.place.folder / name).read_bytes().startswith(start))
        self.assertEqual(set(os.listdir(self.place.folder)) - self.before, {"map.svg", "map.json", "map"})

    def test_a_failure_leaves_the_old_file_and_nothing_else(self):
        old = self.place.folder / "map.svg"
        old.write_text("old")
        for bad in ("text.txt", "missing.fxsnapshot"):
            self.assertGreater(self.place.ubiheap("treemap", "-o", "map.svg", bad).returncode, 1)
        done = self.place.ubiheap("treemap", "-o", "no/such/map.svg", "two.fxsnapshot")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr.decode(), r"^ubiheap: .*no/such/map\.svg")
        self.assertEqual(old.read_text(), "old")
        self.assertEqual(set(os.listdir(self.place.folder)) - self.before, {"map.svg"})

    def test_a_full_disk_is_an_error(self):
        for where in (["-o", "/dev/full"], []):
            done = self.place.run("sh", "-c", f"ubiheap treemap {' '.join(where)} tiny-before.fxsnapshot > /dev/full")
            self.assertEqual(done.returncode, 4)
            self.assertRegex(done.stderr.decode(), re.compile("no space left", re.IGNORECASE))


if __name__ == "__main__":
    unittest.main()
