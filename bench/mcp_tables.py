# SPDX-License-Identifier: MIT
"""Tables of bench/mcp.sh: what agents wait for, and read."""
from tables import machine_words, milliseconds, paragraphs, size, table

HEAD = """\
The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}. `sh bench/mcp.sh` repeats the measurement. {load}"""
AGENTS = """\
A caller without judgement, from the start of the server to the reply that has named what was planted, in snapshots of a process that leaks: the pair
of `tests/data`, and the programs of `examples/leaks`. With [ubiheap mcp](../how-to/let-an-agent-look-at-a-heap.md) it follows the call that each reply
proposes. With chrome-devtools-mcp 1.11.0, whose replies propose nothing, it has a fixed script: compare the first and the last snapshot, then ask, class by class
in the order of the reply, for the new objects and for the retaining paths of the first; after ten classes it gives up. A better choice of the
object would have found more. *Read* is all that
the agent reads for it, *tools* the list of tools, which it reads in every conversation. *Resident* is the most memory of the server; that of Chrome, which
chrome-devtools-mcp starts, is not counted. Medians. The goal: 3 calls and 6 KiB."""
FIRST = """\
From the start of the server to its first reply about a heap of 8 million nodes: ours `report`, with an [index](../formats/ubindex.md) and the answer that
`ubiheap report --cache` has kept, and without; chrome-devtools-mcp `get_heapsnapshot_details`, once. The goal: 200 ms with an index."""


def rows_named(results, prefix):
    """Rows whose name begins so, without it, in their order: {(file, name): runs}."""
    found = {}
    for run in results.runs:
        if run["row"].startswith(prefix):
            found.setdefault((run["file"], run["row"][len(prefix):]), []).append(run)
    return found


def middle_size(results, runs, key):
    return size(int(results.middle(runs, key)))


def agents_table(results):
    rows = [[file, name, "yes" if all(run["isNamed"] for run in runs) else "no", f"{results.middle(runs, 'calls'):g}",
             milliseconds(results.middle(runs, "wallNs")), middle_size(results, runs, "replyBytes"),
             middle_size(results, runs, "toolBytes"), middle_size(results, runs, "residentBytes")]
            for (file, name), runs in sorted(rows_named(results, "agent:").items(), key=lambda item: item[0][0])]
    return table(["leak", "server", "named", "calls", "ms", "read", "tools", "resident"], rows, n_text=3)


def first_table(results):
    rows = [[file, name, milliseconds(results.middle(runs, "wallNs")), middle_size(results, runs, "replyBytes"),
             middle_size(results, runs, "residentBytes")] for (file, name), runs in rows_named(results, "first:").items()]
    return table(["file", "server", "ms", "read", "resident"], rows, n_text=2)


def load_words(results):
    """That others had the processors, too."""
    load, processors = results.document["load"], results.document["machine"]["processors"]
    return f"Other work ran meanwhile, a load of {load:g} in all: times are long, and compare." if load > 3 * processors else ""


def command_list(results):
    """How each file is made, and all are measured."""
    return "\n".join([f["madeBy"] for f in results.files] + ["sh bench/mcp.sh"])


def sections(results):
    """(title, text, table) each."""
    head = paragraphs(HEAD.format(**machine_words(results.document), load=load_words(results)).strip())
    return [("Agents: until a leak is named", head + "\n\n" + paragraphs(AGENTS), agents_table(results)),
            ("Agents: the first reply about a large heap", paragraphs(FIRST), first_table(results))]
