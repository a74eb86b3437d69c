# SPDX-License-Identifier: MIT
"""Made-up files of gigabytes through a pipe, with no more memory than docs/formats/heapsnapshot.md promises."""

import json
import os
import resource
import subprocess
import unittest

BUILD = os.environ["UBI_BUILD_DIR"]
GENERATE = os.path.join(BUILD, "bench", "generate")
SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"
MIB = 1 << 20
FIXED = 256 * MIB  # program, libraries, stacks of threads, buffers


def budget(nodes, edges, text_bytes):
    """Bytes of address space: 1.3 times 56 per node, 9 per edge, and texts."""
    return int(1.3 * (56 * nodes + 9 * edges + text_bytes)) + FIXED


class Huge(unittest.TestCase):
    def load(self, options, limit):
        """`ubiheap info` of a generated file, of which no more exists than a pipe holds."""
        maker = subprocess.Popen([GENERATE, *options, "--level", "none", "-"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        done = subprocess.run([os.environ["UBIHEAP"], "info", "--json", "-"], stdin=maker.stdout, capture_output=True,
                              preexec_fn=None if SANITIZED else
                              lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        maker.stdout.close()
        with maker.stderr:
            made = json.loads(maker.stderr.read())
        maker.wait()
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        info = json.loads(done.stdout)
        self.assertEqual((info["nodeCount"], info["edgeCount"]), (made["nodes"], made["edges"]))
        self.assertEqual(info["inflatedBytes"], made["streamBytes"])
        return info

    def test_twenty_million_nodes(self):
        self.load(["--shape", "v8", "--nodes", "20M"], budget(20e6, 82e6, 150 * MIB))

    def test_a_file_beyond_four_gigabytes(self):
        info = self.load(["--shape", "v8", "--nodes", "54M"], budget(54e6, 222e6, 400 * MIB))
        self.assertGreater(info["inflatedBytes"], 4.5e9)

    def test_the_same_without_line_breaks(self):
        self.load(["--shape", "v8", "--v8", "chromium", "--nodes", "20M"], budget(20e6, 82e6, 250 * MIB))

    def test_strings_of_a_mebibyte(self):
        info = self.load(["--shape", "v8-huge", "--nodes", "2k"], budget(2000, 4000, 2000 * MIB))
        self.assertGreater(info["inflatedBytes"], 1e9)


if __name__ == "__main__":
    unittest.main()
