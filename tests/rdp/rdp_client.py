# SPDX-License-Identifier: MIT
"""A client of the remote debugging protocol for tests: packets over a socket, one request after the other or several at once."""
import contextlib
import json
import os
import re
import socket
import subprocess

UBIHEAP = os.environ.get("UBIHEAP")


class Refused(Exception):
    """An error packet."""

    def __init__(self, packet):
        super().__init__(f"{packet['error']}: {packet['message']}")
        self.packet = packet


class Client:
    """A connection; `greeting` is what the server said first."""

    def __init__(self, port, is_modern=True):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.bytes = b""
        self.events = []
        self.greeting = self.packet()
        if is_modern:
            self.request("root", "connect", frontendVersion="153.7.0")

    def close(self):
        self.socket.close()

    def send(self, to, type_, **members):
        """Sends a request; members that are None are sent as null."""
        text = json.dumps({"to": to, "type": type_, **members}).encode()
        self.socket.sendall(b"%d:" % len(text) + text)

    def read(self, n):
        """Exactly n bytes."""
        while len(self.bytes) < n:
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise EOFError("the server closed the connection")
            self.bytes += piece
        taken, self.bytes = self.bytes[:n], self.bytes[n:]
        return taken

    def packet(self):
        """The next one: an object, or (actor, type, bytes) of a bulk packet."""
        header = b""
        while not header.endswith(b":"):
            header += self.read(1)
        bulk = re.fullmatch(rb"bulk ([^: ]+) ([^: ]+) (\d+):", header)
        if bulk:
            return bulk[1].decode(), bulk[2].decode(), self.read(int(bulk[3]))
        return json.loads(self.read(int(header[:-1])))

    def reply(self, actor):
        """The next packet of an actor that is not an event; events are kept."""
        while True:
            packet = self.packet()
            if isinstance(packet, tuple):
                return packet
            if packet["from"] != actor or packet.get("type") in EVENTS:
                self.events.append(packet)
                continue
            if "error" in packet:
                raise Refused(packet)
            return packet

    def request(self, to, type_, **members):
        self.send(to, type_, **members)
        return self.reply(to)

    def event(self, type_):
        """The next event of a type, perhaps one that has come already."""
        while True:
            for i, event in enumerate(self.events):
                if event.get("type") == type_:
                    return self.events.pop(i)
            self.events.append(self.packet())

    def targets(self):
        """Forms of the targets of all tabs."""
        return [self.request(tab["actor"], "getTarget")["frame"] for tab in self.request("root", "listTabs")["tabs"]]

    def evaluate(self, text, number=0, **members):
        """The event with the result of a text."""
        console = self.targets()[number]["consoleActor"]
        result = self.request(console, "evaluateJSAsync", text=text, **members)["resultID"]
        event = self.event("evaluationResult")
        if event["resultID"] != result:
            raise AssertionError(f"{event['resultID']} is the result of another text than {result}")
        return event

    def memory(self, number=0):
        """The memory actor of a tab."""
        return self.targets()[number]["memoryActor"]


EVENTS = {"garbage-collection", "allocations", "target-available-form", "resources-available-array", "tabListChanged",
          "descriptor-destroyed", "evaluationResult", "consoleAPICall", "pageError", "resource-available-form", "markers", "ticks",
          "memory", "frames", "doc-loading"}


@contextlib.contextmanager
def running(*arguments, code=None, extra=(), port=0, env=None):
    """A program under `ubiheap run --listen` on a port, 0: a free one: yields the port and the process, which is ended at last."""
    command = [UBIHEAP, "run", "--listen", str(port), *extra, *(["-e", code] if code else []), *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=env)
    try:
        line = process.stderr.readline()
        found = re.fullmatch(r"ubiheap: listening on 127\.0\.0\.1:(\d+) for Firefox's about:debugging\n", line)
        if not found:
            raise AssertionError(line + process.stderr.read())
        yield int(found[1]), process
    finally:
        process.kill()
        process.communicate()
