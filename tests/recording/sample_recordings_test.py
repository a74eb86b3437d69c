#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recordings in tests/data/ubirec say what the program that made them writes today. Bytes may differ: compressors do."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import ubirec_decoder

DRIVER = pathlib.Path(os.environ["UBI_BUILD_DIR"]) / "tests" / "sample_recordings_driver"
DATA = pathlib.Path(os.environ["UBI_SOURCE_DIR"]) / "tests" / "data" / "ubirec"


class Samples(unittest.TestCase):
    def test_committed_recordings_are_those_of_the_generator(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([DRIVER, folder], check=True)
            names = sorted(file.name for file in DATA.glob("*.ubirec"))
            self.assertEqual(names, sorted(os.listdir(folder)))
            for name in names:
                made = (pathlib.Path(folder) / name).read_bytes()
                self.assertEqual(ubirec_decoder.decode((DATA / name).read_bytes()), ubirec_decoder.decode(made), name)


if __name__ == "__main__":
    unittest.main()
