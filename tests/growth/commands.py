# SPDX-License-Identifier: MIT
"""Which shapes hurt which command: one of the tables at the end has a list of (command line, shape) for every
command of the registry."""
import os
import pathlib
import subprocess

import counting
import fx_shapes
import growth
import timeline_shapes
import v8_shapes as v8

# ---- shapes ------------------------------------------------------------------------------------------------------------


def v8_shape(name, n, *parts):
    """All parts in one heap; OLD is its first half, MIDDLE three quarters, ID the last thing that the last part made."""
    def make(folder, size):
        heap, node = v8.Heap(), None
        for part in parts:
            node = part(heap, size)
        heap.write(folder / "heap.heapsnapshot")
        heap.write(folder / "old.heapsnapshot", len(heap.nodes) // 2)
        heap.write(folder / "middle.heapsnapshot", len(heap.nodes) * 3 // 4)
        return growth.Input(folder / "heap.heapsnapshot", folder / "old.heapsnapshot",
                            heap.nodes[heap.globals if node is None else node][2], folder / "middle.heapsnapshot")
    return growth.Shape(name, make, n)


def fx_shape(name, n):
    def make(folder, size):
        fx_shapes.write(folder / "heap.fxsnapshot", name, size)
        fx_shapes.write(folder / "old.fxsnapshot", name, size // 2 + 1)
        return growth.Input(folder / "heap.fxsnapshot", folder / "old.fxsnapshot", 102)
    return growth.Shape("fx_" + name, make, n)


def recording(name, n):
    def make(folder, size):
        path = folder / "made.ubirec"
        subprocess.run([counting.BUILD / "tests" / "growth_recording_driver", name, str(size), path], check=True)
        return growth.Input(path)
    return growth.Shape("recording_" + name, make, n)


def timeline(shape, n):
    def make(folder, size):
        timeline_shapes.write(folder / "made.timeline", shape, size)
        return growth.Input(folder / "made.timeline")
    return growth.Shape("timeline_" + shape.__name__, make, n)


def script(name, n, text):
    """@ stands for n."""
    def make(folder, size):
        (folder / "script.js").write_text(text.replace("@", str(size)))
        return growth.Input(folder / "script.js")
    return growth.Shape("script_" + name, make, n)


def program(name, n):
    """valgrind 3.19 has no pidfd_open, which the recorder waits with."""
    def make(folder, size):
        watching = counting.library(folder.parent, "watch_processes")
        driver = counting.BUILD / "tests" / "growth_program_driver"
        return growth.Input(f"{driver} {name} {size}", preload=watching)
    return growth.Shape("program_" + name, make, n)


nothing = growth.Shape("nothing", lambda folder, size: growth.Input(folder), 1)

functions = v8_shape("functions", 1000, v8.one_code, v8.nested_scopes, v8.scripts, v8.scopes)
packages = v8_shape("packages", 1000, v8.packages)
rules = v8_shape("rules", 800, v8.timers, v8.listeners, v8.emitters, v8.map_of_many, v8.small_maps, v8.buffers)
shared = v8_shape("shared", 1500, v8.one_table, v8.one_prototype, v8.one_events, v8.wide_callback)
dom = v8_shape("dom", 1500, v8.weak_maps, v8.unreached, v8.detached)
names = v8_shape("names", 1000, v8.different_names, v8.shapes, v8.broad_shape, v8.equal_names)
texts = v8_shape("texts", 2000, v8.joined_texts, v8.doubled_texts)
wide, deep, comb, ladder, circles, tree, parallel, pages, traces = (
    v8_shape(part.__name__, 2500, part)
    for part in (v8.wide, v8.deep, v8.comb, v8.ladder, v8.circles, v8.tree, v8.parallel, v8.pages, v8.traces))
fx = {name: fx_shape(name, 2000) for name in fx_shapes.SHAPES}
recordings = {name: recording(name, 2500) for name in
              ("places", "wrapper", "deep", "recursion", "threads", "kinds", "modules", "live", "nested_markers",
               "open_markers")}
timelines = {shape.__name__: timeline(shape, 1500) for shape in timeline_shapes.SHAPES}

objects = script("objects", 1500, "globalThis.all = []; for (let i = 0; i < @; i++) all.push({ i, text: 'text ' + i });")
chain = script("chain", 1500, "let o = null; for (let i = 0; i < @; i++) o = { o }; globalThis.o = o;")
classes = script("classes", 300, "globalThis.all = []; for (let i = 0; i < @; i++) {"
                                 " all.push(eval(`new (class C${i} { f${i}() {} })`)); }")
# A stack is read at each allocation, so its depth is a factor of its own.
calls = script("calls", 200, "globalThis.all = []; function f(n) { all.push({}); if (n) f(n - 1); }"
                             " for (let i = 0; i < @; i++) f(20);")
promises = script("promises", 800, "(async () => { for (let i = 0; i < @; i++) { await i; console.timeStamp('t' + i); } })();")

# ---- commands ----------------------------------------------------------------------------------------------------------


def each(template, *shapes):
    return [(template, shape) for shape in shapes]


# growth_reports_test.py and so on: each runs one table, in its own process.
REPORTS = {
    "report": each("report {FILE}", functions, packages, rules, shared, dom, names, texts, wide, deep, comb, pages)
    + each("report --json --detail {FILE}", comb, tree)
    + each("report {FILE}", fx["deep_stack"])
    + each("report {FILE}", *recordings.values())
    + each("report --format tsv {FILE}", recordings["places"], recordings["deep"]),
    "info": each("info {FILE}", names, traces, recordings["places"], recordings["open_markers"], timelines["stacks"]),
    "summary": each("summary -n 0 {FILE}", functions, names, deep, pages)
    + each("summary -f detached-dom {FILE}", dom) + each("summary -f event-handlers {FILE}", rules)
    + each("summary -f contexts {FILE}", functions) + each("summary -f duplicate-strings {FILE}", names)
    + each("summary --context shared {FILE}", pages) + each("summary --class Same -n 0 {FILE}", names)
    + each("summary --since {OLD} {FILE}", names),
    "statistics": each("statistics {FILE}", functions, dom, pages),
}

GRAPHS = {
    "dominators": each("dominators -d 0 -s 0 -p 0 {FILE}", wide, deep, comb, tree)
    + each("dominators -n 0 {FILE}", comb) + each("dominators -b stack {FILE}", fx["deep_stack"]),
    "retainers": each("retainers -n 0 -d 0 {FILE} {ID}", wide, deep, comb, ladder, circles, parallel)
    + each("retainers -a --json {FILE} {ID}", circles),
    "containment": each("containment -d 0 -n 0 --rows 0 {FILE}", wide, deep, comb, ladder, circles, parallel)
    + each("containment -d 0 -n 0 --rows 0 --json {FILE}", ladder),
    "paths": each("paths -m 100 {FILE} {ID}", wide, deep, comb, ladder, circles, parallel)
    + each("paths -m 100 --json {FILE} {ID}", ladder),
    "show": each("show -n 0 {FILE} {ID}", wide, deep, comb, parallel),
    # The smallest heaps have too little in common to be of one process.
    "leaks": each("leaks --allow-other-process -n 0 {OLD} {FILE}", functions, rules, dom, names, wide, deep, comb, ladder,
                  circles, tree)
    + each("leaks --allow-other-process -n 0 {OLD} {MIDDLE} {FILE}", names),
}

COUNTS = {
    "diff": each("diff {OLD} {FILE}", names, wide)
    + each("diff --by class -n 0 {OLD} {FILE}", names)
    + each("diff --by breakdown -b allocationStack -d 0 -n 0 {OLD} {FILE}", fx["deep_stack"], fx["wide_stack"]),
    "census": each("census -n 0 -d 0 {FILE}", names)
    + each("census -b allocationStack -n 0 -d 0 {FILE}", fx["deep_stack"], fx["wide_stack"], fx["recursion"])
    + each("census -b invertedAllocationStack --json --tree {FILE}", fx["wide_stack"], fx["one_place"])
    + each("census -b domNode -n 0 {FILE}", fx["names"]),
    "search": each("search -n 0 {FILE} e", names, texts, wide),
    "nodes": each("nodes -f table {FILE}", names, texts)
    + each("nodes -c id,name,className,retainedSize,distance,retainerCount,dominator -f csv {FILE}", functions, deep)
    + each("nodes -f tsv -s name -w retainedSize>1 {FILE}", names, wide),
    "strings": each("strings -n 0 {FILE}", names, texts) + each("strings -d -n 0 {FILE}", names),
    "allocations": each("allocations -n 0 --callers 5 {FILE}", traces, fx["deep_stack"], fx["recursion"])
    + each("allocations --timeline -n 0 {FILE}", traces),
    "treemap": each("treemap -o {OUT}.svg {FILE}", names)
    + each("treemap --by retained -o {OUT}.svg {FILE}", wide, deep, comb, tree)
    + each("treemap --format text {FILE}", names),
    "flamegraph": each("flamegraph -o {OUT}.svg {FILE}", recordings["places"], recordings["deep"], recordings["recursion"])
    + each("flamegraph --format text --rows 0 {FILE}", recordings["deep"], recordings["places"])
    + each("flamegraph --json -n 0 {FILE}", recordings["deep"], recordings["places"]),
}

WRITERS = {
    # Lines of collapsed stacks and samples of pprof repeat their stacks, up to a depth.
    "export": each("export -f pprof -o {OUT}.pb.gz {FILE}", recordings["places"], recordings["kinds"])
    + each("export -f collapsed -o {OUT}.folded {FILE}", recordings["places"])
    + each("export -f tables --extended -o {OUT}.tables.json {FILE}", recordings["places"], recordings["deep"], recordings["live"])
    + each("export -f heaptrack -o {OUT}.heaptrack {FILE}", recordings["places"], recordings["deep"], recordings["threads"])
    + each("export -f firefox -o {OUT}.profile.json {FILE}", recordings["places"], recordings["deep"]),
    "convert": each("convert {FILE} {OUT}.heapsnapshot", names, traces)
    + each("convert {FILE} {OUT}.fxsnapshot", functions, dom, traces)
    + each("convert {FILE} {OUT}.jsonl", names, traces)
    + each("convert --anonymize {FILE} {OUT}.heapsnapshot", names, traces)
    + each("convert --anonymize {FILE} {OUT}.fxsnapshot", fx["names"])
    + each("convert {FILE} {OUT}.heapsnapshot", fx["deep_stack"]),
    "run": each("run --snapshot-at exit -o {OUT}.fxsnapshot {FILE}", objects, chain, classes, calls)
    + each("run --census-at exit -b allocationStack {FILE}", objects, calls)
    + each("run --allocation-log {OUT}.log {FILE}", calls)
    + each("run --timeline {OUT}.timeline {FILE}", promises),
    # Waiting takes instructions, too: enough must be done that a busy machine does not matter.
    "record": each("record --exact --no-symbols -o {OUT}.ubirec {FILE}", program("places", 40000), program("deep", 40000),
                   program("threads", 600)),
    "timeline": each("timeline {FILE}", *timelines.values(), recordings["nested_markers"], recordings["open_markers"])
    + each("timeline --each --rows 0 {FILE}", timelines["beside"], timelines["nested"])
    + each("timeline --format json {FILE}", timelines["stacks"])
    + each("timeline --format chrome {FILE}", timelines["stacks"], timelines["crossing"])
    + each("timeline --format firefox {FILE}", timelines["stacks"], timelines["threads"]),
    "cache": each("cache list --cache-dir {OUT}.none", nothing),
    # It is about a process, whose size is not a file's.
    "rss": each("rss --help", nothing),
    "help": each("help report", nothing),
    "control": each("control --help", nothing),
    "watch": each("watch --print-library", nothing),
    # What it does with a snapshot that came is what others do with a file.
    "attach": each("attach --help", nothing),
    # What servers are asked grows as the commands above do.
    "serve": each("serve --help", nothing),
    "mcp": each("mcp --help", nothing),
}

TESTS = [REPORTS, GRAPHS, COUNTS, WRITERS]
