#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Results of the benches: from raw runs to a JSON document, and from that to tables.

    report.py collect --build DIR --name NAME [--files LIST] [--v8 | --session | --http | --rdp | --mcp | --cdp | --quickjs | --native |
                 --recordings | --web] RAW
                                        raw JSON lines -> result document, on standard output
    report.py tables RESULT             the tables, as Markdown, whatever kind of result it is
    report.py page RESULT [RESULT]...   docs/explanation/performance.md: of bench/run.py, v8.sh, session.sh, http.sh, rdp.sh, web.sh, mcp.sh, cdp.sh,
                                        quickjs.sh, native.sh, recordings.sh and bench/rivals
    report.py readme RESULT [RESULT]... README.md with the range of ratios to Firefox and DevTools in these results
    report.py compared LEAKS            docs/explanation/compared-with-other-tools.md with the table of that result
    report.py scenarios RESULT          docs/explanation/known-leaks.md, of bench/rivals/scenarios.sh
    report.py engines RESULT            docs/explanation/quickjs.md with the table of that result of `make check-engines`

A raw line is one run of one row: {"file", "row", "threads", "wallNs", "cpuNs", ...}. The document keeps every run; the
tables show medians. A ratio compares medians of runs that took turns in one process.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

import cdp_tables
import engines_tables
import http_tables
import mcp_tables
import native_tables
import quickjs_tables
import rdp_tables
import recordings_tables
import rivals_tables
import scenario_tables
import session_tables
import timeline_tables
import v8_tables
import web_tables
from tables import NODES_WORTH_A_RATIO, Results, machine_words, milliseconds, paragraphs, ratio, size, table


# ---- the result document --------------------------------------------------------------------------------------------

def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def cache_variables(build):
    path = pathlib.Path(build) / "CMakeCache.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return {line.split(":", 1)[0]: line.split("=", 1)[1] for line in lines if "=" in line and line[:1].isalpha()}


def machine(build):
    """What a reader must know to compare; nothing that names the machine."""
    cache = cache_variables(build)
    compiler = cache.get("CMAKE_C_COMPILER", "cc")
    return {
        "processor": processor(),
        "processors": os.cpu_count(),
        "memoryMiB": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "compiler": first_line(compiler, "--version"),
        "flags": cache.get("CMAKE_C_FLAGS_RELEASE", "unknown"),
    }


def with_one_run_per_line(document):
    """JSON in which a new result shows as few changed lines."""
    text = json.dumps(dict(document, runs="RUNS"), indent=1)
    lines = ",\n  ".join(json.dumps(run, separators=(",", ":")) for run in document["runs"])
    return text.replace('"RUNS"', f"[\n  {lines}\n ]")


def today():
    return datetime.date.today().isoformat()


def busy():
    """How busy the machine was lately: tasks that ran or waited, those of the bench itself among them."""
    return round(os.getloadavg()[2], 1)


def bytes_of(path, result):
    """Of a file, or of what it was when the earlier result of this name was measured, whose rows are used again."""
    if os.path.exists(path):
        return os.path.getsize(path)
    earlier = json.loads(pathlib.Path(f"bench/results/{result}.json").read_text())
    return next(file["bytes"] for file in earlier["files"] if file["file"] == os.path.basename(path))


def collect(args):
    files = []
    for line in pathlib.Path(args.files).read_text().splitlines() if args.files else []:
        path, command = line.split("\t")
        files.append({"file": os.path.basename(path), "bytes": bytes_of(path, args.name), "madeBy": command or None})
    runs = [json.loads(line) for line in pathlib.Path(args.raw).read_text().splitlines()]
    print(with_one_run_per_line({
        "schema": args.schema,
        "name": args.name,
        "date": today(),
        "madeBy": args.by,
        "firefox": args.firefox,
        "machine": machine(args.build),
        "load": busy(),
        "files": files,
        "runs": runs,
    }))


# ---- the tables -----------------------------------------------------------------------------------------------------

def load_table(results):
    rows = []
    for f, one in results.measured():
        nodes = one["nodes"]
        wall1 = results.median(f, "load", "wallNs", 1)
        wall2 = results.median(f, "load", "wallNs", 2)
        cpu1 = results.median(f, "load", "cpuNs", 1)
        cpu2 = results.median(f, "load", "cpuNs", 2)
        big = nodes >= NODES_WORTH_A_RATIO
        rows.append([f["file"], f"{nodes:,}", f"{one['edges']:,}", milliseconds(wall2), ratio(wall1, nodes),
                     ratio(cpu1, nodes), ratio(wall2, nodes), ratio(cpu2, nodes), ratio(wall2, one["edges"]),
                     ratio(wall2, wall1) if big else None])
    return table(["file", "nodes", "edges", "2 threads, ms", "1 thread: wall ns/node", "CPU ns/node",
                  "2 threads: wall ns/node", "CPU ns/node", "wall ns/edge", "wall, 2 threads / 1"], rows)


def inflate_table(results):
    rows = []
    for f, one in results.measured():
        fast = results.median(f, "inflate", "wallNs")
        zlib = results.median(f, "inflateZlib", "wallNs")
        wall2 = results.median(f, "load", "wallNs", 2)
        rows.append([f["file"], size(f["bytes"]), size(one["inflatedBytes"]), milliseconds(fast), milliseconds(zlib),
                     milliseconds(wall2), ratio(wall2, fast), ratio(wall2, zlib)])
    return table(["file", "size", "inflated", "inflate (ISA-L), ms", "inflate (zlib), ms", "load, 2 threads, ms",
                  "load / ISA-L", "load / zlib"], rows)


def memory_table(results):
    rows = []
    for f, one in results.measured():
        graph = sum(one[key] for key in ("nodesBytes", "edgesBytes", "indexBytes", "stringsBytes", "stacksBytes"))
        peak = results.median(f, "load", "peakRssBytes", 2)
        big = one["nodes"] >= NODES_WORTH_A_RATIO
        rows.append([f["file"], size(graph), ratio(one["nodesBytes"] + one["indexBytes"], one["nodes"]),
                     ratio(one["edgesBytes"], one["edges"]), size(one["stringsBytes"] + one["stacksBytes"]),
                     size(peak) if peak else "-", ratio(peak, graph) if big else None])
    return table(["file", "graph", "bytes per node", "bytes per edge", "strings and stacks", "peak while loading",
                  "peak / graph"], rows)


CENSUS_ROWS = {
    "census": "default",
    "censusCoarseType": "coarseType",
    "censusAllocationStack": "allocationStack",
    "censusBuckets": "buckets by class",
    "censusTreeInvertedAllocationStack": "inverted tree by stack",
}


def census_table(results):
    rows = []
    for f, one in results.measured():
        walls = [results.median(f, row, "wallNs") for row in CENSUS_ROWS]
        if walls[0] is not None:
            nodes = one["nodes"]
            rows.append([f["file"], f"{nodes:,}", milliseconds(walls[0]), *(ratio(wall, nodes) for wall in walls)])
    header = ["file", "nodes", "default, ms", *(f"{title}: ns/node" for title in CENSUS_ROWS.values())]
    return table(header, rows) if rows else None


def dominators_table(results):
    rows = []
    for f in [file for file, _ in results.measured()] + results.shapes():
        runs = results.runs_of(f, "dominators")
        if runs:
            one, wall = runs[0], results.median(f, "dominators", "wallNs")
            nodes = one["nodes"]
            rows.append([f["file"], f"{nodes:,}", f"{one['edges']:,}", milliseconds(wall), ratio(wall, nodes),
                         ratio(one["temporaryBytes"], nodes), ratio(one["resultBytes"], nodes)])
    header = ["file or shape", "nodes", "edges", "ms", "ns/node", "temporary bytes per node", "result bytes per node"]
    return table(header, rows) if rows else None


def paths_table(results):
    rows = []
    for f, one in results.measured():
        paths = results.median(f, "paths", "wallNs")
        if paths is not None:
            edges = one["edges"]
            retainers = [results.median(f, "retainers", "wallNs", threads) for threads in (1, 2)]
            rows.append([f["file"], f"{edges:,}", milliseconds(paths), ratio(paths, edges),
                         *(ratio(wall, edges) for wall in retainers)])
    header = ["file", "edges", "30 paths, ms", "ns/edge", "reverse edges, 1 thread: ns/edge",
              "2 threads: ns/edge"]
    return table(header, rows) if rows else None


def save_table(results):
    rows = []
    for f, one in results.measured():
        load = results.median(f, "loadBeforeSave", "cpuNs")
        if load is None:
            continue
        nodes, big = one["nodes"], one["nodes"] >= NODES_WORTH_A_RATIO
        cells = []
        for row in ("saveGraph", "saveWalk"):
            cpu = results.median(f, row, "cpuNs")
            memory = results.median(f, row, "temporaryBytes")
            cells += [ratio(cpu, nodes), ratio(results.median(f, row, "wallNs", 2), nodes), ratio(cpu, load),
                      ratio(memory, nodes) if big else None]
        rows.append([f["file"], f"{nodes:,}", size(f["bytes"]),
                     size(results.median(f, "saveGraph", "outputBytes")), *cells])
    header = ["file", "nodes", "size", "saved", "graph: CPU ns/node", "2 threads: wall ns/node", "save / load",
              "bytes per node", "walk: CPU ns/node", "2 threads: wall ns/node", "save / load", "bytes per node"]
    return table(header, rows) if rows else None


# What Firefox was asked, and the row of ours that answers the same: (title, its row, ours, threads of ours).
FIREFOX_ROWS = (("reading", "firefoxRead", "load", 2), ("census", "firefoxCensus", "census", 1),
                ("dominators", "firefoxDominators", "dominators", 1), ("30 paths", "firefoxPaths", "paths", 1))


def firefox_cells(results, f):
    """Milliseconds of both and how many times ours Firefox needs, for each question; and for reading that of processor time."""
    cells = []
    for _, theirs, ours, threads in FIREFOX_ROWS:
        wall, our_wall = results.median(f, theirs, "wallNs"), results.median(f, ours, "wallNs", threads)
        cells += [milliseconds(wall), milliseconds(our_wall), ratio(wall, our_wall)]
        if ours == "load":
            cells.append(ratio(results.median(f, theirs, "cpuNs"), results.median(f, ours, "cpuNs", threads)))
    return cells


def firefox_files(results):
    """Files that both were asked about in this run, and that are large enough to compare."""
    return [(f, one) for f, one in results.measured()
            if one["nodes"] >= NODES_WORTH_A_RATIO and all(results.runs_of(f, row) for _, row, _, _ in FIREFOX_ROWS)]


def firefox_table(results):
    header = ["file", "nodes", "edges"]
    for title, _, ours, _ in FIREFOX_ROWS:
        header += [f"{title}: Firefox, ms", "ours, ms", "times ours"] + (["CPU, times ours"] if ours == "load" else [])
    rows = [[f["file"], f"{one['nodes']:,}", f"{one['edges']:,}", *firefox_cells(results, f)]
            for f, one in firefox_files(results)]
    return table(header, rows) if rows else None


def ratios_to_firefox(results):
    at = [i for i, title in enumerate(["ms", "ms", "times", "times"] + ["ms", "ms", "times"] * 3) if title == "times"]
    return [firefox_cells(results, f)[i] for f, _ in firefox_files(results) for i in at]


def command_list(results):
    lines = []
    for f, _ in results.measured():
        if f["madeBy"]:
            lines.append(f["madeBy"])
        lines.append(f"build/release/bench/load_bench {f['file']}")
        if results.median(f, "census", "wallNs") is not None:
            lines.append(f"build/release/bench/census_bench {f['file']}")
        if results.median(f, "dominators", "wallNs") is not None:
            lines.append(f"build/release/bench/dominators_bench {f['file']}")
        if results.median(f, "paths", "wallNs") is not None:
            lines.append(f"build/release/bench/paths_bench {f['file']}")
        if results.median(f, "saveGraph", "wallNs") is not None:
            lines.append(f"build/release/bench/save_bench {f['file']}")
        if results.median(f, "firefoxRead", "wallNs") is not None:
            lines.append(f"python3 bench/firefox/beside.py measure {f['file']}")
    for f in results.shapes():
        nodes = results.runs_of(f, "dominators")[0]["nodes"]
        lines.append(f"build/release/bench/dominators_bench --nodes {nodes} {f['file']}")
    return "\n".join(lines)


LOADING = "Reading, inflating, decoding and checking, until the graph can be used."
INFLATING = "What no reader can go below: the same bytes through ISA-L and through zlib, discarded."
MEMORY = """\
Bytes per node: node columns and id index; per edge: edge columns. The peak is that of resident memory during a load
with 2 threads, above what was in use before; it includes about 1 MiB of buffers."""
DOMINATORS = """\
Immediate dominators, dominated sets and retained sizes of a loaded graph. One thread. Shapes are made in memory to hurt,
see bench/shapes.h. Temporary bytes are those allocated at most beside the result. The goals: real files at most 60 ns
per node where they are large, never above 100; list, star, grid and wide at most 60, the shuffled list 500, random
graphs 1,000; at most 60 temporary bytes per node."""
PATHS = """\
Up to 5 shortest paths to each of 30 nodes in one walk, with one thread; and the edges grouped by their targets. The
goals: 5 ns per edge for paths, 8 for reverse edges."""
FIREFOX = """\
The same files and the same questions, asked of a real Firefox ({firefox}) in the same run: reading a file; the default
census; the dominator tree with the retained size of the root; up to 5 shortest paths to each of the same 30 nodes. Firefox's
times are those that a script in it sees, of a browser that was started for this file and does nothing else; it works in one
thread. Ours read with 2 threads and answer with 1. *CPU* is the processor time of that thread of Firefox, against that of all of
ours. Both gave the same answers: number and bytes of all nodes, the retained size of the root, the number of paths to each node;
the run stops where they differ. Where Firefox was not asked, there is no row."""
SAVING = """\
A graph, and the same graph walked as if it were a live heap, both compressed, output discarded. CPU of one thread; wall
time with a second one that compresses. The ratio compares CPU with that of loading the file in the same process. Bytes
per node: the most memory that was allocated. The goals: at most 3 times the CPU of loading, at most 16 bytes per node
besides the different texts, which a walk must keep. Firefox's own files are about a fifth smaller."""
CENSUS = "One thread, of a loaded graph, by the default breakdown and by others."


def beside_firefox(results):
    """(text, table), or None where Firefox was not asked."""
    body = firefox_table(results)
    return body and (paragraphs(FIREFOX.format(firefox=results.document["firefox"])), body)


def sections(results):
    """(title, text, table) each."""
    census, dominators, paths = census_table(results), dominators_table(results), paths_table(results)
    save = save_table(results)
    return [
        ("Loading", LOADING, load_table(results)),
        ("Loading against inflating alone", INFLATING, inflate_table(results)),
        ("Memory", MEMORY, memory_table(results)),
    ] + ([("Census", CENSUS, census)] if census else []) \
      + ([("Dominators and retained sizes", DOMINATORS, dominators)] if dominators else []) \
      + ([("Shortest paths and reverse edges", PATHS, paths)] if paths else []) \
      + ([("Saving", SAVING, save)] if save else []) \
      + [("Beside Firefox", *(beside_firefox(results) or ("Firefox was not asked in this run.", "")))]


PAGE_HEAD = """\
<!-- Generated by `python3 bench/report.py page {files}`. Do not edit. -->
# Performance

Numbers of the run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json).
Machine: {processor}, {processors} processors, {memory} MiB of memory; {kernel}; {compiler}, `{flags}`.

{made_by}

The goals: loading at most 120 ns of CPU and 65 ns of wall time per node with 2 threads, never above 190 ns of CPU; 2
threads at most 0.8 of the wall time of 1; at most 44 bytes per node and 8 per edge; a peak of at most 1.3 times the
graph; the default census below 5 ns per node. They are meant for large real files.
"""

REPEATED = """\
`{made_by}` repeats the measurement, [bench/README.md](../../bench/README.md) says how to read it. Times are medians of
runs that took turns in one process, after a warm-up; memory was touched before each load. Ratios compare medians of
one process; those [to Firefox](#beside-firefox) of two, one after the other."""

COMMANDS = """\
## Commands

The command that makes a generated file, and the ones behind its rows (after `make all`). Files without the former are
real snapshots; measure your own the same way."""


COMPARED = pathlib.Path(__file__).resolve().parents[1] / "docs/explanation/compared-with-other-tools.md"
README = COMPARED.parents[2] / "README.md"
README_RANGE = re.compile(r"(?<=\[)[\d.,]+ to [\d,]+(?= times as\s+fast\]\(docs/explanation/performance\.md\))")
ENGINES = COMPARED.with_name("quickjs.md")
ENGINES_PART = re.compile(r"(?<=<!-- begin: made by bench/report.py engines -->\n).*(?=<!-- end -->)", re.DOTALL)
COMPARED_PART = re.compile(r"(?<=<!-- begin: made by bench/report.py compared -->\n).*(?=<!-- end -->)", re.DOTALL)


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def sections_of(document):
    """(title, text, table) each."""
    of = {"ubiheap.bench/1": lambda: sections(Results(document)),
          "ubiheap.bench-v8/1": lambda: v8_tables.sections(Results(document)),
          "ubiheap.bench-quickjs/1": lambda: quickjs_tables.sections(Results(document)),
          "ubiheap.bench-session/1": lambda: session_tables.sections(Results(document)),
          "ubiheap.bench-http/1": lambda: http_tables.sections(Results(document)),
          "ubiheap.bench-rdp/1": lambda: rdp_tables.sections(Results(document)),
          "ubiheap.bench-web/1": lambda: web_tables.sections(Results(document)),
          "ubiheap.bench-mcp/1": lambda: mcp_tables.sections(Results(document)),
          "ubiheap.bench-cdp/1": lambda: cdp_tables.sections(Results(document)),
          "ubiheap.bench-native/1": lambda: native_tables.sections(Results(document)),
          "ubiheap.bench-recordings/1": lambda: recordings_tables.sections(Results(document)),
          "ubiheap.bench-timeline/1": lambda: timeline_tables.sections(Results(document)),
          "ubiheap.engines/1": lambda: engines_tables.sections(document),
          "ubiheap.rivals/1": lambda: rivals_tables.sections(document),
          "ubiheap.rivals-leaks/1": lambda: rivals_tables.leaks_sections(document)}
    return of[document["schema"]]()


def tables(args):
    for title, text, body in sections_of(load(args.result)):
        print((f"\n## {title}" if title else "") + f"\n\n{text}\n\n{body}")


def page(args):
    documents = [load(path) for path in args.results]
    first = documents[0]
    files = " ".join(f"bench/results/{document['name']}.json" for document in documents)
    made_by = paragraphs(REPEATED.format(made_by=first.get("madeBy") or "make bench"))
    print(PAGE_HEAD.format(**machine_words(first), files=files, made_by=made_by))
    for document in documents:
        for title, text, body in sections_of(document):
            print(f"## {title}\n\n{text}\n\n{body}\n" if title else f"{text}\n\n{body}\n")
    of = {"ubiheap.bench/1": command_list, "ubiheap.bench-v8/1": v8_tables.command_list,
          "ubiheap.bench-quickjs/1": quickjs_tables.command_list, "ubiheap.bench-native/1": native_tables.command_list,
          "ubiheap.bench-recordings/1": recordings_tables.command_list,
          "ubiheap.bench-timeline/1": timeline_tables.command_list,
          "ubiheap.bench-session/1": session_tables.command_list, "ubiheap.bench-http/1": http_tables.command_list,
          "ubiheap.bench-rdp/1": rdp_tables.command_list, "ubiheap.bench-web/1": web_tables.command_list, "ubiheap.bench-mcp/1": mcp_tables.command_list,
          "ubiheap.bench-cdp/1": cdp_tables.command_list}
    lists = [of[document["schema"]](Results(document)) for document in documents if document["schema"] in of]
    print(f"{COMMANDS}\n\n```sh\n" + "\n".join(lists) + "\n```")


def at_most(value):
    """Words for a number, never more than it is: 4.7, 35, 1,370."""
    if value < 10:
        return f"{int(value * 10) / 10:g}"
    unit = 10 ** max(0, len(str(int(value))) - 3)
    return f"{int(value) // unit * unit:,}"


def ratio_range(documents):
    """The least and the greatest of all ratios to Firefox and DevTools on the page, as words of the README."""
    ratios = []
    for document in documents:
        if document["schema"] == "ubiheap.bench/1":
            ratios += ratios_to_firefox(Results(document))
        elif document["schema"] == "ubiheap.rivals/1":
            ratios += rivals_tables.ratios_to_devtools(document)
    return f"{at_most(min(ratios))} to {at_most(max(ratios))}" if ratios else None


def readme(args):
    words = ratio_range([load(path) for path in args.results])
    text = README.read_text()
    print(README_RANGE.sub(words, text) if words else text, end="")


def compared(args):
    text = rivals_tables.compared_part(load(args.result))
    print(COMPARED_PART.sub(lambda _: text, COMPARED.read_text()), end="")


def engines(args):
    text = engines_tables.explained_part(load(args.result))
    print(ENGINES_PART.sub(lambda _: text, ENGINES.read_text()), end="")


def scenarios(args):
    print(scenario_tables.page(load(args.result)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    c = commands.add_parser("collect")
    for option in ("--build", "--name"):
        c.add_argument(option, required=True)
    c.add_argument("--files")
    c.add_argument("--by", default="make bench", help="the command that repeats the run")
    c.add_argument("--firefox", help="its version")
    for kind in ("v8", "session", "http", "rdp", "mcp", "cdp", "quickjs", "native", "recordings", "timeline", "web"):
        c.add_argument(f"--{kind}", dest="schema", action="store_const", const=f"ubiheap.bench-{kind}/1")
    c.add_argument("raw")
    c.set_defaults(function=collect, schema="ubiheap.bench/1")
    for name, function in (("tables", tables), ("compared", compared), ("scenarios", scenarios), ("engines", engines)):
        c = commands.add_parser(name)
        c.add_argument("result")
        c.set_defaults(function=function)
    for name, function in (("page", page), ("readme", readme)):
        c = commands.add_parser(name)
        c.add_argument("results", nargs="+")
        c.set_defaults(function=function)
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    sys.exit(main())
