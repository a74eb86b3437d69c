# SPDX-License-Identifier: MIT
"""A program that takes heap snapshots of itself, as V8 would write them: small, and with leaks that are known.

Objects get odd ids in growing order, and keep them; a snapshot ends with an object that it made itself. Two programs of
different names are two processes: their ids are alike, their strings are not.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "v8"))
import v8_files  # noqa: E402

N_STRINGS = 80


class Program:
    def __init__(self, name="server", n_strings=N_STRINGS):
        self.last_id = 7
        self.held = {}  # holder -> [(class, id)]
        self.strings = [(f"{name} {i}", self.new_id()) for i in range(n_strings)]
        self.n_slices = 0  # of the strings, so many are still parts of another one, and have no text of their own
        self.loose = []  # (class, id) that the root holds
        self.holder_ids = {}
        self.object_bytes = {}  # of classes whose objects are not small
        self.holder_bytes = {}  # of those that are no small array
        self.node_types = {}  # (type, name) of those in `held` that are no objects, by what they are called here

    def new_id(self):
        self.last_id += 2
        return self.last_id

    def add(self, holder, name, count=1):
        """`count` objects of class `name` in the array `holder`."""
        if holder not in self.held:
            self.held[holder] = []
            self.holder_ids[holder] = self.new_id()
        self.held[holder] += [(name, self.new_id()) for _ in range(count)]

    def add_loose(self, name, count=1):
        self.loose += [(name, self.new_id()) for _ in range(count)]

    def drop(self, holder, count):
        """The oldest ones go."""
        del self.held[holder][:count]

    def type_of(self, name, id):
        kind, title = self.node_types.get(name, ("object", name))
        return kind, title.replace("ID", str(id))

    def snapshot(self):
        self.last_id += 2
        s = v8_files.Snapshot()
        root = s.node("synthetic", "", id=1, size=0)
        window = s.node("object", "global", id=3, size=16)
        s.nodes[root]["edges"].append(("shortcut", "global", window))
        s.nodes[root]["edges"].append(("hidden", 1, s.node("object", "Made last", id=self.last_id, size=16)))
        for name, id in self.loose:
            s.nodes[root]["edges"].append(("hidden", 1, s.node(*self.type_of(name, id), id=id,
                                                               size=self.object_bytes.get(name, 64))))
        for i, (text, id) in enumerate(self.strings):
            kind = ("sliced string", "(sliced string)") if i < self.n_slices else ("string", text)
            s.nodes[window]["edges"].append(("property", f"text{i}", s.node(*kind, id=id, size=24)))
        for holder, items in self.held.items():
            at = s.node("object", "Array", id=self.holder_ids[holder], size=self.holder_bytes.get(holder, 32))
            s.nodes[window]["edges"].append(("property", holder, at))
            for i, (name, id) in enumerate(items):
                s.nodes[at]["edges"].append(("element", i, s.node(*self.type_of(name, id), id=id,
                                                                  size=self.object_bytes.get(name, 64))))
        return s.bytes()

    def save(self, path):
        pathlib.Path(path).write_bytes(self.snapshot())
