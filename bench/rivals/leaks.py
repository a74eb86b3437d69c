#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks for leaks with memlab and with ubiheap, in three snapshots of each program of examples/leaks.

    leaks.py --ubiheap PROGRAM --build DIR --rivals DIR --snapshots DIR --repeats N --name NAME

writes the result document to standard output; bench/report.py makes a table of it. DIR/PROGRAM/ has the snapshots. memlab runs
as it is, which looks for what leaks in web pages, and with --trace-all-objects, which takes all new objects; where there are many
paths it clusters a random sample of them, so that two runs differ. Each run is a whole process.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import measure  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402

# What leaks, by the name that its class or function has in both tools' output.
PLANTED = {"chat-server": "onMessage", "thumbnails": "Timeout", "outline": "OutlineNode"}
FOUND = re.compile(rb"MemLab found (\d+) leak\(s\)")
SNAPSHOTS = ("1-before", "2-after", "3-later")


def memlab(args, files, *options):
    """The program is started by node itself: its first line does not work where env takes one argument."""
    with tempfile.TemporaryDirectory() as folder:
        named = [word for pair in zip(("--baseline", "--target", "--final"), files) for word in pair]
        return processes.run(["node", "--expose-gc", "--max-old-space-size=4096",
                              f"{args.rivals}/node_modules/@memlab/cli/bin/memlab.js", "find-leaks", *named,
                              "--work-dir", folder, *options], with_errors=True)


def ask_memlab(args, word, files, *options):
    """How many clusters it reports, and whether a path of one has the word."""
    said, needed = memlab(args, files, *options)
    found = FOUND.search(said)
    if not found:
        sys.exit("leaks: memlab does not say what it found")
    return {"found": int(found.group(1)), "names": f"[{word}] (".encode() in said, **needed}


def ask_ubiheap(args, word, files):
    """How many clusters are leaks, and whether the first is what was planted."""
    said, needed = processes.run([args.ubiheap, "leaks", "--json", "--limit", "0", *files])
    clusters = json.loads(said)["clusters"]
    return {"found": sum(cluster["isLeak"] for cluster in clusters),
            "names": word in (clusters[0].get("name"), clusters[0]["className"]), **needed}


TOOLS = {
    "memlab": ask_memlab,
    "memlab --trace-all-objects": lambda *args: ask_memlab(*args, "--trace-all-objects"),
    "ubiheap": ask_ubiheap,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--ubiheap", "--build", "--rivals", "--snapshots", "--name"):
        parser.add_argument(option, required=True)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    programs, runs = [], []
    for program, word in PLANTED.items():
        files = [os.path.join(args.snapshots, program, f"{name}.heapsnapshot") for name in SNAPSHOTS]
        programs.append({"program": program, "leaks": word, "bytes": [os.path.getsize(file) for file in files]})
        for repeat in range(args.repeats):
            for tool, ask in TOOLS.items():
                run = {"program": program, "tool": tool, **ask(args, word, files)}
                runs.append(run)
                print(f"leaks: {program}: {repeat + 1}/{args.repeats} {tool}: {run['found']} found, "
                      f"{run['wallNs'] / 1e9:.2f} s", file=sys.stderr)
    versions = measure.versions(args)
    del versions["devtools"]
    print(report.with_one_run_per_line({
        "schema": "ubiheap.rivals-leaks/1",
        "name": args.name,
        "date": report.today(),
        "machine": report.machine(args.build),
        "versions": versions,
        "programs": programs,
        "runs": runs,
    }))


if __name__ == "__main__":
    main()
