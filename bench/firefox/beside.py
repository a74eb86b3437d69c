#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A real Firefox beside ubiheap: makes heap snapshots, and answers questions about any, with the time it needs.

    beside.py version                                          the version of Firefox; status 1 without one
    beside.py make COUNT OUT.fxsnapshot                        the heap of a browser, with COUNT objects of a program
    beside.py measure --build DIR [--seconds N] [--repeats N] FILE

`measure` prints one JSON object per run for bench/report.py, in rows firefoxRead, firefoxCensus, firefoxDominators and
firefoxPaths: wall time as a script in Firefox sees it, and the processor time of the thread that does the work. At most N
repeats (default 5), and no new one after N seconds (default 15). Each file gets a fresh Firefox. What it says must be what
ubiheap says of the file: count and bytes of all nodes, the retained size of the root, the number of paths to each target;
otherwise both do not do the same work, and this ends with status 1.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "oracle"))
import firefox  # noqa: E402

ASK = (HERE / "ask.js").read_text()
SETTLE_SECONDS = 8  # of a browser that has just started


def version():
    program = firefox.find_firefox()
    if not program:
        return None
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def make(count, out):
    with firefox.Firefox() as browser:
        time.sleep(SETTLE_SECONDS)
        made = browser.run((HERE / "make_heap.js").read_text(), count)
        shutil.move(made, out + ".part")
    os.replace(out + ".part", out)


class Questions:
    """Asks, and keeps what it took."""

    def __init__(self, browser, file):
        self.browser, self.file = browser, file

    def thread_cpu_ns(self):
        """Of Firefox's main thread, which runs all questions."""
        pid = self.browser.process.pid
        return int(pathlib.Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0])

    def ask(self, question, parameter=None, row=None):
        before = self.thread_cpu_ns()
        said = self.browser.run(ASK, question, parameter)
        cpu_ns = self.thread_cpu_ns() - before
        if row:
            print(json.dumps({"file": self.file, "row": row, "threads": 1, "wallNs": round(said["wallMs"] * 1e6),
                              "cpuNs": cpu_ns}, separators=(",", ":")), flush=True)
        return said["answer"]


def ours(build, path):
    """What ubiheap says: {count, bytes, start, targets, most, paths, retainedSize}."""
    said = subprocess.run([f"{build}/bench/paths_bench", "--answers", path], capture_output=True, check=True)
    return json.loads(said.stdout)


def same(file, what, theirs, our):
    if theirs != our:
        sys.exit(f"bench: {file}: {what}: Firefox says {theirs}, ubiheap {our}")


def measure(args):
    file = os.path.basename(args.file)
    want = ours(args.build, args.file)
    with firefox.Firefox() as browser:
        it = Questions(browser, file)
        began = time.monotonic()
        for repeat in range(args.repeats):
            it.ask("read", str(pathlib.Path(args.file).resolve()), "firefoxRead")
            it.ask("census", None, "firefoxCensus")
            tree = it.ask("dominators", None, "firefoxDominators")
            paths = it.ask("paths", {key: want[key] for key in ("start", "targets", "most")}, "firefoxPaths")
            if repeat == 0:
                count = it.ask("count")
                same(file, "nodes", count, {"count": want["count"], "bytes": want["bytes"]})
                same(file, "root and its retained size", tree, {"root": want["start"], "retainedSize": want["retainedSize"]})
                same(file, "paths", paths, want["paths"])
            it.ask("forget")
            if time.monotonic() - began > args.seconds:
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("version")
    maker = commands.add_parser("make")
    maker.add_argument("count", type=int)
    maker.add_argument("out")
    measurer = commands.add_parser("measure")
    measurer.add_argument("--build", default="build/release")
    measurer.add_argument("--seconds", type=float, default=15)
    measurer.add_argument("--repeats", type=int, default=5)
    measurer.add_argument("file")
    args = parser.parse_args()
    if args.command == "version":
        found = version()
        print(found or "there is no Firefox")
        return 0 if found else 1
    if args.command == "make":
        return make(args.count, args.out)
    return measure(args)


if __name__ == "__main__":
    sys.exit(main())
