# SPDX-License-Identifier: MIT
"""Tables of bench/quickjs.sh: walks of live QuickJS heaps, and what the tools cost a script."""
from tables import machine_words, milliseconds, paragraphs, ratio, table

HEAD = """\
Heaps of a live QuickJS {engine}. The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}, `{flags}`. {load} `sh bench/quickjs.sh` repeats the measurement."""
QUIET = "The machine did little else."
BUSY = """\
The machine was busy: {load:.0f} tasks ran or waited for its processors. Of times, which then hold much of what caches lost to
others, the ratios within one row say more than the milliseconds."""
WALKING = """\
A *bare walk* freezes the heap (nodes get numbers, references are counted, roots found), visits all edges of all nodes
without names, and lets the heap go. *Collection* is the engine's own, of cycles, on the same heap. *Saving* walks the heap
into a file with the default compression, which a second thread does; the output is discarded. *Census* is one by coarse
type. Milliseconds are processor time of the thread that walks, the least of {turns} turns in one process; ratios are of
these. Bytes per node are the most memory that the tools had besides the heap. The goals: a bare walk at most 1.9 times a
collection on 600 thousand nodes and 1.4 million edges, at most 15 ms on 130 thousand nodes and 410 thousand edges; saving
at most 2.5 times a bare walk, with at most 24 bytes per node."""
INSTRUCTIONS = """\
What the tools cost a script, in instructions per unit of work, the unmodified engine with the same flags = 1: a count that is
the same on a busy machine. *Off*: the hooks are compiled in without an observer. *p*: an observer tracks objects with that
probability, and logs. *Objects*: the memory profiler records objects with its default period of 65,536 bytes; *memory*: and all
other memory of the engine's. The goals: off at most 1.03, with probability 0.05 at most 1.10, with 1 at most 1.35, objects
profiled at most 1.05. `tests/bench/quickjs_tracking_overhead_test.py` holds them."""
TIMES = """\
The same in processor time, where the engine's own cache misses count: least of {turns} turns in which the programs
alternate. Where the compiler puts the code makes a difference of some hundredths either way."""

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
        least = {row: min(r["ownCpuNs"] for r in runs) for row, runs in of.items()}
        rows.append([name, f"{one['nodes']:,}", f"{one['edges']:,}", milliseconds(least["walk"]),
                     ratio(least["walk"], one["nodes"]), milliseconds(least["freeze"]),
                     milliseconds(least["engineCollection"]), ratio(least["walk"], least["engineCollection"]),
                     milliseconds(least["saveLive"]), ratio(least["saveLive"], least["walk"]),
                     milliseconds(least["censusLive"]), results.middle(of["walk"], "bytesPerNode"),
                     results.middle(of["saveLive"], "bytesPerNode")])
    header = ["heap", "nodes", "edges", "bare walk, ms", "ns/node", "of it freezing, ms", "collection, ms",
              "walk / collection", "saving, ms", "saving / walk", "census, ms", "walk: bytes per node",
              "saving: bytes per node"]
    return table(header, rows)


def engines_of(results, row):
    """In the order of measuring: the default engine is the first."""
    return list(dict.fromkeys(r["engine"] for r in results.runs if r["row"] == row))


def cost_table(results, row, key, summary):
    """One row per engine and workload: `key` in each mode, summed up over its runs, relative to the engine alone."""
    rows = []
    for engine in engines_of(results, row):
        for name in names_with(results, row):
            runs = [r for r in results.runs_of({"file": name}, row) if r["engine"] == engine]
            if not runs:
                continue
            modes = [mode for mode in MODES if any(r["mode"] == mode for r in runs)]
            of = {mode: summary(r[key] for r in runs if r["mode"] == mode) for mode in ("plain", *modes)}
            rows.append([engine, name, runs[0]["what"], *(f"{of[mode] / of['plain']:.3f}" for mode in modes)])
    return table(["QuickJS", "workload", "what it does", *(MODES[mode] for mode in modes)], rows, n_text=3)


def turn_count(results, row, **of):
    first = names_with(results, row)[0]
    return sum(r.items() >= of.items() for r in results.runs_of({"file": first}, row))


def sections(results):
    """(title, text, table) each; the first text says what all of them are of."""
    load = results.document["load"]
    words = dict(machine_words(results.document), load=QUIET if load <= 1.5 else BUSY.format(load=load),
                 engine=next(r["engine"] for r in results.runs if "engine" in r))
    walking = WALKING.format(turns=turn_count(results, "walk"))
    parts = [("QuickJS: walking a live heap", f"{paragraphs(HEAD.format(**words))}\n\n{paragraphs(walking)}",
              walk_table(results))]
    if names_with(results, "instructions"):
        parts.append(("QuickJS: what the tools cost, in instructions", paragraphs(INSTRUCTIONS),
                      cost_table(results, "instructions", "instructions", max)))
    if names_with(results, "time"):
        parts.append(("QuickJS: what the tools cost, in time",
                      paragraphs(TIMES.format(turns=turn_count(results, "time", mode="plain"))),
                      cost_table(results, "time", "cpuNs", min)))
    return parts


def command_list(results):
    lines = ["build/release/bench/quickjs_walk_bench"]
    if names_with(results, "instructions") or names_with(results, "time"):
        lines.append("python3 bench/quickjs_tracking.py build/release")
    return "\n".join(lines)
