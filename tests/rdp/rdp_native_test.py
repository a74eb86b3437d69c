#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Native processes under `ubiheap record --listen`: their sizes are there, and all else says in words that it is not."""
import contextlib
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from rdp_client import UBIHEAP, Client, Refused

MIB = 1 << 20
# Says that it is there, waits for a line, and ends with a status of its own.
PROGRAM = "import sys; kept = bytearray(b'x') * (48 << 20); print('ready', flush=True); sys.stdin.readline(); sys.exit(7)"
PARENT = """import subprocess, sys
child = subprocess.Popen([sys.executable, '-c', sys.argv[1]], stdin=subprocess.PIPE)
sys.stdin.readline()
child.communicate(b'end')
"""
# Keeps as many blocks as each line says.
SPEAKS = """import ctypes, sys
malloc = ctypes.CDLL(None).malloc
malloc.argtypes, malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
print('ready', flush=True)
for line in sys.stdin:
    kept = [malloc(77777) for _ in range(int(line))]
    print('done', flush=True)
"""
HEAP_METHODS = ("takeCensus", "saveHeapSnapshot", "forceGarbageCollection", "forceCycleCollection")


class Recorded(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "it.ubirec"

    @contextlib.contextmanager
    def recording(self, *arguments, program=PROGRAM, extra=()):
        command = [UBIHEAP, "record", "--listen", "0", "--no-symbols", "-o", self.file, *extra, "--", sys.executable, "-c",
                   program, *arguments]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            line = process.stderr.readline()
            found = re.fullmatch(r"ubiheap: listening on 127\.0\.0\.1:(\d+) for Firefox's about:debugging\n", line)
            self.assertTrue(found, line)
            self.assertEqual(process.stdout.readline(), "ready\n")
            client = Client(int(found[1]))
            yield client, process
            client.close()
        finally:
            process.kill()
            process.communicate()

    def test_its_sizes_are_those_of_the_process(self):
        with self.recording() as (client, _):
            tab = client.request("root", "listTabs")["tabs"][0]
            target = client.targets()[0]
            self.assertEqual(tab["title"], f"{Path(sys.executable).name} {target['processID']}")
            self.assertTrue(tab["url"].startswith("native://"), tab)
            status = Path(f"/proc/{target['processID']}/status").read_text()
            resident = 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])
            reply = client.request(target["memoryActor"], "measure")
            self.assertEqual(reply["total"], reply["otherSize"])
            self.assertGreater(reply["total"], 48 * MIB)
            self.assertEqual([reply[name] for name in ("jsObjectsSize", "jsStringsSize", "jsOtherSize", "domSize")], [0] * 4)
            unique = client.request(target["memoryActor"], "residentUnique")["value"]
            self.assertGreater(unique, 48 * MIB)
            self.assertLessEqual(unique, resident + MIB)
            process = client.request("root", "getProcess", id=0)["processDescriptor"]["actor"]
            whole = client.request(client.request(process, "getTarget")["process"]["memoryActor"], "measure")
            self.assertEqual((whole["runtimes"], whole["missing"]), (1, 0))
            self.assertLess(abs(whole["resident"] - resident), MIB)  # the program's, not the recorder's
            self.assertLess(abs(whole["residentUnique"] - unique), MIB)

    def test_what_it_cannot_do_it_says(self):
        with self.recording() as (client, _):
            memory = client.memory()
            client.request(memory, "attach")
            for type_ in HEAP_METHODS:
                with self.subTest(type_), self.assertRaises(Refused) as raised:
                    client.request(memory, type_)
                self.assertEqual(raised.exception.packet["error"], "Error")
                self.assertRegex(raised.exception.packet["message"], r"^a target of kind native cannot [a-z ]+: it can only be "
                                 "measured, observed and profiled; what a native program allocates, 'ubiheap record' shows$")
            client.request(memory, "detach")
            console = client.targets()[0]["consoleActor"]
            with self.assertRaises(Refused) as raised:
                client.request(console, "evaluateJSAsync", text="1")
            self.assertIn("native", raised.exception.packet["message"])

    def test_attach_measures_it_and_says_what_else_to_do(self):
        with self.recording() as (client, _):
            port = client.socket.getpeername()[1]
            for where in ("", "/tab/1", "/process/0"):
                address = f"ubi://127.0.0.1:{port}{where}"
                done = subprocess.run([UBIHEAP, "attach", address, "measure", "--json"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), where)
                self.assertGreater(json.loads(done.stdout)["measure"]["total"], 48 * MIB, where)
            for verb in (["census"], ["gc"], ["snapshot", "-o", self.folder / "no.fxsnapshot"]):
                done = subprocess.run([UBIHEAP, "attach", f"ubi://127.0.0.1:{port}", *verb], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (4, "", 1), verb)
                self.assertIn("it can only be measured, observed and profiled; what a native program allocates, 'ubiheap record' shows", done.stderr)
            self.assertEqual([path for path in self.folder.iterdir() if path != self.file], [])

    def test_its_memory_profiler(self):
        """That of nsIMemoryProfiler: what the program allocates between a start and a stop."""
        with self.recording(program=SPEAKS, extra=["--exact", "--paused"]) as (client, process):
            memprof = client.targets()[0]["memprofActor"]

            def allocate(n):
                process.stdin.write(f"{n}\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), "done\n")

            def sizes():
                return [event["size"] for event in client.request(memprof, "getResults")["ret"]["events"] if abs(event["size"]) == 77777]

            self.assertIsNone(client.request(memprof, "getResults")["ret"])
            allocate(1)
            client.request(memprof, "startProfiler")
            client.request(memprof, "startProfiler")
            self.assertIsNone(client.request(memprof, "getResults")["ret"])
            allocate(3)
            client.request(memprof, "stopProfiler")
            allocate(5)
            self.assertEqual(sizes(), [77777] * 3)
            results = client.request(memprof, "getResults")["ret"]
            self.assertEqual((list(results), results["names"][0], results["traces"][0]),
                             (["names", "traces", "events"], "(unknown)", {"nameIdx": 0, "parentIdx": 0}))
            self.assertEqual({tuple(event) for event in results["events"]}, {("size", "traceIdx", "timestamp")})
            client.request(memprof, "resetProfiler")
            self.assertIsNone(client.request(memprof, "getResults")["ret"])
            client.request(memprof, "startProfiler")
            allocate(2)
            client.request(memprof, "stopProfiler")
            self.assertEqual(sizes(), [77777] * 2)
            client.request(memprof, "startProfiler")
            pid = client.targets()[0]["processID"]
            self.assertEqual(self.state(pid), "recording")
            client.close()  # what it has begun ends with it
            while self.state(pid) == "recording":
                pass

    def test_its_allocations(self):
        """Those of startRecordingAllocations: each once, with its stack, in the frames of the reply."""
        for extra in (["--exact", "--paused"], ["--exact"]):
            with self.subTest(extra), self.recording(program=SPEAKS, extra=extra) as (client, process):
                target = client.targets()[0]
                memory = target["memoryActor"]

                def allocate(n):
                    process.stdin.write(f"{n}\n")
                    process.stdin.flush()
                    self.assertEqual(process.stdout.readline(), "done\n")

                def sizes():
                    reply = client.request(memory, "getAllocations")
                    self.assertEqual(len(reply["allocations"]), len(reply["allocationSizes"]))
                    return reply, [(frame, at) for frame, size, at in zip(reply["allocations"], reply["allocationSizes"],
                                                                          reply["allocationsTimestamps"]) if size == 77777]

                client.request(memory, "attach")
                allocate(2)
                began = time.time()
                client.request(memory, "startRecordingAllocations")
                self.assertEqual(self.state(target["processID"]), "recording")
                allocate(3)
                reply, found = sizes()
                self.assertEqual(len(found), 3)
                functions = []
                frame = found[0][0]
                frames = reply["frames"]
                while frame:
                    functions.append(frames[frame]["functionDisplayName"])
                    self.assertLess(frames[frame]["parent"] or 0, frame)
                    frame = frames[frame]["parent"]
                self.assertRegex(" ".join(map(str, functions)), "python|Py|libc|ffi", functions)
                for _, at in found:  # microseconds since the epoch
                    self.assertTrue(began - 1 < at / 1e6 < time.time() + 1, (began, at))
                allocate(1)
                self.assertEqual(len(sizes()[1]), 1)
                self.assertEqual(sizes()[1], [])
                client.request(memory, "stopRecordingAllocations")
                self.assertEqual(self.state(target["processID"]), "paused" if "--paused" in extra else "recording")
                with self.assertRaises(Refused):
                    client.request(memory, "getAllocations")
                client.request(memory, "startRecordingAllocations", options={"maxLogLength": 5, "probability": 1})
                allocate(40)
                self.assertEqual(len(client.request(memory, "getAllocations")["allocations"]), 5)
                client.request(memory, "detach")
                self.assertEqual(self.state(target["processID"]), "paused" if "--paused" in extra else "recording")

    def test_attach_shows_its_allocations(self):
        with self.recording(program=SPEAKS, extra=["--exact", "--paused"]) as (client, process):
            address = f"ubi://127.0.0.1:{client.socket.getpeername()[1]}"
            watching = subprocess.Popen([UBIHEAP, "attach", address, "allocations", "--seconds", "0", "-o", self.folder / "seen.ubirec"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            pid = client.targets()[0]["processID"]
            while self.state(pid) == "paused":
                pass
            for _ in range(3):
                process.stdin.write("5\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), "done\n")
            watching.send_signal(signal.SIGINT)
            _, said = watching.communicate()
            self.assertEqual(watching.returncode, 0, said)
            report = subprocess.run([UBIHEAP, "report", "--json", self.folder / "seen.ubirec"], capture_output=True, text=True, check=True)
            self.assertGreaterEqual(json.loads(report.stdout)["heap"]["total"]["bytes"], 15 * 77777)

    def test_a_recording_of_the_user_outlives_clients(self):
        with self.recording(program=SPEAKS, extra=["--exact"]) as (client, process):
            target = client.targets()[0]
            client.request(target["memprofActor"], "startProfiler")
            other = Client(client.socket.getpeername()[1])
            other.request(other.targets()[0]["memprofActor"], "startProfiler")
            other.close()
            client.request(target["memoryActor"], "measure")
            self.assertEqual(self.state(target["processID"]), "recording")

    @staticmethod
    def state(pid):
        done = subprocess.run([UBIHEAP, "control", str(pid), "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["processes"][0]["state"]

    def test_a_toolbox_opens_on_it(self):
        with self.recording() as (client, _):
            tab = client.request("root", "getTab", browserId=1)["tab"]
            self.assertFalse(tab["traits"]["supportsReloadDescriptor"])
            watcher = client.request(tab["actor"], "getWatcher", isServerTargetSwitchingEnabled=True)["actor"]
            client.request(watcher, "watchTargets", targetType="frame")
            target = client.event("target-available-form")["target"]
            self.assertLessEqual({"memoryActor", "consoleActor", "threadActor"}, set(target))
            for types in ("document-event", "console-message", "error-message", "thread-state"):
                client.request(watcher, "watchResources", resourceTypes=[types])
            client.event("resources-available-array")
            configuration = client.request(watcher, "getTargetConfigurationActor")["configuration"]["actor"]
            client.request(configuration, "updateConfiguration", configuration={"recordAllocations": {"probability": 1}})
            with self.assertRaises(Refused):
                client.request(target["actor"], "reload")
            self.assertEqual(client.request(target["actor"], "detach"), {"from": target["actor"]})

    def test_the_program_lives_as_without_it(self):
        with self.recording() as (client, process):
            tab = client.request("root", "listTabs")["tabs"][0]["actor"]
            client.memory()
            process.stdin.write("end\n")
            process.stdin.flush()
            self.assertEqual(client.event("descriptor-destroyed")["from"], tab)
            self.assertEqual(process.wait(), 7)
            self.assertIn("to read it: ubiheap report", process.stderr.read())
            done = subprocess.run([UBIHEAP, "report", self.file], capture_output=True, text=True, check=True)
            self.assertIn("exit status 7", done.stdout)

    def test_children_that_are_followed_are_tabs(self):
        with self.recording(PROGRAM, program=PARENT, extra=["--follow-children"]) as (client, process):
            tabs = client.request("root", "listTabs")["tabs"]
            self.assertEqual(len({tab["title"] for tab in tabs}), 2, tabs)
            totals = [client.request(target["memoryActor"], "measure")["total"] for target in client.targets()]
            self.assertGreater(totals[1], 48 * MIB)
            actor = client.request("root", "getProcess", id=0)["processDescriptor"]["actor"]
            whole = client.request(client.request(actor, "getTarget")["process"]["memoryActor"], "measure")
            self.assertEqual((whole["runtimes"], whole["missing"]), (2, 0))
            self.assertGreater(whole["total"], max(totals))
            process.stdin.write("end\n")
            process.stdin.flush()
            ended = set()  # the parent, and with it the process, may end before this is looked at
            while tabs[1]["actor"] not in ended:
                ended.add(client.event("descriptor-destroyed")["from"])
            self.assertLessEqual(ended, {tab["actor"] for tab in tabs} | {actor})

    def test_where_it_cannot_listen_nothing_runs(self):
        for where, message in (("x", "--listen"), ("70000", "at most 65535"), ("0.0.0.0:0", "other machines")):
            with self.subTest(where):
                mark = self.folder / "ran"
                done = subprocess.run([UBIHEAP, "record", "--listen", where, "-o", self.file, "--", "touch", mark],
                                      capture_output=True, text=True, start_new_session=True)
                self.assertIn(message, done.stderr)
                self.assertNotEqual(done.returncode, 0)
                self.assertFalse(mark.exists() or self.file.exists())


if __name__ == "__main__":
    unittest.main()
