# SPDX-License-Identifier: MIT
"""The folder in which command line tests run, and how they run the tool.

A workspace is a temporary folder with the real snapshots of tests/data/fx by their plain names and some small hostile
ones. Tests name files relative to it, so that expected output holds no path of this machine. Importing this skips the
test when there is no tool.
"""
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
UBIHEAP = os.environ.get("UBIHEAP", "")
DATA = SOURCE_DIR / "tests" / "data" / "fx"
DATA_V8 = SOURCE_DIR / "tests" / "data" / "v8"
DATA_UBIREC = SOURCE_DIR / "tests" / "data" / "ubirec"
DATA_TIMELINE = SOURCE_DIR / "tests" / "data" / "timeline"

if not UBIHEAP or not os.access(UBIHEAP, os.X_OK):
    print("skipped: UBIHEAP does not name the tool")
    sys.exit(77)

sys.path[:0] = [str(SOURCE_DIR / "tests" / "fxsnapshot"), str(SOURCE_DIR / "tests" / "support")]
import encoder  # noqa: E402
import leak_program  # noqa: E402

REAL = ["tiny-before", "tiny-after", "unreachable"]
REAL_V8 = ["node20-before", "node20-after", "chromium-detached", "chromium-alloc"]
TIMELINES = ["small", "killed", "hostile"]
HEAP_PROFILES = ["sessions-3000", "sessions-6000"]
RECORDINGS = ["growing", "server", "sampled", "lost-markers", "crashed", "idle", "few", "stripped", "hostile"]

ESCAPE = "\x1b]0;owned\x07\x1b[31mred"
HOSTILE_NAMES = [ESCAPE, "line\nfeed\ttab\\backslash", "-", "comma, \"quote\"", "caf\xe9 \x9b31m"]


def hostile_snapshot():
    """Every text of the format holds something that a terminal, a table or a parser must not take literally."""
    nodes = [
        encoder.node(i + 10, f"type {name}", 100 * (i + 1), class_name=name, coarse=1,
                     stack=encoder.frame(id=100 + i, source=f"http://{name}/", name=name))
        for i, name in enumerate(HOSTILE_NAMES)
    ]
    nodes.append(encoder.node(20, "script", 7, coarse=2, file=b"bad utf-8 \xff\x1b[2J"))
    nodes.append(encoder.node(21, "dom", 9, coarse=4, descriptive="rtl \u202e lone \ud83d wide \u65e5\u672c"))
    ids = [*range(10, 10 + len(HOSTILE_NAMES)), 20, 21]
    edges = [encoder.edge(i, name=ESCAPE) for i in ids]
    return encoder.snapshot(encoder.root(edges=edges), *nodes)


def big_ids_snapshot():
    """Ids that a double cannot hold do not get in; the largest that do must come out digit by digit."""
    return encoder.snapshot(encoder.root(2**53, 2**63), encoder.node(2**53), encoder.node(2**63, size=2**64 - 1))


def fill_with_leaks(folder):
    """leak-1 to leak-6: sessions pile up, workers come with two of five steps, a cache is full; other-1 is of another process."""
    program = leak_program.Program()
    program.add("sessions", "Session", 5)
    for step in range(6):
        if step:
            program.add("sessions", "Session", 20)
            program.add("workers", "Worker", 4 if step in (1, 4) else 0)
            program.add("pages", "Page", 30)
            program.drop("pages", max(0, len(program.held["pages"]) - 50))
        program.save(folder / f"leak-{step + 1}.heapsnapshot")
    other = leak_program.Program("server, started again")
    other.add("sessions", "Session", 5)
    other.save(folder / "other-1.heapsnapshot")


def make_files(folder):
    (folder / "hostile.fxsnapshot").write_bytes(hostile_snapshot())
    (folder / "big-ids.fxsnapshot").write_bytes(big_ids_snapshot())
    # a list of 5,000 nodes, each of which keeps the next
    (folder / "deep.fxsnapshot").write_bytes(encoder.snapshot(
        encoder.root(2), *[encoder.node(i, edges=[encoder.edge(i + 1)] if i < 5001 else []) for i in range(2, 5002)]))
    # a document and a node of it that the engine gave no name
    (folder / "nameless.fxsnapshot").write_bytes(encoder.snapshot(
        encoder.root(2, 3), encoder.node(2, "nsDocument", 40, coarse=4, descriptive="#document"),
        encoder.node(3, "nsTextNode", 20, coarse=4)))
    # 3 holds itself twice, and what holds it
    (folder / "circles.fxsnapshot").write_bytes(encoder.snapshot(
        encoder.root(edges=[encoder.edge(2, name="held")]), encoder.node(2, edges=[encoder.edge(3, name="child")]),
        encoder.node(3, edges=[encoder.edge(3, name="me"), encoder.edge(3, name="also me"), encoder.edge(2, name="parent")])))
    (folder / "two.fxsnapshot").write_bytes(encoder.snapshot(encoder.root(2), encoder.node(2)))
    fill_with_leaks(folder)
    (folder / "empty.fxsnapshot").write_bytes(b"")
    (folder / "text.txt").write_text("This is no snapshot.\n")


@functools.cache
def made_files():
    """{name: content}: making them takes longer than what most tests do with them."""
    with tempfile.TemporaryDirectory(prefix="ubiheap-cli-") as folder:
        make_files(pathlib.Path(folder))
        return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def fill(folder):
    for name in REAL:
        os.symlink(DATA / f"{name}.fxsnapshot", folder / f"{name}.fxsnapshot")
    for name in REAL_V8:
        os.symlink(DATA_V8 / f"{name}.heapsnapshot.gz", folder / f"{name}.heapsnapshot.gz")
    for name in RECORDINGS:
        os.symlink(DATA_UBIREC / f"{name}.ubirec", folder / f"{name}.ubirec")
    for name in HEAP_PROFILES:
        os.symlink(SOURCE_DIR / "tests" / "data" / "heapprofile" / f"{name}.heapprofile", folder / f"{name}.heapprofile")
    for name in TIMELINES:
        os.symlink(DATA_TIMELINE / f"{name}.timeline", folder / f"{name}.timeline")
    for name, content in made_files().items():
        (folder / name).write_bytes(content)
    (folder / "directory").mkdir()
    (folder / "bin").mkdir()
    os.symlink(UBIHEAP, folder / "bin" / "ubiheap")


class Workspace:
    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="ubiheap-cli-")
        self.folder = pathlib.Path(self.temporary.name)
        fill(self.folder)

    def environment(self, **changes):
        """Nothing of the caller's environment but where programs are and what sanitizers need."""
        kept = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "UBI_SOURCE_DIR")
        base = {name: os.environ[name] for name in kept if name in os.environ}
        base.update(PATH=f"{self.folder}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="80", TERM="xterm",
                    HOME=str(self.folder))
        base.update(changes)
        return {name: value for name, value in base.items() if value is not None}

    def run(self, *command, stdin=b"", env=None, **options):
        return subprocess.run([*map(str, command)], input=stdin, cwd=self.folder, env=self.environment(**(env or {})),
                              capture_output=True, **options)

    def ubiheap(self, *arguments, **options):
        return self.run("ubiheap", *arguments, **options)

    def commands_of_one_file(self):
        """Commands whose only operand is a FILE."""
        names = self.ubiheap("help", "--commands").stdout.decode().split()
        return [name for name in names
                if f"Usage: ubiheap {name} [OPTIONS] FILE\n" in self.ubiheap("help", name).stdout.decode()]
