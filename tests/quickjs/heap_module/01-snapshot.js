// HeapSnapshot: what scripts can ask of a file, on the graph of census.md section C.
const graph =
    '1(size=10 type=root stack=-@a.js:1:2) -> 20 "a", 30 "b", 10 "c", 10 "dup", 50 "s", 60 "d", 1 "self";' +
    '20(type=JSObject size=100 coarse=object class=Array stack=f@a.js:5:2<-@a.js:1:2) -> 40;' +
    '30(type=JSObject size=200 coarse=object class=Object stack=f@a.js:5:2<-@a.js:1:2);' +
    '10(type=JSObject size=50 coarse=object class=Array); 40(type=JSString size=7 coarse=string);' +
    '50(type=js::BaseScript size=9 coarse=script file=x.js);' +
    '60(type=nsIDOM size=11 coarse=dom desc=div class=HTMLDivElement); 70(type=unreach size=1000)';
const snapshot = ubiheap.readHeapSnapshot(draw(graph));
const census = breakdown => snapshot.takeCensus({ breakdown });
const n = (count, bytes) => ({ count, bytes });
const report = {
    objects: { Object: n(1, 200), Array: n(2, 150), other: n(0, 0) }, scripts: n(1, 9), strings: n(1, 7),
    other: { root: n(1, 10) }, domNode: { div: n(1, 11) },
};
assertText(snapshot.takeCensus(null), report);
assertText(snapshot.takeCensus(undefined), report);
assertText(snapshot.takeCensus({}), report);
assertText(snapshot.takeCensus([]), report, "an array is an object");
assertText(census({ by: "count" }), n(7, 387));
assertText(census({ by: "count", label: 5, count: false }), { bytes: 387, label: "5" });
assertText(census({ by: "bucket" }), [20, 30, 10, 50, 60, 1, 40]);
assertText(census({ by: "objectClass", then: { by: "bucket" }, other: { by: "bucket" } }),
    { HTMLDivElement: [60], Object: [30], Array: [20, 10], other: [50, 1, 40] });
assertText(census({ by: "internalType" }),
    { nsIDOM: n(1, 11), "js::BaseScript": n(1, 9), JSString: n(1, 7), JSObject: n(3, 350), root: n(1, 10) });
assertText(census({ by: "filename" }), { "x.js": n(1, 9), noFilename: n(6, 378) });
assertText(census([{ by: "count" }, { by: "count", bytes: false }]), [n(7, 387), { count: 7 }]);
assertEq(Object.getPrototypeOf(census({ by: "objectClass" })), null);

// Stacks are SavedFrames, equal ones the same.
const map = census({ by: "allocationStack" });
assert(map instanceof Map);
const [[young, a], [old, b], [none, c]] = map;
assertText([a, b, c, none], [n(2, 300), n(1, 10), n(4, 77), "noStack"]);
assertText([young.source, young.line, young.column, young.functionDisplayName], ["a.js", 5, 2, "f"]);
assertEq(young.parent, old);
assertEq(old.parent, null);
assertEq([...census({ by: "allocationStack" }).keys()][0], young);

// One node, reachable or not.
assertText(snapshot.describeNode({ by: "count" }, 1), n(1, 10));
assertText(snapshot.describeNode({ by: "internalType" }, 70), { unreach: n(1, 1000) });
assertText(snapshot.describeNode({ by: "coarseType", objects: { by: "objectClass" } }, 20), {
    objects: { Array: n(1, 100), other: n(0, 0) }, scripts: n(0, 0), strings: n(0, 0), other: n(0, 0), domNode: n(0, 0),
});
for (const id of [20.7, "20", { valueOf: () => 20 }, 20.999])
    assertText(snapshot.describeNode({ by: "count" }, id), n(1, 100));
const illegal = id => `NS_ERROR_ILLEGAL_VALUE: no node has id ${id}`;
assertEq(assertThrows(() => snapshot.describeNode({ by: "count" }, 71), illegal(71)).result, 0x80070057);
assertThrows(() => snapshot.describeNode({ by: "count" }, NaN), illegal(0));
assertThrows(() => snapshot.describeNode({ by: "count" }, -1), illegal("18446744073709551615"));
assertThrows(() => snapshot.describeNode({ by: "count" }, Infinity), illegal(0));
assertThrows(() => snapshot.describeNode({ by: "count" }, 20n), "TypeError: can't convert BigInt to number");
assertThrows(() => snapshot.describeNode({ by: "count" }, Symbol()), "TypeError: can't convert symbol to number");

// What is wrong, in Firefox's words; the arguments are converted before the breakdown is read.
assertThrows(() => snapshot.takeCensus(), "TypeError: HeapSnapshot.takeCensus: At least 1 argument required, but only 0 passed");
for (const wrong of [1, "x", true, Symbol(), 1n])
    assertThrows(() => snapshot.takeCensus(wrong), "TypeError: HeapSnapshot.takeCensus: Argument 1 is not an object.");
assertThrows(() => snapshot.describeNode({ by: "count" }),
    "TypeError: HeapSnapshot.describeNode: At least 2 arguments required, but only 1 passed");
for (const wrong of [1, null, undefined])
    assertThrows(() => snapshot.describeNode(wrong, 1), "TypeError: HeapSnapshot.describeNode: Argument 1 is not an object.");
const order = [];
assertThrows(() => snapshot.describeNode({ get by() { order.push("by"); throw 7; } },
    { valueOf() { order.push("id"); return 1; } }), 7);
assertEq(order.join(), "id,by");
assertThrows(() => census({ by: "nope" }), `TypeError: unrecognized 'by' value in takeCensus breakdown: "nope"`);
assertThrows(() => snapshot.takeCensus({ get breakdown() { throw 1; } }), 1);
// A failure that Firefox does not explain has a message here.
for (const [ask, name, result] of [
    [() => census({ by: "descriptiveType" }), "NS_ERROR_UNEXPECTED", 0x8000ffff],
    [() => snapshot.describeNode({ by: "descriptiveType" }, 1), "NS_ERROR_OUT_OF_MEMORY", 0x8007000e]]) {
    let thrown;
    try { ask(); } catch (e) { thrown = e; }
    assertText([thrown.name, thrown.result], [name, result]);
    assert(thrown instanceof Error && /descriptive/.test(thrown.message), thrown.message);
}

// The interface.
const { HeapSnapshot } = ubiheap;
assert(snapshot instanceof HeapSnapshot && snapshot.constructor === HeapSnapshot);
assertEq(String(snapshot), "[object HeapSnapshot]");
assertThrows(() => new HeapSnapshot(), "TypeError: Illegal constructor.");
assertThrows(() => HeapSnapshot(), "TypeError: Illegal constructor.");
assertText(Object.keys(HeapSnapshot.prototype),
    ["takeCensus", "describeNode", "computeDominatorTree", "computeShortestPaths", "ask", "creationTime"]);
assertText(["takeCensus", "describeNode", "computeDominatorTree", "computeShortestPaths"].map(k => snapshot[k].length), [1, 2, 0, 3]);
const foreign = method => `TypeError: '${method}' called on an object that does not implement interface HeapSnapshot.`;
for (const other of [{}, null, 1, HeapSnapshot.prototype, snapshot.computeDominatorTree()]) {
    assertThrows(() => snapshot.takeCensus.call(other, {}), foreign("takeCensus"));
    assertThrows(() => snapshot.computeDominatorTree.call(other), foreign("computeDominatorTree"));
}
assertThrows(() => HeapSnapshot.prototype.creationTime, foreign("get creationTime"));
assertEq(snapshot.creationTime, null);
assertThrows(() => { "use strict"; snapshot.creationTime = 5; }, "TypeError: no setter for property");
