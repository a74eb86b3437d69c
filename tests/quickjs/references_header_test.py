#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The header that notes references knows each function of the engine that gives one or takes one over."""
import os
import pathlib
import re
import unittest

HEADER = pathlib.Path(os.environ["UBI_SOURCE_DIR"]) / "include/ubiheap/extension/quickjs_references.h"
ENGINE = pathlib.Path(os.environ["UBI_QUICKJS_DIR"]) / "quickjs.h"

# What they give has no count of references, is borrowed, or is an exception.
GIVES_NONE = re.compile(r"""JS_(
    MKVAL|MKPTR|MKNAN|__JS_NewFloat64|New(Bool|Int32|Int64|Uint32|Uint64|Float64|Number|CatchOffset)|ToBoolean
    |Throw\w*|GetPendingJobContext|PRINTF_FORMAT_ATTR)$""", re.VERBOSE)
# Borrowed by them, in spite of the type.
TAKES_NONE = re.compile(r"""JS_(
    VALUE_\w+|GetClassID|PromiseState|SetOpaque|SetPropertyFunctionList|SetPrototype|PRINTF_FORMAT_ATTR)$""", re.VERBOSE)


def functions(header):
    """(what it returns, name, arguments) of each that is declared or defined there."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", " ", header, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"([\w \t\n*]+?)\b(JS_\w+)\s*\(([^(){};]*)\)", text)


class ReferencesHeader(unittest.TestCase):
    def test_no_function_of_the_engine_was_forgotten(self):
        noted = set(re.findall(r"^#define (JS_\w+)", HEADER.read_text(), re.MULTILINE))
        seen, gives, takes = set(), set(), set()
        for returned, name, arguments in functions(ENGINE.read_text(errors="replace")):
            if "return" in returned.split() or "typedef" in returned.split():
                continue
            seen.add(name)
            if re.search(r"\b(JSValue|JSAtom)\s*$|\bJSContext\s*\*\s*$", returned) or re.search(r"_(To|AtomTo)CString", name):
                gives.add(name)
            if re.search(r"\bJSValue\b(?!\s*\*)|\bconst JSValue\s*\*", arguments):
                takes.add(name)
        self.assertGreater(len(seen), 150)
        self.assertGreater(len(gives), 50)
        self.assertIn("JS_SetPropertyStr", takes)
        self.assertEqual({name for name in seen - noted if re.match(r"JS_Free(?!ze)", name)}, {"JS_FreeRuntime"})
        self.assertEqual({name for name in gives - noted if not GIVES_NONE.match(name)}, set())
        self.assertEqual({name for name in takes - noted if not TAKES_NONE.match(name)}, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
