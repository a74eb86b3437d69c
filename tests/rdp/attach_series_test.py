#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap leaks ADDRESS --every TIME`: the series that it takes itself, against a scripted server and a listening program. With a real
Firefox: attach_firefox_test.py."""
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

from listening_program import ListeningProgram  # noqa: E402
from scripted_server import ENDED, Script, Server, bulk  # noqa: E402
from server_ages import AGES, FILES, MEMORY, descriptors  # noqa: E402


def growing(place, answers, first=1):
    """A server whose heap grows: each transfer is the next of leak-1 to leak-6, whatever the format."""
    heaps = iter(range(first, 7))
    return {**answers, (FILES, "transferHeapSnapshot"):
            [lambda _: bulk(FILES, (place.folder / f"leak-{next(heaps)}.heapsnapshot").read_bytes())]}


def without_names(document, names):
    """A document with the names of files replaced by their numbers."""
    text = json.dumps(document)
    for i, name in enumerate(names):
        text = text.replace(json.dumps(name), json.dumps(i))
    return json.loads(text)


class Series(unittest.TestCase):
    maxDiff = 4000

    place = workspace.Workspace()

    def setUp(self):
        self.temporary = self.place.folder / "temporary"
        self.temporary.mkdir(exist_ok=True)

    def start(self, server, *arguments):
        self.address = f"firefox://127.0.0.1:{server.port}"
        return subprocess.Popen([workspace.UBIHEAP, "leaks", self.address, *arguments], cwd=self.place.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(self.temporary)})

    def finish(self, process, code):
        out, error = process.communicate()
        self.error = error.decode().replace(self.address, "@")
        self.assertEqual(process.returncode, code, self.error)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return out.decode()

    def leaks(self, answers, *arguments, code=0):
        with Server(Script(answers)) as server:
            out = self.finish(self.start(server, "--every", "1ms", *arguments), code)
            self.requests = [request["type"] for request in server.requests]
        return out

    def until_asked(self, server, process, kind, times):
        while sum(request["type"] == kind for request in server.requests) < times:
            self.assertIsNone(process.poll())

    def test_a_clear_verdict_ends_it(self):
        files = [f"leak-{i}.heapsnapshot" for i in range(1, 7)]
        answers = descriptors()
        gate = ("--fail-on", "leaked(steady) > 10")
        for arguments, n, code in ((("--json",), 4, 0), (("--json", *gate), 4, 1), (("--json", "--all"), 6, 0), (("--json", "--all", *gate), 6, 1),
                                   # what does not hold yet may hold later, and a gate passes after all
                                   (("--json", "--fail-on", "leaked(steady) > 100000"), 6, 0)):
            with self.subTest(arguments):
                got = json.loads(self.leaks(growing(self.place, answers), "--times", "6", *arguments, code=code))
                self.assertEqual(len(got["heaps"]), n, self.error)
                self.assertEqual("the verdict is clear after 4 of 6 snapshots: Session grew with every step" in self.error, n == 4, self.error)
                want = json.loads(self.place.ubiheap("leaks", "--json", *files[:n]).stdout)
                self.assertEqual(without_names(got, [f"{self.address}#{i}" for i in range(1, 7)]), without_names(want, files))

    def test_ids_and_classes_of_older_heaps_are_enough_for_what_leaks(self):
        files = [f"leak-{i}.heapsnapshot" for i in range(1, 7)]
        sizes = {"grown", "growth", "byVerdict"}  # what became larger is unknown
        for n in range(2, 7):
            with self.subTest(n):
                want = json.loads(self.place.ubiheap("leaks", "--json", "-n", "0", *files[:n]).stdout)
                got = json.loads(self.leaks(growing(self.place, descriptors()), "--times", str(n), "--all", "--keep-ids", "--json", "-n", "0"))
                got = without_names(got, [f"{self.address}#{i}" for i in range(1, 7)])
                want = without_names(want, files)
                self.assertEqual({name: got[name] for name in got if name not in sizes}, {name: want[name] for name in want if name not in sizes})
                self.assertEqual(got["grown"], [])
                gate = ("--times", str(n), "--keep-ids", "--fail-on", "leaked > 10")
                self.leaks(growing(self.place, descriptors()), *gate, code=1)

    def test_a_gate_about_sizes_needs_the_heaps(self):
        for fact in ("grown(steady)", "unlisted"):
            done = self.place.ubiheap("leaks", "firefox://127.0.0.1:1", "--every", "1s", "--keep-ids", "--fail-on", f"{fact} > 1MiB")
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"is unknown with --keep-ids", done.stderr)

    def test_without_the_newest_heap_nothing_is_said(self):
        answers = growing(self.place, descriptors())
        left = iter(range(4, -1, -1))
        transfer = answers[FILES, "transferHeapSnapshot"][0]
        ending = {**answers, (FILES, "transferHeapSnapshot"):
                  [lambda request: transfer(request) if next(left) > 1 else bulk(FILES, b"x" * 99)[:-50] + self.hang_up()]}
        with Server(lambda peer: self.serve_ending(peer, ending)) as server:
            out = self.finish(self.start(server, "--every", "1ms", "--times", "6", "--keep-ids"), 4)
        self.assertEqual(out, "")

    def test_its_answer_is_that_about_files(self):
        files = [f"leak-{i}.heapsnapshot" for i in range(1, 5)]
        want = json.loads(self.place.ubiheap("leaks", "--json", *files).stdout)
        for age, answers in AGES.items():
            with self.subTest(age):
                got = json.loads(self.leaks(growing(self.place, answers()), "--times", "4", "--json"))
                labels = [f"{self.address}#{i}" for i in range(1, 5)]
                self.assertEqual(without_names(got, labels), without_names(want, files))
                self.assertEqual(self.requests.count("listTabs"), 1)
                asked = [kind for kind in self.requests if kind.startswith("force") or kind == "saveHeapSnapshot"]
                self.assertEqual(asked, 4 * ["forceGarbageCollection", "forceCycleCollection", "saveHeapSnapshot"])
                self.assertRegex(self.error, r"\A(ubiheap: @: snapshot \d of 4: \d[\d.]* KiB, after a pause of \S+ [mu]?s at most\n){4}\Z")

    def test_a_program_works_as_long_between_any_two(self):
        """However long taking one takes: from its end to the start of the next."""
        answers, times = growing(self.place, descriptors()), []
        transfer = answers[FILES, "transferHeapSnapshot"][0]
        answers[MEMORY, "saveHeapSnapshot"] = [lambda request: times.append(time.monotonic()) or time.sleep(0.4) or {"snapshotId": "1"}]
        answers[FILES, "transferHeapSnapshot"] = [lambda request: times.append(time.monotonic()) or transfer(request)]
        self.leaks(answers, "--every", "300ms", "--times", "3")
        for taken, begun in zip(times[1::2], times[2::2]):
            self.assertGreater(begun - taken, 0.3)

    def test_options(self):
        self.leaks(growing(self.place, descriptors()), "--times", "2", "--no-gc", "--no-progress")
        self.assertNotIn("forceGarbageCollection", self.requests)
        self.assertEqual(self.error, "")
        page = self.leaks(growing(self.place, descriptors()), "--times", "3", "--control", "leak-5.heapsnapshot,leak-6.heapsnapshot")
        self.assertIn("Session", page)

    def test_what_to_run_next_is_about_the_address(self):
        page = self.leaks(growing(self.place, descriptors()), "--times", "3").replace(self.address, "@")
        commands = [line.split("  #")[0].split() for line in page.splitlines() if line.startswith("  ubiheap ")]
        self.assertEqual(commands[0], "ubiheap attach @ snapshot -o heap.fxsnapshot".split())
        self.assertEqual([words[:3] for words in commands[1:]], [["ubiheap", "nodes", "heap.fxsnapshot"]])  # ids there may be others
        self.assertIn("'className == \"Page\"'", page)
        with Server(Script(growing(self.place, descriptors()))) as server:
            address = f"ubi://127.0.0.1:{server.port}"
            done = self.place.ubiheap("leaks", address, "--every", "1ms", "--times", "3")
        page = done.stdout.decode()
        self.assertRegex(page, rf"(?m)^  ubiheap paths {address} \d+\b")
        self.assertNotIn("FILE", page)

    def test_a_condition_fails_a_job(self):
        self.leaks(growing(self.place, descriptors()), "--times", "3", "--fail-on", "leaked(steady) > 10", code=1)
        self.assertIn("leaked(steady)", self.error)
        self.leaks(growing(self.place, descriptors()), "--times", "3", "--fail-on", "leaked(steady) > 1000000")

    def test_a_program_that_ends_early_decides_nothing(self):
        def ending_at(n):
            answers = growing(self.place, descriptors())
            left = iter(range(n, -1, -1))
            transfer = answers[FILES, "transferHeapSnapshot"][0]
            return {**answers, (FILES, "transferHeapSnapshot"):
                    [lambda request: transfer(request) if next(left) > 1 else bulk(FILES, b"x" * 99)[:-50] + self.hang_up()]}
        for n, code in ((1, 4), (2, 4), (3, 4)):
            with self.subTest(n), Server(lambda peer, n=n: self.serve_ending(peer, ending_at(n))) as server:
                out = self.finish(self.start(server, "--every", "1ms", "--times", "6"), code)
                self.assertEqual(out != "", n > 2)
                self.assertEqual("the series ends after 2 of 6 snapshots: " in self.error, n > 2, self.error)
                self.assertIn(ENDED, self.error)
        with Server(lambda peer: self.serve_ending(peer, ending_at(4))) as server:
            self.finish(self.start(server, "--every", "1ms", "--times", "6", "--fail-on", "leaked(steady) > 10"), 1)

    def serve_ending(self, peer, answers):
        self.peer = peer
        Script(answers)(peer)

    def hang_up(self):
        """What is sent before it counts, nothing after it."""
        connection = self.peer.socket
        self.peer.send = lambda *values: (connection.sendall(*values), connection.shutdown(2))
        return b""

    def test_ctrl_c_ends_the_series(self):
        for n, every, code in ((1, "1h", 130), (3, "1ms", 0)):
            answers = growing(self.place, descriptors())
            save = iter(range(n, -1, -1))
            answers[MEMORY, "saveHeapSnapshot"] = [lambda _: {"snapshotId": "1"} if next(save) > 0 else b""]
            with self.subTest(n), Server(Script(answers)) as server:
                process = self.start(server, "--every", every, "--json")
                self.until_asked(server, process, "transferHeapSnapshot", n)
                if n > 1:
                    self.until_asked(server, process, "saveHeapSnapshot", n + 1)
                else:
                    self.assertIn(b": snapshot 1: ", process.stderr.readline())
                process.send_signal(signal.SIGINT)
                out = self.finish(process, code)
                self.assertEqual(out != "", n > 1)
                self.assertEqual("ubiheap: @: one snapshot shows no leak\n" in self.error, n == 1, self.error)
                if n > 1:
                    self.assertGreater(json.loads(out)["leaked"]["count"], 0)

    def test_no_signal_leaves_a_file(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGQUIT):
            with self.subTest(number), Server(Script(growing(self.place, descriptors()))) as server:
                process = self.start(server, "--every", "1h")
                self.until_asked(server, process, "transferHeapSnapshot", 1)
                process.send_signal(number)
                self.finish(process, -number)

    def test_a_folder_without_room(self):
        with Server(Script(growing(self.place, descriptors()))) as server:
            self.temporary = self.place.folder / "missing"
            process = self.start(server, "--every", "1ms", "--times", "2")
            _, error = process.communicate()
        self.assertEqual(process.returncode, 4)
        self.assertIn(b"cannot make a temporary file in ", error)

    def test_a_program_of_our_own(self):
        source = ("class Session { constructor(n) { this.n = n; } }\nconst all = [];\n"
                  "function tick() { for (let i = 0; i < 20; i++) all.push(new Session(i)); setTimeout(tick, 1); }\ntick();\n")
        with ListeningProgram(self.place.folder, source) as program:
            done = self.place.ubiheap("leaks", program.address, "--every", "200ms", "--times", "3", "--json")
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertRegex(done.stderr.decode(), r": snapshot 1 of 3: \d[\d.]* KiB packed, after a pause of ")
            classes = [cluster["className"] for cluster in json.loads(done.stdout)["clusters"]]
            self.assertEqual(classes[0], "Session")
            done = self.place.ubiheap("leaks", program.address, "--every", "200ms", "--times", "3", "--fail-on", "leaked > 10")
            self.assertEqual(done.returncode, 1, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
