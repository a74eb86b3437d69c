// Cases 7 to 9 and 23: the log's limit and its overflow.

// 7: one place for four objects.
{
    const { g, memory } = tracked();
    memory.maxAllocationsLogLength = 1;
    assertEq(memory.allocationsLogOverflowed, false);
    g.eval("this.a = {}; this.b = {}; this.c = {}; this.d = {};");
    assertEq(memory.allocationsLogOverflowed, true);
    assertEq(memory.drainAllocationsLog().length, 1);
    assertEq(memory.allocationsLogOverflowed, false);
    memory.maxAllocationsLogLength = 10000;
    g.eval("this.a = {}; this.b = {}; this.c = {}; this.d = {};");
    assertEq(memory.allocationsLogOverflowed, false);
}
// Getter only.
{
    const { memory } = tracked();
    assertThrows(() => { memory.allocationsLogOverflowed = true; }, "TypeError: no setter for property");
    assertEq(memory.allocationsLogOverflowed, false);
}
// Full is not overflowed.
{
    const { g, memory } = tracked();
    const once = g.eval("(function () { return new Date; })"), entries = n => { for (let i = 0; i < n; i++) once(); };
    memory.drainAllocationsLog();
    memory.maxAllocationsLogLength = 3;
    entries(3);
    assertEq(memory.allocationsLogOverflowed, false);
    entries(1);
    assertEq(memory.allocationsLogOverflowed, true);
    assertEq(memory.drainAllocationsLog().length, 3);
}
// 8: never longer than its limit; a shorter one drops the oldest at once, and does not say so.
{
    const { g, memory } = tracked();
    const at = g.eval("(function (n) {\nif (n === 1) return {};\nif (n === 2) return {};\nif (n === 3) return {};\n})");
    memory.drainAllocationsLog();
    at(1), at(2), at(3);
    memory.maxAllocationsLogLength = 2;
    assertEq(memory.allocationsLogOverflowed, false);
    assertText(linesOf(memory.drainAllocationsLog(), "Object"), [3, 4]);
    for (let i = 0; i < 100; i++) at(1);
    assertEq(memory.drainAllocationsLog().length, 2);
    memory.maxAllocationsLogLength = 1;
    for (let i = 0; i < 100; i++) at(2);
    assertEq(memory.drainAllocationsLog().length, 1);
}
// 9: only whole numbers from 1 on.
{
    const m = new Debugger().memory, wrong =
        "TypeError: (set maxAllocationsLogLength)'s parameter is not a positive integer";
    assertEq(m.maxAllocationsLogLength, 5000);
    for (const n of [0, -1, "abc", undefined, null, NaN, 2 ** 31, Infinity, -Infinity, .9, [], {}])
        assertThrows(() => { m.maxAllocationsLogLength = n; }, wrong);
    assertEq(m.maxAllocationsLogLength, 5000);
    for (const [given, kept] of [[1.9, 1], [2 ** 32 + 5, 5], ["7", 7], [2 ** 31 - 1, 2 ** 31 - 1], [true, 1]]) {
        m.maxAllocationsLogLength = given;
        assertEq(m.maxAllocationsLogLength, kept);
    }
    const mine = {};
    assertThrows(() => { m.maxAllocationsLogLength = { valueOf() { throw mine; } }; }, mine);
    assertThrows(() => { m.maxAllocationsLogLength = Symbol(); }, "TypeError: can't convert symbol to number");
}
// 23: the newest of four.
{
    const { g, memory } = tracked();
    const make = g.eval("(function (n) {\nn === 1 && {};\nn === 2 && {};\nn === 3 && {};\nn === 4 && {};\n})");
    memory.maxAllocationsLogLength = 2;
    memory.drainAllocationsLog();
    for (const n of [1, 2, 3, 4]) make(n);
    assertText(linesOf(memory.drainAllocationsLog()), [4, 5]);
}
