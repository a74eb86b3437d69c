// SavedFrame.

const { g, dbg, object, memory } = tracked();
evaluate(g, `function inner() { return {}; }
function outer() {
    return inner();
}
globalThis.direct = {};
var call = () => outer();`, "dir/frames.js");
const site = value => object.makeDebuggeeValue(value).allocationSite;
evaluate(g, "globalThis.first = call();", "caller.js");
const frame = site(g.first);

assertText([frame.source, frame.line, frame.functionDisplayName, frame.asyncCause, frame.asyncParent],
    ["dir/frames.js", 1, "inner", null, null]);
assert(Number.isInteger(frame.column) && frame.column >= 0);
const stack = [];
for (let f = frame; f; f = f.parent) stack.push(`${f.functionDisplayName}@${f.source}:${f.line}`);
assertText(stack.slice(0, 4), ["inner@dir/frames.js:1", "outer@dir/frames.js:3", "call@dir/frames.js:6",
    stack[3]]);
assert(/caller\.js:1$/.test(stack[3]));
assertEq(frame.toString().split("\n")[0], `inner@dir/frames.js:1:${frame.column}`);
assertEq(frame.toString().split("\n").length, stack.length + 1);
assert(frame.toString().endsWith("\n"));
assertEq(String(frame), frame.toString());

// Equal stacks are the same object; others share their callers.
evaluate(g, "globalThis.list = [1, 2].map(() => call())", "map.js");
assertEq(site(g.list[0]), site(g.list[1]));
assertEq(site(g.first), frame);
assert(site(g.list[0]) !== frame);
assertEq(site(g.list[0]).source, frame.source);
const entries = memory.drainAllocationsLog().filter(e => e.frame === frame);
assertEq(entries.length, 1);

// Frozen, and nothing of it can be changed.
assert(!Object.isExtensible(frame) && Object.isFrozen(frame));
assert(Object.isFrozen(Object.getPrototypeOf(frame)));
assertThrows(() => { frame.x = 1; }, "TypeError: object is not extensible");
const proto = Object.getPrototypeOf(frame);
assertText(Object.getOwnPropertyNames(proto), ["constructor", "source", "line", "column", "functionDisplayName", "asyncCause",
    "asyncParent", "parent", "toString"]);
assertThrows(() => new proto.constructor, "TypeError: SavedFrame has no constructor");
assertThrows(() => proto.source, "TypeError: SavedFrame.prototype.(get source) called on incompatible prototype object");
assertThrows(() => proto.toString.call({}), "TypeError: SavedFrame.prototype.toString called on incompatible Object");
assertThrows(() => proto.toString.call(null), "TypeError: null is not a non-null object");
assertThrows(() => Object.create(frame).line, "TypeError: SavedFrame.prototype.(get line) called on incompatible Object");

// They outlive tracking, the Debugger and the realm.
const kept = (() => {
    const t = tracked();
    evaluate(t.g, "globalThis.o = { deep: (function named() { return {}; })() }", "gone.js");
    return t.object.makeDebuggeeValue(t.g.o.deep).allocationSite;
})();
gc();
assertText([kept.source, kept.functionDisplayName], ["gone.js", "named"]);

// The same content from other code is the same stack.
{
    const t = tracked();
    for (let i = 0; i < 3; i++) evaluate(t.g, "(globalThis.all = globalThis.all || []).push(/x/)", "again.js");
    const sites = t.g.all.map(o => t.object.makeDebuggeeValue(o).allocationSite);
    assertEq(sites[0], sites[2]);
}
// Names that look like numbers, and that are long or not ASCII.
{
    const t = tracked();
    evaluate(t.g, "globalThis.o = { 123() { return {}; }, 'gr\u00fc\u00df \u{1f600}'() { return {}; } }; " +
        "globalThis.all = [o[123](), o[123](), o['gr\u00fc\u00df \u{1f600}']()]", "\u00e4.js");
    const sites = t.g.all.map(o => t.object.makeDebuggeeValue(o).allocationSite);
    assertText(sites.map(s => s.functionDisplayName), ["123", "123", "gr\u00fc\u00df \u{1f600}"]);
    assertEq(sites[0].source, "\u00e4.js");
}
// A deep stack.
{
    const t = tracked();
    evaluate(t.g, "function deep(n) { return n ? deep(n - 1) : {}; } globalThis.o = deep(120)", "deep.js");
    let depth = 0;
    for (let f = t.object.makeDebuggeeValue(t.g.o).allocationSite; f; f = f.parent) depth++;
    assert(depth > 120);
}
