#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documents are whole: links lead somewhere, and the commands, options and make targets that they name exist."""
import contextlib
import os
import re
import shlex
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
REFERENCE = ROOT / "docs" / "reference" / "cli.md"
C_REFERENCE = ROOT / "docs" / "reference" / "c-api.md"
# Told for all commands together.
REPORTED_ONCE = {"compat"}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
# A command line in an example: `ubiheap verb ...`, perhaps behind a prompt.
COMMAND_LINE = re.compile(r"^ *(?:\$ )?ubiheap +(.*)$", re.MULTILINE)


def ubiheap(*arguments):
    result = subprocess.run([os.environ["UBIHEAP"], *arguments], capture_output=True, text=True, check=True)
    return result.stdout


def command_groups():
    """Title: names of commands, as the help shows them."""
    blocks = re.findall(r"^([A-Z][\w ]+):\n((?:  [a-z]+ +\S.*\n)+)", ubiheap("help"), re.MULTILINE)
    known = set(ubiheap("help", "--commands").split())
    groups = {title: re.findall(r"^  ([a-z]+) ", lines, re.MULTILINE) for title, lines in blocks}
    return {title: names for title, names in groups.items() if set(names) <= known}


def command_sections():
    """Name of a command: what the reference says of it."""
    parts = re.split(r"^## (.*)$", REFERENCE.read_text(), flags=re.MULTILINE)
    known = set(ubiheap("help", "--commands").split())
    return {title: text for title, text in zip(parts[1::2], parts[2::2]) if title in known}


def letters_of(line):
    """Short options of a command line up to where another command begins."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    letters = set()
    with contextlib.suppress(ValueError):  # a quote that ends on another line
        for word in words:
            if word == "--" or set(word) <= set("();<>|&"):
                break
            letters |= set(re.findall(r"^-([a-z])", word))
    return letters


def heading_anchors(page):
    """Anchors of a page's headings, made as GitHub makes them."""
    anchors = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub("", page.read_text()), re.MULTILINE):
        anchors.add(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-"))
    return anchors


def examples(text):
    """What a reader types: fenced and indented blocks."""
    yield from (match[0] for match in FENCE.finditer(text))
    yield "\n".join(line for line in FENCE.sub("", text).splitlines() if line.startswith("    "))


class Docs(unittest.TestCase):
    def test_every_kind_of_document_is_there(self):
        for kind in ("tutorial", "how-to", "reference", "explanation", "formats", "security"):
            self.assertTrue(list((ROOT / "docs").glob(f"{kind}*")), f"docs/{kind}")

    def test_links_lead_to_files_and_headings(self):
        broken = []
        for page in PAGES:
            for target in LINK.findall(FENCE.sub("", page.read_text())):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (page.parent / path) if path else page
                if not file.exists() or (anchor and file.suffix == ".md" and anchor not in heading_anchors(file)):
                    broken.append(f"{page.relative_to(ROOT)}: {target}")
        self.assertEqual(broken, [])

    def test_the_architecture_page_lists_every_module_and_folder(self):
        page = (ROOT / "docs" / "explanation" / "architecture.md").read_text()
        rows = re.findall(r"^\| [\d-] \| `(\w+)` \|(.*)$", page, re.MULTILINE)
        told = {module: set(re.findall(r"`([\w-]+)/`", row)) for module, row in rows}
        there = {module.name: {folder.name for folder in module.iterdir() if any(folder.glob("*.c"))}
                 for module in (ROOT / "src").iterdir()}
        self.assertEqual(told, there)

    def test_the_page_of_options_is_what_the_tool_says_of_itself(self):
        page = ROOT / "docs" / "reference" / "options.md"
        self.assertEqual(page.read_text(), ubiheap("help", "--markdown"), "ubiheap help --markdown > docs/reference/options.md")

    def test_the_pages_of_interfaces_are_what_the_tool_says_of_them(self):
        for option, name in (("--http", "http.md"), ("--rdp", "remote-protocol.md")):
            page = ROOT / "docs" / "reference" / name
            self.assertEqual(page.read_text(), ubiheap("help", option), f"ubiheap help {option} > docs/reference/{name}")

    def test_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        for page in PAGES:
            for target in re.findall(r"`make ([a-z-]+)", page.read_text()):
                self.assertIn(target, targets, page.name)

    def test_commands_and_options_of_examples_exist(self):
        commands = ubiheap("help", "--commands").split()
        # A manual writes --x and --no-x as --[no-]x.
        manuals = {command: re.sub(r"--\[no-\]([\w-]+)", r"--\1 --no-\1", ubiheap("help", command)) for command in commands}
        general = ubiheap("--help")
        for page in PAGES:
            for example in examples(page.read_text()):
                for line in COMMAND_LINE.findall(example):
                    # Behind "--" is what a recorded program gets.
                    words = re.split(r"[#|]|(?<!\S)--(?!\S)", line)[0].split()
                    verb = next((word for word in words if not word.startswith("-")), None)
                    if verb is None or not re.fullmatch(r"[a-z]+", verb):
                        continue
                    with self.subTest(page=page.name, line=line):
                        self.assertIn(verb, commands)
                        for option in (word.split("=")[0] for word in words if word.startswith("--")):
                            self.assertIn(option, manuals[verb] + general)
                        self.assertLessEqual(letters_of(line), set(re.findall(r"^  -(\w), ", manuals[verb], re.MULTILINE)))

    def test_the_reference_lists_all_commands_in_the_groups_of_the_help(self):
        listed = re.findall(r"^\| ([\w ]+) \| (\[\w+\]\(#\w+\)(?:, \[\w+\]\(#\w+\))*) \|$", REFERENCE.read_text(), re.MULTILINE)
        groups = {title: re.findall(r"\[(\w+)\]\(#\1\)", links) for title, links in listed}
        self.assertEqual(list(groups.items()), list(command_groups().items()))
        self.assertEqual(sum(groups.values(), []), ubiheap("help", "--commands").split())

    def test_the_reference_has_a_section_for_each_command_with_its_usage_and_options(self):
        sections = command_sections()
        for command in ubiheap("help", "--commands").split():
            manual = ubiheap("help", command).split("Common options:")[0]
            with self.subTest(command=command):
                self.assertTrue(f"ubiheap {command} " in sections[command], "how it is called")
                options = re.findall(r"^  (?:-\w, |    )--(?:\[no-\])?([\w-]+)", manual, re.MULTILINE)
                told = set(re.findall(r"--([\w-]+)", sections[command])) | REPORTED_ONCE
                self.assertEqual([option for option in options if not {option, f"no-{option}"} & told], [])

    def test_the_c_reference_lists_every_header_by_its_own_summary(self):
        rows = dict(re.findall(r"^\| \[`(ubiheap/\w+/\w+\.h)`\]\(\S+\) \| (.*) \|$", C_REFERENCE.read_text(), re.MULTILINE))
        summaries = {}
        for header in (ROOT / "include" / "ubiheap").rglob("*.h"):
            told = re.match(r"/\* SPDX-License-Identifier: MIT\n \*\n \* (ubiheap/\w+/\w+\.h): (.*?)\.?\n", header.read_text())
            if header.name != "ubiheap.h":
                summaries[str(header.relative_to(ROOT / "include"))] = told and told[2]
        self.assertEqual(rows, summaries)

    def test_letters_in_the_reference_are_those_of_the_options(self):
        for command, section in command_sections().items():
            known = dict(re.findall(r"^  -(\w), --(?:\[no-\])?([\w-]+)", ubiheap("help", command), re.MULTILINE))
            with self.subTest(command=command):
                told = re.findall(r"`-(\w)`, `--([\w-]+)", section)
                self.assertEqual([pair for pair in told if known.get(pair[0]) != pair[1]], [])
                self.assertLessEqual(set(re.findall(r"`-(\w)`", section)), set(known))
                self.assertLessEqual(set(known) - {"h"}, {letter for letter, _ in told})


if __name__ == "__main__":
    unittest.main()
