# SPDX-License-Identifier: MIT
"""Cut and damaged files: refused in one line or read as what they still say, never worse."""

import gzip
import os
import random
import unittest

import v8_files as v8

DEEP = bool(os.environ.get("UBI_DEEP"))
FORMAT = -3


class Cut(unittest.TestCase):
    def check(self, cases):
        for case, result in zip(cases, v8.read_all(cases)):
            self.assertEqual(result.status, FORMAT, case[-60:])
            if case.lstrip()[:1] == b"{" and len(case) > 2:
                self.assertRegex(result.text, r"^the file ends (too early|in the middle of \"\w+\"), at byte %d: "
                                 r"was it written, and downloaded, to its end\? \(expected .+\)$" % len(case))

    def test_small_files_cut_at_every_byte(self):
        for version in v8.NODE_FIELDS:
            for newlines in (False, True):
                case = v8.small(version).bytes(newlines=newlines)
                self.check([case[:n] for n in range(len(case))])

    def test_the_message_names_the_section_that_was_cut(self):
        case = v8.small().bytes()
        for key in v8.ORDER[:6] + ["strings"]:
            at = case.index(b'"%s":' % key.encode()) + len(key) + 4
            [result] = v8.read_all([case[:at]])
            self.assertRegex(result.text, '^the file ends in the middle of "%s", at byte ' % key)

    def test_real_files_cut_here_and_there(self):
        rng = random.Random(4)
        for name in v8.FIXTURES[1:3]:
            case = v8.fixture(name)
            places = [rng.randrange(len(case)) for _ in range(400 if DEEP else 12)]
            places += [n for k in (1, 2, 5) for n in range(k * 262144 - 3, k * 262144 + 4)]
            self.check([case[:n] for n in places])

    def test_a_cut_gzip_file_says_so(self):
        packed = gzip.compress(v8.fixture("chromium-detached"))
        results = v8.read_all([packed[:n] for n in (1000, 200000, len(packed) // 2, len(packed) - 2000)])
        for result in results:
            self.assertEqual(result.status, FORMAT)
            self.assertRegex(result.text, r"^the gzip data ends too early, at byte \d+ of the compressed input: was it written, "
                             r"and downloaded, to its end\? \(the file ends .* of the inflated stream: expected .+\)$")

    def test_a_damaged_gzip_file_is_refused(self):
        packed = bytearray(gzip.compress(v8.small().bytes()))
        for place in (len(packed) // 2, len(packed) - 6):
            changed = bytearray(packed)
            changed[place] ^= 0x10
            [result] = v8.read_all([bytes(changed)])
            self.assertTrue(result.status == FORMAT or place == len(packed) - 6)


class Flipped(unittest.TestCase):
    def test_a_flipped_bit_never_does_more_than_change_a_value(self):
        """Compared with the plain reader where that can judge: what it accepts gives the same graph."""
        rng = random.Random(5)
        cases = []
        for version in v8.NODE_FIELDS:
            case = v8.small(version).bytes(newlines=rng.random() < 0.5)
            flips = [(i, bit) for i in range(len(case)) for bit in range(8)]
            for i, bit in flips if DEEP else rng.sample(flips, 3000):
                changed = bytearray(case)
                changed[i] ^= 1 << bit
                cases.append(bytes(changed))
        v8.read_all(cases, "--variants")

    def test_real_files_with_flipped_bits(self):
        rng = random.Random(6)
        for name in v8.FIXTURES:
            original = v8.fixture(name)
            cases = []
            for _ in range(60 if DEEP else 8):
                changed = bytearray(original)
                for _ in range(rng.choice([1, 1, 5])):
                    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
                cases.append(bytes(changed))
            v8.read_all(cases)

    def test_numbers_of_real_files_with_flipped_bits_are_judged_as_by_the_plain_reader(self):
        """Damage in the two large arrays alone, where everything is checked."""
        rng = random.Random(7)
        original = v8.fixture("chromium-detached")
        begin, end = original.index(b'"nodes":[') + 9, original.index(b'"trace_function_infos"') - 4
        cases = []
        for _ in range(100 if DEEP else 6):
            changed = bytearray(original)
            changed[rng.randrange(begin, end)] ^= 1 << rng.randrange(4)
            cases.append(bytes(changed))
        v8.read_all(cases, "--plain-unless-repeated")


if __name__ == "__main__":
    unittest.main()
