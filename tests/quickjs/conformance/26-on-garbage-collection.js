// Cases 26 to 30: news of collections.

// A debuggee that nobody holds dies, and then it is none; a hook does not hold its Debugger.
const kept = [];
const keep = value => kept[kept.push(value) - 1];
const keptGlobal = () => keep(newGlobal());

// 26: after the collection, not inside it; what the argument is; `this`.
{
    const g = keptGlobal(), dbg = keep(new Debugger(g)), events = [];
    dbg.memory.onGarbageCollection = function (statistics) {
        "use strict";
        assertEq(this, dbg);
        assertEq(arguments.length, 1);
        events.push(statistics);
        return { ignored: true };
    };
    gc();
    gc();
    assertEq(events.length, 0, "not inside the collection");
    later(() => {
        const forced = events.filter(e => e.reason === "API");
        assert(forced.length >= 2);
        assert(events.every((e, i) => i === 0 || events[i - 1].gcCycleNumber < e.gcCycleNumber));
        for (const e of events) {
            assertText(Object.getOwnPropertyNames(e), ["nonincrementalReason", "reason", "gcCycleNumber", "collections"]);
            assertEq(Object.getPrototypeOf(e), Object.prototype);
            assertEq(e.nonincrementalReason, "GC mode");
            assert(["API", "ALLOC_TRIGGER"].includes(e.reason));
            assert(Number.isInteger(e.gcCycleNumber));
            assertEq(e.gcCycleNumber, events[0].gcCycleNumber + events.indexOf(e), "each collection is told once");
            assertEq(e.collections.length, 1);
            const slice = e.collections[0];
            assertText(Object.getOwnPropertyNames(slice), ["startTimestamp", "endTimestamp"]);
            assert(slice.startTimestamp > 0 && slice.startTimestamp <= slice.endTimestamp);
        }
        assert(events[0].collections[0].endTimestamp <= events[1].collections[0].startTimestamp);
        dbg.memory.onGarbageCollection = undefined;
    });
}
// What the engine collects by itself says so.
{
    const g = keptGlobal(), dbg = keep(new Debugger(g)), reasons = new Set();
    dbg.memory.onGarbageCollection = e => reasons.add(e.reason);
    g.eval("for (let i = 0; i < 100000; i++) { const a = {}; a.a = a; }");
    later(() => assert(reasons.has("ALLOC_TRIGGER")));
}
// 27: no debuggees, no news.
{
    const dbg = keep(new Debugger());
    let calls = 0;
    dbg.memory.onGarbageCollection = () => { calls++; };
    gc();
    later(() => {
        assertEq(calls, 0);
        const g = keptGlobal();
        dbg.addDebuggee(g);
        gc();
        later(() => {
            assert(calls >= 1);
            const before = calls;
            dbg.removeDebuggee(g);
            gc();
            later(() => assertEq(calls, before));
        });
    });
}
// 28: a hook that collects gets another, later event.
{
    const g = keptGlobal(), dbg = keep(new Debugger(g)), numbers = [];
    let depth = 0;
    dbg.memory.onGarbageCollection = e => {
        assertEq(depth, 0, "nested");
        depth++;
        numbers.push(e.gcCycleNumber);
        if (numbers.length < 5) gc();
        depth--;
        if (numbers.length === 5) dbg.memory.onGarbageCollection = undefined;
    };
    gc();
    later(() => later(() => later(() => later(() => later(() => later(() => {
        assertEq(numbers.length, 5);
        assert(numbers.every((n, i) => i === 0 || n > numbers[i - 1]));
    }))))));
}
// 29: exceptions go to uncaughtExceptionHook, whichever its name.
for (const name of ["uncaughtExceptionHook", "uncaughtExceptionHandler"]) {
    const g = keptGlobal(), dbg = keep(new Debugger(g)), error = new Error("from the hook"), caught = [];
    dbg[name] = function (e) { assertEq(this, dbg); caught.push(e); };
    dbg.memory.onGarbageCollection = () => { throw error; };
    gc();
    later(() => {
        dbg.memory.onGarbageCollection = undefined;
        assert(caught.length >= 1);
        assert(caught.every(e => e === error));
    });
}
// 30: undefined clears it.
{
    const g = keptGlobal(), dbg = keep(new Debugger(g));
    let calls = 0;
    dbg.memory.onGarbageCollection = () => calls++;
    dbg.memory.onGarbageCollection = undefined;
    assertEq(dbg.memory.onGarbageCollection, undefined);
    gc();
    later(() => assertEq(calls, 0));
}
// A hook belongs to the realm of its Debugger, wherever the function was made: so does what it is given.
{
    const other = keep(newGlobal({ debugger: true })), g = keptGlobal();
    const dbg = keep(new other.Debugger(g));
    let given;
    dbg.memory.onGarbageCollection = function (statistics) { given = [this, statistics]; };
    gc();
    later(() => {
        dbg.memory.onGarbageCollection = undefined;
        assertEq(given[0], dbg);
        assertEq(Object.getPrototypeOf(given[1]), other.Object.prototype);
        assertEq(Object.getPrototypeOf(given[1].collections), other.Array.prototype);
    });
}
// Two Debuggers, and one hook that takes away the other's.
{
    const g = keptGlobal(), d1 = keep(new Debugger(g)), d2 = keep(new Debugger(g));
    let first = 0, second = 0;
    d1.memory.onGarbageCollection = () => { first++; d2.memory.onGarbageCollection = undefined; d2.removeDebuggee(g); };
    d2.memory.onGarbageCollection = () => { second++; };
    gc();
    later(() => {
        assert(first >= 1);
        assertEq(second, 0);
        d1.memory.onGarbageCollection = undefined;
    });
}
