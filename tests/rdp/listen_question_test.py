#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap run --listen` on an address that other machines reach: each client from there is asked about on the program's terminal."""
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import sys
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(SOURCE_DIR / "tests" / "quickjs"))
import run_place  # noqa: E402


def own_address():
    """One that is not of loopback; None: this machine has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("203.0.113.1", 9))  # nothing is sent
        except OSError:
            return None
        return probe.getsockname()[0]


ADDRESS = own_address()
QUESTION = r"ubiheap: (\S+) wants to look into this program and its memory\. Let it\? \[y/N\] "
PROGRAM = "function tick() { setTimeout(tick, 20); }\ntick();\n"


@unittest.skipUnless(ADDRESS, "this machine has no address but those of loopback")
class Questions(unittest.TestCase):
    def setUp(self):
        self.place = run_place.Place()
        self.addCleanup(self.place.temporary.cleanup)
        (self.place.folder / "app.js").write_text(PROGRAM)
        self.command = ["ubiheap", "run", "--no-progress", "--listen", "0.0.0.0:0", "app.js"]

    def start(self, is_deaf=False):
        """On a terminal of its own. Deaf: it survives the end of that."""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(self.place.folder)
            if is_deaf:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.execvpe(self.command[0], self.command, {**self.place.environment(), "LC_ALL": "C.UTF-8"})
        self.said = ""
        self.addCleanup(self.abandon)
        self.port = int(self.until(r"listening on 0\.0\.0\.0:(\d+) |libuv")[1] or self.skipTest("needs libuv"))

    def abandon(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        if self.terminal is not None:
            os.close(self.terminal)

    def until(self, pattern):
        while not (found := re.search(pattern, self.said)):
            self.said += os.read(self.terminal, 65536).decode().replace("\r\n", "\n")
        self.said = self.said[found.end():]
        return found

    def answer(self, text):
        os.write(self.terminal, text.encode())

    def connect(self, host=None):
        connection = socket.create_connection((host or ADDRESS, self.port))
        self.addCleanup(connection.close)
        return connection

    def assert_greeted(self, connection):
        self.assertIn(b'"applicationType"', connection.recv(4096))

    def assert_refused(self, connection):
        with connection.makefile("rb") as file:
            self.assertEqual(file.read(), b'120:{"from":"root","error":"connectionRefused","message":'
                             b'"the question at the program\'s terminal was not answered with yes"}')

    def test_a_client_is_let_in(self):
        self.start()
        client = self.connect()
        self.assertEqual(self.until(QUESTION)[1], ADDRESS)
        self.answer("y\n")
        self.assert_greeted(client)
        again = self.connect()  # each is asked about
        self.until(QUESTION)
        self.answer("Yes\n")
        self.assert_greeted(again)

    def test_a_client_is_refused(self):
        self.start()
        for words in ("n\n", "\n", " y\n", "certainly\n"):
            client = self.connect()
            self.until(QUESTION)
            self.answer(words)
            self.assert_refused(client)

    def test_our_client_is_refused_in_words(self):
        self.start()
        client = subprocess.Popen(["ubiheap", "attach", f"ubi://{ADDRESS}:{self.port}"], env=self.place.environment(),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.until(QUESTION)
        self.answer("n\n")
        self.assertEqual((*client.communicate(), client.returncode), (b"", f"ubiheap: ubi://{ADDRESS}:{self.port}: does not let this "
                         "connection in: the question at the program's terminal was not answered with yes\n".encode(), 4))

    def test_this_machine_is_not_asked_about(self):
        self.start()
        self.assert_greeted(self.connect("127.0.0.1"))
        waiting = self.connect()
        self.until(QUESTION)
        self.assert_greeted(self.connect("127.0.0.1"))  # no question keeps others waiting
        self.assertEqual(self.said, "")
        self.answer("n\n")
        self.assert_refused(waiting)

    def test_two_at_once_are_asked_about_one_after_the_other(self):
        self.start()
        first, second = self.connect(), None
        self.until(QUESTION)
        second = self.connect()
        self.answer("y\n")
        self.assert_greeted(first)
        self.until(QUESTION)
        self.answer("n\n")
        self.assert_refused(second)

    def test_what_was_typed_before_a_question_is_no_answer(self):
        self.start()
        self.answer("y\n")
        self.until("y\n")  # the terminal has it
        client = self.connect()
        self.until(QUESTION)
        self.answer("n\n")
        self.assert_refused(client)

    def test_a_client_that_leaves_while_it_is_asked_about(self):
        self.start()
        self.connect().close()
        self.until(QUESTION)
        self.answer("y\n")
        client = self.connect()
        self.until(QUESTION)
        self.answer("y\n")
        self.assert_greeted(client)

    def test_a_terminal_that_closes_while_it_asks_refuses(self):
        self.start(is_deaf=True)
        client = self.connect()
        self.until(QUESTION)
        os.close(self.terminal)
        self.terminal = None
        self.assert_refused(client)
        self.assert_refused(self.connect())  # there is none to ask on any more
        self.assert_greeted(self.connect("127.0.0.1"))
        self.assertEqual(os.waitpid(self.pid, os.WNOHANG), (0, 0))

    def test_without_a_terminal_it_does_not_listen_there(self):
        done = subprocess.run(self.command, cwd=self.place.folder, env=self.place.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, start_new_session=True, check=False)
        if b"libuv" in done.stderr:
            self.skipTest("needs libuv")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertIn(b"on 0.0.0.0 clients of other machines could connect, and there is no terminal to ask about each on", done.stderr)


if __name__ == "__main__":
    unittest.main()
