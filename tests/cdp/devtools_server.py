# SPDX-License-Identifier: MIT
"""A server of the DevTools protocol that follows a script, or misbehaves: lists of targets over HTTP, and WebSockets.

A script is a function that gets a Peer, which has agreed to be a WebSocket.
"""
import base64
import hashlib
import json
import socket
import threading

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TARGETS = [{"type": "node", "title": "scripted", "url": "file:///scripted.js", "webSocketDebuggerUrl": "ws://elsewhere:1/scripted"}]


def frame(payload, opcode=1, is_last=True):
    """What a server sends: a part of a message, not masked."""
    head = bytes([opcode | (0x80 if is_last else 0)])
    n = len(payload)
    if n < 126:
        return head + bytes([n]) + payload
    return head + (b"\x7e" + n.to_bytes(2, "big") if n < 1 << 16 else b"\x7f" + n.to_bytes(8, "big")) + payload


def message(value, part_bytes=None):
    """A message as one frame, or in frames of so many bytes."""
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    if not part_bytes:
        return frame(text)
    parts = [text[i:i + part_bytes] for i in range(0, len(text), part_bytes)]
    return b"".join(frame(part, 0 if i else 1, i == len(parts) - 1) for i, part in enumerate(parts))


def chunk(text):
    return {"method": "HeapProfiler.addHeapSnapshotChunk", "params": {"chunk": text}}


class Peer:
    """One WebSocket."""

    def __init__(self, connection, reader):
        self.socket, self.reader = connection, reader

    def send(self, *values, part_bytes=None):
        for value in values:
            self.socket.sendall(message(value, part_bytes))

    def receive(self):
        """The next command; None when the other side has left."""
        head = self.reader.read(2)
        if len(head) < 2 or head[0] & 15 != 1:
            return None
        n = head[1] & 127
        if n >= 126:
            n = int.from_bytes(self.reader.read(2 if n == 126 else 8), "big")
        mask, data = self.reader.read(4), self.reader.read(n)
        return json.loads(bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))


def await_snapshot(peer):
    """Answers commands until a snapshot is asked for: that one."""
    while (command := peer.receive())["method"] != "HeapProfiler.takeHeapSnapshot":
        peer.send({"id": command["id"], "result": {}})
    return command


class Server:
    """A context manager. `listing`: what /json/list answers, a value or the bytes of a whole answer."""

    def __init__(self, script, listing=TARGETS):  # pylint: disable=dangerous-default-value  # not changed
        self.script, self.listing = script, listing
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.reached = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection, connection.makefile("rb") as reader:
            try:
                self.converse(connection, reader)
            except OSError:
                pass  # the other side has left

    def converse(self, connection, reader):
        path, headers = reader.readline().split()[1], {}
        while (line := reader.readline().strip()):
            name, _, value = line.partition(b":")
            headers[name.lower()] = value.strip()
        if b"sec-websocket-key" in headers:
            answer = base64.b64encode(hashlib.sha1(headers[b"sec-websocket-key"] + MAGIC).digest())
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                               b"Sec-WebSocket-Accept: " + answer + b"\r\n\r\n")
            self.reached.set()
            self.script(Peer(connection, reader))
        elif isinstance(self.listing, bytes):
            connection.sendall(self.listing)
            self.reached.set()
        else:
            assert path == b"/json/list", path
            text = json.dumps(self.listing).encode()
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(text) + text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listening.close()
