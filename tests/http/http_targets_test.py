#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap serve --target ADDRESS`: the server holds the protocol's client, and its routes are those of live heaps in its own process. Also
`mcp ADDRESS` and `convert ADDRESS`. Against scripted servers and a listening program; with a real Firefox: attach_firefox_test.py."""
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import jsonschema  # noqa: F401  (of serving)

from serving import ROOT, TOOL, check_schema, serve

sys.path.insert(0, str(ROOT / "tests" / "rdp"))
from listening_program import ListeningProgram  # noqa: E402
from scripted_server import Script, Server  # noqa: E402
from server_ages import AGES, FILES, HEAP, MEASURE, MEMORY, descriptors, old_tabs  # noqa: E402


class Targets(unittest.TestCase):
    def serve(self, target):
        self.address = f"firefox://127.0.0.1:{target.port}/tab/2"
        return serve(self, "--target", self.address)

    def target(self, server):
        (listed,) = server.get("/api/1/targets")["targets"]
        self.assertEqual(server.get("/api/1/targets/t1"), {"schema": "ubiheap.target/1", **listed})
        return listed

    def asked(self, target, kind):
        return [request for request in target.requests if request["type"] == kind]

    def test_clients_take_snapshots_of_a_server_of_any_age(self):
        for age, answers in AGES.items():
            with self.subTest(age):
                with Server(Script(answers())) as target:
                    server = self.serve(target)
                    self.assertEqual(self.target(server)["link"], "idle")
                    self.assertEqual(target.requests, [])
                    heap = server.get("/api/1/targets/t1/heaps?name=first", method="POST")
                    self.assertEqual((heap["name"], heap["origin"], heap["size"]), ("first", "saved", len(HEAP)))
                    self.assertEqual(server.ask(heap["file"]).body, HEAP)
                    again = server.get("/api/1/targets/t1/heaps", method="POST")
                    self.assertRegex(again["name"], rf"\A127\.0\.0\.1-{target.port}-tab-2 \d{{4}}-\d\d-\d\d \d\d\.\d\d\.\d\d UTC\Z")
                    shown = self.target(server)
                    self.assertEqual((shown["name"], shown["kind"], shown["link"], shown["fault"]),
                                     (self.address, "firefox", "connected", None))
                    self.assertEqual(len(self.asked(target, "listTabs")), 1)
                # the program is gone, and not needed
                self.assertEqual(server.get(heap["self"] + "/diff?with=h2")["schema"], "ubiheap.diff/1")
                self.assertEqual(server.end(), 0, server.errors)
                self.assertEqual(list(server.above.iterdir()), [])

    @unittest.skipUnless(shutil.which("node"), "needs node")
    def test_a_process_has_its_name_and_the_time(self):
        """Its engine has no log of allocations."""
        with subprocess.Popen(["node", "--inspect-port=0", "-e", "setInterval(() => {}, 50); console.log()"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as program:
            program.stdout.readline()
            server = serve(self, "--target", f"node:{program.pid}")
            self.assertFalse(self.target(server)["canRecord"])
            heap = server.get("/api/1/targets/t1/heaps", method="POST")
            self.assertRegex(heap["name"], rf"\Anode-{program.pid} \d{{4}}-\d\d-\d\d \d\d\.\d\d\.\d\d UTC\Z")
            program.kill()

    def test_it_collects_and_measures(self):
        with Server(Script(descriptors())) as target:
            server = self.serve(target)
            self.assertEqual(server.get("/api/1/targets/t1/collections", method="POST")["link"], "connected")
            self.assertEqual([request["type"] for request in target.requests][-2:], ["forceGarbageCollection", "forceCycleCollection"])
            rows = server.get("/api/1/targets/t1/measure")["rows"]
            self.assertEqual({row["name"]: row["bytes"] for row in rows}, {k: v for k, v in MEASURE.items() if isinstance(v, int)})

    def test_it_switches_the_recording(self):
        with Server(Script(old_tabs())) as target:
            server = self.serve(target)

            def put(body, code=200):
                answer = server.ask("/api/1/targets/t1/recording", "PUT", json.dumps(body))
                self.assertEqual(answer.code, code, answer.body)
                return check_schema(answer.document)
            on = put({"isOn": True, "probability": 0.25, "maxLogLength": 7})["recording"]
            self.assertEqual(on, {"isOn": True, "probability": 0.25, "maxLogLength": 7})
            (started,) = self.asked(target, "startRecordingAllocations")
            self.assertEqual(started["options"], {"probability": 0.25, "maxLogLength": 7})
            server.get("/api/1/targets/t1/heaps", method="POST")
            self.assertTrue(self.target(server)["recording"]["isOn"])
            self.assertEqual(put({"isOn": False})["recording"], {"isOn": False, "probability": 0.25, "maxLogLength": 7})
            self.assertEqual(len(self.asked(target, "startRecordingAllocations")), 1)
            for wrong, words in (({}, "isOn is missing"), ([], "JSON object"), ({"isOn": 1}, "true or false"), ({"on": True}, "no member 'on'"),
                                 ({"isOn": True, "probability": 1.5}, "from 0 to 1"), ({"isOn": True, "probability": -1}, "from 0 to 1"),
                                 ({"isOn": True, "maxLogLength": 0}, "from 1"), ({"isOn": True, "maxLogLength": 2**31}, "from 1"),
                                 ({"isOn": True, "maxLogLength": 1.5}, "whole number")):
                self.assertIn(words, put(wrong, 400)["message"])

    def test_a_connection_that_was_lost_is_made_again(self):
        peers = []

        def script(peer):
            peers.append(peer)
            Script(descriptors())(peer)
        with Server(script) as target:
            server = self.serve(target)
            self.assertEqual(server.ask("/api/1/targets/t1/recording", "PUT", '{"isOn": true}').code, 200)
            self.assertTrue(self.target(server)["recording"]["isOn"])
            peers[0].socket.shutdown(socket.SHUT_RDWR)
            server.get("/api/1/targets/t1/heaps", method="POST")
            self.assertEqual(len(peers), 2)
            after = self.target(server)
            self.assertEqual((after["link"], after["recording"]["isOn"]), ("connected", False))

    def test_a_program_that_is_gone_and_comes_again(self):
        with Server(Script(descriptors())) as target:
            server = self.serve(target)
            server.get("/api/1/targets/t1/heaps", method="POST")
            port = target.port
        for path in ("heaps", "collections"):
            answer = server.ask(f"/api/1/targets/t1/{path}", "POST")
            self.assertEqual((answer.code, check_schema(answer.document)["status"]), (500, "inputOutput"))
            self.assertIn("cannot connect: Connection refused; is it a Firefox", answer.document["message"])
        lost = self.target(server)
        self.assertEqual((lost["link"], lost["fault"]), ("lost", answer.document["message"]))
        with Server(Script(descriptors()), port):
            server.get("/api/1/targets/t1/heaps", method="POST")
            self.assertEqual((self.target(server)["link"], self.target(server)["fault"]), ("connected", None))

    def test_what_the_other_side_refuses(self):
        answers = {**descriptors(), (MEMORY, "saveHeapSnapshot"): [{"error": "Error", "message": "no room"}]}
        with Server(Script(answers)) as target:
            server = self.serve(target)
            answer = server.ask("/api/1/targets/t1/heaps", "POST")
            self.assertEqual((answer.code, answer.document["message"]), (409, "refuses saveHeapSnapshot: Error: no room"))
            self.assertEqual((self.target(server)["link"], self.target(server)["fault"]), ("idle", "refuses saveHeapSnapshot: Error: no room"))
            self.assertEqual(server.folder(), [])

    def test_a_snapshot_is_a_job_with_progress_and_can_be_cancelled(self):
        arrived, release = threading.Event(), threading.Event()

        def held(_):
            arrived.set()
            release.wait()
            return b""
        half = b"bulk %s x %d:" % (FILES.encode(), len(HEAP)) + HEAP[:len(HEAP) // 2]
        with Server(Script({**descriptors(), (FILES, "transferHeapSnapshot"): [half, held]})) as target:
            server = self.serve(target)
            job = server.get("/api/1/targets/t1/heaps?async", method="POST")
            arrived.wait()
            while (shown := server.get(job["self"])).get("stage") != "transferring" or not shown.get("fraction"):
                pass
            self.assertAlmostEqual(shown["fraction"], 0.5, delta=0.01)
            waiting = server.get("/api/1/targets/t1/measure?async")
            while server.get(waiting["self"]).get("stage") != "waiting for another request":
                pass
            self.assertEqual(server.ask(waiting["self"], "DELETE").code, 204)
            self.assertEqual(server.ask(job["self"], "DELETE").code, 204)
            while server.get(job["self"])["state"] != "cancelled" if server.ask(job["self"]).code == 200 else False:
                pass
            while self.target(server)["link"] != "idle":
                pass
            self.assertEqual(server.folder(), [])
            release.set()

    def test_the_server_ends_while_a_program_is_silent(self):
        release = threading.Event()
        with Server(Script({**descriptors(), (MEMORY, "saveHeapSnapshot"): [lambda _: release.wait() and b""]})) as target:
            server = self.serve(target)
            job = server.get("/api/1/targets/t1/heaps?async", method="POST")
            while server.get(job["self"]).get("stage") != "waiting for the snapshot":
                pass
            self.assertEqual(server.end(), 0, server.errors)
            release.set()
        self.assertEqual(list(server.above.iterdir()), [])

    def test_invalid_addresses(self):
        for words, message in ((["--target", "gopher://x"], "is not SCHEME://HOST"), (["--target", "firefox://h/tab/0"], "is not SCHEME"),
                               (["ubi://h:99999"], "is not SCHEME")):
            done = subprocess.run([TOOL, "serve", *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(message, done.stderr)

    def test_a_program_of_our_own(self):
        with tempfile.TemporaryDirectory() as folder, ListeningProgram(
                pathlib.Path(folder), "class Session {}\nconst all = [];\n"
                "function tick() { for (let i = 0; i < 20; i++) all.push(new Session()); setTimeout(tick, 1); }\ntick();\n") as program:
            server = serve(self, program.address)
            self.assertEqual(server.ask("/api/1/targets/t1/recording", "PUT", '{"isOn": true}').code, 200)
            server.get("/api/1/targets/t1/collections", method="POST")
            self.assertGreater({row["name"]: row.get("bytes") for row in server.get("/api/1/targets/t1/measure")["rows"]}["jsObjectsSize"], 0)
            heap = server.get("/api/1/targets/t1/heaps", method="POST")
        stacks = server.ask(heap["self"] + "/census?breakdown=allocationStack&format=page").body.decode()
        self.assertIn("tick", stacks)


class OtherCommands(unittest.TestCase):
    def test_convert_reads_an_address(self):
        with tempfile.TemporaryDirectory() as folder, Server(Script(descriptors())) as target:
            address = f"firefox://127.0.0.1:{target.port}"
            done = subprocess.run([TOOL, "convert", "--json", address, "copy.fxsnapshot"], cwd=folder, capture_output=True, check=True)
            self.assertEqual(json.loads(done.stdout)["file"], address)
            got, want = (json.loads(subprocess.run([TOOL, "info", "--json", path], cwd=folder, capture_output=True, check=True).stdout)
                         for path in ("copy.fxsnapshot", ROOT / "tests/data/fx/tiny-before.fxsnapshot"))
            self.assertEqual((got["nodeCount"], got["edgeCount"]), (want["nodeCount"], want["edgeCount"]))
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["copy.fxsnapshot"])
            lines = subprocess.run([TOOL, "convert", "-f", "jsonl", address, "-"], capture_output=True, check=True).stdout
            self.assertEqual(json.loads(lines.splitlines()[0])["schema"][:13], "ubiheap.jsonl")

    def test_an_agent_asks_about_an_address(self):
        with Server(Script(descriptors())) as target:
            address = f"firefox://127.0.0.1:{target.port}"
            process = subprocess.Popen([TOOL, "mcp", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
            requests = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
                        {"jsonrpc": "2.0", "method": "notifications/initialized"},
                        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "heaps", "arguments": {}}},
                        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "report", "arguments": {"heap": "h1"}}}]
            out, _ = process.communicate("".join(json.dumps(request) + "\n" for request in requests))
        self.assertEqual(process.returncode, 0)
        answers = {answer["id"]: json.dumps(answer.get("result")) for answer in map(json.loads, out.splitlines()) if "id" in answer}
        self.assertIn(address, answers[2])
        self.assertIn("nodeCount=7199 ", answers[3])


if __name__ == "__main__":
    unittest.main()
