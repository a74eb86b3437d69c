# SPDX-License-Identifier: MIT
"""Recordings (.ubirec) as the lines of tests/support/ubirec_lines.h: an independent witness, slow and plain.

Written from docs/formats/ubirec.md alone. Anything that the page does not allow raises.
"""
import string
import struct
import zlib

PLAIN = set((string.ascii_letters + string.digits + "-._/~").encode())


def quoted(data):
    return "".join(chr(c) if c in PLAIN else f"%{c:02X}" for c in data) or "%"


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                assert value < 2**64 and shift <= 70
                return value

    def bytes(self, n):
        assert n <= len(self.data) - self.at
        self.at += n
        return self.data[self.at - n:self.at]

    def text(self):
        return self.bytes(self.number())

    def more(self):
        return self.at < len(self.data)


def blocks(data):
    """Payloads, inflated; at the end, how many bytes were left over."""
    assert data[:16] == b"\x89UBIREC\n" + struct.pack("<II", 1, 0)
    at = 16
    while len(data) - at >= 16:
        kind, flags, zero, stored, raw, crc = struct.unpack_from("<BBHIII", data, at)
        payload = data[at + 16:at + 16 + stored]
        if len(payload) < stored:
            break
        assert crc == zlib.crc32(data[at:at + 12] + payload)
        at += 16 + stored
        if kind >= 128:
            continue
        assert kind == 1 and zero == 0 and flags in (0, 1)
        payload = zlib.decompress(payload, 31) if flags else payload
        assert len(payload) == raw
        yield payload
    yield len(data) - at


class Decoder:
    def __init__(self):
        self.strings, self.modules, self.frames, self.kinds, self.infos, self.threads = [], [], [], [], [], []
        self.traces = [""]  # each with its callers
        self.allocations = self.now = self.thread = 0
        self.lines = []

    def string(self, c):
        return quoted(self.strings[c.number()])

    def put(self, *words):
        self.lines.append(" ".join(str(w) for w in words))

    def event(self, word, number, info=None):
        assert 0 <= number < self.allocations
        tid, name = self.threads[self.thread]
        self.put(word, number, self.now, f"{self.thread}:{tid}:{name}", *([] if info is None else [self.infos[info]]))

    def record(self, c):
        head = c.number()
        argument = head >> 2
        if head & 3 == 0:
            self.allocations += 1
            self.event("alloc", self.allocations - 1, argument)
        elif head & 3 == 1:
            self.event("free", self.allocations - 1 - argument)
        elif head & 3 == 2:
            caller = len(self.traces) - argument
            assert 0 <= caller < len(self.traces)
            self.traces.append("<" + self.frames[c.number()] + self.traces[caller])
        else:
            payload = Cursor(c.text())
            handler = getattr(self, f"type{argument}", None)
            if handler:
                handler(payload)

    def type1(self, c):
        numbers = [c.number() for _ in range(6)]
        self.put("about", *numbers, *[quoted(c.text()) for _ in range(4)])

    def type2(self, c):
        self.strings.append(c.text())

    def type3(self, c):
        path, build_id = self.string(c), self.string(c)
        self.modules.append(f"{path}:{build_id}:{c.number()}:{c.number()}:{c.number()}")

    def type4(self, c):
        self.frames.append(f"{self.modules[c.number()]}+{c.number()}")

    def type5(self, c):
        self.frames.append(f"@{c.number()}")

    def type6(self, c):
        self.frames.append(f"{self.string(c)}({self.string(c)}:{c.number()}:{c.number()})")

    def type7(self, c):
        self.frames.append(self.string(c))

    def type8(self, c):
        self.kinds.append(f"{self.string(c)}:{c.number()}")

    def type9(self, c):
        kind, size = self.kinds[c.number()], c.number()
        trace = self.traces[len(self.traces) - 1 - c.number()]
        self.infos.append(f"{kind} {size} {c.number() if c.more() else size} {trace}")

    def type10(self, c):
        self.threads.append((c.number(), self.string(c)))

    def type11(self, c):
        thread = c.number()
        self.threads[thread] = (self.threads[thread][0], self.string(c))

    def type12(self, c):
        self.now = (0 if self.first_time else self.now) + c.number()
        self.first_time = False

    def type13(self, c):
        self.thread = c.number()

    def type14(self, c):
        number = self.allocations - 1 - c.number()
        self.event("undone", number, c.number())

    def type15(self, c):
        self.put("rss", c.number())

    def type16(self, c):
        self.put("counted", c.number(), c.number())

    def type17(self, c):
        self.put("period", c.number())

    def type18(self, c):
        self.put("marker", self.string(c), *[c.number() for _ in range(5)], self.stack_last(c))

    def stack_last(self, c):
        trace = self.traces[c.number()]
        return f"{self.string(c)} {trace}"

    def type19(self, c):
        frame = self.frames[c.number()]
        symbols = [f"{self.string(c)}|{self.string(c)}|{c.number()}|{c.number()}" for _ in range(c.number())]
        self.put("symbols", frame, *symbols)

    def type23(self, c):
        self.event("left", self.allocations - 1 - c.number())

    def type24(self, c):
        self.put("action", c.number(), c.number())

    def type25(self, c):
        numbers = [c.number() for _ in range(4)]
        name = c.number()
        self.put("use", *numbers, quoted(self.strings[name - 1]) if name else "-", *[c.number() for _ in range(3)])

    def type20(self, c):
        self.put("end", c.number(), c.number())

    def decode(self, data):
        for payload in blocks(data):
            if isinstance(payload, int):
                if payload:
                    self.put("torn", payload)
                break
            self.first_time = True
            cursor = Cursor(payload)
            while cursor.more():
                self.record(cursor)
        return "".join(line + "\n" for line in self.lines)


def decode(data):
    return Decoder().decode(data)
