# SPDX-License-Identifier: MIT
"""A server of the remote debugging protocol that follows a script: it replays conversations of servers of some age, or misbehaves.

A script is a function that gets a Peer and says what a server would. `Script` answers by a table: (actor, type) leads to a list of
what is sent: dicts are JSON packets (`from` is added), bytes go out as they are, functions get the peer and the request.
"""
import json
import socket
import threading

ENDED = "the program, worker or tab has ended, or the connection to it"
GREETING = {"from": "root", "applicationType": "browser", "testConnectionPrefix": "server1.conn0.", "traits": {}}


def packet(value):
    text = json.dumps(value).encode()
    return b"%d:%s" % (len(text), text)


def bulk(actor, data, word="undefined"):
    return b"bulk %s %s %d:%s" % (actor.encode(), word.encode(), len(data), data)


class Peer:
    """One connection."""

    def __init__(self, connection, seen):
        self.socket, self.pending, self.seen = connection, b"", seen

    def send(self, *values):
        for value in values:
            self.socket.sendall(value if isinstance(value, bytes) else packet(value))

    def receive(self):
        """The next request; None when the other side has left."""
        while True:
            length, colon, rest = self.pending.partition(b":")
            if colon and len(rest) >= int(length):
                text, self.pending = rest[:int(length)], rest[int(length):]
                request = json.loads(text)
                self.seen.append(request)
                return request
            piece = self.socket.recv(65536)
            if not piece:
                return None
            self.pending += piece


class Server:
    """Serves each connection by `script`, one after the other. A context manager; `requests` has what was asked."""

    def __init__(self, script, port=0):
        self.script, self.requests = script, []
        self.listening = socket.create_server(("127.0.0.1", port))
        self.port = self.listening.getsockname()[1]
        self.connected = threading.Event()
        self.connection = socket.socket()  # the one that is served
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def serve(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            with connection:
                self.connection.close()
                self.connection = connection
                self.connected.set()
                try:
                    self.script(Peer(connection, self.requests))
                except OSError:
                    pass  # the client has left

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it is closed, or there was none
        self.thread.join()


class Script:
    """Answers by a table; what is not in it is not recognized."""

    def __init__(self, answers, pieces=None):
        self.answers, self.pieces = answers, pieces

    def unknown(self, request):
        name = f"Actor {request['to']} does not recognize the packet type '{request['type']}'"
        return [{"error": "unrecognizedPacketType", "message": name}]

    def __call__(self, peer):
        peer.send(GREETING)
        while (request := peer.receive()) is not None:
            for value in self.answers.get((request["to"], request["type"]), self.unknown(request)):
                if callable(value):
                    value = value(request)
                if isinstance(value, dict):
                    value = packet({"from": request["to"], **value})
                self.send(peer, value)

    def send(self, peer, data):
        """In small pieces, if that is asked for."""
        step = self.pieces or len(data) or 1
        for at in range(0, len(data), step):
            peer.send(data[at:at + step])
