// timeline: the switch (cases TL-15 to TL-17), dictionaries, and what a runtime tells of itself. console is the host's: see
// tests/quickjs/run_timeline_test.py.
const { timeline } = ubiheap;
const pop = () => timeline.popProfileTimelineMarkers();
const named = (markers, name) => markers.filter(m => m.name === name);
const names = markers => markers.map(m => m.name);

// ---- the object
assertText(Object.keys(timeline), ["recordProfileTimelineMarkers", "lostMarkers", "popProfileTimelineMarkers", "now"]);
const before = timeline.now();
assertEq(typeof before, "number");
assert(before > 0 && timeline.now() >= before);

// ---- the switch
assertEq(timeline.recordProfileTimelineMarkers, false);
assertText(pop(), []);
gc();                                           // TL-15: what was before is not there
timeline.recordProfileTimelineMarkers = true;
assertEq(timeline.recordProfileTimelineMarkers, true);
assertText(pop(), []);
gc();
timeline.recordProfileTimelineMarkers = false;  // TL-16: what was pending is gone
timeline.recordProfileTimelineMarkers = true;
assertText(pop(), []);
timeline.recordProfileTimelineMarkers = "yes";  // TL-17: set twice, then off once
timeline.recordProfileTimelineMarkers = false;
assertEq(timeline.recordProfileTimelineMarkers, false);
gc();
assertText(pop(), []);

// ---- a collection, and parsing; the run at hand has no beginning, for nobody looked then
timeline.recordProfileTimelineMarkers = true;
const started = timeline.now();
gc();
new Function("a", "return a");
assertThrows(() => eval("syntax error"), "SyntaxError: expecting ';'");
const first = pop();
assertText(names(first), ["GarbageCollection", "Parse JS", "Parse JS"]);
const [collection, parse] = first;
assertText(Object.keys(collection), ["name", "start", "end", "stack", "processType", "isOffMainThread", "endStack", "causeName",
    "nonincrementalReason", "cycle"]);
assertText([collection.causeName, collection.nonincrementalReason, collection.isOffMainThread, collection.processType],
    ["API", "GC mode", false, 0]);
assert(collection.cycle > 0 && collection.stack === null && collection.endStack === null);
assert(started <= collection.start && collection.start <= collection.end && collection.end <= parse.start);
assertEq(parse.causeName, "<input>");
assert(parse.stack.source.endsWith("06-timeline.js") && parse.stack.parent === null);
assert(parse.end >= parse.start && parse.end <= timeline.now());
assertText(pop(), []);
gc();
gc();
const two = pop();
assertEq(timeline.lostMarkers, 0);
assertEq(two.length, 2);
assertEq(two[1].cycle, two[0].cycle + 1);
assertEq(two[0].cycle, collection.cycle + 1);

// ---- ubiheap's own work, with the stack of who asked for it
function saves() { return ubiheap.saveHeapSnapshot({ runtime: true }, scratch("a")); }
const path = saves();
const opened = ubiheap.readHeapSnapshot(path);
opened.takeCensus({ breakdown: { by: "count" } });
opened.computeDominatorTree();
const own = pop();
assertText(names(own).filter(name => name.startsWith("ubiheap")),
    ["ubiheap::SaveSnapshot", "ubiheap::ReadSnapshot", "ubiheap::Census", "ubiheap::Dominators"]);
const { stack } = own.find(m => m.name === "ubiheap::SaveSnapshot");
assertText([stack.functionDisplayName, stack.source.endsWith("06-timeline.js"), stack.parent.functionDisplayName, stack.parent.parent,
    stack.asyncParent, "asyncCause" in stack], ["saves", true, undefined, null, null, false]);
assert(stack.line > 50 && stack.line < stack.parent.line);

// ---- runs of scripts: each of these is one, and calls within it are part of it
function entered() { [1, 2].forEach(() => gc()); }
function makePromise() { return new Promise(resolve => later(() => resolve(23))).then(function reaction(v) { reacted(v); }); }
function reacted() { ubiheap.getObjectNodeId({}); ubiheap.readHeapSnapshot(path); }
async function awaits(promise) { await promise; await null; reacted(); }
let awaited;
later(entered);
later(function asks() { makePromise(); awaited = awaits(Promise.resolve()); });
later(() => later(() => later(() => later(function looks() {
    const markers = pop(), runs = named(markers, "Javascript");
    const run = name => runs.filter(r => r.stack && r.stack.functionDisplayName === name);
    // the function, its file and line
    const [entry] = run("entered");
    assertText([entry.causeName, entry.stack.column, entry.stack.parent, entry.stack.asyncParent, entry.endStack],
        ["function call", 0, null, null, null]);
    assert(entry.stack.source.endsWith("06-timeline.js"));
    assertEq(named(markers, "GarbageCollection").filter(c => c.start >= entry.start && c.end <= entry.end).length, 2);
    // a promise's reaction hangs on who waits, and says so in its marker and in stacks within it
    const [reaction] = run("reaction");
    assertEq(reaction.causeName, "promise callback");
    const parent = reaction.stack.asyncParent;
    assertText([parent.functionDisplayName, parent.asyncCause, parent.parent.functionDisplayName],
        ["makePromise", "promise callback", "asks"]);
    const reads = caller => named(markers, "ubiheap::ReadSnapshot").map(m => m.stack).find(s => s.parent.functionDisplayName === caller);
    const inside = reads("reaction"), inAwait = reads("awaits");
    assertText([inside.functionDisplayName, inside.parent.functionDisplayName, inside.parent.parent], ["reacted", "reaction", null]);
    assertText([inside.parent.asyncParent.functionDisplayName, inside.parent.asyncParent.asyncCause], ["makePromise", "Promise"]);
    assertEq(inside.asyncParent, null);
    // an async function goes on: on behalf of who called it, however often it waits
    assertText(run("awaits").map(r => [r.causeName, r.stack.asyncParent.functionDisplayName]),
        [["promise callback", "asks"], ["promise callback", "asks"]]);
    assertText([inAwait.functionDisplayName, inAwait.parent.functionDisplayName, inAwait.parent.asyncParent.functionDisplayName],
        ["reacted", "awaits", "asks"]);
    // this run has begun and not ended
    assertEq(run("looks").length, 0);
    timeline.recordProfileTimelineMarkers = false;
    assertText(pop(), []);
}))));
