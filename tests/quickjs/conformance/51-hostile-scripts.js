// More scripts that make it hard: endless ones, those that throw odd things, proxies that are revoked, and getters that do
// what they should not while somebody reads them.

const revoked = target => { const { proxy, revoke } = Proxy.revocable(target, {}); revoke(); return proxy; };
const works = memory => assert(memory.takeCensus().objects.Function.count > 0, "the Debugger is whole");

// Getters that never end are ended by the engine's stack, however deep in a breakdown they are.
// What the engine throws when its stack ends: an InternalError or a RangeError.
const stackEnds = (() => {
    const endless = () => endless() + 1;
    try { return endless(); } catch (e) { return String(e); }
})();
{
    const { g, memory } = tracked(); // nobody else holds the global
    const endless = [
        { get by() { return memory.takeCensus({ breakdown: this }); } },
        { by: "objectClass", get then() { return memory.takeCensus({ breakdown: this }); } },
        { by: { toString() { return memory.takeCensus({ breakdown: { by: this } }); } } },
        { by: "count", label: { toString() { return memory.takeCensus({ breakdown: { by: "count", label: this } }); } } },
        [{ get by() { return memory.takeCensus({ breakdown: endless[4] }); } }],
    ];
    for (const breakdown of endless) {
        let thrown;
        try { memory.takeCensus({ breakdown }); } catch (e) { thrown = e; }
        assertEq(String(thrown), stackEnds);
        works(memory);
    }
    const options = { get breakdown() { return memory.takeCensus(options); } };
    assertThrows(() => memory.takeCensus(options), stackEnds);
    const limit = { valueOf() { memory.maxAllocationsLogLength = limit; return 1; } };
    assertThrows(() => { memory.maxAllocationsLogLength = limit; }, stackEnds);
    works(memory);
}
// Whatever is thrown comes out, at any depth, and leaves nothing behind.
for (const thing of [undefined, null, 0, NaN, "", "text", Symbol.iterator, 1n, {}, revoked({}), revoked(() => {})]) {
    const { g, memory } = tracked(); // nobody else holds the global
    const thrower = { get() { throw thing; } };
    for (const breakdown of [new Proxy({}, thrower), { by: "objectClass", then: new Proxy({}, thrower) },
        [{ by: "count", label: "kept" }, { by: "coarseType", domNode: new Proxy([], thrower) }]]) {
        let thrown, did = false;
        try { memory.takeCensus({ breakdown }); } catch (e) { thrown = e; did = true; }
        assert(did && Object.is(thrown, thing));
    }
}
// Revoked proxies and odd objects everywhere.
{
    const { g, dbg, memory } = tracked();
    const noGlobal = "TypeError: argument is not a global object", gone = "TypeError: revoked proxy";
    for (const value of [revoked({}), revoked(g), new Proxy(g, {}), Object.create(g), new Proxy(dbg, {})])
        for (const name of ["addDebuggee", "removeDebuggee", "hasDebuggee", "makeGlobalObjectReference"])
            assertThrows(() => dbg[name](value), noGlobal);
    assertThrows(() => memory.takeCensus(revoked({})), gone);
    assertThrows(() => memory.takeCensus({ breakdown: revoked({}) }), gone);
    assertThrows(() => memory.takeCensus({ breakdown: { by: revoked({}) } }), gone);
    assertThrows(() => memory.takeCensus({ breakdown: [revoked([])] }), gone);
    assertThrows(() => { memory.allocationSamplingProbability = revoked({}); }, gone);
    memory.trackingAllocationSites = revoked({}); // an object is true; nothing is asked of it
    assertEq(memory.trackingAllocationSites, true);
    assertThrows(() => new Debugger(revoked({})), "TypeError: Debugger: argument must be an object from a different compartment");
    assertThrows(() => { memory.onGarbageCollection = revoked({}); }, "TypeError: ({}) is not a function");
    assertThrows(() => Debugger.Memory.prototype.takeCensus.call(revoked(memory)), "TypeError: Memory.prototype.method called on incompatible Object");
    works(memory);
}
// A proxy that answers otherwise each time, and one that lies about its length.
{
    const { g, memory } = tracked(); // nobody else holds the global
    let turn = 0;
    const kinds = ["objectClass", "internalType", "filename", "allocationStack", "count"];
    const restless = new Proxy({}, { get: (t, name) => name === "by" ? kinds[turn++ % kinds.length] : name === "label" ? "last" : restless });
    assertThrows(() => memory.takeCensus({ breakdown: restless }),
        `TypeError: takeCensus breakdown 'by' value nested within itself: "objectClass"`);
    const liar = new Proxy([{ by: "count" }], { get: (t, name) => name === "length" ? 3 : t[name] });
    assertEq(memory.takeCensus({ breakdown: liar }).length, 3);
    for (const length of [-1, NaN, "x", {}, undefined])
        assertEq(memory.takeCensus({ breakdown: new Proxy([], { get: () => length }) }).length, 0);
    for (const length of [2 ** 31, 2 ** 53, Infinity])
        assertThrows(() => memory.takeCensus({ breakdown: new Proxy([], { get: () => length }) }),
            "RangeError: takeCensus breakdown has more than 65536 array members");
    const growing = [{ get by() { growing.push(growing[0]); return "count"; } }];
    assertEq(memory.takeCensus({ breakdown: growing }).length, 1);
}
// What is being read changes the Debugger that asked: its debuggees go, its log is emptied, another debugs it.
{
    const { g, dbg, memory } = tracked();
    const report = memory.takeCensus({ breakdown: { by: "coarseType", get objects() {
        dbg.removeAllDebuggees();
        memory.trackingAllocationSites = false;
        memory.onGarbageCollection = () => {};
        gc();
        return { by: "allocationStack" };
    } } });
    assertEq(report.objects.size, 0);
    let label;
    memory.takeCensus({ breakdown: { by: "count", label: { toString() {
        memory.trackingAllocationSites = true;
        dbg.addDebuggee(g);
        evaluate(g, "globalThis.kept = [{}, []]", "meanwhile.js");
        label = memory.drainAllocationsLog().length;
        return "x";
    } } } });
    assert(label >= 2);
    works(memory);
    memory.onGarbageCollection = undefined;
}
// A global that dies while its census is prepared.
{
    const dbg = new Debugger();
    (() => { dbg.addDebuggee(newGlobal()); })();
    assertText(dbg.memory.takeCensus({ get breakdown() { gc(); return { by: "count" }; } }), { count: 0, bytes: 0 });
}
// Hooks that throw odd things into hooks that throw odd things, take themselves away, and put others in their place.
{
    const kept = [], odd = [undefined, null, 0, "text", revoked({}), Symbol.iterator];
    for (const thing of odd) {
        const t = tracked();
        kept.push(t);
        t.memory.onGarbageCollection = function () {
            this.memory.onGarbageCollection = () => { throw thing; };
            throw thing;
        };
        t.dbg.uncaughtExceptionHook = function (e) {
            assert(Object.is(e, thing));
            this.uncaughtExceptionHook = null;
            throw e;
        };
    }
    const endless = tracked();
    kept.push(endless);
    endless.memory.onGarbageCollection = function again() { again(); };
    const dead = tracked();
    kept.push(dead);
    dead.memory.onGarbageCollection = revoked(() => {});
    dead.dbg.uncaughtExceptionHook = revoked(() => {});
    let calls = 0;
    const last = tracked();
    kept.push(last);
    last.memory.onGarbageCollection = () => { calls++; };
    gc();
    later(() => {
        assert(calls >= 1, "those behind are called all the same");
        const reasons = rejections();
        for (const thing of odd) assert(reasons.some(r => Object.is(r, thing)));
        assert(reasons.some(r => !odd.includes(r) && String(r) === stackEnds));
        for (const t of kept) {
            t.memory.onGarbageCollection = undefined;
            works(t.memory);
        }
        later(() => rejections());
    });
}
// Prototypes and constructors that lie: a census looks at them, and runs nothing.
{
    const { g, memory } = tracked();
    evaluate(g, `
        const never = () => { throw new Error("a script ran in a census"); };
        var all = [];
        class Getter { static get name() { never(); } }
        Object.defineProperty(Getter.prototype, "constructor", { get: never });
        all.push(new Getter);
        function Odd() {}
        for (const value of [null, 1, "Odd", Symbol(), {}, [], new Proxy(Odd, { get: never, getOwnPropertyDescriptor: never }), Odd.bind()]) {
            Odd.prototype = { constructor: value };
            all.push(new Odd);
        }
        all.push(Object.create(new Proxy({}, { get: never, getPrototypeOf: never })));
        all.push(Object.setPrototypeOf(new Map, new Proxy(Map.prototype, { get: never })));
        let chain = new Getter;
        for (let i = 0; i < 1000; i++) all.push(chain = Object.create(chain));
        for (let i = 0; i < 2000; i++) all.push(new (class { static name = "Class" + i }));
        all.push(new (class { static name = "\\u{1f600}\\0\\ud800 " + "x".repeat(100000) }));
        `, "lies.js");
    const count = memory.takeCensus({ breakdown: { by: "objectClass" } }).Object.count;
    assert(count > 3000);
    let thrown;
    try { memory.takeCensus({ breakdown: { by: "coarseType", objects: { by: "descriptiveType" } } }); } catch (e) { thrown = e; }
    assert(/descriptive/.test(thrown.message));
}
later(() => rejections());
