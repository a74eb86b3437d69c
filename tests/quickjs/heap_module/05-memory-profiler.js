// memoryProfiler: the lifecycle (case MP-17) and what results look like.
const { memoryProfiler } = ubiheap;
const { startProfiler, stopProfiler, resetProfiler, getResults } = memoryProfiler;
const MANY = 40000; // objects, of some 80 bytes each: about 50 samples

function work() { let last; for (let i = 0; i < MANY; i++) last = new Date(0); return last; }
function dates(results) { return results.events.filter(e => e.kind === "Date" && e.size > 0).length; }

// ---- the object
assertText(Object.keys(memoryProfiler), ["startProfiler", "stopProfiler", "resetProfiler", "getResults"]);

// ---- the lifecycle
assertEq(getResults(), undefined);
stopProfiler();                                 // stop without start
resetProfiler();
assertEq(getResults(), undefined);

assertEq(startProfiler(), undefined);
startProfiler();                                // a second start does nothing
work();
assertEq(getResults(), undefined);              // while it runs
resetProfiler();                                // is ignored while it runs
assertEq(stopProfiler(), undefined);            // one stop suffices
work();                                         // is not recorded
const first = getResults({ extended: true }), again = getResults({ extended: true });
assertBetween(10, dates(first), 200);
assertText(first, again);
assert(first !== again && first.events !== again.events);

startProfiler();
stopProfiler();                                 // objects of the second session only, memory of both
const second = getResults({ extended: true });
assertEq(dates(second), 0);
assertEq(second.events.filter(e => e.kind === "malloc").length, first.events.filter(e => e.kind === "malloc").length);

resetProfiler();
assertEq(getResults(), undefined);
startProfiler();
stopProfiler();
assertText(getResults(), { names: ["(unknown)"], traces: [{ nameIdx: 0, parentIdx: 0 }], events: [] });

// ---- results
startProfiler();
globalThis.kept = [];
for (let i = 0; i < 30; i++) kept.push(new ArrayBuffer(100000));
work();
stopProfiler();
const plain = getResults(), extended = getResults({ extended: true });
resetProfiler();
assertText(Object.keys(plain), ["names", "traces", "events"]);
assertText(Object.keys(extended), ["names", "traces", "events", "period"]);
assertEq(extended.period, 65536);
assertText(Object.keys(plain.traces[1]), ["nameIdx", "parentIdx"]);
assertText(Object.keys(plain.events[0]), ["size", "traceIdx", "timestamp"]);
assertText(Object.keys(extended.events[0]),
           ["size", "traceIdx", "timestamp", "allocation", "bytes", "kind", "thread"]);
assertText(plain.events, extended.events.map(({ size, traceIdx, timestamp }) => ({ size, traceIdx, timestamp })));
assertEq(plain.names[0], "(unknown)");
assertEq(new Set(plain.names).size, plain.names.length);
plain.traces.forEach(({ nameIdx, parentIdx }, i) => {
    assert(nameIdx < plain.names.length);
    assert(i === 0 ? parentIdx === 0 : parentIdx < i);
});
let before = 0;
const born = new Map();
for (const e of extended.events) {
    assert(e.timestamp >= before);
    before = e.timestamp;
    assert(e.traceIdx < extended.traces.length);
    assertEq(Math.abs(e.size) % 65536, 0);
    if (e.size > 0) {
        assert(!born.has(e.allocation));
        born.set(e.allocation, e);
    } else {                                    // a free repeats its allocation's weight and trace
        assertEq(e.size, -born.get(e.allocation).size);
        assertEq(e.traceIdx, born.get(e.allocation).traceIdx);
    }
}
// Of 3 MB in large blocks that are kept, about as much is seen to live.
const live = extended.events.filter(e => e.bytes === 100000).reduce((sum, e) => sum + e.size, 0);
assertBetween(1e6, live, 6e6);
const stack = trace => trace ? [plain.names[plain.traces[trace].nameIdx], ...stack(plain.traces[trace].parentIdx)] : [];
const date = extended.events.find(e => e.kind === "Date");
assert(stack(date.traceIdx).some(name => /^work \(.*05-memory-profiler\.js:6(:\d+)?\)$/.test(name)), stack(date.traceIdx).join());
delete globalThis.kept;

// ---- what scripts may do to it
assertThrows(() => getResults({ get extended() { throw 7; } }), 7);
