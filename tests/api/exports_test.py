#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shared library exports exactly the functions that the public headers mark with UBI_API, and each has a docstring."""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "include" / "ubiheap").rglob("*.h"))
# Of the live engine, which programs compile for themselves; the library does not have it.
ELSEWHERE = {"quickjs.h", "quickjs_leaks.h", "quickjs_references.h"}
DECLARATION = re.compile(r"^UBI_API\b([^;]*);", re.MULTILINE)
NAME = re.compile(r"(\w+)\s*(?:\(|\[|$)")
# Symbols that the tool chain adds.
TOOLCHAIN = {"_init", "_fini", "__bss_start", "_edata", "_end", "UBIHEAP_PRIVATE"}


PUBLIC = re.compile(r"ubi_(?!_)")


def symbols(library, *options):
    """Names that `nm` lists, with @VERSION where they have one."""
    path = Path(os.environ["UBI_BUILD_DIR"]) / "lib" / library
    output = subprocess.run(["nm", *options, "--format=posix", str(path)], check=True, capture_output=True, text=True).stdout
    return {line.split()[0].replace("@@", "@") for line in output.splitlines() if " " in line}


def declared_names(text):
    """The name of every UBI_API declaration: what stands before its parameter list."""
    return [NAME.search(match[1].replace("UBI_API", "").strip())[1] for match in DECLARATION.finditer(text)]


def documented(text, start):
    """Whether a comment ends right above `start`, possibly with declarations of the same group between."""
    for line in reversed(text[:start].splitlines()):
        line = line.strip()
        if line.endswith("*/"):
            return True
        # A group: consecutive declarations below one comment. Anything else ends it.
        if not line or line.endswith("{") or line.startswith("#"):
            return False
    return False


class Exports(unittest.TestCase):
    def test_headers_declare_something(self):
        self.assertGreater(sum(len(declared_names(h.read_text())) for h in HEADERS), 20)

    def test_the_shared_library_exports_what_the_headers_declare_and_nothing_else(self):
        exported = {name for name in symbols("libubiheap.so", "-D", "--defined-only") if PUBLIC.match(name)}
        others = symbols("libubiheap.so", "-D", "--defined-only") - exported - TOOLCHAIN
        self.assertEqual([name for name in others if not name.endswith("@UBIHEAP_PRIVATE")], [])
        declared = {
            name
            for header in HEADERS
            if header.name not in ELSEWHERE and header.parent.name != "server"
            for name in declared_names(header.read_text())
        }
        self.assertEqual(sorted(declared - exported), [], "declared with UBI_API but not in the library")
        self.assertEqual(sorted(exported - declared), [], "exported but in no public header")

    def test_the_server_libraries_have_what_their_headers_declare(self):
        headers = [header for header in HEADERS if header.parent.name == "server"]
        declared = sorted(name for header in headers for name in declared_names(header.read_text()))
        in_archive = {name for name in symbols("libubiheap-server.a", "--defined-only", "--extern-only") if PUBLIC.match(name)}
        self.assertEqual(sorted(in_archive), declared)
        self.assertEqual(sorted(symbols("libubiheap-server.so", "-D", "--defined-only") - TOOLCHAIN), declared)

    def test_what_one_library_lends_to_the_other_is_needed_and_has_a_version_of_its_own(self):
        lent = {name for name in symbols("libubiheap.so", "-D", "--defined-only") if name.startswith("ubi__")}
        borrowed = {name for name in symbols("libubiheap-server.so", "-D", "--undefined-only") if name.startswith("ubi__")}
        self.assertEqual(sorted(lent), sorted(borrowed))
        self.assertTrue(lent)
        for name in lent:
            self.assertRegex(name, r"@UBIHEAP_PRIVATE$")

    def test_exported_names_begin_with_ubi(self):
        for header in HEADERS:
            for name in declared_names(header.read_text()):
                self.assertRegex(name, r"^ubi_[a-z0-9]", header.name)

    def test_every_function_is_documented(self):
        bare = []
        for header in HEADERS:
            text = header.read_text()
            for match in DECLARATION.finditer(text):
                line_end = text.find("\n", match.end())
                behind = text[match.end() : line_end]
                if "/**<" not in behind and not documented(text, match.start()):
                    bare.append(f"{header.name}: {declared_names(match[0])[0]}")
        self.assertEqual(bare, [])


if __name__ == "__main__":
    sys.exit(unittest.main())
