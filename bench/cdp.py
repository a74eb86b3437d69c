#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Node.js that runs, asked by `ubiheap report node:PID`, beside V8 that writes the same snapshot to a file; for bench/cdp.sh.

    cdp.py --ubiheap PROGRAM --repeats N MIB...

Both are measured in turns, on one program, so that what else the machine does meets both. A row per size: medians of the wall time from the
start of the command to its end, the share of it that is the program's own pause, the most memory of the command while it loads (`info`),
and how often that is the graph, as `info` says.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time

PROGRAM = """
const v8 = require('v8'), fs = require('fs'), [, , mib, place] = process.argv;
class Row { constructor(i) { this.id = i; this.name = 'row ' + i; this.tags = [i, { deep: i }]; } }
globalThis.rows = new Map();
for (let i = 0; i % 1000 || process.memoryUsage().heapUsed < mib * 2 ** 20; i++) rows.set(i, new Row(i));
process.on('SIGUSR2', () => {
    const start = process.hrtime.bigint();
    v8.writeHeapSnapshot(place);
    console.log(Number(process.hrtime.bigint() - start) / 1e9);
    fs.unlinkSync(place);
});
setInterval(() => {}, 1000);
console.log('ready');
"""


def measured(command):
    """Wall seconds, most resident bytes, and what it printed."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out = process.stdout.read()
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"bench: {' '.join(command)}: {said}")
    return time.monotonic() - start, usage.ru_maxrss << 10, out


def turn(node, ubiheap):
    node.send_signal(signal.SIGUSR2)
    v8_s = float(node.stdout.readline())
    address = f"node:{node.pid}"
    report_s, _, _ = measured([ubiheap, "report", address])
    info_s, peak_bytes, out = measured([ubiheap, "info", address, "--json"])
    return v8_s, report_s, info_s, peak_bytes, json.loads(out)["memory"]["totalBytes"]


def size_measure(mib, ubiheap, repeats):
    with tempfile.TemporaryDirectory(prefix="ubiheap-bench-") as folder:
        path = pathlib.Path(folder, "program.js")
        path.write_text(PROGRAM)
        node = subprocess.Popen(["node", "--max-old-space-size=8192", "--inspect-port=0", str(path), str(mib), f"{folder}/v8.heapsnapshot"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            assert node.stdout.readline() == "ready\n"
            turns = [turn(node, ubiheap) for _ in range(repeats)]
        finally:
            node.kill()
            node.wait()
    v8_s, report_s, info_s, peak, graph = (statistics.median(column) for column in zip(*turns))
    ratios = sorted(report / v8 for v8, report, *_ in turns)
    print(f"| {mib} MiB | {v8_s:.2f} s | {info_s:.2f} s | {report_s:.2f} s | {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) "
          f"| {peak / 2**20:.0f} MiB | {graph / 2**20:.0f} MiB | {peak / graph:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ubiheap", required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("mib", type=int, nargs="+")
    options = parser.parse_args()
    print("| heap | V8 writes a file | loaded | report | report, times V8 | most memory of loading | graph | times |")
    print("|---|---|---|---|---|---|---|---|")
    for mib in options.mib:
        size_measure(mib, options.ubiheap, options.repeats)


if __name__ == "__main__":
    main()
