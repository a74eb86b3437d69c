#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every public header compiles alone, as C17 and as C++17, with both compilers and without a warning."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "include" / "ubiheap").rglob("*.h"))
COMPILERS = [
    ("gcc", "c17", ".c"),
    ("clang", "c17", ".c"),
    ("g++", "c++17", ".cc"),
    ("clang++", "c++17", ".cc"),
]
# Compiled with the program's own engine.
OF_AN_ENGINE = {f"ubiheap/extension/quickjs{part}.h" for part in ("", "_leaks", "_references")}
# Of the JavaScript engine that the live tools are compiled with.
ENGINE = os.environ.get("UBI_QUICKJS_DIR", str(ROOT / "third-party" / "quickjs-2025-04-26"))
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Werror"]


class Headers(unittest.TestCase):
    def test_ubiheap_h_includes_all_that_need_no_engine_and_no_other_library(self):
        included = re.findall(r"^#include <(ubiheap/.*)>$", (ROOT / "include" / "ubiheap" / "ubiheap.h").read_text(), re.MULTILINE)
        others = {str(header.relative_to(ROOT / "include")) for header in HEADERS} - {"ubiheap/ubiheap.h"} - OF_AN_ENGINE
        others = {name for name in others if not name.startswith("ubiheap/server/")}
        self.assertEqual(sorted(included), sorted(others))

    def compile_each(self, compiler, standard, ending):
        self.assertIsNotNone(shutil.which(compiler), f"{compiler} is missing; `make deps` installs it")
        with tempfile.TemporaryDirectory() as directory:
            for header in HEADERS:
                source = Path(directory) / f"{header.stem}{ending}"
                # Twice, so that the include guard is tried too. The variable keeps the unit from being empty.
                include = f"#include <{header.relative_to(ROOT / 'include')}>\n"
                source.write_text(f"{include}{include}extern int something;\nint something;\n")
                result = subprocess.run(
                    [compiler, f"-std={standard}", *WARNINGS, f"-I{ROOT / 'include'}", "-isystem", ENGINE, "-c", str(source), "-o", "/dev/null"],
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(result.returncode, 0, f"{header.name} with {compiler}:\n{result.stderr}")


for _compiler, _standard, _ending in COMPILERS:

    def _test(self, args=(_compiler, _standard, _ending)):
        self.compile_each(*args)

    _name = f"test_each_header_compiles_alone_with_{_compiler}".replace("+", "x")
    setattr(Headers, _name, _test)


if __name__ == "__main__":
    unittest.main()
