#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documents are whole: links lead somewhere, and the commands, options and make targets that they name exist."""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
# A command line in an example: `ubiheap verb ...`, perhaps behind a prompt.
COMMAND_LINE = re.compile(r"^ *(?:\$ )?ubiheap +(.*)$", re.MULTILINE)


def ubiheap(*arguments):
    result = subprocess.run([os.environ["UBIHEAP"], *arguments], capture_output=True, text=True, check=True)
    return result.stdout


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

    def test_every_command_is_in_the_reference(self):
        reference = "".join(page.read_text() for page in PAGES if "reference" in str(page.relative_to(ROOT)))
        for command in ubiheap("help", "--commands").split():
            self.assertRegex(reference, rf"(?m)ubiheap {command}\b|^#+ .*\b{command}\b")


if __name__ == "__main__":
    unittest.main()
