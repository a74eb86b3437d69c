# SPDX-License-Identifier: MIT
"""Programs under `ubiheap record`, for the tests of this folder."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "recording"))
sys.path.insert(0, str(HERE.parent / "support"))
import built_programs  # noqa: E402
import ubirec_decoder  # noqa: E402

SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"
UBIHEAP = os.environ["UBIHEAP"]
LIBRARY = pathlib.Path(os.environ["UBI_BUILD_DIR"]) / "lib" / "ubiheap" / "libubiheap-preload.so"

Event = collections.namedtuple("Event", "number time thread kind size stack")


class Recording:
    """What a file says, read by the independent decoder."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        self.lines = ubirec_decoder.decode(data).splitlines() if len(data) >= 16 else []
        self.allocations, self.frees, self.symbols, self.end, self.torn = [], [], {}, None, 0
        self.about = self.lines[0].split()[1:] if self.lines else []
        self.resident = [int(line.split()[1]) for line in self.lines if line.startswith("rss ")]
        for line in self.lines:
            words = line.split()
            if words[0] == "alloc":
                self.allocations.append(Event(int(words[1]), int(words[2]), words[3], words[4].split(":")[0].replace("%20", " "),
                                              int(words[5]), words[7].split("<")[1:] if len(words) > 7 else []))
            elif words[0] == "free":
                self.frees.append(Event(int(words[1]), int(words[2]), words[3], None, None, None))
            elif words[0] == "symbols":
                self.symbols[words[1]] = [symbol.split("|") for symbol in words[2:]]
            elif words[0] == "end":
                self.end = int(words[1]), int(words[2])
            elif words[0] == "torn":
                self.torn = int(words[1])

    def sizes(self):
        return collections.Counter(event.size for event in self.allocations)

    def live(self):
        freed = {event.number for event in self.frees}
        return collections.Counter(event.size for event in self.allocations if event.number not in freed)

    def functions(self, event):
        """Of a stack, the innermost first; inlined ones too."""
        return [symbol[0] for frame in event.stack for symbol in self.symbols.get(frame, [["?"]])]

    def is_whole(self):
        """Whether keep_some() of behaves.c is there."""
        return self.sizes()[1000] >= 100 and self.live()[1000] >= 10


class Place:
    """A temporary folder with the program."""

    def __init__(self, test):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ubiheap-record-")).resolve()
        test.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.program = self.compile("behaves")
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}

    def compile(self, name, *options, source=HERE / "programs" / "behaves.c", compiler="gcc"):
        return built_programs.build([compiler, "-g", "-O1", *options, source, "-pthread"], self.folder / name)

    def command(self, *arguments, options=("--exact",), output="out.ubirec"):
        named = ["--output", output] if output else []
        return [UBIHEAP, "record", *options, *named, "--", *map(str, arguments)]

    def record(self, *arguments, options=("--exact",), output="out.ubirec", environment=None, **more):
        """Runs it to its end."""
        return subprocess.run(self.command(*arguments, options=options, output=output), cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=more.pop("stdin", subprocess.DEVNULL),
                              env={**self.environment, **(environment or {})}, **more)

    def start(self, *arguments, options=("--exact",), output="out.ubirec", **more):
        """Starts it and waits until it says that it is ready."""
        running = subprocess.Popen(self.command(*arguments, options=options, output=output), cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, **more)
        line = running.stdout.readline()
        assert line == "ready\n", line + running.stderr.read()
        return running

    def recording(self, name="out.ubirec"):
        return Recording(self.folder / name)

    def recordings(self):
        return sorted(path.name for path in self.folder.glob("*.ubirec*"))

    def program_pid(self, running):
        """Of the program that a recorder runs."""
        children = pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        assert len(children) == 1, children
        return int(children[0])


def is_one_line(text, pattern):
    return re.fullmatch(f"ubiheap: {pattern}\n", text) is not None
