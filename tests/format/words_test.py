#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Comments, texts and documents avoid the phrases of the word list in CONTRIBUTING.md.

The first column of that table lists phrases in quotes. A phrase matches whole words in any case, over line breaks; "(s)" is
optional. Of C files comments, string literals and names count, and of documents everything but code: output of the tool is not prose.
A name counts as its words.
"""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("UBI_SOURCE_DIR", Path(__file__).resolve().parents[2]))
# Folders (and files) that still have such phrases. Clean one, then remove its line.
NOT_YET_CLEAN = ()
# Correct uses of these phrases.
RIGHT = re.compile(r"\buser nobody\b|(?:are|were|is) all the same\b|\bnot (?:only )?for [\w ]{1,40}, but for\b", re.I)

HEADING = "## Words"
TOKEN = re.compile(r'/\*(?P<block>.*?)\*/|//(?P<line>[^\n]*)|"(?P<text>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'', re.S)
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2", re.M | re.S)
CODE = re.compile(r"``[^`]+``|`[^`\n]+`|\]\([^)\s]*\)|^    .*$", re.M)


def word_list():
    """Phrases of the table's first column."""
    section = (ROOT / "CONTRIBUTING.md").read_text().split(HEADING)[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]*) \| [^|]* \|$", section, re.M)
    return [phrase for row in rows for phrase in re.findall(r'"([^"]+)"', row)]


class Phrases:
    """Finds phrases: by their first words, for one expression of all of them takes ten times as long."""
    WORD = re.compile(r"(?<![\w-])[a-z]+")

    def __init__(self, phrases):
        self.by_first_word = {}
        for phrase in phrases:
            for one in (phrase.replace("(s)", ""), phrase.replace("(s)", "s")):
                words = one.lower().split()
                self.by_first_word.setdefault(words[0], set()).add(r"\s+".join(re.escape(word) for word in words))
        self.by_first_word = {word: re.compile("(?:" + "|".join(sorted(ends)) + r")(?![\w-])")
                              for word, ends in self.by_first_word.items()}

    def finditer(self, text):
        lower = text.lower()
        for word in self.WORD.finditer(lower):
            pattern = self.by_first_word.get(word[0])
            match = pattern and pattern.match(lower, word.start())
            if match:
                yield match

    def search(self, text):
        return next(self.finditer(text), None)


def blanked(text):
    """As many lines, and nothing on them."""
    return re.sub(r"[^\n]", " ", text)


def prose_of_c(text):
    """The same lines with comments and string literals alone; the marks of comments, and quotes between literals, are gone."""
    parts, end = [], 0
    for token in TOKEN.finditer(text):
        between = blanked(text[end:token.start()])
        # A sentence does not go from one comment into the next, unless nothing but white space is between them.
        parts.append(between if not text[end:token.start()].strip() else between[:-1] + ("\x00" if between[-1:] == " " else between[-1:]))
        if token["block"] is not None:
            parts.append("  " + re.sub(r"^([ \t]*)\*", r"\1 ", token["block"], flags=re.M) + "  ")
        elif token["line"] is not None:
            parts.append("  " + token["line"])
        elif token["text"] is not None:
            parts.append(" " + token["text"].replace("\\n", "\x00\x00") + " ")
        else:
            parts.append(blanked(token[0]))
        end = token.end()
    return "".join(parts)


def prose_of_page(text):
    """The same lines without code, output of the tool and the word list itself."""
    if HEADING in text:
        before, after = text.split(HEADING, 1)
        section, *rest = re.split(r"(?=\n## )", after, maxsplit=1)
        text = before + blanked(HEADING + section) + "".join(rest)
    text = FENCE.sub(lambda match: blanked(match[0]), text)
    return CODE.sub(lambda match: re.sub(r"[^\n]", "\x00", match[0]), text)


def hits(path, pattern):
    """`path:line: phrase` of each."""
    text = path.read_text(errors="replace")
    prose = prose_of_page(text) if path.suffix == ".md" else prose_of_c(text)
    found = list(pattern.finditer(prose))
    if found:
        prose = RIGHT.sub(lambda match: blanked(match[0]), prose)
        found = list(pattern.finditer(prose))
    return [f"{path.relative_to(ROOT)}:{prose.count(chr(10), 0, match.start()) + 1}: {' '.join(match[0].split())}"
            for match in found]


def files():
    """What is read: sources, public headers, documents."""
    for folder, suffixes in (("src", (".c", ".h", ".md")), ("include", (".h",)), ("docs", (".md",)), ("examples", (".md",))):
        yield from sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)
    yield from sorted((ROOT / "tests").glob("**/README.md"))
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "bench/README.md", "packaging/npm/README.md"))


def folder_of(path):
    """Of a file in a folder that is not yet clean, that folder; else None."""
    name = path.relative_to(ROOT).as_posix()
    return next((folder for folder in NOT_YET_CLEAN if f"{name}/".startswith(folder + "/")), None)


NAME = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
# Names of others' programs, and lists of them.
NAMES_OF_OTHERS = re.compile(r"/public_names")
RIGHT_NAMES = {"test_the_mended_program_does_not_grow"}


def names_of_code():
    """`path: name` by name, of C and of tests in Python."""
    found = {}
    for folder, suffixes in (("src", (".c", ".h")), ("include", (".h",)), ("bench", (".c", ".h", ".py")), ("tests", (".c", ".h", ".py")),
                             ("tools", (".py",))):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in suffixes and not NAMES_OF_OTHERS.search(str(path)):
                for name in NAME.findall(path.read_text(errors="replace")):
                    found.setdefault(name, path.relative_to(ROOT))
    return found


class Words(unittest.TestCase):
    def setUp(self):
        self.pattern = Phrases(word_list())

    def test_names_have_no_phrases_of_the_word_list(self):
        names = names_of_code()
        self.assertGreater(len(names), 10000)
        found = sorted(f"{path}: {name}" for name, path in names.items()
                       if name not in RIGHT_NAMES and self.pattern.search(name.replace("_", " ")))
        self.assertEqual(found, [], "\nsee the word list in CONTRIBUTING.md")

    def test_phrases_of_the_word_list_are_not_used(self):
        found = [hit for path in files() if folder_of(path) is None for hit in hits(path, self.pattern)]
        self.assertEqual(found, [], "\nsee the word list in CONTRIBUTING.md")

    def test_folders_that_are_clean_are_off_the_list(self):
        unclean = {folder_of(path) for path in files() if folder_of(path) and hits(path, self.pattern)}
        self.assertEqual(sorted(set(NOT_YET_CLEAN) - unclean), [], "clean by now: remove these lines from NOT_YET_CLEAN")

    def test_comments_and_texts_count_and_code_does_not(self):
        source = 'int nobody; /* for\n * want of */ f("stands" " behind"); // so many\nchar c = \'"\'; g(x); // dear'
        self.assertEqual([" ".join(match[0].split()) for match in self.pattern.finditer(prose_of_c(source))],
                         ["for want of", "stands behind", "so many", "dear"])

    def test_lines_are_counted_as_in_the_file(self):
        source = "/* a\n * b */\nint x;\n/* nobody */\n"
        match = self.pattern.search(prose_of_c(source))
        self.assertEqual(prose_of_c(source).count("\n", 0, match.start()), 3)

    def test_code_and_output_in_documents_do_not_count(self):
        self.assertIsNone(self.pattern.search(prose_of_page("`nobody`\n```console\n$ x\nnobody\n```\n    nobody\n")))

    def test_right_uses_are_no_hits(self):
        for right in ("an id stands for one node", "write behind", "read-behind", "there is none", "behind a lock", "endear",
                      "unknown", "so that many rows", "a standing order", "what stands out", "goes one step further",
                      "unless told otherwise", "too young to tell"):
            with self.subTest(right):
                self.assertIsNone(self.pattern.search(right))


if __name__ == "__main__":
    unittest.main()
