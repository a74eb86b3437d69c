#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A journey of a real Firefox through the web page. What is on the page is compared with Firefox's own answers about the files."""
import json
import sys
import unittest

import page_project
from page_project import ROOT

sys.path.insert(0, str(ROOT / "tests" / "http"))
import serving  # noqa: E402
from firefox_page import Page, firefox  # noqa: E402

GOLDEN = ROOT / "tests" / "data" / "fx" / "golden"
BUFFERS = 1810879808088  # an Array that Window keeps


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def census_cells(row):
    return [str(row[key]) for key in ("bytes", "count", "totalBytes", "totalCount", "name")]


def plain_cells(row):
    """Without the button of individuals and the pointer."""
    return [*row[:4], row[-1].lstrip("↖↘")]


def label(node):
    pieces = node["label"]
    name = "GC Roots" if "JS::ubi::RootList" in pieces else " › ".join(pieces)
    return f"{name}@ {int(node['nodeId']):#x}"


class FirefoxJourney(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        if not firefox.find_firefox():
            raise unittest.SkipTest("Firefox is missing (Debian package firefox-esr; `make deps` installs it)")
        page_project.need_page()
        cls.firefox = firefox.Firefox()
        cls.page = Page(cls.firefox)
        cls.trees = golden("tiny-before.censustree")["trees"]

    @classmethod
    def tearDownClass(cls):
        cls.firefox.close()

    def serve(self, *words):
        server = serving.serve(self, "--no-cache", *words)
        self.page.open(server.url)
        return server

    def census(self):
        self.page.shown("census-state-saved")
        self.page.find(".tree-row:not(.pending)")
        return [plain_cells(row) for row in self.page.rows()]

    def until_rows(self, want):
        """The upper rows, as far as they fit."""
        rows = self.page.until(self.census, lambda seen: seen == want[:len(seen)])
        self.assertGreater(len(rows), 0)
        self.assertEqual(rows, want[:len(rows)])

    def test_start_says_what_report_says_and_leads_to_an_object(self):
        self.serve(serving.BEFORE)
        page = self.page
        page.shown("report-state-saved")
        self.assertEqual(page.text(".headline-size"), "641 KiB")
        self.assertIn("7 199 things and 20 360 references", page.text(".headline-words p"))
        page.until(lambda: page.text(".finding-title"), lambda text: text == "A single #document of 118 KiB")
        page.click(".keepers a")
        page.until(lambda: page.text(".object-head h1"), lambda text: text == "Window")
        facts = page.text(".facts")
        self.assertIn("Retained294 KiB", facts)
        self.assertIn("3 933 objects", facts)

    def test_files_are_sent_and_deleted(self):
        self.serve()
        page = self.page
        page.until(lambda: page.text("main"), lambda text: "Look into a heap" in text)
        page.type("input[type=file]", "\n".join(str(ROOT / name) for name in (serving.BEFORE, serving.AFTER)))
        page.until(lambda: page.run("return document.querySelectorAll('.snapshot').length"), lambda count: count == 2)
        page.shown("report-state-saved")
        page.until(lambda: page.text(".snapshots"), lambda text: "641 KiB" in text)
        page.click('[aria-label^="Delete tiny-before"]')
        page.click("#delete-really")
        page.until(lambda: page.run("return document.querySelectorAll('.snapshot').length"), lambda count: count == 1)
        page.click("#clear-snapshots")
        page.click("#clear-really")
        page.until(lambda: page.text("main"), lambda text: "Look into a heap" in text)

    def test_a_census_is_filtered_sorted_and_expanded(self):
        self.serve("--compat", "firefox", serving.BEFORE)
        page = self.page
        page.click_named("#select-view button", "Aggregate")
        self.until_rows([census_cells(row) for row in self.trees["coarseInverted"]["children"]])
        page.type("#filter", "Array")
        self.until_rows([census_cells(row) for row in self.trees["coarseInvertedFilterArray"]["children"]])
        page.clear("#filter")
        self.until_rows([census_cells(row) for row in self.trees["coarseInverted"]["children"]])
        page.click_named("[role=columnheader] button", "Count")
        page.until(lambda: page.run("return location.hash"), lambda text: "sort=-count" in text)
        counts = page.until(lambda: [int(row[1]) for row in self.census()], lambda seen: seen == sorted(seen, reverse=True))
        self.assertEqual(counts, sorted((row["count"] for row in self.trees["coarseInverted"]["children"]), reverse=True)[:len(counts)])
        page.click_named("[role=columnheader] button", "Count▼")
        page.click_named("[role=columnheader] button", "Count▲")
        page.choose("#select-display", "coarseTypeTree")
        tree = self.trees["coarse"]["children"]
        self.until_rows([census_cells(row) for row in tree])
        page.click(".tree-row")
        page.type(".tree-table", "ArrowRight")
        self.until_rows([census_cells(row) for row in [tree[0], *tree[0]["children"]]])

    def test_a_tree_map_is_walked_through(self):
        server = self.serve(serving.BEFORE)
        page = self.page
        page.go("#/tree-map/h1")
        page.shown("tree-map-state-saved")
        page.find(".tree-map canvas")
        colours = """
            const canvas = document.querySelector(".tree-map canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size;"""
        page.until(lambda: page.run(colours), lambda count: count > 10)
        for words in ("objects: 328 KiB, 3 858 things", "objects, Function: 135 KiB, 2 310 things"):
            page.type(".tree-map canvas", "ArrowDown")
            page.until(lambda: page.text(".tree-map-words"), lambda text, words=words: text == words)
        page.type(".tree-map canvas", "Enter")
        self.assertEqual(page.until(self.census, lambda rows: len(rows) == 1 or rows[0][4] == "Function")[0][4], "Function")
        self.assertEqual(server.process.poll(), None)

    def test_dominators_are_opened_and_have_paths(self):
        self.serve(serving.BEFORE)
        page = self.page
        page.go("#/dominators/h1")
        page.shown("dominator-tree-state-loaded")
        root = golden("tiny-before.domtree")["partialTraversal"]
        window = root["children"][0]
        want = [[str(node["retainedSize"]), str(node["shallowSize"]), "↗", label(node)] for node in [root, window, *window["children"]]]
        page.until(lambda: page.rows()[:len(want)], lambda rows: rows == want)
        self.assertEqual(page.rows()[len(want)][-1], "709 more")
        page.click(".tree-row:has(.rest-words)")
        page.type(".tree-table", "ArrowRight")
        page.until(lambda: page.rows()[len(want)][-1], lambda text: "more" not in text)
        page.run("document.querySelectorAll('.tree-row')[2].click()")
        page.until(lambda: page.text(".path-node.target"), lambda text: "Object" in text)
        page.click_named("button", "As text")
        page.until(lambda: page.text(".paths-text"), lambda text: "Window —store→ Object" in text)

    def test_an_object_has_an_address_and_leads_to_others(self):
        self.serve(serving.BEFORE)
        page = self.page
        page.go(f"#/object/h1/{BUFFERS}")
        page.until(lambda: page.text(".object-way"), lambda text: text == "root → Window.store.buffers → Array")
        page.find(".path-node.target")
        page.click(".edges .node-link")
        page.until(lambda: page.run("return document.querySelectorAll('.tab').length"), lambda count: count == 2)
        page.click_named("a", "All of its kind")
        page.shown("individuals-state-fetched")
        page.until(lambda: page.text(".view-note"), lambda text: "544 objects of the kind Object" in text)

    def test_two_snapshots_are_compared(self):
        self.serve(serving.BEFORE, serving.AFTER)
        page = self.page
        page.go("#/census/h1?display=coarseTypeTree")
        self.census()
        page.click("#diff-snapshots")
        for number in (1, 2):
            page.click(f".snapshot:nth-child({number}) .snapshot-choose")
        page.shown("diffing-state-took-diff")
        delta = golden("tiny-before.diff")["diffs"]["coarse"]["delta"]
        n_bytes = sum(part["bytes"] for part in delta["objects"].values())
        rows = page.until(page.rows)
        objects = next(row for row in rows if row[-1].endswith("objects"))
        self.assertEqual(objects[2], f"+{n_bytes}")
        self.assertIn("#/diff/tiny-before.fxsnapshot/tiny-after.fxsnapshot", page.run("return location.hash"))


if __name__ == "__main__":
    unittest.main()
