// computeShortestPaths: the cases P of dominators-and-paths.md.
const snapshotOf = text => ubiheap.readHeapSnapshot(draw(text));
const show = paths => paths.map(path => path.map(step => step.edge ?? "-").join(" "));
const find = (text, start, targets, max) => {
    const map = snapshotOf(text).computeShortestPaths(start, targets, max);
    assert(map instanceof Map);
    return Object.fromEntries([...map].map(([id, paths]) => [id, show(paths)]));
};

// P1: no path is an empty array. P2: a way there.
assertText(find('1 -> 3 "ac"; 3 -> 1 "ca"; 2', 1, [2], 10), { 2: [] });
assertText(snapshotOf('1 -> 3 "ac"; 3 -> 1 "ca", 2 "cb"').computeShortestPaths(1, [2], 10).get(2),
    [[{ predecessor: 1, edge: "ac" }, { predecessor: 3, edge: "cb" }]]);
// P3: a 1, b 2, f 6, d 4, c 3, e 5
const p3 = '1 -> 2 "ab", 6 "af", 4 "ad"; 2 -> 3 "bc"; 3 -> 6 "cf"; 4 -> 5 "de"; 5 -> 6 "ef"; 6';
assertText(find(p3, 1, [6], 10), { 6: ["af", "ab bc cf", "ad de ef"] });
assertText(find(p3, 1, [6], 1), { 6: ["af"] });
assertText(find(p3, 1, [6], 2), { 6: ["af", "ab bc cf"] });
assertText(find(p3, 1, [6, 5], 1), { 5: ["ad de"], 6: ["af"] });
assertText(find(p3, 1, [3, 6, 5], 2), { 3: ["ab bc"], 5: ["ad de"], 6: ["af", "ab bc cf"] });
// P4: parallel edges. P5: through the target, and a start on a cycle. P6: a self edge.
assertText(find('1 -> 2 "x", 2 "y", 2 "z"; 2', 1, [2], 10), { 2: ["x", "y", "z"] });
assertText(find('1 -> 2 "x", 2 "y", 2 "z"; 2', 1, [2], 2), { 2: ["x", "y"] });
const p5 = '1 -> 2 "x"; 2 -> 3 "y"; 3 -> 2 "back", 4 "t"; 4';
assertText([4, 3, 2].map(id => find(p5, 1, [id], 5)[id]), [["x y t"], ["x y"], ["x", "x y back"]]);
assertText([4, 3, 2].map(id => find(p5, 2, [id], 5)[id]), [["y t"], ["y", "y"], ["y back"]]);
assertText(find('1 -> 1 "self", 2 "c", 2 "dup"; 2', 1, [2], 5), { 2: ["c", "dup", "c", "dup"] });
// An edge without a name.
assertText(snapshotOf("1 -> 2; 2").computeShortestPaths(1, [2], 1).get(2), [[{ predecessor: 1, edge: null }]]);

// P7: arguments.
const snapshot = snapshotOf(p3), paths = (...args) => snapshot.computeShortestPaths(...args);
for (const n of [0, 1, 2])
    assertThrows(() => paths(...[1, [2]].slice(0, n)),
        `TypeError: HeapSnapshot.computeShortestPaths: At least 3 arguments required, but only ${n} passed`);
for (const wrong of [2, null, undefined, "2", {}, { [Symbol.iterator]: 5 }])
    assertThrows(() => paths(1, wrong, 1), "TypeError: HeapSnapshot.computeShortestPaths: Argument 2 can't be converted to a sequence.");
assertThrows(() => paths(1, [2], 0), "NS_ERROR_ILLEGAL_VALUE: maxNumPaths must be at least 1");
assertThrows(() => paths(1, [], 1), "NS_ERROR_ILLEGAL_VALUE: there must be at least one target");
assertThrows(() => paths(99, [2], 1), "NS_ERROR_ILLEGAL_VALUE: the snapshot has no node 99, which was to be the start");
const thrown = assertThrows(() => paths(1, [2, 99], 1), "NS_ERROR_ILLEGAL_VALUE: the snapshot has no node 99, which was to be a target");
assertEq(thrown.result, 0x80070057);
// Sequences are what can be iterated; equal targets are one; numbers are converted.
assertEq(paths(1, new Set([2, 3]), 1).size, 2);
assertEq(paths("1", [2, 2, "2", 2.5], 2 ** 40).size, 1);
assertText([...paths(1, (function* () { yield 6; yield 5; })(), 1).keys()], [6, 5]);
assertThrows(() => paths(1, { [Symbol.iterator]: () => ({ next: () => 1 }) }, 1), "TypeError: iterator.next() returned a non-object value");
assertThrows(() => paths(1, (function* () { throw 7; })(), 1), 7);
assertThrows(() => paths(1, [Symbol()], 1), "TypeError: can't convert symbol to number");
// Nothing that scripts replaced is used.
const { Map: RealMap } = globalThis, set = Map.prototype.set, iterator = Array.prototype[Symbol.iterator];
globalThis.Map = null;
RealMap.prototype.set = () => assert(false);
Object.defineProperty(Object.prototype, "predecessor", { set() { assert(false); }, configurable: true });
assertEq(paths(1, [6], 1).get(6)[0][0].predecessor, 1);
delete Object.prototype.predecessor;
RealMap.prototype.set = set;
globalThis.Map = RealMap;
