#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The server's door to the web page: browsers get it, others the plain page, and it may load nothing that is not the server's."""
import gzip
import os
import re
import sys
import unittest
from pathlib import Path

import page_project

sys.path.insert(0, str(Path(os.environ["UBI_SOURCE_DIR"]) / "tests" / "http"))
from serving import AFTER, serve  # noqa: E402

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
MOST_SCRIPT_BYTES = 250 << 10


class Page(unittest.TestCase):
    def test_without_the_page_browsers_learn_how_to_build_it(self):
        server = serve(self, AFTER)
        is_there = bool(page_project.page_files())
        plain = server.ask("/").body.decode()
        self.assertIn("tiny-after.fxsnapshot", plain)
        self.assertNotEqual("was built without its web page" in plain, is_there)
        self.assertNotEqual(server.ask("/", headers=BROWSER).body.decode() == plain, is_there)

    def test_it_is_what_was_built_plain_and_packed(self):
        page_project.need_page()
        server = serve(self, AFTER)
        for path, file in page_project.page_files().items():
            plain = server.ask(path, headers=BROWSER)
            packed = server.ask(path, headers={**BROWSER, "Accept-Encoding": "gzip"})
            self.assertEqual(plain.body, file.read_bytes())
            self.assertEqual((packed.headers["Content-Encoding"], gzip.decompress(packed.body)), ("gzip", plain.body))
            self.assertNotEqual(plain.headers["ETag"], packed.headers["ETag"])
            self.assertIn("Accept-Encoding", plain.headers["Vary"])
            again = server.ask(path, headers={**BROWSER, "If-None-Match": plain.headers["ETag"]})
            self.assertEqual((again.code, again.body, again.headers["ETag"]), (304, b"", plain.headers["ETag"]))
            self.assertEqual("immutable" in plain.headers["Cache-Control"], path != "/")
            head = server.ask(path, "HEAD", headers=BROWSER)
            self.assertEqual((head.code, head.body, head.headers["Content-Length"]), (200, b"", plain.headers["Content-Length"]))

    def test_it_needs_the_token_and_nothing_from_elsewhere(self):
        page_project.need_page()
        server = serve(self, AFTER)
        self.assertEqual(server.ask("/", headers=BROWSER, with_token=False).code, 401)
        answer = server.ask("/", headers=BROWSER)
        policy = answer.headers["Content-Security-Policy"]
        self.assertTrue(policy.startswith("default-src 'none'"))
        self.assertNotIn("unsafe", policy)
        for name in ("script-src", "style-src", "connect-src"):
            self.assertIn(f"{name} 'self'", policy)
        text = answer.body.decode()
        self.assertNotIn("://", text)
        for name in re.findall(r'(?:src|href)="(/assets/[^"]*)"', text):
            self.assertEqual(server.ask(name).code, 200)
            self.assertEqual(server.ask(name, with_token=False).code, 401)
        for name in ("/assets/none.js", "/assets/" + "x" * 4000, "/assets/%2e%2e", "/assets/index.html"):
            self.assertEqual(server.ask(name).code, 404, name[:40])

    def test_a_browser_loads_little_to_begin(self):
        page_project.need_page()
        server = serve(self, AFTER)
        text = server.ask("/", headers=BROWSER).body.decode()
        scripts = re.findall(r'<(?:script|link)[^>]* (?:src|href)="(/assets/[^"]*\.js)"', text)
        self.assertGreater(len(scripts), 0)
        sizes = [len(server.ask(name, headers={"Accept-Encoding": "gzip"}).body) for name in scripts]
        self.assertLess(sum(sizes), MOST_SCRIPT_BYTES)


if __name__ == "__main__":
    unittest.main()
