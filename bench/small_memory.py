#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A heap that is larger than memory, looked at through its index: whole processes, for bench/session.sh.

    small_memory.py --ubiheap PROGRAM --repeats N FILE

makes an index with all the memory of the machine. Then each command runs in a control group that has a quarter of what the index takes,
for pages of files too, and begins with nothing of the index in memory. A row per turn: limitBytes of the group; anonymousBytes and
mappedBytes, the most that the process had of its own and of files at any time, looked at every few milliseconds; majorFaults. Needs root;
without a control group there are no rows.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import threading

import processes

# Where groups can be limited: folder, file of the limit.
PLACES = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"))
INDEX_SHARE = 4
LOOK_EVERY_S = 0.003
COMMANDS = (("nodes", ["--where", "selfSize > 100 and retainedSize > 1KiB", "--sort", "retainedSize", "--limit", "200"], False),
            ("show", [], True), ("retainers", [], True), ("dominators", [], False), ("report", [], False))


class Group:
    """A control group with a limit of memory."""

    def __init__(self):
        for base, limit in PLACES:
            self.folder = pathlib.Path(base, f"ubiheap-bench-{os.getpid()}")
            self.limit = self.folder / limit
            try:
                self.folder.mkdir()
            except OSError:
                continue
            if os.access(self.limit, os.W_OK):
                return
            self.folder.rmdir()
        self.folder = None

    def enter(self):
        (self.folder / "cgroup.procs").write_text(f"{os.getpid()}\n")

    def processes(self):
        return (self.folder / "cgroup.procs").read_text().split()

    def major_faults(self):
        for line in (self.folder / "memory.stat").read_text().splitlines():
            if line.startswith("pgmajfault "):
                return int(line.split()[1])
        return 0


class Watch(threading.Thread):
    """The most that processes of a group have had, until it is stopped."""

    def __init__(self, group):
        super().__init__()
        self.group, self.most, self.ended = group, {"RssAnon": 0, "RssFile": 0}, threading.Event()

    def look(self):
        for pid in self.group.processes():
            try:
                status = pathlib.Path("/proc", pid, "status").read_text()
            except OSError:
                continue  # it has ended
            for line in status.splitlines():
                name, _, value = line.partition(":")
                if name in self.most:
                    self.most[name] = max(self.most[name], int(value.split()[0]) * 1024)

    def run(self):
        while not self.ended.wait(LOOK_EVERY_S):
            self.look()


def files_drop(folder):
    """Nothing of the files stays in memory."""
    for path in folder.iterdir():
        fd = os.open(path, os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def largest_node(ubiheap, folder, file):
    """The id of the node that retains the most, besides the root."""
    text, _ = processes.run([ubiheap, "nodes", "--json", "--sort", "retainedSize", "--limit", "2", "--cache-dir", folder, file])
    return str(json.loads(text)["rows"][1][0])


def measure(group, limit_bytes, folder, command):
    files_drop(folder)
    faults, watch = group.major_faults(), Watch(group)
    watch.start()
    try:
        _, needed = processes.run(command, with_output=False, preexec=group.enter)
    finally:
        watch.ended.set()
        watch.join()
    return {"wallNs": needed["wallNs"], "cpuNs": needed["userNs"] + needed["systemNs"], "limitBytes": limit_bytes,
            "anonymousBytes": watch.most["RssAnon"], "mappedBytes": watch.most["RssFile"],
            "majorFaults": group.major_faults() - faults}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ubiheap", required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("file")
    args = parser.parse_args()
    group = Group()
    if not group.folder:
        print("bench: no control group can be limited here: no rows of a small memory", file=sys.stderr)
        return
    try:
        with tempfile.TemporaryDirectory(prefix="ubiheap-bench-") as name:
            kept = pathlib.Path(name, "kept")
            processes.run([args.ubiheap, "statistics", "--cache", "--cache-dir", kept, args.file], with_output=False)
            node, index_bytes = largest_node(args.ubiheap, kept, args.file), sum(path.stat().st_size for path in kept.iterdir())
            limit_bytes = max(index_bytes // INDEX_SHARE // 4096 * 4096, 64 << 20)
            group.limit.write_text(f"{limit_bytes}\n")
            for question, options, with_node in COMMANDS:
                command = [args.ubiheap, question, *options, "--cache-dir", kept, args.file, *([node] if with_node else [])]
                for _ in range(args.repeats):
                    print(json.dumps({"file": os.path.basename(args.file), "row": f"small:{question}", "threads": 0,
                                      "indexBytes": index_bytes, **measure(group, limit_bytes, kept, command)}), flush=True)
    finally:
        group.folder.rmdir()


if __name__ == "__main__":
    sys.exit(main())
