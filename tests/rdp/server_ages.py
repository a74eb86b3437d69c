# SPDX-License-Identifier: MIT
"""Scripts for scripted_server.py: what servers of each age answer, as they are read by attach_test.py and attach_series_test.py."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import workspace  # noqa: E402
from scripted_server import bulk, packet  # noqa: E402

HEAP = (workspace.DATA / "tiny-before.fxsnapshot").read_bytes()
MEMORY, FILES = "server1.conn0.memory7", "server1.conn0.heapSnapshotFileActor3"
CENSUS = {"objects": {"Array": {"count": 2, "bytes": 200}, "Map": {"count": 1, "bytes": 500}},
          "strings": {"count": 9, "bytes": 90}, "scripts": {"count": 0, "bytes": 0},
          "other": {"js::Shape": {"count": 3, "bytes": 300}}, "domNode": {}}
MEASURE = {"total": 1000, "domSize": 1, "styleSize": 2, "jsObjectsSize": 600, "jsStringsSize": 200, "jsOtherSize": 100, "otherSize": 97,
           "jsMilliseconds": "0.5", "nonJSMilliseconds": "0.1"}
ALLOCATIONS = {
    "allocations": [2, 3, 2], "allocationsTimestamps": [101.5, 102.0, 103.25], "allocationSizes": [64, 32, 64],
    "frames": [None, {"line": 1, "column": 2, "source": "app.js", "functionDisplayName": "main", "parent": 0, "asyncParent": 0,
                      "asyncCause": None},
               {"line": 5, "column": 3, "source": "app.js", "functionDisplayName": "make", "parent": 1, "asyncParent": 0,
                "asyncCause": None},
               {"line": 9, "column": 1, "source": "lib.js", "functionDisplayName": None, "parent": 2, "asyncParent": 0,
                "asyncCause": None}]}
EVENT = packet({"from": MEMORY, "type": "garbage-collection", "data": {"collections": [], "gcCycleNumber": 1}})
RESOURCES = packet({"from": "server1.conn0.target5", "type": "resources-available-array", "array": [["document-event", [{}]]]})


def memory_answers():
    return {(MEMORY, "attach"): [{"type": "attached"}],
            (MEMORY, "saveHeapSnapshot"): [{"snapshotId": "61133"}],
            (MEMORY, "takeCensus"): [CENSUS],
            (MEMORY, "measure"): [MEASURE],
            (MEMORY, "forceGarbageCollection"): [{}],
            (MEMORY, "forceCycleCollection"): [{}],
            (MEMORY, "startRecordingAllocations"): [{"value": 100.5}],
            (MEMORY, "getAllocations"): [ALLOCATIONS],
            (MEMORY, "stopRecordingAllocations"): [{"value": 104.0}],
            (FILES, "transferHeapSnapshot"): [bulk(FILES, HEAP)]}


TARGET = {"actor": "server1.conn0.target5", "title": "second", "url": "http://b/", "memoryActor": MEMORY, "traits": {}}
NEW_TARGET = {**TARGET, "targetType": "frame", "isTopLevelTarget": True, "innerWindowId": 11, "browsingContextID": 8}
TABS = [{"actor": f"tab{i}", "browserId": i, "title": title, "url": f"http://{title}/", "selected": i == 2, "traits": {"watcher": True}}
        for i, title in ((1, "first"), (2, "second"))]
ROOT = {("root", "getRoot"): [{"heapSnapshotFileActor": FILES, "deviceActor": "d"}]}
LISTED = {("root", "listTabs"): [{"tabs": TABS}], ("root", "listProcesses"): [{"processes": [{"actor": "p0", "id": 0, "isParent": True}]}]}


def old_tabs():
    """Firefox 45 to 74: targets are listed, global actors with them, and JSON follows a bulk packet."""
    tabs = [{"actor": "t1", "title": "first", "url": "http://first/", "memoryActor": "other"}, TARGET]
    return {**memory_answers(), ("root", "listTabs"): [{"tabs": tabs, "selected": 1, "heapSnapshotFileActor": FILES}],
            (FILES, "transferHeapSnapshot"): [bulk(FILES, HEAP, "heap-snapshot"), {}]}


def descriptors():
    """From 75 on: descriptors, which are asked for their target."""
    return {**memory_answers(), **ROOT, **LISTED, ("tab2", "getTarget"): [{"frame": TARGET}]}


def target_types():
    """From 139 on."""
    return {**descriptors(), ("tab2", "getTarget"): [{"frame": NEW_TARGET}]}


def watcher(event_is_first):
    event = packet({"from": "w4", "type": "target-available-form", "target": NEW_TARGET})
    return {**memory_answers(), **ROOT, **LISTED, ("tab2", "getWatcher"): [{"actor": "w4", "traits": {"frame": True}}],
            ("w4", "watchTargets"): [event, {}] if event_is_first else [{}, event]}


def resources():
    """From 131 on: events of targets come between; and those of collections, which bear the actor that is asked."""
    return {**target_types(), (MEMORY, "takeCensus"): [RESOURCES, EVENT, CENSUS], (MEMORY, "saveHeapSnapshot"):
            [EVENT, {"snapshotId": "ubi-1"}], (MEMORY, "attach"): [RESOURCES, {"type": "attached"}, EVENT],
            ("tab2", "getTarget"): [RESOURCES, {"frame": NEW_TARGET}]}


AGES = {"old tab form": old_tabs, "descriptors": descriptors, "target types": target_types, "resources": resources,
        "watcher, event first": lambda: watcher(True), "watcher, reply first": lambda: watcher(False)}

PROCESSES = {
    "old form": {("root", "getProcess"): [{"form": TARGET}]},
    "descriptor of 137": {("root", "getProcess"): [{"processDescriptor": {"actor": "p0", "id": 0, "isParent": True}}],
                          ("p0", "getTarget"): [{"process": NEW_TARGET}]},
}
