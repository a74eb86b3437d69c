#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What clients of `ubiheap serve` wait for, as rows for bench/report.py.

    http.py --ubiheap PROGRAM [--big FILE] [--medium FILE] [--repeats N] [--memory MIB]

Rows: "cached" a question that was answered before, on one connection, the median of a thousand; "cached, gzip", "confirmed" (304), and
"cached, new connection" alike; "page" 200 rows of the large heap, sorted by retained size, from a new place of a list that was computed
(the median of the pages), and "first page", which computes it; "64 clients" with what they asked, errors, and the most memory of the
server that was resident, beside its limit; "64 clients, little memory" the same about eight heaps that need far more than the limit:
"refused" are the answers 507, and "neededBytes" what was resident without a limit.
"""
import argparse
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

SMALL = "tests/data/v8/node20-after.heapsnapshot.gz"
TURNS = 1000
PAGES = 100
CLIENTS, EACH = 64, 30
COPIES = 8


class Client:
    """One connection. The least that reads an answer."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.address = (parts.hostname, parts.port)
        token = urllib.parse.parse_qs(parts.query)["token"][0]
        self.head = f" HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {token}\r\n".encode()
        self.socket = None

    def connect(self):
        if self.socket:
            self.socket.close()
        self.socket = socket.create_connection(self.address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, path, extra=b""):
        """(code, headers, body) of a GET."""
        if not self.socket:
            self.connect()
        self.socket.sendall(b"GET " + path.encode() + self.head + extra + b"\r\n")
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.piece()
        head, body = data.split(b"\r\n\r\n", 1)
        headers = {name.lower(): value.strip() for name, value in (line.split(b":", 1) for line in head.split(b"\r\n")[1:])}
        if headers.get(b"transfer-encoding") == b"chunked":
            while not body.endswith(b"0\r\n\r\n"):
                body += self.piece()
        else:
            while len(body) < int(headers.get(b"content-length", 0)):
                body += self.piece()
        return int(head[9:12]), headers, body

    def piece(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise ConnectionError("the server has closed the connection")
        return piece


class Server:
    def __init__(self, program, files, memory_mib=None):
        self.temporary = tempfile.TemporaryDirectory()
        limit = ["--memory", f"{memory_mib}MiB"] if memory_mib else []
        environment = {**os.environ, "XDG_CACHE_HOME": self.temporary.name}
        self.process = subprocess.Popen([program, "serve", *limit, *files], stdout=subprocess.PIPE, text=True, env=environment)
        self.url = self.process.stdout.readline().strip()

    def peak_bytes(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.temporary.cleanup()


def row(file, name, wall_ns, **more):
    print(json.dumps({"file": Path(file).name, "row": name, "threads": 0, "wallNs": int(wall_ns), **more}), flush=True)


def median_ns(work, turns):
    times = []
    for i in range(turns):
        began = time.perf_counter_ns()
        work(i)
        times.append(time.perf_counter_ns() - began)
    return statistics.median(times)


def must(answer, code=200):
    if answer[0] != code:
        raise SystemExit(f"http.py: {answer}")
    return answer


def cached(program):
    server = Server(program, [SMALL])
    client, path = Client(server.url), "/api/1/heaps/h1/summary"
    tag = must(client.ask(path))[1][b"etag"]
    size = len(client.ask(path)[2])

    def connect_and_ask(_):
        client.connect()
        must(client.ask(path))

    row(SMALL, "cached", median_ns(lambda _: must(client.ask(path)), TURNS), replyBytes=size)
    packed = len(client.ask(path, b"Accept-Encoding: gzip\r\n")[2])
    row(SMALL, "cached, gzip", median_ns(lambda _: must(client.ask(path, b"Accept-Encoding: gzip\r\n")), TURNS), replyBytes=packed)
    row(SMALL, "confirmed", median_ns(lambda _: must(client.ask(path, b"If-None-Match: " + tag + b"\r\n"), 304), TURNS), replyBytes=0)
    row(SMALL, "cached, new connection", median_ns(connect_and_ask, TURNS), replyBytes=size)
    server.end()


def pages(program, big):
    server = Server(program, [big])
    client = Client(server.url)
    path = "/api/1/heaps/h1/nodes?sort=-retainedSize&columns=id,displayName,selfSize,retainedSize&limit=200&offset={}"
    began = time.perf_counter_ns()
    size = len(must(client.ask(path.format(0)))[2])
    row(big, "first page", time.perf_counter_ns() - began, replyBytes=size)
    offsets = random.Random(20).sample(range(1, 30000), PAGES)
    row(big, "page", median_ns(lambda i: must(client.ask(path.format(200 * offsets[i]))), PAGES), replyBytes=size)
    server.end()


def clients_ask(server, n_heaps):
    """(code, body) of all that was not answered, when all clients have asked."""
    paths = []
    for i in range(n_heaps):
        heap = f"/api/1/heaps/h{i + 1}"
        paths += [f"{heap}/summary?limit=50", f"{heap}/statistics", f"{heap}/dominators?limit=20", f"{heap}/report"]
        paths += [f"{heap}/nodes?sort=-retainedSize&limit=200&offset={200 * k}" for k in range(20)]
    failed = []

    def ask(number):
        client, chosen = Client(server.url), random.Random(number)
        for _ in range(EACH):
            code, _, body = client.ask(chosen.choice(paths))
            if code != 200:
                failed.append((code, body))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def many(program, files, memory_mib):
    server = Server(program, files, memory_mib)
    began = time.perf_counter_ns()
    errors = clients_ask(server, len(files))
    row(files[-1], f"{CLIENTS} clients", time.perf_counter_ns() - began, requests=CLIENTS * EACH, errors=len(errors), refused=0,
        limitBytes=memory_mib << 20, residentBytes=server.peak_bytes())
    server.end()
    if errors:
        raise SystemExit(f"http.py: {errors[0]}")


def at_limit(program, file, memory_mib):
    """Copies of a heap, which together do not fit."""
    with tempfile.TemporaryDirectory(dir=Path(file).parent if "bench-data" in str(file) else None) as folder:
        copies = [Path(folder) / f"{i}-{Path(file).name}" for i in range(COPIES)]
        for copy in copies:
            shutil.copyfile(file, copy)
        unlimited = Server(program, ["--no-cache", *copies])
        must((200 if not clients_ask(unlimited, COPIES) else 500, "without a limit"))
        needed_bytes = unlimited.peak_bytes()
        unlimited.end()
        server = Server(program, ["--no-cache", *copies], memory_mib)
        began = time.perf_counter_ns()
        failed = clients_ask(server, COPIES)
        refused = [body for code, body in failed if code == 507 and json.loads(body)["status"] == "outOfMemory"]
        row(file, f"{CLIENTS} clients, little memory", time.perf_counter_ns() - began, requests=CLIENTS * EACH,
            errors=len(failed) - len(refused), refused=len(refused), limitBytes=memory_mib << 20, residentBytes=server.peak_bytes(),
            neededBytes=needed_bytes)
        server.end()
        if len(failed) > len(refused):
            raise SystemExit(f"http.py: {next(answer for answer in failed if answer[0] != 507)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ubiheap", required=True)
    parser.add_argument("--big")
    parser.add_argument("--medium", help="a heap of which eight copies do not fit into 384 MiB")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--memory", type=int, default=2048, help="MiB, for 64 clients of the large heap")
    args = parser.parse_args()
    for _ in range(args.repeats):
        cached(args.ubiheap)
        if args.big:
            pages(args.ubiheap, args.big)
        many(args.ubiheap, [SMALL] + ([args.big] if args.big else []), args.memory if args.big else 64)
        at_limit(args.ubiheap, args.medium or SMALL, 384 if args.medium else 24)


if __name__ == "__main__":
    main()
