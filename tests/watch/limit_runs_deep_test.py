#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often a snapshot arrives when memory runs out: N runs at each limit, of each Node.js and of a script under ubiheap.

    UBIHEAP=build/release/bin/ubiheap python3 tests/watch/limit_runs_deep_test.py --runs 20 /path/to/node18 /path/to/node24

Without paths: WATCH_NODES, separated by colons, or the Node.js of PATH. A run is good when `info` reads the one snapshot that it left to its
end, or when it left none and said beforehand that there is no room. Prints a row per limit and program, and fails when a run was not
good. --log FILE keeps a line of JSON per run. Limits of a control group need root and a writable group of the memory controller."""
import argparse
import collections
import json
import re
import resource
import subprocess
import sys
import time

import watch_test

MIB = 1 << 20
LIMITS = ("heap", "group", "addresses")
ENGINE = "the engine of ubiheap run"


class Runs(watch_test.ControlGroup):
    """Only for what it starts programs with; its tests are run by their own file."""

    def runTest(self):
        pass

    def close(self):
        self.doCleanups()


def entering(runs, limit, node, run):
    """@return how a process comes under the limit, and the options that set it."""
    if limit == "heap":
        return None, ["--max-old-space-size=16"] if node else ["--heap-limit", f"{8 + run % 8}MiB"]
    if limit == "group":
        runs.limit.write_text(str((160 + 16 * (run % 3) if node else 96 + 16 * (run % 4)) * MIB))
        return runs.enter, []
    n_bytes = watch_test.address_limit(node) if node else (96 + 16 * (run % 4)) * MIB
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes)), []


def started(runs, limit, node, run):
    """@return the end of the program, and the name of what filled its memory."""
    enter, options = entering(runs, limit, node, run)
    if node:
        name = list(watch_test.FILLS)[run % len(watch_test.FILLS)]
        return runs.ran(node, watch_test.ALL + watch_test.FILLS[name], *options, enter=enter), name
    script = runs.place.folder / "s.js"
    script.write_text("const all = []; for (let i = 0; ; i++) all.push({ a: i, b: 'x' + i, c: [i] })")
    tool = ["ubiheap", "run", "--snapshot-on-oom", *options, str(script)]
    return subprocess.run(tool, cwd=runs.folder, capture_output=True, text=True, env=runs.place.environment(), preexec_fn=enter), "objects"


def judged(runs, done):
    """@return "complete", "no room" or what is wrong."""
    names = [name for name in runs.names() if "snapshot" in name]
    if not names and re.match(r"ubiheap: .*no room for a snapshot", done.stderr):
        return "no room"
    if len(names) != 1 or names[0].endswith(".part"):
        return f"{names}, exit {done.returncode}: {done.stderr[-600:]}"
    path = runs.folder / names[0]
    info = runs.place.ubiheap("info", "--json", str(path))
    return "complete" if info.returncode == 0 and json.loads(info.stdout)["nodeCount"] > 1000 else f"{names}: {info.stderr[-300:]}"


def one(limit, node, run):
    runs = Runs()
    runs.setUp()
    try:
        start = time.monotonic()
        done, fill = started(runs, limit, node, run)
        seconds, took = round(time.monotonic() - start, 1), re.search(r"it took ([\d.]+) s|nodes in a file of [^,]*, (\d+ ms)", done.stderr)
        return {"result": judged(runs, done), "fill": fill, "seconds": seconds, "snapshot": took and (took[1] or took[2]),
                "said": done.stderr[:300]}
    finally:
        runs.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nodes", nargs="*", help="Node.js binaries")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--limits", default=",".join(LIMITS), help="default: %(default)s")
    parser.add_argument("--no-engine", action="store_true", help="Node.js only")
    parser.add_argument("--log")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (resource.getrlimit(resource.RLIMIT_AS)[1],) * 2)
    nodes = [node for node in options.nodes or watch_test.NODES if node]
    programs = nodes + ([] if options.no_engine else [None])
    log = open(options.log, "a", encoding="utf-8") if options.log else None
    counts = collections.defaultdict(collections.Counter)
    for run in range(options.runs):
        for limit in options.limits.split(","):
            for node in programs:
                name = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip() if node else ENGINE
                row = {"limit": limit, "program": name, "run": run, **one(limit, node, run)}
                counts[limit, name][row["result"] if row["result"] in ("complete", "no room") else "lost"] += 1
                if row["result"] not in ("complete", "no room"):
                    print(row, file=sys.stderr)
                if log:
                    print(json.dumps(row), file=log, flush=True)
    print("| limit | program | runs | complete | said that there is no room | lost |\n|---|---|---:|---:|---:|---:|")
    for (limit, name), n in sorted(counts.items()):
        print(f"| {limit} | {name} | {n.total()} | {n['complete']} | {n['no room']} | {n['lost']} |")
    return 1 if any(n["lost"] for n in counts.values()) else 0


if __name__ == "__main__":
    group = watch_test.control_group.group_new()[0]
    if watch_test.SANITIZED or not group:
        print("skipped: needs an ordinary build, and the right to make a control group")
        sys.exit(77)
    group.rmdir()
    sys.exit(main())
