#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is generated from the option tables: help, man pages, bash completion."""
import re
import shutil
import subprocess
import unittest

import workspace


# Whose answer --compat firefox can change.
COMPAT = {"census", "diff", "dominators", "show", "treemap", "timeline", "run", "serve"}


class Manual(unittest.TestCase):
    place = workspace.Workspace()

    def output(self, *arguments):
        done = self.place.ubiheap(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def commands(self):
        return self.output("help", "--commands").split()

    def pages(self):
        yield "ubiheap", self.output("help", "--man")
        for name in self.commands():
            yield f"ubiheap-{name}", self.output("help", "--man", name)

    def options(self, command):
        return re.findall(r"^  (?:-\w, |    )--(?:\[no-\])?([\w-]+)", self.output("help", command), re.M)

    def test_help_fits_the_terminal(self):
        for columns in (60, 80, 200):
            for arguments in (["help"], *(["help", name] for name in self.commands())):
                text = self.place.ubiheap(*arguments, env={"COLUMNS": str(columns)}).stdout.decode()
                # Lines of literal text, example commands and single long words stand as they are.
                prose = [line for line in text.splitlines() if not line.startswith(("  ubiheap ", "  {", "Usage"))]
                prose = [line for line in prose if len(line.split()) > 1]
                longest = max(prose, key=len)
                self.assertLessEqual(len(longest), min(columns, 100), longest)

    def test_every_page_names_its_command_and_all_its_options(self):
        for name, page in self.pages():
            self.assertIn(f".TH {name.upper()} 1 ", page)
            if "-" in name:
                for option in self.options(name.split("-", 1)[1]):
                    self.assertIn("\\-\\-" + option.replace("-", "\\-"), page)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_nothing_to_complain_about(self):
        for name, page in self.pages():
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", "-"], input=page.encode(), capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""), name)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_pages_read_as_meant(self):
        page = dict(self.pages())["ubiheap-census"]
        text = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-"], input=page.encode(), capture_output=True).stdout
        self.assertIn(b'{ "by": "coarseType", "objects": { "by": "objectClass" } }', text)
        self.assertIn(b"-b, --breakdown SPEC", text)
        self.assertIn(b"ubiheap census --json -b '{\"by\":\"objectClass\"}' app.fxsnapshot", text)

    def test_help_on_a_command_begins_with_what_it_answers_and_an_example(self):
        for name in self.commands():
            question, empty, example, *_ = self.output("help", name).splitlines()
            self.assertEqual((question[-1], empty), ("?", ""), name)
            self.assertRegex(example, rf"^  ubiheap {name} ")

    def test_the_groups_of_the_help_hold_every_command_once(self):
        groups = re.split(r"^(?=[A-Z][\w ]+:$)", self.output("help"), flags=re.M)
        groups = [group for group in groups if re.match("Start|Who keeps it|Compare|Look inside|Run and record|Serve|Files", group)]
        self.assertEqual(len(groups), 7)
        self.assertEqual(re.findall(r"^  ([a-z]+) ", "".join(groups), re.M), self.commands())
        page = self.output("help", "--man")
        self.assertEqual(re.findall(r"^\.SS (.*)$", page, re.M), [group.split(":")[0] for group in groups])

    def test_former_spellings_are_nowhere_to_be_read(self):
        for name in self.commands():
            text = self.output("help", name) + self.output("help", "--man", name).replace("\\-", "-")
            self.assertNotIn("--top", text, name)
            self.assertNotIn("ubiheap node ", text, name)
            self.assertEqual("--compat" in text, name in COMPAT, name)

    def test_letters_of_the_examples_are_those_of_the_options(self):
        for name in self.commands():
            text = self.output("help", name)
            letters = set(re.findall(r"^  -(\w), ", text, re.M))
            for line in re.findall(rf"^  ubiheap {name} (.*)$", text, re.M):
                own = re.split(r"\||(?<!\S)--(?!\S)", line)[0]
                self.assertLessEqual(set(re.findall(r"(?<!\S)-(\w)", own)), letters, line)

    def test_examples_name_real_options(self):
        for name in self.commands():
            known = {f"--{option}" for option in self.options(name)}
            for line in re.findall(rf"^  ubiheap {name} (.*)$", self.output("help", name), re.M):
                own = re.split(r"\||(?<!\S)--(?!\S)", line)[0]  # behind "--" is what a recorded program gets
                for option in re.findall(r"(?<!\S)--[\w-]+", own):
                    self.assertIn(option, known, line)


class Completion(unittest.TestCase):
    place = workspace.Workspace()

    @classmethod
    def setUpClass(cls):
        script = cls.place.ubiheap("help", "--bash-completion").stdout
        (cls.place.folder / "completion.bash").write_bytes(script)

    def complete(self, *words):
        """What bash offers for the last word."""
        quoted = " ".join("'%s'" % word for word in words)
        script = (f"source completion.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _ubiheap; "
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = self.place.run("bash", "--norc", "-c", script)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode().split()

    def test_bash_parses_the_script(self):
        self.assertEqual(self.place.run("bash", "-n", "completion.bash").returncode, 0)

    def test_commands_are_offered_first(self):
        self.assertEqual(self.complete("ubiheap", "ce"), ["census"])
        self.assertIn("--version", self.complete("ubiheap", "--"))
        self.assertEqual(self.complete("ubiheap", "help", "s"), ["summary", "statistics", "search", "show", "strings", "serve"])

    def test_a_file_alone_and_another_name_have_the_options_of_what_they_mean(self):
        self.assertEqual(self.complete("ubiheap", "app.fxsnapshot", "--det"), ["--detail"])
        self.assertEqual(self.complete("ubiheap", "--det"), ["--detail"])
        self.assertEqual(self.complete("ubiheap", "node", "app.fxsnapshot", "--li"), ["--limit"])

    def test_former_spellings_are_not_offered(self):
        self.assertEqual(self.complete("ubiheap", "dominators", "--to"), [])
        self.assertEqual(self.complete("ubiheap", "nod"), ["nodes"])
        self.assertEqual(self.complete("ubiheap", "report", "--comp"), [])
        self.assertEqual(self.complete("ubiheap", "census", "--comp"), ["--compat"])

    def test_options_of_the_command_are_offered(self):
        self.assertEqual(self.complete("ubiheap", "census", "--br"), ["--breakdown"])
        self.assertEqual(self.complete("ubiheap", "census", "file", "--no-"), ["--no-inverted", "--no-progress", "--no-cache"])
        self.assertNotIn("--breakdown", self.complete("ubiheap", "info", "--"))

    def test_words_of_a_value_are_offered_with_and_without_equals_sign(self):
        self.assertEqual(self.complete("ubiheap", "info", "--color", "a"), ["auto", "always"])
        self.assertEqual(self.complete("ubiheap", "info", "--color", "=", "n"), ["never"])
        self.assertEqual(self.complete("ubiheap", "info", "--color", "="), ["auto", "always", "never"])
        self.assertEqual(self.complete("ubiheap", "nodes", "-f", "c"), ["csv"])

    def test_files_are_left_to_bash(self):
        self.assertEqual(self.complete("ubiheap", "info", "tiny"), [])
        self.assertEqual(self.complete("ubiheap", "census", "--filter", "-"), [])
        script = (self.place.folder / "completion.bash").read_text()
        self.assertIn("complete -o default -F _ubiheap ubiheap", script)


if __name__ == "__main__":
    unittest.main()
