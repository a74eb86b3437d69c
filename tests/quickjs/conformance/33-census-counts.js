// Case 32, census case L: what is counted.

const zeros = '{"objects":{"other":{"count":0,"bytes":0}},"scripts":{"count":0,"bytes":0},' +
    '"strings":{"count":0,"bytes":0},"other":{},"domNode":{}}';
const count = dbg => dbg.memory.takeCensus({ breakdown: { by: "count" } });

// Debuggees come and go.
{
    const g1 = newGlobal(), g2 = newGlobal(), dbg = new Debugger();
    assertEq(JSON.stringify(dbg.memory.takeCensus()), zeros);
    dbg.addDebuggee(g1);
    const first = dbg.memory.takeCensus();
    assert(first.objects.Function.count > 0 && first.strings.count > 0);
    dbg.addDebuggee(g2);
    const both = dbg.memory.takeCensus();
    const atLeast = (more, less) => {
        for (const key of Object.keys(less)) {
            if (typeof less[key] === "object") atLeast(more[key], less[key]);
            else assert(more[key] >= less[key], key);
        }
    };
    atLeast(both, first);
    assert(both.objects.Function.count > first.objects.Function.count);
    dbg.removeDebuggee(g2);
    assertText(dbg.memory.takeCensus(), first);
    dbg.removeDebuggee(g1);
    assertEq(JSON.stringify(dbg.memory.takeCensus()), zeros);
}
// Buckets and counts agree; ids are whole numbers of at most 48 bits, each once.
{
    const g = newGlobal(), dbg = new Debugger(g), types = ["objects", "scripts", "strings", "other"];
    const bucket = dbg.memory.takeCensus({ breakdown: { by: "bucket" } });
    assertEq(bucket.length, count(dbg).count);
    assertEq(new Set(bucket).size, bucket.length);
    assert(bucket.every(id => Number.isInteger(id) && id > 0 && id <= 2 ** 48));
    const counts = dbg.memory.takeCensus({ breakdown: { by: "coarseType" } }), buckets = {};
    for (const type of types) buckets[type] = { by: "bucket" };
    const lists = dbg.memory.takeCensus({ breakdown: { by: "coarseType", ...buckets } });
    for (const type of types) assertEq(lists[type].length, counts[type].count);
}
// Things that are added are counted, and those that go are not.
for (const [code, type, factor] of [["({ x: 1 })", "objects", 1], ["(y => () => y)(i)", "objects", 1],
    ["'string ' + i", "strings", 1], ["eval('(function () { return ' + i + '; })')", "scripts", 1], ["Symbol()", "other", 1],
    ["new Int8Array(10)", "objects", 2]]) {
    const g = newGlobal(), dbg = new Debugger(g);
    g.eval("var things = []; function make(i) { return " + code + "; } make(0);");
    const before = dbg.memory.takeCensus({ breakdown: { by: "coarseType" } });
    g.eval("for (let i = 0; i < 100; i++) things.push(make(i))");
    const after = dbg.memory.takeCensus({ breakdown: { by: "coarseType" } });
    assert(after[type].count >= before[type].count + 100 * factor, code);
    assert(after[type].bytes > before[type].bytes, code);
    g.eval("things = []");
    gc();
    assert(dbg.memory.takeCensus({ breakdown: { by: "coarseType" } })[type].count <= before[type].count + 20, code);
}
// The same in total. An eval leaves a function and its bytecode, a closure its variable as well.
for (const [code, factor] of [["({ x: 1 })", 1], ["(y => () => y)(i)", 2], ["'string ' + i", 1],
    ["eval('(function () { return ' + i + '; })')", 2]]) {
    const g = newGlobal(), dbg = new Debugger(g);
    g.eval("var things = []; function make(i) { return " + code + "; } make(0);");
    const before = count(dbg).count;
    g.eval("for (let i = 0; i < 100; i++) things.push(make(i))");
    assert(count(dbg).count >= before + 100 * factor, code);
}
// What another realm alone holds does not belong to the debuggee, and the Debugger's own objects neither.
{
    const g = newGlobal(), dbg = new Debugger(g), classes = () => dbg.memory.takeCensus({ breakdown: { by: "objectClass" } });
    assertEq(classes().Int8Array, undefined);
    const kept = g.eval("new Int8Array(8)");
    assertEq(classes().Int8Array, undefined);
    g.kept = kept;
    assertEq(classes().Int8Array.count, 1);
    assertEq(classes().Debugger, undefined);
}
// Allocation stacks: two lines of one function.
{
    const { g, dbg, memory } = tracked();
    evaluate(g, `
        var kept = [];
        function fnerd(n) {
            if (n === 1) kept.push(new Date);
            else for (let i = 0; i < n; i++) kept.push(
                new Date);
        }`, "fnerd.js");
    evaluate(g, "fnerd(1); fnerd(10);", "call.js");
    const map = memory.takeCensus({ breakdown: { by: "objectClass", then: { by: "allocationStack", then: { by: "count", label: "date" },
        noStack: { by: "count", label: "none" } } } }).Date;
    assert(map instanceof Map);
    const keys = [...map.keys()];
    assertText(keys.map(k => typeof k === "object" && `${k.functionDisplayName} ${k.source}`), ["fnerd fnerd.js", "fnerd fnerd.js"]);
    assertText([...map.values()].map(v => v.count).sort((a, b) => a - b), [1, 10]);
    assert([...map.values()].every(v => v.label === "date"));
    const site = dbg.makeGlobalObjectReference(g).makeDebuggeeValue(g.kept[0]).allocationSite;
    assert(map.has(site), "keys are the objects that allocationSite gives");
    assertEq(map.get(site).count, 1);
}
// One function on three stacks, and one object from before.
{
    const g = newGlobal(), dbg = new Debugger(g), memory = dbg.memory;
    evaluate(g, `var kept = [];
        function make() { kept.push(/x/); }
        function f() { for (let i = 0; i < 20; i++) make(); }
        function g() { for (let i = 0; i < 10; i++) make(); }
        function h() { for (let i = 0; i < 5; i++) make(); }
        make();`, "three.js");
    memory.trackingAllocationSites = true;
    evaluate(g, "f(); g(); h();", "call.js");
    const map = memory.takeCensus({ breakdown: { by: "objectClass", then: { by: "allocationStack" } } }).RegExp;
    const byCaller = {};
    for (const [key, value] of map) {
        if (key !== "noStack") assertEq(key.functionDisplayName, "make");
        byCaller[key === "noStack" ? "before" : key.parent.functionDisplayName] = value.count;
    }
    assertText([byCaller.f, byCaller.g, byCaller.h, byCaller.before], [20, 10, 5, 1]);
    assertEq([...map.keys()].pop(), "noStack", "last");
    // Labels stand on the leaves of both.
    const labelled = memory.takeCensus({ breakdown: { by: "objectClass", then: { by: "allocationStack",
        then: { by: "count", label: "tracked" }, noStack: { by: "count", label: "not tracked" } } } }).RegExp;
    assertEq(labelled.size, 4);
    for (const [key, value] of labelled) assertEq(value.label, key === "noStack" ? "not tracked" : "tracked");
    // Objects that are not tracked have no stack; things that are no objects neither.
    assertEq(memory.takeCensus({ breakdown: { by: "coarseType", strings: { by: "allocationStack" } } }).strings.size, 1);
}
// Classes with awkward names, and null in sorted places.
{
    const g = newGlobal(), dbg = new Debugger(g);
    const files = () => dbg.memory.takeCensus({ breakdown: { by: "coarseType", scripts: { by: "filename" } } }).scripts;
    for (const name of ["zeta", "7", "__proto__", "3", "noFilename"])
        evaluate(g, `globalThis.f_${name} = function () {}`, name);
    const names = Object.getOwnPropertyNames(files());
    assertText(names.slice(0, 2), ["3", "7"]);
    assert(names.includes("zeta") && names.includes("__proto__"));
    assertEq(names[names.length - 1], "noFilename");
    assert(Object.getOwnPropertyDescriptor(files(), "__proto__").value.count > 0);
}
