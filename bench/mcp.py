#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an agent waits for, and reads, until it knows what holds the memory: `ubiheap mcp` beside chrome-devtools-mcp, for bench/mcp.sh.

    mcp.py --ubiheap PROGRAM --repeats N --big FILE [--rival DIR --chrome PROGRAM]

A row per turn of one caller, which has no judgement. Ours follows the call that each reply proposes. The rival's replies propose nothing,
so its caller has a fixed script: compare two snapshots, then for each class, in the order of the reply, ask for its new objects, and for
the retaining paths of the first one. Both are done when a reply has the words that name the planted holder. `wallNs` is the time from the start of the program
to that reply, `residentBytes` the most memory of that process (of Chrome, which the rival starts, nothing is counted), `replyBytes`
all replies, `toolBytes` the list of tools, which agents read first.

On the big heap both are asked once: ours for `report`, with an index in the cache folder and without, the rival for the details of the
heap, its first reply with classes and retained sizes.
"""
import argparse
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data" / "v8"
PROGRAMS = ROOT / "examples" / "leaks"
# Case: words that name what was planted, as both tools write them.
LIVE = {"chat-server": ("room",), "thumbnails": ("ThumbnailJob", "Timeout"), "outline": ("marks",)}
NODE = {"node20": ("registry",)}
MOST_CLASSES = 10
MOST_SECONDS = 900


class Server:
    """A program that speaks the protocol. `n_bytes` counts its replies to calls of tools."""

    def __init__(self, command, env=None):
        self.started_ns = time.monotonic_ns()
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=env)
        self.n_bytes = self.n_calls = self.last_id = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {"roots": {}},
                                    "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], MOST_SECONDS)
        line = self.process.stdout.readline() if ready else b""
        if not line:
            raise TimeoutError("no reply")
        return line

    def request(self, method, params):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        while True:
            line = self.line()
            message = json.loads(line)
            if "method" in message and "id" in message:  # it wants to know what it may read
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": [{"uri": "file:///"}]}})
            elif message.get("id") == self.last_id:
                return message, len(line)

    def call(self, tool, arguments):
        message, n_bytes = self.request("tools/call", {"name": tool, "arguments": arguments})
        self.n_bytes += n_bytes
        self.n_calls += 1
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        result = message["result"]
        text = "\n".join(part.get("text", "") for part in result["content"])
        if result.get("isError"):
            raise RuntimeError(text[:200])
        return text

    def wall_ns(self):
        return time.monotonic_ns() - self.started_ns

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)[1]) * 1024

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def is_named(text, words):
    return all(word in text for word in words)


def ask_ours(server, first, words):
    """Follows what is proposed."""
    tool, arguments = first, {}
    for _ in range(20):
        text = server.call(tool, arguments)
        if is_named(text, words):
            return True
        last = text.splitlines()[-1]
        if not last.startswith("next: "):
            return False
        tool, rest = last[len("next: "):].split(" ", 1)
        arguments = json.loads(rest)
    return False


def ask_rival(server, files, words):
    """A fixed script."""
    pair = {"baseFilePath": str(files[0]), "currentFilePath": str(files[-1])}
    text = server.call("compare_heapsnapshots", pair)
    for index in re.findall(r"^(\d+),", text, re.MULTILINE)[:MOST_CLASSES]:
        objects = server.call("compare_heapsnapshots", {**pair, "classIndex": int(index)})
        first = re.search(r"\+ @(\d+)", objects)
        if not first:
            continue
        paths = server.call("get_heapsnapshot_retaining_paths",
                            {"filePath": str(files[-1]), "nodeId": int(first[1]), "maxDepth": 12})
        if is_named(paths, words):
            return True
    return False


def row(server, file, name, has_named):
    wall_ns, resident_bytes = server.wall_ns(), server.resident_bytes()
    message, n_bytes = server.request("tools/list", {})
    return {"file": file, "row": name, "threads": 0, "wallNs": wall_ns, "residentBytes": resident_bytes,
            "replyBytes": server.n_bytes, "calls": server.n_calls, "isNamed": has_named, "toolBytes": n_bytes,
            "tools": len(message["result"]["tools"])}


class Callers:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.polyfill = folder / "polyfill.cjs"  # Node.js 20 is too old for Promise.withResolvers
        self.polyfill.write_text("Promise.withResolvers ??= function () { const it = {}; it.promise = new this((resolve, reject) => "
                                 "Object.assign(it, { resolve, reject })); return it; };\n")

    def ours(self, *arguments):
        return Server([self.args.ubiheap, "mcp", *arguments])

    def rival(self):
        options = ["--memoryDebugging", "--headless", "--isolated", "--executablePath", self.args.chrome,
                   "--chromeArg=--no-sandbox", "--usageStatistics=false"]
        program = self.args.rival / "node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"
        env = {**os.environ, "NODE_OPTIONS": f"--require {self.polyfill}", "HOME": str(self.folder)}
        return Server(["node", "--max-old-space-size=12000", program, *options], env=env)

    def turn(self, make, ask, file, name):
        server = make()
        try:
            return row(server, file, name, ask(server))
        except (RuntimeError, TimeoutError) as error:
            print(f"bench: {name} on {file}: {error}", file=sys.stderr)
            return None
        finally:
            server.close()

    def leak(self, file, files, words):
        """Both callers on snapshots of one process."""
        yield self.turn(lambda: self.ours("--no-cache", *files), lambda server: ask_ours(server, "leaks", words), file,
                        "agent:ubiheap mcp")
        if self.args.rival:
            yield self.turn(self.rival, lambda server: ask_rival(server, files, words), file, "agent:chrome-devtools-mcp")

    def big(self, path, kept):
        def report(server):
            return "next: " in server.call("report", {})

        def details(server):
            return "className" in server.call("get_heapsnapshot_details", {"filePath": str(readable)})
        file, readable = path.name, self.folder / path.name
        yield self.turn(lambda: self.ours("--cache-dir", kept, path), report, file, "first:ubiheap mcp, indexed")
        yield self.turn(lambda: self.ours("--no-cache", path), report, file, "first:ubiheap mcp")
        if self.args.rival:  # it reads its folder, and that of temporary files
            shutil.copy(path, readable)
            yield self.turn(self.rival, details, file, "first:chrome-devtools-mcp")
            readable.unlink()


def inflated(folder, name):
    """Fixtures are packed, which the rival does not read."""
    path = folder / f"{name}.heapsnapshot"
    path.write_bytes(subprocess.run(["gzip", "-dc", DATA / f"{name}.heapsnapshot.gz"], check=True, capture_output=True).stdout)
    return path


def leaks_of(folder):
    for name, words in NODE.items():
        yield name, [inflated(folder, f"{name}-before"), inflated(folder, f"{name}-after")], words
    for name, words in LIVE.items():
        subprocess.run(["node", PROGRAMS / f"{name}.js", folder / name], check=True, stdout=subprocess.DEVNULL)
        yield name, sorted((folder / name).glob("*.heapsnapshot")), words


def put(rows):
    for one in rows:
        if one:
            print(json.dumps(one), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ubiheap", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--big", type=pathlib.Path)
    parser.add_argument("--rival", type=pathlib.Path)
    parser.add_argument("--chrome", default=shutil.which("chromium"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ubiheap-bench-", ignore_cleanup_errors=True) as scratch:
        folder = pathlib.Path(scratch)
        callers = Callers(args, folder)
        leaks = list(leaks_of(folder))
        for _ in range(args.repeats):
            for file, files, words in leaks:
                put(callers.leak(file, files, words))
        if args.big:
            kept = folder / "kept"
            subprocess.run([args.ubiheap, "report", "--cache", "--cache-dir", kept, args.big], check=True,
                           stdout=subprocess.DEVNULL)
            for turn in range(args.repeats):
                if turn == 1:
                    callers.args.rival = None  # minutes each: once is enough
                put(callers.big(args.big.resolve(), kept))


if __name__ == "__main__":
    sys.exit(main())
