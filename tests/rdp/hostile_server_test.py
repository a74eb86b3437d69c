#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our client of the remote debugging protocol against servers that never end: what they send takes no memory and no room, and Ctrl-C ends it."""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "cli"))
import workspace  # noqa: E402

from scripted_server import GREETING, Script, Server, packet  # noqa: E402
from server_ages import FILES, descriptors  # noqa: E402

MIB = 1 << 20


def peak_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmHWM")


class Hostile(unittest.TestCase):
    place = workspace.Workspace()

    def start(self, server, *words, most_file_bytes=None):
        def limit():
            if most_file_bytes:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most_file_bytes, most_file_bytes))
        address = f"firefox://127.0.0.1:{server.port}"
        return subprocess.Popen([workspace.UBIHEAP, *(address if word == "@" else word for word in words)], cwd=self.place.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)

    def interrupt(self, process):
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
        self.assertEqual((process.returncode, out), (130, b""))

    def test_endless_packets_take_no_memory(self):
        event = packet({"from": "root", "type": "tabListChanged", "padding": 50000 * "x"})
        reply_of_others = packet({"from": "elsewhere", "padding": 50000 * "x"})
        for endless in (event, reply_of_others):
            sent = []

            def script(peer, endless=endless, sent=sent):
                peer.send(GREETING)
                while True:
                    peer.send(endless)
                    sent.append(len(endless))
            with self.subTest(endless[:40]), Server(script) as server:
                process = self.start(server, "info", "@")
                while sum(sent) < 100 * MIB:
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                self.assertLess(peak_bytes(process.pid), 60 * MIB)  # sanitizers need most of it
                self.interrupt(process)

    def test_a_text_that_comes_byte_by_byte(self):
        def script(peer):
            for byte in packet(GREETING)[:-1]:
                peer.send(bytes([byte]))
            while True:
                if not peer.socket.recv(1):
                    return
        with Server(script) as server:
            process = self.start(server, "info", "@")
            server.connected.wait()
            self.interrupt(process)

    def test_an_endless_file_ends_where_there_is_no_room(self):
        for announced in (2**40, 300 * MIB):
            def endless(peer, announced=announced):
                head = b"bulk %s x %d:" % (FILES.encode(), announced)
                Script({**descriptors(), (FILES, "transferHeapSnapshot"): [head, lambda _: self.pour(peer)]})(peer)
            for words in (["attach", "@", "snapshot", "-o", "endless.fxsnapshot"], ["leaks", "@", "--every", "1ms"]):
                with self.subTest(words=words, announced=announced), Server(endless) as server:
                    process = self.start(server, *words, most_file_bytes=8 * MIB)
                    out, error = process.communicate()
                    self.assertEqual((process.returncode, out, error.count(b"\n")), (4, b"", 1), error)
                    self.assertIn(b"File too large", error)
                    self.assertFalse((self.place.folder / "endless.fxsnapshot").exists())
        self.assertEqual([path for path in self.place.folder.iterdir() if ".tmp" in path.name], [])

    def test_an_endless_file_that_is_not_a_snapshot_is_refused_while_it_comes(self):
        def endless(peer):
            head = b"bulk %s x %d:" % (FILES.encode(), 2**40)
            Script({**descriptors(), (FILES, "transferHeapSnapshot"): [head, lambda _: self.pour(peer)]})(peer)
        for words in (["info", "@"], ["convert", "@", "endless.fxsnapshot"]):
            with self.subTest(words=words), Server(endless) as server:
                process = self.start(server, *words)
                out, error = process.communicate()
                self.assertEqual((process.returncode, out, error.count(b"\n")), (3, b"", 1), error)
                self.assertIn(b"this is no kind of file that ubiheap knows", error)
                self.assertFalse((self.place.folder / "endless.fxsnapshot").exists())

    def pour(self, peer):
        while True:
            peer.socket.sendall(bytes(MIB))

    def test_lengths_that_are_not_those_of_the_file(self):
        heap = (workspace.DATA / "tiny-before.fxsnapshot").read_bytes()
        for length in (len(heap) // 2, len(heap) + 1000):
            sent = b"bulk %s x %d:" % (FILES.encode(), length) + heap

            def script(peer, sent=sent):
                Script({**descriptors(), (FILES, "transferHeapSnapshot"): [sent, lambda _: peer.socket.shutdown(2) or b""]})(peer)
            with self.subTest(length), Server(script) as server:
                process = self.start(server, "info", "@")
                out, error = process.communicate()
                self.assertEqual((out, error.count(b"\n")), (b"", 1), error)
                self.assertIn(process.returncode, (3, 4))

    def test_pieces_of_a_file_that_make_no_sense(self):
        refused = {"error": "unrecognizedPacketType", "message": "no bulk packets here"}
        for piece, words in (({}, "without a piece"), ({"data": "QUJD"}, "without a piece"), ({"data": 7, "size": 3}, "without a piece"),
                             ({"data": "QUJ", "size": 3}, "not base64"), ({"data": "QU!D", "size": 3}, "not base64"),
                             ({"data": "=QUJ", "size": 3}, "not base64"), ({"data": "====", "size": 3}, "not base64"),
                             ({"data": "QUJD", "size": 2}, "does not fit"), ({"data": "", "size": 3}, "does not fit"),
                             (refused, "no bulk packets here")):
            answers = {**descriptors(), (FILES, "transferHeapSnapshot"): [refused], (FILES, "readHeapSnapshot"): [piece]}
            with self.subTest(piece), Server(Script(answers)) as server:
                process = self.start(server, "attach", "@", "snapshot", "-o", "pieces.fxsnapshot")
                out, error = process.communicate()
                self.assertEqual((process.returncode, out, error.count(b"\n")), (4 if piece is refused else 3, b"", 1), error)
                self.assertIn(words.encode(), error)
                self.assertFalse((self.place.folder / "pieces.fxsnapshot").exists())


if __name__ == "__main__":
    unittest.main()
