# SPDX-License-Identifier: MIT
"""What a client really asked for: a relay between it and a server, which notes each request by its actor's type; and what the reference
page says that the client drives."""
import json
import re
import socket
import threading
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "remote-protocol.md"


class Witness:
    """Relays connections to a server's port. `port`: where clients connect; `asked`: {(type of actor, request)}."""

    def __init__(self, server_port):
        self.server_port = server_port
        self.asked = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:  # it is closed
                return
            server = socket.create_connection(("127.0.0.1", self.server_port))
            threading.Thread(target=self.relay, args=(client, server, Requests(self.asked)), daemon=True).start()
            threading.Thread(target=self.relay, args=(server, client, None), daemon=True).start()

    @staticmethod
    def relay(source, destination, requests):
        """Until one of the two is gone."""
        try:
            for piece in iter(lambda: source.recv(1 << 16), b""):
                if requests:
                    requests.add(piece)
                destination.sendall(piece)
        except OSError:
            pass
        for end in (source, destination):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Requests:
    """What a client sends, in pieces of any size."""

    def __init__(self, asked):
        self.asked, self.pending = asked, b""

    def add(self, piece):
        self.pending += piece
        while b":" in self.pending:
            length, _, rest = self.pending.partition(b":")
            if len(rest) < int(length):
                return
            request, self.pending = json.loads(rest[:int(length)]), rest[int(length):]
            if request["type"] != "requestTypes":
                self.asked.add((actor_type(request["to"]), request["type"]))


def actor_type(actor):
    """server1.conn0.memory9 -> memory"""
    return re.sub(r"^server\d+\.conn\d+\.|\d+$", "", actor)


def page_requests():
    """{(type of actor, request): clients that drive it, in the words of the reference page}"""
    found, type_, is_request = {}, None, False
    for line in PAGE.read_text().splitlines():
        heading = re.fullmatch(r"### (\w+)", line)
        if heading:
            type_ = heading[1]
        elif line.startswith("## "):
            type_ = None
        if line.startswith(("| request |", "| event |")):
            is_request = line.startswith("| request |")
        row = re.match(r"\| `(\w+)` \|.* \|([^|]*)\|$", line)
        if row and type_ and is_request:
            found[type_, row[1]] = row[2].strip()
    return found


def check_driven(test, client, asked, sometimes=()):
    """The page says of this client exactly what it asked for; what there is not, clients also ask for, and do without. `sometimes`: what it
    asks for if it comes to that before it is ended."""
    page = page_requests()
    claimed = {request for request, clients in page.items() if client in re.split(", ", clients)}
    test.assertEqual(sorted(claimed - set(sometimes)), sorted((asked & page.keys()) - set(sometimes)))
