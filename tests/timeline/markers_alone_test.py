#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that mark with ubiheap/core/marker.h alone: without a library, in C and C++, and what that costs; with the library
beside them, modules that come and go, and exceptions."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import timeline_instructions  # noqa: E402

BUILD = Path(os.environ["UBI_BUILD_DIR"]).resolve()
SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"
SCOPED_LIMIT = 6  # instructions of a scoped marker that nobody looks at

EVERYTHING = r"""
#include <ubiheap/core/marker.h>
int main(void) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("a");
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_NO_STACK("b");
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("c", "label");
    UBI_TIMELINE_MARKER_START("d");
    UBI_TIMELINE_MARKER_START_LABEL("e", 0);
    UBI_TIMELINE_MARKER_END("d");
    UBI_TIMELINE_TIMESTAMP("f", "label");
    ubi_marker_emit("g", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), 0);
    return ubi_marker_is_observed();
}
"""

PRINT = r"""
#include <stdio.h>
#include <ubiheap/core/timeline.h>
static void print_rows(ubi_timeline_target *target) {
    ubi_timeline_markers *m;
    if (ubi_timeline_target_pop_profile_timeline_markers(target, &m) != UBI_OK)
        return;
    for (size_t i = 0; i < ubi_timeline_markers_count(m); i++) {
        ubi_timeline_row row = ubi_timeline_markers_row(m, i);
        printf("%.*s", (int)row.name.len, row.name.ptr);
        for (uint32_t j = 0; j < row.detail_count; j++) {
            ubi_timeline_detail detail = ubi_timeline_markers_detail(m, i, j);
            if (detail.type == UBI_MARKER_TEXT)
                printf(" %s", detail.text.ptr);
        }
        printf("\n");
    }
    ubi_timeline_markers_free(m);
}
"""

EXCEPTIONS = PRINT + r"""
#include <stdexcept>
static void inner(int n) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("inner");
    if (n == 0)
        throw std::runtime_error("out");
    inner(n - 1);
}
struct object {
    ubi_timeline_target *target;
    int method() {
        UBI_AUTO_TIMELINE_MARKER(target, "method");
        UBI_AUTO_RESTYLE_TIMELINE_MARKER(target, true);
        auto lambda = [] { UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("lambda", "text"); };
        lambda();
        try {
            inner(2);
        } catch (const std::exception &) {
            return 1;
        }
        return 0;
    }
};
int main() {
    ubi_timeline_target *target;
    if (ubi_timeline_target_new(&target, nullptr) != UBI_OK)
        return 1;
    ubi_timeline_target_set_record_profile_timeline_markers(target, true);
    object o = { target };
    o.method();
    print_rows(target);
    ubi_timeline_target_free(target);
    return 0;
}
"""

# The same name stands at the same place of two modules that are loaded one after the other, most likely at one address.
MODULE = r"""
#include <ubiheap/core/marker.h>
void mark(void);
void mark(void) { UBI_AUTO_GLOBAL_TIMELINE_MARKER(NAME); UBI_TIMELINE_TIMESTAMP(NAME "!", NAME); }
"""

LOADER = PRINT + r"""
#include <dlfcn.h>
static int call(const char *path) {
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*mark)(void) = module ? (void (*)(void))dlsym(module, "mark") : 0;
    if (!mark)
        return 1;
    mark();
    return dlclose(module);
}
int main(int argc, char **argv) {
    ubi_timeline_target *target;
    if (ubi_timeline_target_new(&target, NULL) != UBI_OK)
        return 1;
    ubi_timeline_target_set_record_profile_timeline_markers(target, true);
    for (int i = 1; i < argc; i++)
        if (call(argv[i]) != 0)
            return 2;
    print_rows(target);
    ubi_timeline_target_set_record_profile_timeline_markers(target, false);
    if (call(argv[1]) != 0)
        return 3;
    ubi_timeline_target_free(target);
    return 0;
}
"""


class Alone(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def compile(self, compiler, text, name, *options):
        ending = ".cc" if compiler.endswith("++") else ".c"
        source, program = self.directory / f"{name}{ending}", self.directory / name
        source.write_text(text)
        subprocess.run(
            [compiler, f"-I{ROOT / 'include'}", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(program), *options],
            check=True,
        )
        return program

    def library(self):
        return ["-L" + str(BUILD / "lib"), "-lubiheap", f"-Wl,-rpath,{BUILD / 'lib'}"]

    def lines(self, *argv):
        done = subprocess.run([str(a) for a in argv], check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def test_a_program_needs_no_library(self):
        for compiler, standard in (("gcc", "c17"), ("clang", "c17"), ("g++", "c++11"), ("clang++", "c++11")):
            for options in ([], ["-O2"], ["-fno-pie", "-no-pie"], ["-static"], ["-O2", "-fPIC", "-shared"]):
                program = self.compile(compiler, EVERYTHING, "everything", f"-std={standard}", "-pedantic", *options)
                if "-shared" not in options:
                    self.assertEqual(subprocess.run([str(program)]).returncode, 0)

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_what_is_not_observed_costs_six_instructions(self):
        n = 20000
        for compiler in ("gcc", "clang", "g++", "clang++"):
            cost = {}
            for marked in (False, True):
                options = ["-O2", *(["-DMARKED"] if marked else [])]
                program = self.compile(compiler, timeline_instructions.PROGRAM, f"loop{marked}", *options)
                cost[marked] = timeline_instructions.count(program, 2 * n) - timeline_instructions.count(program, n)
            added = (cost[True] - cost[False]) / n
            self.assertLessEqual(added, SCOPED_LIMIT + 0.01, compiler)
            self.assertGreaterEqual(added, 4, f"{compiler}: nothing was marked")

    @unittest.skipIf(SANITIZED, "the library wants its sanitizer to be loaded first")
    def test_exceptions_end_scoped_markers(self):
        for compiler in ("g++", "clang++"):
            program = self.compile(compiler, EXCEPTIONS, "exceptions", "-std=c++11", *self.library())
            self.assertEqual(
                self.lines(program), ["method", "Styles", "lambda text", "inner", "inner", "inner"]
            )

    @unittest.skipIf(SANITIZED, "the library wants its sanitizer to be loaded first")
    def test_names_of_modules_that_are_gone_are_there(self):
        modules = [self.compile("gcc", MODULE, f"{name}.so", f'-DNAME="{name}"', "-fPIC", "-shared")
                   for name in ("one", "two")]
        program = self.compile("gcc", LOADER, "loader", *self.library(), "-ldl")
        self.assertEqual(
            self.lines(program, *modules, *modules), ["one", "one! one", "two", "two! two"] * 2
        )


if __name__ == "__main__":
    unittest.main()
