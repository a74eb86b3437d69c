# SPDX-License-Identifier: MIT
"""Tables of bench/native.sh: what recording the allocations of whole programs costs, beside heaptrack, and what sampling does."""
import native_ring
from tables import machine_words, paragraphs, table

HEAD = """\
Whole programs under `ubiheap record` and under heaptrack 1.4 (recording only: its library, raw output to a file). The run
`{name}` of {date}; the result with every single run is [bench/results/{name}.json](../../bench/results/{name}.json).
{processor}, {processors} processors, {memory} MiB of memory; {kernel}; {compiler}, `{flags}`. `sh bench/native.sh`
repeats the measurement."""
TEXT = """\
Medians of runs in turns. *Times* is the program's own user time against a run alone; *beside it* the user time of the
process that orders, pairs, numbers and compresses meanwhile, which heaptrack leaves to a second step. *Of heaptrack's* is
the program's added time, and in brackets the added time of both processes, divided by what heaptrack adds. Memory is the peak
of the larger process. *Exact* records every allocation, *sampled* one per 512 KiB on average."""
SAMPLING = """\
What sampling at the default period of 512 KiB adds to whole programs. *Instructions* are those of the program from its first
to its last, counted by valgrind on a part of the work; alone = 1. *Memory* is what it adds to the peak of the program's
resident memory, medians of {turns} turns. The goals: at most 1.02, and at most 4 MiB."""

RING = """\
What a profile of pprof costs that is written each minute (`record --every 60s`), beyond plain sampling. They are written every
{every} seconds here. *Each* is the processor time for one, *beside* the part of a processor for what comes with them (less
than nothing where writing a recording takes more), and *each minute* both together where there is one each minute; *plain* is what the recording process needs for
samples alone. *Memory* is its peak, with 4 MiB that it shares with the program; *disk* is 60 of the largest profile. `python3
bench/native_ring.py build/release` repeats it. The goals: at most 1 % of a processor, and 20 MB more."""


def seconds(ns):
    return f"{ns / 1e9:.2f}"


def row_of(results, name, rows):
    alone = results.middle(rows["alone"], "userNs")
    rival = results.middle(rows["heaptrack"], "userNs") - alone if "heaptrack" in rows else 0
    cells = [name, rows["alone"][0]["what"], seconds(alone)]
    if "heaptrack" in rows:
        of = rows["heaptrack"]
        cells += [f"{1 + rival / alone:.2f}", f"{results.middle(of, 'outputBytes') / 1e6:.1f}",
                  f"{results.middle(of, 'peakRssBytes') / 2**20:.0f}"]
    else:
        cells += ["", "", ""]
    for mode in ("exact", "sampled"):
        of = rows[mode]
        user, beside = results.middle(of, "userNs"), results.middle(of, "recorderUserNs")
        share = f"{(user - alone) / rival:.2f} ({(user + beside - alone) / rival:.2f})" if rival > 0 else ""
        cells += [f"{user / alone:.2f}", seconds(beside), share, f"{results.middle(of, 'outputBytes') / 1e6:.1f}",
                  f"{results.middle(of, 'peakRssBytes') / 2**20:.0f}"]
    return cells


def programs_with(results, row):
    return list(dict.fromkeys(r["file"] for r in results.runs if r["row"] == row))


def in_modes(results, name, row, key):
    """{mode: median}"""
    runs = results.runs_of({"file": name}, row)
    return {mode: results.middle([r for r in runs if r["mode"] == mode], key) for mode in {r["mode"] for r in runs}}


def sampling_row(results, name):
    peak = in_modes(results, name, "memory", "peakRssBytes")
    count = in_modes(results, name, "instructions", "instructions")
    what = results.runs_of({"file": name}, "memory")[0]["what"]
    return [name, what, f"{count['alone'] / 1e6:,.0f}" if count else "",
            f"{count['sampled'] / count['alone']:.4f}" if count else "", f"{peak['alone'] / 2**20:.1f}",
            f"{(peak['sampled'] - peak['alone']) / 2**20:.2f}"]


def sampling_sections(results):
    names = programs_with(results, "memory")
    if not names:
        return []
    turns = sum(r["mode"] == "alone" for r in results.runs_of({"file": names[0]}, "memory"))
    header = ["program", "what it does", "million instructions alone", "instructions", "peak alone, MiB", "memory, MiB"]
    return [("Sampling native programs", paragraphs(SAMPLING.format(turns=turns)),
             table(header, [sampling_row(results, name) for name in names], n_text=2))]


def ring_row(results, name):
    runs = results.runs_of({"file": name}, "ring")
    rows = {mode: [r for r in runs if r["mode"] == mode] for mode in native_ring.MODES}
    of = native_ring.summary(rows)
    return [name, rows["ring"][0]["what"], f"{of['profiles']:.0f}", f"{of['eachNs'] / 1e6:.1f}", f"{100 * of['beside']:.2f} %",
            f"{100 * of['partOfProcessor']:.2f} %", f"{100 * of['plainPart']:.2f} %", f"{of['memoryBytes'] / 1e6:.1f}",
            f"{of['plainMemoryBytes'] / 1e6:.1f}", f"{60 * of['largestBytes'] / 1e6:.1f}"]


def ring_sections(results):
    names = programs_with(results, "ring")
    if not names:
        return []
    every = results.runs_of({"file": names[0]}, "ring")[0]["everySeconds"]
    header = ["program", "what it does", "profiles", "each, ms", "beside", "each minute", "plain", "memory, MB", "plain, MB", "disk, MB"]
    return [("A profile each minute", paragraphs(RING.format(every=every)),
             table(header, [ring_row(results, name) for name in names], n_text=2))]


def sections(results):
    """(title, text, table) each."""
    names = programs_with(results, "alone")
    rows = []
    for name in names:
        of = {mode: results.runs_of({"file": name}, mode) for mode in ("alone", "heaptrack", "exact", "sampled")}
        rows.append(row_of(results, name, {mode: runs for mode, runs in of.items() if runs}))
    header = ["program", "what it does", "alone, s", "heaptrack: times", "MB", "MiB", "exact: times", "beside it, s",
              "of heaptrack's", "MB", "MiB", "sampled: times", "beside it, s", "of heaptrack's", "MB", "MiB"]
    return [("Recording native programs", paragraphs(HEAD.format(**machine_words(results.document))) + "\n\n"
             + paragraphs(TEXT), table(header, rows, n_text=2))] + sampling_sections(results) + ring_sections(results)


def command_list(results):
    lines = ["python3 bench/native.py build/release"]
    if programs_with(results, "memory"):
        lines.append("python3 bench/native_sampling.py build/release")
    if programs_with(results, "ring"):
        lines.append("python3 bench/native_ring.py build/release")
    return "\n".join(lines)
