#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap attach node:PID`, and questions about it, on a real Node.js: its inspector is opened and closed again, and the program lives."""
import itertools
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path[:0] = [str(SOURCE_DIR / "tests" / "cli"), str(SOURCE_DIR / "tests" / "support")]
import workspace  # noqa: E402
from address_limit import lift_limit  # noqa: E402

NODE = shutil.which("node")
LEAKING = """
class Visit { constructor(i) { this.i = i; this.data = new Array(50).fill(i); } }
const kept = [];
let i = 0;
setInterval(() => { for (let k = 0; k < 20; k++) kept.push(new Visit(i++)); }, 5);
setInterval(() => process.stdout.write(kept.length > 500 ? "alive\\n" : ""), 20);
"""
# Two workers, the second of which leaks. SIGHUP ends it by itself, SIGUSR2 from outside, SIGTERM all of the program.
WORKERS = """
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
class Job { constructor(i) { this.data = new Array(50).fill(i); } }
const kept = [];
if (isMainThread) {
    let n = 0;
    const workers = [0, 1].map(i => new Worker(__filename, { workerData: i }).on('message', () => n++));
    process.on('SIGHUP', () => workers[1].postMessage('end'));
    process.on('SIGUSR2', () => workers[1].terminate());
    process.on('SIGTERM', () => process.exit(7));
    setInterval(() => process.stdout.write(n > 1 ? 'alive\\n' : ''), 20);
} else {
    parentPort.on('message', () => process.exit());
    setInterval(() => { for (let i = 0; workerData && i < 20; i++) kept.push(new Job(i)); }, 5);
    setTimeout(() => parentPort.postMessage('here'), 200);
}
"""

# Of a shell that a program waits for: until that has ended.
FOREVER = "while [ -e /proc/$PPID/exe ]; do sleep 0.1; done"
# Two processes, and their primary, which gives them the ports after its own for their inspectors.
CLUSTER = """
const cluster = require('cluster');
if (cluster.isMaster) {
    let n = 0;
    for (let i = 0; i < 2; i++) cluster.fork().on('online', () => n++);
    setInterval(() => process.stdout.write(n > 1 ? 'alive\\n' : ''), 20);
} else {
    setInterval(() => {}, 20);
}
"""


def listening_sockets(pid):
    """Those of TCP that a process has."""
    folder = pathlib.Path(f"/proc/{pid}")
    rows = [line.split() for line in (folder / "net/tcp").read_text().splitlines()[1:]]
    listening = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"}
    return listening & {os.readlink(link) for link in (folder / "fd").iterdir() if link.is_symlink()}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Program:
    """A Node.js program; a context manager. Each has a port of its own for its inspector, which is not open."""

    def __init__(self, place, *options, code=LEAKING):
        self.port = free_port()
        path = place.folder / "leaking.js"
        path.write_text(code)
        self.process = subprocess.Popen([NODE, f"--inspect-port={self.port}", *options, str(path)], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, preexec_fn=lift_limit)
        self.wait_for_sign()

    def wait_for_sign(self):
        """It works, and has said so since this was called."""
        assert self.process.stdout.readline() == "alive\n", "the program has ended"

    def is_listening(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except ConnectionRefusedError:
            return False

    def wait_until_closed(self):
        """The program closes its inspector between its jobs: right after the tool has left."""
        while self.is_listening():
            self.wait_for_sign()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@unittest.skipUnless(NODE, "needs node")
class Node(unittest.TestCase):
    place = workspace.Workspace()

    def ubiheap(self, *arguments):
        return subprocess.run([workspace.UBIHEAP, *map(str, arguments)], capture_output=True, check=False, cwd=self.place.folder)

    def ask(self, *arguments):
        done = self.ubiheap(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def test_verbs_and_questions_leave_it_as_it_was(self):
        with Program(self.place) as program:
            address = f"node:{program.process.pid}"
            heaps = json.loads(self.ask("attach", address, "--json"))["heaps"]
            self.assertEqual([(heap["kind"], heap["number"]) for heap in heaps], [("tab", 1)])
            self.assertTrue(heaps[0]["title"].endswith("leaking.js"), heaps)
            program.wait_until_closed()
            sizes = json.loads(self.ask("attach", address, "measure", "--json"))["measure"]
            for name in ("heapUsedSize", "heapTotalSize", "heapLimitSize", "externalSize", "resident"):
                self.assertGreater(sizes[name], 0, name)
            self.assertLessEqual(sizes["heapUsedSize"], sizes["heapTotalSize"])
            self.assertIn("Garbage was collected", self.ask("attach", address, "gc"))
            self.ask("attach", address, "snapshot", "-o", "node.heapsnapshot")
            saved = json.loads((self.place.folder / "node.heapsnapshot").read_text())
            self.assertNotIn("global / ", saved["strings"])  # it wrote it itself, into a pipe
            self.assertEqual(saved["snapshot"]["node_count"] * len(saved["snapshot"]["meta"]["node_fields"]), len(saved["nodes"]))
            self.assertIn("Visit", self.ask("summary", address))
            program.wait_until_closed()
            program.wait_for_sign()

    def test_a_program_that_cannot_write_it_sends_it(self):
        """As in a container, whose paths are others: by the protocol, which is slower. What it cannot write to its end is an error."""
        blind = "const fs = require('fs'); fs.statSync = () => { throw new Error('no such file'); };"
        broken = "require('v8').writeHeapSnapshot = path => { require('fs').writeFileSync(path, '{\"snapshot\":'); throw new Error('full'); };"
        command = ("snapshot", "-o", "sent.heapsnapshot")
        with Program(self.place, code=blind + LEAKING) as program:
            self.ask("attach", f"node:{program.process.pid}", *command)
            self.assertIn("global / ", (self.place.folder / "sent.heapsnapshot").read_text())  # V8 itself calls it global
            (self.place.folder / "sent.heapsnapshot").unlink()
        with Program(self.place, code=broken + LEAKING) as program:
            done = self.ubiheap("attach", f"node:{program.process.pid}", *command)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (4, 1), done.stderr)
            self.assertIn(b"could not write all of its snapshot", done.stderr)
            self.assertFalse((self.place.folder / "sent.heapsnapshot").exists())
            program.wait_until_closed()
            program.wait_for_sign()

    def test_a_tool_that_is_killed(self):
        """The program lives, wherever it is with its snapshot."""
        code = "globalThis.big = Array.from({ length: 1e5 }, (_, i) => ({ i, s: 'text ' + i }));" + LEAKING
        moments = random.Random()
        for turn in range(5):
            with self.subTest(turn), Program(self.place, code=code) as program:
                process = subprocess.Popen([workspace.UBIHEAP, "summary", f"node:{program.process.pid}"], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                while not program.is_listening() and process.poll() is None:
                    time.sleep(0.002)
                time.sleep(moments.uniform(0, 1))
                process.kill()
                process.wait()
                for _ in range(5):
                    program.wait_for_sign()

    def test_a_series_finds_the_leak(self):
        with Program(self.place) as program:
            done = self.ubiheap("leaks", f"node:{program.process.pid}", "--every", "0.2s", "--times", "3", "--fail-on", "count > 0")
            self.assertIn(b"Visit", done.stdout)
            self.assertIn(b"kept", done.stdout)
            self.assertRegex(done.stdout, rb"variable kept of leaking\.js")
            self.assertNotIn(b"RAM of the process", done.stdout)
            program.wait_until_closed()

    def test_two_snapshots_of_a_program_that_rests_have_no_leak(self):
        """What the tool itself has in the program is not the program's."""
        with Program(self.place, code="setInterval(() => process.stdout.write('alive\\n'), 20);") as program:
            address = f"node:{program.process.pid}"
            self.ask("leaks", address, "--every", "0.2s", "--times", "2")  # it has written a snapshot before
            for _ in range(2):
                self.ask("leaks", address, "--every", "0.2s", "--times", "2", "--fail-on", "leaked > 0")
                program.wait_until_closed()

    def test_a_command_that_runs_meanwhile(self):
        """The series ends with it, or it with the series; one that fails is named."""
        with Program(self.place) as program:
            address = f"node:{program.process.pid}"
            done = self.ubiheap("leaks", address, "--every", "0.3s", "--while", "sleep 3; echo worked; exit 7")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"Visit", done.stdout)
            self.assertNotIn(b"worked", done.stdout)
            self.assertIn(b"it ended with status 7", done.stderr)
            done = self.ubiheap("leaks", address, "--every", "0.3s", "--times", "2", "--while", "echo $$ > pid; exec sleep 1000")
            self.assertEqual(done.returncode, 0, done.stderr)
            with self.assertRaises(ProcessLookupError):
                os.killpg(int((self.place.folder / "pid").read_text()), 0)
            done = self.ubiheap("leaks", address, "--every", "4s", "--while", "sleep 9")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, rb"ended [\d.]+ m?s after snapshot [12], not 4.00 s: (no snapshot is taken|the last step)")
            done = self.ubiheap("leaks", address, "--every", "1000s", "--while", "true")
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            program.wait_until_closed()

    def test_a_program_in_another_network(self):
        """As in a container: its process numbers and its network are its own. Another program has the same port here, and is left alone."""
        enter = ["unshare", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        if not shutil.which("ip") or subprocess.run([*enter, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("needs root, unshare and ip")
        path = self.place.folder / "inside.js"
        path.write_text(LEAKING.replace("Visit", "Inside"))
        with Program(self.place, f"--inspect=127.0.0.1:{free_port()}") as outside:
            port = next(arg for arg in outside.process.args if arg.startswith("--inspect=")).rpartition(":")[2]
            inside = subprocess.Popen([*enter, NODE, f"--inspect-port={port}", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      text=True, preexec_fn=lift_limit)
            try:
                self.assertEqual(inside.stdout.readline(), "alive\n")
                child = subprocess.run(["pgrep", "-P", str(inside.pid)], capture_output=True, text=True, check=True).stdout.split()[0]
                said = self.ask("summary", f"node:{child}", "--top", "60")
                self.assertIn("Inside", said)
                self.assertNotIn("Visit", said)
                self.assertIn("Visit", self.ask("summary", f"node:{outside.process.pid}", "--top", "60"))
            finally:
                inside.kill()
                inside.communicate()

    def test_a_network_without_its_loopback_interface(self):
        """Nothing can connect there: it is said, and no inspector is opened."""
        enter = ["unshare", "--net", "--pid", "--fork", "--kill-child"]
        if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("needs root and unshare")
        path = self.place.folder / "inside.js"
        path.write_text(LEAKING)
        with subprocess.Popen([*enter, NODE, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=lift_limit) as inside:
            self.assertEqual(inside.stdout.readline(), "alive\n")
            child = subprocess.run(["pgrep", "-P", str(inside.pid)], capture_output=True, text=True, check=True).stdout.split()[0]
            done = self.ubiheap("attach", f"node:{child}", "measure")
            self.assertEqual((done.returncode, done.stdout), (4, b""), done.stderr)
            self.assertIn(b"loopback interface is down", done.stderr)
            inside.kill()
            self.assertEqual(inside.communicate()[1], "")

    def test_what_it_allocates(self):
        """Sampled, and each object with its stack: shown, kept, and kept after Ctrl-C."""
        with Program(self.place) as program:
            address = f"node:{program.process.pid}"
            said = self.ask("attach", address, "profile", "--seconds", "1")
            self.assertIn("leaking.js:5", said)
            self.assertNotIn("Next", said)  # what was shown was not kept
            said = self.ask("attach", address, "track", "--seconds", "0.3")
            self.assertIn("leaking.js:", said)
            self.assertRegex(said, r"of which [\d,]{2,} objects are alive")
            self.ask("attach", address, "track", "--seconds", "0.3", "-o", "all.heaptimeline")
            self.assertIn("leaking.js:", self.ask("allocations", "all.heaptimeline"))
            process = subprocess.Popen([workspace.UBIHEAP, "attach", address, "profile", "--seconds", "0", "-o", "until.heapprofile"],
                                       cwd=self.place.folder, stderr=subprocess.PIPE)
            program.wait_until_closed()
            while not program.is_listening():
                time.sleep(0.002)
            for _ in range(20):
                program.wait_for_sign()
            process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
            if process.returncode == 0:  # or it was still connecting
                self.assertIn("alive", self.ask("report", "until.heapprofile"))
            else:
                self.assertEqual(process.returncode, 130, said)
            program.wait_until_closed()
            program.wait_for_sign()

    def test_what_it_allocated_before_it_ended(self):
        """A profile is what was seen last; of a track nothing is left. Either line says that it was the program that ended."""
        for verb, name in (("profile", "cut.heapprofile"), ("track", "cut.heaptimeline")):
            with self.subTest(verb), Program(self.place) as program:
                process = subprocess.Popen([workspace.UBIHEAP, "attach", f"node:{program.process.pid}", verb, "--seconds", "0", "-o", name],
                                           cwd=self.place.folder, stderr=subprocess.PIPE)
                while not program.is_listening():
                    time.sleep(0.002)
                end = time.monotonic() + 2.5  # it may be seen once, or not at all
                while time.monotonic() < end:
                    program.wait_for_sign()
                program.process.kill()
                said = process.communicate()[1]
                self.assertEqual(process.returncode, 4, said)
                self.assertIn(b"the program has ended", said)
                is_kept = (self.place.folder / name).exists()
                self.assertEqual(is_kept, b"the recording ends after" in said, said)
                self.assertFalse(is_kept and verb == "track")
                if is_kept:
                    self.assertIn("alive", self.ask("report", name))
                else:
                    self.assertIn(b"is lost", said)

    def test_a_program_that_ends_by_itself(self):
        """Node.js waits at its end for its debuggers to leave, and would forever. Whatever we wait for, we leave; what came is used."""
        ends = {
            "in a handler": "process.on('SIGTERM', () => process.exit(7));",
            "by a timer": "process.on('SIGTERM', () => setTimeout(() => process.exit(7), 20));",
            "with nothing left to do": "process.on('SIGTERM', () => { timers.forEach(clearInterval); process.exitCode = 7; });",
        }
        code = LEAKING.replace("setInterval(", "timers.push(setInterval(").replace(", 5);", ", 5));").replace(", 20);", ", 20));")
        for (how, end), command in itertools.product(ends.items(), (("leaks", "ADDRESS", "--every", "1000s", "--times", "2"),
                                                                    ("attach", "ADDRESS", "profile", "--seconds", "0"))):
            with self.subTest(how, verb=command[0]), Program(self.place, code="const timers = [];" + end + code) as program:
                words = [word.replace("ADDRESS", f"node:{program.process.pid}") for word in command]
                process = subprocess.Popen([workspace.UBIHEAP, *words], cwd=self.place.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                if command[0] == "leaks":
                    said = process.stderr.readline()
                    self.assertIn(b"snapshot 1 of 2", said)
                else:
                    while not program.is_listening():
                        time.sleep(0.002)
                    for _ in range(50):
                        program.wait_for_sign()
                program.process.send_signal(signal.SIGTERM)
                program.process.stdout.read()
                self.assertEqual(program.process.wait(), 7)
                said = process.communicate()[1]
                self.assertEqual(process.returncode, 4, said)
                if command[0] == "leaks":
                    self.assertIn(b"the program has ended", said)

    def assert_it_may_end(self, code, turns, suffix=""):
        """It exits by itself, at moments that differ from run to run, while we ask it: neither waits for the other."""
        moments = random.Random()
        for turn in range(turns):
            command = ("leaks", "--every", "0.01s", "--times", "200") if turn % 2 else ("attach", "track", "--seconds", "0", "-o", "cut.heaptimeline")
            with self.subTest(turn), Program(self.place, code=code) as program:
                words = [command[0], f"node:{program.process.pid}{suffix}", *command[1:]]
                process = subprocess.Popen([workspace.UBIHEAP, *words], cwd=self.place.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                while not program.is_listening() and process.poll() is None:
                    time.sleep(0.002)
                time.sleep(moments.uniform(0, 2))
                program.process.send_signal(signal.SIGTERM)
                program.process.stdout.read()
                self.assertEqual(program.process.wait(), 7)
                said = process.communicate()[1]
                self.assertIn(process.returncode, (3, 4), said)  # 3: what there is does not suffice for an answer

    def test_a_program_that_ends_while_it_is_asked(self):
        big = "globalThis.big = Array.from({ length: 1e5 }, (_, i) => ({ i })); process.on('SIGTERM', () => process.exit(7));"
        self.assert_it_may_end(big + LEAKING, 8)

    def test_a_program_that_cannot_answer(self):
        """A debugger holds it, or it is stopped: said at once. The first lives as before, and is no less held."""
        with Program(self.place) as program:
            program.process.send_signal(signal.SIGSTOP)
            done = self.ubiheap("attach", f"node:{program.process.pid}", "measure")
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (4, 1), done.stderr)
            self.assertIn(b"is stopped (SIGSTOP)", done.stderr)
        path = self.place.folder / "held.js"
        path.write_text(LEAKING)
        held = subprocess.Popen([NODE, f"--inspect-brk=127.0.0.1:{free_port()}", str(path)], stderr=subprocess.PIPE, preexec_fn=lift_limit)
        try:
            self.assertIn(b"listening", held.stderr.readline())
            for _ in range(2):
                done = self.ubiheap("leaks", f"node:{held.pid}", "--every", "0.1s", "--times", "2")
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(b"a debugger holds the program", done.stderr)
            self.assertIsNone(held.poll())
        finally:
            held.kill()
            held.communicate()

    def test_a_program_that_does_not_answer_is_given_up(self):
        """It waits where no script can reach it. Patience is for what waits, and for engines that have one."""
        code = "process.stdout.write('alive\\n', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));"
        with Program(self.place, f"--inspect=127.0.0.1:{free_port()}", code=code) as program:
            for command in (("leaks", "--every", "0.1s"), ("attach", "gc")):
                done = self.ubiheap(command[0], f"node:{program.process.pid}", *command[1:], "--patience", "1.5s")
                self.assertEqual((done.returncode, done.stdout), (4, b""), done.stderr)
                self.assertIn(b"no answer in 1.50 s", done.stderr)
            self.assertIsNone(program.process.poll())
        for words in (("leaks", "node:1", "--every", "1s", "--patience", "soon"), ("leaks", "firefox://h", "--every", "1s", "--patience", "1s"),
                      ("leaks", "a.heapsnapshot", "b.heapsnapshot", "--patience", "1s"), ("attach", "node:1", "--patience", "0")):
            done = self.ubiheap(*words)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)
            self.assertIn(b"--patience", done.stderr)

    def test_worker_threads_have_heaps_of_their_own(self):
        """They are counted, once. No gate passes."""
        code = ("const { Worker, isMainThread } = require('worker_threads'); const kept = [];"
                "if (isMainThread) { let n = 0; for (let i = 0; i < 2; i++) new Worker(__filename).on('online', () => n++);"
                "setInterval(() => process.stdout.write(n > 1 ? 'alive\\n' : ''), 20); } else setInterval(() => kept.push({}), 20);")
        with Program(self.place, code=code) as program:
            command = ("leaks", f"node:{program.process.pid}", "--every", "0.1s", "--times", "2", "--fail-on")
            for condition, status in (("leaked > 1000000", 3), ("leaked >= 0", 1)):
                done = self.ubiheap(*command, condition)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(done.stderr.count(b"2 worker threads of it have heaps of their own, not looked at"), 1, done.stderr)
            program.wait_until_closed()
            program.wait_for_sign()

    def test_a_worker_is_listed_and_chosen(self):
        """By its number or its name, in the address or beside it; all verbs take it, and a gate passes then."""
        with Program(self.place, code=WORKERS) as program:
            address = f"node:{program.process.pid}"
            heaps = json.loads(self.ask("attach", address, "--json"))["heaps"]
            self.assertEqual([(heap["kind"], heap["number"]) for heap in heaps], [("tab", 1), ("worker", 1), ("worker", 2)])
            self.assertTrue(all(heap["url"].endswith("leaking.js") for heap in heaps), heaps)
            for words in (("--target", "2"), ("--target", "orker 2")):
                self.assertEqual([heap["number"] for heap in json.loads(self.ask("attach", address, "list", "--json", *words))["heaps"]], [2])
            for number in (0, 1, 2):
                jobs = self.ask("nodes", f"{address}/worker/{number}", "--where", 'className == "Job" and coarseType == "Object"', "--limit", "50")
                self.assertEqual(jobs.count("Job") > 30, number == 2, jobs)
            self.assertGreater(json.loads(self.ask("attach", address, "measure", "--target", "2", "--json"))["measure"]["heapUsedSize"], 100000)
            self.assertIn("Garbage was collected", self.ask("attach", address, "gc", "--target", "2"))
            self.assertIn("leaking.js:", self.ask("attach", address, "profile", "--seconds", "1", "--target", "2"))
            self.ask("attach", address, "track", "--seconds", "0.3", "--target", "2", "-o", "job.heaptimeline")
            self.assertIn("leaking.js:", self.ask("allocations", "job.heaptimeline"))
            self.ask("attach", address, "snapshot", "--target", "2", "-o", "job.heapsnapshot")
            saved = (self.place.folder / "job.heapsnapshot").read_text()
            self.assertIn('"Job"', saved)
            program.wait_until_closed()
            program.wait_for_sign()

    def test_the_leak_of_a_worker_is_found(self):
        """What is asked next is about it. The threads beside the one that was chosen are not judged."""
        with Program(self.place, code=WORKERS) as program:
            address = f"node:{program.process.pid}"
            command = ("leaks", address, "--every", "0.2s", "--times", "3", "--fail-on")
            done = self.ubiheap(*command, "leaked > 0", "--target", "2")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(b"Job", done.stdout)
            self.assertIn(f"ubiheap attach {address} snapshot --target 2 -o".encode(), done.stdout)
            done = self.ubiheap(*command, "leaked > 1000000", "--target", "2", "--keep-ids")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(b"not looked at", done.stderr)
            self.assertEqual(self.ubiheap(*command, "leaked > 1000000", "--target", "0").returncode, 0)
            program.wait_until_closed()

    def test_what_is_not_there_to_choose(self):
        with Program(self.place, code=WORKERS) as program:
            address = f"node:{program.process.pid}"
            for verb in ("list", "gc"):
                for target, words in (("9", b"has no worker thread 9: there are 2"), ("absent", b"has nothing with 'absent' in its title or address")):
                    done = self.ubiheap("attach", address, verb, "--target", target)
                    self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1), done.stderr)
                    self.assertIn(words, done.stderr)
            program.wait_until_closed()
        for words in (("attach", "firefox://h", "--target", "1"), ("attach", "node:1/worker/1", "--target", "1"), ("attach", "node:1", "--target", ""),
                      ("leaks", "a.heapsnapshot", "b.heapsnapshot", "--target", "1"), ("attach", "chrome://h", "--target", "00")):
            done = self.ubiheap(*words)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)
            self.assertIn(b"--target", done.stderr)

    def test_a_worker_that_ends(self):
        """By itself, or ended by the program, which lives: whatever we wait for, we leave."""
        for number, (verb, options) in itertools.product((signal.SIGHUP, signal.SIGUSR2), (
                ("leaks", ("--every", "1000s", "--times", "2")), ("attach", ("profile", "--seconds", "0")))):
            with self.subTest(number, verb=verb), Program(self.place, code=WORKERS) as program:
                process = subprocess.Popen([workspace.UBIHEAP, verb, f"node:{program.process.pid}/worker/2", *options], cwd=self.place.folder,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                if verb == "leaks":
                    self.assertIn(b"snapshot 1 of 2", process.stderr.readline())
                else:
                    while not program.is_listening():
                        time.sleep(0.002)
                    for _ in range(50):
                        program.wait_for_sign()
                program.process.send_signal(number)
                said = process.communicate()[1]
                self.assertNotIn(process.returncode, (0, 130), said)
                self.assertRegex(said, b"the worker thread has ended|has no worker thread 2")
                program.wait_until_closed()
                program.wait_for_sign()

    def test_a_program_that_ends_while_its_worker_is_asked(self):
        self.assert_it_may_end(WORKERS, 6, "/worker/2")

    def test_the_processes_of_a_cluster_are_left_as_they_were(self):
        """Node.js opens the inspector of each when that of their primary opens."""
        with Program(self.place, code=CLUSTER) as program:
            address = f"node:{program.process.pid}"
            for words in (("attach", address, "measure"), ("summary", address), ("attach", address)):
                done = self.ubiheap(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"2 processes of its cluster have heaps of their own, not looked at: node:", done.stderr)
                members = [int(word.strip(b",")[5:]) for word in done.stderr.split() if word.startswith(b"node:") and word[5:6].isdigit()
                           and not word.endswith(b":")]
                self.assertEqual(len(members), 2, done.stderr)
                program.wait_until_closed()
                while any(listening_sockets(member) for member in members):
                    program.wait_for_sign()
            for member in members:
                self.assertGreater(json.loads(self.ask("attach", f"node:{member}", "measure", "--json"))["measure"]["heapUsedSize"], 100000)

    def test_a_gate_on_the_primary_of_a_cluster_cannot_pass(self):
        with Program(self.place, code=CLUSTER) as program:
            gate = ("leaks", f"node:{program.process.pid}", "--every", "100ms", "--times", "2", "--fail-on", "bytes > 1GiB")
            done = self.ubiheap(*gate)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(b"cannot judge it: its cluster's processes may leak", done.stderr)
            self.assertEqual(self.ubiheap(*gate, "--target", "0").returncode, 0)

    def test_what_is_no_address_for_a_series(self):
        for words, said in ((("node:abc",), b"'node:abc' is not node:PID"), (("node:-5",), b"'node:-5' is not node:PID"), (("node:",), b"not node:PID"),
                            (("4711",), b"node:4711 is that process of Node.js"), (("node:1", "node:2"), b"of one address, such as node:PID; here are 2")):
            done = self.ubiheap("leaks", *words, "--every", "1s", "--times", "2")
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            self.assertIn(said, done.stderr)

    def test_a_misspelt_verdict_is_refused_before_the_series(self):
        done = self.ubiheap("leaks", "node:1", "--every", "1h", "--times", "3", "--fail-on", "leaked(stedy) > 1")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"'stedy' is no verdict; did you mean steady? A class of that name has quotes: leaked('stedy')", done.stderr)

    def test_who_else_is_connected_is_said(self):
        with Program(self.place) as program:
            address = f"node:{program.process.pid}"
            other = subprocess.Popen([workspace.UBIHEAP, "attach", address, "profile", "--seconds", "0"], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, cwd=self.place.folder)
            while not any(line.split()[3] == "01" and int(line.split()[1].split(":")[1], 16) == program.port
                          for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]):
                program.wait_for_sign()
            done = self.ubiheap("leaks", address, "--every", "100ms", "--times", "2")
            self.assertIn(b"another debugger, or another ubiheap, is connected, too", done.stderr)
            other.send_signal(signal.SIGINT)
            other.wait()
            program.wait_until_closed()
            self.assertNotIn(b"is connected, too", self.ubiheap("leaks", address, "--every", "100ms", "--times", "2").stderr)

    def test_ram_that_is_not_of_the_heap(self):
        code = "let n = 0; setInterval(() => { process.env['K' + n++] = 'x'.repeat(1 << 20); process.stdout.write('alive\\n'); }, 20);"
        with Program(self.place, code=code) as program:
            done = self.ubiheap("leaks", f"node:{program.process.pid}", "--every", "3s", "--times", "3")
            self.assertRegex(done.stdout.decode().replace("\n", " "),
                             rf"RAM of the process grew by [^ ]+ MiB\s+between\s+the\s+snapshots,\s+its\s+heap\s+by .*'ubiheap\s+rss\s+{program.process.pid}'")

    def test_a_profile_of_too_little(self):
        with Program(self.place, code="setInterval(() => process.stdout.write('alive\\n'), 50);") as program:
            self.assertIn("a profile samples coarsely", self.ask("attach", f"node:{program.process.pid}", "profile", "--seconds", "0.2"))

    def test_an_address_that_it_printed_has_its_sizes(self):
        with Program(self.place) as program:
            program.process.send_signal(signal.SIGUSR1)
            while not program.is_listening():
                program.wait_for_sign()
            with urllib.request.urlopen(f"http://127.0.0.1:{program.port}/json/list") as answer:
                address = json.load(answer)[0]["webSocketDebuggerUrl"]
            self.assertIn("resident", json.loads(self.ask("attach", address, "measure", "--json"))["measure"])
            self.assertIn("program", self.ask("attach", f"node:{program.process.pid}"))

    def test_a_question_keeps_its_snapshot(self):
        with Program(self.place) as program:
            said = self.ask("report", f"node:{program.process.pid}", "--keep", "kept.heapsnapshot", "--json")
            self.assertEqual(json.loads(said)["file"], "kept.heapsnapshot")
            self.assertEqual(self.ask("report", "kept.heapsnapshot", "--json"), said)
            program.wait_until_closed()

    def test_a_port_that_another_program_has(self):
        with Program(self.place) as program, socket.create_server(("127.0.0.1", program.port)):
            done = self.ubiheap("attach", f"node:{program.process.pid}", "measure")
            self.assertEqual((done.returncode, done.stdout), (4, b""), done.stderr)
            self.assertIn(f"another program has its port, {program.port}".encode(), done.stderr)
            program.wait_for_sign()

    def test_an_inspector_that_was_open_stays_open(self):
        with Program(self.place, f"--inspect=127.0.0.1:{free_port()}") as program:
            self.assertFalse(program.is_listening())
            for _ in range(2):
                self.assertIn("leaking.js", self.ask("attach", f"node:{program.process.pid}"))
            self.assertFalse(program.is_listening())
            program.wait_for_sign()

    def test_two_at_once(self):
        with Program(self.place) as program:
            command = [workspace.UBIHEAP, "attach", f"node:{program.process.pid}", "snapshot", "-o"]
            both = [subprocess.Popen([*command, self.place.folder / f"{i}.heapsnapshot"], stderr=subprocess.PIPE) for i in range(2)]
            ends = [(one.communicate()[1], one.returncode) for one in both]
            self.assertEqual([code for _, code in ends], [0, 0], ends)
            program.wait_until_closed()
            program.wait_for_sign()

    def test_who_leaves_first_leaves_it_open_for_the_other(self):
        with Program(self.place) as program:
            address = f"node:{program.process.pid}"
            patient = subprocess.Popen([workspace.UBIHEAP, "attach", address, "profile", "--seconds", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not program.is_listening():
                time.sleep(0.002)
            for verb in ("list", "gc"):
                self.ask("attach", address, verb)
            out, said = patient.communicate()
            self.assertEqual(patient.returncode, 0, said)
            self.assertIn(b"leaking.js:5", out)
            program.wait_until_closed()
            program.wait_for_sign()

    def test_interrupted_it_leaves_in_order(self):
        """Ctrl-C while the snapshot is under way: nothing is saved, the inspector is closed, the program lives."""
        code = "globalThis.big = Array.from({ length: 3e5 }, (_, i) => ({ i, s: 'text ' + i }));" + LEAKING
        with Program(self.place, code=code) as program:
            process = subprocess.Popen([workspace.UBIHEAP, "attach", f"node:{program.process.pid}", "snapshot", "-o", "cut.heapsnapshot"],
                                       cwd=self.place.folder, stderr=subprocess.PIPE)
            while not program.is_listening() and process.poll() is None:
                time.sleep(0.002)
            process.send_signal(signal.SIGINT)
            process.communicate()
            self.assertIn(process.returncode, (130, 0))
            self.assertEqual((self.place.folder / "cut.heapsnapshot").exists(), process.returncode == 0)
            program.wait_until_closed()
            program.wait_for_sign()

    def test_a_target_that_is_killed(self):
        """At 20 moments that differ from run to run, saved to a file or read while it comes: one line, nothing is left."""
        moments = random.Random()
        for turn in range(20):
            command = ("summary", "--top", "3") if turn % 2 else ("attach", "snapshot", "-o", "cut.heapsnapshot")
            with self.subTest(turn), Program(self.place) as program:
                words = [command[0], f"node:{program.process.pid}", *command[1:]]
                process = subprocess.Popen([workspace.UBIHEAP, *words], cwd=self.place.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                while not program.is_listening() and process.poll() is None:
                    time.sleep(0.002)
                time.sleep(moments.uniform(0, 0.4))  # wherever it is by then
                program.process.kill()
                out, said = process.communicate()
                self.assertIn(process.returncode, (0, 4), said)
                if turn % 2:
                    self.assertEqual((out == b"", said.count(b"\n")), (True, 1) if process.returncode else (False, 0), said)
                else:
                    self.assertEqual(said.count(b"\n"), 1, said)
                    self.assertEqual((self.place.folder / "cut.heapsnapshot").exists(), process.returncode == 0)
                    (self.place.folder / "cut.heapsnapshot").unlink(missing_ok=True)

    def test_one_interrupt_ends_it_at_any_moment(self):
        """While it connects, waits, the program pauses for a snapshot, or it leaves. The inspector is closed each time, and what there is is used."""
        code = ("globalThis.big = Array.from({ length: 1e5 }, (_, i) => ({ i, s: 'text ' + i }));"
                "setInterval(() => process.stdout.write('alive\\n'), 20);")
        moments = random.Random()
        with Program(self.place, code=code) as program:
            for turn in range(8):
                command = ("attach", "snapshot", "-o", "cut.heapsnapshot") if turn % 2 else ("leaks", "--every", "0.05s", "--times", "200")
                process = subprocess.Popen([workspace.UBIHEAP, command[0], f"node:{program.process.pid}", *command[1:]], cwd=self.place.folder,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                while not program.is_listening() and process.poll() is None:
                    time.sleep(0.002)
                time.sleep(moments.uniform(0, 3))
                process.send_signal(signal.SIGINT)
                out, said = process.communicate()
                with self.subTest(turn, said=said):
                    self.assertIn(process.returncode, (130, 0, 3), said)  # 3: what there is does not suffice for an answer
                    self.assertEqual(bool(out), process.returncode == 0 and command[0] == "leaks")
                    (self.place.folder / "cut.heapsnapshot").unlink(missing_ok=True)
                    program.wait_until_closed()
                    program.wait_for_sign()

    def test_it_says_for_what_it_waits_to_leave(self):
        """After one interrupt the inspector is closed, when the program answers. Another one leaves at once."""
        code = ("process.on('SIGHUP', () => { require('fs').writeSync(1, 'blocked\\n');"
                "require('child_process').execSync(COMMAND, { stdio: 'ignore' }); });") + LEAKING
        for command, is_patient in (("sleep 10", True), (FOREVER, False)):
            with self.subTest(command), Program(self.place, code=code.replace("COMMAND", json.dumps(command))) as program:
                process = subprocess.Popen([workspace.UBIHEAP, "leaks", f"node:{program.process.pid}", "--every", "1000s", "--times", "2"],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertIn(b"snapshot 1 of 2", process.stderr.readline())
                program.process.send_signal(signal.SIGHUP)
                while program.process.stdout.readline() != "blocked\n":
                    pass
                process.send_signal(signal.SIGINT)
                self.assertIn(b"one snapshot shows no leak", process.stderr.readline())
                self.assertIn(b"the inspector that was opened is closed when the program answers", process.stderr.readline())
                if is_patient:
                    self.assertEqual((process.communicate()[1], process.returncode), (b"", 130))
                    program.wait_until_closed()
                    continue
                process.send_signal(signal.SIGINT)
                process.communicate()
                self.assertEqual(process.returncode, 130)
                self.assertIsNone(program.process.poll())

    def test_a_program_that_waits_in_a_call(self):
        """As in execSync: it would open its inspector afterwards. A line says so meanwhile, and one names the limit when that is over."""
        code = f"require('child_process').execSync({json.dumps('echo alive; ' + FOREVER)}, {{ stdio: 'inherit' }});"
        with Program(self.place, code=code) as program:
            done = self.ubiheap("attach", f"node:{program.process.pid}", "measure", "--patience", "4s")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (4, b"", 2), done.stderr)
            self.assertIn(b"since its main thread waits in a call, such as execSync", done.stderr)
            self.assertIn(b"did not open in 4.00 s", done.stderr)

    def test_a_series_whose_program_has_ended_proposes_no_other_snapshot(self):
        with Program(self.place) as program:
            process = subprocess.Popen([workspace.UBIHEAP, "leaks", f"node:{program.process.pid}", "--every", "0.2s"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            for number in (1, 2, 3):
                self.assertIn(b"snapshot %d" % number, process.stderr.readline())
            program.process.kill()
            out, said = process.communicate()
            self.assertEqual(process.returncode, 4, said)
            self.assertIn(b"The program has ended. With --keep FILE", out)
            self.assertNotIn(b"ubiheap attach", out)

    def test_a_series_in_which_another_debugger_left(self):
        """V8 gives all objects other ids then: that is said, and not that it is another process."""
        with Program(self.place) as program:
            address = f"node:{program.process.pid}"
            process = subprocess.Popen([workspace.UBIHEAP, "leaks", address, "--every", "3s", "--times", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertIn(b"snapshot 1 of 2", process.stderr.readline())
            self.ask("attach", address, "gc")
            out, said = process.communicate()
            self.assertEqual(process.returncode, 3, said)
            self.assertIn(b"of the same program", out)
            self.assertNotIn(b"another process", out + said)
            program.wait_until_closed()

    def test_a_program_that_has_no_room_is_spared(self):
        with Program(self.place, f"--inspect=127.0.0.1:{free_port()}") as program:  # opening it takes room
            status = pathlib.Path(f"/proc/{program.process.pid}/status").read_text()
            size_bytes = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmSize"))) << 10
            limits = resource.prlimit(program.process.pid, resource.RLIMIT_AS)
            resource.prlimit(program.process.pid, resource.RLIMIT_AS, (size_bytes + (8 << 20), limits[1]))
            command = ("attach", f"node:{program.process.pid}", "snapshot", "-o", "spared.heapsnapshot")
            done = self.ubiheap(*command)
            resource.prlimit(program.process.pid, resource.RLIMIT_AS, limits)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (4, 1), done.stderr)
            self.assertIn(b"it could be killed; --force takes one", done.stderr)
            self.assertFalse((self.place.folder / "spared.heapsnapshot").exists())
            program.wait_for_sign()
            self.ask(*command, "--force")

    def test_a_program_that_was_started_just_now_is_waited_for(self):
        process = subprocess.Popen([NODE, f"--inspect-port={free_port()}", "-e", "setInterval(() => {}, 1000)"], stderr=subprocess.DEVNULL,
                                   preexec_fn=lift_limit)
        try:
            while "node" not in os.readlink(f"/proc/{process.pid}/exe"):
                pass
            self.ask("attach", f"node:{process.pid}", "measure")
        finally:
            process.kill()
            process.wait()

    def test_a_server_of_the_program_is_asked_once_whether_it_is_the_inspector(self):
        """While the program works it opens no inspector; its server is not asked again meanwhile."""
        server = ("let n = 0, asked = 0; const server = require('http').createServer((request, response) => { asked++; response.end('no'); })"
                  ".listen(0, () => setInterval(() => { const end = Date.now() + 500; while (Date.now() < end); }, 501));"
                  "setInterval(() => process.stdout.write(++n > 2 ? 'alive\\n' : ''), 20);"
                  "setInterval(() => require('fs').writeFileSync('asked', String(asked)), 50);")
        with Program(self.place, code=f"process.chdir({json.dumps(str(self.place.folder))});" + server) as program:
            self.ask("attach", f"node:{program.process.pid}", "measure")
            program.wait_until_closed()
            (self.place.folder / "asked").unlink()
            while not (self.place.folder / "asked").exists() or not (self.place.folder / "asked").read_text():
                program.wait_for_sign()
            self.assertEqual((self.place.folder / "asked").read_text(), "1")

    def test_what_is_no_node(self):
        sleeper = subprocess.Popen(["sleep", "1000"])
        done = self.ubiheap("attach", f"node:{sleeper.pid}")
        self.assertIsNone(sleeper.poll())
        sleeper.kill()
        sleeper.wait()
        self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertIn(b"not Node.js", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        done = self.ubiheap("attach", f"node:{sleeper.pid}")
        self.assertIn(f"there is no process {sleeper.pid}".encode(), done.stderr)


if __name__ == "__main__":
    unittest.main()
