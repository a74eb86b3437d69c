# SPDX-License-Identifier: MIT
"""Timelines of `ubiheap run --timeline` that are made to hurt."""
import json


def marker(name, start, end, thread=1, stack=None, label=None):
    row = {"record": "marker", "name": name, "start": start, "end": end, "thread": thread, "processType": 0,
           "isOffMainThread": thread != 1}
    if stack:
        row["stack"] = stack
    if label:
        row["details"] = {"causeName": label}
    return row


def nested(n):
    """Each within the one before."""
    for i in range(n):
        yield marker("Javascript", i, 4 * n - i, label="script evaluation")


def beside(n):
    """One after the other, below one that lasts."""
    yield marker("Javascript", 0, 10 * n, label="script evaluation")
    for i in range(n):
        yield marker("Parse JS", 2 * i + 1, 2 * i + 2, label=f"file{i}.js")


def crossing(n):
    """Each begins in the one before and ends after it."""
    for i in range(n):
        yield marker("ConsoleTime", i, n + i + 0.5, label=f"request {i}")


def threads(n):
    for i in range(n):
        yield {"record": "thread", "thread": i + 1, "name": f"worker {i % 10}"}
        yield marker("Javascript", i, 2 * n - i, thread=i + 1, label="message handler")


def names(n):
    for i in range(n):
        yield marker(f"kind{i}", i, i + 0.5)
        yield marker("ConsoleTime", i, i + 2, label=f"label {i}")


def stacks(n):
    """Stacks of all depths up to n."""
    for i in range(1, n + 1):
        row = {"record": "frame", "frame": i, "functionDisplayName": f"f{i}", "source": "app.js", "line": i, "column": 1}
        if i > 1:
            row["parent"] = i - 1
        yield row
    for i in range(1, n + 1):
        yield marker("TimeStamp", i, i, stack=i, label=f"t{i}")


def open_ended(n):
    for i in range(n):
        row = marker("Javascript", i, None)
        del row["end"]
        yield row
        yield {"record": "memory", "time": i, "heapLive": 1000 * i}


SHAPES = [nested, beside, crossing, threads, names, stacks, open_ended]


def write(path, shape, n):
    header = {"schema": "ubiheap.timeline-log/1", "record": "header", "generator": "timeline_shapes.py",
              "program": "app.js", "pid": 1, "startTimeUs": 1700000000000000}
    rows = [header, {"record": "thread", "thread": 1, "name": "main"}, *shape(n)]
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
