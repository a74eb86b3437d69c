# SPDX-License-Identifier: MIT
"""protoc, an independent decoder, agrees with the reference reader on every message of a real file.

protoc knows the messages from src/formats/fxsnapshot/coredump.proto and decodes them to text; this test reads that text
and compares ids, sizes, edges, strings, references and stacks as they stand in the file. That the meaning given to them
is right (string tables, frames) is what the other tests show.
"""
import re
import shutil
import subprocess
import sys

import harness
import reference_reader
from encoder import b
from harness import DATA, SOURCE_DIR
from reference_reader import Metadata, Node

FOLDER = SOURCE_DIR / "src" / "formats" / "fxsnapshot"
PROTOC_FRAMES = 45  # protoc stops at 100 levels; a frame takes two
LINE = re.compile(rb"^\s*(?:(\w+): (.*)|(\w+) \{|\})$")
ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))", re.DOTALL)
NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def unescape(text):
    def plain(match):
        return bytes([int(match[1], 8)]) if match[1] else NAMED.get(match[2], match[2])
    return ESCAPE.sub(plain, text)


def value_of(text):
    if text.startswith(b'"'):
        return unescape(text[1:-1])
    return {b"true": 1, b"false": 0}[text] if text.isalpha() else int(text)


def parse_text(text):
    """protoc's text form as a list of (name, value or nested list)."""
    stack = [[]]
    for line in text.splitlines():
        match = LINE.match(line)
        if match is None:
            raise ValueError(line)
        if match[1]:
            stack[-1].append((match[1].decode(), value_of(match[2])))
        elif match[3]:
            stack[-1].append((match[3].decode(), []))
            stack.append(stack[-1][-1][1])
        else:
            stack.pop()
    return stack[0]


def pair(name, value):
    """A string-or-reference pair in the words of the .proto file."""
    return [] if value is None else [(name + "Ref" if isinstance(value, int) else name, value)]


def frame_fields(stack):
    if isinstance(stack.data, int):
        return [("ref", stack.data)]
    d = stack.data
    fields = [("id", d.id)] + ([("parent", frame_fields(d.parent))] if d.parent else [])
    fields += [("line", d.line), ("column", d.column)]
    fields += pair("source", d.source) + pair("functionDisplayName", d.name)
    return [("data", fields + [("isSystem", d.system), ("isSelfHosted", d.self_hosted)])]


def frame_count(stack):
    """Frames given as data in one message."""
    count = 0
    while stack and not isinstance(stack.data, int):
        count, stack = count + 1, stack.data.parent
    return count


def node_fields(node):
    """What protoc must print for a Node of the reference reader: fields in ascending number."""
    fields = [("id", node.id)] + pair("typeName", node.type) + [("size", node.size)]
    fields += [("edges", [("referent", edge.referent)] + pair("name", edge.name)) for edge in node.edges]
    fields += [("allocationStack", frame_fields(node.stack))] if node.stack else []
    fields += pair("jsObjectClassName", node.class_name)
    fields += [] if node.coarse is None else [("coarseType", node.coarse)]
    return fields + pair("scriptFilename", node.file) + pair("descriptiveTypeName", node.descriptive)


def messages(data):
    """The bodies of all messages of an inflated stream."""
    pos = 0
    while (at := reference_reader.read_length(data, pos)) is not None:
        length, start = at
        yield data[start:start + length]
        pos = start + length


def decode(kind, body):
    command = ["protoc", f"--proto_path={FOLDER}", f"--decode=mozilla.devtools.protobuf.{kind}", "coredump.proto"]
    return parse_text(subprocess.run(command, input=body, capture_output=True, check=True).stdout)


class Protoc(harness.TestCase):
    OWN_METADATA = []  # fields from 1000 up
    LEAST_MESSAGES = 1000

    def file_bytes(self, name):
        return (DATA / f"{name}.fxsnapshot").read_bytes()

    def check(self, name):
        bodies = list(messages(reference_reader.inflate(self.file_bytes(name))))
        self.assertGreater(len(bodies), self.LEAST_MESSAGES)
        metadata = Metadata().merge(bodies[0], 0, len(bodies[0]), 0)
        self.assertEqual([("timeStamp", metadata.time), *self.OWN_METADATA], decode("Metadata", bodies[0]))
        nodes = [Node().merge(body, 0, len(body), 0) for body in bodies[1:]]
        kept = [i for i, node in enumerate(nodes) if frame_count(node.stack) <= PROTOC_FRAMES]
        self.assertGreater(len(kept), len(nodes) * 0.98)
        # One process for all nodes: as repeated field 1 of a message that the folder's .proto does not have.
        wrapped = b"".join(b(1, bodies[1 + i]) for i in kept)
        proto = harness.scratch.file(b'syntax = "proto2"; import "coredump.proto";\nmessage Nodes { repeated '
                                     b'mozilla.devtools.protobuf.Node node = 1; }\n', ".proto")
        command = ["protoc", f"--proto_path={FOLDER}", f"--proto_path={proto.parent}", "--decode=Nodes", proto.name]
        text = subprocess.run(command, input=wrapped, capture_output=True, check=True).stdout
        decoded = [fields for _, fields in parse_text(text)]
        self.assertEqual(len(kept), len(decoded))
        for i, fields in zip(kept, decoded):
            self.assertEqual(node_fields(nodes[i]), fields)

    def test_page_with_stacks(self):
        self.check("tiny-before")

    def test_browser_process_with_dom_nodes_and_scripts(self):
        self.check("unreachable")


if __name__ == "__main__":
    if not shutil.which("protoc"):
        print("skipped: no protoc (Debian package protobuf-compiler)")
        sys.exit(77)
    harness.main()
