// DominatorTree: the cases D of dominators-and-paths.md.
const snapshotOf = text => ubiheap.readHeapSnapshot(draw(text));
const treeOf = text => snapshotOf(text).computeDominatorTree();

{   // D1, the example of Lengauer and Tarjan; r = 1, a to l = 2 to 13, m = 99.
    const ids = { r: 1 }, names = "abcdefghijkl";
    [...names].forEach((c, i) => { ids[c] = i + 2; });
    const name = id => Object.keys(ids).find(k => ids[k] === id);
    const out = {};
    for (const e of "ra rb rc ad ba bd be cf cg dl eh fi gi gj he hk ik ji kr ki lh".split(" "))
        (out[e[0]] ??= []).push(ids[e[1]]);
    const text = ["r", ...names].map(c => `${ids[c]}${out[c] ? " -> " + out[c].join(", ") : ""}`).join("; ");
    const tree = treeOf(text);
    assertEq(tree.root, 1);
    const expected = {
        r: [null, 13, "c d b a e h i k"], c: ["r", 4, "g f"], d: ["r", 2, "l"], g: ["c", 2, "j"], f: ["c", 1, ""],
        j: ["g", 1, ""], l: ["d", 1, ""], a: ["r", 1, ""], b: ["r", 1, ""], e: ["r", 1, ""], h: ["r", 1, ""],
        i: ["r", 1, ""], k: ["r", 1, ""],
    };
    for (const [c, [dominator, retained, dominated]] of Object.entries(expected)) {
        assertEq(tree.getImmediateDominator(ids[c]), dominator && ids[dominator], c);
        assertEq(tree.getRetainedSize(ids[c]), retained, c);
        assertEq(tree.getImmediatelyDominated(ids[c]).map(name).join(" "), dominated, c);
    }
    assertText([tree.getImmediateDominator(99), tree.getRetainedSize(99), tree.getImmediatelyDominated(99)], [null, null, null]);
}
{   // D2
    const tree = treeOf('1 -> 2 "l", 3 "r"; 2(size=10) -> 4 "p"; 3(size=20) -> 4 "q"; 4(size=5) -> 5 "only"; 5(size=7)');
    assertText([1, 2, 3, 4, 5].map(id => tree.getRetainedSize(id)), [43, 10, 20, 12, 7]);
    assertText([1, 2, 3, 4, 5].map(id => tree.getImmediateDominator(id)), [null, 1, 1, 1, 4]);
    assertText([tree.getImmediatelyDominated(1), tree.getImmediatelyDominated(4)], [[3, 4, 2], [5]]);
    // Arguments are converted as WebIDL's unsigned long long.
    assertEq(tree.getRetainedSize("4"), 12);
    assertEq(tree.getRetainedSize(4.9), 12);
    assertEq(tree.getRetainedSize(-0.5), null);
    assertEq(tree.getRetainedSize(undefined), null);
}
// D3: ties in descending post-order, the root's own edges first.
assertText(treeOf("1 -> 2, 3; 2 -> 10, 11; 3 -> 11, 10").getImmediatelyDominated(1), [2, 3, 11, 10]);
{   // D4, and more children than any sort takes for few
    const list = Array.from({ length: 100 }, (_, i) => i + 2);
    assertText(treeOf("1 -> " + list.join(", ")).getImmediatelyDominated(1), list);
}
{   // D5: in the snapshot, but not reached
    const tree = treeOf("1 -> 2; 2 -> 1; 70(size=1000) -> 2");
    assertText([tree.getRetainedSize(70), tree.getImmediateDominator(70), tree.getImmediatelyDominated(70)], [0, null, []]);
}
// D6 and D7: sizes wrap and may be 0.
assertEq(treeOf("1(size=9223372036854775808) -> 2, 3; 2(size=9223372036854775808); 3(size=9223372036854775813)")
    .getRetainedSize(1), 9223372036854776000);
{
    const tree = treeOf("1(size=0) -> 2; 2(size=0)");
    assertEq(tree.getRetainedSize(1), 0);
    assertText(tree.getImmediatelyDominated(1), [2]);
}
{   // The interface. A tree outlives its snapshot.
    const { DominatorTree } = ubiheap;
    const tree = treeOf("1 -> 2");
    gc();
    assertEq(tree.getRetainedSize(2), 1);
    assertThrows(() => new DominatorTree(), "TypeError: Illegal constructor.");
    assertEq(String(tree), "[object DominatorTree]");
    assertText(Object.keys(DominatorTree.prototype), ["getRetainedSize", "getImmediatelyDominated", "getImmediateDominator", "root"]);
    for (const key of ["getRetainedSize", "getImmediatelyDominated", "getImmediateDominator"]) {
        assertThrows(() => tree[key](), `TypeError: DominatorTree.${key}: At least 1 argument required, but only 0 passed`);
        assertThrows(() => tree[key].call({}, 1), `TypeError: '${key}' called on an object that does not implement interface DominatorTree.`);
        assertThrows(() => tree[key]({ valueOf() { throw 7; } }), 7);
    }
    assertThrows(() => DominatorTree.prototype.root, "TypeError: 'get root' called on an object that does not implement interface DominatorTree.");
    "use strict";
    assertEq(tree.root, 1);
}
