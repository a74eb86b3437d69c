# SPDX-License-Identifier: MIT
"""Tables of bench/timeline.sh: what markers cost, unobserved and observed, and popping them."""
import statistics

from tables import machine_words, milliseconds, table

HEAD = """\
Markers of the timeline. The run `{name}` of {date}; the result with every single turn is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}, `{flags}`. `sh bench/timeline.sh` repeats the measurement."""
UNOBSERVED = """\
A scoped marker that is not observed, in a loop around a function call: instructions, counted by valgrind, less those of the
same loop without it. The goal: at most 6."""
PAIRS = """\
START and END of a scoped marker that is observed: processor time of the thread that marks, medians of turns of 100,000
pairs, and the least and most; what is pending is popped between turns. *Of one target* and *of all*: literals. *By function*:
names that are compared. With a stack of depth 10, at one of 64 places, from a made-up engine that knows its stack as a
number. *Of a script*: QuickJS runs, and the stack is the script's, ten frames. *Entering a script*: a call from outside, with
the pair of markers that says so. *console.time*: two markers with a text and a stack each. *Four threads* mark at once, on as
many processors as there are. *LTTng-UST*: two of its events with a name, while a session records them. The goals: at most
40 ns on the main thread, 60 ns on others, 200 ns with a stack."""
PENDING = """\
Ten million markers that wait, and popping them into five million rows: the first time the system has to find the memory, the
second time it is there. The goals: 1.5 s, and 48 bytes each."""
ROWS = {"pair": "of one target", "pairForAll": "of all", "pairByFunction": "by function", "pairWithStack": "with a stack",
        "pairWithScriptStack": "with a stack of a script", "scriptEntered": "entering a script",
        "consolePairWithTwoStacks": "console.time, two stacks", "pairOffMainThread": "of all, four threads",
        "lttngPair": "LTTng-UST"}


def instruction_table(results):
    return table(["compiler", "instructions"],
                 [[f"`{r['compiler']}`", f"{r['instructions']:.1f}"] for r in results.runs if r["row"] == "unobserved"])


def pair_table(results):
    runs = {r["row"]: r["nsPerPair"] for r in results.runs if r["row"] in ROWS}
    return table(["pair", "ns", "least", "most"],
                 [[words, statistics.median(runs[row]), min(runs[row]), max(runs[row])]
                  for row, words in ROWS.items() if row in runs])


def pending_table(results):
    return table(["", "ns per pair", "bytes per marker", "pop, ms"],
                 [["second time" if r["turn"] else "first time", r["nsPerPair"], r["bytesPerMarker"],
                   milliseconds(r["popNs"])] for r in results.runs if r["row"] == "pending"])


def sections(results):
    return [("Markers of the timeline", HEAD.format(**machine_words(results.document)), ""),
            ("Markers: not observed", UNOBSERVED, instruction_table(results)),
            ("Markers: observed", PAIRS, pair_table(results)),
            ("Markers: ten million", PENDING, pending_table(results))]


def command_list(results):
    return "sh bench/timeline.sh"
