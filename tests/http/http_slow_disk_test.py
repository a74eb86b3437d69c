#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A disk that does not answer holds up the upload that is written to it, and no other client.

The server runs under system_call_driver, which lets one write to the folder of uploads wait until it is told to continue.
"""
import os
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path

from serving import AFTER, TOOL, Server

DRIVER = Path(os.environ["UBI_BUILD_DIR"]) / "tests" / "system_call_driver"
CANNOT = 125
BODY = b"x" * (1 << 20)  # several times what is written at once


class SlowDisk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tried = subprocess.run([DRIVER, "/dev/null", "/nowhere", "0", "5", "/bin/true"], capture_output=True, text=True, check=False)
        if tried.returncode == CANNOT:
            raise unittest.SkipTest(f"system calls cannot be made to wait here: {tried.stderr.strip()}")

    def serve(self, number_of_write):
        server = Server(self, ["sh", "-c", f'exec "{DRIVER}" "$TMPDIR/notes" "$(readlink -f "$TMPDIR")" {number_of_write} hold "{TOOL}" serve "{AFTER}"'])
        self.notes = server.above / "notes"
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        self.pid = int(children[0])
        server.end = lambda: self.end(server)  # the signal is for the server
        self.addCleanup(server.end)
        return server

    def end(self, server):
        if server.process.poll() is None:
            self.notes.unlink(missing_ok=True)
            os.kill(self.pid, signal.SIGTERM)
            server.errors = server.process.communicate()[1]
        return server.process.returncode

    def await_write(self):
        while not self.notes.exists():
            time.sleep(0.01)

    def begin_upload(self, server):
        connection = server.raw()
        head = f"PUT /api/1/heaps?name=x HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\nContent-Length: {len(BODY)}\r\n\r\n"
        connection.sendall(head.encode() + BODY[:len(BODY) // 2])
        self.await_write()
        return connection

    def test_others_are_answered_while_an_upload_is_written(self):
        small = Path(AFTER).read_bytes()  # it is written when all of it is there
        for number_of_write, body in ((1, small), (1, small * 12), (3, small * 12)):
            server = self.serve(number_of_write)
            answers = []
            uploading = threading.Thread(target=lambda: answers.append(server.ask("/api/1/heaps?name=x", "PUT", body)))
            uploading.start()
            self.await_write()
            server.get("/api/1/heaps/h1/summary")
            server.get("/api/1/heaps/h1/statistics")
            self.assertEqual(answers, [])
            self.notes.unlink()
            uploading.join()
            self.assertEqual(answers[0].code, 201)
            self.assertEqual(server.ask("/api/1/heaps/h2/file").body, body)
            self.assertEqual(server.end(), 0)

    def test_a_client_that_leaves_meanwhile_leaves_nothing(self):
        server = self.serve(2)
        self.begin_upload(server).close()
        server.get("/api/1/heaps/h1/summary")
        self.notes.unlink()
        while server.folder():
            time.sleep(0.01)
        self.assertEqual(server.end(), 0)

    def test_a_server_that_is_stopped_meanwhile_ends_when_the_disk_answers(self):
        server = self.serve(2)
        connection = self.begin_upload(server)
        os.kill(self.pid, signal.SIGTERM)
        self.assertIsNone(server.process.poll())
        self.notes.unlink()
        self.assertEqual(server.process.wait(), 0)
        self.assertEqual(list(server.above.glob("ubiheap-serve-*")), [])
        connection.close()


if __name__ == "__main__":
    unittest.main()
