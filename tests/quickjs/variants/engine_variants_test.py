#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tools find their way in engines that look different, and refuse those in which they cannot work.

Variants of the engine's source are made by variant_maker.py. Each is compiled with the adapter, without optimization, and
linked with everything else of the build.
"""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import variant_maker

ROOT = Path(os.environ.get("UBI_SOURCE_DIR", Path(__file__).resolve().parents[3]))
BUILD = Path(os.environ["UBI_BUILD_DIR"])
ENGINE = Path(os.environ.get("UBI_QUICKJS_DIR", ROOT / "third-party" / "quickjs"))
TOOLS = ROOT / "src" / "engines" / "quickjs"
SCRATCH = BUILD / "quickjs_variants"
SELF_CHECKS = ["coverage_test", "edges_test", "heap_roots_test", "random_programs_test"]


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def must_run(*command):
    result = run(*command)
    if result.returncode != 0:
        raise AssertionError(f"{command} gave {result.returncode}:\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result


class Variant:
    """A copy of the engine's folder with another quickjs.c."""

    def __init__(self, name, text):
        self.folder = SCRATCH / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for source in [*ENGINE.glob("*.h"), *ENGINE.glob("*.c")]:
            shutil.copy(source, self.folder)
        (self.folder / "quickjs.c").write_text(text)

    def probe(self):
        return run("sh", TOOLS / "probe.sh", self.folder)

    def compile(self):
        features = self.probe()
        if features.returncode != 0:
            raise AssertionError(features.stderr)
        (self.folder / "ubi_features.h").write_text(features.stdout)
        must_run("cc", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-D_GNU_SOURCE", "-DCONFIG_BIGNUM",
                 '-DCONFIG_VERSION="variant"', f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{self.folder}", "-c",
                 TOOLS / "adapter.c", "-o", self.folder / "adapter.o")

    def link(self, program):
        """Our own object comes first, so the library's adapter is not taken."""
        target = self.folder / program
        flags = must_run("pkg-config", "--libs", "cmocka", "libisal", "zlib", "jansson", "libsodium").stdout.split()
        must_run("cc", "-std=gnu17", "-D_GNU_SOURCE", "-w", f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{ENGINE}",
                 TOOLS / f"{program}.c", self.folder / "adapter.o", BUILD / "libubi_quickjs.a",
                 BUILD / "lib" / "libubiheap.a", *flags, "-lm", "-lpthread", "-ldl", "-o", target)
        return target


def source():
    return (ENGINE / "quickjs.c").read_text(errors="surrogateescape")


def words_that_stay():
    """What the tools name, and what stands in headers that the engine's other files share."""
    words = set()
    for file in [*TOOLS.rglob("*.h"), *TOOLS.rglob("*.c"), TOOLS / "probe.sh", *ENGINE.glob("*.h")]:
        words.update(re.findall(r"\w+", file.read_text(errors="replace")))
    return words


class EngineVariants(unittest.TestCase):
    def test_moved_members_and_other_names_change_nothing(self):
        text, n_renamed = variant_maker.renamed(variant_maker.moved(source()), words_that_stay())
        self.assertGreater(n_renamed, 1000)
        variant = Variant("moved_and_renamed", text)
        variant.compile()
        selftest = run(variant.link("hooks_selftest"))
        self.assertEqual((selftest.returncode, selftest.stderr), (0, ""))
        for program in SELF_CHECKS:
            with self.subTest(program=program):
                must_run(variant.link(program))

    def test_a_hook_that_cannot_fire_ends_the_build_by_name(self):
        variant = Variant("unhooked", variant_maker.without_birth_hook(source()))
        variant.compile()
        selftest = run(variant.link("hooks_selftest"))
        self.assertEqual(selftest.returncode, 1)
        self.assertIn("selftest: the hook of this engine's birth (list_add_tail in add_gc_object) did not fire",
                      selftest.stderr)
        self.assertNotIn("death", selftest.stderr)

    def test_a_member_that_is_missed_is_said_before_compiling(self):
        variant = Variant("other_member", re.sub(r"\bcur_pc\b", "current_pc", source()))
        probe = variant.probe()
        self.assertEqual(probe.returncode, 1)
        self.assertIn("probe: struct JSStackFrame has no member cur_pc, which the tools need to walk the heap", probe.stderr)

    def test_a_function_that_is_missed_is_said_before_compiling(self):
        variant = Variant("other_function", re.sub(r"\bgc_decref\b", "gc_count_down", source()))
        probe = variant.probe()
        self.assertEqual(probe.returncode, 1)
        self.assertIn("probe: quickjs.c has no function gc_decref, which the tools need to hear of collections",
                      probe.stderr)

    def test_a_folder_that_is_no_engine_is_refused(self):
        probe = run("sh", TOOLS / "probe.sh", TOOLS)
        self.assertEqual(probe.returncode, 1)
        self.assertIn("has no quickjs.c and quickjs.h: it is not the source of QuickJS", probe.stderr)


if __name__ == "__main__":
    unittest.main()
