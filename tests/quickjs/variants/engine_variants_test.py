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
ENGINE = Path(os.environ.get("UBI_QUICKJS_DIR", ROOT / "third-party" / "quickjs-2021-03-27"))
TOOLS = ROOT / "src" / "engines" / "quickjs"
SCRATCH = BUILD / "quickjs_variants"
# Tests of the adapter that need nothing but an engine.
PROGRAMS = ["coverage_test", "edges_test", "heap_roots_test", "random_programs_test", "node_facts_test", "scope_walk_test",
            "frozen_guard_test", "tracking_sites_test", "tracking_log_test", "tracking_collections_test"]
# What the self-test says of a walk in an engine some of whose hooks do not fire.
CONSEQUENCE = re.compile(r"selftest: \d+ (things of .* heap count as held from outside, but only its realm is"
                         r"|of \d+ bytes of .* heap belong to no node)")


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

    def compile(self, *options):
        """Makes adapter.o, unless an option is against it."""
        features = self.probe()
        if features.returncode != 0:
            raise AssertionError(features.stderr)
        (self.folder / "ubi_features.h").write_text(features.stdout)
        must_run("cc", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-D_GNU_SOURCE", "-DCONFIG_BIGNUM",
                 '-DCONFIG_VERSION="variant"', f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{self.folder}", "-c",
                 TOOLS / "adapter.c", "-o", self.folder / "adapter.o", *options)

    def link(self, program):
        """Our own object comes first, so the library's adapter is not taken."""
        target = self.folder / program
        [compiled] = (BUILD / "CMakeFiles").glob(f"*.dir/src/engines/quickjs/{program}.c.o")
        flags = must_run("pkg-config", "--libs", "cmocka", "libisal", "zlib", "libsodium").stdout.split()
        must_run("cc", compiled, self.folder / "adapter.o", BUILD / "libubi_test_support_code.a", BUILD / "libubi_quickjs.a",
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


def needs(command):
    """What probe.sh looks for: (function,) or (structure, member) of each."""
    text = (TOOLS / "probe.sh").read_text().replace("\\\n", " ")
    for line in re.findall(rf"^{command} (.*)", text, re.M):
        words = line.split()
        if command == "need_function":
            yield (words[0],)
        else:
            yield from ((words[0], member) for member in words[1:])


class EngineVariants(unittest.TestCase):
    maxDiff = None

    def test_moved_members_and_other_names_change_nothing(self):
        text = variant_maker.with_other_arguments(variant_maker.moved(source()))
        text, n_renamed = variant_maker.renamed(text, words_that_stay())
        self.assertGreater(n_renamed, 1000)
        variant = Variant("moved_and_renamed", text)
        variant.compile()
        selftest = run(variant.link("hooks_selftest"))
        self.assertEqual((selftest.returncode, selftest.stdout, selftest.stderr), (0, "", ""))
        for program in PROGRAMS:
            with self.subTest(program=program):
                must_run(variant.link(program))

    def unfired(self, name, text):
        """What the self-test says of an engine: the hooks that did not fire, the places, and everything else."""
        variant = Variant(name, text)
        variant.compile()
        selftest = run(variant.link("hooks_selftest"))
        self.assertEqual(selftest.returncode, 1)
        lines = selftest.stderr.splitlines()
        self.assertIn("selftest: the tools cannot be used with this version of QuickJS (variant (UBI_BF", lines.pop())
        hooks = [re.fullmatch(r"selftest: the hook of this engine's (.*) did not fire", line) for line in lines]
        return {found[1] for found in hooks if found}, [line for line, found in zip(lines, hooks) if not found]

    def test_hooks_that_cannot_fire_end_the_build_by_name(self):
        """Each in one of two engines, so that it is told from the others; both ends of a collection in the same, for one alone
        keeps all walks out."""
        births = [name for name in variant_maker.UNHOOKED if re.match("birth|begin|end|module|collection", name)]
        others = [name for name in variant_maker.UNHOOKED if name not in births]
        for number, half in enumerate((births, others)):
            with self.subTest(hooks=half):
                hooks, rest = self.unfired(f"unhooked{number}", variant_maker.without_hooks(source(), half))
                self.assertEqual((hooks, [line for line in rest if not CONSEQUENCE.fullmatch(line)]), (set(half), []))

    def test_what_is_for_later_engines_compiles(self):
        variant = Variant("later", variant_maker.with_later_structures(source()))
        for feature in ("STR_KIND", "STR_INDIRECT", "FORIN_TAB", "VARREF_ASYNC", "MAPPED_REFS", "FINREC_LIST", "CLASS_WEAKREF",
                        "WEAKREF_SENTINEL"):
            self.assertIn(f"#define UBI_{feature} 1\n", variant.probe().stdout)
        variant.compile("-fsyntax-only")

    def test_places_that_are_not_stored_end_the_build_by_name(self):
        hooks, others = self.unfired("placeless", variant_maker.placeless(source()))
        self.assertEqual(hooks, set())
        for what in ("an object literal (JS_NewObject)", "an array literal", "a closure", "an arguments object", "rest arguments",
                     "a regular expression", "a class"):
            [line] = [line for line in others if f"the place where this engine makes {what}" in line]
            self.assertTrue(line.endswith(" in JS_CallInternal did not fire"), line)

    def test_members_that_are_missed_are_said_before_compiling(self):
        needed = list(needs("need_members"))
        self.assertGreater(len(needed), 60)
        text = source()
        for _, member in needed:
            text = re.sub(rf"\b{member}\b", f"another_{member}", text)
        probe = Variant("other_members", text).probe()
        self.assertEqual((probe.returncode, probe.stdout), (1, ""))
        said = re.findall(r"struct (\w+) has no member (\w+), which the tools need to walk the heap", probe.stderr)
        self.assertEqual(set(said), set(needed))

    def test_functions_that_are_missed_are_said_before_compiling(self):
        needed = [name for [name] in needs("need_function")]
        self.assertGreater(len(needed), 10)
        text = source()
        for name in needed:
            text = re.sub(rf"\b{name}\b", f"another_{name}", text)
        probe = Variant("other_functions", text).probe()
        self.assertEqual((probe.returncode, probe.stdout), (1, ""))
        said = re.findall(r"quickjs.c has no function (\w+), which the tools need to [a-z ]+", probe.stderr)
        self.assertEqual(set(said), set(needed))

    def test_a_folder_that_is_no_engine_is_refused(self):
        probe = run("sh", TOOLS / "probe.sh", TOOLS)
        self.assertEqual(probe.returncode, 1)
        self.assertIn("has no quickjs.c and quickjs.h: it is not the source of QuickJS", probe.stderr)


if __name__ == "__main__":
    unittest.main()
