# SPDX-License-Identifier: MIT
"""Files made to hurt: lengths that lie, bombs, deep nesting, bad luck for hash tables.

The answer is exit 0 or 3, one line, and memory in proportion to the bytes that are there after inflating.
"""
import json
import random
import resource
import subprocess
import sys

import harness
import reference_reader
from encoder import *
from harness import EXIT_BAD_INPUT, EXIT_OK, UBIHEAP, scratch

MIB = 1 << 20
N = node(2)
# Sizes show themselves in memory and time, which are not judged under a sanitizer: there less of the same is enough.
LARGE = 1 if not harness.SANITIZED or harness.DEEP else 4
BASE_BYTES = 48 * MIB     # the program, its buffers and threads
PER_BYTE = 3              # of the inflated stream, the densest graph included (see test_dense_edges)
SLOW_TIMES = 100          # the processor time of a plain file of 40 MB, measured here and now: no file needs more


# A process inherits the peak of the one that starts it, so a small one does: a line in is a command, a line out is
# [exit, stdout, stderr, peak KiB, seconds of a processor, which do not depend on what else it does].
LAUNCHER = """
import json, os, subprocess, sys, tempfile
for line in sys.stdin:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(json.loads(line), stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        print(json.dumps([child.returncode, out.read().decode(), err.read().decode(), usage.ru_maxrss,
                          usage.ru_utime + usage.ru_stime]), flush=True)
"""
launcher = subprocess.Popen([sys.executable, "-I", "-c", LAUNCHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)


def measure(path):
    """Runs `info PATH --json`: exit code, stdout, stderr, peak resident bytes, seconds of a processor."""
    print(json.dumps([UBIHEAP, "info", str(path), "--json"]), file=launcher.stdin, flush=True)
    code, out, err, peak_kib, seconds = json.loads(launcher.stdout.readline())
    return code, out, err, peak_kib * 1024, seconds


class Hostile(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        path = scratch.file(snapshot(root(extra=edge(1) * (10_000_000 // LARGE))))
        cls.slow_seconds = SLOW_TIMES * measure(path)[-1]
        path.unlink()

    def check(self, data, expected_exit, inflated_bytes=0, budget=None):
        """Reads the file; the parsed JSON when it was accepted."""
        path = scratch.file(data)
        code, out, err, peak, seconds = measure(path)
        path.unlink()
        self.assertEqual(expected_exit, code, err)
        self.assertEqual(0 if code == EXIT_OK else 1, len(err.splitlines()), err)
        self.assertLess(seconds, self.slow_seconds)
        if not harness.SANITIZED:
            self.assertLess(peak, budget or BASE_BYTES + PER_BYTE * max(inflated_bytes, len(data)))
        return json.loads(out) if code == EXIT_OK else None

    def reject(self, data, inflated_bytes=0):
        self.check(data, EXIT_BAD_INPUT, inflated_bytes)

    def accept(self, data, inflated_bytes=0, budget=None):
        return self.check(data, EXIT_OK, inflated_bytes, budget)

    # Lengths that lie.

    def test_message_length_beyond_the_file(self):
        for length in (1 << 20, 1 << 30, 2**31 - 17, 2**31 - 1, 2**31, 2**32 - 1):
            self.reject(gzip(stream(META, root()) + varint(length) + N))
            self.reject(gzip(framed(META) + varint(length) + root()))
            self.reject(gzip(varint(length) + META))

    def test_field_length_beyond_the_file(self):
        for field in (2, 5, 6, 7, 10, 12, 50):
            for length in (1 << 20, 1 << 30, 2**31 - 17):
                lie = tag(field, BYTES) + varint(length) + b"abc"
                self.reject(gzip(stream(META, root()) + varint(length + len(lie) - 3) + lie))
                self.reject(snapshot(root(extra=lie)))

    def test_lengths_of_nested_frames_that_lie(self):
        for length in (1 << 20, 2**31 - 17):
            lie = b(6, tag(1, BYTES) + varint(length) + v(1, 5))
            self.reject(snapshot(root(extra=lie)))

    # Bombs.

    def test_zeros_behind_the_root_are_the_end(self):
        self.accept(gzip(stream(META, root()) + b"\0" * (256 * MIB // LARGE), 1))

    def test_a_huge_unknown_field_is_stepped_over(self):
        size = 256 * MIB // LARGE
        field = tag(50, BYTES) + varint(size)
        body = root() + field
        data = gzip(framed(META) + varint(len(body) + size) + body + b"\0" * size, 1)
        self.accept(data, budget=BASE_BYTES)

    def test_message_of_68_mib(self):
        self.accept(snapshot(root(extra=b(50, b"x" * (68 * MIB)))), budget=BASE_BYTES + 68 * MIB)
        self.accept(snapshot(root(type=b"x\0" * (34 * MIB))), 68 * MIB)
        self.reject(snapshot(root(extra=b(50, b"x" * (68 * MIB))), node(1)), 68 * MIB)

    def test_many_empty_members(self):
        self.accept(gzip(stream(META, root())) + gzip(b"") * (100000 // LARGE))
        self.accept(gzip(b"") * (100000 // LARGE) + gzip(stream(META, root())))

    def test_one_byte_per_member(self):
        self.accept(b"".join(gzip(bytes([byte])) for byte in stream(META, root(2), N)))

    def test_dense_edges(self):
        """Ten million unnamed edges in four bytes each: the densest input there is, 8 bytes an edge in the graph."""
        count, edge_to_root = 10_000_000 // LARGE, edge(1)
        data = snapshot(root(extra=edge_to_root * count))
        info = self.accept(data, budget=BASE_BYTES + int(count * (len(edge_to_root) + 8 * 1.3) * 1.1))
        self.assertEqual(count, info["edgeCount"])

    def test_many_empty_edge_names(self):
        count = 2_000_000 // LARGE
        named = edge(1, "")
        info = self.accept(snapshot(root(extra=named * count)), budget=BASE_BYTES + count * (len(named) + 8 + 12) * 2)
        self.assertEqual(count, info["edgeCount"])

    def test_much_garbage(self):
        self.reject(random.Random(1).randbytes(64 * MIB // LARGE))
        self.reject(b"\xff" * (64 * MIB // LARGE))
        self.reject(b"\x1f\x8b" * (32 * MIB // LARGE))

    # Nesting and cycles.

    def test_deep_groups(self):
        self.reject(snapshot(root(extra=tag(60, GROUP) * 1_000_000)), 2 * MIB)
        self.reject(snapshot(root(extra=tag(60, GROUP) * 1_000_000 + tag(60, END_GROUP) * 1_000_000)), 4 * MIB)
        self.accept(snapshot(root(extra=(tag(60, GROUP) + tag(60, END_GROUP)) * 500_000)), 2 * MIB)
        self.reject(snapshot(root(edges=[b(5, v(1, 1) + tag(60, GROUP) * 100_000)])), MIB)
        self.reject(snapshot(root(stack=tag(60, GROUP) * 100_000)), MIB)

    def test_frames_nested_20000_deep(self):
        self.reject(snapshot(root(stack=frame_chain(20_000))), 4 * MIB)
        self.reject(snapshot(root(stack=b(1, b(2, b"") * 1_000_000))), 4 * MIB)

    @staticmethod
    def stack_through_references(depth):
        chain = [node(2, "T", edges=[edge(1)], stack=frame(id=1, source="s"))]
        for i in range(2, depth + 1):
            chain.append(node(i + 1, "T" if i == 2 else 1, stack=frame(id=i, source=2, parent=frame_ref(i - 1))))
        return snapshot(root(2), *chain)

    def test_stack_of_100000_frames_through_references(self):
        self.assertEqual(2000, len(reference_reader.read(self.stack_through_references(2000)).frames))
        info = self.accept(self.stack_through_references(100_000), budget=BASE_BYTES + 60 * MIB)
        self.assertEqual(100_001, info["nodeCount"])

    def test_frame_cycles_cannot_be_made(self):
        self.reject(snapshot(root(stack=frame(id=5, parent=frame_ref(5)))))
        self.reject(snapshot(root(2, stack=frame(id=5, parent=frame_ref(6))), node(2, stack=frame(id=6,
                                                                                             parent=frame_ref(5)))))

    def test_stacks_in_thousands_of_pieces(self):
        """Protobuf merges a repeated message into the one before: each piece may add to the last, at every level."""
        whole, line = frame(id=5), b(1, v(3, 7))
        nested = whole
        for id in range(6, 46):  # 40 levels, each a few whole frames with the parent in pieces
            nested = b(1, frame_data(id=id, source=0) + b(2, nested) + b(2, b"") * 10 + b(2, line) * 10)
        pieces = 50_000 // LARGE
        for what, message in (("data", root(stack=whole + line * pieces)),
                              ("parent", root(stack=b(1, frame_data(id=9, parent=whole) + b(2, line) * pieces))),
                              ("stack", root(stack=whole, extra=b(6, line) * pieces)),
                              ("data and stack", root(stack=whole + line * pieces, extra=b(6, line) * pieces)),
                              ("whole stacks", root(stack=whole, extra=b(6, whole) * pieces)),
                              ("levels", root(stack=nested)),
                              ("references", root(stack=whole, extra=b(6, frame_ref(9)) * pieces + b(6, whole)))):
            with self.subTest(what):
                data = snapshot(message)
                self.assert_same_as_reference([(what, data)])
                self.accept(data, len(message), BASE_BYTES + 20 * len(message))

    def test_ring_of_nodes_and_deep_chain(self):
        count = 100_000
        ring = [node(i, 0, edges=[edge(i % count + 1)]) for i in range(2, count + 1)]
        info = self.accept(snapshot(root(2), *ring), count * 40)
        self.assertEqual((count, count), (info["nodeCount"], info["edgeCount"]))
        self.accept(snapshot(root(count), *reversed([node(i, 0, edges=[edge(i - 1)]) for i in range(2, count + 1)])),
                    count * 40)

    def test_many_bad_edges_and_duplicates(self):
        self.reject(snapshot(root(*range(2, 200_000))), 2 * MIB)
        self.reject(snapshot(root(), *[node(2, 0)] * 100_000), 2 * MIB)

    # Unusual orders.

    def test_fields_in_unusual_order_with_many_edges(self):
        """Type after the edges, before and after, twice; names inline and by reference to later or earlier texts."""
        first, second, to_first = either(2, "first", two_byte), either(2, "second", two_byte), v(3, 0)
        base, lead = v(1, 1) + v(4, 10), node(7, "lead")
        for count in (40, 1000, 100_000 if harness.DEEP else 15_000):
            some = b"".join(edge(1, f"n{i}" if i % 3 == 0 else i % 7 if i > 30 else None) for i in range(count))
            bodies = {
                "type last": base + some + first,
                "type first": first + base + some,
                "type twice around": first + base + some + second,
                "type twice before": first + second + base + some,
                "type twice behind": base + some + first + second,
                "type between": some + first + base + some,
                "reference behind": base + some + to_first,
                "text, then reference": first + base + some + to_first,
                "reference, then text": to_first + base + some + first,
                "too large a name": base + first + some + edge(1, count),
                "everything twice": base + some + first + v(4, 7) + v(1, 1) + some + second + v(9, 3),
            }
            cases = [(what, snapshot(body)) for what, body in bodies.items()]
            cases += [(what + ", as third node",
                       snapshot(root(edges=[edge(7, "x"), edge(7, "y")], id=9), lead, body))
                      for what, body in bodies.items()]
            self.assert_same_as_reference(cases, variants=count < 100)

    def test_a_million_edges_in_unusual_order(self):
        count = 1_000_000 // LARGE
        some = edge(1, "x") * 1000 + edge(1, 3) * (count - 1000)
        for body in (v(1, 1) + some + v(4, 1) + either(2, "late", two_byte),
                     either(2, "a", two_byte) + some + either(2, "b", two_byte) + v(1, 1) + v(4, 1)):
            info = self.accept(snapshot(body), len(body), BASE_BYTES + 5 * len(body))
            self.assertEqual(count, info["edgeCount"])

    # Ids.

    def test_ids_of_every_shape(self):
        n = 5_000 if harness.SANITIZED else 100_000
        rng = random.Random(2)
        shapes = {
            "sequential": range(2, n),
            "multiples of 8": range(8, 8 * n, 8),
            "one chunk each": range(1 << 20, n << 20, 1 << 20),
            "high bits only": range(2**63, 2**63 + (n << 11), 1 << 11),
            "same low 32 bits": range(5, 5 + (min(n, 1 << 20) << 32), 1 << 32),
            "random": sorted({rng.randrange(2, 2**53) for _ in range(n)}, key=lambda id: id * 7919 % 2**53),
            "random above 2^63": list({2**63 + 2048 * rng.randrange(2**51) for _ in range(n)}),
            "multiples of 8, then odd": [*range(8, 4 * n, 8), *range(9, 4 * n, 8)],
            "few chunks, then many": [*range(8, 80_000, 8), *range(1 << 30, (1 << 30) + (40_000 << 20), 1 << 20)],
        }
        for name, values in shapes.items():
            values = [id for id in values if id != 1]
            behind_id = node(1, 0)[2:]
            nodes = [framed(b"\x08" + varint(id) + behind_id) for id in values]
            star = framed(META) + framed(root(*values)) + b"".join(nodes)
            with self.subTest(name):
                info = self.accept(gzip(star), len(values) * 24, BASE_BYTES + len(values) * 400)
                self.assertEqual((len(values) + 1, len(values)), (info["nodeCount"], info["edgeCount"]))
                self.reject(gzip(star + nodes[n // 3]), len(values) * 24)
                self.reject(gzip(star[:-len(nodes[-1])]), len(values) * 24)

    def test_ids_of_every_shape_give_the_right_targets(self):
        rng, cases = random.Random(5), []
        for what, make in (("clustered", lambda i: 8 * i + 8), ("unclustered", lambda i: (i + 1) << 40),
                           ("mixed", lambda i: 8 * i + 8 if i < 1000 else 2**63 + (i << 11)),
                           ("odd late", lambda i: 8 * i + 8 + (i > 1500))):
            known = [1] + [make(i) for i in range(2000)]
            nodes = [node(id, 0, edges=[edge(rng.choice(known), 0) for _ in range(3)]) for id in known[1:]]
            cases.append((what, snapshot(root(*known[1:]), *nodes)))
        self.assert_same_as_reference(cases, variants=True)

    # Limits of the system.

    def test_out_of_memory_is_one_line_and_exit_4(self):
        if harness.SANITIZED:
            self.skipTest("sanitizers reserve address space")
        path = scratch.file(snapshot(root(extra=edge(1) * 20_000_000)))
        limit = 160 * MIB
        done = subprocess.run([UBIHEAP, "info", str(path), "--threads", "1"], capture_output=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(harness.EXIT_SYSTEM, done.returncode, done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)


def tearDownModule():
    launcher.stdin.close()
    launcher.wait()
    launcher.stdout.close()


if __name__ == "__main__":
    harness.main(needs=[harness.UBIHEAP, harness.DRIVER])
