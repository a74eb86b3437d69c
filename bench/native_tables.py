# SPDX-License-Identifier: MIT
"""Tables of bench/native.sh: what recording the allocations of whole programs costs, beside heaptrack."""
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


def sections(results):
    """(title, text, table) each."""
    names = list(dict.fromkeys(r["file"] for r in results.runs))
    rows = []
    for name in names:
        of = {mode: results.runs_of({"file": name}, mode) for mode in ("alone", "heaptrack", "exact", "sampled")}
        rows.append(row_of(results, name, {mode: runs for mode, runs in of.items() if runs}))
    header = ["program", "what it does", "alone, s", "heaptrack: times", "MB", "MiB", "exact: times", "beside it, s",
              "of heaptrack's", "MB", "MiB", "sampled: times", "beside it, s", "of heaptrack's", "MB", "MiB"]
    return [("Recording native programs", paragraphs(HEAD.format(**machine_words(results.document))) + "\n\n"
             + paragraphs(TEXT), table(header, rows, n_text=2))]


def command_list(results):
    del results
    return "python3 bench/native.py build/release"
