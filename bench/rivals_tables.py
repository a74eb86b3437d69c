# SPDX-License-Identifier: MIT
"""Tables of bench/rivals: other tools beside ours on the same files."""
import statistics

from tables import machine_words, paragraphs, ratio, size, table

RIVALS = """\
Heap snapshots of V8, from the file to the table of classes with their retained sizes: whole processes, from start to
end. The run `{name}` of {date}: {devtools}, {memlab}, both under {node}; {ubiheap}. {processor}, {processors}
processors, {memory} MiB of memory; {kernel}; {compiler}. Medians of runs that took turns.

DevTools is the code that Chrome's Memory panel runs, in two workers as there; `ubiheap summary` and DevTools gave equal
answers: nodes, edges, total size, and number, own and retained size of the ten largest classes. memlab computes
dominators and retained sizes; it has no such table, and does not spread sizes as DevTools does. *Times ours* is against
ubiheap with 2 threads. {files}. `sh bench/rivals/make-big.sh FILE` makes such a file and `sh bench/rivals/run.sh FILE`
repeats the measurement; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json)."""
RIVALS_ALONE = """\
What a node costs in made-up files of more and more nodes: the same command, in the same run. `RIVALS_SCALE=1 sh
bench/rivals/run.sh FILE` makes and measures these files as well."""


def rival_medians(document, file, tool, threads):
    """Wall and CPU time in ns, and the peak of memory, of one tool on one file."""
    runs = [r for r in document["runs"] if (r["file"], r["tool"], r["threads"]) == (file, tool, threads)]
    return [statistics.median(values) for values in zip(*(
        (r["wallNs"], r["userNs"] + r["systemNs"], r["peakRssBytes"]) for r in runs))]


def alone_table(document):
    """What a node costs in files of all sizes, read, looked at and summed up; None without such files."""
    rows = []
    for f in document.get("alone", []):
        one, two = (rival_medians(document, f["file"], "ubiheap", threads) for threads in (1, 2))
        rows.append([f["file"], f"{f['nodes']:,}", size(f["bytes"]), one[0] / f["nodes"], one[1] / f["nodes"],
                     two[0] / f["nodes"], two[0] / one[0], two[2] / f["nodes"]])
    header = ["file", "nodes", "bytes", "wall ns/node", "CPU ns/node", "2 threads: wall ns/node", "of 1 thread's wall",
              "peak bytes/node"]
    return table(header, rows) if rows else None


def rivals_table(document):
    """Whole processes: the median of each tool's runs, and how many times ours with all threads that is."""
    rows = []
    for f in document["files"]:
        ours = rival_medians(document, f["file"], "ubiheap", 2)
        for tool, threads, title in (("devtools", None, "DevTools"), ("memlab", None, "memlab"),
                                     ("ubiheap", 1, "ubiheap, 1 thread"), ("ubiheap", 2, "ubiheap, 2 threads")):
            wall, cpu, peak = rival_medians(document, f["file"], tool, threads)
            rows.append([f["file"], title, wall / 1e9, cpu / 1e9, size(peak),
                         *(ratio(a, b) for a, b in zip((wall, cpu, peak), ours))])
    return table(["file", "tool", "wall, s", "CPU, s", "peak memory", "wall, times ours", "CPU, times ours",
                  "memory, times ours"], rows)


def ratios_to_devtools(document):
    """Wall and CPU time of DevTools in times ours with 2 threads, of every file."""
    ratios = []
    for f in document["files"]:
        theirs, ours = (rival_medians(document, f["file"], *tool) for tool in (("devtools", None), ("ubiheap", 2)))
        ratios += [ratio(a, b) for a, b in zip(theirs[:2], ours[:2])]
    return ratios


def rivals_text(document):
    files = "; ".join(f"`{f['file']}` has {f['nodes']:,} nodes, {f['edges']:,} edges and {size(f['bytes'])}"
                      for f in document["files"])
    return paragraphs(RIVALS.format(**machine_words(document), **document["versions"], files=files))


def sections(document):
    """(title, text, table) each; one without a title belongs to the one before."""
    alone = alone_table(document)
    return [("Beside other tools", rivals_text(document), rivals_table(document))] \
        + ([("", RIVALS_ALONE, alone)] if alone else [])


# ---- leaks ----------------------------------------------------------------------------------------------------------

LEAKS = """\
The programs of examples/leaks, whose leaks are known: three snapshots of each, taken under {node}, of {sizes}. The run
`{name}` of {date}: {memlab} as it is, the same with `--trace-all-objects`, and {ubiheap}. *Found* is how many clusters a
tool reports, *names it* whether the function or class that leaks is in one of its paths, for ubiheap whether it is the first
cluster. memlab clusters a random sample where there are many paths: a range is that of {repeats} runs. Time and memory are
medians of whole processes. `sh bench/rivals/leaks.sh` repeats it; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json)."""


def spread(values):
    least, most = min(values), max(values)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def often(values):
    """Of true and false ones."""
    n = sum(values)
    return "yes" if n == len(values) else "no" if n == 0 else f"in {n} of {len(values)} runs"


def leaks_table(document):
    rows = []
    for p in document["programs"]:
        for tool in dict.fromkeys(r["tool"] for r in document["runs"]):
            runs = [r for r in document["runs"] if (r["program"], r["tool"]) == (p["program"], tool)]
            wall, peak = (statistics.median(r[key] for r in runs) for key in ("wallNs", "peakRssBytes"))
            rows.append([f"`{p['program']}`", f"`{p['leaks']}`", tool, spread([r["found"] for r in runs]),
                         often([r["names"] for r in runs]), wall / 1e9, size(peak)])
    return table(["program", "leaks", "tool", "found", "names it", "wall, s", "peak memory"], rows,
                 n_text=3)


def leaks_text(document):
    sizes = [n for p in document["programs"] for n in p["bytes"]]
    repeats = max(sum((r["program"], r["tool"]) == (p["program"], "memlab") for r in document["runs"])
                  for p in document["programs"])
    return paragraphs(LEAKS.format(**machine_words(document), **document["versions"], repeats=repeats,
                                   sizes=f"{size(min(sizes))} to {size(max(sizes))}"))


def leaks_sections(document):
    return [("Leaks beside memlab", leaks_text(document), leaks_table(document))]


def compared_part(document):
    return f"\n{leaks_text(document)}\n\n{leaks_table(document)}\n\n"
