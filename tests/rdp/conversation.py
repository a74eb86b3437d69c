# SPDX-License-Identifier: MIT
"""Conversations of our client with servers, as files: conversations/README.md says what is in them."""
import base64
import json
import pathlib

from scripted_server import bulk, packet

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "fx"


class Conversation:
    """A file that was read. Serves one connection as it says; `rest` is what was not said, and `mismatch` why."""

    def __init__(self, path):
        self.lines = [line.split(" ", 1) for line in path.read_text().splitlines() if line and line[0] in "$<>"]
        self.command = next(words for kind, words in self.lines if kind == "$").split()
        self.rest = [(kind, words) for kind, words in self.lines if kind != "$"]
        self.mismatch = None

    def __call__(self, peer):
        while self.rest:
            kind, words = self.rest[0]
            if kind == "<":
                peer.send(self.sent(words))
            else:
                request = peer.receive()
                if request != json.loads(words):
                    self.mismatch = f"{json.dumps(request)}, not {words}"
                    return
            self.rest.pop(0)
        while peer.receive() is not None:
            self.mismatch = "more was asked"

    def sent(self, words):
        form, *more = words.split(" ")
        if form == "bulk":
            actor, kind, name = more
            return bulk(actor, (DATA / name).read_bytes(), kind)
        if form == "pieces":
            actor, name = more
            data = (DATA / name).read_bytes()
            return packet({"from": actor, "data": base64.b64encode(data).decode(), "offset": 0, "size": len(data)})
        return packet(json.loads(words))
