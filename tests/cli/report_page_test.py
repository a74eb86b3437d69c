# SPDX-License-Identifier: MIT
"""The page of `report` on heaps: one screen, what matters first, and commands that work."""
import os
import shlex
import subprocess
import unittest

import workspace

COLUMNS = 100
LINES = 40
QUICKJS_PROGRAM = """
globalThis.app = { server: { filter: { listeners: [] } } };
for (let i = 0; i < 3000; i++) app.server.filter.listeners.push({ name: "listener " + i, rows: [i, i, i] });
"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = workspace.Workspace()
        cls.folder = str(cls.place.folder)
        with open(os.path.join(cls.folder, "app.js"), "w", encoding="utf-8") as file:
            file.write(QUICKJS_PROGRAM)
        cls.run_tool("run", "--no-sites", "-a", "exit", "-o", "app.fxsnapshot", "app.js")
        cls.files = [f"{name}.fxsnapshot" for name in [*workspace.REAL, "app"]]
        cls.files += [f"{name}.heapsnapshot.gz" for name in workspace.REAL_V8]
        cls.pages = {name: cls.run_tool("report", name).splitlines() for name in cls.files}

    @classmethod
    def run_tool(cls, *arguments):
        done = subprocess.run([workspace.UBIHEAP, *arguments], capture_output=True, cwd=cls.folder,
                              env={**os.environ, "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8"})
        if done.returncode:
            raise AssertionError(f"{arguments}: {done.stderr.decode()}")
        return done.stdout.decode()

    def test_a_page_fits_one_screen(self):
        for name, page in self.pages.items():
            self.assertLessEqual(len(page), LINES, name)
            self.assertLessEqual(max(map(len, page)), COLUMNS, name)

    def test_the_second_line_says_in_words_what_matters(self):
        for name, page in self.pages.items():
            self.assertRegex(page[1], r"^[0-9.]+ [KM]iB in [0-9,]+ nodes\. (Possible savings: |Biggest retainer: one )", name)

    def test_findings_precede_what_it_is_made_of(self):
        for name, page in self.pages.items():
            made_of = page.index("What it is made of")
            for i, line in enumerate(page):
                if line.startswith(("Possible savings (", "Worth a look")):
                    self.assertLess(i, made_of, name)

    def test_every_command_works(self):
        for name, page in self.pages.items():
            commands = [line.split("#")[0].strip() for line in page if line.strip().startswith("ubiheap ")]
            self.assertGreaterEqual(len(commands), 2, name)
            for command in commands:
                self.run_tool(*shlex.split(command)[1:])

    def test_of_quickjs_names_of_the_program_are_reported_and_no_advice_for_others_is_given(self):
        page = self.pages["app.fxsnapshot"]
        text = "\n".join(page)
        self.assertIn("global.app.server.filter.listeners → Array", text)
        self.assertIn("--sites", text)
        for word in ("JSContext", "native handle", "Firefox", "tick"):
            self.assertNotIn(word, text)


if __name__ == "__main__":
    unittest.main()
