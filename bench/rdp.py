#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `ubiheap run --listen` makes its clients and its script wait for, as rows for bench/report.py.

    rdp.py --build DIR [--repeats N] [--bulk BYTES] [--clients N] [--scale N]

Rows: "getState" the median of round trips on one connection; "bulk" a large snapshot to a client, and "copy" the same bytes
from memory by a program that does nothing else, in turns, with the server's resident memory before and at most; "clients" round trips
of one client, one every millisecond, while others are connected and fifty of them ask, and what a turn of the network's thread took at
most: processor time, and time (when others had the processor, that is in it); "census" replies of two sizes; "instructions" of scripts, counted by valgrind, with `--listen` and without.
"""
import argparse
import gc
import glob
import json
import os
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "rdp"))
import rdp_client  # noqa: E402

TURNS = 5000
PIECE = 1 << 20
ACTIVE = 50
ACTIVE_EVERY = 0.02
PROBE_EVERY = 0.001
PROBE_SECONDS = 10

# A program that lives, allocates, and has something to count.
LIVING = "globalThis.kept = []; setInterval(() => { for (let i = 0; i < 10; i++) kept.push({ i }); if (kept.length > 5000) kept = []; }, 2);"
# name -> what a script does `n` times
WORKLOADS = {
    "objects": ("kept = []; for (let i = 0; i < n; i++) { kept.push({ a: i, b: [i] }); if (kept.length > 20000) kept.length = 0; }", 200000),
    "strings": ("for (let i = 0; i < n; i++) kept = `${i} and ${i * 2}`.split(' ');", 150000),
    "maps": ("kept = new Map(); for (let i = 0; i < n; i++) kept.set(i % 5000, 'v' + i);", 200000),
    "closures": ("for (let i = 0; i < n; i++) kept = [i, i + 1].map(x => () => x + i);", 100000),
    "calls": ("function fib(k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); } for (let i = 0; i < n; i++) kept = fib(10);", 2000),
}


def row(file, name, wall_ns, **more):
    print(json.dumps({"file": file, "row": name, "threads": 0, "wallNs": int(wall_ns), **more}), flush=True)


class Heap:
    """quickjs_listen_bench: a heap that listens on `port`."""

    def __init__(self, build, n_classes, n_letters):
        command = [f"{build}/bench/quickjs_listen_bench", str(n_classes), str(n_letters)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()

    def longest_turn(self):
        """(processor time, time) of the network's thread, since the last call."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return map(int, self.process.stdout.readline().split())


# ---- one client -----------------------------------------------------------------------------------------------------

def packet_length(client, form):
    """Reads the header of the next packet."""
    header = b""
    while not header.endswith(b":"):
        header += client.read(1)
    return int(re.fullmatch(form, header)[1])


class Asker:
    """A request that is sent again and again; the whole reply is read."""

    def __init__(self, client, actor, type_):
        text = json.dumps({"to": actor, "type": type_}).encode()
        self.bytes = b"%d:" % len(text) + text
        client.send(actor, type_)
        n_bytes = packet_length(client, rb"(\d+):")
        client.read(n_bytes)
        self.length = len(str(n_bytes)) + 1 + n_bytes
        self.socket = client.socket
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self):
        began = time.perf_counter_ns()
        self.socket.sendall(self.bytes)
        left = self.length
        while left:
            left -= len(self.socket.recv(left))
        return time.perf_counter_ns() - began


def get_state():
    with rdp_client.running(code=LIVING) as (port, _):
        client = rdp_client.Client(port)
        asker = Asker(client, client.memory(), "getState")
        times = [asker.ask() for _ in range(TURNS)]
    row("getState", "getState", statistics.median(times), turns=TURNS, worst=max(times))


# ---- bulk -----------------------------------------------------------------------------------------------------------

def status_bytes(pid, key):
    return int(Path(f"/proc/{pid}/status").read_text().split(f"{key}:")[1].split()[0]) * 1024


def receive(connection, n_bytes, room):
    while n_bytes:
        n = connection.recv_into(room, min(n_bytes, PIECE))
        if not n:
            raise EOFError("the sender has gone")
        n_bytes -= n


COPYING = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
piece, left = bytes(1 << 20), int(sys.argv[1])
connection = listener.accept()[0]
connection.recv(1)
while left:
    connection.sendall(piece[:left])
    left -= min(left, len(piece))
"""


def copy(n_bytes, room):
    process = subprocess.Popen([sys.executable, "-c", COPYING, str(n_bytes)], stdout=subprocess.PIPE, text=True)
    with socket.create_connection(("127.0.0.1", int(process.stdout.readline()))) as connection:
        began = time.perf_counter_ns()
        connection.sendall(b"!")
        receive(connection, n_bytes, room)
        wall_ns = time.perf_counter_ns() - began
    process.communicate()
    row("bulk", "copy", wall_ns, bytes=n_bytes)


def transfer(client, actor, snapshot, room):
    """(bytes, nanoseconds)"""
    began = time.perf_counter_ns()
    client.send(actor, "transferHeapSnapshot", snapshotId=snapshot)
    n_bytes = packet_length(client, rb"bulk \S+ \S+ (\d+):")
    receive(client.socket, n_bytes - len(client.bytes), room)
    client.bytes = b""
    return n_bytes, time.perf_counter_ns() - began


def bulk(n_bytes, repeats):
    """The saved snapshot is made as large as is wanted: the server sends files as they are."""
    room = memoryview(bytearray(PIECE))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        with rdp_client.running(code=LIVING) as (port, process):
            client = rdp_client.Client(port)
            memory = client.memory()
            client.request(memory, "attach")
            snapshot = client.request(memory, "saveHeapSnapshot")["snapshotId"]
            client.request(memory, "detach")  # no events between the replies
            files = client.request("root", "getRoot")["heapSnapshotFileActor"]
            with open(glob.glob(f"{folder}/*/{snapshot}.fxsnapshot")[0], "wb") as file:
                for at in range(0, n_bytes, PIECE):
                    file.write(bytes(min(PIECE, n_bytes - at)))
            for _ in range(repeats):
                before = status_bytes(process.pid, "VmRSS")
                n_sent, wall_ns = transfer(client, files, snapshot, room)
                row("bulk", "bulk", wall_ns, bytes=n_sent, residentBytes=before, mostResidentBytes=status_bytes(process.pid, "VmHWM"))
                copy(n_bytes, room)
        del os.environ["TMPDIR"]


# ---- many clients ---------------------------------------------------------------------------------------------------

class Active:
    """A client that asks for one thing after the other. Replies are counted by their packets."""

    KINDS = ("getState", "measure", "takeCensus", "listTabs", "getAllocations")

    def __init__(self, port, number):
        self.client = rdp_client.Client(port)
        self.memory = self.client.memory()
        self.client.request(self.memory, "attach")
        self.client.request(self.memory, "startRecordingAllocations")
        self.number, self.n_replies = number, 0
        self.due = time.monotonic() + ACTIVE_EVERY * number / ACTIVE

    def ask(self):
        self.number += 1
        kind = self.KINDS[self.number % len(self.KINDS)]
        self.client.send("root" if kind == "listTabs" else self.memory, kind)
        self.due = float("inf")

    def hear(self):
        while True:
            packet = self.client.packet()
            if packet["from"] in (self.memory, "root") and packet.get("type") not in rdp_client.EVENTS:
                if "error" in packet:
                    raise SystemExit(f"rdp.py: {packet}")
                self.n_replies += 1
                self.due = time.monotonic() + ACTIVE_EVERY
            if not self.client.bytes:
                return


def active_clients(port):
    """A process of its own: until it is ended. Says so when all are there, and how many replies there were at the end of its input."""
    os.nice(10)
    clients = [Active(port, i) for i in range(ACTIVE)]
    waiting = selectors.DefaultSelector()
    for client in clients:
        waiting.register(client.client.socket, selectors.EVENT_READ, client)
    waiting.register(sys.stdin, selectors.EVENT_READ, None)
    print("there", flush=True)
    while True:
        for key, _ in waiting.select(max(0.0, min(0.01, min(c.due for c in clients) - time.monotonic()))):
            if key.data is None:
                print(sum(c.n_replies for c in clients), flush=True)
                return
            key.data.hear()
        for client in clients:
            if client.due <= time.monotonic():
                client.ask()


def probe(asker, seconds):
    """Round trips, one every millisecond."""
    times, end = [], time.monotonic() + seconds
    gc.disable()
    while time.monotonic() < end:
        times.append(asker.ask())
        time.sleep(PROBE_EVERY)
    gc.enable()
    return times


def clients(build, n_clients, seconds):
    with Heap(build, 10, 10) as heap:
        prober = rdp_client.Client(heap.port)
        asker = Asker(prober, prober.memory(), "getState")
        idle = [rdp_client.Client(heap.port) for _ in range(n_clients - ACTIVE - 1)]
        command = [sys.executable, __file__, "--active", str(heap.port)]
        others = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        others.stdout.readline()
        heap.longest_turn()
        times = sorted(probe(asker, seconds))
        turn_cpu_ns, turn_ns = heap.longest_turn()
        n_replies = int(others.communicate()[0])
        for client in (prober, *idle):
            client.close()
    row("clients", "clients", statistics.median(times), clients=n_clients, active=ACTIVE, replies=n_replies, seconds=seconds,
        probes=len(times), longestNs=times[-1], rareNs=times[int(len(times) * 0.999)], turnCpuNs=turn_cpu_ns, turnNs=turn_ns)


# ---- census ---------------------------------------------------------------------------------------------------------

# Of each class that a census names; a runtime has at most 65,535 of them.
CLASS_LETTERS = 150


def census(build, n_classes, repeats):
    with Heap(build, n_classes, CLASS_LETTERS) as heap:
        client, room = rdp_client.Client(heap.port), memoryview(bytearray(PIECE))
        memory = client.memory()
        client.request(memory, "attach")
        for _ in range(repeats):
            began = time.perf_counter_ns()
            client.send(memory, "takeCensus")
            n_bytes = packet_length(client, rb"(\d+):")
            receive(client.socket, n_bytes - len(client.bytes), room)
            client.bytes = b""
            row("census", "census", time.perf_counter_ns() - began, classes=n_classes, bytes=n_bytes)
        client.close()


# ---- what listening costs -------------------------------------------------------------------------------------------

def instructions(program, code, is_listening):
    listen = ["--listen", "0"] if is_listening else []
    run = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, "run", *listen, "-e", code],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"rdp.py: {run.stderr[-500:]}")
    return int(re.search(r"I +refs: +([\d,]+)", run.stderr)[1].replace(",", ""))


def workload_instructions(program, name, scale, is_listening):
    """Of a run, less those of one of half the size, so that start and end of the program cancel out."""
    work, n = WORKLOADS[name]
    large, small = (instructions(program, f"let n = {size}, kept; {work}", is_listening) for size in (2 * n // scale, n // scale))
    return large - small


def listening(program, scale):
    for name in WORKLOADS:
        for is_listening in (False, True):
            row(name, "instructions", 0, listens=is_listening, instructions=workload_instructions(program, name, scale, is_listening))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="the build directory")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--bulk", type=int, default=10 ** 9, help="bytes")
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--scale", type=int, default=1, help="divides all other sizes")
    parser.add_argument("--active", type=int, metavar="PORT", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.active:
        active_clients(args.active)
        return
    rdp_client.UBIHEAP = f"{args.build}/bin/ubiheap"
    for _ in range(args.repeats):
        get_state()
        clients(args.build, args.clients, PROBE_SECONDS / args.scale)
    bulk(args.bulk, args.repeats)
    for n_classes in (5600 // args.scale, 56000 // args.scale):
        census(args.build, n_classes, args.repeats)
    listening(rdp_client.UBIHEAP, args.scale)


if __name__ == "__main__":
    main()
