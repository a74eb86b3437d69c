// Cases 10 to 19, 21, 22 and 25: what is in the log.

const notTracking = "Error: Cannot call drainAllocationsLog without setting trackingAllocationSites to true";

// 10: frames with lines, in the order of allocation.
{
    const { g, memory } = tracked();
    g.eval("\n\n\nthis.alloc = {}");
    assert(memory.drainAllocationsLog().some(e => e.frame && e.frame.line === 4));
    g.eval("this.alloc1 = {}\nthis.alloc2 = {}\nthis.alloc3 = {}");
    assertText(linesOf(memory.drainAllocationsLog(), "Object"), [1, 2, 3]);
}
// 11, 12: only while tracking.
{
    const g = newGlobal(), memory = new Debugger(g).memory;
    assertThrows(() => memory.drainAllocationsLog(), notTracking);
    memory.trackingAllocationSites = true;
    g.eval("this.a = {}");
    memory.trackingAllocationSites = false;
    g.eval("this.b = {}");
    assertThrows(() => memory.drainAllocationsLog(), notTracking);
}
// 13, 14: nothing, and only what is new.
{
    const { g, memory } = tracked();
    assertEq(memory.drainAllocationsLog().length, 0);
    g.eval("this.a = {}");
    const first = linesOf(memory.drainAllocationsLog());
    g.eval("\n\n\n\n\nthis.b = {}");
    const second = linesOf(memory.drainAllocationsLog());
    assert(first.includes(1) && !first.includes(6));
    assert(second.includes(6) && !second.includes(1));
    assertEq(memory.drainAllocationsLog().length, 0);
}
// 15: seven at least in one literal; a collection in between changes nothing.
for (const collect of [() => {}, gc]) {
    const { g, memory } = tracked();
    g.eval("function Ctor() {}");
    memory.drainAllocationsLog();
    g.eval("this.all = [{}, [], /x/, new Ctor, new Object, new Array, new Date]");
    collect();
    const entries = memory.drainAllocationsLog();
    assert(entries.length >= 7);
    assertText(["Array", "Date", "Object", "RegExp"].map(c => entries.some(e => e.class === c)), [true, true, true, true]);
    assert(entries.some(e => e.constructor === "Ctor"), "named by its constructor");
    assertEq(entries.find(e => e.class === "Date").constructor, "Date");
    assertText(entries.filter(e => e.class === "Object").map(e => e.constructor), [null, null, "Ctor", "Object"],
        "literals have none, nor has the prototype of Ctor, which is made at its first use");
    assertText(entries.filter(e => e.class === "Array").map(e => e.constructor).sort(), ["Array", null, null]);
    assertEq(entries.find(e => e.class === "RegExp").constructor, null);
}
// 16: several debuggees, added before or after.
for (const early of [true, false]) {
    const dbg = new Debugger(), globals = [newGlobal(), newGlobal(), newGlobal()];
    if (early) globals.forEach(g => dbg.addDebuggee(g));
    dbg.memory.trackingAllocationSites = true;
    if (!early) globals.forEach(g => dbg.addDebuggee(g));
    globals.forEach(g => g.eval("this.a = new Date"));
    assertEq(dbg.memory.drainAllocationsLog().filter(e => e.class === "Date").length, 3);
}
// 17: a debuggee that goes.
{
    const { g, dbg, memory } = tracked();
    g.eval("this.a = new Date");
    dbg.removeDebuggee(g);
    g.eval("this.b = /x/");
    const entries = memory.drainAllocationsLog();
    assert(entries.some(e => e.class === "Date"));
    assert(!entries.some(e => e.class === "RegExp"));
}
// 18: timestamps.
{
    const { g, memory } = tracked();
    g.eval("for (let i = 0; i < 100; i++) [{}, []]");
    let last = 0;
    for (const e of memory.drainAllocationsLog()) {
        assertEq(typeof e.timestamp, "number");
        assert(e.timestamp >= last);
        last = e.timestamp;
    }
    assert(last > 0);
}
// 19: classes.
{
    const { g, memory } = tracked();
    g.eval("this.all = [new Object, [], new Date, /x/, new Int8Array, new Promise(() => {}), new Map, function () {}, " +
        "new Proxy({}, {}), new Error('x'), Object(1n)]");
    const classes = new Set(memory.drainAllocationsLog().map(e => e.class));
    for (const c of ["Object", "Array", "Date", "RegExp", "Int8Array", "Promise", "Map", "Function", "Proxy", "Error"])
        assert(classes.has(c), c);
}
// 20 cannot be: there is no nursery. 21: sizes. 25: properties in order.
{
    const { g, memory } = tracked();
    g.eval("this.all = [{}, [1, 2, 3], new Date]");
    const entries = memory.drainAllocationsLog();
    for (const e of entries) {
        assertText(Object.getOwnPropertyNames(e), ["frame", "timestamp", "class", "constructor", "size", "inNursery"]);
        assertEq(Object.getPrototypeOf(e), Object.prototype);
        assert(Number.isInteger(e.size) && e.size > 0);
        assertEq(e.inNursery, false);
        for (const name of Object.keys(e)) {
            const d = Object.getOwnPropertyDescriptor(e, name);
            assert(d.enumerable && d.writable && d.configurable);
        }
    }
    assertEq(Object.getPrototypeOf(entries), Array.prototype);
}
// 22: collections between logging and draining, and objects that are gone by then.
{
    const { g, memory } = tracked();
    g.eval("for (let i = 0; i < 3000; i++) { const a = {}, b = { a }; a.b = b; }");
    gc();
    g.eval("for (let i = 0; i < 3000; i++) { const a = {}, b = { a }; a.b = b; }");
    gc();
    const entries = memory.drainAllocationsLog();
    assertEq(entries.length, 5000);
    assert(entries.every(e => e.size > 0));
    assertEq(memory.allocationsLogOverflowed, false);
}
// Strings, symbols and big integers are no objects.
{
    const { g, memory } = tracked();
    const make = g.eval("(function (n) { return [n + 'x', Symbol(), 12345678901234567890n * BigInt(n)]; })");
    memory.drainAllocationsLog();
    make(1);
    assertText(memory.drainAllocationsLog().map(e => e.class), ["Array"]);
}
// What the engine makes for a promise while no script runs has no frame, and stands under null in a census.
{
    const { g, memory } = tracked();
    g.eval("var before = /x/; Promise.resolve().then(() => ({ then(resolve) { globalThis.kept = resolve; } }))");
    memory.drainAllocationsLog();
    later(() => {
        const alone = memory.drainAllocationsLog().filter(e => e.frame === null);
        assert(alone.length >= 1);
        for (const e of alone) assertText(Object.keys(e), ["frame", "timestamp", "class", "constructor", "size", "inNursery"]);
        const map = memory.takeCensus({ breakdown: { by: "allocationStack" } });
        assert(map.get(null).count >= 1);
        const keys = [...map.keys()];
        assertEq(keys.filter(k => k === null).length, 1);
        assertEq(keys[keys.length - 1], "noStack", "what was not tracked stands apart");
        assertEq(map.has(undefined), false);
    });
}
// A script that no other script called.
{
    const { g, memory } = tracked();
    evaluate(g, "new Date", "top.js");
    const e = memory.drainAllocationsLog().find(e => e.class === "Date");
    assertEq(e.frame.source, "top.js");
}
