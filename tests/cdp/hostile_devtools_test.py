#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our client of the DevTools protocol against servers that are slow, odd, wrong or never end: snapshots arrive to the byte, or one line says why not."""
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "cli"))
import workspace  # noqa: E402

from devtools_server import TARGETS, Server, await_snapshot, chunk, frame  # noqa: E402

MIB = 1 << 20
TEXT = gzip.decompress((workspace.DATA_V8 / "node20-before.heapsnapshot.gz").read_bytes()).decode()
ENDED = "the program, worker or tab has ended, or the connection to it"


def peak_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmHWM")


def serve_snapshot(peer, chunks, part_bytes=None, noise=()):
    """Answers commands; a snapshot is these chunks."""
    while (command := peer.receive()) is not None:
        if command["method"] == "HeapProfiler.takeHeapSnapshot":
            for text in chunks:
                peer.send(*noise, chunk(text), part_bytes=part_bytes)
        peer.send({"id": command["id"], "result": {}}, part_bytes=part_bytes)


class Hostile(unittest.TestCase):
    place = workspace.Workspace()

    def start(self, server, *words, scheme="node"):
        address = f"{scheme}://127.0.0.1:{server.port}"
        return subprocess.Popen([workspace.UBIHEAP, *(word.replace("@", address) for word in words)], cwd=self.place.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def failure(self, server, *words, scheme="node"):
        process = self.start(server, *words, scheme=scheme)
        out, said = process.communicate()
        self.assertEqual((out, said.count(b"\n")), (b"", 1), said)
        self.assertIn(process.returncode, (1, 2, 3, 4), said)
        return said.decode()

    def save(self, server):
        process = self.start(server, "attach", "@", "snapshot", "-o", "came.heapsnapshot")
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 0, said)
        path = self.place.folder / "came.heapsnapshot"
        text = path.read_text()
        path.unlink()
        return text

    def test_snapshots_arrive_to_the_byte(self):
        small = TEXT[:3000]
        wide = "caf\u00e9 \U0001f600 \u0001 \\ \" "
        events = ({"method": "Debugger.scriptParsed", "params": {"id": 1}}, {"method": "HeapProfiler.reportHeapSnapshotProgress",
                  "params": {"done": 5, "total": 1}}, {"id": 12345, "result": {}})
        for chunks, options in (([TEXT], {}), ([TEXT[i:i + 100000] for i in range(0, len(TEXT), 100000)], {}),
                                (list(small), {}), ([small], {"part_bytes": 1}), (["", small, ""], {"part_bytes": 7}),
                                ([wide, wide], {"noise": events})):
            with Server(lambda peer, c=chunks, o=options: serve_snapshot(peer, c, **o)) as server:
                self.assertEqual(self.save(server), "".join(chunks))

    def test_questions_take_the_address(self):
        expected = json.loads(self.place.ubiheap("report", "--json", "node20-before.heapsnapshot.gz").stdout)
        for chunk_bytes, options in ((len(TEXT), {}), (100 * MIB, {"part_bytes": 1 << 20}), (999, {})):
            chunks = [TEXT[i:i + chunk_bytes] for i in range(0, len(TEXT), chunk_bytes)]
            with self.subTest(chunk_bytes), Server(lambda peer, c=chunks, o=options: serve_snapshot(peer, c, **o)) as server:
                process = self.start(server, "report", "@", "--json")
                answer = json.loads(process.communicate()[0])
                self.assertGreater(len(answer), 5)
                for name in answer.keys() | expected.keys():
                    if answer.get(name) != expected.get(name):
                        self.assertIn("node20-before", json.dumps(expected[name]), name)  # its name

    def test_what_a_question_reads_is_kept(self):
        """To the byte, and the answer is about the file; or it is absent, and what was there stays."""
        path = self.place.folder / "kept.heapsnapshot"
        chunks = [TEXT[i:i + 100000] for i in range(0, len(TEXT), 100000)] + [" " * 1000]  # more than the reader needs
        with Server(lambda peer: serve_snapshot(peer, chunks)) as server:
            process = self.start(server, "summary", "@", "--json", "--keep", path.name)
            out, said = process.communicate()
            self.assertEqual((process.returncode, said.count(b"\n")), (0, 1), said)
            self.assertIn(b"kept.heapsnapshot: ", said)
            self.assertEqual(path.read_text(), "".join(chunks))
            self.assertEqual(json.loads(out)["file"], "kept.heapsnapshot")
            process = self.start(server, "diff", "node20-before.heapsnapshot.gz", "@", "--keep", "new.heapsnapshot", "--json")
            self.assertEqual(json.loads(process.communicate()[0])["new"]["file"], "new.heapsnapshot")
            self.assertEqual((self.place.folder / "new.heapsnapshot").read_text(), "".join(chunks))
        def ending(peer):
            await_snapshot(peer)
            peer.send(chunk(TEXT[:len(TEXT) // 2]))
        for script in (ending, lambda peer: serve_snapshot(peer, ["no snapshot" * 100000] * 20)):
            before = path.read_text()
            for name in (path.name, "other.heapsnapshot"):
                with Server(script) as server:
                    self.failure(server, "summary", "@", "--keep", name)
            self.assertEqual(path.read_text(), before)
            self.assertFalse((self.place.folder / "other.heapsnapshot").exists())
        path.unlink()

    def test_what_cannot_be_kept_is_refused_before_anything_is_asked(self):
        (self.place.folder / "text.txt").write_text("mine")
        with Server(lambda peer: peer.receive()) as server:
            for words, why in ((("summary", "@", "--keep", "text.txt"), "nothing is written over it"),
                               (("summary", "@", "--keep", "heap.fxsnapshot"), "what comes is a .heapsnapshot"),
                               (("summary", "@", "--keep", "-"), "name a file"),
                               (("summary", "@", "--keep", "missing/heap.heapsnapshot"), "missing/heap.heapsnapshot"),
                               (("diff", "@", "@", "--keep", "heap.heapsnapshot"), "--keep is for one snapshot"),
                               (("summary", "node20-before.heapsnapshot.gz", "--keep", "heap.heapsnapshot"), "a FILE is there already"),
                               (("diff", "node20-before.heapsnapshot.gz", "@", "--keep", "node20-before.heapsnapshot.gz"), "is read"),
                               (("leaks", "@", "--every", "1s", "--times", "2", "--keep", "missing/heap.heapsnapshot"), "missing"),
                               (("leaks", "@", "--every", "1s", "--keep-ids", "--keep", "heap.heapsnapshot"), "without --keep-ids")):
                with self.subTest(words):
                    self.assertIn(why, self.failure(server, *words))
            self.assertFalse(server.reached.is_set())
        self.assertEqual((self.place.folder / "text.txt").read_text(), "mine")

    def test_the_newest_snapshot_of_a_series_is_kept(self):
        texts = [gzip.decompress((workspace.DATA_V8 / f"node20-{name}.heapsnapshot.gz").read_bytes()).decode() for name in ("before", "after")]
        left = iter(texts)
        def script(peer):
            while (command := peer.receive()) is not None:
                if command["method"] == "HeapProfiler.takeHeapSnapshot":
                    peer.send(chunk(next(left)))
                peer.send({"id": command["id"], "result": {}})
        with Server(script) as server:
            process = self.start(server, "leaks", "@", "--every", "1ms", "--times", "2", "--keep", "newest.heapsnapshot")
            out, said = process.communicate()
            self.assertEqual(process.returncode, 0, said)
            self.assertEqual((self.place.folder / "newest.heapsnapshot").read_text(), texts[1])
            self.assertIn(b"ubiheap paths newest.heapsnapshot ", out)  # what to ask next has its ids

    def test_a_recording_of_a_program_that_ends(self):
        """Of a profile, what was seen of it last; a track is lost, and the line says so."""
        profile = {"head": {"callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": 0, "columnNumber": 0}, "selfSize": 0,
                            "id": 1, "children": [{"callFrame": {"functionName": "visit", "scriptId": "7", "url": "file:///a.js", "lineNumber": 3,
                                                                 "columnNumber": 0}, "selfSize": 100, "id": 2, "children": []}]}, "samples": []}
        def script(peer):
            while (command := peer.receive()) is not None:
                peer.send({"id": command["id"], "result": {"profile": profile}})
                if command["method"] in ("HeapProfiler.getSamplingProfile", "HeapProfiler.startTrackingHeapObjects"):
                    return
        with Server(script) as server:
            process = self.start(server, "attach", "@", "profile", "--seconds", "0", "-o", "cut.heapprofile")
            said = process.communicate()[1]
            self.assertEqual(process.returncode, 4, said)
            self.assertIn(b"the recording ends after 1.00 s: " + ENDED.encode(), said)
            self.assertEqual(json.loads((self.place.folder / "cut.heapprofile").read_text()), profile)
            self.assertIn("what was recorded comes at the end, and is lost", self.failure(server, "attach", "@", "track", "-o", "cut.heaptimeline"))
            self.assertFalse((self.place.folder / "cut.heaptimeline").exists())

    def test_why_a_browser_ends_a_connection(self):
        for event, words in (({"method": "Inspector.detached", "params": {"reason": "target_closed"}}, "the tab or worker was closed"),
                             ({"method": "Inspector.detached", "params": {"reason": "replaced_with_devtools"}}, "another debugger took it over"),
                             ({"method": "Inspector.detached", "params": {"reason": "Render process gone."}}, "Render process gone."),
                             ({"method": "Inspector.detached", "params": {}}, ENDED),
                             ({"method": "Inspector.targetCrashed"}, "has crashed")):
            def script(peer, event=event):
                peer.receive()
                peer.send(event)
            with self.subTest(words), Server(script) as server:
                self.assertIn(words, self.failure(server, "attach", "@", "gc"))

    def test_a_reader_that_has_enough(self):
        with Server(lambda peer: serve_snapshot(peer, [TEXT] * 20)) as server:
            process = self.start(server, "attach", "@", "snapshot", "-o", "-")
            self.assertTrue(process.stdout.read(10))
            process.stdout.close()
            with process.stderr:
                self.assertEqual((process.stderr.read(), process.wait()), (b"", 0))

    def test_which_snapshot_of_a_series_did_not_come(self):
        left = iter((TEXT, None))
        def script(peer):
            while (command := peer.receive()) is not None:
                if command["method"] == "HeapProfiler.takeHeapSnapshot":
                    text = next(left)
                    if text is None:
                        return
                    peer.send(chunk(text))
                peer.send({"id": command["id"], "result": {}})
        with Server(script) as server:
            process = self.start(server, "leaks", "@", "--every", "1ms", "--times", "3", "--no-progress")
            out, said = process.communicate()
            self.assertEqual((process.returncode, out, said.count(b"\n")), (4, b"", 1), said)
            self.assertIn(f": snapshot 2 of 3: {ENDED}".encode(), said)

    def test_a_chunk_of_100_mib(self):
        """White space between tokens is part of a snapshot, too."""
        padded = TEXT.replace(",", "," + 100 * MIB * " ", 1)
        with Server(lambda peer: serve_snapshot(peer, [padded])) as server:
            process = self.start(server, "info", "@", "--json")
            answer, said = process.communicate()
            self.assertEqual(process.returncode, 0, said)
            self.assertGreater(json.loads(answer)["nodeCount"], 1000)

    def test_questions_say_why_there_is_no_answer(self):
        """What is read while it comes: a connection that ends, and what is no snapshot, however much follows."""
        def ending(peer):
            await_snapshot(peer)
            peer.send(chunk(TEXT[:len(TEXT) // 2]))
        with Server(ending) as server:
            self.assertIn(ENDED, self.failure(server, "summary", "@"))
        for chunks in (["[1, 2]"], ["no snapshot" * 100000] * 20, [TEXT[:100000]]):
            with self.subTest(chunks[0][:20]), Server(lambda peer, c=chunks: serve_snapshot(peer, c)) as server:
                self.assertNotIn(ENDED, self.failure(server, "summary", "@"))

    def test_a_connection_that_ends_anywhere(self):
        for n_chunks in range(4):
            def script(peer, n_chunks=n_chunks):
                await_snapshot(peer)
                for _ in range(n_chunks):
                    peer.send(chunk(TEXT[:5000]))
                peer.socket.sendall(frame(b"{\"method\":", is_last=False))
            with self.subTest(n_chunks), Server(script) as server:
                self.assertIn(ENDED, self.failure(server, "attach", "@", "snapshot", "-o", "cut.heapsnapshot"))
                self.assertFalse((self.place.folder / "cut.heapsnapshot").exists())

    def test_what_breaks_the_rules(self):
        def saying(*values):
            def script(peer):
                command = await_snapshot(peer)
                peer.send(*({**value, "id": command["id"]} if isinstance(value, dict) and "id" in value else value for value in values))
                peer.receive()
            return script
        for script, words in ((saying(b"[]"), "no JSON object"), (saying(b"\xff\xfe"), "no JSON object"), (saying(chunk(7)), "without its text"),
                              (saying({"id": 1}), "without a result"), (saying({"id": 1, "result": {}}), "answered without a snapshot"),
                              (saying({"id": 1, "error": {"message": "no\nway\x1b[31m"}}), "refuses HeapProfiler.takeHeapSnapshot: no way")):
            with self.subTest(words), Server(script) as server:
                said = self.failure(server, "attach", "@", "snapshot", "-o", "cut.heapsnapshot")
                self.assertIn(words, said)
                self.assertNotIn("\x1b", said)

    def test_invalid_lists(self):
        ok = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
        for listing, words in ((b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "status 404"), (ok % (2, b"{}"), "something else than a list"),
                               (b"SSH-2.0-x\r\n", "node://"), (b"", "node://"), (ok % (1000, b"[]"), "node://"), ([], "nothing to attach to"),
                               ([{**TARGETS[0], "webSocketDebuggerUrl": ""}], "no one else can attach")):
            with self.subTest(words=words, listing=listing), Server(lambda peer: None, listing) as server:
                self.assertIn(words, self.failure(server, "attach", "@", "measure"))

    def test_endless_messages_take_no_memory(self):
        def script(peer):
            peer.receive()
            while True:
                peer.send({"method": "Runtime.consoleAPICalled", "params": {"padding": 50000 * "x"}})
                sent.append(50000)
        sent = []
        with Server(script) as server:
            process = self.start(server, "attach", "@", "gc")
            while sum(sent) < 100 * MIB:
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            self.assertLess(peak_bytes(process.pid), 60 * MIB)  # sanitizers need most of it
            process.send_signal(signal.SIGINT)
            self.assertEqual((process.communicate()[0], process.returncode), (b"", 130))

    def test_a_message_without_an_end_is_refused(self):
        def script(peer):
            peer.receive()
            part = frame(MIB * b"x", is_last=False)
            peer.socket.sendall(part)
            rest = frame(MIB * b"x", 0, is_last=False)
            while True:
                peer.socket.sendall(rest)
        with Server(script) as server:
            self.assertIn("more than 256 MiB", self.failure(server, "attach", "@", "gc"))

    def test_silence_can_be_interrupted(self):
        silent = [lambda peer: peer.receive() and peer.receive()]
        for script in silent:
            with Server(script) as server:
                process = self.start(server, "attach", "@", "gc")
                server.reached.wait()
                process.send_signal(signal.SIGINT)
                self.assertEqual((process.communicate()[0], process.returncode), (b"", 130))


if __name__ == "__main__":
    unittest.main()
