#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes PNG pictures of screens small: 256 colours at most, of which most pixels have theirs exactly.

    palette_picture.py FROM.png TO.png
"""
import collections
import struct
import sys
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
EXACT = 160  # colours that stay as they are, those of most pixels first


def chunks(data):
    """(kind, content) of each."""
    at = len(SIGNATURE)
    while at < len(data):
        (n,) = struct.unpack_from(">I", data, at)
        yield data[at + 4:at + 8], data[at + 8:at + 8 + n]
        at += n + 12


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def unfilter(kind, line, above, step):
    """A line of bytes without its filter."""
    line = bytearray(line)
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + above[i]) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + above[i]) // 2) & 255
        elif kind == 4:
            line[i] = (line[i] + paeth(left, above[i], above[i - step] if i >= step else 0)) & 255
    return bytes(line)


def read(data):
    """Width, and lines of colours (red, green, blue): of pictures with 8 bits for each, as browsers write them."""
    if not data.startswith(SIGNATURE):
        raise ValueError("no PNG")
    parts = list(chunks(data))
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", parts[0][1])
    if depth != 8 or colour not in (2, 6) or interlace:
        raise ValueError("expected 8 bits of red, green and blue, not interlaced")
    step = 3 if colour == 2 else 4
    raw = zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT"))
    above, lines, n = bytes(width * step), [], width * step + 1
    for at in range(0, height * n, n):
        above = unfilter(raw[at], raw[at + 1:at + n], above, step)
        lines.append([above[i:i + 3] for i in range(0, len(above), step)])
    return width, lines


def boxes_of(counts, n):
    """At most n groups of similar colours: the one with the largest spread, by its pixels, is halved again and again."""
    def spread(box):
        return max(max(c[k] for c in box) - min(c[k] for c in box) for k in range(3)) * sum(counts[c] for c in box) ** 0.5

    boxes = [list(counts)] if counts else []
    while boxes and len(boxes) < n:
        box = max(boxes, key=spread)
        if len(box) == 1:
            break
        boxes.remove(box)
        axis = max(range(3), key=lambda k: max(c[k] for c in box) - min(c[k] for c in box))
        box.sort(key=lambda c: c[axis])
        half = len(box) // 2
        boxes += [box[:half], box[half:]]
    return boxes


def palette_of(lines):
    """A palette, and the number in it for each colour."""
    counts = collections.Counter(colour for line in lines for colour in line)
    exact = [colour for colour, _ in counts.most_common(COLOURS if len(counts) <= COLOURS else EXACT)]
    numbers = {colour: i for i, colour in enumerate(exact)}
    palette = list(exact)
    for box in boxes_of({c: n for c, n in counts.items() if c not in numbers}, COLOURS - len(palette)):
        weight = sum(counts[c] for c in box)
        palette.append(bytes(sum(c[k] * counts[c] for c in box) // weight for k in range(3)))
        numbers.update((c, len(palette) - 1) for c in box)
    return palette, numbers


def write(width, lines, palette, numbers):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    raw = b"".join(b"\0" + bytes(numbers[colour] for colour in line) for line in lines)
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9)
    return (SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(lines), 8, 3, 0, 0, 0)) +
            chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", packer.compress(raw) + packer.flush()) + chunk(b"IEND", b""))


def small(data):
    """The same picture with a palette."""
    width, lines = read(data)
    return write(width, lines, *palette_of(lines))


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        picture = small(file.read())
    with open(sys.argv[2], "wb") as file:
        file.write(picture)
