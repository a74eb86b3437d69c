#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The console of a program under `ubiheap run --listen`: values, objects piece by piece, exceptions, messages, and hostile clients."""
import os
import tempfile
import threading
import unittest
from pathlib import Path

from rdp_client import Client, Refused, running

STILL = """
console.log("before", 1, new Map(), [1, 2], function named() {}, new TypeError("no"), Symbol("s"), null);
console.warn("careful");
globalThis.kept = { a: 1 };
setInterval(() => {}, 1000);
"""
UNDEFINED = {"type": "undefined"}


def wait_until(port, condition):
    """The program runs: what it does at its beginning is done."""
    client = Client(port)
    while client.evaluate(condition)["result"] is not True:
        pass
    client.close()


class Console(unittest.TestCase):
    """One program for all tests, a connection for each."""

    @classmethod
    def setUpClass(cls):
        cls.program = running(code=STILL)
        cls.port, cls.process = cls.program.__enter__()
        wait_until(cls.port, "typeof kept === 'object'")

    @classmethod
    def tearDownClass(cls):
        cls.program.__exit__(None, None, None)

    def setUp(self):
        self.client = Client(self.port)
        self.form = self.client.targets()[0]
        self.console = self.form["consoleActor"]

    def tearDown(self):
        self.client.close()

    def result(self, text):
        event = self.client.evaluate(text)
        self.assertFalse(event["hasException"], event)
        return event["result"]

    def ask(self, actor, type_, **members):
        reply = self.client.request(actor, type_, **members)
        self.assertEqual(reply.pop("from"), actor)
        return reply

    def assert_refused(self, name, actor, type_, /, **members):
        with self.assertRaises(Refused) as raised:
            self.ask(actor, type_, **members)
        self.assertEqual(raised.exception.packet["error"], name)
        return raised.exception.packet["message"]

    def watch(self, *types, client=None):
        """The watcher of the tab, which sends resources from now on."""
        client = client or self.client
        tab = client.request("root", "listTabs")["tabs"][0]["actor"]
        watcher = client.request(tab, "getWatcher")["actor"]
        for one in types:
            client.request(watcher, "watchResources", resourceTypes=[one])
        return watcher

    def slice(self, actor, type_, start=0, count=100, **options):
        iterator = self.ask(actor, type_, options=options)["iterator"]
        return iterator, self.ask(iterator["actor"], "slice", start=start, count=count)


class Values(Console):
    def test_values_without_an_actor(self):
        for text, grip in {
            "1 + 1": 2, "0.5": 0.5, "'text'": "text", "''": "", "true": True, "undefined": UNDEFINED, "null": {"type": "null"},
            "0 / 0": {"type": "NaN"}, "1 / 0": {"type": "Infinity"}, "-1 / 0": {"type": "-Infinity"}, "-0": {"type": "-0"},
            "10n ** 20n": {"type": "BigInt", "text": "1" + "0" * 20}, "'\\u00e9\\ud83d\\ude00'": "\u00e9\U0001f600",
        }.items():
            self.assertEqual(self.result(text), grip, text)

    def test_symbols_have_a_name_unless_they_have_none(self):
        symbol = self.result("Symbol('s')")
        self.assertEqual((symbol["type"], symbol["name"]), ("symbol", "s"))
        self.assertNotIn("name", self.result("Symbol()"))
        self.assertEqual(self.ask(symbol["actor"], "release"), {})
        self.assert_refused("noSuchActor", symbol["actor"], "release")

    def test_long_strings_come_in_pieces(self):
        grip = self.result("'0123456789'.repeat(2000)")
        self.assertEqual((grip["type"], grip["length"], grip["initial"]), ("longString", 20000, "0123456789" * 1000))
        self.assertEqual(self.ask(grip["actor"], "substring", start=19995, end=20000), {"substring": "56789"})
        self.assertEqual(self.ask(grip["actor"], "substring", start=7, end=3), {"substring": ""})
        self.assertEqual(self.ask(grip["actor"], "substring", start=-5, end=1e300), {"substring": "0123456789" * 2000})

    def test_objects_have_previews(self):
        grip = self.result("({ a: 1, b: 'two', get c() { throw 1; } })")
        self.assertEqual((grip["type"], grip["class"], grip["ownPropertyLength"]), ("object", "Object", 3))
        self.assertEqual((grip["extensible"], grip["frozen"], grip["sealed"], grip["isError"]), (True, False, False, False))
        preview = grip["preview"]
        self.assertEqual((preview["kind"], preview["ownPropertiesLength"]), ("Object", 3))
        self.assertEqual(preview["ownProperties"]["a"], {"configurable": True, "enumerable": True, "writable": True, "value": 1})
        self.assertEqual(preview["ownProperties"]["c"]["get"]["class"], "Function")
        self.assertEqual(preview["ownProperties"]["c"]["set"], UNDEFINED)
        self.assertTrue(self.result("Object.freeze({})")["frozen"])
        self.assertEqual(self.result("new (class Session {})")["class"], "Session")

    def test_arrays_show_their_elements(self):
        preview = self.result("Array.from({ length: 30 }, (_, i) => i)")["preview"]
        self.assertEqual((preview["kind"], preview["length"], preview["items"]), ("ArrayLike", 30, list(range(10))))
        nested = self.result("[[1, 2, 3]]")["preview"]["items"][0]
        self.assertEqual((nested["class"], nested["preview"]), ("Array", {"kind": "ArrayLike", "length": 3}))

    def test_functions_and_errors_say_where_they_are(self):
        function = self.result("(async function* named(a) {})")
        self.assertEqual((function["class"], function["name"], function["isAsync"], function["isGenerator"]),
                         ("AsyncGeneratorFunction", "named", True, True))
        self.assertEqual(function["location"]["url"], "debugger eval code")
        error = self.result("new RangeError('far')")
        self.assertTrue(error["isError"])
        self.assertEqual((error["preview"]["kind"], error["preview"]["name"], error["preview"]["message"]),
                         ("Error", "RangeError", "far"))

    def test_dates_expressions_and_collections_show_what_they_hold(self):
        date = self.result("new Date(Date.UTC(2026, 10, 27))")
        self.assertEqual((date["class"], date["preview"]), ("Date", {"timestamp": 1795737600000}))
        self.assertEqual(self.result("new Date(NaN)")["preview"], {"timestamp": {"type": "NaN"}})
        self.assertEqual(self.result("/a\\/\u00e9+/gi")["displayString"], "/a\\/\u00e9+/gi")
        self.assertEqual(self.result("new RegExp('x', 'yumg')")["displayString"], "/x/gmuy")
        self.assertEqual(self.result("new Map([[1, 'two'], [3, 4]])")["preview"],
                         {"kind": "MapLike", "size": 2, "entries": [[1, "two"], [3, 4]]})
        self.assertEqual(self.result("new Set('abc')")["preview"], {"kind": "ArrayLike", "length": 3, "items": ["a", "b", "c"]})
        nested = self.result("({ when: new Date(7), known: new Map() })")["preview"]["ownProperties"]
        self.assertEqual(nested["when"]["value"]["preview"], {"timestamp": 7})
        self.assertEqual(nested["known"]["value"]["preview"]["size"], 0)
        fake = self.result("Object.create(Date.prototype)")
        self.assertNotIn("timestamp", fake.get("preview", {}))

    def test_promises_show_their_state(self):
        properties = self.result("Promise.resolve({ done: 1 })")["preview"]["ownProperties"]
        self.assertEqual((properties["<state>"], properties["<value>"]["value"]["class"]), ({"value": "fulfilled"}, "Object"))
        self.assertEqual(self.result("new Promise(() => {})")["preview"]["ownProperties"], {"<state>": {"value": "pending"}})
        nested = self.result("[Promise.resolve(1)]")["preview"]["items"][0]
        self.assertEqual(nested["preview"]["ownProperties"], {"<state>": {"value": "fulfilled"}})

    def test_buffers_show_their_lengths(self):
        preview = self.result("new ArrayBuffer(24)")["preview"]
        self.assertEqual((preview["kind"], preview["safeGetterValues"]["byteLength"]["getterValue"]), ("Object", 24))
        typed = self.result("new Float64Array([1.5, 2])")
        self.assertEqual(typed["preview"], {"kind": "ArrayLike", "length": 2, "items": [1.5, 2]})
        iterator, got = self.slice(typed["actor"], "enumProperties", ignoreIndexedProperties=True)
        self.assertEqual((iterator["count"], {name: one["getterValue"] for name, one in got["ownProperties"].items()}),
                         (2, {"byteLength": 16, "length": 2}))

    def test_wrappers_symbols_causes_and_holes(self):
        self.assertEqual(self.result("new String('text')")["preview"]["wrappedValue"], "text")
        [symbol] = self.result("({ a: 1, [Symbol('s')]: 2 })")["preview"]["ownSymbols"]
        self.assertEqual((symbol["type"], symbol["name"], symbol["descriptor"]["value"]), ("symbol", "s", 2))
        self.assertEqual(self.result("new Error('outer', { cause: 'inner' })")["preview"]["cause"], "inner")
        self.assertEqual(self.result("[1, , 3, ,]")["preview"]["items"], [1, None, 3, None])
        self.assertEqual(self.result("(function f(a, { b }, ...c) {})")["parameterNames"], ["a", None, "c"])

    def test_proxies_are_not_looked_at(self):
        self.result("globalThis.touched = 0; globalThis.watched = new Proxy({ inside: 1 }, "
                    "{ ownKeys() { touched++; return []; }, getPrototypeOf() { touched++; return null; } })")
        grip = self.result("watched")
        self.assertEqual(list(grip["preview"]["ownProperties"]), ["<target>", "<handler>"])
        slots = self.ask(grip["actor"], "proxySlots")
        self.assertEqual(slots["proxyTarget"]["preview"]["ownProperties"]["inside"]["value"], 1)
        self.assertEqual(slots["proxyHandler"]["class"], "Object")
        self.assertEqual(self.ask(grip["actor"], "prototype"), {"prototype": UNDEFINED})
        self.slice(grip["actor"], "enumProperties")
        self.assertEqual(self.result("touched"), 0)


class Evaluating(Console):
    def test_the_event_is_directly_behind_the_reply(self):
        self.client.send(self.console, "evaluateJSAsync", text="40 + 2")
        reply, event = self.client.packet(), self.client.packet()
        self.assertRegex(reply["resultID"], r"^\d+-0$")
        self.assertEqual((event["type"], event["resultID"], event["input"], event["result"]),
                         ("evaluationResult", reply["resultID"], "40 + 2", 42))
        self.assertGreaterEqual(event["timestamp"], event["startTime"])
        self.assertGreater(event["startTime"], 1_600_000_000_000)

    def test_many_at_once_come_in_order(self):
        for i in range(200):
            self.client.send(self.console, "evaluateJSAsync", text=str(i))
        seen = [self.client.packet() for _ in range(400)]
        self.assertEqual([event["result"] for event in seen[1::2]], list(range(200)))

    def test_exceptions(self):
        event = self.client.evaluate("\nthrow new Error('bad')")
        self.assertEqual((event["hasException"], event["exceptionMessage"], event["result"]), (True, "Error: bad", UNDEFINED))
        self.assertEqual((event["frame"]["source"], event["frame"]["line"]), ("debugger eval code", 2))
        self.assertEqual(event["exception"]["preview"]["message"], "bad")
        self.assertEqual(self.client.evaluate("throw 7")["exception"], 7)
        self.assertIn("SyntaxError", self.client.evaluate("1 +")["exceptionMessage"])
        self.assertIn("nothing", self.client.evaluate("nothing")["exceptionMessage"])

    def test_eager_evaluation_runs_nothing(self):
        self.result("globalThis.counter = 0")
        event = self.client.evaluate("counter++", eager=True)
        self.assertEqual((event["hasException"], event["result"]), (False, UNDEFINED))
        self.assertEqual(self.result("counter"), 0)

    def test_window_is_there_while_a_text_runs_and_not_after(self):
        self.assertEqual(self.result("(function(a) { return this === globalThis && window === this && a; }).apply(window, [5])"), 5)
        self.result("setTimeout(() => { globalThis.later = typeof window; }, 1)")
        while (later := self.result("globalThis.later")) == UNDEFINED:
            pass
        self.assertEqual(later, "undefined")

    def test_exceptions_have_a_stack(self):
        event = self.client.evaluate("function inner() { throw new TypeError('deep'); }\nfunction outer() { inner(); }\nouter();")
        stack = event["exceptionStack"]
        self.assertEqual([(frame["functionName"], frame["lineNumber"]) for frame in stack[:2]], [("inner", 1), ("outer", 2)])
        self.assertEqual({frame["filename"] for frame in stack}, {"debugger eval code"})
        self.assertEqual(self.client.evaluate("throw 7")["exceptionStack"], None)

    def test_what_is_too_much(self):
        self.assertIn("stack overflow", self.client.evaluate("(function f() { f(); })()")["exceptionMessage"])
        self.assertIn("Error", self.client.evaluate("'x'.repeat(2 ** 31)")["exceptionMessage"])
        self.assertEqual(len(self.client.evaluate("throw 'x'.repeat(3e6)")["exceptionMessage"]), 10000)
        grip = self.result("'y'.repeat(3e6)")
        self.assertEqual((grip["length"], self.ask(grip["actor"], "substring", start=2999990, end=3000000)["substring"]),
                         (3000000, "y" * 10))


class Completing(Console):
    def complete(self, text, cursor=None):
        reply = self.ask(self.console, "autocomplete", text=text, cursor=len(text) if cursor is None else cursor)
        return reply["matches"], reply["matchProp"], reply["isElementAccess"]

    def test_variables_and_keywords(self):
        self.result("globalThis.completeA = 1; let completeB = { inner: 1 }; 0")
        self.assertEqual(self.complete("comple"), (["completeA", "completeB"], "comple", False))
        self.assertEqual(self.complete("1 + comple; more", 10)[0], ["completeA", "completeB"])
        self.assertEqual(self.complete("wh"), (["while"], "wh", False))
        self.assertIn("Array", self.complete("arr")[0])
        self.assertNotIn("array", self.complete("Arr")[0])
        self.assertEqual(self.complete("'\u00e9\U0001f600' + compl", 13)[0], ["completeA", "completeB"])

    def test_properties(self):
        self.result("globalThis.has = { some: { thing: 1, 'a b': 2, 3: 4 }, get got() { ran = true; }, text: 'x' }")
        self.assertEqual(self.complete("has.some.th"), (["thing"], "th", False))
        self.assertIn("hasOwnProperty", self.complete("has.")[0])
        self.assertNotIn("a b", self.complete("has.some.")[0])
        matches, begin, is_element = self.complete("has.some['")
        self.assertEqual((begin, is_element, {"'3'", "'a b'", "'thing'"} - set(matches)), ("'", True, set()))
        self.assertEqual(self.complete('has["so'), (['"some"'], '"so', True))
        self.assertIn("charAt", self.complete("has.text.ch")[0])
        self.assertEqual(self.complete("has.got.x"), ([], "x", False))
        self.assertEqual(self.complete("has.missing.x"), ([], "x", False))
        self.assertEqual(self.result("typeof ran"), "undefined")

    def test_proxies_are_not_asked(self):
        self.result("globalThis.asked = 0; globalThis.guarded = new Proxy({ x: 1 }, { ownKeys() { asked++; return []; }, "
                    "get() { asked++; } }); globalThis.heir = Object.create(guarded)")
        self.assertEqual(self.complete("guarded.")[0], [])
        self.assertEqual(self.complete("heir.x.")[0], [])
        self.assertEqual(self.result("asked"), 0)

    def test_nothing_much(self):
        for text in ("", ".", "..", "a..b", "[", "['", "1.", "'text", "f().x", "x" * 5000, "has.\u00e9", "this."):
            self.complete(text)
        self.assertEqual(self.ask(self.console, "autocomplete")["matchProp"], "")
        self.assertEqual(self.complete("kept", -5)[1], "")
        self.assertEqual(self.complete("kept", 1e300)[1], "kept")


class Stopping(unittest.TestCase):
    """Code that does not end: a program of its own for each test."""

    ENDLESS = "globalThis.turns = 0; for (;;) turns++"

    def setUp(self):
        self.program = running(code=STILL)
        self.port, self.process = self.program.__enter__()
        wait_until(self.port, "typeof kept === 'object'")
        self.client, self.other = Client(self.port), Client(self.port)
        self.console = self.client.targets()[0]["consoleActor"]

    def tearDown(self):
        for client in (self.client, self.other):
            client.close()
        self.program.__exit__(None, None, None)

    def begin(self, text=ENDLESS):
        self.client.send(self.console, "evaluateJSAsync", text=text)
        while not self.other.evaluate("globalThis.turns > 0")["result"] is True:
            pass

    def assert_it_has_ended(self):
        """The program lives, and nothing of the text runs."""
        while (before := self.other.evaluate("turns")["result"]) != self.other.evaluate("turns")["result"]:
            pass
        self.assertGreater(before, 0)
        self.assertIsNone(self.process.poll())

    def result(self):
        self.client.reply(self.console)
        return self.client.event("evaluationResult")

    def test_by_the_client(self):
        self.begin()
        self.client.send(self.console, "stopEvaluation")
        event = self.result()
        self.assertEqual((event["hasException"], event["exceptionMessage"]), (True, "InternalError: interrupted"))
        self.assertEqual(self.client.reply(self.console), {"from": self.console})
        self.assert_it_has_ended()
        self.assertEqual(self.client.evaluate("6 * 7")["result"], 42)
        self.assertEqual(self.client.request(self.console, "stopEvaluation"), {"from": self.console})

    def test_what_catches_everything_does_not_catch_it(self):
        self.begin("globalThis.turns = 0; for (;;) { try { for (;;) turns++; } catch { } finally { turns = -1; continue; } }")
        self.client.send(self.console, "stopEvaluation")
        self.assertTrue(self.result()["hasException"])
        self.assert_it_has_ended()

    def test_an_async_function_that_is_stopped_does_not_end_the_program(self):
        inner = "(async () => { globalThis.turns = 0; for (;;) turns++; })()"
        for text in (inner, f"(async () => {{ await {inner}; }})(); 5"):
            self.begin(text)
            self.client.send(self.console, "stopEvaluation")
            self.result()
            self.client.reply(self.console)
            self.assert_it_has_ended()
            self.other.evaluate("delete globalThis.turns")

    def test_by_leaving(self):
        self.begin()
        self.client.close()
        self.assert_it_has_ended()

    def test_by_detaching(self):
        self.begin()
        target = self.client.targets()[0]["actor"]
        self.client.request(target, "detach")
        self.assertTrue(self.client.event("evaluationResult")["hasException"])
        self.assert_it_has_ended()

    def test_a_getter_that_does_not_end(self):
        actor = self.client.evaluate("({ get endless() { globalThis.turns = 0; for (;;) turns++; } })")["result"]["actor"]
        self.client.send(actor, "propertyValue", name="endless")
        while not self.other.evaluate("globalThis.turns > 0")["result"] is True:
            pass
        self.client.send(self.console, "stopEvaluation")
        self.assertEqual(self.client.reply(actor)["value"]["throw"]["preview"]["name"], "InternalError")
        self.assert_it_has_ended()

    def test_the_text_of_another_client_runs_on(self):
        self.begin()
        third = Client(self.port)
        console = third.targets()[0]["consoleActor"]
        third.send(console, "evaluateJSAsync", text="globalThis.inner = 0; while (!globalThis.enough) inner++; 'done'")
        while not self.other.evaluate("globalThis.inner > 0")["result"] is True:
            pass
        self.client.send(self.console, "stopEvaluation")
        self.other.evaluate("enough = true")
        third.reply(console)
        self.assertEqual(third.event("evaluationResult")["result"], "done")
        self.assertTrue(self.result()["hasException"])
        third.close()
        self.assert_it_has_ended()


class Objects(Console):
    def test_properties_come_with_both_filters(self):
        actor = self.result("({ x: 1, 5: 'five', 6: { deep: true }, [Symbol('s')]: 3 })")["actor"]
        iterator, got = self.slice(actor, "enumProperties", ignoreNonIndexedProperties=True)
        self.assertEqual((iterator["type"], iterator["count"], list(got["ownProperties"])), ("propertyIterator", 2, ["5", "6"]))
        deep = got["ownProperties"]["6"]["value"]["actor"]
        self.assertEqual(self.slice(deep, "enumProperties")[1]["ownProperties"]["deep"]["value"], True)
        self.assertEqual(got["ownProperties"]["6"]["value"]["preview"]["ownProperties"]["deep"]["value"], True)
        iterator, got = self.slice(actor, "enumProperties", ignoreIndexedProperties=True)
        self.assertEqual((iterator["count"], list(got["ownProperties"])), (1, ["x"]))
        iterator, got = self.slice(actor, "enumSymbols")
        self.assertEqual((iterator["type"], iterator["count"]), ("symbolIterator", 1))
        self.assertEqual((got["ownSymbols"][0]["name"], got["ownSymbols"][0]["descriptor"]["value"]), ("Symbol(s)", 3))
        iterator, got = self.slice(actor, "enumPrivateProperties")
        self.assertEqual((iterator["type"], iterator["count"], got["privateProperties"]), ("privatePropertiesIterator", 0, []))

    def test_entries_of_collections(self):
        actor = self.result("new Map([['a', 1], [{ b: 2 }, new Set([3])]])")["actor"]
        iterator, got = self.slice(actor, "enumEntries")
        self.assertEqual((iterator["type"], iterator["count"], list(got["ownProperties"])), ("propertyIterator", 2, ["0", "1"]))
        first, second = got["ownProperties"].values()
        self.assertEqual(first, {"enumerable": True, "value": {"type": "mapEntry", "preview": {"key": "a", "value": 1}}})
        pair = second["value"]["preview"]
        self.assertEqual(pair["key"]["preview"]["ownProperties"]["b"]["value"], 2)
        self.assertEqual(pair["value"]["preview"]["items"], [3])
        iterator, got = self.slice(self.result("new Set('abcd')")["actor"], "enumEntries", start=2, count=9)
        self.assertEqual((iterator["count"], got["ownProperties"]),
                         (4, {"2": {"enumerable": True, "value": "c"}, "3": {"enumerable": True, "value": "d"}}))
        weak = self.result("globalThis.held = {}; new WeakMap([[held, 'w']])")
        self.assertEqual((weak["preview"]["kind"], weak["preview"]["size"]), ("MapLike", 1))
        self.assertEqual(self.slice(weak["actor"], "enumEntries")[1]["ownProperties"]["0"]["value"]["preview"]["value"], "w")
        self.assertEqual(self.slice(self.result("({})")["actor"], "enumEntries")[1]["ownProperties"], {})
        iterator, got = self.slice(actor, "enumProperties", ignoreIndexedProperties=True)
        self.assertEqual((iterator["count"], got["ownProperties"]["size"]["getterValue"]), (1, 2))

    def test_promises_say_what_they_settled_with(self):
        state = self.ask(self.result("Promise.resolve([1])")["actor"], "promiseState")["promiseState"]
        self.assertEqual((state["state"], state["value"]["preview"]["items"]), ("fulfilled", [1]))
        rejected = self.result("globalThis.no = Promise.reject('why'); no.catch(() => {}); no")["actor"]
        self.assertEqual(self.ask(rejected, "promiseState"), {"promiseState": {"state": "rejected", "reason": "why"}})
        pending = self.result("new Promise(() => {})")["actor"]
        self.assertEqual(self.ask(pending, "promiseState"), {"promiseState": {"state": "pending"}})
        self.assert_refused("TypeError", self.result("({})")["actor"], "promiseState")
        self.assert_refused("TypeError", self.result("({})")["actor"], "proxySlots")

    def test_getters_run_when_they_are_asked_for(self):
        object_ = self.result("({ n: 5, get sum() { return [this.n]; }, get bad() { throw 'no'; } })")["actor"]
        self.assertEqual(self.ask(object_, "propertyValue", name="sum")["value"]["return"]["preview"]["items"], [5])
        self.assertEqual(self.ask(object_, "propertyValue", name="bad"), {"value": {"throw": "no"}})
        other = self.result("({ n: 6 })")["actor"]
        got = self.ask(object_, "propertyValue", name="sum", receiverId=other)
        self.assertEqual(got["value"]["return"]["preview"]["items"], [6])
        got = self.ask(object_, "propertyValue", name="sum", receiverId=self.console)
        self.assertEqual(got["value"]["return"]["preview"]["items"], [5])
        self.assertEqual(self.ask(object_, "propertyValue", name="nothing"), {"value": {"return": UNDEFINED}})
        self.assert_refused("badParameterType", object_, "propertyValue", name=1)

    def test_four_requests_at_once_as_the_panel_sends_them(self):
        actor = self.result("kept")["actor"]
        self.client.send(actor, "enumProperties", options={"ignoreNonIndexedProperties": True})
        self.client.send(actor, "enumProperties", options={"ignoreIndexedProperties": True})
        self.client.send(actor, "prototype")
        self.client.send(actor, "enumSymbols")
        seen = [self.client.reply(actor) for _ in range(4)]
        self.assertEqual([one["iterator"]["count"] for one in seen if "iterator" in one], [0, 1, 0])
        self.assertEqual(seen[2]["prototype"]["class"], "Object")

    def test_slices(self):
        actor = self.result("Array.from({ length: 2500 }, (_, i) => i)")["actor"]
        iterator, got = self.slice(actor, "enumProperties", start=2490, count=5, ignoreNonIndexedProperties=True)
        self.assertEqual((iterator["count"], list(got["ownProperties"])), (2500, [str(2490 + i) for i in range(5)]))
        self.assertEqual(len(self.ask(iterator["actor"], "slice", count=1e308)["ownProperties"]), 1000)
        self.assertEqual(self.ask(iterator["actor"], "slice", start=-1, count=-1), {"ownProperties": {}})
        self.assertEqual(self.ask(iterator["actor"], "release"), {})
        self.assert_refused("noSuchActor", iterator["actor"], "slice")

    def test_prototype_and_properties_at_once(self):
        got = self.ask(self.result("({ a: 1, [Symbol.iterator]: 2 })")["actor"], "prototypeAndProperties")
        self.assertEqual((list(got["ownProperties"]), got["ownSymbols"][0]["name"], got["safeGetterValues"]),
                         (["a"], "Symbol(Symbol.iterator)", {}))
        self.assertEqual(got["prototype"]["type"], "object")

    def test_values_are_released_when_their_actor_goes(self):
        self.result("globalThis.gone = 0; globalThis.registry = new FinalizationRegistry(() => { gone++; })")
        actor = self.result("{ const held = { inner: {} }; registry.register(held, 1); held }")["actor"]
        memory = self.form["memoryActor"]
        self.ask(memory, "forceGarbageCollection")
        self.assertEqual(self.result("gone"), 0)
        self.ask(actor, "release")
        self.assert_refused("noSuchActor", actor, "prototype")
        while self.result("gone") == 0:
            self.ask(memory, "forceGarbageCollection")

    def test_values_are_released_when_the_connection_goes(self):
        self.result("globalThis.left = 0; globalThis.leaving = new FinalizationRegistry(() => { left++; })")
        other = Client(self.port)
        other.evaluate("{ const held = {}; leaving.register(held, 1); held }")
        other.close()
        while self.result("left") == 0:
            self.ask(self.form["memoryActor"], "forceGarbageCollection")

    def test_of_too_many_values_the_oldest_go(self):
        first = self.result("({ first: true })")["actor"]
        for _ in range(5):
            actor = self.result("Array.from({ length: 1000 }, () => ({}))")["actor"]
            self.slice(actor, "enumProperties", count=1000)
        self.assert_refused("noSuchActor", first, "prototype")
        self.assertEqual(self.ask(actor, "prototype")["prototype"]["class"], "Array")


class Messages(Console):
    def test_those_of_before_come_first_as_texts(self):
        self.watch("console-message")
        event = self.client.event("resources-available-array")
        self.assertEqual(event["from"], self.form["actor"])
        [[type_, items]] = event["array"]
        self.assertEqual((type_, [item["level"] for item in items[:2]]), ("console-message", ["log", "warn"]))
        self.assertEqual(items[0]["arguments"], ["before", 1, "Map {…}", "Array(2)", "function named", "TypeError: no",
                                                 "Symbol(s)", {"type": "null"}])
        self.assertEqual((items[0]["lineNumber"], items[0]["innerWindowID"]), (2, self.form["innerWindowID"]))

    def messages(self, type_, is_enough):
        """Items of a type, until there are enough."""
        items = []
        while not is_enough(items):
            for kind, some in self.client.event("resources-available-array")["array"]:
                items += some if kind == type_ else []
        return items

    def test_new_ones_come_with_their_objects(self):
        self.watch("console-message", "error-message")
        self.result("for (const level of ['log', 'info', 'warn', 'error', 'debug']) console[level]('new', level, { level })")
        items = self.messages("console-message", lambda items: any(item["level"] == "debug" for item in items))
        new = [item for item in items if item["arguments"][:1] == ["new"]]
        self.assertEqual([item["level"] for item in new], ["log", "info", "warn", "error", "debug"])
        value = new[0]["arguments"][2]
        self.assertEqual(value["preview"]["ownProperties"]["level"]["value"], "log")
        self.assertEqual(self.slice(value["actor"], "enumProperties")[0]["count"], 1)

    def test_each_method_has_a_form_of_its_own(self):
        self.watch("console-message")
        self.result("""console.table([{ a: 1, b: { c: 2 } }, [3]]); console.table(new Map([['k', { v: 4 }]])); console.group('g', 1);
            console.groupCollapsed(); console.groupEnd(); console.dir({ d: 1 }); console.assert(false, 'wrong');
            (function traced() { console.trace('here'); })(); console.count(); console.count('c'); console.countReset('none');
            console.time('t'); console.time('t'); console.timeLog('t', 5); console.timeEnd('t'); console.timeEnd('t');
            console.log('all methods')""")
        items = self.messages("console-message", lambda items: any(item["arguments"] == ["all methods"] for item in items))
        items = items[next(i for i, item in enumerate(items) if item["level"] == "table"):]
        self.assertEqual([item["level"] for item in items], [
            "table", "table", "group", "groupCollapsed", "groupEnd", "dir", "assert", "trace", "count", "count", "countReset",
            "time", "time", "timeLog", "timeEnd", "timeEnd", "log"])
        table, of_map, group, _, _, directory, wrong, trace, first, second, none, time, again, log, end, late, _ = items
        rows = table["arguments"][0]
        self.assertEqual((rows["class"], rows["preview"], list(rows["ownProperties"])), ("Array", None, ["0", "1"]))
        self.assertEqual(rows["ownProperties"]["0"]["value"]["ownProperties"]["a"]["value"], 1)
        self.assertEqual(rows["ownProperties"]["1"]["value"]["ownProperties"]["0"]["value"], 3)
        pair = of_map["arguments"][0]["ownProperties"]["0"]["value"]["preview"]
        self.assertEqual((pair["key"], pair["value"]["ownProperties"]["v"]["value"]), ("k", 4))
        self.assertEqual(group["arguments"], ["g", 1])
        self.assertEqual(directory["arguments"][0]["preview"]["ownProperties"]["d"]["value"], 1)
        self.assertEqual((wrong["arguments"], wrong["stacktrace"][0]["filename"]), (["wrong"], "debugger eval code"))
        self.assertEqual((trace["stacktrace"][0]["functionName"], trace["stacktrace"][0]["lineNumber"]), ("traced", 3))
        self.assertEqual([item["counter"] for item in (first, second, none)], [
            {"label": "default", "count": 1}, {"label": "c", "count": 1}, {"label": "none", "error": "counterDoesntExist"}])
        self.assertEqual([item["timer"] for item in (time, again, late)], [
            {"name": "t"}, {"name": "t", "error": "timerAlreadyExists"}, {"name": "t", "error": "timerDoesntExist"}])
        self.assertGreaterEqual(end["timer"]["duration"], log["timer"]["duration"])
        self.assertEqual(log["arguments"], ["t", 5])
        self.assertIsNone(directory["stacktrace"])

    def test_directives_take_arguments(self):
        self.watch("console-message")
        self.result("""console.log('%s is %d of %i, %f%% %o %s %x', 'one', 2.5, 3.9, 4.5, { o: 1 }, [1, 2], 'rest');
            console.log('%cred%cblue', 'color: red', 'color: blue', 7); console.log('100%', 1); console.log('%d', 'nothing')
            console.log('all directives')""")
        items = self.messages("console-message", lambda items: any(item["arguments"] == ["all directives"] for item in items))
        taken, styled, plain, not_a_number = items[-5:-1]
        self.assertEqual((taken["arguments"][0], taken["arguments"][2:]), ("one is 2 of 3, 4.5% ", [" Array(2) %x", "rest"]))
        self.assertEqual(taken["arguments"][1]["preview"]["ownProperties"]["o"]["value"], 1)
        self.assertEqual((styled["arguments"], styled["styles"]), (["red", "blue", 7], ["color: red", "color: blue"]))
        self.assertEqual(plain["arguments"], ["100%", 1])
        self.assertNotIn("styles", plain)
        self.assertEqual(not_a_number["arguments"], ["NaN"])

    def test_no_more_come_after_unwatch(self):
        watcher = self.watch("console-message")
        self.client.event("resources-available-array")
        self.client.send(watcher, "unwatchResources", resourceTypes=["console-message"])
        self.result("console.log('unheard')")
        self.result("0")
        self.assertEqual([event for event in self.client.events if "resources" in event["type"]], [])

    def test_clients_without_resources_ask_the_console(self):
        names = ["ConsoleAPI", "PageError", "DocumentEvents"]
        self.assertEqual(self.ask(self.console, "startListeners", listeners=names), {"startedListeners": names})
        self.result("console.info('old way', {})")
        message = self.client.event("consoleAPICall")["message"]
        self.assertEqual((message["level"], message["arguments"][0]), ("info", "old way"))
        self.ask(message["arguments"][1]["actor"], "prototype")
        self.assertEqual(self.ask(self.console, "stopListeners", listeners=names), {"stoppedListeners": names})
        self.result("console.info('not heard')")
        self.assertEqual([event for event in self.client.events if event["type"] == "consoleAPICall"], [])

    def test_cached_messages_can_be_asked_for(self):
        messages = self.ask(self.console, "getCachedMessages", messageTypes=["ConsoleAPI"])["messages"]
        self.assertEqual((messages[0]["_type"], messages[0]["type"], messages[0]["message"]["arguments"][0]),
                         ("ConsoleAPI", "consoleAPICall", "before"))
        self.assertEqual(self.ask(self.console, "getCachedMessages", messageTypes=["Other"]), {"messages": []})

    def test_clients_before_131_get_the_older_form(self):
        old = Client(self.port, is_modern=False)
        old.request("root", "connect", frontendVersion="128.0")
        self.watch("console-message", client=old)
        event = old.event("resource-available-form")
        self.assertEqual((event["resources"][0]["resourceType"], event["resources"][0]["message"]["arguments"][0]),
                         ("console-message", "before"))
        old.close()


class Uncaught(unittest.TestCase):
    """What nothing caught ends the program, after clients have heard of it."""

    def last_event(self, text, listen):
        with running(code="setInterval(() => {}, 1000)") as (port, _):
            client = Client(port)
            console = client.targets()[0]["consoleActor"]
            listen(client, console)
            client.send(console, "evaluateJSAsync", text=text)
            event = client.event("pageError" if listen is self.listen_to_events else "resources-available-array")
            client.close()
        return event

    @staticmethod
    def listen_to_events(client, console):
        client.request(console, "startListeners", listeners=["PageError"])

    @staticmethod
    def watch(client, _):
        watcher = client.request(client.request("root", "listTabs")["tabs"][0]["actor"], "getWatcher")["actor"]
        client.request(watcher, "watchResources", resourceTypes=["error-message"])

    def test_errors_come_as_resources(self):
        [[type_, [item]]] = self.last_event("\nsetTimeout(() => { throw new TypeError('uncaught'); }, 0)", self.watch)["array"]
        error = item["pageError"]
        self.assertEqual((type_, error["errorMessage"], error["lineNumber"]), ("error-message", "TypeError: uncaught", 2))
        self.assertEqual((error["error"], error["warning"], error["category"]), (True, False, "content javascript"))
        self.assertEqual((error["hasException"], error["stacktrace"][0]["lineNumber"]), (True, 2))

    def test_rejections_come_as_events(self):
        error = self.last_event("Promise.reject({ odd: 1 })", self.listen_to_events)["pageError"]
        self.assertEqual(error["exception"]["preview"]["ownProperties"]["odd"]["value"], 1)


class Cache(unittest.TestCase):
    def test_it_has_a_limit_and_can_be_cleared(self):
        code = "for (let i = 0; i < 1500; i++) console.log(i); globalThis.kept = {}; setInterval(() => {}, 1000);"
        with running(code=code) as (port, _):
            wait_until(port, "typeof kept === 'object'")
            client = Client(port)
            console = client.targets()[0]["consoleActor"]
            messages = client.request(console, "getCachedMessages", messageTypes=["ConsoleAPI"])["messages"]
            self.assertEqual([one["message"]["arguments"][0] for one in messages], list(range(500, 1500)))
            client.request(console, "clearMessagesCacheAsync")
            self.assertEqual(client.request(console, "getCachedMessages", messageTypes=["ConsoleAPI"])["messages"], [])
            client.close()

    def test_the_program_clears_it(self):
        with running(code="console.log('old'); console.clear(); console.log('new'); globalThis.kept = {};"
                          "setInterval(() => {}, 1000);") as (port, _):
            wait_until(port, "typeof kept === 'object'")
            client = Client(port)
            console = client.targets()[0]["consoleActor"]
            messages = client.request(console, "getCachedMessages", messageTypes=["ConsoleAPI"])["messages"]
            self.assertEqual([one["message"]["level"] for one in messages], ["clear", "log"])
            client.close()

    def test_it_keeps_nothing_alive(self):
        code = """globalThis.kept = {}; globalThis.gone = 0; const registry = new FinalizationRegistry(() => { gone++; });
                  { const logged = {}; registry.register(logged, 1); console.log(logged, "x".repeat(20000)); }
                  setInterval(() => {}, 1000);"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "logs.js")
            path.write_text(code)
            with running(os.fspath(path)) as (port, _):
                wait_until(port, "typeof kept === 'object'")
                client = Client(port)
                form = client.targets()[0]
                while client.evaluate("gone")["result"] == 0:
                    client.request(form["memoryActor"], "forceGarbageCollection")
                client.close()


class Hostile(Console):
    def test_wrong_arguments(self):
        self.assert_refused("badParameterType", self.console, "evaluateJSAsync", text=7)
        self.assert_refused("Error", self.console, "evaluateJSAsync")
        self.assert_refused("badParameterType", self.console, "startListeners", listeners="all")
        actor = self.result("({})")["actor"]
        self.assert_refused("badParameterType", actor, "enumProperties", options=[])
        self.assert_refused("badParameterType", actor, "enumProperties", options={"ignoreIndexedProperties": 1})
        self.assert_refused("unrecognizedPacketType", actor, "apply")
        self.assertEqual(self.ask(self.console, "startListeners", listeners=[[["ConsoleAPI"]], 3, None]),
                         {"startedListeners": [[["ConsoleAPI"]], 3, None]})

    def test_texts_with_anything_in_them(self):
        self.assertEqual(self.result("'a\\0b'"), "a\0b")
        self.client.evaluate("\0")
        self.assertIn("SyntaxError", self.client.evaluate("(" * 50000)["exceptionMessage"] + "SyntaxError")
        self.assertEqual(len(self.result("'" + "y" * 9000 + "'")), 9000)
        self.result("Object.defineProperty({}, '\\ud800', { value: '\\udfff', enumerable: true })")

    def test_a_program_that_changes_what_is_looked_at(self):
        actor = self.result("globalThis.changing = [1, 2, 3, 4]")["actor"]
        iterator = self.ask(actor, "enumProperties")["iterator"]
        self.result("changing.length = 0")
        self.assertEqual(list(self.ask(iterator["actor"], "slice", start=0, count=10)["ownProperties"]), ["length"])

    def test_a_client_that_leaves_before_its_answer(self):
        for _ in range(20):
            other = Client(self.port)
            console = other.targets()[0]["consoleActor"]
            other.send(console, "evaluateJSAsync", text="({ of: 'one who left' })")
            other.close()
        self.assertEqual(self.result("1"), 1)

    def test_a_client_that_leaves_while_its_text_runs(self):
        """A text that takes long is interrupted for others, and ends when its client leaves."""
        other = Client(self.port)
        console = other.targets()[0]["consoleActor"]
        other.send(console, "evaluateJSAsync", text="globalThis.running = true; while (running); globalThis.ended = ({})")
        while self.result("globalThis.running") is not True:
            pass
        other.close()
        for i in range(50):  # by then it has left
            self.assertEqual(self.result(f"{i} + 1"), i + 1)
        self.result("running = false")
        self.assertEqual(self.result("typeof ended"), "undefined")

    def test_a_client_that_does_not_read(self):
        with running(code=STILL) as (port, process):
            wait_until(port, "typeof kept === 'object'")
            threading.Thread(target=process.stdout.read, daemon=True).start()
            other, reader = Client(port), Client(port)
            self.watch("console-message", client=other)
            for _ in range(20):
                reader.evaluate("for (let i = 0; i < 500; i++) console.log('flood '.repeat(200), { i })")
            self.assertEqual(reader.evaluate("2")["result"], 2)
            reader.close()
            other.close()


if __name__ == "__main__":
    unittest.main()
