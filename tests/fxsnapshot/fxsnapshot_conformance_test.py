# SPDX-License-Identifier: MIT
"""The conformance cases 1 to 45 of docs/formats/fxsnapshot.md, on hand-made files, through the command line tool.

Each case is read with --compat firefox; the expected results were produced by Firefox ESR 153.7. Below them: what the
error message of each rule R1 to R14 must name.
"""
import json
import re

import harness
from encoder import *
from harness import FIREFOX, run, scratch

ERROR = None  # in place of the number of counted nodes
COUNT = {"by": "count"}
TYPES = {"by": "internalType"}

N2 = node(2)
SECOND = snapshot(root(2), N2)


def with_second(message, **root_fields):
    return snapshot(root(2, **root_fields), message)


def order_test(k, reversed_fields=False):
    """Case 45: one string of every kind in the root; the second node's type is string `k`."""
    parent = frame(id=101, source="p")
    edges = edge(1, "x") + edge(2, "y")
    fields = [v(1, 1), either(2, "root", two_byte), v(4, 10), edges, b(6, frame(id=100, source="s", name="f",
                                                                              parent=parent)),
              v(9, 0), either(12, "d", two_byte)]
    return snapshot(b"".join(reversed(fields) if reversed_fields else fields), node(2, k))


def without_frame_field(field):
    return snapshot(root(stack=frame(**{field: None})))


# number -> [(what, file, counted nodes or ERROR)]
CASES = {
    1: [("M, R", snapshot(root()), 0)],
    2: [("unknown field instead of a time", gzip(stream(v(15, 1), root())), 0)],
    3: [("empty metadata", gzip(stream(b"", root())), ERROR)],
    4: [("metadata only", gzip(stream(META)), ERROR), ("empty file", b"", ERROR)],
    5: [("uncompressed", stream(META, root()), ERROR), ("raw deflate", raw_deflate(stream(META, root())), ERROR)],
    6: [("zlib", zlib_wrap(stream(META, root())), 0)],
    7: [("two members", gzip(stream(META, root(2))) + gzip(stream(N2)), 1)],
    8: [("trailer cut", SECOND[:-8], 1)],
    9: [("root without id", snapshot(root(id=None)), ERROR), ("without size", snapshot(root(size=None)), ERROR),
        ("without type", snapshot(root(type=None)), ERROR)],
    10: [(f"root id {id}", snapshot(root(id=id)), 0) for id in (0, 2**53, 2**53 + 2, 2**63)],
    11: [(f"root id {id}", snapshot(root(id=id)), ERROR) for id in (2**53 + 1, 2**64 - 1)],
    12: [("id 1 twice", snapshot(root(), node(1)), ERROR)],
    13: [(f"size {size}", snapshot(root(size=size)), 0) for size in (0, 2**64 - 1)],
    14: [("empty type", snapshot(root(type="")), 0), ("odd type", snapshot(root(type=b"abc")), 0)],
    15: [("reference to nothing", snapshot(root(type=0)), ERROR)],
    16: [("type reference 0", with_second(node(2, 0)), 1)],
    17: [("type reference 1", with_second(node(2, 1)), ERROR)],
    18: [("coarseType 4", snapshot(root(coarse=4)), 0), ("coarseType 2^32", snapshot(root(coarse=2**32)), 0)],
    19: [("coarseType 5", snapshot(root(coarse=5)), ERROR)],
    20: [("no referent", snapshot(root(edges=[edge(None, "x")])), ERROR), ("to 99", snapshot(root(99)), ERROR),
         ("to 0", snapshot(root(0)), ERROR)],
    21: [("self edge", snapshot(root(1)), 1)],
    22: [("empty name", snapshot(root(edges=[edge(1, "")])), 1), ("name 0", snapshot(root(edges=[edge(1, 0)])), 1)],
    23: [("name 7", snapshot(root(edges=[edge(1, 7)])), ERROR)],
    24: [("unreachable node", snapshot(root(), N2), 0)],
    25: [("length 0 ends the stream", gzip(stream(META, root()) + b"\0" + framed(N2)), 0)],
    26: [("length 0 and a dangling edge", gzip(stream(META, root(2)) + b"\0" + framed(N2)), ERROR)],
    27: [("last message cut by 2", gzip(stream(META, root(2), N2)[:-2]), ERROR)],
    28: [("lone 0x80", gzip(stream(META, root()) + b"\x80"), 0)],
    29: [("long length", gzip(stream(META) + framed(root(), pad_to=4)), 0)],
    30: [("unknown fields", snapshot(root(extra=v(50, 1) + b(51, b"abc"))), 0)],
    31: [("ff ff ff", gzip(stream(META, b"\xff\xff\xff")), ERROR),
         ("id as bytes", snapshot(b(1, b"\1") + root(id=None)), ERROR)],
    32: [("id twice", snapshot(v(1, 5) + root()), 0)],
    33: [("complete frame", snapshot(root(stack=frame())), 0)] + [
        (f"frame without {field}", without_frame_field(field), ERROR)
        for field in ("id", "line", "column", "source", "system", "self_hosted")] + [
        ("empty frame", snapshot(root(stack=b"")), ERROR)],
    34: [("unknown frame", snapshot(root(stack=frame_ref(5))), ERROR)],
    35: [("known frame", with_second(node(2, stack=frame_ref(100)), stack=frame(id=100)), 1)],
    36: [("frame twice", with_second(node(2, stack=frame(id=100)), stack=frame(id=100)), ERROR)],
    37: [("own parent", snapshot(root(stack=frame(id=100, parent=frame_ref(100)))), ERROR)],
    38: [("frame id 2^53+1, column 0", snapshot(root(stack=frame(id=2**53 + 1, column=0))), 0)],
    39: [("90 frames", snapshot(root(stack=frame_chain(90))), 0),
         ("91 frames", snapshot(root(stack=frame_chain(91))), ERROR)],
    40: [("empty class", snapshot(root(class_name="")), 0), ("class 0", snapshot(root(class_name=0)), ERROR)],
    41: [("separate tables", with_second(node(2, 0, class_name=0), class_name="Foo"), 1)],
    42: [("one-byte table", with_second(node(2, class_name=1, file=1), class_name="Foo", file="f.js"), 1)],
    43: [("descriptive name is two-byte", with_second(node(2, 1), descriptive="div"), 1)],
    44: [("and not one-byte", with_second(node(2, class_name=0), descriptive="div"), ERROR)],
    45: [(f"string {k}", order_test(k, back), 2 if k < 7 else ERROR) for k in range(8) for back in (False, True)],
}


def type_bytes(name, count=1, bytes=1):
    return {name: {"count": count, "bytes": bytes}}


class Conformance(harness.TestCase):
    def check(self, what, data, counted):
        path = scratch.file(data)
        done = run("census", path, "--json", "--breakdown", json.dumps(COUNT), *FIREFOX)
        if counted is ERROR:
            self.assertEqual(harness.EXIT_BAD_INPUT, done.exit, what)
            self.assert_one_line(done, path)
            return
        self.assertEqual((harness.EXIT_OK, ""), (done.exit, done.err), what)
        self.assertEqual(counted, json.loads(done.out)["report"]["count"], what)

    def test_cases_1_to_45(self):
        self.assertEqual(list(range(1, 46)), list(CASES))
        for number, cases in CASES.items():
            for what, data, counted in cases:
                with self.subTest(f"case {number}: {what}"):
                    self.check(what, data, counted)

    def test_graphs_equal_those_of_the_reference_reader(self):
        cases = [(f"{number}: {what}", data) for number, part in CASES.items() for what, data, _ in part]
        self.assert_same_as_reference(cases, "firefox", variants=True)
        self.assert_same_as_reference(cases, "none", variants=True)

    def test_uncompressed_messages_are_accepted_by_default(self):
        self.assertEqual(harness.EXIT_OK, run("info", scratch.file(CASES[5][0][1])).exit)
        self.assertEqual(harness.EXIT_BAD_INPUT, run("info", scratch.file(CASES[5][1][1])).exit)

    def test_creation_time(self):
        for number, time in ((1, TIME), (2, None)):
            info = json.loads(run("info", scratch.file(CASES[number][0][1]), "--json").out)
            self.assertEqual(time, info["creationTimeUs"])

    def types(self, data):
        return self.census(scratch.file(data), TYPES, *FIREFOX)

    def test_case_16_type_by_reference(self):
        self.assertEqual(type_bytes("root"), self.types(CASES[16][0][1]))

    def test_case_21_root_counts_when_an_edge_leads_to_it(self):
        self.assertEqual({"count": 1, "bytes": 10}, self.census(scratch.file(CASES[21][0][1]), COUNT))

    def test_case_32_last_id_wins(self):
        buckets = self.census(scratch.file(snapshot(v(1, 5) + root(1))), {"by": "bucket"}, *FIREFOX)
        self.assertEqual([1], buckets)

    def test_case_41_and_42_class_and_file(self):
        classes = {"by": "objectClass"}
        report = self.census(scratch.file(CASES[41][0][1]), classes, *FIREFOX)
        self.assertEqual({"Foo": {"count": 1, "bytes": 1}, "other": {"count": 0, "bytes": 0}}, report)
        report = self.census(scratch.file(CASES[42][0][1]), classes, *FIREFOX)
        self.assertEqual(["f.js", "other"], list(report))
        report = self.census(scratch.file(CASES[42][0][1]), {"by": "filename"}, *FIREFOX)
        self.assertEqual(["f.js", "noFilename"], list(report))

    def test_case_43_type_from_a_descriptive_name(self):
        self.assertEqual(type_bytes("div"), self.types(CASES[43][0][1]))

    def test_case_45_strings_have_their_logical_order(self):
        for k, name in enumerate(["root", "x", "y", "s", "f", "p", "d"]):
            want = type_bytes("root", 2, 11) if k == 0 else type_bytes(name) | type_bytes("root", 1, 10)
            for reversed_fields in (False, True):
                with self.subTest(k=k, reversed=reversed_fields):
                    self.assertEqual(want, self.types(order_test(k, reversed_fields)))


# ---- messages -------------------------------------------------------------------------------------------------------

def spans(*messages):
    """Byte ranges in the inflated stream of stream(*messages): length prefix and message together."""
    at, out = 0, []
    for message in messages:
        size = len(framed(message))
        out.append((at, at + size))
        at += size
    return out


META_ROOT = (META, root(2))


def blame(rule, messages, number, *words):
    """The rule is broken in messages[number]; the message must contain each of `words`."""
    return rule, messages, number, words


MESSAGES = [
    blame("R1", (b"", root()), 0, "metadata"),
    blame("R1", (tag(1, VARINT) + b"\xff" * 10, root()), 0),
    blame("R2", (META, b""), 1, "root"),
    blame("R2", (META, root(id=None)), 1, "no id"),
    blame("R3", (*META_ROOT, node(None)), 2, "no id"),
    blame("R4", (*META_ROOT, node(2**53 + 1)), 2, "id 9007199254740993"),
    blame("R5", (*META_ROOT, N2, node(2)), 3, r"id 2\b"),
    blame("R6", (*META_ROOT, node(2, coarse=77)), 2, r"coarse ?type 77\b"),
    blame("R7", (*META_ROOT, node(2, None)), 2, "no type ?name"),
    blame("R7", (*META_ROOT, node(2, 4321)), 2, "type ?name", r"\b4321\b"),
    blame("R8", (*META_ROOT, node(2, size=None)), 2, "no size"),
    blame("R9", (*META_ROOT, node(2, edges=[edge(1), edge(None, "x")])), 2, "no referent", r"edge 1\b"),
    blame("R9", (*META_ROOT, node(2, edges=[edge(1, 4321)])), 2, "edge", "name", r"\b4321\b"),
    blame("R10", (*META_ROOT, node(2, class_name=4321)), 2, "class ?name", r"\b4321\b"),
    blame("R10", (*META_ROOT, node(2, file=4321)), 2, "file ?name", r"\b4321\b"),
    blame("R10", (*META_ROOT, node(2, descriptive=4321)), 2, "descriptive", r"\b4321\b"),
    blame("R11", (*META_ROOT, node(2, stack=frame_ref(4321))), 2, "frame", r"\b4321\b"),
    blame("R11", (*META_ROOT, node(2, stack=b"")), 2, "frame", "data|ref"),
    blame("R11", (*META_ROOT, node(2, stack=frame(id=None))), 2, "frame", "no id"),
    blame("R11", (*META_ROOT, node(2, stack=frame(line=None))), 2, "frame", "no line"),
    blame("R11", (*META_ROOT, node(2, stack=frame(column=None))), 2, "frame", "no column"),
    blame("R11", (*META_ROOT, node(2, stack=frame(system=None))), 2, "frame", "no isSystem"),
    blame("R11", (*META_ROOT, node(2, stack=frame(self_hosted=None))), 2, "frame", "no isSelfHosted"),
    blame("R11", (*META_ROOT, node(2, stack=frame(source=None))), 2, "frame", "no source"),
    blame("R11", (*META_ROOT, node(2, stack=frame(source=4321))), 2, "source", r"\b4321\b"),
    blame("R11", (*META_ROOT, node(2, stack=frame(name=4321))), 2, "function", r"\b4321\b"),
    blame("R12", (META, root(2, stack=frame(id=4321)), node(2, stack=frame(id=4321))), 2, "frame", r"\b4321\b"),
    blame("R13", (*META_ROOT, node(2, stack=frame_chain(91))), 2, r"\b(180|90)\b"),
    blame("R13", (*META_ROOT, node(2, extra=tag(60, GROUP) * 181 + tag(60, END_GROUP) * 181)), 2),
    blame("R14", (META, root(2, 4321), N2), 1, "edge", r"\b4321\b"),
    blame("R14", (META, root(2), node(2, edges=[edge(1), edge(4321)])), 2, "edge", r"\b4321\b"),
    # Below the rules: the wire format.
    blame("wire", (*META_ROOT, node(2, extra=b"\0")), 2),
    blame("wire", (*META_ROOT, node(2, extra=tag(50, 7))), 2),
    blame("wire", (*META_ROOT, node(2, extra=tag(50, BYTES) + varint(4321))), 2),
]


class Messages(harness.TestCase):
    def check(self, messages, number, words):
        done = run("info", scratch.file(gzip(stream(*messages))))
        self.assertEqual(harness.EXIT_BAD_INPUT, done.exit)
        self.assert_one_line(done)
        text = done.err.split(".fxsnapshot: ", 1)[1]
        named = re.search(r"message (\d+)", text)
        offset = re.search(r"byte (\d+)", text)
        self.assertTrue(named and offset, text)
        self.assertEqual(number, int(named[1]), text)
        low, high = spans(*messages)[number]
        self.assertTrue(low <= int(offset[1]) <= high, f"{text}: not within bytes {low} to {high}")
        for word in words:
            self.assertRegex(text, "(?i)" + word)

    def test_message_names_number_offset_field_and_value(self):
        for rule, messages, number, words in MESSAGES:
            with self.subTest(f"{rule} {words}"):
                self.check(messages, number, words)

    def test_every_rule_is_tried(self):
        self.assertEqual({f"R{i}" for i in range(1, 15)} | {"wire"}, {rule for rule, *_ in MESSAGES})

    def test_file_without_metadata_or_root_says_so(self):
        for data, word in ((gzip(b""), "this is an empty file, compressed with gzip: "),
                           (gzip(stream(META)), "the file ends at byte 10, before message 1, the root node: "),
                           (framed(META) + b"\xff" * 11, "root node expected, but its length is longer than 10 bytes")):
            done = run("info", scratch.file(data))
            self.assertEqual(harness.EXIT_BAD_INPUT, done.exit)
            self.assert_one_line(done)
            self.assertRegex(done.err, word)

    def test_damage_of_the_compressed_data_is_named(self):
        good = SECOND
        for what, data, word in (("CRC", good[:-8] + bytes([good[-8] ^ 1]) + good[-7:], 
                                  "the gzip data is damaged at byte \\d+ of the compressed input, wrong checksum: copy or "),
                                 ("cut", good[: len(good) // 2], 
                                  "the gzip data ends too early, at byte \\d+ of the compressed input: was it ")):
            done = run("info", scratch.file(data))
            self.assertEqual(harness.EXIT_BAD_INPUT, done.exit)
            self.assertRegex(done.err, word, what)

    def test_cut_message_names_its_number(self):
        data = stream(META, root(2), N2)
        done = run("info", scratch.file(gzip(data[:-2])))
        self.assertEqual(harness.EXIT_BAD_INPUT, done.exit)
        self.assertRegex(done.err, "message 2")


if __name__ == "__main__":
    harness.main(needs=[harness.UBIHEAP, harness.DRIVER])
