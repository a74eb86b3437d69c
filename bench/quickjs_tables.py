# SPDX-License-Identifier: MIT
"""Tables of bench/quickjs.sh: walks of live QuickJS heaps, and what the tools cost a script."""
from tables import machine_words, milliseconds, paragraphs, ratio, table

HEAD = """\
Heaps of a live QuickJS. The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}, `{flags}`. `sh bench/quickjs.sh` repeats the measurement."""
WALKING = """\
A *bare walk* freezes the heap (nodes get numbers, references are counted, roots found), visits all edges of all nodes
without names, and lets the heap go. *Collection* is the engine's own, of cycles, on the same heap. *Saving* walks the heap
into a file with the default compression, which a second thread does; the output is discarded. *Census* is one by coarse
type. Medians of turns in one process, and the least of them; ratios are medians of the ratios of one turn. Bytes per node
are the most memory that the tools had besides the heap. The goals: a bare walk at most 75 ms on 600 thousand nodes and 1.4
million edges, at most 15 ms on 130 thousand nodes and 410 thousand edges; saving at most 2.5 times a bare walk, with at
most 24 bytes per node."""
INSTRUCTIONS = """\
What the tools cost a script, in instructions per unit of work, the unmodified engine with the same flags = 1. *Off*: the
hooks are compiled in without an observer. *p*: an observer tracks objects with that probability, and logs. *Objects*: the
memory profiler records objects with its default period of 65,536 bytes; *memory*: and all other memory of the engine's.
The goals, for programs that allocate: off at most 1.03, with probability 0.05 at most 1.10, objects profiled less than
1.02."""
TIMES = """\
The same in processor time, where the engine's own cache misses count: least of {turns} turns in which the programs
alternate. Where the compiler puts the code makes a difference of some hundredths either way. The goal: at most 1.35 when
every object is tracked and logged."""

MODES = {"off": "off", "0": "p = 0", "0.05": "p = 0.05", "1": "p = 1", "objects": "objects",
         "profiled": "memory"}


def names_with(results, row):
    """Heaps or workloads that have such a row, in the order of measuring."""
    return list(dict.fromkeys(r["file"] for r in results.runs if r["row"] == row))


def walk_table(results):
    rows = []
    for name in names_with(results, "walk"):
        of = {row: results.runs_of({"file": name}, row)
              for row in ("walk", "freeze", "engineCollection", "saveLive", "censusLive")}
        one = of["walk"][0]
        wall = {row: results.middle(runs, "wallNs") for row, runs in of.items()}
        rows.append([name, f"{one['nodes']:,}", f"{one['edges']:,}", milliseconds(wall["walk"]),
                     milliseconds(min(r["wallNs"] for r in of["walk"])), ratio(wall["walk"], one["nodes"]),
                     milliseconds(wall["freeze"]), milliseconds(wall["engineCollection"]),
                     milliseconds(wall["saveLive"]), results.middle(of["saveLive"], "timesWalk"),
                     milliseconds(wall["censusLive"]), results.middle(of["walk"], "bytesPerNode"),
                     results.middle(of["saveLive"], "bytesPerNode")])
    header = ["heap", "nodes", "edges", "bare walk, ms", "least, ms", "ns/node", "of it freezing, ms", "collection, ms",
              "saving, ms", "saving / walk", "census, ms", "walk: bytes per node", "saving: bytes per node"]
    return table(header, rows)


def cost_table(results, row, key, summary):
    """One row per workload: `key` in each mode, summed up over its runs, relative to the engine alone."""
    rows = []
    for name in names_with(results, row):
        runs = results.runs_of({"file": name}, row)
        modes = [mode for mode in MODES if any(r["mode"] == mode for r in runs)]
        of = {mode: summary(r[key] for r in runs if r["mode"] == mode) for mode in ("plain", *modes)}
        rows.append([name, runs[0]["what"], *(f"{of[mode] / of['plain']:.3f}" for mode in modes)])
    return table(["workload", "what it does", *(MODES[mode] for mode in modes)], rows, n_text=2)


def turn_count(results):
    first = names_with(results, "time")[0]
    return sum(r["mode"] == "plain" for r in results.runs_of({"file": first}, "time"))


def sections(results):
    """(title, text, table) each; the first text says what all of them are of."""
    head = paragraphs(HEAD.format(**machine_words(results.document)))
    counted, timed = names_with(results, "instructions"), names_with(results, "time")
    return [("QuickJS: walking a live heap", f"{head}\n\n{paragraphs(WALKING)}", walk_table(results))] \
        + ([("QuickJS: what the tools cost, in instructions", paragraphs(INSTRUCTIONS),
             cost_table(results, "instructions", "instructions", max))] if counted else []) \
        + ([("QuickJS: what the tools cost, in time", paragraphs(TIMES.format(turns=turn_count(results))),
             cost_table(results, "time", "cpuNs", min))] if timed else [])


def command_list(results):
    lines = ["build/release/bench/quickjs_walk_bench"]
    if names_with(results, "instructions") or names_with(results, "time"):
        lines.append("python3 bench/quickjs_tracking.py build/release")
    return "\n".join(lines)
