#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `ubiheap serve` answers: documents and their schemas, parameters, pages, tags, compression, files, jobs."""
import gzip
import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from serving import AFTER, BEFORE, ROOT, TOOL, V8, check_schema, drive, events, serve

RECORDING = "tests/data/ubirec/crashed.ubirec"
TIMELINE = "tests/data/timeline/small.timeline"


class Documents(unittest.TestCase):
    def test_every_question_is_answered_by_its_schema(self):
        server = serve(self, BEFORE, AFTER, V8)
        root = server.get("/api/1/heaps/h1/nodes?limit=1")["rows"][0][0]
        needs = {"node": root, "nodes": root, "text": "Map"}
        n_asked = 0
        for question in server.get("/api/1/questions")["questions"]:
            if not any(kind["kind"] == "heap" for kind in question["kinds"]):
                continue
            values = [f"{p['name']}={needs[p['name']]}" for p in question["parameters"] if p["required"]]
            if question["name"] == "search":
                values.append("text=Map")
            if question["leastHeaps"] > 1:
                values.append("with=h2")
            document = server.get(f"/api/1/heaps/h1/{question['name']}?{'&'.join(values)}")
            self.assertIn(document["schema"], [kind["schema"] for kind in question["kinds"]])
            n_asked += 1
        self.assertGreater(n_asked, 12)

    def test_an_answer_is_what_the_command_prints(self):
        server = serve(self, V8)
        for words, query in [("summary -n 3 --sort count", "summary?limit=3&sort=count"), ("statistics", "statistics"),
                             ("nodes -n 5 --sort -retainedSize --columns id,retainedSize", "nodes?limit=5&sort=-retainedSize&columns=id,retainedSize"),
                             ("search Map -n 2", "search?text=Map&limit=2")]:
            name, *rest = words.split()
            printed = subprocess.run([TOOL, name, "--json", "--no-cache", V8, *rest], cwd=ROOT, capture_output=True, check=True).stdout
            answered = json.loads(server.ask(f"/api/1/heaps/h1/{query}").body)
            expected = json.loads(printed)
            expected["file"] = Path(expected["file"]).name
            self.assertEqual(answered, expected)

    def test_parameters_of_a_query_and_of_a_body_are_the_same(self):
        server = serve(self, V8)
        query = server.ask("/api/1/heaps/h1/nodes?where=selfSize%20%3E%20100&sort=-selfSize&limit=4")
        body = server.ask("/api/1/heaps/h1/nodes", "POST", json.dumps({"limit": 4, "where": "selfSize > 100", "sort": "-selfSize"}))
        self.assertEqual((query.code, query.body, query.headers["ETag"]), (200, body.body, body.headers["ETag"]))
        ids = [row[0] for row in query.document["rows"]]
        paths = server.ask("/api/1/heaps/h1/paths", "POST", json.dumps({"nodes": ids[:2], "maxPaths": 1}))
        for repeated in (f"nodes={ids[0]},{ids[1]}", f"nodes={ids[0]}&nodes={ids[1]}"):
            self.assertEqual(server.ask(f"/api/1/heaps/h1/paths?{repeated}&maxPaths=1").body, paths.body)
        flag = server.ask("/api/1/heaps/h1/census?tree").document
        self.assertEqual(flag, server.ask("/api/1/heaps/h1/census", "POST", '{"tree": true}').document)
        breakdown = server.ask("/api/1/heaps/h1/census?breakdown=%7B%22by%22%3A%22coarseType%22%7D").document
        self.assertEqual(breakdown, server.ask("/api/1/heaps/h1/census", "POST", '{"breakdown": {"by": "coarseType"}}').document)

    def test_pages_of_rows_follow_each_other(self):
        server = serve(self, V8)
        ask = lambda offset, limit: server.get(f"/api/1/heaps/h1/nodes?sort=-retainedSize&offset={offset}&limit={limit}")["rows"]
        self.assertEqual(ask(0, 40), ask(0, 15) + ask(15, 25))

    def test_a_page_of_text_has_its_columns(self):
        server = serve(self, AFTER)
        answer = server.ask("/api/1/heaps/h1/report?format=page&pageColumns=80")
        self.assertEqual(answer.headers["Content-Type"], "text/plain; charset=utf-8")
        self.assertLessEqual(max(map(len, answer.body.decode().splitlines())), 80)
        self.assertNotIn(str(ROOT), answer.body.decode())

    def test_pictures_and_packed_pages_are_called_so(self):
        server = serve(self, AFTER, "tests/data/ubirec/server.ubirec")
        for asked, kind, magic in (("h1/treemap", "image/svg+xml", b"<svg"), ("h2/flamegraph", "image/svg+xml", b"<svg"),
                                   ("h2/export", "application/octet-stream", b"\x1f\x8b"),
                                   ("h2/report", "text/plain; charset=utf-8", b"")):
            body = '{"format": "pprof"}' if asked.endswith("export") else "{}"
            answer = server.ask(f"/api/1/heaps/{asked}?format=page", "POST", body)
            self.assertEqual((answer.code, answer.headers["Content-Type"]), (200, kind), asked)
            self.assertTrue(answer.body.startswith(magic), asked)

    def test_several_heaps_are_compared_in_the_order_of_the_address(self):
        server = serve(self, BEFORE, AFTER)
        forth, back = (server.get(f"/api/1/heaps/{one}/diff?with={other}") for one, other in (("h1", "h2"), ("h2", "h1")))
        self.assertNotEqual(forth, back)
        three = serve(self, BEFORE, AFTER, V8)
        listed, repeated = (three.ask(f"/api/1/heaps/h1/diff?{words}") for words in ("with=h2,h3", "with=h2&with=h3"))
        self.assertEqual((listed.code, listed.body), (400, repeated.body))  # two heaps too many, not one that is passed over

    def test_recordings_and_timelines_are_served(self):
        server = serve(self, RECORDING, TIMELINE)
        kinds = [heap["kind"] for heap in server.get("/api/1/heaps")["heaps"]]
        self.assertEqual(kinds, ["recording", "timeline"])
        server.get("/api/1/heaps/h1/report")
        server.get("/api/1/heaps/h2/timeline")
        self.assertEqual(server.ask("/api/1/heaps/h2/nodes").code, 422)

    def test_documents_of_the_server_follow_their_schemas(self):
        server = drive(self, AFTER)
        for path in ("/api/1", "/api/1/heaps", "/api/1/heaps/h1", "/api/1/files", "/api/1/questions", "/api/1/jobs", "/api/1/targets"):
            server.get(path)
        self.assertIn("text/html", server.ask("/").headers["Content-Type"])
        page = server.ask("/").body.decode()
        self.assertIn("tiny-after.fxsnapshot", page)
        self.assertIn("below a folder of <code>--root</code>: <code>{&quot;path&quot;: &quot;...&quot;}</code>", page)
        self.assertNotIn("`", page)

    def test_an_answer_that_is_kept_has_no_time_that_asking_took(self):
        first, second = serve(self, AFTER), serve(self, AFTER)
        answers = [server.ask("/api/1/heaps/h1/info") for server in (first, first, second)]
        self.assertNotIn("loadTimeUs", check_schema(answers[0].document))
        self.assertEqual({(answer.body, answer.headers["ETag"]) for answer in answers}, {(answers[0].body, answers[0].headers["ETag"])})
        self.assertNotIn("Loaded in", first.ask("/api/1/heaps/h1/info?format=page").body.decode())


class Errors(unittest.TestCase):
    def test_each_mistake_has_its_code_and_a_message(self):
        server = serve(self, AFTER)
        cases = [("GET", "/api/1/heaps/h9", None, 404, "h9"), ("GET", "/api/2", None, 404, "GET /api/1"),
                 ("GET", "/api/1/heaps/h1/nodez", None, 404, "nodes"), ("GET", "/api/1/heaps/h1/nodes?limt=3", None, 400, "limit"),
                 ("GET", "/api/1/heaps/h1/nodes?limit=x", None, 400, "limit"), ("GET", "/api/1/heaps/h1/nodes?limit=1&limit=2", None, 400, "twice"),
                 ("GET", "/api/1/heaps/h1/nodes?async=maybe", None, 400, "async"), ("GET", "/api/1/heaps/h1/nodes?async&async=0", None, 400, "twice"),
                 ("GET", "/api/1/heaps/h1/nodes?pageColumns=80&pageColumns=90", None, 400, "twice"), ("GET", "/api/1/heaps/h1/nodes?format=page&format=page", None, 400, "twice"),
                 ("GET", "/api/1/heaps/h1/diff", None, 400, "heap"), ("GET", "/api/1/heaps/h1/diff?with=h7", None, 404, "h7"),
                 ("GET", "/api/1/heaps/h1/show?node=1", None, 404, "no node"), ("GET", "/api/1/heaps/h1/nodes?format=pdf", None, 400, "format"),
                 ("GET", "/api/1/heaps/h1/nodes?pageColumns=3", None, 400, "pageColumns"), ("GET", "/api/1/heaps/h1/nodes?where=%28", None, 400, "where"),
                 ("POST", "/api/1/heaps/h1/nodes", "{", 400, "JSON"), ("POST", "/api/1/heaps/h1/nodes", "[]", 400, "object"),
                 ("POST", "/api/1/heaps/h1/nodes?limit=1", "{}", 400, "body"), ("POST", "/api/1/heaps", "{}", 400, "path"),
                 ("POST", "/api/1/heaps", "nonsense", 400, "path"), ("POST", "/api/1/heaps", '{"file": "x"}', 400, "file"),
                 ("GET", "/api/1/jobs/j99", None, 404, "j99"), ("GET", "/api/1/jobs/x", None, 404, "x"), ("DELETE", "/api/1/jobs/j99", None, 404, "99"),
                 ("GET", "/api/1/heaps/%zz", None, 400, "coded"), ("GET", "/api/1/heaps/%00", None, 400, "coded"), ("GET", "/api/1/heaps/%ff", None, 400, "UTF-8"),
                 ("POST", "/api/1/targets/t1/heaps", None, 404, "t1")]
        for method, path, body, code, word in cases:
            answer = server.ask(path, method, body)
            self.assertEqual(answer.code, code, (path, answer.body))
            document = check_schema(answer.document)
            self.assertIn(word, document["message"], path)
            self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_another_method_is_reported_which_are_allowed(self):
        server = serve(self, AFTER)
        for method, path, allowed in [("DELETE", "/api/1/heaps", "GET, HEAD, POST, PUT"), ("PUT", "/api/1/heaps/h1", "GET, HEAD, DELETE"),
                                      ("OPTIONS", "/api/1/heaps/h1/nodes", "GET, HEAD, POST"), ("PATCH", "/", "GET, HEAD")]:
            answer = server.ask(path, method)
            self.assertEqual((answer.code, answer.headers["Allow"]), (405, allowed))

    def test_head_has_the_headers_and_no_body(self):
        server = serve(self, AFTER)
        for path in ("/api/1/heaps", "/api/1/heaps/h1/summary", "/"):
            get, head = server.ask(path), server.ask(path, "HEAD")
            self.assertEqual((head.code, head.body, head.headers["Content-Length"]), (200, b"", get.headers["Content-Length"]))
            self.assertEqual(head.headers["ETag"], get.headers["ETag"])


class Kept(unittest.TestCase):
    def test_what_a_client_has_kept_is_confirmed_by_another_server_without_reading_the_heap(self):
        first = serve(self, AFTER)
        folder = first.above
        copy = folder / "copy.fxsnapshot"
        shutil.copy(ROOT / AFTER, copy)
        path = "/api/1/heaps/h1/summary?limit=7"
        tag = serve(self, copy).ask(path).headers["ETag"]
        second = serve(self, copy)
        copy.rename(folder / "gone")
        unchanged = second.ask(path, headers={"If-None-Match": f'"other", {tag}'})
        self.assertEqual((unchanged.code, unchanged.body, unchanged.headers["ETag"]), (304, b"", tag))
        self.assertNotEqual(second.ask(path).code, 200)

    def test_tags_differ_with_all_that_answers_depend_on(self):
        server = serve(self, BEFORE, AFTER)
        paths = ["h1/summary", "h2/summary", "h1/summary?limit=3", "h1/summary?format=page", "h1/summary?format=page&pageColumns=90",
                 "h1/statistics", "h1/diff?with=h2", "h2/diff?with=h1"]
        tags = [server.ask(f"/api/1/heaps/{path}").headers["ETag"] for path in paths]
        self.assertEqual(len(set(tags)), len(paths))
        for spelling in ("h1/summary?limit=3&sort=retained", "h1/summary?sort=retained&limit=3"):
            server.ask(f"/api/1/heaps/{spelling}")
        self.assertEqual(tags[2], server.ask("/api/1/heaps/h1/summary?limit=3&class=".replace("&class=", "")).headers["ETag"])

    def test_long_answers_are_compressed_for_those_who_take_it(self):
        server = serve(self, V8)
        path = "/api/1/heaps/h1/nodes?limit=2000"
        plain = server.ask(path)
        for accepted, is_packed in [("gzip", True), ("br, gzip;q=0.5", True), ("*", True), ("gzip;q=0", False), ("identity", False)]:
            answer = server.ask(path, headers={"Accept-Encoding": accepted})
            self.assertEqual(answer.headers["Content-Encoding"], "gzip" if is_packed else None, accepted)
            self.assertEqual(gzip.decompress(answer.body) if is_packed else answer.body, plain.body)
            self.assertEqual(answer.headers["ETag"] == plain.headers["ETag"], not is_packed)
            self.assertEqual(server.ask(path, headers={"Accept-Encoding": accepted, "If-None-Match": answer.headers["ETag"]}).code, 304)
        short = server.ask("/api/1/heaps/h1/nodes?limit=1", headers={"Accept-Encoding": "gzip"})
        self.assertIsNone(short.headers["Content-Encoding"])


class Files(unittest.TestCase):
    def test_a_file_below_a_folder_is_listed_opened_downloaded_and_closed(self):
        server = serve(self, "--root", "tests/data/fx")
        self.assertIn("tiny-after.fxsnapshot", [row["path"] for row in server.get("/api/1/files")["files"]])
        answer = server.ask("/api/1/heaps", "POST", '{"path": "tiny-after.fxsnapshot"}')
        self.assertEqual((answer.code, answer.headers["Location"], answer.document["origin"]), (201, "/api/1/heaps/h1", "opened"))
        again = server.ask("/api/1/heaps", "POST", json.dumps({"path": str(ROOT / AFTER)}))
        self.assertEqual(again.document["id"], "h1")
        content = (ROOT / AFTER).read_bytes()
        self.assertEqual(server.ask("/api/1/heaps/h1/file").body, content)
        self.assertEqual(server.ask("/api/1/heaps/h1", "DELETE").code, 204)
        self.assertEqual(server.get("/api/1/heaps")["heaps"], [])
        self.assertEqual(server.ask("/api/1/heaps/h1/summary").code, 404)
        self.assertTrue((ROOT / AFTER).exists())

    def test_a_file_that_cannot_be_served_is_left_out_and_named(self):
        server = serve(self, "tests/data/fx/README.md", BEFORE, "none.fxsnapshot", AFTER)
        self.assertEqual([heap["name"] for heap in server.get("/api/1/heaps")["heaps"]],
                         ["tiny-before.fxsnapshot", "tiny-after.fxsnapshot"])
        self.assertEqual(server.end(), 0)
        first, second = server.errors.splitlines()
        self.assertRegex(first, r"^ubiheap: tests/data/fx/README.md: left out: this is plain text ")
        self.assertRegex(second, r"^ubiheap: none.fxsnapshot: left out: cannot open: No such file")
        for files, code in [(["tests/data/fx/README.md"], 3), (["tests/data/fx/README.md", "none.fxsnapshot"], 4)]:
            done = subprocess.run([TOOL, "serve", *files], cwd=ROOT, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (code, ""))
            self.assertNotIn("left out", done.stderr.splitlines()[-1])

    def test_ranges_of_a_file(self):
        server = serve(self, AFTER)
        content = (ROOT / AFTER).read_bytes()
        size = len(content)
        cases = [("bytes=0-9", 206, content[:10]), (f"bytes={size - 5}-", 206, content[-5:]), ("bytes=-7", 206, content[-7:]),
                 (f"bytes=10-{size + 99}", 206, content[10:]), ("bytes=0-1,4-5", 200, content), ("lines=1", 200, content), ("bytes=x", 200, content)]
        for text, code, expected in cases:
            answer = server.ask("/api/1/heaps/h1/file", headers={"Range": text})
            self.assertEqual((answer.code, answer.body), (code, expected), text)
        self.assertEqual(server.ask("/api/1/heaps/h1/file", headers={"Range": "bytes=2-5"}).headers["Content-Range"], f"bytes 2-5/{size}")
        beyond = server.ask("/api/1/heaps/h1/file", headers={"Range": f"bytes={size}-"})
        self.assertEqual((beyond.code, beyond.headers["Content-Range"]), (416, f"bytes */{size}"))
        tag = beyond.headers["ETag"] or server.ask("/api/1/heaps/h1/file").headers["ETag"]
        self.assertEqual(server.ask("/api/1/heaps/h1/file", headers={"Range": "bytes=0-9", "If-Range": '"other"'}).code, 200)
        self.assertEqual(server.ask("/api/1/heaps/h1/file", headers={"Range": "bytes=0-9", "If-Range": tag}).code, 206)
        self.assertEqual(server.ask("/api/1/heaps/h1/file", headers={"If-None-Match": tag}).code, 304)

    def test_a_file_that_was_replaced_is_not_served_for_the_one_that_was_opened(self):
        server = serve(self, "--root", "tests/data")
        copy = server.above / "x.fxsnapshot"
        shutil.copy(ROOT / AFTER, copy)
        other = serve(self, copy)
        os.replace(shutil.copy(ROOT / BEFORE, copy.with_suffix(".new")), copy)
        for path in ("file", "summary"):
            answer = other.ask(f"/api/1/heaps/h1/{path}")
            self.assertEqual(answer.code, 409)
            self.assertIn("has changed", answer.document["message"])

    def test_a_file_that_was_replaced_is_opened_again_under_its_name(self):
        server = serve(self, "--root", "tests/data", V8)
        copy = server.above / "x.fxsnapshot"
        shutil.copy(ROOT / AFTER, copy)
        other = serve(self, "--root", server.above, copy)
        again = lambda id: other.ask("/api/1/heaps", "POST", json.dumps({"again": id}))
        before = other.get("/api/1/heaps/h1/summary")["nodeCount"]
        self.assertEqual((again("h1").code, again("h1").document["id"]), (201, "h1"))  # it is what it was
        os.replace(shutil.copy(ROOT / BEFORE, copy.with_suffix(".new")), copy)
        heap = again("h1").document
        self.assertEqual((heap["id"], heap["name"], heap["origin"]), ("h2", "x.fxsnapshot", "given"))
        self.assertEqual([one["id"] for one in other.get("/api/1/heaps")["heaps"]], ["h2"])
        self.assertNotEqual(other.get("/api/1/heaps/h2/summary")["nodeCount"], before)
        self.assertEqual(again("h1").code, 404)
        upload = other.ask("/api/1/heaps?name=mine.fxsnapshot", "PUT", (ROOT / AFTER).read_bytes()).document["id"]
        self.assertEqual((again(upload).code, again(upload).document["message"]),
                         (400, "mine.fxsnapshot is a file of the server, which does not change"))
        os.unlink(copy)
        self.assertEqual((again("h2").code, other.ask("/api/1/heaps/h2").code), (500, 200))
        both = other.ask("/api/1/heaps", "POST", json.dumps({"again": "h2", "path": "x"}))
        self.assertEqual(both.code, 400)

    def test_a_heap_is_found_by_a_name_that_only_one_has(self):
        server = serve(self, AFTER, BEFORE)
        name = Path(AFTER).name
        self.assertEqual(server.get(f"/api/1/heaps/{name}/summary"), server.get("/api/1/heaps/h1/summary"))
        self.assertEqual(server.get(f"/api/1/heaps/{name}")["id"], "h1")
        server.ask(f"/api/1/heaps?name={name}", "PUT", (ROOT / BEFORE).read_bytes())
        self.assertEqual(server.ask(f"/api/1/heaps/{name}").code, 404)

    def test_an_upload_is_opened_and_deleted_with_its_heap(self):
        server = serve(self)
        content = (ROOT / AFTER).read_bytes()
        for method in ("PUT", "POST"):
            answer = server.ask("/api/1/heaps?name=mine.fxsnapshot", method, content)
            self.assertEqual((answer.code, answer.document["name"], answer.document["origin"]), (201, "mine.fxsnapshot", "uploaded"))
            address = answer.headers["Location"]
            self.assertEqual(server.get(address + "/summary")["file"], "mine.fxsnapshot")
            self.assertEqual(server.ask(address + "/file").body, content)
            self.assertEqual(len(server.folder()), 1)
            self.assertEqual(server.ask(address, "DELETE").code, 204)
            self.assertEqual(server.folder(), [])


class Jobs(unittest.TestCase):
    def test_a_job_is_asked_for_watched_and_answered(self):
        server = serve(self, V8)
        for how in ({"path": "/api/1/heaps/h1/summary?async=1"}, {"path": "/api/1/heaps/h1/summary?limit=2", "headers": {"Prefer": "respond-async"}}):
            accepted = server.ask(**how)
            self.assertEqual(accepted.code, 202)
            job = check_schema(accepted.document)
            self.assertEqual(accepted.headers["Location"], job["self"])
            connection = server.connect()
            connection.request("GET", job["events"], headers={"Authorization": f"Bearer {server.token}"})
            seen = list(events(connection.getresponse()))
            connection.close()
            self.assertEqual((seen[-1][0], seen[-1][1]["state"]), ("end", "done"))
            self.assertTrue(all(name == "progress" for name, _ in seen[:-1]))
            self.assertEqual(server.get(job["self"])["state"], "done")
            path = how["path"].replace("?async=1", "")
            self.assertEqual(server.ask(job["answer"]).body, server.ask(path).body)
            self.assertEqual(server.ask(job["self"], "DELETE").code, 204)
            self.assertEqual(server.ask(job["self"]).code, 404)

    def test_a_job_that_fails_says_why(self):
        server = serve(self, AFTER)
        job = server.get("/api/1/heaps/h1/show?node=1&async")
        self.assertEqual(server.ask(job["answer"]).code, 404)
        after = server.get(job["self"])
        self.assertEqual((after["state"], after["status"]), ("failed", "notFound"))
        self.assertIn("no node has the id 1", after["message"])

    def test_a_job_shows_its_progress_and_is_cancelled(self):
        server = drive(self)
        job = server.get("/api/1/targets/t1/heaps?async", method="POST")
        connection = server.connect()
        connection.request("GET", job["events"], headers={"Authorization": f"Bearer {server.token}"})
        stream = events(connection.getresponse())
        stages = []
        while "waiting for a safe point" not in stages:
            stages.append(next(stream)[1].get("stage"))
        self.assertEqual(server.ask(job["self"], "DELETE").code, 204)
        rest = list(stream)
        self.assertEqual((rest[-1][0], rest[-1][1]["state"]), ("end", "cancelled"))
        connection.close()

    def test_a_live_heap_is_saved_at_its_safe_point(self):
        server = drive(self)
        self.assertEqual([target["name"] for target in server.get("/api/1/targets")["targets"]], ["drawn heap"])
        job = server.get("/api/1/targets/t1/heaps?async&name=one%2Ftwo", method="POST")
        while server.get(job["self"]).get("stage") != "waiting for a safe point":
            pass
        server.say("point")
        heap = check_schema(server.ask(job["answer"]).document)
        self.assertEqual((heap["name"], heap["origin"]), ("one_two", "saved"))
        rows = server.get(heap["self"] + "/nodes?limit=0")["rows"]
        self.assertEqual(len(rows), 3)
        waiting = threading.Thread(target=lambda: answers.append(server.ask("/api/1/targets/t1/heaps", "POST")))
        answers = []
        waiting.start()
        while not any(job["title"] == "save" and job["state"] == "running" for job in server.get("/api/1/jobs")["jobs"]):
            pass
        server.say("point")
        while not answers:
            server.say("point")
        waiting.join()
        self.assertEqual((answers[0].code, answers[0].headers["Location"]), (201, answers[0].document["self"]))
        self.assertEqual(len(server.folder()), 2)

    def test_requests_for_a_live_heap_that_goes_fail(self):
        server = drive(self)
        job = server.get("/api/1/targets/t1/heaps?async", method="POST")
        while server.get(job["self"]).get("stage") != "waiting for a safe point":
            pass
        server.say("remove")
        self.assertEqual(server.ask(job["answer"]).code, 409)
        self.assertIn("is gone", server.get(job["self"])["message"])
        self.assertEqual(server.ask("/api/1/targets/t1/heaps", "POST").code, 404)
        server.say("point")  # what was asked for runs late
        server.say("add")
        self.assertEqual(server.get("/api/1/targets")["targets"][0]["id"], "t2")


class Indexes(unittest.TestCase):
    """A heap of few nodes and more than 8 MiB: one of its strings is that long."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kept, self.heap = Path(folder.name) / "kept", Path(folder.name) / "large.heapsnapshot"
        heap = json.loads(gzip.decompress((ROOT / V8).read_bytes()))
        heap["strings"].append("x" * (9 << 20))
        self.heap.write_text(json.dumps(heap))

    def jobs(self, server):
        return [job for job in server.get("/api/1/jobs")["jobs"] if job["title"] == "index"]

    def test_one_is_written_behind_the_first_answer(self):
        server = serve(self, "--cache-dir", self.kept, self.heap, V8)
        server.get("/api/1/heaps/h2/statistics")
        self.assertEqual(self.jobs(server), [])  # a small heap
        answer = server.get("/api/1/heaps/h1/statistics")
        server.get("/api/1/heaps/h1/info")
        job, = self.jobs(server)
        while (job := server.get(job["self"]))["state"] in ("waiting", "running"):
            pass
        self.assertEqual((job["state"], len(list(self.kept.glob("*.ubindex")))), ("done", 1))
        self.assertEqual(server.end(), 0)
        again = serve(self, "--cache-dir", self.kept, self.heap)
        self.assertEqual(again.get("/api/1/heaps/h1/statistics"), answer)

    def test_one_is_written_behind_an_answer_that_is_fetched_later(self):
        server = serve(self, "--cache-dir", self.kept, self.heap)
        answer = server.get("/api/1/heaps/h1/statistics?async")
        while server.get(answer["self"])["state"] in ("waiting", "running"):
            pass
        job, = self.jobs(server)  # though no one has fetched the answer
        while (job := server.get(job["self"]))["state"] in ("waiting", "running"):
            pass
        self.assertEqual((job["state"], len(list(self.kept.glob("*.ubindex")))), ("done", 1))

    def test_none_is_written_where_none_is_wanted(self):
        server = serve(self, "--no-cache", "--cache-dir", self.kept, self.heap)
        server.get("/api/1/heaps/h1/statistics")
        self.assertEqual((self.jobs(server), self.kept.exists()), ([], False))

    def test_a_folder_that_cannot_be_used_fails_alone(self):
        self.kept.mkdir(mode=0o777)
        self.kept.chmod(0o777)
        server = serve(self, "--cache-dir", self.kept, self.heap)
        server.get("/api/1/heaps/h1/statistics")
        job, = self.jobs(server)
        while (job := server.get(job["self"]))["state"] in ("waiting", "running"):
            pass
        self.assertEqual(job["state"], "failed")
        self.assertIn("others", job["message"])
        server.get("/api/1/heaps/h1/summary")


if __name__ == "__main__":
    unittest.main()
