# SPDX-License-Identifier: MIT
"""A client of the Debug Adapter Protocol: drives an adapter over its standard input and output."""
import json
import subprocess


class Adapter:
    """A running adapter. `events`: those that came so far and were not asked for."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last_id, self.events = 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def message(self):
        length = None
        for line in iter(self.process.stdout.readline, b"\r\n"):
            if not line:
                raise EOFError("the adapter has ended")
            name, _, value = line.partition(b":")
            if name == b"Content-Length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def request(self, command, **arguments):
        """The body of the response; events that come before it are kept."""
        self.last_id += 1
        text = json.dumps({"seq": self.last_id, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()
        while True:
            message = self.message()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == self.last_id:
                if not message["success"]:
                    raise AssertionError(message)
                return message.get("body")

    def event(self, is_wanted):
        """The next event that is_wanted(event, body), perhaps one that has come already."""
        while True:
            for i, event in enumerate(self.events):
                if is_wanted(event["event"], event.get("body")):
                    return self.events.pop(i)["body"]
            message = self.message()
            if message["type"] == "event":
                self.events.append(message)
