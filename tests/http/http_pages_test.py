#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people see who look with a browser: errors as pages in words, and the plain front page. Programs get documents."""
import base64
import hashlib
import html.parser
import pathlib
import re
import shutil
import tempfile
import unittest

from serving import AFTER, ROOT, V8, check_schema, serve

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
HOSTILE = '<script>alert(1)</script>&"\'.fxsnapshot'


class Words(html.parser.HTMLParser):
    """The words of a page, its links, and which elements it has."""

    def __init__(self, text):
        super().__init__()
        self.words, self.links, self.elements = "", [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.links += [value for name, value in attrs if name == "href"]

    def handle_data(self, data):
        self.words += data


class Errors(unittest.TestCase):
    def assert_page(self, answer, code):
        self.assertEqual(answer.code, code)
        self.assertEqual(answer.headers["Content-Type"], "text/html; charset=utf-8")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        page = Words(answer.body.decode())
        self.assertLessEqual(page.elements, {"html", "head", "meta", "title", "style", "body", "h1", "p", "code", "a"})
        return page

    def test_browsers_get_words_and_others_documents(self):
        server = serve(self, AFTER)
        wrong = [("/", {"with_token": False}, 401, "Copy the whole address that ubiheap has printed"),
                 ("/?token=" + "0" * 32, {"with_token": False}, 401, "?token="),
                 ("/api/1/heaps", {"headers": {"Host": "evil.example"}}, 403, "not the address of ubiheap"),
                 ("/api/1/heaps", {"headers": {"Origin": "http://evil.example"}}, 403, "not the address of ubiheap"),
                 ("/api/1/heaps/h9/report", {}, 404, "no heap has the id 'h9'"),
                 ("/nothing/here", {}, 404, "nothing at this address"),
                 ("/api/1/heaps/h1/nodes?limit=x", {}, 400, "limit"),
                 ("/api/1/heaps", {"method": "DELETE"}, 405, "DELETE"),
                 ("/%00", {}, 400, "That did not work")]
        for path, more, code, words in wrong:
            with self.subTest(path):
                headers = more.pop("headers", {})
                document = server.ask(path, headers=headers, **more)
                self.assertEqual((document.code, document.headers["Content-Type"]), (code, "application/json"))
                check_schema(document.document)
                page = self.assert_page(server.ask(path, headers={**headers, **BROWSER}, **more), code)
                self.assertIn(words, page.words)
                self.assertEqual(page.links, [] if code in (401, 403) else ["/"])
                for name in ("Allow", "WWW-Authenticate"):
                    self.assertEqual(document.headers[name], server.ask(path, headers={**headers, **BROWSER}, **more).headers[name])

    def test_names_are_no_html(self):
        server = serve(self, AFTER)
        page = self.assert_page(server.ask("/api/1/heaps/%3Cscript%3E%22%26", headers=BROWSER), 404)
        self.assertIn("'<script>\"&'", page.words)

    def test_the_style_is_the_one_that_browsers_may_apply(self):
        server = serve(self, AFTER)
        for path, with_token in (("/", False), ("/", True)):
            answer = server.ask(path, headers=BROWSER if not with_token else {}, with_token=with_token)
            style = re.search(r"<style>(.*?)</style>", answer.body.decode(), re.S)[1]
            digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
            self.assertEqual(answer.headers["Content-Security-Policy"],
                             "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                             f"style-src 'sha256-{digest}'")

    def test_the_script_of_a_flame_graph_is_the_one_that_browsers_may_run(self):
        """Also when it is unchanged: the browser takes the policy of that reply for what it has."""
        server = serve(self, ROOT / "tests/data/ubirec/server.ubirec")
        path = "/api/1/heaps/h1/flamegraph?format=page"
        answer = server.ask(path)
        script = re.search(r"<script><!\[CDATA\[(.*?)\]\]></script>", answer.body.decode(), re.S)[1]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        unchanged = server.ask(path, headers={"If-None-Match": answer.headers["ETag"]})
        self.assertEqual((answer.headers["Content-Type"], unchanged.code), ("image/svg+xml", 304))
        for one in (answer, unchanged):
            self.assertTrue(one.headers["Content-Security-Policy"].endswith(f"; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"))


class PlainFront(unittest.TestCase):
    def test_it_lists_what_is_open_what_runs_and_what_could_be_opened(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        root = pathlib.Path(temporary.name)
        (root / "below").mkdir()
        shutil.copy(ROOT / V8, root / "below" / "app.heapsnapshot.gz")
        shutil.copy(ROOT / AFTER, root / HOSTILE.replace("/", "_"))
        (root / "notes.txt").write_text("no heap")
        server = serve(self, "--root", root, "--target", "ubi://127.0.0.1:1", AFTER)
        page = Words(server.ask("/").body.decode())
        self.assertIn("tiny-after.fxsnapshot", page.words)
        self.assertIn("/api/1/heaps/h1/report?format=page", page.links)
        self.assertIn("ubi://127.0.0.1:1, ubi, idle", page.words)
        self.assertIn("/api/1/targets/t1", page.links)
        self.assertIn("below/app.heapsnapshot.gz, a heap snapshot of V8", page.words)
        self.assertIn(HOSTILE.replace("/", "_"), page.words)
        self.assertNotIn("script", page.elements)
        self.assertNotIn("notes.txt", page.words)
        self.assertEqual(server.ask("/?async").code, 200)
        server.ask("/api/1/targets/t1/heaps", method="POST")
        self.assertRegex(Words(server.ask("/").body.decode()).words, r"ubi://127\.0\.0\.1:1, ubi, .*(connect|refused)")

    def test_files_that_turn_out_to_be_damaged_are_listed_as_such(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        recording = (ROOT / "tests/data/ubirec/few.ubirec").read_bytes()
        (folder / "cut.heapsnapshot.gz").write_bytes((ROOT / V8).read_bytes()[:100000])
        (folder / "cut.fxsnapshot").write_bytes((ROOT / AFTER).read_bytes()[:1000])
        (folder / "cut.ubirec").write_bytes(recording[:len(recording) // 2] + b"\xff" * 1000)
        server = serve(self, ROOT / AFTER, *sorted(folder.iterdir()))
        self.assertEqual([heap.get("fault") for heap in server.get("/api/1/heaps")["heaps"]], [None] * 4)
        for heap in server.get("/api/1/heaps")["heaps"]:
            answer = server.ask(heap["self"] + "/info").document
            self.assertEqual(answer["schema"] == "ubiheap.error/1", heap["id"] != "h1", answer)
            self.assertEqual(server.get(heap["self"]).get("fault"), answer.get("message"))
        self.assertEqual(server.ask("/api/1/heaps/h1/timeline").code, 422)
        listed = server.get("/api/1/heaps")["heaps"]
        self.assertEqual(["fault" in heap for heap in listed], [False, True, True, True])
        words = Words(server.ask("/").body.decode()).words
        for heap in listed[1:]:
            self.assertRegex(words, re.escape(heap["name"]) + r", [\d.]+ \w+, damaged: " + re.escape(heap["fault"]))

    def test_what_is_not_there_has_no_heading(self):
        page = Words(serve(self).ask("/").body.decode())
        self.assertIn("Nothing is open.", page.words)
        for heading in ("Live", "Can be opened"):
            self.assertNotIn(heading, page.words)
        empty = tempfile.TemporaryDirectory()
        self.addCleanup(empty.cleanup)
        self.assertIn("nothing that ubiheap opens", Words(serve(self, "--root", empty.name).ask("/").body.decode()).words)


if __name__ == "__main__":
    unittest.main()
