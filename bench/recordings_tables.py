# SPDX-License-Identifier: MIT
"""Tables of bench/recordings.sh: questions about large recordings, the first time and with an index."""
from tables import machine_words, paragraphs, ratio, significant, size, table

HEAD = """\
Made-up recordings of four threads. The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}. `sh bench/recordings.sh` repeats the measurement."""
TEXT = """\
Whole processes; an event is an allocation or a free. *First* is `ubiheap report` on a file that was never seen. The others are asked
after a report with `--cache`, so that the index is there; *of the first report* is their processor time as a share of its. `recording-wide`
has a million kinds of allocations, of which a million live at a time, and a time for each event. The goals: 10 s for 100 million
allocations and for 1 GB, with at most 1 GB of memory; then 1 s.{busy} The run is older than the checkpoints of the index: what selects a
part of the time, or a thread, and the curve read the file again then."""
BUSY = """ The machine was busy: up to {load:.0f} tasks ran or waited for its processors. Wall time says then how long one waits
there; CPU, with what caches lost to others, is the measure."""
QUIET_LOAD = 4


def question_row(results, file, name, runs, first_cpu):
    wall, cpu = results.middle(runs, "wallNs"), results.middle(runs, "cpuNs")
    of, events = runs[0], runs[0]["events"]
    kind, question = name.split(":", 1)
    return [file, f"{events:,}", f"{of['bytes'] / events:.2f}", f"`{question}`" + (", first" if kind == "first" else ""),
            f"{wall / 1e9:.2f}", f"{cpu / 1e9:.2f}", significant(cpu / events), f"{ratio(cpu, first_cpu):.3f}" if kind == "again" else "",
            size(int(results.middle(runs, "peakRssBytes")))]


def sections(results):
    """(title, text, table) each."""
    rows, first_cpu = [], {}
    for file in dict.fromkeys(run["file"] for run in results.runs):
        for name in dict.fromkeys(run["row"] for run in results.runs if run["file"] == file):
            runs = [run for run in results.runs if run["file"] == file and run["row"] == name]
            if name.startswith("first:"):
                first_cpu[file] = results.middle(runs, "cpuNs")
            rows.append(question_row(results, file, name, runs, first_cpu.get(file)))
    load = max(run["load"] for run in results.runs)
    text = TEXT.format(busy=BUSY.format(load=load) if load > QUIET_LOAD else "")
    header = ["file", "events", "bytes per event", "question", "wall, s", "CPU, s", "CPU ns/event", "of the first report", "peak memory"]
    order = [0, 3, 1, 2, 4, 5, 6, 7, 8]
    body = table([header[i] for i in order], [[row[i] for i in order] for row in rows], n_text=2)
    return [("Large recordings", paragraphs(HEAD.format(**machine_words(results.document))) + "\n\n" + paragraphs(text), body)]


def command_list(results):
    lines = []
    for file in results.document["files"]:
        is_first_alone = not any(run["row"].startswith("again:") for run in results.runs if run["file"] == file["file"])
        lines += [file["madeBy"], "python3 bench/recordings.py --ubiheap build/release/bin/ubiheap "
                  + ("--first-alone " if is_first_alone else "") + file["file"]]
    return "\n".join(lines)
