#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Node.js that runs, asked by `ubiheap report node:PID`, beside V8 that writes the same snapshot to a file, and tools that read it; for bench/cdp.sh.

    cdp.py --ubiheap PROGRAM --repeats N [--big MIB] [--memlab DIR] [--mcp DIR --chrome PROGRAM] MIB...

All are measured in turns, on one program, so that what else the machine does meets all. A line of JSON per turn and row: `v8`,
v8.writeHeapSnapshot by itself; `report`, from the start of the command to its end; `info`, which loads the graph and does nothing else, with
the graph's size; and of the rivals, which are given V8's file, how long they need for V8's file. `nodeCpuNs` is the
processor time of the program meanwhile, in all its threads, `cpuNs` that of the command. The heap of --big is measured once, and the rivals
on it alone.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import mcp
import processes

HERE = pathlib.Path(__file__).resolve().parent
TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
PROGRAM = """
const v8 = require('v8'), fs = require('fs'), [, , mib, place] = process.argv;
class Row { constructor(i) { this.id = i; this.name = 'row ' + i; this.tags = [i, { deep: i }]; } }
globalThis.rows = new Map();
for (let i = 0; i % 1000 || process.memoryUsage().heapUsed < mib * 2 ** 20; i++) rows.set(i, new Row(i));
process.on('SIGUSR2', () => {
    fs.rmSync(place, { force: true });
    const start = process.hrtime.bigint();
    v8.writeHeapSnapshot(place);
    console.log(Number(process.hrtime.bigint() - start));
});
setInterval(() => {}, 1000);
console.log('ready');
"""


def cpu_ns(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_NS


class Program:
    """A Node.js program with a heap of so many MiB; a context manager."""

    def __init__(self, mib, folder):
        self.file, self.saved = f"{mib} MiB", folder / "v8.heapsnapshot"
        path = folder / "program.js"
        path.write_text(PROGRAM)
        self.node = subprocess.Popen(["node", "--max-old-space-size=16384", "--inspect-port=0", path, str(mib), self.saved],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.node.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.node.kill()
        self.node.communicate()

    def put(self, row, **facts):
        print(json.dumps({"file": self.file, "row": row, "threads": 0, **facts}), flush=True)
        print(f"bench: {self.file}: {row}: {facts['wallNs'] / 1e9:.1f} s", file=sys.stderr)

    def save(self):
        """V8 by itself; its file stays."""
        cpu = cpu_ns(self.node.pid)
        self.node.send_signal(signal.SIGUSR2)
        wall_ns = int(self.node.stdout.readline())
        self.put("v8", wallNs=wall_ns, nodeCpuNs=cpu_ns(self.node.pid) - cpu)

    def ask(self, ubiheap, question):
        cpu = cpu_ns(self.node.pid)
        said, needed = processes.run([ubiheap, question, f"node:{self.node.pid}", "--json"])
        facts = {"wallNs": needed["wallNs"], "cpuNs": needed["userNs"] + needed["systemNs"], "peakRssBytes": needed["peakRssBytes"],
                 "nodeCpuNs": cpu_ns(self.node.pid) - cpu}
        if question == "info":
            info = json.loads(said)
            facts.update(graphBytes=info["memory"]["totalBytes"], nodes=info["nodeCount"], edges=info["edgeCount"], snapshotBytes=info["inputBytes"])
        self.put(question, **facts)


def memlab_open(program, folder):
    """(why not, or None; what it needed)"""
    started_ns = time.monotonic_ns()
    environment = {**os.environ, "NODE_PATH": str(folder / "node_modules"), "NODE_OPTIONS": "--max-old-space-size=12000"}
    with tempfile.TemporaryFile() as words:
        process, reading = processes.start(["node", HERE / "rivals/memlab.cjs", program.saved], stdout=subprocess.PIPE, stderr=words,
                                           env=environment)
        said = process.stdout.read()
        status, usage, _ = processes.needed(process, reading)
        words.seek(0)
        lines = [line.strip() for line in words.read().decode(errors="replace").splitlines() if "Error" in line]
    usage = {"wallNs": time.monotonic_ns() - started_ns, "cpuNs": usage["userNs"] + usage["systemNs"], "peakRssBytes": usage["peakRssBytes"]}
    is_answer = status == 0 and b'"nodes"' in said
    return None if is_answer else (lines[-1] if lines else f"it ends with status {status}")[:200], usage


def mcp_open(program, folder, chrome):
    """The same of chrome-devtools-mcp, which is asked for the details of V8's file: its first reply with classes."""
    callers = mcp.Callers(argparse.Namespace(rival=folder, chrome=chrome), program.saved.parent)
    server, why = callers.rival(), None
    try:
        if "className" not in server.call("get_heapsnapshot_details", {"filePath": str(program.saved)}):
            why = "a reply without classes"
    except (RuntimeError, TimeoutError, OSError) as error:
        why = str(error).strip().splitlines()[0][:200]
    usage = {"wallNs": server.wall_ns(), "cpuNs": 0, "peakRssBytes": 0}
    if server.process.poll() is None:
        usage.update(cpuNs=cpu_ns(server.process.pid), peakRssBytes=server.resident_bytes())
    server.close()
    return why, usage


def rivals_ask(program, args):
    for name, use in (("memlab", args.memlab and (lambda: memlab_open(program, args.memlab))),
                      ("chrome-devtools-mcp", args.mcp and (lambda: mcp_open(program, args.mcp, args.chrome)))):
        if use:
            why, usage = use()
            program.put(name, **usage, isAnswered=why is None, why=why)


def measure(mib, args, repeats, with_rivals):
    with tempfile.TemporaryDirectory(prefix="ubiheap-bench-", ignore_cleanup_errors=True) as folder:
        with Program(mib, pathlib.Path(folder)) as program:
            for _ in range(repeats):
                program.save()
                program.ask(args.ubiheap, "report")
                program.ask(args.ubiheap, "info")
        if with_rivals:  # they have the memory that the program had
            rivals_ask(program, args)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ubiheap", required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--big", type=int)
    parser.add_argument("--memlab", type=pathlib.Path)
    parser.add_argument("--mcp", type=pathlib.Path)
    parser.add_argument("--chrome", default=shutil.which("chromium"))
    parser.add_argument("mib", type=int, nargs="*")
    args = parser.parse_args()
    processes.launcher()
    for mib in args.mib:
        measure(mib, args, args.repeats, False)
    if args.big:
        measure(args.big, args, 1, True)


if __name__ == "__main__":
    main()
