# SPDX-License-Identifier: MIT
"""Tables of bench/rdp.sh: what clients of the remote debugging protocol, and the script, wait for."""
from tables import machine_words, milliseconds, paragraphs, size, table

HEAD = """\
The run `{name}` of {date}; the result with every single run is
[bench/results/{name}.json](../../bench/results/{name}.json). {processor}, {processors} processors, {memory} MiB of
memory; {kernel}; {compiler}. `chrt -r 5 sh bench/rdp.sh` repeats the measurement: the machine had other work, which waited meanwhile."""
ANSWERS = """\
Clients of [`ubiheap run --listen`](../how-to/debug-memory-from-firefox.md) on the same machine, while the script runs; the clients are Python programs, whose
own time is in the numbers. *getState*: the median of round trips on one connection. *Census*: from the request to the last byte, of a heap whose many classes
make the reply that long; most of it is counting. *Snapshot*: a saved one of that size, beside *copy*, the same bytes from memory by a program that does
nothing else; they took turns. The goals: 100 us for getState, a census of ten times the bytes in about ten times the time, a snapshot in at most twice
the time of a copy. *Resident* is the server's memory before and the most during the transfer."""
CLIENTS = """\
Connected are as many clients as may be; fifty of them ask, 20 ms after each reply, in turn for the state, a measurement, a census, the tabs and what was
allocated. One other asks for the state every millisecond: its round trips, with its own waiting for a processor. *Turn* is what the network's thread did at
most before it looked at its connections again, in processor time, and in time without what it waited for connections; when other programs have the
processors, that is in the latter. The goal: no stall above 5 ms."""
LISTENING = """\
Instructions of a script under `ubiheap run --listen`, of `ubiheap run` without it = 1, counted by valgrind; two sizes, so that start and end cancel out.
No client is connected. The goal: at most 1.01."""


def middle(results, key, **wanted):
    """The median of a value of the runs that have these values."""
    return results.middle([run for run in results.runs if all(run.get(k) == value for k, value in wanted.items())], key)


def answer_rows(results):
    yield ["getState", "", milliseconds(middle(results, "wallNs", row="getState")), "", ""]
    for n_bytes in sorted({run["bytes"] for run in results.runs if run["row"] == "census"}):
        yield ["census", size(n_bytes), milliseconds(middle(results, "wallNs", row="census", bytes=n_bytes)), "", ""]
    for row, words in (("bulk", "snapshot"), ("copy", "copy")):
        runs = [run for run in results.runs if run["row"] == row]
        resident = [size(int(middle(results, key, row=row))) if row == "bulk" else "" for key in ("residentBytes", "mostResidentBytes")]
        yield [words, size(runs[0]["bytes"]), milliseconds(middle(results, "wallNs", row=row)), *resident]


def client_rows(results):
    for run in results.runs:
        if run["row"] == "clients":
            yield [str(run["clients"]), str(run["active"]), f"{run['replies'] / run['seconds']:,.0f}", f"{run['probes']:,}",
                   milliseconds(run["wallNs"]), milliseconds(run["rareNs"]), milliseconds(run["longestNs"]), milliseconds(run["turnCpuNs"]),
                   milliseconds(run["turnNs"])]


def listening_rows(results):
    for name in dict.fromkeys(run["file"] for run in results.runs if run["row"] == "instructions"):
        without, listening = (middle(results, "instructions", file=name, listens=is_listening) for is_listening in (False, True))
        yield [name, f"{without:,.0f}", f"{listening / without:.4f}"]


def command_list(_):
    return "sh bench/rdp.sh"


def sections(results):
    """(title, text, table) each."""
    head = paragraphs(HEAD.format(**machine_words(results.document)))
    return [("Remote protocol: what a client waits for", head + "\n\n" + paragraphs(ANSWERS),
             table(["answer", "bytes", "ms", "resident", "at most"], list(answer_rows(results)))),
            ("Remote protocol: many clients", paragraphs(CLIENTS),
             table(["connected", "that ask", "replies per second", "round trips", "median, ms", "99.9 %, ms", "longest, ms",
                    "turn: CPU, ms", "ms"],
                   list(client_rows(results)), n_text=0)),
            ("Remote protocol: what listening costs a script", paragraphs(LISTENING),
             table(["script", "instructions", "with --listen"], list(listening_rows(results))))]
