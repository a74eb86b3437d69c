# SPDX-License-Identifier: MIT
"""Corners of the container and the wire format, with the answers that Firefox ESR 153.7 gave for these files.

Firefox was asked with ChromeUtils.readHeapSnapshot, describeNode for the ids 1 to 10, and a census by count. A case is
a name, the file, and ERROR or (nodes known, nodes counted).
"""
import struct
import zlib

import harness
import reference_reader
from encoder import *

ERROR = None
BLOCK = reference_reader.BLOCK
RAW = stream(META, root(2), node(2))
LONE = stream(META, root())     # a stream that is complete after the root
N2 = framed(node(2))
GZIP_HEADER = b"\x1f\x8b\x08"


def filled(make, size):
    """framed(make(padding)) of exactly `size` bytes."""
    for padding in range(size, size - 100, -1):
        data = framed(make(b(50, b"x" * padding)))
        if len(data) == size:
            return data
    raise ValueError(size)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + (data[at + 1:] if at != -1 else b"")


def bad_crc(member):
    return flipped(member, len(member) - 8)


ONE_BLOCK = framed(META) + filled(lambda pad: root(extra=pad), BLOCK - len(framed(META)))
SECOND_BLOCK = filled(lambda pad: node(2, extra=pad), BLOCK)
HALF = b(1, v(1, 100) + v(3, 1) + v(4, 1))                                # id, line, column
OTHER_HALF = b(1, b(5, two_byte("s")) + v(9, 0) + v(10, 0))              # source, isSystem, isSelfHosted
HCRC_HEADER = GZIP_HEADER + b"\2\0\0\0\0\0\3"
HCRC = zlib.crc32(HCRC_HEADER) & 0xFFFF
LONE_BODY = gzip(LONE)[10:]


def stored_then_bad_block(data):
    return gzip(b"")[:10] + b"\0" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data + b"\7"


def with_dictionary(data):
    compressor = zlib.compressobj(zdict=b"root")
    return compressor.compress(data) + compressor.flush()


def small_window(data):
    compressor = zlib.compressobj(wbits=9)
    return compressor.compress(data) + compressor.flush()


CONTAINER = [
    # An error costs the whole block of 65536 bytes in which it is found, and no more.
    ("wrong CRC in the second block", bad_crc(gzip(ONE_BLOCK + N2)), (1, 0)),
    ("right CRC in the second block", gzip(ONE_BLOCK + N2), (2, 0)),
    ("wrong CRC behind exactly one block", bad_crc(gzip(ONE_BLOCK)), ERROR),
    ("right CRC behind exactly one block", gzip(ONE_BLOCK), (1, 0)),
    ("wrong CRC behind exactly two blocks", bad_crc(gzip(ONE_BLOCK + SECOND_BLOCK)), (1, 0)),
    ("wrong length in the trailer", flipped(gzip(ONE_BLOCK + N2), len(gzip(ONE_BLOCK + N2)) - 4), (1, 0)),
    ("bad block behind complete messages", stored_then_bad_block(LONE), ERROR),
    # Members.
    ("second member with wrong CRC", gzip(LONE) + bad_crc(gzip(N2)), (1, 0)),
    ("second member cut", gzip(LONE) + gzip(N2)[:-12], ERROR),
    ("second member is zlib", gzip(stream(META, root(2))) + zlib_wrap(N2), (2, 1)),
    ("second member with wrong method", gzip(LONE) + b"\x1f\x8b\x09" + gzip(N2)[3:], (1, 0)),
    ("second member's header cut", gzip(LONE) + GZIP_HEADER, (1, 0)),
    ("zeros between members", gzip(LONE) + b"\0" * 512 + gzip(N2), (1, 0)),
    ("message across members", gzip(RAW[:-5]) + gzip(RAW[-5:]), (2, 1)),
    # Cut input delivers whatever could be decoded.
    ("trailer cut by 1", gzip(RAW, 0)[:-1], (2, 1)),
    ("trailer cut by 8", gzip(RAW, 0)[:-8], (2, 1)),
    ("last byte of the message cut", gzip(RAW, 0)[:-9], ERROR),
    ("last two bytes cut", gzip(RAW, 0)[:-10], ERROR),
    ("cut between messages", gzip(LONE + N2, 0)[:-8 - len(N2)], (1, 0)),
    ("cut inside a message", gzip(LONE + N2, 0)[:-8 - 3], ERROR),
    # Headers.
    ("zlib with dictionary", with_dictionary(LONE), ERROR),
    ("zlib with a small window", small_window(LONE), (1, 0)),
    ("zlib with wrong Adler-32", flipped(zlib_wrap(LONE), -1), ERROR),
    ("gzip with name and comment", GZIP_HEADER + b"\x18\0\0\0\0\0\3name\0comment\0" + LONE_BODY, (1, 0)),
    ("gzip with extra field", GZIP_HEADER + b"\4\0\0\0\0\0\3\3\0abc" + LONE_BODY, (1, 0)),
    ("gzip with header CRC", HCRC_HEADER + struct.pack("<H", HCRC) + LONE_BODY, (1, 0)),
    ("gzip with wrong header CRC", HCRC_HEADER + struct.pack("<H", HCRC ^ 1) + LONE_BODY, ERROR),
    ("gzip with a reserved flag", GZIP_HEADER + b"\x20" + gzip(LONE)[4:], ERROR),
]


def literal_lengths(data, *others, size=257):
    """Code lengths for the bytes of `data`, the end of block and `others`, all 8 bits long."""
    lengths = [0] * size
    for symbol in {*data, 256, *others}:
        lengths[symbol] = 8
    return lengths


def filled_up(lengths):
    """The same with unused symbols added until the code is complete."""
    out, missing = list(lengths), 256 - sum(length == 8 for length in lengths)
    for symbol in range(len(out)):
        if missing and not out[symbol]:
            out[symbol] = 8
            missing -= 1
    return out


def write_bytes(data, end=True):
    def body(bits, literals, _):
        for byte in data:
            bits.code(*literals[byte])
        if end:
            bits.code(*literals[256])
    return body


def deflated(literals, distances, **more):
    return gzip_of_deflate(dynamic_block(literals, distances, write_bytes(LONE), **more), LONE)


def fixed_block(tail):
    """LONE in the fixed code, then what `tail` writes."""
    bits = Bits().number(1, 1).number(1, 2)
    for byte in LONE:
        bits.code(0x30 + byte, 8) if byte < 144 else bits.code(0x190 + byte - 144, 9)
    tail(bits)
    return gzip_of_deflate(bits.bytes(), LONE)


COMPLETE = filled_up(literal_lengths(LONE))

# Deflate data that is wrong, with a right checksum behind it: only the decoder itself can object.
DEFLATE = [
    ("complete code", deflated(COMPLETE, [1, 1]), (1, 0)),
    ("one distance code", deflated(COMPLETE, [1]), (1, 0)),
    ("no distance code", deflated(COMPLETE, [0]), (1, 0)),
    ("incomplete literal code", deflated(literal_lengths(LONE), [1, 1]), ERROR),
    ("too many literal codes", deflated(filled_up(literal_lengths(LONE)) + [0] * 30, [1, 1]), ERROR),
    ("288 literal codes", deflated(COMPLETE + [0] * 31, [1, 1]), ERROR),
    ("286 literal codes", deflated(COMPLETE + [0] * 29, [1, 1]), (1, 0)),
    ("oversubscribed literal code", deflated(COMPLETE + [1], [1, 1]), ERROR),
    ("incomplete distance code", deflated(COMPLETE, [2, 2]), ERROR),
    ("one distance code of 2 bits", deflated(COMPLETE, [2]), ERROR),
    ("oversubscribed distance code", deflated(COMPLETE, [1, 1, 1]), ERROR),
    ("31 distance codes", deflated(COMPLETE, [1, 1] + [0] * 29), ERROR),
    ("30 distance codes", deflated(COMPLETE, [1, 1] + [0] * 28), (1, 0)),
    ("incomplete code of the lengths",
     deflated(COMPLETE, [1, 1], code_lengths=[4, 4] + [0] * 6 + [4] + [0] * 10), ERROR),
    ("fixed code", fixed_block(lambda bits: bits.code(0, 7)), (1, 0)),
    ("fixed code, length symbol 286", fixed_block(lambda bits: bits.code(0xC6, 8).code(0, 5).code(0, 7)), ERROR),
    ("fixed code, distance symbol 30",
     fixed_block(lambda bits: bits.code(1, 7).code(30, 5).number(0, 13).code(0, 7)), ERROR),
    ("distance before the start", fixed_block(lambda bits: bits.code(1, 7).code(29, 5).number(8191, 13).code(0, 7)),
     ERROR),
    ("block type 3", gzip_of_deflate(Bits().number(1, 1).number(3, 2).bytes(), b""), ERROR),
    ("stored block with wrong complement", gzip_of_deflate(b"\1\5\0\0\0hello", b"hello"), ERROR),
    ("zlib with a window of 64 KiB", b"\x88\x1c" + zlib_wrap(LONE)[2:], ERROR),
]

LENGTHS = [
    ("length 2^32 reads as 0", gzip(LONE + varint(2**32) + node(2)), (1, 0)),
    ("length 2^32, edge dangling", gzip(stream(META, root(2)) + varint(2**32) + node(2)), ERROR),
    ("length of 5 bytes above 2^32", gzip(stream(META, root(2)) + varint(2**32 + len(node(2))) + node(2)), (2, 1)),
    ("length of 10 bytes", gzip(stream(META, root(2)) + varint(len(node(2)), 10) + node(2)), (2, 1)),
    ("length of 11 bytes ends the stream", gzip(LONE + varint(len(node(2)), 11) + node(2)), (1, 0)),
    ("length 2^31", gzip(LONE + varint(2**31) + node(2)), ERROR),
    ("length 2^31-1", gzip(LONE + varint(2**31 - 1) + node(2)), ERROR),
    ("length 2^32-1", gzip(LONE + varint(2**32 - 1) + node(2)), ERROR),
    ("root's length 2^31", gzip(stream(META) + varint(2**31) + root()), ERROR),
]

STACKS = [
    ("stack in two halves", snapshot(root(2), node(2, stack=HALF, extra=b(6, OTHER_HALF))), (2, 1)),
    ("data, then ref", snapshot(root(stack=frame(id=5)), node(2, stack=frame(id=100, source=0), extra=b(6, v(2, 5)))),
     (2, 0)),
    ("ref, then data", snapshot(root(stack=frame(id=5)),
                                node(2, stack=frame_ref(77), extra=b(6, frame(id=100, source=0)))), (2, 0)),
    ("half, ref, other half", snapshot(root(stack=frame(id=5)),
                                       node(2, stack=HALF, extra=b(6, v(2, 5)) + b(6, OTHER_HALF))), ERROR),
    ("data, then an empty frame", snapshot(root(2), node(2, stack=frame(id=5), extra=b(6, b""))), (2, 1)),
    ("parent in two halves", snapshot(root(), node(2, stack=b(1, frame_data(id=6, parent=HALF) + b(2, OTHER_HALF)))),
     (2, 0)),
    ("parent is empty", snapshot(root(2), node(2, stack=frame(id=5, parent=b""))), ERROR),
    # A frame is known once its parents are: nested frames of one id are no second definition, and the oldest stays.
    ("parent with the same id", snapshot(root(2, 3), node(2, stack=frame(id=5, parent=frame(id=5, line=2, source="p"))),
                                         node(3, stack=frame_ref(5))), (3, 2)),
    ("grandparent with the same id", snapshot(root(2), node(2, stack=frame(
        id=5, parent=frame(id=6, line=2, source="p", parent=frame(id=5, line=3, source="q"))))), (2, 1)),
    ("grandparent refers to the frame", snapshot(root(2), node(2, stack=frame(
        id=5, parent=frame(id=6, line=2, source="p", parent=frame_ref(5))))), ERROR),
]

DEEP_GROUPS = {n: tag(60, GROUP) * n + tag(60, END_GROUP) * n for n in (1, 179, 180, 181)}

WIRE = [
    ("zero tag at the end", snapshot(root(2), node(2, extra=b"\0")), ERROR),
    ("zero tag at the root's end", snapshot(root(extra=b"\0")), ERROR),
    ("zero tag in an edge", snapshot(root(edges=[b(5, v(1, 1) + b"\0")])), ERROR),
    ("zero tag in the metadata", gzip(stream(META + b"\0", root())), ERROR),
    ("end of group at the end", snapshot(root(extra=tag(60, END_GROUP))), ERROR),
    ("end of group in an edge", snapshot(root(edges=[b(5, v(1, 1) + tag(7, END_GROUP))])), ERROR),
    ("end of another group", snapshot(root(extra=tag(60, GROUP) + tag(61, END_GROUP))), ERROR),
    ("group without end", snapshot(root(extra=tag(60, GROUP))), ERROR),
    ("field number 0 in a group", snapshot(root(extra=tag(60, GROUP) + b"\0\0" + tag(60, END_GROUP))), ERROR),
    ("group where a field is known", snapshot(root(extra=tag(1, GROUP) + v(1, 5) + tag(1, END_GROUP))), (1, 0)),
    ("180 groups", snapshot(root(extra=DEEP_GROUPS[180])), (1, 0)),
    ("181 groups", snapshot(root(extra=DEEP_GROUPS[181])), ERROR),
    ("179 groups in an edge", snapshot(root(edges=[b(5, v(1, 1) + DEEP_GROUPS[179])])), (1, 1)),
    ("180 groups in an edge", snapshot(root(edges=[b(5, v(1, 1) + DEEP_GROUPS[180])])), ERROR),
    ("90 frames beside a group", snapshot(root(stack=frame_chain(90), extra=DEEP_GROUPS[1])), (1, 0)),
    ("wire type 6", snapshot(root(extra=tag(50, 6))), ERROR),
    ("wire type 7", snapshot(root(extra=tag(50, 7))), ERROR),
    ("wire type 6 of a known field", snapshot(root(extra=tag(1, 6))), ERROR),
    ("tag of 2 bytes", snapshot(varint(8, 2) + b"\1" + root(id=None)), (1, 0)),
    ("tag of 5 bytes", snapshot(varint(8, 5) + b"\1" + root(id=None)), (1, 0)),
    ("tag of 6 bytes", snapshot(varint(8, 6) + b"\1" + root(id=None)), ERROR),
    ("tag above 2^32", snapshot(varint(8 + 2**32, 5) + b"\1" + root(id=None)), (1, 0)),
    ("tag above 2^34", snapshot(varint(8 + 2**34, 5) + b"\1" + root(id=None)), (1, 0)),
    ("largest field number", snapshot(root(extra=tag(2**29 - 1, VARINT) + b"\1")), (1, 0)),
    ("edges' tag of 3 bytes", snapshot(root(edges=[varint(5 << 3 | BYTES, 3) + b"\2" + v(1, 1)])), (1, 1)),
    ("field length of 5 bytes", snapshot(root(extra=tag(50, BYTES) + varint(3, 5) + b"abc")), (1, 0)),
    ("field length of 6 bytes", snapshot(root(extra=tag(50, BYTES) + varint(3, 6) + b"abc")), ERROR),
    ("field length above 2^31", snapshot(root(extra=tag(50, BYTES) + b"\x83\x80\x80\x80\x08abc")), ERROR),
    ("edge longer than its node", snapshot(root(edges=[tag(5, BYTES) + b"\5" + v(1, 1)]), node(2)), ERROR),
    ("edge ends with the next message",
     snapshot(root(extra=tag(5, BYTES) + varint(2 + 1 + len(node(2))) + v(1, 1)), node(2)), ERROR),
    ("string longer than its node", snapshot(root(extra=tag(50, BYTES) + b"\4"), node(2)), ERROR),
    ("varint beyond 64 bits", snapshot(tag(1, VARINT) + b"\x81" + b"\x80" * 8 + b"\x7e" + root(id=None)), (1, 0)),
    ("varint of 10 bytes", snapshot(root(size=None, extra=tag(4, VARINT) + b"\xff" * 9 + b"\x7f")), (1, 0)),
    ("coarseType of 11 bytes", snapshot(root(extra=tag(9, VARINT) + varint(1, 11))), ERROR),
    ("coarseType above 2^32", snapshot(root(coarse=2**32 + 1)), (1, 0)),
    ("isSystem 2^63", snapshot(root(stack=frame(system=2**63))), (1, 0)),
    ("line above 2^32", snapshot(root(stack=frame(line=2**32 + 7))), (1, 0)),
    ("id 2^63+1", snapshot(root(id=2**63 + 1)), ERROR),
    ("id 2^64-2048", snapshot(root(id=2**64 - 2048)), (0, 0)),
    ("id 2^64-1024, which rounds to 2^64", snapshot(root(id=2**64 - 1024)), ERROR),
    ("id 2^64-1025", snapshot(root(id=2**64 - 1025)), ERROR),
    ("edge names in the table", snapshot(root(edges=[edge(2, "x"), edge(2, 0)]), node(2, 1)), (2, 1)),
    ("sizes that wrap", snapshot(root(2, 3), node(2, size=2**63), node(3, size=2**63 + 5)), (3, 2)),
]

GROUPS = {"container": CONTAINER, "deflate": DEFLATE, "lengths": LENGTHS, "stacks": STACKS, "wire": WIRE}


class FirefoxAnswers(harness.TestCase):
    def test_reference_reader_agrees_with_firefox(self):
        for group in GROUPS.values():
            for name, data, answer in group:
                with self.subTest(name):
                    if harness.expect(data).status != harness.OK:
                        self.assertEqual(ERROR, answer)
                        continue
                    snapshot = reference_reader.read(data)
                    known = sum(id in snapshot.nodes for id in range(1, 11))
                    self.assertEqual(answer, (known, len(reference_reader.reachable(snapshot))))

    def test_library_agrees_in_every_group(self):
        for group in GROUPS.values():
            self.assert_same_as_reference([case[:2] for case in group], "firefox", variants=True)

    def test_default_mode_agrees_too(self):
        for group in GROUPS.values():
            self.assert_same_as_reference([case[:2] for case in group], "none", variants=True)


if __name__ == "__main__":
    harness.main(needs=[harness.DRIVER])
