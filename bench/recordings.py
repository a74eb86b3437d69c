#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What questions about a large recording take: whole processes, for bench/recordings.sh.

    recordings.py --ubiheap PROGRAM --repeats N [--first-alone] FILE

First the report on a file that was never seen. Then one with --cache, in a cache folder of its own, and what else is asked after it: rows
"again:QUESTION"; not with --first-alone. Each row has how many events the file has, and how busy the machine is: tasks that run or wait.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

import processes

QUESTIONS = ("report --by peak", "allocations", "allocations --group kind", "allocations --group size", "allocations --group lifetime",
             "flamegraph --output /dev/null", "export --format pprof --output /dev/null", "allocations --group thread",
             "allocations --timeline", "report --at {half}ms", "report --from {quarter}ms --to {half}ms")


def facts_of(program, file):
    """(events, milliseconds that it ran) of a recording."""
    said, _ = processes.run([program, "info", "--json", "--no-cache", file])
    about = json.loads(said)
    return about["allocationCount"] + about["freeCount"], int(about["durationMs"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ubiheap", required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--first-alone", action="store_true")
    parser.add_argument("file")
    args = parser.parse_args()
    n_events, ran_ms = facts_of(args.ubiheap, args.file)

    def row(name, needed):
        print(json.dumps({"file": os.path.basename(args.file), "row": name, "threads": 0, "wallNs": needed["wallNs"],
                          "cpuNs": needed["userNs"] + needed["systemNs"], "peakRssBytes": needed["peakRssBytes"],
                          "events": n_events, "bytes": os.path.getsize(args.file), "load": round(os.getloadavg()[0], 1)}),
              flush=True)

    for _ in range(args.repeats):
        row("first:report", processes.run([args.ubiheap, "report", "--no-cache", args.file], with_output=False)[1])
    if args.first_alone:
        return
    with tempfile.TemporaryDirectory(prefix="ubiheap-bench-") as kept:
        environment = {**os.environ, "XDG_CACHE_HOME": kept}
        processes.run([args.ubiheap, "report", "--cache", args.file], environment, with_output=False)
        index_bytes = sum(path.stat().st_size for path in pathlib.Path(kept).rglob("*") if path.is_file())
        print(f"bench: its index has {index_bytes:,} bytes", file=sys.stderr)
        for question in QUESTIONS:
            words = question.format(half=ran_ms // 2, quarter=ran_ms // 4).split()
            for _ in range(args.repeats):
                row("again:" + " ".join(words).split(" --output")[0],
                    processes.run([args.ubiheap, *words, args.file], environment, with_output=False)[1])


if __name__ == "__main__":
    sys.exit(main())
