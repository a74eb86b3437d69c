#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Long lists of nodes: every page can be read alone, says how much of the whole list is left out, and leads to the rest."""
import os
import re
import tempfile
import unittest
from pathlib import Path

from mcp_client import Client, next_call

HEAP = Path(__file__).resolve().parents[2] / "tests" / "data" / "v8" / "node20-after.heapsnapshot.gz"
COLUMNS = ["id", "className", "displayName", "selfSize", "retainedSize", "distance"]
LIMIT = 1000  # of a list that was not asked for in pieces
HEAD_ROWS = 2  # before the nodes: what the list is, and its name
LEFT_OUT = re.compile(r'left out: (\d+) of (\d+) rows(?:, \d+ bytes; more with "cursor":(\d+))?'
                      r"(?:; (\d+) rows come after the question's own limit (\d+))?")


class Page:
    def __init__(self, text):
        self.headline, *rows = text.splitlines()
        self.next = next_call(text)
        rows = rows[:-1] if self.next else rows
        matched = LEFT_OUT.fullmatch(rows.pop())
        self.n_left_out, self.n_total = int(matched[1]), int(matched[2])
        self.cursor, self.n_beyond, self.limit = (int(number or 0) for number in matched.groups()[2:])
        self.columns = rows.pop(0).split()[1:] if rows[0].startswith("columns: ") else None
        if rows[0].startswith("matchCount="):
            self.columns = re.search(r"columns=\[(.*?)\]", rows[0])[1].replace('"', "").split()
        self.rows = rows
        self.ids = [int(re.match(r" - (\d+) ", row)[1]) for row in rows if row.startswith(" - ")]


class Lists(unittest.TestCase):
    def pages(self, client, tool, **arguments):
        """Of a call and all that follow, while they are about nodes."""
        while True:
            page = Page(client.call(tool, **arguments))
            yield page
            if page.next is None or page.next[0] == "explain":
                return
            tool, arguments = page.next

    def test_shown_and_left_out_are_the_whole_list_and_each_page_names_its_columns(self):
        with Client(HEAP) as client:
            pages = list(self.pages(client, "find", where='coarseType == "Object"', budget=16384))
        match_count = int(re.match(r"matchCount=(\d+) ", pages[0].rows[0])[1])
        self.assertGreater(match_count, 3 * LIMIT)
        ids, shown, begun = [], 0, 0  # in all, of this piece, nodes before this piece
        for page in pages:
            if page.rows[0].startswith("matchCount="):
                shown, begun = 0, len(ids)
            shown += len(page.rows)
            ids += page.ids
            self.assertEqual(page.columns, COLUMNS)
            self.assertEqual(shown + page.n_left_out, page.n_total)
            self.assertGreaterEqual(page.n_total, match_count - begun + HEAD_ROWS)  # long rows are continued on more
            if page.n_beyond:
                self.assertEqual((page.n_beyond, page.limit), (match_count - begun - LIMIT, LIMIT))
            self.assertLessEqual(page.n_total, (match_count - begun) * 2 + HEAD_ROWS)
        self.assertEqual(pages[0].n_total, match_count + HEAD_ROWS)
        self.assertEqual((len(ids), len(set(ids))), (match_count, match_count))
        self.assertEqual(pages[-1].n_left_out, 0)

    def test_a_list_within_its_limit_has_nothing_after_it(self):
        with Client(HEAP) as client:
            first, *_ = pages = list(self.pages(client, "find", **{"class": "LeakedThing"}))
            exact = Page(client.call("ask", question="nodes", parameters={"limit": len([i for p in pages for i in p.ids]), "where": 'className == "LeakedThing"'}))
        self.assertEqual(sum(len(page.ids) for page in pages), first.n_total - HEAD_ROWS)
        self.assertEqual([page.n_beyond for page in pages] + [exact.n_beyond], [0] * (len(pages) + 1))

    def test_a_mistake_in_a_condition_is_where_it_was_made(self):
        with Client(HEAP) as client:
            for where, message in (("selfSize >", "where: a value is missing at character 11"), ("selfSize > 1) or (1 > 0", "where: ")):
                with self.assertRaisesRegex(RuntimeError, message):
                    client.call("find", where=where, text="x")

    def test_a_page_that_begins_in_the_table_fits_its_budget(self):
        with Client(HEAP) as client:
            for budget in (1024, 1500, 4096):
                for cursor in (2, 3, 500, 1001, 1002, 5000):
                    text = client.call("find", where="selfSize > 100", cursor=cursor, budget=budget)
                    self.assertLessEqual(client.sizes[-1], budget)
                    if cursor < LIMIT + HEAD_ROWS:
                        self.assertEqual(Page(text).columns, COLUMNS)


if __name__ == "__main__":
    os.environ.setdefault("XDG_CACHE_HOME", tempfile.gettempdir())
    unittest.main()
