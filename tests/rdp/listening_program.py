# SPDX-License-Identifier: MIT
"""A program under `ubiheap run --listen`, for tests of clients. Skips the test where the tool listens to nothing."""
import os
import re
import subprocess
import unittest


class ListeningProgram:
    """A context manager; `address` is where it listens."""

    def __init__(self, folder, source, *arguments):
        (folder / "program.js").write_text(source)
        self.command = [os.environ["UBIHEAP"], "run", "--listen", "0", *arguments, "program.js"]
        self.folder = folder

    def __enter__(self):
        self.process = subprocess.Popen(self.command, cwd=self.folder, stderr=subprocess.PIPE)
        line = self.process.stderr.readline().decode()
        if "libuv" in line:
            self.__exit__()
            raise unittest.SkipTest(line)
        self.address = "ubi://127.0.0.1:" + re.search(r"listening on 127\.0\.0\.1:(\d+)", line)[1]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
