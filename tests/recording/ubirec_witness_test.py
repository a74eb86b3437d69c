#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings that our writer made, read by a decoder that was written from their documentation."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import ubirec_decoder

DRIVER = pathlib.Path(os.environ["UBI_BUILD_DIR"]) / "tests" / "ubirec_witness_driver"


def run(*arguments):
    return subprocess.run([DRIVER, *map(str, arguments)], check=True, stdout=subprocess.PIPE).stdout.decode()


class Witness(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "a.ubirec"

    def test_the_page_says_all_that_is_needed_to_read_a_recording(self):
        for seed in range(1, 40):
            expected = run("make", seed, 1500, self.file)
            self.assertEqual(ubirec_decoder.decode(self.file.read_bytes()), expected, f"seed {seed}")

    def test_long_recordings_with_full_blocks_are_read_alike(self):
        expected = run("make", 1000, 150000, self.file)
        self.assertTrue(ubirec_decoder.decode(self.file.read_bytes()) == expected)

    def test_both_readers_stop_at_the_same_place_of_a_cut_file(self):
        run("make", 50, 600, self.file)
        whole = self.file.read_bytes()
        for size in range(16, len(whole), 97):
            self.file.write_bytes(whole[:size])
            self.assertEqual(run("lines", self.file), ubirec_decoder.decode(whole[:size]), f"{size} bytes")


if __name__ == "__main__":
    unittest.main()
