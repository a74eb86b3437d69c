# SPDX-License-Identifier: MIT
"""Recordings (.ubirec) as bytes, written from docs/formats/ubirec.md alone: what a test wants to have happened, record by record."""
import struct
import zlib

HEAP, MAPPING, OBJECT = 0, 1, 2
BLOCK_BYTES = 60000


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value):
    data = value.encode()
    return varint(len(data)) + data


class Encoder:
    def __init__(self, period=1, program="/opt/demo/random"):
        self.blocks, self.now, self.thread, self.traces, self.allocations = [], None, None, 0, 0
        self.payload, self.time = b"", 0
        self.strings, self.counts = {}, {}
        self.other(1, varint(4711), varint(0), varint(period), varint(0), varint(0), varint(4096), text(program), text(""),
                   text("test 1"), text("none"))

    def record(self, low_bits, argument, rest=b""):
        self.payload += varint(argument << 2 | low_bits) + rest
        if len(self.payload) > BLOCK_BYTES:
            self.flush()

    def other(self, kind, *fields):
        payload = b"".join(fields)
        self.record(3, kind, varint(len(payload)) + payload)

    def flush(self):
        if not self.payload:
            return
        head = struct.pack("<BBHII", 1, 0, 0, len(self.payload), len(self.payload))
        self.blocks.append(head + struct.pack("<I", zlib.crc32(head + self.payload)) + self.payload)
        self.payload, self.now = b"", None

    def number(self, what):
        self.counts[what] = self.counts.get(what, -1) + 1
        return self.counts[what]

    def string(self, value):
        if value not in self.strings:
            self.other(2, text(value))
            self.strings[value] = self.number("string")
        return varint(self.strings[value])

    def label(self, name):
        self.other(7, self.string(name))
        return self.number("frame")

    def trace(self, caller, frame):
        """@param caller  0: none."""
        self.record(2, self.traces + 1 - caller, varint(frame))
        self.traces += 1
        return self.traces

    def kind(self, name, of_class):
        self.other(8, self.string(name), varint(of_class))
        return self.number("kind")

    def info(self, kind, size, trace, weight):
        self.other(9, varint(kind), varint(size), varint(self.traces - trace), varint(weight))
        return self.number("info")

    def new_thread(self, tid):
        self.other(10, varint(tid), self.string("a thread"))
        return self.number("thread")

    def switch(self, thread):
        self.other(13, varint(thread))

    def at(self, time_ns):
        """Time goes to there. The first record of a block says it in full."""
        self.time = time_ns
        self.other(12, varint(time_ns - (self.now or 0)))
        if self.payload:
            self.now = time_ns

    def alloc(self, info):
        self.record(0, info)
        self.allocations += 1
        return self.allocations - 1

    def free(self, number):
        self.record(1, self.allocations - 1 - number)

    def undone(self, number, info):
        self.other(14, varint(self.allocations - 1 - number), varint(info))

    def end(self):
        self.other(20, varint(0), varint(0))
        self.flush()
        return b"\x89UBIREC\n" + struct.pack("<II", 1, 0) + b"".join(self.blocks)
