// What conformance scripts may use, besides what the runner defines:
//
//   newGlobal()                a new realm; its global object
//   evaluate(g, code, file)    runs code in a realm, under a file name
//   gc()                       a collection of cycles
//   later(fn)                  runs fn after the next safe point, outside of any script; may be nested
//   foreignHook(g, on)         an allocation hook of somebody else
//   rejections()               reasons of promises that were rejected and that nobody took since the last call
//   print(text)
"use strict";

(function (global) {
    function show(value) {
        if (typeof value === "string") return JSON.stringify(value);
        if (Object.is(value, -0)) return "-0";
        if (typeof value === "symbol") return value.toString();
        try { return String(value); } catch (e) { return "[object]"; }
    }
    function fail(message) { throw new Error("assertion failed: " + message); }

    global.assert = function (value, message) { if (!value) fail(message || "not true"); };
    global.assertEq = function (actual, expected, message) {
        if (!Object.is(actual, expected)) fail(`${message ? message + ": " : ""}${show(actual)}, expected ${show(expected)}`);
    };
    global.assertText = function (actual, expected, message) {
        assertEq(JSON.stringify(actual), JSON.stringify(expected), message);
    };
    // The exception's constructor and message; a string stands for "Name: message".
    global.assertThrows = function (fn, expected) {
        let thrown, did = false;
        try { fn(); } catch (e) { thrown = e; did = true; }
        if (!did) fail("no exception, expected " + show(expected));
        if (typeof expected === "string") assertEq(`${thrown.name}: ${thrown.message}`, expected);
        else assertEq(thrown, expected);
        return thrown;
    };
    global.assertBetween = function (low, value, high, message) {
        if (!(low <= value && value <= high)) fail(`${message || "value"}: ${value} is not within ${low} to ${high}`);
    };
    // A Debugger that tracks the allocations of a new global.
    global.tracked = function () {
        const g = newGlobal(), dbg = new Debugger(), object = dbg.addDebuggee(g);
        dbg.memory.trackingAllocationSites = true;
        return { g, dbg, object, memory: dbg.memory };
    };
    global.linesOf = (entries, cls) =>
        entries.filter(e => !cls || e.class === cls).map(e => e.frame && e.frame.line);
})(globalThis);
