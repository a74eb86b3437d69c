#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs ubiheap and its rivals on V8 heap snapshots, side by side, and checks that they say the same.

    measure.py --ubiheap PROGRAM --build DIR --rivals DIR --repeats N --name NAME [--alone FILE]... FILE...

writes the result document to standard output; bench/report.py makes tables of it. Each run is one process from start to
end, as a user starts it: what it needs of wall time, processor time and memory is what the kernel says of it. The tools
take turns. Before each run another process touches as much memory as the hungriest tool needs, because memory that a
virtual machine must first get from its host is slow. Files given with --alone are opened by ubiheap only: they tell how its
time grows.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import processes  # noqa: E402
import report  # noqa: E402

CLASSES_COMPARED = 10


def tools(args):
    """(tool, threads or None, command without the file, environment) each."""
    modules = {**os.environ, "NODE_PATH": f"{args.rivals}/node_modules"}
    yield "devtools", None, ["node", f"{HERE}/devtools.mjs", f"{args.rivals}/devtools"], modules
    yield "memlab", None, ["node", f"{HERE}/memlab.cjs"], modules
    for threads in (1, 2):
        yield "ubiheap", threads, [args.ubiheap, "summary", "--json", "--limit", str(CLASSES_COMPARED),
                                    "--threads", str(threads)], dict(os.environ)


def versions(args):
    packages = json.loads(pathlib.Path(args.rivals, "package-lock.json").read_text())["packages"]
    return {
        "devtools": "chrome-devtools-frontend " + packages["node_modules/chrome-devtools-frontend"]["version"],
        "memlab": "memlab " + packages["node_modules/memlab"]["version"],
        "ubiheap": report.first_line(args.ubiheap, "--version"),
        "node": "Node.js " + report.first_line("node", "--version").lstrip("v"),
    }


def run(command, environment, file):
    """(the JSON that the process prints, what it needed)"""
    said, needed = processes.run([*command, file], environment)
    return json.loads(said), needed


def answer(args, tool, said, path):
    """What all of them say, by the same names. What a summary has no place for is asked apart, and not measured."""
    if tool != "ubiheap":
        return said
    info = json.loads(subprocess.run([args.ubiheap, "info", "--json", path], capture_output=True, check=True).stdout)
    keys = ("name", "count", "selfSize", "retainedSize")
    return {"nodes": info["nodeCount"], "edges": info["edgeCount"], "totalSize": said["totalSize"],
            "classes": [{key: row[key] for key in keys} for row in said["classes"]]}


def check(file, answers):
    """Two tools that say different things are not doing the same work. memlab has no classes, and no native bytes."""
    for tool, said in answers.items():
        keys = ["nodes", "edges"] + (["totalSize", "classes"] if tool != "memlab" else [])
        for key in keys:
            if said[key] != answers["devtools"][key]:
                sys.exit(f"rivals: {file}: {key}: devtools says {answers['devtools'][key]}, {tool} {said[key]}")


def measure(args, path):
    answers, runs, most = {}, [], processes.FIRST_TOUCH_BYTES
    file = os.path.basename(path)
    for repeat in range(args.repeats):
        for tool, threads, command, environment in tools(args):
            processes.touch(most)
            said, needed = run(command, environment, path)
            most = max(most, needed["peakRssBytes"])
            if repeat == 0:
                answers[tool] = answer(args, tool, said, path)
            runs.append({"file": file, "tool": tool, "threads": threads, **needed})
            print(f"rivals: {file}: {repeat + 1}/{args.repeats} {tool}{f', threads: {threads}' if threads else ''}: "
                  f"{needed['wallNs'] / 1e9:.2f} s", file=sys.stderr)
    check(file, answers)
    said = answers["devtools"]
    return {"file": file, "bytes": os.path.getsize(path), "nodes": said["nodes"], "edges": said["edges"],
            "totalSize": said["totalSize"], "classes": said["classes"]}, runs


def measure_alone(args, path):
    runs, most = [], processes.FIRST_TOUCH_BYTES
    file = os.path.basename(path)
    ours = [tool for tool in tools(args) if tool[0] == "ubiheap"]
    for repeat in range(args.repeats):
        for tool, threads, command, environment in ours:
            processes.touch(most)
            _, needed = run(command, environment, path)
            most = max(most, needed["peakRssBytes"])
            runs.append({"file": file, "tool": tool, "threads": threads, **needed})
            print(f"rivals: {file}: {repeat + 1}/{args.repeats} threads: {threads}: {needed['wallNs'] / 1e9:.2f} s",
                  file=sys.stderr)
    info = json.loads(subprocess.run([args.ubiheap, "info", "--json", path], capture_output=True, check=True).stdout)
    return {"file": file, "bytes": os.path.getsize(path), "nodes": info["nodeCount"], "edges": info["edgeCount"]}, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--ubiheap", "--build", "--rivals", "--name"):
        parser.add_argument(option, required=True)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--alone", action="append", default=[])
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    files, alone, runs = [], [], []
    for path in args.files:
        one, its_runs = measure(args, path)
        files.append(one)
        runs += its_runs
    for path in args.alone:
        one, its_runs = measure_alone(args, path)
        alone.append(one)
        runs += its_runs
    print(report.with_one_run_per_line({
        "schema": "ubiheap.rivals/1",
        "name": args.name,
        "date": report.today(),
        "machine": report.machine(args.build),
        "versions": versions(args),
        "files": files,
        "alone": alone,
        "runs": runs,
    }))


if __name__ == "__main__":
    main()
