# SPDX-License-Identifier: MIT
"""Makes tests/data/fx/releases/VERSION: what this version writes, with its content, to be kept for ever.

    UBIHEAP=... UBI_BUILD_DIR=... python3 tests/fxsnapshot/make_release_files.py

To be run once per release, before it. What stands there is never changed: fxsnapshot_save_test.py reads all of it, so no
later reader can forget how to.
"""
import json
import subprocess
import sys

import fxsnapshot_save_test as saved
import harness
from encoder import edge, frame, frame_ref, node, root, snapshot

INFO = ("format", "compression", "messageCount", "endedEarly", "writer", "creationTime", "nodeCount", "edgeCount")


def everything():
    """A file with all that the format has: texts of every kind, shared stacks, parallel edges, nodes out of reach."""
    main = frame(id=100, source="app.js", line=1, name="main", system=1)
    return snapshot(
        root(edges=[edge(2, "first"), edge(3), edge(2, "first"), edge(2**53, ""), edge(1, "self")], coarse=0),
        node(2, "JSObject", 48, class_name="Array", coarse=1, edges=[edge(4, "element 0"), edge(3, "\U0001F600")],
             stack=frame(id=101, line=7, name="make", source="app.js", parent=main)),
        node(3, "JSScript", 2**64 - 1, coarse=2, file="caf\u00e9.js", stack=frame_ref(100)),
        node(2**53, "HTMLDivElement", 0, coarse=4, descriptive="DIV \ud800", class_name=b"\xe9t\xe9",
             stack=frame(id=2**60, line=9, column=0, source="app.js", self_hosted=1, parent=frame_ref(101))),
        node(4, "JSString", 24, coarse=3), node(99, "lost", 8, edges=[edge(98), edge(2, "back")]), node(98, "lost too", 8))


def main():
    source = harness.scratch.file(everything())
    folder = saved.RELEASES / harness.VERSION
    if folder.exists():
        sys.exit(f"{folder} is there already, and must stay as it is")
    folder.mkdir(parents=True)
    expected = {}
    for kind, options in {"graph": (), "walk": ("--walk",), "small": ("--small",), "plain": ("--plain",)}.items():
        file = folder / f"{kind}.fxsnapshot"
        subprocess.run([saved.DRIVER, *options, source, file], check=True)
        info = json.loads(harness.run("info", "--json", file).out)
        expected[file.name] = {"info": {key: info[key] for key in INFO},
                               "content": saved.dump(file.read_bytes(), compat_firefox=False).decode("latin-1")}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
