# SPDX-License-Identifier: MIT
"""Input of more than 4 GiB, inflated and compressed: offsets and lengths do not wrap, and memory stays small.

The files exist only as streams: they are written into the tool's standard input while it reads.
"""
import json
import resource
import struct
import subprocess
import unittest
import zlib

import harness
from encoder import *

GIB = 1 << 30
FILLER = 1_200_000_000               # bytes of an unknown field; a message may not exceed 2^31-1
PIECE = bytes(1 << 20)
BUDGET_MIB = 64                      # of memory, whatever the size of the input


def filled_node(number, edges=()):
    """The frame of a node whose last field is FILLER zeros, as (head, zeros)."""
    body = node(number, edges=edges) if number > 1 else root(2, 3, 4)
    field = varint(tag_number(50)) + varint(FILLER)
    return varint(len(body) + len(field) + FILLER) + body + field, FILLER


def tag_number(field):
    return field << 3 | 2


def chunks(last):
    """Four messages of 1.2 GB and a last one, in pieces of at most 1 MiB."""
    yield framed(v(1, 1700000000123456))
    for number in (1, 2, 3, 4):
        head, zeros = filled_node(number)
        yield head
        while zeros:
            piece = PIECE[:zeros]
            yield piece
            zeros -= len(piece)
    yield framed(last)


def stored(pieces):
    """The pieces as one gzip member that does not compress: stored blocks of at most 65535 bytes."""
    yield b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    crc = size = 0
    for piece in pieces:
        crc, size = zlib.crc32(piece, crc), size + len(piece)
        for at in range(0, len(piece), 65535):
            block = piece[at:at + 65535]
            yield struct.pack("<BHH", 0, len(block), len(block) ^ 0xFFFF) + block
    yield struct.pack("<BHHII", 1, 0, 0xFFFF, crc, size & 0xFFFFFFFF)


def limit_memory():
    if not harness.SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))


def feed(pieces):
    """What `ubiheap info - --json` says of the pieces, and its peak memory in MiB."""
    tool = subprocess.Popen([harness.UBIHEAP, "info", "-", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=limit_memory)
    total = 0
    try:
        for piece in pieces:
            tool.stdin.write(piece)
            total += len(piece)
    except BrokenPipeError:
        pass
    out, err = tool.communicate()
    peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return tool.returncode, out, err.decode(), total, peak_mib


class Huge(unittest.TestCase):
    def assert_small(self, peak_mib):
        if not harness.SANITIZED:
            self.assertLess(peak_mib, BUDGET_MIB)

    def test_more_than_4_gib_uncompressed(self):
        exit, out, err, total, peak = feed(chunks(node(5)))
        self.assertEqual((exit, err), (0, ""))
        self.assertGreater(total, 4 * GIB)
        document = json.loads(out)
        self.assertEqual((document["nodeCount"], document["inflatedBytes"]), (5, total))
        self.assert_small(peak)

    def test_more_than_4_gib_compressed(self):
        exit, out, err, total, peak = feed(stored(chunks(node(5))))
        self.assertEqual((exit, err), (0, ""))
        self.assertGreater(total, 4 * GIB)
        document = json.loads(out)
        self.assertEqual((document["nodeCount"], document["inputBytes"]), (5, total))
        self.assertGreater(document["inflatedBytes"], 4 * GIB)
        self.assert_small(peak)

    def test_an_offset_beyond_4_gib_is_reported_whole(self):
        exit, _, err, total, _ = feed(chunks(b(2, two_byte("T"))))
        self.assertEqual(exit, 3)
        self.assertIn(f"message 5 at byte {total - len(framed(b(2, two_byte('T'))))}: ", err)

    def test_a_wrong_checksum_behind_4_gib_is_noticed(self):
        def broken():
            previous = None
            for piece in stored(chunks(node(5))):
                if previous is not None:
                    yield previous
                previous = piece
            yield previous[:5] + bytes([previous[5] ^ 1]) + previous[6:]
        exit, _, err, _, _ = feed(broken())
        self.assertEqual(exit, 3)
        self.assertIn("checksum", err)


if __name__ == "__main__":
    harness.main(needs=[harness.UBIHEAP])
