# SPDX-License-Identifier: MIT
"""Scripts under `ubiheap run`, for the tests of the host. Importing this skips the test when there is no tool."""
import json
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import engine_facts  # noqa: E402,F401
import workspace  # noqa: E402

SOURCE_DIR = workspace.SOURCE_DIR
SANITIZED = os.environ.get("UBI_PRESET_KIND", "plain") != "plain"
# What a script needs to tell a test that it is where the test wants it to be.
READY = "import * as std from 'std'; import * as os from 'os'; const ready = () => { print('ready'); std.out.flush(); };\n"


class Place(workspace.Workspace):
    """A temporary folder with scripts."""

    def __init__(self):
        super().__init__()
        self.of_the_workspace = {path.name for path in self.folder.glob("*.fxsnapshot")}

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def script(self, text, *arguments, options=(), name="s.js", **more):
        """Runs a script, with options of the tool before and arguments behind it."""
        self.write(name, text)
        return self.ubiheap("run", *options, name, *arguments, **more)

    def start(self, text, options=(), name="s.js"):
        """Starts a script, and waits until it says that it is ready."""
        self.write(name, text)
        running = Running(self, [*options, name])
        return running.wait_until_ready()

    def snapshots(self):
        return sorted({path.name for path in self.folder.glob("*.fxsnapshot")} - self.of_the_workspace)

    def clear(self):
        for name in self.snapshots():
            (self.folder / name).unlink()

    def info(self, name):
        """What `ubiheap info` says of a snapshot."""
        done = self.ubiheap("info", "--json", name)
        if done.returncode:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def classes(self, name):
        """How many objects of each class there are in a snapshot."""
        report = json.loads(self.ubiheap("census", "--json", "-b", '{"by":"objectClass"}', name).stdout)["report"]
        return {key: value.get("count", 0) for key, value in report.items()}


class Running:
    """A script that runs."""

    def __init__(self, place, arguments):
        self.place = place
        self.process = subprocess.Popen(["ubiheap", "run", *arguments], cwd=place.folder, env=place.environment(),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_until_ready(self):
        line = self.process.stdout.readline()
        if line != b"ready\n":
            raise AssertionError((line, self.process.stderr.read()))
        return self

    def send(self, number=signal.SIGUSR2):
        self.process.send_signal(number)

    def error_line(self):
        """The next line on standard error: waits for it."""
        return self.process.stderr.readline().decode()

    def end(self):
        """Exit code, and what is left of both streams."""
        out, err = self.process.communicate()
        return self.process.returncode, out.decode(), err.decode()

    def abandon(self):
        """Ends a script that still runs, for a test that failed."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
