# SPDX-License-Identifier: MIT
"""A client of `ubiheap mcp` that has no judgement: it sends what it is given, and reads lines."""
import json
import os
import subprocess

VERSION = "2025-06-18"


class Client:
    """One server, until `close`. `sizes` has the bytes of each reply, as they were sent."""

    def __init__(self, *arguments, env=None, cwd=None):
        command = [os.environ["UBIHEAP"], "mcp", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd)
        self.last_id = 0
        self.sizes = []
        self.request("initialize", protocolVersion=VERSION, capabilities={}, clientInfo={"name": "test", "version": "1"})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, **params):
        """The result of a request."""
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        line = self.process.stdout.readline()
        self.sizes.append(len(line))
        reply = json.loads(line)
        assert reply["id"] == self.last_id, reply
        if "error" in reply:
            raise RuntimeError(reply["error"]["message"])
        return reply["result"]

    def call(self, tool, **arguments):
        """The text of a tool's reply."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return result["content"][0]["text"]

    def close(self):
        """The exit status, after all that was asked is answered."""
        self.process.stdin.close()
        status = self.process.wait()
        self.process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def next_call(text):
    """The tool and the arguments of the call that a reply proposes; or None."""
    last = text.splitlines()[-1]
    if not last.startswith("next: "):
        return None
    tool, arguments = last[len("next: "):].split(" ", 1)
    return tool, json.loads(arguments)
