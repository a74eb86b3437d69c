#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ubiheap leaks: where in the program the code of leaked functions, timers and of their holder stands."""
import json
import unittest

import workspace
import v8_files

SCRIPT_ID = 11


class Heap:
    """A global function install() at server.js:7, in whose scope the array `held` collects what a test hangs there."""

    def __init__(self):
        self.snapshot = v8_files.Snapshot()
        self.locations = []
        self.next_id = 1
        root = self.node("synthetic", "", size=0)
        window = self.node("object", "global")
        self.link(root, "shortcut", "global", window)
        self.script = self.node("code", "/app/server.js")
        install = self.function("install", 7)
        self.link(window, "property", "install", install)
        scope = self.node("object", "system / Context")
        self.link(install, "internal", "context", scope)
        self.window, self.scope = window, scope
        self.held = self.node("object", "Array")
        self.link(scope, "context", "held", self.held)
        self.n_held = 0

    def node(self, type, name, size=16):
        self.next_id += 2
        return self.snapshot.node(type, name, id=self.next_id, size=size)

    def link(self, source, kind, name, target):
        self.snapshot.nodes[source]["edges"].append((kind, name, target))

    def function(self, name, line, column=5):
        closure = self.node("closure", name, 64)
        shared = self.node("code", name)
        self.link(closure, "internal", "shared", shared)
        self.link(shared, "internal", "script", self.script)
        self.locations += [closure * self.snapshot.stride, SCRIPT_ID, line - 1, column - 1]
        return closure

    def bound(self, function):
        closure = self.node("closure", "native_bind", 64)
        self.link(closure, "internal", "bound_function", function)
        return closure

    def timer(self, callback):
        timer = self.node("object", "Timeout", 64)
        self.link(timer, "property", "_onTimeout", callback)
        return timer

    def hold(self, node):
        self.link(self.held, "element", self.n_held, node)
        self.n_held += 1

    def save(self, path, last_id):
        self.next_id = last_id
        self.link(0, "hidden", 1, self.node("object", "Made last"))
        self.snapshot.sections["locations"] = self.locations
        path.write_bytes(self.snapshot.bytes())


def share_scope(heap, what):
    """The scope of install() is that of other(), too, and of the call of a file or function, as far as the heap says so."""
    other = heap.function("other", 9)
    heap.link(heap.window, "property", "other", other)
    heap.link(other, "internal", "context", heap.scope)
    if what == "a file":
        heap.link(heap.scope, "internal", "previous", heap.node("hidden", "system / NativeContext"))
    if what in ("code", "a function"):
        info = heap.node("code", "system / ScopeInfo")
        code = heap.function("begin", 3) + 1 if what == "a function" else heap.node("code", "begin")
        heap.link(heap.scope, "internal", "scope_info", info)
        heap.link(code, "internal", "name_or_scope_info", info)


class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = workspace.Workspace()
        cls.addClassCleanup(cls.place.temporary.cleanup)

    def leaks(self, hang, *options):
        """What `hang` puts into a heap is in the second of two only."""
        old, new = Heap(), Heap()
        hang(new)
        old.save(self.place.folder / "old.heapsnapshot", 10001)
        new.save(self.place.folder / "new.heapsnapshot", 20001)
        done = self.place.ubiheap("leaks", "old.heapsnapshot", "new.heapsnapshot", *options, env={"COLUMNS": "100"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def cluster(self, hang):
        return json.loads(self.leaks(hang, "--json"))["clusters"][0]

    def test_a_function_and_the_one_whose_variable_holds_it_have_their_places(self):
        def hang(heap):
            for _ in range(3):
                heap.hold(heap.function("handler", 12))
        page = self.leaks(hang)
        self.assertIn("Function handler() (server.js:12): +3 objects,", page)
        self.assertIn("held by Array, variable held of install() (server.js:7)", page)
        cluster = self.cluster(hang)
        self.assertEqual(cluster["code"], {"function": "handler", "file": "/app/server.js", "line": 12, "column": 5,
                                           "elsewhere": 0})
        self.assertEqual(cluster["holder"]["words"], "Array, variable held of install() (server.js:7)")

    def test_of_functions_from_several_places_the_page_says_so(self):
        def hang(heap):
            for line in (20, 20, 20, 31, 32):
                heap.hold(heap.function("", line))
        self.assertIn("Function (server.js:20; 2 elsewhere): +5 objects,", self.leaks(hang))
        self.assertEqual(self.cluster(hang)["code"]["elsewhere"], 2)

    def test_of_a_bound_function_that_which_it_calls_is_reported(self):
        def hang(heap):
            for _ in range(3):
                heap.hold(heap.bound(heap.bound(heap.function("onData", 40))))
        self.assertIn("Function native_bind() of onData() (server.js:40): +6 objects,", self.leaks(hang))
        self.assertEqual(self.cluster(hang)["code"]["function"], "onData")

    def test_templates_of_literals_are_the_engines(self):
        def hang(heap):
            function = heap.function("open", 12)
            cell = heap.node("code", "system / FeedbackCell")
            heap.link(function, "internal", "feedback_cell", cell)
            vector = heap.node("code", "system / FeedbackVector")
            heap.link(cell, "internal", "value", vector)
            outer, inner = heap.node("code", "system / AllocationSite"), heap.node("code", "system / AllocationSite")
            heap.link(vector, "hidden", 3, outer)
            heap.link(outer, "internal", "nested_site", inner)
            template, nested, number = heap.node("object", "Object"), heap.node("object", "Array"), heap.node("number", "heap number")
            heap.link(outer, "internal", "transition_info", template)
            heap.link(inner, "internal", "transition_info", nested)
            heap.link(template, "property", "sizes", nested)
            heap.link(template, "property", "ratio", number)
            heap.link(heap.held, "property", "open", function)
        page = self.leaks(hang)
        self.assertIn("in 1 cluster.\n\nFunction open() (server.js:12): +1 object,", page)

    def test_a_function_without_a_name_is_called_by_where_it_is(self):
        def hang(heap, property, several):
            scope = heap.node("object", "system / Context")
            kept = heap.node("object", "Array")
            heap.link(scope, "context", "kept", kept)
            closure = heap.function("", 3)
            heap.link(closure, "internal", "context", scope)
            emitter = heap.node("object", "Server")
            heap.link(heap.held, "property", "server", emitter)
            holder = heap.node("object", "Object")
            heap.link(emitter, "property", property, holder)
            if several:
                listeners = heap.node("object", "Array")
                heap.link(holder, "property", "SIGTERM", listeners)
                heap.link(listeners, "element", 0, closure)
            else:
                heap.link(holder, "property", "SIGTERM", closure)
            return kept

        def keep(heap, kept):
            for i in range(60):
                heap.link(kept, "element", i, heap.node("object", "Session"))

        for property, several, words in (("_events", False, "the listener for SIGTERM (server.js:3)"),
                                         ("_events", True, "the listener for SIGTERM (server.js:3)"),
                                         ("handlers", False, "the function in SIGTERM (server.js:3)"),
                                         ("handlers", True, "(anonymous function) (server.js:3)")):
            with self.subTest(property=property, several=several):
                files = []
                for n in range(2):
                    heap = Heap()
                    kept = hang(heap, property, several)
                    if n:
                        heap.next_id = 20001
                        keep(heap, kept)
                    files.append(self.place.folder / f"{n}.heapsnapshot")
                    heap.save(files[-1], 10001 + 20000 * n)
                page = self.place.ubiheap("leaks", *files).stdout.decode()
                self.assertIn(f"held by Array, variable kept of {words}", page)

    def test_a_variable_that_functions_share_is_of_what_declares_it(self):
        """Which of them the path comes through says nothing."""
        for what, words in (("a file", "server.js"), ("code", "begin() (server.js)"), ("a function", "begin() (server.js:3)"),
                            ("nothing", "install() (server.js:7) and 1 other function")):
            files = []
            for n in range(2):
                heap = Heap()
                share_scope(heap, what)
                for _ in range(3 * n):
                    heap.hold(heap.function("handler", 12))
                files.append(self.place.folder / f"{n}.heapsnapshot")
                heap.save(files[-1], 10001 + 10000 * n)
            page = self.place.ubiheap("leaks", *files).stdout.decode()
            with self.subTest(what):
                self.assertIn(f"held by Array, variable held of {words}\n", page)

    def test_a_scope_whose_variable_has_no_name_is_that_of_its_function(self):
        """As the scopes of blocks are; behind one more object, and behind one that says more."""
        for name, words in (None, "in a scope of"), ("all", "property all of Object, in a scope of"):
            files = []
            for n in 1, 2:
                heap = Heap()
                watch = heap.function("watch", 9)
                heap.link(heap.window, "property", "watch", watch)
                block, table, held = (heap.node("object", kind) for kind in ("system / Context", "Object", "Array"))
                heap.link(watch, "internal", "context", block)
                heap.link(block, "internal", "0", table)
                heap.link(table, *(("property", name) if name else ("element", 1)), held)
                for i in range(3 * n):
                    heap.link(held, "element", i, heap.node("object", "Session", 64))
                files.append(self.place.folder / f"{n}.heapsnapshot")
                heap.save(files[-1], 10001 + 10000 * n)
            page = self.place.ubiheap("leaks", *files).stdout.decode()
            with self.subTest(words):
                self.assertIn(f"held by Array, {words} watch() (server.js:9)", page)

    def test_of_a_timer_its_callback_is_reported(self):
        def hang(heap):
            for _ in range(3):
                heap.hold(heap.timer(heap.function("tick", 50)))
        self.assertIn("Timeout of tick() (server.js:50): +3 objects,", self.leaks(hang))
        self.assertEqual(self.cluster(hang)["code"]["line"], 50)

    def test_fields_with_small_integers_are_named_too(self):
        def hang(heap):
            shape, names = heap.node("object shape", "system / Map"), heap.node("object shape", "system / DescriptorArray")
            heap.link(shape, "internal", "descriptors", names)
            for i, field in enumerate(("k", "html", "n")):
                heap.link(names, "internal", str(3 * i), heap.node("string", field))
            for _ in range(3):
                entry = heap.node("object", "Object", 64)
                heap.link(entry, "internal", "map", shape)
                heap.link(entry, "property", "html", heap.node("string", "text"))
                heap.hold(entry)
        self.assertIn("{html} and k, n: +3 objects,", self.leaks(hang))

    def test_of_a_listener_its_callback_is_reported(self):
        def hang(heap):
            for _ in range(3):
                listener = heap.node("object", "Listener", 64)
                heap.link(listener, "property", "callback", heap.bound(heap.function("onAbort", 60)))
                heap.hold(listener)
        self.assertIn("Listener of onAbort() (server.js:60): +3 objects,", self.leaks(hang))

    def test_what_is_no_function_and_what_has_no_place_gets_none(self):
        def hang(heap):
            for _ in range(3):
                heap.hold(heap.node("object", "Session", 64))
        self.assertIn("Session: +3 objects,", self.leaks(hang))
        self.assertNotIn("code", self.cluster(hang))

    def test_functions_that_are_bound_to_each_other_come_to_an_end(self):
        def hang(heap):
            one = heap.node("closure", "native_bind", 64)
            heap.link(one, "internal", "bound_function", heap.bound(one))
            heap.hold(one)
        self.assertNotIn("code", self.cluster(hang))


if __name__ == "__main__":
    unittest.main()
