# SPDX-License-Identifier: MIT
"""What `report` finds in snapshots made for each of its rules, just met and just missed, and that its JSON stays short."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import v8_files as v8

SOURCE_DIR = pathlib.Path(os.environ.get("UBI_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = SOURCE_DIR / "tests" / "data" / "v8"
UBIHEAP = os.environ.get("UBIHEAP", "")
KIB = 1024


class Heap:
    """A snapshot in the making: a root, a global object, and what the test hangs there."""

    def __init__(self, version="node20"):
        self.snapshot = v8.Snapshot(version)
        self.snapshot.node("synthetic", "", size=0)
        self.snapshot.node("object", "global", size=16)
        self.edges(0).append(("shortcut", "global", 1))
        self.n_names = 0

    def edges(self, node):
        return self.snapshot.nodes[node]["edges"]

    def node(self, type, name, size=16, **more):
        return self.snapshot.node(type, name, size=size, **more)

    def link(self, source, kind, name, target):
        self.edges(source).append((kind, name, target))
        return target

    def hang(self, target):
        """Makes it a global variable."""
        self.n_names += 1
        return self.link(1, "property", f"g{self.n_names}", target)

    def write(self, folder):
        path = os.path.join(folder, "made.heapsnapshot")
        with open(path, "wb") as file:
            text = v8.write(self.snapshot.tree())
            file.write(text if isinstance(text, bytes) else text.encode())
        return path


def report(path, *more):
    done = subprocess.run([UBIHEAP, "report", "--json", *more, path], capture_output=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode("utf-8", "replace"))
    return done.stdout


class Rules(unittest.TestCase):
    def findings(self, heap):
        with tempfile.TemporaryDirectory() as folder:
            return json.loads(report(heap.write(folder), "--detail"))["findings"]

    def find(self, heap, rule):
        found = [one for one in self.findings(heap) if one["rule"] == rule]
        self.assertLessEqual(len(found), 3)
        return found[0] if found else None

    # ---- collections

    def array_of(self, n, size, classes=("Session",)):
        heap = Heap()
        array = heap.hang(heap.node("object", "Array", 32))
        for i in range(n):
            heap.link(array, "element", i, heap.node("object", classes[i % len(classes)], size))
        return heap

    def test_an_array_of_many_things_of_one_class_is_growing(self):
        found = self.find(self.array_of(200, 400), "growingCollection")
        self.assertEqual(found["count"], 200)
        self.assertEqual(found["bytes"], 32 + 200 * 400)
        self.assertIn("One Array holds 200 entries, nearly all Session", found["text"])
        self.assertEqual(found["nodeId"], 5)

    def test_a_short_a_small_or_a_mixed_one_is_not(self):
        self.assertIsNone(self.find(self.array_of(199, 400), "growingCollection"))
        self.assertIsNone(self.find(self.array_of(200, 300), "growingCollection"))
        self.assertIsNone(self.find(self.array_of(400, 400, ("A", "B")), "growingCollection"))

    def test_a_dictionary_of_functions_is_code(self):
        heap = Heap()
        module = heap.hang(heap.node("object", "Object", 32))
        for i in range(300):
            heap.link(module, "property", f"f{i}", heap.node("closure", f"f{i}", 400))
        self.assertIsNone(self.find(heap, "growingCollection"))

    def test_what_holds_a_collection_is_reported_with_its_place(self):
        heap = Heap()
        context = heap.node("object", "system / Context", 40)
        cache = heap.link(context, "context", "cache", heap.node("object", "Array", 32))
        for i in range(300):
            heap.link(cache, "element", i, heap.node("object", "Session", 400))
        handler = heap.hang(self.closure(heap, "handler", context, "/app/server.js"))
        stride = heap.snapshot.stride
        heap.snapshot.sections["locations"] = [handler * stride, 7, 11, 2]
        found = self.find(heap, "growingCollection")
        self.assertEqual(found["heldBy"], "variable cache of handler() (server.js:12)")
        with tempfile.TemporaryDirectory() as folder:
            page = subprocess.run([UBIHEAP, "report", heap.write(folder)], capture_output=True, text=True,
                                  env={**os.environ, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}).stdout
        self.assertIn("Held by variable cache of handler() (server.js:12).", " ".join(page.split()))

    def test_of_an_index_file_the_folder_is_reported(self):
        heap = self.captured(80 * KIB, "/app/node_modules/depd/index.js")
        self.assertIn("of handler() (depd/index.js) alone", self.find(heap, "closureContext")["text"])

    def test_of_collections_within_each_other_the_innermost_that_has_nearly_all_is_reported(self):
        heap = self.array_of(200, 400)
        outer = heap.hang(heap.node("object", "Array", 32))
        heap.edges(1)[:] = [edge for edge in heap.edges(1) if edge[2] == outer]
        heap.link(outer, "element", 0, 2)
        for i in range(200):
            heap.link(outer, "element", i + 1, heap.node("object", "Session", 16))
        self.assertEqual([one["nodeId"] for one in self.findings(heap) if one["rule"] == "growingCollection"], [5])

    def map_of(self, n, size):
        heap = Heap()
        slots = 3 + n // 2 + 3 * n
        owner = heap.hang(heap.node("object", "Map", 32))
        table = heap.link(owner, "internal", "table", heap.node("array", "", 8 * (slots + 2)))
        for i in range(n):
            first = 3 + n // 2 + 3 * i
            heap.link(table, "internal", str(first), heap.node("string", f"key {i}", 24))
            heap.link(table, "internal", str(first + 1), heap.node("object", "Session", size))
        return heap

    def test_values_of_a_map_count_not_its_keys(self):
        found = self.find(self.map_of(256, 400), "growingCollection")
        self.assertEqual(found["count"], 256)
        self.assertIn("One Map holds 256 entries, nearly all Session", found["text"])
        self.assertIsNone(self.find(self.map_of(128, 400), "growingCollection"))

    # ---- dead entries

    def null(self, heap):
        return heap.node("hidden", "system / Oddball", 48)

    def references(self, n, n_alive, size=400, script=None):
        """A list of WeakRefs, some of which still have their object."""
        heap = Heap()
        prototype = heap.hang(heap.node("object", "WeakRef", 56))
        constructor = heap.link(prototype, "property", "constructor", heap.node("closure", "WeakRef", 64))
        if script:
            shared = heap.link(constructor, "internal", "shared", heap.node("code", "WeakRef", 16))
            heap.link(shared, "internal", "script", heap.node("code", script, 16))
        thing = heap.hang(heap.node("object", "Thing", 16))
        list_of_them = heap.hang(heap.node("object", "Array", 32))
        for i in range(n):
            reference = heap.link(list_of_them, "element", i, heap.node("object", "WeakRef", size))
            heap.link(reference, "property", "__proto__", prototype)
            if i < n_alive:
                heap.link(reference, "weak", "target", thing)
        return heap

    def test_a_collection_of_references_whose_objects_are_gone(self):
        found = self.find(self.references(100, 0), "deadEntries")
        self.assertEqual((found["count"], found["bytes"]), (100, 32 + 100 * 400))
        self.assertEqual(found["text"], "One Array holds 100 entries. All of them are WeakRefs whose object is gone, "
                                        "and keep 39.1 KiB alive: what removes them?")
        found = self.find(self.references(200, 100), "deadEntries")
        self.assertEqual((found["count"], found["bytes"]), (100, 100 * 400))
        self.assertIn("100 of them are WeakRefs", found["text"])

    def test_few_dead_entries_small_ones_or_a_minority_are_not_reported(self):
        self.assertIsNone(self.find(self.references(99, 0), "deadEntries"))
        self.assertIsNone(self.find(self.references(100, 0, size=150), "deadEntries"))
        self.assertIsNone(self.find(self.references(204, 104), "deadEntries"))
        self.assertIsNone(self.find(self.references(300, 300), "deadEntries"))

    def test_a_class_of_the_program_that_is_called_weakref_is_not_one(self):
        self.assertIsNone(self.find(self.references(100, 0, script="/app/polyfill.js"), "deadEntries"))

    def test_of_many_dead_entries_it_is_not_said_that_the_collection_grows(self):
        rules = [one["rule"] for one in self.findings(self.references(300, 0))]
        self.assertEqual((rules.count("deadEntries"), rules.count("growingCollection")), (1, 0))

    def sockets(self, closed):
        heap = Heap()
        null, handle = self.null(heap), heap.node("object", "TCP", 56)
        owner = heap.hang(heap.node("object", "Set", 32))
        table = heap.link(owner, "internal", "table", heap.node("array", "", 8 * (3 + 64 + 2 * 128 + 2)))
        for i in range(100):
            socket = heap.link(table, "internal", str(3 + 64 + 2 * i), heap.node("object", "Socket", 304))
            heap.link(socket, "property", "<symbol kHandle>", null if closed else handle)
        return heap

    def test_sockets_without_a_handle_are_closed(self):
        found = self.find(self.sockets(True), "deadEntries")
        self.assertIn("One Set holds 100 entries. All of them are sockets that are closed", found["text"])
        self.assertIsNone(self.find(self.sockets(False), "deadEntries"))

    def test_detached_elements_in_a_list_are_dead(self):
        for detachedness in (1, 2):
            heap = Heap()
            owner = heap.hang(heap.node("object", "Array", 32))
            for i in range(100):
                heap.link(owner, "element", i, heap.node("native", "<li>", 400, detachedness=detachedness))
            self.assertEqual(self.find(heap, "deadEntries") is not None, detachedness == 2)

    def storage(self, slots, used, name="(object elements)"):
        heap = Heap()
        owner = heap.hang(heap.node("object", "Array", 32))
        store = heap.link(owner, "internal", "elements", heap.node("array", name, 8 * (slots + 2)))
        for i in range(used):
            heap.link(store, "internal", str(4 * i), heap.node("object", "Object", 16))
        return heap

    def test_storage_with_few_references_is_sparse(self):
        found = self.find(self.storage(20000, 100), "sparseStorage")
        self.assertEqual(found["bytes"], 8 * (20000 - 100))
        self.assertIn("100 of them in 20,000 slots", found["text"])

    def test_storage_of_numbers_and_full_storage_are_not(self):
        self.assertIsNone(self.find(self.storage(20000, 0), "sparseStorage"))
        self.assertIsNone(self.find(self.storage(20000, 2500), "sparseStorage"))
        self.assertIsNone(self.find(self.storage(8000, 10), "sparseStorage"))

    def test_a_dictionary_has_three_slots_for_an_entry(self):
        heap = Heap()
        owner = heap.hang(heap.node("object", "Array", 32))
        store = heap.link(owner, "internal", "elements", heap.node("array", "(object elements)", 8 * 24002))
        for i in range(1100):
            heap.link(store, "internal", str(5 + 3 * i), heap.node("object", "Object", 16))
        self.assertIsNone(self.find(heap, "sparseStorage"))

    def test_many_empty_collections_are_counted_with_their_holders(self):
        for n, expected in ((500, True), (499, False)):
            heap = Heap()
            for i in range(n):
                row = heap.hang(heap.node("object", "Row", 24))
                tags = heap.link(row, "property", "tags", heap.node("object", "Set", 32))
                heap.link(tags, "internal", "table", heap.node("array", "", 120))
                heap.link(row, "property", "kids", heap.node("object", "Array", 32))
            found = self.find(heap, "emptyCollections")
            self.assertEqual(found is not None, expected, n)
            if found:
                self.assertIn("1,000 collections hold no objects", found["text"])
                self.assertIn("0 Maps, 500 Sets, 500 Arrays", found["text"])
                self.assertIn("many of them in Row", found["text"])

    # ---- strings

    def test_equal_strings_are_wasted_except_one(self):
        heap = Heap()
        for _ in range(101):
            heap.hang(heap.node("string", "the same long text", 1000))
        found = self.find(heap, "duplicateStrings")
        self.assertEqual((found["bytes"], found["count"]), (100 * 1000, 100))
        self.assertIn('"the same long text" is there 101 times', found["text"])

    def test_concatenations_with_a_part_whose_text_is_unknown_are_not_taken_as_equal(self):
        heap = Heap()
        part, rest = heap.hang(heap.node("sliced string", "(sliced string)", 20)), heap.hang(heap.node("string", "/x", 24))
        for _ in range(101):
            joined = heap.hang(heap.node("concatenated string", "(concatenated string)", 1000))
            heap.link(joined, "internal", "first", part)
            heap.link(joined, "internal", "second", rest)
        self.assertIsNone(self.find(heap, "duplicateStrings"))

    def test_few_or_different_strings_are_not(self):
        heap = Heap()
        for i in range(300):
            heap.hang(heap.node("string", f"text {i // 2}", 400))
        self.assertIsNone(self.find(heap, "duplicateStrings"))

    def test_long_strings_are_summed_up(self):
        heap = Heap()
        heap.hang(heap.node("string", "a", 64 * KIB))
        heap.hang(heap.node("string", "b", 100 * KIB))
        self.assertEqual(self.find(heap, "longStrings")["bytes"], 164 * KIB)
        heap = Heap()
        heap.hang(heap.node("string", "a", 64 * KIB - 1))
        self.assertIsNone(self.find(heap, "longStrings"))

    # ---- DOM, buffers

    def test_detached_trees_are_counted_once_with_what_they_keep(self):
        heap = Heap()
        for i in range(5):
            holder = heap.hang(heap.node("object", "Widget", 24))
            top = heap.link(holder, "property", "el", heap.node("native", "<section>", 500, detachedness=2))
            child = heap.link(top, "element", 1, heap.node("native", "<b>", 500, detachedness=2))
            heap.link(child, "element", 1, top)
            heap.link(child, "internal", "data", heap.node("object", "Data", 1000))
        found = self.find(heap, "detachedDom")
        self.assertEqual((found["count"], found["bytes"]), (10, 5 * 2000))
        self.assertIn("5 trees, 5 of them <section>", found["text"])
        self.assertIn("el", found["pathText"])

    def test_attached_nodes_are_not_detached(self):
        heap = Heap()
        for i in range(50):
            heap.hang(heap.node("native", "<b>", 500, detachedness=1))
        self.assertIsNone(self.find(heap, "detachedDom"))

    def test_array_buffers_that_take_much(self):
        heap = Heap()
        heap.hang(heap.node("native", "system / JSArrayBufferData", 1 << 20, id=8))
        self.assertEqual(self.find(heap, "arrayBuffers")["bytes"], 1 << 20)
        heap = Heap()
        heap.hang(heap.node("native", "system / JSArrayBufferData", (1 << 20) - 1, id=8))
        self.assertIsNone(self.find(heap, "arrayBuffers"))

    # ---- functions

    def closure(self, heap, name, context, script="/app/app.js", **numbers):
        closure = heap.node("closure", name, 64)
        shared = heap.link(closure, "internal", "shared", heap.node("code", name, 16))
        for key, number in numbers.items():
            heap.link(shared, "internal", key, number)
        if script is not None and isinstance(script, str):
            heap.link(shared, "internal", "script", heap.node("code", script, 16))
        elif script is not None:
            heap.link(shared, "internal", "script", script)
        heap.link(closure, "internal", "context", context)
        return closure

    def captured(self, size, script="/app/app.js"):
        heap = Heap()
        context = heap.node("object", "system / Context", 40)
        heap.link(context, "context", "big", heap.node("object", "Thing", size))
        heap.hang(self.closure(heap, "handler", context, script))
        return heap

    def test_a_captured_variable_that_keeps_much(self):
        found = self.find(self.captured(80 * KIB), "closureContext")
        self.assertEqual(found["bytes"], 80 * KIB)
        self.assertEqual(found["text"], "Variable big of handler() (app.js) alone keeps 80.0 KiB alive.")
        self.assertEqual(found["title"], "variable big")
        self.assertNotIn("heldBy", found)  # the sentence says it

    def test_small_variables_and_those_of_the_runtime_are_left_alone(self):
        self.assertIsNone(self.find(self.captured(60 * KIB), "closureContext"))
        self.assertIsNone(self.find(self.captured(80 * KIB, "node:internal/timers"), "closureContext"))

    # ---- packages

    CODE = 64 + 16 + 16 + 40  # a function, its code, its script, its scope

    def packaged(self, size, path="/app/node_modules/leafy/lib/index.js"):
        heap = Heap()
        context = heap.node("object", "system / Context", 40)
        cache = heap.link(context, "context", "cache", heap.node("object", "Cache", size))
        heap.hang(self.closure(heap, "remember", context, path))
        return heap, context, cache

    def test_a_package_keeps_what_its_code_alone_keeps(self):
        heap, _, _ = self.packaged(1 << 20)
        found = self.find(heap, "package")
        self.assertEqual((found["bytes"], found["count"], found["title"]), ((1 << 20) + self.CODE, 1, "package leafy"))
        self.assertIn("Package leafy alone keeps 1.00 MiB alive", found["text"])
        self.assertIn("1.00 MiB of it data (1 function of 1 file). Other packages keep 0 B, the program itself 0 B", found["text"])
        self.assertEqual(found["pathText"], "global.g1 → remember() (variable cache) → Cache")
        self.assertIsNone(self.find(self.packaged((1 << 20) - 1)[0], "package"))

    def test_a_package_that_is_a_small_part_of_the_heap_is_not_reported(self):
        heap, _, _ = self.packaged(1 << 20)
        heap.hang(heap.node("object", "Other", 10 << 20))
        self.assertIsNone(self.find(heap, "package"))

    def test_a_package_that_is_large_because_of_its_code_is_not_reported(self):
        heap, context, _ = self.packaged(1 << 10)
        for i in range(20):
            closure = heap.hang(self.closure(heap, f"f{i}", context, "/app/node_modules/leafy/lib/index.js"))
            script = heap.node("code", "/app/node_modules/leafy/lib/index.js", 1 << 20)
            heap.link(closure, "internal", "code", script)
            heap.link(script, "internal", "source", heap.node("string", f"source {i}", 1 << 20))
        self.assertIsNone(self.find(heap, "package"))

    def test_names_of_packages(self):
        for path, name in (("/app/node_modules/@scope/tiny/t.js", "@scope/tiny"),
                           ("file:///app/node_modules/a/node_modules/b/x.mjs", "b"),
                           ("/app/node_modules/.pnpm/c@1.0.0/node_modules/c/x.js", "c"),
                           ("C:\\app\\node_modules\\d\\x.js", "d"),
                           ("/app/node_modules/.cache/x.js", None), ("/app/my_node_modules/e/x.js", None),
                           ("/app/node_modules/x.js", None), ("/app/server.js", None),
                           ("node:internal/node_modules/f/x", None)):
            found = self.find(self.packaged(2 << 20, path)[0], "package")
            self.assertEqual(found and found["title"], name and f"package {name}", path)

    def test_what_the_program_holds_as_well_is_not_a_packages(self):
        heap, _, cache = self.packaged(2 << 20)
        heap.hang(cache)
        self.assertIsNone(self.find(heap, "package"))

    def test_a_scope_that_two_packages_share_is_of_neither(self):
        heap, context, _ = self.packaged(2 << 20)
        heap.hang(self.closure(heap, "other", context, "/app/node_modules/other/index.js"))
        self.assertIsNone(self.find(heap, "package"))

    def exported(self, *modules):
        heap = Heap()
        exports = heap.node("object", "Object", 2 << 20)
        for kind, path in modules:
            module = heap.hang(heap.node("object", kind, 40))
            heap.link(module, "property", "filename", heap.node("string", path, 40))
            heap.link(module, "property", "exports", exports)
        return heap

    def test_a_package_keeps_what_its_modules_export(self):
        module = ("Module", "/app/node_modules/leafy/index.js")
        found = self.find(self.exported(module), "package")
        self.assertEqual((found["bytes"], found["nodeId"]), ((2 << 20) + 80, 5))
        found = self.find(self.exported(module, ("Module", "/app/node_modules/leafy/lib.js")), "package")
        self.assertEqual(found["bytes"], (2 << 20) + 160)
        self.assertIsNone(self.find(self.exported(module, ("Module", "/app/server.js")), "package"))
        self.assertIsNone(self.find(self.exported(module, ("BuiltinModule", "/buffer")), "package"))

    # ---- promises

    def awaiting(self, n, size=1000, chained=False, pending=True):
        """`n` calls of waitForReply(), each of which waits for a promise that the program holds."""
        heap = Heap()
        scope = heap.hang(heap.node("object", "system / Context", 40))
        function = heap.hang(self.closure(heap, "waitForReply", scope))
        for i in range(n):
            promise = heap.node("object", "Promise", 48)
            reaction = heap.link(promise, "internal", "reactions_or_result",
                                 heap.node("hidden", "system / PromiseReaction" if pending else "Job", 48))
            context = heap.node("object", "system / Context", 40)
            heap.link(reaction, "hidden", 0, self.closure(heap, "", context, script=None))
            call = heap.link(context, "internal", "extension", heap.node("object", "Generator", size))
            heap.link(call, "internal", "function", function)
            result = heap.link(call, "hidden", 2, heap.node("object", "Promise", 48))
            if chained:
                outer = heap.link(result, "internal", "reactions_or_result",
                                  heap.node("hidden", "system / PromiseReaction", 48))
                heap.link(outer, "hidden", 0, self.closure(heap, "caller", scope))
            heap.hang(promise)
        return heap

    EACH = 48 + 48 + 40 + 64 + 16 + 48  # promise, reaction, scope and code of the handler, result

    def test_promises_that_one_function_waits_for(self):
        found = self.find(self.awaiting(100), "pendingPromises")
        self.assertEqual((found["count"], found["bytes"]), (100, 100 * (self.EACH + 1000)))
        self.assertEqual(found["text"], "100 promises that waitForReply() (app.js) waits for are pending and keep 123 KiB "
                                        "alive. Does anything ever settle them?")
        self.assertIsNone(self.find(self.awaiting(99), "pendingPromises"))
        self.assertIsNone(self.find(self.awaiting(100, 600 - self.EACH), "pendingPromises"))

    def test_settled_promises_are_not_pending(self):
        self.assertIsNone(self.find(self.awaiting(200, pending=False), "pendingPromises"))

    def test_of_a_chain_of_promises_the_last_counts(self):
        found = self.find(self.awaiting(100, chained=True), "pendingPromises")
        self.assertEqual(found["count"], 100)
        self.assertIn("that waitForReply() (app.js) waits for", found["text"])

    def test_a_function_that_is_called_then_waits_too(self):
        heap = Heap()
        scope = heap.hang(heap.node("object", "system / Context", 40))
        code = heap.hang(heap.node("code", "later", 16))
        heap.link(code, "internal", "script", heap.node("code", "/app/app.js", 16))
        for i in range(100):
            promise = heap.hang(heap.node("object", "Promise", 1000))
            reaction = heap.link(promise, "internal", "reactions_or_result",
                                 heap.node("hidden", "system / PromiseReaction", 48))
            later = heap.link(reaction, "hidden", 1, heap.node("closure", "later", 64))
            heap.link(later, "internal", "shared", code)
            heap.link(later, "internal", "context", scope)
        found = self.find(heap, "pendingPromises")
        self.assertEqual((found["count"], found["bytes"]), (100, 100 * 1112))
        self.assertIn("later() (app.js)", found["text"])

    # ---- fibers of React

    def fibers(self, n, size=1600, with_root=True):
        """A mounted tree with a child, a sibling and an alternate, and `n` fibers that something else holds."""
        heap = Heap()
        null = self.null(heap)

        def fiber(holder, name, size):
            node = heap.link(holder, "property", name, heap.node("object", "FiberNode", size))
            heap.link(node, "property", "memoizedState", null)
            return node
        if with_root:
            root = heap.hang(heap.node("object", "FiberRootNode", 304))
            top = fiber(root, "current", 80 * KIB)
            child = fiber(top, "child", 80 * KIB)
            fiber(fiber(child, "sibling", 80 * KIB), "alternate", 80 * KIB)
        held = heap.hang(heap.node("object", "Listeners", 32))
        component = heap.hang(self.closure(heap, "Panel", heap.node("object", "system / Context", 40)))
        for i in range(n):
            lost = fiber(held, f"f{i}", size)
            heap.link(lost, "property", "type", component)
        prototype = heap.hang(heap.node("object", "FiberNode", 200 * KIB))
        heap.link(prototype, "property", "constructor", component)
        return heap

    def test_fibers_that_are_in_no_mounted_tree(self):
        found = self.find(self.fibers(50, 8000), "unmountedFibers")
        self.assertEqual((found["count"], found["bytes"]), (50, 50 * 8000))
        self.assertEqual(found["text"], "50 fibers of React are in no mounted tree, and keep 391 KiB alive; many are of "
                                        "Panel() (app.js). What still refers to them?")

    def test_few_or_small_fibers_and_those_of_an_unknown_root_are_not_reported(self):
        self.assertIsNone(self.find(self.fibers(49, 8000), "unmountedFibers"))
        self.assertIsNone(self.find(self.fibers(50, 1000), "unmountedFibers"))
        self.assertIsNone(self.find(self.fibers(50, 8000, with_root=False), "unmountedFibers"))

    def number(self, heap, value):
        node = heap.node("number", "int", 0)
        heap.link(node, "internal", "value", heap.node("string", str(value), 0))
        return node

    def scoped(self, reader_lives):
        """outer() has `big`; a scope within, read(), uses it; handler() does not."""
        heap = Heap("node24")
        script = heap.hang(heap.node("code", "system / Script / /app/app.js", 16))
        context = heap.node("object", "system / Context", 40)
        info = heap.link(context, "internal", "scope_info", heap.node("code", "system / ScopeInfo", 16))
        heap.link(info, "internal", "scope_id", self.number(heap, 10))
        heap.link(context, "context", "big", heap.node("object", "Thing", 80 * KIB))
        names = ["handler", "read"] if reader_lives else ["handler"]
        for name in names:
            scope_id = self.number(heap, 20 if name == "handler" else 30)
            heap.hang(self.closure(heap, name, context, script, scope_id=scope_id))
        stride = heap.snapshot.stride
        big = heap.snapshot.string("big")
        heap.snapshot.sections["scopes"] = [script * stride, 10, 0, 1, 0,
                                            script * stride, 20, 1, 0, 0,
                                            script * stride, 30, 1, 0, 1]
        heap.snapshot.sections["scope_context_vars"] = [big]
        heap.snapshot.sections["scope_uses"] = [10, 0]
        return heap

    def test_a_variable_that_no_live_function_reads_is_distinguished(self):
        found = self.find(self.scoped(reader_lives=False), "unreadVariable")
        self.assertIn("though no function that is alive reads it", found["text"])
        self.assertIsNone(self.find(self.scoped(reader_lives=True), "unreadVariable"))
        self.assertIsNotNone(self.find(self.scoped(reader_lives=True), "closureContext"))

    # ---- biggest retainers

    def test_retainers_of_nodes_own_come_behind_those_of_the_program(self):
        heap = Heap()
        held = {}
        for name, script, size in (("BuiltinModule", "node:internal/bootstrap/realm", 300 * KIB),
                                   ("handler", "/app/server.js", 100 * KIB)):
            context = heap.node("object", "system / Context", 40)
            held[name] = heap.link(context, "context", "kept", heap.node("object", "Kept", size))
            heap.hang(self.closure(heap, name, context, script))
        # A module is held by Node's own loader, and yet is the program's.
        context = heap.node("object", "system / Context", 40)
        module = heap.link(context, "context", "cached", heap.node("object", "Module", 40))
        held["exports"] = heap.link(module, "property", "exports", heap.node("object", "Exports", 50 * KIB))
        heap.hang(self.closure(heap, "Module", context, "node:internal/modules/cjs/loader"))
        ids = {name: 2 * node + 1 for name, node in held.items()}
        with tempfile.TemporaryDirectory() as folder:
            path = heap.write(folder)
            keepers = [one["nodeId"] for one in json.loads(report(path))["keepers"]]
            page = subprocess.run([UBIHEAP, "report", path], capture_output=True, text=True,
                                  env={**os.environ, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}).stdout
        self.assertEqual(keepers, [ids["handler"], ids["exports"], ids["BuiltinModule"]])
        rows = page.split("Biggest retainers")[1].split("\n\n")[0]
        self.assertLess(rows.index("100 KiB"), rows.index("50"))
        self.assertLess(rows.index("50"), rows.index("300 KiB"))
        self.assertNotIn(f" {ids['BuiltinModule']} ", page.split("\nNext")[1])

    # ---- timers, listeners

    def test_many_timers_are_counted_with_what_they_call(self):
        for n, expected in ((100, True), (99, False)):
            heap = Heap()
            context = heap.node("object", "system / Context", 40)
            callback = self.closure(heap, "poll", context)
            for i in range(n):
                timer = heap.hang(heap.node("object", "Timeout", 100))
                heap.link(timer, "property", "_onTimeout", callback)
            found = self.find(heap, "timers")
            self.assertEqual(found is not None, expected)
            if found:
                self.assertEqual((found["count"], found["bytes"]), (100, 10000))
                self.assertIn("many call poll() (app.js)", found["text"])

    def timers(self, n_once=0, n_repeated=0, firing=False):
        """Timers as Node.js makes them, each with 100 KiB of its own; `firing`: none of them is in a ring of waiting ones."""
        heap = Heap()
        null = heap.node("hidden", "system / Oddball", 24)
        ring = heap.node("object", "TimersList", 80)
        for i in range(n_once + n_repeated):
            timer = heap.hang(heap.node("object", "Timeout", 88))
            context = heap.node("object", "system / Context", 40)
            heap.link(context, "context", "rows", heap.node("object", "Rows", 100 * KIB))
            for name in ("_idlePrev", "_idleNext"):
                heap.link(timer, "property", name, null if firing else ring)
            heap.link(timer, "property", "_onTimeout", self.closure(heap, "poll", context))
            if i < n_once:
                heap.link(timer, "property", "_repeat", null)  # else a small number, which is no node
        return self.find(heap, "timers")

    def test_a_few_timers_that_fire_once_are_no_leak(self):
        self.assertIsNone(self.timers(n_once=1))
        self.assertIsNone(self.timers(n_once=9))
        self.assertEqual(self.timers(n_once=10)["count"], 10)

    def test_one_repeated_timer_is_reported_and_what_fires_once_beside_it_does_not_count(self):
        found = self.timers(n_once=9, n_repeated=1)
        self.assertEqual(found["count"], 1)
        self.assertLess(found["bytes"], 110 * KIB)
        self.assertIn("1 timer waits and keeps 10", found["text"])

    def test_the_timer_that_fires_does_not_wait(self):
        self.assertIsNone(self.timers(n_once=1, firing=True))
        self.assertIsNone(self.timers(n_repeated=1, firing=True))

    def test_the_path_of_timers_continues_to_what_the_first_one_keeps_alive(self):
        heap = Heap()
        shared = heap.hang(heap.node("object", "Settings", 1000))
        for i in range(100):
            context = heap.node("object", "system / Context", 40)
            job = heap.link(context, "context", "job", heap.node("object", "Job", 500))
            heap.link(job, "property", "name", heap.node("object", "Name", 20))
            heap.link(job, "property", "settings", shared)
            timer = heap.hang(heap.node("object", "Timeout", 100))
            heap.link(timer, "property", "_onTimeout", self.closure(heap, "poll", context))
        found = self.find(heap, "timers")
        self.assertRegex(found["pathText"], r"^global\.g\d+ → Timeout\._onTimeout → poll\(\) \(variable job\) → Job$")
        self.assertNotEqual(found["pathTo"], found["nodeId"])

    def test_the_path_of_timers_ends_with_them_where_others_have_all_they_hold(self):
        heap = Heap()
        callback = heap.hang(self.closure(heap, "poll", heap.node("object", "system / Context", 40)))
        for i in range(100):
            timer = heap.hang(heap.node("object", "Timeout", 100))
            heap.link(timer, "property", "_onTimeout", callback)
        found = self.find(heap, "timers")
        self.assertRegex(found["pathText"], r"^global\.g\d+ → Timeout$")
        self.assertNotIn("pathTo", found)

    def test_many_listeners_of_one_event(self):
        for n, expected in ((50, True), (49, False)):
            heap = Heap()
            emitter = heap.hang(heap.node("object", "EventEmitter", 40))
            events = heap.link(emitter, "property", "_events", heap.node("object", "Object", 40))
            listeners = heap.link(events, "property", "message", heap.node("object", "Array", 40))
            for i in range(n):
                heap.link(listeners, "element", i, heap.node("closure", "onMessage", 100))
            found = self.find(heap, "emitterListeners")
            self.assertEqual(found is not None, expected)
            if found:
                self.assertEqual((found["count"], found["bytes"]), (50, 40 + 50 * 100))
                self.assertIn('50 listeners wait for "message" of one EventEmitter', found["text"])

    def test_many_event_listeners_of_a_page(self):
        for n, expected in ((200, True), (199, False)):
            heap = Heap()
            for i in range(n):
                listener = heap.hang(heap.node("native", "V8EventListener", 40, id=2 * i + 2))
                heap.link(listener, "element", 1, heap.node("closure", "onClick", 64, id=100001 + 2 * i))
            found = self.find(heap, "eventListeners")
            self.assertEqual(found is not None, expected)
            if found:
                self.assertEqual((found["count"], found["bytes"]), (200, 200 * 104))

    # ---- heaps in order

    def test_an_ordinary_program_has_nothing_to_win(self):
        for name in ("node20-before", "node20-after"):
            found = json.loads(report(str(DATA / f"{name}.heapsnapshot.gz"), "--detail"))["findings"]
            self.assertEqual([one["text"] for one in found], [])

    def test_detached_widgets_are_found_with_their_holder(self):
        found = json.loads(report(str(DATA / "chromium-detached.heapsnapshot.gz")))["findings"]
        self.assertEqual([one["rule"] for one in found], ["detachedDom", "eventListeners"])
        self.assertIn("60 of them <section>", found[0]["text"])
        self.assertIn("__leakedWidgets", found[0]["pathText"])


NASTY = ["\x01" * 300, "\u202e" * 200, "\ud800" * 200, '"\\' * 200, "名" * 300, "x" * 5000, "\x7f\x85" * 200]


def nasty_heap():
    """Names of which each byte takes six in JSON, much of everything, deep paths."""
    heap = Heap()
    node = 1
    for i in range(40):
        node = heap.link(node, "property", NASTY[i % len(NASTY)] + str(i), heap.node("object", NASTY[i % 7] + str(i), 50))
    for k, name in enumerate(NASTY):
        array = heap.link(node, "property", name, heap.node("object", "Array", 32))
        for i in range(250):
            heap.link(array, "element", i, heap.node("object", name + "C", 40000 + k))
        for i in range(60):
            heap.link(node, "property", f"{name} {i}", heap.node("string", name + "S", 100000))
        context = heap.node("object", "system / Context", 40)
        heap.link(context, "context", name + "v", heap.node("object", name + "V", 3000000))
        closure = heap.link(node, "property", f"{name}!", heap.node("closure", name, 64))
        heap.link(closure, "internal", "context", context)
        heap.link(node, "element", k, heap.node("native", "<" + name + ">", 5000000, detachedness=2, id=2 * k + 2))
        heap.link(node, "element", 100 + k, heap.node("object", name, 7000000))
    return heap


class Brevity(unittest.TestCase):
    def assert_brief(self, document, label=""):
        self.assertLess(len(document), 8192, label)
        json.loads(document)

    def test_documents_are_below_8_kib(self):
        files = sorted(DATA.glob("*.heapsnapshot.gz")) + sorted((SOURCE_DIR / "tests/data/fx").glob("**/*.fxsnapshot"))
        n = 0
        for path in files:
            done = subprocess.run([UBIHEAP, "report", "--json", str(path)], capture_output=True)
            if done.returncode == 0:
                self.assert_brief(done.stdout, str(path))
                n += 1
        self.assertGreater(n, 8)

    def test_nasty_names_are_cut_and_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = nasty_heap().write(folder)
            document = report(path)
            self.assert_brief(document)
            self.assertGreater(json.loads(document)["namesCut"], 3)
            self.assertIn("…".encode(), document)
            detail = report(path, "--detail")
            self.assertGreater(len(detail), 8192)
            self.assertTrue(json.loads(detail)["detail"])
            self.assertEqual(json.loads(detail)["namesCut"], 0)

    def test_a_long_file_name_is_cut(self):
        with tempfile.TemporaryDirectory() as folder:
            deep = os.path.join(folder, *["d" * 200] * 8)
            os.makedirs(deep)
            self.assert_brief(report(nasty_heap().write(deep)))

    def test_random_graphs_do_no_harm(self):
        for i, rng in enumerate(v8.seeds(60)):
            tree = v8.random_snapshot(rng)
            tree = tree.tree() if hasattr(tree, "tree") else tree
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "r.heapsnapshot")
                text = v8.write(tree)
                with open(path, "wb") as file:
                    file.write(text if isinstance(text, bytes) else text.encode())
                for command in (["report", "--json"], ["report"], ["strings", "-d"], ["allocations", "--callers", "3"]):
                    done = subprocess.run([UBIHEAP, *command, path], capture_output=True)
                    self.assertIn(done.returncode, (0, 3), (i, done.stderr))


if __name__ == "__main__":
    if not UBIHEAP:
        sys.exit("UBIHEAP is not set")
    unittest.main()
