# SPDX-License-Identifier: MIT
"""Tables of bench/v8.sh: reading, looking at and using heap snapshots of V8."""
from tables import NODES_WORTH_A_RATIO, machine_words, milliseconds, paragraphs, ratio, size, table

HEAD = """\
Heap snapshots of V8. The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}. `sh bench/v8.sh` repeats the measurement."""
READING = """\
Reading alone, until the graph can be used, beside the plainest pass over the same bytes: one that makes a number of each
run of digits, and knows and keeps nothing else (bench/digit_pass.h). Both read the file in pieces, inflate it where it is
compressed, and take turns in one process. The goals: at most the digit pass, aim at half of it. Bytes per node and edge are
those that stay; the peak is that of resident memory, above what was in use before."""
STEPS = """\
What comes behind reading, step by step, and all of it. *Lens* is opening the look of Chrome's DevTools: detachedness,
own sizes, classes, edges that count, and distances with them; *summary* is the dominator tree, retained sizes and classes
with what they retain. The goals for everything, reading included: 1.4 s of CPU and 1.0 s of wall time with 2 threads for
6.46 million nodes, which is 217 and 155 ns per node; 2 threads at most 0.7 of the wall time of 1; per node within a
factor of 2 from 1 to 50 million nodes. Wall time, unless it says CPU; medians of whole turns, each with a file read
again. *Bytes per node* are those that stay of a lens."""
ALONE = """\
The parts of a summary by themselves, one thread: the dominator tree with retained sizes and dominated sets, classes of
given distances and dominators; and distances of an open lens, which it has counted already."""
PROCESSES = """\
Whole commands, from the start of the process to its end; the output is thrown away, also what
`convert` writes. `diff` and `leaks` read two and three heaps of the same size; *per node* is of all nodes that were
read."""


def kept(runs, key):
    return next((r[key] for r in runs if key in r), None)


def reading_table(results):
    rows = []
    for f, one in results.measured():
        nodes = one["nodes"]
        wall, cpu = ([results.median(f, "load", key, threads) for threads in (1, 2)] for key in ("wallNs", "cpuNs"))
        digits = results.median(f, "digits", "wallNs")
        graph = sum(one[key] for key in ("nodesBytes", "edgesBytes", "indexBytes", "stringsBytes", "stacksBytes"))
        peak = results.median(f, "load", "peakRssBytes", 2)
        big = nodes >= NODES_WORTH_A_RATIO
        rows.append([f["file"], f"{nodes:,}", f"{one['edges']:,}", size(one["inflatedBytes"]), milliseconds(digits),
                     milliseconds(wall[0]), milliseconds(wall[1]), ratio(wall[0], digits), ratio(wall[1], digits),
                     ratio(wall[1], wall[0]) if big else None, ratio(cpu[0], nodes), ratio(cpu[1], nodes),
                     ratio(one["nodesBytes"] + one["indexBytes"], nodes), ratio(one["edgesBytes"], one["edges"]),
                     ratio(peak, graph) if big else None])
    return table(["file", "nodes", "edges", "bytes", "digit pass, ms", "reading, 1 thread, ms", "2 threads, ms",
                  "1 thread / digit pass", "2 threads / digit pass", "2 threads / 1", "1 thread: CPU ns/node",
                  "2 threads: CPU ns/node", "bytes per node", "bytes per edge", "peak / graph"], rows)


def step_cells(results, file, row, nodes):
    """Wall time per node with 1 and 2 threads, and the ratio."""
    walls = [results.median(file, row, "wallNs", threads) for threads in (1, 2)]
    return [ratio(wall, nodes) for wall in walls] + [ratio(walls[1], walls[0]) if nodes >= NODES_WORTH_A_RATIO else None]


def steps_table(results):
    rows = []
    for f, one in results.measured():
        if not results.runs_of(f, "everything"):
            continue
        nodes = one["nodes"]
        cpu = [ratio(results.median(f, "everything", "cpuNs", threads), nodes) for threads in (1, 2)]
        walls = [milliseconds(results.median(f, "everything", "wallNs", threads)) for threads in (1, 2)]
        rows.append([f["file"], f"{nodes:,}", *step_cells(results, f, "lens", nodes),
                     *step_cells(results, f, "summary", nodes), *walls, *step_cells(results, f, "everything", nodes), *cpu,
                     ratio(kept(results.runs_of(f, "lens"), "resultBytes"), nodes)])
    return table(["file", "nodes", "lens, 1 thread: ns/node", "2 threads", "2 / 1", "summary, 1 thread: ns/node",
                  "2 threads", "2 / 1", "everything, 1 thread: ms", "2 threads: ms", "1 thread: ns/node",
                  "2 threads: ns/node", "2 / 1", "1 thread: CPU ns/node", "2 threads: CPU ns/node",
                  "lens: bytes per node"], rows)


def alone_table(results):
    rows = []
    for f, one in results.measured():
        walls = [results.median(f, row, "wallNs") for row in ("dominators", "classes", "distances")]
        if None not in walls:
            rows.append([f["file"], f"{one['nodes']:,}", *map(milliseconds, walls),
                         *(ratio(wall, one["nodes"]) for wall in walls)])
    return table(["file", "nodes", "dominators, ms", "classes, ms", "distances, ms", "dominators: ns/node",
                  "classes: ns/node", "distances: ns/node"], rows)


def commands_table(results):
    """One row per command and file, in the order of measuring."""
    rows = []
    keys = dict.fromkeys((r["file"], r["command"]) for r in results.runs if r["row"] == "command")
    for file, command in keys:
        of = [[r for r in results.runs if (r["file"], r.get("command"), r["threads"]) == (file, command, threads)]
              for threads in (1, 2)]
        if not all(of):
            continue
        wall, cpu, peak = ([results.middle(runs, key) for runs in of] for key in ("wallNs", "cpuNs", "peakRssBytes"))
        nodes, n_files = of[0][0]["nodes"], of[0][0]["files"]
        rows.append([command, file if n_files == 1 else f"{file} and {n_files - 1} more", f"{nodes:,}", wall[0] / 1e9,
                     wall[1] / 1e9, ratio(wall[1], wall[0]), cpu[1] / 1e9, ratio(cpu[1], nodes), size(peak[0]),
                     size(peak[1]), ratio(peak[1], nodes)])
    return table(["command", "file", "nodes", "1 thread: wall, s", "2 threads: wall, s", "2 threads / 1",
                  "2 threads: CPU, s", "CPU ns/node", "1 thread: peak memory", "2 threads: peak memory",
                  "peak bytes/node"], rows, n_text=2)


def sections(results):
    """(title, text, table) each; the first text says what all of them are of."""
    head = paragraphs(HEAD.format(**machine_words(results.document)))
    return [
        ("V8: reading", f"{head}\n\n{READING}", reading_table(results)),
        ("V8: from the graph to the summary", STEPS, steps_table(results)),
        ("V8: parts of a summary", ALONE, alone_table(results)),
        ("V8: whole commands", PROCESSES, commands_table(results)),
    ]


def command_list(results):
    lines = []
    for f, _ in results.measured():
        lines += [f["madeBy"]] if f["madeBy"] else []
        lines += [f"build/release/bench/{program} {f['file']}" for program in ("load_bench", "lens_bench")]
    lines.append("python3 bench/commands.py --ubiheap build/release/bin/ubiheap FILE OLD NEWER")
    return "\n".join(lines)
