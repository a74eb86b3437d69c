#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A heap snapshot of Firefox's format with many classes, each of one object: tables with as many rows, tree maps with as many boxes.

    classes.py COUNT OUT.fxsnapshot

The file is a pure function of the count. A million classes take ten seconds.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "fxsnapshot"))
import encoder  # noqa: E402

OBJECTS = 1  # the coarse type
FIRST_ID = 4096
WORDS = ("Account", "Buffer", "Cache", "Document", "Event", "Frame", "Group", "Handler", "Index", "Job")


def class_name(number):
    return f"{WORDS[number % len(WORDS)]}{number:07}"


def messages(count):
    ids = range(FIRST_ID, FIRST_ID + 8 * count, 8)
    yield encoder.node(1, "JS::ubi::RootList", 8, edges=[encoder.edge(id) for id in ids])
    yield encoder.node(ids[0], "JSObject", 96, class_name=class_name(0), coarse=OBJECTS)
    for number in range(1, count):
        # Sizes repeat, so that orders have ties; the type's name is the first that was spelled out.
        yield encoder.node(ids[number], "JSObject", 64 + number * 7919 % 64, class_name=class_name(number), coarse=OBJECTS)


def main():
    count, path = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    path.write_bytes(encoder.snapshot(*messages(count)))


if __name__ == "__main__":
    main()
