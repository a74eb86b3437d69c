# SPDX-License-Identifier: MIT
"""Tables of bench/session.sh: parts of sessions, questions, cancelled requests, memory limits, indexes."""
from tables import machine_words, milliseconds, paragraphs, size, table

HEAD = """\
Sessions of two made-up heaps and a recording. The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}. `sh bench/session.sh` repeats the measurement."""
PARTS = """\
Each part the first time, without those that it is made of, with all threads; *again* is all of them once more. *Longest
gap* is the most processor time of the computing thread between two reports, after each of which the caller can stop it."""
ASKED = """\
Questions by `ubi_ask`, where graph, look, dominators and distances are there. *First* is what the question alone costs; *again* the
median of 15 more. The goals: 200 rows, sorted or chosen, under 300 ms and then 20; a census tree under 200."""
CANCELLED = """\
From cancelling a request of the [worker](../reference/worker.md), at a random moment, to its reply. The goal: 50 ms for 99 of 100."""
LIMITS = """\
21 questions about a heap, asked by one caller, and by two at once, of which the second begins with the last; without a limit that
matters, and with 95, 85 and 60 of 100 of what that took. *Held* is the most that the pool held, which must not be more than a tenth above the limit;
*resident* the most memory of the process, above what it had before. A question without enough memory is *refused*, and the next is
answered."""
INDEXES = """\
Graph, look, dominators and distances: computed; computed and written to an [index](../formats/ubindex.md), together with retainers and the
summary, which are computed for it; and mapped from one. Then `nodes --where` and `report` of a session that was just opened with it.
Of the recording, 3.7 million allocations of two million kinds at 968,000 stacks: what reading it gives, with the places in the index, and
`report` without one, too.
*Resident* is what of the index was part of the process's memory after the step. *`ubiheap report` again* is a whole process, which finds the
answer that it gave with `--cache`; resident is the most memory that it had. Medians. The goals: with the index at most 1.5 times as long the
first time; then 100 ms, and 300 ms for the question.{busy}"""
BUSY = """ Rows of {files} are of a busy machine: {load:.0f} tasks ran or waited for its processors. Milliseconds say then how long one waits there,
and CPU, with what caches lost to others, is the measure."""
QUIET_LOAD = 4


SMALL = """\
Whole processes in a control group that may have a quarter of the index's bytes, with the pages of files that the system keeps for them.
Each begins with nothing of the index in memory: it is read from the disk and compared with its checksums. *Own* is the most memory that the
process allocated, *of the index* the most that was part of the process, *faults* pages that it waited for while it looked into them.
Medians."""


def rows_named(results, prefix):
    """Rows whose name begins so, without it, in their order: {name: runs}, per file."""
    found = {}
    for run in results.runs:
        if run["row"].startswith(prefix):
            found.setdefault((run["file"], run["row"][len(prefix):]), []).append(run)
    return found


def middle(results, runs, key):
    return results.middle(runs, key)


def parts_table(results):
    rows = [[file, name, milliseconds(middle(results, runs, "wallNs")), milliseconds(middle(results, runs, "longestGapNs")),
             size(runs[0]["bytes"])] for (file, name), runs in rows_named(results, "part:").items()]
    rows += [[file, "*again*", milliseconds(middle(results, runs, "wallNs")), "-", "-"]
             for (file, _), runs in rows_named(results, "again").items()]
    return table(["file", "part", "ms", "longest gap, ms", "bytes"], rows, n_text=2)


def asked_table(results):
    rows = [[file, name, milliseconds(middle(results, runs, "firstNs")), milliseconds(middle(results, runs, "wallNs"))]
            for (file, name), runs in rows_named(results, "ask:").items()]
    return table(["file", "question", "first, ms", "again, ms"], rows, n_text=2)


def at_share(values, share):
    """The least value that `share` of all do not exceed."""
    values = sorted(values)
    return values[min(len(values) - 1, max(0, -(-len(values) * share // 100) - 1))]


def cancelled_table(results):
    rows = []
    for (file, name), runs in rows_named(results, "cancel:").items():
        walls = [run["wallNs"] for run in runs]
        rows.append([file, name, f"{len(walls)}", *(milliseconds(at_share(walls, share)) for share in (50, 90, 99, 100))])
    return table(["file", "request", "cancelled", "median, ms", "90 of 100", "99 of 100", "longest"], rows, n_text=2)


def limits_table(results):
    rows = []
    for (file, name), runs in rows_named(results, "limit:").items():
        for limit in dict.fromkeys(run["limitBytes"] for run in runs):
            same = [run for run in runs if run["limitBytes"] == limit]
            held, resident = (max(run[key] for run in same) for key in ("heldBytes", "residentBytes"))
            rows.append([file, name, size(limit) if limit else "none", size(held), f"{held / limit:.2f}" if limit else "-", size(resident),
                         f"{resident / limit:.2f}" if limit else "-", f"{sum(run['answered'] for run in same)}",
                         f"{sum(run['refused'] for run in same)}"])
    return table(["file", "asked by", "limit", "held", "of the limit", "resident", "of the limit", "answered", "refused"], rows, n_text=2)


def indexes_text(results):
    rows = [run for runs in rows_named(results, "index:").values() for run in runs if run.get("load", 0) > QUIET_LOAD]
    files = ", ".join(dict.fromkeys(row["file"] for row in rows))
    busy = BUSY.format(files=files, load=max(row["load"] for row in rows)) if rows else ""
    return paragraphs(INDEXES.format(busy=busy))


def indexes_table(results):
    rows = [[file, name, milliseconds(middle(results, runs, "wallNs")), milliseconds(middle(results, runs, "cpuNs")),
             size(runs[0]["indexBytes"]), size(runs[0]["residentBytes"]) if runs[0].get("residentBytes") else "-"]
            for (file, name), runs in rows_named(results, "index:").items()]
    return table(["file", "step", "ms", "CPU, ms", "index", "resident"], rows, n_text=2)


def small_table(results):
    rows = []
    for (file, name), runs in rows_named(results, "small:").items():
        sizes = [size(int(middle(results, runs, key))) for key in ("indexBytes", "limitBytes", "anonymousBytes", "mappedBytes")]
        rows.append([file, f"`{name}`", milliseconds(middle(results, runs, "wallNs")), milliseconds(middle(results, runs, "cpuNs")), *sizes,
                     f"{int(middle(results, runs, 'majorFaults')):,}"])
    return table(["file", "command", "ms", "CPU, ms", "index", "limit", "own", "of the index", "faults"], rows, n_text=2)


def command_list(results):
    """How each file is made and measured."""
    lines = []
    for f in results.files:
        is_heap = not f["file"].endswith(".ubirec")
        lines.append(f["madeBy"])
        programs = ("worker_bench", "ask_bench", "limit_bench", "index_bench") if is_heap else ("index_bench",)
        lines += [f"build/release/bench/{program} {f['file']}" for program in programs]
        lines.append(f"python3 bench/kept_answer.py --ubiheap build/release/bin/ubiheap {f['file']}")
        if is_heap and rows_named(results, "small:"):
            lines.append(f"python3 bench/small_memory.py --ubiheap build/release/bin/ubiheap {f['file']}")
    return "\n".join(lines)


def sections(results):
    """(title, text, table) each."""
    head = paragraphs(HEAD.format(**machine_words(results.document)))
    found = [("Sessions: parts", head + "\n\n" + paragraphs(PARTS), parts_table(results)),
             ("Sessions: questions", paragraphs(ASKED), asked_table(results)),
             ("Sessions: cancelling", paragraphs(CANCELLED), cancelled_table(results)),
             ("Sessions: memory limits", paragraphs(LIMITS), limits_table(results)),
             ("Sessions: opened again with an index", indexes_text(results), indexes_table(results))]
    if rows_named(results, "small:"):
        found.append(("Sessions: a heap larger than memory", paragraphs(SMALL), small_table(results)))
    return found
