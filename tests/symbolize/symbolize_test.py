#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Symbols of programs that are compiled here: lines and inlined functions, debug files of their own, stripped and changed
files, and a few hundred addresses of the tool compared with binutils' addr2line."""
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

DRIVER = Path(os.environ["UBI_BUILD_DIR"]) / "tests" / "symbolize_driver"
TOOL = Path(os.environ["UBIHEAP"])

# addr2line of Debian 12 does not see inlined functions in the DWARF 5 of clang, of which sanitized builds are.
WITH_GCC = os.environ.get("UBI_PRESET_KIND", "plain") == "plain"

NONE, EXPORTED, NAMES, LINES = range(4)
FOUND, NO_FILE, MISSING, CHANGED, DAMAGED, STRIPPED = range(6)

SOURCE_C = """\
#include <stdlib.h>
volatile int sink;
static inline __attribute__((always_inline)) void innermost(int x) {
    sink = x;
}
static inline __attribute__((always_inline)) void middle(int x) {
    innermost(x + 1);
}
__attribute__((noinline)) static void hidden(int x) {
    middle(x);
    sink++;
}
__attribute__((noinline, visibility("default"))) void exported(int x) {
    hidden(x);
    sink--;
}
int main(int argc, char **argv) {
    (void)argv;
    exported(argc);
    return 0;
}
"""

SOURCE_CXX = """\
#include <cstdio>
#include <string>
volatile int sink;
namespace shop {
template <class T> struct basket {
    __attribute__((noinline)) void add(T x) { sink = (int)x; }
};
namespace {
__attribute__((noinline)) void hidden(int x) { sink = x; asm volatile(""); }
}
struct apple {
    __attribute__((noinline)) apple(int x) { sink = x; }
};
}
int main(int argc, char **) {
    shop::basket<long> b;
    b.add(argc);
    shop::hidden(argc);
    shop::apple a(argc);
    auto lambda = [](int x) __attribute__((noinline)) { sink = x; };
    lambda(argc);
    return 0;
}
"""

SOURCE_NESTED = """\
volatile int sink;
int main(int argc, char **argv) {
    (void)argv;
    __attribute__((noinline)) void nested(int x) { sink = x + argc; }
    nested(1);
    nested(2);
    return 0;
}
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} gave {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Symbols:
    """What the driver says: rows by address, and the facts."""

    def __init__(self, module, addresses, *options, environment=None):
        text = "".join(f"{address:x}\n" for address in addresses)
        output = run(DRIVER, *options, module, input=text, env=environment)
        self.at = {}
        for line in output.splitlines():
            words = line.split("\t")
            if words[0] == "facts":
                self.detail, self.obstacle, self.package = int(words[1]), int(words[2]), words[3]
            elif len(words) == 1:
                rows = self.at.setdefault(int(line, 16), [])
            else:
                rows.append((words[0], words[1], os.path.basename(words[2]), int(words[3])))


def functions_of(module):
    """Address and size of each function, by its name in the symbol table."""
    found = {}
    for line in run("nm", "-S", "--defined-only", module).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwW":
            found[words[3]] = int(words[0], 16), int(words[1], 16)
    return found


def build_id_of(module):
    return re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", module))[1]


class Symbolize(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="ubiheap-symbolize-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        (cls.scratch / "nothing").mkdir()
        cls.program = cls.compile("c", SOURCE_C, "program")
        cls.functions = functions_of(cls.program)
        cls.build_id = build_id_of(cls.program)

    @classmethod
    def compile(cls, language, source, name, *options):
        file = cls.scratch / f"{name}.{'cc' if language == 'c++' else 'c'}"
        file.write_text(source)
        program = cls.scratch / name
        run("g++" if language == "c++" else "gcc", "-g", "-O2", "-Wl,--build-id", *options, file, "-o", program,
            cwd=cls.scratch)
        return program

    def place(self, name):
        """A folder of its own."""
        folder = self.scratch / name
        folder.mkdir()
        return folder

    def look(self, module, addresses, *options, **more):
        """No debug files but those that a test has made."""
        options = (*options, "--debug-root", self.scratch / "nothing") if "--debug-root" not in options else options
        return Symbols(module, addresses, *options, "--package-root", self.scratch / "nothing", **more)

    def inlined_address(self):
        """Where innermost() was inlined: the store to `sink` in hidden()."""
        low, size = self.functions["hidden"]
        whole = self.look(self.program, range(low, low + size))
        for address, rows in whole.at.items():
            if len(rows) == 3:
                return address
        self.fail("nothing was inlined")

    def assert_knows_all(self, symbols, address):
        self.assertEqual(
            symbols.at[address],
            [("inlined", "innermost", "program.c", 4), ("inlined", "middle", "program.c", 7),
             ("code", "hidden", "program.c", 10)])
        self.assertEqual((symbols.detail, symbols.obstacle), (LINES, FOUND))

    def stripped(self, folder, *options):
        """A copy of the program without debug information, and that information in a file beside it."""
        program, debug = folder / "program", folder / "program.debug"
        run("objcopy", "--only-keep-debug", self.program, debug)
        run("strip", *options, "-o", program, self.program)
        return program, debug

    # ---- what a program with debug information tells ----

    def test_inlined_functions_come_innermost_first_with_the_lines_of_their_calls(self):
        address = self.inlined_address()
        self.assert_knows_all(self.look(self.program, [address]), address)

    def test_position_dependent_programs_and_shared_objects_are_the_same(self):
        for name, options in (("fixed", ("-no-pie",)), ("shared.so", ("-shared", "-fPIC"))):
            module = self.compile("c", SOURCE_C, name, *options)
            low, size = functions_of(module)["hidden"]
            rows = self.look(module, range(low, low + size)).at.values()
            self.assertIn([row[1] for row in next(r for r in rows if len(r) == 3)], [["innermost", "middle", "hidden"]])

    def test_other_forms_of_debug_information_are_equal(self):
        forms = {"dwarf4": ["-gdwarf-4"], "compressed": ["-gz"], "split": ["-gsplit-dwarf"],
                 "split4": ["-gsplit-dwarf", "-gdwarf-4"], "types": ["-fdebug-types-section"]}
        for name, options in forms.items():
            with self.subTest(form=name):
                module = self.compile("c", SOURCE_C, f"form-{name}", *options)
                low, size = functions_of(module)["hidden"]
                rows = self.look(module, range(low, low + size)).at.values()
                deepest = max(rows, key=len)
                self.assertEqual([(row[1], row[3]) for row in deepest], [("innermost", 4), ("middle", 7), ("hidden", 10)])

    def test_clang_says_the_same(self):
        source = self.scratch / "clang.c"
        source.write_text(SOURCE_C)
        module = self.scratch / "clang"
        run("clang", "-g", "-O2", source, "-o", module)
        low, size = functions_of(module)["hidden"]
        deepest = max(self.look(module, range(low, low + size)).at.values(), key=len)
        self.assertEqual([(row[1], row[3]) for row in deepest], [("innermost", 4), ("middle", 7), ("hidden", 10)])

    def test_names_of_cxx_are_unfolded_also_those_that_only_the_symbol_table_has(self):
        module = self.compile("c++", SOURCE_CXX, "cxx")
        functions = functions_of(module)
        expected = {
            r"_ZN4shop6basketIlE3addEl.*": "shop::basket<long>::add(long)",
            r"_ZN4shop12_GLOBAL__N_16hiddenEi.*": "shop::(anonymous namespace)::hidden(int)",
            r"_ZN4shop5appleC\dEi.*": "shop::apple::apple(int)",
            r"_ZZ4mainENKUliE_clEi.*": "main::{lambda(int)#1}::operator()(int) const",
        }
        for pattern, name in expected.items():
            address = next(low for symbol, (low, _) in functions.items() if re.fullmatch(pattern, symbol))
            self.assertEqual(self.look(module, [address]).at[address][-1][1], name)

    def test_a_function_within_a_function_is_found(self):
        module = self.compile("c", SOURCE_NESTED, "nested")
        address = next(low for name, (low, _) in functions_of(module).items() if name.startswith("nested"))
        self.assertEqual(self.look(module, [address]).at[address][0][1], "nested")

    def test_functions_of_the_c_library_have_the_names_that_people_know(self):
        source = SOURCE_C.replace("__attribute__((noinline, visibility",
                                'void exported(int x) __asm__("__GI_exported");\n__attribute__((noinline, visibility', 1)
        module = self.compile("c", source, "internal")
        address = functions_of(module)["__GI_exported"][0]
        self.assertEqual(self.look(module, [address]).at[address][-1][1], "exported")
        run("strip", "-g", module)
        self.assertEqual(self.look(module, [address]).at[address][-1][1], "exported")

    def test_addresses_outside_are_unknown(self):
        symbols = self.look(self.program, [0, 1, 0x7FFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF])
        self.assertEqual(list(symbols.at.values()), [[], [], [], []])

    def test_a_few_hundred_addresses_of_the_tool_are_as_addr2line_says(self):
        chance = random.Random(6)
        functions = sorted(value for value in functions_of(TOOL).values() if value[1])
        addresses = sorted({chance.randrange(low, low + size) for low, size in chance.choices(functions, k=600)})
        ours = self.look(TOOL, addresses)
        theirs = run("addr2line", "-a", "-i", "-e", TOOL, *map(hex, addresses))
        expected, rows = {}, None
        for line in theirs.splitlines():
            if re.fullmatch("0x[0-9a-f]+", line):
                rows = expected.setdefault(int(line, 16), [])
            else:
                rows.append(line)
        same = 0
        for address in addresses:
            lines = [int(re.search(r":(\d+|\?)", row)[1].replace("?", "0")) for row in expected[address]]
            our_lines = [row[3] for row in ours.at[address]] or [0]
            same += (lines == our_lines) if WITH_GCC else (lines[0] == our_lines[0])
        # Files that include source in the middle of their line table are where addr2line differs from everybody else.
        self.assertGreaterEqual(same, len(addresses) * 0.99, f"{same} of {len(addresses)}")

    # ---- debug information elsewhere ----

    def test_a_debug_file_beside_the_program_is_found_by_its_link(self):
        address = self.inlined_address()
        for name, where in (("beside", "."), ("below", ".debug")):
            folder = self.place(name)
            program, debug = self.stripped(folder)
            run("objcopy", f"--add-gnu-debuglink={debug}", program)
            (folder / where).mkdir(exist_ok=True)
            shutil.move(debug, folder / where / "moved")
            shutil.move(folder / where / "moved", folder / where / "program.debug")
            self.assert_knows_all(self.look(program, [address]), address)

    def test_a_link_is_followed_below_the_root_of_debug_files(self):
        address = self.inlined_address()
        folder, root = self.place("linked"), self.place("link-root")
        program, debug = self.stripped(folder)
        run("objcopy", f"--add-gnu-debuglink={debug}", program)
        below = Path(f"{root}{folder}")
        below.mkdir(parents=True)
        shutil.move(debug, below / "program.debug")
        self.assert_knows_all(self.look(program, [address], "--debug-root", root), address)

    def test_without_build_ids_the_checksum_of_the_link_decides(self):
        folder = self.place("checksum")
        whole = self.compile("c", SOURCE_C, "unmarked", "-Wl,--build-id=none")
        address = functions_of(whole)["hidden"][0]
        program, debug = folder / "program", folder / "program.debug"
        run("objcopy", "--only-keep-debug", whole, debug)
        run("strip", "-o", program, whole)
        run("objcopy", f"--add-gnu-debuglink={debug}", program)
        self.assertEqual(self.look(program, [address]).detail, LINES)
        debug.write_bytes(debug.read_bytes() + b"\0")
        changed = self.look(program, [address])
        self.assertEqual((changed.detail, changed.obstacle, changed.at[address]), (NONE, STRIPPED, []))

    def debug_tree(self, name, debug):
        root = self.place(name)
        folder = root / ".build-id" / self.build_id[:2]
        folder.mkdir(parents=True)
        shutil.copy(debug, folder / f"{self.build_id[2:]}.debug")
        return root

    def test_a_debug_file_is_found_by_the_build_id(self):
        address = self.inlined_address()
        program, debug = self.stripped(self.place("tree-program"))
        root = self.debug_tree("tree", debug)
        self.assert_knows_all(self.look(program, [address], "--debug-root", root), address)

    def test_a_debug_file_replaces_a_program_that_is_gone_or_changed(self):
        address = self.inlined_address()
        program, debug = self.stripped(self.place("gone"))
        root = self.debug_tree("gone-tree", debug)
        program.unlink()
        options = ("--build-id", self.build_id, "--debug-root", root)
        self.assert_knows_all(self.look(program, [address], *options), address)
        shutil.copy(self.compile("c", SOURCE_C, "other", "-O1"), program)
        self.assert_knows_all(self.look(program, [address], *options), address)

    def test_a_debug_file_of_another_program_is_not_taken(self):
        address = self.inlined_address()
        program, _ = self.stripped(self.place("foreign"))
        other = self.compile("c", SOURCE_C + "int more;\n", "foreign-other", "-O1")
        root = self.debug_tree("foreign-tree", other)
        symbols = self.look(program, [address], "--debug-root", root)
        self.assertEqual((symbols.detail, symbols.obstacle), (NONE, STRIPPED))

    def test_debuginfod_is_asked_only_when_that_is_wanted(self):
        address = self.inlined_address()
        program, debug = self.stripped(self.place("server-program"))
        server = self.place("server")
        (server / "buildid" / self.build_id).mkdir(parents=True)
        shutil.copy(debug, server / "buildid" / self.build_id / "debuginfo")
        environment = {**os.environ, "DEBUGINFOD_URLS": f"file://{server}",
                       "DEBUGINFOD_CACHE_PATH": str(self.place("cache"))}
        unasked = self.look(program, [address], environment=environment)
        self.assertEqual((unasked.detail, list((self.scratch / "cache").iterdir())), (NONE, []))
        if not any(Path("/usr/lib").glob("*/libdebuginfod.so.1")):
            self.skipTest("libdebuginfod is not installed")
        asked = self.look(program, [address], "--debuginfod", environment=environment)
        self.assert_knows_all(asked, address)

    # ---- less than that ----

    def test_without_debug_information_the_symbol_table_names_functions(self):
        program, debug = self.stripped(self.place("names"), "-g")
        debug.unlink()
        low, size = self.functions["hidden"]
        symbols = self.look(program, [low, low + size - 1])
        self.assertEqual(symbols.at, {low: [("code", "hidden", "?", 0)], low + size - 1: [("code", "hidden", "?", 0)]})
        self.assertEqual((symbols.detail, symbols.obstacle), (NAMES, STRIPPED))

    def test_without_a_symbol_table_exported_functions_keep_their_names(self):
        whole = self.compile("c", SOURCE_C, "exports.so", "-shared", "-fPIC")
        functions = functions_of(whole)
        module = self.scratch / "exports-stripped.so"
        run("strip", "-o", module, whole)
        exported, hidden = functions["exported"][0], functions["hidden"][0]
        symbols = self.look(module, [exported, hidden])
        self.assertEqual(symbols.at, {exported: [("code", "exported", "?", 0)], hidden: []})
        self.assertEqual((symbols.detail, symbols.obstacle), (EXPORTED, STRIPPED))

    def test_a_file_with_another_build_id_says_nothing(self):
        address = self.inlined_address()
        symbols = self.look(self.program, [address], "--build-id", "00" * 20)
        self.assertEqual((symbols.at[address], symbols.detail, symbols.obstacle), ([], NONE, CHANGED))
        symbols = self.look(self.program, [address], "--build-id", self.build_id)
        self.assert_knows_all(symbols, address)

    def test_what_is_no_program_is_said_to_be_none(self):
        text = self.scratch / "text"
        text.write_text("no program\n")
        torn = self.scratch / "torn"
        torn.write_bytes(self.program.read_bytes()[:100])
        fifo = self.scratch / "fifo"
        os.mkfifo(fifo)
        for module, obstacle in ((self.scratch / "not-there", MISSING), (self.scratch, MISSING), (fifo, MISSING),
                                 (text, DAMAGED), ("[vdso]", NO_FILE), ("linux-vdso.so.1", NO_FILE), ("", NO_FILE)):
            with self.subTest(module=str(module)):
                symbols = self.look(module, [0x1000])
                self.assertEqual((symbols.at[0x1000], symbols.detail, symbols.obstacle), ([], NONE, obstacle))
        self.assertEqual(self.look(torn, [0x1000]).detail, NONE)

    def test_programs_that_are_cut_short_do_no_harm(self):
        whole = self.program.read_bytes()
        cut = self.scratch / "cut"
        address = self.inlined_address()
        for size in range(64, len(whole), max(1, len(whole) // 60)):
            cut.write_bytes(whole[:size])
            self.look(cut, [address, address + 1])

    def test_damaged_debug_information_does_no_harm(self):
        whole, chance, damaged = self.program.read_bytes(), random.Random(6), self.scratch / "damaged"
        low, size = self.functions["hidden"]
        addresses = "".join(f"{address:x}\n" for address in range(low, low + size))
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(chance.choice((1, 5, 50))):
                data[chance.randrange(64, len(data))] = chance.choice((0, 255, chance.randrange(256)))
            damaged.write_bytes(data)  # what comes out may be anything, so nobody reads it
            run(DRIVER, "--debug-root", self.scratch / "nothing", damaged, input=addresses)

    def test_the_debian_package_is_known(self):
        lists = self.place("lists")
        program, _ = self.stripped(self.place("packaged"))
        (lists / "other.list").write_text("/usr/bin/other\n")
        (lists / "my-program:amd64.list").write_text(f"/.\n/usr\n{program}\n")
        options = ("--debug-root", self.scratch / "nothing", "--package-root", lists)
        self.assertEqual(Symbols(program, [], *options).package, "my-program-dbgsym")
        self.assertEqual(Symbols(self.program, [], *options).package, "", "it lacks nothing")
        link = self.scratch / "link-to-program"
        link.symlink_to(program)
        self.assertEqual(Symbols(link, [], *options).package, "my-program-dbgsym")
        (lists / "my-program:amd64.list").rename(lists / "libc6:amd64.list")
        self.assertEqual(Symbols(program, [], *options).package, "libc6-dbg")

    def test_what_was_packaged_before_the_folders_were_merged_is_known(self):
        lists = self.place("merged")
        program = next(path for path in (Path("/usr/bin/true"), Path("/usr/bin/ls")) if path.exists())
        (lists / "coreutils.list").write_text(f"{str(program).removeprefix('/usr')}\n")
        options = ("--debug-root", self.scratch / "nothing", "--package-root", lists)
        self.assertEqual(Symbols(program, [], *options).package, "coreutils-dbgsym")


if __name__ == "__main__":
    unittest.main()
