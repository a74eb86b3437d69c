# SPDX-License-Identifier: MIT
"""Tables of bench/http.sh: what clients of `ubiheap serve` wait for."""
import statistics

from tables import machine_words, milliseconds, paragraphs, size, table

HEAD = """\
The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}. `sh bench/http.sh` repeats the measurement."""
WAITING = """\
Answers of [`ubiheap serve`](../how-to/ask-over-http.md) to a client on the same machine: medians of a thousand requests, of the medians of the runs.
*Cached* is a summary that was answered before, on one connection; *confirmed* the same, asked for with the tag of the answer (304). *Page* is 200 rows of the
nodes of a heap of 8 million, sorted by retained size, from a place that was not asked for before; the first one reads the heap and computes its
retained sizes. The goals: 1 ms for a cached answer, 25 ms for a page."""
MANY = """\
64 clients that ask at once, each 30 times, at random for pages of rows, summaries, statistics, dominators and reports of a small heap and of that
of 8 million nodes, of which nothing was computed before. *Resident* is the most memory of the server, which may have a tenth more than its limit."""

LITTLE_MEMORY = """\
The same clients ask about eight heaps of a million nodes, which without a limit need what *needed* says. What was computed is dropped and computed
again; a question for which there is no room is *refused* with the documented error (507). Other errors are counted as such."""


def rows_named(results):
    """Runs by file and row, in their order."""
    found = {}
    for run in results.runs:
        found.setdefault((run["file"], run["row"]), []).append(run)
    return found


def middle(runs, key):
    return statistics.median(run[key] for run in runs)


def waiting_table(results):
    rows = [[file, name, milliseconds(middle(runs, "wallNs")), size(int(middle(runs, "replyBytes")))]
            for (file, name), runs in rows_named(results).items() if "requests" not in runs[0]]
    return table(["file", "answer", "ms", "bytes"], rows, n_text=2)


def many_table(results):
    rows = [[file, f"{runs[0]['requests']:,}", str(sum(run["errors"] for run in runs)), milliseconds(middle(runs, "wallNs")),
             size(runs[0]["limitBytes"]), size(max(run["residentBytes"] for run in runs))]
            for (file, _), runs in rows_named(results).items() if "requests" in runs[0] and "neededBytes" not in runs[0]]
    return table(["file", "requests", "errors", "ms", "limit", "resident"], rows, n_text=1)


def little_memory_rows(results):
    return [[file, f"{runs[0]['requests']:,}", str(sum(run["errors"] for run in runs)), str(max(run["refused"] for run in runs)),
             milliseconds(middle(runs, "wallNs")), size(max(run["neededBytes"] for run in runs)), size(runs[0]["limitBytes"]),
             size(max(run["residentBytes"] for run in runs))]
            for (file, _), runs in rows_named(results).items() if "neededBytes" in runs[0]]


def command_list(results):
    """How each file is made, and all are measured."""
    return "\n".join([f["madeBy"] for f in results.files] + ["sh bench/http.sh"])


def sections(results):
    """(title, text, table) each."""
    head = paragraphs(HEAD.format(**machine_words(results.document)))
    made = [("HTTP: what a client waits for", head + "\n\n" + paragraphs(WAITING), waiting_table(results)),
            ("HTTP: 64 clients at once", paragraphs(MANY), many_table(results))]
    rows = little_memory_rows(results)
    titles = ["file", "requests", "errors", "refused", "ms", "needed", "limit", "resident"]
    return made + ([("HTTP: 64 clients and little memory", paragraphs(LITTLE_MEMORY), table(titles, rows, n_text=1))] if rows else [])
