#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes a conversation of our client with the Firefox that is installed:

    UBIHEAP=build/release/bin/ubiheap python3 tests/rdp/capture_conversation.py attach @ measure --json > tests/rdp/conversations/NAME.txt

The first line, which says what it is about, is written by hand; conversations/README.md says what is changed."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE_DIR / "tests" / "oracle"))
import firefox  # noqa: E402

PAGE = "data:text/html,<title>a page</title><script>const kept = []; setInterval(() => kept.push(new Map()), 50);</script>"
PASSING = ("browserId", "browsingContextID", "outerWindowID", "innerWindowId", "processID", "parentInnerWindowId", "topInnerWindowId", "id")
UNUSED = ("traits", "resources")  # of forms: long, and not read


def packets_of(data):
    """Each whole packet, JSON or the header of a bulk packet, and the bytes that are left."""
    found = []
    while match := re.match(rb"(bulk [^: ]+ [^: ]+ )?(\d+):", data):
        end = match.end() + int(match[2])
        if len(data) < end:
            break
        found.append(match[1].decode() if match[1] else json.loads(data[match.end():end]))
        data = data[end:]
    return found, data


class Numbers:
    """Small numbers in place of those that differ from run to run."""

    def __init__(self):
        self.seen = {}

    def plain(self, value, key=None):
        if isinstance(value, dict):
            return {name: {} if name in UNUSED and isinstance(inner, dict) else self.plain(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.plain(inner, key) for inner in value]
        if key in PASSING and isinstance(value, int) and value > 0:
            return self.seen.setdefault(value, len(self.seen) + 1)
        if isinstance(value, str):
            return re.sub(r"process\d+", "process1", "http://a/" if value.startswith("data:") else value)
        return value


def lines_of(direction, packet, numbers):
    if isinstance(packet, str):
        _, actor, kind = packet.split()
        return f"{direction} bulk {actor} {kind} tiny-before.fxsnapshot"
    plain = numbers.plain(packet)
    if "snapshotId" in plain:
        plain["snapshotId"] = "1-1"
    return f"{direction} {json.dumps(plain, separators=(',', ':'))}"


def relay(source, to, direction, lines, lock, numbers):
    left = b""
    while piece := source.recv(1 << 20):
        with lock:  # what is answered was written down before
            found, left = packets_of(left + piece)
            lines += [lines_of(direction, packet, numbers) for packet in found]
            to.sendall(piece)
    to.shutdown(socket.SHUT_WR)


def capture(port, words):
    lines, lock, numbers = [], threading.Lock(), Numbers()
    with socket.create_server(("127.0.0.1", 0)) as listening, tempfile.TemporaryDirectory() as folder:
        address = f"firefox://127.0.0.1:{listening.getsockname()[1]}"
        command = [str(pathlib.Path(os.environ["UBIHEAP"]).resolve()), *(address if word == "@" else word for word in words)]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        client, _ = listening.accept()
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            threads = [threading.Thread(target=relay, args=(*ends, lines, lock, numbers)) for ends in ((client, server, ">"), (server, client, "<"))]
            for thread in threads:
                thread.start()
            process.wait()
            for thread in threads:
                thread.join()
    return lines


def main():
    port = firefox.free_port()
    browser = firefox.Firefox(debugger_port=port)
    try:
        browser.marionette.command("Marionette:SetContext", {"value": "content"})
        browser.marionette.command("WebDriver:Navigate", {"url": PAGE})
        print("\n".join([f"$ {' '.join(sys.argv[1:])}", *capture(port, sys.argv[1:])]))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
