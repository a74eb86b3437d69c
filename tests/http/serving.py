# SPDX-License-Identifier: MIT
"""A server of `ubiheap serve`, or of http_driver, and requests to it."""
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

import jsonschema

ROOT = Path(os.environ.get("UBI_SOURCE_DIR") or Path(__file__).resolve().parents[2])
TOOL = os.environ["UBIHEAP"]
DRIVER = Path(os.environ["UBI_BUILD_DIR"]) / "tests" / "http_driver"
SCHEMAS = ROOT / "docs" / "reference" / "schema"
BEFORE = "tests/data/fx/tiny-before.fxsnapshot"
AFTER = "tests/data/fx/tiny-after.fxsnapshot"
V8 = "tests/data/v8/node20-after.heapsnapshot.gz"


class Answer:
    def __init__(self, response):
        self.code, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def document(self):
        return json.loads(self.body)


def check_schema(document):
    """Validates a document against the schema that it names; returns it."""
    name = document["schema"].replace("/", "-")
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


class Client:
    """Requests to the server of an address with its token."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.url, self.host, self.port = url, parts.hostname, parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port)

    def ask(self, path, method="GET", body=None, headers=None, connection=None, with_token=True):
        own = connection is None
        connection = connection or self.connect()
        authorization = {"Authorization": f"Bearer {self.token}"} if with_token else {}
        try:
            connection.request(method, path, body, {**authorization, **(headers or {})})
            return Answer(connection.getresponse())
        finally:
            if own:
                connection.close()

    def get(self, path, **more):
        """The document of a request that must be answered."""
        answer = self.ask(path, **more)
        if answer.code not in (200, 201, 202):
            raise AssertionError(f"{path}: {answer.code} {answer.body!r}")
        return check_schema(answer.document)

    def raw(self):
        """A socket, for what http.client does not send."""
        return socket.create_connection((self.host, self.port))


class Server(Client):
    """Ends with the test. `command` prints the address as its last line before it waits."""

    def __init__(self, test, command, lines=1, above=None):
        temporary = tempfile.TemporaryDirectory()
        test.addCleanup(temporary.cleanup)
        self.above = Path(above or temporary.name)  # of the folder of uploads
        environment = {**os.environ, "TMPDIR": str(self.above), "XDG_CACHE_HOME": temporary.name}
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.end)
        for _ in range(lines):
            url = self.process.stdout.readline().strip()
        if not url.startswith("http://"):
            raise AssertionError(self.process.stderr.read())
        super().__init__(url)

    def end(self):
        """Its exit code, after SIGTERM if it still runs."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.errors = self.process.communicate()[1]
        return self.process.returncode

    def folder(self):
        """What is in the folder of uploads."""
        return [path for folder in self.above.glob("ubiheap-serve-*") for path in folder.iterdir()]

    def say(self, line):
        """To the driver: the line is obeyed when this returns."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"


def serve(test, *words, above=None):
    return Server(test, [TOOL, "serve", *map(str, words)], above=above)


def drive(test, *files, idle=600, upload=1 << 20, waiting=64, root="tests/data"):
    return Server(test, [DRIVER, str(idle), str(upload), str(waiting), root, *map(str, files)], lines=2)


def read_all(connection):
    """What comes until the connection ends, also by a reset."""
    pieces = []
    try:
        while piece := connection.recv(65536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


def events(response):
    """(name, document) of each server-sent event, as they come."""
    name = None
    for line in response:
        line = line.decode().rstrip("\n")
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, check_schema(json.loads(line[6:]))
