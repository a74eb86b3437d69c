# SPDX-License-Identifier: MIT
"""Snapshots of Firefox that are made to hurt: stacks, names of nodes, scripts. What graphs can do is in v8_shapes.py."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fxsnapshot"))
import encoder as e  # noqa: E402

OBJECT, SCRIPT, STRING, DOM_NODE = 1, 2, 3, 4


def frame(number, parent=None, name=None):
    return e.frame(id=number, line=number % 5000 + 1, column=1, source=f"s{number % 7}.js", name=name or f"f{number}",
                   parent=parent)


def deep_stack(n):
    """A node for each frame of one stack."""
    yield frame(1000)
    for i in range(1, n):
        yield frame(1000 + i, e.frame_ref(999 + i))


def wide_stack(n):
    """All called by one function."""
    yield frame(1000)
    for i in range(1, n):
        yield frame(1000 + i, e.frame_ref(1000))


def recursion(n):
    """One function and line that calls itself."""
    yield frame(1000, None, "again")
    for i in range(1, n):
        yield e.frame(id=1000 + i, line=1, column=1, source="s.js", name="again", parent=e.frame_ref(999 + i))


def with_stacks(stacks):
    def make(n):
        ids = [100 + 2 * i for i in range(n)]
        yield e.root(*ids)
        for id, stack in zip(ids, stacks(n)):
            yield e.node(id, "JSObject", 64, stack=stack, class_name="Object", coarse=OBJECT)
    return make


def names(n):
    """Nodes of all sorts, no two of one name."""
    ids = [100 + 2 * i for i in range(4 * n)]
    yield e.root(*ids)
    for i in range(n):
        yield e.node(ids[4 * i], "JSObject", 64, class_name=f"Class{i}", coarse=OBJECT)
        yield e.node(ids[4 * i + 1], "JSScript", 64, file=f"https://a.example/{i}.js", coarse=SCRIPT)
        yield e.node(ids[4 * i + 2], "JSString", 64, coarse=STRING)
        yield e.node(ids[4 * i + 3], "nsINode", 64, descriptive=f"node-{i}", coarse=DOM_NODE)


def one_place(n):
    """Many nodes of one class that one stack allocated."""
    ids = [100 + 2 * i for i in range(n)]
    yield e.root(*ids)
    yield e.node(ids[0], "JSObject", 64, stack=frame(1000), class_name="Object", coarse=OBJECT)
    for id in ids[1:]:
        yield e.node(id, "JSObject", 64, stack=e.frame_ref(1000), class_name="Object", coarse=OBJECT)


SHAPES = {"deep_stack": with_stacks(deep_stack), "wide_stack": with_stacks(wide_stack),
          "recursion": with_stacks(recursion), "names": names, "one_place": one_place}


def write(path, shape, n):
    path.write_bytes(e.gzip(e.stream(e.META, *SHAPES[shape](n)), 1))
