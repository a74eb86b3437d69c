#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that were built with the description in packaging/abi run with the library that was just built.

    UBI_BUILD_DIR=build/release python3 tests/api/abi_test.py --refresh     writes the description again; read the diff
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("UBI_BUILD_DIR", ROOT / "build" / "release")) / "lib" / "libubiheap.so"
HEADERS = ROOT / "include" / "ubiheap"
DESCRIPTION = ROOT / "packaging" / "abi" / f"libubiheap.so.0-{platform.machine()}.abi"
# Bits of abidiff's exit status.
FAILED, WRONG_USE, CHANGED, INCOMPATIBLE = 1, 2, 4, 8


def describe(library, out):
    """Functions and types of the public headers, without what differs from build to build."""
    with tempfile.NamedTemporaryFile("w", suffix=".abignore") as rules:
        # Of libubiheap-server.so alone, which comes with it; in builds for tests, all internal functions.
        for kind in "function", "variable":
            rules.write(f"[suppress_{kind}]\n  symbol_name_regexp = ^ubi__\n  drop = yes\n")
        rules.flush()
        subprocess.run(["abidw", "--suppressions", rules.name, "--headers-dir", str(HEADERS), "--drop-private-types",
                        "--exported-interfaces-only", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed",
                        "--no-parameter-names", "--no-write-default-sizes", "--type-id-style", "hash", "--out-file", str(out),
                        str(library)], check=True)


def extension_names():
    """Functions that the ring `extension` declares: they may change in any release."""
    text = "".join(path.read_text() for path in sorted((HEADERS / "extension").glob("*.h")))
    return re.findall(r"^UBI_API\b[^;(]*?\b(ubi_\w+)\(", text, re.MULTILINE)


def compare(older, newer):
    """abidiff's exit status and text."""
    with tempfile.NamedTemporaryFile("w", suffix=".abignore") as rules:
        names = "|".join(extension_names())
        rules.write(f"[suppress_function]\n  symbol_name_regexp = ^({names})$\n")
        rules.flush()
        done = subprocess.run(["abidiff", "--suppressions", rules.name, "--no-added-syms", str(older), str(newer)],
                              capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Abi(unittest.TestCase):
    def setUp(self):
        for tool in ("abidw", "abidiff"):
            self.assertIsNotNone(shutil.which(tool), f"{tool} is missing; `make deps` installs it")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.now = Path(scratch.name) / "now.abi"
        describe(LIBRARY, self.now)

    def assert_compatible(self, older, newer):
        status, text = compare(older, newer)
        self.assertFalse(status & (FAILED | WRONG_USE), text)
        self.assertFalse(status & (INCOMPATIBLE | CHANGED), text + "\nIf it may change now (docs/reference/abi.md): --refresh")

    def test_nothing_that_programs_rely_on_has_changed(self):
        self.assert_compatible(DESCRIPTION, self.now)

    def changed_copy(self, old, new):
        text = DESCRIPTION.read_text()
        self.assertIn(old, text)
        copy = self.now.with_name("changed.abi")
        copy.write_text(text.replace(old, new))
        return copy

    def test_a_function_that_is_gone_is_seen(self):
        status, text = compare(self.changed_copy("ubi_graph_node_count", "ubi_graph_node_sum"), self.now)
        self.assertTrue(status & INCOMPATIBLE, text)
        self.assertIn("ubi_graph_node_sum", text)

    def test_a_member_that_moved_is_seen(self):
        text = DESCRIPTION.read_text()
        struct = re.search(r"<class-decl name='ubi_frame' .*?</class-decl>", text, re.DOTALL)[0]
        moved = struct.replace("layout-offset-in-bits='320'", "layout-offset-in-bits='328'")
        self.assertNotEqual(struct, moved)
        status, report = compare(self.changed_copy(struct, moved), self.now)
        self.assertTrue(status & CHANGED, report)

    def test_functions_of_the_extension_ring_may_go(self):
        name = next(name for name in extension_names() if f"name='{name}'" in DESCRIPTION.read_text())
        now = self.now.with_name("without.abi")
        now.write_text(self.now.read_text().replace(f"'{name}'", f"'{name}_2'"))
        self.assert_compatible(DESCRIPTION, now)


if __name__ == "__main__":
    if sys.argv[1:] == ["--refresh"]:
        describe(LIBRARY, DESCRIPTION)
    elif not DESCRIPTION.exists():
        print(f"there is no description of the ABI for {platform.machine()}")
        sys.exit(77)
    else:
        unittest.main()
