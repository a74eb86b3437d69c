# SPDX-License-Identifier: MIT
"""Tables of bench/cdp.sh: a Node.js that runs, and what its heap is asked."""
from mcp_tables import load_words
from tables import machine_words, paragraphs, ratio, size, table

HEAD = """\
The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}. `sh bench/cdp.sh` repeats the measurement. {load}"""
LIVE = """\
`ubiheap report node:PID`, from its start to its end, beside `v8.writeHeapSnapshot` in the same program, which writes the same snapshot to a
file: in turns, so that other work meets both. The heap is of small objects, which are the most work. Processor time is that of Node.js in all its threads, while it writes and while it is asked, and
ours beside it; in seconds. *Most memory* is that of `ubiheap info node:PID`, which loads the graph and no more. Medians; of *times V8*, in
brackets, the least and the greatest. A result may join runs of several sizes. The largest heap has one turn, of minutes: other work may meet one of its commands alone, so
compare processor time. The goals, at 1 GB: 1.15 times V8, and 1.3 times the graph."""
RIVALS = """\
The largest of these heaps, by what answers questions about it. memlab and chrome-devtools-mcp are given
the file that V8 wrote, and their time is with that of V8. memlab is `bench/rivals/memlab.cjs`: dominators and retained sizes;
chrome-devtools-mcp is asked for its first reply with classes, and what Chrome takes is not counted. Both may have 12 GB of heap. Once each."""
TOOLS = {"report": "ubiheap report node:PID", "memlab": "memlab, V8's file", "chrome-devtools-mcp": "chrome-devtools-mcp, V8's file"}


def heaps(results):
    """Names of heaps, in order, each with its runs by row."""
    found = {}
    for run in results.runs:
        found.setdefault(run["file"], {}).setdefault(run["row"], []).append(run)
    return found


def seconds(results, runs, key):
    middle = results.middle(runs, key)
    return None if middle is None else middle / 1e9


def times_words(v8, report):
    """In each turn: the median is that of the turns, and so are the ends."""
    ratios = sorted(one["wallNs"] / other["wallNs"] for one, other in zip(report, v8))
    middle = (ratios[(len(ratios) - 1) // 2] + ratios[len(ratios) // 2]) / 2
    return f"{middle:.2f}" + (f" ({ratios[0]:.2f} to {ratios[-1]:.2f})" if len(ratios) > 1 else "")


def live_table(results):
    rows = []
    for file, of in heaps(results).items():
        v8, report, info = of["v8"], of["report"], of["info"]
        peak, graph = (results.middle(info, key) for key in ("peakRssBytes", "graphBytes"))
        rows.append([file, f"{results.middle(info, 'nodes'):,.0f}", size(results.middle(info, "snapshotBytes")), seconds(results, v8, "wallNs"),
                     seconds(results, report, "wallNs"), times_words(v8, report), seconds(results, v8, "nodeCpuNs"),
                     seconds(results, report, "nodeCpuNs"), seconds(results, report, "cpuNs"), size(graph), size(peak), ratio(peak, graph)])
    return table(["heap", "nodes", "snapshot", "V8 writes a file, s", "report, s", "times V8", "processor: V8 writes", "Node.js, asked", "ubiheap",
                  "graph", "most memory", "times the graph"], rows)


def rivals_table(results):
    file, of = list(heaps(results).items())[-1]
    rows = []
    for name, title in TOOLS.items():
        for run in of.get(name, [])[:1]:
            written_ns = 0 if name == "report" else of["v8"][-1]["wallNs"]
            rows.append([file, title, "yes" if run.get("isAnswered", True) else f"no: {run['why']}", (run["wallNs"] + written_ns) / 1e9,
                         run["cpuNs"] / 1e9, size(run["peakRssBytes"]) if run["peakRssBytes"] else "-"])
    return table(["heap", "tool", "answers", "wall, s", "CPU, s", "peak memory"], rows, n_text=3) if len(rows) > 1 else None


def command_list(_results):
    return "sh bench/cdp.sh"


def sections(results):
    """(title, text, table) each; one without a title belongs to the one before."""
    head = paragraphs(HEAD.format(**machine_words(results.document), load=load_words(results)).strip())
    rivals = rivals_table(results)
    return [("A Node.js that runs", head + "\n\n" + paragraphs(LIVE), live_table(results))] \
        + ([("", paragraphs(RIVALS), rivals)] if rivals else [])
