#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The memory of a program under `ubiheap run --listen`: names of tests begin with the conformance cases of the protocol."""
import base64
import gzip
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from rdp_client import UBIHEAP, Client, Refused, running

# Allocates when it is asked to: by a file's name that scripts see, here by a timer. Each turn makes 3 objects from one function.
TURNS = "globalThis.kept = []; function make() { kept.push({}); } setInterval(() => { make(); make(); make(); }, 2);"
STILL = "globalThis.kept = [new Date(), [1], 'text']; setInterval(() => {}, 1000);"
WRONG = "Wrong state while {}:Expected 'attached', but current state is 'detached'."
SIZES = ("total", "domSize", "styleSize", "jsObjectsSize", "jsStringsSize", "jsOtherSize", "otherSize")


class Memory(unittest.TestCase):
    """One program for all tests, a connection for each."""
    CODE = TURNS

    @classmethod
    def setUpClass(cls):
        cls.program = running(code=cls.CODE)
        cls.port, cls.process = cls.program.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.program.__exit__(None, None, None)

    def setUp(self):
        self.client = Client(self.port)
        self.memory = self.client.memory()

    def tearDown(self):
        self.client.close()

    def ask(self, type_, **members):
        reply = self.client.request(self.memory, type_, **members)
        self.assertEqual(reply.pop("from"), self.memory)
        return reply

    def assert_refused(self, name, message, type_, **members):
        with self.assertRaises(Refused) as raised:
            self.ask(type_, **members)
        self.assertEqual((raised.exception.packet["error"], raised.exception.packet["message"]), (name, message))

    def allocations_until(self, is_enough):
        """Replies of getAllocations until one is enough."""
        while True:
            reply = self.ask("getAllocations")
            if is_enough(reply):
                return reply

    def record(self, **options):
        self.ask("attach")
        return self.ask("startRecordingAllocations", options=options)["value"]


class Recording(Memory):
    def test_mem_6_the_columns_of_allocations_have_equal_lengths(self):
        self.record()
        reply = self.allocations_until(lambda reply: len(reply["allocations"]) >= 3)
        n = len(reply["allocations"])
        self.assertEqual((len(reply["allocationsTimestamps"]), len(reply["allocationSizes"])), (n, n))
        self.assertTrue(all(size > 0 for size in reply["allocationSizes"]))
        self.assertIsNone(reply["frames"][0])
        self.assertEqual(reply["allocationsTimestamps"], sorted(reply["allocationsTimestamps"]))
        self.assertGreater(reply["allocationsTimestamps"][0], 1_600_000_000_000_000)  # microseconds since the epoch
        self.assertTrue(any(frame and frame["functionDisplayName"] == "make" for frame in reply["frames"]))
        for i, frame in enumerate(reply["frames"][1:], 1):
            self.assertEqual(set(frame), {"line", "column", "source", "functionDisplayName", "parent", "asyncParent",
                                          "asyncCause"})
            self.assertLess(frame["parent"], i)

    def test_mem_7_of_a_probability_of_0_nothing_is_recorded(self):
        self.record(probability=0)
        for _ in range(20):
            self.assertEqual(self.ask("getAllocations")["allocations"], [])
            self.ask("forceGarbageCollection")
        self.ask("stopRecordingAllocations")
        self.record(probability=1)
        count = self.allocations_until(lambda reply: reply["summary"]["count"] >= 100)["summary"]["count"]
        self.assertGreaterEqual(count, 100)

    def test_mem_8_a_log_of_one_entry_keeps_the_newest(self):
        self.record(maxLogLength=1)
        reply = self.allocations_until(lambda reply: reply["summary"]["overflowed"])
        self.assertEqual(len(reply["allocations"]), 1)

    def test_mem_9_indices_of_frames_stay(self):
        self.record()
        first = self.allocations_until(lambda reply: len(reply["frames"]) > 2)["frames"]
        second = self.allocations_until(lambda reply: reply["allocations"])["frames"]
        self.assertEqual(second[:len(first)], first)
        self.ask("stopRecordingAllocations")

    def test_mem_10_and_11_draining_sends_events(self):
        self.record(drainAllocationsTimeout=10)
        for _ in range(6):
            self.assertLessEqual({"allocations", "allocationsTimestamps", "allocationSizes", "frames", "summary"},
                                 set(self.client.event("allocations")["data"]))
        self.ask("stopRecordingAllocations")
        self.client.events.clear()
        self.record(drainAllocationsTimeout=1000000)
        self.ask("forceGarbageCollection")
        self.ask("forceGarbageCollection")
        for _ in range(2):
            self.client.event("allocations")

    def test_mem_12_settings_last_as_far_as_they_should(self):
        self.record(probability=0.5, maxLogLength=7)
        self.assertEqual(self.ask("getAllocationsSettings"), {"options": {"maxLogLength": 7, "probability": 0.5}})
        self.ask("stopRecordingAllocations")
        self.ask("startRecordingAllocations")
        self.assertEqual(self.ask("getAllocationsSettings"), {"options": {"maxLogLength": 7, "probability": 1}})

    def test_mem_13_a_second_start_changes_nothing(self):
        self.record(probability=0.5)
        self.assertIsInstance(self.record(probability=1, maxLogLength=3), (int, float))
        self.assertEqual(self.ask("getAllocationsSettings"), {"options": {"maxLogLength": 5000, "probability": 0.5}})

    def test_mem_14_collections_are_numbered(self):
        self.ask("attach")
        numbers = []
        for _ in range(3):
            self.assertEqual(self.ask("forceGarbageCollection"), {})
            data = self.client.event("garbage-collection")["data"]
            numbers.append(data["gcCycleNumber"])
            self.assertEqual(set(data), {"nonincrementalReason", "reason", "gcCycleNumber", "collections"})
            self.assertLessEqual(data["collections"][0]["startTimestamp"], data["collections"][0]["endTimestamp"])
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(self.ask("forceCycleCollection"), {})

    def test_mem_18_nothing_recorded_is_an_error(self):
        self.ask("attach")
        self.assert_refused("Error", "Cannot call drainAllocationsLog without setting trackingAllocationSites to true",
                            "getAllocations")
        self.assertEqual(self.ask("getState"), {"state": "attached"})

    def test_options_of_recordings_are_checked(self):
        self.ask("attach")
        self.assert_refused("TypeError", "(set allocationSamplingProbability)'s parameter is not a number between 0 and 1",
                            "startRecordingAllocations", options={"probability": 2})
        self.assert_refused("badParameterType", "'probability' is not a number", "startRecordingAllocations",
                            options={"probability": "1"})
        self.assert_refused("badParameterType", "'options' is not an object", "startRecordingAllocations", options=1)

    def test_the_memory_panel_records_by_the_target_s_configuration(self):
        tab = self.client.request("root", "listTabs")["tabs"][0]["actor"]
        watcher = self.client.request(tab, "getWatcher")["actor"]
        configuration = self.client.request(watcher, "getTargetConfigurationActor")["configuration"]["actor"]
        options = {"recordAllocations": {"probability": 1, "maxLogLength": 100}}
        reply = self.client.request(configuration, "updateConfiguration", configuration=options)
        self.assertEqual(reply["configuration"], options)
        self.allocations_until(lambda reply: reply["allocations"])
        self.assertEqual(self.ask("getAllocationsSettings"), {"options": {"maxLogLength": 100, "probability": 1}})
        self.client.request(configuration, "updateConfiguration", configuration={"recordAllocations": None})
        self.ask("getAllocationsSettings")
        with self.assertRaises(Refused):
            self.ask("getAllocations")

    def test_fox_2_events_wait_for_a_client_that_takes_any_packet_for_a_reply(self):
        client = Client(self.port, is_modern=False)
        memory = client.memory()
        client.request(memory, "attach")
        client.send(memory, "forceGarbageCollection")
        client.send(memory, "getState")
        self.assertEqual([client.packet() for _ in range(3)][:2],
                         [{"from": memory}, {"from": memory, "state": "attached"}])
        client.close()


class Still(Memory):
    CODE = STILL

    def test_mem_1_to_4_attaching(self):
        self.assertEqual(self.ask("getState"), {"state": "detached"})
        self.assert_refused("Error", WRONG.format("detaching from the debugger"), "detach")
        self.assertEqual(self.ask("getState"), {"state": "detached"})
        self.assertEqual(self.ask("attach"), {"type": "attached"})
        self.assertEqual(self.ask("attach"), {"type": "attached"})
        self.assertEqual(self.ask("getState"), {"state": "attached"})
        self.assertEqual(self.ask("detach"), {"type": "detached"})
        self.assertEqual(self.ask("getState"), {"state": "detached"})

    def test_mem_5_what_needs_attaching_says_so(self):
        for type_, activity in (("takeCensus", "taking census"), ("getAllocations", "getting allocations"),
                                ("saveHeapSnapshot", "saveHeapSnapshot"),
                                ("startRecordingAllocations", "starting recording allocations"),
                                ("stopRecordingAllocations", "stopping recording allocations"),
                                ("getAllocationsSettings", "getting allocations settings")):
            with self.subTest(type_):
                self.assert_refused("Error", WRONG.format(activity), type_)
        self.assertEqual(self.ask("forceGarbageCollection"), {})

    def test_mem_15_measure_needs_no_attaching(self):
        reply = self.ask("measure")
        self.assertTrue(all(isinstance(reply[name], int) for name in SIZES), reply)
        self.assertEqual(reply["total"], sum(reply[name] for name in SIZES[1:]))
        for name in ("jsMilliseconds", "nonJSMilliseconds"):
            self.assertRegex(reply[name], r"^\d+\.\d$")
        self.assertGreater(self.ask("residentUnique")["value"], 100_000)

    def test_the_process_has_sizes_of_its_own(self):
        process = self.client.request("root", "getProcess", id=0)["processDescriptor"]["actor"]
        memory = self.client.request(process, "getTarget")["process"]["memoryActor"]
        reply = self.client.request(memory, "measure")
        self.assertGreaterEqual(reply["resident"], reply["residentUnique"])
        self.assertEqual((reply["runtimes"], reply["missing"]), (1, 0))
        own = self.ask("measure")
        self.assertEqual({name: reply[name] for name in own if name.endswith("Size")},
                         {name: own[name] for name in own if name.endswith("Size")})

    def test_a_census_has_the_default_breakdown(self):
        self.ask("attach")
        reply = self.ask("takeCensus")
        self.assertEqual(set(reply), {"objects", "scripts", "strings", "other", "domNode"})
        self.assertEqual(reply["objects"]["Date"]["count"], 1)

    def save(self, **members):
        self.ask("attach")
        id_ = self.ask("saveHeapSnapshot", **members)["snapshotId"]
        self.assertRegex(id_, r"^ubi-\d+$")
        return self.client.request("root", "getRoot")["heapSnapshotFileActor"], id_

    def test_mem_16_a_snapshot_comes_as_a_bulk_packet(self):
        files, id_ = self.save()
        actor, type_, data = self.client.request(files, "transferHeapSnapshot", snapshotId=id_)
        self.assertEqual((actor, type_), (files, "heap-snapshot"))
        gzip.decompress(data)
        pieces = b""
        while True:
            reply = self.client.request(files, "readHeapSnapshot", snapshotId=id_, offset=len(pieces), length=1000)
            self.assertEqual((reply["offset"], reply["size"]), (len(pieces), len(data)))
            if not reply["data"]:
                break
            pieces += base64.b64decode(reply["data"], validate=True)
        self.assertEqual(pieces, data)
        path = Path(self.enterContext(tempfile.TemporaryDirectory()), "a.fxsnapshot")
        path.write_bytes(data)
        done = subprocess.run([UBIHEAP, "census", path], capture_output=True, text=True, check=True)
        self.assertIn("Date", done.stdout)

    def test_mem_17_ids_lead_nowhere(self):
        files, id_ = self.save(boundaries=None)
        for wrong, name in (("../x", "Error"), ("", "Error"), ("/etc/passwd", "Error"), ("ubi-1\0", "Error"),
                            ("ubi-999999", "NotFoundError"), ("..", "NotFoundError"), (".", "NotFoundError"),
                            ("x" * 127, "NotFoundError"), ("x" * 500, "Error")):
            with self.subTest(wrong), self.assertRaises(Refused) as raised:
                self.client.request(files, "transferHeapSnapshot", snapshotId=wrong)
            self.assertEqual(raised.exception.packet["error"], name)
            self.assertTrue(raised.exception.packet["message"].startswith("No heap snapshot with id: "))
        other = Client(self.port)
        files = other.request("root", "getRoot")["heapSnapshotFileActor"]
        with self.assertRaises(Refused):  # of another connection
            other.request(files, "transferHeapSnapshot", snapshotId=id_)
        other.close()

    def test_boundaries_are_checked(self):
        self.ask("attach")
        self.ask("saveHeapSnapshot", boundaries={"runtime": True})
        with self.assertRaises(Refused) as raised:
            self.ask("saveHeapSnapshot", boundaries={})
        self.assertEqual(raised.exception.packet["error"], "NS_ERROR_ILLEGAL_VALUE")

    def test_each_connection_has_a_state_of_its_own(self):
        self.ask("attach")
        other = Client(self.port)
        self.assertEqual(other.request(other.memory(), "getState")["state"], "detached")
        other.close()

    def test_only_old_clients_find_a_memory_actor_in_the_list_of_tabs(self):
        self.assertNotIn("memoryActor", self.client.request("root", "listTabs")["tabs"][0])
        old = Client(self.port, is_modern=False)
        memory = old.request("root", "listTabs")["tabs"][0]["memoryActor"]
        self.assertEqual((old.request(memory, "getState")["state"], memory), ("detached", old.memory()))
        old.close()

    def test_actors_list_what_they_can(self):
        for actor in ("root", self.memory, self.client.request("root", "getRoot")["deviceActor"]):
            self.assertIn("requestTypes", self.client.request(actor, "requestTypes")["requestTypes"])

    def test_many_requests_at_once_are_answered_in_order(self):
        self.ask("attach")
        types = ["takeCensus", "getState", "measure", "nonsense", "getState"] * 100
        for type_ in types:
            self.client.send(self.memory, type_)
        for type_ in types:
            reply = self.client.packet()
            if type_ == "getState":
                self.assertEqual(reply, {"from": self.memory, "state": "attached"})
            else:
                self.assertIn({"takeCensus": "objects", "measure": "total", "nonsense": "error"}[type_], reply)


class Panel(Memory):
    """What a toolbox asks for, in its order."""
    CODE = STILL

    def test_the_conversation_of_the_memory_panel(self):
        client = self.client
        tab = client.request("root", "getTab", browserId=1)["tab"]
        self.assertTrue(tab["traits"]["watcher"])
        watcher = client.request(tab["actor"], "getWatcher", isServerTargetSwitchingEnabled=True,
                                 isPopupDebuggingEnabled=False)["actor"]
        self.assertEqual(client.request(watcher, "watchTargets", targetType="frame"), {"from": watcher})
        target = client.event("target-available-form")["target"]
        self.assertEqual((target["targetType"], target["isTopLevelTarget"]), ("frame", True))
        client.request(watcher, "watchResources", resourceTypes=["document-event"])
        moments = client.event("resources-available-array")
        self.assertEqual((moments["from"], moments["array"][0][0]), (target["actor"], "document-event"))
        self.assertEqual([one["name"] for one in moments["array"][0][1]], ["dom-loading", "dom-interactive", "dom-complete"])
        threads = client.request(watcher, "getThreadConfigurationActor")["configuration"]["actor"]
        client.request(threads, "updateConfiguration", configuration={})
        for types in ("network-event", "console-message", "error-message", "thread-state"):
            client.request(watcher, "watchResources", resourceTypes=[types])
        client.request(target["memoryActor"], "attach")
        client.send(watcher, "unwatchTargets", targetType="frame")  # one-way
        self.assertEqual(client.request(watcher, "getNetworkParentActor")["network"].keys(), {"actor"})
        self.assertEqual(client.request(target["actor"], "detach"), {"from": target["actor"]})

    def test_what_about_debugging_asks_for(self):
        client = self.client
        globals_ = client.request("root", "getRoot")
        description = client.request(globals_["deviceActor"], "getDescription")["value"]
        self.assertEqual(description["platformversion"], "153.7.0")
        get = lambda name: client.request(globals_["preferenceActor"], "getBoolPref", value=name)["value"]
        self.assertEqual([get("devtools.debugger.prompt-connection"), get("dom.serviceWorkers.enabled")], [False, True])
        for type_, member in (("listAddons", "addons"), ("listWorkers", "workers"),
                              ("listServiceWorkerRegistrations", "registrations")):
            self.assertEqual(client.request("root", type_)[member], [])
        tabs = client.request("root", "listTabs")
        self.assertEqual({key: tabs[key] for key in globals_ if key != "from"},
                         {key: globals_[key] for key in globals_ if key != "from"})
        self.assertIsNone(client.request(tabs["tabs"][0]["actor"], "getFavicon")["favicon"])
        self.assertEqual(len(client.request("root", "listProcesses")["processes"]), 1)
        with self.assertRaises(Refused) as raised:
            client.request("root", "getTab", browserId=99999)
        self.assertEqual(raised.exception.packet["message"],
                         "Unable to find tab with browserId '99999' (no browsing-context)")


class Port(unittest.TestCase):
    def test_one_that_is_taken_is_said_with_a_way_out(self):
        with running(code=STILL) as (port, _):
            done = subprocess.run([UBIHEAP, "run", "--listen", str(port), "-e", STILL], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (4, ""))
            self.assertEqual(done.stderr, f"ubiheap: run: cannot listen on 127.0.0.1:{port}: address already in use; port 0 is any that is free\n")


class Folder(unittest.TestCase):
    """Where the snapshots are that clients save."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.above = Path(temporary.name)

    def folders(self):
        return sorted(self.above.glob("ubiheap-serve-*"))

    def run_until(self, number):
        """Its exit status, ended by a signal when a snapshot was saved."""
        with running(code=STILL, env={**os.environ, "TMPDIR": str(self.above)}) as (port, process):
            client = Client(port)
            memory = client.memory()
            client.request(memory, "attach")
            client.request(memory, "saveHeapSnapshot")
            self.assertEqual(len([path for folder in self.folders() for path in folder.glob("*.fxsnapshot")]), 1)
            process.send_signal(number)
            status = process.wait()
            client.close()
            return status

    def test_it_is_deleted_when_a_signal_ends_the_program(self):
        for number, status in ((signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)):
            self.assertEqual(self.run_until(number), status)
            self.assertEqual(self.folders(), [])

    def test_what_a_killed_program_left_is_deleted_by_the_next(self):
        self.assertEqual(self.run_until(signal.SIGKILL), -signal.SIGKILL)
        [left] = self.folders()
        os.utime(left, (1, 1))  # long ago
        with running(code=STILL, env={**os.environ, "TMPDIR": str(self.above)}):
            self.assertEqual(len(self.folders()), 1)
            self.assertNotIn(left, self.folders())


class Workers(unittest.TestCase):
    def check_all_runtimes(self, client, memory):
        """What is asked of the main program has its part in the worker, whose memory actor this is."""
        main = client.memory(0)
        self.assertEqual(client.request(main, "forceGarbageCollection"), {"from": main})
        self.assertEqual(client.event("garbage-collection")["from"], memory)  # only this one is attached
        process = client.request("root", "getProcess", id=0)["processDescriptor"]["actor"]
        whole = client.request(client.request(process, "getTarget")["process"]["memoryActor"], "measure")
        parts = [client.request(one, "measure") for one in (main, memory)]
        self.assertEqual((whole["runtimes"], whole["missing"]), (2, 0))
        for name in ("jsStringsSize", "jsObjectsSize"):
            self.assertGreater(whole[name], max(part[name] for part in parts))
        self.assertEqual(whole["total"], sum(whole[name] for name in SIZES[1:]))

    def test_a_worker_that_runs_when_the_program_ends_is_left_in_order(self):
        """Under a leak checker, nothing of what the client had of it is lost."""
        with tempfile.TemporaryDirectory() as folder:
            main, worker = Path(folder, "main.mjs"), Path(folder, "worker.mjs")
            main.write_text("""import * as std from "std"; import * as os from "os";
const worker = new os.Worker("./worker.mjs");
worker.onmessage = () => {};
setInterval(() => { if (os.stat(scriptArgs[1] + "/end")[1] === 0) std.exit(3); }, 20);""")
            worker.write_text("setInterval(() => { globalThis.made = [{}]; }, 5); import * as os from 'os'; "
                              "os.Worker.parent.onmessage = () => {};")
            with running(str(main), folder) as (port, process):
                client = Client(port)
                while len(client.request("root", "listTabs")["tabs"]) < 2:
                    client.event("tabListChanged")
                memory = client.memory(1)
                client.request(memory, "attach")
                client.request(memory, "startRecordingAllocations")
                client.evaluate("({ held: true })", 1)
                Path(folder, "end").touch()
                self.assertEqual(process.wait(), 3)
                self.assertEqual(process.stderr.read(), "")
                client.close()

    def test_a_worker_that_waits_for_ever_holds_up_no_collection(self):
        with tempfile.TemporaryDirectory() as folder:
            main, worker = Path(folder, "main.mjs"), Path(folder, "worker.mjs")
            main.write_text("""import * as os from "os";
const worker = new os.Worker("./worker.mjs");
worker.onmessage = () => {};
setInterval(() => {}, 1000);""")
            worker.write_text("""import * as os from "os";
os.Worker.parent.postMessage("begin");
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);""")
            with running(str(main)) as (port, _):
                client = Client(port)
                while len(client.request("root", "listTabs")["tabs"]) < 2:
                    client.event("tabListChanged")
                main = client.memory(0)
                while (reply := client.request(main, "forceGarbageCollection")) == {"from": main}:
                    pass  # the worker is a tab before its script runs, and collects until it waits
                self.assertEqual(reply, {"from": main, "missing": 1, "missingRuntimes": ["main.mjs, worker 1"]})
                self.assertEqual(client.request(main, "forceCycleCollection"), reply)
                process = client.request("root", "getProcess", id=0)["processDescriptor"]["actor"]
                process = client.request(process, "getTarget")["process"]["memoryActor"]
                reply = client.request(process, "measure")
                self.assertEqual((reply["runtimes"], reply["missing"]), (1, 1))
                client.close()

    def test_workers_are_tabs_that_come_and_go(self):
        with tempfile.TemporaryDirectory() as folder:
            main, worker = Path(folder, "main.mjs"), Path(folder, "worker.mjs")
            main.write_text("""import * as os from "os";
let worker = null;
const isThere = name => os.stat(scriptArgs[1] + "/" + name)[1] === 0;
os.setTimeout(function look() {
    if (!worker && isThere("begin")) worker = new os.Worker("./worker.mjs");
    if (worker && isThere("end")) worker.postMessage("end");
    else os.setTimeout(look, 20);
}, 20);
setInterval(() => {}, 1000);""")
            worker.write_text("""import * as os from "os";
globalThis.kept = new Map();
os.Worker.parent.onmessage = () => { os.Worker.parent.onmessage = null; };""")
            with running(str(main), folder) as (port, _):
                client = Client(port)
                tabs = client.request("root", "listTabs")["tabs"]
                Path(folder, "begin").touch()
                while len(tabs) < 2:
                    client.event("tabListChanged")
                    tabs = client.request("root", "listTabs")["tabs"]
                self.assertEqual([tab["title"] for tab in tabs], ["main.mjs", "main.mjs, worker 1"])
                memory = client.memory(1)
                client.request(memory, "attach")
                self.assertEqual(client.request(memory, "takeCensus")["objects"]["Map"]["count"], 1)
                self.check_all_runtimes(client, memory)
                Path(folder, "end").touch()
                self.assertEqual(client.event("descriptor-destroyed")["from"], tabs[1]["actor"])
                with self.assertRaises(Refused) as raised:
                    client.request(memory, "getState")
                self.assertEqual(raised.exception.packet["error"], "noSuchActor")
                client.close()


if __name__ == "__main__":
    unittest.main()
