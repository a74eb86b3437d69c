# SPDX-License-Identifier: MIT
"""Damaged files: cut at every byte, one bit flipped, bytes changed inside the messages.

The library must accept and reject exactly what the slow reference reader does, and give the same graph when it accepts:
some damage is legal (Firefox takes a cut between messages for the end). The reference reader was compared with Firefox
ESR 153.7 on 4000 files damaged in these ways without a difference.

UBI_DEEP=1 tries every bit of the crafted files and many more cuts and bits of the real ones; else a fixed sample,
different for each file. Crafted files are cut at every byte always.
"""
import random

import harness
import reference_reader
from encoder import *
from harness import DATA, DEEP, run, scratch

CRAFTED = [(path.stem, path.read_bytes()) for path in sorted((DATA / "crafted").glob("*.fxsnapshot"))]
REAL = [(name, (DATA / f"{name}.fxsnapshot").read_bytes()) for name in ("tiny-before", "tiny-after", "unreachable")]


def sample(n, count, seed):
    """`count` of range(n) in order, ends included; all of them when there are no more."""
    if n <= count:
        return range(n)
    return sorted({0, n - 1, *random.Random(seed).sample(range(n), count - 2)})


def flip(data, bit):
    at = bit // 8
    return data[:at] + bytes([data[at] ^ 1 << bit % 8]) + data[at + 1:]


def block_file():
    """Four blocks of 65536 bytes that end between messages, in data that hardly compresses: every way of losing a
    block leaves complete messages before it."""
    rng = random.Random(4)
    data, id = framed(META) + framed(root()), 2
    for end in range(1, 5):
        while True:
            left = end * reference_reader.BLOCK - len(data)
            room = left if left < 9000 else rng.randrange(500, 4000)
            body = node(id, extra=b(50, rng.randbytes(room - 40)))
            message = framed(node(id, extra=b(50, rng.randbytes(room - 40 + room - len(framed(body)))))
                             if left < 9000 else body)
            data += message
            id += 1
            if left < 9000:
                break
    assert len(data) == 4 * reference_reader.BLOCK
    return data


BLOCKS = block_file()
BLOCK_FILES = [("blocks stored", gzip(BLOCKS, 0)), ("blocks deflated", gzip(BLOCKS, 9)),
               ("blocks zlib", zlib_wrap(BLOCKS)),
               ("blocks in members", b"".join(gzip(BLOCKS[i:i + 100000]) for i in range(0, len(BLOCKS), 100000)))]


def mutate(data, rng):
    """A few changed, lost or added bytes; bytes that mean something to the wire format are preferred."""
    telling = (0x00, 0x01, 0x08, 0x10, 0x18, 0x20, 0x2A, 0x32, 0x3A, 0x3B, 0x3C, 0x48, 0x7F, 0x80, 0xFF)
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        if not out:
            break
        at, how = rng.randrange(len(out)), rng.randrange(4)
        if how == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            out[at] = rng.choice(telling)
        elif how == 2:
            del out[at]
        else:
            out.insert(at, rng.choice(telling))
    return bytes(out)


def random_data(rng, depth):
    """StackFrame.Data, often complete, its fields in any order and some of them twice, the parent in pieces."""
    fields = [v(1, rng.randrange(1, 9)), v(3, rng.randrange(9)), v(4, 1), v(9, 0), v(10, 1),
              either(5, rng.choice(("s", "t", 0, 1)), two_byte)]
    if rng.random() < 0.1:
        fields.pop(rng.randrange(len(fields)))
    fields += rng.sample(fields, rng.choice((0, 0, 1, 2)))
    fields += [either(7, rng.choice(("f", 0)), two_byte)] * rng.choice((0, 1))
    pieces = rng.choice((0, 1, 1, 2, 3)) if depth < 5 else 0
    fields += [b(2, random_frame(rng, depth + 1)) for _ in range(pieces)]
    rng.shuffle(fields)
    return b"".join(fields)


def random_frame(rng, depth=0):
    """StackFrame: data, references to frames that may exist, unknown fields; in pieces that merge."""
    parts = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kind = rng.random()
        parts.append(b(1, random_data(rng, depth)) if kind < 0.85 else frame_ref(rng.randrange(1, 9)) if kind < 0.95
                     else b(60, b"xy"))
    return b"".join(parts)


class Damage(harness.TestCase):
    def test_crafted_files_cut_at_every_byte(self):
        cases = [(f"{name} cut at {n}", data[:n]) for name, data in CRAFTED for n in range(len(data))]
        accepted = self.assert_same_as_reference(cases, variants=DEEP)
        self.assertGreater(accepted, 300)

    def test_crafted_messages_cut_at_every_byte(self):
        raw = [(name, reference_reader.inflate(data)) for name, data in CRAFTED]
        cases = [(f"{name}: stream cut at {n}", data[:n]) for name, data in raw for n in range(len(data))]
        self.assert_same_as_reference([(name, gzip(data)) for name, data in cases])
        self.assert_same_as_reference(cases, "none")

    def test_crafted_files_with_one_bit_flipped(self):
        cases = []
        for seed, (name, data) in enumerate(CRAFTED):
            for bit in sample(len(data) * 8, len(data) * 8 if DEEP else max(2, len(data)), seed):
                cases.append((f"{name} bit {bit}", flip(data, bit)))
        self.assert_same_as_reference(cases)
        self.assert_same_as_reference(cases[::7], "none", variants=True)

    def test_crafted_messages_with_one_bit_flipped(self):
        cases = []
        for seed, (name, data) in enumerate(CRAFTED):
            raw = reference_reader.inflate(data)
            for bit in sample(len(raw) * 8, len(raw) * 8 if DEEP else min(300, len(raw) * 2 + 2), seed):
                cases.append((f"{name} message bit {bit}", flip(raw, bit)))
        self.assert_same_as_reference(cases, "none")
        accepted = self.assert_same_as_reference([(name, gzip(data)) for name, data in cases[::3]], variants=True)
        self.assertGreater(accepted, 300)

    def test_changed_messages(self):
        rng, cases = random.Random(11), []
        seeds = [reference_reader.inflate(data) for _, data in CRAFTED]
        seeds = [data for data in seeds if 0 < len(data) < 2000]
        for i in range(100000 if DEEP else 3000):
            cases.append((f"change {i}", mutate(rng.choice(seeds), rng)))
        self.assert_same_as_reference(cases, "none")

    def test_random_stacks(self):
        rng, cases = random.Random(12), []
        for i in range(15000 if DEEP else 1000):
            nodes = [node(id, "T", stack=random_frame(rng)) + (b(6, random_frame(rng)) if rng.random() < 0.3 else b"")
                     for id in range(2, rng.choice((3, 3, 4)))]
            cases.append((f"stacks {i}", stream(META, root(2), *nodes)))
        accepted = self.assert_same_as_reference(cases, "none")
        self.assertGreater(accepted, len(cases) // 10)

    def test_real_files_cut(self):
        for seed, (name, data) in enumerate(REAL):
            cuts = sample(len(data), (4000 if name == "unreachable" else 150) if DEEP else 20, seed)
            cases = [(f"{name} cut at {n}", data[:n]) for n in cuts]
            self.assert_same_as_reference(cases)

    def test_real_files_with_one_bit_flipped(self):
        for seed, (name, data) in enumerate(REAL):
            bits = sample(len(data) * 8, 300 if DEEP else 20, seed)
            self.assert_same_as_reference([(f"{name} bit {bit}", flip(data, bit)) for bit in bits])

    def test_messages_of_real_files_with_one_bit_flipped(self):
        for seed, (name, data) in enumerate(REAL):
            raw = reference_reader.inflate(data)
            bits = sample(len(raw) * 8, 300 if DEEP else 60 if name == "unreachable" else 8, seed)
            self.assert_same_as_reference([(f"{name} message bit {bit}", flip(raw, bit)) for bit in bits], "none")

    def test_lost_blocks(self):
        """Damage costs the block in which it is found, and what stands before that block is the file."""
        for seed, (name, data) in enumerate(BLOCK_FILES):
            self.assertEqual(harness.OK, harness.expect(data).status)
            count = 800 if DEEP else 60
            cases = [(f"{name} bit {bit}", flip(data, bit)) for bit in sample(len(data) * 8, count, seed)]
            cases += [(f"{name} cut at {n}", data[:n]) for n in sample(len(data), count, seed)]
            ends = [n for n in range(0, len(data), reference_reader.BLOCK)]
            near = range(-12, 40, 1 if DEEP else 4)
            cases += [(f"{name} cut at {n + d}", data[:n + d]) for n in ends for d in near if 0 <= n + d < len(data)]
            cases += [(f"{name} trailer bit {bit}", flip(data, len(data) * 8 - 1 - bit)) for bit in range(0, 64, 5)]
            accepted = self.assert_same_as_reference(cases, variants=DEEP)
            self.assertGreater(accepted, 20)
            self.assert_same_as_reference(cases[::23], variants=True)

    def test_tool_exits_with_0_or_3_and_one_line(self):
        rng, files = random.Random(3), CRAFTED + REAL
        for i in range(60):
            name, data = rng.choice(files)
            if not data:
                continue
            damaged = data[:rng.randrange(len(data))] if i % 2 else flip(data, rng.randrange(len(data) * 8))
            good = harness.expect(damaged).status == harness.OK
            path = scratch.file(damaged)
            for done in (run("info", path, *harness.FIREFOX), run("info", "-", *harness.FIREFOX, stdin=damaged)):
                self.assertEqual(harness.EXIT_OK if good else harness.EXIT_BAD_INPUT, done.exit, (name, i))
                self.assertEqual(0 if good else 1, len(done.err.splitlines()), done)


if __name__ == "__main__":
    harness.main(needs=[harness.UBIHEAP, harness.DRIVER])
