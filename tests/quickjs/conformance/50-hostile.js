// Scripts that make it hard: whatever they changed, what we give is whole.

const { g, dbg, object, memory } = tracked();
evaluate(g, "globalThis.keep = []; function make() { keep.push(/x/); } for (let i = 0; i < 5; i++) make();", "h.js");

// Everything that results are made of, replaced.
const trap = () => { throw new Error("a trap was called"); };
const saved = [], plain = Object.prototype;
for (const [holder, names] of [[Map.prototype, ["set", "get", "has"]], [Array.prototype, ["concat", "push"]],
    [globalThis, ["Map", "Array", "Object", "Error", "TypeError"]]])
    for (const name of names) saved.push([holder, name, Object.getOwnPropertyDescriptor(holder, name)]);
for (const [holder, name] of saved) Reflect.defineProperty(holder, name, { value: trap, writable: true, configurable: true });
for (const name of ["frame", "timestamp", "class", "constructor", "size", "inNursery", "count", "bytes", "label", "objects", "other", "0",
    "reason", "collections", "startTimestamp", "message"])
    Reflect.defineProperty(plain, name, { set: trap, get: trap, configurable: true });
let log, map, report, buckets, caught;
try {
    log = memory.drainAllocationsLog();
    map = memory.takeCensus({ breakdown: { by: "allocationStack", then: undefined, noStack: undefined } });
    report = memory.takeCensus({ breakdown: undefined });
    buckets = memory.takeCensus({ breakdown: { __proto__: null, by: "bucket" } });
    try { memory.takeCensus({ breakdown: { __proto__: null, by: "nope" } }); } catch (e) { caught = e; }
} finally {
    for (const name of ["frame", "timestamp", "class", "constructor", "size", "inNursery", "count", "bytes", "label", "objects", "other", "0",
        "reason", "collections", "startTimestamp", "message"])
        delete plain[name];
    for (const [holder, name, d] of saved) Reflect.defineProperty(holder, name, d);
    Reflect.defineProperty(plain, "constructor", { value: Object, writable: true, configurable: true });
}
assert(log.length > 5 && log.every(e => Object.keys(e).length === 6));
assert(map instanceof Map && map.size >= 2);
assert(report.objects.Function.count > 0 && buckets.length > 0);
assert(caught instanceof TypeError);

// Breakdowns whose getters change what is being read, or take censuses themselves.
{
    const breakdown = { by: "objectClass", get then() { delete this.by; breakdown.other = null; return { by: "count" }; } };
    assertThrows(() => memory.takeCensus({ breakdown }), "TypeError: can't convert null to object");
    let inner;
    const outer = memory.takeCensus({ breakdown: { by: "coarseType", get objects() { inner = memory.takeCensus(); return undefined; } } });
    assert(inner.objects.Function.count > 0 && outer.objects.count > 0);
    const list = [{ by: "count" }, { get by() { list.length = 0; gc(); return "bucket"; } }, { by: "count" }];
    assertEq(memory.takeCensus({ breakdown: list }).length, 3);
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    assertThrows(() => memory.takeCensus({ breakdown: proxy }), "TypeError: revoked proxy");
    assertEq(memory.takeCensus({ breakdown: new Proxy([{ by: "count" }], {}) }).length, 1);
}
// A breakdown that removes its own debuggees, or the Debugger's hooks.
{
    const t = tracked();
    const r = t.memory.takeCensus({ get breakdown() { t.dbg.removeAllDebuggees(); return { by: "count" }; } });
    assertText(r, { count: 0, bytes: 0 });
}
// valueOf that changes what is being set.
{
    const t = tracked();
    t.memory.maxAllocationsLogLength = { valueOf() { t.memory.trackingAllocationSites = false; gc(); return 7; } };
    assertText([t.memory.maxAllocationsLogLength, t.memory.trackingAllocationSites], [7, false]);
}
// Hooks that drop their own Debugger, collect, drain and throw.
(() => {
    const t = tracked();
    let holder = { dbg: new Debugger(t.g) };
    holder.dbg.memory.onGarbageCollection = () => { holder = null; gc(); throw new Error("last words"); };
    let drained = 0;
    t.memory.onGarbageCollection = function () {
        drained += this.memory.drainAllocationsLog().length;
        this.memory.takeCensus();
        t.g.eval("[{}, {}]");
        if (drained > 20) this.memory.onGarbageCollection = undefined;
        gc();
    };
    t.dbg.uncaughtExceptionHook = e => { throw e; };
    gc();
})();
later(() => later(() => later(() => rejections())));

// Methods of one realm on a Debugger of another.
{
    const other = newGlobal({ debugger: true }), t = tracked();
    t.g.eval("this.o = {}");
    const drain = other.Debugger.Memory.prototype.drainAllocationsLog;
    assertThrows(() => drain.call(t.memory).notThere(), "TypeError: not a function");
    assertEq(other.Debugger.prototype.getDebuggees.call(t.dbg)[0], t.object);
    assertEq(typeof other.Debugger.Memory.prototype.takeCensus.call(t.memory).objects, "object");
}
// Prototypes taken away.
{
    const t = tracked();
    Object.setPrototypeOf(t.dbg, null);
    Object.setPrototypeOf(t.memory, null);
    t.g.eval("this.o = {}");
    assert(Debugger.Memory.prototype.drainAllocationsLog.call(t.memory).length > 0);
    assertEq(Debugger.prototype.hasDebuggee.call(t.dbg, t.g), true);
}
// Very many Debuggers and Debugger.Objects, in circles.
for (let i = 0; i < 200; i++) {
    const d = new Debugger(g);
    d.memory.onGarbageCollection = () => d;
    d.self = d.makeGlobalObjectReference(g);
    d.self.back = d;
    for (let k = 0; k < 20; k++) d.self.makeDebuggeeValue({ d }).me = d;
    if (i % 50 === 0) gc();
}
later(() => rejections());
