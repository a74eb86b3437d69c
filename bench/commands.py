#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each command of the tool costs on V8 heap snapshots, as whole processes.

    commands.py --ubiheap PROGRAM --repeats N [--threads N,N] [--only COMMAND] FILE [OLD [NEWER]]

writes one JSON object per run to standard output, for bench/report.py. FILE is what most commands read; with OLD,
`diff` reads both, and with NEWER `leaks` reads all three. The commands take turns; the first turn is a warm-up.
"""
import argparse
import json
import os
import subprocess
import sys

import processes

# A text that made-up files and those of bench/rivals/make-big.sh have.
PATTERN = "/^user 1[0-9]*/"


def ask(args, *command):
    done = subprocess.run([args.ubiheap, *command], capture_output=True, check=True)
    return json.loads(done.stdout)


def commands(args):
    """(name, its arguments, the files it reads) each. Output is thrown away; what is converted goes there, too."""
    file = args.files[0]
    yield "info", ["info", file], [file]
    yield "summary", ["summary", file], [file]
    yield "statistics", ["statistics", file], [file]
    yield "report", ["report", file], [file]
    yield "strings --duplicates", ["strings", "--duplicates", file], [file]
    yield "search /PATTERN/", ["search", file, PATTERN], [file]
    found = ask(args, "search", "--json", "--limit", "1", file, PATTERN)["nodes"]
    if found:
        yield "retainers ID", ["retainers", file, str(found[0]["nodeId"])], [file]
    yield "convert, to fxsnapshot", ["convert", "--format", "fxsnapshot", file, "-"], [file]
    yield "convert, to heapsnapshot", ["convert", "--format", "heapsnapshot", file, "-"], [file]
    yield "convert --anonymize", ["convert", "--anonymize", "--format", "heapsnapshot", file, "-"], [file]
    if len(args.files) > 1:
        old = args.files[1]
        yield "diff --by class", ["diff", "--by", "class", old, file], [old, file]
    if len(args.files) > 2:
        yield "leaks", ["leaks", args.files[1], file, args.files[2]], [args.files[1], file, args.files[2]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ubiheap", required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--only")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    nodes = {path: ask(args, "info", "--json", path)["nodeCount"] for path in args.files}
    chosen = [command for command in commands(args) if args.only in (None, command[0])]
    most = 0
    for turn in range(args.repeats + 1):
        for name, arguments, files in chosen:
            for threads in map(int, args.threads.split(",")):
                processes.touch(most)
                _, needed = processes.run([args.ubiheap, *arguments, "--threads", str(threads)], with_output=False)
                most = max(most, needed["peakRssBytes"])
                if turn == 0:
                    continue
                print(json.dumps({
                    "file": os.path.basename(args.files[0]), "row": "command", "command": name, "threads": threads,
                    "wallNs": needed["wallNs"], "cpuNs": needed["userNs"] + needed["systemNs"],
                    "peakRssBytes": needed["peakRssBytes"], "nodes": sum(nodes[path] for path in files),
                    "files": len(files)}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
