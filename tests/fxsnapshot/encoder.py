# SPDX-License-Identifier: MIT
"""A small encoder for hand-made .fxsnapshot files.

Everything is built bottom-up from plain functions that return bytes, so a test can bend any single piece: give a field
the wrong wire type, leave it out, repeat it, write its number in a non-minimal varint.

    file = gzip(stream(META, node(1, "root", 10, edges=[edge(2)]), node(2, "T", 1)))

A "type name or reference" argument is a str (inline, UTF-16LE), bytes (inline, as they are), an int (a reference) or
None (absent).
"""
import gzip as _gzip
import zlib

VARINT, FIXED64, BYTES, GROUP, END_GROUP, FIXED32 = 0, 1, 2, 3, 4, 5
TIME = 1700000000123456


def varint(value, pad_to=0):
    """Base-128 varint; `pad_to` bytes at least, by way of a non-minimal encoding."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    while len(out) < pad_to:
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def tag(field, wire):
    return varint(field << 3 | wire)


def v(field, value):
    """A varint field; nothing for None."""
    return b"" if value is None else tag(field, VARINT) + varint(value)


def b(field, data):
    """A length-delimited field; nothing for None."""
    return b"" if data is None else tag(field, BYTES) + varint(len(data)) + data


def two_byte(text):
    return text.encode("utf-16-le", "surrogatepass") if isinstance(text, str) else text


def one_byte(text):
    return text.encode("latin-1") if isinstance(text, str) else text


def either(inline_field, value, encode):
    """`inline_field` for text or bytes, the field after it for a reference."""
    if isinstance(value, int):
        return v(inline_field + 1, value)
    return b"" if value is None else b(inline_field, encode(value))


def edge_body(referent, name=None):
    return v(1, referent) + either(2, name, two_byte)


def edge(referent, name=None):
    """Edge as it stands in a Node: field 5."""
    return b(5, edge_body(referent, name))


def frame_data(id=100, line=1, column=2, source="s.js", name=None, system=0, self_hosted=0, parent=None):
    """StackFrame.Data; `parent` is the body of a StackFrame."""
    return (v(1, id) + b(2, parent) + v(3, line) + v(4, column) + either(5, source, two_byte)
            + either(7, name, two_byte) + v(9, system) + v(10, self_hosted))


def frame(**fields):
    """Body of a StackFrame that carries data."""
    return b(1, frame_data(**fields))


def frame_ref(id):
    """Body of a StackFrame that refers to an earlier one."""
    return v(2, id)


def frame_chain(depth, first_id=1000):
    """Body of a StackFrame with `depth` frames nested in each other, built without recursion."""
    body = None
    for i in range(depth):
        body = frame(id=first_id + i, source="s" if i == 0 else 0, parent=body)
    return body


def node(id, type="T", size=1, edges=(), stack=None, class_name=None, coarse=None, file=None, descriptive=None,
         extra=b""):
    """Node message; `edges` from edge(), `stack` the body of a StackFrame, `extra` raw bytes at the end."""
    return (v(1, id) + either(2, type, two_byte) + v(4, size) + b"".join(edges) + b(6, stack)
            + either(7, class_name, one_byte) + v(9, coarse) + either(10, file, one_byte)
            + either(12, descriptive, two_byte) + extra)


def root(*targets, **fields):
    """The root of the conformance cases: id 1, type "root", size 10, an unnamed edge to each target."""
    fields.setdefault("edges", [edge(t) for t in targets])
    return node(fields.pop("id", 1), fields.pop("type", "root"), fields.pop("size", 10), **fields)


META = v(1, TIME)


def framed(message, pad_to=0):
    return varint(len(message), pad_to) + message


def stream(*messages):
    return b"".join(framed(m) for m in messages)


def gzip(data, level=None):
    """One gzip member without time stamp, the same bytes on every run. What is large is packed the quick way."""
    return _gzip.compress(data, (6 if len(data) < 1 << 20 else 1) if level is None else level, mtime=0)


def zlib_wrap(data):
    return zlib.compress(data)


def raw_deflate(data):
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


def snapshot(*messages):
    """META and the messages as a gzip file."""
    return gzip(stream(META, *messages))


class Bits:
    """Writes deflate data by hand: numbers from the lowest bit on, Huffman codes from their highest."""

    def __init__(self):
        self.bits = []

    def number(self, value, count):
        self.bits += [value >> i & 1 for i in range(count)]
        return self

    def code(self, value, count):
        self.bits += [value >> (count - 1 - i) & 1 for i in range(count)]
        return self

    def bytes(self):
        padded = self.bits + [0] * (-len(self.bits) % 8)
        return bytes(sum(bit << i for i, bit in enumerate(padded[at:at + 8])) for at in range(0, len(padded), 8))


def gzip_of_deflate(deflate, data):
    """A gzip member with this deflate stream, and the trailer of `data`."""
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + deflate + zlib.crc32(data).to_bytes(4, "little")
            + (len(data) & 0xFFFFFFFF).to_bytes(4, "little"))


def canonical_codes(lengths):
    """symbol -> (code, length) of a Huffman code given by its lengths, as RFC 1951 3.2.2 assigns them."""
    codes, code = {}, 0
    for length in range(1, max(lengths, default=0) + 1):
        for symbol, own in enumerate(lengths):
            if own == length:
                codes[symbol] = (code, length)
                code += 1
        code <<= 1
    return codes


def dynamic_block(literals, distances, body, code_lengths=None):
    """A final block with dynamic codes. literals, distances: code lengths by symbol; body(bits, literal codes, distance
    codes) writes what follows; code_lengths: of the code that the lengths themselves are written in."""
    meta = code_lengths or [4] * 13 + [0] * 3 + [4] * 3  # 16 codes of 4 bits: lengths up to 12, and the repeats
    order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    bits = Bits().number(1, 1).number(2, 2)
    bits.number(len(literals) - 257, 5).number(len(distances) - 1, 5).number(15, 4)
    for symbol in order:
        bits.number(meta[symbol], 3)
    codes = canonical_codes(meta)
    for length in [*literals, *distances]:
        bits.code(*codes[length])
    body(bits, canonical_codes(literals), canonical_codes(distances))
    return bits.bytes()
