// Case 32, census case B: reading breakdowns, and the shape of reports.

const g = newGlobal(), dbg = new Debugger(g), take = breakdown => dbg.memory.takeCensus({ breakdown });
const unknown = by => `TypeError: unrecognized 'by' value in takeCensus breakdown: ${by}`;
const nested = by => `TypeError: takeCensus breakdown 'by' value nested within itself: "${by}"`;

// Kinds that are none.
assertThrows(() => take({ by: "nope" }), unknown('"nope"'));
for (const value of [{}, "count", 3, true, Symbol(), 1n, () => {}])
    assertThrows(() => take(value), unknown('"undefined"'));
assertThrows(() => take({ by: null }), unknown('"null"'));
assertThrows(() => take({ by: 'a"b\\\n\u00e9\u{1f600}\0' }), unknown('"a\\"b\\\\\\n\\xE9\\uD83D\\uDE00\\x00"'));
assertThrows(() => take({ by: "x".repeat(1000) }), unknown(`"${"x".repeat(1000)}"`));
assertThrows(() => take({ by: Symbol() }), "TypeError: can't convert symbol to string");
assertThrows(() => take(null), "TypeError: can't convert null to object");
assertThrows(() => take({ by: "objectClass", then: null }), "TypeError: can't convert null to object");
assertText(Object.keys(take({ by: { toString: () => "count" } })), ["count", "bytes"]);
assertText(Object.keys(take(Object.create({ by: "count" }))), ["count", "bytes"]);
Number.prototype.by = "count";
assertText(Object.keys(take(7)), ["count", "bytes"]);
delete Number.prototype.by;

// count: each combination yields exactly what was asked for.
for (const count of [undefined, true, false, null, 1, ""])
    for (const bytes of [undefined, true, false, null, 1, ""])
        for (const label of [undefined, "x", null, 5]) {
            const wanted = [];
            if (count === undefined || count) wanted.push("count");
            if (bytes === undefined || bytes) wanted.push("bytes");
            if (label !== undefined) wanted.push("label");
            const report = take({ by: "count", count, bytes, label });
            assertText(Object.getOwnPropertyNames(report), wanted);
            if (label !== undefined) assertEq(report.label, String(label));
            assertEq(Object.getPrototypeOf(report), Object.prototype);
        }
for (const label of ["\0", "\ud800", "a\u{1f600}b\udc00", "", "0", "\"\\"])
    assertEq(take({ by: "count", label }).label, label);
assertEq(take({ by: "count", label: 7n }).label, "7");
assertEq(take({ by: "count", label: [1, { toString: () => "two" }] }).label, "1,two");
assertThrows(() => take({ by: "count", label: Symbol() }), "TypeError: can't convert symbol to string");

// Getters' exceptions come out as they are, and end the reading.
const mine = { name: "mine" };
const thrower = (by, name) => Object.defineProperty({ by }, name, { get() { throw mine; } });
for (const [by, parts] of Object.entries({ count: ["count", "bytes", "label"], objectClass: ["then", "other"],
    coarseType: ["objects", "scripts", "strings", "other", "domNode"], internalType: ["then"], descriptiveType: ["then"],
    allocationStack: ["then", "noStack"], filename: ["then", "noFilename"] }))
    for (const part of parts) assertThrows(() => take(thrower(by, part)), mine);
assertThrows(() => take({ get by() { throw mine; } }), mine);
assertThrows(() => take({ by: { toString() { throw mine; } } }), mine);
assertThrows(() => dbg.memory.takeCensus({ get breakdown() { throw mine; } }), mine);
assertThrows(() => take({ by: "count", label: { toString() { throw mine; } } }), mine);
assertThrows(() => take(new Proxy({}, { get() { throw mine; } })), mine);

// The order of reading.
function readOrder(breakdown) {
    const read = [], watch = (value, path) => typeof value === "object" && value ? new Proxy(value, {
        get(target, name) {
            const at = path + String(name);
            read.push(at);
            return watch(target[name], at + ".");
        }
    }) : value;
    dbg.memory.takeCensus(watch({ breakdown }, ""));
    return read.map(r => r.replace(/^breakdown\.?/, "")).join(" ").trim();
}
assertEq(readOrder({ by: "count", label: "x", bytes: 1 }), "by count bytes label");
assertEq(readOrder({ by: "bucket" }), "by");
assertEq(readOrder({ by: "coarseType", other: { by: "internalType" }, objects: { by: "objectClass", other: { by: "bucket" } } }),
    "by objects objects.by objects.then objects.other objects.other.by scripts strings other other.by other.then domNode");
assertEq(readOrder({ by: "allocationStack", noStack: { by: "count" } }),
    "by then noStack noStack.by noStack.count noStack.bytes noStack.label");
assertEq(readOrder({ by: "filename" }), "by then noFilename");
assertEq(readOrder([{ by: "bucket" }, { by: "count" }]), "length 0 0.by 1 1.by 1.count 1.bytes 1.label");
{
    let reads = 0;
    assertThrows(() => take({ by: "objectClass", then: { by: "nope" }, get other() { reads++; } }), unknown('"nope"'));
    assertEq(reads, 0, "nothing is read after the first mistake");
}

// Nested in itself, and cycles.
const same = { by: "objectClass" };
assertThrows(() => take({ by: "objectClass", then: same }), nested("objectClass"));
assertThrows(() => take({ by: "objectClass", then: { by: "coarseType", other: { by: "filename", then: same } } }), nested("objectClass"));
same.then = same;
assertThrows(() => take(same), nested("objectClass"));
const a = { by: "internalType" }, b = { by: "filename", noFilename: a };
a.then = b;
assertThrows(() => take(a), nested("internalType"));
const array = [];
array[0] = array;
assertThrows(() => take(array), "RangeError: takeCensus breakdown is nested deeper than 64 levels");
assertThrows(() => take(new Array(2 ** 32 - 1)), "RangeError: takeCensus breakdown has more than 65536 array members");
assertThrows(() => take(Array(300).fill(Array(300))), "RangeError: takeCensus breakdown has more than 65536 array members");
const self = new Proxy({ by: "internalType" }, { get: (t, n) => n === "then" ? self : t[n] });
assertThrows(() => take(self), nested("internalType"));
take({ by: "coarseType", objects: { by: "objectClass" }, other: { by: "objectClass" } });

// Shapes.
const keys = ["objects", "scripts", "strings", "other", "domNode"];
for (const report of [dbg.memory.takeCensus(), dbg.memory.takeCensus({}), dbg.memory.takeCensus(1), dbg.memory.takeCensus(null),
    take(undefined), take({ by: "coarseType" })]) {
    assertText(Object.getOwnPropertyNames(report), keys);
    assertEq(Object.getPrototypeOf(report), Object.prototype);
}
const report = take({ by: "coarseType", objects: { by: "objectClass" }, other: { by: "internalType" }, scripts: { by: "filename" },
    strings: { by: "bucket" } });
for (const part of [report.objects, report.other, report.scripts]) assertEq(Object.getPrototypeOf(part), null);
assertEq(Object.getOwnPropertyNames(report.objects).pop(), "other");
assertEq(Object.getOwnPropertyNames(report.scripts).pop(), "noFilename");
assert(Array.isArray(report.strings));
assert(report.objects.Function.count > 10);
const both = take([{ by: "count" }, [{ by: "bucket" }], undefined]);
assertEq(both.length, 3);
assertEq(both[0].count, both[1][0].length);
assertEq(both[0].bytes, both[2].bytes);
assertEq(take([]).length, 0);
assertText(Object.keys(take({ by: "coarseType", objects: { by: "objectClass", then: { by: "internalType" } } }).objects.Function), ["JSObject"]);
// One in the other.
{
    const types = take({ by: "internalType", then: { by: "coarseType" } });
    assertText(Object.keys(types.JSObject), keys);
    assertEq(types.JSObject.objects.count, take({ by: "coarseType" }).objects.count);
    const classes = take({ by: "objectClass", then: { by: "count" }, other: { by: "coarseType" } });
    assert(classes.Function.count > 10);
    assertText(Object.keys(classes.other), keys);
    assertText(classes.other.objects, { count: 0, bytes: 0 });
}
const labels = take({ by: "coarseType", objects: { by: "count", label: "object" }, scripts: { by: "count", label: "script" },
    strings: { by: "count", label: "string" }, other: { by: "count", label: "other" }, domNode: { by: "count", label: "node" } });
assertText(keys.map(k => labels[k].label), ["object", "script", "string", "other", "node"]);
// Every node would need a descriptive name.
{
    let thrown;
    try { take({ by: "descriptiveType" }); } catch (e) { thrown = e; }
    assert(thrown instanceof Error && /descriptive/.test(thrown.message), "says why");
}
