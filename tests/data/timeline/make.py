#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the timelines of this folder anew: python3 make.py. What they are for is in README.md."""
import json
import pathlib

HERE = pathlib.Path(__file__).parent
HEADER = {"schema": "ubiheap.timeline-log/1", "record": "header", "generator": "make.py", "program": "shop.js",
          "pid": 4711, "startTimeUs": 1700000000000000}


def marker(name, start, end=None, thread=4711, stack=None, end_stack=None, off=False, **details):
    line = {"record": "marker", "name": name, "start": start}
    if end is not None:
        line["end"] = end
    line["thread"] = thread
    if stack:
        line["stack"] = stack
    if end_stack:
        line["endStack"] = end_stack
    if start != end:
        line.update(processType=0, isOffMainThread=off)
    if details:
        line["details"] = details
    return line


def memory(time, objects, strings):
    return {"record": "memory", "time": time, "total": objects + strings, "jsObjectsSize": objects,
            "jsStringsSize": strings}


def frame(number, function, source, line, column=1, **more):
    return {"record": "frame", "frame": number, "functionDisplayName": function, "source": source, "line": line,
            "column": column, **more}


SMALL = [
    HEADER,
    {"record": "thread", "thread": 4711, "name": "main"},
    memory(10, 1 << 20, 200000),
    marker("Parse JS", 12.25, 14.5, causeName="shop.js"),
    marker("Javascript", 15, 95.5, stack=1, causeName="script evaluation"),
    marker("ConsoleTime", 20, 180, stack=3, end_stack=5, causeName="start"),
    marker("GarbageCollection", 30, 42.5, causeName="ALLOC_TRIGGER", nonincrementalReason="GC mode", cycle=1),
    marker("TimeStamp", 60, 60, stack=3, causeName="ready"),
    {"record": "frame", "frame": 1, "source": "shop.js", "line": 1, "column": 1},
    frame(2, "start", "shop.js", 3, 5, parent=1),
    frame(3, "load", "lib/load.js", 40, 9, parent=2, asyncCause="setTimeout handler"),
    memory(100, 3 << 20, 400000),
    marker("Javascript", 150, 185.75, stack=4, causeName="setTimeout handler"),
    marker("render", 155, 170, shards=4),
    marker("render", 171, 184),
    {"record": "thread", "thread": 4712, "name": "worker 1"},
    marker("Javascript", 160, 250, thread=4712, stack=6, off=True, causeName="message handler"),
    marker("Worker", 240, 245, thread=4712, off=True, workerOperation="serializeDataOffMainThread"),
    frame(4, "refresh", "shop.js", 12, 3, asyncParent=3),
    frame(5, "done", "shop.js", 20, 3, parent=4),
    frame(6, "onmessage", "worker.js", 2, 1),
    memory(200, 2 << 20, 300000),
    marker("Javascript", 260, stack=4, causeName="promise callback"),
    {"record": "lost", "count": 3},
    {"record": "end", "time": 300},
]

ESCAPE = "\x1b]0;owned\x07\x1b[31mred"
HOSTILE = [
    {**HEADER, "program": ESCAPE, "generator": "line\nfeed", "pid": 2**64 - 1, "startTimeUs": 2**64 - 1},
    {"record": "thread", "thread": 0, "name": ESCAPE},
    {"record": "thread", "thread": 2**64 - 1},
    marker(ESCAPE, 1, 2, thread=0, stack=1, **{ESCAPE: ESCAPE, "type": "rtl \u202e", "label": "x"}),
    marker("ConsoleTime", 1, 2.000001, thread=0, causeName=ESCAPE),
    marker("", 1.5, 1.5, thread=0, nothing=None, yes=True, rectangles=[{"x": 0, "y": 1, "width": 2, "height": 3}],
           other=[], thing={"deep": [[]]}),
    marker("lone \ud83d", 1.25, 1.75, thread=2**64 - 1, off=True, number=1e300),
    {"record": "frame", "frame": 1, "functionDisplayName": ESCAPE, "source": ESCAPE, "line": 4294967294, "column": 2},
    {"record": "frame", "frame": 2, "parent": 1},
    marker("Javascript", 1.6, 1.7, thread=0, stack=2, causeName=ESCAPE),
    marker("Javascript", 18446744073709.551, stack=77, thread=0),
    {"record": "memory", "time": 3, ESCAPE: 5, "total": -1, "jsMilliseconds": "1.0"},
    {"record": "from the future", "time": "never"},
    {"record": "lost", "count": 2**64 - 1},
]


def write(name, lines, cut=0):
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    (HERE / name).write_text(text[: len(text) - cut])


write("small.timeline", SMALL)
write("hostile.timeline", HOSTILE)
write("killed.timeline", SMALL[:17], cut=30)
