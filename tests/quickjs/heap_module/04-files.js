// readHeapSnapshot, saveHeapSnapshot, getObjectNodeId.
const { saveHeapSnapshot, readHeapSnapshot, getObjectNodeId } = ubiheap;
const count = snapshot => snapshot.takeCensus({ breakdown: { by: "count" } }).count;
const has = (snapshot, object) => {
    try { snapshot.describeNode({ by: "count" }, getObjectNodeId(object)); return true; } catch (e) { return false; }
};
const illegal = why => `NS_ERROR_ILLEGAL_VALUE: saveHeapSnapshot: ${why}`;

// ---- getObjectNodeId
{
    const a = {}, b = () => 1;
    assert(Number.isInteger(getObjectNodeId(a)) && getObjectNodeId(a) > 0 && getObjectNodeId(a) <= 2 ** 48);
    assertEq(getObjectNodeId(a), getObjectNodeId(a));
    assert(getObjectNodeId(a) !== getObjectNodeId(b));
    assertThrows(() => getObjectNodeId(), "TypeError: getObjectNodeId: At least 1 argument required, but only 0 passed");
    for (const wrong of [null, undefined, 1, "x", Symbol()])
        assertThrows(() => getObjectNodeId(wrong), "TypeError: getObjectNodeId: Argument 1 is not an object.");
}

// ---- the whole runtime
globalThis.Session = class Session { constructor(i) { this.i = i; this.data = new Uint8Array(1000); } };
globalThis.sessions = Array.from({ length: 10 }, (_, i) => new Session(i));
const g = newGlobal(), gKept = g.eval("var kept = new Int8Array(8); kept"), before = Date.now() * 1000;
{
    const path = scratch("all.fxsnapshot");
    assertEq(saveHeapSnapshot({ runtime: true }, path), path);
    const snapshot = readHeapSnapshot(path);
    assertBetween(before, snapshot.creationTime, Date.now() * 1000 + 1000);
    for (const object of [globalThis, sessions, sessions[3], sessions[3].data, Session, g, gKept])
        assert(has(snapshot, object));
    // What keeps a session: its class in the census, its path in words, its size.
    const id = getObjectNodeId(sessions[3]), tree = snapshot.computeDominatorTree();
    assertText(snapshot.describeNode({ by: "objectClass", then: { by: "count", bytes: false }, other: { by: "count", bytes: false } }, id),
        { Object: { count: 1 }, other: { count: 0 } });
    // The engine's class is Object; what the program calls it is its descriptive name, which a plain object lacks.
    assertText(Object.keys(snapshot.describeNode({ by: "descriptiveType" }, id)), ["Session"]);
    let refused;
    try { snapshot.describeNode({ by: "descriptiveType" }, getObjectNodeId(sessions)); } catch (e) { refused = e; }
    assert(/descriptiveType needs a descriptive name/.test(refused.message), String(refused));
    assertEq(tree.getImmediateDominator(id), getObjectNodeId(sessions));
    assert(tree.getImmediatelyDominated(getObjectNodeId(sessions)).includes(id));
    assertBetween(1000, tree.getRetainedSize(id), 3000);
    const [path1] = snapshot.computeShortestPaths(getObjectNodeId(globalThis), [id], 1).get(id);
    // In engines whose functions hold global variables as any other, the property leads to the variable, and that to its value.
    assertText(path1.map(step => step.edge), globalsAreVariables ? ["sessions", "value", "3"] : ["sessions", "3"]);
    assertEq(tree.getRetainedSize(tree.root) >= tree.getRetainedSize(getObjectNodeId(sessions)), true);
}

// ---- globals, and the debuggees of a Debugger
{
    const one = readHeapSnapshot(saveHeapSnapshot({ globals: [g] }, scratch("g.fxsnapshot")));
    assert(has(one, g) && has(one, gKept) && !has(one, sessions) && !has(one, globalThis));
    const both = readHeapSnapshot(saveHeapSnapshot({ globals: new Set([g, globalThis, g]) }, scratch("both.fxsnapshot")));
    assert(has(both, g) && has(both, sessions) && count(both) > count(one));
    const dbg = new Debugger(g), alone = readHeapSnapshot(saveHeapSnapshot({ debugger: dbg }, scratch("d.fxsnapshot")));
    assertText(alone.takeCensus(null), readHeapSnapshot(saveHeapSnapshot({ globals: [g] }, scratch("g.fxsnapshot"))).takeCensus(null));
    assertText(alone.takeCensus({ breakdown: { by: "objectClass" } }), dbg.memory.takeCensus({ breakdown: { by: "objectClass" } }));
    assertEq(count(readHeapSnapshot(saveHeapSnapshot({ debugger: new Debugger() }, scratch("none.fxsnapshot")))), 0);
    class Mine extends Debugger {}
    assertEq(count(readHeapSnapshot(saveHeapSnapshot({ debugger: new Mine(g) }, scratch("mine.fxsnapshot")))) > 0, true);
}

// ---- boundaries
assertThrows(() => saveHeapSnapshot(), illegal("a boundary must be given: runtime, debugger or globals"));
for (const empty of [null, undefined, {}, { other: 1 }, { runtime: undefined }, [], () => 1])
    assertThrows(() => saveHeapSnapshot(empty), illegal("a boundary must be given: runtime, debugger or globals"));
const two = illegal("only one boundary can be given: runtime, debugger or globals");
assertThrows(() => saveHeapSnapshot({ runtime: true, globals: [g] }), two);
assertThrows(() => saveHeapSnapshot({ runtime: true, debugger: new Debugger() }), two);
assertThrows(() => saveHeapSnapshot({ globals: [g], debugger: {} }), two);
assertEq(assertThrows(() => saveHeapSnapshot({ runtime: false }), illegal("the boundary runtime can only be true")).result, 0x80070057);
assertThrows(() => saveHeapSnapshot({ runtime: null }), illegal("the boundary runtime can only be true"));
for (const wrong of [{}, Debugger, Debugger.prototype, new Debugger().memory, g])
    assertThrows(() => saveHeapSnapshot({ debugger: wrong }), illegal("the boundary debugger is no Debugger"));
assertThrows(() => saveHeapSnapshot({ globals: [] }), illegal("the boundary globals must name at least one global object"));
for (const wrong of [{}, g.Array, new Debugger(g).getDebuggees()[0]])
    assertThrows(() => saveHeapSnapshot({ globals: [g, wrong] }), illegal("the boundary globals names something that is no global object"));
for (const wrong of [1, "runtime", true, Symbol()])
    assertThrows(() => saveHeapSnapshot(wrong), "TypeError: saveHeapSnapshot: Argument 1 can't be converted to a dictionary.");
for (const wrong of [1, null, "x"]) {
    assertThrows(() => saveHeapSnapshot({ debugger: wrong }), "TypeError: saveHeapSnapshot: 'debugger' member of HeapSnapshotBoundaries is not an object.");
    assertThrows(() => saveHeapSnapshot({ globals: wrong }), "TypeError: saveHeapSnapshot: 'globals' member of HeapSnapshotBoundaries can't be converted to a sequence.");
    assertThrows(() => saveHeapSnapshot({ globals: [wrong] }), "TypeError: saveHeapSnapshot: Element of 'globals' member of HeapSnapshotBoundaries is not an object.");
}
// Members are read once each, in the order of the alphabet, then the path.
{
    const order = [], read = (key, value) => { order.push(key); return value; };
    saveHeapSnapshot({ get runtime() { return read("runtime", 1); }, get globals() { return read("globals"); }, get debugger() { return read("debugger"); } },
        { toString() { return read("path", scratch("order.fxsnapshot")); } });
    assertEq(order.join(), "debugger,globals,runtime,path");
    assertThrows(() => saveHeapSnapshot({ get globals() { throw 7; } }), 7);
    assertThrows(() => saveHeapSnapshot({ runtime: true }, { toString() { throw 7; } }), 7);
}

// ---- paths
{
    const made = saveHeapSnapshot({ globals: [g] });
    assert(/^\d+(-\d+)?\.fxsnapshot$/.test(made.slice(scratch("").length)) && made.startsWith(scratch("")) && exists(made), made);
    const next = saveHeapSnapshot({ globals: [g] });
    assert(next !== made && exists(next), next);
    assertThrows(() => saveHeapSnapshot({ runtime: true }, ""), "NS_ERROR_FILE_UNRECOGNIZED_PATH: the path is empty");
    assertThrows(() => saveHeapSnapshot({ runtime: true }, "a\0b"), "NS_ERROR_FILE_UNRECOGNIZED_PATH: a path cannot contain U+0000");
    const nowhere = scratch("no/such/folder.fxsnapshot");
    let thrown;
    try { saveHeapSnapshot({ globals: [g] }, nowhere); } catch (e) { thrown = e; }
    assertEq(thrown.name, "NS_ERROR_FAILURE");
    assert(thrown.message.includes(nowhere), thrown.message);
    // A file that is there stays as it was when the save fails, and is replaced when it does not.
    const path = scratch("kept-ä€.fxsnapshot");
    write(path, "old");
    assertThrows(() => saveHeapSnapshot({ globals: [g, {}] }, path), illegal("the boundary globals names something that is no global object"));
    let old;
    try { readHeapSnapshot(path); } catch (e) { old = e.name; }
    assertEq(old, "NS_ERROR_UNEXPECTED");
    saveHeapSnapshot({ globals: [g] }, path);
    assert(count(readHeapSnapshot(path)) > 100);
}
// What cannot be read
{
    const missing = scratch("missing.fxsnapshot");
    const thrown = assertThrows(() => readHeapSnapshot(missing), `NS_ERROR_FILE_NOT_FOUND: ${missing}: No such file or directory`);
    assertEq(thrown.result, 0x80520012);
    assertThrows(() => readHeapSnapshot(), "TypeError: readHeapSnapshot: At least 1 argument required, but only 0 passed");
    assertThrows(() => readHeapSnapshot(Symbol()), "TypeError: can't convert symbol to string");
    assertThrows(() => readHeapSnapshot("-"), "NS_ERROR_FILE_NOT_FOUND: ./-: No such file or directory");
    write(scratch("bad"), "this is no snapshot");
    let bad;
    try { readHeapSnapshot(scratch("bad")); } catch (e) { bad = e; }
    assertText([bad.name, bad.result], ["NS_ERROR_UNEXPECTED", 0x8000ffff]);
    assert(bad.message.length > 10, bad.message);
}
// Snapshots of V8 are read as well.
assert(count(readHeapSnapshot("tests/data/v8/node20-before.heapsnapshot.gz")) > 1000);

// ---- imports
{   // Twice, under other names: the same interfaces, so what one gives the other takes.
    const tree = readHeapSnapshot(draw("1 -> 2")).computeDominatorTree();
    assert(tree instanceof ubiheap.DominatorTree);
    assertText(Object.keys(ubiheap), ["DominatorTree", "HeapSnapshot", "getObjectNodeId", "memoryProfiler", "readHeapSnapshot", "saveHeapSnapshot", "timeline"]);
}
