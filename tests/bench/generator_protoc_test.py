# SPDX-License-Identifier: MIT
"""protoc, an independent reader, takes what our encoder writes, and every index in it makes sense.

The stream is "length, message" repeated; with a tag in front of each it becomes one message that holds them all, which
is what `protoc --decode` can read. The text that protoc prints is then checked by docs/formats/fxsnapshot.md: references
only to strings and frames that came before in logical order, edges only to nodes of the file.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
GENERATE = pathlib.Path(os.environ.get("UBI_BUILD_DIR") or SOURCE_DIR / "build" / "release") / "bench" / "generate"
PROTO = SOURCE_DIR / "src" / "formats" / "fxsnapshot" / "coredump.proto"
WRAPPER = "\nmessage File { optional Metadata metadata = 1; repeated Node nodes = 2; }\n"


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def as_one_message(stream):
    out, at = bytearray(), 0
    while at < len(stream):
        length, body = read_varint(stream, at)
        out += b"\x12" if at else b"\x0a"
        out += stream[at:body + length]
        at = body + length
    return bytes(out)


def parse(text):
    """protoc's text format as nested lists of (name, value); a message is a list, anything else text."""
    top, stack = [], []
    current = top
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            current = stack.pop()
        elif line.endswith("{") and ": " not in line:
            stack.append(current)
            inner = []
            current.append((line[:-2], inner))
            current = inner
        else:
            current.append(tuple(line.split(": ", 1)))
    return top


def decode(stream):
    with tempfile.TemporaryDirectory() as folder:
        proto = pathlib.Path(folder) / "file.proto"
        proto.write_text(PROTO.read_text() + WRAPPER)
        command = ["protoc", f"--proto_path={folder}", "--decode=mozilla.devtools.protobuf.File", "file.proto"]
        done = subprocess.run(command, input=as_one_message(stream), capture_output=True, check=True)
    return parse(done.stdout.decode())


class Checker:
    """Replays the string tables and the frames in the format's logical order."""

    def __init__(self, test):
        self.test = test
        self.n_strings = {"two-byte": 0, "one-byte": 0}
        self.texts = {"two-byte": set(), "one-byte": set()}
        self.frames = set()
        self.ids, self.referents = set(), []

    def string(self, fields, name, table):
        reference = name + "Ref"
        self.test.assertFalse(name in fields and reference in fields)
        if name in fields:
            self.n_strings[table] += 1
            self.test.assertNotIn(fields[name], self.texts[table], "equal texts share an entry")
            self.texts[table].add(fields[name])
        elif reference in fields:
            self.test.assertLess(int(fields[reference]), self.n_strings[table])

    def frame(self, message):
        [(name, value)] = message
        if name == "ref":
            self.test.assertIn(int(value), self.frames)
            return
        data = dict(value)
        self.test.assertLessEqual({"id", "line", "column", "isSystem", "isSelfHosted"}, data.keys())
        self.string(data, "source", "two-byte")
        self.string(data, "functionDisplayName", "two-byte")
        if "parent" in data:
            self.frame(data["parent"])
        self.test.assertNotIn(int(data["id"]), self.frames)
        self.frames.add(int(data["id"]))

    def node(self, message):
        fields = dict(message)
        self.test.assertLessEqual({"id", "size", "coarseType"}, fields.keys())
        self.test.assertFalse([name for name in fields if re.fullmatch(r"\d+", name)], "fields that the format has not")
        self.string(fields, "typeName", "two-byte")
        for name, edge in message:
            if name == "edges":
                edge = dict(edge)
                self.referents.append(int(edge["referent"]))
                self.string(edge, "name", "two-byte")
        if "allocationStack" in fields:
            self.frame(fields["allocationStack"])
        self.string(fields, "jsObjectClassName", "one-byte")
        self.string(fields, "scriptFilename", "one-byte")
        self.string(fields, "descriptiveTypeName", "two-byte")
        self.test.assertNotIn(int(fields["id"]), self.ids)
        self.ids.add(int(fields["id"]))


class ProtocReadsOurFiles(unittest.TestCase):
    def check(self, *options):
        done = subprocess.run([GENERATE, "--level", "none", *options, "-"], capture_output=True, check=True)
        counts = dict(re.findall(r'"(\w+)":(\d+)', done.stderr.decode()))
        [(first, metadata), *nodes] = decode(done.stdout)
        self.assertEqual((first, metadata), ("metadata", [("timeStamp", "1700000000000000")]))
        checker = Checker(self)
        for _, node in nodes:
            checker.node(node)
        self.assertEqual(len(nodes), int(counts["nodes"]))
        self.assertEqual(len(checker.referents), int(counts["edges"]))
        self.assertLessEqual(set(checker.referents), checker.ids)
        return checker

    def test_a_browser_heap_with_stacks(self):
        checker = self.check("--edges", "20k", "--stacks", "50")
        self.assertGreater(len(checker.frames), 20)
        self.assertGreater(len(checker.texts["one-byte"]), 50)

    def test_nodes_out_of_reach(self):
        self.check("--shape", "unreachable", "--edges", "10k", "--stacks", "10")

    def test_the_shapes_that_need_no_memory(self):
        for shape in ("list", "star", "grid", "shuffled"):
            self.check("--shape", shape, "--edges", "5k")


if __name__ == "__main__":
    if not shutil.which("protoc") or not os.access(GENERATE, os.X_OK):
        print("skipped: needs protoc (Debian package protobuf-compiler) and the program bench/generate")
        sys.exit(77)
    unittest.main()
