#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Members that are true or false begin with one of the words that CONTRIBUTING.md lists under "Names and style".

Members of structs and unions in src/ and include/, also those of tests and those that macros declare, and bits of width 1 of
type bool. Functions that a struct points to are not members of this kind.
"""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("UBI_SOURCE_DIR", Path(__file__).resolve().parents[2]))

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|\\\n', re.S)
OPENING = re.compile(r"\b(?:struct|union)\b[^{};()]*\{")
NESTED = re.compile(r"\{[^{}]*\}")
TRUTH = re.compile(r"\s*(?:(?:const|volatile|_Atomic|static)\s+)*(?:bool|_Bool|atomic_bool|_Atomic\s*\(\s*bool\s*\))(?!\w|\s*\()(.*)", re.S)


def prefixes():
    """The words of the rule."""
    rule = re.search(r"^- A member that is true or false begins with (.*?):", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S)
    return re.findall(r"`(\w+_)`", rule[1])


def blanked(text):
    """As many lines, and nothing on them."""
    return re.sub(r"[^\n]", " ", text)


def bodies(text):
    """(place, text) of what is between the braces of each struct and union; of those inside it, the braces and names remain."""
    for opening in OPENING.finditer(text):
        depth, end = 1, opening.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        body, count = text[opening.end():end - 1], 1
        while count:
            body, count = NESTED.subn(lambda match: blanked(match[0]), body)
        yield opening.end(), body


def members(source):
    """(line, name) of members that are true or false."""
    text = NOT_CODE.sub(lambda match: blanked(match[0]), source)
    for place, body in bodies(text):
        for declaration in re.finditer(r"[^;]+", body):
            truth = TRUTH.fullmatch(declaration[0])
            if not truth:
                continue
            line = text.count("\n", 0, place + declaration.start() + len(declaration[0]) - len(declaration[0].lstrip())) + 1
            for name in truth[1].split(","):
                name = re.match(r"[\s*]*(?:const\s+)?(\w*)", name)[1]
                yield line, name


class Names(unittest.TestCase):
    def test_members_that_are_true_or_false_begin_with_a_word_of_the_rule(self):
        good, found, count = tuple(prefixes()), [], 0
        for folder in ("include", "src"):
            for path in sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in (".c", ".h")):
                for line, name in members(path.read_text()):
                    count += 1
                    if not name.startswith(good):
                        found.append(f"{path.relative_to(ROOT)}:{line}: {name}")
        self.assertEqual(found, [], f"\nnone of {' '.join(good)}: see CONTRIBUTING.md, Names and style")
        self.assertGreater(count, 500)

    def test_the_rule_has_a_short_list(self):
        self.assertIn("is_", prefixes())
        self.assertLessEqual(len(prefixes()), 16)

    def test_members_are_found_wherever_they_are_declared(self):
        source = """
            typedef struct a { bool one; /* bool no; */ int x; const bool *two, three[2][3]; _Atomic bool four; } a;
            #define T(name) struct name { \\
                bool five;               \\
            }
            union { struct { bool six : 1; } in; atomic_bool seven; bool (*no)(bool no); boolean no; };
            struct a f(bool no) { bool no; return (struct a){ no }; }
            static const struct { const char *s; bool eight; } rows[] = { { "struct { bool no; }", true } };
        """
        names = {name for _, name in members(source)}
        self.assertEqual(names, {"one", "two", "three", "four", "five", "six", "seven", "eight"})

    def test_lines_are_those_of_the_file(self):
        self.assertEqual(list(members("/*\n*/\nstruct a {\n\n    bool b;\n};\n")), [(5, "b")])


if __name__ == "__main__":
    unittest.main()
