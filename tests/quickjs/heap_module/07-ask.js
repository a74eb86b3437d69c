// HeapSnapshot.ask: the questions of the command line.
const snapshot = ubiheap.readHeapSnapshot(draw(
    '1(size=10) -> 20 "a", 30 "b"; 20(size=100 coarse=object class=Array) -> 40 "c"; 30(size=7 coarse=object class=Map);' +
    '40(size=1000 coarse=string type=JSString)'));
const statistics = snapshot.ask("statistics");
assertEq(statistics.schema, "ubiheap.statistics/1");
assertEq(statistics.totalSize, 1117);
const { format, nodeCount, reachable } = snapshot.ask("info");
assertText([format, nodeCount, reachable], [null, 4, { count: 4, bytes: 1117 }]); // it is not known where a heap in memory comes from
assertText(snapshot.ask("dominators", { limit: 2 }).top.map(node => [node.nodeId, node.retainedSize]), [[1, 1117], [20, 1100]]);
assertText(snapshot.ask("show", { node: "40" }).retainers.map(edge => edge.edge), ["c"]);
assertEq(snapshot.ask("search", { text: "map", limit: null }).count, 1);
assertText(snapshot.ask("paths", { nodes: [40], maxPaths: 1 }).targets[0].paths[0].map(step => step.predecessor), [1, 20]);

// What a census of Firefox says of the snapshot is not changed by it.
assertText(snapshot.takeCensus({ breakdown: { by: "count" } }), { count: 3, bytes: 1107 });

// Mistakes. Parameters are converted first, and may throw themselves.
const illegal = words => `NS_ERROR_ILLEGAL_VALUE: ${words}`;
assertThrows(() => snapshot.ask(), "TypeError: HeapSnapshot.ask: At least 1 argument required, but only 0 passed");
assertThrows(() => snapshot.ask("statistic"), illegal("there is no question 'statistic'; did you mean 'statistics'?"));
assertThrows(() => snapshot.ask("search", { txt: 1 }), illegal("search has no parameter 'txt'; did you mean 'text'?"));
assertThrows(() => snapshot.ask("search", 5), illegal("expected a JSON object of parameters"));
assertThrows(() => snapshot.ask("show", { node: 99 }), illegal("no node has the id 99; the root's is 1, and 'ubiheap nodes' lists all of them"));
assertThrows(() => snapshot.ask("search", { get text() { throw new RangeError("mine"); } }), "RangeError: mine");
assertThrows(() => snapshot.ask.call({}, "statistics"), "TypeError: 'ask' called on an object that does not implement interface HeapSnapshot.");

// Several snapshots: this one, then those of an array.
const after = ubiheap.readHeapSnapshot(draw(
    '1(size=10) -> 20 "a", 30 "b", 50 "d"; 20(size=100 coarse=object class=Array) -> 40 "c"; 30(size=7 coarse=object class=Map);' +
    '40(size=1000 coarse=string type=JSString) ; 50(size=60 coarse=object class=Map)'));
const diff = snapshot.ask("diff", { by: "class" }, [after]);
assertEq(diff.schema, "ubiheap.diff/1");
assertText([diff.old, diff.new], [{ file: "snapshot", count: 3, bytes: 1107 }, { file: "snapshot 2", count: 4, bytes: 1167 }]);
assertText(diff.byClass[0].created, { count: 1, bytes: 60 });
assertText(after.ask("diff", { by: "class" }, { length: 1, 0: snapshot }).byClass[0].deleted, { count: 1, bytes: 60 });
assertThrows(() => snapshot.ask("diff"), illegal("diff takes 2 heaps, not 1"));
assertThrows(() => snapshot.ask("statistics", {}, [after]), illegal("statistics takes 1 heap, not 2"));
assertThrows(() => snapshot.ask("diff", {}, [after, 5]),
             "TypeError: HeapSnapshot.ask: Element 1 of argument 3 does not implement interface HeapSnapshot.");
assertThrows(() => snapshot.ask("diff", {}, new Array(100)), "RangeError: HeapSnapshot.ask: Argument 3 has 100 snapshots, expected less than 100");
assertThrows(() => snapshot.ask("diff", {}, { get length() { throw new RangeError("mine"); } }), "RangeError: mine");
assertThrows(() => snapshot.ask("diff", {}, { length: 1, get 0() { throw new RangeError("mine"); } }), "RangeError: mine");
