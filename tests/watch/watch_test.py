#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ubiheap watch`: a Node.js program at a limit leaves one snapshot that is read whole, and ends as it would have.

WATCH_NODES names other Node.js binaries than that of PATH, separated by colons; with UBI_DEEP each limit is reached 20 times by programs
that fill the heap in several ways, else a few times. The tests of a control group need root and a writable group of the memory
controller, version 1 or 2."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import control_group  # noqa: E402
import workspace  # noqa: E402

MIB = 1 << 20
NODES = os.environ["WATCH_NODES"].split(":") if os.environ.get("WATCH_NODES") else [shutil.which("node")]
SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"
RUNS = 20 if os.environ.get("UBI_DEEP") else 2
# Each fills the memory for ever. Strings are flat, buffers are outside of V8's heap.
FILLS = {
    "small objects": "for (let i = 0; ; i++) all.push({ a: i, b: 'x' + i, c: [i] })",
    "strings": "for (let i = 0; ; i++) all.push(('y' + i).repeat(500).replace('y', 'z'))",
    "buffers": "for (let i = 0; ; i++) all.push(Buffer.alloc(100000, i & 255))",
    "maps": "for (let i = 0; ; i++) all.push(new Map([[i, 'v' + i]]))",
    "one array of references": "for (;;) all.push(new Array(100000).fill('*'))",
    "a few at a time": "let i = 0; setInterval(() => { for (let n = 0; n < 20000; n++) all.push({ n: i++ }) }, 5)",
}
ALL = "globalThis.all = []; "
# Reports the end of a worker whose heap is small.
WORKER = """const {{ Worker }} = require('node:worker_threads');
const w = new Worker({text}, {{ eval: true, resourceLimits: {{ maxOldGenerationSizeMb: 12 }} }});
w.on('error', (error) => console.log(error.code));
w.on('exit', (code) => console.log('exit', code));"""


def address_limit(node):
    """Enough for what this Node.js maps, and for a small heap with its snapshot."""
    text = "console.log(require('node:fs').readFileSync('/proc/self/statm', 'utf8').split(' ')[0] * 4096)"
    mapped = int(subprocess.run([node, "-e", text], capture_output=True, check=True).stdout)
    return mapped + 560 * MIB


@unittest.skipIf(NODES[0] is None, "no Node.js")
class Watch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))  # what limits other tests is a limit to watch here

    def setUp(self):
        self.place = workspace.Workspace()
        self.addCleanup(self.place.temporary.cleanup)
        self.folder = self.place.folder / "snapshots"
        self.folder.mkdir()

    def command(self, node, text, *options, watch=()):
        """Snapshots of the fixtures are not ours, so those of the program get a folder."""
        self.script = self.place.folder / "s.js"
        self.script.write_text(text)
        return ["ubiheap", "watch", "--directory", str(self.folder), *watch, "--", node, *options, str(self.script)]

    def ran(self, node, text, *options, watch=(), enter=None):
        return subprocess.run(self.command(node, text, *options, watch=watch), cwd=self.place.folder, capture_output=True, text=True,
                              env=self.place.environment(), preexec_fn=enter)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def one_snapshot(self, done, words, context):
        """The only file is a snapshot that is read whole, and both lines say so. @return what is in it."""
        self.assertEqual(len(self.names()), 1, (context, self.names(), done.stderr[-2000:]))
        path = self.folder / self.names()[0]
        self.assertRegex(path.name, r"^oom-\d{8}T\d{6}Z-\d+\.heapsnapshot$")
        self.assertIn(words, done.stderr, context)
        if "no memory to read it here" not in done.stderr:
            self.assertIn("read to its end: ", done.stderr, context)
        info = self.place.ubiheap("info", "--json", str(path))
        self.assertEqual(info.returncode, 0, (context, info.stderr))
        path.unlink()
        return json.loads(info.stdout)


class HeapLimit(Watch):
    def test_the_heap_is_saved_when_v8_gives_up_and_the_program_ends_as_without(self):
        for node in NODES:
            for name, text in list(FILLS.items())[:RUNS] + [("maps", FILLS["maps"])]:
                for _ in range(1 if RUNS == 2 else RUNS // 4):
                    done = self.ran(node, ALL + text, "--max-old-space-size=16")
                    info = self.one_snapshot(done, "the heap is at its limit of ", (node, name))
                    self.assertGreater(info["nodeCount"], 20000)
                    self.assertIn("JavaScript heap out of memory", done.stderr)
                    self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)

    def test_a_worker_s_heap_is_saved_and_its_parent_lives(self):
        text = WORKER.format(text=json.dumps(ALL + FILLS["small objects"]))
        for node in NODES:
            done = self.ran(node, text)
            self.assertEqual((done.returncode, done.stdout), (0, "ERR_WORKER_OUT_OF_MEMORY\nexit 1\n"), done.stderr)
            self.one_snapshot(done, "the heap is at its limit", node)

    def test_a_program_that_continues_is_saved_once(self):
        """It catches what a worker leaves, and makes another one."""
        text = WORKER.format(text=json.dumps(ALL + FILLS["small objects"]))
        done = self.ran(NODES[0], f"function one() {{ {text} return w; }} one().on('exit', () => one());")
        self.assertEqual(done.stdout, "ERR_WORKER_OUT_OF_MEMORY\nexit 1\n" * 2, done.stderr)
        self.one_snapshot(done, "the heap is at its limit", "twice")


@unittest.skipIf(SANITIZED, "a tool with a sanitizer needs more than the limit")
class ControlGroup(Watch):
    def setUp(self):
        super().setUp()
        self.group, self.limit = control_group.group_new()
        if not self.group:
            self.skipTest("no right to make a control group")
        self.addCleanup(self.group.rmdir)

    def enter(self):
        (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def test_the_heap_is_saved_before_the_kernel_ends_the_program(self):
        kinds = list(FILLS) if RUNS > 2 else ["buffers", "maps"]
        for node in NODES:
            for run in range(RUNS):
                name = kinds[run % len(kinds)]
                self.limit.write_text(str((160 + 16 * (run % 3)) * MIB))
                done = self.ran(node, ALL + FILLS[name], enter=self.enter)
                self.one_snapshot(done, "the control group has ", (node, name))
                self.assertIn(done.returncode, (-signal.SIGKILL, -signal.SIGABRT), (name, done.stderr[-2000:]))

    def test_garbage_alone_leads_to_no_snapshot(self):
        self.limit.write_text(str(160 * MIB))
        done = self.ran(NODES[0], "let kept; for (let i = 0; i < 3e6; i++) kept = { i, text: 'x'.repeat(100) + i };", enter=self.enter)
        self.assertEqual((done.returncode, done.stderr, self.names()), (0, "", []))

    def test_too_little_room_is_said_beforehand(self):
        self.limit.write_text(str(64 * MIB))
        done = self.ran(NODES[0], "console.log('ran')", watch=["--reserve", "1GiB"], enter=self.enter)
        self.assertEqual((done.returncode, done.stdout, self.names()), (0, "ran\n", []))
        self.assertRegex(done.stderr, r"\Aubiheap: process \d+: no room for a snapshot: the limit of the control group is 64 MiB, of which "
                                      r"\d+ are in use; a snapshot needs 1024 MiB already now\n\Z")


@unittest.skipIf(SANITIZED, "sanitizers need the whole address space")
class AddressSpace(Watch):
    def test_the_heap_is_saved_before_addresses_run_out(self):
        for node in NODES:
            limit = address_limit(node)
            for run in range(RUNS if RUNS > 2 else 1):
                name = list(FILLS)[run % len(FILLS)]
                done = self.ran(node, ALL + FILLS[name], enter=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
                self.one_snapshot(done, "the address space (ulimit -v) has ", (node, name))
                self.assertNotEqual(done.returncode, 0)

    def test_too_little_room_is_said_beforehand(self):
        limit = address_limit(NODES[0]) - 400 * MIB
        done = self.ran(NODES[0], "console.log('ran')", enter=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((done.returncode, done.stdout, self.names()), (0, "ran\n", []), done.stderr)
        self.assertIn("no room for a snapshot: the limit of the address space (ulimit -v) is", done.stderr)


class Disk(Watch):
    def disk_make(self, size):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.folder], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", self.folder], check=True)

    def limited(self, n_bytes):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))

    def assert_only_said(self, done, words):
        self.assertEqual((done.returncode, done.stdout, self.names()), (0, "ran\n", []), done.stderr)
        self.assertRegex(done.stderr, rf"\Aubiheap: process \d+: no room for a snapshot: {words}\n\Z")

    def test_a_folder_without_room_is_said_beforehand(self):
        self.disk_make("4m")
        self.assert_only_said(self.ran(NODES[0], "console.log('ran')"), r"a file in .*/snapshots can have 4 MiB, and it needs up to \d+")

    def test_a_limit_of_files_is_said_beforehand(self):
        done = self.ran(NODES[0], "console.log('ran')", enter=self.limited(16 * MIB))
        self.assert_only_said(done, r"it needs a disk with 64 MiB for its memory, and .* \(ulimit -f\)")

    def assert_failed(self, done, words):
        """The program ends as without us, and nothing is left."""
        self.assertIn(words, done.stderr)
        self.assertIn("JavaScript heap out of memory", done.stderr)
        self.assertEqual((done.returncode, self.names()), (-signal.SIGABRT, []), done.stderr)

    def stopped_while_it_writes(self):
        """A program that runs out of memory, stopped in the middle of its snapshot, and the process that is stopped."""
        while True:
            running = subprocess.Popen(self.command(NODES[0], ALL + FILLS["small objects"], "--max-old-space-size=32"),
                                       cwd=self.place.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env=self.place.environment())
            while not self.names():
                self.assertIsNone(running.poll())
            pid = int(self.names()[0].split("-")[2].split(".")[0])
            os.kill(pid, signal.SIGSTOP)
            if self.names()[0].endswith(".part"):
                return running, pid
            os.kill(pid, signal.SIGKILL)  # it was quicker
            running.communicate()
            (self.folder / self.names()[0]).unlink()

    def test_a_disk_that_fills_meanwhile_is_said_and_the_program_ends_as_without(self):
        self.disk_make("96m")
        running, pid = self.stopped_while_it_writes()
        filler = self.folder / "filler"
        with self.assertRaises(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        os.kill(pid, signal.SIGCONT)
        stdout, stderr = running.communicate()
        filler.unlink()
        self.assert_failed(subprocess.CompletedProcess([], running.returncode, stdout, stderr), "heapsnapshot: No space left on device")

    def test_a_limit_of_files_that_the_memory_of_the_snapshot_reaches_does_not_end_the_program(self):
        done = self.ran(NODES[0], ALL + FILLS["small objects"], "--max-old-space-size=32", enter=self.limited(72 * MIB))
        self.assert_failed(done, "no snapshot: ")


class Program(Watch):
    def test_an_undisturbed_program_notices_nothing(self):
        text = "process.stdin.on('data', (d) => process.stdout.write(d)).on('end', () => { process.exitCode = 7; });"
        done = subprocess.run(self.command(NODES[0], text), cwd=self.place.folder, capture_output=True, text=True, input="words",
                              env=self.place.environment())
        self.assertEqual((done.returncode, done.stdout, done.stderr, self.names()), (7, "words", "", []))

    def test_a_signal_for_ubiheap_is_passed_on(self):
        text = "process.on('SIGTERM', () => process.exit(9)); console.log('ready'); setInterval(() => {}, 1000);"
        running = subprocess.Popen(self.command(NODES[0], text), cwd=self.place.folder, stdout=subprocess.PIPE,
                                   env=self.place.environment())
        self.assertEqual(running.stdout.readline(), b"ready\n")
        running.terminate()
        running.stdout.close()
        self.assertEqual(running.wait(), 9)

    def test_options_of_the_user_stay(self):
        environment = {**self.place.environment(), "NODE_OPTIONS": "--no-warnings --title=mine"}
        done = subprocess.run(self.command(NODES[0], "console.log(process.title)"), cwd=self.place.folder, capture_output=True,
                              text=True, env=environment)
        self.assertEqual((done.stdout, done.stderr), ("mine\n", ""))

    def test_without_ubiheap_the_library_alone_does_it(self):
        library = self.place.ubiheap("watch", "--print-library").stdout.decode().strip()
        script = self.place.folder / "s.js"
        script.write_text(ALL + FILLS["small objects"])
        done = subprocess.run([NODES[0], "--require", library, "--max-old-space-size=16", script], capture_output=True, text=True,
                              cwd=self.folder, env=self.place.environment())
        self.assertIn("the heap is at its limit of ", done.stderr)
        path = self.folder / self.names()[0]
        self.assertEqual((len(self.names()), self.place.ubiheap("info", str(path)).returncode), (1, 0))

    def test_the_rest_of_a_snapshot_that_was_not_finished_is_removed(self):
        running = subprocess.Popen(self.command(NODES[0], ALL + FILLS["small objects"], "--max-old-space-size=64"),
                                   cwd=self.place.folder, stderr=subprocess.PIPE, text=True, env=self.place.environment())
        while not any(name.endswith(".part") for name in self.names()):
            self.assertIsNone(running.poll())
        pid = int(self.names()[0].split("-")[2].split(".")[0])
        os.kill(pid, signal.SIGKILL)
        said = running.communicate()[1]
        self.assertEqual((running.returncode, self.names()), (-signal.SIGKILL, []), said)
        self.assertIn("removed: the process ended while it was written", said)

    def test_a_folder_that_cannot_be_written_in_is_refused(self):
        done = self.place.ubiheap("watch", "--directory", "no-such-folder", "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"no such folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
